/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of split tasks: *.additional.context_id_info. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

// clang-format off
#define CONTEXT(STORED, n)                                                                                             \
    STORED(CONTEXT##n, "context" #n, "Context " #n, NUMBER, "A context id of the operator.", AT(36 + 4 * n, 4))
#define CONTEXTS_TO_4(STORED, tens)                                                                                    \
    CONTEXT(STORED, tens##0) CONTEXT(STORED, tens##1) CONTEXT(STORED, tens##2) CONTEXT(STORED, tens##3)                \
    CONTEXT(STORED, tens##4)
#define CONTEXTS_TO_9(STORED, tens)                                                                                    \
    CONTEXTS_TO_4(STORED, tens) CONTEXT(STORED, tens##5) CONTEXT(STORED, tens##6) CONTEXT(STORED, tens##7)             \
    CONTEXT(STORED, tens##8) CONTEXT(STORED, tens##9)

#define COLUMNS(STORED, MADE)                                                                                                \
    STORED(OP_NAME_ID, "op_name_id", "Operator name", NUMBER, "The name, as an id of the hash dictionary.",            \
           SIGNED_AT(24, 8))                                                                                           \
    STORED(CONTEXT_COUNT, "context_count", "Contexts", NUMBER, "How many of the contexts that follow are used.",       \
           AT(32, 4))                                                                                                  \
    CONTEXT(STORED, 0) CONTEXT(STORED, 1) CONTEXT(STORED, 2) CONTEXT(STORED, 3) CONTEXT(STORED, 4) CONTEXT(STORED, 5)  \
    CONTEXT(STORED, 6) CONTEXT(STORED, 7) CONTEXT(STORED, 8) CONTEXT(STORED, 9) CONTEXTS_TO_9(STORED, 1)               \
    CONTEXTS_TO_9(STORED, 2) CONTEXTS_TO_9(STORED, 3) CONTEXTS_TO_9(STORED, 4) CONTEXTS_TO_4(STORED, 5)
// clang-format on

HOST_RECORD_TABLES;

static int take_contexts(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    uint32_t count = row_u32(row, CONTEXT_COUNT);
    if (count > CONTEXTS_PER_RECORD)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "context_count", "%u contexts; expected at most %d",
                              count, CONTEXTS_PER_RECORD);
    if (stream->association == NULL)
        return 0;
    struct host_contexts contexts = {
        .time_ns = part_host_ns(stream->part, row->cells[TICK].integer),
        .name_id = row->cells[OP_NAME_ID].integer,
        .thread_id = row_u32(row, THREAD_ID),
        .count = count,
    };
    for (uint32_t i = 0; i < count; i++)
        contexts.ids[i] = row_u32(row, CONTEXT0 + i);
    return association_add_contexts(stream->association, &contexts, err);
}

const struct record_kind kind_context_id_info = {
    .name = "context_id_info",
    .title = "Context ids",
    .doc = "The contexts (parts of one FFTS+ task) that an operator runs in, reported inside its node call and joined "
           "with it.",
    ADDITIONAL_RECORD("context_id_info", "context-id-info", take_contexts,
                      "24 bytes of header, operator name, count, up to 55 context ids (docs/formats/cann.md 3.5)"),
};
