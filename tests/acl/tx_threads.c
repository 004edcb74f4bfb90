/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads that make marks and ranges, nested and overlapping, and say what they did: tx_threads DIRECTORY THREADS
 * ROUNDS. A line for each event: thread, type, the earliest and the latest time at which it can have begun, the same
 * for its end, message. Times are of the clock of the records. */
#include "tests/acl/sample.h"

#include "acl/recorder/recorder.h"

#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#define EVENTS_PER_ROUND 5
#define MESSAGE_SIZE 64

struct event {
    int type;
    int64_t begin[2], end[2]; /* not before, not after */
    char message[MESSAGE_SIZE];
};

struct worker {
    pthread_t thread;
    int number, rounds;
    pid_t id;
    struct event *events; /* EVENTS_PER_ROUND a round */
};

static void *stamp_for(struct worker *worker, int round, int type, const char *what, struct event *event)
{
    event->type = type;
    (void)snprintf(event->message, sizeof event->message, "%s of \"%d\", round %d", what, worker->number, round);
    void *stamp = aclprofCreateStamp();
    if (stamp == NULL)
        sample_check(ACL_ERROR_FAILURE, "aclprofCreateStamp");
    CHECK(aclprofSetStampTraceMessage(stamp, event->message, (uint32_t)strlen(event->message)));
    return stamp;
}

/* Calls what reads the clock, between two looks at it. */
#define TIMED(between, call)                                                                                           \
    do {                                                                                                               \
        (between)[0] = recorder_now();                                                                                 \
        CHECK(call);                                                                                                   \
        (between)[1] = recorder_now();                                                                                 \
    } while (0)

static void do_round(struct worker *worker, int round, struct event *events)
{
    enum { MARK, PUSH_POP, RANGE, MARK_EX };
    struct event *outer = &events[0], *range = &events[1], *inner = &events[2], *mark = &events[3], *ex = &events[4];
    uint32_t id;
    void *outer_stamp = stamp_for(worker, round, PUSH_POP, "outer", outer);
    void *range_stamp = stamp_for(worker, round, RANGE, "range", range);
    void *inner_stamp = stamp_for(worker, round, PUSH_POP, "inner", inner);
    void *mark_stamp = stamp_for(worker, round, MARK, "mark", mark);
    TIMED(outer->begin, aclprofPush(outer_stamp));
    TIMED(range->begin, aclprofRangeStart(range_stamp, &id));
    TIMED(inner->begin, aclprofPush(inner_stamp));
    TIMED(mark->begin, aclprofMark(mark_stamp));
    memcpy(mark->end, mark->begin, sizeof mark->end);
    TIMED(inner->end, aclprofPop());
    TIMED(outer->end, aclprofPop());
    TIMED(range->end, aclprofRangeStop(id));
    ex->type = MARK_EX;
    (void)snprintf(ex->message, sizeof ex->message, "ex of %d, round %d", worker->number, round);
    TIMED(ex->begin, aclprofMarkEx(ex->message, strlen(ex->message), worker));
    memcpy(ex->end, ex->begin, sizeof ex->end);
    void *const stamps[] = {outer_stamp, range_stamp, inner_stamp, mark_stamp};
    for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++)
        aclprofDestroyStamp(stamps[i]);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    worker->id = gettid();
    for (int round = 0; round < worker->rounds; round++)
        do_round(worker, round, &worker->events[round * EVENTS_PER_ROUND]);
    return NULL;
}

static void print_events(const struct worker *worker)
{
    for (int i = 0; i < worker->rounds * EVENTS_PER_ROUND; i++) {
        const struct event *event = &worker->events[i];
        (void)printf("%d %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s\n", worker->id, event->type,
                     event->begin[0], event->begin[1], event->end[0], event->end[1], event->message);
    }
}

int main(int argc, char **argv)
{
    int threads = argc == 4 ? (int)strtol(argv[2], NULL, 10) : 0,
        rounds = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
    if (threads < 1 || rounds < 1)
        return 2;
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    if (workers == NULL)
        return 2;
    aclprofConfig *config = sample_start(argv[1], ACL_PROF_MSPROFTX);
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){.number = i, .rounds = rounds};
        workers[i].events = calloc((size_t)rounds * EVENTS_PER_ROUND, sizeof *workers[i].events);
        if (workers[i].events == NULL || pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            exit(2);
    }
    for (int i = 0; i < threads; i++)
        (void)pthread_join(workers[i].thread, NULL);
    sample_stop(config);
    for (int i = 0; i < threads; i++) {
        print_events(&workers[i]);
        free(workers[i].events);
    }
    free(workers);
    return 0;
}
