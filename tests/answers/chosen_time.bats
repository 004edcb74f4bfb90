#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --step, --from and --until on every table, whichever tool a capture is of.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load planted

setup() {
    enter_scratch
    needs python3
}

# Copies capture $1 of testdata to CAPTURE.
shipped() {
    rm -rf CAPTURE
    cp -r "$repository/testdata/$1" CAPTURE
    chmod -R u+w CAPTURE
}

# Rows of table $1 as JSON, with the words behind it, into file $2.
rows() {
    run_msprof -q show CAPTURE --table "$1" --format json "${@:3}"
    expect_status 0
    cp "$BATS_TEST_TMPDIR/stdout" "$2"
}

expect_python() {
    expect_equal "$(python3 -c "import json
def rows(name): return json.load(open(name))
print(($1))")" "$2"
}

@test "every table takes a stretch of time, or says that its rows have no time" {
    local capture table without
    for capture in small cann/2022-310 cann/job-910a cann/system-910b frameworks/run_ascend_pt frameworks/run_ascend_ms; do
        shipped "$capture"
        run_msprof -q show CAPTURE --table list
        without=
        grep -oE '^[a-z]\S*' "$BATS_TEST_TMPDIR/stdout" >tables
        while read -r table; do
            run_msprof -q show CAPTURE --table "$table" --format csv
            expect_status 0
            cp "$BATS_TEST_TMPDIR/stdout" all
            run_msprof -q show CAPTURE --table "$table" --format csv --from 0s --until 100000s
            if [ "$status" -eq 2 ]; then
                expect_contains "$stderr" "rows of table '$table' have no time on the clock of the capture; --step, --from and --until do not apply"
                without+=" $table"
                continue
            fi
            expect_status 0
            cmp all "$BATS_TEST_TMPDIR/stdout"
            run_msprof -q show CAPTURE --table "$table" --format csv --from 99999s # nothing begins there
            case $table in
            summary) ;;                                                  # the capture has facts that need no time
            memory_peak) [ "$status" -eq 0 ] || [ "$status" -eq 4 ] ;; # what is held then
            *)
                expect_status 4
                expect_contains "$stderr" "has no rows for table '$table' in the chosen time"
                ;;
            esac
        done <tables
        # what is sampled by a clock of its own, is of a task, or is told of the data
        case $capture in
        cann/job-910a) expect_equal "$without" " diagnostics" ;;
        cann/system-910b) expect_equal "$without" " diagnostics ctrl_cpu_pmu_events ctrl_cpu_top_function ai_cpu_pmu_events\
 ai_cpu_top_function aicpu_mi os_runtime_statistic l2_cache page_fault process_cpu_usage process_mem soc_pmu cpu_usage\
 sys_mem" ;;
        frameworks/run_ascend_ms) expect_equal "$without" " data_pipeline" ;;
        *) expect_equal "$without" "" ;;
        esac
    done
}

@test "before 2023 rows of operators, tasks and calls are those of the whole table that begin in the time, and sums are theirs" {
    shipped cann/2022-910a
    for table in op_summary task_time acl; do
        rows "$table" "whole_$table"
        rows "$table" "part_$table" --from 1.5ms --until 1.8ms # the timeline begins at 1000 s
    done
    expect_python '[r for r in rows("whole_op_summary") if 1000001500000 <= float(r["Task Start Time"]) < 1000001800000] == rows("part_op_summary")' True
    expect_python '[r for r in rows("whole_task_time") if 1000001500000 <= int(r["task_start(ns)"].strip(chr(34))) < 1000001800000] == rows("part_task_time")' True
    expect_python '[r for r in rows("whole_acl") if 1000001500000 <= int(r["Start Time"]) < 1000001800000] == rows("part_acl")' True
    expect_python 'len(rows("part_op_summary")), len(rows("part_acl"))' "(29, 30)"
    for table in op_statistic types acl_statistic; do
        rows "$table" "part_$table" --from 1.5ms --until 1.8ms
    done
    expect_python 'abs(sum(float(r["Task Duration(us)"]) for r in rows("part_op_summary")) - sum(float(r["Total Time(us)"]) for r in rows("part_op_statistic"))) < 0.002' True
    expect_python 'sum(int(r["Count"]) for r in rows("part_op_statistic")), sum(r["Count"] for r in rows("part_types"))' "(29, 29)"
    expect_python 'sum(int(r["Count"]) for r in rows("part_acl_statistic"))' 30
}

