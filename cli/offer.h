/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_CLI_OFFER_H
#define MSPROF_CLI_OFFER_H

/* Words that completion offers for values which are no fixed choices: names of tables, ids of columns, metrics, rules,
 * layers of timelines. */
enum offer { OFFER_NOTHING, OFFER_TABLES, OFFER_RANK_TABLES, OFFER_COLUMNS, OFFER_METRICS, OFFER_RULES, OFFER_LAYERS };

#endif
