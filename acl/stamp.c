/* SPDX-License-Identifier: Apache-2.0 */
/* The pool is two words of bits, taken and given back with compare-and-swap: the threads that make marks and ranges
 * share nothing else. Each stamp has a lock of its own for the few instructions that read or change it; records are
 * made outside of it. Only Push and Pop share a mutex, because they share a stack. */
#include "acl/stamp.h"
#include "acl/bit_pool.h"

#include "acl/message.h"
#include "acl/mode.h"
#include "acl/recorder/recorder.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define WORD_BITS 64
#define WORDS ((ACL_STAMPS + WORD_BITS - 1) / WORD_BITS)

enum stamp_use { STAMP_FREE, STAMP_IDLE, STAMP_PUSHED, STAMP_RANGE };

struct stamp {
    atomic_flag locked;
    enum stamp_use use;
    uint32_t capture; /* in which one its range was begun */
    int64_t begin_ns;
    uint32_t category;
    int32_t payload_type;
    uint64_t payload;
    uint32_t length;
    char message[ACL_STAMP_MESSAGE_MAX + 1];
};

static struct stamp pool[ACL_STAMPS];
static _Atomic uint64_t taken[WORDS];

/* 0: stamps may not be used; else the number of the capture, so that a range does not end in another one. */
static _Atomic uint32_t capture_number;
static uint32_t captures;        /* with acl_stack_lock */
static atomic_bool asked_for;    /* the capture has ACL_PROF_MSPROFTX */
static atomic_bool of_board;     /* a capture runs that has no place for marks and ranges */
static atomic_bool switched_off; /* by the program: stamps work, and nothing of them is recorded */
static _Atomic uint64_t marks;

static struct { /* protected by acl_stack_lock, as depth is */
    uint32_t stamp;
    pthread_t thread;
} stack[ACL_STAMPS];
static unsigned depth;

void acl_stamps_enable(enum recorder_form form, bool asked)
{
    pthread_mutex_lock(&acl_stack_lock);
    atomic_store(&asked_for, asked);
    atomic_store(&of_board, form == RECORDER_JOB);
    if (form != RECORDER_JOB && atomic_load(&capture_number) == 0)
        atomic_store(&capture_number, ++captures == 0 ? ++captures : captures);
    pthread_mutex_unlock(&acl_stack_lock);
}

/* The guides' own examples leave the bit out: here it works, on a device it would not. */
static void tell_of_mask(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (atomic_load_explicit(&asked_for, memory_order_relaxed) || atomic_flag_test_and_set(&told))
        return;
    acl_tell(
        "marks and ranges are recorded although ACL_PROF_MSPROFTX (0x80) is not in the mask (\"msproftx\" is not on "
        "in acl.json): real devices need it.");
}

bool acl_stamps_take_marks(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    bool is_enabled = acl_stamps_enabled();
    if (is_enabled && atomic_load_explicit(&asked_for, memory_order_relaxed))
        return true;
    if ((is_enabled || atomic_load_explicit(&of_board, memory_order_relaxed)) && !atomic_flag_test_and_set(&told))
        acl_tell(is_enabled ? "mstx marks are not recorded: ACL_PROF_MSPROFTX (0x80) is not in the mask (\"msproftx\" "
                              "is not on in acl.json)."
                            : "mstx marks are not recorded: captures of boards cannot contain them.");
    return false;
}

static void lock(struct stamp *stamp)
{
    while (atomic_flag_test_and_set_explicit(&stamp->locked, memory_order_acquire))
        sched_yield();
}

static void unlock(struct stamp *stamp)
{
    atomic_flag_clear_explicit(&stamp->locked, memory_order_release);
}

void acl_stamps_disable(void)
{
    pthread_mutex_lock(&acl_stack_lock);
    atomic_store(&capture_number, 0);
    atomic_store(&of_board, false);
    depth = 0;
    pthread_mutex_unlock(&acl_stack_lock);
    for (size_t i = 0; i < ACL_STAMPS; i++) {
        lock(&pool[i]);
        if (pool[i].use != STAMP_FREE)
            pool[i].use = STAMP_IDLE;
        unlock(&pool[i]);
    }
}

