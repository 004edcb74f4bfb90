/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_step_trace_time.csv: the steps of all ranks, and the longest times of each stage. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "features/cluster/output/write.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- stages ---- */

/* Ranks that belong together, as a forest over all ranks that any group names. */
struct forest {
    int64_t *ranks; /* ascending */
    size_t *parents;
    size_t count;
};

struct members {
    const int64_t *ranks;
    size_t count;
};

/* Takes the members that the metadata name, else those seen. */
static struct members members_of(const struct plan *plan, const struct plan_group *group)
{
    if (group->known_count > 0)
        return (struct members){plan->known.items + group->first_known, group->known_count};
    return (struct members){plan->members.items + group->first_member, group->member_count};
}

static int forest_init(struct forest *forest, const struct plan *plan, struct err *err)
{
    size_t most = 1, kept = 0;
    for (size_t i = 0; i < plan->groups.count; i++)
        most += members_of(plan, &plan->groups.items[i]).count;
    forest->ranks = calloc(most, sizeof *forest->ranks);
    forest->parents = calloc(most, sizeof *forest->parents);
    if (forest->ranks == NULL || forest->parents == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < plan->groups.count; i++) {
        struct members members = members_of(plan, &plan->groups.items[i]);
        for (size_t j = 0; j < members.count; j++)
            forest->ranks[forest->count++] = members.ranks[j];
    }
    array_sort(forest->ranks, forest->count, sizeof *forest->ranks, array_compare_numbers);
    for (size_t i = 0; i < forest->count; i++) {
        if (kept == 0 || forest->ranks[kept - 1] != forest->ranks[i])
            forest->ranks[kept++] = forest->ranks[i];
    }
    forest->count = kept;
    return 0;
}

static void forest_reset(struct forest *forest)
{
    for (size_t i = 0; i < forest->count; i++)
        forest->parents[i] = i;
}

static void forest_release(struct forest *forest)
{
    free(forest->ranks);
    free(forest->parents);
}

static size_t root_of(struct forest *forest, size_t i)
{
    while (forest->parents[i] != i)
        i = forest->parents[i] = forest->parents[forest->parents[i]];
    return i;
}

static size_t root_of_rank(struct forest *forest, int64_t rank)
{
    const int64_t *found = bsearch(&rank, forest->ranks, forest->count, sizeof *forest->ranks, array_compare_numbers);
    return found != NULL ? root_of(forest, (size_t)(found - forest->ranks)) : SIZE_MAX;
}

static void unite(struct forest *forest, struct members members)
{
    for (size_t i = 1; i < members.count; i++) {
        size_t a = root_of_rank(forest, members.ranks[0]), b = root_of_rank(forest, members.ranks[i]);
        if (a < b)
            forest->parents[b] = a;
        else if (b < a)
            forest->parents[a] = b;
    }
}

static bool is_pipeline(const struct plan_group *group)
{
    return group->p2p && group->name != NULL && strncasecmp(group->name, "pp", 2) == 0;
}

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Whether a group has at most one rank in every pipeline, of roots as the forest of pipelines has them; -1 without
 * memory. */
static int crosses_pipelines_once(struct members members, struct forest *pipelines)
{
    size_t *roots = calloc(members.count + 1, sizeof *roots);
    int once = roots != NULL ? 1 : -1;
    for (size_t i = 0; roots != NULL && i < members.count; i++)
        roots[i] = root_of_rank(pipelines, members.ranks[i]);
    if (roots != NULL && members.count > 1)
        qsort(roots, members.count, sizeof *roots, compare_sizes);
    for (size_t i = 1; once > 0 && i < members.count; i++)
        once = roots[i] != roots[i - 1];
    free(roots);
    return once;
}

