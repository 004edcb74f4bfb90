/* Executions of models, before 2023: Framework.model_time_info_<model>_<request>. */
#include "parsers/decode.h"
#include "parsers/kinds/mixed_text.h"

static const char *const patterns[] = {
    "Framework.model_time_info_{model_id}_{number}.{device_id}.slice_{slice}",
    "Framework.model_time_info_{model_id}_{number}.dev.{device_id}.{slice}",
    "Framework.model_time_info_{model_id}_{number}.dev.profiler_default_tag.{device_id}.slice_{slice}",
    NULL,
};

enum {
    FILE_ID,
    MODEL_ID,
    MODEL_NAME_KIND,
    MODEL_NAME_ID,
    MODEL_NAME,
    REQUEST_ID,
    THREAD_ID,
    INPUT_START_NS,
    INPUT_END_NS,
    INFERENCE_START_NS,
    INFERENCE_END_NS,
    OUTPUT_START_NS,
    OUTPUT_END_NS
};

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [MODEL_ID] = {"model_id", "Model ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The model."},
    [MODEL_NAME_KIND] = {"model_name_kind", "Model given as", COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL,
                         "0 an id, 1 a text."},
    [MODEL_NAME_ID] = {"model_name_id", "Model id", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                       "The name of the model, as an id of the hash dictionary."},
    [MODEL_NAME] = {"model_name", "Model", COLUMN_TEXT, UNIT_NONE, 0, NULL, "The name of the model."},
    [REQUEST_ID] = {"request_id", "Request ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "Which execution it is."},
    [THREAD_ID] = {"thread_id", "Thread ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The calling thread."},
    [INPUT_START_NS] = {"input_start_ns", "Input start", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                        "When it began, monotonic clock of the host."},
    [INPUT_END_NS] = {"input_end_ns", "Input end", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                      "When it was done, monotonic clock of the host."},
    [INFERENCE_START_NS] = {"inference_start_ns", "Inference start", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                            "When it began, monotonic clock of the host."},
    [INFERENCE_END_NS] = {"inference_end_ns", "Inference end", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                          "When it was done, monotonic clock of the host."},
    [OUTPUT_START_NS] = {"output_start_ns", "Output start", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                         "When it began, monotonic clock of the host."},
    [OUTPUT_END_NS] = {"output_end_ns", "Output end", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                       "When it was done, monotonic clock of the host."},
};

static const struct field fields[] = {
    {.column = "model_id", .offset = 4, .width = 4},
    {.column = "model_name_kind", .offset = 8, .width = 1},
    {.column = "model_name_id", .offset = 16, .width = 8, .is_signed = true},
    {.column = "model_name", .offset = 16, .width = 120},
    {.column = "request_id", .offset = 136, .width = 4},
    {.column = "thread_id", .offset = 140, .width = 4},
    {.column = "input_start_ns", .offset = 144, .width = 8},
    {.column = "input_end_ns", .offset = 152, .width = 8},
    {.column = "inference_start_ns", .offset = 160, .width = 8},
    {.column = "inference_end_ns", .offset = 168, .width = 8},
    {.column = "output_start_ns", .offset = 176, .width = 8},
    {.column = "output_end_ns", .offset = 184, .width = 8},
};

static const struct layout layouts[] = {
    {
        .name = "cann-framework-model-time",
        .source = "CANN Framework.model_time_info record, magic 0x5A5A, 256 bytes (cann-formats 5.4)",
        .record_size = 256,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        .fields = fields,
        .field_count = sizeof fields / sizeof *fields,
    },
};

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)state;
    (void)keep;
    (void)err;
    mixed_text_resolve(row, MODEL_NAME_KIND, MODEL_NAME_ID, MODEL_NAME);
    return 0;
}

static const struct kind_hooks hooks = {.record = take_record};

const struct record_kind kind_framework_model_time = {
    .name = "framework_model_time",
    .cann = true,
    .table = "framework_model_time",
    .title = "Execution of a model",
    .doc = "When a model took its input, ran and gave its output.",
    .patterns = patterns,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .layouts = layouts,
    .layout_count = sizeof layouts / sizeof *layouts,
    .hooks = &hooks,
};
