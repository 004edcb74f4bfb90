#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what slices of operators say against the tables of the same capture: slice_facts.py TIMELINE OP_SUMMARY BOUND.

OP_SUMMARY: op_summary as JSON; BOUND: table `bound` as CSV, which may be empty. A slice is found by its times: no operator
of a stream begins when another does. Short names are made again here. Prints how many slices were compared and, of them,
those with each argument."""
import csv
import json
import sys
from collections import Counter
from decimal import Decimal
from os.path import dirname, join

sys.path.insert(0, join(dirname(__file__), '..', '..', 'lib'))
from timeline import events_of, short_names  # noqa: E402


def first(row, *titles):
    return next((row[title] for title in titles if title in row), None)


def nanoseconds(value):
    return int(Decimal(str(value).strip().strip('"')) * 1000)


timeline, summary, bound = sys.argv[1:]
with open(timeline, encoding='utf-8') as stream:
    slices = [e for e in events_of(stream) if e['ph'] in 'Xi' and 'Task Type' in e.get('args', {})]
with open(summary, encoding='utf-8') as stream:
    rows = {(row['Stream ID'], int(row['Task Start Time']) if 'Task Start Time' in row  # of 2022
             else nanoseconds(row['Task Start Time(us)'])): row for row in json.load(stream)}
with open(bound, newline='', encoding='utf-8') as stream:
    bounds = {row['Name']: row['Bound'] for row in csv.DictReader(stream)}
short, said, compared = short_names({row['Op Name'] for row in rows.values()}), Counter(), 0
for event in slices:
    args = event['args']
    row = rows.get((first(args, 'Stream Id', 'Physic Stream Id'), nanoseconds(event['ts'])))
    if row is None:
        assert 'Bound' not in args or args.get('Op Name', event['name']) in bounds, event
        continue
    name = row['Op Name']
    shapes = {key: None if row.get(key) in (None, '', 'N/A') else row[key].strip('"')
              for key in ('Input Shapes', 'Output Shapes')}
    wanted = {'Op Name': name if short[name] != name else None, 'OP Type': row['OP Type'], 'Bound': bounds.get(name),
              'Block Num': first(row, 'Block Num', 'Block Dim'), **shapes}
    assert event['name'] == short[name], (event, name, short[name])
    if 'Block Num' not in row and 'Block Dim' not in row:  # the tables of JOB do not say it
        del wanted['Block Num']
    for key, value in wanted.items():
        found = args.get(key)
        if key in shapes and found is not None:
            found = found.strip('"') or None
        assert found == (None if value == 'N/A' else value), (event, key, value)
        said[key] += found is not None
    compared += 1
print(compared, *('%s=%d' % item for item in sorted(said.items())))
