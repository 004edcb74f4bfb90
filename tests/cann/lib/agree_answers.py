#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the tables of answers of msprof show against plain arithmetic over the database.

usage: agree_answers.py MSPROF CAPTURE

Prints the names of the tables that had rows.
"""
import collections
import csv
import io
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
from fractions import Fraction

msprof, capture = sys.argv[1:3]
db = sqlite3.connect(os.path.join(capture, 'sqlite/runtime.db'))
# the log of tasks of 2020 does not say which of them wait
tells_waits = db.execute("SELECT value FROM meta WHERE key = 'family'").fetchone()[0] != 'ascend-job'
if db.execute("SELECT 1 FROM meta WHERE key = 'warm_up_records' AND CAST(value AS integer) > 0").fetchone():
    # hidden: what ended before the collection started, and communication operators that began before
    for name, end, device in (('device_task', 'start_ns + duration_ns', 'device_id'), ('host_call', 'start_ns + duration_ns', 'NULL'),
                              ('communication_op', 'start_ns', 'device_id')):
        db.execute('CREATE TEMP VIEW %s AS SELECT * FROM main.%s t WHERE %s >= (SELECT p.start_ns FROM main.capture_part p'
                   ' WHERE iif(p.is_host, NULL, p.device_id) IS t.%s)' % (name, name, end, device) if device != 'NULL' else
                   'CREATE TEMP VIEW %s AS SELECT * FROM main.%s t WHERE %s >= (SELECT p.start_ns FROM main.capture_part p'
                   ' WHERE p.is_host)' % (name, name, end))
svp = db.execute('SELECT count(*) FROM ai_core_task').fetchone()[0] > 0
CONVERSIONS = {'TransData', 'Cast', 'Transpose', 'TransposeD', 'Reformat'}
told = []
others = collections.defaultdict(list)  # tasks that are no operators


def table(name):
    done = subprocess.run([msprof, '-q', 'show', capture, '--table', name, '--format', 'csv'], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode in (0, 3, 4), (name, done.returncode, done.stderr)  # 3: of an import that had problems
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert len(rows) == 0 if done.returncode == 4 else len(rows) > 0 or done.returncode == 3, name  # 3 comes first
    if rows:
        told.append(name)
    return rows


def us(text):
    return round(float(text.strip()) * 1000)


def point(text):
    """A point in time, exact: since 1970 it has more digits than a double."""
    whole, _, rest = text.strip().partition('.')
    return int(whole) * 1000 + int(rest.ljust(3, '0'))


def near(a, b, slack=1.0):
    assert abs(a - b) <= slack, (a, b)


class Task:
    """length: as it is, where its clock counts more than nanoseconds tell."""
    def __init__(self, device, stream, start, duration, name, kind, work, length=None):
        self.device, self.stream, self.start, self.duration = device, stream, start, duration
        self.length = exact(device, duration) if length is None else length
        self.end, self.name, self.kind, self.work = start + duration, name, kind, work


def ascend_tasks():
    names = dict(db.execute('SELECT id, text FROM name'))
    for device, stream, start, duration, name, kind, core, size, kind_of_task, collective in db.execute(
            'SELECT device_id, stream_id, start_ns, duration_ns, op_name_id, op_type_id, op_task_type, copy_bytes, type,'
            ' collective FROM device_task WHERE start_ns IS NOT NULL AND duration_ns IS NOT NULL'):
        if collective == 2:  # its communication operator stands for it
            others[device].append((start, start + duration))
        elif name is not None and core not in (3, 9, 11, 12) and core is not None:
            yield Task(device, stream, start, duration, names[name], names.get(kind),
                       'comm' if collective == 1 else 'aicpu' if core == 1 else 'compute')
        elif size is not None and name is None:
            yield Task(device, stream, start, duration, None, 'copy', 'copy')
        elif tells_waits and kind_of_task not in (3, 4, 5):  # a place that is held, an event recorded, an event waited for
            others[device].append((start, start + duration))
    for device, start, duration, name, kind, kernel in db.execute(
            'SELECT device_id, start_ns, duration_ns, name_id, type_id, kernel_row_id FROM communication_op'
            ' WHERE start_ns IS NOT NULL AND duration_ns IS NOT NULL'):
        numbers = (r'(__\d+)(_\d+)+$', r'\1') if kernel is None else (r'(_\d+){3}$', '')
        yield Task(device, -1, start, duration, re.sub(*numbers, names[name]), names.get(kind), 'comm')


def svp_tasks():
    names = {(task, engine): (name, kind) for task, engine, name, kind in
             db.execute('SELECT task_id, engine, layer_names, layer_types FROM layer_group')}
    for device, task, stream, start, duration, cycles, khz in db.execute(
            'SELECT i.device_id, t.task_id, t.stream_id, t.start_ns, t.duration_ns, t.total_cycle, i.core_khz FROM ai_core_task t'
            ' JOIN inference i USING (inference_id)'):
        yield Task(device, stream, start, duration, *names[task, 'AI_CORE'], 'compute',
                   Fraction(cycles * 10 ** 6, khz) if khz else None)
    for device, task, stream, start, duration in db.execute(
            'SELECT f.device_id, t.task_id, t.stream_id, t.start_ns, t.duration_ns FROM ai_cpu_task t'
            ' JOIN source_file f ON f.id = t.file_id'):
        yield Task(device, stream, start, duration, *names[task, 'AI_CPU'], 'aicpu')


def union(spans):
    merged = []
    for start, end in sorted(map(tuple, spans)):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def within(merged, start, end):
    return sum(max(0, min(b, end) - max(a, start)) for a, b in merged)


RATES = {} if svp else {device: hz for device, hz in db.execute(
    'SELECT device_id, device_hz FROM capture_part WHERE NOT is_host AND device_hz > 0') if hz < 500_000_000}


def exact(device, length):
    """A length in whole ticks of the device's clock: times are rounded to nanoseconds."""
    hz = RATES.get(device, 10 ** 9)
    return round(Fraction(length) * hz / 10 ** 9) * Fraction(10 ** 9, hz)


