#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The page that msprof report writes: each part says what was planted, or what other programs read out of the database.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common
load page

@test "every family of captures has a page, which is one sound file without an address" {
    for capture in "$repository"/testdata/{small,resnet50}/JOB* "$repository"/testdata/cann/*/{PROF,JOB}*; do
        [ -d "$capture" ] || continue
        rm -rf CAPTURE
        cp -R "$capture" CAPTURE
        report CAPTURE
        expect_contains "$(page table 'The capture')" "Name,CAPTURE"
        expect_contains "$(page part c1-losses)" "were rejected"
        grep -o "have no table &#39;[a-z_]*" page.html | sed 's/.*;//' >>absent || true
        "$MSPROF" show -q --table list --all CAPTURE | awk '/^[a-z]/ { print $1 }' >>tables
    done
    expect_equal "$(comm -23 <(sort -u absent) <(sort -u tables))" "" # a part names tables that some family has
}

@test "-o - writes the page to standard output, and no file" {
    copy_capture JOBX
    for format in html markdown; do
        run_msprof -q report JOBX --format $format -o page
        expect_status 0
        run_msprof_into got report JOBX --format $format -o -
        expect_status 0
        cmp page got
        expect_equal "$stderr" ""
    done
    [ ! -e - ]
}

@test "a page is the same bytes each time, and appears whole or not at all" {
    copy_capture JOBX
    report JOBX
    mv page.html first.html
    report JOBX
    cmp page.html first.html
    run_msprof -q report JOBX -o /dev/full
    expect_status 1
    expect_contains "$stderr" "cannot write '/dev/full'"
    run_msprof -q report JOBX -o nowhere/page.html
    [ "$status" -ne 0 ]
    expect_contains "$stderr" "nowhere/page.html"
    run_msprof -q report JOBY -o missing.html
    [ "$status" -ne 0 ]
    [ ! -e missing.html ]
    run_msprof report JOBX
    expect_status 0
    cmp report.html first.html
    expect_equal "$(ls)" $'JOBX\nfirst.html\npage.html\nreport.html'
}

@test "several captures are one page" {
    copy_capture JOBX
    cp -R "$repository"/testdata/small/JOB* JOBY
    report JOBX JOBY
    expect_equal "$(grep -o '<h[12][^>]*>[^<]*' page.html | sed 's/.*>//')" $'2 captures\nJOBX\nJOBY'
    expect_contains "$(page part c2-identity)" "JOBY"
}

@test "of several captures those that can be reported are the page, whichever of them fails: status 1" {
    copy_capture JOBX
    cp -R "$repository"/testdata/small/JOB* JOBY
    cp -R "$repository"/testdata/cann/prof-910b/PROF_* PROF_1 # nobody called svp_acl_mdl_execute
    for captures in "JOBX PROF_1 JOBY" "JOBX JOBY PROF_1"; do
        # shellcheck disable=SC2086 # names without blanks
        run_msprof -q report $captures --step-range svp_acl_mdl_execute -o page.html
        expect_status 1
        expect_contains "$stderr" "cannot report on '$PWD/PROF_1'"
        expect_equal "$(grep -o '<h[12][^>]*>[^<]*' page.html | sed 's/.*>//')" $'3 captures\nJOBX\nJOBY'
        page
        page part c2-identity | grep -q JOBY
        rm page.html
    done
    run_msprof -q report PROF_1 --step-range svp_acl_mdl_execute -o page.html
    expect_status 1
    expect_equal "$(ls -A)" $'JOBX\nJOBY\nPROF_1'
}

@test "of every problem that the import met, and of every record, the page tells the count" {
    cp -R "$repository"/testdata/cann/prof-910b/PROF_* PROF_1
    chmod -R u+w PROF_1
    find PROF_1/ -name '*.slice_*' -size +100c ! -name '*.done' -exec truncate -s -7 {} +
    report PROF_1
    expect_status 3
    python3 - <<PY
import sqlite3, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
db = sqlite3.connect('PROF_1/sqlite/runtime.db')
# examples of one code and file all have the number of all of them
problems = db.execute('SELECT code, sum(n) FROM (SELECT code, file, max(occurrences) AS n FROM diagnostics GROUP BY code, file)'
                      ' GROUP BY code').fetchall()
assert len(problems) > 0
assert sorted((row[1], int(row[2])) for row in told.table('Problems of the data').rows) == sorted(problems), problems
assert 'The import reported %d problem' % sum(n for _, n in problems) in told.parts['c1-losses']
rows = told.table('Records of the files, and where they went').rows
fates = dict(db.execute('SELECT outcome, sum(records) FROM record_count GROUP BY outcome'))
assert sum(int(row[4]) for row in rows) == fates.get('row', 0)
assert sum(int(row[5]) for row in rows) == fates.get('joined', 0)
assert sum(int(row[6]) for row in rows) == fates.get('rejected', 0) > 0
assert all(int(row[3]) == sum(map(int, row[4:7])) for row in rows)
files, size = db.execute('SELECT count(*), sum(size_bytes) FROM source_file').fetchone()
assert (sum(int(row[1]) for row in rows), sum(int(row[2]) for row in rows)) == (files, size)
PY
}

@test "the parts of a step are what was planted, and add up to the steps without a nanosecond lost" {
    program <<'PY'
for step in range(8):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100)
    p.op('a/cast', 'Cast', 20, gap=5, core=VECTOR, stream=3)
    p.op('b/where', 'Where', 30, core=AI_CPU)
    p.op('b/mm', 'MatMul', 200, gap=step)
    p.communicate(us=60, back=20)
    p.copy(us=15)
    p.end_step()
PY
    run_msprof -q show PROF_1 --table overlap --format csv
    python3 - "$BATS_TEST_TMPDIR/stdout" <<PY
import csv, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
ns = lambda text: round(float(text) * 1000)
# one base: from begin to begin, which the last step has not
rows = {row[0]: ns(row[1]) for row in told.table('7 steps: iterations of model 1').rows}
whole = rows.pop('Together')
steps = [ns(row['Period(us)']) for row in csv.DictReader(open(sys.argv[1])) if row['Period(us)'] != 'N/A']
assert len(steps) == 7 and whole == sum(steps), (whole, steps)
assert sum(rows.values()) == whole
free = rows.pop('Free')
assert rows == {'Cube operators': 7 * 300000, 'Vector operators': 7 * 20000, 'AI CPU operators': 7 * 30000,
                'Exposed communication': 7 * 40000, 'Copies': 7 * 15000}, rows
assert free == whole - sum(rows.values()) and abs(free - 1000 * (7 * 5 + sum(range(7)))) < 7 * 100, free
PY
    expect_equal "$(page table 'The capture')" 'Name,PROF_1
Family,CANN
Chip,5
Clock,1000.000 MHz
Rated frequency,1000.000 MHz
Cores,"8, and 16 for vectors"
Metrics,PipeUtilization
Devices,1
Executions,48 of 6 operators
Steps,8 (iterations)'
    # of the steps by themselves: 390 + 5 + 0..7 us, and the ticks of the marks
    expect_contains "$(page exact c1-summary)" "us; when they communicated and did not compute"
    run_msprof -q show PROF_1 --table steps --format csv --columns median
    expect_contains "$(page exact c1-summary | tr -d '\n')" "Step time$(printf '%.3f' "$(tail -1 <<<"$output")") us"
}

@test "the frequency of the cores is that of each task's time, told as show tells it" {
    program <<'PY'
one = p.op('a/fast', 'MatMul', 100)
p.at += 50000
two = p.op('b/slow', 'MatMul', 300)
p.prof.frequency([(one[0] - 1000, 1000), (one[1] + 20000, 500)])  # the clock is of 1000 MHz
PY
    same_table PROF_1 frequency 'Frequencies of the AI cores'
    python3 - <<'PY'
import csv
rows = list(csv.DictReader(open('told')))
told = {row['Frequency(MHz)']: (float(row['Time(us)']), float(row['Share(%)']), int(row['Tasks'])) for row in rows}
assert told == {'1000': (100, 25, 1), '500': (300, 75, 1)}, told
assert all(float(row['Mean(MHz)']) == (100 * 1000 + 300 * 500) / 400 for row in rows), rows
PY
}

@test "steps are bars as long as they took, the first ones warm-up, with a line at the median" {
    program <<'PY'
planted = open('planted', 'w')
for step in range(12):
    p.begin_step()
    begin = p.at
    p.op('a/conv', 'Conv2D', 500 + step if step < 2 else 100 + step)
    p.op('a/cast', 'Cast', 20, gap=5, core=VECTOR)
    planted.write('%d %d\n' % (begin, p.at))
    p.end_step()
    p.at += 10000
planted.close()
PY
    python3 - <<PY
import statistics, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
planted = [tuple(map(int, line.split())) for line in open('planted')]
ns = lambda text: round(float(text) * 1000)
rows = told.table('Steps one by one: iterations of model 1').rows
assert [ns(row[2]) for row in rows] == [end - begin for begin, end in planted], rows
periods = [b[0] - a[0] for a, b in zip(planted, planted[1:])]
assert [ns(row[3]) for row in rows[:-1]] == periods and rows[-1][3] == 'N/A'
assert [row[5] for row in rows] == ['warm-up'] * 2 + [''] * 10
stretches = periods + [planted[-1][1] - planted[-1][0]]
heights = {}
for part, tag, attrs in told.shapes:
    if part == 'c1-steps' and tag == 'rect':
        heights[attrs['x']] = heights.get(attrs['x'], 0) + float(attrs['height'])
assert len(heights) == 12
for height, stretch in zip(heights.values(), stretches):
    assert abs(height - 180 * stretch / max(stretches)) < 0.05, (height, stretch)
line = [attrs for part, tag, attrs in told.shapes if part == 'c1-steps' and attrs.get('class') == 'median']
assert len(line) == 1 and abs(float(line[0]['y1']) - 180 * (1 - statistics.median(periods[2:]) / max(stretches))) < 0.02
PY
}

@test "utilisation over time is what was planted, and its integral the busy time" {
    program <<'PY'
planted = open('planted', 'w')
tell = lambda times: planted.write('%d %d\n' % times)
for step in range(40):
    p.begin_step()
    tell(p.op('a/conv', 'Conv2D', 100 + step))
    tell(p.op('a/cast', 'Cast', 20, gap=5 + 3 * step, core=VECTOR, stream=3))
    tell(p.op('b/mm', 'MatMul', 200, gap=step))
    tell(p.communicate(us=60, back=20))
    begin = p.at
    p.copy(us=15)
    tell((begin, p.at))
    p.end_step()
planted.close()
PY
    run_msprof -q show PROF_1 --table summary --format csv
    python3 - "$BATS_TEST_TMPDIR/stdout" <<PY
import re, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
busy, at = 0, 0
spans = sorted(tuple(map(int, line.split())) for line in open('planted'))
union = []
for begin, end in spans:
    if union and begin <= union[-1][1]:
        union[-1][1] = max(union[-1][1], end)
    else:
        union.append([begin, end])
ns = lambda text: int(text.replace('.', ''))  # three digits behind the point
*rows, together = told.table('Device 0 over time').rows
base = ns(rows[0][0]) - union[0][0]  # the program counts from its begin
assert len(rows) == 50 and ns(rows[-1][1]) - base == union[-1][1]
assert all(a[1] == b[0] for a, b in zip(rows, rows[1:]))
for begin, end, time, _ in rows:
    begin, end = ns(begin) - base, ns(end) - base
    assert ns(time) == sum(max(0, min(b, end) - max(a, begin)) for a, b in union), (begin, end, time)
assert ns(together[2]) == sum(b - a for a, b in union)
assert float(re.search(r'Busy,"?[0-9.]+ % .([0-9.]+) us', open(sys.argv[1]).read()).group(1)) == float(together[2])
# the first area is all that is busy: its integral is the busy time, and so is that of the lanes of all parts together
area, *lanes = [attrs['d'] for part, tag, attrs in told.shapes if part == 'c1-utilisation' and tag == 'path']
steps = re.findall(r'V([0-9.]+)H([0-9.]+)', area)
integral, x = 0, 100
for y, until in steps:
    integral += (60 - float(y)) * (float(until) - x)
    x = float(until)
assert 0 < len(steps) <= 2000 and x == 1100
assert abs(integral / 60 / 1000 - sum(b - a for a, b in union) / (union[-1][1] - union[0][0])) < 0.002
of_lanes = 0
for lane in lanes:
    bottom = int(re.match(r'M100 ([0-9]+)', lane).group(1))
    x, high = 100, 0
    for letter, number in re.findall(r'([VH])([0-9.]+)', lane):
        if letter == 'V':
            high = bottom - float(number)
        else:
            of_lanes += high * (float(number) - x)
            x = float(number)
assert len(lanes) == 4 and abs(of_lanes / 24 - integral / 60) < 2, (len(lanes), of_lanes / 24, integral / 60)
PY
}

@test "with --diff each picture has the base beside it, with the numbers of show and diff, or the page says why it has none" {
    local times
    for times in 3 1; do # what is compared is written last: it is three times as slow in two places
        make_program <<PY
for step in range(12):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100)
    p.op('b/norm', 'LayerNorm', 20 * (4 - $times), gap=5, core=VECTOR)
    p.op('c/mm', 'MatMul', 200, gap=30 * (4 - $times))
    p.communicate(us=60, back=15)
    p.end_step()
PY
        [ $times = 1 ] || mv PROF_1 PROF_0
    done
    report PROF_1 --diff PROF_0
    run_msprof -q show PROF_0 --table summary --format csv
    printf '%s\n' "$output" >base.csv
    python3 - <<PY
import re, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
busy = re.search(r'Busy,"?([0-9.]+) %', open('base.csv').read()).group(1)
source = re.sub('<[^>]*>', ' ', told.source)
assert 'In the base: busy %s %%, idle %.2f %%' % (busy, 100 - float(busy)) in source
assert 'how busy the base was on average: %s %%' % busy in source
lines = [float(a['y1']) for part, tag, a in told.shapes if part == 'c1-utilisation' and tag == 'line' and a['class'] == 'base']
assert len(lines) == 1 and abs(lines[0] - 60 * (1 - float(busy) / 100)) < 0.02, (lines, busy)
assert [a for part, tag, a in told.shapes if part == 'c1-steps' and tag == 'line' and a['class'] == 'base']
# what changed, and nothing else: bars as long as a step's time now, and in the base
bars = [(a['class'], float(a['width'])) for part, tag, a in told.shapes if part == 'c1-changes' and tag == 'rect' and 'width' in a and float(a['x'] if 'x' in a else 0) == 270]
assert [kind for kind, _ in bars] == ['cube', 'unrecorded'] * 2, bars
assert abs(bars[0][1] / bars[1][1] - 3) < 0.01 and abs(bars[2][1] / bars[3][1] - 3) < 0.01, bars
assert '60.00 us, base 20.00 us' in source and '90.00 us, base 30.00 us' in source
# a step of the base: 5 + 30 us free of 100 + 20 + 200 + 45 us and those
assert 'of which 45.00 us are exposed communication' in source
assert 'of a base only the sums and medians are kept' in source
PY
}

@test "operators by type and by name, and gaps, are the cells of show --format csv" {
    program <<'PY'
for step in range(30):
    p.begin_step()
    p.op('a "quoted", <b>&amp;</b>', 'Conv2D', 100 + step % 7)
    p.op('a/cast', 'Cast', 20, gap=5, core=VECTOR, stream=3)
    p.call('aclrtSynchronizeStream', p.at, p.at + 9000)
    p.op('b/where', 'Where', 30, core=AI_CPU, gap=step)
    p.end_step()
PY
    same_table PROF_1 types 'Types of operators by time'
    same_table PROF_1 ops 'Operators by time'
    expect_contains "$(<told)" '"a ""quoted"", <b>&amp;</b>"'
    same_table PROF_1 gaps 'Gaps by length'
    # the bars are as long as the shares
    python3 - <<PY
import sys
sys.path.insert(0, "$repository/tests/lib")
import page
table = page.Page('page.html').table('Types of operators by time')
for row, styles in zip(table.rows, table.styles):
    assert styles[1] == '--s:%.2f%%' % float(row[1]), (row, styles)
assert abs(sum(float(row[1]) for row in table.rows) - 100) < 0.05
PY
    for capture in "$repository"/testdata/resnet50/JOB* "$repository"/testdata/cann/{2022-310,job-910a,prof-910a}/[JP]*; do
        rm -rf CAPTURE
        cp -R "$capture" CAPTURE
        report CAPTURE
        same_table CAPTURE types 'Types of operators by time'
        same_table CAPTURE ops 'Operators by time'
    done
}

@test "operators by type, shapes and data types are what the database says of their tasks" {
    for capture in "$repository"/testdata/cann/{prof-910b,2022-910a,job-910a}/[JP]*; do
        rm -rf CAPTURE
        cp -R "$capture" CAPTURE
        report CAPTURE
        same_table CAPTURE shapes 'Operators by type, shapes and data types'
        python3 - <<PY
import csv, sqlite3, statistics, collections
db = sqlite3.connect('CAPTURE/sqlite/runtime.db')
groups = collections.defaultdict(list)
for *key, duration in db.execute('SELECT n.text, s.input_shapes, s.input_data_types, s.input_formats, s.output_shapes,'
        ' s.output_data_types, s.output_formats, t.duration_ns FROM device_task t JOIN name n ON n.id = t.op_type_id'
        ' JOIN tensor_set s ON s.id = t.tensor_set_id WHERE t.start_ns IS NOT NULL AND t.duration_ns IS NOT NULL'):
    groups[tuple(key)].append(duration)
rows = list(csv.reader(open('told')))[1:]
assert len(rows) == len(groups) > 5, (len(rows), len(groups))
whole = sum(map(sum, groups.values()))
for share, total, count, median, _, longest, *key in rows:
    durations = groups.pop(tuple(text if text != 'N/A' else None for text in key))
    assert int(count) == len(durations) and round(float(total) * 1000) == sum(durations)
    assert abs(float(median) * 1000 - statistics.median(durations)) <= 1 and round(float(longest) * 1000) == max(durations)
    assert abs(float(share) - 100 * sum(durations) / whole) <= 0.0051
PY
    done
}

@test "launch, queue and kernel add up from the call to the end of its task" {
    program <<'PY'
for step in range(20):
    p.op('a/conv', 'Conv2D', 100)
    p.op('b/where', 'Where', 30 + step, core=AI_CPU)
    if step % 4 == 0:
        p.late()
PY
    for capture in PROF_1 "$repository"/testdata/cann/{prof-910a,2022-310}/PROF*; do
        [ "$capture" = PROF_1 ] || { rm -rf CAPTURE && cp -R "$capture" CAPTURE && capture=CAPTURE && report CAPTURE; }
        same_table "$capture" phases 'Operators by launch, queue and kernel'
        python3 - "$capture" <<'PY'
import collections, csv, sqlite3, statistics, sys
from fractions import Fraction
db = sqlite3.connect(sys.argv[1] + '/sqlite/runtime.db')
calls = {c: (s, s + d) for c, s, d in db.execute('SELECT connection_id, start_ns, duration_ns FROM host_call WHERE launches = 1')}
tasks = collections.defaultdict(list)
for name, kind, connection, start, duration in db.execute(
        'SELECT n.text, k.text, connection_id, start_ns, duration_ns FROM device_task t JOIN name n ON n.id = t.op_name_id'
        ' JOIN name k ON k.id = t.op_type_id'):
    if connection in calls and calls[connection][0] <= start:
        tasks[name, kind].append((calls[connection], start, start + duration))
rows = list(csv.reader(open('told')))[1:]
ns = lambda text: round(float(text) * 1000)
hz, = db.execute('SELECT device_hz FROM capture_part WHERE NOT is_host').fetchone()
def ran(length):  # in whole ticks of the device
    return round(Fraction(length) * hz / 10 ** 9) * Fraction(10 ** 9, hz)
assert len(rows) == len(tasks) > 1, (len(rows), len(tasks))
for share, total, launch, queue, kernel, count, median, longest, kind, name in rows:
    its = tasks[name, kind]
    assert int(count) == len(its)
    kernels = sum(ran(end - start) for _, start, end in its)
    assert ns(total) == int(sum(start - call[0] for call, start, _ in its) + kernels + Fraction(1, 2))
    assert abs(ns(total) - ns(launch) - ns(queue) - ns(kernel)) <= 1  # each is rounded once
    assert ns(kernel) == int(kernels + Fraction(1, 2))
    waits = [max(0, start - call[1]) for call, start, _ in its]
    assert ns(queue) == sum(waits) and ns(longest) == max(waits)
    assert abs(float(median) * 1000 - statistics.median(waits)) <= 1
PY
    done
    expect_contains "$(page part c1-idle)" "Operators by launch, queue and kernel"
}

@test "products of matrices whose work and data are known have the intensity and the throughput that follow" {
    program <<'PY'
def product(name, us, kind, tensors):
    p.op(name, kind, us)
    p.prof.tensors(p.host - 20, name, [(place, 2, data_type, shape) for place, data_type, shape in tensors])
HALF, SINGLE = 1, 0
for step in range(3):
    product('plain', 100, 'MatMul', [(0, HALF, (512, 256)), (0, HALF, (256, 1024)), (1, HALF, (512, 1024))])
    product('turned', 50, 'MatMulV2', [(0, HALF, (256, 512)), (0, HALF, (1024, 256)), (1, SINGLE, (512, 1024))])
    product('batch', 20, 'BatchMatMul', [(0, SINGLE, (4, 64, 32)), (0, SINGLE, (4, 32, 16)), (1, SINGLE, (4, 64, 16))])
    product('disagrees', 30, 'MatMul', [(0, HALF, (512, 250)), (0, HALF, (256, 1024)), (1, HALF, (512, 1024))])
    product('other', 30, 'Conv2D', [(0, HALF, (512, 256)), (0, HALF, (256, 1024)), (1, HALF, (512, 1024))])
PY
    same_table PROF_1 roofline 'Products of matrices by work and data'
    python3 - <<'PY'
import csv
rows = {row[9]: row for row in list(csv.reader(open('told')))[1:]}
assert all(row[7:9] == ['N/A', 'N/A'] for row in rows.values())
assert sorted(rows) == ['BatchMatMul', 'MatMul', 'MatMulV2'], rows
for kind, us, flop, data in (('MatMul', 100, 2 * 512 * 256 * 1024, 2 * (512 * 256 + 256 * 1024 + 512 * 1024)),
                             ('MatMulV2', 50, 2 * 512 * 256 * 1024, 2 * (512 * 256 + 256 * 1024) + 4 * 512 * 1024),
                             ('BatchMatMul', 20, 4 * 2 * 64 * 32 * 16, 4 * 4 * (64 * 32 + 32 * 16 + 64 * 16))):
    total, count, work, kib, intensity, throughput, traffic = map(float, rows[kind][:7])
    for told, planted in ((total, 3 * us), (count, 3), (work, flop / 1e6), (kib, data / 1024), (intensity, flop / data),
                          (throughput, flop / us / 1e3), (traffic, data / us / 1e3)):
        assert abs(told - planted) <= 0.001 + planted * 1e-6, (kind, told, planted)
PY
}

@test "products of matrices in FRACTAL_NZ have the work of their matrices, without padding where a plain format tells it" {
    program <<'PY'
HALF, BYTE, SINGLE, ND, NCHW, NZ, NC1HWC0 = 1, 2, 0, 2, 0, 29, 3
def product(us, kind, *tensors):
    p.op(kind + str(us), kind, us)
    p.prof.tensors(p.host - 20, kind + str(us), [(i == 2, *tensor) for i, tensor in enumerate(tensors)])
for step in range(2):
    product(1, 'MatMul', *[(NZ, HALF, (64, 64, 16, 16))] * 3)
    product(2, 'MatMul', (NZ, HALF, (16, 32, 16, 16)), (NZ, HALF, (64, 16, 16, 16)), (NZ, HALF, (64, 32, 16, 16)))
    product(3, 'MatMulV2', (NZ, HALF, (32, 16, 16, 16)), (NZ, HALF, (16, 64, 16, 16)), (ND, SINGLE, (512, 1024)))
    product(4, 'MatMulV2', (ND, HALF, (7, 100)), (NZ, HALF, (64, 7, 16, 16)), (ND, HALF, (7, 1010)))
    product(5, 'MatMulV2', (ND, HALF, (7, 100)), (ND, HALF, (1010, 100)), (NZ, HALF, (64, 1, 16, 16)))
    product(6, 'MatMulV3', (ND, BYTE, (40, 70)), (NZ, BYTE, (3, 5, 16, 32)), (ND, SINGLE, (40, 90)))
    product(7, 'BatchMatMul', (NZ, HALF, (3, 2, 2, 4, 16, 16)), (NZ, HALF, (2, 2, 16, 16)), (ND, HALF, (3, 2, 60, 30)))
    product(8, 'MatMul', (ND, HALF, (4, 8, 16, 16)), (ND, HALF, (4, 8, 16, 16)), (ND, HALF, (4, 8, 16, 16)))
    product(9, 'MatMul', (NZ, HALF, (4, 8, 16, 16)), (NZ, HALF, (8, 4, 16, 16)), (NZ, HALF, (8, 8, 16, 16)))
    product(11, 'MatMul', (NCHW, HALF, (4, 8, 16, 16)), (ND, HALF, (4, 8, 16, 16)), (ND, HALF, (4, 8, 16, 16)))
    # nothing proves the work of these
    product(21, 'MatMul', (NC1HWC0, HALF, (64, 64)), (ND, HALF, (64, 64)), (ND, HALF, (64, 64)))
    product(22, 'MatMul', (ND, HALF, (64, 64)), (ND, HALF, (64, 64)), (NC1HWC0, HALF, (64, 64)))
    product(23, 'MatMul', (ND, HALF, (7, 112)), (NZ, HALF, (64, 6, 16, 16)), (ND, HALF, (7, 1010)))
    product(24, 'MatMul', (ND, HALF, (7, 100)), (NZ, HALF, (64, 7, 16, 16)), (ND, HALF, (7, 1008)))
    product(25, 'MatMul', (ND, HALF, (20, 30)), (ND, HALF, (30, 20)), (NZ, HALF, (2, 2, 16, 16)))
    product(26, 'MatMul', (NZ, HALF, (64, 64)), (NZ, HALF, (64, 64)), (NZ, HALF, (64, 64)))
PY
    same_table PROF_1 roofline 'Products of matrices by work and data'
    run_msprof -q show PROF_1 --table roofline --format csv
    python3 /dev/fd/9 <<<"$output" 9<<'PY'
import csv, sys
planted = {  # microseconds: M, N, K, matrices, bytes
    1: (1024, 1024, 1024, 1, 2 * 3 * 1024 * 1024),
    2: (512, 1024, 256, 1, 2 * (512 * 256 + 256 * 1024 + 512 * 1024)),
    3: (512, 1024, 256, 1, 2 * (512 * 256 + 256 * 1024) + 4 * 512 * 1024),
    4: (7, 1010, 100, 1, 2 * (7 * 100 + 112 * 1024 + 7 * 1010)),
    5: (7, 1010, 100, 1, 2 * (7 * 100 + 1010 * 100 + 16 * 1024)),
    6: (40, 90, 70, 1, 40 * 70 + 80 * 96 + 4 * 40 * 90),
    7: (60, 30, 32, 6, 2 * (6 * 64 * 32 + 32 * 32 + 6 * 60 * 30)),
    8: (16, 16, 16, 32, 2 * 3 * 32 * 16 * 16),
    9: (128, 128, 64, 1, 2 * (2 * 128 * 64 + 128 * 128)),
    11: (16, 16, 16, 32, 2 * 3 * 32 * 16 * 16),
}
rows = {round(float(row['Total(us)']) / 2): row for row in csv.DictReader(sys.stdin)}
assert sorted(rows) == sorted(planted), sorted(rows)
for us, (m, n, k, batch, data) in planted.items():
    row, flop = rows[us], 2 * m * n * k * batch
    for title, value in (('Count', 2), ('Work(MFLOP)', flop / 1e6), ('Data(KiB)', data / 1024),
                         ('Intensity(FLOP/B)', flop / data), ('Throughput(GFLOP/s)', flop / us / 1e3)):
        assert abs(float(row[title]) - value) <= 0.001 + value * 1e-6, (us, title, row[title], value)
assert abs(float(rows[1]['Work(MFLOP)']) - 2147.484) < 0.001 and abs(float(rows[1]['Intensity(FLOP/B)']) - 341.333) < 0.001
# equal shapes and types in other formats are another product
assert (rows[8]['Input Formats'], rows[8]['Output Formats']) == ('ND;ND', 'ND'), rows[8]
assert rows[11]['Input Formats'] == 'NCHW;ND' and rows[4]['Input Formats'] == 'ND;FRACTAL_NZ'
PY
}

@test "bounds, calls, communication and ranges are the cells of show, and the formulas those of advise" {
    program <<'PY'
for step in range(6):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100, counters=(10, 50, 5, 20, 40, 10), blocks=3)
    p.call('aclrtSynchronizeStream', p.at, p.at + 90000)
    p.op('b/mm', 'MatMul', 140, gap=100, counters=(0, 5, 5, 20, 95, 10))
    p.communicate(us=60, back=20)
    p.end_step()
PY
    same_table PROF_1 bound 'Limits of operators'
    same_table PROF_1 api 'Calls of the host by self time'
    same_table PROF_1 communication 'Communication operators by time'
    expect_contains "$(page part c1-lacking)" "Frequency of the coresTable 'frequency' needs"
    run_msprof advise --list --format json
    expect_equal "$(page table 'Rules of the findings' | tail -n +2)" "$(python3 -c 'import csv, json, sys
csv.writer(sys.stdout, lineterminator="\n").writerows([r["id"], r["formula"], "%g" % r["threshold"]] for r in json.load(sys.stdin)["rules"] if not r["id"].startswith("op-"))' <<<"$output")"
}

@test "a table of the page has 1,000 rows, and tells how many more there are" {
    program <<'PY'
for i in range(1203):
    p.op('op %d' % i, us=20 + i)
PY
    same_table PROF_1 ops 'Operators by time'
    expect_equal "$(wc -l <told)" 1001
    expect_contains "$(page part c1-operators)" "And 203 more, which 'msprof show --table ops' prints."
    # of names that would make it longer than 2 MB fewer; the sum stays
    program <<'PY'
for i in range(3000):
    p.op('%d %s' % (i, 300 * 'long'), kind='T%d%s' % (i, 50 * 'kind'), us=20 + i % 7)
PY
    page table 'Operators by time' >told
    rows=$(($(wc -l <told) - 1))
    expect_contains "$(page part c1-operators)" "And $((3000 - rows)) more, which 'msprof show --table ops' prints."
    [ "$rows" -gt 100 ] && [ "$rows" -lt 1000 ]
}

@test "a page of 100,000 operators is no longer than others and has no more elements than a browser lays out at once" {
    "$(dirname "$(readlink -f "$MSPROF")")/make-capture" --output boards --layers 7000 --inferences 20 >/dev/null
    report boards/JOB*
    python3 - <<PY
import glob, sqlite3, sys
sys.path.insert(0, "$repository/tests/lib")
import page
db = sqlite3.connect(glob.glob('boards/JOB*/sqlite/runtime.db')[0])
operators, names = db.execute("SELECT count(*), (SELECT count(DISTINCT layer_names) FROM layer_group) FROM ai_core_task").fetchone()
assert operators > 100000 and names > 5000, (operators, names)
told = page.Page('page.html')
assert told.elements < 80000, told.elements
# parts that are not in sight wait with their layout until they are
assert 'section{content-visibility:auto;' in told.styles[0]
# a drawing has no more than it has room for, and all parts come in their order
shapes = [part for part, _, _ in told.shapes]
assert max(map(shapes.count, set(shapes))) < 4000
assert [part[3:] for part in told.parts] == ('summary timeline findings time steps utilisation operators limits idle host'
                                             ' layers path identity losses formulas lacking').split()
PY
}

