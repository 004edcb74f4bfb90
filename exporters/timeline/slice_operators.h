/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about an operator in slices, beside its name: the short name, what limits it, its tensors. */
#ifndef MSPROF_EXPORTERS_TIMELINE_SLICE_OPERATORS_H
#define MSPROF_EXPORTERS_TIMELINE_SLICE_OPERATORS_H

#include "base/err.h"
#include "db/query/query_cann.h"
#include "exporters/timeline/event.h"
#include "features/answers/load/load.h"

#include <stddef.h>

/* All zero: slices say nothing of operators but their whole names. */
struct slice_operators {
    size_t *begins;               /* of the short one in each name; 0: it is the whole */
    const char **bounds;          /* word of each name; NULL: not known */
    struct bounds_search *search; /* of a thread of its own, for the bounds; NULL: none */
    struct cann_texts tensors;    /* as JSON strings, with their quotes */
};

/* names: as they stand in the database, which become JSON strings with their quotes; workload: of it, with counters, or
 * NULL; facts false: there are none. beside: the database's path when there is something to draw before slices say what
 * limits operators, which is found meanwhile; NULL: at once. Release it also after a failure. */
int slice_operators_load(struct slice_operators *ret, sqlite3 *db, const char *beside, struct cann_texts *names,
                         const struct workload *workload, bool facts, struct err *err);
/* Waits for what is found beside. */
int slice_operators_wait(struct slice_operators *operators, struct err *err);
void slice_operators_release(struct slice_operators *operators);

/* The short name of an operator; another byte may stand in the place of its first quote. */
struct cann_text slice_name(const struct slice_operators *operators, const struct cann_texts *names, int64_t name_id);
/* The whole name where it was shortened, type, bound, blocks, shapes, as far as they are known. */
void slice_operator(struct event *event, const struct slice_operators *operators, const struct cann_texts *names,
                    const struct cann_task *task);
/* Only the whole name. */
void slice_whole_name(struct event *event, const struct slice_operators *operators, const struct cann_texts *names,
                      int64_t name_id);

/* The name of an event, which stands behind a prefix. */
static inline void event_cann_name(struct event *event, const char *prefix, struct cann_text name)
{
    if (name.text != NULL)
        event_name(event, prefix, name.text + 1, name.length - 2);
    else
        event_name(event, prefix, "N/A", 3);
}

/* An argument of a text with its quotes that need not be there: "N/A" is its value then, or it is left out. */
#define event_cann(event, key, cann) event_cann_of((event), EVENT_KEY(key), (cann))
#define event_cann_known(event, key, cann) ((cann).text != NULL ? event_cann((event), key, (cann)) : (void)0)
static inline void event_cann_of(struct event *event, struct event_key key, struct cann_text cann)
{
    (void)(cann.text != NULL ? event_text_of(event, key, cann.text + 1, cann.length - 2)
                             : event_text_of(event, key, "N/A", 3));
}

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
