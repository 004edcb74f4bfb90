/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of the reports of msproftx. As in query.h: no SQL above, no formatting below; integers that are NULL are
 * DB_NULL. */
#ifndef MSPROF_DB_QUERY_QUERY_TX_H
#define MSPROF_DB_QUERY_QUERY_TX_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mark or range of the program; times as table msproftx has them. Stamps, which alone have a category, have a payload
 * too, of any 64 bits. */
struct tx_event {
    int64_t process_id, thread_id, category, event_type, payload_type, payload_value, start_ns, end_ns, message_type,
        mark_id;
    const char *message, *domain; /* domain NULL: none */
    size_t message_length, domain_length;
    int64_t device_id, device_start_ns, device_end_ns; /* of the same mark on a device; DB_NULL: none saw it */
};

enum tx_order {
    TX_BY_START, /* then by process, thread, longest first */
    TX_BY_THREAD /* process and thread, then start, longest first: a range comes before what it contains */
};

/* All of them. with_devices: false for captures whose devices' marks are not known; domain and device_* are missing. */
int tx_each_event(sqlite3 *db, enum tx_order order, bool with_devices,
                  int (*each)(void *arg, const struct tx_event *event, struct err *err), void *arg, struct err *err);
/* Their largest thread id; -1 without any. */
int tx_largest_thread(sqlite3 *db, int64_t *ret, struct err *err);

/* A mark or range as a device saw it. */
struct tx_device_mark {
    int64_t device_id, mark_id, stream_id, task_id, start_ns, end_ns; /* end_ns DB_NULL: its end was not recorded */
    const char *message;                                              /* of the program's mark; NULL: there is none */
    size_t message_length;
};
/* In order of device, stream and start, longest first. */
int tx_each_device_mark(sqlite3 *db, int (*each)(void *arg, const struct tx_device_mark *mark, struct err *err),
                        void *arg, struct err *err);

/* The part of the capture that the events were recorded in: its device; DB_NULL: the host. */
int tx_recording_device(sqlite3 *db, int64_t *ret_device_id, struct err *err);

#endif
