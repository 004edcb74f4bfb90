#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Pictures of the page that msprof report writes, and the tables that have their numbers.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load common
load ../page/page

@test "memory that operators held is the sum of the pieces alive, and its peak that of who held it" {
    program <<'PY'
import random
chance = random.Random(5)
planted, held, at = open('planted', 'w'), {}, 2000000
p.op('alone', us=10)
p.prof.memory(at - 500, 'before', 0x77, -4096)  # got before the recording
for i in range(400):
    at += chance.choice((0, 100, 700))
    if held and chance.random() < 0.45:
        address = chance.choice(sorted(held))
        name, size = held.pop(address)
        p.prof.memory(at, name, address, -size)
        planted.write('%d %s %d\n' % (at, name, -size))
    else:
        address, name, size = 0x1000 * (i + 1), 'op%d' % chance.randrange(7), 512 * chance.randrange(1, 4000)
        held[address] = name, size
        p.prof.memory(at, name, address, size)
        planted.write('%d %s %d\n' % (at, name, size))
planted.close()
PY
    same_table PROF_1 memory_peak 'Who held device memory at the peak'
    mv told peak
    same_table PROF_1 memory_curve 'Device memory over time'
    python3 - <<PY
import collections, csv, re, sys
sys.path.insert(0, "$repository/tests/lib")
import page
changes = [line.split() for line in open('planted')]
curve, now, pieces = {}, collections.Counter(), 0
peak, holders = 0, None
times = sorted({int(time) for time, _, _ in changes})
for time in times:
    for at, name, size in changes:
        if int(at) == time:
            now[name] += int(size)
            pieces += 1 if int(size) > 0 else -1
    curve[time] = sum(now.values()), pieces
    if curve[time][0] > peak:
        peak, holders = curve[time][0], {name: size for name, size in now.items() if size}
rows = list(csv.reader(open('told')))[1:]
ns = lambda text: int(text.replace('.', ''))
base = ns(rows[0][0]) - times[0]
assert [(ns(row[0]) - base, round(float(row[1]) * 1024), int(row[2])) for row in rows] == [(t, *curve[t]) for t in times]
told = {row[-1]: round(float(row[1]) * 1024) for row in list(csv.reader(open('peak')))[1:]}
assert told == holders and sum(told.values()) == peak, (told, holders)
# the curve is drawn as high as its peak, and each of its steps is in the drawing where it is the highest of its bin
drawn = [attrs['d'] for part, tag, attrs in page.Page('page.html').shapes if part == 'c1-memory' and tag == 'path']
assert len(drawn) == 1
heights = [(180 - float(y)) / 180 * peak for y, _ in re.findall(r'V([0-9.]+)H([0-9.]+)', drawn[0])]
assert max(heights) == peak and all(0 <= height <= peak for height in heights)
PY
}

@test "memory of MindSpore and PyTorch is the sum of the pieces of their own operator_memory.csv" {
    for framework in ms pt; do
        rm -rf run_ascend_$framework
        cp -R "$repository/testdata/frameworks/run_ascend_$framework" .
        chmod -R u+w run_ascend_$framework
        run_msprof -q analyse run_ascend_$framework
        [ "$status" -eq 0 ] || expect_status 3
        report run_ascend_$framework
        run_msprof -q show run_ascend_$framework --table memory_curve --format csv --top 1000
        cp "$BATS_TEST_TMPDIR/stdout" told
        run_msprof -q show run_ascend_$framework --table operator_memory --format csv --top 1000
        python3 /dev/fd/9 run_ascend_$framework <<<"$output" 9<<'PY'
import collections, csv, glob, sys
changes = collections.Counter()
def take(size, got, gave):
    changes[round(got, 1)] += size
    if gave is not None:
        changes[round(gave, 1)] -= size
for row in csv.DictReader(open(glob.glob(sys.argv[1] + '/ASCEND_PROFILER_OUTPUT/operator_memory.csv')[0])):
    gave = row['Release Time(us)'].strip()
    if gave == row['Allocation Time(us)'].strip():  # never, of the engine's
        gave = ''
    take(round(float(row['Size(KB)']) * 1024), float(row['Allocation Time(us)']), float(gave) if gave not in ('', 'N/A') else None)
if sys.argv[1].endswith('ms'):  # PyTorch's table has those of the capture's engine, too
    for row in csv.DictReader(sys.stdin):
        got, lasted = float(row['Allocation Time(us)']), float(row['Duration(us)'])
        take(round(float(row['Size(KB)']) * 1024), got, got + lasted if lasted else None)
held, curve = 0, []
for time in sorted(changes):
    held += changes[time]
    curve.append((time, held))
told = [(float(row[0]), round(float(row[1]) * 1024)) for row in list(csv.reader(open('told')))[1:]]
assert [size for _, size in told] == [size for _, size in curve] and len(curve) > 5, (told, curve)
assert all(abs(a[0] - b[0]) < 0.6 for a, b in zip(told, curve))  # doubles of such times are 0.25 us apart
PY
    done
}

