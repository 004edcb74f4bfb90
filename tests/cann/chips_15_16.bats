#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Chips 15 and 16: records laid out by hand after the documented formats, and what comes of them.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

# Writes a capture of the chip: three tasks on two streams, with counters, blocks and two fusion tasks. Numbers are of 32
# bits; a tick is 20 ns.
write_v6() { # chip
    write_capture <<END
p = Prof("PROF_1", chip=$1)
EVENTS = '0x501,0x301,0x1,0x701,0x202,0x203,0x34,0x35,0x714'
p.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'aiv_metrics': 'PipeUtilization', 'taskBlock': 'on',
                'ai_core_profiling_events': EVENTS, 'aiv_profiling_events': EVENTS}
def log(function, time, task, number, kind=0, acc=0, types=0):
    p._device(0, 'stars_soc', struct.pack('<HHIQHH12x', function | number % 16 << 6 | kind << 10, 0x6bd3, task, p._ticks(time),
                                          types, acc), 32)
def pmu(function, start, end, task, number, total, counters, core=0, core_id=0, block=0, flags=0):
    p._device(0, 'ffts_profile', struct.pack('<HHIQBBHBBHHHI10QQQ', function | number % 16 << 6, 0x6bd3, task, total, 0, flags,
                                             0, core, core_id, 0, 0, block, 0, *counters, p._ticks(start), p._ticks(end)), 128)
cube, vector, other = 65536 * 3 + 7, 65536 * 3 + 8, 65536 * 4 + 7
p.launch(0, 5, 7, 'cube', batch=3)
p.launch(1000, 6, 8, 'vector', batch=3)
p.launch(2000, 5, 7, 'other', batch=4)
for number, (function, time, task, kind) in enumerate((
        (0, 10000, cube, 0), (1, 20000, cube, 0), (0, 20000, vector, 1), (1, 25000, vector, 1), (0, 30000, other, 0),
        (1, 40000, other, 0), (0, 50000, 99, 16), (1, 51000, 99, 16))):
    log(function, time, task, number, kind, 3)
log(0x16, 60000, 1, 0, 2, 7, 0b00101)
log(0x17, 61000, 1, 0, 2, 7, 0b00101)
log(0x16, 62000, 2, 0, 2, 8, 0b10001 | 9 << 5)
log(0x17, 64000, 2, 0, 2, 8, 0b10001 | 9 << 5)
pmu(0x2a, 10000, 19980, cube, 0, 1000, [100, 200, 300, 400, 500, 600, 50, 5, 700, 0])
pmu(0x2a, 20000, 25000, vector, 1, 1000, [100, 200, 300, 400, 500, 600, 50, 5, 700, 0], core=1)
pmu(0x2a, 30000, 40000, other, 2, 1, [1] * 10, flags=4)  # ran over
for block in range(3):
    pmu(0x29, 10000 + 1000 * block, 15000 + 1000 * block, cube, 0, 500, range(10), core=block == 2, core_id=20 + block, block=block)
pmu(0x29, 45000, 46000, cube, 0, 500, range(10), core_id=30)  # the task did not run then
END
}

@test "tasks have the stream and operator of the host's task of their number" {
    for chip in 15 16; do
        rm -rf PROF_1
        write_v6 $chip
        run_msprof import -dir PROF_1
        expect_status 3
        expect_contains "$stderr" "ffts_profile.data.0.slice_0: record 2, offset 256, field overflow: counters that ran over"
        expect_sql "SELECT op_name, stream_id, task_id, batch_id, time_us FROM device_task_report ORDER BY id" \
            $'cube|5|196615|0|10.0\nvector|6|196616|0|5.0\nother|5|262151|0|10.0\n|65535|99|0|1.0'
        expect_sql "SELECT group_concat(type || ' ' || accelerator_id) FROM device_task" "0 3,2 3,0 3,48 3"
    done
}

@test "the counter of chips 15 and 16 is taken to have 1 GHz where nobody says it" {
    for chip in 15 16; do
        write_v6 $chip
        sed -i 's/"hwts_frequency": "50"/"hwts_frequency": ""/' PROF_1/device_0/info.json.0
        run_msprof import -dir PROF_1
        expect_contains "$stderr" "no hwts_frequency in info.json: the usual one of the chip is used"
        # 500, 250, 500 and 50 ticks.
        expect_sql "SELECT group_concat(duration_ns) FROM (SELECT duration_ns FROM device_task ORDER BY start_ns)" "500,250,500,50"
        rm -rf PROF_1
    done
}

