/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/answers/options_output.h"
#include "base/utf8.h"

#include "exporters/json_text.h"
#include "exporters/schemas.h"
#include "exporters/table/grid.h"
#include "parsers/switches/finding.h"

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

/* A list divided by commas as an array. */
static void put_words(struct json_out *json, const char *key, const char *list)
{
    json_put_begin(json, key, '[');
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ",");

        json_put_format(json, NULL, "\"%.*s\"", (int)length, list);
        list += length + (list[length] == ',');
    }
    json_put_end(json, ']');
}

static void put_problems(struct json_out *json, const char *key, const struct switch_problems *problems)
{
    json_put_begin(json, key, '[');
    for (size_t i = 0; i < problems->count; i++) {
        const struct switch_problem *problem = &problems->items[i];

        json_put_begin(json, NULL, '{');
        json_put_text(json, "key", problem->key);
        json_put_text(json, "value", problem->value);
        json_put_text(json, "message", problem->message);
        json_put_text(json, "suggestion", problem->suggestion);
        json_put_end(json, '}');
    }
    json_put_end(json, ']');
}

static void put_effects(struct json_out *json, const struct outcome *outcome)
{
    json_put_begin(json, "collects", '[');
    for (size_t i = 0; i < outcome->effects.count; i++) {
        const struct outcome_effect *item = &outcome->effects.items[i];

        if (!item->on_chip)
            continue;
        json_put_begin(json, NULL, '{');
        json_put_text(json, "switch", item->effect->key);
        json_put_text(json, "value", item->value);
        json_put_text(json, "what", item->effect->what);
        json_put_begin(json, "chips", '[');
        put_chips(json->stream, item->effect, ",");
        json_put_end(json, ']');
        put_words(json, "kinds", item->effect->kinds);
        json_put_end(json, '}');
    }
    json_put_end(json, ']');
}

static void put_outputs(struct json_out *json, const struct outcome *outcome)
{
    json_put_begin(json, "outputs", '[');
    for (size_t i = 0; i < outcome->tables.count; i++) {
        const struct outcome_table *table = &outcome->tables.items[i];

        json_put_begin(json, NULL, '{');
        json_put_format(json, "file", "\"%s_*.csv\"", table->name);
        json_put_begin(json, "switches", '[');
        for (size_t j = 0; table->switches[j] != NULL; j++)
            json_put_text(json, NULL, table->switches[j]);
        json_put_end(json, ']');
        json_put_begin(json, "columns", '[');
        for (size_t j = 0; j < table->column_count; j++)
            json_put_text(json, NULL, table->columns[j]);
        json_put_end(json, ']');
        json_put_end(json, '}');
    }
    for (size_t i = 0; i < outcome->files.count; i++) {
        const struct outcome_layer *file = &outcome->files.items[i];

        json_put_begin(json, NULL, '{');
        json_put_format(json, "file", "\"%.*s_*.json\"", (int)file->length, file->name);
        put_words(json, "switches", file->key);
        json_put_end(json, '}');
    }
    for (size_t i = 0; i < outcome->layers.count; i++) {
        const struct outcome_layer *layer = &outcome->layers.items[i];

        json_put_begin(json, NULL, '{');
        json_put_text(json, "file", "msprof_*.json");
        put_words(json, "switches", layer->key);
        json_put_format(json, "layer", "\"%.*s\"", (int)layer->length, layer->name);
        json_put_end(json, '}');
    }
    json_put_end(json, ']');
}

static void print_json(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                       FILE *stream)
{
    struct json_out json = {.stream = stream};

    json_put_begin(&json, NULL, '{');
    json_put_text(&json, "schema", SCHEMA_OPTIONS);
    json_put_text(&json, "file", file);
    json_put_text(&json, "written_for", switch_writer_name(finding->writer));
    if (outcome->chip == OUTCOME_EVERY_CHIP)
        json_put_text(&json, "chip", NULL);
    else
        json_put_format(&json, "chip", "%" PRId64, outcome->chip);
    json_put_bool(&json, "valid", finding->problems.count == 0);
    put_problems(&json, "problems", &finding->problems);
    put_problems(&json, "warnings", &finding->warnings);
    put_effects(&json, outcome);
    put_outputs(&json, outcome);
    json_put_end(&json, '}');
    fputc('\n', stream);
}

void options_print(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                   enum options_format format, FILE *stream)
{
    if (format == OPTIONS_JSON)
        print_json(finding, outcome, file, stream);
    else
        print_text(finding, outcome, file, stream);
}