bool acl_stamps_enabled(void)
{
    return atomic_load_explicit(&capture_number, memory_order_acquire) != 0;
}

aclError acl_stamps_check(const char *caller)
{
    if (acl_stamps_enabled())
        return ACL_SUCCESS;
    if (atomic_load(&of_board))
        return acl_fail(ACL_ERROR_PROF_NOT_RUN, "EK0005",
                        "%s is not possible in a capture of a board, which has no marks and ranges; use aclprofStart.",
                        caller);
    return acl_fail(
        ACL_ERROR_PROF_NOT_RUN, "EK0002",
        "Please call the APIs in the following order: call aclprofStart first, then %s. On a device the mask "
        "of aclprofCreateConfig must have ACL_PROF_MSPROFTX (0x80).",
        caller);
}

void acl_stamps_in_forked_child(void)
{
    for (size_t i = 0; i < ACL_STAMPS; i++)
        unlock(&pool[i]);
}

/* --- the pool --- */

/* Takes a free place of a word of the pool, or returns -1. */
static int take_bit(size_t word)
{
    uint64_t usable =
        ACL_STAMPS - word * WORD_BITS >= WORD_BITS ? UINT64_MAX : (UINT64_C(1) << (ACL_STAMPS - word * WORD_BITS)) - 1;
    return bit_pool_take(&taken[word], usable);
}

static void give_bit(size_t index)
{
    (void)atomic_fetch_and_explicit(&taken[index / WORD_BITS], ~(UINT64_C(1) << (index % WORD_BITS)),
                                    memory_order_release);
}

void *aclprofCreateStamp(void)
{
    if (acl_stamps_check("aclprofCreateStamp") != ACL_SUCCESS)
        return NULL;
    tell_of_mask();
    for (size_t word = 0; word < WORDS; word++) {
        int bit = take_bit(word);
        if (bit < 0)
            continue;
        struct stamp *stamp = &pool[word * WORD_BITS + (size_t)bit];
        lock(stamp);
        stamp->use = STAMP_IDLE;
        stamp->category = 0;
        stamp->payload_type = 0;
        stamp->payload = 0;
        stamp->length = 0;
        stamp->message[0] = '\0';
        unlock(stamp);
        return stamp;
    }
    recorder_lose_stamp();
    (void)acl_fail(ACL_ERROR_PROFILING_FAILURE, "EK9999",
                   "All %d stamps are in use: release some with aclprofDestroyStamp.", ACL_STAMPS);
    return NULL;
}

/* The stamp at an address that a program gave, locked; NULL, with the message set, when it is none. */
static struct stamp *locked_stamp(void *address)
{
    if (address == NULL) {
        (void)acl_fail_null("stamp");
        return NULL;
    }
    uintptr_t offset = (uintptr_t)address - (uintptr_t)pool;
    if (offset < sizeof pool && offset % sizeof *pool == 0) {
        struct stamp *stamp = &pool[offset / sizeof *pool];
        lock(stamp);
        if (stamp->use != STAMP_FREE)
            return stamp;
        unlock(stamp);
    }
    (void)acl_fail_value(ACL_ERROR_INVALID_PARAM, "stamp", "",
                         "it is not a stamp of aclprofCreateStamp, or was destroyed");
    return NULL;
}

/* The entry of the stack for a stamp goes, wherever it is. With acl_stack_lock held. */
static void forget_push(uint32_t index)
{
    for (unsigned i = 0; i < depth; i++) {
        if (stack[i].stamp != index)
            continue;
        memmove(&stack[i], &stack[i + 1], (depth - i - 1) * sizeof *stack);
        depth--;
        return;
    }
}

