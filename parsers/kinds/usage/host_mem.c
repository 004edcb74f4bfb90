/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the profiled process on the host: host_mem.data. */
#include "parsers/kinds/common/text/usage_series.h"

static const struct column columns[] = {
    FILE_COLUMN,
    STAMP_COLUMN("host_ns", "The monotonic clock of the host."),
    TIME_COLUMN,
    NUMBER_COLUMN("size_pages", "Size", "Pages of the address space."),
    NUMBER_COLUMN("resident_pages", "Resident", "Pages in memory, of 4 KiB."),
};

/* The usage in a sample covers the time since the previous one. */
#define USAGE                                                                                                          \
    "u AS (SELECT * FROM (SELECT lag(time_ns) OVER (ORDER BY id) AS before_ns, round(resident_pages * 4.0 /"           \
    " setting('memoryTotal', NULL) * 100, 6) AS usage FROM host_mem) WHERE before_ns IS NOT NULL)"
#define KILOBYTES(usage) "(" usage ") * setting('memoryTotal', NULL) / 100"

const struct record_kind kind_host_mem = {
    OWN_TABLE("host_mem"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Memory of the process",
    .doc = "Memory of the profiled process on the host. Text lines of a time and what /proc/<pid>/statm says.",
    .patterns = (const char *const[]){"host_mem.data.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LINES({"{host_ns} {size_pages} {resident_pages} {#5}", LINE_ROW}),
    SAMPLED_BY(.stamps = {{"host_ns", CLOCK_HOST_NS}}),
    ONE_SERIES(.name = "host_mem_usage", .title = "Memory that the process used",
               .doc = "How much of the host's memory the profiled process used.",
               .query = {.with = USAGE, .from = "u", .group_by = "'host'"},
               .columns = VALUE_LIST({"Device_id", "'host'", .doc = "It is the host's."},
                                     {"Total Memory(KB)", "setting('memoryTotal', NULL)", .doc = "Memory of the host."},
                                     {"Peak Used Memory(KB)", KILOBYTES("SELECT max(usage) FROM u"), FORM_SHORTEST, 3,
                                      .doc = "The most that was used."},
                                     {"Recommend Memory(KB)", KILOBYTES(USAGE_RECOMMENDED("usage", "u")), FORM_SHORTEST,
                                      3, .doc = "Recommended amount."}),
               .layer = "memory_usage", .process = "Memory Usage", .number = LAYER_MEMORY_USAGE,
               .counters =
                   ONE_COUNTER(.name = "'Memory Usage'", .values = ONE_VALUE("Usage(%)", "usage", .form = FORM_FLOAT),
                               .query = {.with = USAGE, .from = "u"}, .time = "before_ns", .device = "NULL")),
    EXPORTED_TABLE(.name = "HOST_MEM_USAGE",
                   .columns = EXPORTED_COLUMNS({"timestampNs", "before_ns", EXPORTED_NUMERIC},
                                               {"usage", "usage", EXPORTED_NUMERIC}),
                   .query = {.with = USAGE, .from = "u"}),
};
