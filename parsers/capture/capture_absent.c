/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are not there, though others show that they were written: the small files that every capture of the family
 * has, records of what sample.json says was on, records that come only together with others, and on SVP boards the
 * records of inferences whose .done files are there. */

#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/words.h"
#include "parsers/capture/capture_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHIP(number) (1U << (number))
#define CHIPS_TO_4 (CHIP(0) | CHIP(1) | CHIP(2) | CHIP(3) | CHIP(4))
#define CHIPS_STARS (CHIP(5) | CHIP(7) | CHIP(8) | CHIP(11))
#define ANY_CHIP (~0U)
#define HOST 0U /* no chip: the host's part */

/* Records that come whenever a switch was on. */
struct expectation {
    unsigned families;
    unsigned chips;      /* of the devices that have them; HOST */
    const char *setting; /* of sample.json; NULL: none says it */
    const char *value;   /* one of the words of this list is on; NULL: any but "off" and 0 */
    const char *kinds;   /* divided by commas: one of them is enough */
    const char *proof;   /* records that do not come without them; NULL: none */
};

static const struct expectation expectations[] = {
    {FAMILY_CANN, HOST, "taskTime", NULL, "task_track,task_track_v2", NULL},
    {FAMILY_CANN, HOST, "taskTime", NULL, "node_basic_info", "tensor_info"},
    {FAMILY_CANN, HOST, "profLevel", "l1,l2,l3", "tensor_info", NULL},
    {FAMILY_CANN, HOST, "taskMemory", NULL, "task_memory_info", NULL},
    {FAMILY_CANN, HOST, "host_sys", "cpu", "host_cpu", NULL},
    {FAMILY_CANN, HOST, "host_sys", "mem", "host_mem", NULL},
    {FAMILY_CANN, HOST, "host_sys", "disk", "host_disk", NULL},
    {FAMILY_CANN, HOST, "host_sys", "network", "host_network", NULL},
    {FAMILY_CANN, HOST, "host_sys", "osrt", "host_syscall", "host_pthreadcall"},
    {FAMILY_CANN, HOST, "host_sys", "osrt", "host_pthreadcall", "host_syscall"},
    {FAMILY_CANN, HOST, "hostSysUsage", "cpu", "system_cpu", NULL},
    {FAMILY_CANN, HOST, "hostSysUsage", "cpu", "process_cpu", NULL},
    {FAMILY_CANN, HOST, "hostSysUsage", "mem", "system_memory", NULL},
    {FAMILY_CANN, HOST, "hostSysUsage", "mem", "process_memory", NULL},
    {FAMILY_CANN, CHIP(1) | CHIP(2) | CHIP(3) | CHIP(4), "hwts_log", NULL, "hwts", NULL},
    {FAMILY_CANN, CHIPS_STARS | CHIPS_V6, "taskTime", NULL, "stars_soc,stars_soc_v6", NULL},
    {FAMILY_CANN | FAMILY_2022, CHIPS_TO_4, "ai_core_profiling", NULL, "aicore_pmu", NULL},
    {FAMILY_CANN, CHIPS_STARS | CHIPS_V6, "ai_core_profiling", NULL, "ffts_profile,ffts_profile_v6", NULL},
    {FAMILY_CANN, ANY_CHIP & ~CHIP(0), "l2CacheTaskProfiling", NULL, "l2_cache", NULL},
    {FAMILY_CANN, CHIP(5) | CHIPS_V6, "npuEvents", NULL, "socpmu", NULL},
    {FAMILY_CANN, ANY_CHIP & ~CHIP(0), "hbmProfiling", NULL, "hbm", NULL},
    {FAMILY_CANN, CHIPS_TO_4 | CHIP(7) | CHIP(8) | CHIP(11), "ddr_profiling", NULL, "ddr", NULL},
    {FAMILY_CANN, ANY_CHIP & ~CHIP(9), "msprof_llc_profiling", NULL, "llc,llc_perf", NULL},
    {FAMILY_CANN, ANY_CHIP & ~CHIP(2), "memProfiling", NULL, "npu_mem", NULL},
    {FAMILY_CANN, ANY_CHIP & ~CHIP(0), "npuModuleMemFreq", NULL, "npu_module_mem", NULL},
    {FAMILY_CANN, CHIPS_STARS | CHIPS_V6, "qosEvents", NULL, "qos", NULL},
    {FAMILY_CANN, CHIP(0) | CHIP(1) | CHIPS_STARS, "nicProfiling", NULL, "nic", NULL},
    {FAMILY_CANN, CHIP(0) | CHIP(1) | CHIP(5), "roceProfiling", NULL, "roce", "netdev_stats"},
    {FAMILY_CANN, CHIPS_TO_4 | CHIP(5) | CHIPS_V6, "pcieProfiling", NULL, "pcie", NULL},
    {FAMILY_CANN, CHIPS_TO_4 | CHIP(5), "hccsProfiling", NULL, "hccs", NULL},
    {FAMILY_CANN, CHIPS_STARS | CHIPS_V6, "interconnection_profiling", NULL, "stars_soc_profile", NULL},
    {FAMILY_CANN, CHIPS_V6, "ubProfiling", NULL, "ub", NULL},
    {FAMILY_CANN, CHIP(0) | CHIP(1) | CHIPS_STARS | CHIPS_V6, "dvpp_profiling", NULL, "dvpp", NULL},
    {FAMILY_CANN, ANY_CHIP, "cpu_profiling", NULL, "cpu_sample", "ts_cpu"},
    {FAMILY_CANN, ANY_CHIP, "cpu_profiling", NULL, "ts_cpu", "cpu_sample"},
    {FAMILY_CANN, ANY_CHIP, "sys_profiling", NULL, "system_cpu", "system_memory"},
    {FAMILY_CANN, ANY_CHIP, "sys_profiling", NULL, "system_memory", "system_cpu"},
    {FAMILY_CANN, ANY_CHIP, "pid_profiling", NULL, "process_cpu", "process_memory"},
    {FAMILY_CANN, ANY_CHIP, "pid_profiling", NULL, "process_memory", "process_cpu"},
    {FAMILY_CANN, CHIPS_STARS | CHIPS_V6, "sysLp", NULL, "core_frequency,core_voltage", NULL},
    {FAMILY_CANN, CHIPS_STARS | CHIPS_V6, "sysLp", NULL, "core_voltage", NULL},
    {FAMILY_CANN, CHIPS_STARS, "instr_profiling_freq", NULL, "biu_aic", "biu_aiv"},
    {FAMILY_CANN, CHIPS_STARS, "instr_profiling_freq", NULL, "biu_aiv", "biu_aic"},
    {FAMILY_CANN, CHIPS_V6, "instr_profiling_freq", NULL, "biu_state", NULL},
    {FAMILY_CANN, CHIP(5) | CHIPS_V6, "taskBlock", NULL, "stars_block", NULL},
    {FAMILY_CANN, CHIPS_V6, "ccuInstr", NULL, "ccu_mission", NULL},
    {FAMILY_CANN, ANY_CHIP, "aicpuTrace", NULL, "aicpu_record,aicpu_node", NULL},
    {FAMILY_2022, ANY_CHIP, "acl", NULL, "acl_call", NULL},
    {FAMILY_2022, ANY_CHIP, "runtimeApi", NULL, "runtime_api", NULL},
    {FAMILY_2022, ANY_CHIP, "ts_timeline", NULL, "runtime_task_track", NULL},
    {FAMILY_2022, ANY_CHIP, "modelExecution", NULL, "framework_task", "framework_tensor"},
    {FAMILY_2022, ANY_CHIP, NULL, NULL, "framework_tensor", "framework_task"},
    {FAMILY_JOB, ANY_CHIP, NULL, NULL, "graph_desc", "task_desc"},
    {FAMILY_JOB, ANY_CHIP, NULL, NULL, "step_point", "task_desc"},
    {FAMILY_JOB, ANY_CHIP, NULL, NULL, "training_trace", "step_point"},
};

