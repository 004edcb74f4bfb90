/* SPDX-License-Identifier: Apache-2.0 */
/* Layout files, and which layout is tried for a kind. */
#include "parsers/decode/layout.h"
#include "parsers/decode/layout_rate.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define START "kind svp_pmu\nlayout my-board\n"

static int parse(struct layout_set *set, const char *text, struct err *err)
{
    return layout_set_parse(set, "board.layout", text, strlen(text), err);
}

static const struct record_kind *svp_pmu(void)
{
    const struct record_kind *kind = record_kind_find("svp_pmu");
    assert_non_null(kind);
    return kind;
}

static const struct field *field_of(const struct layout *layout, const char *column)
{
    for (size_t i = 0; i < layout->field_count; i++)
        if (strcmp(layout->fields[i].column, column) == 0)
            return &layout->fields[i];
    fail_msg("layout %s has no column %s", layout->name, column);
    return NULL;
}

static void every_built_in_layout_is_sound(void **state)
{
    (void)state;
    size_t layouts = 0;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        for (size_t k = 0; k < record_kinds[i]->layout_count; k++, layouts++) {
            struct err err = ERR_INIT;
            const struct layout *layout = &record_kinds[i]->layouts[k];
            if (layout_check(record_kinds[i], layout, &err) < 0)
                fail_msg("%s, layout %s: %s", record_kinds[i]->name, layout->name, err_message(&err));
            assert_non_null(layout->source);
            for (size_t other = 0; other < k; other++)
                assert_string_not_equal(layout->name, record_kinds[i]->layouts[other].name);
        }
    }
    assert_true(layouts >= 4);
}

static void a_layout_file_says_where_the_columns_are(void **state)
{
    (void)state;
    struct layout_set set;
    struct err err = ERR_INIT;
    layout_set_init(&set);
    assert_int_equal(parse(&set,
                           "\xef\xbb\xbf# a board of ours\r\n"
                           "\r\n"
                           "kind svp_pmu\r\n"
                           "layout my-board   # tried first\r\n"
                           "source \"a note, with # and blanks\"\r\n"
                           "size 160\r\n"
                           "endian big\r\n"
                           "magic offset 2 width 2 value 0x6bd0 mask 0xfff0\r\n"
                           "magic value 7 width 1 offset 0\r\n"
                           "\tcolumn total_cycle width 8 offset 16 scale 100\r\n"
                           "column task_id offset 6 width 2 bits 0-5\r\n"
                           "column stream_id offset 6 width 2 bits 6\r\n"
                           "column model_id offset 0x10 width 4 signed\r\n"
                           "column ddr_read_bytes offset 24 width 4 unit KB scale 1/10\r\n"
                           "column ddr_write_bytes offset 28 width 4 unit byte",
                           &err),
                     0);
    const struct layout *layout = layout_candidate(&set, svp_pmu(), 0);
    assert_non_null(layout);
    assert_string_equal(layout->name, "my-board");
    assert_string_equal(layout->source, "a note, with # and blanks");
    assert_int_equal(layout->record_size, 160);
    assert_true(layout->big_endian);
    assert_int_equal(layout->magics[0].offset, 2);
    assert_int_equal(layout->magics[0].value, 0x6bd0);
    assert_int_equal(layout->magics[0].mask, 0xfff0);
    assert_int_equal(layout->magics[1].value, 7);
    assert_int_equal(layout->magics[2].width, 0);
    assert_int_equal(layout->field_count, 6);
    assert_int_equal(field_of(layout, "total_cycle")->offset, 16);
    assert_int_equal(field_of(layout, "total_cycle")->multiply, 100);
    assert_int_equal(field_of(layout, "task_id")->first_bit, 0);
    assert_int_equal(field_of(layout, "task_id")->bit_count, 6);
    assert_int_equal(field_of(layout, "stream_id")->first_bit, 6);
    assert_int_equal(field_of(layout, "stream_id")->bit_count, 1);
    assert_int_equal(field_of(layout, "model_id")->offset, 16);
    assert_true(field_of(layout, "model_id")->is_signed);
    assert_int_equal(field_of(layout, "ddr_read_bytes")->multiply, 100);
    assert_int_equal(field_of(layout, "ddr_read_bytes")->divide, 1);
    assert_int_equal(field_of(layout, "ddr_write_bytes")->multiply, 1);
    layout_set_release(&set);
}

