# SPDX-License-Identifier: Apache-2.0
# bats file_tags=once
# Nothing of the user's is lost where msprof writes: files of others, and results that were changed.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
    needs python3
}

@test "files of the user's in the place of what any command writes are kept beside it, or nothing is touched" {
    mkdir work
    python3 "$repository/tests/faults/kept_files.py" "$MSPROF" "$repository" "$PWD/work"
}

@test "a page of another program is kept when report takes its own name, and one of msprof is replaced" {
    cp -R "$repository"/testdata/small/JOB* JOBX
    echo "a report of the user's" >report.html
    run_msprof report JOBX
    expect_status 0
    expect_contains "$stderr" "was kept as 'report.kept.html'"
    expect_equal "$(<report.kept.html)" "a report of the user's"
    grep -q 'msprof</title>' report.html
    run_msprof report JOBX
    expect_status 0
    [ ! -e report.kept-2.html ]
    for format in html markdown; do
        name=report.${format/markdown/md}
        run_msprof report --format $format JOBX
        run_msprof report --format $format JOBX
        expect_status 0
        [ ! -e "report.kept.${name#*.}" ] || [ $format = html ]
    done
}

@test "--clear leaves a database that another program changed" {
    cp -R "$repository"/testdata/small/JOB* JOBX
    rm -rf JOBX/sqlite
    run_msprof export summary --clear -dir JOBX
    expect_status 0
    [ ! -e JOBX/sqlite/runtime.db ]
    run_msprof import -dir JOBX
    python3 -c 'import sqlite3; c = sqlite3.connect("JOBX/sqlite/runtime.db"); c.execute("CREATE TABLE mine(a)")'
    run_msprof export summary --clear -dir JOBX
    expect_status 0
    python3 -c 'import glob, sqlite3
for path in glob.glob("JOBX/sqlite/*.db"):
    if sqlite3.connect(path).execute("SELECT count(*) FROM sqlite_schema WHERE name = ?", ("mine",)).fetchone()[0]:
        break
else:
    raise SystemExit("the table of the user is gone")'
}