@test "the path of a step is what it waited for, one after the other, and adds up to the step" {
    program <<'PY'
for step in range(9):
    p.late()
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100)
    p.op('b/side', 'Cast', 20, gap=-60, core=VECTOR, stream=3)  # beside it: has slack
    p.at += 40000
    p.op('c/after', 'MatMul', 200)                              # its stream waited for a/conv
    p.call('aclrtSynchronizeStream', p.at - 50000, p.at + 2000)
    p.host = p.at + 30000                                       # and the host, before the next launch
    p.op('d/late', 'MatMul', 50, gap=40)
    p.at += 1000 * (step % 3)
    p.end_step()
PY
    same_table PROF_1 path 'Critical path of the steps by operator'
    mv told all
    same_table PROF_1 path_step 'Critical path of one step'
    run_msprof -q show PROF_1 --table overlap --format csv
    python3 /dev/fd/9 <<<"$output" 9<<PY
import csv, sys
sys.path.insert(0, "$repository/tests/lib")
import page
ns = lambda text: round(float(text) * 1000)
steps = [ns(r['Time(us)' if r['Period(us)'] == 'N/A' else 'Period(us)']) for r in csv.DictReader(sys.stdin)]
rows = list(csv.DictReader(open('all')))
cost = sum(ns(r['On path(us)']) + ns(r['Waits(us)']) for r in rows)
assert 0 < cost <= sum(steps), (cost, steps)
by_name = {r['Name']: r for r in rows}
for name, us in (('a/conv', 100), ('c/after', 200), ('d/late', 50)):
    assert ns(by_name[name]['On path(us)']) == 9 * us * 1000 and by_name[name]['Count on path'] == by_name[name]['Count'] == '9'
side = by_name['b/side']
assert side['Count on path'] == '0' and ns(side['Slack(us)']) == 330000, side  # nothing waited for it: to the end of d/late
one = list(csv.DictReader(open('told')))
step = steps[int(one[0]['Step']) - 1]
assert sum(ns(r['Wait(us)']) + (ns(r['Time(us)']) if r['Time(us)'] != 'N/A' else 0) for r in one) == step, one
kinds = [(r['Name'], r['After']) for r in one]
device = [kind for kind in kinds if kind[0].startswith(('a', 'c/', 'd/')) and '/' in kind[0]]
assert device[-2:] == [('c/after', 'stream'), ('d/late', 'launch')], kinds
assert ('aclrtSynchronizeStream', 'task') in kinds, kinds
begins = [float(r['Start(us)']) for r in one]
assert begins == sorted(begins)
median = sorted(steps)[len(steps) // 2]
assert min(abs(s - median) for s in steps) == abs(step - median)
# the drawing has the path in one colour, as long as the table says
told = page.Page('page.html')
critical = [a for part, tag, a in told.shapes if part == 'c1-path' and a.get('class') == 'critical' and float(a.get('height', 0)) == 18]
drawn = sum(float(a['width']) for a in critical if float(a['width']) > 1)
assert abs(drawn / 1000 * step - 350000) < step * 0.01, (drawn, step)
# and tells what each stretch is, of several nearby the longest
path = [(r['Name'], r['Time(us)']) for r in one if r['Kind'] == 'device']
for a in critical:
    if float(a['width']) <= 1:
        continue
    said = a['title'].split(', the longest of ')
    its, path = path[:int((said + ['1'])[1])], path[int((said + ['1'])[1]):]
    name, time = max(its, key=lambda it: float(it[1]))
    assert said[0] == '%s: %.3f us' % (name, float(time)), (a['title'], its)
assert path == [], path
PY
}

