/* SPDX-License-Identifier: Apache-2.0 */
/* The ACL profiling API of libmsprof_acl: recording captures, msproftx ranges, operator subscription.
 *
 * Source compatible with programs written for CANN's acl/acl_prof.h: the same names, types, values and codes. It can be
 * included together with CANN's acl/acl.h. If CANN's acl_prof.h is included, too, the first of the two headers defines
 * the documented names.
 *
 * Conventions: an aclError is 0 on success; msprof_acl_message() returns the reason of the last failed call of this
 * thread. The length passed with a string must be its strlen; strings are copied. Outputs are unchanged on failure. All
 * functions may be called from any thread; start and stop act on the whole process. Manual: aclprofInit(3),
 * aclprofCreateStamp(3), aclprofModelSubscribe(3), msprof_acl_message(3). */
#ifndef MSPROF_ACL_PROF_H
#define MSPROF_ACL_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- types and codes of CANN's acl_base.h, which is used if installed --- */

#ifdef __has_include
#if __has_include("acl/acl_base.h")
#include "acl/acl_base.h"
#elif __has_include("acl_base.h")
#include "acl_base.h"
#endif
#endif

#ifndef INC_EXTERNAL_ACL_ACL_BASE_H_
typedef int aclError;
#ifndef MSPROF_HAS_STREAM /* mstx/ms_tools_ext.h has it too */
#define MSPROF_HAS_STREAM
typedef void *aclrtStream;
#endif

#define ACL_SUCCESS 0
#define ACL_ERROR_NONE 0
#define ACL_ERROR_INVALID_PARAM 100000            /* an argument is NULL, too long or invalid */
#define ACL_ERROR_UNINITIALIZE 100001             /* aclInit was not called */
#define ACL_ERROR_REPEAT_INITIALIZE 100002        /* already initialised */
#define ACL_ERROR_INVALID_FILE 100003             /* invalid path or file */
#define ACL_ERROR_INVALID_PROFILING_CONFIG 100010 /* conflicting configuration, or invalid value */
#define ACL_ERROR_INVALID_MODEL_ID 100011         /* unknown or not subscribed model */
#define ACL_ERROR_PROF_ALREADY_RUN 100042         /* profiling is already active */
#define ACL_ERROR_PROF_NOT_RUN 100043             /* aclprofInit was not called */
#define ACL_ERROR_PROF_REPEAT_SUBSCRIBE 148046    /* the model is already subscribed */
#define ACL_ERROR_PROF_API_CONFLICT 148047        /* files and subscription exclude each other */
#define ACL_ERROR_BAD_ALLOC 200000                /* out of memory */
#define ACL_ERROR_FEATURE_UNSUPPORTED 200006
#define ACL_ERROR_PROF_MODULES_UNSUPPORTED 200007 /* the mask has unknown bits */
#define ACL_ERROR_INTERNAL_ERROR 500000
#define ACL_ERROR_FAILURE 500001
#define ACL_ERROR_GE_FAILURE 500002
#define ACL_ERROR_PROFILING_FAILURE 500005 /* the capture was not written: see msprof_acl_message() */
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MSPROF_API __attribute__((visibility("default")))

#ifndef INC_EXTERNAL_ACL_PROF_H_
#define INC_EXTERNAL_ACL_PROF_H_ /* makes a later CANN acl_prof.h empty */

/* --- what to collect: bits of the last argument of aclprofCreateConfig --- */

