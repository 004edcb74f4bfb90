/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that a tool printed of an SVP capture: which files there are, and their numbers, row by row. */
#ifndef MSPROF_FEATURES_LAYOUTS_PRINTED_H
#define MSPROF_FEATURES_LAYOUTS_PRINTED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Relation of a printed column to a record's, or where its cells go otherwise. */
enum printed_role {
    PRINTED_CLOCK,      /* us, which the AI core's clock counts as cycles */
    PRINTED_SHARE,      /* per cent of the first column */
    PRINTED_AMOUNT,     /* of the column's unit, as often as the table's unit has it */
    PRINTED_IDENTITY,   /* a whole number that identifies the task, model, stream or picture */
    PRINTED_OTHER,      /* a number in no record: computed from the others, or leads to them */
    PRINTED_WORD,       /* a text, as records have it */
    PRINTED_FIRST_WORD, /* what is before the first comma */
    PRINTED_LAYER,      /* layer_id */
    PRINTED_LARGEST,    /* of the records that a row sums up, whose first column is the least */
    PRINTED_COUNT,
    PRINTED_TOTAL,
    PRINTED_FILTER, /* rows with another text than the form's are passed over */
};

/* A column of a table. */
struct printed_field {
    const char *title; /* lower case, without blanks, unit and the word ratio; NULL: the name of the file says it */
    const char *name;  /* of the record's column; of one that is in no record: NULL */
    enum printed_role role;
    uint8_t digits;  /* numbers are kept in 10^-digits of what is printed */
    uint8_t slack;   /* so many of these a printed number may be wrong by, besides its rounding */
    bool needed;     /* a table without it is none of this form */
    bool kept;       /* PRINTED_IDENTITY: looked for although it is the same in every row */
    bool from_first; /* printed as what comes after the first column, and records may have it so */
};

#define PRINTED_MOST 16 /* columns that are numbers */

/* Columns of op_summary, and what its name says: the fields of printed_pmu. */
enum printed_pmu_column {
    PRINTED_TIME,     /* us */
    PRINTED_MAC_BUSY, /* eight ratios in per cent, in the order of the columns of svp_pmu */
    PRINTED_MAC_PPEN,
    PRINTED_VEC_BUSY,
    PRINTED_VEC_PPEN,
    PRINTED_DSTR,
    PRINTED_DTRANS,
    PRINTED_DLD,
    PRINTED_WLD,
    PRINTED_DDR_READ, /* bytes */
    PRINTED_DDR_WRITE,
    PRINTED_TASK_ID,
    PRINTED_MODEL_ID,          /* of the file's name */
    PRINTED_CURRENT_PIC_COUNT, /* of the file's name */
    PRINTED_STORED,
    PRINTED_MEMORY_BOUND = PRINTED_STORED,
    PRINTED_DDR_TOTAL,
};

#define PRINTED_NONE INT64_MIN
#define PRINTED_WORD_SIZE 64

/* One row: numbers in 10^-digits of what is printed, PRINTED_NONE where there is none. decimals: digits printed after
 * the point. */
struct printed_row {
    int64_t values[PRINTED_MOST];
    uint8_t decimals[PRINTED_MOST];
    int64_t most;                 /* of a first column that is a range: its end, values[0] is its begin; PRINTED_NONE */
    int64_t count, total;         /* of a row that sums up calls: how many, and their first columns; PRINTED_NONE */
    int64_t unit;                 /* of PRINTED_AMOUNT: 1000 is for KB of bytes, us of ns */
    int64_t model_id;             /* -1: not said */
    int64_t layer_id;             /* the first of its layers; -1 */
    char word[PRINTED_WORD_SIZE]; /* PRINTED_WORD, or the name of the first of its layers; cut; "" */
};

struct printed_form;

/* One table. */
struct printed_file {
    char *path;
    int64_t device_id, model_id, batch_num, input_pic_num, current_pic_count; /* -1: its name does not say */
    int64_t core_khz;                                                         /* of its name; -1 */
    int64_t miss_ppm; /* the icache_miss_rate of its name in millionths; -1 */
    bool json;
};

/* Tables of one form. */
struct printed_files {
    const struct printed_form *form; /* NULL: none was found */
    struct printed_file *items;      /* by device, batch, input, then picture count, model: the order of records */
    size_t count, capacity;
    size_t duplicates; /* tables that say the same as another, as CSV beside JSON */
};

/* Finds the tables of a record kind in a directory and in its summary/ or timeline/: of the first form that there are
 * any of. None is no error. */
int printed_find(struct printed_files *files, const char *kind, const char *directory, struct err *err);
void printed_release(struct printed_files *files);

/* Whether tables of some form print records of the kind. */
bool printed_knows(const char *kind);

/* Calls row for each row but that of a whole network, for which it calls whole when there is one to call. skipped
 * counts rows that were cut short. -ERR_FORMAT names the file, row and column, what was found and expected. */
struct printed_reader {
    int (*row)(void *arg, const struct printed_row *row, struct err *err);
    int (*whole)(void *arg, const struct printed_row *row, struct err *err);
    void *arg;
    uint64_t skipped;
};

int printed_read(const struct printed_form *form, const struct printed_file *file, struct printed_reader *reader,
                 struct err *err);

/* A decimal number in 10^-digits, rounded; false when it is none, or has more than six decimals, or is too great. */
bool printed_number(const char *text, unsigned digits, int64_t *ret, uint8_t *ret_decimals);

/* 10^n, n up to 6. */
static inline int64_t printed_power(unsigned n)
{
    int64_t power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

/* The tables that tools print, as data: the names of their files, and which of their columns is which of a record's. */
struct printed_form {
    const char *title;                  /* "op_summary", for messages */
    const char *kind;                   /* of record_kinds */
    const struct printed_field *fields; /* the first is what records are found by */
    size_t field_count;
    size_t stored;               /* so many of them stand in records; those behind do not */
    const char *start;           /* the record's column for what the first is counted from; NULL: it has none */
    bool start_is_kept;          /* the first is printed as a span, and is the span's end in records */
    const char *directory;       /* below the capture: "summary" */
    const char *const *patterns; /* of file names: the first match gives the identity; NULL ends the list */
    const char *prefix;          /* of names that say no more; NULL: only names of a pattern are taken */
    bool events;                 /* a trace of events, not a table of rows */
    bool sums;                   /* rows sum up many records */
    bool by_layers;              /* rows sum up the tasks of layers of a type: the word */
    bool joined;                 /* a table's rows are the records of all files that it belongs to */
    int64_t unit;                /* of PRINTED_AMOUNT where the titles do not say it */
    const char *filter;          /* see PRINTED_FILTER */
};

extern const struct printed_form *const printed_forms[]; /* those preferred first; ended by NULL */
extern const struct printed_form printed_pmu;            /* op_summary */

/* The field of a column of the record, "task_id"; -1: none. */
int printed_column(const struct printed_form *form, const char *name);
/* The field with the begin of the row's task or call; -1: none. */
int printed_began(const struct printed_form *form);

#endif
