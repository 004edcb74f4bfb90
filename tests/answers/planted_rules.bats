#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Rules of advise that need more than times: each finds what is planted, with the share that is planted, and is silent
# on the same program without it.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load planted

setup() {
    enter_scratch
    needs python3
}

# Asks rule $1 about capture $2: "found VALUE SENTENCE", "passed", or "not checked".
verdict_of() {
    run_msprof -q advise "$2" --format json
    json '[("found", round(f["value"], 2), f["sentence"]) for f in d["findings"] if f["id"] == "'"$1"'"] or ("passed" if "'"$1"'" in d["passed"] else "not checked")'
}

found() { # rule, capture, value
    expect_contains "$(verdict_of "$1" "$2")" "('found', $3, "
}

passed() {
    expect_equal "$(verdict_of "$1" "$2")" "passed"
}

@test "shapes that differ from step to step are dynamic, those that differ from layer to layer are not" {
    unmarked PROF_A 'if kind == "MatMul": o["shape"] = (16 + 7 * step + i, 512)'
    found dynamic-shapes PROF_A 20.0 # 2 of 10 operators of equal length
    unmarked PROF_B 'if kind == "MatMul": o["name"] = "aclnnMatmul"; o["shape"] = (16 + 7 * i, 512)'
    passed dynamic-shapes PROF_B
}

@test "operators that keep no unit busy for half of their time have no bound" {
    for busy in 40 85; do
        program PROF_A <<PY
for step in range(12):
    p.op('a', 'MatMul', 60, gap=1, counters=(0, $busy, 5, 20, 30, 10))
    p.op('b', 'MatMul', 40, gap=1, counters=(0, 85, 5, 20, 30, 10))
    p.op('short', 'MatMul', 10, gap=1, counters=(0, 20, 5, 20, 30, 10))
PY
        if [ "$busy" -eq 40 ]; then found no-bound PROF_A 54.55; else passed no-bound PROF_A; fi # 60 of 110 us
    done
}

@test "products with an inner axis that is no multiple of 256, and attention with a head that is none of 128, are found where cubes are not busy" {
    axis() {
        program PROF_A <<PY
for step in range(12):
    at = p.host
    p.op('a', '$1', 60, gap=1, counters=(0, $3, 5, 20, 30, 10))
    p.prof.tensors(at + 90, 'a', [(0, 2, 1, $2), (0, 2, 1, $2), (1, 2, 1, (64, 64))])
    p.op('b', 'Add', 40, gap=1, counters=(80, 0, 5, 20, 30, 10))
PY
    }
    axis MatMulV2 '(64, 100)' 40
    found inner-axis PROF_A 60.0
    axis MatMulV2 '(64, 512)' 40
    passed inner-axis PROF_A
    axis MatMulV2 '(64, 100)' 85
    passed inner-axis PROF_A
    axis MatMulV2 '(4, 6, 16, 16)' 40 # a format of blocks
    passed inner-axis PROF_A
    axis FlashAttentionScore '(1, 8, 64, 96)' 40
    found inner-axis PROF_A 60.0
    axis FlashAttentionScore '(1, 8, 64, 128)' 40
    passed inner-axis PROF_A
}

@test "vector operators with such an inner axis are found where neither their vector unit nor the ones that move data are busy" {
    vector() { # inner axis, busy of the vector unit, of loading
        program PROF_A <<PY
p.count_vectors()
for step in range(12):
    at = p.host
    p.op('a', 'SoftmaxV2', 60, gap=1, core=VECTOR, counters=($2, 0, 5, 0, $3, 10))
    p.prof.tensors(at + 90, 'a', [(0, 2, 1, (64, $1)), (1, 2, 1, (64, $1))])
    p.op('b', 'Add', 40, gap=1, core=VECTOR, counters=(80, 0, 5, 0, 30, 10))
PY
    }
    vector 100 40 30
    found inner-axis PROF_A 60.0
    vector 512 40 30
    passed inner-axis PROF_A
    vector 100 75 30
    passed inner-axis PROF_A
    vector 100 40 75 # it waits for memory
    passed inner-axis PROF_A
}

@test "cores that samples show at work for longer than others are found, with what the others do less" {
    sampled() { # cycles of all cores but one, which has 90,000
        program PROF_A <<PY
p.prof.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'ai_core_profiling_events': PIPES, 'ai_core_profiling_mode': 'sample-based'}
for step in range(12):
    start, end = p.op('a', 'MatMul', 100, gap=1)
    for core in range(8): p.prof.core_sample(end, core, 90_000 if core == 3 else $1)
PY
    }
    sampled 30_000
    found uneven-cores PROF_A 58.33
    expect_equal "$(json '[(f["at_stake"], f["saves"]) for f in d["findings"] if f["id"] == "uneven-cores"]')" "[(630.0, None)]"
    sampled 88_000
    passed uneven-cores PROF_A
    run_msprof -q advise PROF_A --step 3
    expect_not_contains "$output" "uneven-cores: not checked"
    program PROF_A <<'PY'
