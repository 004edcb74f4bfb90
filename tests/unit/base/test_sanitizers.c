/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the sanitizers end a test of their build with a status that msprof itself does not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FOUND 99 /* exitcode of tests/run */

static volatile int nought, most = INT32_MAX;
static volatile double beyond = 1e300;

static void overflow(void)
{
    most = most + 1; /* NOLINT: the mistake is the test */
}

static void divide(void)
{
    most = most / nought; /* NOLINT: the mistake is the test */
}

static void convert(void)
{
    nought = (int)beyond;
}

static void read_behind(void)
{
    char *volatile bytes = calloc(1, 8);
    nought = bytes == NULL ? 0 : bytes[nought + 8];
    free(bytes);
}

static void leak(void)
{
    void *volatile kept = malloc(8);
    kept = NULL; /* cppcheck-suppress memleak */
    (void)kept;  /* NOLINT: the mistake is the test */
}

static void assert_found(void (*mistake)(void))
{
#ifdef __SANITIZE_ADDRESS__
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "we", stderr) != NULL)
            mistake();
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), FOUND);
#else
    (void)mistake;
    skip();
#endif
}

static void undefined_arithmetic_is_found(void **state)
{
    (void)state;
    assert_found(overflow);
    assert_found(divide);
    assert_found(convert);
}

static void a_read_behind_an_object_is_found(void **state)
{
    (void)state;
    assert_found(read_behind);
}

static void lost_memory_is_found(void **state)
{
    (void)state;
    assert_found(leak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undefined_arithmetic_is_found),
        cmocka_unit_test(a_read_behind_an_object_is_found),
        cmocka_unit_test(lost_memory_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
