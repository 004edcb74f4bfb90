#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Directories of MindSpore's and PyTorch's profilers as captures of show, diff and advise.

# shellcheck disable=SC2154 # common.bash sets repository and shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load run

@test "show tells which operator on which line of Python launched what devices ran" {
    copy_run pt
    run_msprof show -dir run_ascend_pt --table lines --format csv
    expect_status 0
    expect_contains "$output" "Share(%),Total(us),Count,Longest(us),Operator,Line"
    expect_contains "$output" ",14.74,1,14.74,aten::conv2d,model.py(9): forward"
    # two operators of one name and line are one row; where no stack was recorded the call of Python around it counts
    expect_contains "$output" ",2,10.8,npu::npu_batchmatmulv2,train.py(1): main"
    copy_run ms
    run_msprof show run_ascend_ms --table lines --format csv --filter 'operator~*Cast-op18'
    expect_status 0
    expect_contains "$output" ",14.28,1,14.28,Kernel::KernelLaunch::Default/network/layer0/Cast-op18,train.py: step"
}

@test "launchers of all operators add up to what devices ran" {
    needs python3
    copy_run pt
    run_msprof show -q run_ascend_pt --table lines --format json --columns total,count
    expect_status 0
    listed=$output
    run_msprof analyse -q run_ascend_pt
    expect_status 0
    printf '%s' "$listed" >lines.json
    python3 - <<'END'
import csv, json
text = open('lines.json').read()
rows = json.loads(text[text.index('['):] if text[:1] == 'C' else text)
rows = rows['rows'] if isinstance(rows, dict) and 'rows' in rows else rows
total = sum(float(list(r.values())[0] if isinstance(r, dict) else r[0]) for r in rows)
details = list(csv.DictReader(open('run_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_details.csv')))
wanted = sum(float(r['Device Self Duration(us)']) for r in details)
assert abs(total - wanted) < 0.01, (total, wanted)
END
}

@test "show tells which stage of the data pipeline starves" {
    copy_run ms
    run_msprof show run_ascend_ms --table data_pipeline --format csv --sort input_empty
    expect_status 0
    expect_contains "$output" "Batch(id=1),37.5,Map(id=2),"
}

@test "a bare capture is told what these tables are made of" {
    copy_run pt
    mv run_ascend_pt/PROF_* .
    run_msprof show PROF_* --table lines
    expect_status 4
    expect_contains "$stderr" "which needs the directory of the framework's profiler around the PROF capture"
}

@test "the capture inside of a framework's directory is given its framework, and a parent of such directories is one" {
    copy_run pt
    run_msprof show run_ascend_pt/PROF_* --table lines --format csv
    expect_status 0
    expect_contains "$output" "aten::conv2d,model.py(9): forward"
    copy_run ms
    run_msprof show . --table lines --format csv
    expect_status 0
    expect_contains "$output" "aten::conv2d,model.py(9): forward"
    expect_contains "$output" "Cast-op18,train.py: step"
}

@test "advise names the line that launched, and the stage that starves" {
    copy_run ms
    run_msprof advise run_ascend_ms
    expect_status 0
    expect_contains "$output" "launched by Kernel::KernelLaunch::aclnnMul_MulAiCore_Mul at train.py: step"
    [[ $output != *data-pipeline* ]]
    run_msprof advise run_ascend_ms --threshold data-pipeline:30
    expect_status 0
    expect_contains "$output" "The input of stage Batch(id=1) of the data pipeline was empty in 37.5 % of the samples:\
 Map(id=2) is too slow."
    run_msprof advise run_ascend_ms --format json
    expect_contains "$output" '"launched_by":"Kernel::KernelLaunch::aclnnMul_MulAiCore_Mul at train.py: step"'
    mv run_ascend_ms/PROF_* .
    run_msprof advise PROF_*
    expect_contains "$output" "data-pipeline: not checked, because no data pipeline was recorded"
    [[ $output != *"launched by"* ]]
}

