/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/fsutil.h"
#include "base/strbuf.h"
#include "base/words.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "cli/screen.h"
#include "features/answers/reports/outcome.h"
#include "features/opprof/opprof_options.h"
#include "features/options/finding.h"
#include "features/options/launcher.h"
#include "features/options/lines.h"
#include "features/options/script.h"
#include "parsers/record.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* msprof options: what a file of profiling options switches on, and what comes of it. */

#define MOST_BYTES ((size_t)1024 * 1024) /* as of an acl.json */

/* Standard input, NUL-terminated; to be freed. */
static int read_input(char **ret_text, size_t *ret_length, struct err *err)
{
    struct strbuf text;
    char piece[4096];
    size_t length;

    strbuf_init(&text, MOST_BYTES);
    while (!text.failed && (length = fread(piece, 1, sizeof piece, stdin)) > 0)
        strbuf_add(&text, piece, length);
    if (text.failed || ferror(stdin)) {
        int status = text.failed ? err_set(err, ERR_LIMIT, "standard input is longer than %zu bytes", MOST_BYTES)
                                 : err_set(err, ERR_IO, "cannot read standard input");
        strbuf_release(&text);
        return status;
    }
    *ret_length = text.length;
    *ret_text = strbuf_detach(&text);
    return *ret_text != NULL ? 0 : err_no_memory(err);
}

static int print_answer(const struct settings *settings, struct switch_finding *finding, const char *file)
{
    struct err err = ERR_INIT;
    struct outcome outcome;
    int status;

    if (outcome_of(finding, settings->options.chip, &outcome, &err) < 0 || outcome_warn(&outcome, finding, &err) < 0) {
        status = console_error(&err);
    } else {
        console_output_begin();
        options_print(finding, &outcome, file, (enum options_format)settings->options.format, stdout);
        status = console_output_end(false);
    }
    outcome_release(&outcome);
    return finding->problems.count > 0 ? status_worse(status, STATUS_DATA_PROBLEMS) : status;
}

/* A file that is no object of JSON is a mistake of the command line, others are failures of reading. */
static int tell_unread(const char *file, struct err *err)
{
    bool is_no_json = err->code == ERR_FORMAT;

    if (is_no_json && err->hint[0] == '\0')
        err_hint(err,
                 "{\"profiler\": {\"switch\": \"on\"}} of acl.json, or {\"task_trace\": \"on\"} of PROFILING_OPTIONS");
    err_wrap(err, "cannot read the options of '%s'", file);
    console_error(err);
    return is_no_json ? STATUS_USAGE : status_of_error(err);
}

/* JSON that a script holds: in a string, or as a dict or call of Python. NULL: none. */
static struct json *parse_script(const char *text, size_t length)
{
    SCOPED(strbuf_release) struct strbuf found;
    struct err ignored = ERR_INIT;
    struct json *root = NULL;

    strbuf_init(&found, 2 * MOST_BYTES);
    if (switch_script_read(text, length, &found))
        root = json_parse(found.data, found.length, &ignored);
    if (root != NULL && json_is_object(root))
        return root;
    json_free(root);
    strbuf_clear(&found);
    return switch_python_read(text, length, &found) ? json_parse(found.data, found.length, &ignored) : NULL;
}

/* A comma behind the last member, which Python takes and JSON does not. */
static bool has_spare_comma(const char *text, size_t length)
{
    char before = ' ';

    for (size_t i = 0; i < length; i++) {
        if ((text[i] == '}' || text[i] == ']') && before == ',')
            return true;
        before = strchr(" \t\r\n", text[i]) == NULL ? text[i] : before;
    }
    return false;
}

/* Text that means to be JSON, which the collector reads as it stands: only its own words are repeated. */
static bool means_json(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '{' && strchr(text, '\'') == NULL && strstr(text, "True") == NULL &&
           strstr(text, "False") == NULL && strstr(text, "None") == NULL && strchr(text, '\\') == NULL &&
           strstr(text, "R\"(") == NULL; /* a string of C++ */
}

static size_t name_length(const char *text)
{
    size_t length = 0;

    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length > 0 && isdigit((unsigned char)*text) ? 0 : length;
}

/* The first word outside of quotes that JSON does not have: a key or a text that lacks them. Returns its length, 0:
 * none. */
static size_t bare_word(const char *text, const char **ret)
{
    bool quoted = false;

    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' && (at == text || at[-1] != '\\'))
            quoted = !quoted;
        const size_t length = quoted ? 0 : name_length(at);
        if (length == 0)
            continue;
        if (!words_list_has("true,false,null", at, length)) {
            *ret = at;
            return length;
        }
        at += length - 1;
    }
    return 0;
}

