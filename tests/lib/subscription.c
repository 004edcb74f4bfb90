/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lib/subscription.h"

#include "acl/subscribe/operator_names_writer.h"
#include "acl/subscribe/operator_record.h"
#include "acl/subscribe/subscribe_names.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void subscription_write_names(const char *file, uint32_t record_size, uint64_t first,
                              const struct named_operator *operators, size_t count)
{
    struct operator_names_writer writer = {.texts_length = 0};
    struct err err = ERR_INIT;
    struct outfile out;

    for (size_t i = 0; i < count; i++)
        assert_int_equal(operator_names_writer_add(&writer, operators[i].type, operators[i].name, &err), 0);
    assert_int_equal(outfile_open(&out, in_scratch(file), &err), 0);
    operator_names_writer_write(&writer, record_size, first, &out);
    assert_int_equal(outfile_commit(&out, &err), 0);
    operator_names_writer_release(&writer);
}

void subscription_make_records(unsigned char *bytes, size_t record_size, uint64_t first, size_t count)
{
    for (uint64_t index = first; index < first + count; index++, bytes += record_size) {
        const struct operator_record record = {
            .model_id = 7,
            .flag = index % 2 == 0 ? OPERATOR_FLAG_THREAD : OPERATOR_FLAG_OPERATOR,
            .thread_id = index % 2 == 0 ? 40 + (uint32_t)index : 0,
            .index = index,
            .start_ns = 1000 * index,
            .end_ns = 1000 * index + 10 + index,
            .duration_ns = 10 + index,
        };
        operator_record_encode(&record, bytes, record_size);
    }
}

static void clear(void)
{
    static const char *const settings[] = {"MSPROF_OP_NAMES", "MSPROF_REPLAY", "MSPROF_REPLAY_SPEED",
                                           "MSPROF_REPLAY_OUTPUT", "MSPROF_PROGRAM"};

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        unsetenv(settings[i]);
    subscribe_names_reset();
}

int subscription_setup(void **state)
{
    clear();
    return scratch_setup(state);
}

int subscription_teardown(void **state)
{
    clear();
    return scratch_teardown(state);
}
