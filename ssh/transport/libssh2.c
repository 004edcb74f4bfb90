/* SPDX-License-Identifier: Apache-2.0 */
/* The transport by libssh2 (1.8 or newer). It reads one channel at a time when it is asked to; what it allocates, sends
 * and receives goes through this file, which therefore knows what libssh2 does not report. */
#include "ssh/transport.h"

#include "base/err.h"
#include "base/language.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "ssh/transport/agent.h"
#include "ssh/transport/algorithms.h"
#include "ssh/transport/wire.h"

#include <errno.h>
#include <libssh2.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WINDOW_SIZE (4U * 1024 * 1024)
#define PACKET_SIZE 32768U
#define RECEIVE_SIZE ((size_t)256 * 1024)
#define OUTPUT_SIZE ((size_t)256 * 1024)
#define QUEUE_CONGESTED ((size_t)1024 * 1024)
#define QUEUE_LIMIT ((size_t)64 * 1024 * 1024)
#define MOST_FREE_ROUNDS 10000
#define HELLO_SIZE ((size_t)16 * 1024)
#define ERROR_SIZE 512
#define NAMES_LIMIT 1024
#define MOST_TOLD 200 /* bytes of a list of the server's that a message shows */

/* Blocks of this size hold a packet of data: libssh2 allocates, fills and frees one for each, and malloc would give its
 * pages back and fault them in again each time: half a second of processor time a gigabyte. */
#define PACKET_BLOCK_SIZE ((size_t)36 * 1024)
#define MOST_PACKET_BLOCKS 128
/* Bytes that libssh2 may hold: it keeps every packet of a type that it does not know, and the windows of channels are a
 * twentieth of this. */
#define MOST_HELD ((size_t)64 * 1024 * 1024)

enum { /* numbers of SSH's messages, and of the agent's flags */
       MESSAGE_KEXINIT = 20,
       MESSAGE_CHANNEL_OPENED = 91,
       MESSAGE_CHANNEL_REQUEST = 98,
       SIGN_RSA_SHA2_256 = 2,
       SIGN_RSA_SHA2_512 = 4,
};

struct transport {
    LIBSSH2_SESSION *session;
    int fd;
    const char *user;
    char *host_key_types; /* that are asked for */
    const char *secret;   /* what a login by keyboard answers */
    struct agent agent;
    bool has_agent_key;
    struct bytes agent_key; /* the one that is being tried */
    bool is_authenticated, is_over;
    /* libssh2 had no memory, perhaps in the middle of a packet: the next call, even one that releases its session, may
     * take the rest for another packet and end the process. */
    bool lacks_memory;
    bool tries_key, rsa_was_tried, wants_new_password; /* see transport_advice */
    char error[ERROR_SIZE];                            /* instead of libssh2's; "": its own */
    const char *advice;                                /* why the handshake failed; NULL: not known */
    uint64_t received;
    /* Bytes on their way out that the socket did not take yet. libssh2 must never see a send that would block: it would
     * insist on the same packet again before any other, which two channels cannot promise each other. */
    struct send_queue {
        char *data;
        size_t start, length, capacity;
    } queue;
    /* Bytes that came in one system call and that libssh2 fetches in smaller pieces. */
    struct receive_buffer {
        char *data;
        size_t start, length;
        bool is_spent; /* when these are taken, libssh2 is told once that there is no more */
        bool is_held;  /* libssh2 is told so until further notice */
        /* The socket has ended: libssh2, which would drop the packets that nobody has asked for yet, is told only when
         * there is nothing else to do than to wait. */
        bool has_ended, end_is_due;
    } input;
    char *hello; /* the first that came, until keys are agreed on: the server's lists are in it */
    size_t hello_length;
    size_t held;                    /* bytes that libssh2 has allocated */
    void *kept[MOST_PACKET_BLOCKS]; /* blocks of PACKET_BLOCK_SIZE bytes that libssh2 will want again */
    size_t kept_count;
    char *output; /* OUTPUT_SIZE bytes that a channel's output passes through */
    struct transport_channel *channels;
    uint32_t opened; /* number of the channel that the server opened last */
};

struct transport_channel {
    struct transport_channel *next;
    struct transport *transport;
    LIBSSH2_CHANNEL *channel;
    struct transport_sink sink;
    uint64_t output_length; /* bytes of standard output so far */
    uint32_t number;        /* of this side */
    bool has_status;        /* the server has sent the exit status */
};

struct library_version transport_library(void)
{
    return (struct library_version){"libssh2", LIBSSH2_VERSION, libssh2_version(0)};
}

/* Whether it signs and verifies with RSA by SHA-2, and has AES-GCM: since 1.11. */
static bool is_recent(void)
{
    return libssh2_version(0x010b00) != NULL;
}

