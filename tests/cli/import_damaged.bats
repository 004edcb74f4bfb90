#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures that are damaged in every way we know: the sound part is kept, the rest is named with file, offset, expectation
# and remedy, status 3; with --strict status 1 and no database. The decoder's own cases are in tests/unit/parsers/test_damage_records.c.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
}

# Runs Python with tests/lib/capture.py at hand.
python() {
    PYTHONPATH=$repository/tests/lib python3 -c "from capture import *
$1"
}

# The integer or text that one query of the database gives.
query() {
    python3 -c 'import sqlite3, sys
print(sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(sys.argv[2]).fetchone()[0])' "$1/sqlite/runtime.db" "$2"
}

# No file of a run that failed or was stopped.
expect_no_leftover() {
    local found
    found=$(find "$1" -name '.msprof.*' -o -name '*.tmp' -o -name '*-journal')
    expect_equal "$found" ""
}

# Imports with status 3, refuses with --strict, exports with status 3, and leaves nothing half done: damaged DIR TEXT...
damaged() {
    local directory=$1 text
    shift
    run_msprof import --strict -dir "$directory"
    expect_status 1
    [ ! -e "$directory/sqlite/runtime.db" ]
    run_msprof import -dir "$directory"
    expect_status 3
    for text in "$@"; do
        expect_contains "$stderr" "$text"
    done
    for what in timeline summary; do
        run_msprof export "$what" -dir "$directory"
        expect_status 3
    done
    run_msprof show -dir "$directory"
    expect_status 3
    expect_no_leftover "$directory"
    for file in "$directory"/timeline/*.json; do
        [ -e "$file" ] || continue
        python3 -m json.tool "$file" >/dev/null
    done
}

@test "the captures of these tests are sound before they are damaged" {
    python 'svp("JOBS"); ascend("JOBA")'
    for directory in JOBS JOBA; do
        run_msprof import --strict -dir "$directory"
        expect_status 0
        run_msprof export timeline --strict -dir "$directory"
        expect_status 0
        run_msprof export summary --strict -dir "$directory"
        expect_status 0
    done
}

@test "what is not a capture is told with what to give instead" {
    mkdir JOBX JOBY JOBY/data
    run_msprof import -dir JOBX
    expect_status 4
    expect_contains "$stderr" "'JOBX' is not a capture and contains none"
    expect_contains "$stderr" "try: pass a directory with data/ and info.json"
    run_msprof import -dir JOBY
    expect_status 1
    expect_contains "$stderr" "data/ is empty"
    expect_contains "$stderr" "check that profiling was on"
    run_msprof import -dir nowhere
    expect_status 1
    expect_contains "$stderr" "No such file"
    : >file
    run_msprof import -dir file
    expect_status 1
    for directory in JOBX JOBY; do
        [ ! -e "$directory/sqlite/runtime.db" ]
    done
}

@test "a cut file keeps its sound records" {
    python 'job = svp("JOBX"); os.truncate("JOBX/data/aicore.0.1.1", 5 * PMU_SIZE + 77)'
    damaged JOBX "data/aicore.0.1.1: record 5, offset 640: 77 bytes at the end; expected a record of 128 bytes; copy the file again"
    expect_equal "$(query JOBX 'SELECT count(*) FROM ai_core_task')" 5
}

@test "bytes inserted into the middle cost one record" {
    python 'job = svp("JOBX", calls=6)
path = "JOBX/data/acl_api.0.net.1"
data = open(path, "rb").read()
job.write("acl_api.0.net.1", data[:300] + b"xyz" + data[300:])'
    damaged JOBX "data/acl_api.0.net.1: record 2, offset 256" "bytes were lost or inserted" "expects 768"
    expect_equal "$(query JOBX 'SELECT count(*) FROM acl_call')" 5
}

@test "a file of foreign bytes is not guessed at" {
    python 'job = svp("JOBX"); job.write("acl_api.0.net.1", b"\xa5" * 384)'
    damaged JOBX "data/acl_api.0.net.1: offset 0: 384 bytes fit no layout of kind acl_call" "found a5 a5" "--layout"
    expect_equal "$(query JOBX 'SELECT count(*) FROM acl_call')" 0
    expect_equal "$(query JOBX 'SELECT count(*) FROM ai_core_task')" 8
}

@test "empty files are told, and the others decoded" {
    python 'job = svp("JOBX"); job.write("acl_api.0.net.1", b""); job.write("net.1.layer.info", b"")'
    damaged JOBX "data/acl_api.0.net.1: 0 bytes" "data/net.1.layer.info: 0 bytes"
    expect_equal "$(query JOBX 'SELECT count(*) FROM ai_core_task')" 8
}

@test "a capture of which nothing is left has no database under --strict and an empty one without" {
    python 'job = Job("JOBX"); job.write("aicore.0.1.1", b"\xff" * 256)'
    run_msprof import --strict -dir JOBX
    expect_status 1
    [ ! -e JOBX/sqlite/runtime.db ]
    run_msprof import -dir JOBX
    expect_status 3
    expect_equal "$(query JOBX 'SELECT count(*) FROM ai_core_task')" 0
    run_msprof export timeline -dir JOBX
    [ "$status" -eq 3 ] || [ "$status" -eq 4 ]
}

@test "absurd counters and times are rejected one by one, and every report can still be made" {
    python 'job = svp("JOBX")
job.write("acl_api.0.net.1", [acl("a", 0, 2**63 - 1), acl("b", 0, 2**63 - 1), acl("c", 2**63, 2**64 - 1), acl("good", 5, 9)])
job.write("aicore.0.1.1", [pmu(0, 2**63), pmu(1, 2**53, counters=(2**62,) * 8), pmu(2, 600, read=2**64 - 1), pmu(3, 600)])
job.write("aicpu.0.net.1.1.1.0", [aicpu(0, 0, 2**63 - 1), aicpu(0, 5, 9, dispatch_us=2**32 - 1, total_us=2**32 - 1)])'
    damaged JOBX "field total_cycle: a value of 2^63 or more" "field mac_busy_cycle" "the call lasts 9223372036854775807 ns"
    expect_equal "$(query JOBX 'SELECT group_concat(name) FROM acl_call')" good
    expect_equal "$(query JOBX 'SELECT group_concat(task_id) FROM ai_core_task')" 3
}

@test "thousands of the largest times that are let in do not overflow a report" {
    python 'job = svp("JOBX")
job.write("aicore.0.1.1", [pmu(i, 2**52, counters=(2**53,) * 8, read=2**53, write=2**53, pic=i) for i in range(3000)])
for pic in range(3000):
    job.write(f"aicore.0.net.1.1.1.{pic}.done", done(2**61))
job.write("acl_api.0.net.1", [acl("long", 0, 2**53) for _ in range(1000)])'
    run_msprof import -dir JOBX
    expect_status 3
    for what in timeline summary; do
        run_msprof export "$what" -dir JOBX
        expect_status 3
    done
    run_msprof show -dir JOBX
    expect_status 3
}

@test "a clock of a kilohertz or of 100 GHz gives times and no overflow" {
    python 'svp("JOBX")'
    for mhz in 0.001 100000; do
        for what in timeline summary; do
            run_msprof export "$what" -dir JOBX --freq-mhz "$mhz"
            expect_status 0
        done
    done
}

@test "duplicate files are told, and one of them is decoded" {
    python 'job = svp("JOBX"); job.write("AAcore.0.1.1", open("JOBX/data/aicore.0.1.1", "rb").read())'
    damaged JOBX "data/aicore.0.1.1: the same stream as 'data/AAcore.0.1.1', which is decoded; remove the copy"
    expect_equal "$(query JOBX 'SELECT count(*) FROM ai_core_task')" 8
}

@test "contradictory .done files are told and cost times only" {
    python 'job = svp("JOBX")
job.write("aicore.0.net.1.1.1.0.done", done(9000, 5000))
job.write("acl_api.0.net.1.done", "nonsense\n" + done(size=5))
job.write("acl_api.0.gone.7.done", done(1, 2, 128))'
    damaged JOBX "aicore.0.net.1.1.1.0.done: field endtime" "record 1, offset 0: 'nonsense'" "expects 5" \
        "acl_api.0.gone.7.done: the data file 'data/acl_api.0.gone.7' is missing"
    expect_equal "$(query JOBX 'SELECT count(*) FROM ai_core_task')" 8
}

@test "without info.json times are unknown, cycles and ratios are kept" {
    python 'svp("JOBX"); os.remove("JOBX/info.json.0")'
    damaged JOBX "no aic_frequency for device 0 in info.json" "--freq-mhz"
    grep -q 'N/A' JOBX/summary/op_summary_0.*
    run_msprof export summary -dir JOBX --freq-mhz 600
    expect_status 0
}

@test "an info.json that is not JSON, of wrong types or of 100 MB is told" {
    python 'svp("JOBX")'
    for text in '' '{' '[]' '{"DeviceInfo":{}}' '{"DeviceInfo":[{"aic_frequency":{}}]}' '{"DeviceInfo":[{"id":"x"}]}'; do
        printf '%s' "$text" >JOBX/info.json.0
        rm -rf JOBX/sqlite
        damaged JOBX "info.json.0"
    done
    truncate -s 100M JOBX/info.json.0
    rm -rf JOBX/sqlite
    damaged JOBX "info.json.0: " "at most 1048576 bytes"
}

@test "links out of the capture, dangling ones, loops, pipes and devices are named and not read" {
    python 'svp("JOBX")
os.symlink("/etc/passwd", "JOBX/data/aicore.0.1.2")
os.symlink("nowhere", "JOBX/data/aicore.0.1.3")
os.symlink("aicore.0.1.4", "JOBX/data/aicore.0.1.4")
os.symlink("/dev/zero", "JOBX/data/aicore.0.1.5")
os.mkfifo("JOBX/data/aicore.0.1.6")
os.mkfifo("JOBX/info.json.1")'
    damaged JOBX "data/aicore.0.1.2: a symbolic link" "data/aicore.0.1.3: a symbolic link" "data/aicore.0.1.4: a symbolic link" \
        "data/aicore.0.1.5: a symbolic link" "data/aicore.0.1.6: a device, pipe or socket" "info.json.1: a device, pipe or socket"
    expect_equal "$(query JOBX 'SELECT count(*) FROM ai_core_task')" 8
}

@test "a device in the capture is not read" {
    [ "$(id -u)" -eq 0 ] || skip "only root can make a device"
    python 'svp("JOBX")'
    mknod JOBX/data/aicore.0.1.2 c 1 5 || skip "devices cannot be made here"
    damaged JOBX "data/aicore.0.1.2: a device, pipe or socket"
}

@test "a pipe or a directory in the database's place fails and does not hang" {
    python 'svp("JOBX")'
    mkdir -m 750 JOBX/sqlite
    mkfifo JOBX/sqlite/runtime.db
    run timeout 120 "$MSPROF" show -q -dir JOBX
    [ "$status" -eq 0 ] # it is replaced by a database
    rm JOBX/sqlite/runtime.db
    mkdir JOBX/sqlite/runtime.db
    run_msprof import -dir JOBX
    expect_status 1
    expect_contains "$stderr" "runtime.db"
    expect_no_leftover JOBX
}

@test "a log that is a link is not followed, one on a full disk is told, and the work is done all the same" {
    python 'svp("JOBX")'
    mkdir -m 750 JOBX/log
    ln -s "$PWD/elsewhere" JOBX/log/collection.log
    run_msprof import -dir JOBX
    expect_status 0
    expect_contains "$stderr" "warning: no log is written"
    [ ! -e elsewhere ]
    rm JOBX/log/collection.log
    mkfifo JOBX/log/collection.log
    run timeout 120 "$MSPROF" import --force -q -dir JOBX
    [ "$status" -eq 0 ]
    rm JOBX/log/collection.log
    [ "$(id -u)" -eq 0 ] || return 0
    mknod JOBX/log/collection.log c 1 7 || return 0
    run_msprof import --force -dir JOBX
    expect_status 0
    expect_contains "$stderr" "warning: cannot write more to the log: No space left on device"
}

@test "a capture cannot lead results elsewhere: a result directory that is a link is refused" {
    mkdir elsewhere
    for directory in sqlite timeline summary log; do
        rm -rf JOBX
        python 'svp("JOBX")'
        ln -s "$PWD/elsewhere" "JOBX/$directory"
        case $directory in
        timeline | summary) run_msprof export "$directory" -dir JOBX ;;
        *) run_msprof import -dir JOBX ;;
        esac
        if [ "$directory" = log ]; then
            expect_status 0
            expect_contains "$stderr" "warning: no log is written"
        else
            expect_status 1
            expect_contains "$stderr" "JOBX/$directory' is a symbolic link; expected a directory of results"
            expect_contains "$stderr" "--output DIR"
        fi
        [ -z "$(ls elsewhere)" ]
    done
    run_msprof export summary -dir JOBX --output results
    expect_status 0
}

@test "a report on /dev/full fails and names its file" {
    [ "$(id -u)" -eq 0 ] || skip "only root can make a device"
    python 'svp("JOBX")'
    mkdir -m 750 JOBX/timeline
    mknod JOBX/timeline/task_time_0.net.1.1.json c 1 7 || skip "devices cannot be made here"
    run_msprof export timeline -dir JOBX
    expect_status 1
    expect_contains "$stderr" "task_time_0.net.1.1.json': No space left on device"
    expect_no_leftover JOBX
}

@test "a database that was cut off is made anew" {
    python 'svp("JOBX")'
    run_msprof import -dir JOBX
    expect_status 0
    truncate -s -1 JOBX/sqlite/runtime.db
    run_msprof export summary -dir JOBX
    expect_status 0
    expect_contains "$stderr" "importing"
}

@test "files that cannot be read are named, the others decoded" {
    python 'svp("JOBX")'
    chmod 000 JOBX/data/acl_api.0.net.1
    run_msprof_unprivileged import -dir JOBX
    expect_status 3
    expect_contains "$stderr" "error: data/acl_api.0.net.1: Permission denied; expected a readable file; make it readable"
    expect_equal "$(query JOBX 'SELECT count(*) FROM ai_core_task')" 8
    chmod 000 JOBX/data
    run_msprof_unprivileged import -dir JOBX
    chmod 750 JOBX/data
    expect_status 1
    expect_contains "$stderr" "ermission denied"
}

@test "a layout that lies about the records costs its file and nothing else" {
    python 'svp("JOBX")'
    printf 'kind svp_pmu\nlayout lie\nsize 65536\ncolumn total_cycle offset 65528 width 8\n' >large.layout
    printf 'kind svp_pmu\nlayout lie\nsize 1\ncolumn total_cycle offset 0 width 1 scale 9223372036854775807\n' >small.layout
    printf 'kind svp_pmu\nlayout lie\nsize 128\nmagic offset 124 width 4 value 0\ncolumn model_id offset 0 width 8 signed\ncolumn task_id offset 16 width 8 signed\ncolumn total_cycle offset 0 width 8\n' >signs.layout
    for layout in large small signs; do
        for what in timeline summary; do
            run_msprof export "$what" -dir JOBX --layout "$layout.layout"
            [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
        done
    done
    expect_no_leftover JOBX
}

@test "a full disk is told as that, and no half file is left" {
    [ "$(id -u)" -eq 0 ] || skip "only root can mount a small file system"
    python 'job = svp("JOBX", tasks=40, pics=200)'
    mkdir small
    mount -t tmpfs -o size=256k tmpfs small || skip "tmpfs cannot be mounted here"
    run_msprof import -dir JOBX --output small
    found=$(find small -type f ! -path 'small/log/*')
    umount small
    expect_status 1
    expect_contains "$stderr" "the disk is full"
    expect_contains "$stderr" "try:"
    expect_equal "$found" ""
}

@test "a disk that fills up during an export leaves whole files only" {
    [ "$(id -u)" -eq 0 ] || skip "only root can mount a small file system"
    python 'job = svp("JOBX", tasks=40, pics=200)'
    mkdir small
    mount -t tmpfs -o size=4m tmpfs small || skip "tmpfs cannot be mounted here"
    run_msprof export timeline -dir JOBX --output small
    umount small
    [ "$status" -eq 1 ]
    expect_contains "$stderr" "No space left on device"
    mount -t tmpfs -o size=4500k tmpfs small
    run_msprof export summary -dir JOBX --output small
    for file in small/summary/*; do
        [ ! -s "$file" ] || tail -c 1 "$file" | grep -q '^$' || broken=$file
    done
    expect_no_leftover small || broken=leftover
    umount small
    expect_equal "${broken:-}" ""
    [ "$status" -eq 1 ] || [ "$status" -eq 0 ]
}

@test "an interrupt in the middle of a large import leaves the old database and no temporary" {
    python 'svp("JOBX")'
    run_msprof import -dir JOBX
    expect_status 0
    before=$(sha256sum <JOBX/sqlite/runtime.db)
    python 'with open("JOBX/data/aicore.0.1.1", "wb") as file:
    block = b"".join(pmu(i % 50, 600, pic=i // 50) for i in range(10000))
    for _ in range(300):
        file.write(block)'
    for delay in 0 0.2 0.5; do
        run_interrupted INT "$delay" "$MSPROF" import -q -dir JOBX 2>errors
        output='' stderr=$(<errors)
        expect_status 130
        expect_equal "$(sha256sum <JOBX/sqlite/runtime.db)" "$before"
        expect_no_leftover JOBX
    done
}

@test "a database with an endless view that is planted in a capture is built anew, and export ends" {
    needs sqlite3
    copy_capture JOBX
    run_msprof import -q -dir JOBX
    sqlite3 JOBX/sqlite/runtime.db "DROP TABLE ai_cpu_task; CREATE VIEW ai_cpu_task AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS id, 1 AS file_id, 1 AS stream_id, 1 AS task_id, i AS start_ns, 1 AS duration_ns FROM n"
    run timeout 120 "$MSPROF" export summary -dir JOBX
    [ "$status" -eq 0 ]
    [ "$(sqlite3 JOBX/sqlite/runtime.db "SELECT type FROM sqlite_schema WHERE name = 'ai_cpu_task'")" = table ]
}

@test "a database in UTF-16 that is planted in a capture is built anew, and its reports are those of the capture" {
    needs sqlite3
    copy_capture JOBX
    run_msprof export summary -q -dir JOBX
    mv JOBX/sqlite/runtime.db ours.db
    mv JOBX/summary before
    for encoding in UTF-16le UTF-16be; do
        # all of ours word for word, but for a number that the reports show and the width of letters
        rm -rf JOBX/sqlite/runtime.db JOBX/summary
        {
            echo "PRAGMA encoding = '$encoding'; PRAGMA page_size = $(sqlite3 ours.db 'PRAGMA page_size');"
            sqlite3 ours.db .dump
            sqlite3 ours.db "SELECT printf('PRAGMA user_version = %d; PRAGMA application_id = %d;', user_version, application_id)
                FROM pragma_user_version, pragma_application_id"
            echo "UPDATE acl_call SET end_ns = start_ns;"
        } | sqlite3 -bail JOBX/sqlite/runtime.db
        expect_equal "$(sqlite3 JOBX/sqlite/runtime.db 'PRAGMA encoding')" "$encoding"
        run_msprof export summary -dir JOBX
        expect_status 0
        expect_contains "$stderr" "out of date"
        expect_equal "$(sqlite3 JOBX/sqlite/runtime.db 'PRAGMA encoding')" UTF-8
        diff -r before JOBX/summary
    done
}

@test "names in a database that is planted in a capture move no cursor and break no cell, whatever the table and its format" {
    needs sqlite3
    copy_family prof-910b PROF_1
    "$MSPROF" import -q -dir PROF_1
    sqlite3 PROF_1/sqlite/runtime.db "UPDATE name SET text = CAST(x'6f701b5b324a077fffc3c29b2c22' AS TEXT) || id"
    printf 'report names\ncolumn Name\nsql\nSELECT text FROM name\n' >names.report
    run_msprof export summary -q -dir PROF_1 --report-file names.report
    expect_status 0
    mv PROF_1/mindstudio_profiler_output csv
    run_msprof export summary -q -dir PROF_1 --spreadsheet-safe --report-file names.report
    expect_status 0
    mv PROF_1/mindstudio_profiler_output spreadsheet
    for format in csv markdown json table; do
        "$MSPROF" show -q PROF_1 --table ops --format "$format" >"shown.$format"
        "$MSPROF" show -q PROF_1 --table names --report-file names.report --format "$format" >"names.$format"
    done
    python3 - <<'END'
import glob
paths = [path for name in ("csv", "spreadsheet") for path in glob.glob(name + "/**/*.csv", recursive=True)]
paths += glob.glob("shown.*") + glob.glob("names.*")
named = 0
for path in paths:
    text = open(path, "rb").read().decode()  # fails at what is no UTF-8
    found = {c for c in text if (c < " " and c not in "\t\n") or "\x7f" <= c <= "\x9f"}
    assert not found, (path, found)
    named += "op\N{REPLACEMENT CHARACTER}[2J" in text
assert named >= 10, (named, paths) # of CSV, Markdown
END
}

