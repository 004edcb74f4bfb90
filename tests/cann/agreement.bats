#!/usr/bin/env bats
# Reports of new CANN captures, row by row against those that Ascend's own tool made of them.

# shellcheck disable=SC2154 # common.bash sets shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

TABLES=(op_summary op_statistic api_statistic task_time)

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    [ -d "$shared/data/generated" ] || skip "the shared data are not there: $shared/data/generated"
}

# Copies a generated capture into PROF_1.
copy_generated() {
    cp -r "$shared/data/generated/$1"/PROF_* PROF_1
    chmod -R u+w PROF_1
}

export_all() {
    run_msprof export summary -dir "$1"
    expect_status 0
    run_msprof export timeline -dir "$1"
    expect_status 0
}

agree() {
    python3 "$BATS_TEST_DIRNAME/agree.py" "$shared/data/expected/$1" "$2/mindstudio_profiler_output" "${TABLES[@]}" timeline
}

@test "an Ascend 910B capture gives what Ascend's tool gives" {
    copy_generated prof-chip5-1k
    export_all PROF_1
    agree prof-chip5-1k PROF_1
}

@test "an Ascend 910A capture gives what Ascend's tool gives" {
    copy_generated prof-chip1-1k
    export_all PROF_1
    agree prof-chip1-1k PROF_1
}

@test "the reports do not depend on where slices are cut" {
    for chip in 5 1; do
        python3 "$BATS_TEST_DIRNAME/reslice.py" "$shared/data/generated/prof-chip$chip-1k"/PROF_* "PROF_$chip" 1001
        export_all "PROF_$chip"
        agree "prof-chip$chip-1k" "PROF_$chip"
    done
}

@test "the rest of a record in front of an aged stream is dropped, with a note" {
    python3 "$BATS_TEST_DIRNAME/reslice.py" "$shared/data/generated/prof-chip5-1k"/PROF_* PROF_1 10001 37
    run_msprof import -dir PROF_1
    expect_contains "$stderr" "9187 records decoded, 7 rejected (6 record-aged, 1 task-unmatched-end)"
    if grep -q 'bytes are skipped' <<<"$stderr"; then false; fi
}

@test "several captures in one directory are each exported" {
    mkdir all
    cp -r "$shared/data/generated/prof-chip5-1k"/PROF_* all/PROF_5
    cp -r "$shared/data/generated/prof-chip1-1k"/PROF_* all/PROF_1
    chmod -R u+w all
    export_all all
    agree prof-chip5-1k all/PROF_5
    agree prof-chip1-1k all/PROF_1
}

@test "a capture without its host half still gives the tasks of the device" {
    copy_generated prof-chip5-1k
    rm -r PROF_1/host
    run_msprof export summary -dir PROF_1
    expect_status 0
    [ "$(wc -l <"$(echo PROF_1/mindstudio_profiler_output/task_time_*.csv)")" -eq 1001 ]
}

@test "a capture without its device half still gives the calls of the host" {
    copy_generated prof-chip5-1k
    rm -r PROF_1/device_0
    run_msprof export summary -dir PROF_1
    expect_status 0
    TABLES=(api_statistic)
    python3 "$BATS_TEST_DIRNAME/agree.py" "$shared/data/expected/prof-chip5-1k" PROF_1/mindstudio_profiler_output api_statistic
}

@test "tables as JSON hold the values of the CSV files" {
    copy_generated prof-chip5-1k
    run_msprof export summary -dir PROF_1
    run_msprof export summary -dir PROF_1 --format json
    expect_status 0
    python3 - PROF_1/mindstudio_profiler_output <<'END'
import csv, glob, json, sys
for table in ('op_summary', 'op_statistic', 'api_statistic', 'task_time'):
    with open(glob.glob('%s/%s_*.csv' % (sys.argv[1], table))[0], newline='') as stream:
        rows = list(csv.DictReader(stream))
    with open(glob.glob('%s/%s_*.json' % (sys.argv[1], table))[0]) as stream:
        objects = json.load(stream, parse_float=str, parse_int=str)
    assert len(rows) == len(objects) > 0, table
    for row, value in zip(rows, objects):
        for key in row:
            assert row[key].strip().strip('"') == value[key], (table, key, row[key], value[key])
END
}

@test "the database for viewers joins tasks with the calls that launched them" {
    command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
    copy_generated prof-chip5-1k
    run_msprof export db -dir PROF_1
    expect_status 0
    [ "$(sqlite3 PROF_1/msprof_*.db "SELECT count(*), min(t.startNs >= a.startNs), min(s.value) FROM TASK t
        JOIN CANN_API a USING(connectionId) JOIN STRING_IDS s ON s.id = a.name")" = "1000|1|launch" ]
    [ "$(sqlite3 PROF_1/msprof_*.db "SELECT count(*) FROM COMPUTE_TASK_INFO i JOIN STRING_IDS s ON s.id = i.inputShapes
        WHERE s.value LIKE '%,%;%,%'")" -eq 1000 ]
    [ "$(sqlite3 PROF_1/msprof_*.db "SELECT value FROM TASK_PMU_INFO m JOIN STRING_IDS s ON s.id = m.name
        WHERE globalTaskId = 1 AND s.value = 'aic_total_cycles'")" = "88704.0" ] ||
        [ "$(sqlite3 PROF_1/msprof_*.db "SELECT m.value FROM TASK_PMU_INFO m JOIN STRING_IDS s ON s.id = m.name
        WHERE globalTaskId = 1 AND s.value = 'aic_total_cycles'")" = "88704" ]
}

