#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The answers of show, diff and advise about captures of programs that are known to the nanosecond.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common.bash sets shared, run_msprof sets status, output and stderr

load ../cli/common
load planted

setup() {
    enter_scratch
    needs python3
}

@test "every table says what plain arithmetic over the database says" {
    program PROF_1 'seed=3, sigma=0.1' <<'PY'
for step in range(12):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100, counters=(10, 50, 5, 20, 40, 10))
    p.op('a/cast', 'Cast', 20, gap=5, core=VECTOR, stream=3)
    p.op('b/mm', 'MatMul', 200, gap=step, counters=(0, 20, 5, 20, 95, 10))
    p.communicate(us=60, back=30)
    p.op('b/trans', 'TransData', 10)
    p.copy()
    p.op('b/where', 'Where', 30, core=AI_CPU)
    if step % 3 == 0:
        p.late()
        p.call('aclrtSynchronizeStream', p.at, p.at + 3000)
        p.call('aclrtMalloc', p.at + 1000, p.at + 2000)
    p.op('c/relu', 'Relu', 3, gap=2, core=VECTOR)
    p.end_step()
PY
    told=$(python3 "$BATS_TEST_DIRNAME/../cann/lib/agree_answers.py" "$MSPROF" PROF_1)
    expect_equal "$told" "aicpu api bound communication conversions gaps memory ops overlap overlap_analysis small steps streams summary types"
    # the table of Ascend's definition says that it is one
    run_msprof show PROF_1 --table overlap_analysis
    expect_contains "$stderr" "counts copies and other tasks as free time, as Ascend's tool does"
    run_msprof show PROF_1 --table overlap
    expect_not_contains "$stderr" "as Ascend's tool"
}

@test "so they do wherever among its steps the collection of a program starts, and the step that it cuts is named" {
    local late
    for late in 1050000 1110000 1500000 1720000 2345000 4500000; do
        program PROF_1 'seed=3, sigma=0.1' <<PY
p.prof.warm_up = $late
for step in range(12):
    p.begin_step()
    p.op('a/conv', 'Conv2D', 100, counters=(10, 50, 5, 20, 40, 10))
    p.op('a/cast', 'Cast', 20, gap=5, core=VECTOR, stream=3)
    p.op('b/mm', 'MatMul', 200, gap=step, counters=(0, 20, 5, 20, 95, 10))
    p.communicate(us=60, back=30)
    p.copy()
    p.op('b/where', 'Where', 30, core=AI_CPU)
    if step % 3 == 0:
        p.late()
        p.call('aclrtSynchronizeStream', p.at, p.at + 3000)
    p.op('c/relu', 'Relu', 3, gap=2, core=VECTOR)
    p.end_step()
PY
        told=$(python3 "$BATS_TEST_DIRNAME/../cann/lib/agree_answers.py" "$MSPROF" PROF_1)
        expect_contains "$told" "ops overlap overlap_analysis small steps"
        run_msprof show PROF_1 --table summary
        case $late in
        1050000 | 1500000) expect_not_contains "$output" "was not recorded" ;; # inside of the first operator
        *) expect_contains "$output" "step 1 (iterations): its head was not recorded" ;;
        esac
    done
}

@test "so they do of every capture that is shipped" {
    needs sqlite3
    for capture in "$repository"/testdata/{small,resnet50}/JOB* "$repository"/testdata/cann/*/{PROF,JOB}*; do
        [ -d "$capture" ] || continue
        rm -rf PROF_copy
        cp -r "$capture" PROF_copy
        "$MSPROF" import -q PROF_copy || [ $? -eq 3 ]
        python3 "$BATS_TEST_DIRNAME/../cann/lib/agree_answers.py" "$MSPROF" PROF_copy >told
        expect_contains "$(<told)" "ops overlap"
    done
}

@test "so they do of those of today when the collection starts in their middle" {
    needs sqlite3
    local family
    for family in prof-910b prof-910a system-910b system-910a; do
        rm -rf PROF_copy
        copy_family "$family" PROF_copy
        run_msprof import -q PROF_copy
        python3 - <<'END'
import glob, json, os, shutil, sqlite3
first, last = sqlite3.connect('PROF_copy/sqlite/runtime.db').execute(
    'SELECT min(start_ns), max(start_ns + duration_ns) FROM device_task').fetchone()
shutil.rmtree('PROF_copy/sqlite')
for path in glob.glob('PROF_copy/*/start_info*'):
    if path.endswith('.done'):
        os.remove(path)
        continue
    info = json.load(open(path, encoding='utf-8'))
    late = (first + last) // 2000 - int(info['collectionTimeBegin'])
    info['collectionTimeBegin'] = str(int(info['collectionTimeBegin']) + late)
    info['clockMonotonicRaw'] = str(int(info['clockMonotonicRaw']) + late * 1000)
    json.dump(info, open(path, 'w', encoding='utf-8'))
END
        run_msprof import PROF_copy
        expect_contains "$stderr" "records of warm-up"
        python3 "$BATS_TEST_DIRNAME/../cann/lib/agree_answers.py" "$MSPROF" PROF_copy >told
        expect_contains "$(<told)" "ops overlap"
    done
}

