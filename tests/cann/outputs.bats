#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What reports say of communication, copies, fused operators, steps and frequencies: captures made at random, with what
# comes out of them calculated again from their raw files; and small ones whose answer is known.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
    export PYTHONPATH=$BATS_TEST_DIRNAME/../lib
}

# summary, timeline or db; the captures' counters begin again with every record, which is told.
export_reports() {
    local report
    for report in "$@"; do
        run_msprof export "$report" -dir PROF_1
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    done
}

# Runs the Python on standard input on the timeline: slices are (process, thread, name, ts, dur, args).
events() {
    {
        cat <<'END'
import glob
from decimal import Decimal
from timeline import events_of
with open(glob.glob('PROF_1/mindstudio_profiler_output/msprof_[0-9]*.json')[0], encoding='utf-8') as stream:
    events = events_of(stream)
process = {e['pid']: e['args']['name'] for e in events if e['name'] == 'process_name'}
thread = {(e['pid'], e['tid']): e['args']['name'] for e in events if e['name'] == 'thread_name'}
slices = [(process[e['pid']], thread[e['pid'], e['tid']], e['name'], int(e['ts'] * 1000) % 1000000000,
           int(e['dur'] * 1000), e.get('args', {})) for e in events if e['ph'] == 'X']
END
        cat
    } >events.py
    python3 events.py
}

@test "communication, copies and fused operators come out as their raw records say" {
    for seed in 1 2 3; do
        rm -rf PROF_1
        python3 "$BATS_TEST_DIRNAME/lib/make_outputs.py" PROF_1 "$seed"
        export_reports summary timeline db
        python3 "$BATS_TEST_DIRNAME/lib/recompute_outputs.py" PROF_1
    done
}

@test "parts of a communication task are told apart by a range of contexts, and make its operator" {
    write_capture <<'END'
p.call(RUNTIME, 1, 20, 60)
p.track(40, 1, 1, task_type='FFTS_PLUS')
p.contexts(70, 'hcom', [3, 5])
p.transfer(71, 'Memcpy', 'group', 2, size=100, context=4)
p.call(COMMUNICATION, MASTER, 10, 80, item=p.hash('hcom'))
p.call(NODE, LAUNCH, 0, 90, item=p.hash('hcom'))
p.ran(1000, 2000, 1, 1)
for context in range(2, 7):
    p.ran_part(1000 * context, 1000 * context + 500, 1, 1, context, kind=8)
END
    export_reports timeline
    events <<'END'
found = sorted((thread, name, start, duration, args.get('context id'))
               for process, thread, name, start, duration, args in slices if process == 'Communication')
assert ('Plane 2', 'Memcpy', 4000, 500, 4) in found, found
assert ('Group group Communication', 'hcom_004_0_1', 3000, 2500, None) in found, found
assert not [entry for entry in found if entry[2] in (2000, 6000)], found
END
}

@test "a capture without communication has no trace of it" {
    write_capture <<'END'
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
END
    export_reports summary timeline
    [ "$(find PROF_1/mindstudio_profiler_output -name 'communication*' -o -name 'fusion*' | wc -l)" -eq 0 ]
    events <<'END'
assert 'Communication' not in process.values()
assert [entry[2] for entry in slices if entry[0] == 'Overlap Analysis'] == ['Computing']
END
}

@test "free is the time in which nothing computes or communicates, from the first task to the last" {
    write_capture <<'END'
p.launch(0, 1, 1, 'op')
p.track(150, 1, 2, task_type='EVENT_RECORD')
p.track(160, 1, 3, task_type='EVENT_RECORD')
p.ran(1000, 1100, 1, 2)
p.ran(2000, 3000, 1, 1)
p.ran(5000, 5400, 1, 3)
END
    export_reports timeline
    events <<'END'
found = sorted(entry[2:5] for entry in slices if entry[0] == 'Overlap Analysis')
assert found == [('Computing', 2000, 1000), ('Free', 1000, 1000), ('Free', 3000, 2400)], found
END
}

