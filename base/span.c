/* SPDX-License-Identifier: Apache-2.0 */
#include "base/span.h"

bool span_check(struct diagnostics *diag, const struct place *place, const char *what, int64_t start_ns, int64_t end_ns)
{
    const int64_t last_start = INT64_MAX - DURATION_LIMIT_NS;
    struct place at = *place;
    if (span_is_sound(start_ns, end_ns))
        return true;
    at.field = "end_ns";
    if (start_ns < 0 || start_ns > last_start) {
        at.field = "start_ns";
        diag_report(diag, DIAG_RECORD_VALUE, &at, "%s starts at %lld ns; expected 0 to %lld", what, (long long)start_ns,
                    (long long)last_start);
    } else if (end_ns < start_ns) {
        diag_report(diag, DIAG_RECORD_VALUE, &at, "%s ends (%lld ns) before it starts (%lld ns); expected end >= start",
                    what, (long long)end_ns, (long long)start_ns);
    } else {
        diag_report(diag, DIAG_RECORD_VALUE, &at, "%s lasts %lld ns; expected at most %lld", what,
                    (long long)(end_ns - start_ns), (long long)DURATION_LIMIT_NS);
    }
    return false;
}
