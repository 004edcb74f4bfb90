#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What fits a terminal of 80 columns and 24 rows.
# bats file_tags=once

# shellcheck disable=SC2154 # run_msprof sets output

load common

setup() {
    enter_scratch
    needs python3
    copy_capture JOBX
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF
    chmod -R u+w PROF
    "$MSPROF" import -q JOBX PROF
}

on_screen() {
    python3 "$BATS_TEST_DIRNAME/screen.py" "$@"
}

@test "show begins with a summary that fits a screen, of both families" {
    on_screen 80x24 --one-screen "$MSPROF" show JOBX
    on_screen 80x24 --one-screen "$MSPROF" show PROF
}

@test "the whole summary is in the table and in a pipe" {
    run_msprof show PROF
    expect_contains "$output" "Finding 5"
    expect_contains "$output" "Exposed communication"
    run_msprof show PROF --table summary --format csv
    expect_contains "$output" "Finding 5"
}

@test "the help of every command fits 80 columns" {
    "$MSPROF" help --options | cut -f 1 | sort -u >commands
    [ "$(wc -l <commands)" -gt 20 ]
    while read -r _ command; do
        # shellcheck disable=SC2086 # the words of a command
        "$MSPROF" help $command | awk -v command="$command" 'length($0) > 80 { print command ": " $0; wide = 1 } END { exit wide }'
    done <commands
}

@test "tables, findings and kinds fit 80 columns of a terminal, and are not cut in a pipe" {
    for table in ops bound gaps types op_summary op_statistic task_time api_statistic small phases shapes list; do
        on_screen 80x24 "$MSPROF" show -q PROF --table "$table"
    done
    on_screen 80x24 "$MSPROF" advise PROF
    on_screen 80x24 "$MSPROF" kinds
    "$MSPROF" kinds | awk 'length($0) > 80 { found = 1 } END { exit !found }'
}
