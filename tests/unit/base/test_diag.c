/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct diagnostics diag;

static int start(void **state)
{
    (void)state;
    diag_init(&diag, false);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    diag_release(&diag);
    return 0;
}

static struct place in_file(const char *file)
{
    return (struct place){.file = file, .record = -1, .offset = -1};
}

static void every_kind_of_problem_has_its_own_id_a_meaning_and_a_remedy(void **state)
{
    (void)state;
    for (int id = 0; id < DIAG_COUNT; id++) {
        const struct diag_info *info = diag_info(id);
        assert_true(strlen(info->id) > 0 && strlen(info->meaning) > 0 && strlen(info->remedy) > 0);
        assert_int_equal(strspn(info->id, "abcdefghijklmnopqrstuvwxyz-"), strlen(info->id));
        for (int other = 0; other < id; other++)
            assert_string_not_equal(info->id, diag_info(other)->id);
    }
    assert_string_equal(diag_info(DIAG_RECORD_MAGIC)->id, "record-magic");
    assert_int_equal(diag_info(DIAG_RECORD_MAGIC)->severity, DIAG_WARNING);
}

static void severities_have_names(void **state)
{
    (void)state;
    assert_string_equal(diag_severity_name(DIAG_NOTE), "note");
    assert_string_equal(diag_severity_name(DIAG_WARNING), "warning");
    assert_string_equal(diag_severity_name(DIAG_ERROR), "error");
}

static void a_text_names_the_known_parts_of_the_place_the_problem_and_the_remedy(void **state)
{
    (void)state;
    static const struct {
        struct place place;
        const char *text;
    } cases[] = {
        {{"a.0", 3, 384, "magic"}, "a.0: record 3, offset 384, field magic: found 1; "},
        {{"a.0", 0, 0, NULL}, "a.0: record 0, offset 0: found 1; "},
        {{"a.0", -1, 384, NULL}, "a.0: offset 384: found 1; "},
        {{"a.0", -1, -1, "magic"}, "a.0: field magic: found 1; "},
        {{"a.0", -1, -1, NULL}, "a.0: found 1; "},
        {{NULL, 3, -1, "magic"}, "record 3, field magic: found 1; "},
        {{NULL, -1, -1, NULL}, "found 1; "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[256];
        struct diagnostics one;
        diag_init(&one, false);
        diag_report(&one, DIAG_RECORD_MAGIC, &cases[i].place, "found %d", 1);
        snprintf(expected, sizeof expected, "%s%s", cases[i].text, diag_info(DIAG_RECORD_MAGIC)->remedy);
        assert_int_equal(one.count, 1);
        assert_int_equal(one.entries[0].kept, 1);
        assert_string_equal(one.entries[0].texts[0], expected);
        assert_int_equal(one.entries[0].records[0], cases[i].place.record);
        assert_int_equal(one.entries[0].offsets[0], cases[i].place.offset);
        assert_string_equal(one.entries[0].file, cases[i].place.file != NULL ? cases[i].place.file : "");
        diag_release(&one);
    }
}

static void a_problem_without_a_place_is_kept(void **state)
{
    (void)state;
    diag_report(&diag, DIAG_NO_DEVICE_DATA, NULL, "no task");
    assert_int_equal(diag.count, 1);
    assert_string_equal(diag.entries[0].file, "");
    assert_ptr_equal(strstr(diag.entries[0].texts[0], "no task; "), diag.entries[0].texts[0]);
}

static void the_first_five_are_kept_and_all_are_counted(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 1000; i++) {
        struct place place = {"a.0", i, 128 * i, NULL};
        diag_report(&diag, DIAG_RECORD_VALUE, &place, "value %d", (int)i);
    }
    assert_int_equal(diag.count, 1);
    const struct diag_entry *entry = &diag.entries[0];
    assert_int_equal(entry->id, DIAG_RECORD_VALUE);
    assert_int_equal(entry->count, 1000);
    assert_int_equal(entry->kept, DIAG_KEPT_IN_FULL);
    for (int i = 0; i < DIAG_KEPT_IN_FULL; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "a.0: record %d, offset %d: value %d; ", i, 128 * i, i);
        assert_memory_equal(entry->texts[i], expected, strlen(expected));
        assert_int_equal(entry->records[i], i);
        assert_int_equal(entry->offsets[i], 128 * i);
    }
    assert_int_equal(diag.by_severity[DIAG_WARNING], 1000);
}

static void each_kind_and_file_has_its_own_entry_in_order_of_appearance(void **state)
{
    (void)state;
    struct place a = in_file("a");
    struct place b = in_file("b");
    for (int i = 0; i < 3; i++) {
        diag_report(&diag, DIAG_RECORD_MAGIC, &b, "one");
        diag_report(&diag, DIAG_RECORD_MAGIC, &a, "two");
        diag_report(&diag, DIAG_FILE_EMPTY, &b, "three");
        diag_report(&diag, DIAG_RECORD_MAGIC, NULL, "four");
    }
    assert_int_equal(diag.count, 4);
    static const struct {
        enum diag_id id;
        const char *file;
    } expected[] = {
        {DIAG_RECORD_MAGIC, "b"}, {DIAG_RECORD_MAGIC, "a"}, {DIAG_FILE_EMPTY, "b"}, {DIAG_RECORD_MAGIC, ""}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(diag.entries[i].id, expected[i].id);
        assert_string_equal(diag.entries[i].file, expected[i].file);
        assert_int_equal(diag.entries[i].count, 3);
    }
}

