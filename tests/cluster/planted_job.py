# SPDX-License-Identifier: Apache-2.0
"""Jobs of several ranks, each a raw capture, whose truth is written beside them: what ran, when, and for how long. Tables of ranks are
calculated again from that, in plain Python."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../cann/lib'))
from program import COMMUNICATION, Program, grid  # noqa: E402
from prof_tx import TxProf  # noqa: E402

CORES = {0: 'cube', 1: 'AI CPU', 2: 'vector'}


class Rank(Program):
    """A rank of a job, which keeps what it did: ops, communications, calls."""

    def __init__(self, job, rank, seed=1, sigma=0.0):
        super().__init__('%s/PROF_%06d_20250101000000000_RANK%d' % (job, rank + 1, rank), seed, sigma, prof=TxProf)
        self.rank = rank
        self.open = []  # modules, with when they began
        self.prof.configs['device_0'] = {'rank_id': rank}
        for group in ('group', 'pp'):  # numbers of their names, which all ranks have alike
            self.prof.hash(group)
        self.truth = {'rank': rank, 'ops': [], 'communications': [], 'calls': [], 'p2p': []}
        record = self.prof.call

        def call(level, kind, begin, end, thread=1, item=0):
            record(level, kind, begin, end, thread, item)
            name = next(text for text, value in self.prof.names.items() if value == item) if level == COMMUNICATION \
                else self.prof.types[level, kind]
            self.truth['calls'].append((name, begin, end))

        self.prof.call = call
        self.log = []  # begins and ends of tasks, in any order
        self.prof.ran = lambda start, end, stream, task, kind=0: self.log.extend(
            [(start, 0, stream, task, kind), (end, 1, stream, task, kind)])

    def op(self, name, kind='MatMul', us=50, gap=0, core=0, **more):
        """It does not begin before it is launched."""
        self.at = max(self.at, grid(self.host + 200))
        start, end = super().op(name, kind, us, gap, core, **more)
        self.truth.setdefault('modules', []).append((tuple(name for name, _ in self.open), end - start))
        self.truth['ops'].append((kind, CORES[core], start, end, name))
        self.truth.setdefault('macs', []).append((more.get('counters') or (None, None))[1:2] + (more.get('blocks', 8),))
        return start, end

    def communicate(self, name='hcom_allReduce', us=50, back=0, **more):
        self.at = max(self.at, grid(self.host + 200))
        start, end = super().communicate(name, us, back, **more)
        self.truth['communications'].append((name, start, end))
        return start, end

    def p2p(self, sends, remote, begin, end, size):
        """Sends to another rank of group pp, or receives from it: a task of that time."""
        name = 'hcom_send' if sends else 'hcom_receive'
        start = self.host
        self.tasks += 1
        self.prof.call(5000, 1, start + 20, start + 60)
        self.prof.track(start + 40, 10, self.tasks, task_type='SDMA')
        self.prof.ran(begin, end, 10, self.tasks)
        self.prof.transfer(start + 70, 'Memcpy', 'pp', 0, ranks=(self.rank, remote, 8), size=size, types=(3, 1, 0, 0))
        self.prof.call(COMMUNICATION, 10, start + 10, start + 80, item=self.prof.hash('kernel'))
        self.prof.node(start + 90, name, name.split('_')[1], task_type=9)
        self.prof.collective(start + 91, 'pp')
        self.prof.call(10000, 5, start, start + 100, item=self.prof.hash(name + '_'))
        self.host = start + 120
        self.at = max(self.at, end)
        self.truth['communications'].append((name, begin, end))
        self.truth['p2p'].append((sends, remote, begin, end, size))

    def grouped(self, tokens, us):
        """The products of the experts, which take so many tokens."""
        at = self.host
        start, end = self.op('experts', 'GroupedMatmul', us, gap=1)
        self.prof.tensors(at + 90, 'experts', [(0, 2, 1, (tokens, 64)), (0, 2, 1, (8, 64, 64)), (1, 2, 1, (tokens, 64))])
        self.truth.setdefault('experts', []).append((tokens, end - start))

    def exchange(self, size, us):
        """An all-to-all that moves so many bytes to other ranks, and as many to itself, which do not count."""
        start, end = self.communicate('hcom_alltoallv', us, size=size)
        self.truth.setdefault('exchanged', []).append(size)
        return start, end

    def module(self, *names):
        """The modules that are open from here on, the outermost first; those that were and are no more end."""
        while self.open and [name for name, _ in self.open] != list(names[:len(self.open)]):
            name, begin = self.open.pop()
            self.prof.tx(begin, self.host, name)
            self.host += 10
        for name in names[len(self.open):]:
            self.open.append((name, self.host))
            self.host += 10

    def begin_step(self):
        super().begin_step()
        self.truth.setdefault('steps', []).append([self.at, None])

    def end_step(self):
        super().end_step()
        self.truth['steps'][-1][1] = self.at

    def write(self):
        for time, function, stream, task, kind in sorted(self.log):
            self.prof.log(function, time, stream, task, kind)
        super().write()


def write_job(job, ranks):
    for rank in ranks:
        rank.write()
    with open(job + '/truth.json', 'w', encoding='utf-8') as f:
        json.dump([rank.truth for rank in ranks], f)
