# SPDX-License-Identifier: Apache-2.0
"""Compares the pictures of a page about an OPPROF directory with the tables of 'msprof show'.

    python3 pictures.py MSPROF DIRECTORY PAGE    prints what differs, then how many marks were compared
"""
import html
import json
import math
import re
import subprocess
import sys

LEFT, WIDTH = 100, 1000


def table(msprof, directory, name):
    run = subprocess.run([msprof, 'show', '--table', name, '--format', 'json', directory], capture_output=True, text=True,
                         check=False)
    return json.loads(run.stdout or '[]', parse_float=str, parse_int=str)


def figures(page, caption):
    """The drawings whose caption begins with this: their marks (name, attributes, title) and labels."""
    for figure in re.findall(r'<figure>(.*?)</figure>', page, re.S):
        said = html.unescape(re.search(r'<figcaption>(.*?)</figcaption>', figure, re.S).group(1))
        if not said.startswith(caption):
            continue
        marks = []
        for name, attributes, inside in re.findall(r'<(rect|circle|line|polygon)\b([^>]*)>(.*?)</\1>', figure, re.S):
            title = re.search(r'<title>(.*?)</title>', inside, re.S)
            marks.append((name, dict(re.findall(r'([\w-]+)="([^"]*)"', attributes)), html.unescape(title.group(1)) if title else None))
        yield said, marks, [html.unescape(label) for label in re.findall(r'<text[^>]*>(.*?)</text>', figure, re.S)]


def near(a, b, most=0.011):
    return abs(float(a) - float(b)) <= most


