/* SPDX-License-Identifier: Apache-2.0 */
/* losses.json: what a recorder of the host says its own capture lacks (docs/formats/acl-api.md Losses). */
#ifndef MSPROF_PARSERS_CAPTURE_CAPTURE_LOSSES_H
#define MSPROF_PARSERS_CAPTURE_CAPTURE_LOSSES_H

#include "base/diag.h"

struct json;

/* Reports each loss; root NULL or no object: that the file says nothing. */
void capture_report_losses(const char *file, const struct json *root, struct diagnostics *diag);

#endif
