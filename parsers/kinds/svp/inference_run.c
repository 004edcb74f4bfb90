/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of ai_core_task belong to which inference: stored in file order, so a run of ids is an index of two
 * numbers. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/inference.h"

static const struct column columns[] = {INFERENCE_RUN_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_inference_run = {
    OWN_TABLE("inference_run"),
    .families = FAMILY_SVP,
    .title = "Run of tasks of one inference",
    .doc = "A run of consecutive rows of ai_core_task that belong to one inference. An inference has one run unless "
           "the device interleaved it with others.",
    COLUMNS_OF(columns),
};
