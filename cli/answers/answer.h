/* SPDX-License-Identifier: Apache-2.0 */
/* Captures for answers: with what a framework's directory around them tells. */
#ifndef MSPROF_CLI_ANSWERS_ANSWER_H
#define MSPROF_CLI_ANSWERS_ANSWER_H

#include "cli/capture/captures.h"
#include "exporters/load/load_roofline.h"

#include <malloc.h>

/* As visit_open_database, with the steps that --step-range chooses. Parts of the framework's records that cannot be
   read are told, and the status is STATUS_DATA_PROBLEMS.
 */
int host_side_open(struct capture_visit *visit, sqlite3 **ret);

/* The roofs that the command line tells. */
struct roofs roofs_of(const struct settings *settings);

/* Answers take tens of megabytes for a while, one array after another. */

/* Makes the allocator give each large array back as soon as it is freed. By itself glibc's keeps arrays of up to 32 MB
 * for later use once one was freed, and then two of them are held where one is needed: measured on a million operators,
 * 65 MB instead of 51. Before the first large one. */
static inline void give_large_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

#endif
