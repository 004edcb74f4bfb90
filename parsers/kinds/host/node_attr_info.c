/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of operators: *.compact.node_attr_info. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(OP_NAME_ID, "op_name_id", "Operator name", NUMBER, "The name, as an id of the hash dictionary.",            \
           SIGNED_AT(24, 8))                                                                                           \
    STORED(ATTRIBUTE_TYPE, "attribute_type", "Attribute type", NUMBER, "Kind of attribute.", AT(32, 4))                \
    STORED(ATTRIBUTE_ID, "attribute_id", "Attribute", NUMBER, "The attribute, as an id of the hash dictionary.",       \
           SIGNED_AT(36, 8))

HOST_RECORD_TABLES;

static int take_attribute(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    const struct record_stream *stream = state;
    if (stream->association == NULL)
        return 0;
    struct host_attribute attribute = {
        .time_ns = part_host_ns(stream->part, row->cells[TICK].integer),
        .name_id = row->cells[OP_NAME_ID].integer,
        .value_id = row->cells[ATTRIBUTE_ID].integer,
        .thread_id = row_u32(row, THREAD_ID),
        .type = row_u32(row, ATTRIBUTE_TYPE),
    };
    return association_add_attribute(stream->association, &attribute, err);
}

const struct record_kind kind_node_attr_info = {
    .name = "node_attr_info",
    .title = "Node attribute",
    .doc = "A text that describes an operator further, reported inside the node call that launches it. It is joined "
           "with that call.",
    COMPACT_RECORD("node_attr_info", "node-attr-info", take_attribute,
                   "24 bytes of header, operator name, attribute type, attribute (docs/formats/cann.md 3.4)"),
};
