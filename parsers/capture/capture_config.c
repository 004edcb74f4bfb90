/* SPDX-License-Identifier: Apache-2.0 */
/* Small files beside the data: info.json, net.info, .done. Each is bounded, and none is trusted. */
#include "parsers/capture/capture_files.h"

#include "base/file/checksum.h"
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "base/language.h"
#include "base/number.h"
#include "base/suggest.h"
#include "parsers/capture/config_keys.h"
#include "parsers/capture/done_texts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DONE_TIME_LIMIT_NS (INT64_MAX / 2) /* 146 years: room to add an inference's own time */

static void report_config(struct capture *capture, const char *name, const char *field, const char *text)
{
    diag_report(capture->diag, DIAG_CONFIG_INVALID, FILE_PLACE(name, field), "%s", text);
}

/* The file's text, or NULL after a report; NULL with err->code set when memory ran out. */
static char *read_text(struct capture *capture, const char *name, size_t *ret_length, struct err *err)
{
    struct err problem = ERR_INIT;
    char *text = NULL;
    int status = capture_file_read(capture, name, CONFIG_FILE_LIMIT, &text, ret_length, &problem);
    if (status == 0)
        return text;
    if (status == -ERR_NO_MEMORY)
        *err = problem;
    else
        diag_report(capture->diag, status == -ERR_LIMIT ? DIAG_FILE_LIMIT : DIAG_FILE_UNREADABLE,
                    FILE_PLACE(name, NULL), "%s; expected a text file of at most %d bytes", err_message(&problem),
                    CONFIG_FILE_LIMIT);
    return NULL;
}

/* Thousandths of MHz; -1 when absent or not a frequency (which config_keys_check reports). */
static int64_t read_frequency(const struct json *device, const char *key)
{
    int64_t hz = config_hertz(json_member(device, key));
    return hz >= 1000 ? hz / 1000 : -1;
}

static int take_device(struct capture *capture, const struct json *entry, int64_t file_device, struct err *err)
{
    int64_t device_id = file_device;
    const struct json *id = json_member(entry, "id");
    if (id != NULL && (!json_integer(id, &device_id) || device_id < 0))
        return 0; /* config_keys_check reports it */
    int64_t core = read_frequency(entry, "aic_frequency");
    int64_t counter = read_frequency(entry, "hwts_frequency");
    struct device_info *device = capture_add_device(capture, device_id, err);
    if (device == NULL)
        return err->code != ERR_NONE ? err_status(err) : 0;
    if (core > 0)
        device->core_khz = core;
    if (counter > 0)
        device->counter_khz = counter;
    return 0;
}

static int take_info(struct capture *capture, const char *name, const struct json *root, struct err *err)
{
    static const char info_json[] = "info.json.";
    const char *suffix = capture_base_name(name);
    int64_t file_device = 0;
    if (strncmp(suffix, info_json, strlen(info_json)) == 0 &&
        number_parse_integer(suffix + strlen(info_json), strlen(suffix) - strlen(info_json), &file_device) != 0) {
        report_config(capture, name, NULL,
                      LANGUAGE_MARK("no device number in the name; expected info.json.<device>; it is ignored"));
        return 0;
    }
    const struct json *devices = json_member(root, "DeviceInfo");
    if (!json_is_array(devices)) {
        report_config(capture, name, "DeviceInfo",
                      LANGUAGE_MARK("no list of devices; expected {\"DeviceInfo\": [{\"aic_frequency\": \"600\"}]}"));
        return 0;
    }
    int status = 0;
    for (const struct json *entry = json_first(devices); entry != NULL && status == 0; entry = json_next(entry)) {
        if (!json_is_object(entry))
            report_config(capture, name, "DeviceInfo", LANGUAGE_MARK("an entry is not an object; it is ignored"));
        else
            status = take_device(capture, entry, file_device, err);
    }
    return status;
}