/* The trees of a forest that any of the groups touched, as stages by their smallest rank. */
static int take_trees(struct stages *stages, struct forest *forest, const bool *touched, struct err *err)
{
    size_t *roots = calloc(forest->count + 1, sizeof *roots);
    stages->ranks = calloc(forest->count + 1, sizeof *stages->ranks);
    stages->starts = calloc(forest->count + 2, sizeof *stages->starts);
    if (roots == NULL || stages->ranks == NULL || stages->starts == NULL) {
        free(roots);
        return err_no_memory(err);
    }
    size_t filled = 0;
    for (size_t i = 0; i < forest->count; i++)
        roots[i] = root_of(forest, i);
    for (size_t i = 0; i < forest->count; i++) {
        if (roots[i] != i || !touched[i])
            continue;
        for (size_t j = i; j < forest->count; j++) {
            if (roots[j] == i)
                stages->ranks[filled++] = forest->ranks[j];
        }
        stages->starts[++stages->count] = filled;
    }
    free(roots);
    return 0;
}

static int find_with(struct stages *stages, const struct plan *plan, struct forest *pipelines, struct forest *joined,
                     struct err *err)
{
    bool any = false;
    forest_reset(pipelines);
    forest_reset(joined);
    for (size_t i = 0; i < plan->groups.count; i++) {
        const struct plan_group *group = &plan->groups.items[i];
        if (is_pipeline(group)) {
            unite(pipelines, members_of(plan, group));
            any = true;
        }
    }
    if (!any)
        return 0;
    bool *touched = calloc(joined->count + 1, sizeof *touched);
    if (touched == NULL)
        return err_no_memory(err);
    for (int round = 0; round < 2; round++) { /* roots are known when all are united */
        for (size_t i = 0; i < plan->groups.count; i++) {
            const struct plan_group *group = &plan->groups.items[i];
            struct members members = members_of(plan, group);
            int once = group->p2p || members.count == 0 ? 0 : crosses_pipelines_once(members, pipelines);
            if (once < 0) {
                free(touched);
                return err_no_memory(err);
            }
            if (once == 0)
                continue;
            if (round == 0)
                unite(joined, members);
            else
                touched[root_of_rank(joined, members.ranks[0])] = true;
        }
    }
    int status = take_trees(stages, joined, touched, err);
    free(touched);
    return status;
}

int stages_find(struct stages *stages, const struct plan *plan, struct err *err)
{
    struct forest pipelines = {.ranks = NULL}, joined = {.ranks = NULL};
    *stages = (struct stages){.ranks = NULL};
    bool failed = forest_init(&pipelines, plan, err) < 0 || forest_init(&joined, plan, err) < 0 ||
                  find_with(stages, plan, &pipelines, &joined, err) < 0;
    forest_release(&pipelines);
    forest_release(&joined);
    return failed ? err_status(err) : 0;
}

size_t stages_of_rank(const struct stages *stages, const int64_t parallel[4], int64_t rank)
{
    if (stages->count == 0 && parallel[3] > 0 && parallel[1] > 1)
        return (size_t)(rank / parallel[0] / parallel[2]);
    for (size_t i = 0; i < stages->count; i++)
        for (size_t k = stages->starts[i]; k < stages->starts[i + 1]; k++)
            if (stages->ranks[k] == rank)
                return i;
    return SIZE_MAX;
}

void stages_release(struct stages *stages)
{
    free(stages->ranks);
    free(stages->starts);
    *stages = (struct stages){.ranks = NULL};
}

enum { MOST_COLUMNS = 64, HEAD = 3, TAIL = 3 };

struct step_table {
    const struct plan *plan;
    struct cluster_database *database;
    struct outfile out;
    const char *titles[HEAD + MOST_COLUMNS + TAIL]; /* behind the head those of all ranks, each once */
    size_t columns;
    int64_t parallel[4]; /* tensor, pipeline, data, world; 0: not known */
};

static size_t column_of(const struct step_table *table, const char *title)
{
    size_t i = 0;
    while (i < table->columns && strcmp(table->titles[HEAD + i], title) != 0)
        i++;
    return i;
}

