/* The columns of the inference kind, for the kind that derives it. */
#ifndef MSPROF_PARSERS_KINDS_INFERENCE_H
#define MSPROF_PARSERS_KINDS_INFERENCE_H

#include "parsers/record.h"

enum {
    INFERENCE_ID,
    INFERENCE_FILE_ID,
    INFERENCE_DEVICE_ID,
    INFERENCE_MODEL_NAME,
    INFERENCE_MODEL_ID,
    INFERENCE_BATCH_NUM,
    INFERENCE_INPUT_PIC_NUM,
    INFERENCE_CURRENT_PIC_COUNT,
    INFERENCE_START_NS,
    INFERENCE_END_NS,
    INFERENCE_START_KNOWN,
    INFERENCE_TASKS,
    INFERENCE_TOTAL_CYCLE,
    INFERENCE_ICACHE_HIT,
    INFERENCE_ICACHE_MISS,
    INFERENCE_CORE_KHZ,
};

enum { INFERENCE_RUN_INFERENCE_ID, INFERENCE_RUN_FIRST_TASK, INFERENCE_RUN_LAST_TASK };

extern const struct record_kind kind_inference;
extern const struct record_kind kind_inference_run;

#endif
