/* SPDX-License-Identifier: Apache-2.0 */
/* Waits and conflicts, block by block: ResourceConflictRatio.csv. */
#include "features/opprof/kinds/common/metric_csv.h"

#define METRICS(METRIC)                                                                                                \
    METRIC("cube_wait_ratio", "cube_wait_ratio", MILLIONTHS, "Cube waits",                                             \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_wait_ratio", "vec_wait_ratio", MILLIONTHS, "Vector waits",                                             \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("mte1_wait_ratio", "mte1_wait_ratio", MILLIONTHS, "MTE1 waits",                                             \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("mte2_wait_ratio", "mte2_wait_ratio", MILLIONTHS, "MTE2 waits",                                             \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("mte3_wait_ratio", "mte3_wait_ratio", MILLIONTHS, "MTE3 waits",                                             \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_total_cflt_ratio", "vec_total_cflt_ratio", MILLIONTHS, "Vector conflicts, all",                        \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_bankgroup_cflt_ratio", "vec_bankgroup_cflt_ratio", MILLIONTHS, "Vector conflicts, bank groups",        \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_bank_cflt_ratio", "vec_bank_cflt_ratio", MILLIONTHS, "Vector conflicts, banks",                        \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_resc_cflt_ratio", "vec_resc_cflt_ratio", MILLIONTHS, "Vector conflicts, resources",                    \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_mte_cflt_ratio", "vec_mte_cflt_ratio", MILLIONTHS, "Vector conflicts, with MTE",                       \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_stu_cflt_ratio", "vec_stu_cflt_ratio", MILLIONTHS, "Vector conflicts, store unit",                     \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_ldu_cflt_ratio", "vec_ldu_cflt_ratio", MILLIONTHS, "Vector conflicts, load unit",                      \
           "Share of the time that the file gives it, in millionths.")                                                 \
    METRIC("vec_sfu_cflt_ratio", "vec_sfu_cflt_ratio", MILLIONTHS, "Vector conflicts, special function unit",          \
           "Share of the time that the file gives it, in millionths.")

METRIC_KIND(opprof_conflict, "ResourceConflictRatio", "Conflicts of a block",
            "How long pipes waited and the vector unit had conflicts.");
