#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every table and the timeline of real captures against those that Ascend's own tool made of them.

usage: sweep.py MSPROF DIRECTORY [NAME...]

DIRECTORY has directories with a capture, PROF_* or capture.tar.gz, and vendor/ with the tool's files. Prints for each
table of each capture how many cells, titles and places of rows were compared, how many differ, and how many of these
are known to, with the reason; then those that are not, and how many there are in all. Ends with 1 where there is one.
"""
import csv
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from decimal import Decimal, InvalidOperation

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import read_timeline

csv.field_size_limit(10 ** 9)
RENAMED = {'Block Dim': 'Block Num', 'Mix Block Dim': 'Mix Block Num'}
KEYS = {
    'api_statistic': ('API Name', 'Level'),
    'op_statistic': ('OP Type', 'Core Type'),
    'task_time': ('stream_id', 'task_id'),
    'op_summary': ('Stream ID', 'Task ID', 'Context ID'),
    'l2_cache': ('Stream Id', 'Task Id'),
}
LAST_DIGIT = Decimal('0.0011')
# Versions whose names the tool wrote that made what stands beside a capture.
VERSIONS = {'cann-310b-2024': '8.0.RC1', 'cann-910b-2026-06': '8.5', 'cann-910b-2026': '9.0'}
OF_2024 = '310b-2024'
# Microseconds that the tool of 2024 is apart: it took another origin for the clocks of the host, and of the device.
ORIGIN_2024 = Decimal('4.2')
DOUBLE = Decimal('0.5')  # microseconds since 1970 in a double are multiples of a quarter


def number(text):
    try:
        return Decimal(text)
    except (TypeError, InvalidOperation):
        return None


def apart(ours, theirs):
    a, b = number(ours), number(theirs)
    return abs(a - b) if a is not None and b is not None else None


def close(limit):
    return lambda ours, theirs: apart(ours, theirs) is not None and apart(ours, theirs) <= limit


def texts(ours, theirs):
    return lambda a, b: a == ours and b == theirs


STARTS = ('task_start(us)', 'task_stop(us)', 'Task Start Time(us)', 'ts')

# Known differences and their reasons, of which sweep_raw.py proves those of times by the raw records: part of the
# capture's name, tables, columns, a test of both cells, the reason. First that fits.
KNOWN = [
    ('', ('task_time', 'op_summary', 'timeline'), STARTS, close(LAST_DIGIT),
     'the tool cuts times off to nanoseconds; ours are rounded'),
    (OF_2024, ('task_time', 'op_summary', 'timeline'), STARTS, close(ORIGIN_2024),
     'the tool of 2024 counted from another origin: all times of a clock are apart by the same'),
    ('', ('task_time', 'op_summary'), ('task_time(us)', 'Task Duration(us)'), close(LAST_DIGIT),
     'the tool cuts lengths off, or subtracts times that it cut off; ours are ticks, rounded once'),
    ('', ('timeline',), ('dur', 'ts'), close(2 * LAST_DIGIT), 'of what overlaps: of two times that the tool cut off'),
    ('', ('op_summary',), ('Task Wait Time(us)',), close(DOUBLE), 'the tool subtracts times as doubles'),
    ('', ('op_summary',), ('cube_utilization(%)',), close(Decimal('0.005')), 'of a length that the tool cut off'),
    ('', ('api_statistic',), ('Avg(us)', 'Variance'), close(LAST_DIGIT),
     'a tie: the tool rounds a double, ours is rounded away from zero'),
    (OF_2024, ('timeline',), ('row',), lambda a, b: True,
     'the tool of 2024 has no Free at the ends, and no call that began before the collection'),
    (OF_2024, ('processes',), ('sort_index', 'name', 'labels'), lambda a, b: b == 'no row',
     'the tool of 2024 shows no frequency, no Overlap Analysis where nothing computed, and places none of its threads'),
    (OF_2024, ('counters',), ('row',), lambda a, b: b == 'no row', 'the tool of 2024 shows no frequency'),
    ('', ('processes', 'counters'), ('sort_index', 'name', 'labels', 'row', 'ts'), lambda a, b: b == 'no row',
     'the tool shows no voltages'),
    ('', ('counters',), ('ts',), close(LAST_DIGIT), 'the tool cuts times off to nanoseconds; ours are rounded'),
    (OF_2024, ('arguments',), ('Task Type',), lambda a, b: b in ('PLACE_HOLDER_SQE', 'AI_CORE'),
     'the tool of 2024 wrote what the device ran'),
    ('', ('arguments',), ('connection_id',), lambda a, b: b == 'no call' or a == 'no call',
     'the tool numbers what no call launched behind all calls, or not at all'),
]


def unpacked(source, directory):
    archive = os.path.join(source, 'capture.tar.gz')
    if os.path.exists(archive):
        with tarfile.open(archive) as opened:
            opened.extractall(directory)
    else:
        for path in glob.glob(source + '/PROF_*'):
            shutil.copytree(path, os.path.join(directory, os.path.basename(path)))
    return glob.glob(directory + '/PROF_*')[0]


def table(path):
    with open(path, newline='', encoding='utf-8') as opened:
        rows = list(csv.reader(opened))
    titles = [RENAMED.get(title, title) for title in rows[0]]
    return titles, [dict(zip(titles, (cell.rstrip('\t') for cell in row))) for row in rows[1:]]


def numbered(rows, key):
    """Rows by their key, and their place among those of the same key."""
    seen, result = Counter(), {}
    for row in rows:
        name = tuple(row.get(title, '') for title in key)
        result[name + (seen[name],)] = row
        seen[name] += 1
    return result


FORMS = ('Ratio(%)', 'Variance')  # columns in which 100 and 100.0 differ, by the version


def same(ours, theirs, column=''):
    a, b = number(ours), number(theirs)
    return ours == theirs or (column not in FORMS and a is not None and b is not None and a == b)


class Sweep:
    def __init__(self):
        self.counts = defaultdict(Counter)
        self.reasons = Counter()
        self.unknown = []

    def compare(self, capture, what, place, column, ours, theirs):
        counts = self.counts[capture, what]
        counts['compared'] += 1
        if same(ours, theirs, column):
            return
        counts['different'] += 1
        for part, tables, columns, fits, reason in KNOWN:
            if part in capture and what in tables and column in columns and fits(ours, theirs):
                counts['known'] += 1
                self.reasons[what, column, reason] += 1
                return
        self.unknown.append('%s: %s: %s: %s is %s, %s of the tool' % (capture, what, place, column, ours, theirs))

    def rows(self, capture, what, ours, theirs, columns):
        for key, row in theirs.items():
            for column in columns:
                mine = ours[key].get(column, 'no column') if key in ours else 'no row'
                self.compare(capture, what, ' '.join(map(str, key)), column, mine, row[column])
        for key in ours.keys() - theirs.keys():
            self.compare(capture, what, ' '.join(map(str, key)), 'row', 'a row', 'no row')

    def tables(self, capture, directory, vendor):
        """Cells by the keys of their rows; titles, rows and files in the order in which they stand."""
        paths = sorted(glob.glob(vendor + '/*.csv'))
        for path in paths:
            what = os.path.basename(path).rsplit('_', 1)[0]
            titles, theirs = table(path)
            mine = os.path.join(directory, what + '.csv')
            own_titles, ours = table(mine) if os.path.exists(mine) else ([], [])
            key = KEYS[what]
            self.rows(capture, what, numbered(ours, key), numbered(theirs, key), titles)
            self.lists(capture, what, 'title', own_titles, titles)
            self.lists(capture, what, 'order', *(['/'.join(row.get(title, '') for title in key) for row in rows]
                                                 for rows in (ours, theirs)))
        self.lists(capture, 'files', 'name', sorted(name for name in os.listdir(directory) if name.endswith('.csv')),
                   [os.path.basename(path).rsplit('_', 1)[0] + '.csv' for path in paths])

    def lists(self, capture, what, column, ours, theirs):
        for place in range(max(len(ours), len(theirs))):
            both = (each[place] if place < len(each) else 'none' for each in (ours, theirs))
            self.compare(capture, what, 'place %d' % place, column, *both)

    def timeline(self, capture, directory, vendor):
        """Slices of the devices' tasks and of what overlaps, by their names and places."""
        theirs = read_timeline(glob.glob(vendor + '/msprof_*.json.gz')[0]).events
        ours = read_timeline(os.path.join(directory, 'msprof.json')).events
        both = slices(ours), slices(theirs)
        self.rows(capture, 'timeline', *both, ('ts', 'dur'))
        for key in both[0].keys() & both[1].keys():
            mine, row = both[0][key]['args'], both[1][key]['args']
            for column in sorted(mine.keys() | row.keys()):
                self.compare(capture, 'arguments', ' '.join(map(str, key)), column, mine.get(column, 'none'),
                             row.get(column, 'none'))
        for what, read in (('processes', processes), ('counters', counters)):
            mine, rows = read(ours), read(theirs)
            for key in sorted(mine.keys() | rows.keys()):
                self.compare(capture, what, ' '.join(map(str, key)), key[-1], mine.get(key, 'no row'),
                             rows.get(key, 'no row'))


