#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The first screen of the page that msprof report writes: what bounds the capture, four numbers, the findings that weigh most.
# shellcheck disable=SC2154 # common sets repository, run_msprof status and output

load ../cli/common
load page
load ../cann/small_capture

@test "the four numbers are those of what was planted: the median step, busy, communication that nothing covers, idle and the largest gap" {
    program <<'PY'
planted = open('planted', 'w')
tell = lambda kind, times: planted.write('%s %d %d\n' % (kind, *times))
for step in range(9):
    p.begin_step()
    tell('work', p.op('a/conv', 'Conv2D', 100 + 3 * step))
    tell('work', p.op('a/cast', 'Cast', 20, gap=5 + 7 * (step % 4), core=VECTOR, stream=3))
    tell('wire', p.communicate(us=60, back=15))
    tell('work', p.op('b/mm', 'MatMul', 200, gap=-10))
    p.end_step()
planted.close()
PY
    python3 - <<PY
import re, statistics, sys
sys.path.insert(0, "$repository/tests/lib")
import page
part = page.Page('page.html').exact['c1-summary']
spans = [(kind, int(a), int(b)) for kind, a, b in map(str.split, open('planted'))]
def union(kinds):
    covered = set()
    for kind, a, b in spans:
        if kind in kinds:
            covered.update(range(a // 10, b // 10))  # all times are multiples of 10 ns
    return covered
busy, work, wire = union(('work', 'wire')), union(('work',)), union(('wire',))
elapsed = max(b for _, _, b in spans) - min(a for _, a, _ in spans)
gaps = [b - a for a, b in zip(sorted(busy), sorted(busy)[1:]) if b > a + 1]
us = lambda tens: '%.3f' % (tens / 100)
said = lambda words: re.search(words + r'\n?\s*([0-9.]+) %\s*([0-9.]+) us of ([0-9.]+) us', part).groups()
assert said('Busy') == ('%.2f' % (1000 * len(busy) / elapsed), us(len(busy)), us(elapsed / 10)), said('Busy')
exposed = len(wire - work)
assert said('Exposed communication') == ('%.2f' % (1000 * exposed / elapsed), us(exposed), us(elapsed / 10))
idle = elapsed / 10 - len(busy)
assert said('Idle') == ('%.2f' % (1000 * idle / elapsed), us(idle), us(elapsed / 10)), said('Idle')
longest, count = re.search(r'largest gap ([0-9.]+) us, of ([0-9]+)', part).groups()
assert (longest, int(count)) == (us(max(gaps) - 1), len(gaps)), (longest, count, max(gaps), len(gaps))
steps = [max(b for _, _, b in spans[i:i + 4]) - spans[i][1] for i in range(0, len(spans), 4)]
assert re.search(r'Step time\s*([0-9.]+) us', part).group(1) == '%.3f' % (statistics.median(steps) / 1000), steps
assert 'Bound by computing: %.1f %% of the time of devices. Exposed communication %.1f %%. Idle %.1f %%.' % (
    1000 * len(work) / elapsed, 1000 * exposed / elapsed, 1000 * idle / elapsed) in part, part
PY
}

@test "every number of the first screen is that of show --table summary and steps" {
    copy_family prof-910b PROF_2
    copy_capture JOBX
    program <<'PY'
for step in range(9):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100 + 3 * step)
    p.communicate(us=60, back=15)
    p.copy(us=15)
    p.op('b/mm', 'MatMul', 200, gap=30)
    p.end_step()
PY
    for capture in PROF_1 PROF_2 JOBX; do
        report "$capture"
        run_msprof -q show "$capture" --table summary --format csv
        printf '%s\n' "$output" >summary.csv
        run_msprof -q show "$capture" --table steps --format csv
        printf '%s\n' "$output" >steps.csv
        python3 - <<PY
import csv, re, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html').exact['c1-summary']
rows = list(csv.reader(open('summary.csv')))
shown = dict(reversed(rows))
shares = {item: re.fullmatch(r'([0-9.]+) % \(([0-9.]+) us\)', shown.get(item, '0.00 % (0.000 us)')).groups()
          for item in ('Busy', 'Computing', 'Exposed communication', 'Copies', 'Other tasks', 'Free')}
for card, item in (('Busy', 'Busy'), ('Exposed communication', 'Exposed communication'), ('Idle', 'Free')):
    assert re.search(card + r'([0-9.]+) %([0-9.]+) us of', told).groups() == shares[item], (card, told, shares)
sentence = dict(re.findall(r'(Computing|Exposed communication|Copies|Other tasks|Idle) ([0-9.]+) %', told.split('Step time')[0]))
bound, share = re.match(r'SummaryBound by ([a-z ]+): ([0-9.]+) %', told).groups()
names = {'computing': 'Computing', 'exposed communication': 'Exposed communication', 'copies': 'Copies', 'idle time': 'Idle'}
sentence[names[bound]] = share
for item, value in sentence.items():
    assert abs(float(value) - float(shares['Free' if item == 'Idle' else item][0])) < 0.0551, (item, value, shares)
groups = [re.search(r'median ([0-9.]+) us.*p95 ([0-9.]+) us', value).groups() for item, value in rows
          if item.split(',')[0] == 'Step time']
if groups:
    times = re.search(r'Step time([0-9.]+) us.*?95th percentile ([0-9.]+) us', told).groups()
    assert times in groups, (told, groups)
    steps = [(float(step['Median(us)']), float(step['P95(us)'])) for step in csv.DictReader(open('steps.csv'))]
    assert tuple(map(float, times)) in steps, (steps, times)
else:
    assert '$capture' == 'PROF_2' and 'Step timenot known' in told, told
fps = [value for item, value in rows if item.split(',')[0] == 'Fps']
assert ('Fps ' in told) == bool(fps) and (not fps or re.search('Fps ([0-9.]+)', told).group(1) in fps), (told, fps)
PY
    done
}

@test "what bounds a capture is the largest part of the time: idle, copies, exposed communication" {
    local bound
    while IFS='|' read -r bound planted; do
        program <<<"$planted"
        expect_contains "$(page part c1-summary)" "Bound by $bound: "
    done <<'END'
idle time|for i in range(9): p.op('a', us=10, gap=40)
exposed communication|for i in range(9): p.op('a', us=10); p.communicate(us=90)
computing|for i in range(9): p.op('a', us=90, gap=10)
END
}

@test "the three findings that weigh most are in the summary, and lead to the others, with the command that prints them" {
    copy_capture JOBX
    report JOBX
    python3 - <<PY
import json, re, subprocess
page = open('page.html').read()
told = json.loads(subprocess.run(["$MSPROF", 'advise', 'JOBX', '--format', 'json'], stdout=subprocess.PIPE).stdout)
ids = [finding['id'] for finding in told['findings']]
assert len(ids) > 3
assert re.findall('href="#c1-finding-([a-z-]+)"', page) == ids[:3]
assert re.findall('id="c1-finding-([a-z-]+)"', page) == ids
assert 'And %d more below.' % (len(ids) - 3) in page
assert '>msprof advise -- JOBX</code>' in page
PY
}

@test "the command of a page is one for a shell whatever the capture is called, and without the name when names are redacted" {
    local name="-JOB'; touch gone; \$(touch gone)"
    copy_capture JOBX
    mv JOBX "./$name"
    report "./$name"
    python3 -c 'import html, re; print(html.unescape("\n".join(re.findall("class=\"command\">(.*?)</code>", open("page.html").read(), re.S))))' >typed.sh
    expect_equal "$(wc -l <typed.sh)" 4 # of three findings, and of all
    PATH=$(dirname "$MSPROF"):$PATH bash -e ./typed.sh >found
    expect_contains "$(<found)" "findings"
    expect_contains "$(<found)" "Share(%)"
    [ ! -e gone ]
    report "./$name" --redact
    expect_contains "$(<page.html)" ">msprof advise CAPTURE</code>"
    expect_contains "$(<page.html)" ">msprof show --table ops CAPTURE</code>"
}

@test "a capture with damage has its losses first, one without has them at the end, folded, and a line in the summary" {
    copy_family prof-910b PROF_1
    report PROF_1
    expect_equal "$(grep -o '<details><summary>[A-Za-z]*' page.html | sort)" \
        '<details><summary>CANN
<details><summary>Nothing
<details><summary>Records' # the capture, its losses, and what the page has nothing of
    [[ $(grep -o 'href="#c1-[a-z]*"' page.html | head -1) == *summary* ]]
    expect_contains "$(page part c1-summary)" "0 rejected."
    find PROF_1/ -name '*.slice_*' -size +100c ! -name '*.done' -exec truncate -s -7 {} +
    report PROF_1
    [[ $(grep -o 'href="#c1-[a-z]*"' page.html | head -1) == *losses* ]]
    expect_contains "$(<page.html)" "Missing: "
    expect_not_contains "$(<page.html)" "<summary>Records" # losses are open
}

@test "records out of order are no loss: losses are folded behind the summary, and neither the page nor advise calls anything missing" {
    capture <<'END'
for task, start in ((2, 200000), (1, 100000)):
    p.launch(start - 50000, 1, task, 'Slow')
    p.ran(start, start + 10000, 1, task)
END
    expect_status 3
    report PROF_1
    expect_contains "$(page table 'Problems of the data')" record-order
    [[ $(grep -o 'href="#c1-[a-z]*"' page.html | head -1) == *summary* ]]
    grep -q '<summary>Records' page.html
    expect_not_contains "$(<page.html)" "Missing: "
    run_msprof advise PROF_1
    expect_not_contains "$output" "Missing"
}

@test "with --diff the first screen has the verdict of msprof diff, the medians of both sides and what the verdict rests on" {
    local us verdict
    for us in 100 180; do
        program <<PY
for step in range(9):
    p.begin_step()
    p.op('a/conv', 'Conv2D', $us)
    p.op('b/mm', 'MatMul', 200, gap=30)
    p.end_step()
PY
        mv PROF_1 "PROF_$us"
    done
    for us in 100 180; do
        run_msprof -q diff PROF_100 "PROF_$us" --format json
        verdict=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["verdict"])' <<<"$output")
        report "PROF_$us" --diff PROF_100
        expect_contains "$(page part c1-summary)" "Verdict: $verdict."
        expect_contains "$(page part c1-summary)" "A step took 330"
        expect_contains "$(page part c1-summary)" "noise between runs was not measured; 1.0 % is assumed."
    done
    expect_equal "$verdict" regression
    expect_contains "$(page part c1-summary)" "and takes 410"
    expect_contains "$(page part c1-summary)" "Slower: "
    # the picture of steps has the base's median beside its own
    python3 - <<PY
import re, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
lines = {attrs['class']: float(attrs['y1']) for part, tag, attrs in told.shapes
         if part == 'c1-steps' and tag == 'line' and attrs['class'] in ('median', 'base')}
own, base = re.search('the median, ([0-9.]+) us; the dotted one that of the base, ([0-9.]+) us', told.parts['c1-steps']).groups()
assert abs((180 - lines['base']) / (180 - lines['median']) - float(base) / float(own)) < 0.002, (lines, own, base)
assert 70 < float(own) - float(base) < 90, (own, base)
PY
    report PROF_180
    expect_not_contains "$(page part c1-summary)" "Verdict"
}
