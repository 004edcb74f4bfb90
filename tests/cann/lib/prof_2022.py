#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small capture of the layout of 2022 record by record, by the documented layouts and not by msprof's own
encoder: operators of AI cores, vector cores and the AI CPU, some executed again and again; their counters, the AI CPU's
own records, copies, and marks of iterations.

usage: prof_2022.py [--overlapping] CAPTURE CHIP SEED [NAME=VALUE...]

--overlapping: tasks, copies, calls and executions of models at any time instead, many of which overlap in part.
NAME=VALUE replaces what sample.json says. CHIP is 0 to 5; chips 2 to 5 have vector cores.
"""
import json
import os
import random
import struct
import sys

MONOTONIC = 1_000_000_000_000
DEVICE_TICK = 5_000_000
TICKS_PER_US = 50
CORES, VECTOR_CORES = 8, 7
CORE_MHZ, VECTOR_MHZ = 960, 1000
AI_CORE, AI_CPU, AIV = 0, 1, 2
PIPES = '0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55'
MODEL = 3


class Prof2022:
    """Times are microseconds since the start of the collection."""

    def __init__(self, path, chip, seed, sample=None):
        self.path, self.chip, self.random, self.files = path, chip, random.Random(seed), {}
        self.counters = {}
        self.sample = {'devices': '0', 'ai_core_profiling_mode': 'task-based', 'ai_core_metrics': 'PipeUtilization',
                       'ai_core_profiling_events': PIPES, 'aiv_profiling_mode': 'task-based',
                       'aiv_metrics': 'PipeUtilization', 'aiv_profiling_events': PIPES, **(sample or {})}

    def add(self, name, record, size):
        assert len(record) == size, (name, len(record))
        self.files.setdefault(name + '.0', bytearray()).extend(record)

    def ticks(self, time):
        return DEVICE_TICK + round(time * TICKS_PER_US)

    def count(self, name):
        """The counter modulo 16 that the scheduler puts into every record."""
        self.counters[name] = self.counters.get(name, -1) + 1
        return self.counters[name] % 16

    def operator(self, time, stream, task, core, name, kind, blocks):
        def text(value, size):
            return b'\1' + bytes(7) + value.encode().ljust(size, b'\0')
        self.add('Framework.task_desc_info', struct.pack('<HHI', 0x5a5a, 23, core) + text(name, 120) + text(kind, 56) +
                 struct.pack('<QQIIIIHHI16x', 0, MONOTONIC + time * 1000, 0, blocks, MODEL, stream, task, 0, 1), 256)

    def ran(self, start, end, stream, task, core):
        if self.chip == 0:
            for state, time in ((1, start - 1), (2, start), (3, end)):
                self.add('ts_track.data', struct.pack('<BBHIHHHHQII', 0, 3, 32, 0, core, state, stream, task,
                                                      self.ticks(time), 0, 0), 32)
            return
        for function, time in ((0, start), (1, end)):
            self.switched(function, time, stream, task, core)

    def switched(self, function, time, stream, task, core):
        if self.chip == 5:
            self.scheduled(function, time, stream, task, core)
            return
        self.add('hwts.data', struct.pack('<BBHHHQI44x', function | self.count('hwts') << 4, core, 0x6bd3, 0, task,
                                          self.ticks(time), stream), 64)

    def scheduled(self, function, time, stream, task, kind, context=0, accelerator=0):
        """Chip 5: 0 and 1 are the start and the end of a task, 0x22 and 0x23 of a part of one."""
        part = function >= 0x22
        self.add('stars_soc.data', struct.pack(
            '<HHHHQHHHH40x', function | self.count('stars') << 6 | (0 if part else kind) << 10, 0x6bd3, stream, task,
            self.ticks(time), kind if part else 0, context if part else accelerator, 4 << 13 if part else 0, 0), 64)

    def part_counted(self, time, stream, task, context, cycles, counters):
        self.add('ffts_profile.data', struct.pack(
            '<HHHHQHHHHQQQ8QQQ', 0x28 | self.count('ffts') << 6, 0x6bd3, stream, task, 0, 0, context, 4 << 13, 0, 0,
            cycles, 0, *counters, self.ticks(time), self.ticks(time)), 128)

    def soc_sample(self, function, time, number, payload):
        """Of stars_soc_profile.data: payload from byte 32 on."""
        self.add('stars_soc_profile.data', struct.pack('<HHIQHH12x', function | self.count('soc') << 6, 0x6bd3, 0,
                                                       self.ticks(time), 0, number) + payload.ljust(32, b'\0'), 64)

    def counted(self, time, stream, task, core, cycles, counters, blocks):
        if self.chip == 5:
            self.add('ffts_profile.data', struct.pack(
                '<HHHHQHHHHQQQ8QQQ', 0x28 | self.count('ffts') << 6, 0x6bd3, stream, task, 0, 0, 0,
                (core == AIV) << 13, 0, 0, cycles, 0, *counters, self.ticks(time - 1), self.ticks(time)), 128)
            return
        if self.chip == 0:
            self.add('aicore.data', struct.pack('<BBHIHHHHQ8QQQH6x', 0, 4, 112, 0, 0, stream, task, 0, 0, *counters,
                                                cycles, self.ticks(time), blocks), 112)
            return
        name = 'aiVectorCore' if core == AIV else 'aicore'
        self.add(name + '.data', struct.pack('<BBHHHIIQQ8QI28x', 2 | self.count(name) << 4, 0, 0x6bd3, 0, task, 0, 0,
                                             cycles, 0, *counters, stream), 128)

    def step(self, time, tag, iteration, model=MODEL, stream=1, task=0):
        self.add('ts_track.data', struct.pack('<BBHIQQQHHHH', 1, 10, 40, 0, self.ticks(time), iteration, model, stream,
                                              task, tag, 0), 40)

    def copy(self, start, end, stream, task):
        for state, time in ((0, start - 2), (1, start), (2, end)):
            self.add('ts_track.data', struct.pack('<BBHIQHHBBHQQ', 1, 11, 40, 0, self.ticks(time), stream, task, state,
                                                  0, 0, 0, 0), 40)

    def ai_cpu(self, start, end, stream, task):
        """The AI CPU's own record of a task that it ran: it began to compute and to copy in between."""
        begin, finish = self.ticks(start), self.ticks(end)
        points = sorted(self.random.randrange(1000) for _ in range(3))
        self.add('DATA_PREPROCESS.AICPU', struct.pack(
            '<HHHHQQQQQQQIIQQQQIIIHBBQ', 0x5a5a, 60, stream, task, 0, begin, *points, 0, finish, 9, 0, 0, 0, begin,
            finish, 0, self.random.randrange(1, 5000), self.random.randrange(1, 90000), 0, 0, 0, 0), 128)

    def sample_of(self, time, core, cycles, counters, name='aicore'):
        self.add(name + '.data', struct.pack('<BBHHH8QQQBB6x', 1, 0, 0, 0, 0, *counters, cycles, self.ticks(time), 8,
                                             core), 96)

    def call(self, begin, end, thread, name):
        """Of ACL, in nanoseconds."""
        self.add('AclModule.acl_op', struct.pack('<HHIQQII64s', 0x5a5a, 0, 1, MONOTONIC + begin, MONOTONIC + end, 77,
                                                 thread, name.encode()).ljust(128, b'\0'), 128)

    def runtime_call(self, begin, end, thread, name):
        self.add('runtime.api', struct.pack('<HHIQQQ64s', 0x5a5a, 4, thread, MONOTONIC + begin, MONOTONIC + end, 0,
                                            name.encode()).ljust(256, b'\0'), 256)

    def model(self, times, thread):
        """The begin and the end of input, inference and output, in nanoseconds."""
        record = struct.pack('<HHIB7x120sII6Q', 0x5a5a, 22, MODEL, 1, b'net', 0, thread,
                             *(MONOTONIC + time for time in times))
        self.add('Framework.model_time_info_3_0', record.ljust(256, b'\0'), 256)

    def write(self):
        info = {'platform_version': str(self.chip), 'pid': '77', 'devices': '0', 'CPU': [{'Frequency': ''}],
                'DeviceInfo': [{'id': 0, 'hwts_frequency': str(TICKS_PER_US), 'aic_frequency': str(CORE_MHZ),
                                'aiv_frequency': str(VECTOR_MHZ), 'ai_core_num': CORES, 'aiv_num': VECTOR_CORES}]}
        texts = {'info.json.0': json.dumps(info), 'sample.json': json.dumps(self.sample),
                 'start_info.0': json.dumps({'collectionTimeBegin': '1600000000000000',
                                             'clockMonotonicRaw': str(MONOTONIC)}),
                 'end_info.0': json.dumps({'collectionTimeEnd': '1600000001000000'}),
                 'host_start.log.0': '[Device0]\nclock_monotonic_raw: %d\n' % MONOTONIC,
                 'dev_start.log.0': 'clock_monotonic_raw: 1\ncntvct: %d\n' % DEVICE_TICK}
        folder = os.path.join(self.path, 'device_0')
        os.makedirs(os.path.join(folder, 'data'))
        for name, text in texts.items():
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)
        for name, data in self.files.items():
            with open(os.path.join(folder, 'data', name + '.slice_0'), 'wb') as file:
                file.write(data)