static void collect_columns(struct step_table *table)
{
    for (size_t i = 0; i < table->plan->rank_count; i++) {
        const struct aggregate *rank = &table->plan->ranks[i];
        for (size_t j = 0; j < rank->column_count; j++) {
            const char *title = aggregate_text(rank, rank->columns[j]);
            if (column_of(table, title) == table->columns && table->columns < MOST_COLUMNS)
                table->titles[HEAD + table->columns++] = title;
        }
    }
}

void stages_parallel(const struct plan *plan, int64_t parallel[4])
{
    for (size_t i = 0; i < plan->rank_count; i++) {
        const int64_t *sizes = plan->ranks[i].parallel;
        bool known = sizes[0] > 0 && sizes[1] > 0 && sizes[2] > 0 && sizes[3] > 0;
        if (!known)
            continue;
        int64_t product;
        if (!__builtin_mul_overflow(sizes[0], sizes[1], &product) &&
            !__builtin_mul_overflow(product, sizes[2], &product) && product == sizes[3] &&
            plan->rank_count <= (uint64_t)product)
            memcpy(parallel, sizes, 4 * sizeof *parallel);
        return;
    }
}

static size_t width_of(const struct step_table *table)
{
    return HEAD + table->columns + (table->parallel[3] > 0 ? TAIL : 0);
}

static void write_fields(struct step_table *table, const char *const *texts)
{
    struct csv_cell cells[HEAD + MOST_COLUMNS + TAIL];
    for (size_t i = 0; i < width_of(table); i++)
        cells[i] = TEXT(texts[i]);
    write_cells(&table->out, cells, width_of(table));
}

static void write_titles(struct step_table *table)
{
    static const char *const head[HEAD] = {"Step", "Type", "Index"}, *const tail[TAIL] = {"DP Index", "PP Index",
                                                                                          "TP Index"};
    memcpy(table->titles, head, sizeof head);
    memcpy(table->titles + HEAD + table->columns, tail, sizeof tail);
    write_fields(table, table->titles);
}

static void write_row(struct step_table *table, const char *const head[HEAD], const int64_t ns[MOST_COLUMNS],
                      const char *const tail[TAIL])
{
    const char *texts[HEAD + MOST_COLUMNS + TAIL];
    char numbers[MOST_COLUMNS][NUMBER_MAX + 1];
    for (size_t i = 0; i < HEAD; i++)
        texts[i] = head[i];
    for (size_t i = 0; i < table->columns; i++) {
        char *end = ns[i] != INT64_MIN ? number_put_shortest(numbers[i], ns[i], 3) : numbers[i];
        *end = '\0';
        texts[HEAD + i] = numbers[i];
    }
    for (size_t i = 0; i < TAIL; i++)
        texts[HEAD + table->columns + i] = tail[i];
    write_fields(table, texts);
    cluster_database_add_step(table->database, table->titles, texts, width_of(table));
}

static void take_step(const struct step_table *table, const struct aggregate *rank, const struct rank_step *step,
                      int64_t ns[MOST_COLUMNS])
{
    for (size_t i = 0; i < rank->column_count; i++) {
        size_t column = column_of(table, aggregate_text(rank, rank->columns[i]));
        if (column < table->columns && step->ns[i] > ns[column])
            ns[column] = step->ns[i];
    }
}

static void clear(int64_t ns[MOST_COLUMNS])
{
    for (size_t i = 0; i < MOST_COLUMNS; i++)
        ns[i] = INT64_MIN;
}

