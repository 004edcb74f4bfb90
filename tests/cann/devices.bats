#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures of several devices, and of every chip.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3 sqlite3
}

# Four devices, not numbered through; each runs tasks of the same streams and numbers at other times.
four_devices() {
    cat <<'END'
DEVICES = (0, 1, 7, 35)
for device in DEVICES:
    for i in range(3):
        p.launch(10000 * device + i * 200, 2, i, 'op%d.%d' % (device, i), device=device)
        start = 1000000 + 100 * device + 5000 * i
        p.ran(start, start + 1000 + 20 * device, 2, i, device=device)
        p.pmu(start, start + 1000 + 20 * device, 2, i, 1000 + 10 * device + i, range(8), device=device)
END
}

export_capture() {
    run_msprof export summary -dir PROF_1
    expect_status "${1:-0}"
    run_msprof export timeline -dir PROF_1
    expect_status "${1:-0}"
}

table() { # name, columns
    cut -d, -f"$2" PROF_1/mindstudio_profiler_output/"$1"_[0-9]*.csv | tail -n +2
}

@test "tasks of several devices belong to the launches on their own device" {
    capture <<<"$(four_devices)"
    expect_status 0
    expect_sql "SELECT count(*), min(op_name = 'op' || device_id || '.' || task_id) FROM device_task_report" "12|1"
    expect_sql "SELECT count(*), min(aic_total_cycle = 1000 + 10 * device_id + task_id) FROM device_task" "12|1"
    export_capture
    expect_equal "$(table op_summary 1,5 | tr '\n' ' ')" \
        "0,op0.0 0,op0.1 0,op0.2 1,op1.0 1,op1.1 1,op1.2 7,op7.0 7,op7.1 7,op7.2 35,op35.0 35,op35.1 35,op35.2 "
    expect_equal "$(table task_time 1,5,6 | tr '\n' ' ')" \
        "0,0,1 0,1,1 0,2,1 1,0,1.02 1,1,1.02 1,2,1.02 7,0,1.14 7,1,1.14 7,2,1.14 35,0,1.7 35,1,1.7 35,2,1.7 "
    expect_equal "$(table op_statistic 1,4,5,9)" $'0,3,3,100\n1,3,3.06,100\n7,3,3.42,100\n35,3,5.1,100'
}

@test "a task waits for the one before on its own device only" {
    capture <<<"$(four_devices)"
    export_capture
    expect_equal "$(table op_summary 1,11 | tr '\n' ' ')" \
        "0,0 0,4 0,4 1,0 1,3.98 1,3.98 7,0 7,3.86 7,3.86 35,0 35,3.3 35,3.3 "
}

@test "the timeline has processes of each device, and arrows that end on the right one" {
    capture <<<"$(four_devices)"
    export_capture
    PYTHONPATH=$BATS_TEST_DIRNAME/../lib python3 - PROF_1/mindstudio_profiler_output/msprof_*.json <<'END'
import sys
from collections import Counter
from decimal import Decimal
from timeline import events_of
with open(sys.argv[1], encoding='utf-8') as stream:
    events = events_of(stream)
names, labels = {}, {}
for event in events:
    if event['name'] == 'process_name':
        assert event['pid'] not in names, 'two processes have the number %d' % event['pid']
        names[event['pid']] = event['args']['name']
    elif event['name'] == 'process_labels':
        labels[event['pid']] = event['args']['labels']
layers = Counter((names[pid], labels[pid]) for pid in names)
for device in (0, 1, 7, 35):
    for layer in ('Ascend Hardware', 'AI Core Freq', 'Overlap Analysis'):
        assert layers[layer, 'NPU %d' % device] == 1, (layer, device, layers)
device_of = {pid: int(labels[pid].split()[1]) for pid in names if names[pid] != 'CANN'}
starts = {event['id']: event for event in events if event['ph'] == 's'}
launches = {(event['tid'], event['ts']): event['item_id'] for event in events if event['name'] == 'Node@launch'}
tasks = {(event['pid'], event['ts']): event for event in events
         if event['ph'] == 'X' and names[event['pid']] == 'Ascend Hardware'}
ends = [event for event in events if event['ph'] == 'f']
assert len(ends) == len(starts) == len(tasks) == 12
for end in ends:
    task = tasks[end['pid'], end['ts']]
    start = starts[end['id']]
    operator = launches[start['tid'], start['ts']]
    assert task['name'] == operator and operator.startswith('op%d.' % device_of[end['pid']]), (task, operator)
spans = Counter()
for event in events:
    if event['ph'] == 'X' and names[event['pid']] == 'Overlap Analysis':
        spans[device_of[event['pid']], event['name']] += Decimal(event['dur'])
for device in (0, 1, 7, 35):
    duration = 1000 + 20 * device
    assert spans[device, 'Computing'] * 1000 == 3 * duration, spans
    assert spans[device, 'Free'] * 1000 == 2 * (5000 - duration), spans
END
}

