/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the samples of AI cores and of vector cores: how long each pipe of a core worked. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_CORE_PIPES_H
#define MSPROF_PARSERS_KINDS_COMMON_CORE_PIPES_H

#include "parsers/kinds/common/sample.h"

#define CORE_PIPES 6
#define FIRST_VECTOR_CORE 25 /* AI cores have the numbers below */

/* The first columns of both kinds, in this order. */
enum core_pipes_column {
    CORE_PIPES_FILE,
    CORE_PIPES_DEVICE,
    CORE_PIPES_GROUP,
    CORE_PIPES_CORE,
    CORE_PIPES_SAMPLE,
    CORE_PIPES_FIRST,
    CORE_PIPES_LOW = CORE_PIPES_FIRST + CORE_PIPES, /* of the sixth counter, which lies in two places */
    CORE_PIPES_OWN,                                 /* a kind's own come from here on */
};

#define CYCLES_COLUMN(pipe, name, title)                                                                               \
    [CORE_PIPES_FIRST + (pipe)] = COLUMN(name "_cycles", title, INTEGER(CYCLE, PLAIN),                                 \
                                         "Cycles that it worked since the sample before; NULL: there is none.")
#define HALF_COLUMN(name, doc) COLUMN(name, "Half", INTEGER(NONE, TRANSIENT), doc)
#define OWN_COLUMN(name, title, doc) COLUMN(name, title, MADE_NUMBER, doc)

#define CORE_PIPES_COLUMNS                                                                                             \
    [CORE_PIPES_FILE] = FILE_COLUMN, [CORE_PIPES_DEVICE] = DEVICE_COLUMN,                                              \
    [CORE_PIPES_GROUP] = OWN_COLUMN("group_id", "Group", "The group of cores, from the file name."),                   \
    [CORE_PIPES_CORE] = OWN_COLUMN("core_id", "Core", "The core: AI cores from 0, vector cores from 25."),             \
    [CORE_PIPES_SAMPLE] =                                                                                              \
        OWN_COLUMN("sample", "Sample", "Its number, from 0: instr_profiling_freq cycles lie between two."),            \
    CYCLES_COLUMN(0, "vector", "Vector"), CYCLES_COLUMN(1, "scalar", "Scalar"), CYCLES_COLUMN(2, "cube", "Cube"),      \
    CYCLES_COLUMN(3, "mte1", "MTE1"), CYCLES_COLUMN(4, "mte2", "MTE2"), CYCLES_COLUMN(5, "mte3", "MTE3"),              \
    [CORE_PIPES_LOW] = HALF_COLUMN("mte3_low", "The low 4 bits of the counter of MTE3.")

/* Twelve bits of each pipe, from 32 on; the sixth goes on where the next eight bytes of the cycles are. */
#define CORE_PIPES_FIELDS(next)                                                                                        \
    BITS_FIELD("vector_cycles", 32, 8, 0, 12), BITS_FIELD("scalar_cycles", 32, 8, 12, 12),                             \
        BITS_FIELD("cube_cycles", 32, 8, 24, 12), BITS_FIELD("mte1_cycles", 32, 8, 36, 12),                            \
        BITS_FIELD("mte2_cycles", 32, 8, 48, 12), BITS_FIELD("mte3_low", 32, 8, 60, 4),                                \
    {                                                                                                                  \
        .column = "mte3_cycles", .offset = (next), .width = 1, .multiply = 16, .relation = FIELD_PLUS,                 \
        .other = "mte3_low",                                                                                           \
    }

/* Cycles become differences to the sample before, and what the file name says is filled in. */
extern const struct kind_hooks core_pipes_hooks;

#endif
