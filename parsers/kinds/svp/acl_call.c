/* SPDX-License-Identifier: Apache-2.0 */
/* ACL API calls: acl_api.* of SVP boards and AclModule.* of CANN, one record a call. */
#include "parsers/decode/decode.h"
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"

static const char *const patterns[] = {
    "acl_api.{device_id}.{model}.{model_id}",
    FILES_OF_2022("AclModule.acl_{tag}"),
    "AclModule.{device_id}.{model}.{model_id}",
    "AclModule.{device_id}.slice_{slice}",
    "AclModule.{device_id}",
    NULL,
};

/* Boards of SVP used the name AclModule, too, but divided no file by the parts of ACL. */
static const unsigned pattern_families[] = {
    FAMILY_SVP, FAMILY_2022, FAMILY_2022, FAMILY_2022, FAMILY_SVP, FAMILY_SVP | FAMILY_2022, FAMILY_SVP,
};
_Static_assert(sizeof pattern_families / sizeof *pattern_families == sizeof patterns / sizeof *patterns - 1,
               "one set a pattern");

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    STORED(API_TYPE, "api_type", "Type", NAMES(PLAIN, acl_part_names),                                                 \
           "The part of ACL that the function belongs to.", AT(4, 4))                                                  \
    STORED(START_NS, "start_ns", "Start", INTEGER(NS, ORIGIN), "When the call began, system monotonic clock.",         \
           AT(8, 8))                                                                                                   \
    STORED(END_NS, "end_ns", "End", INTEGER(NS, PLAIN), "When the call returned, system monotonic clock.", AT(16, 8))  \
    STORED(PROCESS_ID, "process_id", "Process ID", NUMBER, "The calling process.", AT(24, 4))                          \
    STORED(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The calling thread.", AT(28, 4))                              \
    STORED(NAME, "name", "Name", TEXT(PLAIN), "The function's name.", AT(32, 64))

COLUMN_TABLES;

/* The board keeps at most this many records of a collection and overwrites older ones. */
#define BOARD_BUFFER_RECORDS 512

struct state {
    struct executions *executions; /* of a capture of CANN from before 2023 */
    uint64_t records;
    const char *name;
    bool board;
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    state->executions = decoder_executions(decoder);
    state->name = file->name;
    /* what libmsprof_acl records comes in slices and is complete */
    state->board = decoder_capture(decoder)->family == CAPTURE_SVP && file->identity.slice < 0;
    return 0;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    const struct cell *cells = row->cells;
    const struct plain_call call = {
        .begin_ns = cells[START_NS].integer,
        .end_ns = cells[END_NS].integer,
        .name = cells[NAME].text,
        .name_length = cells[NAME].length,
        .thread_id = (uint32_t)cells[THREAD_ID].integer,
        .type = (uint32_t)cells[API_TYPE].integer,
        .level = HOST_LEVEL_ACL,
    };
    state->records++;
    if (!row_has(row, START_NS) || !row_has(row, END_NS))
        return 0;
    *keep = decoder_check_span(decoder, "the call", call.begin_ns, call.end_ns);
    return *keep && state->executions != NULL ? executions_add_call(state->executions, &call, err) : 0;
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    const struct state *state = opaque;
    if (!failed && state->board && state->records == BOARD_BUFFER_RECORDS)
        diag_report(decoder_diag(decoder), DIAG_API_OVERFLOW, FILE_PLACE(state->name, NULL),
                    "exactly %d API records, the size of the board's buffer: older calls were overwritten",
                    BOARD_BUFFER_RECORDS);
    return 0;
}

const struct record_kind kind_acl_call = {
    OWN_TABLE("acl_call"),
    .families = FAMILY_SVP | FAMILY_2022,
    .title = "ACL API call",
    .doc =
        "One call of an ACL C function by the profiled program: which function, which process and thread, from when to "
        "when. Calls of one thread nest.",
    .patterns = patterns,
    .pattern_families = pattern_families,
    RECORDS_OF(columns, LAYOUT("cann-acl-module", 128, fields,
                               "CANN AclModule record: magic 0x5A5A, data tag 0, 128 bytes (Ascend/msprof of 2022, "
                               "analysis/msparser/acl/acl_data_bean.py)",
                               MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(2, 2, 0)))),
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .record = take_record, .close = close_stream),
};
