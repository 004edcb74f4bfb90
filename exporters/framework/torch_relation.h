/* What PyTorch's operators launched on devices. */
#ifndef MSPROF_EXPORTERS_FRAMEWORK_TORCH_RELATION_H
#define MSPROF_EXPORTERS_FRAMEWORK_TORCH_RELATION_H

#include "exporters/framework/analysis.h"
#include "frameworks/pytorch/torch.h"

/* A piece of work, from the queue to the device. */
struct torch_work {
    uint64_t correlation;
    size_t enqueue; /* counted from 1; 0: none */
    bool has_kernels;
    int64_t first_ns, last_end_ns; /* of its kernels */
};

/* Finds each piece of work and adds what devices did for it to the operators; the steps get their device times. The
 * analysis' relation is made before. map_release(ret) whatever the result. */
int torch_relate(struct framework_analysis *analysis, struct map *ret, struct err *err);

/* The operator that launched a connection; NULL: not known. */
const struct torch_op *torch_op_of(const struct framework_analysis *analysis, int64_t connection_id);
/* The operator that put the work of a dequeue into the queue. */
const struct torch_op *torch_op_of_dequeue(const struct framework_analysis *analysis, size_t dequeue);

#endif
