/* SPDX-License-Identifier: Apache-2.0 */
/* Values of --aic-metrics of 'msprof op': what each brings. */
#ifndef MSPROF_FEATURES_OPPROF_OPPROF_OPTIONS_H
#define MSPROF_FEATURES_OPPROF_OPPROF_OPTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* width, ascii: as of grid_print. Write errors stay with the stream. */
int opprof_options_print(bool json, int width, bool ascii, FILE *stream, struct err *err);

#endif