@test "a step whose path changes between streams 3,000 times is drawn in no more pieces than there is room for" {
    program <<'PY'
p.begin_step()
for i in range(3000):
    p.op('%d on the path' % i, us=10, stream=1 + i % 2)
    p.op('beside it', us=4, gap=-8, stream=2 - i % 2)
    p.at += 4000
p.end_step()
PY
    python3 - <<PY
import sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
pieces = [a for part, _, a in told.shapes if part == 'c1-path' and a.get('height') == '18']
assert 500 < len(pieces) <= 2500 and any(a['class'] == 'critical' for a in pieces), len(pieces)
PY
}

@test "findings are those of advise, with links to the rows that they are made of" {
    program <<'PY'
for step in range(10):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100, counters=(10, 50, 5, 20, 40, 10), blocks=3)
    p.op('a/cast', 'Cast', 60, gap=5, core=VECTOR)
    p.op('b/where', 'Where', 230, core=AI_CPU)
    p.call('aclrtSynchronizeStream', p.at, p.at + 90000)
    p.op('b/mm', 'MatMul', 40, gap=100, counters=(0, 5, 5, 20, 95, 10))
    p.end_step()
PY
    run_msprof -q advise PROF_1 --format json
    python3 - "$BATS_TEST_TMPDIR/stdout" <<PY
