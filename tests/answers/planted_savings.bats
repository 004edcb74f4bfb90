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
# saves, against the difference of the device's last ends. $3: the least part of that which it has to say, percent. Without
# the cause the rule is silent.
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
    told_against_truth "$1" "${3:-50}"
    run_msprof -q advise PROF_False --format json
    expect_equal "$(json '"'"$1"'" in d["passed"]')" True
}

# The tasks of a board's network that the Python $2 makes, in three inferences, where `cause` is true and where it is not.
board_pair() {
    local cause
    for cause in True False; do
        rm -rf "JOB_$cause"
        PYTHONPATH=$repository/tests/lib python3 - "JOB_$cause" <<PY
import os, sys
import board_capture
cause, tasks = $cause, []
def layer(us, kind='Convolution', busy=.8, gain=.8, load=.1, weights=.1, store=.1):
    tasks.append({'name': 'layer%d' % len(tasks), 'type': kind, 'cycles': [round(600 * us)] * 3, 'read': 1024, 'write': 1024,
                  'counters': (busy, gain, 0, 0, store, 0, load, weights)})
for number in range(6):
    ${2//$'\n'/$'\n'    }
os.rename(board_capture.write('.', tasks, 600, 3), sys.argv[1])
open('end_$cause', 'w').write(str(sum(sum(task['cycles']) for task in tasks) / 600))
PY
        "$MSPROF" import -q "JOB_$cause"
    done
    run_msprof -q advise JOB_True --format json
    told_against_truth "$1" 50
    run_msprof -q advise JOB_False --format json
    expect_equal "$(json '"'"$1"'" in d["passed"]')" True
}

# The findings on standard output against the ends of the pair.
told_against_truth() { # rule, least
    python3 - "$1" "$2" "$BATS_TEST_TMPDIR/stdout" "$BATS_TEST_TMPDIR/pair" <<'PY'
import json, sys
rule, least = sys.argv[1], float(sys.argv[2])
told, = [f['saves'] for f in json.load(open(sys.argv[3]))['findings'] if f['id'] == rule]
true = float(open('end_True').read()) - float(open('end_False').read())
print('%s: told %.3f us, true %.3f us' % (rule, told, true), file=sys.stderr)
open(sys.argv[4], 'w').write('told %.3f us, true %.3f us' % (told, true))
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

@test "what the host launches late begins no earlier: the end of a step in front of a later one, a host that is ahead a little, or by a step" {
    # the next step begins 200 us behind the one before, whatever the last operator takes
    pair ai-cpu "p.host = 100_000 + 200_000 * step
p.at = max(p.at, p.host + 1000)
p.op('a', 'MatMul', 100, gap=1)
if cause: p.op('b', 'Index', 50, gap=1, core=AI_CPU)"
    grep -q 'true 422' "$BATS_TEST_TMPDIR/pair" # and not 12 times 51
    # the host needs 140 us a step, the device 154 with the cause and 101 without
    pair ai-cpu "p.host = 100_000 + 140_000 * step
p.at = max(p.at, p.host + 1000)
p.op('a', 'MatMul', 100, gap=1)
if cause: p.op('b', 'Index', 52, gap=1, core=AI_CPU)"
    # it waits for the step before the last one
    pair ai-cpu "ends = [] if step == 0 else ends
if step >= 2:
    until = max(ends[step - 2] + 500, p.host + 500)
    p.call('aclrtSynchronizeStream', p.host, until, thread=1)
    p.host = until + 100
p.at = max(p.at, p.host + 1000)
p.op('a', 'MatMul', 100, gap=1)
if cause: p.op('b', 'Index', 52, gap=1, core=AI_CPU)
ends.append(p.at)"
    # it waits for each step, for which there are no other gaps
    pair ai-cpu "p.at = max(p.at, p.host + 1000)
p.op('a', 'MatMul', 100, gap=1)
if cause: p.op('b', 'Index', 52, gap=1, core=AI_CPU)
p.call('aclrtSynchronizeStream', p.host, p.at + 500, thread=1)
p.host = p.at + 600"
    pair exposed-communication "p.host = 100_000 + 250_000 * step
p.at = max(p.at, p.host + 1000)
p.op('a', 'MatMul', 100, gap=1)
p.communicate(us=60, back=0 if cause else 60, size=32_000_000)
p.host = 230_000 + 250_000 * step
p.at = max(p.at, p.host + 2000)
p.op('c', 'Add', 40, gap=1)"
    grep -q 'true 401' "$BATS_TEST_TMPDIR/pair" # and not 12 times 60
}

@test "a host that is always as far ahead is held back by the device, and launches earlier if that is faster" {
    # 10 launches of 0.11 us in a step of 510 us or 810, each 400 us before the device needs it
    for rule in ai-cpu conversion; do
        pair $rule "for i in range(10):
    p.host = max(p.host, p.at - 400_000)
    p.op('a%d' % i, 'MatMul', 50, gap=1)
    if cause and i % 3 == 1:
        p.host = max(p.host, p.at - 400_000)
        p.op('b%d' % i, $([ $rule = ai-cpu ] && echo "'Index', 100, gap=1, core=AI_CPU" || echo "'TransData', 100, gap=1"))" 80
    done
    grep -q 'true 3636.000 us' "$BATS_TEST_TMPDIR/pair" # 12 times 3 times 101 us
}

@test "steps of two models that run at the same time save what they take once" {
    pair ai-cpu "if step == 0:
    log, marks, ends, write = [], [], [p.at, p.at + 30_000], p.prof.write
    p.prof.ran = lambda start, end, stream, task, kind=0: log.extend([(start, 0, stream, task, kind), (end, 1, stream, task, kind)])
    def ordered():
        for time, function, stream, task, kind in sorted(log): p.prof.log(function, time, stream, task, kind)
        for time, tag, model, number in sorted(marks): p.prof.step(time, tag, model, index=number)
        write()
    p.prof.write = ordered
for model in (0, 1):
    p.at = ends[model] + 20
    marks.append((p.at, 0, 1 + model, step + 1))
    p.op('m%d/a' % model, 'MatMul', 100, gap=1, stream=1 + model)
    if cause and model == 0: p.op('m0/b', 'Index', 50, gap=1, core=AI_CPU, stream=1)
    p.op('m%d/c' % model, 'Add', 10, gap=1, stream=1 + model)
    marks.append((p.at, 1, 1 + model, step + 1))
    ends[model] = p.at
p.at = max(ends)" 0
}

@test "operators that take less time: bound by memory, with idle cubes, idle cores or a low frequency, without a bound" {
    pair memory-bound "p.op('a', 'Add', 100 if cause else 50, gap=1, counters=(0, 45, 5, 0, 90, 30) if cause else (0, 90, 5, 0, 85, 60))
p.op('c', 'Mul', 40, gap=1, counters=(0, 85, 5, 0, 30, 20))"
    pair low-cube-use "p.op('a', 'MatMul', 100 if cause else 20, gap=1, counters=(0, 20 if cause else 100, 5, 10, 70, 10))
p.op('c', 'Mul', 40, gap=1, counters=(0, 0, 90, 0, 30, 20))"
    pair no-bound "p.op('a', 'Add', 100 if cause else 40, gap=1, counters=(0, 40 if cause else 100, 5, 0, 30, 20))
p.op('c', 'Mul', 40, gap=1, counters=(0, 85, 5, 0, 30, 20))"
    pair idle-cores "p.op('a', 'MatMul', 100 if cause else 50, gap=1, blocks=4 if cause else 8)
p.op('c', 'Mul', 40, gap=1)"
    pair frequency "if step == 0: p.prof.frequency([(0, 800 if cause else 1000)])
p.op('a', 'MatMul', 100 if cause else 80, gap=1)
p.op('c', 'Mul', 40 if cause else 32, gap=1)"
    pair inner-axis "at = p.host
p.op('a', 'MatMul', 100 if cause else 40, gap=1, counters=(0, 40 if cause else 100, 5, 20, 30, 10))
p.prof.tensors(at + 90, 'a', [(0, 2, 1, (64, 100)), (0, 2, 1, (64, 100)), (1, 2, 1, (64, 64))])"
    pair inner-axis "if step == 0: p.count_vectors()
at = p.host
p.op('a', 'SoftmaxV2', 100 if cause else 40, gap=1, core=VECTOR, counters=(40 if cause else 100, 0, 5, 0, 30, 10))
p.prof.tensors(at + 90, 'a', [(0, 2, 1, (64, 100)), (1, 2, 1, (64, 100))])"
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

@test "waits for data that the framework recorded" {
    local cause
    for cause in True False; do
        mkdir -p "run_${cause}_ascend_pt/FRAMEWORK"
        program "run_${cause}_ascend_pt/PROF_000001_20250101000000000_PLANTED" <<PY
import os, struct
from prof import MONOTONIC
cause = $cause
data = b''
for step in range(12):
    p.op('a', 'MatMul', 400, gap=1)
    if cause:
        name = b'DataLoader.GetNext'
        record = struct.pack('<qqq', MONOTONIC + p.at - 1000, MONOTONIC + p.at + 200_000, -1) + struct.pack('<qqqqHH', 4242, 4242, 4242, 0, 0, 0)
        record = record[:58] + struct.pack('<HI', 2, len(name)) + name
        data += struct.pack('<HI', 1, len(record)) + record
        p.late()
        p.host = p.at + 200_000
    p.op('c', 'Add', 400, gap=202 if cause else 1)
open('run_${cause}_ascend_pt/FRAMEWORK/torch.op_range', 'wb').write(data)
open('end_$cause', 'w').write(str(p.at / 1000))
PY
        sed -i 's/cntvct: 0/cntvct: 1/' "run_${cause}_ascend_pt"/PROF*/host/host_start.log # 0 is no counter to a framework's analysis
        python3 - "$repository/testdata/frameworks/run_ascend_pt/profiler_info_1.json" "run_${cause}_ascend_pt" <<'PY'
import json, sys
info = json.load(open(sys.argv[1]))
info['start_info'] = {'syscnt_enable': False} # its times are those of the monotonic clock
json.dump(info, open(sys.argv[2] + '/profiler_info_1.json', 'w'))
PY
    done
    run_msprof -q advise run_True_ascend_pt --format json
    told_against_truth data-loader 50
    run_msprof -q advise run_False_ascend_pt --format json
    expect_equal "$(json '[f["id"] for f in d["findings"]]')" "[]"
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

@test "transfers: small ones beside large ones, unaligned ones beside aligned ones, a run that was sent again" {
    # as many bytes in one transfer as in eight, at the bandwidth of the large ones; a part is hidden
    for back in 0 20; do
        pair small-packets "p.op('a', 'MatMul', 100, gap=1)
p.communicate(us=128, size=32_000_000)
for i in range(8 if cause else 1): p.communicate(us=40 if cause else 128, back=$back if i == 0 else 0, size=4_000_000 if cause else 32_000_000)
p.op('c', 'Add', 40, gap=1)"
    done
    pair unaligned "p.op('a', 'MatMul', 100, gap=1)
p.communicate(us=100, size=16_384_000)
p.communicate(us=180 if cause else 100, size=16_384_000 - (100 if cause else 0))
p.op('c', 'Add', 40, gap=1)"
    pair retransmission "p.op('a', 'MatMul', 100, gap=1)
p.communicate(us=4_200_000 if cause and step == 5 else 60, size=2_000_000, rdma=True)
p.op('c', 'Add', 40, gap=1)"
}

@test "transfers that computing hides save nothing, also where others are exposed" {
    pair small-packets "start, end = p.op('a', 'MatMul', 500, gap=1)
for i in range(8 if cause else 1): p.communicate(name='hidden', us=40 if cause else 128, back=450 - 40 * i, size=4_000_000 if cause else 32_000_000)
p.communicate(us=128, size=32_000_000)
p.op('c', 'Add', 40, gap=1)" 0
    pair retransmission "p.op('a', 'MatMul', 5_000_000 if step == 5 else 100, gap=1)
p.communicate(us=4_200_000 if cause and step == 5 else 60, back=4_500_000 if step == 5 else 0, size=2_000_000, rdma=True)
p.op('c', 'Add', 40, gap=1)" 0
}

@test "without a transfer to compare with nothing is said of what could be saved" {
    program PROF_True <<'PY'
for step in range(12):
    p.op('a', 'MatMul', 100, gap=1)
    p.communicate(us=60, size=1_000_100)
    p.op('c', 'Add', 40, gap=1)
PY
    run_msprof -q advise PROF_True --format json
    expect_equal "$(json '[f["saves"] for f in d["findings"] if f["id"] in ("small-packets", "unaligned")]')" "[None, None]"
}

@test "blocks of equal length: what the longest block takes beyond the mean, and nothing where the next task is launched late" {
    local late
    for late in False True; do
        pair uneven-cores "import struct
if step == 0:
    p.prof.chip, events = 15, '0x501,0x301,0x1,0x701,0x202,0x203,0x34,0x35,0x714'
    p.prof.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'aiv_metrics': 'PipeUtilization', 'taskBlock': 'on',
                         'ai_core_profiling_events': events, 'aiv_profiling_events': events}
def ran(task, begin, us):
    for function, time in ((0, begin), (1, begin + int(us * 1000))):
        number = p.prof._count(0, 'stars_soc')
        p.prof._device(0, 'stars_soc', struct.pack('<HHIQHH12x', function | number << 6, 0x6bd3, task, p.prof._ticks(time), 0, 3), 32)
def pmu(function, begin, us, block=0):
    p.prof._device(0, 'ffts_profile', struct.pack('<HHIQBBHBBHHHI10QQQ', function, 0x6bd3, step + 1, 1000, 0, 0, 0, 0, block, 0, 0,
                                                  block, 0, *[10] * 10, p.prof._ticks(begin), p.prof._ticks(begin + int(us * 1000))), 128)
start, us = p.at + 1000, 100 if cause else 62.5
p.prof.launch(p.at - 2000 if $late else 1000 * step, 5, step + 1, 'cube')
ran(step + 1, start, us)
pmu(0x2a, start, us)
for block, length in enumerate((50, 50, 50, 100) if cause else (62.5,) * 4):
    pmu(0x29, start, length, block)
p.at = start + int(us * 1000)
if $late:
    p.prof.launch(start + 128_000, 5, step + 101, 'tail')
    ran(step + 101, start + 130_000, 20)
    p.at = start + 150_000" "$([ "$late" = True ] && echo 0 || echo 50)"
    done
}

@test "layers of boards: wait for memory, units that are not used, input, weights, output, and activations" {
    # as short as the unit that calculates lets it be
    board_pair svp-memory-bound "layer(100, busy=.5, gain=.45, load=.95) if cause else layer(52.7, busy=.95, gain=.85, load=.9)"
    board_pair svp-input "layer(100, busy=.4, gain=.3, load=.9) if cause else layer(34, busy=.95, gain=.88, load=.7)"
    board_pair svp-weights "layer(100, busy=.4, gain=.3, weights=.9) if cause else layer(34, busy=.95, gain=.88, weights=.7)"
    board_pair svp-output "layer(100, busy=.4, gain=.3, store=.9) if cause else layer(34, busy=.95, gain=.88, store=.7)"
    board_pair svp-network "layer(100, busy=.4, gain=.3) if cause else layer(42, busy=.8, gain=.715)"
    board_pair svp-unused "layer(100, busy=.4, gain=.3) if cause else layer(30, busy=1, gain=1)"
    board_pair svp-activation "layer(100)
if cause and number % 2: layer(30, 'Softplus')"
    board_pair svp-gelu "layer(100)
if cause and number % 3 == 0:
    for kind in ('BinaryMath', 'Erf', 'BinaryMath', 'BinaryMath'): layer(10, kind)"
}

@test "a network whose use of its matrix units is the guide's limit is not above it, nor are such layers" {
    board_pair svp-network "layer(100, busy=.8, gain=.6) if cause else layer(84, busy=.8, gain=.601)"
}

@test "shapes that change save what is not known, memory saves no time and says so" {
    unmarked PROF_A 'if kind == "MatMul": o["shape"] = (16 + 7 * step + i, 512)
        if i == 2: p.late(); p.prof.memory(p.host + 5, "l0/Add", 4096 * (1 + step), 1 << 20, allocated=(1 + step) << 20, reserved=24 << 20)'
    run_msprof -q advise PROF_A --format json
    expect_equal "$(json '{f["id"]: (f["saves"], f["at_stake"] > 0, f.get("stake")) for f in d["findings"] if f["id"] in ("dynamic-shapes", "fragmentation", "memory-leak")}')" \
        "{'dynamic-shapes': (None, True, None), 'fragmentation': (None, False, 'memory'), 'memory-leak': (None, False, 'memory')}"
    run_msprof -q advise PROF_A
    expect_equal "$(grep -c 'At stake: memory of the device, no time' <<<"$output")" 2
    expect_equal "$(python3 - "$BATS_TEST_TMPDIR/stdout" <<'PY'
import re, sys
print(*(rule for rule, stake in re.findall(r'^(?:low|medium|high)  (\S+)\n(?:  .*\n)*?  At stake: (.*)', open(sys.argv[1]).read(), re.M) if stake.startswith('0.000')))
PY
    )" ""
    run_msprof advise --list
    expect_equal "$(grep -c 'At stake: memory of the device, no time' <<<"$output")" 2
}

@test "what a stage of the data pipeline could save is no more than the idle time" {
    run_msprof -q advise "$repository/testdata/frameworks/run_ascend_ms" --format json --threshold data-pipeline:30 --output out
    json '[(f["saves"], f["value"]) for f in d["findings"] if f["id"] == "data-pipeline"][0]' >told
    run_msprof -q show "$repository/testdata/frameworks/run_ascend_ms" --table summary --format json --output out
    expect_equal "$(json 'next(abs(float(r["Value"].split("(")[1].split()[0]) * share / 100 - saves) < 0.01 for saves, share in [eval(open("told").read())]
        for r in d if r["Item"] == "Free")')" True
}

@test "of random pairs, whose hosts are late or ahead, nothing more is said than what came true" {
    run python3 "$BATS_TEST_DIRNAME/random_savings.py" "$MSPROF" 0 4
    echo "$output"
    expect_status 0
    expect_equal "$(grep -cE '^[a-z-]+ +4 ' <<<"$output")" 20
    # and at least half, where calls that wait are all that keeps the device idle
    awk '$1 == "synchronise" && $6 < 0.5 { exit 1 }' <<<"$output"
}

@test "waiting once a step stays, and what keeps the host busy besides" {
    # each launch takes the host 30 us, the device 20: without waiting the device is idle all the same
    pair synchronise "for i in range(4):
    p.host = max(p.host, p.at if cause else p.host) + 30_000
    p.at = max(p.at, p.host + 3000)
    p.op('a%d' % i, 'MatMul', 20, gap=0)
    if cause: p.call('aclrtSynchronizeStream', p.host, p.at + 500, thread=1); p.host = p.at + 600" 40
}

@test "each rule has a pair here, or a reason in docs/answers.md why it can have none" {
    "$MSPROF" advise --list --format json >list
    python3 - list "$repository/docs/answers.md" "$BATS_TEST_FILENAME" <<'PY'
import fnmatch, json, re, sys
rules = [rule['id'] for rule in json.load(open(sys.argv[1]))['rules']]
table = open(sys.argv[2]).read().split('why nothing can be compared |\n|---|---|\n')[1].split('\n\n')[0]
reasons = [name for row in table.splitlines() for name in row.split('|')[1].strip().split(', ')]
pairs = set(re.findall(r'^ *(?:board_)?(?:pair|told_against_truth) ([a-z-]+)', open(sys.argv[3]).read(), re.M))
assert len(rules) > 40 and len(pairs) > 30, (len(rules), len(pairs))
for rule in rules:
    excused = any(fnmatch.fnmatch(rule, reason) for reason in reasons)
    assert (rule in pairs) != excused, rule
for reason in reasons:
    assert fnmatch.filter(rules, reason), reason
assert pairs <= set(rules), pairs - set(rules)
PY
}

@test "steps that take longer than others save what they take beyond the median; where others make up for it, there is no finding" {
    local short expected
    for short in 200 190 100; do
        # 2 steps are 15 % longer than the others, 3 take 1 % more, and 3 may be short
        program PROF_A <<PY
for step in range(12):
    p.begin_step()
    p.op('a', us=$short if step in (1, 4, 9) else 230 if step in (3, 7) else 202 if step in (0, 5, 8) else 200)
    p.end_step()
PY
        run_msprof -q advise PROF_A --format json
        case $short in
        200) expected="[(60.0, 60)]" ;;
        190) expected="[(36.0, 36)]" ;; # 60 + 3 * 2 - 3 * 10
        100) expected="[]" ;;
        esac
        expect_equal "$(json '[(f["at_stake"], f["saves"]) for f in d["findings"] if f["id"] == "step-jitter"]')" "$expected"
    done
    expect_equal "$(json '"step-jitter" in d["passed"]')" True
    # a limit of 0 % does not make a finding of nothing
    program PROF_B <<'PY'
p.prof.frequency([(20, 1000)])
for step in range(12):
    p.begin_step()
    p.op('a', us=100)
    p.end_step()
PY
    run_msprof -q advise PROF_B --format json --threshold step-jitter:0 --threshold frequency:0 --threshold conversion:0 --threshold idle:0
    expect_equal "$(json '[f["id"] for f in d["findings"] if f["at_stake"] == 0]')" "[]"
    expect_equal "$(json '"frequency" in d["passed"]')" True
}