/* How many more braces open than close. */
static int open_braces(const char *text)
{
    bool quoted = false;
    int open = 0;

    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' && (at == text || at[-1] != '\\'))
            quoted = !quoted;
        if (!quoted)
            open += (*at == '{') - (*at == '}');
    }
    return open;
}

/* Names what to change in a text that means to be JSON. false: it is unknown. */
static bool hint_at_mistake(const char *text, size_t length, struct err *err)
{
    const char *word = NULL;

    if (has_spare_comma(text, length))
        err_hint(err, "remove the comma before the closing brace");
    else if (strstr(text, "/*") != NULL)
        err_hint(err, "remove the comment, which JSON does not have");
    else if ((length = bare_word(text, &word)) > 0 && length < 64)
        err_hint(err, "put quotes around %.*s: \"%.*s\"", (int)length, word, (int)length, word);
    else if (open_braces(text) > 0)
        err_hint(err, "add the closing brace");
    else
        return false;
    return true;
}

/* Switches that are no options, and the variable that has these. */
static bool hint_at_switch(const char *text, struct err *err)
{
    static const char *const switches[] = {"PROFILING_MODE", "profiling_mode", "GE_PROFILING_TO_STD_OUT"};

    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strstr(text, switches[i]) != NULL) {
            err_hint(err, "%s has no options; pass the line with PROFILING_OPTIONS or profiling_options", switches[i]);
            return true;
        }
    return false;
}

/* Names what to write instead of a text that holds no options. */
static void hint_at_json(const char *text, size_t length, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf found;

    strbuf_init(&found, ERR_TEXT_SIZE);
    if (switch_colons_read(text, length, &found)) {
        err_hint(err, "%s, as CANN takes it since 2021", found.data);
        return;
    }
    strbuf_clear(&found);
    if (!means_json(text) && switch_command_line_read(text, length, &found)) {
        err_hint(err, "%s, as acl.json has these options", found.data);
        return;
    }
    if ((means_json(text) && hint_at_mistake(text, length, err)) || hint_at_switch(text, err))
        return;
    strbuf_clear(&found);
    if (open_braces(text) > 0)
        err_hint(err, "add the closing brace");
    else if (!means_json(text) && launcher_guess(text, &found))
        err_hint(err, "%s", found.data);
    else
        err_hint(err,
                 "pass a JSON file, or only the dict, call or string from a script, as in: {\"task_trace\": \"on\"}");
}

/* A member without the braces around it, as a part of a file has it: "profiler": {...}. */
static struct json *parse_member(const char *text, size_t length)
{
    SCOPED(strbuf_release) struct strbuf object;
    struct err ignored = ERR_INIT;

    strbuf_init(&object, 2 * MOST_BYTES);
    if (text[strspn(text, " \t\r\n")] != '"' || strbuf_addc(&object, '{') < 0 || strbuf_add(&object, text, length) < 0)
        return NULL;
    while (object.length > 1 && strchr(" \t\r\n,", object.data[object.length - 1]) != NULL)
        strbuf_cut(&object, object.length - 1);
    return strbuf_addc(&object, '}') == 0 ? json_parse(object.data, object.length, &ignored) : NULL;
}

/* Options in lines of a key and a value. NULL: there are none. */
static struct json *parse_lines(const char *text, size_t length)
{
    SCOPED(strbuf_release) struct strbuf found;
    struct err ignored = ERR_INIT;

    strbuf_init(&found, 2 * MOST_BYTES);
    return switch_lines_read(text, length, &found) ? json_parse(found.data, found.length, &ignored) : NULL;
}

/* The form of 2020 in a call, whose words are no keys. */
static bool is_call_of_2020(const char *text, size_t length)
{
    SCOPED(strbuf_release) struct strbuf ignored;

    strbuf_init(&ignored, 2 * MOST_BYTES);
    return strstr(text, "enable_options") != NULL ||
           (strstr(text, "set_context(") != NULL && switch_colons_read(text, length, &ignored));
}

/* Options in a text that is not JSON. NULL: there are none. */
static struct json *parse_text(const char *text, size_t length)
{
    struct json *found = NULL;

    if (means_json(text) || is_call_of_2020(text, length))
        return NULL;
    if ((found = parse_member(text, length)) == NULL && (found = parse_script(text, length)) == NULL)
        found = parse_lines(text, length);
    return found;
}

static struct json *parse(const char *file, const char *text, size_t length, struct err *err)
{
    struct json *root = json_parse(text, length, err), *inner;