void aclprofDestroyStamp(void *address)
{
    struct stamp *stamp = locked_stamp(address);
    if (stamp == NULL)
        return;
    bool pushed = stamp->use == STAMP_PUSHED;
    stamp->use = STAMP_FREE;
    unlock(stamp);
    size_t index = (size_t)(stamp - pool);
    if (pushed) {
        pthread_mutex_lock(&acl_stack_lock);
        forget_push((uint32_t)index);
        pthread_mutex_unlock(&acl_stack_lock);
    }
    give_bit(index);
}

aclError aclprofSetStampTraceMessage(void *address, const char *msg, uint32_t msgLen)
{
    aclError code = acl_stamps_check("aclprofSetStampTraceMessage");
    if (code != ACL_SUCCESS)
        return code;
    if (msg == NULL)
        return acl_fail_null("msg");
    if (msgLen > ACL_STAMP_MESSAGE_MAX)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "msgLen", msgLen, "a message has at most 127 bytes");
    if (strnlen(msg, (size_t)msgLen + 1) != msgLen)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "msgLen", msgLen, "it is not the length of the message");
    struct stamp *stamp = locked_stamp(address);
    if (stamp == NULL)
        return ACL_ERROR_INVALID_PARAM;
    memcpy(stamp->message, msg, (size_t)msgLen + 1);
    stamp->length = msgLen;
    unlock(stamp);
    return ACL_SUCCESS;
}

aclError aclprofSetStampCategory(void *address, uint32_t category)
{
    aclError code = acl_stamps_check("aclprofSetStampCategory");
    if (code != ACL_SUCCESS)
        return code;
    struct stamp *stamp = locked_stamp(address);
    if (stamp == NULL)
        return ACL_ERROR_INVALID_PARAM;
    stamp->category = category;
    unlock(stamp);
    return ACL_SUCCESS;
}

aclError aclprofSetStampPayload(void *address, const int32_t type, void *value)
{
    static const size_t sizes[] = {8, 8, 8, 4, 4, 4};
    uint64_t payload = 0;
    aclError code = acl_stamps_check("aclprofSetStampPayload");
    if (code != ACL_SUCCESS)
        return code;
    if (value == NULL)
        return acl_fail_null("value");
    if (type < 0 || (size_t)type >= sizeof sizes / sizeof *sizes)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "type", (uint64_t)type, "there is no such type");
    memcpy(&payload, value, sizes[type]);
    struct stamp *stamp = locked_stamp(address);
    if (stamp == NULL)
        return ACL_ERROR_INVALID_PARAM;
    stamp->payload_type = type;
    stamp->payload = payload;
    unlock(stamp);
    return ACL_SUCCESS;
}

/* For calls of older versions, whose texts captures have no place for. */
static aclError take_in_vain(const char *caller, const char *parameter, const char *text)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    aclError code = acl_stamps_check(caller);
    if (code != ACL_SUCCESS)
        return code;
    if (text == NULL)
        return acl_fail_null(parameter);
    if (!atomic_flag_test_and_set(&told))
        acl_note("%s: captures cannot contain \"%s\"; it is not recorded", caller, parameter);
    return ACL_SUCCESS;
}

static aclError take_of_stamp(const char *caller, void *address, const char *parameter, const char *text,
                              uint32_t length)
{
    aclError code = take_in_vain(caller, parameter, text);
    if (code != ACL_SUCCESS)
        return code;
    if (strnlen(text, (size_t)length + 1) != length)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "len", length, "it is not the length of the text");
    struct stamp *stamp = locked_stamp(address);
    if (stamp == NULL)
        return ACL_ERROR_INVALID_PARAM;
    unlock(stamp);
    return ACL_SUCCESS;
}

aclError aclprofSetStampTagName(void *stamp, const char *tagName, uint16_t len)
{
    return take_of_stamp("aclprofSetStampTagName", stamp, "tagName", tagName, len);
}

aclError aclprofSetStampCallStack(void *stamp, const char *callStack, uint32_t len)
{
    return take_of_stamp("aclprofSetStampCallStack", stamp, "callStack", callStack, len);
}

