/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/commands/cluster_tables.h"

#include "base/language.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/suggest.h"
#include "cli/answer_tables.h"
#include "cli/capture/captures.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/options/options.h"
#include "cli/screen.h"
#include "features/cluster/tables/rank_stages.h"
#include "features/cluster/tables/rank_tables.h"
#include "parsers/capture/framework_directory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_HINT LANGUAGE_MARK("'msprof cluster --table list' prints those that there are")

static int refuse_name(const char *name)
{
    struct nearest nearest = nearest_to(name, strlen(name));
    for (const struct rank_table *const *table = rank_tables; *table != NULL; table++)
        nearest_add(&nearest, (*table)->report->name);
    return console_fail(ERR_USAGE, LIST_HINT, "there is no table '%s' of ranks%s%s%s", name, NEAREST_TEXT(nearest));
}

static bool is_list(const struct settings *settings)
{
    const struct value_list *tables = &settings->show.tables;
    return tables->count > 0 && strcmp(tables->values[0], "list") == 0;
}

int cluster_tables_check(const struct settings *settings)
{
    const struct value_list *tables = &settings->show.tables;
    struct show_settings show = settings->show;
    if (tables->count == 0 && settings->cluster.format == CLUSTER_JSON)
        show.format = 0; /* of the answer without a table */
    int status = answer_check_tables(&show, NULL, LIST_HINT);

    const char *step = settings->cluster.steps;
    int64_t number;

    if (status == STATUS_DONE && tables->count > 0 && step != NULL &&
        number_parse_integer(step, strlen(step), &number) != 0)
        return console_fail(ERR_USAGE, NULL, "with --table, --step takes one number");
    for (size_t i = 0; status == STATUS_DONE && !is_list(settings) && i < tables->count; i++)
        if (rank_table_find(tables->values[i]) == NULL)
            status = refuse_name(tables->values[i]);
    return status;
}

bool cluster_tables_listed(const struct settings *settings, int *ret_status)
{
    const struct report *reports[RANK_TABLE_COUNT + 1] = {NULL};
    struct err err = ERR_INIT;

    if (!is_list(settings))
        return false;
    for (size_t i = 0; rank_tables[i] != NULL; i++)
        reports[i] = rank_tables[i]->report;
    console_output_begin();
    const int result = show_report_list(stdout, screen_answer_width(settings), reports, &err);
    if (result < 0)
        console_error(&err);
    *ret_status = status_worse(result < 0 ? status_of_error(&err) : STATUS_DONE, console_output_end(result < 0));
    return true;
}

/* ---- facts of the ranks ---- */

struct reading {
    struct rank_facts facts;
    struct rank_stages stages;
    const char *step; /* number of the step that the tables are about; NULL: all time */
    int64_t rank;     /* whose capture is open */
};

static void reading_release(struct reading *reading)
{
    rank_facts_release(&reading->facts);
    rank_stages_release(&reading->stages);
}

static int take_capture(struct capture_visit *visit, sqlite3 *db)
{
    struct reading *reading = visit->context;
    const struct window_wanted wanted = {.step = reading->step, .numbered = true};
    struct err err = ERR_INIT;

    if (reading->step != NULL && window_choose(db, &wanted, &err) < 0) {
        if (err.code != ERR_NOT_FOUND)
            return visit_fail(visit, LOG_SOURCE_COMMON, &err);
        console_warning("rank %" PRId64 " is left out: %s", reading->rank, err_message(&err));
        return STATUS_DATA_PROBLEMS;
    }
    return rank_facts_add(&reading->facts, reading->rank, rank_stages_of(&reading->stages, reading->rank), db, &err) < 0
               ? visit_fail(visit, LOG_SOURCE_COMMON, &err)
               : STATUS_DONE;
}

static const struct cluster_source *source_of(const struct cluster_sources *sources, const struct aggregate *rank)
{
    size_t i = 0;
    while (i < sources->count && strcmp(sources->items[i].path, rank->source) != 0)
        i++;
    return i < sources->count ? &sources->items[i] : NULL;
}

/* Whether there is a capture, or only what an analysis made of one. */
static bool has_capture(const struct cluster_source *source)
{
    SCOPED(framework_paths_release) struct framework_paths captures = {.count = 0};
    struct err ignored = ERR_INIT;
    return source->kind == SOURCE_PROF ||
           (framework_find_prof(source->path, &captures, NULL, &ignored) == 0 && captures.count > 0);
}

