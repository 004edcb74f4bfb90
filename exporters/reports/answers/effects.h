/* SPDX-License-Identifier: Apache-2.0 */
/* What comes of all options: the rows of parsers/switches/effect.c, and one for each record kind that names its option
 * itself.
 */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_EFFECTS_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_EFFECTS_H

#include "base/err.h"
#include "parsers/switches/effect.h"

/* Ended by one without a key. NULL with err set when memory ran out. */
const struct switch_effect *effects_all(struct err *err);

#endif
