/* SPDX-License-Identifier: Apache-2.0 */
/* The board's buffer of ACL API calls: the newest ones of one model. */
#ifndef MSPROF_GENERATE_API_LOG_H
#define MSPROF_GENERATE_API_LOG_H

#include "testdata/generate/job.h"

enum api_type { API_OP = 1, API_MODEL, API_RUNTIME, API_OTHERS };

struct api_call {
    const char *name; /* a constant */
    enum api_type type;
    unsigned process_id, thread_id;
    int64_t start_ns, end_ns;
};

struct api_log {
    struct api_call *calls; /* a ring of capacity entries */
    size_t capacity;
    uint64_t count; /* of all calls, also of those that were overwritten */
};

#define BOARD_API_CALLS 512 /* what a board keeps */

int api_log_init(struct api_log *log, size_t capacity, struct err *err);
void api_log_release(struct api_log *log);
/* Takes the place of the oldest call when the ring is full. */
void api_log_add(struct api_log *log, const struct api_call *call);
/* Writes "acl_api.<device>.<model>.<model_id>" and its .done file; nothing when there was no call. */
int api_log_write(const struct api_log *log, const struct job *job, unsigned device, const char *model,
                  unsigned model_id, struct err *err);

#endif
