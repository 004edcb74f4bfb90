/* SPDX-License-Identifier: Apache-2.0 */
/* A database that is in use: --clear of another msprof waits until nobody uses it. By a lock (flock) of its directory,
 * because others may replace the file; where the file system has none, nobody waits. */
#ifndef MSPROF_CLI_CAPTURE_PIN_H
#define MSPROF_CLI_CAPTURE_PIN_H

#include "base/err.h"

/* Pins the file at path, whether it is there or not; a descriptor, or -1: there is no such directory, or the file is
 * removed just now. */
int pin_open(const char *path);
/* Waits until nobody else has the file pinned and removes it; waiting is called once when it has to wait. Returns 0,
 * -ERR_INTERRUPTED or another -code with err set. */
int pin_remove(int fd, const char *path, void (*waiting)(const char *path), struct err *err);
/* -1 is fine. */
void pin_close(int fd);

#endif
