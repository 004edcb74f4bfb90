/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"

#include <dlfcn.h>

bool library_load(const char *file, const struct library_symbol *symbols, size_t count)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    bool found = handle != NULL;
    for (size_t i = 0; i < count && found; i++)
        found = (*symbols[i].place = dlsym(handle, symbols[i].name)) != NULL;
    return found;
}