#define ACL_PROF_ACL_API 0x0001ULL        /* calls of ACL functions */
#define ACL_PROF_TASK_TIME 0x0002ULL      /* times of device tasks; implies TASK_TIME_L0 and TRAINING_TRACE */
#define ACL_PROF_AICORE_METRICS 0x0004ULL /* the AI Core events that aclprofAicoreMetrics names */
#define ACL_PROF_AICPU 0x0008ULL
#define ACL_PROF_L2CACHE 0x0010ULL
#define ACL_PROF_HCCL_TRACE 0x0020ULL
#define ACL_PROF_TRAINING_TRACE 0x0040ULL
#define ACL_PROF_MSPROFTX 0x0080ULL /* stamps: marks and ranges of the program */
#define ACL_PROF_RUNTIME_API 0x0100ULL
#define ACL_PROF_GE_API_L0 0x0200ULL
#define ACL_PROF_TASK_TIME_L0 0x0800ULL
#define ACL_PROF_TASK_MEMORY 0x1000ULL
#define ACL_PROF_TASK_TIME_L2 0x2000ULL /* implies TASK_TIME and TASK_TIME_L0 */
#define ACL_PROF_OP_ATTR 0x4000ULL      /* implies TASK_TIME and TASK_TIME_L0 */
#define ACL_PROF_TASK_TIME_L3 0x8000ULL /* implies TASK_TIME, _L0 and _L2 */
#define ACL_PROF_GE_API_L1 0x01000000ULL
#define ACL_PROF_API_STATS 0x400000000ULL /* clears all other bits except ACL_API */
#define ACL_PROF_AICORE_SHAPE 0x800000000ULL

/* Usual size of a buffer for the name and the type of an operator, including the final NUL. Some are longer:
 * aclprofGetOpNameLen and aclprofGetOpTypeLen return the exact size. */
#define ACL_PROF_MAX_OP_NAME_LEN 257
#define ACL_PROF_MAX_OP_TYPE_LEN 65

typedef enum {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_L0B_AND_WIDTH = 3,
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    ACL_AICORE_MEMORY_UB = 5,
    ACL_AICORE_L2_CACHE = 6,
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
    ACL_AICORE_MEMORY_ACCESS = 8,
    ACL_AICORE_NONE = 0xFF
} aclprofAicoreMetrics;

typedef enum { ACL_STEP_START = 0, ACL_STEP_END = 1 } aclprofStepTag;

/* Subject of a subscribed record. */
typedef enum {
    ACL_SUBSCRIBE_OP = 0,
    ACL_SUBSCRIBE_SUBGRAPH = 1,
    ACL_SUBSCRIBE_OP_THREAD = 2, /* part of an operator run by one thread; has ACL_SUBSCRIBE_ATTRI_THREADID */
    ACL_SUBSCRIBE_NONE = 0xFF
} aclprofSubscribeOpFlag;

typedef enum { ACL_SUBSCRIBE_ATTRI_THREADID = 0, ACL_SUBSCRIBE_ATTRI_NONE } aclprofSubscribeOpAttri;

/* Settings of aclprofSetConfig; values are strings. Frequencies are integers in Hz. */
typedef enum {
    ACL_PROF_ARGS_MIN = 0,
    ACL_PROF_STORAGE_LIMIT = 1,            /* "<n>MB", 200 to 4294967295 */
    ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,    /* 1 to 100 (10000 on Ascend 950) */
    ACL_PROF_LLC_MODE = 4,                 /* "read" or "write" */
    ACL_PROF_SYS_IO_FREQ = 5,              /* 1 to 100 */
    ACL_PROF_SYS_INTERCONNECTION_FREQ = 6, /* 1 to 50 */
    ACL_PROF_DVPP_FREQ = 7,                /* 1 to 100 */
    ACL_PROF_HOST_SYS = 8,                 /* comma-separated list of cpu, mem, disk, network, osrt, numa */
    ACL_PROF_HOST_SYS_USAGE = 9,           /* list of cpu, mem */
    ACL_PROF_HOST_SYS_USAGE_FREQ = 10,     /* 1 to 50 */
    ACL_PROF_LOW_POWER_FREQ = 11,          /* 1 to 100 */
    ACL_PROF_SYS_MEM_SERVICEFLOW = 12,     /* comma-separated names */
    ACL_PROF_SYS_CPU_FREQ = 13,            /* 1 to 50 */
    ACL_PROF_OPTYPE = 14,                  /* comma-separated names */
    ACL_PROF_SCALE = 14,                   /* newer name of the same setting */
    ACL_PROF_NTS_METRICS = 15,             /* "PipeUtilization" */
    ACL_PROF_PATH = 16,                    /* directory for captures if aclprofInit set none */
    ACL_PROF_ARGS_MAX = 17
} aclprofConfigType;

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofStopConfig aclprofStopConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;
typedef struct aclprofStepInfo aclprofStepInfo;
typedef struct aclprofEventAttributes aclprofEventAttributes; /* defined below on request */