def fill(prof, operators=40, executions=3):
    """Operators one after another, all of them executed again and again."""
    tasks = []
    for number in range(operators):
        core = prof.random.choice((AI_CORE, AI_CPU, AIV) if prof.chip > 1 else (AI_CORE, AI_CPU))
        tasks.append((number % 3 + 1, number // 3 + 1, core, prof.random.randrange(1, 20)))
        prof.operator(100 + number, *tasks[-1][:3], 'op%d' % number, ('MatMul', 'Cast', 'Add')[number % 3],
                      tasks[-1][3])
    time = 1000
    for iteration in range(1, executions + 1):
        prof.step(time, 0, iteration)
        prof.step(time + 2, 2, iteration)
        for stream, task, core, blocks in tasks:
            end = time + prof.random.randrange(5, 90)
            prof.ran(time + 3, end, stream, task, min(core, AI_CPU))
            if core == AI_CPU:
                prof.ai_cpu(time + 3, end, stream, task)
            else:
                cycles = prof.random.randrange(1000, 100000)
                prof.counted(end, stream, task, core, cycles, [prof.random.randrange(cycles) for _ in range(8)], blocks)
            time = end + prof.random.randrange(1, 9)
        prof.copy(time + 5, time + 5 + prof.random.randrange(1, 40), 2, 500)
        time += 60
        if iteration % 2 == 1:
            prof.step(time, 10000, iteration, stream=2)
            prof.step(time + 7, 10001, iteration, stream=2)
        prof.step(time + 10, 3, iteration)
        prof.step(time + 14, 4, iteration)
        prof.step(time + 20, 1, iteration)
        time += 40


def fill_overlapping(prof, count=400):
    """The times lie on few points far from the start, so that many slices begin or end together."""
    def times(number, unit):
        first = prof.random.randrange(3000)
        points = sorted(prof.random.randrange(first, first + 60) for _ in range(number))
        return [(2_000_000_000_000 // 1000 + 13 * point) * unit // 1000 for point in points]

    def ticks():
        begin, end = times(2, 1000)
        return begin + prof.random.randrange(3) / TICKS_PER_US, end + prof.random.randrange(3, 6) / TICKS_PER_US

    switches = []
    for task in range(count):
        core = prof.random.choice((AI_CORE, AI_CPU))
        prof.operator(100 + task, task % 3 + 1, task, core, 'op%d' % task, 'MatMul', 1)
        begin, end = ticks()
        if prof.chip == 0:
            prof.ran(begin, end, task % 3 + 1, task, core)
        switches += [(0, begin, task % 3 + 1, task, core), (1, end, task % 3 + 1, task, core)]
        if core == AI_CPU:
            prof.ai_cpu(begin, end, task % 3 + 1, task)
    for switch in sorted(switches, key=lambda switch: switch[1]) if prof.chip != 0 else []:
        prof.switched(*switch)
    for number in range(count):
        begin, end = ticks()
        prof.copy(begin, end, number % 2 + 1, 1000 + number)
        begin, end = times(2, 1_000_007)
        prof.call(begin, end, 80 + number % 2, 'aclopExecuteV2')
        begin, end = times(2, 1_000_007)
        prof.runtime_call(begin, end, 80 + number % 2, 'KernelLaunch')
        prof.model(times(6, 1_000_007), 90 + number % 2)
    # Where the calls of an iteration begin.
    prof.call(0, 5, 80, 'aclmdlExecute')


def main():
    overlapping = '--overlapping' in sys.argv
    path, chip, seed, *sample = [argument for argument in sys.argv[1:] if argument != '--overlapping']
    prof = Prof2022(path, int(chip), int(seed), dict(argument.split('=', 1) for argument in sample))
    (fill_overlapping if overlapping else fill)(prof)
    prof.write()


if __name__ == '__main__':
    main()
