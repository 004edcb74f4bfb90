/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal report of captures of 2020. */
#ifndef MSPROF_EXPORTERS_TABLE_SHOW_JOB_H
#define MSPROF_EXPORTERS_TABLE_SHOW_JOB_H

#include "exporters/table/show_block.h"

/* Prints each device's statistic of operators. */
int show_of_job(struct show *show, struct err *err);

#endif
