#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A task has one id, and a number one rounding, in every file.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr

load ../cli/common

setup() {
    enter_scratch
    needs python3
}

export_both() { # CAPTURE ARGUMENTS...
    local what
    for what in summary timeline; do
        run_msprof -q export "$what" --stable-names --output out "$@"
        [ "$status" -eq 0 ] || expect_status 3
    done
}

@test "a task of a card has one id, start and duration in op_summary, task_time, timeline and database" {
    captures=("$repository"/testdata/cann/{prof,system}-910*/PROF_*)
    for capture in "$shared"/data/real-samples-2/*/PROF_*; do
        [ ! -d "$capture" ] || captures+=("$capture")
    done
    for capture in "${captures[@]}"; do
        rm -rf out
        export_both "$capture"
        [ -e out/mindstudio_profiler_output/op_summary.csv ] || continue
        python3 "$BATS_TEST_DIRNAME/lib/one_task.py" cann out/mindstudio_profiler_output out/sqlite/runtime.db
    done
}

@test "a number is the same in CSV, JSON, Markdown, on the page, in tui and in advise, whatever zeros end it" {
    local tui=
    [[ $("$MSPROF" doctor) != *ncurses* ]] || tui=tui
    for capture in "$repository"/testdata/resnet50/JOB* "$repository"/testdata/cann/system-910b/PROF_*; do
        cp -r "$capture" . # tui keeps its database in it
        python3 "$repository/tests/cli/one_rounding.py" "$MSPROF" "$(basename "$capture")" $tui
    done
}

@test "a task of a board has one id in the timelines, the tables and the database" {
    for capture in "$repository"/testdata/{small,resnet50}/JOB*; do
        rm -rf out
        run_msprof -q export summary --stable-names --columns vendor --output out "$capture"
        expect_status 0
        run_msprof -q export timeline --stable-names --output out "$capture"
        python3 "$BATS_TEST_DIRNAME/lib/one_task.py" svp out out/sqlite/runtime.db
    done
}
