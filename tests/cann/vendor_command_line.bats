#!/usr/bin/env bats
# Ascend's tools' ways to ask: 'analyze' of captures, and options of the collecting binary instead of commands.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    PYTHONDONTWRITEBYTECODE=1 python3 "$BATS_TEST_DIRNAME/lib/make_outputs.py" PROF_1 1
}

# done or done with the data problems that the capture has
expect_done() {
    [ "$status" -eq 3 ] || expect_status 0
}

@test "analyze writes the files of the rules that it is given, and the database" {
    run_msprof analyze -dir PROF_1 -r communication
    expect_done
    expect_equal "$(ls PROF_1/analyze)" $'communication.json\ncommunication_analyzer.db'
    run_msprof analyze -dir PROF_1 --rule communication_matrix,communication --type text
    expect_done
    expect_equal "$(ls PROF_1/analyze)" $'communication.json\ncommunication_analyzer.db\ncommunication_matrix.json'
    run_msprof export summary -dir PROF_1 --stable-names
    cmp PROF_1/analyze/communication.json PROF_1/mindstudio_profiler_output/communication.json
    cmp PROF_1/analyze/communication_matrix.json PROF_1/mindstudio_profiler_output/communication_matrix.json
    run_msprof export db -dir PROF_1 --stable-names
    for database in PROF_1/analyze PROF_1; do
        sqlite3 "$database/communication_analyzer.db" .dump >dump.${database//\//_}
    done
    cmp dump.PROF_1_analyze dump.PROF_1
    run_msprof show -dir PROF_1 --table api # analyze/ is no part of the capture
    expect_not_contains "$stderr" importing
}

@test "analyze --type db writes the database alone, and --clear removes that of the capture" {
    run_msprof analyze -dir PROF_1 -r communication --type db --clear
    expect_done
    expect_equal "$(ls PROF_1/analyze)" communication_analyzer.db
    [ ! -e PROF_1/sqlite/runtime.db ] || [ "$status" -eq 3 ]
}

@test "a rule that there is not, and a capture without communication, are told" {
    run_msprof analyze -dir PROF_1 -r communication,step
    expect_status 2
    expect_contains "$stderr" "--rule 'communication,step': expected communication, communication_matrix or both"
    run_msprof analyze -dir PROF_1 -r communication --type json
    expect_status 2
    run_msprof export summary -dir PROF_1 --type text
    expect_status 2
    copy_family prof-910b PROF_2
    run_msprof analyze -dir PROF_2 -r communication
    expect_status 4
    expect_contains "$stderr" "has no data for a communication"
}

@test "--export=on and its like do what they ask for of the directory of --output" {
    mkdir captures
    mv PROF_1 captures
    run_msprof --parse=on --output=captures
    expect_done
    [ -e captures/PROF_1/sqlite/runtime.db ]
    run_msprof --export=on --output captures
    expect_done
    ls captures/PROF_1/mindstudio_profiler_output/msprof_*.json captures/PROF_1/mindstudio_profiler_output/api_statistic_*.csv
    run_msprof --analyze=on --rule=communication --output=captures
    expect_done
    [ -e captures/PROF_1/analyze/communication.json ]
    [ ! -e captures/PROF_1/analyze/communication_matrix.json ]
    run_msprof --query=on --output=captures
    expect_done
    expect_contains "$output" "Job Info"
    run_msprof --export=on --parse=off --output=nowhere
    expect_status 1
    run_msprof import --cluster -dir captures
    expect_done
}
