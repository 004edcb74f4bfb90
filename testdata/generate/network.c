/* SPDX-License-Identifier: Apache-2.0 */
#include "testdata/generate/network.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A feature map. */
struct shape {
    uint64_t side, channels;
};

static uint64_t elements(struct shape shape)
{
    return shape.side * shape.side * shape.channels;
}

struct builder {
    struct network *network;
    struct shape at; /* output of the last layer */
    bool failed;
};

static void add_layer(struct builder *b, bool ai_cpu, unsigned task_id, const char *type, const char *merged,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* merged: suffix of a layer that became part of this one ("_relu"), or NULL. */
static void add_layer(struct builder *b, bool ai_cpu, unsigned task_id, const char *type, const char *merged,
                      const char *format, ...)
{
    struct network *network = b->network;
    struct err ignored = ERR_INIT;
    if (network->layer_count == network->layer_capacity &&
        array_grow(&network->layers, &network->layer_capacity, network->layer_count, 1, sizeof *network->layers,
                   &ignored) < 0) {
        b->failed = true;
        return;
    }
    struct network_layer *layer = &network->layers[network->layer_count++];
    *layer = (struct network_layer){.type = type, .task_id = task_id, .ai_cpu = ai_cpu};
    va_list args;
    va_start(args, format);
    vsnprintf(layer->name, sizeof(layer->name), format, args);
    va_end(args);
    if (merged != NULL)
        snprintf(layer->ori_name, sizeof(layer->ori_name), "%s,%s%s", layer->name, layer->name, merged);
    else
        snprintf(layer->ori_name, sizeof(layer->ori_name), "%s", layer->name);
}

/* The AI core task that the next layers belong to. */
static unsigned begin_task(struct builder *b)
{
    struct network *network = b->network;
    struct err ignored = ERR_INIT;
    if (network->task_count == network->task_capacity &&
        array_grow(&network->tasks, &network->task_capacity, network->task_count, 1, sizeof *network->tasks, &ignored) <
            0) {
        b->failed = true;
        return 0;
    }
    network->tasks[network->task_count] = (struct network_task){.read = elements(b->at)};
    return (unsigned)network->task_count++;
}

/* Work of the last task is known when its last layer is. */
static struct network_task *task_work(struct builder *b)
{
    static struct network_task nowhere; /* after a failed allocation */
    return b->failed ? &nowhere : &b->network->tasks[b->network->task_count - 1];
}

static void end_task(struct builder *b)
{
    task_work(b)->write = elements(b->at);
}

static void convolve(struct builder *b, uint64_t kernel, uint64_t stride, uint64_t channels)
{
    struct network_task *work = task_work(b);
    struct shape out = {b->at.side / stride, channels};
    work->macs += elements(out) * kernel * kernel * b->at.channels;
    work->vector_ops += elements(out);
    work->weights += kernel * kernel * b->at.channels * channels;
    b->at = out;
}

static void convolution_task(struct builder *b, const char *block, const char *branch, const char *merged,
                             uint64_t kernel, uint64_t stride, uint64_t channels)
{
    unsigned task = begin_task(b);
    add_layer(b, false, task, "Convolution", merged, "%s_%s", block, branch);
    convolve(b, kernel, stride, channels);
    end_task(b);
}

/* The last convolution of a block runs in one task with the addition of the shortcut. */
static void add_shortcut_task(struct builder *b, const char *block, uint64_t channels)
{
    unsigned task = begin_task(b);
    add_layer(b, false, task, "Convolution", NULL, "%s_branch2c", block);
    convolve(b, 1, 1, channels);
    add_layer(b, false, task, "Eltwise", "_relu", "%s", block);
    task_work(b)->vector_ops += 2 * elements(b->at);
    task_work(b)->read += elements(b->at);
    end_task(b);
}

static const struct {
    uint64_t stride, narrow, wide; /* stride of the first block, channels */
} stages[] = {{1, 64, 256}, {2, 128, 512}, {2, 256, 1024}, {2, 512, 2048}};
#define STAGES (sizeof(stages) / sizeof(stages[0]))

static void residual_block(struct builder *b, size_t stage, size_t index)
{
    char block[LAYER_NAME_SIZE - 16];
    uint64_t stride = index == 0 ? stages[stage].stride : 1;
    if (index < 26)
        snprintf(block, sizeof(block), "res%zu%c", stage + 2, (char)('a' + index));
    else
        snprintf(block, sizeof(block), "res%zub%zu", stage + 2, index);
    struct shape in = b->at;
    if (index == 0) { /* the shortcut changes shape too */
        convolution_task(b, block, "branch1", NULL, 1, stride, stages[stage].wide);
        b->at = in;
    }
    convolution_task(b, block, "branch2a", "_relu", 1, stride, stages[stage].narrow);
    convolution_task(b, block, "branch2b", "_relu", 3, 1, stages[stage].narrow);
    add_shortcut_task(b, block, stages[stage].wide);
}

static void add_head(struct builder *b, bool ai_cpu)
{
    if (ai_cpu)
        add_layer(b, true, 0, "Preprocess", NULL, "colour_convert");
    b->network->preprocess = ai_cpu;
    b->at = (struct shape){224, 3};
    unsigned task = begin_task(b);
    add_layer(b, false, task, "Preprocess", NULL, "data");
    task_work(b)->vector_ops += elements(b->at);
    add_layer(b, false, task, "Convolution", "_relu", "conv1");
    convolve(b, 7, 2, 64);
    add_layer(b, false, task, "PoolingMax", NULL, "pool1");
    task_work(b)->vector_ops += 9 * elements(b->at) / 4;
    b->at.side /= 2;
    end_task(b);
}

static void fully_connected_task(struct builder *b, const char *name, struct shape in, uint64_t outputs)
{
    b->at = in;
    unsigned task = begin_task(b);
    add_layer(b, false, task, "Fc", NULL, "%s", name);
    b->at = (struct shape){1, elements(in)};
    convolve(b, 1, 1, outputs);
    end_task(b);
}

static void simple_task(struct builder *b, const char *type, const char *name, uint64_t vector_factor,
                        uint64_t moved_factor)
{
    unsigned task = begin_task(b);
    add_layer(b, false, task, type, NULL, "%s", name);
    task_work(b)->vector_ops += vector_factor * elements(b->at);
    task_work(b)->rearranged += moved_factor * elements(b->at);
    end_task(b);
}

#define TAIL_LAYERS 7
#define HEAD_LAYERS 3

static void add_tail(struct builder *b, bool ai_cpu)
{
    struct shape pooled = {1, b->at.channels};
    unsigned task = begin_task(b);
    add_layer(b, false, task, "PoolingAve", NULL, "pool5");
    task_work(b)->vector_ops += elements(b->at);
    b->at = pooled;
    end_task(b);
    fully_connected_task(b, "fc1000", pooled, 1000);
    simple_task(b, "Softmax", "\xe5\x88\x86\xe7\xb1\xbb\xe6\xa6\x82\xe7\x8e\x87", 12, 0); /* "class probabilities" */
    fully_connected_task(b, "bbox_pred", pooled, 4000);
    simple_task(b, "Reshape", "bbox_reshape", 0, 1);
    simple_task(b, "Permute", "bbox_permute", 0, 2);
    simple_task(b, "Reportop", "report", 0, 1);
    if (ai_cpu)
        add_layer(b, true, 1, "DecBbox", NULL, "bbox_decode");
    b->network->postprocess = ai_cpu;
}

/* Blocks of each stage in the proportion 3 : 4 : 6 : 3, then plain convolutions up to the exact number of layers. */
static void add_body(struct builder *b, size_t layers)
{
    static const size_t shares[STAGES] = {3, 4, 6, 3};
    size_t left = layers;
    for (size_t stage = 0; stage < STAGES; stage++) {
        size_t blocks = (layers - STAGES) / 4 * shares[stage] / 16;
        for (size_t i = 0; i < blocks && left >= (i == 0 ? 5 : 4); i++) {
            residual_block(b, stage, i);
            left -= i == 0 ? 5 : 4;
        }
    }
    for (size_t i = 0; left > 0; i++, left--) {
        char name[LAYER_NAME_SIZE - 16];
        snprintf(name, sizeof(name), "conv6_%zu", i + 1);
        convolution_task(b, name, "3x3", "_relu", 3, 1, b->at.channels);
    }
}

int network_init(struct network *network, size_t layers, bool ai_cpu, struct err *err)
{
    struct builder b = {.network = network};
    *network = (struct network){.layers = NULL};
    if (layers < NETWORK_MIN_LAYERS || layers > NETWORK_MAX_LAYERS)
        return err_set(err, ERR_USAGE, "%zu layers, expected %d to %d", layers, NETWORK_MIN_LAYERS, NETWORK_MAX_LAYERS);
    add_head(&b, ai_cpu);
    add_body(&b, layers - HEAD_LAYERS - TAIL_LAYERS - (ai_cpu ? NETWORK_AI_CPU_LAYERS : 0));
    add_tail(&b, ai_cpu);
    if (!b.failed && network->task_count <= UINT16_MAX + 1)
        return 0;
    network_release(network);
    return b.failed ? err_set(err, ERR_NO_MEMORY, "out of memory")
                    : err_set(err, ERR_USAGE, "%zu layers make more than %d tasks", layers, UINT16_MAX + 1);
}

void network_release(struct network *network)
{
    free(network->layers);
    free(network->tasks);
    *network = (struct network){.layers = NULL};
}
