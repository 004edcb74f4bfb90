#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The simulator's trace as a timeline.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load common

setup() {
    needs python3 jq
    enter_scratch
}

simulate() {
    mkdir -p OPPROF_4/simulator
    cat >OPPROF_4/simulator/trace.json <<'END'
{"displayTimeUnit": "ns", "schemaVersion": 2, "traceEvents": [
{"ph": "M", "name": "process_sort_index", "pid": "core0.veccore0", "args": {"sort_index": 1}},
{"ph": "X", "pid": "core0.veccore1", "tid": "VECTOR", "name": "VADD", "ts": 2.5, "dur": 0.25, "args": {"code": "/a.cpp:3", "detail": "XD:X1", "pc_addr": "0x10"}},
{"ph": "X", "pid": "core0.veccore0", "tid": "MTE2", "name": "MOV_OUT_TO_UB", "ts": 1.0, "dur": 1.5, "args": {"detail": "Src:OUT", "process_bytes": "4096"}},
{"ph": "B", "pid": "core0.veccore0", "tid": "MTE2", "name": "SET_FLAG", "id": "core0.veccore0_0", "ts": 2.5, "args": {}},
{"ph": "E", "pid": "core0.veccore0", "tid": "VECTOR", "name": "WAIT_FLAG", "id": "core0.veccore0_0", "ts": 2.625, "args": {}},
{"ph": "C", "pid": "MTE Throughput", "name": "GM_TO_UB", "ts": 1.0, "args": {"throughput(MB/s)": 2730.5}}
]}
END
}

# flow_ends: a trace with flags and flows, one of them without an end, one that leads back in time.
flow_ends() {
    mkdir -p OPPROF_7/simulator
    python3 - >OPPROF_7/simulator/trace.json <<'END'
import json
core = 'core0.veccore0'
def event(phase, name, pipe, ts, link, **more):
    return {'ph': phase, 'pid': core, 'tid': pipe, 'name': name, 'ts': ts, 'id': core + link} | more
print(json.dumps({'schemaVersion': 2, 'traceEvents': [
    event('B', 'SET_FLAG', 'MTE2', 2, '_0'), event('E', 'WAIT_FLAG', 'VECTOR', 2.5, '_0'),
    event('s', 'flow', 'MTE2', 3, '_1', cat='MTE2ToVECTOR'), event('t', 'flow', 'VECTOR', 3.25, '_1', cat='MTE2ToVECTOR'),
    event('B', 'SET_FLAG', 'MTE3', 4, '_2'),
    event('B', 'SET_FLAG', 'MTE3', 6, '_3'), event('E', 'WAIT_FLAG', 'SCALAR', 5, '_3'),
    event('B', 'SET_FLAG', 'MTE2', 7, '_0'), event('E', 'WAIT_FLAG', 'VECTOR', 8, '_0')]}))
END
}

@test "every core is a process, every pipe a thread, and events stand where the trace has them" {
    simulate
    run_msprof export timeline OPPROF_4
    expect_status 0
    expect_equal "$(jq -r '[.[] | select(.name == "process_name")] | sort_by(.pid)[] | .args.name' OPPROF_4/timeline/simulator.json)" \
        "MTE Throughput
core0.veccore0
core0.veccore1"
    expect_equal "$(jq -r '. as $all | [.[] | select(.ph == "X")] | sort_by(.ts, .name)[] | . as $e |
        "\($e.name) \($all | map(select(.name == "process_name" and .pid == $e.pid))[0].args.name) \($all | map(select(.name == "thread_name" and .pid == $e.pid and .tid == $e.tid))[0].args.name) \($e.ts) \(($e.dur * 100 | round) / 100)"' OPPROF_4/timeline/simulator.json)" \
        "MOV_OUT_TO_UB core0.veccore0 MTE2 1 1.5
SET_FLAG core0.veccore0 MTE2 2.5 0
VADD core0.veccore1 VECTOR 2.5 0.25
WAIT_FLAG core0.veccore0 VECTOR 2.625 0"
    expect_equal "$(jq -c '.[] | select(.name == "VADD").args' OPPROF_4/timeline/simulator.json)" \
        '{"Operands":"XD:X1","Address":"0x10","Line":"/a.cpp:3"}'
    expect_equal "$(jq -c '.[] | select(.ph == "C") | [.name, .ts, .args["MB/s"]]' OPPROF_4/timeline/simulator.json)" '["GM_TO_UB",1,2730.5]'
}

@test "the timeline is written for Perfetto, too" {
    simulate
    run_msprof export timeline --format pftrace OPPROF_4
    expect_status 0
    [ -s OPPROF_4/timeline/simulator.pftrace ]
}

