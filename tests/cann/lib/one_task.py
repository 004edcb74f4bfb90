#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a task has one id, and a number one rounding, in every output of a capture.

    one_task.py cann DIRECTORY DATABASE    results of export, with --stable-names, of a CANN capture
    one_task.py svp DIRECTORY DATABASE     likewise of a board
"""
import csv
import glob
import json
import os
import sqlite3
import sys
from decimal import Decimal


def rows(path):
    with open(path, newline='') as file:
        return [{key: value.strip('\t') for key, value in row.items()} for row in csv.DictReader(file)]


def slices(path):
    events = json.load(open(path), parse_float=Decimal)
    facts = [event for event in events if event['name'] == 'TraceConfig'][0]['args']['value']
    origin = Decimal(facts['origin_unix_ns'] or facts['origin_ns']) / 1000
    return [(event['args'], event['ts'] + origin, event['dur']) for event in events
            if event['ph'] == 'X' and 'Task Id' in event.get('args', {})]


def cann(directory, db):
    tables = {name: {(row['Device_id'], row[stream], row[task], row[start]): Decimal(row[time])
                     for row in rows(f'{directory}/{name}.csv')}
              for name, stream, task, start, time in (
                  ('op_summary', 'Stream ID', 'Task ID', 'Task Start Time(us)', 'Task Duration(us)'),
                  ('task_time', 'stream_id', 'task_id', 'task_start(us)', 'task_time(us)'))}
    drawn = {(args['Physic Stream Id'], args['Task Id'], Decimal(start)): round(Decimal(time), 3)
             for args, start, time in slices(f'{directory}/msprof.json')}
    stored = {(stream, task, Decimal(start) / 1000): Decimal(time) / 1000 for stream, task, start, time in
              db.execute('SELECT stream_id, task_id, start_ns, duration_ns FROM task')}
    compared = 0
    for (device, stream, task, start), time in tables['op_summary'].items():
        assert tables['task_time'][device, stream, task, start] == time, (stream, task, start)
        key = int(stream), int(task), Decimal(start)
        if key not in drawn:  # a timeline shows the parts of a task in the place of the whole, and physical streams
            continue
        compared += 1
        assert abs(drawn[key] - time) <= Decimal('0.001'), (key, drawn[key], time)  # it ends where the end was measured
        assert stored[key] == time, (key, stored[key], time)
    return compared


def svp(directory, db):
    stored = {}
    for kind, stream, task, start in db.execute('SELECT kind, stream_id, task_id, start_ns FROM task'):
        stored[Decimal(start) / 1000] = kind, stream, task
    layers = {(str(task), name) for task, name in db.execute(
        "SELECT task_id, group_concat(name) FROM (SELECT * FROM layer ORDER BY layer_id) WHERE engine = 'AI_CORE'"
        " GROUP BY model_name, model_id, task_id")}
    checked = 0
    for path in glob.glob(f'{directory}/timeline/*.json'):
        events = json.load(open(path), parse_float=Decimal)
        facts = [event for event in events if event['name'] == 'TraceConfig'][0]['args']['value']
        for event in events:
            args = event.get('args', {})
            if event['ph'] == 'X' and 'Task Id' in args:
                start = event['ts'] + Decimal(facts['origin_ns']) / 1000
                if start not in stored:  # placed a picosecond aside
                    continue
                checked += 1
                assert stored[start][0] == args['Task Type'] and stored[start][2] == args['Task Id'], (path, event, stored[start])
    for path in glob.glob(f'{directory}/summary/op_summary_*.csv'):
        for row in rows(path)[1:]:
            if 'Task ID' in row:
                assert (row['Task ID'], row['Layer Name']) in layers, row
    return checked


checked = {'cann': cann, 'svp': svp}[sys.argv[1]](sys.argv[2], sqlite3.connect(sys.argv[3]))
assert checked > 0, 'nothing was compared'
print(checked)