static int take_net(struct capture *capture, const char *name, const struct json *root, struct err *err)
{
    struct file_identity identity;
    if (!capture_match_name("{model}.{model_id}.net.info", capture_base_name(name), &identity))
        return 0;
    if (identity.out_of_memory)
        return err_no_memory(err);
    struct capture_model *model = capture_add_model(capture, identity.model, identity.model_id, err);
    file_identity_release(&identity);
    int64_t batch_num;
    if (model != NULL && json_integer(json_member(root, "batch_num"), &batch_num) && batch_num >= 0)
        model->batch_num = batch_num;
    return err->code != ERR_NONE ? err_status(err) : 0;
}

static int checksum_text(struct capture_file *file, const char *text, size_t length, struct err *err)
{
    checksum_of_kind(CHECKSUM_XXH128, text, length, file->checksum);
    return *file->checksum != '\0' ? 0 : err_no_memory(err);
}

/* The object of a file of JSON into *ret; NULL after a report that it is none. */
static int parse_object(struct capture *capture, const char *name, const char *text, size_t length, struct json **ret,
                        struct err *err)
{
    struct err mistake = ERR_INIT;
    struct json *root = json_parse(text, length, &mistake);
    *ret = NULL;
    if (mistake.code == ERR_NO_MEMORY) {
        *err = mistake;
        return -ERR_NO_MEMORY;
    }
    if (json_is_object(root)) {
        *ret = root;
        return 0;
    }
    report_config(capture, name, NULL,
                  root == NULL ? err_message(&mistake) : LANGUAGE_MARK("not a JSON object; it is ignored"));
    json_free(root);
    return 0;
}

/* Takes from a file the facts about its part, and about the capture. */
static int take_config(struct capture *capture, size_t part, const struct config_file *file, struct err *err)
{
    const char *name = capture_base_name(file->name);
    int status = part_read_config(&capture->parts[part], file, err);
    if (status < 0 || file->root == NULL || part_prefix(file->name) > 0)
        return status;
    if (strncmp(name, "info.json", strlen("info.json")) == 0)
        return take_info(capture, file->name, file->root, err);
    return take_net(capture, file->name, file->root, err);
}

int capture_read_config(struct capture *capture, const struct entry *entry, struct err *err)
{
    size_t length;
    SCOPED_FREE char *text = read_text(capture, entry->name, &length, err);
    if (text == NULL)
        return err->code != ERR_NONE ? err_status(err) : 0;
    struct capture_file *file = capture_add_file(capture, entry);
    int status = file != NULL ? checksum_text(file, text, length, err) : err_no_memory(err);
    SCOPED_JSON struct json *root = NULL;
    if (status == 0 && config_is_json(capture_base_name(entry->name)))
        status = parse_object(capture, entry->name, text, length, &root, err);
    if (status == 0)
        status = take_config(capture, file->part, &(struct config_file){entry->name, text, root, capture->diag}, err);
    return status;
}

/* Nets with regions have lines of two numbers below online_batch_num. */
static bool is_pair_of_numbers(const char *line, size_t length)
{
    size_t numbers = 0;
    for (const char *p = line, *end = line + length; p < end;) {
        size_t digits = 0;
        while (p < end && (isspace((unsigned char)*p) || *p == ','))
            p++;
        while (p + digits < end && isdigit((unsigned char)p[digits]))
            digits++;
        if (digits == 0 && p < end)
            return false;
        numbers += digits > 0;
        p += digits;
    }
    return numbers == 2;
}

