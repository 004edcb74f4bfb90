/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of host and device records, each once. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {NAME_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_name = {
    OWN_TABLE("name"),
    .families = FAMILY_ASCEND,
    .title = "Name",
    .doc = "The texts that other tables refer to by number: operators, their types, kernels, calls, task types. A text "
           "that no dictionary has stands here as its number.",
    COLUMNS_OF(columns),
};
