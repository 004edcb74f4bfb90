/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that tests make with the ACL API, in the directory "out" of the scratch directory, and their msproftx
 * records read back. Failures end the running cmocka test. */
#ifndef MSPROF_TESTS_ACL_CAPTURE_H
#define MSPROF_TESTS_ACL_CAPTURE_H

#include "msprof/acl_prof.h"

#include <stddef.h>
#include <stdint.h>

/* aclprofInit to aclprofStart, for device 0. */
void start_capture(uint64_t mask);
/* aclprofStop to aclprofDestroyConfig. */
void stop_capture(void);
/* Stops likewise where the test is not to end: the first code that is not 0. */
aclError stop_capture_quietly(void);

void *stamp_of(const char *message);

/* A part of msprof_acl_message(). */
void assert_acl_message(const char *part);

#define TX_RECORDS_MAX 2000
struct tx_record {
    uint32_t event, thread;
    uint64_t begin, end, mark_id;
    char message[156];
};
extern struct tx_record tx_records[TX_RECORDS_MAX];

/* Fills tx_records from the first slice of the last capture, by the offsets of docs/formats/cann.md 6 ("M"); how many.
 */
size_t read_tx_records(void);
/* An event of this thread. */
void assert_tx_record(size_t index, uint32_t event, const char *message);

#endif
