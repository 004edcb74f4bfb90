/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the host for dynamic operators, before 2023: Framework.dynamic_op_execute. */
#include "parsers/decode/decode.h"
#include "parsers/join/execution.h"
#include "parsers/kinds/common/columns.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    STORED(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The thread.", AT(4, 4))                                       \
    STORED(OP_TYPE_ID, "op_type_id", "Operator type", NUMBER, "The type, as an id of the hash dictionary.",            \
           SIGNED_AT(8, 8))                                                                                            \
    STORED(EVENT_TYPE_ID, "event_type_id", "Step", NUMBER, "Step of the work, as an id of the hash dictionary.",       \
           SIGNED_AT(16, 8))                                                                                           \
    STORED(START_NS, "start_ns", "Start", INTEGER(NS, PLAIN), "When it began, monotonic clock of the host.",           \
           AT(24, 8))                                                                                                  \
    STORED(END_NS, "end_ns", "End", INTEGER(NS, PLAIN), "When it was done, monotonic clock of the host.", AT(32, 8))

COLUMN_TABLES;

extern const struct record_kind kind_framework_op_execute;

static int check_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)state;
    *keep = decoder_check_span(decoder, "the step", row->cells[START_NS].integer, row->cells[END_NS].integer);
    return *keep ? executions_expect_names(decoder, &kind_framework_op_execute, row, OP_TYPE_ID, 2, err) : 0;
}

const struct record_kind kind_framework_op_execute = {
    OWN_TABLE("framework_op_execute"),
    .families = FAMILY_2022,
    .title = "Host step of an operator",
    .doc = "Work of the host for an operator of dynamic shape, and how long it took.",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.dynamic_op_execute"), NULL},
    RECORDS_OF(columns, FRAMEWORK_LAYOUT("cann-framework-op-execute", "Framework.dynamic_op_execute", 64)),
    HOOKS(.record = check_record),
};