@test "of a generated training and of a capture of SVP, too" {
    needs sqlite3
    copy_capture JOBX
    "$MSPROF" import -q JOBX
    python3 "$BATS_TEST_DIRNAME/../cann/lib/agree_answers.py" "$MSPROF" JOBX >told
    expect_equal "$(<told)" "aicpu api bound gaps memory ops overlap small steps streams summary types"
    [ -d "$shared/data/generated" ] || skip "the shared data are not there: $shared/data/generated"
    for name in system-chip5 prof-chip1-1k; do
        cp -r "$shared/data/generated/$name"/PROF_* "PROF_$name"
        chmod -R u+w "PROF_$name"
        "$MSPROF" import -q "PROF_$name" || [ $? -eq 3 ]
        python3 "$BATS_TEST_DIRNAME/../cann/lib/agree_answers.py" "$MSPROF" "PROF_$name" >told
        expect_contains "$(<told)" "api bound"
    done
}

@test "a gap tells its cause: the host was late, it waited, or the work was queued" {
    program PROF_1 <<'PY'
p.op('first', us=100)
p.op('queued', us=100, gap=50)
p.call('aclrtSynchronizeStream', p.at + 1000, p.at + 100000)
p.op('waited', us=100, gap=100)
p.late()
p.call('readInput', p.at, p.at + 190000)
p.op('late', us=100, gap=200)
PY
    run_msprof -q show PROF_1 --table gaps --columns after,length,cause,call --format csv
    expect_equal "$output" 'After,Length(us),Cause,Call
late,200,host,readInput
waited,100,sync,aclrtSynchronizeStream
queued,50,queue,N/A'
}

@test "steps name the slowest step, the part of it that grew, and the operator" {
    program PROF_1 <<'PY'
for step in range(10):
    p.begin_step()
    p.op('a', us=100)
    p.op('b', us=170 if step == 6 else 120, gap=10)
    p.end_step()
PY
    run_msprof -q show PROF_1 --table steps --format csv \
        --columns steps,median,mad,p95,slowest,slowest_step,grew,grew_by,operator,operator_by,source
    expect_equal "$(tail -1 <<<"$output")" "10,230,0,280,280,7,computing,50,b,50,iterations"
}

@test "without marks the sequence of operators tells the steps" {
    program PROF_1 <<'PY'
for step in range(6):
    p.op('a', us=100)
    p.op('b', us=50, gap=10 + step)
PY
    run_msprof -q show PROF_1 --table steps --columns source,steps --format csv
    expect_equal "$(tail -1 <<<"$output")" "period of the operators,6"
}

@test "steps in which nothing was recorded of the device count in no statistic but that of their time" {
    program PROF_1 <<'PY'
for step in range(40):
    p.begin_step()
    if 10 <= step < 18:
        p.op('a', us=600)
        p.op('b', us=200, gap=100)
    p.at += 1000000 if not 10 <= step < 18 else 100000
    p.end_step()
PY
    run_msprof -q show PROF_1 --table summary --format csv
    expect_contains "$output" 'Steps,"40 (iterations), 0 of them warm-up, 32 with nothing recorded of the device"'
    expect_contains "$output" "Busy,81.01 %" # 8 * 800 us of the 7900.14 from the first task to the end of the last
    run_msprof -q show PROF_1 --table steps --format csv --columns steps,median,slowest,grew,operator
    expect_equal "$(tail -1 <<<"$output")" "40,1000,1000,N/A,N/A"
    run_msprof -q advise PROF_1 --format json
    expect_equal "$(json '[round(f["value"]) for f in d["findings"] if f["id"] == "idle"]')" "[19]"
    cp -a PROF_1 PROF_2
    sqlite3 PROF_2/sqlite/runtime.db "UPDATE device_task SET duration_ns = duration_ns * 1.1
        WHERE op_name_id = (SELECT id FROM name WHERE text = 'a')"
    run_msprof -q diff PROF_1 PROF_2 --format json
    expect_equal "$(json '[(r["key"], r["verdict"], r["total_step_base"]) for r in d["rows"]]')" \
        "[('a', 'regression', 600.0), ('b', 'unchanged', 200.0), ('(rest)', 'unchanged', 200.0)]"
}

