/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/options.h"
#include "base/language.h"
#include "cli/extension.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/words.h"
#include "cli/options/first_tries.h"
#include "cli/options/vendor_options.h"
#include "db/query/cann_version.h"
#include "exporters/export.h"
#include "exporters/table/report.h"
#include "parsers/capture/archive.h"
#include "parsers/capture/capture.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESSAGE_LIMIT 512
/* What starts programs, with a version behind its name or not (python3.10): it need not be installed where the question
 * is asked. */
static const char *const launchers[] = {"python",     "torchrun",  "msrun", "mpirun", "mpiexec",
                                        "accelerate", "deepspeed", "vllm",  "bash",   "sh"};

/* Adds a word; one that cannot be had is not offered: a script of completion is no place for an error. */
static void add(struct intern *words, const char *word)
{
    struct err ignored = ERR_INIT;
    uint32_t number;

    (void)intern_text(words, word, &number, &ignored);
}

static void add_columns(struct intern *words, const struct report *report)
{
    SCOPED(report_plan_release) struct report_plan plan = {.column_count = 0};
    struct err ignored = ERR_INIT;

    if (report_plan_take(&plan, report->columns, NULL, COLUMNS_VENDOR, &ignored) == 0)
        for (size_t i = 0; i < plan.column_count; i++)
            add(words, plan.columns[i].id);
}

static void add_reports(struct intern *words, enum offer offer)
{
    struct err ignored = ERR_INIT;
    const struct report *const *report = report_all(&ignored);

    if (offer == OFFER_TABLES) {
        add(words, "list");
        add(words, "vendor");
    }
    for (; report != NULL && *report != NULL; report++)
        if (offer == OFFER_TABLES)
            add(words, (*report)->name);
        else
            add_columns(words, *report);
}

static void add_extensions(struct intern *words, enum offer offer)
{
    if (offer == OFFER_RANK_TABLES)
        add(words, "list");
    for (const struct command_extension *const *one = command_extensions; *one != NULL; one++) {
        const char *word;
        for (size_t i = 0; (*one)->offer == offer && (*one)->word != NULL && (word = (*one)->word(i)) != NULL; i++)
            add(words, word);
        const struct report *table;
        for (size_t i = 0; (*one)->table != NULL && (table = (*one)->table(i)) != NULL; i++)
            if (offer == OFFER_RANK_TABLES)
                add(words, table->name);
            else if (offer == OFFER_COLUMNS)
                add_columns(words, table);
    }
}

static void add_layer(void *words, const char *name)
{
    add(words, name);
}

ARRAY_COMPARE(by_text, struct interned, ARRAY_BY_TEXT(bytes))

void offers_put(FILE *stream, enum offer offer)
{
    SCOPED(intern_release) struct intern words = {.items = NULL};

    if (offer == OFFER_TABLES || offer == OFFER_COLUMNS)
        add_reports(&words, offer);
    add_extensions(&words, offer);
    if (offer == OFFER_LAYERS)
        export_each_layer(add_layer, &words);
    if (words.count > 1)
        qsort(words.items, words.count, sizeof *words.items, by_text);
    for (size_t i = 0; i < words.count; i++)
        fprintf(stream, "%s%s", i > 0 ? " " : "", words.items[i].bytes);
}

/* Hints of an error about an option, as typed, and about a word in the place of a command of parent. They give nothing
 * where there is nothing to say. */
static void hint_of_option(const char *word, enum command_id of, struct err *err)
{
    const char *command = first_try_of_option(of, word);

    if (command != NULL)
        err_hint(err, "%s", language_said(command));
}

/* Whether a shell would find a program of this name in $PATH. */
static bool is_in_path(const char *name)
{
    const char *directory = getenv("PATH");
    bool is_found = false;

    while (directory != NULL && strchr(name, '/') == NULL && !is_found) {
        char file[PATH_MAX];
        const size_t length = strcspn(directory, ":");
        const int written = snprintf(file, sizeof file, "%.*s/%s", (int)length, directory, name);
        is_found = written > 0 && (size_t)written < sizeof file && access(file, X_OK) == 0;
        directory = directory[length] == ':' ? directory + length + 1 : NULL;
    }
    return is_found;
}

