/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of an application beside their launches under 'msprof op'. */
#include "base/array.h"
#include "base/statistics.h"
#include "base/ticks.h"
#include "db/query/clocks.h"
#include "db/query/query_loop.h"
#include "db/query/query_window.h"
#include "exporters/table/report.h"
#include "features/opprof/opprof_link.h"

#include <math.h>
#include <stdlib.h>

struct shown {
    const char *name, *match, *directory;
    int64_t blocks, mix_blocks, op_blocks, op_mix_blocks, count, duration_ps;
    double median_ns, ratio; /* NAN: not known */
};

static const struct report_column columns[] = {
    {"Operator", SHOWN(name), .doc = "Name of the operator, or of its kernel, as msprof op has it."},
    {"Blocks", SHOWN(blocks), .flags = REPORT_NUMBER, .doc = "Its blocks in the application."},
    {"Mix Blocks", SHOWN(mix_blocks), .flags = REPORT_NUMBER | REPORT_NARROW,
     .doc = "Blocks of the other core of a mixed kernel."},
    {"Count", SHOWN(count), .flags = REPORT_NUMBER, .doc = "Number of executions with these blocks."},
    {"Median(us)", SHOWN(median_ns), FORM_SCALED, 3, .doc = "Median time of these executions."},
    {"Under msprof op(us)", SHOWN(duration_ps), FORM_SCALED, 6, .doc = "Duration of the task under msprof op."},
    {"Ratio", SHOWN(ratio), FORM_SCALED, 4,
     .doc = "The median by the duration under msprof op, where the blocks are equal: above 1 it is slower in the "
            "application."},
    {"Match", SHOWN(match),
     .doc = "same blocks: name and blocks are equal; other blocks, blocks not known: only the name is; not in the "
            "application."},
    {"OPPROF Blocks", SHOWN(op_blocks), .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Block Dim under msprof op."},
    {"OPPROF Mix Blocks", SHOWN(op_mix_blocks), .flags = REPORT_NUMBER | REPORT_NARROW,
     .doc = "Mix Block Dim under msprof op."},
    {"Directory", SHOWN(directory), .doc = "The OPPROF directory, and that of the launch in it."},
    {.title = NULL},
};

/* Executions of one kernel with the same blocks. */
struct use {
    size_t kernel; /* number of its name, by which uses and launches belong together */
    int64_t blocks, mix_blocks;
    int64_t hz;    /* of the clock of its durations (ticks_share_hz) */
    uint32_t last; /* of its durations */
    size_t count;
    bool found; /* a launch has its name and its blocks */
};

struct launch {
    const char *name, *directory;
    size_t kernel;
    int64_t blocks, mix_blocks, duration_ps;
    bool found;
};

struct linking {
    struct ARRAY_OF(struct use) uses;
    struct ARRAY_OF(struct launch) launches;
    struct grouped durations;
    struct cann_clocks clocks;
    struct intern texts;
};

/* Kernels of both kinds of cores: the compiler puts this behind the names of their halves. */
#define WITHOUT_SUFFIX(name)                                                                                           \
    "CASE WHEN substr(" name ", -8) IN ('_mix_aic', '_mix_aiv') THEN substr(" name ", 1, length(" name                 \
    ") - 8) ELSE " name " END"
#define KERNELS                                                                                                        \
    "WITH l AS (SELECT *, dense_rank() OVER (ORDER BY " WITHOUT_SUFFIX("name") ") AS kernel, " WITHOUT_SUFFIX(         \
        "name") " AS stem FROM temp.linked_launch)"

static int take_launch(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct linking *linking = arg;
    struct launch launch = {.kernel = (size_t)sqlite3_column_int64(row, 0),
                            .blocks = query_integer(row, 3),
                            .mix_blocks = query_integer(row, 4),
                            .duration_ps = query_integer(row, 5)};
    const char *name = query_text(row, 1), *directory = query_text(row, 2);

    if (name == NULL || directory == NULL)
        return err_no_memory(err);
    if (intern_keep(&linking->texts, name, &launch.name, err) < 0 ||
        intern_keep(&linking->texts, directory, &launch.directory, err) < 0)
        return err_status(err);
    return array_add(&linking->launches, err, launch);
}

/* Rows come by kernel and blocks. */
static int take_task(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct linking *linking = arg;
    const size_t kernel = (size_t)sqlite3_column_int64(row, 0), count = linking->uses.count;
    const int64_t blocks = query_integer(row, 1), mix_blocks = query_integer(row, 2);
    struct use *use = count > 0 ? &linking->uses.items[count - 1] : NULL;

    if (use == NULL || use->kernel != kernel || use->blocks != blocks || use->mix_blocks != mix_blocks) {
        if (array_reserve(&linking->uses, 1, err) < 0)
            return err_status(err);
        use = &linking->uses.items[linking->uses.count++];
        *use = (struct use){.kernel = kernel, .blocks = blocks, .mix_blocks = mix_blocks};
    }
    const int64_t rate = cann_clock_hz(&linking->clocks, query_integer(row, 5));
    use->count++;
    ticks_share_hz(&use->hz, rate);
    return grouped_add(&linking->durations, &use->last,
                       ticks_span_ns(rate, query_integer(row, 4), query_integer(row, 3)), err);
}

static int load(struct linking *linking, sqlite3 *db, struct err *err)
{
    static const char launches[] =
        KERNELS " SELECT kernel, name, directory, blocks, mix_blocks, duration_ps FROM l ORDER BY directory";
    static const char tasks[] =
        KERNELS ", k AS MATERIALIZED (SELECT DISTINCT n.id, kernel FROM name n JOIN l ON " WITHOUT_SUFFIX(
            "n.text") " = l.stem) SELECT coalesce(o.kernel, k.kernel), nullif(block_num, 0), nullif(mix_block_num, 0), "
                      "duration_ns, start_ns, device_id"
                      " FROM device_task t LEFT JOIN k o ON o.id = t.op_name_id LEFT JOIN k ON k.id = t.kernel_name_id "
                      "WHERE %s"
                      " ORDER BY 1, 2, 3";
    static const char wanted[] =
        "coalesce(o.id, k.id) IS NOT NULL AND start_ns IS NOT NULL AND duration_ns >= 0 AND " CANN_IS_OPERATOR;
    char condition[sizeof wanted + QUERY_WINDOW_SIZE], text[sizeof tasks + sizeof condition];

    if (cann_clocks_load(db, &linking->clocks, err) < 0 || opprof_links_put(NULL, db, err) < 0 ||
        query_run(db, launches, NULL, 0, take_launch, linking, err) < 0 ||
        query_window_condition(db, wanted, condition, sizeof condition, err) < 0)
        return err_status(err);
    snprintf(text, sizeof text, tasks, condition);
    return linking->launches.count > 0 ? query_run(db, text, NULL, 0, take_task, linking, err) : 0;
}

enum match { OTHER_BLOCKS, BLOCKS_UNKNOWN, EQUAL_BLOCKS, ABSENT };

/* Blocks of the other core count where both sides have them: who collects at a low level records none. */
static enum match match_of(const struct use *use, const struct launch *launch)
{
    if (use->blocks == DB_NULL || launch->blocks == DB_NULL)
        return BLOCKS_UNKNOWN;
    const bool mixed = use->mix_blocks != DB_NULL && launch->mix_blocks != DB_NULL;
    return use->blocks == launch->blocks && (!mixed || use->mix_blocks == launch->mix_blocks) ? EQUAL_BLOCKS
                                                                                              : OTHER_BLOCKS;
}

static int put(struct report_run *run, const struct linking *linking, const struct use *use,
               const struct launch *launch, enum match match, struct err *err)
{
    static const char *const words[] = {"other blocks", "blocks not known", "same blocks", "not in the application"};
    struct shown row = {.name = launch->name,
                        .match = words[match],
                        .directory = launch->directory,
                        .blocks = DB_NULL,
                        .mix_blocks = DB_NULL,
                        .op_blocks = launch->blocks,
                        .op_mix_blocks = launch->mix_blocks,
                        .count = 0,
                        .duration_ps = launch->duration_ps,
                        .median_ns = NAN,
                        .ratio = NAN};
    struct series series = {.n = 0};

    if (use != NULL) {
        if (grouped_series(&linking->durations, use->last, use->count, use->hz, &series, err) != 0)
            return err_status(err);
        row.blocks = use->blocks;
        row.mix_blocks = use->mix_blocks;
        row.count = (int64_t)use->count;
        row.median_ns = series.median;
        if (match == EQUAL_BLOCKS && launch->duration_ps != DB_NULL && launch->duration_ps > 0)
            row.ratio = series.median * 1e3 / (double)launch->duration_ps * 1e4;
        series_release(&series);
    }
    return report_put(run, &row, err);
}

/* What has blocks of its own is beside nothing else; the rest is beside all of its name. */
static int put_launch(struct report_run *run, struct linking *linking, const struct launch *launch, struct err *err)
{
    bool any = false;
    int status = 0;

    for (size_t i = 0; status == 0 && i < linking->uses.count; i++) {
        const struct use *use = &linking->uses.items[i];
        const enum match match = match_of(use, launch);
        if (use->kernel != launch->kernel)
            continue;
        any = true;
        if (match == EQUAL_BLOCKS || !use->found || !launch->found)
            status = put(run, linking, use, launch, match, err);
    }
    return status == 0 && !any ? put(run, linking, NULL, launch, ABSENT, err) : status;
}

static void find(struct linking *linking, struct launch *launch)
{
    for (size_t i = 0; i < linking->uses.count; i++) {
        struct use *use = &linking->uses.items[i];
        if (use->kernel == launch->kernel && match_of(use, launch) == EQUAL_BLOCKS)
            use->found = launch->found = true;
    }
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct linking linking = {.launches = {.items = NULL}};
    int status = load(&linking, run->session->db, err);

    for (size_t i = 0; status == 0 && i < linking.launches.count; i++)
        find(&linking, &linking.launches.items[i]);
    for (size_t i = 0; status == 0 && i < linking.launches.count; i++)
        status = put_launch(run, &linking, &linking.launches.items[i], err);
    grouped_release(&linking.durations);
    cann_clocks_release(&linking.clocks);
    intern_release(&linking.texts);
    free(linking.launches.items);
    free(linking.uses.items);
    return status;
}

const struct report report_link = {
    .name = "opprof",
    .title = "Operators under msprof op",
    .doc = "Launches under msprof op beside the executions of the same operator in the application, matched by name "
           "and blocks. Names are those of the operator or its kernel, without _mix_aic and _mix_aiv.",
    .needs = "directories of msprof op: --opprof DIR",
    .families = FAMILY_OF(CAPTURE_CANN),
    .shown_only = true,
    .is_short = true,
    .windowed = true,
    .columns = columns,
    .rows = put_rows,
};
