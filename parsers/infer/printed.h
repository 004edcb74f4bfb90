/* Tables that a tool printed of an SVP capture: which files there are, and their numbers, row by row. */
#ifndef MSPROF_PARSERS_INFER_PRINTED_H
#define MSPROF_PARSERS_INFER_PRINTED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a table prints of a layer group: columns of op_summary, and what the file's name says. */
enum printed_column {
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
    PRINTED_STREAM_ID,         /* of a timeline */
    PRINTED_MODEL_ID,          /* of the file's name */
    PRINTED_CURRENT_PIC_COUNT, /* of the file's name */
    PRINTED_STORED,            /* those before stand in records; those behind are computed from them */
    PRINTED_TIME_RATIO = PRINTED_STORED,
    PRINTED_MEMORY_BOUND,
    PRINTED_DDR_TOTAL,
    PRINTED_LAYER_ID, /* the first of its layers */
    PRINTED_COUNT,
};

#define PRINTED_NONE INT64_MIN
#define PRINTED_UNIT 1000000 /* numbers are kept in millionths */

/* One row: numbers in millionths of their unit (bytes, us, per cent), PRINTED_NONE where there is none. decimals tells
 * how far a number is printed: its last digit is worth 10^(6 - decimals) millionths. */
struct printed_row {
    int64_t values[PRINTED_COUNT];
    uint8_t decimals[PRINTED_COUNT];
    int64_t ddr_unit; /* bytes: 1, 1000 or 1000000 */
};

/* One op_summary file. */
struct printed_file {
    char *path;
    int64_t device_id, model_id, batch_num, input_pic_num, current_pic_count; /* -1: its name does not say */
    int64_t core_khz;                                                         /* of its name; -1 */
    bool json;
};

struct printed_files {
    struct printed_file *items; /* by device, batch, input, then picture count, model: the order of records */
    size_t count, capacity;
    size_t duplicates; /* tables that say the same as another, as CSV beside JSON */
};

/* Finds the op_summary files of a directory and of its summary/. None is no error. */
int printed_find(struct printed_files *files, const char *directory, struct err *err);
void printed_release(struct printed_files *files);

/* Calls row for each row but that of the whole network. skipped counts rows that were cut short. -ERR_FORMAT names the
 * file, row and column, what was found and expected. */
struct printed_reader {
    int (*row)(void *arg, const struct printed_row *row, struct err *err);
    void *arg;
    uint64_t skipped;
};
int printed_read(const struct printed_file *file, struct printed_reader *reader, struct err *err);

/* A decimal number as millionths; false when it is none, or has more than six decimals, or is too great. */
bool printed_number(const char *text, int64_t *ret, uint8_t *ret_decimals);

#endif