@test "a product of matrices stands under the roofs that the user tells, and under no other" {
    program <<'PY'
for name, us, (m, k, n) in (('wide', 100, (512, 256, 1024)), ('thin', 20, (8, 4096, 64))):
    p.op(name, 'MatMul', us)
    p.prof.tensors(p.host - 20, name, [(place, 2, 1, shape) for place, shape in ((0, (m, k)), (0, (k, n)), (1, (m, n)))])
PY
    expect_contains "$(page part c1-limits)" "The compute roof is unknown: pass it with --peak-flops."
    expect_contains "$(page part c1-limits)" "The memory roof is unknown: pass it with --peak-bandwidth."
    run_msprof -q report PROF_1 -o page.html --peak-flops 4.5 --peak-bandwidth 100
    page
    expect_contains "$(page part c1-limits)" "Roof of work: 4500 GFLOP/s, --peak-flops."
    expect_contains "$(page part c1-limits)" "Roof of memory: 100 GB/s, --peak-bandwidth."
    run_msprof -q show PROF_1 --table roofline --peak-flops 4.5 --peak-bandwidth 100 --format csv
    diff <(tr -d '\t"' <<<"$output") <(page table 'Products of matrices by work and data' | tr -d '"')
    python3 /dev/fd/9 <<<"$output" 9<<PY
import csv, math, sys
sys.path.insert(0, "$repository/tests/lib")
import page
rows = {row['Input Shapes']: row for row in csv.DictReader(sys.stdin)}
points = []
for us, m, k, n in ((100, 512, 256, 1024), (20, 8, 4096, 64)):
    flop, data = 2 * m * k * n, 2 * (m * k + k * n + m * n)
    roofs = {'work': 4.5e12, 'memory': 100e9 * flop / data}
    row = rows['%d,%d;%d,%d' % (m, k, k, n)]
    roof = min(roofs, key=roofs.get)
    assert row['Roof'] == roof and abs(float(row['Roof share(%)']) - 100 * flop / (us * 1e-6) / roofs[roof]) < 0.006, row
    points.append((flop / data, flop / us / 1e3))
assert {row['Roof'] for row in rows.values()} == {'work', 'memory'}
# dots and roofs stand at the logarithms of their numbers: the scale is read off the labels
told = [(tag, a) for part, tag, a in page.Page('page.html').shapes if part == 'c1-limits']
dots = sorted((float(a['cx']), float(a['cy'])) for tag, a in told if tag == 'circle')
points.sort()
x_decade = (dots[1][0] - dots[0][0]) / math.log10(points[1][0] / points[0][0])
y_decade = (dots[0][1] - dots[1][1]) / math.log10(points[1][1] / points[0][1])
work, memory = sorted((a for tag, a in told if a.get('class') == 'roof'), key=lambda a: a['y1'] != a['y2'])
at = lambda value: dots[0][1] - y_decade * math.log10(value / points[0][1])
assert abs(float(work['y1']) - at(4500)) < 0.2 and abs(float(memory['y2']) - at(4500)) < 0.2
assert abs(float(memory['x2']) - (dots[0][0] + x_decade * math.log10(45 / points[0][0]))) < 0.2  # where the roofs meet
PY
    for bad in 0 x 1e3 -1; do
        run_msprof -q show PROF_1 --table roofline --peak-flops "$bad"
        expect_status 2
    done
    expect_contains "$stderr" "expected TFLOP/s from 0.001 to 100000"
}

