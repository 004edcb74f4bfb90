#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Times of marks and ranges in reports are those that the program saw, to the nanosecond.
# shellcheck disable=SC2154 # enter_scratch and run_msprof set scratch, status and output

load ../cli/common
load acl

setup() {
    enter_scratch
    needs python3
}

# Exports the only capture in out/ and compares it with what the program said.
compare() {
    capture=$(capture_in out)
    "$MSPROF" export summary -q -dir "$capture"
    "$MSPROF" export timeline -q -dir "$capture"
    python3 "$repository/tests/acl/lib/known_times.py" known "$capture"
}

@test "database, table and timeline have the times that three threads saw" {
    "$programs/exact_times" out >known
    compare
}

@test "so they have for a capture that an acl.json began" {
    echo '{"profiler": {"switch": "on", "output": "out", "msproftx": "on"}}' >acl.json
    "$programs/exact_times" out acl.json >known
    compare
}

@test "the comparison sees a difference of one nanosecond" {
    "$programs/exact_times" out >known
    awk -F '\t' -v OFS='\t' 'NR == 300 { $4 = sprintf("%.0f", $4 + 1) } { print }' known >changed
    mv changed known
    run compare
    [ "$status" -ne 0 ]
    expect_contains "$output" "database: 600 events, known 600; first difference"
}
