/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal report of new CANN captures. */
#ifndef MSPROF_EXPORTERS_TABLE_CANN_SHOW_H
#define MSPROF_EXPORTERS_TABLE_CANN_SHOW_H

#include "exporters/table/show_block.h"

/* Prints all blocks; see show_capture. */
int cann_show(struct show *show, struct err *err);

#endif