static void times_are_converted_to_nanoseconds(void **state)
{
    (void)state;
    static const struct {
        const char *attributes;
        int64_t multiply, divide;
    } cases[] = {
        {"unit ns", 1, 1},
        {"unit us", 1000, 1},
        {"unit ms", 1000000, 1},
        {"unit s", 1000000000, 1},
        {"scale 10 unit ns", 10, 1},
        {"unit us scale 1/3", 1000, 3},
        {"unit us scale 7/500", 14, 1},
        {"scale 5/9", 5, 9},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct layout_set set;
        struct err err = ERR_INIT;
        char text[256];
        layout_set_init(&set);
        snprintf(text, sizeof(text), "kind acl_call\nlayout x\nsize 8\ncolumn start_ns offset 0 width 8 %s\n",
                 cases[i].attributes);
        assert_int_equal(parse(&set, text, &err), 0);
        const struct field *field = field_of(layout_candidate(&set, record_kind_find("acl_call"), 0), "start_ns");
        assert_int_equal(field->multiply, cases[i].multiply);
        assert_int_equal(field->divide, cases[i].divide);
        layout_set_release(&set);
    }
}

static void another_name_comes_before_the_built_in_layouts(void **state)
{
    (void)state;
    struct layout_set set;
    struct err err = ERR_INIT;
    const struct record_kind *kind = svp_pmu();
    layout_set_init(&set);
    assert_int_equal(parse(&set, START "size 8\ncolumn task_id offset 0 width 2\n", &err), 0);
    assert_string_equal(layout_candidate(&set, kind, 0)->name, "my-board");
    for (size_t i = 0; i < kind->layout_count; i++)
        assert_ptr_equal(layout_candidate(&set, kind, i + 1), &kind->layouts[i]);
    assert_null(layout_candidate(&set, kind, kind->layout_count + 1));
    assert_ptr_equal(layout_candidate(&set, record_kind_find("acl_call"), 0), record_kind_find("acl_call")->layouts);
    assert_ptr_equal(layout_candidate(NULL, kind, 0), kind->layouts);
    layout_set_release(&set);
}

static void the_same_name_replaces_a_built_in_layout(void **state)
{
    (void)state;
    struct layout_set set;
    struct err err = ERR_INIT;
    const struct record_kind *kind = svp_pmu();
    char text[256];
    layout_set_init(&set);
    snprintf(text, sizeof(text), "kind svp_pmu\nlayout %s\nsize 8\ncolumn task_id offset 0 width 2\n",
             kind->layouts[0].name);
    assert_int_equal(parse(&set, text, &err), 0);
    assert_int_equal(layout_candidate(&set, kind, 0)->record_size, 8);
    for (size_t i = 1; i < kind->layout_count; i++)
        assert_ptr_equal(layout_candidate(&set, kind, i), &kind->layouts[i]);
    assert_null(layout_candidate(&set, kind, kind->layout_count));
    layout_set_release(&set);
}

static void a_later_file_wins_and_inside_a_file_the_first_layout(void **state)
{
    (void)state;
    struct layout_set set;
    struct err err = ERR_INIT;
    layout_set_init(&set);
    assert_int_equal(parse(&set,
                           "kind svp_pmu\nlayout a\nsize 8\ncolumn task_id offset 0 width 2\n"
                           "layout b\nsize 9\ncolumn task_id offset 0 width 2\n",
                           &err),
                     0);
    assert_int_equal(parse(&set,
                           "kind acl_call\nlayout a\nsize 7\ncolumn name offset 0 width 7\n"
                           "kind svp_pmu\nlayout b\nsize 10\ncolumn task_id offset 0 width 2\n",
                           &err),
                     0);
    assert_int_equal(layout_candidate(&set, svp_pmu(), 0)->record_size, 10);
    assert_int_equal(layout_candidate(&set, svp_pmu(), 1)->record_size, 8);
    assert_ptr_equal(layout_candidate(&set, svp_pmu(), 2), svp_pmu()->layouts);
    assert_int_equal(layout_candidate(&set, record_kind_find("acl_call"), 0)->record_size, 7);
    layout_set_release(&set);
}

