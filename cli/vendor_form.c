/* SPDX-License-Identifier: Apache-2.0 */
/* A line is split into words "--name=value" first, and the program with its arguments behind them. Each command that it
 * asks for gets the words that the command has. */
#include "cli/vendor_form.h"

#include "base/words.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "cli/options/vendor_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Commands that each form asks for. The vendor's export writes both kinds of reports, and the database. */
static const struct form {
    const char *option;
    enum command_id command;
    const char *words[3];
} forms[] = {
    {"--parse", COMMAND_IMPORT, {"import", NULL}},
    {"--export", COMMAND_EXPORT_TIMELINE, {"export", "timeline", NULL}},
    {"--export", COMMAND_EXPORT_SUMMARY, {"export", "summary", NULL}},
    {"--export", COMMAND_EXPORT_DB, {"export", "db", NULL}},
    {"--analyze", COMMAND_ANALYSE, {"analyse", "--rule=communication,communication_matrix", NULL}},
    {"--query", COMMAND_QUERY, {"query", NULL}},
};

#define FORMS (sizeof forms / sizeof *forms)

/* All zero: empty. */
struct vendor_line {
    struct words options; /* "--name=value", or as it was typed */
    struct words program; /* with its arguments */
    struct words others;  /* directories, which are captures */
    bool collects;        /* an option says how to */
    bool has_option;      /* of the vendor's tool */
};

static void line_release(struct vendor_line *line)
{
    words_release(&line->options);
    words_release(&line->program);
    words_release(&line->others);
}

/* ---- reading ---- */

/* The last value of an option; NULL: it is not given, or without a value. */
static const char *value_of(const struct vendor_line *line, const char *name)
{
    const size_t length = strlen(name);

    for (size_t i = line->options.count; i-- > 0;) {
        const char *word = line->options.items[i];
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return word + length + 1;
    }
    return NULL;
}

static bool is_asked(const struct vendor_line *line, const struct form *form)
{
    const char *value = value_of(line, form->option);

    return value != NULL && strcmp(value, "on") == 0;
}

static bool asks_for_results(const struct vendor_line *line)
{
    for (size_t i = 0; i < FORMS; i++) {
        if (is_asked(line, &forms[i]))
            return true;
    }
    return false;
}

/* Whether the next word is the value of an option of the vendor's tool. */
static bool vendor_value_follows(const char *name, const char *equals, const char *next)
{
    const bool is_switch = vendor_option_use(name) == VENDOR_OPTION_SELECTS || strcmp(name, "--clear") == 0;

    if (next == NULL || equals != NULL)
        return false;
    return is_switch ? strcmp(next, "on") == 0 || strcmp(next, "off") == 0 : next[0] != '-';
}

/* Whether it is one of an option of the commands that a form stands for. */
static bool own_value_follows(const char *word, const char *next)
{
    for (size_t i = 0; i < FORMS && next != NULL && strchr(word, '=') == NULL; i++) {
        const struct option_spec *option = option_of_word(forms[i].command, word);
        if (option != NULL)
            return option->type != VALUE_NONE;
    }
    return false;
}

/* Adds an option; *at is that of its word, and moves to its value where that is a word of its own. */
static int add_option(struct vendor_line *line, char **argv, int *at, struct err *err)
{
    const char *word = argv[*at], *next = argv[*at + 1], *name;
    const enum vendor_option_use use = vendor_option_find(word, &name);

    line->has_option |= use != VENDOR_OPTION_NONE;
    line->collects |= use == VENDOR_OPTION_COLLECTS || use == VENDOR_OPTION_PROGRAM;
    if (use == VENDOR_OPTION_NONE && own_value_follows(word, next)) {
        ++*at;
        return words_add(&line->options, word, err) < 0 ? err_status(err) : words_add(&line->options, next, err);
    }
    if (use == VENDOR_OPTION_NONE)
        return words_add(&line->options, word, err);
    const char *equals = strchr(word, '=');
    const bool follows = vendor_value_follows(name, equals, next);
    *at += follows;
    SCOPED(strbuf_release) struct strbuf joined;
    strbuf_init(&joined, SIZE_MAX);
    strbuf_adds(&joined, name);
    if (follows)
        strbuf_addf(&joined, "=%s", next);
    else if (equals != NULL)
        strbuf_adds(&joined, equals);
    return joined.failed ? err_no_memory(err) : words_add(&line->options, joined.data, err);
}

