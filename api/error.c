/* SPDX-License-Identifier: Apache-2.0 */
#include "api/internal.h"

struct msprof_error {
    int code;
    char message[ERR_MAX_CAUSES * (ERR_TEXT_SIZE + sizeof ": ")], hint[ERR_TEXT_SIZE];
};

/* A status is the code. */
_Static_assert(MSPROF_ERROR_FAILED == -ERR_FAILED && MSPROF_ERROR_USAGE == -ERR_USAGE &&
                   MSPROF_ERROR_NOT_FOUND == -ERR_NOT_FOUND && MSPROF_ERROR_ACCESS == -ERR_ACCESS &&
                   MSPROF_ERROR_IO == -ERR_IO && MSPROF_ERROR_NO_SPACE == -ERR_NO_SPACE &&
                   MSPROF_ERROR_NO_MEMORY == -ERR_NO_MEMORY && MSPROF_ERROR_FORMAT == -ERR_FORMAT &&
                   MSPROF_ERROR_LIMIT == -ERR_LIMIT && MSPROF_ERROR_DATABASE == -ERR_DATABASE &&
                   MSPROF_ERROR_STRICT == -ERR_STRICT && MSPROF_ERROR_INTERRUPTED == -ERR_INTERRUPTED,
               "codes of the library");

/* For an error that there is no memory for. */
static const struct msprof_error no_memory = {MSPROF_ERROR_NO_MEMORY, "out of memory", ""};

const char *msprof_version(void)
{
    return MSPROF_VERSION;
}

void enter(struct visit *visit, atomic_int *interrupt)
{
    visit->interrupt = interrupt_flag;
    visit->locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* of glibc's own: it takes no memory */
    interrupt_flag = interrupt;
}

static const struct msprof_error *make_error(const struct err *err)
{
    struct msprof_error *error = calloc(1, sizeof *error);
    size_t used = 0;
    if (error == NULL)
        return &no_memory;
    error->code = err_status(err);
    for (unsigned i = err->depth; i-- > 0;) {
        const size_t length = strlen(err->causes[i]);
        if (used > 0) {
            memcpy(error->message + used, ": ", 2);
            used += 2;
        }
        memcpy(error->message + used, err->causes[i], length);
        used += length;
    }
    const char *hint = err_hint_for_caller(err);
    memcpy(error->hint, hint, strlen(hint));
    return error;
}

int fail_null(const char *argument, struct msprof_error **error)
{
    atomic_int none = 0;
    struct visit visit;
    struct err err = ERR_INIT;
    enter(&visit, &none);
    err_set(&err, ERR_USAGE, "the argument '%s' is NULL", argument);
    return leave(&visit, &err, error);
}

int copy_options(void *ret, size_t size, const void *given, struct err *err)
{
    size_t known;
    if (given == NULL)
        return 0;
    memcpy(&known, given, sizeof known);
    if (known < sizeof known || known % sizeof known != 0)
        return err_set(err, ERR_USAGE, "the size in the options is %zu: set it to the sizeof of their struct", known);
    memcpy(ret, given, known < size ? known : size);
    return 0;
}

int leave(const struct visit *visit, const struct err *err, struct msprof_error **error)
{
    atomic_store(interrupt_flag, 0);
    interrupt_flag = visit->interrupt;
    uselocale(visit->locale);
    if (err->code != ERR_NONE && error != NULL)
        *error = (struct msprof_error *)(uintptr_t)make_error(err);
    return err_status(err);
}

int msprof_error_code(const struct msprof_error *error)
{
    return error != NULL ? error->code : 0;
}

const char *msprof_error_message(const struct msprof_error *error)
{
    return error != NULL ? error->message : "";
}

const char *msprof_error_hint(const struct msprof_error *error)
{
    return error != NULL ? error->hint : "";
}

void msprof_error_free(struct msprof_error *error)
{
    if (error != &no_memory)
        free(error);
}
