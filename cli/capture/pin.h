/* SPDX-License-Identifier: Apache-2.0 */
/* A database that is in use: --clear of another msprof waits until nobody uses it. By a lock of the file (flock); where
 * the file system has none, nobody waits. */
#ifndef MSPROF_CLI_CAPTURE_PIN_H
#define MSPROF_CLI_CAPTURE_PIN_H

#include "base/err.h"

#include <stdbool.h>

/* Pins the file at path; a descriptor, or -1: there is no such file, or it was removed or replaced just now. */
int pin_open(const char *path);
/* Whether the file at path is the pinned one. */
bool pin_is_current(int fd, const char *path);
/* Waits until nobody else has the file pinned and removes it; waiting is called once when it has to wait. Whoever
 * replaced it in the meantime keeps his. Returns 0, -ERR_INTERRUPTED or another -code with err set. */
int pin_remove(int fd, const char *path, void (*waiting)(const char *path), struct err *err);
/* -1 is fine. */
void pin_close(int fd);

#endif