def ticked(device, merged, start, end):
    """Within, of such lengths."""
    return sum(exact(device, min(b, end) - max(a, start)) for a, b in merged if min(b, end) > max(a, start))


def without(spans, holes):
    """The spans without what lies in the holes."""
    left = []
    for start, end in spans:
        for low, high in holes:
            if low < end and high > start:
                if low > start:
                    left.append([start, low])
                start = max(start, high)
        if start < end:
            left.append([start, end])
    return left


# Inferences that follow each other in the numbers of their pictures, of one model, batch and input on one device; and the
# time between others, in which nothing was recorded. A batch may count its pictures.
inferences, dark = {}, collections.defaultdict(list)
periods, lost = {}, set()
if svp:
    lanes = collections.defaultdict(list)
    for device, model, model_id, batch, picture_input, number, start, end in db.execute(
            'SELECT device_id, model_name, model_id, batch_num, input_pic_num, current_pic_count, start_ns, end_ns'
            ' FROM inference'):
        low, high = db.execute(
            'SELECT min(t.start_ns), max(t.start_ns + t.duration_ns) FROM ai_cpu_task t JOIN source_file f'
            ' ON f.id = t.file_id WHERE f.device_id = ? AND f.model_name = ? AND f.model_id = ? AND f.batch_num = ?'
            ' AND f.input_pic_num = ? AND f.current_pic_count = ?',
            (device, model, model_id, batch, picture_input, number)).fetchone()
        lanes[device, model, model_id, batch, picture_input].append(
            (start, number, min(start, low or start), max(end, high or end)))
        inferences.setdefault((device, model, model_id), []).append((start, end))
    # those that run beside others of their model have no period
    overlapping = {key for key, spans in inferences.items()
                   if any(b[0] < a[1] for a, b in zip(sorted(spans), sorted(spans)[1:]))}
    for (device, model, model_id, batch, _), lane in lanes.items():
        numbers = {number for _, number, _, _ in lane}
        unit = batch if len(numbers) > 1 and all((n - min(numbers)) % batch == 0 for n in numbers) else 1
        lane.sort()
        for this, after in zip(lane, lane[1:]):
            low, high = sorted((this[1], after[1]))
            if all(n in numbers for n in range(low, high, unit)):
                if (device, model, model_id) not in overlapping:
                    periods[device, this[0]] = after[0] - this[0]
                continue
            lost.add((device, model_id, batch))
            if after[2] > this[3]:
                dark[device].append((this[3], after[2]))