@test "--table list has the columns that only the counters of a capture tell of" {
    program PROF_1 <<'PY'
p.op('a', us=100, counters=(10, 50, 5, 20, 40, 10))
PY
    run_msprof -q show PROF_1 --table list
    expect_contains "$(grep -A1 '^op_summary ' <<<"$output")" " aic_mac_ratio "
    run_msprof -q show PROF_1 --table op_summary --columns op_name,aic_mac_ratio --filter 'aic_mac_ratio>0.4' --format csv
    expect_equal "$(tail -1 <<<"$output")" "a,0.5"
}

# 24 inferences of 40 layers; arguments as those of Program.
inferences() {
    program "$1" "$2" <<'PY'
for step in range(24):
    p.begin_step()
    for layer in range(40):
        p.op('net/layer%d/op' % layer, ('Conv2D', 'MatMul', 'Relu', 'Add')[layer % 4], 40 + 7 * layer, gap=1)
    p.end_step()
PY
}

@test "diff: a capture of Ascend and its copy have nothing but unchanged rows, and every gate holds" {
    inferences PROF_1 'sigma=0.004'
    cp -r PROF_1 PROF_2
    run_msprof -q diff PROF_1 PROF_2 --format json --gate step_time:+0% --gate 'op:*:+0%' --gate 'type:*:+0%' --gate free:+0us
    expect_status 0
    expect_equal "$(json '{r["verdict"] for r in d["rows"]}, d["verdict"], all(g["passed"] for g in d["gates"])')" \
        "({'unchanged'}, 'ok', True)"
}

@test "diff: of 20 seeds of jitter none makes a regression; one layer 5 % slower is named alone in each; 30 % break the gates" {
    inferences PROF_1 'seed=100, sigma=0.004'
    "$MSPROF" -q diff --save base.json --base PROF_1
    for seed in {1..20}; do
        inferences PROF_2 "seed=$seed, sigma=0.004"
        run_msprof -q diff base.json PROF_2 --format json
        expect_status 0
        expect_equal "$(json '[r["key"] for r in d["rows"] if r["verdict"] in ("regression", "improvement")]')" "[]"
        slow="net/layer$((seed + 19))/op"
        inferences PROF_2 "seed=$seed, sigma=0.004, slower={'$slow': 1.05}"
        run_msprof -q diff base.json PROF_2 --format json
        expect_equal "$(json '[r["key"] for r in d["rows"] if r["verdict"] in ("regression", "improvement")]')" "['$slow']"
        run_msprof -q diff base.json PROF_2 --format json --by layer
        expect_equal "$(json '[r["key"] for r in d["rows"] if r["verdict"] in ("regression", "improvement")]')" "['${slow%/op}']"
    done
    inferences PROF_2 "sigma=0.004, slower={'net/layer39/op': 1.3}"
    run_msprof diff base.json PROF_2 --gate step_time:+1% --gate 'op:*:+10%'
    expect_status 6
    expect_contains "$stderr" "gate step_time:+1% failed"
    expect_contains "$stderr" "gate op:*:+10% failed, mostly by net/layer39/op"
}

# ---- advise: each rule has a capture that fires it and one that does not ----

# The capture of a rule; 1: the one that fires it, 0: the one that does not.
rule_program() {
    local rule=$1 path=$2 fires=$3
    program "$path" <<PY
fires = $fires
long, short = (60, 2) if fires else (2, 60)
for step in range(10):
    p.begin_step()
    if '$rule' == 'idle':
        p.op('a', us=100)
        p.op('b', us=100, gap=50 if fires else 1)
    elif '$rule' == 'gap':
        p.op('a', us=1000)
        p.op('b', us=1000, gap=60 if fires and step == 3 else 1)
    elif '$rule' == 'ai-cpu':
        p.op('a', us=1000)
        p.op('b', 'Where', us=100 if fires else 15, core=AI_CPU)
    elif '$rule' == 'conversion':
        p.op('a', us=100)
        p.op('b', 'TransData', us=20 if fires else 2)
    elif '$rule' == 'small-operators':
        for i in range(10):
            p.op('a%d' % i, us=3, gap=6 if fires else 1)
    elif '$rule' == 'memory-bound':
        p.op('a', us=100, counters=(5, 50, 5, 5, 90 if fires else 45, 45)) # beside each other, not one after the other
    elif '$rule' == 'low-cube-use':
        p.op('a', us=100, blocks=2 if fires else 8, counters=(5, 80, 5, 5, 10, 10))
    elif '$rule' == 'idle-cores':
        p.op('a', us=100, blocks=9 if fires else 16)
    elif '$rule' == 'exposed-communication':
        p.op('a', us=500)
        p.communicate(us=200, back=0 if fires else 200)
    elif '$rule' == 'step-jitter':
        p.op('a', us=150 if fires and step in (4, 7) else 100)
    elif '$rule' == 'frequency':
        p.op('a', us=100)
    elif '$rule' == 'memory-calls':
        p.op('a', us=100)
        p.call('aclrtMalloc' if fires else 'aclrtMemcpyAsync', p.at, p.at + 20000)
    else:
        raise SystemExit('no capture for the rule $rule')
    p.end_step()
if '$rule' == 'frequency':
    mhz = 800 if fires else 990
    p.prof.frequency([(20, mhz), (900000, mhz)])  # the capture lasts a millisecond
PY
}

