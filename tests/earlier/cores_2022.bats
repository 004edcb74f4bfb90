#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures of the layout of 2022 whose records are written one by one by their documented layouts: what is exported of
# vector cores, the AI CPU and iterations is recalculated from the raw records.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

# chip, seed, [NAME=VALUE of sample.json...]
make_capture() {
    rm -rf PROF_1
    python3 "$BATS_TEST_DIRNAME/../cann/lib/prof_2022.py" PROF_1 "$@"
}

expect_recomputed() { # script, iteration
    run_msprof export summary -dir PROF_1 --iteration-id "$2"
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/../cann/lib/$1" PROF_1 "$2"
}

@test "each execution of an operator of 2022 has the counters of the cores that it ran on" {
    for chip in 0 1 2 3 4 5; do
        make_capture "$chip" "$((chip + 10))"
        for iteration in 1 2 3; do
            expect_recomputed recompute_2022_cores.py "$iteration"
        done
    done
}

@test "import of 160,000 executions of 2022 needs no more memory than that of 16,000" {
    [ -x /usr/bin/time ] || skip "/usr/bin/time is not installed"
    [[ $MSPROF == */release/* ]] || skip "the sanitizers keep memory"
    python3 - "$BATS_TEST_DIRNAME/../cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof_2022 import Prof2022, fill

for name, executions in ('PROF_small', 400), ('PROF_large', 4000):
    prof = Prof2022(name, 0, 1)
    fill(prof, executions=executions)
    for call in range(executions * 40):
        prof.runtime_call(call * 1000, call * 1000 + 900, 7, 'rtKernelLaunch')
    prof.write()
END
    for capture in small large; do
        /usr/bin/time -f %M -o memory_$capture "$MSPROF" import -q -dir "PROF_$capture"
    done
    [ "$(<memory_large)" -lt $(($(<memory_small) + 20480)) ]
}

@test "vector cores of 2022 may count another group of metrics than AI cores" {
    while read -r group events vector_group vector_events; do
        make_capture 3 5 ai_core_metrics="$group" ai_core_profiling_events="$events" aiv_metrics="$vector_group" \
            aiv_profiling_events="$vector_events"
        expect_recomputed recompute_2022_cores.py 2
    done <<'END'
PipeUtilization 0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55 Memory 0x15,0x16,0x31,0x32,0xf,0x10,0x12,0x13
MemoryL0 0x1b,0x1c,0x21,0x22,0x27,0x28,0x29,0x2a MemoryL0 0x2a,0x29,0x28,0x27,0x22,0x21,0x1c,0x1b
ArithmeticUtilization 0x49,0x4a,0x4b,0x4c,0x4d,0x4e,0x4f ArithmeticUtilization 0x4b,0x4c,0x4d,0x4e,0x4f,0x49,0x4a
END
}

@test "when only the vector cores of 2022 counted the columns are theirs" {
    make_capture 2 6 aiv_metrics=ResourceConflictRatio aiv_profiling_events=0x64,0x65,0x66
    rm PROF_1/device_0/data/aicore.data.0.slice_0
    expect_recomputed recompute_2022_cores.py 1
    grep -q vec_resc_cflt_ratio PROF_1/summary/op_summary_0_3_1.csv
}

@test "two operators of 2022 with the same task number have the counters of their own kinds of cores" {
    python3 - "$BATS_TEST_DIRNAME/../cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof_2022 import AI_CORE, AIV, Prof2022
p = Prof2022('PROF_1', 2, 1)
p.operator(1, 1, 7, AIV, 'vector', 'Add', 1)
p.operator(2, 1, 7, AI_CORE, 'cube', 'MatMul', 1)
p.ran(10, 20, 1, 7, 0)
p.ran(30, 40, 1, 7, 0)
p.counted(20, 1, 7, AI_CORE, 1000, [0] * 8, 1)
p.counted(40, 1, 7, AIV, 2000, [0] * 8, 1)
p.write()
END
    run_msprof export summary -dir PROF_1
    expect_status 0
    expect_equal "$(cut -d, -f4,12 PROF_1/summary/op_summary_0_1.csv | tr -d '\r')" \
        $'Op Name,total_cycles\nvector,2000\ncube,1000'
}

@test "step_trace of 2022 has every iteration of the device, whichever is reported" {
    for chip in 0 1 3; do
        make_capture "$chip" "$((chip + 20))"
        for iteration in 1 3; do
            expect_recomputed recompute_2022_steps.py "$iteration"
        done
    done
    run_msprof export summary -dir PROF_1 --format json
    expect_status 0
    python3 -c 'import json; assert len({len(row) for row in json.load(open("PROF_1/summary/step_trace_0_3_1.json"))}) == 1'
}

@test "a capture of 2022 without marks of iterations has no step_trace" {
    make_capture 1 4
    rm PROF_1/device_0/data/ts_track.data.0.slice_0
    run_msprof export summary -dir PROF_1
    expect_status 0
    [ -f PROF_1/summary/op_summary_0_1.csv ]
    [ ! -e PROF_1/summary/step_trace_0_1.csv ]
}

@test "what the AI CPU of 2022 measured is in aicpu and in the timelines" {
    for chip in 0 1 2; do
        make_capture "$chip" "$((chip + 30))"
        for iteration in 1 2; do
            run_msprof export timeline -dir PROF_1 --iteration-id "$iteration"
            expect_status 0
            expect_recomputed recompute_2022_ai_cpu.py "$iteration"
        done
    done
}

@test "a time of the AI CPU of 2022 that contradicts another is missing, and a task that ends before it starts left out" {
    python3 - "$BATS_TEST_DIRNAME/../cann/lib" <<'END'
import struct
import sys
sys.path.insert(0, sys.argv[1])
from prof_2022 import AI_CPU, Prof2022
p = Prof2022('PROF_1', 1, 1)
p.operator(1, 1, 7, AI_CPU, 'node', 'Type', 1)
for start, end, compute, copy, copied in ((10, 20, 900, 800, 850), (50, 40, 1, 2, 3), (60, 70, 5, 7, 6)):
    p.add('DATA_PREPROCESS.AICPU', struct.pack(
        '<HHHHQQQQQQQIIQQQQIIIHBBQ', 0x5a5a, 60, 1, 7, 0, p.ticks(start), compute, copy, copied, 0, p.ticks(end),
        *[0] * 7, 1500, 2500, 0, 0, 0, 0), 128)
p.write()
END
    run_msprof export summary -dir PROF_1
    expect_status 3
    expect_equal "$(tail -n +2 PROF_1/summary/aicpu_0_1.csv | tr -d '\r')" \
        $'1000000.01,node,N/A,0.05,0.01,1.5,2.5\n1000000.06,node,0.002,N/A,0.01,1.5,2.5'
}

@test "samples of cores of 2022 are in the database and make no columns of op_summary" {
    python3 - "$BATS_TEST_DIRNAME/../cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof_2022 import AI_CORE, Prof2022
p = Prof2022('PROF_1', 2, 1)
p.operator(1, 1, 7, AI_CORE, 'cube', 'MatMul', 1)
p.ran(10, 20, 1, 7, 0)
p.sample_of(15, 3, 1000, [1] * 8)
p.sample_of(16, 4, 1000, [1] * 8, 'aiVectorCore')
p.write()
END
    run_msprof export summary -dir PROF_1
    expect_status 0
    expect_equal "$(head -n 1 PROF_1/summary/op_summary_0_1.csv | tr -d '\r' | cut -d, -f 10-)" "Block Dim"
    expect_equal "$(sqlite3 PROF_1/sqlite/*.db 'SELECT core_id FROM aicore_pmu UNION ALL SELECT core_id FROM aiv_pmu')" \
        $'3\n4'
}

@test "a capture of 2022 of a chip with STARS has tables of its tasks, parts, accelerators and bandwidths" {
    python3 - "$BATS_TEST_DIRNAME/../cann/lib" <<'END'
import struct
import sys
sys.path.insert(0, sys.argv[1])
from prof_2022 import AI_CORE, Prof2022

prof = Prof2022('PROF_1', 5, 1)
prof.operator(100, 1, 7, AI_CORE, 'whole', 'MatMul', 4)
prof.operator(101, 2, 8, AI_CORE, 'split', 'Conv2D', 4)
prof.scheduled(0, 1000, 1, 7, 0)
prof.scheduled(1, 1010, 1, 7, 0, accelerator=3)
prof.counted(1010, 1, 7, AI_CORE, 5000, range(8), 4)
prof.scheduled(0, 1020, 2, 8, 0)
for context, start in (0, 1021), (5, 1022), (65535, 1023):
    prof.scheduled(0x22, start, 2, 8, 1, context)
for context, end in (0, 1027), (5, 1028), (65535, 1029):
    prof.scheduled(0x23, end, 2, 8, 1, context)
prof.scheduled(1, 1030, 2, 8, 0, accelerator=9)
prof.part_counted(1028, 2, 8, 5, 777, range(8))
prof.part_counted(1029, 2, 8, 65535, 888, range(8))
for time, mata, l2 in (1000, 3, 93), (1010, 4, 94), (1020, 4, 94):
    prof.soc_sample(0x1c, time, 0, struct.pack('<H', mata | l2 << 3))
prof.soc_sample(0x1a, 1000, 2, struct.pack('<QQQQ', 10, 20, 30, 40))
prof.soc_sample(0x1a, 1001, 1, struct.pack('<QQQQ', 11, 21, 31, 41))
prof.write()
END
    run_msprof export summary -dir PROF_1
    expect_status 0
    cd PROF_1/summary
    expect_equal "$(<acsq_task_statistic_0_1.csv)" "Stream Id,Task Id,AccId,Task Type,Start Time(us),End Time(us),Task Duration(us)
1,7,3,AI_CORE,1000001000,1000001010,10
2,8,9,AI_CORE,1000001020,1000001030,10"
    expect_equal "$(<ffts_sub_task_time_0_1.csv)" "Stream Id,Task Id,Subtask Id,Subtask Type,Start Time(us),Duration(us),Total Cycles
2,8,0,AIV,1000001021,6,N/A
2,8,5,AIV,1000001022,6,777
2,8,65535,AIV,1000001023,6,888"
    expect_equal "$(<inter_soc_transmission_1.csv)" "Device_id,Metric,L2Buffer_bandwidth_level,MATA_bandwidth_level
0,average,93.6667,3.6667"
    expect_equal "$(<acc_pmu_summary_1.csv)" "Device_id,acc_id,read_bandwidth,write_bandwidth,read_ost,write_ost,time_stamp
0,2,20,10,40,30,1000001000000
0,1,21,11,41,31,1000001001000"
    # operators are whole tasks
    expect_equal "$(tail -n +2 op_summary_0_1.csv | cut -d , -f 2,4)" $'7,whole\n8,split'
}

@test "a device with STARS is of 2022 when its host's files are, else of CANN since 2023" {
    make_capture 5 1
    run_msprof import -dir PROF_1
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT value FROM meta WHERE key = 'family'")" ascend-2022
    rm -r PROF_1/sqlite PROF_1/device_0/data/Framework*
    run_msprof import -dir PROF_1
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT value FROM meta WHERE key = 'family'")" ascend-cann
}
