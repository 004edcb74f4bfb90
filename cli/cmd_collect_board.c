#include "cli/cmd_collect_board.h"

#include "base/fsutil.h"
#include "base/interrupt.h"
#include "base/outfile.h"
#include "cli/clock.h"
#include "cli/collection_log.h"
#include "cli/console.h"
#include "cli/status.h"
#include "ssh/acl_json.h"
#include "ssh/fetch.h"
#include "ssh/run.h"
#include "ssh/upload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROJECT_DIRECTORY "profiling"
#define TIDY_SECONDS 60
#define SPARE_KILOBYTES 2048 /* for the capture's first bytes */

/* One board under way. */
struct session {
    struct collect_plan *plan;
    struct ssh_connection *connection;
    struct board board;
    struct board_lock lock;
    struct collection_log log;
    char *base;          /* on the board: remote_dir or the home directory */
    char *project;       /* <base>/profiling */
    char *run_directory; /* where the program runs */
    struct strbuf jobs_before;
    char *acl_backup_path, *acl_backup; /* with NFS: a patched file of this machine; backup NULL: there was none */
    size_t acl_backup_length;
    bool project_existed; /* before this run */
    bool uploaded, mounted;
    bool leave_rest; /* captures are left on the board that nobody has yet */
    struct collect_outcome outcome;
};

static const char *board_prefix(const struct session *session)
{
    return session->plan->settings->collect.boards.count > 1 ? session->plan->target->name : NULL;
}

static const struct progress *progress_of(const struct session *session)
{
    return board_prefix(session) == NULL ? console_progress() : NULL;
}

/* Tells an error and remembers the worst status. */
static void fail(struct session *session, const struct err *err)
{
    struct err told = *err;

    console_progress_end();
    if (board_prefix(session) != NULL)
        err_wrap(&told, "board %s", board_prefix(session));
    console_error(&told);
    collection_log_error(&session->log, LOG_SOURCE_COMMON, err);
    session->outcome.status = status_worse(session->outcome.status, status_of_error(err));
}

static void note(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct session *session, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    err_format(text, sizeof text, format, arguments);
    va_end(arguments);
    if (board_prefix(session) != NULL)
        console_note("[%s] %s", board_prefix(session), text);
    else
        console_note("%s", text);
    collection_log_add(&session->log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON, "%s", text);
}

static void warn(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct session *session, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    err_format(text, sizeof text, format, arguments);
    va_end(arguments);
    if (board_prefix(session) != NULL)
        console_warning("[%s] %s", board_prefix(session), text);
    else
        console_warning("%s", text);
    collection_log_add(&session->log, LOG_LEVEL_WARNING, LOG_SOURCE_COMMON, "%s", text);
}

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

static int connect_board(struct session *session, struct err *err)
{
    const struct ssh_target *target = &session->plan->target->ssh;
    int result = ssh_connect(&session->connection, target, err);

    if (result != 0)
        return result;
    if (ssh_host_key_was_added(session->connection))
        warn(session, "the host key %s of '%s' was not known; it is now kept in '%s'",
             ssh_fingerprint(session->connection), target->host, target->known_hosts);
    note(session, "connected to '%s' as '%s' (%s)", target->host, target->user,
         ssh_authentication(session->connection));
    return board_probe(&session->board, session->connection, err);
}

static int choose_paths(struct session *session, struct err *err)
{
    const struct collect_plan *plan = session->plan;
    char problem;

    session->base = strdup(plan->target->remote_dir != NULL ? plan->target->remote_dir : session->board.home);
    if (session->base != NULL)
        session->project = path_join(session->base, PROJECT_DIRECTORY);
    if (session->project != NULL)
        session->run_directory =
            plan->directory[0] != '\0' ? path_join(session->project, plan->directory) : strdup(session->project);
    if (session->run_directory == NULL)
        return out_of_memory(err);
    problem = acl_path_problem(session->run_directory);
    if (problem == 0)
        return 0;
    err_set(err, ERR_USAGE, "the board's profiler cannot take the path '%s': it holds '%c'", session->run_directory,
            problem);
    return err_hint(err, "only letters, digits, '_', '-', '.' and '/' are allowed; rename the directory, or choose "
                         "another 'remote_dir' in the ini file");
}

