/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that slices tell of an operator beside its name: the short name, what limits it, its tensors. */
#ifndef MSPROF_EXPORTERS_TIMELINE_SLICE_OPERATORS_H
#define MSPROF_EXPORTERS_TIMELINE_SLICE_OPERATORS_H

#include "base/err.h"
#include "db/query/query_cann.h"
#include "exporters/load/load.h"
#include "exporters/timeline/event.h"

#include <stddef.h>

/* All zero: slices say nothing of operators but their whole names. */
struct slice_operators {
    size_t *begins;            /* of the short one in each name; 0: it is the whole */
    const char **bounds;       /* word of each name; NULL: not known */
    struct cann_texts tensors; /* as JSON strings, with their quotes */
};

/* names: as they stand in the database; workload: of it, with counters, or NULL. Release it also after a failure. */
int slice_operators_load(struct slice_operators *ret, sqlite3 *db, const struct cann_texts *names,
                         const struct workload *workload, struct err *err);
/* names: the same as JSON strings. */
int slice_operators_shorten(struct slice_operators *operators, const struct cann_texts *names, struct err *err);
void slice_operators_release(struct slice_operators *operators);

/* Texts into JSON strings, with their quotes. */
int slice_encode_texts(struct cann_texts *texts, struct err *err);

/* The short name of an operator; another byte may stand in the place of its first quote. */
struct cann_text slice_name(const struct slice_operators *operators, const struct cann_texts *names, int64_t name_id);
/* Bytes that slice_put_operator writes at most. */
size_t slice_operator_room(const struct slice_operators *operators, const struct cann_texts *names,
                           const struct cann_task *task);
/* Behind other arguments: the whole name where it was shortened, type, bound, blocks, shapes, as far as they are known.
 */
char *slice_put_operator(char *p, const struct trace_style *style, const struct slice_operators *operators,
                         const struct cann_texts *names, const struct cann_task *task);
/* Only the whole name. */
char *slice_put_whole_name(char *p, const struct trace_style *style, const struct slice_operators *operators,
                           const struct cann_texts *names, int64_t name_id);

/* ---- short names ---- */

/* Frameworks call them by their path in the graph,
 * "Default/network-TrainOneStep/MatMul-op12": a slice has room for the last part. Where the last parts of two names are
 * equal, parts before it are added until they differ, up to eight; then it is the whole. A name that is no path stays
 * as it is, and so does what --trace-compat writes. */
struct short_name {
    const char *text; /* the whole name, which need not end with a NUL; NULL: none */
    size_t length;
    size_t begin; /* of the short one, set by short_names_find; 0: it is the whole */
};

/* Shortens the names of a capture, which may be there several times. The texts stay the caller's. */
int short_names_find(struct short_name *names, size_t count, struct err *err);

/* Finds where the short names begin in a table of texts in JSON, with their quotes: as many numbers as there are texts
 * (free() them), 0 where the short name is the whole. NULL with err set. */
size_t *short_names_of_texts(const struct cann_texts *texts, struct err *err);

#endif
