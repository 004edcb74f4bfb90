/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of a board's *.info files that msprof does not know: a board may spell them otherwise. */
#ifndef MSPROF_PARSERS_LAYOUTS_INFO_KEYS_H
#define MSPROF_PARSERS_LAYOUTS_INFO_KEYS_H

#include "base/strbuf.h"
#include "parsers/capture/capture.h"

/* Adds a line for each key of the capture's *.info files that is not known, with the known one that it may be, and for
 * each file that is no JSON. Nothing: all are known. */
void info_keys_report(const struct capture *capture, struct strbuf *text);

#endif
