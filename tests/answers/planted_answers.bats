#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What show, diff, advise and report conclude of programs in which one thing is planted: the truth is recalculated here.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load planted

setup() {
    enter_scratch
    needs python3
}

@test "the critical path goes on before an operator that begins while another of its stream runs" {
    program PROF_A <<'PY'
for step in range(12):
    p.op('a', 'MatMul', 100, gap=1)
    p.communicate(us=128)
    p.communicate(us=40, back=20)
    p.op('c', 'Add', 40, gap=1)
PY
    run_msprof -q show PROF_A --table path --columns name,on_path,count_on_path --format csv
    expect_contains "$output" "a,1200,12"
    expect_contains "$output" "c,480,12"
}

@test "a period of operators that the end of the capture cuts is no completed step" {
    program PROF_A <<'PY'
for step in range(12):
    for i in range(5):
        if (0, 3) <= (step, i) < (11, 2): p.op('l%d/mm' % i, 'Op%d' % i, 100, gap=1)
PY
    run_msprof -q show PROF_A
    expect_contains "$output" "step 11 (period of the operators): its tail was not recorded, 4 of 5 operators seen"
    # 10 steps from the begin of the first to the end of the last
    expect_equal "$(sed -n 's/^Fps  *//p' <<<"$output")" "1980.198"
}

@test "a step that is slower because the host blocks is a regression, and the rest names the gap and the call" {
    unmarked PROF_A 'pass'
    unmarked PROF_B 'if i == 6: o["before"] = ("aclrtMallocHostSlow", 850)'
    run_msprof -q diff PROF_A PROF_B --format json
    expect_equal "$(json 'd["verdict"], d["causes"]')" "('regression', ['step_time', 'period', 'gaps', 'calls'])"
    expect_equal "$(json '{r["verdict"] for r in d["rows"]}, round(d["new"]["step_time"] - d["base"]["step_time"])')" "({'unchanged'}, 853)"
    expect_contains "$(json 'd["rest_cause"]')" "gaps between operators +853.0 us, most of it 'l1/MatMul -> l1/Add' +853.0 us"
    expect_contains "$(json 'd["rest_cause"]')" "of host calls 'aclrtMallocHostSlow' +850.0 us"
    run_msprof -q diff PROF_A PROF_B
    expect_contains "$output" "Verdict: regression"
    expect_contains "$output" "Slower: step time, period, gaps, calls of the host"
    expect_contains "$output" "Gaps between operators, a step and the median"
    expect_contains "$output" "(rest) changed by +853.0 us: gaps between operators"
    run_msprof -q diff PROF_A PROF_B --format html
    expect_contains "$output" "Gaps between operators by the change of a step"
    run_msprof -q diff PROF_B PROF_A --format json
    expect_equal "$(json 'd["verdict"], d["causes"]')" "('ok', [])"
    run_msprof -q diff PROF_A PROF_A
    expect_contains "$output" "Verdict: ok"
    expect_not_contains "$output" "(rest) changed"
}

@test "steps are found though shapes are dynamic, and none where names or their order differ" {
    unmarked PROF_A 'if i % 5 == 0: o["shape"] = (16 + 7 * step + i, 512)'
    run_msprof -q show PROF_A --table steps --format json
    expect_equal "$(json '[(r["Steps"], r["Source"], r["Model_id"]) for r in d]')" "[(12, 'period of the operators', 'N/A')]"
    # each operator runs as often as there are steps, in another order each time
    unmarked PROF_B 'o["name"] = o["kind"] = "op%d" % ((i * (1, 3, 7, 9)[step % 4] + step) % 10)'
    run_msprof show PROF_B --table steps
    expect_status 4
    # two operators that come twice are no two steps
    unmarked PROF_C 'o["name"] = o["kind"] = "twice" if (step, i) in ((0, 0), (7, 5)) else "op%d" % (10 * step + i)'
    run_msprof show PROF_C --table steps
    expect_status 4
    # one step of twelve does something else: the others are steps
    unmarked PROF_D 'if (step, i) == (5, 4): o["name"] = o["kind"] = "Save"'
    run_msprof -q show PROF_D --table steps --format json
    expect_equal "$(json '[r["Steps"] for r in d]')" "[12]"
}