tasks = sorted(svp_tasks() if svp else ascend_tasks(), key=lambda t: (t.device, t.start))
devices = {t.device for t in tasks}
computing = {d: union((t.start, t.end) for t in tasks if t.device == d and t.work in ('compute', 'aicpu'))
             for d in devices}
copying = {d: union((t.start, t.end) for t in tasks if t.device == d and t.work == 'copy') for d in devices}
communicating = {d: union((t.start, t.end) for t in tasks if t.device == d and t.work == 'comm') for d in devices}
ran = {d: union((t.start, t.end) for t in tasks if t.device == d) for d in devices}
work = {d: union(computing[d] + communicating[d]) for d in devices}
copies_alone = {d: without(copying[d], work[d]) for d in devices}
busy = {d: union(work[d] + copying[d] + others[d]) for d in devices}
dark = {d: without(union(dark[d]), busy[d]) for d in devices}
together = union(span for d in devices for span in ran[d])
idle = without([[a[1], b[0]] for a, b in zip(together, together[1:])],
               union([span for d in devices for span in others[d] + dark[d]]))

# Operators, types and streams add up.
for name in ('ops', 'types', 'streams'):
    near(sum(us(row['Total(us)']) for row in table(name)), sum(t.length for t in tasks), len(tasks))
by_name = collections.defaultdict(list)
for t in tasks:
    by_name[t.name].append(t.length)
