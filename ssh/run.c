#include "ssh/run.h"

#include "base/interrupt.h"
#include "base/number.h"
#include "ssh/session/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SCRIPT_LIMIT ((size_t)64 * 1024)
#define TIDY_SECONDS 3600
#define GRACE_SECONDS 5
#define STOP_SECONDS 60   /* for all that it takes to stop an orphan */
#define MOUNT_SECONDS 180 /* the mount command tries for long by itself */
#define LINE_SIZE 64      /* of the line that tells the process */

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

int board_lock_init(struct board_lock *lock, struct err *err)
{
    unsigned char random[(BOARD_TOKEN_SIZE - 1) / 2];

    *lock = (struct board_lock){.holder = NULL};
    strbuf_init(&lock->answer, 4096);
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return err_set_errno(err, errno, "cannot get random numbers");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(lock->token + 2 * i, 3, "%02x", random[i]);
    return 0;
}

static int keep_lock_answer(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct board_lock *lock = arg;

    if (strbuf_add(&lock->answer, bytes, length) != 0)
        return err_set(err, ERR_REMOTE, "the board's answer to the lock is too long");
    return 0;
}

/* The holder reads until its input ends, which it does when the lock is given back or the connection breaks. */
static int add_lock_script(struct strbuf *script, const struct board_lock *lock, const char *directory, struct err *err)
{
    char owner[256] = "?";

    gethostname(owner, sizeof owner - 1);
    strbuf_adds(script, "umask 027; d=");
    ssh_quote(script, directory);
    strbuf_adds(script, "\nowner=");
    ssh_quote(script, owner);
    strbuf_addf(script, "\ntoken=%s\n", lock->token);
    strbuf_adds(
        script,
        "mkdir -p \"$d\" || { echo failed; exit 1; }\n"
        /* not below $d: there is one device, whatever the directory. Named after the user, because another
         * one's cannot be taken over */
        "t=${TMPDIR:-/tmp}\n"
        "if [ -d \"$t\" ] && [ -w \"$t\" ]; then l=$t/.msprof-$(id -u 2>/dev/null).lock\n"
        "else l=$d/.msprof.lock; fi\n"
        "if ! mkdir \"$l\" 2>/dev/null; then\n"
        "  [ -d \"$l\" ] || { echo failed; exit 1; }\n"
        "  [ -s \"$l/pid\" ] || sleep 1\n" /* it may be in the making */
        "  p=$(cat \"$l/pid\" 2>/dev/null)\n"
        "  if [ \"$(cat \"$l/token\" 2>/dev/null)\" = \"$token\" ]; then kill \"$p\" 2>/dev/null\n"
        "  elif [ -n \"$p\" ] && kill -0 \"$p\" 2>/dev/null; then\n"
        "    echo \"busy $(cat \"$l/owner\" 2>/dev/null)\"; exit 1\n"
        "  fi\n"
        "  rm -rf \"$l\"; mkdir \"$l\" || { echo failed; exit 1; }\n"
        "fi\n"
        "trap '[ \"$(cat \"$l/pid\" 2>/dev/null)\" = $$ ] && rm -rf \"$l\"' EXIT\n"
        "trap 'exit 1' HUP INT TERM\n"
        "echo \"$owner, in '$d'\" >\"$l/owner\"; echo \"$token\" >\"$l/token\"; echo $$ >\"$l/pid\" || { echo failed; "
        "exit 1; }\n"
        "echo locked\n"
        "while read -r line; do :; done\n");
    return script->failed ? out_of_memory(err) : 0;
}

static int judge_lock(struct board_lock *lock, const char *directory, struct err *err)
{
    const char *said = lock->answer.data;

    if (strncmp(said, "busy ", 5) == 0) {
        err_set(err, ERR_REMOTE, "another run is going on on the board: started from %.*s",
                (int)strcspn(said + 5, "\n"), said + 5);
        return err_hint(err, "wait for its end, or stop it");
    }
    err_set(err, ERR_REMOTE, "cannot make '%s' on the board", directory);
    return err_hint(err, "let 'remote_dir' in the ini file name a directory that this user may write, on a disk that "
                         "is not full");
}

int board_lock_take(struct board_lock *lock, struct board *board, const char *directory, struct err *err)
{
    struct ssh_io io = {.output = keep_lock_answer,
                        .keeps_input_open = true,
                        .arg = lock,
                        .limits = ssh_limits_for(board->connection, 0)};
    struct strbuf script;
    int result;

    board_lock_forget(lock);
    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_clear(&lock->answer);
    result = add_lock_script(&script, lock, directory, err);
    if (result == 0)
        result = ssh_command_start(&lock->holder, board->connection, script.data, &io, err);
    while (result == 0 && strchr(lock->answer.data, '\n') == NULL && !ssh_command_has_ended(lock->holder)) {
        bool busy;

        result = ssh_command_poll(lock->holder, &busy, err);
        if (result == 0 && !busy)
            result = ssh_command_wait(lock->holder, err);
    }
    if (result != 0)
        err_wrap(err, "cannot lock the board");
    if (result == 0 && strcmp(lock->answer.data, "locked\n") != 0)
        result = judge_lock(lock, directory, err);
    if (result != 0) {
        ssh_command_close(lock->holder);
        lock->holder = NULL;
    }
    strbuf_release(&script);
    return result;
}

