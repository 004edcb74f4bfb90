#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Reports of captures of CANN since 2023: row by row against what the raw bytes say, against the tables that are shipped,
# and, where ../shared is, against those that Ascend's own tool made.
# bats file_tags=once

# shellcheck disable=SC2154 # common.bash sets shared and repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

TABLES=(op_summary op_statistic api_statistic task_time)

setup() {
    enter_scratch
    needs python3
}

export_all() {
    run_msprof export summary -dir "$1"
    expect_status 0
    run_msprof export timeline -dir "$1"
    expect_status 0
}

# Every row, column, slice and arrow of a capture's reports against its raw bytes.
recompute() {
    python3 "$BATS_TEST_DIRNAME/lib/recompute.py" "$@"
}

agree_with_shipped() { # name in testdata/cann, capture
    python3 "$BATS_TEST_DIRNAME/lib/agree_tables.py" "$repository/testdata/cann/$1/expected" "$2/mindstudio_profiler_output"
}

# A shared capture and what Ascend's tool made of it, and what is recalculated of its raw bytes besides.
agree_with_tool() {
    needs_shared "data/expected/$1"
    cp -r "$shared/data/generated/$1"/PROF_* PROF_1
    chmod -R u+w PROF_1
    export_all PROF_1
    python3 "$BATS_TEST_DIRNAME/lib/agree.py" "$shared/data/expected/$1" PROF_1/mindstudio_profiler_output "${TABLES[@]}" timeline
    recompute PROF_1
}

@test "an Ascend 910B capture gives what Ascend's tool gives" {
    agree_with_tool prof-chip5-1k
}

@test "an Ascend 910A capture gives what Ascend's tool gives" {
    agree_with_tool prof-chip1-1k
}

@test "the shipped captures give the tables beside them, and every slice and arrow that their bytes say" {
    for name in prof-910b prof-910a; do
        copy_family "$name" PROF_1
        export_all PROF_1
        agree_with_shipped "$name" PROF_1
        recompute PROF_1
    done
}

@test "a wrong number in a table is found" {
    copy_family prof-910b PROF_1
    export_all PROF_1
    sed -i '5s/\.\([0-9]\)\([0-9]*\)/.\11\2/' PROF_1/mindstudio_profiler_output/task_time_*.csv
    if agree_with_shipped prof-910b PROF_1; then false; fi
    if recompute PROF_1; then false; fi
}

@test "the reports do not depend on where slices are cut" {
    for name in prof-910b prof-910a; do
        rm -rf PROF_1
        python3 "$BATS_TEST_DIRNAME/lib/reslice.py" "$repository/testdata/cann/$name"/PROF_* PROF_1 1001
        export_all PROF_1
        agree_with_shipped "$name" PROF_1
    done
}

@test "the rest of a record in front of an aged stream is dropped, with a note" {
    copy_family prof-910b PROF_2
    run_msprof import -dir PROF_2
    [[ $stderr =~ ([0-9]+)\ records\ decoded ]]
    python3 "$BATS_TEST_DIRNAME/lib/reslice.py" "$repository/testdata/cann/prof-910b"/PROF_* PROF_1 10001 37
    run_msprof import -dir PROF_1
    # each of the six streams of records has lost its first, and with it one task its start
    expect_contains "$stderr" "$((BASH_REMATCH[1] - 7)) records decoded, 7 rejected (6 record-aged, 1 task-unmatched-end)"
    if grep -q 'bytes are skipped' <<<"$stderr"; then false; fi
}

@test "several captures in one directory are each exported" {
    mkdir all
    copy_family prof-910b all/PROF_5
    copy_family prof-910a all/PROF_1
    export_all all
    agree_with_shipped prof-910b all/PROF_5
    agree_with_shipped prof-910a all/PROF_1
}

@test "a capture without its host half still gives the tasks of the device" {
    copy_family prof-910b PROF_1
    rm -r PROF_1/host
    run_msprof export summary -dir PROF_1
    expect_status 3
    [ "$(wc -l <"$(echo PROF_1/mindstudio_profiler_output/task_time_*.csv)")" -eq 101 ]
}

@test "a capture without its device half still gives the calls of the host" {
    copy_family prof-910b PROF_1
    rm -r PROF_1/device_0
    run_msprof export summary -dir PROF_1
    expect_status 3
    python3 "$BATS_TEST_DIRNAME/lib/agree.py" "$repository/testdata/cann/prof-910b/expected" PROF_1/mindstudio_profiler_output \
        api_statistic
}

