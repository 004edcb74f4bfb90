#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof layout for calls, AI CPU tasks and what timelines and statistics print.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status, output and stderr

load ../cli/common

setup() {
    enter_scratch
}

# The shipped capture with all its tables, and empty directories for some of them.
export_tables() {
    copy_capture JOBX
    "$MSPROF" export timeline -q -dir JOBX
    "$MSPROF" export summary -q -dir JOBX "$@"
    mkdir some
}

@test "the layout of ACL calls is found by their timeline, whatever the order of its events" {
    export_tables
    run_msprof layout infer -dir JOBX --kind acl_api --output found.layout
    expect_status 3 # the process is the same in every row
    grep -Eq '^column start_ns +offset 8 width 8  # 230 of 230 rows; by chance 2\^-[0-9]+$' found.layout
    grep -Eq '^column end_ns +offset 16 width 8 ' found.layout
    grep -Eq '^column api_type +offset 4 width ' found.layout
    grep -Eq '^column thread_id +offset 28 width ' found.layout
    grep -Eq '^column name +offset 32 width 64 ' found.layout
    grep -Eq '^column process_id .*AMBIGUOUS: too few rows differ' found.layout
    run_msprof layout check found.layout -dir JOBX
    expect_status 0
    expect_contains "$output" "equal: 1380 cells of 230 rows"
}

@test "a timeline in an object, as msprof 0.2 wrote it, gives the layout of one in an array" {
    export_tables
    run_msprof layout infer -dir JOBX --kind acl_api --output array.layout
    expect_status 3
    python3 - JOBX/timeline/acl_*.json <<'END'
import json, sys
from timeline import read_timeline
for path in sys.argv[1:]:
    events, facts = read_timeline(path)
    assert facts["origin_ns"] != "0", facts
    with open(path, "w") as stream:
        json.dump({"traceEvents": events, "displayTimeUnit": "ns", "otherData": facts}, stream, separators=(",", ":"))
END
    run_msprof layout infer -dir JOBX --kind acl_api --output object.layout
    expect_status 3
    cmp array.layout object.layout
}

@test "a given place of the process makes all of a call's layout certain" {
    export_tables
    run_msprof layout infer -dir JOBX --kind acl_call --set process_id=24:4 --output found.layout
    expect_status 0
    grep -Eq '^column process_id +offset 24 width 4  # given; 230 rows agree$' found.layout
    run_msprof layout infer -dir JOBX --kind acl_call --set total_cycle=24:4
    expect_status 2
    expect_contains "$stderr" "'msprof kinds acl_call'"
}

@test "acl_statistic, as CSV or JSON, in the guide's columns or the vendor's, gives the calls' layout, too" {
    for format in csv json; do
        for columns in guide vendor; do
            rm -rf JOBX some
            export_tables --format "$format" --columns "$columns"
            mv JOBX/summary/acl_statistic* some/
            run_msprof layout infer -dir JOBX --kind acl_call --tables some --output found.layout
            expect_status 3
            grep -Eq '^column start_ns +offset 8 width 8' found.layout
            grep -Eq '^column end_ns +offset 16 width 8 ' found.layout
            grep -Eq '^column name +offset 32 width 64 ' found.layout
            run_msprof layout check found.layout -dir JOBX --tables some
            expect_status 0
            run_msprof layout check found.layout -dir JOBX
            expect_status 0
        done
    done
}

