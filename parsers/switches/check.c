/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/switches/check.h"

#include "base/number.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "parsers/switches/effect.h"
#include "parsers/switches/finding.h"

#include <string.h>

#define MOST_OPTIONS 128  /* of one file; a file of options has some 50 */
#define MOST_TEXT 4096    /* bytes of one value */
#define MOST_GE_TEXT 2047 /* bytes of all that GE takes */
#define FRAMEWORKS (SWITCH_MINDSPORE | SWITCH_PYTORCH)

/* The options of a file as texts. */
struct option_file {
    const struct json *root;
    unsigned writer;
    size_t count;
    struct given {
        const char *key; /* without the underscore that PyTorch's have */
        const struct json *value;
        struct strbuf text;
        bool sound;
    } given[MOST_OPTIONS];
};

const char *switch_writer_name(unsigned writer)
{
    switch (writer) {
    case SWITCH_ACL:
        return "acl.json";
    case SWITCH_SVP:
        return "acl.json of an SVP board";
    case SWITCH_MINDSPORE:
        return "MindSpore";
    case SWITCH_PYTORCH:
        return "PyTorch";
    default:
        return "TensorFlow and GE";
    }
}

/* ---- reading ---- */

static const char *plain_key(const char *key)
{
    return *key == '_' ? key + 1 : key;
}

/* A text as it is, a number in digits, true or false, a list joined by commas. false: it is none of these. */
static bool put_value(struct strbuf *text, const struct json *value)
{
    const char *string = json_string(value);
    char digits[NUMBER_MAX];
    int64_t number;
    bool flag;
    if (string != NULL)
        return strbuf_adds(text, string) == 0;
    if (json_boolean(value, &flag))
        return strbuf_adds(text, flag ? "true" : "false") == 0;
    if (json_integer(value, &number)) {
        *number_put_signed(digits, number) = '\0';
        return strbuf_adds(text, digits) == 0;
    }
    if (!json_is_array(value))
        return false;
    for (const struct json *item = json_first(value); item != NULL; item = json_next(item)) {
        if (json_string(item) == NULL || strbuf_addf(text, "%s%s", text->length > 0 ? "," : "", json_string(item)) < 0)
            return false;
    }
    return true;
}

/* The length of a prefix that a value has in a script of Python: "torch_npu.profiler.ProfilerLevel." */
static size_t enumeration_length(const char *word, size_t length)
{
    static const char classes[] = "ProfilerLevel,ProfilerActivity,AicoreMetrics,AiCMetrics,AicMetrics,HostSystem";
    const char *dot = memrchr(word, '.', length);
    const char *before = dot != NULL ? memrchr(word, '.', (size_t)(dot - word)) : NULL;
    const char *name = before != NULL ? before + 1 : word;
    return dot != NULL && switch_list_has(classes, name, (size_t)(dot - name)) ? (size_t)(dot + 1 - word) : 0;
}

/* Takes such prefixes out of a list divided by commas. */
static void drop_enumerations(struct strbuf *text)
{
    size_t kept = 0;
    for (size_t at = 0; text->data != NULL && at < text->length;) {
        size_t length = strcspn(text->data + at, ",");
        size_t prefix = enumeration_length(text->data + at, length);
        size_t rest = length - prefix + (text->data[at + length] == ',');
        memmove(text->data + kept, text->data + at + prefix, rest);
        kept += rest;
        at += length + (text->data[at + length] == ',');
    }
    strbuf_cut(text, kept);
}

static int take_options(struct option_file *file, const struct json *object, struct err *err)
{
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member)) {
        if (file->count == MOST_OPTIONS)
            return err_set(err, ERR_FORMAT, "it has more than %d options", MOST_OPTIONS);
        struct given *given = &file->given[file->count++];
        given->key = plain_key(json_key(member));
        given->value = member;
        strbuf_init(&given->text, MOST_TEXT);
        given->sound = put_value(&given->text, member);
        drop_enumerations(&given->text);
    }
    return 0;
}

static const char *value_given(const void *arg, const char *key)
{
    const struct option_file *file = arg;
    for (size_t i = 0; i < file->count; i++) {
        if (file->given[i].sound && strcmp(file->given[i].key, key) == 0)
            return file->given[i].text.data;
    }
    return NULL;
}

static size_t count_known(const struct json *object, unsigned writer)
{
    size_t known = 0;
    for (const struct json *member = json_first(object); member != NULL; member = json_next(member))
        known += switch_rule_find(plain_key(json_key(member)), writer) != NULL;
    return known;
}

