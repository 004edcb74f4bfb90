/* SPDX-License-Identifier: Apache-2.0 */
/* How 'msprof kinds' prints record kinds and their layouts. */
#ifndef MSPROF_CLI_KINDS_KINDS_OUTPUT_H
#define MSPROF_CLI_KINDS_KINDS_OUTPUT_H

#include "parsers/decode/layout.h"
#include "parsers/record.h"

#include <stdio.h>

/* kinds is ended by NULL. Write errors stay in the stream. */
void kinds_print_table(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts);
void kinds_print_json(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts);
/* The sections of msprof-records(5) that list kinds. */
void kinds_print_mdoc(FILE *stream, const struct record_kind *const *kinds, const struct layout_set *layouts);

/* "integer" or "text". */
const char *kinds_type_name(enum column_type type);
/* Why a column is in no layout, or not in the table: "computed", ...; NULL for ordinary columns. */
const char *kinds_role(const struct column *column);
/* What is special about a field, "bits 0-5, signed, scale 1000"; "" when nothing is. Returns buffer. */
#define KINDS_REMARK_SIZE 128
const char *kinds_field_remark(const struct field *field, char *buffer);

#endif