# A board's network of four layers, half of whose use of units is told by a rule.
board_rule() { # rule, directory, fires
    PYTHONPATH=$repository/tests/lib python3 - "$@" <<'PY'
import os, sys
import board_capture
rule, path, fires = sys.argv[1], sys.argv[2], sys.argv[3] == '1'
shares = [0.9, 0.8, 0, 0, 0.1, 0, 0.1, 0.1]  # mac busy and ppen, vec busy and ppen, dstr, dtrans, dld, wld
if fires and rule != 'svp-gelu':
    shares[1] = 0.3
    shares[{'svp-input': 6, 'svp-weights': 7, 'svp-output': 4}.get(rule, 5)] = 0.95
if fires and rule == 'svp-unused':
    shares = [0.4, 0.3, 0, 0, 0.1, 0, 0.1, 0.1]
types = ('BinaryMath', 'Erf', 'BinaryMath', 'BinaryMath') if rule == 'svp-gelu' and fires else ('Convolution', 'Erf') * 2
tasks = [{'name': 'layer%d' % i, 'type': kind, 'cycles': [60000], 'read': 1024, 'write': 1024, 'counters': shares}
         for i, kind in enumerate(types)]
os.rename(board_capture.write('.', tasks, 600, 1), path)
PY
    "$MSPROF" import -q "$2"
}

