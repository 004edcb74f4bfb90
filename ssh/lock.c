/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/lock.h"

#include "base/number.h"
#include "ssh/session/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT_LIMIT ((size_t)64 * 1024)

const char board_process_functions[] =
    /* the 22nd word of stat, unless the process is one that nobody has waited for; the second word is a name that may
     * hold anything */
    "start_of() { read -r t <\"/proc/$1/stat\" || return; t=${t##*) }; set -- $t; [ \"$1\" = Z ] || echo \"${20}\"; } "
    "2>/dev/null\n"
    "lives() { [ -n \"$1\" ] && kill -0 \"$1\" && { [ -z \"$2\" ] || [ \"$(start_of \"$1\")\" = \"$2\" ]; }; } "
    "2>/dev/null\n";

/* Reads what a lock says, and judges it. */
static const char look[] = "look() {\n"
                           "p='' s='' q='' u='' g='' k='' o='' m=''\n"
                           "[ -s \"$1/pid\" ] || sleep 1\n" /* it may be in the making */
                           "read -r p s <\"$1/pid\"; read -r q u g <\"$1/program\"\n"
                           "read -r k <\"$1/token\"; read -r o <\"$1/owner\"; read -r m <\"$1/mounted\"\n"
                           "if [ \"$k\" = \"$token\" ]; then verdict=ours\n"
                           "elif lives \"$p\" \"$s\"; then verdict=busy\n"
                           "elif lives \"$q\" \"$u\"; then verdict=running\n"
                           "else verdict=stale; fi\n"
                           "} 2>/dev/null\n";

/* An old holder gives its lock back when it ends, so it must have ended before the next takes it. */
static const char end_holder[] = "end_holder() {\n"
                                 "kill \"$p\" 2>/dev/null\n"
                                 "for i in 1 2 3 4 5 6 7 8 9 10; do\n"
                                 "lives \"$p\" \"$s\" || return 0\n"
                                 "sleep 0.1 2>/dev/null || sleep 1\ndone\n}\n";

static const char stop_program[] = "stop_program() {\n"
                                   "for n in INT TERM KILL; do\n"
                                   "kill -$n -- \"-$g\" 2>/dev/null || kill -$n \"$q\" 2>/dev/null\n"
                                   "for i in 1 2 3 4 5; do\n"
                                   "lives \"$q\" \"$u\" || { echo \"stopped $q\"; return 0; }\n"
                                   "echo waiting; sleep 1\ndone\ndone\nreturn 1\n}\n";

/* The program may outlive the shell that holds the lock, and what is mounted does; the next run is to know of both. */
static const char drop[] = "drop() {\n"
                           "[ -n \"$made\" ] || return\n"
                           "p='' q='' u=''; read -r p s <\"$made/pid\"; read -r q u g <\"$made/program\"\n"
                           "[ -z \"$p\" ] || [ \"$p\" = $$ ] || return\n"
                           "lives \"$q\" \"$u\" || [ -s \"$made/mounted\" ] || rm -rf \"$made\"\n"
                           "} 2>/dev/null\n"
                           "made=''\n"
                           "trap drop EXIT\n"
                           "trap 'exit 1' HUP INT TERM PIPE\n";

static const char choose_places[] =
    /* not below $d: there is one device, whatever the directory. Named after the user, because another one's cannot be
     * taken over */
    "t=${TMPDIR:-/tmp} first=''\n"
    "if [ -d \"$t\" ] && [ -w \"$t\" ]; then first=$t/.msprof-$(id -u 2>/dev/null).lock; fi\n";

static const char judge_others[] =
    "for l in \"$first\" \"$d/.msprof.lock\"; do\n"
    "[ -n \"$l\" ] && [ -d \"$l\" ] || continue\n"
    "look \"$l\"\n"
    "case $verdict in\n"
    "busy) echo \"busy $o\"; exit 1;;\n"
    "running) [ \"$takes\" = yes ] && stop_program || { echo \"running $q $o\"; exit 1; };;\n"
    "ours) end_holder;;\n"
    "esac\n"
    "if [ \"$verdict\" != ours ] && [ -n \"$m\" ]; then\n"
    "umount \"$m\" 2>/dev/null && { rmdir \"$m\" 2>/dev/null; echo \"unmounted $m\"; }; fi\n"
    "rm -rf \"$l\"\n"
    "done\n";

