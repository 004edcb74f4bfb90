/* SPDX-License-Identifier: Apache-2.0 */
/* Is the server the one it was? */
#include "base/strbuf.h"
#include "ssh/session/internal.h"
#include "ssh/transport/wire.h"

#include <string.h>

/* In the order of preference. */
static const char *const key_types[] = {"ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
                                        "ecdsa-sha2-nistp521", "ssh-rsa"};
#define KEY_TYPE_COUNT (sizeof key_types / sizeof key_types[0])

/* The ways in which keys of a type sign. */
static const char *ways_of(const char *type)
{
    return strcmp(type, "ssh-rsa") == 0 ? "rsa-sha2-512,rsa-sha2-256,ssh-rsa" : type;
}

int ssh_list_key_types(const struct ssh_connection *connection, struct strbuf *list, struct err *err)
{
    const struct ssh_target *target = &connection->target;
    SCOPED_FREE char *text = NULL, *name = known_hosts_name(target->host, target->port);
    size_t length;

    if (name == NULL)
        return err_no_memory(err);
    if (known_hosts_load(target->known_hosts, &text, &length, err) != 0)
        return err_status(err);
    const unsigned known = known_hosts_types(text, length, name, key_types, KEY_TYPE_COUNT);
    for (unsigned wanted = 2; wanted-- > 0;)
        for (size_t i = 0; i < KEY_TYPE_COUNT; i++)
            if ((known >> i & 1) == wanted)
                strbuf_addf(list, "%s%s", list->length > 0 ? "," : "", ways_of(key_types[i]));
    return list->failed ? err_no_memory(err) : 0;
}

static int refuse_unknown(struct err *err, const struct ssh_target *target, const char *type, const char *fingerprint)
{
    err_set(err, ERR_REMOTE, "unknown host key of '%s', port %d: %s %s", target->host, target->port, type, fingerprint);
    return err_hint(err,
                    "compare the fingerprint with the output of 'ssh-keygen -lf' on the board, then accept it with "
                    "--accept-new-host-key, which stores it in '%s'",
                    target->known_hosts);
}

static int refuse_changed(struct err *err, const struct ssh_target *target, const char *name, const char *fingerprint,
                          size_t line)
{
    err_set(err, ERR_REMOTE,
            "the host key of '%s', port %d, has changed: it is now %s, but '%s', line %zu, has another one; the "
            "connection may be intercepted",
            target->host, target->port, fingerprint, target->known_hosts, line);
    return err_hint(err, "if you know that the board has a new key: ssh-keygen -R '%s' -f '%s'", name,
                    target->known_hosts);
}

static int refuse_type(struct err *err, const struct ssh_target *target, const char *type, const char *fingerprint,
                       size_t line)
{
    err_set(err, ERR_REMOTE,
            "'%s', port %d, has a host key of type %s (%s), but '%s', line %zu, has a key of another type",
            target->host, target->port, type, fingerprint, target->known_hosts, line);
    return err_hint(err,
                    "compare the fingerprint with the output of 'ssh-keygen -lf' on the board, then add this key: "
                    "ssh-keyscan -t %s -p %d '%s' >> '%s'",
                    strncmp(type, "ecdsa", 5) == 0 ? "ecdsa"
                    : strcmp(type, "ssh-rsa") == 0 ? "rsa"
                                                   : "ed25519",
                    target->port, target->host, target->known_hosts);
}

static int decide(struct ssh_connection *connection, const char *name, const char *text, size_t length, const void *key,
                  size_t key_length, struct err *err)
{
    const struct ssh_target *target = &connection->target;
    struct known_host_answer answer;
    char type[64];
    int result;

    wire_key_type(&(struct bytes){key, key_length}, type, sizeof type);
    answer = known_hosts_check(text, length, name, type, key, key_length);
    switch (answer.match) {
    case KNOWN_HOST_SAME:
        return 0;
    case KNOWN_HOST_REVOKED:
        return err_set(err, ERR_REMOTE, "the host key of '%s' is revoked by '%s', line %zu", target->host,
                       target->known_hosts, answer.line);
    case KNOWN_HOST_CHANGED:
        return refuse_changed(err, target, name, connection->facts.fingerprint, answer.line);
    case KNOWN_HOST_TYPE:
        return refuse_type(err, target, type, connection->facts.fingerprint, answer.line);
    case KNOWN_HOST_UNKNOWN:
        break;
    }
    if (!target->accept_new_host_key || type[0] == '\0')
        return refuse_unknown(err, target, type, connection->facts.fingerprint);
    result = known_hosts_add(target->known_hosts, name, type, key, key_length, err);
    connection->facts.host_key_added = result == 0;
    return result;
}

int ssh_check_host_key(struct ssh_connection *connection, struct err *err)
{
    const struct ssh_target *target = &connection->target;
    SCOPED_FREE char *text = NULL, *name = known_hosts_name(target->host, target->port);
    size_t length, key_length = 0;
    const void *key = transport_host_key(connection->transport, &key_length);

    if (name == NULL || ssh_check_memory(connection, err) != 0)
        return err_no_memory(err);
    if (key == NULL)
        return err_set(err, ERR_REMOTE, "'%s' sent no host key", target->host);
    known_hosts_fingerprint(key, key_length, connection->facts.fingerprint, sizeof connection->facts.fingerprint);
    if (known_hosts_load(target->known_hosts, &text, &length, err) != 0 ||
        decide(connection, name, text, length, key, key_length, err) != 0)
        return err_status(err);
    return 0;
}
