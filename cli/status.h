/* Exit statuses of the program; a contract with scripts (msprof(1), EXIT STATUS). */
#ifndef MSPROF_CLI_STATUS_H
#define MSPROF_CLI_STATUS_H

#include "base/err.h"

enum exit_status {
    STATUS_DONE = 0,
    STATUS_FAILURE = 1,
    STATUS_USAGE = 2,
    STATUS_DATA_PROBLEMS = 3, /* done, but with data problems */
    STATUS_NOTHING = 4,       /* nothing found to do */
    STATUS_REMOTE = 5,
    STATUS_INTERRUPTED = 130,
};

/* The worse of two: interrupted, usage, failure, remote, data problems, nothing, done. */
int status_worse(int a, int b);
int status_of_error(const struct err *err);

#endif