static void a_magic_matches_under_its_mask_only(void **state)
{
    (void)state;
    struct layout_set set;
    struct err err = ERR_INIT;
    layout_set_init(&set);
    assert_int_equal(
        parse(&set, START "size 8\nmagic offset 2 width 2 value 0x6bd0 mask 0xfff0\ncolumn task_id offset 0 width 2\n",
              &err),
        0);
    const struct layout *layout = layout_candidate(&set, svp_pmu(), 0);
    assert_true(layout_matches(layout, (const unsigned char *)"\0\0\xd3\x6b\0\0\0\0"));
    assert_false(layout_matches(layout, (const unsigned char *)"\0\0\xd3\x6a\0\0\0\0"));
    assert_false(layout_matches(layout, (const unsigned char *)"\xd3\x6b\0\0\0\0\0\0"));
    layout_set_release(&set);
}

static int64_t number_of(const void *arg, const char *column)
{
    const int64_t *numbers = arg; /* hits, misses */
    return strcmp(column, "icache_hit") == 0 ? numbers[0] : strcmp(column, "icache_miss") == 0 ? numbers[1] : 1000;
}

static void a_layout_says_how_a_rate_is_formed_and_the_built_in_one_says_it_in_the_same_words(void **state)
{
    (void)state;
    static const struct {
        const char *words; /* NULL: as built in */
        int64_t numbers[2], millionths;
    } rates[] = {
        {NULL, {999598, 402}, 402},
        {NULL, {1, 1}, 500000},
        {NULL, {0, 0}, 0},
        {NULL, {-1, 402}, -1},
        {"icache_miss of icache_hit plus icache_miss", {2, 1}, 333333},
        {"icache_miss of icache_hit plus icache_miss scale 100", {95, 5}, 5000000},
        {"icache_miss of icache_hit scale 100", {100, 5}, 5000000},
        {"icache_miss of icache_hit scale 1/3", {100, 6}, 20000},
        {"icache_miss", {7, 5}, 5000000},
        {"icache_miss of total_cycle", {-1, 5}, 5000},
        {"none", {7, 5}, 0},
        {"icache_hit of icache_hit plus icache_miss", {INT64_MAX, INT64_MAX}, 1000000},
    };
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct layout_set set;
        struct err err = ERR_INIT;
        char text[200], words[LAYOUT_RATE_SIZE];
        layout_set_init(&set);
        snprintf(text, sizeof text, START "size 8\ncolumn task_id offset 0 width 2\n%s%s",
                 rates[i].words != NULL ? "icache_miss_rate " : "", rates[i].words != NULL ? rates[i].words : "");
        if (parse(&set, text, &err) < 0)
            fail_msg("%s: %s", text, err_message(&err));
        const struct layout_rate *rate = layout_rate_of(svp_pmu(), layout_candidate(&set, svp_pmu(), 0));
        assert_string_equal(layout_rate_text(rate, words),
                            rates[i].words != NULL ? rates[i].words : "icache_miss of icache_hit plus icache_miss");
        assert_int_equal(layout_rate_millionths(rate, number_of, rates[i].numbers), rates[i].millionths);
        layout_set_release(&set);
    }
}

