#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Records that CANN writes since 2024 of captured graphs, expanded streams, kernels that compute and communicate at once, and
# chip 9: small captures whose answer is known.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

# A capture with tasks of a graph: the first with a description, the others with captured operators alone.
write_graph() {
    write_capture <<'END'
def captured(stream, task, name, kind, task_type=0, blocks=8, tensors=(), age='unaging', flag=0, variable=False, count=None):
    body = struct.pack('<6I4Q2I', 7, 0, stream, task, task_type, blocks, p.hash(name), p.hash(kind), p.hash('attribute'), 0, flag,
                       len(tensors) if count is None else count)
    body += b''.join(struct.pack('<III8I', k, f, d, *(list(s) + [0] * (8 - len(s)))) for k, f, d, s in tensors)
    head = struct.pack('<HHIIIQ', 0x5a5a, RUNTIME, 813, 1, len(body), MONOTONIC + 5000)
    if variable:
        p.host.setdefault(age + '.variable.capture_op_info', bytearray()).extend(head + body)
    else:
        p._add(p.host, age + '.additional.capture_op_info', (head + body).ljust(256, b'\0'), 256)
p.launch(0, 1, 1, 'described')
for number, kind in enumerate(('KERNEL_AICORE', 'KERNEL_AIVEC', 'KERNEL_AICORE', 'NOTIFY_WAIT')):
    p.call(RUNTIME, 1, 1000 * number + 1020, 1000 * number + 1060)
    p.track(1000 * number + 1040, 30, 10 + number, task_type=kind)
captured(1, 1, 'not this one', 'Add')
captured(30, 10, 'an older one', 'Add')
captured(30, 10, 'matmul', 'MatMulV2', 0, 24 | 2 << 16, [(0, 2, 0, (3, 4)), (0, 2, 0, (4, 5)), (1, 2, 1, (3, 5))], flag=1)
captured(30, 11, 'concat', 'Concat', 2, 4, [(0, 2, 0, (i + 1,)) for i in range(7)] + [(1, 2, 0, (28,))], 'aging', variable=True)
captured(30, 13, 'a wait is no operator', 'Wait', 0, 1)
captured(99, 10, 'of a task that did not run', 'Add', count=4)
for number, (stream, task) in enumerate(((1, 1), (30, 10), (30, 11), (30, 12), (30, 13), (30, 10))):
    p.ran(10000 * number + 10000, 10000 * number + 15000, stream, task)
END
}

@test "tasks of captured graphs are called as their captured operators are, in the tables and in the timeline" {
    write_graph
    run_msprof export summary -dir PROF_1 --stable-names
    expect_status 3
    expect_contains "$stderr" "unaging.additional.capture_op_info.slice_0: record 4, offset 1024, field tensor_count: 4 tensors; expected at most 3"
    python3 - >found <<'END'
import csv
for row in csv.DictReader(open('PROF_1/mindstudio_profiler_output/op_summary.csv')):
    print(*(row[c].strip() for c in ('Op Name', 'OP Type', 'OP State', 'Task Type', 'Block Num', 'Mix Block Num', 'HF32 Eligible',
                                     'Input Shapes', 'Input Data Types', 'Output Shapes')), sep='|')
END
    expect_equal "$(<found)" 'described|Type|static|AI_CORE|4|0|NO|N/A|N/A|N/A
matmul|MatMulV2|static|AI_CORE|24|48|YES|"3,4;4,5"|FLOAT;FLOAT|"3,5"
concat|Concat|dynamic|AI_VECTOR_CORE|4|0|NO|"1;2;3;4;5;6;7"|FLOAT;FLOAT;FLOAT;FLOAT;FLOAT;FLOAT;FLOAT|"28"
kernel|kernel|N/A|AI_CORE|0|0|N/A|N/A|N/A|N/A
matmul|MatMulV2|static|AI_CORE|24|48|YES|"3,4;4,5"|FLOAT;FLOAT|"3,5"'
    expect_sql "SELECT kind, outcome, sum(records) FROM record_count c JOIN source_file f ON f.id = c.file_id
        WHERE kind LIKE 'capture_op%' GROUP BY 1, 2" $'capture_op_info|rejected|1\ncapture_op_info|row|4\ncapture_op_info_variable|row|1'
    run_msprof export timeline -dir PROF_1 --stable-names
    expect_contains "$(<PROF_1/mindstudio_profiler_output/msprof.json)" '"concat"'
    run_msprof export db -dir PROF_1
    expect_equal "$(sqlite3 PROF_1/msprof_*.db "SELECT s.value FROM COMPUTE_TASK_INFO c JOIN STRING_IDS s ON s.id = c.name
        JOIN TASK t USING (globalTaskId) ORDER BY t.startNs")" $'described\nmatmul\nconcat\nkernel\nmatmul'
}

