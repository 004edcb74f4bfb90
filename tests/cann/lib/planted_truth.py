#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables, timeline and databases of a capture of make_variants.py against what was planted in it.

usage: planted_truth.py MSPROF CAPTURE TRUTH

Prints how many cells and slices were compared; fails at the first that is wrong.
"""
import collections
import csv
import glob
import io
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
from timeline import read_timeline  # noqa: E402

msprof, capture, path = sys.argv[1:]
with open(path, encoding='utf-8') as file:
    truth = json.load(file)
start, zero, level = truth['start'], truth['unix_ns'], truth['level']
compared = 0
MARGIN = 200  # between a mixed kernel's ends and its part's
MARK_STREAM = 95


class Task:
    def __init__(self, stream, task, begin, end, work, name, kind, core, mixed):
        self.key, self.begin, self.end, self.work = (stream, task), begin, end, work
        self.whole = begin, end
        if mixed:
            self.begin, self.end = begin + MARGIN, end - MARGIN
        self.name, self.core, self.on_vectors = name, 'MIX_AIC' if mixed else core, core == 'AI_VECTOR_CORE'
        self.kind, self.mixed = kind, mixed
        if level == 0:
            self.kind = self.core = None


every = [Task(*task) for task in truth['tasks']]
tasks = [task for task in every if task.end >= start]
operators = [task for task in tasks if task.name]


def run(*words):
    done = subprocess.run([msprof, '-q', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, (words, done.returncode, done.stderr.decode())
    return done.stdout.decode()


def table(name):
    return list(csv.DictReader(io.StringIO(run('show', capture, '--table', name, '--format', 'csv'))))


def exported(name):
    path = os.path.join('out', 'mindstudio_profiler_output', name + '.csv')
    if not os.path.exists(path):  # nothing of it was after the start
        return []
    with open(path, encoding='utf-8', newline='') as stream:
        return [{key: value.strip() for key, value in row.items()} for row in csv.DictReader(stream)]


def ns(text):
    whole, _, rest = text.strip().partition('.')
    return int(whole) * 1000 + int(rest.ljust(3, '0')[:3] or 0)


def same(what, found, expected):
    global compared
    compared += len(expected)
    if isinstance(expected, list):
        found, expected = collections.Counter(found), collections.Counter(expected)
    if found != expected:
        missing, extra = ([(key, value) for key, value in a.items() if b.get(key) != value][:4] for a, b in
                          ((expected, found), (found, expected)))
        sys.exit('%s: missing %s, too many %s' % (what, missing, extra))


def union(spans):
    merged = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def length(spans):
    return sum(end - begin for begin, end in union(spans))


# ---- what there is by kinds of work ----

def collective_spans(of):
    """A kernel on the AI CPU lasts until the last of its tasks ended. One that began before the collection is in none."""
    last = collections.defaultdict(int)
    for task in every:
        place = re.match(r'transfer of (\d+)', task.work)
        if place:
            last[int(place[1])] = max(last[int(place[1])], task.end)
    return [(task.begin, max(task.end, last[place])) for place, task in enumerate(every)
            if task.work == 'collective' and task in of and (task.begin >= start or task.on_vectors)]


shown = set(tasks)
communicating = [span for span in collective_spans(shown)]
computing = [(task.begin, task.end) for task in tasks if task.work == 'computing']
work = [task.whole for task in tasks if task.work != 'profiler']

# ---- tables ----

run('export', 'summary', '-dir', capture, '--stable-names', '--output', 'out')
run('export', 'timeline', '-dir', capture, '--stable-names', '--output', 'out')
run('export', 'db', '-dir', capture, '--stable-names', '--output', 'out')

same('op_summary', [(row['Op Name'], row['OP Type'], row['Task Type'], ns(row['Task Start Time(us)']) - zero,
                     ns(row['Task Duration(us)'])) for row in exported('op_summary')],
     [(task.name, task.kind or 'N/A', task.core or 'N/A', task.begin, task.end - task.begin) for task in operators])

same('task_time', [(int(row['stream_id']), int(row['task_id']), ns(row['task_start(us)']) - zero, ns(row['task_time(us)']))
                   for row in exported('task_time')],
     [(*task.key, task.begin, task.end - task.begin) for task in tasks])

if level > 0:
    groups = collections.defaultdict(list)
    for task in operators:
        if task.begin >= start:
            groups[task.kind, task.core, task.work].append(task.end - task.begin)
    all_ns = sum(sum(times) for (_, _, what), times in groups.items() if what == 'computing')
    same('op_statistic', {(row['OP Type'], row['Core Type']): (int(row['Count']), ns(row['Total Time(us)']), ns(row['Min Time(us)']),
                                                              ns(row['Max Time(us)']), row['Ratio(%)'])
                          for row in table('op_statistic')},
         {key[:2]: (len(times), sum(times), min(times), max(times), 'N/A' if key[2] == 'collective' else
                    re.sub(r'\.?0*$', '', '%.3f' % (100 * sum(times) / all_ns))) for key, times in groups.items()})
else:
    assert not os.path.exists('out/mindstudio_profiler_output/op_statistic.csv')

# Nothing is free before the collection started: what ran until then is not known.
first, last = min(begin for begin, _ in work), max(end for _, end in work)
busy = union(computing + communicating)
since = max(first, start)
free = last - since - length([(max(begin, since), end) for begin, end in busy if end > since])
alone = length(busy) - length(computing)  # of operators all, also where the start cuts one
overlap = table('overlap_analysis')[0]
same('overlap_analysis', {name: ns(overlap[name + '(us)']) for name in
                          ('Elapsed', 'Computing', 'Communication', 'Communication(Not Overlapped)', 'Free')},
     {'Elapsed': length(computing) + alone + free, 'Computing': length(computing), 'Communication': length(communicating),
      'Communication(Not Overlapped)': alone, 'Free': free})

totals = collections.Counter()
for task in operators:
    if task.work == 'computing':
        totals[task.name] += task.end - task.begin
found = collections.Counter()
for row in table('ops'):
    found[row['Name']] += ns(row['Total(us)'])
communication_ns = sum(found.pop(name, 0) for name in ('allreduceAicpuKernel', 'reduce_scatterAivKernel'))
same('ops', found, totals)
same('ops', {'communication': communication_ns}, {'communication': sum(end - begin for begin, end in communicating)})

# Calls are those of the raw records that had not ended before the collection started.
calls, levels = collections.Counter(), {20000: 'acl', 10000: 'node', 5000: 'runtime'}
for name in glob.glob(os.path.join(capture, 'host', 'data', 'unaging.api_event.data.slice_*[0-9]')):
    with open(name, 'rb') as file:
        for _, at, _, _, _, begin, end, _ in struct.iter_unpack('<HHIIIQQQ', file.read()):
            if end * 10 >= truth['monotonic_ns'] + start:
                calls[levels[at], 'count'] += 1
                calls[levels[at], 'ns'] += (end - begin) * 10
found = collections.Counter()
for row in exported('api_statistic'):
    found[row['Level'], 'count'] += int(row['Count'])
    found[row['Level'], 'ns'] += ns(row['Time(us)'])
same('api_statistic', found, calls)

# ---- timeline and database ----

timeline = read_timeline('out/mindstudio_profiler_output/msprof.json')
events = timeline.events
processes = {event['pid']: event['args']['name'] for event in events if event['ph'] == 'M' and event['name'] == 'process_name'}
slices = [event for event in events if event['ph'] == 'X']
assert not [event for event in slices if float(event['ts']) + float(event['dur']) < 0], 'a slice of warm-up'
hardware = [event for event in slices if processes[event['pid']].startswith('Ascend Hardware')]
same('slices of the device', [int(event['args']['Task Id']) for event in hardware
                                if event['args'].get('Physic Stream Id', event['args'].get('Stream Id')) != MARK_STREAM],
     [task.key[1] for task in tasks])

arrows = collections.defaultdict(set)
for event in events:
    if event['ph'] in 'sf':
        arrows[event['ph'], event.get('cat')].add(event['id'])
same('arrows', {kind: ids for (ph, kind), ids in arrows.items() if ph == 's'},
     {kind: ids for (ph, kind), ids in arrows.items() if ph == 'f'})

database = sqlite3.connect('out/msprof.db')
same('TASK', [tuple(row) for row in database.execute('SELECT streamId, taskId, startNs - %d, endNs - startNs FROM TASK'
                                                     ' WHERE streamId != %d' % (zero, MARK_STREAM))],
     [(*task.key, begin, end - begin) for task in tasks for begin, end in {(task.begin, task.end), task.whole}])
same('COMPUTE_TASK_INFO', [row[0] for row in database.execute(
    'SELECT s.value FROM COMPUTE_TASK_INFO c JOIN STRING_IDS s ON s.id = c.name')], [task.name for task in operators])

# ---- replayed marks ----

if truth['marks']:
    own = sqlite3.connect(os.path.join(capture, 'sqlite', 'runtime.db'))
    same('marks', [tuple(row) for row in own.execute(
        'SELECT mark_id, start_ns - ?1, end_ns - ?1 FROM device_mark', (zero,))],
         [mark for at, begin, end in truth['marks'] for mark in ((7, at, at), (8, begin, end))])
print('%d cells and slices' % compared)