@test "throughput is completed steps by the time from the first begin to the last end, in every answer" {
    unmarked PROF_A 'pass'
    run_msprof -q show PROF_A --table overlap --format json
    json '"%.3f" % (1e6 * len(d) / (max(r["Start(us)"] + r["Time(us)"] for r in d) - min(r["Start(us)"] for r in d)))' >fps
    run_msprof -q show PROF_A --table steps --format json
    expect_equal "$(json '"%.3f" % d[0]["Fps"]')" "$(<fps)"
    run_msprof -q show PROF_A --table summary --format json
    expect_equal "$(json '[r["Value"] for r in d if r["Item"] == "Fps"]')" "['$(<fps)']"
    run_msprof -q diff PROF_A PROF_A --gate fps:+0 --format json
    expect_equal "$(json '"%.2f" % d["gates"][0]["base"]')" "$(printf '%.2f' "$(<fps)")"
    # inferences that run beside each other follow nothing: they have a throughput and no period
    "$(dirname "$(readlink -f "$MSPROF")")/make-capture" --output . --inferences 40 --streams 2 >made 2>/dev/null
    mv JOB* B
    run_msprof -q show B --table overlap --format json
    json '"%.3f" % (1e6 * len(d) / (max(r["Start(us)"] + r["Time(us)"] for r in d) - min(r["Start(us)"] for r in d)))' >fps
    expect_equal "$(json '{r["Period(us)"] for r in d}')" "{'N/A'}"
    run_msprof -q show B --table steps --format json
    expect_equal "$(json '"%.3f" % d[0]["Fps"], d[0]["Period(us)"]')" "('$(<fps)', 'N/A')"
    run_msprof -q show B --table summary --format csv
    expect_contains "$output" "Period,none: inferences overlap"
    expect_contains "$output" "Fps,$(<fps)"
}

@test "models and batches have no mean: diff and the page tell each by itself" {
    cp -r "$repository"/testdata/small/JOB* A
    run_msprof -q diff A A --format json
    expect_equal "$(json 'd["base"]["step_time"], d["base"]["period"], len(d["steps"]), d["periods"]')" "(None, None, 8, [])"
    run_msprof -q diff A A
    expect_equal "$(grep -c '^Step time, inferences of model' <<<"$output")" 8
    run_msprof -q report A --output page.html
    # the mean of a step of each group is between its fastest and its slowest
    python3 - page.html <<PY
import sys
sys.path.insert(0, "$repository/tests/lib")
import page
told = page.Page(sys.argv[1])
for table in told.tables:
    if table.caption.startswith('4 steps: inferences'):
        step = [float(row[2]) for row in table.rows if row[0] == 'Together'][0]
        assert 1550 < step < 1610 if ', batch 4' in table.caption else 430 < step < 450, (table.caption, step)
assert sum(table.caption.startswith('4 steps: inferences') for table in told.tables) == 8
PY
}

@test "the matrix units' use is that of their cycles, not of the cores that an operator holds" {
    program PROF_A <<'PY'
for step in range(12):
    p.op('a/mm', 'MatMul', 100, gap=1, counters=(0, 12, 5, 20, 40, 10))
    p.op('b/add', 'Add', 100, gap=1, core=VECTOR, counters=(80, 0, 5, 0, 30, 20))
PY
    run_msprof -q show PROF_A --table bound --format json
    # 12 percent of the cycles, all 8 cores for the whole time
    expect_equal "$(json '[(r["Cube(%)"], r["Occupied(%)"]) for r in d if r["Name"] == "a/mm"]')" "[(12, 100)]"
    run_msprof -q advise PROF_A --format json
    expect_equal "$(json '[round(f["value"], 2) for f in d["findings"] if f["id"] == "low-cube-use"]')" "[12.0]"
    run_msprof -q diff PROF_A PROF_A --gate 'cube_util:>50%' --format json
    expect_status 6
    expect_equal "$(json 'd["gates"][0]["base"]')" 12
    # a chip of the JOB era does not say on which kind of core an operator ran
    cp -r "$repository"/testdata/cann/job-910a/JOB* JOB_A
    run_msprof -q report JOB_A --output page.html
    expect_not_contains "$(<page.html)" "Cube operators"
    expect_contains "$(<page.html)" "AI Core operators"
    expect_not_contains "$(<page.html)" "-9223372036854775808"
}

