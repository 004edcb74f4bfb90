#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Stacks that msprof export flame writes, against what plain Python makes of the database.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common
load ../page/page

# Python with the stacks of the file that is named and of the database recalculated.
check() {
    {
        printf 'import sys\nsys.path.insert(0, "%s")\nimport flame\n' "$repository/tests/lib"
        cat
    } >check.py
    python3 check.py
}

@test "stacks of calls and operators have the times and the counts that the rows of the database add up to" {
    for family in prof-910b prof-910a 2022-910a 2022-310; do
        copy_family "$family" PROF_1
        # clocks whose ticks are no whole nanoseconds
        sed -i 's/"Frequency": *"[0-9.]*"/"Frequency":"47.999001"/' PROF_1/host/info.json 2>/dev/null || true
        sed -i 's/"hwts_frequency": *"50[0.]*"/"hwts_frequency":"49.999001"/' PROF_1/device_0/info.json.0
        for weight in device host count; do
            run_msprof export flame PROF_1 --weight "$weight"
            [ "$status" -eq 0 ] || expect_status 3
            [ -f "PROF_1/flame/flame_$weight.collapsed" ]
        done
        check <<'PY'
rows = flame.Ascend('PROF_1/sqlite/runtime.db')
for weight, wanted in ('device', rows.device()), ('count', rows.device(count=True)), ('host', rows.host()):
    assert flame.read('PROF_1/flame/flame_%s.collapsed' % weight) == wanted, weight
    assert len(wanted) > 3
PY
    done
}

@test "copies, communication without running numbers, and operators that nobody launched have their stacks" {
    make_program <<'PY'
for step in range(3):
    p.op('a/conv', 'Conv2D', 100)
    p.op('b/where', 'Where', 30, core=AI_CPU)
    p.communicate('hcom_allReduce__010_%d_1' % step, us=60)
    p.copy(us=15)
p.prof.ran(p.at + 1000, p.at + 41000, 4, 900)
p.call('aclrtSynchronizeStream', 5000000, 5004000)
p.call('aclrtSynchronizeStream', 5004000, 5010000)
PY
    run_msprof -q export flame PROF_1
    expect_status 0
    run_msprof -q export flame PROF_1 --weight host
    expect_status 0
    check <<'PY'
rows = flame.Ascend('PROF_1/sqlite/runtime.db')
device = flame.read('PROF_1/flame/flame_device.collapsed')
assert device == rows.device()
by_name = {}
for stack, weight in device.items():
    by_name[stack[-1]] = by_name.get(stack[-1], 0) + weight
assert by_name['a/conv'] == 300000 and by_name['b/where'] == 90000 and by_name['copy host to device'] == 45000, by_name
assert sum(weight for name, weight in by_name.items() if name.startswith('hcom')) == 180000
host = flame.read('PROF_1/flame/flame_host.collapsed')
assert host == rows.host()
assert host[('aclrtSynchronizeStream',)] == 10000
PY
}

@test "ranges that the program marked stand around the calls of their thread" {
    make_program <<'PY'
from prof_tx import TxProf
p.prof = TxProf('PROF_1')
for step in range(3):
    first = p.host
    p.op('a/conv', 'Conv2D', 100)
    p.prof.tx(first - 2, p.host - 5, 'forward', event=2)
    half = p.host
    p.op('a/conv', 'Conv2D', 10)
    p.prof.tx(half - 1, p.host - 7, 'backward', event=2)
    p.prof.tx(first - 4, p.host - 5, 'step; all', event=2)
    p.prof.tx(first - 4, p.host - 5, 'of another thread', event=2, thread=9)
    p.prof.tx(first, first, 'mark', event=3)
p.op('b/last', 'Add', 7)
PY
    for weight in device count host; do
        run_msprof -q export flame PROF_1 --weight "$weight"
        expect_status 0
    done
    check <<'PY'
device, count, host = (flame.read('PROF_1/flame/flame_%s.collapsed' % weight) for weight in ('device', 'count', 'host'))
calls = max(device, key=len)[2:-1]
assert device == {('step: all', 'forward') + calls + ('a/conv',): 300000, ('step: all', 'backward') + calls + ('a/conv',): 30000,
                  calls + ('b/last',): 7000}, device
assert sorted(count.values()) == [1, 3, 3] and count.keys() == device.keys(), count
# a call of 100 ns each, of which 40 ns are the one inside of it; ranges are 107, 104 and 219 ns long
assert host[('of another thread',)] == 3 * 219
assert host[('step: all',)] == 3 * (219 - 107 - 104), host
assert host[('step: all', 'forward')] == 3 * 7 and host[('step: all', 'backward')] == 3 * 4, host
assert sum(host.values()) == 3 * 219 * 2 + 100 and len(calls) == 2, host
PY
}

