/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of protobuf, and packed events of timelines. Whole timelines are tested in tests/cli/pftrace.bats. */
#include "base/file/fsutil.h"
#include "db/database.h"
#include "exporters/json_text.h"
#include "exporters/timeline/perfetto_put.h"
#include "exporters/timeline/sink.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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

static void escapes_become_the_characters_that_they_are(void **state)
{
    char room[128];
    static const char escaped[] = "a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\\u0007\\u00e9\\u202e\\ud800";
    static const char plain[] = "a\"b\\c/d\b\f\n\r\t\a\xc3\xa9\xe2\x80\xae\xef\xbf\xbd";
    (void)state;
    assert_int_equal(event_text_characters(room, escaped, sizeof escaped - 1), sizeof plain - 1);
    assert_memory_equal(room, plain, sizeof plain - 1);
}

/* The number that a format of numbers gets is the one that JSON shows: what the text says, read by strtod, and whole
 * where it has neither point nor exponent. */
static void a_number_is_the_one_that_is_shown(void **state)
{
    static const enum report_form forms[] = {FORM_TEXT,         FORM_SCALED, FORM_SCALED_FIXED,
                                             FORM_SCALED_FLOAT, FORM_FIXED,  FORM_UNSIGNED,
                                             FORM_TIME,         FORM_FLOAT,  FORM_SHORTEST};
    static const struct trace_style style = {.phase = PHASE_SECOND};
    uint64_t random = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        struct event event;
        struct trace_place place = {.length = 0};
        char json[2 * TRACE_EVENT_MAX];
        const int64_t value = (int64_t)(random % 4000000) - (i % 3 == 0 ? 2000000 : 0);
        const double real = (double)value / (double)(1 + random % 977);
        const unsigned decimals = (unsigned)(random >> 32) % 7;
        event_begin(&event, 'C', 1, 0, 0);
        event_name_word(&event, "c");
        switch (i % 6) {
        case 0:
            event_integer(&event, "k", value);
            break;
        case 1:
            event_us(&event, "k", value);
            break;
        case 2:
            event_decimals(&event, "k", value, decimals);
            break;
        case 3:
            event_digits(&event, "k", real, 15);
            break;
        default: {
            struct event_arg *arg =
                event_arg(&event, EVENT_KEY("k"), i % 6 == 4 ? EVENT_FORM_INTEGER : EVENT_FORM_REAL, FORM_NUMBER_MAX);
            arg->form = (uint8_t)forms[random % (sizeof forms / sizeof *forms)];
            arg->decimals = (uint8_t)decimals;
            if (i % 6 == 4)
                arg->integer = value;
            else
                arg->real = real;
        }
        }
        char *end = event_put_json(json, &style, &event, &place);
        *end = '\0';
        const char *shown = strstr(json, "\"k\":") + strlen("\"k\":");
        const size_t length = strcspn(shown, "}");
        const struct event_number number = event_number(&event.args[0]);
        assert_int_equal(number.whole, strspn(shown, "-0123456789") == length);
        assert_true((number.whole ? (double)number.integer : number.real) == strtod(shown, NULL));
    }
}

/* ---- packed events ---- */

/* An event with every kind of value and text; the texts go when this returns. */
static void make_slice(struct event *event, const struct trace_slice *slice, char *text, char *key)
{
    memcpy(text, "x\\\"}", sizeof "x\\\"}");
    memcpy(key, ",\"own key\":", sizeof ",\"own key\":");
    event_slice(event, slice);
    event_name(event, "Node@", "a \\\" b", 6);
    event_category(event, "acl");
    event_integer(event, "i", -5);
    event_us(event, "us", 1500);
    event_decimals(event, "whole", 2000, 3);
    event_decimals(event, "part", 2500, 3);
    event_real(event, "r", 0.1);
    event_text(event, "t", "stays", 5);
    event_word(event, "a word of the program with a long key", "word");
    event_copy(event, "copied", text);
    event_plain(event, "plain", "\"\n\xff");
    event_integer_of(event, (struct event_key){key, strlen(key)}, 7);
    event_copy_key(event);
    event_integer_of(event, event_numbered_key(event, EVENT_KEY("Reduce"), 12), 3);
    event_copy_key(event);
}