@test "advise names an operator's own launcher, of communication that of all running numbers, of a call that of its operators" {
    needs python3
    copy_run pt
    run_msprof -q advise run_ascend_pt
    expect_contains "$output" $'  aclnnMul  (at 1735689600001250.900 us, ts 1250.900)\n      launched by npu::npu_mul at train.py(1): main'
    sed -i -e 's#:Default/network/layer2/Conv2D-op8$#:Cast#' -e 's#:aclnnMul_MulAiCore_Mul$#:Cast_1#' \
        run_ascend_pt/PROF*/host/data/*hash_dic*
    run_msprof -q advise run_ascend_pt --format json
    expect_equal "$(python3 -c 'import json, sys
rows = [row for f in json.load(sys.stdin)["findings"] for row in f["evidence"]]
for name in ("Cast", "Cast_1", "hcom_broadcast__451"):
    print(name, *sorted({row["launched_by"] for row in rows if row["name"] == name}))' <<<"$output")" \
        "Cast aten::conv2d at model.py(9): forward
Cast_1 npu::npu_mul at train.py(1): main
hcom_broadcast__451 c10d::broadcast_ at train.py(1): main"
}

@test "lines of a step are what that step ran" {
    copy_run pt
    sums() {
        python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(round(sum(r["Total(us)"] for r in d), 2), sum(r["Count"] for r in d))' \
            "$BATS_TEST_TMPDIR/stdout"
    }
    for step in 1 2; do
        run_msprof -q show run_ascend_pt --table lines --step $step --format json
        of_lines=$(sums)
        run_msprof -q show run_ascend_pt --table ops --step $step --format json
        expect_equal "$of_lines" "$(sums)"
        [ "$of_lines" != "0 0" ]
    done
}

@test "diff compares two runs by the lines that launched" {
    copy_run pt
    cp -r run_ascend_pt other_ascend_pt
    run_msprof diff run_ascend_pt other_ascend_pt --by line
    expect_status 0
    expect_contains "$output" "aten::conv2d at model.py(9): forward"
    run_msprof diff --save base.json --base run_ascend_pt
    expect_status 0
    run_msprof diff base.json other_ascend_pt --by line
    expect_status 0
    expect_contains "$output" "aten::conv2d at model.py(9): forward"
}

@test "what lines launched is divided by all steps, those of warm-up too" {
    needs python3
    copy_run pt
    "$MSPROF" -q diff --save base.json --base run_ascend_pt
    # the same capture, of whose two steps the first is warm-up
    python3 - <<'END'
import hashlib
text = open('base.json').read().rsplit(',\n"sha256":"', 1)[0]
assert text.count('"steps":"2","warmup":"0"') == 1
text = text.replace('"steps":"2","warmup":"0"', '"steps":"1","warmup":"1"')
open('warm.json', 'w').write('%s,\n"sha256":"%s"}\n' % (text, hashlib.sha256(text.encode()).hexdigest()))
END
    run_msprof -q diff base.json warm.json --by line --format json --min-share 0
    expect_equal "$(python3 -c 'import json, sys
print([(r["total_step_base"], r["total_step_new"]) for r in json.load(sys.stdin)["rows"] if "conv2d" in r["key"]])' <<<"$output")" \
        "[(7.37, 7.37)]" # 14.74 us
}

@test "damaged records of the framework are named, and answers come without them" {
    copy_run pt
    truncate -s -7 run_ascend_pt/FRAMEWORK/torch.op_range
    run_msprof show run_ascend_pt --table lines --format csv
    expect_status 3
    expect_contains "$stderr" "torch.op_range"
    expect_contains "$output" "aten::conv2d,model.py(9): forward"
    rm run_ascend_pt/profiler_info_1.json
    run_msprof show run_ascend_pt --table ops
    expect_status 3
    expect_contains "$stderr" "run_ascend_pt: " "framework-unreadable"
}

@test "runs of 4 and of 2 steps of a framework are no regression, whichever is the base" {
    needs_python
    needs_shared tools/gen_ascend_ms.py
    for kind in ms pt; do
        for steps in 4 2; do
            python3 "$shared/tools/gen_ascend_ms.py" "made$steps" --kind "$kind" --steps "$steps" >/dev/null
            mv "made$steps"/gen_* "run${steps}_ascend_$kind"
        done
        for order in "4 2" "2 4"; do
            run_msprof diff -q "run${order% *}_ascend_$kind" "run${order#* }_ascend_$kind"
            expect_status 0
            expect_contains "$output" "Verdict: ok"
            expect_contains "$output" "steps: ${order% *} -> ${order#* }"
            expect_contains "$output" "Steps run different operators"
            expect_contains "$output" "Smallest change that would show: >1000% of one op"
            expect_not_contains "$output" "regression"
        done
        rm -r made* run?_ascend_"$kind"
    done
}

@test "steps of MindSpore and PyTorch are steps of every answer" {
    needs_python
    for kind in ms pt; do
        copy_run "$kind"
        run_msprof show -q "run_ascend_$kind" --table overlap --format csv --columns number,source,start,period,step_time
        expect_status 0
        printf '%s\n' "$output" >overlap.csv
        run_msprof show -q "run_ascend_$kind" --table summary --format csv
        expect_contains "$output" 'Steps,"2 (framework), 0 of them warm-up"'
        run_msprof diff -q "run_ascend_$kind" "run_ascend_$kind" --format json --gate period:+0% --gate step_time:+0% --gate fps:+0
        expect_status 0
        printf '%s' "$output" >diff.json
        run_msprof advise -q "run_ascend_$kind"
        expect_status 0
        run_msprof export timeline -q "run_ascend_$kind" --output timelines
        run_msprof export timeline -q "run_ascend_$kind" --output compat --trace-compat
        expect_not_contains "$(cat compat/*/*/msprof_*.json)" ProfilerStep
        run_msprof analyse -q "run_ascend_$kind"
        # the steps of the analysis: numbers, and where the operators of each begin
        python3 - "$kind" "$out" <<'END'
