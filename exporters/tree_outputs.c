/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs of captures that are trees, by the list that the build makes of features/. */
#include "exporters/tree_outputs.h"

#include <stddef.h>

#define TREE(id) extern const struct tree_outputs outputs_##id;
#include "tree_list.h"
#undef TREE

#define TREE(id) &outputs_##id,
static const struct tree_outputs *const all[] = {
#include "tree_list.h"
    NULL};
#undef TREE

const struct tree_outputs *tree_outputs_of(int family)
{
    const struct tree_outputs *const *tree = all;
    while (*tree != NULL && (int)(*tree)->family != family)
        tree++;
    return *tree;
}
