/* SPDX-License-Identifier: Apache-2.0 */
/* Fused operators with their names and models, from the records of several files. */
#include "parsers/join/association.h"
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

#define FUSED(n) COLUMN("op" #n "_id", "Operator " #n, MADE_NUMBER, "An operator that went into it (name.id).")

static const struct column columns[] = {
    FUSION_OP_COLUMNS(COLUMN_MADE) //
    FUSED(0),
    FUSED(1),
    FUSED(2),
    FUSED(3),
    FUSED(4),
    FUSED(5),
    FUSED(6),
    FUSED(7),
};
_Static_assert(sizeof columns / sizeof *columns == FUSION_OP_FIRST_ID + FUSED_PER_RECORD, "one column for each");

const struct record_kind kind_fusion_op = {
    OWN_TABLE("fusion_op"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Fused operator",
    .doc = "An operator that the graph compiler made of several, with its names and the model whose loading reported "
           "it.",
    COLUMNS_OF(columns),
};
