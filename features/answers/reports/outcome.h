/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of options: the tables and layers that come of a switch, from the same tables that make them. */
#ifndef MSPROF_FEATURES_ANSWERS_REPORTS_OUTCOME_H
#define MSPROF_FEATURES_ANSWERS_REPORTS_OUTCOME_H

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "features/options/finding.h"

#include <sqlite3.h>
#include <stdio.h>

/* The effects of all options: the rows of features/options/finding.c, and one for each record kind that names its
 * option itself.
 */

/* Ended by one without a key. NULL with err set when memory ran out. */
const struct switch_effect *outcome_all_effects(struct err *err);

#define OUTCOME_EVERY_CHIP (-1)

struct outcome_table {
    const char *name;        /* "l2_cache" */
    const char *switches[8]; /* keys of the options that it is of; ended by NULL */
    struct ARRAY_OF(char *) columns;
};

/* A layer of the timeline, or another file of JSON. */
struct outcome_layer {
    const char *name; /* "HBM", "step_trace"; not ended by a NUL: */
    size_t length;
    const char *key; /* the option that it is of; NULL: of whatever is collected */
};

/* All zero: empty. */
struct outcome {
    int64_t chip; /* OUTCOME_EVERY_CHIP, or its number */
    struct outcome_effects {
        struct outcome_effect {
            const struct switch_effect *effect;
            const char *value; /* of the option; the finding's */
            bool on_chip;
        } * items;
        size_t count, capacity;
    } effects;
    struct outcome_tables ARRAY_OF(struct outcome_table) tables;
    struct outcome_layers ARRAY_OF(struct outcome_layer) layers, files;
};

/* Warns of options of which nothing comes on the outcome's chip, or without others; a value that this chip does not
 * take is a problem. */
int outcome_warn(const struct outcome *outcome, struct switch_finding *finding, struct err *err);

/* Needs outcome_release whatever the result; the finding must outlive it. */
int outcome_of(const struct switch_finding *finding, int64_t chip, struct outcome *ret, struct err *err);
void outcome_release(struct outcome *outcome);

/* Whether a table comes of an effect. */
bool outcome_has_table(const struct switch_effect *effect, const char *report);

/* Why a capture has nothing for a table: what would have had to be switched on. */

/* Appends "l2_cache: no data; it needs l2 = on, which this capture had off", or less when less is known: at least
 * "l2_cache: no data". */
int outcome_tell_absence(sqlite3 *db, const char *report, struct strbuf *ret, struct err *err);

/* Why a capture holds nothing at all. */

/* Appends "nothing was recorded, because ..." when no record came with the capture and no file of it is foreign;
 * nothing otherwise. */
int outcome_tell_emptiness(sqlite3 *db, struct strbuf *ret, struct err *err);

/* The answer of msprof options: as a text for people, or as JSON of the schema msprof.options/1. */

enum options_format { OPTIONS_TABLE, OPTIONS_JSON };

/* Write errors stay with the stream. */
void options_print(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                   enum options_format format, FILE *stream);

#endif
