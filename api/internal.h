/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of libmsprof share. Each public function that works begins with enter() and ends with leave():
 *     struct visit visit;
 *     struct err err = ERR_INIT;
 *     enter(&visit, &capture->interrupt);
 *     work(capture, &err);
 *     return leave(&visit, &err, error);
 */
#ifndef MSPROF_API_INTERNAL_H
#define MSPROF_API_INTERNAL_H

#include "base/diag.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "db/import.h"
#include "msprof/msprof.h"
#include "parsers/decode/layout.h"

#include <locale.h>
#include <sqlite3.h>
#include <stdbool.h>

/* What a call changes of the thread that makes it, and puts back. */
struct visit {
    locale_t locale;
    atomic_int *interrupt;
};

/* From here on this thread has the locale of C, and polls a flag of the caller's, which leave() clears. */
void enter(struct visit *visit, atomic_int *interrupt);
/* Hands an error out; returns its code, or 0. error may be NULL. */
int leave(const struct visit *visit, const struct err *err, struct msprof_error **error);

/* For an argument that is NULL and must not be; returns the code. */
int fail_null(const char *argument, struct msprof_error **error);
/* The name of the first argument that is NULL; NULL: there is none. */
#define NULL_IF(argument) ((argument) == NULL ? #argument : NULL)
#define NULL_OF_TWO(a, b) (NULL_IF(a) != NULL ? NULL_IF(a) : NULL_IF(b))
#define NULL_OF_THREE(a, b, c) (NULL_IF(a) != NULL ? NULL_IF(a) : NULL_OF_TWO(b, c))

/* Copies what the options of a caller say; NULL: nothing. Of a shorter struct what is missing is 0. */
int copy_options(void *ret, size_t size, const void *given, struct err *err);

struct msprof_capture {
    atomic_uint users; /* its own, and tables, which may be closed later */
    atomic_int interrupt;
    char *directory, *database, *framework; /* framework: its directory; NULL: there is none */
    char *temporary;                        /* results that msprof_close removes; NULL: none */
    int pin;
    sqlite3 *db;
    bool imported;
    struct diagnostics diag; /* of the import */
    struct import_result counts;
    struct layout_set layouts;
    struct strbuf parameters;
};

/* Opens another connection to the database of a capture, prepared as the first one; with the framework's stacks or not.
 */
int capture_connect(const struct msprof_capture *capture, bool stacks, sqlite3 **ret, struct err *err);

#endif
