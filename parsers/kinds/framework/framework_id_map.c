/* SPDX-License-Identifier: Apache-2.0 */
/* Which graph and session a model belongs to, before 2023: Framework.id_map_info. */
#include "parsers/decode/decode.h"

enum { FILE_ID, GRAPH_ID, MODEL_ID, SESSION_ID, TIME_NS, MODE };

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [GRAPH_ID] = {"graph_id", "Graph ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The graph."},
    [MODEL_ID] = {"model_id", "Model ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The model."},
    [SESSION_ID] = {"session_id", "Session ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The session."},
    [TIME_NS] = {"time_ns", "Time", COLUMN_INTEGER, UNIT_NS, 0, NULL, "When, monotonic clock of the host."},
    [MODE] = {"mode", "Mode", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "Event of the model."},
};

static const struct field fields[] = {
    {.column = "graph_id", .offset = 4, .width = 4},    {.column = "model_id", .offset = 8, .width = 4},
    {.column = "session_id", .offset = 12, .width = 4}, {.column = "time_ns", .offset = 16, .width = 8},
    {.column = "mode", .offset = 24, .width = 2},
};

static const struct layout layouts[] = {
    {
        .name = "cann-framework-id-map",
        .source = "CANN Framework.id_map_info record, magic 0x5A5A, 32 bytes (docs/formats/cann.md 5.4)",
        .record_size = 32,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        FIELDS_OF(fields),
    },
};

const struct record_kind kind_framework_id_map = {
    .name = "framework_id_map",
    .table = "framework_id_map",
    .families = FAMILY_2022,
    .title = "Graph of a model",
    .doc = "Which graph and session a model was made of.",
    .patterns = (const char *const[]){"Framework.id_map_info.{device_id}.slice_{slice}",
                                      "Framework.id_map_info.dev.{device_id}.{slice}",
                                      "Framework.id_map_info.dev.profiler_default_tag.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
};
