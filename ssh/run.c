/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/run.h"

#include "base/number.h"
#include "base/utf8.h"
#include "ssh/session/internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A shell function "start_of PID": when a process began, or nothing of one that nobody has waited for. It is the 22nd
 * word of stat, whose second word is a name that may hold anything. */
#define START_OF                                                                                                       \
    "start_of() { read -r t <\"/proc/$1/stat\" || return; t=${t##*) }; set -- $t\n"                                    \
    "[ \"$1\" = Z ] || echo \"${20}\"; } 2>/dev/null\n"

/* Functions of scripts that work with a lock: that one, and "lives PID START". Without /proc nobody knows when a
 * process began: START is '-', or nothing, and the number decides. */
static const char board_process_functions[] =
    START_OF "lives() { [ -n \"$1\" ] && kill -0 \"$1\" &&\n"
             "{ [ \"${2:--}\" = - ] || [ \"$(start_of \"$1\")\" = \"$2\" ]; }; } 2>/dev/null\n";

/* A lock is a directory that exists once, with a directory in it that is named by who made it, so that nobody who gives
 * back or takes away an old one can meet a new one. Sets $h to the latter; one of an earlier version has none. */
static const char find_holder[] = "find_holder() {\n"
                                  "h=$1; for x in \"$1\"/*/; do [ -d \"$x\" ] && h=${x%/}; done\n"
                                  "[ -s \"$h/pid\" ]\n"
                                  "}\n";

/* Reads what a lock says, and judges it. */
static const char look[] = "look() {\n"
                           "p='' s='' q='' u='' g='' o='' m=''\n"
                           "find_holder \"$1\" || { sleep 1; find_holder \"$1\"; }\n" /* it may be in the making */
                           "read -r p s <\"$h/pid\"; read -r q u g <\"$h/program\"\n"
                           "read -r o <\"$h/owner\"; read -r m <\"$h/mounted\"\n"
                           "if [ \"${h##*/$token.}\" != \"$h\" ]; then verdict=ours\n"
                           "elif lives \"$p\" \"$s\"; then verdict=busy\n"
                           "elif lives \"$q\" \"$u\"; then verdict=running\n"
                           "else verdict=stale; fi\n"
                           "} 2>/dev/null\n";

/* Takes one away that "find_holder" found, and no other: "take_away HOLDER LOCK". */
static const char take_away[] = "take_away() { rm -f \"$1\"/*; rmdir \"$1\" \"$2\"; } 2>/dev/null\n";

/* Lists what is in the session of a shell: what works for that ("ours"), and the rest ("left"), which the program $q
 * and what it started are a part of. */
static const char tell_session[] = "tell_session() {\n"
                                   "g=$1\n"
                                   "for f in /proc/[0-9]*/stat; do\n"
                                   "read -r t <\"$f\" || continue\n"
                                   "i=${t%% *} n=${t#*(}; n=${n%)*}; t=${t##*) }; set -- $t; a=$2\n"
                                   "[ \"$4\" = $g ] && [ \"$i\" != $g ] && [ \"$1\" != Z ] || continue\n"
                                   "[ \"$i\" != \"$q\" ] || a=$q\n"
                                   "while [ \"$a\" != $g ] && [ \"$a\" != \"$q\" ] && [ \"$a\" -gt 1 ] &&\n"
                                   "read -r t <\"/proc/$a/stat\"; do\n"
                                   "t=${t##*) }; set -- $t; a=$2\ndone\n"
                                   "[ \"$a\" = $g ] && echo \"ours $i $n\" || echo \"left $i $n\"\n"
                                   "done\n} 2>/dev/null\n";

/* Ends the writing of relays to a connection that takes no more: "drain SHELL". */
static const char drain[] = "drain() {\n"
                            "tell_session \"$1\" | while read -r w i n; do\n"
                            "[ \"$w $n\" != 'ours cat' ] || kill -KILL \"$i\"\ndone\n} 2>/dev/null\n";

