/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time of a process: <pid>-CpuUsage.data, of devices and of the host. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    {"process_id", "Process ID", MADE_NUMBER, "The process, from the file name."},
    NUMBER_COLUMN("stamp", "Stamp", "When, by the clock of the system."),
    TEXT_COLUMN_OF("name", "Name", "The name of the process."),
    NUMBER_COLUMN("user_ticks", "User", "Clock ticks in user mode so far."),
    NUMBER_COLUMN("system_ticks", "System", "Clock ticks in kernel mode so far."),
    NUMBER_COLUMN("child_user_ticks", "User, children", "Clock ticks in user mode of its children that ended."),
    NUMBER_COLUMN("child_system_ticks", "System, children", "Clock ticks in the kernel of its children that ended."),
    NUMBER_COLUMN("all_user_ticks", "System, user", "Clock ticks of the whole system in user mode so far."),
    NUMBER_COLUMN("all_nice_ticks", "System, nice", "... with low priority."),
    NUMBER_COLUMN("all_system_ticks", "System, kernel", "... in kernel mode."),
    NUMBER_COLUMN("all_idle_ticks", "System, idle", "... idle."),
    NUMBER_COLUMN("all_iowait_ticks", "System, IO wait", "... waiting for devices."),
    NUMBER_COLUMN("all_irq_ticks", "System, interrupts", "... in interrupts."),
    NUMBER_COLUMN("all_softirq_ticks", "System, soft interrupts", "... in soft interrupts."),
    NUMBER_COLUMN("all_steal_ticks", "System, stolen", "... given to other virtual machines."),
    NUMBER_COLUMN("all_guest_ticks", "System, guests", "... of guests."),
    NUMBER_COLUMN("all_guest_nice_ticks", "System, nice guests", "... of guests with low priority."),
};

const struct record_kind kind_process_cpu = {
    OWN_TABLE("process_cpu"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Processor time of a process",
    .doc = "How long a process on a device or on the host has run, and the whole system. Text: blocks of a time, "
           "/proc/<pid>/stat, a name and a line of /proc/stat.",
    .patterns = (const char *const[]){"{process_id}-CpuUsage.data.{device_id}.slice_{slice}",
                                      "{process_id}-CpuUsage.data.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    /* Blocks of a time, /proc/<pid>/stat, the name, and the first line of /proc/stat. */
    LINES(
        {"TimeStamp:{stamp}", LINE_BLOCK}, {"ProcessName:{name}", 0},
        {"cpu {all_user_ticks} {all_nice_ticks} {all_system_ticks} {all_idle_ticks} {all_iowait_ticks} {all_irq_ticks}"
         " {all_softirq_ticks} {all_steal_ticks} {all_guest_ticks} {all_guest_nice_ticks}{#}",
         0},
        {"{#1} ({*}) {*1} {#10} {user_ticks} {system_ticks} {child_user_ticks} {child_system_ticks} {#}", 0}),
    ONE_SERIES(
            .name = "process_cpu_usage", .title = "Processor time of processes",
            .doc = "Share of all processor time of processes on devices and on the host.",
            .query =
                {
                    .from =
                        "(SELECT device_id, process_id, max(name) AS name, 100.0 * avg(ratio(user_ticks + system_ticks"
                        " + child_user_ticks + child_system_ticks, all_user_ticks + all_nice_ticks + all_system_ticks +"
                        " all_idle_ticks + all_iowait_ticks + all_irq_ticks + all_softirq_ticks + all_steal_ticks +"
                        " all_guest_ticks + all_guest_nice_ticks)) AS usage FROM process_cpu GROUP BY device_id,"
                        " process_id)",
                    .order_by = "device_id IS NULL, device_id, usage DESC",
                },
            .columns = VALUE_LIST({"Device_id", "coalesce(device_id, 'host')", .doc = "The device, or host."},
                                  {"PID", "process_id", .doc = "The process."}, {"Name", "name", .doc = "Its name."},
                                  {"CPU(%)", "usage", FORM_SHORTEST, 3,
                                   .doc = "Share of all processor time, in the mean of all samples."})),
};
