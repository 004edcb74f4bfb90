/* SPDX-License-Identifier: Apache-2.0 */
#include "features/page/loopback.h"
#include "base/clock.h"
#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONNECTIONS_MAX 16
#define REQUEST_MAX 8192 /* bytes of a request's line and headers */
#define REQUEST_MS 10000 /* until they are here */
#define IDLE_MS 30000    /* that who reads may pause */
#define LINGER_MS 30000  /* that the other side has for closing */
#define PIECE ((size_t)1024 * 1024)

enum stage { READING, SENDING, LINGERING };

struct connection {
    int fd; /* -1: free */
    enum stage stage;
    int64_t deadline_ms;
    char request[REQUEST_MAX];
    size_t received;
    char head[1024];
    size_t head_length, head_sent;
    const struct loopback_item *item; /* NULL: the head is all */
    int file;                         /* -1: none */
    size_t length, sent;              /* of the item */
};

struct server {
    int listener, port;
    const char *token;
    const struct loopback_item *items;
    size_t count;
    bool done;
    struct connection connections[CONNECTIONS_MAX];
};

static int64_t now_ms(void)
{
    return clock_now_ns() / 1000000;
}

/* ---- opening ---- */

int loopback_token(char ret[LOOPBACK_TOKEN_SIZE], struct err *err)
{
    unsigned char random[(LOOPBACK_TOKEN_SIZE - 1) / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return err_set_errno(err, errno, "cannot get random numbers for an address");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(ret + 2 * i, 3, "%02x", random[i]);
    return 0;
}

int loopback_open(int *port, struct err *err)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot create a socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, CONNECTIONS_MAX) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) < 0) {
        err_set_errno(err, errno, "cannot listen on 127.0.0.1, port %d", *port);
        close(fd);
        return err_status(err);
    }
    *port = ntohs(address.sin_port);
    return fd;
}

/* ---- requests ---- */

/* Begins an answer that is a status alone. */
static void answer_status(struct connection *connection, const char *status, const char *header)
{
    connection->item = NULL;
    connection->length = 0;
    connection->head_length = (size_t)snprintf(
        connection->head, sizeof connection->head,
        "HTTP/1.1 %s\r\n%sContent-Length: 0\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n", status, header);
}

/* ---- files below a directory ---- */

