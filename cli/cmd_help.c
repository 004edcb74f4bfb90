/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd_help.h"

#include "base/language.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/options/options.h"
#include "cli/screen.h"
#include "exporters/report_scopes.h"
#include "exporters/table/report.h"
#include "exporters/table/terminal.h"
#include "exporters/timeline/track.h"

#include <ctype.h>
#include <string.h>

#define HELP_COLUMN 26 /* where the texts of options and commands start */

/* Prints a head, then a text whose lines all start at HELP_COLUMN; on a line of its own when the head is too long. */
static void print_entry(FILE *stream, const char *head, const char *text)
{
    int used = fprintf(stream, "  %s", head);

    text = language_shown(text);
    if (used > HELP_COLUMN - 2) {
        fputc('\n', stream);
        used = 0;
    }
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");

        fprintf(stream, "%*s%.*s\n", HELP_COLUMN - used, "", (int)length, text);
        used = 0;
        text += length + (text[length] == '\n');
    }
}

static void print_option(FILE *stream, const struct option_spec *option)
{
    char head[128], buffer[OPTION_SPELLING_SIZE];
    const char *spelling;
    size_t used = 0;

    for (size_t s = 0; (spelling = option_spelling(option, s, buffer)) != NULL; s++) {
        int n = snprintf(head + used, sizeof head - used, "%s%s", s > 0 ? ", " : "", spelling);

        if (n < 0 || (size_t)n >= sizeof head - used)
            break;
        used += (size_t)n;
    }
    if (option->argument != NULL)
        snprintf(head + used, sizeof head - used, " %s", option->argument);
    print_entry(stream, head, option->help);
}

static bool is_general(const struct option_spec *option)
{
    return (option->commands & COMMAND_BIT(COMMAND_ROOT)) != 0;
}

static void print_options(FILE *stream, enum command_id command)
{
    bool any = false;

    for (size_t i = 0; i < option_count; i++) {
        if (is_general(&option_table[i]) || !option_applies(&option_table[i], command))
            continue;
        if (!any)
            language_print(stream, "\nOptions:\n");
        any = true;
        print_option(stream, &option_table[i]);
    }
    language_print(stream, "\nGeneral options:\n");
    for (size_t i = 0; i < option_count; i++)
        if (is_general(&option_table[i]))
            print_option(stream, &option_table[i]);
}

static void print_usage(FILE *stream, enum command_id id)
{
    const struct command *command = command_get(id);

    language_print(stream, "Usage: %s", command_full_name(id));
    if (command->run == NULL)
        fputs(" COMMAND", stream);
    fputs(" [OPTION]...", stream);
    if (command->operands != NULL)
        fprintf(stream, " %s", command->operands);
    else if (command->needs_capture)
        fputs(" CAPTURE...", stream);
    fputs("\n\n", stream);
    screen_print_text(stream, "", "", false, language_shown(command->description));
}

static void print_subcommands(FILE *stream, enum command_id parent)
{
    language_print(stream, "\nCommands:\n");
    EACH_CHILD (id, parent)
        print_entry(stream, command_name(id), command_get(id)->summary);
}

static void print_exit_statuses(const struct command *command, FILE *stream)
{
    language_print(stream, "\nExit status:\n");
    if (command->runs_program)
        language_print(stream,
                       "  that of PROGRAM if it is not 0; 128 + N if signal N ended it; 125 if msprof\n  failed "
                       "before PROGRAM started; 126 if PROGRAM is not executable; 127 if it was\n  not found; "
                       "otherwise:\n");
    language_print(stream,
                   "  0 success   1 failure   2 wrong usage   3 done, but the data has problems\n  4 nothing to "
                   "do   5 remote side failed   6 a gate failed (diff, advise)\n  7 not comparable (diff)   130 "
                   "interrupted\n");
}

void help_print(enum command_id id, FILE *stream)
{
    const struct command *command = command_get(id);

    print_usage(stream, id);
    if (command->run == NULL)
        print_subcommands(stream, id);
    print_options(stream, id);
    if (command->examples != NULL)
        language_print(stream, "\nEXAMPLES\n");
    for (const struct example *example = command->examples; example != NULL && example->line != NULL; example++) {
        screen_print_text(stream, "  # ", "  # ", false, language_shown(example->comment));
        screen_print_text(stream, "  ", "      ", true, example->line);
    }
    print_exit_statuses(command, stream);
}

/* msprof help: the help of any command; the option table for programs, rows of the manual for its pages. */

/* One line per command and spelling of an option: command, spelling, argument ("-" for a flag), separated by tabs. */
static void list_options(enum command_id command)
{
    for (struct option_walk walk = {.command = command}; option_walk_next(&walk);)
        printf("%s\t%s\t%s\n", command_full_name(command), walk.spelling,
               walk.option->argument != NULL ? walk.option->argument : "-");
}