import json, re, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told, advice = page.Page('page.html'), json.load(open(sys.argv[1]))
text, at = told.exact['c1-findings'], 0
assert len(advice['findings']) >= 4
links = 0
for finding in advice['findings']:
    for wanted in ('%s %s: %s' % (finding['severity'], finding['id'], finding['sentence']),
                   'At stake: %.3f us' % finding['at_stake'], finding['advice']):
        at = text.index(wanted, at)
    if not finding['evidence']:
        continue
    table = told.table('Rows behind %s' % finding['id'])
    assert [(float(r[1]), int(r[3])) for r in table.rows] == [(e['time'], e['count']) for e in finding['evidence']]
    part = told.source[told.source.index('Rows behind %s</caption>' % finding['id']):]
    part = part[:part.index('</table>')]
    for evidence, link in zip(finding['evidence'], re.findall('<a href="#([^"]*)"', part)):
        row = next(row for t in told.tables for row, id in zip(t.rows, t.ids) if id == link)
        if finding['id'] in ('idle', 'gap'):
            assert round(float(row[1]) * 1000) == round(evidence['time'] * 1000), (row, evidence)
        else:
            assert row[0] == evidence['name'], (row, evidence)
        links += 1
for rule in advice['not_checked']:
    assert '%s, because %s' % (rule['id'], rule['reason']) in text
