#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the free time of every answer about a capture against a plain recalculation from its tasks.

usage: free_time.py MSPROF CAPTURE DATABASE

It begins with the first and ends with the last that a program launched, whatever the profiler launched around that, in the
tables overlap_analysis, summary and, without steps, overlap, and in the timeline. overlap_analysis counts copies and other
tasks as free, as Ascend's tool does: the others are without these. Prints how many devices it
compared, and how many of them without steps.
"""
import glob
import json
import re
import sqlite3
import subprocess
import sys
from fractions import Fraction

from timeline import read_timeline

WRITES_BACK, COMMUNICATES, INVALID, ON_AI_CPU = 3, 9, 11, 12
PLACE, RECORDS_EVENT, WAITS_FOR_EVENT = 3, 4, 5


def show(msprof, capture, table):
    done = subprocess.run([msprof, '-q', 'show', capture, '--table', table, '--format', 'json', '--top', '100000'],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode in (0, 3), done  # 3: the capture has data problems, which its tables do without
    return json.loads(done.stdout)


def rate(capture, device):
    """Ticks a second; of clocks whose ticks are whole nanoseconds nanoseconds."""
    info = json.load(open('%s/device_%d/info.json.%d' % (capture, device, device), encoding='utf-8'))
    hz = Fraction(info['DeviceInfo'][0]['hwts_frequency']) * 10 ** 6
    return 10 ** 9 if (10 ** 9 / hz).denominator == 1 else hz


def union(spans):
    total, last = 0, None
    for start, end in sorted(spans):
        if last is None or start > last:
            total, last = total + end - start, end
        elif end > last:
            total, last = total + end - last, end
    return total


def nanoseconds(ticks, hz):
    return int(Fraction(ticks) * 10 ** 9 / hz + Fraction(1, 2))


def microseconds(value):
    return round(Fraction(str(value)) * 1000)


def main():
    msprof, capture, database = sys.argv[1:]
    db = sqlite3.connect(database)
    tasks = db.execute('SELECT t.device_id, start_ns, duration_ns, h.text, type, op_name_id, op_task_type, collective, copy_bytes '
                       'FROM device_task t LEFT JOIN name h ON h.id = host_type_id WHERE start_ns IS NOT NULL '
                       'AND duration_ns IS NOT NULL').fetchall()
    operators = db.execute('SELECT device_id, start_ns, duration_ns FROM communication_op WHERE duration_ns IS NOT NULL').fetchall()
    # Records that ended before the collection started are warm-up; what it cuts is no free time before it.
    starts = dict(db.execute('SELECT device_id, start_ns FROM capture_part WHERE NOT is_host AND start_ns IS NOT NULL'))
    tasks = [task for task in tasks if task[1] + task[2] >= starts.get(task[0], 0)]
    operators = [item for item in operators if item[1] >= starts.get(item[0], 0)]
    rows = {row['Device_id']: row for row in show(msprof, capture, 'overlap_analysis')}
    wholes = {row['Device_id']: row for row in show(msprof, capture, 'overlap') if row['Source'] == 'none'}
    events = []
    for path in glob.glob(capture + '/mindstudio_profiler_output/msprof*.json'):
        events += read_timeline(path).events
    pids = {event['pid']: int(event['args']['labels'].split()[1]) for event in events if event['name'] == 'process_labels' and
            event['args']['labels'].startswith('NPU ')}
    together = {}
    for device in sorted({task[0] for task in tasks}):
        hz = rate(capture, device)
        first = min(task[1] for task in tasks if task[0] == device)
        opens = round(Fraction(starts.get(device, 0) - first) * hz / 10 ** 9)

        def ticks(start, length):
            begin = round(Fraction(start - first) * hz / 10 ** 9)
            return begin, begin + round(Fraction(length) * hz / 10 ** 9)

        launched, work, busy = [], [], []
        for _, start, length, launch, kind, name, core, collective, copied in (task for task in tasks if task[0] == device):
            span = ticks(start, length)
            operator = name is not None and core not in (None, WRITES_BACK, INVALID, COMMUNICATES, ON_AI_CPU)
            if launch not in ('PROFILING_ENABLE', 'PROFILING_DISABLE'):
                launched.append((max(span[0], min(opens, span[1])), span[1]))
                if (operator and collective is None) or collective == 1:
                    work.append(span)
            if operator or copied is not None or kind not in (PLACE, RECORDS_EVENT, WAITS_FOR_EVENT):
                busy.append(span)
        for _, start, length in (item for item in operators if item[0] == device):
            for spans in launched, work, busy:
                spans.append(ticks(start, length))
        begin, end = min(span[0] for span in launched + work), max(span[1] for span in launched)
        free = nanoseconds(end - begin - union(work), hz)
        inside = [(max(a, begin), min(b, end)) for a, b in busy if b > begin and a < end]
        unused = nanoseconds(end - begin - union(inside), hz)
        row = rows[device]
        assert microseconds(row['Elapsed(us)']) == nanoseconds(end - begin, hz), (row, nanoseconds(end - begin, hz))
        assert microseconds(row['Free(us)']) == free, (row, free)
        drawn = sum(round(Fraction(str(event['dur'])) * 1000 * hz / 10 ** 9) for event in events
                    if event['ph'] == 'X' and event['name'] == 'Free' and pids.get(event['pid']) == device)
        assert nanoseconds(drawn, hz) == free, (drawn, free)
        if union(busy) > 0 and any(span for span in work):
            together[device] = unused
            if device in wholes:
                assert microseconds(wholes[device]['Time(us)']) == nanoseconds(end - begin, hz), wholes[device]
                assert microseconds(wholes[device]['Free(us)']) == unused, (wholes[device], unused)
    items = {row['Item']: row['Value'] for row in show(msprof, capture, 'summary')}
    told = re.search(r'\(([0-9.]+) us\)', items['Free'])
    assert microseconds(told.group(1)) == sum(together.values()), (items['Free'], together)
    print(len(together), 'devices,', len(wholes), 'without steps')


if __name__ == '__main__':
    main()