/* Options that stand in a file as they are belong to whom knows most of them. */
static unsigned plain_writer(const struct json *object)
{
    static const unsigned writers[] = {SWITCH_GE, SWITCH_MINDSPORE, SWITCH_PYTORCH};
    size_t most = 0;
    unsigned best = SWITCH_GE;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        size_t known = count_known(object, writers[i]);
        best = known > most ? writers[i] : best;
        most = known > most ? known : most;
    }
    return best;
}

static bool is_of_svp_board(const struct json *profiler)
{
    for (const struct json *member = json_first(profiler); member != NULL; member = json_next(member)) {
        if (switch_is_of_board(json_key(member)))
            return true;
    }
    return false;
}

static int read_file(struct option_file *file, struct err *err)
{
    const struct json *root = file->root, *profiler = json_member(root, "profiler");
    const struct json *mindspore = json_member(root, "profiler_parameters"), *pytorch = json_member(root, "config");
    if (!json_is_object(root))
        return err_set(err, ERR_FORMAT, "it is no JSON object");
    if (profiler != NULL && !json_is_object(profiler))
        return err_set(err, ERR_FORMAT, "\"profiler\" is no JSON object");
    if (profiler != NULL) {
        file->writer = is_of_svp_board(profiler) ? SWITCH_SVP : SWITCH_ACL;
        return take_options(file, profiler, err);
    }
    if (json_is_object(mindspore)) {
        file->writer = SWITCH_MINDSPORE;
        return take_options(file, mindspore, err);
    }
    if (json_is_object(pytorch)) {
        file->writer = SWITCH_PYTORCH;
        int status = take_options(file, json_member(pytorch, "common_config"), err);
        return status == 0 ? take_options(file, json_member(pytorch, "experimental_config"), err) : status;
    }
    file->writer = plain_writer(root);
    return take_options(file, root, err);
}

/* ---- each option by itself ---- */

static int report_unknown(struct switch_finding *finding, const struct given *given, struct err *err)
{
    struct suggestion nearest;
    suggestion_init(&nearest, given->key);
    for (const struct switch_rule *rule = switch_rules; rule->key != NULL; rule++) {
        if ((rule->writers & finding->writer) != 0)
            suggestion_offer(&nearest, rule->key);
    }
    const char *name = nearest.nearest[0] != '\0' ? nearest.nearest : NULL;
    return finding_problem(finding, given->key, given->text.data, name, err, "there is no such option%s%s",
                           name != NULL ? "; the nearest is " : "", name != NULL ? name : "");
}

/* Finds what is near to a wrong value: a word, or the end of the range that it is beyond. */
static const char *near_value(const struct switch_rule *rule, const char *value, struct suggestion *nearest,
                              char digits[NUMBER_MAX])
{
    int64_t number;
    if (rule->check == SWITCH_RANGE && number_parse_integer(value, strlen(value), &number) == 0) {
        *number_put_signed(digits, number < rule->low ? rule->low : number > rule->high ? rule->high : number) = '\0';
        return digits;
    }
    suggestion_init(nearest, value);
    for (const char *word = rule->words; word != NULL && *word != '\0';) {
        char copy[SUGGESTION_SIZE] = "";
        size_t length = strcspn(word, ",");
        if (length < sizeof copy) {
            memcpy(copy, word, length);
            suggestion_offer(nearest, copy);
        }
        word += length + (word[length] == ',');
    }
    return nearest->nearest[0] != '\0' ? nearest->nearest : NULL;
}

static bool is_right_type(const struct switch_rule *rule, const struct given *given, unsigned writer)
{
    bool flag, is_text = json_string(given->value) != NULL, is_flag = json_boolean(given->value, &flag);
    if (rule->check == SWITCH_ANY)
        return true;
    if (!given->sound)
        return false;
    if (rule->check == SWITCH_FLAG)
        return is_flag;
    if (rule->as_number)
        return !is_text && !is_flag;
    if ((writer & FRAMEWORKS) == 0 && rule->check != SWITCH_RANGE)
        return is_text;
    return !is_flag;
}

static const char *right_type(const struct switch_rule *rule)
{
    return rule->check == SWITCH_FLAG ? "true or false, without quotes"
           : rule->as_number          ? "a number, without quotes"
                                      : "a text in quotes";
}

