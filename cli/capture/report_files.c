/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/report_files.h"

#include "cli/capture/user_directory.h"
#include "cli/console.h"

#include <stdlib.h>
#include <unistd.h>

/* A directory that is there and cannot be read costs its reports, not the command. */
static int load_directory(struct report_files *files, const char *path, struct err *err)
{
    if (!user_directory_is_readable(path))
        return 0;
    return report_files_load_directory(files, path, err);
}

int user_reports_load(struct report_files *files, const struct settings *settings, struct err *err)
{
    char *directory = NULL;
    files->seconds = settings->report_seconds;
    int result = load_directory(files, MSPROF_PREFIX "/share/msprof/reports", err);

    if (result == 0)
        result = user_directory("msprof/reports", &directory, err);
    if (result == 0 && directory != NULL)
        result = load_directory(files, directory, err);
    for (size_t i = 0; result == 0 && i < settings->report_files.count; i++)
        result = report_files_load(files, settings->report_files.values[i], err);
    free(directory);
    return result != 0 ? err_wrap(err, "cannot load your reports") : 0;
}
