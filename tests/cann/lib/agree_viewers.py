# SPDX-License-Identifier: Apache-2.0
"""Compares a database for viewers with that of Ascend's C++ core, by the joins of viewers: agree_viewers.py OURS EXPECTED.

Numbers of tasks, operators, calls and texts differ and are joined. Where the core is wrong (msprof-cann(7)) is in WRONG."""
import gzip
import json
import sqlite3
import sys
from collections import Counter

database = sqlite3.connect(sys.argv[1])
expected = json.load(gzip.open(sys.argv[2]))
indexes = expected.pop('sqlite_indexes')
words = dict(expected['STRING_IDS']['rows'])
OF_WORDS = {'TASK': 'taskType', 'CANN_API': 'name', 'TASK_PMU_INFO': 'name', 'COMMUNICATION_OP': 'opName groupName algType opType',
            'COMMUNICATION_TASK_INFO': 'name taskType groupName', 'HBM': 'type', 'LLC': 'mode', 'NPU_MEM': 'type',
            'NPU_OP_MEM': 'operatorName type component', 'QOS': 'eventName', 'SIO': 'name', 'OSRT_API': 'name',
            'COMPUTE_TASK_INFO': 'name taskType opType inputFormats inputDataTypes inputShapes outputFormats outputDataTypes '
                                 'outputShapes attrInfo opState hf32Eligible gridDim blockDim'}
NUMBERS = {'globalTaskId', 'connectionId', 'opId', 'id'}
WRONG = {'PCIE': None, 'QOS': 'bandwidth', 'NIC': 'rxBytes txBytes', 'ROCE': 'rxBytes txBytes', 'AICORE_FREQ': None,
         'SOC_BANDWIDTH_LEVEL': 'l2BufferBwLevel mataBwLevel', 'LLC': 'throughput', 'MEMCPY_INFO': None}

there = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
assert there - {'NETDEV_STATS'} == set(expected), (there, set(expected))
found = database.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").fetchall()
assert sorted(map(list, found)) == sorted(indexes), found
for table in there:
    assert database.execute('SELECT count(*) FROM ' + table).fetchone()[0] > 0, table

task_of = {row[4]: (row[0], row[8], row[9], row[7]) for row in expected['TASK']['rows']}
own_tasks = {row[0]: row[1:] for row in database.execute(
    'SELECT globalTaskId, startNs, streamId, taskId, contextId FROM TASK')}
own_words = dict(database.execute('SELECT id, value FROM STRING_IDS'))


def rows_of(table, names, rows, texts, tasks):
    """Each row with texts instead of their numbers and tasks instead of theirs; a text that was cut off the reference: None."""
    of_words = OF_WORDS.get(table, '').split()
    wrong = (WRONG.get(table) or '').split()
    made = []
    for row in rows:
        cells = []
        for name, value in zip(names, row):
            if name == 'globalTaskId' and table != 'TASK':
                cells.append(tasks[value])
            elif name in NUMBERS and table != 'NPU_INFO' and not table.startswith('ENUM'):
                continue
            elif name in wrong:
                continue
            elif name in of_words:
                cells.append(texts.get(value))
            else:
                cells.append(float('%.9g' % value) if isinstance(value, float) else value)
        made.append(tuple(cells))
    return made


def near(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not 1e18 < b < 2e18:  # which are times
        return abs(a - b) <= 1e-6 * max(1, abs(b))
    return b is None or a == b


cells = 0
for table, there in sorted(expected.items()):
    columns = [tuple(column) for column in there['columns']]
    assert columns == [row[1:3] for row in database.execute('PRAGMA table_info(%s)' % table)], (table, columns)
    if table == 'STRING_IDS' or (table in WRONG and WRONG[table] is None):
        continue
    names = [name for name, _ in columns]
    all_rows = database.execute('SELECT %s FROM %s' % (', '.join(names), table)).fetchall()
    assert len(all_rows) == there['count'], (table, len(all_rows), there['count'])
    ours = Counter(rows_of(table, names, all_rows, own_words, own_tasks))
    theirs = rows_of(table, names, there['rows'], words, task_of)
    cut = [row for row in theirs if row not in ours]
    # texts beyond the first 400 are not in the reference: such rows agree in all other cells
    for row in cut:
        assert any(all(near(a, b) for a, b in zip(mine, row)) for mine in ours), (table, row)
    cells += sum(cell is not None for row in theirs for cell in row)
print(cells, 'cells')

# Question of viewers: an operator with its task and the call that launched it
asked = database.execute("""SELECT n.value, t.startNs, k.value, a.startNs FROM COMPUTE_TASK_INFO c
    JOIN TASK t ON t.globalTaskId = c.globalTaskId JOIN STRING_IDS n ON n.id = c.name JOIN STRING_IDS k ON k.id = t.taskType
    JOIN CANN_API a ON a.connectionId = t.connectionId WHERE a.startNs < t.startNs""").fetchall()
assert len(asked) == expected['COMPUTE_TASK_INFO']['count'], len(asked)
asked = database.execute("""SELECT o.startNs, count(*) FROM COMMUNICATION_OP o JOIN COMMUNICATION_TASK_INFO i ON i.opId = o.opId
    JOIN TASK t ON t.globalTaskId = i.globalTaskId JOIN CANN_API a ON a.connectionId = o.connectionId
    WHERE t.startNs >= o.startNs AND t.endNs <= o.endNs GROUP BY o.opId""").fetchall()
assert len(asked) == expected['COMMUNICATION_OP']['count'], asked
