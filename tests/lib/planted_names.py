#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a capture of four steps with everything that a page shows, where every name that somebody chose begins with a word:
operators, kernels, calls, ranges, domains, groups, collectives, models, hosts, holders of memory.

usage: planted_names.py CAPTURE WORD|@FILE [BASE]   FILE: which holds the word; BASE: the first operator is faster, and has another neighbour
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cann', 'lib'))
import program  # noqa: E402 -- of the folder above
from prof_tx import TxProf  # noqa: E402

# types, and words that CANN itself writes
WORDS = {'MatMul', 'Conv2D', 'Cast', 'allReduce', 'Memcpy', 'RING', 'aclrtSynchronizeStream', 'KERNEL_AICORE', 'KERNEL_AICPU', 'SDMA',
         'MEMCPY_ASYNC'}


class Planted(program.Program):
    def __init__(self, path, word):
        super().__init__(path)
        self.prof = TxProf(path)
        plain = self.prof.hash
        self.prof.hash = lambda text: plain(text if text in WORDS else word + text)
        self.prof.configs = {part: {'hostname': word + 'host', 'platform_name': word + 'platform'} for part in ('host', 'device_0')}

    def call(self, name, start, end, thread=2):
        super().call(name if name in WORDS else word + name, start, end, thread)


path, word, *base = sys.argv[1:]
if word.startswith('@'):
    with open(word[1:], encoding='utf-8') as stream:
        word = stream.read()
p = Planted(path, word)
p.prof.model_name(p.host, 'model', 1)
for step in range(4):
    p.begin_step()
    start = p.at
    p.op('layer/conv', 'Conv2D', 80 if base else 100, counters=(10, 50, 5, 20, 40, 10), blocks=3)
    p.op('layer/only_base' if base else 'layer/only_new', 'Cast', 20, gap=-60, core=program.VECTOR, stream=3)
    p.call('call', p.at, p.at + 3000)
    p.call('aclrtSynchronizeStream', p.at, p.at + 90000)
    p.op('layer/where', 'Cast', 230, core=program.AI_CPU)
    p.op('other/mm', 'MatMul', 200, gap=100, counters=(0, 5, 5, 20, 95, 10))
    p.prof.tensors(p.host - 20, 'other/mm', [(place, 2, 1, (512, 512)) for place in (0, 0, 1)])
    p.communicate('hcom_reduce__%d' % step, us=60, back=20)
    p.prof.memory(p.at, 'holder', 0x1000 * (step + 1), 4096 << step)
    p.copy(us=15)
    p.prof.tx(start, p.at, (word + 'range').encode()[:150], domain='domain')
    p.end_step()
    p.at += 20000
p.write()
