/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the files of models on chip 9: *.additional.model_exeom. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(MODEL_ID, "model_id", "Model ID", NUMBER, "The model.", AT(24, 8))                                          \
    STORED(NAME_HASH, "name_hash", "Stamp", INTEGER(NONE, TRANSIENT),                                                  \
           "The name of its file, as an id of the hash dictionary.", SIGNED_AT(32, 8))                                 \
    MADE(NAME_ID, "model_name_id", "Model", MADE_NUMBER, "The name of its file (name.id).")

HOST_RECORD_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    bool failed = host_record_take(decoder, state, row, keep, err) < 0 ||
                  record_stream_find_name(stream, row, NAME_HASH, NAME_ID, err) < 0;
    if (failed || stream->association == NULL || row->cells[MODEL_ID].integer > UINT32_MAX)
        return failed ? err_status(err) : 0;
    return association_add_model(stream->association, row_u32(row, MODEL_ID), row->cells[NAME_HASH].integer, err);
}

const struct record_kind kind_model_exeom = {
    OWN_TABLE("model_exeom"),
    .title = "Model of chip 9",
    .doc = "The name of the file of a model that a program on chip 9 loaded.",
    ADDITIONAL_RECORD("model_exeom", "model-exeom", take_record,
                      "24 bytes of header, model, name of its file (docs/formats/cann.md 3.5)"),
};
