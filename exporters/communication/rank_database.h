/* SPDX-License-Identifier: Apache-2.0 */
/* A rank whose results a framework left as databases only, as the texts that it writes otherwise:
 * docs/formats/cluster.md 2. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_RANK_DATABASE_H
#define MSPROF_EXPORTERS_COMMUNICATION_RANK_DATABASE_H

#include "base/err.h"

#include <stdbool.h>

/* Whether ASCEND_PROFILER_OUTPUT of a directory has such databases. */
bool rank_database_is_there(const char *directory);

/* Writes ASCEND_PROFILER_OUTPUT/step_trace_time.csv, communication.json and communication_matrix.json and
 * profiler_metadata.json below results, which is made; those of which no database says anything are not written. */
int rank_database_write_texts(const char *directory, const char *results, struct err *err);

#endif
