#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recalculates op_summary of a capture of prof_2022.py from its raw files: each execution of a task, its operator and
the counters of the kind of cores that it ran on, of one iteration.

usage: recompute_2022_cores.py CAPTURE ITERATION
"""
import csv
import os
import struct
import sys
from collections import defaultdict
from fractions import Fraction
from types import SimpleNamespace

import recompute_2022
from recompute import hertz, load_json, records, start_log

CORE_TYPES = ['AI_CORE', 'AI_CPU', 'AIV']


def text_of(record, offset, size):
    return record[offset:offset + size].rstrip(b'\0').decode()


class Capture:
    def __init__(self, path):
        self.path, self.data = path, os.path.join(path, 'device_0', 'data')
        info = load_json(os.path.join(path, 'device_0', 'info.json.0'))
        self.sample = load_json(os.path.join(path, 'device_0', 'sample.json'))
        self.device, self.chip = info['DeviceInfo'][0], int(info['platform_version'])
        clock = hertz(self.device['hwts_frequency'])
        first = start_log(os.path.join(path, 'device_0', 'dev_start.log.0'))['cntvct']
        monotonic = start_log(os.path.join(path, 'device_0', 'host_start.log.0'))['clock_monotonic_raw']
        self.time = lambda tick: Fraction((tick - first) * 10 ** 9, clock) + monotonic
        self.read_tagged()
        self.operators = {}
        for record in records(self.data, 'Framework.task_desc_info.0', 256):
            core, = struct.unpack_from('<4xI', record)
            blocks, model, stream, task = struct.unpack_from('<220xIIIH', record)
            self.operators[stream, task] = (text_of(record, 16, 120), text_of(record, 144, 56), core, blocks, model)
        if self.chip == 5:
            self.read_stars()
        elif self.chip != 0:
            self.read_logs()

    def read_tagged(self):
        """ts_track of all chips, aicore of chip 0."""
        self.marks, self.copies, states = [], [], defaultdict(dict)
        self.runs, self.counters = defaultdict(list), defaultdict(list)
        data = b''.join(records(self.data, 'ts_track.data.0', 1))
        at = 0
        while at < len(data):
            tag, size = struct.unpack_from('<xBH', data, at)
            if tag == 10:
                tick, index, model, stream, _, step = struct.unpack_from('<8xQQQHHH', data, at)
                self.marks.append((tick, step, index, model, stream))
            elif tag == 11:
                tick, stream, task, state = struct.unpack_from('<8xQHHB', data, at)
                states['copy', stream, task][state] = tick
                if state == 2:
                    self.copies.append((stream, task, dict(states['copy', stream, task])))
            elif tag == 3:
                core, state, stream, task, tick = struct.unpack_from('<8xHHHHQ', data, at)
                states[stream, task][state] = tick
                if state == 3:
                    self.runs[stream, task].append((states[stream, task][2], tick))
            at += size or 40
        for record in records(self.data, 'aicore.data.0', 112) if self.chip == 0 else ():
            stream, task = struct.unpack_from('<10xHH', record)
            *counters, cycles = struct.unpack_from('<24x9Q', record)
            blocks, = struct.unpack_from('<104xH', record)
            self.counters[stream, task].append((False, cycles, counters, blocks))

    def read_logs(self):
        begun = {}
        for record in records(self.data, 'hwts.data.0', 64):
            function, task, tick, stream = struct.unpack_from('<B5xHQI', record)
            if function & 7 == 0:
                begun[stream, task] = tick
            else:
                self.runs[stream, task].append((begun.pop((stream, task)), tick))
        for name in ('aicore', 'aiVectorCore'):
            if not os.path.exists(os.path.join(self.data, name + '.data.0.slice_0')):
                continue
            for record in records(self.data, name + '.data.0', 128):
                task, = struct.unpack_from('<6xH', record)
                cycles, *counters = struct.unpack_from('<16xQ8x8Q', record)
                stream, = struct.unpack_from('<96xI', record)
                self.counters[stream, task].append((name != 'aicore', cycles, counters,
                                                    self.operators[stream, task][3]))

    def read_stars(self):
        """Whole tasks, and the counters of these."""
        begun = {}
        for record in records(self.data, 'stars_soc.data.0', 64):
            function, stream, task, tick = struct.unpack_from('<H2xHHQ', record)
            if function & 63 == 0:
                begun[stream, task] = tick
            elif function & 63 == 1:
                self.runs[stream, task].append((begun.pop((stream, task)), tick))
        for record in records(self.data, 'ffts_profile.data.0', 128):
            function, stream, task, split = struct.unpack_from('<H2xHH12xH', record)
            cycles, *counters = struct.unpack_from('<32xQ8x8Q', record)
            if function & 63 == 0x28 and split >> 13 != 4:
                self.counters[stream, task].append((split >> 13 == 1, cycles, counters,
                                                    self.operators[stream, task][3]))

    def bounds(self, iteration):
        """Tasks that end after the first and not after the last of these belong to an iteration."""
        ends = {index: tick for tick, step, index, _, _ in self.marks if step == 1}
        return ends.get(iteration - 1, -1), ends[iteration]

    def cores(self, vector):
        """What recompute_2022 needs to know of a kind of cores."""
        kind, prefix = ("aiv", "aiv") if vector else ("ai_core", "aic")
        return SimpleNamespace(
            chip=self.chip, cores=self.device['aiv_num' if vector else 'ai_core_num'], counters={},
            hertz=hertz(self.device[prefix + '_frequency']), group=self.sample[kind + '_metrics'],
            events=[event.replace('0x', '') for event in self.sample[kind + '_profiling_events'].split(',')])


def metrics_of(capture, counters, titles):
    """In the columns of titles; None for the whole: not counted."""
    if counters is None:
        return [None] * len(titles)
    vector, *values = counters
    cores = capture.cores(vector)
    cores.counters[0] = values
    found = dict(zip(recompute_2022.metric_titles(cores), recompute_2022.metric_values(cores, 0)))
    return [found.get(title) for title in titles]


def expected_rows(capture, iteration):
    after, until = capture.bounds(iteration)
    only_vector = all(vector for found in capture.counters.values() for vector, *_ in found)
    metrics = recompute_2022.metric_titles(capture.cores(only_vector))
    titles = ['Model ID', 'Task ID', 'Stream ID', 'Op Name', 'OP Type', 'Task Type', 'Task Start Time',
              'Task Duration(us)', 'Task Wait Time(us)', 'Block Dim'] + metrics
    rows, last_end = [], None
    spans = sorted((start, end, key, number) for key, runs in capture.runs.items()
                   for number, (start, end) in enumerate(runs) if after < end <= until)
    for start, end, key, number in spans:
        name, kind, core, blocks, model = capture.operators[key]
        counters = capture.counters.get(key, [])
        wait = max(0, capture.time(start) - last_end) if last_end is not None else 0
        last_end = capture.time(end)
        rows.append([model, key[1], key[0], name, kind, CORE_TYPES[core], capture.time(start),
                     (last_end - capture.time(start)) / 1000, Fraction(wait, 1000), blocks] +
                    metrics_of(capture, counters[number] if number < len(counters) else None, metrics))
    return titles, rows


def main():
    capture, iteration = Capture(sys.argv[1]), int(sys.argv[2])
    titles, rows = expected_rows(capture, iteration)
    name = os.path.join(capture.path, 'summary', 'op_summary_0_%d_%d.csv' % (rows[0][0], iteration))
    with open(name, newline='', encoding='utf-8') as file:
        found = list(csv.reader(file))
    problems = ['columns %s, expected %s' % (found[0], titles)] * (found[0] != titles)
    problems += ['%d rows, expected %d' % (len(found) - 1, len(rows))] * (len(found) - 1 != len(rows))
    problems += ['%s: %s, expected %s, in row %s' % (title, a, b, row[:8])
                 for row, expected in zip(found[1:], rows)
                 for title, a, b in zip(titles, row, expected) if not recompute_2022.same(title, a, b)]
    for problem in problems[:20]:
        print(problem)
    print('%d rows compared, %d differences' % (len(rows), len(problems)))
    return 1 if problems or not rows else 0


if __name__ == '__main__':
    sys.exit(main())
