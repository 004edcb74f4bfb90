#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The table of questions in docs/answers.md: each command, as it stands there, answers on a program in which the answer
# is planted.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load planted

setup() {
    enter_scratch
    needs python3
}

# Runs the command of a question of the table.
ask() {
    local line
    line=$(grep -E "^\| $1\. " "$repository/docs/answers.md")
    [[ $line =~ \`msprof\ ([^\`]*)\` ]]
    # shellcheck disable=SC2086 # the words of a command
    run_msprof -q ${BASH_REMATCH[1]}
}

says() {
    expect_contains "$output" "$1"
}

# A finding of advise begins a line of its own.
finds() {
    grep -qE "^(high|medium|low)  $1$" <<<"$output"
}

# The first row of a table, without blanks that only align.
first_row() {
    sed -n 2p <<<"$output" | tr -s ' '
}

@test "the table has 25 questions, each with a command" {
    # shellcheck disable=SC2016 # the quotes of Markdown
    expect_equal "$(grep -cE '^\| [0-9]+\. .*\?  *\| `msprof (show|advise|diff|cluster) [^`]*` \| .+ \|$' "$repository/docs/answers.md")" 25
    expect_equal "$(grep -oE '^\| [0-9]+\.' "$repository/docs/answers.md" | tr -dc '0-9\n' | tr '\n' ' ')" "$(seq -s ' ' 25) "
    # this file asks all of them
    for i in $(seq 25); do
        grep -qE "^ *ask $i( #.*)?\$" "$BATS_TEST_FILENAME"
    done
}

@test "operators: the slow one, those bound by memory, on the AI CPU, that convert, that do not use the cubes" {
    program CAPTURE <<'PY'
for step in range(12):
    p.op('slow', 'MatMul', 300, gap=1, counters=(0, 20, 5, 20, 30, 10))
    p.op('moves', 'Add', 100, gap=1, counters=(0, 20, 5, 20, 90, 30))
    p.op('converts', 'TransData', 60, gap=1)
    p.op('falls back', 'Index', 40, gap=1, core=AI_CPU)
PY
    ask 1 # 300 of 500 us
    says "Share(%)"
    expect_contains "$(first_row)" "60 3600.000 12 300.000 300.000 300.000 MatMul slow"
    ask 4
    expect_equal "$(grep -cE ' memory .* moves$' <<<"$output")" 1
    expect_equal "$(grep -cE ' memory .* slow$' <<<"$output")" 0
    ask 8
    expect_contains "$(first_row)" "480.000 12 40.000 40.000 40.000 Index falls back"
    ask 10
    expect_contains "$(first_row)" "720.000 12 60.000 TransData moves falls back converts"
    ask 17
    finds low-cube-use
    says "Matrix units are busy for 20.0 % of the time of the operators that use them (4.800 ms), over all cores."
}

@test "the host: a call that blocks, launches, a cold start, compilation, waiting for each launch, collections of garbage" {
    unmarked CAPTURE 'if (step, i) == (7, 6): o["before"] = ("aclrtMallocHostSlow", 850)'
    ask 2
    grep -qE '^ *854\.000 .* aclrtMallocHostSlow ' <<<"$output"
    program CAPTURE <<'PY'
for step in range(12):
    for i in range(10): p.op('a%d' % i, 'Add', 4, gap=8)
    p.op('b', 'MatMul', 50, gap=8)
PY
    ask 3
    finds small-operators
    says "90.9 % of the operators take less than 10 us (on average 4.000 us, followed by a gap of 8.000 us)."
    unmarked CAPTURE 'if step == 0: o["us"] = 1050'
    ask 5
    finds cold-start
    says "a cold start of 10.00 ms."
    unmarked CAPTURE 'if i == 6: o["before"] = ("aclopCompileAndExecute", 850)'
    ask 14
    finds repeated-compilation
    says "11 calls compile operators after the first step"
    program CAPTURE <<'PY'
for step in range(40):
    p.late()
    p.op('a', 'MatMul', 50, gap=5)
    p.call('aclrtSynchronizeStream', p.host, p.at + 500, thread=1)
PY
    ask 15
    finds synchronise
    says "40 of 40 launches are followed by a call that waits for the device."
    unmarked CAPTURE 'if (step, i) == (7, 6): p.late(); p.host = p.at + 260_000_000; o["gap"] = 260_000.2'
    ask 16
    finds garbage-collection
    says "In 1 pauses of at least 200 ms (260.0 ms) the host makes no calls"
}

@test "communication of a rank: exposed, small, unaligned, slowed down by computing" {
    program CAPTURE <<'PY'
for step in range(12):
    p.op('a', 'MatMul', 100, gap=1)
    slow = step % 2
    p.communicate(us=100 if slow else 60, back=100 if slow else 0, size=15_000_100)
    p.op('b', 'Add', 40, gap=1)
PY
    ask 21 # 6 times 60 us have nothing beside them
    expect_contains "$(first_row)" " 960.000 360.000 "
    ask 11
    finds small-packets
    says "12 of 12 transfers by SDMA move less than 16 MB"
    ask 12
    finds unaligned
    says "12 of 12 transfers by SDMA have a size that is not a multiple of 512 bytes"
    ask 13
    finds contention
    says "moves 150.00 GB/s in parallel with computing and 250.00 GB/s alone; 6 times in parallel." # 15 MB in 100 us and in 60
}

@test "shapes, frequency, cores and memory" {
    unmarked CAPTURE 'if kind == "MatMul": o["shape"] = (16 + 7 * step + i, 512)'
    ask 9
    finds dynamic-shapes
    says "take 20.0 % of the busy time."
    program CAPTURE <<'PY'
p.prof.frequency([(0, 800)])
for step in range(12):
    p.op('a', 'MatMul', 100, gap=1)
PY
    ask 18
    grep -qE '100 +1200\.000 +12 +800 +1000 ' <<<"$output"
    program CAPTURE <<'PY'
p.prof.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'ai_core_profiling_events': PIPES, 'ai_core_profiling_mode': 'sample-based'}
for step in range(12):
    start, end = p.op('a', 'MatMul', 100, gap=1)
    for core in range(8): p.prof.core_sample(end, core, 90_000 if core == 3 else 30_000)
PY
    ask 19
    finds uneven-cores
    says "Of 8 sampled cores, the busiest worked 1.080 ms and the mean core 450.0 us." # 12 times 90, and 300 by 8
    unmarked CAPTURE 'if i in (2, 4): p.prof.memory(p.host + 5, ("holds little", "holds much")[i // 4], 4096 * (10 * i + step), (1 + 2 * (i == 4)) << 20, allocated=12 << 20, reserved=24 << 20)'
    ask 22 # 12 times 1 and 3 MiB
    expect_contains "$(first_row)" "75 36864 12 "
    says "holds much"
    says "holds little"
    ask 23
    finds fragmentation
    says "reserved up to 25.2 MB of device memory; operators used at most 12.6 MB."
}

@test "what made it slower, on the host and on the device, and what is noise" {
    program_with() { # path, factor of one operator, host, seed
        program "$1" <<PY
p.sigma = 0.005
p.random = random.Random($4)
for step in range(12):
    for i in range(10):
        gap = 1
        if $3 and i == 6:
            p.late()
            p.host = p.at + 851_000
            p.call('aclrtMallocHostSlow', p.at + 1000, p.at + 851_000, thread=1)
            gap = 854
        p.op('l%d/mm' % i, 'Op%d' % i, 50 * ($2 if i == 3 else 1), gap=gap)
PY
    }
    program_with CAPTURE 1 False 1
    program_with OTHER 1.3 False 2
    ask 24
    says "Verdict: regression"
    says "operators"
    grep -qE 'regression .*l3/mm|l3/mm.*regression' <<<"$output"
    program_with OTHER 1 True 2
    ask 24
    says "Verdict: regression"
    says "aclrtMallocHostSlow"
    program_with OTHER 1 False 3
    ask 25
    says "Verdict: ok"
    expect_equal "$(grep -cE '^ *regression |  regression ' <<<"$output")" 0
}

# Two ranks of two stages each, as an analysis of PyTorch leaves them: how long each computes, is free and receives, in
# milliseconds, and how fast each link is.
ranks() {
    python3 - <<PY
import json
from torch_ranks import TIMES, write_rank
computing, free, bubble = $1
for rank in range(4):
    out = write_rank('JOB', rank, [(step, computing[rank] * 1000, free[rank] * 1000, (computing[rank] + free[rank]) * 1000 + 10,
                                    bubble[rank] * 1000) for step in (1, 2, 3)])
    group, steps, matrix = ('d0', 'd1')[rank // 2], {}, {}
    for step in ('step1', 'step2', 'step3'):
        ms = 10.0 if rank == 2 else 1.0
        link = lambda transport: {'Transport Type': transport, 'Transit Size(MB)': 20.0, 'Transit Time(ms)': ms,
                                  'Bandwidth(GB/s)': 20.0 / ms, 'op_name': 'x'}
        steps[step] = {'collective': {'hcom_allReduce__%s_1_1@%s' % (group, group): TIMES, 'Total Op Info': TIMES}, 'p2p': {}}
        matrix[step] = {'collective': {'allreduce-total@' + group: {
            '%d-%d' % (rank % 2, 1 - rank % 2): link('HCCS'), '%d-%d' % (rank % 2, rank % 2): link('LOCAL')}}, 'p2p': {}}
    json.dump(steps, open(out + '/communication.json', 'w'))
    json.dump(matrix, open(out + '/communication_matrix.json', 'w'))
PY
}

@test "a job: the rank that is waited for, by computing or by its host, the slow link, the bubble" {
    ranks '([200, 200, 200, 400], [1, 1, 1, 1], [0, 0, 0, 0])'
    ask 6
    says "Computing: rank 3 takes 400.000 ms a step, 100.0 % more than the others of its stage (200.000 ms)"
    ask 7
    says "Worst link: 2 -> 3 (HCCS): 2.000 GB/s, 90.0 % below the median of its kind (20.000 GB/s)"
    rm -r JOB
    ranks '([200, 200, 200, 200], [1, 90, 1, 1], [80, 0, 0, 0])'
    ask 6
    says "Free: rank 1 is idle for 90.000 ms per step, 89.000 ms more than the others"
    ask 20
    says "Bubble: rank 0 waits 80.000 ms a step to receive from other stages, 28.5 % of its step"
}
