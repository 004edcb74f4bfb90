#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the databases of an ASCEND_PROFILER_OUTPUT with the files in which a framework's own analysis tells the same.

  agree_db.py OURS THEIRS [CANN]

OURS has the databases, THEIRS trace_view.json, communication.json and so on, CANN communication.json and
communication_matrix.json of the capture's own analysis (of MindSpore, whose communication_analyzer.db is a copy of its).
Every row of every table that the framework adds: columns, their types, values. Rows are compared without their order, ids
by what they stand for. Prints each table and how many rows it has; ends with status 1 when one differs.
"""
import collections
import csv
import glob
import json
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from communication_db import Check, communication  # noqa: E402

ours, theirs = sys.argv[1:3]
cann = sys.argv[3] if len(sys.argv) > 3 else None
check = Check()
pytorch = bool(glob.glob(ours + '/ascend_pytorch_profiler*.db'))

# As Ascend publishes them.
COLUMNS = {
    'PYTORCH_API': 'startNs endNs globalTid connectionId name sequenceNumber fwdThreadId inputDtypes inputShapes '
                   'callchainId type',
    'CONNECTION_IDS': 'id connectionId',
    'PYTORCH_CALLCHAINS': 'id stack stackDepth',
    'MEMORY_RECORD': 'component timestamp totalAllocated totalReserved totalActive streamPtr deviceId',
    'OP_MEMORY': 'name size allocationTime releaseTime activeReleaseTime duration activeDuration '
                 'allocationTotalAllocated allocationTotalReserved allocationTotalActive releaseTotalAllocated '
                 'releaseTotalReserved releaseTotalActive streamPtr deviceId',
    'STEP_TIME': 'id startNs endNs',
    'GC_RECORD': 'startNs endNs globalTid',
    'RANK_DEVICE_MAP': 'rankId deviceId',
}
STEPS = ('deviceId:I step:T computing communication_not_overlapped overlapped communication free stage bubble '
         'communication_not_overlapped_and_exclude_receive preparing')


def load(directory, name):
    with open(os.path.join(directory, name), encoding='utf-8') as f:
        return json.load(f)


def table(name):
    with open(os.path.join(theirs, name), newline='', encoding='utf-8') as f:
        return [{key: cell.rstrip('\t') for key, cell in row.items()} for row in csv.DictReader(f)]


def ns(us):
    whole, _, part = str(us).partition('.')
    return int(whole) * 1000 + int((part + '000')[:3])


def check_mindspore():
    check.compare('databases', [[os.path.basename(p).rpartition('_')[0]] for p in glob.glob(ours + '/ascend_*.db')],
            [['ascend_mindspore_profiler']])
    operators = [(key, op, []) for key, op in load(cann, 'communication.json').items()]
    links = [(key, op, []) for key, op in load(cann, 'communication_matrix.json').items()]
    check.communication(ours + '/communication_analyzer.db', communication(operators, links), False)


def check_analysis():
    def halves(name):
        for step, parts in load(theirs, name).items():
            for half, items in parts.items():
                for key, item in items.items():
                    yield key, item, [step, half]
    check.communication(ours + '/analysis.db',
                        communication(halves('communication.json'), halves('communication_matrix.json')), True)
    db = sqlite3.connect(ours + '/analysis.db')
    check.columns(db, 'StepTraceTime', STEPS, 'NUMERIC')
    his = [[int(row['Device_id']), row['Step'] or None] + [float(row[key]) for key in (
        'Computing', 'Communication(Not Overlapped)', 'Overlapped', 'Communication', 'Free', 'Stage', 'Bubble',
        'Communication(Not Overlapped and Exclude Receive)', 'Preparing')] for row in table('step_trace_time.csv')]
    mine = [[v if i < 2 else float(v) for i, v in enumerate(row)] for row in db.execute('SELECT * FROM StepTraceTime')]
    # Stage and Preparing of theirs passed through doubles of the whole time
    check.compare('StepTraceTime', [row[:7] + row[8:10] + [round(row[7]), round(row[10])] for row in mine],
            [row[:7] + row[8:10] + [round(row[7]), round(row[10])] for row in his])




class Profiler:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.texts = dict(self.db.execute('SELECT id, value FROM STRING_IDS'))
        self.trace = load(theirs, 'trace_view.json')

    def text(self, number):
        return None if number == 4294967295 else self.texts[number]

    def rows(self, sql):
        return [list(row) for row in self.db.execute(sql)]

    def events(self, category):
        return [e for e in self.trace if e.get('ph') == 'X' and e.get('cat') == category]

    def span(self, event):
        start = ns(event['ts'])
        return [start, start + ns('%.3f' % float(event['dur'])), int(event['tid'])]

    def check_columns(self):
        for name, columns in COLUMNS.items():
            if not self.rows('PRAGMA table_info(%s)' % name):
                continue
            check.columns(self.db, name, columns, 'INTEGER')

    def check_ops(self):
        chains = collections.defaultdict(dict)
        for chain, stack, depth in self.rows('SELECT * FROM PYTORCH_CALLCHAINS'):
            chains[chain][depth] = self.text(stack) or ''
        mine = [[s, e, t & 0xffffffff, self.text(name), seq, fwd, self.text(types), self.text(shapes),
                 ';\r\n'.join(chains[chain][i] for i in range(len(chains[chain]))) if chain is not None else None]
                for s, e, t, name, seq, fwd, types, shapes, chain in self.rows(
                    'SELECT startNs, endNs, globalTid, name, sequenceNumber, fwdThreadId, inputDtypes, inputShapes, '
                    'callchainId FROM PYTORCH_API WHERE type IN (50001, 50004)')]
        his = [self.span(e) + [e['name'], e['args']['Sequence number'], e['args']['Fwd thread id'],
                               e['args'].get('Input type'), e['args'].get('Input Dims'), e['args'].get('Call stack')]
               for e in self.events('cpu_op')]
        check.compare('PYTORCH_API of operators', mine, his)

    def check_queue(self):
        mine = [[s, e, t & 0xffffffff, self.text(name), c - (5 << 28)] for s, e, t, name, c in self.rows(
            'SELECT startNs, endNs, globalTid, name, c.connectionId FROM PYTORCH_API p JOIN CONNECTION_IDS c '
            'ON c.id = p.connectionId WHERE type = 50002')]
        his = [self.span(e) + [e['name'], e['args']['correlation_id']]
               for e in self.events('enqueue') + self.events('dequeue')]
        check.compare('PYTORCH_API of the queue', mine, his)

    def check_python(self):
        mine = [[s, e, t & 0xffffffff, self.text(name)] for s, e, t, name in self.rows(
            'SELECT startNs, endNs, globalTid, name FROM PYTORCH_API WHERE type = 50003')]
        check.compare('PYTORCH_API of Python', [row[:3] + [row[3] or ''] for row in mine],
                [self.span(e) + [e['name']] for e in self.events('python_function')])
        check.compare('GC_RECORD', [[s, e, t & 0xffffffff] for s, e, t in self.rows('SELECT * FROM GC_RECORD')]
                if self.rows('PRAGMA table_info(GC_RECORD)') else [], [self.span(e) for e in self.events('GC')])

    def check_flows(self):
        """Arrows from an operator to what devices ran for it, and to its backward one."""
        begin = {e['id']: ns(e['ts']) for e in self.trace if e.get('ph') == 's' and e.get('cat') == 'async_npu'}
        his = {(begin[e['id']], ns(e['ts'])) for e in self.trace
               if e.get('ph') == 'f' and e.get('cat') == 'async_npu'}
        mine = self.rows(
            'SELECT DISTINCT p.startNs, coalesce(o.startNs, t.startNs) FROM PYTORCH_API p JOIN CONNECTION_IDS c '
            'ON c.id = p.connectionId LEFT JOIN TASK t ON t.connectionId = c.connectionId AND t.globalTaskId IN '
            '(SELECT globalTaskId FROM COMPUTE_TASK_INFO) LEFT JOIN COMMUNICATION_OP o ON '
            'o.connectionId = c.connectionId WHERE p.type = 50001 AND coalesce(o.startNs, t.startNs) IS NOT NULL')
        check.compare('CONNECTION_IDS to devices', mine, his)
        flows = collections.defaultdict(list)
        for e in self.trace:
            if e.get('cat') == 'fwdbwd':
                flows[e['id']].append(ns(e['ts']))
        mine = self.rows('SELECT min(p.startNs), max(p.startNs) FROM PYTORCH_API p JOIN CONNECTION_IDS c '
                         'ON c.id = p.connectionId WHERE p.type = 50001 AND c.connectionId >= 5 << 28 '
                         'GROUP BY c.connectionId')
        check.compare('CONNECTION_IDS to backward operators', mine, [[min(v), max(v)] for v in flows.values()])

    def check_memory(self):
        def mb(cell):
            return round(float(cell) * 1048576) if cell else None

        def stamp(cell):
            return ns(cell) if cell else None
        his = [[row['Component'], ns(row['Timestamp(us)']), mb(row['Total Allocated(MB)']),
                mb(row['Total Reserved(MB)']), mb(row['Total Active(MB)']) or 0,
                int(row['Stream Ptr']) if row['Stream Ptr'] else None, int(row['Device Type'][4:])]
               for row in table('memory_record.csv') if row['Component'] in ('PTA', 'PTA+GE', 'WORKSPACE', 'GE')]
        check.compare('MEMORY_RECORD', [[self.text(row[0])] + row[1:]
                                  for row in self.rows('SELECT * FROM MEMORY_RECORD')], his)
        his = []
        for row in table('operator_memory.csv'):
            engine = row['Name'].startswith('cann::')
            got = ns(row['Allocation Time(us)'])
            # theirs has a release of what the engine never released: at the same time, of nothing
            gave = None if engine and stamp(row['Release Time(us)']) == got else stamp(row['Release Time(us)'])
            block = stamp(row['Active Release Time(us)'])
            his.append([row['Name'][6:] if engine else row['Name'] or None, round(float(row['Size(KB)']) * 1024), got,
                        gave, block, gave - got if gave else None, block - got if block else None,
                        mb(row['Allocation Total Allocated(MB)']), mb(row['Allocation Total Reserved(MB)']),
                        mb(row['Allocation Total Active(MB)']),
                        mb(row['Release Total Allocated(MB)']) if gave else None,
                        mb(row['Release Total Reserved(MB)']) if gave else None,
                        mb(row['Release Total Active(MB)']) if gave else None,
                        int(row['Stream Ptr']) if row['Stream Ptr'] else None, int(row['Device Type'][4:])])
        check.compare('OP_MEMORY', [[self.text(row[0])] + row[1:] for row in self.rows('SELECT * FROM OP_MEMORY')], his)

    def check_rest(self):
        run = os.path.dirname(os.path.abspath(ours))
        steps = [e for e in self.events('cpu_op') if e['name'].startswith('ProfilerStep#')]
        check.compare('STEP_TIME', self.rows('SELECT * FROM STEP_TIME'),
                [[int(e['name'].partition('#')[2])] + self.span(e)[:2] for e in steps])
        check.compare('META_DATA', [[n, json.dumps(json.loads(v))] for n, v in self.rows(
            "SELECT * FROM META_DATA WHERE name NOT LIKE 'SCHEMA_VERSION%'")],
                [[n, json.dumps(v)] for n, v in load(run, 'profiler_metadata.json').items()])
        rank = int(glob.glob(run + '/profiler_info_*.json')[0].rpartition('_')[2][:-5])
        check.compare('RANK_DEVICE_MAP', self.rows('SELECT * FROM RANK_DEVICE_MAP'), [[rank, 0]])
        check.compare('ENUM_API_TYPE', self.rows('SELECT * FROM ENUM_API_TYPE WHERE id > 50000 AND id < 50005'),
                [[50001, 'op'], [50002, 'queue'], [50003, 'trace'], [50004, 'mstx']])


if pytorch:
    profiler = Profiler(glob.glob(ours + '/ascend_pytorch_profiler*.db')[0])
    for one in (profiler.check_columns, profiler.check_ops, profiler.check_queue, profiler.check_python,
                  profiler.check_flows, profiler.check_memory, profiler.check_rest, check_analysis):
        one()
else:
    check_mindspore()
sys.exit(check.failed)
