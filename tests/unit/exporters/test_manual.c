/* The manual names every report and every layer of timelines, and none that does not exist. */
#include "base/file/fsutil.h"
#include "base/strbuf.h"
#include "exporters/report/report.h"
#include "exporters/trace/series.h"
#include "exporters/trace/track.h"
#include "parsers/record.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE_LIMIT ((size_t)1 << 20)

static char *read_page(const char *path)
{
    struct err err = ERR_INIT;
    char *text = NULL;
    size_t length;
    if (read_whole_file(path, PAGE_LIMIT, &text, &length, &err) < 0)
        fail_msg("%s", err_message(&err));
    return text;
}

/* What stands behind a line of a page and before the next one that begins with `last`. */
static char *section(const char *page, const char *first, const char *last)
{
    const char *begin = strstr(page, first);
    assert_non_null(begin);
    begin += strlen(first);
    const char *end = strstr(begin, last);
    assert_non_null(end);
    return strndup(begin, (size_t)(end - begin));
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a text has the name as a word, or as the beginning of a file's name. */
static bool has_name(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        if ((at == text || !is_of_name(at[-1])) &&
            (!is_of_name(at[length]) || (at[length] == '_' && strchr("<[", at[length + 1]) != NULL)))
            return true;
    }
    return false;
}

static const struct report *const *all_reports(void)
{
    struct err err = ERR_INIT;
    const struct report *const *all = report_all(&err);
    assert_non_null(all);
    return all;
}

static bool is_series(const struct report *report)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct series_report *series = record_kinds[i]->series;
        for (; series != NULL && series->name != NULL; series++) {
            if (series->columns == report->columns)
                return true;
        }
    }
    return false;
}

/* What a kind says of its table is what the manual says. */
static void the_manual_has_a_row_for_each_table_of_samples_with_what_its_kind_says(void **state)
{
    char *page = read_page("man/msprof-export.1");
    char *list = section(page, "\n.Ss Tables of samples\n", ".El\n");
    struct strbuf expected;
    size_t rows = 0;
    (void)state;
    for (char *at = list; *at != '\0'; at++)
        *at = *at == '\n' ? ' ' : *at;
    for (const struct report *const *report = all_reports(); *report != NULL; report++) {
        if (!is_series(*report))
            continue;
        strbuf_init(&expected, PAGE_LIMIT);
        strbuf_addf(&expected, " .It Cm %s %s ", (*report)->name, (*report)->doc);
        strbuf_addc(&expected, '\0');
        if (strstr(list, expected.data) == NULL)
            fail_msg("man/msprof-export.1, Tables of samples, lacks:%s", expected.data);
        strbuf_release(&expected);
        rows++;
    }
    size_t items = 0;
    for (const char *at = list; (at = strstr(at, " .It ")) != NULL; at++)
        items++;
    assert_int_equal(items, rows);
    free(list);
    free(page);
}

static void the_manual_names_every_other_report(void **state)
{
    char *export_page = read_page("man/msprof-export.1"), *show_page = read_page("man/msprof-show.1");
    (void)state;
    for (const struct report *const *report = all_reports(); *report != NULL; report++) {
        const char *page = (*report)->shown_only ? show_page : export_page;
        if (!is_series(*report) && !has_name(page, (*report)->name))
            fail_msg("the manual does not name the %s %s", (*report)->shown_only ? "table" : "report", (*report)->name);
    }
    free(export_page);
    free(show_page);
}

/* Files of tables are named after reports. */
static void the_manual_names_no_report_that_does_not_exist(void **state)
{
    char *page = read_page("man/msprof-export.1"), *list = section(page, "\n.Ss Summaries\n", "\n.Ss ");
    const char *const *name, *const of_svp[] = {"acl_statistic", "op_statistic", "op_summary", NULL};
    size_t files = 0;
    (void)state;
    for (const char *at = list; (at = strstr(at, "\n.It Pa ")) != NULL; files++) {
        at = strchr(at, '/') + 1;
        size_t length = strcspn(at, "<[") - 1;
        bool exists = false;
        for (const struct report *const *report = all_reports(); *report != NULL; report++)
            exists |= strlen((*report)->name) == length && strncmp((*report)->name, at, length) == 0;
        for (name = of_svp; *name != NULL; name++)
            exists |= strlen(*name) == length && strncmp(*name, at, length) == 0;
        if (!exists)
            fail_msg("there is no report %.*s", (int)length, at);
    }
    assert_true(files > 10);
    free(list);
    free(page);
}

static int check_layer(void *list, const struct record_kind *kind, const struct series_report *series)
{
    (void)kind;
    if (!has_name(list, series_layer(series)))
        fail_msg("man/msprof-export.1 does not name the layer %s", series_layer(series));
    return 0;
}

static void the_manual_names_every_layer_and_none_that_does_not_exist(void **state)
{
    char *page = read_page("man/msprof-export.1"), *list = section(page, "\nLayers are\n", "\nWithout events");
    (void)state;
    for (size_t i = 0; tracks[i] != NULL; i++) {
        assert_true(has_name(list, tracks[i]->name));
        assert_true(tracks[i]->also == NULL || has_name(list, tracks[i]->also));
    }
    series_each(check_layer, list);
    for (char *line = strtok(list, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, ".Cm ", 4) != 0)
            continue;
        for (char *at = line + 4; *at != '\0';) {
            size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            if (length > 0 && !export_has_layer(name))
                fail_msg("there is no layer %s", name);
            at += length > 0 ? length : 1;
        }
    }
    free(list);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_has_a_row_for_each_table_of_samples_with_what_its_kind_says),
        cmocka_unit_test(the_manual_names_every_other_report),
        cmocka_unit_test(the_manual_names_no_report_that_does_not_exist),
        cmocka_unit_test(the_manual_names_every_layer_and_none_that_does_not_exist),
    };
    return cmocka_run_group_tests_name("the manual", tests, NULL, NULL);
}