@test "the table of jobs and the database for viewers have every device" {
    capture <<<"$(four_devices)"
    run_msprof query -dir PROF_1
    expect_status 0
    for device in 0 1 7 35; do
        expect_contains "$output" "device_$device "
    done
    run_msprof export db -dir PROF_1
    expect_status 0
    database=$(echo PROF_1/msprof_*.db)
    expect_equal "$(sqlite3 "$database" "SELECT group_concat(id) FROM (SELECT id FROM NPU_INFO ORDER BY id)")" 0,1,7,35
    expect_equal "$(sqlite3 "$database" "SELECT deviceId, count(*), min(n.value = 'op' || deviceId || '.' || taskId)
        FROM TASK JOIN COMPUTE_TASK_INFO i USING(globalTaskId) JOIN STRING_IDS n ON n.id = i.name
        GROUP BY deviceId ORDER BY deviceId")" $'0|3|1\n1|3|1\n7|3|1\n35|3|1'
    expect_equal "$(sqlite3 "$database" "SELECT deviceId, sum(endNs - startNs) FROM OVERLAP_ANALYSIS WHERE type = 0
        GROUP BY deviceId ORDER BY deviceId")" $'0|3000\n1|3060\n7|3420\n35|5100'
}

@test "a step of several devices is one part of the timeline, with the work of all of them" {
    write_capture <<'END'
p.devices = {0: {}, 1: {}}
for device in (0, 1):
    for k in range(3):
        begin, call = 10000 + 10000 * k + 40 * device, 1000 * k + 100 * device
        p.launch(call, 3, k + 1, 'op%d' % k, thread=device + 1, device=device)
        p.step(begin, 0, 5, index=k + 1, stream=3, device=device)
        p.ran(begin + 1000, begin + 5000, 3, k + 1, device=device)
        p.step(begin + 9000, 1, 5, index=k + 1, stream=3, device=device)
END
    run_msprof export timeline --stable-names --split iteration --output out PROF_1
    expect_status 0
    expect_equal "$(cd out/mindstudio_profiler_output && grep -o '"name":"op[0-9]","ph":"X"' msprof_part_* | sort | uniq -c |
        sed 's/^ *//')" '2 msprof_part_0001.json:"name":"op0","ph":"X"
2 msprof_part_0002.json:"name":"op1","ph":"X"
2 msprof_part_0003.json:"name":"op2","ph":"X"'
    expect_equal "$(ls out/mindstudio_profiler_output)" "$(printf '%s\n' {msprof,step_trace}_part_000{1,2,3}.json)"
}

@test "a record of no bytes between memory of an operator and its release ends neither" {
    write_capture <<'END'
p.launch(1000, 3, 7, 'op')
p.ran(20000, 21000, 3, 7)
p.memory(1000, 'op', 0x1000, 4096, 4096, 65536)
p.memory(2000, 'op', 0x1000, 0, 4096, 65536)
p.memory(6500, 'op', 0x1000, -4096, 0, 65536)
p.memory(7000, 'op', 0x2000, 0, 0, 65536)
END
    run_msprof export summary --stable-names --output out PROF_1
    expect_status 0
    expect_equal "$(cut -d, -f2,3,5-9 out/mindstudio_profiler_output/operator_memory.csv | tail -n +2)" 'op,4,5.5,4,64,0,64'
    expect_equal "$(tail -n +2 out/mindstudio_profiler_output/memory_record.csv | wc -l)" 4
}

