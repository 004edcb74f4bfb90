/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of collect that a build has. */
#ifndef MSPROF_CLI_COLLECT_LIBRARY_H
#define MSPROF_CLI_COLLECT_LIBRARY_H

#include "base/library.h"

#include <stdbool.h>

/* The library that collect uses; false: this build is without collect. */
bool collect_library(struct library_version *ret);

#endif
