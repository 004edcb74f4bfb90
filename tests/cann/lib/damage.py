# SPDX-License-Identifier: Apache-2.0
"""Damages captures on purpose: a small sound capture, and edits of its files. Paths are relative to the capture."""
import json
import os
import struct

from prof import *  # noqa: F401,F403

CAPTURE = 'PROF_1'
LOG, PMU = 'device_0/data/stars_soc.data.0', 'device_0/data/ffts_profile.data.0'
CALLS, TRACKS = 'host/data/unaging.api_event.data', 'host/data/unaging.compact.task_track'
NODES, HASHES = 'host/data/unaging.compact.node_basic_info', 'host/data/unaging.additional.hash_dic'
SIZES = {LOG: 64, PMU: 128, CALLS: 40, TRACKS: 64, NODES: 64}
OPERATORS = 100


def sound(chip=5, slice_records=0):
    """100 operators on two streams, each with counters; slice_records: cuts streams into slices of so many records."""
    p = Prof(CAPTURE, chip)
    for i in range(OPERATORS):
        p.launch(i * 1000, 1 + i % 2, i // 2, 'op%d' % i)
        p.ran(200000 + i * 10000, 205000 + i * 10000, 1 + i % 2, i // 2)
        p.pmu(200000 + i * 10000, 205000 + i * 10000, 1 + i % 2, i // 2, 1000 + i, range(8))
    p.write()
    for stream, size in SIZES.items():
        if slice_records and os.path.exists(path_of(stream, 0)):
            cut(stream, slice_records * size)


def path_of(stream, number):
    return os.path.join(CAPTURE, '%s.slice_%d' % (stream, number))


def read(stream, number=0):
    with open(path_of(stream, number), 'rb') as file:
        return bytearray(file.read())


def write(stream, data, number=0):
    with open(path_of(stream, number), 'wb') as file:
        file.write(data)


def cut(stream, slice_bytes):
    """Into slices of so many bytes, whatever records are there."""
    data = read(stream)
    for number, start in enumerate(range(0, len(data), slice_bytes)):
        write(stream, data[start:start + slice_bytes], number)


def truncate(stream, count, number=0):
    write(stream, read(stream, number)[:-count], number)


def age(stream, count):
    """Takes bytes off the front, as a device does that overwrites its oldest records."""
    write(stream, read(stream)[count:])


def drop(stream, first, count=1):
    """Records, by their place."""
    data, size = read(stream), SIZES[stream]
    del data[first * size:(first + count) * size]
    write(stream, data)


def insert(stream, record, data):
    """Bytes in front of a record."""
    whole = read(stream)
    at = record * SIZES[stream]
    write(stream, whole[:at] + data + whole[at:])


def put(stream, record, offset, fmt, *values):
    """Fields of a record, in struct's format."""
    data = read(stream)
    struct.pack_into(fmt, data, record * SIZES[stream] + offset, *values)
    write(stream, data)


def remove(*paths):
    for path in paths:
        os.unlink(os.path.join(CAPTURE, path))


def edit_json(path, **values):
    """Members of the file's object, or of its first device."""
    path = os.path.join(CAPTURE, path)
    with open(path, encoding='utf-8') as file:
        whole = json.load(file)
    devices = whole.get('DeviceInfo') or [{}]
    for key, value in values.items():
        target = devices[0] if key in devices[0] else whole
        target[key] = value
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(whole, file)


def text(path, content):
    with open(os.path.join(CAPTURE, path), 'w', encoding='utf-8') as file:
        file.write(content)
