/* SPDX-License-Identifier: Apache-2.0 */
/* A layout from a capture's bytes and the tables that a tool printed of them. Knows neither SQL nor printing. */
#ifndef MSPROF_FEATURES_LAYOUTS_INFER_H
#define MSPROF_FEATURES_LAYOUTS_INFER_H

#include "base/progress.h"
#include "base/strbuf.h"
#include "features/layouts/printed.h"
#include "features/layouts/search.h"
#include "parsers/capture/capture.h"

#include <stdint.h>

/* Knowledge of where a column stands. */
enum infer_state {
    INFER_ABSENT,    /* no table prints it */
    INFER_UNIQUE,    /* one place gives every printed value */
    INFER_AMBIGUOUS, /* several do, or too few rows differ */
    INFER_UNSEEN,    /* 0 in every row: any zero would do */
    INFER_CONSTANT,  /* the same in every row */
    INFER_MISSING,   /* printed, but no place gives it */
    INFER_GIVEN,     /* --set */
};

#define INFER_OTHERS 3

struct infer_column {
    const char *name; /* of the kind's column */
    enum infer_state state;
    struct place_found place;
    unsigned bits; /* with those above that are always zero */
    bool is_given; /* the width, too */
    struct place_found others[INFER_OTHERS];
    size_t other_count; /* places that fit as well, also those not kept */
    double tries;       /* bits */
    uint64_t rows;      /* that were compared */
    int64_t constant;   /* INFER_CONSTANT */
};

/* --set COLUMN=OFFSET:WIDTH[:BITS] */
struct infer_set {
    const char *column;
    uint32_t offset, width;        /* bytes; the width is 1 to 8 */
    uint32_t first_bit, bit_count; /* bit_count 0: all bits */
};

struct infer_options {
    int64_t core_khz; /* 0: not given */
    int rounding;     /* enum infer_rounding */
    const struct infer_set *sets;
    size_t set_count;
    int64_t seconds; /* that the search may take; 0: as many as it takes */
    const struct progress *progress;
};

enum infer_rounding { ROUNDING_ANY, ROUNDING_HALF, ROUNDING_CUT };
/* How rows of the tables were found to go with records. */
enum infer_order { ORDER_SAME, ORDER_SORTED, ORDER_WINDOW, ORDER_SUMS };

/* How the icache_miss_rate in the names of tables is formed. */
enum infer_rate_state {
    RATE_UNSAID,   /* no table says one of which something is known */
    RATE_BUILT_IN, /* as built in, and perhaps in other ways, too */
    RATE_FOUND,    /* in one other way */
    RATE_AMBIGUOUS,
    RATE_MISSING, /* in no way that is tried, or what it is formed from is not known */
};

#define INFER_RATES 12

struct infer_rate {
    enum infer_rate_state state;
    size_t ways[INFER_RATES]; /* those that give every table's, the likeliest first: of infer_rate_ways */
    size_t way_count;
    uint64_t tables; /* that were compared */
    int64_t printed; /* RATE_MISSING: the first that is not given, in millionths */
};

extern const struct layout_rate infer_rate_ways[INFER_RATES];

#define INFER_MAGICS 2
#define INFER_FREQUENCIES 8

/* Whether a column stands in records. */
static inline bool infer_has_place(const struct infer_column *column)
{
    return column->state == INFER_UNIQUE || column->state == INFER_AMBIGUOUS || column->state == INFER_GIVEN;
}

struct infer_result {
    bool found;
    size_t size;
    uint64_t header;
    bool big_endian, cut;
    enum infer_order order;
    uint64_t window; /* ORDER_WINDOW: the record of the first row */
    int64_t core_khz;
    bool frequency_needed;  /* the capture does not say it: the layout has to */
    bool frequency_doubted; /* what says the frequency contradicts itself, or nothing says it */
    bool contradicted;      /* the tables contradict themselves */
    bool few_records;       /* so that widths say little */
    bool header_doubted;
    bool width_doubted;
    bool incomplete;                 /* the search took too long: the notes say what was not tried */
    bool rows_left_out;              /* tables of a capture of which only one was compared */
    const struct printed_form *form; /* what the tables print */
    struct infer_column columns[PRINTED_MOST];
    struct magic magics[INFER_MAGICS];
    size_t magic_count;
    struct infer_rate rate;
    uint64_t records, rows; /* in the files; in the tables */
    size_t explained;       /* columns with a place */
    int cost;               /* how unusual their places are */
    double bits;            /* evidence of all of them */
    struct strbuf notes;    /* lines for people */
};

void infer_result_init(struct infer_result *result, const struct printed_form *form);
void infer_result_release(struct infer_result *result);

/* Whether infer_layout looks for a column of this name. */
bool infer_knows(const struct printed_form *form, const char *column);

/* Infers the layout of records of a kind from the tables that were printed of them. Returns 0 and sets result->found if
 * a layout was found; the notes describe the findings. -ERR_NOT_FOUND: there are no records or no tables. */
int infer_layout(const struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct infer_result *result, struct err *err);

/* Whether every column that the tables show has its one place, and nothing else is in doubt. */
bool infer_is_certain(const struct infer_result *result);

/* Where a place is in the terms of layout files. */
struct field infer_field(const struct infer_result *result, const struct place_found *place, unsigned bits);

/* The layout as text: one that layout_set_parse reads, with a comment for every column. */
int infer_write(const struct infer_result *result, const char *name, const char *source, struct strbuf *text,
                struct err *err);

/* Adds a line for each key of the capture's *.info files that is not known, with the known one that it may be, and for
 * each file that is no JSON. Nothing: all are known. */
void info_keys_report(const struct capture *capture, struct strbuf *text);

/* Findings so far of comparing a layout's records with tables. */

struct check_result {
    uint64_t cells, different; /* that were compared; that differ */
    uint64_t rows, unmatched;  /* of the tables; without a record */
    struct strbuf first;       /* the first cell that differs: table, row, column, printed, given */
};

/* Decodes the capture, whose options name the layouts, into memory and compares its records with the tables. */
int check_tables(struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct check_result *result, struct err *err);

#endif