static const char slice_json[] =
    ",\n{\"name\":\"Node@a \\\" b\",\"ph\":\"X\",\"pid\":12,\"tid\":-3,\"ts\":4.997,\"dur\":0.006998,\"cat\":\"acl\","
    "\"args\":{\"i\":-5,\"us\":1.500,\"whole\":2,\"part\":2.5,\"r\":0.1,\"t\":\"stays\","
    "\"a word of the program with a long key\":\"word\",\"copied\":\"x\\\"}\",\"plain\":\"\\\"\\n\xef\xbf\xbd\","
    "\"own key\":7,\"Reduce 12\":3}}";
static const char others_json[] =
    ",\n{\"name\":\"HostToDevice\",\"cat\":\"c\",\"ph\":\"s\",\"id\":7,\"pid\":1,\"tid\":2,\"ts\":2.996}"
    ",\n{\"name\":\"HostToDevice\",\"cat\":\"c\",\"ph\":\"f\",\"id\":7,\"pid\":1,\"tid\":2,\"ts\":2.996,\"bp\":\"e\"}"
    ",\n{\"name\":\"x7\",\"ph\":\"f\",\"id\":\"7\",\"pid\":1,\"tid\":2,\"ts\":2.996,\"bp\":\"e\"}"
    ",\n{\"name\":\"connect\",\"ph\":\"s\",\"id\":\"1-2\",\"pid\":1,\"tid\":2,\"ts\":2.996}"
    ",\n{\"name\":\"b\",\"cat\":\"Bound\",\"id\":\"Bound "
    "1_2\",\"ph\":\"t\",\"pid\":1,\"tid\":2,\"ts\":2.996,\"args\":{\"n\":1}}"
    ",\n{\"name\":\"counter\",\"ph\":\"C\",\"pid\":1,\"tid\":0,\"ts\":2.996,\"args\":{\"%\":12.5}}"
    ",\n{\"name\":\"call\",\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":0.005,\"s\":\"t\",\"cat\":\"acl\",\"n\":1,\"args\":{"
    "\"Duration(us)\":0.007}}"
    ",\n{\"name\":\"slice\",\"cat\":\"acl\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.005,\"dur\":0.007,\"args\":{}}";

/* Puts events of every phase, in the style; returns the end. */
static char *put_events(char *p, const struct trace_style *style)
{
    static const struct trace_flow flows[] = {{"HostToDevice", "c", false, false, false},
                                              {"x", NULL, true, false, false},
                                              {"connect", NULL, false, true, false}};
    static const struct trace_slice slice = {.pid = 12, .tid = -3, .start_ns = 5001, .duration_ns = 7, .short_ps = 2};
    struct trace_slice at = {.pid = 1, .tid = 2, .start_ns = 9, .duration_ns = 7, .instant = true};
    struct trace_place place = {.length = 0};
    struct event event;
    char text[8], key[EVENT_KEY_ROOM + 16] = {0};
    make_slice(&event, &slice, text, key);
    p = event_put(p, style, &event, &place);
    memset(text, '?', sizeof text); /* what may go has been copied */
    memset(key, '?', sizeof key);
    for (int i = 0; i < 4; i++) {
        event_flow(&event, style, &flows[i > 0 ? i - 1 : 0], i == 1 || i == 2 ? 'f' : 's',
                   i == 3 ? (INT64_C(1) << 32) + 2 : 7, 1, 2, 3000);
        p = event_put(p, style, &event, &place);
    }
    event_begin(&event, 't', 1, 2, 3000);
    event_name_word(&event, "b");
    event_category_first(&event, "Bound");
    event.head.id_form = EVENT_ID_THREAD;
    event_integer(&event, "n", 1);
    p = event_put(p, style, &event, &place);
    event_begin(&event, 'C', 1, 0, 3000);
    event_name_copy(&event, "counter", 7);
    event_decimals(&event, "%", 125, 1);
    p = event_put(p, style, &event, &place);
    event_slice(&event, &at);
    event_name_plain(&event, "call");
    event_category(&event, "acl");
    event.head.flags |= EVENT_CALL;
    event_integer(&event, "n", 1);
    p = event_put(p, style, &event, &place);
    at.instant = false;
    event_slice(&event, &at);
    event_name_format(&event, "sli%s", "ce");
    event_category_first(&event, "acl");
    return event_put(p, style, &event, &place);
}