/* Stops the process $q that began at $u, and its group $g; says by which signals. */
static const char stop_program[] = "stop_program() {\n"
                                   "drain \"$g\"\n"
                                   "for n in INT TERM KILL; do\n"
                                   "echo $n; kill -$n -- \"-$g\" 2>/dev/null || kill -$n \"$q\" 2>/dev/null\n"
                                   "for i in 1 2 3 4 5; do\n"
                                   "lives \"$q\" \"$u\" || { echo \"stopped $q\"; return 0; }\n"
                                   "echo waiting; sleep 1\ndone\ndone\nreturn 1\n}\n";

/* The program may outlive the shell that holds the lock, and what is mounted does; the next run is to know of both. */
static const char drop[] = "drop() {\n"
                           "[ -n \"$made\" ] || return\n"
                           "q='' u=''; read -r q u g <\"$made/program\"\n"
                           "lives \"$q\" \"$u\" || [ -s \"$made/mounted\" ] || take_away \"$made\" \"${made%/*}\"\n"
                           "} 2>/dev/null\n"
                           "made=''\n"
                           "trap drop EXIT\n"
                           "trap 'exit 1' HUP INT TERM PIPE\n";

static const char choose_places[] =
    /* not below $d: there is one device, whatever the directory. Named after the user, because another one's cannot be
     * taken over */
    "t=${TMPDIR:-/tmp} first=''\n"
    "if [ -d \"$t\" ] && [ -w \"$t\" ]; then first=$t/.msprof-$(id -u 2>/dev/null).lock; fi\n";

/* A lock that another user made is not read: it names processes to stop and directories to unmount. */
static const char judge_others[] =
    "judge_others() {\n"
    "for l in \"$first\" \"$d/.msprof.lock\"; do\n"
    "[ ! -h \"$l\" ] || rm -f \"$l\"\n"
    "[ -n \"$l\" ] && [ -d \"$l\" ] || continue\n"
    "[ \"$l\" != \"$first\" ] || [ -O \"$l\" ] || { echo \"busy another user, whose is '$l'\"; exit 1; }\n"
    "look \"$l\"\n"
    "case $verdict in\n"
    "busy) echo \"busy $o\"; exit 1;;\n"
    "running) [ \"$takes\" = yes ] && stop_program || { echo \"running $q $o\"; exit 1; };;\n"
    "ours) kept=$m; lives \"$p\" \"$s\" && kill \"$p\" 2>/dev/null;;\n"
    "esac\n"
    "if [ \"$verdict\" != ours ] && [ -n \"$m\" ]; then\n"
    "umount \"$m\" 2>/dev/null && { rmdir \"$m\" 2>/dev/null; echo \"unmounted $m\"; }; fi\n"
    "take_away \"$h\" \"$l\"\n"
    "done\n"
    "}\n";

/* An old holder that ends may take the empty directory away, so it is made a few times. The holder reads until its
 * input ends, which it does when the lock is given back or the connection breaks. */
static const char make[] =
    "kept=''\n"
    "for n in 1 2 3 4; do\n"
    "judge_others\n"
    "for l in \"$first\" \"$d/.msprof.lock\"; do\n"
    "[ -n \"$l\" ] || continue\n"
    "mkdir \"$l\" || { [ -d \"$l\" ] && break; continue; }\n"
    "h=$l/$token.$$\n"
    "mkdir \"$h\" && made=$h && echo \"$owner, in '$d'\" >\"$h/owner\" &&\n"
    "echo \"$$ $(start_of $$)\" >\"$h/pid\" && [ -s \"$h/pid\" ] &&\n"
    "{ [ -z \"$kept\" ] || echo \"$kept\" >\"$h/mounted\"; } && { echo \"locked $h\"; break 2; }\n"
    "take_away \"$h\" \"$l\"; made=''\n"
    "done 2>/dev/null\n"
    "done\n"
    "[ -n \"$made\" ] || { [ -d \"$l\" ] && echo 'busy another' || echo failed; exit 1; }\n"
    "while read -r line; do :; done\n";

int board_lock_init(struct board_lock *lock, struct err *err)
{
    *lock = (struct board_lock){.holder = NULL};
    strbuf_init(&lock->answer, 4096);
    return ssh_choose_mark(lock->token, err);
}