@test "random layouts of calls: held-out captures are equal, and a statistic that cannot tell the start says so" {
    python3 "$repository/testdata/generate/random_calls.py" boards --seed 100 --count 8
    local held=0 timeless=0
    for board in boards/*; do
        run_msprof layout infer -dir "$board"/train/JOB* --kind acl_api --tables "$board/train/timeline" \
            --output timeline.layout
        expect_status 3
        run_msprof layout check timeline.layout -dir "$board"/held/JOB* --tables "$board/held/timeline"
        expect_status 0
        run_msprof layout infer -dir "$board"/train/JOB* --kind acl_api --tables "$board/train/statistic" \
            --output statistic.layout
        if [ "$status" -eq 1 ]; then
            expect_contains "$stderr" "pass the timeline of the calls"
            timeless=$((timeless + 1))
            continue
        fi
        run_msprof layout check statistic.layout -dir "$board"/held/JOB* --tables "$board/held/timeline"
        expect_status 0
        held=$((held + 1))
    done
    [ "$held" -gt 0 ]
    [ "$timeless" -gt 0 ]
}

@test "AI CPU tasks over several files are found by task_time, and by op_statistic with the layers" {
    export_tables
    run_msprof layout infer -dir JOBX --kind aicpu --output found.layout
    expect_status 3
    grep -Eq '^column start_ns +offset 8 width 8 ' found.layout
    grep -Eq '^column end_ns +offset 48 width 8 ' found.layout
    grep -Eq '^column task_id +offset 6 width 2 ' found.layout
    run_msprof layout check found.layout -dir JOBX
    expect_status 0
    expect_contains "$output" "equal: 32 cells of 8 rows"
    mv JOBX/summary/op_statistic* some/
    run_msprof layout infer -dir JOBX --kind aicpu_task --tables some --output found.layout
    expect_status 3
    grep -Eq '^column start_ns +offset 8 width 8' found.layout
    run_msprof layout check found.layout -dir JOBX --tables some
    expect_status 0
    run_msprof layout check found.layout -dir JOBX
    expect_status 0
}

@test "device records are found by the durations of a timeline alone, and by op_statistic" {
    export_tables
    mv JOBX/timeline/task_time* some/
    run_msprof layout infer -dir JOBX --tables some --output found.layout
    expect_status 3
    grep -Eq '^column total_cycle +offset 16 width 4 ' found.layout
    grep -Eq '^column task_id +offset 6 width 2 ' found.layout
    run_msprof layout check found.layout -dir JOBX --tables some
    expect_status 0
    rm some/* && mv JOBX/summary/op_statistic* some/
    run_msprof layout infer -dir JOBX --tables some --output found.layout
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    grep -Eq '^column total_cycle +offset 16 width 4 ' found.layout
    run_msprof layout check found.layout -dir JOBX --tables some
    expect_status 0
    expect_contains "$output" "equal: 120 cells of 40 rows"
}

@test "check names the first cell of a timeline or a statistic that differs" {
    export_tables
    "$MSPROF" layout infer -dir JOBX --kind acl_call --output found.layout 2>/dev/null || true
    sed '/^column thread_id/s/offset 28/offset 24/' found.layout >wrong.layout
    run_msprof layout check wrong.layout -dir JOBX
    expect_status 1
    expect_contains "$stderr" "row 31: thread_id is printed as 1433, but the layout gives 1432"
    mv JOBX/summary/acl_statistic* some/
    sed '/^column end_ns/s/offset 16/offset 8/' found.layout >wrong.layout
    run_msprof layout check wrong.layout -dir JOBX --tables some
    expect_status 1
    expect_contains "$stderr" "row 1: the least is printed as 314464.673, but the layout gives 0"
    sed '/^column name/s/offset 32/offset 34/' found.layout >wrong.layout
    run_msprof layout check wrong.layout -dir JOBX --tables some
    expect_status 1
    expect_contains "$stderr" "times, but the layout gives 0"
    sed '/^column start_ns/s/offset 8/offset 16/' found.layout >wrong.layout
    run_msprof layout check wrong.layout -dir JOBX
    expect_status 1
    expect_contains "$stderr" "the layout gives nothing that began at this time"
}

@test "calls of another capture, random bytes and shuffled columns never give a layout with status 0" {
    export_tables
    cp -r JOBX/timeline sound
    python3 - <<'END'
import json, random
rng, path = random.Random(5), 'JOBX/timeline/acl_0.resnet50.6.1.json'
trace = json.load(open(path))
spans = [e for e in trace if e['ph'] == 'X']
starts = [e['ts'] for e in spans]
rng.shuffle(starts)
for event, start in zip(spans, starts):
    event['ts'] = start
json.dump(trace, open(path, 'w'))
END
    run_msprof layout infer -dir JOBX --kind acl_call
    [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
    expect_not_contains "$output" "column end_ns"
    rm -r JOBX/timeline
    python3 -c "import random; open('JOBX/data/acl_api.0.resnet50.6', 'wb').write(random.Random(3).randbytes(29440))"
    run_msprof layout infer -dir JOBX --kind acl_call --tables sound
    expect_status 1
    expect_contains "$output" "no record size stands out"
}
