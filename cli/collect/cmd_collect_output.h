/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a program on a board, line by line and masked, on the console and in the log. */
#ifndef MSPROF_CLI_COLLECT_CMD_COLLECT_OUTPUT_H
#define MSPROF_CLI_COLLECT_CMD_COLLECT_OUTPUT_H

#include "base/strbuf.h"
#include "cli/capture/collection_log.h"

#include <stdbool.h>
#include <stddef.h>

struct board_output {
    const char *prefix; /* the board's name when there are several, else NULL */
    struct collection_log *log;
    struct strbuf lines[2]; /* not ended yet: standard output, standard error */
};

void board_output_init(struct board_output *output, const char *prefix, struct collection_log *log);
/* As struct run_request wants it; arg is a struct board_output. */
void board_output_take(void *arg, bool is_error, const char *bytes, size_t length);
/* Prints what is not ended by a newline, and frees. */
void board_output_finish(struct board_output *output);

#endif
