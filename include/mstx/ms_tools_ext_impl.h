/* SPDX-License-Identifier: Apache-2.0 */
/* mstx: the functions of mstx/ms_tools_ext.h, which includes this. Names that begin with mstxImpl are its own. */
#ifndef MSTX_TOOLS_EXT_IMPL
#define MSTX_TOOLS_EXT_IMPL

#include "ms_tools_ext.h"

#ifndef MSTX_DISABLE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef MSTX_DISABLE
#define MSTX_IMPL_FIND(type, function, table, index) type function = (type)0
#else

/* The tool's functions, by module; NULL: the tool has none, or there is no tool. */
static mstxFuncPointer mstxImplCore[MSTX_API_CORE_SIZE] MSTX_UNUSED;
static mstxFuncPointer mstxImplDomain[MSTX_API_CORE2_SIZE] MSTX_UNUSED;
static mstxFuncPointer mstxImplMem[MSTX_API_CORE_MEM_SIZE] MSTX_UNUSED;

static int mstxImplState MSTX_UNUSED; /* 0: no tool has been looked for, 1: one is, 2: it is known */
static pthread_t mstxImplSeeker MSTX_UNUSED;

static inline MSTX_UNUSED int mstxImplGetTable(mstxFuncModule module, mstxFuncTable *outTable, unsigned int *outSize)
{
    static mstxFuncPointer *core[] = {0, &mstxImplCore[1], &mstxImplCore[2], &mstxImplCore[3], &mstxImplCore[4], 0};
    static mstxFuncPointer *domain[] = {
        0, &mstxImplDomain[1], &mstxImplDomain[2], &mstxImplDomain[3], &mstxImplDomain[4], &mstxImplDomain[5], 0};
    static mstxFuncPointer *mem[] = {0, &mstxImplMem[1], &mstxImplMem[2], &mstxImplMem[3], &mstxImplMem[4], 0};
    if (outTable == NULL || outSize == NULL)
        return MSTX_FAIL;
    switch (module) {
    case MSTX_API_MODULE_CORE:
        *outTable = core;
        *outSize = MSTX_API_CORE_SIZE;
        return MSTX_SUCCESS;
    case MSTX_API_MODULE_CORE_DOMAIN:
        *outTable = domain;
        *outSize = MSTX_API_CORE2_SIZE;
        return MSTX_SUCCESS;
    case MSTX_API_MODULE_CORE_MEM:
        *outTable = mem;
        *outSize = MSTX_API_CORE_MEM_SIZE;
        return MSTX_SUCCESS;
    default:
        return MSTX_FAIL;
    }
}

static inline MSTX_UNUSED void mstxImplSeek(void)
{
    const char *path = getenv("MSTX_INJECTION_PATH");
    void *library = path != NULL ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    mstxInitInjectionFunc init = NULL;
    unsigned int i;
    if (path == NULL || library != NULL)
        *(void **)(void *)&init = dlsym(library, "InitInjectionMstx"); /* of NULL: of any library */
    if (init != NULL && init(mstxImplGetTable) == MSTX_SUCCESS)
        return;
    for (i = 0; i < MSTX_API_CORE_SIZE; i++)
        mstxImplCore[i] = NULL;
    for (i = 0; i < MSTX_API_CORE2_SIZE; i++)
        mstxImplDomain[i] = NULL;
    for (i = 0; i < MSTX_API_CORE_MEM_SIZE; i++)
        mstxImplMem[i] = NULL;
}

/* Looks for the tool, or waits for the thread that does; what a tool calls meanwhile does nothing. */
static inline MSTX_UNUSED void mstxImplInit(void)
{
    int none = 0;
    if (__atomic_compare_exchange_n(&mstxImplState, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&mstxImplSeeker, pthread_self(), __ATOMIC_RELEASE);
        mstxImplSeek();
        __atomic_store_n(&mstxImplState, 2, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&mstxImplState, __ATOMIC_ACQUIRE) != 2 &&
           !pthread_equal(__atomic_load_n(&mstxImplSeeker, __ATOMIC_ACQUIRE), pthread_self()))
        sched_yield();
}

static inline MSTX_UNUSED mstxFuncPointer mstxImplFunction(mstxFuncPointer *place)
{
    if (__atomic_load_n(&mstxImplState, __ATOMIC_ACQUIRE) != 2)
        mstxImplInit();
    /* cppcheck-suppress CastIntegerToAddressAtReturn */
    return *place;
}

