/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of host and device records, each once. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {
    [NAME_ID] = {"id", "ID", INTEGER(NONE, DERIVED | COLUMN_KEY), "Number by which other tables refer to it."},
    [NAME_TEXT] = {"text", "Text", TEXT(DERIVED), "The text."},
};

const struct record_kind kind_name = {
    .name = "name",
    .table = "name",
    .families = FAMILY_ASCEND,
    .title = "Name",
    .doc = "The texts that other tables refer to by number: operators, their types, kernels, calls, task types. A text "
           "that "
           "no dictionary has stands here as its number.",
    COLUMNS_OF(columns),
};
