#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Iterations of every chip: the table and track of all of them, and reports of some, against a recalculation of the marks.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets MSPROF, shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
}

recompute_steps() {
    python3 "$BATS_TEST_DIRNAME/lib/recompute_steps.py" "$@"
}

# All iterations of the capture, and the reports of some: "model iteration count".
expect_iterations() {
    local wanted
    for report in summary timeline; do
        run_msprof export "$report" -dir PROF_1
        expect_status 0
    done
    recompute_steps PROF_1
    for wanted in "$@"; do
        # shellcheck disable=SC2086 # three numbers
        set -- $wanted
        run_msprof export summary -dir PROF_1 --model-id "$1" --iteration-id "$2" --iteration-count "$3" --output part
        expect_status 0
        recompute_steps PROF_1 "$1" "$2" "$3" part/mindstudio_profiler_output
        rm -r part
    done
}

# Two models whose iterations overlap, with propagations and all-reduces, and steps that a program marks.
write_iterations() { # chip
    write_capture <<END
import random
random.seed($1)
p.chip = $1
for i in range(120):
    p.launch(200 * i, 1 + i % 2, i + 1, 'op%d' % i)
    p.ran(1000 * (i + 1), 1000 * (i + 1) + random.randrange(100, 900, 20), 1 + i % 2, i + 1)
for model, begins, lasts in ((3, 500, 12000), (4, 700, 20000)):
    time = begins
    for iteration in range(5):
        p.step(time, 0, model)
        marks = sorted(random.sample(range(time + 20, time + lasts - 20, 20), 4))
        for mark, tag in zip(marks, (2, 10000, 10001, 3)):
            p.step(mark, tag, model)
        p.step(time + lasts - 20, 4, model)
        time += lasts
for step in range(6):
    p.step(2000 + 15000 * step, 60000, 4294967295, index=step + 1)
    p.step(2000 + 15000 * step + 9000, 60001, 4294967295, index=step + 1)
END
}

@test "iterations of every chip come out as its marks say, and cut the reports" {
    for chip in 0 1 2 3 4 5 7 8 11; do
        rm -rf PROF_1
        write_iterations "$chip"
        expect_iterations "3 1 1" "3 4 1" "4 2 1" "4 1 3" "3 2 9"
    done
}

@test "steps that were marked by themselves have no model: no thread, table or comparison names 4294967295" {
    local lanes='.[] | select(.name == "thread_name" and .tid >= 69999 and .tid < 70100)
                 | "\(.tid) \(.args.name)"'
    write_iterations 5
    run_msprof export timeline -q --stable-names --output ours -dir PROF_1
    expect_status 0
    run_msprof export timeline -q --stable-names --trace-compat --output theirs -dir PROF_1
    expect_status 0
    for name in msprof step_trace; do
        expect_equal "$(jq -r "$lanes" "ours/mindstudio_profiler_output/$name.json")" \
            $'69999 Step Trace\n70003 Step Trace(Model ID:3)\n70004 Step Trace(Model ID:4)'
        expect_equal "$(jq -r "$lanes" "theirs/mindstudio_profiler_output/$name.json" | head -n 1)" \
            '69999 Step Trace(Model ID:4294967295)'
    done
    run_msprof show --table steps --columns model_id,steps,median --format csv -dir PROF_1
    expect_status 0
    expect_equal "$output" $'Model_id,Steps,Median(us)\n3,5,11.98\n4,5,19.98\nN/A,6,9'
    run_msprof diff --base PROF_1 --new PROF_1 --by step --format csv
    expect_status 0
    expect_equal "$(sed -n "2s/.*,//p" <<<"$output")" marked # the key is the family, and a model only where there is one
    expect_not_contains "$output" "4294967295"
}

@test "the table of jobs has of each model the iterations of step_trace, the longest first" {
    write_iterations 5
    run_msprof export summary --stable-names -dir PROF_1
    run_msprof query -dir PROF_1
    expect_status 0
    python3 - "$output" <<'END'
import csv, sys
found = {}
for line in sys.argv[1].splitlines():
    cells = [cell.strip() for cell in line.split('│')]
    if len(cells) > 7 and cells[5].isdigit():
        found[cells[5]] = (int(cells[6]), cells[7])
times = {}
for row in csv.DictReader(open('PROF_1/mindstudio_profiler_output/step_trace.csv')):
    if row['Model ID'].isdigit():
        times.setdefault(row['Model ID'], []).append((-float(row['Iteration Time(us)']), int(row['Iteration ID'])))
assert {model: len(steps) for model, steps in times.items()} == {'3': 5, '4': 5}, times
assert found == {model: (len(steps), ','.join(str(number) for _, number in sorted(steps)[:5]))
                 for model, steps in times.items()}, (found, times)
END
}

