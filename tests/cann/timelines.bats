#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Timelines as viewers read them: exactly, in doubles, and as whole nanoseconds.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
    reader=$BATS_TEST_DIRNAME/../lib/timeline.py
}

# Exports the timelines of captures and reads each as viewers do.
check_timelines() {
    rm -rf captures
    mkdir captures
    for capture in "$@"; do
        cp -r "$capture" "captures/$(basename "$(dirname "$capture")")-$(basename "$capture")"
    done
    for capture in captures/*; do
        run_msprof export timeline -q -dir "$capture"
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
        find "$capture" -path '*timeline*/*.json' -print -o -path '*mindstudio_profiler_output/*.json' -print >files
        [ -s files ]
        cat files >>all_files
    done
    tr '\n' '\0' <all_files | xargs -0 python3 "$reader" check
}

@test "no slice of a shipped SVP capture overlaps another in part, in doubles as in nanoseconds" {
    check_timelines "$repository"/testdata/{resnet50,small}/JOB*
}

@test "no slice of any other shipped capture does, of JOB, of 2022 and of CANN" {
    check_timelines "$repository"/testdata/cann/*/{JOB,PROF}*
}

@test "no slice of a capture of CANN does, with calls, tasks, communication, iterations and samples" {
    needs_shared data/generated/system-chip5
    check_timelines "$shared"/data/generated/system-chip5/PROF_*
}

@test "a partly overlapping slice, a late sum and a missing name are found" {
    cat >bad.json <<'END'
[
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"p"}},
{"name":"a","ph":"X","pid":1,"tid":0,"ts":1.002,"dur":2.004,"args":{}},
{"name":"b","ph":"X","pid":1,"tid":0,"ts":3.006,"dur":1.000,"args":{}},
{"name":"TraceConfig","ph":"M","pid":1,"tid":0,"args":{"value":{"clock":"unix","origin_ns":"1","origin_unix_ns":null}}}
]
END
    run python3 "$reader" check bad.json
    [ "$status" -eq 1 ]
    expect_contains "$output" "1 of 2 slices overlap in part in doubles"
    expect_contains "$output" "nothing names the thread"
}
