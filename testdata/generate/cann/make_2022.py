#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a capture of the layout of 2022, PROF_*/device_0 with names such as AclModule.* and runtime.*, with operators at
random: for each a call of ACL and one of the runtime, a task of the runtime, a description and tensors, and on the device
its task and the counters of its core.

usage: make_2022.py DIRECTORY [--chip 0|1] [--count N] [--seed N] [--slice-kb N] [--names N] [--direct N]

Chip 0 is an Ascend 310, chip 1 an Ascend 910A. Of every N operators one was launched by the program itself (--direct): no
framework describes it. What make_variants.py has besides cannot exist in this layout, which has no schedules with warm-up,
levels, marks in captured graphs, records of communication or flips, and no tasks of the profiler's own. Prints the
capture's path.
"""
import argparse
import os
import struct

from capture_files import DEVICE_MAGIC, DEVICE_MONOTONIC, MAGIC, MONOTONIC, CaptureFiles, Random, hashed, serve

UNIX_US = 1_664_500_000_000_000
DEVICE_TICK = 40_000_000_000
PROCESS, NO_MODEL, STREAMS, TASKS_OF_STREAM = 4242, 0xffffffff, 4, 0xffff
AI_CORE, AI_CPU = range(2)
FORMAT_ND, FLOAT16 = 2, 1
OP_TYPES = ('MatMulV2', 'Add', 'Mul', 'Cast', 'TransData', 'SoftmaxV2', 'LayerNorm', 'ReduceSum', 'Gelu', 'Conv2D')
SIZES = (1, 16, 32, 64, 128, 256, 1024)
PIPES = '0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55'
# Function, the file it is recorded in, and its type there.
ACL_CALLS = (('aclopExecuteV2', 'acl_op', 1), ('aclrtMemcpyAsync', 'acl_rts', 3),
             ('aclrtSynchronizeStream', 'acl_rts', 3), ('aclmdlExecute', 'acl_model', 2))


class Chip:
    def __init__(self, number):
        self.number = number
        self.device_khz, self.core_mhz, self.cores = (38_400, 680, 2) if number == 0 else (100_000, 1000, 32)

    def device_tick(self, time):
        return DEVICE_TICK + (time - MONOTONIC) * self.device_khz // 1_000_000


class Operator:
    """What every execution of a name has in common."""

    def __init__(self, number, random):
        self.type = random.of(OP_TYPES)
        self.name = 'layer%d/%s-op%d' % (number % 48, self.type, number)
        self.core = AI_CPU if random.share() < 0.05 or number == 0 else AI_CORE
        self.shapes = [[random.of(SIZES), random.of(SIZES)] for _ in range(3)]


class Maker:
    def __init__(self, options):
        self.options, self.chip, self.random = options, Chip(options.chip), Random(options.seed)
        self.files = CaptureFiles(
            os.path.join(options.directory, 'PROF_000001_20220930000000000_BBBBBBBBBBBBBBBB', 'device_0'),
            options.slice_kb << 10)
        self.stream_count = max(STREAMS, -(-options.count // TASKS_OF_STREAM))
        self.operators = [Operator(number, self.random) for number in range(options.names)]
        self.streams, self.launches = {}, []

    def add(self, name, record, size):
        assert len(record) == size, (name, len(record))
        self.streams.setdefault(name, []).append(record)

    def launch(self, number):
        """What the host recorded of one operator."""
        operator, stream = self.random.of(self.operators), number % self.stream_count + 1
        task = number // self.stream_count + 1
        time, jitter = MONOTONIC + 1_000_000 + number * 10_000, self.random.below(800)
        blocks = self.random.between(1, self.chip.cores + 1)
        function, module, kind = self.random.of(ACL_CALLS)
        self.add('AclModule.%s.0' % module, struct.pack(
            '<HHIQQII64s32x', MAGIC, 0, kind, time, time + 8500 + jitter, PROCESS, PROCESS, function.encode()), 128)
        self.add('runtime.api.0', struct.pack(
            '<HHIQQQ64sIIIH146x', MAGIC, 4, PROCESS, time + 1500, time + 5000 + jitter, 0, b'KernelLaunch', 0, stream, 1,
            task), 256)
        self.add('runtime.task_track.0', struct.pack(
            '<HHIQ32sHHH10x', MAGIC, 3, PROCESS, time + 4000, (b'KERNEL_AICORE', b'KERNEL_AICPU')[operator.core], task,
            0, stream), 64)
        duration = (60_000 if operator.core == AI_CPU else 4_000) + self.random.below(5000)
        self.launches.append((stream, task, operator.core, blocks, time + 20_000, duration))
        if self.options.direct and number % self.options.direct == 0:
            return
        self.add('Framework.task_desc_info.0', struct.pack(
            '<HHI8xQ112x8xQ48xQQIIIIHHI16x', MAGIC, 21, operator.core, hashed(operator.name), hashed(operator.type), 0,
            time + 7400, 0, blocks, NO_MODEL, stream, task, 0, PROCESS), 256)
        tensors = b''.join(struct.pack('<III8I', way, FORMAT_ND, FLOAT16, *shape, *[0] * 6)
                           for way, shape in zip((0, 0, 1), operator.shapes))
        self.add('Framework.tensor_data_info.0', struct.pack(
            '<HHIQIHHI', MAGIC, 22, NO_MODEL, 0, stream, task, 0, 3) + tensors.ljust(220, b'\0') +
            struct.pack('<Q', time + 7400), 256)

    def state_record(self, state, stream, task, core, time, number):
        """States 1 to 3: waits, starts, ends. An Ascend 910A does not record the first."""
        tick = self.chip.device_tick(time)
        if self.chip.number == 0:
            return struct.pack('<BBHIHHHHQII', 0, 3, 32, 0, core, state, stream, task, tick, 0, 0)
        return struct.pack('<BBHHHQI44x', state - 2 | number % 16 << 4, core, DEVICE_MAGIC, 0, task, tick, stream)

    def counters(self, stream, task, blocks, start, end, number):
        cycles = (end - start) * self.chip.core_mhz * 9 // 10_000 * blocks
        counts = [int(cycles * self.random.share() * 0.8) for _ in range(8)]
        if self.chip.number == 0:
            return struct.pack('<BBHIHHHHQ8QQQH6x', 0, 4, 112, 0, 0, stream, task, 0, 0, *counts, cycles,
                               self.chip.device_tick(end), blocks)
        return struct.pack('<BBHHHIIQQ8QI28x', 2 | number % 16 << 4, 0, DEVICE_MAGIC, 0, task, 0, 0, cycles, 0, *counts,
                           stream)

    def write_device(self):
        spans = serve([launch[4] for launch in self.launches], [launch[5] for launch in self.launches],
                      [launch[0] for launch in self.launches])
        events = []
        for place, (start, end) in enumerate(spans):
            events += [(start - 500, place, 1)] * (self.chip.number == 0) + [(start, place, 2), (end, place, 3)]
        events.sort()
        states = [self.state_record(state, *self.launches[place][:3], time, number)
                  for number, (time, place, state) in enumerate(events)]
        counted = [place for _, place, state in events if state == 3 and self.launches[place][2] == AI_CORE]
        counters = [self.counters(*self.launches[place][:2], self.launches[place][3], *spans[place], number)
                    for number, place in enumerate(counted)]
        self.streams['ts_track.data.0' if self.chip.number == 0 else 'hwts.data.0'] = states
        self.streams['aicore.data.0'] = counters

    def write_descriptions(self):
        self.files.json('info.json.0', {
            'jobInfo': 'NA', 'version': '1.0', 'OS': 'Linux', 'cpuCores': 1, 'hostname': 'generated',
            'hwtype': 'aarch64', 'devices': '0', 'platform': '', 'platform_version': str(self.chip.number),
            'pid': str(PROCESS), 'memoryTotal': 1, 'cpuNums': 8, 'sysClockFreq': 100, 'upTime': '1 1',
            'netCardNums': 0, 'netCard': [], 'rank_id': -1, 'pid_name': 'app',
            'CPU': [{'Id': 0, 'Name': 'x', 'Frequency': '', 'Logical_CPU_Count': 1, 'Type': 'x'}],
            'DeviceInfo': [{'id': 0, 'env_type': 3, 'ctrl_cpu_core_num': 1, 'ctrl_cpu_endian_little': 1,
                            'ts_cpu_core_num': 1, 'ai_cpu_core_num': 7, 'ai_core_num': self.chip.cores,
                            'ai_cpu_core_id': 1, 'ai_core_id': 0, 'aicpu_occupy_bitmap': 254, 'ctrl_cpu': '0',
                            'ai_cpu': '1,2,3,4,5,6,7', 'aiv_num': 0,
                            'hwts_frequency': '%g' % (self.chip.device_khz / 1000),
                            'aic_frequency': str(self.chip.core_mhz), 'aiv_frequency': str(self.chip.core_mhz)}]})
        self.files.json('sample.json', {
            'devices': '0', 'job_id': '2', 'acl': 'on', 'runtimeApi': 'on', 'modelExecution': 'on',
            'ts_timeline': 'on', 'hwts_log': 'on', 'ai_core_profiling': 'on', 'ai_core_profiling_mode': 'task-based',
            'ai_core_metrics': 'PipeUtilization', 'ai_core_profiling_events': PIPES,
            'aiv_profiling_mode': 'task-based', 'aiv_metrics': 'PipeUtilization', 'aiv_profiling_events': PIPES})
        length = self.options.count * 10_000
        self.files.json('start_info.0', {'collectionDateBegin': '2022-09-30 01:06:40.000000',
                                         'collectionTimeBegin': str(UNIX_US), 'clockMonotonicRaw': str(MONOTONIC)})
        self.files.json('end_info.0', {'collectionDateEnd': '2022-09-30 01:06:41.000000',
                                       'collectionTimeEnd': str(UNIX_US + length // 1000),
                                       'clockMonotonicRaw': str(MONOTONIC + length)})
        self.files.text('host_start.log.0', '[Device0]\nclock_realtime: %d\nclock_monotonic_raw: %d\n' % (
            UNIX_US * 1000, MONOTONIC))
        self.files.text('dev_start.log.0', 'clock_realtime: %d\nclock_monotonic_raw: %d\ncntvct: %d\n' % (
            UNIX_US * 1000, DEVICE_MONOTONIC, DEVICE_TICK))

    def write(self):
        for number in range(self.options.count):
            self.launch(number)
        self.write_descriptions()
        self.write_device()
        self.files.text('data/Framework.hash_dic.0.slice_0', ''.join(
            '%d:%s\n' % (hashed(name), name)
            for name in [operator.name for operator in self.operators] + list(OP_TYPES)))
        for name, records in self.streams.items():
            self.files.records('data/' + name, records)
        print(os.path.dirname(self.files.path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('directory')
    parser.add_argument('--chip', type=int, choices=(0, 1), default=0)
    for option, default in (('--count', 120), ('--seed', 1), ('--slice-kb', 2048), ('--names', 40), ('--direct', 0)):
        parser.add_argument(option, type=int, default=default)
    Maker(parser.parse_args()).write()


if __name__ == '__main__':
    main()
