/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that are trees of directories without a data/ of their own: one of their files may stand at any depth, and
 * each directory of files that belong together is a part of the capture. A family of such captures is a
 * "const struct capture_tree tree_NAME" in a feature, which the build finds; its record kinds name the files. */
#ifndef MSPROF_PARSERS_CAPTURE_CAPTURE_TREE_H
#define MSPROF_PARSERS_CAPTURE_CAPTURE_TREE_H

#include "parsers/record.h"

#include <stdbool.h>
#include <stddef.h>

struct capture_tree {
    enum capture_family family;
    const char *prefix;  /* of the names of such directories: "OPPROF" */
    const char *expects; /* for the message about one without any file of its kinds */
    unsigned depth;      /* of directories below it that are looked into */
    /* Whether an entry of this name alone makes the directory that it is in such a capture. */
    bool (*claims)(const char *name);
    /* Whether the entry of this relative name is left alone: a directory is not looked into, a file not decoded. */
    bool (*ignores)(const char *name);
    /* The directory that a file of this relative name is a part by: so many bytes of it; 0: the capture itself. */
    size_t (*part)(const char *name);
    /* Memory that the hooks of its kinds share while a capture is open (struct capture.tree_state), zeroed; release
     * may be NULL. */
    size_t state_size;
    void (*release)(void *state);
};

/* Ended by NULL. */
extern const struct capture_tree *const capture_trees[];

/* The tree whose captures are called like this; NULL: none. */
const struct capture_tree *capture_tree_of_name(const char *name);
/* The tree that the directory at this path is, by its name or by what is in it; NULL: none, or it cannot be read. */
const struct capture_tree *capture_tree_of(const char *path);

#endif