/* Each text is a mistake; the message must hold all of the parts. */
static const struct {
    const char *text;
    const char *parts[3];
} mistakes[] = {
    {"", {"board.layout", "no layout in it"}},
    {"# nothing\n\n", {"no layout in it"}},
    {"kind svp_pmu\n", {"no layout in it"}},
    {"kind\n", {"board.layout:1: ", "kind NAME"}},
    {"kind svp_pnu\n", {"board.layout:1: unknown kind 'svp_pnu'", "did you mean 'svp_pmu'?", "aicore_pmu"}},
    {"kind layer\n", {"board.layout:1: ", "no layouts"}},
    {"kind \"svp_pmu\"\n", {"board.layout:1: unknown kind"}},
    {"layout x\n", {"board.layout:1: 'layout' before any 'kind'"}},
    {"size 8\n", {"board.layout:1: 'size' outside a layout", "layout NAME"}},
    {"kind svp_pmu\nlayout a b\n", {"board.layout:2: ", "layout NAME"}},
    {"kind svp_pmu\nlayout a/b\n", {"board.layout:2: layout name 'a/b', expected"}},
    {"kind svp_pmu\nlayout \"\"\n", {"board.layout:2: layout name '', expected"}},
    {START "colum task_id\n", {"board.layout:3: unknown word 'colum'", "did you mean 'column'?"}},
    {START "\n\nsize 0\n", {"board.layout:5: size 0, expected 1 to 65536"}},
    {START "size 65537\n", {"board.layout:3: size 65537, expected 1 to 65536"}},
    {START "size -1\n", {"size '-1', expected a decimal"}},
    {START "size 99999999999999999999999\n", {"board.layout:3: ", "expected a decimal"}},
    {START "size 0x\n", {"board.layout:3: ", "expected a decimal"}},
    {START "size 8 9\n", {"board.layout:3: ", "size BYTES"}},
    {START "size 8\nsize 8\n", {"board.layout:4: a second 'size'"}},
    {START "endian middle\n", {"board.layout:3: endian 'middle', expected little or big"}},
    {START "endian big\nendian big\n", {"board.layout:4: a second 'endian'"}},
    {START "source \"a\"\nsource \"b\"\n", {"board.layout:4: a second 'source'"}},
    {START "source \"a\n", {"board.layout:3: a text without its closing"}},
    {START "source \"a\"b\n", {"board.layout:3: ", "expected a blank"}},
    {START "column task_id offset 0 width 2\n", {"board.layout:3: 'column' before 'size'"}},
    {START "magic offset 0 width 2 value 1\n", {"board.layout:3: 'magic' before 'size'"}},
    {START "size 8\n", {"board.layout:2: ", "no column, expected at least one"}},
    {START "source \"x\"\nkind hwts\n", {"board.layout:2: layout 'my-board' has no size"}},
    {START "size 8\nmagic offset 0 width 2\n", {"board.layout:4: a magic without"}},
    {START "size 8\nmagic offset 0 width 9 value 1\n", {"board.layout:4: ", "expected 1 to 8 bytes"}},
    {START "size 8\nmagic offset 7 width 2 value 1\n", {"board.layout:4: ", "outside the record of 8 bytes"}},
    {START "size 8\nmagic offset 4294967295 width 2 value 1\n", {"outside the record"}},
    {START "size 8\nmagic offset 0 width 1 value 256\n", {"board.layout:4: ", "no record can match"}},
    {START "size 8\nmagic offset 0 width 1 value 1 mask 0x100\n", {"board.layout:4: ", "does not fit"}},
    {START "size 8\nmagic offset 0 width 1 value 1 mask 0\n", {"board.layout:4: mask 0, expected 1"}},
    {START "size 8\nmagic offset 0 offset 1 width 1 value 1\n", {"board.layout:4: 'offset' twice"}},
    {START "size 8\nmagic offset 0 wide 1 value 1\n", {"board.layout:4: unknown word 'wide'", "did you mean 'width'?"}},
    {START "size 8\nmagic offset 0 width 1 value\n", {"board.layout:4: nothing after 'value', expected a number"}},
    {START "size 8\nmagic offset 0 width 1 value 1\nmagic offset 0 width 1 value 1\nmagic offset 0 width 1 value 1\n"
           "magic offset 0 width 1 value 1\n",
     {"board.layout:7: more than 3 magics"}},
    {START "size 8\ncolumn\n", {"board.layout:4: 'column' without a name"}},
    {START "size 8\ncolumn total_cycles offset 0 width 8\n",
     {"board.layout:4: unknown column 'total_cycles' (did you mean 'total_cycle'?)",
      "kind svp_pmu has: ", "wld_cycle"}},
    {START "size 8\ncolumn start_ns offset 0 width 8\n",
     {"board.layout:4: column 'start_ns' of kind svp_pmu is computed"}},
    {START "size 8\ncolumn task_id width 2\n", {"board.layout:4: column 'task_id' without offset"}},
    {START "size 8\ncolumn task_id offset 2\n", {"board.layout:4: column 'task_id' without width"}},
    {START "size 8\ncolumn task_id offset 0 width 0\n", {"width 0, expected 1 to 8"}},
    {START "size 8\ncolumn task_id offset 0 width 9\n", {"width 9, expected 1 to 8"}},
    {START "size 8\ncolumn task_id offset 7 width 2\n", {"board.layout:4: ", "outside the record of 8 bytes"}},
    {START "size 8\ncolumn task_id offset 4294967295 width 8\n", {"outside the record of 8 bytes"}},
    {START "size 8\ncolumn task_id offset 0 width 2 bits 5-0\n", {"bits '5-0', expected FIRST-LAST"}},
    {START "size 8\ncolumn task_id offset 0 width 2 bits 0-16\n", {"board.layout:4: ", "bits 0-16 are outside"}},
    {START "size 8\ncolumn task_id offset 0 width 2 bits 64\n", {"bits '64', expected"}},
    {START "size 8\ncolumn task_id offset 0 width 2 bits -3\n", {"bits '-3', expected"}},
    {START "size 8\ncolumn task_id offset 0 width 2 scale 0\n", {"scale '0', expected"}},
    {START "size 8\ncolumn task_id offset 0 width 2 scale 1/0\n", {"scale '1/0', expected"}},
    {START "size 8\ncolumn task_id offset 0 width 2 scale 1/\n", {"scale '1/', expected"}},
    {START "size 8\ncolumn task_id offset 0 width 2 scale 9223372036854775808\n",
     {"scale '9223372036854775808', expected"}},
    {START "size 8\ncolumn task_id offset 0 width 2 unit us\n",
     {"unit 'us' for column 'task_id', which is a plain number"}},
    {START "size 8\ncolumn ddr_read_bytes offset 0 width 2 unit kb\n", {"unknown unit 'kb'", "byte, KB, MB"}},
    {START "size 8\ncolumn ddr_read_bytes offset 0 width 2 unit MB scale 9223372036854775807\n", {"more than 64 bits"}},
    {START "size 8\ncolumn task_id offset 0 width 2\ncolumn task_id offset 4 width 2\n",
     {"board.layout:5: column 'task_id' is given twice"}},
    {"kind acl_call\nlayout x\nsize 8\ncolumn name offset 0 width 8 signed\n",
     {"board.layout:4: 'signed' for column 'name'"}},
    {"kind acl_call\nlayout x\nsize 8\ncolumn name offset 0 width 9\n", {"board.layout:4: ", "outside the record"}},
    {START "size 8\ncolumn task_id offset 0 width 2\nlayout my-board\n",
     {"board.layout:5: layout 'my-board'", "twice"}},
    {"kind hwts\nlayout x\nsize 8\nicache_miss_rate none\n",
     {"board.layout:4: 'icache_miss_rate' for kind hwts, whose records have no such rate"}},
    {START "size 8\nicache_miss_rate\n", {"board.layout:4: nothing after 'icache_miss_rate', expected none or COLUMN"}},
    {START "size 8\nicache_miss_rate none 1\n", {"board.layout:4: ", "icache_miss_rate none"}},
    {START "size 8\nicache_miss_rate none\nicache_miss_rate none\n",
     {"board.layout:5: a second 'icache_miss_rate' in layout 'my-board'"}},
    {START "size 8\nicache_miss_rate icache_mis\n",
     {"board.layout:4: unknown column 'icache_mis' (did you mean 'icache_miss'?)", "kind inference has: "}},
    {START "size 8\nicache_miss_rate model_name\n", {"board.layout:4: unknown column 'model_name'"}},
    {START "size 8\nicache_miss_rate icache_miss plus icache_hit\n", {"board.layout:4: 'plus' here, expected"}},
    {START "size 8\nicache_miss_rate icache_miss of icache_hit of tasks\n", {"board.layout:4: 'of' here, expected"}},
    {START "size 8\nicache_miss_rate icache_miss of\n", {"board.layout:4: nothing after 'of', expected COLUMN"}},
    {START "size 8\nicache_miss_rate icache_miss scale 0\n", {"board.layout:4: scale '0', expected N or N/M"}},
    {"kind svp_pmu a b c d e f g h i j k l m n o p q r s t u v w x\n", {"board.layout:1: more than 24 words"}},
};

