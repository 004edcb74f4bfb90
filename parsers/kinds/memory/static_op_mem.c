/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a compiled graph plans for its operators: *.additional.static_op_mem. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(BYTES, "bytes", "Size", INTEGER(BYTE, PLAIN), "How much.", SIGNED_AT(24, 8))                                \
    STORED(OP_HASH, "op_hash", "Operator hash", INTEGER(NONE, TRANSIENT), "For whom.", SIGNED_AT(32, 8))               \
    MADE(OP_NAME_ID, "op_name_id", "Operator", MADE_NUMBER,                                                            \
         "For which operator (name.id); NULL: for all of the graph.")                                                  \
    STORED(FIRST_NODE, "first_node", "First node", NUMBER, "From which node on.", AT(40, 8))                           \
    STORED(LAST_NODE, "last_node", "Last node", NUMBER, "To which node; 4294967295: the last.", AT(48, 8))             \
    STORED(TOTAL, "total_bytes", "Total", INTEGER(BYTE, PLAIN), "Memory of all operators together.", AT(56, 8))        \
    STORED(MODEL_HASH, "model_hash", "Model hash", INTEGER(NONE, TRANSIENT), "Model that it belongs to.",              \
           SIGNED_AT(64, 8))                                                                                           \
    MADE(MODEL_NAME_ID, "model_name_id", "Model", MADE_NUMBER, "Model that it belongs to (name.id).")                  \
    STORED(GRAPH, "graph_id", "Graph ID", NUMBER, "Graph that it belongs to.", AT(72, 4))

HOST_RECORD_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    if (host_record_take(decoder, state, row, keep, err) < 0 ||
        record_stream_find_name(state, row, OP_HASH, OP_NAME_ID, err) < 0)
        return err_status(err);
    return record_stream_find_name(state, row, MODEL_HASH, MODEL_NAME_ID, err);
}

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

const struct record_kind kind_static_op_mem = {
    OWN_TABLE("static_op_mem"),
    .title = "Memory planned for an operator",
    .doc = "How much memory of the device a compiled graph plans for an operator.",
    HOST_RECORD("additional", 256, "static_op_mem", "static-op-mem", take_record,
                "docs/formats/memory.md 4: 256 bytes"),
    ONE_SERIES(.name = "static_op_mem", .title = "Memory planned for operators",
               .doc = "Memory of the device that a compiled graph plans for each operator.", .columns = table),
};
