#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what tests/acl/tx_threads says that it did with the reports of the capture that the library made of it.

usage: agree_program.py CAPTURE SAID
"""
import csv
import glob
import json
import os
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of  # noqa: E402

EVENTS = ['marker', 'push/pop', 'start/end', 'marker_ex']


def nanoseconds(text):
    return int(Decimal(str(text).strip()) * 1000)


def read_said(path, offset):
    """By message: thread, type, and when it began and ended at the earliest and the latest."""
    said = {}
    with open(path, encoding='utf-8') as stream:
        for line in stream:
            thread, kind, *times, message = line.rstrip('\n').split(' ', 6)
            said[message] = (int(thread), EVENTS[int(kind)], *(int(time) + offset for time in times))
    return said


def differences(what, said, events):
    """events: message, process, thread, type, start, end."""
    found, process = {}, None
    for message, pid, thread, kind, start, end in events:
        process = process or pid
        if message in found or message not in said:
            yield '%s: %r is there twice, or nobody made it' % (what, message)
            continue
        found[message] = True
        expected = said[message]
        if (thread, kind) != expected[:2] or pid != process:
            yield '%s: %r is %r of thread %d' % (what, message, kind, thread)
        if not (expected[2] <= start <= expected[3] and expected[4] <= end <= expected[5]):
            yield '%s: %r is from %d to %d, expected %r' % (what, message, start, end, expected[2:])
        if kind in (EVENTS[0], EVENTS[3]) and start != end:
            yield '%s: the mark %r lasts %d ns' % (what, message, end - start)
    for message in said.keys() - found.keys():
        yield '%s: %r is missing' % (what, message)


def table(path):
    with open(path, newline='', encoding='utf-8') as stream:
        for row in csv.DictReader(stream):
            yield (row['message'], int(row['pid']), int(row['tid']), row['event_type'],
                   nanoseconds(row['Start_time(us)']), nanoseconds(row['End_time(us)']))


def timeline(path):
    with open(path, encoding='utf-8') as stream:
        trace = events_of(stream)
    lanes = {(e['pid'], e['tid']): int(e['args']['name'].split()[1]) for e in trace if e['name'] == 'thread_name'}
    last = {}
    slices = [event for event in trace if event['ph'] == 'X']
    for event in sorted(slices, key=lambda e: (nanoseconds(e['ts']), -nanoseconds(e['dur']))):
        start = nanoseconds(event['ts'])
        end = start + nanoseconds(event['dur'])
        lane = event['pid'], event['tid']
        ends = last.setdefault(lane, [])
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and end > ends[-1]:
            sys.exit('%s: %r overlaps another range of its lane' % (path, event['name']))
        ends.append(end)
        yield event['name'], event['pid'], lanes[lane], event['args']['event_type'], start, end


def main():
    capture = sys.argv[1]
    with open(os.path.join(capture, 'host', 'start_info'), encoding='utf-8') as stream:
        start = json.load(stream)
    offset = int(start['collectionTimeBegin']) * 1000 - int(start['clockMonotonicRaw'])
    said = read_said(sys.argv[2], offset)
    output = os.path.join(capture, 'mindstudio_profiler_output')
    different = 0
    for pattern, read in (('msprof_tx_*.csv', table), ('msprof_tx_*.json', timeline), ('msprof_2*.json', timeline)):
        paths = glob.glob(os.path.join(output, pattern))
        if len(paths) != 1:
            sys.exit('%s: %d files' % (pattern, len(paths)))
        for number, text in enumerate(differences(os.path.basename(paths[0]), said, read(paths[0]))):
            different += 1
            if number < 10:
                print(text)
    print('%d events, %d differences' % (len(said), different))
    return 1 if different or not said else 0


if __name__ == '__main__':
    sys.exit(main())