static void a_mistake_is_told_with_its_line_and_adds_nothing(void **state)
{
    (void)state;
    struct layout_set set;
    layout_set_init(&set);
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        struct err err = ERR_INIT;
        assert_int_equal(parse(&set, mistakes[i].text, &err), -ERR_FORMAT);
        assert_null(set.first);
        for (size_t k = 0; k < 3 && mistakes[i].parts[k] != NULL; k++)
            if (strstr(err_message(&err), mistakes[i].parts[k]) == NULL)
                fail_msg("for:\n%s\nthe message is: %s\nwithout: %s", mistakes[i].text, err_message(&err),
                         mistakes[i].parts[k]);
    }
}

static void a_mistake_in_the_second_layout_drops_the_first_too(void **state)
{
    (void)state;
    struct layout_set set;
    struct err err = ERR_INIT;
    layout_set_init(&set);
    assert_int_equal(parse(&set, START "size 8\ncolumn task_id offset 0 width 2\nlayout other\nsize 8\n", &err),
                     -ERR_FORMAT);
    assert_null(set.first);
    assert_non_null(strstr(err_message(&err), "board.layout:5: layout 'other'"));
}

static void every_cut_of_a_file_is_either_a_layout_or_a_mistake(void **state)
{
    (void)state;
    static const char text[] =
        START "size 160\nendian little\nsource \"x\"\nmagic offset 2 width 2 value 0x6bd3 mask 0xffff\n"
              "column total_cycle offset 16 width 8 signed bits 0-5 scale 100/7 unit cycle\n";
    for (size_t length = 0; length < sizeof(text); length++) {
        struct layout_set set;
        struct err err = ERR_INIT;
        layout_set_init(&set);
        char *copy = malloc(length + 1); /* exactly as long, so that a read past the end is seen by the sanitizer */
        assert_non_null(copy);
        memcpy(copy, text, length);
        int r = layout_set_parse(&set, "cut", copy, length, &err);
        assert_true(r == 0 || r == -ERR_FORMAT);
        assert_int_equal(r == 0, set.first != NULL);
        free(copy);
        layout_set_release(&set);
    }
}