/* The program that a word is, with its arguments behind it. */
static void hint_of_program(char *const *words, struct err *err)
{
    SCOPED(words_release) struct words line = {.items = NULL};
    SCOPED(strbuf_release) struct strbuf text;
    struct err ignored = ERR_INIT;

    strbuf_init(&text, MESSAGE_LIMIT);
    for (; *words != NULL; words++) {
        if (words_add(&line, *words, &ignored) < 0)
            return;
    }
    words_show(&line, &text);
    if (!text.failed)
        err_hint(err, "msprof run --%s", text.data);
}

/* Whether a word in the place of a command is a program to run: it need not be on this machine. */
static bool is_program(const char *word)
{
    struct stat info;
    size_t length = strlen(word);

    if (stat(word, &info) == 0)
        return S_ISREG(info.st_mode) && (access(word, X_OK) == 0 || strchr(word, '/') != NULL) &&
               !archive_has_name(word, NULL);
    while (length > 0 && (isdigit((unsigned char)word[length - 1]) || word[length - 1] == '.'))
        length--;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (strlen(launchers[i]) == length && strncmp(launchers[i], word, length) == 0)
            return true;
    }
    return strchr(word, '/') != NULL || words_end_in(word, ".py") || words_end_in(word, ".sh") || is_in_path(word);
}

/* Whether a word is called as captures are, and archives of them. */
static bool is_called_as_capture(const char *word)
{
    static const char *const heads[] = {"JOB", "PROF_", "OPPROF_"};
    const char *name = path_name(word);

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(name, heads[i], strlen(heads[i])) == 0)
            return true;
    return archive_has_name(word, NULL);
}

/* A table in the place of a command: one of ours, or a file of Ascend's tools. */
static bool hint_of_table(const char *word, struct err *err)
{
    struct err ignored = ERR_INIT;
    const struct report *const *report = report_all(&ignored);
    const char *form = first_try_of_table(word);

    while (report != NULL && *report != NULL && strcmp((*report)->name, word) != 0)
        report++;
    if (report != NULL && *report != NULL)
        err_hint(err, "msprof show CAPTURE --table %s", word);
    else if (form != NULL)
        err_hint(err, "%s%s", *form == '-' ? "msprof show CAPTURE " : "", language_said(form));
    else
        return false;
    return true;
}

/* words: the one in question, and those behind it, ended by NULL. */
static void hint_of_word(char *const *words, enum command_id parent, struct err *err)
{
    const char *word = words[0], *command = first_try_of_word(parent, word);
    struct stat info;

    if (command == NULL && hint_of_table(word, err))
        return;
    if (command != NULL) {
        err_hint(err, "%s", language_said(command));
    } else if (stat(word, &info) == 0 && S_ISDIR(info.st_mode)) {
        if (parent == COMMAND_ROOT)
            err_hint(err, "msprof show %s", word);
        else
            err_hint(err, "msprof export summary %s, or msprof export timeline %s", word, word);
    } else if (parent == COMMAND_ROOT && is_called_as_capture(word)) {
        if (access(word, F_OK) == 0)
            err_hint(err, "msprof show %s", word);
        else
            err_set(err, ERR_USAGE, "'%s' is not a command, and there is no such file", word);
    } else if (parent == COMMAND_ROOT && word[0] != '\0' && is_program(word)) {
        err_set(err, ERR_USAGE, VENDOR_COLLECTS_PROGRAM);
        hint_of_program(words, err);
    }
}

void options_hint_of_file(const char *path, struct err *err)
{
    static const char *const packed[] = {".tar.xz", ".tar.bz2", ".tar.zst"};
    const char *slash = strrchr(path, '/');

    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (words_end_in(path, packed[i])) {
            err_hint(err, "unpack it, and give the directory: tar -xf %s", path);
            return;
        }
    }
    err_hint(err, "a capture is a directory; the file lies in %.*s", slash != NULL ? (int)(slash - path) : 1,
             slash == path   ? "/"
             : slash != NULL ? path
                             : ".");
}

