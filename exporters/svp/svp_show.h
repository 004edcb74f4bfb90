/* The terminal report of SVP captures. */
#ifndef MSPROF_EXPORTERS_SVP_SVP_SHOW_H
#define MSPROF_EXPORTERS_SVP_SVP_SHOW_H

#include "exporters/show/show_block.h"

/* Prints its four blocks: AI Core Metrics, Op statistic, Acl statistic, Frequency. */
int svp_show(struct show *show, struct err *err);

#endif
