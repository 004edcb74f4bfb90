/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/switches/finding.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

static void release_problem(struct switch_problem *problem)
{
    free(problem->key);
    free(problem->value);
    free(problem->message);
    free(problem->suggestion);
}

static void release_problems(struct switch_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        release_problem(&problems->items[i]);
    free(problems->items);
}

static int add_problem(struct switch_problems *problems, const char *key, const char *value, const char *suggestion,
                       const char *message, struct err *err)
{
    struct switch_problem problem = {copy_of(key), copy_of(value != NULL ? value : ""), copy_of(message),
                                     copy_of(suggestion)};
    if (problem.key == NULL || problem.value == NULL || problem.message == NULL ||
        (suggestion != NULL && problem.suggestion == NULL) || array_reserve(problems, 1, err) < 0) {
        release_problem(&problem);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    problems->items[problems->count++] = problem;
    return 0;
}

int finding_problem(struct switch_finding *finding, const char *key, const char *value, const char *suggestion,
                    struct err *err, const char *format, ...)
{
    char message[ERR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    err_format(message, sizeof message, format, args);
    va_end(args);
    return add_problem(&finding->problems, key, value, suggestion, message, err);
}

int finding_warning(struct switch_finding *finding, const char *key, const char *value, const char *suggestion,
                    struct err *err, const char *format, ...)
{
    char message[ERR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    err_format(message, sizeof message, format, args);
    va_end(args);
    return add_problem(&finding->warnings, key, value, suggestion, message, err);
}

static struct switch_option *find(const struct switch_finding *finding, const char *key)
{
    for (size_t i = 0; i < finding->options.count; i++) {
        if (strcmp(finding->options.items[i].key, key) == 0)
            return &finding->options.items[i];
    }
    return NULL;
}

const char *switch_option_value(const struct switch_finding *finding, const char *key)
{
    const struct switch_option *option = find(finding, key);
    return option != NULL ? option->value : NULL;
}

static void take_out(struct switch_finding *finding, struct switch_option *option)
{
    struct switch_option *end = finding->options.items + finding->options.count;
    free(option->key);
    free(option->value);
    memmove(option, option + 1, (size_t)(end - option - 1) * sizeof *option);
    finding->options.count--;
}

int finding_set(struct switch_finding *finding, const char *key, const char *value, struct err *err)
{
    struct switch_option *option = find(finding, key);
    if (value == NULL) {
        if (option != NULL)
            take_out(finding, option);
        return 0;
    }
    char *copy = strdup(value), *name = option == NULL ? strdup(key) : NULL;
    if (copy == NULL || (option == NULL && (name == NULL || array_reserve(&finding->options, 1, err) < 0))) {
        free(copy);
        free(name);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    if (option == NULL) {
        option = &finding->options.items[finding->options.count++];
        *option = (struct switch_option){.key = name};
    }
    free(option->value);
    option->value = copy;
    return 0;
}

void switch_finding_release(struct switch_finding *finding)
{
    release_problems(&finding->problems);
    release_problems(&finding->warnings);
    while (finding->options.count > 0)
        take_out(finding, &finding->options.items[finding->options.count - 1]);
    free(finding->options.items);
    *finding = (struct switch_finding){.writer = 0};
}

/* ---- what one option needs of others ---- */

static const struct need {
    const char *key;     /* where it is given with ... */
    const char *value;   /* ... this value; NULL: any but "off", "false" and what else means nothing */
    const char *needs;   /* this key must be given, too, */
    const char *allowed; /* with one of these values; NULL: any but those */
    const char *suggestion;
} needs[] = {
    {"fp_point", NULL, "training_trace", "on", "on"},
    {"bp_point", NULL, "training_trace", "on", "on"},
    {"llc_profiling", NULL, "sys_hardware_mem_freq", NULL, "100"},
    {"sys_mem_serviceflow", NULL, "sys_hardware_mem_freq", NULL, "100"},
    {"host_sys_usage_freq", NULL, "host_sys_usage", NULL, "cpu,mem"},
    {"instr_profiling_freq", NULL, "instr_profiling", "on", "on"},
    {"profiler_level", "LevelNone", "mstx", "true", "true"},
    {NULL, NULL, NULL, NULL, NULL},
};

static bool means_nothing(const char *value)
{
    return value == NULL || switch_list_has("off,false,None,AiCoreNone,ACL_AICORE_NONE", value, strlen(value));
}

static int check_need(struct switch_finding *finding, const struct need *need, const char *value, const char *other,
                      struct err *err)
{
    if (need->value != NULL ? value == NULL || strcmp(value, need->value) != 0 : means_nothing(value))
        return 0;
    if (other != NULL && *other != '\0' &&
        (need->allowed != NULL ? strcmp(other, need->allowed) == 0 : !means_nothing(other)))
        return 0;
    char suggestion[64];
    (void)snprintf(suggestion, sizeof suggestion, "%s=%s", need->needs, need->suggestion);
    if (need->allowed != NULL)
        return finding_problem(finding, need->key, value, suggestion, err, "%s needs %s = %s, which is %s", need->key,
                               need->needs, need->allowed, other != NULL ? other : "not given");
    return finding_problem(finding, need->key, value, suggestion, err, "%s does nothing without %s", need->key,
                           need->needs);
}

/* Two keys for one thing. */
static int check_twins(struct switch_finding *finding, finding_given *given, const void *file, struct err *err)
{
    static const char *const twins[][2] = {{"task_time", "task_trace"},
                                           {"aic_metrics", "aac_metrics"},
                                           {"aicpu", "aacpu"},
                                           {"ascendcl", "acl_api"},
                                           {"aic_metrics", "aicore_metrics"}};
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof twins / sizeof *twins; i++) {
        const char *a = given(file, twins[i][0]), *b = given(file, twins[i][1]);
        if (a != NULL && b != NULL && strcmp(a, b) != 0)
            status = finding_problem(finding, twins[i][1], b, a, err, "%s means the same as %s, which is %s",
                                     twins[i][1], twins[i][0], a);
    }
    return status;
}

/* Checks for options that a framework's profiler does not do together: mindspore-profiler of the guides. */
static int check_framework(struct switch_finding *finding, finding_given *given, const void *file, struct err *err)
{
    static const struct {
        const char *key;
        bool cpu, npu;
    } parts[] = {{"aic_metrics", false, true},
                 {"aicore_metrics", false, true},
                 {"l2_cache", false, true},
                 {"profile_memory", true, true},
                 {"with_stack", true, false}};
    const char *activities = given(file, "activities"), *level = given(file, "profiler_level");
    int status = 0;
    for (size_t i = 0; status == 0 && activities != NULL && i < sizeof parts / sizeof *parts; i++) {
        const char *value = given(file, parts[i].key);
        const char *missing = parts[i].cpu && strstr(activities, "CPU") == NULL   ? "CPU"
                              : parts[i].npu && strstr(activities, "NPU") == NULL ? "NPU"
                                                                                  : NULL;
        if (!means_nothing(value) && missing != NULL)
            status = finding_problem(finding, parts[i].key, value, NULL, err, "%s needs %s among the activities",
                                     parts[i].key, missing);
    }
    const char *metrics = given(file, "aic_metrics") != NULL ? "aic_metrics" : "aicore_metrics";
    bool low = level != NULL && switch_list_has("Level0,LevelNone,Level_none", level, strlen(level));
    if (status == 0 && low && !means_nothing(given(file, metrics)))
        status = finding_problem(finding, metrics, given(file, metrics), "profiler_level=Level1", err,
                                 "%s counts nothing: %s = %s has no metrics", metrics, "profiler_level", level);
    return status;
}

int finding_relations(struct switch_finding *finding, finding_given *given, const void *file, struct err *err)
{
    bool failed = check_twins(finding, given, file, err) < 0;
    for (const struct need *need = needs; !failed && need->key != NULL; need++)
        if (switch_rule_find(need->key, finding->writer) != NULL && given(file, need->key) != NULL)
            failed = check_need(finding, need, given(file, need->key), given(file, need->needs), err) < 0;
    return failed || ((finding->writer & (SWITCH_MINDSPORE | SWITCH_PYTORCH)) != 0 &&
                      check_framework(finding, given, file, err) < 0)
               ? -(int)err->code
               : 0;
}
