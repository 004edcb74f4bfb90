# SPDX-License-Identifier: Apache-2.0
# Where results go: whose they are, which files an export replaces, and what is refused.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
}

teardown() {
    [ -z "${open:-}" ] || { chmod -R u+w "$open" && rm -rf "$open"; }
}

@test "results of another capture are refused with status 2, and nothing is written" {
    copy_capture JOBONE
    copy_capture JOBTWO
    touch JOBTWO/info.json.0
    run_msprof export summary -dir JOBONE --output out
    expect_status 0
    find out | sort >before
    run_msprof export summary -dir JOBTWO --output out
    expect_status 2
    expect_contains "$stderr" "JOBONE"
    expect_contains "$stderr" "--output"
    find out | sort >after
    expect_equal "$(<after)" "$(<before)"
    [ ! -e JOBTWO/sqlite ]
    run_msprof export timeline -dir JOBONE --output out
    expect_status 0
}

@test "a capture that was moved finds its results" {
    copy_capture JOBONE
    run_msprof export summary -dir JOBONE --output out
    mv JOBONE JOBMOVED
    run_msprof export summary -dir JOBMOVED --output out
    expect_status 0
}

@test "a part of a capture is refused with status 2, the capture is named, and nothing is written" {
    copy_capture JOBONE
    find JOBONE | sort >before
    for command in import "export summary" "export timeline" show query; do
        # shellcheck disable=SC2086 # two words
        run_msprof $command -dir JOBONE/data
        expect_status 2
        expect_contains "$stderr" "$PWD/JOBONE'"
    done
    find JOBONE | sort >after
    expect_equal "$(<after)" "$(<before)"
    mkdir -p PROF_1/host/data PROF_1/device_0/data
    cp JOBONE/data/* PROF_1/host/data
    run_msprof import -dir PROF_1/host/data
    expect_status 2
    expect_contains "$stderr" "$PWD/PROF_1'"
    run_msprof import -dir PROF_1/host
    expect_status 2
    [ ! -e PROF_1/host/sqlite ] && [ ! -e PROF_1/host/data/sqlite ]
    mkdir alone
    mv PROF_1/host alone/host
    run_msprof import -dir alone/host
    [ "$status" -ne 2 ]
    cp -r JOBONE/data plain
    run_msprof import -dir plain
    expect_status 3 # there is no info.json
}

@test "an export replaces what an earlier one wrote, but for what was changed, and nothing else" {
    copy_capture JOBONE
    run_msprof export summary -dir JOBONE
    expect_status 0
    set -- JOBONE/summary/op_summary_*.csv
    [ $# -ge 2 ]
    mv "$1" moved
    cp moved "$1" # another file of this name
    echo mine >"$1"
    echo other >JOBONE/summary/op_summary_of_another_tool.csv
    # Some reports that the first export wrote do not come any more.
    gone=$2
    python3 - JOBONE "$gone" <<'END'
import os, sys
job, gone = sys.argv[1:]
record = [job + '/log/' + n for n in os.listdir(job + '/log') if n.startswith('exported-summary')][0]
stale = 'summary/op_summary_stale.csv'
open(job + '/' + stale, 'w').write('old\n')
info = os.stat(job + '/' + stale)
kept = 'summary/kept.csv'
open(job + '/' + kept, 'w').write('old\n')
with open(record, 'a') as out:
    out.write('%d %d.%09d %s\n' % (info.st_size, info.st_mtime_ns // 10**9, info.st_mtime_ns % 10**9, stale))
    out.write('999 1.000000000 %s\n' % kept)
    out.write('%d %d.%09d ../moved\n' % (info.st_size, info.st_mtime_ns // 10**9, info.st_mtime_ns % 10**9))
END
    run_msprof export summary -dir JOBONE
    expect_status 0
    [ ! -e JOBONE/summary/op_summary_stale.csv ]
    [ -e JOBONE/summary/kept.csv ]
    [ -e JOBONE/summary/op_summary_of_another_tool.csv ]
    [ -e moved ] && [ -e "$gone" ]
    run_msprof export summary --format json -dir JOBONE
    [ -e "$gone" ]
}

@test "a table of a board that a user or another tool changed is kept beside the new one, that of a copied capture replaced" {
    copy_capture JOBONE
    "$MSPROF" export summary -q -dir JOBONE
    local table
    table=$(echo JOBONE/summary/op_summary_*.csv | cut -d ' ' -f 1)
    cp "$table" first
    cp -r JOBONE JOBCOPY
    run_msprof export summary -dir JOBCOPY
    expect_equal "$(find JOBCOPY -name '*.kept*')" ""
    echo "a note" >>"$table"
    run_msprof export summary -dir JOBONE
    expect_status 0
    expect_contains "$stderr" "was kept as '$PWD/${table%.csv}.kept.csv'"
    expect_equal "$(tail -n 1 "${table%.csv}.kept.csv")" "a note"
    cmp first "$table"
    echo "another" >"$table"
    "$MSPROF" export summary --columns vendor -q -dir JOBONE 2>/dev/null
    expect_equal "$(<"${table%.csv}.kept-2.csv")" another
    # killed in between, it has written what the list does not say yet
    mv JOBONE/log/exported-summary-* .
    cat exported-summary-* | cut -f 1 >JOBONE/log/exported-unfinished
    "$MSPROF" export summary -q -dir JOBONE
    expect_equal "$(find JOBONE -name '*.kept*' | wc -l)" 2
    [ ! -e JOBONE/log/exported-unfinished ]
}

@test "a file that the user names is never raw data of a capture or a framework, and diff --save replaces only baselines" {
    copy_capture JOBONE
    "$MSPROF" export summary -q -dir JOBONE --columns vendor
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF_1
    cp -r "$repository/testdata/frameworks/run_ascend_pt" .
    ln -s "$PWD/JOBONE/data" data
    cp -r . ../before
    local raw option
    for raw in JOBONE/data/aicore.0.1.1 JOBONE/info.json.0 JOBONE/data/new PROF_1/host/info.json PROF_1/device_0/data/new data/hwts.log.0.1.1 \
        run_ascend_pt/FRAMEWORK/torch.op_range run_ascend_pt/profiler_info_1.json; do
        for option in "report JOBONE -o" "diff JOBONE --save" "layout infer -dir JOBONE --output" "replay -dir JOBONE --fd 1 --names"; do
            # shellcheck disable=SC2086 # words
            run_msprof $option "$raw"
            expect_status 2
            expect_contains "$stderr" "'$raw' is, or would be among, raw data of '"
        done
    done
    diff -r ../before .
    echo precious >notes.txt
    run_msprof diff JOBONE --save notes.txt
    expect_status 2
    expect_contains "$stderr" "'notes.txt' exists and is not a baseline"
    expect_equal "$(<notes.txt)" precious
    : >empty
    for file in new empty new; do
        run_msprof diff JOBONE --save $file
        expect_status 0
        grep -q '^{"schema":"msprof.baseline/' $file
    done
    run_msprof report JOBONE -o JOBONE/report.html
    run_msprof report JOBONE -o JOBONE/report.html
    expect_status 0
}

@test "timelines of another format stay, and those of the same one are replaced, also after an export of another" {
    copy_capture JOBONE
    for format in json pftrace json.gz; do
        run_msprof export timeline -dir JOBONE --format $format
        expect_status 0
    done
    expect_equal "$(find JOBONE/timeline -type f | sed 's/.*\.//' | sort -u)" $'gz\njson\npftrace'
    expect_equal "$(cd JOBONE/log && echo exported-timeline*)" exported-timeline-0-0--1-0-0
    find JOBONE/timeline -type f | sort >all
    for format in json pftrace json.gz; do
        stale=timeline/stale.$format
        echo old >"JOBONE/$stale"
        stat -c "%s %.9Y $stale" "JOBONE/$stale" >>JOBONE/log/exported-timeline-0-0--1-0-0
    done
    run_msprof export timeline -dir JOBONE --format pftrace --from 1us
    expect_status 0
    find JOBONE/timeline -type f ! -name 'stale.json*' | sort | diff all -
    run_msprof export timeline -dir JOBONE
    expect_status 0
    find JOBONE/timeline -type f ! -name stale.json.gz | sort | diff all -
}

@test "options that choose iterations are usage errors on captures that have none" {
    copy_capture JOBONE
    for option in "--iteration-id 1" "--model-id 3" "--iteration-count 2"; do
        # shellcheck disable=SC2086 # two words
        run_msprof export summary -dir JOBONE $option
        expect_status 2
        expect_contains "$stderr" "${option% *}"
        [ ! -e JOBONE/summary ]
    done
}

@test "names of reports hold no control characters and line breaks of a model's name" {
    copy_capture JOBONE
    old=$(basename JOBONE/data/*.layer.info .layer.info)
    old=${old%.*}
    for file in JOBONE/data/*"$old"*; do
        name=${file##*/}
        mv "$file" "JOBONE/data/${name/"$old"/$'ne\nt\e[31m'}"
    done
    run_msprof export summary -dir JOBONE
    expect_status 3
    [ -n "$(ls JOBONE/summary)" ]
    expect_equal "$(find JOBONE/summary -name $'*[\x01-\x1f]*')" ""
    run_msprof export timeline -dir JOBONE
    expect_equal "$(find JOBONE/timeline -name $'*[\x01-\x1f]*')" ""
}