import csv, glob, json, sys
from timeline import read_timeline
kind, out = sys.argv[1:]
rows = list(csv.DictReader(open('overlap.csv')))
assert [r['Source'] for r in rows] == ['framework'] * 2, rows
trace = [r['Step'] for r in csv.DictReader(open(out + '/step_trace_time.csv'))]
assert [r['Number'] for r in rows] == trace, (rows, trace)
starts = [int(r['Start(us)'].strip().replace('.', '')) for r in rows]
assert rows[1]['Period(us)'] == 'N/A' and round(float(rows[0]['Period(us)']) * 1000) == starts[1] - starts[0], rows
side = json.load(open('diff.json'))['base']
trace_file = read_timeline(glob.glob('timelines/*/*/msprof_*.json')[0])
origin = int(trace_file.facts['origin_unix_ns'])
slices = [(e['name'], origin + round(e['ts'] * 1000)) for e in trace_file.events if e['name'].startswith('Profiler')]
assert slices == [('ProfilerStep#' + r['Number'], s) for r, s in zip(rows, starts)], (slices, starts)
assert side['steps'] == 2 and side['period'] == float(rows[0]['Period(us)']), side
if kind == 'pt':  # a step begins with its first kernel there
    details = list(csv.DictReader(open(out + '/kernel_details.csv')))
    for step, start in zip(trace, starts):
        first = min(int(r['Start Time(us)'].strip().replace('.', '')) for r in details if r['Step Id'] == step)
        assert first == start, (step, first, start)
END
        rm -r timelines compat
    done
}

