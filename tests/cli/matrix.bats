# SPDX-License-Identifier: Apache-2.0
# bats file_tags=once
# Every command with every option on a capture of every family: which statuses and files that gives.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
    needs python3
}

@test "every command takes every option of every family's captures: statuses and files are the expected ones" {
    mkdir work
    python3 "$BATS_TEST_DIRNAME/matrix.py" "$MSPROF" "$repository" "$PWD/work" >matrix
    diff "$BATS_TEST_DIRNAME/matrix.expected" matrix
}
