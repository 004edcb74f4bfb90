/* SPDX-License-Identifier: Apache-2.0 */
/* msprof collect: a program on a board, and its capture home. */
#include "base/clock.h"
#include "base/file/fsutil.h"
#include "base/language.h"
#include "base/progress.h"
#include "base/secret.h"
#include "cli/capture/captures.h"
#include "cli/collect/cmd_collect_plan.h"
#include "cli/collect/cmd_collect_session.h"
#include "cli/command.h"
#include "cli/console.h"
#include "ssh/acl_json.h"
#include "ssh/session/connection.h"
#include "ssh/transfer/beginning.h"
#include "ssh/transfer/placement.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* The whole way over one board. */

/* The project mounted on the board from this machine, and its acl.json patched here meanwhile. */

/* Where the board reaches this machine. */
static int nfs_address(struct session *session, const char **ret, struct err *err)
{
    const char *given = session->plan->settings->collect.nfs_server;

    *ret = given != NULL ? given : ssh_facts(session->connection)->local_address;
    return collect_check_nfs_address(*ret, err);
}

/* With NFS the program reads this machine's acl.json, so the patched text is written here, until the end. */
static int write_acl_json(struct session *session, struct err *err)
{
    struct collect_plan *plan = session->plan;
    int result = 0;

    for (size_t i = 0; i < plan->project.count && result == 0; i++) {
        const struct project_file *file = &plan->project.files[i];

        if (file->content == NULL)
            continue;
        if (session->acl.target != NULL)
            return err_set(err, ERR_USAGE, "--transfer=nfs supports only one acl.json in the project; '%s' is another",
                           file->path);
        SCOPED_FREE char *path = path_join(plan->root, file->path);
        result = path != NULL ? acl_file_replace(&session->acl, path, file->content, (size_t)file->size, err)
                              : err_no_memory(err);
    }
    return result;
}

/* Puts acl.json back as it was; harmless when it was not touched. */
static void nfs_restore_acl_json(struct session *session)
{
    struct err err = ERR_INIT;
    enum acl_file_end end;

    if (acl_file_restore(&session->acl, &end, &err) != 0) {
        err_wrap(&err, "cannot restore acl.json");
        session_fail(session, &err);
    } else if (end == ACL_FILE_EDITED) {
        session_warn(
            session,
            "acl.json was changed during the run and is kept; the original is beside it as '<name>.before-msprof'");
    }
}

static int nfs_mount(struct session *session, struct err *err)
{
    const char *address;
    struct strbuf source;
    int result = nfs_address(session, &address, err);

    if (result != 0)
        return result;
    result = write_acl_json(session, err);
    if (result != 0)
        return result;
    strbuf_init(&source, 8192);
    strbuf_addf(&source, strchr(address, ':') != NULL ? "[%s]:%s" : "%s:%s", address, session->plan->root);
    session->mounted = true; /* also when it fails half-way */
    result = source.failed ? err_no_memory(err)
                           : board_mount(&session->board, &session->lock, source.data, session->project, err);
    if (result != 0)
        session->mounted = false;
    else
        session_note(session, "mounted '%s' at '%s'", source.data, session->project);
    strbuf_release(&source);
    return result;
}

#define PROJECT_DIRECTORY "profiling"
#define TIDY_SECONDS 60
#define SPARE_KILOBYTES 2048 /* for the capture's first bytes */

static int choose_paths(struct session *session, struct err *err)
{
    const struct collect_plan *plan = session->plan;

    session->base = strdup(plan->target->remote_dir != NULL ? plan->target->remote_dir : session->board.home);
    if (session->base != NULL)
        session->project = path_join(session->base, PROJECT_DIRECTORY);
    if (session->project != NULL)
        session->run_directory =
            plan->directory[0] != '\0' ? path_join(session->project, plan->directory) : strdup(session->project);
    if (session->run_directory == NULL)
        return err_no_memory(err);
    char problem = acl_path_problem(session->run_directory);
    if (problem == 0)
        return 0;
    err_set(err, ERR_USAGE, "the board's profiler does not support '%c' in the path '%s'", problem,
            session->run_directory);
    return err_hint(err, "only letters, digits, '_', '-', '.' and '/' are allowed; rename the directory, or choose "
                         "another 'remote_dir' in the ini file");
}