@test "counters have times of their own, and columns for each kind of core" {
    write_v6 15
    run_msprof export summary -dir PROF_1 --stable-names
    python3 - PROF_1/mindstudio_profiler_output/op_summary.csv <<'END'
import csv, sys
rows = {row['Op Name']: row for row in csv.DictReader(open(sys.argv[1]))}
wanted = {'cube': {'aicore_time(us)': '9.98', 'aic_total_cycles': '1000', 'aic_mac_ratio': '0.2', 'aic_mac_time(us)': '1.996',
                   'aic_scalar_ratio': '0.3', 'aic_mte1_ratio': '0.4', 'aic_mte2_ratio': '0.5', 'aic_mte3_ratio': '0.6',
                   'aic_fixpipe_ratio': '0.7', 'aic_icache_miss_rate': '0.1', 'aiv_time(us)': '0'},
          'vector': {'aiv_time(us)': '5', 'aiv_vec_ratio': '0.1', 'aiv_scalar_ratio': '0.3', 'aiv_mte2_time(us)': '2.5',
                     'aiv_mte3_ratio': '0.6', 'aiv_icache_miss_rate': '0.1', 'aicore_time(us)': '0'},
          'other': {'aicore_time(us)': 'N/A', 'aiv_time(us)': 'N/A'}}
for name, cells in wanted.items():
    found = {column: rows[name][column] for column in cells}
    assert found == cells, (name, found)
assert not {'aic_vec_ratio', 'aiv_mac_ratio', 'aiv_fixpipe_ratio'} & set(rows['cube'])
END
}

# The slices of a process: (thread, name, start in us, duration in us, args).
slices() { # process
    run_msprof export timeline -dir PROF_1 --stable-names
    python3 - "$1" <<'END'
import sys
from timeline import read_timeline
document = read_timeline("PROF_1/mindstudio_profiler_output/msprof.json")
events = document.events
(pid,) = {e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == sys.argv[1]}
threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == pid}
origin = int(document.facts["origin_unix_ns"]) - 1700000000000000000
for e in sorted((e for e in events if e["ph"] == "X" and e["pid"] == pid), key=lambda e: (e["tid"], e["ts"])):
    print(threads[e["tid"]], e["name"], "%g" % (e["ts"] + origin / 1000), "%g" % e["dur"],
          *("%s=%s" % item for item in e["args"].items()), sep="|")
END
}

@test "fusion tasks are slices, of the highest type that they have" {
    write_v6 16
    expect_equal "$(slices "Fusion Task")" "Fusion Task|Fusion AICORE|60|1|Task Id=1|Acc Id=7|Task Type=FUSION|Fusion Task Type=AICORE
Fusion Task|Fusion CCU|62|2|Task Id=2|Acc Id=8|Task Type=FUSION|Fusion Task Type=CCU|Mission Id=9|Ccu Die Id=1"
}

@test "of the blocks of a task the earliest and the latest are slices" {
    write_v6 15
    local of_cube="Physic Stream Id=5|Task Id=196615|Batch Id=0|Subtask Id=4294967295"
    expect_equal "$(slices "Block Detail")" "AIC Earliest|Stream 5 cube|10|5|$of_cube|Core Id=20
AIC Latest|Stream 5 cube|11|5|$of_cube|Core Id=21
AIV Earliest|Stream 5 cube|12|5|$of_cube|Core Id=22
AIV Latest|Stream 5 cube|12|5|$of_cube|Core Id=22"
    expect_sql "SELECT count(*) FROM block_pmu" 4
}

