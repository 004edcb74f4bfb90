/* SPDX-License-Identifier: Apache-2.0 */
/* Which task runs a layer, of the tables of a capture's models: what tables name by layers and their types. */
#ifndef MSPROF_PARSERS_LAYOUTS_LAYERS_H
#define MSPROF_PARSERS_LAYOUTS_LAYERS_H

#include "parsers/capture/capture.h"
#include "parsers/layouts/printed_form.h"

struct layer_task {
    int64_t model_id, layer_id, task_id;
    char name[PRINTED_WORD_SIZE], type[PRINTED_WORD_SIZE]; /* the name is that of the user's network; both cut */
    bool ai_cpu;
};

struct layers {
    struct layer_task *items; /* by model and layer */
    size_t count, capacity;
};

/* Adds the layers of every model; a layer table that cannot be read is left to import. */
int layers_read(const struct capture *capture, struct layers *layers, struct err *err);
void layers_release(struct layers *layers);

/* Fills in the task of a row that has only its layers. */
void layers_add_task(const struct layers *layers, const struct printed_kind *kind, struct printed_row *row);

/* Rows of a table that sums up tasks by the types of their layers. */
struct layer_sums {
    struct printed_row *items;
    size_t count, capacity;
};

/* For printed_reader: arg is a struct layer_sums. */
int layers_collect(void *arg, const struct printed_row *row, struct err *err);

/* Calls the reader's row for each task of the model that the sums are of, in the order of task ids: a task lasts as
 * long as the types of all its layers allow. */
int layers_each_task(const struct layers *layers, const struct printed_form *form, const struct layer_sums *sums,
                     struct printed_reader *reader, struct err *err);

#endif
