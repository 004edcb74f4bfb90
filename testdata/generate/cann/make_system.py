#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a capture as make_prof.py does, with samples of the device and of the host beside the operators: memories and
caches, links, processors, the AI CPU, processes.

usage: make_system.py DIRECTORY [options of make_prof.py] [--samples N] [--sampled-cores]

--sampled-cores: the cores are sampled instead of every task's counters being read.

Prints the capture's path.
"""
import struct

import make_prof
from capture_files import DEVICE_MAGIC, DEVICE_MONOTONIC, MAGIC, MONOTONIC, hashed
from make_prof import AI_CPU, NODE, PIPES, PROCESS
from processor_samples import ProcessorSamples

PERIOD = 20_000_000
UNKNOWN_SIZE = 2 ** 64 - 1
NETWORK_TITLES = ('timestamp bandwidth rxPacket/s rxByte/s rxPackets rxBytes rxErrors rxDropped txPacket/s txByte/s'
                  ' txPackets txBytes txErrors txDropped funcId\n')
DVPP_TITLES = ('timestamp dvpp_id engine_type engine_id all_time all_frame all_utilization proc_time proc_frame'
               ' proc_utilization last_time last_frame\n')
CACHE_EVENTS = {1: '0x5b,0x59,0x5c,0x7d,0x7e,0x71,0x79,0x7c', 5: '0xf6,0xfb,0xfc,0x90,0x91,0x9c,0x9d,0xbf'}
LLC_READ_EVENTS = (0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36)
LLC_LOOKUPS = (0x20, 0x34)
ACTIONS = ('Last queue dequ', 'Preprocess', 'Next queue')
MODULES = (0, 3, 7, 12, 33, 45, 62, 200)

# In sample.json, beside those that come with events.
SWITCHES = ('hardware_mem', 'memProfiling', 'msprof_llc_profiling', 'nicProfiling', 'roceProfiling', 'pcieProfiling',
            'hccsProfiling', 'dvpp_profiling', 'taskMemory', 'aicpuTrace')
SWITCHES_OF_5 = ('interconnection_profiling', 'qosProfiling', 'sysLp')

class SystemMaker(make_prof.Maker):
    def __init__(self, options):
        super().__init__(options)
        self.count = options.samples
        # Multiples of 32 microseconds: exact in a double also since 1970.
        self.times = [MONOTONIC + 192_000 + number * PERIOD for number in range(self.count)]
        self.settings = {}

    # ---- where and when ----

    def device_records(self, name, records):
        self.files.records('device_0/data/%s.data.0' % name, records)

    def device_text(self, name, text):
        self.files.text('device_0/data/%s.data.0.slice_0' % name, text)

    @staticmethod
    def device_monotonic(time):
        return time - MONOTONIC + DEVICE_MONOTONIC

    @staticmethod
    def microseconds(time):
        return (time - MONOTONIC) // 1000

    def numbers(self, count, limit, first=0):
        return [self.random.between(first, limit) for _ in range(count)]

    def climbing(self, limit, first=0):
        """A counter that grows from sample to sample."""
        value, values = 0, []
        for step in self.numbers(self.count, limit, first):
            value += step
            values.append(value)
        return values

    # ---- memories and caches of the device ----

    def write_hbm(self):
        self.settings.update(hbmProfiling='on', hbm_profiling='on', hbm_profiling_events='read,write')
        self.device_records('hbm', [
            struct.pack('<QQII', self.microseconds(time), self.random.between(1000, 900_000), event, memory)
            for time in self.times for event in (0, 1) for memory in range(4)])

    def write_ddr(self):
        self.settings.update(ddr_profiling='on', ddr_profiling_events='read,write', ddr_master_id='')
        self.device_records('ddr', [
            struct.pack('<IIIII', self.microseconds(time), self.random.between(100, 90_000), event, controller,
                        0xffffffff)
            for time in self.times for controller in (0, 1) for event in (0, 1)])

    def write_llc(self):
        self.settings.update(llc_profiling='read', llc_profiling_events='read')
        records = []
        for time in self.times:
            for part in range(2 if self.chip.number == 5 else 4):
                for event in LLC_READ_EVENTS:
                    count = self.random.between(1000, 90_000)
                    if event in LLC_LOOKUPS:  # one sample looked nothing up
                        count = 0 if time == self.times[2] and part == 0 else count * 3
                    records.append(struct.pack('<QQII', self.microseconds(time), count, event, part))
        self.device_records('llc', records)

    def write_npu_mem(self):
        records, memory = [], [0, 1 << 30]
        for time in self.times:
            for whose in (0, 1):
                memory = [memory[0] + self.random.below(8192) * 512, memory[1] + self.random.below(200_000) * 17]
                records.append(struct.pack('<II8xQQ', self.microseconds(time), whose, *memory))
        self.device_records('npu_mem', records)

    def write_npu_module_mem(self):
        records = []
        for number, time in enumerate(self.times):
            size = UNKNOWN_SIZE if number % 11 == 1 else self.random.below(1 << 34)
            records.append(struct.pack('<I4xQQ', self.random.of(MODULES), make_prof.host_tick(time), size))
        self.device_records('npu_module_mem', records)

    def core_tasks(self):
        """Stream and task of what ran on cores."""
        return [(stream, task) for stream, task, core, *_ in self.launches if core != AI_CPU]

    def write_l2_cache(self):
        events = CACHE_EVENTS[self.chip.number]
        self.settings.update(l2CacheTaskProfiling='on', l2CacheTaskProfilingEvents=events)
        self.device_records('l2_cache', [
            struct.pack('<HHHH8Q', 0, stream, task, 0, *(self.numbers(8, 200_000, 1000) if number else [0] * 8))
            for number, (stream, task) in enumerate(self.core_tasks())])

    def write_socpmu(self):
        self.settings.update(npuEvents='SMMU:0x2,0x8a,0x8b,0x8c,0x8d;HA:0x00,0x88')
        records = []
        for number, (stream, task) in enumerate(self.core_tasks()):
            lookups = self.random.below(90_000) if number else 0
            hits = self.random.below(lookups // 2 + 1), self.random.below(lookups // 2 + 1)
            counters = [lookups - sum(hits), lookups, 7, *hits, 0, 0, 0]
            records.append(struct.pack('<8xHHHH8Q', 0, stream, task, 4 if number % 7 == 1 else 2, *counters))
        self.device_records('socpmu', records)

    # ---- links ----

    def network(self, ports):
        text, totals = NETWORK_TITLES, [[0] * 8 for _ in range(ports)]
        for time in self.times:
            for port, total in enumerate(totals):
                received, sent = self.numbers(2, 9_000_000, 10_000)
                failed = [self.random.below(900_000) * self.random.below(2) for _ in range(4)]
                for place, more in enumerate((received, received * 7_000_000, *failed[:2], sent, sent * 6_000_000,
                                              *failed[2:])):
                    total[place] += more
                cells = [received, received * 700, *total[:4], sent, sent * 600, *total[4:]]
                text += '%d: %d %s %d\n' % (self.device_monotonic(time), 400 if ports > 1 else 100,
                                            ' '.join(map(str, cells)), port)
        return text

    def write_pcie(self):
        records = []
        for number, time in enumerate(self.times):
            values = []
            for _ in range(7):
                least, mean, most = sorted(self.numbers(3, 9000))
                values += [least, most, mean]
            if number == 2:
                values[0] = values[3] = 0xfffff  # nothing was measured
            records.append(struct.pack('<QI21I', self.device_monotonic(time), 0, *values))
        self.device_records('pcie', records)

    def write_hccs(self):
        sent, received = (self.climbing(90_000_000, 10_000) for _ in range(2))
        sent[self.count // 2] = sent[self.count // 2 - 1] - 5
        self.device_text('hccs', 'time txAmount rxAmount\n' + ''.join(
            '%d: %d %d\n' % (self.device_monotonic(time), *amounts)
            for time, *amounts in zip(self.times, sent, received)))

    def write_dvpp(self):
        text, totals = DVPP_TITLES, {}
        for time in self.times:
            for engine in [(kind, number) for kind in range(7) for number in range(1 + kind % 2)]:
                busy, frames = self.random.below(900), self.random.below(7)
                before = totals.get(engine, (0, 0))
                totals[engine] = before[0] + busy, before[1] + frames
                text += '%d: 0 %d %d %d %d %d%% %d %d %d%% %d %d\n' % (
                    self.device_monotonic(time), *engine, *totals[engine], self.random.below(100), busy, frames,
                    self.random.below(100), busy // 2, frames)
        self.device_text('dvpp', text)

    def write_netdev_stats(self):
        self.device_text('netdev_stats', ''.join(
            '%d %s\n' % (self.device_monotonic(time), ' '.join(str(1000 * place * (number + 1) + self.random.below(900))
                                                               for place in range(1, 16)))
            for number, time in enumerate(self.times)))

    # ---- what the scheduler of newer chips samples ----

    def profile_records(self, time):
        """Pairs of time and a record without the counter in its head: accelerators, levels, links, dies, power."""
        tick = self.chip.device_tick

        def record(at, function, high, body):
            packed = struct.pack('<HHIQ', function | high << 10, DEVICE_MAGIC, 0, tick(time + at)) + body
            return time + at, packed.ljust(64, b'\0')
        yield record(0, 0x1a, 0, struct.pack('<HH12x4Q', 0, self.random.below(4), *self.numbers(4, 5000)))
        yield record(40, 0x1c, 0, struct.pack('<16xH', self.random.below(8) | self.random.below(256) << 3))
        for kind in (63, 34):
            yield record(80, 0x1b, kind, struct.pack('<HH12x2Q', 0, self.random.below(3), *self.numbers(2, 1 << 20)))
        for die in (0, 1):
            yield record(120, 0x19, 0, struct.pack('<HH12x8I', 0, die, *self.numbers(8, 1 << 26)))
            yield record(160, 0x1d, die, struct.pack('<Q20H', 0, *self.numbers(20, 2000)))

    def write_soc_profile(self):
        records = sorted((pair for time in self.times for pair in self.profile_records(time)),
                         key=lambda pair: pair[0])
        self.device_records('stars_soc_profile', [
            struct.pack('<H', struct.unpack_from('<H', record)[0] | number % 16 << 6) + record[2:]
            for number, (_, record) in enumerate(records)])

    def write_qos(self):
        self.settings.update(qosEvents='OTHERS,DVPP_ALL,CCU,HOST')
        self.device_records('qos', [
            struct.pack('<16xQ10I', self.chip.device_tick(time), *self.numbers(10, 9000)) for time in self.times])

    def write_low_power(self):
        def changes(what, values):
            pairs = b''.join(struct.pack('<QII', self.chip.device_tick(time), value, 0)
                             for time, value in zip(self.times, values))
            return struct.pack('<II', len(values), what) + pairs.ljust(880, b'\0')
        self.device_records('lpmFreqConv', [changes(0, (1850, 1650, 800, 1850))])
        self.device_records('lpmInfoConv', [changes(what, self.numbers(4, 950, 700)) for what in (1, 2)])

    # ---- cores ----

    def write_counters(self, records):
        if not self.options.sampled_cores:
            super().write_counters(records)
            return
        records, whole = [], self.chip.core_mhz * 10_000  # cycles of ten milliseconds
        for number in range(3 * self.count):
            time = self.device_monotonic(MONOTONIC + 300_000 + number * 10_000_000)
            for core in (0, 1, 2, 3, 30, 31, 40)[:7 if self.chip.number == 5 else 4]:
                cycles = self.random.between(whole // 10, whole)
                counts = [int(cycles * self.random.share() * 0.7) for _ in range(8)]
                records.append(struct.pack('<BBHHH8QQQBB6x', 1, 0, 0, 0, 0, *counts, cycles, time, 8, core))
        super().write_counters(records)

    def core_sampling(self):
        """What sample.json says of sampled cores."""
        keys = ('ai_core', 'aiv')
        return {**{key + '_profiling_mode': 'sample-based' for key in keys},
                **{key + '_metrics': 'PipeUtilization' for key in keys},
                **{key + '_profiling_events': PIPES for key in keys}} if self.options.sampled_cores else {}

    # ---- the AI CPU ----

    def node_body(self, stream, task, start, end):
        """The AI CPU's own record of an operator, from its first tick on."""
        begin, finish = self.chip.device_tick(start) + 5, self.chip.device_tick(end) - 5
        computes = self.random.between(1_000_000, 10_000_000)
        copies = computes + self.random.between(10, 60)
        return struct.pack('<HHIQQQQQQQIIQQQQIIIHBB', stream, task, 0, 0, begin, computes, copies,
                           copies + self.random.between(1, 20), 0, finish, 9, 0, begin - 200, begin - 150, begin - 3,
                           finish + self.random.between(2, 20), 0, self.random.between(1, 90),
                           self.random.between(90, 400), 0, 2, 0)

    def write_ai_cpu(self):
        spans = [(launch, span) for launch, span in zip(self.launches, self.spans()) if launch[2] == AI_CPU]
        nodes = [self.node_body(*launch[:2], *span) for launch, span in spans]
        queues = [(time + 777, self.random.of(ACTIONS).encode(), b'ge_queue_%d' % (number % 5), number,
                   self.random.below(4096)) for number, time in enumerate(self.times)]
        waits = [(self.chip.device_tick(time), self.random.below(64), time // 1000,
                  time // 1000 + self.random.between(1, 900)) for time in self.times]

        def additional(kind, stamp, body):
            return struct.pack('<HHIIIQ', MAGIC, 6000, kind, 0, 232, stamp) + body.ljust(232, b'\0')
        records = [additional(3, stamp, struct.pack('<IIQQQ', 1, 0, *rest)) for stamp, *rest in waits]
        if self.chip.number == 5:
            records += [additional(0, 0, body) for body in nodes]
            records += [additional(1, stamp, struct.pack('<16s64sQQ', *rest)) for stamp, *rest in queues]
        else:
            self.files.records('device_0/data/DATA_PREPROCESS.AICPU.0', [
                struct.pack('<HH', MAGIC, 60) + body[:4] + body[8:].ljust(120, b'\0') for body in nodes])
            self.files.records('device_0/data/DATA_PREPROCESS.DP.0', [
                struct.pack('<HHIQ16s64sQQ16x', MAGIC, 100, 0, *queue) for queue in queues])
        self.device_records('aicpu', records)

    # ---- memory that the host accounts for ----

    def write_operator_memory(self):
        names = [operator.name for operator in self.operators]
        records, live, allocated, time = [], [], 0, MONOTONIC + 900_000
        for number in range(2 * self.count):
            time += self.random.between(500, 20_000)
            if live and self.random.share() < 0.45:
                name, address, size = live.pop(self.random.below(len(live)))
                size = -size
            else:
                name, address = self.random.of(names), 0x20000000 + 4096 * number
                size = self.random.between(1, 2000) * 512
                live.append((name, address, size))
            allocated += size
            records.append(make_prof.described(NODE, 6, PROCESS, 232, time) + struct.pack(
                '<QqQQQII', address, size, hashed(name), allocated, allocated + (1 << 21), 0, 4).ljust(232, b'\0'))
        self.files.records('host/data/unaging.additional.task_memory_info', records)

    def write_static_memory(self):
        models = ('resnet_part1', 'bert_part2')
        self.extra_names += models
        records = []
        for number, operator in enumerate(self.operators[:self.count]):
            last = 0xffffffff if number % 7 == 0 else number + self.random.between(1, 9)
            records.append(make_prof.described(NODE, 11, PROCESS, 232, self.times[0]) + struct.pack(
                '<QQQQQQI', self.random.between(1, 1 << 24), 0 if number % 10 == 0 else hashed(operator.name), number,
                last, 0, hashed(models[number % 2]), 1 + number % 2).ljust(232, b'\0'))
        self.files.records('host/data/unaging.additional.static_op_mem', records)

    # ---- all of it ----

    def sample(self, devices):
        return {**super().sample(devices), **self.settings, **self.core_sampling()}

    def information(self, devices):
        cards = (('eth0', 1000), ('eth1', 10_000), ('docker0', -1))
        return {**super().information(devices), 'netCardNums': len(cards),
                'netCard': [{'netCardName': name, 'speed': speed} for name, speed in cards]}

    def length(self):
        return self.times[-1] - MONOTONIC + 1_000_000

    def write_more(self):
        for write in (self.write_hbm, self.write_llc, self.write_npu_mem, self.write_npu_module_mem,
                      self.write_l2_cache, self.write_pcie, self.write_hccs, self.write_dvpp, self.write_netdev_stats,
                      self.write_ai_cpu, self.write_operator_memory, self.write_static_memory):
            write()
        self.settings.update({switch: 'on' for switch in SWITCHES}, npuModuleMemFreq=50)
        if self.chip.number == 5:
            self.settings.update({switch: 'on' for switch in SWITCHES_OF_5})
            for write in (self.write_socpmu, self.write_soc_profile, self.write_qos, self.write_low_power):
                write()
        else:
            self.write_ddr()
        self.device_text('nic', self.network(1))
        self.device_text('roce', self.network(2))
        self.settings.update(ProcessorSamples(self.files, self.random, self.times).write())


def main():
    parser = make_prof.options()
    parser.add_argument('--samples', type=int, default=12)
    parser.add_argument('--sampled-cores', action='store_true')
    SystemMaker(parser.parse_args()).write()


if __name__ == '__main__':
    main()
