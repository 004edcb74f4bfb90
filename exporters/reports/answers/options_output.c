/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/answers/options_output.h"
#include "base/utf8.h"

#include "exporters/schemas.h"
#include "exporters/table/grid.h"
#include "parsers/switches/check.h"

#include <inttypes.h>
#include <string.h>

/* The numbers of chips, divided: all of them stand as their own. */
static void put_chips(FILE *stream, const struct switch_effect *effect, const char *divider)
{
    static const int known[] = {0, 1, 2, 3, 4, 5, 7, 8, 11, 15, 16};
    bool any = false;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!switch_effect_on_chip(effect, known[i]))
            continue;
        fprintf(stream, "%s%d", any ? divider : "", known[i]);
        any = true;
    }
}

/* ---- for people ---- */

static void print_problems(const char *title, const struct switch_problems *problems, FILE *stream)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct switch_problem *problem = &problems->items[i];

        if (i == 0)
            fprintf(stream, "\n%s:\n", title);
        fputs("  ", stream);
        put_safe_line(stream, problem->key, false);
        if (*problem->value != '\0') {
            fputs(" = ", stream);
            put_safe_line(stream, problem->value, false);
        }
        fputs(": ", stream);
        put_safe_line(stream, problem->message, false);
        if (problem->suggestion != NULL) {
            fputs(" (try ", stream);
            put_safe_line(stream, problem->suggestion, false);
            fputc(')', stream);
        }
        fputc('\n', stream);
    }
}

static void print_effects(const struct outcome *outcome, FILE *stream)
{
    fputs("\nCollected:\n", stream);
    if (outcome->effects.count == 0)
        fputs("  nothing\n", stream);
    for (size_t i = 0; i < outcome->effects.count; i++) {
        const struct outcome_effect *item = &outcome->effects.items[i];

        fprintf(stream, "  %s = ", item->effect->key);
        put_safe_line(stream, item->value, false);
        if (!item->on_chip)
            fprintf(stream, ": nothing on chip %" PRId64 "; ", outcome->chip);
        else
            fputs(": ", stream);
        fputs(item->effect->what, stream);
        if (item->effect->chips != SWITCH_EVERY_CHIP) {
            fputs(item->on_chip ? " (chips " : " is of chips ", stream);
            put_chips(stream, item->effect, ", ");
            fputs(item->on_chip ? ")" : "", stream);
        }
        fputc('\n', stream);
    }
}

static void print_outputs(const struct outcome *outcome, FILE *stream)
{
    if (outcome->tables.count + outcome->files.count + outcome->layers.count > 0)
        fputs("\nFiles and columns that come of it:\n", stream);
    for (size_t i = 0; i < outcome->tables.count; i++) {
        const struct outcome_table *table = &outcome->tables.items[i];

        fprintf(stream, "  %s_*.csv:", table->name);
        for (size_t j = 0; j < table->column_count; j++)
            fprintf(stream, "%s %s", j > 0 ? "," : "", table->columns[j]);
        fputc('\n', stream);
    }
    for (size_t i = 0; i < outcome->files.count; i++)
        fprintf(stream, "  %.*s_*.json\n", (int)outcome->files.items[i].length, outcome->files.items[i].name);
    for (size_t i = 0; i < outcome->layers.count; i++)
        fprintf(stream, "%s%.*s", i == 0 ? "  msprof_*.json with the layers: " : ", ",
                (int)outcome->layers.items[i].length, outcome->layers.items[i].name);
    fputs(outcome->layers.count > 0 ? "\n" : "", stream);
}

static void print_text(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                       FILE *stream)
{
    put_safe_line(stream, file, false);
    fprintf(stream, ": options of %s", switch_writer_name(finding->writer));
    if (outcome->chip != OUTCOME_EVERY_CHIP)
        fprintf(stream, " on chip %" PRId64, outcome->chip);
    fprintf(stream, ": %s\n", finding->problems.count == 0 ? "valid" : "not valid");
    print_problems("Problems", &finding->problems, stream);
    print_problems("Warnings", &finding->warnings, stream);
    print_effects(outcome, stream);
    print_outputs(outcome, stream);
}

/* ---- for programs ---- */

static void put_member(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, "\"%s\":", key);
    if (text != NULL)
        put_json(stream, text);
    else
        fputs("null", stream);
}