@test "tasks of DPUs and their communication are slices by stream" {
    write_capture <<'END'
p = Prof("PROF_1", chip=15)
p.launch(0, 5, 7, 'op')
p.ran(100000, 101000, 5, 7)
p.devices = {0: {}}
p._add(p.host, 'unaging.compact.task_track', struct.pack('<HHIIIQHHHHQQ16x', 0x5a5a, RUNTIME, 802, 1, 24, MONOTONIC, 1 << 12 | 2, 3,
                                                         9, 0, p.hash('KERNEL_AICPU'), p.hash('dpu_kernel')), 64)
for task in (9, 10):
    p._add(p.host, 'unaging.compact.dpu_track', struct.pack('<HHIIIQHHIIIQ16x', 0x5a5a, 4000, 1, 55, 40, MONOTONIC + 1000 * task + 300,
                                                            1 << 12 | 2, 3, task, 900, 0, MONOTONIC + 1000 * task), 64)
p._add(p.host, 'unaging.additional.dpu_hccl_info', struct.pack(
    '<HHIIIQQQQIIIIQQdQQQIIHHHHBBBBBBBB', 0x5a5a, 4000, 2, 55, 112, MONOTONIC + 20500, p.hash('Send'), 5, p.hash('grp'), 1, 2, 4, 0, 77,
    MONOTONIC + 20000, 12.5, 0, 0, 4096, 11, 12, 3, 1, 6, 1 << 12 | 2, 0, 4, 2, 1, 1, 0, 0, 0).ljust(256, b'\0'), 256)
p._device(0, 'ub', struct.pack('<4H15Q', 0, 0, 0, 0, 320, *[1] * 14), 128)
END
    slices DPU >found
    expect_equal "$(sed 's/(.*)|Plane/(hash)|Plane/' found)" "Stream 3|dpu_kernel|9|0.3|Thread Id=55|Physic Stream Id=3|Task Id=9|Task Type=AI_CPU
Stream 3|N/A|10|0.3|Thread Id=55|Physic Stream Id=3|Task Id=10|Task Type=AI_CPU
Stream 3|Send|20|0.5|Thread Id=55|Physic Stream Id=3|Task Id=11|OP Type=0|AI CPU Device Id=6|AI CPU Task Id=12|Group Name=grp(hash)|Plane Id=1|\
Notify Id=77|Duration Estimated(us)=12.5|Rank Size=4|Src Rank=1|Dst Rank=2|Transport Type=RDMA|Size(Byte)=4096|Bandwidth(GB/s)=8.192|\
Data Type=FP32|Link Type=PCIE|Rdma Type=RDMA_SEND_PAYLOAD"
    run_msprof export db -dir PROF_1 --stable-names --output out
    expect_equal "$(sqlite3 out/msprof.db "SELECT dpuDeviceId, globalTid, startNs % 1000000, endNs - startNs, globalTaskId, streamId, taskId,
        n.value, a.value FROM DPU_TASK JOIN STRING_IDS n ON n.id = opName JOIN STRING_IDS a ON a.id = args")" \
        '2|55|9000|300|1|3|9|dpu_kernel|["Thread Id",55,"Physic Stream Id",3,"Task Id",9,"Task Type","AI_CPU"]
2|55|10000|300|2|3|10|N/A|["Thread Id",55,"Physic Stream Id",3,"Task Id",10,"Task Type","AI_CPU"]'
}

@test "instructions of the CCU are one slice each, with what the host says of them" {
    write_capture <<'END'
p = Prof("PROF_1", chip=16)
p.launch(0, 5, 7, 'op')
p._device(0, 'stars_soc', struct.pack('<HHIQHH12x', 0, 0x6bd3, 7, p._ticks(1000), 0, 0), 32)
p._device(0, 'stars_soc', struct.pack('<HHIQHH12x', 1 | 1 << 6, 0x6bd3, 7, p._ticks(200000), 0, 0), 32)
def mission(task, loop, wait=(0, 0, [0] * 16)):
    instruction, begin, end = loop
    notify, start, waited = wait
    return struct.pack('<16HQHQQHHH', *waited, start, notify, end, begin, instruction, task & 0xffff, task >> 16)
at = DEVICE_TICK
p.devices[0]['ccu0.instr.0'] = (
    mission(7, (3, at + 50, at + 150)) + mission(7, (3, at + 500, at + 700)) + mission(7, (0, 0, 0), (74, at + 1000, list(range(16)))))
p.devices[0]['ccu1.instr.0'] = mission(7, (0, 0, 0), (74, at + 1000, [50] + [1] * 15))
words = [0] * 704
for channel, mean in ((3, 40), (5, 90), (6, 500)):
    place = 5 * channel
    words[place:place + 5] = [at + 100, 0, mean, 1, 2]
p.devices[0]['ccu0.stat.0'] = struct.pack('<704I', *words)
def head(kind):
    return struct.pack('<HHIIIQB7xqqII', 0x5a5a, COMMUNICATION, kind, 1, 232, MONOTONIC, 1, p.hash('hcom'), p.hash('grp'), 0, 2)
p._add(p.host, 'unaging.additional.ccu_group_info', (head(16) + struct.pack(
    '<BxHIBxHBBBBQ', 0, 5, 7, 1, 3, 0, 0, 3, 4, 8000)).ljust(256, b'\xff'), 256)
p._add(p.host, 'unaging.additional.ccu_wait_signal_info', (head(15) + struct.pack(
    '<BxHIBxHB3xII16H', 0, 5, 7, 0, 74, 0, 9, 6, 3, 5, *[65535] * 14)).ljust(256, b'\xff'), 256)
END
    expect_equal "$(slices CCU)" "Communication|LoopGroup|10|4|Physic Stream Id=5|Task Id=7|Instruction ID=3|Die Id=1|Data Size=8000|\
Bandwidth (MB/s)=2000.0|Reduce Op Type=SUM|Input Data Type=FP16|Output Data Type=FP32
Communication|Wait|20|4|Physic Stream Id=5|Task Id=7|Notify Instruction ID=74|Notify Rank ID=15|Die Id=0|Mask=6|\
Maximum Delay Channel=5|Maximum Channel Delay=90"
    expect_sql "SELECT channels, remote_ranks IS NULL FROM ccu_wait_signal_info" "3,5|1"
}