@test "iterations come out as the step marks of the device say" {
    write_capture <<'END'
import random
random.seed(7)
for model in (1, 2, 5):
    time, opened = random.randrange(0, 5000, 20), []
    for _ in range(400):
        time += random.randrange(20, 4000, 20)
        p.step(time, random.choice([0, 0, 1, 1, 2, 2, 3, 4, 5, 10000, 10001, 10002, 10003]), model,
               stream=random.randrange(2))
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
END
    export_reports summary timeline
    python3 "$BATS_TEST_DIRNAME/lib/recompute_steps.py" PROF_1
}

@test "the table of iterations has the columns of Ascend's tool, and the iteration begins where the last one ended" {
    write_capture <<'END'
for time, tag in ((1000, 0), (2000, 2), (5000, 10000), (5500, 10001), (6000, 3), (7000, 4), (8000, 2), (9000, 3),
                  (9500, 4), (9900, 1)):
    p.step(time, tag, 3)
p.step(20000, 20000, 3)
p.step(21000, 20001, 3)
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
END
    export_reports summary timeline
    expect_equal "$(tr -d '\t' <PROF_1/mindstudio_profiler_output/step_trace_*.csv)" "Device_id,Iteration ID,FP \
Start(us),BP End(us),Iteration End(us),Iteration Time(us),FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),\
Model ID,Reduce Start(us),Reduce Duration(us)
0,1,1700000000000002.000,1700000000000006.000,1700000000000007.000,6,4,1,N/A,3,1700000000000005.000,0.5
0,2,1700000000000008.000,1700000000000009.000,1700000000000009.500,2.5,1,0.5,1,3,N/A,N/A"
    events <<'END'
assert [entry[2:5] for entry in slices if entry[2] == 'GetNext'] == [('GetNext', 20000, 1000)]
END
}

@test "on chip 7, too, times of counted tasks are made of the measured frequency" {
    write_capture <<'END'
p.chip = 7
p.frequency([(-1000, 800)])
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
p.pmu(1000, 2000, 1, 1, 7777, range(1, 9))
END
    export_reports summary
    python3 - <<'END'
import csv, glob
with open(glob.glob('PROF_1/mindstudio_profiler_output/op_summary_*.csv')[0], newline='') as stream:
    (row,) = csv.DictReader(stream)
assert row['aicore_time(us)'] == '2.43', row  # 7777 cycles / 800 MHz / 4 blocks * 1 round on 8 cores
END
}

@test "the frequency of the AI cores is the measured one, and times of counted tasks are made of it" {
    write_capture <<'END'
p.frequency([(-1000, 1200), (2000, 800), (3000, 1650)])
p.frequency([(6000, 500)])
for i in range(5):
    p.launch(200 * i, 1, i + 1, 'op%d' % i)
    p.ran(1000 + 1500 * i, 2000 + 1500 * i, 1, i + 1)
    p.pmu(1000 + 1500 * i, 2000 + 1500 * i, 1, i + 1, 7777, range(1, 9))
END
    export_reports summary timeline db
    events <<'END'
found = [(int(e['ts'] * 1000) % 1000000000, e['args']['MHz']) for e in events if e['name'] == 'AI Core Freq'
         and e['ph'] == 'C']
assert found == [(0, 1200), (2000, 800), (3000, 1650), (6000, 500), (1000000, 500)], found
import csv
with open(glob.glob('PROF_1/mindstudio_profiler_output/op_summary_*.csv')[0], newline='') as stream:
    rows = list(csv.DictReader(stream))
# cycles / frequency at the task's end / blocks * rounds; 4 blocks on 8 cores
times = [Decimal(row['aicore_time(us)']) for row in rows]
expected = [(Decimal(7777) / mhz / 4).quantize(Decimal('0.001'), 'ROUND_HALF_UP') for mhz in (800, 1650, 1650, 500, 500)]
assert times == expected, (times, expected)
END
    [ "$(sqlite3 PROF_1/msprof_*.db "SELECT group_concat((timestampNs % 100000000) || ' ' || freq) FROM AICORE_FREQ")" = \
        "0 1200,2000 800,3000 1650,6000 500,1000000 500" ]
    [ "$(sqlite3 PROF_1/msprof_*.db "SELECT m.value FROM TASK_PMU_INFO m JOIN STRING_IDS s ON s.id = m.name
        WHERE s.value = 'aic_total_time' AND globalTaskId = 1")" = 2430.3125 ]
}

