/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and ranges with a message, that a program records with msproftx. Msprof.msproftx and
 * Msprof.msproftx_ex of CANN before 2025, *.additional.msproftx since.
 *
 * Files called Msprof.msproftx have records of 256 or, in 2024, of 180 bytes, which begin alike. The layout is the one
 * under which most records of the stream's beginning have their magic number and tag; when both are equal in that, the
 * one of which the stream is a whole multiple. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_stream.h"

static const char *const patterns[] = {
    "{tag}.additional.msproftx.slice_{slice}",
    "Msprof.msprof{tag}.slice_{slice}",
    NULL,
};

static const unsigned pattern_families[] = {FAMILY_CANN, FAMILY_2022 | FAMILY_CANN};
_Static_assert(sizeof pattern_families / sizeof *pattern_families == sizeof patterns / sizeof *patterns - 1,
               "one set a pattern");

enum { INFO_STAMP, INFO_EX };
static const struct value_name info_types[] = {{INFO_STAMP, "stamp"}, {INFO_EX, "ex"}, {0, NULL}};
#define EVENT_TYPES 4

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(PROCESS_ID, "process_id", "Process ID", NUMBER, "The process.")                                               \
    MADE(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The thread; of a range the one that ended it.")                 \
    MADE(CATEGORY, "category", "Category", NUMBER, "The program's own; of stamps only.")                               \
    MADE(EVENT_TYPE, "event_type", "Event type", NAMES(PLAIN, mark_names),                                             \
         "How the program made it: a mark, a range of a stack, a range with a start and an end, or a mark that a "     \
         "device sees too.")                                                                                           \
    MADE(PAYLOAD_TYPE, "payload_type", "Payload type", NUMBER, "Type of the payload; of stamps only.")                 \
    MADE(PAYLOAD_VALUE, "payload_value", "Payload", NUMBER,                                                            \
         "The program's own value, of 2^63 and more as the negative number with the same bits; of stamps only.")       \
    MADE(START_TICK, "start_tick", "Start", INTEGER(TICK, TRANSIENT), "When it began, on the host's counter.")         \
    MADE(END_TICK, "end_tick", "End", INTEGER(TICK, TRANSIENT), "When it ended, on the host's counter.")               \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, on the capture's clock.")                \
    MADE(END_NS, "end_ns", "End", INTEGER(NS, DERIVED), "When it ended; of a mark its time.")                          \
    MADE(MESSAGE_TYPE, "message_type", "Message type", NUMBER, "Type of the message; of stamps only.")                 \
    MADE(MESSAGE, "message", "Message", TEXT(PIECES), "Text that the program gave.")                                   \
    MADE(MARK_ID, "mark_id", "Mark ID", NUMBER, "Name of the mark on the device; NULL: the device does not see it.")   \
    MADE(DOMAIN_HASH, "domain_hash", "Domain", INTEGER(NONE, TRANSIENT),                                               \
         "The domain, as an id of the hash dictionary; 0: none.")                                                      \
    MADE(DOMAIN_ID, "domain_id", "Domain", MADE_NUMBER, "The domain (name.id), since 2025.")                           \
    MADE(INFO_TYPE, "info_type", "Record type", NAMES(TRANSIENT, info_types),                                          \
         "Whether it is a stamp's; others have a mark and a domain instead of category, payload and type of message.") \
    MADE(SEGMENT, "segment", "Piece", NUMBER,                                                                          \
         "Which piece of a long message the record holds, from 0. The pieces are joined after decoding: the row that " \
         "remains is that of the first.")

MADE_COLUMNS;

static const struct field stamp_fields[] = {
    FIELD("process_id", 4, 4),  FIELD("thread_id", 8, 4),     FIELD("category", 12, 4),
    FIELD("event_type", 16, 4), FIELD("payload_type", 20, 4), SIGNED_FIELD("payload_value", 24, 8),
    FIELD("start_tick", 32, 8), FIELD("end_tick", 40, 8),     FIELD("message_type", 48, 4),
    FIELD("message", 52, 128),
};

static const struct field ex_fields[] = {BITS_FIELD("event_type", 2, 2, 0, 4),
                                         FIELD("process_id", 8, 4),
                                         FIELD("thread_id", 12, 4),
                                         FIELD("start_tick", 24, 8),
                                         FIELD("end_tick", 32, 8),
                                         SIGNED_FIELD("mark_id", 40, 8),
                                         FIELD("message", 48, 128)};

static const struct field additional_fields[] = {FIELD("info_type", 24, 2),
                                                 FIELD("segment", 26, 2),
                                                 FIELD("process_id", 36, 4),
                                                 FIELD("thread_id", 40, 4),
                                                 FIELD("category", 44, 4),
                                                 FIELD("event_type", 48, 4),
                                                 SIGNED_FIELD("payload_type", 52, 4),
                                                 SIGNED_FIELD("payload_value", 56, 8),
                                                 FIELD("start_tick", 64, 8),
                                                 FIELD("end_tick", 72, 8),
                                                 SIGNED_FIELD("mark_id", 80, 8),
                                                 SIGNED_FIELD("domain_hash", 88, 8),
                                                 SIGNED_FIELD("message_type", 96, 4),
                                                 FIELD("message", 100, 156)};

