/* SPDX-License-Identifier: Apache-2.0 */
/* A database that is in use: --clear of another msprof waits until nobody uses it. By a lock (flock) of its directory,
 * because others may replace the file; where the file system has none, nobody waits. */
#ifndef MSPROF_DB_PIN_H
#define MSPROF_DB_PIN_H

#include "base/err.h"

#include <stdbool.h>

/* Pins the file at path, whether it is there or not; a descriptor, or -1: there is no such directory, or the file is
 * removed just now. */
int pin_open(const char *path);
/* Waits until nobody else has the file pinned and removes it; waiting is called once when it has to wait. Returns 0,
 * -ERR_INTERRUPTED or another -code with err set. */
int pin_remove(int fd, const char *path, void (*waiting)(const char *path), struct err *err);
/* -1 is fine. */
void pin_close(int fd);

/* Whether a lock is taken without waiting, or the file system has none; how: as flock() has it. */
bool pin_lock(int fd, int how);
#define PIN_POLL_NS 20000000 /* 20 ms, after which who waits for one tries again */

#endif
