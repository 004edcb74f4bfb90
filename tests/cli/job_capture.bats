#!/usr/bin/env bats
# A capture of the JOB era, as Ascend's software of 2020 wrote it, against what the script that made it up put in.
# shellcheck disable=SC2154 # common sets repository, run_msprof status and stderr

load common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    capture=$(echo "$repository"/testdata/cann/job-910a/JOB*)
    export PYTHONDONTWRITEBYTECODE=1
}

export_capture() { # directory, options
    local what
    for what in 'export timeline' 'export summary' 'export summary --format json'; do
        # shellcheck disable=SC2086 # words of a command
        run_msprof $what -dir "$capture" --output "$@"
        expect_status 0
    done
}

# 5 steps of 30 operators; each makes two records beside the two of a task without a name, a step two more for a task that
# starts twice or never ends.
check() {
    python3 "$BATS_TEST_DIRNAME/check_job_capture.py" "$capture" "$scratch/results" 610 150 30 "$1"
}

@test "every record, execution and tensor of a capture of the JOB era is in the reports, to the nanosecond" {
    export_capture results
    for what in records executions tensors timeline; do
        check "$what"
    done
    run_msprof import -dir "$capture" --output again
    expect_contains "$stderr" "100 MHz is assumed"
}

@test "--freq-mhz scales every time of a capture of the JOB era" {
    export_capture results
    export_capture half --freq-mhz 50
    expect_not_contains "$stderr" "assumed"
    python3 - <<'END_OF_PYTHON'
import csv
from decimal import Decimal

def times(directory):
    with open(directory + '/summary/op_summary_1.csv', newline='', encoding='utf-8') as file:
        return [(Decimal(row['Task Start Time(us)']), Decimal(row['Task Duration(us)'])) for row in csv.DictReader(file)]

full = times('results')
assert len(full) == 150 and times('half') == [(2 * start, 2 * duration) for start, duration in full]
END_OF_PYTHON
}

@test "equal captures of the JOB era give equal reports" {
    export_capture results
    export_capture twice
    for report in results/timeline/* results/summary/*; do
        cmp "$report" "twice/${report#*/}"
    done
}
