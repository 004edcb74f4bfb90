/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of library code: a code, a chain of causes, a hint. Library folders never print and never exit; cli/ does
 * both. Calls that need each other stand in one condition, the first that fails is the last that runs:
 *     if (names_load(db, &names, err) < 0 || (wanted && times_load(db, &times, err) < 0))
 *         return err_status(err);
 * Locals that are to be released are SCOPED, so that this holds for them, too:
 *     SCOPED_FREE char *path = path_join(directory, name);
 *     SCOPED(strbuf_release) struct strbuf text; */
#ifndef MSPROF_BASE_ERR_H
#define MSPROF_BASE_ERR_H

#include "base/language.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ERR_MAX_CAUSES 6
#define ERR_TEXT_SIZE 768

enum err_code {
    ERR_NONE = 0,
    ERR_FAILED,      /* anything without a better name */
    ERR_USAGE,       /* the caller's words are off */
    ERR_NOT_FOUND,   /* a file, a capture or data that should be there is not */
    ERR_ACCESS,      /* permission denied, read-only */
    ERR_IO,          /* the system failed to read or write */
    ERR_NO_SPACE,    /* disk full or quota reached */
    ERR_NO_MEMORY,   /* allocation failed */
    ERR_FORMAT,      /* data that does not follow its format */
    ERR_LIMIT,       /* a documented limit is exceeded */
    ERR_DATABASE,    /* SQLite failed */
    ERR_STRICT,      /* a data problem under --strict */
    ERR_INTERRUPTED, /* a signal asked to stop */
    ERR_REMOTE       /* SSH or the remote side failed */
};

/* Filled by the function that fails; causes[0] is the innermost, causes[depth - 1] the outermost. Needs no release. */
struct err {
    enum err_code code;
    unsigned depth;
    char causes[ERR_MAX_CAUSES][ERR_TEXT_SIZE];
    char hint[ERR_TEXT_SIZE];        /* what to do next; empty when there is nothing to say */
    char caller_hint[ERR_TEXT_SIZE]; /* likewise for callers of libmsprof; empty: the same */
};

#define ERR_INIT                                                                                                       \
    {                                                                                                                  \
        .code = ERR_NONE                                                                                               \
    }

/* The negative number that a function returns when the error is set. */
static inline int err_status(const struct err *err)
{
    return -(int)err->code;
}

/* Starts a new chain with one cause, control characters masked. Returns -code, so that "return err_set(...)" works. */
int err_set(struct err *err, enum err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "out of memory". Returns -ERR_NO_MEMORY. */
int err_no_memory(struct err *err);

/* Like err_set, for a failed system call: chooses the code from errnum and appends its text. */
int err_set_errno(struct err *err, int errnum, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds an outer cause ("cannot import 'X'") to an error that is set. When the chain is full the innermost stays and the
 * newest outer cause replaces the last. Returns -err->code. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says what the user can do; the first hint given stays. Returns -err->code. */
int err_hint(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Comes before an err_hint whose text names options or commands of the program: what a caller of libmsprof can do, in
 * words that stand for C and Python alike. Who hands the error out takes the one for its reader. Without effect where a
 * hint was given. Returns -err->code. */
int err_hint_caller(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For a caller of libmsprof. */
const char *err_hint_for_caller(const struct err *err);

/* The outermost cause, never NULL ("no error" when none is set). */
const char *err_message(const struct err *err);

/* vsnprintf for messages: masked, and ended by "..." on a character boundary when it does not fit. size >= 8. */
void err_format(char *buffer, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

/* Formats so the arguments of the function that it stands in, behind its parameter `format`, into an array of char. */
#define ERR_FORMAT(text, format)                                                                                       \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        err_format(text, sizeof(text), format, arguments);                                                             \
        va_end(arguments);                                                                                             \
    } while (0)

/* Likewise a message, in the language of the user (base/language.h). */
#define ERR_FORMAT_SAID(text, format)                                                                                  \
    do {                                                                                                               \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        err_format(text, sizeof(text), language_said(format), arguments);                                              \
        va_end(arguments);                                                                                             \
    } while (0)

/* Releases a local where its scope ends, however it is left; it is initialised before the first return behind it. */
#define SCOPED(release) __attribute__((cleanup(release)))
#define SCOPED_FREE SCOPED(scoped_free)

/* Frees what the pointer at this place points to: of any type, or the first member of a list. */
static inline void scoped_free(const void *place)
{
    void *pointer;
    memcpy(&pointer, place, sizeof pointer);
    free(pointer);
}

/* Memory of zeros, and a copy of at most length bytes of text, for SCOPED_FREE: of what malloc() and its like give, the
 * analyzer of clang 14 does not see the end. NULL when memory ran out. */
void *scoped_memory(size_t count, size_t size);
char *scoped_text(const char *text, size_t length);

#endif
