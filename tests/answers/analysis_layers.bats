#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Layers of timelines of what msprof concludes: steps, gaps, the use of devices and of their cores' units.

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

# Compares the layers of captures with their databases and tables.
agree() { # captures...
    local capture table
    for capture; do
        rm -rf out
        run_msprof -q export timeline --stable-names --output out --reports all "$capture"
        expect_status 0
        run_msprof -q export summary --stable-names --output out "$capture"
        [ "$status" -eq 0 ] || expect_status 3
        for table in gaps overlap; do
            run_msprof -q show --table "$table" --format csv --output out "$capture"
            expect_status 0
            printf '%s\n' "$output" >"$table.csv"
        done
        python3 "$repository/tests/cann/lib/analysis_layers.py" out/mindstudio_profiler_output/msprof.json \
            out/sqlite/runtime.db gaps.csv overlap.csv out/mindstudio_profiler_output/op_summary.csv
        python3 "$repository/tests/lib/timeline.py" check out/mindstudio_profiler_output/msprof.json
    done
}

@test "gaps, use and units of timelines are those of the database and the tables" {
    agree "$repository"/testdata/cann/{prof-910a,system-910b}/PROF_*
}

@test "steps of timelines are those of the table" {
    agree "$repository"/testdata/frameworks/*_ascend_*/PROF_*
    [ "$(grep -c '"name":"Step ' out/mindstudio_profiler_output/msprof.json)" -gt 1 ]
}

# The processes of a timeline, one a line.
processes() {
    grep -ho '"process_name".*' "$1"/mindstudio_profiler_output/msprof*.json | sed 's/.*"name":"\([^"]*\)".*/\1/' | sort -u
}

@test "every format has the same layers by default, and --trace-compat those of Ascend's tool" {
    capture=$(echo "$repository"/testdata/cann/prof-910b/PROF_*)
    run_msprof -q export timeline --stable-names --output plain "$capture"
    expect_status 0
    processes plain >plain.names
    grep -qx Analysis plain.names
    run_msprof -q export timeline --stable-names --output packed --format pftrace-raw "$capture"
    expect_status 0
    while IFS= read -r name; do
        grep -qaF "$name" packed/mindstudio_profiler_output/msprof.pftrace
    done <plain.names
    run_msprof -q export timeline --stable-names --output everything --reports all "$capture"
    expect_status 0
    expect_equal "$(processes everything)" "$(cat plain.names)"
    run_msprof -q export timeline --stable-names --output named --reports gaps,utilisation "$capture"
    expect_status 0
    expect_equal "$(processes named)" Analysis
    run_msprof -q export timeline --stable-names --output chosen --format pftrace-raw --reports ascend "$capture"
    expect_status 0
    [ "$(grep -ca 'Device utilisation' chosen/mindstudio_profiler_output/msprof.pftrace)" -eq 0 ]
    run_msprof -q export timeline --stable-names --output compat --trace-compat "$capture"
    expect_status 0
    expect_equal "$(processes compat | grep -cx Analysis)" 0
    expect_equal "$(processes compat)" "$(grep -vx Analysis plain.names)"
}

@test "of boards, of CANN before 2023 and of the JOB era they are a timeline of their own, where they are named" {
    for capture in "$repository"/testdata/small/JOB* "$repository"/testdata/cann/{2022-*/PROF,job-*/JOB}*; do
        rm -rf out plain
        run_msprof -q export timeline --stable-names --output plain "$capture"
        [ "$status" -eq 0 ] || expect_status 3
        [ ! -e plain/timeline/analysis.json ]
        run_msprof -q export timeline --stable-names --output out --reports steps,gaps,utilisation "$capture"
        [ "$status" -eq 0 ] || expect_status 3
        diff -r plain/timeline out/timeline | diff - <(echo "Only in out/timeline: analysis.json")
        for table in gaps overlap; do
            run_msprof -q show --table "$table" --format csv --output out "$capture"
            printf '%s\n' "$output" >"$table.csv"
        done
        steps=()
        [[ $capture != */2022-* ]] || steps=(none) # no sequence of its operators repeats
        python3 "$repository/tests/cann/lib/analysis_alone.py" out/timeline gaps.csv overlap.csv "${steps[@]}"
        python3 "$repository/tests/lib/timeline.py" check out/timeline/analysis.json
    done
}

@test "a layer that is named and has nothing to show is reported with the reason" {
    run_msprof export timeline --output out --reports core_units,gaps "$(echo "$repository"/testdata/cann/job-910a/JOB*)"
    [[ $stderr == *"the layer 'core_units' is empty: the capture has nothing of it"* ]]
    [[ $stderr != *"the layer 'gaps'"* ]]
}
