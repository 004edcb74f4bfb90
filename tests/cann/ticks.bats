#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Lengths of time are ticks of the clock that measured them.
# bats file_tags=once

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

# A shipped capture whose clocks tick at frequencies that real devices have: no tick is a whole number of nanoseconds.
odd_clocks() { # MHz of the host, of the device
    copy_family prof-910b PROF_1
    sed -i "s/\"Frequency\": *\"[0-9.]*\"/\"Frequency\":\"${1:-99.998999}\"/" PROF_1/host/info.json
    sed -i "s/\"hwts_frequency\": *\"[0-9.]*\"/\"hwts_frequency\":\"${2:-49.999001}\"/" PROF_1/device_0/info.json.0
}

@test "lengths and sums of lengths are ticks, rounded once, in tables and in the tool's own timeline" {
    odd_clocks
    run_msprof export summary -dir PROF_1 --stable-names
    expect_status 0
    run_msprof export timeline -dir PROF_1 --stable-names --trace-compat
    expect_status 0
    run_msprof_into overlap.json show PROF_1 --table overlap_analysis --format json
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/lib/lengths.py" PROF_1 PROF_1 overlap.json
}

@test "so they are of clocks whose ticks are shorter than two nanoseconds, and so are the views of the database" {
    local clocks
    for clocks in 998.765432:749.999001 501.000001:998.765432 700.000001:600.000001; do
        rm -rf PROF_1
        odd_clocks "${clocks%:*}" "${clocks#*:}"
        run_msprof export summary -dir PROF_1 --stable-names
        expect_status 0
        run_msprof export timeline -dir PROF_1 --stable-names --trace-compat
        expect_status 0
        run_msprof_into overlap.json show PROF_1 --table overlap_analysis --format json
        python3 "$BATS_TEST_DIRNAME/lib/lengths.py" PROF_1 PROF_1 overlap.json
        run python3 "$BATS_TEST_DIRNAME/lib/tick_sums.py" "$MSPROF" PROF_1
        printf '%s\n' "$output"
        [ "$status" -eq 0 ]
        PYTHONPATH=$BATS_TEST_DIRNAME/lib python3 - PROF_1 <<'END'
import sqlite3, sys
from fractions import Fraction
from raw_ticks import rates, tasks_by_ticks
hz = rates(sys.argv[1])[1]
ticks = tasks_by_ticks(sys.argv[1])
database = sqlite3.connect(sys.argv[1] + '/sqlite/runtime.db')
for view, column, unit in (('device_task_report', 'time_us', 1000), ('task', 'duration_ns', 1)):
    rows = database.execute('SELECT v.%s, t.stream_id, t.task_id, t.duration_ns FROM %s v JOIN device_task t USING (id)' % (column, view))
    different = 0
    for length, stream, task, plain in rows:
        begin, end = ticks[stream, task]
        right = int(Fraction((end - begin) * 10 ** 9, hz) + Fraction(1, 2))
        assert round(length * unit) == right, (view, length, right)
        different += right != plain
    assert different > 10, (view, different)
END
    done
}

@test "slices for viewers end where their times say, so that none reaches into the next" {
    odd_clocks
    run_msprof export timeline -dir PROF_1 --stable-names
    expect_status 0
    python3 - PROF_1/mindstudio_profiler_output/msprof.json <<'END'
import sys
from collections import defaultdict
from timeline import read_timeline
document = read_timeline(sys.argv[1])
threads = defaultdict(list)
for event in document.events:
    if event['ph'] == 'X' and 'Stream' in str(event.get('args')):
        threads[event['pid'], event['tid']].append((float(event['ts']), float(event['dur'])))
assert threads
for slices in threads.values():
    slices.sort()
    assert all(start + length <= after for (start, length), (after, _) in zip(slices, slices[1:]))
END
}

