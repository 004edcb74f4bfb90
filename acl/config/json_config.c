/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/config/json_config.h"

#include "acl/config/config.h"
#include "acl/config/option_rule.h"
#include "acl/message.h"
#include "acl/mode.h"
#include "acl/mstx_target.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/number.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char program_directory[PATH_MAX]; /* protected by acl_config_lock */

#define CUSTOM_METRICS "Custom:" /* and numbers of events, which the user chose */
#define DUMP_ALREADY_RUN 100044  /* ACL_ERROR_DUMP_ALREADY_RUN */

void msprof_acl_set_program(const char *path)
{
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof program_directory || (length > 0 && *path != '/'))
        return;
    pthread_mutex_lock(&acl_config_lock);
    if (length > 0)
        memcpy(program_directory, path, length);
    program_directory[length] = '\0';
    pthread_mutex_unlock(&acl_config_lock);
}

/* A member of "profiler" as text: strings as they are, whole numbers in digits; NULL for other values. digits is the
 * memory of the latter. */
static const char *text_of(const struct json *value, char digits[NUMBER_MAX])
{
    const char *text = json_string(value);
    int64_t number;
    if (text != NULL || !json_integer(value, &number))
        return text;
    *number_put_signed(digits, number) = '\0';
    return digits;
}

/* "off" is written like this in both spellings of a key; what is absent has its default. */
static bool is_on(const struct json *profiler, const char *key, const char *other_key, bool absent)
{
    const char *text = json_string(json_member(profiler, key));
    if (text == NULL && other_key != NULL)
        text = json_string(json_member(profiler, other_key));
    return text == NULL ? absent : strcmp(text, "off") != 0;
}

/* The rest of the file holds: a capture without any of its settings would be somewhere else. */
static void tell_of_key(const char *key)
{
    char line[ERR_TEXT_SIZE];
    (void)snprintf(line, sizeof line, "acl.json: EK0005: parameter '%s' is not supported; it is ignored", key);
    utf8_mask(line);
    acl_tell(line);
}

static aclError check_members(const struct json *profiler, bool svp)
{
    for (const struct json *member = json_first(profiler); member != NULL; member = json_next(member)) {
        const char *key = json_key(member);
        const struct switch_rule *rule = option_rule_of_key(key, svp);
        char digits[NUMBER_MAX];
        const char *text = text_of(member, digits);
        if (rule == NULL) {
            tell_of_key(key);
            continue;
        }
        if (text == NULL)
            return acl_fail_value(ACL_ERROR_INVALID_PROFILING_CONFIG, key, "of this kind", "it must be a string");
        /* a bad "output" is no error: another directory stands for it */
        if (rule->check == SWITCH_PATH || rule->check == SWITCH_BOARD_PATH)
            continue;
        aclError code = option_check_value(rule, text);
        if (code != ACL_SUCCESS)
            return code;
    }
    return ACL_SUCCESS;
}

static bool dump_is_on(const struct json *root)
{
    static const char *const switches[] = {"switch", "dump_switch", "dump_op_switch", "dump_debug"};
    const struct json *dump = json_member(root, "dump");
    if (json_first(json_member(dump, "dump_list")) != NULL)
        return true;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        const char *value = json_string(json_member(dump, switches[i]));
        if (value != NULL && strcmp(value, "on") == 0)
            return true;
    }
    return false;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Once: a capture that is not where the file says is looked for in vain. */
static void tell_of_output(const char *output, bool board)
{
    char line[ERR_TEXT_SIZE];
    (void)snprintf(line, sizeof line, "acl.json: \"output\": %s '%s'; the capture is written %s",
                   board && !is_directory(output) ? "missing directory" : "cannot write into", output,
                   board ? "beside the program" : "elsewhere");
    utf8_mask(line);
    acl_tell(line);
}

/* The directory of the running program, or of the one that an interpreter says it runs (free() it); NULL. */
static char *executable_directory(void)
{
    char path[PATH_MAX];
    pthread_mutex_lock(&acl_config_lock);
    char *told = *program_directory != '\0' ? scoped_text(program_directory, SIZE_MAX) : NULL;
    pthread_mutex_unlock(&acl_config_lock);
    if (told != NULL)
        return told;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return NULL;
    slash[slash == path] = '\0';
    return scoped_text(path, SIZE_MAX);
}

/* "output" when it can be used; else $ASCEND_WORK_PATH/profiling_data, else where the program is (B7). Boards make no
 * directory and know nothing of ASCEND_WORK_PATH. */
static aclError choose_output(const struct json *profiler, enum recorder_form form, char **ret)
{
    const char *output = json_string(json_member(profiler, "output"));
    bool board = form == RECORDER_JOB;
    if (output != NULL && *output != '\0') {
        if ((!board || is_directory(output)) && acl_path_prepare(output, "output", board, ret) == ACL_SUCCESS)
            return ACL_SUCCESS;
        tell_of_output(output, board);
    }
    const char *work = board ? NULL : getenv("ASCEND_WORK_PATH");
    if (work != NULL && *work != '\0') {
        SCOPED_FREE char *below = path_join(work, "profiling_data");
        aclError code = below == NULL ? acl_fail_memory() : acl_path_prepare(below, "ASCEND_WORK_PATH", false, ret);
        if (code == ACL_SUCCESS)
            return code;
    }
    SCOPED_FREE char *directory = executable_directory();
    aclError code = directory == NULL ? acl_fail_memory() : acl_path_prepare(directory, "output", false, ret);
    return code;
}

