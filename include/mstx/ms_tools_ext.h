/* SPDX-License-Identifier: Apache-2.0 */
/* mstx: annotations of a program for tools: marks, ranges, domains, memory; see mstx(3).
 *
 *     mstxRangeId step = mstxRangeStartA("step", NULL);
 *     work();
 *     mstxRangeEnd(step);
 *
 * Header only, for C99 and C++11 with gcc or clang; older C libraries need -ldl. Without a tool the functions do
 * nothing. Each file that includes the header looks for the tool once, at its first call: InitInjectionMstx of the
 * library in MSTX_INJECTION_PATH, else of any loaded library. The tool fills the tables of functions below.
 *
 * Before including it, a program may define MSTX_DISABLE to turn off all functions; tools define MSTX_NO_IMPL to
 * declare the functions without defining them.
 */
#ifndef MSTX_TOOLS_EXT
#define MSTX_TOOLS_EXT

#include <stddef.h>
#include <stdint.h>

#define MSTX_EXTENSION __extension__
#define MSTX_UNUSED __attribute__((unused))

#ifndef MSTX_DECLSPEC
#ifdef MSTX_NO_IMPL
#define MSTX_DECLSPEC
#else
#define MSTX_DECLSPEC static inline MSTX_UNUSED
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MSTX_SUCCESS 0
#define MSTX_FAIL 1

#define MSTX_INVALID_ID 0 /* id of no range */

/* Results of mstxGetToolId. */
#define MSTX_TOOL_INVALID_ID 0x0 /* no tool */
#define MSTX_TOOL_MSPROF_ID 0x1000
#define MSTX_TOOL_MSOPPROF_ID 0x1001
#define MSTX_TOOL_MSSANITIZER_ID 0x1002
#define MSTX_TOOL_MSLEAKS_ID 0x1003

#ifndef MSPROF_HAS_STREAM
#define MSPROF_HAS_STREAM
typedef void *aclrtStream;
#endif

typedef uint64_t mstxRangeId;

typedef struct mstxDomainRegistration_st mstxDomainRegistration_t;
typedef mstxDomainRegistration_t *mstxDomainHandle_t;

/* Marks an instant. message: not NULL, at most 155 bytes for tools of CANN. stream: a stream of the device that records
 * the mark, too, or NULL. */
MSTX_DECLSPEC void mstxMarkA(const char *message, aclrtStream stream);

/* Starts a range, which may end in any order and thread. Returns the id for mstxRangeEnd; 0 if the range is not
 * recorded. */
MSTX_DECLSPEC mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream);
MSTX_DECLSPEC void mstxRangeEnd(mstxRangeId id);

/* Creates a domain: marks and ranges of a part of the program, which a tool can select by name. NULL without a tool or
 * for an invalid name. Marks without a domain belong to the domain default. */
MSTX_DECLSPEC mstxDomainHandle_t mstxDomainCreateA(const char *name);
MSTX_DECLSPEC void mstxDomainDestroy(mstxDomainHandle_t domain);
MSTX_DECLSPEC void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
MSTX_DECLSPEC mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
MSTX_DECLSPEC void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id);

/* Returns the active tool: one of MSTX_TOOL_... */
MSTX_DECLSPEC void mstxGetToolId(uint64_t *id);

#ifdef __cplusplus
}
#endif

#include "ms_tools_ext_mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- interface between program and tool ---- */

typedef void (*mstxMarkAFunc)(const char *message, aclrtStream stream);
typedef mstxRangeId (*mstxRangeStartAFunc)(const char *message, aclrtStream stream);
typedef void (*mstxRangeEndFunc)(mstxRangeId id);
typedef void (*mstxGetToolIdFunc)(uint64_t *id);
typedef mstxDomainHandle_t (*mstxDomainCreateAFunc)(const char *name);
typedef void (*mstxDomainDestroyFunc)(mstxDomainHandle_t domain);
typedef void (*mstxDomainMarkAFunc)(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
typedef mstxRangeId (*mstxDomainRangeStartAFunc)(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
typedef void (*mstxDomainRangeEndFunc)(mstxDomainHandle_t domain, mstxRangeId id);
typedef mstxMemHeapHandle_t (*mstxMemHeapRegisterFunc)(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc);
typedef void (*mstxMemHeapUnregisterFunc)(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap);
typedef void (*mstxMemRegionsRegisterFunc)(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc);
typedef void (*mstxMemRegionsUnregisterFunc)(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc);

/* Each module has a table, an entry of which is the address of a pointer to a function; entry 0 is not used. */
typedef enum mstxFuncModule {
    MSTX_API_MODULE_INVALID = 0,
    MSTX_API_MODULE_CORE = 1,
    MSTX_API_MODULE_CORE_DOMAIN = 2,
    MSTX_API_MODULE_CORE_MEM = 3,
    MSTX_API_MODULE_SIZE,
    MSTX_API_MODULE_FORCE_INT = 0x7fffffff
} mstxFuncModule;

typedef enum mstxImplCoreFuncId {
    MSTX_API_CORE_INVALID = 0,
    MSTX_API_CORE_MARK_A = 1,
    MSTX_API_CORE_RANGE_START_A = 2,
    MSTX_API_CORE_RANGE_END = 3,
    MSTX_API_CORE_GET_TOOL_ID = 4,
    MSTX_API_CORE_SIZE,
    MSTX_API_CORE_FORCE_INT = 0x7fffffff
} mstxImplCoreFuncId;

typedef enum mstxImplCoreDomainFuncId {
    MSTX_API_CORE2_INVALID = 0,
    MSTX_API_CORE2_DOMAIN_CREATE_A = 1,
    MSTX_API_CORE2_DOMAIN_DESTROY = 2,
    MSTX_API_CORE2_DOMAIN_MARK_A = 3,
    MSTX_API_CORE2_DOMAIN_RANGE_START_A = 4,
    MSTX_API_CORE2_DOMAIN_RANGE_END = 5,
    MSTX_API_CORE2_SIZE,
    MSTX_API_CORE2_FORCE_INT = 0x7fffffff
} mstxImplCoreDomainFuncId;

typedef enum mstxImplCoreMemFuncId {
    MSTX_API_CORE_MEM_INVALID = 0,
    MSTX_API_CORE_MEMHEAP_REGISTER = 1,
    MSTX_API_CORE_MEMHEAP_UNREGISTER = 2,
    MSTX_API_CORE_MEM_REGIONS_REGISTER = 3,
    MSTX_API_CORE_MEM_REGIONS_UNREGISTER = 4,
    MSTX_API_CORE_MEM_SIZE,
    MSTX_API_CORE_MEM_FORCE_INT = 0x7fffffff
} mstxImplCoreMemFuncId;

typedef void (*mstxFuncPointer)(void);
typedef mstxFuncPointer **mstxFuncTable;

/* Returns the program's table of a module and its size, one more than the last entry; MSTX_FAIL if it has none. */
typedef int (*mstxGetModuleFuncTableFunc)(mstxFuncModule module, mstxFuncTable *outTable, unsigned int *outSize);

/* The tool's InitInjectionMstx; unless it returns MSTX_SUCCESS, the program continues without a tool. */
typedef int (*mstxInitInjectionFunc)(mstxGetModuleFuncTableFunc getFuncTable);

#ifdef __cplusplus
}
#endif

#ifndef MSTX_NO_IMPL
#include "ms_tools_ext_impl.h"
#endif

#endif