bool board_lock_is_held(const struct board_lock *lock)
{
    return lock->holder != NULL && ssh_command_is_connected(lock->holder);
}

void board_lock_release(struct board_lock *lock)
{
    struct err ignored = ERR_INIT;

    if (lock->holder != NULL) {
        ssh_command_end_input(lock->holder);
        ssh_commands_serve(&lock->holder, 1, &ignored); /* the board gives it back by itself when this fails */
    }
    board_lock_forget(lock);
}

void board_lock_forget(struct board_lock *lock)
{
    ssh_command_close(lock->holder);
    lock->holder = NULL;
    strbuf_release(&lock->answer);
}

/* A run under way. */
struct run {
    struct board *board;
    const struct run_request *request;
    struct run_result *result;
    char first_line[LINE_SIZE]; /* "msprof-process <number>", which the shell says before it becomes the program */
    size_t first_length;
    bool started;
    int64_t process;
    int64_t deadline_ns; /* of the program */
    int64_t escalate_ns; /* when to use the next signal */
    int signals_sent;
};

/* The line in front of the program's own output. */
static size_t take_first_line(struct run *run, const char *bytes, size_t length)
{
    static const char head[] = "msprof-process ";
    size_t used = 0;

    while (used < length && !run->started) {
        char c = bytes[used++];

        if (c == '\n' || run->first_length == sizeof run->first_line - 1) {
            run->started = true;
            if (strncmp(run->first_line, head, sizeof head - 1) != 0 ||
                number_parse_integer(run->first_line + sizeof head - 1, run->first_length - (sizeof head - 1),
                                     &run->process) != 0)
                run->process = 0;
        } else {
            run->first_line[run->first_length++] = c;
        }
    }
    return used;
}

static int take_output(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct run *run = arg;
    size_t used = take_first_line(run, bytes, length);

    (void)err;
    if (used < length)
        run->request->output(run->request->arg, false, bytes + used, length - used);
    return 0;
}

static int take_errors(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct run *run = arg;

    (void)err;
    run->request->output(run->request->arg, true, bytes, length);
    return 0;
}

static int make_script(struct strbuf *script, const struct run_request *request, struct err *err)
{
    board_add_cd(script, request->directory);
    strbuf_adds(script, "umask 027\np=./");
    ssh_quote(script, request->program);
    strbuf_adds(script, "\n[ -f \"$p\" ] || { echo \"$p: not found\" >&2; exit 127; }\n"
                        "[ -x \"$p\" ] || { echo \"$p: not executable\" >&2; exit 126; }\n"
                        "echo \"msprof-process $$\"\nexec \"$p\"");
    for (char *const *argument = request->arguments; argument != NULL && *argument != NULL; argument++) {
        strbuf_addc(script, ' ');
        ssh_quote(script, *argument);
    }
    strbuf_adds(script, " </dev/null\n");
    return script->failed
               ? err_set(err, ERR_LIMIT, "the arguments of the program are longer than %zu bytes", SCRIPT_LIMIT)
               : 0;
}

/* Sends a signal to the program and, where it leads a group, to what it started. */
static int send_signal(struct run *run, const char *name, struct err *err)
{
    struct strbuf script;
    int result;

    if (run->process <= 1)
        return 0;
    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_addf(&script, "kill -%s -- -%lld 2>/dev/null || kill -%s %lld 2>/dev/null\nexit 0\n", name,
                (long long)run->process, name, (long long)run->process);
    result = board_do(run->board, "cannot stop the program", script.data, NULL, err);
    strbuf_release(&script);
    return result;
}

/* Looks whether the program has to be stopped, or has to be stopped harder. *ret_gave_up: nothing helps. */
static int supervise(struct run *run, bool *ret_gave_up, struct err *err)
{
    static const char *const signals[] = {"INT", "TERM", "KILL"};
    const int count = sizeof signals / sizeof signals[0];
    int64_t now = ssh_now_ns();

    if (run->signals_sent == 0) {
        if (ssh_is_interrupted(run->board->connection))
            run->result->end = RUN_INTERRUPTED;
        else if (now >= run->deadline_ns)
            run->result->end = RUN_TIMED_OUT;
        else
            return 0;
        if (run->result->end == RUN_INTERRUPTED)
            ssh_set_tidying(run->board->connection, TIDY_SECONDS);
    } else if (now < run->escalate_ns) {
        return 0;
    }
    if (run->signals_sent == count) {
        *ret_gave_up = true;
        return 0;
    }
    run->result->killed = run->signals_sent + 1 == count;
    run->escalate_ns = now + GRACE_SECONDS * SSH_NS_PER_SECOND;
    return send_signal(run, signals[run->signals_sent++], err);
}

