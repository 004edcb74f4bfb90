/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/frameworks/hash_dic.h"

#include "base/file/fsutil.h"
#include "parsers/frameworks/lines.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct hashed_name *names;
    size_t count;
};

static uint64_t calculated(const char *name)
{
    uint32_t high = 0, low = 0;
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0'; p++) {
        high = high * 29 + *p;
        low = low * 131 + *p;
    }
    return (uint64_t)high << 32 | low;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct hashed_name *)a)->name, ((const struct hashed_name *)b)->name);
}

static int take_line(void *arg, const struct framework_line *line, struct err *err)
{
    const struct reading *reading = arg;
    const char *colon = strchr(line->text, ':');
    char *end;
    (void)err;
    if (colon == NULL)
        return 0; /* import has told of it */
    const struct hashed_name key = {colon + 1, 0};
    struct hashed_name *name = bsearch(&key, reading->names, reading->count, sizeof key, compare_names);
    uint64_t number = name != NULL ? strtoull(line->text, &end, 10) : 0;
    if (name != NULL && end == colon)
        name->number = number;
    return 0;
}

int hash_numbers(const char *prof, struct hashed_name *names, size_t count, struct diagnostics *diag, struct err *err)
{
    struct reading reading = {names, count};
    char *data = prof != NULL ? path_join(prof, "host/data") : NULL;
    DIR *directory = data != NULL && count > 0 ? opendir(data) : NULL;
    int status = 0;
    for (size_t i = 0; i < count; i++)
        names[i].number = calculated(names[i].name);
    for (struct dirent *entry; status == 0 && directory != NULL && (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (strstr(entry->d_name, ".hash_dic.") == NULL || dot == NULL || strcmp(dot, ".done") == 0)
            continue;
        char *path = path_join(data, entry->d_name);
        status = path != NULL ? framework_read_lines(path, take_line, &reading, NULL, diag, err)
                              : err_set(err, ERR_NO_MEMORY, "out of memory");
        free(path);
    }
    if (directory != NULL)
        closedir(directory);
    free(data);
    return status;
}
