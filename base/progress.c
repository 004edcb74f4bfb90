/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"

#include <string.h>

atomic_int interrupt_signal;
_Thread_local atomic_int *interrupt_flag = &interrupt_signal;

int interrupt_error(struct err *err)
{
    int number = *interrupt_flag;
    const char *name = sigabbrev_np(number);
    if (name == NULL)
        return err_set(err, ERR_INTERRUPTED, "interrupted");
    return err_set(err, ERR_INTERRUPTED, "interrupted by SIG%s", name);
}
