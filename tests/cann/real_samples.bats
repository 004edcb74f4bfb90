#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tables and timelines of captures that real devices left, against those that Ascend's own tool made of them.
# bats file_tags=once

# shellcheck disable=SC2154 # common.bash sets shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

@test "every cell of seven real captures is that of Ascend's tool, but those that are known to differ, with the reason" {
    needs_shared data/real-samples-2
    run python3 "$BATS_TEST_DIRNAME/lib/sweep.py" "$MSPROF" "$shared/data/real-samples-2"
    printf '%s\n' "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^cann-.* op_summary ' <<<"$output")" -eq 6 ]
    [ "$(sed -n 's/ cells compared.*//p' <<<"$output")" -gt 100000 ]
}

@test "times in which the tool differs are those of the raw records' ticks in ours, and cut off in the tool's" {
    needs_shared data/real-samples-2
    run python3 "$BATS_TEST_DIRNAME/lib/sweep_raw.py" "$MSPROF" "$shared/data/real-samples-2"
    printf '%s\n' "$output"
    [ "$status" -eq 0 ]
    [ "$(sed -n 's/^\([0-9]*\) compared$/\1/p' <<<"$output")" -gt 10000 ]
}

@test "every iteration of a real 910A's training trace has the points, lengths and reductions that MindInsight wrote of it" {
    needs_shared data/real-samples-2/job-910a-more
    local real="$shared/data/real-samples-2/job-910a-more" job=JOBAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    mkdir -p "$job/data"
    gzip -dc "$real/job1.training_trace.46.dev.profiler_default_tag.0.slice_0.gz" \
        >"$job/data/training_trace.46.dev.profiler_default_tag.0.slice_0"
    run_msprof_into ours.csv -q show "$job" --table step_trace --format csv --top 1000
    python3 - ours.csv "$real/job1.step_trace.csv.gz" <<'END'
import csv, gzip, sys
from decimal import Decimal
with open(sys.argv[1], newline='', encoding='utf-8') as stream:
    ours = list(csv.reader(stream))[1:]
with gzip.open(sys.argv[2], 'rt', encoding='utf-8') as stream:
    theirs = [row for row in csv.DictReader(stream) if row['step_num'].isdigit()]  # the last is their mean
assert len(ours) == len(theirs) == 20
def us(ticks):  # of 10 ns
    return Decimal(ticks) / 100
cells = 0
for row, step in zip(ours, theirs):
    wanted = [Decimal(step['step_num'])] + [us(step[name]) for name in (
        'fp_point', 'bp_point', 'end_point', 'total', 'fp_and_bp', 'tail', 'iteration_interval')]
    assert [Decimal(cell) for cell in row[:8]] == wanted, (row[:8], wanted)
    reductions = sorted((us(step[name]), us(step[name.replace('_start_point', '')])) for name in step
                        if name.startswith('stream_') and name.endswith('_start_point') and int(step[name]) > 0)
    found = [Decimal(cell) for cell in row[8:] if cell not in ('', 'N/A')]
    assert sorted(zip(found[::2], found[1::2])) == reductions, (row, reductions)
    cells += 8 + 2 * len(reductions)
print(cells, 'cells')
END
}