@test "memory of operators stands in the tables once, under its own device" {
    write_capture <<'END'
p.devices = {0: {}, 1: {}}
for device in (0, 1):
    p.launch(1000 * device, 3, 7, 'op%d' % device, thread=device + 1, device=device)
    p.ran(20000, 21000, 3, 7, device=device)
    p.memory(1000 * device + 50, 'op%d' % device, 0x1000, 4096 * (device + 1), 4096 * (device + 1), 65536, device=device)
    p.memory(1000 * device + 80, 'op%d' % device, 0x1000, -4096 * (device + 1), 0, 65536, device=device)
END
    run_msprof export summary --stable-names --output out PROF_1
    expect_status 0
    expect_equal "$(cut -d, -f1-3,10 out/mindstudio_profiler_output/operator_memory.csv)" 'Device_id,Name,Size(KB),Device
0,op0,4,NPU:0
1,op1,8,NPU:1'
    expect_equal "$(cut -d, -f1,4,6 out/mindstudio_profiler_output/memory_record.csv)" 'Device_id,Total Allocated(KB),Device
0,4,NPU:0
0,0,NPU:0
1,8,NPU:1
1,0,NPU:1'
}

@test "devices with different metrics have their own columns in one table" {
    capture <<'END'
p.chips = {1: 1, 2: 4, 3: 5}
p.samples[1] = {'ai_core_metrics': 'Memory', 'ai_core_profiling_events': '0x15,0x16,0x31,0x32,0xf,0x10,0x12,0x13'}
p.samples[3] = {'ai_core_metrics': 'ArithmeticUtilization',
                'ai_core_profiling_events': '0x49,0x4a,0x4b,0x4c,0x4d,0x4e,0x4f'}
for device in range(4):
    p.launch(1000 * device, 2, 1, 'op%d' % device, device=device)
    p.ran(100000, 101000, 2, 1, device=device)
    p.pmu(100000, 101000, 2, 1, 1000, [0, 100, 200, 300, 400, 500, 600, 700], device=device)
END
    expect_status 0
    export_capture
    python3 - PROF_1/mindstudio_profiler_output/op_summary_*.csv <<'END'
import csv, sys
with open(sys.argv[1], newline='') as stream:
    rows = {row['Op Name']: row for row in csv.DictReader(stream)}
    titles = list(next(iter(rows.values())))
assert len(titles) == len(set(titles)), 'a title stands twice'
expected = {
    'op0': {'aic_total_cycles': '1000', 'aic_mac_ratio': '0.1', 'mac_ratio': 'N/A', 'ub_read_bw(GB/s)': 'N/A'},
    'op1': {'total_cycles': '1000', 'ub_write_bw(GB/s)': '11.921', 'aic_mac_ratio': 'N/A', 'mac_ratio': 'N/A'},
    'op2': {'total_cycles': '1000', 'mac_ratio': '0.1', 'ub_read_bw(GB/s)': 'N/A', 'aic_total_cycles': 'N/A'},
    'op3': {'aic_mac_int8_ratio': '0.1', 'aic_mac_ratio': 'N/A', 'total_cycles': 'N/A'},
}
for name, values in expected.items():
    for title, value in values.items():
        assert rows[name][title] == value, (name, title, rows[name][title], value)
END
}

