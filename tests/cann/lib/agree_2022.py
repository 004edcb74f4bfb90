#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the reports of a capture of the layout of 2022 with those that Ascend's tool of 2022 made of it: every row and
column of summary/*.csv in their order, and every event of timeline/*.json. Prints what differs; exits with 1 when
anything does.

usage: agree_2022.py EXPECTED_DIR OUR_DIR
"""
import csv
import glob
import json
import os
import sys
from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

MAX_SHOWN = 5
# The tool took the nanoseconds of these slices for ticks, and what came out for milliseconds; see msprof-cann(7).
CONVERTED_TWICE = 'AI CPU'
# Empty where the tool had no value.
NO_VALUE = {'', 'N/A'}


def number(text):
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def equal(ours, theirs):
    if ours == theirs:
        return True
    a, b = number(ours), number(theirs)
    return a is not None and b is not None and a == b


def read_table(path):
    with open(path, newline='', encoding='utf-8') as stream:
        rows = list(csv.reader(stream))
    return rows[0], rows[1:]


def compare_table(expected, ours):
    header, rows = read_table(ours)
    expected_header, expected_rows = read_table(expected)
    if header != expected_header:
        return ['columns %s, expected %s' % (header, expected_header)]
    if len(rows) != len(expected_rows):
        return ['%d rows, expected %d' % (len(rows), len(expected_rows))]
    problems = []
    for line, (row, expected_row) in enumerate(zip(rows, expected_rows), 2):
        for column, a, b in zip(header, row, expected_row):
            if not equal(a, b):
                problems.append('line %d, %s: %r, expected %r' % (line, column, a, b))
    return problems


def nanoseconds(value):
    """Times are microseconds; chip 0 has fractions of nanoseconds, which are cut."""
    return int(Decimal(repr(value)).scaleb(3).quantize(Decimal('0.01'), ROUND_HALF_EVEN))


def plain(value):
    return float(value) if isinstance(value, (int, float)) else value


class Clock:
    """Of the capture: how the tool turns ticks of the device into nanoseconds, and here back."""
    def __init__(self, capture):
        def read(name):
            with open(os.path.join(capture, 'device_0', name), encoding='utf-8') as stream:
                return stream.read()
        start = dict(line.split(': ') for line in read('dev_start.log.0').splitlines() if ': ' in line)
        self.tick = int(start['cntvct'])
        self.monotonic = int(json.loads(read('start_info.0'))['clockMonotonicRaw'])
        self.ns_per_tick = 1000 / Decimal(json.loads(read('info.json.0'))['DeviceInfo'][0]['hwts_frequency'])

    def undo_duration(self, value):
        return float(Decimal(value) / 1000 / self.ns_per_tick / 1000)

    def undo(self, value):
        return float(((Decimal(value) / 1000 - self.monotonic) / self.ns_per_tick + self.tick) / 1000)

    def undo_slice(self, event):
        duration = self.undo_duration(event['dur'])
        return event | {'ts': self.undo(event['ts']), 'dur': duration,
                        'args': event['args'] | {'Task Time(us)': self.undo_duration(event['args']['Task Time(us)'])}}


def events_of(path, clock=None):
    """clock: of a capture whose times were converted twice."""
    with open(path, encoding='utf-8') as stream:
        events = json.load(stream)
    names = {event['pid']: event['args']['name'] for event in events
             if event['ph'] == 'M' and event['name'] == 'process_name'}
    result = Counter()
    for event in events:
        if names.get(event['pid']) == CONVERTED_TWICE and event['ph'] == 'X':
            event = clock.undo_slice(event) if clock else event
            event['args']['Task Time(us)'] = nanoseconds(event['args']['Task Time(us)'])
        key = [event['name'], event['ph'], event['pid'], event['tid'], event.get('id'), event.get('bp')]
        key += [nanoseconds(event[time]) if time in event else None for time in ('ts', 'dur')]
        key += sorted((name, plain(value)) for name, value in event.get('args', {}).items())
        result[tuple(key)] += 1
    return result


def compare_timeline(expected, ours):
    clock = Clock(os.path.dirname(os.path.dirname(ours)))
    theirs, mine = events_of(expected, clock), events_of(ours)
    problems = []
    for word, difference in (('missing', theirs - mine), ('too many', mine - theirs)):
        if difference:
            problems.append('%d events %s, such as %s' % (sum(difference.values()), word,
                                                          list(difference)[:MAX_SHOWN]))
    return problems


def main():
    expected, ours = sys.argv[1:3]
    failed = False
    for directory, pattern, compare in (('summary', '*.csv', compare_table),
                                        ('timeline', '*.json', compare_timeline)):
        paths = sorted(glob.glob(os.path.join(expected, directory, pattern)))
        if not paths:
            sys.exit('no %s in %s' % (pattern, os.path.join(expected, directory)))
        for path in paths:
            name = os.path.join(directory, os.path.basename(path))
            mine = os.path.join(ours, name)
            problems = compare(path, mine) if os.path.exists(mine) else ['there is no such file']
            print('%s: %d differences' % (name, len(problems)))
            for problem in problems[:MAX_SHOWN]:
                print('    ' + problem)
            failed = failed or bool(problems)
    sys.exit(failed)


if __name__ == '__main__':
    main()