static int keep_lock_answer(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct board_lock *lock = arg;

    if (strbuf_add(&lock->answer, bytes, length) != 0)
        return err_set(err, ERR_REMOTE, "the board's answer to the lock is too long");
    return 0;
}

static void add_lock_script(struct strbuf *script, const struct board_lock *lock,
                            const struct board_lock_request *request)
{
    const char *const parts[] = {
        board_process_functions, find_holder,  look, take_away, tell_session, drain, stop_program, drop,
        choose_places,           judge_others, make};
    char owner[256] = "?";

    gethostname(owner, sizeof owner - 1);
    ssh_script_add(script, "umask 027; d=" WORD "\nowner=" WORD "\ntoken=" WORD " takes=" WORD "\n", request->directory,
                   owner, lock->token, request->takes_over ? "yes" : "no");
    if (request->makes_directory)
        strbuf_adds(script, "mkdir -p \"$d\" || { echo failed; exit 1; }\n");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        strbuf_adds(script, parts[i]);
}

/* The line of the answer that begins with a word; NULL: there is none that has ended. */
static const char *find_line(const struct board_lock *lock, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = lock->answer.data; strchr(at, '\n') != NULL; at = strchr(at, '\n') + 1)
        if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\n'))
            return at + length + (at[length] == ' ');
    return NULL;
}

static char *copy_line(const char *line)
{
    return line != NULL ? strndup(line, strcspn(line, "\n")) : NULL;
}

