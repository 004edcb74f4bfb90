/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a whole system: Memory.data of devices, host_sys_mem.data of the host. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    NUMBER_COLUMN("stamp", "Stamp", "When, by the clock of the system."),
    NUMBER_COLUMN("total_kb", "Total", "KB."),
    NUMBER_COLUMN("free_kb", "Free", "KB."),
    NUMBER_COLUMN("buffers_kb", "Buffers", "KB."),
    NUMBER_COLUMN("cached_kb", "Cached", "KB."),
    NUMBER_COLUMN("shared_kb", "Shared", "KB."),
    NUMBER_COLUMN("commit_limit_kb", "Commit limit", "KB."),
    NUMBER_COLUMN("committed_kb", "Committed", "KB."),
    NUMBER_COLUMN("huge_pages_total", "Huge pages", "Number of huge pages."),
    NUMBER_COLUMN("huge_pages_free", "Free huge pages", "Number of free huge pages."),
};

#define MEAN(column) "sum(" column ") / count(" column ")"

const struct record_kind kind_system_memory = {
    OWN_TABLE("system_memory"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Memory of the system",
    .doc = "Memory of a device or of the host. Text: blocks of a time and /proc/meminfo.",
    .patterns = (const char *const[]){"Memory.data.{device_id}.slice_{slice}", "host_sys_mem.data.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    /* Blocks of a time and what /proc/meminfo says. */
    LINES({"TimeStamp:{stamp}", LINE_BLOCK}, {"MemTotal: {total_kb} kB", 0}, {"MemFree: {free_kb} kB", 0},
          {"Buffers: {buffers_kb} kB", 0}, {"Cached: {cached_kb} kB", 0}, {"Shmem: {shared_kb} kB", 0},
          {"CommitLimit: {commit_limit_kb} kB", 0}, {"Committed_AS: {committed_kb} kB", 0},
          {"HugePages_Total: {huge_pages_total}", 0}, {"HugePages_Free: {huge_pages_free}", 0},
          {"{*}: {#1} kB", LINE_SKIP}, {"HugePages_{*}: {#1}", LINE_SKIP}),
    ONE_SERIES(.name = "sys_mem", .title = "Memory of the system",
               .doc = "Memory of devices and of the host, in the mean of all samples.",
               .query = {.group_by = "device_id", .order_by = "device_id IS NULL, device_id"},
               .columns =
                   VALUE_LIST({"Device_id", "coalesce(device_id, 'host')", .doc = "The device, or host."},
                              {"Memory Total(kB)", MEAN("total_kb"), .doc = "Memory of the system."},
                              {"Memory Free(kB)", MEAN("free_kb"), .doc = "Free memory, in the mean of all samples."},
                              {"Buffers(kB)", MEAN("buffers_kb"), .doc = "Buffers of devices."},
                              {"Cached(kB)", MEAN("cached_kb"), .doc = "Contents of files."},
                              {"Share Memory(kB)", MEAN("shared_kb"), .doc = "Shared between processes."},
                              {"Commit Limit(kB)", MEAN("commit_limit_kb"), .doc = "Memory that may be promised."},
                              {"Committed AS(kB)", MEAN("committed_kb"), .doc = "Memory that is promised."},
                              {"Huge Pages Total(pages)", MEAN("huge_pages_total"), .doc = "Huge pages."},
                              {"Huge Pages Free(pages)", MEAN("huge_pages_free"), .doc = "Huge pages that are free."})),
};