/* --- captures in files: aclprofInit(3) --- */

/* Sets the directory for captures; it is created if missing. length is strlen of the path, 1 to 4095.
 * ACL_ERROR_INVALID_PARAM; ACL_ERROR_INVALID_FILE (a forbidden character, cannot be created or written);
 * ACL_ERROR_REPEAT_INITIALIZE; ACL_ERROR_PROF_ALREADY_RUN (an acl.json, the preload library or msprof collects
 * already); ACL_ERROR_PROF_API_CONFLICT (a model is subscribed). */
MSPROF_API aclError aclprofInit(const char *profilerResultPath, size_t length);

/* Undoes aclprofInit; stops a running capture first. ACL_ERROR_PROF_NOT_RUN without aclprofInit;
 * ACL_ERROR_PROF_API_CONFLICT while a model is subscribed; ACL_ERROR_PROFILING_FAILURE if the capture is incomplete. */
MSPROF_API aclError aclprofFinalize(void);

/* Creates the configuration of a collection. deviceIdList is copied. Returns NULL if list and number disagree,
 * deviceNums exceeds 64 or the number of devices, an id does not exist or is repeated, the list is empty without
 * ACL_PROF_MSPROFTX, aicoreEvents is not NULL, or memory ran out. The caller destroys it. */
MSPROF_API aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
                                              aclprofAicoreMetrics aicoreMetrics,
                                              const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig);

/* Destroys a configuration, at any time: a capture that was started with it has a copy. ACL_ERROR_INVALID_PARAM for
 * NULL. */
MSPROF_API aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/* Sets an option of captures that are started later. configLength is strlen of config, at most 256.
 * ACL_ERROR_INVALID_PARAM (unknown type, NULL, length); ACL_ERROR_INVALID_PROFILING_CONFIG (value). */
MSPROF_API aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength);

/* Starts a capture: a new directory PROF_... in that of aclprofInit. ACL_ERROR_PROF_NOT_RUN without aclprofInit;
 * ACL_ERROR_INVALID_PARAM (NULL, empty mask); ACL_ERROR_PROF_MODULES_UNSUPPORTED (unknown bits);
 * ACL_ERROR_PROF_ALREADY_RUN (one of its devices is started); ACL_ERROR_INVALID_PROFILING_CONFIG (settings differ
 * from the active ones); ACL_ERROR_PROFILING_FAILURE (the directory cannot be created). */
MSPROF_API aclError aclprofStart(const aclprofConfig *profilerConfig);

/* Makes the checks of aclprofStart without starting: there is no device to prepare. Same codes as aclprofStart. */
MSPROF_API aclError aclprofWarmup(const aclprofConfig *profilerConfig);

/* Lists optional features: none, because all of them need devices. Sets *featuresSize to 0; *featuresData must be NULL
 * and is unchanged. ACL_ERROR_INVALID_PARAM. */
MSPROF_API aclError aclprofGetSupportedFeatures(size_t *featuresSize, void **featuresData);
MSPROF_API aclError aclprofGetSupportedFeaturesV2(size_t *featuresSize, void **featuresData);

/* Includes devices that the program sets later. No effect here: captures cover the process with all of its devices. */
MSPROF_API aclError aclprofRegisterDeviceCallback(void);

/* Stops what aclprofStart started with an equal configuration; the capture is complete when everything is stopped.
 * ACL_ERROR_INVALID_PARAM (NULL); ACL_ERROR_PROF_NOT_RUN (nothing is started); ACL_ERROR_INVALID_PROFILING_CONFIG (not
 * the one of aclprofStart); ACL_ERROR_PROFILING_FAILURE (the capture is incomplete). */
MSPROF_API aclError aclprofStop(const aclprofConfig *profilerConfig);

/* --- msproftx: marks and ranges of the program: aclprofCreateStamp(3) --- */

/* Returns a stamp of the pool of 100; NULL if all are in use or no capture runs. On a device, the capture needs
 * ACL_PROF_MSPROFTX; here stamps work without it, and one line on standard error reports it. */
MSPROF_API void *aclprofCreateStamp(void);

/* Returns the stamp to the pool; its events are recorded. No effect for NULL and for invalid stamps. */
MSPROF_API void aclprofDestroyStamp(void *stamp);