/* What must be right before anything is changed on the board. */
static int check_board(struct session *session, struct err *err)
{
    const struct collect_plan *plan = session->plan;
    int64_t kilobytes = -1, needed = SPARE_KILOBYTES;
    bool writable = false;
    int result;

    if (plan->machines[0] != '\0' && session->board.machine[0] != '\0' &&
        !elf_machine_is_among(plan->machines, session->board.machine)) {
        err_set(err, ERR_REMOTE, "'%s' is made for %s, and the board is %s", plan->main, plan->machines,
                session->board.machine);
        return err_hint(err, "build the project with the board's compiler");
    }
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the session's paths are freed when its work ends
    result = board_space(&session->board, session->base, &kilobytes, &writable, err);
    if (result != 0)
        return result;
    if (!writable) {
        err_set(err, ERR_REMOTE, "'%s' on the board cannot be written by '%s'", session->base, plan->target->ssh.user);
        return err_hint(err, "let 'remote_dir' in the ini file name a directory that this user may write");
    }
    if (plan->settings->collect.transfer == TRANSFER_UPLOAD)
        needed += (int64_t)(project_bytes(&plan->project) / 1024);
    if (kilobytes >= 0 && kilobytes < needed) {
        err_set(err, ERR_REMOTE, "the board has %" PRId64 " KB free at '%s', and %" PRId64 " KB are needed", kilobytes,
                session->base, needed);
        return err_hint(err, "free some space, leave files out with --exclude, let 'remote_dir' name another file "
                             "system, or use --transfer=nfs");
    }
    return 0;
}

/* After the connection was made anew the lock has to be taken again. */
static int keep_lock(struct session *session, struct err *err)
{
    if (board_lock_is_held(&session->lock))
        return 0;
    return board_lock_take(&session->lock, &session->board, session->base, err);
}

static int upload(struct session *session, struct err *err)
{
    struct upload_result sent;
    int64_t start_ns = clock_now_ns();
    char seconds[CLOCK_TEXT_SIZE];
    int result;

    result = board_has_directory(&session->board, session->project, &session->project_existed, err);
    if (result == 0)
        result = upload_compare(&session->board, &session->plan->project, session->project, err);
    if (result != 0)
        return result;
    if (session->plan->project.skipped > 0)
        warn(session, "%zu entries of the project are no files and are not uploaded, the first is '%s'",
             session->plan->project.skipped, session->plan->project.first_skipped);
    session->uploaded = true;
    result = upload_send(&session->board, &session->plan->project, session->project, progress_of(session), &sent, err);
    console_progress_end();
    if (result != 0)
        return err_wrap(err, "the upload failed");
    note(session, "uploaded %zu file%s, %" PRIu64 " bytes, %s s; %zu unchanged%s", sent.sent, console_plural(sent.sent),
         sent.bytes, clock_format_seconds(clock_now_ns() - start_ns, seconds), sent.unchanged,
         sent.hashed ? "" : " (the board has no sha256sum: compared by size)");
    return keep_lock(session, err);
}

/* Where the board reaches this machine. */
static int nfs_address(struct session *session, const char **ret, struct err *err)
{
    const char *given = session->plan->settings->collect.nfs_server;

    *ret = given != NULL ? given : ssh_local_address(session->connection);
    if (strncmp(*ret, "127.", 4) != 0 && strcmp(*ret, "::1") != 0 && strcmp(*ret, "localhost") != 0)
        return 0;
    err_set(err, ERR_USAGE, "the board cannot mount from '%s': it is the board's own loopback address", *ret);
    return err_hint(err, "name this machine's address in the network with --nfs-server; when /etc/hosts maps the name "
                         "of this machine to 127.0.1.1, correct it");
}

