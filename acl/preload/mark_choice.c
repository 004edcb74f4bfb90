/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of mstx that are recorded: those of the domains in MSPROF_MSTX_DOMAINS. */
#include "acl/preload/preload.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *domains; /* names, divided by commas; NULL: all */

void marks_prepare(void)
{
    const char *list = secure_getenv("MSPROF_MSTX_DOMAINS");
    if (list != NULL && *list != '\0')
        domains = strdup(list); /* the program may change its environment */
}

const char *marks_domains(void)
{
    return domains;
}

void marks_tell_unrecorded(const char *text, const char *path, const char *rest)
{
    char line[1200];
    int length = snprintf(line, sizeof line, "msprof: mstx marks are not recorded: %s%s%s\n", text, path, rest);
    size_t size = length < 0 ? 0 : (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
    ssize_t ignored = write(STDERR_FILENO, line, size);
    (void)ignored;
}

void marks_tell_of_board(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        marks_tell_unrecorded("captures of boards cannot contain them", "", "");
}
