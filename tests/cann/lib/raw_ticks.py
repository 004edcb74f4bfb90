# SPDX-License-Identifier: Apache-2.0
"""Raw records of a capture with one device, by plain reading: rates of its clocks, and the ticks of its tasks."""
import glob
import json
import struct
from fractions import Fraction


def records(pattern, size):
    data = b''.join(open(path, 'rb').read() for path in sorted(glob.glob(pattern + '.slice_?')))
    return [data[at:at + size] for at in range(0, len(data), size)]


def rates(capture):
    """Of the host's clock and the device's, in Hz."""
    with open(capture + '/host/info.json', encoding='utf-8') as file:
        host_hz = int(Fraction(json.load(file)['CPU'][0]['Frequency']) * 10 ** 6)
    with open(capture + '/device_0/info.json.0', encoding='utf-8') as file:
        device_hz = int(Fraction(json.load(file)['DeviceInfo'][0]['hwts_frequency']) * 10 ** 6)
    return host_hz, device_hz


def log_of_tasks(capture):
    """stream, task, whether it ends there, tick: the records of stars_soc, or of hwts where a chip has that."""
    for record in records(capture + '/device_0/data/stars_soc.data.0', 64):
        head, stream, task, tick = struct.unpack_from('<H2xHHQ', record)
        if head & 63 < 2:
            yield stream, task, head & 1, tick
    for record in records(capture + '/device_0/data/hwts.data.0', 64):
        head, task, tick, stream = struct.unpack_from('<B5xHQI', record)
        if head & 15 < 2:
            yield stream, task, head & 1, tick


def tasks_by_ticks(capture):
    """(stream, task): the ticks at which it began and ended."""
    began, ran = {}, {}
    for stream, task, ends, tick in log_of_tasks(capture):
        if ends:
            ran[stream, task] = began[stream, task], tick
        else:
            began[stream, task] = tick
    return ran