#define EXPECTATION_COUNT (sizeof expectations / sizeof *expectations)

static bool share_word(const char *list, const char *other)
{
    for (const char *at = other; *at != '\0'; at += strcspn(at, ",") + (strchr(at, ',') != NULL)) {
        if (words_list_has(list, at, strcspn(at, ",")))
            return true;
    }
    return false;
}

/* The kind that each file's name says, empty files' and copies', too; NULL: none. */
static const struct record_kind **list_kinds(const struct capture *capture, struct err *err)
{
    const struct record_kind **kinds = calloc(capture->file_count + 1, sizeof(const struct record_kind *));
    if (kinds == NULL)
        err_no_memory(err);
    for (size_t i = 0; kinds != NULL && i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        kinds[i] = file->kind != NULL || file->families == 0
                       ? file->kind
                       : capture_recognise(capture_base_name(file->name), NULL, NULL);
    }
    return kinds;
}

struct search {
    const struct capture *capture;
    const struct record_kind **kinds; /* of each file */
};

/* A file of the part with one of these kinds; NULL: there is none. */
static const struct capture_file *find_kind(const struct search *search, size_t part, const char *names)
{
    for (size_t i = 0; i < search->capture->file_count; i++) {
        const struct record_kind *kind = search->kinds[i];
        if (kind != NULL && search->capture->files[i].part == part &&
            words_list_has(names, kind->name, strlen(kind->name)))
            return &search->capture->files[i];
    }
    return NULL;
}