/* Sets the text of the stamp's next events: at most 127 bytes, msgLen is strlen. On failure (non-zero) the old text
 * stays. */
MSPROF_API aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);

/* Set category and value of the stamp's next events. type: 0 uint64_t, 1 int64_t, 2 double, 3 uint32_t, 4
 * int32_t, 5 float; value points to such a value. ACL_ERROR_INVALID_PARAM; ACL_ERROR_PROF_NOT_RUN. */
MSPROF_API aclError aclprofSetStampCategory(void *stamp, uint32_t category);
MSPROF_API aclError aclprofSetStampPayload(void *stamp, const int32_t type, void *value);

/* Older calls whose texts current captures cannot store: the arguments are checked, the texts are not recorded, and
 * with MSPROF_ACL_LOG one line on standard error reports it. */
MSPROF_API aclError aclprofSetStampTagName(void *stamp, const char *tagName, uint16_t len);
MSPROF_API aclError aclprofSetStampCallStack(void *stamp, const char *callStack, uint32_t len);
MSPROF_API aclError aclprofSetCategoryName(uint32_t category, const char *categoryName);

/* Switches the recording of stamps on or off; initially on. */
MSPROF_API aclError aclprofMsproftxSwitch(bool isOpen);

/* Reports a record in a private layout of the framework: always ACL_ERROR_FEATURE_UNSUPPORTED, or
 * ACL_ERROR_INVALID_PARAM for NULL. */
MSPROF_API aclError aclprofReportStamp(const char *tag, unsigned int tagLen, unsigned char *data, unsigned int dataLen);

/* Records an event without duration. */
MSPROF_API aclError aclprofMark(void *stamp);

/* Records an event without duration that the device's stream records, too: msg of 1 to 127 bytes, msgLen is strlen,
 * stream is not NULL. Needs no stamp. */
MSPROF_API aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

/* Push starts a range; Pop ends the last pushed range, of any thread. */
MSPROF_API aclError aclprofPush(void *stamp);
MSPROF_API aclError aclprofPop(void);

/* RangeStart starts a range and returns its number (0 to 99); RangeStop ends it, from any thread and in any
 * order. A stamp has one range at a time. */
MSPROF_API aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);
MSPROF_API aclError aclprofRangeStop(uint32_t rangeId);

/* Returns the 64-bit id of a text in records, and keeps the text for the capture. UINT64_MAX for NULL and "". */
MSPROF_API uint64_t aclprofStr2Id(const char *message);

/* A range with the shapes of an operator's tensors: attr, and everything it points to, must stay valid until
 * aclprofRangePop of the same thread, which records it. A second push replaces the first one. */
MSPROF_API aclError aclprofRangePushEx(aclprofEventAttributes *attr);
MSPROF_API aclError aclprofRangePop(void);

/* Steps: start and end of an iteration on the stream. Call GetStepTimestamp with ACL_STEP_START,
 * later with ACL_STEP_END, once each. ACL_ERROR_INVALID_PARAM for NULL, an unknown tag or the wrong order. */
MSPROF_API aclprofStepInfo *aclprofCreateStepInfo(void);
MSPROF_API aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream);
MSPROF_API void aclprofDestroyStepInfo(aclprofStepInfo *stepInfo);

/* --- subscription: records of operators through a pipe: aclprofModelSubscribe(3) --- */

/* timeInfoSwitch: 1 with operator times, 0 without (then aicoreMetrics must not be ACL_AICORE_NONE). fd points to an
 * int, the write end of a pipe; the library closes it when the last model that uses it is unsubscribed. Returns NULL if
 * a value is invalid or memory ran out. The caller destroys it. */
MSPROF_API aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
                                                                aclprofAicoreMetrics aicoreMetrics, void *fd);
/* ACL_ERROR_INVALID_PARAM for NULL. */
MSPROF_API aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);

/* Starts writing records of the model's operators to the pipe. ACL_ERROR_INVALID_PARAM;
 * ACL_ERROR_INVALID_MODEL_ID (unknown); ACL_ERROR_PROF_REPEAT_SUBSCRIBE; ACL_ERROR_INVALID_PROFILING_CONFIG (not
 * the configuration of the other models of the device); ACL_ERROR_PROF_API_CONFLICT (between aclprofInit and
 * aclprofFinalize). */
