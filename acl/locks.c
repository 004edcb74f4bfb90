/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/locks.h"

#include <stddef.h>

pthread_mutex_t acl_json_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_file_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_parse_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_config_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_option_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_mode_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_stack_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t acl_capture_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t *const in_order[] = {
    &acl_json_lock,   &acl_file_lock, &acl_parse_lock, &acl_config_lock,
    &acl_option_lock, &acl_mode_lock, &acl_stack_lock, &acl_capture_lock,
};

#define LOCK_COUNT (sizeof in_order / sizeof *in_order)

static void before_fork(void)
{
    for (size_t i = 0; i < LOCK_COUNT; i++)
        pthread_mutex_lock(in_order[i]);
}

static void after_fork_in_parent(void)
{
    for (size_t i = LOCK_COUNT; i-- > 0;)
        pthread_mutex_unlock(in_order[i]);
}

static void after_fork_in_child(void)
{
    acl_stamps_in_forked_child();
    after_fork_in_parent();
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
