#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The timeline inside of the page: its slices, bins, steps and marks are those of the exported timeline and of tables.
# shellcheck disable=SC2154 # common sets repository, run_msprof status and output

load ../cli/common
load page

# The slices that the page holds of a capture, and those of 'export timeline', as lines: process, thread, start, duration in
# nanoseconds, name.
slices() { # capture, layers
    rm -rf exported
    run_msprof -q export timeline "$1" --output exported ${2:+--reports "$2"}
    cat >slices.py <<PY
import glob, json, re, sys
sys.path.insert(0, "$repository/tests/lib")
import page

def ns(us):
    return round(us * 1000)

def exported():
    found = []
    for path in glob.glob('exported/*/msprof_*.json'):
        events, titles = json.load(open(path)), {}
        for event in events:
            if event['ph'] == 'M' and event['name'] in ('process_name', 'process_labels', 'thread_name'):
                key = (event['name'], event['pid'], event['tid'] if event['name'] == 'thread_name' else 0)
                titles[key] = list(event['args'].values())[0]
        for event in events:
            if event['ph'] == 'X':
                process = titles['process_name', event['pid'], 0]
                label = titles.get(('process_labels', event['pid'], 0))
                found.append((process + (', ' + label if label else ''), titles['thread_name', event['pid'], event['tid']],
                              ns(event['ts']), ns(event['dur']),
                              event.get('args', {}).get('Op Name', event['name'])))
    return sorted(found)

data = json.loads(page.Page('page.html').data[0])

def held():
    found = []
    for lane in data['lanes']:
        at = 0
        for start, duration, name, *_ in zip(*[iter(lane['s'])] * 7):
            at += start
            found.append((lane['p'], lane['n'], at, duration, data['texts'][name]))
    return sorted(found)

def check_busy(every):
    """How full each bin of each lane is: of what covers others one time alone. Gives how many slices lie in others."""
    levels = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_'
    nested = 0
    for lane in data['lanes']:
        bins = ''.join(one * int(times or 1) for one, times in re.findall(r'(.)(?:\{([0-9]+)\})?', lane['b']))
        stretches = []
        for start, end in sorted((start, start + duration) for process, thread, start, duration, _ in every
                                 if (process, thread) == (lane['p'], lane['n'])):
            if stretches and start < stretches[-1][1]:
                nested += 1
                stretches[-1][1] = max(stretches[-1][1], end)
            else:
                stretches.append([start, end])
        busy = [0] * 4096
        for start, end in stretches:
            for bin in range(start // data['width'], end // data['width'] + 1):
                busy[bin] += max(0, min(end, (bin + 1) * data['width']) - max(start, bin * data['width']))
        for bin, ns_busy in enumerate(busy):
            share = ns_busy / data['width']
            wanted = 0 if ns_busy == 0 else 63 if share >= 1 else 1 + int(62 * share)
            told = levels.index(bins[bin]) if bin < len(bins) else 0
            assert abs(told - wanted) <= 1 and (told > 0) == (wanted > 0), (lane['n'], bin, told, wanted)
    return nested
PY
}

@test "the page of a small capture has every slice of its timeline, with what launched it, and the steps and marks of its tables" {
    program <<'PY'
for step in range(9):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100)
    p.op('b/side', 'Cast', 20, gap=-60, core=VECTOR, stream=3)
    p.communicate(us=60, back=15)
    p.copy(us=15)
    p.call('aclrtSynchronizeStream', p.at, p.at + 9000)
    p.op('b/where', 'Where', 30, core=AI_CPU, gap=step)
    p.end_step()
PY
    slices PROF_1 ascend,cann,communication,msproftx
    run_msprof -q show PROF_1 --table overlap --format json
    printf '%s\n' "$output" >overlap.json
    run_msprof -q advise PROF_1 --format json
    printf '%s\n' "$output" >advice.json
    python3 - <<'PY'
from slices import *
assert held() == exported() and len(held()) > 60, (len(held()), len(exported()))
assert data['whole'] and data['from'] == min(s[2] for s in held()) and data['to'] == max(s[2] + s[3] for s in held())
classes = {lane['n']: set(lane['s'][4::7]) for lane in data['lanes']}
kinds = {}
for lane in data['lanes']:
    for start, duration, name, detail, kind, call, lag in zip(*[iter(lane['s'])] * 7):
        kinds[data['texts'][name]] = kind
        if data['texts'][name] == 'a/conv':  # launched by a call of the host, which began before
            assert data['texts'][call] and lag >= 0, (call, lag)
            assert 'Type: Conv2D' in data['texts'][detail].split('\n'), data['texts'][detail]
assert (kinds['a/conv'], kinds['b/side'], kinds['b/where']) == (0, 1, 2), kinds
table = json.load(open('overlap.json'))
rows = table['rows'] if isinstance(table, dict) else table
(ruler,) = data['steps']
steps = list(zip(*[iter(ruler['s'])] * 3))
assert [end - start for start, end, _ in steps] == [ns(float(row['Time(us)'])) for row in rows], (steps[:2], rows[:1])
assert [number for *_, number in steps] == [row['Step'] for row in rows]
marks = [(ns(f['timeline_ts']), f['id']) for f in json.load(open('advice.json'))['findings'] if f.get('timeline_ts') is not None]
assert [tuple(mark) for mark in data['marks']] == marks and marks, (data['marks'], marks)
PY
    # a mark is where its finding's link goes
    python3 - <<'PY'
import re
from slices import *
source = page.Page('page.html').source
links = re.findall(r'<a href="#c1-timeline" data-t="(-?[0-9]+)"', source)
assert links and set(map(int, links)) == {at for at, _ in data['marks']}, (links, data['marks'])
PY
}

