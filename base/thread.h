/* SPDX-License-Identifier: Apache-2.0 */
/* Threads beside the main one. */
#ifndef MSPROF_BASE_THREAD_H
#define MSPROF_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that no signal goes to: they end waiting system calls of the main thread. It polls the interrupt flag
 * and has the locale of the thread that starts it. 0 or an errno. */
int thread_start(pthread_t *ret, void *(*run)(void *arg), void *arg);

#endif
