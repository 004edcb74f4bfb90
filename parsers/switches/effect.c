/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/switches/effect.h"

#include <string.h>

#define CANN (SWITCH_GE | SWITCH_ACL)
#define C(number) SWITCH_CHIP(number)
#define TO_4 (C(0) | C(1) | C(2) | C(3) | C(4))
#define STARS (C(5) | C(7) | C(8) | C(11))
#define NEWEST (C(15) | C(16))
#define ALL SWITCH_EVERY_CHIP

const struct switch_effect switch_effects[] = {
    {"task_time", CANN, ALL, "start and end of every task of the device, and what the host launched",
     .kinds = "task_track,node_basic_info,hwts,stars_soc",
     .reports = "op_summary,op_statistic,task_time,fusion_op,communication_statistic",
     .layers = "Ascend Hardware,Communication,Overlap Analysis", .setting = "taskTime"},
    {"task_time", CANN, C(9), "start, end and counters of every task of the device", .kinds = "nano_stars_profile",
     .reports = "nano_task"},
    {"task_time", CANN, ALL, "shapes and types of operators, and what communication is made of", .value = "l1",
     .kinds = "tensor_info,hccl_info,hccl_op_info", .files = "communication,communication_matrix"},
    {"hccl", CANN, ALL, "what communication is made of, timed by task_time", .kinds = "hccl_info,hccl_op_info",
     .reports = "communication_statistic", .layers = "Communication", .files = "communication,communication_matrix",
     .with = "task_time"},
    {"training_trace", SWITCH_GE, ALL, "iterations: forward, backward, refresh and reduction of gradients",
     .kinds = "ts_track", .reports = "step_trace", .layers = "Ascend Hardware", .files = "step_trace"},
    {"task_time", SWITCH_ACL, ALL, "iterations of models", .kinds = "ts_track", .reports = "step_trace",
     .layers = "Ascend Hardware", .files = "step_trace"},
    {"ascendcl", SWITCH_ACL, ALL, "calls of the ACL API", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN", .setting = "ascendcl"},
    {"runtime_api", CANN, ALL, "calls of the runtime", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN", .setting = "runtimeApi"},
    {"ge_api", CANN, ALL, "calls of the graph engine", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN", .setting = "ge_api"},
    {"task_time", CANN, ALL, "calls that launch operators", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN"},
    {"hccl", CANN, ALL, "calls of collective communication", .kinds = "api_event", .reports = "api_statistic",
     .layers = "CANN"},
    {"aic_metrics", CANN, ALL, "counters of the AI core for each task", .kinds = "aicore_pmu,aiv_pmu,ffts_profile",
     .reports = "op_summary", .with = "task_time"},
    {"aic_mode", CANN, ALL, "counters of the AI core at intervals", .value = "sample-based",
     .kinds = "aicore_pmu,aiv_pmu", .setting = "ai_core_profiling_mode", .setting_value = "sample-based"},
    {"aicpu", CANN, ALL, "operators of the AI CPU and the queues of data", .kinds = "aicpu_node,data_queue,data_wait"},
    {"l2", CANN, C(1) | C(2) | C(3) | C(4) | STARS | NEWEST, "events of the L2 cache for each task",
     .kinds = "l2_cache", .setting = "l2CacheTaskProfiling"},
    {"l2", CANN, C(5) | NEWEST, "translations of addresses for each task, and page faults",
     .kinds = "soc_pmu,page_fault", .setting = "l2CacheTaskProfiling"},
    {"msproftx", CANN, ALL, "marks and ranges that the program sets", .kinds = "msproftx", .reports = "msprof_tx",
     .layers = "MsprofTx", .files = "msprof_tx", .setting = "msproftx"},
    {"task_memory", CANN, ALL, "memory of operators", .kinds = "task_memory_info,static_op_mem"},
    {"sys_hardware_mem_freq", CANN, TO_4 | STARS | NEWEST, "bandwidth of the memory on the chip", .kinds = "hbm",
     .setting = "hbmProfiling"},
    {"sys_hardware_mem_freq", CANN, TO_4 | C(7) | C(8) | C(11), "bandwidth of DDR memory", .kinds = "ddr",
     .setting = "ddr_profiling"},
    {"sys_hardware_mem_freq", CANN, C(1) | C(2) | C(3) | C(4) | STARS | NEWEST,
     "hits and throughput of the last level cache", .kinds = "llc", .setting = "hardware_mem"},
    {"sys_hardware_mem_freq", CANN, C(0), "bandwidth of the last level cache, or what each CPU has in it",
     .kinds = "llc_perf", .setting = "hardware_mem"},
    {"sys_hardware_mem_freq", CANN, C(0) | C(1) | C(3) | C(4) | STARS | NEWEST, "memory in use on the device",
     .kinds = "npu_mem", .setting = "hardware_mem"},
    {"sys_hardware_mem_freq", CANN, C(1) | C(2) | C(3) | C(4) | STARS | NEWEST, "memory in use by component",
     .kinds = "npu_module_mem", .setting = "hardware_mem"},
    {"sys_hardware_mem_freq", CANN, STARS | NEWEST, "bandwidth of masters, of accelerators and inside of the chip",
     .kinds = "qos,die_qos,acc_pmu,soc_bandwidth_level", .setting = "hardware_mem"},
    {"sys_io_sampling_freq", CANN, C(0) | C(1) | STARS, "traffic of network cards", .kinds = "nic",
     .setting = "nicProfiling"},
    {"sys_io_sampling_freq", CANN, C(0) | C(1) | C(5), "traffic of RoCE", .kinds = "roce,netdev_stats",
     .setting = "roceProfiling"},
    {"sys_interconnection_freq", CANN, TO_4 | C(5) | NEWEST, "traffic of the PCIe link", .kinds = "pcie",
     .setting = "pcieProfiling"},
    {"sys_interconnection_freq", CANN, TO_4 | C(5), "traffic of the links between chips", .kinds = "hccs",
     .setting = "hccsProfiling"},
    {"sys_interconnection_freq", CANN, STARS | NEWEST, "traffic between chips and dies",
     .kinds = "chip_transmission,sio", .setting = "pcieProfiling"},
    {"sys_interconnection_freq", CANN, NEWEST, "traffic of the unified bus, and channels of communication",
     .kinds = "ub,ccu_channel"},
    {"task_time", CANN, NEWEST, "instructions of communication", .kinds = "ccu_mission"},
    {"dvpp_freq", CANN, C(0) | C(1) | STARS | NEWEST, "engines for pictures and video", .kinds = "dvpp",
     .setting = "dvpp_profiling"},
    {"sys_cpu_freq", CANN, ALL, "functions and events of the device's CPUs", .kinds = "cpu_sample,ts_cpu",
     .setting = "cpu_profiling"},
    {"sys_lp_freq", CANN, STARS | NEWEST, "frequency and voltage of the cores",
     .kinds = "core_frequency,core_voltage,low_power"},
    {"host_sys", CANN, ALL, "use of the host's CPUs", .value = "cpu", .kinds = "host_cpu", .setting = "host_sys",
     .setting_value = "cpu"},
    {"host_sys", CANN, ALL, "use of the host's memory", .value = "mem", .kinds = "host_mem", .setting = "host_sys",
     .setting_value = "mem"},
    {"host_sys", CANN, ALL, "traffic of the host's disks", .value = "disk", .kinds = "host_disk", .setting = "host_sys",
     .setting_value = "disk"},
    {"host_sys", CANN, ALL, "traffic of the host's network", .value = "network", .kinds = "host_network",
     .setting = "host_sys", .setting_value = "network"},
    {"host_sys", CANN, ALL, "system calls and calls of pthreads", .value = "osrt",
     .kinds = "host_syscall,host_pthreadcall", .setting = "host_sys", .setting_value = "osrt"},
    {"host_sys_usage", CANN, ALL, "use of CPUs by system and processes", .value = "cpu",
     .kinds = "system_cpu,process_cpu"},
    {"host_sys_usage", CANN, ALL, "use of memory by system and processes", .value = "mem",
     .kinds = "system_memory,process_memory"},
    {"instr_profiling", CANN, STARS, "traffic and instructions of single cores", .kinds = "biu_aic,biu_aiv",
     .setting = "instr_profiling_freq"},
    {"instr_profiling", CANN, NEWEST, "instructions of single cores", .kinds = "biu_state"},
    {"aic_metrics", SWITCH_SVP, ALL, "operators on the AI core, and its counters for each",
     .value = SWITCH_BOARD_METRICS, .kinds = "svp_pmu", .reports = "op_summary,op_statistic",
     .files = "task_time,msprof"},
    {"aicpu", SWITCH_SVP, ALL, "operators on the AI CPU", .kinds = "aicpu_task", .reports = "op_statistic",
     .files = "task_time,msprof"},
    {"ascendcl", SWITCH_SVP, ALL, "calls of the ACL API", .kinds = "acl_call", .reports = "acl_statistic",
     .files = "acl,msprof"},
    {.key = NULL},
};

const struct switch_meaning switch_meanings[] = {
    {SWITCH_GE, "task_trace", NULL, "task_time=*"},
    {SWITCH_ACL | SWITCH_SVP, "aac_metrics", NULL, "aic_metrics=*"},
    {SWITCH_ACL | SWITCH_SVP, "aacpu", NULL, "aicpu=*"},
    {SWITCH_ACL | SWITCH_SVP, "acl_api", NULL, "ascendcl=*"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "profiler_level", "Level0", "task_time=l0 ascendcl=on"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "profiler_level", "Level1", "task_time=l1 ascendcl=on hccl=on"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "profiler_level", "Level2",
     "task_time=l1 ascendcl=on hccl=on aicpu=on runtime_api=on"},
    {SWITCH_MINDSPORE, "aicore_metrics", NULL, "aic_metrics=*"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "l2_cache", NULL, "l2=on"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "profile_memory", NULL, "task_memory=on sys_hardware_mem_freq=100"},
    {SWITCH_MINDSPORE, "hbm_ddr", NULL, "sys_hardware_mem_freq=100"},
    {SWITCH_MINDSPORE, "pcie", NULL, "sys_interconnection_freq=50"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "sys_interconnection", NULL, "sys_interconnection_freq=50"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "sys_io", NULL, "sys_io_sampling_freq=100"},
    {SWITCH_MINDSPORE | SWITCH_PYTORCH, "mstx", NULL, "msproftx=on"},
    {SWITCH_PYTORCH, "msprof_tx", NULL, "msproftx=on"},
    {0, NULL, NULL, NULL},
};

bool switch_has_effect(const struct switch_effect *effect, const char *key, const char *value)
{
    if (strcmp(effect->key, key) != 0 || *value == '\0')
        return false;
    if (effect->value == NULL)
        return strcmp(value, "off") != 0 && strcmp(value, "None") != 0;
    if (strcmp(effect->value, "l1") == 0) /* as every level above the lowest */
        return switch_list_has("on,l1,l2,l3", value, strlen(value));
    return switch_list_has(value, effect->value, strlen(effect->value));
}

bool switch_was_on(const struct switch_effect *effect, const char *setting)
{
    if (effect->setting_value != NULL)
        return switch_list_has(setting, effect->setting_value, strlen(effect->setting_value));
    return *setting != '\0' && strcmp(setting, "off") != 0 && strcmp(setting, "0") != 0;
}

bool switch_effect_on_chip(const struct switch_effect *effect, int64_t chip)
{
    return chip >= 0 && chip <= SWITCH_MOST_CHIP && (effect->chips >> chip & 1) != 0;
}