aclError aclprofSetCategoryName(uint32_t category, const char *categoryName)
{
    (void)category;
    return take_in_vain("aclprofSetCategoryName", "categoryName", categoryName);
}

aclError aclprofMsproftxSwitch(bool isOpen)
{
    atomic_store(&switched_off, !isOpen);
    return ACL_SUCCESS;
}

aclError aclprofReportStamp(const char *tag, unsigned int tagLen, unsigned char *data, unsigned int dataLen)
{
    (void)tagLen;
    (void)dataLen;
    if (tag == NULL || data == NULL)
        return acl_fail_null(tag == NULL ? "tag" : "data");
    return acl_fail(ACL_ERROR_FEATURE_UNSUPPORTED, "EK0005",
                    "aclprofReportStamp is not supported: the layout of its records is the framework's own.");
}

/* --- events --- */

/* Copy of the part of a stamp that a record needs, so that it can be made after the stamp is let go. */
struct copied_stamp {
    int64_t begin_ns;
    uint32_t category;
    int32_t payload_type;
    uint64_t payload;
    uint32_t length;
    char message[ACL_STAMP_MESSAGE_MAX + 1];
};

static void copy_stamp(const struct stamp *stamp, struct copied_stamp *ret)
{
    ret->begin_ns = stamp->begin_ns;
    ret->category = stamp->category;
    ret->payload_type = stamp->payload_type;
    ret->payload = stamp->payload;
    ret->length = stamp->length;
    memcpy(ret->message, stamp->message, stamp->length);
}

static void record(enum recorder_tx_event event, const struct copied_stamp *copy, int64_t end_ns)
{
    const struct recorder_tx tx = {
        .event = event,
        .begin_ns = copy->begin_ns,
        .end_ns = end_ns,
        .category = copy->category,
        .payload_type = copy->payload_type,
        .payload = copy->payload,
        .message = copy->message,
        .message_length = copy->length,
    };
    if (!atomic_load_explicit(&switched_off, memory_order_relaxed))
        recorder_tx(&tx);
}

aclError aclprofMark(void *address)
{
    int64_t now = recorder_now();
    aclError code = acl_stamps_check("aclprofMark");
    if (code != ACL_SUCCESS)
        return code;
    struct stamp *stamp = locked_stamp(address);
    if (stamp == NULL)
        return ACL_ERROR_INVALID_PARAM;
    struct copied_stamp copy;
    copy_stamp(stamp, &copy);
    unlock(stamp);
    copy.begin_ns = now;
    record(RECORDER_TX_MARK, &copy, now);
    return ACL_SUCCESS;
}

aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream)
{
    int64_t now = recorder_now();
    aclError code = acl_stamps_check("aclprofMarkEx");
    if (code != ACL_SUCCESS)
        return code;
    if (msg == NULL)
        return acl_fail_null("msg");
    if (stream == NULL)
        return acl_fail_null("stream");
    if (msgLen < 1 || msgLen > ACL_STAMP_MESSAGE_MAX)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "msgLen", msgLen, "a message has 1 to 127 bytes");
    if (strnlen(msg, msgLen + 1) != msgLen)
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "msgLen", msgLen, "it is not the length of the message");
    tell_of_mask();
    const struct recorder_tx tx = {
        .event = RECORDER_TX_MARK_EX,
        .begin_ns = now,
        .end_ns = now,
        .mark_id = atomic_fetch_add_explicit(&marks, 1, memory_order_relaxed) + 1,
        .message = msg,
        .message_length = msgLen,
    };
    if (!atomic_load_explicit(&switched_off, memory_order_relaxed))
        recorder_tx(&tx);
    return ACL_SUCCESS;
}

