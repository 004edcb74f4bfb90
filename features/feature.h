/* SPDX-License-Identifier: Apache-2.0 */
/* What a feature brings for captures that are trees (parsers/capture/capture_tree.h) beside kinds, tables and rules,
 * which the build finds, as it finds the feature:
 * "const struct feature feature_NAME" beside its tree_NAME and outputs_NAME (exporters/tree_outputs.h). */
#ifndef MSPROF_FEATURES_FEATURE_H
#define MSPROF_FEATURES_FEATURE_H

#include "db/database.h"
#include "features/answers/analysis/advice.h"
#include "features/diff/measures.h"
#include "parsers/record.h"

struct html_part;

struct feature {
    enum capture_family family;
    /* As advice_make, of a database; thresholds: of each of advice_rules; NULL: their
     * own. */
    int (*advise)(sqlite3 *db, const double *thresholds, struct advice *ret, struct err *err);
    /* Adds what captures of the family are compared by. */
    int (*measure)(sqlite3 *db, struct measures *ret, struct err *err);
    const struct html_part *page; /* the parts of its page, ended by one without a title (features/page/page.h) */
};

/* The feature whose family the database's capture is of (*ret; NULL: none). */
int feature_of_database(sqlite3 *db, const struct feature **ret, struct err *err);

#endif
