# Names of reports of CANN captures, which hold the time of the export.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
}

# A call, a launch and a task of a small capture.
small_capture() {
    write_capture <<'END'
p.launch(0, 1, 1, 'op')
p.ran(1000, 2000, 1, 1)
END
}

@test "an export of a CANN capture replaces the reports of the one before, and no file of Ascend's tool" {
    small_capture
    run_msprof export summary -dir PROF_1
    results=PROF_1/mindstudio_profiler_output
    first=$(find $results -name 'op_summary*')
    touch $results/op_summary_20200101000000.csv $results/api_statistic_20200101000000.csv
    sleep 1.1
    run_msprof export summary -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    [ ! -e "$first" ]
    [ "$(find $results -name 'op_summary*' | wc -l)" -eq 2 ]
    [ -e $results/api_statistic_20200101000000.csv ]
}

@test "--stable-names leaves the time out of names" {
    small_capture
    run_msprof export summary --stable-names -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    results=PROF_1/mindstudio_profiler_output
    [ -e $results/op_summary.csv ]
    [ -z "$(find $results -name '*_20[0-9]*')" ]
    run_msprof export timeline --stable-names -dir PROF_1
    [ -e $results/msprof.json ]
    run_msprof export summary --stable-names -dir PROF_1
    [ -e $results/op_summary.csv ]
}
