/* SPDX-License-Identifier: Apache-2.0 */
/* The page about an OPPROF directory: its parts are tables of 'msprof show', and pictures of their cells. */
#ifndef MSPROF_FEATURES_OPPROF_OPPROF_PAGE_H
#define MSPROF_FEATURES_OPPROF_OPPROF_PAGE_H

#include "features/page/page.h"

extern const struct html_part opprof_parts[]; /* ended by one without a title */

/* Puts the hottest lines of the simulator beside their source below page->source, where that is given. */
int opprof_put_source(struct html_page *page, struct err *err);

#endif
