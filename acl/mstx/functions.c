/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that programs call through their tables. */
#include "acl/mstx/mstx.h"
#include "acl/recorder/forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- what was not as it is meant ---- */

/* Counts for the recording with this key; another one begins anew. */
static struct {
    _Atomic uint64_t key, not_open, other_domain, no_domain;
} faults;

static void begin_anew(uint64_t key)
{
    uint64_t before = atomic_load_explicit(&faults.key, memory_order_relaxed);
    if (before == key || !atomic_compare_exchange_strong(&faults.key, &before, key))
        return;
    atomic_store(&faults.not_open, 0);
    atomic_store(&faults.other_domain, 0);
    atomic_store(&faults.no_domain, 0);
    mstx_ranges_forget();
}

void mstx_describe_ranges(uint64_t key, struct range_losses *ret)
{
    mstx_ranges_count(key, ret);
    if (atomic_load(&faults.key) != key)
        return;
    ret->not_open = atomic_load(&faults.not_open);
    ret->other_domain = atomic_load(&faults.other_domain);
    ret->no_domain = atomic_load(&faults.no_domain);
}

static void count(_Atomic uint64_t *fault)
{
    atomic_fetch_add_explicit(fault, 1, memory_order_relaxed);
}

/* ---- marks and ranges ---- */

static _Thread_local uint32_t thread_id __attribute__((tls_model("initial-exec")));

static uint32_t this_thread(void)
{
    if (thread_id == 0)
        thread_id = (uint32_t)syscall(SYS_gettid);
    return thread_id;
}

/* Destination of marks of a domain, with its hash. False: they are not recorded. */
static bool find_destination(mstxDomainHandle_t handle, const struct mstx_sink **ret_sink, uint64_t *ret_key,
                             struct mstx_domain **ret_domain, uint64_t *ret_hash)
{
    *ret_sink = mstx_destination(ret_key);
    if (*ret_sink == NULL)
        return false;
    begin_anew(*ret_key);
    *ret_domain = mstx_domain_find(handle);
    if (*ret_domain == NULL)
        count(&faults.no_domain);
    return *ret_domain != NULL && mstx_domain_wanted(*ret_domain, *ret_sink, *ret_key, ret_hash);
}

/* Length of a message: what is longer is cut, not inside of a character. */
static size_t length_of(const char *message)
{
    size_t length = strnlen(message, MSTX_MESSAGE_MAX + 1);
    if (length <= MSTX_MESSAGE_MAX)
        return length;
    length = MSTX_MESSAGE_MAX;
    while (length > 0 && ((unsigned char)message[length] & 0xc0) == 0x80)
        length--;
    return length;
}

static void mark_in(mstxDomainHandle_t handle, const char *message)
{
    const struct mstx_sink *sink;
    struct mstx_domain *domain;
    uint64_t key, hash;
    if (message == NULL || !find_destination(handle, &sink, &key, &domain, &hash))
        return;
    int64_t now = recorder_now(); /* the first mark starts the collection, and is no warm-up of it */
    struct recorder_tx tx = {.event = RECORDER_TX_MARK,
                             .extended = true,
                             .begin_ns = now,
                             .end_ns = now,
                             .mark_id = mstx_next_mark(),
                             .domain = hash};
    size_t left = length_of(message);
    do { /* a long message takes several records, which import joins */
        tx.message = message;
        tx.message_length = left < RECORDER_MESSAGE_MAX ? left : RECORDER_MESSAGE_MAX;
        sink->tx(&tx);
        message += tx.message_length;
        left -= tx.message_length;
        tx.segment++;
    } while (left > 0);
}

static mstxRangeId begin_in(mstxDomainHandle_t handle, const char *message)
{
    const struct mstx_sink *sink;
    struct mstx_domain *domain;
    uint64_t key, hash;
    if (message == NULL || !find_destination(handle, &sink, &key, &domain, &hash))
        return MSTX_INVALID_ID;
    struct mstx_range *range = mstx_range_new(message, length_of(message));
    if (range == NULL) {
        sink->lose_range();
        return MSTX_INVALID_ID;
    }
    range->domain = domain;
    range->domain_hash = hash;
    range->key = key;
    range->thread_id = this_thread();
    range->begin_ns = recorder_now();
    return mstx_range_open(range);
}