@test "tables as JSON hold the values of the CSV files" {
    copy_family prof-910b PROF_1
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

# The sum of a column of whole numbers in the op_summary that is expected of prof-910b.
total_of() {
    python3 - "$1" "$repository/testdata/cann/prof-910b/expected/op_summary.csv" <<'END'
import csv, sys
with open(sys.argv[2], newline='', encoding='utf-8') as file:
    print(sum(int(row[sys.argv[1]]) for row in csv.DictReader(file) if row[sys.argv[1]] != 'N/A'))
END
}

@test "the database for viewers joins tasks with the calls that launched them" {
    needs sqlite3
    copy_family prof-910b PROF_1
    run_msprof export db -dir PROF_1
    expect_status 0
    [ "$(sqlite3 PROF_1/msprof_*.db "SELECT count(*), min(t.startNs >= a.startNs), min(s.value) FROM TASK t
        JOIN CANN_API a USING(connectionId) JOIN STRING_IDS s ON s.id = a.name")" = "100|1|launch" ]
    [ "$(sqlite3 PROF_1/msprof_*.db "SELECT count(*) FROM COMPUTE_TASK_INFO i JOIN STRING_IDS s ON s.id = i.inputShapes
        WHERE s.value LIKE '%,%;%,%'")" -eq 100 ]
    expect_equal "$(sqlite3 PROF_1/msprof_*.db "SELECT cast(sum(m.value) AS integer) FROM TASK_PMU_INFO m
        JOIN STRING_IDS s ON s.id = m.name WHERE s.value = 'aic_total_cycles'")" "$(total_of aic_total_cycles)"
}

@test "query prints the devices of a capture" {
    copy_family prof-910b PROF_1
    run_msprof query -dir PROF_1
    expect_status 0
    expect_contains "$output" "device_0"
    expect_contains "$output" "2025-01-01 00:00:00.000000"
}

@test "a device of an unknown chip is named and left out, the host is not" {
    copy_family prof-910b PROF_1
    sed -i 's/"platform_version":"5"/"platform_version":"99"/' PROF_1/device_0/info.json.0
    run_msprof export summary -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "device_0: field platform_version: chip 99"
    python3 "$BATS_TEST_DIRNAME/lib/agree.py" "$repository/testdata/cann/prof-910b/expected" PROF_1/mindstudio_profiler_output \
        api_statistic
}

@test "with --clear only the reports stay" {
    copy_family prof-910b PROF_1
    run_msprof export summary -dir PROF_1 --clear
    expect_status 0
    [ ! -e PROF_1/sqlite/runtime.db ]
    [ "$(find PROF_1/mindstudio_profiler_output -type f | wc -l)" -eq 4 ]
}

@test "captures of other sizes, seeds, streams, threads and slice sizes come out right" {
    while read -r chip count streams threads seed slice; do
        rm -rf generated
        python3 "$repository/testdata/generate/cann/make_prof.py" generated --count "$count" --chip "$chip" --streams "$streams" --threads "$threads" \
            --seed "$seed" --slice-kb "$slice"
        export_all generated
        recompute generated/PROF_*
    done <<'END'
5 1500 7 3 11 16
1 2500 3 5 12 64
5 3000 40 8 13 1
1 700 1 1 14 3
END
}

@test "every group of metrics comes out right on every chip" {
    copy_family prof-910b new
    copy_family prof-910a old
    find new old -name '*.done' -delete
    while read -r group events; do
        rm -rf all && mkdir all
        for chip in 1 2 3 4 5 7 8 11; do
            if [ "$chip" -lt 5 ]; then cp -r old "all/PROF_$chip"; else cp -r new "all/PROF_$chip"; fi
            python3 "$BATS_TEST_DIRNAME/lib/set_metrics.py" "all/PROF_$chip" "$chip" "$group" "$events" "$group" "$events"
        done
        run_msprof export summary -dir all
        expect_status 0
        recompute all/PROF_*
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
PipelineExecuteUtilization 0x12c,0x49,0x4a,0x9,0x302,0xc,0xd,0x303
Custom:0x15,0x416,0x9 0x15,0x416,0x9
PipelineOfTomorrow 0x1,0x7f
END
}

@test "metrics whose events were not counted have no column, in whatever order the events come" {
    copy_family prof-910b PROF_1
    find PROF_1 -name '*.done' -delete
    while read -r group events aiv_group aiv_events; do
        rm -rf PROF_1/sqlite PROF_1/mindstudio_profiler_output
        python3 "$BATS_TEST_DIRNAME/lib/set_metrics.py" PROF_1 5 "$group" "$events" "$aiv_group" "$aiv_events"
        run_msprof export summary -dir PROF_1
        expect_status 0
        recompute PROF_1
    done <<'END'
PipeUtilization 0x55,0xd,0x54,0xa Memory 0x13,0x12
Memory 0x10,0xf,0x31 MemoryUB 0x38,0x3e,0x43
MemoryL0 0x2a PipeUtilization 0x8
ArithmeticUtilization 0x4a,0x49 ArithmeticUtilization 0x4f,0x4e,0x4d,0x4c,0x4b
END
}