/* One "key:value" line with blanks allowed around both. */
static bool take_done_line(const char *line, size_t length, struct done_info *done)
{
    static const struct {
        const char *key;
        size_t member;
    } keys[] = {
        {"filesize", offsetof(struct done_info, file_size)},
        {"starttime", offsetof(struct done_info, start_ns)},
        {"endtime", offsetof(struct done_info, end_ns)},
        {"icache_hit", offsetof(struct done_info, icache_hit)},
        {"icache_miss", offsetof(struct done_info, icache_miss)},
        /* the spellings of other boards */
        {"file_len", offsetof(struct done_info, file_size)},
        {"start_time", offsetof(struct done_info, start_ns)},
        {"end_time", offsetof(struct done_info, end_ns)},
        {"cache_hit", offsetof(struct done_info, icache_hit)},
        {"cache_mis", offsetof(struct done_info, icache_miss)},
    };
    const char *colon = memchr(line, ':', length);
    if (colon == NULL)
        return is_pair_of_numbers(line, length);
    const char *value = colon + 1, *end = line + length, *key_end = colon;
    while (line < key_end && isspace((unsigned char)*line))
        line++;
    while (key_end > line && isspace((unsigned char)key_end[-1]))
        key_end--;
    while (value < end && isspace((unsigned char)*value))
        value++;
    while (end > value && isspace((unsigned char)end[-1]))
        end--;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].key) == (size_t)(key_end - line) && memcmp(keys[i].key, line, strlen(keys[i].key)) == 0) {
            int64_t *target = (int64_t *)(void *)((char *)done + keys[i].member);
            return number_parse_integer(value, (size_t)(end - value), target) == 0;
        }
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t known = strlen(keys[i].key), length_of_key = (size_t)(key_end - line);
        if (known <= length_of_key + 1 && length_of_key <= known + 1 &&
            suggestion_edit_distance(line, length_of_key, keys[i].key, known) == 1)
            return false; /* one of these, damaged */
    }
    return true; /* unknown keys are allowed */
}

static void parse_done(struct capture *capture, const char *name, const char *text, size_t length,
                       struct done_info *ret)
{
    int64_t number = 0;
    for (const char *line = text, *end = text + length; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t line_length = (size_t)((newline != NULL ? newline : end) - line);
        struct place place = {name, ++number, line - text, NULL};
        if (line_length > 0 && !take_done_line(line, line_length, ret))
            diag_report(capture->diag, DIAG_CONFIG_INVALID, &place, "'%.*s'; expected key:value, such as filesize:7680",
                        (int)(line_length < 80 ? line_length : 80), line);
        line += line_length + 1;
    }
    if (ret->start_ns > DONE_TIME_LIMIT_NS || ret->end_ns > DONE_TIME_LIMIT_NS) {
        diag_report(capture->diag, DIAG_CONFIG_INVALID,
                    FILE_PLACE(name, ret->start_ns > DONE_TIME_LIMIT_NS ? "starttime" : "endtime"),
                    "%lld ns; expected at most %lld; neither time is used",
                    (long long)(ret->start_ns > DONE_TIME_LIMIT_NS ? ret->start_ns : ret->end_ns),
                    (long long)DONE_TIME_LIMIT_NS);
        ret->start_ns = ret->end_ns = -1;
    }
    if (ret->start_ns >= 0 && ret->end_ns >= 0 && ret->end_ns < ret->start_ns) {
        diag_report(capture->diag, DIAG_CONFIG_INVALID, FILE_PLACE(name, "endtime"),
                    "endtime %lld, expected at least the starttime %lld; neither is used", (long long)ret->end_ns,
                    (long long)ret->start_ns);
        ret->start_ns = ret->end_ns = -1;
    }
}

int capture_read_done(struct capture *capture, const char *name, struct done_info *ret, struct err *err)
{
    size_t length;
    const char *ahead = done_texts_take(capture->done_texts, name, &length);
    SCOPED_FREE char *text = ahead == NULL ? read_text(capture, name, &length, err) : NULL;
    *ret = (struct done_info){true, -1, -1, -1, -1, -1};
    if (ahead != NULL || text != NULL)
        parse_done(capture, name, ahead != NULL ? ahead : text, length, ret);
    return err->code == ERR_NONE ? 0 : err_status(err);
}
