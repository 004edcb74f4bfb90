#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A capture of the JOB era, as Ascend's software of 2020 wrote it, against what the script that made it up put in.
# shellcheck disable=SC2154 # common sets repository, run_msprof status and stderr

load ../cli/common

setup() {
    enter_scratch
    needs python3
    capture=$(echo "$repository"/testdata/cann/job-910a/JOB*)
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
# starts twice or never ends; two tasks before. One of the iterations has no end.
check() {
    python3 "$BATS_TEST_DIRNAME/../cli/check_job_capture.py" "$capture" "$scratch/results" 614 150 30 4 "$1"
}

expect_table() { # name
    cmp "$repository/testdata/cann/job-910a/expected/$1" "$scratch/results/summary/$1"
}

@test "every record, execution and tensor of a capture of the JOB era is in the reports, to the nanosecond" {
    export_capture results
    for what in records executions tensors timeline; do
        check "$what"
    done
    run_msprof import -dir "$capture" --output again
    expect_contains "$stderr" "100 MHz is assumed"
    expect_equal "$(grep -c "100 MHz is assumed" <<<"$stderr")" 1
}

@test "iterations of the JOB era are in step_trace and on the timeline with what runs beside them" {
    export_capture results
    check iterations
    expect_table step_trace_1.csv
    run_msprof import -dir "$capture" --output again
    expect_contains "$stderr" "has no point 255"
    run_msprof show "$capture" --table vendor --output results
    expect_contains "$output" "Tasks : 302 Operators : 150 Iterations : 4"
    run_msprof show "$capture" --output results --table steps --columns steps,model_id --format csv
    expect_equal "$output" $'Steps,Model_id\n4,N/A'
}

# Another value for a point: the record that holds the value for the n-th time. Prints the tick of the next end.
damage_point() { # file, value, n, other value
    python3 - "$@" <<'END'
import struct, sys
path, value, number, other = sys.argv[1], *map(int, sys.argv[2:])
with open(path, 'rb') as file:
    data = bytearray(file.read())
points = [struct.unpack_from('<Q', data, at)[0] for at in range(0, len(data), 20)]
record = [place for place, point in enumerate(points) if point == value][number - 1]
struct.pack_into('<Q', data, 20 * record, other)
print(struct.unpack_from('<Q', data, 20 * points.index(255, record) + 12)[0])
with open(path, 'wb') as file:
    file.write(data)
END
}

@test "an iteration of the JOB era whose points are damaged is told with its tick, and so is the one behind it" {
    local path=data/training_trace.46.dev.profiler_default_tag.1.slice_0 tick
    cp -R "$capture" JOBSOUND
    chmod -R u+w JOBSOUND
    # Forward propagation begins the first: without its point 1 it is not listed.
    cp -R JOBSOUND JOBFIRST
    tick=$(damage_point JOBFIRST/$path 1 1 9)
    run_msprof import JOBFIRST
    expect_status 3
    expect_contains "$stderr" "field point: the iteration that ends at tick $tick has no point 1"
    run_msprof show JOBFIRST --table steps --columns steps --format csv
    expect_equal "$output" $'Steps\n3'
    # The next begins where the one before ended: it is listed without its forward propagation.
    cp -R JOBSOUND JOBSECOND
    tick=$(damage_point JOBSECOND/$path 1 2 9)
    run_msprof import JOBSECOND
    expect_contains "$stderr" "the iteration that ends at tick $tick has no point 1"
    run_msprof show JOBSECOND --table step_trace --format csv
    expect_equal "$(sed -n 3p <<<"$output" | cut -d, -f1,2)" "2,N/A"
    # An end that is lost, and the point 1 behind it: neither iteration is listed, both are told.
    cp -R JOBSOUND JOBBOTH
    damage_point JOBBOTH/$path 255 1 9
    tick=$(damage_point JOBBOTH/$path 1 2 9)
    run_msprof import JOBBOTH
    expect_contains "$stderr" "has no point 255"
    expect_contains "$stderr" "the iteration that ends at tick $tick has no point 1"
}

@test "the logs of the AI CPU and of the data queue of the JOB era are tables" {
    export_capture results
    check logs
    expect_table aicpu_1.csv
    expect_table dp_1.csv
}

@test "one file of a capture of the JOB era alone is a capture" {
    local file table
    for file in data/training_trace.46.dev.profiler_default_tag.1.slice_0:step_trace \
        DATA_PREPROCESS.dev.AICPU.1.slice_0:aicpu DATA_PREPROCESS.dev.TDT.1.slice_0:dp; do
        table=${file#*:}
        rm -rf JOBALONE results
        mkdir JOBALONE
        cp "$capture/${file%:*}" JOBALONE
        run_msprof export summary JOBALONE --output results
        expect_status 0
        expect_table "${table}_1.csv"
        expect_equal "$(ls results/summary)" "${table}_1.csv"
    done
    mkdir JOBPOINTS
    cp "$capture/Framework.host.vm.point.1.slice_0" JOBPOINTS
    run_msprof import JOBPOINTS
    expect_status 0
    expect_equal "$(sqlite3 JOBPOINTS/sqlite/runtime.db 'SELECT count(*), max(point) FROM step_point')" "6|6"
}

@test "iterations alone are a timeline that begins with the first of them" {
    mkdir -p JOBALONE
    cp "$capture"/data/training_trace.* JOBALONE
    run_msprof export timeline JOBALONE
    expect_status 0
    python3 - <<'END_OF_PYTHON'
from timeline import read_timeline
events = [event for event in read_timeline('JOBALONE/timeline/task_time_1.json').events if event['ph'] == 'X']
assert [(event['name'], event['ts']) for event in events[:2]] == [('Iteration 1', 0), ('FP_BP Time 1', 0)], events[:2]
assert sum(event['name'].startswith('Iteration ') for event in events) == 8, events  # and what follows on propagation
END_OF_PYTHON
}

@test "damage of files of the JOB era costs what is damaged, is counted and named" {
    cp -r "$capture" JOBCUT
    chmod -R u+w JOBCUT
    rm JOBCUT/*.done JOBCUT/data/*.done
    truncate -s -30 JOBCUT/data/training_trace.*
    truncate -s -60 JOBCUT/DATA_PREPROCESS.dev.AICPU.1.slice_0
    truncate -s -4 JOBCUT/DATA_PREPROCESS.dev.TDT.1.slice_0
    printf '7 no end' >>JOBCUT/Framework.host.vm.point.1.slice_0
    run_msprof export summary JOBCUT --output results
    expect_status 3
    run_msprof import JOBCUT --output results
    for text in "training_trace.46.dev.profiler_default_tag.1.slice_0: record" "AICPU.1.slice_0: record" \
        "TDT.1.slice_0: record" "point.1.slice_0: record"; do
        expect_contains "$stderr" "$text"
    done
    # 4 iterations but the last, 5 rows of which one has no second entry, 20 items but the last
    expect_equal "$(wc -l results/summary/{aicpu,dp,step_trace}_1.csv | awk '{print $1}' | head -3)" $'5\n20\n4'
    head -19 "$repository/testdata/cann/job-910a/expected/dp_1.csv" | cmp - <(head -19 results/summary/dp_1.csv)
}

@test "points of iterations out of order are told, and sorted" {
    mkdir JOBMIXED
    python3 - "$capture" <<'END_OF_PYTHON'
import glob, sys
data = open(glob.glob(sys.argv[1] + '/data/training_trace*_0')[0], 'rb').read()
records = [data[at:at + 20] for at in range(0, len(data), 20)]
records[3], records[4] = records[4], records[3]
with open('JOBMIXED/training_trace.46.dev.profiler_default_tag.1.slice_0', 'wb') as file:
    file.write(b''.join(records))
END_OF_PYTHON
    run_msprof export summary JOBMIXED --output results
    expect_status 3
    expect_table step_trace_1.csv
    run_msprof import JOBMIXED --output results
    expect_contains "$stderr" "expected later ones to follow"
}

@test "an entry of a log goes on in the next slice" {
    mkdir JOBSLICES
    for log in AICPU TDT; do
        for cut in 1 57 200 331; do
            head -c "$cut" "$capture/DATA_PREPROCESS.dev.$log.1.slice_0" >"JOBSLICES/DATA_PREPROCESS.dev.$log.1.slice_0"
            tail -c +$((cut + 1)) "$capture/DATA_PREPROCESS.dev.$log.1.slice_0" \
                >"JOBSLICES/DATA_PREPROCESS.dev.$log.1.slice_1"
            run_msprof export summary JOBSLICES --output results
            expect_status 0
        done
    done
    expect_table aicpu_1.csv
    expect_table dp_1.csv
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