/* libssh2 has no function that distinguishes a status of 0 from no status, but it gives every packet back here: in the
 * clear, from the number of the message on. */
static void look_at_freed(struct transport *transport, unsigned char *block, size_t size)
{
    static const char status[] = "exit-status", rsa[] = "\0\0\0\7ssh-rsa";
    const size_t name_at = 9;

    if (size >= 5 && block[0] == MESSAGE_CHANNEL_OPENED) {
        transport->opened = (uint32_t)bytes_load(block + 1, 4, true);
    } else if (size >= name_at + sizeof status + 4 && block[0] == MESSAGE_CHANNEL_REQUEST &&
               bytes_load(block + 5, 4, true) == sizeof status - 1 &&
               memcmp(block + name_at, status, sizeof status - 1) == 0) {
        for (struct transport_channel *channel = transport->channels; channel != NULL; channel = channel->next)
            channel->has_status |=
                channel->channel != NULL && channel->number == (uint32_t)bytes_load(block + 1, 4, true);
        block[0] = 0; /* the block may be freed once more without having been filled */
    } else if (transport->tries_key && size >= sizeof rsa && memcmp(block, rsa, sizeof rsa - 1) == 0) {
        transport->rsa_was_tried = true;
    }
}

static void *noted(void *block, void **abstract)
{
    struct transport *transport = *abstract;

    if (block == NULL)
        transport->lacks_memory = true;
    else
        transport->held += malloc_usable_size(block);
    return block;
}

static bool may_hold(const struct transport *transport, size_t size)
{
    return size <= MOST_HELD && transport->held <= MOST_HELD - size;
}

static void *session_alloc(size_t size, void **abstract)
{
    struct transport *transport = *abstract;

    if (!may_hold(transport, size))
        return noted(NULL, abstract);
    if (size < PACKET_BLOCK_SIZE / 4 || size > PACKET_BLOCK_SIZE)
        return noted(calloc(1, size), abstract);
    return noted(transport->kept_count > 0 ? transport->kept[--transport->kept_count] : calloc(1, PACKET_BLOCK_SIZE),
                 abstract);
}

/* Secrets pass through libssh2's packets while the user is authenticated: nothing that it frees keeps its content. */
static void session_free(void *block, void **abstract)
{
    struct transport *transport = *abstract;
    const size_t size = block != NULL ? malloc_usable_size(block) : 0;

    if (block == NULL)
        return;
    transport->held -= size;
    look_at_freed(transport, block, size);
    if (!transport->is_authenticated)
        explicit_bzero(block, size);
    if (size >= PACKET_BLOCK_SIZE && size < 2 * PACKET_BLOCK_SIZE && transport->kept_count < MOST_PACKET_BLOCKS)
        transport->kept[transport->kept_count++] = block;
    else
        free(block);
}

static void *session_realloc(void *block, size_t size, void **abstract)
{
    struct transport *transport = *abstract;
    const size_t before = block != NULL ? malloc_usable_size(block) : 0;
    void *grown;

    if (!may_hold(transport, size))
        return noted(NULL, abstract);
    if (block == NULL || transport->is_authenticated) {
        grown = noted(realloc(block, size), abstract);
        transport->held -= grown != NULL ? before : 0;
        return grown;
    }
    grown = noted(calloc(1, size), abstract);
    if (grown == NULL)
        return NULL;
    memcpy(grown, block, before < size ? before : size);
    session_free(block, abstract);
    return grown;
}