static bool is_directory(const char *word)
{
    struct stat info;

    return stat(word, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The value of --application is a program, maybe with arguments. */
static int add_application(struct vendor_line *line, struct err *err)
{
    const char *value = value_of(line, "--application");
    struct err ignored = ERR_INIT;

    if (value == NULL || words_split(&line->program, value, &ignored) == 0)
        return 0;
    return words_add(&line->program, value, err); /* a quote has no end */
}

static int read_line(struct vendor_line *ret, int argc, char **argv, struct err *err)
{
    int i = 1, status = 0;

    for (; status == 0 && i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] == '-')
            status = add_option(ret, argv, &i, err);
        else if (is_directory(argv[i]))
            status = words_add(&ret->others, argv[i], err);
        else
            break;
    }
    if (status == 0)
        status = add_application(ret, err);
    for (; status == 0 && i < argc; i++) {
        if (strcmp(argv[i], "--") != 0)
            status = words_add(&ret->program, argv[i], err);
    }
    return status;
}

/* A line that collects: a program, or how to do it, and no command of ours. */
static bool is_collecting(const struct vendor_line *line)
{
    if (line->program.count > 0 && command_find(COMMAND_ROOT, line->program.items[0]) != COMMAND_COUNT)
        return false;
    return line->collects || (line->has_option && line->program.count > 0);
}

/* A line with options of the vendor's alone: it names no command of ours. */
static bool is_without_command(const struct vendor_line *line)
{
    return line->has_option && line->program.count == 0;
}

bool vendor_form_is(int argc, char **argv)
{
    SCOPED(line_release) struct vendor_line line = {.collects = false};
    struct err err = ERR_INIT;

    if (argc < 2 || argv[1][0] != '-' || read_line(&line, argc, argv, &err) < 0)
        return false;
    return asks_for_results(&line) || is_collecting(&line) || is_without_command(&line);
}

/* ---- collecting ---- */

/* The nearest command of ours: the program recorded, or what was collected imported. */
static int put_nearest(const struct vendor_line *line, struct strbuf *hint, struct err *err)
{
    SCOPED(words_release) struct words directory = {.items = NULL};
    const bool runs = line->program.count > 0;
    const char *output = value_of(line, "--output");

    if (words_add(&directory, output != NULL ? output : "CAPTURE", err) < 0)
        return err_status(err);
    strbuf_adds(hint, runs ? "msprof run" : "msprof import");
    if (output != NULL && runs)
        strbuf_adds(hint, " --output");
    if (output != NULL || !runs)
        words_show(&directory, hint);
    if (runs) {
        strbuf_adds(hint, " --");
        words_show(&line->program, hint);
    }
    return hint->failed ? err_no_memory(err) : 0;
}

static int refuse_collecting(const struct vendor_line *line)
{
    SCOPED(strbuf_release) struct strbuf hint;
    struct err err = ERR_INIT;

    strbuf_init(&hint, SIZE_MAX);
    if (put_nearest(line, &hint, &err) < 0)
        return console_error(&err);
    return console_fail(ERR_USAGE, hint.data,
                        line->program.count > 0 ? VENDOR_COLLECTS_PROGRAM : VENDOR_COLLECTS_DEVICE);
}

/* ---- results ---- */

/* The option of a command that a word is, with a value that it can have; NULL: none. */
static const struct option_spec *option_for(enum command_id command, const char *word, const char *next)
{
    const struct option_spec *option = option_of_word(command, word);
    const char *equals = strchr(word, '='), *value = equals != NULL ? equals + 1 : next;
    bool fits =
        option != NULL && (option->type != VALUE_CHOICE || value == NULL || choice_find(option->choices, value) >= 0);

    return fits ? option : NULL;
}

