/* SPDX-License-Identifier: Apache-2.0 */

#include "base/progress.h"
#include "ssh/session/internal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define AGENT_SIGN_SECONDS 120
#define MESSAGE_LIMIT ((size_t)256 * 1024)
#define LIST_SECONDS 5
#define TICK_MS 200

enum { /* numbers of the protocol's messages */
       AGENT_FAILURE = 5,
       REQUEST_IDENTITIES = 11,
       IDENTITIES_ANSWER = 12,
       SIGN_REQUEST = 13,
};

/* Sends or receives length bytes; false when the agent hangs up, is too slow, or an interrupt comes. */
static bool transfer(int fd, unsigned char *bytes, size_t length, bool sends, int64_t deadline_ns)
{
    while (length > 0) {
        struct pollfd ready = {.fd = fd, .events = sends ? POLLOUT : POLLIN};
        ssize_t n = sends ? send(fd, bytes, length, MSG_NOSIGNAL) : recv(fd, bytes, length, 0);

        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR) || interrupted() || ssh_now_ns() > deadline_ns)
            return false;
        poll(&ready, 1, TICK_MS);
    }
    return true;
}

/* One question and its answer (malloc, without the length in front). */
static bool ask(int fd, unsigned char *question, size_t length, int seconds, struct bytes *ret)
{
    int64_t deadline = ssh_now_ns() + seconds * SSH_NS_PER_SECOND;
    unsigned char head[4], *answer;
    uint64_t answer_length;

    bytes_store(question, 4, true, length - 4);
    if (!transfer(fd, question, length, true, deadline) || !transfer(fd, head, sizeof head, false, deadline))
        return false;
    answer_length = bytes_load(head, 4, true);
    if (answer_length < 1 || answer_length > MESSAGE_LIMIT)
        return false;
    answer = malloc((size_t)answer_length);
    if (answer == NULL || !transfer(fd, answer, (size_t)answer_length, false, deadline)) {
        free(answer);
        return false;
    }
    *ret = (struct bytes){answer, (size_t)answer_length};
    return true;
}

/* A string at *at, stepping over it. */
static bool read_string(const struct bytes *message, size_t *at, struct bytes *ret)
{
    uint64_t length;

    if (!bytes_read(message, *at, 4, true, &length) || length > message->length - *at - 4)
        return false;
    *ret = (struct bytes){message->data + *at + 4, (size_t)length};
    *at += 4 + (size_t)length;
    return true;
}

/* Whether the server may be asked about a key: certificates and keys in hardware are not. */
static bool is_usable(const struct bytes *blob)
{
    char type[64];

    known_hosts_key_type(blob->data, blob->length, type, sizeof type);
    return type[0] != '\0' && strstr(type, "-cert-") == NULL && strncmp(type, "sk-", 3) != 0;
}

/* Keeps those keys of the agent's list that are to be tried. */
static void take_keys(struct agent *agent, const struct bytes *answer, size_t most)
{
    const size_t head = 5;
    struct bytes blob, comment;
    unsigned char *list = calloc(1, answer->length + head);
    size_t at = head, before = at, length = head;

    if (list == NULL || answer->length < at || answer->data[0] != IDENTITIES_ANSWER) {
        free(list);
        return;
    }
    for (; agent->count < most && read_string(answer, &at, &blob) && read_string(answer, &at, &comment); before = at) {
        if (!is_usable(&blob))
            continue;
        memcpy(list + length, answer->data + before, at - before);
        length += at - before;
        agent->count++;
    }
    list[0] = IDENTITIES_ANSWER;
    bytes_store(list + 1, 4, true, agent->count);
    agent->list = (struct bytes){list, length};
}

bool agent_open(struct agent *agent, size_t most)
{
    const char *path = getenv("SSH_AUTH_SOCK");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    unsigned char question[5] = {[4] = REQUEST_IDENTITIES};
    struct bytes answer;

    *agent = (struct agent){.fd = -1, .served = -1};
    if (path == NULL || path[0] == '\0' || strlen(path) >= sizeof address.sun_path)
        return false;
    memcpy(address.sun_path, path, strlen(path));
    agent->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (agent->fd < 0 || connect(agent->fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        !ask(agent->fd, question, sizeof question, LIST_SECONDS, &answer)) {
        agent_close(agent);
        return false;
    }
    take_keys(agent, &answer, most);
    free((void *)(uintptr_t)answer.data);
    return true;
}

/* Answers one question of libssh; false when that has hung up. */
static bool serve_one(struct agent *agent)
{
    unsigned char head[4], failure[1] = {AGENT_FAILURE}, *question;
    struct bytes answer = {failure, sizeof failure}, signature;
    uint64_t length;
    bool is_signed = false, is_sent = false;

    if (recv(agent->served, head, sizeof head, MSG_WAITALL) != (ssize_t)sizeof head)
        return false;
    length = bytes_load(head, 4, true);
    question = length >= 1 && length <= MESSAGE_LIMIT ? malloc(4 + (size_t)length) : NULL;
    if (question != NULL && recv(agent->served, question + 4, (size_t)length, MSG_WAITALL) == (ssize_t)length) {
        if (question[4] == REQUEST_IDENTITIES)
            answer = agent->list;
        else if (question[4] == SIGN_REQUEST)
            is_signed = ask(agent->fd, question, 4 + (size_t)length, AGENT_SIGN_SECONDS, &signature);
        if (is_signed)
            answer = signature;
        bytes_store(head, 4, true, answer.length);
        is_sent = send(agent->served, head, sizeof head, MSG_NOSIGNAL) == (ssize_t)sizeof head &&
                  send(agent->served, answer.data, answer.length, MSG_NOSIGNAL) == (ssize_t)answer.length;
    }
    if (is_signed)
        free((void *)(uintptr_t)signature.data);
    free(question);
    return is_sent;
}

static void *serve(void *arg)
{
    while (serve_one(arg))
        ;
    return NULL;
}

int agent_serve(struct agent *agent)
{
    int pair[2];

    if (agent->count == 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    agent->served = pair[0];
    if (pthread_create(&agent->thread, NULL, serve, agent) == 0)
        return pair[1];
    close(pair[0]);
    close(pair[1]);
    agent->served = -1;
    return -1;
}

void agent_close(struct agent *agent)
{
    if (agent->served >= 0) {
        shutdown(agent->served, SHUT_RDWR);
        pthread_join(agent->thread, NULL);
        close(agent->served);
    }
    if (agent->fd >= 0)
        close(agent->fd);
    free((void *)(uintptr_t)agent->list.data);
    *agent = (struct agent){.fd = -1, .served = -1};
}