static void what_turns_out_later_stands_where_it_belongs(void **state)
{
    (void)state;
    const struct place a = in_file("a"), b = in_file("b"), c = in_file("c"), late = in_file("late");
    diag_report(&diag, DIAG_RECORD_VALUE, &a, "first");
    size_t mark = diag_mark(&diag);
    diag_report(&diag, DIAG_RECORD_VALUE, &b, "second");
    diag_go_back(&diag, mark);
    diag_report(&diag, DIAG_RECORD_VALUE, &late, "found out");
    diag_report(&diag, DIAG_RECORD_VALUE, &a, "once more");
    diag_go_on(&diag);
    diag_report(&diag, DIAG_RECORD_VALUE, &c, "third");
    diag_report(&diag, DIAG_RECORD_VALUE, &late, "again");
    diag_report(&diag, DIAG_RECORD_VALUE, &b, "again");
    static const struct {
        const char *file;
        uint64_t count;
    } expected[] = {{"a", 2}, {"late", 2}, {"b", 2}, {"c", 1}};
    assert_int_equal(diag.count, 4);
    for (size_t i = 0; i < diag.count; i++) {
        assert_string_equal(diag.entries[i].file, expected[i].file);
        assert_int_equal(diag.entries[i].count, expected[i].count);
    }
}

static void a_files_name_is_copied(void **state)
{
    (void)state;
    char name[] = "a";
    struct place place = in_file(name);
    diag_report(&diag, DIAG_FILE_EMPTY, &place, "one");
    name[0] = 'b';
    diag_report(&diag, DIAG_FILE_EMPTY, &place, "two");
    assert_int_equal(diag.count, 2);
    assert_string_equal(diag.entries[0].file, "a");
    assert_string_equal(diag.entries[1].file, "b");
}

static void reports_can_be_counted_without_a_text(void **state)
{
    (void)state;
    struct place place = in_file("a");
    diag_restore(&diag, DIAG_RECORD_MAGIC, "a", 0, NULL, 0);
    assert_int_equal(diag.count, 0);
    diag_restore(&diag, DIAG_RECORD_MAGIC, "a", 40, NULL, 0);
    diag_report(&diag, DIAG_RECORD_MAGIC, &place, "text");
    diag_restore(&diag, DIAG_RECORD_MAGIC, "a", 2, NULL, 0);
    diag_restore(&diag, DIAG_FILE_UNSUPPORTED, NULL, 7, NULL, 0);
    assert_int_equal(diag.count, 2);
    assert_int_equal(diag.entries[0].count, 43);
    assert_int_equal(diag.entries[0].kept, 1);
    assert_int_equal(diag.entries[1].count, 7);
    assert_int_equal(diag.entries[1].kept, 0);
    assert_int_equal(diag.by_severity[DIAG_WARNING], 43);
    assert_int_equal(diag.by_severity[DIAG_NOTE], 7);
}

static void notes_are_no_problems(void **state)
{
    (void)state;
    diag_report(&diag, DIAG_NO_FINALIZE, NULL, "note");
    assert_int_equal(diag_problems(&diag), 0);
    diag_report(&diag, DIAG_RECORD_MAGIC, NULL, "warning");
    diag_report(&diag, DIAG_LAYOUT_MISMATCH, NULL, "error");
    assert_int_equal(diag_problems(&diag), 2);
    assert_int_equal(diag.by_severity[DIAG_NOTE], 1);
    assert_int_equal(diag.by_severity[DIAG_WARNING], 1);
    assert_int_equal(diag.by_severity[DIAG_ERROR], 1);
    assert_false(diag_is_fatal(&diag));
}

static void entries_end_at_their_maximum_but_counting_goes_on(void **state)
{
    (void)state;
    char name[32];
    struct place place = in_file(name);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < DIAG_MAX_ENTRIES + 100; i++) {
            snprintf(name, sizeof name, "file.%d", i);
            diag_report(&diag, DIAG_FILE_EMPTY, &place, "empty");
        }
    }
    assert_int_equal(diag.count, DIAG_MAX_ENTRIES);
    assert_int_equal(diag.unlisted, 200);
    assert_int_equal(diag.by_severity[DIAG_WARNING], 2 * (DIAG_MAX_ENTRIES + 100));
    assert_false(diag.out_of_memory);
    for (int i = 0; i < DIAG_MAX_ENTRIES; i++) {
        snprintf(name, sizeof name, "file.%d", i);
        assert_string_equal(diag.entries[i].file, name);
        assert_int_equal(diag.entries[i].count, 2);
    }
}