@test "bound and rule memory-bound are one: units beside each other are not added" {
    program PROF_A <<'PY'
for step in range(12):
    p.op('a', 'Add', 100, gap=1, counters=(0, 85, 3, 0, 45, 45))
    p.op('b', 'Mul', 60, gap=1, counters=(0, 20, 3, 0, 90, 30))
PY
    run_msprof -q show PROF_A --table bound --format json
    expect_equal "$(json '[(r["Name"], r["Bound"], r["Memory(%)"]) for r in d]')" "[('a', 'compute', 45), ('b', 'memory', 90)]"
    run_msprof -q advise PROF_A --format json
    expect_equal "$(json '[([r["name"] for r in f["evidence"]], round(f["value"], 2)) for f in d["findings"] if f["id"] == "memory-bound"]')" \
        "[(['b'], 37.5)]" # 60 of 160 us
    run_msprof -q show PROF_A --table summary --format csv
    expect_contains "$output" '"compute 62.5 %, memory 37.5 %, latency 0.0 % of the counted time"'
}

@test "the longest on the AI CPU is an execution, not a mean, and one of much of the time is found however short" {
    program PROF_A <<'PY'
for step in range(12):
    p.op('a', 'MatMul', 500, gap=1)
    p.op('b', 'Index', 200 if step == 4 else 2, gap=1, core=AI_CPU) # the mean is 18.5 us
PY
    run_msprof -q advise PROF_A --format json
    expect_contains "$(json '[f["sentence"] for f in d["findings"] if f["id"] == "ai-cpu"]')" "the longest 200.0 us."
    for us in 10 1; do
        program PROF_B <<PY
for step in range(12):
    p.op('a', 'MatMul', 50, gap=1)
    p.op('b', 'Index', $us, gap=1, core=AI_CPU)
PY
        run_msprof -q advise PROF_B --format json
        # 10 of 60 us are 16.7 percent; 1 of 51 are 2, of none that takes 20 us
        expect_equal "$us $(json '[round(f["value"], 1) for f in d["findings"] if f["id"] == "ai-cpu"]')" \
            "$us $([ "$us" -eq 10 ] && echo '[16.7]' || echo '[]')"
    done
}

@test "a call that covers nearly nothing of a gap is not blamed, one that waits is told to" {
    unmarked PROF_A 'if (step, i) == (7, 6): p.late(); p.host = p.at + 260_000_000; p.call("aclnnAdd", p.host - 8000, p.host, thread=1); o["gap"] = 260_004'
    run_msprof -q show PROF_A --table gaps --top 1 --format json
    expect_equal "$(json 'd[0]["Cause"], d[0]["Call"], d[0]["Covered(%)"]')" "('host', 'N/A', 'N/A')"
    run_msprof -q advise PROF_A --threshold idle:100 --format json
    expect_contains "$(json '[f["sentence"] for f in d["findings"] if f["id"] == "gap"]')" "no host call covers a tenth of it"
    expect_equal "$(json '[r["name"] for f in d["findings"] if f["id"] == "gap" for r in f["evidence"]][0]')" "(no call)"
    unmarked PROF_B 'if (step, i) == (7, 6): o["before"] = ("aclrtSynchronizeStream", 900)'
    run_msprof -q show PROF_B --table gaps --top 1 --format json
    expect_equal "$(json 'd[0]["Cause"], d[0]["Call"]')" "('sync', 'aclrtSynchronizeStream')"
    run_msprof -q advise PROF_B --threshold idle:100 --format json
    expect_contains "$(json '[f["sentence"] for f in d["findings"] if f["id"] == "gap"]')" \
        "the host waited for the device in aclrtSynchronizeStream in 100 % of it"
}

@test "a collection of garbage that the framework recorded names the gap" {
    cp -r "$repository/testdata/frameworks/run_ascend_pt" run_ascend_pt
    chmod -R u+w run_ascend_pt
    run_msprof -q show run_ascend_pt --table gaps --top 1 --format json
    json 'str(d[0]["Start(us)"]) + " " + str(d[0]["Length(us)"]) + " " + d[0]["Call"]' >gap
    # the collection that it has, as long as the run
    python3 - run_ascend_pt/FRAMEWORK/torch.gc_record <<'PY'
import struct, sys
data = open(sys.argv[1], 'rb').read()
process, start, end = struct.unpack_from('<3Q', data)
open(sys.argv[1], 'wb').write(struct.pack('<3Q', process, start - 10**6, end + 10**6))
PY
    run_msprof -q show run_ascend_pt --table gaps --top 1 --format json
    expect_equal "$(json 'd[0]["Call"], d[0]["Covered(%)"]')" "('garbage collection', 100)"
    expect_not_contains "$(<gap)" "garbage"
}

