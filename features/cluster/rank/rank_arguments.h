/* SPDX-License-Identifier: Apache-2.0 */
/* How a job is distributed, as a rank's profiler_metadata.json says it. */
#ifndef MSPROF_FEATURES_CLUSTER_RANK_RANK_ARGUMENTS_H
#define MSPROF_FEATURES_CLUSTER_RANK_RANK_ARGUMENTS_H

#include "base/err.h"

#include <stddef.h>

/* Writes the members of distributed_args that are numbers, texts or true and false as a JSON object; "" where the file,
 * in the directory, or they are not there, or take more room. -code: the file is there and cannot be read. */
int rank_arguments_read(const char *directory, char *ret, size_t size, struct err *err);

#endif
