/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* One word that a child finds zeroed, whatever made the child. */
static atomic_int *same_process;
enum { PROCESS_CHILD, PROCESS_SAME, PROCESS_SETTLING };

static _Atomic pid_t process; /* that the memory belongs to; 0: not watched yet */
static _Atomic(void (*)(void)) settlers[FORKS_MOST];

static void settle(void)
{
    atomic_store(&process, getpid());
    for (size_t i = 0; i < FORKS_MOST && atomic_load(&settlers[i]) != NULL; i++)
        atomic_load (&settlers[i])();
    if (same_process != NULL)
        atomic_store(same_process, PROCESS_SAME);
}

void forks_notice(void)
{
    int expected = PROCESS_CHILD;
    if (same_process == NULL || atomic_load(same_process) == PROCESS_SAME)
        return;
    if (atomic_compare_exchange_strong(same_process, &expected, PROCESS_SETTLING)) {
        settle();
        return;
    }
    while (atomic_load(same_process) != PROCESS_SAME)
        usleep(100);
}

bool forks_shares_memory(void)
{
    forks_notice();
    pid_t owner = atomic_load(&process);
    return owner != 0 && owner != getpid();
}

static void watch(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, size, MADV_WIPEONFORK) == 0) {
        same_process = page;
        atomic_store(same_process, PROCESS_SAME);
    }
    atomic_store(&process, getpid());
    pthread_atfork(NULL, NULL, settle);
}

void forks_watch(void (*settle_it)(void))
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    for (size_t i = 0; i < FORKS_MOST; i++) {
        void (*there)(void) = NULL;
        if (atomic_compare_exchange_strong(&settlers[i], &there, settle_it) || there == settle_it)
            break;
    }
    pthread_once(&once, watch);
}
