/* SPDX-License-Identifier: Apache-2.0 */
/* The captures of the two sides of a comparison:
 *     profiles_add(&base, db, path, err);                 // of each
 *     profiles_name_apart(&base, &new_side, err);         // then comparison_make() */
#ifndef MSPROF_FEATURES_DIFF_SIDES_H
#define MSPROF_FEATURES_DIFF_SIDES_H

#include "base/array.h"
#include "features/diff/compare.h"
#include "features/diff/measures.h"

#include <sqlite3.h>
#include <sys/stat.h>

/* A capture's directory, or a baseline's file. */
struct identity {
    dev_t device;
    ino_t inode;
};

/* The captures of one side. All zero but subjects. */
struct profiles {
    const struct profile **items; /* each of its own, named by the path of its capture until all are known */
    size_t count, capacity;
    struct ARRAY_OF(struct identity) taken;
    const char *name;         /* of the first that the command line names */
    struct measures measures; /* of captures of one operator, which have no profile */
    unsigned subjects;        /* SUBJECT_BIT of each table that is wanted */
};
void profiles_release(struct profiles *profiles);

/* Adds the capture of a database. */
int profiles_add(struct profiles *profiles, sqlite3 *db, const char *path, struct err *err);
/* Takes the content over. */
int profiles_keep(struct profiles *profiles, const struct profile *content, struct err *err);
/* Takes the name over. */
void profile_rename(const struct profile *profile, char *name);
/* The path of a capture with all its parts, to be freed; of what is not there the path as it was given. NULL: out of
 * memory. */
char *profile_path(const char *path, struct err *err);
/* The captures of both sides get names that distinguish them. */
int profiles_name_apart(const struct profiles *base, const struct profiles *new_side, struct err *err);

#endif