/* Whatever domain the end names, the range has its own, also when that is destroyed by now. */
static void check_domain(mstxDomainHandle_t handle, const struct mstx_range *range)
{
    const struct mstx_domain *domain = mstx_domain_find(handle);
    if (domain != NULL && domain != range->domain)
        count(&faults.other_domain);
}

static void record_range(const struct mstx_sink *sink, const struct mstx_range *range, uint64_t id, int64_t end_ns)
{
    struct recorder_tx tx = {.event = RECORDER_TX_RANGE,
                             .extended = true,
                             .begin_ns = range->begin_ns,
                             .end_ns = end_ns,
                             .mark_id = id,
                             .domain = range->domain_hash,
                             .thread_id = range->thread_id};
    for (; range != NULL; range = mstx_range_piece(range)) {
        tx.message = range->text;
        tx.message_length = range->length;
        sink->tx(&tx);
        tx.segment++;
    }
}

static void end_in(mstxDomainHandle_t handle, mstxRangeId id)
{
    int64_t now = recorder_now();
    uint64_t key = 0;
    if (id == MSTX_INVALID_ID)
        return;
    const struct mstx_range *range = mstx_range_close(id);
    const struct mstx_sink *sink = mstx_destination(&key);
    if (sink != NULL)
        begin_anew(key);
    if (sink != NULL && range == NULL && !mstx_range_is_older(id))
        count(&faults.not_open);
    if (sink != NULL && range != NULL && range->key == key) {
        check_domain(handle, range);
        record_range(sink, range, id, now);
    }
    mstx_range_free(range);
}

static void mark(const char *message, aclrtStream stream)
{
    (void)stream; /* a device would see it too */
    mark_in(NULL, message);
}

static mstxRangeId range_start(const char *message, aclrtStream stream)
{
    (void)stream;
    return begin_in(NULL, message);
}

static void range_end(mstxRangeId id)
{
    end_in(NULL, id);
}

static void get_tool_id(uint64_t *id)
{
    if (id != NULL)
        *id = MSTX_TOOL_MSPROF_ID;
}

static void domain_mark(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    (void)stream;
    mark_in(domain, message);
}

static mstxRangeId domain_range_start(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    (void)stream;
    return begin_in(domain, message);
}

/* ---- heaps ---- */

/* Handles are numbers: a program that gives an address instead says which heap it means, too. */
static _Atomic uint64_t handles;

static uint64_t next_handle(void)
{
    return atomic_fetch_add_explicit(&handles, 1, memory_order_relaxed) + 1;
}

static void record_heap(mstxDomainHandle_t handle, struct recorder_heap *heap)
{
    const struct mstx_sink *sink;
    struct mstx_domain *domain;
    uint64_t key;
    heap->time_ns = recorder_now();
    if (find_destination(handle, &sink, &key, &domain, &heap->domain))
        sink->heap(heap);
}

static mstxMemHeapHandle_t heap_register(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc)
{
    if (desc == NULL || desc->typeSpecificDesc == NULL)
        return NULL;
    const mstxMemVirtualRangeDesc_t *memory = desc->typeSpecificDesc;
    struct recorder_heap heap = {.event = RECORDER_HEAP_REGISTERED,
                                 .heap = next_handle(),
                                 .address = (uint64_t)(uintptr_t)memory->ptr,
                                 .size = memory->size,
                                 .device = memory->deviceId};
    record_heap(domain, &heap);
    return (mstxMemHeapHandle_t)(uintptr_t)heap.heap; /* NOLINT(performance-no-int-to-ptr) */
}

static void heap_unregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
    struct recorder_heap record = {.event = RECORDER_HEAP_UNREGISTERED, .heap = (uint64_t)(uintptr_t)heap};
    if (heap != NULL)
        record_heap(domain, &record);
}

