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
    const struct event_member *member = event.members;
    (void)state;
    assert_ptr_equal(event_text_read(slice, slice + sizeof slice - 1, &event), slice + sizeof slice - 1);
    assert_int_equal(event.phase, 'X');
    assert_int_equal(event.pid, 12);
    assert_int_equal(event.tid, -3);
    assert_int_equal(event.start_ns, 1000);
    assert_int_equal(event.duration_ns, 1000);
    assert_memory_equal(event.name.text, "a \\\" b", event.name.length);
    assert_memory_equal(event.category.text, "acl", event.category.length);
    assert_int_equal(event.member_count, 5);
    assert_int_equal(member[0].integer, -5);
    assert_int_equal(member[1].type, EVENT_TEXT);
    assert_memory_equal(member[1].value.text, "x,}", member[1].value.length);
    assert_true(member[2].real == 0.25);
    assert_int_equal(member[3].type, EVENT_NESTED);
    assert_memory_equal(member[3].value.text, "[1,{\"a\":\"]\"}]", member[3].value.length);
    assert_int_equal(member[4].type, EVENT_TRUE);
}

/* Puts a slice with every kind of value. */
static char *put_slice(char *p, const struct trace_style *style, const struct trace_slice *slice)
{
    p = trace_put_literal(trace_begin_event(p), "\"a \\\" b\"");
    p = trace_put_category(p, style, "acl");
    p = trace_put_slice(p, style, slice);
    p = trace_put_integer(p, style, "\"i\":", -5);
    p = trace_put_us(p, style, ",\"us\":", 1500);
    p = trace_put_decimals(p, style, ",\"whole\":", 2000, 3);
    p = trace_put_decimals(p, style, ",\"part\":", 2500, 3);
    p = trace_put_real(p, style, ",\"r\":", 0.1);
    p = trace_put_text(p, style, ",\"t\":", "\"x\\\"}\"", 6);
    p = trace_put_value_word(p, style, ",\"w\":", "word");
    return trace_end_slice(p, style, slice);
}

static char *put_others(char *p, const struct trace_style *style)
{
    static const struct trace_flow flows[] = {{"HostToDevice", "c", false, false, false},
                                              {"x", NULL, true, false, false}};
    p = trace_put_flow(p, style, &flows[0], 's', 7, 1, 2, 3000);
    p = trace_put_flow(p, style, &flows[0], 'f', 7, 1, 2, 3000);
    p = trace_put_flow(p, style, &flows[1], 'f', 7, 1, 2, 3000);
    p = trace_put_literal(trace_begin_event(p), "\"counter\"");
    return trace_end_counter(trace_put_decimals(trace_put_counter(p, style, 1, 0, 3000), style, "\"%\":", 125, 1),
                             style);
}

/* The JSON that is put at once is what comes of codes. */
static void a_coded_event_is_the_same_event(void **state)
{
    static const struct trace_slice slices[] = {
        {.pid = 12, .tid = -3, .start_ns = 5001, .duration_ns = 7, .short_ps = 2},
        {.pid = 1, .tid = 2, .start_ns = 9, .duration_ns = 7, .instant = true}};
    struct trace_style plain = trace_style_msprof, coded = plain;
    static char json[8192], codes[8192], written[8192];
    struct outfile out = {.buffer = written, .capacity = sizeof written};
    char *j = json, *c = codes;
    struct event_text event;
    (void)state;
    coded.coded = true;
    plain.origin_ns = coded.origin_ns = 4;
    for (size_t i = 0; i < 2; i++) {
        j = put_slice(j, &plain, &slices[i]);
        c = put_slice(c, &coded, &slices[i]);
    }
    j = put_others(j, &plain);
    c = put_others(c, &coded);
    for (const char *p = codes + 2, *end; p < c; p = end + 2) {
        end = event_text_read(p, c, &event);
        assert_non_null(end);
        assert_null(event_text_read(p, end - 1, &event));
        outfile_write(&out, ",\n", 2);
        event_text_write(&out, &trace_style_msprof, p, end);
    }
    assert_int_equal(out.used, j - json);
    assert_memory_equal(written, json, out.used);
    assert_non_null(event_text_read(codes + 2, c, &event));
    assert_int_equal(event.start_ns, 4997);
    assert_int_equal(event.duration_ns, 7);
    assert_int_equal(event.member_count, 7);
    assert_int_equal(event.members[2].type, EVENT_INTEGER);
    assert_int_equal(event.members[2].integer, 2);
    assert_true(event.members[1].real == 1.5 && event.members[3].real == 2.5 && event.members[4].real == 0.1);
    assert_memory_equal(event.members[6].key.text, "w", event.members[6].key.length);
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
        assert_ptr_equal(event_text_read(events[i], events[i] + length, &event), events[i] + length);
        for (size_t cut = 0; cut < length; cut++) {
            char *part = malloc(cut + (cut == 0));
            assert_non_null(part);
            memcpy(part, events[i], cut);
            assert_null(event_text_read(part, part + cut, &event));
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
        cmocka_unit_test(a_coded_event_is_the_same_event),
        cmocka_unit_test(no_beginning_of_an_event_is_one_and_nothing_is_read_beyond_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
