/* SPDX-License-Identifier: Apache-2.0 */
/* What outputs need of a family of captures that are trees (parsers/capture/capture_tree.h) beside its tables. A
 * feature defines "const struct tree_outputs outputs_NAME" for its tree_NAME; the build finds both. */
#ifndef MSPROF_EXPORTERS_TREE_OUTPUTS_H
#define MSPROF_EXPORTERS_TREE_OUTPUTS_H

#include "parsers/record.h"

struct track;

struct tree_outputs {
    enum capture_family family;
    const char *title;         /* whose captures they are, for lists of tables: "msprof op" */
    const struct track *track; /* its timeline */
    const char *stacks;        /* of its flame graph: SQL for rows of three frames, the outermost first, and ns */
};

/* Those of a family; NULL: it is no tree. */
const struct tree_outputs *tree_outputs_of(int family);

#endif
