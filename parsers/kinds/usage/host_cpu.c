/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time of the threads of the profiled process: host_cpu.data. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    FILE_COLUMN,
    STAMP_COLUMN("host_ns", "The monotonic clock of the host."),
    TIME_COLUMN,
    NUMBER_COLUMN("uptime", "Uptime", "Hundredths of seconds since the host was started."),
    NUMBER_COLUMN("thread_id", "Thread ID", "The thread."),
    NUMBER_COLUMN("user_ticks", "User time", "Clock ticks of the system in user mode so far."),
    NUMBER_COLUMN("system_ticks", "System time", "Clock ticks of the system in kernel mode so far."),
    NUMBER_COLUMN("cpu_id", "CPU", "The CPU that it ran on last."),
};

/* Between two blocks: what each thread used, at most the whole time, counts for the CPU where it was seen last. */
#define USAGE                                                                                                          \
    "b AS (SELECT DISTINCT time_ns, uptime * setting('sysClockFreq', NULL) / 100.0 AS ticks FROM host_cpu),"           \
    " s AS (SELECT time_ns, lag(time_ns) OVER w AS before_ns, ticks - lag(ticks) OVER w AS ticks FROM b WINDOW w AS"   \
    " (ORDER BY time_ns)), t AS (SELECT time_ns, cpu_id, user_ticks + system_ticks - lag(user_ticks + system_ticks)"   \
    " OVER (PARTITION BY thread_id ORDER BY id) AS used FROM host_cpu), u AS (SELECT s.before_ns, cpu_id, sum(min("    \
    "used, ticks)) AS used, ticks FROM t JOIN s ON s.time_ns = t.time_ns WHERE used >= 0 AND ticks > 0 GROUP BY"       \
    " s.time_ns, cpu_id), c AS (SELECT before_ns, cpu_id, round(used * 100.0 / ticks, 6) AS usage FROM u WHERE"        \
    " used <= ticks)"
#define MEAN                                                                                                           \
    USAGE ", m AS (SELECT before_ns, round(sum(used) * 100.0 / (max(ticks) * setting('cpuNums', NULL)), 6)"            \
          " AS usage FROM u GROUP BY before_ns)"

/* Ascend's code in Python, which writes the timelines of all chips but these, has a thread for each CPU. */
#define THREADS                                                                                                        \
    "WITH " USAGE " SELECT 0, 'CPU Avg' WHERE " WITH_THREADS                                                           \
    " UNION ALL SELECT row_number() OVER (ORDER BY cpu_id), 'CPU ' || cpu_id FROM (SELECT DISTINCT cpu_id FROM c)"     \
    " WHERE " WITH_THREADS
#define WITH_THREADS "NOT EXISTS(SELECT 1 FROM capture_part WHERE chip IN " CHIPS_OF_CPP ")"

static const struct report_column value[] = {{"Usage(%)", "usage", .form = FORM_FLOAT}, {.title = NULL}};

const struct record_kind kind_host_cpu = {
    OWN_TABLE("host_cpu"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Processor time of threads",
    .doc = "How long a thread of the profiled process has run so far, and on which CPU it was. Text: blocks of a time, "
           "the uptime and a line of stat for each thread.",
    .patterns = (const char *const[]){"host_cpu.data.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    /* Blocks of a time, a line of /proc/uptime, and a line of /proc/<pid>/task/<tid>/stat for each thread. */
    LINES({"time {host_ns}", LINE_BLOCK}, {"{uptime:2} {#1}", 0},
          {"{thread_id} ({*}) {*1} {#10} {user_ticks} {system_ticks} {#23} {cpu_id} {#}", LINE_ROW}),
    SAMPLED_BY(.stamps = {{"host_ns", CLOCK_HOST_NS}}, .keys = {"thread_id"},
               .counters = {"user_ticks", "system_ticks"}),
    ONE_SERIES(.name = "host_cpu_usage", .title = "CPUs that the process used",
               .doc = "How many CPUs of the host the profiled process ran on.",
               .query = {.with = USAGE ", n AS (SELECT cpu_id, max(usage) AS most FROM c GROUP BY cpu_id)",
                         .from = "(SELECT * FROM n)",
                         .group_by = "'host'"},
               .columns =
                   VALUE_LIST({"Device_id", "'host'", .doc = "It is the host's."},
                              {"Total Cpu Numbers", "setting('cpuNums', NULL)", .doc = "How many CPUs there are."},
                              {"Occupied Cpu Numbers", "count(*)", .doc = "How many the process was seen on."},
                              {"Recommend Cpu Numbers", "sum(most > 0)", .doc = "How many it used."}),
               .layer = "cpu_usage", .process = "CPU Usage", .number = LAYER_CPU_USAGE,
               .counters = COUNTER_LIST(
                   {
                       .name = "'CPU ' || cpu_id",
                       .values = value,
                       .query = {.with = USAGE, .from = "c", .order_by = "cpu_id, before_ns"},
                       .time = "before_ns",
                       .device = "NULL",
                   },
                   {
                       .name = "'CPU Avg'",
                       .values = value,
                       .query = {.with = MEAN, .from = "m", .order_by = "before_ns"},
                       .time = "before_ns",
                       .device = "NULL",
                       .threads = THREADS,
                   })),
    EXPORTED_TABLE(.name = "CPU_USAGE",
                   .columns =
                       EXPORTED_COLUMNS({"timestampNs", "before_ns", EXPORTED_NUMERIC},
                                        {"cpuId", "cpu_id", EXPORTED_NUMERIC}, {"usage", "usage", EXPORTED_NUMERIC}),
                   .query = {.with = USAGE, .from = "c", .order_by = "cpu_id, before_ns"}),
};
