/* SPDX-License-Identifier: Apache-2.0 */
/* Disk traffic of the profiled process: host_disk.data. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/text/usage_series.h"

static const struct column columns[] = {
    FILE_COLUMN,
    STAMP_COLUMN("start_host_ns", "The monotonic clock of the host when the first sample was taken."),
    {"time_ns", "Start", INTEGER(NS, DERIVED),
     "When the first sample was taken; the others follow host_disk_freq times a second."},
    NUMBER_COLUMN("process_id", "Process ID", "The process or thread."),
    NUMBER_COLUMN("read_rate", "Read", "Hundredths of read_unit."),
    TEXT_COLUMN_OF("read_unit", "Unit of read", "B/s, K/s, M/s or G/s."),
    NUMBER_COLUMN("write_rate", "Written", "Hundredths of write_unit."),
    TEXT_COLUMN_OF("write_unit", "Unit of written", "B/s, K/s, M/s or G/s."),
    NUMBER_COLUMN("io_share", "IO", "Hundredths of per cent of the time that it waited for the disk."),
};

#define KILOBYTES(rate, unit)                                                                                          \
    rate " / 100.0 * CASE " unit " WHEN 'B/s' THEN 1 / 1024.0 WHEN 'M/s' THEN 1024 WHEN 'G/s' THEN 1048576 ELSE 1 END"
#define USAGE                                                                                                          \
    "u AS (SELECT time_ns + CAST((row_number() OVER (ORDER BY id) - 1) * 1e9 / setting('host_disk_freq', NULL) AS"     \
    " INTEGER) AS sample_ns, " KILOBYTES("read_rate", "read_unit") " AS read, " KILOBYTES(                             \
        "write_rate", "write_unit") " AS written, io_share / 100.0 AS usage FROM host_disk)"

static const struct report_column table[] = {
    {"Device_id", "'host'", .doc = "It is the host's."},
    {"Peak Disk Read(KB/s)", "max(read)", .form = FORM_FLOAT, .doc = "The most that was read."},
    {"Recommend Disk Read(KB/s)", USAGE_RECOMMENDED("read", "u"), .form = FORM_FLOAT, .doc = "Recommended amount."},
    {"Peak Disk Write(KB/s)", "max(written)", .form = FORM_FLOAT, .doc = "The most that was written."},
    {"Recommend Disk Write(KB/s)", USAGE_RECOMMENDED("written", "u"), .form = FORM_FLOAT, .doc = "Recommended amount."},
    {.title = NULL},
};

const struct record_kind kind_host_disk = {
    OWN_TABLE("host_disk"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Disk traffic of the process",
    .doc = "Data that the profiled process read from disks and wrote to them. Text: the time of the first sample, then "
           "lines of iotop.",
    .patterns = (const char *const[]){"host_disk.data.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LINES({"start_time {start_host_ns}", LINE_BLOCK},
          {" {*1} {process_id} {*2} {read_rate:2} {read_unit} {write_rate:2} {write_unit} {*1} % {io_share:2} % {*}",
           LINE_ROW}),
    SAMPLED_BY(.stamps = {{"start_host_ns", CLOCK_HOST_NS}}),
    ONE_SERIES(.name = "host_disk_usage", .title = "Disk traffic of the process",
               .doc = "How much the profiled process read from disks and wrote to them.",
               .query = {.with = USAGE, .from = "u", .group_by = "'host'"}, .columns = table, .layer = "disk_usage",
               .process = "Disk Usage", .number = LAYER_DISK_USAGE,
               .counters =
                   ONE_COUNTER(.name = "'Disk Usage'", .values = ONE_VALUE("Usage(%)", "usage", .form = FORM_FLOAT),
                               .query = {.with = USAGE, .from = "u"}, .time = "sample_ns", .device = "NULL")),
    EXPORTED_TABLE(.name = "HOST_DISK_USAGE",
                   .columns = EXPORTED_COLUMNS(
                       {"timestampNs", "sample_ns", EXPORTED_NUMERIC}, {"readRate", "read * 1024", EXPORTED_NUMERIC},
                       {"writeRate", "written * 1024", EXPORTED_NUMERIC}, {"usage", "usage", EXPORTED_NUMERIC}),
                   .query = {.with = USAGE, .from = "u"}),
};