@test "calls of memory are the program's: entries of a communication library that are called Memcpy copy nothing" {
    program PROF_A <<'PY'
p.prof.types[COMMUNICATION, 77] = 'Memcpy'
for step in range(12):
    at = p.host
    p.op('a', 'MatMul', 50, gap=1)
    p.prof.call(COMMUNICATION, 77, p.at - 20000, p.at - 10000)
PY
    run_msprof -q advise PROF_A --format json
    expect_equal "$(json '"memory-calls" in d["passed"]')" True
    run_msprof -q show PROF_A --table memory
    expect_not_contains "$output" "Memcpy"
}

@test "a call that was under way when the host's counter began counts from the start of the collection, in no answer for hours" {
    program PROF_A <<'PY'
from prof import MONOTONIC
p.call('aclrtSetDevice', -MONOTONIC + 5000, 90_000, thread=3)
for step in range(12): p.op('a', 'MatMul', 100, gap=1)
PY
    run_msprof -q show PROF_A --table api --format json
    expect_equal "$(json '[r["Total(us)"] for r in d if r["Function"] == "aclrtSetDevice"]')" "[90]"
}

@test "steps of which nothing was recorded do not count in the throughput, wherever they are" {
    program PROF_A <<'PY'
for step in range(14):
    p.begin_step()
    if 2 <= step < 8: p.op('a', us=90, gap=5) # the log of tasks is full then
    p.at = (step + 1) * 100_000 + 1_000_000
    p.end_step()
    p.at += 20
PY
    run_msprof -q show PROF_A --table steps --format json
    expect_equal "$(json '[r["Fps"] for r in d]')" "[10000.667]" # 6 steps, the first of which begins 40 ns late, in 599.96 us
    run_msprof -q show PROF_A --table summary --format csv
    expect_contains "$output" "Fps,10000.667"
}

@test "idle time before the first operator and behind the last is told as such, and is alone no finding" {
    idle() { # microseconds between the operators
        program PROF_A <<PY
for step in range(12): p.op('a', 'MatMul', 100, gap=$1)
p.prof.track(p.host, 1, 99, task_type='EVENT_RECORD', kernel=None)
p.prof.ran(p.at + 2_000_000, p.at + 2_000_020, 1, 99, kind=4)
PY
        run_msprof -q advise PROF_A --format json
    }
    idle 1
    expect_equal "$(json '[f for f in d["findings"] if f["id"] == "idle"]')" "[]"
    run_msprof -q show PROF_A --table summary --format csv
    expect_contains "$output" "Free,62.63 % (2011.020 us)" # 11 gaps of 1 us, and 2 ms; 1,200 us more
    idle 50
    expect_equal "$(json '[f["sentence"] for f in d["findings"] if f["id"] == "idle"][0]')" \
        "The device is idle for 68.0 % of the time (2.550 ms), 550.0 us of it between operators; the rest is before the first and behind the last."
}

@test "a program in which nothing is planted has no finding" {
    program PROF_A <<'PY'
for step in range(12):
    for i in range(6):
        p.op('l%d/mm' % i, 'MatMul', 60, gap=1, counters=(0, 85, 5, 30, 35, 20))
        p.op('l%d/add' % i, 'Add', 40, gap=1, core=VECTOR, blocks=16, counters=(80, 0, 5, 0, 30, 20))
PY
    run_msprof -q advise PROF_A
    expect_contains "$output" "PROF_A: 0 findings"
    run_msprof -q diff PROF_A PROF_A
    expect_contains "$output" "Verdict: ok"
}

