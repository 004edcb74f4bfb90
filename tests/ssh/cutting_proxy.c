/* SPDX-License-Identifier: Apache-2.0 */
/* A TCP proxy that cuts connections: cutting-proxy PORT TARGET-PORT CUT...
 *
 * Listens on 127.0.0.1 and passes each connection on. The n-th connection is cut after the n-th CUT: so many bytes from
 * the server, "up:" and so many bytes from the client, "file:" and a path: when that exists, "hold:" and a path: then,
 * too, but the server is not told, or "-": never. Connections beyond the list are not cut. Prints "ready" when it
 * listens; ends on SIGTERM. One connection at a time, as collect makes them. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_SIZE 65536

struct cut {
    long long down, up; /* -1: no limit */
    const char *file;   /* NULL: none */
    bool holds;
};

static struct cut parse_cut(const char *text)
{
    struct cut cut = {-1, -1, NULL, strncmp(text, "hold:", 5) == 0};

    if (strncmp(text, "up:", 3) == 0)
        cut.up = strtoll(text + 3, NULL, 10);
    else if (strncmp(text, "file:", 5) == 0 || cut.holds)
        cut.file = text + 5;
    else if (strcmp(text, "-") != 0)
        cut.down = strtoll(text, NULL, 10);
    return cut;
}

static int make_socket(int port, bool listens)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (listens ? bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 8) == 0
                : connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    perror("cutting-proxy");
    close(fd);
    return -1;
}

/* Passes what is there on; false at the end of the connection, or when the limit is used up. */
static bool pass(int from, int to, long long *left)
{
    static char buffer[BUFFER_SIZE];
    size_t wanted = *left >= 0 && *left < BUFFER_SIZE ? (size_t)*left : BUFFER_SIZE;
    ssize_t n = wanted > 0 ? read(from, buffer, wanted) : 0;

    for (ssize_t sent = 0; sent < n;) {
        ssize_t m = send(to, buffer + sent, (size_t)(n - sent), MSG_NOSIGNAL);

        if (m <= 0)
            return false;
        sent += m;
    }
    if (*left > 0 && n > 0)
        *left -= n;
    return n > 0 && *left != 0;
}

static void serve(int client, int target_port, struct cut cut)
{
    int server = make_socket(target_port, false);
    struct pollfd ends[2] = {{.fd = client, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    bool open = server >= 0;

    while (open) {
        if (poll(ends, 2, 20) < 0)
            break;
        if (ends[0].revents != 0)
            open = pass(client, server, &cut.up);
        if (open && ends[1].revents != 0)
            open = pass(server, client, &cut.down);
        if (cut.file != NULL && access(cut.file, F_OK) == 0)
            open = false;
    }
    if (server >= 0 && !cut.holds)
        close(server);
    close(client);
}

int main(int argc, char **argv)
{
    int listener, target_port;

    if (argc < 3)
        return 2;
    target_port = atoi(argv[2]);
    listener = make_socket(atoi(argv[1]), true);
    if (listener < 0)
        return 1;
    puts("ready");
    fflush(stdout);
    for (int i = 3;; i++) {
        int client = accept(listener, NULL, NULL);

        if (client < 0)
            return 1;
        serve(client, target_port, i < argc ? parse_cut(argv[i]) : parse_cut("-"));
    }
}