int loopback_open_below(int directory, const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    char name[NAME_MAX + 1];
    struct stat st;
    int fd = directory;

    for (const char *at = path; at != NULL;) {
        const size_t length = strspn(at, letters);
        const bool is_last = at[length] == '\0';
        if (length == 0 || length > NAME_MAX || at[0] == '.' || (!is_last && at[length] != '/')) {
            if (fd != directory)
                close(fd);
            return -1;
        }
        memcpy(name, at, length);
        name[length] = '\0';
        const int next = openat(
            fd, name, O_NOFOLLOW | O_CLOEXEC | (is_last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY));
        if (fd != directory)
            close(fd);
        if (next < 0)
            return -1;
        fd = next;
        at = is_last ? NULL : at + length + 1;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return -1;
}

/* By what browsers run or refuse: a script, a style or a module of another type is not loaded. */
static const char *type_of(const char *name)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".mjs", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".map", "application/json"},
                                           {".wasm", "application/wasm"},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"},
                                           {".ico", "image/x-icon"},
                                           {".woff2", "font/woff2"},
                                           {".txt", "text/plain; charset=utf-8"}};
    const char *end = strrchr(name, '.');

    for (size_t i = 0; end != NULL && i < sizeof types / sizeof *types; i++)
        if (strcmp(end, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

/* target: behind the name of the item; what stands behind '?' is for the script that asks. */
static int open_below(const struct loopback_item *item, const char *target, const char **ret_type)
{
    char path[PATH_MAX];
    const size_t length = strcspn(target, "?");

    if (length + sizeof "index.html" > sizeof path)
        return -1;
    memcpy(path, target, length);
    path[length] = '\0';
    if (length == 0 || path[length - 1] == '/')
        memcpy(path + length, "index.html", sizeof "index.html");
    *ret_type = type_of(path);
    return loopback_open_below(item->directory, path);
}

/* rest: of the target behind the name of the item. */
static void answer_item(struct connection *connection, const struct loopback_item *item, const char *rest)
{
    struct stat st = {.st_size = 0};
    const char *type = item->type;
    if (item->is_below)
        connection->file = open_below(item, rest, &type);
    else if (item->path != NULL)
        connection->file = open(item->path, O_RDONLY | O_CLOEXEC);
    const bool is_file = item->is_below || item->path != NULL;
    if (item->is_below && connection->file < 0) {
        answer_status(connection, "404 Not Found", "");
        return;
    }
    if (is_file && (connection->file < 0 || fstat(connection->file, &st) < 0)) {
        answer_status(connection, "500 Internal Server Error", "");
        return;
    }
    connection->item = item;
    connection->length = is_file ? (size_t)st.st_size : strlen(item->text);
    connection->head_length = (size_t)snprintf(
        connection->head, sizeof connection->head,
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s%s"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
        type, connection->length, item->policy != NULL ? "Content-Security-Policy: " : "",
        item->policy != NULL ? item->policy : "", item->policy != NULL ? "\r\n" : "");
}

/* Takes every byte into account, wherever the first difference is. */
static bool is_token(const char *text, const char *token)
{
    unsigned char difference = 0;
    for (size_t i = 0; i + 1 < LOOPBACK_TOKEN_SIZE; i++) {
        if (text[i] == '\0')
            return false;
        difference |= (unsigned char)(text[i] ^ token[i]);
    }
    return difference == 0;
}

/* *ret_rest: of the target behind the name of the item. */
static const struct loopback_item *find_item(const struct server *server, const char *target, const char **ret_rest)
{
    if (target[0] != '/' || !is_token(target + 1, server->token) || target[LOOPBACK_TOKEN_SIZE] != '/')
        return NULL;
    const char *name = target + LOOPBACK_TOKEN_SIZE + 1;
    for (size_t i = 0; i < server->count; i++) {
        const struct loopback_item *item = &server->items[i];
        const size_t length = strlen(item->name);
        *ret_rest = name + length;
        if (item->is_below ? strncmp(name, item->name, length) == 0 : strcmp(name, item->name) == 0)
            return item;
    }
    return NULL;
}

/* Whether the only Host is this server, so that no page of another name reaches it. */
static bool host_is_own(const char *headers, int port)
{
    char own[2][32];
    const char *found = NULL;
    snprintf(own[0], sizeof own[0], "127.0.0.1:%d", port);
    snprintf(own[1], sizeof own[1], "localhost:%d", port);
    for (const char *line = headers; *line != '\0'; line = strstr(line, "\r\n") + 2) {
        if (strncasecmp(line, "host:", 5) != 0)
            continue;
        if (found != NULL)
            return false;
        found = line + 5 + strspn(line + 5, " \t");
    }
    if (found == NULL)
        return false;
    const size_t length = strcspn(found, " \t\r");
    return (length == strlen(own[0]) && memcmp(found, own[0], length) == 0) ||
           (length == strlen(own[1]) && memcmp(found, own[1], length) == 0);
}

/* Answers a request whose headers are here: a text of lines. */
static void answer(const struct server *server, struct connection *connection)
{
    char *line_end = strstr(connection->request, "\r\n"), *target = strchr(connection->request, ' ');
    char *version = target != NULL ? strchr(target + 1, ' ') : NULL;
    const struct loopback_item *item;
    const char *rest;
    if (memchr(connection->request, '\0', connection->received) != NULL || version == NULL || version > line_end) {
        answer_status(connection, "400 Bad Request", "");
        return;
    }
    *line_end = '\0';
    *target++ = '\0';
    *version++ = '\0';
    if (strcmp(version, "HTTP/1.1") != 0)
        answer_status(connection, "505 HTTP Version Not Supported", "");
    else if (!host_is_own(line_end + 2, server->port))
        answer_status(connection, "403 Forbidden", "");
    else if (strcmp(connection->request, "GET") != 0)
        answer_status(connection, "405 Method Not Allowed", "Allow: GET\r\n");
    else if ((item = find_item(server, target, &rest)) == NULL)
        answer_status(connection, "404 Not Found", "");
    else
        answer_item(connection, item, rest);
}

/* ---- connections ---- */

static void release(struct connection *connection)
{
    if (connection->fd >= 0)
        close(connection->fd);
    if (connection->file >= 0)
        close(connection->file);
    connection->fd = connection->file = -1;
}

static void accept_one(struct server *server)
{
    struct connection *connection = server->connections;
    while (connection < server->connections + CONNECTIONS_MAX && connection->fd >= 0)
        connection++;
    if (connection == server->connections + CONNECTIONS_MAX)
        return;
    int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    memset(connection, 0, sizeof *connection);
    connection->fd = fd;
    connection->file = -1;
    connection->deadline_ms = now_ms() + REQUEST_MS;
}

static void read_request(const struct server *server, struct connection *connection)
{
    ssize_t got = read(connection->fd, connection->request + connection->received,
                       sizeof connection->request - 1 - connection->received);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        release(connection);
        return;
    }
    connection->received += (size_t)got;
    connection->request[connection->received] = '\0';
    char *end = strstr(connection->request, "\r\n\r\n");
    if (end != NULL) {
        end[2] = '\0';
        connection->received = (size_t)(end + 2 - connection->request);
        answer(server, connection);
    } else if (connection->received == sizeof connection->request - 1) {
        answer_status(connection, "431 Request Header Fields Too Large", "");
    } else {
        return;
    }
    connection->stage = SENDING;
    connection->deadline_ms = now_ms() + IDLE_MS;
}

/* Sends the next piece: its bytes, or -1 with errno set. */
static ssize_t send_piece(struct connection *connection)
{
    if (connection->head_sent < connection->head_length)
        return send(connection->fd, connection->head + connection->head_sent,
                    connection->head_length - connection->head_sent, MSG_NOSIGNAL);
    const size_t rest = connection->length - connection->sent, piece = rest < PIECE ? rest : PIECE;
    if (connection->file >= 0)
        return sendfile(connection->fd, connection->file, NULL, piece);
    return send(connection->fd, connection->item->text + connection->sent, piece, MSG_NOSIGNAL);
}

static bool is_sent(const struct connection *connection)
{
    return connection->head_sent == connection->head_length && connection->sent == connection->length;
}

static void send_answer(struct connection *connection)
{
    ssize_t sent = is_sent(connection) ? 0 : send_piece(connection);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (sent < 0 || (sent == 0 && !is_sent(connection))) { /* the reader is gone, or the file became shorter */
        release(connection);
        return;
    }
    if (connection->head_sent < connection->head_length)
        connection->head_sent += (size_t)sent;
    else
        connection->sent += (size_t)sent;
    connection->deadline_ms = now_ms() + IDLE_MS;
    if (!is_sent(connection))
        return;
    shutdown(connection->fd, SHUT_WR);
    connection->stage = LINGERING;
    connection->deadline_ms = now_ms() + LINGER_MS;
}

/* Whether the other side's system has everything that was sent. */
static bool is_acknowledged(const struct connection *connection)
{
    int left = 0;
    return ioctl(connection->fd, SIOCOUTQ, &left) == 0 && left == 0;
}

/* Waits until the other side has read everything: closing earlier could cut it off. One that closes with bytes that it
 * did not read resets the connection, and one that never closes may have read nothing: neither has fetched the item. */
static void linger(struct server *server, struct connection *connection, bool late)
{
    char rest[512];
    ssize_t got = late ? -1 : read(connection->fd, rest, sizeof rest);
    if (!late && (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))))
        return;
    const bool is_fetched = got == 0 && is_acknowledged(connection);
    server->done |= is_fetched && connection->item != NULL && connection->item->last;
    release(connection);
}

