#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the names of databases that stand in a page made with --redact: of operators, layers, models, kernels, calls, files,
hosts and ranges.

usage: page_names.py PAGE.HTML DATABASE...
"""
import os
import re
import sqlite3
import sys

HOLD_NAMES = re.compile('name|path|message|host|layer|text|file')


def texts_of(path):
    db = sqlite3.connect(path)
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for column in [row[1] for row in db.execute('PRAGMA table_info("%s")' % table)]:
            if table != 'step_point' and HOLD_NAMES.search(column):
                yield from (text for (text,) in db.execute(
                    'SELECT DISTINCT "%s" FROM "%s" WHERE typeof("%s") = \'text\'' % (column, table, column)))


def words_of(path):
    """Types of operators, and kinds of records: they are no names."""
    db = sqlite3.connect(path)
    for table, column in (('device_task', 'op_type_id'), ('communication_op', 'type_id')):
        if db.execute('SELECT 1 FROM sqlite_master WHERE name = ?', (table,)).fetchone():
            yield from (text for (text,) in db.execute('SELECT text FROM name WHERE id IN (SELECT %s FROM %s)' % (column, table)))
    yield from (kind for (kind,) in db.execute('SELECT kind FROM source_file WHERE kind IS NOT NULL'))


def main():
    with open(sys.argv[1], encoding='utf-8') as stream:
        page = stream.read()
    names, words = set(), set()
    for path in sys.argv[2:]:
        words.update(words_of(path))
        for text in texts_of(path):
            names.update({text, os.path.basename(text)}, text.split(','))
    for name in sorted(names - words):
        if len(name) > 3 and name in page and re.search('[/_.0-9-]', name) and re.search(r'(?<!\w)%s(?!\w)' % re.escape(name), page):
            print(name[:80], '...', page[max(0, page.find(name) - 40):][:80])
    if len(names) < 5:
        print('no names')


main()
