/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of long work, told by library code to whoever shows it. */
#ifndef MSPROF_BASE_PROGRESS_H
#define MSPROF_BASE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct progress {
    /* done and total in the same unit (bytes, rows); may come from another thread than the one that started the work.
     */
    void (*update)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *arg;
};

static inline void progress_update(const struct progress *progress, const char *what, uint64_t done, uint64_t total)
{
    if (progress != NULL && progress->update != NULL)
        progress->update(progress->arg, what, done, total);
}

#endif
