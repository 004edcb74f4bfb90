# SPDX-License-Identifier: Apache-2.0
"""Writes small PROF captures record by record, by the documented layouts and not by msprof's own encoder."""
import json
import os
import struct

MONOTONIC = 1_000_000_000_000
UNIX = 1_700_000_000_000_000_000
DEVICE_TICK = 5_000_000
DEVICE_MHZ = 50
ACL, MODEL, NODE, COMMUNICATION, RUNTIME = 20000, 15000, 10000, 5500, 5000
LAUNCH, LOAD, MASTER, SLAVE = 5, 2, 10, 11
NO_CONTEXT = 0xffffffff


PIPES = '0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55'


class Prof:
    """Times are nanoseconds since the start of the collection. chips: the chip of each device that is not of the
    first argument's. Which records a device writes follows from its chip."""

    def __init__(self, path, chip=5, chips=None):
        self.path, self.chip, self.chips = path, chip, dict(chips or {})
        self.host, self.devices = {}, {0: {}}
        self.samples, self.configs, self.counters, self.host_sample = {}, {}, {}, {}
        self.warm_up = 0  # nanoseconds before the collection starts in which records are written already
        self.names, self.types = {}, {(NODE, LAUNCH): 'launch', (RUNTIME, 1): 'LaunchKernel', (ACL, 0x50001): 'aclnnX',
                                  (MODEL, LOAD): 'ModelLoad', (COMMUNICATION, MASTER): 'master',
                                  (COMMUNICATION, SLAVE): 'slave'}

    def _add(self, files, name, record, size):
        assert len(record) == size, (name, len(record))
        files.setdefault(name, bytearray()).extend(record)

    def hash(self, text):
        value = 1000 + len(self.names)
        return self.names.setdefault(text, value)

    def call(self, level, kind, begin, end, thread=1, item=0):
        self._add(self.host, 'unaging.api_event.data', struct.pack(
            '<HHIIIQQQ', 0x5a5a, level, kind, thread, 0, MONOTONIC + begin, MONOTONIC + end, item), 40)

    def node(self, time, name, op_type, thread=1, task_type=0, blocks=4, mix=0, age='unaging'):
        """blocks: of the core that begins; mix: how many times as many of the other."""
        self._add(self.host, age + '.compact.node_basic_info', struct.pack(
            '<HHIIIQQIQII12x', 0x5a5a, NODE, 0, thread, 40, MONOTONIC + time, self.hash(name), task_type,
            self.hash(op_type), blocks | mix << 16, 0), 64)

    def tensors(self, time, name, tensors, thread=1):
        """tensors: (kind, format, data type, dimensions)"""
        payload = b''.join(struct.pack('<III8I', kind, fmt, data_type, *(list(shape) + [0] * (8 - len(shape))))
                           for kind, fmt, data_type, shape in tensors)
        self._add(self.host, 'unaging.additional.tensor_info', struct.pack(
            '<HHIIIQQI', 0x5a5a, NODE, 1, thread, 232, MONOTONIC + time, self.hash(name),
            len(tensors)) + payload.ljust(220, b'\0'), 256)

    def contexts(self, time, name, ids, thread=1):
        self._add(self.host, 'unaging.additional.context_id_info', struct.pack(
            '<HHIIIQQI55I', 0x5a5a, NODE, 4, thread, 232, MONOTONIC + time, self.hash(name), len(ids),
            *(list(ids) + [0] * (55 - len(ids)))), 256)

    def logic_stream(self, logic, streams, count=None):
        self._add(self.host, 'unaging.additional.logic_stream_info', struct.pack(
            '<HHIIIQII56I', 0x5a5a, RUNTIME, 5, 1, 232, MONOTONIC, logic, len(streams) if count is None else count,
            *(list(streams) + [0] * (56 - len(streams)))), 256)

    def expand_streams(self, expanded=1):
        self._add(self.host, 'unaging.compact.expand_stream_spec', struct.pack(
            '<HHIIIQB39x', 0x5a5a, RUNTIME, 815, 1, 1, MONOTONIC, expanded), 64)

    def copy(self, time, size, largest, direction, thread=1):
        self._add(self.host, 'unaging.compact.memcpy_info', struct.pack(
            '<HHIIIQQQH22x', 0x5a5a, RUNTIME, 803, thread, 18, MONOTONIC + time, size, largest, direction), 64)

    def collective(self, time, group, data_type=3, algorithm='RING', count=1, flags=0, thread=1):
        self._add(self.host, 'unaging.compact.hccl_op_info', struct.pack(
            '<HHIIIQBBQQQ14x', 0x5a5a, NODE, 10, thread, 26, MONOTONIC + time, flags, data_type, self.hash(algorithm),
            count, self.hash(group)), 64)

    def transfer(self, time, item, group, plane, ranks=(0, 1, 8), size=0, types=(3, 1, 0, 1), estimated=0.0,
                 context=NO_CONTEXT, notify=0, thread=1):
        """ranks: local, remote, number of all; types: of data, link, transport, RDMA"""
        self._add(self.host, 'unaging.additional.hccl_info', struct.pack(
            '<HHIIIQQQQ6IQIIdQQQ5I116x', 0x5a5a, COMMUNICATION, MASTER, thread, 232, MONOTONIC + time, self.hash(item),
            0, self.hash(group), *ranks, 0, plane, context, notify, 0, 0, estimated, 0, 0, size, 0, *types), 256)

    def mc2_streams(self, group, stream, streams=(), ranks=8):
        """The stream of the AI CPU that serves the group's collectives, and those that communicate for it."""
        self._add(self.host, 'unaging.additional.mc2_comm_info', struct.pack(
            '<HHIIIQQ56I', 0x5a5a, RUNTIME, 13, 1, 60, MONOTONIC, self.hash(group), ranks, 0, 0, stream, len(streams),
            *streams, *[0] * (51 - len(streams))), 256)

    def fusion(self, time, name, operators, memory, thread=1):
        self._add(self.host, 'unaging.additional.fusion_op_info', struct.pack(
            '<HHIIIQQI5Q8Q116x', 0x5a5a, MODEL, 2, thread, 232, MONOTONIC + time, self.hash(name), len(operators),
            *memory, *([self.hash(operator) for operator in operators] + [0] * (8 - len(operators)))), 256)

    def memory(self, time, name, address, size, allocated=0, reserved=0, device=0, thread=1):
        """An operator gets memory, or gives it back: a negative size."""
        self._add(self.host, 'unaging.additional.task_memory_info', struct.pack(
            '<HHIIIQqqQQQII184x', 0x5a5a, NODE, 5, thread, 48, MONOTONIC + time, address, size, self.hash(name), allocated,
            reserved, device, 20), 256)

    def model_name(self, time, name, model, graph=0, thread=1):
        self._add(self.host, 'unaging.additional.graph_id_map', struct.pack(
            '<HHIIIQQII216x', 0x5a5a, MODEL, 0, thread, 16, MONOTONIC + time, self.hash(name), graph, model), 256)

    def track(self, time, stream, task, batch=0, task_type='KERNEL_AICORE', thread=1, device=0, kernel='kernel', blocks=None, mix=0):
        """kernel None: it has no name; blocks: of the record's extension, which it has not when they are None; mix: how
        many times as many of the other core."""
        self._add(self.host, 'unaging.compact.task_track', struct.pack(
            '<HHIIIQHHHHQQHHB11x', 0x5a5a, RUNTIME, 802, thread, 24 if blocks is None else 40, MONOTONIC + time, device, stream,
            task, batch, self.hash(task_type), 0 if kernel is None else self.hash(kernel), blocks or 0, 64, mix), 64)

    def simt(self, time, stream, task, grid, block, thread=1, device=0):
        """A kernel that the host launches with a grid of blocks of threads."""
        self._add(self.host, 'unaging.compact.task_track', struct.pack(
            '<HHIIIQHHHHQQ6H4x', 0x5a5a, RUNTIME, 802, thread, 40, MONOTONIC + time, device, stream, task, 0,
            self.hash('KERNEL_SIMT'), self.hash('kernel'), *grid, *block), 64)

    def track_v2(self, time, stream, task, batch=0, task_type='KERNEL_AICORE', thread=1, device=0):
        self._add(self.host, 'unaging.compact.task_track_v2', struct.pack(
            '<HHIIIQHHIIIQ16x', 0x5a5a, RUNTIME, 802, thread, 24, MONOTONIC + time, device, 0, stream,
            task | batch << 16, self.hash(task_type), self.hash('kernel')), 64)

    def host_flip(self, time, stream, number, task=0, thread=1, device=0):
        """The runtime's record of task numbers that begin again: task type 98."""
        self._add(self.host, 'unaging.compact.task_track', struct.pack(
            '<HHIIIQHHHHQQ16x', 0x5a5a, RUNTIME, 802, thread, 24, MONOTONIC + time, device, stream, task, number, 98,
            0), 64)

    def capture(self, time, stream, model, ends=False, device=0, original=1):
        self._add(self.host, 'unaging.compact.capture_stream_info', struct.pack(
            '<HHIIIQHHHHH30x', 0x5a5a, RUNTIME, 1, 1, 18, MONOTONIC + time, ends, stream, original, model, device), 64)

    def capture_v2(self, time, stream, model, ends=False, device=0, original=1):
        self._add(self.host, 'unaging.compact.capture_stream_info_v2', struct.pack(
            '<HHIIIQHBBIII24x', 0x5a5a, RUNTIME, 1, 1, 16, MONOTONIC + time, device, ends, 0, stream, original, model),
            64)

    def launch(self, begin, stream, task, name, thread=1, node=None, **track):
        """An operator's launch of 100 ns with all that belongs to it."""
        self.call(RUNTIME, 1, begin + 20, begin + 60, thread)
        self.track(begin + 40, stream, task, thread=thread, **track)
        self.node(begin + 90, name, 'Type', thread, **(node or {}))
        self.call(NODE, LAUNCH, begin, begin + 100, thread, self.hash(name))

    def _ticks(self, time):
        assert time * DEVICE_MHZ % 1000 == 0, 'not on the grid of the counter'
        return DEVICE_TICK + time * DEVICE_MHZ // 1000

    def chip_of(self, device):
        return self.chips.get(device, self.chip)

    def _device(self, device, stream, record, size):
        self._add(self.devices.setdefault(device, {}), '%s.data.%d' % (stream, device), record, size)

    def _count(self, device, stream):
        """The counter modulo 16 that the scheduler puts into every record."""
        number = self.counters.get((device, stream), 0)
        self.counters[device, stream] = number + 1
        return number % 16

    def log(self, function, time, stream, task, kind=0, device=0):
        """One half of a task: function 0 starts, 1 ends it."""
        if self.chip_of(device) == 0:
            self._device(device, 'ts_track', struct.pack(
                '<BBHIHHHHQII', 0, 3, 32, 0, kind, 2 + function, stream, task, self._ticks(time), 0, device), 32)
            return
        if self.chip_of(device) in (1, 2, 3, 4):
            self._device(device, 'hwts', struct.pack(
                '<BBHHHQI44x', function | self._count(device, 'hwts') << 4, kind, 0x6bd3, 0, task, self._ticks(time),
                stream), 64)
        else:
            self._device(device, 'stars_soc', struct.pack(
                '<HHHHQ48x', function | self._count(device, 'stars_soc') << 6 | kind << 10, 0x6bd3, stream, task,
                self._ticks(time)), 64)

    def ran(self, start, end, stream, task, kind=0, device=0):
        self.log(0, start, stream, task, kind, device)
        self.log(1, end, stream, task, kind, device)

    def ran_part(self, start, end, stream, task, context, kind=0, device=0):
        for function, time in ((0x22, start), (0x23, end)):
            self._device(device, 'stars_soc', struct.pack(
                '<HHHHQHHHH40x', function | self._count(device, 'stars_soc') << 6, 0x6bd3, stream, task,
                self._ticks(time), kind, context, 4 << 13, 0), 64)

    def pmu(self, start, end, stream, task, total, counters, core=0, device=0, ffts=None, part=0, context=0):
        """Counters of a task; core 1: of the vector cores. ffts, part, context: of a part of a split task."""
        counters = (list(counters) + [0] * 8)[:8]
        if self.chip_of(device) == 0:
            self._device(device, 'aicore', struct.pack(
                '<BBHIHHHHQ8QQQH6x', 0, 4, 112, 0, 0, stream, task, 0, 0, *counters, total, self._ticks(end), 4), 112)
            return
        if self.chip_of(device) in (1, 2, 3, 4):
            name = ('aicore', 'aiVectorCore')[core]
            self._device(device, name, struct.pack(
                '<BBHHHIIQQ8QI28x', 2 | self._count(device, name) << 4, 0, 0x6bd3, 0, task, 0, 0, total, 0, *counters,
                stream), 128)
            return
        self._device(device, 'ffts_profile', struct.pack(
            '<HHHHQHHHHQQQ8QQQ', 0x28 | self._count(device, 'ffts_profile') << 6, 0x6bd3, stream, task, 0, part,
            context, (core if ffts is None else ffts) << 13, 0, 0, total, 0, *counters, self._ticks(start),
            self._ticks(end)), 128)

    def block_pmu(self, start, end, stream, task, total, counters, core, part, block=0, context=0, device=0, ffts=4):
        """Counters of one block on a core of the given type (0 cube, 1 vector) of a part of a split task."""
        counters = (list(counters) + [0] * 8)[:8]
        self._device(device, 'ffts_profile', struct.pack(
            '<HHHHQHHBBHIHHQQ8QQQ', 0x29 | self._count(device, 'ffts_profile') << 6, 0x6bd3, stream, task, 0, part,
            context, core, ffts << 5, 0, 0, 0, block, total, 0, *counters, self._ticks(start), self._ticks(end)), 128)

    def core_sample(self, time, core, cycles, device=0):
        """Of a chip with STARS: the cycles that a core worked since the sample before; from 25 on it is a vector core."""
        self._device(device, 'ffts_profile', struct.pack(
            '<B7x8QQQBB6x', 1, *[cycles // 2] * 8, cycles, 1 + time, 8, core), 96)

    def ai_cpu(self, time, kind, payload, device=0):
        """A record of the AI CPU, of a type of docs/formats/aicpu.md 1."""
        self._device(device, 'aicpu', struct.pack('<HHIIIQ', 0x5a5a, 6000, kind, 1, len(payload), self._ticks(time)) +
                     payload.ljust(232, b'\0'), 256)

    def expanded_task(self, time, item, group, stream, task, size=0, ranks=(0, 1, 8), types=(3, 1, 0, 1), device=0):
        """A task that a kernel on the AI CPU launched; types: of data, link, transport, RDMA."""
        self.ai_cpu(time, 13, struct.pack('<QQQIIIIQQdQQQIIHH7B9x', self.hash(item), 0, self.hash(group), *ranks, 0, 0,
                                          self._ticks(time), 0.0, 0, 0, size, task, 0, stream, 0, 0, *types, 0, 0), device)

    def flip(self, time, stream, number, task=0, device=0):
        self._device(device, 'ts_track', struct.pack(
            '<BBHIQHHHHQQ', 1, 14, 40, 0, self._ticks(time), stream, number, 0, task, 0, 0), 40)

    def scheduled(self, start, end, stream, task, kind, device=0):
        """A task that the scheduler runs itself."""
        for state, time in ((0, start), (2, end)):
            self._device(device, 'ts_track', struct.pack(
                '<BBHIQHHHBBQQ', 1, 12, 40, 0, self._ticks(time), stream, task, kind, state, 0, 0, 0), 40)

    def step(self, time, tag, model, index=1, stream=1, task=0, device=0):
        """A step mark of the task scheduler."""
        self._device(device, 'ts_track', struct.pack(
            '<BBHIQQQHHHH', 1, 10, 40, 0, self._ticks(time), index, model, stream, task, tag, 0), 40)

    def frequency(self, changes, device=0):
        """changes: up to 55 pairs of time and MHz"""
        pairs = b''.join(struct.pack('<QII', self._ticks(time), mhz, 0) for time, mhz in changes)
        self._device(device, 'lpmFreqConv', struct.pack('<II', len(changes), 0) + pairs.ljust(880, b'\0'), 888)

    def _write(self, part, name, data):
        path = os.path.join(self.path, part, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as stream:
            stream.write(data if isinstance(data, (bytes, bytearray)) else data.encode())

    def _write_common(self, part, suffix, chip, info):
        self._write(part, 'info.json' + suffix, json.dumps(
            {'platform_version': str(chip), 'pid': '77', 'DeviceInfo': info, 'CPU': [{'Frequency': ''}],
             'drvVersion': 467473, **self.configs.get(part, {})}))
        self._write(part, 'start_info' + suffix, json.dumps(
            {'collectionTimeBegin': str((UNIX + self.warm_up) // 1000), 'clockMonotonicRaw': str(MONOTONIC + self.warm_up)}))
        self._write(part, 'end_info' + suffix, json.dumps(
            {'collectionTimeEnd': str((UNIX + self.warm_up) // 1000 + 1000)}))
        self._write(part, 'host_start.log' + suffix, '[Device0]\nclock_monotonic_raw: %d\ncntvct: 0\n' % MONOTONIC)

    def _write_device(self, device, files):
        part = 'device_%d' % device
        self._write_common(part, '.%d' % device, self.chip_of(device), [
            {'id': device, 'hwts_frequency': str(DEVICE_MHZ), 'aic_frequency': '1000', 'aiv_frequency': '1000',
             'ai_core_num': 8, 'aiv_num': 16}])
        self._write(part, 'dev_start.log.%d' % device, 'clock_monotonic_raw: 1\ncntvct: %d\n' % DEVICE_TICK)
        self._write(part, 'sample.json', json.dumps(self.samples.get(
            device, {'ai_core_metrics': 'PipeUtilization', 'ai_core_profiling_events': PIPES})))
        for name, data in files.items():
            self._write(part, 'data/%s.slice_0' % name, data)

    def write(self):
        self._write_common('host', '', self.chip, [])
        self._write('host', 'sample.json', json.dumps({'devices': '64', **self.host_sample}))
        for device, files in self.devices.items():
            self._write_device(device, files)
        for name, data in self.host.items():
            self._write('host', 'data/%s.slice_0' % name, data)
        self._write('host', 'data/unaging.additional.hash_dic.slice_0',
                    ''.join('%d:%s\n' % (value, name) for name, value in self.names.items()))
        self._write('host', 'data/unaging.additional.type_info_dic.slice_0',
                    ''.join('%d_%d:%s\n' % (level, kind, name) for (level, kind), name in self.types.items()))
