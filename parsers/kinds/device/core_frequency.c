/* Frequency of the AI cores over time: lpmFreqConv.data. */
#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"

extern const struct record_kind kind_core_frequency; /* its rows come from a hook */

static const char *const patterns[] = {
    "lpmFreqConv.data.{device_id}.slice_{slice}",
    NULL,
};

enum { FILE_ID, DEVICE_ID, CHANGES, TIME_NS, MHZ };

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [DEVICE_ID] = {"device_id", "Device ID", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                   "The device, from the file name."},
    [CHANGES] = {"changes", "Changes", COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL,
                 "How many changes the record holds, a row for each."},
    [TIME_NS] = {"time_ns", "Time", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL, "When it changed, since 1970."},
    [MHZ] = {"mhz", "Frequency", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "MHz from then on."},
};

static const struct field fields[] = {
    {.column = "changes", .offset = 0, .width = 4},
};

static const struct layout layouts[] = {
    {
        .name = "cann-lpm-freq-conv",
        .source = "CANN lpmFreqConv.data record, 888 bytes: count, and from 8 on up to 55 pairs of system counter and "
                  "MHz, 16 bytes each (docs/formats/cann.md 7)",
        .record_size = 888,
        .fields = fields,
        .field_count = sizeof fields / sizeof *fields,
    },
};

enum { CHANGES_MAX = 55, FIRST_CHANGE = 8, CHANGE_SIZE = 16 };

struct state {
    const struct capture_part *part;
    int64_t device_id;
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    state->part = decoder_part(decoder);
    state->device_id = file->identity.device_id;
    return 0;
}

static int emit_change(struct decoder *decoder, const struct state *state, const struct bytes *bytes, size_t at,
                       struct err *err)
{
    uint64_t tick, mhz;
    struct row row;
    if (!bytes_read(bytes, at, 8, false, &tick) || !bytes_read(bytes, at + 8, 4, false, &mhz))
        return 0;
    if (tick > INT64_MAX) {
        struct place place = decoder_place(decoder, "tick");
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place, "a counter of 2^63 or more; expected less");
        return 0;
    }
    int status = decoder_emit(decoder, &kind_core_frequency, &row, err);
    if (status < 0)
        return status;
    row_set_integer(&row, FILE_ID, decoder_file_id(decoder));
    row_set_integer(&row, DEVICE_ID, state->device_id);
    row_set_integer(&row, TIME_NS, part_device_ns(state->part, (int64_t)tick));
    row_set_integer(&row, MHZ, (int64_t)mhz);
    return 0;
}

static int take_changes(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct state *state = opaque;
    const struct bytes bytes = decoder_bytes(decoder);
    int64_t count = row->cells[CHANGES].integer;
    int status = 0;
    if (count > CHANGES_MAX) {
        struct place place = decoder_place(decoder, "changes");
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place, "%lld changes; expected at most %d",
                    (long long)count, CHANGES_MAX);
        *keep = false;
        return 0;
    }
    decoder_consume(decoder);
    for (int64_t i = 0; status == 0 && i < count; i++)
        status = emit_change(decoder, state, &bytes, FIRST_CHANGE + CHANGE_SIZE * (size_t)i, err);
    return status;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct state),
    .open = open_stream,
    .record = take_changes,
};

const struct record_kind kind_core_frequency = {
    .name = "core_frequency",
    .table = "core_frequency",
    .families = FAMILY_LEGACY | FAMILY_CANN,
    .title = "Frequency of the AI cores",
    .doc = "When the AI cores of a device changed their frequency, and to which.",
    .patterns = patterns,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .layouts = layouts,
    .layout_count = sizeof layouts / sizeof *layouts,
    .hooks = &hooks,
};
