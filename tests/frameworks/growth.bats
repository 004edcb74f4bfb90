# SPDX-License-Identifier: Apache-2.0
# bats file_tags=once
# The work of every command grows with the capture, whatever the shape of the capture is: directories of frameworks, ranks and samples of the system.
# shellcheck disable=SC2154 # common.bash sets repository

load ../cli/common

setup() {
    only_in_all "it counts instructions for minutes"
    enter_scratch
    needs python3 valgrind # time alone would judge the machine, too
    has_sanitizer && skip "a sanitizer has its own growth"
    return 0
}

@test "work grows by 4.6 at most when directories of frameworks, ranks and samples of the system grow by four, in every command" {
    mkdir work
    python3 "$repository/tests/cann/growth.py" "$(readlink -f "$MSPROF")" "$repository" "$PWD/work" frameworks
}
