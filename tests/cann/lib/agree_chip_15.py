# SPDX-License-Identifier: Apache-2.0
"""Compares tables and slices of chip 15 with those of Ascend's C++ core: agree_chip_15.py OURS EXPECTED.

No reference are, as the page of the formats says: cells of the PMU in op_summary (N/A there); durations of Biu Perf and
Block Detail, which are whole microseconds there, and times that its floating point numbers have a nanosecond lower; communication on DPUs; cells of the other kind of instruction in ccu_mission; numbers of connections.

It holds the begin of a block as a double of nanoseconds since 1970, whose step is 256, against that of the task, and leaves
the block out where rounding has made it the earlier one: 118 of 278 slices. Ours has them; the same is done to them here."""
import csv
import gzip
import json
import sys
from collections import Counter
from decimal import Decimal

from timeline import read_timeline

ours, expected = sys.argv[1:]


def table(path):
    opened = gzip.open(path, 'rt', newline='') if path.endswith('.gz') else open(path, newline='')
    with opened as stream:
        rows = [[cell.strip() for cell in row] for row in csv.reader(stream)]
    return rows[0], rows[1:]


def near(a, b, tolerance):
    if a == b:
        return True
    try:
        return abs(float(a) - float(b)) <= (tolerance if tolerance > 1e-6 else tolerance * max(1, abs(float(b))))
    except ValueError:
        return False


def compare(name):
    head, found = table('%s/%s.csv' % (ours, name))
    other_head, wanted = table('%s/%s.csv.gz' % (expected, name))
    assert head == other_head, (name, head, other_head)
    assert len(found) == len(wanted), (name, len(found), len(wanted))
    cells = 0
    key = [i for i, column in enumerate(head) if column in ('Timestamp(us)', 'Channel Id', 'API Name', 'Level')]
    if name == 'ccu_mission':
        key = [head.index(column) for column in ('Task Id', 'Notify Instruction ID', 'Notify Rank ID', 'Instruction ID')]
        zero = lambda cell: '0' if cell == 'N/A' else cell
        found.sort(key=lambda row: [zero(row[i]) for i in key])
        wanted.sort(key=lambda row: [row[i] for i in key])
    elif name in ('ccu_channel', 'api_statistic'):
        found.sort(key=lambda row: [row[i] for i in key])
        wanted.sort(key=lambda row: [row[i] for i in key])
    for row, other in zip(found, wanted):
        for column, a, b in zip(head, row, other):
            if name == 'op_summary' and (column.startswith(('aic', 'aiv')) or column == 'cube_utilization(%)'):
                assert b == 'N/A' and a != 'N/A' or 'AI_CPU' in row, (column, a, b)
                continue
            if name == 'ccu_mission' and a == 'N/A':
                continue
            tolerance = 0.25 if column == 'Task Wait Time(us)' else 1e-9  # of doubles since 1970
            assert near(a, b, tolerance), (name, column, a, b, row)
            cells += 1
    print(name, cells, 'cells')


for name in ('op_summary', 'op_statistic', 'task_time', 'api_statistic', 'ub', 'ccu_channel', 'ccu_mission'):
    compare(name)


def slices(path):
    events = read_timeline(path, parse_float=Decimal).events
    process = {e['pid']: e['args']['name'] for e in events if e.get('name') == 'process_name'}
    label = {e['pid']: e['args']['labels'] for e in events if e.get('name') == 'process_labels'}
    thread = {(e['pid'], e['tid']): e['args']['name'].split(' (')[0] for e in events if e.get('name') == 'thread_name'}
    found = {}
    for e in events:
        if e.get('ph') not in ('X', 'C'):
            continue
        of = 'DPU' if label.get(e['pid'], '').startswith('DPU') else process[e['pid']]
        args = tuple(sorted((k, '%g' % v if isinstance(v, (int, Decimal)) else v) for k, v in e['args'].items()
                            if k != 'connection_id'))
        found.setdefault(of, []).append((thread.get((e['pid'], e['tid']), ''), e['name'], Decimal(str(e['ts']).strip()),
                                         Decimal(e.get('dur', 0)), args))
    return found


def nanoseconds(event):
    return int(event[2] * 1000)


def blocks_that_doubles_leave(events, tasks):
    start_of = {dict(e[4])['Task Id']: nanoseconds(e) for e in tasks if 'Task Id' in dict(e[4])}
    blocks = {}
    for e in events:
        task = dict(e[4])['Task Id']
        if float(nanoseconds(e)) >= start_of[task]:
            blocks.setdefault((task, e[0].split()[0]), set()).add(e[1:])
    return [('%s %s' % (core, which), *choose(found, key=lambda e: e[1]))
            for (_, core), found in blocks.items() for which, choose in (('Earliest', min), ('Latest', max))]


found, wanted = slices(ours + '/msprof.json'), slices(expected + '/msprof.json.gz')
for process, events in wanted.items():
    mine = found[process]
    if process == 'DPU':
        mine = [e for e in mine if 'Rank Size' not in dict(e[4])]
    if process == 'Block Detail':
        mine = blocks_that_doubles_leave(mine, found['Ascend Hardware'])
    if process in ('Biu Perf', 'Block Detail'):
        mine = [(a, b, c, Decimal(int(d)), e) for a, b, c, d, e in mine]
    missing = Counter(events) - Counter(mine)
    if process == 'Biu Perf':
        # 37 cycles are 20 ns: where the time is whole, its sum of doubles is a little less and cut off.
        missing -= Counter((a, b, c - Decimal('0.001'), d, e) for a, b, c, d, e in mine if c * 1000 % 20 == 0)
    assert not missing, (process, list(missing.items())[:3])
    assert len(mine) == len(events), (process, len(mine), len(events))
    print(process, len(events), 'events')