assert links >= 8, links
PY
}

@test "of a capture without anything of a device the page says so" {
    program <<'PY'
p.call('aclrtMalloc', p.at + 1000, p.at + 2000)
PY
    expect_contains "$(page part c1-lacking)" "Where the time goesNo device was recorded"
}

@test "one task, and one step, are a page" {
    program <<'PY'
p.op('alone', us=10)
PY
    expect_contains "$(page table 'Operators by time')" "alone,100,10,1,10,10,10,MatMul"
    expect_contains "$(page part c1-idle)" "Table 'gaps' needs two tasks of one device"
    expect_contains "$(page part c1-lacking)" "StepsNo steps are marked"
    program <<'PY'
p.begin_step()
p.op('alone', us=10)
p.end_step()
PY
    expect_contains "$(page table 'Steps one by one: iterations of model 1')" "10.000,N/A,10.000,"
}

@test "captures without a device or a host, of one task, and of tasks that all overlap have every picture, or say that there is none" {
    local outputs=("export timeline --format pftrace --reports all" "export flame --format svg" "export flame"
        "report -o page.html" "report --format markdown -o page.md" "show --table roofline" "show --table memory_curve"
        "show --table phases" "show --table path" "show --table shapes" "show --table layers")
    make_program <<<"for i in range(4): p.op('a', us=10)"
    cp -r PROF_1 PROF_nodevice
    cp -r PROF_1 PROF_nohost
    rm -r PROF_nodevice/device_0 PROF_nohost/host
    make_program <<<"p.op('alone', us=10)"
    cp -r PROF_1 PROF_one
    make_program <<'PY'
for stream in range(4):
    p.op(f'beside{stream}', us=10, stream=stream)
    p.at -= 10000
PY
    for capture in PROF_nodevice PROF_nohost PROF_one PROF_1; do
        for output in "${outputs[@]}"; do
            # shellcheck disable=SC2086
            run_msprof -q $output -dir "$capture"
            [ "$status" -eq 0 ] || { expect_status 4 && expect_contains "$stderr" "' has no "; }
        done
        [[ $(page part c1-summary) == *device* ]]
    done
}