static int check_option(struct switch_finding *finding, const struct given *given, struct err *err)
{
    const struct switch_rule *rule = switch_rule_find(given->key, finding->writer);
    const char *value = given->text.data;
    char allowed[SWITCH_REASON_SIZE], digits[NUMBER_MAX];
    struct suggestion nearest;
    if (rule == NULL)
        return report_unknown(finding, given, err);
    if (rule->check != SWITCH_ANY && !switch_rule_allows(rule, value)) {
        switch_rule_tell(rule, allowed);
        return finding_problem(finding, given->key, value, near_value(rule, value, &nearest, digits), err,
                               "it must be %s", allowed);
    }
    if (!is_right_type(rule, given, finding->writer))
        return finding_problem(finding, given->key, value, given->sound ? value : NULL, err, "it must be %s",
                               right_type(rule));
    return 0;
}

/* ---- what holds ---- */

/* Sets what "key=value key=value" says; '*' is the option's own value. */
static int set_all(struct switch_finding *finding, const char *means, const char *own, struct err *err)
{
    char word[96], *sign;
    int status = 0;
    while (status == 0 && *means != '\0') {
        size_t length = strcspn(means, " ");
        if (length >= sizeof word)
            return err_set(err, ERR_LIMIT, "a meaning is too long");
        memcpy(word, means, length);
        word[length] = '\0';
        if ((sign = strchr(word, '=')) != NULL) {
            *sign = '\0';
            status = finding_set(finding, word, strcmp(sign + 1, "*") == 0 ? own : sign + 1, err);
        }
        means += length + (means[length] == ' ');
    }
    return status;
}

static int set_one(struct switch_finding *finding, const char *key, const char *value, struct err *err)
{
    bool known = false;
    int status = 0;
    for (const struct switch_meaning *meaning = switch_meanings; status == 0 && meaning->key != NULL; meaning++) {
        if ((meaning->writers & finding->writer) == 0 || strcmp(meaning->key, key) != 0)
            continue;
        known = true;
        if (meaning->value != NULL ? strcmp(value, meaning->value) == 0 : *value != '\0' && strcmp(value, "false") != 0)
            status = set_all(finding, meaning->means, value, err);
    }
    return known ? status : finding_set(finding, key, value, err);
}

/* Metrics have other words in frameworks, and depend on the level there. */
static int settle_metrics(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    static const char *const words[][2] = {{"ACL_AICORE_PIPE_UTILIZATION", "PipeUtilization"},
                                           {"ACL_AICORE_ARITHMETIC_UTILIZATION", "ArithmeticUtilization"},
                                           {"ACL_AICORE_MEMORY_BANDWIDTH", "Memory"},
                                           {"ACL_AICORE_L0B_AND_WIDTH", "MemoryL0"},
                                           {"ACL_AICORE_RESOURCE_CONFLICT_RATIO", "ResourceConflictRatio"},
                                           {"ACL_AICORE_MEMORY_UB", "MemoryUB"},
                                           {"ACL_AICORE_L2_CACHE", "L2Cache"},
                                           {"ACL_AICORE_MEMORY_ACCESS", "MemoryAccess"},
                                           {"ACL_AICORE_NONE", "None"},
                                           {"AiCoreNone", "None"}};
    const char *metrics = switch_option_value(finding, "aic_metrics"), *level = value_given(file, "profiler_level");
    for (size_t i = 0; metrics != NULL && i < sizeof words / sizeof *words; i++) {
        if (strcmp(metrics, words[i][0]) == 0)
            metrics = words[i][1];
    }
    if (finding->writer == SWITCH_SVP)
        return 0;
    if ((finding->writer & FRAMEWORKS) != 0) {
        bool high = level != NULL && switch_list_has("Level1,Level2", level, strlen(level));
        bool none = metrics == NULL || strcmp(metrics, "None") == 0;
        metrics = !high ? NULL : none ? "PipeUtilization" : metrics;
    } else if (metrics != NULL && *metrics == '\0') {
        metrics = "PipeUtilization";
    }
    return finding_set(finding, "aic_metrics", metrics, err);
}

/* Sets the options that GE uses where profiling is switched on without any. */
static int set_usual_of_ge(struct switch_finding *finding, struct err *err)
{
    return set_all(finding, "training_trace=on task_time=on hccl=on aicpu=on aic_metrics=PipeUtilization", "", err);
}

static int set_usual(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    for (const struct switch_rule *rule = switch_rules; rule->key != NULL; rule++)
        if ((rule->writers & file->writer) != 0 && rule->usual != NULL && value_given(file, rule->key) == NULL)
            if (set_one(finding, rule->key, rule->usual, err) < 0)
                return -(int)err->code;
    if (file->writer == SWITCH_SVP && set_all(finding, "aicpu=on aic_metrics=" SWITCH_BOARD_METRICS, "", err) < 0)
        return -(int)err->code;
    return 0;
}