/* Makes an idle stamp's range begin. With the stamp locked. */
static aclError begin_range(struct stamp *stamp, enum stamp_use use)
{
    if (stamp->use != STAMP_IDLE)
        return acl_fail_pointer(ACL_ERROR_INVALID_PARAM, "stamp", stamp, "a range of it is open: end that one first");
    uint32_t capture = atomic_load(&capture_number);
    if (capture == 0) /* ended since the caller looked */
        return acl_fail_order(ACL_ERROR_PROF_NOT_RUN, "aclprofStart", "the function that begins a range");
    stamp->use = use;
    stamp->capture = capture;
    stamp->begin_ns = recorder_now();
    return ACL_SUCCESS;
}

aclError aclprofPush(void *address)
{
    aclError code = acl_stamps_check("aclprofPush");
    if (code != ACL_SUCCESS)
        return code;
    pthread_mutex_lock(&acl_stack_lock);
    struct stamp *stamp = locked_stamp(address);
    if (stamp == NULL) {
        code = ACL_ERROR_INVALID_PARAM;
    } else {
        code = begin_range(stamp, STAMP_PUSHED);
        if (code == ACL_SUCCESS) {
            stack[depth].stamp = (uint32_t)(stamp - pool);
            stack[depth++].thread = pthread_self();
        }
        unlock(stamp);
    }
    pthread_mutex_unlock(&acl_stack_lock);
    return code;
}

/* Ends the range of a stamp that has this use; false: it does not. */
static bool end_range(struct stamp *stamp, enum stamp_use use, struct copied_stamp *ret)
{
    lock(stamp);
    bool found = stamp->use == use && (use != STAMP_RANGE || stamp->capture == atomic_load(&capture_number));
    if (found) {
        copy_stamp(stamp, ret);
        stamp->use = STAMP_IDLE;
    }
    unlock(stamp);
    return found;
}

/* The entry that a Pop of this thread ends: its own latest, or, when it has none, the latest of all. */
static unsigned entry_to_pop(void)
{
    for (unsigned i = depth; i > 0; i--) {
        if (pthread_equal(stack[i - 1].thread, pthread_self()))
            return i - 1;
    }
    return depth - 1;
}

aclError aclprofPop(void)
{
    int64_t now = recorder_now();
    aclError code = acl_stamps_check("aclprofPop");
    if (code != ACL_SUCCESS)
        return code;
    struct copied_stamp copy;
    bool found = false;
    pthread_mutex_lock(&acl_stack_lock);
    while (depth > 0 && !found) {
        struct stamp *stamp = &pool[stack[entry_to_pop()].stamp];
        forget_push((uint32_t)(stamp - pool));
        found = end_range(stamp, STAMP_PUSHED, &copy); /* else another thread is just destroying it */
    }
    pthread_mutex_unlock(&acl_stack_lock);
    if (!found)
        return acl_fail_order(ACL_ERROR_PROF_NOT_RUN, "aclprofPush", "aclprofPop");
    record(RECORDER_TX_PUSH_POP, &copy, now);
    return ACL_SUCCESS;
}

aclError aclprofRangeStart(void *address, uint32_t *rangeId)
{
    aclError code = acl_stamps_check("aclprofRangeStart");
    if (code != ACL_SUCCESS)
        return code;
    if (rangeId == NULL)
        return acl_fail_null("rangeId");
    struct stamp *stamp = locked_stamp(address);
    if (stamp == NULL)
        return ACL_ERROR_INVALID_PARAM;
    code = begin_range(stamp, STAMP_RANGE);
    unlock(stamp);
    if (code == ACL_SUCCESS)
        *rangeId = (uint32_t)(stamp - pool);
    return code;
}

aclError aclprofRangeStop(uint32_t rangeId)
{
    int64_t now = recorder_now();
    aclError code = acl_stamps_check("aclprofRangeStop");
    if (code != ACL_SUCCESS)
        return code;
    struct copied_stamp copy;
    if (rangeId >= ACL_STAMPS || !end_range(&pool[rangeId], STAMP_RANGE, &copy))
        return acl_fail_number(ACL_ERROR_INVALID_PARAM, "rangeId", rangeId, "no range with this number is open");
    record(RECORDER_TX_RANGE, &copy, now);
    return ACL_SUCCESS;
}
