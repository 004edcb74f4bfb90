#include "base/file/checksum.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>

#define DIGEST_SIZE 32
_Static_assert(CHECKSUM_TEXT_SIZE == 2 * DIGEST_SIZE + 1, "two hex digits a byte and a NUL");

struct checksum {
    EVP_MD_CTX *context;
    bool failed; /* libcrypto refused something since the last finish */
};

static void start(struct checksum *sum)
{
    sum->failed = EVP_DigestInit_ex(sum->context, EVP_sha256(), NULL) != 1;
}

struct checksum *checksum_new(void)
{
    struct checksum *sum = calloc(1, sizeof *sum);
    if (sum == NULL)
        return NULL;
    sum->context = EVP_MD_CTX_new();
    if (sum->context != NULL) {
        start(sum);
        if (!sum->failed)
            return sum;
    }
    checksum_free(sum);
    return NULL;
}

void checksum_add(struct checksum *sum, const void *bytes, size_t length)
{
    if (sum != NULL && !sum->failed && length > 0)
        sum->failed = EVP_DigestUpdate(sum->context, bytes, length) != 1;
}

void checksum_finish(struct checksum *sum, char text[CHECKSUM_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[DIGEST_SIZE];
    text[0] = '\0';
    if (sum == NULL)
        return;
    if (!sum->failed && EVP_DigestFinal_ex(sum->context, digest, NULL) == 1) {
        for (size_t i = 0; i < DIGEST_SIZE; i++) {
            text[2 * i] = digits[digest[i] >> 4];
            text[2 * i + 1] = digits[digest[i] & 15];
        }
        text[2 * DIGEST_SIZE] = '\0';
    }
    start(sum);
}

void checksum_free(struct checksum *sum)
{
    if (sum == NULL)
        return;
    EVP_MD_CTX_free(sum->context);
    free(sum);
}
