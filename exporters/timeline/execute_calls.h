/* SPDX-License-Identifier: Apache-2.0 */
/* Which call of svp_acl_mdl_execute* started which inference, as far as times decide it. */
#ifndef MSPROF_EXPORTERS_TIMELINE_EXECUTE_CALLS_H
#define MSPROF_EXPORTERS_TIMELINE_EXECUTE_CALLS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct execute_call {
    int64_t start_ns, end_ns;
    int64_t pid, tid;      /* where it is drawn */
    int64_t latest_end_ns; /* of it and those before it, once they are sorted */
    size_t started;        /* inferences that only it can have started */
};

/* All zero: empty. free(items). */
struct execute_calls {
    struct execute_call *items;
    size_t count, capacity;
};

bool is_execute_call(const char *name);
int execute_calls_add(struct execute_calls *calls, const struct execute_call *call, struct err *err);
/* After the last one was added: the starts of all inferences, ascending. */
void execute_calls_prepare(struct execute_calls *calls, const int64_t *starts_ns, size_t count);
/* The call that started the inference of this start; NULL: times do not decide it. A call that waits starts what begins
 * while it runs, if no other one runs then; what begins while none runs was started by the last call before, if nothing
 * else can have been. */
const struct execute_call *execute_calls_find(const struct execute_calls *calls, int64_t start_ns);

#endif
