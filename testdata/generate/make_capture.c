/* SPDX-License-Identifier: Apache-2.0 */
/* make-capture: writes an SVP capture of any size, the same bytes for the same options. A board records layers of
 * models alone: launches without a model, collectives, marks, levels and flips, which captures of CANN have, do not
 * exist. */
#include "base/number.h"
#include "testdata/generate/api_log.h"
#include "testdata/generate/board.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: make-capture --output DIR [option]...\n"
    "\n"
    "Runs a simulated board and leaves its capture in DIR/JOB...; prints that directory.\n"
    "\n"
    "  --output DIR       where the capture directory is made (needed)\n"
    "  --seed N           equal seeds and options give equal bytes (1)\n"
    "  --model NAME[:ID]  a model's name and id; repeatable (resnet50:6; ids count from 1)\n"
    "  --layers N         layers of the network (that of ResNet-50)\n"
    "  --inferences N     sampled inferences of each model, batch number, input and device (4)\n"
    "  --interval N       one of N inferences is sampled (0: all); N times the batch pictures apart\n"
    "  --records N        instead of --inferences: about so many device records\n"
    "  --devices N        devices of the board (1)\n"
    "  --batch N          pictures in one inference; repeatable (1)\n"
    "  --inputs N         inputs of each model (1)\n"
    "  --streams N        inferences under way at the same time (1)\n"
    "  --api-calls N      ACL calls kept of each model and device, the newest ones (512, as a board does)\n"
    "  --ai-cpu on|off    layers on the AI CPU before and after the others (on)\n"
    "  --frequency MHZ    of the AI core (600)\n"
    "  --board-names      names and keys of boards that have a file for each inference\n";

enum {
    OPTION_OUTPUT = 256,
    OPTION_SEED,
    OPTION_MODEL,
    OPTION_LAYERS,
    OPTION_INFERENCES,
    OPTION_INTERVAL,
    OPTION_RECORDS,
    OPTION_DEVICES,
    OPTION_BATCH,
    OPTION_INPUTS,
    OPTION_STREAMS,
    OPTION_API_CALLS,
    OPTION_AI_CPU,
    OPTION_FREQUENCY,
    OPTION_BOARD_NAMES,
    OPTION_HELP,
};

static const struct option options_table[] = {
    {"output", required_argument, NULL, OPTION_OUTPUT},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"model", required_argument, NULL, OPTION_MODEL},
    {"layers", required_argument, NULL, OPTION_LAYERS},
    {"inferences", required_argument, NULL, OPTION_INFERENCES},
    {"interval", required_argument, NULL, OPTION_INTERVAL},
    {"records", required_argument, NULL, OPTION_RECORDS},
    {"devices", required_argument, NULL, OPTION_DEVICES},
    {"batch", required_argument, NULL, OPTION_BATCH},
    {"inputs", required_argument, NULL, OPTION_INPUTS},
    {"streams", required_argument, NULL, OPTION_STREAMS},
    {"api-calls", required_argument, NULL, OPTION_API_CALLS},
    {"ai-cpu", required_argument, NULL, OPTION_AI_CPU},
    {"frequency", required_argument, NULL, OPTION_FREQUENCY},
    {"board-names", no_argument, NULL, OPTION_BOARD_NAMES},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

struct arguments {
    const char *output;
    uint64_t layers, records; /* 0: not given */
    struct board_options board;
    struct err *err;
};

static int take_number(const struct arguments *arguments, const char *name, const char *text, int64_t low, int64_t high,
                       int64_t *ret)
{
    if (number_parse_integer(text, strlen(text), ret) < 0 || *ret < low || *ret > high)
        return err_set(arguments->err, ERR_USAGE, "--%s '%s', expected %" PRId64 " to %" PRId64, name, text, low, high);
    return 0;
}

/* NAME or NAME:ID; cuts the argument at the colon. */
static int take_model(struct arguments *arguments, char *text)
{
    struct board_options *board = &arguments->board;
    if (board->model_count == BOARD_MAX_MODELS)
        return err_set(arguments->err, ERR_USAGE, "more than %d models", BOARD_MAX_MODELS);
    int64_t id = (int64_t)board->model_count + 1;
    char *colon = strrchr(text, ':');
    if (colon != NULL) {
        int r = take_number(arguments, "model (its id)", colon + 1, 0, UINT32_MAX, &id);
        if (r < 0)
            return r;
        *colon = '\0';
    }
    if (text[0] == '\0' || strchr(text, '/') != NULL || strlen(text) > 200)
        return err_set(arguments->err, ERR_USAGE, "--model '%s', expected a name without '/', of at most 200 bytes",
                       text);
    board->models[board->model_count].name = text;
    board->models[board->model_count++].id = (unsigned)id;
    return 0;
}

