/* SPDX-License-Identifier: Apache-2.0 */
/* every_call AT ERROR LOG PROGRAM ARGUMENT...: runs a program, of all whose threads and processes the AT-th call of the
 * system fails with ERROR (a number; 0: a write takes half of its bytes). Calls that only manage memory, threads and
 * signals are not counted, nor are those that load the program. AT 0: none fails. LOG gets a line for the one that
 * fails, or for each: its number, the name of its kind, and the file that it is about. Ends with the status of the
 * program, or with 125 and a message where it could not be run or followed. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum about { NOTHING, FILE_OF_FD, PATH_FIRST, PATH_SECOND };

static const struct kind {
    long call;
    const char *name; /* a kind of calls that fail alike */
    enum about about;
} kinds[] = {
    {SYS_read, "read", FILE_OF_FD},
    {SYS_pread64, "read", FILE_OF_FD},
    {SYS_readv, "read", FILE_OF_FD},
    {SYS_preadv, "read", FILE_OF_FD},
    {SYS_getdents64, "read", FILE_OF_FD},
    {SYS_readlink, "stat", PATH_FIRST},
    {SYS_recvfrom, "read", FILE_OF_FD},
    {SYS_recvmsg, "read", FILE_OF_FD},
    {SYS_write, "write", FILE_OF_FD},
    {SYS_pwrite64, "write", FILE_OF_FD},
    {SYS_writev, "write", FILE_OF_FD},
    {SYS_pwritev, "write", FILE_OF_FD},
    {SYS_sendto, "write", FILE_OF_FD},
    {SYS_sendmsg, "write", FILE_OF_FD},
    {SYS_copy_file_range, "write", FILE_OF_FD},
    {SYS_sendfile, "write", FILE_OF_FD},
    {SYS_open, "open", PATH_FIRST},
    {SYS_openat, "open", PATH_SECOND},
    {SYS_close, "close", FILE_OF_FD},
    {SYS_fsync, "sync", FILE_OF_FD},
    {SYS_fdatasync, "sync", FILE_OF_FD},
    {SYS_syncfs, "sync", FILE_OF_FD},
    {SYS_ftruncate, "size", FILE_OF_FD},
    {SYS_fallocate, "size", FILE_OF_FD},
    {SYS_lseek, "seek", FILE_OF_FD},
    {SYS_stat, "stat", PATH_FIRST},
    {SYS_lstat, "stat", PATH_FIRST},
    {SYS_fstat, "stat", FILE_OF_FD},
    {SYS_newfstatat, "stat", PATH_SECOND},
    {SYS_statx, "stat", PATH_SECOND},
    {SYS_access, "stat", PATH_FIRST},
    {SYS_faccessat, "stat", PATH_SECOND},
    {SYS_statfs, "stat", PATH_FIRST},
    {SYS_fstatfs, "stat", FILE_OF_FD},
    {SYS_rename, "name", PATH_FIRST},
    {SYS_renameat, "name", PATH_SECOND},
    {SYS_renameat2, "name", PATH_SECOND},
    {SYS_unlink, "name", PATH_FIRST},
    {SYS_unlinkat, "name", PATH_SECOND},
    {SYS_mkdir, "name", PATH_FIRST},
    {SYS_mkdirat, "name", PATH_SECOND},
    {SYS_rmdir, "name", PATH_FIRST},
    {SYS_link, "name", PATH_FIRST},
    {SYS_linkat, "name", PATH_SECOND},
    {SYS_symlink, "name", PATH_FIRST},
    {SYS_chmod, "name", PATH_FIRST},
    {SYS_fchmod, "name", FILE_OF_FD},
    {SYS_utimensat, "name", PATH_SECOND},
    {SYS_fcntl, "lock", FILE_OF_FD},
    {SYS_flock, "lock", FILE_OF_FD},
    {SYS_mmap, "map", NOTHING},
    {SYS_getcwd, "other", NOTHING},
    {SYS_chdir, "other", PATH_FIRST},
    {SYS_getrandom, "other", NOTHING},
    {SYS_pipe2, "other", NOTHING},
    {SYS_dup, "other", NOTHING},
    {SYS_dup2, "other", NOTHING},
    {SYS_socket, "other", NOTHING},
    {SYS_connect, "other", FILE_OF_FD},
    {SYS_poll, "other", NOTHING},
    {SYS_clone, "other", NOTHING},
    {SYS_clone3, "other", NOTHING},
    {SYS_ioctl, "other", FILE_OF_FD},
    {SYS_sysinfo, "other", NOTHING},
    {SYS_sched_getaffinity, "other", NOTHING},
    {SYS_fadvise64, "other", FILE_OF_FD},
    {SYS_uname, "other", NOTHING},
    {SYS_prlimit64, "other", NOTHING},
    {SYS_memfd_create, "other", NOTHING},
};