MSPROF_API aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);
/* ACL_ERROR_INVALID_MODEL_ID if the model is not subscribed. */
MSPROF_API aclError aclprofModelUnSubscribe(uint32_t modelId);

/* Bytes of one record in the pipe. ACL_ERROR_INVALID_PARAM for NULL. */
MSPROF_API aclError aclprofGetOpDescSize(size_t *opDescSize);

/* The following functions read data from the pipe: opInfo of opInfoLen bytes, a multiple of the record size, and
 * index from 0. Those with an aclError return ACL_ERROR_INVALID_PARAM for NULL, a wrong length, an index beyond
 * the end, or a record with a wrong signature. */

/* Number of records. */
MSPROF_API aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber);
/* Bytes of the operator's type and name, including the final NUL. */
MSPROF_API aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen);
MSPROF_API aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen);
/* Copy the operator's type and name into a buffer of the caller, with a final NUL, truncated at a character if it is
 * too small. ACL_ERROR_INVALID_PARAM also for a buffer of 0 bytes, or if the name is unknown. */
MSPROF_API aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType,
                                     size_t opTypeLen);
MSPROF_API aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName,
                                     size_t opNameLen);
/* Times in nanoseconds; 0 on failure. */
MSPROF_API uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index);
MSPROF_API uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index);
MSPROF_API uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index);
/* 0 on failure. */
MSPROF_API size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index);
MSPROF_API size_t aclprofGetGraphId(const void *opInfo, size_t opInfoLen, uint32_t index); /* the same, for graphs */
/* ACL_SUBSCRIBE_NONE on failure. */
MSPROF_API aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index);
/* Returns the value of an attribute as text, valid until the next call of this thread; NULL if the record has none, and
 * on failure. */
MSPROF_API const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen, uint32_t index,
                                              aclprofSubscribeOpAttri attri);

#endif /* INC_EXTERNAL_ACL_PROF_H_ */

/* --- extensions of this library --- */

/* Returns the reason of the last failed call of this thread in one line ("EK0001: Value ... is invalid. Reason: ...");
 * "" if none failed. Valid until the next failing call of the thread. With MSPROF_ACL_LOG=1 in the environment every
 * such line is also written to standard error. */
MSPROF_API const char *msprof_acl_message(void);

/* Reads an acl.json and, if its "profiler" object has "switch": "on", starts a capture, as aclInit(path) does with the
 * preload library; msprof_acl_json_stop or the end of the process stops it. ACL_ERROR_INVALID_FILE
 * (unreadable, over 1 MiB, not JSON), ACL_ERROR_INVALID_PROFILING_CONFIG (invalid value; an unknown key is reported and
 * ignored), ACL_ERROR_PROF_ALREADY_RUN (a capture of any kind runs), ACL_ERROR_PROF_API_CONFLICT (a model is
 * subscribed), ACL_ERROR_PROFILING_FAILURE. A file without "profiler", or switched off, is success without a capture.
 */
MSPROF_API aclError msprof_acl_json_start(const char *path);
/* Stops that capture; success if there is none. */
MSPROF_API aclError msprof_acl_json_stop(void);

/* For interpreters: sets the absolute path of the program, instead of the executable. An acl.json without a usable
 * "output" writes its captures beside it. NULL: the executable again. */
MSPROF_API void msprof_acl_set_program(const char *path);

/* Copies the directory of the current or last capture into a buffer of the caller, truncated and with a final NUL.
 * Returns its full length, 0 if there was no capture yet. */
MSPROF_API size_t msprof_acl_capture_path(char *path, size_t size);

/* Writes everything recorded so far and a provisional end of the capture; recording continues. For programs that end by
 * _exit() or exec without aclprofStop, where this library cannot run. Success if nothing is recorded;
 * ACL_ERROR_PROFILING_FAILURE if another thread held the files for more than two seconds. */
MSPROF_API aclError msprof_acl_flush(void);

/* Waits at most timeoutMs milliseconds (-1: no limit) for the end of a replay (MSPROF_REPLAY). Returns 1 if it still
 * has operators of a subscribed model to send, 0 if not or without a replay. */