for step in range(12): p.op('a', 'MatMul', 100, gap=1)
PY
    expect_equal "$(verdict_of uneven-cores PROF_A)" "not checked"
}

@test "counters of other cores than an operator ran on bound nothing: unknown, and N/A" {
    program PROF_A <<'PY'
for step in range(12):
    p.op('mm', 'MatMul', 60, gap=1, counters=(0, 85, 5, 20, 30, 10))
    p.op('add', 'Add', 40, gap=1, core=VECTOR, counters=(40, 0, 5, 0, 30, 10)) # vector cores did not count
PY
    run_msprof -q show PROF_A --table bound --format json
    expect_equal "$(json '[(r["Bound"], r["Compute(%)"], r["Occupied(%)"]) for r in d]')" "[('compute', 85, 100), ('unknown', 'N/A', 'N/A')]"
    passed no-bound PROF_A
}

@test "batch norms that synchronise are found" {
    unmarked PROF_A 'if i == 3: o["kind"] = "SyncBatchNormGatherStatsWithCounts"'
    found sync-batch-norm PROF_A 10.0
    unmarked PROF_B 'if i == 3: o["kind"] = "BatchNorm"'
    passed sync-batch-norm PROF_B
}

@test "operators that are compiled in every step are found, one that is compiled before is not" {
    unmarked PROF_A 'if i == 6: o["before"] = ("aclopCompileAndExecute", 850)'
    expect_contains "$(verdict_of repeated-compilation PROF_A)" "11 calls compile operators after the first step and take 9.350 ms"
    unmarked PROF_B 'if (step, i) == (0, 2): o["before"] = ("aclopCompileAndExecute", 850)'
    passed repeated-compilation PROF_B
}

@test "launches that are each waited for are found, a wait at the end of a step is not" {
    for every in 1 10; do
        program PROF_A <<PY
for step in range(12):
    for i in range(10):
        p.late()
        p.op('l%d/mm' % i, 'MatMul', 50, gap=5)
        if i % $every == $every - 1:
            p.call('aclrtSynchronizeStream', p.host, p.at + 500, thread=1)
PY
        if [ "$every" -eq 1 ]; then found synchronise PROF_A 100.0; else passed synchronise PROF_A; fi
    done
}

@test "a pause without calls may be a collection of garbage, one with calls is none" {
    unmarked PROF_A 'if (step, i) == (7, 6): p.late(); p.host = p.at + 260_000_000; o["gap"] = 260_000.2'
    run_msprof -q advise PROF_A --format json
    expect_equal "$(json '[(f["at_stake"], f["saves"]) for f in d["findings"] if f["id"] == "garbage-collection"]')" "[(260000.2, 259999.2)]"
    unmarked PROF_B 'if (step, i) == (7, 6): o["before"] = ("aclrtMallocHostSlow", 260_000)'
    passed garbage-collection PROF_B
}

@test "collections of garbage and waits for data that the framework recorded are found by the time in which the device does nothing" {
    cp -r "$repository/testdata/frameworks/run_ascend_pt" run_ascend_pt
    chmod -R u+w run_ascend_pt
    expect_equal "$(verdict_of data-loader run_ascend_pt)" "not checked"
    run_msprof -q show run_ascend_pt --table gaps --format json
    json 'round(sum(r["Length(us)"] for r in d), 2)' >idle
    # the collection that it has, as long as the run; an operator around all others becomes one of the loader
    python3 - run_ascend_pt/FRAMEWORK/torch.gc_record <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
process, start, end = struct.unpack_from('<3Q', data)
open(sys.argv[1], 'wb').write(struct.pack('<3Q', process, start - 10**6, end + 10**6))
PY
    python3 - run_ascend_pt/FRAMEWORK/torch.op_range <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
at = data.index(b'npu::npu_transpose')
data[at:at + 18] = b'DataLoader.GetNext'
begin = 0 # of the record that the name is of
while begin + 6 + struct.unpack_from('<HI', data, begin)[1] < at:
    begin += 6 + struct.unpack_from('<HI', data, begin)[1]
start, end = struct.unpack_from('<qq', data, begin + 6)
struct.pack_into('<qq', data, begin + 6, start - 10**9, end + 10**9)
open(sys.argv[1], 'wb').write(data)
PY
    run_msprof -q advise run_ascend_pt --format json
    for rule in garbage-collection data-loader; do
        expect_equal "$(json '[round(f["at_stake"], 2) for f in d["findings"] if f["id"] == "'$rule'"]')" "[$(<idle)]"
    done
}

