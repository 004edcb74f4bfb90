#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads timelines as viewers do.

usage: timeline.py check FILE...          slices of a thread never overlap in part, whether times are taken exactly, as
                                          doubles that are added (speedscope), or as nanoseconds that doubles are
                                          rounded to (Perfetto); a rounded dur is the exact one; flows and metadata are
                                          sound
       timeline.py compare BEFORE AFTER   the same events: names, arguments, phases, processes, threads, durations, and
                                          times from the origin of each; --no-threads: but for processes and threads
Prints what is wrong, at most ten lines, and ends with 1.
"""
import collections
import gzip
import json
import re
import sys
import typing
from decimal import Decimal


class Event:
    """ts and dur exactly, as nanoseconds, and as doubles of microseconds."""

    def __init__(self, fields):
        self.fields = fields
        self.phase = fields['ph']
        self.thread = (fields['pid'], fields['tid'])
        if 'ts' not in fields:
            return
        ts, dur = Decimal(fields['ts']), Decimal(fields.get('dur', 0))
        self.start_ns, self.duration_ns = round(ts * 1000), round(dur * 1000)
        if ts * 1000 - self.start_ns == Decimal('0.001'):  # for readers that cut off what is less than a nanosecond
            ts = Decimal(self.start_ns) / 1000
        self.ts, self.dur = float(fields['ts']), float(dur)
        self.lost = abs(dur * 1000 - self.duration_ns), dur * 1000 > self.duration_ns
        self.recorded = ts * 1000 == self.start_ns


class Timeline(typing.NamedTuple):
    events: list
    facts: dict  # what the timeline says of itself; None: nothing


def read_timeline(source, **how):
    """A timeline in any form, of a path or a stream: an array of events, with the facts in one of them, or an object."""
    if isinstance(source, str):
        with (gzip.open if source.endswith('.gz') else open)(source, 'rt', encoding='utf-8') as stream:
            return read_timeline(stream, **how)
    document = json.load(source, **how)
    if isinstance(document, dict):
        return Timeline(document['traceEvents'], document.get('otherData'))
    facts = [event['args']['value'] for event in document if event['name'] == 'TraceConfig' and event['ph'] == 'M']
    assert len(facts) <= 1, facts
    return Timeline([event for event in document if event['name'] != 'TraceConfig' or event['ph'] != 'M'], facts[0] if facts else None)


def load(path):
    timeline = read_timeline(path, parse_float=Decimal)
    return [Event(event) for event in timeline.events], timeline.facts


def events_of(stream):
    """The events of a timeline as written, but with the times at which they were: microseconds on the capture's clock.

    Those of the process Analysis are left out: no other tool has them (analysis_layers.py recalculates them).
    """
    events, other = read_timeline(stream, parse_float=Decimal)
    analysis = {event['pid'] for event in events if event['ph'] == 'M' and event['name'] == 'process_name' and
                event['args']['name'] == 'Analysis'}
    events = [event for event in events if event['pid'] not in analysis]
    if other is None:
        return events
    start = Decimal(other['origin_unix_ns' if other['clock'] == 'unix' else 'origin_ns'] or 0) / 1000
    for event in events:
        if 'ts' in event:
            event['ts'] = round(event['ts'], 3) + start
        if 'dur' in event:
            event['dur'] = round(event['dur'], 3)
    return events


def whole_name(event):
    """What a slice is of: an operator's has its short name and the whole one beside it."""
    return event.get('args', {}).get('Op Name', event['name'])


def short_names(names):
    """The short name of each: the last parts of its path that no other has, of names with a slash."""
    def end(name, parts):
        return name if parts > 8 else re.search('([^/]+/+){0,%d}[^/]*/*$' % (parts - 1), name).group()
    short, parts, open_names = {}, 1, {name for name in names if '/' in name}
    while open_names:
        ends = collections.Counter(end(name, parts) for name in open_names)
        told_apart = {name for name in open_names if ends[end(name, parts)] == 1 or end(name, parts) == name}
        short.update((name, end(name, parts)) for name in told_apart)
        open_names -= told_apart
        parts += 1
    return {name: short.get(name, name) for name in names}


def overlaps(slices, start, end):
    """How many begin inside of another one and end after it."""
    threads, count = collections.defaultdict(list), 0
    for event in slices:
        threads[event.thread].append((start(event), end(event)))
    for spans in threads.values():
        spans.sort(key=lambda span: (span[0], -span[1]))
        open_ends = []
        for begin, finish in spans:
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends and finish > open_ends[-1]:
                count += 1
            open_ends.append(finish)
    return count


def perfetto_ns(microseconds):
    return round(microseconds * 1000.0)


