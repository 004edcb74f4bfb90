/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a collection: what they mean, and that the tables behind them name what there is. */
#include "exporters/table/report.h"
#include "exporters/timeline/track.h"
#include "features/answers/reports/outcome.h"
#include "features/options/finding.h"
#include "features/options/script.h"
#include "parsers/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct switch_finding finding;
static struct json *root;

static int release(void **state)
{
    (void)state;
    switch_finding_release(&finding);
    json_free(root);
    root = NULL;
    return 0;
}

/* Returns how many problems the file has. */
static size_t check(const char *text)
{
    struct err err = ERR_INIT;
    (void)release(NULL);
    root = json_parse(text, strlen(text), &err);
    assert_non_null(root);
    assert_int_equal(switch_check(root, 0, &finding, &err), 0);
    return finding.problems.count;
}

static void expect_option(const char *key, const char *value)
{
    const char *found = switch_option_value(&finding, key);
    if (value == NULL) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_string_equal(found, value);
}

static void every_part_of_a_script_is_read_without_harm(void **state)
{
    (void)state;
    static const char script[] =
        "p(schedule=a.schedule(wait=1), x=[A.B, -1.5, {'k': None, \"q\\\"\": f'{d}'}], # c\n y='''z''' + d + 'e')\n"
        "PROFILING_OPTIONS=\\{\\\"l2\\\":\\\"on\\\"\\} training_trace:task_trace";
    const size_t length = strlen(script);
    for (size_t from = 0; from < length; from++) {
        for (size_t to = from; to <= length; to++) {
            struct strbuf text;
            char *copy = malloc(to - from + 1);
            assert_non_null(copy);
            memcpy(copy, script + from, to - from);
            copy[to - from] = '\0';
            strbuf_init(&text, SIZE_MAX);
            (void)switch_script_read(copy, to - from, &text);
            (void)switch_python_read(copy, to - from, &text);
            strbuf_clear(&text);
            (void)switch_colons_read(copy, to - from, &text);
            strbuf_release(&text);
            free(copy);
        }
    }
}

static void an_empty_object_of_ge_switches_the_usual_on(void **state)
{
    (void)state;
    assert_int_equal(check("{}"), 0);
    assert_int_equal(finding.writer, SWITCH_GE);
    expect_option("training_trace", "on");
    expect_option("aic_metrics", "PipeUtilization");
    assert_int_equal(check("{\"l2\": \"on\"}"), 0);
    expect_option("training_trace", NULL);
    expect_option("task_time", "on");
}

static void levels_of_frameworks_mean_options(void **state)
{
    (void)state;
    assert_int_equal(
        check("{\"profiler_parameters\": {\"profiler_level\": \"Level1\", \"aic_metrics\": \"AiCoreNone\"}}"), 0);
    assert_int_equal(finding.writer, SWITCH_MINDSPORE);
    expect_option("task_time", "l1");
    expect_option("aic_metrics", "PipeUtilization");
    expect_option("aicpu", NULL);
    assert_int_equal(
        check("{\"config\": {\"common_config\": {\"profile_memory\": true}, \"experimental_config\": "
              "{\"_profiler_level\": \"Level2\", \"_aic_metrics\": \"ACL_AICORE_MEMORY_UB\", \"_l2_cache\": "
              "false, \"_sys_io\": true}}}"),
        0);
    assert_int_equal(finding.writer, SWITCH_PYTORCH);
    expect_option("aicpu", "on");
    expect_option("aic_metrics", "MemoryUB");
    expect_option("l2", NULL);
    expect_option("task_memory", "on");
    expect_option("sys_hardware_mem_freq", "100");
    expect_option("sys_io_sampling_freq", "100");
}

static void level_0_counts_nothing(void **state)
{
    (void)state;
    assert_int_equal(check("{\"profiler_level\": \"Level0\", \"aicore_metrics\": \"Memory\", \"l2_cache\": true}"), 1);
    assert_string_equal(finding.problems.items[0].key, "aicore_metrics");
    assert_string_equal(finding.problems.items[0].suggestion, "profiler_level=Level1");
    expect_option("aic_metrics", NULL);
}

static void an_acl_json_must_be_switched_on(void **state)
{
    (void)state;
    assert_int_equal(check("{\"profiler\": {\"l2\": \"on\"}}"), 1);
    assert_string_equal(finding.problems.items[0].key, "switch");
    assert_int_equal(finding.options.count, 0);
    assert_int_equal(check("{\"profiler\": {\"switch\": \"on\", \"l2\": \"on\"}, \"dump\": {\"dump_list\": [{}]}}"), 1);
    assert_string_equal(finding.problems.items[0].key, "dump");
}

static void boards_have_their_own_words(void **state)
{
    (void)state;
    assert_int_equal(
        check("{\"profiler\": {\"switch\": \"on\", \"aacpu\": \"off\", \"acl_api\": \"off\", \"interval\": \"5\"}}"),
        0);
    assert_int_equal(finding.writer, SWITCH_SVP);
    expect_option("aicpu", "off");
    expect_option("ascendcl", "off");
    expect_option("aic_metrics", "ArithmeticUtilization");
}