static void write_ranks(struct step_table *table)
{
    int64_t ns[MOST_COLUMNS];
    for (size_t i = 0; i < table->plan->rank_count; i++) {
        const struct aggregate *rank = &table->plan->ranks[i];
        const int64_t tensor = table->parallel[0], data = table->parallel[2];
        char number[NUMBER_MAX + 1], places[TAIL][NUMBER_MAX + 1];
        *number_put_signed(number, rank->rank) = '\0';
        if (table->parallel[3] > 0) {
            *number_put_signed(places[0], rank->rank / tensor % data) = '\0';
            *number_put_signed(places[1], rank->rank / tensor / data) = '\0';
            *number_put_signed(places[2], rank->rank % tensor) = '\0';
        }
        for (size_t j = 0; j < rank->step_count; j++) {
            if (!plan_wants_step(table->plan, aggregate_text(rank, rank->steps[j].name)))
                continue;
            clear(ns);
            take_step(table, rank, &rank->steps[j], ns);
            const char *const head[] = {aggregate_text(rank, rank->steps[j].name), "rank", number};
            write_row(table, head, ns, (const char *const[]){places[0], places[1], places[2]});
        }
    }
}

/* One stage in one step: of each column the longest of its ranks. */
static void write_stage(struct step_table *table, const char *step, const int64_t *ranks, size_t count,
                        const char *index)
{
    int64_t ns[MOST_COLUMNS];
    bool any = false;
    clear(ns);
    for (size_t i = 0; i < count; i++) {
        const struct aggregate *rank = plan_rank(table->plan, ranks[i]);
        for (size_t j = 0; rank != NULL && j < rank->step_count; j++) {
            if (strcmp(aggregate_text(rank, rank->steps[j].name), step) == 0) {
                take_step(table, rank, &rank->steps[j], ns);
                any = true;
            }
        }
    }
    if (!any)
        return;
    write_row(table, (const char *const[]){step, "stage", index}, ns, (const char *const[]){"NA", "NA", "NA"});
}

/* All steps, each once, in order; free() it. */
static const char **all_steps(const struct plan *plan, size_t *ret_count, struct err *err)
{
    size_t most = 1, count = 0, kept = 0;
    for (size_t i = 0; i < plan->rank_count; i++)
        most += plan->ranks[i].step_count;
    const char **steps = calloc(most, sizeof *steps);
    if (steps == NULL) {
        err_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < plan->rank_count; i++) {
        for (size_t j = 0; j < plan->ranks[i].step_count; j++)
            steps[count++] = aggregate_text(&plan->ranks[i], plan->ranks[i].steps[j].name);
    }
    array_sort(steps, count, sizeof *steps, plan_compare_steps);
    for (size_t i = 0; i < count; i++) {
        if ((kept == 0 || strcmp(steps[kept - 1], steps[i]) != 0) && plan_wants_step(plan, steps[i]))
            steps[kept++] = steps[i];
    }
    *ret_count = kept;
    return steps;
}

static int write_stages(struct step_table *table, struct err *err)
{
    struct stages stages;
    size_t step_count = 0;
    int status = stages_find(&stages, table->plan, err);
    const char **steps = status == 0 && stages.count > 0 ? all_steps(table->plan, &step_count, err) : NULL;
    if (status == 0 && stages.count > 0 && steps == NULL)
        status = err_status(err);
    for (size_t i = 0; status == 0 && i < step_count; i++) {
        for (size_t j = 0; status == 0 && j < stages.count; j++) {
            const int64_t *ranks = stages.ranks + stages.starts[j];
            size_t count = stages.starts[j + 1] - stages.starts[j];
            char *index = ranks_text(ranks, count);
            if (index != NULL)
                // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
                write_stage(table, steps[i], ranks, count, index);
            else
                status = err_no_memory(err);
            free(index);
        }
    }
    free(steps);
    stages_release(&stages);
    return status;
}

int write_steps(const char *directory, const struct plan *plan, struct cluster_database *database, struct err *err)
{
    struct step_table table = {.plan = plan, .database = database};
    if (write_open(&table.out, directory, "cluster_step_trace_time.csv", "", err) < 0)
        return err_status(err);
    collect_columns(&table);
    stages_parallel(plan, table.parallel);
    write_titles(&table);
    write_ranks(&table);
    int status = write_stages(&table, err);
    if (status < 0) {
        outfile_abort(&table.out);
        return status;
    }
    return outfile_commit(&table.out, err);
}
