/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file/checksum.h"

#include "base/file/checksum_wide.h"

/* The digests themselves: through EVP libcrypto would first set up all that it has, which costs more than a small
 * capture's files. */
#define OPENSSL_SUPPRESS_DEPRECATED
/* xxHash is compiled in: its code is in its header, so that the program needs no library for it at run time. */
#define XXH_INLINE_ALL
#ifdef __SANITIZE_ADDRESS__
#define XXH_NO_INLINE_HINTS 1 /* gcc -Og refuses functions that must be inlined */
#endif
#include <openssl/crypto.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

_Static_assert(CHECKSUM_TEXT_SIZE == 2 * SHA256_DIGEST_LENGTH + 1, "two hex digits a byte and a NUL");

struct checksum {
    XXH3_state_t xxh3; /* first: it has the strictest alignment */
    enum checksum_kind kind;
    bool wide; /* of XXH128: xxh3_wide() */
    SHA256_CTX sha256;
    MD5_CTX md5;
    uint32_t crc;        /* of CKSUM */
    uint64_t length;     /* bytes so far, which CKSUM appends */
    uint32_t table[256]; /* of CKSUM */
};

static void start(struct checksum *sum)
{
    sum->crc = 0;
    sum->length = 0;
    if (sum->kind == CHECKSUM_SHA256)
        SHA256_Init(&sum->sha256);
    else if (sum->kind == CHECKSUM_MD5)
        MD5_Init(&sum->md5);
    else if (sum->kind == CHECKSUM_XXH128)
        XXH3_128bits_reset(&sum->xxh3);
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

static void add_to_xxh3(struct checksum *sum, const void *bytes, size_t length)
{
    if (sum->wide)
        xxh3_wide_add(&sum->xxh3, bytes, length);
    else
        XXH3_128bits_update(&sum->xxh3, bytes, length);
}

struct checksum *checksum_new(void)
{
    return checksum_new_kind(CHECKSUM_SHA256);
}

struct checksum *checksum_new_kind(enum checksum_kind kind)
{
    struct checksum *sum = aligned_alloc(_Alignof(struct checksum), sizeof *sum);

    if (sum == NULL)
        return NULL;
    memset(sum, 0, sizeof *sum);
    sum->kind = kind;
    sum->wide = xxh3_wide();
    if (kind == CHECKSUM_CKSUM)
        make_table(sum->table);
    start(sum);
    return sum;
}

void checksum_add(struct checksum *sum, const void *bytes, size_t length)
{
    if (sum == NULL || length == 0)
        return;
    sum->length += length;
    if (sum->kind == CHECKSUM_SHA256)
        SHA256_Update(&sum->sha256, bytes, length);
    else if (sum->kind == CHECKSUM_MD5)
        MD5_Update(&sum->md5, bytes, length);
    else if (sum->kind == CHECKSUM_XXH128)
        add_to_xxh3(sum, bytes, length);
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

static void put_digest(const unsigned char *digest, size_t size, char text[CHECKSUM_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * size] = '\0';
}

void checksum_finish(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE])
{
    unsigned char digest[SHA256_DIGEST_LENGTH];

    text[0] = '\0';
    if (sum == NULL)
        return;
    if (sum->kind == CHECKSUM_SHA256) {
        SHA256_Final(digest, &sum->sha256);
        put_digest(digest, SHA256_DIGEST_LENGTH, text);
    } else if (sum->kind == CHECKSUM_MD5) {
        MD5_Final(digest, &sum->md5);
        put_digest(digest, MD5_DIGEST_LENGTH, text);
    } else if (sum->kind == CHECKSUM_XXH128) {
        XXH128_canonical_t canonical;

        XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&sum->xxh3));
        put_digest(canonical.digest, sizeof canonical.digest, text);
    } else {
        finish_crc(sum, text);
    }
    start(sum);
}

void checksum_free(struct checksum *sum)
{
    free(sum);
}

void checksum_of(const char *text, size_t length, char ret[CHECKSUM_TEXT_SIZE])
{
    checksum_of_kind(CHECKSUM_SHA256, text, length, ret);
}

void checksum_of_kind(enum checksum_kind kind, const char *text, size_t length, char ret[CHECKSUM_TEXT_SIZE])
{
    struct checksum *sum = checksum_new_kind(kind);
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

struct library_version checksum_xxhash_library(void)
{
    static const char version[] =
        AS_TEXT(XXH_VERSION_MAJOR) "." AS_TEXT(XXH_VERSION_MINOR) "." AS_TEXT(XXH_VERSION_RELEASE);
    return (struct library_version){"xxHash", version, version};
}
