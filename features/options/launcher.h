/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of programs that make a profiler's options of their own: verl, MindSpeed, vLLM, and calls that are not
 * read. */
#ifndef MSPROF_FEATURES_OPTIONS_LAUNCHER_H
#define MSPROF_FEATURES_OPTIONS_LAUNCHER_H

#include "base/strbuf.h"

/* Whose settings a text holds: "settings of verl, which ..."; NULL: none that is known. hint gets what to pass instead,
 * with the level of the settings. */
const char *launcher_read(const char *text, struct strbuf *hint);

#endif
