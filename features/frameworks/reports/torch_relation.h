/* SPDX-License-Identifier: Apache-2.0 */
/* The work that PyTorch's operators launched on devices. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_REPORTS_TORCH_RELATION_H
#define MSPROF_FEATURES_FRAMEWORKS_REPORTS_TORCH_RELATION_H

#include "features/frameworks/pytorch/torch.h"
#include "features/frameworks/reports/analysis.h"

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

/* The events of PyTorch's threads beside operators: of steps that are asked for, as the timeline and the database have
 * it.
 */

/* Calls each for every piece of work: taken out of the queue, then put into it, with the name under which it is taken
 * out ("Dequeue@...", "Enqueue@..."). Nothing without a queue. */
int torch_each_queued(const struct framework_analysis *analysis,
                      int (*each)(void *arg, const struct torch_range *range, bool taken, const char *name,
                                  struct err *err),
                      void *arg, struct err *err);

/* Calls each for every operator that another thread runs backwards. */
int torch_each_backward(const struct framework_analysis *analysis,
                        int (*each)(void *arg, const struct torch_op *forward, const struct torch_op *backward,
                                    struct err *err),
                        void *arg, struct err *err);

/* Calls each for every call of Python, with its name; module: the number of a module in its class, -1: it is none. */
int torch_each_call(const struct framework_analysis *analysis,
                    int (*each)(void *arg, const struct torch_call *call, const char *name, int64_t module,
                                struct err *err),
                    void *arg, struct err *err);

#endif