static void options_that_contradict_each_other_are_problems(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"fp_point\": \"a\"}",
        "{\"bp_point\": \"a\", \"training_trace\": \"off\"}",
        "{\"llc_profiling\": \"read\"}",
        "{\"host_sys_usage_freq\": 5}",
        "{\"instr_profiling_freq\": 1000}",
        "{\"task_time\": \"l0\", \"task_trace\": \"l1\"}",
        "{\"profiler_level\": \"LevelNone\", \"l2_cache\": false}",
        "{\"activities\": [\"CPU\"], \"l2_cache\": true, \"hbm_ddr\": false}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(check(texts[i]), 1);
    assert_int_equal(check("{\"fp_point\": \"a\", \"training_trace\": \"on\"}"), 0);
    assert_int_equal(check("{\"llc_profiling\": \"read\", \"sys_hardware_mem_freq\": 10}"), 0);
}

static void what_is_no_object_is_an_error(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    (void)release(NULL);
    root = json_parse("[1]", 3, &err);
    assert_int_equal(switch_check(root, 0, &finding, &err), -ERR_FORMAT);
}

/* ---- the tables behind it ---- */

static bool is_kind(const char *name, size_t length)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (strlen(record_kinds[i]->name) == length && memcmp(record_kinds[i]->name, name, length) == 0)
            return true;
    }
    return false;
}

static void every_effect_names_kinds_and_tables_that_there_are(void **state)
{
    (void)state;
    for (const struct switch_effect *effect = outcome_all_effects(NULL); effect->key != NULL; effect++) {
        if (strcmp(effect->key, "aic_mode") != 0) /* only captures say it */
            assert_non_null(switch_rule_find(effect->key, effect->writers));
        for (const char *at = effect->kinds; at != NULL && *at != '\0';) {
            size_t length = strcspn(at, ",");
            assert_true(is_kind(at, length));
            at += length + (at[length] == ',');
        }
        char names[256] = "", *rest = names, *name;
        if (effect->reports != NULL)
            (void)snprintf(names, sizeof names, "%s", effect->reports);
        while ((effect->writers & SWITCH_ACL) != 0 && (name = strsep(&rest, ",")) != NULL && *name != '\0')
            assert_non_null(report_find_file(report_all(NULL), name, CAPTURE_CANN));
    }
}

static bool is_process(const char *name, size_t length)
{
    for (size_t i = 0; tracks[i] != NULL; i++) {
        if (strlen(tracks[i]->process) == length && memcmp(tracks[i]->process, name, length) == 0)
            return true;
    }
    return false;
}

static void every_layer_of_an_effect_is_one_of_a_track(void **state)
{
    (void)state;
    for (const struct switch_effect *effect = switch_effects; effect->key != NULL; effect++) {
        for (const char *at = effect->layers; at != NULL && *at != '\0';) {
            size_t length = strcspn(at, ",");
            assert_true(is_process(at, length));
            at += length + (at[length] == ',');
        }
        if (effect->with != NULL)
            assert_non_null(switch_rule_find(effect->with, effect->writers));
    }
}

static void every_table_of_samples_comes_of_an_option(void **state)
{
    (void)state;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct series_report *series = record_kinds[i]->series;
        for (; series != NULL && series->name != NULL; series++) {
            const struct switch_effect *effect = outcome_all_effects(NULL);
            if (series->columns == NULL)
                continue;
            while (effect->key != NULL && !outcome_has_table(effect, series->name))
                effect++;
            if (effect->key == NULL)
                fail_msg("no option brings %s", series->name);
        }
    }
}

static void a_meaning_is_in_words_of_an_acl_json(void **state)
{
    (void)state;
    for (const struct switch_meaning *meaning = switch_meanings; meaning->key != NULL; meaning++) {
        char words[128], *rest = words, *word;
        assert_non_null(switch_rule_find(meaning->key, meaning->writers));
        (void)snprintf(words, sizeof words, "%s", meaning->means);
        while ((word = strsep(&rest, " ")) != NULL) {
            word[strcspn(word, "=")] = '\0';
            assert_non_null(switch_rule_find(word, SWITCH_ACL));
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_of_a_script_is_read_without_harm),
        cmocka_unit_test_teardown(an_empty_object_of_ge_switches_the_usual_on, release),
        cmocka_unit_test_teardown(levels_of_frameworks_mean_options, release),
        cmocka_unit_test_teardown(level_0_counts_nothing, release),
        cmocka_unit_test_teardown(an_acl_json_must_be_switched_on, release),
        cmocka_unit_test_teardown(boards_have_their_own_words, release),
        cmocka_unit_test_teardown(options_that_contradict_each_other_are_problems, release),
        cmocka_unit_test_teardown(what_is_no_object_is_an_error, release),
        cmocka_unit_test(every_effect_names_kinds_and_tables_that_there_are),
        cmocka_unit_test(every_layer_of_an_effect_is_one_of_a_track),
        cmocka_unit_test(every_table_of_samples_comes_of_an_option),
        cmocka_unit_test(a_meaning_is_in_words_of_an_acl_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
