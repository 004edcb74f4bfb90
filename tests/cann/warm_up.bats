#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Records of warm-up: host and device record before the collection starts. Records that ended before it are in no report.

# shellcheck disable=SC2154 # run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3 sqlite3
}

# Ten operators of 2 us, each 10 us behind the one before; the collection starts at 55 us, inside of the fifth, and when six
# were launched. Each is a collective where that is asked for.
operators() { # 0 or 1: collectives
    cat <<END
p.warm_up = 55000
for i in range(10):
    at = 10000 * i
    if $1:
        p.call(NODE, LAUNCH, at, at + 100, item=p.hash('hcom_allReduce_'))
        p.collective(at + 10, 'group0123456')
        p.call(COMMUNICATION, MASTER, at + 20, at + 90, item=p.hash('Memcpy'))
        p.transfer(at + 30, 'Memcpy', 'group0123456', 0, size=1000)
        p.call(RUNTIME, 1, at + 40, at + 80)
        p.track(at + 60, 1, i, task_type='MEMCPY_ASYNC')
    else:
        p.launch(at, 1, i, 'op%d' % i)
    p.ran(at + 13000, at + (16000 if i == 4 else 15000), 1, i)
END
}

# The slices of the timeline that are over before it starts.
too_early() {
    python3 - PROF_1/mindstudio_profiler_output/msprof.json <<'END'
import sys
from timeline import read_timeline
events = read_timeline(sys.argv[1]).events
slices = [e for e in events if e.get('ph') == 'X']
assert slices
print(sum(float(e['ts']) + float(e['dur']) < 0 for e in slices))
END
}

@test "what ended before the collection started is in no table, timeline or answer, and import counts it" {
    capture < <(operators 0)
    # operators 0 to 3 end at 15 to 45 us; of each launch there are two calls
    expect_contains "$stderr" "16 records of warm-up, which ended before the collection started"
    expect_sql "SELECT (SELECT count(*) FROM device_task), (SELECT count(*) FROM host_call)" "10|20"
    run_msprof export summary PROF_1 --stable-names
    expect_equal "$(grep -o 'op[0-9]' PROF_1/mindstudio_profiler_output/op_summary.csv | sort -u | tr '\n' ' ')" "op4 op5 op6 op7 op8 op9 "
    run_msprof show PROF_1 --table ops --format csv
    expect_equal "$(grep -c 'op[0-9]' <<<"$output")" 6
    run_msprof export timeline PROF_1 --stable-names
    expect_equal "$(too_early)" 0
    run_msprof export summary PROF_1 --stable-names --with-warm-up
    expect_equal "$(grep -o 'op[0-9]' PROF_1/mindstudio_profiler_output/op_summary.csv | sort -u | wc -l)" 10
    [[ $stderr != *importing* ]]
    run_msprof export db PROF_1 --stable-names
    expect_status 0
    expect_equal "$(sqlite3 PROF_1/msprof.db "SELECT count(*) FROM TASK")" 6
}

@test "collectives that began before the collection started are in no report, and numbers count from the first behind it" {
    capture < <(operators 1)
    expect_sql "SELECT count(*) FROM communication_op" 10
    run_msprof export timeline PROF_1 --stable-names
    expect_equal "$(grep -oE 'hcom_allReduce__[0-9]+_[0-9]+_[0-9]+[_a-z]*' PROF_1/mindstudio_profiler_output/msprof.json |
        sort -u | sed 's/__[0-9]*//' | tr '\n' ' ')" \
        "hcom_allReduce_0_1 hcom_allReduce_1_1 hcom_allReduce_2_1 hcom_allReduce_3_1 hcom_allReduce_4_1 "
    run_msprof export timeline PROF_1 --stable-names --with-warm-up
    expect_equal "$(grep -oE 'hcom_allReduce__[0-9_]+_warmup' PROF_1/mindstudio_profiler_output/msprof.json | sort -u | wc -l)" 5
    run_msprof export timeline PROF_1 --stable-names
    expect_equal "$(too_early)" 0
}

