# SPDX-License-Identifier: Apache-2.0
"""Compares the tables that msprof show printed with those that it exported.

usage: agree_show.py SHOWN CAPTURE [TOP]   SHOWN was printed without a limit of the width and with --top TOP (20)
"""
import collections
import csv
import glob
import os
import subprocess
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib'))
from timeline import events_of  # noqa: E402

FRAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lib', 'text_tables.py')


def blocks_of(shown):
    """[(device or None, title, rest of the title's line, rows)] in their order; the first row has the titles."""
    text = subprocess.run([sys.executable, FRAMES, 'cells', shown], check=True, stdout=subprocess.PIPE, text=True).stdout
    blocks, device = [], None
    for line in text.splitlines():
        if line.startswith('Device id : '):
            device = int(line.split()[3])
        elif ' :' in line and '|' not in line:
            title, rest = line.split(' :', 1)
            blocks.append((device, title, rest.strip(), []))
        elif line:
            blocks[-1][3].append(line.split('|'))
    return blocks


def table(capture, name):
    """The rows of a report, its titles first; None: there is no such report."""
    paths = sorted(glob.glob(os.path.join(capture, '*', name + '.csv')))
    if not paths:
        return None
    assert len(paths) == 1, paths
    with open(paths[0], encoding='utf-8', newline='') as file:
        rows = list(csv.reader(file))
    for place, title in enumerate(rows[0]):
        # Some numbers of 2022 are in quotes of their own; a tab keeps spreadsheets from rounding times of 2023.
        quoted = title in ('task_time(us)', 'task_start(ns)', 'task_stop(ns)')
        marks = '"' if quoted else '\t' if title.endswith('(us)') else ''
        for row in rows[1:]:
            row[place] = row[place].strip(marks) if marks else row[place]
    return rows


def columns(rows, titles):
    places = [rows[0].index(title) for title in titles]
    return [tuple(row[place] for place in places) for row in rows[1:]]


def same(shown, exported, what):
    assert shown == exported, '%s: shown %s, exported %s' % (
        what, [row for row in shown if row not in exported][:3], [row for row in exported if row not in shown][:3])


def longest(shown, rest, exported, time, top, what):
    """The shown rows are those of the longest times, and each is one of the exported."""
    titles, rows = shown[0], [tuple(row) for row in shown[1:]]
    all_rows = columns(exported, titles)
    if len(all_rows) > top:
        assert rest.startswith('%d of %d ' % (top, len(all_rows))), rest
    else:
        assert rest == 'all %d' % len(all_rows), rest
    times = sorted((Decimal(row[0]) for row in columns(exported, [time])), reverse=True)[:top]
    same([Decimal(row[titles.index(time)]) for row in rows], times, what + ' times')
    assert not collections.Counter(rows) - collections.Counter(all_rows), what


def overlap(shown, capture):
    """Sums of the spans of the timeline by device and kind."""
    path, = glob.glob(os.path.join(capture, '*', 'msprof_[0-9]*.json'))
    with open(path, encoding='utf-8') as file:
        events = events_of(file)
    processes = {event['pid'] for event in events if event['ph'] == 'M' and event['name'] == 'process_name' and
                 event['args']['name'] == 'Overlap Analysis'}
    device = {event['pid']: event['args']['labels'].split()[-1] for event in events
              if event['ph'] == 'M' and event['name'] == 'process_labels' and event['pid'] in processes}
    sums = collections.defaultdict(Decimal)
    for event in events:
        if event['ph'] == 'X' and event['pid'] in processes:
            sums[device[event['pid']], event['name']] += event['dur']
    devices = sorted({key[0] for key in sums}, key=int)
    assert [row[0] for row in shown[1:]] == devices, (shown, devices)
    for row in shown[1:]:
        cells = dict(zip(shown[0], row))
        of = [sums[row[0], kind] for kind in ('Computing', 'Communication', 'Communication(Not Overlapped)', 'Free')]
        elapsed = of[0] + of[2] + of[3]
        expected = dict(zip(('Computing(us)', 'Communication(us)', 'Communication(Not Overlapped)(us)', 'Free(us)'), of))
        expected['Elapsed(us)'] = elapsed
        for title, value in expected.items():
            assert Decimal(cells[title]) == value, (title, cells[title], value)
        for part, value in (('Computing(%)', of[0]), ('Free(%)', of[3])):
            assert abs(Decimal(cells[part]) - value * 100 / elapsed) <= Decimal('0.0005'), (part, cells[part])


def messages(shown, rest, exported, top):
    groups = collections.defaultdict(list)
    for kind, message, start, end in columns(exported, ['event_type', 'message', 'Start_time(us)', 'End_time(us)']):
        groups[kind, message].append(Decimal(end) - Decimal(start))
    # As cells are printed: the terminal's tables fill up with blanks, and ? stands for what drives it.
    printed = collections.defaultdict(list)
    for (kind, message), times in groups.items():
        text = ''.join(letter if letter.isprintable() or letter == '\n' else '?' for letter in message)
        printed[kind, '\\n'.join(line.strip() for line in text.split('\n'))].append(times)
    assert len(shown) - 1 == min(top, len(groups)), (len(shown), len(groups))
    assert rest.startswith('%d of %d ' % (top, len(groups)) if len(groups) > top else 'all %d' % len(groups)), rest
    totals = sorted((sum(times) for times in groups.values()), reverse=True)[:top]
    same([Decimal(row[-4]) for row in shown[1:]], totals, 'totals of messages')
    for row in shown[1:]:
        kind, message, (count, total, low, mean, high) = row[0], '|'.join(row[1:-5]), row[-5:]
        found = [times for times in printed[kind, message] if
                 (int(count), Decimal(total), Decimal(low), Decimal(high)) ==
                 (len(times), sum(times), min(times), max(times)) and
                 abs(Decimal(mean) - sum(times) / len(times)) <= Decimal('0.0005')]
        assert found, row


STATISTICS = {'Op statistic': 'op_statistic', 'Communication statistic': 'communication_statistic',
              'Api statistic': 'api_statistic', 'Acl statistic': 'acl_statistic', 'Runtime api': 'runtime_api'}


def main():
    shown, capture = sys.argv[1:3]
    top = int(sys.argv[3]) if sys.argv[3:] else 20
    checked = []
    for device, title, rest, rows in blocks_of(shown):
        suffix = '_[0-9]*' if device is None else '_%d_*' % device
        if title == 'Summary':
            assert not checked and rows, 'the summary stands first'
            continue
        if title in STATISTICS:
            exported = table(capture, STATISTICS[title] + suffix)
            if exported is None:
                assert len(rows) == 1 and rows[0][0].startswith('No '), (title, rows)
            else:
                same(rows, exported, title)
        elif title == 'Longest operators':
            longest(rows, rest, table(capture, 'op_summary' + suffix), 'Task Duration(us)', top, title)
        elif title == 'Longest tasks':
            exported = table(capture, 'task_time' + suffix)
            time = 'task_time(us)' if 'task_time(us)' in exported[0] else 'Time(us)'
            longest(rows, rest, exported, time, top, title)
        elif title == 'Overlap analysis':
            overlap(rows, capture)
        elif title == 'Msproftx statistic':
            messages(rows, rest, table(capture, 'msprof_tx_[0-9]*'), top)
        else:
            raise AssertionError('a block of an unknown title: ' + title)
        checked.append(title if device is None else '%d: %s' % (device, title))
    print('\n'.join(checked))


if __name__ == '__main__':
    main()