/* Domains of mstx that a key lists; NULL: it lists none. */
static const char *domains_of(const struct json *profiler, const char *key)
{
    const char *list = json_string(json_member(profiler, key));
    return list != NULL && *list != '\0' ? acl_mstx_keep_list(list) : NULL;
}

static void read_domains(const struct json *profiler, struct recorder_sample *ret)
{
    ret->domains_include = domains_of(profiler, "mstx_domain_include");
    ret->domains_exclude = domains_of(profiler, "mstx_domain_exclude");
    if (ret->domains_include == NULL || ret->domains_exclude == NULL)
        return;
    acl_tell("acl.json: \"mstx_domain_exclude\" has no effect together with \"mstx_domain_include\".");
    ret->domains_exclude = NULL;
}

static void read_settings(const struct json *profiler, enum recorder_form form, struct acl_json_config *ret)
{
    aclprofAicoreMetrics usual = form == RECORDER_JOB ? ACL_AICORE_ARITHMETIC_UTILIZATION : ACL_AICORE_PIPE_UTILIZATION;
    const char *metrics = json_string(json_member(profiler, "aic_metrics"));
    if (metrics == NULL)
        metrics = json_string(json_member(profiler, "aac_metrics"));
    bool is_usual = metrics == NULL || (form == RECORDER_PROF && *metrics == '\0');
    aclprofAicoreMetrics chosen = is_usual ? usual : acl_metrics_of_name(metrics);
    const char *name = form == RECORDER_JOB && chosen != usual ? NULL : acl_metrics_name(chosen);
    if (form == RECORDER_PROF && metrics != NULL && strncmp(metrics, CUSTOM_METRICS, sizeof CUSTOM_METRICS - 1) == 0) {
        (void)snprintf(ret->metrics, sizeof ret->metrics, "%s", metrics);
        name = ret->metrics;
    }
    const char *limit = json_string(json_member(profiler, "storage_limit"));
    ret->options = (struct recorder_options){
        .directory = ret->output,
        .form = form,
        .sample = {.acl_calls = is_on(profiler, "ascendcl", "acl_api", true),
                   .task_time = is_on(profiler, "task_time", "task_trace", true),
                   .msproftx = is_on(profiler, "msproftx", NULL, false),
                   .runtime_calls = is_on(profiler, "runtime_api", NULL, true),
                   .metrics = name},
        .storage_limit = limit == NULL ? 0 : switch_size_bytes(limit),
        .crash_handlers = true,
    };
    read_domains(profiler, &ret->options.sample);
}

/* A file with a key that only boards know is one of a board, whoever reads it. */
static enum recorder_form form_of(const struct json *profiler, enum recorder_form form)
{
    for (const struct json *member = json_first(profiler); member != NULL; member = json_next(member)) {
        if (switch_is_of_board(json_key(member)))
            return RECORDER_JOB;
    }
    return form;
}

static aclError read_root(const struct json *root, enum recorder_form form, struct acl_json_config *ret)
{
    const struct json *profiler = json_member(root, "profiler");
    if (profiler == NULL)
        return ACL_SUCCESS;
    if (!json_is_object(profiler))
        return acl_fail(ACL_ERROR_INVALID_PROFILING_CONFIG, "EK0001", "\"profiler\" in acl.json must be an object.");
    form = form_of(profiler, form);
    aclError code = check_members(profiler, form == RECORDER_JOB);
    if (code != ACL_SUCCESS)
        return code;
    const char *enabled = json_string(json_member(profiler, "switch"));
    if (enabled == NULL || strcmp(enabled, "on") != 0)
        return ACL_SUCCESS;
    if (dump_is_on(root))
        return acl_fail(DUMP_ALREADY_RUN, "EK0007",
                        "acl.json turns both \"dump\" and \"profiler\" on: only one is possible.");
    code = choose_output(profiler, form, &ret->output);
    if (code != ACL_SUCCESS)
        return code;
    ret->enabled = true;
    read_settings(profiler, form, ret);
    return ACL_SUCCESS;
}

aclError acl_json_config_load(const char *path, enum recorder_form form, struct acl_json_config *ret)
{
    struct err err = ERR_INIT;
    struct acl_json_config config = {.enabled = false};
    char *text = NULL;
    size_t length = 0;
    if (path_read_file(path, ACL_JSON_CONFIG_LIMIT, &text, &length, &err) < 0)
        return acl_fail_err(err.code == ERR_NO_MEMORY ? ACL_ERROR_BAD_ALLOC : ACL_ERROR_INVALID_FILE, &err);
    pthread_mutex_lock(&acl_parse_lock);
    aclError code;
    struct json *root = json_parse_plainly(text, length, &err);
    if (root == NULL) {
        (void)err_wrap(&err, "cannot read '%s'", path);
        code = acl_fail_err(err.code == ERR_NO_MEMORY ? ACL_ERROR_BAD_ALLOC : ACL_ERROR_INVALID_FILE, &err);
    } else {
        code = read_root(root, form, &config);
    }
    json_free(root);
    pthread_mutex_unlock(&acl_parse_lock);
    free(text);
    if (code == ACL_SUCCESS) {
        *ret = config;
        if (config.options.sample.metrics == config.metrics)
            ret->options.sample.metrics = ret->metrics;
    } else {
        acl_json_config_release(&config);
    }
    return code;
}

void acl_json_config_release(struct acl_json_config *config)
{
    free(config->output);
    *config = (struct acl_json_config){.enabled = false};
}
