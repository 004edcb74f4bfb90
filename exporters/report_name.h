/* SPDX-License-Identifier: Apache-2.0 */
/* Names of report files. */
#ifndef MSPROF_EXPORTERS_REPORT_NAME_H
#define MSPROF_EXPORTERS_REPORT_NAME_H

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

#define REPORT_NAME_MAX 255 /* bytes: NAME_MAX of Linux file systems */

/* Appends a number; "unknown" for DB_NULL. */
void report_name_number(struct strbuf *name, int64_t number);

/* Appends a model's name with '/' as '_'; cut, at a character's end, so that tail_length more bytes still fit into
 * REPORT_NAME_MAX. */
void report_name_model(struct strbuf *name, const char *model, size_t tail_length);

#endif
