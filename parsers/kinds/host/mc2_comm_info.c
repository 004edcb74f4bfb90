/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of kernels that compute and communicate at once (MC2): *.additional.mc2_comm_info. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

#include <stdio.h>

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(GROUP, "group_hash", "Group", NUMBER, "The group, as an id of the hash dictionary.", SIGNED_AT(24, 8))      \
    MADE(GROUP_NAME_ID, "group_name_id", "Group", MADE_NUMBER, "The group of ranks (name.id).")                        \
    STORED(RANK_SIZE, "rank_size", "Ranks", NUMBER, "How many ranks the group has.", AT(32, 4))                        \
    STORED(RANK_ID, "rank_id", "Rank", NUMBER, "The rank itself.", AT(36, 4))                                          \
    STORED(USER_RANK_ID, "user_rank_id", "User's rank", NUMBER, "The rank as the program numbers it.", AT(40, 4))      \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream of the AI CPU that serves the kernel.", AT(44, 4)) \
    STORED(STREAM_COUNT, "stream_count", "Streams", NUMBER, "How many streams communicate for it.", AT(48, 4))         \
    MADE(STREAMS, "communication_streams", "Communication streams", TEXT(DERIVED),                                     \
         "These streams, with commas between.")

HOST_RECORD_TABLES;

#define STREAMS_AT 52
#define STREAMS_MOST 8

static void put_streams(struct decoder *decoder, const struct record_stream *stream, struct row *row, uint32_t count)
{
    const struct bytes bytes = decoder_bytes(decoder);
    char text[STREAMS_MOST * 11 + 1] = "";
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        bytes_read(&bytes, STREAMS_AT + 4 * i, 4, false, &number);
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%u", length > 0 ? "," : "", (unsigned)number);
    }
    if (length > 0)
        decoder_set_text(decoder, stream->kind, row, STREAMS, text, length);
}

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    uint32_t count = row_u32(row, STREAM_COUNT);
    if (count > STREAMS_MOST)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "stream_count", "%u streams; expected at most %d",
                              count, STREAMS_MOST);
    put_streams(decoder, stream, row, count);
    int status = host_record_take(decoder, state, row, keep, err);
    if (status < 0 || record_stream_find_name(stream, row, GROUP, GROUP_NAME_ID, err) < 0)
        return err_status(err);
    return stream->association != NULL
               ? association_add_ai_cpu_stream(stream->association, row_u32(row, STREAM_ID), row->cells[GROUP].integer,
                                               row_u32(row, RANK_SIZE), err)
               : 0;
}

const struct record_kind kind_mc2_comm_info = {
    OWN_TABLE("mc2_comm_info"),
    .title = "Streams of a communicating kernel",
    .doc = "Streams of a group whose kernels compute and communicate at once (MC2): the one of the AI CPU that serves "
           "them, and the streams that communicate.",
    ADDITIONAL_RECORD("mc2_comm_info", "mc2-comm-info", take_record,
                      "24 bytes of header, group, ranks, stream, count, up to 8 streams (docs/formats/cann.md 3.5)"),
};
