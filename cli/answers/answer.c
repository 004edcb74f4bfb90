/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answers/answer.h"

#include "cli/console.h"
#include "cli/status.h"
#include "db/database.h"
#include "exporters/load/load_ranges.h"
#include "exporters/reports/framework/host_side.h"

int host_side_open(struct capture_visit *visit, sqlite3 **ret)
{
    struct diagnostics diag;
    struct err err = ERR_INIT;
    int status = visit_open_database(visit, ret);

    if (*ret != NULL && visit->settings->step_range != NULL &&
        step_range_choose(*ret, visit->settings->step_range, &err) != 0) {
        database_close(*ret);
        *ret = NULL;
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    if (*ret == NULL || visit->framework == NULL)
        return status;
    diag_init(&diag, visit->settings->strict);
    const bool stacks = visit->settings->command == COMMAND_EXPORT_FLAME || visit->settings->command == COMMAND_REPORT;
    if (framework_attach(*ret, visit->framework, visit->directory, visit->database, stacks, &diag, &err) != 0) {
        console_warning("answers and timelines are without the framework's part of '%s': %s", visit->framework,
                        err_message(&err));
        status = status_worse(status, STATUS_DATA_PROBLEMS);
    }
    console_diagnostics(&diag);
    if (diag_problems(&diag) > 0)
        status = status_worse(status, STATUS_DATA_PROBLEMS);
    diag_release(&diag);
    return status;
}

struct roofs roofs_of(const struct settings *settings)
{
    return (struct roofs){.flop_s = (double)settings->peak_flops * 1e9,
                          .bytes_s = (double)settings->peak_bandwidth * 1e6};
}
