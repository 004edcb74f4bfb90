#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Names that somebody chose: what drives a terminal, breaks a line, turns the writing or is no UTF-8 enters nowhere and leaves nowhere.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common.bash sets repository and scratch

load common

setup() {
    enter_scratch
}

@test "nothing planted in the names of files, directories, operators, groups, reports and layouts leaves by terminal, CSV, JSON, Markdown or database" {
    needs python3
    "$(dirname "$(readlink -f "$MSPROF")")/make-ranks" --output RANKS --ranks 4
    mkdir work
    run python3 -B "$repository/tests/cli/hostile_texts.py" "$MSPROF" "$PWD/work" "$PWD/RANKS"
    expect_status 0
    expect_equal "$output" ""
}
