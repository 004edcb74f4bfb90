# SPDX-License-Identifier: Apache-2.0
"""What the writers of CANN captures share: files of a capture, numbers at random, names as hashes.

Nothing here or in its users knows msprof's tables or encoder: records are packed by the documented layouts, so that a
wrong offset in msprof is found and not repeated.
"""
import hashlib
import json
import os
import random

MAGIC, DEVICE_MAGIC = 0x5a5a, 0x6bd3
MONOTONIC = 1_000_000_000_000  # of the host at the start of the collection, ns
DEVICE_MONOTONIC = 5_000_000_000


class Random:
    """Equal seeds give equal numbers with every Python: only random() promises that."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def share(self):
        return self.source.random()

    def below(self, limit):
        return int(self.source.random() * limit)

    def between(self, first, limit):
        return first + self.below(limit - first)

    def of(self, values):
        return values[self.below(len(values))]


class CaptureFiles:
    def __init__(self, path, slice_bytes=2 << 20):
        self.path, self.slice_bytes = path, slice_bytes

    def bytes(self, name, data):
        """A file and the mark that it is complete."""
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(data)
        with open(path + '.done', 'w', encoding='ascii') as file:
            file.write('filesize:%d' % len(data))

    def text(self, name, text):
        self.bytes(name, text.encode())

    def json(self, name, value):
        self.text(name, json.dumps(value, separators=(',', ':')))

    def records(self, name, records):
        """Whole records in slices of no more than slice_bytes."""
        if not records:
            return
        each = max(1, self.slice_bytes // len(records[0]))
        for number, first in enumerate(range(0, len(records), each)):
            self.bytes('%s.slice_%d' % (name, number), b''.join(records[first:first + each]))


def hashed(text):
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:8], 'little') >> 1


def serve(wanted, durations, streams):
    """Start and end of tasks that wait for the one before them on their stream."""
    free, spans = {}, []
    for start, duration, stream in zip(wanted, durations, streams):
        start = max(start, free.get(stream, 0))
        free[stream] = start + duration
        spans.append((start, start + duration))
    return spans
