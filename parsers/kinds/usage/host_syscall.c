/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of the profiled process: host_syscall.data. */
#include "parsers/kinds/common/text/usage_series.h"

const struct column os_call_columns[] = {
    FILE_COLUMN,
    NUMBER_COLUMN("thread_id", "Thread ID", "Who called."),
    TEXT_COLUMN_OF("name", "Name", "Name of the call."),
    NUMBER_COLUMN("start_us", "Start",
                  "Microseconds, by a clock of its own: the first call began with the collection."),
    NUMBER_COLUMN("duration_us", "Duration", "Microseconds."),
};

/* Calls of both kinds; the first of each kind began with the collection. */
#define CALLS                                                                                                          \
    "c AS (SELECT thread_id, name, duration_us, start_us - (SELECT min(start_us) FROM host_syscall) AS since_us, id"   \
    " FROM host_syscall UNION ALL SELECT thread_id, name, duration_us, start_us - (SELECT start_us FROM"               \
    " host_pthreadcall ORDER BY id LIMIT 1), id FROM host_pthreadcall WHERE name <> 'pthread_once')"

static const struct report_column nothing[] = {{.title = NULL}};

const struct record_kind kind_host_syscall = {
    OWN_TABLE("host_syscall"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "System call",
    .doc = "A system call of the profiled process. Text lines of perf trace.",
    .patterns = (const char *const[]){"host_syscall.data.slice_{slice}", NULL},
    COLUMNS_OF(os_call_columns),
    /* perf trace */
    LINES({" {start_us:3} ( {duration_us:3} ms): {*}/{thread_id} {name}({*}", LINE_ROW}),
    ONE_SERIES(
            .name = "os_runtime_statistic", .also = "host_pthreadcall", .title = "Calls to the operating system",
            .doc = "System calls of the profiled process and its calls to the library of threads, by name and thread.",
            .query = {.with = CALLS, .from = "c", .group_by = "name, thread_id", .order_by = "sum(duration_us) DESC"},
            .columns = VALUE_LIST(
                {"Device_id", "'host'", .doc = "It is the host's."},
                {"Process ID", "setting('pid', NULL)", .doc = "The profiled process."},
                {"Thread ID", "thread_id", .doc = "Who called."}, {"Name", "name", .doc = "Name of the call."},
                {"Time(%)", "ratio(sum(duration_us), (SELECT sum(duration_us) FROM c))", .form = FORM_FLOAT,
                 .doc = "Its share in all calls, of 1."},
                {"Time(us)", "sum(duration_us) * 1.0", .form = FORM_FLOAT, .doc = "How long the calls took together."},
                {"Count", "count(*)", .doc = "How many there were."},
                {"Avg(us)", "avg(duration_us)", .form = FORM_FLOAT, .doc = "The mean."},
                {"Max(us)", "max(duration_us) * 1.0", .form = FORM_FLOAT, .doc = "The longest."},
                {"Min(us)", "min(duration_us) * 1.0", .form = FORM_FLOAT, .doc = "The shortest."}),
            .layer = "os_runtime_api", .process = "OS Runtime API", .number = LAYER_OS_RUNTIME,
            .counters =
                ONE_COUNTER(.name = "name", .values = nothing,
                            .query = {.with = CALLS,
                                      .from = "c, (SELECT start_ns AS origin_ns FROM capture_part WHERE is_host)",
                                      .order_by = "since_us"},
                            .time = "origin_ns + since_us * 1000", .duration = "duration_us * 1000", .device = "NULL",
                            .thread = "thread_id", .thread_name = "'Thread ' || thread_id")),
    EXPORTED_TABLE(.name = "OSRT_API",
                   .columns = EXPORTED_COLUMNS(
                       {"name", "name", EXPORTED_NUMERIC_WORD},
                       {"globalTid", "CAST(setting('pid', NULL) AS INTEGER) << 32 | thread_id", EXPORTED_NUMERIC},
                       {"startNs", "origin_ns + since_us * 1000", EXPORTED_NUMERIC},
                       {"endNs", "origin_ns + since_us * 1000 + duration_us * 1000", EXPORTED_NUMERIC}),
                   .query = {.with = CALLS,
                             .from = "c, (SELECT start_ns AS origin_ns FROM capture_part WHERE is_host)",
                             .order_by = "since_us"}),
};
