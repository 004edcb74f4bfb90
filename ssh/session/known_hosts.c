/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/session/known_hosts.h"

#include "base/bytes.h"
#include "base/file/fsutil.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHA1_SIZE 20
#define SHA256_SIZE 32
#define KEY_LIMIT 16384 /* bytes of a key's wire form */
#define DEFAULT_PORT 22

/* The fields of one line, pointing into the text. */
struct field {
    const char *start;
    size_t length;
};
struct host_line {
    struct field marker; /* "@revoked", or empty */
    struct field hosts, type, key;
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

char *known_hosts_name(const char *host, int port)
{
    size_t length = strlen(host);
    struct strbuf name;

    if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    }
    strbuf_init(&name, 1024);
    if (port == DEFAULT_PORT)
        strbuf_add(&name, host, length);
    else
        strbuf_addf(&name, "[%.*s]:%d", (int)length, host, port);
    for (size_t i = 0; i < name.length; i++)
        name.data[i] = lower(name.data[i]);
    return strbuf_detach(&name);
}

static struct field next_field(const char **at, const char *end)
{
    struct field field;

    while (*at < end && (**at == ' ' || **at == '\t'))
        (*at)++;
    field.start = *at;
    while (*at < end && **at != ' ' && **at != '\t' && **at != '\r')
        (*at)++;
    field.length = (size_t)(*at - field.start);
    return field;
}

static bool field_is(struct field field, const char *text)
{
    return field.length == strlen(text) && memcmp(field.start, text, field.length) == 0;
}

/* False for comments and lines that miss a field. */
static bool split_line(const char *line, size_t length, struct host_line *ret)
{
    const char *at = line, *end = line + length;

    *ret = (struct host_line){.marker = {line, 0}};
    ret->hosts = next_field(&at, end);
    if (ret->hosts.length == 0 || ret->hosts.start[0] == '#')
        return false;
    if (ret->hosts.start[0] == '@') {
        ret->marker = ret->hosts;
        ret->hosts = next_field(&at, end);
    }
    ret->type = next_field(&at, end);
    ret->key = next_field(&at, end);
    return ret->key.length > 0;
}

/* Decodes base64 into ret; -1 when it is none or too long. */
static long decode_base64(struct field text, unsigned char *ret, size_t size)
{
    SCOPED_FREE unsigned char *buffer = NULL;
    long length = -1;
    size_t padding = 0;

    if (text.length == 0 || text.length % 4 != 0 || text.length > KEY_LIMIT * 4 / 3)
        return -1;
    buffer = scoped_memory(text.length, 1);
    if (buffer == NULL)
        return -1;
    length = EVP_DecodeBlock(buffer, (const unsigned char *)text.start, (int)text.length);
    while (padding < 2 && text.start[text.length - 1 - padding] == '=')
        padding++;
    length = length >= (long)padding ? length - (long)padding : -1;
    if (length > (long)size)
        length = -1;
    if (length > 0)
        memcpy(ret, buffer, (size_t)length);
    return length;
}

/* "|1|salt|hash": HMAC-SHA1 of the name with the salt as its key. */
static bool match_hashed(struct field hosts, const char *name)
{
    unsigned char salt[64], hash[SHA1_SIZE], wanted[EVP_MAX_MD_SIZE];
    const char *first = hosts.start + 3, *end = hosts.start + hosts.length, *bar;
    unsigned wanted_length = 0;
    long salt_length;

    if (hosts.length < 3 || memcmp(hosts.start, "|1|", 3) != 0)
        return false;
    bar = memchr(first, '|', (size_t)(end - first));
    if (bar == NULL)
        return false;
    salt_length = decode_base64((struct field){first, (size_t)(bar - first)}, salt, sizeof salt);
    if (salt_length < 1 ||
        decode_base64((struct field){bar + 1, (size_t)(end - bar - 1)}, hash, sizeof hash) != SHA1_SIZE)
        return false;
    if (HMAC(EVP_sha1(), salt, (int)salt_length, (const unsigned char *)name, strlen(name), wanted, &wanted_length) ==
            NULL ||
        wanted_length != SHA1_SIZE)
        return false;
    return memcmp(hash, wanted, SHA1_SIZE) == 0;
}

/* '*' and '?'; iterative, so that no pattern takes exponential time. */
static bool match_wildcards(struct field pattern, const char *name)
{
    size_t p = 0, star = SIZE_MAX, n = 0, resume = 0, length = strlen(name);

    while (n < length) {
        if (p < pattern.length && pattern.start[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.length && (pattern.start[p] == '?' || lower(pattern.start[p]) == name[n])) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.start[p] == '*')
        p++;
    return p == pattern.length;
}

/* A list of patterns; one that is negated and matches decides. */
static bool match_hosts(struct field hosts, const char *name)
{
    const char *at = hosts.start, *end = hosts.start + hosts.length;
    bool found = false;

    if (hosts.length > 0 && hosts.start[0] == '|')
        return match_hashed(hosts, name);
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        struct field pattern = {at, (size_t)((comma != NULL ? comma : end) - at)};
        bool negated = pattern.length > 0 && pattern.start[0] == '!';

        if (negated) {
            pattern.start++;
            pattern.length--;
        }
        if (pattern.length > 0 && match_wildcards(pattern, name)) {
            if (negated)
                return false;
            found = true;
        }
        at = comma != NULL ? comma + 1 : end;
    }
    return found;
}

