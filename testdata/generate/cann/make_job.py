#!/usr/bin/env python3
"""Writes a capture of the JOB era: an Ascend 910A that MindSpore trains on, as Ascend's software of 2020 wrote it. Steps of
one graph; tasks of operators, which MindSpore numbers from 25000 on, among tasks that have no name; one task that has two
starts and one that never ends. No file says how fast the counter is.

usage: make_job.py DIRECTORY [--steps N] [--operators N] [--seed N]

Prints the capture's path. expected/op_timeline.csv beside it tells what ran, by what was put in: name, stream, start and
duration in milliseconds of a counter of 100 MHz.
"""
import argparse
import os
import struct

from capture_files import DEVICE_MAGIC, CaptureFiles, Random

DEVICE = 1
FIRST_TICK = 38_753_186_165
OP_TYPES = ('MatMul', 'Mul', 'TensorAdd', 'ReduceSum', 'GatherV2', 'Assign', 'Cast')
DATA_TYPES = (31, 39, 40)  # INT32, FLOAT16, FLOAT32
START, END = range(2)


def tensor(way, number, random):
    shape = ','.join(str(random.of((1, 16, 80, 1024))) for _ in range(random.below(3)))
    return ' %s_id:%d %s_format:%s %s_data_type:%d %s_shape:"%s"' % (
        way, number, way, random.of(('DefaultFormat', 'NC1HWC0')), way, random.of(DATA_TYPES), way, shape)


class Maker:
    def __init__(self, options):
        self.options, self.random = options, Random(options.seed)
        self.directory = options.directory
        self.files = CaptureFiles(os.path.join(options.directory, 'JOBGENERATED910A'))
        self.operators = ['Default/network/%s-op%d' % (self.random.of(OP_TYPES), number)
                          for number in range(options.operators)]
        self.log, self.ran = [], []

    def record(self, function, tick, stream, task):
        self.log.append((tick, function, stream, task))

    def run_step(self, tick):
        for number, name in enumerate(self.operators):
            stream, task = 513 + number % 3, 30_000 + number
            unnamed = tick + self.random.between(1, 50)
            self.record(START, unnamed, 600, number)
            self.record(END, unnamed + 1, 600, number)
            start = tick + self.random.between(60, 400)
            end = start + self.random.between(1, 20_000)
            if number == 3:
                self.record(START, start - 5, stream, task)  # the later start counts
            self.record(START, start, stream, task)
            self.record(END, end, stream, task)
            self.ran.append((name, stream, start, end))
            tick = end + self.random.below(300)
        self.record(START, tick, 513, 60_002)
        return tick + 10_000

    def graph_line(self, name):
        kind = name.rsplit('/', 1)[1].split('-')[0]
        inputs = ''.join(tensor('input', number, self.random) for number in range(self.random.between(1, 3)))
        return 'op_name:%s op_type:%s%s%s\n' % (name, kind, inputs, tensor('output', 0, self.random))

    def write(self):
        tick = FIRST_TICK
        for _ in range(self.options.steps):
            tick = self.run_step(tick)
        self.log.sort(key=lambda event: event[0])
        files, suffix = self.files, '%d.slice_0' % DEVICE
        files.bytes('hwts.log.data.45.dev.profiler_default_tag.' + suffix, b''.join(
            struct.pack('<BBHHHQI44x', function | number % 16 << 4, 0, DEVICE_MAGIC, 0, task, time, stream)
            for number, (time, function, stream, task) in enumerate(self.log)))
        files.text('Framework.host.vm.task_desc_info.' + suffix, ''.join(
            '%s %d %d 3\n' % (name, self.random.between(1, 33), 30_000 + number)
            for number, name in enumerate(self.operators)))
        files.text('Framework.host.vm.graph_desc_info.' + suffix, ''.join(map(self.graph_line, self.operators)))
        files.text('host_start.log.%d' % DEVICE,
                   '[Device0]\nclock_realtime: 1591183963784568740\nclock_monotonic_raw: 261003032627\n')
        expected = os.path.join(self.directory, 'expected')
        os.makedirs(expected, exist_ok=True)
        with open(os.path.join(expected, 'op_timeline.csv'), 'w', encoding='ascii') as file:
            file.write('op_name,stream_id,start_time(ms),duration(ms)\n')
            for name, stream, start, end in sorted(self.ran, key=lambda row: row[2]):
                file.write('%s,%d,%.5f,%.5f\n' % (name, stream, start / 1e5, (end - start) / 1e5))
        print(files.path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('directory')
    for option, default in (('--steps', 5), ('--operators', 30), ('--seed', 1)):
        parser.add_argument(option, type=int, default=default)
    Maker(parser.parse_args()).write()


if __name__ == '__main__':
    main()
