# SPDX-License-Identifier: Apache-2.0
"""Captures of programs whose answers are known: steps of operators one after another on one device, and what the host
did. Times are nanoseconds, on the grid of the device's clock."""
import random

from prof import ACL, LAUNCH, NODE, RUNTIME, COMMUNICATION, MASTER, PIPES, Prof

GRID = 20  # of a clock of 50 MHz
AI_CORE, AI_CPU, VECTOR = 0, 1, 2


def grid(time):
    return int(round(time / GRID)) * GRID


class Program:
    """slower: factors by the name of an operator; sigma: how far each duration scatters, as a share of it; prof: the class of
    the capture."""

    def __init__(self, path, seed=1, sigma=0.0, slower=None, prof=Prof):
        self.prof = prof(path)
        self.random = random.Random(seed)
        self.sigma, self.slower = sigma, slower or {}
        self.at = 1000000   # where the device is
        self.host = 100000  # where the host is: far ahead, unless late() says otherwise
        self.tasks = 0
        self.steps = 0

    def duration(self, name, microseconds):
        factor = self.slower.get(name, 1) * (1 + self.random.gauss(0, self.sigma))
        return max(grid(microseconds * 1000 * factor), GRID)

    def count_vectors(self):
        """Vector cores count, too, the same as the others."""
        self.prof.samples[0] = {'ai_core_metrics': 'PipeUtilization', 'ai_core_profiling_events': PIPES,
                                'aiv_metrics': 'PipeUtilization', 'aiv_profiling_events': PIPES}

    def late(self):
        """The host is no longer ahead: what it launches from here on is launched after what the device did so far."""
        self.host = max(self.host, self.at + 1000)

    def call(self, name, start, end, thread=2):
        """A call of ACL by another thread than launches."""
        kind = 0x60000 + sum(map(ord, name)) % 0x1000
        self.prof.types[ACL, kind] = name
        self.prof.call(ACL, kind, start, end, thread)

    def _launch(self, name, kind, stream, task_type, blocks, track='KERNEL_AICORE'):
        self.tasks += 1
        self.prof.call(RUNTIME, 1, self.host + 20, self.host + 60)
        self.prof.track(self.host + 40, stream, self.tasks, task_type=track)
        self.prof.node(self.host + 90, name, kind, task_type=task_type, blocks=blocks)
        self.prof.call(NODE, LAUNCH, self.host, self.host + 100, item=self.prof.hash(name))
        self.host += 110
        return self.tasks

    def op(self, name, kind='MatMul', us=50, gap=0, core=AI_CORE, blocks=8, counters=None, stream=1):
        """counters: percent of the time of the vector, matrix and scalar unit, mte1, mte2, mte3; gap: microseconds in
        front of it."""
        task = self._launch(name, kind, stream, core, blocks, 'KERNEL_AICPU' if core == AI_CPU else 'KERNEL_AICORE')
        start = self.at + grid(gap * 1000)
        end = start + self.duration(name, us)
        self.prof.ran(start, end, stream, task, kind=1 if core == AI_CPU else 0)
        if counters is not None:
            cycles = end - start  # 1000 MHz
            self.prof.pmu(start, end, stream, task, cycles * blocks, [share * cycles * blocks // 100 for share in counters],
                          core=1 if core == VECTOR else 0)
        self.at = end
        return start, end

    def communicate(self, name='hcom_allReduce', us=50, back=0, size=1 << 20, rdma=False):
        """back: so many microseconds before the device is done it begins; size: bytes of its only transfer."""
        start = self.host
        begin = self.at - grid(back * 1000)
        end = begin + self.duration(name, us)
        parts = [('Memcpy', (3, 1, 0, 0), size, begin, end)]
        if rdma:  # what confirms a payload comes behind it; all of it is one run
            kinds = [('RDMASend', 1, size)] + [('RDMASend', 0, 0), ('Notify_Wait', 0, 0)] * 2
            parts = [(item, (3, 3, 1, kind), bytes_, begin + 1000 * k, end if k == 4 else begin + 1000 * k + 500)
                     for k, (item, kind, bytes_) in enumerate(kinds)]
        for k, (item, types, bytes_, first, last) in enumerate(parts):
            at = start + 10 + 70 * k
            self.tasks += 1
            self.prof.call(RUNTIME, 1, at + 10, at + 50)
            self.prof.track(at + 30, 9, self.tasks, task_type='SDMA')
            self.prof.ran(first, last, 9, self.tasks)
            self.prof.transfer(at + 60, item, 'group', 0, size=bytes_, types=types)
            self.prof.call(COMMUNICATION, MASTER, at, at + 70, item=self.prof.hash('kernel'))
        done = start + 10 + 70 * len(parts)
        self.prof.node(done + 20, name, 'allReduce', task_type=9)
        self.prof.collective(done + 21, 'group')
        self.prof.call(NODE, LAUNCH, start, done + 30, item=self.prof.hash(name + '_'))
        self.host = done + 50
        self.at = max(self.at, end)
        return begin, end

    def copy(self, size=1 << 20, us=20, direction=1):
        self.tasks += 1
        self.prof.call(RUNTIME, 1, self.host, self.host + 100)
        self.prof.copy(self.host + 50, size, size, direction)
        self.prof.track(self.host + 50, 2, self.tasks, task_type='MEMCPY_ASYNC')
        end = self.at + grid(us * 1000)
        self.prof.ran(self.at, end, 2, self.tasks)
        self.host += 110
        self.at = end

    def begin_step(self):
        self.steps += 1
        self.at += GRID
        self.prof.step(self.at, 0, 1, index=self.steps)

    def end_step(self):
        self.prof.step(self.at, 1, 1, index=self.steps)

    def write(self):
        self.prof.write()
