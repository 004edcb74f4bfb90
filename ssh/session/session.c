/* SPDX-License-Identifier: Apache-2.0 */
/* Base of one libssh2 session: memory, the socket, waiting, errors. */
#include "ssh/session/internal.h"

#include "base/progress.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TICK_MS 200
#define TICKS_PER_SECOND (1000 / TICK_MS)
#define MOST_KEEPALIVE_SECONDS 10
#define QUEUE_CONGESTED ((size_t)1024 * 1024)
#define MOST_FREE_ROUNDS 10000
#define QUEUE_LIMIT ((size_t)64 * 1024 * 1024)

static bool is_authenticating(void **abstract)
{
    const struct ssh_connection *connection = *abstract;

    return connection->authentication == NULL;
}

/* A packet of data is a block that libssh2 allocates, fills and frees; malloc would give its pages back and fault them
 * in again each time: half a second of processor time a gigabyte. */
static void *spoilt_without(void *block, void **abstract)
{
    struct ssh_connection *connection = *abstract;

    if (block == NULL)
        connection->spoilt = connection->lost = true;
    return block;
}

static void *session_alloc(size_t size, void **abstract)
{
    struct packet_blocks *blocks = &((struct ssh_connection *)*abstract)->blocks;

    if (size < PACKET_BLOCK_SIZE / 4 || size > PACKET_BLOCK_SIZE)
        return spoilt_without(malloc(size), abstract);
    return blocks->count > 0 ? blocks->kept[--blocks->count] : spoilt_without(malloc(PACKET_BLOCK_SIZE), abstract);
}

/* Secrets pass through libssh2's packets while the user is authenticated: nothing that it frees keeps its content. */
static void session_free(void *block, void **abstract)
{
    struct packet_blocks *blocks = &((struct ssh_connection *)*abstract)->blocks;
    size_t size = block != NULL ? malloc_usable_size(block) : 0;

    if (block != NULL && is_authenticating(abstract))
        explicit_bzero(block, size);
    if (size >= PACKET_BLOCK_SIZE && size < 2 * PACKET_BLOCK_SIZE && blocks->count < MOST_PACKET_BLOCKS)
        blocks->kept[blocks->count++] = block;
    else
        free(block);
}

static void free_blocks(struct packet_blocks *blocks)
{
    while (blocks->count > 0)
        free(blocks->kept[--blocks->count]);
}

static void *session_realloc(void *block, size_t size, void **abstract)
{
    size_t before;
    void *grown;

    if (block == NULL || !is_authenticating(abstract))
        return spoilt_without(realloc(block, size), abstract);
    grown = spoilt_without(malloc(size), abstract);
    if (grown == NULL)
        return NULL;
    before = malloc_usable_size(block);
    memcpy(grown, block, before < size ? before : size);
    session_free(block, abstract);
    return grown;
}

