/* SPDX-License-Identifier: Apache-2.0 */
/* The work that PyTorch's operators launched on devices. */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_TORCH_RELATION_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_TORCH_RELATION_H

#include "exporters/reports/framework/analysis.h"
#include "parsers/frameworks/pytorch/torch.h"

/* All that devices did for a piece of work. */
struct torch_work {
    int64_t first_ns, last_end_ns; /* of its kernels; first_ns INT64_MAX: there are none */
};

/* Adds what devices did for each piece of work to the operators; the steps get their device times. The analysis'
 * relation is made before. Allocates analysis->work: one for each of PyTorch's enqueues. */
int torch_relate(struct framework_analysis *analysis, struct err *err);

/* The operator that launched a connection; NULL: not known. */
const struct torch_op *torch_op_of(const struct framework_analysis *analysis, int64_t connection_id);
/* The operator that put the work of a dequeue into the queue. */
const struct torch_op *torch_op_of_dequeue(const struct framework_analysis *analysis, size_t dequeue);

#endif