static bool is_unanswered(const void *arg)
{
    static const char *const words[] = {"locked", "busy", "running", "failed"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (find_line(arg, words[i]) != NULL)
            return false;
    return true;
}

static int judge_refusal(struct board_lock *lock, const char *directory, bool *ret_busy, struct err *err)
{
    const char *busy = find_line(lock, "busy"), *running = find_line(lock, "running");

    *ret_busy = busy != NULL || running != NULL;
    if (busy != NULL) {
        err_set(err, ERR_REMOTE, "another run is active on the board: started from %.*s", (int)strcspn(busy, "\n"),
                busy);
        return err_hint(err, "wait for its end, or stop it");
    }
    if (running != NULL) {
        int number = (int)strcspn(running, " \n");
        const char *owner = running + number + (running[number] == ' ');

        err_set(err, ERR_REMOTE,
                "another run is active on the board: its program (process %.*s) still runs, but the msprof that "
                "started it (from %.*s) has ended",
                number, running, (int)strcspn(owner, "\n"), owner);
        return err_hint(err, "wait for its end, or stop it with --take-over; its capture stays on the board");
    }
    err_set(err, ERR_REMOTE, "cannot create '%s' on the board", directory);
    return err_hint(
        err, "set 'remote_dir' in the ini file to a directory that this user can write to, on a disk with free space");
}

static int take_answer(struct board_lock *lock, const char *directory, bool *ret_busy, struct err *err)
{
    const char *stopped = find_line(lock, "stopped"), *unmounted = find_line(lock, "unmounted");
    const char *path = find_line(lock, "locked");

    if (path == NULL)
        return judge_refusal(lock, directory, ret_busy, err);
    lock->path = copy_line(path);
    if (stopped != NULL && number_parse_integer(stopped, strcspn(stopped, "\n"), &lock->stopped) != 0)
        lock->stopped = 0;
    if (unmounted != NULL && lock->unmounted == NULL)
        lock->unmounted = copy_line(unmounted);
    return lock->path != NULL ? 0 : err_no_memory(err);
}

int board_lock_take(struct board_lock *lock, struct board *board, const struct board_lock_request *request,
                    bool *ret_busy, struct err *err)
{
    struct ssh_io io = {
        .output = keep_lock_answer, .waits = &lock->waits, .arg = lock, .limits = ssh_limits_for(board->connection, 0)};
    struct strbuf *script = board_script(board);

    *ret_busy = false;
    board_lock_forget(lock);
    lock->waits = true;
    strbuf_clear(&lock->answer);
    add_lock_script(script, lock, request);
    if ((script->failed ? err_no_memory(err)
                        : ssh_command_start(&lock->holder, board->connection, script->data, &io, NULL, err)) != 0 ||
        ssh_command_serve_while(lock->holder, is_unanswered, lock, err) != 0)
        err_wrap(err, "cannot lock the board");
    else if (take_answer(lock, request->directory, ret_busy, err) == 0)
        return 0;
    ssh_command_close(lock->holder);
    lock->holder = NULL;
    return err_status(err);
}

bool board_lock_is_held(const struct board_lock *lock)
{
    return lock->holder != NULL && ssh_command_is_connected(lock->holder);
}

void board_lock_release(struct board_lock *lock)
{
    struct err ignored = ERR_INIT;

    if (lock->holder != NULL) {
        lock->waits = false;
        ssh_commands_serve(&lock->holder, 1, &ignored); /* the board gives it back by itself when this fails */
    }
    board_lock_forget(lock);
}

void board_lock_forget(struct board_lock *lock)
{
    ssh_command_close(lock->holder);
    lock->holder = NULL;
    free(lock->path);
    free(lock->unmounted);
    lock->path = lock->unmounted = NULL;
    strbuf_release(&lock->answer);
}

#define OUTPUT_LIMIT ((size_t)4 * 1024 * 1024)
#define TIDY_SECONDS 3600
#define GRACE_SECONDS 5
#define STOP_SECONDS 60   /* for all that it takes to stop an orphan */
#define MOUNT_SECONDS 180 /* the mount command tries for long by itself */
/* For the end of the output once the program has ended: what it left may hold it for ever. */
#define LEFT_NS (SSH_NS_PER_SECOND / 4)
#define CLOSE_NS (2 * SSH_NS_PER_SECOND)
#define LINE_SIZE 64 /* of the line with the process */

/* A run under way. */
struct run {
    struct board *board;
    const struct run_request *request;
    struct run_result *result;
    struct strbuf pending; /* of its output: what may be the beginning of the lines that are ours */
    bool started, ended;   /* the lines before and behind the program's output have come */
    int64_t process, group;
    int64_t start;       /* of the process, in the board's own unit; 0: not known */
    int64_t deadline_ns; /* of the program */
    int64_t escalate_ns; /* when to use the next signal */
    int64_t close_ns;    /* after its end: when its output is not waited for any more */
    int signals_sent;
};

static void give_output(struct run *run, const char *bytes, size_t length)
{
    if (length > 0)
        run->request->output(run->request->arg, false, bytes, length);
}

/* "msprof-process <number> <number of the shell that waits for it> <start>", in front of the program's output. */
static void take_first_line(struct run *run)
{
    static const char head[] = "msprof-process ";
    int64_t *const numbers[] = {&run->process, &run->group, &run->start};
    const char *at = run->pending.data + sizeof head - 1, *newline = strchr(run->pending.data, '\n');
    size_t length = newline != NULL ? (size_t)(newline - run->pending.data) + 1 : 0;

    if (length == 0 && run->pending.length < LINE_SIZE)
        return;
    run->started = true;
    if (length == 0 || strncmp(run->pending.data, head, sizeof head - 1) != 0)
        return;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && at <= newline; i++) {
        const size_t word = strcspn(at, " \n");
        if (number_parse_integer(at, word, numbers[i]) != 0)
            *numbers[i] = 0;
        at += word + 1;
    }
    memmove(run->pending.data, run->pending.data + length, run->pending.length - length + 1);
    run->pending.length -= length;
}

/* A line "left <number> <name>" of a process that goes on. */
static void take_left(struct run *run, const char *line, size_t length)
{
    static const char head[] = "left ";
    size_t used = strlen(run->result->left_names), number;

    if (length <= sizeof head - 1 || strncmp(line, head, sizeof head - 1) != 0)
        return;
    line += sizeof head - 1;
    length -= sizeof head - 1;
    number = strcspn(line, " \n");
    if (number >= length)
        return;
    snprintf(run->result->left_names + used, sizeof run->result->left_names - used, "%s%.*s (%.*s)",
             run->result->left++ > 0 ? ", " : "", (int)(length - number - 1), line + number + 1, (int)number, line);
    utf8_mask(run->result->left_names);
}