static void regions_register(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc)
{
    if (desc == NULL || desc->regionDescArray == NULL)
        return;
    const mstxMemVirtualRangeDesc_t *regions = desc->regionDescArray;
    for (size_t i = 0; i < desc->regionCount; i++) {
        struct recorder_heap region = {.event = RECORDER_REGION_REGISTERED,
                                       .heap = (uint64_t)(uintptr_t)desc->heap,
                                       .region = next_handle(),
                                       .address = (uint64_t)(uintptr_t)regions[i].ptr,
                                       .size = regions[i].size,
                                       .device = regions[i].deviceId};
        record_heap(domain, &region);
        if (desc->regionHandleArrayOut != NULL)
            desc->regionHandleArrayOut[i] =
                (mstxMemRegionHandle_t)(uintptr_t)region.region; /* NOLINT(performance-no-int-to-ptr) */
    }
}

static void regions_unregister(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc)
{
    if (desc == NULL || desc->refArray == NULL)
        return;
    for (size_t i = 0; i < desc->refCount; i++) {
        const mstxMemRegionRef_t *region = &desc->refArray[i];
        bool by_handle = region->refType == MSTX_MEM_REGION_REF_TYPE_HANDLE;
        struct recorder_heap record = {.event = RECORDER_REGION_UNREGISTERED,
                                       .region = by_handle ? (uint64_t)(uintptr_t)region->handle : 0,
                                       .address = by_handle ? 0 : (uint64_t)(uintptr_t)region->pointer};
        record_heap(domain, &record);
    }
}

/* ---- the tables ---- */

#define AS_POINTER(function) ((mstxFuncPointer)(function))

/* Fills the table of a module, by number, without what the program's header does not know yet. */
static bool fill_module(mstxGetModuleFuncTableFunc get, mstxFuncModule module, const mstxFuncPointer *functions,
                        unsigned count)
{
    mstxFuncTable table = NULL;
    unsigned size = 0;
    if (get(module, &table, &size) != MSTX_SUCCESS || table == NULL)
        return false;
    for (unsigned i = 1; i < count && i < size; i++)
        if (table[i] != NULL)
            *table[i] = functions[i];
    return true;
}

static void settle_in_child(void)
{
    thread_id = 0;
    mstx_domains_in_forked_child();
    mstx_ranges_forget();
}

static void prepare(void)
{
    forks_watch(settle_in_child);
}

int mstx_fill(mstxGetModuleFuncTableFunc get)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const mstxFuncPointer core[] = {
        [MSTX_API_CORE_MARK_A] = AS_POINTER(mark),
        [MSTX_API_CORE_RANGE_START_A] = AS_POINTER(range_start),
        [MSTX_API_CORE_RANGE_END] = AS_POINTER(range_end),
        [MSTX_API_CORE_GET_TOOL_ID] = AS_POINTER(get_tool_id),
    };
    static const mstxFuncPointer domain[] = {
        [MSTX_API_CORE2_DOMAIN_CREATE_A] = AS_POINTER(mstx_domain_create),
        [MSTX_API_CORE2_DOMAIN_DESTROY] = AS_POINTER(mstx_domain_destroy),
        [MSTX_API_CORE2_DOMAIN_MARK_A] = AS_POINTER(domain_mark),
        [MSTX_API_CORE2_DOMAIN_RANGE_START_A] = AS_POINTER(domain_range_start),
        [MSTX_API_CORE2_DOMAIN_RANGE_END] = AS_POINTER(end_in),
    };
    static const mstxFuncPointer memory[] = {
        [MSTX_API_CORE_MEMHEAP_REGISTER] = AS_POINTER(heap_register),
        [MSTX_API_CORE_MEMHEAP_UNREGISTER] = AS_POINTER(heap_unregister),
        [MSTX_API_CORE_MEM_REGIONS_REGISTER] = AS_POINTER(regions_register),
        [MSTX_API_CORE_MEM_REGIONS_UNREGISTER] = AS_POINTER(regions_unregister),
    };
    if (get == NULL)
        return MSTX_FAIL;
    pthread_once(&once, prepare);
    if (!fill_module(get, MSTX_API_MODULE_CORE, core, MSTX_API_CORE_SIZE))
        return MSTX_FAIL;
    (void)fill_module(get, MSTX_API_MODULE_CORE_DOMAIN, domain, MSTX_API_CORE2_SIZE);
    (void)fill_module(get, MSTX_API_MODULE_CORE_MEM, memory, MSTX_API_CORE_MEM_SIZE);
    return MSTX_SUCCESS;
}
