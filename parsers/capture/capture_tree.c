/* SPDX-License-Identifier: Apache-2.0 */
/* Families of captures that are trees, by the list that the build makes of features/. */
#include "parsers/capture/capture_tree.h"

#include "base/file/fsutil.h"

#include <dirent.h>
#include <string.h>

#define TREE(id) extern const struct capture_tree tree_##id;
#include "tree_list.h"
#undef TREE

#define TREE(id) &tree_##id,
const struct capture_tree *const capture_trees[] = {
#include "tree_list.h"
    NULL};
#undef TREE

const struct capture_tree *capture_tree_of_name(const char *name)
{
    for (size_t i = 0; capture_trees[i] != NULL; i++) {
        if (strncmp(name, capture_trees[i]->prefix, strlen(capture_trees[i]->prefix)) == 0)
            return capture_trees[i];
    }
    return NULL;
}

static const struct capture_tree *claiming(const char *name)
{
    for (size_t i = 0; capture_trees[i] != NULL; i++) {
        if (capture_trees[i]->claims(name))
            return capture_trees[i];
    }
    return NULL;
}

/* A directory that is called like a tree may also hold several. */
const struct capture_tree *capture_tree_of(const char *path)
{
    const struct capture_tree *named = capture_tree_of_name(path_name(path)), *claimed = NULL;
    SCOPED_DIRECTORY DIR *stream = opendir(path);
    bool parent = false;
    for (const struct dirent *item; stream != NULL && claimed == NULL && (item = readdir(stream)) != NULL;) {
        claimed = claiming(item->d_name);
        parent |= item->d_type != DT_REG && capture_tree_of_name(item->d_name) != NULL;
    }
    return claimed != NULL || parent || stream == NULL ? claimed : named;
}