/* Our own library says who it is, and records calls alone. */
static bool applies(const struct capture *capture, const struct capture_part *part, const struct expectation *expected)
{
    bool of_host = expected->chips == HOST;
    if (capture_setting_find(&part->settings, "collector") != NULL ||
        (expected->families & FAMILY_OF(capture->family)) == 0 || of_host != part->is_host)
        return false;
    return of_host || (part->chip >= 0 && part->chip < 32 ? (expected->chips >> part->chip & 1) != 0
                                                          : expected->chips == ANY_CHIP);
}

/* At level 0 no record describes operators. */
static bool is_left_out(const struct capture *capture, const struct expectation *expected)
{
    return strcmp(expected->kinds, "node_basic_info") == 0 && capture_is_level_0(capture);
}

/* The value of the setting when it says that the switch was on; NULL: it does not. */
static const char *find_setting(const struct capture_part *part, const struct expectation *expected, char *number,
                                size_t size)
{
    const struct capture_setting *setting =
        expected->setting != NULL ? capture_setting_find(&part->settings, expected->setting) : NULL;
    if (setting == NULL)
        return NULL;
    const char *text = setting->text;
    if (text == NULL) {
        snprintf(number, size, "%lld", (long long)setting->number);
        text = number;
    }
    if (expected->value != NULL)
        return share_word(expected->value, text) ? text : NULL;
    return *text != '\0' && strcmp(text, "off") != 0 && strcmp(text, "0") != 0 ? text : NULL;
}

/* Another device of this chip that has the records; NULL: none. */
static const struct capture_part *find_sibling(const struct search *search, const struct capture_part *part,
                                               const struct expectation *expected)
{
    for (size_t i = 0; i < search->capture->part_count; i++) {
        const struct capture_part *other = &search->capture->parts[i];
        if (other != part && !other->is_host && !part->is_host && other->chip == part->chip &&
            find_kind(search, i, expected->kinds) != NULL)
            return other;
    }
    return NULL;
}

static void check_expectation(const struct search *search, size_t index, const struct expectation *expected)
{
    const struct capture_part *part = &search->capture->parts[index], *sibling;
    const struct capture_file *proof;
    struct place place = {part->directory, -1, -1, NULL};
    struct diagnostics *diag = search->capture->diag;
    char number[24];
    if (!applies(search->capture, part, expected) || is_left_out(search->capture, expected) ||
        find_kind(search, index, expected->kinds) != NULL)
        return;
    const char *value = find_setting(part, expected, number, sizeof number);
    if (value != NULL)
        diag_report(diag, DIAG_FILE_ABSENT, &place, "no file of %s, although sample.json has %s = '%.40s'",
                    expected->kinds, expected->setting, value);
    else if (expected->proof != NULL && (proof = find_kind(search, index, expected->proof)) != NULL)
        diag_report(diag, DIAG_FILE_ABSENT, &place, "no file of %s, although '%s' exists", expected->kinds,
                    capture_base_name(proof->name));
    else if ((sibling = find_sibling(search, part, expected)) != NULL)
        diag_report(diag, DIAG_FILE_ABSENT, &place, "no file of %s, although %s has one", expected->kinds,
                    sibling->directory);
}

