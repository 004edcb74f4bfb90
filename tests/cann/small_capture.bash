# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of small captures whose answer is known; loaded after common.bash.
# shellcheck shell=bash disable=SC2154 # run_msprof sets status, output and stderr

# Writes the capture that the Python on standard input describes as p.
write_capture() {
    {
        printf 'import sys\nsys.path.insert(0, "%s")\nfrom prof import *\np = Prof("PROF_1")\n' "$repository/tests/cann/lib"
        cat
        printf 'p.write()\n'
    } >make.py
    python3 make.py
}

# Writes the capture likewise, and imports it.
capture() {
    write_capture
    run_msprof import -dir PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

expect_sql() { # statement, rows
    expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "$1")" "$2"
}
