/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as JSON, on their way into a text. */
#ifndef MSPROF_API_LISTING_H
#define MSPROF_API_LISTING_H

#include "api/block.h"
#include "exporters/json_text.h"
#include "exporters/table/report.h"
#include "exporters/table/writer.h"

#include <sqlite3.h>
#include <stdio.h>

/* Rows of a table as an array of objects: a sink that writes them. */
struct listing {
    struct json_out json;
    struct shape *shape;
};
struct table_sink listing_begin(struct listing *listing, FILE *stream);
void listing_end(struct listing *listing);

/* A report of a database that is no capture's, as a member of a document. */
int list_report(sqlite3 *db, const struct report *report, struct json_out *json, const char *key, struct err *err);

struct answer_text {
    FILE *stream;
    char *text;
    size_t length;
};
int answer_text_begin(struct answer_text *text, struct err *err);
/* The text, which is the caller's; NULL with err set: also where it was set before. */
char *answer_text_end(struct answer_text *text, struct err *err);

#endif
