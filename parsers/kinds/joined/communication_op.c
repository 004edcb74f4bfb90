/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of communication operators on devices, from the records of host and device. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {COMMUNICATION_OP_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_communication_op = {
    OWN_TABLE("communication_op"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Run of a communication operator",
    .doc = "One run of a communication operator on a device: the tasks that were launched by communication calls "
           "inside of one node call; by device and start.",
    COLUMNS_OF(columns),
};
