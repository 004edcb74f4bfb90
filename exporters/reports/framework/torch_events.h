/* SPDX-License-Identifier: Apache-2.0 */
/* The events of PyTorch's threads beside operators: of steps that are asked for, as the timeline and the database have
 * it.
 */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_TORCH_EVENTS_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_TORCH_EVENTS_H

#include "exporters/reports/framework/analysis.h"
#include "parsers/frameworks/pytorch/torch.h"

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
