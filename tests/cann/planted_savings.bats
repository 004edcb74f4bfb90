#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs with a cause and without it: advise never says that more could be saved than was, by more than a tenth, and
# says at least half of it where all of that is on the critical path.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load planted

setup() {
    enter_scratch
    needs python3
}

# The steps that the Python $2 describes, where `cause` is true and where it is not: what rule $1 says that its removal
# saves, against the difference of the device's last ends. $3: the least part of that which it has to say, percent.
pair() {
    local cause
    for cause in True False; do
        program "PROF_$cause" <<PY
cause = $cause
for step in range(12):
    ${2//$'\n'/$'\n'    }
open('end_$cause', 'w').write(str(p.at / 1000))
PY
    done
    run_msprof -q advise PROF_True --format json
    python3 - "$1" "${3:-50}" "$BATS_TEST_TMPDIR/stdout" <<'PY'
import json, sys
rule, least = sys.argv[1], float(sys.argv[2])
told, = [f['saves'] for f in json.load(open(sys.argv[3]))['findings'] if f['id'] == rule]
true = float(open('end_True').read()) - float(open('end_False').read())
print('%s: told %.3f us, true %.3f us' % (rule, told, true))
assert told <= 1.1 * true + 1 and told >= least / 100 * true, (told, true)
PY
}

@test "operators that are taken away: on the AI CPU, conversions, batch norms that synchronise" {
    pair ai-cpu "p.op('a', 'MatMul', 100, gap=1)
if cause: p.op('b', 'Index', 60, gap=1, core=AI_CPU)
p.op('c', 'Add', 40, gap=1)"
    pair conversion "p.op('a', 'MatMul', 100, gap=1)
if cause: p.op('b', 'TransData', 30, gap=1)
p.op('c', 'Add', 40, gap=1)"
    pair sync-batch-norm "p.op('a', 'MatMul', 100, gap=1)
if cause: p.op('b', 'SyncBatchNormGatherStats', 30, gap=1)
p.op('c', 'Add', 40, gap=1)"
}

@test "an operator on the AI CPU beside a longer one saves nothing, one that lasts longer saves what is behind the other" {
    for us in 60 140; do
        pair ai-cpu "start, end = p.op('a', 'MatMul', 100, gap=1)
if cause:
    p.at = start
    p.op('b', 'Index', $us, gap=1, core=AI_CPU, stream=2)
    p.at = max(p.at, end)
p.op('c', 'Add', 40, gap=1)"
    done
}

@test "an operator on the AI CPU for which nothing waits, since the host is late, saves nothing" {
    # each launch takes the host longer than the device needs: removing the operator leaves the launches of the others
    pair ai-cpu "p.host = max(p.host, p.at) + 300_000
p.at = p.host + 2000
p.op('a', 'MatMul', 50, gap=1)
base = p.at
if cause: p.op('b', 'Index', 100, gap=1, core=AI_CPU)
p.host = base + 250_000
p.at = p.host + 2000
p.op('c', 'Add', 40, gap=1)" 0
}

@test "operators that take less time: bound by memory, with idle cubes, idle cores or a low frequency, without a bound" {
    pair memory-bound "p.op('a', 'Add', 100 if cause else 50, gap=1, counters=(0, 45, 5, 0, 90, 30))
p.op('c', 'Mul', 40, gap=1, counters=(0, 85, 5, 0, 30, 20))"
    pair low-cube-use "p.op('a', 'MatMul', 100 if cause else 20, gap=1, counters=(0, 20, 5, 10, 70, 10))
p.op('c', 'Mul', 40, gap=1, counters=(0, 0, 90, 0, 30, 20))"
    pair no-bound "p.op('a', 'Add', 100 if cause else 40, gap=1, counters=(0, 40, 5, 0, 30, 20))
p.op('c', 'Mul', 40, gap=1, counters=(0, 85, 5, 0, 30, 20))"
    pair idle-cores "p.op('a', 'MatMul', 100 if cause else 50, gap=1, blocks=4 if cause else 8)
p.op('c', 'Mul', 40, gap=1)"
    pair frequency "if step == 0: p.prof.frequency([(0, 800 if cause else 1000)])
p.op('a', 'MatMul', 100 if cause else 80, gap=1)
p.op('c', 'Mul', 40 if cause else 32, gap=1)"
    pair inner-axis "at = p.host
p.op('a', 'MatMul', 100 if cause else 40, gap=1, counters=(0, 40, 5, 20, 30, 10))
p.prof.tensors(at + 90, 'a', [(0, 2, 1, (64, 100)), (0, 2, 1, (64, 100)), (1, 2, 1, (64, 64))])"
}

@test "what the host does: gaps, small operators, compilation, waiting for each launch, pauses" {
    pair gap "p.op('a', 'MatMul', 400, gap=1)
if cause and step == 5: p.late(); p.call('aclrtMallocHostSlow', p.at + 1000, p.at + 200_000, thread=1); p.host = p.at + 200_000
p.op('c', 'Add', 400, gap=202 if cause and step == 5 else 1)"
    pair idle "p.op('a', 'MatMul', 100, gap=80 if cause else 1)
p.op('c', 'Add', 100, gap=80 if cause else 1)"
    pair small-operators "for i in range(10): p.op('a%d' % i, 'Add', 4, gap=8 if cause else 1)
p.op('c', 'MatMul', 50, gap=8 if cause else 1)"
    pair fusible-sequence "p.op('a', 'MatMul', 400, gap=1)
for i in range(3 if cause else 1): p.op('c%d' % i, 'Add', 5 if cause else 15, gap=20 if i else 1)"
    pair repeated-compilation "p.op('a', 'MatMul', 400, gap=1)
if cause: p.late(); p.call('aclopCompileAndExecute', p.at + 1000, p.at + 200_000, thread=1); p.host = p.at + 200_000
p.op('c', 'Add', 400, gap=202 if cause else 1)"
    pair memory-calls "p.op('a', 'MatMul', 400, gap=1)
if cause: p.late(); p.call('aclrtMalloc', p.at + 1000, p.at + 100_000, thread=1); p.host = p.at + 100_000
p.op('c', 'Add', 400, gap=102 if cause else 1)"
    pair synchronise "for i in range(3):
    if cause: p.late()
    p.op('a%d' % i, 'MatMul', 50, gap=6 if cause else 1)
    if cause: p.call('aclrtSynchronizeStream', p.host, p.at + 500, thread=1)"
    pair garbage-collection "p.op('a', 'MatMul', 400, gap=1)
if cause and step == 7: p.late(); p.host = p.at + 260_000_000
p.op('c', 'Add', 400, gap=260_000.2 if cause and step == 7 else 1)"
}

@test "steps and communication: a cold start, one slow step, communication that computing could cover, contention" {
    pair cold-start "for i in range(5): p.op('a%d' % i, 'MatMul', 1000 if cause and step == 0 else 100, gap=1)"
    pair step-jitter "for i in range(5): p.op('a%d' % i, 'MatMul', 200 if cause and step == 7 else 100, gap=1)"
    pair exposed-communication "p.op('a', 'MatMul', 100, gap=1)
p.communicate(us=60, back=0 if cause else 60, size=32_000_000)
p.op('c', 'Add', 40, gap=1)"
    pair contention "p.op('a', 'MatMul', 100, gap=1)
p.communicate(us=(160 if cause else 60) if step % 2 else 60, back=100 if step % 2 else 0, size=32_000_000)
p.op('c', 'Add', 40, gap=1)"
}
