/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of communication operators, from the records of host and device. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {COMMUNICATION_TASK_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_communication_task = {
    OWN_TABLE("communication_task"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Task of a communication operator",
    .doc = "Which tasks a communication operator consists of, and what was reported of them.",
    COLUMNS_OF(columns),
};