    if (root != NULL && json_string(root) == NULL)
        return root;
    inner = root == NULL ? parse_text(text, length) : parse_script(text, length);
    if (inner == NULL) {
        if (root == NULL)
            hint_at_json(text, length, err);
        return root;
    }
    if (root == NULL && words_end_in(file, ".json")) { /* whose reader takes nothing else */
        json_free(inner);
        err_hint(err,
                 "write it as JSON, with double quotes around names and texts: {\"profiler\": {\"switch\": \"on\"}}");
        return NULL;
    }
    json_free(root);
    *err = (struct err)ERR_INIT;
    return inner;
}

/* Whose options they probably are, by the file's name and the words of the script. */
static unsigned likely_writer(const char *file, const char *text)
{
    const char *name = path_name(file);

    if (strstr(name, "acl") != NULL && words_end_in(name, ".json"))
        return SWITCH_ACL;
    if (strstr(text, "torch_npu") != NULL)
        return SWITCH_PYTORCH;
    if (strstr(text, "mindspore") != NULL || strstr(text, "MS_PROFILER_OPTIONS") != NULL ||
        strstr(text, "ms.Profiler") != NULL || strstr(text, " Profiler(") != NULL)
        return SWITCH_MINDSPORE;
    return 0;
}

static int explain(const struct settings *settings, const char *file, const char *text, size_t length)
{
    SCOPED(switch_finding_release) struct switch_finding finding = {.writer = 0};
    struct err err = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf hint;
    strbuf_init(&hint, ERR_TEXT_SIZE);
    const char *whose = launcher_read(text, &hint);

    if (whose != NULL) {
        err_set(&err, ERR_FORMAT, "it holds %s", language_said(whose));
        err_hint(&err, "%s", hint.data != NULL ? hint.data : "");
        return tell_unread(file, &err);
    }
    SCOPED_JSON struct json *root = parse(file, text, length, &err);
    if (root == NULL || switch_check(root, likely_writer(file, text), &finding, &err) < 0)
        return tell_unread(file, &err);
    return print_answer(settings, &finding, file);
}

/* Prints the effect of --aic-metrics of 'msprof op'. */
static int print_op(const struct settings *settings, const char *file)
{
    struct err err = ERR_INIT;

    if (file != NULL)
        return console_fail(ERR_USAGE, NULL, "--op takes no file; try 'msprof options --help'");
    console_output_begin();
    int result = opprof_options_print(settings->options.format == OPTIONS_JSON, screen_answer_width(settings),
                                      screen_is_ascii(), stdout, &err);
    int status = console_output_end(result != 0);
    return result == 0 ? status : console_error(&err);
}

static int run_options(const struct settings *settings)
{
    const char *file = settings->operand_count == 1 ? settings->operands[0] : NULL;
    struct err err = ERR_INIT;
    SCOPED_FREE char *text = NULL;
    size_t length = 0;
    int status;

    if (settings->options.op)
        return print_op(settings, file);
    if (file == NULL)
        return console_fail(ERR_USAGE, NULL,
                            "no file given: pass FILE, or - for standard input; try 'msprof options --help'");
    if (settings->options.chip >= 0 && !chip_is_known(settings->options.chip))
        return console_fail(ERR_USAGE, NULL,
                            "--chip is '%d', expected " CHIPS_KNOWN_TEXT "; try 'msprof options --help'",
                            settings->options.chip);
    if (strcmp(file, "-") == 0)
        status = read_input(&text, &length, &err);
    else
        status = path_read_file(file, MOST_BYTES, &text, &length, &err);
    return status < 0 ? tell_unread(file, &err) : explain(settings, file, text, length);
}

const struct command command_options = {
    .path = "options",
    .people = READ_BY_PEOPLE(options.format, 1U << 0),
    .parent = COMMAND_ROOT,
    .order = 220,
    .summary = "check profiling options and list what they produce",
    .description =
        "Checks profiling options in a JSON file: options of TensorFlow and GE, acl.json (also of SVP\nboards), or "
        "arguments of the MindSpore or PyTorch profiler. Reports unknown keys, wrong\nvalues and missing companion "
        "options; lists what is collected on which chip, and the files\nand columns made from it. YAML, ini\nfiles, "
        "and strings, dicts and calls "
        "from Python or shell scripts work, too.\nExit status 3 if an option is wrong, 2 if FILE contains no "
        "options.\n",
    .operands = "FILE|-",
    .most_operands = 1,
    EXAMPLES({"what an option produces on chip 5", "echo '{\"l2\": \"on\"}' | msprof options - --chip 5"},
             {"as JSON, for programs", "echo '{\"task_time\": \"l1\"}' | msprof options - --format json"},
             {"what --aic-metrics of msprof op collects", "msprof options --op"}),
    .run = run_options,
};
