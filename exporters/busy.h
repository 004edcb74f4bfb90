/* SPDX-License-Identifier: Apache-2.0 */
/* Work of a device over time: when it computed, when it communicated, when it did that only, when it did neither. */
#ifndef MSPROF_EXPORTERS_BUSY_H
#define MSPROF_EXPORTERS_BUSY_H

#include "base/err.h"
#include "db/query/query_cann.h"
#include "db/query/query_records.h"

enum overlap_type { OVERLAP_COMPUTING, OVERLAP_COMMUNICATION, OVERLAP_COMMUNICATION_ONLY, OVERLAP_FREE };
struct overlap_span {
    enum overlap_type type;
    int64_t device_id, start_ns, end_ns;
};

/* Tasks come by device and start; communication operators are taken in between where they belong. Spans are handed to
 * each as they become complete: they are as long as they can be, and those of one type do not touch. */
struct overlap {
    sqlite3 *db;
    const struct cann_communications *communications;
    size_t next_communication;
    int (*each)(void *arg, const struct overlap_span *span, struct err *err);
    void *arg;
    bool asked, unknown; /* whether it is known which tasks of asked_id compute; unknown: no launch says it */
    int64_t asked_id;
    bool open; /* the rest is about this device */
    int64_t device_id, now_ns, last_end_ns;
    struct overlap_busy {
        bool open;
        int64_t start_ns, end_ns;
    } computing, communicating;
    struct overlap_busy rest; /* communication only, or free, up to now */
    enum overlap_type rest_type;
};

/* db: of the capture, which says when the collection started: what was free before it, no record says any more. */
void overlap_init(struct overlap *overlap, sqlite3 *db, const struct cann_communications *communications,
                  int (*each)(void *arg, const struct overlap_span *span, struct err *err), void *arg);
/* Whether it is known which of the device's tasks compute. */
int overlap_is_known(struct overlap *overlap, int64_t device_id, bool *ret, struct err *err);
/* The next task; of a device of whose tasks nobody says what they are there are no spans. */
int overlap_take(struct overlap *overlap, const struct cann_span *span, struct err *err);
/* After the last one. */
int overlap_end(struct overlap *overlap, struct err *err);

#endif