static void nul_bytes_and_endless_lines_are_mistakes(void **state)
{
    (void)state;
    struct layout_set set;
    struct err err = ERR_INIT;
    layout_set_init(&set);
    assert_int_equal(layout_set_parse(&set, "nul", "kind svp_pmu\nlay\0out x\n", 23, &err), -ERR_FORMAT);
    assert_non_null(strstr(err_message(&err), "nul:2: a NUL byte"));
    char *text = malloc(LAYOUT_FILE_LIMIT + 1);
    assert_non_null(text);
    memset(text, 'x', LAYOUT_FILE_LIMIT + 1);
    assert_int_equal(layout_set_parse(&set, "long", text, LAYOUT_FILE_LIMIT, &err), -ERR_FORMAT);
    assert_non_null(strstr(err_message(&err), "long:1: unknown word 'xxx"));
    assert_int_equal(layout_set_parse(&set, "long", text, LAYOUT_FILE_LIMIT + 1, &err), -ERR_LIMIT);
    assert_non_null(strstr(err_message(&err), "262145 bytes long"));
    free(text);
    assert_null(set.first);
}

static void a_hundred_thousand_lines_are_read(void **state)
{
    (void)state;
    static const char end[] = START "size 8\ncolumn task_id offset 0 width 2\n";
    const size_t lines = 100000;
    struct layout_set set;
    struct err err = ERR_INIT;
    char *text = malloc(2 * lines + sizeof(end));
    assert_non_null(text);
    for (size_t i = 0; i < lines; i++)
        snprintf(text + 2 * i, 3, "#\n");
    memcpy(text + 2 * lines, end, sizeof(end));
    layout_set_init(&set);
    assert_int_equal(parse(&set, text, &err), 0);
    layout_set_release(&set);
    snprintf(text + 2 * lines, 2, "?");
    assert_int_equal(parse(&set, text, &err), -ERR_FORMAT);
    assert_non_null(strstr(err_message(&err), "board.layout:100001: "));
    free(text);
}

