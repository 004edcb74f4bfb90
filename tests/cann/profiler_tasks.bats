#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the profiler, the driver and CANN's tool leave beside a program's own records.
# bats file_tags=once

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

# Two operators, with 20 us between them, and an event behind; a second capture has the profiler's tasks around them,
# voltages of before and after the start, and files of CANN's tool.
make_captures() {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import os
import struct
import sys
sys.path.insert(0, sys.argv[1])
from prof import DEVICE_TICK, Prof


def voltages(what, *changes):
    pairs = b''.join(struct.pack('<QII', DEVICE_TICK + us * 50, value, 0) for us, value in changes)
    return (struct.pack('<II', len(changes), what) + pairs).ljust(888, b'\0')


for name in 'PROF_1', 'PROF_2':
    prof = Prof(name)
    prof.launch(1_000_000, 3, 1, 'first')
    prof.launch(1_010_000, 3, 2, 'second')
    tasks = [(1_100_000, 1_110_000, 3, 1), (1_130_000, 1_135_000, 3, 2), (1_150_000, 1_151_000, 3, 3)]
    if name == 'PROF_2':
        for task, (time, kind) in enumerate(((100_000, 'PROFILING_ENABLE'), (2_000_000, 'PROFILING_DISABLE'))):
            prof.call(5000, 1, time - 80_000, time - 40_000)
            prof.track(time - 60_000, 9, task, task_type=kind, kernel=None)
            tasks.append((time, time + 20, 9, task))
        prof.devices[0]['lpmInfoConv.data.0'] = voltages(1, (-90_000, 725), (-500, 775), (300, 750)) + voltages(2, (-9, 930)) + \
            voltages(0, (-90_000, 1650), (-500, 800), (400, 1650))
    for start, end, stream, task in sorted(tasks):
        prof.ran(start, end, stream, task)
    prof.write()
for part in '', '/host', '/device_0':
    for file in 'incompatible_features.json', 'prof_rule_0_20240418.json':
        with open(os.path.join('PROF_2' + part, file), 'w', encoding='utf-8') as stream:
            stream.write('{}')
END
}

