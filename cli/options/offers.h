/* SPDX-License-Identifier: Apache-2.0 */
/* Words that completion offers for values which are no fixed choices: names of tables, ids of columns, metrics, rules,
 * layers of timelines. */
#ifndef MSPROF_CLI_OPTIONS_OFFERS_H
#define MSPROF_CLI_OPTIONS_OFFERS_H

#include <stdio.h>

enum offer { OFFER_NOTHING, OFFER_TABLES, OFFER_COLUMNS, OFFER_METRICS, OFFER_RULES, OFFER_LAYERS };

/* The words, ascending, with blanks between. */
void offers_put(FILE *stream, enum offer offer);

#endif
