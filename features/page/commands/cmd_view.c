/* SPDX-License-Identifier: Apache-2.0 */
/* msprof view: a capture in the browser. */
#include "base/clock.h"
#include "base/err.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/options/options.h"
#include "db/database.h"
#include "exporters/export.h"
#include "features/page/report_page.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A web server for one reader on this machine: HTTP/1.1 on 127.0.0.1, paths below a token that nobody can guess, GET
 * only, few connections, each with little time. It ends when the last item was fetched. */

#define LOOPBACK_TOKEN_SIZE 33 /* 128 bits in hexadecimal digits */

struct loopback_item {
    const char *name;   /* behind "/<token>/"; "" is allowed */
    const char *type;   /* its Content-Type */
    const char *policy; /* its Content-Security-Policy; NULL: what it says itself */
    const char *path;   /* a file; NULL: text */
    const char *text;
    bool last; /* when it was sent whole the work is done */
};

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

/* A random token; 0 or -code. */
static int loopback_token(char ret[LOOPBACK_TOKEN_SIZE], struct err *err)
{
    unsigned char random[(LOOPBACK_TOKEN_SIZE - 1) / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return err_set_errno(err, errno, "cannot get random numbers for an address");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(ret + 2 * i, 3, "%02x", random[i]);
    return 0;
}

/* Opens the socket; *port: 0 for any, is set to the one that it is. A descriptor, or -code. */
static int loopback_open(int *port, struct err *err)
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
        err_hint(err, "omit --port to use a free port");
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

static void answer_item(struct connection *connection, const struct loopback_item *item)
{
    struct stat st = {.st_size = 0};
    connection->file = item->path != NULL ? open(item->path, O_RDONLY | O_CLOEXEC) : -1;
    if (item->path != NULL && (connection->file < 0 || fstat(connection->file, &st) < 0)) {
        answer_status(connection, "500 Internal Server Error", "");
        return;
    }
    connection->item = item;
    connection->length = item->path != NULL ? (size_t)st.st_size : strlen(item->text);
    connection->head_length = (size_t)snprintf(
        connection->head, sizeof connection->head,
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s%s"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
        item->type, connection->length, item->policy != NULL ? "Content-Security-Policy: " : "",
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

static const struct loopback_item *find_item(const struct server *server, const char *target)
{
    if (target[0] != '/' || !is_token(target + 1, server->token) || target[LOOPBACK_TOKEN_SIZE] != '/')
        return NULL;
    for (size_t i = 0; i < server->count; i++) {
        if (strcmp(target + LOOPBACK_TOKEN_SIZE + 1, server->items[i].name) == 0)
            return &server->items[i];
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
    else if (find_item(server, target) == NULL)
        answer_status(connection, "404 Not Found", "");
    else
        answer_item(connection, find_item(server, target));
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

/* Serves until the last item was sent: 0; -ERR_INTERRUPTED. Closes fd. */
static int loopback_serve(int fd, int port, const char *token, const struct loopback_item *items, size_t count,
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

#define VIEWER_DEFAULT "https://ui.perfetto.dev"
#define PAGE_MAX ((size_t)64 * 1024)

/* A capture that is shown. */
struct viewing {
    const struct settings *settings;
    char *directory; /* of our own, removed at the end; NULL: none */
    char *file;      /* in it: the page, or the largest timeline */
    off_t size;
    char *name; /* of the capture */
};

/* ---- files ---- */

static int make_directory(struct viewing *viewing, struct err *err)
{
    const char *temporary = temporary_parent();
    char *directory = path_join(temporary, "msprof-view.XXXXXX");
    if (directory == NULL)
        return err_no_memory(err);
    if (mkdtemp(directory) == NULL) {
        err_set_errno(err, errno, "cannot make a directory in '%s'", temporary);
        free(directory);
        return err_status(err);
    }
    viewing->directory = directory;
    return 0;
}

/* Told of each timeline; keeps the largest: the one of everything. */
static void take_file(void *arg, const char *report, const char *path)
{
    struct viewing *viewing = arg;
    struct stat st;
    const char *gone = path;
    (void)report;
    if (stat(path, &st) == 0 && (viewing->file == NULL || st.st_size >= viewing->size)) {
        char *copy = strdup(path);
        if (copy != NULL) {
            gone = viewing->file;
            if (gone != NULL)
                unlink(gone);
            free(viewing->file);
            viewing->file = copy;
            viewing->size = st.st_size;
            return;
        }
    }
    unlink(gone);
}

static void remove_files(struct viewing *viewing)
{
    if (viewing->file != NULL)
        unlink(viewing->file);
    if (viewing->directory != NULL)
        rmdir(viewing->directory);
    free(viewing->directory);
    free(viewing->file);
    free(viewing->name);
}

static int write_timeline(const struct capture_visit *visit, struct viewing *viewing, sqlite3 *db, struct err *err)
{
    struct export_result result = {0};
    int cann_version = 0;
    if (capture_names_version(visit->settings, db, NULL, visit->shown, &cann_version, err) < 0)
        return err_status(err);
    const struct export_options options = {
        .database = visit->database,
        .directory = viewing->directory,
        .model_id = -1,
        .cann_version = cann_version,
        .trace_format = TRACE_PFTRACE_RAW,
        .written = take_file,
        .written_arg = viewing,
        .progress = console_progress(),
    };
    int status = export_timeline(db, &options, &result, err);
    console_progress_end();
    if (status < 0)
        return status;
    if (viewing->file == NULL)
        return err_set(err, ERR_NOT_FOUND, "'%s' has no data for a timeline", visit->shown);
    return 0;
}

static int write_page(const struct capture_visit *visit, struct viewing *viewing, sqlite3 *db, struct err *err)
{
    const struct html_capture capture = {.name = viewing->name, .database = visit->database};
    struct html_report *page = NULL;
    viewing->file = path_join(viewing->directory, "report.html");
    if (viewing->file == NULL)
        return err_no_memory(err);
    const struct html_options options = {
        .path = viewing->file, .title = viewing->name, .version = MSPROF_VERSION, .captures = 1};
    if (html_report_open(&options, &page, err) < 0)
        return err_status(err);
    int status = html_report_add(page, db, &capture, err);
    return html_report_close(page, status, err);
}

static int view_database(struct capture_visit *visit, sqlite3 *db)
{
    struct viewing *viewing = visit->context;
    struct err err = ERR_INIT;

    viewing->name = strdup(path_name(visit->directory));
    int result = viewing->name == NULL ? err_no_memory(&err) : make_directory(viewing, &err);
    if (result == 0)
        result = viewing->settings->view.report ? write_page(visit, viewing, db, &err)
                                                : write_timeline(visit, viewing, db, &err);
    if (result == 0)
        return STATUS_DONE;
    err_wrap(&err, "cannot show '%s'", visit->shown);
    return visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

/* ---- the page that hands the trace to the viewer ---- */

static void add_html(struct strbuf *page, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (strchr("<>&\"'", *p) != NULL || *p < ' ')
            strbuf_addf(page, "&#%u;", *p);
        else
            strbuf_addc(page, (char)*p);
    }
}

/* The viewer answers PONG to PING as soon as it listens, and then takes the trace. */
static const char script[] =
    "'use strict';\n"
    "const viewer = document.body.dataset.viewer, origin = new URL(viewer).origin;\n"
    "const state = document.getElementById('state'), button = document.getElementById('open');\n"
    "let buffer = null;\n"
    "function show() {\n"
    "  const view = window.open(viewer);\n"
    "  button.hidden = false;\n"
    "  if (view === null) {\n"
    "    state.textContent = 'The browser opened no window: press the button.';\n"
    "    return;\n"
    "  }\n"
    "  state.textContent = 'Waiting for ' + origin + ' ...';\n"
    "  const timer = setInterval(() => view.postMessage('PING', origin), 50);\n"
    "  addEventListener('message', function give(event) {\n"
    "    if (event.source !== view || event.origin !== origin || event.data !== 'PONG') return;\n"
    "    clearInterval(timer);\n"
    "    removeEventListener('message', give);\n"
    "    view.postMessage({perfetto: {buffer, title: document.title, keepApiOpen: false}}, origin);\n"
    "    state.textContent = 'The other window has the trace; this one may be closed.';\n"
    "  });\n"
    "}\n"
    "button.addEventListener('click', show);\n"
    "fetch('trace').then(answer => {\n"
    "  if (!answer.ok) throw new Error(answer.status);\n"
    "  return answer.arrayBuffer();\n"
    "}).then(bytes => { buffer = bytes; show(); },\n"
    "        error => { state.textContent = 'The trace did not come: ' + error.message; });\n";

static char *make_page(const struct viewing *viewing, const char *viewer, const char *nonce)
{
    struct strbuf page;
    strbuf_init(&page, PAGE_MAX);
    strbuf_adds(&page, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    add_html(&page, viewing->name);
    strbuf_addf(&page,
                "</title>\n<style nonce=\"%s\">body { font: 1rem/1.5 system-ui, sans-serif; margin: 3rem auto; "
                "max-width: 40rem; padding: 0 1rem; color-scheme: light dark }</style>\n<body data-viewer=\"",
                nonce);
    add_html(&page, viewer);
    strbuf_adds(&page, "\">\n<h1>");
    add_html(&page, viewing->name);
    strbuf_addf(
        &page,
        "</h1>\n<p id=\"state\" role=\"status\">Reading the trace ...</p>\n"
        "<p><button id=\"open\" hidden>Open the viewer</button></p>\n"
        "<noscript><p>Without scripts: save <a href=\"trace\">the trace</a> and open it in the viewer.</p></noscript>\n"
        "<script nonce=\"%s\">\n%s</script>\n</body>\n</html>\n",
        nonce, script);
    return strbuf_detach(&page);
}

/* "https://host[:port][/path]", of characters that mean nothing in HTML. */
static bool is_address(const char *text)
{
    const size_t scheme = strncmp(text, "https://", 8) == 0 ? 8 : strncmp(text, "http://", 7) == 0 ? 7 : 0;
    return scheme > 0 && text[scheme] != '\0' &&
           text[scheme + strspn(text + scheme,
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?=%#!")] == '\0';
}

/* ---- the browser ---- */

/* Whether a program that opens addresses was started. */
static bool open_browser(const char *address)
{
    char *argv[] = {(char[]){"xdg-open"}, strdup(address), NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (argv[1] == NULL || posix_spawn_file_actions_init(&actions) != 0) {
        free(argv[1]);
        return false;
    }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool started = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(argv[1]);
    return started;
}

static void tell_address(const struct settings *settings, const char *address, int port)
{
    const bool display = console_has_variable("DISPLAY") || console_has_variable("WAYLAND_DISPLAY");
    printf("%s\n", address);
    fflush(stdout);
    if (!settings->view.no_browser && display && open_browser(address))
        return;
    console_note("open this address in a browser on this machine; it works once");
    if (!display)
        console_note("from another machine: ssh -N -L %d:127.0.0.1:%d THIS-MACHINE, and the same address there", port,
                     port);
}

static int serve(struct viewing *viewing, struct err *err)
{
    const struct settings *settings = viewing->settings;
    const char *viewer = settings->view.viewer != NULL ? settings->view.viewer : VIEWER_DEFAULT;
    char token[LOOPBACK_TOKEN_SIZE], nonce[LOOPBACK_TOKEN_SIZE], policy[256], address[128];
    int port = settings->view.port;
    if (loopback_token(token, err) < 0 || loopback_token(nonce, err) < 0)
        return err_status(err);
    snprintf(policy, sizeof policy,
             "default-src 'none'; connect-src 'self'; script-src 'nonce-%s'; style-src 'nonce-%s'; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'",
             nonce, nonce);
    SCOPED_FREE char *page = settings->view.report ? NULL : make_page(viewing, viewer, nonce);
    if (!settings->view.report && page == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a page");
    const struct loopback_item report[] = {
        {.name = "", .type = "text/html; charset=utf-8", .path = viewing->file, .last = true}};
    const struct loopback_item trace[] = {
        {.name = "", .type = "text/html; charset=utf-8", .policy = policy, .text = page},
        {.name = "trace", .type = "application/octet-stream", .path = viewing->file, .last = true}};
    int fd = loopback_open(&port, err);
    if (fd >= 0) {
        snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", port, token);
        tell_address(settings, address, port);
    }
    return fd < 0                  ? fd
           : settings->view.report ? loopback_serve(fd, port, token, report, sizeof report / sizeof *report, err)
                                   : loopback_serve(fd, port, token, trace, sizeof trace / sizeof *trace, err);
}

static int run_view(const struct settings *settings)
{
    struct viewing viewing = {.settings = settings};
    struct err err = ERR_INIT;
    if (settings->view.viewer != NULL && !is_address(settings->view.viewer))
        return console_fail(ERR_USAGE, "as in " VIEWER_DEFAULT, "--viewer '%s' is not an address",
                            settings->view.viewer);
    int status = captures_query(settings, &settings->captures, visit_open_prepared, view_database, &viewing);
    if (viewing.file != NULL && (status == STATUS_DONE || status == STATUS_DATA_PROBLEMS) && serve(&viewing, &err) < 0)
        status = status_worse(status, console_error(&err));
    remove_files(&viewing);
    return status;
}

const struct command command_view = {
    .path = "view",
    .parent = COMMAND_ROOT,
    .order = 160,
    .imports = true,
    .summary = "show the timeline or the report in the browser",
    .description =
        "Serves the timeline of a capture once to the browser on this machine and opens it in\nui.perfetto.dev. The "
        "timeline never leaves this machine. Exits when the browser has fetched\nit.\n",
    .needs_capture = true,
    .takes_one = true,
    EXAMPLES({"the timeline, in ui.perfetto.dev", "msprof view JOBX"},
             {"the page of 'msprof report'", "msprof view JOBX --report"},
             {"on a machine without a display, for 'ssh -L 8000:127.0.0.1:8000'", "msprof view JOBX --port 8000"}),
    .run = run_view,
};
