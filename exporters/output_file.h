/* SPDX-License-Identifier: Apache-2.0 */
/* Files of an export: what they are called, and what is told of one that is complete. */
#ifndef MSPROF_EXPORTERS_OUTPUT_FILE_H
#define MSPROF_EXPORTERS_OUTPUT_FILE_H

#include "base/file/outfile.h"
#include "exporters/export.h"

/* "<directory>/<name>[_slice_<n>]" and the three texts, to be freed; slice < 0: not in slices. NULL with err set. */
char *output_file_path(const struct export_options *options, const char *name, int64_t slice,
                       const char *const suffixes[3], struct err *err);
/* Puts a complete file in place, counts it and tells options->written. */
int output_file_done(struct outfile *out, const char *name, const char *path, uint64_t rows,
                     const struct export_options *options, struct export_result *result, struct err *err);

#endif
