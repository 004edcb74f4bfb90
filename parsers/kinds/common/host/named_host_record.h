/* SPDX-License-Identifier: Apache-2.0 */
/* Host records that name things by their hash. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_HOST_NAMED_HOST_RECORD_H
#define MSPROF_PARSERS_KINDS_COMMON_HOST_NAMED_HOST_RECORD_H

#include "parsers/kinds/common/host/host_record.h"

/* Sets column `name` to the row of table name with the text of the hash in column `hash`; leaves it NULL for hash 0. */
int named_host_record_find(const struct host_stream *stream, struct row *row, size_t hash, size_t name,
                           struct err *err);

#endif
