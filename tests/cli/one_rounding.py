# SPDX-License-Identifier: Apache-2.0
"""Compares the cells of every table of a capture in CSV, JSON and Markdown, those of the page and of tui with CSV, and the
findings of the page, of tui and of advise with each other.
usage: one_rounding.py MSPROF CAPTURE [tui]
A number is the same number everywhere, rounded once; CSV, JSON and the page drop zeros at the end of a fraction, the others
keep a column's decimals."""
import collections
import csv
import html
import io
import json
import os
import re
import subprocess
import sys

program, capture = sys.argv[1:3]
TUI = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib', 'tui.py')


def shown(*arguments):
    made = subprocess.run([program, 'show', capture, *arguments], capture_output=True, text=True, check=False)
    return made.stdout if made.returncode in (0, 3) else None


def plain(cell):
    """A cell without the tab in front of long numbers, and a number without zeros at the end of its fraction."""
    cell = cell.strip()
    if re.fullmatch(r'-?\d+\.\d+', cell):
        cell = cell.rstrip('0').rstrip('.')
    return '0' if cell == '-0' else cell


def cells_of(line):
    """The cells of a line of the screen, which two blanks divide."""
    return re.split(r' {2,}', line.strip())


rows_by_title = collections.defaultdict(set)


def keep(title, row):
    """Keeps a row of show, for places that have the same columns in another order."""
    rows_by_title[frozenset(title)].add(frozenset(zip(title, map(plain, row))))


def held(place, title, row):
    """Whether show has the row of another place: 1, or 0 where it has no such table. Times differ by the zero."""
    kept = {name for name in title if not re.fullmatch(r'(Start|From|Until|At|Since|Peak|End|Time)\(us\)', name)}
    if frozenset(title) not in rows_by_title:
        return 0
    wanted = {(name, plain(cell)) for name, cell in zip(title, row) if name in kept}
    found = any({item for item in shown_row if item[0] in kept} == wanted for shown_row in rows_by_title[frozenset(title)])
    assert found, (place, title, row)
    return 1


tables = [line.split()[0] for line in shown('--table', 'list').splitlines() if line[:1] not in (' ', '')]
compared = numbers = 0
for table in tables:
    arguments = ['--table', table, '--top', '100']
    text = shown(*arguments, '--format', 'csv')
    if not text:
        continue
    rows = list(csv.reader(io.StringIO(text)))
    title = rows[0]
    for row in rows[1:]:
        keep(title, row)
    for row in json.loads(shown(*arguments, '--format', 'json'), parse_float=str, parse_int=str)[:1]:
        assert list(row) == title, (table, list(row), title)
    objects = json.loads(shown(*arguments, '--format', 'json'), parse_float=str, parse_int=str)
    markdown = [re.split(r'(?<!\\)\|', line)[1:-1] for line in shown(*arguments, '--format', 'markdown').splitlines()
                if line.startswith('|')]
    markdown = [row for row in markdown if not all(re.fullmatch(r' *:?-+:? *', cell) for cell in row)][1:]
    assert len(rows) - 1 == len(objects) == len(markdown), (table, len(rows), len(objects), len(markdown))
    decimals = {}
    for row, item, line in zip(rows[1:], objects, markdown):
        for name, cell, mark in zip(title, row, line):
            other, drawn = str(item[name]), mark.strip()
            if not re.fullmatch(r'\s*-?\d+(\.\d+)?', cell):
                continue
            numbers += 1
            assert plain(cell) == plain(other) == plain(drawn), (table, name, cell, other, drawn)
            decimals.setdefault(name, set()).add(len(drawn.partition('.')[2]))
    compared += 1
print(f'{compared} tables, {numbers} numbers')
assert compared > 5 and numbers > 100

# the page: its tables, and the rows behind its findings
page = subprocess.run([program, 'report', capture, '-o', '-'], capture_output=True, text=True, check=False).stdout
on_page, evidence = 0, {}
for table in re.findall(r'<table.*?</table>', page, re.S):
    caption, title, *rows = [[html.unescape(re.sub('<[^>]*>', '', cell)) for cell in re.findall(pattern, table, re.S)]
                             for pattern in (r'<caption>(.*?)</caption>', r'<th[^>]*>(.*?)</th>')]
    for row in re.findall(r'<tr[^>]*>(.*?)</tr>', table.partition('<tbody>')[2], re.S)[:50]:
        cells = [html.unescape(re.sub('<[^>]*>', '', cell)) for cell in re.findall(r'<td[^>]*>(.*?)</td>', row, re.S)]
        on_page += held('page', title, cells)
        if caption and caption[0].startswith('Rows behind '):
            evidence.setdefault(caption[0].removeprefix('Rows behind '), []).append(cells[1:4])
print(f'{on_page} rows of the page')
assert on_page > 10

# findings: the sentence everywhere, and the same rows
advise = subprocess.run([program, 'advise', capture], capture_output=True, text=True, check=False).stdout
found = json.loads(subprocess.run([program, 'advise', capture, '--format', 'json'], capture_output=True, text=True,
                                  check=False).stdout)['findings']
page_text = html.unescape(re.sub("<[^>]*>", "", re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.S)))
for finding in found:
    assert finding['sentence'] in advise and finding['sentence'] in page_text, finding['sentence']
    part = advise.partition(f'  {finding["id"]}\n')[2].partition('\n\n')[0]
    rows = re.findall(r'^ +(\S+) us +(\S+) % +(\d+) x  (.*?)(?:  \(at .*)?$', part, re.M)
    assert [[time, share, count] for time, share, count, _ in rows] == evidence.get(finding['id'], []), finding
    for item, (time, share, *_) in zip(finding['evidence'], rows):
        assert f'{item["time"]:.3f}' == time and abs(item['share'] - float(share)) < 0.0506, (item, time, share)
print(f'{len(found)} findings')

if sys.argv[3:] == ['tui']:
    screens = subprocess.run([sys.executable, TUI, '--size', '30x400', program, 'tui', capture, '--', *'345678'],
                             capture_output=True, text=True, check=False).stdout.split('-' * 20 + '\n')
    on_screen = 0
    for screen in filter(None, screens):
        lines = screen.splitlines()
        tables_of = [at for at, line in enumerate(lines) if re.match(r'\w+: row 1 of ', line)]
        for at in tables_of:
            title = cells_of(lines[at + 1])
            for line in lines[at + 2:-1]:
                on_screen += held('tui', title, cells_of(line)) if line.strip() and '…' not in line else 0
        assert not found or found[0]['sentence'] in screen, screen
    print(f'{on_screen} rows of tui')
    assert on_screen > 10
