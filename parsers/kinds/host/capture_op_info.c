/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of captured graphs: *.additional.capture_op_info. */
#include "parsers/kinds/common/host/captured_op.h"
#include "parsers/kinds/common/sample.h"

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    uint32_t count = captured_op_tensor_count(row);
    if (count > CAPTURED_OP_TENSORS)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "tensor_count", "%u tensors; expected at most %d",
                              count, CAPTURED_OP_TENSORS);
    const struct bytes tensors = {decoder_bytes(decoder).data + CAPTURED_OP_HEAD, (size_t)count * CAPTURED_OP_TENSOR};
    return captured_op_take(decoder, state, row, &tensors, err);
}

const struct record_kind kind_capture_op_info = {
    OWN_TABLE("capture_op_info"),
    .families = FAMILY_CANN,
    .title = "Operator of a captured graph",
    .doc = "Which operator a task of a captured graph is. A task that no node description names has its name, type and "
           "tensors.",
    .patterns = (const char *const[]){"{tag}.additional.capture_op_info.slice_{slice}", NULL},
    RECORDS_OF(captured_op_columns,
               LAYOUT("cann-capture-op-info", 256, captured_op_fields,
                      "CANN additional record, 256 bytes: 24 bytes of header, model, device, stream, task, type, "
                      "blocks, operator "
                      "name and type, attributes, flags, count, 3 tensors of 44 bytes (docs/formats/cann.md 3.5)",
                      HOST_RECORD_MAGICS)),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