void settings_init(struct settings *settings)
{
    *settings = (struct settings){.command = COMMAND_ROOT,
                                  .width = WIDTH_DEFAULT,
                                  .manual_rows = -1,
                                  .model_id = -1,
                                  .report_seconds = 60,
                                  .layout = {.search_seconds = 60},
                                  .device_id = QUERY_EVERY_DEVICE,
                                  .data_type = -1,
                                  .collect = {.reconnect_seconds = 60},
                                  .cann_version = CANN_VERSION_OF_CAPTURE,
                                  .replay = {.fd = -1, .speed = 1000, .first_index = 1},
                                  .advise = {.fail_on = FAIL_ON_NOTHING},
                                  .options = {.chip = -1},
                                  .diff = {.least_change = 1000, .least_share = 10, .drift = 1000}};
}

void settings_release(struct settings *settings)
{
    for (size_t i = 0; i < option_count; i++) {
        if (!option_table[i].repeatable)
            continue;
        struct value_list *list = (struct value_list *)(void *)((char *)settings + option_table[i].offset);
        free(list->values);
        *list = (struct value_list){.values = NULL}; /* rows of several commands may share it */
    }
    free(settings->operands);
    settings_init(settings);
}

static const struct option_spec *find_by_name(enum command_id command, const char *name, size_t length)
{
    for (struct option_walk walk = {.command = command}; option_walk_next(&walk);)
        if (strlen(walk.spelling) == length && memcmp(walk.spelling, name, length) == 0)
            return walk.option;
    return NULL;
}

const struct option_spec *option_of_word(enum command_id command, const char *word)
{
    const struct option_spec *option = find_by_name(command, word, strcspn(word, "="));

    return option != NULL || word[0] == '\0' || word[1] == '-' ? option : find_by_name(command, word, 2);
}

#define MOST_OWNERS 3

/* Names the commands that have an option: of a group those in it, else the first few. */
static void put_owners(struct strbuf *ret, enum command_id command, const char *word, size_t length)
{
    bool within = false;
    unsigned count = 0;

    EACH_CHILD (id, command)
        within |= command != COMMAND_ROOT && find_by_name(id, word, length) != NULL;
    for (size_t i = 0; i < option_count; i++) {
        for (int id = 0; id < COMMAND_COUNT; id++) {
            const enum command_id owner = (enum command_id)id;
            if (!option_is_of(&option_table[i], owner) || find_by_name(owner, word, length) != &option_table[i] ||
                (within && !command_is_within(owner, command)))
                continue;
            if (count++ < MOST_OWNERS)
                strbuf_addf(ret, "%s'%s'", ret->length > 0 ? ", " : "", command_full_name(owner));
        }
    }
    if (count > MOST_OWNERS)
        strbuf_addf(ret, language_said(" and %u more"), count - MOST_OWNERS);
}

