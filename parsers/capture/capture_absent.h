/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_PARSERS_CAPTURE_CAPTURE_ABSENT_H
#define MSPROF_PARSERS_CAPTURE_CAPTURE_ABSENT_H

#include "parsers/capture/capture.h"

/* Reports, as notes, files that a capture of this family has, or that its settings or its other files speak of, and
 * that are not there. -code when memory ran out. */
int capture_report_absent(struct capture *capture, struct err *err);

#endif