/* Gives the socket what it takes; 0 or an errno (EAGAIN: not all). */
static int queue_flush(struct transport *transport)
{
    struct send_queue *queue = &transport->queue;

    while (queue->length > 0) {
        ssize_t n = send(transport->fd, queue->data + queue->start, queue->length, MSG_NOSIGNAL);

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

/* The socket takes nothing any more. That is noticed by receiving, which first has what came before. */
static void queue_drop(struct transport *transport)
{
    transport->queue.start = transport->queue.length = 0;
}

static bool queue_add(struct send_queue *queue, const void *bytes, size_t length)
{
    if (queue->start + queue->length + length > queue->capacity) {
        size_t capacity = queue->capacity > 0 ? queue->capacity : RECEIVE_SIZE;
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
    struct transport *transport = *abstract;
    int errnum;

    (void)fd;
    (void)flags;
    if (!queue_add(&transport->queue, bytes, length)) {
        transport->lacks_memory = true;
        return -ENOMEM;
    }
    errnum = queue_flush(transport);
    if (errnum != 0 && errnum != EAGAIN)
        queue_drop(transport);
    return (ssize_t)length;
}

static void keep_hello(struct transport *transport, const char *bytes, size_t length)
{
    const size_t room = HELLO_SIZE - transport->hello_length;

    if (transport->hello == NULL)
        return;
    if (length > room)
        length = room;
    memcpy(transport->hello + transport->hello_length, bytes, length);
    transport->hello_length += length;
}

static ssize_t receive_bytes(libssh2_socket_t fd, void *buffer, size_t length, int flags, void **abstract)
{
    struct transport *transport = *abstract;
    struct receive_buffer *input = &transport->input;

    (void)flags;
    if (input->is_held)
        return -EAGAIN;
    if (input->length == 0) {
        ssize_t n;

        /* libssh2 takes in all that there is before it hands anything on: told "no more" after each buffer, it does
         * not pile up more than the caches hold */
        if (input->is_spent) {
            input->is_spent = false;
            return -EAGAIN;
        }
        do
            n = recv(fd, input->data, RECEIVE_SIZE, 0);
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
        input->is_spent = true;
        transport->received += (uint64_t)n;
        keep_hello(transport, input->data, (size_t)n);
    }
    if (length > input->length)
        length = input->length;
    memcpy(buffer, input->data + input->start, length);
    input->start += length;
    input->length -= length;
    return (ssize_t)length;
}

/* Notes what a code of libssh2 means for the connection. */
static enum transport_code judge(struct transport *transport, int code)
{
    switch (code) {
    case 0:
        return TRANSPORT_DONE;
    case LIBSSH2_ERROR_EAGAIN:
        return TRANSPORT_AGAIN;
    case LIBSSH2_ERROR_ALLOC:
        transport->lacks_memory = true;
        return TRANSPORT_FAILED;
    case LIBSSH2_ERROR_SOCKET_DISCONNECT:
    case LIBSSH2_ERROR_SOCKET_SEND:
    case LIBSSH2_ERROR_SOCKET_RECV:
    case LIBSSH2_ERROR_SOCKET_TIMEOUT:
    case LIBSSH2_ERROR_SOCKET_NONE:
    case LIBSSH2_ERROR_DECRYPT:
    case LIBSSH2_ERROR_INVALID_MAC:
    case LIBSSH2_ERROR_PROTO:
        transport->is_over = true;
        return TRANSPORT_FAILED;
    default:
        return TRANSPORT_FAILED;
    }
}

/* The server's last words, which say more than "socket disconnect". */
static void on_disconnect(LIBSSH2_SESSION *session, int reason, const char *message, int length, const char *language,
                          int language_length, void **abstract)
{
    struct transport *transport = *abstract;

    (void)session;
    (void)reason;
    (void)language;
    (void)language_length;
    snprintf(transport->error, sizeof transport->error, "%.*s", length > 0 ? length : 0, message);
    utf8_mask(transport->error);
    transport->is_over = true;
}

static void set_callbacks(LIBSSH2_SESSION *session)
{
    union { /* libssh2 takes functions as void pointers, which ISO C has no cast for */
        ssize_t (*send)(libssh2_socket_t, const void *, size_t, int, void **);
        ssize_t (*receive)(libssh2_socket_t, void *, size_t, int, void **);
        void (*disconnect)(LIBSSH2_SESSION *, int, const char *, int, const char *, int, void **);
        void *pointer;
    } callback;

    callback.send = send_bytes;
    libssh2_session_callback_set(session, LIBSSH2_CALLBACK_SEND, callback.pointer);
    callback.receive = receive_bytes;
    libssh2_session_callback_set(session, LIBSSH2_CALLBACK_RECV, callback.pointer);
    callback.disconnect = on_disconnect;
    libssh2_session_callback_set(session, LIBSSH2_CALLBACK_DISCONNECT, callback.pointer);
}

/* The lists of a handshake, in the order in which the server's first message has them. "ext-info-c" has the server say
 * which signatures it takes. */
static const struct {
    int method;
    const char *names, *title, *advice;
} preferences[] = {
    {LIBSSH2_METHOD_KEX, ALGORITHMS_KEY_EXCHANGES ",ext-info-c", "key exchange",
     LANGUAGE_MARK("the server needs a key exchange of curve25519, ECDH over a NIST curve, or Diffie-Hellman of 2048 "
                   "bits or more")},
    {LIBSSH2_METHOD_HOSTKEY, NULL, "host key",
     LANGUAGE_MARK("the server needs a host key of type ed25519, ecdsa or RSA")},
    {LIBSSH2_METHOD_CRYPT_CS, ALGORITHMS_CIPHERS, "cipher", NULL},
    {LIBSSH2_METHOD_CRYPT_SC, ALGORITHMS_CIPHERS, "cipher", NULL},
    {LIBSSH2_METHOD_MAC_CS, ALGORITHMS_MACS, "MAC",
     LANGUAGE_MARK("the server needs hmac-sha2-256, hmac-sha2-512 or hmac-sha1")},
    {LIBSSH2_METHOD_MAC_SC, ALGORITHMS_MACS, "MAC",
     LANGUAGE_MARK("the server needs hmac-sha2-256, hmac-sha2-512 or hmac-sha1")},
};
#define PREFERENCE_COUNT (sizeof preferences / sizeof preferences[0])

/* Whether a list of names has one. */
static bool list_has(const char *list, size_t length, const char *name)
{
    const size_t name_length = strlen(name);

    for (const char *at = list, *end = list + length; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const size_t word = (size_t)((comma != NULL ? comma : end) - at);

        if (word == name_length && memcmp(at, name, word) == 0)
            return true;
        at += word + 1;
    }
    return false;
}

/* Adds what is asked for of a list of the handshake as far as libssh2 has it: it would strike out the rest by itself,
 * before 1.11 by a copy that overlaps. False: no memory, or there is nothing that it has. */
static bool add_supported(LIBSSH2_SESSION *session, size_t which, const char *host_key_types, struct strbuf *list)
{
    const char *wanted = preferences[which].names != NULL ? preferences[which].names : host_key_types;
    const char **names = NULL;
    const int count = libssh2_session_supported_algs(session, preferences[which].method, &names);

    for (const char *at = wanted; count > 0 && *at != '\0'; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");

        for (int i = 0; i < count; i++)
            if (strlen(names[i]) == length && memcmp(names[i], at, length) == 0)
                strbuf_addf(list, "%s%s", list->length > 0 ? "," : "", names[i]);
        at += length;
    }
    if (count > 0)
        libssh2_free(session, names);
    return list->length > 0 && !list->failed;
}

static bool set_preferences(LIBSSH2_SESSION *session, const char *host_key_types)
{
    for (size_t i = 0; i < PREFERENCE_COUNT; i++) {
        SCOPED(strbuf_release) struct strbuf list;

        strbuf_init(&list, NAMES_LIMIT);
        if (!add_supported(session, i, host_key_types, &list) ||
            libssh2_session_method_pref(session, preferences[i].method, list.data) != 0)
            return false;
    }
    return true;
}

static int library_status;

static void start_library(void)
{
    library_status = libssh2_init(0);
}

struct transport *transport_open(int fd, const char *user, const char *host_key_types)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct transport *transport = calloc(1, sizeof *transport);

    pthread_once(&once, start_library);
    if (transport == NULL) {
        close(fd);
        return NULL;
    }
    transport->fd = fd;
    transport->user = user;
    transport->agent.fd = -1;
    transport->input.data = malloc(RECEIVE_SIZE);
    transport->output = malloc(OUTPUT_SIZE);
    transport->hello = malloc(HELLO_SIZE);
    transport->host_key_types = strdup(host_key_types);
    if (library_status == 0 && transport->host_key_types != NULL && transport->input.data != NULL &&
        transport->output != NULL && transport->hello != NULL)
        transport->session = libssh2_session_init_ex(session_alloc, session_free, session_realloc, transport);
    if (transport->session == NULL || !set_preferences(transport->session, host_key_types)) {
        transport_close(transport, false);
        return NULL;
    }
    set_callbacks(transport->session);
    libssh2_session_set_blocking(transport->session, 0);
    /* the times of keepalives are the caller's: so long ago one is always due */
    libssh2_keepalive_config(transport->session, 1, 0x80000001U);
    return transport;
}

static void wipe_and_free(char *bytes, size_t size)
{
    if (bytes != NULL)
        explicit_bzero(bytes, size);
    free(bytes);
}

void transport_close(struct transport *transport, bool is_polite)
{
    if (transport == NULL)
        return;
    for (struct transport_channel *channel; (channel = transport->channels) != NULL; free(channel))
        transport->channels = channel->next; /* libssh2 frees its part with the session */
    /* taking leave crashes libssh2 while its keys are half made, which they are as long as there is a hello */
    if (transport->session != NULL && !transport->lacks_memory && is_polite && transport->hello == NULL)
        libssh2_session_disconnect(transport->session, "done");
    if (transport->session != NULL && !transport->lacks_memory) {
        /* with the socket down nothing in libssh2 waits for an answer any more */
        shutdown(transport->fd, SHUT_RDWR);
        transport->input.length = 0;
        transport->input.end_is_due = true;
        for (int i = 0; i < MOST_FREE_ROUNDS && libssh2_session_free(transport->session) == LIBSSH2_ERROR_EAGAIN; i++)
            ;
    }
    close(transport->fd);
    agent_close(&transport->agent);
    wipe_and_free(transport->queue.data, transport->queue.capacity);
    wipe_and_free(transport->input.data, RECEIVE_SIZE);
    free(transport->output);
    free(transport->hello);
    free(transport->host_key_types);
    while (transport->kept_count > 0)
        free(transport->kept[--transport->kept_count]);
    free(transport);
}

bool transport_is_over(const struct transport *transport)
{
    return transport->is_over;
}

bool transport_lacks_memory(const struct transport *transport)
{
    return transport->lacks_memory;
}

uint64_t transport_received(const struct transport *transport)
{
    return transport->received;
}

const char *transport_error(const struct transport *transport)
{
    char *text = NULL;

    if (transport->error[0] != '\0')
        return transport->error;
    libssh2_session_last_error(transport->session, &text, NULL, 0);
    return text != NULL ? text : "";
}

enum transport_code transport_wait(struct transport *transport, int milliseconds)
{
    struct pollfd ready = {.fd = transport->fd, .events = POLLIN};
    int errnum;

    if (transport->input.length > 0)
        return TRANSPORT_DONE;
    if (transport->input.end_is_due)
        transport->is_over = true;
    if (transport->is_over)
        return TRANSPORT_FAILED;
    if (transport->input.has_ended) {
        transport->input.end_is_due = true;
        return TRANSPORT_DONE;
    }
    errnum = queue_flush(transport);
    if (errnum == EAGAIN)
        ready.events |= POLLOUT;
    if (errnum == 0 || errnum == EAGAIN) {
        poll(&ready, 1, milliseconds);
        errnum = queue_flush(transport);
    }
    if (errnum != 0 && errnum != EAGAIN)
        queue_drop(transport);
    return TRANSPORT_DONE;
}

void transport_send_keepalive(struct transport *transport)
{
    int seconds;

    judge(transport, libssh2_keepalive_send(transport->session, &seconds));
}

/* Whether the server's list has a name that is asked for. */
static bool agrees(struct transport *transport, size_t which, const struct bytes *list)
{
    SCOPED(strbuf_release) struct strbuf ours;
    bool is_found = false;

    strbuf_init(&ours, NAMES_LIMIT);
    if (!add_supported(transport->session, which, transport->host_key_types, &ours))
        return false;
    for (char *rest = ours.data, *name; (name = strsep(&rest, ",")) != NULL;)
        is_found = is_found || list_has((const char *)list->data, list->length, name);
    return is_found;
}

static const char *advise(size_t which, const struct bytes *list)
{
    static const char rsa[] = LANGUAGE_MARK(
        "libssh2 before 1.11 knows RSA host keys by SHA-1 alone (ssh-rsa), which this server does not have. Give the "
        "board another key: 'ssh-keygen -t ed25519 -N \"\" -f /etc/ssh/ssh_host_ed25519_key' (dropbear: 'dropbearkey "
        "-t "
        "ed25519 -f /etc/dropbear/dropbear_ed25519_host_key'), and start its SSH server again; or build msprof with "
        "libssh ('make SSH=libssh') or a newer libssh2");
    static const char old_ciphers[] = LANGUAGE_MARK(
        "the server needs one of the ciphers AES-CTR: libssh2 before 1.11 knows neither AES-GCM nor chacha20-poly1305; "
        "allow aes128-ctr on the board, or build msprof with libssh ('make SSH=libssh') or a newer libssh2");
    static const char ciphers[] =
        LANGUAGE_MARK("the server needs one of the ciphers AES-GCM, chacha20-poly1305 or AES-CTR");

    if (preferences[which].method == LIBSSH2_METHOD_HOSTKEY && !is_recent() &&
        list_has((const char *)list->data, list->length, "rsa-sha2-256"))
        return rsa;
    return preferences[which].advice != NULL ? preferences[which].advice : is_recent() ? ciphers : old_ciphers;
}

/* libssh2 says "Unable to exchange encryption keys": the server's first message shows where they disagree. */
static void explain_handshake(struct transport *transport)
{
    const struct bytes hello = {(unsigned char *)transport->hello, transport->hello_length};
    const size_t lists_at = 4 + 1 + 1 + 16; /* length, padding, number, cookie */
    const unsigned char *line = memmem(hello.data, hello.length, "SSH-", 4), *end;
    struct bytes list;
    size_t at;

    if (line == NULL || (end = memchr(line, '\n', hello.length - (size_t)(line - hello.data))) == NULL)
        return;
    at = (size_t)(end + 1 - hello.data) + lists_at;
    if (at > hello.length || hello.data[at - 17] != MESSAGE_KEXINIT)
        return;
    for (size_t i = 0; i < PREFERENCE_COUNT && wire_read_text(&hello, &at, &list); i++) {
        if (agrees(transport, i, &list))
            continue;
        snprintf(transport->error, sizeof transport->error, language_said("no match for the %s: the server has %.*s"),
                 preferences[i].title, list.length < MOST_TOLD ? (int)list.length : MOST_TOLD, (const char *)list.data);
        utf8_mask(transport->error);
        transport->advice = advise(i, &list);
        return;
    }
}

enum transport_code transport_shake_hands(struct transport *transport)
{
    const enum transport_code code = judge(transport, libssh2_session_handshake(transport->session, transport->fd));

    if (code == TRANSPORT_FAILED && !transport->lacks_memory)
        explain_handshake(transport);
    if (code == TRANSPORT_DONE) {
        free(transport->hello);
        transport->hello = NULL;
    }
    return code;
}

const void *transport_host_key(struct transport *transport, size_t *ret_length)
{
    int type;

    return libssh2_session_hostkey(transport->session, ret_length, &type);
}

const char *transport_advice(const struct transport *transport)
{
    if (transport->hello != NULL)
        return transport->advice;
    if (transport->wants_new_password)
        return LANGUAGE_MARK("the password has expired: log in once by hand and change it");
    if (transport->rsa_was_tried && !is_recent())
        return LANGUAGE_MARK(
            "libssh2 before 1.11 signs with RSA keys by SHA-1 alone, which today's servers refuse: use a key of "
            "type "
            "ed25519 or ecdsa ('ssh-keygen -t ed25519'), or build msprof with libssh ('make SSH=libssh') or a newer "
            "libssh2 (rsa-sha2)");
    return NULL;
}

/* Whether a login failed because the connection did: libssh2 says then that the server refused it. */
static bool is_lost(const struct transport *transport, int code)
{
    return code != 0 && code != LIBSSH2_ERROR_EAGAIN &&
           (transport->lacks_memory || transport->is_over || transport->input.end_is_due);
}

/* The answer to a login. */
static enum transport_code judge_login(struct transport *transport, int code)
{
    transport->is_authenticated = code == 0;
    if (is_lost(transport, code)) {
        transport->is_over |= !transport->lacks_memory;
        return TRANSPORT_FAILED;
    }
    transport->wants_new_password |= code == LIBSSH2_ERROR_PASSWORD_EXPIRED;
    switch (code) {
    case LIBSSH2_ERROR_AUTHENTICATION_FAILED:
    case LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED:
    case LIBSSH2_ERROR_METHOD_NOT_SUPPORTED:
    case LIBSSH2_ERROR_PASSWORD_EXPIRED:
        return TRANSPORT_REFUSED;
    default:
        return judge(transport, code);
    }
}

enum transport_code transport_login_with_nothing(struct transport *transport, unsigned *ret_methods)
{
    const char *methods = libssh2_userauth_list(transport->session, transport->user, (unsigned)strlen(transport->user));
    static const struct {
        const char *name;
        enum transport_method method;
    } known[] = {{"publickey", TRANSPORT_PUBLICKEY},
                 {"password", TRANSPORT_PASSWORD},
                 {"keyboard-interactive", TRANSPORT_KEYBOARD}};

    *ret_methods = 0;
    if (methods == NULL)
        return judge_login(transport, libssh2_userauth_authenticated(transport->session)
                                          ? 0
                                          : libssh2_session_last_errno(transport->session));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (list_has(methods, strlen(methods), known[i].name))
            *ret_methods |= known[i].method;
    return TRANSPORT_REFUSED;
}

/* How the agent is to sign: the name of the algorithm is in what is to be signed. */
static unsigned agent_flags(const unsigned char *data, size_t length)
{
    const struct bytes message = {data, length};
    struct bytes part;
    size_t at = 0;

    if (!wire_read_text(&message, &at, &part)) /* the session; a number follows */
        return 0;
    at++;
    for (int i = 0; i < 3; i++) /* user, service, method; a boolean follows */
        if (!wire_read_text(&message, &at, &part))
            return 0;
    at++;
    if (!wire_read_text(&message, &at, &part))
        return 0;
    return wire_is(&part, "rsa-sha2-512") ? SIGN_RSA_SHA2_512 : wire_is(&part, "rsa-sha2-256") ? SIGN_RSA_SHA2_256 : 0;
}

/* The raw signature out of "text(text type, text signature)". */
static bool take_signature(const struct bytes *answer, unsigned char **ret, size_t *ret_length)
{
    struct bytes both, type, signature;
    size_t at = 1, inner = 0;

    if (answer->data[0] != AGENT_SIGN_RESPONSE || !wire_read_text(answer, &at, &both) ||
        !wire_read_text(&both, &inner, &type) || !wire_read_text(&both, &inner, &signature) || signature.length == 0)
        return false;
    *ret = malloc(signature.length);
    if (*ret == NULL)
        return false;
    memcpy(*ret, signature.data, signature.length);
    *ret_length = signature.length;
    return true;
}

static int sign_with_agent(LIBSSH2_SESSION *session, unsigned char **ret, size_t *ret_length, const unsigned char *data,
                           size_t length, void **abstract)
{
    struct transport *transport = *abstract;
    const struct bytes *key = &transport->agent_key;
    struct bytes answer;
    unsigned char *question, *p;
    bool is_signed = false;

    (void)session;
    if (length > AGENT_MESSAGE_LIMIT || key->length > AGENT_MESSAGE_LIMIT)
        return -1;
    question = malloc(4 + 1 + 4 + key->length + 4 + length + 4);
    if (question == NULL)
        return -1;
    p = question + 4;
    *p++ = AGENT_SIGN_REQUEST;
    bytes_store(p, 4, true, key->length);
    memcpy(p + 4, key->data, key->length);
    p += 4 + key->length;
    bytes_store(p, 4, true, length);
    memcpy(p + 4, data, length);
    p += 4 + length;
    bytes_store(p, 4, true, agent_flags(data, length));
    if (agent_ask_to_sign(&transport->agent, question, (size_t)(p + 4 - question), &answer)) {
        is_signed = take_signature(&answer, ret, ret_length);
        free((void *)(uintptr_t)answer.data);
    }
    free(question);
    return is_signed ? 0 : -1;
}

enum transport_code transport_login_with_agent(struct transport *transport, size_t most, int *ret_keys)
{
    enum transport_code code = TRANSPORT_REFUSED;
    char type[64];
    void *abstract = transport;

    if (transport->agent.fd < 0 && !agent_open(&transport->agent, most)) {
        *ret_keys = -1;
        return TRANSPORT_REFUSED;
    }
    *ret_keys = (int)transport->agent.count;
    while (code == TRANSPORT_REFUSED &&
           (transport->has_agent_key || agent_next_key(&transport->agent, &transport->agent_key))) {
        code = judge_login(transport,
                           libssh2_userauth_publickey(transport->session, transport->user, transport->agent_key.data,
                                                      transport->agent_key.length, sign_with_agent, &abstract));
        transport->has_agent_key = code == TRANSPORT_AGAIN;
        wire_key_type(&transport->agent_key, type, sizeof type);
        transport->rsa_was_tried |= strcmp(type, "ssh-rsa") == 0;
    }
    if (code != TRANSPORT_AGAIN)
        agent_close(&transport->agent);
    return code;
}

enum transport_code transport_login_with_key(struct transport *transport, const char *key, size_t length,
                                             const char *passphrase)
{
    transport->tries_key = true;
    const int code = libssh2_userauth_publickey_frommemory(transport->session, transport->user, strlen(transport->user),
                                                           NULL, 0, key, length, passphrase);
    transport->tries_key = false;
    switch (is_lost(transport, code) ? 0 : code) {
    case LIBSSH2_ERROR_FILE:
    case LIBSSH2_ERROR_KEYFILE_AUTH_FAILED:
    case LIBSSH2_ERROR_PROTO: /* this and the next two are what its reader of keys says */
    case LIBSSH2_ERROR_DECRYPT:
    case LIBSSH2_ERROR_SOCKET_NONE:
        return TRANSPORT_BAD_KEY;
    default:
        return judge_login(transport, code);
    }
}

enum transport_code transport_login_with_password(struct transport *transport, const char *password)
{
    return judge_login(transport, libssh2_userauth_password_ex(transport->session, transport->user,
                                                               (unsigned)strlen(transport->user), password,
                                                               (unsigned)strlen(password), NULL));
}

static void answer_prompts(const char *name, int name_length, const char *instruction, int instruction_length,
                           int count, const LIBSSH2_USERAUTH_KBDINT_PROMPT *prompts,
                           LIBSSH2_USERAUTH_KBDINT_RESPONSE *responses, void **abstract)
{
    const struct transport *transport = *abstract;

    (void)name;
    (void)name_length;
    (void)instruction;
    (void)instruction_length;
    for (int i = 0; i < count; i++) {
        responses[i].text = strdup(prompts[i].echo ? "" : transport->secret); /* libssh2 frees it */
        responses[i].length = responses[i].text != NULL ? (unsigned)strlen(responses[i].text) : 0;
    }
}

enum transport_code transport_login_by_keyboard(struct transport *transport, const char *password)
{
    enum transport_code code;

    transport->secret = password;
    code = judge_login(transport,
                       libssh2_userauth_keyboard_interactive_ex(transport->session, transport->user,
                                                                (unsigned)strlen(transport->user), answer_prompts));
    transport->secret = NULL;
    return code;
}

enum transport_code transport_channel_open(struct transport_channel **ret, struct transport *transport,
                                           const struct transport_sink *sink)
{
    static const char type[] = "session";
    struct transport_channel *channel = *ret;

    if (channel == NULL) {
        channel = calloc(1, sizeof *channel);
        if (channel == NULL) {
            transport->lacks_memory = true;
            return TRANSPORT_FAILED;
        }
        *channel = (struct transport_channel){.transport = transport, .sink = *sink, .next = transport->channels};
        *ret = transport->channels = channel;
    }
    channel->channel =
        libssh2_channel_open_ex(transport->session, type, sizeof type - 1, WINDOW_SIZE, PACKET_SIZE, NULL, 0);
    channel->number = transport->opened;
    if (channel->channel != NULL)
        return TRANSPORT_DONE;
    const int code = libssh2_session_last_errno(transport->session);
    return code == LIBSSH2_ERROR_CHANNEL_FAILURE ? TRANSPORT_REFUSED : judge(transport, code);
}

enum transport_code transport_channel_execute(struct transport_channel *channel, const char *line)
{
    static const char type[] = "exec";

    return judge(channel->transport, libssh2_channel_process_startup(channel->channel, type, sizeof type - 1, line,
                                                                     (unsigned)strlen(line)));
}

/* One of the two streams. */
static enum transport_code read_stream(struct transport_channel *channel, int stream)
{
    struct transport *transport = channel->transport;
    const ssize_t n = libssh2_channel_read_ex(channel->channel, stream, transport->output, OUTPUT_SIZE);

    if (n <= 0)
        return n == 0 ? TRANSPORT_AGAIN : judge(transport, (int)n);
    channel->output_length += stream == 0 ? (uint64_t)n : 0;
    channel->sink.take(channel->sink.arg, stream != 0, transport->output, (size_t)n);
    return TRANSPORT_DONE;
}

enum transport_code transport_channel_read(struct transport_channel *channel)
{
    const uint64_t length = channel->output_length;
    const enum transport_code output = read_stream(channel, 0);

    /* errors do not overtake output: they wait for what of it is still here, and bring nothing new in */
    if (output == TRANSPORT_FAILED || channel->output_length - length == OUTPUT_SIZE)
        return output;
    channel->transport->input.is_held = true;
    const enum transport_code errors = read_stream(channel, SSH_EXTENDED_DATA_STDERR);
    channel->transport->input.is_held = false;
    return errors == TRANSPORT_AGAIN ? output : errors;
}

enum transport_code transport_channel_write(struct transport_channel *channel, const char *bytes, size_t length,
                                            size_t *ret_length)
{
    struct transport *transport = channel->transport;
    ssize_t n = 0;

    if (transport->queue.length <= QUEUE_CONGESTED)
        n = libssh2_channel_write_ex(channel->channel, 0, bytes, length);
    *ret_length = n > 0 ? (size_t)n : 0;
    if (n >= 0)
        return n > 0 ? TRANSPORT_DONE : TRANSPORT_AGAIN;
    return n == LIBSSH2_ERROR_CHANNEL_CLOSED || n == LIBSSH2_ERROR_CHANNEL_EOF_SENT ? TRANSPORT_REFUSED
                                                                                    : judge(transport, (int)n);
}

enum transport_code transport_channel_end_input(struct transport_channel *channel)
{
    return judge(channel->transport, libssh2_channel_send_eof(channel->channel));
}

bool transport_channel_is_at_end(const struct transport_channel *channel)
{
    return libssh2_channel_eof(channel->channel) != 0;
}

enum transport_code transport_channel_finish(struct transport_channel *channel)
{
    int code = libssh2_channel_close(channel->channel);

    if (code == 0)
        code = libssh2_channel_wait_closed(channel->channel);
    return judge(channel->transport, code);
}

struct transport_exit transport_channel_exit(struct transport_channel *channel)
{
    struct transport_exit result = {.status = libssh2_channel_get_exit_status(channel->channel)};
    char *name = NULL;
    size_t length = 0;

    if (libssh2_channel_get_exit_signal(channel->channel, &name, &length, NULL, NULL, NULL, NULL) == 0 &&
        name != NULL) {
        snprintf(result.signal, sizeof result.signal, "%.*s", (int)length, name);
        utf8_mask(result.signal);
        libssh2_free(channel->transport->session, name);
    }
    result.is_known = channel->has_status || result.signal[0] != '\0';
    return result;
}

void transport_channel_close(struct transport_channel *channel)
{
    if (channel == NULL)
        return;
    struct transport_channel **place = &channel->transport->channels;
    while (*place != channel)
        place = &(*place)->next;
    *place = channel->next;
    /* without waiting: what does not go out now is freed with the session */
    if (channel->channel != NULL && !channel->transport->lacks_memory)
        libssh2_channel_free(channel->channel);
    free(channel);
}