/* Names an option as other programs call it. NULL: the command has none of that kind. */
static const char *form_of_alias(enum command_id command, const char *word, size_t length)
{
    static const struct {
        const char *typed, *option, *form;
    } aliases[] = {
        {"--limit", "--top", "--top N"},
        {"--head", "--top", "--top N"},
        {"--rows", "--top", "--top N"},
        {"--desc", "--sort", "--sort COLUMN,desc"},
        {"--descending", "--sort", "--sort COLUMN,desc"},
        {"--reverse", "--sort", "--sort COLUMN,desc"},
        {"--asc", "--sort", "--sort COLUMN"},
        {"--select", "--columns", "--columns COLUMN,..."},
        {"--fields", "--columns", "--columns COLUMN,..."},
        {"-f", "--format", "--format NAME"},
        {"-p", "--port", "--port N"},
        {"--start", "--from", "--from TIME"},
        {"--begin", "--from", "--from TIME"},
        {"--since", "--from", "--from TIME"},
        {"--end", "--until", "--until TIME"},
        {"--to", "--until", "--until TIME"},
        {"--reparse", "--force", "--force"},
        {"--overwrite", "--force", "--force"},
        {"--gzip", "--format", "--format json.gz"},
        {"--compress", "--format", "--format json.gz"},
        {"--threshold", "--gate", "--gate METRIC:LIMIT, as step_time:+3%"},
        {"--fail-on", "--gate", "--gate METRIC:LIMIT, as step_time:+3%"},
        {"--severity", "--fail-on", "--fail-on high"},
        {"-n", "--top", "--top N"},
        {"--where", "--filter", "--filter CONDITION"},
        {"-t", "--table", "--table NAME"},
        {"--tables", "--table", "--table NAME"},
        {"--sort-by", "--sort", "--sort COLUMN"},
        {"--order-by", "--sort", "--sort COLUMN"},
        {"--baseline", "--base", "--base CAPTURE"},
        {"--candidate", "--new", "--new CAPTURE"},
        {"--output-dir", "--output", "--output DIR"},
        {"--json", "--format", "--format json"},
        {"--csv", "--format", "--format csv"},
        {"--html", "--format", "--format html"},
        {"--markdown", "--format", "--format markdown"},
    };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strlen(aliases[i].typed) != length || strncmp(aliases[i].typed, word, length) != 0)
            continue;
        const struct option_spec *option = find_by_name(command, aliases[i].option, strlen(aliases[i].option));
        const char *value = strchr(aliases[i].form, ' ');
        if (option != NULL && (option->choices == NULL || value == NULL || isupper((unsigned char)value[1]) ||
                               choice_find(option->choices, value + 1) >= 0))
            return aliases[i].form;
    }
    return NULL;
}

/* Says that a command does not know an option, and which one may be meant. */
static int unknown_option(struct err *err, enum command_id command, const char *word)
{
    char name[OPTION_SPELLING_SIZE];
    size_t length = strcspn(word, "=");
    const struct option_spec *elsewhere = find_by_name(COMMAND_COUNT, word, length);
    struct suggestion suggestion;

    if (command == COMMAND_SHOW && length == 2 && word[1] == 'o') {
        err_set(err, ERR_USAGE, "'msprof show' prints to standard output and has no option '-o'");
        return err_hint(err, "msprof show CAPTURE --table NAME --format csv >FILE; --output DIR is for the database");
    }

    const char *form = command != COMMAND_ROOT ? form_of_alias(command, word, length) : NULL;
    if (form != NULL) {
        err_set(err, ERR_USAGE, "unknown option '%.*s'", (int)length, word);
        return err_hint(err, "%s", form);
    }
    if (elsewhere != NULL && command == COMMAND_ROOT) {
        err_set(err, ERR_USAGE, "'%.*s' must follow the command that it belongs to", (int)length, word);
        hint_of_option(word, command, err);
        return -ERR_USAGE;
    }
    if (elsewhere != NULL) {
        SCOPED(strbuf_release) struct strbuf owners;

        strbuf_init(&owners, MESSAGE_LIMIT);
        put_owners(&owners, command, word, length);
        int result = err_set(err, ERR_USAGE, "'%.*s' is an option of %s, not of '%s'", (int)length, word, owners.data,
                             command_full_name(command));
        if (command != COMMAND_CLUSTER && length == 2 && word[1] == 'o' &&
            find_by_name(command, "--output", strlen("--output")) != NULL)
            err_hint(err, "--output DIR");
        else
            hint_of_option(word, command, err);
        return result;
    }
    if (length >= sizeof name)
        return err_set(err, ERR_USAGE, "unknown option '%s'", word);
    if (vendor_option_use(word) == VENDOR_OPTION_COLLECTS) {
        err_set(err, ERR_USAGE, "'%.*s' is an option of CANN's own msprof, which collects; '%s' %s", (int)length, word,
                command_full_name(command),
                command == COMMAND_RUN ? language_said("records ACL calls alone") : language_said("reads captures"));
        hint_of_option(word, command, err);
        return -ERR_USAGE;
    }
    if (command == COMMAND_ROOT && vendor_option_use(word) != VENDOR_OPTION_NONE) {
        err_set(err, ERR_USAGE, "'%.*s' is an option of Ascend's form of the command line, which has no command",
                (int)length, word);
        return err_hint(err, "msprof --export=on --output=PROF %s", word);
    }
    memcpy(name, word, length);
    name[length] = '\0';
    suggestion_init(&suggestion, name);
    for (struct option_walk walk = {.command = command}; option_walk_next(&walk);)
        if (strlen(walk.spelling) > 2) /* a letter is near to everything */
            suggestion_offer(&suggestion, walk.spelling);
    for (size_t i = 0; command == COMMAND_ROOT && vendor_option_name(i) != NULL; i++)
        suggestion_offer(&suggestion, vendor_option_name(i));
    if (suggestion.nearest[0] != '\0')
        return err_set(err, ERR_USAGE, "unknown option '%s', did you mean '%s'?", name, suggestion.nearest);
    err_set(err, ERR_USAGE, "unknown option '%s'", name);
    hint_of_option(name, command, err);
    return -ERR_USAGE;
}