/* Gives the socket what it takes; 0 or an errno (EAGAIN: not all). */
static int queue_flush(struct ssh_connection *connection)
{
    struct send_queue *queue = &connection->queue;

    while (queue->length > 0) {
        ssize_t n = send(connection->fd, queue->data + queue->start, queue->length, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        queue->start += (size_t)n;
        queue->length -= (size_t)n;
    }
    queue->start = 0;
    return 0;
}

static bool queue_add(struct send_queue *queue, const void *bytes, size_t length)
{
    if (queue->start + queue->length + length > queue->capacity) {
        size_t capacity = queue->capacity > 0 ? queue->capacity : SSH_RECEIVE_SIZE;
        char *data;

        if (queue->length + length > QUEUE_LIMIT)
            return false;
        while (capacity < queue->length + length)
            capacity *= 2;
        data = malloc(capacity);
        if (data == NULL)
            return false;
        if (queue->length > 0)
            memcpy(data, queue->data + queue->start, queue->length);
        free(queue->data);
        *queue = (struct send_queue){.data = data, .length = queue->length, .capacity = capacity};
    }
    memcpy(queue->data + queue->start + queue->length, bytes, length);
    queue->length += length;
    return true;
}

static ssize_t send_bytes(libssh2_socket_t fd, const void *bytes, size_t length, int flags, void **abstract)
{
    struct ssh_connection *connection = *abstract;
    int errnum;

    (void)fd;
    (void)flags;
    if (!queue_add(&connection->queue, bytes, length))
        return -ENOMEM;
    errnum = queue_flush(connection);
    return errnum == 0 || errnum == EAGAIN ? (ssize_t)length : -errnum;
}

static ssize_t receive_bytes(libssh2_socket_t fd, void *buffer, size_t length, int flags, void **abstract)
{
    struct ssh_connection *connection = *abstract;
    struct receive_buffer *input = &connection->input;

    (void)flags;
    if (input->length == 0) {
        ssize_t n;

        /* libssh2 takes in all that there is before it hands anything on: told "no more" after each buffer, it does
         * not pile up more than the caches hold */
        if (input->is_spent) {
            input->is_spent = false;
            return -EAGAIN;
        }
        do
            n = recv(fd, input->data, SSH_RECEIVE_SIZE, 0);
        while (n < 0 && errno == EINTR);
        if (n == 0 || (n < 0 && errno != EAGAIN)) {
            input->has_ended = true;
            if (!input->end_is_due)
                return -EAGAIN;
        }
        if (n <= 0)
            return n < 0 ? -errno : 0;
        input->start = 0;
        input->length = (size_t)n;
        input->is_spent = n > 0;
        connection->silent_ticks = 0;
    }
    if (length > input->length)
        length = input->length;
    memcpy(buffer, input->data + input->start, length);
    input->start += length;
    input->length -= length;
    return (ssize_t)length;
}

bool ssh_send_is_congested(const struct ssh_connection *connection)
{
    return connection->queue.length > QUEUE_CONGESTED;
}

static int lost(struct ssh_connection *connection, struct err *err, const char *reason)
{
    connection->lost = true;
    err_set(err, ERR_REMOTE, "the connection to '%s' is lost: %s", connection->target.host, reason);
    return err_hint(err, "see that the board is still on and connected, then run the command again");
}

static int lost_errno(struct ssh_connection *connection, struct err *err, int errnum)
{
    const char *reason = strerrordesc_np(errnum);

    return lost(connection, err, reason != NULL ? reason : "unknown error");
}

int ssh_keepalive_seconds(const struct ssh_target *target)
{
    return target->timeout < MOST_KEEPALIVE_SECONDS ? target->timeout : MOST_KEEPALIVE_SECONDS;
}

int64_t ssh_deadline(const struct ssh_connection *connection)
{
    return ssh_now_ns() + connection->target.timeout * SSH_NS_PER_SECOND;
}

bool ssh_is_interrupted(const struct ssh_connection *connection)
{
    return interrupted() && !connection->tidying;
}

static int check_time(struct ssh_connection *connection, int64_t deadline_ns, struct err *err)
{
    int64_t now = ssh_now_ns();

    if (ssh_is_interrupted(connection))
        return interrupt_error(err);
    if (connection->tidying && now > connection->tidying_until_ns)
        return lost(connection, err, "tidying up takes too long");
    if (now > deadline_ns)
        return lost(connection, err, "no answer in time");
    if (connection->authentication == NULL)
        return 0;
    if (connection->silent_ticks / TICKS_PER_SECOND >= (unsigned)ssh_silence_seconds(&connection->target))
        return lost(connection, err, "the board does not answer any more");
    if (now >= connection->keepalive_ns) {
        int seconds;

        if (libssh2_keepalive_send(connection->session, &seconds) != 0)
            return ssh_failure(connection, err, "cannot ask the board for a sign of life");
        connection->keepalive_ns = now + ssh_keepalive_seconds(&connection->target) * SSH_NS_PER_SECOND;
    }
    return 0;
}

int ssh_wait(struct ssh_connection *connection, int64_t deadline_ns, struct err *err)
{
    struct pollfd ready = {.fd = connection->fd, .events = POLLIN};
    int errnum, count, result = check_time(connection, deadline_ns, err);

    if (result != 0)
        return result;
    if (connection->input.length > 0)
        return 0;
    if (connection->input.has_ended) {
        connection->input.end_is_due = true;
        return 0;
    }
    errnum = queue_flush(connection);
    if (errnum != 0 && errnum != EAGAIN)
        return lost_errno(connection, err, errnum);
    if (connection->queue.length > 0)
        ready.events |= POLLOUT;
    count = poll(&ready, 1, TICK_MS);
    if (count < 0 && errno != EINTR)
        return lost_errno(connection, err, errno);
    if (count == 0)
        connection->silent_ticks++;
    errnum = queue_flush(connection);
    return errnum == 0 || errnum == EAGAIN ? 0 : lost_errno(connection, err, errnum);
}

static bool means_lost(int code)
{
    return code == LIBSSH2_ERROR_SOCKET_DISCONNECT || code == LIBSSH2_ERROR_SOCKET_SEND ||
           code == LIBSSH2_ERROR_SOCKET_RECV || code == LIBSSH2_ERROR_SOCKET_TIMEOUT ||
           code == LIBSSH2_ERROR_SOCKET_NONE || code == LIBSSH2_ERROR_DECRYPT || code == LIBSSH2_ERROR_INVALID_MAC ||
           code == LIBSSH2_ERROR_PROTO;
}

int ssh_failure(struct ssh_connection *connection, struct err *err, const char *format, ...)
{
    char text[ERR_TEXT_SIZE], *reason = NULL;
    int code = libssh2_session_last_error(connection->session, &reason, NULL, 0);
    va_list arguments;

    va_start(arguments, format);
    err_format(text, sizeof text, format, arguments);
    va_end(arguments);
    if (means_lost(code)) {
        lost(connection, err, "the other side closed it");
        return err_wrap(err, "%s", text);
    }
    return err_set(err, code == LIBSSH2_ERROR_ALLOC ? ERR_NO_MEMORY : ERR_REMOTE, "%s: %s", text,
                   reason != NULL && reason[0] != '\0' ? reason : "the server refused");
}

int ssh_session_open(struct ssh_connection *connection, struct err *err)
{
    static const struct {
        int method;
        const char *names;
    } preferences[] = {
        {LIBSSH2_METHOD_CRYPT_CS, "aes128-ctr,aes256-ctr,aes192-ctr"},
        {LIBSSH2_METHOD_CRYPT_SC, "aes128-ctr,aes256-ctr,aes192-ctr"},
        {LIBSSH2_METHOD_MAC_CS, "hmac-sha2-256,hmac-sha2-512,hmac-sha1"},
        {LIBSSH2_METHOD_MAC_SC, "hmac-sha2-256,hmac-sha2-512,hmac-sha1"},
    };
    union { /* libssh2 takes functions as void pointers, which ISO C has no cast for */
        ssize_t (*send)(libssh2_socket_t, const void *, size_t, int, void **);
        ssize_t (*receive)(libssh2_socket_t, void *, size_t, int, void **);
        void *pointer;
    } callback;

    connection->session = libssh2_session_init_ex(session_alloc, session_free, session_realloc, connection);
    if (connection->session == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    callback.send = send_bytes;
    libssh2_session_callback_set(connection->session, LIBSSH2_CALLBACK_SEND, callback.pointer);
    callback.receive = receive_bytes;
    libssh2_session_callback_set(connection->session, LIBSSH2_CALLBACK_RECV, callback.pointer);
    libssh2_session_set_blocking(connection->session, 0);
    for (size_t i = 0; i < sizeof preferences / sizeof preferences[0]; i++)
        if (libssh2_session_method_pref(connection->session, preferences[i].method, preferences[i].names) != 0)
            return ssh_failure(connection, err, "cannot choose the ciphers");
    return 0;
}

void ssh_session_close(struct ssh_connection *connection)
{
    if (connection->session != NULL && !connection->spoilt) {
        if (!connection->lost)
            libssh2_session_disconnect(connection->session, "done");
        /* with the socket down nothing in libssh2 waits for an answer any more */
        shutdown(connection->fd, SHUT_RDWR);
        connection->input.length = 0;
        connection->input.end_is_due = true;
        for (int i = 0; i < MOST_FREE_ROUNDS && libssh2_session_free(connection->session) == LIBSSH2_ERROR_EAGAIN; i++)
            ;
    }
    connection->session = NULL; /* not released when it is spoilt */
    connection->spoilt = false;
    connection->generation++;
    if (connection->fd >= 0)
        close(connection->fd);
    connection->fd = -1;
    if (connection->queue.data != NULL)
        explicit_bzero(connection->queue.data, connection->queue.capacity);
    free(connection->queue.data);
    connection->queue = (struct send_queue){.data = NULL};
    connection->input.length = 0;
    connection->input.is_spent = connection->input.has_ended = connection->input.end_is_due = false;
    free_blocks(&connection->blocks);
}
