/* SPDX-License-Identifier: Apache-2.0 */
/* Results that stand beside a capture's data: they are never part of it, or writing them would change how it is read.
 */
#include "parsers/capture/capture_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NESTING_MAX 2 /* of several captures each has a directory of its own in that of --output */

static bool has_ends(const char *name, const char *start, const char *end)
{
    size_t length = strlen(name), start_length = strlen(start), end_length = strlen(end);
    return length >= start_length + end_length && strncmp(name, start, start_length) == 0 &&
           strcmp(name + length - end_length, end) == 0;
}

bool is_output_name(const char *name)
{
    static const char *const names[] = {"sqlite",
                                        "log",
                                        "timeline",
                                        "summary",
                                        "query",
                                        "analyze",
                                        "mindstudio_profiler_output",
                                        "mindstudio_profiler_log",
                                        "ASCEND_PROFILER_OUTPUT",
                                        "cluster_analysis_output"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return has_ends(name, "msprof_", ".db") || has_ends(name, "communication_analyzer", ".db");
}

static bool is_directory(int at, const char *name)
{
    struct stat info;
    return fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

static bool holds_outputs(int at, const char *name, int nesting)
{
    int descriptor = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    bool found = false, data = false;
    if (stream == NULL && descriptor >= 0)
        close(descriptor);
    for (const struct dirent *item; stream != NULL && !data && (item = readdir(stream)) != NULL;) {
        if (item->d_name[0] == '.')
            continue;
        data = strcmp(item->d_name, "data") == 0 || is_part_directory(item->d_name) || is_config_name(item->d_name);
        if (data || found)
            continue;
        found =
            is_output_name(item->d_name) ||
            (is_directory(descriptor, item->d_name) &&
             (is_capture_name(item->d_name) || (nesting > 1 && holds_outputs(descriptor, item->d_name, nesting - 1))));
    }
    if (stream != NULL)
        closedir(stream);
    return found && !data;
}

bool is_output_directory(int at, const char *name)
{
    return holds_outputs(at, name, NESTING_MAX);
}

bool is_beside_data(const char *name)
{
    struct file_identity identity;
    unsigned families;
    if (strchr(name, '/') != NULL || has_ends(name, "", ".done") || is_config_name(name) || is_known_stream(name))
        return false;
    if (capture_recognise(name, &identity, &families) == NULL)
        return true;
    file_identity_release(&identity);
    return false;
}
