/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/status.h"

#include <stddef.h>

int status_worse(int a, int b)
{
    static const int worst_first[] = {STATUS_INTERRUPTED,   STATUS_USAGE,        STATUS_FAILURE,
                                      STATUS_REMOTE,        STATUS_INCOMPARABLE, STATUS_BROKEN,
                                      STATUS_DATA_PROBLEMS, STATUS_NOTHING,      STATUS_DONE};

    for (size_t i = 0; i < sizeof worst_first / sizeof worst_first[0]; i++)
        if (a == worst_first[i] || b == worst_first[i])
            return worst_first[i];
    return STATUS_FAILURE;
}

int status_of_error(const struct err *err)
{
    switch (err->code) {
    case ERR_NONE:
        return STATUS_DONE;
    case ERR_USAGE:
        return STATUS_USAGE;
    case ERR_REMOTE:
        return STATUS_REMOTE;
    case ERR_INTERRUPTED:
        return STATUS_INTERRUPTED;
    default:
        return STATUS_FAILURE;
    }
}