def processes(events):
    """Names, labels and places of processes and of the threads of Overlap Analysis."""
    names = {event['pid']: event['args']['name'] for event in events if event['name'] == 'process_name'}
    threads = {(event['pid'], event['tid']): event['args']['name'] for event in events if event['name'] == 'thread_name'}
    found = {}
    for event in events:
        if event['ph'] != 'M':
            continue
        thread = threads.get((event['pid'], event['tid']), '') if event['name'].startswith('thread') else ''
        for name, value in event['args'].items():
            found[names[event['pid']], thread, event['name'], name] = str(value)
    return found


def counters(events):
    """Values of counters where they change."""
    found, last = {}, {}
    for event in sorted((event for event in events if event['ph'] == 'C'), key=lambda event: Decimal(str(event['ts']))):
        for name, value in event['args'].items():
            counter = event['name'], name
            if last.get(counter, ('', 0))[0] == value:
                continue
            number = last.get(counter, ('', 0))[1] + 1
            last[counter] = value, number
            found[counter + (number, 'row')] = str(value)
            if number > 1:  # the first is from the start on
                found[counter + (number, 'ts')] = str(event['ts'])
    return found


def slices(events):
    """Slices by process, thread, what they are, and their place among those; connections by the call that has it."""
    names = {event['pid']: event['args']['name'] for event in events if event['name'] == 'process_name'}
    threads = {(event['pid'], event['tid']): event['args']['name'] for event in events if event['name'] == 'thread_name'}
    found, calls, seen = [], {}, Counter()
    for event in sorted((event for event in events if event['ph'] == 'X'), key=lambda event: Decimal(str(event['ts']))):
        connection = event.get('args', {}).get('connection_id')
        if names.get(event['pid']) == 'CANN' and connection is not None:
            calls[connection] = '%s %d' % (event['name'], seen[event['name']]) if connection not in calls else 'several'
            seen[event['name']] += 1
    for event in events:
        process = names.get(event.get('pid'))
        if event['ph'] == 'X' and process in ('Ascend Hardware', 'Overlap Analysis', 'CANN'):
            args = event.get('args', {})
            args = {name: str(value) for name, value in args.items()}
            if process != 'Overlap Analysis':
                args['connection_id'] = calls.get(event['args'].get('connection_id'), 'no call')
            place = (args.get('Task Id'), args.get('Subtask Id')) if process == 'Ascend Hardware' else (event['name'],)
            found.append((process, threads.get((event['pid'], event['tid']), event['tid'])) + place +
                         (Decimal(str(event['ts'])), {'ts': str(event['ts']), 'dur': str(event['dur']), 'args': args}))
    found.sort(key=lambda item: item[-2])
    seen, result = Counter(), {}
    for *place, _, row in found:
        key = tuple(map(str, place))
        result[key + (seen[key],)] = row
        seen[key] += 1
    return result


