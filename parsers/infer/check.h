/* What a layout gives of a capture beside what its tables print. */
#ifndef MSPROF_PARSERS_INFER_CHECK_H
#define MSPROF_PARSERS_INFER_CHECK_H

#include "parsers/infer/check_result.h"
#include "parsers/infer/infer.h"

/* Decodes the capture, whose options name the layouts, into memory and compares its records with the tables. */
int check_tables(struct capture *capture, const struct printed_files *tables, const struct infer_options *options,
                 struct check_result *result, struct err *err);

#endif