static void attend(struct server *server, struct connection *connection, bool ready)
{
    const bool late = now_ms() >= connection->deadline_ms;
    if (connection->stage == LINGERING && (ready || late))
        linger(server, connection, late);
    else if (late)
        release(connection);
    else if (ready && connection->stage == READING)
        read_request(server, connection);
    else if (ready)
        send_answer(connection);
}

/* Waits for the next event, a second at most. */
static void wait_and_attend(struct server *server)
{
    enum { SECOND_MS = 1000 };
    struct pollfd polled[CONNECTIONS_MAX + 1];
    size_t used = 0;
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        const struct connection *connection = &server->connections[i];
        polled[i] = (struct pollfd){.fd = connection->fd, .events = connection->stage == SENDING ? POLLOUT : POLLIN};
        used += connection->fd >= 0;
    }
    polled[CONNECTIONS_MAX] = (struct pollfd){.fd = used < CONNECTIONS_MAX ? server->listener : -1, .events = POLLIN};
    if (poll(polled, CONNECTIONS_MAX + 1, SECOND_MS) < 0)
        return;
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (server->connections[i].fd >= 0)
            attend(server, &server->connections[i], polled[i].revents != 0);
    }
    if (polled[CONNECTIONS_MAX].revents != 0)
        accept_one(server);
}

int loopback_serve(int fd, int port, const char *token, const struct loopback_item *items, size_t count,
                   struct err *err)
{
    SCOPED_FREE struct server *server = scoped_memory(1, sizeof *server);
    if (server == NULL) {
        close(fd);
        return err_set(err, ERR_NO_MEMORY, "out of memory for a server");
    }
    *server = (struct server){.listener = fd, .port = port, .token = token, .items = items, .count = count};
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        server->connections[i].fd = server->connections[i].file = -1;
    while (!server->done && !interrupted())
        wait_and_attend(server);
    int status = server->done ? 0 : interrupt_error(err);
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        release(&server->connections[i]);
    close(fd);
    return status;
}