# Steps of two operators and a communication operator, as the Python $2 says.
communicating() {
    program "$1" <<PY
for step in range(12):
    p.op('a', 'MatMul', 100, gap=1)
    $2
    p.op('b', 'Add', 40, gap=1)
PY
}

@test "transfers that are small for their link are found, and those of no multiple of 512 bytes" {
    communicating PROF_A 'p.communicate(us=60, size=32_000_000 if step % 3 else 15_990_784)'
    found small-packets PROF_A 33.33
    passed unaligned PROF_A
    communicating PROF_B 'p.communicate(us=60, size=32_000_000 + 100 * (step % 2))'
    found unaligned PROF_B 50.0
    passed small-packets PROF_B
    communicating PROF_C 'p.communicate(us=60, size=2_000_000 if step % 2 else 900_000, rdma=True)'
    found small-packets PROF_C 50.0
    communicating PROF_D 'p.communicate(us=60, size=2_000_000, rdma=True)'
    passed small-packets PROF_D
}

@test "communication that computing slows down is found by its bandwidth alone" {
    # 100 us beside computing in every second step, 60 us alone
    communicating PROF_A 'p.communicate(us=100 if step % 2 else 60, back=100 if step % 2 else 0, size=32_000_000)'
    found contention PROF_A 40.0
    communicating PROF_B 'p.communicate(us=60, back=60 if step % 2 else 0, size=32_000_000)'
    passed contention PROF_B
    communicating PROF_C 'p.communicate(us=60, size=32_000_000)'
    expect_equal "$(verdict_of contention PROF_C)" "not checked"
}

@test "a run by RDMA of four seconds may have been sent again" {
    communicating PROF_A 'p.communicate(us=4_200_000 if step == 5 else 60, size=2_000_000, rdma=True)'
    expect_contains "$(verdict_of retransmission PROF_A)" "hcom_allReduce__006 transfers by RDMA for 4.200 s in one run"
    communicating PROF_B 'p.communicate(us=60, size=2_000_000, rdma=True)'
    passed retransmission PROF_B
}

@test "memory that is reserved and not used, and memory that every step keeps, are found" {
    unmarked PROF_A 'if i == 2: p.late(); p.prof.memory(p.host + 5, "l0/Add", 4096 * (1 + step), 1 << 20, allocated=(1 + step) << 20, reserved=24 << 20)'
    found fragmentation PROF_A 50.0 # 12 of 24 MiB
    found memory-leak PROF_A 91.67  # from 1 to 12 MiB
    unmarked PROF_B '
        if i == 2: p.late(); p.prof.memory(p.host + 5, "l0/Add", 4096, 1 << 20, allocated=22 << 20, reserved=24 << 20)
        if i == 8: p.prof.memory(p.host + 5, "l0/Add", 4096, -(1 << 20), allocated=21 << 20, reserved=24 << 20)'
    passed fragmentation PROF_B
    passed memory-leak PROF_B
}

@test "memory that every step keeps is found where the host is done before the device has ended a step, and released memory is not" {
    unmarked PROF_A 'if i == 2: p.prof.memory(p.host + 5, "l0/Add", 4096 * (1 + step), 1 << 20, allocated=(1 + step) << 20, reserved=24 << 20)'
    found memory-leak PROF_A 91.67
    unmarked PROF_B '
        if i == 2: p.prof.memory(p.host + 5, "l0/Add", 4096 * (1 + step), 1 << 20, allocated=22 << 20, reserved=24 << 20)
        if i == 8: p.prof.memory(p.host + 5, "l0/Add", 4096 * (1 + step), -(1 << 20), allocated=21 << 20, reserved=24 << 20)'
    passed memory-leak PROF_B
}

@test "blocks of one task that take longer on one core than on the others are found" {
    for longest in 100 52; do
        program PROF_A <<PY
p.prof.chip = 15
EVENTS = '0x501,0x301,0x1,0x701,0x202,0x203,0x34,0x35,0x714'
p.prof.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'aiv_metrics': 'PipeUtilization', 'taskBlock': 'on',
                     'ai_core_profiling_events': EVENTS, 'aiv_profiling_events': EVENTS}
def pmu(function, start, end, task, block=0):
    p.prof._device(0, 'ffts_profile', p_struct.pack('<HHIQBBHBBHHHI10QQQ', function, 0x6bd3, task, 1000, 0, 0, 0, 0, block, 0, 0,
                                                    block, 0, *[10] * 10, p.prof._ticks(start), p.prof._ticks(end)), 128)
