/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of checksum.c: XXH3 by wider instructions than every processor has. */
#ifndef MSPROF_BASE_FILE_CHECKSUM_WIDE_H
#define MSPROF_BASE_FILE_CHECKSUM_WIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this processor has them. */
bool xxh3_wide(void);
/* XXH3_128bits_update() by them; state: a XXH3_state_t. Only where xxh3_wide(). */
void xxh3_wide_add(void *state, const void *bytes, size_t length);

#endif
