#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Results never change how a capture is read: every command writes twice, into the capture and into directories in it, and
# the capture is the one that it was.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
}

# Prints all that an import makes of the capture: status, messages, rows of all tables that are made of records.
reading_of() { # capture
    rm -rf read
    run_msprof import -dir "$1" --output read
    printf '%s\n%s\n' "$status" "$(grep -Ev 'records decoded|there is no database yet| bytes; no action is needed if the file is yours' <<<"$stderr")"
    sqlite3 read/sqlite/runtime.db .dump | grep -Ev '^INSERT INTO (meta|diagnostics) ' | sha256sum
}

# Each command that makes files, with results into the capture (no argument) or into a directory in it.
write_everything() { # capture [--output DIR]
    local capture=$1 command
    shift
    for command in "import" "export summary" "export timeline" "export db" "query" "show" "advise" "export summary --format json"; do
        # shellcheck disable=SC2086 # words
        run_msprof $command -dir "$capture" "$@"
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || [ "$status" -eq 4 ] || [ "$status" -eq 2 ]
        [ $# -gt 0 ] || [ "$command" = import ] || [ -z "$imported" ] || expect_not_contains "$stderr" importing
        imported=yes
    done
}

check_capture() { # capture
    local before
    before=$(reading_of "$1")
    imported=
    for _ in 1 2; do
        write_everything "$1"
        write_everything "$1" --output "$1"
        write_everything "$1" --output "$1/results"
        write_everything "$1" --output "$1/several/PROF_1"
        run_msprof diff "$1" --save-baseline "$1/of_today.json"
        run_msprof cluster "$1"
        run_msprof cluster "$1" --output "$1/of_cluster"
        run_msprof analyze -dir "$1" -r communication
        # captures of another program and what a board sent, with their own results, in directories of their own
        run_msprof run -q --output "$1/of_run" -- "$(dirname "$(readlink -f "$MSPROF")")/tests/acl/acl_program" nest
        mkdir -p "$1/collected/JOBXYZ/data"
        cp -R "$repository"/testdata/resnet50/JOB*/. "$1/collected/JOBXYZ"
        run_msprof export summary "$1/collected/JOBXYZ"
        run_msprof layout infer -dir "$1" --output "$1/found.layout"
        run_msprof_into "$1/ops.csv" show "$1" --table ops --format csv
        expect_equal "$(reading_of "$1")" "$before"
    done
    run_msprof export summary -dir "$1" --output after --stable-names
    expect_not_contains "$stderr" 'out of date'
}

@test "a capture of CANN is read as before, whatever was written into it" {
    python3 "$BATS_TEST_DIRNAME/lib/make_outputs.py" PROF_1 1
    check_capture PROF_1
    ls PROF_1/msprof_*.db PROF_1/communication_analyzer.db PROF_1/results/msprof_*.db
}

@test "so are a capture of a board and one of the JOB era" {
    copy_capture JOBX
    check_capture JOBX
    copy_family job-910a JOBY
    check_capture JOBY
}

@test "PMU values and rows of memory are the same after a database for viewers was written" {
    copy_family system-910b PROF_1
    run_msprof export summary -dir PROF_1 --output before --stable-names
    expect_status 0
    run_msprof export db -dir PROF_1
    sqlite3 PROF_1/communication_analyzer.db 'CREATE TABLE any(a)' # of a capture with communication
    run_msprof export summary -dir PROF_1 --output after --stable-names
    expect_status 0
    diff -r before/mindstudio_profiler_output after/mindstudio_profiler_output
}

@test "a file beside the data that nothing of a capture is called like is named, and a data directory that is misplaced, too" {
    copy_family prof-910b PROF_1
    echo x >PROF_1/surprise.bin
    mkdir -p PROF_1/copy/data
    run_msprof import -dir PROF_1
    expect_status 3
    expect_contains "$stderr" "note: surprise.bin: 2 bytes; no action is needed if the file is yours"
    expect_contains "$stderr" "warning: copy: a directory; expected the capture's files"
}
