/* SPDX-License-Identifier: Apache-2.0 */
/* msprof layout check: what a layout gives beside what the tables print. */
#include "cli/command.h"
#include "cli/console.h"
#include "cli/layout/layout_job.h"
#include "cli/status.h"
#include "parsers/layouts/check.h"

#include <inttypes.h>
#include <stdio.h>

static int tell(const struct check_result *result)
{
    struct err err = ERR_INIT;

    if (result->cells == 0 && result->unmatched == 0) {
        err_set(&err, ERR_NOT_FOUND, "nothing to compare: no table prints what the layout gives");
        err_hint(&err, "give the tables of this capture with --tables DIR");
        console_error(&err);
        return STATUS_NOTHING;
    }
    if (result->different == 0 && result->unmatched == 0) {
        console_output_begin();
        printf("equal: %" PRIu64 " cells of %" PRIu64 " rows\n", result->cells, result->rows);
        return console_output_end(false);
    }
    err_set(&err, ERR_FORMAT, "%s", result->first.data);
    err_hint(&err, "%" PRIu64 " of %" PRIu64 " cells differ, %" PRIu64 " of %" PRIu64 " rows have no record",
             result->different, result->cells, result->unmatched, result->rows);
    console_error(&err);
    return STATUS_FAILURE;
}

/* Compares the records of one kind; adds to the result. Returns an exit status. */
static int check_kind(const struct settings *settings, const struct layout_set *layouts, const char *kind,
                      struct check_result *result)
{
    const struct infer_options options = {
        .core_khz = settings->clock_khz, .rounding = settings->layout.rounding, .progress = console_progress()};
    struct layout_job job;
    struct err err = ERR_INIT;
    int status = layout_job_open(&job, settings, layouts, kind);

    if (status == STATUS_DONE) {
        int failure = check_tables(&job.capture, &job.tables, &options, result, &err);
        console_progress_end();
        console_diagnostics(&job.diag);
        if (failure != 0) {
            console_error(&err);
            status = status_of_error(&err);
        }
    }
    layout_job_release(&job);
    return status;
}

static bool is_first_of_its_kind(const struct layout_set *layouts, const struct loaded_layout *loaded)
{
    const struct loaded_layout *other = layouts->first;
    while (other->kind != loaded->kind)
        other = other->next;
    return other == loaded;
}

static int check_layouts(const struct settings *settings, const struct layout_set *layouts)
{
    struct check_result result = {.cells = 0};
    int status = STATUS_DONE;

    strbuf_init(&result.first, 8192);
    for (const struct loaded_layout *loaded = layouts->first; loaded != NULL && status == STATUS_DONE;
         loaded = loaded->next)
        if (is_first_of_its_kind(layouts, loaded))
            status = check_kind(settings, layouts, loaded->kind->name, &result);
    if (status == STATUS_DONE)
        status = tell(&result);
    strbuf_release(&result.first);
    return status;
}

static int run_check(const struct settings *settings)
{
    struct layout_set layouts;
    struct err err = ERR_INIT;
    int status;

    if (settings->operand_count != 1 || settings->captures.count != 1) {
        err_set(&err, ERR_USAGE,
                "'msprof layout check' takes a layout file and one capture; try 'msprof layout check "
                "--help'");
        console_error(&err);
        return STATUS_USAGE;
    }
    layout_set_init(&layouts);
    if (layout_set_load_named(&layouts, settings->operands[0], &err) == 0) {
        status = check_layouts(settings, &layouts);
    } else {
        console_error(&err);
        status = status_of_error(&err);
    }
    layout_set_release(&layouts);
    return status;
}

static const struct example examples[] = {
    {"find a layout and check it, with the tables in the capture",
     "msprof export summary -dir JOBX && msprof layout infer -dir JOBX --output found.layout && "
     "msprof layout check found.layout -dir JOBX"},
    {NULL, NULL},
};

const struct command command_layout_check = {
    .path = "layout check",
    .parent = COMMAND_LAYOUT,
    .summary = "compare what a layout gives with printed tables",
    .description = "Decodes a capture with a layout file, into memory, and compares every number with the tables that\n"
                   "a tool printed of it; names the first cell that differs. Statuses: 0 equal, 1 something differs,\n"
                   "4 nothing to compare.\n",
    .operands = "FILE",
    .most_operands = 1,
    .examples = examples,
    .run = run_check,
};
