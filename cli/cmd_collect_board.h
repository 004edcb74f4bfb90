/* The whole way over one board. */
#ifndef MSPROF_CLI_CMD_COLLECT_BOARD_H
#define MSPROF_CLI_CMD_COLLECT_BOARD_H

#include "cli/cmd_collect_plan.h"

struct collect_outcome {
    int status;
    char *capture; /* absolute path of the capture's directory here; NULL: none came */
};

/* Connects, uploads, runs, fetches, tidies up; tells everything. The plan must have been made. */
struct collect_outcome collect_from_board(struct collect_plan *plan);

/* Output of a program on a board, line by line and masked, on the console and in the log. */
struct collection_log;
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