@test "every inference of a board is a step of the page" {
    copy_capture JOBX
    report JOBX
    python3 - <<PY
import sqlite3, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
db = sqlite3.connect('JOBX/sqlite/runtime.db')
table = [t for t in told.tables if t.caption.startswith('Steps one by one')]
assert sum(len(t.rows) for t in table) == db.execute('SELECT count(*) FROM inference').fetchone()[0] > 1
PY
}

@test "names are texts whatever is in them, and hashes with --redact" {
    program <<'PY'
for name in ('</script><script>alert(1)</script>', ']]>', 'a\u2028b', 'x' * 65536, '" onload="x', "'&lt;", '\u202ereversed'):
    p.op(name, us=100)
PY
    expect_not_contains "$(<page.html)" "<script>alert"
    run_msprof -q report PROF_1 --redact -o page.html
    page
    expect_not_contains "$(<page.html)" PROF_1
    expect_contains "$(page table 'The capture')" "Name,name-$(printf PROF_1 | sha256sum | cut -c 1-10)"
    expect_contains "$(page table 'Operators by time')" "name-$(printf ']]>' | sha256sum | cut -c 1-10)"
    for name in onload alert ']]' xxxx reversed; do
        expect_not_contains "$(page part c1-operators)$(page part c1-findings)$(page part c1-idle)" "$name"
    done
}

