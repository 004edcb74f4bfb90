/* SPDX-License-Identifier: Apache-2.0 */
/* Documents with a digest that detects edits: baselines of 'msprof diff --save'. */
#include "exporters/json_seal.h"

#include "base/file/checksum.h"

#include <string.h>

#define DIGEST ",\n\"sha256\":\""
#define TAIL "\"}\n"
#define DIGEST_BYTES (sizeof DIGEST - 1 + CHECKSUM_TEXT_SIZE - 1 + sizeof TAIL - 1)

void json_seal(struct strbuf *text)
{
    char digest[CHECKSUM_TEXT_SIZE];
    checksum_of(text->data, text->length, digest);
    strbuf_addf(text, DIGEST "%s" TAIL, digest);
}

int json_seal_check(const char *text, size_t length, struct err *err)
{
    char digest[CHECKSUM_TEXT_SIZE];
    const char *end = length > DIGEST_BYTES ? text + length - DIGEST_BYTES : NULL;
    if (end == NULL || memcmp(end, DIGEST, sizeof DIGEST - 1) != 0)
        return err_set(err, ERR_FORMAT,
                       "its end is missing: it was cut after %zu bytes, or an older msprof wrote it without a digest",
                       length);
    checksum_of(text, (size_t)(end - text), digest);
    if (memcmp(end + sizeof DIGEST - 1, digest, CHECKSUM_TEXT_SIZE - 1) != 0)
        return err_set(err, ERR_FORMAT, "its digest does not match its content: it was edited or damaged");
    return 0;
}
