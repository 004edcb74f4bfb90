/* What the terminal reports of all families share. */
#ifndef MSPROF_EXPORTERS_SHOW_BLOCK_H
#define MSPROF_EXPORTERS_SHOW_BLOCK_H

#include "db/query.h"
#include "exporters/export.h"
#include "exporters/table.h"
#include "exporters/text_table.h"

/* One run of show_capture. */
struct show {
    sqlite3 *db;
    FILE *stream;
    const struct show_options *options;
    struct export_result *result;
};

/* What is printed outside of tables. A failed write leaves its mark in the stream, which show_capture checks. */
void show_title(const struct show *show, const char *title); /* in cyan with options->color; no end of line */
void show_text(const struct show *show, const char *text);
void show_number(const struct show *show, int64_t value, unsigned decimals); /* DB_NULL as N/A */
/* " Device id: 1"; nothing for device 0, because most captures have no other. */
void show_device(const struct show *show, int64_t device_id);

#endif