@test "answers and reports of the user have lengths in ticks, too" {
    odd_clocks
    printf '%s\n' 'report lengths' 'title Lengths' 'column Exact number' 'column Sum number' sql \
        'SELECT exact_ns(device_id, duration_ns),' \
        '  ticks_ns(device_id, sum(ticks(device_id, duration_ns)) OVER ()) FROM device_task' >lengths.report
    run_msprof_into own.json show PROF_1 --table lengths --report-file lengths.report --format json
    expect_status 0
    run_msprof_into operators.json show PROF_1 --table ops --format json --top 1000
    expect_status 0
    python3 - own.json operators.json PROF_1/sqlite <<'END'
import glob
import json
import sqlite3
import sys
from fractions import Fraction
own, operators = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:3])
db = sqlite3.connect(glob.glob(sys.argv[3] + '/*.db')[0])
spans = [round(Fraction(ns * 49999001, 10 ** 9)) for ns, in db.execute('SELECT duration_ns FROM device_task')]
exact = [int(Fraction(ticks * 10 ** 9, 49999001) + Fraction(1, 2)) for ticks in spans]
assert sorted(int(row['Exact']) for row in own) == sorted(exact)
total = int(Fraction(sum(spans) * 10 ** 9, 49999001) + Fraction(1, 2))
assert {int(row['Sum']) for row in own} == {total}, (own[0], total)
by_name = {}
for name, ns in db.execute('SELECT n.text, duration_ns FROM device_task t JOIN name n ON n.id = t.op_name_id'):
    by_name.setdefault(name, []).append(round(Fraction(ns * 49999001, 10 ** 9)))
assert len(operators) == len(by_name)
for row in operators:
    for title, ticks in (('Total(us)', sum(by_name[row['Name']])), ('Longest(us)', max(by_name[row['Name']]))):
        right = int(Fraction(ticks * 10 ** 9, 49999001) + Fraction(1, 2))
        assert round(Fraction(str(row[title])) * 1000) == right, (row, title, right)
END
}

@test "each table of answers, and a comparison, adds up ticks and rounds once, and so are medians" {
    local clocks
    for clocks in 98.765432:47.999001 98.765432:38.4; do # the second has times in the middle between two nanoseconds
        rm -rf PROF_1
        odd_clocks "${clocks%:*}" "${clocks#*:}"
        run_msprof import PROF_1
        expect_status 0
        run python3 "$BATS_TEST_DIRNAME/lib/tick_sums.py" "$MSPROF" PROF_1
        printf '%s\n' "$output"
        [ "$status" -eq 0 ]
        [ "${output%% cells*}" -gt 500 ]
    done
}

@test "sums of a communication operator's tasks are of ticks, by RDMA as by SDMA, and what it exposes is" {
    python3 - <<PY
import sys
sys.path.insert(0, "$BATS_TEST_DIRNAME/lib")
from program import *
p = Program('PROF_1')
for step in range(40):
    p.op('a/MatMul', us=31 + step % 7)
    p.communicate(us=45 + step % 11, back=13, rdma=step % 2 == 0)
p.op('b/MatMul', us=31)
p.write()
PY
    sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency":"47.999001"/' PROF_1/device_0/info.json.0
    run_msprof export summary -dir PROF_1 --stable-names
    expect_status 3 # records out of time order
    run_msprof_into communication.json show PROF_1 --table communication --format json
    python3 - PROF_1 communication.json <<'END'
import glob
import json
import sqlite3
import sys
from fractions import Fraction
HZ = 47999001
db = sqlite3.connect(sys.argv[1] + '/sqlite/runtime.db')


def ticks(ns):
    return round(Fraction(ns) * HZ / 10 ** 9)


def shown(value):
    return int(Fraction(value) * 10 ** 9 / HZ + Fraction(1, 2))


# Each operator is one transfer, by SDMA a task, by RDMA all from the payload to what confirms it.
runs = []
for op, name in db.execute('SELECT o.id, n.text FROM communication_op o JOIN name n ON n.id = o.name_id ORDER BY o.id').fetchall():
    tasks = db.execute('SELECT t.start_ns, t.duration_ns FROM communication_task c JOIN device_task t ON t.id = c.task_row_id'
                       ' WHERE c.op_id = ? ORDER BY t.start_ns', (op,)).fetchall()
    assert len(tasks) in (1, 5), tasks
    runs.append((name, ticks(tasks[-1][0] + tasks[-1][1] - tasks[0][0]), tasks[-1][0] + tasks[-1][1] - tasks[0][0], len(tasks)))
assert len(runs) == 40
path = glob.glob(sys.argv[1] + '/mindstudio_profiler_output/communication.json')[0]
total = [value for key, value in json.load(open(path, encoding='utf-8')).items() if 'Total' in key][0]
sides = total['Communication Bandwidth Info']
for medium, count in (('RDMA', 5), ('SDMA', 1)):
    found = round(Fraction(str(sides[medium]['Transit Time(ms)'])) * 10 ** 6)
    assert found == shown(sum(run[1] for run in runs if run[3] == count)), (medium, found)
    assert found != sum(run[2] for run in runs if run[3] == count), 'the clock tells nothing'
times = total['Communication Time Info']
assert round(Fraction(str(times['Transit Time(ms)'])) * 10 ** 6) == shown(sum(run[1] for run in runs))

# Computing as ticks since the first task; each operator's own stretch without it.
computing = [(ticks(a), ticks(a + b)) for a, b in db.execute(
    'SELECT start_ns - (SELECT min(start_ns) FROM device_task), duration_ns FROM device_task WHERE op_name_id IS NOT NULL'
    ' AND op_type_id IS NOT NULL AND collective IS NULL AND id NOT IN (SELECT task_row_id FROM communication_task)')]
assert len(computing) == 41
exposed = lengths = 0
for start, length in db.execute('SELECT start_ns - (SELECT min(start_ns) FROM device_task), duration_ns FROM communication_op'):
    begin, end = ticks(start), ticks(start) + ticks(length)
    lengths += end - begin
    exposed += end - begin - sum(max(0, min(end, b) - max(begin, a)) for a, b in computing)
rows = json.load(open(sys.argv[2], encoding='utf-8'))
for title, value in (('Total(us)', lengths), ('Exposed(us)', exposed)):
    found = sum(Fraction(str(row[title])) for row in rows) * 1000
    assert len(rows) == 1 and found == shown(value), (title, found, shown(value), len(rows))
END
}

