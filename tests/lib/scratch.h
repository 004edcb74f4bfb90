/* SPDX-License-Identifier: Apache-2.0 */
/* An empty directory for every test, and what file tests ask about it. Failures end the running cmocka test. */
#ifndef MSPROF_TESTS_SCRATCH_H
#define MSPROF_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#define SCRATCH_LONGEST_WAIT 120 /* seconds after which a test that hangs is ended */

/* The directory of the running test, without a final slash. */
extern char scratch_directory[96];

/* Setup and teardown of a cmocka test: the directory, and an alarm against hanging. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/* The path of a name in the directory; valid until the fourth call after. */
const char *in_scratch(const char *name);

void scratch_make_file(const char *name, const char *content);
void scratch_assert_content(const char *name, const char *content);
bool scratch_exists(const char *name);
/* How many names are in the directory. */
size_t scratch_count(void);

void assert_ends_with(const char *text, const char *end);

#endif
