#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files of lines, sound and damaged: over every fixture below testdata/kinds.

# shellcheck disable=SC2154 # common.bash sets MSPROF and repository
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    command -v python3 >/dev/null || skip "python3 is not installed"
    export PYTHONDONTWRITEBYTECODE=1
}

@test "text files become the rows that their fixtures say" {
    python3 "$BATS_TEST_DIRNAME/system/text_kinds.py" "$MSPROF" "$repository/testdata/kinds" "$PWD/work"
}

@test "of a damaged text the sound rows stay, and what is lost is counted and named" {
    python3 "$BATS_TEST_DIRNAME/system/text_damage.py" "$MSPROF" "$repository/testdata/kinds" "$PWD/work"
}
