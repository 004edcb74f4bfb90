#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the reports of a CANN capture with those that Ascend's own tool made of it: every row and column of the
tables, and of the timeline the processes, threads, slices and pairs of arrow ends. Prints what differs; exits with 1
when anything does.

usage: agree.py EXPECTED_DIR OUR_DIR table...|timeline
"""
import bisect
import csv
import glob
import os
import sys
from collections import Counter
from decimal import Decimal, InvalidOperation

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of, whole_name  # noqa: E402

MAX_SHOWN = 5

# Differences between the tool's own two implementations, by column: how far values may be apart.
TOLERANCES = {
    'Variance': Decimal('0.001'),
}
WAIT = 'Task Wait Time(us)'


def number(text):
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def equal(column, ours, theirs):
    if ours == theirs:
        return True
    if column == 'Device_id' and {ours, theirs} == {'host', '0'}:
        return True
    a, b = number(ours), number(theirs)
    return a is not None and b is not None and abs(a - b) <= TOLERANCES.get(column, 0)


def read_table(path):
    with open(path, newline='', encoding='utf-8') as stream:
        rows = [[cell.strip() for cell in row] for row in csv.reader(stream)]
    return rows[0], rows[1:]


def sort_key(header):
    keys = [name for name in ('Device_id', 'stream_id', 'Stream ID', 'task_id', 'Task ID', 'task_start(us)',
                              'Task Start Time(us)', 'Level', 'API Name', 'OP Type', 'Core Type') if name in header]
    places = [header.index(name) for name in keys if name != 'Device_id']
    return lambda row: [row[place] for place in places]


def newest(directory, pattern):
    found = sorted(glob.glob(os.path.join(directory, pattern)))
    if not found:
        sys.exit('no %s in %s' % (pattern, directory))
    return found[-1]


def waits(header, rows, kind):
    """From the end of each row's predecessor to its start, in decimals or in doubles."""
    start, duration = header.index('Task Start Time(us)'), header.index('Task Duration(us)')
    previous = None
    for row in rows:
        begin = kind(row[start])
        yield kind(0) if previous is None else max(kind(0), begin - kind(previous[start]) - kind(previous[duration]))
        previous = row


def check_waits(header, rows, expected_rows):
    """Ours are exact. Of the tool's implementations that of Python (two decimals) is exact too, that of C++ (six) reads
    the printed times into doubles, which near 1.7e15 us are 0.25 us apart; so it would print of our rows what it did.
    Gives the problems, and takes the tool's values for ours."""
    place = header.index(WAIT)
    problems = ['%s: %s, expected %s, in row %s' % (WAIT, row[place], wait, row[:10])
                for row, wait in zip(rows, waits(header, rows, Decimal)) if Decimal(row[place]) != wait]
    if any('.' in row[place] and len(row[place].split('.')[1]) == 6 for row in expected_rows):
        for row, wait in zip(rows, waits(header, rows, float)):
            row[place] = '%.6f' % wait
    return problems


def compare_table(expected, ours, name):
    header, rows = read_table(newest(ours, name + '_[0-9]*.csv'))
    expected_header, expected_rows = read_table(os.path.join(expected, name + '.csv'))
    problems = []
    if header != expected_header:
        problems.append('columns %s, expected %s' % (header, expected_header))
    if len(rows) != len(expected_rows):
        problems.append('%d rows, expected %d' % (len(rows), len(expected_rows)))
    if WAIT in header:
        problems += check_waits(header, rows, expected_rows)
    if not problems:
        key = sort_key(header)
        for row, expected_row in zip(sorted(rows, key=key), sorted(expected_rows, key=key)):
            for column, a, b in zip(header, row, expected_row):
                if not equal(column, a, b):
                    problems.append('%s: %s, expected %s, in row %s' % (column, a, b, row[:10]))
    return ['%s: %s' % (name, problem) for problem in problems], len(rows)


def nanoseconds(value):
    return int(Decimal(str(value)) * 1000)


class Timeline:
    def __init__(self, path):
        with open(path, encoding='utf-8') as stream:
            events = events_of(stream)
        self.processes = {event['pid']: event['args']['name'] for event in events
                          if event['ph'] == 'M' and event['name'] == 'process_name'}
        self.threads = {(self.processes[event['pid']], event['tid'], event['args']['name']) for event in events
                        if event['ph'] == 'M' and event['name'] == 'thread_name'}
        self.slices = Counter()
        starts, ends = {}, []
        for event in events:
            process = self.processes.get(event['pid'])
            if event['ph'] == 'X':
                # The tool's durations are doubles: "8.950000000000001" is 8.95.
                duration = int((Decimal(event['dur']) * 1000).to_integral_value())
                self.slices[(process, event['tid'], whole_name(event), nanoseconds(event['ts']), duration)] += 1
            elif event['ph'] == 's':
                starts[event['id']] = (process, event['tid'], nanoseconds(event['ts']))
            elif event['ph'] == 'f':
                ends.append((event['id'], (process, event['tid'], nanoseconds(event['ts']))))
        self.arrows = Counter((starts.get(id), end) for id, end in ends)


def compare_counters(name, ours, theirs):
    problems = []
    missing, extra = theirs - ours, ours - theirs
    if missing:
        problems.append('%s: %d missing, such as %s' % (name, sum(missing.values()), list(missing)[:MAX_SHOWN]))
    if extra:
        problems.append('%s: %d too many, such as %s' % (name, sum(extra.values()), list(extra)[:MAX_SHOWN]))
    return problems


def launch_of(timeline, start):
    """Both implementations start an arrow somewhere inside of the launching call: name the launch instead."""
    if start is None:
        return None
    process, tid, time = start
    if not hasattr(timeline, 'launches'):
        timeline.launches = sorted((tid, begin, begin + duration) for process, tid, name, begin, duration
                                   in timeline.slices if name == 'Node@launch')
    place = bisect.bisect_right(timeline.launches, (tid, time, float('inf'))) - 1
    if place >= 0 and timeline.launches[place][0] == tid and timeline.launches[place][2] >= time:
        return process, tid, timeline.launches[place][1]
    return start


def compare_timeline(expected, ours):
    a = Timeline(newest(ours, 'msprof_[0-9]*.json'))
    b = Timeline(os.path.join(expected, 'msprof.json'))
    problems = []
    if set(a.processes.values()) != set(b.processes.values()):
        problems.append('processes %s, expected %s' % (set(a.processes.values()), set(b.processes.values())))
    if a.threads != b.threads:
        problems.append('threads %s, expected %s' % (a.threads - b.threads, b.threads - a.threads))
    problems += compare_counters('slices', a.slices, b.slices)
    problems += compare_counters('arrows',
                                 Counter({(launch_of(a, s), e): n for (s, e), n in a.arrows.items()}),
                                 Counter({(launch_of(b, s), e): n for (s, e), n in b.arrows.items()}))
    return ['timeline: ' + problem for problem in problems], sum(a.slices.values())


def main():
    expected, ours, reports = sys.argv[1], sys.argv[2], sys.argv[3:]
    problems, compared = [], 0
    for report in reports:
        found, count = compare_timeline(expected, ours) if report == 'timeline' else compare_table(expected, ours, report)
        problems += found
        compared += count
    for problem in problems[:40]:
        print(problem)
    print('%d rows and slices compared, %d differences' % (compared, len(problems)))
    return 1 if problems or compared == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