@test "operators of a board stand under its clock by the cycles of the MACs and the bytes of DDR that were measured" {
    copy_capture JOBX
    report JOBX
    run_msprof -q show JOBX --table roofline --format csv --peak-bandwidth 12.8
    python3 /dev/fd/9 <<<"$output" 9<<'PY'
import collections, csv, sqlite3, sys
db = sqlite3.connect('JOBX/sqlite/runtime.db')
names, tasks = {}, collections.defaultdict(list)
for model, task, text in db.execute("SELECT model_name, task_id, layer_names FROM layer_group WHERE engine = 'AI_CORE'"):
    names[model, task] = text
khz = set()
for model, task, *numbers, frequency in db.execute('SELECT i.model_name, t.task_id, t.duration_ns, t.mac_busy_cycle,'
        ' t.ddr_read_bytes + t.ddr_write_bytes, i.core_khz FROM ai_core_task t JOIN inference i USING (inference_id)'):
    tasks[names.get((model, task), 'task %d' % task)].append(numbers)
    khz.add(frequency)
khz, = khz
rows = list(csv.DictReader(sys.stdin))
assert len(rows) > 10
for row in rows:
    runs = tasks[row['Name']]
    ns, cycles, data = (sum(run[i] for run in runs) for i in range(3))
    for title, value in (('Total(us)', ns / 1e3), ('Count', len(runs)), ('Work(Mcycle)', cycles / len(runs) / 1e6),
                         ('Data(KiB)', data / len(runs) / 1024), ('Intensity(cycle/B)', cycles / data),
                         ('Throughput(Gcycle/s)', cycles / ns), ('Traffic(GB/s)', data / ns)):
        assert abs(float(row[title]) - value) <= 0.0011 + value * 2e-3, (row, title, value)
    memory = 12.8 * cycles / data
    assert row['Roof'] == ('memory' if memory < khz / 1e6 else 'work')
    assert abs(float(row['Roof share(%)']) - 100 * cycles / ns / min(memory, khz / 1e6)) < 0.5, row
PY
    expect_contains "$(page part c1-limits)" "the clock of the cores"
}

@test "stacks of a framework are boxes above those of what they launched, and the sums of export flame" {
    cp -R "$repository/testdata/frameworks/run_ascend_pt" .
    chmod -R u+w run_ascend_pt
    report run_ascend_pt
    run_msprof -q export flame run_ascend_pt --output out
    expect_status 0
    cat "$(find out -name '*.collapsed')" >collapsed
    same_table run_ascend_pt layers 'Layers by time'
    python3 - <<PY
import collections, csv, re, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
totals, selves = collections.Counter(), collections.Counter()
for line in open('collapsed'):
    stack, time = line.rstrip('\n').rsplit(' ', 1)
    frames = tuple(re.sub('^(ProfilerStep#)[0-9]+$', r'\1*', frame) for frame in stack.split(';')) # which the page has together
    selves[frames] += int(time)
    for depth in range(len(frames)):
        totals[frames[:depth + 1]] += int(time)
stack, seen, children = [], {}, collections.Counter()
ns = lambda text: round(float(text) * 1000)
for name, depth, share, total, own in told.table('Stacks as a tree').rows:
    stack[int(depth) - 1:] = [name]
    key = tuple(stack)
    seen[key] = ns(total), ns(own)
    children[key[:-1]] += ns(total)
assert len(seen) == len(totals) > 20
assert all(seen[key] == (totals[key], selves[key]) for key in totals)
assert all(seen[key][0] >= children[key] for key in seen)
boxes = [a for part, tag, a in told.shapes if part == 'c1-layers' and a.get('class') == 'frame']
level = [sum(float(a['width']) for a in boxes if a['y'] == y) for y in ('0', '20', '40')]
assert abs(level[0] - 1000) < 0.5 and level[0] + 0.1 >= level[1] >= level[2] - 0.1, level
# layers: what stands in front of the last slash of an operator's name
layers = {row['Layer']: row for row in csv.DictReader(open('told'))}
operators = told.table('Operators by time')
total, name = operators.heads.index('Total(us)'), operators.heads.index('Name')
assert sum(ns(row['Total(us)']) for row in layers.values()) == sum(ns(row[total]) for row in operators.rows)
for layer in ('Default/network/layer3', 'Default/network/layer0'):
    its = [row for row in operators.rows if re.fullmatch(re.escape(layer) + '/[^/]*', row[name])]
    assert ns(layers[layer]['Total(us)']) == sum(ns(row[total]) for row in its) > 0
PY
}

