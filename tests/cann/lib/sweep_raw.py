#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the times of real captures against the ticks of their raw records: where Ascend's tool has others, ours are right.

usage: sweep_raw.py MSPROF DIRECTORY

Takes the captures that sweep.py takes. Lengths and waits of tasks and operators, and the stretches of Computing, are ticks,
rounded once; starts are those of ticks, all with one origin, rounded. Prints for each capture how many
were compared, how many lengths the tool cut off, how many of its waits are differences of doubles, and how many rows have
no record; ends with a message where one of ours differs, or one of the tool's that is neither right nor so.
"""
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from fractions import Fraction

import sweep

HALF = Fraction(1, 2)
BEGIN, END, PART_BEGIN, PART_END = 0, 1, 0x22, 0x23  # kinds of stars_soc
SWAPPED = 0x8000  # the two numbers stand in each other's place
TABLES = {'task_time': ('stream_id', 'task_id', 'task_start(us)', 'task_time(us)'),
          'op_summary': ('Stream ID', 'Task ID', 'Task Start Time(us)', 'Task Duration(us)')}


def frequency(capture):
    with open(glob.glob(capture + '/device_*/info.json.?')[0], encoding='utf-8') as file:
        text = file.read()
    return Fraction(re.search(r'"hwts_frequency": *"([0-9.]+)"', text).group(1)) * 10 ** 6


def runs_of(capture):
    """Begin and end in ticks of each run of a (stream, task), by their begin: of tasks, and of parts by their numbers."""
    data = b''.join(open(path, 'rb').read() for path in sorted(glob.glob(capture + '/device_*/data/stars_soc.data.?.slice_?')))
    begun, runs = {}, defaultdict(list)
    for at in range(0, len(data) - 63, 64):
        head, stream, task, tick, _, part = struct.unpack_from('<H2xHHQHH', data, at)
        kind = head & 63
        if stream & SWAPPED:
            stream, task = task, stream & ~SWAPPED
        key = (stream, task) + ((part,) if kind in (PART_BEGIN, PART_END) else ())
        if kind in (BEGIN, PART_BEGIN):
            begun[key] = tick
        elif kind in (END, PART_END) and key in begun:
            runs[key].append((begun.pop(key), tick))
    return runs


def ns(cell):
    return int(Fraction(cell) * 1000)


def matched(rows, titles, runs):
    """Rows with their runs, and how many have none of their own: a mixed kernel is a whole or a part, by the version."""
    stream, task, start, length = titles
    groups, found, none = defaultdict(list), [], 0
    for row in rows:
        groups[int(row[stream]), int(row[task])].append(row)
    for key, group in groups.items():
        group.sort(key=lambda row: ns(row[start]))
        own = [sorted(runs[other]) for other in (key, key + (0,)) if len(runs.get(other, [])) == len(group)]
        if not own:
            none += len(group)
            continue
        # where there are both, the one whose lengths are these
        own.sort(key=lambda run: sum(abs(ns(row[length]) - (end - begin) * TICK) for row, (begin, end) in zip(group, run)))
        found += list(zip(group, own[0]))
    return found, none


def has_origin(found, start, low):
    """Whether one origin makes every start, in ns, that of its tick; low: how far a printed time is from it at least."""
    bounds = [ns(row[start]) + low - begin * TICK for row, (begin, _) in found]
    return max(bounds) < min(bounds) + 1


def rounded(ticks):
    return int(ticks * TICK + HALF)


def check_waits(name, rows, found):
    by_row = {id(row): run for row, run in found}
    compared = 0
    for before, row in zip(rows, rows[1:]):
        if id(before) in by_row and id(row) in by_row:
            right = max(0, rounded(by_row[id(row)][0] - by_row[id(before)][1]))
            if ns(row['Task Wait Time(us)']) != right:
                sys.exit('%s: wait of %s: %s, right %d ns' % (name, row['Op Name'], row['Task Wait Time(us)'], right))
            compared += 1
    return compared


def check_double_waits(name, rows):
    """The tool's waits are differences of microseconds since 1970 in doubles, multiples of a quarter, without a length."""
    for before, row in zip(rows, rows[1:]):
        apart = float(row['Task Start Time(us)']) - float(before['Task Start Time(us)'])
        wait = max(0, Fraction(apart) - Fraction(before['Task Duration(us)']))
        if abs(wait - Fraction(row['Task Wait Time(us)'])) > Fraction(1, 1000):
            sys.exit('%s: wait of %s of the tool: %s, in doubles %s' % (
                name, row['Op Name'], row['Task Wait Time(us)'], float(wait)))
    return max(0, len(rows) - 1)