/* The text at an address of the program's. */
static void copy_text(pid_t pid, unsigned long address, char *text, size_t size)
{
    struct iovec here = {text, size - 1}, there = {(void *)address, size - 1};
    ssize_t length = process_vm_readv(pid, &here, 1, &there, 1, 0);
    for (size_t most = size - 1; length < 0 && most > 16;) { /* it may end before a page that is not there */
        most /= 2;
        here.iov_len = there.iov_len = most;
        length = process_vm_readv(pid, &here, 1, &there, 1, 0);
    }
    text[length > 0 ? length : 0] = '\0';
}

static void tell(FILE *log, unsigned long number, const struct kind *kind, pid_t pid,
                 const struct user_regs_struct *regs)
{
    char text[512] = "-", link[64];
    if (kind->about == FILE_OF_FD) {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, (int)regs->rdi);
        ssize_t length = readlink(link, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
    } else if (kind->about != NOTHING) {
        copy_text(pid, kind->about == PATH_FIRST ? regs->rdi : regs->rsi, text, sizeof text);
    }
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\n' || *c == '\t' ? '?' : *c;
    fprintf(log, "%lu\t%s\t%ld\t%s\n", number, kind->name, kind->call, text);
}

static unsigned long count;
static bool is_loaded; /* what fails before is the system's loader */

/* A thread is about to make a call of a kind. Returns whether it is one that must be made, but fails when it ends. */
static bool is_made_in_vain(pid_t pid, const struct kind *kind, unsigned long at, long error, FILE *log)
{
    is_loaded |= kind->call == SYS_prlimit64;
    if (!is_loaded)
        return false;
    count++;
    if (at != 0 && count != at)
        return false;
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0)
        return false;
    tell(log, count, kind, pid, &regs);
    if (at == 0)
        return false;
    if (error == 0 && strcmp(kind->name, "write") != 0)
        return false;            /* threads make calls in another order, and this one is no write */
    if (kind->call == SYS_close) /* which closes all the same */
        return true;
    if (error == 0) { /* half of one */
        regs.rdx = regs.rdx > 1 ? regs.rdx / 2 : regs.rdx;
    } else {
        regs.orig_rax = (unsigned long long)-1;
        regs.rax = (unsigned long long)-error;
    }
    ptrace(PTRACE_SETREGS, pid, NULL, &regs);
    return false;
}

/* Lets the system stop a thread, and its children, at the calls of the kinds alone: the others run at full speed. */
static int stop_at_kinds(void)
{
    enum { KINDS = sizeof kinds / sizeof *kinds };
    struct sock_filter filter[2 + 2 * KINDS] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    for (size_t i = 0; i < KINDS; i++) {
        filter[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)kinds[i].call, 0, 1);
        filter[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | (unsigned)i);
    }
    filter[1 + 2 * KINDS] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

static int fail(const char *what)
{
    fprintf(stderr, "every_call: %s: %s\n", what, strerror(errno));
    return 125;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 125;
    const unsigned long at = strtoul(argv[1], NULL, 10);
    const long error = strtol(argv[2], NULL, 10);
    FILE *log = fopen(argv[3], "we");
    if (log == NULL)
        return fail(argv[3]);
    if (at != 0)
        setvbuf(log, NULL, _IOLBF, 0); /* it is read, too, when this program is ended from outside */
    const pid_t child = fork();
    int status, result = -1;
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        if (stop_at_kinds() == 0)
            execv(argv[4], argv + 4);
        _exit(fail(argv[4]));
    }
    if (child < 0 || waitpid(child, &status, 0) != child ||
        ptrace(PTRACE_SETOPTIONS, child, NULL,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL) != 0)
        return fail("cannot follow the program");
    ptrace(PTRACE_CONT, child, NULL, NULL);
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0 || (pid < 0 && errno == EINTR);) {
        if (pid < 0)
            continue;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid == child)
                result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        long signal = WSTOPSIG(status);
        unsigned long kind;
        bool fails = false;
        if (signal == (SIGTRAP | 0x80)) { /* the end of a call that fails then */
            struct user_regs_struct regs;
            if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) == 0) {
                regs.rax = (unsigned long long)-error;
                ptrace(PTRACE_SETREGS, pid, NULL, &regs);
            }
            signal = 0;
        } else if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
            fails =
                ptrace(PTRACE_GETEVENTMSG, pid, NULL, &kind) == 0 && is_made_in_vain(pid, &kinds[kind], at, error, log);
            signal = 0;
        } else if (status >> 16 != 0 || signal == SIGSTOP) { /* events, and threads that begin */
            signal = 0;
        }
        ptrace(fails ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, (void *)signal);
    }
    return result >= 0 ? result : fail("the end of the program was not seen");
}
