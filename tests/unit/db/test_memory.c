/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out inside of SQLite: an import fails, or its database is the very same. */
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include "base/file/fsutil.h"
#include "db/database.h"
#include "db/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- allocations that fail ---- */

#define NAME_LENGTH 157 /* of a model: allocations of about as many bytes are for texts that have its name in them */

static sqlite3_mem_methods system_memory;
static long allocations, failing; /* of those that count; 0: none fails */
static bool only_texts;

static bool is_of_text(int size)
{
    const int more = 40; /* of a file's name around that of the model */
    return (size >= NAME_LENGTH && size <= NAME_LENGTH + more) ||
           (size >= 3 * NAME_LENGTH && size <= 3 * (NAME_LENGTH + more));
}

static bool fails(int size)
{
    return (!only_texts || is_of_text(size)) && ++allocations == failing;
}

static void *allocate(int size)
{
    return fails(size) ? NULL : system_memory.xMalloc(size);
}

static void *reallocate(void *memory, int size)
{
    return fails(size) ? NULL : system_memory.xRealloc(memory, size);
}

/* Before anything else of SQLite. */
static void watch_allocations(void)
{
    sqlite3_mem_methods watched;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory), SQLITE_OK);
    watched = system_memory;
    watched.xMalloc = allocate;
    watched.xRealloc = reallocate;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &watched), SQLITE_OK);
}

/* ---- imports ---- */

/* Names of files and models that are good, and some that have to be made safe. */
static void make_capture(void)
{
    unsigned char tasks[2 * PMU_SIZE], call[ACL_SIZE];
    char name[NAME_LENGTH + 1], file[NAME_LENGTH + 32];
    make_job();
    put_pmu(put_pmu(tasks, 0, 600, 1, 0), 1, 600, 1, 0);
    put_acl(call, "ou\x01ter", 100, 900);
    put_file("aicore.0.1.1", tasks, sizeof tasks);
    for (unsigned i = 0; i < 2; i++) {
        memset(name, 'm', NAME_LENGTH);
        memcpy(name, i == 0 ? "good" : "\x02\xff", i == 0 ? 4 : 2);
        name[NAME_LENGTH] = '\0';
        snprintf(file, sizeof file, "acl_api.0.%s.%u", name, i + 1);
        put_file(file, call, sizeof call);
    }
    put_text("net.1.layer.info", "[{\"layer_id\":0,\"task_id\":0,\"name\":\"a\"},{\"layer_id\":1,\"task_id\":1}]");
}

static int import(char **ret_bytes, size_t *ret_length)
{
    char path[128];
    struct err err = ERR_INIT;
    struct diagnostics diag;
    struct import_result result;
    *ret_bytes = NULL;
    snprintf(path, sizeof path, "%s", in_scratch("runtime.db"));
    unlink(path);
    const struct import_request request = {
        .directory = in_scratch("J"), .database = path, .tool_version = "1", .parameters = ""};
    diag_init(&diag, false);
    allocations = 0;
    int status = db_import(&request, &diag, &result, &err);
    diag_release(&diag);
    failing = 0;
    if (status == 0)
        assert_int_equal(path_read_file(path, 1 << 24, ret_bytes, ret_length, &err), 0);
    return status;
}

/* Fails allocations one by one, at most about so many. */
static void import_without(long turns)
{
    char *sound, *bytes;
    size_t length, found;
    long failures = 0;
    make_capture();
    assert_int_equal(import(&sound, &length), 0);
    free(sound);
    assert_int_equal(import(&sound, &length), 0); /* what is allocated once has been */
    const long all = allocations, stride = all / turns | 1;
    assert_true(all > 10);
    for (long i = 1; i <= all; i += stride) {
        alarm(SCRATCH_LONGEST_WAIT); /* for each, however slow the machine is */
        failing = i;
        if (import(&bytes, &found) < 0) {
            failures++;
            assert_int_equal(scratch_count(), 1); /* the capture alone */
            continue;
        }
        if (found != length || memcmp(bytes, sound, length) != 0)
            fail_msg("allocation %ld of %ld: another database, and no error", i, all);
        free(bytes);
    }
    assert_true(failures > 0);
    free(sound);
}

static void an_import_whose_memory_runs_out_fails_or_makes_the_same_database(void **state)
{
    (void)state;
    only_texts = false;
    import_without(100);
}

static void so_it_does_when_there_is_none_for_a_text(void **state)
{
    (void)state;
    only_texts = true;
    import_without(500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_import_whose_memory_runs_out_fails_or_makes_the_same_database, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(so_it_does_when_there_is_none_for_a_text, scratch_setup, scratch_teardown),
    };
    watch_allocations();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