#define STAMP_MAGICS MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(2, 2, 120))

static void unset(struct row *row, size_t column)
{
    *row->present &= ~(UINT64_C(1) << column);
}

/* The columns that the record's type does not have hold nothing. False: there is no such type. */
static bool settle_type(struct decoder *decoder, struct row *row)
{
    static const size_t stamps_own[] = {CATEGORY, PAYLOAD_TYPE, PAYLOAD_VALUE, MESSAGE_TYPE};
    int64_t type = row_has(row, INFO_TYPE)  ? row->cells[INFO_TYPE].integer
                   : row_has(row, CATEGORY) ? INFO_STAMP
                                            : INFO_EX;
    if (type != INFO_STAMP && type != INFO_EX) {
        decoder_report(decoder, DIAG_RECORD_VALUE, "info_type", "record type %lld; expected 0 or 1", (long long)type);
        return false;
    }
    for (size_t i = 0; type == INFO_EX && i < sizeof stamps_own / sizeof *stamps_own; i++)
        unset(row, stamps_own[i]);
    if (type == INFO_STAMP && row_has(row, MARK_ID) && row->cells[MARK_ID].integer == 0)
        unset(row, MARK_ID);
    if (!row_has(row, SEGMENT))
        row_set_integer(row, SEGMENT, 0);
    return true;
}

static void check_event_type(struct decoder *decoder, const struct row *row)
{
    if (!row_has(row, EVENT_TYPE) || row->cells[EVENT_TYPE].integer < EVENT_TYPES)
        return;
    decoder_report(decoder, DIAG_EVENT_UNKNOWN, "event_type", "event type %lld; expected 0 to %d",
                   (long long)row->cells[EVENT_TYPE].integer, EVENT_TYPES - 1);
}

/* Sets the times; both are the one where a layout gives only one of them. False: they cannot be. */
static bool settle_times(struct decoder *decoder, const struct capture_part *part, struct row *row)
{
    if (!row_has(row, START_TICK) && !row_has(row, END_TICK))
        return true;
    int64_t start_ns = part_host_ns(part, row->cells[row_has(row, START_TICK) ? START_TICK : END_TICK].integer);
    int64_t end_ns = part_host_ns(part, row->cells[row_has(row, END_TICK) ? END_TICK : START_TICK].integer);
    row_set_integer(row, START_NS, start_ns);
    row_set_integer(row, END_NS, end_ns);
    return decoder_check_span(decoder, "the event", start_ns, end_ns);
}

static int settle_domain(const struct record_stream *state, struct row *row, struct err *err)
{
    int64_t name_id;
    if (!row_has(row, DOMAIN_HASH) || row->cells[DOMAIN_HASH].integer == 0 || state->association == NULL)
        return 0;
    if (association_find_name(state->association, row->cells[DOMAIN_HASH].integer, "domain_hash", &name_id, err) < 0)
        return err_status(err);
    row_set_integer(row, DOMAIN_ID, name_id);
    return 0;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *state = opaque;
    *keep = settle_type(decoder, row) && settle_times(decoder, state->part, row);
    if (!*keep)
        return 0;
    check_event_type(decoder, row);
    return settle_domain(state, row, err);
}

const struct record_kind kind_msproftx = {
    OWN_TABLE("msproftx"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Mark or range of the program",
    .doc = "A mark or range that the profiled program set with msproftx, with its message, when it was on the host's "
           "clock and, when a device saw it, the mark's number there.",
    .patterns = patterns,
    .pattern_families = pattern_families,
    RECORDS_OF(
        columns,
        LAYOUT("cann-additional-msproftx", 256, additional_fields,
               "CANN additional record, 256 bytes: 24 bytes of header of level 20500, then a stamp or an ex record "
               "(docs/formats/cann.md 6, M)",
               MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(2, 2, 20500))),
        LAYOUT("cann-msproftx-256", 256, stamp_fields,
               "CANN of 2022, Msprof.msproftx: magic 0x5A5A, tag 120, 256 bytes (docs/formats/cann.md 6, E1 and E2)",
               STAMP_MAGICS),
        LAYOUT("cann-msproftx-180", 180, stamp_fields,
               "CANN of 2024, Msprof.msproftx: the same without the 76 bytes at the end (docs/formats/cann.md 6, E4)",
               STAMP_MAGICS),
        LAYOUT("cann-msproftx-ex", 176, ex_fields,
               "CANN of 2024, Msprof.msproftx_ex: magic 0x5A5A, event type below 16, 176 bytes "
               "(docs/formats/cann.md 6, E4)",
               MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(2, 2, 0, .mask = 0xfff0)))),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
