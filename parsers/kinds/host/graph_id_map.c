/* SPDX-License-Identifier: Apache-2.0 */
/* Names of models: *.additional.graph_id_map. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(MODEL_NAME_ID, "model_name_id", "Model name", NUMBER, "The name, as an id of the hash dictionary.",         \
           SIGNED_AT(24, 8))                                                                                           \
    STORED(GRAPH_ID, "graph_id", "Graph ID", NUMBER, "The graph.", AT(32, 4))                                          \
    STORED(MODEL_ID, "model_id", "Model ID", NUMBER, "The model.", AT(36, 4))

HOST_RECORD_TABLES;

static int take_model(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    const struct cell *cells = row->cells;
    int status = host_record_take(decoder, state, row, keep, err);
    if (status < 0 || stream->association == NULL)
        return status;
    return association_add_model(stream->association, row_u32(row, MODEL_ID), cells[MODEL_NAME_ID].integer, err);
}

const struct record_kind kind_graph_id_map = {
    OWN_TABLE("graph_id_map"),
    .title = "Model name",
    .doc = "Which graph a model was made of, and its name.",
    ADDITIONAL_RECORD("graph_id_map", "graph-id-map", take_model,
                      "24 bytes of header, model name, graph, model (docs/formats/cann.md 3.5)"),
};
