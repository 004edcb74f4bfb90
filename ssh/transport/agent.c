/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the user's agent, and what it answers. */
#include "ssh/transport/agent.h"

#include "base/clock.h"
#include "base/progress.h"
#include "ssh/transport.h"
#include "ssh/transport/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LIST_SECONDS 5
#define NS_PER_SECOND INT64_C(1000000000)
#define TICK_MS 200
#define LIST_HEAD 5 /* bytes before the first key */

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
        if (n == 0 || (errno != EAGAIN && errno != EINTR) || interrupted() || clock_now_ns() > deadline_ns)
            return false;
        poll(&ready, 1, TICK_MS);
    }
    return true;
}

/* One question and its answer (malloc, without the length in front). */
static bool ask(int fd, unsigned char *question, size_t length, int seconds, struct bytes *ret)
{
    int64_t deadline = clock_now_ns() + seconds * NS_PER_SECOND;
    unsigned char head[4], *answer;
    uint64_t answer_length;

    bytes_store(question, 4, true, length - 4);
    if (!transfer(fd, question, length, true, deadline) || !transfer(fd, head, sizeof head, false, deadline))
        return false;
    answer_length = bytes_load(head, 4, true);
    if (answer_length < 1 || answer_length > AGENT_MESSAGE_LIMIT)
        return false;
    answer = malloc((size_t)answer_length);
    if (answer == NULL || !transfer(fd, answer, (size_t)answer_length, false, deadline)) {
        free(answer);
        return false;
    }
    *ret = (struct bytes){answer, (size_t)answer_length};
    return true;
}

/* Whether the server may be asked about a key: certificates and keys in hardware are not. */
static bool is_usable(const struct bytes *blob)
{
    char type[64];

    wire_key_type(blob, type, sizeof type);
    return type[0] != '\0' && strstr(type, "-cert-") == NULL && strncmp(type, "sk-", 3) != 0;
}

/* Keeps those keys of the agent's list that are to be tried. */
static void take_keys(struct agent *agent, const struct bytes *answer, size_t most)
{
    struct bytes blob, comment;
    unsigned char *list = calloc(1, answer->length + LIST_HEAD);
    size_t at = LIST_HEAD, before = at, length = LIST_HEAD;

    if (list == NULL || answer->length < at || answer->data[0] != AGENT_IDENTITIES_ANSWER) {
        free(list);
        return;
    }
    for (; agent->count < most && wire_read_text(answer, &at, &blob) && wire_read_text(answer, &at, &comment);
         before = at) {
        if (!is_usable(&blob))
            continue;
        memcpy(list + length, answer->data + before, at - before);
        length += at - before;
        agent->count++;
    }
    list[0] = AGENT_IDENTITIES_ANSWER;
    bytes_store(list + 1, 4, true, agent->count);
    agent->list = (struct bytes){list, length};
}

bool agent_open(struct agent *agent, size_t most)
{
    const char *path = getenv("SSH_AUTH_SOCK");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    unsigned char question[5] = {[4] = AGENT_REQUEST_IDENTITIES};
    struct bytes answer;

    *agent = (struct agent){.fd = -1, .at = LIST_HEAD};
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

bool agent_next_key(struct agent *agent, struct bytes *ret)
{
    struct bytes comment;

    return wire_read_text(&agent->list, &agent->at, ret) && wire_read_text(&agent->list, &agent->at, &comment);
}

void agent_hang_up(struct agent *agent)
{
    shutdown(agent->fd, SHUT_RDWR);
}

bool agent_ask_to_sign(struct agent *agent, unsigned char *question, size_t length, struct bytes *ret)
{
    if (ask(agent->fd, question, length, TRANSPORT_AGENT_SECONDS, ret))
        return true;
    agent_hang_up(agent); /* an answer that comes late would be taken for that to the next question */
    return false;
}

void agent_close(struct agent *agent)
{
    if (agent->fd >= 0)
        close(agent->fd);
    free((void *)(uintptr_t)agent->list.data);
    *agent = (struct agent){.fd = -1};
}
