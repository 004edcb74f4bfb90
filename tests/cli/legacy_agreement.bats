#!/usr/bin/env bats
# Captures of the layout of 2022 against what Ascend's tool of 2022 made of them.
# shellcheck disable=SC2154 # common sets shared and repository

load common

setup() {
    enter_scratch
}

# Imports a shared capture and compares all its reports.
agrees() {
    local name=$1 capture
    if [ ! -d "$shared/data/generated/$name" ] || [ ! -d "$shared/data/expected/$name" ]; then
        skip "no shared data at $shared"
    fi
    command -v python3 >/dev/null || skip "python3 is not installed"
    cp -R "$shared/data/generated/$name/"PROF* .
    chmod -R u+w PROF*
    capture=$(echo PROF*)
    "$MSPROF" import -dir "$capture"
    "$MSPROF" export summary -dir "$capture"
    "$MSPROF" export timeline -dir "$capture"
    run python3 "$repository/tests/cann/agree_legacy.py" "$shared/data/expected/$name" "$capture"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "every report of an Ascend 310 capture of 2022 agrees with Ascend's tool" {
    agrees legacy-chip0-1k
}

@test "every report of an Ascend 910A capture of 2022 agrees with Ascend's tool" {
    agrees legacy-chip1-1k
}

# Adds marks to an Ascend 910A capture: the end of iterations 1 and 2 of model 7, in ticks of the device's counter.
mark_iterations() {
    python3 - "$1" <<'END'
import struct
import sys

def mark(tick, iteration, tag):
    return struct.pack('<BBHIQQQHHHH', 0, 10, 40, 0, tick, iteration, 7, 1, 1, tag, 0)

with open(sys.argv[1], 'wb') as file:
    for iteration, begin, end in ((1, 0, 100), (2, 100, 600)):
        first, last = (40_000_000_000 + 100 * (1000 + 10 * number) for number in (begin, end))
        file.write(mark(first, iteration, 0) + mark(last, iteration, 1))
END
}

@test "a capture of 2022 with marks is reported iteration by iteration" {
    if [ ! -d "$shared/data/generated/legacy-chip1-1k" ]; then
        skip "no shared data at $shared"
    fi
    command -v python3 >/dev/null || skip "python3 is not installed"
    local capture all=0 rows
    cp -R "$shared/data/generated/legacy-chip1-1k/"PROF* .
    chmod -R u+w PROF*
    capture=$(echo PROF*)
    mark_iterations "$capture/device_0/data/ts_track.data.0.slice_0"
    "$MSPROF" export summary -dir "$capture"
    "$MSPROF" export summary -dir "$capture" --iteration-id 2 --model-id 7
    for iteration in 1 2; do
        rows=$(tail -n +2 "$capture/summary/task_time_0_7_$iteration.csv" | wc -l)
        [ "$rows" -gt 0 ]
        all=$((all + rows))
    done
    "$MSPROF" export timeline -dir "$capture" --iteration-id 1 --iteration-count 2
    # Both together have the tasks of each, once.
    [ "$(grep -c '"Task Type"' "$capture/timeline/task_time_0_7_1.json")" -eq "$all" ]
    # The marks end iteration 2 before the last tasks.
    [ "$all" -lt 1000 ]
    run "$MSPROF" export summary -dir "$capture" --iteration-id 3 --model-id 7
    [ "$status" -eq 4 ]
}