@test "free time begins and ends with tasks of the program, whatever the profiler ran around them" {
    make_captures
    for name in PROF_1 PROF_2; do
        run_msprof_into "$name.json" show "$name" --table overlap_analysis --format json
        run_msprof export timeline "$name" --stable-names --trace-compat
    done
    python3 - <<'END'
import json
rows = []
for name in 'PROF_1', 'PROF_2':
    row = json.load(open(name + '.json', encoding='utf-8'))[0]
    assert (row['Computing(us)'], row['Free(us)'], row['Elapsed(us)']) == (15, 36, 51), row
    events = json.load(open(name + '/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
    lanes = {event['tid']: event['args']['name'] for event in events if event['name'] == 'thread_name'
             and event['args']['name'] in ('Computing', 'Communication', 'Communication(Not Overlapped)', 'Free')}
    assert lanes == {0: 'Communication', 1: 'Communication(Not Overlapped)', 2: 'Computing', 3: 'Free'}, lanes
    assert [float(event['dur']) for event in events if event['ph'] == 'X' and event['name'] == 'Free'] == [20, 16]
END
}

# Prints how many devices agree.
free_time() { # capture
    run_msprof export timeline "$1" --stable-names --trace-compat
    python3 "$BATS_TEST_DIRNAME/lib/free_time.py" "$MSPROF" "$1" "$1/sqlite/runtime.db"
}

@test "every answer has one free time, from the first to the last that a program launched, as a recalculation says" {
    make_captures
    # the third task is no operator: the last one that is ends before it
    expect_equal "$(free_time PROF_1)" "1 devices, 1 without steps"
    expect_equal "$(free_time PROF_2)" "1 devices, 1 without steps"
    for family in prof-910a prof-910b system-910b; do
        copy_family "$family" PROF_3
        # a clock whose ticks are no whole nanoseconds
        sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency":"49.999001"/' PROF_3/device_*/info.json.*
        expect_contains "$(free_time PROF_3)" "1 devices"
        rm -rf PROF_3
    done
}

@test "where the collection's start cuts a task, time begins with it in every answer, and with an operator that it cuts" {
    # the sixth runs over the start, or until it; number of the kind, what the host launched: an operator, a mark, a wait, a copy
    for kind in {0:KERNEL_AICORE,3:PLACE_HOLDER,4:EVENT_RECORD,6:NOTIFY_WAIT,11:MEMCPY_ASYNC}:{58000,55000}; do
        rm -rf PROF_1
        IFS=: read -r number launched end <<<"$kind"
        python3 - "$BATS_TEST_DIRNAME/lib" "$number" "$launched" "$end" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import Prof, RUNTIME
prof = Prof('PROF_1')
prof.warm_up = 55000
for i in range(10):
    at = 10000 * i
    if i != 4:
        prof.launch(at, 1, i, 'op%d' % i)
        prof.ran(at + 13000, at + 15000, 1, i)
    elif sys.argv[2] == '0':
        prof.launch(at, 3, 77, 'cut')
        prof.ran(41000, int(sys.argv[4]), 3, 77)
    else:
        prof.call(RUNTIME, 1, at, at + 10)
        prof.track(at + 5, 3, 77, task_type=sys.argv[3])
        prof.ran(41000, int(sys.argv[4]), 3, 77, kind=int(sys.argv[2]))
prof.write()
END
        run_msprof import PROF_1
        expect_equal "$(free_time PROF_1)" "1 devices, 1 without steps"
        run_msprof show PROF_1 --table overlap --format csv --columns step_time
        expect_equal "$(tail -n 1 "$BATS_TEST_TMPDIR/stdout")" "$([ "$number" -eq 0 ] && echo 64 || echo 50)"
    done
}

@test "a collective's kernel that the collection's start cuts counts whole, as an operator does, and so does what is exposed of it" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import Prof
prof = Prof('PROF_1')
prof.warm_up = 55000
prof.launch(0, 3, 77, 'allreduceAivKernel')
prof.log(0, 41000, 3, 77)
for i in range(1, 4):
    prof.launch(10000 * i, 1, i, 'op%d' % i)
    prof.ran(46000 + 10000 * i, 48000 + 10000 * i, 1, i)
    if i == 1:
        prof.log(1, 58000, 3, 77)
prof.write()
END
    run_msprof show PROF_1 --table overlap_analysis --format csv --columns elapsed,computing,communication,communication_not_overlapped,free
    expect_equal "$(tail -n 1 "$BATS_TEST_TMPDIR/stdout")" "37,6,17,15,16"
    run_msprof show PROF_1 --table overlap --format csv --columns step_time,computing,communication,exposed_comm,free
    expect_equal "$(tail -n 1 "$BATS_TEST_TMPDIR/stdout")" "37,6,17,15,16"
}

@test "a kernel without a length is no slice of Computing" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import Prof
prof = Prof('PROF_1')
for task, name in enumerate(('first', 'second', 'third'), 1):
    prof.launch(1_000_000 + 10_000 * task, 3, task, name)
for start, end, task in (1_100_000, 1_110_000, 1), (1_120_000, 1_120_000, 2), (1_130_000, 1_135_000, 3):
    prof.ran(start, end, 3, task)
prof.write()
END
    run_msprof export timeline PROF_1 --stable-names --trace-compat
    python3 - <<'END'
import json
events = json.load(open('PROF_1/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
lengths = [(event['name'], float(event['dur'])) for event in events if event['ph'] == 'X' and event['name'] in ('Computing', 'Free')]
assert sorted(lengths) == [('Computing', 5), ('Computing', 10), ('Free', 20)], lengths
END
    run_msprof export db PROF_1 --stable-names
    expect_equal "$(sqlite3 PROF_1/msprof.db 'SELECT count(*) FROM TASK WHERE endNs = startNs')" 1
}

@test "real captures have one free time" {
    needs_shared data/real-samples-2
    for capture in cann-310b-2024-04-addcmul cann-910b-2026-05-l1 cann-910b-2026-06-l1-mix cann-910b-2026-07-l0-kernels; do
        cp -r "$shared/data/real-samples-2/$capture"/PROF_* "$capture"
        chmod -R u+w "$capture"
        expect_contains "$(free_time "$capture")" "1 devices"
    done
}

@test "frequencies of the cores that only the records of voltages tell are those of the cores" {
    make_captures
    run_msprof export timeline PROF_2 --stable-names --trace-compat
    python3 - <<'END'
import json
events = json.load(open('PROF_2/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
changes = [(event['ts'], event['args']['MHz']) for event in events if event['ph'] == 'C' and event['name'] == 'AI Core Freq']
start = min(float(time) for time, _ in changes)
assert [mhz for _, mhz in changes][:2] == [800, 1650], changes
assert abs(float(changes[1][0]) - start - 400) < 1, changes
END
    # where both files tell them, the one of frequencies does
    sqlite3 PROF_2/sqlite/runtime.db "INSERT INTO core_frequency(file_id, device_id, time_ns, mhz)
        SELECT file_id, device_id, time_ns, value + 1 FROM core_voltage WHERE what = 0"
    expect_equal "$(sqlite3 PROF_2/sqlite/runtime.db 'SELECT DISTINCT mhz FROM core_frequency_report
        WHERE measured ORDER BY mhz')" $'801\n1651'
}

@test "a voltage of before the capture's start is that of its start" {
    make_captures
    run_msprof export timeline PROF_2 --stable-names --trace-compat
    python3 - <<'END'
import json
events = json.load(open('PROF_2/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
found = [(event['name'], event['ts'], *event['args'].values()) for event in events if 'Voltage' in event['name']]
assert found == [('Aicore Voltage(mV)', '1700000000000000.000', 775), ('Aicore Voltage(mV)', '1700000000000300.000', 750),
                 ('Bus Voltage(mV)', '1700000000000000.000', 930)], found
END
}

@test "a voltage at the very start is the first, one tick before it is the start's, and the last of before stands alone" {
    local changes expected
    while read -r changes expected; do
        rm -rf PROF_1
        python3 - "$BATS_TEST_DIRNAME/lib" "$changes" <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
from prof import DEVICE_TICK, Prof
prof = Prof('PROF_1')
prof.launch(1000, 3, 1, 'op')
prof.ran(100_000, 110_000, 3, 1)
changes = [tuple(map(int, change.split(':'))) for change in sys.argv[2].split(',')]
prof.devices[0]['lpmInfoConv.data.0'] = (struct.pack('<II', len(changes), 1) + b''.join(
    struct.pack('<QII', DEVICE_TICK + ticks, value, 0) for ticks, value in changes)).ljust(888, b'\0')
prof.write()
END
        run_msprof export timeline PROF_1 --stable-names --trace-compat
        expect_equal "$(python3 -c 'import json
events = json.load(open("PROF_1/mindstudio_profiler_output/msprof.json", encoding="utf-8"))
print(",".join("%s:%d" % (event["ts"][-7:], *event["args"].values()) for event in events if "Voltage" in event["name"]))')" "$expected"
    done <<'END'
-4000000:700,-50:725,0:730,2500:740 000.000:730,050.000:740
-4000000:711,-1:712 000.000:712
3500:777 070.000:777
-1:701,1:702 000.000:701,000.020:702
END
}

@test "files of CANN and its tool that hold no records are no strangers" {
    make_captures
    run_msprof import PROF_2
    expect_not_contains "$stderr" incompatible_features
    expect_not_contains "$stderr" prof_rule
}

@test "functions stand by their names, whichever part of the software they are of" {
    make_captures
    python3 - PROF_1 <<'END'
import struct
path = 'PROF_1/host/data/unaging.additional.type_info_dic.slice_0'
open(path, 'a', encoding='utf-8').write('20000_7:aclZ\n20000_8:mb\n')
with open('PROF_1/host/data/unaging.api_event.data.slice_0', 'ab') as stream:
    for kind in 7, 8:
        stream.write(struct.pack('<HHIIIQQQ', 0x5a5a, 20000, kind, 1, 0, 1_000_003_000_000, 1_000_003_001_000, 0))
END
    run_msprof_into calls.json show PROF_1 --table api_statistic --format json
    python3 - <<'END'
import json
names = [row['API Name'] for row in json.load(open('calls.json', encoding='utf-8'))]
assert names == ['LaunchKernel', 'aclZ', 'launch', 'mb'], names
END
}

@test "counters of another chip under a group's name are no metrics of it: they are shown as they were counted, and that is said" {
    local chip of
    for chip in 1 5 7; do
        for of in PipeUtilization:0x501,0x301,0x1 MemoryUB:0x400,0x401; do
            copy_family "prof-910$([ "$chip" -eq 1 ] && echo a || echo b)" PROF_1
            find PROF_1 -name '*.done' -delete
            python3 "$BATS_TEST_DIRNAME/lib/set_metrics.py" PROF_1 "$chip" "${of%:*}" "${of#*:}" "${of%:*}" "${of#*:}"
            run_msprof export summary PROF_1 --stable-names
            expect_status 0
            expect_contains "$stderr" "op_summary: unknown group of counters"
            IFS= read -r header <PROF_1/mindstudio_profiler_output/op_summary.csv
            events=${of#*:}
            expect_contains "$header" "r${events:2:3},"
            rm -rf PROF_1
        done
    done
}

@test "counters that no metric of their group shows are shown as they were counted, on every chip, and that is said" {
    local chip group events wanted
    while read -r chip group events wanted; do
        copy_family "prof-910$([ "$chip" -eq 1 ] && echo a || echo b)" PROF_1
        find PROF_1 -name '*.done' -delete
        python3 "$BATS_TEST_DIRNAME/lib/set_metrics.py" PROF_1 "$chip" "$group" "$events" "$group" "$events"
        run_msprof export summary PROF_1 --stable-names
        expect_status 0
        IFS= read -r header <PROF_1/mindstudio_profiler_output/op_summary.csv
        expect_equal "$chip $group: $(tr ',' '\n' <<<"$header" | grep -E '^(ai[cv]_)?r[0-9a-f]+$' | tr '\n' ' ')" "$chip $group: ${wanted//,/ }"
        if [ -n "$wanted" ]; then
            expect_contains "$stderr" "op_summary: counters of no metric of their group: each is shown as it was"
        else
            expect_not_contains "$stderr" "op_summary: "
        fi
        rm -rf PROF_1
    done <<'END'
5 PipeUtilization 0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x7f aic_r54,aic_r7f,aiv_r54,aiv_r7f,
1 PipeUtilization 0x8,0xa,0x9,0xb,0xc,0xd,0x416 r416,
7 PipelineExecuteUtilization 0x12c,0x49,0x4a,0x9,0x302,0xc,0xd,0x54 r54,
5 MemoryUB 0x10,0x13,0x37,0x38,0x3d,0x3e,0x43,0x44
5 PipeUtilization 0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55
END
}

@test "a group of counters that is not known is named, and its counters are there" {
    copy_family prof-910b PROF_1
    find PROF_1 -name '*.done' -delete
    python3 "$BATS_TEST_DIRNAME/lib/set_metrics.py" PROF_1 5 GroupOfTomorrow 0x1,0x7f GroupOfTomorrow 0x1,0x7f
    run_msprof export summary PROF_1 --stable-names
    expect_status 0
    expect_contains "$stderr" "op_summary: unknown group of counters"
    IFS= read -r header <PROF_1/mindstudio_profiler_output/op_summary.csv
    expect_contains "$header" ",aic_r1,aic_r7f,aiv_time(us),aiv_total_cycles,aiv_r1,aiv_r7f"
}