@test "with --diff the page tells what changed, as diff does" {
    for side in base new; do
        rm -rf PROF_1
        program <<PY
p.sigma = 0.01
p.slower = {'b/mm': 1.5} if '$side' == 'new' else {}
for step in range(30):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100)
    p.op('b/mm', 'MatMul', 200)
    p.end_step()
PY
        mv PROF_1 PROF_$side
    done
    report PROF_new --diff PROF_base
    mv page.html capture.html
    run_msprof -q diff --save base.json --base PROF_base
    report PROF_new --diff base.json
    [ "$(page table 'Operators by the change of a step'\''s time')" = "$(mv capture.html page.html && page table 'Operators by the change of a step'\''s time')" ]
    run_msprof -q diff PROF_base PROF_new --format json
    python3 - "$BATS_TEST_TMPDIR/stdout" <<PY
import json, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
diff = json.load(open(sys.argv[1]))
rows = [row for row in diff['rows'] if row['n_base'] or row['n_new']]
table = told.table("Operators by the change of a step's time").rows
assert len(table) == len(rows) + 1 == 3  # the last one is the rest
for told_row, row in zip(table, rows):
    assert told_row[0] == row['key'] and told_row[8] == row['verdict']
    for cell, key in ((2, 'total_step_base'), (3, 'total_step_new'), (4, 'median_base'), (5, 'median_new')):
        assert abs(float(told_row[cell]) - row[key]) < 0.001, (told_row, row)
    assert (int(told_row[6]), int(told_row[7])) == (row['n_base'], row['n_new'])
assert table[0][0] == 'b/mm' and table[0][8] == 'regression'
assert 'Verdict: %s.' % diff['verdict'] in told.parts['c1-changes']
PY
    run_msprof -q report PROF_new --diff nowhere -o missing.html
    [ "$status" -ne 0 ]
    expect_contains "$stderr" "nowhere"
    [ ! -e missing.html ]
}

