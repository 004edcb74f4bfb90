/* SPDX-License-Identifier: Apache-2.0 */
/* Networks as an SVP board sees them: layers, grouped into tasks, with the work that each task does for one picture. */
#ifndef MSPROF_GENERATE_NETWORK_H
#define MSPROF_GENERATE_NETWORK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAYER_NAME_SIZE 64

struct network_layer {
    char name[LAYER_NAME_SIZE];
    char ori_name[2 * LAYER_NAME_SIZE]; /* of the layers that were merged into it, separated by commas */
    const char *type;
    unsigned task_id; /* counted from 0 for each engine */
    bool ai_cpu;
};

/* Work of one task for one picture (weights: for the whole batch). Data are bytes of one element each. */
struct network_task {
    uint64_t macs;        /* multiply-accumulate operations of the matrix unit */
    uint64_t vector_ops;  /* element operations of the vector unit */
    uint64_t rearranged;  /* elements moved without arithmetic */
    uint64_t read, write; /* bytes of feature maps from and to DDR */
    uint64_t weights;     /* bytes of weights from DDR */
};

struct network {
    struct network_layer *layers; /* in execution order */
    size_t layer_count, layer_capacity;
    struct network_task *tasks; /* of the AI core */
    size_t task_count, task_capacity;
    bool preprocess, postprocess; /* AI CPU tasks before and after those of the AI core */
};

#define NETWORK_MIN_LAYERS 16
#define NETWORK_MAX_LAYERS 80000

/* A residual network for 224 x 224 pictures with exactly this many layers, of which the parts that the board fuses
 * share a task. With NETWORK_RESNET50_LAYERS, and the two AI CPU layers beside them, it is the well-known one with 50
 * weight layers and a second head for a box. -code with err set. */
#define NETWORK_RESNET50_LAYERS 78
#define NETWORK_AI_CPU_LAYERS 2
int network_init(struct network *network, size_t layers, bool ai_cpu, struct err *err);
void network_release(struct network *network);

#endif
