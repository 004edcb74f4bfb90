#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is in the files of a damaged capture is in the tables or rejected, by reason: tests/cann/lib/record_sums.py counts.

# shellcheck disable=SC2154 # common.bash sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

# Writes a capture as the Python on standard input says and imports it.
import_damaged() { # status
    {
        printf 'import sys\nsys.path.insert(0, "%s")\nfrom damage import *\n' "$BATS_TEST_DIRNAME/lib"
        cat
    } >make.py
    rm -rf PROF_1
    python3 make.py
    run_msprof import -dir PROF_1
    expect_status "$1"
}

count_records() {
    python3 "$BATS_TEST_DIRNAME/lib/record_sums.py" PROF_1 >sums
}

@test "the records of a sound capture are all rows or part of them" {
    import_damaged 0 <<<'sound()'
    count_records
    if awk '$4 != 0' sums | grep .; then false; fi
}

@test "a call whose time was overwritten is told with a warning and counted" {
    import_damaged 3 <<'END'
sound()
put(CALLS, 3, 24, '<Q', 0)
END
    count_records
    expect_contains "$stderr" "2 rejected (1 record-value, 1 record-unplaced)"
    expect_contains "$(cat sums)" "api_event 0 "
    import_damaged 3 <<'END'
sound()
put(CALLS, 3, 24, '<Q', 2 ** 64 - 1)
END
    count_records
    expect_contains "$stderr" "2 rejected (1 call-unmatched, 1 record-unplaced)"
}

@test "tasks that lost their start or end are told with a warning and counted" {
    import_damaged 3 <<'END'
sound()
put(LOG, 10, 0, '<H', 63 | 10 << 6)
put(LOG, 21, 0, '<H', 62 | (21 % 16) << 6)
END
    count_records
    expect_contains "$stderr" "task-end-lost"
}

@test "records that belong to no call are told with a warning and counted" {
    import_damaged 3 <<'END'
sound()
put(NODES, 5, 8, '<I', 99999)
END
    count_records
    expect_contains "$stderr" "(1 record-unplaced)"
    expect_contains "$stderr" "1 records of kind node_basic_info"
}

