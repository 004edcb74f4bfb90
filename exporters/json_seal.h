/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest as the last member of a JSON document that msprof writes for itself: an edited number would be believed.
 *
 *     json_seal(&text);                              {"schema":"x","values":[1,2] becomes ... ,"sha256":"..."}
 *     if (json_seal_check(text, length, err) < 0) ...
 */
#ifndef MSPROF_EXPORTERS_JSON_SEAL_H
#define MSPROF_EXPORTERS_JSON_SEAL_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stddef.h>

/* Adds the digest of the text so far, an object without its last brace, and that brace. */
void json_seal(struct strbuf *text);
/* -ERR_FORMAT: the document was cut, edited or damaged. */
int json_seal_check(const char *text, size_t length, struct err *err);

#endif