/* ---- processes ---- */

static bool has_process(const struct search *search, const struct capture_file *like, const char *kind)
{
    for (size_t i = 0; i < search->capture->file_count; i++) {
        const struct capture_file *file = &search->capture->files[i];
        if (search->kinds[i] != NULL && strcmp(search->kinds[i]->name, kind) == 0 && file->part == like->part &&
            file->identity.process_id == like->identity.process_id)
            return true;
    }
    return false;
}

/* Where other processes have both files, one that has the other alone. */
static void check_processes(const struct search *search)
{
    static const char *const pairs[][2] = {{"process_cpu", "process_memory"}, {"process_memory", "process_cpu"}};
    for (size_t i = 0; i < 2 * search->capture->file_count; i++) {
        const struct capture_file *file = &search->capture->files[i / 2];
        const char *const *pair = pairs[i % 2];
        if (search->kinds[i / 2] == NULL || strcmp(search->kinds[i / 2]->name, pair[0]) != 0 ||
            has_process(search, file, pair[1]) || find_kind(search, file->part, pair[1]) == NULL)
            continue;
        diag_report(search->capture->diag, DIAG_FILE_ABSENT,
                    FILE_PLACE(search->capture->parts[file->part].directory, NULL),
                    "no file of %s of process %lld, although '%s' exists", pair[1],
                    (long long)file->identity.process_id, capture_base_name(file->name));
    }
}

/* ---- small files ---- */

static bool has_config(const struct capture *capture, size_t part, const char *prefix)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (file->part == part && file->families == 0 &&
            strncmp(capture_base_name(file->name), prefix, strlen(prefix)) == 0)
            return true;
    }
    return false;
}

/* Every part has these; hosts of 2022 have records alone. The lack of an end_info is reported with the losses
 * of a recording that counts them. */
static void check_configs(const struct capture *capture, size_t index)
{
    static const char *const names[] = {"info.json", "sample.json",    "start_info",
                                        "end_info",  "host_start.log", "dev_start.log"};
    const struct capture_part *part = &capture->parts[index];
    size_t count = sizeof names / sizeof *names - (part->is_host ? 1 : 0);
    if (*part->directory == '\0' ||
        (capture->family != CAPTURE_CANN && (capture->family != CAPTURE_2022 || part->is_host)))
        return;
    for (size_t i = 0; i < count; i++) {
        bool told = strcmp(names[i], "end_info") == 0 && has_config(capture, index, "losses.json");
        if (!told && !has_config(capture, index, names[i]))
            diag_report(capture->diag, DIAG_FILE_ABSENT, FILE_PLACE(part->directory, NULL),
                        "no %s, which every part of a capture has", names[i]);
    }
}

/* ---- boards ---- */

/* Kinds that an inference has. */
struct mark_rule {
    const char *kind;
    bool with_model, with_sample; /* its files name the model, and the batch, the input and the picture */
    bool always;                  /* else when the capture has any */
};

/* Facts that a file and an inference have in common when it is about it; 0 for what the rule leaves out. */
struct mark_key {
    int64_t device_id, model_id, model, batch_num, input_pic_num; /* model: number of the text */
    int64_t current_pic_count;                                    /* -1: the file names none, and is about all */
};
struct found_mark {
    struct mark_key key;
};

/* ret is set to false where it names no model, though the rule asks for one. */
static int make_key(const struct mark_rule *rule, const struct file_identity *identity, struct intern *models,
                    struct mark_key *key, bool *ret, struct err *err)
{
    uint32_t model = 0;
    *key = (struct mark_key){.device_id = identity->device_id};
    *ret = !rule->with_model || identity->model != NULL;
    if (rule->with_model && *ret) {
        if (intern_text(models, identity->model, &model, err) < 0)
            return err_status(err);
        key->model_id = identity->model_id;
        key->model = model;
    }
    if (rule->with_sample) {
        key->batch_num = identity->batch_num;
        key->input_pic_num = identity->input_pic_num;
        key->current_pic_count = identity->current_pic_count < 0 ? -1 : identity->current_pic_count;
    }
    return 0;
}

