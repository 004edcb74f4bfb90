/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/layouts/printed_form.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- device PMU records ---- */

static const struct printed_field pmu_fields[PRINTED_COUNT] = {
    [PRINTED_TIME] = {"total_cycle", PRINTED_CLOCK, 6, 0, false, false},
    [PRINTED_MAC_BUSY] = {"mac_busy_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_MAC_PPEN] = {"mac_ppen_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_VEC_BUSY] = {"vec_busy_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_VEC_PPEN] = {"vec_ppen_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_DSTR] = {"dstr_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_DTRANS] = {"dtrans_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_DLD] = {"dld_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_WLD] = {"wld_cycle", PRINTED_SHARE, 6, 0, false, false},
    [PRINTED_DDR_READ] = {"ddr_read_bytes", PRINTED_AMOUNT, 6, 0, false, false},
    [PRINTED_DDR_WRITE] = {"ddr_write_bytes", PRINTED_AMOUNT, 6, 0, false, false},
    [PRINTED_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, false, false},
    [PRINTED_MODEL_ID] = {"model_id", PRINTED_IDENTITY, 0, 0, false, false},
    [PRINTED_CURRENT_PIC_COUNT] = {"current_pic_count", PRINTED_IDENTITY, 0, 0, false, false},
    [PRINTED_MEMORY_BOUND] = {NULL, PRINTED_OTHER, 6, 0, false, false},
    [PRINTED_DDR_TOTAL] = {NULL, PRINTED_OTHER, 6, 0, false, false},
};

const struct printed_kind printed_pmu = {
    .kind = "svp_pmu",
    .fields = pmu_fields,
    .stored = PRINTED_STORED,
    .count = PRINTED_COUNT,
    .start = "start_cycle",
    .task = PRINTED_TASK_ID,
    .picture = PRINTED_CURRENT_PIC_COUNT,
    .model = PRINTED_MODEL_ID,
    .began = -1,
};

/* {slice} stands for the frequency, which no pattern has a word for. */
static const char *const op_summary_patterns[] = {
    "op_summary_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}."
    "{slice}.csv",
    "op_summary_{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}.{number}.{number}."
    "{slice}.json",
    NULL,
};

static const struct printed_title op_summary_titles[] = {
    {"time", PRINTED_TIME, true},
    {"macbusy", PRINTED_MAC_BUSY, false},
    {"macppen", PRINTED_MAC_PPEN, false},
    {"vecbusy", PRINTED_VEC_BUSY, false},
    {"vecppen", PRINTED_VEC_PPEN, false},
    {"dstr", PRINTED_DSTR, false},
    {"dtrans", PRINTED_DTRANS, false},
    {"dld", PRINTED_DLD, false},
    {"wld", PRINTED_WLD, false},
    {"ddrread", PRINTED_DDR_READ, false},
    {"ddrwrite", PRINTED_DDR_WRITE, false},
    {"taskid", PRINTED_TASK_ID, false},
    {"memorybound", PRINTED_MEMORY_BOUND, false},
    {"ddrtotal", PRINTED_DDR_TOTAL, false},
    {"layerid", PRINTED_TO_LAYER, false},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form op_summary = {
    .title = "op_summary",
    .kind = &printed_pmu,
    .directory = "summary",
    .patterns = op_summary_patterns,
    .prefix = "op_summary",
    .unit = 1,
    .titles = op_summary_titles,
};

/* ---- tasks of a timeline ---- */

static const char *const task_time_patterns[] = {"task_time_{device_id}.{model}.{model_id}.{batch_num}.json", NULL};

enum { TASK_TOTAL, TASK_STREAM_ID, TASK_TASK_ID, TASK_MODEL_ID, TASK_STORED, TASK_BEGAN = TASK_STORED, TASK_COUNT };

/* A duration is the difference of two times that are whole nanoseconds. */
static const struct printed_field task_fields[TASK_COUNT] = {
    [TASK_TOTAL] = {"total_cycle", PRINTED_CLOCK, 3, 1, false, false},
    [TASK_STREAM_ID] = {"stream_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TASK_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TASK_MODEL_ID] = {"model_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TASK_BEGAN] = {NULL, PRINTED_OTHER, 3, 0, false, false},
};

static const struct printed_kind core_tasks = {
    .kind = "svp_pmu",
    .fields = task_fields,
    .stored = TASK_STORED,
    .count = TASK_COUNT,
    .start = "start_cycle",
    .task = TASK_TASK_ID,
    .picture = -1,
    .model = TASK_MODEL_ID,
    .began = TASK_BEGAN,
};

static const struct printed_title core_task_titles[] = {
    {"ts", TASK_BEGAN, true},
    {"dur", TASK_TOTAL, true},
    {"streamid", TASK_STREAM_ID, false},
    {"name", PRINTED_TO_FIRST_WORD, false},
    {"tasktype", PRINTED_TO_FILTER, true},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form core_task_time = {
    .title = "task_time",
    .kind = &core_tasks,
    .directory = "timeline",
    .patterns = task_time_patterns,
    .prefix = "task_time",
    .events = true,
    .joined = true,
    .unit = 1,
    .filter = "AI_CORE",
    .titles = core_task_titles,
};

enum { CPU_START, CPU_END, CPU_STREAM_ID, CPU_TASK_ID, CPU_STORED, CPU_COUNT = CPU_STORED };

static const struct printed_field cpu_fields[CPU_COUNT] = {
    [CPU_START] = {"start_ns", PRINTED_AMOUNT, 3, 0, false, false},
    [CPU_END] = {"end_ns", PRINTED_AMOUNT, 3, 0, false, true},
    [CPU_STREAM_ID] = {"stream_id", PRINTED_IDENTITY, 0, 0, true, false},
    [CPU_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, true, false},
};

static const struct printed_kind cpu_tasks = {
    .kind = "aicpu_task",
    .fields = cpu_fields,
    .stored = CPU_STORED,
    .count = CPU_COUNT,
    .task = CPU_TASK_ID,
    .picture = -1,
    .model = -1,
    .began = CPU_START,
};

static const struct printed_title cpu_task_titles[] = {
    {"ts", CPU_START, true},
    {"dur", CPU_END, true},
    {"streamid", CPU_STREAM_ID, false},
    {"name", PRINTED_TO_FIRST_WORD, false},
    {"tasktype", PRINTED_TO_FILTER, true},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form cpu_task_time = {
    .title = "task_time",
    .kind = &cpu_tasks,
    .directory = "timeline",
    .patterns = task_time_patterns,
    .prefix = "task_time",
    .events = true,
    .joined = true,
    .unit = 1000,
    .filter = "AI_CPU",
    .titles = cpu_task_titles,
};

/* ---- sums of tasks ---- */

enum { TYPE_TOTAL, TYPE_TASK_ID, TYPE_MODEL_ID, TYPE_CURRENT_PIC_COUNT, TYPE_STORED };

static const struct printed_field core_type_fields[TYPE_STORED] = {
    [TYPE_TOTAL] = {"total_cycle", PRINTED_CLOCK, 6, 0, false, false},
    [TYPE_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TYPE_MODEL_ID] = {"model_id", PRINTED_IDENTITY, 0, 0, false, false},
    [TYPE_CURRENT_PIC_COUNT] = {"current_pic_count", PRINTED_IDENTITY, 0, 0, false, false},
};

static const struct printed_kind core_types = {
    .kind = "svp_pmu",
    .fields = core_type_fields,
    .stored = TYPE_STORED,
    .count = TYPE_STORED,
    .start = "start_cycle",
    .task = TYPE_TASK_ID,
    .picture = TYPE_CURRENT_PIC_COUNT,
    .model = TYPE_MODEL_ID,
    .began = -1,
};

/* {slice} stands for the iteration. */
static const char *const op_statistic_patterns[] = {
    "op_statistic_{device_id}_{model_id}_{current_pic_count}_{slice}.csv",
    "op_statistic_{device_id}_{model_id}_{current_pic_count}_{slice}.json",
    NULL,
};

static const struct printed_title op_statistic_titles[] = {
    {"opname", PRINTED_TO_WORD, false},
    {"optype", PRINTED_TO_WORD, false},
    {"tasktype", PRINTED_TO_FILTER, true},
    {"totaltime", PRINTED_TO_TOTAL, false},
    {"count", PRINTED_TO_COUNT, true},
    {"max", PRINTED_TO_MOST, true},
    {"min", TYPE_TOTAL, true},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form core_statistic = {
    .title = "op_statistic",
    .kind = &core_types,
    .directory = "summary",
    .patterns = op_statistic_patterns,
    .prefix = "op_statistic",
    .by_layers = true,
    .unit = 1,
    .filter = "AI_CORE",
    .titles = op_statistic_titles,
};

enum { CPU_TYPE_END, CPU_TYPE_TASK_ID, CPU_TYPE_STORED };

static const struct printed_field cpu_type_fields[CPU_TYPE_STORED] = {
    [CPU_TYPE_END] = {"end_ns", PRINTED_AMOUNT, 3, 0, false, false},
    [CPU_TYPE_TASK_ID] = {"task_id", PRINTED_IDENTITY, 0, 0, true, false},
};

static const struct printed_kind cpu_types = {
    .kind = "aicpu_task",
    .fields = cpu_type_fields,
    .stored = CPU_TYPE_STORED,
    .count = CPU_TYPE_STORED,
    .start = "start_ns",
    .start_is_kept = true,
    .task = CPU_TYPE_TASK_ID,
    .picture = -1,
    .model = -1,
    .began = -1,
};

static const struct printed_form cpu_statistic = {
    .title = "op_statistic",
    .kind = &cpu_types,
    .directory = "summary",
    .patterns = op_statistic_patterns,
    .prefix = "op_statistic",
    .by_layers = true,
    .unit = 1000,
    .filter = "AI_CPU",
    .titles = op_statistic_titles,
};

/* ---- calls ---- */

enum { CALL_START, CALL_END, CALL_TYPE, CALL_PROCESS_ID, CALL_THREAD_ID, CALL_NAME, CALL_STORED };

static const struct printed_field call_fields[CALL_STORED] = {
    [CALL_START] = {"start_ns", PRINTED_AMOUNT, 3, 0, false, false},
    [CALL_END] = {"end_ns", PRINTED_AMOUNT, 3, 0, false, true},
    [CALL_TYPE] = {"api_type", PRINTED_IDENTITY, 0, 0, true, false},
    [CALL_PROCESS_ID] = {"process_id", PRINTED_IDENTITY, 0, 0, true, false},
    [CALL_THREAD_ID] = {"thread_id", PRINTED_IDENTITY, 0, 0, true, false},
    [CALL_NAME] = {"name", PRINTED_WORD, 0, 0, false, false},
};

static const struct printed_kind calls = {
    .kind = "acl_call",
    .fields = call_fields,
    .stored = CALL_STORED,
    .count = CALL_STORED,
    .task = -1,
    .picture = -1,
    .model = -1,
    .began = CALL_START,
};

static const char *const acl_patterns[] = {"acl_{device_id}.{model}.{model_id}.{batch_num}.json", NULL};

static const struct printed_title acl_titles[] = {
    {"name", PRINTED_TO_WORD, true},
    {"ts", CALL_START, true},
    {"dur", CALL_END, true},
    {"mode", CALL_TYPE, false},
    {"processid", CALL_PROCESS_ID, false},
    {"threadid", CALL_THREAD_ID, false},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form acl_timeline = {
    .title = "acl timeline",
    .kind = &calls,
    .directory = "timeline",
    .patterns = acl_patterns,
    .events = true,
    .joined = true,
    .unit = 1000,
    .titles = acl_titles,
};

/* ---- sums of calls ---- */

enum { SUM_END, SUM_TYPE, SUM_PROCESS_ID, SUM_THREAD_ID, SUM_NAME, SUM_STORED };

static const struct printed_field call_sum_fields[SUM_STORED] = {
    [SUM_END] = {"end_ns", PRINTED_AMOUNT, 3, 0, false, false},
    [SUM_TYPE] = {"api_type", PRINTED_IDENTITY, 0, 0, true, false},
    [SUM_PROCESS_ID] = {"process_id", PRINTED_IDENTITY, 0, 0, true, false},
    [SUM_THREAD_ID] = {"thread_id", PRINTED_IDENTITY, 0, 0, true, false},
    [SUM_NAME] = {"name", PRINTED_WORD, 0, 0, false, false},
};

static const struct printed_kind call_sums = {
    .kind = "acl_call",
    .fields = call_sum_fields,
    .stored = SUM_STORED,
    .count = SUM_STORED,
    .start = "start_ns",
    .start_is_kept = true,
    .task = -1,
    .picture = -1,
    .model = -1,
    .began = -1,
};

/* {slice} stands for the iteration. */
static const char *const acl_statistic_patterns[] = {
    "acl_statistic_{device_id}_{model_id}_{slice}.csv",
    "acl_statistic_{device_id}_{model_id}_{slice}.json",
    NULL,
};

static const struct printed_title acl_statistic_titles[] = {
    {"processid", SUM_PROCESS_ID, false},
    {"threadid", SUM_THREAD_ID, false},
    {"type", SUM_TYPE, false},
    {"name", PRINTED_TO_WORD, true},
    {"totaltime", PRINTED_TO_TOTAL, false},
    {"count", PRINTED_TO_COUNT, true},
    {"max", PRINTED_TO_MOST, true},
    {"min", SUM_END, true},
    {NULL, PRINTED_TO_NOTHING, false},
};

static const struct printed_form acl_statistic = {
    .title = "acl_statistic",
    .kind = &call_sums,
    .directory = "summary",
    .patterns = acl_statistic_patterns,
    .prefix = "acl_statistic",
    .sums = true,
    .joined = true,
    .unit = 1000,
    .titles = acl_statistic_titles,
};

const struct printed_form *const printed_forms[] = {
    &op_summary, &core_task_time, &core_statistic, &acl_timeline, &acl_statistic, &cpu_task_time, &cpu_statistic, NULL,
};

/* ---- titles ---- */

const struct printed_title *printed_title_of(const struct printed_form *form, const char *heading, int64_t *ret_unit)
{
    char word[64];
    size_t length = 0;
    const char *unit = strchr(heading, '(');
    for (const char *p = heading; *p != '\0' && p != unit && length + 1 < sizeof word; p++)
        if (*p != ' ' && *p != '_')
            word[length++] = (char)tolower((unsigned char)*p);
    word[length] = '\0';
    if (length > 5 && strcmp(word, "timeratio") != 0 && strcmp(word, "totaltimeratio") != 0 &&
        strcmp(word + length - 5, "ratio") == 0)
        word[length - 5] = '\0';
    *ret_unit = 0;
    if (unit != NULL && strncasecmp(unit, "(byte", 5) == 0)
        *ret_unit = 1;
    else if (unit != NULL && strncasecmp(unit, "(KB", 3) == 0)
        *ret_unit = 1000;
    else if (unit != NULL && strncasecmp(unit, "(MB", 3) == 0)
        *ret_unit = 1000000;
    for (const struct printed_title *title = form->titles; title->title != NULL; title++)
        if (strcmp(word, title->title) == 0)
            return title;
    return NULL;
}
