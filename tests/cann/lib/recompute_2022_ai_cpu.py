#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates aicpu of a capture of prof_2022.py, and the AI CPU's slices in its timelines, from DATA_PREPROCESS.AICPU.

usage: recompute_2022_ai_cpu.py CAPTURE ITERATION
"""
import csv
import os
import struct
import sys
from decimal import Decimal
from fractions import Fraction

from recompute import records
from recompute_2022_cores import Capture

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of  # noqa: E402

TITLES = ['Timestamp', 'Node', 'Compute_time(ms)', 'Memcpy_time(ms)', 'Task_time(ms)', 'Dispatch_time(ms)',
          'Total_time(ms)']
ARGUMENTS = ['Compute Time(us)', 'Memcpy Time(us)', 'Task Time(us)', 'Dispatch Time(us)', 'Total Time(us)']


def expected_rows(capture, iteration):
    """Times in microseconds."""
    after, until = capture.bounds(iteration)
    rows = []
    for record in records(capture.data, 'DATA_PREPROCESS.AICPU.0', 128):
        magic, tag, stream, task = struct.unpack_from('<4H', record)
        start, compute, copy, copied = struct.unpack_from('<4Q', record, 16)
        end, = struct.unpack_from('<Q', record, 56)
        dispatch, total = struct.unpack_from('<II', record, 108)
        assert (magic, tag) == (0x5a5a, 60)
        if after < end <= until:
            rows.append([capture.time(start) / 1000, capture.operators[stream, task][0], copy - compute, copied - copy,
                         (capture.time(end) - capture.time(start)) / 1000, dispatch, total])
    return sorted(rows)


def main():
    capture, iteration = Capture(sys.argv[1]), int(sys.argv[2])
    rows, problems = expected_rows(capture, iteration), []
    suffix = '_0_%d_%d' % (capture.marks[0][3], iteration)
    with open(os.path.join(capture.path, 'summary', 'aicpu%s.csv' % suffix), newline='', encoding='utf-8') as file:
        header, *found = list(csv.reader(file))
    values = [[Fraction(text) * 1000 if i != 1 else text for i, text in enumerate(row)] for row in found]
    if header != TITLES or values != rows:
        problems += ['aicpu: %s' % header, *zip(values, rows)]
    for name in ('task_time', 'msprof'):
        with open(os.path.join(capture.path, 'timeline', name + suffix + '.json'), encoding='utf-8') as file:
            events = events_of(file)
        lanes = {event['pid']: event['args']['name'] for event in events if event['name'] == 'process_name'}
        drawn = sorted([event['ts'], event['name'], *(event['args'][key] for key in ARGUMENTS)]
                       for event in events if event['ph'] == 'X' and lanes[event['pid']] == 'AI CPU'
                       and event['dur'] == event['args']['Task Time(us)'])
        if [[Fraction(value) if not isinstance(value, str) else value for value in row] for row in drawn] != rows:
            problems += ['%s: %d slices, expected %d' % (name, len(drawn), len(rows))]
    print(*problems, '%d executions compared' % len(rows), sep='\n')
    return 1 if problems or not rows else 0


if __name__ == '__main__':
    sys.exit(main())