@test "arrows lead from flags to the waits for them, and from one end of a flow to the other" {
    flow_ends
    run_msprof export timeline OPPROF_7
    expect_status 0
    expect_equal "$(jq -r '. as $all | def pipe: . as $e | $all | map(select(.name == "thread_name" and .tid == $e.tid))[0].args.name;
        [.[] | select(.ph == "s")] | sort_by(.ts)[] | . as $s | $all | map(select(.ph == "f" and .id == $s.id))[0] |
        "\($s.ts) \($s | pipe) \(.ts) \(pipe) \(.bp)"' OPPROF_7/timeline/simulator.json)" "2 MTE2 2.5 VECTOR e
3 MTE2 3.25 VECTOR e
7 MTE2 8 VECTOR e"
    expect_equal "$(jq '[.[] | select(.ph == "f" or .ph == "s")] | length' OPPROF_7/timeline/simulator.json)" 6
    expect_equal "$(jq -r '[.[] | select(.ph == "X")] | sort_by(.ts, .name) | map(.name) | join(" ")' OPPROF_7/timeline/simulator.json)" \
        "SET_FLAG WAIT_FLAG MTE2ToVECTOR MTE2ToVECTOR SET_FLAG WAIT_FLAG SET_FLAG SET_FLAG WAIT_FLAG"
}

@test "Perfetto's format has the arrows of the JSON" {
    needs_protoc
    flow_ends
    run_msprof export timeline OPPROF_7
    run_msprof export timeline --format pftrace OPPROF_7
    expect_equal "$(PYTHONPATH=$repository/tests/lib python3 "$repository/tests/cli/pftrace.py" "$repository/docs/formats/perfetto.proto" \
        OPPROF_7/timeline/simulator.json OPPROF_7/timeline/simulator.pftrace)" "9 events and 6 ends of arrows are the same"
}

@test "a directory without a trace has no timeline" {
    plant_vector
    run_msprof export timeline OPPROF_1
    expect_status 4
}

@test "a damaged trace loses no more than what is damaged" {
    simulate
    sed -i 's/"ts": 2.625/"ts": "x"/; s/"name": "VADD", //' OPPROF_4/simulator/trace.json
    run_msprof export timeline OPPROF_4
    expect_status 3
    expect_contains "$stderr" "trace.json: record 2: an event without ph, pid or name; expected texts"
    expect_contains "$stderr" "no time; expected microseconds"
    expect_equal "$(jq '[.[] | select(.ph == "X")] | length' OPPROF_4/timeline/simulator.json)" 2
    truncate -s 700 OPPROF_4/simulator/trace.json
    run_msprof import OPPROF_4
    expect_status 3
    expect_contains "$stderr" "trace.json"
}

@test "the flame graph has the lines of each core with their times, and instructions where there are no lines" {
    mkdir -p OPPROF_5/simulator/core0.veccore1 OPPROF_6/simulator/core2.cubecore0
    printf 'code,call_count,cycles,running_time(us)\n/src/add.cpp:12,8,2944,1.630000\n/src/add.cpp:14,8,100,0.060000\n' \
        >OPPROF_5/simulator/core0.veccore1/core0.veccore1_code_exe.csv
    printf 'instr,addr,pipe,call_count,cycles,running_time(us),detail\nMMAD,16,CUBE,2,100,0.060000,"a"\n' \
        >OPPROF_6/simulator/core2.cubecore0/core2.cubecore0_instr_exe.csv
    run_msprof export flame OPPROF_5
    expect_status 0
    expect_equal "$(sort OPPROF_5/flame/*.collapsed)" "core0.veccore1;/src/add.cpp;/src/add.cpp:12 1630
core0.veccore1;/src/add.cpp;/src/add.cpp:14 60"
    run_msprof export flame OPPROF_6
    expect_equal "$(cat OPPROF_6/flame/*.collapsed)" "core2.cubecore0;CUBE;MMAD 60"
}

@test "the flame graph keeps launches apart, and one without lines has its instructions" {
    for launch in add/0 add/1 mul/0; do
        core=OPPROF_8/$launch/simulator/core0.veccore0
        mkdir -p $core
        printf 'instr,addr,pipe,call_count,cycles,running_time(us),detail\nVADD,16,VECTOR,2,100,0.060000,"a"\n' \
            >$core/core0.veccore0_instr_exe_20260101000000000.csv
        [ $launch = mul/0 ] || printf 'code,call_count,cycles,running_time(us)\n/a.cpp:3,8,2944,1.5\n' \
            >$core/core0.veccore0_code_exe_20260101000000000.csv
    done
    run_msprof export flame OPPROF_8
    expect_status 0
    expect_equal "$(sort OPPROF_8/flame/*.collapsed)" "add/0 core0.veccore0;/a.cpp;/a.cpp:3 1500
add/1 core0.veccore0;/a.cpp;/a.cpp:3 1500
mul/0 core0.veccore0;VECTOR;VADD 60"
}
