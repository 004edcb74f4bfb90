/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the terminal reports of all families share. */
#ifndef MSPROF_EXPORTERS_TABLE_SHOW_BLOCK_H
#define MSPROF_EXPORTERS_TABLE_SHOW_BLOCK_H

#include "exporters/export.h"
#include "exporters/table/text_table.h"

/* One run of show_capture. */
struct show {
    sqlite3 *db;
    FILE *stream;
    const struct show_options *options;
    struct export_result *result;
    struct display display;
    size_t column; /* of the terminal, where the open line goes on */
    bool compact;  /* tables have no rules between rows; those of SVP's guide have them, and frames of no ASCII */
};

/* Lines that are printed outside of tables. A failed write leaves its mark in the stream, which show_capture checks. */

/* Begins a line with a title, in cyan with options->color. */
void show_title(struct show *show, const char *title);
/* Goes on with label and value behind a blank. A pair that no longer fits into options->width begins a new line, and is
 * broken nowhere else. The number DB_NULL is N/A. */
void show_field(struct show *show, const char *label, const char *value);
void show_number(struct show *show, const char *label, int64_t value);
/* "Device id: 1"; nothing for device 0, because most captures have no other. */
void show_device(struct show *show, int64_t device_id);
void show_end_line(struct show *show);
/* Ends the line of a title with how many rows options->top leaves of so many, and which report of a summary has all of
 * them. */
void show_top(struct show *show, int64_t count, const char *report);

#endif
