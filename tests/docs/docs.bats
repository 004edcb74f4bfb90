#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/ says what is so: the kind of docs/adding-a-kind.md is all that a new kind with a table needs, and the track of
# docs/adding-a-track.md all that a new layer of the timeline does.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status and output

load ../cli/common
load tree

setup() {
    enter_scratch
}

blocks() { # language, page
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d;p;}" "$repository/docs/$2"
}

# A capture of a device with two samples of fan 0 and one of fan 1.
make_capture() {
    python3 - "$repository/tests/cann/lib" <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
from prof import *
p = Prof("PROF_1")
p.launch(0, 2, 1, "op")
p.ran(10000, 11000, 2, 1)
start = 1700000000000000000
for time, fan, rpm in ((start + 1000, 0, 3000), (start + 2000, 1, 2500), (start + 3000, 0, 3001)):
    p._device(0, "fan", struct.pack("<QHHI", time, fan, 0, rpm), 16)
p.write()
END
}

@test "a new kind with a table and counters is one file of tables and one fixture" {
    needs python3
    enter_tree_copy
    blocks c adding-a-kind.md >parsers/kinds/system/fan.c
    expect_equal "$(grep -cE '^(static )?[a-z].*\) *\{?$' parsers/kinds/system/fan.c)" 0 # no function
    mkdir testdata/kinds/fan
    blocks text adding-a-kind.md >testdata/kinds/fan/speed.hex
    tests=build/release/tests/unit
    make -s -j2 program manual "$tests"/{parsers/test_kinds,options/test_switches,exporters/test_report}
    for test in "$tests"/{parsers/test_kinds,options/test_switches,exporters/test_report}; do
        "$test" >test.log 2>&1 || { cat test.log >&2; return 1; }
    done
    expect_contains "$(<build/release/man/msprof-export.1)" ".It Cm fan
Speed of each fan."
    sed -n '/^and the layers of samples:$/,/^stands for every layer/p' build/release/man/msprof-export.1 | grep -qx '\.Cm fan ,'
    # shellcheck disable=SC2034 # run_msprof runs it
    MSPROF=$PWD/build/msprof
    make_capture
    run_msprof export summary -q -dir PROF_1 --stable-names
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    expect_equal "$(cat PROF_1/mindstudio_profiler_output/fan.csv)" "Device_id,Fan,Slowest(rpm),Mean(rpm)
0,0,3000,3000.5
0,1,2500,2500"
    run_msprof kinds fan
    expect_contains "$output" "Speed of the fans"
    echo '{"sys_io_sampling_freq": 10}' >options.json
    run_msprof options options.json
    expect_contains "$output" "fan"
}

# Copies between host and device on two streams; the third begins while the second runs. Stored in another order.
make_copying_capture() {
    python3 - "$repository/tests/cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import *
p = Prof("PROF_1")
for i, (start, end, stream, direction, size) in enumerate(((40000, 41000, 3, 1, 64), (20000, 26000, 2, 1, 4096),
        (23000, 29000, 2, 1, 100), (50000, 50500, 2, 2, 8), (60000, 60100, 2, 1, 9))):
    p.call(RUNTIME, 3, i * 200, i * 200 + 150)
    p.track(i * 200 + 40, stream, i, task_type="MEMCPY_ASYNC")
    p.copy(i * 200 + 50, size, size, direction)
    p.ran(start, end, stream, i, kind=3)
p.write()
END
}

@test "a new layer of the timeline is one file of 25 lines without a function" {
    needs python3
    enter_tree_copy
    blocks c adding-a-track.md >exporters/timeline/tracks/copies.c
    [ "$(wc -l <exporters/timeline/tracks/copies.c)" -le 25 ]
    expect_equal "$(grep -cE '^(static )?[a-z].*\) *\{?$' exporters/timeline/tracks/copies.c)" 0 # no function
    make -s -j2 program manual
    # shellcheck disable=SC2034 # run_msprof runs it
    MSPROF=$PWD/build/msprof
    make_copying_capture
    echo '{"json_process": {"copies": true, "cann": true, "ascend": true}}' >layers.json
    run_msprof export timeline -q -dir PROF_1 --stable-names --reports layers.json
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    python3 - <<'END'
import sqlite3
from timeline import read_timeline
events = read_timeline("PROF_1/mindstudio_profiler_output/msprof.json").events
db = sqlite3.connect("PROF_1/sqlite/runtime.db")
rows = db.execute("SELECT start_ns, duration_ns, copy_bytes, task_id, connection_id, stream_id FROM device_task"
                  " WHERE copy_direction = 1").fetchall()
process, = (e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "Copies to Devices")
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == process}
slices = [e for e in events if e["ph"] == "X" and e["pid"] == process]
origin = min(s["ts"] for s in slices) - min(r[0] for r in rows) / 1000
drawn = {s["args"]["Task Id"]: s for s in slices}
assert len(slices) == len(drawn) == len(rows) == 4, slices
for start, duration, size, task, connection, stream in rows:
    s = drawn[task]
    assert s["name"] == "to device 0" and s["args"]["Bytes"] == size, s
    assert abs(s["ts"] - origin - start / 1000) < 1 and abs(s["dur"] - duration / 1000) < 0.001, (s, start)
    assert names[s["tid"]].split(" (")[0] == "Stream %d" % stream, (s, names)
    ends = [(e["ph"], e["pid"], e["tid"], e["ts"]) for e in events if e.get("id") == connection and e["ph"] in "sf"]
    assert sorted(e[0] for e in ends) == ["f", "f", "s"] and ("f", process, s["tid"], s["ts"]) in ends, (ends, s)
