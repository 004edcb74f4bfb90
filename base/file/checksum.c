/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/checksum.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGEST_SIZE 32
_Static_assert(CHECKSUM_TEXT_SIZE == 2 * DIGEST_SIZE + 1, "two hex digits a byte and a NUL");

struct checksum {
    enum checksum_kind kind;
    EVP_MD_CTX *context; /* NULL for CKSUM */
    uint32_t crc;        /* of CKSUM */
    uint64_t length;     /* bytes so far, which CKSUM appends */
    uint32_t table[256]; /* of CKSUM */
    bool failed;         /* libcrypto refused something since the last finish */
};

/* digest: NULL when it was started before, because libcrypto looks for the digest each time that it is told one. */
static void start(struct checksum *sum, const EVP_MD *digest)
{
    sum->crc = 0;
    sum->length = 0;
    sum->failed = sum->context != NULL && EVP_DigestInit_ex(sum->context, digest, NULL) != 1;
}

/* The polynomial of POSIX cksum, the highest bit first. */
static void make_table(uint32_t table[256])
{
    const uint32_t polynomial = 0x04C11DB7, highest = UINT32_C(1) << 31;

    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i << 24;

        for (int bit = 0; bit < 8; bit++)
            crc = (crc & highest) != 0 ? crc << 1 ^ polynomial : crc << 1;
        table[i] = crc;
    }
}

static void add_to_crc(struct checksum *sum, unsigned char byte)
{
    sum->crc = sum->crc << 8 ^ sum->table[(sum->crc >> 24 ^ byte) & 255];
}

struct checksum *checksum_new(void)
{
    return checksum_new_kind(CHECKSUM_SHA256);
}

struct checksum *checksum_new_kind(enum checksum_kind kind)
{
    struct checksum *sum = calloc(1, sizeof *sum);

    if (sum == NULL)
        return NULL;
    sum->kind = kind;
    if (kind == CHECKSUM_CKSUM) {
        make_table(sum->table);
        return sum;
    }
    sum->context = EVP_MD_CTX_new();
    if (sum->context != NULL) {
        start(sum, kind == CHECKSUM_MD5 ? EVP_md5() : EVP_sha256());
        if (!sum->failed)
            return sum;
    }
    checksum_free(sum);
    return NULL;
}

void checksum_add(struct checksum *sum, const void *bytes, size_t length)
{
    if (sum == NULL || sum->failed || length == 0)
        return;
    sum->length += length;
    if (sum->context != NULL)
        sum->failed = EVP_DigestUpdate(sum->context, bytes, length) != 1;
    else
        for (size_t i = 0; i < length; i++)
            add_to_crc(sum, ((const unsigned char *)bytes)[i]);
}

static void finish_crc(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE])
{
    for (uint64_t length = sum->length; length > 0; length >>= 8)
        add_to_crc(sum, (unsigned char)(length & 255));
    snprintf(text, CHECKSUM_TEXT_SIZE, "%lu", (unsigned long)(~sum->crc & UINT32_MAX));
}

static void finish_digest(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;

    if (EVP_DigestFinal_ex(sum->context, digest, &size) != 1 || size > DIGEST_SIZE)
        return;
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * (size_t)size] = '\0';
}

void checksum_finish(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE])
{
    text[0] = '\0';
    if (sum == NULL)
        return;
    if (!sum->failed && sum->context != NULL)
        finish_digest(sum, text);
    else if (!sum->failed)
        finish_crc(sum, text);
    start(sum, NULL);
}

void checksum_free(struct checksum *sum)
{
    if (sum == NULL)
        return;
    EVP_MD_CTX_free(sum->context);
    free(sum);
}

void checksum_of(const char *text, size_t length, char ret[CHECKSUM_TEXT_SIZE])
{
    struct checksum *sum = checksum_new();
    checksum_add(sum, text, length);
    checksum_finish(sum, ret);
    checksum_free(sum);
}

struct library_version checksum_library(void)
{
#ifdef OPENSSL_VERSION_STR
    return (struct library_version){"OpenSSL", OPENSSL_VERSION_STR, OpenSSL_version(OPENSSL_VERSION_STRING)};
#else
    return (struct library_version){"OpenSSL", OPENSSL_VERSION_TEXT, OpenSSL_version(OPENSSL_VERSION)};
#endif
}