/* What was wrong with a rank is reported; the others are read all the same. */
static int read_rank(const struct settings *settings, struct reading *reading, const struct cluster_source *source)
{
    const char *path = source->path;
    const struct value_list one = {.values = &path, .count = 1};

    if (!has_capture(source)) {
        console_warning("rank %" PRId64
                        " is left out: '%s' has the results of an analysis, and tables need the capture "
                        "(PROF_*) that they were made of",
                        reading->rank, path);
        return STATUS_DATA_PROBLEMS;
    }
    const int status = captures_query(settings, &one, visit_open_prepared, take_capture, reading);
    return status == STATUS_NOTHING ? STATUS_DATA_PROBLEMS : status;
}

static int read_ranks(const struct settings *settings, struct reading *reading, const struct cluster_sources *sources,
                      const struct loaded_ranks *ranks)
{
    struct settings each = *settings;
    int status = STATUS_DONE;

    each.output = NULL; /* databases belong into the captures */
    for (size_t i = 0; i < ranks->count && !interrupted(); i++) {
        const struct cluster_source *source = source_of(sources, &ranks->items[i]);
        reading->rank = ranks->items[i].rank;
        if (source != NULL)
            status = status_worse(status, read_rank(&each, reading, source));
    }
    return status;
}

/* ---- tables ---- */

static int tell_nothing(const struct report *report, const struct settings *settings)
{
    struct err err = ERR_INIT;
    if (settings->show.filters.count > 0)
        err_set(&err, ERR_NOT_FOUND, "no row of table '%s' passes the filters", report->name);
    else
        err_set(&err, ERR_NOT_FOUND, "no rank has rows for table '%s', which needs %s", report->name, report->needs);
    console_error(&err);
    return STATUS_NOTHING;
}

static int print_table(const struct settings *settings, const struct rank_facts *facts, const struct report *report)
{
    const struct roofs roofs = roofs_of(settings);
    struct table_stream stream = {.path = "/dev/stdout"};
    const struct show_options options = answer_show_options(settings, &roofs, &stream);
    const struct table_choice choice = answer_choice(settings);
    struct export_result shown = {0};
    struct err err = ERR_INIT;

    console_output_begin();
    answer_table_begin(settings, report->name);
    const int result =
        show_report(facts->db, stdout, report, CAPTURE_CANN, answer_format(settings), &choice, &options, &shown, &err);
    int status = STATUS_DONE;
    if (result < 0) {
        console_error(&err);
        status = status_of_error(&err);
    } else if (shown.rows == 0) {
        status = tell_nothing(report, settings);
    }
    status = status_worse(status, console_output_end(result < 0));
    return status_worse(status, answer_stream_end(&stream));
}

static int print_all(const struct settings *settings, const struct rank_facts *facts)
{
    int status = STATUS_DONE;

    if (answer_format(settings) == TABLE_TERMINAL)
        pager_start(settings);
    for (size_t i = 0; i < facts->count; i++) {
        if (i > 0)
            answer_table_divide(settings);
        status = status_worse(status, print_table(settings, facts, facts->tables[i]->report));
    }
    pager_end();
    return status;
}

static bool goes_on(int status)
{
    return status == STATUS_DONE || status == STATUS_DATA_PROBLEMS;
}

int cluster_tables(const struct settings *settings, const struct cluster_sources *sources,
                   const struct loaded_ranks *ranks)
{
    const struct value_list *names = &settings->show.tables;
    SCOPED_FREE const struct rank_table **tables = scoped_memory(names->count, sizeof *tables);
    SCOPED(reading_release) struct reading reading = {.rank = -1, .step = settings->cluster.steps};
    struct err err = ERR_INIT;

    for (size_t i = 0; tables != NULL && i < names->count; i++)
        tables[i] = rank_table_find(names->values[i]);
    if (tables == NULL)
        err_no_memory(&err);
    if (tables == NULL || rank_stages_find(&reading.stages, ranks, &err) < 0 ||
        rank_facts_open(&reading.facts, tables, names->count, &err) < 0) {
        console_error(&err);
        return status_of_error(&err);
    }
    const int status = read_ranks(settings, &reading, sources, ranks);
    return goes_on(status) ? status_worse(status, print_all(settings, &reading.facts)) : status;
}

static const struct report *table_at(size_t i)
{
    return rank_tables[i] != NULL ? rank_tables[i]->report : NULL;
}

const struct command_extension command_extension_ranks = {.order = 40, .table = table_at};
