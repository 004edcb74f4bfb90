/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding on one thread, storing on another: a row sink whose batches travel through a queue. */
#ifndef MSPROF_DB_PIPELINE_H
#define MSPROF_DB_PIPELINE_H

#include "base/progress.h"
#include "db/bulk.h"
#include "parsers/capture/capture.h"

/* Decodes the capture on a thread of its own while this one stores its rows; bounded memory between the two. Returns
 * when both are done; the first failure ends both. */
int pipeline_run(struct capture *capture, struct bulk *bulk, const struct progress *progress, struct err *err);

#endif