/* The lines behind the token: the exit status, what goes on, and the token again. */
static void take_last_lines(struct run *run, const char *at)
{
    int64_t status = 0;
    const char *newline = strchr(at, '\n'), *end = strstr(at, run->request->lock->token);

    if (newline == NULL || end == NULL || end < newline)
        return;
    const bool is_known =
        number_parse_integer(at + 1, (size_t)(newline - at - 1), &status) == 0 && status >= 0 && status <= 255;
    run->result->exit.is_known = is_known;
    if (status > 128 && status < 128 + NSIG && sigabbrev_np((int)status - 128) != NULL)
        snprintf(run->result->exit.signal, sizeof run->result->exit.signal, "%s", sigabbrev_np((int)status - 128));
    else
        run->result->exit.status = (int)status & 255;
    for (at = newline + 1; at < end; at += strcspn(at, "\n") + 1)
        take_left(run, at, strcspn(at, "\n"));
    run->ended = true;
    run->close_ns = ssh_now_ns() + (run->result->left > 0 ? LEFT_NS : CLOSE_NS);
}

/* The length of the end of a text that may be the beginning of a token. */
static size_t possible_token(const char *text, size_t length, const char *token)
{
    size_t most = strlen(token);

    for (size_t n = length < most ? length : most; n > 0; n--)
        if (memcmp(text + length - n, token, n) == 0)
            return n;
    return 0;
}

static int take_output(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct run *run = arg;
    struct strbuf *pending = &run->pending;
    const char *token = run->request->lock->token, *found;

    if (run->ended)
        return 0; /* of what goes on */
    if (strbuf_add(pending, bytes, length) != 0)
        return err_no_memory(err);
    if (!run->started)
        take_first_line(run);
    if (!run->started)
        return 0;
    found = memmem(pending->data, pending->length, token, strlen(token));
    length = found != NULL ? (size_t)(found - pending->data)
                           : pending->length - possible_token(pending->data, pending->length, token);
    give_output(run, pending->data, length);
    memmove(pending->data, pending->data + length, pending->length - length + 1);
    pending->length -= length;
    if (found != NULL)
        take_last_lines(run, pending->data + strlen(token));
    return 0;
}

static int take_errors(void *arg, const char *bytes, size_t length, struct err *err)
{
    struct run *run = arg;

    (void)err;
    run->request->output(run->request->arg, true, bytes, length);
    return 0;
}

/* A shell waits for the program, because its end is not that of its output: a process that it left may hold that. The
 * shell takes the signals that are sent to all, and ends after the program. */
static const char run_and_wait[] =
    "run_and_wait() {\n"
    "trap : HUP INT TERM PIPE\n"
    "c='" START_OF "s=$(start_of $$); echo \"$$ ${s:--} $1\" 2>/dev/null >\"$0/program\"\n"
    "echo \"msprof-process $$ $1 $s\"; shift; exec \"$@\"'\n"
    "sh -c \"$c\" \"$l\" $$ \"$@\" </dev/null\n"
    "r=$?\n"
    "rm -f \"$l/program\"\n"
    "p=''; read -r p s 2>/dev/null <\"$l/pid\"\n"
    "lives \"$p\" \"$s\" || [ -s \"$l/mounted\" ] || take_away \"$l\" \"${l%/*}\"\n"
    "echo \"$token $r\"\n"
    "q=''; tell_session $$\n"
    "echo \"$token over\"\n"
    "}\n";

/* The program does not write to the connection itself, which may break: it would end by SIGPIPE, without the end of its
 * capture. Relays read on, whether anybody takes it or not. A board without "cat" has none. */
static const char run_with_relays[] =
    "relay() { trap '' HUP INT TERM PIPE; cat; while cat >/dev/null; [ $? -gt 128 ]; do :; done; } 2>/dev/null\n"
    "trap : HUP INT TERM PIPE\n"
    "if [ \"$(echo on | cat 2>/dev/null)\" = on ]; then\n"
    "{ run_and_wait \"$@\" 2>&1 >&3 3>&- | relay >&2 3>&-; } 3>&1 | relay\n"
    "else run_and_wait \"$@\"; fi\n";