@test "the sum of a flame is that of the table of operators, of every family" {
    for capture in "$repository"/testdata/{small,resnet50}/JOB* "$repository"/testdata/cann/{prof,2022,job}*/[JP]*; do
        [ -d "$capture" ] || continue
        rm -rf CAPTURE
        cp -R "$capture" CAPTURE
        chmod -R u+w CAPTURE
        run_msprof -q export flame CAPTURE
        [ "$status" -eq 0 ] || expect_status 3
        run_msprof -q export flame CAPTURE --weight count
        run_msprof -q show CAPTURE --table ops --format csv
        check <<PY
import collections
import csv
device, count = (flame.read('CAPTURE/flame/flame_%s.collapsed' % weight) for weight in ('device', 'count'))
times, counts, rows = {}, {}, collections.Counter()
for row in csv.DictReader(open("$BATS_TEST_TMPDIR/stdout")):
    times[row['Name']] = times.get(row['Name'], 0) + round(float(row['Total(us)']) * 1000)
    counts[row['Name']] = counts.get(row['Name'], 0) + int(row['Count'])
    rows[flame.plain(row['Name'])] += 1
for stacks, wanted in (device, times), (count, counts):
    found = {}
    for stack, weight in stacks.items():
        found[stack[-1]] = found.get(stack[-1], 0) + weight
    wanted = {flame.plain(name): weight for name, weight in wanted.items() if weight}
    places = collections.Counter(stack[-1] for stack in stacks)
    assert found.keys() == wanted.keys()
    for name in found: # ticks are rounded once for each stack, and once for each row
        several = stacks is device and max(places[name], rows[name]) > 1
        assert abs(found[name] - wanted[name]) <= ((places[name] + rows[name]) / 2 if several else 0), name
PY
    done
}

@test "a board's operators stand in the call that ran the model then, and its calls in each other" {
    copy_capture JOBX
    run_msprof -q export flame JOBX
    run_msprof -q export flame JOBX --weight host
    expect_status 0
    check <<'PY'
import collections, sqlite3
from fractions import Fraction
db = sqlite3.connect('JOBX/sqlite/runtime.db')
executes = db.execute("SELECT start_ns, end_ns FROM acl_call WHERE name = 'svp_acl_mdl_execute'").fetchall()
wanted = collections.Counter()
names = {row[:2]: row[2] for row in db.execute('SELECT task_id, engine, layer_names FROM layer_group')}
exact = collections.Counter()  # in cycles, by the call and the operator, which are rounded once
for task, engine, start, ns in [
        (task, 'AI_CORE', start, Fraction(cycles * 10 ** 6, khz)) for task, start, cycles, khz in db.execute(
            'SELECT t.task_id, t.start_ns, t.total_cycle, i.core_khz FROM ai_core_task t JOIN inference i USING (inference_id)')] + [
        (task, 'AI_CPU', start, ns) for task, start, ns in db.execute('SELECT task_id, start_ns, duration_ns FROM ai_cpu_task')]:
    inside = any(a <= start <= b for a, b in executes)
    exact['svp_acl_mdl_execute' if inside else flame.NOT_LAUNCHED, names[task, engine]] += ns
for (call, _), ns in exact.items():
    wanted[call] += int(ns + Fraction(1, 2))
found = collections.Counter()
for stack, weight in flame.read('JOBX/flame/flame_device.collapsed').items():
    assert len(stack) == 2
    found[stack[0]] += weight
assert found == wanted, (found, wanted)
calls = db.execute('SELECT thread_id, start_ns, end_ns, name FROM acl_call ORDER BY thread_id, start_ns, end_ns DESC').fetchall()
host = collections.Counter()
for thread, start, end, name in calls:
    around = sorted(((b - a, n) for t, a, b, n in calls
                     if t == thread and a <= start and end <= b and (a, b) != (start, end)), reverse=True)
    stack = tuple(n for _, n in around)
    host[stack + (name,)] += end - start
    if stack:
        host[stack] -= end - start
assert flame.read('JOBX/flame/flame_host.collapsed') == {stack: weight for stack, weight in host.items() if weight}
PY
}

