/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal report of captures of the layout of 2022. */
#ifndef MSPROF_EXPORTERS_TABLE_SHOW_2022_H
#define MSPROF_EXPORTERS_TABLE_SHOW_2022_H

#include "exporters/table/show_block.h"

/* Prints each device's statistics and longest operators and tasks. */
int show_of_2022(struct show *show, struct err *err);

#endif