@test "the ranks of a job are a page: waiting, transmitting and links are the sums of their collectives" {
    build=$(dirname "$(readlink -f "$MSPROF")")
    "$build/make-ranks" --output RUN --slow-rank 5 --slow-link 2 --seed 3
    python3 - <<'PY' # a pair of ranks has two transports: of one step it says the other
import glob, json
for path in glob.glob('RUN/**/communication_matrix.json', recursive=True):
    matrix = json.load(open(path))
    step = matrix[max(matrix)]
    for entries in step.values():
        for pairs in entries.values():
            if '0-1' in pairs:
                pairs['0-1']['Transport Type'] = 'SIO'
    json.dump(matrix, open(path, 'w'))
PY
    run_msprof -q cluster RUN
    expect_status 0
    for directory in RUN RUN/cluster_analysis_output; do
        report "$directory"
        python3 - <<PY
import collections, csv, json, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
out = 'RUN/cluster_analysis_output/'
wait, transit, elapsed, links, sizes = (collections.Counter() for _ in range(5))
for steps in json.load(open(out + 'cluster_communication.json')).values():
    for operators in steps.values():
        for name, ranks in operators.items():
            if name.startswith('Total Op Info'):
                continue  # they are added up here
            for rank, info in ranks.items():
                wait[rank] += info['Communication Time Info']['Wait Time(ms)']
                transit[rank] += info['Communication Time Info']['Transit Time(ms)']
                elapsed[rank] += info['Communication Time Info']['Elapse Time(ms)']
rows = told.table('Waiting and transmitting by rank').rows
assert [row[0] for row in rows] == sorted(wait, key=int) and len(rows) == 8
rest = {r: max(elapsed[r] - wait[r] - transit[r], 0) for r in wait}
for r, *told_ms in rows:
    assert all(abs(float(a) - b) < 1e-4 for a, b in zip(told_ms, (wait[r], transit[r], rest[r], elapsed[r]))), (r, told_ms)
for steps in json.load(open(out + 'cluster_communication_matrix.json')).values():
    for operators in steps.values():
        for name, pairs in operators.items():
            for pair, info in pairs.items():
                source, target = pair.split('-')
                if '-total@' in name and source != target:
                    links[source, target, info['Transport Type']] += info['Transit Time(ms)']
                    sizes[source, target] += info['Transit Size(MB)']
rows = told.table('Links by time').rows
assert len(rows) == len(links) and rows[0][:2] == ['2', '3'] and {('0', '1', 'HCCS'), ('0', '1', 'SIO')} < links.keys()
assert all(abs(float(ms) - links[a, b, way]) < 1e-5 for a, b, way, ms, *_ in rows), (rows, links)
table = list(csv.DictReader(open(out + 'slow_links.csv')))
assert sorted(row[:3] + [float(row[6]), row[7]] for row in rows) == sorted(
    [row['Source Rank'], row['Target Rank'], row['Transport Type'], float(row['Below Median(%)']), row['Slow']] for row in table)
# bars and cells of the map are as long, and as dark
bars = [a for part, tag, a in told.shapes if part == 'waiting' and tag == 'rect' and a['class'] == 'waiting' and 'x' in a]
most = max(wait[r] + transit[r] + rest[r] for r in wait)
assert all(abs(float(a['height']) - 180 * wait[str(i)] / most) < 0.02 for i, a in enumerate(bars)) and len(bars) == 8
pairs = collections.Counter()
for (source, target, _), ms in links.items():
    pairs[source, target] += ms
judged = {(row['Source Rank'], row['Target Rank']) for row in table if row['Below Median(%)'] != 'N/A'}
page.check_map(told, {pair: (ms, sizes[pair], pair in judged) for pair, ms in pairs.items()}, 1)
strongest = max((a for part, tag, a in told.shapes if a.get('class') == 'heat'), key=lambda a: float(a['fill-opacity']))
assert strongest['title'].startswith('rank 2 to rank 3: ') and ', HCCS' in strongest['title'], strongest
assert told.table('Who kept the others waiting').rows[0][0] == '5'
others = 100 * sum(ms for r, ms in wait.items() if r != '5') / sum(ms for r, ms in elapsed.items() if r != '5')
assert told.exact['summary'] == ('SummaryRank 5 is late in 4 of 4 steps: it came last in 80 of its 80 collectives, and the others '
                                 'waited 19213.675 us for it. The other ranks wait %.1f %% of their communication.' % others), told.exact
PY
    done
    run_msprof -q report RUN --redact -o page.html
    page
    expect_contains "$(page table 'Who kept the others waiting')" "5,80,80,"
    expect_not_contains "$(page part late)" hcom_
    # a map of more than 64 ranks is of groups of them
    "$build/make-ranks" --output MANY --ranks 130 --aggregates
    run_msprof -q cluster MANY
    expect_status 0
    report MANY
    expect_contains "$(page part links)" "A cell is of 3 ranks that follow each other."
    python3 - <<PY
import collections, csv, json, sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page('page.html')
links, sizes = collections.Counter(), collections.Counter()
for steps in json.load(open('MANY/cluster_analysis_output/cluster_communication_matrix.json')).values():
    for operators in steps.values():
        for name, pairs in operators.items():
            for pair, info in pairs.items():
                if '-total@' in name and len(set(pair.split('-'))) == 2:
                    links[tuple(pair.split('-'))] += info['Transit Time(ms)']
                    sizes[tuple(pair.split('-'))] += info['Transit Size(MB)']
with open('MANY/cluster_analysis_output/slow_links.csv') as stream:
    judged = {(row['Source Rank'], row['Target Rank']) for row in csv.DictReader(stream) if row['Below Median(%)'] != 'N/A'}
page.check_map(told, {pair: (ms, sizes[pair], pair in judged) for pair, ms in links.items()}, 3)
# a bar is the mean of its ranks
rows = [list(map(float, row[1:4])) for row in told.table('Waiting and transmitting by rank').rows]
assert len(rows) == 130
bars = [a for part, tag, a in told.shapes if part == 'waiting' and tag == 'rect' and 'x' in a]
most = max(map(sum, rows))
for i in range(44):
    its = rows[3 * i:3 * i + 3]
    for bar, mean in zip(bars[3 * i:3 * i + 3], (sum(row[k] for row in its) for k in (1, 0, 2))):
        assert abs(float(bar['height']) - 180 * mean / len(its) / most) < 0.02, (i, bar, mean)
assert len(bars) == 3 * 44
PY
}

