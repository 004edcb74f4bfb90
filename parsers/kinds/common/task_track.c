/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/task_track.h"

#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(DEVICE_ID, "device_id", "Device ID", NUMBER, "The device.")                                                   \
    MADE(DEVICE_TYPE, "device_type", "Device type", NUMBER, "Kind of device.")                                         \
    MADE(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream that the task is put on.")                           \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task in its stream; it begins again after 65535.")  \
    MADE(BATCH_ID, "batch_id", "Batch ID", NUMBER, "How often the numbers of the stream have begun again.")            \
    MADE(TASK_TYPE_ID, "task_type_id", "Task type", NUMBER,                                                            \
         "The type, as an id of the type dictionary at the level of the runtime.")                                     \
    MADE(KERNEL_NAME_ID, "kernel_name_id", "Kernel name", NUMBER, "The kernel, as an id of the hash dictionary.")      \
    MADE(KERNEL_BLOCK_NUM, "kernel_block_num", "Kernel block num", NUMBER,                                             \
         "How many blocks the kernel is launched with; only when 40 bytes of payload are used.")                       \
    MADE(KERNEL_DIMS_1, "kernel_grid_y", "Kernel grid y", NUMBER,                                                      \
         "The grid of a kernel of type KERNEL_SIMT; its x is kernel_block_num.")                                       \
    MADE(KERNEL_DIMS_2, "kernel_grid_z", "Kernel grid z", NUMBER, "Its z.")                                            \
    MADE(KERNEL_DIMS_3, "kernel_block_x", "Kernel block x", NUMBER, "Threads in a block of such a kernel.")            \
    MADE(KERNEL_DIMS_4, "kernel_block_y", "Kernel block y", NUMBER, "Its y.")                                          \
    MADE(KERNEL_DIMS_5, "kernel_block_z", "Kernel block z", NUMBER, "Its z.")

enum { LAST_SHARED = HOST_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) };

const struct column task_track_columns[] = {HOST_RECORD_COLUMNS, COLUMNS(COLUMN_MADE)};

_Static_assert(sizeof task_track_columns / sizeof *task_track_columns == TASK_TRACK_COLUMNS, "as the header says");

const struct field task_track_fields[TASK_TRACK_COLUMNS - 2] = {
    TASK_TRACK_FIELDS,        FIELD("stream_id", 26, 2),           FIELD("task_id", 28, 2),
    FIELD("batch_id", 30, 2), SIGNED_FIELD("task_type_id", 32, 8), TASK_TRACK_KERNEL_FIELDS};

/* Payload with the kernel's launch behind the names. */
#define KERNEL_PAYLOAD 40

/* Records that are no task: how Ascend's tool knows them, too. */
enum { TYPE_MAINTENANCE = 6, TYPE_FLIP = 98, DEVICE_NPU = 0, DEVICE_DPU = 1, BATCH_OF_DESTROYED = 65535 };

static ALWAYS_INLINE int emit_kernel(struct decoder *decoder, const struct record_stream *stream,
                                     const struct record_source *record, struct err *err)
{
    int64_t kernel = source_integer(record, KERNEL_NAME_ID), device = source_integer(record, DEVICE_ID), name = 0;
    int64_t stream_id = source_integer(record, STREAM_ID);
    int64_t task_id = source_integer(record, TASK_ID) | source_integer(record, BATCH_ID) << 16;
    struct row row;
    if (association_find_name(stream->association, kernel, "kernel_name_id", &name, err) < 0)
        return err_status(err);
    if (decoder_emit(decoder, &kind_dpu_kernel, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, DPU_KERNEL_DEVICE_ID, device);
    row_set_integer(&row, DPU_KERNEL_STREAM_ID, stream_id);
    row_set_integer(&row, DPU_KERNEL_TASK_ID, task_id);
    row_set_integer(&row, DPU_KERNEL_KERNEL_NAME_ID, name);
    return 0;
}

static ALWAYS_INLINE int take_track(struct decoder *decoder, void *state, const struct record_source *source,
                                    bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    const struct record_stream *stream = state;
    if (stream->association == NULL)
        return 0;
    int64_t time_ns = part_ticks_ns(&stream->host, source_integer(source, TICK)),
            type = source_integer(source, TASK_TYPE_ID);
    bool unique = part_has_unique_tasks(stream->part->chip);
    if (source_integer(source, DEVICE_TYPE) == DEVICE_DPU)
        return emit_kernel(decoder, stream, source, err);
    if (type == TYPE_MAINTENANCE || source_integer(source, DEVICE_TYPE) != DEVICE_NPU)
        return 0; /* neither runs on a device of this capture */
    if (type == TYPE_FLIP && !unique)
        return association_add_host_flip(
            stream->association,
            &(struct task_flip){.time_ns = time_ns,
                                .device_id = source_u32(source, DEVICE_ID),
                                .stream_id = source_u32(source, STREAM_ID),
                                .task_id = source_u32(source, TASK_ID),
                                .number = source_u32(source, BATCH_ID),
                                .destroys = source_integer(source, BATCH_ID) == BATCH_OF_DESTROYED},
            err);
    struct host_track track = {
        .time_ns = time_ns,
        .task_type_id = type,
        .kernel_id = source_integer(source, KERNEL_NAME_ID),
        .block_num =
            source_integer(source, DATA_LENGTH) == KERNEL_PAYLOAD ? source_integer(source, KERNEL_BLOCK_NUM) : -1,
        .thread_id = source_u32(source, THREAD_ID),
        .device_id = source_u32(source, DEVICE_ID),
        .stream_id = source_u32(source, STREAM_ID),
        .task_id = source_u32(source, TASK_ID) | (unique ? source_u32(source, BATCH_ID) << 16 : 0),
        .batch_id = unique ? 0 : source_u32(source, BATCH_ID),
    };
    for (size_t i = 0; track.block_num >= 0 && i < KERNEL_DIMS; i++)
        track.dims[i] = (uint32_t)source_run(source, KERNEL_BLOCK_NUM, i);
    return association_add_track(stream->association, &track, err);
}

RECORD_HOOKS(take_track, task_track_fields, TIME_NS, 1)

const struct kind_hooks task_track_hooks = {
    .state_size = sizeof(struct record_stream),
    .open = record_stream_open,
    .record = take_track_row,
    DIRECT(take_track, task_track_fields),
};