/* Checks what must be right before anything is changed on the board. */
static int check_board(struct session *session, struct err *err)
{
    const struct collect_plan *plan = session->plan;
    int64_t kilobytes = -1, needed = SPARE_KILOBYTES;
    bool writable = false;
    int result;

    if (plan->machines[0] != '\0' && session->board.machine[0] != '\0' &&
        !elf_machine_is_among(plan->machines, session->board.machine)) {
        err_set(err, ERR_REMOTE, "'%s' is built for %s, but the board is %s", plan->main, plan->machines,
                session->board.machine);
        return err_hint(err, "build the project with the board's compiler");
    }
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the session's paths are freed when its work ends
    result = board_space(&session->board, session->base, &kilobytes, &writable, err);
    if (result != 0)
        return result;
    if (!writable) {
        err_set(err, ERR_REMOTE, "user '%s' cannot write to '%s' on the board", plan->target->ssh.user, session->base);
        return err_hint(err, "set 'remote_dir' in the ini file to a directory that this user can write to");
    }
    if (plan->settings->collect.transfer == TRANSFER_UPLOAD)
        needed += (int64_t)(project_bytes(&plan->project) / 1024);
    if (kilobytes >= 0 && kilobytes < needed && plan->settings->collect.transfer == TRANSFER_UPLOAD)
        needed -= placement_staged_kilobytes(&session->board, session->project);
    if (kilobytes >= 0 && kilobytes < needed) {
        err_set(err, ERR_REMOTE, "the board has %" PRId64 " KB free at '%s', but needs %" PRId64 " KB", kilobytes,
                session->base, needed);
        return err_hint(err, "free some space, omit files with --exclude, set 'remote_dir' to another file system, or "
                             "use --transfer=nfs");
    }
    return 0;
}

/* After the connection was made anew the lock has to be taken again. */
static int keep_lock(struct session *session, struct err *err)
{
    bool is_busy;

    return session_lock(session, &is_busy, err);
}

/* "'a', 'b' and 3 more" */
static void show_names(const struct words *names, struct strbuf *ret)
{
    const size_t most = 3;

    for (size_t i = 0; i < names->count && i < most; i++)
        strbuf_addf(ret, "%s'%s'", i > 0 ? ", " : "", names->items[i]);
    if (names->count > most)
        strbuf_addf(ret, " and %zu more", names->count - most);
}

static void tell_kept(struct session *session)
{
    const struct words *kept = &session->placement.kept;
    struct strbuf names;

    if (kept->count == 0)
        return;
    strbuf_init(&names, 4096);
    show_names(kept, &names);
    session_warn(session,
                 "%zu file%s of the board %s other content than the project's of the same name and %s kept in "
                 "'%s/" PLACEMENT_KEPT "' until the end: %s",
                 kept->count, console_plural(kept->count), kept->count == 1 ? "has" : "have",
                 kept->count == 1 ? "is" : "are", session->project, names.data);
    strbuf_release(&names);
}

static void tell_arrived(struct session *session, const struct upload_result *sent)
{
    if (sent->arrived > 0)
        session_note(session, "%zu file%s from an interrupted upload were reused", sent->arrived,
                     console_plural(sent->arrived));
    if (sent->gone_on_from > 0)
        session_note(session, "continued a file after %" PRIu64 " bytes that had arrived before", sent->gone_on_from);
    if (sent->dropped > 0)
        session_note(
            session, "%" PRIu64 " bytes that had arrived before were sent again: they %s", sent->dropped,
            board_compares_beginnings(&session->board)
                ? language_said("differ from the project's")
                : language_said("cannot be compared (the board lacks dd, or any of sha256sum, md5sum and cksum)"));
    if (sent->reconnections > 0)
        session_warn(session, "the connection was lost %zu time%s and restored", sent->reconnections,
                     console_plural(sent->reconnections));
}

static int upload(struct session *session, struct err *err)
{
    struct placement *placement = &session->placement;
    struct project *project = &session->plan->project;
    struct upload_result sent = {.sent = 0};
    int64_t start_ns = clock_now_ns();

    session->uploaded = true;
    if (placement_open(placement, &session->board, session->project, err) != 0 ||
        upload_compare(&session->board, project, placement, err) != 0 ||
        placement_adopt(placement, &session->board, project, err) != 0)
        return err_status(err);
    if (project->skipped.count > 0)
        session_warn(session,
                     "%zu entries of the project are not regular files and were not uploaded, the first is '%s'",
                     project->skipped.count, project->skipped.first);
    int result = upload_send(&session->board, project, placement, session_progress(session), &sent, err);
    console_progress_end();
    tell_kept(session);
    tell_arrived(session, &sent);
    if (result != 0)
        return err_wrap(err, "the upload failed");
    session_note(session, "uploaded %zu file%s, %" PRIu64 " bytes, %s s; %zu unchanged; compared by %s", sent.sent,
                 console_plural(sent.sent), sent.bytes, CLOCK_SECONDS_SINCE(start_ns), sent.unchanged,
                 language_said(sent.verified_by));
    return keep_lock(session, err);
}

