/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of communication are called. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_NAMES_H
#define MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_NAMES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#define COMMUNICATION_NAME_MAX 64

/* "communication", of several devices "communication_<device>". */
static inline void communication_name(char name[COMMUNICATION_NAME_MAX], const char *file, bool several_devices,
                                      int64_t device_id)
{
    if (several_devices)
        snprintf(name, COMMUNICATION_NAME_MAX, "%s_%" PRId64, file, device_id);
    else
        snprintf(name, COMMUNICATION_NAME_MAX, "%s", file);
}

#endif
