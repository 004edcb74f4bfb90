/* SPDX-License-Identifier: Apache-2.0 */
/* Records and tables of names for tests of subscription. Failures end the running cmocka test. */
#ifndef MSPROF_TESTS_SUBSCRIPTION_H
#define MSPROF_TESTS_SUBSCRIPTION_H

#include <stddef.h>
#include <stdint.h>

struct named_operator {
    const char *type, *name;
};

/* Writes a table with these operators, the first of which has the index first, into a file of the scratch directory,
 * which appears when it is complete. */
void subscription_write_names(const char *file, uint32_t record_size, uint64_t first,
                              const struct named_operator *operators, size_t count);

/* Puts count records of this size at bytes: operator index first + i of model 7, start 1000 * index, duration 10 +
 * index, flag 2 and thread 40 + index where the index is even. */
void subscription_make_records(unsigned char *bytes, size_t record_size, uint64_t first, size_t count);

/* Setup and teardown of a cmocka test: scratch_setup, no setting of subscription in the environment, no table. */
int subscription_setup(void **state);
int subscription_teardown(void **state);

#endif