@test "of a large capture the page has how busy each lane was, and the median, the slowest and the first step whole" {
    "$(dirname "$(readlink -f "$MSPROF")")/make-capture" --output boards --layers 600 --inferences 40 --seed 3 >/dev/null
    mv boards/JOB* JOB1
    report JOB1
    slices JOB1
    run_msprof -q show JOB1 --table overlap --format csv
    printf '%s\n' "$output" >overlap.csv
    python3 - <<'PY'
import csv, statistics
from slices import *
every = exported()
assert not data['whole'] and len(every) > 12000, len(every)
check_busy(every)
counted = [row for row in csv.DictReader(open('overlap.csv'))]
times = [float(row['Time(us)']) for row in counted]
stretches = {name: (start, end) for start, end, name in data['stretches']}
length = lambda name: (stretches[name][1] - stretches[name][0]) / 1000
assert abs(length('Slowest step') - max(times[1:])) < 0.002, (stretches, max(times))
median = statistics.median(times)
assert abs(length('Median step') - median) <= min(abs(t - median) for t in times) + 0.002 * median, (length('Median step'), median)
inside = sorted(slice for slice in every
                if any(slice[2] < end and slice[2] + slice[3] > start for start, end in stretches.values()))
assert held() == inside and len(inside) > 1200, (len(held()), len(inside))
PY
}

@test "the ruler has a row for each device, and of more steps than it has room for several together" {
    PYTHONPATH=$repository/tests/cann/lib python3 <<'PY'
from prof import Prof
p = Prof('PROF_1')
for device in (0, 5):
    for i in range(2500):
        p.launch(1000 * device + i * 200, 2, i, 'conv', device=device)
        p.ran(1000000 + i * 10000, 1005000 + i * 10000 + 20 * (i % 3), 2, i, device=device)
p.write()
PY
    report PROF_1
    run_msprof -q show PROF_1 --table overlap --format csv --top 10000
    printf '%s\n' "$output" >overlap.csv
    python3 - "$repository/tests/lib" <<'PY'
import csv, json, sys
sys.path.insert(0, sys.argv[1])
import page
rows = list(csv.DictReader(open('overlap.csv')))
ruler = json.loads(page.Page('page.html').data[0])['steps']
assert [row['d'] for row in ruler] == ['Device 0', 'Device 5'], [row['d'] for row in ruler]
for row, device in zip(ruler, '05'):
    wanted = [(int(it['Step']), float(it['Time(us)'])) for it in rows if it['Device_id'] == device]
    told = list(zip(*[iter(row['s'])] * 3))
    assert 500 < len(told) <= 1001 and len(wanted) == 2500, (len(told), len(wanted))
    numbers = []
    for start, end, name in told:  # every step is in one cell, which is as long as its steps and what is between them
        first, _, last = str(name).partition('\u2013')
        inside = list(range(int(first), int(last or first) + 1))
        numbers += inside
        assert end - start >= sum(time for number, time in wanted if number in inside) * 1000 - 1, (name, start, end)
    assert numbers == [number for number, _ in wanted], numbers[:5]
    assert all(a[1] <= b[0] for a, b in zip(told, told[1:]))
PY
}

@test "calls inside of others do not make a lane busier than it is" {
    program <<'PY'
for step in range(9000):
    p.op('conv', 'Conv2D', 10, gap=2)  # the launch of a node has a call of the runtime in it
    if step % 100 == 0:
        p.call('aclrtSynchronizeStream', p.host, p.host + 4000)
PY
    slices PROF_1
    python3 - <<'PY'
from slices import *
every = exported()
assert not data['whole'], len(every)
nested = check_busy(every)
assert nested >= 9000, nested
PY
}

@test "names in the data of the timeline are texts whatever is in them, and hashes with --redact" {
    program <<'PY'
for name in ('</script><script>alert(1)</script>', 'a\u2028b', '<!--<script>', '"}],'):
    p.op(name, us=100)
PY
    slices PROF_1 ascend
    python3 - <<'PY'
from slices import *
assert {name for *_, name in exported()} <= set(data['texts']) and '</script><script>alert(1)</script>' in data['texts']
PY
    report PROF_1 --redact
    slices PROF_1 ascend
    python3 - <<'PY'
import hashlib
from slices import *
hashed = {'name-' + hashlib.sha256(name.encode()).hexdigest()[:10] for *_, name in exported()}
assert hashed <= set(data['texts'])
for text in data['texts']:
    assert text == '' or text.startswith('name-') or all(line.split(': ')[0] in ('Inputs', 'Outputs', 'Shapes', 'Bound')
                                                         for line in text.split('\n')), text
PY
}

@test "without scripts the median step is a drawing; a page without slices has no timeline, and no link to one" {
    copy_capture JOBX
    report JOBX
    python3 - <<PY
import sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
drawn = [attrs for part, tag, attrs in told.shapes if part == 'c1-timeline' and tag == 'rect' and 'x' in attrs]
assert len(drawn) > 50 and any('res2a_branch1: ' in attrs.get('title', '') for attrs in drawn), drawn[:3]
for attrs in drawn:
    assert 100 <= float(attrs['x']) <= 1100 and float(attrs['x']) + float(attrs['width']) <= 1100.5, attrs
PY
    run_msprof -q advise JOBX --format html
    expect_not_contains "$output" "-timeline"
}

@test "in Chromium the timeline zooms, moves and leads to rows and back by keys, and needs nothing but its own script" {
    command -v chromium >/dev/null || skip "chromium is not installed: 'tools/packages.sh all' does that"
    copy_capture JOBX
    report JOBX
    expect_equal "$(python3 "$repository/tests/lib/page_timeline.py" page.html)" ""
}
