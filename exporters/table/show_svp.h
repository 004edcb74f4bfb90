/* SPDX-License-Identifier: Apache-2.0 */
/* Terminal reports of SVP captures. */
#ifndef MSPROF_EXPORTERS_TABLE_SHOW_SVP_H
#define MSPROF_EXPORTERS_TABLE_SHOW_SVP_H

#include "exporters/table/show_block.h"

int show_of_svp(struct show *show, struct err *err);

#endif