static int print_manual_rows(enum manual_rows rows)
{
    struct err err = ERR_INIT;
    console_output_begin();
    if (manual_print_rows(stdout, rows, &err) < 0)
        return console_error(&err);
    return console_output_end(false);
}

static int run_help(const struct settings *settings)
{
    enum command_id command = COMMAND_ROOT;

    for (int i = 0; i < settings->operand_count; i++) {
        enum command_id child = command_find(command, settings->operands[i]);

        if (child == COMMAND_COUNT) {
            char hint[80];

            snprintf(hint, sizeof hint, "%s --help", command_full_name(command));
            return console_fail(ERR_USAGE, hint, "no help for '%s': it is not a command of '%s'", settings->operands[i],
                                command_full_name(command));
        }
        command = child;
    }
    if (settings->manual_rows >= 0)
        return print_manual_rows((enum manual_rows)settings->manual_rows);
    console_output_begin();
    if (!settings->list_options) {
        help_print(command, stdout);
    } else {
        for (int id = 0; id < COMMAND_COUNT; id++)
            if (command_is_within((enum command_id)id, command))
                list_options((enum command_id)id);
    }
    return console_output_end(false);
}

const struct command command_help = {
    .path = "help",
    .people = {.all = true},
    .parent = COMMAND_ROOT,
    .order = 260,
    .summary = "print the help of a command",
    .description = "Prints the help of a command, like its --help.\n",
    .operands = "[COMMAND]...",
    .most_operands = -1,
    EXAMPLES({"the help of one command", "msprof help export timeline"},
             {"every option of one command, for programs", "msprof help --options import"}),
    .run = run_help,
};

static void put_part(FILE *stream, const char *text, size_t length)
{
    if (length > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", stream);
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '\\':
            fputs("\\e", stream);
            break;
        case '"':
            fputs("\\(dq", stream);
            break;
        case '\n':
            fputc(' ', stream);
            break;
        default:
            fputc(text[i], stream);
        }
}

void mdoc_put_text(FILE *stream, const char *text)
{
    put_part(stream, text, strlen(text));
}

void mdoc_put_sentences(FILE *stream, const char *text)
{
    while (*text != '\0') {
        const char *end = strstr(text, ". ");
        size_t length = end != NULL ? (size_t)(end - text) + 1 : strlen(text);

        put_part(stream, text, length);
        fputc('\n', stream);
        text += length;
        text += strspn(text, " ");
    }
}

/* Names of families in the pages. */
static const char *const family_words[] = {
    [CAPTURE_SVP] = "SVP", [CAPTURE_JOB] = "Ascend", [CAPTURE_2022] = "CANN before 2023", [CAPTURE_CANN] = "CANN"};

#define FAMILIES (sizeof family_words / sizeof *family_words)

static int by_name(const void *a, const void *b)
{
    const struct report *first = *(const struct report *const *)a, *second = *(const struct report *const *)b;
    int order = strcmp(first->name, second->name);
    return order != 0 ? order : (first->families > second->families) - (first->families < second->families);
}

static bool is_among(enum manual_rows rows, const struct report *report)
{
    return rows == MANUAL_SAMPLES   ? report->of_kind
           : rows == MANUAL_ANSWERS ? report->shown_only
                                    : !report->shown_only && !report->of_kind;
}

/* The reports of those rows, by name; to be freed. NULL with err set. */
static const struct report **choose(enum manual_rows rows, struct err *err)
{
    const struct report *const *all = report_all(err);
    size_t count = 0, chosen = 0;
    if (all == NULL)
        return NULL;
    while (all[count] != NULL)
        count++;
    const struct report **reports = calloc(count + 1, sizeof(const struct report *));
    if (reports == NULL) {
        err_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_among(rows, all[i]))
            reports[chosen++] = all[i];
    }
    qsort(reports, chosen, sizeof *reports, by_name);
    return reports;
}

/* A row for the family's files of the report, which may be those of later families, too; those are taken from
 * *families. */
static void put_file(FILE *stream, const struct report *report, size_t family, unsigned *families)
{
    char form[REPORT_FORM_MAX], other[REPORT_FORM_MAX];
    report_file_form(report, (int)family, form);
    fprintf(stream, ".It Pa %s.csv\n%s", form, family_words[family]);
    for (size_t i = family + 1; i < FAMILIES; i++) {
        report_file_form(report, (int)i, other);
        if ((*families & FAMILY_OF(i)) == 0 || strcmp(form, other) != 0)
            continue;
        *families &= ~FAMILY_OF(i);
        fprintf(stream, ", %s", family_words[i]);
    }
    fputs(".\n", stream);
    mdoc_put_sentences(stream, report->doc);
}

