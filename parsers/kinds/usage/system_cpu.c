/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time of a whole system: SystemCpuUsage.data of devices, host_sys_cpu.data of the host. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_lines.h"

static const struct column columns[] = {
    FILE_COLUMN,
    DEVICE_COLUMN,
    NUMBER_COLUMN("stamp", "Stamp", "When, by the clock of the system."),
    NUMBER_COLUMN("cpu_id", "CPU", "The CPU; NULL: all together."),
    NUMBER_COLUMN("user_ticks", "User", "Clock ticks in user mode so far."),
    NUMBER_COLUMN("nice_ticks", "Nice", "Clock ticks in user mode with low priority so far."),
    NUMBER_COLUMN("system_ticks", "System", "Clock ticks in kernel mode so far."),
    NUMBER_COLUMN("idle_ticks", "Idle", "Clock ticks of idleness so far."),
    NUMBER_COLUMN("iowait_ticks", "IO wait", "Clock ticks of waiting for devices so far."),
    NUMBER_COLUMN("irq_ticks", "Interrupts", "Clock ticks in interrupts so far."),
    NUMBER_COLUMN("softirq_ticks", "Soft interrupts", "Clock ticks in soft interrupts so far."),
    NUMBER_COLUMN("steal_ticks", "Stolen", "Clock ticks given to other virtual machines so far."),
    NUMBER_COLUMN("guest_ticks", "Guests", "Clock ticks of guests so far."),
    NUMBER_COLUMN("guest_nice_ticks", "Nice guests", "Clock ticks of guests with low priority so far."),
};

#define TICKS                                                                                                          \
    " {user_ticks} {nice_ticks} {system_ticks} {idle_ticks} {iowait_ticks} {irq_ticks} {softirq_ticks} {steal_ticks}"  \
    " {guest_ticks} {guest_nice_ticks}{#}"

#define IN_LIST(name) "instr(',' || setting('" name "', device_id) || ',', ',' || cpu_id || ',') > 0"
#define ALL                                                                                                            \
    "sum(user_ticks + nice_ticks + system_ticks + idle_ticks + iowait_ticks + irq_ticks + softirq_ticks + steal_ticks" \
    " + guest_ticks + guest_nice_ticks)"
#define SHARE(column) "ratio(sum(" column "), " ALL ") * 100", FORM_SHORTEST, 3

const struct record_kind kind_system_cpu = {
    OWN_TABLE("system_cpu"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Processor time of the system",
    .doc = "How a CPU of a device or of the host has spent its time. Text: blocks of a time and /proc/stat.",
    .patterns =
        (const char *const[]){"SystemCpuUsage.data.{device_id}.slice_{slice}", "host_sys_cpu.data.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    /* Blocks of a time and what /proc/stat says. */
    LINES({"TimeStamp:{stamp}", LINE_BLOCK}, {"cpu{cpu_id}" TICKS, LINE_ROW}, {"cpu" TICKS, LINE_ROW},
          {"intr{#}", LINE_SKIP}, {"ctxt{#}", LINE_SKIP}, {"btime{#}", LINE_SKIP}, {"processes{#}", LINE_SKIP},
          {"procs_{*} {#}", LINE_SKIP}, {"softirq{#}", LINE_SKIP}),
    ONE_SERIES(.name = "cpu_usage", .title = "Processor time of the system",
               .doc = "How the CPUs of devices and of the host spent their time.",
               .query =
                   {
                       .from = "(SELECT *, CASE WHEN device_id IS NULL THEN 'host' WHEN " IN_LIST(
                           "ctrl_cpu") " THEN 'ctrlcpu' WHEN " IN_LIST("ai_cpu") " THEN 'aicpu' END AS type FROM "
                                                                                 "system_cpu)",
                       .where = "type IS NOT NULL",
                       .group_by = "device_id, type",
                       .order_by = "device_id IS NULL, device_id, type",
                   },
               .columns = VALUE_LIST(
                   {"Device_id", "coalesce(device_id, 'host')", .doc = "The device, or host."},
                   {"Cpu Type", "type",
                    .doc = "Which CPUs: those that control the device, those of AI CPU operators, the host's."},
                   {"User(%)", SHARE("user_ticks"), .doc = "In user mode."},
                   {"Sys(%)", SHARE("system_ticks"), .doc = "In kernel mode."},
                   {"IoWait(%)", SHARE("iowait_ticks"), .doc = "Waiting for devices."},
                   {"Irq(%)", SHARE("irq_ticks"), .doc = "In interrupts."},
                   {"Soft(%)", SHARE("softirq_ticks"), .doc = "In soft interrupts."},
                   {"Idle(%)", SHARE("idle_ticks"), .doc = "Idle."})),
};
