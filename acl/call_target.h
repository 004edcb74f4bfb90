/* SPDX-License-Identifier: Apache-2.0 */
/* Between libmsprof_acl and the preload library when both are in one process: the program that brings libmsprof_acl
 * decides itself what is recorded, and the preload library records into the capture that it makes. */
#ifndef MSPROF_ACL_CALL_TARGET_H
#define MSPROF_ACL_CALL_TARGET_H

#include "acl/mstx/mstx.h"
#include "acl/recorder/recorder_state.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the preload library's calls go, and what else it asks for. */
struct call_target {
    bool (*recording)(void); /* whether calls are wanted now */
    void (*call)(uint16_t level, uint32_t type, int64_t begin_ns, int64_t end_ns, uint64_t item_id);
    void (*call_left)(uint16_t level, uint32_t type, int change);
    int (*name_type)(uint16_t level, uint32_t type, const char *name);
    bool (*flush)(void); /* writes what was recorded; safe in signal handlers */
    /* The program calls aclInit(path), or svp_acl_init, which is caller: 1 when the file has begun a capture, 0 when it
     * asks for none, -1 when it is refused; message() then says why. */
    int (*json_begin)(const char *path, bool svp, const char *caller);
    const char *(*message)(void);
    void (*json_end)(void); /* aclFinalize has returned */
    const struct mstx_sink *marks;
    void (*watch_ranges)(recorder_ranges_function *describe); /* recorder_watch_ranges */
};

/* The preload library offers its function under this name and version; a target stays as long as the process. */
#define PRELOAD_ATTACH_SYMBOL "msprof_preload_attach"
#define PRELOAD_ATTACH_VERSION "MSPROF_PRIVATE_2"
typedef void preload_attach_function(const struct call_target *target);

#endif