@test "a flame has the stacks of Python and of PyTorch's operators around what they launched" {
    needs python3
    copy_run pt
    for weight in device count host; do
        run_msprof -q export flame run_ascend_pt --weight "$weight"
        expect_status 0
    done
    run_msprof -q show run_ascend_pt --table ops --format csv
    mv "$BATS_TEST_TMPDIR/stdout" ops.csv
    run_msprof -q analyse run_ascend_pt
    PYTHONPATH=$repository/tests/lib python3 - <<'END'
import collections, csv, flame, glob, struct

def records(path, fixed):
    data, at = open(path, 'rb').read(), 0
    while at < len(data):
        kind, length = struct.unpack_from('<HI', data, at)
        value, texts, inner = data[at + 6:at + 6 + length], {}, fixed
        while inner < length:
            number, size = struct.unpack_from('<HI', value, inner)
            texts[number] = value[inner + 6:inner + 6 + size].decode()
            inner += 6 + size
        yield value, texts
        at += 6 + length

# operators and calls of Python as they were recorded, in ticks of one clock
frames, ops = [], []
for value, texts in records('run_ascend_pt/FRAMEWORK/torch.op_range', 58):
    start, end, sequence, pid, thread = struct.unpack_from('<qqqqq', value)
    ops.append((thread, start, end, texts[2], texts.get(8)))
    frames.append((thread, start, end, texts[2], True))
names = {}
for value, texts in records('run_ascend_pt/FRAMEWORK/torch.python_tracer_hash', 8):
    names[struct.unpack_from('<Q', value)[0]] = texts[1]
open_calls = []
data = open('run_ascend_pt/FRAMEWORK/torch.python_tracer_func', 'rb').read()
for time, thread, pid, key, tag in sorted(struct.iter_unpack('<QQQQB', data)):
    if tag in (0, 2):
        open_calls.append((thread, time, key))
    elif open_calls:
        thread, start, key = open_calls.pop()
        frames.append((thread, start, time, names[key], False))
last = max(row[0] for row in struct.iter_unpack('<QQQQB', data))
frames += [(thread, start, last, names[key], False) for thread, start, key in open_calls]

def around(op):
    thread, start, end = op[:3]
    inside = [f for f in frames if f[0] == thread and f[1] <= start and (start < f[2] or end <= f[2])]
    return sorted(inside, key=lambda f: (f[1], -f[2], f[4]))

def stack_of(op):
    outer = around(op)
    texts = [o[4] for o in sorted((o for o in ops if o[0] == op[0] and o[1] <= op[1] and op[2] <= o[2] and o[4]),
                                  key=lambda o: o[2] - o[1])]
    if texts:  # the recorded stack, the innermost line first
        lines = [line.strip() for line in texts[0].split(';')]
        return tuple(reversed(lines)) + tuple(f[3] for f in outer if f[4])
    return tuple(f[3] for f in outer)

possible = {stack_of(op) for op in ops}
path, = glob.glob('run_ascend_pt/PROF_*/flame/flame_device.collapsed')
device = flame.read(path)
rows = flame.Ascend(glob.glob('run_ascend_pt/PROF_*/sqlite/runtime.db')[0])
calls = rows.device()  # without the framework: stacks of calls and operators
by_calls, by_op = collections.Counter(), collections.Counter()
for stack, weight in device.items():
    heads = [head for head in possible if stack[:len(head)] == head and stack[len(head):] in calls]
    assert heads, stack
    head = max(heads, key=len)
    by_calls[stack[len(head):]] += weight
    by_op[head[-1]] += weight
assert by_calls == calls
# PyTorch's own table of what each operator launched, which another exporter writes
wanted = collections.Counter()
for row in csv.DictReader(open('run_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_details.csv')):
    wanted[row['Name']] += round(float(row['Device Self Duration(us)']) * 1000)
assert by_op == +wanted, (by_op, wanted)
assert any('train.py(1): main' in stack for stack in device) and any('train.py(10): main' in stack for stack in device)
assert sum(flame.read(path.replace('device', 'count')).values()) == sum(int(r['Count']) for r in csv.DictReader(open('ops.csv')))
# the host's time: each thread's is what its outermost frames took
host = flame.read(path.replace('device', 'host'))
by_name = collections.Counter()
for stack, weight in host.items():
    by_name[stack[-1]] += weight
own = rows.host()
for stack, weight in own.items():
    by_name[stack[-1]] -= weight
assert by_name['ProfilerStep#5'] > 0 and all(by_name[stack[-1]] == 0 for stack in own)
moments = set()  # ticks of 10 ns, of operators and Python
for _, start, end, _, _ in frames:
    moments.update(range(start, end))
assert sum(by_name.values()) == 10 * len(moments), (sum(by_name.values()), 10 * len(moments))
END
}

@test "a flame has the stacks of MindSpore's ranges, those of the thread that an arrow comes from too" {
    needs python3
    copy_run ms
    run_msprof -q export flame run_ascend_ms
    expect_status 0
    run_msprof -q show run_ascend_ms --table lines --format csv --columns total,operator,line
    mv "$BATS_TEST_TMPDIR/stdout" lines.csv
    PYTHONPATH=$repository/tests/lib python3 - <<'END'
import collections, csv, flame, glob
device = flame.read(glob.glob('run_ascend_ms/PROF_*/flame/flame_device.collapsed')[0])
calls = flame.Ascend(glob.glob('run_ascend_ms/PROF_*/sqlite/runtime.db')[0]).device()
by_calls, by_line = collections.Counter(), collections.Counter()
for stack, weight in device.items():
    cut = min(i for i in range(len(stack)) if stack[i:] in calls)
    by_calls[stack[cut:]] += weight
    assert stack[cut - 1].startswith('Kernel::KernelLaunch::')
    by_line[stack[cut - 1], next((f for f in stack[:cut] if f.startswith('train.py')), '')] += weight
assert by_calls == calls
wanted = {(row['Operator'], row['Line']): round(float(row['Total(us)']) * 1000) for row in csv.DictReader(open('lines.csv'))}
assert by_line == wanted, (by_line, wanted)
END
}
