/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_EXPORTERS_DATABASE_TORCH_DATABASE_H
#define MSPROF_EXPORTERS_DATABASE_TORCH_DATABASE_H

#include "base/format/json_in.h"
#include "base/strbuf.h"

/* A parsed JSON value as a text again. */

/* Appends the value on one line, with a blank behind each comma and colon. */
void json_out(struct strbuf *buf, const struct json *value);

#endif
