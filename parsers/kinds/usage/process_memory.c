/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a process: <pid>-Memory.data, of devices and of the host. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    {"process_id", "Process ID", MADE_NUMBER, "The process, from the file name."},
    NUMBER_COLUMN("stamp", "Stamp", "When, by the clock of the system."),
    TEXT_COLUMN_OF("name", "Name", "The name of the process."),
    NUMBER_COLUMN("size_pages", "Size", "Pages of the address space."),
    NUMBER_COLUMN("resident_pages", "Resident", "Pages in memory."),
    NUMBER_COLUMN("shared_pages", "Shared", "Pages in memory that others may use too."),
};

#define MEAN(column) "sum(" column ") / count(" column ")"

const struct record_kind kind_process_memory = {
    OWN_TABLE("process_memory"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Memory of a process",
    .doc = "Memory of a process on a device or on the host. Text: blocks of a time, a name and /proc/<pid>/statm.",
    .patterns = (const char *const[]){"{process_id}-Memory.data.{device_id}.slice_{slice}",
                                      "{process_id}-Memory.data.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    /* Blocks of a time, the name, and /proc/<pid>/statm. */
    LINES({"TimeStamp:{stamp}", LINE_BLOCK}, {"ProcessName:{name}", 0},
          {"{size_pages} {resident_pages} {shared_pages} {#4}", 0}),
    ONE_SERIES(.name = "process_mem", .title = "Memory of processes",
               .doc = "Memory of processes on devices and on the host, in the mean of all samples.",
               .query =
                   {
                       .group_by = "device_id, process_id",
                       .order_by = "device_id IS NULL, device_id, " MEAN("size_pages") " + " MEAN(
                           "resident_pages") " + " MEAN("shared_pages") " DESC",
                   },
               .columns = VALUE_LIST(
                   {"Device_id", "coalesce(device_id, 'host')", .doc = "The device, or host."},
                   {"PID", "process_id", .doc = "The process."}, {"Name", "max(name)", .doc = "Its name."},
                   {"Size(pages)", MEAN("size_pages"), .doc = "Size of the address space, in the mean of all samples."},
                   {"Resident(pages)", MEAN("resident_pages"), .doc = "In memory."},
                   {"Shared(pages)", MEAN("shared_pages"), .doc = "In memory, and others may use them too."})),
};
