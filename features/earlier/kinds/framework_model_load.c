/* SPDX-License-Identifier: Apache-2.0 */
/* Loads of models, before 2023: Framework.model_load_info_<model>. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/model_record.h"

#define RECORD(STORED, MADE) MODEL_RECORD(STORED, MADE, "model_name", "Model", "The name of the model")
#define COLUMNS(STORED)                                                                                                \
    STORED(START_NS, "start_ns", "Start", INTEGER(NS, PLAIN), "When it began, monotonic clock of the host.",           \
           AT(136, 8))                                                                                                 \
    STORED(END_NS, "end_ns", "End", INTEGER(NS, PLAIN), "When it was done, monotonic clock of the host.", AT(144, 8))

MODEL_RECORD_TABLES;

const struct record_kind kind_framework_model_load = {
    OWN_TABLE("framework_model_load"),
    .families = FAMILY_2022,
    .title = "Load of a model",
    .doc = "When a model was loaded, and its name.",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.model_load_info_{model_id}"), NULL},
    RECORDS_OF(columns, FRAMEWORK_LAYOUT("cann-framework-model-load", "Framework.model_load_info", 256)),
    .hooks = &model_record_hooks,
};