/* Frameworks whose activities leave the device out start nothing of CANN. */
static bool is_without_device(const struct option_file *file)
{
    const char *activities = (file->writer & FRAMEWORKS) != 0 ? value_given(file, "activities") : NULL;
    return activities != NULL && !switch_list_has(activities, "NPU", strlen("NPU"));
}

static bool is_switched_off(const struct option_file *file)
{
    const char *on = value_given(file, "switch");
    return (file->writer & (SWITCH_ACL | SWITCH_SVP)) != 0 && (on == NULL || strcmp(on, "on") != 0);
}

static int settle(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    if (is_switched_off(file) || is_without_device(file))
        return 0;
    if (file->writer == SWITCH_GE && file->count == 0)
        return set_usual_of_ge(finding, err);
    int status = set_usual(finding, file, err);
    for (size_t i = 0; status == 0 && i < file->count; i++) {
        const struct given *given = &file->given[i];
        const struct switch_rule *rule = switch_rule_find(given->key, file->writer);
        if (rule != NULL && rule->check != SWITCH_ANY && given->sound && switch_rule_allows(rule, given->text.data))
            status = set_one(finding, given->key, given->text.data, err);
    }
    return status == 0 ? settle_metrics(finding, file, err) : status;
}

/* ---- what holds otherwise than one may expect ---- */

static int warn_of_metrics(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    static const char *const keys[] = {"aic_metrics", "aac_metrics", "aicore_metrics"};
    const char *collected = switch_option_value(finding, "aic_metrics");
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof keys / sizeof *keys; i++) {
        const char *value = value_given(file, keys[i]);
        if (value == NULL)
            continue;
        if (file->writer == SWITCH_SVP && strcmp(value, SWITCH_BOARD_METRICS) != 0)
            status =
                finding_warning(finding, keys[i], value, NULL, err,
                                "no metrics are collected: boards count " SWITCH_BOARD_METRICS " and nothing else");
        else if ((file->writer & FRAMEWORKS) != 0 && collected != NULL && strcmp(collected, "PipeUtilization") == 0 &&
                 switch_list_has("AiCoreNone,ACL_AICORE_NONE", value, strlen(value)))
            status =
                finding_warning(finding, keys[i], value, NULL, err, "%s collects PipeUtilization at %s all the same",
                                switch_writer_name(file->writer), value_given(file, "profiler_level"));
    }
    return status;
}

static int warn(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    if (is_without_device(file))
        return finding_warning(finding, "activities", value_given(file, "activities"), "CPU,NPU", err,
                               "without NPU nothing of CANN is collected");
    return is_switched_off(file) ? 0 : warn_of_metrics(finding, file, err);
}

/* ---- the file as a whole ---- */

static int check_whole(struct switch_finding *finding, const struct option_file *file, struct err *err)
{
    const struct json *dump = json_member(file->root, "dump");
    const char *dump_switch = json_string(json_member(dump, "dump_switch"));
    bool dumps =
        json_first(json_member(dump, "dump_list")) != NULL || (dump_switch != NULL && strcmp(dump_switch, "on") == 0);
    size_t length = 2;
    int status = 0;
    if (is_switched_off(file))
        status = finding_problem(finding, "switch", value_given(file, "switch"), "on", err,
                                 "nothing is collected unless switch is on");
    else if ((file->writer & (SWITCH_ACL | SWITCH_SVP)) != 0 && dumps)
        status = finding_problem(finding, "dump", "on", NULL, err, "dump and profiler exclude each other");
    for (size_t i = 0; i < file->count; i++)
        length += strlen(file->given[i].key) + file->given[i].text.length + strlen("\"\":\"\",");
    if (status == 0 && file->writer == SWITCH_GE && length > MOST_GE_TEXT)
        status = finding_problem(finding, "", NULL, NULL, err, "the options take %zu bytes; GE takes at most %d",
                                 length, MOST_GE_TEXT);
    return status;
}

int switch_check(const struct json *root, struct switch_finding *ret, struct err *err)
{
    struct option_file file = {.root = root};
    bool failed = read_file(&file, err) < 0;
    *ret = (struct switch_finding){.writer = file.writer};
    for (size_t i = 0; !failed && i < file.count; i++)
        failed = check_option(ret, &file.given[i], err) < 0;
    failed = failed || check_whole(ret, &file, err) < 0 || finding_relations(ret, value_given, &file, err) < 0 ||
             settle(ret, &file, err) < 0 || warn(ret, &file, err) < 0;
    for (size_t i = 0; i < file.count; i++)
        strbuf_release(&file.given[i].text);
    return failed ? -(int)err->code : 0;
}