const char *choice_word(const char *choices, int i, size_t *ret_length)
{
    for (; i > 0 && choices != NULL; i--) {
        choices = strchr(choices, '|');
        choices += choices != NULL;
    }
    *ret_length = choices != NULL ? strcspn(choices, "|") : 0;
    return choices;
}

int choice_find(const char *choices, const char *word)
{
    size_t length;

    for (int i = 0; choice_word(choices, i, &length) != NULL; i++)
        if (strlen(word) == length && memcmp(choice_word(choices, i, &length), word, length) == 0)
            return i;
    return -1;
}

static int unknown_choice(struct err *err, const char *what, const char *value, const char *choices)
{
    SCOPED(strbuf_release) struct strbuf list;

    strbuf_init(&list, MESSAGE_LIMIT);
    for (; *choices != '\0'; choices++)
        if (*choices == '|')
            strbuf_adds(&list, ", ");
        else
            strbuf_addc(&list, *choices);
    return err_set(err, ERR_USAGE, "%s is '%s', expected one of: %s", what, value, list.data);
}

static int unknown_value(const struct settings *settings, const struct option_spec *option, const char *value,
                         struct err *err)
{
    char what[OPTION_SPELLING_SIZE];
    const char *form = first_try_of_value(settings->command, option->name, value);
    const int status = unknown_choice(err, option_spelling(option, 0, what), value, option->choices);

    return form != NULL ? err_hint(err, "%s", form) : status;
}

static int store_number(int *ret, const struct option_spec *option, const char *value, struct err *err)
{
    bool negative = option->minimum < 0 && *value == '-';
    const char *digits = value + negative;
    int64_t number;
    int status = number_parse_integer(digits, strlen(digits), &number);

    if (status == 0 && negative)
        number = -number;
    if (status != 0 || number < option->minimum || number > option->maximum)
        return err_set(err, ERR_USAGE, "--%s is '%s', expected a whole number from %d to %d", option->name, value,
                       option->minimum, option->maximum);
    *ret = (int)number;
    return 0;
}

/* Models have 32 bits; all of them set is the model that steps which a program marks belong to. */
static int store_model(int64_t *ret, const struct option_spec *option, const char *value, struct err *err)
{
    if (number_parse_integer(value, strlen(value), ret) != 0 || *ret < 0 || *ret > UINT32_MAX)
        return err_set(err, ERR_USAGE, "--%s is '%s', expected a whole number from 0 to %" PRIu32, option->name, value,
                       UINT32_MAX);
    return 0;
}

