/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's trace as a timeline: a process for each core, a thread for each pipe; and as a flame graph. */
#include "exporters/timeline/track.h"
#include "exporters/tree_outputs.h"

static const struct report_column values[] = {
    {"Operands", "detail", .form = FORM_TEXT},
    {"Address", "address", .form = FORM_TEXT},
    {"Line", "code", .form = FORM_TEXT},
    {"Bytes", "process_bytes", .form = FORM_TEXT},
    {.title = NULL},
};

#define DRAWN "phase IN ('X', 'B', 'E', 's', 't', 'f')"

/* Numbers of cores and pipes, by name; the launch stands in front of the core where there are several. */
#define CORES                                                                                                          \
    "c AS MATERIALIZED (SELECT launch_id AS l, process AS core, row_number() OVER (ORDER BY launch_id, process) AS"    \
    " pid FROM (SELECT DISTINCT launch_id, process FROM opprof_event WHERE " DRAWN ")), p AS MATERIALIZED (SELECT"     \
    " pipe AS name_of_pipe, row_number() OVER (ORDER BY pipe) AS tid FROM (SELECT DISTINCT pipe FROM opprof_event"     \
    " WHERE " DRAWN "))"
/* Both ends of an arrow have the same link: those of a flag, B and E, and those of a flow, s and t. Of a link that
 * comes again the first begin belongs to the first end; no arrow leads back in time. A number below 0 is of an end. */
#define ENDS "phase IN ('E', 't', 'f')"
#define OF_FLAG "phase IN ('B', 'E')"
#define ARROWS                                                                                                         \
    "q AS MATERIALIZED (SELECT id, launch_id, process, link, start_ns, " OF_FLAG " AS of_flag, " ENDS " AS ends,"      \
    " row_number() OVER (PARTITION BY launch_id, process, link, " OF_FLAG ", " ENDS " ORDER BY start_ns, id) AS n"     \
    " FROM opprof_event WHERE link IS NOT NULL AND phase <> 'X' AND " DRAWN "), w AS MATERIALIZED (SELECT b.id AS"     \
    " from_id, e.id AS to_id FROM q b JOIN q e USING(launch_id, process, link, of_flag, n) WHERE NOT b.ends AND"       \
    " e.ends AND b.start_ns <= e.start_ns), a AS MATERIALIZED (SELECT from_id AS end_id, from_id AS arrow FROM w"      \
    " UNION ALL SELECT to_id, -from_id FROM w)"
#define EVENTS                                                                                                         \
    "opprof_event e JOIN c ON l = launch_id AND core = process JOIN p ON name_of_pipe IS e.pipe LEFT JOIN a ON"        \
    " end_id = e.id"
#define LAUNCH                                                                                                         \
    "CASE WHEN (SELECT count(*) FROM capture_part) > 1 THEN (SELECT directory FROM capture_part d WHERE d.id ="        \
    " launch_id) || ' ' ELSE '' END || "
#define CORE_NAME LAUNCH "process"

static const struct report_column rates[] = {{"MB/s", "value / 1000.0", FORM_SHORTEST, 3, .doc = "The bandwidth."},
                                             {.title = NULL}};

static const struct series_arrow flag = {.name = "flag", .category = "flag", .id = "arrow"};

static const struct series_counter events[] = {
    {.name = "CASE WHEN phase IN ('s', 't', 'f') THEN coalesce(e.category, name) ELSE name END",
     .values = values,
     .arrow = &flag,
     .query = {.with = CORES ", " ARROWS,
               .from = EVENTS,
               .where = DRAWN,
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

static const struct track track = {
    .name = "simulator",
    .process = "MTE Throughput", /* of its counters: slices are on processes of cores */
    .doc = "Instructions, flags and bandwidths on the pipes of simulated cores.",
    .report = "simulator",
    .number = LAYER_PROGRAM,
    .events = events,
};

/* Stacks of flame graphs: core, file, line; of a launch without lines core, pipe, instruction. */
#define CORE_OF_FILES LAUNCH "'core' || core_id || CASE core WHEN 0 THEN '.cubecore' ELSE '.veccore' END || sub_core"
static const char stacks[] =
    "SELECT " CORE_OF_FILES ", rtrim(rtrim(code, '0123456789'), ':'), code, time_ps / 1000 FROM opprof_line UNION ALL"
    " SELECT " CORE_OF_FILES
    ", pipe, instruction, time_ps / 1000 FROM opprof_instruction WHERE launch_id NOT IN (SELECT"
    " launch_id FROM opprof_line)";

const struct tree_outputs outputs_opprof = {
    .family = CAPTURE_OPPROF, .title = "msprof op", .track = &track, .stacks = stacks};