@test "each counter record of 2022 is a row or part of a task" {
    for chip in 1 2 3; do
        rm -rf PROF_1
        python3 "$BATS_TEST_DIRNAME/lib/prof_2022.py" PROF_1 "$chip" 7
        run_msprof import -dir PROF_1
        count_records
        counted=$(sqlite3 PROF_1/sqlite/*.db "SELECT count(aic_total_cycle) + count(aiv_total_cycle) FROM device_task")
        expect_equal "$(awk '/^ai(core|v)_pmu/ { joined += $3 } END { print joined + 0 }' sums)" "$counted"
    done
}

@test "tensors of operators whose tasks did not run are counted with that reason, and those of others are joined" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
from prof_2022 import Prof2022, AI_CORE, MODEL, MONOTONIC
prof = Prof2022('PROF_1', 1, 7)
def tensors(time, stream, task):
    shape = struct.pack('<III8I', 0, 2, 1, 16, 32, 0, 0, 0, 0, 0, 0)
    prof.add('Framework.tensor_data_info', struct.pack('<HHIQIHHI', 0x5a5a, 25, MODEL, 0, stream, task, 0, 1) +
             (shape * 5) + struct.pack('<Q', MONOTONIC + time * 1000), 256)
for number in range(6):  # 4 and 5 are described, and never run
    prof.operator(100 + number, 1, number, AI_CORE, 'op%d' % number, 'MatMul', 1)
    tensors(100 + number, 1, number)
tensors(107, 1, 9)       # nothing describes or runs it
tensors(150, 1, 2)       # of another time than the description
for number in range(4):
    prof.ran(1000 + 10 * number, 1005 + 10 * number, 1, number, AI_CORE)
prof.write()
END
    run_msprof import -dir PROF_1
    expect_status 0
    expect_contains "$stderr" "4 rejected (4 task-not-run)"
    expect_contains "$stderr" "4 records of kind framework_tensor"
    count_records
    expect_contains "$(cat sums)" "framework_tensor 0 4 4"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT count(*) FROM device_task WHERE tensor_set_id IS NOT NULL")" 4
}

@test "what describes launches whose task did not run is counted with that reason, and changes no report" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import Prof, NODE, LAUNCH
for capture, launches in (('PROF_1', 8), ('PROF_2', 5)):
    prof = Prof(capture, 5)
    for i in range(launches):  # 5 to 7 never run; 7 launches nothing at all
        if i < 7:
            prof.launch(i * 1000, 1, i, 'op%d' % i)
        else:
            prof.node(i * 1000 + 90, 'op7', 'Type')
            prof.call(NODE, LAUNCH, i * 1000, i * 1000 + 100, 1, prof.hash('op7'))
        for name in ('op%d' % i, 'op%d' % i, 'other'):  # of the last nothing comes, as its launch is another's
            prof.tensors(i * 1000 + 80, name, [(0, 2, 1, [16, 32])])
        if i < 5:
            prof.ran(200000 + i * 10000, 205000 + i * 10000, 1, i)
    prof.write()
END
    run_msprof import -dir PROF_1
    expect_status 0
    expect_contains "$stderr" "12 rejected (12 task-not-run)"
    count_records
    expect_contains "$(cat sums)" "node_basic_info 0 5 3"
    expect_contains "$(cat sums)" "tensor_info 0 15 9"
    for capture in PROF_1 PROF_2; do
        "$MSPROF" export summary -q -dir "$capture"
        (cd "$capture"/mindstudio_profiler_output && cat op_summary* task_time* op_statistic*) >"$capture.csv"
    done
    expect_equal "$(<PROF_1.csv)" "$(<PROF_2.csv)"
}

@test "dictionaries of any bytes cost the names that they spoil, each told, and no task" {
    # name: what is done to the dictionary, tasks with a name, reason, records rejected for it
    while IFS='|' read -r edit named reason rejected; do
        import_damaged 3 <<<"
sound()
dictionary = read(HASHES)
$edit"
        expect_equal "$edit: $(sqlite3 -separator ' ' PROF_1/sqlite/runtime.db \
            "SELECT count(*), sum(op_name LIKE 'op%') FROM device_task_report")" "$edit: 100 $named"
        expect_equal "$edit: $(sqlite3 PROF_1/sqlite/runtime.db \
            "SELECT sum(records) FROM record_count WHERE reason = '$reason'")" "$edit: $rejected"
    done <<'EDITS'
[write(HASHES, b'b' * (2 << 20), i) for i in range(1, 9)]|100|text-line|1
write(HASHES, dictionary + b'1:' + b'a' * (15 << 20))|100|text-line|1
write(HASHES, dictionary + b'\0' * 100000)|100|text-line|1
write(HASHES, dictionary[:-3])|99|record-truncated|1
write(HASHES, dictionary + b'\xff\x00\x80: \x1b' + b'\n')|100|text-line|1
EDITS
    import_damaged 3 <<<"
sound()
write(HASHES, read(HASHES) + b'a' * (17 << 20))"
    expect_contains "$stderr" "hash_dic.slice_0' is too large: expected at most 16777216 bytes"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT count(*) FROM device_task")" 100
}

@test "the same content under two names is read once, and both are named" {
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF_1
    run_msprof import -dir PROF_1
    sqlite3 PROF_1/sqlite/runtime.db "SELECT count(*) FROM host_call; SELECT count(*) FROM device_task" >before
    cp PROF_1/host/data/unaging.api_event.data.slice_0 PROF_1/host/data/unaging.api_event.data.slice_1
    cp PROF_1/device_0/data/stars_soc.data.0.slice_0 PROF_1/device_0/data/stars_soc.data.0.slice_7
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "host/data/unaging.api_event.data.slice_1: the same"
    expect_contains "$stderr" "bytes as 'host/data/unaging.api_event.data.slice_0', which is decoded"
    expect_contains "$stderr" "bytes as 'device_0/data/stars_soc.data.0.slice_0', which is decoded"
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT count(*) FROM host_call; SELECT count(*) FROM device_task")" "$(<before)"
}