@test "--step, --step slowest, --from and --until choose what every table, advise and the page are about" {
    unmarked PROF_A 'if step == 6: o["us"] = 80
        if kind == "MatMul": o["shape"] = (64, 64)'
    run_msprof -q show PROF_A --table overlap --format json
    cp "$BATS_TEST_TMPDIR/stdout" whole.json
    # step 7, of 10 operators of 80 us
    for step in 7 slowest; do
        run_msprof -q show PROF_A --table overlap --step "$step" --format json
        expect_equal "$(json 'd == [r for r in json.load(open("whole.json")) if r["Step"] == 7]')" True
        run_msprof -q show PROF_A --table ops --step "$step" --format json
        expect_equal "$(json 'len(d), {(r["Count"], r["Total(us)"]) for r in d}')" "(10, {(1, 80)})"
        run_msprof -q show PROF_A --table gaps --step "$step" --format json
        expect_equal "$(json 'len(d), {r["Length(us)"] for r in d}')" "(9, {1})"
        run_msprof -q show PROF_A --table phases --step "$step" --format json
        expect_equal "$(json 'sum(r["Count"] for r in d), {r["Kernel(us)"] for r in d}')" "(10, {80})"
        run_msprof -q show PROF_A --table path_step --step "$step" --format json
        expect_equal "$(json '{r["Step"] for r in d}')" "{7}"
        run_msprof -q show PROF_A --table path --step "$step" --format json
        expect_equal "$(json 'sum(r["On path(us)"] for r in d if r["Kind"] == "device")')" 800
        run_msprof -q show PROF_A --table op_summary --step "$step" --format json
        expect_equal "$(json '[float(r["Task Duration(us)"]) for r in d]')" "[$(printf '80.0, %.0s' {1..9})80.0]"
        run_msprof -q show PROF_A --table op_statistic --step "$step" --format json
        expect_equal "$(json '[(r["OP Type"], r["Count"], r["Total Time(us)"]) for r in d] == [(k, 2, 160) for k in ("Add", "Gelu", "LayerNorm", "MatMul", "Softmax")]')" True
        run_msprof -q show PROF_A --table shapes --step "$step" --format json
        expect_equal "$(json '[(r["Type"], r["Count"], r["Total(us)"]) for r in d]')" "[('MatMul', 2, 160)]"
        run_msprof -q show PROF_A --table roofline --step "$step" --format json
        expect_equal "$(json '[(r["Count"], r["Total(us)"]) for r in d]')" "[(2, 160)]"
        run_msprof -q show PROF_A --table summary --step "$step" --format csv
        expect_contains "$output" "Computing,98.89 % (800.000 us)" # of 809
    done
    # a piece of 1 MiB is held from each step's second operator to its last
    unmarked PROF_M '
        if i == 1: p.late(); p.prof.memory(p.host + 5, "l%d" % step, 4096, 1 << 20)
        if i == 9: p.late(); p.prof.memory(p.host + 5, "l%d" % step, 4096, -(1 << 20))'
    run_msprof -q show PROF_M --table memory_peak --step 7 --format json
    expect_equal "$(json '[(r["Name"], r["Held(KiB)"], r["Pieces"]) for r in d]')" "[('l6', 1024, 1)]"
    # all that begins from the third to the fifth step; the fifth is not whole
    # the timeline begins 1001 us before the first operator
    at=$(python3 -c 'import json; print(json.load(open("whole.json"))[0]["Start(us)"] - 1001)')
    from=$(python3 -c 'import json, sys; d = json.load(open("whole.json")); print("%.3fus" % (d[2]["Start(us)"] - float(sys.argv[1])))' "$at")
    until=$(python3 -c 'import json, sys; d = json.load(open("whole.json")); print("%.3fus" % (d[4]["Start(us)"] + 100 - float(sys.argv[1])))' "$at")
    run_msprof -q show PROF_A --table overlap --from "$from" --until "$until" --format json
    expect_equal "$(json '[r["Step"] for r in d]')" "[3, 4]"
    run_msprof -q show PROF_A --table ops --from "$from" --until "$until" --format json
    expect_equal "$(json 'sum(r["Count"] for r in d)')" 22 # and two of the fifth
    run_msprof -q advise PROF_A --step 7 --threshold idle:0 --format json
    expect_equal "$(json '[f["at_stake"] for f in d["findings"] if f["id"] == "idle"]')" "[9.0]"
    run_msprof -q report PROF_A --step slowest --output page.html
    expect_contains "$(<page.html)" "This page is about step 7 alone."
    run_msprof show PROF_A --table ops --step 13
    expect_status 4
    expect_contains "$stderr" "the capture has no step 13: steps are numbered from 1 to 12"
    run_msprof show PROF_A --table ops --step 3 --from 1ms
    expect_status 2
    run_msprof show PROF_A --table ops --from 3ms --until 1ms
    expect_status 2
    run_msprof show PROF_A --table ops --from soon
    expect_status 2
}

