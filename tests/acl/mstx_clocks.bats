#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ranges of mstx lie where the program's own clock saw them begin and end.

# shellcheck disable=SC2154 # common.bash and preload.bash set status, output, stderr and the programs
bats_require_minimum_version 1.5.0
load ../cli/common
load preload

setup() {
    enter_preload_scratch
    needs python3
    unset MSPROF_OUTPUT
}

# Holds the table of marks against what the program printed, a line each: name, domain, thread, and its clock before and
# after the beginning, before and after the end (of a mark: before and after it, twice). Prints how many, and of how many
# threads and domains.
hold() {
    "$MSPROF" export summary -q "$(captures)"
    python3 - "$(captures)"/mindstudio_profiler_output/msprof_tx_2*.csv printed <<'END'
import collections, csv, sys
from decimal import Decimal
def ns(cell):
    return int(Decimal(cell.strip()) * 1000)
with open(sys.argv[1], newline='', encoding='utf-8') as stream:
    rows = [(row['message'], row['domain'], int(row['tid']), ns(row['Start_time(us)']), ns(row['End_time(us)']))
            for row in csv.DictReader(stream)]
known = [line.rstrip('\n').split('\t') for line in open(sys.argv[2], encoding='utf-8')]
known = [tuple(line[:2]) + tuple(map(int, line[2:])) for line in known]
assert collections.Counter(row[:3] for row in rows) == collections.Counter(line[:3] for line in known)
# of equal names, by the order in which they began
rows.sort(key=lambda row: row[:4])
known.sort(key=lambda line: line[:4])
low = high = None  # by how much the table's clock is ahead, at least and at most: the same for all
for (*_, start, end), (*_, begin, begun, finish, finished) in zip(rows, known):
    for time, before, after in ((start, begin, begun), (end, finish, finished)):
        least, most = time - after, time - before
        low, high = least if low is None else max(low, least), most if high is None else min(high, most)
    assert finish - begun <= end - start <= finished - begin, (start, end, begin, begun, finish, finished)
assert low <= high, (low, high)
print(len(rows), len({row[2] for row in rows}), len({row[1] for row in rows}))
END
}

@test "ranges of a C++ program with threads and domains are where its own clock saw them" {
    needs g++
    cat >program.cc <<'END'
#include "mstx/ms_tools_ext.h"

#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <ctime>
#include <unistd.h>

static long long now()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static std::mutex printing;
static void say(const std::string &name, const char *domain, long long a, long long b, long long c, long long d)
{
    std::lock_guard<std::mutex> lock(printing);
    std::printf("%s\t%s\t%d\t%lld\t%lld\t%lld\t%lld\n", name.c_str(), domain, (int)gettid(), a, b, c, d);
}

class range {
public:
    range(mstxDomainHandle_t handle, const char *domain_name, std::string text) : domain(handle), called(domain_name), name(text)
    {
        begin = now();
        id = mstxDomainRangeStartA(domain, name.c_str(), nullptr);
        begun = now();
    }
    ~range()
    {
        long long finish = now();
        mstxDomainRangeEnd(domain, id);
        say(name, called, begin, begun, finish, now());
    }

private:
    mstxDomainHandle_t domain;
    const char *called;
    std::string name;
    mstxRangeId id;
    long long begin, begun;
};

static void work(int number, int depth)
{
    mstxDomainHandle_t domain = mstxDomainCreateA(depth % 2 != 0 ? "forward" : "backward");
    range here(domain, depth % 2 != 0 ? "forward" : "backward", "layer " + std::to_string(depth));
    if (depth > 0)
        work(number, depth - 1);
    long long before = now();
    mstxMarkA("tick", nullptr);
    long long after = now();
    say("tick", "default", before, after, before, after);
    mstxDomainDestroy(domain);
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++)
        threads.emplace_back([i] {
            for (int k = 0; k < 40; k++)
                work(i, 4);
        });
    for (std::thread &thread : threads)
        thread.join();
}
END
    g++ -std=c++11 -O1 -I"$repository/include" -pthread program.cc -o program
    "$MSPROF" run -q --output captures -- ./program >printed
    expect_equal "$(hold)" "2400 6 3"
    run_msprof export flame "$(captures)"
    expect_status 4
    expect_contains "$stderr" "--weight host"
    run_msprof export flame "$(captures)" --weight host
    expect_status 0
    # layers are in each other: a layer's own time is what the one inside of it leaves, as the program's clock saw it
    python3 - printed "$(captures)"/flame/flame_host.collapsed <<'END'
import sys
least, most = [0] * 6, [0] * 6
for line in open(sys.argv[1]):
    name, _, _, begin, begun, finish, finished = line.split('\t')
    if name != 'tick':
        depth = int(name.split()[1])
        least[depth] += int(finish) - int(begun)
        most[depth] += int(finished) - int(begin)
own = {stack.rsplit(' ', 1)[0]: int(stack.rsplit(' ', 1)[1]) for stack in open(sys.argv[2])}
assert len(own) == 5, own
for depth in range(5):
    stack = ';'.join('layer %d' % k for k in range(4, depth - 1, -1))
    inner = (least[depth - 1], most[depth - 1]) if depth > 0 else (0, 0)
    assert least[depth] - inner[1] <= own[stack] <= most[depth] - inner[0], (stack, own[stack])
END
}

@test "ranges of a Python program with threads are where its own clock saw them" {
    cat >program.py <<'END'
import threading
import time
import mstx

printing = threading.Lock()


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def work(number):
    for i in range(100):
        times = [now()]
        id = mstx.range_start('step', None, domain='train')
        times.append(now())
        if i % 10 == 0:
            time.sleep(0.001)
        times.append(now())
        mstx.range_end(id, domain='train')
        times.append(now())
        with printing:
            print('step', 'train', threading.get_native_id(), *times, sep='\t', flush=True)


threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
END
    PYTHONPATH=$repository/python "$MSPROF" run -q --output captures -- python3 program.py >printed
    expect_equal "$(hold)" "500 5 1"
}
