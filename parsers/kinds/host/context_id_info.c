/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of split tasks: *.additional.context_id_info. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(STORED)                                                                                                \
    STORED(OP_NAME_ID, "op_name_id", "Operator name", NUMBER, "The name, as an id of the hash dictionary.",            \
           SIGNED_AT(24, 8))                                                                                           \
    STORED(CONTEXT_COUNT, "context_count", "Contexts", NUMBER, "How many of the contexts that follow are used.",       \
           AT(32, 4))                                                                                                  \
    STORED(CONTEXT0, "context0", "Context 0", NUMBER, "A context id of the operator.", AT(36, 4))                      \
    STORED(CONTEXT1, "context1", "Context 1", NUMBER, "A context id of the operator.", AT(40, 4))                      \
    STORED(CONTEXT2, "context2", "Context 2", NUMBER, "A context id of the operator.", AT(44, 4))                      \
    STORED(CONTEXT3, "context3", "Context 3", NUMBER, "A context id of the operator.", AT(48, 4))                      \
    STORED(CONTEXT4, "context4", "Context 4", NUMBER, "A context id of the operator.", AT(52, 4))                      \
    STORED(CONTEXT5, "context5", "Context 5", NUMBER, "A context id of the operator.", AT(56, 4))                      \
    STORED(CONTEXT6, "context6", "Context 6", NUMBER, "A context id of the operator.", AT(60, 4))                      \
    STORED(CONTEXT7, "context7", "Context 7", NUMBER, "A context id of the operator.", AT(64, 4))                      \
    STORED(CONTEXT8, "context8", "Context 8", NUMBER, "A context id of the operator.", AT(68, 4))                      \
    STORED(CONTEXT9, "context9", "Context 9", NUMBER, "A context id of the operator.", AT(72, 4))                      \
    STORED(CONTEXT10, "context10", "Context 10", NUMBER, "A context id of the operator.", AT(76, 4))                   \
    STORED(CONTEXT11, "context11", "Context 11", NUMBER, "A context id of the operator.", AT(80, 4))                   \
    STORED(CONTEXT12, "context12", "Context 12", NUMBER, "A context id of the operator.", AT(84, 4))                   \
    STORED(CONTEXT13, "context13", "Context 13", NUMBER, "A context id of the operator.", AT(88, 4))                   \
    STORED(CONTEXT14, "context14", "Context 14", NUMBER, "A context id of the operator.", AT(92, 4))                   \
    STORED(CONTEXT15, "context15", "Context 15", NUMBER, "A context id of the operator.", AT(96, 4))                   \
    STORED(CONTEXT16, "context16", "Context 16", NUMBER, "A context id of the operator.", AT(100, 4))                  \
    STORED(CONTEXT17, "context17", "Context 17", NUMBER, "A context id of the operator.", AT(104, 4))                  \
    STORED(CONTEXT18, "context18", "Context 18", NUMBER, "A context id of the operator.", AT(108, 4))                  \
    STORED(CONTEXT19, "context19", "Context 19", NUMBER, "A context id of the operator.", AT(112, 4))                  \
    STORED(CONTEXT20, "context20", "Context 20", NUMBER, "A context id of the operator.", AT(116, 4))                  \
    STORED(CONTEXT21, "context21", "Context 21", NUMBER, "A context id of the operator.", AT(120, 4))                  \
    STORED(CONTEXT22, "context22", "Context 22", NUMBER, "A context id of the operator.", AT(124, 4))                  \
    STORED(CONTEXT23, "context23", "Context 23", NUMBER, "A context id of the operator.", AT(128, 4))                  \
    STORED(CONTEXT24, "context24", "Context 24", NUMBER, "A context id of the operator.", AT(132, 4))                  \
    STORED(CONTEXT25, "context25", "Context 25", NUMBER, "A context id of the operator.", AT(136, 4))                  \
    STORED(CONTEXT26, "context26", "Context 26", NUMBER, "A context id of the operator.", AT(140, 4))                  \
    STORED(CONTEXT27, "context27", "Context 27", NUMBER, "A context id of the operator.", AT(144, 4))                  \
    STORED(CONTEXT28, "context28", "Context 28", NUMBER, "A context id of the operator.", AT(148, 4))                  \
    STORED(CONTEXT29, "context29", "Context 29", NUMBER, "A context id of the operator.", AT(152, 4))                  \
    STORED(CONTEXT30, "context30", "Context 30", NUMBER, "A context id of the operator.", AT(156, 4))                  \
    STORED(CONTEXT31, "context31", "Context 31", NUMBER, "A context id of the operator.", AT(160, 4))                  \
    STORED(CONTEXT32, "context32", "Context 32", NUMBER, "A context id of the operator.", AT(164, 4))                  \
    STORED(CONTEXT33, "context33", "Context 33", NUMBER, "A context id of the operator.", AT(168, 4))                  \
    STORED(CONTEXT34, "context34", "Context 34", NUMBER, "A context id of the operator.", AT(172, 4))                  \
    STORED(CONTEXT35, "context35", "Context 35", NUMBER, "A context id of the operator.", AT(176, 4))                  \
    STORED(CONTEXT36, "context36", "Context 36", NUMBER, "A context id of the operator.", AT(180, 4))                  \
    STORED(CONTEXT37, "context37", "Context 37", NUMBER, "A context id of the operator.", AT(184, 4))                  \
    STORED(CONTEXT38, "context38", "Context 38", NUMBER, "A context id of the operator.", AT(188, 4))                  \
    STORED(CONTEXT39, "context39", "Context 39", NUMBER, "A context id of the operator.", AT(192, 4))                  \
    STORED(CONTEXT40, "context40", "Context 40", NUMBER, "A context id of the operator.", AT(196, 4))                  \
    STORED(CONTEXT41, "context41", "Context 41", NUMBER, "A context id of the operator.", AT(200, 4))                  \
    STORED(CONTEXT42, "context42", "Context 42", NUMBER, "A context id of the operator.", AT(204, 4))                  \
    STORED(CONTEXT43, "context43", "Context 43", NUMBER, "A context id of the operator.", AT(208, 4))                  \
    STORED(CONTEXT44, "context44", "Context 44", NUMBER, "A context id of the operator.", AT(212, 4))                  \
    STORED(CONTEXT45, "context45", "Context 45", NUMBER, "A context id of the operator.", AT(216, 4))                  \
    STORED(CONTEXT46, "context46", "Context 46", NUMBER, "A context id of the operator.", AT(220, 4))                  \
    STORED(CONTEXT47, "context47", "Context 47", NUMBER, "A context id of the operator.", AT(224, 4))                  \
    STORED(CONTEXT48, "context48", "Context 48", NUMBER, "A context id of the operator.", AT(228, 4))                  \
    STORED(CONTEXT49, "context49", "Context 49", NUMBER, "A context id of the operator.", AT(232, 4))                  \
    STORED(CONTEXT50, "context50", "Context 50", NUMBER, "A context id of the operator.", AT(236, 4))                  \
    STORED(CONTEXT51, "context51", "Context 51", NUMBER, "A context id of the operator.", AT(240, 4))                  \
    STORED(CONTEXT52, "context52", "Context 52", NUMBER, "A context id of the operator.", AT(244, 4))                  \
    STORED(CONTEXT53, "context53", "Context 53", NUMBER, "A context id of the operator.", AT(248, 4))                  \
    STORED(CONTEXT54, "context54", "Context 54", NUMBER, "A context id of the operator.", AT(252, 4))

