/* SPDX-License-Identifier: Apache-2.0 */
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
    STATUS_BROKEN = 6,        /* diff: a gate is broken; advise: a finding of --fail-on */
    STATUS_INCOMPARABLE = 7,  /* diff: the captures are too different */
    STATUS_RUN_FAILED = 125,  /* run: msprof failed before the program was started */
    STATUS_CANNOT_RUN = 126,  /* run: the program cannot be started */
    STATUS_NO_PROGRAM = 127,  /* run: there is no such program */
    STATUS_SIGNAL_BASE = 128, /* run: plus the number of the signal that ended the program */
    STATUS_INTERRUPTED = 130,
};

/* The worse of two: interrupted, usage, failure, remote, incomparable, broken, data problems, nothing, done. */
int status_worse(int a, int b);
int status_of_error(const struct err *err);

#endif
