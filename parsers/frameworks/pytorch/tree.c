/* SPDX-License-Identifier: Apache-2.0 */
/* Which operator is inside which, and who puts work into the queue: as PyTorch's analysis has it, all threads in one
 * tree. */
#include "parsers/frameworks/pytorch/torch.h"

int torch_build_tree(struct torch *torch, struct err *err)
{
    uint32_t current = TORCH_NONE;
    size_t enqueue = 0;
    if (torch->ops.count >= TORCH_NONE)
        return err_set(err, ERR_LIMIT, "more than %u operators", TORCH_NONE);
    for (size_t i = 0; i < torch->ops.count || enqueue < torch->enqueues.count;) {
        bool is_op = i < torch->ops.count && (enqueue == torch->enqueues.count ||
                                              torch->ops.items[i].start_ns <= torch->enqueues.items[enqueue].start_ns);
        int64_t start_ns = is_op ? torch->ops.items[i].start_ns : torch->enqueues.items[enqueue].start_ns;
        while (current != TORCH_NONE && start_ns > torch->ops.items[current].end_ns)
            current = torch->ops.items[current].parent;
        if (is_op) {
            struct torch_op *op = &torch->ops.items[i];
            op->parent = current;
            if (current != TORCH_NONE)
                torch->ops.items[current].children_ns += op->end_ns - op->start_ns;
            current = (uint32_t)i++;
        } else {
            struct torch_range *range = &torch->enqueues.items[enqueue++];
            if (torch->has_queue && current != TORCH_NONE &&
                torch->ops.items[current].thread == torch_thread_of(torch, range)->thread)
                range->op = current;
        }
    }
    return 0;
}
