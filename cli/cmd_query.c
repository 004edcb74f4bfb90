/* SPDX-License-Identifier: Apache-2.0 */
/* msprof query: the job table of captures. */
#include "base/language.h"
#include "base/map.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/screen.h"
#include "db/database.h"
#include "exporters/export.h"

#include <stdio.h>

/* Choices of --data-type, by the numbers of Ascend's tool; those behind are of its database of clusters. */
enum { QUERY_CLUSTER, QUERY_ITERATIONS, QUERY_FIRST_OF_CLUSTER };

static int print_table(struct capture_visit *visit, sqlite3 *db)
{
    const struct settings *settings = visit->settings;
    const struct show_options options = {.width = screen_answer_width(settings), .color = false};
    const struct query_choice choice = {
        .device_id = settings->device_id != QUERY_EVERY_DEVICE ? settings->device_id : DB_NULL,
        .model_id = settings->model_id >= 0 ? settings->model_id : DB_NULL,
        .iteration_id = settings->iteration_id > 0 ? settings->iteration_id : DB_NULL,
        .iterations = settings->iteration_id > 0 || settings->data_type == QUERY_ITERATIONS,
    };
    struct export_result printed = {0};
    struct err err = ERR_INIT;
    int status = STATUS_DONE, result;

    console_output_begin();
    result = query_capture(db, stdout, &choice, &options, &printed, &err);
    if (result != 0) {
        err_wrap(&err, "cannot query '%s'", visit->shown);
        status = visit_fail(visit, LOG_SOURCE_COMMON, &err);
    } else if (printed.rows == 0) {
        bool chosen = choice.device_id != DB_NULL || choice.model_id != DB_NULL || choice.iterations;
        status = console_fail(ERR_NOT_FOUND, NULL, "'%s' has no %s", visit->shown,
                              language_said(chosen ? "such device, model or iteration" : "device"));
    }
    return status_worse(status, console_output_end(result != 0));
}

/* ---- whether the captures are those of a cluster ---- */

/* Numbers of ranks, and of devices, of all captures. */
static struct numbers {
    struct map seen; /* of int64_t */
    size_t given, missing;
} ranks, devices;

static int note_number(struct numbers *numbers, int64_t number, struct err *err)
{
    if (number == DB_NULL) {
        numbers->missing++;
        return 0;
    }
    numbers->given++;
    return map_add(&numbers->seen, &number, NULL, err) != NULL ? 0 : err_status(err);
}

static int note_device(void *arg, int64_t device_id, int64_t rank_id, struct err *err)
{
    (void)arg;
    int status = note_number(&ranks, rank_id, err);
    return status == 0 ? note_number(&devices, device_id, err) : status;
}

static int note_ranks(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;

    return query_ranks(db, note_device, NULL, &err) == 0 ? STATUS_DONE : visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

/* All ranks are known and differ; or none is, and there are several devices, which differ. */
static bool is_cluster(void)
{
    bool by_rank = ranks.missing == 0 && ranks.given > 0 && ranks.seen.used == ranks.given;
    return by_rank || (ranks.given == 0 && devices.given > 1 && devices.seen.used == devices.given);
}

static int query_cluster(const struct settings *settings)
{
    ranks.seen = devices.seen = (struct map){.key_size = sizeof(int64_t), .item_size = sizeof(int64_t)};
    int status = captures_query(settings, &settings->captures, visit_open_database, note_ranks, NULL);
    if (status == STATUS_DONE || status == STATUS_DATA_PROBLEMS) {
        console_output_begin();
        printf("{\"status\": 0, \"info\": \"\", \"data\": \"%d\"}\n", is_cluster());
        status = status_worse(status, console_output_end(false));
    }
    map_release(&ranks.seen);
    map_release(&devices.seen);
    return status;
}

static int run_query(const struct settings *settings)
{
    if (settings->data_type >= QUERY_FIRST_OF_CLUSTER)
        return console_fail(ERR_USAGE,
                            "'msprof cluster' analyses the ranks of a job, 'msprof show --table list' lists the tables",
                            "--data-type %d: expected 0 or 1; others need a cluster database", settings->data_type);
    return settings->data_type == QUERY_CLUSTER
               ? query_cluster(settings)
               : captures_query(settings, &settings->captures, visit_open_database, print_table, NULL);
}

const struct command command_query = {
    .path = "query",
    .parent = COMMAND_ROOT,
    .only_answers = true,
    .order = 90,
    .imports = true,
    .summary = "list devices, models and iterations of captures",
    .description = "Prints one row per device and model of a capture: job, device, directory, collection time,\nmodel, "
                   "number of iterations, longest iterations, and rank. With --data-type 1 it prints one\nrow per "
                   "iteration: its time and the times of forward and backward propagation.\n",
    .needs_capture = true,
    EXAMPLES({"list devices and models of a capture", "msprof query -dir JOBX"},
             {"the same, as other tools call it for all devices", "msprof query -dir JOBX --id -1"}),
    .run = run_query,
};
