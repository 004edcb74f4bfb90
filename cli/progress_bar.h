/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar on stderr: appears after half a second, is redrawn ten times a second, leaves nothing behind. */
#ifndef MSPROF_CLI_PROGRESS_BAR_H
#define MSPROF_CLI_PROGRESS_BAR_H

#include <stddef.h>
#include <stdint.h>

/* From any thread. */
void progress_bar_update(void *unused, const char *what, uint64_t done, uint64_t total);
/* Around a line on stderr: erases the bar and keeps it from being drawn until progress_bar_resume. */
void progress_bar_pause(void);
void progress_bar_resume(void);
/* Erases the bar; the next update starts a new one. */
void progress_bar_end(void);

/* The text of a bar in at most width columns (width < size). size: of buffer. Exposed for tests. */
void progress_bar_format(char *buffer, size_t size, int width, const char *what, uint64_t done, uint64_t total,
                         int64_t elapsed_ns);

#endif
