/* SPDX-License-Identifier: Apache-2.0 */
/* Which way of profiling is active in this process. They exclude each other: files by API calls, files by an acl.json,
 * files because msprof collects (the preload library, msprof run), and subscription. Thread-safe. */
#ifndef MSPROF_ACL_MODE_H
#define MSPROF_ACL_MODE_H

#include "acl/recorder/recorder.h"
#include "msprof/acl_prof.h"

#include <pthread.h>
#include <stdbool.h>

/* The library's mutexes, in one place because of fork(): it waits until all are free, so that the child, in which only
 * the forking thread goes on, finds none taken. A thread that holds one takes only such that stand further down. */

extern pthread_mutex_t acl_json_lock;    /* captures of acl.json begin and end */
extern pthread_mutex_t acl_file_lock;    /* file mode: path and started configurations */
extern pthread_mutex_t acl_parse_lock;   /* json_parse_plainly */
extern pthread_mutex_t acl_config_lock;  /* the list of living configurations */
extern pthread_mutex_t acl_option_lock;  /* values of aclprofSetConfig */
extern pthread_mutex_t acl_stack_lock;   /* pushed stamps */
extern pthread_mutex_t acl_capture_lock; /* the path of the capture */

/* stamp.c: the threads that held single stamps do not exist in the child. */
void acl_stamps_in_forked_child(void);

enum acl_mode {
    ACL_MODE_NONE,
    ACL_MODE_API,      /* aclprofInit .. aclprofFinalize */
    ACL_MODE_SVP_API,  /* svp_acl_prof_init .. svp_acl_prof_finalize */
    ACL_MODE_JSON,     /* acl.json of aclInit(path) or msprof_acl_json_start */
    ACL_MODE_COMMAND,  /* the preload library or msprof run */
    ACL_MODE_SUBSCRIBE /* first aclprofModelSubscribe .. last aclprofModelUnSubscribe */
};

/* Makes mode the active one. 0, or a code with its message set, caller being the function that the message names:
 *   the same mode again        ACL_ERROR_REPEAT_INITIALIZE (SUBSCRIBE: 0; claims are counted)
 *   JSON or COMMAND is active  ACL_ERROR_PROF_ALREADY_RUN (for SUBSCRIBE too: ACL_ERROR_PROF_API_CONFLICT)
 *   otherwise                  ACL_ERROR_PROF_API_CONFLICT; for JSON and COMMAND ACL_ERROR_PROF_ALREADY_RUN when the
 * API is active */
aclError acl_mode_claim(enum acl_mode mode, const char *caller);

/* Takes a claim back; nothing when mode is not active. */
void acl_mode_release(enum acl_mode mode);

enum acl_mode acl_mode_active(void);

/* recorder_start; ACL_ERROR_PROFILING_FAILURE with its message. options->report is set to a line on standard error,
 * when MSPROF_ACL_LOG asked for such lines when the capture was started. */
aclError acl_recorder_begin(struct recorder_options *options);
/* recorder_stop; success when nothing was running. */
aclError acl_recorder_end(void);

#endif
