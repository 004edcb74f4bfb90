/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of protobuf, and events of timelines that are read back. Whole timelines are tested in tests/cli/pftrace.bats.
 */
#include "exporters/timeline/event_text.h"
#include "exporters/timeline/perfetto_put.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The examples of protobuf's own description of its encoding. */
static void numbers_are_written_as_protobuf_describes(void **state)
{
    static const struct {
        uint64_t value;
        const char *bytes;
        size_t length;
    } cases[] = {
        {0, "\x00", 1},
        {1, "\x01", 1},
        {127, "\x7f", 1},
        {128, "\x80\x01", 2},
        {150, "\x96\x01", 2},
        {86942, "\x9e\xa7\x05", 3},
        {UINT64_MAX - 1, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10}, /* -2 */
        {UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
    };
    char room[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(varint_put(room, cases[i].value) - room, cases[i].length);
        assert_memory_equal(room, cases[i].bytes, cases[i].length);
        assert_int_equal(varint_size(cases[i].value), cases[i].length);
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t value = UINT64_C(1) << bit;
        assert_int_equal(varint_size(value), varint_put(room, value) - room);
        assert_int_equal(varint_size(value - 1), varint_put(room, value - 1) - room);
    }
}

static void fields_are_written_as_protobuf_describes(void **state)
{
    char room[64];
    (void)state;
    assert_int_equal(field_put(room, 1, 150) - room, 3);
    assert_memory_equal(room, "\x08\x96\x01", 3);
    assert_int_equal(field_put_bytes(room, 2, "testing", 7) - room, 9);
    assert_memory_equal(room, "\x12\x07testing", 9);
    assert_int_equal(field_put_double(room, 5, 1.0) - room, 9);
    assert_memory_equal(room, "\x29\0\0\0\0\0\0\xf0\x3f", 9);
    assert_int_equal(field_put(room, 50, 0) - room, 3);
    assert_memory_equal(room, "\x90\x03\x00", 3);
}

#define SPAN(literal) ((struct event_span){(literal), sizeof(literal) - 1})

static void microseconds_become_the_nearest_nanoseconds(void **state)
{
    (void)state;
    assert_int_equal(event_text_ns(SPAN("0")), 0);
    assert_int_equal(event_text_ns(SPAN("7")), 7000);
    assert_int_equal(event_text_ns(SPAN("1035.840001")), 1035840);
    assert_int_equal(event_text_ns(SPAN("40.999999")), 41000);
    assert_int_equal(event_text_ns(SPAN("40.999499")), 40999);
    assert_int_equal(event_text_ns(SPAN("40.9995")), 41000);
    assert_int_equal(event_text_ns(SPAN("-0.001")), -1);
    assert_int_equal(event_text_ns(SPAN("-12.5")), -12500);
    assert_int_equal(event_text_ns(SPAN("9223372036854775.807")), INT64_MAX);
    assert_int_equal(event_text_ns(SPAN("9223372036854775.808")), INT64_MAX);
    assert_int_equal(event_text_ns(SPAN("99999999999999999999")), INT64_MAX);
    assert_int_equal(event_text_ns(SPAN("-99999999999999999999")), INT64_MIN);
}

static void escapes_become_the_characters_that_they_are(void **state)
{
    char room[128];
    static const char escaped[] = "a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\\u0007\\u00e9\\u202e\\ud800";
    static const char plain[] = "a\"b\\c/d\b\f\n\r\t\a\xc3\xa9\xe2\x80\xae\xef\xbf\xbd";
    (void)state;
    assert_int_equal(event_text_plain(room, SPAN(escaped)), sizeof plain - 1);
    assert_memory_equal(room, plain, sizeof plain - 1);
}

static void an_event_is_read_back_whole(void **state)
{
    static const char slice[] =
        "{\"name\":\"a \\\" b\",\"ph\":\"X\",\"pid\":12,\"tid\":-3,\"ts\":1.000001,\"dur\":0.999999,"
        "\"cat\":\"acl\",\"args\":{\"k\":-5,\"t\":\"x,}\",\"r\":0.25,\"n\":[1,{\"a\":\"]\"}],\"b\":true}}";
    struct event_text event;
    struct event_member member;
    (void)state;
    assert_true(event_text_read(slice, sizeof slice - 1, &event));
    assert_int_equal(event.phase, 'X');
    assert_int_equal(event.pid, 12);
    assert_int_equal(event.tid, -3);
    assert_int_equal(event.start_ns, 1000);
    assert_int_equal(event.duration_ns, 1000);
    assert_memory_equal(event.name.text, "a \\\" b", event.name.length);
    assert_memory_equal(event.category.text, "acl", event.category.length);
    const char *at = event.args.text;
    assert_true(event_text_next(&event.args, &at, &member));
    assert_int_equal(member.integer, -5);
    assert_true(event_text_next(&event.args, &at, &member));
    assert_int_equal(member.type, EVENT_TEXT);
    assert_memory_equal(member.value.text, "x,}", member.value.length);
    assert_true(event_text_next(&event.args, &at, &member));
    assert_true(member.real == 0.25);
    assert_true(event_text_next(&event.args, &at, &member));
    assert_int_equal(member.type, EVENT_NESTED);
    assert_memory_equal(member.value.text, "[1,{\"a\":\"]\"}]", member.value.length);
    assert_true(event_text_next(&event.args, &at, &member));
    assert_int_equal(member.type, EVENT_TRUE);
    assert_false(event_text_next(&event.args, &at, &member));
    assert_non_null(at);
}

/* In memory of exactly that size, so that a sanitizer sees what is read beyond it. */
static void no_beginning_of_an_event_is_one_and_nothing_is_read_beyond_it(void **state)
{
    static const char *const events[] = {
        "{\"name\":\"n\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":3.000,\"dur\":4.000,\"args\":{\"k\":1,\"t\":\"u\"}}",
        "{\"name\":\"n\",\"cat\":\"c\",\"ph\":\"s\",\"id\":\"1-2\",\"pid\":1,\"tid\":2,\"ts\":3.000}",
        "{\"name\":\"n\",\"ph\":\"C\",\"pid\":1,\"tid\":0,\"ts\":3.000,\"args\":{\"%\":12.5}}",
    };
    struct event_text event;
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        const size_t length = strlen(events[i]);
        assert_true(event_text_read(events[i], length, &event));
        for (size_t cut = 0; cut < length; cut++) {
            char *part = malloc(cut + (cut == 0));
            assert_non_null(part);
            memcpy(part, events[i], cut);
            const bool read = event_text_read(part, cut, &event);
            /* one may end behind a brace of its arguments: then these are refused when they are read */
            assert_true(!read || part[cut - 1] == '}');
            free(part);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_as_protobuf_describes),
        cmocka_unit_test(fields_are_written_as_protobuf_describes),
        cmocka_unit_test(microseconds_become_the_nearest_nanoseconds),
        cmocka_unit_test(escapes_become_the_characters_that_they_are),
        cmocka_unit_test(an_event_is_read_back_whole),
        cmocka_unit_test(no_beginning_of_an_event_is_one_and_nothing_is_read_beyond_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