/* ---- on disk ---- */

struct directory {
    char path[64];
};

static void put_file(const struct directory *directory, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", directory->path, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void drop_file(const struct directory *directory, const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", directory->path, name);
    assert_int_equal(unlink(path), 0);
}

static void make_directory(struct directory *directory)
{
    snprintf(directory->path, sizeof(directory->path), "/tmp/test_layout.XXXXXX");
    assert_non_null(mkdtemp(directory->path));
}

static void the_files_of_a_directory_are_read_in_name_order(void **state)
{
    (void)state;
    struct directory directory = {0};
    struct layout_set set;
    struct err err = ERR_INIT;
    make_directory(&directory);
    layout_set_init(&set);
    put_file(&directory, "b.layout", "kind svp_pmu\nlayout b\nsize 8\ncolumn task_id offset 0 width 2\n");
    put_file(&directory, "a.layout", "kind svp_pmu\nlayout a\nsize 8\ncolumn task_id offset 0 width 2\n");
    put_file(&directory, ".hidden.layout", "not a layout\n");
    put_file(&directory, "notes.txt", "not a layout\n");
    assert_int_equal(layout_set_load_directory(&set, directory.path, &err), 0);
    assert_string_equal(layout_candidate(&set, svp_pmu(), 0)->name, "b");
    assert_string_equal(layout_candidate(&set, svp_pmu(), 1)->name, "a");
    assert_ptr_equal(layout_candidate(&set, svp_pmu(), 2), svp_pmu()->layouts);
    layout_set_release(&set);
    put_file(&directory, "c.layout", "kind svp_pmu\n\noops\n");
    layout_set_init(&set);
    assert_int_equal(layout_set_load_directory(&set, directory.path, &err), -ERR_FORMAT);
    assert_non_null(strstr(err_message(&err), "/c.layout:3: unknown word 'oops'"));
    layout_set_release(&set);
    drop_file(&directory, "a.layout");
    drop_file(&directory, "b.layout");
    drop_file(&directory, "c.layout");
    drop_file(&directory, ".hidden.layout");
    drop_file(&directory, "notes.txt");
    assert_int_equal(rmdir(directory.path), 0);
    assert_int_equal(layout_set_load_directory(&set, directory.path, &err), 0);
}

static void a_layout_file_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    struct layout_set set;
    struct err err = ERR_INIT;
    layout_set_init(&set);
    assert_int_equal(layout_set_load_file(&set, "/nonexistent/board.layout", &err), -ERR_NOT_FOUND);
    assert_non_null(strstr(err_message(&err), "'/nonexistent/board.layout'"));
    assert_true(layout_set_load_file(&set, "/", &err) < 0);
    assert_null(set.first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_layout_is_sound),
        cmocka_unit_test(a_layout_file_says_where_the_columns_are),
        cmocka_unit_test(times_are_converted_to_nanoseconds),
        cmocka_unit_test(another_name_comes_before_the_built_in_layouts),
        cmocka_unit_test(the_same_name_replaces_a_built_in_layout),
        cmocka_unit_test(a_later_file_wins_and_inside_a_file_the_first_layout),
        cmocka_unit_test(a_magic_matches_under_its_mask_only),
        cmocka_unit_test(a_layout_says_how_a_rate_is_formed_and_the_built_in_one_says_it_in_the_same_words),
        cmocka_unit_test(a_mistake_is_told_with_its_line_and_adds_nothing),
        cmocka_unit_test(a_mistake_in_the_second_layout_drops_the_first_too),
        cmocka_unit_test(every_cut_of_a_file_is_either_a_layout_or_a_mistake),
        cmocka_unit_test(nul_bytes_and_endless_lines_are_mistakes),
        cmocka_unit_test(a_hundred_thousand_lines_are_read),
        cmocka_unit_test(the_files_of_a_directory_are_read_in_name_order),
        cmocka_unit_test(a_layout_file_that_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