@test "a capture of 2020 has lengths in ticks of its counter, in tables and in the view" {
    cp -r "$repository"/testdata/cann/job-910a/JOB* JOB_1
    chmod -R u+w JOB_1
    run_msprof export summary -dir JOB_1 --freq-mhz 47.999 --stable-names
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    run_msprof_into operators.json show JOB_1 --freq-mhz 47.999 --table ops --format json --top 1000
    python3 - JOB_1 operators.json <<'END'
import csv
import glob
import json
import sqlite3
import sys
from collections import defaultdict
from fractions import Fraction
db = sqlite3.connect(glob.glob(sys.argv[1] + '/sqlite/*.db')[0])


def shown(ticks):
    return int(Fraction(ticks) * 10 ** 6 / 47999 + Fraction(1, 2))


tasks = db.execute('SELECT t.id, end_tick - start_tick, t.duration_ns, stream_id, task_id, n.text, y.text FROM device_task t'
                   ' JOIN name n ON n.id = op_name_id JOIN name y ON y.id = op_type_id ORDER BY t.id').fetchall()
assert sum(shown(task[1]) != task[2] for task in tasks) > 20
views = dict(db.execute('SELECT id, time_us FROM operator_task'))
types, names, lengths = defaultdict(int), defaultdict(int), defaultdict(list)
for id_, ticks, _, _, _, name, kind in tasks:
    assert round(views[id_] * 1000) == shown(ticks), (id_, views[id_], shown(ticks))
    types[kind] += ticks
    names[name, kind] += ticks
    lengths[name, kind].append(ticks)
with open(glob.glob(sys.argv[1] + '/**/op_summary*.csv', recursive=True)[0], encoding='utf-8') as file:
    rows = list(csv.DictReader(file))
assert [round(Fraction(row['Task Duration(us)']) * 1000) for row in rows] == [shown(task[1]) for task in tasks]
with open(glob.glob(sys.argv[1] + '/**/op_statistic*.csv', recursive=True)[0], encoding='utf-8') as file:
    rows = list(csv.DictReader(file))
assert {row['OP Type']: round(Fraction(row['Total Time(us)']) * 1000) for row in rows} == {
    kind: shown(ticks) for kind, ticks in types.items()}
rows = json.load(open(sys.argv[2], encoding='utf-8'))
assert {(row['Name'], row['Type']): round(Fraction(str(row['Total(us)'])) * 1000) for row in rows} == {
    key: shown(ticks) for key, ticks in names.items()}
for row in rows:
    ordered = sorted(lengths[row['Name'], row['Type']])
    middle = Fraction(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2], 2)
    assert round(Fraction(str(row['Median(us)'])) * 1000) == shown(middle), (row, middle)
END
}

