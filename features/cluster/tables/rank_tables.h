/* SPDX-License-Identifier: Apache-2.0 */
/* Tables about all ranks of a job, of 'msprof cluster --table'. The captures of the ranks are read one after another;
 * each adds what it knows to a scratch database, of which every table is a query. So memory does not grow with the
 * number of ranks.
 *
 *     SCOPED(rank_facts_release) struct rank_facts facts;
 *     status = rank_facts_open(&facts, tables, count, &err);
 *     for each rank: status = rank_facts_add(&facts, rank, stage, db, &err);
 *     status = show_report(facts.db, stdout, tables[0]->report, ...); */
#ifndef MSPROF_FEATURES_CLUSTER_TABLES_RANK_TABLES_H
#define MSPROF_FEATURES_CLUSTER_TABLES_RANK_TABLES_H

#include "base/err.h"
#include "exporters/table/report.h"
#include "features/answers/load/load.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* One rank, whose capture is open. */
struct rank_capture {
    int64_t rank, stage; /* stage: of a pipeline; DB_NULL: not known */
    sqlite3 *db;         /* of the capture */
    const struct workload *workload;
};

/* Facts of one sort: tables of the scratch database. */
struct rank_fact {
    const char *create; /* their SQL */
    bool counters;      /* the workload needs the sums of counters */
    /* Adds those of one rank. */
    int (*add)(sqlite3 *facts, const struct rank_capture *capture, struct err *err);
};

struct rank_table {
    const struct report *report;
    const struct rank_fact *fact;
};

/* Each stands in a file of this folder. */
#define RANK_TABLES(X)                                                                                                 \
    X(api_sum)                                                                                                         \
    X(communication_sum)                                                                                               \
    X(experts)                                                                                                         \
    X(free)                                                                                                            \
    X(masking)                                                                                                         \
    X(mfu)                                                                                                             \
    X(modules)                                                                                                         \
    X(operator_sum)                                                                                                    \
    X(p2p)                                                                                                             \
    X(pipeline)
#define RANK_TABLE_DECLARE(name) extern const struct rank_table rank_table_##name;
RANK_TABLES(RANK_TABLE_DECLARE)

#define RANK_TABLE_ONE(name) +1
enum { RANK_TABLE_COUNT = 0 RANK_TABLES(RANK_TABLE_ONE) };

/* By name; ended by NULL. */
extern const struct rank_table *const rank_tables[];
/* NULL: there is none of this name, in any case. */
const struct rank_table *rank_table_find(const char *name);

/* All zero: nothing. */
struct rank_facts {
    sqlite3 *db;
    const struct rank_table *const *tables; /* the caller's: those that are wanted */
    size_t count;
};

/* Makes the scratch database for some tables. rank_facts_release() it whatever the result. */
int rank_facts_open(struct rank_facts *facts, const struct rank_table *const *tables, size_t count, struct err *err);
/* Adds a rank, whose stage of a pipeline is DB_NULL where it is not known. */
int rank_facts_add(struct rank_facts *facts, int64_t rank, int64_t stage, sqlite3 *db, struct err *err);
void rank_facts_release(struct rank_facts *facts);

/* Inside: runs an INSERT with these values, one for each of its parameters. */
struct rank_value {
    enum { RANK_INTEGER, RANK_REAL, RANK_TEXT } kind;
    union {
        int64_t integer;  /* DB_NULL: NULL */
        double real;      /* NAN: NULL */
        const char *text; /* NULL: NULL */
    };
};
#define RANK_INTEGER(value) ((struct rank_value){RANK_INTEGER, .integer = (value)})
#define RANK_REAL(value) ((struct rank_value){RANK_REAL, .real = (value)})
#define RANK_TEXT(value) ((struct rank_value){RANK_TEXT, .text = (value)})
/* rank_insert(statement, err, RANK_INTEGER(rank), RANK_TEXT(name)) */
#define rank_insert(statement, err, ...)                                                                               \
    rank_insert_values(statement, (const struct rank_value[]){__VA_ARGS__},                                            \
                       sizeof((const struct rank_value[]){__VA_ARGS__}) / sizeof(struct rank_value), err)
int rank_insert_values(sqlite3_stmt *statement, const struct rank_value *values, size_t count, struct err *err);
/* Likewise a SELECT that gives one integer. */
int rank_ask(sqlite3_stmt *statement, const struct rank_value *values, size_t count, int64_t *ret, struct err *err);

#endif
