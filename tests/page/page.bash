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

# Tables of the page and those of show are the same cells, but what a row is about stands first, and times of the clock of the
# capture are those that its cells have when they are pointed at. Times of show's CSV end in a tabulator, for spreadsheets.
same_table() { # capture, table, caption
    run_msprof -q show "$1" --table "$2" --format csv --top 1000
    [ "$status" -eq 0 ] || expect_status 3
    page clock "$3" >told
    python3 - <<'PY'
import csv, os
with open(os.environ['BATS_TEST_TMPDIR'] + '/stdout', newline='') as stream:
    shown = [[cell.strip('\t') for cell in row] for row in csv.reader(stream)]
with open('told', newline='') as stream:
    told = list(csv.reader(stream))
first = shown[0].index(told[0][0])
wanted = [row[first:first + 1] + row[:first] + row[first + 1:] for row in shown]
assert told == wanted, next(pair for pair in zip(told + [None], wanted + [None]) if pair[0] != pair[1])
with open('told', 'w', newline='') as stream:  # in the order of show from here on
    csv.writer(stream, lineterminator='\n').writerows(shown)
PY
}