@test "records of different lengths are found again behind damage, and across slices" {
    write_capture <<'END'
def record(task, tensors, length=None):
    body = struct.pack('<6I4Q2I', 7, 0, 30, task, 0, 8, p.hash('op%d' % task), 5, 0, 0, 0, tensors) + bytes(44 * tensors)
    return struct.pack('<HHIIIQ', 0x5a5a, RUNTIME, 813, 1, len(body) if length is None else length, MONOTONIC) + body
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
whole = record(1, 2) + record(2, 9) + b'garbage' * 30 + record(3, 0) + record(4, 1, 99) + record(5, 1) + record(6, 5)[:100]
p.host['unaging.variable.capture_op_info'] = whole[:200]
p._write('host', 'data/unaging.variable.capture_op_info.slice_1', whole[200:])
END
    run_msprof import -dir PROF_1
    expect_status 3
    expect_sql "SELECT group_concat(task_id) FROM capture_op_info_variable" "1,2,3,5"
    expect_sql "SELECT reason, sum(records) FROM record_count c JOIN source_file f ON f.id = c.file_id
        WHERE kind = 'capture_op_info_variable' GROUP BY 1 ORDER BY 1" $'|4\nrecord-magic|2\nrecord-truncated|1'
}

# A capture with 20 records of 176 bytes and what Python says of their bytes, cut into slices at these offsets.
write_slices() { # statements about whole, offsets
    write_capture <<END
def record(task):
    body = struct.pack('<6I4Q2I', 7, 0, 30, task, 0, 8, p.hash('op'), p.hash('Type'), 0, 0, 0, 2) + bytes(88)
    return struct.pack('<HHIIIQ', 0x5a5a, RUNTIME, 813, 1, len(body), MONOTONIC) + body
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
whole = bytearray(b''.join(record(i) for i in range(20)))
$1
ends = [*($2,), len(whole)]
for i, start in enumerate((0, *ends[:-1])):
    name = 'unaging.variable.capture_op_info'
    if i == 0:
        p.host[name] = whole[:ends[0]]
    else:
        p._write('host', 'data/%s.slice_%d' % (name, i), whole[start:ends[i]])
END
    run_msprof import -dir PROF_1
    expect_status 3
}

expect_records() { # rows, rejected records of each file
    expect_sql "SELECT count(*) FROM capture_op_info_variable" "$1"
    expect_sql "SELECT group_concat(substr(path, -7) || ':' || records_rejected) FROM (SELECT * FROM source_file
        WHERE path LIKE '%variable.capture_op_info%' ORDER BY path)" "$2"
}

@test "records of different lengths are told in the slice where they begin, by the offset in it" {
    write_slices 'whole[13 * 176] = 0' 1760
    expect_contains "$stderr" 'variable.capture_op_info.slice_1: record 13, offset 528: no record begins here'
    expect_records 19 slice_0:0,slice_1:1
    write_slices 'whole[9 * 176] = 0; del whole[-100:]' '9 * 176 + 20, 12 * 176, 19 * 176 + 30'
    expect_contains "$stderr" 'variable.capture_op_info.slice_0: record 9, offset 1584: no record begins here'
    expect_contains "$stderr" 'variable.capture_op_info.slice_2: record 19, offset 1232: 76 bytes; expected a whole record'
    expect_records 18 slice_0:1,slice_1:0,slice_2:1,slice_3:0
}

@test "each record of different lengths that damage costs is counted" {
    write_slices 'for i in (13, 14, 15): whole[i * 176] = 0' 1760
    expect_contains "$stderr" 'slice_1: record 13, offset 528: no record begins here'
    expect_equal "$(grep -c 'no record begins' <<<"$stderr")" 1
    expect_records 17 slice_0:0,slice_1:3
    # Over a slice; by their magic where the length is damaged, and behind one whose end is known.
    write_slices 'for i in (8, 9, 10): whole[i * 176] = 0' 1760
    expect_records 17 slice_0:2,slice_1:1
    write_slices 'for i in (3, 4, 7): whole[i * 176 + 12] = 1' 1760
    expect_records 17 slice_0:3,slice_1:0
    write_slices 'whole[3 * 176] = 0; whole[4 * 176:4 * 176 + 88] = bytes(88); del whole[19 * 176 + 50:]; whole[18 * 176] = 0' 1760
    expect_contains "$stderr" 'slice_1: record 19, offset 1584: 50 bytes; expected a whole record'
    expect_records 16 slice_0:2,slice_1:2
}