@test "counters of a board are held against the .done files of their inferences together: cut between records, or gone, is lost data" {
    copy_capture JOBCUT
    copy_capture JOBGONE
    truncate -s 15360 JOBCUT/data/aicore.0.1.1
    run_msprof import -dir JOBCUT
    expect_status 3
    expect_equal "$(head -n 1 <<<"$stderr")" \
        "msprof: warning: data/aicore.0.1.1: field filesize: 15360 bytes; the .done files of its 4 inferences expect 30720 together; copy it again from the board"
    run_msprof export summary -dir JOBCUT --strict
    expect_status 1
    rm JOBGONE/data/aicore.0.1.1
    run_msprof import -dir JOBGONE
    expect_status 3
    expect_contains "$stderr" "the file of the device's counters is missing; the .done files of 4 inferences expect 30720 bytes"
    # two inputs of two batches with two models each: only the file that was cut is named
    cp -r "$repository"/testdata/small/JOB* JOBSMALL
    chmod -R u+w JOBSMALL
    truncate -s 4608 JOBSMALL/data/aicore.0.4.2
    run_msprof import -dir JOBSMALL
    expect_status 3
    expect_equal "$(grep -c "file-size\|expect .* together" <<<"$stderr")" 1
    expect_contains "$stderr" "data/aicore.0.4.2: field filesize: 4608 bytes; the .done files of its 4 inferences expect 6144 together"
    # bytes that are not decoded are held against theirs, too
    printf 'filesize:100\n' >JOBSMALL/data/unknown.0.done
    head -c 50 /dev/zero >JOBSMALL/data/unknown.0
    run_msprof import -dir JOBSMALL
    expect_contains "$stderr" "data/unknown.0: field filesize: 50 bytes; the .done file expects 100"
}
