/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/manual.h"

#include "cli/command.h"
#include "exporters/report_scopes.h"
#include "exporters/table/report.h"
#include "exporters/timeline/track.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* The reports of which `take` is true, by name; to be freed. NULL with err set. */
static const struct report **choose(bool (*take)(const struct report *report), struct err *err)
{
    const struct report *const *all = report_all(err);
    size_t count = 0, chosen = 0;
    if (all == NULL)
        return NULL;
    while (all[count] != NULL)
        count++;
    const struct report **reports = calloc(count + 1, sizeof(const struct report *));
    if (reports == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (take(all[i]))
            reports[chosen++] = all[i];
    }
    qsort(reports, chosen, sizeof *reports, by_name);
    return reports;
}

static bool is_file(const struct report *report)
{
    return !report->shown_only && !report->of_kind;
}

static bool is_of_kind(const struct report *report)
{
    return report->of_kind;
}

static bool is_shown_only(const struct report *report)
{
    return report->shown_only;
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

static int put_reports(FILE *stream, bool (*take)(const struct report *report),
                       void (*put)(FILE *stream, const struct report *report), struct err *err)
{
    const struct report **reports = choose(take, err);
    if (reports == NULL)
        return -(int)err->code;
    for (const struct report **report = reports; *report != NULL; report++)
        put(stream, *report);
    free(reports);
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

/* Lists each command with its subcommands, and the page that tells of it. */
static void put_commands(FILE *stream)
{
    for (enum command_id id = COMMAND_ROOT; (id = command_next_child(COMMAND_ROOT, id)) != COMMAND_COUNT;) {
        const struct command *command = command_get(id);
        enum command_id child = command_next_child(id, COMMAND_ROOT);
        if (id == COMMAND_HELP)
            continue;
        fprintf(stream, ".It Cm %s", command_get(child != COMMAND_COUNT ? child : id)->path);
        while (child != COMMAND_COUNT && (child = command_next_child(id, child)) != COMMAND_COUNT)
            fprintf(stream, " , %s", command_get(child)->path);
        fprintf(stream, "\n%c", toupper((unsigned char)command->summary[0]));
        mdoc_put_text(stream, command->summary + 1);
        fprintf(stream, "; see\n.Xr msprof-%s 1 .\n", command->path);
    }
}

int manual_print_rows(FILE *stream, enum manual_rows rows, struct err *err)
{
    switch (rows) {
    case MANUAL_COMMANDS:
        put_commands(stream);
        break;
    case MANUAL_REPORTS:
        return put_reports(stream, is_file, put_files, err);
    case MANUAL_SAMPLES:
        return put_reports(stream, is_of_kind, put_table, err);
    case MANUAL_ANSWERS:
        return put_reports(stream, is_shown_only, put_table, err);
    case MANUAL_TRACKS:
        put_tracks(stream);
        break;
    case MANUAL_LAYERS:
        put_layers(stream);
        break;
    }
    return 0;
}
