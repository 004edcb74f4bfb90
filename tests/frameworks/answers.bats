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
    command -v python3 >/dev/null || skip "python3 is not installed"
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
    expect_contains "$stderr" "it is made of the directory of the framework's profiler around the PROF capture"
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
    expect_contains "$output" "The stage Batch(id=1) of the data pipeline had nothing to take in 37.5 % of the samples:\
 Map(id=2) is too slow."
    run_msprof advise run_ascend_ms --format json
    expect_contains "$output" '"launched_by":"Kernel::KernelLaunch::aclnnMul_MulAiCore_Mul at train.py: step"'
    mv run_ascend_ms/PROF_* .
    run_msprof advise PROF_*
    expect_contains "$output" "data-pipeline: not checked, because no data pipeline was recorded"
    [[ $output != *"launched by"* ]]
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
    expect_contains "$stderr" "answers and timelines are without the framework's part of"
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
            expect_contains "$output" "Steps differ in what they run"
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
kind, out = sys.argv[1:]
rows = list(csv.DictReader(open('overlap.csv')))
assert [r['Source'] for r in rows] == ['framework'] * 2, rows
trace = [r['Step'] for r in csv.DictReader(open(out + '/step_trace_time.csv'))]
assert [r['Number'] for r in rows] == trace, (rows, trace)
starts = [int(r['Start(us)'].strip().replace('.', '')) for r in rows]
assert rows[1]['Period(us)'] == 'N/A' and round(float(rows[0]['Period(us)']) * 1000) == starts[1] - starts[0], rows
side = json.load(open('diff.json'))['base']
trace_file = json.load(open(glob.glob('timelines/*/*/msprof_*.json')[0]))
origin = int(trace_file['otherData']['origin_unix_ns'])
slices = [(e['name'], origin + round(e['ts'] * 1000)) for e in trace_file['traceEvents'] if e['name'].startswith('Profiler')]
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