@test "a page about a job refuses each option that only captures have a use for" {
    build=$(dirname "$(readlink -f "$MSPROF")")
    "$build/make-ranks" --output RUN
    run_msprof -q cluster RUN
    expect_status 0
    for option in "--diff nowhere" "--step-range foo" "--peak-flops 3" "--peak-bandwidth 3" "--results there" "--freq-mhz 5" \
        "--layout nowhere" "--database plain" "--print all"; do
        # shellcheck disable=SC2086 # two words
        run_msprof report RUN -o page.html $option
        expect_status 2
        expect_contains "$stderr" "but ${option% *} needs a capture"
        [ ! -e page.html ]
    done
}

@test "without a host, with one task, and where everything overlaps, pictures are whole pages or say what lacks" {
    program <<'PY'
p.begin_step()
for i in range(40):  # all at one time, on streams of their own
    p.op('op %d' % i, 'MatMul', 100, gap=-100 if i else 0, stream=i + 1)
p.end_step()
PY
    run_msprof -q show PROF_1 --table path_step --format csv
    python3 /dev/fd/9 <<<"$output" 9<<'PY'
import csv, sys
rows = list(csv.DictReader(sys.stdin))
ns = lambda text: round(float(text) * 1000) if text != 'N/A' else 0
assert [ns(row['Time(us)']) for row in rows if row['Kind'] == 'device'] == [100000], rows
assert sum(ns(row['Time(us)']) + ns(row['Wait(us)']) for row in rows) == 100000
PY
    rm -rf PROF_1/host
    rm -rf PROF_1/sqlite
    run_msprof -q report PROF_1 -o page.html
    [ "$status" -eq 0 ] || expect_status 3
    page
    program <<'PY'
p.op('alone', us=10)
p.prof.memory(p.at, 'alone', 0x1000, 4096)
PY
    expect_contains "$(page table 'Who held device memory at the peak')" "alone,100,4,1,"
    expect_contains "$(page part c1-lacking)" "Table 'path' needs steps"
    copy_capture JOBX
    report JOBX
    expect_contains "$(page part c1-lacking)" "Captures of this family have no table 'memory_peak'."
}

@test "names of the pictures are texts whatever is in them, and hashes with --redact" {
    program <<'PY'
hostile = ('</script><script>alert(1)</script>', ']]></svg><img src=x>', 'a\u2028b', 'x' * 65536, '" onload="x')
for step in range(3):
    p.begin_step()
    for i, name in enumerate(hostile):
        p.op(name, 'MatMul', us=100)
        p.prof.tensors(p.host - 20, name, [(place, 2, 1, (64, 64)) for place in (0, 0, 1)])
        p.prof.memory(p.at, name, 0x1000 * (i + 1) + step, 4096 << i)
    p.end_step()
PY
    expect_not_contains "$(<page.html)" "<script>alert"
    expect_not_contains "$(<page.html)" "<img"
    expect_contains "$(page table 'Critical path of one step')" "</script><script>alert(1)</script>"
    run_msprof -q report PROF_1 --redact -o page.html
    page
    for part in memory layers path limits; do
        for name in onload alert ']]' xxxx; do
            expect_not_contains "$(page part c1-$part)" "$name"
        done
    done
    expect_contains "$(page table 'Who held device memory at the peak')" "name-$(printf '</script><script>alert(1)</script>' | sha256sum | cut -c 1-10)"
    expect_contains "$(page table 'Critical path of one step')" ",stream,"
}