@test "--spreadsheet-safe puts an apostrophe before names that a spreadsheet would run, and only then" {
    copy_capture JOBONE
    table=$(ls JOBONE/data/*.layer.info)
    sed -i 's/"name":"data"/"name":"=cmd|calc, 1"/' "$table"
    run_msprof export summary -dir JOBONE
    grep -rq '"=cmd|calc, 1' JOBONE/summary
    run_msprof export summary -dir JOBONE --spreadsheet-safe
    expect_equal "$(grep -r '[",]=cmd' JOBONE/summary)" ""
    grep -rq "\"'=cmd|calc, 1" JOBONE/summary
}

@test "--spreadsheet-safe says in front of each table that it is UTF-8, and nothing else does" {
    copy_capture JOBONE
    for option in "" --spreadsheet-safe; do
        # shellcheck disable=SC2086 # an option or none
        run_msprof export summary -dir JOBONE $option
        expect_status 0
        for table in JOBONE/summary/*.csv; do
            mark=$(head -c 3 "$table" | od -An -tx1)
            if [ -n "$option" ]; then
                expect_equal "$mark" " ef bb bf"
            else
                [ "$mark" != " ef bb bf" ]
            fi
        done
    done
}

@test "--trace-compat gives a board's timelines the monotonic times of the vendor's tool" {
    copy_capture JOBX
    run_msprof export timeline -q JOBX
    cp -R JOBX/timeline ours
    run_msprof export timeline -q JOBX --trace-compat
    expect_status 0
    python3 - JOBX/timeline ours "$(sqlite3 JOBX/sqlite/runtime.db 'SELECT min(start_ns) FROM acl_call')" <<'END'
import glob, os, sys
from decimal import Decimal
from timeline import read_timeline
def times(path):
    document = read_timeline(path, parse_float=Decimal)
    return document.facts, [Decimal(event["ts"]) for event in document.events if event["ph"] == "X"]
compared = 0
for path in glob.glob(sys.argv[1] + "/*.json"):
    other, absolute = times(path)
    ours, relative = times(os.path.join(sys.argv[2], os.path.basename(path)))
    assert other["origin_ns"] == "0"
    assert absolute == [time + Decimal(ours["origin_ns"]) / 1000 for time in relative], path
    if os.path.basename(path).startswith("acl_"):
        assert min(absolute) == Decimal(sys.argv[3]) / 1000
    compared += len(absolute)
assert compared > 500, compared
END
}

@test "results in a capture are none of its data, whichever export made them" {
    local source capture type commands="timeline summary db flame"
    expect_equal "$("$MSPROF" export --help | awk '/^Commands:/ { of = 1; next } /^$/ { of = 0 } of && /^  [a-z]/ { print $1 }' |
        paste -sd ' ')" "$commands"
    for source in resnet50 cann/prof-910b cann/2022-910a cann/job-910a; do
        capture=$(basename "$repository/testdata/$source"/[JP]*)
        cp -R "$repository/testdata/$source/$capture" .
        chmod -R u+w "$capture"
        for type in $commands "timeline --format pftrace" "flame --format svg --weight count"; do
            # shellcheck disable=SC2086 # an export's words
            run_msprof export $type "$capture"
            [ "$status" -eq 0 ] || [ "$type" = db ] || expect_status 0 # boards have none
        done
        for type in text db; do
            run_msprof analyse "$capture" --rule communication,communication_matrix --type $type
        done
        for type in html markdown; do
            run_msprof report "$capture" --format $type -o "$capture/report.$type"
            expect_status 0
        done
        [ -d "$capture/flame" ]
        run_msprof import "$capture"
        expect_status 0
        expect_not_contains "$stderr" warning
    done
    [ "$(find . -name analyze -o -name 'msprof_*.db' | grep -c .)" -ge 2 ]
}

# Runs the program as somebody who cannot write to the capture; root could.
read_only() {
    local as=()
    [ "$(id -u)" -ne 0 ] || as=(env HOME=/nonexistent setpriv --reuid=65534 --regid=65534 --clear-groups)
    status=0
    "${as[@]}" "$@" >"$BATS_TEST_TMPDIR/stdout" 2>"$BATS_TEST_TMPDIR/stderr" || status=$?
    output=$(tr -d '\0' <"$BATS_TEST_TMPDIR/stdout")
    stderr=$(<"$BATS_TEST_TMPDIR/stderr")
}

@test "answers of a capture that cannot be written to rest on a temporary database, which does not outlive them" {
    needs setpriv
    # a directory that others reach, too
    open=$(mktemp -d)
    chmod 0755 "$open"
    cd "$open"
    copy_capture JOBX
    mkdir tmp
    chmod 0777 tmp
    chmod -R a+rX,a-w JOBX
    # the program's own way may be closed to others
    cp -L "$MSPROF" program
    chmod 0755 program
    export TMPDIR=$PWD/tmp
    for command in "show JOBX --table ops" "show JOBX" "advise JOBX" "diff JOBX JOBX" "report JOBX -o -" "query JOBX" "sql JOBX 'SELECT 1'" "show -dir JOBX"; do
        eval "read_only ./program $command"
        expect_status 0
        [ -n "$output" ]
        expect_contains "$stderr" "JOBX' is not writable: using a temporary database"
        expect_equal "$(ls -A tmp)" ""
    done
    # on a terminal a pager is there as long as the rows, and longer than the database
    if command -v script >/dev/null; then
        PAGER=cat\; TERM=xterm read_only timeout 60 script -qec "stty cols 100 rows 5; ./program -q show JOBX" /dev/null </dev/null
        expect_status 0
        expect_contains "$output" "Executions"
        expect_equal "$(ls -A tmp)" ""
    fi
    # however it ends
    eval "read_only timeout -s KILL 0.03 ./program show JOBX"
    for _ in {1..50}; do
        [ -n "$(ls -A tmp)" ] || break
        sleep 0.1
    done
    expect_equal "$(ls -A tmp)" ""
    # files that are asked for still need a place
    for command in "import JOBX" "export summary JOBX"; do
        eval "read_only ./program $command"
        expect_status 1
        expect_contains "$stderr" "choose another directory with --output DIR"
    done
    [ ! -e JOBX/sqlite ]
}

@test "inside of a capture the commands mean it" {
    copy_capture JOBX
    run_msprof_into want -q show JOBX --table ops
    cd JOBX
    run_msprof_into ../got -q show --table ops
    expect_status 0
    cmp ../want ../got
    run_msprof -q export summary
    expect_status 0
    [ -d summary ]
    cd data
    run_msprof show --table ops
    expect_status 2
    expect_contains "$stderr" "pass the capture: -dir "
}

# ---- log/collection.log ----

# Makes the log of an import longer than what stays of it.
grow_log() {
    copy_capture JOBX
    "$MSPROF" import -q JOBX
    local line
    line=$(tail -n 1 JOBX/log/collection.log | cut -c 1-80)
    seq -f "$line line %.0f" 1 90000 >>JOBX/log/collection.log
    [ "$(stat -c %s JOBX/log/collection.log)" -gt $((7 * 1024 * 1024)) ]
}

@test "a log that has grown long keeps its first and its last lines, and says how many bytes are left out between them" {
    grow_log
    cp JOBX/log/collection.log long
    run_msprof export summary JOBX
    expect_status 0
    needs python3
    python3 - JOBX/log/collection.log long <<'END'
import re, sys
now, long = (open(path).read() for path in sys.argv[1:])
left = re.search(r'[^\n]*: (\d+) bytes of similar lines omitted\n', now)
head, rest = now[:left.start()], now[left.end():]
assert long.startswith(head) and head.endswith('\n') and 4 << 20 <= len(head) < (4 << 20) + 200, len(head)
tail = long[len(head) + int(left[1]):]
assert rest.startswith(tail) and long[-len(tail) - 1] == '\n' and abs(len(tail) - (1 << 20)) < 200, len(tail)
assert 'exported to' in rest[len(tail):] and len(now) < 5.1 * (1 << 20)
END
}

@test "a long log that another program began is kept whole beside the new one" {
    copy_capture JOBX
    mkdir -p JOBX/log
    yes "a line of another program" | head -c 7000000 >JOBX/log/collection.log
    cp JOBX/log/collection.log theirs
    run_msprof export summary JOBX
    expect_status 0
    expect_contains "$stderr" "was kept as '$PWD/JOBX/log/collection.kept.log'"
    cmp JOBX/log/collection.kept.log theirs
    head -n 1 JOBX/log/collection.log | grep -q 'msprof_common: This log is written by msprof '
    [ "$(stat -c %s JOBX/log/collection.log)" -lt 100000 ]
}

@test "a copy of a capture by hard links keeps its bytes, those of the log too" {
    copy_capture JOBX
    "$MSPROF" export timeline -q JOBX
    cp -al JOBX copy
    cp -R JOBX before
    for command in "import --force" "export summary" "export timeline" "export summary --clear"; do
        # shellcheck disable=SC2086 # words of a command
        run_msprof $command JOBX
        expect_status 0
        diff -r copy before
    done
    head -c "$(stat -c %s before/log/collection.log)" JOBX/log/collection.log | cmp - before/log/collection.log
    [ "$(stat -c %s JOBX/log/collection.log)" -gt "$(stat -c %s before/log/collection.log)" ]
}

@test "commands at the same time lose no line of a log that the first of them shortens" {
    grow_log
    local i processes=()
    for i in 1 2 3 4 5 6; do
        "$MSPROF" export summary -q --output "results$i" JOBX &
        "$MSPROF" import -q --force JOBX &
        processes+=($!)
    done
    wait
    for i in "${processes[@]}"; do
        grep -q "\[$i\] msprof_common: Analysis data in \".*\" finished" JOBX/log/collection.log
    done
    expect_equal "$(grep -c 'of similar lines omitted' JOBX/log/collection.log)" 1
}
