/* SPDX-License-Identifier: Apache-2.0 */
/* A board that runs models and writes down what the hardware counts: a whole capture, streamed to disk. */
#ifndef MSPROF_GENERATE_BOARD_H
#define MSPROF_GENERATE_BOARD_H

#include "base/err.h"
#include "testdata/generate/network.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOARD_MAX_MODELS 16
#define BOARD_MAX_BATCHES 16
#define BOARD_MAX_STREAMS 64

struct board_options {
    uint64_t seed;
    struct {
        const char *name;
        unsigned id;
    } models[BOARD_MAX_MODELS];
    size_t model_count;
    unsigned batches[BOARD_MAX_BATCHES]; /* every model runs with each of them */
    size_t batch_count;
    unsigned devices, inputs, streams; /* from 1 */
    uint64_t inferences;               /* sampled, of each model, batch number, input and device */
    uint64_t interval;                 /* one of so many inferences is sampled; 0 and 1: all */
    size_t api_calls;                  /* kept of each model and device */
    bool ai_cpu;
    unsigned megahertz;
    bool board_names; /* a file of device records for each inference, and the keys of .done files that go with it */
};

/* Runs the network under every model's name and writes the capture below output; *ret_directory is its directory
 * (free() it) and *ret_records the number of device records. -code with err set. */
int board_run(const struct board_options *options, const struct network *network, const char *output,
              char **ret_directory, uint64_t *ret_records, struct err *err);

#endif