@test "steps that ended before the collection started are none, and a capture whose clock is wrong has no warm-up" {
    {
        operators 0
        cat <<'END'
for i in range(10):
    p.step(10000 * i + 12500, 60000, 0, index=i)
    p.step(10000 * i + 16500, 60001, 0, index=i)
END
    } >operators.py
    capture <operators.py
    run_msprof show PROF_1 --table overlap --format csv
    expect_equal "$(tail -n +2 <<<"$output" | wc -l)" 6
    # the clocks were read hours later than records say: nothing is taken for warm-up
    sed -i 's/^clock_monotonic_raw: .*/clock_monotonic_raw: 9000000000000/' PROF_1/*/host_start.log*
    run_msprof import PROF_1
    [[ $stderr != *warm-up* ]]
}

@test "a task that the start cuts is in op_summary and task_time, and not in op_statistic, as in Ascend's tool" {
    for warm_up in 55000 14000; do # the second has no task before it
        rm -rf PROF_1
        capture < <(operators 0 | sed "s/^p.warm_up = .*/p.warm_up = $warm_up/")
        run_msprof export summary PROF_1 --stable-names
        expect_status 0
        expected=$((warm_up == 55000 ? 6 : 10))
        for table in op_summary task_time; do
            expect_equal "$(($(wc -l <"PROF_1/mindstudio_profiler_output/$table.csv") - 1))" "$expected"
        done
        expect_equal "$(tail -n 1 PROF_1/mindstudio_profiler_output/op_statistic.csv | cut -d, -f4)" $((expected - 1))
        run_msprof export summary PROF_1 --stable-names --with-warm-up
        expect_equal "$(tail -n 1 PROF_1/mindstudio_profiler_output/op_statistic.csv | cut -d, -f4)" 10
    done
}

@test "no table, timeline or database of a capture with everything has what ended before a start in its middle" {
    local family
    for family in system-910b system-910a; do
        rm -rf PROF_1 out
        copy_family "$family" PROF_1
        python3 - <<'END' >start
import glob, json, os
start = json.load(open('PROF_1/host/start_info', encoding='utf-8'))
late = 1166
for path in glob.glob('PROF_1/*/start_info*'):
    if path.endswith('.done'):
        os.remove(path)
        continue
    info = json.load(open(path, encoding='utf-8'))
    info['collectionTimeBegin'] = str(int(info['collectionTimeBegin']) + late)
    info['clockMonotonicRaw'] = str(int(info['clockMonotonicRaw']) + late * 1000)
    json.dump(info, open(path, 'w', encoding='utf-8'))
print(int(start['collectionTimeBegin']) + late)
END
        for kind in summary timeline db; do
            run_msprof export $kind -dir PROF_1 --stable-names --output out
            expect_status 0
        done
        python3 - "$BATS_TEST_DIRNAME/../lib" "$(<start)" <<'END' >told
import csv, glob, os, sqlite3, sys
sys.path.insert(0, sys.argv[1])
from timeline import read_timeline
start, tables = int(sys.argv[2]), 0
for path in sorted(glob.glob('out/mindstudio_profiler_output/*.csv')):
    rows = list(csv.DictReader(open(path, encoding='utf-8')))
    for column in rows[0]:
        try:
            times = [float(row[column]) for row in rows]
        except ValueError:
            continue
        if min(times) < 1e15:
            continue
        tables += 1
        lengths = [float(row.get('Duration(us)') or row.get('Task Duration(us)') or row.get('task_time(us)') or 0) for row in rows]
        early = [row for row, time, length in zip(rows, times, lengths) if time + length < start]
        assert not early, (path, column, early[0])
events = read_timeline('out/mindstudio_profiler_output/msprof.json').events
early = [event for event in events if 'ts' in event and float(event['ts']) + float(event.get('dur', 0)) < 0]
assert events and not early, early[:3]
database = sqlite3.connect('out/msprof.db')
for table, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
    columns = [row[1] for row in database.execute('PRAGMA table_info(%s)' % table)]
    for column in [name for name in ('endNs', 'timestampNs') if name in columns]:
        tables += 1
        assert not database.execute('SELECT count(*) FROM %s WHERE %s < ?' % (table, column), (start * 1000,)).fetchone()[0], table
print(tables)
END
        [ "$(<told)" -gt 25 ]
    done
}

@test "memory that was given back after the start is in operator_memory though it was got before, and what was over is not" {
    capture <<'END'
p.warm_up = 50000
p.launch(60000, 1, 1, 'op')
p.ran(70000, 71000, 1, 1)
for name, got, given in (('over', 1000, 20000), ('across', 2000, 60000), ('kept', 3000, None), ('after', 61000, 62000)):
    p.memory(got, name, len(name) * 4096, 1024)
    if given:
        p.memory(given, name, len(name) * 4096, -1024)
END
    run_msprof export summary -dir PROF_1 --stable-names
    expect_equal "$(cut -d, -f2 PROF_1/mindstudio_profiler_output/operator_memory.csv | tail -n +2 | sort | paste -sd' ')" "across after kept"
    expect_equal "$(tail -n +2 PROF_1/mindstudio_profiler_output/memory_record.csv | wc -l)" 3
    run_msprof export summary -dir PROF_1 --stable-names --with-warm-up
    expect_equal "$(tail -n +2 PROF_1/mindstudio_profiler_output/operator_memory.csv | wc -l)" 4
}
