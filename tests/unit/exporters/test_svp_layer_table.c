/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/svp/svp_tables.h"

#include "db/database.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    sqlite3 *db;
    struct svp_layer_table table;
};

/* Task 2 runs on both engines, task 5 on the AI CPU only, the layer without a task belongs to no id. */
static const char layers[] =
    "CREATE TABLE layer(id INTEGER PRIMARY KEY, model_name TEXT, model_id INTEGER, layer_id INTEGER, task_id INTEGER,"
    "  name TEXT, type TEXT, ori_name TEXT, engine TEXT);"
    "INSERT INTO layer(model_name, model_id, layer_id, task_id, name, type, engine) VALUES"
    "  ('m', 1, 0, 2, 'cpu', 'Preprocess', 'AI_CPU'), ('m', 1, 1, 2, 'conv', 'Conv', 'AI_CORE'),"
    "  ('m', 1, 2, 2, 'pool', 'Pool', 'AI_CORE'), ('m', 1, 3, 7, 'conv', 'Conv', 'AI_CORE'),"
    "  ('m', 1, 4, 9, 'untyped', NULL, 'AI_CORE'), ('m', 1, 5, 5, 'decode', 'Decode', 'AI_CPU'),"
    "  ('m', 1, 6, NULL, 'nowhere', 'Conv', 'AI_CORE'), ('m', 2, 7, 2, 'other', 'Other', 'AI_CORE');";

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct err err = ERR_INIT;
    assert_non_null(fixture);
    assert_int_equal(database_open_memory(&fixture->db, &(struct err)ERR_INIT), 0);
    assert_int_equal(database_exec(fixture->db, layers, &err), 0);
    assert_int_equal(svp_layer_table_load(fixture->db, "m", 1, &fixture->table, &err), 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    svp_layer_table_release(&fixture->table);
    sqlite3_close(fixture->db);
    free(fixture);
    return 0;
}

/* The names of a task's layers, joined by ','; "-" for a task that is not in the table. */
static const char *names_of(struct svp_layer_table *table, int64_t task_id)
{
    static char names[64];
    const struct svp_task_layers *task = svp_layer_table_find(table, task_id);
    if (task == NULL)
        return "-";
    assert_int_equal(task->task_id, task_id);
    names[0] = '\0';
    for (size_t i = task->first; i < task->first + task->count; i++) {
        if (i > task->first)
            strncat(names, ",", sizeof names - strlen(names) - 1);
        strncat(names, table->layers.layers[i].name, sizeof names - strlen(names) - 1);
    }
    return names;
}

static void an_ai_core_task_finds_its_layers_in_any_order(void **state)
{
    struct svp_layer_table *table = &((struct fixture *)*state)->table;
    static const struct {
        int64_t task_id;
        const char *names;
    } expected[] = {
        {2, "conv,pool"}, {7, "conv"},          {9, "untyped"},   {2, "conv,pool"}, {9, "untyped"},
        {7, "conv"},      {7, "conv"},          {5, "-"},         {1, "-"},         {99, "-"},
        {-1, "-"},        {DB_NULL, "nowhere"}, {2, "conv,pool"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_string_equal(names_of(table, expected[i].task_id), expected[i].names);
}

static void a_model_without_layers_knows_no_task(void **state)
{
    struct fixture *fixture = *state;
    struct svp_layer_table table;
    struct svp_statistic statistic;
    struct err err = ERR_INIT;
    svp_statistic_init(&statistic);
    assert_int_equal(svp_layer_table_load(fixture->db, "unheard of", 1, &table, &err), 0);
    assert_string_equal(names_of(&table, 2), "-");
    assert_int_equal(svp_layer_table_credit(&table, NULL, &statistic, 0, 5, &err), 0);
    assert_int_equal(statistic.count, 1);
    assert_null(statistic.items[0].type);
    svp_layer_table_release(&table);
    svp_statistic_release(&statistic);
}

static void a_task_s_time_is_credited_to_each_of_its_types(void **state)
{
    struct svp_layer_table *table = &((struct fixture *)*state)->table;
    struct svp_statistic statistic;
    struct err err = ERR_INIT;
    svp_statistic_init(&statistic);
    for (int report = 0; report < 2; report++) {
        svp_statistic_clear(&statistic);
        static const int64_t tasks[] = {2, 7, 9, 1, 2};
        for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
            assert_int_equal(svp_layer_table_credit(table, svp_layer_table_find(table, tasks[i]), &statistic, 3,
                                                    (int64_t)i + 1, &err),
                             0);
        svp_statistic_sort(&statistic);
        /* Conv from tasks 2, 7, 2; Pool from 2, 2; the unknown type from the untyped layer and the unknown task. */
        static const struct {
            const char *type;
            int64_t count, total;
        } expected[] = {{"Conv", 3, 1 + 2 + 5}, {NULL, 2, 3 + 4}, {"Pool", 2, 1 + 5}};
        assert_int_equal(statistic.count, 3);
        for (size_t i = 0; i < 3; i++) {
            const struct op_statistic *row = &statistic.items[i];
            if (expected[i].type == NULL)
                assert_null(row->type);
            else
                assert_string_equal(row->type, expected[i].type);
            assert_int_equal(row->count, expected[i].count);
            assert_int_equal(row->total_centi_us, expected[i].total);
            assert_int_equal(row->stream_id, 3);
            assert_false(row->ai_cpu);
        }
    }
    svp_statistic_release(&statistic);
}

static void texts_are_kept_as_long_as_there_is_room(void **state)
{
    struct svp_layer_table *table = &((struct fixture *)*state)->table;
    enum { LENGTH = 700000 };
    char *text = malloc(LENGTH);
    assert_non_null(text);
    memset(text, 'x', LENGTH);
    svp_layer_table_keep(table, svp_layer_table_find(table, 2), text, LENGTH);
    memset(text, 'y', LENGTH);
    svp_layer_table_keep(table, svp_layer_table_find(table, 7), text, LENGTH);
    svp_layer_table_keep(table, svp_layer_table_find(table, 9), text, 5);
    const struct svp_task_layers *task = svp_layer_table_find(table, 2);
    assert_int_equal(task->length, LENGTH);
    assert_int_equal(table->texts.data[task->text], 'x');
    assert_int_equal(table->texts.data[task->text + LENGTH - 1], 'x');
    assert_int_equal(svp_layer_table_find(table, 7)->length, 0);
    task = svp_layer_table_find(table, 9);
    assert_int_equal(task->length, 5);
    assert_memory_equal(table->texts.data + task->text, "yyyyy", 5);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_ai_core_task_finds_its_layers_in_any_order, setup, teardown),
        cmocka_unit_test_setup_teardown(a_model_without_layers_knows_no_task, setup, teardown),
        cmocka_unit_test_setup_teardown(a_task_s_time_is_credited_to_each_of_its_types, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_are_kept_as_long_as_there_is_room, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