static int check_libraries(struct session *session, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf missing;
    int result;

    strbuf_init(&missing, 4096);
    result = board_missing_libraries(&session->board, session->run_directory, session->plan->program, &missing, err);
    if (result == 0 && missing.length > 0) {
        err_set(err, ERR_REMOTE, "the board lacks shared libraries that '%s' needs: %s", session->plan->program,
                missing.data);
        result = err_hint(err, "install them on the board, put them where its loader looks (/etc/ld.so.conf), or set "
                               "LD_LIBRARY_PATH in the board user's login environment");
    }
    return result;
}

/* Judges the end of the program; a capture may be there all the same. */
static void judge_run(struct session *session, const struct run_result *run)
{
    const char *program = session->plan->program;
    struct err err = ERR_INIT;

    if (run->end == RUN_INTERRUPTED) {
        session_warn(session, "interrupted: '%s' was stopped; fetching its capture (press again to quit now)", program);
        session->outcome.status = STATUS_INTERRUPTED;
    } else if (run->end == RUN_LOST) {
        err_set(&err, ERR_REMOTE, "the connection was lost while '%s' ran; it %s; fetching its capture", program,
                run->gone     ? language_said("ended before it could be stopped")
                : run->killed ? language_said("ignored the request to stop and was killed")
                              : language_said("was stopped"));
        err_hint(&err, "check the board's network, then run again; output of the program after the loss is missing");
        session_fail(session, &err);
    } else if (run->end == RUN_UNKNOWN) {
        err_set(&err, ERR_REMOTE, "the exit status of '%s' is unknown; %s; fetching its capture", program,
                run->gone     ? language_said("it had ended")
                : run->killed ? language_said("it was still running, ignored the request to stop, and was killed")
                              : language_said("it was stopped if it was still running"));
        err_hint(&err, "the shell that waited for it was killed, perhaps because the board ran out of memory; free "
                       "memory, then run again");
        session_fail(session, &err);
    } else if (run->end == RUN_TIMED_OUT && run->killed) {
        err_set(&err, ERR_REMOTE, "'%s' was still running after %d s, ignored the request to stop, and was killed",
                program, session->plan->settings->collect.timeout);
        err_hint(&err, "the last second of the capture may be missing; let the program end on SIGINT");
        session_fail(session, &err);
    } else if (run->end == RUN_TIMED_OUT) {
        session_warn(session, "'%s' was still running after %d s and was stopped", program,
                     session->plan->settings->collect.timeout);
    } else if (run->exit.signal[0] != '\0') {
        err_set(&err, ERR_REMOTE, "'%s' crashed on the board: SIG%s", program, run->exit.signal);
        err_hint(&err, "run it there by hand; the capture may be incomplete");
        session_fail(session, &err);
    } else if (run->exit.status != 0) {
        err_set(&err, ERR_REMOTE, "'%s' ended with exit status %d on the board", program, run->exit.status);
        err_hint(&err, run->exit.status == 127   ? "a program or a shared library is missing there, see above"
                       : run->exit.status == 126 ? "it cannot be executed there, see above"
                                                 : "see its output above and in the log");
        session_fail(session, &err);
    } else {
        session_note(session, "'%s' ended", program);
    }
}

static int run_program(struct session *session, struct err *err)
{
    const struct collect_plan *plan = session->plan;
    struct board_output output;
    const struct run_request request = {.lock = &session->lock,
                                        .directory = session->run_directory,
                                        .program = plan->program,
                                        .arguments = plan->arguments.items,
                                        .timeout = plan->settings->collect.timeout,
                                        .progress = session_progress(session),
                                        .output = board_output_take,
                                        .arg = &output};
    struct run_result run;
    int result = board_captures(&session->board, session->run_directory, NULL, &session->before, err);

    if (result != 0)
        return result;
    session_note(session, "running %s in '%s'", plan->command_line, session->run_directory);
    session->ran = session->fetch_failed = true;
    board_output_init(&output, session_prefix(session), &session->log);
    result = board_run_program(&session->board, &request, &run, err);
    board_output_finish(&output);
    if (result != 0)
        return result;
    judge_run(session, &run);
    if (run.left > 0)
        session_warn(session, "%zu process%s started by '%s' still run%s on the board: %s", run.left,
                     run.left == 1 ? "" : "es", plan->program, run.left == 1 ? "s" : "", run.left_names);
    return keep_lock(session, err);
}

