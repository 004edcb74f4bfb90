#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks msprof for every answer about a capture in every form, and looks whether each is sound: no byte that drives a
terminal, rows with as many cells as titles, JSON that parses, a status for what there is.

usage: sound_answers.py MSPROF CAPTURE [FORM]

With FORM only answers in this form.
"""
import csv
import json
import re
import subprocess
import sys

TABLES = ('summary', 'ops', 'types', 'gaps', 'steps', 'overlap', 'streams', 'api', 'bound', 'small', 'conversions', 'aicpu',
          'communication', 'memory')
msprof, capture = sys.argv[1:3]
forms = sys.argv[3:]


def sound(words, form):
    if forms and form not in forms:
        return
    done = subprocess.run([msprof, '-q'] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    where = (words, done.returncode, done.stderr[:500])
    assert done.returncode in (0, 3, 4), where
    assert not re.search(rb'[\x00-\x08\x0b-\x1f\x7f]', done.stderr), where
    data = done.stdout
    if not data:
        assert done.returncode != 0, where
        return
    if form == 'json':
        json.loads(data.decode('utf-8'))
    elif form == 'csv':
        rows = list(csv.reader(data.decode('utf-8', 'surrogateescape').splitlines(True)))
        assert len({len(row) for row in rows}) == 1, (where, rows)
    else:
        bad = re.search(rb'.{0,40}[\x00-\x08\x0b-\x1f\x7f].{0,40}', data)
        assert not bad, (where, bad)
    if form == 'markdown':
        for block in data.split(b'\n\n'):
            cells = {len(re.findall(rb'(?<!\\)(?:\\\\)*\|', line)) for line in block.split(b'\n') if line.startswith(b'| ')}
            assert len(cells) <= 1, (where, block)
    if '--width' in words:
        assert max(len(line) for line in data.decode('utf-8', 'replace').splitlines()) <= 60, (where, data)


for table in TABLES:
    for form in ('table', 'csv', 'json', 'markdown'):
        sound(['show', capture, '--table', table, '--format', form], form)
    sound(['show', capture, '--table', table, '--width', '60'], 'table')  # as a narrow terminal has it
for form in ('table', 'csv', 'json', 'markdown'):
    sound(['diff', capture, capture, '--format', form, '--allow-incomparable'], form)
for form in ('table', 'json', 'markdown'):
    sound(['advise', capture, '--format', form], form)