enum { LAST_SHARED = HOST_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) };

static const struct column columns[] = {HOST_RECORD_COLUMNS, COLUMNS(COLUMN_STORED)};

static const struct field fields[] = {HOST_RECORD_FIELDS, COLUMNS(COLUMN_FIELD)};

static const struct layout layouts[] = {
    {
        .name = "cann-context-id-info",
        .source = "CANN additional record, 256 bytes: 24 bytes of header, operator name, count, up to 55 context ids "
                  "(docs/formats/cann.md 3.5)",
        .record_size = 256,
        .magics = HOST_RECORD_MAGICS,
        FIELDS_OF(fields),
    },
};

static int take_contexts(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct host_stream *stream = state;
    uint32_t count = row_u32(row, CONTEXT_COUNT);
    if (count > CONTEXTS_PER_RECORD) {
        struct place place = decoder_place(decoder, "context_count");
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place, "%u contexts; expected at most %d", count,
                    CONTEXTS_PER_RECORD);
        *keep = false;
        return 0;
    }
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

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct host_stream),
    .open = host_stream_open,
    .record = take_contexts,
};

const struct record_kind kind_context_id_info = {
    .name = "context_id_info",
    .families = FAMILY_CANN,
    .title = "Context ids",
    .doc = "The contexts (parts of one FFTS+ task) that an operator runs in, reported inside its node call and joined "
           "with it.",
    .patterns = (const char *const[]){"{tag}.additional.context_id_info.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
};