assert sorted(names.values()) == ["Stream 2", "Stream 2 (2)", "Stream 3"], names
END
    expect_contains "$(<build/release/man/msprof-export.1)" ".It Cm copies
Copies from the host to devices, by stream."
}

# A capture of a device whose second and third task are launched while the first waits.
make_waiting_capture() {
    python3 - "$repository/tests/cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import *
p = Prof("PROF_1")
for i, start in enumerate((20000, 30000, 40000)):
    p.launch(i * 200, 2, i, "op%d" % i)
    p.ran(start, start + 1000, 2, i)
p.write()
END
}

@test "a report and a column of it are one text without C, and what is wrong in it stops the build" {
    needs python3
    enter_tree_copy
    local file=exporters/reports/cann/memory_copies.report
    blocks text adding-a-report.md >$file
    make -s -j2 program manual
    # shellcheck disable=SC2034 # run_msprof runs it
    MSPROF=$PWD/build/msprof
    make_copying_capture
    run_msprof export summary -q -dir PROF_1 --stable-names
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    python3 - <<'END'
import csv, sqlite3
rows = list(csv.DictReader(open("PROF_1/mindstudio_profiler_output/memory_copies.csv")))
db = sqlite3.connect("PROF_1/sqlite/runtime.db")
names = {0: "host to host", 1: "host to device", 2: "device to host", 3: "device to device"}
sums = {}
for direction, size in db.execute("SELECT copy_direction, copy_bytes FROM device_task WHERE copy_bytes IS NOT NULL"):
    count, total = sums.get(names[direction], (0, 0))
    sums[names[direction]] = (count + 1, total + size)
assert len(rows) == len(sums) > 1, rows
for row in rows:
    assert (int(row["Count"]), int(row["Bytes"])) == sums[row["Direction"]], (row, sums)
END
    expect_contains "$(<build/release/man/msprof-export.1)" "Bytes that asynchronous copies moved, by direction."

    # a further column is a further line, and a value of the query
    sed -i -e 's/^sql$/column "Largest(B)" number bytes -- The largest.\nsql/' -e 's/sum(copy_bytes)/&, max(copy_bytes)/' $file
    make -s -j2 program manual
    run_msprof show -dir PROF_1 --table memory_copies --columns largest --format csv
    expect_equal "$output" "Largest(B)
$(sqlite3 PROF_1/sqlite/runtime.db 'SELECT max(copy_bytes) FROM device_task WHERE copy_bytes IS NOT NULL GROUP BY copy_direction')"

    # a column that the schema has not, one too many, and a statement that there is not
    sed -i 's/max(copy_bytes)/max(copied)/' $file
    run make -s -j2 program manual
    [ "$status" -ne 0 ]
    expect_contains "$output" "$file:13:"
    expect_contains "$output" "no such column: copied"
    sed -i 's/, max(copied)//' $file
    run make -s -j2 program manual
    [ "$status" -ne 0 ]
    expect_contains "$output" "the query returns 3 columns, but the report has 4"
    sed -i 's/^narrowed/narrow/' $file
    run make -s -j2 program manual
    [ "$status" -ne 0 ]
    expect_contains "$output" "$file:7:1: expected report"
}

@test "a column of another table is one entry of a report" {
    needs python3
    enter_tree_copy
    local usual=$MSPROF
    blocks c adding-a-report.md | sed -n '/^    {"Launch Time/,/^     \.doc/p' >column
    sed -i '/^    \[AIV\] = COUNTERS("aiv"),$/r column' exporters/reports/cann/op_summary.c
    make -s -j2 program
    # shellcheck disable=SC2034 # run_msprof runs it
    MSPROF=$PWD/build/msprof
    make_waiting_capture
    run_msprof export summary -q -dir PROF_1 --stable-names
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    python3 - <<'END'
import csv
rows = list(csv.DictReader(open("PROF_1/mindstudio_profiler_output/op_summary.csv")))
launched = [row["Launch Time(us)"].strip() for row in rows]
assert launched == ["1700000000000000.000", "1700000000000000.200", "1700000000000000.400"], launched
END
    run_msprof show -dir PROF_1 --table op_summary --columns op_name,launch_time --filter 'op_name=op1'
    expect_contains "$output" "1700000000000000.200"

    # what the frameworks' table takes of it stays what it was
    local kind program
    for kind in ms pt; do
        cp -r "$repository/testdata/frameworks/run_ascend_$kind" .
        chmod -R u+w "run_ascend_$kind"
        for program in "$MSPROF" "$usual"; do
            "$program" analyse -q "run_ascend_$kind" || [ $? -eq 3 ]
            sha256sum <"run_ascend_$kind/ASCEND_PROFILER_OUTPUT/kernel_details.csv" >>sums
        done
    done
    expect_equal "$(wc -l <sums) $(sort -u sums | wc -l)" "4 2"
}

