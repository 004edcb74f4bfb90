#!/usr/bin/env python3
"""Recalculates names, types, times and block numbers of a capture of gen_prof.py from its raw files, and compares them
with op_summary. The generator's records of one operator have the same place in each of the host's files.

usage: recompute.py CAPTURE
"""
import csv
import glob
import os
import struct
import sys
from decimal import Decimal

START_TICK, START_UNIX_NS = 77_000_000_000, 1_735_689_600_000_000_000


def records(directory, stream, size):
    paths = [path for path in glob.glob(os.path.join(directory, stream + '.slice_*')) if not path.endswith('.done')]
    data = b''
    for path in sorted(paths, key=lambda path: int(path.rsplit('_', 1)[1])):
        with open(path, 'rb') as file:
            data += file.read()
    return [data[at:at + size] for at in range(0, len(data), size)]


def read_names(directory):
    names = {}
    with open(os.path.join(directory, 'unaging.additional.hash_dic.slice_0'), encoding='utf-8') as file:
        for line in file:
            number, name = line.rstrip('\n').split(':', 1)
            names[int(number)] = name
    return names


def read_spans(directory):
    """(stream, task): start and end in ticks, and nanoseconds per tick."""
    starts, ends = {}, {}
    for record in records(directory, 'stars_soc.data.0', 64):
        function, stream, task, tick = struct.unpack_from('<H2xHHQ', record)
        (ends if function & 63 else starts)[stream, task] = tick
    if starts:
        return starts, ends, 20
    for record in records(directory, 'hwts.data.0', 64):
        function, task, tick, stream = struct.unpack_from('<B5xHQI', record)
        (ends if function & 7 else starts)[stream, task] = tick
    return starts, ends, 10


def main():
    host, device = (os.path.join(sys.argv[1], part, 'data') for part in ('host', 'device_0'))
    names = read_names(host)
    starts, ends, tick_ns = read_spans(device)
    expected = {}
    for node, track in zip(records(host, 'unaging.compact.node_basic_info', 64),
                           records(host, 'unaging.compact.task_track', 64)):
        name, _, op_type, blocks = struct.unpack_from('<QIQI', node, 24)
        key = struct.unpack_from('<HH', track, 26)
        expected[key] = (names[name], names[op_type], START_UNIX_NS + (starts[key] - START_TICK) * tick_ns,
                         (ends[key] - starts[key]) * tick_ns, blocks)
    different = 0
    for path in glob.glob(os.path.join(sys.argv[1], 'mindstudio_profiler_output', 'op_summary_*.csv')):
        with open(path, newline='', encoding='utf-8') as file:
            for row in csv.DictReader(file):
                found = (row['Op Name'], row['OP Type'], int(Decimal(row['Task Start Time(us)'].strip()) * 1000),
                         int(Decimal(row['Task Duration(us)']) * 1000), int(row['Block Num']))
                if expected.pop((int(row['Stream ID']), int(row['Task ID'])), None) != found:
                    different += 1
                    print('different: %s' % (found,))
    print('%d rows are different, %d are missing' % (different, len(expected)))
    return 1 if different or expected else 0


if __name__ == '__main__':
    sys.exit(main())
