/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/shield.h"

#include <pthread.h>

void shield_raise(struct shield *shield)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &shield->signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &shield->cancellation);
}

void shield_drop(const struct shield *shield)
{
    int ours;
    pthread_setcancelstate(shield->cancellation, &ours);
    pthread_sigmask(SIG_SETMASK, &shield->signals, NULL);
}
