/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two times can be the start and the end of something: the one answer for all records, joins and files. */
#ifndef MSPROF_BASE_SPAN_H
#define MSPROF_BASE_SPAN_H

#include "base/diag.h"

#include <stdbool.h>
#include <stdint.h>

/* No sound duration gets here (104 days), and a thousand of the longest can still be added up. */
#define DURATION_LIMIT_NS (INT64_C(1) << 53)

/* Whether span_check accepts the span. */
static inline bool span_is_sound(int64_t start_ns, int64_t end_ns)
{
    return start_ns >= 0 && start_ns <= INT64_MAX - DURATION_LIMIT_NS && end_ns >= start_ns &&
           end_ns - start_ns <= DURATION_LIMIT_NS;
}

/* False: it ends before it starts, lasts longer than DURATION_LIMIT_NS or starts outside of time, which is reported as
 * DIAG_RECORD_VALUE at the place, whose field is replaced. what: "the call". */
bool span_check(struct diagnostics *diag, const struct place *place, const char *what, int64_t start_ns,
                int64_t end_ns);

#endif