@test "expanded streams have 15 bits, and the words of placeholders and events are never exchanged" {
    for expanded in 1 0; do
        rm -rf PROF_1
        capture <<END
def log(function, time, stream, task, kind):
    p._device(0, 'stars_soc', struct.pack('<HHHHQ48x', function | p._count(0, 'stars_soc') << 6 | kind << 10, 0x6bd3, stream, task,
                                          p._ticks(time)), 64)
p.expand_streams($expanded)
for number, (stream, task, kind) in enumerate(((5000, 7, 0), (0x8000 | 77, 0x8000 | 4999, 0), (0x8000 | 78, 9, 3), (0x8000 | 79, 9, 4))):
    p.launch(1000 * number, *((5000, 7), (4999, 0x8000 | 77), (78, 9), (79, 9))[number], 'op%d' % number)
    log(0, 10000 + 1000 * number, stream, task, kind)
    log(1, 10500 + 1000 * number, stream, task, kind)
p.pmu(10000, 10500, 5000, 7, 100, range(8))
p.pmu(11000, 11500, 0x8000 | 77, 0x8000 | 4999, 200, range(8))
END
        sqlite3 PROF_1/sqlite/runtime.db "SELECT t.stream_id, t.task_id, n.text, t.aic_total_cycle FROM device_task t
            LEFT JOIN name n ON n.id = t.op_name_id ORDER BY t.id" >"of_$expanded"
    done
    expect_equal "$(<of_1)" $'5000|7|op0|100\n4999|32845|op1|200\n78|9|op2|\n79|9|op3|'
    [ "$(<of_0)" != "$(<of_1)" ]
}

@test "what the AI CPU tells of kernels that compute and communicate at once are tables and slices" {
    write_capture <<'END'
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
def tick(ns):
    return DEVICE_TICK + ns // 20
def record(kind, body, length=232):
    p._device(0, 'aicpu', (struct.pack('<HHIIIQ', 0x5a5a, 6000, kind, 1, length, 5) + body).ljust(256, b'\0'), 256)
def task(number, item):
    return struct.pack('<3Q4I2Qd3Q2I2H16B', p.hash(item), 0, p.hash('grp'), 0, 1, 8, 0, 77, tick(5000 + 100 * number), 12.5, 0, 0, 4096,
                       number, 0, 53, 1, 0, 4, 1, 2, 255, 0, 6, *[0] * 9)
record(4, struct.pack('<8QIHH3B', *(tick(1000 * n) for n in range(1, 8)), 0, 0, 53, 3, 0, 4, 2))
record(5, struct.pack('<4QIHH3B', tick(2000), tick(2500), tick(4000), 0, 0, 53, 3, 0, 4, 1))
record(13, task(1, 'Memcpy') + task(2, 'Notify_Wait'))
record(13, task(3, 'Notify_Record') + task(4, 'of an earlier record'), 116)
record(4, struct.pack('<8QIHH3B', tick(9000), tick(8000), 0, 0, 0, 0, 0, 0, 0, 53, 3, 0, 4, 3))
record(14, b'')
def group(count):
    p._add(p.host, 'unaging.additional.mc2_comm_info', struct.pack(
        '<HHIIIQQ5I8I', 0x5a5a, NODE, 12, 1, 60, MONOTONIC, p.hash('grp'), 8, 2, 3, 53, count, 7, 9, *[0] * 6).ljust(256, b'\0'), 256)
group(2)
group(9)
END
    run_msprof export timeline -dir PROF_1 --stable-names
    expect_status 3
    expect_contains "$stderr" "record 5, offset 1280: a record of another type"
    expect_contains "$stderr" "field stream_count: 9 streams; expected at most 8"
    python3 - >found <<'END'
from timeline import read_timeline
document = read_timeline("PROF_1/mindstudio_profiler_output/msprof.json")
events, origin = document.events, int(document.facts["origin_unix_ns"]) - 1700000000000000000
(pid,) = {e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "MC2"}
threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == pid}
for e in sorted((e for e in events if e["ph"] == "X" and e["pid"] == pid), key=lambda e: (e["tid"], e["ts"])):
    print(threads[e["tid"]], e["name"], "%g" % (e["ts"] + origin / 1000), "%g" % e["dur"],
          *("%s=%s" % item for item in e["args"].items()), sep="|")
