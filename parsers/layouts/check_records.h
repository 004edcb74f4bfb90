/* SPDX-License-Identifier: Apache-2.0 */
/* Tables whose rows name no inference and task: compared with the records that began at the same time, or that they sum
 * up. */
#ifndef MSPROF_PARSERS_LAYOUTS_CHECK_RECORDS_H
#define MSPROF_PARSERS_LAYOUTS_CHECK_RECORDS_H

#include "parsers/layouts/check_result.h"
#include "parsers/layouts/problem.h"

/* Decodes the capture and compares it with the tables of the problem, whose form has events or sums. */
int check_records(struct capture *capture, struct problem *problem, struct check_result *result, struct err *err);

/* A batch for a sink that looks at rows in its commit and drops them; NULL with err set. */
struct row_batch *check_begin_batch(struct row_sink *sink, const struct record_kind *kind, struct err *err);

/* A cell of a batch as a number; PRINTED_NONE: the layout does not give it. */
int64_t check_cell(const struct row_batch *batch, size_t row, const char *column);

/* Whether the number is inside of what is printed, in any rounding that the options allow. */
bool check_is_inside(struct problem *problem, size_t column, const struct printed_row *row, int64_t first,
                     int64_t value);

/* A printed number as text, with as many decimals as are kept. */
#define CHECK_NUMBER_SIZE 40
void check_format(int64_t value, unsigned digits, char text[CHECK_NUMBER_SIZE]);

#endif