# Many tasks of random times, numbers and counters.
write_random() { # chip
    write_capture <<END
import random
random.seed($1)
p = Prof("PROF_1", chip=$1)
EVENTS = '0x501,0x301,0x1,0x701,0x202,0x203,0x34,0x35,0x714'
p.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'aiv_metrics': 'PipeUtilization', 'ai_core_profiling_events': EVENTS,
                'aiv_profiling_events': EVENTS}
log, time = [], 1000000
for number in range(150):
    stream, task, batch, core = random.randrange(1, 2000), number * 977 % 65536, number // 50, number % 2
    p.launch(1000 * number, stream, task, 'op%d' % number, batch=batch, task_type=('KERNEL_AICORE', 'KERNEL_AIVEC')[core])
    time += 20 * random.randrange(1, 500)
    start, end = time, time + 20 * random.randrange(1, 3000)
    log += [(start, 0, task, batch, core), (end, 1, task, batch, core)]
    cycles = random.randrange(1, 1 << 40)
    p._device(0, 'ffts_profile', struct.pack('<HHHHQBBHBBHHHI10QQQ', 0x2a | number % 16 << 6, 0x6bd3, task, batch, cycles, 0, 0, 0, core,
              random.randrange(25), 0, 0, 0, 0, *(random.randrange(cycles) for _ in range(9)), 0, p._ticks(start), p._ticks(end)), 128)
for number, (when, function, task, batch, core) in enumerate(sorted(log)):
    p._device(0, 'stars_soc', struct.pack('<HHHHQ16x', function | number % 16 << 6 | core << 10, 0x6bd3, task, batch, p._ticks(when)), 32)
END
}

@test "tasks, operators, times and counters are those that a recalculation finds in the files" {
    for chip in 15 16; do
        rm -rf PROF_1 out
        write_random $chip
        run_msprof export summary -dir PROF_1 --stable-names --output out
        expect_status 0
        python3 "$BATS_TEST_DIRNAME/lib/recompute_v6.py" PROF_1 out/mindstudio_profiler_output
    done
}