static int find_marks(const struct search *search, const struct mark_rule *rule, struct intern *models,
                      struct map *found, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < search->capture->file_count && status == 0; i++) {
        struct mark_key key;
        bool is_one;
        if (search->kinds[i] == NULL || strcmp(search->kinds[i]->name, rule->kind) != 0)
            continue;
        status = make_key(rule, &search->capture->files[i].identity, models, &key, &is_one, err);
        if (status == 0 && is_one && map_add(found, &key, NULL, err) == NULL)
            status = err_status(err);
    }
    return status;
}

static int report_marks(const struct search *search, const struct mark_rule *rule, struct intern *models,
                        const struct map *found, struct err *err)
{
    for (size_t i = 0; i < search->capture->mark_count; i++) {
        const struct inference_mark *mark = &search->capture->marks[i];
        struct mark_key key;
        bool is_one;
        if (make_key(rule, &mark->identity, models, &key, &is_one, err) < 0)
            return err_status(err);
        bool there = is_one && map_get(found, &key) != NULL;
        key.current_pic_count = rule->with_sample ? -1 : 0;
        if (!there && (!is_one || map_get(found, &key) == NULL))
            diag_report(search->capture->diag, DIAG_FILE_ABSENT, FILE_PLACE(mark->name, NULL),
                        "no file of %s of this inference", rule->kind);
    }
    return 0;
}

static bool has_kind_anywhere(const struct search *search, const char *kind)
{
    for (size_t i = 0; i < search->capture->part_count; i++) {
        if (find_kind(search, i, kind) != NULL)
            return true;
    }
    return false;
}

/* An inference that its .done file names has its counters; when any has operators of the AI CPU, or any model calls of
 * the ACL API, then they have, too. */
static int check_marks(const struct search *search, struct err *err)
{
    static const struct mark_rule rules[] = {
        {"svp_pmu", false, true, true}, {"aicpu_task", true, true, false}, {"acl_call", true, false, false}};
    SCOPED(intern_release) struct intern models = {.items = NULL};
    int status = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && status == 0; i++) {
        const struct mark_rule *rule = &rules[i];
        struct map found = MAP_OF(struct found_mark, key);
        if (!rule->always && !has_kind_anywhere(search, rule->kind))
            continue;
        status = find_marks(search, rule, &models, &found, err);
        if (status == 0)
            status = report_marks(search, rule, &models, &found, err);
        map_release(&found);
    }
    return status;
}

/* Bytes that the inferences of one file have by their .done files, and that the file has. */
struct mark_bytes {
    struct mark_bytes_key {
        int64_t device_id, batch_num, input_pic_num;
    } key;
    const struct capture_file *file; /* NULL: none is there */
    const struct inference_mark *first;
    uint64_t expected, found;
    size_t marks;
    bool apart; /* each inference has a file of its own, which is held against its own .done file */
};

ARRAY_COMPARE(compare_mark_bytes, struct mark_bytes, ARRAY_BY(key.device_id), ARRAY_BY(key.batch_num),
              ARRAY_BY(key.input_pic_num))

static struct mark_bytes *bytes_of(struct map *all, const struct file_identity *identity, struct err *err)
{
    const struct mark_bytes_key key = {identity->device_id, identity->batch_num, identity->input_pic_num};
    return map_add(all, &key, NULL, err);
}

static int add_mark_bytes(const struct search *search, struct map *all, struct err *err)
{
    const struct capture *capture = search->capture;
    for (size_t i = 0; i < capture->mark_count; i++) {
        const struct inference_mark *mark = &capture->marks[i];
        struct mark_bytes *bytes = bytes_of(all, &mark->identity, err);
        if (bytes == NULL)
            return err_status(err);
        bytes->first = bytes->first != NULL ? bytes->first : mark;
        bytes->expected += mark->done.file_size > 0 ? (uint64_t)mark->done.file_size : 0;
        bytes->marks += mark->done.file_size > 0;
    }
    for (size_t i = 0; i < capture->file_count; i++) {
        const struct capture_file *file = &capture->files[i];
        if (search->kinds[i] == NULL || strcmp(search->kinds[i]->name, "svp_pmu") != 0)
            continue;
        struct mark_bytes *bytes = bytes_of(all, &file->identity, err);
        if (bytes == NULL)
            return err_status(err);
        bytes->file = file;
        bytes->found += file->size;
        bytes->apart |= file->identity.current_pic_count >= 0;
    }
    return 0;
}