/* The holder reads until its input ends, which it does when the lock is given back or the connection breaks. */
static const char make[] =
    "for l in \"$first\" \"$d/.msprof.lock\"; do\n"
    "[ -n \"$l\" ] && mkdir \"$l\" 2>/dev/null || { [ -d \"$l\" ] && { echo \"busy another\"; exit 1; }; continue; }\n"
    "made=$l\n"
    "{ echo \"$owner, in '$d'\" >\"$l/owner\" && echo \"$token\" >\"$l/token\" &&\n"
    "echo \"$$ $(start_of $$)\" >\"$l/pid\" && [ -s \"$l/pid\" ]; } 2>/dev/null && { echo \"locked $l\"; break; }\n"
    "rm -rf \"$l\"; made=''\n"
    "done\n"
    "[ -n \"$made\" ] || { echo failed; exit 1; }\n"
    "while read -r line; do :; done\n";

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "out of memory");
}

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

static int add_lock_script(struct strbuf *script, const struct board_lock *lock,
                           const struct board_lock_request *request, struct err *err)
{
    const char *const parts[] = {board_process_functions, look,         end_holder, stop_program, drop,
                                 choose_places,           judge_others, make};
    char owner[256] = "?";

    gethostname(owner, sizeof owner - 1);
    strbuf_adds(script, "umask 027; d=");
    ssh_quote(script, request->directory);
    strbuf_adds(script, "\nowner=");
    ssh_quote(script, owner);
    strbuf_addf(script, "\ntoken=%s takes=%s\n", lock->token, request->takes_over ? "yes" : "no");
    if (request->makes_directory)
        strbuf_adds(script, "mkdir -p \"$d\" || { echo failed; exit 1; }\n");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        strbuf_adds(script, parts[i]);
    return script->failed ? out_of_memory(err) : 0;
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
        err_set(err, ERR_REMOTE, "another run is going on on the board: started from %.*s", (int)strcspn(busy, "\n"),
                busy);
        return err_hint(err, "wait for its end, or stop it");
    }
    if (running != NULL) {
        int number = (int)strcspn(running, " \n");
        const char *owner = running + number + (running[number] == ' ');

        err_set(err, ERR_REMOTE,
                "another run is going on on the board: its program (process %.*s) still runs, and the msprof that "
                "started it is gone (from %.*s)",
                number, running, (int)strcspn(owner, "\n"), owner);
        return err_hint(err, "wait for its end, or stop it with --take-over; what it captured stays on the board");
    }
    err_set(err, ERR_REMOTE, "cannot make '%s' on the board", directory);
    return err_hint(err, "let 'remote_dir' in the ini file name a directory that this user may write, on a disk that "
                         "is not full");
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
    return lock->path != NULL ? 0 : out_of_memory(err);
}

int board_lock_take(struct board_lock *lock, struct board *board, const struct board_lock_request *request,
                    bool *ret_busy, struct err *err)
{
    struct ssh_io io = {
        .output = keep_lock_answer, .waits = &lock->waits, .arg = lock, .limits = ssh_limits_for(board->connection, 0)};
    struct strbuf script;
    int result;

    *ret_busy = false;
    board_lock_forget(lock);
    lock->waits = true;
    strbuf_init(&script, SCRIPT_LIMIT);
    strbuf_clear(&lock->answer);
    result = add_lock_script(&script, lock, request, err);
    if (result == 0)
        result = ssh_command_start(&lock->holder, board->connection, script.data, &io, NULL, err);
    if (result == 0)
        result = ssh_command_serve_while(lock->holder, is_unanswered, lock, err);
    if (result != 0)
        err_wrap(err, "cannot lock the board");
    if (result == 0)
        result = take_answer(lock, request->directory, ret_busy, err);
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
