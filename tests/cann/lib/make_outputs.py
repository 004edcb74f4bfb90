#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a PROF capture with operators, communication, copies and fused operators at random, by the documented layouts.

usage: make_outputs.py DIRECTORY SEED
"""
import random
import sys

from prof import COMMUNICATION, LAUNCH, LOAD, MASTER, MODEL, NODE, RUNTIME, SLAVE, Prof


class Maker:
    def __init__(self, directory, seed):
        self.random = random.Random(seed)
        self.prof = Prof(directory)
        self.numbers = {}
        self.host = 0
        self.device = 100_000

    def task(self, stream, begin, launch_at, **track):
        """Launches a task of the stream at a time of the host; it runs from begin on."""
        number = self.numbers[stream] = self.numbers.get(stream, 0) + 1
        self.prof.track(launch_at, stream, number, **track)
        end = begin + self.random.randrange(0, 4000, 20)
        self.prof.ran(begin, end, stream, number)
        return end

    def compute(self):
        name = 'MatMul_%d' % self.random.randrange(5)
        self.prof.call(RUNTIME, 1, self.host + 20, self.host + 60)
        self.device = self.task(1, self.device, self.host + 40) + self.random.randrange(0, 3000, 20)
        self.prof.node(self.host + 90, name, 'MatMul')
        self.prof.call(NODE, LAUNCH, self.host, self.host + 100, item=self.prof.hash(name))
        self.host += 110

    def communicate(self):
        start = self.host
        group = 'group_%d' % self.random.randrange(3)
        kind = self.random.choice(['AllReduce', 'AllGather'])
        begin = self.device - self.random.randrange(0, 4000, 20)
        at = start
        for _ in range(self.random.randrange(1, 6)):
            master = self.random.random() < 0.6
            plane = 0 if master else self.random.randrange(1, 3)
            kernel = self.random.random() < 0.2
            self.prof.call(RUNTIME, 1, at + 20, at + 60)
            ended = self.task(10 + plane, begin, at + 40,
                              task_type='KERNEL_AICPU' if kernel else self.random.choice(['NOTIFY_WAIT', 'SDMA']))
            self.prof.transfer(at + 70, self.random.choice(['Memcpy', 'Notify_Wait']), group, plane,
                               size=self.random.randrange(1 << 20), estimated=self.random.randrange(1000) / 8)
            self.prof.call(COMMUNICATION, MASTER if master else SLAVE, at + 10, at + 80,
                           item=self.prof.hash('kernel_of_%s' % kind))
            begin = self.random.choice([begin + 20, ended, ended + 500])
            at += 100
        if self.random.random() < 0.9:
            self.prof.node(at, 'hcom_' + kind, kind, task_type=9)
            self.prof.collective(at + 1, group, self.random.randrange(13), self.random.choice(['RING', 'MESH']),
                                 self.random.randrange(1 << 20), self.random.randrange(4))
        self.prof.call(NODE, LAUNCH, start, at + 10, item=self.prof.hash('hcom_%s_' % kind))
        self.host = at + 20

    def copy(self):
        tasks = self.random.randrange(1, 4)
        size = self.random.randrange(1, 1 << 22)
        self.prof.call(RUNTIME, 1, self.host, self.host + 100)
        self.prof.copy(self.host + 50, size, -(-size // tasks), self.random.randrange(9))
        for _ in range(tasks):
            self.device = self.task(2, self.device, self.host + 50, task_type='MEMCPY_ASYNC') + 40
        self.host += 110

    def load(self, model):
        self.prof.call(MODEL, LOAD, self.host, self.host + 1000, item=model)
        if self.random.random() < 0.7:
            self.prof.model_name(self.host + 5, 'model, number %d' % model, model)
        for i in range(self.random.randrange(1, 20)):
            names = ['op%d%s' % (self.random.randrange(40), self.random.choice(['', ', "x"']))
                     for _ in range(self.random.randrange(1, 9))]
            self.prof.fusion(self.host + 10 + i, 'fused_%d' % i, names,
                             [self.random.choice([0, 1023, 1024, 1 << 45, self.random.randrange(1 << 40)])
                              for _ in range(5)])
        self.host += 1010

    def run(self):
        for model in (1, 2):
            self.load(model)
        for _ in range(300):
            self.random.choice([self.compute, self.compute, self.communicate, self.copy])()
        self.prof.write()


if __name__ == '__main__':
    Maker(sys.argv[1], int(sys.argv[2])).run()