static int take_option(struct arguments *arguments, int option, const char *name, char *text)
{
    struct board_options *board = &arguments->board;
    int64_t value = 0;
    int r;
    switch (option) {
    case OPTION_OUTPUT:
        arguments->output = text;
        return 0;
    case OPTION_SEED:
        r = take_number(arguments, name, text, 0, INT64_MAX, &value);
        board->seed = (uint64_t)value;
        return r;
    case OPTION_MODEL:
        return take_model(arguments, text);
    case OPTION_LAYERS:
        r = take_number(arguments, name, text, NETWORK_MIN_LAYERS, NETWORK_MAX_LAYERS, &value);
        arguments->layers = (uint64_t)value;
        return r;
    case OPTION_INFERENCES:
        r = take_number(arguments, name, text, 0, UINT32_MAX, &value);
        board->inferences = (uint64_t)value;
        return r;
    case OPTION_INTERVAL:
        r = take_number(arguments, name, text, 0, 9999, &value);
        board->interval = (uint64_t)value;
        return r;
    case OPTION_RECORDS:
        r = take_number(arguments, name, text, 1, INT64_C(1) << 40, &value);
        arguments->records = (uint64_t)value;
        return r;
    case OPTION_DEVICES:
        r = take_number(arguments, name, text, 1, 64, &value);
        board->devices = (unsigned)value;
        return r;
    case OPTION_BATCH:
        if (board->batch_count == BOARD_MAX_BATCHES)
            return err_set(arguments->err, ERR_USAGE, "more than %d batch numbers", BOARD_MAX_BATCHES);
        r = take_number(arguments, name, text, 1, 256, &value);
        board->batches[board->batch_count++] = (unsigned)value;
        return r;
    case OPTION_INPUTS:
        r = take_number(arguments, name, text, 1, 64, &value);
        board->inputs = (unsigned)value;
        return r;
    case OPTION_STREAMS:
        r = take_number(arguments, name, text, 1, BOARD_MAX_STREAMS, &value);
        board->streams = (unsigned)value;
        return r;
    case OPTION_API_CALLS:
        r = take_number(arguments, name, text, 0, 10000000, &value);
        board->api_calls = (size_t)value;
        return r;
    case OPTION_BOARD_NAMES:
        board->board_names = true;
        return 0;
    case OPTION_AI_CPU:
        board->ai_cpu = strcmp(text, "on") == 0;
        if (!board->ai_cpu && strcmp(text, "off") != 0)
            return err_set(arguments->err, ERR_USAGE, "--ai-cpu '%s', expected on or off", text);
        return 0;
    default:
        r = take_number(arguments, name, text, 1, 10000, &value);
        board->megahertz = (unsigned)value;
        return r;
    }
}

static void fill_defaults(struct arguments *arguments)
{
    struct board_options *board = &arguments->board;
    if (board->model_count == 0) {
        board->models[0].name = "resnet50";
        board->models[0].id = 6;
        board->model_count = 1;
    }
    if (board->batch_count == 0)
        board->batches[board->batch_count++] = 1;
    if (arguments->layers == 0)
        arguments->layers = NETWORK_RESNET50_LAYERS + (board->ai_cpu ? NETWORK_AI_CPU_LAYERS : 0);
}

static int run(struct arguments *arguments)
{
    struct network network;
    struct board_options *board = &arguments->board;
    char *directory = NULL;
    uint64_t records = 0;
    fill_defaults(arguments);
    int r = network_init(&network, arguments->layers, board->ai_cpu, arguments->err);
    if (r < 0)
        return r;
    if (arguments->records > 0) {
        uint64_t once = network.task_count * board->model_count * board->batch_count * board->inputs * board->devices;
        board->inferences = (arguments->records + once - 1) / once;
    }
    r = board_run(board, &network, arguments->output, &directory, &records, arguments->err);
    network_release(&network);
    if (r < 0)
        return r;
    printf("%s\n", directory);
    fprintf(stderr, "make-capture: %" PRIu64 " device records\n", records);
    free(directory);
    return fflush(stdout) == 0 ? 0 : err_set(arguments->err, ERR_IO, "cannot write to standard output");
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct arguments arguments = {
        .board = {.seed = 1,
                  .devices = 1,
                  .inputs = 1,
                  .streams = 1,
                  .inferences = 4,
                  .api_calls = BOARD_API_CALLS,
                  .ai_cpu = true,
                  .megahertz = 600},
        .err = &err,
    };
    int r = 0, option, index = 0;
    while (r == 0 && (option = getopt_long(argc, argv, "", options_table, &index)) >= 0) {
        if (option == OPTION_HELP)
            return fputs(usage, stdout) >= 0 && fflush(stdout) == 0 ? 0 : 1;
        if (option == '?')
            return 2;
        r = take_option(&arguments, option, options_table[index].name, optarg);
    }
    if (r == 0 && (arguments.output == NULL || optind < argc)) {
        fputs(usage, stderr);
        return 2;
    }
    if (r == 0)
        r = run(&arguments);
    if (r < 0)
        fprintf(stderr, "make-capture: %s\n", err_message(&err));
    return r == 0 ? 0 : err.code == ERR_USAGE ? 2 : 1;
}