@test "every group of metrics of chips 15 and 16 has its columns, of each kind of core, as a recalculation says" {
    local chip group events
    for chip in 15 16; do
        while read -r group events; do
            rm -rf PROF_1 out
            write_capture <<END
p = Prof("PROF_1", chip=$chip)
p.samples[0] = {'ai_core_metrics': '$group', 'aiv_metrics': '$group', 'ai_core_profiling_events': '$events',
                'aiv_profiling_events': '$events'}
for number, core in ((1, 0), (2, 1)):
    p.launch(1000 * number, 5, number, 'op%d' % number, task_type=('KERNEL_AICORE', 'KERNEL_AIVEC')[core], node={'task_type': 2 * core})
    for function, time in ((0, 10000), (1, 15000)):
        p._device(0, 'stars_soc', struct.pack('<HHIQ16x', function | p._count(0, 'stars_soc') << 6 | core << 10, 0x6bd3, number,
                                                      p._ticks(time + 10000 * number)), 32)
    p._device(0, 'ffts_profile', struct.pack('<HHIQBBHBBHHHI10QQQ', 0x2a | p._count(0, 'ffts_profile') << 6, 0x6bd3, number, 98765, 0, 0, 0, core, 0, 0, 0, 0, 0,
              *(1234 * (i + 1) + number for i in range(10)), p._ticks(10000 + 10000 * number), p._ticks(15000 + 10000 * number)), 128)
END
            run_msprof export summary -dir PROF_1 --stable-names --output out
            expect_status 0
            expect_not_contains "$stderr" "unknown group"
            python3 - "$events" <<'END'
import csv, sys
events = [int(event, 16) for event in sys.argv[1].split(',')]
CYCLES, MHZ = 98765, 1000
rows = list(csv.DictReader(open('out/mindstudio_profiler_output/op_summary.csv', encoding='utf-8')))
assert len(rows) == 2
compared = 0
for row in rows:
    number, core = int(row['Task ID']), ('aic', 'aiv')[int(row['Task ID']) - 1]
    r = {event: 1234 * (i + 1) + number for i, event in enumerate(events)}
    def share(*of): return sum(r[event] for event in of) / CYCLES
    def bandwidth(counted, pipe, size): return counted * pipe * size / (CYCLES / (MHZ * 1e6)) / 2 ** 33
    wanted = {}
    for event, name, only in ((0x501, 'vec', 'v'), (0x301, 'mac', 'c'), (1, 'scalar', ''), (0x701, 'mte1', 'c'), (0x202, 'mte2', ''),
                              (0x203, 'mte3', ''), (0x714, 'fixpipe', 'c')):
        if event in r and 0x34 in r and core[2] in (only or 'cv'):
            wanted[name + '_ratio'] = share(event)
    if 0x35 in r: wanted['icache_miss_rate'] = r[0x35] / r[0x34]
    if 0x323 in r and core == 'aic':
        wanted.update(mac_fp16_ratio=share(0x323), mac_int8_ratio=share(0x324), cube_fops=r[0x323] * 8192 + r[0x324] * 16384)
    if 0x540 in r and core == 'aiv':
        wanted.update(vec_bank_cflt_ratio=share(0x540, 0x556), vec_resc_cflt_ratio=r[0x528] / r[0x502])
    if 0x56f in r and core == 'aiv':
        wanted['ub_read_bw(GB/s)'] = bandwidth(r[0x56f] + r[0x571] / 4, 256, 4)
        wanted['ub_write_bw(GB/s)'] = bandwidth(r[0x570], 256, 4)
    for event, name, pipe, size, only in (
            (0x707, 'l1_read_bw', 256, 16, 'c'), (0x709, 'l1_write_bw', 256, 8, 'c'), (0x400, 'main_mem_read_bw', 8, 8, ''),
            (0x401, 'main_mem_write_bw', 8, 8, ''), (0x422, 'main_mem_read_bw', 128, 8, ''), (0x423, 'main_mem_write_bw', 128, 8, ''),
            (0x304, 'l0a_read_bw', 256, 16, 'c'), (0x703, 'l0a_write_bw', 256, 16, 'c'), (0x306, 'l0b_read_bw', 256, 8, 'c'),
            (0x705, 'l0b_write_bw', 256, 8, 'c'), (0x30a, 'l0c_read_bw_cube', 256, 8, 'c'), (0x308, 'l0c_write_bw_cube', 256, 8, 'c'),
            (0x572, 'ub_write_bw_vector', 128, 2, 'v'), (3, 'ub_read_bw_scalar', 128, 1, 'v'), (5, 'ub_write_bw_scalar', 128, 1, 'v')):
        if event in r and core[2] in (only or 'cv') and not (event == 0x572 and 3 not in r) and not (event in (3, 5) and 0x70c not in r):
            if name + '(GB/s)' not in wanted:
                wanted[name + '(GB/s)'] = bandwidth(r[event], pipe, size)
    for event, name in ((0x424, 'read_local_l2_hit'), (0x425, 'read_local_l2_miss'), (0x426, 'read_local_l2_victim'),
                        (0x42a, 'write_local_l2_hit'), (0x42b, 'write_local_l2_miss'), (0x42c, 'write_local_l2_victim')):
        if event in r: wanted[name] = r[event]
    for name, value in wanted.items():
        found = row[core + '_' + name]
        assert abs(float(found) - value) <= 0.0005001, (core, name, found, value)
        compared += 1
header = next(csv.reader(open('out/mindstudio_profiler_output/op_summary.csv', encoding='utf-8')))
assert compared and len(header) == len(set(header)), (compared, header)
END
        done <<'END'
PipeUtilization 0x501,0x301,0x1,0x701,0x202,0x203,0x34,0x35,0x714
ArithmeticUtilization 0x323,0x324
ResourceConflictRatio 0x540,0x556,0x502,0x528
Memory 0x400,0x401,0x56f,0x571,0x570,0x572,0x707,0x709
Memory 0x422,0x423,0x56f,0x571,0x570,0x572,0x707,0x709
Memory 0x422,0x423,0x400,0x401,0x570
MemoryL0 0x304,0x703,0x306,0x705,0x712,0x30a,0x308
MemoryUB 0x3,0x5,0x70c,0x206,0x204,0x571,0x572
L2Cache 0x424,0x425,0x426,0x42a,0x42b,0x42c
END
    done
}