@test "a picture is sound XML whose frames are as wide as their share and stand on their parents" {
    copy_capture JOBX
    copy_family prof-910b PROF_1
    for weight in device host count; do
        for capture in JOBX PROF_1; do
            run_msprof -q export flame "$capture" --weight "$weight"
            run_msprof -q export flame "$capture" --weight "$weight" --format svg
            expect_status 0
            printf 'flame.check_picture("%s/flame/flame_%s.svg", flame.read("%s/flame/flame_%s.collapsed"))\n' \
                "$capture" "$weight" "$capture" "$weight" | check
        done
    done
    mv JOBX/flame first
    run_msprof -q export flame JOBX --weight host --format svg
    cmp JOBX/flame/flame_host.svg first/flame_host.svg
}

@test "names that look like markup, that divide stacks or are very long stay names" {
    make_program <<'PY'
for name in ('</title><script>alert(1)</script>', ']]>&amp;', 'a;b;c 12', 'line\nfeed', '\u2028\uffff', 'x' * 60000, "'\"<"):
    p.op(name, 'T;"<', 100)
PY
    run_msprof -q export flame PROF_1
    run_msprof -q export flame PROF_1 --format svg
    check <<'PY'
stacks = flame.read('PROF_1/flame/flame_device.collapsed')
names = {stack[-1] for stack in stacks}
assert {'</title><script>alert(1)</script>', ']]>&amp:', 'a:b:c 12', "'\"<"} < names, names
assert len(names) == 7 and max(map(len, names)) > 1000 and all(weight == 100000 for weight in stacks.values())
import xml.etree.ElementTree as tree
root = tree.parse('PROF_1/flame/flame_device.svg').getroot()
assert not [e for e in root.iter() if e.tag.split('}')[1] not in ('svg', 'style', 'title', 'text', 'rect')]
assert any(e.text.startswith('</title><script>alert(1)</script>: 100.000 us') for e in root.iter() if e.text)
PY
    [ "$(wc -c <PROF_1/flame/flame_device.svg)" -lt 20000 ]
}

@test "flames of different weights and formats stay beside each other, and go where --output says" {
    copy_capture JOBX
    for weight in device host; do
        for format in collapsed svg; do
            run_msprof -q export flame JOBX --weight "$weight" --format "$format" --output results
            expect_status 0
        done
    done
    expect_equal "$(ls results/flame)" $'flame_device.collapsed\nflame_device.svg\nflame_host.collapsed\nflame_host.svg'
    [ ! -e JOBX/flame ]
}

@test "a flame of a capture that has nothing to show is status 4, and a wrong weight or format status 2" {
    copy_family job-910a JOB_1
    run_msprof export flame JOB_1 --weight host
    expect_status 4
    expect_contains "$stderr" "JOB_1' has no data for a flame by the time of the host"
    [ ! -e JOB_1/flame/flame_host.collapsed ]
    run_msprof export flame JOB_1 --weight bytes
    expect_status 2
    expect_contains "$stderr" "bytes"
    run_msprof export flame JOB_1 --format png
    expect_status 2
    run_msprof export flame NOWHERE
    [ "$status" -ne 0 ]
    run_msprof -q export flame JOB_1
    expect_status 0
    expect_contains "$(cat JOB_1/flame/flame_device.collapsed)" "[launch not recorded];"
}
