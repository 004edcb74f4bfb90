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
