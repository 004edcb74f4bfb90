/* SPDX-License-Identifier: Apache-2.0 */
/* _exit and _Exit, in front of the C library's: exit handlers do not run there, and what was recorded is written first.
 */
#ifndef MSPROF_ACL_RECORDER_ENDS_H
#define MSPROF_ACL_RECORDER_ENDS_H

/* From now on the function is called before the process ends so. It must be safe in signal handlers. */
void ends_call_first(void (*first)(void));

_Noreturn void ends_process(int status);

#endif