@test "every chip is read by the records that it writes" {
    for chip in 0 1 2 3 4 5 7 8 11; do
        rm -rf PROF_1
        capture <<END
p.chip = $chip
for i in range(20):
    p.launch(i * 200, 1 + i % 3, i, 'op%d' % i)
    p.ran(100000 + i * 2000, 101000 + i * 2000, 1 + i % 3, i)
    p.pmu(100000 + i * 2000, 101000 + i * 2000, 1 + i % 3, i, 1000, [500, i * 10, 0, 0, 0, 0, 8, 4])
END
        expect_status 0
        expect_sql "SELECT count(*), min(op_name = 'op' || r.task_id), count(t.aic_total_cycle)
            FROM device_task_report r JOIN device_task t USING(id)" "20|1|20"
        export_capture
        prefix=''
        if [ "$chip" -eq 5 ]; then prefix=aic_; fi
        python3 - PROF_1/mindstudio_profiler_output/op_summary_*.csv "$prefix" <<'END'
import csv, sys
with open(sys.argv[1], newline='') as stream:
    rows = list(csv.DictReader(stream))
prefix = sys.argv[2]
assert len(rows) == 20
for i, row in enumerate(rows):
    assert row[prefix + 'total_cycles'] == '1000', row
    assert float(row[prefix + 'mac_ratio']) == i / 100, row
    assert float(row[prefix + 'icache_miss_rate']) == 0.5, row
    assert float(row['aicore_time(us)']) == 0.25, row  # 1000 cycles of 1 GHz over 4 blocks
END
    done
}

@test "on the 310 a bandwidth is over the time of the task, not of all its blocks" {
    capture <<'END'
p.chip = 0
p.samples[0] = {'ai_core_metrics': 'Memory', 'ai_core_profiling_events': '0x15,0x16,0x31,0x32,0xf,0x10,0x12,0x13'}
p.launch(0, 1, 1, 'op')
p.ran(100000, 101000, 1, 1)
p.pmu(100000, 101000, 1, 1, 1000, [0, 100, 0, 0, 0, 0, 0, 0])
END
    export_capture
    # 100 * 256 * 4 bits in 1000 cycles of 1 GHz over 4 blocks at once
    expect_equal "$(python3 - PROF_1/mindstudio_profiler_output/op_summary_*.csv <<'END'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline='')):
    print(row['aicore_time(us)'], row['ub_write_bw(GB/s)'])
END
)" "0.25 47.684"
}

@test "tasks of the 310 come from its time line, whatever other states they had" {
    capture <<'END'
p.chip = 0
for i in range(2):
    p.launch(i * 200, 1, i, 'op%d' % i)
for state, time, task in ((1, 90, 0), (4, 95, 0), (2, 100, 0), (1, 105, 1), (3, 110, 0), (2, 115, 1), (7, 116, 1),
                          (8, 119, 1), (3, 120, 1), (3, 130, 2)):
    p._device(0, 'ts_track', struct.pack('<BBHIHHHHQII', 0, 3, 32, 0, 0, state, 1, task, p._ticks(time * 1000), 0, 0),
              32)
END
    expect_sql "SELECT op_name, t.start_ns % 1000000000, t.duration_ns FROM device_task_report JOIN device_task t
        USING(id) ORDER BY id" $'op0|100000|10000\nop1|115000|5000'
    expect_contains "$stderr" "stream 1 task 2 ends without a start"
}

@test "counters of vector cores stand in the same columns on chips that do not tell the cores apart" {
    for chip in 2 3 4 7 8 11; do
        rm -rf PROF_1
        capture <<END
p.chip = $chip
p.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'ai_core_profiling_events': PIPES,
                'aiv_metrics': 'PipeUtilization', 'aiv_profiling_events': PIPES}
p.launch(0, 1, 1, 'cube')
p.launch(200, 1, 2, 'vector', task_type='KERNEL_AIVEC', node={'task_type': 2})
p.ran(100000, 101000, 1, 1)
p.ran(102000, 103000, 1, 2)
p.pmu(100000, 101000, 1, 1, 1000, [0, 400, 0, 0, 0, 0, 8, 4])
p.pmu(102000, 103000, 1, 2, 2000, [600, 0, 500, 0, 0, 0, 8, 4], core=1)
END
        expect_status 0
        export_capture
        vectors=(0 0.3) # chips 7, 8 and 11 have no metric of the vector pipe
        [ "$chip" -lt 7 ] || vectors=(N/A N/A)
        expect_equal "$(python3 - PROF_1/mindstudio_profiler_output/op_summary_*.csv <<'END'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline='')):
    print(row['Op Name'], row['Task Type'], row['total_cycles'], row['vec_ratio'], row['mac_ratio'], row['scalar_ratio'])
