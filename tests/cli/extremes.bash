# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of extreme numbers: load it behind common. Each of them runs every command on a database many times,
# so that one file for all captures would take too long.

setup() {
    enter_scratch
    needs python3
    # shellcheck disable=SC2154 # common.bash sets repository
    export PYTHONPATH=$repository/tests/lib:$repository/tests/cann/lib
}

bear_extremes() { # capture
    "$MSPROF" import -q -dir "$1"
    python3 "$repository/tests/faults/extremes.py" "$MSPROF" "$PWD/$1" --quick
}