@test "with --redact no name of an operator, a layer, a file or a host stands in the page, of every family" {
    for capture in "$repository"/testdata/{small,resnet50}/JOB* "$repository"/testdata/cann/*/{PROF,JOB}* \
        "$repository"/testdata/frameworks/run_ascend_*; do
        [ -d "$capture" ] || continue
        cp -R "$capture" .
        capture=${capture##*/}
        chmod -R u+w "$capture"
        report "$capture" --redact
        expect_not_contains "$(<page.html)" "$capture"
        expect_equal "$(find "$capture" -name runtime.db -exec python3 "$repository/tests/lib/page_names.py" page.html {} +)" ""
        if [ "$capture" = run_ascend_pt ]; then
            report "$capture" --redact --diff "$capture"
            expect_equal "$(find "$capture" -name runtime.db -exec python3 "$repository/tests/lib/page_names.py" page.html {} +)" ""
        fi
        rm -rf "$capture"
    done
}

# A capture of each kind, and a directory of ranks, whose names all begin with a word of letters: plant WORD.
plant() {
    local build
    build=$(dirname "$(readlink -f "$MSPROF")")
    python3 "$repository/tests/lib/planted_names.py" "PROF_$1" "$1"
    python3 "$repository/tests/lib/planted_names.py" "PROF_$1_base" "$1" base
    "$build/make-capture" --output boards --model "$1model" --seed 4 >/dev/null
    mv boards/JOB* "JOB$1"
    sed -i "s/bbox_pred/${1}layer/g; s/res2/$1/g" "JOB$1"/data/*.layer.info
    "$build/make-ranks" --output "$1RUN" --slow-rank 5 --seed 3
    grep -rlE 'hcom_|default_group' "$1RUN" | xargs sed -i "s/hcom_/hcom_$1/g; s/default_group/$1group/g"
    run_msprof -q cluster "$1RUN"
    expect_status 0
}

@test "with --redact nothing that somebody named is in a page or its twin: captures, bases, hosts, models, streams' operators, kernels, ranges, groups" {
    local word=zqjxw captures
    plant $word
    for captures in PROF_$word JOB$word ${word}RUN "PROF_$word --diff PROF_${word}_base" "PROF_$word JOB$word"; do
        for format in html markdown; do
            # shellcheck disable=SC2086
            run_msprof -q report $captures --format $format -o shown
            [ "$status" -eq 0 ] || expect_status 3
            # shellcheck disable=SC2086
            run_msprof -q report $captures --format $format -o hidden --redact
            sed 's/<wbr>//g; s/\\//g' shown | grep -q $word
            expect_equal "$(sed 's/<wbr>//g; s/\\//g' hidden | grep -io ".\{0,60\}$word.\{0,20\}")" ""
        done
    done
    # what was hidden was there: each kind of name
    run_msprof -q report PROF_$word -o page.html
    page
    for part in identity operators host layers communication path memory findings idle limits; do
        expect_contains "$(page part c1-$part)" $word
    done
}

@test "names of markup, of line ends and of 64 KB are texts in every part of a page, its twin, its changes, advice and flames" {
    local word
    printf '</script><script>alert(1)</script><img src=x onerror=alert(1)>' >word_markup
    printf ']]></svg><!--<svg onload="x">&lt;' >word_cdata
    printf 'a\xe2\x80\xa8b\xe2\x80\xa9c|\x60d\x60' >word_lines # U+2028 and U+2029
    printf '%65536s' '' | tr ' ' y >word_long
    "$(dirname "$(readlink -f "$MSPROF")")/make-ranks" --output RANKS --slow-rank 2 --ranks 4 --seed 3
    for word in markup cdata lines long; do
        rm -rf PROF_* RUN
        python3 "$repository/tests/lib/planted_names.py" PROF_1 @word_$word
        python3 "$repository/tests/lib/planted_names.py" PROF_2 @word_$word base
        cp -R RANKS RUN
        python3 - "$word" <<'PY'
import glob, json, sys
word = json.dumps(open('word_' + sys.argv[1]).read())[1:-1]
for path in glob.glob('RUN/**/*.json', recursive=True):
    text = open(path).read()
    open(path, 'w').write(text.replace('hcom_', 'hcom_' + word).replace('default_group', word))
PY
        run_msprof -q cluster RUN
        expect_status 0
        report RUN
        report PROF_1 --diff PROF_2
        run_msprof -q report PROF_1 --diff PROF_2 --format markdown -o page.md
        PYTHONPATH=$repository/tests/lib python3 "$repository/tests/lib/page_twin.py" page.html page.md
        python3 - "$word" <<PY
import sys
sys.path.insert(0, "$repository/tests/lib")
import page
told, word = page.Page('page.html'), open('word_' + sys.argv[1]).read()[:60]
for part in 'operators host layers communication path memory findings idle limits changes'.split():
    assert word in told.parts['c1-' + part], part
PY
        for weight in device host; do
            run_msprof -q export flame PROF_1 --weight $weight
            run_msprof -q export flame PROF_1 --weight $weight --format svg
            [ "$status" -eq 0 ] || expect_status 3
            python3 - "$word" $weight <<'PY'
import sys, xml.etree.ElementTree as tree
root = tree.parse('PROF_1/flame/flame_%s.svg' % sys.argv[2]).getroot()
assert {e.tag.split('}')[1] for e in root.iter()} <= {'svg', 'style', 'title', 'text', 'rect'}
assert not [name for e in root.iter() for name in e.attrib if name.startswith('on')]
assert all(b' ' in line for line in open('PROF_1/flame/flame_%s.collapsed' % sys.argv[2], 'rb'))
PY
        done
        run_msprof -q advise PROF_1 --format html
        mv "$BATS_TEST_TMPDIR/stdout" page.html
        page
        run_msprof -q diff PROF_2 PROF_1 --format html
        mv "$BATS_TEST_TMPDIR/stdout" page.html
        page
    done
}

