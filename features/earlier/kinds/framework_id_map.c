/* SPDX-License-Identifier: Apache-2.0 */
/* Which graph and session a model belongs to, before 2023: Framework.id_map_info. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    STORED(GRAPH_ID, "graph_id", "Graph ID", NUMBER, "The graph.", AT(4, 4))                                           \
    STORED(MODEL_ID, "model_id", "Model ID", NUMBER, "The model.", AT(8, 4))                                           \
    STORED(SESSION_ID, "session_id", "Session ID", NUMBER, "The session.", AT(12, 4))                                  \
    STORED(TIME_NS, "time_ns", "Time", INTEGER(NS, PLAIN), "When, monotonic clock of the host.", AT(16, 8))            \
    STORED(MODE, "mode", "Mode", NUMBER, "Event of the model.", AT(24, 2))

COLUMN_TABLES;

const struct record_kind kind_framework_id_map = {
    OWN_TABLE("framework_id_map"),
    .families = FAMILY_2022,
    .title = "Graph of a model",
    .doc = "Which graph and session a model was made of.",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.id_map_info"), NULL},
    RECORDS_OF(columns, FRAMEWORK_LAYOUT("cann-framework-id-map", "Framework.id_map_info", 32)),
};
