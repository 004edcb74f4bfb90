/* SPDX-License-Identifier: Apache-2.0 */
/* What the directory of a framework around a capture says, for every command that answers. */
#include "base/file/fsutil.h"
#include "cli/capture/captures.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "features/frameworks/reports/host_side.h"

static int attach_framework(struct capture_visit *visit, sqlite3 *db, bool *ret_usable)
{
    struct diagnostics diag;
    struct err err = ERR_INIT;
    int status = STATUS_DONE;

    (void)ret_usable;
    if (visit->framework == NULL)
        return STATUS_DONE;
    diag_init(&diag, visit->settings->strict);
    const bool stacks = visit->settings->command == COMMAND_EXPORT_FLAME || visit->settings->command == COMMAND_REPORT;
    if (framework_attach(db, visit->framework, visit->directory, visit->database, stacks, &diag, &err) != 0)
        diag_report(&diag, DIAG_FRAMEWORK_UNREADABLE, FILE_PLACE(path_name(visit->framework), NULL), "%s",
                    err_message(&err));
    console_diagnostics(&diag);
    if (diag_problems(&diag) > 0)
        status = STATUS_DATA_PROBLEMS;
    diag_release(&diag);
    return status;
}

const struct command_extension command_extension_framework = {.order = 20, .open = attach_framework};