@test "step marks of chips 15 and 16 have their tag first, and make iterations" {
    for chip in 15 16; do
        rm -rf PROF_1 out
        write_capture <<END
p = Prof("PROF_1", chip=$chip)
p.launch(0, 5, 7, 'op')
p._device(0, 'stars_soc', struct.pack('<HHIQ16x', 0, 0x6bd3, 7, p._ticks(10000)), 32)
p._device(0, 'stars_soc', struct.pack('<HHIQ16x', 1 | 1 << 6, 0x6bd3, 7, p._ticks(11000)), 32)
for time, tag in ((9000, 0), (9500, 2), (11500, 3), (12000, 4), (15000, 4)):
    p._device(0, 'ts_track', struct.pack('<BBHIQQQHHI', 1, 10, 40, 0, p._ticks(time), 1, 3, tag, 12, 0x20009), 40)
END
        run_msprof export summary -dir PROF_1 --stable-names --output out
        expect_status 0
        expect_equal "$(cut -d, -f 1-6 out/mindstudio_profiler_output/step_trace.csv | tail -n +2 | tr -d '\t')" "0,1,1700000000000009.500,1700000000000011.500,1700000000000012.000,3
0,2,N/A,N/A,1700000000000015.000,3"
        sqlite3 out/sqlite/runtime.db "SELECT DISTINCT stream_id, task_id FROM ts_track" >ids
        expect_equal "$(<ids)" "12|131081"
    done
}

@test "samples of cores of chips 15 and 16 have ten counters" {
    write_capture <<'END'
p = Prof("PROF_1", chip=16)
EVENTS = '0x501,0x301,0x1,0x701,0x202,0x203,0x34,0x35,0x714,0x1'
p.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'aiv_metrics': 'PipeUtilization', 'ai_core_profiling_events': EVENTS,
                'aiv_profiling_events': EVENTS, 'ai_core_profiling_mode': 'sample-based', 'aiv_profiling_mode': 'sample-based'}
p.launch(0, 5, 7, 'op')
for name in ('aicore', 'aiVectorCore'):
    for sample in range(3):
        for core in range(2):
            p._device(0, name, struct.pack('<B7x10QQQBB6x', 1, *(1000 * (sample + 1) + i for i in range(10)), 100000,
                                           p._ticks(1000 * sample + 1000), 0, core), 112)
END
    run_msprof import -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    expect_sql "SELECT kind, records_decoded, records_rejected FROM source_file WHERE kind IN ('aicore_pmu', 'aiv_pmu') ORDER BY 1" \
        $'aicore_pmu|6|0\naiv_pmu|6|0'
    expect_sql "SELECT min(event9), max(event9), min(total_cycle) FROM aicore_pmu WHERE event9 IS NOT NULL" "1009|3009|100000"
}

@test "damaged records of chips 15 and 16 are named, and nothing is lost silently" {
    write_v6 15
    python3 - <<'END'
import random
random.seed(7)
for name in ('stars_soc', 'ffts_profile'):
    path = 'PROF_1/device_0/data/%s.data.0.slice_0' % name
    data = bytearray(open(path, 'rb').read())
    for _ in range(40):
        data[random.randrange(len(data))] = random.randrange(256)
    open(path, 'wb').write(data[:-5])
END
    run_msprof import -dir PROF_1
    expect_status 3
    expect_sql "SELECT count(*) FROM record_count WHERE outcome = 'rejected' AND reason = ''" 0
    run_msprof export summary -dir PROF_1
    run_msprof export timeline -dir PROF_1
    run_msprof export db -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}