/* Decimals with up to three places, stored in thousandths. */
static int store_decimal(int64_t *ret, const struct option_spec *option, const char *value, struct err *err)
{
    static const struct {
        int64_t least, most;
        const char *expected; /* of VALUE_AMOUNT behind what the argument is called */
    } decimals[] = {[VALUE_MHZ] = {1, INT64_C(100000) * 1000, LANGUAGE_MARK("MHz from 0.001 to 100000")},
                    [VALUE_AMOUNT] = {1, INT64_C(100000) * 1000, LANGUAGE_MARK(" from 0.001 to 100000")},
                    [VALUE_SPEED] = {0, INT64_C(1000000) * 1000, LANGUAGE_MARK("'max' or a number from 0 to 1000000")},
                    [VALUE_PERCENT] = {0, 100000, LANGUAGE_MARK("a percentage from 0 to 100")}};
    size_t length = strlen(value);

    if (option->type == VALUE_PERCENT && length > 0 && value[length - 1] == '%')
        length--;
    int64_t number =
        option->type == VALUE_SPEED && strcmp(value, "max") == 0 ? 0 : number_parse_thousandths(value, length);
    if (number < decimals[option->type].least || number > decimals[option->type].most)
        return err_set(err, ERR_USAGE, "--%s is '%s', expected %s%s with at most three decimals", option->name, value,
                       option->type == VALUE_AMOUNT ? option->argument : "",
                       language_said(decimals[option->type].expected));
    *ret = number;
    return 0;
}

static int store_version(int *ret, const struct option_spec *option, const char *value, struct err *err)
{
    if (!cann_version_parse(value, ret))
        return err_set(err, ERR_USAGE, "--%s is '%s', expected a version of CANN as in 8.2 or 8.2.RC1, or newest",
                       option->name, value);
    return 0;
}

static int add_value(struct value_list *list, const char *value, struct err *err)
{
    if (list->count == list->capacity &&
        array_grow(&list->values, &list->capacity, list->count, 1, sizeof *list->values, err) != 0)
        return err_status(err);
    list->values[list->count++] = value;
    return 0;
}

static int store_text(struct settings *settings, const struct option_spec *option, const char *value, struct err *err)
{
    void *member = (char *)settings + option->offset;
    struct value_list *list = member;

    if (value[0] == '\0')
        return err_set(err, ERR_USAGE, "--%s has an empty value, expected %s", option->name,
                       option->type == VALUE_TEXT ? "a text" : "a path");
    if (!option->repeatable) {
        *(const char **)member = value;
        return 0;
    }
    return add_value(list, value, err);
}

static int store(struct settings *settings, const struct option_spec *option, const char *value, struct err *err)
{
    void *member = (char *)settings + option->offset;

    switch (option->type) {
    case VALUE_NONE:
        *(bool *)member = true;
        return 0;
    case VALUE_CHOICE:
        *(int *)member = choice_find(option->choices, value);
        return *(int *)member >= 0 ? 0 : unknown_value(settings, option, value, err);
    case VALUE_DIRECTORY:
    case VALUE_FILE:
    case VALUE_TEXT:
        return store_text(settings, option, value, err);
    case VALUE_NUMBER:
        return store_number(member, option, value, err);
    case VALUE_MODEL:
        return store_model(member, option, value, err);
    case VALUE_MHZ:
    case VALUE_AMOUNT:
    case VALUE_SPEED:
    case VALUE_PERCENT:
        return store_decimal(member, option, value, err);
    case VALUE_VERSION:
        return store_version(member, option, value, err);
    }
    return 0;
}

/* An option whose value may stand behind it in its own word, else in the next one. */
static int take_option(struct settings *settings, const struct option_spec *option, const char *value, char ***next,
                       struct err *err)
{
    if (option->type == VALUE_NONE)
        return value == NULL ? store(settings, option, "", err)
                             : err_set(err, ERR_USAGE, "--%s takes no value", option->name);
    if (value == NULL && **next != NULL)
        value = *(*next)++;
    return value != NULL ? store(settings, option, value, err)
                         : err_set(err, ERR_USAGE, "--%s needs a value: %s", option->name, option->argument);
}