static void put_files(FILE *stream, const struct report *report)
{
    unsigned families = report->families;
    for (size_t i = 0; i < FAMILIES; i++) {
        if ((families & FAMILY_OF(i)) != 0)
            put_file(stream, report, i, &families);
    }
}

static void put_table(FILE *stream, const struct report *report)
{
    fprintf(stream, ".It Cm %s\n", report->name);
    mdoc_put_sentences(stream, report->doc);
}

static int put_reports(FILE *stream, enum manual_rows rows, struct err *err)
{
    SCOPED_FREE const struct report **reports = choose(rows, err);
    if (reports == NULL || (rows == MANUAL_REPORTS && report_check_own(err) < 0))
        return err_status(err);
    for (const struct report **report = reports; *report != NULL; report++)
        (rows == MANUAL_REPORTS ? put_files : put_table)(stream, *report);
    return 0;
}

static void put_tracks(FILE *stream)
{
    for (size_t i = 0; tracks[i] != NULL; i++) {
        fprintf(stream, ".It Cm %s", tracks[i]->name);
        if (tracks[i]->also != NULL)
            fprintf(stream, " , %s", tracks[i]->also);
        fputc('\n', stream);
        mdoc_put_sentences(stream, tracks[i]->doc);
        if (tracks[i]->report != NULL)
            fprintf(stream, "Also in a file of its own,\n.Pa %s_<time>.json .\n", tracks[i]->report);
    }
}

/* ---- layers of kinds: a name each, however many series share it ---- */

struct layers {
    const char *after, *next; /* the name that was put, and the first behind it */
};

static int find_next(void *arg, const struct record_kind *kind, const struct series_report *series)
{
    struct layers *layers = arg;
    const char *name = series_layer(series);
    (void)kind;
    if (strcmp(name, layers->after) > 0 && (layers->next == NULL || strcmp(name, layers->next) < 0))
        layers->next = name;
    return 0;
}

static void put_layers(FILE *stream)
{
    struct layers layers = {.after = ""};
    for (bool first = true; series_each(find_next, &layers), layers.next != NULL; first = false) {
        fprintf(stream, "%s.Cm %s", first ? "" : " ,\n", layers.next);
        layers = (struct layers){.after = layers.next};
    }
    fputs(" .\n", stream);
}

/* Lists each command with its subcommands, and its manual page. */
static void put_commands(FILE *stream)
{
    for (enum command_id id = COMMAND_ROOT; (id = command_next_child(COMMAND_ROOT, id)) != COMMAND_COUNT;) {
        const struct command *command = command_get(id);
        enum command_id child = command_next_child(id, COMMAND_ROOT);
        const char *summary = language_shown(command->summary);
        if (id == COMMAND_HELP)
            continue;
        fprintf(stream, ".It Cm %s", command_get(child != COMMAND_COUNT ? child : id)->path);
        while (child != COMMAND_COUNT && (child = command_next_child(id, child)) != COMMAND_COUNT)
            fprintf(stream, " , %s", command_get(child)->path);
        fprintf(stream, "\n%c", toupper((unsigned char)summary[0]));
        mdoc_put_text(stream, summary + 1);
        language_print(stream, "; see\n.Xr msprof-%s 1 .\n", command->path);
    }
}

/* Lists what to type for each command that runs, parents before their subcommands. */
static void put_synopsis(FILE *stream, enum command_id parent)
{
    EACH_CHILD (id, parent) {
        const struct command *command = command_get(id);
        if (command->run != NULL) {
            fprintf(stream, ".Nm\n.Cm %s\n.Op Ar OPTION ...\n", command->path);
            const char *operands = command->operands != NULL ? command->operands
                                   : command->needs_capture  ? "CAPTURE..."
                                                             : NULL;
            if (operands != NULL)
                fprintf(stream, ".Ar %s\\&\n", operands);
        }
        put_synopsis(stream, id);
    }
}

int manual_print_rows(FILE *stream, enum manual_rows rows, struct err *err)
{
    switch (rows) {
    case MANUAL_COMMANDS:
        put_commands(stream);
        break;
    case MANUAL_SYNOPSIS:
        put_synopsis(stream, COMMAND_ROOT);
        break;
    case MANUAL_REPORTS:
    case MANUAL_SAMPLES:
    case MANUAL_ANSWERS:
        return put_reports(stream, rows, err);
    case MANUAL_TRACKS:
        put_tracks(stream);
        break;
    case MANUAL_LAYERS:
        put_layers(stream);
        break;
    case MANUAL_RANKS:
        for (const struct command_extension *const *one = command_extensions; *one != NULL; one++) {
            const struct report *table;
            for (size_t i = 0; (*one)->table != NULL && (table = (*one)->table(i)) != NULL; i++)
                put_table(stream, table);
        }
        break;
    }
    return 0;
}
