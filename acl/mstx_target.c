/* SPDX-License-Identifier: Apache-2.0 */
/* mstx of programs that bring libmsprof_acl: a collection of theirs takes the marks when it asks for msproftx. */
#include "acl/mstx_target.h"

#include "acl/message.h"
#include "acl/recorder/forks.h"
#include "acl/recorder/recorder_state.h"
#include "acl/stamp.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- domains that the collection takes ---- */

static _Atomic(const char *) included, excluded;

/* Lists stay: who has asked for one may be looking at it. */
static struct kept_list {
    struct kept_list *next;
    char text[];
} * lists;

const char *acl_mstx_keep_list(const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t size = strlen(text) + 1;
    pthread_mutex_lock(&lock);
    struct kept_list *list = lists;
    while (list != NULL && strcmp(list->text, text) != 0)
        list = list->next;
    if (list == NULL) {
        list = malloc(sizeof *list + size);
        if (list != NULL) {
            memcpy(list->text, text, size);
            list->next = lists;
            lists = list;
        }
    }
    pthread_mutex_unlock(&lock);
    return list != NULL ? list->text : NULL;
}

void acl_mstx_choose(const char *include, const char *exclude)
{
    atomic_store(&included, include);
    atomic_store(&excluded, exclude);
}

/* ---- the sink ---- */

static uint32_t take_session(void)
{
    forks_notice();
    return acl_stamps_take_marks() ? recorder_session() : 0;
}

static bool wants(const char *domain)
{
    return mstx_is_chosen(atomic_load(&included), atomic_load(&excluded), domain);
}

const struct mstx_sink acl_mstx_sink = {
    .session = take_session,
    .wants = wants,
    .name = recorder_name_id,
    .tx = recorder_tx,
    .heap = recorder_heap,
    .lose_range = recorder_lose_range,
};

const struct mstx_sink *mstx_destination(uint64_t *ret_key)
{
    *ret_key = take_session();
    return *ret_key != 0 ? &acl_mstx_sink : NULL;
}

static void describe_ranges(uint32_t session, struct range_losses *ret)
{
    mstx_describe_ranges(session, ret);
}

__attribute__((visibility("default"))) int InitInjectionMstx(mstxGetModuleFuncTableFunc get);

int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
    recorder_watch_ranges(describe_ranges);
    return mstx_fill(get);
}
