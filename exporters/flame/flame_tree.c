/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "exporters/flame/flame.h"

#include <stdlib.h>
#include <string.h>

struct known_child {
    struct child_key {
        uint32_t parent, name;
    } key;
    uint32_t node;
};

int flame_init(struct flame *flame, enum flame_weight weight, struct err *err)
{
    *flame = (struct flame){.weight = weight, .known = MAP_OF(struct known_child, key)};
    if (array_reserve(&flame->nodes, 1, err) != 0)
        return -(int)err->code;
    flame->nodes.items[flame->nodes.count++] = (struct flame_node){.parent = FLAME_ROOT};
    return 0;
}

void flame_release(struct flame *flame)
{
    map_release(&flame->known);
    intern_release(&flame->names);
    free(flame->nodes.items);
    *flame = (struct flame){.weight = FLAME_DEVICE};
}

int flame_name(struct flame *flame, const char *text, uint32_t *ret, struct err *err)
{
    return intern_add(&flame->names, text, strlen(text), ret, err);
}

int flame_child(struct flame *flame, uint32_t parent, uint32_t name, uint32_t *ret, struct err *err)
{
    const struct child_key key = {parent, name};
    uint32_t depth = flame->nodes.items[parent].depth;
    bool added;

    *ret = parent;
    if (depth == FLAME_DEPTH_MAX)
        return 0;
    struct known_child *known = map_add(&flame->known, &key, &added, err);
    if (known == NULL)
        return -(int)err->code;
    if (added) {
        if (flame->nodes.count == UINT32_MAX)
            return err_set(err, ERR_LIMIT, "there are more than %u different stacks", UINT32_MAX);
        if (array_reserve(&flame->nodes, 1, err) != 0)
            return -(int)err->code;
        known->node = (uint32_t)flame->nodes.count;
        flame->nodes.items[flame->nodes.count++] =
            (struct flame_node){.parent = parent, .name = name, .depth = depth + 1};
    }
    *ret = known->node;
    return 0;
}

void flame_finish(struct flame *flame)
{
    struct flame_node *nodes = flame->nodes.items;

    for (size_t i = flame->nodes.count; i-- > 0;) { /* children have greater numbers than their parents */
        nodes[i].total = number_add(nodes[i].total, nodes[i].self);
        if (i != FLAME_ROOT)
            nodes[nodes[i].parent].total = number_add(nodes[nodes[i].parent].total, nodes[i].total);
    }
}