END
)" "cube AI_CORE 1000 ${vectors[0]} 0.4 0"$'\n'"vector AI_VECTOR_CORE 2000 ${vectors[1]} 0 0.25"
    done
}

@test "chips that are not known are named and left out, the other devices are not" {
    for chip in 6 10 4711; do
        rm -rf PROF_1
        capture <<END
p.chips = {1: $chip}
for device in (0, 1):
    p.launch(1000 * device, 1, 1, 'op%d' % device, device=device)
    p.ran(100000, 101000, 1, 1, device=device)
END
        expect_status 3
        expect_contains "$stderr" "device_1: field platform_version: chip $chip; expected 0 to 5, 7 to 9, 11, 15 or 16"
        expect_sql "SELECT DISTINCT device_id FROM device_task" 0
        export_capture 3
        expect_equal "$(table task_time 1)" 0
    done
}

@test "files that are not known are named and left out" {
    write_capture <<'END'
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
END
    echo x >PROF_1/device_0/data/mystery.data.0.slice_0
    echo x >PROF_1/host/data/unaging.compact.mystery.slice_0
    echo x >PROF_1/host/data/unaging.compact.task_track.slice_0.complete
    echo x >PROF_1/host/data/old.zip
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "device_0/data/mystery.data.0.slice_0: 2 bytes, not decoded"
    expect_contains "$stderr" "host/data/unaging.compact.mystery.slice_0: 2 bytes, not decoded"
    expect_not_contains "$stderr" .complete
    expect_not_contains "$stderr" .zip
    expect_sql "SELECT op_name FROM device_task_report" op
}

@test "a device without configuration has the chip of the host and the usual clock of the chip" {
    write_capture <<'END'
for device in (0, 1):
    p.launch(1000 * device, 1, 1, 'op%d' % device, device=device)
    p.ran(100000, 101000, 1, 1, device=device)
END
    rm PROF_1/device_1/info.json.1 PROF_1/device_1/sample.json
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "device_1: no hwts_frequency in info.json: the usual one of the chip is used"
    expect_sql "SELECT device_id, op_name, start_ns - 1700000000000000000, t.duration_ns
        FROM device_task_report JOIN device_task t USING(id, device_id) ORDER BY id" \
        $'0|op0|100000|1000\n1|op1|100000|1000'
}

@test "a device without data, or with files of another device, does not spoil the others" {
    write_capture <<'END'
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
END
    mkdir -p PROF_1/device_1 PROF_1/device_2/data PROF_1/device_3/data
    cp PROF_1/device_0/info.json.0 PROF_1/device_1/info.json.0
    echo '{"broken' >PROF_1/device_2/info.json.2
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "device_1/info.json.0: a file of another device than 1"
    expect_contains "$stderr" "device_2/info.json.2: not JSON"
    expect_sql "SELECT device_id, op_name FROM device_task_report" "0|op"
}

# One of the shipped captures of the layout of 2022, with copies of its device as devices 1 and 5.
devices_2022() {
    copy_family "$1" PROF_1
    for device in 1 5; do
        python3 "$BATS_TEST_DIRNAME/../lib/copy_device.py" PROF_1 0 "$device"
    done
}

