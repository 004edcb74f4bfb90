/* SPDX-License-Identifier: Apache-2.0 */
/* A program and its children, of which each sets marks and then ends without exit handlers. */
#include "tests/acl/sample.h"

#include <sys/wait.h>
#include <unistd.h>

#define MARKS 10

static void set_marks(const char *text)
{
    for (int i = 0; i < MARKS; i++)
        MSPROF_MARK(text);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    (void)sample_start(argv[1], ACL_PROF_MSPROFTX);
    set_marks("parent");
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child != 0)
            continue;
        set_marks("child");
        if (i == 0)
            _exit(0);
        _Exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    if (msprof_acl_flush() != ACL_SUCCESS)
        return 1;
    _exit(7);
}
