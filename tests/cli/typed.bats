#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Command lines and configurations that users of Ascend's tools typed: each does what it meant, or names what to type.
# bats file_tags=once
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
    needs python3
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF
}

@test "each line of the table has the status and the hint that it is pinned to" {
    python3 "$BATS_TEST_DIRNAME/typed.py" "$MSPROF" "$BATS_TEST_DIRNAME/typed_lines.tsv" PROF
}

@test "lines that collect write nothing and start nothing" {
    printf '#!/bin/sh\necho ran >ran\n' >app
    chmod +x app
    for line in "--output=PROF --export=on ./app" "--application=./app --output=PROF" "--task-time=l1 --output PROF ./app" \
        "op ./app" "./app"; do
        # shellcheck disable=SC2086 # words
        run_msprof $line
        expect_status 2
    done
    [ ! -e ran ]
    expect_equal "$(ls PROF)" "$(ls "$repository"/testdata/cann/prof-910b/PROF_*)"
}

@test "an argument of the program is quoted in the hint as a shell needs it" {
    run_msprof --output='a b' python3 'x y.py' --k "it's"
    expect_status 2
    hint=${stderr##*msprof run}
    eval "set -- $hint"
    expect_equal "$*" "--output a b -- python3 x y.py --k it's"
    expect_equal "$#" 7
}

@test "export as Ascend's tool spells it writes texts and the database, or the database alone" {
    run_msprof --export=on --output=PROF
    expect_status 0
    ls PROF/msprof_*.db PROF/mindstudio_profiler_output/{msprof_*.json,op_summary_*.csv}
    rm -r PROF/msprof_*.db PROF/mindstudio_profiler_output
    run_msprof --export=on --type=db --output=PROF
    expect_status 0
    ls PROF/msprof_*.db
    [ ! -e PROF/mindstudio_profiler_output ]
    run_msprof --export=on --type=text --summary-format=json --output=PROF --stable-names
    expect_status 0
    ls PROF/mindstudio_profiler_output/{msprof,op_summary}.json
    run_msprof --export=on --type=xml --output=PROF
    expect_status 2
    expect_contains "$stderr" "--type is 'xml', expected one of: text, db"
}

@test "--clear=on removes the database when all is written, and --clear=off keeps it" {
    run_msprof --export=on --output=PROF --clear=off
    expect_status 0
    [ -e PROF/sqlite/runtime.db ]
    run_msprof --export=on --output=PROF --clear=on
    expect_status 0
    [ ! -e PROF/sqlite/runtime.db ]
    expect_not_contains "$stderr" importing
    ls PROF/mindstudio_profiler_output/op_summary_*.csv
}

@test "a board's capture has no database for Ascend's viewers: export says so, and is done" {
    copy_capture JOBX
    run_msprof --export=on --output=JOBX
    expect_status 0
    expect_contains "$stderr" "has no data for a db"
    ls JOBX/timeline/*.json JOBX/summary/*.csv
}

@test "--python-path has no effect, which is said" {
    run_msprof --export=on --output=PROF --python-path=/usr/bin/python3
    expect_status 0
    expect_contains "$stderr" "--python-path has no effect"
}

@test "quotes around values of an ini file are dropped, and those of a password are kept and warned of" {
    mkdir -p p/out
    printf '#!/bin/sh\n' >p/out/main
    chmod +x p/out/main
    printf "[ssh_config]\nip = \"192.0.2.7\"\nusername = 'root'\nport = \"2222\"\npwd = 'secret'\n" >board.ini
    chmod 600 board.ini
    run_msprof collect -m p/out/main --config board.ini --dry-run
    expect_status 0
    expect_contains "$output" "'192.0.2.7', port 2222, as 'root'"
    expect_contains "$stderr" "line 5: the quotes around 'pwd' count as part of the value"
    expect_not_contains "$output$stderr" secret
}
