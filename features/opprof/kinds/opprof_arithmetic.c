/* SPDX-License-Identifier: Apache-2.0 */
/* Cube and vector units, block by block: ArithmeticUtilization.csv. */
#include "features/opprof/kinds/common/metric_csv.h"

#define METRICS(METRIC)                                                                                                \
    METRIC("cube_ratio", "cube_ratio", MILLIONTHS, "Cube ratio",                                                       \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("cube_fp16_ratio", "cube_fp16_ratio", MILLIONTHS, "Cube fp16 ratio",                                        \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("cube_int8_ratio", "cube_int8_ratio", MILLIONTHS, "Cube int8 ratio",                                        \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("cube_fp_ratio", "cube_fp_ratio", MILLIONTHS, "Cube floating point ratio",                                  \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("cube_int_ratio", "cube_int_ratio", MILLIONTHS, "Cube integer ratio",                                       \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("cube_fops", "cube_fops", WHOLE, "Cube operations", "Operations of the cube unit.")                         \
    METRIC("cube_total_instr_number", "cube_total_instr_number", WHOLE, "Cube instructions",                           \
           "As the counter of the core has it.")                                                                       \
    METRIC("cube_fp_instr_number", "cube_fp_instr_number", WHOLE, "Cube floating point instructions",                  \
           "As the counter of the core has it.")                                                                       \
    METRIC("cube_int_instr_number", "cube_int_instr_number", WHOLE, "Cube integer instructions",                       \
           "As the counter of the core has it.")                                                                       \
    METRIC("vec_ratio", "vec_ratio", MILLIONTHS, "Vector ratio",                                                       \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_fp32_ratio", "vec_fp32_ratio", MILLIONTHS, "Vector fp32 ratio",                                        \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_fp16_ratio", "vec_fp16_ratio", MILLIONTHS, "Vector fp16 ratio",                                        \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_int32_ratio", "vec_int32_ratio", MILLIONTHS, "Vector int32 ratio",                                     \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_int16_ratio", "vec_int16_ratio", MILLIONTHS, "Vector int16 ratio",                                     \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_misc_ratio", "vec_misc_ratio", MILLIONTHS, "Vector ratio of the rest",                                 \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_vf_ratio", "vec_vf_ratio", MILLIONTHS, "Vector function ratio",                                        \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_sfu_ratio", "vec_sfu_ratio", MILLIONTHS, "Special function ratio",                                     \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_simt_vf_ratio", "vec_simt_vf_ratio", MILLIONTHS, "SIMT vector function ratio",                         \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_fops", "vec_fops", WHOLE, "Vector operations", "Operations of the vector unit.")

METRIC_KIND(opprof_arithmetic, "ArithmeticUtilization", "Arithmetic of a block",
            "Operations of the cube and the vector unit by the type of data.");