/* With NFS the program reads this machine's acl.json, so the patched text is written here, until the end. */
static int write_acl_json(struct session *session, struct err *err)
{
    struct collect_plan *plan = session->plan;
    struct outfile out;
    int result = 0;

    for (size_t i = 0; i < plan->project.count; i++) {
        const struct project_file *file = &plan->project.files[i];

        if (file->content == NULL)
            continue;
        if (session->acl_backup_path != NULL)
            return err_set(err, ERR_USAGE,
                           "with --transfer=nfs only one acl.json can be in the project; '%s' is one "
                           "more",
                           file->path);
        session->acl_backup_path = path_join(plan->root, file->path);
        if (session->acl_backup_path == NULL)
            return out_of_memory(err);
        result = read_whole_file(session->acl_backup_path, ACL_JSON_LIMIT, &session->acl_backup,
                                 &session->acl_backup_length, err);
        if (result != 0 && err->code != ERR_NOT_FOUND)
            return result;
        result = outfile_open(&out, session->acl_backup_path, err);
        if (result != 0)
            return result;
        outfile_write(&out, file->content, (size_t)file->size);
        result = outfile_commit(&out, err);
    }
    return result;
}

static void restore_acl_json(struct session *session)
{
    struct err err = ERR_INIT;
    struct outfile out;
    int result;

    if (session->acl_backup_path == NULL)
        return;
    if (session->acl_backup == NULL) {
        unlink(session->acl_backup_path);
        return;
    }
    result = outfile_open(&out, session->acl_backup_path, &err);
    if (result == 0) {
        outfile_write(&out, session->acl_backup, session->acl_backup_length);
        result = outfile_commit(&out, &err);
    }
    if (result != 0) {
        err_wrap(&err, "cannot put acl.json back as it was");
        fail(session, &err);
    }
}

static int mount(struct session *session, struct err *err)
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
    result = source.failed ? out_of_memory(err) : board_mount(&session->board, source.data, session->project, err);
    if (result != 0)
        session->mounted = false;
    else
        note(session, "mounted '%s' at '%s'", source.data, session->project);
    strbuf_release(&source);
    return result;
}

static int check_libraries(struct session *session, struct err *err)
{
    struct strbuf missing;
    int result;

    strbuf_init(&missing, 4096);
    result = board_missing_libraries(&session->board, session->run_directory, session->plan->program, &missing, err);
    if (result == 0 && missing.length > 0) {
        err_set(err, ERR_REMOTE, "the board lacks shared libraries that '%s' needs: %s", session->plan->program,
                missing.data);
        result = err_hint(err, "install them on the board, put them where its loader looks (/etc/ld.so.conf), or set "
                               "LD_LIBRARY_PATH in the board user's login environment");
    }
    strbuf_release(&missing);
    return result;
}

/* What the end of the program means; a capture may be there all the same. */
static void judge_run(struct session *session, const struct run_result *run)
{
    const char *program = session->plan->program;
    struct err err = ERR_INIT;

    if (run->end == RUN_INTERRUPTED) {
        warn(session, "interrupted: '%s' was stopped; what it captured is fetched (press again to leave at once)",
             program);
        session->outcome.status = STATUS_INTERRUPTED;
    } else if (run->end == RUN_LOST) {
        err_set(&err, ERR_REMOTE,
                "the connection broke while '%s' ran; it was stopped, and what it captured is "
                "fetched",
                program);
        err_hint(&err, "see that the board's network is stable, then run again");
        fail(session, &err);
    } else if (run->end == RUN_TIMED_OUT && run->killed) {
        err_set(&err, ERR_REMOTE, "'%s' still ran after %d s and did not stop when asked to: it was killed", program,
                session->plan->settings->collect.timeout);
        err_hint(&err, "the last second of the capture may be missing; let the program end on SIGINT");
        fail(session, &err);
    } else if (run->end == RUN_TIMED_OUT) {
        warn(session, "'%s' still ran after %d s: it was stopped", program, session->plan->settings->collect.timeout);
    } else if (run->exit.signal[0] != '\0') {
        err_set(&err, ERR_REMOTE, "'%s' crashed on the board: SIG%s", program, run->exit.signal);
        err_hint(&err, "run it there by hand; the capture may be incomplete");
        fail(session, &err);
    } else if (run->exit.status != 0) {
        err_set(&err, ERR_REMOTE, "'%s' ended with exit status %d on the board", program, run->exit.status);
        err_hint(&err, run->exit.status == 127   ? "a program or a shared library is missing there, see above"
                       : run->exit.status == 126 ? "it cannot be executed there, see above"
                                                 : "see its output above and in the log");
        fail(session, &err);
    } else {
        note(session, "'%s' ended", program);
    }
}

