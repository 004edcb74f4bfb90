/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread of a recorder is all that keeps the process alive. */
#ifndef MSPROF_ACL_RECORDER_ALONE_H
#define MSPROF_ACL_RECORDER_ALONE_H

#include <stdbool.h>

#define ALONE_THREAD_NAME "msprof-recorder" /* both libraries may have one, which must not wait for each other */

/* True when all other threads of the process have ended or are recorders' as well; then *exit_status is what the first
 * thread ended with. The last thread's is the process's (Linux 5.16), so the recorder's is to end likewise. Without
 * /proc false. Needs no allocation. */
bool alone_in_process(int *exit_status);

#endif
