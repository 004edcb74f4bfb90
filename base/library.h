/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded when they are needed, and which version of one the program was compiled with, and which one
 * it runs with. */
#ifndef MSPROF_BASE_LIBRARY_H
#define MSPROF_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The value of a macro as a text. */
#define AS_WRITTEN(number) #number
#define AS_TEXT(number) AS_WRITTEN(number)

struct library_version {
    const char *name, *compiled, *running; /* running NULL: the library does not say */
};

/* A function or variable of a library, and where its address goes. */
struct library_symbol {
    const char *name;
    void **place;
};
/* One of a structure whose member has the function's name. */
#define LIBRARY_SYMBOL(library, function)                                                                              \
    {                                                                                                                  \
#function, (void **)&(library).function                                                                        \
    }
/* Loads a library, which stays until the process ends. False: it is not installed, or lacks one of the symbols. */
bool library_load(const char *file, const struct library_symbol *symbols, size_t count);

#endif
