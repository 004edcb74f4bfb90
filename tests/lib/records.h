/* SPDX-License-Identifier: Apache-2.0 */
/* Records and capture directories for unit tests, byte by byte from the format documents (msprof-records(5)) and not by
 * the encoder. */
#ifndef MSPROF_TESTS_RECORDS_H
#define MSPROF_TESTS_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#define PMU_SIZE 128
#define ACL_SIZE 128
#define AICPU_SIZE 128
#define HWTS_SIZE 64

/* Each writes one record at p and returns the end. */
unsigned char *put_pmu(unsigned char *p, unsigned task_id, uint64_t cycles, unsigned model_id, unsigned pic);
unsigned char *put_acl(unsigned char *p, const char *name, uint64_t start_ns, uint64_t end_ns);
unsigned char *put_aicpu(unsigned char *p, unsigned task_id, uint64_t start_ns, uint64_t end_ns);
/* type 0: start, 1: end; counter modulo 16 */
unsigned char *put_hwts(unsigned char *p, unsigned type, unsigned counter, unsigned stream_id, unsigned task_id,
                        uint64_t tick);

/* Makes the directories J and J/data in the scratch directory, with an info.json of 600 MHz; returns J's path, valid
 * until the next test. */
const char *make_job(void);
/* Writes a file into J/data, in place of one that is there. */
void put_file(const char *name, const void *bytes, size_t length);
void put_text(const char *name, const char *text);
/* A file of one task, or of one call, and the layer of such a task. */
void put_one_task(const char *name);
void put_one_call(const char *name);
void put_layers(void);

#endif