/* A list divided by commas as an array. */
static void put_words(FILE *stream, const char *list)
{
    fputc('[', stream);
    for (bool any = false; list != NULL && *list != '\0'; any = true) {
        size_t length = strcspn(list, ",");

        fprintf(stream, "%s\"%.*s\"", any ? "," : "", (int)length, list);
        list += length + (list[length] == ',');
    }
    fputc(']', stream);
}

static void put_problems(const char *key, const struct switch_problems *problems, FILE *stream)
{
    fprintf(stream, "\"%s\":[", key);
    for (size_t i = 0; i < problems->count; i++) {
        const struct switch_problem *problem = &problems->items[i];

        fputs(i > 0 ? ",{" : "{", stream);
        put_member(stream, "key", problem->key);
        fputc(',', stream);
        put_member(stream, "value", problem->value);
        fputc(',', stream);
        put_member(stream, "message", problem->message);
        fputc(',', stream);
        put_member(stream, "suggestion", problem->suggestion);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void put_effects(const struct outcome *outcome, FILE *stream)
{
    bool any = false;

    fputs("\"collects\":[", stream);
    for (size_t i = 0; i < outcome->effects.count; i++) {
        const struct outcome_effect *item = &outcome->effects.items[i];

        if (!item->on_chip)
            continue;
        fputs(any ? ",{" : "{", stream);
        put_member(stream, "switch", item->effect->key);
        fputc(',', stream);
        put_member(stream, "value", item->value);
        fputc(',', stream);
        put_member(stream, "what", item->effect->what);
        fputs(",\"chips\":[", stream);
        put_chips(stream, item->effect, ",");
        fputs("],\"kinds\":", stream);
        put_words(stream, item->effect->kinds);
        fputc('}', stream);
        any = true;
    }
    fputc(']', stream);
}

static void put_outputs(const struct outcome *outcome, FILE *stream)
{
    fputs("\"outputs\":[", stream);
    for (size_t i = 0; i < outcome->tables.count; i++) {
        const struct outcome_table *table = &outcome->tables.items[i];

        fprintf(stream, "%s{\"file\":\"%s_*.csv\",\"switches\":[", i > 0 ? "," : "", table->name);
        for (size_t j = 0; table->switches[j] != NULL; j++)
            fprintf(stream, "%s\"%s\"", j > 0 ? "," : "", table->switches[j]);
        fputs("],\"columns\":[", stream);
        for (size_t j = 0; j < table->column_count; j++) {
            fputs(j > 0 ? "," : "", stream);
            put_json(stream, table->columns[j]);
        }
        fputs("]}", stream);
    }
    for (size_t i = 0; i < outcome->files.count; i++) {
        const struct outcome_layer *file = &outcome->files.items[i];

        fprintf(stream, "%s{\"file\":\"%.*s_*.json\",\"switches\":[\"%s\"]}", i + outcome->tables.count > 0 ? "," : "",
                (int)file->length, file->name, file->key);
    }
    for (size_t i = 0; i < outcome->layers.count; i++) {
        const struct outcome_layer *layer = &outcome->layers.items[i];

        fprintf(stream, "%s{\"file\":\"msprof_*.json\",\"switches\":[",
                i + outcome->tables.count + outcome->files.count > 0 ? "," : "");
        if (layer->key != NULL)
            fprintf(stream, "\"%s\"", layer->key);
        fprintf(stream, "],\"layer\":\"%.*s\"}", (int)layer->length, layer->name);
    }
    fputc(']', stream);
}

static void print_json(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                       FILE *stream)
{
    fputs("{\"schema\":\"" SCHEMA_OPTIONS "\",", stream);
    put_member(stream, "file", file);
    fputc(',', stream);
    put_member(stream, "written_for", switch_writer_name(finding->writer));
    if (outcome->chip == OUTCOME_EVERY_CHIP)
        fputs(",\"chip\":null", stream);
    else
        fprintf(stream, ",\"chip\":%" PRId64, outcome->chip);
    fprintf(stream, ",\"valid\":%s,", finding->problems.count == 0 ? "true" : "false");
    put_problems("problems", &finding->problems, stream);
    fputc(',', stream);
    put_problems("warnings", &finding->warnings, stream);
    fputc(',', stream);
    put_effects(outcome, stream);
    fputc(',', stream);
    put_outputs(outcome, stream);
    fputs("}\n", stream);
}

void options_print(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                   enum options_format format, FILE *stream)
{
    if (format == OPTIONS_JSON)
        print_json(finding, outcome, file, stream);
    else
        print_text(finding, outcome, file, stream);
}