static void an_event_is_the_same_in_json_at_once_and_packed(void **state)
{
    struct trace_style style = trace_style_msprof;
    char json[8192], packed[8192], written[8192], *w = written;
    struct event event;
    struct trace_place place = {.length = 0};
    (void)state;
    style.origin_ns = 4;
    *put_events(json, &style) = '\0';
    assert_int_equal(strncmp(json, slice_json, strlen(slice_json)), 0);
    assert_string_equal(json + strlen(slice_json), others_json);
    style.packed = true;
    const char *end = put_events(packed, &style);
    for (const char *p = packed; p < end; p += event_packed_size(p)) {
        event_unpack(&event, p);
        assert_true(event_json_room(&event) < (size_t)(written + sizeof written - w));
        w = event_put_json(w, &trace_style_msprof, &event, &place);
    }
    *w = '\0';
    assert_string_equal(written, json);
}

/* A sink gets events in pieces that end anywhere. */
static void a_sink_takes_events_in_pieces_of_any_size(void **state)
{
    const struct export_options options = {.from_ns = 1};
    struct strbuf facts;
    struct export_result result = {0};
    struct trace_style style = {.origin_ns = 4, .packed = true, .phase = PHASE_SECOND};
    char packed[8192], *text, expected[8192];
    const size_t length = (size_t)(put_events(packed, &style) - packed);
    (void)state;
    strbuf_init(&facts, 100);
    strbuf_adds(&facts, "{\"a\":1}");
    const struct trace_about about = {&facts, 9, DB_NULL};
    snprintf(expected, sizeof expected,
             "[%s%s,\n{\"name\":\"TraceConfig\",\"ph\":\"M\",\"pid\":9,\"tid\":0,\"args\":{\"value\":{\"a\":1}}}\n]\n",
             slice_json + 1, others_json);
    for (size_t piece = 1; piece <= length; piece += piece < 300 ? 1 : 97) {
        struct err err = ERR_INIT;
        struct trace_sink *sink = trace_sink_open(&options, in_scratch("a.json"), "report", &err);
        assert_non_null(sink);
        assert_true(trace_sink_takes_events(sink));
        for (size_t at = 0; at < length; at += piece) {
            char *part = malloc(piece); /* of exactly that size, so that a sanitizer sees what is read beyond it */
            const size_t size = piece < length - at ? piece : length - at;
            assert_non_null(part);
            memcpy(part, packed + at, size);
            assert_int_equal(trace_sink_take(sink, part, size), 0);
            free(part);
        }
        assert_int_equal(trace_sink_failed(sink, &err), 0);
        assert_int_equal(trace_sink_commit(sink, 0, "report", &about, &result, &err), 0);
        size_t read;
        assert_int_equal(path_read_file(in_scratch("a.json"), sizeof expected, &text, &read, &err), 0);
        assert_string_equal(text, expected);
        free(text);
    }
    assert_int_equal(result.rows, 4 * result.files); /* a counter, an instant and two slices */
    strbuf_release(&facts);
}

/* The number of an arrow is no length: with it the arrows would reach into the time. */
static void an_arrow_before_the_time_that_is_wanted_is_left_out(void **state)
{
    const struct export_options options = {.from_ns = 3000};
    const struct trace_style style = {.origin_ns = 4, .packed = true, .phase = PHASE_SECOND};
    const struct strbuf facts = {.data = NULL};
    const struct trace_about about = {&facts, 9, DB_NULL};
    struct export_result result = {0};
    struct err err = ERR_INIT;
    char packed[8192], *text, expected[8192];
    const size_t length = (size_t)(put_events(packed, &style) - packed);
    size_t read;
    (void)state;
    struct trace_sink *sink = trace_sink_open(&options, in_scratch("a.json"), "report", &err);
    assert_non_null(sink);
    assert_int_equal(trace_sink_take(sink, packed, length), 0);
    assert_int_equal(trace_sink_commit(sink, 0, "report", &about, &result, &err), 0);
    assert_int_equal(path_read_file(in_scratch("a.json"), sizeof expected, &text, &read, &err), 0);
    snprintf(expected, sizeof expected, "[%s\n]\n", slice_json + 1);
    assert_string_equal(text, expected);
    free(text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_as_protobuf_describes),
        cmocka_unit_test(fields_are_written_as_protobuf_describes),
        cmocka_unit_test(escapes_become_the_characters_that_they_are),
        cmocka_unit_test(a_number_is_the_one_that_is_shown),
        cmocka_unit_test(an_event_is_the_same_in_json_at_once_and_packed),
        cmocka_unit_test_setup_teardown(a_sink_takes_events_in_pieces_of_any_size, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(an_arrow_before_the_time_that_is_wanted_is_left_out, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