@test "the Markdown twin of every family's page has its headings, its words and the cells of its tables" {
    for capture in "$repository"/testdata/{small,resnet50}/JOB* "$repository"/testdata/cann/{prof,2022,job}*/[JP]* \
        "$repository"/testdata/frameworks/run_ascend_*; do
        [ -d "$capture" ] || continue
        rm -rf CAPTURE_ascend_x
        cp -R "$capture" "${capture##*/}"
        chmod -R u+w "${capture##*/}"
        run_msprof -q report "${capture##*/}" -o page.html
        run_msprof -q report "${capture##*/}" --format markdown -o page.md
        [ "$status" -eq 0 ] || expect_status 3
        PYTHONPATH=$repository/tests/lib python3 "$repository/tests/lib/page_twin.py" page.html page.md
        rm -rf "${capture##*/}"
    done
}

@test "names in the twin are no markup, and are hashes with --redact" {
    program <<'PY'
for name in ('</td><script>', 'a|b|c', '**bold** _x_ `y`', '[a](b)', '@someone #12', 'back\\slash|', '<!-- -->', 'line'):
    p.op(name, 'T|<', 100)
PY
    run_msprof -q report PROF_1 --format markdown -o page.md
    PYTHONPATH=$repository/tests/lib python3 "$repository/tests/lib/page_twin.py" page.html page.md
    expect_contains "$(cat page.md)" '\</td\>\<script\>'
    expect_contains "$(cat page.md)" '\@someone \#12'
    run_msprof -q report PROF_1 --redact -o page.html
    run_msprof -q report PROF_1 --redact --format markdown -o page.md
    PYTHONPATH=$repository/tests/lib python3 "$repository/tests/lib/page_twin.py" page.html page.md
    [[ $(cat page.md) != *someone* ]]
    run_msprof report PROF_1 --format pdf
    expect_status 2
    run_msprof report PROF_1 --format markdown
    expect_contains "$stderr" "report.md"
    [ -s report.md ]
}

