/* SPDX-License-Identifier: Apache-2.0 */
/* A parsed JSON value as a text again. */
#ifndef MSPROF_EXPORTERS_DATABASE_JSON_OUT_H
#define MSPROF_EXPORTERS_DATABASE_JSON_OUT_H

#include "base/format/json_in.h"
#include "base/strbuf.h"

/* Appends the value on one line, with a blank behind each comma and colon. */
void json_out(struct strbuf *buf, const struct json *value);

#endif