@test "views of the database and bandwidths of the viewers' database are of lengths in ticks" {
    odd_clocks
    run_msprof import PROF_1
    python3 - PROF_1/sqlite/runtime.db <<'END'
import sqlite3
import sys
from fractions import Fraction
capture = sqlite3.connect(sys.argv[1])


def exact(ns, hz):
    return round(Fraction(ns) * hz / 10 ** 9) * Fraction(10 ** 9, hz)


changed = 0
for view, table, hz in (('device_task_report', 'device_task', 49999001), ('communication_report', 'communication_op', 49999001),
                        ('host_call_report', 'host_call', 99998999)):
    rows = capture.execute('SELECT v.time_us, t.duration_ns FROM %s v JOIN %s t USING (id) WHERE duration_ns IS NOT NULL' %
                           (view, table)).fetchall()
    assert rows or table == 'communication_op'
    for us, ns in rows:
        assert round(us * 1000) == int(exact(ns, hz) + Fraction(1, 2)), (view, us, ns)
        changed += round(us * 1000) != ns
assert changed > 10, changed
END
    cp -r "$repository"/testdata/frameworks/run_ascend_ms/PROF_* PROF_2
    chmod -R u+w PROF_2
    sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency":"49.999001"/' PROF_2/device_0/info.json.0
    run_msprof export db -dir PROF_2 --stable-names
    python3 - PROF_2/msprof.db <<'END'
import sqlite3
import sys
from fractions import Fraction
rows = sqlite3.connect(sys.argv[1]).execute(
    'SELECT size, bandwidth, endNs - startNs FROM COMMUNICATION_TASK_INFO JOIN TASK USING (globalTaskId)'
    ' WHERE size > 0 AND bandwidth > 0 AND linkType NOT IN (3, 6)').fetchall()  # by RDMA: of a run of tasks
inexact = 0
for size, bandwidth, ns in rows:
    exact = round(Fraction(ns) * 49999001 / 10 ** 9) * Fraction(10 ** 9, 49999001)
    assert abs(bandwidth - float(size * 10 ** 9 / exact)) <= bandwidth * 1e-12, (size, bandwidth, ns)
    inexact += ns != exact
assert inexact > 5, (inexact, len(rows))
END
}

@test "the critical path, and each event on it, is of whole ticks" {
    python3 - <<PY
import sys
sys.path.insert(0, "$BATS_TEST_DIRNAME/lib")
from program import *
p = Program('PROF_1')
for step in range(30):
    p.begin_step()
    p.op('a/MatMul', us=31 + step % 7, gap=1)
    p.op('a/Add', us=17 + step % 5, gap=2 + step % 3)
    p.op('b/MatMul', us=23, gap=3)
    p.end_step()
p.write()
PY
    sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency":"47.999001"/' PROF_1/device_0/info.json.0
    run_msprof_into path.json show PROF_1 --table path --format json --top 100
    expect_status 0
    run_msprof_into step.json show PROF_1 --table path_step --format json --top 100
    PYTHONPATH="$BATS_TEST_DIRNAME/lib" python3 - PROF_1 path.json step.json <<'END'
import json
import sqlite3
import struct
import sys
from collections import defaultdict
from fractions import Fraction

from raw_ticks import records, tasks_by_ticks
HZ = 47999001
capture = sys.argv[1]
names = dict(((stream, task), name) for stream, task, name in sqlite3.connect(capture + '/sqlite/runtime.db').execute(
    'SELECT stream_id, task_id, n.text FROM device_task t JOIN name n ON n.id = op_name_id'))
marks = [struct.unpack_from('<Q', record, 8)[0] for record in records(capture + '/device_0/data/ts_track.data.0', 40)]
tasks = sorted((first, last, names[key]) for key, (first, last) in tasks_by_ticks(capture).items())
assert len(tasks) == 90 and len(marks) == 60


def shown(ticks):
    return int(Fraction(ticks * 10 ** 9, HZ) + Fraction(1, 2))


def ns(cell):
    return round(Fraction(str(cell)) * 1000)


path, waits, plain, steps = defaultdict(int), defaultdict(int), defaultdict(int), []
for begin, end in zip(marks[::2], marks[1::2]):
    at, rows = begin, []
    for first, last, name in tasks:
        if begin <= first < end:
            path[name] += last - first
            plain[name] += shown(last - marks[0]) - shown(first - marks[0])
            waits[name] += first - at
            rows.append((name, shown(last - first), shown(first - at)))
            at = last
    steps.append(rows)
rows = [row for row in json.load(open(sys.argv[2], encoding='utf-8')) if row['Kind'] == 'device']
assert {row['Name'] for row in rows} == set(path)
for row in rows:
    name = row['Name']
    for title, ticks in (('On path(us)', path[name]), ('Total(us)', path[name]), ('Waits(us)', waits[name])):
        assert ns(row[title]) == shown(ticks), (name, title, row[title], shown(ticks))
assert any(shown(path[name]) != plain[name] for name in path), 'the clock tells nothing'
rows = [row for row in json.load(open(sys.argv[3], encoding='utf-8')) if row['Kind'] == 'device']
assert [(row['Name'], ns(row['Time(us)']), ns(row['Wait(us)'])) for row in rows] in steps, rows
END
}