/* Holds the counters of a device against the .done files of their inferences: a file that was cut between two of them
 * looks whole by itself. */
static int check_mark_bytes(const struct search *search, struct err *err)
{
    struct map all = MAP_OF(struct mark_bytes, key);
    int status = add_mark_bytes(search, &all, err);
    struct mark_bytes *items = status == 0 ? map_items(&all, err) : NULL;
    const size_t count = items != NULL ? all.used : 0;
    if (count > 0)
        qsort(items, count, sizeof *items, compare_mark_bytes);
    for (size_t i = 0; i < count; i++) {
        const struct mark_bytes *bytes = &items[i];
        if (bytes->found >= bytes->expected || bytes->apart)
            continue;
        if (bytes->file == NULL)
            diag_report(
                search->capture->diag, DIAG_FILE_MISSING, FILE_PLACE(bytes->first->name, NULL),
                "the file of the device's counters is missing; the .done files of %zu inference%s expect %llu bytes",
                bytes->marks, bytes->marks == 1 ? "" : "s", (unsigned long long)bytes->expected);
        else
            diag_report(search->capture->diag, DIAG_FILE_SIZE, FILE_PLACE(bytes->file->name, "filesize"),
                        "%llu bytes; the .done files of its %zu inference%s expect %llu together",
                        (unsigned long long)bytes->found, bytes->marks, bytes->marks == 1 ? "" : "s",
                        (unsigned long long)bytes->expected);
    }
    free(items);
    map_release(&all);
    return items != NULL ? 0 : err_status(err);
}

static void check_models(const struct search *search)
{
    for (size_t i = 0; i < search->capture->file_count; i++) {
        const struct capture_file *file = &search->capture->files[i];
        size_t length = strlen(file->name), suffix = strlen("layer.info");
        char name[512];
        if (search->kinds[i] == NULL || strcmp(search->kinds[i]->name, "layer") != 0 || length <= suffix ||
            length >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*snet.info", (int)(length - suffix), file->name);
        bool there = false;
        for (size_t k = 0; k < search->capture->file_count && !there; k++)
            there = strcmp(search->capture->files[k].name, name) == 0;
        if (!there)
            diag_report(search->capture->diag, DIAG_FILE_ABSENT, FILE_PLACE(file->name, NULL), "no '%s' beside it",
                        capture_base_name(name));
    }
}

/* The batch that a net.info says is one that the model's inferences are of. */
static void check_batches(const struct capture *capture)
{
    for (size_t i = 0; i < capture->model_count; i++) {
        const struct capture_model *model = &capture->models[i];
        bool known = false, named = false;
        for (size_t k = 0; k < capture->mark_count && model->name != NULL; k++) {
            const struct file_identity *mark = &capture->marks[k].identity;
            bool mine =
                mark->model_id == model->model_id && mark->model != NULL && strcmp(mark->model, model->name) == 0;
            named |= mine;
            known |= mine && mark->batch_num == model->batch_num;
        }
        if (model->batch_num >= 0 && named && !known)
            diag_report(capture->diag, DIAG_RECORD_ODD, FILE_PLACE(model->name, "batch_num"),
                        "%lld in its net.info, but no inference has it", (long long)model->batch_num);
    }
}

/* ---- the whole ---- */

int capture_report_absent(struct capture *capture, struct err *err)
{
    struct search search = {capture, list_kinds(capture, err)};
    if (search.kinds == NULL)
        return err_status(err);
    int status = capture->family == CAPTURE_SVP ? check_mark_bytes(&search, err) : 0;
    for (size_t i = 0; i < capture->part_count; i++) {
        check_configs(capture, i);
        for (size_t k = 0; k < EXPECTATION_COUNT; k++)
            check_expectation(&search, i, &expectations[k]);
    }
    check_processes(&search);
    if (capture->family == CAPTURE_SVP) {
        status = status == 0 ? check_marks(&search, err) : status;
        check_models(&search);
        check_batches(capture);
    }
    free(search.kinds);
    return status;
}