/* Steps to the next line of the text that is about the host. *line counts lines; false at the end. */
static bool next_match(const char **at, const char *end, size_t *line, const char *name, struct host_line *ret)
{
    while (*at < end) {
        const char *newline = memchr(*at, '\n', (size_t)(end - *at));
        const char *start = *at;
        size_t length = (size_t)((newline != NULL ? newline : end) - start);

        *at = newline != NULL ? newline + 1 : end;
        (*line)++;
        if (split_line(start, length, ret) && !field_is(ret->marker, "@cert-authority") &&
            match_hosts(ret->hosts, name))
            return true;
    }
    return false;
}

struct known_host_answer known_hosts_check(const char *text, size_t length, const char *name, const char *key_type,
                                           const void *key, size_t key_length)
{
    struct known_host_answer answer = {KNOWN_HOST_UNKNOWN, 0};
    SCOPED_FREE unsigned char *known = scoped_memory(KEY_LIMIT, 1);
    const char *at = text;
    struct host_line found;
    size_t line = 0;

    /* without memory every key counts as revoked: refused */
    if (known == NULL)
        return (struct known_host_answer){KNOWN_HOST_REVOKED, 0};
    while (next_match(&at, text + length, &line, name, &found)) {
        long known_length = decode_base64(found.key, known, KEY_LIMIT);
        bool same = known_length > 0 && (size_t)known_length == key_length && memcmp(known, key, key_length) == 0;

        if (found.marker.length > 0) {
            if (same && field_is(found.marker, "@revoked")) {
                answer = (struct known_host_answer){KNOWN_HOST_REVOKED, line};
                break;
            }
            continue;
        }
        if (known_length < 0)
            continue;
        if (same)
            answer = (struct known_host_answer){KNOWN_HOST_SAME, line};
        else if (answer.match != KNOWN_HOST_SAME && field_is(found.type, key_type))
            answer = (struct known_host_answer){KNOWN_HOST_CHANGED, line};
        else if (answer.match == KNOWN_HOST_UNKNOWN)
            answer = (struct known_host_answer){KNOWN_HOST_TYPE, line};
    }
    return answer;
}

unsigned known_hosts_types(const char *text, size_t length, const char *name, const char *const *types, size_t count)
{
    const char *at = text;
    struct host_line found;
    unsigned known = 0;
    size_t line = 0;

    while (next_match(&at, text + length, &line, name, &found))
        for (size_t i = 0; i < count && found.marker.length == 0; i++)
            known |= (unsigned)field_is(found.type, types[i]) << i;
    return known;
}

int known_hosts_load(const char *path, char **ret_text, size_t *ret_length, struct err *err)
{
    int result;

    if (access(path, F_OK) < 0 && errno == ENOENT) {
        *ret_text = calloc(1, 1);
        *ret_length = 0;
        return *ret_text != NULL ? 0 : err_no_memory(err);
    }
    result = path_read_file(path, KNOWN_HOSTS_LIMIT, ret_text, ret_length, err);
    return result == 0 ? 0 : err_wrap(err, "cannot read known host keys");
}

/* Makes the directory of a path when its parent is there (~/.ssh of a fresh account). */
static int make_parent(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    SCOPED_FREE char *parent = NULL;

    if (slash == NULL || slash == path)
        return 0;
    parent = scoped_text(path, (size_t)(slash - path));
    if (parent == NULL)
        return err_no_memory(err);
    return mkdir(parent, 0700) < 0 && errno != EEXIST
               ? err_set_errno(err, errno, "cannot make the directory '%s'", parent)
               : 0;
}

static int append(const char *path, const char *line, size_t length, struct err *err)
{
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    char last = '\n';
    struct stat st;
    bool written;
    int errnum;

    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    /* a last line without its newline must not swallow the new one */
    written = fstat(fd, &st) == 0 && (st.st_size == 0 || pread(fd, &last, 1, st.st_size - 1) == 1) &&
              (last == '\n' || write(fd, "\n", 1) == 1) && write(fd, line, length) == (ssize_t)length;
    errnum = written ? 0 : errno != 0 ? errno : EIO;
    if (close(fd) < 0 && errnum == 0)
        errnum = errno;
    return errnum == 0 ? 0 : err_set_errno(err, errnum, "cannot write '%s'", path);
}

int known_hosts_add(const char *path, const char *name, const char *key_type, const void *key, size_t key_length,
                    struct err *err)
{
    SCOPED_FREE unsigned char *base64 = key_length <= KEY_LIMIT ? scoped_memory(4 * (key_length / 3) + 8, 1) : NULL;
    struct strbuf line;

    if (base64 == NULL)
        return err_no_memory(err);
    strbuf_init(&line, 4 * KEY_LIMIT);
    EVP_EncodeBlock(base64, key, (int)key_length);
    bool unmade = strbuf_addf(&line, "%s %s %s\n", name, key_type, (char *)base64) != 0;
    bool failed = unmade ? err_no_memory(err) != 0
                         : make_parent(path, err) != 0 || append(path, line.data, line.length, err) != 0;
    strbuf_release(&line);
    return unmade ? -ERR_NO_MEMORY : failed ? err_wrap(err, "cannot store the host key") : 0;
}

void known_hosts_fingerprint(const void *key, size_t key_length, char *ret, size_t size)
{
    unsigned char digest[EVP_MAX_MD_SIZE], base64[4 * (SHA256_SIZE / 3 + 1) + 1];
    unsigned digest_length = 0;
    size_t length;

    ret[0] = '\0';
    if (EVP_Digest(key, key_length, digest, &digest_length, EVP_sha256(), NULL) != 1 || digest_length != SHA256_SIZE)
        return;
    EVP_EncodeBlock(base64, digest, SHA256_SIZE);
    length = strcspn((char *)base64, "=");
    snprintf(ret, size, "SHA256:%.*s", (int)length, (char *)base64);
}
