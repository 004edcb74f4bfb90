#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lengths and sums of the tables of answers against the raw records of a capture: sums of ticks, rounded once.

usage: tick_sums.py MSPROF CAPTURE [MEDIANS]

MEDIANS: how many medians must differ from those of rounded lengths for the clocks to tell something; 3 unless given.

The capture is imported. Ticks of tasks and calls come from its raw records; the database only says what each was, which
operator or function. Prints how many cells it compared, and how many are not what sums of rounded lengths would be; ends
with a message where one differs.
"""
import json
import sqlite3
import struct
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction

from raw_ticks import rates, records, tasks_by_ticks

HALF = Fraction(1, 2)
compared = told = told_medians = 0


def show(table, *options):
    done = subprocess.run([msprof, '-q', 'show', capture, '--table', table, '--format', 'json', '--top', '100000', *options],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 4:  # it has no rows
        return []
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def ns(cell):
    return round(Fraction(str(cell)) * 1000)


def check(what, cell, exact, plain=None):
    """exact: nanoseconds, a fraction. plain: what sums of lengths in whole nanoseconds are."""
    global compared, told
    compared += 1
    right = int(exact + HALF)
    told += plain is not None and plain != right
    if ns(cell) != right:
        sys.exit('%s: %s, right %d ns' % (what, cell, right))


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / Fraction(2)


def check_median(what, cell, exact):
    """exact: the lengths, fractions. Rounded before their median is taken, they are often another."""
    global told_medians
    check(what, cell, median(exact))
    told_medians += int(median(exact) + HALF) != int(median([int(length + HALF) for length in exact]) + HALF)


def check_group(what, row, group):
    """group: lengths of each, exact and as differences of whole nanoseconds."""
    check(what + ': total', row['Total(us)'], sum(exact for exact, _ in group), sum(plain for _, plain in group))
    if 'Longest(us)' in row:
        check(what + ': longest', row['Longest(us)'], max(exact for exact, _ in group), max(plain for _, plain in group))
    if 'Median(us)' in row:
        check_median(what + ': median', row['Median(us)'], [exact for exact, _ in group])
    if 'Count' in row and row['Count'] != len(group):
        sys.exit('%s: %s of %d' % (what, row['Count'], len(group)))


msprof, capture = sys.argv[1:3]
medians_needed = int((sys.argv + ['3'])[3])
host_hz, device_hz = rates(capture)
device_tick, host_tick = Fraction(10 ** 9, device_hz), Fraction(10 ** 9, host_hz)
db = sqlite3.connect(capture + '/sqlite/runtime.db')

# Tasks, by their ticks.
ran = tasks_by_ticks(capture)
tasks = []
for stream, task, start, length, name, kind, tensors, connection in db.execute(
        'SELECT stream_id, task_id, start_ns, duration_ns, n.text, y.text, tensor_set_id, connection_id FROM device_task t '
        'LEFT JOIN name n ON n.id = op_name_id LEFT JOIN name y ON y.id = op_type_id'):
    first, last = ran[stream, task]
    tasks.append((first, last, (last - first) * device_tick, length, start, stream, name, kind or 'N/A', tensors, connection))
assert len(tasks) == len(ran)
operators = [task for task in tasks if task[6] is not None]


def lengths_by(key):
    groups = defaultdict(list)
    for task in operators:
        groups[key(task)].append((task[2], task[3]))
    return groups


def layer(name):
    return name.rsplit('/', 1)[0]


SHAPES = ('Input Shapes', 'Input Data Types', 'Input Formats', 'Output Shapes', 'Output Data Types', 'Output Formats')
sets = {row[0]: tuple(row[1:]) for row in db.execute(
    'SELECT id, input_shapes, input_data_types, input_formats, output_shapes, output_data_types, output_formats FROM tensor_set')}
by_shapes = defaultdict(list)
for (kind, tensors), group in lengths_by(lambda task: (task[7], task[8])).items():
    if tensors is not None:  # the others have no shapes
        by_shapes[(kind,) + sets[tensors]] += group
for table, groups, title in (
        ('ops', lengths_by(lambda task: (task[6], task[7])), lambda row: (row['Name'], row['Type'])),
        ('bound', lengths_by(lambda task: (task[6], task[7])), lambda row: (row['Name'], row['Type'])),
        ('types', lengths_by(lambda task: task[7]), lambda row: row['Type name']),
        ('layers', lengths_by(lambda task: layer(task[6])), lambda row: row['Layer']),
        ('streams', lengths_by(lambda task: 'device 0 stream %d' % task[5]), lambda row: row['Stream']),
        ('conversions', lengths_by(lambda task: (task[6], task[7])), lambda row: (row['Name'], row['Type'])),
        ('shapes', by_shapes, lambda row: (row['Type'],) + tuple(row[title] for title in SHAPES))):
    rows = show(table)
    if table in ('bound', 'types', 'conversions', 'shapes') and all(task[7] == 'N/A' for task in operators):
        continue  # at level 0 nothing says what they are
    assert rows and (table == 'conversions' or len(rows) == len(groups)), (table, len(rows), len(groups))
    for row in rows:
        group = groups[title(row)]
        if table != 'conversions' or row['Count'] == len(group):  # these are by what is before and behind, too
            check_group(table + ' ' + str(title(row)), row, group)

bins = show('small')
for row in bins:
    inside = [(task[2], task[3]) for task in operators
              if task[2] >= 1000 * row['From(us)'] and (row['Until(us)'] == 'N/A' or task[2] < 1000 * row['Until(us)'])]
    check_group('small %s' % row['From(us)'], row, inside)
assert sum(row['Count'] for row in bins) == len(operators)

# Gaps: every task of this capture keeps its device busy, but the profiler's own.
profilers = {(row[0], row[1]) for row in db.execute("SELECT stream_id, task_id FROM device_task JOIN name n ON n.id = host_type_id "
                                                    "WHERE n.text LIKE 'PROFILING\\_%' ESCAPE '\\'")}
of_profiler = {ticks for key, ticks in ran.items() if key in profilers}
busy = []
for first, last, *_ in sorted(task for task in tasks if task[:2] not in of_profiler):
    if busy and first <= busy[-1][1]:
        busy[-1][1] = max(busy[-1][1], last)
    else:
        busy.append([first, last])
gaps = sorted(int((after[0] - before[1]) * device_tick + HALF) for before, after in zip(busy, busy[1:]))
rows = show('gaps')
assert sorted(ns(row['Length(us)']) for row in rows) == gaps, 'gaps'
compared += len(gaps)

# Calls of the host: records of the file are rows of the database, in their order by start.
calls = []
for record in records(capture + '/host/data/unaging.api_event.data', 40):
    _, _, _, thread, _, begin, end, _ = struct.unpack('<HHIIIQQQ', record)
    calls.append((begin, end, thread))
known = db.execute('SELECT start_ns, duration_ns, thread_id, coalesce(n.text, i.text), launches, connection_id, c.id FROM host_call c '
                   'LEFT JOIN name n ON n.id = c.name_id LEFT JOIN name i ON i.id = c.item_id ORDER BY start_ns, duration_ns DESC, '
                   'thread_id').fetchall()
calls.sort(key=lambda call: (call[0], call[0] - call[1], call[2]))
assert len(calls) == len(known) and [call[2] for call in calls] == [row[2] for row in known]
self_ticks, open_calls, by_function = {}, defaultdict(list), defaultdict(list)
for place, (begin, end, thread) in enumerate(calls):
    around = open_calls[thread]
    while around and calls[around[-1]][1] <= begin:
        around.pop()
    self_ticks[place] = end - begin
    if around and calls[around[-1]][1] >= end:
        self_ticks[around[-1]] -= end - begin
    around.append(place)
    by_function[known[place][3]].append(place)
rows = show('api')
assert {row['Function'] for row in rows} == set(by_function)
for row in rows:
    places = by_function[row['Function']]
    check_group('api ' + row['Function'], row,
                [((calls[place][1] - calls[place][0]) * host_tick, known[place][1]) for place in places])
    check('api %s: self' % row['Function'], row['Self(us)'], sum(self_ticks[place] for place in places) * host_tick)

# Phases: from the call that launched to the task's end.
launches = {row[5]: place for place, row in enumerate(known) if row[4] == 1 and row[5] is not None}
phases = defaultdict(list)
for first, last, exact, length, start, _, name, kind, _, connection in operators:
    if connection not in launches:
        continue
    place = launches[connection]
    call_start, call_length = known[place][:2]
    if start < call_start:
        continue
    ended = call_start + call_length <= start
    launch = (calls[place][1] - calls[place][0]) * host_tick if ended else start - call_start
    phases[name, kind].append((launch, start - call_start - call_length if ended else 0, exact))
rows = show('phases') if phases else []  # a device whose clock is said to be faster runs tasks before they are launched
assert {(row['Name'], row['Type']) for row in rows} == set(phases)
for row in rows:
    parts = phases[row['Name'], row['Type']]
    for at, title in enumerate(('Launch(us)', 'Queue(us)', 'Kernel(us)')):
        check('phases %s %s' % (row['Name'], title), row[title], sum(part[at] for part in parts))
    check('phases %s total' % row['Name'], row['Total(us)'], sum(sum(part) for part in parts))

# A profile that is compared with itself.
done = subprocess.run([msprof, '-q', 'diff', capture, capture, '--format', 'json'], check=True, stdout=subprocess.PIPE)
compare = json.loads(done.stdout)
named = lengths_by(lambda task: task[6])
assert compare['rows'] and compare['gaps']
for row in compare['rows']:
    if row['key'] == '(rest)':  # of elapsed time
        continue
    group = named[row['key']]
    check('diff ' + row['key'], row['total_step_base'], sum(exact for exact, _ in group), sum(plain for _, plain in group))
    for side in ('base', 'new'):
        check_median('diff %s: median' % row['key'], row['median_' + side], [exact for exact, _ in group])
between = defaultdict(list)
by_end, by_start = ({task[at]: task for task in sorted(tasks)} for at in (1, 0))
for before, after in zip(busy, busy[1:]):
    if after[0] > before[1]:
        between[by_end[before[1]][6] or '', by_start[after[0]][6] or ''].append((after[0] - before[1]) * device_tick)
for row in compare['gaps']:
    exact = between[tuple(row['key'].split(' -> '))]
    if len(exact) == row['n_base']:
        check_median('gap %s: median' % row['key'], row['median_base'], exact)

# Shapes are above; steps of the device, if there are marks of any, are those of the table of their times.
print(compared, 'cells,', told, 'of them other than sums of whole nanoseconds')
print(told_medians, 'medians other than of rounded lengths')
if told < 20 or told_medians < medians_needed:
    sys.exit('the clocks tell nothing')
