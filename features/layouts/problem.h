/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the inference: rows of tables beside the records that they may be of. */
#ifndef MSPROF_FEATURES_LAYOUTS_PROBLEM_H
#define MSPROF_FEATURES_LAYOUTS_PROBLEM_H

#include "base/array.h"
#include "features/layouts/infer.h"
#include "features/layouts/printed.h"
#include "features/layouts/structure.h"
#include "parsers/capture/capture.h"

/* Which task runs a layer, of the tables of a capture's models: what tables name by layers and their types. */

struct layer_task {
    int64_t model_id, layer_id, task_id;
    char name[PRINTED_WORD_SIZE], type[PRINTED_WORD_SIZE]; /* the name is that of the user's network; both cut */
    bool ai_cpu;
};

struct layers ARRAY_OF(struct layer_task); /* by model and layer */

/* Fills in the task of a row that has only its layers. */
void layers_add_task(const struct layers *layers, const struct printed_form *form, struct printed_row *row);

#define SAMPLE_MAX 8192 /* rows that the search looks at; all are verified */
#define HEADER_MAX 4096
#define SIZE_MIN 8
#define SIZE_MAX_TRIED 4096

struct sample_row {
    uint32_t stream; /* of the source */
    uint64_t index;  /* of the record, when rows are in the order of records */
    uint64_t number; /* of the row, over all tables */
    struct printed_row printed;
};

struct problem {
    const struct capture *capture;
    const struct printed_files *tables;
    const struct infer_options *options;
    struct source source;
    uint32_t *stream_of_table; /* of the source; UINT32_MAX: none */
    uint64_t *rows_of_stream;  /* by the tables */
    struct ARRAY_OF(struct source_stream) streams;
    struct ARRAY_OF(struct sample_row) sample; /* one of stride rows */
    struct {
        struct sample_row row;
        double value;        /* how large the column's number is, as far as the table shows; 0: none yet */
    } largest[PRINTED_MOST]; /* of each column: fields must be wide enough for it */
    uint64_t stride, rows, skipped, repeated; /* repeated: rows that say what the row before says */
    struct printed_row last;
    uint8_t decimals[PRINTED_MOST]; /* the most of any row */
    bool shown[PRINTED_MOST];       /* some row has it */
    struct layers layers;
    int64_t core_khz;
    bool cut;
    enum infer_order order;
    struct search_clock *clock;
};

/* Opens the record files and reads the tables. */
int problem_open(struct problem *problem, struct infer_result *result, struct err *err);
void problem_release(struct problem *problem);
/* Reads the tables again, row by row, each with its stream and the index of its record. */
int problem_each_row(const struct problem *problem,
                     int (*row)(void *arg, uint32_t stream, uint64_t index, const struct printed_row *row,
                                struct err *err),
                     void *arg, struct err *err);
/* Sets core_khz by what says how many MHz the core has; notes what contradicts it. */
void problem_settle_frequency(struct problem *problem, struct infer_result *result);
/* A row whose first column is the range of a printed sum that was made from so many rounded numbers. */
struct printed_row problem_sum_row(const struct problem *problem, const struct printed_row *row, int64_t printed,
                                   int64_t rounded);
/* Whether a row's computed columns (memory bound, total of DDR) follow from the others, as far as they show. */
bool problem_row_agrees(const struct problem *problem, const struct printed_row *row);

/* Gives the range that a printed value leaves for the column's value in a record. first: that of the first column, for
 * shares of it. */
struct interval problem_interval(const struct problem *problem, size_t column, const struct printed_row *row,
                                 int64_t first);
/* Gives the range of a ratio's part of divide: raw / divide is the ratio. */
struct interval problem_share(const struct problem *problem, size_t column, const struct printed_row *row,
                              int64_t divide);

static inline bool has_role(const struct printed_form *form, size_t column, enum printed_role role)
{
    return form->fields[column].role == role;
}

static inline const struct printed_form *printed_form_of(const struct problem *problem)
{
    return problem->tables->form;
}

/* Records of one size and byte order beside the sample's rows. */
struct frame {
    size_t size;
    uint64_t header;
    bool big_endian;
    double order_bits;    /* of the orders of rows that were tried: they may fit by chance */
    struct matrix matrix; /* a row for each of the sample */
};

/* The value of a place in a row of the matrix; first is the first column's, for PLACE_SHARE and PLACE_PLUS. */
int64_t place_value(const struct matrix *matrix, size_t row, const struct place_found *place, int64_t first);

/* ---- texts (choose.c) ---- */

/* Whether the row has the word at the offset, and its end behind it. */
bool frame_has_word(const struct frame *frame, size_t row, size_t offset, const char *word);
/* Adds every place where all rows of the sample have their word. */
int infer_search_word(const struct problem *problem, const struct frame *frame, struct place_list *list,
                      struct err *err);

/* ---- choosing (choose.c) ---- */

/* Sets the columns of the result to the places that fit best; lists has one for every column, that of the first with
 * its place in front. */
void choose_places(const struct frame *frame, struct place_list lists[PRINTED_MOST],
                   const struct search_column columns[PRINTED_MOST], struct infer_result *result);
/* Leaves of places that are alike, the same bits but for the lowest few, the likeliest. */
void choose_likeliest(const struct frame *frame, struct place_list *list, int64_t usual_scale);
/* How unlikely a layout has its column there: less is better. */
int infer_place_cost(const struct frame *frame, const struct place_found *place, int64_t usual_scale);

/* ---- finishing (finish.c) ---- */

/* Widths over bits that are always zero, magics, the header, and the comparison of all rows. */
int finish_layout(const struct problem *problem, struct infer_result *result, struct err *err);

#endif