/* Takes "-qv", or "-oFILE". */
static int read_letters(struct settings *settings, const char *word, char ***next, struct err *err)
{
    bool has_value = false;

    for (const char *letter = word + 1; *letter != '\0' && !has_value && !settings->help; letter++) {
        const char name[] = {'-', *letter};
        const struct option_spec *option = find_by_name(settings->command, name, sizeof name);

        if (option == NULL)
            return unknown_option(err, settings->command, word);
        has_value = option->type != VALUE_NONE;
        if (take_option(settings, option, has_value && letter[1] != '\0' ? letter + 1 : NULL, next, err) != 0)
            return err_status(err);
    }
    return 0;
}

/* Only whole names count: abbreviations break when an option is added. *next: the words behind. */
static int read_option(struct settings *settings, const char *word, char ***next, struct err *err)
{
    const size_t length = strcspn(word, "=");
    const struct option_spec *option = length > 2 ? find_by_name(settings->command, word, length) : NULL;

    if (option == NULL)
        return word[1] == '-' ? unknown_option(err, settings->command, word) : read_letters(settings, word, next, err);
    settings->by_vendor_dir |= length == 4 && memcmp(word, "-dir", 4) == 0;
    return take_option(settings, option, word[length] == '=' ? word + length + 1 : NULL, next, err);
}

static int unknown_word(struct err *err, enum command_id parent, char *const *words)
{
    const char *word = words[0];
    struct suggestion suggestion;

    if (parent == COMMAND_ROOT && (strcmp(word, "op") == 0 || strcmp(word, "opprof") == 0 ||
                                   strcmp(word, "msopprof") == 0 || strcmp(word, "simulator") == 0)) {
        err_set(err, ERR_USAGE, "'msprof op' needs a device and CANN's own msprof; this program reads its results");
        return err_hint(err, "msprof show OPPROF_DIR");
    }
    err_set(err, ERR_USAGE, "'%s' is not a command of '%s'", word, command_full_name(parent));
    hint_of_word(words, parent, err);
    suggestion_init(&suggestion, word);
    EACH_CHILD (id, parent)
        suggestion_offer(&suggestion, command_name(id));
    if (err->hint[0] == '\0' && suggestion.nearest[0] != '\0')
        return err_set(err, ERR_USAGE, "'%s' is not a command of '%s', did you mean '%s'?", word,
                       command_full_name(parent), suggestion.nearest);
    return -ERR_USAGE;
}

bool options_is_capture(const char *directory)
{
    enum directory_class class = DIRECTORY_OTHER;
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *absolute = path_absolute(directory, &ignored);

    return absolute != NULL && capture_classify(absolute, &class, &ignored) == 0 && class == DIRECTORY_CAPTURE;
}

int options_no_capture(const struct settings *settings, struct err *err)
{
    struct stat info;

    err_set(err, ERR_USAGE, "no capture given: pass CAPTURE or -dir DIR");
    if (settings->output != NULL && stat(settings->output, &info) == 0 && S_ISDIR(info.st_mode))
        err_hint(err, "--output is the directory for results; if '%s' is the capture: %s %s", settings->output,
                 command_full_name(settings->command), settings->output);
    return err_status(err);
}

/* Captures by position stand behind those of --collection-dir. Without any, the working directory is meant where it is
 * one. */
static int take_captures(struct settings *settings, struct err *err)
{
    for (int i = 0; i < settings->operand_count; i++) {
        if (settings->operands[i][0] == '\0')
            return err_set(err, ERR_USAGE, "empty name of a capture, expected a path");
        if (add_value(&settings->captures, settings->operands[i], err) != 0)
            return err_status(err);
    }
    if (settings->captures.count == 0 && !command_get(settings->command)->takes_baselines && options_is_capture(".") &&
        add_value(&settings->captures, ".", err) != 0)
        return err_status(err);
    if (settings->captures.count == 0 && !command_get(settings->command)->takes_baselines &&
        !command_get(settings->command)->captures_optional)
        return options_no_capture(settings, err);
    return 0;
}

static int unexpected_word(const struct settings *settings, const char *word, struct err *err)
{
    err_set(err, ERR_USAGE, "unexpected word '%s'", word);
    if (settings->command == COMMAND_MCP)
        err_hint(err, "msprof mcp --root DIR; clients name the capture");
    return -ERR_USAGE;
}