static int run_program(struct session *session, struct err *err)
{
    const struct collect_plan *plan = session->plan;
    struct board_output output;
    const struct run_request request = {.directory = session->run_directory,
                                        .program = plan->program,
                                        .arguments = plan->arguments.items,
                                        .timeout = plan->settings->collect.timeout,
                                        .output = board_output_take,
                                        .arg = &output};
    struct run_result run;
    int result = board_jobs(&session->board, session->run_directory, &session->jobs_before, err);

    if (result != 0)
        return result;
    note(session, "running %s in '%s'", plan->command_line, session->run_directory);
    board_output_init(&output, board_prefix(session), &session->log);
    result = board_run_program(&session->board, &request, &run, err);
    board_output_finish(&output);
    if (result != 0)
        return result;
    judge_run(session, &run);
    return keep_lock(session, err);
}

/* The newest name of "JOBX/\n..." that was not there before; *ret_count is how many are new. */
static char *newest_job(const struct session *session, const char *after, size_t *ret_count)
{
    char *newest = NULL;

    *ret_count = 0;
    while (*after != '\0') {
        size_t line = strcspn(after, "\n"), length = line > 0 && after[line - 1] == '/' ? line - 1 : line;
        char *name = is_job_name(after, length) ? strndup(after, length) : NULL;
        struct strbuf pattern;

        strbuf_init(&pattern, 256);
        if (name != NULL && strbuf_addf(&pattern, "%s/\n", name) == 0 &&
            strstr(session->jobs_before.data, pattern.data) == NULL && (*ret_count)++ == 0) {
            newest = name;
            name = NULL;
        }
        strbuf_release(&pattern);
        free(name);
        after += line + (after[line] == '\n');
    }
    return newest;
}

static int no_job(struct session *session, struct err *err)
{
    if (session->outcome.status == STATUS_INTERRUPTED) {
        note(session, "the program had captured nothing yet");
        return 0;
    }
    err_set(err, ERR_REMOTE,
            "Failed to generate JOB, please check whether the profiling function is enabled in the "
            "board project, or try again.");
    return err_hint(err, "the program must call svp_acl_init() with acl.json, and svp_acl_finalize() at its end");
}

static void tell_fetched(struct session *session, const struct fetch_result *fetched, int64_t elapsed_ns)
{
    char seconds[CLOCK_TEXT_SIZE];

    note(session, "'%s': %zu file%s, %" PRIu64 " bytes, %s s, verified by %s", session->outcome.capture, fetched->files,
         console_plural(fetched->files), fetched->bytes, clock_format_seconds(elapsed_ns, seconds),
         fetched->hashed ? "SHA-256" : "size (the board has no sha256sum)");
    if (fetched->reconnections > 0)
        warn(session, "the connection broke %zu time%s and was made anew", fetched->reconnections,
             console_plural(fetched->reconnections));
    if (fetched->skipped > 0)
        warn(session, "%zu entries of the capture are no regular files and were left, the first is '%s'",
             fetched->skipped, fetched->first_skipped);
}

static int refuse_names(const struct fetch_result *fetched, struct err *err)
{
    if (fetched->refused == 0)
        return 0;
    err_set(err, ERR_REMOTE, "the board lists %zu name%s that %s not taken, the first is '%s'", fetched->refused,
            console_plural(fetched->refused), fetched->refused == 1 ? "is" : "are", fetched->first_refused);
    return err_hint(err, "names must stay inside the capture and hold no control characters; see what the board runs");
}

static void tell_incomplete(const struct fetch_result *fetched, const char *remote, struct err *err)
{
    char unverified[64] = "";

    if (fetched->unverified > 0)
        snprintf(unverified, sizeof unverified, " (%zu of them not verified)", fetched->unverified);
    err_wrap(err, "the transfer is incomplete, %zu file%s here%s; the capture is still in '%s' on the board",
             fetched->files, fetched->files == 1 ? " is" : "s are", unverified, remote);
}

