#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random capture with msproftx records and what the reports must say of it, and compares them.

usage: agree_tx.py make DIRECTORY SEED COUNT {additional|old|2022}
       agree_tx.py check DIRECTORY
"""
import csv
import glob
import json
import os
import random
import sys
from decimal import Decimal

from prof import MONOTONIC
from prof_tx import TxProf, unix_ns

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of  # noqa: E402

EVENTS = ['marker', 'push/pop', 'start/end', 'marker_ex']
NOTHING = 'N/A'


# ---- making ----

def random_message(chance):
    words = ['step', 'load "model"', 'a,b', 'line\nend', '\u5377\u79ef', 'x' * 120, '', '\t', "it's", '=1+1']
    return ' '.join(chance.choice(words) for _ in range(chance.randint(1, 2)))[:120]


def random_events(chance, count, grid):
    """Per thread: nested ranges, ranges that overlap, marks. In the order in which they end, as they are recorded."""
    events = []
    for thread in range(1, 6):
        time, stack = thread, []
        for _ in range(count // 5):
            time += chance.randint(0, 3)
            kind = chance.choice((0, 1, 1, 2))
            event = {'thread': 1000 + thread, 'event': kind, 'start': time * grid, 'message': random_message(chance),
                     'category': chance.randint(0, 2**32 - 1), 'payload_type': chance.randint(0, 3),
                     'payload': chance.choice((0, 5, 2**63, 2**64 - 1)), 'message_type': chance.randint(0, 9)}
            stack = [end for end in stack if end > event['start']]
            if kind == 0:
                event['end'] = event['start']
            elif kind == 1 and stack and chance.random() < 0.6:
                event['end'] = min(stack[-1], event['start'] + chance.randint(0, 9) * grid)
            else:
                event['end'] = event['start'] + chance.randint(0, 40) * grid
            if kind == 1 and (not stack or event['end'] <= stack[-1]):
                stack.append(event['end'])
            events.append(event)
    events.sort(key=lambda event: event['end'])
    return events


def with_marks(chance, prof, events, layout):
    """Some are seen by the device: a mark, or both ends of a range."""
    number = 0
    for event in events:
        if chance.random() > 0.2:
            continue
        number += 1
        event.update(mark=number, event=3, domain=chance.choice((None, 'default', 'my, domain')))
        for column in ('category', 'payload_type', 'payload', 'message_type'):
            del event[column]
        if layout == '2022' or chance.random() < 0.2:
            continue
        begin = 20 * chance.randint(1, 10**6)
        if chance.random() < 0.5:
            event['device'] = [0, begin, begin, chance.randint(0, 3)]
            prof.mark(begin, event['device'][3], number)
        else:
            event['device'] = [0, begin, begin + 20 * chance.randint(1, 500), chance.randint(0, 3)]
            prof.mark(event['device'][1], event['device'][3], number, chance.choice((11, 12)))
            prof.mark(event['device'][2], event['device'][3], number, 12)


def put_additional(chance, prof, events):
    waiting = []
    for event in events:
        info = 1 if 'mark' in event else 0
        text = event['message']
        if info and chance.random() < 0.3:
            text = event['message'] = 'long ' + ''.join(chance.choice('abc,"\u5377') for _ in range(300))
        raw = text.encode()
        pieces = [raw[at:at + 156] for at in range(0, len(raw), 156)] or [b'']
        records = [dict(start=event['start'], end=event['end'], message=piece, thread=event['thread'],
                        event=event['event'], mark=event.get('mark', 0), domain=event.get('domain'), info=info,
                        segment=number, category=event.get('category', 77), payload=event.get('payload', 77),
                        payload_type=event.get('payload_type', 77), message_type=event.get('message_type', 77))
                   for number, piece in enumerate(pieces)]
        chance.shuffle(records)
        waiting += records[1:]
        prof.tx(**records[0])
        while waiting and chance.random() < 0.5:
            prof.tx(**waiting.pop())
    for record in waiting:
        prof.tx(**record)


def put_old(prof, events, size):
    for event in events:
        if 'mark' in event and size == 180:
            prof.old_tx_ex(event['start'], event['end'], event['message'], event['mark'], event['thread'])
            event['domain'] = None
        else:
            for column in ('mark', 'domain', 'device'):
                event.pop(column, None)
            event['event'] = min(event['event'], 3)
            prof.old_tx(event['start'], event['end'], event['message'], size, event['thread'], event['event'],
                        event.setdefault('category', 1), event.setdefault('payload_type', 2),
                        event.setdefault('payload', 3), event.setdefault('message_type', 4))


def make(directory, seed, count, layout):
    chance = random.Random(seed)
    mhz = (None, 25, 100)[seed % 3] if layout != '2022' else None
    prof = TxProf(os.path.join(directory, 'JOBX' if layout == '2022' else 'PROF_1'), host_mhz=mhz)
    events = random_events(chance, count, {None: 1, 25: 40, 100: 10}[mhz])
    with_marks(chance, prof, events, layout)
    if layout == 'additional':
        put_additional(chance, prof, events)
    else:
        put_old(prof, events, 180 if layout == 'old' else 256)
    if layout == '2022':
        prof.write_old()
    else:
        prof.call(20000, 0x50001, 0, 10)
        prof.write()
    with open(os.path.join(directory, 'expected.json'), 'w', encoding='utf-8') as stream:
        json.dump({'layout': layout, 'events': events}, stream)


# ---- checking ----

class Failure(Exception):
    pass


def equal(found, expected, what):
    if found != expected:
        if isinstance(found, list):
            missing, found = [row for row in expected if row not in found], [row for row in found if row not in expected]
            expected = missing
        raise Failure('%s: found %r, expected %r' % (what, found, expected))


def nanoseconds(text):
    return int(Decimal(str(text).strip()) * 1000)


def text_of(value):
    return NOTHING if value is None else str(value)


def only(pattern):
    paths = glob.glob(pattern)
    equal(len(paths), 1, pattern)
    return paths[0]


def check_new_table(path, events):
    with open(path, newline='', encoding='utf-8') as stream:
        rows = list(csv.DictReader(stream))
    equal([nanoseconds(row['Start_time(us)']) for row in rows], sorted(unix_ns(e['start']) for e in events), 'starts')
    found = sorted(tuple(row[name].rstrip('\t') if 'time' in name else row[name] for name in row) for row in rows)
    expected = []
    for event in events:
        device = event.get('device')
        us = lambda time: '%d.%03d' % divmod(unix_ns(time), 1000)
        expected.append((
            text_of(device[0]) if device else 'host', '77', text_of(event['thread']), text_of(event.get('category')),
            EVENTS[event['event']], text_of(event.get('payload_type')), text_of(event.get('payload')),
            us(event['start']), us(event['end']), text_of(event.get('message_type')), event['message'],
            text_of(event.get('domain')), text_of(event.get('mark')), us(device[1]) if device else NOTHING,
            us(device[2]) if device else NOTHING))
    equal(found, sorted(expected), 'rows')


def check_old_table(path, events):
    with open(path, newline='', encoding='utf-8') as stream:
        rows = list(csv.reader(stream))
    equal(rows[0], ['pid', 'tid', 'category', 'event_type', 'payload_type', 'payload_value', 'Start_time(ns)',
                    'End_time(ns)', 'message_type', 'message'], 'columns')
    equal(sorted(rows[1:]), sorted(
        ['77', str(e['thread']), str(e['category']), EVENTS[e['event']], str(e['payload_type']), str(e['payload']),
         str(MONOTONIC + e['start']), str(MONOTONIC + e['end']), str(e['message_type']), e['message']]
        for e in events), 'rows')


def check_nesting(slices):
    """Slices of one lane: each is inside of, or behind, every other."""
    for lane, spans in slices.items():
        open_ends = []
        for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                raise Failure('lane %r: %d to %d overlaps what ends at %d' % (lane, start, end, open_ends[-1]))
            open_ends.append(end)


def check_timeline(path, events, clock):
    with open(path, encoding='utf-8') as stream:
        trace = events_of(stream)
    names = {(e['pid'], e['tid']): e['args']['name'] for e in trace if e['name'] == 'thread_name'}
    found, marks, slices, arrows = [], [], {}, {}
    for event in trace:
        if event['ph'] in 'sf' and event.get('cat') == 'MsTx':
            arrows.setdefault(event['id'], {})[event['ph']] = nanoseconds(event['ts'])
        if event['ph'] not in 'Xi' or '@' in event['name']:
            continue
        lane = event['pid'], event['tid']
        start = nanoseconds(event['ts'])
        duration = nanoseconds(event['dur'] if event['ph'] == 'X' else event['args']['Duration(us)'])
        if event['ph'] == 'X':
            slices.setdefault(lane, []).append((start, start + duration))
        thread, _, domain = names[lane].split(' (')[0].partition(', domain ')
        if domain != {'default': ''}.get(event['args'].get('domain'), event['args'].get('domain', '')):
            raise Failure('%r of domain %r stands among those of %r' % (event['name'], event['args'].get('domain'), domain))
        number = int(thread.rsplit(' ', 1)[1])
        if names[lane].startswith('Thread'):
            found.append((number, event['name'], start, start + duration, event['args']['event_type'],
                          event['args'].get('mark_id'), event['args'].get('domain')))
        else:
            marks.append((number, event['name'], start, start + duration))
    check_nesting(slices)
    key = lambda row: tuple(map(str, row))
    equal(sorted(found, key=key), sorted(((
        e['thread'], e['message'], clock(e['start']), clock(e['end']), EVENTS[e['event']], e.get('mark'),
        e.get('domain')) for e in events), key=key), 'events of ' + path)
    seen = [e for e in events if e.get('device')]
    equal(sorted(marks), sorted((e['device'][3], e['message'], clock(e['device'][1]), clock(e['device'][2]))
                                for e in seen), 'marks of ' + path)
    equal(arrows, {str(4000000001 + e['mark']): {'s': clock(e['start']), 'f': clock(e['device'][1])} for e in seen},
          'arrows of ' + path)


def check(directory):
    with open(os.path.join(directory, 'expected.json'), encoding='utf-8') as stream:
        expected = json.load(stream)
    events = expected['events']
    if expected['layout'] == '2022':
        check_old_table(os.path.join(directory, 'JOBX', 'summary', 'msprof_tx_0_1.csv'), events)
        check_timeline(os.path.join(directory, 'JOBX', 'timeline', 'msprof_tx_0_1.json'), events,
                       lambda time: MONOTONIC + time)
    else:
        output = os.path.join(directory, 'PROF_1', 'mindstudio_profiler_output')
        check_new_table(only(os.path.join(output, 'msprof_tx_*.csv')), events)
        check_timeline(only(os.path.join(output, 'msprof_tx_*.json')), events, unix_ns)
        check_timeline(only(os.path.join(output, 'msprof_2*.json')), events, unix_ns)
    print('%d events agree' % len(events))


def main():
    if len(sys.argv) == 6 and sys.argv[1] == 'make':
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
        return 0
    if len(sys.argv) != 3 or sys.argv[1] != 'check':
        sys.exit(__doc__)
    try:
        check(sys.argv[2])
    except Failure as failure:
        print(failure)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
