/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/analyse/simplify.h"

#include "base/file/fsutil.h"
#include "cli/analyse/analyse_output.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int remove_inside(const char *directory, const char *name, struct err *err)
{
    char *path = path_join(directory, name);
    int status = path != NULL ? remove_directory(path, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    free(path);
    return status;
}

/* Of host/ or device_<n>/. */
static int simplify_part(const char *prof, const char *part, struct err *err)
{
    char *path = path_join(prof, part);
    int status = path != NULL ? remove_inside(path, "sqlite", err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0)
        status = remove_inside(path, "data/all_file.complete", err);
    free(path);
    return status;
}

static int simplify_prof(const char *prof, struct err *err)
{
    static const char *const made[] = {
        "mindstudio_profiler_output", "mindstudio_profiler_log", "sqlite", "timeline", "summary", "log"};
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof made / sizeof *made; i++)
        status = remove_inside(prof, made[i], err);
    DIR *opened = opendir(prof);
    for (struct dirent *entry; status == 0 && opened != NULL && (entry = readdir(opened)) != NULL;) {
        if (strcmp(entry->d_name, "host") == 0 || strncmp(entry->d_name, "device_", 7) == 0)
            status = simplify_part(prof, entry->d_name, err);
    }
    if (opened != NULL)
        closedir(opened);
    return status;
}

int simplify_directory(const char *directory, const struct framework_paths *profs, struct err *err)
{
    int status = remove_inside(directory, "FRAMEWORK", err);
    for (size_t i = 0; status == 0 && i < profs->count; i++)
        status = simplify_prof(profs->items[i], err);
    return status;
}
