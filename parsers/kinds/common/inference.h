/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the inference kind, for the kind that derives it. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_INFERENCE_H
#define MSPROF_PARSERS_KINDS_COMMON_INFERENCE_H

#include "parsers/kinds/common/columns.h"

/* Sums of the counters follow in the order of the device PMU's columns. */
#define INFERENCE_SUM(MADE, number, name, title, unit)                                                                 \
    MADE(number, name, title, INTEGER(unit, DERIVED),                                                                  \
         "Sum over its AI core tasks; NULL when the layout does not give it.")
#define INFERENCE_COLUMNS(MADE)                                                                                        \
    MADE(INFERENCE_ID, "inference_id", "Inference", INTEGER(NONE, DERIVED | COLUMN_KEY),                               \
         "Number of the inference: ai_core_task.inference_id.")                                                        \
    MADE(INFERENCE_FILE_ID, "file_id", "File", MADE_NUMBER, "The device PMU file (source_file.id).")                   \
    MADE(INFERENCE_DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name.")                \
    MADE(INFERENCE_MODEL_NAME, "model_name", "Model name", TEXT(DERIVED),                                              \
         "The model, from the .done file or the layer table of the same model id.")                                    \
    MADE(INFERENCE_MODEL_ID, "model_id", "Model ID", MADE_NUMBER, "The model's number, from the records.")             \
    MADE(INFERENCE_BATCH_NUM, "batch_num", "Batch num", MADE_NUMBER, "Frames of one inference, from the file name.")   \
    MADE(INFERENCE_INPUT_PIC_NUM, "input_pic_num", "Input pic num", MADE_NUMBER,                                       \
         "Number of the input, from the file name.")                                                                   \
    MADE(INFERENCE_CURRENT_PIC_COUNT, "current_pic_count", "Current pic count", MADE_NUMBER,                           \
         "Which inference was sampled, from the records.")                                                             \
    MADE(INFERENCE_START_NS, "start_ns", "Start", INTEGER(NS, DERIVED),                                                \
         "When its first task began: system monotonic clock, or from 0 when start_known is 0.")                        \
    MADE(INFERENCE_END_NS, "end_ns", "End", INTEGER(NS, DERIVED), "When its last task ended, on the same clock.")      \
    MADE(INFERENCE_START_KNOWN, "start_known", "Start known", NAMES(DERIVED, yes_no),                                  \
         "1 when start_ns is on the system monotonic clock: from a .done file, or after an inference that has one.")   \
    MADE(INFERENCE_TASKS, "tasks", "Tasks", MADE_NUMBER, "How many AI core tasks it has.")                             \
    MADE(INFERENCE_TOTAL_CYCLE, "total_cycle", "Total cycles", INTEGER(CYCLE, DERIVED), "Sum over its AI core tasks.") \
    INFERENCE_SUM(MADE, INFERENCE_MAC_BUSY_CYCLE, "mac_busy_cycle", "Mac busy", CYCLE)                                 \
    INFERENCE_SUM(MADE, INFERENCE_MAC_PPEN_CYCLE, "mac_ppen_cycle", "Mac ppen", CYCLE)                                 \
    INFERENCE_SUM(MADE, INFERENCE_VEC_BUSY_CYCLE, "vec_busy_cycle", "Vec busy", CYCLE)                                 \
    INFERENCE_SUM(MADE, INFERENCE_VEC_PPEN_CYCLE, "vec_ppen_cycle", "Vec ppen", CYCLE)                                 \
    INFERENCE_SUM(MADE, INFERENCE_DSTR_CYCLE, "dstr_cycle", "Dstr", CYCLE)                                             \
    INFERENCE_SUM(MADE, INFERENCE_DTRANS_CYCLE, "dtrans_cycle", "Dtrans", CYCLE)                                       \
    INFERENCE_SUM(MADE, INFERENCE_DLD_CYCLE, "dld_cycle", "DLD", CYCLE)                                                \
    INFERENCE_SUM(MADE, INFERENCE_WLD_CYCLE, "wld_cycle", "WLD", CYCLE)                                                \
    INFERENCE_SUM(MADE, INFERENCE_DDR_READ_BYTES, "ddr_read_bytes", "DDR read", BYTE)                                  \
    INFERENCE_SUM(MADE, INFERENCE_DDR_WRITE_BYTES, "ddr_write_bytes", "DDR write", BYTE)                               \
    MADE(INFERENCE_ICACHE_HIT, "icache_hit", "Icache hits", MADE_NUMBER,                                               \
         "Instruction cache hits, from the .done file.")                                                               \
    MADE(INFERENCE_ICACHE_MISS, "icache_miss", "Icache misses", MADE_NUMBER,                                           \
         "Instruction cache misses, from the .done file.")                                                             \
    MADE(INFERENCE_ICACHE_MISS_PPM, "icache_miss_ppm", "Icache miss rate (millionths)", MADE_NUMBER,                   \
         "The icache_miss_rate of file names, formed as the layout says: by default icache_miss / (icache_hit + "      \
         "icache_miss).")                                                                                              \
    MADE(INFERENCE_CORE_KHZ, "core_khz", "AI core frequency (kHz)", MADE_NUMBER,                                       \
         "The frequency that turned cycles into times, in thousandths of MHz.")
enum { INFERENCE_COLUMNS(COLUMN_NUMBER) };

#define INFERENCE_RUN_COLUMNS(MADE)                                                                                    \
    MADE(INFERENCE_RUN_INFERENCE_ID, "inference_id", "Inference", MADE_NUMBER,                                         \
         "The inference (inference.inference_id).")                                                                    \
    MADE(INFERENCE_RUN_FIRST_TASK, "first_task", "First task", MADE_NUMBER, "First ai_core_task.id of the run.")       \
    MADE(INFERENCE_RUN_LAST_TASK, "last_task", "Last task", MADE_NUMBER, "Last ai_core_task.id of the run.")
enum { INFERENCE_RUN_COLUMNS(COLUMN_NUMBER) };

extern const struct record_kind kind_inference;
extern const struct record_kind kind_inference_run;

#endif
