#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares an ASCEND_PROFILER_OUTPUT with one that a framework's own analysis wrote.

  agree.py OURS THEIRS [--hccl FILE] [--only NAME]

Every cell of every table and every leaf of every JSON file, texts as texts, numbers as numbers. What may differ is said
here and nowhere else. Prints each file and how much of it was compared; ends with status 1 at the first file that differs.
"""
import argparse
import collections
import csv
import json
import os
import sys

ap = argparse.ArgumentParser()
ap.add_argument('ours')
ap.add_argument('theirs')
ap.add_argument('--hccl', help="step_trace_time.csv with communication, which theirs does not find under its new name")
ap.add_argument('--only')
a = ap.parse_args()


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def same(ours, theirs, tolerance=1e-9):
    if ours == theirs:
        return True
    x, y = number(ours), number(theirs)
    return x is not None and y is not None and abs(x - y) <= tolerance * max(1.0, abs(y))


def rows_of(path):
    with open(path, newline='', encoding='utf-8') as f:
        return [[cell.replace('\r\n', '\n') for cell in row] for row in csv.reader(f)]


# Times that passed through doubles in theirs (0.25 us in 2025).
ROUGH = {'operator_memory.csv': {'Allocation Time(us)', 'Release Time(us)', 'Duration(us)'},
         'memory_record.csv': {'Timestamp(us)'}, 'kernel_details.csv': {'Wait Time(us)'},
         'op_summary.csv': {'Task Wait Time(us)'},
         'step_trace_time.csv of PyTorch': {'Stage', 'Preparing'}}


EXCLUDING = 'Communication(Not Overlapped and Exclude Receive)'


def compare_table(name, ours, theirs):
    if ours[0] != theirs[0]:
        return 'titles\n  %s\n  %s' % (ours[0], theirs[0])
    x, y = ours[1:], theirs[1:]
    kind = name + (' of PyTorch' if name == 'step_trace_time.csv' and ours[0][0] == 'Device_id' else '')
    if name.startswith('minddata_pipeline_summary'):          # no titles: each row has its own length
        ours = [[''] * 64]
    if name in ('api_statistic.csv', 'op_statistic.csv'):     # of equal totals theirs are in the order of a hash
        x, y = sorted(x), sorted(y)
    if len(x) != len(y):
        return '%d rows, expected %d' % (len(x), len(y))
    for i, (row, other) in enumerate(zip(x, y)):
        if len(row) != len(other):
            return 'row %d has %d cells, expected %d' % (i + 1, len(row), len(other))
        for title, cell, wanted in zip(ours[0], row, other):
            rough = title in ROUGH.get(kind, ())
            if same(cell.rstrip('\t'), wanted.rstrip('\t')) or (
                    rough and number(cell) is not None and abs(number(cell) - number(wanted)) <= 0.26):
                continue
            if title == EXCLUDING:                            # theirs takes all of Bubble off, what computing covers, too
                step = {t: number(c) for t, c in zip(ours[0], row)}
                rest = step['Communication(Not Overlapped)'] - step['Bubble']
                if same(wanted, '%.3f' % (max(rest, 0) if 'PyTorch' in kind else rest)) and max(
                        rest, 0) <= step[title] <= step['Communication(Not Overlapped)']:
                    continue
            return 'row %d, %s: %r, expected %r' % (i + 1, title, cell, wanted)
    return sum(len(row) for row in x)


def leaves(value, path=()):
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], path + (key,))
        if not value:
            yield path, {}
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, path + (i,))
        if not value:
            yield path, []
    else:
        yield path, value


def compare_leaves(ours, theirs, tolerance=1e-9):
    x, y = dict(leaves(ours)), dict(leaves(theirs))
    for path in y:
        if path not in x:
            return 'missing %s' % (path,)
    for path in x:
        if path not in y:
            return 'more than expected: %s' % (path,)
    for path in y:
        if type(x[path]) is str or type(y[path]) is str or x[path] is None or y[path] is None:
            if x[path] != y[path]:
                return '%s: %r, expected %r' % (path, x[path], y[path])
        elif not same(str(x[path]), str(y[path]), tolerance) and x[path] != y[path]:
            return '%s: %r, expected %r' % (path, x[path], y[path])
    return len(y)


# ---- trace_view.json ----

FLOWS = ('HostToDevice',)
NUMBERED = ('async_npu', 'async_mindspore')                  # theirs are times since 1970, which viewers round to 256 ns


def normal(event):
    """An event as something that can be compared: numbers are numbers, numbers that only tie events together are gone."""
    event = json.loads(json.dumps(event))
    event.get('args', {}).pop('connection_id', None)
    if 'operation' in event.get('args', {}):                 # theirs does not find what the copy was of
        for key in ('Task Type', 'operation', 'size(B)', 'bandwidth(GB/s)'):
            event['args'].pop(key, None)
    if event.get('cat') in FLOWS:
        event['name'] = event['cat']
    if event.get('cat') in FLOWS + NUMBERED:
        event['id'] = ''
        event.pop('bp', None)
    if event['ph'] == 'C' and event['name'].startswith(('APP/', 'Device/')):
        event['ts'] = '%.0f' % (float(event['ts']) / 2)      # theirs passed through doubles: steps of 0.128 us
    out = []
    for path, value in leaves(event):
        if path[-1] in ('dur', 'KB', 'bandwidth(GB/s)', 'duration estimated(us)', 'size(Byte)'):
            value = '%.3f' % float(value)
        out.append((path, str(value)))
    return tuple(sorted(out, key=str))


def with_named_threads(events):
    """Threads of Overlap Analysis by their names: their numbers are others since 2025, and theirs here are older."""
    events = json.loads(json.dumps(events))
    pids = {e['pid'] for e in events if e['ph'] == 'M' and e['args'].get('name') == 'Overlap Analysis'}
    names = {(e['pid'], e['tid']): e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'thread_name'}
    for event in events:
        if event['pid'] in pids and (event['pid'], event.get('tid')) in names and not event['name'].startswith('process_'):
            event['tid'] = names[event['pid'], event['tid']]
            event.get('args', {}).pop('sort_index', None)
    return events


def compare_trace(ours, theirs):
    x = collections.Counter(map(normal, with_named_threads(ours)))
    y = collections.Counter(map(normal, with_named_threads(theirs)))
    for event in list(y):                                    # theirs names a process twice
        if dict(event).get(('ph',)) == 'M' or dict(event).get(('name',)) == 'AI Core Freq':
            y[event] = 1
    missing, more = y - x, x - y
    for event in list(more):
        flow = dict(event).get(('cat',)) in FLOWS            # ours draws those of communication's tasks too
        if flow:
            del more[event]
    rough = [e for e in missing if dict(e)[('ph',)] == 'C' or (
        dict(e).get(('cat',)) in FLOWS and dict(e)[('ph',)] == 'f')]
    for event in rough:                                      # steps at the edge of a half, arrows without a beginning
        d = dict(event)
        if d[('ph',)] == 'C':
            near = [m for m in more if dict(m)[('ph',)] == 'C' and dict(m)[('name',)] == d[('name',)] and
                    abs(float(dict(m)[('ts',)]) - float(d[('ts',)])) <= 1]
            if near:
                more.subtract([near[0]])
                more += collections.Counter()
                missing.subtract([event])
    missing, more = +missing, +more
    if missing:
        return '%d events missing, such as %s' % (sum(missing.values()), dict(next(iter(missing))))
    if more:
        return '%d events more, such as %s' % (sum(more.values()), dict(next(iter(more))))
    return sum(y.values())


failed = False
for name in sorted(os.listdir(a.theirs)):
    mine = os.path.join(a.ours, name)
    his = a.hccl if name == 'step_trace_time.csv' and a.hccl else os.path.join(a.theirs, name)
    if a.only and name != a.only:
        continue
    if not os.path.exists(mine):
        result = 'is not there'
    elif name in ('trace_view.json', 'msprof.json'):
        events = json.load(open(mine))
        for event in events if name == 'msprof.json' else ():    # called as before 2026 in the capture's own timeline
            if event.get('args', {}).get('level') == 'communication':
                event['name'] = 'Communication@' + event['args']['item_id']
        result = compare_trace(events, json.load(open(his)))
    elif name.endswith('.json'):
        theirs = json.load(open(his))       # the frameworks' own sums are of doubles in the same order; a capture's are exact here
        exact = name.startswith('communication') and 'Total HCCL Operators' not in theirs
        result = compare_leaves(json.load(open(mine)), theirs, 0 if exact else 1e-9)
    elif name.endswith('.csv'):
        result = compare_table(name, rows_of(mine), rows_of(his))
    else:
        result = 0
    print('%s: %s' % (name, result if isinstance(result, str) else '%d values' % result))
    failed |= isinstance(result, str)
sys.exit(failed)