@test "advise --format html is a page with the findings that JSON has, of one capture or several" {
    copy_capture JOBX
    cp -R "$repository"/testdata/small/JOB* JOBY
    run_msprof -q advise JOBX --format json
    mv "$BATS_TEST_TMPDIR/stdout" advice.json
    run_msprof -q advise JOBX --format html
    expect_status 0
    mv "$BATS_TEST_TMPDIR/stdout" page.html
    page
    PYTHONPATH=$repository/tests/lib python3 - <<'PY'
import json, page
told, advice = page.Page('page.html'), json.load(open('advice.json'))
text = told.parts['c1-findings']
assert len(advice['findings']) > 2
at = 0
for finding in advice['findings']:  # in their order
    at = text.index(finding['sentence'] if 'sentence' in finding else finding['text'], at)
for item in advice['not_checked']:
    assert '%s, because %s' % (item['id'], item['reason']) in text
PY
    run_msprof -q advise JOBX --format html --threshold svp-memory-bound:99
    [[ $output != *"svp-memory-bound: Layers"* ]]
    run_msprof -q advise JOBX JOBY --format html
    expect_status 0
    mv "$BATS_TEST_TMPDIR/stdout" page.html
    page
    expect_equal "$(grep -o '<h[12][^>]*>[^<]*' page.html | sed 's/.*>//')" $'2 captures\nJOBX\nJOBY'
    run_msprof -q advise JOBX --format html --fail-on low
    expect_status 6
    run_msprof advise --list --format html
    expect_status 2
}

@test "diff --format html is a page with the rows, the facts and the gates that JSON has" {
    copy_capture JOBX
    cp -R "$repository"/testdata/small/JOB* JOBY
    run_msprof -q diff JOBX JOBY --format json --gate step_time:+3% --gate 'op:*:+1%'
    mv "$BATS_TEST_TMPDIR/stdout" diff.json
    run_msprof -q diff JOBX JOBY --format html --gate step_time:+3% --gate 'op:*:+1%'
    json_status=$status
    mv "$BATS_TEST_TMPDIR/stdout" page.html
    page
    [ "$json_status" -ne 0 ]
    PYTHONPATH=$repository/tests/lib python3 - <<'PY'
import json, page
told, diff = page.Page('page.html'), json.load(open('diff.json'))
rows = told.table("Operators by the change of a step's time").rows
assert len(rows) == len(diff['rows']) > 10, (len(rows), len(diff['rows']))
assert [row[0] for row in rows] == [row['key'] for row in diff['rows']]
assert [row[0] for row in told.table('Gates').rows] == ['step_time', 'op:*']
assert len(told.table('Whether both can be compared').rows) == len(diff['comparability']['checks'])
PY
    run_msprof -q diff JOBX JOBY --format html --by type --top 3
    mv "$BATS_TEST_TMPDIR/stdout" page.html
    page
    expect_contains "$(cat page.html)" "By type: the change of a step"
}

@test "a name may be broken between its words, and in the middle of one only where it is longer than a line" {
    program <<'PY'
p.op('Default/network/layer_3/aclnnMatMulFused_1', 'MatMul', 100)
p.op('x' * 60, 'MatMul', 50)
PY
    expect_contains "$(<page.html)" '<td class="name">Default/<wbr>network/<wbr>layer_<wbr>3/<wbr>aclnnMatMulFused_<wbr>1</td>'
    expect_contains "$(<page.html)" "<td class=\"name long\">$(printf 'x%.0s' {1..60})</td>"
    expect_not_contains "$(<page.html)" '<text><wbr>'
    run_msprof -q report PROF_1 --format markdown -o page.md
    expect_not_contains "$(<page.md)" wbr
}

@test "a page's name that ends in .md makes it Markdown, and one of another kind of document is refused" {
    copy_capture JOBX
    run_msprof -q report JOBX -o page.md
    expect_status 0
    run_msprof -q report JOBX --format markdown -o other
    expect_status 0
    cmp page.md other
    for name in page.pdf page.csv page.json page.xlsx page.docx page.txt; do
        run_msprof -q report JOBX -o "$name"
        expect_status 2
        expect_contains "$stderr" "cannot write '$name': a report is HTML or Markdown"
        expect_contains "$stderr" "try: "
        [ ! -e "$name" ]
    done
}
