/* SPDX-License-Identifier: Apache-2.0 */
/* Inferences: derived from the device PMU records and the .done files beside them. */
#include "parsers/kinds/common/inference.h"
#include "parsers/kinds/common/columns.h"

static const struct value_name yes_no[] = {{0, "no"}, {1, "yes"}, {0, NULL}};

static const struct column columns[] = {
    [INFERENCE_ID] = {"inference_id", "Inference", INTEGER(NONE, DERIVED | COLUMN_KEY),
                      "Number of the inference: ai_core_task.inference_id."},
    [INFERENCE_FILE_ID] = {"file_id", "File", INTEGER(NONE, DERIVED), "The device PMU file (source_file.id)."},
    [INFERENCE_DEVICE_ID] = {"device_id", "Device ID", INTEGER(NONE, DERIVED), "The device, from the file name."},
    [INFERENCE_MODEL_NAME] = {"model_name", "Model name", TEXT(DERIVED),
                              "The model, from the .done file or the layer table of the same model id."},
    [INFERENCE_MODEL_ID] = {"model_id", "Model ID", INTEGER(NONE, DERIVED), "The model's number, from the records."},
    [INFERENCE_BATCH_NUM] = {"batch_num", "Batch num", INTEGER(NONE, DERIVED),
                             "Frames of one inference, from the file name."},
    [INFERENCE_INPUT_PIC_NUM] = {"input_pic_num", "Input pic num", INTEGER(NONE, DERIVED),
                                 "Number of the input, from the file name."},
    [INFERENCE_CURRENT_PIC_COUNT] = {"current_pic_count", "Current pic count", INTEGER(NONE, DERIVED),
                                     "Which inference was sampled, from the records."},
    [INFERENCE_START_NS] = {"start_ns", "Start", INTEGER(NS, DERIVED),
                            "When its first task began: system monotonic clock, or from 0 when start_known is 0."},
    [INFERENCE_END_NS] = {"end_ns", "End", INTEGER(NS, DERIVED), "When its last task ended, on the same clock."},
    [INFERENCE_START_KNOWN] =
        {"start_known", "Start known", NAMES(DERIVED, yes_no),
         "1 when start_ns is on the system monotonic clock: from a .done file, or after an inference that has one."},
    [INFERENCE_TASKS] = {"tasks", "Tasks", INTEGER(NONE, DERIVED), "How many AI core tasks it has."},
    [INFERENCE_TOTAL_CYCLE] = {"total_cycle", "Total cycles", INTEGER(CYCLE, DERIVED), "Sum over its AI core tasks."},
    [INFERENCE_MAC_BUSY_CYCLE] = {"mac_busy_cycle", "Mac busy", INTEGER(CYCLE, DERIVED),
                                  "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_MAC_PPEN_CYCLE] = {"mac_ppen_cycle", "Mac ppen", INTEGER(CYCLE, DERIVED),
                                  "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_VEC_BUSY_CYCLE] = {"vec_busy_cycle", "Vec busy", INTEGER(CYCLE, DERIVED),
                                  "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_VEC_PPEN_CYCLE] = {"vec_ppen_cycle", "Vec ppen", INTEGER(CYCLE, DERIVED),
                                  "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DSTR_CYCLE] = {"dstr_cycle", "Dstr", INTEGER(CYCLE, DERIVED),
                              "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DTRANS_CYCLE] = {"dtrans_cycle", "Dtrans", INTEGER(CYCLE, DERIVED),
                                "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DLD_CYCLE] = {"dld_cycle", "DLD", INTEGER(CYCLE, DERIVED),
                             "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_WLD_CYCLE] = {"wld_cycle", "WLD", INTEGER(CYCLE, DERIVED),
                             "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DDR_READ_BYTES] = {"ddr_read_bytes", "DDR read", INTEGER(BYTE, DERIVED),
                                  "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_DDR_WRITE_BYTES] = {"ddr_write_bytes", "DDR write", INTEGER(BYTE, DERIVED),
                                   "Sum over its AI core tasks; NULL when the layout does not give it."},
    [INFERENCE_ICACHE_HIT] = {"icache_hit", "Icache hits", INTEGER(NONE, DERIVED),
                              "Instruction cache hits, from the .done file."},
    [INFERENCE_ICACHE_MISS] = {"icache_miss", "Icache misses", INTEGER(NONE, DERIVED),
                               "Instruction cache misses, from the .done file."},
    [INFERENCE_ICACHE_MISS_PPM] = {"icache_miss_ppm", "Icache miss rate (millionths)", INTEGER(NONE, DERIVED),
                                   "The icache_miss_rate of file names, formed as the layout says: by default "
                                   "icache_miss / (icache_hit + icache_miss)."},
    [INFERENCE_CORE_KHZ] = {"core_khz", "AI core frequency (kHz)", INTEGER(NONE, DERIVED),
                            "The frequency that turned cycles into times, in thousandths of MHz."},
};

const struct record_kind kind_inference = {
    .name = "inference",
    .table = "inference",
    .families = FAMILY_SVP,
    .title = "Inference",
    .doc = "One sampled inference of one model on one device: what its AI core tasks have in common.",
    COLUMNS_OF(columns),
};
