# SPDX-License-Identifier: Apache-2.0
"""Stacks of a capture, recalculated of its database without what the program calculates: parents by their numbers in the
rows, weights by sums of Python."""
import collections
import re
import sqlite3
import xml.etree.ElementTree as tree
from fractions import Fraction

NOT_LAUNCHED = '[launch not recorded]'


def read(path):
    """The file as a dictionary from tuples of frames; a stack that stands there twice is a mistake."""
    stacks = {}
    with open(path, encoding='utf-8') as stream:
        for line in stream:
            frames, weight = line.rstrip('\n').rsplit(' ', 1)
            key = tuple(frames.split(';'))
            assert key not in stacks, key
            stacks[key] = int(weight)
            assert stacks[key] > 0, key
    assert list(stacks) == sorted(stacks, key=lambda key: [frame.encode() for frame in key])
    return stacks


def plain(name):
    """A name as a frame has it."""
    return name.replace(';', ':').replace('\n', ' ').replace('\t', ' ')


def ticks(hz, length):
    """A difference of two rounded times as the whole number of ticks that it is, in nanoseconds."""
    return Fraction(round(Fraction(length) * hz / 10 ** 9) * 10 ** 9, hz)


def rounded(stacks):
    return {stack: int(weight + Fraction(1, 2)) for stack, weight in stacks.items() if int(weight + Fraction(1, 2))}


class Ascend:
    def __init__(self, path):
        db = sqlite3.connect(path)
        self.names = dict(db.execute('SELECT id, text FROM name'))
        self.calls = {row[0]: row[1:] for row in db.execute(
            'SELECT id, CASE WHEN level = 5500 THEN coalesce(item_id, name_id) ELSE name_id END, start_ns, duration_ns,'
            ' parent_id, connection_id, launches FROM host_call')}
        self.db = db
        rates = list(db.execute('SELECT is_host, host_hz, device_hz FROM capture_part'))
        tell = [hz if hz and hz < 500_000_000 and 10 ** 9 % hz else 10 ** 9 for hz in
                ([host for is_host, host, _ in rates if is_host] + [None])[:1] + [device for is_host, _, device in rates if not is_host][:1]]
        self.host_hz, self.device_hz = tell

    def text(self, number):
        return plain(self.names.get(number) or 'N/A')

    def stack(self, call):
        frames = ()
        while call is not None:
            frames = (self.text(self.calls[call][0]),) + frames
            call = self.calls[call][3]
        return frames

    def launches(self):
        """The call of each connection: the first that launched a task, else the deepest."""
        found = {}
        for number, (_, start, _, _, connection, launches) in sorted(self.calls.items()):
            if connection is not None and start is not None:
                rank = (0, 0) if launches else (1, -len(self.stack(number)))
                found[connection] = min(found.get(connection, (rank, number)), (rank, number))
        return {connection: number for connection, (_, number) in found.items()}

    def work(self):
        """Name, connection and time of all that devices ran: operators, copies, communication."""
        copies = {0: 'host to host', 1: 'host to device', 2: 'device to host', 3: 'device to device'}
        for name, kind, connection, duration, copied, direction in self.db.execute(
                'SELECT op_name_id, op_task_type, connection_id, duration_ns, copy_bytes, copy_direction FROM device_task'
                ' WHERE start_ns IS NOT NULL AND duration_ns >= 0'):
            if name is not None and kind not in (3, 9, 11, 12):
                yield self.text(name), connection, duration
            elif name is None and copied is not None:
                yield 'copy ' + copies[direction], connection, duration
        for name, connection, duration in self.db.execute('SELECT name_id, connection_id, duration_ns FROM communication_op'):
            yield re.sub(r'^(.*?__[0-9]+)_[0-9_]*$', r'\1', self.text(name)), connection, duration

    def device(self, count=False):
        launches, stacks = self.launches(), collections.Counter()
        for name, connection, duration in self.work():
            stack = self.stack(launches[connection]) if connection in launches else (NOT_LAUNCHED,)
            stacks[stack + (name,)] += 1 if count else ticks(self.device_hz, duration)
        return rounded(stacks)

    def host(self):
        stacks = collections.Counter()
        for number, (_, start, duration, parent, _, _) in self.calls.items():
            if start is None or duration is None:
                continue
            stacks[self.stack(number)] += ticks(self.host_hz, duration)
            if parent is not None:
                stacks[self.stack(parent)] -= ticks(self.host_hz, duration)
        return rounded(stacks)


def check_picture(path, stacks):
    """Every stack of a picture has its width: frames stand on their parents and are as wide as their share, those that are
    drawn; what is left out is too narrow."""
    unit = '{http://www.w3.org/2000/svg}'
    root = tree.parse(path).getroot()
    whole = sum(stacks.values())
    totals = collections.Counter()
    for stack, weight in stacks.items():
        for depth in range(1, len(stack) + 1):
            totals[stack[:depth]] += weight
    boxes = [(float(box.get('y')), float(box.get('x')), float(box.get('width')), box.find(unit + 'title').text)
             for box in root.findall(unit + 'svg')]
    bottom = max(box[0] for box in boxes)
    drawn = {}
    for y, x, width, title in sorted(boxes, key=lambda box: (-box[0], box[1])):
        depth = round((bottom - y) / 18) + 1
        parents = [key for key, (left, right) in drawn.items()
                   if len(key) == depth - 1 and left - 0.02 <= x and x + width <= right + 0.02]
        assert depth == 1 or len(parents) == 1, (title, parents)
        key = (parents[0] if depth > 1 else ()) + (plain(title.split(': ')[0] if title.count(': ') == 1 else
                                                          title[:title.rindex(': ')]),)
        assert key in totals, key
        drawn[key] = (x, x + width)
        assert abs(width - 1180 * totals[key] / whole) < 0.011, (key, width, totals[key])
        told = re.search(r': ([0-9]+)(?:\.([0-9]{3}) us| executions?), ([0-9.]+) % of all', title[title.rindex(': '):])
        assert int(told.group(1) + (told.group(2) or '')) == totals[key], title
        assert abs(float(told.group(3)) - 100 * totals[key] / whole) < 0.006, title
    for key, total in totals.items():
        assert key in drawn or 1180 * total / whole < 0.2001, key
    omitted = [text.text for text in root.findall(unit + 'text') if 'not drawn' in text.text]
    assert (int(omitted[0].split()[0]) if omitted else 0) == len(totals) - len(drawn), (omitted, len(totals), len(drawn))
