/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a capture that are copies of each other. */
#ifndef MSPROF_PARSERS_CAPTURE_CAPTURE_COPIES_H
#define MSPROF_PARSERS_CAPTURE_CAPTURE_COPIES_H

#include "parsers/capture/capture.h"

/* Rejects copies: among files of one kind and part with the same content, all but the first are not to be decoded,
 * which is reported. Files of several devices, models or groups of cores may be equal, and so may files without a whole
 * record. Reads the beginnings of files of one length, and more only of those that begin alike. Fails when memory ran
 * out or when it was interrupted. */
int capture_reject_copies(struct capture *capture, struct err *err);

#endif