static int make_script(struct board *board, const struct run_request *request, struct err *err)
{
    struct strbuf *script = board_script_in(board, request->directory);

    ssh_script_add(script,
                   "umask 027\np=./" WORD "\n[ -f \"$p\" ] || { echo \"$p: not found\" >&2; exit 127; }\n"
                   "[ -x \"$p\" ] || { echo \"$p: not executable\" >&2; exit 126; }\nl=" WORD " token=" WORD "\n"
                   "[ -d \"$l\" ] || { echo 'the lock of this run is gone' >&2; exit 1; }\n",
                   request->program, request->lock->path, request->lock->token);
    strbuf_adds(script, board_process_functions);
    strbuf_adds(script, take_away);
    strbuf_adds(script, "set -- \"$p\"");
    for (char *const *argument = request->arguments; argument != NULL && *argument != NULL; argument++)
        ssh_script_add(script, " " WORD, *argument);
    strbuf_addc(script, '\n');
    strbuf_adds(script, tell_session);
    strbuf_adds(script, run_and_wait);
    strbuf_adds(script, run_with_relays);
    return script->failed
               ? err_set(err, ERR_LIMIT, "the arguments of the program are longer than %zu bytes", script->maximum)
               : 0;
}

/* Sends a signal to the program and, where its shell leads a group, to what it started. */
static int send_signal(struct run *run, const char *name, struct err *err)
{
    struct strbuf *script = board_script(run->board);

    if (run->process <= 1)
        return 0;
    if (run->group > 1)
        strbuf_addf(script, "kill -%s -- -%lld 2>/dev/null || ", name, (long long)run->group);
    strbuf_addf(script, "kill -%s %lld 2>/dev/null\nexit 0\n", name, (long long)run->process);
    return board_do(run->board, "cannot stop the program", err);
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
        if (run->ended && (result != 0 || (!busy && ssh_now_ns() >= run->close_ns)))
            return 0;
        if (result == 0 && !run->ended)
            result = supervise(run, &gave_up, err);
        if (result == 0 && !busy && !gave_up)
            result = ssh_wait(run->board->connection, SSH_NEVER, err);
        if (result == -ERR_INTERRUPTED)
            result = 0; /* supervise sees to it */
    }
    if (result == 0 && !gave_up && !run->ended)
        run->result->exit = *ssh_command_exit(command);
    /* what waited for the program says how it ended, and is gone: the status is that of the shell around it */
    if (!run->ended && run->process > 0)
        run->result->exit.is_known = false;
    if (!run->ended && run->started)
        give_output(run, run->pending.data, run->pending.length);
    return result;
}

/* Makes the connection anew: at once, for a program that writes ends by the old one, or when the outage is over. */
static int reconnect(struct run *run, struct err *err)
{
    struct ssh_patience patience;
    int result = ssh_reconnect(run->board->connection, err);

    ssh_patience_init(&patience, run->board->connection, run->request->progress);
    return result == -ERR_REMOTE ? ssh_reconnect_patiently(&patience, 0, err) : result;
}

/* Stops what goes on without anybody who waits for it, unless it has ended: its number may be another process's by now.
 */
static int stop_orphan(struct run *run, struct err *err)
{
    char *at, *line;

    if (run->process <= 1)
        return 0;
    struct strbuf *script = board_script(run->board);
    strbuf_addf(script, "q=%lld u='' g=%lld\n", (long long)run->process,
                (long long)(run->group > 1 ? run->group : run->process));
    if (run->start > 0)
        strbuf_addf(script, "u=%lld\n", (long long)run->start);
    const char *const parts[] = {board_process_functions, tell_session, drain, stop_program};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        strbuf_adds(script, parts[i]);
    strbuf_adds(script, "if lives \"$q\" \"$u\"; then stop_program; else echo gone; tell_session \"$g\"; fi\nexit 0\n");
    if (board_do_within(run->board, STOP_SECONDS, "cannot stop the program", err) != 0)
        return err_status(err);
    at = run->board->answer.data;
    while ((line = board_next_line(&at)) != NULL) {
        run->result->gone |= strcmp(line, "gone") == 0;
        run->result->killed |= strcmp(line, "KILL") == 0;
        take_left(run, line, strlen(line));
    }
    return 0;
}