@test "equal devices of a capture of 2022 have equal reports" {
    for capture in 2022-310 2022-910a; do
        devices_2022 "$capture"
        export_capture
        for device in 1 5; do
            for report in PROF_1/summary/*_0_1.csv; do
                cmp "$report" "${report/_0_1./_${device}_1.}"
            done
            for report in PROF_1/timeline/*_0_1.json; do # numbers of processes are of devices
                python3 "$repository/tests/lib/timeline.py" compare --no-threads "$report" \
                    "${report/_0_1./_${device}_1.}"
            done
        done
        expect_equal "$(find PROF_1/summary -name '*.csv' | wc -l)" 21
        cp -r "PROF_1/device_0" single
        rm -rf single/sqlite
        run_msprof export summary -dir single
        expect_status 0
        for report in single/summary/*.csv; do
            cmp "$report" "PROF_1/summary/${report##*/}"
        done
        rm -rf single
    done
}

@test "the file names of 2021 are read as those of 2022" {
    devices_2022 2022-910a
    cp -r PROF_1/device_0 newest # a part that stands alone is a capture
    run_msprof export summary -dir newest
    for era in inference training; do
        cp -r PROF_1/device_0 "$era"
        rm -rf "$era/sqlite" "$era/summary"
        (
            cd "$era/data"
            rm ./*.done
            for name in *.0.slice_*; do
                slice=${name##*_} stem=${name%.0.slice_*}
                case $stem in
                hwts.data) stem=hwts.log.data ;;
                runtime.api) stem=Runtime.runtime.data ;;
                runtime.task_track) stem=Runtime.runtime ;;
                esac
                case $era.$stem in
                inference.hwts* | inference.aicore*) mv "$name" "$stem.45.0.$slice" ;;
                training.hwts* | training.aicore*) mv "$name" "$stem.45.dev.profiler_default_tag.0.slice_$slice" ;;
                inference.*) mv "$name" "$stem.dev.0.$slice" ;;
                training.*) mv "$name" "$stem.dev.profiler_default_tag.0.slice_$slice" ;;
                esac
            done
        )
        run_msprof export summary -dir "$era"
        expect_status 0
        for report in newest/summary/*.csv; do
            cmp "$report" "$era/summary/${report##*/}"
        done
    done
}

@test "samples of chips 15 and 16 are read" {
    for chip in 15 16; do
        rm -rf PROF_1
        capture <<END
p.chips = {1: $chip}
p.launch(0, 1, 1, 'op')
p.ran(100000, 101000, 1, 1)
for i in range(3):
    p._device(1, 'ub', struct.pack('<4H15Q', 0, 0, i % 2, 0, 320 * i, 100 + i, 200 + i, *[7] * 12), 128)
    p._device(1, 'npu_mem', struct.pack('<IIQQQ', 320 * i, 0, 0, 1536, 0), 32)
END
        expect_status 0
        export_capture 0
        expect_sql "SELECT DISTINCT device_id FROM device_task" 0
        expect_equal "$(table ub 1,2,4,5)" $'1,0,100,200\n1,1,101,201\n1,0,102,202'
        expect_equal "$(table npu_mem 1,3)" $'1,1\n1,1\n1,1'
        expect_equal "$(grep -o '"UB Port001"' PROF_1/mindstudio_profiler_output/msprof_*.json | wc -l)" 1
        run_msprof export db --stable-names --output out PROF_1
        expect_equal "$(sqlite3 out/msprof.db "SELECT portId, rxUdmaBind / 1048576 FROM UB")" $'0|100\n1|101\n0|102'
    done
}

