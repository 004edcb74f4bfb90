/* SPDX-License-Identifier: Apache-2.0 */
/* Layout files from the disk: one, or all of a directory. */
#include "base/file/fsutil.h"
#include "parsers/decode/layout.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int layout_set_load_file(struct layout_set *set, const char *path, struct err *err)
{
    char *text;
    size_t length;
    int r = read_whole_file(path, LAYOUT_FILE_LIMIT, &text, &length, err);
    if (r < 0)
        return err_wrap(err, "cannot read layout file '%s'", path);
    r = layout_set_parse(set, path, text, length, err);
    free(text);
    return r;
}

int layout_set_load_named(struct layout_set *set, const char *path, struct err *err)
{
    const struct loaded_layout *before = set->first;
    int status = layout_set_load_file(set, path, err);
    for (struct loaded_layout *loaded = set->first; status == 0 && loaded != before; loaded = loaded->next)
        loaded->named = true;
    return status;
}

static int is_layout_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot != NULL && strcmp(dot, ".layout") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not by the locale, as alphasort would */
}

int layout_set_load_directory(struct layout_set *set, const char *path, struct err *err)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_layout_file, compare_names);
    if (count < 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot read layout directory '%s'", path);
    int r = 0;
    for (int i = 0; i < count; i++) {
        char *file = r == 0 ? path_join(path, entries[i]->d_name) : NULL;
        if (file != NULL)
            r = layout_set_load_file(set, file, err);
        else if (r == 0)
            r = err_set(err, ERR_NO_MEMORY, "out of memory");
        free(file);
        free(entries[i]);
    }
    free(entries);
    return r;
}
