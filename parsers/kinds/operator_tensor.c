/* Texts of operators' tensors: derived from the records of framework_tensor. */
#include "parsers/record.h"

#define NUMBER(name, title, doc)                                                                                       \
    {                                                                                                                  \
        name, title, COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, doc                                              \
    }
#define TEXT(name, title, doc)                                                                                         \
    {                                                                                                                  \
        name, title, COLUMN_TEXT, UNIT_NONE, COLUMN_DERIVED, NULL, doc                                                 \
    }

static const struct column columns[] = {
    NUMBER("file_id", "File", "The file it came from (source_file.id)."),
    NUMBER("model_id", "Model ID", "The model; 4294967295: none."),
    NUMBER("iteration", "Iteration", "The iteration of the model."),
    NUMBER("stream_id", "Stream ID", "The stream."),
    NUMBER("task_id", "Task ID", "The number of the task."),
    NUMBER("batch_id", "Batch ID", "How often the task numbers of the stream had begun again."),
    {"time_ns", "Time", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,
     "When it was reported, monotonic clock of the host."},
    TEXT("input_shapes", "Input shapes", "Dimensions by commas, tensors by semicolons."),
    TEXT("input_data_types", "Input data types", "By semicolons."),
    TEXT("input_formats", "Input formats", "By semicolons."),
    TEXT("output_shapes", "Output shapes", "Dimensions by commas, tensors by semicolons."),
    TEXT("output_data_types", "Output data types", "By semicolons."),
    TEXT("output_formats", "Output formats", "By semicolons."),
};

extern const struct record_kind kind_operator_tensor;

const struct record_kind kind_operator_tensor = {
    .name = "operator_tensor",
    .cann = true,
    .table = "operator_tensor",
    .title = "Tensors of an operator as text",
    .doc = "Shapes, data types and formats of up to five tensors of the operator that a task runs; more tensors are "
           "more rows.",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
};
