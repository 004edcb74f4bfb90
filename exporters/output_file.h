/* SPDX-License-Identifier: Apache-2.0 */
/* Files of an export: their names, and putting a complete one in place. */
#ifndef MSPROF_EXPORTERS_OUTPUT_FILE_H
#define MSPROF_EXPORTERS_OUTPUT_FILE_H

#include "base/file/outfile.h"
#include "base/strbuf.h"
#include "exporters/export.h"

#include <stddef.h>
#include <stdint.h>

/* "<directory>/<name>[_slice_<n>]" and the three texts, to be freed; slice < 0: not in slices. NULL with err set. */
char *output_file_path(const struct export_options *options, const char *name, int64_t slice,
                       const char *const suffixes[3], struct err *err);
/* Puts a complete file in place, counts it and calls options->written. */
int output_file_done(struct outfile *out, const char *name, uint64_t rows, const struct export_options *options,
                     struct export_result *result, struct err *err);

/* Names of report files. */

#define REPORT_NAME_MAX 255 /* bytes: NAME_MAX of Linux file systems */

/* Appends a number; "unknown" for DB_NULL. */
void report_name_number(struct strbuf *name, int64_t number);

/* Appends a model's name with '/' as '_'; cut, at a character's end, so that tail_length more bytes still fit into
 * REPORT_NAME_MAX. */
void report_name_model(struct strbuf *name, const char *model, size_t tail_length);

#endif