# A capture with every layer that this program shows.
write_layers() {
    write_capture <<'PY'
for time, tag in ((1000, 0), (2000, 2), (6000, 3), (7000, 4)):
    p.step(time, tag, 3)
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
p.call(RUNTIME, 1, 320, 360)
p.track(340, 2, 1, task_type='SDMA')
p.transfer(370, 'Memcpy', 'group', 0, size=100)
p.call(COMMUNICATION, MASTER, 310, 380, item=p.hash('hcom'))
p.call(NODE, LAUNCH, 300, 390, item=p.hash('hcom'))
p.ran(4000, 5000, 2, 1)
p.frequency([(2000, 800)])
PY
}

@test "-reports shows the layers that its file names, and no others" {
    write_layers
    local entry
    for entry in "ascend:Ascend Hardware" "cann:CANN" "hccl:Communication" "communication:Communication" \
        "overlap_analyse:Overlap Analysis" "freq:AI Core Freq" "step_trace:Ascend Hardware" "ddr:" "device_tx:"; do
        rm -rf PROF_1/mindstudio_profiler_output
        printf '{"json_process": {"%s": true, "npu_mem": false}}' "${entry%%:*}" >layers.json
        run_msprof export timeline -dir PROF_1 -reports layers.json
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
        if [ -z "${entry#*:}" ]; then # without events there is no file
            [ -z "$(find PROF_1/mindstudio_profiler_output -name 'msprof_[0-9]*')" ]
            continue
        fi
        shown=${entry#*:} layer=${entry%%:*} events <<'PY'
import os
named = {process[e['pid']] for e in events if e['ph'] in 'XCsf'}
assert named == {os.environ['shown']}, (os.environ['layer'], named)
assert any(e['name'] == 'op' for e in events if e['ph'] == 'X') == (os.environ['layer'] == 'ascend')
assert set(process.values()) - {'msprof'} >= named
PY
    done
}

@test "--reports takes names of layers, too, and tells which is none" {
    write_layers
    printf '{"json_process": {"ascend": true, "freq": true}}' >layers.json
    run_msprof export timeline PROF_1 --output A --stable-names --reports layers.json
    run_msprof export timeline PROF_1 --output B --stable-names --reports ascend,freq
    diff -r A/mindstudio_profiler_output B/mindstudio_profiler_output
    [ -n "$(ls B/mindstudio_profiler_output)" ]
    run_msprof export timeline PROF_1 --output C --reports ascend,frek
    expect_status 2
    expect_contains "$stderr" "'frek' of --reports is neither a file nor a layer (did you mean 'freq'?)"
    [ -z "$(find C -name '*.json')" ]
}

@test "the file of -reports says what is wrong with it" {
    write_layers
    local text
    for text in '{"json_process": {"cannn": true}}|has no layer .cannn' '{"json_process": {"cann": 1}}|neither true nor' \
        '{"json": {}}|no object json_process' '{"json_process": [|' '[]|no object json_process'; do
        printf '%s' "${text%%|*}" >layers.json
        run_msprof export timeline -dir PROF_1 -reports layers.json
        [ "$status" -ne 0 ]
        [[ "$stderr" == *layers.json* ]]
        [[ "$stderr" =~ ${text#*|} ]]
    done
    run_msprof export timeline -dir PROF_1 -reports none.json
    [ "$status" -ne 0 ]
    [[ "$stderr" == *none.json* ]]
    [ ! -e PROF_1/mindstudio_profiler_output ]
}

# Tasks 1 to 12 end at 1500, 2500 and so on; model 3 ends iterations at 4000, 8000 and 12000, and model 4 at 6000.
write_iterations() {
    write_capture <<'PY'
for i in range(12):
    p.launch(200 * i, 1, i + 1, 'op%d' % (i + 1))
    p.ran(1000 * (i + 1), 1000 * (i + 1) + 500, 1, i + 1)
for time, tag in ((500, 0), (4000, 4), (8000, 4), (12000, 4)):
    p.step(time, tag, 3)
for time, tag in ((700, 0), (6000, 4)):
    p.step(time, tag, 4)
PY
}

# The tasks of the reports of iterations: what op_summary, task_time, the timeline's tasks and its calls name.
expect_tasks() {
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    tasks=$1 python3 - <<'PY'
import csv, glob, os
from timeline import events_of
def rows(kind):
    with open(glob.glob('PROF_1/mindstudio_profiler_output/%s_[0-9]*.csv' % kind)[0], newline='') as stream:
        return list(csv.DictReader(stream))
with open(glob.glob('PROF_1/mindstudio_profiler_output/msprof_[0-9]*.json')[0]) as stream:
    events = events_of(stream)
tasks = os.environ['tasks'].split()
slices = [e for e in events if e['ph'] == 'X']
assert [row['Op Name'] for row in rows('op_summary')] == ['op' + task for task in tasks]
assert [row['task_id'] for row in rows('task_time')] == tasks
assert [e['name'] for e in slices if 'Task Type' in e.get('args', {})] == ['op' + task for task in tasks]
assert sorted(e['item_id'] for e in slices if e['name'] == 'Node@launch') == sorted('op' + t for t in tasks)
assert sum(int(row['Count']) for row in rows('op_statistic')) == len(tasks)
PY
}

@test "--iteration-id cuts the reports to what ended in an iteration" {
    write_iterations
    local wanted
    for wanted in "3 1:1 2 3" "3 2:4 5 6 7" "3 3:8 9 10 11" "4 1:1 2 3 4 5" "3 2 --iteration-count 2:4 5 6 7 8 9 10 11" \
        "3 2 --iteration-count 9:4 5 6 7 8 9 10 11"; do
        rm -rf PROF_1/mindstudio_profiler_output
        # shellcheck disable=SC2086 # the words are options
        set -- ${wanted%%:*}
        for report in summary timeline; do
            run_msprof export "$report" -dir PROF_1 --model-id "$1" --iteration-id "$2" "${@:3}"
        done
        expect_tasks "${wanted#*:}"
        [ -z "$(find PROF_1 -name '*.tmp*' -o -name '.*' -type f)" ]
    done
    rm -rf PROF_1/mindstudio_profiler_output
    export_reports summary timeline
    expect_tasks "1 2 3 4 5 6 7 8 9 10 11 12"
}

@test "an iteration that there is not is told, as is half an answer to which one" {
    write_iterations
    for wanted in "--model-id 3" "--iteration-id 2"; do
        # shellcheck disable=SC2086 # the words are options
        run_msprof export summary -dir PROF_1 $wanted
        [ "$status" -eq 2 ]
        [[ "$stderr" == *"is given without"* ]]
    done
    for wanted in "timeline --model-id 3 --iteration-id 4" "summary --model-id 7 --iteration-id 1" \
        "timeline --model-id 3 --iteration-id 9 --iteration-count 2"; do
        # shellcheck disable=SC2086 # the words are options
        run_msprof export $wanted -dir PROF_1
        [ "$status" -eq 4 ]
        [[ "$stderr" == *"has no iteration"* ]]
        [ -z "$(find PROF_1/mindstudio_profiler_output -type f)" ]
    done
}

@test "a table is cut after a million rows, operators and communication taken together" {
    write_capture <<'PY'
host, device, streams = 0, 1000, {}
def launch(stream, name, contexts, pieces):
    global host, device
    number = streams[stream] = streams.get(stream, 0) + 1
    p.call(RUNTIME, 1, host + 20, host + 60)
    p.track(host + 40, stream, number, task_type='FFTS_PLUS')
    p.node(host + 90, name, 'Type')
    p.contexts(host + 91, name, contexts)
    p.call(NODE, LAUNCH, host, host + 100, item=p.hash(name))
    host += 110
    for context in range(pieces):
        p.ran_part(device, device + 20, stream, number, context)
        device += 40
for i in range(18182):
    launch(1, 'op', range(55), 55)
    if i % 180 == 0: # a communication operator begins with a task of its own
        p.call(RUNTIME, 1, host + 20, host + 60)
        number = streams[2] = streams.get(2, 0) + 1
        p.track(host + 40, 2, number, task_type='SDMA')
        p.transfer(host + 70, 'Memcpy', 'group', 0, size=100)
        p.call(COMMUNICATION, MASTER, host + 10, host + 80, item=p.hash('hcom'))
        p.call(NODE, LAUNCH, host, host + 90, item=p.hash('hcom'))
        p.ran(device, device + 20, 2, number)
        host += 110
        device += 40
PY
    export_reports summary
    python3 - <<'PY'
import csv, glob, operator
def columns(report, *titles):
    found = []
    for number in range(2):
        with open(glob.glob('PROF_1/mindstudio_profiler_output/%s_slice_%d_*.csv' % (report, number))[0]) as stream:
            rows = csv.reader(stream)
            header = next(rows)
            found.append(list(map(operator.itemgetter(*map(header.index, titles)), rows)))
    assert len(glob.glob('PROF_1/mindstudio_profiler_output/%s_*.csv' % report)) == 2
    assert len(found[0]) == 1000000, len(found[0])
    return found[0] + found[1]
total = 18182 * 55 + 102
def check_times(report, times):
    assert len(times) == total, (report, len(times))
    # every 40 ns from 1000 ns on begins one
    times = [int(time.strip().replace('.', '')) - 1700000000000000000 for time in times]
    assert times == list(range(1000, 1000 + 40 * total, 40)), report
summary = columns('op_summary', 'Task Start Time(us)', 'Op Name')
check_times('op_summary', [time for time, _ in summary])
check_times('task_time', columns('task_time', 'task_start(us)'))
named = [name for _, name in summary]
assert sum(name != 'op' for name in named) == 102
# at most 180 * 55 operators are between two communications
assert any(name != 'op' for name in named[1000000 - 9902:1000000]), 'the boundary is beside no communication'
PY
}

@test "tasks and parts of split tasks have their times and accelerators" {
    write_capture <<'END'
p.chip = 5
p.launch(0, 2, 1, "op")
p.ran(10000, 12000, 2, 1)
p.devices[0]['stars_soc.data.0'][64 + 18] = 0x4b
p.log(0, 20000, 3, 7, kind=11)
p.ran_part(20200, 20700, 3, 7, 4, kind=8)
p.log(1, 24000, 3, 7, kind=11)
END
    run_msprof show --table acsq_task_statistic --format csv PROF_1
    expect_status 0
    expect_equal "$(tr -d '\t' <<<"$output")" "Device_id,Stream Id,Task Id,AccId,Task Type,Start Time(us),End Time(us),Task Duration(us)
0,2,1,11,AI_CORE,1700000000000010.000,1700000000000012.000,2
0,3,7,0,SDMA_SQE,1700000000000020.000,1700000000000024.000,4"
    run_msprof show --table ffts_sub_task_time --format csv PROF_1
    expect_status 0
    expect_equal "$(tr -d '\t' <<<"$output")" "Device_id,Op Name,Stream Id,Task Id,Subtask Id,Subtask Type,Start Time(us),Duration(us)
0,N/A,3,7,4,SDMA,1700000000000020.200,0.5"
}
