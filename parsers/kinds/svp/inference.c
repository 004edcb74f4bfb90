/* SPDX-License-Identifier: Apache-2.0 */
/* Inferences: derived from the device PMU records and the .done files beside them. */
#include "parsers/kinds/common/inference.h"
#include "parsers/kinds/common/columns.h"

static const struct value_name yes_no[] = {{0, "no"}, {1, "yes"}, {0, NULL}};

static const struct column columns[] = {INFERENCE_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_inference = {
    OWN_TABLE("inference"),
    .families = FAMILY_SVP,
    .title = "Inference",
    .doc = "One sampled inference of one model on one device: what its AI core tasks have in common.",
    COLUMNS_OF(columns),
};
