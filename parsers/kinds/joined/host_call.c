/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on the host, from the records of several files. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {HOST_CALL_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_host_call = {
    OWN_TABLE("host_call"),
    .families = FAMILY_ASCEND,
    .title = "Call on the host",
    .doc = "One call of CANN on the host, ordered by thread and start: a call comes before those inside of it.",
    COLUMNS_OF(columns),
};
