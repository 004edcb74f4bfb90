/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/critical_path.h"

#include "base/number.h"

void path_node_clear(struct path_node *node)
{
    *node = (struct path_node){.latest_ns = INT64_MAX};
    for (size_t i = 0; i < PATH_BEFORE; i++)
        node->before[i] = PATH_NONE;
}

void path_wait(struct path_node *nodes, uint32_t node, uint32_t before)
{
    if (before == PATH_NONE || before >= node || nodes[before].end_ns > nodes[node].start_ns)
        return;
    for (size_t i = 0; i < PATH_BEFORE; i++) {
        uint32_t *place = &nodes[node].before[i];
        if (*place == before)
            return;
        if (*place == PATH_NONE) {
            *place = before;
            return;
        }
    }
}

uint32_t path_binding(const struct path_node *nodes, uint32_t node)
{
    uint32_t binding = PATH_NONE;

    for (size_t i = 0; i < PATH_BEFORE; i++) {
        uint32_t before = nodes[node].before[i];
        if (before != PATH_NONE && (binding == PATH_NONE || nodes[before].end_ns > nodes[binding].end_ns))
            binding = before;
    }
    return binding;
}

int64_t path_slack_ns(const struct path_node *node)
{
    return node->latest_ns != INT64_MAX ? number_subtract(node->latest_ns, node->end_ns) : PATH_NO_SLACK;
}

static uint32_t last_end(const struct path_node *nodes, size_t count)
{
    uint32_t last = PATH_NONE;

    for (size_t i = 0; i < count; i++)
        if (nodes[i].ends && (last == PATH_NONE || nodes[i].end_ns > nodes[last].end_ns))
            last = (uint32_t)i;
    return last;
}

/* Those that a node waits for could have ended as much later as it could have itself, and as they ended before the last
 * of them. */
static void relax(struct path_node *nodes, uint32_t node)
{
    uint32_t binding = path_binding(nodes, node);

    if (binding == PATH_NONE || nodes[node].latest_ns == INT64_MAX)
        return;
    int64_t latest_ns = number_add(nodes[binding].end_ns, path_slack_ns(&nodes[node]));
    for (size_t i = 0; i < PATH_BEFORE; i++) {
        uint32_t before = nodes[node].before[i];
        if (before != PATH_NONE && nodes[before].latest_ns > latest_ns)
            nodes[before].latest_ns = latest_ns;
    }
}

uint32_t path_find(struct path_node *nodes, size_t count)
{
    uint32_t last = last_end(nodes, count);

    for (size_t i = 0; i < count; i++) {
        nodes[i].latest_ns = nodes[i].ends ? nodes[last].end_ns : INT64_MAX;
        nodes[i].critical = false;
    }
    for (size_t i = count; i-- > 0;)
        relax(nodes, (uint32_t)i);
    for (uint32_t node = last; node != PATH_NONE; node = path_binding(nodes, node))
        nodes[node].critical = true;
    return last;
}
