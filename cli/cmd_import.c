/* SPDX-License-Identifier: Apache-2.0 */
/* msprof import: captures into databases. */
#include "cli/capture/captures.h"
#include "cli/command.h"

static int run_import(const struct settings *settings)
{
    return captures_process(settings, &settings->captures, visit_import_changed, NULL);
}

const struct command command_import = {
    .path = "import",
    .parent = COMMAND_ROOT,
    .order = 30,
    .imports = true,
    .summary = "decode captures into their databases",
    .description =
        "Decodes every data file of a capture into the SQLite database sqlite/runtime.db.\n"
        "A database that is up to date is left as it is; --force makes it anew. It replaces an older one only when\n"
        "it is complete.\n",
    .needs_capture = true,
    EXAMPLES(
        {"decode one capture into JOBX/sqlite/runtime.db", "msprof import -dir JOBX"},
        {"all captures of a directory, with the databases elsewhere", "msprof import -dir captures --output results"},
        {"a database that SQLite alone has written, to compare with", "msprof import -dir JOBX --database plain"}),
    .run = run_import,
};