def main():
    msprof, directory, path = sys.argv[1:]
    with open(path, encoding='utf-8') as file:
        page = file.read()
    wrong, compared = [], 0

    def expect(condition, *what):
        nonlocal compared
        compared += 1
        if not condition:
            wrong.append(what)

    cores = list(dict.fromkeys(row['Core'] for row in table(msprof, directory, 'pipes')))
    for core in cores:
        rows = [r for r in table(msprof, directory, 'pipes') if r['Core'] == core and r['Of Core(%)'] != 'N/A']
        ((_, marks, labels),) = figures(page, f'Pipes of {core} cores')
        expect(len(marks) == len(rows), 'pipes', core)
        for row, (_, at, title) in zip(rows, marks):
            share = row['Of Core(%)']
            expect(title == f"{row['Pipe']}, {row['State']}: {share} %, mean {row['Mean(us)']} us", title, row)
            expect(near(at['width'], (LEFT + WIDTH - 280) * min(float(share), 100) / 100), at, row)
            expect(f'{share} %' in labels, share, labels)
    blocks = table(msprof, directory, 'blocks')
    for core in sorted({row['Core'] for row in blocks}):
        rows = [row for row in blocks if row['Core'] == core]
        longest = max(float(row['Time(us)']) for row in rows)
        ((_, marks, _),) = figures(page, f'Blocks on {core} ')
        expect(len(marks) == len(rows), 'blocks', core)
        for place, (row, (_, at, title)) in enumerate(zip(rows, marks)):
            expect(title == f"block {row['Block']}: {row['Time(us)']} us, {row['Off Mean(%)']} % off the mean", title, row)
            expect(near(at['fill-opacity'], 0.08 + 0.92 * float(row['Time(us)']) / longest, 0.00051), at, row)
            expect(near(at['x'], LEFT + 18 * (place % 50)) and near(at['y'], 18 * (place // 50)), at, place)
    roofs = table(msprof, directory, 'roofline')
    for core in dict.fromkeys(row['Core'] for row in roofs):
        rows = [row for row in roofs if row['Core'] == core]
        ((_, marks, labels),) = figures(page, f'Work of {core} cores')
        grid = [at for name, at, _ in marks if name == 'line' and at['class'] == 'grid']
        across, up = [float(at['x1']) for at in grid if at['x1'] == at['x2']], [float(at['y1']) for at in grid if at['y1'] == at['y2']]
        expect(len(labels) == len(across) + len(up) and len(across) > 1 and len(up) > 1, labels, grid)
        powers = [math.log10(float(label)) for label in labels] # those of the columns first
        low_x, low_y = powers[0], powers[len(across)]
        decade_x = (across[-1] - across[0]) / (powers[len(across) - 1] - low_x)
        decade_y = (up[-1] - up[0]) / (powers[-1] - low_y)
        high_x = low_x + WIDTH / decade_x
        expect(near(across[0], LEFT) and near(up[0], 300), across, up)
        for power, at in zip(powers, across):
            expect(near(at, LEFT + decade_x * (power - low_x), 0.02), power, at)
        for power, at in zip(powers[len(across):], up):
            expect(near(at, 300 + decade_y * (power - low_y), 0.02), power, at)

        def place(x, y):
            return LEFT + decade_x * (math.log10(x) - low_x), 300 + decade_y * (math.log10(y) - low_y)

        dots = [mark for mark in marks if mark[0] == 'circle']
        expect(len(dots) == len(rows), 'dots', core)
        for row, (_, at, title) in zip(rows, dots):
            expect(title == f"{row['Path']}: {row['Intensity(OP/B)']} OP/B, {row['Done(GOP/s)']} GOP/s", title, row)
            x, y = place(float(row['Intensity(OP/B)']), float(row['Done(GOP/s)']))
            expect(near(at['cx'], x, 0.02) and near(at['cy'], y, 0.02), at, row)
        work = float(rows[0]['Work Roof(GOP/s)'])
        lines = [at for name, at, _ in marks if name == 'line' and at['class'] == 'roof']
        flat, slopes = [at for at in lines if at['y1'] == at['y2']], [at for at in lines if at['y1'] != at['y2']]
        expect(all(near(at['y1'], place(1, work)[1], 0.02) for at in flat) and flat, flat, work)
        paths = [row for row in rows if row['Path Roof(GOP/s)'] != 'N/A']
        expect(len(slopes) == len(paths), slopes, paths)
        for row, line in zip(paths, slopes):
            bandwidth = float(row['Path Roof(GOP/s)']) / float(row['Intensity(OP/B)'])
            for end in '12':
                x = 10 ** (low_x + (float(line['x' + end]) - LEFT) / WIDTH * (high_x - low_x))
                expect(near(line['y' + end], place(1, bandwidth * x)[1], 0.1), line, row)
            expect(f"Roof of {row['Path']}: {row['Path Roof(GOP/s)']} GOP/s" in page, row)
        expect(f"Roof of work: {rows[0]['Work Roof(GOP/s)']} GOP/s" in page, rows[0])
    memory = table(msprof, directory, 'memory')
    for core in dict.fromkeys(row['Core'] for row in memory):
        rows = [row for row in memory if row['Core'] == core]
        ((_, marks, labels),) = figures(page, f'Paths of {core} cores')
        texts = labels[2::3]
        expect(len(texts) == len(rows), texts, rows)

        def shown(row):
            return row['Bandwidth(GB/s)'] if row['Bandwidth(GB/s)'] != 'N/A' else row['Core Mean(GB/s)']

        # bars of the task's bandwidth, and those of a core, compare with their like alone
        largest = {}
        for row in rows:
            kind = row['Bandwidth(GB/s)'] == 'N/A'
            largest[kind] = max(largest.get(kind, 0), float(shown(row)))
        bars = [at for name, at, _ in marks if name == 'rect' and 'faint' in at['class']]
        expect(len(bars) == sum(float(shown(row)) > 0 for row in rows), bars, rows)
        for row, bar in zip([row for row in rows if float(shown(row)) > 0], bars):
            expect(near(bar['width'], 790 * float(shown(row)) / largest[row['Bandwidth(GB/s)'] == 'N/A']), bar, row)
        for row, text, source, target in zip(rows, texts, labels[0::3], labels[1::3]):
            whole = row['Bandwidth(GB/s)'] != 'N/A'
            said = (f"{row['Bytes']} B, " if row['Bytes'] != 'N/A' else '') + shown(row) + ' GB/s' + ('' if whole else ' a core')
            if row['Largest Usage(%)'] != 'N/A':
                said += f", up to {row['Largest Usage(%)']} % of the peak"
            expect(text == said, text, said)
            if ' to ' in row['Path']:
                expect(f'{source} to {target}' == row['Path'], source, target, row)
    (operator,) = table(msprof, directory, 'operator')
    verdict = html.unescape(re.sub(r'<[^>]*>', '', re.search(r'<p class="verdict">(.*?)</p>', page, re.S).group(1)))
    for column in ('Op Name', 'Op Type', 'Task Duration(us)', 'Longest Block(us)', 'Block Dim'):
        expect(operator[column] in verdict, operator[column], verdict)
    busiest = max((r for r in table(msprof, directory, 'pipes') if r['State'] == 'busy' and r['Of Core(%)'] != 'N/A'),
                  key=lambda r: float(r['Of Core(%)']))
    expect(f"{busiest['Pipe']} of the {busiest['Core']} cores, with {busiest['Of Core(%)']} %" in verdict, busiest, verdict)
    for what in wrong:
        print(*what)
    print(compared, 'marks')
    return len(wrong) > 0


sys.exit(main())
