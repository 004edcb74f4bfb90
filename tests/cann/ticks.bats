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
odd_clocks() {
    copy_family prof-910b PROF_1
    sed -i 's/"Frequency": *"[0-9.]*"/"Frequency":"99.998999"/' PROF_1/host/info.json
    sed -i 's/"hwts_frequency": *"[0-9.]*"/"hwts_frequency":"49.999001"/' PROF_1/device_0/info.json.0
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