static void tell_end(struct session *session, const struct placement_end *end)
{
    SCOPED(strbuf_release) struct strbuf names;

    strbuf_init(&names, 4096);
    if (end->changed.count > 0) {
        show_names(&end->changed, &names);
        session_warn(session, "%zu file%s of the project %s changed on the board and stay%s there: %s",
                     end->changed.count, console_plural(end->changed.count), end->changed.count == 1 ? "was" : "were",
                     end->changed.count == 1 ? "s" : "", names.data);
    }
    if (end->moved.count > 0)
        session_warn(
            session,
            "the original files were restored; the versions changed by the run are beside them as '<name>.after-run'");
    strbuf_clear(&names);
    if (end->stays.count > 0) {
        show_names(&end->stays, &names);
        session_warn(session, "earlier files of the board are still in '%s/" PLACEMENT_KEPT "': %s", session->project,
                     names.data);
    }
    if (end->keeps_staging)
        session_warn(session,
                     "the uploaded part of the project stays in '%s/" PLACEMENT_STAGING
                     "' on the board; the next run continues from there",
                     session->project);
    if (end->left > 0 && session->all_home && session->placement.made)
        session_warn(session, "%" PRId64 " file%s that the program made stay%s in '%s' on the board", end->left,
                     console_plural((uint64_t)end->left), end->left == 1 ? "s" : "", session->project);
}

/* Removes what was brought and is as it was: what the program made there is nobody's to remove. */
static int remove_project(struct session *session, struct err *err)
{
    SCOPED(placement_end_release) struct placement_end end = {.left = 0};
    int result = 0;

    if (session->placement.directory == NULL)
        return 0;
    result = placement_undo(&session->placement, &session->board, &end, err);
    if (result == 0)
        tell_end(session, &end);
    return result;
}

static int leave_project(struct session *session, struct err *err)
{
    int result = placement_leave(&session->placement, &session->board, err);

    if (result == 0 && session->placement.kept.count > 0)
        session_warn(session,
                     "earlier files of the board stay in '%s/" PLACEMENT_KEPT "' until a run without "
                     "--keep ends",
                     session->project);
    return result;
}

/* Leaves the board as it was, over a new connection when the old one broke. */
static void tidy_up(struct session *session)
{
    const struct collect_settings *collect = &session->plan->settings->collect;
    struct err err = ERR_INIT;
    int result = 0;

    if (session->connection == NULL)
        return;
    ssh_set_tidying(session->connection, TIDY_SECONDS);
    if (ssh_is_lost(session->connection) && (session->uploaded || session->mounted))
        result = ssh_reconnect(session->connection, &err);
    if (result == 0 && session->mounted)
        result = board_unmount(&session->board, &session->lock, session->project, &err);
    if (result == 0 && session->uploaded)
        result = collect->keep ? leave_project(session, &err) : remove_project(session, &err);
    if (result != 0) {
        err_wrap(&err, "'%s' may be left on the board", session->project);
        session_fail(session, &err);
    }
    if (!ssh_is_lost(session->connection))
        board_lock_release(&session->lock);
}

static int work(struct session *session, struct err *err)
{
    const struct collect_settings *collect = &session->plan->settings->collect;

    if (session_connect(session, err) != 0 || choose_paths(session, err) != 0 ||
        collect_plan_acl_json(session->plan, session->run_directory, err) != 0 || check_board(session, err) != 0 ||
        keep_lock(session, err) != 0)
        return err_status(err);
    if (collect->profiling != 0)
        session_warn(session, "profiling is switched off (--switch off): no JOB directory will appear");
    if ((collect->transfer == TRANSFER_NFS ? nfs_mount(session, err) : upload(session, err)) != 0 ||
        check_libraries(session, err) != 0 || run_program(session, err) != 0)
        return err_status(err);
    return collect_fetch_new(session, err);
}

/* Readies this machine before the board is asked for anything: a program may run for hours before its capture comes. */
static int prepare(struct session *session, struct err *err)
{
    const char *output = session->plan->output;

    if (path_make_directories(output, err) != 0) {
        err_wrap(err, "nothing was started: captures would go into '%s'", output);
        return err_hint(err, "choose another directory with --output");
    }
    if (collection_log_open(&session->log, output, err) != 0)
        console_warning("no log is written: %s", err_message(err));
    return board_lock_init(&session->lock, err);
}

/* Connects, uploads, runs, fetches, cleans up; reports everything. The plan must have been made. With --fetch-only it
 * connects and fetches. */
static struct collect_outcome collect_from_board(struct collect_plan *plan)
{
    struct session session = {.plan = plan, .log = {.fd = -1}, .outcome = {.status = STATUS_DONE}};
    struct err err = ERR_INIT;