END
    local args="|Physic Stream Id=53|Task Id=3"
    expect_equal "$(<found)" "Stream 53 Communication|StartServer 2|1|1$args
Stream 53 Communication|TaskWaitRequest 2|2|1$args
Stream 53 Communication|TaskOrchestration 2|3|1$args
Stream 53 Communication|TaskLaunch 2|4|1$args
Stream 53 Communication|TaskExecute 2|5|1$args
Stream 53 Communication|Finalize 2|6|1$args
Stream 53 Compute|WaitCompute 1|2|0.5$args
Stream 53 Compute|Compute 1|2.5|1.5$args"
    expect_sql "SELECT n.text, k.task_id, k.stream_id, k.data_size, k.estimated_ns, k.time_ns - 1700000000000000000 FROM kfc_hccl_info k
        JOIN name n ON n.id = k.item_id ORDER BY k.time_ns" $'Memcpy|1|53|4096|12500|5100\nNotify_Wait|2|53|4096|12500|5200\nNotify_Record|3|53|4096|12500|5300'
    expect_sql "SELECT n.text, rank_id, user_rank_id, stream_id, communication_streams FROM mc2_comm_info JOIN name n ON n.id = group_name_id" \
        "grp|2|3|53|7,9"
}

@test "tasks of chip 9 are those of Ascend's own test of its decoder" {
    write_capture <<'END'
p = Prof("PROF_1", chip=9)
p.devices = {0: {}}
for record in ((0, 2, 0, 2048, 0, 2066552654, 244077, 1220001, 10, 0, 0, 530412, 0, 382664, 244160, 415203, 333062, 0, 0, 378943, 12),
               (0, 2, 0, 2048, 1, 2066796741, 137132, 685278, 10, 0, 0, 500064, 0, 2552, 0, 682657, 676788, 0, 0, 7534, 4),
               (0, 2, 0, 2048, 2, 2066933883, 3238882, 16194028, 10, 0, 1, 4, 15137216, 42922, 672, 3592381, 202059, 276320, 0, 38142, 13)):
    p._device(0, 'nano_stars_profile', struct.pack('<BBHHHIIIHBB10I', *record), 64)
p._add(p.host, 'unaging.additional.model_exeom', struct.pack('<HHIIIQQQ', 0x5a5a, MODEL, 3, 1, 16, MONOTONIC, 2, p.hash('lenet')).ljust(256, b'\0'), 256)
END
    run_msprof export summary -dir PROF_1 --stable-names
    expect_status 0
    # their times count from tick 0; the capture's counter began at 5,000,000 ticks of 20 ns
    expect_sql "SELECT model_id, task_id, start_ns - 1700000000000000000 + 100000000, duration_ns, total_cycle, event0, event9 FROM nano_task" \
        $'2|0|900324512280|4881540|1220001|530412|12\n2|1|900329394020|2742640|685278|500064|4\n2|2|900332136860|64777640|4311161324|4|13'
    expect_equal "$(sed 's/,1700[^,]*//' PROF_1/mindstudio_profiler_output/nano_task.csv | sed -n 2p)" \
        "0,2,0,AI_CORE,4881.54,1220001,530412,0,382664,244160,415203,333062,0,0,378943,12"
    expect_sql "SELECT model_id, n.text FROM model_exeom JOIN name n ON n.id = model_name_id" "2|lenet"
}

@test "what is not known is named, and nobody is told that no action is needed" {
    write_capture <<'END'
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
for name in ('unaging.additional.diagnostic', 'unaging.additional.Multi_Thread', 'aging.compact.of_tomorrow', 'unaging.variable.of_tomorrow'):
    p.host[name] = b'x' * 300
p.devices[0]['of_tomorrow.data.0'] = b'x' * 64
END
    run_msprof import -dir PROF_1
    for name in host/data/unaging.additional.diagnostic host/data/unaging.additional.Multi_Thread host/data/aging.compact.of_tomorrow \
        host/data/unaging.variable.of_tomorrow device_0/data/of_tomorrow.data.0; do
        grep -F "$name.slice_0: " <<<"$stderr" >line
        expect_not_contains "$(<line)" "no action is needed"
        expect_contains "$(<line)" "$([[ $name == device* ]] && echo 64 || echo 300) bytes"
    done
}