@test "a step between others in which the device did nothing is N/A but for its time, and in no mean of the others" {
    program PROF_1 <<'PY'
for step in range(6):
    p.begin_step()
    if step != 3:
        p.op('a', us=50)
        p.op('b', us=20, gap=2)
    else:
        p.at += 60000
    p.end_step()
PY
    run_msprof -q show PROF_1 --table overlap --format json
    expect_equal "$(json '[(r["Time(us)"], r["Busy(us)"], r["Free(us)"], r["Free share(%)"]) for r in d][2:5]')" \
        "[(72, 70, 2.02, 2.8), (60, 'N/A', 'N/A', 'N/A'), (72, 70, 2.02, 2.8)]"
    run_msprof -q show PROF_1 --table steps --format json
    expect_equal "$(json '[(r["Steps"], r["Busy(us)"], r["Free(us)"]) for r in d]')" "[(6, 70, 2.02)]"
}

@test "diff tells the steps of warm-up of each side by itself" {
    for slow in 1 2; do
        unmarked "PROF_$slow" "o['us'] = 1000 if step < $slow else 50"
    done
    run_msprof -q diff PROF_1 PROF_2
    expect_contains "$output" "Warm-up steps left out: 1 of base, 2 of new"
    run_msprof -q diff PROF_1 PROF_2 --format json
    expect_equal "$(json '[d[side]["warmup_steps"] for side in ("base", "new")]')" "[1, 2]"
}

@test "steps whose clock has no whole nanoseconds have the operators that begin in them, and no other's" {
    program PROF_A <<'PY'
import prof
for step in range(40): p.op('only', 'Div', 375 + step % 7 * 0.02, gap=1)
prof.DEVICE_MHZ = 49.999001 # what the clock says of itself: its ticks are 20.0004 ns
PY
    run_msprof -q diff PROF_A PROF_A
    expect_not_contains "$output" "Steps run different operators"
    expect_contains "$output" "Verdict: ok"
}

@test "steps by period with the shapes of few kinds are groups without a mean, those with shapes that are always others are one" {
    kinds() { # capture, the number of a step's kind and its microseconds as the Python says, steps
        program "$1" <<PY
for step in range($4):
    for i, kind in enumerate(['Conv', 'MatMul', 'Add', 'Gelu', 'Relu']):
        if step == 11 and i > 2: break # the last one is cut
        at = p.host
        p.op('l%d' % i, kind, $3, gap=1)
        p.prof.tensors(at + 90, 'l%d' % i, [(0, 2, 1, (16 * (1 + $2) if i else 16, 512))])
PY
        run_msprof -q show "$1" --table steps --format json
        json '[(r["Median(us)"], r["Slowest(us)"], r["Steps"], r["Period(us)"], r["Source"]) for r in d]' >steps
    }
    kinds PROF_A 'step % 2' '200 if step % 2 else 100' 10
    expect_equal "$(<steps)" "[(505, 505, 5, 505, 'period of the operators (l1 16,512)'), (1005, 1005, 5, 1005, 'period of the operators (l1 32,512)')]"
    run_msprof -q advise PROF_A --format json
    expect_equal "$(json '[f["id"] for f in d["findings"]]')" "[]"
    run_msprof -q show PROF_A
    expect_equal "$(sed -n 's/^Fps, all together  *//p' <<<"$output")" "1324.679"
    # a baseline and another capture have the same groups, whichever kind comes first
    kinds PROF_B '(step + 1) % 2' '100 if step % 2 else 200' 10
    run_msprof -q diff PROF_A PROF_B
    expect_contains "$output" "Step time, period of the operators (l1 32,512): 1005.000 us -> 1005.000 us (0.00%)"
    expect_contains "$output" "Step time, period of the operators (l1 16,512): 505.000 us -> 505.000 us (0.00%)"
    # three kinds, and a last step of which a part was not recorded
    kinds PROF_C 'step % 3' '100 * (1 + step % 3)' 12
    expect_equal "$(json 'sorted((r["Median(us)"], r["Steps"]) for r in d)')" "[(505, 4), (1005, 4), (1505, 4)]"
    run_msprof -q show PROF_C
    expect_contains "$output" "step 12 (period of the operators): its tail was not recorded, 3 of 5 operators seen"
    # always others
    kinds PROF_D 'step' '100 + step' 10
    expect_equal "$(json '[(r["Median(us)"], r["Steps"]) for r in d]')" "[(527.5, 10)]"
    # equal shapes
    kinds PROF_E '0' '200 if step % 2 else 100' 10
    expect_equal "$(json '[r["Steps"] for r in d]')" "[10]"
}