import struct as p_struct
for number in range(12):
    start = 100000 * (2 * number + 1)
    p.prof.launch(1000 * number, 5, number + 1, 'cube')
    for function, time in ((0, start), (1, start + 100000)):
        p.prof._device(0, 'stars_soc', p_struct.pack('<HHIQHH12x', function | (2 * number + function) % 16 << 6, 0x6bd3, number + 1,
                                                     p.prof._ticks(time), 0, 3), 32)
    pmu(0x2a, start, start + 100000, number + 1)
    for block, us in enumerate((50, 50, 50, $longest)):
        pmu(0x29, start, start + 1000 * us, number + 1, block)
PY
        # a mean of 62.5 us, the longest 100
        if [ "$longest" -eq 100 ]; then found uneven-cores PROF_A 37.5; else passed uneven-cores PROF_A; fi
    done
}

@test "steps of warm-up tell how long a cold start takes" {
    unmarked PROF_A 'if step == 0: o["us"] = 1050'
    run_msprof -q advise PROF_A --format json
    expect_equal "$(json '[(f["at_stake"], f["saves"]) for f in d["findings"] if f["id"] == "cold-start"]')" "[(10000.0, 10000)]"
    unmarked PROF_B 'pass'
    passed cold-start PROF_B
}

@test "operators that follow each other again and again and wait more than they run can be fused" {
    for gap in 20 1; do
        program PROF_A <<PY
for step in range(12):
    p.op('mm', 'MatMul', 400, gap=1)
    p.op('mul', 'Mul', 5, gap=1)
    p.op('add', 'Add', 5, gap=$gap)
    p.op('cast', 'Cast', 5, gap=$gap)
PY
        if [ "$gap" -eq 20 ]; then
            # 12 times 55 us of 457, in 15 of which they run
            found fusible-sequence PROF_A 12.04
            expect_equal "$(json '[(e["name"], e["count"], round(e["share"], 1)) for f in d["findings"] if f["id"] == "fusible-sequence" for e in f["evidence"]][0]')" \
                "('mul, add, cast', 12, 27.3)"
        else
            passed fusible-sequence PROF_A
        fi
    done
}

@test "a low frequency of the cores puts time of operators on them at stake, not that of the AI CPU" {
    for mhz in 700 1000; do
        program PROF_A <<PY
p.prof.frequency([(0, $mhz)])
for step in range(20):
    p.op('a', 'MatMul', 60, gap=1)
    p.op('b', 'Index', 30, gap=1, core=AI_CPU)
PY
        if [ "$mhz" -eq 700 ]; then
            found frequency PROF_A 30.0
            # 20 times 60 us
            expect_equal "$(json '[(f["at_stake"], f["saves"]) for f in d["findings"] if f["id"] == "frequency"]')" "[(360.0, 360)]"
        else
            passed frequency PROF_A
        fi
    done
}

@test "what msprof-analyze checks has a rule or a table here, and tests of both cases" {
    "$MSPROF" advise --list --format json >rules
    "$MSPROF" cluster --table list >tables
    python3 - rules tables "$repository" <<'PY'
import glob, json, re, sys
rules = {rule['id'] for rule in json.load(open(sys.argv[1]))['rules']}
tables = set(re.findall(r'^(\w+)  ', open(sys.argv[2]).read(), re.M))
text = open(sys.argv[3] + '/docs/answers.md').read().split('## What msprof-analyze checks')[1].split('\n## ')[0]
rows = [[cell.strip() for cell in line.strip('|').split('|')] for line in text.splitlines() if line.startswith('| ')][1:]
named = {'rule': set(), 'table': set(), 'answer': set()}
assert len(rows) > 35, len(rows)
for name, here, tests in rows:
    if here.startswith('nothing: '):
        assert not tests, name
        continue
    kind, names = here.split(' ', 1)
    file, = glob.glob('%s/tests/answers/%s' % (sys.argv[3], tests)) + glob.glob('%s/tests/cluster/%s' % (sys.argv[3], tests))
    tested = open(file).read()
    if file.endswith('rank_tables.bats'):
        tested += open(file[:-4] + 'py').read()
    for each in names.split(', '):
        named[kind].add(each)
        if kind == 'answer':
            found, quiet = each + '.* [0-9]', r'%s: (no|none) |expect_not_contains "\$output" "%s' % (each.split(':')[0], each)
            assert re.search(found, tested) and re.search(quiet, tested), (name, each)
            continue
        assert each in (rules if kind == 'rule' else tables), (name, each)
        if tests == 'planted_rules.bats':  # the cause is found, and without it the rule passes
            assert re.search(r'(found|verdict_of) %s |== "%s"' % (each, each), tested), each
            assert re.search(r'passed %s ' % each, tested), each
        elif tests == 'planted_savings.bats':
            assert re.search(r'(pair|told_against_truth) %s ' % each, tested), each
        elif tests == 'answers.bats':
            assert "'$rule' == '%s'" % each in tested, each
        else:
            assert each in tested, each
assert named['table'] == tables, named['table'] ^ tables
PY
}
