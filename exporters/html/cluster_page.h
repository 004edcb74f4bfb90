/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the page: that of the ranks of a job. */
#ifndef MSPROF_EXPORTERS_HTML_CLUSTER_PAGE_H
#define MSPROF_EXPORTERS_HTML_CLUSTER_PAGE_H

#include "exporters/html/page.h"

/* Puts the parts of what msprof cluster wrote into a directory. */
int html_put_cluster(struct html_page *page, const char *directory, struct err *err);

#endif
