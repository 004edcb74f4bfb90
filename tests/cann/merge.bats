#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --merge: the captures of one run, one of each device or host, become one timeline and one set of tables.

# shellcheck disable=SC2154 # common.bash sets shared and repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

# make_prof NAME DEVICE HOST [REAL_TIME_LATER_NS [LATER_NS]]: a launched operator on a device, 10 us after the monotonic start.
make_prof() {
    python3 - "$BATS_TEST_DIRNAME/lib" "$@" <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
import prof
from prof import *
name, device, host = sys.argv[2], int(sys.argv[3]), sys.argv[4]
prof.UNIX += int(sys.argv[5]) if len(sys.argv) > 5 else 0
p = Prof(name)
p.devices = {device: {}}
who = {"hostname": host, "hostUid": host + "-uid"}
p.configs = {"host": who, "device_%d" % device: who}
later = int(sys.argv[6]) if len(sys.argv) > 6 else 0
p.launch(later, 2, 1, "op", device=device)
p.ran(10000 + later, 11000 + later + 1000 * device, 2, 1, device=device)
p.write()
END
}

# The cells of a column of a table: column TABLE TITLE
column() {
    python3 - "$1" "$2" <<'END'
import csv, glob, sys
(path,) = glob.glob("out/mindstudio_profiler_output/%s_2*.csv" % sys.argv[1])
print(" ".join(row[sys.argv[2]].strip() for row in csv.DictReader(open(path))))
END
}

@test "devices of one host stand in one table by their numbers, and a process of the timeline each" {
    make_prof PROF_1 0 node
    make_prof PROF_2 1 node
    run_msprof export summary --merge --output out PROF_1 PROF_2
    expect_status 0
    expect_equal "$(column op_summary Device_id)" "0 1"
    expect_equal "$(column op_summary "Task Duration(us)")" "1 2"
    expect_equal "$(column api_statistic Device_id)" "host host host host"
    run_msprof export timeline --merge --output out PROF_1 PROF_2
    expect_status 0
    python3 - <<'END'
import glob
from timeline import read_timeline
(path,) = glob.glob("out/mindstudio_profiler_output/msprof_*.json")
events = read_timeline(path).events
names = {}
for e in events:
    if e["name"] == "process_name":
        assert e["pid"] not in names, "a process has two captures"
        names[e["pid"]] = e["args"]["name"]
assert sorted(names.values()).count("Ascend Hardware") == 2 and sorted(names.values()).count("CANN") == 2, names
arrows = [(e["id"], e["ph"]) for e in events if e["ph"] in "sf"]
assert len(arrows) == 4 and len(set(arrows)) == 4, arrows
labels = {e["args"]["labels"] for e in events if e["name"] == "process_labels"}
assert labels == {"CPU", "NPU 0", "NPU 1"}, labels
END
}