svp_rule() {
    local rule=$1 path=$2 fires=$3
    case $rule in
    svp-memory-bound | svp-activation) ;;
    *) board_rule "$@" && return ;;
    esac
    copy_capture "$path"
    case $rule$fires in
    svp-activation1) sed -i 's/"Eltwise"/"Softplus"/' "$path"/data/*.layer.info ;;
    svp-memory-bound0) "$repository/tests/cli/jitter.py" "$path" --computing >/dev/null ;;
    esac
    "$MSPROF" import -q "$path"
}

@test "advise: every rule of --list has a capture that fires it and one that does not" {
    mapfile -t rules < <("$MSPROF" advise --list --format json |
        python3 -c 'import json, sys; [print(r["id"]) for r in json.load(sys.stdin)["rules"]]')
    [ "${#rules[@]}" -ge 14 ]
    for rule in "${rules[@]}"; do
        # those of planted_rules.bats have both there
        if grep -qE "(found|verdict_of) $rule |\"id\"\] == \"$rule\"" "$BATS_TEST_DIRNAME/planted_rules.bats"; then
            grep -qE "passed $rule |not checked.*$rule|verdict_of $rule " "$BATS_TEST_DIRNAME/planted_rules.bats"
            continue
        fi
        for fires in 1 0; do
            limit=()
            case $rule in
            op-*) continue 2 ;; # of single operators: tests/opprof/advise.bats
            data-pipeline) # 37.5 % of the samples of this run
                name=run_ascend_ms limit=(--threshold "data-pipeline:$((fires ? 30 : 40))")
                rm -rf "$name" && cp -r "$repository/testdata/frameworks/$name" . && chmod -R u+w "$name"
                ;;
            svp-*) svp_rule "$rule" "JOB_${rule//-/}$fires" "$fires" && name="JOB_${rule//-/}$fires" ;;
            *) rule_program "$rule" PROF_R "$fires" && name=PROF_R ;;
            esac
            run_msprof -q advise "$name" --format json "${limit[@]}"
            [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
            expect_equal "$rule $fires: $(json "'$rule' in [f['id'] for f in d['findings']], '$rule' in d['passed']")" \
                "$rule $fires: $([ "$fires" -eq 1 ] && echo '(True, False)' || echo '(False, True)')"
            [ "$fires" -eq 0 ] || json "[f for f in d['findings'] if f['id'] == '$rule'][0]['sentence']" | grep -q '[0-9].*\.$'
        done
    done
}

@test "advise: the slowest step is told by its place among the steps that it is compared with" {
    program PROF_1 <<'PY'
for step in range(6):
    for device in range(2):
        at, us = 20000 * (step + 1), 12000 if (device, step) == (1, 4) else 4000
        p.prof.launch(at - 4000 + 200 * device, 3, 10 + step, 'matmul', thread=device + 1, device=device)
        p.prof.step(at, 0, 7, index=step + 1, stream=3, device=device)
        p.prof.ran(at + 1000, at + 1000 + us, 3, 10 + step, device=device)
        p.prof.step(at + 2000 + us, 1, 7, index=step + 1, stream=3, device=device)
PY
    run_msprof -q advise PROF_1 --format json
    expect_contains "$(json '[f["sentence"] for f in d["findings"] if f["id"] == "step-jitter"]')" \
        "device 1) take 6.000 us (p95 14.00 us); the slowest, number 5, takes 14.00 us."
}

@test "advise: operators whose long names differ at their ends are told whole, and lead to their own rows of the page" {
    program PROF_1 <<'PY'
for n in range(3):
    p.op('Default/network-TrainOneStepCell/' * 6 + 'cast-%d' % n, 'Cast', 100 - n)
PY
    run_msprof -q advise PROF_1 --format json
    expect_equal "$(json '[e["name"][-8:] for f in d["findings"] if f["id"] == "conversion" for e in f["evidence"]]')" \
        "['l/cast-0', 'l/cast-1', 'l/cast-2']"
    run_msprof -q report PROF_1 --output page.html
    PYTHONPATH=$repository/tests/lib python3 - <<'PY'
import re
import page
read = page.Page('page.html')
links = re.findall('<a href="#(c1-ops-[^"]*)">', read.source.split('<caption>Rows behind conversion')[1].split('</table>')[0])
targets = {i: ' '.join(row) for table in read.tables for i, row in zip(table.ids, table.rows)}
told = [re.findall('cast-.', targets[link]) for link in links]
assert told == [['cast-0'], ['cast-1'], ['cast-2']], told
PY
}

@test "advise: what a capture lacks is said, rule by rule" {
    program PROF_1 <<'PY'
p.op('alone', us=100, blocks=8)
PY
    run_msprof -q advise PROF_1 --format json
    expect_equal "$(json '"\n".join("%s: %s" % (n["id"], n["reason"]) for n in d["not_checked"])')" \
"gap: there is no gap between two tasks
dynamic-shapes: no shapes of operators were recorded (prof_level l1)
memory-bound: no counters of memory units were collected (PipeUtilization has them)
low-cube-use: no counters of the matrix unit were collected (PipeUtilization has them)
inner-axis: no shapes and counters of operators on matrix or vector units were recorded
no-bound: no counters of the units of cores were collected (PipeUtilization has them)
uneven-cores: neither blocks (task_block; chips 15 and 16) nor samples (aic_mode = sample-based) of each core were recorded
exposed-communication: the capture has no communication operators
step-jitter: fewer than four steps are known
cold-start: no steps are known
frequency: the frequency of the cores was not measured
svp-memory-bound: only SVP captures have these counters
svp-network: only SVP captures have these counters, with metrics
svp-input: only SVP captures have these counters, with metrics
svp-weights: only SVP captures have these counters, with metrics
svp-output: only SVP captures have these counters, with metrics
svp-unused: only SVP captures have these counters, with metrics
svp-activation: only SVP captures have layers
svp-gelu: only SVP captures have layers
data-pipeline: no data pipeline was recorded, or the capture was not given as the framework's directory
repeated-compilation: no step is known after which nothing should be compiled
synchronise: fewer than 20 launches were recorded
data-loader: the capture was not given as the framework's directory
small-packets: the capture has no transfers of communication operators
unaligned: the capture has no transfers by SDMA
contention: no communication operator of 1 MB by SDMA ran both in parallel with computing and alone
retransmission: the capture has no transfers by RDMA
fragmentation: no allocations of operators were recorded (task_memory, profile_memory)
memory-leak: no allocations of operators were recorded (task_memory, profile_memory)"
    run_msprof -q advise PROF_1
    expect_contains "$output" "frequency: not checked, because the frequency of the cores was not measured"
}

@test "a step whose head, tail or end was not recorded is named with what was expected of it, and counts in nothing" {
    program PROF_1 <<'PY'
for step in range(8):
    p.begin_step()
    for i, kind in enumerate(('Conv2D', 'Relu', 'MatMul', 'Add')):
        if (step == 0 and i < 2) or (step == 6 and i > 2) or (step == 7 and i > 0):
            p.at += 100000
        else:
            p.op('%s-op%d' % (kind, 4 * step + i), kind, 100)
    if step < 7:
        p.end_step()
PY
    run_msprof -q show PROF_1 --table summary --format csv
    expect_contains "$output" 'Cut,"step 1 (iterations): its head was not recorded, 2 of 4 operators seen"'
    expect_contains "$output" 'Cut,"step 7 (iterations): its tail was not recorded, 3 of 4 operators seen"'
    expect_contains "$output" 'Cut,"step 8 (iterations): it began, but its end is not marked, 1 of 4 operators seen"'
    run_msprof -q diff PROF_1 PROF_1 --format json
    expect_equal "$(json 'd["base"]["steps"], d["base"]["device_busy"]')" "(5, 400.0)"
    # what ran in them is in no total a step: 4 operators in each of 5 steps
    expect_equal "$(json 'sum(r["n_base"] for r in d["rows"]), len(d["rows"]), d["base"]["cut_steps"][0].count(";")')" "(20, 21, 2)"
    for command in "diff PROF_1 PROF_1" "advise PROF_1" "advise PROF_1 --format json"; do
        # shellcheck disable=SC2086 # the words of a command
        run_msprof -q $command
        expect_contains "$output" 'step 1 (iterations): its head was not recorded, 2 of 4 operators seen; step 7 (iterations): its tail'
        expect_contains "$output" '; step 8 (iterations): it began, but its end is not marked, 1 of 4 operators seen'
    done
    # and a baseline says it as its capture does
    "$MSPROF" -q diff --save a.json --base PROF_1
    run_msprof -q diff a.json PROF_1
    expect_equal "$(grep -c 'step 8 (iterations): it began' <<<"$output")" 2
}

@test "captures of 4 and of 2 steps that run alike are no change, whatever ran before the first step" {
    for steps in 4 2; do
        program "PROF_$steps" <<PY
for i in range(6):
    p.op('load%d' % i, 'TransData', 500)
p.op('conv', 'Conv2D', 300)
for step in range($steps):
    p.begin_step()
    for i, kind in enumerate(('conv', 'relu', 'mm', 'add')):
        p.op(kind, kind.upper(), 100 + 10 * i)
    p.end_step()
PY
    done
    for order in "4 2" "2 4"; do
        run_msprof -q diff "PROF_${order% *}" "PROF_${order#* }" --format json --gate step_time:+1% --gate op:*:+1% --gate count:*:+0
        expect_status 0
        expect_equal "$(json 'd["verdict"], {r["verdict"] for r in d["rows"]}, {r["total_step_base"] - r["total_step_new"] for r in d["rows"]}')" \
            "('ok', {'unchanged'}, {0.0})"
    done
}

@test "what runs in some steps only is no change as long as chance can tell it, and one when it is too often" {
    for name in few:2:0 many:40:9 none:40:0 every:40:1; do
        IFS=: read -r capture steps often <<<"$name"
        program "PROF_$capture" <<PY
for step in range($steps):
    p.begin_step()
    for i, kind in enumerate(('conv', 'relu', 'mm', 'add', 'mul', 'sub')):
        p.op(kind, kind.upper(), 100 + 10 * i)
    if $often == 1 or ($often and (step % 3 == 0 or $often > 20)):
        p.op('checkpoint', 'Save', 400)
    p.end_step()
PY
    done
    verdicts() {
        run_msprof -q diff "PROF_$1" "PROF_$2" --format json
        expect_equal "$(json 'd["verdict"], [r["verdict"] for r in d["rows"] if r["key"] == "checkpoint"]')" "$3"
    }
    verdicts few many "('ok', ['noise'])" # 14 of 40 steps have it, and none of 2
    verdicts many few "('ok', ['noise'])"
    verdicts none many "('regression', ['regression'])" # but none of 40
    verdicts none every "('regression', ['regression'])"
    verdicts few every "('regression', ['regression'])" # every step has it: that is no chance
    verdicts every none "('ok', ['improvement'])"
}

@test "frequencies count with the time of operators on the cores: waits, copies, the AI CPU and idle time do not" {
    needs sqlite3
    cp -r "$repository"/testdata/cann/system-910b/PROF_* PROF_1
    "$MSPROF" import -q PROF_1 || [ $? -eq 3 ]
    # two thirds of the tasks at half of the rated frequency, then a long time at a tenth of it
    first=$(sqlite3 PROF_1/sqlite/runtime.db "SELECT min(start_ns) FROM device_task")
    middle=$(sqlite3 PROF_1/sqlite/runtime.db "SELECT start_ns FROM device_task ORDER BY start_ns LIMIT 1 OFFSET
        (SELECT 2 * count(*) / 3 FROM device_task)")
    last=$(sqlite3 PROF_1/sqlite/runtime.db "SELECT max(start_ns + duration_ns) FROM device_task")
    sqlite3 PROF_1/sqlite/runtime.db "DELETE FROM core_frequency;
        INSERT INTO core_frequency(file_id, device_id, time_ns, mhz) VALUES (1, 0, $first - 10, 925), (1, 0, $middle, 1850),
            (1, 0, $last + 1, 185), (1, 0, $last + 900000000, 185)"
    expected=$(sqlite3 PROF_1/sqlite/runtime.db "SELECT printf('%.2f,%.2f', 1.0 * sum(duration_ns *
        iif(start_ns < $middle, 925, 1850)) / sum(duration_ns), 100.0 * sum(iif(start_ns < $middle, duration_ns, 0)) /
        sum(duration_ns)) FROM device_task WHERE op_name_id IS NOT NULL AND op_task_type NOT IN (1, 3, 9, 11, 12)")
    run_msprof -q show PROF_1 --table frequency --format json
    expect_status 0
    expect_equal "$(json '"%.2f,%.2f" % (d[0]["Mean(MHz)"], d[0]["Below rated(%)"])')" "$expected"
    expect_equal "$(json '[r["Frequency(MHz)"] for r in d]')" "[925, 1850]"
    run_msprof -q advise PROF_1 --format json
    expect_equal "$(json '["%.2f" % (f["value"]) for f in d["findings"] if f["id"] == "frequency"]')" \
        "['$(/usr/bin/python3 -c "print('%.2f' % (100 - 100 * ${expected%%,*} / 1850))")']"
}

@test "busy time of a generated training is that of all of its tasks, frequency that of its operators on the cores" {
    needs_shared data/generated/system-chip5
    cp -r "$shared/data/generated/system-chip5"/PROF_* PROF_2
    chmod -R u+w PROF_2
    run_msprof -q show PROF_2 --table frequency --format json
    expect_equal "$(json '{r["Mean(MHz)"] for r in d}')" "{$(sqlite3 PROF_2/sqlite/runtime.db "SELECT round(1.0 * sum(mhz * duration_ns) /
        sum(duration_ns), 3) FROM (SELECT duration_ns, (SELECT f.mhz FROM core_frequency f WHERE f.time_ns <= t.start_ns
        ORDER BY f.time_ns DESC LIMIT 1) AS mhz FROM device_task t WHERE op_name_id IS NOT NULL
        AND op_task_type NOT IN (1, 3, 9, 11, 12)) WHERE mhz IS NOT NULL")}"
    run_msprof -q show PROF_2 --table summary --format csv
    expect_contains "$output" "Busy,87.56 % (1430.060 us)" # the union of all tasks and communication operators, of 1633.22 us
    expect_contains "$output" "Free,12.44 % (203.160 us)"
}

@test "a filter finds the time that a table shows, to the nanosecond, and texts that look like numbers" {
    local shown
    cp -r "$repository/testdata/cann/prof-910b/"PROF* PROF_1
    run_msprof -q show PROF_1 --table task_time --columns task_start --format csv
    shown=$(tail -n +2 <<<"$output" | tr -d '"\t')
    expect_equal "$(wc -l <<<"$shown") $(sort -u <<<"$shown" | wc -l)" "100 100"
    while read -r time; do
        run_msprof -q show PROF_1 --table task_time --columns task_start --format csv --filter "task_start=$time"
        expect_equal "$(tail -n +2 <<<"$output" | tr -d '"\t')" "$time"
    done < <(head -20 <<<"$shown")
    # How many begin at a time or later, before it, and after a time of which no clock tells so many digits.
    python3 - "$shown" >expected <<'END'
import sys
from decimal import Decimal
times = [Decimal(t) for t in sys.argv[1].split()]
middle = sorted(times)[37]
for name, limit in ((">=", middle), ("<", middle), (">", middle + Decimal("0.0001")), ("!=", middle)):
    count = {">=": sum(t >= limit for t in times), "<": sum(t < limit for t in times),
             ">": sum(t > limit for t in times), "!=": sum(t != limit for t in times)}[name]
    print("task_start%s%s" % (name, limit), count)
END
    expect_equal "$(wc -l <expected)" 4
    while read -r filter count; do
        run_msprof -q show PROF_1 --table task_time --columns task_start --format csv --filter "$filter"
        expect_equal "$filter $(tail -n +2 <<<"$output" | wc -l)" "$filter $count"
    done <expected
    rm -rf PROF_1
    cp -r "$repository/testdata/cann/system-910b/"PROF* PROF_1
    run_msprof -q show PROF_1 --table ai_cpu_pmu_events --columns event --format csv --filter 'event=0x11'
    expect_equal "$output" $'Event\n0x11'
    run_msprof -q show PROF_1 --table ai_cpu_pmu_events --columns event --format csv --filter 'event!=0x11'
    expect_not_contains "$output" 0x11
    expect_contains "$output" 0x
}

@test "diff tells pairs of operators apart whose names begin alike for a thousand characters" {
    local name capture
    name=$(printf 'Default/network/%.0s' $(seq 80))
    for capture in PROF_1 PROF_2; do
        program $capture <<PY
for i in range(40):
    p.op('$name' + 'abcd'[i % 4], us=100, gap=50 + 10 * (i % 4))
PY
    done
    run_msprof -q diff PROF_1 PROF_2 --format json --min-share 0
    expect_equal "$(json 'sorted(g["key"].replace("'"$name"'", "") for g in d["gaps"])')" \
        "['a -> b', 'b -> c', 'c -> d', 'd -> a']"
}

@test "a model of 2022 that the capture does not have is status 4, and nothing is written" {
    cp -r "$repository/testdata/cann/2022-910a/"PROF* PROF_1
    run_msprof -q import PROF_1
    for report in summary timeline; do
        run_msprof export $report PROF_1 --model-id 77 --output out
        expect_status 4
        expect_equal "$(find out -path "*/$report/*")" ""
    done
    run_msprof export summary PROF_1 --output out
    expect_status 0
    expect_contains "$(find out -path '*/summary/*')" op_summary
}

@test "diff: equal calls of the host are equal a step, whatever is warm-up and however far the host is ahead" {
    local longer early
    for longer in 0 400; do
        for early in 0 1; do
            program "PROF_$early$longer" <<PY
for step in range(8):
    p.at = 1000000 + 500000 * step
    p.begin_step()
    p.op('a', us=10)
    begin = 500000 + 10000 * step if $early else p.at
    for call in range(2):
        p.call('aclnnX', begin + 1000 * call, begin + 1000 * call + 500)
    p.at += 1000 * $longer * (step == 0)
    p.end_step()
PY
        done
    done
    for early in 0 1; do
        run_msprof -q diff "PROF_${early}0" "PROF_${early}400" --format json --by api --gate 'api:aclnnX:+5%' --min-share 0
        expect_status 0
        expect_equal "$(json 'd["new"]["warmup_steps"], [(g["base"], g["new"]) for g in d["gates"]]')" "(1, [(1.0, 1.0)])"
        expect_equal "$(json '[(r["total_step_base"], r["total_step_new"]) for r in d["rows"] if r["key"] == "aclnnX"]')" \
            "[(1.0, 1.0)]"
    done
}

@test "executions of one name count as what each of them is, whichever comes first" {
    local order
    for order in 'plain "AI_CORE MatMul", "AI_CORE MatMul"' 'last "AI_CORE MatMul", "AI_CPU Cast"' 'first "AI_CPU Cast", "AI_CORE MatMul"'; do
        program "PROF_${order%% *}" <<PY
for step in range(6):
    p.begin_step()
    for way in (${order#* }):
        core, kind = way.split()
        p.op('Index', 'Index', 200 if core == 'AI_CPU' else 10, core=globals()[core])
        p.op('layer', kind, 50 if kind == 'Cast' else 30)
    p.end_step()
PY
    done
    for order in last first; do
        run_msprof -q diff PROF_plain "PROF_$order" --format json --gate aicpu:=0 --gate trans:=0
        expect_status 6
        expect_equal "$(json '[(g["base"], g["new"], g["passed"]) for g in d["gates"]]')" \
            "[(0.0, 200.0, False), (0.0, 50.0, False)]"
        run_msprof -q show "PROF_$order" --table aicpu --format json
        expect_equal "$(json '[(r["Name"], r["Count"], r["Total(us)"], r["Longest(us)"], r["Share(%)"]) for r in d]')" \
            "[('Index', 6, 1200, 200, 68.97)]" # of 6 times 10 + 200 + 30 + 50
        run_msprof -q show "PROF_$order" --table conversions --format json
        expect_equal "$(json 'sum(r["Count"] for r in d), sum(r["Total(us)"] for r in d)')" "(6, 300)"
    done
}
