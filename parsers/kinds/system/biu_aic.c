/* SPDX-License-Identifier: Apache-2.0 */
/* Work of single AI cores from interval to interval: instr.group_<group>_aic. */
#include "parsers/kinds/common/core_pipes.h"

/* Eight bytes of cycles and eight of what the bus carried take turns. */
#define COLUMNS(STORED)                                                                                                \
    STORED(, "read_commands", "Read commands", NUMBER, "Commands to read.", AT(40, 2))                                 \
    STORED(, "write_commands", "Write commands", NUMBER, "Commands to write.", AT(42, 2))                              \
    STORED(, "read_latency", "Read latency", NUMBER, "Latency of reading.", AT(44, 3))                                 \
    STORED(, "write_latency_low", "Half", INTEGER(NONE, TRANSIENT), "The low 8 bits of the latency of writing.",       \
           AT(47, 1))                                                                                                  \
    STORED(, "write_latency", "Write latency", NUMBER, "Latency of writing.", AT(56, 2), .multiply = 256,              \
           .relation = FIELD_PLUS, .other = "write_latency_low")                                                       \
    STORED(, "read_flux", "Read", NUMBER, "Amount read.", AT(58, 3))                                                   \
    STORED(, "write_flux", "Written", NUMBER, "Amount written.", AT(61, 3))                                            \
    STORED(, "read_l2_flux", "Read by L2", NUMBER, "Amount read through the L2 cache.", AT(72, 3))                     \
    STORED(, "write_l2_flux", "Written by L2", NUMBER, "Amount written through the L2 cache.", AT(75, 3))              \
    STORED(, "l2_hits", "L2 hits", NUMBER, "Hits of the L2 cache.", AT(94, 2))

static const struct column columns[] = {CORE_PIPES_COLUMNS, COLUMNS(COLUMN_STORED)};

static const struct field fields[] = {CORE_PIPES_FIELDS(48), COLUMNS(COLUMN_FIELD)};

/* ---- the timeline ---- */

/* Where a core stands among the others: by its number, but for AI cores that reach into the numbers of vector cores,
 * and for vector cores of a group beyond its two, which reach into those of the next group. */
#define AIC_PLACE "CASE WHEN s.core_id < 25 THEN s.core_id ELSE 1000000 + s.core_id END"
#define AIV_OF_GROUP "(s.core_id - 25 - 2 * s.group_id)"
#define AIV_PLACE "CASE WHEN " AIV_OF_GROUP " < 2 THEN s.core_id ELSE " AIV_OF_GROUP " * 1000000 + s.group_id END"
_Static_assert(FIRST_VECTOR_CORE == 25, "the number in the queries");

/* Samples lie so many cycles of the AI cores apart, the first where the collection begins. */
#define SAMPLES(table, type, place)                                                                                    \
    "SELECT s.id, s.device_id, s.group_id, s.core_id, s.sample, '" type "_core' || s.core_id || '_group' ||"           \
    " s.group_id AS core, vector_cycles, scalar_cycles, cube_cycles, mte1_cycles, mte2_cycles, mte3_cycles,"           \
    " i.interval, i.mhz, " place " AS place,"                                                                          \
    " i.start_ns + CAST(s.sample * i.interval * 1000.0 / i.mhz AS INTEGER) AS sample_ns "                              \
    "FROM " table " s JOIN i ON i.device_id = s.device_id"
#define INTERVALS                                                                                                      \
    "i AS (SELECT device_id, start_ns, CAST(setting('instr_profiling_freq', device_id) AS INTEGER) AS interval,"       \
    " max(1, CAST(coalesce(setting('aic_frequency', device_id), 1) AS INTEGER)) AS mhz FROM capture_part WHERE NOT"    \
    " is_host AND CAST(setting('instr_profiling_freq', device_id) AS INTEGER) > 0)"
#define PIPE(n, name, column)                                                                                          \
    "SELECT id, device_id, place, core, sample_ns, interval, mhz, " #n " AS pipe, '" name "' AS pipe_name, " column    \
    "_cycles AS cycles FROM b"
#define PIPES                                                                                                          \
    INTERVALS ", b AS (" SAMPLES("biu_aic", "aic", AIC_PLACE) " UNION ALL " /*                                      */ \
        SAMPLES("biu_aiv", "aiv", AIV_PLACE) "), c AS (" /*                                                         */ \
        PIPE(0, "Vector", "vector") " UNION ALL " PIPE(1, "Scalar", "scalar") " UNION ALL " /*                      */ \
        PIPE(2, "Cube", "cube") " UNION ALL " PIPE(3, "Mte1", "mte1") " UNION ALL " /*                              */ \
        PIPE(4, "Mte2", "mte2") " UNION ALL " PIPE(5, "Mte3", "mte3") ")"

#define FLOW(name, column)                                                                                             \
    static const struct report_column name[] = {{"flow", column, .doc = "Its value."}, {.title = NULL}}
FLOW(read_latency, "read_latency");
FLOW(write_latency, "write_latency");
FLOW(read_flux, "read_flux");
FLOW(write_flux, "write_flux");

#define FLOW_COUNTER(title, flow_values)                                                                               \
    {                                                                                                                  \
        .name = "'biu_group' || group_id || '/" title "'", .values = flow_values,                                      \
        .query = {.with = INTERVALS,                                                                                   \
                  .from = "(SELECT s.*, i.start_ns + CAST(s.sample * i.interval * 1000.0 / i.mhz AS INTEGER) AS"       \
                          " sample_ns FROM biu_aic s JOIN i ON i.device_id = s.device_id)",                            \
                  .order_by = "device_id, group_id, sample"},                                                          \
        .time = "sample_ns",                                                                                           \
    }

const struct record_kind kind_biu_aic = {
    OWN_TABLE("biu_aic"),
    .families = FAMILY_CANN,
    .title = "Pipes and bus of an AI core",
    .doc = "How long each pipe of an AI core worked since the sample before, and what its bus carried.",
    .patterns = (const char *const[]){"instr.group_{group_id}_aic.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("biu-aic-96", 96, fields, "docs/formats/system.md 10: 96 bytes, an AI core")),
    .hooks = &core_pipes_hooks,
    ONE_SERIES(.name = "instr", .title = "Pipes of single cores",
               .doc = "How long each pipe of a core worked, and what its bus carried, from sample to sample.",
               .process = "Biu Perf", .number = LAYER_BIU_PERF,
               .counters = COUNTER_LIST(
                   {
                       .name = "pipe_name",
                       .values = VALUE_LIST({"cycle_num", "cycles", .doc = "How many cycles it worked."},
                                            {"ratio", "ratio(cycles, interval)", .form = FORM_FLOAT,
                                             .doc = "Their share in the interval."}),
                       .query = {.with = PIPES,
                                 .from = "c",
                                 .where = "cycles > 0",
                                 .order_by = "device_id, place, pipe, id"},
                       .time = "sample_ns",
                       .duration = "CAST(cycles * 1000 / mhz AS INTEGER)",
                       .thread = "place * 6 + pipe",
                       .thread_name = "core || ' ' || pipe_name",
                   },
                   FLOW_COUNTER("Latency Read", read_latency), FLOW_COUNTER("Latency Write", write_latency),
                   FLOW_COUNTER("Bandwidth Read", read_flux), FLOW_COUNTER("Bandwidth Write", write_flux))),
};
