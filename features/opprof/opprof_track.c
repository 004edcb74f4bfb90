/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's trace as a timeline: a process for each core, a thread for each pipe. */
#include "exporters/timeline/track.h"

static const struct report_column values[] = {
    {"Operands", "detail", .form = FORM_TEXT},
    {"Address", "address", .form = FORM_TEXT},
    {"Line", "code", .form = FORM_TEXT},
    {"Bytes", "process_bytes", .form = FORM_TEXT},
    {.title = NULL},
};

/* Numbers of cores and pipes, by name; the launch stands in front of the core where there are several. */
#define CORES                                                                                                          \
    "c AS MATERIALIZED (SELECT launch_id AS l, process AS core, row_number() OVER (ORDER BY launch_id, process) AS"    \
    " pid FROM (SELECT DISTINCT launch_id, process FROM opprof_event WHERE phase IN ('X', 'B', 'E'))), p AS"           \
    " MATERIALIZED (SELECT pipe AS name_of_pipe, row_number() OVER (ORDER BY pipe) AS tid FROM (SELECT DISTINCT pipe"  \
    " FROM opprof_event WHERE phase IN ('X', 'B', 'E')))"
#define EVENTS "opprof_event e JOIN c ON l = launch_id AND core = process JOIN p ON name_of_pipe IS e.pipe"
#define CORE_NAME                                                                                                      \
    "CASE WHEN (SELECT count(*) FROM capture_part) > 1 THEN (SELECT directory FROM capture_part d WHERE d.id ="        \
    " launch_id) || ' ' ELSE '' END || process"

static const struct report_column rates[] = {{"MB/s", "value / 1000.0", FORM_SHORTEST, 3, .doc = "The bandwidth."},
                                             {.title = NULL}};

static const struct series_counter events[] = {
    {.name = "name",
     .values = values,
     .query = {.with = CORES,
               .from = EVENTS,
               .where = "phase IN ('X', 'B', 'E')",
               .order_by = "pid, tid, start_ns, coalesce(duration_ns, 0) DESC, e.id"},
     .time = "start_ns",
     .duration = "coalesce(duration_ns, 0)",
     .device = "NULL",
     .thread = "tid",
     .thread_name = "e.pipe",
     .program = "pid",
     .process = CORE_NAME},
    {.name = "name",
     .values = rates,
     .query = {.from = "opprof_event", .where = "phase = 'C' AND value IS NOT NULL", .order_by = "start_ns, id"},
     .time = "start_ns",
     .device = "NULL",
     .program = "0",
     .process = "process"},
    {.name = NULL},
};

const struct track track_opprof = {
    .name = "simulator",
    .process = "MTE Throughput", /* of its counters: slices are on processes of cores */
    .doc = "Instructions, flags and bandwidths on the pipes of simulated cores.",
    .report = "simulator",
    .number = LAYER_PROGRAM,
    .events = events,
};

/* Stacks of flame graphs: core, file, line; without lines core, pipe, instruction. */
#define CORE_OF_FILES "'core' || core_id || CASE core WHEN 0 THEN '.cubecore' ELSE '.veccore' END || sub_core"
const char opprof_flame_sql[] =
    "SELECT " CORE_OF_FILES ", rtrim(rtrim(code, '0123456789'), ':'), code, time_ps / 1000 FROM opprof_line UNION ALL"
    " SELECT " CORE_OF_FILES
    ", pipe, instruction, time_ps / 1000 FROM opprof_instruction WHERE NOT EXISTS (SELECT 1 FROM"
    " opprof_line)";
