/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a compiled graph plans for its operators: *.additional.static_op_mem. */
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

enum {
    BYTES = HOST_RECORD_COLUMN_COUNT,
    OP_HASH,
    OP_NAME_ID,
    FIRST_NODE,
    LAST_NODE,
    TOTAL,
    MODEL_HASH,
    MODEL_NAME_ID,
    GRAPH
};

static const struct column columns[] = {
    HOST_RECORD_COLUMNS,
    [BYTES] = BYTES_COLUMN("bytes", "Size", "How much."),
    [OP_HASH] = {"op_hash", "Operator hash", COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL, "For whom."},
    [OP_NAME_ID] = {"op_name_id", "Operator", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                    "For which operator (name.id); NULL: for all of the graph."},
    [FIRST_NODE] = NUMBER_COLUMN("first_node", "First node", "From which node on."),
    [LAST_NODE] = NUMBER_COLUMN("last_node", "Last node", "To which node; 4294967295: the last."),
    [TOTAL] = BYTES_COLUMN("total_bytes", "Total", "Memory of all operators together."),
    [MODEL_HASH] = {"model_hash", "Model hash", COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL,
                    "Model that it belongs to."},
    [MODEL_NAME_ID] = {"model_name_id", "Model", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                       "Model that it belongs to (name.id)."},
    [GRAPH] = NUMBER_COLUMN("graph_id", "Graph ID", "Graph that it belongs to."),
};

static const struct field fields[] = {
    HOST_RECORD_FIELDS,
    {.column = "bytes", .offset = 24, .width = 8, .is_signed = true},
    {.column = "op_hash", .offset = 32, .width = 8, .is_signed = true},
    {.column = "first_node", .offset = 40, .width = 8},
    {.column = "last_node", .offset = 48, .width = 8},
    {.column = "total_bytes", .offset = 56, .width = 8},
    {.column = "model_hash", .offset = 64, .width = 8, .is_signed = true},
    {.column = "graph_id", .offset = 72, .width = 4},
};

static const struct layout layouts[] = {{
    .name = "cann-static-op-mem",
    .source = "docs/formats/memory.md 4: 256 bytes",
    .record_size = 256,
    .magics = HOST_RECORD_MAGICS,
    FIELDS_OF(fields),
}};

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    if (host_record_take(decoder, state, row, keep, err) < 0 ||
        named_host_record_find(state, row, OP_HASH, OP_NAME_ID, err) < 0)
        return -(int)err->code;
    return named_host_record_find(state, row, MODEL_HASH, MODEL_NAME_ID, err);
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct host_stream),
    .open = host_stream_open,
    .record = take_record,
};

static const struct report_column table[] = {
    {"Device_id", "'host'", .doc = "It is planned on the host."},
    {"Op Name", "CASE WHEN op_name_id IS NULL THEN 'TOTAL' ELSE (SELECT text FROM name WHERE name.id = op_name_id) END",
     .doc = "The operator; TOTAL: all of the graph."},
    {"Model Name", "(SELECT text FROM name WHERE name.id = model_name_id)", .doc = "The model."},
    {"Graph ID", "graph_id", .doc = "The graph."},
    {"Node Index Start", "first_node", .doc = "From which node on it is needed."},
    {"Node Index End", "last_node", .doc = "To which node; 4294967295: the last."},
    {"Size(KB)", "bytes / 1024.0", .form = FORM_FLOAT, .doc = "How much."},
    {.title = NULL},
};

static const struct series_report series[] = {
    {
        .name = "static_op_mem",
        .title = "Memory planned for operators",
        .doc = "Memory of the device that a compiled graph plans for each operator.",
        .columns = table,
    },
    {.name = NULL},
};

const struct record_kind kind_static_op_mem = {
    .name = "static_op_mem",
    .families = FAMILY_CANN,
    .table = "static_op_mem",
    .title = "Memory planned for an operator",
    .doc = "How much memory of the device a compiled graph plans for an operator.",
    .patterns = (const char *const[]){"{tag}.additional.static_op_mem.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
    .series = series,
};
