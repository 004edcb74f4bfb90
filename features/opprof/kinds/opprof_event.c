/* SPDX-License-Identifier: Apache-2.0 */
/* Events on the pipes of simulated cores: simulator/trace.json. */
#include "base/format/json_in.h"
#include "base/format/json_pieces.h"
#include "base/number.h"
#include "features/opprof/kinds/common/metric_csv.h"
#include "features/opprof/kinds/common/opprof_csv.h"
#include "features/opprof/kinds/common/opprof_tree.h"

#include <string.h>

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(LAUNCH, "launch_id", "Launch", MADE_NUMBER, "Its launch (capture_part.id).")                                  \
    MADE(PHASE, "phase", "Phase", TEXT(PLAIN), "X, B, E, s, t or C, as the trace has it.")                             \
    MADE(PROCESS, "process", "Core", TEXT(PLAIN), "The core: core0.veccore0; of counters what they count.")            \
    MADE(PIPE, "pipe", "Pipe", TEXT(PLAIN), "The pipe.")                                                               \
    MADE(NAME, "name", "Instruction", TEXT(PLAIN), "The instruction, flag or counter.")                                \
    MADE(START, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since the start of the simulation.")        \
    MADE(DURATION, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it took; NULL: it has no length.")       \
    MADE(LINK, "link", "Link", TEXT(PLAIN), "The id shared by both ends of a flag or an arrow.")                       \
    MADE(CATEGORY, "category", "Category", TEXT(PLAIN), "Of an arrow: its pipes, MTE2ToVECTOR.")                       \
    MADE(ADDRESS, "address", "Address", TEXT(PLAIN), "Address of the instruction, hexadecimal.")                       \
    MADE(CODE, "code", "Line", TEXT(PLAIN), "File and line of the source.")                                            \
    MADE(DETAIL, "detail", "Operands", TEXT(PLAIN), "Operands of the instruction.")                                    \
    MADE(BYTES, "process_bytes", "Bytes", NUMBER, "Bytes that the instruction moved.")                                 \
    MADE(VALUE, "value", "Value", NUMBER, "Value of a counter, in thousandths of the unit in its name.")

MADE_COLUMNS;

extern const struct record_kind kind_opprof_event;

struct reading {
    struct decoder *decoder;
    const struct capture_file *file;
};

static const char *text_of(const struct json *object, const char *name)
{
    const char *text = json_string(json_member(object, name));
    return text != NULL && *text != '\0' ? text : NULL;
}

static void set_text(struct reading *reading, struct row *row, size_t column, const char *text)
{
    if (text != NULL)
        decoder_set_text(reading->decoder, &kind_opprof_event, row, column, text, strlen(text));
}

/* Microseconds as nanoseconds. */
static bool set_time(struct row *row, size_t column, const struct json *value)
{
    double us;
    if (!json_number(value, &us) || !(us >= 0 && us < 9e15))
        return false;
    row_set_integer(row, column, number_rounded(us * 1e3));
    return true;
}

static void set_arguments(struct reading *reading, struct row *row, const struct json *arguments)
{
    int64_t bytes;
    double value;
    set_text(reading, row, ADDRESS, text_of(arguments, "pc_addr"));
    set_text(reading, row, CODE, text_of(arguments, "code"));
    set_text(reading, row, DETAIL, text_of(arguments, "detail"));
    if (json_integer(json_member(arguments, "process_bytes"), &bytes))
        row_set_integer(row, BYTES, bytes);
    if (json_number(json_member(arguments, "throughput(MB/s)"), &value))
        row_set_integer(row, VALUE, number_rounded(value * 1e3));
}

static void reject(struct reading *reading, uint64_t number, const char *field, const char *problem)
{
    const struct place place = {reading->file->name, (int64_t)number, -1, field};
    diag_report(decoder_diag(reading->decoder), DIAG_TEXT_LINE, &place, "%s", problem);
    decoder_reject(reading->decoder, DIAG_TEXT_LINE);
}

/* Metadata names and orders processes: they are named here by their own text. */
static int take_event(void *arg, const struct json *object, uint64_t number, struct err *err)
{
    struct reading *reading = arg;
    const char *phase = text_of(object, "ph"), *process = text_of(object, "pid"), *name = text_of(object, "name");
    double start;
    struct row row;
    if (phase != NULL && strcmp(phase, "M") == 0)
        return 0;
    if (phase == NULL || process == NULL || name == NULL) {
        reject(reading, number, NULL, "an event without ph, pid or name; expected texts");
        return 0;
    }
    if (!json_number(json_member(object, "ts"), &start) || !(start >= 0 && start < 9e15)) {
        reject(reading, number, "ts", "no time; expected microseconds");
        return 0;
    }
    if (decoder_emit(reading->decoder, &kind_opprof_event, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FILE_ID, reading->file->id);
    row_set_integer(&row, LAUNCH, opprof_launch_id(reading->decoder));
    set_text(reading, &row, PHASE, phase);
    set_text(reading, &row, PROCESS, process);
    set_text(reading, &row, PIPE, text_of(object, "tid"));
    set_text(reading, &row, NAME, name);
    set_time(&row, START, json_member(object, "ts"));
    if (*phase == 'X' && !set_time(&row, DURATION, json_member(object, "dur")))
        row_set_integer(&row, DURATION, 0);
    set_text(reading, &row, LINK, text_of(object, "id"));
    set_text(reading, &row, CATEGORY, text_of(object, "cat"));
    set_arguments(reading, &row, json_member(object, "args"));
    return 0;
}

static int read_trace(struct decoder *decoder, void *state, const struct capture_file *file, const char *path,
                      struct err *err)
{
    struct reading reading = {decoder, file};
    struct err mistake = ERR_INIT;
    (void)state;
    return opprof_settle(decoder, file, json_read_rows(path, take_event, &reading, &mistake), &mistake, err);
}

const struct record_kind kind_opprof_event = {
    OWN_TABLE("opprof_event"),
    .families = FAMILY_OPPROF,
    .title = "Event on a simulated core",
    .doc = "An instruction, flag, arrow or counter of the simulator's trace, on its core and pipe.",
    .patterns = (const char *const[]){"trace.json", NULL},
    .stage = 1,
    COLUMNS_OF(columns),
    HOOKS(.file = read_trace),
};