int board_run_program(struct board *board, const struct run_request *request, struct run_result *ret, struct err *err)
{
    struct run run = {.board = board, .request = request, .result = ret, .deadline_ns = SSH_NEVER};
    struct ssh_io io = {.output = take_output, .errors = take_errors, .arg = &run};
    struct ssh_command *command = NULL;

    *ret = (struct run_result){.end = RUN_ENDED};
    strbuf_init(&run.pending, OUTPUT_LIMIT);
    if (request->timeout > 0)
        run.deadline_ns = ssh_now_ns() + request->timeout * SSH_NS_PER_SECOND;
    bool failed = make_script(board, request, err) != 0 ||
                  ssh_command_start(&command, board->connection, board->script.data, &io, NULL, err) != 0 ||
                  serve(&run, command, err) != 0;
    ssh_command_close(command);
    strbuf_release(&run.pending);
    if (failed && ssh_is_lost(board->connection) && run.started) {
        ret->end = RUN_LOST;
        if (reconnect(&run, err) == 0 && stop_orphan(&run, err) == 0)
            return 0;
        err_wrap(err, "the connection was lost while the program ran (process %lld on the board)",
                 (long long)run.process);
    }
    if (failed)
        return err_status(err);
    if (ret->end != RUN_ENDED || ret->exit.is_known)
        return 0;
    ret->end = RUN_UNKNOWN;
    return stop_orphan(&run, err) == 0
               ? 0
               : err_wrap(err, "no process waited for the program any more (process %lld on the board)",
                          (long long)run.process);
}

int board_missing_libraries(struct board *board, const char *directory, const char *program, struct strbuf *ret,
                            struct err *err)
{
    struct strbuf *script = board_script_in(board, directory);
    char *line, *at;

    if (!board->has_ldd)
        return 0;
    ssh_script_add(script,
                   "p=./" WORD "\nldd \"$p\" 2>/dev/null | while read -r name arrow rest; do\n"
                   "case \"$rest\" in 'not found'*) echo \"$name\";; esac\ndone\nexit 0\n",
                   program);
    if (board_do(board, "cannot look for the program's libraries", err) != 0)
        return err_status(err);
    at = board->answer.data;
    while ((line = board_next_line(&at)) != NULL)
        strbuf_addf(ret, "%s%s", ret->length > 0 ? " " : "", line);
    return 0;
}

int board_mount(struct board *board, const struct board_lock *lock, const char *source, const char *directory,
                struct err *err)
{
    /* a mount that somebody left there would hide below this one */
    ssh_script_add(board_script(board),
                   "d=" WORD " l=" WORD "\nmkdir -p \"$d\" || exit 1\n"
                   "while read -r source place rest; do\n"
                   "[ \"$place\" = \"$d\" ] && { umount \"$d\" || exit 1; }\n"
                   "done 2>/dev/null </proc/mounts\n"
                   "echo \"$d\" >\"$l/mounted\"\n"
                   "mount -t nfs -o nolock -o tcp -o rsize=32768,wsize=32768 " WORD
                   " \"$d\" || { r=$?; rm -f \"$l/mounted\"; exit $r; }\n",
                   directory, lock->path, source);
    if (board_do_within(board, MOUNT_SECONDS, "cannot mount the project on the board", err) == 0)
        return 0;
    return err_hint(err, "check that the NFS server of this machine exports the project to the board, and that the "
                         "board's user is allowed to mount");
}

int board_unmount(struct board *board, const struct board_lock *lock, const char *directory, struct err *err)
{
    struct strbuf *script = board_script(board);

    ssh_script_add(script, "umount " WORD " || exit 1\n", directory);
    if (lock->path != NULL)
        ssh_script_add(script, "rm -f " WORD "/mounted\n", lock->path);
    ssh_script_add(script, "rmdir " WORD " 2>/dev/null\nexit 0\n",
                   directory); /* it stays when something else is in it */
    return board_do(board, "cannot unmount the project from the board", err);
}
