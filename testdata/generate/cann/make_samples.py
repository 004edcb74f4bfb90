#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a capture of an Ascend 910B with many samples of the device and hardly anything else: records of 64 bytes in
stars_soc_profile.data, bandwidth of accelerators and of memories by turns, a microsecond apart.

usage: make_samples.py DIRECTORY [--samples N]

Prints the capture's path.
"""
import argparse
import json
import os
from array import array

RECORD_WORDS = 8
RECORDS_OF_SLICE = 32768
MAGIC = 0x6bd3
ACCELERATORS, LEVELS = 0x1a, 0x1c
MONOTONIC, REAL, DEVICE_TICK, DEVICE_MHZ = 1_000_000_000_000, 1_735_689_600_000_000_000, 5_000_000, 50


def head(number):
    """Function, counter modulo 16 and magic of a record."""
    return (ACCELERATORS if number % 2 == 0 else LEVELS) | number % 16 << 6 | MAGIC << 16


def slice_of(first, count):
    """Records first to first + count - 1; first is a multiple of 16, after which heads begin again."""
    words = array('Q', bytes(8 * RECORD_WORDS * count))
    words[0::RECORD_WORDS] = array('Q', ([head(number) for number in range(16)] * (count // 16 + 1))[:count])
    ticks = range(DEVICE_TICK + first * DEVICE_MHZ, DEVICE_TICK + (first + count) * DEVICE_MHZ, DEVICE_MHZ)
    words[1::RECORD_WORDS] = array('Q', ticks)
    for place in range(4, RECORD_WORDS):  # bandwidths and what is open; the levels are in the first of them
        words[place::RECORD_WORDS] = array('Q', [(number * (place + 7)) & 0x7ff for number in range(count)])
    return words.tobytes()


def write(root, name, content):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def write_part(root, part, suffix, devices):
    write(root, '%s/info.json%s' % (part, suffix), json.dumps(
        {'platform_version': '5', 'pid': '1', 'DeviceInfo': devices, 'CPU': [{'Frequency': ''}], 'drvVersion': 467473}))
    write(root, '%s/start_info%s' % (part, suffix), json.dumps(
        {'collectionTimeBegin': str(REAL // 1000), 'clockMonotonicRaw': str(MONOTONIC)}))
    write(root, '%s/host_start.log%s' % (part, suffix),
          '[Device0]\nclock_monotonic_raw: %d\ncntvct: 0\n' % MONOTONIC)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('directory')
    parser.add_argument('--samples', type=int, default=10_000_000)
    options = parser.parse_args()
    root = os.path.join(options.directory, 'PROF_000001_20250101000000000_SAMPLES')
    write_part(root, 'host', '', [])
    write(root, 'host/data/unaging.additional.hash_dic.slice_0', '1:nothing\n')
    write_part(root, 'device_0', '.0', [{'id': 0, 'hwts_frequency': str(DEVICE_MHZ), 'aic_frequency': '1850'}])
    write(root, 'device_0/dev_start.log.0', 'clock_monotonic_raw: 1\ncntvct: %d\n' % DEVICE_TICK)
    write(root, 'device_0/sample.json', '{}')
    for number, first in enumerate(range(0, options.samples, RECORDS_OF_SLICE)):
        write(root, 'device_0/data/stars_soc_profile.data.0.slice_%d' % number,
              slice_of(first, min(RECORDS_OF_SLICE, options.samples - first)))
    print(root)


if __name__ == '__main__':
    main()
