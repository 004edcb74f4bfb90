/* SPDX-License-Identifier: Apache-2.0 */
/* One timeline of a model of an SVP capture, or of all: what the host called and what the device ran. */
#ifndef MSPROF_EXPORTERS_TIMELINE_MERGED_TIMELINE_H
#define MSPROF_EXPORTERS_TIMELINE_MERGED_TIMELINE_H

#include "db/query/query.h"
#include "exporters/timeline/document.h"

/* Writes msprof_<device>.<model>.<model id>.<batch>.json: the host's calls and the device's tasks as two processes,
 * inferences as slices, an arrow from a call of svp_acl_mdl_execute* to the inference it started where times decide
 * which that is, and counters of the utilisation of the AI core. */
int svp_merged_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err);

/* Writes msprof.json: the same of all models, each a process of its device, with the calls of each process of the host
 * once. */
#define SVP_CAPTURE_TIMELINE "msprof.json"
int svp_capture_timeline(struct timeline_run *run, struct err *err);

#endif