@test "query prints the devices of a capture" {
    copy_generated prof-chip5-1k
    run_msprof query -dir PROF_1
    expect_status 0
    expect_contains "$output" "device_0"
    expect_contains "$output" "2025-01-01 00:00:00.000000"
}

@test "a device of an unknown chip is named and left out, the host is not" {
    copy_generated prof-chip5-1k
    sed -i 's/"platform_version":"5"/"platform_version":"99"/' PROF_1/device_0/info.json.0
    run_msprof export summary -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "device_0: field platform_version: chip 99"
    TABLES=(api_statistic)
    python3 "$BATS_TEST_DIRNAME/agree.py" "$shared/data/expected/prof-chip5-1k" PROF_1/mindstudio_profiler_output api_statistic
}

@test "with --clear only the reports stay" {
    copy_generated prof-chip5-1k
    run_msprof export summary -dir PROF_1 --clear
    expect_status 0
    [ ! -e PROF_1/sqlite/runtime.db ]
    [ "$(find PROF_1/mindstudio_profiler_output -type f | wc -l)" -eq 4 ]
}

@test "captures of other sizes, seeds, streams, threads and slice sizes come out right" {
    generator=$shared/tools/gen_prof.py
    python=/usr/bin/python3
    "$python" -c 'import numpy' 2>/dev/null || skip "numpy is not installed"
    while read -r chip count streams threads seed slice; do
        rm -rf generated
        "$python" "$generator" generated -n "$count" --chip "$chip" --streams "$streams" --threads "$threads" \
            --seed "$seed" --slice-kb "$slice"
        export_all generated
        python3 "$BATS_TEST_DIRNAME/recompute.py" generated/PROF_*
    done <<'END'
5 1500 7 3 11 16
1 2500 3 5 12 64
5 3000 40 8 13 1
1 700 1 1 14 3
END
}

@test "every group of metrics comes out right on every chip" {
    copy_generated prof-chip5-1k
    mv PROF_1 new
    copy_generated prof-chip1-1k
    mv PROF_1 old
    find new old -name '*.done' -delete
    while read -r group events; do
        for chip in 1 2 3 4 5 7 8 11; do
            rm -rf PROF_1
            if [ "$chip" -lt 5 ]; then cp -r old PROF_1; else cp -r new PROF_1; fi
            python3 "$BATS_TEST_DIRNAME/set_metrics.py" PROF_1 "$chip" "$group" "$events" "$group" "$events"
            run_msprof export summary -dir PROF_1
            expect_status 0
            python3 "$BATS_TEST_DIRNAME/recompute.py" PROF_1
        done
    done <<'END'
PipeUtilization 0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55
PipeUtilizationExct 0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55
ArithmeticUtilization 0x49,0x4a,0x4b,0x4c,0x4d,0x4e,0x4f
Memory 0x15,0x16,0x31,0x32,0xf,0x10,0x12,0x13
MemoryL0 0x1b,0x1c,0x21,0x22,0x27,0x28,0x29,0x2a
MemoryUB 0x10,0x13,0x37,0x38,0x3d,0x3e,0x43,0x44
ResourceConflictRatio 0x64,0x65,0x66
L2Cache 0x500,0x502,0x504,0x506,0x508,0x50a
MemoryAccess 0x32,0x3d,0x3e,0x206,0x20c,0x50c,0x50d,0x50e
END
}

@test "metrics whose events were not counted have no column, in whatever order the events come" {
    copy_generated prof-chip5-1k
    find PROF_1 -name '*.done' -delete
    while read -r group events aiv_group aiv_events; do
        rm -rf PROF_1/sqlite PROF_1/mindstudio_profiler_output
        python3 "$BATS_TEST_DIRNAME/set_metrics.py" PROF_1 5 "$group" "$events" "$aiv_group" "$aiv_events"
        run_msprof export summary -dir PROF_1
        expect_status 0
        python3 "$BATS_TEST_DIRNAME/recompute.py" PROF_1
    done <<'END'
PipeUtilization 0x55,0xd,0x54,0xa Memory 0x13,0x12
Memory 0x10,0xf,0x31 MemoryUB 0x38,0x3e,0x43
MemoryL0 0x2a PipeUtilization 0x8
ArithmeticUtilization 0x4a,0x49 ArithmeticUtilization 0x4f,0x4e,0x4d,0x4c,0x4b
END
}
