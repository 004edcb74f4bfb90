/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of programs that make a profiler's options of their own (verl, MindSpeed, vLLM, MindFormers), and calls and
 * command lines that are not read. */
#ifndef MSPROF_FEATURES_OPTIONS_LAUNCHER_H
#define MSPROF_FEATURES_OPTIONS_LAUNCHER_H

#include "base/strbuf.h"

#include <stdbool.h>

/* Whose settings a text holds: "settings of verl, which ..."; NULL: none that is known. hint gets what to pass instead,
 * with the level of the settings. */
const char *launcher_read(const char *text, struct strbuf *hint);

/* What to pass instead of a text in which nothing reads any option, as a variable of an unknown program: false where it
 * says nothing of profiling. */
bool launcher_guess(const char *text, struct strbuf *hint);

#endif
