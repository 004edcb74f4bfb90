#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies a PROF capture with its streams cut into slices of another size, in which records straddle the cuts, and
optionally with bytes taken off the front of every stream, as ageing does.

usage: reslice.py CAPTURE COPY SLICE_BYTES [AGED_BYTES]
"""
import os
import re
import shutil
import sys


def reslice(directory, slice_bytes, aged_bytes):
    streams = {}
    for name in os.listdir(directory):
        match = re.fullmatch(r'(.*)\.slice_(\d+)', name)
        if match is None:
            os.unlink(os.path.join(directory, name))  # .done files, which tell the old sizes
        elif 'dic' not in name:
            streams.setdefault(match.group(1), []).append((int(match.group(2)), name))
    for stream, slices in streams.items():
        data = bytearray()
        for _, name in sorted(slices):
            with open(os.path.join(directory, name), 'rb') as source:
                data += source.read()
            os.unlink(os.path.join(directory, name))
        data = data[aged_bytes:]
        first = 3 if aged_bytes else 0
        for number, start in enumerate(range(0, len(data), slice_bytes)):
            with open(os.path.join(directory, '%s.slice_%d' % (stream, first + number)), 'wb') as target:
                target.write(data[start:start + slice_bytes])


def main():
    source, copy, slice_bytes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    aged_bytes = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    shutil.copytree(source, copy)
    for part in os.listdir(copy):
        directory = os.path.join(copy, part, 'data')
        if os.path.isdir(directory):
            reslice(directory, slice_bytes, aged_bytes)


if __name__ == '__main__':
    main()
