/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/session/agent.h"

#include "base/bytes.h"
#include "base/progress.h"
#include "ssh/session/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MESSAGE_LIMIT ((size_t)256 * 1024)
#define LIST_SECONDS 5
#define TICK_MS 200

enum { /* numbers of the protocol's messages */
       REQUEST_IDENTITIES = 11,
       IDENTITIES_ANSWER = 12,
       SIGN_REQUEST = 13,
       SIGN_RESPONSE = 14,
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

static void take_keys(struct agent *agent, const struct bytes *answer)
{
    struct bytes blob, comment;
    size_t at = 5;

    if (answer->length < at || answer->data[0] != IDENTITIES_ANSWER)
        return;
    while (agent->count < AGENT_MAX_KEYS && read_string(answer, &at, &blob) && read_string(answer, &at, &comment)) {
        struct agent_key *key = &agent->keys[agent->count];

        if (blob.length == 0)
            continue;
        key->blob = malloc(blob.length);
        if (key->blob == NULL)
            return;
        memcpy(key->blob, blob.data, blob.length);
        key->length = blob.length;
        agent->count++;
    }
}

bool agent_open(struct agent *agent)
{
    const char *path = getenv("SSH_AUTH_SOCK");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    unsigned char question[5] = {[4] = REQUEST_IDENTITIES};
    struct bytes answer;

    *agent = (struct agent){.fd = -1};
    if (path == NULL || path[0] == '\0' || strlen(path) >= sizeof address.sun_path)
        return false;
    memcpy(address.sun_path, path, strlen(path));
    agent->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (agent->fd < 0 || connect(agent->fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        !ask(agent->fd, question, sizeof question, LIST_SECONDS, &answer)) {
        agent_close(agent);
        return false;
    }
    take_keys(agent, &answer);
    free((void *)(uintptr_t)answer.data);
    return true;
}

void agent_close(struct agent *agent)
{
    if (agent->fd >= 0)
        close(agent->fd);
    for (size_t i = 0; i < agent->count; i++)
        free(agent->keys[i].blob);
    *agent = (struct agent){.fd = -1};
}

/* The raw signature out of "string(string type, string signature)". */
static bool take_signature(const struct bytes *answer, unsigned char **ret, size_t *ret_length)
{
    struct bytes both, type, signature;
    size_t at = 1, inner = 0;

    if (answer->data[0] != SIGN_RESPONSE || !read_string(answer, &at, &both) || !read_string(&both, &inner, &type) ||
        !read_string(&both, &inner, &signature) || signature.length == 0)
        return false;
    *ret = malloc(signature.length);
    if (*ret == NULL)
        return false;
    memcpy(*ret, signature.data, signature.length);
    *ret_length = signature.length;
    return true;
}

bool agent_sign(struct agent *agent, const struct agent_key *key, const unsigned char *data, size_t length,
                unsigned char **ret, size_t *ret_length)
{
    size_t size = 4 + 1 + 4 + key->length + 4 + length + 4;
    unsigned char *question, *p;
    struct bytes answer;
    bool done = false;

    if (length > MESSAGE_LIMIT || key->length > MESSAGE_LIMIT)
        return false;
    question = calloc(1, size); /* the flags at its end stay 0 */
    if (question == NULL)
        return false;
    question[4] = SIGN_REQUEST;
    p = question + 5;
    bytes_store(p, 4, true, key->length);
    memcpy(p + 4, key->blob, key->length);
    p += 4 + key->length;
    bytes_store(p, 4, true, length);
    memcpy(p + 4, data, length);
    if (ask(agent->fd, question, size, AGENT_SIGN_SECONDS, &answer)) {
        done = take_signature(&answer, ret, ret_length);
        free((void *)(uintptr_t)answer.data);
    }
    free(question);
    return done;
}
