/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/framework/analysis.h"

#include "base/number.h"
#include "db/query/cann_version.h"

#include <string.h>

bool framework_wants_step(const struct framework_analysis *analysis, const char *id)
{
    int64_t number;
    if (analysis->steps.count == 0)
        return true;
    if (number_parse_integer(id, strlen(id), &number) < 0)
        return false;
    for (size_t i = 0; i < analysis->steps.count; i++) {
        if (analysis->steps.items[i] == number)
            return true;
    }
    return false;
}

bool framework_names_device(const struct framework_analysis *analysis)
{
    return analysis->framework->info.kind == FRAMEWORK_PYTORCH &&
           !cann_version_has(analysis->options->cann_version, NAMING_NO_DEVICE);
}

bool framework_wants_time(const struct framework_analysis *analysis, int64_t time_ns)
{
    const struct framework *framework = analysis->framework;
    if (analysis->steps.count == 0)
        return true;
    for (size_t i = 0; i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        if (time_ns >= step->start_ns && time_ns <= framework_step_end_ns(step) &&
            framework_wants_step(analysis, framework_text(framework, step->id)))
            return true;
    }
    return false;
}

int framework_write_report(struct framework_analysis *analysis, const struct report *report, struct err *err)
{
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, ""};
    struct report whole = *report;
    uint64_t rows;
    whole.whole = true;
    return report_write(&analysis->session, &whole, &scope, &rows, err);
}
