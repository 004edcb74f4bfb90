#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates step_trace of a capture of prof_2022.py from the marks in ts_track.

usage: recompute_2022_steps.py CAPTURE ITERATION
"""
import csv
import os
import sys
from collections import defaultdict
from fractions import Fraction

from recompute_2022_cores import Capture
from recompute_steps import difference, iterations_of, reduces_of

LEADING = ['Iteration ID', 'FP Start', 'BP End', 'Iteration End', 'Iteration Time(us)', 'FP to BP Time(us)',
           'Grad Refresh Bound(us)', 'Data Aug Bound(us)', 'Model ID']


def us(time):
    return None if time is None else time / 1000


def expected_rows(capture):
    by_model = defaultdict(list)
    for tick, step, _, model, stream in capture.marks:
        by_model[model].append((capture.time(tick), step, stream))
    rows, last_end = [], None
    assert len(by_model) == 1, 'augmentation is calculated for one model only'
    for model, marks in by_model.items():
        for number, (start, end, inside) in enumerate(iterations_of(marks), 1):
            times = {step: time for time, step, _ in inside}
            forward, backward = times.get(2), times.get(3)
            rows.append([number, forward, backward, end, us(end - start), us(difference(forward, backward)),
                         us(difference(backward, end)), us(difference(last_end, forward)), model] +
                        [value for begin, until in reduces_of(inside) for value in (begin, us(until - begin))])
            last_end = end
    width = max(len(row) for row in rows)
    return (LEADING + ['Reduce Start', 'Reduce Duration(us)'] * ((width - len(LEADING)) // 2),
            [row + [None] * (width - len(row)) for row in rows])


def main():
    capture, iteration = Capture(sys.argv[1]), int(sys.argv[2])
    titles, rows = expected_rows(capture)
    name = os.path.join(capture.path, 'summary', 'step_trace_0_%d_%d.csv' % (rows[0][LEADING.index('Model ID')],
                                                                            iteration))
    with open(name, newline='', encoding='utf-8') as file:
        header, *found = list(csv.reader(file))
    values = [[None if text == 'N/A' else Fraction(text) for text in row] for row in found]
    if header != titles or values != rows:
        print('columns %s, expected %s' % (header, titles), *zip(values, rows), sep='\n')
        return 1
    print('%d iterations compared' % len(rows))
    return 0 if rows else 1


if __name__ == '__main__':
    sys.exit(main())
