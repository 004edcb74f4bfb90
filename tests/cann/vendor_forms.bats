#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What timelines of --trace-compat and databases for viewers hold in the forms of Ascend's tool: names, threads, arrows.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3 sqlite3
}

# Makes the timeline, compatible or not, and runs the Python on standard input, which has its events, counters by name and
# process, and names of threads by process.
events() { # options of export timeline
    rm -rf out
    run_msprof export timeline -q --stable-names --output out "$@" PROF_1
    expect_status 0
    {
        cat <<'END'
import json
events = json.load(open('out/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
process = {e['pid']: e['args']['name'] for e in events if e['name'] == 'process_name'}
def counters(name):
    return [(e['name'], e['tid'], e['args']) for e in events if e['ph'] == 'C' and process[e['pid']] == name]
def threads(name):
    return {e['tid']: e['args']['name'] for e in events if e['name'] == 'thread_name' and process[e['pid']] == name}
END
        cat
    } >events.py
    python3 events.py
}

# Writes a capture of the chip whose scheduler sampled the power of dies 0 to 2 at two times: the eleventh value of twenty,
# of pairs that are swapped, is 100 times the sample and the die.
write_power() { # chip, nanoseconds of warm-up
    write_capture <<END
p = Prof("PROF_1", chip=$1)
p.warm_up = ${2:-0}
p.hash('a name')
for sample in (1, 2):
    for die in (0, 1, 2):
        values = [9000 + place for place in range(20)]
        values[11] = 1000 * sample + 100 * die
        p._device(0, 'stars_soc_profile', struct.pack('<HHIQQ20H', 0x1d | die << 10 | (3 * sample + die - 3) << 6, 0x6bd3, 0,
                                                      p._ticks(1000 * sample), 0, *values), 64)
END
}

@test "chips 15 and 16 have the frequency of each die with cores, in every timeline and in the database" {
    local chip compat
    for chip in 15 16 5; do
        rm -rf PROF_1
        write_power $chip
        for compat in '' --trace-compat; do
            # shellcheck disable=SC2086 # an option, or none
            events $compat <<END
found = [(name, args) for name, _, args in counters('AI Core Freq') if 'Die' in name]
assert found == ([('AI Core Freq Die %d' % die, {'MHz': 1000 * sample + 100 * die}) for sample in (1, 2) for die in (0, 1)]
                 if $chip != 5 else []), found
END
        done
        run_msprof export db -q --stable-names PROF_1
        expect_equal "$chip: $(sqlite3 PROF_1/msprof.db "SELECT group_concat(dieId || ' ' || freq) FROM
            (SELECT * FROM AICORE_FREQ WHERE dieId >= 0 ORDER BY timestampNs, dieId)")" \
            "$chip: $([ $chip -eq 5 ] || echo '0 1000,1 1100,0 2000,1 2100')"
    done
    # what was sampled before the collection started is in neither
    rm -rf PROF_1
    write_power 15 2000
    events <<'END'
assert [args for name, _, args in counters('AI Core Freq') if 'Die' in name] == [{'MHz': 2000}, {'MHz': 2100}]
END
    run_msprof export db -q --stable-names PROF_1
    expect_equal "$(sqlite3 PROF_1/msprof.db "SELECT group_concat(freq) FROM (SELECT freq FROM AICORE_FREQ WHERE dieId >= 0
        ORDER BY dieId)")" 2000,2100
}

@test "frequencies that a chip of any kind recorded are on its timeline; one that only the configuration tells is on those of 910B and 310B" {
    local chip
    for chip in 1 5 7 8 11 15; do
        rm -rf PROF_1
        write_capture <<END
p = Prof("PROF_1", chip=$chip)
p.hash('a name')
p.frequency([(2000, 800), (3000, 900)])
END
        events <<<"assert [args['MHz'] for _, _, args in counters('AI Core Freq')][1:3] == [800, 900], counters('AI Core Freq')"
        rm -rf PROF_1
        write_capture <<END
p = Prof("PROF_1", chip=$chip)
p.hash('a name')
p.call(ACL, 0x50001, 0, 100)
END
        events <<<"assert bool(counters('AI Core Freq')) == ($chip in (5, 7)), counters('AI Core Freq')"
    done
}

@test "with --trace-compat an arrow begins at each mark that has a number, whether a device saw it or not" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof_tx import TxProf
p = TxProf('PROF_1')
p.tx(0, 10, 'no number', category=3)
p.tx(20, 20, 'seen', info=1, mark=2, event=3, domain='default')
p.tx(40, 60, 'not seen', info=1, mark=5, event=2, domain='default')
p.mark(1000, 3, 2)
p.write()
END
    events --trace-compat <<'END'
ends = sorted((e['ph'], e['id']) for e in events if e.get('cat') == 'MsTx')
assert ends == [('f', '4000000003'), ('s', '4000000003'), ('s', '4000000006')], ends
END
    events <<'END'
ends = sorted((e['ph'], e['id']) for e in events if e.get('cat') == 'MsTx')
assert ends == [('f', '4000000003'), ('s', '4000000003')], ends
END
}

@test "in the database a record of memory that gives nothing back is an allocation, also of no bytes" {
    write_capture <<'END'
p.launch(1000, 3, 7, 'op')
p.ran(20000, 21000, 3, 7)
p.memory(1000, 'op', 0x1000, 4096, 4096, 65536)
p.memory(2000, 'op', 0x1000, 0, 4096, 65536)
p.memory(6500, 'op', 0x1000, -4096, 0, 65536)
END
    run_msprof export db -q --stable-names PROF_1
    expect_equal "$(sqlite3 PROF_1/msprof.db "SELECT group_concat(value || ' ' || size) FROM (SELECT s.value, size FROM NPU_OP_MEM m
        JOIN STRING_IDS s ON s.id = m.type ORDER BY timestampNs)")" "allocate 4096,allocate 0,release 4096"
}

@test "the database has raw counts of counters that a user chose or that a group has in no metric, and numbers of what op_summary of chips 7, 8 and 11 has as N/A" {
    local chip events metrics column raw text
    while read -r chip events metrics column raw text; do
        rm -rf PROF_1 out
        write_capture <<END
p = Prof("PROF_1", chip=$chip)
p.samples[0] = {'ai_core_metrics': '$metrics', 'aiv_metrics': '$metrics', 'ai_core_profiling_events': '$events',
                'aiv_profiling_events': '$events'}
p.launch(0, 1, 1, 'op')
p.ran(5000, 11000, 1, 1)
p.pmu(5000, 11000, 1, 1, 4000, [700, 36, 58])
END
        for kind in summary db; do
            run_msprof export $kind -q --stable-names --output out PROF_1
            expect_status 0
        done
        expect_equal "$chip $column: $(sqlite3 out/msprof.db "SELECT round(p.value, 4) FROM TASK_PMU_INFO p JOIN STRING_IDS s
            ON s.id = p.name WHERE s.value = '${column%%(*}'")" "$chip $column: $raw"
        expect_equal "$chip: $(python3 -c 'import csv, sys
print(next(csv.DictReader(open("out/mindstudio_profiler_output/op_summary.csv", encoding="utf-8")))[sys.argv[1]])' "$column")" "$chip: $text"
    done <<'END'
5 0x15,0x416,0x9 Custom:0x15,0x416,0x9 aic_r416 36.0 36
5 0x15,0x416,0x9 Custom:0x15,0x416,0x9 aiv_r15 0.0 0
1 0x15,0x416,0x9 Custom:0x15,0x416,0x9 r15 700.0 700
8 0x15,0x416,0x9 Custom:0x15,0x416,0x9 r9 58.0 58
5 0x8,0xa,0x7f PipeUtilization aic_r7f 58.0 58
1 0x8,0xa,0x7f PipeUtilization r7f 58.0 58
7 0x8,0xa,0x9 PipeUtilization vec_ratio 0.175 N/A
8 0x8,0xa,0x9 PipeUtilization mac_ratio 0.009 0.009
11 0x64,0x65,0x66 ResourceConflictRatio vec_bank_cflt_ratio 0.009 N/A
8 0x15,0x16,0x31 Memory ub_read_bw(GB/s) 20.8616 N/A
1 0x15,0x16,0x31 Memory ub_read_bw(GB/s) 20.8616 20.862
END
}

@test "with --trace-compat times of reductions have their number, which counts on through all iterations on 910B" {
    local chip
    for chip in 1 5; do
        rm -rf PROF_1
        write_capture <<END
p = Prof("PROF_1", chip=$chip)
for time, tag in ((1000, 0), (2000, 2), (3000, 10000), (3500, 10001), (6000, 3), (7000, 4), (8000, 2), (8100, 10000),
                  (8200, 10001), (8300, 10002), (8400, 10003), (9000, 3), (9500, 4), (9900, 1)):
    p.step(time, tag, 3)
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
END
        events --trace-compat <<END
found = [(e['name'], sorted(set(e['args']) - {'Iteration ID'})) for e in events if e['name'].startswith('Reduce_')]
numbers = (0, 1, 2) if $chip == 5 else (0, 0, 1)
assert found == [('Reduce_%d_%d' % (iteration, n), ['Reduce End %d' % n, 'Reduce Start %d' % n])
                 for iteration, n in zip((1, 2, 2), numbers)], found
END
        events <<'END'
found = [(e['name'], sorted(set(e['args']) - {'Iteration ID'})) for e in events if e['name'].startswith('Reduce_')]
assert found == [(name, ['Reduce End', 'Reduce Start']) for name in ('Reduce_1_0', 'Reduce_2_0', 'Reduce_2_1')], found
END
    done
}

@test "a kernel of no length is no slice of Computing, in timelines and in the database" {
    write_capture <<'END'
for task, (begin, end) in enumerate(((5000, 6000), (8000, 8000), (9000, 9500)), 1):
    p.launch(100 * task, 1, task, 'op')
    p.ran(begin, end, 1, task)
END
    for compat in '' --trace-compat; do
        # shellcheck disable=SC2086 # an option, or none
        events $compat <<'END'
found = [(e['name'], e['dur']) for e in events if e['ph'] == 'X' and process[e['pid']] == 'Overlap Analysis']
assert sorted(found) == [('Computing', 0.5), ('Computing', 1), ('Free', 3)], found
END
    done
    run_msprof export db -q --stable-names PROF_1
    expect_equal "$(sqlite3 PROF_1/msprof.db "SELECT group_concat(type || ' ' || (endNs - startNs)) FROM
        (SELECT * FROM OVERLAP_ANALYSIS ORDER BY startNs)")" "0 1000,3 3000,0 500"
}

@test "with --trace-compat traffic of chips 15 and 16 over PCIE has a value under the name of each die" {
    write_capture <<'END'
p = Prof("PROF_1", chip=15)
p.hash('a name')
for number, die in enumerate((0, 1, 3)):
    p._device(0, 'stars_soc_profile', struct.pack('<HHIQQQ32x', 0x1b | die << 10 | number << 6, 0x6bd3, 0,
                                                  p._ticks(1000 + 20 * number), 500 + die, 700 + die), 64)
END
    events --trace-compat <<'END'
found = counters('Stars Chip Trans')
assert sorted(found, key=str) == sorted(
    [(name, 100010, {'U-Die%d' % die: value + die}) for die in (0, 1, 3)
     for name, value in (('PCIE Write Bandwidth', 500), ('PCIE Read Bandwidth', 700))], key=str), found
END
    events <<'END'
found = sorted((name, thread, list(args.values())) for name, thread, args in counters('Stars Chip Trans'))
assert found == [('PCIE %s Bandwidth %d' % (way, die), 0, [value + die])
                 for way, value in (('Read', 700), ('Write', 500)) for die in (0, 1, 3)], found
END
}

# Writes a capture of a collective of two tasks, of which transfers on plane 1 and 2 are told at level 1 alone.
write_collective() { # level
    write_capture <<END
p.samples[0] = {'profLevel': 'l$1'}
p.call(NODE, LAUNCH, 900, 9000, item=p.hash('hcom_allReduce__1'))
p.node(8000, 'hcom_allReduce__1', 'hcom_allReduce_', task_type=9)
p.collective(8100, 'ring')
for task, begin in ((1, 1100), (2, 1300)):
    p.call(COMMUNICATION, MASTER, begin - 20, begin + 120, item=p.hash('hcom_allReduce__1'))
    p.call(RUNTIME, 1, begin, begin + 100)
    p.track(begin + 50, 3, task, task_type='MEMCPY_ASYNC')
    if $1:
        p.transfer(begin + 20, 'Memcpy', 'ring', task, size=100)
    p.ran(20_000 + 1000 * task, 20_500 + 1000 * task, 3, task, kind=11)
END
}

@test "with --trace-compat a collective of which nothing was reported at level 0 has the tool's empty plane 0" {
    write_collective 0
    local of_ring="0: 'Group ring Communication'"
    events --trace-compat <<END
assert threads('Communication') == {$of_ring, 1: 'Plane 0'}, threads('Communication')
found = {(e['name'], e['tid']) for e in events if e['ph'] == 'X' and process[e['pid']] == 'Communication'}
assert len(found) == 1 and found.pop()[1] == 0, found
END
    events <<<"assert threads('Communication') == {$of_ring}, threads('Communication')"
    rm -rf PROF_1
    write_collective 1
    events --trace-compat <<END
assert list(threads('Communication').values()) == ['Group ring Communication', 'Plane 1', 'Plane 2'], threads('Communication')
END
}

@test "with --trace-compat tasks of a DPU stand under CANN with its number, and ports of UB under the tool's name" {
    write_capture <<'END'
p = Prof("PROF_1", chip=15)
p.hash('a name')
p._add(p.host, 'unaging.compact.dpu_track', struct.pack('<HHIIIQHHIIIQ16x', 0x5a5a, 4000, 1, 55, 40, MONOTONIC + 9300,
                                                        1 << 12 | 2, 3, 9, 900, 0, MONOTONIC + 9000), 64)
p._device(0, 'ub', struct.pack('<4H15Q', 0, 0, 1, 0, 320, *[1] * 14), 128)
END
    events --trace-compat <<'END'
about = {(e['name'], str(e['args'].get('name', e['args'].get('labels', e['args'].get('sort_index'))))) for e in events if e['ph'] == 'M'}
assert {('process_name', 'CANN'), ('process_labels', 'DPU 2'), ('process_sort_index', '8')} <= about, about
assert {('process_name', 'Ub'), ('process_sort_index', '33')} <= about, about
assert [(name, sorted(args)) for name, _, args in counters('Ub')] == [('UB Port001', ['bandwidth_rx(MB/s)', 'bandwidth_tx(MB/s)'])]
END
    events <<'END'
names = set(process.values())
assert {'DPU', 'UB'} <= names and 'Ub' not in names, names
END
}
