/* SPDX-License-Identifier: Apache-2.0 */
/* Which version of a library the program was compiled with, and which one it runs with. */
#ifndef MSPROF_BASE_LIBRARY_H
#define MSPROF_BASE_LIBRARY_H

/* The value of a macro as a text. */
#define AS_WRITTEN(number) #number
#define AS_TEXT(number) AS_WRITTEN(number)

struct library_version {
    const char *name, *compiled, *running; /* running NULL: the library does not say */
};

#endif