@test "the table of jobs fits the terminal, and is a line a row in a pipe" {
    command -v script >/dev/null || skip "script(1) is not installed"
    write_iterations 5
    run_msprof import -q -dir PROF_1
    for width in 60 80; do
        script -qec "stty cols $width; '$MSPROF' query -q -dir PROF_1" /dev/null | tr -d '\r' >shown
        [ "$(wc -L <shown)" -le "$width" ]
        grep -q "Rank" shown
    done
    run_msprof query -q -dir PROF_1
    expect_equal "$(wc -l <<<"$output")" 7
}

@test "iterations of chips 2 and 11 are right in captures with everything else" {
    needs_shared tools/gen_system.py
    /usr/bin/python3 -c 'import numpy' 2>/dev/null || skip "numpy is not installed"
    for chip in "2 1" "11 5"; do
        # shellcheck disable=SC2086 # the chip, and the one whose records it has
        set -- $chip
        rm -rf PROF_1 made
        /usr/bin/python3 "$shared/tools/gen_prof.py" made -n 300 --chip "$2" --seed "$1" >/dev/null
        /usr/bin/python3 "$shared/tools/gen_system.py" made --platform "$1" --iters 6 --seed "$1" --skip hccs >/dev/null
        mv made/PROF_* PROF_1
        expect_iterations "1 2 1" "1 3 2" "2 1 1" "2 6 1"
    done
}

@test "reports of one iteration have the tables of the system, whole, and what is said of its tasks alone" {
    copy_family system-910b PROF_1
    python3 - <<'END'
import struct
with open('PROF_1/device_0/data/ts_track.data.0.slice_0', 'wb') as marks:
    for tick, tag in ((50000, 0), (57500, 4), (62000, 4), (66000, 4)): # model 1 begins, and its iterations end
        marks.write(struct.pack('<BBHIQQQHHHH', 1, 10, 40, 0, 77000000000 + tick, 1, 1, 1, 0, tag, 0))
END
    run_msprof export summary -dir PROF_1 --output whole --stable-names
    expect_status 0
    run_msprof export summary -dir PROF_1 --output part --stable-names --model-id 1 --iteration-id 2
    expect_status 0
    python3 - <<'END'
import csv, filecmp, os
whole, part = (os.path.join(d, 'mindstudio_profiler_output') for d in ('whole', 'part'))
of_tasks = {'aicpu.csv', 'api_statistic.csv', 'l2_cache.csv', 'op_statistic.csv', 'op_summary.csv', 'page_fault.csv', 'soc_pmu.csv',
            'task_time.csv', 'communication_statistic.csv', 'communication.json', 'communication_matrix.json'}
system = set(os.listdir(whole)) - of_tasks
assert len(system) > 25, system
for name in system:
    assert os.path.exists(os.path.join(part, name)), name
    assert filecmp.cmp(os.path.join(whole, name), os.path.join(part, name), False), name
rows = lambda directory, name: list(csv.DictReader(open(os.path.join(directory, name))))
tasks = {(r['Stream ID'], r['Task ID']) for r in rows(part, 'op_summary.csv')}
assert 0 < len(tasks) < len(rows(whole, 'op_summary.csv'))
for name in ('l2_cache.csv', 'soc_pmu.csv', 'page_fault.csv'):
    some, names = rows(part, name), {r['Op Name'] for r in rows(whole, name)}
    assert 0 < len(some) < len(rows(whole, name)), name
    assert {r['Op Name'] for r in some} <= names, name
END
}

@test "an iteration of a model has what ran in its time of that model and of none, and not what ran of another" {
    write_capture <<'END'
p.capture(10, 1, 1)
p.capture(20, 2, 2)
for i in range(8):
    for stream in (1, 2, 3):
        p.launch(1000 * i + 200 * stream, stream, i, 'model%d_%d' % (stream, i))
        p.ran(20000 + 10000 * i + 1000 * stream, 20500 + 10000 * i + 1000 * stream, stream, i)
for i in range(4):
    for model, shift in ((1, 0), (2, 10000)):
        p.step(20000 + 20000 * i + shift, 0, model, index=i + 1, stream=model)
        p.step(39000 + 20000 * i + shift, 4, model, index=i + 1, stream=model)
END
    for iteration in 1:1:'model1_0 model3_0 model1_1 model3_1' 1:3:'model1_4 model3_4 model1_5 model3_5' \
        2:1:'model2_1 model3_1 model2_2 model3_2'; do
        IFS=: read -r model number expected <<<"$iteration"
        rm -rf out
        run_msprof export summary -dir PROF_1 --output out --stable-names --model-id "$model" --iteration-id "$number"
        expect_status 0
        expect_equal "$(tail -n +2 out/mindstudio_profiler_output/op_summary.csv | cut -d, -f5 | paste -sd' ')" "$expected"
    done
}
