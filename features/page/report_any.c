/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of every family on a page: those of one operator bring their findings and parts. */
#include "features/feature.h"
#include "features/page/report_page.h"

int html_report_add_any(struct html_report *report, sqlite3 *db, const struct html_capture *capture, bool *ret_is_tree,
                        struct err *err)
{
    SCOPED(advice_release) struct advice advice = {.elapsed_ns = 0};
    const struct feature *feature;
    if (feature_of_database(db, &feature, err) < 0)
        return err_status(err);
    *ret_is_tree = feature != NULL;
    if (feature == NULL)
        return html_report_add(report, db, capture, err);
    return feature->advise(db, NULL, &advice, err) < 0
               ? err_status(err)
               : html_report_add_tree(report, db, capture, &advice, feature->page, err);
}