MSPROF_API int msprof_acl_replay_runs(uint32_t modelId, int timeoutMs);

/* Returns the current time of records: nanoseconds of CLOCK_MONOTONIC_RAW. */
MSPROF_API uint64_t msprof_acl_now(void);

/* --- convenience functions based on those above; no effect without a capture --- */

/* An open range; all members are 0 if there is none. */
struct msprof_range {
    void *stamp;
    uint32_t id;
};

/* Returns a stamp with the text, truncated to 127 bytes between UTF-8 characters; NULL if none is available. */
static inline void *msprof_stamp(const char *text)
{
    void *stamp = aclprofCreateStamp();
    if (stamp == NULL || text == NULL)
        return stamp;
    char copy[128];
    size_t length = strlen(text);
    if (length > 127) {
        for (length = 127; length > 0 && (text[length] & 0xc0) == 0x80; length--)
            continue;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    (void)aclprofSetStampTraceMessage(stamp, copy, (uint32_t)length);
    return stamp;
}

static inline void msprof_mark(const char *text)
{
    void *stamp = msprof_stamp(text);
    if (stamp == NULL)
        return;
    (void)aclprofMark(stamp);
    aclprofDestroyStamp(stamp);
}

static inline struct msprof_range msprof_range_start(const char *text)
{
    struct msprof_range range;
    range.id = 0;
    range.stamp = msprof_stamp(text);
    if (range.stamp != NULL && aclprofRangeStart(range.stamp, &range.id) != 0) {
        aclprofDestroyStamp(range.stamp);
        range.stamp = NULL;
    }
    return range;
}

static inline void msprof_range_end(struct msprof_range *range)
{
    if (range->stamp == NULL)
        return;
    (void)aclprofRangeStop(range->id);
    aclprofDestroyStamp(range->stamp);
    range->stamp = NULL;
}

#define MSPROF_JOIN_AGAIN(a, b) a##b
#define MSPROF_JOIN(a, b) MSPROF_JOIN_AGAIN(a, b)

/* A mark. */
#define MSPROF_MARK(text) msprof_mark(text)
/* A range from here to the end of the block, however it is left; nests, separately in each thread. */
#define MSPROF_SCOPE(text)                                                                                             \
    __attribute__((cleanup(msprof_range_end), unused)) struct msprof_range MSPROF_JOIN(msprof_scope_, __LINE__) =      \
        msprof_range_start(text)
/* A range with a variable of its own: MSPROF_RANGE_START(load, "load model"); ... MSPROF_RANGE_END(load); */
#define MSPROF_RANGE_START(name, text) struct msprof_range name = msprof_range_start(text)
#define MSPROF_RANGE_END(name) msprof_range_end(&(name))

#ifdef __cplusplus
}
#endif

#endif

/* --- tensors for aclprofRangePushEx. CANN's header does not define them, and many programs do:
 * define MSPROF_ACL_TENSOR_INFO before including this header (a second time if needed) to get these definitions --- */

#if defined(MSPROF_ACL_TENSOR_INFO) && !defined(ACL_PROF_TENSOR_INFO_DEFINED)
#define ACL_PROF_TENSOR_INFO_DEFINED

typedef struct aclprofTensor {
    uint32_t type;     /* 0 input, 1 output */
    uint32_t format;   /* aclFormat */
    uint32_t dataType; /* aclDataType */
    uint32_t shapeDim; /* number of valid entries in shape, at most 8 */
    uint32_t shape[8];
} aclprofTensor;

typedef struct aclprofTensorInfo {
    uint64_t opNameId; /* both from aclprofStr2Id */
    uint64_t opTypeId;
    uint32_t resv;
    uint32_t tensorNum; /* at most 5 */
    uint32_t kernelType;
    uint32_t blockNums;
    void *stream;
    aclprofTensor *tensors;
} aclprofTensorInfo;

struct aclprofEventAttributes {
    uint16_t version;
    uint16_t size;        /* bytes of message */
    uint32_t messageType; /* 0: tensorInfo; there are no others */
    union {
        aclprofTensorInfo *tensorInfo;
    } message;
};
#endif
