#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates what a program said of itself with mstx: known_marks.py CAPTURE PRINTED.

PRINTED has a line for each mark and range that the program made: event, number (0: not known), message, domain, thread.
The raw records of the capture must be those, and so must be the table, the database for viewers and the timeline.
"""

import collections
import csv
import glob
import os
import sqlite3
import struct
import sys

from timeline import read_timeline

EVENTS = {0: 'marker', 2: 'start/end'}


def only(pattern):
    paths = glob.glob(pattern)
    assert len(paths) == 1, (pattern, paths)
    return paths[0]


def hash_of(text):
    high = low = 0
    for byte in text.encode():
        signed = byte - 256 if byte > 127 else byte
        high = (high * 29 + signed) & 0xffffffff
        low = (low * 131 + signed) & 0xffffffff
    return high << 32 | low


def raw_records(capture, domains):
    hashes = {hash_of(name): name for name in domains}
    for path in glob.glob(os.path.join(capture, 'host/data/unaging.additional.msproftx.slice_*')):
        if path.endswith('.done'):
            continue
        with open(path, 'rb') as stream:
            data = stream.read()
        assert len(data) % 256 == 0, len(data)
        for record in struct.iter_unpack('<HH3IQ2HI2H4Ii5Qi156s', data):
            (info,) = record[6:7]
            assert info == 1, 'records of mstx are extended ones'
            thread, event = record[12], record[14]
            start, end, mark, domain = record[17:21]
            yield EVENTS[event], mark, record[22].split(b'\0')[0].decode(), hashes[domain], thread, start, end


def known(path):
    with open(path, encoding='utf-8') as stream:
        return [line.rstrip('\n').split('\t') for line in stream]


def main():
    capture, printed = sys.argv[1:]
    told = [(event, int(number), message, domain, int(thread)) for event, number, message, domain, thread in known(printed)]
    raw = list(raw_records(capture, {row[3] for row in told} | {'default'}))
    same = lambda rows: collections.Counter((r[0], 0 if r[0] == 'marker' else r[1], *r[2:5]) for r in rows)
    assert same(told) == same(raw), (same(told) - same(raw), same(raw) - same(told))
    assert len({row[1] for row in raw}) == len(raw), 'numbers come once'
    assert all(row[5] <= row[6] and (row[0] != 'marker' or row[5] == row[6]) for row in raw)

    output = os.path.join(capture, 'mindstudio_profiler_output')
    with open(only(os.path.join(output, 'msprof_tx_*.csv')), encoding='utf-8', newline='') as stream:
        table = list(csv.DictReader(stream))
    rows = [(r['event_type'], int(r['mark_id']), r['message'], r['domain'], int(r['tid'])) for r in table]
    assert sorted(rows) == sorted(row[:5] for row in raw)
    spans = {int(r['mark_id']): [round(float(r[k].strip().split('.')[0][-7:]) * 1000 + int(r[k].strip().split('.')[1]))
                                 for k in ('Start_time(us)', 'End_time(us)')] for r in table}
    for row in raw:
        start, end = spans[row[1]]
        assert (end - start) % 10**10 == row[6] - row[5], (row, start, end)

    paths = glob.glob(os.path.join(capture, 'msprof_*.db'))
    if paths:
        database = sqlite3.connect(paths[0])
        found = database.execute(
            'SELECT e.name, m.value, d.value, t.globalTid & 4294967295, t.endNs - t.startNs FROM MSTX_EVENTS t'
            ' JOIN ENUM_MSTX_EVENT_TYPE e ON e.id = t.eventType JOIN STRING_IDS m ON m.id = t.message'
            ' JOIN STRING_IDS d ON d.id = t.domainId').fetchall()
        assert sorted(found) == sorted((r[0], r[2], r[3], r[4], r[6] - r[5]) for r in raw)

    trace = read_timeline(only(os.path.join(output, 'msprof_2*.json'))).events
    names = {(e['pid'], e['tid']): e['args']['name'] for e in trace if e['name'] == 'thread_name'}
    drawn = collections.Counter()
    for event in trace:
        if event['ph'] in 'Xi' and 'mark_id' in event.get('args', {}):
            drawn[names[event['pid'], event['tid']].split(' (')[0], event['name'], event['args']['domain']] += 1
    place = lambda r: 'Thread %d' % r[4] + ('' if r[3] == 'default' else ', domain ' + r[3])
    assert drawn == collections.Counter((place(r), r[2], r[3]) for r in raw), drawn
    print(len(raw))


main()