def arrow_of(event):
    return event.fields.get('cat'), event.fields['name'], event.fields['id']


def frame_of(event):
    """What speedscope calls a slice: arguments are a part of it."""
    return event['name'] + (' ' + json.dumps(event['args'], default=str) if event.get('args') is not None else '')


def check(path):
    events, other = load(path)
    slices = [event for event in events if event.phase == 'X']
    problems, first = [], {}
    for event in slices:
        first[event.thread] = min(event.ts, first.get(event.thread, event.ts))
    counts = {
        'exactly': overlaps(slices, lambda e: e.start_ns, lambda e: e.start_ns + e.duration_ns),
        'in doubles': overlaps(slices, lambda e: e.ts, lambda e: e.ts + e.dur),
        'as speedscope counts, from the first slice of a thread': overlaps(
            slices, lambda e: e.ts - first[e.thread], lambda e: e.ts - first[e.thread] + e.dur),
        'for who cuts off what is less than a nanosecond': overlaps(
            slices, lambda e: int(e.ts * 1000), lambda e: int(e.ts * 1000) + int(e.dur * 1000)),
        'for who cuts the end off, too': overlaps(slices, lambda e: int(e.ts * 1000), lambda e: int((e.ts + e.dur) * 1000)),
        'as Perfetto reads them': overlaps(slices, lambda e: perfetto_ns(e.ts),
                                           lambda e: perfetto_ns(e.ts) + perfetto_ns(e.dur)),
    }
    problems += [f'{count} of {len(slices)} slices overlap in part {how}' for how, count in counts.items() if count]
    for event in slices:
        lost, longer = event.lost
        if longer or lost >= Decimal('0.5') or not event.recorded:
            problems.append(f'not whole nanoseconds: {event.fields}')
        if perfetto_ns(event.ts) != event.start_ns or perfetto_ns(event.dur) != event.duration_ns:
            problems.append(f'a double does not give the nanoseconds: {event.fields}')
    for event in events:
        if not all(isinstance(number, int) for number in event.thread):
            problems.append(f'no number of a process and thread: {event.fields}')
    named = {event.fields['pid'] for event in events if event.fields['name'] == 'process_name'}
    threads = {event.thread for event in events if event.fields['name'] == 'thread_name'}
    for event in events:
        if event.fields['pid'] not in named:
            problems.append(f'nothing names the process: {event.fields}')
        if event.phase in 'Xi' and event.thread not in threads:
            problems.append(f'nothing names the thread: {event.fields}')
    if other is None or 'origin_ns' not in other or 'origin_unix_ns' not in other:
        problems.append(f'no facts say when the capture starts: {other}')
    begun = {arrow_of(event) for event in events if event.phase == 's'}
    problems += [f'an arrow that begins nowhere: {event.fields}' for event in events
                 if event.phase == 'f' and arrow_of(event) not in begun]
    known = {'process_name', 'process_labels', 'process_sort_index', 'thread_name', 'thread_sort_index'}
    for event in events:
        if event.phase == 'M' and event.fields['name'] not in known:
            problems.append(f'metadata that viewers warn of: {event.fields}')
    return problems


def key_of(event, origin_ns, with_threads):
    fields = dict(event.fields)
    for member in ('ts', 'dur', 's') + (() if with_threads else ('pid', 'tid')):
        fields.pop(member, None)
    if 'id' in fields:
        fields['id'] = str(fields['id'])
    times = (event.start_ns + origin_ns, event.duration_ns) if 'ts' in event.fields else ()
    return json.dumps(fields, sort_keys=True, default=str), times


def compare(before, after, with_threads):
    bags = []
    for path in (before, after):
        events, other = load(path)
        unix = other and other.get('clock') == 'unix'
        origin_ns = int(other['origin_unix_ns' if unix else 'origin_ns'] or 0) if other else 0
        bags.append(collections.Counter(key_of(event, origin_ns, with_threads) for event in events))
    lines = []
    for word, bag in (('only before', bags[0] - bags[1]), ('only after', bags[1] - bags[0])):
        lines += [f'{word}: {key}' for key in sorted(bag.elements())]
    return lines


def main():
    words = [word for word in sys.argv[1:] if not word.startswith('--')]
    problems = []
    if words[:1] == ['check'] and len(words) > 1:
        for path in words[1:]:
            problems += [f'{path}: {problem}' for problem in check(path)]
    elif words[:1] == ['compare'] and len(words) == 3:
        problems = compare(words[1], words[2], '--no-threads' not in sys.argv)
    else:
        sys.exit(__doc__)
    print('\n'.join(problems[:10]))
    if problems:
        sys.exit(f'{len(problems)} problems')


if __name__ == '__main__':
    main()
