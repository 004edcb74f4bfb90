/* SPDX-License-Identifier: Apache-2.0 */
/* The library's mutexes, in one place because of fork(): it waits until all are free, so that the child, in which only
 * the forking thread goes on, finds none taken. A thread that holds one takes only such that stand further down. */
#ifndef MSPROF_ACL_LOCKS_H
#define MSPROF_ACL_LOCKS_H

#include <pthread.h>

extern pthread_mutex_t acl_json_lock;    /* captures of acl.json begin and end */
extern pthread_mutex_t acl_file_lock;    /* file mode: path and started configurations */
extern pthread_mutex_t acl_parse_lock;   /* json_parse_plainly */
extern pthread_mutex_t acl_config_lock;  /* the list of living configurations */
extern pthread_mutex_t acl_option_lock;  /* values of aclprofSetConfig */
extern pthread_mutex_t acl_mode_lock;    /* the active mode */
extern pthread_mutex_t acl_stack_lock;   /* pushed stamps */
extern pthread_mutex_t acl_capture_lock; /* the path of the capture */

/* stamp.c: the threads that held single stamps do not exist in the child. */
void acl_stamps_in_forked_child(void);

#endif
