/* SPDX-License-Identifier: Apache-2.0 */
/* What slices say of an operator beside its name: the short name, what limits it, its tensors. */
#ifndef MSPROF_EXPORTERS_TIMELINE_SLICE_OPERATORS_H
#define MSPROF_EXPORTERS_TIMELINE_SLICE_OPERATORS_H

#include "db/query/query_cann.h"
#include "exporters/load/bounds.h"

/* All zero: slices say nothing of operators but their whole names. */
struct slice_operators {
    size_t *begins;            /* of the short one in each name; 0: it is the whole */
    const char **bounds;       /* word of each name; NULL: not known */
    struct cann_texts tensors; /* as JSON strings, with their quotes */
};

/* names: as they stand in the database. Release it also after a failure. */
int slice_operators_load(struct slice_operators *ret, sqlite3 *db, const struct cann_texts *names, struct err *err);
/* names: the same as JSON strings. */
int slice_operators_shorten(struct slice_operators *operators, const struct cann_texts *names, struct err *err);
void slice_operators_release(struct slice_operators *operators);

/* Texts into JSON strings, with their quotes. */
int encode_texts(struct cann_texts *texts, struct err *err);

/* The short name of an operator as a JSON string. */
char *slice_put_name(char *p, const struct slice_operators *operators, const struct cann_texts *names, int64_t name_id);
/* Bytes that slice_put_operator writes at most. */
size_t slice_operator_room(const struct slice_operators *operators, const struct cann_texts *names,
                           const struct cann_task *task);
/* Behind other arguments: the whole name where it was shortened, type, bound, blocks, shapes, as far as they are known.
 */
char *slice_put_operator(char *p, const struct slice_operators *operators, const struct cann_texts *names,
                         const struct cann_task *task);

#endif
