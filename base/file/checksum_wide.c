/* SPDX-License-Identifier: Apache-2.0 */
/* XXH3 by the instructions of AVX2, where the processor has them: the sums are the same, in half of the time. */
#include "base/file/checksum_wide.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#pragma GCC target("avx2")
#define XXH_INLINE_ALL
#include <xxhash.h>

bool xxh3_wide(void)
{
    return __builtin_cpu_supports("avx2");
}

void xxh3_wide_add(void *state, const void *bytes, size_t length)
{
    XXH3_128bits_update(state, bytes, length);
}
#else
bool xxh3_wide(void)
{
    return false;
}

void xxh3_wide_add(void *state, const void *bytes, size_t length)
{
    (void)state;
    (void)bytes;
    (void)length;
}
#endif