@test "no track of a merged timeline holds slices that overlap in part, also where hosts were recorded weeks apart" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import json, random, sys
sys.path.insert(0, sys.argv[1])
import prof
from prof import *
rng = random.Random(9)
for i, (host, device, later) in enumerate((("one", 0, 0), ("one", 1, 0), ("two", 0, 30 * 86400 * 10**9))):
    prof.UNIX += later
    p = Prof("PROF_%d" % i)
    p.devices = {device: {}}
    who = {"hostname": host, "hostUid": host + "-uid"}
    p.configs = {"host": who, "device_%d" % device: who}
    start, log = 10000, []
    for k in range(300):
        p.launch(500 * k, 2, k, "op%d" % k, device=device)
        length = 20 * rng.randrange(1, 200) # a tick is 20 ns
        log += [(start, 0, k), (start + length, 1, k)]
        # the next begins inside, right behind or later
        start += rng.choice((length // 40 * 20 + 20, length, length, length + 20 * rng.randrange(1, 50)))
    for time, end, k in sorted(log, key=lambda item: item[0]):
        p.log(end, time, 2, k, device=device)
    p.write()
END
    run_msprof export timeline --merge --output out PROF_0 PROF_1 PROF_2
    expect_status 0
    python3 "$repository/tests/lib/timeline.py" check out/mindstudio_profiler_output/msprof_*.json
    expect_equal "$(grep -c '"ph":"X".*"Task Id"' out/mindstudio_profiler_output/msprof_*.json)" 900
    grep -q '"Stream 2 (2)"' out/mindstudio_profiler_output/msprof_*.json
}

@test "clocks of one host are joined by its monotonic clock, whatever real time was told" {
    make_prof PROF_1 0 node
    make_prof PROF_2 1 node 5000000
    run_msprof export summary --merge --output out PROF_1 PROF_2
    expect_status 0
    read -r first second <<<"$(column op_summary "Task Start Time(us)")"
    expect_equal "$first" "$second"
    # by itself the second keeps the time that it was told
    run_msprof export summary --output alone PROF_2
    expect_not_contains "$(cat alone/mindstudio_profiler_output/op_summary_*.csv)" "$first"
}

@test "clocks of two hosts are joined by real time, and equal numbers of devices are named by host" {
    make_prof PROF_1 0 one
    make_prof PROF_2 0 two 5000000
    mkdir run
    mv PROF_1 PROF_2 run
    run_msprof export summary --merge --output out run
    expect_status 0
    expect_equal "$(column op_summary Device_id)" "one:0 two:0"
    expect_equal "$(column api_statistic Device_id)" "one:host one:host two:host two:host"
    read -r first second <<<"$(column op_summary "Task Start Time(us)")"
    expect_equal "$(python3 -c 'import sys; from decimal import Decimal as D; print(D(sys.argv[2]) - D(sys.argv[1]))' \
        "$first" "$second")" "5000.000"
    run_msprof export timeline --merge --output out run
    expect_status 0
    expect_contains "$(cat out/mindstudio_profiler_output/msprof_*.json)" '"NPU 0 of two"'
}

@test "rows of two hosts are named by host where their devices have different numbers, too" {
    make_prof PROF_1 0 one
    make_prof PROF_2 1 two
    run_msprof export summary --merge --output out PROF_1 PROF_2
    expect_status 0
    expect_equal "$(column op_summary Device_id)" "0 1"
    expect_equal "$(column api_statistic Device_id | tr ' ' '\n' | sort | uniq -c | tr -s ' ')" " 2 one:host
 2 two:host"
}

@test "two captures of one device of one host are named by their directories" {
    make_prof PROF_1 0 node
    make_prof PROF_2 0 node 0 5000000
    run_msprof export summary --merge --output out PROF_1 PROF_2
    expect_status 0
    expect_equal "$(column op_summary Device_id)" "PROF_1:0 PROF_2:0"
}

@test "a capture and its copy are one data problem that names both, and count once" {
    make_prof PROF_1 0 node
    make_prof PROF_2 1 node
    cp -r PROF_1 PROF_3
    touch PROF_3/*/data/*
    rm PROF_3/host/data/*task_track*
    for type in summary timeline; do
        run_msprof export $type --merge --output out PROF_3 PROF_1 PROF_2
        expect_status 3
        expect_contains "$stderr" "'$PWD/PROF_3' duplicates '$PWD/PROF_1': "
        expect_equal "$(grep -c "omitted" <<<"$stderr")" 1
    done
    expect_equal "$(column op_summary Device_id)" "0 1"
    cp -r PROF_1 PROF_4
    run_msprof export summary --merge --output strict PROF_1 PROF_4 --strict
    expect_status 1
    expect_contains "$stderr" "'$PWD/PROF_4' duplicates '$PWD/PROF_1'"
    [ ! -e strict/mindstudio_profiler_output ]
}

@test "captures whose files have equal checksums and other bytes are no copies" {
    needs sqlite3
    make_prof PROF_1 0 node
    make_prof PROF_2 0 node 0 5000000
    run_msprof export summary --merge --output out PROF_1 PROF_2
    expect_status 0
    sqlite3 out/PROF_2/sqlite/runtime.db "ATTACH 'out/PROF_1/sqlite/runtime.db' AS other; UPDATE source_file SET xxh128 =
        (SELECT other.xxh128 FROM other.source_file AS other WHERE other.path = source_file.path)"
    expect_equal "$(sqlite3 out/PROF_2/sqlite/runtime.db "ATTACH 'out/PROF_1/sqlite/runtime.db' AS other;
        SELECT count(*) > 2 FROM source_file JOIN other.source_file AS other USING (xxh128)")" 1
    run_msprof export summary --merge --output out PROF_1 PROF_2
    expect_status 0
    expect_equal "$(column op_summary Device_id)" "PROF_1:0 PROF_2:0"
}

@test "a column that one capture lacks is N/A in its rows, and a host may be called with commas and quotes" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import *
for name, host, metrics in (("PROF_1", 'a,"b"', "Memory"), ("PROF_2", "two", "PipeUtilization")):
    p = Prof(name)
    p.configs = {part: {"hostname": host, "hostUid": host} for part in ("host", "device_0")}
    p.samples[0] = {"ai_core_metrics": metrics, "ai_core_profiling_events":
                    PIPES if metrics == "PipeUtilization" else "0x15,0x16,0x31,0x32,0xf,0x10,0x12,0x13"}
    p.launch(0, 2, 1, "op, called \"" + host)
    p.ran(10000, 11000, 2, 1)
    p.pmu(10000, 11000, 2, 1, 1000, [10] * 8)
    p.write()
END
    for i in 1 2; do
        run_msprof export summary -q --output "alone_$i" "PROF_$i"
        expect_status 0
    done
    run_msprof export summary -q --merge --output out PROF_1 PROF_2
    expect_status 0
    python3 - <<'END'
import csv, glob
def rows(directory):
    (path,) = glob.glob(directory + "/mindstudio_profiler_output/op_summary_2*.csv")
    return list(csv.DictReader(open(path)))
one, two, both = rows("alone_1"), rows("alone_2"), rows("out")
own = [column for column in one[0] if column not in two[0]], [column for column in two[0] if column not in one[0]]
assert own[0] and own[1], own
assert list(both[0]) == list(one[0]) + own[1], list(both[0])
for host, alone, other, merged in (('a,"b"', one, own[1], both[:1]), ("two", two, own[0], both[1:])):
    (row,), (merged,) = alone, merged
    row["Device_id"] = host + ":" + row["Device_id"]
    row.update({column: "N/A" for column in other})
    assert merged == row, (merged, row)
END
}

@test "each all-reduce of an iteration keeps its columns, whichever capture has more of them" {
    python3 - "$BATS_TEST_DIRNAME/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import *
for device, reduces in enumerate((((5000, 5500),), ((5000, 5100), (6000, 6200), (6500, 6800)))):
    p = Prof("PROF_%d" % (device + 1))
    p.devices = {device: {}}
    for part in ("host", "device_%d" % device):
        p.configs[part] = {"hostname": "node", "hostUid": "node"}
    p.step(1000, 0, 3, device=device)
    p.step(2000, 2, 3, device=device)
    for i, span in enumerate(reduces):
        for end, time in enumerate(span):
            p.step(time, 10000 + 2 * i + end, 3, device=device)
    p.step(7000, 3, 3, device=device)
    p.step(8000, 4, 3, device=device)
    p.launch(0, 1, 1, "op", device=device)
    p.ran(1000, 2000, 1, 1, device=device)
    p.write()
END
    run_msprof export summary -q --merge --output out PROF_1 PROF_2
    expect_status 0
    expect_equal "$(tr -d '\t' <out/mindstudio_profiler_output/step_trace_*.csv | cut -d, -f1,11-)" "Device_id,\
Reduce Start(us),Reduce Duration(us),Reduce Start(us),Reduce Duration(us),Reduce Start(us),Reduce Duration(us)
0,1700000000000005.000,0.5,N/A,N/A,N/A,N/A
1,1700000000000005.000,0.1,1700000000000006.000,0.2,1700000000000006.500,0.3"
}

@test "a merged export replaces the one before, and leaves nothing else" {
    make_prof PROF_1 0 node
    make_prof PROF_2 1 node
    run_msprof export summary --merge --output out PROF_1 PROF_2
    sleep 1.1 # names have the second
    find out/mindstudio_profiler_output -mindepth 1 -printf '%f\n' | sort | sed 's/_[0-9]*\.csv$//' >before
    run_msprof export summary --merge --output out PROF_1 PROF_2
    expect_status 0
    expect_equal "$(find out/mindstudio_profiler_output -mindepth 1 -printf '%f\n' | sort | sed 's/_[0-9]*\.csv$//')" "$(cat before)"
    expect_not_contains "$(cat before)" .part
}

@test "a merged timeline leaves the one of another format" {
    make_prof PROF_1 0 node
    make_prof PROF_2 1 node
    for format in json pftrace; do
        run_msprof export timeline --merge --output out --format $format PROF_1 PROF_2
        expect_status 0
    done
    expect_equal "$(find out/mindstudio_profiler_output -type f | sed 's/.*\.//' | sort)" $'json\npftrace'
}

@test "what cannot be merged is refused with status 2" {
    make_prof PROF_1 0 node
    copy_capture JOBX
    run_msprof export summary --merge PROF_1
    expect_status 2
    expect_contains "$stderr" "--merge needs --output DIR"
    run_msprof export summary --merge --output out PROF_1
    expect_status 2
    expect_contains "$stderr" "--merge needs several captures, but got 1"
    run_msprof export timeline --merge --output out PROF_1 JOBX
    expect_status 2
    expect_contains "$stderr" "--merge needs captures of CANN since 2023"
    run_msprof export summary --merge --format json --output out PROF_1 JOBX
    expect_status 2
    [ ! -d out/mindstudio_profiler_output ]
}

@test "each table of two captures with samples has the rows of both" {
    [ -d "$shared/data/generated/system-chip5" ] || skip "the shared data are not there"
    cp -r "$shared/data/generated/system-chip5"/PROF_* PROF_1
    cp -r "$shared/data/generated/system-chip1"/PROF_* PROF_2
    chmod -R u+w PROF_1 PROF_2
    sed -i 's/"hostname":"gen"/"hostname":"two"/; s/"hostUid":"[^"]*"/"hostUid":"2"/' PROF_2/*/info.json*
    run_msprof export summary -q --merge --output out PROF_1 PROF_2
    expect_status 0
    for i in 1 2; do
        run_msprof export summary -q --output "alone$i" "PROF_$i"
    done
    python3 - <<'END'
import csv, glob, os, re
from collections import Counter
def tables(directory):
    return {re.sub(r"_\d{14}\.csv", "", os.path.basename(p)): list(csv.reader(open(p)))
            for p in glob.glob(directory + "/mindstudio_profiler_output/*.csv")}
merged, parts = tables("out"), [tables("alone1"), tables("alone2")]
assert set(merged) == set(parts[0]) | set(parts[1]) and len(merged) > 35
for name, (titles, *rows) in merged.items():
    expected = [(row, part[name][0]) for part in parts if name in part for row in part[name][1:]]
    assert len(rows) == len(expected), name
    for row, (other, own) in zip(rows, expected):
        host, first = row[0].split(":")
        assert first == other[0], (name, row[0])
        cells = sorted(zip(titles[1:], row[1:])) # of titles that stand there several times all cells
        missing = Counter(titles) - Counter(own)
        assert cells == sorted([*zip(own[1:], other[1:]), *((title, "N/A") for title in missing.elements())]), (name, row, other)
END
}