#define MSTX_IMPL_FIND(type, function, table, index) type function = (type)mstxImplFunction(&table[index])
#endif

MSTX_DECLSPEC void mstxMarkA(const char *message, aclrtStream stream)
{
    MSTX_IMPL_FIND(mstxMarkAFunc, function, mstxImplCore, MSTX_API_CORE_MARK_A);
    if (function != NULL)
        function(message, stream);
}

MSTX_DECLSPEC mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream)
{
    MSTX_IMPL_FIND(mstxRangeStartAFunc, function, mstxImplCore, MSTX_API_CORE_RANGE_START_A);
    return function != NULL ? function(message, stream) : (mstxRangeId)MSTX_INVALID_ID;
}

MSTX_DECLSPEC void mstxRangeEnd(mstxRangeId id)
{
    MSTX_IMPL_FIND(mstxRangeEndFunc, function, mstxImplCore, MSTX_API_CORE_RANGE_END);
    if (function != NULL)
        function(id);
}

MSTX_DECLSPEC void mstxGetToolId(uint64_t *id)
{
    MSTX_IMPL_FIND(mstxGetToolIdFunc, function, mstxImplCore, MSTX_API_CORE_GET_TOOL_ID);
    if (id == NULL)
        return;
    *id = MSTX_TOOL_INVALID_ID;
    if (function != NULL)
        function(id);
}

MSTX_DECLSPEC mstxDomainHandle_t mstxDomainCreateA(const char *name)
{
    MSTX_IMPL_FIND(mstxDomainCreateAFunc, function, mstxImplDomain, MSTX_API_CORE2_DOMAIN_CREATE_A);
    return function != NULL ? function(name) : NULL;
}

MSTX_DECLSPEC void mstxDomainDestroy(mstxDomainHandle_t domain)
{
    MSTX_IMPL_FIND(mstxDomainDestroyFunc, function, mstxImplDomain, MSTX_API_CORE2_DOMAIN_DESTROY);
    if (function != NULL)
        function(domain);
}

MSTX_DECLSPEC void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    MSTX_IMPL_FIND(mstxDomainMarkAFunc, function, mstxImplDomain, MSTX_API_CORE2_DOMAIN_MARK_A);
    if (function != NULL)
        function(domain, message, stream);
}

MSTX_DECLSPEC mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
    MSTX_IMPL_FIND(mstxDomainRangeStartAFunc, function, mstxImplDomain, MSTX_API_CORE2_DOMAIN_RANGE_START_A);
    return function != NULL ? function(domain, message, stream) : (mstxRangeId)MSTX_INVALID_ID;
}

MSTX_DECLSPEC void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id)
{
    MSTX_IMPL_FIND(mstxDomainRangeEndFunc, function, mstxImplDomain, MSTX_API_CORE2_DOMAIN_RANGE_END);
    if (function != NULL)
        function(domain, id);
}

MSTX_DECLSPEC mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc)
{
    MSTX_IMPL_FIND(mstxMemHeapRegisterFunc, function, mstxImplMem, MSTX_API_CORE_MEMHEAP_REGISTER);
    return function != NULL ? function(domain, desc) : NULL;
}

MSTX_DECLSPEC void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
    MSTX_IMPL_FIND(mstxMemHeapUnregisterFunc, function, mstxImplMem, MSTX_API_CORE_MEMHEAP_UNREGISTER);
    if (function != NULL)
        function(domain, heap);
}

MSTX_DECLSPEC void mstxMemRegionsRegister(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc)
{
    MSTX_IMPL_FIND(mstxMemRegionsRegisterFunc, function, mstxImplMem, MSTX_API_CORE_MEM_REGIONS_REGISTER);
    if (function != NULL)
        function(domain, desc);
}

MSTX_DECLSPEC void mstxMemRegionsUnregister(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc)
{
    MSTX_IMPL_FIND(mstxMemRegionsUnregisterFunc, function, mstxImplMem, MSTX_API_CORE_MEM_REGIONS_UNREGISTER);
    if (function != NULL)
        function(domain, desc);
}

#undef MSTX_IMPL_FIND

#ifdef __cplusplus
}
#endif

#endif