@test "a rule of advise is a constant and its function" {
    needs python3
    enter_tree_copy
    blocks c adding-a-rule.md >features/answers/rules/copies.c
    make -s -j2 program
    # shellcheck disable=SC2034 # run_msprof runs it
    MSPROF=$PWD/build/msprof
    make_copying_capture
    run_msprof advise -q PROF_1 --format json
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    echo "$output" >advice.json
    python3 - <<'END'
import json, sqlite3
finding, = (f for f in json.load(open("advice.json"))["findings"] if f["id"] == "copies")
tasks = sqlite3.connect("PROF_1/sqlite/runtime.db").execute(
    "SELECT start_ns, start_ns + duration_ns FROM device_task WHERE copy_direction IS NOT NULL ORDER BY 1").fetchall()
busy = end = 0
for a, b in tasks: # all tasks of the capture are copies; two of them run beside each other
    busy, end = busy + max(0, b - max(a, end)), max(b, end)
assert len(tasks) == 5 and finding["value"] == 100 and finding["threshold"] == 20, finding
assert abs(finding["at_stake"] - busy / 1000) < 1e-6 and sum(row["count"] for row in finding["evidence"]) == 5, finding
END
    run_msprof advise -q PROF_1 --threshold copies:100
    [[ $output != *"Copies take"* ]]
    run_msprof advise --list
    expect_contains "$output" "time of copies / busy"
}

@test "a command is one file and its page" {
    needs python3
    enter_tree_copy
    blocks c adding-a-command.md >cli/cmd_tasks.c
    sed 's/query/tasks/g' man/msprof-query.1 >man/msprof-tasks.1
    make -s -j2 program build/release/man/msprof.1
    # shellcheck disable=SC2034 # run_msprof runs it
    MSPROF=$PWD/build/msprof
    make_copying_capture
    run_msprof tasks -q PROF_1
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    expect_equal "$output" "device 0: 5 tasks"
    run_msprof tasks
    expect_status 2
    expect_contains "$stderr" "no capture"
    run_msprof help
    expect_contains "$output" "count the tasks that ran on each device"
    run_msprof help --options
    expect_contains "$output" "msprof tasks	--collection-dir"
    run_msprof completion bash
    expect_contains "$output" " tasks "
    expect_contains "$(<build/release/man/msprof.1)" ".It Cm tasks
Count the tasks that ran on each device; see"
}

@test "docs/architecture.md tells of every folder of sources, and of none that is not there" {
    # shellcheck disable=SC2016 # the backticks are those of the page
    grep '^| `' "$repository/docs/architecture.md" | cut -d '|' -f 2 | grep -o '`[a-z_/]*`' | tr -d '`' | sort >told
    (cd "$repository" && find base parsers db exporters features ssh api acl cli -not -path '*/commands/*' \( -name '*.[chS]' -o -name README.md \) \
        -exec dirname {} + | sort -u) >there
    expect_equal "$(<told)" "$(<there)"
}

@test "the test of docs/adding-a-test.md is found by its place, passes, and fails when its sentence is not true" {
    needs python3
    enter_tree_copy
    blocks bash adding-a-test.md >tests/cann/durations.bats
    test=build/${MSPROF_BUILD##*/}/tests/cann/durations.bats
    expect_contains "$(tests/run "$test")" "ok 1 an operator lasts from its start to its end on the device"
    sed -i 's/6500/7000/' tests/cann/durations.bats
    run tests/run "$test"
    [ "$status" -ne 0 ]
}

@test "SECURITY.md and msprof-security(7) say in the same words what is removed and replaced" {
    local rule
    rule=$(grep -A 3 '^msprof removes and replaces' "$repository/SECURITY.md" | tr '\n' ' ' | sed 's/ Anything else.*//')
    expect_contains "$rule" "Nothing at or above an output is removed: a command that would do so ends with status 2 and changes nothing."
    expect_contains "$(sed 's/^\.Nm msprof$/msprof/' "$repository/man/msprof-security.7" | tr '\n' ' ')" "$rule"
}

@test "docs/wrong-number.md walks a cell of op_summary back to the ticks in the file, by the commands that it shows" {
    cp -r "$repository"/testdata/cann/prof-910b/PROF* PROF
    msprof() { "$MSPROF" "$@" 2>>"talk"; }
    eval "$(blocks bash wrong-number.md)" >printed
    expect_equal "$(<printed)" "Stream ID,Task ID,Task Duration(us)
2,1,7.16
duration_ns
7160
device_hz
50000000
path
device_0/data/stars_soc.data.0.slice_0
start 77000051500
end 77000051858"
}