/* How many words from this one on are an option of other commands that are asked for, and not of this one. */
static int words_of_others(const struct vendor_line *line, const struct form *form, size_t at)
{
    const char *word = line->options.items[at], *next = line->options.items[at + 1];
    const struct option_spec *others = NULL;

    if (option_for(form->command, word, next) != NULL)
        return 0;
    for (size_t i = 0; i < FORMS && others == NULL; i++) {
        if (is_asked(line, &forms[i]))
            others = option_for(forms[i].command, word, next);
    }
    if (others == NULL)
        return 0;
    return others->type != VALUE_NONE && strchr(word, '=') == NULL && next != NULL ? 2 : 1;
}

static bool makes_database_only(const struct vendor_line *line)
{
    const char *type = value_of(line, "--type");

    return type != NULL && strcmp(type, "db") == 0;
}

/* Whether a form's command is run: --type=db leaves the export of texts out. */
static bool is_run(const struct vendor_line *line, const struct form *form)
{
    const bool writes_text = form->command == COMMAND_EXPORT_TIMELINE || form->command == COMMAND_EXPORT_SUMMARY;

    return is_asked(line, form) && !(writes_text && makes_database_only(line));
}

/* Whether it is the last one that reads the database, which --clear=on removes then. */
static bool is_last(const struct vendor_line *line, const struct form *form)
{
    for (const struct form *later = form + 1; later < forms + FORMS; later++) {
        if (is_run(line, later) && later->command != COMMAND_QUERY)
            return false;
    }
    return form->command != COMMAND_QUERY;
}

