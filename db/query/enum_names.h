/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the numbers in records and in the unified database (docs/formats/cann.md 8.5 and 8.6). */
#ifndef MSPROF_DB_QUERY_ENUM_NAMES_H
#define MSPROF_DB_QUERY_ENUM_NAMES_H

#include "parsers/record.h"

extern const struct value_name hccl_data_types[], hccl_link_types[], hccl_transport_types[], hccl_rdma_types[];
/* Values of hccl lists for "not known" and for "no type". */
#define HCCL_NOT_GIVEN 65534
#define HCCL_INVALID 65535

/* The tables of the unified database that hold names. */
struct enum_table {
    const char *table;
    const struct value_name *names; /* NULL ends the list */
};
extern const struct enum_table enum_tables[];

#endif