    int result = prepare(&session, &err);
    if (result == 0)
        result = plan->settings->collect.fetch_only != NULL ? collect_fetch_only(&session, &err) : work(&session, &err);
    if (result != 0)
        session_fail(&session, &err);
    collect_tell_left(&session);
    tidy_up(&session);
    nfs_restore_acl_json(&session);
    placement_release(&session.placement);
    board_lock_forget(&session.lock);
    board_release(&session.board);
    ssh_connection_close(session.connection);
    collection_log_close(&session.log);
    remote_captures_release(&session.before);
    words_release(&session.left);
    free(session.base);
    free(session.project);
    free(session.run_directory);
    return session.outcome;
}

/* One board's work in a thread of its own. */
struct board_work {
    struct collect_plan plan;
    struct collect_outcome outcome;
    pthread_t thread;
    bool has_plan, started;
};

static void *work_on_board(void *arg)
{
    struct board_work *board = arg;

    secret_wipe_stack();
    board->outcome = collect_from_board(&board->plan);
    return NULL;
}

/* Side by side; the first runs here when it is the only one. */
static void work_all(struct board_work *boards, size_t count)
{
    if (count == 1) {
        work_on_board(&boards[0]);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        boards[i].started = pthread_create(&boards[i].thread, NULL, work_on_board, &boards[i]) == 0;
        if (!boards[i].started) {
            struct err err = ERR_INIT;

            err_set(&err, ERR_NO_MEMORY, "cannot start a thread for board %s", boards[i].plan.target->name);
            boards[i].outcome.status = console_error(&err);
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
        err_no_memory(&err);
        return console_error(&err);
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
    SCOPED(strbuf_release) struct strbuf run_directory;
    int status = STATUS_DONE;

    strbuf_init(&run_directory, 8192);
    strbuf_addf(&run_directory, "%s/profiling%s%s", base, plan->directory[0] != '\0' ? "/" : "", plan->directory);
    if (collect_plan_acl_json(plan, run_directory.data, &err) != 0)
        status = console_error(&err);
    else
        collect_plan_print(plan, run_directory.data);
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
            return console_error(&err);
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
        return err_set(err, ERR_USAGE, "--fetch-only cannot be combined with --main: it runs no program");
    if (collect->fetch_only != NULL && collect->keep)
        return err_set(
            err, ERR_USAGE,
            "--fetch-only cannot be combined with --keep: captures stay on the board unless you add --remove-remote");
    if (collect->fetch_only == NULL && collect->remove_remote)
        return err_set(
            err, ERR_USAGE,
            "--remove-remote needs --fetch-only; after a run the capture is removed anyway unless --keep is given");
    return 0;
}

static int run_collect(const struct settings *settings)
{
    const struct rlimit no_core = {0, 0};
    struct collect_config config;
    SCOPED_FREE struct board_work *boards = NULL;
    struct err err = ERR_INIT;
    int status;

    if (check_options(settings, &err) != 0)
        return console_error(&err);
    /* Passwords are in memory while boards are connected; the limit alone does not stop dumps that go into a pipe. */
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_DUMPABLE, 0);
    if (collect_config_load(&config, settings, &err) != 0)
        return console_error(&err);
    secret_wipe_stack();
    boards = calloc(config.count, sizeof *boards);
    if (boards == NULL) {
        err_no_memory(&err);
        status = console_error(&err);
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
    collect_config_release(&config);
    return status;
}

bool collect_library(struct library_version *ret)
{
    *ret = ssh_library();
    return true;
}

const struct command command_collect = {
    .path = "collect",
    .parent = COMMAND_ROOT,
    .order = 10,
    .summary = "run a program on a board over SSH, fetch its capture",
    .description = "Uploads the project of a program to a board over SSH, turns profiling on in acl.json, runs\nthe "
                   "program, fetches the capture and removes the project from the board. Files that the\nprogram "
                   "created and files that could not be fetched stay on the board.\n",
    .operands = "[-- ARGUMENT...]",
    .most_operands = -1,
    .operands_follow_dashes = true,
    EXAMPLES(
        {"run a program on the board, fetch its capture, write all reports",
         "msprof collect -m project/out/main --config board.ini --all"},
        {"pass arguments to the program", "msprof collect -m project/out/main --config board.ini -- -n 5 'a file'"},
        {"fetch a capture that stayed on the board",
         "msprof collect --config board.ini --fetch-only /root/profiling/out/JOBX"},
        {"print the steps without running them", "msprof collect -m project/out/main --config board.ini --dry-run"}),
    .run = run_collect,
};
