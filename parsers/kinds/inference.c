/* Inferences: derived from the device PMU records and the .done files beside them. */
#include "parsers/kinds/inference.h"

static const struct value_name yes_no[] = {{0, "no"}, {1, "yes"}, {0, NULL}};

static const struct column columns[] = {
    [INFERENCE_ID] = {"inference_id", "Inference", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED | COLUMN_KEY, NULL, "Number of the inference: ai_core_task.inference_id."},
    [INFERENCE_FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "The device PMU file (source_file.id)."},
    [INFERENCE_DEVICE_ID] = {"device_id", "Device ID", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "The device, from the file name."},
    [INFERENCE_MODEL_NAME] = {"model_name", "Model name", COLUMN_TEXT, UNIT_NONE, COLUMN_DERIVED, NULL, "The model, from the .done file or the layer table of the same model id."},
    [INFERENCE_MODEL_ID] = {"model_id", "Model ID", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "The model's number, from the records."},
    [INFERENCE_BATCH_NUM] = {"batch_num", "Batch num", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "Frames of one inference, from the file name."},
    [INFERENCE_INPUT_PIC_NUM] = {"input_pic_num", "Input pic num", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "Number of the input, from the file name."},
    [INFERENCE_CURRENT_PIC_COUNT] = {"current_pic_count", "Current pic count", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "Which inference was sampled, from the records."},
    [INFERENCE_START_NS] = {"start_ns", "Start", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL, "When its first task began: system monotonic clock, or from 0 when start_known is 0."},
    [INFERENCE_END_NS] = {"end_ns", "End", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL, "When its last task ended, on the same clock."},
    [INFERENCE_START_KNOWN] = {"start_known", "Start known", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, yes_no, "1 when a .done file gave the start time."},
    [INFERENCE_TASKS] = {"tasks", "Tasks", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "How many AI core tasks it has."},
    [INFERENCE_TOTAL_CYCLE] = {"total_cycle", "Total cycles", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks."},
    [INFERENCE_MAC_BUSY_CYCLE] = {"mac_busy_cycle", "Mac busy", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_MAC_PPEN_CYCLE] = {"mac_ppen_cycle", "Mac ppen", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_VEC_BUSY_CYCLE] = {"vec_busy_cycle", "Vec busy", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_VEC_PPEN_CYCLE] = {"vec_ppen_cycle", "Vec ppen", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DSTR_CYCLE] = {"dstr_cycle", "Dstr", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DTRANS_CYCLE] = {"dtrans_cycle", "Dtrans", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DLD_CYCLE] = {"dld_cycle", "DLD", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_WLD_CYCLE] = {"wld_cycle", "WLD", COLUMN_INTEGER, UNIT_CYCLE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DDR_READ_BYTES] = {"ddr_read_bytes", "DDR read", COLUMN_INTEGER, UNIT_BYTE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DDR_WRITE_BYTES] = {"ddr_write_bytes", "DDR write", COLUMN_INTEGER, UNIT_BYTE, COLUMN_DERIVED, NULL, "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_ICACHE_HIT] = {"icache_hit", "Icache hits", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "Instruction cache hits, from the .done file."},
    [INFERENCE_ICACHE_MISS] = {"icache_miss", "Icache misses", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "Instruction cache misses, from the .done file."},
    [INFERENCE_CORE_KHZ] = {"core_khz", "AI core frequency (kHz)", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "The frequency that turned cycles into times, in thousandths of MHz."},
};

const struct record_kind kind_inference = {
    .name = "inference",
    .table = "inference",
    .title = "Inference",
    .doc = "One sampled inference of one model on one device: what its AI core tasks have in common.",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
};
