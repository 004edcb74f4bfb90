/* SPDX-License-Identifier: Apache-2.0 */
#include "base/secret.h"

#include <string.h>

#define WIPED_BYTES (96 * 1024)

__attribute__((noinline)) void secret_wipe_stack(void)
{
    char below[WIPED_BYTES];
    explicit_bzero(below, sizeof below);
}
