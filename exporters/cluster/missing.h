/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks say of others that are not here, and what some lack that others have. */
#ifndef MSPROF_EXPORTERS_CLUSTER_MISSING_H
#define MSPROF_EXPORTERS_CLUSTER_MISSING_H

#include "base/diag.h"
#include "exporters/cluster/plan.h"

/* Tells each rank that metadata name and nobody brought, ranks without steps or communication that others have, and
 * groups whose ranks contradict each other. */
int missing_tell(const struct plan *plan, struct diagnostics *diag, struct err *err);

#endif
