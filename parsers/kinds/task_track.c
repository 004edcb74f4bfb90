/* Which tasks the runtime hands to a device: *.compact.task_track. */
#include "parsers/capture.h"
#include "parsers/kinds/host_record.h"

static const char *const patterns[] = {
    "{tag}.compact.task_track.slice_{slice}",
    NULL,
};

enum {
    DEVICE_ID = HOST_RECORD_COLUMN_COUNT,
    DEVICE_TYPE,
    STREAM_ID,
    TASK_ID,
    BATCH_ID,
    TASK_TYPE_ID,
    KERNEL_NAME_ID,
    KERNEL_BLOCK_NUM
};

static const struct column columns[] = {
    HOST_RECORD_COLUMNS,
    [DEVICE_ID] = {"device_id", "Device ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The device."},
    [DEVICE_TYPE] = {"device_type", "Device type", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "What kind of device it is."},
    [STREAM_ID] = {"stream_id", "Stream ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The stream that the task is put on."},
    [TASK_ID] = {"task_id", "Task ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                 "The number of the task in its stream; it begins again after 65535."},
    [BATCH_ID] = {"batch_id", "Batch ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                  "How often the numbers of the stream have begun again."},
    [TASK_TYPE_ID] = {"task_type_id", "Task type", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                      "The type, as an id of the type dictionary at the level of the runtime."},
    [KERNEL_NAME_ID] = {"kernel_name_id", "Kernel name", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                        "The kernel, as an id of the hash dictionary."},
    [KERNEL_BLOCK_NUM] = {"kernel_block_num", "Kernel block num", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                          "How many blocks the kernel is launched with; only when 40 bytes of payload are used."},
};

static const struct field fields[] = {
    HOST_RECORD_FIELDS,
    {.column = "device_id", .offset = 24, .width = 2, .first_bit = 0, .bit_count = 12},
    {.column = "device_type", .offset = 24, .width = 2, .first_bit = 12, .bit_count = 4},
    {.column = "stream_id", .offset = 26, .width = 2},
    {.column = "task_id", .offset = 28, .width = 2},
    {.column = "batch_id", .offset = 30, .width = 2},
    {.column = "task_type_id", .offset = 32, .width = 8, .is_signed = true},
    {.column = "kernel_name_id", .offset = 40, .width = 8, .is_signed = true},
    {.column = "kernel_block_num", .offset = 48, .width = 2},
};

static const struct layout layouts[] = {
    {
        .name = "cann-task-track",
        .source = "CANN compact record, 64 bytes: 24 bytes of header, device, stream, task, batch, task type, kernel "
                  "name, kernel information (cann-formats 3.4)",
        .record_size = 64,
        .magics = HOST_RECORD_MAGICS,
        .fields = fields,
        .field_count = sizeof fields / sizeof *fields,
    },
};

/* Payload with the kernel's launch behind the names. */
#define KERNEL_PAYLOAD 40

static int take_track(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    const struct host_stream *stream = state;
    if (stream->association == NULL)
        return 0;
    struct host_track track = {
        .time_ns = part_host_ns(stream->part, row->cells[TICK].integer),
        .task_type_id = row->cells[TASK_TYPE_ID].integer,
        .kernel_id = row->cells[KERNEL_NAME_ID].integer,
        .block_num = row->cells[DATA_LENGTH].integer == KERNEL_PAYLOAD ? row->cells[KERNEL_BLOCK_NUM].integer : -1,
        .thread_id = row_u32(row, THREAD_ID),
        .device_id = row_u32(row, DEVICE_ID),
        .stream_id = row_u32(row, STREAM_ID),
        .task_id = row_u32(row, TASK_ID),
        .batch_id = row_u32(row, BATCH_ID),
    };
    return association_add_track(stream->association, &track, err);
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct host_stream),
    .open = host_stream_open,
    .record = take_track,
};

const struct record_kind kind_task_track = {
    .name = "task_track",
    .cann = true,
    .title = "Task track",
    .doc = "A task that the runtime handed to a device, reported inside the runtime call that launches it. It is "
           "joined with that call and with the execution on the device.",
    .patterns = patterns,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .layouts = layouts,
    .layout_count = sizeof layouts / sizeof *layouts,
    .hooks = &hooks,
};