static int serve(struct run *run, struct ssh_command *command, struct err *err)
{
    bool gave_up = false;
    int result = 0;

    while (result == 0 && !gave_up && !ssh_command_has_ended(command)) {
        bool busy;

        result = ssh_command_poll(command, &busy, err);
        if (result == 0)
            result = supervise(run, &gave_up, err);
        if (result == 0 && !busy && !gave_up)
            result = ssh_wait(run->board->connection, SSH_NEVER, err);
        if (result == -ERR_INTERRUPTED)
            result = 0; /* supervise sees to it */
    }
    if (result == 0 && !gave_up)
        run->result->exit = *ssh_command_exit(command);
    return result;
}

/* Stops what an old connection left running. */
static int stop_orphan(struct run *run, struct err *err)
{
    struct strbuf script;
    int result = ssh_reconnect(run->board->connection, err);

    if (result != 0 || run->process <= 1)
        return result;
    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_addf(&script,
                "p=%lld\nfor s in INT TERM KILL; do\n"
                "kill -$s -- -$p 2>/dev/null || kill -$s $p 2>/dev/null || exit 0\n"
                "for i in 1 2 3 4 5; do kill -0 $p 2>/dev/null || exit 0; sleep 1; done\ndone\nexit 0\n",
                (long long)run->process);
    result = board_do_within(run->board, STOP_SECONDS, "cannot stop the program", script.data, NULL, err);
    strbuf_release(&script);
    return result;
}

int board_run_program(struct board *board, const struct run_request *request, struct run_result *ret, struct err *err)
{
    struct run run = {.board = board, .request = request, .result = ret, .deadline_ns = SSH_NEVER};
    struct ssh_io io = {.output = take_output, .errors = take_errors, .arg = &run};
    struct ssh_command *command = NULL;
    struct strbuf script;
    int result;

    *ret = (struct run_result){.end = RUN_ENDED};
    strbuf_init(&script, SCRIPT_LIMIT);
    if (request->timeout > 0)
        run.deadline_ns = ssh_now_ns() + request->timeout * SSH_NS_PER_SECOND;
    result = make_script(&script, request, err);
    if (result == 0)
        result = ssh_command_start(&command, board->connection, script.data, &io, err);
    if (result == 0)
        result = serve(&run, command, err);
    ssh_command_close(command);
    strbuf_release(&script);
    if (result != 0 && ssh_is_lost(board->connection) && run.started) {
        result = stop_orphan(&run, err);
        ret->end = RUN_LOST;
        if (result != 0)
            err_wrap(err, "the connection broke while the program ran (process %lld of the board)",
                     (long long)run.process);
    }
    return result;
}

int board_missing_libraries(struct board *board, const char *directory, const char *program, struct strbuf *ret,
                            struct err *err)
{
    struct strbuf script, answer;
    int result;

    if (!board->has_ldd)
        return 0;
    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_init(&answer, BOARD_ANSWER_LIMIT);
    board_add_cd(&script, directory);
    strbuf_adds(&script, "p=./");
    ssh_quote(&script, program);
    strbuf_adds(&script, "\nldd \"$p\" 2>/dev/null | while read -r name arrow rest; do\n"
                         "case \"$rest\" in 'not found'*) echo \"$name\";; esac\ndone\nexit 0\n");
    result = board_do(board, "cannot look for the program's libraries", script.data, &answer, err);
    for (const char *at = answer.data; result == 0 && *at != '\0';) {
        size_t length = strcspn(at, "\n");

        strbuf_addf(ret, "%s%.*s", ret->length > 0 ? " " : "", (int)length, at);
        at += length + (at[length] == '\n');
    }
    strbuf_release(&script);
    strbuf_release(&answer);
    return result;
}

int board_mount(struct board *board, const char *source, const char *directory, struct err *err)
{
    struct strbuf script;
    int result;

    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_adds(&script, "mkdir -p ");
    ssh_quote(&script, directory);
    strbuf_adds(&script, " && mount -t nfs -o nolock -o tcp -o rsize=32768,wsize=32768 ");
    ssh_quote(&script, source);
    strbuf_addc(&script, ' ');
    ssh_quote(&script, directory);
    strbuf_addc(&script, '\n');
    result = board_do_within(board, MOUNT_SECONDS, "cannot mount the project on the board", script.data, NULL, err);
    if (result != 0)
        err_hint(err, "see that the NFS server of this machine exports the project to the board, and that the user of "
                      "the board may mount");
    strbuf_release(&script);
    return result;
}

int board_unmount(struct board *board, const char *directory, struct err *err)
{
    struct strbuf script;
    int result;

    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_adds(&script, "umount ");
    ssh_quote(&script, directory);
    strbuf_adds(&script, " || exit 1\nrmdir ");
    ssh_quote(&script, directory);
    strbuf_adds(&script, " 2>/dev/null\nexit 0\n"); /* it stays when something else is in it */
    result = board_do(board, "cannot unmount the project from the board", script.data, NULL, err);
    strbuf_release(&script);
    return result;
}