@test "units for communication of chip 15 tell what they did, for which rank they waited, and how fast channels were" {
    capture <<'END'
p.chips = {1: 15}
p.launch(0, 1, 1, 'op')
p.ran(100000, 101000, 1, 1)
def mission(task, loop, wait=(0, 0, [0] * 16)):
    instruction, begin, end = loop
    notify, start, waited = wait
    return struct.pack('<16HQHQQHHH', *waited, start, notify, end, begin, instruction, task & 0xffff, task >> 16)
at = DEVICE_TICK
p.devices.setdefault(1, {})['ccu1.instr.1'] = (
    mission(65536 + 7, (3, at + 50, at + 150)) +
    mission(8, (4, at + 500, at + 400)) +  # ends before it begins
    mission(9, (5, at + 200, at + 300), (74, at + 210, [10 * i for i in range(15)] + [5])))
# counter, mean, least, most, where each stands among the words of the record
words = [0xeeeeeeee] * 704
places = [5 * i + 4 * (i // 12) for i in range(120)] + [646, 651, 656, 661, 678, 683, 688, 693]
for channel, place in enumerate(places):
    words[place:place + 5] = [at + 50 * channel, 0, 100 + channel, 50, 0 if channel == 1 else 200]
p.devices[1]['ccu0.stat.1'] = struct.pack('<704I', *words)
END
    expect_contains "$stderr" "device_1/data/ccu1.instr.1.slice_0: record 1, offset 64, field end_ns: the loop ends (1700000000000008000 ns) before it starts (1700000000000010000 ns)"
    export_capture 3
    # a tick is 20 ns; a unit of waiting is four
    expect_equal "$(head -n 1 PROF_1/mindstudio_profiler_output/ccu_mission_*.csv)" "Device_id,Stream ID,Task Id,\
Instruction ID,Instruction Start Time(us),Instruction Duration(us),Notify Instruction ID,Notify Rank ID,Notify Duration(us)"
    expect_equal "$(table ccu_mission 1-4,6- | head -n 3)" $'1,65535,65543,3,2,N/A,N/A,N/A\n1,65535,9,5,2,74,15,0\n1,65535,9,5,2,74,14,0.8'
    expect_equal "$(table ccu_mission 3 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 1 65543; 16 9;"
    expect_equal "$(table ccu_mission 8,9 | tail -n 2)" $'1,11.2\n0,0.4'
    expect_sql "SELECT start_ns - (SELECT min(start_ns) FROM ccu_mission) FROM ccu_mission WHERE task_id = 9 LIMIT 1" 3000
    run_msprof export db --stable-names --output out PROF_1
    expect_equal "$(sqlite3 out/msprof.db "SELECT deviceId, globalTaskId, n.value, endNs - startNs, a.value FROM CCU
        JOIN STRING_IDS n ON n.id = name JOIN STRING_IDS a ON a.id = args")" \
        '1|4294967295|LoopGroup|2000|["Physic Stream Id",65535,"Task Id",65543,"Instruction ID",3]
1|4294967295|Wait|11200|["Physic Stream Id",65535,"Task Id",9,"Notify Instruction ID",74,"Notify Rank ID",1]'
    # 4096 bytes in 1, 2 and 4 us
    expect_equal "$(table ccu_channel 1,2,4- | head -n 2)" $'1,0,3906.25,976.562,1953.125\n1,1,3906.25,0,1933.787'
    expect_sql "SELECT count(*), min(mean_delay = 100 + channel_id), min(time_ns - first = 1000 * channel_id) FROM ccu_channel,
        (SELECT min(time_ns) AS first FROM ccu_channel)" "128|1|1"
    python3 - PROF_1/mindstudio_profiler_output/msprof_*.json <<'END'
import sys
from timeline import read_timeline
events = read_timeline(sys.argv[1]).events
(pid,) = [e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "CCU"]
slices = [(e["name"], round(e["dur"], 3), e["args"]) for e in events if e["ph"] == "X" and e["pid"] == pid]
assert slices == [
    ("LoopGroup", 2, {"Physic Stream Id": 65535, "Task Id": 65543, "Instruction ID": 3}),
    ("Wait", 11.2, {"Physic Stream Id": 65535, "Task Id": 9, "Notify Instruction ID": 74, "Notify Rank ID": 1})], slices
END
}

@test "pipes of single cores of chip 15 are slices from when to when they worked" {
    capture <<'END'
p.chips = {1: 15}
p.launch(0, 1, 1, 'op')
p.ran(100000, 101000, 1, 1)
def word(kind, events, cycles):
    return struct.pack('<I', cycles | events << 16 | kind << 28)
def counter(ticks, block):  # four pieces, which are numbered in the events
    return b''.join(word(14, place << 8 | (block >> 8 * place & 0xff if place < 2 else 0), ticks >> 16 * place & 0xffff)
                    for place in range(4))
p.devices.setdefault(1, {})['instr.biu_perf_group2_aic.1'] = (
    counter(DEVICE_TICK + 0x12345, 0x0304) + word(15, 0b0010001, 1000) + word(2, 77, 500) + word(15, 0b0010000, 500) +
    word(9, 0, 0) + word(15, 0, 3000) + word(6, 5, 0) + word(15, 0b1000000, 500) +
    b'\xff\xff\xff\xef' + b'\xdd' * 16 +
    counter(DEVICE_TICK + 0x20000, 0x0305) + word(10, 5, 700) + word(15, 0b0000010, 300))
p.devices[1]['instr.biu_perf_group0_aiv1.1'] = word(15, 1, 1)  # the counter is not there
# the example of docs/formats/system.md 13, and what follows it: MTE2 for 2159 cycles
p.devices[1]['instr.biu_perf_group1_aic.1'] = bytes.fromhex(
    '269900e0f48e00e1cd0300e2000000e30c1701f0400600f0300010f06f0800f0')
END
    expect_contains "$stderr" "instr.biu_perf_group0_aiv1.1.slice_0: record 0, offset 0, field record_kind: a record of kind 15; expected the counter"
    # a cycle is 1 ns, a tick 20 ns; what works goes on over the end of a block, filler and the begin of the next
    expect_sql "SELECT group_concat(core || ' ' || block_id || ' ' || pipe || ' ' || (start_ns - first) || ' ' || duration_ns ||
        ' ' || coalesce(mark, '-'), ',') FROM (SELECT * FROM biu_state WHERE group_id = 2 ORDER BY pipe, start_ns), (SELECT start_ns + 0x12345 * 20 AS first
        FROM capture_part WHERE is_host)" "0 772 0 1000 1000 -,0 772 2 1500 0 77,0 772 4 1000 4000 -,0 772 6 5000 0 5,0 773 6 5500 $(((0x20000 - 0x12345) * 20 + 1000 - 5500)) -"
    expect_sql "SELECT group_concat(pipe || ' ' || (start_ns - (SELECT min(start_ns) FROM biu_state WHERE group_id = 1)) || ' ' ||
        duration_ns, ',') FROM (SELECT * FROM biu_state WHERE group_id = 1 ORDER BY pipe)" "0 0 1600,4 1648 2159"
    export_capture 3
    python3 - PROF_1/mindstudio_profiler_output/msprof_*.json <<'END'
import sys
from timeline import read_timeline
events = read_timeline(sys.argv[1]).events
(pid,) = [e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "Biu Perf"]
threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == pid}
assert {name.replace(" (2)", "") for name in threads.values()} == {"Group1-aic", "Group2-aic"}, threads
slices = {(e["name"], round(e["dur"], 3), tuple(e["args"].items())) for e in events
          if e["ph"] == "X" and e["pid"] == pid and "Group2-aic" in threads[e["tid"]]}
first, second = (("Core Type", "aic"), ("Block Id", 772)), (("Core Type", "aic"), ("Block Id", 773))
assert slices == {("SU", 1, first), ("MTE2", 4, first), ("CUBE", 0, first), ("FIXP", 0, first),
                  ("FIXP", ((0x20000 - 0x12345) * 20 + 1000 - 5500) / 1000, second)}, slices
END
}

@test "files that are known and not decoded are named, and the rest is read" {
    capture <<'END'
p.launch(0, 1, 1, 'op')
p.ran(100000, 101000, 1, 1)
p.devices[0]['instr.of_tomorrow.0'] = bytes(64)
p.devices[0]['ccu0.wait.0'] = bytes(64)
END
    expect_status 0
    for file in instr.of_tomorrow ccu0.wait; do
        expect_contains "$stderr" "note: device_0/data/$file.0.slice_0: "
    done
    expect_sql "SELECT count(*) FROM device_task" 1
}
