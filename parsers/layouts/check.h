/* SPDX-License-Identifier: Apache-2.0 */
/* What a layout gives of a capture beside what its tables print. */
#ifndef MSPROF_PARSERS_LAYOUTS_CHECK_H
#define MSPROF_PARSERS_LAYOUTS_CHECK_H

#include "parsers/layouts/check_result.h"
#include "parsers/layouts/infer.h"

/* Decodes the capture, whose options name the layouts, into memory and compares its records with the tables. */
int check_tables(struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct check_result *result, struct err *err);

#endif
