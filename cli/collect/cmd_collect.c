/* SPDX-License-Identifier: Apache-2.0 */
/* msprof collect: a program on a board, and its capture home. */
#include "base/interrupt.h"
#include "cli/capture/captures.h"
#include "cli/collect/cmd_collect_board.h"
#include "cli/collect_library.h"
#include "cli/command.h"
#include "cli/console.h"
#include "ssh/session/connection.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* One board's work in a thread of its own. */
struct board_work {
    struct collect_plan plan;
    struct collect_outcome outcome;
    pthread_t thread;
    bool has_plan, started;
};

static int fail(const struct err *err)
{
    return console_error(err);
}

static void *work(void *arg)
{
    struct board_work *board = arg;

    board->outcome = collect_from_board(&board->plan);
    return NULL;
}

/* Side by side; the first runs here when it is the only one. */
static void work_all(struct board_work *boards, size_t count)
{
    if (count == 1) {
        work(&boards[0]);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        boards[i].started = pthread_create(&boards[i].thread, NULL, work, &boards[i]) == 0;
        if (!boards[i].started) {
            struct err err = ERR_INIT;

            err_set(&err, ERR_NO_MEMORY, "cannot start a thread for board %s", boards[i].plan.target->name);
            boards[i].outcome.status = fail(&err);
        }
    }
    for (size_t i = 0; i < count; i++)
        if (boards[i].started)
            pthread_join(boards[i].thread, NULL);
}

/* The commands that --all stands for, on the captures that came. */
static int process_captures(const struct settings *settings, const struct board_work *boards, size_t count)
{
    struct value_list captures = {.values = NULL};
    struct err err = ERR_INIT;
    size_t total = 0;

    for (size_t i = 0; i < count; i++)
        total += boards[i].outcome.captures.count;
    captures.values = calloc(total + 1, sizeof *captures.values);
    if (captures.values == NULL) {
        err_set(&err, ERR_NO_MEMORY, "out of memory");
        return fail(&err);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < boards[i].outcome.captures.count; k++)
            captures.values[captures.count++] = boards[i].outcome.captures.items[k];
    int status = captures_make_reports(settings, &captures, true, true);
    free(captures.values);
    return status;
}

/* The plan of a run, with the home directory as a word because only the board knows it. */
static int print_run(struct collect_plan *plan)
{
    const char *base = plan->target->remote_dir != NULL ? plan->target->remote_dir : "<home>";
    struct err err = ERR_INIT;
    struct strbuf run_directory;
    int status = STATUS_DONE;

    strbuf_init(&run_directory, 8192);
    strbuf_addf(&run_directory, "%s/profiling%s%s", base, plan->directory[0] != '\0' ? "/" : "", plan->directory);
    if (collect_plan_acl_json(plan, run_directory.data, &err) != 0)
        status = fail(&err);
    else
        collect_plan_print(plan, run_directory.data);
    strbuf_release(&run_directory);
    return status;
}

static int print_plans(struct board_work *boards, size_t count)
{
    int status = STATUS_DONE;

    console_output_begin();
    for (size_t i = 0; i < count; i++) {
        if (boards[i].plan.settings->collect.fetch_only != NULL)
            collect_plan_print_fetch(&boards[i].plan);
        else
            status = status_worse(status, print_run(&boards[i].plan));
    }
    return status_worse(status, console_output_end(false));
}

static int collect(const struct settings *settings, const struct collect_config *config, struct board_work *boards)
{
    struct err err = ERR_INIT;
    int status = STATUS_DONE;

    for (size_t i = 0; i < config->count; i++) {
        if (collect_plan_make(&boards[i].plan, settings, &config->targets[i], &err) != 0)
            return fail(&err);
        boards[i].has_plan = true;
    }
    if (settings->collect.dry_run)
        return print_plans(boards, config->count);
    work_all(boards, config->count);
    for (size_t i = 0; i < config->count; i++)
        status = status_worse(status, boards[i].outcome.status);
    return status;
}

/* Checks that one thing is to be done: run a program, or only fetch. */
static int check_options(const struct settings *settings, struct err *err)
{
    const struct collect_settings *collect = &settings->collect;
    const char *missing = collect->config == NULL                                   ? "--config FILE"
                          : collect->program == NULL && collect->fetch_only == NULL ? "-m MAIN"
                                                                                    : NULL;

    if (missing != NULL) {
        err_set(err, ERR_USAGE, "%s is missing; try 'msprof collect --help'", missing);
        return err_hint(err, "msprof collect -m PROJECT/out/main --config board.ini");
    }
    if (collect->fetch_only != NULL && (collect->program != NULL || settings->operand_count > 0))
        return err_set(err, ERR_USAGE, "--fetch-only runs no program: it cannot go together with --main");
    if (collect->fetch_only != NULL && collect->keep)
        return err_set(err, ERR_USAGE,
                       "--fetch-only keeps captures on the board unless --remove-remote is given: "
                       "--keep says nothing there");
    if (collect->fetch_only == NULL && collect->remove_remote)
        return err_set(err, ERR_USAGE,
                       "--remove-remote goes together with --fetch-only; after a run the capture is "
                       "removed anyway, unless --keep is given");
    return 0;
}

static int run_collect(const struct settings *settings)
{
    const struct rlimit no_core = {0, 0};
    struct collect_config config;
    struct board_work *boards;
    struct err err = ERR_INIT;
    int status;

    if (check_options(settings, &err) != 0)
        return fail(&err);
    /* Passwords are in memory while boards are connected; the limit alone does not stop dumps that go into a pipe. */
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_DUMPABLE, 0);
    if (collect_config_load(&config, settings, &err) != 0)
        return fail(&err);
    boards = calloc(config.count, sizeof *boards);
    if (boards == NULL) {
        err_set(&err, ERR_NO_MEMORY, "out of memory");
        status = fail(&err);
    } else {
        status = collect(settings, &config, boards);
        collect_config_forget_secrets(&config);
        if (settings->collect.all && !settings->collect.dry_run && !interrupted())
            status = status_worse(status, process_captures(settings, boards, config.count));
        for (size_t i = 0; i < config.count; i++) {
            words_release(&boards[i].outcome.captures);
            if (boards[i].has_plan)
                collect_plan_release(&boards[i].plan);
        }
    }
    free(boards);
    collect_config_release(&config);
    return status;
}

bool collect_library(struct library_version *ret)
{
    *ret = ssh_library();
    return true;
}

static const struct example examples[] = {
    {"run a program on the board, fetch its capture, make all reports",
     "msprof collect -m project/out/main --config board.ini --all"},
    {"give the program arguments", "msprof collect -m project/out/main --config board.ini -- -n 5 'a file'"},
    {"fetch a capture that stayed on the board",
     "msprof collect --config board.ini --fetch-only /root/profiling/out/JOBX"},
    {"see what would be done", "msprof collect -m project/out/main --config board.ini --dry-run"},
    {NULL, NULL},
};

const struct command command_collect = {
    .path = "collect",
    .parent = COMMAND_ROOT,
    .order = 10,
    .summary = "run a program on a board over SSH and fetch its capture",
    .description = "Uploads the project of a program to a board over SSH, switches profiling on in acl.json, runs\n"
                   "the program there, fetches the capture that it leaves, and removes the project again.\n"
                   "Files that the program made, and those that did not come home, stay on the board.\n",
    .operands = "[-- ARGUMENT...]",
    .most_operands = -1,
    .operands_follow_dashes = true,
    .examples = examples,
    .run = run_collect,
};