@test "of JOB captures operators and iterations are chosen, and sums are those of the operators" {
    shipped cann/job-910a
    for table in op_summary step_trace; do
        rows "$table" "whole_$table"
        rows "$table" "part_$table" --step 2
    done
    rows op_statistic part_op_statistic --step 2
    expect_python 'rows("part_step_trace") == rows("whole_step_trace")[1:2]' True
    expect_python 'all(r in rows("whole_op_summary") for r in rows("part_op_summary")) and 0 < len(rows("part_op_summary")) < 150' True
    expect_python 'sum(r["Count"] for r in rows("part_op_statistic")) == len(rows("part_op_summary"))' True
}

@test "of boards the tasks of one inference, sums over its layers, and calls that begin in it" {
    shipped small
    rows op_summary whole
    rows op_summary part --step 2
    rows op_statistic sums --step 2
    run_msprof show CAPTURE --table vendor --step 2
    expect_status 2
    expect_contains "$stderr" "the tables of the vendor's tool are about the whole capture; --step, --from and --until do not apply"
    expect_python '[r["Layer Name"] for r in rows("part")][0], len(rows("part"))' "('-', 13)"
    expect_python 'all(r in rows("whole") for r in rows("part"))' True
    # the row of the network is the sum of the others; every type of layer has as many as the inference
    expect_python 'abs(sum(float(r["Time(us)"]) for r in rows("part")[1:]) - float(rows("part")[0]["Time(us)"])) < 0.1' True
    expect_python '{r["OP Type"]: r["Count"] for r in rows("sums")}["Convolution"], sum(r["Layer Type"].count("Convolution") for r in rows("part"))' "(5, 5)"
}

@test "sums of communication, of messages and of overlap are those of a step" {
    program CAPTURE <<'PY'
for step in range(12):
    p.op('a', 'MatMul', 100, gap=1)
    p.communicate(us=60 + step, size=15_000_100)
    p.op('b', 'Add', 40, gap=1)
PY
    rows communication_statistic part --step 3
    expect_python '[(r["Count"], r["Total Time(us)"]) for r in rows("part")]' "[(1, 62)]"
    rows overlap_analysis part --step 3
    expect_python '[(float(r["Computing(us)"]), float(r["Communication(us)"])) for r in rows("part")]' "[(140.0, 62.0)]"
    run_msprof -q show CAPTURE --table fusion_op --step 3
    expect_status 2
    expect_contains "$stderr" "have no time on the clock of the capture; --step, --from and --until do not apply"
}

@test "a step is one of its device: tables leave out what others do then" {
    program CAPTURE 'prof=lambda path: Prof(path, chips={1: 5})' <<'PY'
for step in range(12):
    for i in range(4):
        start, end = p.op('l%d' % i, 'MatMul', 50, gap=1)
        p.prof.launch(p.host, 9, 4 * step + i, 'beside', device=1)
        p.host += 1000
        p.prof.ran(start, end, 9, 4 * step + i, device=1)
PY
    rows op_summary whole
    expect_python 'sorted({r["Device_id"] for r in rows("whole")})' "[0, 1]"
    for table in op_summary task_time op_statistic ops; do
        rows "$table" part --step 3
        expect_python '{r.get("Device_id", 0) for r in rows("part")}, sum(r.get("Count", 1) for r in rows("part"))' "({0}, 4)"
    done
}

@test "the page of a job takes no step: it says so" {
    mkdir -p JOB/cluster_analysis_output
    echo '{}' >JOB/cluster_analysis_output/cluster_communication.json
    for words in '--step 1' '--from 1s' '--until 1s' '--depth 2'; do
        # shellcheck disable=SC2086 # the words of an option
        run_msprof report JOB $words
        expect_status 2
        expect_contains "$stderr" "${words%% *} needs a capture"
    done
}