for row in table('ops'):
    durations = by_name.get(row['Name'])
    if durations is not None:
        assert int(row['Count']) == len(durations), row
        near(us(row['Total(us)']), sum(durations))
        near(us(row['Median(us)']), statistics.median(durations))
        near(us(row['Longest(us)']), max(durations))
        near(us(row['P95(us)']), sorted(durations)[len(durations) - 1 - len(durations) // 20])

# Gaps are the complement of what is busy.
gaps = table('gaps')
expected = sorted((int(ticked(d, [gap], *gap) + Fraction(1, 2)), gap[0]) for d in devices for a, b in zip(ran[d], ran[d][1:])
                  if within(dark[d], a[1], b[0]) == 0 for gap in without([[a[1], b[0]]], union(others[d])))
assert sorted((us(row['Length(us)']), us(row['Start(us)'])) for row in gaps) == [
    (length, us('%d.%03d' % divmod(start, 1000)))
    for length, start in expected], 'gaps'
lengths = [us(row['Length(us)']) for row in gaps]
assert lengths == sorted(lengths, reverse=True)

# Steps divide; their statistics are those of the parts.
cut = {re.match(r'step (\d+)', row['Value'])[1] for row in table('summary') if row['Item'] == 'Cut'}
overlap = table('overlap')
for row in overlap:
    device = int(row['Device_id'])
    start = point(row['Start(us)'])
    end = start + us(row['Time(us)'])
    if svp:
        expected = periods.get((device, start))
        assert (row['Period(us)'] == 'N/A') == (expected is None), row
        if expected is not None:
            near(us(row['Period(us)']), expected)
    if row['Period(us)'] != 'N/A':
        end = start + us(row['Period(us)'])
    if row['Busy(us)'] == 'N/A':  # nothing ran: only the times of the step are known
        assert within(busy[device], start, end) == 0, row
        assert all(row[part + '(us)'] == 'N/A' for part in ('Computing', 'Communication', 'Exposed', 'Copies', 'Other', 'Free'))
        continue
    near(us(row['Computing(us)']), ticked(device, computing[device], start, end))
    near(us(row['Busy(us)']), ticked(device, busy[device], start, end))
    if row['Free(us)'] != 'N/A':
        near(us(row['Free(us)']), ticked(device, [[start, end]], start, end) - ticked(device, busy[device], start, end) - ticked(device, dark[device], start, end))
    # Nothing is known where no operator of the device was recorded any more, or not yet, nor of a step that was cut.
    unknown = svp and row['Period(us)'] == 'N/A' or row['Step'] in cut or not ran[device] or (
        start + us(row['Time(us)']) <= ran[device][0][0] or start > ran[device][-1][1])
    assert (row['Free(us)'] == 'N/A') == unknown, row
    near(us(row['Communication(us)']), ticked(device, communicating[device], start, end))
    near(us(row['Exposed(us)']), ticked(device, union(communicating[device] + computing[device]), start, end) -
         ticked(device, computing[device], start, end))
    near(us(row['Copies(us)']), ticked(device, copies_alone[device], start, end))
    # one base, and nothing twice: the parts are the whole
    if row['Free(us)'] != 'N/A':
        near(sum(us(row[part]) for part in ('Computing(us)', 'Exposed(us)', 'Copies(us)', 'Other(us)', 'Free(us)')) +
             within(dark[device], start, end), end - start, 3)

# Begin to begin: of steps of one family and model the next one's begin, where the numbers follow each other.
for i, row in enumerate(overlap):
    after = [r for r in overlap[i + 1:] if all(r[k] == row[k] for k in ('Device_id', 'Source', 'Model_id'))]
    if svp or row['Source'] == 'none' or not after:
        continue
    follows = int(after[0]['Number']) == int(row['Number']) + 1
    family = [(point(r['Start(us)']), point(r['Start(us)']) + us(r['Time(us)'])) for r in overlap
              if all(r[k] == row[k] for k in ('Device_id', 'Source', 'Model_id'))]
    if row['Source'] == 'iterations' and any(b[0] < a[1] for a, b in zip(sorted(family), sorted(family)[1:])):
        follows = False
    assert (row['Period(us)'] != 'N/A') == follows, row
    if follows:
        near(us(row['Period(us)']), point(after[0]['Start(us)']) - point(row['Start(us)']))
steps = table('steps')
if len(steps) == 1 and int(steps[0]['Warmup']) == 0:
    times = sorted(us(row['Time(us)']) for row in overlap)
    assert int(steps[0]['Steps']) == len(times)
    median = statistics.median(times)
    near(us(steps[0]['Median(us)']), median)
    near(us(steps[0]['MAD(us)']), statistics.median(abs(t - median) for t in times))
    near(us(steps[0]['Slowest(us)']), times[-1])
    near(us(steps[0]['P95(us)']), times[len(times) - 1 - len(times) // 20])
    begins = [point(row['Start(us)']) for row in overlap]
    seconds = (max(b + us(row['Time(us)']) for b, row in zip(begins, overlap)) - min(begins)) / 1e9
    pieces = len(times) * (int(steps[0]['Batch']) if steps[0]['Batch'] != 'N/A' else 1)
    if not cut and not lost and steps[0]['Fps'] != 'N/A':
        near(float(steps[0]['Fps']), pieces / seconds, 0.001 + pieces / seconds * 1e-6)
    assert (steps[0]['Fps'] == 'N/A') == (len(lost) > 0), steps
    slowest = overlap[int(steps[0]['Slowest step']) - 1]
    near(us(slowest['Time(us)']), times[-1])

# Communication: what computing does not hide.
for row in table('communication'):
    mine = [t for t in tasks if t.work == 'comm' and t.name == row['Name']]
    near(us(row['Total(us)']), sum(t.duration for t in mine))
    near(us(row['Exposed(us)']), sum(t.duration - within(computing[t.device], t.start, t.end) for t in mine))

# Conversions: each between its neighbours on the stream.
found = collections.Counter()
for key in {(t.device, t.stream) for t in tasks}:
    mine = [t for t in tasks if (t.device, t.stream) == key]
    for i, t in enumerate(mine):
        if t.kind in CONVERSIONS:
            found[mine[i - 1].name if i > 0 else 'N/A', t.name, mine[i + 1].name if i + 1 < len(mine) else 'N/A'] += 1
told_conversions = collections.Counter()
for row in table('conversions'):
    told_conversions[row['Producer'], row['Name'], row['Consumer']] += int(row['Count'])
assert told_conversions == found, (told_conversions, found)

# The AI CPU, and how long operators take.
near(sum(us(row['Total(us)']) for row in table('aicpu')), sum(t.duration for t in tasks if t.work == 'aicpu'), 100)
for row in table('small'):
    low, high = us(row['From(us)']), us(row['Until(us)']) if row['Until(us)'] != 'N/A' else 1 << 62
    lengths = (t.length for t in tasks if t.work in ('compute', 'aicpu'))
    mine = [length for length in lengths if low <= length < high]
    assert int(row['Count']) == len(mine), row
    near(us(row['Total(us)']), sum(mine))

# Calls: self time by the parents that the import found, blocked time by what no device did.
if svp:
    calls = [(name, start, end, None, None) for name, start, end in
             db.execute('SELECT name, start_ns, end_ns FROM acl_call')]
else:
    names = dict(db.execute('SELECT id, text FROM name'))
    calls = [(names.get(item if level == 5500 and item is not None else name, 'N/A'), start, start + duration, parent, i)
             for i, name, item, level, start, duration, parent in db.execute(
                 'SELECT id, name_id, item_id, level, start_ns, duration_ns, parent_id FROM host_call')]
# of a communication library, for its own tasks: whatever they are called they copy nothing for the program
entries = set() if svp else {calls[i] for i, level in enumerate(
    row[0] for row in db.execute('SELECT level FROM host_call')) if level == 5500}
owner = {call[4]: call[0] for call in calls}
total, own, blocked = collections.Counter(), collections.Counter(), collections.Counter()
for name, start, end, parent, _ in calls:
    total[name] += end - start
    own[name] += end - start
    blocked[name] += within(idle, start, end)
    if parent is not None and parent in owner:
        own[owner[parent]] -= end - start
for row in table('api'):
    near(us(row['Total(us)']), total[row['Function']])
    near(us(row['Blocked(us)']), blocked[row['Function']])
    if not svp:
        near(us(row['Self(us)']), own[row['Function']])

# Bounds of layers of SVP.
units = {'Memory(%)': ('dstr', 'dld', 'wld'), 'Compute(%)': ('mac_busy', 'vec_ppen')}
for row in table('bound'):
    if not svp or row['Bound'] == 'unknown':
        continue
    for title, columns in units.items():
        shares = db.execute('SELECT %s FROM ai_core_task WHERE task_id IN (SELECT task_id FROM layer_group WHERE layer_names'
                            " = ? AND engine = 'AI_CORE')" % ', '.join(
                                'sum(%s_cycle) * 100.0 / sum(total_cycle)' % c for c in columns), (row['Name'],)).fetchone()
        near(float(row[title]), max(shares), 0.01)
    compute, memory = float(row['Compute(%)']), float(row['Memory(%)'])
    assert row['Bound'] == ('latency' if max(compute, memory) < 50 else 'memory' if memory > compute else 'compute'), row

# Memory: copies and calls.
memory = table('memory')
copies = [t for t in tasks if t.work == 'copy']
near(sum(us(row['Time(us)']) for row in memory if row['Kind'] == 'copy'), sum(t.duration for t in copies), len(memory))
for row in memory:
    if row['Kind'] == 'call':
        near(us(row['Time(us)']), sum(end - start for call in calls if call not in entries and call[0] == row['Name']
                                      for start, end in [call[1:3]]))
missed = {call[0] for call in calls if re.search('malloc|free', call[0], re.I) and call not in entries} - {row['Name'] for row in memory}
assert not missed, missed

items = {row['Item']: row['Value'] for row in table('summary')}

# How the time of each device divides, from the first start to the last end of what programs launched; the log of operators
# of 2020 can be full before that of others, which does not count there. Where the collection's start cuts what is no
# operator, time begins with it.
bounds = {d: (ran[d][0][0], ran[d][-1][1]) for d in devices}
if tells_waits and not svp:
    for device, start, end in db.execute(
            'SELECT t.device_id, min(max(t.start_ns, min(t.start_ns + duration_ns, coalesce(p.start_ns, 0)))),'
            ' max(t.start_ns + duration_ns) FROM device_task t LEFT JOIN name n ON n.id = host_type_id'
            ' LEFT JOIN capture_part p ON p.device_id = t.device_id AND NOT p.is_host'
            " WHERE duration_ns IS NOT NULL AND coalesce(n.text, '') NOT IN ('PROFILING_ENABLE', 'PROFILING_DISABLE')"
            ' GROUP BY t.device_id'):
        if device in bounds:
            works = [t.start for t in tasks if t.device == device and t.work != 'copy']
            bounds[device] = min(works + [start]), max(bounds[device][1], end)
sums = [0, 0, 0]
for d in sorted(devices):
    first, last = bounds[d]
    parts = {'Busy': ticked(d, busy[d], first, last), 'Computing': ticked(d, computing[d], first, last),
             'Exposed communication': ticked(d, without(communicating[d], computing[d]), first, last),
             'Copies': ticked(d, copies_alone[d], first, last)}
    elapsed = ticked(d, [[first, last]], first, last) - ticked(d, dark[d], first, last)
    parts['Free'] = elapsed - parts['Busy']
    sums = [sums[0] + parts['Busy'], sums[1] + elapsed, 0]
    for item, part in parts.items():
        share, time = items[item if len(devices) == 1 else '%s, device %d' % (item, d)].split(' % (')
        near(us(time[:-4]), part)
        near(float(share), float(100 * part / elapsed), 0.005001)

# Sums likewise of diff and of advise.
sums[2] = sums[1] - sums[0]
if len(tasks) > 0:
    done = subprocess.run([msprof, '-q', 'diff', capture, capture, '--format', 'json'], stdout=subprocess.PIPE, check=False)
    elapsed = json.loads(done.stdout)['base']['elapsed']
    for key, expected in zip(('busy', 'time', 'free'), sums):
        near(elapsed[key] * 1000, expected, 1)
    done = subprocess.run([msprof, '-q', 'advise', capture, '--format', 'json', '--threshold', 'idle:0'],
                          stdout=subprocess.PIPE, check=False)
    findings = {f['id']: f for f in json.loads(done.stdout)['findings']}
    if 'idle' in findings:
        near(findings['idle']['at_stake'] * 1000, sums[2], 1)
        near(findings['idle']['value'], 100 * sums[2] / sums[1], 0.001)
    assert ('idle' in findings) == (sums[2] > 0), findings.keys()
    for finding in findings.values():
        assert 0 <= finding['value'] <= 100 or finding['id'] in ('gap', 'step-jitter'), finding
        assert all(0 <= row['share'] <= 100 for row in finding['evidence'] if finding['id'] != 'gap'), finding

# overlap_analysis has the vendor's definition: copies are free.
if db.execute("SELECT value FROM meta WHERE key = 'family'").fetchone()[0] == 'ascend-cann':
    for row in table('overlap_analysis'):
        d = int(row['Device_id'])
        used = union(computing[d] + communicating[d])
        near(us(row['Computing(us)']), within(computing[d], -1 << 62, 1 << 62))
        near(us(row['Elapsed(us)']) - us(row['Free(us)']), within(used, -1 << 62, 1 << 62))
assert items['Executions'].startswith('%d of ' % len(tasks)), items
print(' '.join(sorted(set(told))))
