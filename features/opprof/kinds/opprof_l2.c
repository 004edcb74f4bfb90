/* SPDX-License-Identifier: Apache-2.0 */
/* L2 cache, block by block: L2Cache.csv. */
#include "features/opprof/kinds/common/metric_csv.h"

#define METRICS(METRIC)                                                                                                \
    METRIC("write_cache_hit", "write_cache_hit", WHOLE, "Write hits", "As the counter of the core has it.")            \
    METRIC("write_cache_miss_allocate", "write_cache_miss_allocate", WHOLE, "Write misses with allocation",            \
           "As the counter of the core has it.")                                                                       \
    METRIC("r0_read_cache_hit", "r0_read_cache_hit", WHOLE, "Read hits, port 0", "As the counter of the core has it.") \
    METRIC("r0_read_cache_miss_allocate", "r0_read_cache_miss_allocate", WHOLE, "Read misses with allocation, port 0", \
           "As the counter of the core has it.")                                                                       \
    METRIC("r1_read_cache_hit", "r1_read_cache_hit", WHOLE, "Read hits, port 1", "As the counter of the core has it.") \
    METRIC("r1_read_cache_miss_allocate", "r1_read_cache_miss_allocate", WHOLE, "Read misses with allocation, port 1", \
           "As the counter of the core has it.")                                                                       \
    METRIC("read_close_hit", "read_close_hit", WHOLE, "Read hit, close half", "As the counter of the core has it.")    \
    METRIC("read_close_miss", "read_close_miss", WHOLE, "Read miss, close half", "As the counter of the core has it.") \
    METRIC("read_close_victim", "read_close_victim", WHOLE, "Read victim, close half",                                 \
           "As the counter of the core has it.")                                                                       \
    METRIC("read_far_hit", "read_far_hit", WHOLE, "Read hit, far half", "As the counter of the core has it.")          \
    METRIC("read_far_miss", "read_far_miss", WHOLE, "Read miss, far half", "As the counter of the core has it.")       \
    METRIC("read_far_victim", "read_far_victim", WHOLE, "Read victim, far half", "As the counter of the core has it.") \
    METRIC("write_close_hit", "write_close_hit", WHOLE, "Write hit, close half", "As the counter of the core has it.") \
    METRIC("write_close_miss", "write_close_miss", WHOLE, "Write miss, close half",                                    \
           "As the counter of the core has it.")                                                                       \
    METRIC("write_close_victim", "write_close_victim", WHOLE, "Write victim, close half",                              \
           "As the counter of the core has it.")                                                                       \
    METRIC("write_far_hit", "write_far_hit", WHOLE, "Write hit, far half", "As the counter of the core has it.")       \
    METRIC("write_far_miss", "write_far_miss", WHOLE, "Write miss, far half", "As the counter of the core has it.")    \
    METRIC("write_far_victim", "write_far_victim", WHOLE, "Write victim, far half",                                    \
           "As the counter of the core has it.")                                                                       \
    METRIC("write_hit_rate", "write_hit_rate", MILLIONTHS, "Write hit rate", "Percent, in millionths.")                \
    METRIC("read_hit_rate", "read_hit_rate", MILLIONTHS, "Read hit rate", "Percent, in millionths.")                   \
    METRIC("total_hit_rate", "total_hit_rate", MILLIONTHS, "Total hit rate", "Percent, in millionths.")                \
    METRIC("l2_cache_hit_rate", "l2_cache_hit_rate", MILLIONTHS, "L2 cache hit rate", "Percent, in millionths.")

METRIC_KIND(opprof_l2, "L2Cache", "L2 cache of a block", "Hits and misses of the L2 cache.");
