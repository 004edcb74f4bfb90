/* SPDX-License-Identifier: Apache-2.0 */
/* msprof import: captures into databases. */
#include "cli/capture/captures.h"
#include "cli/command.h"

static int run_import(const struct settings *settings)
{
    return captures_process_apart(settings, visit_import_changed, NULL);
}

const struct command command_import = {
    .path = "import",
    .parent = COMMAND_ROOT,
    .order = 30,
    .imports = true,
    .summary = "decode captures into databases",
    .description =
        "Decodes every data file of a capture into the SQLite database sqlite/runtime.db. A database\nthat is up to "
        "date stays; --force imports again. An older database is replaced only when the\nnew one is complete.\n",
    .needs_capture = true,
    EXAMPLES({"decode one capture into JOBX/sqlite/runtime.db", "msprof import -dir JOBX"},
             {"all captures of a directory, databases elsewhere", "msprof import -dir captures --output results"},
             {"captures further down, four at the same time", "msprof import -dir captures --depth 3 --jobs 4"},
             {"an archive", "msprof import run.tar.gz --output results"},
             {"a database written only by SQLite, for comparison", "msprof import -dir JOBX --database plain"}),
    .run = run_import,
};