static bool is_word(const char *word, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

static int add_renamed(struct words *words, const char *name, const char *value, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf word;

    strbuf_init(&word, SIZE_MAX);
    strbuf_addf(&word, "%s=%s", name, value);
    return word.failed ? err_no_memory(err) : words_add(words, word.data, err);
}

/* Adds an option of the vendor's in the words of a command. false: it is none that has other words here. */
static bool add_translated(struct words *words, const struct vendor_line *line, const struct form *form,
                           const char *word, int *ret_status, struct err *err)
{
    const char *equals = strchr(word, '='), *value = equals != NULL ? equals + 1 : NULL;

    *ret_status = 0;
    if (vendor_option_use(word) == VENDOR_OPTION_SELECTS || is_word(word, "--python-path"))
        return true;
    if (is_word(word, "--output") && value != NULL) {
        *ret_status = add_renamed(words, "--collection-dir", value, err);
    } else if (is_word(word, "--type") && value != NULL && form->command != COMMAND_ANALYSE) {
        return true;
    } else if (is_word(word, "--summary-format") && value != NULL) {
        if (form->command == COMMAND_EXPORT_SUMMARY)
            *ret_status = add_renamed(words, "--format", value, err);
    } else if (is_word(word, "--clear") && (value == NULL || strcmp(value, "on") == 0 || strcmp(value, "off") == 0)) {
        if (is_last(line, form) && (value == NULL || strcmp(value, "on") == 0))
            *ret_status = words_add(words, "--clear", err);
    } else {
        return false;
    }
    return true;
}

/* Makes the command line of a form: its output is the directory that the captures are in. */
static int translate(const struct vendor_line *line, const struct form *form, struct words *ret, struct err *err)
{
    int status = words_add(ret, "msprof", err);

    for (size_t i = 0; status == 0 && form->words[i] != NULL; i++)
        status = words_add(ret, form->words[i], err);
    for (size_t i = 0; status == 0 && i < line->options.count; i++) {
        const char *word = line->options.items[i];
        if (add_translated(ret, line, form, word, &status, err))
            continue;
        const int others = word[0] == '-' ? words_of_others(line, form, i) : 0;
        if (others > 0)
            i += (size_t)others - 1;
        else
            status = words_add(ret, word, err);
    }
    for (size_t i = 0; status == 0 && i < line->others.count; i++)
        status = words_add(ret, line->others.items[i], err);
    return status;
}

/* Runs each command that is asked for, or checks its command line, up to the first that is wrong: it is so for the
 * others, too. */
static int run_each(const struct vendor_line *line, command_runner *run, bool only_check)
{
    int worst = STATUS_DONE;

    for (size_t i = 0; i < FORMS && worst != STATUS_USAGE && (!only_check || worst == STATUS_DONE); i++) {
        SCOPED(words_release) struct words words = {.items = NULL};
        struct err err = ERR_INIT;
        if (!is_run(line, &forms[i]))
            continue;
        int status = translate(line, &forms[i], &words, &err) < 0 ? console_error(&err)
                                                                  : run((int)words.count, words.items, only_check);
        /* captures of boards, and those of before 2023, have no such database, which is said */
        if (status == STATUS_NOTHING && forms[i].command == COMMAND_EXPORT_DB && !makes_database_only(line))
            status = STATUS_DONE;
        worst = status_worse(worst, status);
    }
    return worst;
}

/* Options that say how, and none that says what. */
static int refuse_without_form(const struct vendor_line *line)
{
    const char *output = value_of(line, "--output");
    SCOPED(words_release) struct words directory = {.items = NULL};
    SCOPED(strbuf_release) struct strbuf hint;
    struct err err = ERR_INIT;

    strbuf_init(&hint, SIZE_MAX);
    for (size_t i = 0; i < FORMS; i++) {
        const char *value = value_of(line, forms[i].option);
        if (value != NULL && strcmp(value, "off") != 0)
            return console_fail(ERR_USAGE, NULL, "%s is '%s', expected on or off", forms[i].option, value);
    }
    if (words_add(&directory, output != NULL ? output : "CAPTURE", &err) < 0)
        return console_error(&err);
    strbuf_adds(&hint, "msprof --export=on --output");
    words_show(&directory, &hint);
    return console_fail(ERR_USAGE, hint.failed ? NULL : hint.data,
                        "nothing to do: pass --export=on, --parse=on, --query=on or --analyze=on");
}

/* Whether the line has an option, with a value or without. */
static bool has_word(const struct vendor_line *line, const char *name)
{
    for (size_t i = 0; i < line->options.count; i++) {
        if (is_word(line->options.items[i], name))
            return true;
    }
    return false;
}

/* The capture is the value of --output here. */
static int check_output(const struct vendor_line *line)
{
    const char *output = value_of(line, "--output");
    const bool is_named = output != NULL || line->others.count > 0 || has_word(line, "-dir") ||
                          has_word(line, "-output") || has_word(line, "--dir") || has_word(line, "--collection-dir");

    if (output != NULL && output[0] == '\0')
        return console_fail(ERR_USAGE, NULL, "--output is empty, expected the directory of the capture");
    if (output == NULL && has_word(line, "--output"))
        return console_fail(ERR_USAGE, NULL, "--output needs a value: the directory of the capture");
    if (!is_named && !options_is_capture("."))
        return console_fail(ERR_USAGE, NULL, "no capture given: pass --output=DIR");
    return STATUS_DONE;
}

static int check_choice(const struct vendor_line *line, const char *option, const char *choices)
{
    const char *value = value_of(line, option), *second = strchr(choices, '|');

    if (value == NULL || choice_find(choices, value) >= 0)
        return STATUS_DONE;
    return console_fail(ERR_USAGE, NULL, "%s is '%s', expected one of: %.*s, %s", option, value,
                        (int)(second - choices), choices, second + 1);
}

int vendor_form_run(int argc, char **argv, command_runner *run)
{
    SCOPED(line_release) struct vendor_line line = {.collects = false};
    struct err err = ERR_INIT;

    if (read_line(&line, argc, argv, &err) < 0)
        return console_error(&err);
    if (is_collecting(&line))
        return refuse_collecting(&line);
    if (!asks_for_results(&line))
        return refuse_without_form(&line);
    int status = check_output(&line);
    if (status == STATUS_DONE)
        status = check_choice(&line, "--type", "text|db");
    if (status == STATUS_DONE)
        status = check_choice(&line, "--summary-format", "csv|json");
    if (status == STATUS_DONE)
        status = run_each(&line, run, true);
    if (status == STATUS_DONE && value_of(&line, "--python-path") != NULL)
        console_note("--python-path has no effect: this msprof runs no Python");
    console_errors_once(); /* several commands may read one capture */
    return status == STATUS_DONE ? run_each(&line, run, false) : status;
}
