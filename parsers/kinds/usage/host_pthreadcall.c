/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the profiled process to the library of threads: host_pthreadcall.data. Shown with the system calls. */
#include "parsers/kinds/common/text/usage_series.h"

const struct record_kind kind_host_pthreadcall = {
    OWN_TABLE("host_pthreadcall"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Call to the library of threads",
    .doc = "A call of the profiled process to the library of threads. Text lines of ltrace.",
    .patterns = (const char *const[]){"host_pthreadcall.data.slice_{slice}", NULL},
    COLUMNS_OF(os_call_columns),
    /* ltrace */
    LINES({"[pid {thread_id}] {start_us:6} {*}->{name}({*}<{duration_us:6}>", LINE_ROW}),
};
