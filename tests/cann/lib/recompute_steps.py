#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates the iterations of a capture with step marks from ts_track, and compares them with step_trace and the
timelines; or which operators and tasks the reports of some iterations are to have, and compares them with these.

usage: recompute_steps.py CAPTURE
       recompute_steps.py CAPTURE MODEL ITERATION COUNT PART

CAPTURE has the results of all of it in mindstudio_profiler_output; PART is such a directory with the summaries of COUNT
iterations.
"""
import csv
import glob
import json
import os
import re
import struct
import sys
from collections import defaultdict
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of  # noqa: E402

NO_MODEL = 4294967295
STEP_START, STEP_END = 60000, 60001


def number_of(path, key):
    with open(path, encoding='ascii') as file:
        return int(re.search(key + r':\s*(\d+)', file.read()).group(1))


def clock_of(device):
    """What makes nanoseconds since 1970 of a tick."""
    with open(os.path.join(device, 'start_info.0'), encoding='ascii') as file:
        start = json.load(file)
    with open(os.path.join(device, 'info.json.0'), encoding='ascii') as file:
        mhz = Decimal(json.load(file)['DeviceInfo'][0]['hwts_frequency'])
    first = number_of(os.path.join(device, 'dev_start.log.0'), 'cntvct')
    shift = (number_of(os.path.join(device, 'host_start.log.0'), 'clock_monotonic_raw') +
             int(start['collectionTimeBegin']) * 1000 - int(start['clockMonotonicRaw']))
    return lambda tick: shift + int((tick - first) * 1000 / mhz)


def read_marks(path):
    """model: [(time, tag, stream, index)] in order of time"""
    device = os.path.join(path, 'device_0')
    time_of = clock_of(device)
    with open(os.path.join(device, 'data', 'ts_track.data.0.slice_0'), 'rb') as file:
        data = file.read()
    marks = defaultdict(list)
    for at in range(0, len(data), 40):
        kind, tick, index, model, stream, _, tag = struct.unpack_from('<xBxxxxxxQQQHHH', data, at)
        if kind == 10:
            marks[model].append((time_of(tick), at, tag, stream, index))
    return {model: [(time, tag, stream, index) for time, _, tag, stream, index in sorted(found)]
            for model, found in marks.items()}


def iterations_of(marks):
    """Cuts the marks of a model into iterations: (start, end, marks in it)."""
    begun, inside, ended_by_iteration = None, [], False
    for time, tag, stream, *_ in marks:
        if tag == 0 and (begun is None or ended_by_iteration):
            begun, inside, ended_by_iteration = time, [], False
        elif tag == 1 and begun is not None and not ended_by_iteration:
            yield begun, time, inside
            begun = None
        elif tag == 4 and begun is not None:
            yield begun, time, inside
            begun, inside, ended_by_iteration = time, [], True
        elif begun is not None:
            inside.append((time, tag, stream))


def reduces_of(inside):
    open_, found = {}, []
    for time, tag, stream in inside:
        if 10000 <= tag < 20000:
            if tag % 2 == 0:
                open_[stream, tag] = time
            elif (stream, tag - 1) in open_:
                found.append((open_.pop((stream, tag - 1)), time))
    return found


def marked_steps(marks):
    """Steps that the program marks: (index, start, end)."""
    started = {}
    for time, tag, _, index in marks:
        if tag == STEP_START:
            started[index] = time
        elif tag == STEP_END and index in started:
            yield index, started.pop(index), time


def expected_steps(marks):
    steps = []
    for model, found in marks.items():
        for number, (start, end, inside) in enumerate(iterations_of(found), 1):
            by_tag = {tag: time for time, tag, _ in inside}
            steps.append({'model': model, 'iteration': number, 'start': start, 'end': end,
                          'fp': by_tag.get(2, by_tag.get(5)), 'bp': by_tag.get(3), 'reduces': reduces_of(inside)})
        steps += [{'model': model, 'iteration': index, 'start': start, 'end': end, 'fp': None, 'bp': None, 'reduces': []}
                  for index, start, end in marked_steps(found)]
    steps = [step for step in steps if step['end'] > step['start']]
    for step in steps:
        before = [other['end'] for other in steps if other['end'] < (step['fp'] or 0)
                  and other['end'] <= step['end']]
        step['aug'] = step['fp'] - max(before) if before else None
    return steps


def us(value):
    return None if value is None else Decimal(value) / 1000


def cell(text):
    return None if text == 'N/A' else Decimal(text.strip())


def difference(a, b):
    return None if a is None or b is None else b - a


def rows_of(directory, table):
    with open(glob.glob(os.path.join(directory, table + '_[0-9]*.csv'))[0], newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def compare_part(steps, model, first, count, part):
    """A task is of the iterations in which it ends, unless it is known to be another model's. What was before the first
    iteration is of none."""
    steps = [step for step in steps if step['model'] == model]
    before = [step['end'] for step in steps if step['iteration'] < first]
    after = us(max(before) if before else min(step['start'] for step in steps if step['iteration'] == first))
    until = us(max(step['end'] for step in steps if first <= step['iteration'] < first + count))
    whole = os.path.join(sys.argv[1], 'mindstudio_profiler_output')
    operators = rows_of(whole, 'op_summary')
    models = {(row['Stream ID'], row['Task ID'], row['Task Start Time(us)']): row['Model ID'] for row in operators}
    problems = 0

    def is_in(start, duration, of_model):
        return (after < Decimal(start.strip()) + Decimal(duration) <= until and
                of_model in (str(model), str(NO_MODEL), 'N/A'))

    def compare(table, wanted, key):
        nonlocal problems
        found = [tuple(row[column] for column in key) for row in rows_of(part, table)]
        wanted = [tuple(row[column] for column in key) for row in wanted]
        print('%s: %d of model %d, iteration %d' % (table, len(found), model, first))
        if found != wanted:
            problems += 1
            print('%s: %d rows, expected %d' % (table, len(found), len(wanted)))
        return len(wanted)

    compared = compare('op_summary', [row for row in operators if is_in(
        row['Task Start Time(us)'], row['Task Duration(us)'], row['Model ID'])],
        ('Stream ID', 'Task ID', 'Op Name', 'Task Start Time(us)', 'Task Duration(us)'))
    compare('task_time', [row for row in rows_of(whole, 'task_time') if is_in(
        row['task_start(us)'], row['task_time(us)'],
        models.get((row['stream_id'], row['task_id'], row['task_start(us)']), 'N/A'))],
        ('stream_id', 'task_id', 'task_start(us)', 'task_time(us)'))
    return 1 if problems or not compared else 0


def model_of(thread):
    return NO_MODEL if thread == 69999 else thread - 70000


def lane_of(model):
    return 'Step Trace' if model == NO_MODEL else 'Step Trace(Model ID:%d)' % model


def main():
    steps = expected_steps(read_marks(sys.argv[1]))
    if len(sys.argv) > 2:
        return compare_part(steps, *map(int, sys.argv[2:5]), sys.argv[5])
    output = os.path.join(sys.argv[1], 'mindstudio_profiler_output')
    with open(glob.glob(os.path.join(output, 'step_trace_*.csv'))[0], newline='', encoding='utf-8') as file:
        rows = list(csv.reader(file))
    width = max(len(step['reduces']) for step in steps)
    wanted = list(([Decimal(0), Decimal(step['iteration']), us(step['fp']), us(step['bp']), us(step['end']),
                     us(step['end'] - step['start']), us(difference(step['fp'], step['bp'])),
                     us(difference(step['bp'], step['end'])), us(step['aug']),
                     None if step['model'] == NO_MODEL else Decimal(step['model'])] +
                    [us(value) for start, end in step['reduces'] for value in (start, end - start)] +
                    [None] * 2 * (width - len(step['reduces'])) for step in steps))
    problems = 0
    if rows[0][10:] != ['Reduce Start(us)', 'Reduce Duration(us)'] * width:
        problems += 1
        print('columns', rows[0])
    found = sorted(([cell(text).normalize() if cell(text) is not None else None for text in row] for row in rows[1:]),
                   key=str)
    wanted = sorted(([value.normalize() if value is not None else None for value in row] for row in wanted), key=str)
    if found != wanted:
        problems += 1
        print('%d rows, expected %d' % (len(found), len(wanted)))
        print(*[(a, b) for a, b in zip(found, wanted) if a != b][:3], sep='\n')
    slices = []
    for step in steps:
        slices.append((step['model'], 'Iteration %d' % step['iteration'], step['start'], step['end']))
        if step['fp'] and step['bp'] and step['fp'] <= step['bp']:
            slices.append((step['model'], 'FP_BP Time %d' % step['iteration'], step['fp'], step['bp']))
            slices.append((step['model'], 'Iteration Refresh %d' % step['iteration'], step['bp'], step['end']))
        slices += [(step['model'], 'Reduce_%d_%d' % (step['iteration'], i), *span)
                   for i, span in enumerate(step['reduces'])]
    for name in ('step_trace', 'msprof'):
        with open(glob.glob(os.path.join(output, name + '_[0-9]*.json'))[0], encoding='utf-8') as file:
            events = events_of(file)
        lanes = {(e['pid'], e['tid']): e['args']['name'] for e in events if e['name'] == 'thread_name'}
        assert len(lanes) == sum(e['name'] == 'thread_name' for e in events)
        drawn = sorted((model_of(e['tid']), e['name'], int(e['ts'] * 1000),
                        int(e['ts'] * 1000) + int(e['dur'] * 1000))
                       for e in events if e['ph'] == 'X' and e['tid'] >= 69999 and e['name'] != 'GetNext'
                       and lanes[e['pid'], e['tid']] == lane_of(model_of(e['tid'])))
        if drawn != sorted(slices):
            problems += 1
            print('%s: %d slices, expected %d' % (name, len(drawn), len(slices)))
    print('%d iterations compared, %d problems' % (len(steps), problems))
    return 1 if problems or not steps else 0


if __name__ == '__main__':
    sys.exit(main())
