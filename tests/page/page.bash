# SPDX-License-Identifier: Apache-2.0
# For the tests of the page that msprof report writes: load it after common.
# shellcheck disable=SC2154 # common sets repository, run_msprof status and output

setup() {
    enter_scratch
    needs python3
}

page() {
    python3 "$repository/tests/lib/page.py" page.html "$@"
}

# The page of a capture, which must be sound; status 3 is of an import that had problems.
report() {
    run_msprof -q report "$@" -o page.html
    [ "$status" -eq 0 ] || expect_status 3
    page
}

# The capture PROF_1 of the program that the Python on standard input describes as p.
make_program() {
    rm -rf PROF_1
    {
        printf 'import sys\nsys.path.insert(0, "%s")\nfrom program import *\np = Program("PROF_1")\n' "$repository/tests/cann/lib"
        cat
        printf 'p.write()\n'
    } >make.py
    python3 make.py
}

# Such a capture, with the page about it.
program() {
    make_program
    report PROF_1
}

# Tables of the page and those of show are the same cells. Times of show's CSV end in a tabulator, for spreadsheets.
same_table() { # capture, table, caption
    run_msprof -q show "$1" --table "$2" --format csv --top 1000
    [ "$status" -eq 0 ] || expect_status 3
    page table "$3" >told
    diff <(python3 -c 'import csv, sys; csv.writer(sys.stdout, lineterminator="\n").writerows([[c.strip("\t") for c in row] for row in csv.reader(sys.stdin)])' <<<"$output") told
}
