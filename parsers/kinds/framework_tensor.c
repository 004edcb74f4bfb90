/* Shapes, types and formats of operators' tensors before 2023: Framework.tensor_data_info, up to five tensors a record.
 */
#include "parsers/decode.h"
#include "parsers/kinds/tensor_columns.h"
#include "parsers/tensor_names.h"

static const char *const patterns[] = {
    "Framework.tensor_data_info.{device_id}.slice_{slice}",
    "Framework.tensor_data_info.dev.{device_id}.{slice}",
    "Framework.tensor_data_info.dev.profiler_default_tag.{device_id}.slice_{slice}",
    "Framework.single_op_tensor_info.{device_id}.slice_{slice}",
    "Framework.single_op_tensor_info.dev.{device_id}.{slice}",
    "Framework.single_op_tensor_info.dev.profiler_default_tag.{device_id}.slice_{slice}",
    NULL,
};

enum { MODEL_ID, ITERATION, STREAM_ID, TASK_ID, BATCH_ID, TENSOR_COUNT, TIME_NS, FIRST_TENSOR };

static const struct column columns[] = {
    [MODEL_ID] = {"model_id", "Model ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The model; 4294967295: none."},
    [ITERATION] = {"iteration", "Iteration", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The iteration of the model."},
    [STREAM_ID] = {"stream_id", "Stream ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The stream."},
    [TASK_ID] = {"task_id", "Task ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The number of the task."},
    [BATCH_ID] = {"batch_id", "Batch ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                  "How often the task numbers of the stream had begun again."},
    [TENSOR_COUNT] = {"tensor_count", "Tensors", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                      "How many of the tensors that follow are used."},
    [TIME_NS] = {"time_ns", "Time", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                 "When it was reported, monotonic clock of the host; the same as of the task's framework_task."},
    TENSOR_COLUMNS(FIRST_TENSOR),
};

static const struct field fields[] = {
    {.column = "model_id", .offset = 4, .width = 4},   {.column = "iteration", .offset = 8, .width = 8},
    {.column = "stream_id", .offset = 16, .width = 4}, {.column = "task_id", .offset = 20, .width = 2},
    {.column = "batch_id", .offset = 22, .width = 2},  {.column = "tensor_count", .offset = 24, .width = 4},
    {.column = "time_ns", .offset = 248, .width = 8},  TENSOR_FIELDS(28),
};

static const struct layout layouts[] = {{
    .name = "cann-framework-tensor",
    .source = "CANN Framework.tensor_data_info record, magic 0x5A5A, 256 bytes (cann-formats 5.4)",
    .record_size = 256,
    .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
}};

/* The rows that come of the records. */
extern const struct record_kind kind_operator_tensor;
enum {
    ROW_FILE_ID,
    ROW_MODEL_ID,
    ROW_ITERATION,
    ROW_STREAM_ID,
    ROW_TASK_ID,
    ROW_BATCH_ID,
    ROW_TIME_NS,
    ROW_INPUT_SHAPES,
    ROW_INPUT_DATA_TYPES,
    ROW_INPUT_FORMATS,
    ROW_OUTPUT_SHAPES,
    ROW_OUTPUT_DATA_TYPES,
    ROW_OUTPUT_FORMATS
};

enum { INPUT, OUTPUT };

/* The texts of all tensors of one kind, parted by semicolons. */
struct side {
    char shapes[TENSORS_OF_A_RECORD * (TENSOR_SHAPE_MAX + 1)], types[TENSORS_OF_A_RECORD * (TENSOR_NAME_MAX + 1)],
        formats[TENSORS_OF_A_RECORD * (TENSOR_NAME_MAX + 1)];
    char *shapes_end, *types_end, *formats_end;
    bool any;
};

static void add_tensor(struct side *side, const struct cell *tensor)
{
    uint32_t shape[TENSOR_DIMENSIONS];
    for (size_t i = 0; i < TENSOR_DIMENSIONS; i++)
        shape[i] = (uint32_t)tensor[3 + i].integer;
    if (side->any) {
        *side->shapes_end++ = ';';
        *side->types_end++ = ';';
        *side->formats_end++ = ';';
    } else {
        side->shapes_end = side->shapes;
        side->types_end = side->types;
        side->formats_end = side->formats;
    }
    side->any = true;
    side->shapes_end = tensor_shape_put(side->shapes_end, shape, TENSOR_DIMENSIONS);
    side->types_end = tensor_type_put(side->types_end, (uint32_t)tensor[2].integer, TENSOR_ERA_2022);
    side->formats_end = tensor_format_put(side->formats_end, (uint32_t)tensor[1].integer, TENSOR_ERA_2022);
}

static void set_side(struct decoder *decoder, struct row *row, size_t shapes, const struct side *side)
{
    if (!side->any)
        return;
    const struct record_kind *kind = &kind_operator_tensor;
    decoder_set_text(decoder, kind, row, shapes, side->shapes, (size_t)(side->shapes_end - side->shapes));
    decoder_set_text(decoder, kind, row, shapes + 1, side->types, (size_t)(side->types_end - side->types));
    decoder_set_text(decoder, kind, row, shapes + 2, side->formats, (size_t)(side->formats_end - side->formats));
}

static int take_record(struct decoder *decoder, void *state, struct row *record, bool *keep, struct err *err)
{
    (void)state;
    const struct cell *cells = record->cells;
    int64_t count = cells[TENSOR_COUNT].integer;
    struct side sides[2];
    struct row row;
    if (count > TENSORS_OF_A_RECORD) {
        struct place place = decoder_place(decoder, "tensor_count");
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place, "%lld tensors; expected at most %d",
                    (long long)count, TENSORS_OF_A_RECORD);
        *keep = false;
        return 0;
    }
    sides[INPUT].any = sides[OUTPUT].any = false;
    for (int64_t i = 0; i < count; i++) {
        const struct cell *tensor = &cells[FIRST_TENSOR + i * TENSOR_COLUMN_COUNT];
        if (tensor->integer == INPUT || tensor->integer == OUTPUT)
            add_tensor(&sides[tensor->integer], tensor);
    }
    int status = decoder_emit(decoder, &kind_operator_tensor, &row, err);
    if (status < 0)
        return status;
    row_set_integer(&row, ROW_FILE_ID, decoder_file_id(decoder));
    row_set_integer(&row, ROW_MODEL_ID, cells[MODEL_ID].integer);
    row_set_integer(&row, ROW_ITERATION, cells[ITERATION].integer);
    row_set_integer(&row, ROW_STREAM_ID, cells[STREAM_ID].integer);
    row_set_integer(&row, ROW_TASK_ID, cells[TASK_ID].integer);
    row_set_integer(&row, ROW_BATCH_ID, cells[BATCH_ID].integer);
    row_set_integer(&row, ROW_TIME_NS, cells[TIME_NS].integer);
    set_side(decoder, &row, ROW_INPUT_SHAPES, &sides[INPUT]);
    set_side(decoder, &row, ROW_OUTPUT_SHAPES, &sides[OUTPUT]);
    return 0;
}

static const struct kind_hooks hooks = {.record = take_record};

const struct record_kind kind_framework_tensor = {
    .name = "framework_tensor",
    .cann = true,
    .title = "Tensors of an operator",
    .doc = "Shapes, data types and formats of the tensors of the operator that a task runs. They become rows of "
           "operator_tensor.",
    .patterns = patterns,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .layouts = layouts,
    .layout_count = 1,
    .hooks = &hooks,
};
