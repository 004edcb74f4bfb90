#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a capture as make_prof.py does, with what real programs leave besides, and the truth about it as JSON.

usage: make_variants.py DIRECTORY [options of make_prof.py] [--warm-up N] [--collectives N] [--replays N] [--profiling 1]
                        [--batches N] [--lost-flips 1] [--truth FILE]

Device and host record from the start on; with --warm-up the collection starts in the middle of the N-th task. Of every N
operators one is a kernel of a collective (--collectives): on the AI CPU, which launches three tasks on streams of its own,
or on vector cores, by turns. A mark and a range were captured into a graph that was replayed N times (--replays). The
profiler's own tasks stand around all (--profiling). Task numbers of a stream begin again after N of them (--batches), of
which the device's log lacks the first on stream 1, the second on stream 2 (--lost-flips). Prints the capture's path.
"""
import json
import struct

import make_prof
from capture_files import MAGIC, MONOTONIC, hashed
from make_prof import AI_CORE, AI_CPU, AI_VECTOR_CORE, RUNTIME, Operator, call, described, host_tick, is_nth

GROUP = 'group_of_ranks'
NOTIFY_WAIT, SDMA, NO_WORK = 7, 11, 15
NUMBERS = 1 << 16
PROFILING = {'PROFILING_ENABLE': 201, 'PROFILING_DISABLE': 202}
PROFILING_STREAM, MARK_STREAM = 90, 95
MARK, RANGE = 7, 8  # their numbers
FLIP = 98
CORES = {AI_CORE: 'AI_CORE', AI_CPU: 'AI_CPU', AI_VECTOR_CORE: 'AI_VECTOR_CORE'}


class VariantMaker(make_prof.Maker):
    def __init__(self, options):
        super().__init__(options)
        self.collectives = [self.collective('allreduceAicpuKernel', AI_CPU)]
        if self.chip.number == 5:
            self.collectives.append(self.collective('reduce_scatterAivKernel', AI_VECTOR_CORE))
        self.launched = []       # operators, by number
        self.of_others = []      # (stream, task, type in the log, start, end, what it is): of no operator
        self.flips, self.ai_cpu, self.made = [], [], {}
        self.ended, self.operators_end, self.late = [], 0, 0

    def collective(self, name, core):
        operator = Operator(1, self.chip, self.random)
        operator.name, operator.type, operator.core = name, name, core
        return operator

    def operator(self, number):
        chosen = super().operator(number)
        if is_nth(number, self.options.collectives):
            chosen = self.collectives[number // self.options.collectives % len(self.collectives)]
        self.launched.append(chosen)
        return chosen

    def is_mixed(self, number, operator):
        return operator not in self.collectives and super().is_mixed(number, operator)

    def kernel(self, operator):
        return operator.name if operator in self.collectives else super().kernel(operator)

    def place_of(self, number, operator):
        """Streams of collectives stand behind the others; numbers begin again by flips."""
        stream = number % self.options.streams + 1
        if operator in self.collectives:
            stream = self.options.streams + 1 + self.collectives.index(operator)
        made = self.made.setdefault(stream, 0)
        self.made[stream] += 1
        batches = self.options.batches
        if batches == 0:
            return stream, made + 1
        if made % batches == 0 and made > 0:
            self.flip(number, stream, made // batches)
        return stream, made % batches * (NUMBERS // batches) + made // batches

    def flip(self, number, stream, count):
        time = MONOTONIC + 1_000_000 + number * 10_000 + 1000
        self.host['unaging.compact.task_track'].append(
            described(RUNTIME, 802, make_prof.PROCESS + number % self.options.threads, 24, time) +
            struct.pack('<HHHHQQ16x', 0, stream, count, count, FLIP, 0))
        self.flips.append((number, stream, count))

    # ---- the device ----

    def spans(self):
        """With the tasks that are of no operator behind them."""
        for stream, task, kind, start, end, _ in self.of_others:
            self.launches.append((stream, task, kind, 0, start, end - start))
        self.ended += [(other[3], other[4]) for other in self.of_others]
        return self.ended

    def run(self):
        """When operators run, and all that follows of that."""
        self.ended = super().spans()
        self.operators_end = len(self.ended)
        for place, span in enumerate(self.ended):
            if self.launched[place] is self.collectives[0]:
                self.expand(place, *span)
        if self.options.profiling:
            self.profile(min(span[0] for span in self.ended), max(span[1] for span in self.ended))
        if self.options.warm_up:
            self.late = (sum(self.ended[self.options.warm_up]) // 2 - MONOTONIC) // 1000 * 1000

    def expand(self, place, start, end):
        """Tasks of a kernel: the last ends behind it. Their numbers are a stream's own."""
        kernel, stream = self.launches[place], self.options.streams + 10
        number = len(self.ai_cpu) + 1
        tasks = ((stream, number, NOTIFY_WAIT, start + 5_000, start + 15_000, 'Notify_Wait', 0),
                 (stream + 1, number, SDMA, start + 10_000, start + 30_000, 'Memcpy', 4096),
                 (stream, number + 1, SDMA, end - 10_000, end + 6_000, 'Memcpy', 65536))
        for stream, task, kind, begin, until, item, size in tasks:
            self.of_others.append((stream, task, kind, begin, until, 'transfer of %d' % place))
            self.ai_cpu.append(self.ai_cpu_record(13, start + 2_000, struct.pack(
                '<QQQIIIIQQdQQQIIHH7B9x', hashed(item), 0, hashed(GROUP), 0, 1, 8, 0, 0, self.chip.device_tick(start + 2_000), 0.0,
                0, 0, size, task, 0, stream, 0, 0, 3, 1, 0, 1, 0, 0)))
        self.ai_cpu.append(self.ai_cpu_record(10, start + 1_000, struct.pack(
            '<BBQQQIHI', 0, 3, hashed('ring'), 4096, hashed(GROUP), 8, kernel[0], kernel[1])))
        for which, task in ((0, tasks[0]), (1, tasks[2])):
            self.ai_cpu.append(self.ai_cpu_record(12, start + 3_000, struct.pack(
                '<HHHHH', kernel[0], kernel[1], task[0], task[1], which)))

    def ai_cpu_record(self, kind, time, payload):
        return struct.pack('<HHIIIQ', MAGIC, 6000, kind, 1, len(payload), self.chip.device_tick(time)) + payload.ljust(232, b'\0')

    def profile(self, first, last):
        for task, (name, time) in enumerate(zip(PROFILING, (first - 400_000, last + 400_000))):
            thread = make_prof.PROCESS
            self.host['unaging.api_event.data'].append(call(RUNTIME, make_prof.LAUNCH, thread, time - 90_000, time - 80_000))
            self.host['unaging.compact.task_track'].append(
                described(RUNTIME, 802, thread, 24, time - 85_000) +
                struct.pack('<HHHHQQHH12x', 0, PROFILING_STREAM, task, 0, PROFILING[name], 0, 0, 64))
            self.of_others.append((PROFILING_STREAM, task, NO_WORK, time, time + 200, 'profiler'))

    def write_device(self):
        super().write_device()
        tracks = self.device_flips() + self.replays()
        tracks.sort()
        self.files.records('device_0/data/ts_track.data.0', [record for _, record in tracks])
        self.files.records('device_0/data/aicpu.data.0', self.ai_cpu)
        if self.options.truth:
            with open(self.options.truth, 'w', encoding='utf-8') as file:
                json.dump(self.truth(), file)

    def device_flips(self):
        """Just before the first task of the batch."""
        tracks = []
        for number, stream, count in self.flips:
            if self.options.lost_flips and stream == count and stream < 3:
                continue
            time = self.ended[number][0] - 20
            tracks.append((time, struct.pack('<BBHIQHHHHQQ', 1, 14, 40, 0, self.chip.device_tick(time), stream, count, 0, count, 0, 0)))
        return tracks

    def mark_times(self):
        """Of each replay: the mark, and begin and end of the range."""
        first = self.ended[0][0]
        return [(first + 100_000 * i, first + 100_000 * i + 10_000, first + 100_000 * i + 20_000 + 1_000 * i)
                for i in range(self.options.replays)]

    def replays(self):
        tracks = []
        for mark, begin, end in self.mark_times():
            for time, number, tag in ((mark, MARK, 11), (begin, RANGE, 12), (end, RANGE, 12)):
                tracks.append((time, struct.pack('<BBHIQQQHHHH', 1, 10, 40, 0, self.chip.device_tick(time), number, 0xffffffff,
                                                 MARK_STREAM, 9, tag, 0)))
        return tracks

    # ---- the host ----

    def write_more(self):
        names = [operator.name for operator in self.collectives] + [GROUP, 'ring', 'Notify_Wait', 'Memcpy']
        if self.options.collectives:
            self.extra_names += names
            streams = (self.options.streams + 10, self.options.streams + 11)
            self.host['unaging.additional.mc2_comm_info'] = [
                described(RUNTIME, 13, 1, 60, MONOTONIC) +
                struct.pack('<Q56I', hashed(GROUP), 8, 0, 0, self.options.streams + 1, 2, *streams, *[0] * 49)]
        if self.options.profiling:
            self.extra_types += ['5000_%d:%s' % (number, name) for name, number in PROFILING.items()]
        if self.options.replays:
            time = MONOTONIC + 500_000
            self.host['unaging.additional.msproftx'] = [
                self.event(MARK, 3, time, time, b'tick'), self.event(RANGE, 2, time + 1000, time + 2000, b'decode')]
        self.run()

    def event(self, number, kind, begin, end, text):
        return struct.pack('<HHIIIQHHIHHIIIIiQQQQQi156s', MAGIC, 20500, 0, 0xffffffff, 232, host_tick(end), 1, 0, 0, MAGIC, 120,
                           make_prof.PROCESS, make_prof.PROCESS, 0, kind, 0, 0, host_tick(begin), host_tick(end), number, 0, 0, text)

    # ---- the truth ----

    def begins_late(self):
        return self.late

    def length(self):
        """It ends behind the last task, however long the queue is."""
        return max(super().length(), max(end for _, end in self.ended) - MONOTONIC + 1_000_000)

    def task_of(self, place):
        """stream, task, start, end, what it is, name, type, core, whether no record describes it."""
        stream, task, core = self.launches[place][:3]
        start, end = (time - MONOTONIC for time in self.ended[place])
        if place >= self.operators_end:
            return [stream, task, start, end, self.of_others[place - self.operators_end][5], None, None, None, False]
        operator, direct = self.launched[place], is_nth(place, self.options.direct)
        kernel = self.kernel(operator)
        work = 'collective' if operator in self.collectives else 'computing'
        return [stream, task, start, end, work, kernel if direct else operator.name, kernel if direct else operator.type,
                CORES[core], place in self.mixed]

    def truth(self):
        return {'start': self.late, 'level': self.options.level, 'unix_ns': make_prof.UNIX_US * 1000, 'monotonic_ns': MONOTONIC,
                'tasks': [self.task_of(place) for place in range(len(self.ended))],
                'marks': [[time - MONOTONIC for time in times] for times in self.mark_times()] if self.options.replays else []}


def main():
    parser = make_prof.options()
    for option in ('--warm-up', '--collectives', '--replays', '--profiling', '--batches', '--lost-flips'):
        parser.add_argument(option, type=int, default=0)
    parser.add_argument('--truth')
    VariantMaker(parser.parse_args()).write()


if __name__ == '__main__':
    main()
