#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Whatever values stand in a database or in the files of ranks, every command ends with a status of its own: no crash, no
# undefined arithmetic (the sanitizers' build tells of it), no hang.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository
bats_require_minimum_version 1.5.0
load common
load extremes

@test "extreme integers in the database of a board's capture" {
    python3 -c 'import capture; capture.svp("JOBX")'
    bear_extremes JOBX
}

@test "extreme integers in the database of a capture of 2020" {
    python3 -c 'import capture; capture.ascend("JOBX")'
    bear_extremes JOBX
}

@test "extreme numbers in the files of a cluster's ranks" {
    "$(dirname "$(readlink -f "$MSPROF")")/make-ranks" --output RUN --ranks 2 --steps 2 --collectives 2
    python3 "$repository/tests/faults/cluster_extremes.py" "$MSPROF" RUN
}