def check_computing(name, events, runs):
    """Stretches of Computing are the unions of what operators ran."""
    union = []
    for begin, end in sorted(runs):
        if union and begin <= union[-1][1]:
            union[-1][1] = max(union[-1][1], end)
        else:
            union.append([begin, end])
    found = sorted(ns(str(event['dur'])) for event in events if event['ph'] == 'X' and event['name'] == 'Computing')
    right = sorted(rounded(end - begin) for begin, end in union)
    if found != right:
        sys.exit('%s: Computing: %s, right %s' % (name, found[:9], right[:9]))
    return len(right)


def main():
    global TICK
    msprof, samples = os.path.abspath(sys.argv[1]), sys.argv[2]
    all_compared = 0
    for source in sorted(glob.glob(samples + '/cann-*/vendor')):
        name = os.path.basename(os.path.dirname(source))
        with tempfile.TemporaryDirectory() as scratch:
            capture, output = sweep.unpacked(os.path.dirname(source), scratch), os.path.join(scratch, 'out')
            TICK, runs, counts = Fraction(10 ** 9) / frequency(capture), runs_of(capture), Counter()
            version = ([('--cann-version', version) for part, version in sweep.VERSIONS.items() if part in name] or [()])[0]
            for kind in (('summary',), ('timeline', '--trace-compat')):
                subprocess.run([msprof, 'export', kind[0], capture, '--output', output, '--stable-names', '-q', *kind[1:],
                                *version], check=False, stderr=subprocess.DEVNULL)
            made = os.path.join(output, 'mindstudio_profiler_output')
            for table, titles in TABLES.items():
                paths = glob.glob('%s/%s_2*.csv' % (source, table))
                if not paths:
                    continue
                rows, theirs = sweep.table('%s/%s.csv' % (made, table))[1], sweep.table(paths[0])[1]
                found, none = matched(rows, titles, runs)
                counts['without'] += none
                for row, (begin, end) in found:
                    counts['compared'] += 2
                    if ns(row[titles[3]]) != rounded(end - begin):
                        sys.exit('%s: %s: %s, right %d ns' % (name, table, row, rounded(end - begin)))
                if found and not has_origin(found, titles[2], -HALF):
                    sys.exit('%s: %s: starts of ours have no origin' % (name, table))
                others, _ = matched(theirs, titles, runs)
                for row, (begin, end) in others:
                    apart = rounded(end - begin) - ns(row[titles[3]])
                    if apart not in (-1, 0, 1):
                        sys.exit('%s: %s: %s of the tool is %d ns off' % (name, table, row, apart))
                    counts['cut'] += apart != 0
                if others and not any(has_origin(others, titles[2], low) for low in (0, -HALF)):
                    sys.exit('%s: %s: starts of the tool are not cut off' % (name, table))
                if table == 'op_summary':
                    counts['compared'] += check_waits(name, rows, found)
                    counts['doubles'] += check_double_waits(name, theirs)
                    if none == 0:
                        with open(made + '/msprof.json', encoding='utf-8') as file:
                            events = json.load(file)
                        counts['compared'] += check_computing(name, events, [run for _, run in found])
            print('%s: %d compared, %d lengths of the tool are cut off, %d waits of it are of doubles, %d rows have no record' % (
                name, counts['compared'], counts['cut'], counts['doubles'], counts['without']))
            all_compared += counts['compared']
    print(all_compared, 'compared')


TICK = Fraction(0)
if __name__ == '__main__':
    main()
