/* SPDX-License-Identifier: Apache-2.0 */
/* From a host's name to a connected socket, interruptibly. */
#include "base/progress.h"
#include "ssh/session/internal.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 200

int ssh_silence_seconds(const struct ssh_target *target)
{
    return target->timeout * SSH_SILENCE_TIMES;
}

/* One look-up; on the heap, because one that cannot be cancelled goes on writing into it. */
struct lookup {
    struct gaicb request;
    struct addrinfo hints;
    char host[256], port[16];
};

/* Copies the host without the brackets of "[::1]". */
static int lookup_init(struct lookup *lookup, const struct ssh_target *target, struct err *err)
{
    size_t length = strlen(target->host);
    const char *host = target->host;

    if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof lookup->host)
        return err_set(err, ERR_REMOTE, "'%s' is not a host name", target->host);
    memcpy(lookup->host, host, length);
    snprintf(lookup->port, sizeof lookup->port, "%d", target->port);
    lookup->hints = (struct addrinfo){.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    lookup->request = (struct gaicb){.ar_name = lookup->host, .ar_service = lookup->port, .ar_request = &lookup->hints};
    return 0;
}

static int no_address(const struct ssh_target *target, int code, struct err *err)
{
    err_set(err, code == EAI_MEMORY ? ERR_NO_MEMORY : ERR_REMOTE, "cannot find the address of '%s': %s", target->host,
            gai_strerror(code));
    return err_hint(err, "check the name, or use a numeric address ('ip = ...')");
}

/* Numbers need no server, and nothing that could be waited for: EAI_NONAME for a name. */
static int resolve_numbers(struct lookup *lookup, struct addrinfo **ret)
{
    struct addrinfo hints = lookup->hints;

    hints.ai_flags |= AI_NUMERICHOST;
    return getaddrinfo(lookup->host, lookup->port, &hints, ret);
}

static int resolve(const struct ssh_target *target, bool may_interrupt, int64_t deadline_ns, struct addrinfo **ret,
                   struct err *err)
{
    SCOPED_FREE struct lookup *lookup = scoped_memory(1, sizeof *lookup);
    struct gaicb *list[1];

    if (lookup == NULL)
        return err_no_memory(err);
    if (lookup_init(lookup, target, err) != 0)
        return err_status(err);
    int code = resolve_numbers(lookup, ret);
    if (code == 0)
        return 0;
    list[0] = &lookup->request;
    if (code == EAI_NONAME)
        code = getaddrinfo_a(GAI_NOWAIT, list, 1, NULL);
    while (code == 0 && (code = gai_error(&lookup->request)) == EAI_INPROGRESS) {
        struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};

        code = 0;
        if ((may_interrupt && interrupted()) || ssh_now_ns() > deadline_ns) {
            if (may_interrupt && interrupted())
                interrupt_error(err);
            else
                err_set(err, ERR_REMOTE, "cannot find the address of '%s': no answer in %d s", target->host,
                        target->timeout);
            err_hint(err, "check the name, or use a numeric address ('ip = ...')");
            if (gai_cancel(&lookup->request) == EAI_NOTCANCELED)
                lookup = NULL; /* still being written to: left alone */
            return err_status(err);
        }
        gai_suspend((const struct gaicb *const *)list, 1, &tick);
    }
    if (code != 0)
        return no_address(target, code, err);
    *ret = lookup->request.ar_result;
    return 0;
}

static void set_options(int fd, const struct ssh_target *target)
{
    int on = 1, milliseconds = ssh_silence_seconds(target) * 1000;

    /* none of them is worth a failure */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

/* Waits for a connection that is being made. Returns 0, an errno, or -1 with err set (interrupted). */
static int await_connected(int fd, bool may_interrupt, int64_t deadline_ns, struct err *err)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int errnum = 0;
    socklen_t size = sizeof errnum;

    for (;;) {
        int n = poll(&ready, 1, TICK_MS);

        if (may_interrupt && interrupted()) {
            interrupt_error(err);
            return -1;
        }
        if (n > 0)
            break;
        if (n < 0 && errno != EINTR)
            return errno;
        if (ssh_now_ns() > deadline_ns)
            return ETIMEDOUT;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &errnum, &size) < 0)
        return errno;
    return errnum;
}

/* Returns 0, an errno, or -1 with err set. */
static int connect_address(const struct addrinfo *address, const struct ssh_target *target, bool may_interrupt,
                           int *ret_fd, struct err *err)
{
    int64_t deadline_ns = ssh_now_ns() + target->timeout * SSH_NS_PER_SECOND;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int errnum = 0;

    if (fd < 0)
        return errno;
    set_options(fd, target);
    if (connect(fd, address->ai_addr, address->ai_addrlen) < 0) {
        errnum = errno;
        if (errnum == EINPROGRESS || errnum == EINTR)
            errnum = await_connected(fd, may_interrupt, deadline_ns, err);
    }
    if (errnum != 0) {
        close(fd);
        return errnum;
    }
    *ret_fd = fd;
    return 0;
}

static int cannot_connect(const struct ssh_target *target, const char *address, int errnum, struct err *err)
{
    const char *reason = strerrordesc_np(errnum);

    err_set(err, ERR_REMOTE, "cannot connect to '%s' (%s), port %d: %s", target->host, address, target->port,
            reason != NULL ? reason : "unknown error");
    if (errnum == ECONNREFUSED)
        return err_hint(err, "check that the SSH server of the board runs, and its port ('port = ...')");
    if (errnum == ETIMEDOUT)
        return err_hint(err, "check that the board is on and connected, or set 'timeout = SECONDS' to more than %d s",
                        target->timeout);
    return err_hint(err, "check that this machine and the board are on the same network");
}

int ssh_socket_open(const struct ssh_target *target, bool may_interrupt, int *ret_fd, struct err *err)
{
    struct addrinfo *addresses = NULL;
    char text[INET6_ADDRSTRLEN] = "";
    int errnum = ENOENT, result;

    result = resolve(target, may_interrupt, ssh_now_ns() + target->timeout * SSH_NS_PER_SECOND, &addresses, err);
    if (result != 0)
        return result;
    for (const struct addrinfo *a = addresses; a != NULL; a = a->ai_next) {
        errnum = connect_address(a, target, may_interrupt, ret_fd, err);
        if (errnum <= 0)
            break;
        if (getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0)
            snprintf(text, sizeof text, "?");
    }
    if (errnum > 0)
        result = cannot_connect(target, text, errnum, err);
    else if (errnum < 0)
        result = err_status(err);
    freeaddrinfo(addresses);
    return result;
}