def main():
    msprof, samples, wanted = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    sweep = Sweep()
    for source in sorted(glob.glob(samples + '/cann-*')):
        name = os.path.basename(source)
        if not os.path.isdir(source + '/vendor') or (wanted and name not in wanted):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            capture = unpacked(source, scratch)
            output = os.path.join(scratch, 'out')
            version = [('--cann-version', version) for part, version in VERSIONS.items() if part in name][0]
            for kind in (('summary',), ('timeline', '--trace-compat')):
                subprocess.run([msprof, 'export', kind[0], capture, '--output', output, '--stable-names', '-q',
                                *kind[1:], *version],
                               check=False, stderr=subprocess.DEVNULL)
            made = os.path.join(output, 'mindstudio_profiler_output')
            sweep.tables(name, made, source + '/vendor')
            sweep.timeline(name, made, source + '/vendor')
    print('%-30s %-14s %8s %9s %6s' % ('capture', 'table', 'compared', 'different', 'known'))
    for (capture, what), counts in sorted(sweep.counts.items()):
        print('%-30s %-14s %8d %9d %6d' % (capture, what, counts['compared'], counts['different'], counts['known']))
    for (what, column, reason), count in sorted(sweep.reasons.items()):
        print('known: %s, %s: %d cells: %s' % (what, column, count, reason))
    by_column = Counter()
    for line in sweep.unknown:
        place = line.split(': ', 3)
        by_column[place[0], place[1], place[3].split(' is ')[0]] += 1
        if by_column[place[0], place[1], place[3].split(' is ')[0]] <= 2:
            print('not known:', line[:300])
    for place, count in sorted(by_column.items()):
        print('not known: %d of %s' % (count, ', '.join(place)))
    print('%d cells compared, %d different, %d of them known' % (
        sum(counts['compared'] for counts in sweep.counts.values()),
        sum(counts['different'] for counts in sweep.counts.values()),
        sum(counts['known'] for counts in sweep.counts.values())))
    return 1 if sweep.unknown or not sweep.counts else 0


if __name__ == '__main__':
    sys.exit(main())