static void texts_cannot_drive_a_terminal(void **state)
{
    (void)state;
    struct place place = {"bad\nname\x1b[2J", -1, -1, NULL};
    diag_report(&diag, DIAG_FILE_UNKNOWN, &place, "text\r\xFF");
    static const char expected[] = "bad?name?[2J: text??; ";
    assert_memory_equal(diag.entries[0].texts[0], expected, sizeof expected - 1);
    assert_string_equal(diag.entries[0].file, "bad\nname\x1b[2J");
}

static void the_longest_path_and_text_leave_room_for_the_remedy(void **state)
{
    (void)state;
    static char path[4096];
    static char text[20000];
    memset(path, 'p', sizeof path - 1);
    memset(text, 't', sizeof text - 1);
    struct place place = {path, INT64_MAX, INT64_MAX, "field"};
    for (int id = 0; id < DIAG_COUNT; id++) {
        diag_report(&diag, id, &place, "%s", text);
        assert_int_equal(diag.entries[id].kept, 1);
        const char *line = diag.entries[id].texts[0];
        const char *remedy = diag_info(id)->remedy;
        assert_string_equal(line + strlen(line) - strlen(remedy), remedy);
        assert_non_null(strstr(line, "ttt...; "));
    }
}

static void a_strict_collection_is_fatal_from_the_first_warning_on(void **state)
{
    (void)state;
    struct diagnostics strict;
    struct err err = ERR_INIT;
    diag_init(&strict, true);
    struct place place = {"a.0", 3, 384, NULL};
    assert_false(diag_is_fatal(&strict));
    diag_report(&strict, DIAG_NO_FINALIZE, &place, "only a note");
    assert_false(diag_is_fatal(&strict));
    diag_report(&strict, DIAG_RECORD_MAGIC, &place, "found 0");
    assert_true(diag_is_fatal(&strict));
    diag_report(&strict, DIAG_LAYOUT_MISMATCH, &place, "later");
    assert_int_equal(diag_fatal_error(&strict, &err), -ERR_STRICT);
    assert_int_equal(err.code, ERR_STRICT);
    assert_string_equal(err_message(&err), strict.entries[1].texts[0]);
    assert_true(strlen(err.hint) > 0);
    diag_release(&strict);
}

static void a_fatal_problem_without_a_text_is_explained_by_its_meaning(void **state)
{
    (void)state;
    struct diagnostics strict;
    struct err err = ERR_INIT;
    char expected[ERR_TEXT_SIZE];
    diag_init(&strict, true);
    diag_restore(&strict, DIAG_RECORD_MAGIC, "a.0", 3, NULL, 0);
    assert_true(diag_is_fatal(&strict));
    assert_int_equal(diag_fatal_error(&strict, &err), -ERR_STRICT);
    const struct diag_info *info = diag_info(DIAG_RECORD_MAGIC);
    snprintf(expected, sizeof expected, "a.0: %s; %s", info->meaning, info->remedy);
    assert_string_equal(err_message(&err), expected);
    diag_release(&strict);
}

static void releasing_makes_an_empty_collection(void **state)
{
    (void)state;
    struct diagnostics strict;
    diag_init(&strict, true);
    diag_report(&strict, DIAG_RECORD_MAGIC, NULL, "one");
    diag_release(&strict);
    assert_int_equal(strict.count, 0);
    assert_true(strict.strict);
    assert_false(diag_is_fatal(&strict));
    diag_report(&strict, DIAG_RECORD_MAGIC, NULL, "two");
    assert_int_equal(strict.count, 1);
    assert_int_equal(strict.entries[0].count, 1);
    diag_release(&strict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_problem_has_its_own_id_a_meaning_and_a_remedy, start, stop),
        cmocka_unit_test_setup_teardown(severities_have_names, start, stop),
        cmocka_unit_test_setup_teardown(a_text_names_the_known_parts_of_the_place_the_problem_and_the_remedy, start,
                                        stop),
        cmocka_unit_test_setup_teardown(a_problem_without_a_place_is_kept, start, stop),
        cmocka_unit_test_setup_teardown(the_first_five_are_kept_and_all_are_counted, start, stop),
        cmocka_unit_test_setup_teardown(each_kind_and_file_has_its_own_entry_in_order_of_appearance, start, stop),
        cmocka_unit_test_setup_teardown(what_turns_out_later_stands_where_it_belongs, start, stop),
        cmocka_unit_test_setup_teardown(a_files_name_is_copied, start, stop),
        cmocka_unit_test_setup_teardown(reports_can_be_counted_without_a_text, start, stop),
        cmocka_unit_test_setup_teardown(notes_are_no_problems, start, stop),
        cmocka_unit_test_setup_teardown(entries_end_at_their_maximum_but_counting_goes_on, start, stop),
        cmocka_unit_test_setup_teardown(texts_cannot_drive_a_terminal, start, stop),
        cmocka_unit_test_setup_teardown(the_longest_path_and_text_leave_room_for_the_remedy, start, stop),
        cmocka_unit_test_setup_teardown(a_strict_collection_is_fatal_from_the_first_warning_on, start, stop),
        cmocka_unit_test_setup_teardown(a_fatal_problem_without_a_text_is_explained_by_its_meaning, start, stop),
        cmocka_unit_test_setup_teardown(releasing_makes_an_empty_collection, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