/* is_behind_dashes: a word "--" was given. */
static int check_operands(struct settings *settings, bool is_behind_dashes, struct err *err)
{
    const struct command *command = command_get(settings->command);
    bool any_number = command->most_operands < 0 || command->needs_capture;

    if (!any_number && settings->operand_count > command->most_operands)
        return unexpected_word(settings, settings->operands[command->most_operands], err);
    if (command->operands_follow_dashes && settings->operand_count > 0 && !is_behind_dashes) {
        err_set(err, ERR_USAGE, "unexpected argument '%s' (pass arguments of the program after '--')",
                settings->operands[0]);
        return settings->collect.program != NULL
                   ? -ERR_USAGE
                   : err_hint(err, "msprof collect -m %s --config FILE", settings->operands[0]);
    }
    for (int i = 0; command->operands_are_words && i < settings->operand_count; i++)
        if (choice_find(command->operands, settings->operands[i]) < 0)
            return unknown_choice(err, "the argument", settings->operands[i], command->operands);
    return command->needs_capture ? take_captures(settings, err) : 0;
}

int options_parse(struct settings *settings, int argc, char **argv, struct err *err)
{
    char **next = argv + (argc > 0);
    bool ended = false; /* options; what comes are operands */
    int result = 0;

    settings->operand_count = 0;
    settings->operands = calloc((size_t)argc + 1, sizeof *settings->operands);
    if (settings->operands == NULL)
        return err_no_memory(err);
    while (result == 0 && *next != NULL && !settings->help && !settings->version) {
        const struct command *command = command_get(settings->command);
        char *word = *next++;

        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            result = read_option(settings, word, &next, err);
        } else if (command->run == NULL) {
            enum command_id child = command_find(settings->command, word);
            if (child == COMMAND_COUNT)
                return unknown_word(err, settings->command, next - 1);
            settings->command = child;
            ended = false;
        } else {
            settings->operands[settings->operand_count++] = word;
            ended = ended || command->runs_program;
        }
    }
    if (result != 0 || settings->help || settings->version || command_get(settings->command)->run == NULL)
        return result;
    return check_operands(settings, ended, err);
}

_Static_assert(COMMAND_COUNT <= 31, "a command has a bit below COMMAND_IMPORTS");

bool option_is_of(const struct option_spec *option, enum command_id command)
{
    return (option->commands & COMMAND_BIT(command)) != 0 ||
           ((option->commands & COMMAND_IMPORTS) != 0 && command_get(command)->imports);
}

bool option_applies(const struct option_spec *option, enum command_id command)
{
    for (int id = 0; id < COMMAND_COUNT; id++)
        if (option_is_of(option, (enum command_id)id) && command_is_within(command, (enum command_id)id))
            return true;
    return false;
}

bool option_is_repeated(const struct option_spec *option)
{
    for (const struct option_spec *earlier = option_table; earlier < option; earlier++)
        if (strcmp(earlier->name, option->name) == 0)
            return true;
    return false;
}

const char *option_spelling(const struct option_spec *option, size_t i, char *buffer)
{
    const char *name = NULL;

    if (option->letter != 0 && i-- == 0) {
        snprintf(buffer, OPTION_SPELLING_SIZE, "-%c", option->letter);
        return buffer;
    }
    if (option->vendor != NULL && i-- == 0)
        return option->vendor;
    if (i == 0)
        name = option->name;
    else if (i <= sizeof option->aliases / sizeof option->aliases[0])
        name = option->aliases[i - 1];
    if (name == NULL)
        return NULL;
    snprintf(buffer, OPTION_SPELLING_SIZE, "--%s", name);
    return buffer;
}

bool option_walk_next(struct option_walk *walk)
{
    for (; walk->row < option_count; walk->row++, walk->next = 0) {
        walk->option = &option_table[walk->row];
        if ((walk->command == COMMAND_COUNT || option_applies(walk->option, walk->command)) &&
            (walk->spelling = option_spelling(walk->option, walk->next++, walk->buffer)) != NULL)
            return true;
    }
    return false;
}
