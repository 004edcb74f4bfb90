#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a capture of CANN since 2023, PROF_*/host and PROF_*/device_0, with operators at random: three calls of the
host, a description, tensors and a task for each, and on the device its task and the counters of its core.

usage: make_prof.py DIRECTORY [--chip 5|1] [--count N] [--streams N] [--threads N] [--seed N] [--slice-kb N] [--names N]
                    [--level 0|1] [--direct N] [--mixed N]

Chip 5 is an Ascend 910B, chip 1 an Ascend 910A. At level 0 no record describes operators. Of every N kernels one is
launched by the program itself (--direct: a call of the runtime and a task track, nothing of the node), one is mixed
(--mixed, chip 5: a whole with part 0 in the log, counters of the part, and of blocks on the other core). Prints the
capture's path.
"""
import argparse
import os
import struct

from capture_files import DEVICE_MAGIC, DEVICE_MONOTONIC, MAGIC, MONOTONIC, CaptureFiles, Random, hashed, serve

UNIX_US = 1_735_689_600_000_000  # 2025-01-01T00:00:00Z
HOST_MHZ = 100
HOST_TICK = MONOTONIC * HOST_MHZ // 1000
DEVICE_TICK = 77_000_000_000
PROCESS = 4242
AI_CORE, AI_CPU, AI_VECTOR_CORE = range(3)
ACLNN, NODE_LAUNCH, LAUNCH_AICPU, LAUNCH = 0x50001, 5, 1003, 1063
ACL, NODE, RUNTIME = 20000, 10000, 5000
TASK_TYPES = {AI_CORE: 0, AI_CPU: 1, AI_VECTOR_CORE: 66}
PART_STARTS, PART_ENDS, PART_MARGIN = 0x22, 0x23, 200  # ns between a whole's ends and its part's
KERNEL_MIX_AIC, CORE_MIX_AIC, PART_MIX_AIC, SPLIT_FFTS_PLUS = 108, 4, 6, 4
FORMAT_ND, FLOAT16 = 2, 1
OP_TYPES = ('MatMulV2', 'Add', 'Mul', 'Cast', 'TransData', 'SoftmaxV2', 'LayerNorm', 'ReduceSum', 'Gelu', 'Conv2D')
SIZES = (1, 16, 32, 64, 128, 256, 512, 1024, 4096)
PIPES = '0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55'
PIPES_OF_CUBES = '0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55'


class Chip:
    def __init__(self, number):
        self.number = number
        self.device_mhz, self.core_mhz = (50, 1850) if number == 5 else (100, 1000)
        self.cores, self.vector_cores = (24, 48) if number == 5 else (32, 0)
        self.metrics, self.events = (('PipeUtilizationExct', PIPES_OF_CUBES) if number == 5 else
                                     ('PipeUtilization', PIPES))

    def device_tick(self, time):
        return DEVICE_TICK + (time - MONOTONIC) * self.device_mhz // 1000


class Operator:
    """What every launch of a name has in common."""

    def __init__(self, number, chip, random):
        self.type = self.aclnn = random.of(OP_TYPES)
        self.name = 'Default/network/layer%d/%s-op%d' % (number % 48, self.type, number)
        share = random.share()
        # The first one is of the AI CPU, so that there is one in small captures too.
        self.core = AI_CPU if share < 0.05 or number == 0 else \
            AI_VECTOR_CORE if share < 0.4 and chip.number == 5 else AI_CORE
        self.shapes = [[random.of(SIZES), random.of(SIZES)] for _ in range(3)]


def is_nth(number, every):
    return every > 0 and number % every == every - 1


def host_tick(time):
    return time * HOST_MHZ // 1000


def call(level, kind, thread, begin, end, item=0):
    return struct.pack('<HHIIIQQQ', MAGIC, level, kind, thread, 0, host_tick(begin), host_tick(end), item)


def described(level, kind, thread, size, time):
    """The head of compact and additional records."""
    return struct.pack('<HHIIIQ', MAGIC, level, kind, thread, size, host_tick(time))


class Maker:
    def __init__(self, options):
        self.options, self.chip, self.random = options, Chip(options.chip), Random(options.seed)
        self.files = CaptureFiles(
            os.path.join(options.directory, 'PROF_000001_20250101000000000_AAAAAAAAAAAAAAAA'), options.slice_kb << 10)
        self.operators = [Operator(number, self.chip, self.random) for number in range(options.names)]
        self.host = {name: [] for name in ('unaging.api_event.data', 'unaging.compact.node_basic_info',
                                           'unaging.compact.task_track', 'unaging.additional.tensor_info')}
        self.launches, self.extra_names, self.extra_types = [], [], []
        self.mixed = set()  # places of launches

    def operator(self, number):
        return self.random.of(self.operators)

    def place_of(self, number, operator):
        """Stream and task."""
        return number % self.options.streams + 1, number // self.options.streams + 1

    def launch(self, number):
        """The host's records of one operator; calls are recorded at their end, so inner ones come first."""
        operator = self.operator(number)
        thread = PROCESS + number % self.options.threads
        stream, task = self.place_of(number, operator)
        time, jitter = MONOTONIC + 1_000_000 + number * 10_000, self.random.below(800)
        blocks = 1 if operator.core == AI_CPU else self.random.between(1, 48)
        direct, mixed = is_nth(number, self.options.direct), self.is_mixed(number, operator)
        calls = [call(RUNTIME, LAUNCH_AICPU if operator.core == AI_CPU else LAUNCH, thread, time + 1500,
                      time + 5000 + jitter)]
        if not direct:
            calls += [call(NODE, NODE_LAUNCH, thread, time + 500, time + 7600 + jitter, hashed(operator.name)),
                      call(ACL, ACLNN + OP_TYPES.index(operator.aclnn), thread, time, time + 8500 + jitter)]
        self.host['unaging.api_event.data'] += calls
        self.host['unaging.compact.task_track'].append(
            described(RUNTIME, 802, thread, 24 if direct or self.options.level == 0 else 40, time + 4000) +
            struct.pack('<HHHHQQHH12x', 0, stream, task, 0, KERNEL_MIX_AIC if mixed else TASK_TYPES[operator.core],
                        hashed(self.kernel(operator)), blocks, 64))
        if not direct and self.options.level > 0:
            self.describe(operator, CORE_MIX_AIC if mixed else operator.core, blocks, thread, time + 7400, mixed)
        if not direct and mixed: # its one context is told at level 0, too
            self.host.setdefault('unaging.additional.context_id_info', []).append(
                described(NODE, 4, thread, 232, time + 7400) +
                struct.pack('<QII', hashed(operator.name), 1, 0).ljust(232, b'\0'))
        if mixed:
            self.mixed.add(len(self.launches))
        duration = ((60_000 if operator.core == AI_CPU else 4_000) + self.random.below(5000)) // 20 * 20
        self.launches.append((stream, task, operator.core, blocks, time + 20_000, duration))

    def kernel(self, operator):
        return operator.type + '_kernel'

    def is_mixed(self, number, operator):
        return self.chip.number == 5 and operator.core != AI_CPU and is_nth(number, self.options.mixed)

    def describe(self, operator, core, blocks, thread, time, mixed):
        """A mixed kernel has twice as many blocks on vector cores."""
        name = hashed(operator.name)
        self.host['unaging.compact.node_basic_info'].append(
            described(NODE, 0, thread, 40, time) +
            struct.pack('<QIQII12x', name, core, hashed(operator.type), blocks | (2 << 16 if mixed else 0), 0))
        tensors = b''.join(struct.pack('<III8I', way, FORMAT_ND, FLOAT16, *shape, *[0] * 6)
                           for way, shape in zip((0, 0, 1), operator.shapes))
        self.host['unaging.additional.tensor_info'].append(
            described(NODE, 1, thread, 232, time) + (struct.pack('<QI', name, 3) + tensors).ljust(232, b'\0'))

    def part_record(self, function, stream, task, time, number):
        return struct.pack('<HHHHQHHHH40x', function | number % 16 << 6, DEVICE_MAGIC, stream, task,
                           self.chip.device_tick(time), PART_MIX_AIC, 0, SPLIT_FFTS_PLUS << 13, 0)

    def part_counters(self, place, span, number):
        """Of the blocks on vector cores, which begin with the whole, and then of the part."""
        stream, task, _, blocks = self.launches[place][:4]
        start, end = span
        head = (DEVICE_MAGIC, stream, task, 0, PART_MIX_AIC, 0)
        cycles = [(end - start) * self.chip.core_mhz // 2000 + block for block in range(2 * blocks)]
        ticks = self.chip.device_tick(start), self.chip.device_tick(end - PART_MARGIN)
        records = [struct.pack('<HHHHQHHBBHIHHQQ8QQQ', 0x29 | (number + block) % 16 << 6, *head, 1, SPLIT_FFTS_PLUS << 5, 0, 0, 0, block, count, 0,
                               *[count // (place + 2)] * 8, *ticks) for block, count in enumerate(cycles)]
        total = (end - start) * self.chip.core_mhz * min(blocks, self.chip.cores) // 1000
        return records + [struct.pack('<HHHHQHHHHQQQ8QQQ', 0x28 | (number + len(records)) % 16 << 6, *head, SPLIT_FFTS_PLUS << 13, 0, 0,
                                      total, 0, *[total // (place + 3)] * 8, *ticks)]

    def log_record(self, function, stream, task, core, time, number):
        tick = self.chip.device_tick(time)
        if self.chip.number == 5:
            return struct.pack('<HHHHQ48x', function | number % 16 << 6 | core << 10, DEVICE_MAGIC, stream, task, tick)
        return struct.pack('<BBHHHQI44x', function | number % 16 << 4, core, DEVICE_MAGIC, 0, task, tick, stream)

    def counters(self, stream, task, core, blocks, start, end, number):
        cycles = (end - start) * self.chip.core_mhz * 9 // 10_000 * min(blocks, self.chip.cores)
        counts = [int(cycles * self.random.share() * 0.8) for _ in range(8)]
        if self.chip.number == 5:
            return struct.pack('<HHHHQHHHHQQQ8QQQ', 0x28 | number % 16 << 6, DEVICE_MAGIC, stream, task, 0, 0, 0,
                               (core == AI_VECTOR_CORE) << 13, 0, 0, cycles, 0, *counts, self.chip.device_tick(start),
                               self.chip.device_tick(end))
        return struct.pack('<BBHHHIIQQ8QI28x', 2 | number % 16 << 4, 0, DEVICE_MAGIC, 0, task, 0, 0, cycles, 0, *counts,
                           stream)

    def spans(self):
        """Start and end of every task, in the order of their launches."""
        return serve([launch[4] for launch in self.launches], [launch[5] for launch in self.launches],
                     [launch[0] for launch in self.launches])

    def write_device(self):
        spans = self.spans()
        events = [(time, place, function) for place, span in enumerate(spans) for function, time in enumerate(span)]
        for place in self.mixed:
            start, end = spans[place]
            events += [(start + PART_MARGIN, place, PART_STARTS), (end - PART_MARGIN, place, PART_ENDS)]
        events.sort()
        log = [self.part_record(function, *self.launches[place][:2], time, number) if function > 1 else
               self.log_record(function, *self.launches[place][:3], time, number)
               for number, (time, place, function) in enumerate(events)]
        counted = [place for _, place, function in events if function == 1 and self.launches[place][2] in (AI_CORE, AI_VECTOR_CORE)]
        counters = []
        for place in counted:
            counters += self.part_counters(place, spans[place], len(counters)) if place in self.mixed else \
                [self.counters(*self.launches[place][:4], *spans[place], len(counters))]
        self.files.records('device_0/data/%s.data.0' % ('stars_soc' if self.chip.number == 5 else 'hwts'), log)
        self.write_counters(counters)

    def write_counters(self, records):
        self.files.records('device_0/data/%s.data.0' % ('ffts_profile' if self.chip.number == 5 else 'aicore'), records)

    def write_dictionaries(self):
        names = [operator.name for operator in self.operators]
        names += list(OP_TYPES) + [kind + '_kernel' for kind in OP_TYPES] + self.extra_names
        self.files.text('host/data/unaging.additional.hash_dic.slice_0',
                        ''.join('%d:%s\n' % (hashed(name), name) for name in names))
        types = ['%d_%d:aclnn%s' % (ACL, ACLNN + number, kind) for number, kind in enumerate(OP_TYPES)]
        types += ['10000_0:node_basic_info', '10000_1:tensor_info', '10000_5:launch', '5000_802:task_track',
                  '5000_1003:KernelLaunch', '5000_1063:KernelLaunchWithHandle', '5000_0:KERNEL_AICORE',
                  '5000_1:KERNEL_AICPU', '5000_66:KERNEL_AIVEC']
        if self.mixed:
            types += ['10000_4:context_id_info', '5000_%d:KERNEL_MIX_AIC' % KERNEL_MIX_AIC]
        types += self.extra_types
        self.files.text('host/data/unaging.additional.type_info_dic.slice_0', ''.join(line + '\n' for line in types))

    def information(self, devices):
        return {'jobInfo': 'NA', 'version': '1.0', 'OS': 'Linux', 'cpuCores': 1, 'hostname': 'generated',
                'hwtype': 'aarch64', 'devices': '0' if devices else '64', 'platform': '',
                'platform_version': str(self.chip.number), 'pid': str(PROCESS), 'memoryTotal': 791_800_000,
                'cpuNums': 192, 'sysClockFreq': 100, 'upTime': '1000.00 20000.00', 'netCardNums': 0,
                'netCard': [{'netCardName': 'eth0', 'speed': 1000}], 'rank_id': -1, 'pid_name': 'python3',
                'drvVersion': 467732, 'CPU': [{'Id': 0, 'Name': 'HiSilicon', 'Frequency': '%d.000000' % HOST_MHZ,
                                               'Logical_CPU_Count': 1, 'Type': 'TaishanV110'}], 'DeviceInfo': devices}

    def device_information(self):
        return {'id': 0, 'env_type': 3, 'ctrl_cpu_core_num': 1, 'ctrl_cpu_endian_little': 1, 'ts_cpu_core_num': 0,
                'ai_cpu_core_num': 6, 'ai_core_num': self.chip.cores, 'ai_cpu_core_id': 2, 'ai_core_id': 0,
                'aicpu_occupy_bitmap': 252, 'ctrl_cpu': '0', 'ai_cpu': '2,3,4,5,6,7', 'aiv_num': self.chip.vector_cores,
                'hwts_frequency': '%d.000000' % self.chip.device_mhz, 'aic_frequency': str(self.chip.core_mhz),
                'aiv_frequency': str(self.chip.core_mhz)}

    def sample(self, devices):
        return {'ai_core_profiling': 'on', 'ai_core_profiling_mode': 'task-based',
                'ai_core_metrics': self.chip.metrics, 'ai_core_profiling_events': self.chip.events,
                'aiv_profiling': 'on', 'aiv_profiling_mode': 'task-based', 'aiv_metrics': 'PipeUtilization',
                'aiv_profiling_events': PIPES, 'devices': devices, 'job_id': '1', 'ascendcl': 'on',
                'runtimeApi': 'on', 'taskTime': 'on', 'hwts_log': 'on', 'ts_timeline': 'on', 'profLevel': 'l%d' % self.options.level,
                'llc_profiling': '', 'host_sys_pid': PROCESS}

    def write_clocks(self, part, suffix):
        date, length, late = '2025-01-01 00:00:00.000000', self.length(), self.begins_late()
        self.files.json('%s/start_info%s' % (part, suffix), {
            'collectionDateBegin': date, 'collectionTimeBegin': str(UNIX_US + late // 1000),
            'clockMonotonicRaw': str(MONOTONIC + late)})
        self.files.json('%s/end_info%s' % (part, suffix), {
            'collectionDateEnd': date, 'collectionTimeEnd': str(UNIX_US + length // 1000),
            'clockMonotonicRaw': str(MONOTONIC + length)})
        self.files.text('%s/host_start.log%s' % (part, suffix), (
            '[%s]\nclock_realtime: %d\nclock_monotonic_raw: %d\ncntvct: %d\ncntvct_diff: 0\n' % (
                'Device0' if suffix else 'Host', UNIX_US * 1000, MONOTONIC, HOST_TICK)))

    def begins_late(self):
        """How long after its clocks are read the collection starts, ns, of whole microseconds."""
        return 0

    def length(self):
        """Of the collection, ns."""
        return self.options.count * 12_000 + 1_000_000

    def write_more(self):
        """For makers of more than operators; what they set is in the descriptions, which are written after it."""

    def write(self):
        for number in range(self.options.count):
            self.launch(number)
        self.write_more()
        for part, suffix, devices in (('host', '', []), ('device_0', '.0', [self.device_information()])):
            self.files.json(part + '/info.json' + suffix, self.information(devices))
            self.files.json(part + '/sample.json', self.sample('0' if devices else '64'))
            self.write_clocks(part, suffix)
        self.files.text('device_0/dev_start.log.0', 'clock_realtime: %d\nclock_monotonic_raw: %d\ncntvct: %d\n' % (
            UNIX_US * 1000, DEVICE_MONOTONIC, DEVICE_TICK))
        self.write_dictionaries()
        for name, records in self.host.items():
            if not records:
                continue
            self.files.records('host/data/' + name, records)
        self.write_device()
        print(self.files.path)


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument('directory')
    parser.add_argument('--chip', type=int, choices=(5, 1), default=5)
    for option, default in (('--count', 120), ('--streams', 4), ('--threads', 1), ('--seed', 1), ('--slice-kb', 2048),
                            ('--names', 40), ('--level', 1), ('--direct', 0), ('--mixed', 0)):
        parser.add_argument(option, type=int, default=default)
    return parser


def main():
    Maker(options().parse_args()).write()


if __name__ == '__main__':
    main()