static int fetch_job(struct session *session, const char *job, struct err *err)
{
    struct fetch_result fetched = {0};
    char *remote = path_join(session->run_directory, job), *local = path_join(session->plan->output, job);
    int64_t start_ns = clock_now_ns();
    int result;

    if (remote == NULL || local == NULL) {
        result = out_of_memory(err);
        goto out;
    }
    result = make_directories(session->plan->output, err);
    if (result == 0)
        result = ssh_fetch(&session->board, remote, local, progress_of(session), &fetched, err);
    console_progress_end();
    if (fetched.files > 0) {
        session->outcome.capture = local;
        local = NULL;
    }
    if (result != 0) {
        session->leave_rest = true;
        tell_incomplete(&fetched, remote, err);
        goto out;
    }
    if (fetched.files == 0)
        warn(session, "'%s' is empty", job);
    else
        tell_fetched(session, &fetched, clock_now_ns() - start_ns);
    result = refuse_names(&fetched, err);
    if (result == 0 && !session->plan->settings->collect.keep)
        result = board_remove_job(&session->board, session->run_directory, job, err);
out:
    free(remote);
    free(local);
    return result;
}

static int fetch(struct session *session, struct err *err)
{
    struct strbuf after;
    size_t count = 0;
    char *job = NULL;
    int result;

    strbuf_init(&after, BOARD_ANSWER_LIMIT);
    result = board_jobs(&session->board, session->run_directory, &after, err);
    if (result != 0)
        goto out;
    job = newest_job(session, after.data, &count);
    if (job == NULL && session->plan->settings->collect.profiling != 0)
        goto out; /* as was said before */
    if (job == NULL) {
        result = no_job(session, err);
        goto out;
    }
    if (count > 1) {
        warn(session, "%zu new captures are on the board: the newest, '%s', is taken; the others stay in '%s'", count,
             job, session->run_directory);
        session->leave_rest = true;
    }
    result = fetch_job(session, job, err);
out:
    free(job);
    strbuf_release(&after);
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
        result = board_unmount(&session->board, session->project, &err);
    if (result == 0 && session->uploaded && !collect->keep)
        result = upload_remove(&session->board, &session->plan->project, session->project,
                               !session->project_existed && !session->leave_rest, &err);
    if (result != 0) {
        err_wrap(&err, "'%s' may be left on the board", session->project);
        fail(session, &err);
    }
    if (!ssh_is_lost(session->connection))
        board_lock_release(&session->lock);
}

static int work(struct session *session, struct err *err)
{
    const struct collect_settings *collect = &session->plan->settings->collect;
    int result;

    result = connect_board(session, err);
    if (result == 0)
        result = choose_paths(session, err);
    if (result == 0)
        result = collect_plan_acl_json(session->plan, session->run_directory, err);
    if (result == 0)
        result = check_board(session, err);
    if (result == 0)
        result = board_lock_take(&session->lock, &session->board, session->base, err);
    if (result == 0 && collect->profiling != 0)
        warn(session, "profiling is switched off (--switch off): no JOB directory will appear");
    if (result == 0)
        result = collect->transfer == TRANSFER_NFS ? mount(session, err) : upload(session, err);
    if (result == 0)
        result = check_libraries(session, err);
    if (result == 0)
        result = run_program(session, err);
    if (result == 0)
        result = fetch(session, err);
    return result;
}

struct collect_outcome collect_from_board(struct collect_plan *plan)
{
    struct session session = {.plan = plan, .log = {.fd = -1}, .outcome = {.status = STATUS_DONE}};
    struct err err = ERR_INIT;
    int result;

    strbuf_init(&session.jobs_before, BOARD_ANSWER_LIMIT);
    if (collection_log_open(&session.log, plan->output, &err) != 0)
        console_warning("no log is written: %s", err_message(&err));
    result = board_lock_init(&session.lock, &err);
    if (result == 0)
        result = work(&session, &err);
    if (result != 0)
        fail(&session, &err);
    tidy_up(&session);
    restore_acl_json(&session);
    board_lock_forget(&session.lock);
    board_release(&session.board);
    ssh_disconnect(session.connection);
    collection_log_close(&session.log);
    strbuf_release(&session.jobs_before);
    free(session.acl_backup);
    free(session.acl_backup_path);
    free(session.base);
    free(session.project);
    free(session.run_directory);
    return session.outcome;
}
