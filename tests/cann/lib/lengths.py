#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lengths of time of a capture's tables and timelines against its raw records: ticks subtracted and summed, rounded once.

usage: lengths.py CAPTURE OUTPUT OVERLAP.json
"""
import csv
import glob
import json
import struct
import sys
from collections import defaultdict
from fractions import Fraction

from raw_ticks import rates, records, tasks_by_ticks


def nanoseconds(ticks, hz):
    return int(Fraction(ticks * 10 ** 9, hz) + Fraction(1, 2))


def shown(text):
    return int(Fraction(text) * 1000)


def expect(what, found, right):
    if found != right:
        sys.exit('%s: %s, right %s' % (what, found, right))


def table(name):
    with open('%s/mindstudio_profiler_output/%s.csv' % (output, name), encoding='utf-8') as file:
        return list(csv.DictReader(file))


capture, output, overlap = sys.argv[1:]
host_hz, device_hz = rates(capture)

tasks = {(str(stream), str(task)): ticks for (stream, task), ticks in tasks_by_ticks(capture).items()}

rows = table('task_time')
expect('tasks', len(rows), len(tasks))
different = 0
for row in rows:
    start, end = tasks[row['stream_id'], row['task_id']]
    expect('task_time %s' % row['task_id'], shown(row['task_time(us)']), nanoseconds(end - start, device_hz))
    different += shown(row['task_time(us)']) != shown(row['task_stop(us)']) - shown(row['task_start(us)'])
if different == 0:
    sys.exit('no length differs from the difference of the rounded times: the clock shows nothing')

types, last = defaultdict(list), None
for row in table('op_summary'):
    start, end = tasks[row['Stream ID'], row['Task ID']]
    expect('op_summary', shown(row['Task Duration(us)']), nanoseconds(end - start, device_hz))
    types[row['OP Type'], row['Task Type']].append(end - start)
    waited = nanoseconds(max(start - last, 0), device_hz) if last is not None else 0
    expect('waited', shown(row['Task Wait Time(us)']), waited)
    last = end
for row in table('op_statistic'):
    ticks = types[row['OP Type'], row['Core Type']]
    for title, value in (('Total', sum(ticks)), ('Min', min(ticks)), ('Max', max(ticks))):
        expect('op_statistic ' + title, shown(row[title + ' Time(us)']), nanoseconds(value, device_hz))

with open(glob.glob(capture + '/host/data/unaging.additional.type_info_dic*0')[0], encoding='utf-8') as file:
    names = dict(line.rstrip('\n').split(':', 1) for line in file)
calls = defaultdict(list)
for record in records(capture + '/host/data/unaging.api_event.data', 40):
    _, level, kind, _, _, begin, end, _ = struct.unpack('<HHIIIQQQ', record)
    calls[names['%d_%d' % (level, kind)]].append(end - begin)
rows = table('api_statistic')
expect('functions', sorted(calls), [row['API Name'] for row in rows])
for row in rows:
    ticks = calls[row['API Name']]
    mean = Fraction(sum(ticks), len(ticks))
    for title, value in (('Time', sum(ticks)), ('Avg', mean), ('Min', min(ticks)), ('Max', max(ticks))):
        expect(row['API Name'] + title, shown(row[title + '(us)']), nanoseconds(value, host_hz))
    variance = sum((tick - mean) ** 2 for tick in ticks) / len(ticks) * 10 ** 12 / host_hz ** 2
    expect('variance', shown(row['Variance']), int(variance * 1000 + Fraction(1, 2)))

with open(output + '/mindstudio_profiler_output/msprof.json', encoding='utf-8') as file:
    events = json.load(file)
slices = [event for event in events if event['ph'] == 'X']
on_device = [event for event in slices if 'Task Id' in event.get('args', {})]
expect('slices of tasks', len(on_device), len(tasks))
for event in on_device:
    start, end = tasks[str(event['args']['Physic Stream Id']), str(event['args']['Task Id'])]
    expect('dur', shown(str(event['dur'])), nanoseconds(end - start, device_hz))
of_host = sorted(shown(str(event['dur'])) for event in slices if 'level' in event.get('args', {}))
expect('calls', of_host, sorted(nanoseconds(tick, host_hz) for ticks in calls.values() for tick in ticks))

busy = []
for start, end in sorted(tasks.values()):
    if busy and start <= busy[-1][1]:
        busy[-1][1] = max(busy[-1][1], end)
    else:
        busy.append([start, end])
computed = sum(end - start for start, end in busy)
free = busy[-1][1] - busy[0][0] - computed
for name, lengths in (('Computing', [end - start for start, end in busy]),
                      ('Free', [after[0] - before[1] for before, after in zip(busy, busy[1:])])):
    expect(name, [shown(str(event['dur'])) for event in sorted(slices, key=lambda event: Fraction(event['ts']))
                  if event['name'] == name], [nanoseconds(length, device_hz) for length in lengths])
with open(overlap, encoding='utf-8') as file:
    row = json.load(file)[0]
for title, ticks in (('Computing(us)', computed), ('Free(us)', free), ('Elapsed(us)', computed + free)):
    expect(title, shown(str(row[title])), nanoseconds(ticks, device_hz))
