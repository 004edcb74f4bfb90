#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Directories of MindSpore's and PyTorch's profilers: msprof analyse.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository and shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load run

# A generated directory of shared data: every cell and leaf as the framework's own analysis made it, but for what the
# manual says.
agree_with_framework() {
    needs_python
    [ -d "$shared/data/expected/$1" ] || skip "the shared data are not there: $shared/data/expected/$1"
    cp -r "$shared/data/generated/$1" run
    chmod -R u+w run
    run_msprof analyse run
    expect_status 0
    python3 "$BATS_TEST_DIRNAME/agree.py" "$(echo run/*/ASCEND_PROFILER_OUTPUT)" \
        "$shared/data/expected/$1/ASCEND_PROFILER_OUTPUT" "${@:2}"
}

@test "every file of a MindSpore directory is that of MindSpore's own analysis" {
    agree_with_framework ascend-ms-small --hccl "$shared/data/expected/ascend-ms-small/step_trace_time.hccl.csv"
}

@test "every file of a PyTorch directory is that of PyTorch's own analysis" {
    agree_with_framework ascend-ms-pt-small
}

@test "steps and kernels of a MindSpore directory equal a plain recalculation from the raw records" {
    needs_python
    copy_run ms
    run_msprof analyse run_ascend_ms
    expect_status 0
    run python3 "$BATS_TEST_DIRNAME/recompute.py" run_ascend_ms "$out"
    expect_equal "$output" "2 23"
}

@test "all files of both frameworks are there, and analyse.done of PyTorch's" {
    copy_run ms
    copy_run pt
    run_msprof analyze . --jobs 2
    expect_status 0
    expect_equal "$(cd run_ascend_ms/ASCEND_PROFILER_OUTPUT && echo *)" "api_statistic.csv communication.json \
communication_analyzer.db communication_matrix.json dataset.csv kernel_details.csv memory_record.csv minddata_pipeline_raw_1.csv \
minddata_pipeline_summary_1.csv minddata_pipeline_summary_1.json npu_module_mem.csv op_statistic.csv \
operator_details.csv operator_memory.csv step_trace_time.csv trace_view.json"
    expect_equal "$(cd run_ascend_pt/ASCEND_PROFILER_OUTPUT && echo *)" "analyse.done api_statistic.csv \
communication.json communication_matrix.json kernel_details.csv memory_record.csv npu_module_mem.csv op_statistic.csv \
operator_details.csv operator_memory.csv step_trace_time.csv task_time.csv trace_view.json"
}

@test "a list of steps, with a gap too, leaves these in the tables and in the timeline" {
    needs_python
    copy_run ms
    run_msprof analyse run_ascend_ms --step-list 5
    expect_status 0
    expect_equal "$(cut -d , -f 1 "$out/step_trace_time.csv" | tail -n +2)" 5
    expect_equal "$(cut -d , -f 1 "$out/kernel_details.csv" | tail -n +2 | sort -u)" 5
    python3 - "$out" <<'END'
import json, sys
steps = [e['name'] for e in json.load(open(sys.argv[1] + '/trace_view.json')) if 'ProfilerStep#' in e['name']]
assert len(steps) == 1 and steps[0].endswith('#5'), steps
assert list(json.load(open(sys.argv[1] + '/communication.json'))) == ['step5']
END
    run_msprof analyse run_ascend_ms --step-list 4,9
    expect_status 3
    expect_contains "$stderr" "not written: the rows of a step, because the capture has 2 steps, but no step 9"
    expect_equal "$(cut -d , -f 1 "$out/step_trace_time.csv" | tail -n +2)" 4
    run_msprof analyse run_ascend_ms --step-list 4-5
    expect_status 2
}

@test "a list of steps that are not there is status 4, says which there are, and leaves the results as they were" {
    copy_run ms
    copy_run pt
    "$MSPROF" analyse -q run_ascend_ms run_ascend_pt
    mkdir before
    cp -r run_ascend_ms run_ascend_pt before
    run_msprof analyse run_ascend_ms run_ascend_pt --step-list 7,99 --export text,db
    expect_status 4
    expect_contains "$stderr" "run_ascend_ms': --step-list chooses no step of the capture; available: 4, 5"
    expect_contains "$stderr" "run_ascend_pt': --step-list chooses no step of the capture; available: 4, 5"
    diff -r before/run_ascend_ms run_ascend_ms
    diff -r before/run_ascend_pt run_ascend_pt
    rm -r run_ascend_pt/PROF_* "$out"
    run_msprof analyse run_ascend_pt --step-list 99
    expect_status 4
    [ ! -e "$out" ]
}

@test "a list of steps leaves in tables of operators and memory the rows that began in these" {
    needs_python
    copy_run ms
    copy_run pt
    "$MSPROF" analyse -q run_ascend_ms run_ascend_pt
    for kind in ms pt; do
        mv "run_ascend_$kind/ASCEND_PROFILER_OUTPUT" "all_$kind"
    done
    run_msprof analyse run_ascend_ms run_ascend_pt --step-list 5
    expect_status 0
    python3 - <<'END'
import csv, json

def rows(directory, name):
    return list(csv.DictReader(open(directory + '/' + name, newline='')))

for kind in 'ms', 'pt':
    whole, chosen = 'all_' + kind, 'run_ascend_%s/ASCEND_PROFILER_OUTPUT' % kind
    trace = json.load(open(whole + '/trace_view.json'))
    step = [e for e in trace if 'ProfilerStep#5' in e['name']][0]
    begin = float(step['ts'])
    # the last step: until everything was done
    for name, column in ('operator_memory.csv', 'Allocation Time(us)'), ('memory_record.csv', 'Timestamp(us)'):
        wanted = [r for r in rows(whole, name) if float(r[column]) >= begin]
        assert 0 < len(wanted) < len(rows(whole, name)), (kind, name)
        kept = rows(chosen, name)
        ends = [r for r in wanted if r not in kept]
        assert all(r in wanted for r in kept) and kept, (kind, name)
        assert all(float(r[column]) > begin + 100 for r in ends), (kind, name, ends)
names = [r['Name'] for r in rows('run_ascend_pt/ASCEND_PROFILER_OUTPUT', 'operator_details.csv')]
starts = sorted(float(e['ts']) for e in trace if e.get('cat') == 'cpu_op' and 'ProfilerStep' not in e['name'])
assert len(names) == len([t for t in starts if t >= begin]), names
END
}

@test "steps are taken as a script of Python lists them, in the vendor's spelling of the option too" {
    needs_python
    copy_run ms
    run_msprof analyse run_ascend_ms --step-list 5
    expect_status 0
    mv "$out" wanted
    for list in --step_list=5 "--step_list=[5]" "--step-list=[ 5 ]"; do
        run_msprof analyse run_ascend_ms "$list"
        expect_status 0
        diff -r wanted "$out"
    done
    run_msprof analyse run_ascend_ms --step_list '[2,3,x]'
    expect_status 2
    expect_contains "$stderr" "expected numbers as in 10,11,12 or [10, 11, 12]"
}

@test "a directory that is called like a capture and holds none is named, status 3, and the others are analysed" {
    mkdir parent
    cp -R "$repository"/testdata/frameworks/*_ascend_ms parent/run_ascend_ms
    mkdir parent/empty_ascend_ms parent/b_123_ascend_pt parent/other
    run_msprof analyse parent
    expect_status 3
    expect_contains "$stderr" "skipped: '$PWD/parent/empty_ascend_ms' has no readable FRAMEWORK/ or PROF_"
    expect_contains "$stderr" "skipped: '$PWD/parent/b_123_ascend_pt' has"
    expect_not_contains "$stderr" "parent/other"
    [ -d parent/run_ascend_ms/ASCEND_PROFILER_OUTPUT ]
    rm -r parent/empty_ascend_ms parent/b_123_ascend_pt
    run_msprof analyse parent
    expect_status 0
}

@test "options of directories are refused with --rule, and those of --rule without it" {
    copy_run ms
    local option
    for option in "--type db" --clear; do
        # shellcheck disable=SC2086
        run_msprof analyse run_ascend_ms $option
        expect_status 2
        expect_contains "$stderr" "$option needs --rule"
    done
    for option in --step-list=4 --export=text --pretty --simplify --relative-times --force --jobs=2; do
        run_msprof analyse --rule communication run_ascend_ms/PROF_* "$option"
        expect_status 2
        expect_contains "$stderr" "${option%=*} cannot be combined with --rule"
    done
    diff -r "$repository/testdata/frameworks/run_ascend_ms" run_ascend_ms
}

@test "--pretty changes JSON files in nothing but their blanks" {
    needs_python
    copy_run ms
    "$MSPROF" analyse -q run_ascend_ms
    mv "$out" plain
    run_msprof analyse run_ascend_ms --pretty
    expect_status 0
    grep -q '^    {$' "$out/trace_view.json"
    python3 - plain "$out" <<'END'
import json, os, sys
for name in sorted(os.listdir(sys.argv[1])):
    if name.endswith('.json'):
        a, b = (json.load(open(os.path.join(d, name))) for d in sys.argv[1:])
        assert a == b, name
END
}

@test "--simplify removes what the results do not need, and only of what is complete" {
    copy_run ms
    "$MSPROF" export flame -q run_ascend_ms/PROF_*
    run_msprof analyse run_ascend_ms --simplify
    expect_status 0
    [ ! -e run_ascend_ms/FRAMEWORK ]
    [ ! -e "$(echo run_ascend_ms/PROF_*)/sqlite" ]
    [ ! -e "$(echo run_ascend_ms/PROF_*)/flame" ]
    [ -f "$(echo run_ascend_ms/PROF_*)/device_0/data/stars_soc.data.0.slice_0" ]
    [ -f "$out/kernel_details.csv" ]
    rm -r run_ascend_ms
    copy_run ms
    truncate -s 5000 run_ascend_ms/FRAMEWORK/mindspore.op_range
    run_msprof analyse run_ascend_ms --simplify
    expect_status 3
    [ -d run_ascend_ms/FRAMEWORK ]
}

@test "--simplify removes by list: records that nobody read, files of users and what they changed stay" {
    copy_run ms
    local prof
    prof=$(echo run_ascend_ms/PROF_*)
    "$MSPROF" export summary -q "$prof"
    mkdir -p "$prof/host/sqlite"
    for mine in FRAMEWORK/mindspore.of_tomorrow "${prof##*/}/log/notes.txt" "${prof##*/}/mindstudio_profiler_output/mine.csv" \
        "${prof##*/}/sqlite/mine.db" "${prof##*/}/host/sqlite/theirs.db"; do
        mkdir -p "$(dirname "run_ascend_ms/$mine")"
        echo mine >"run_ascend_ms/$mine"
    done
    local changed
    changed=$(echo "$prof"/mindstudio_profiler_output/op_summary_*.csv)
    echo "a note" >>"$changed"
    run_msprof analyse run_ascend_ms --simplify
    expect_status 0
    expect_contains "$stderr" "still contains 1 file that were not read, the first is 'mindspore.of_tomorrow'"
    expect_equal "$(ls run_ascend_ms/FRAMEWORK)" mindspore.of_tomorrow
    expect_contains "$(<"$changed")" "a note"
    expect_equal "$(ls "$prof"/mindstudio_profiler_output)" "$(printf '%s\n' mine.csv "${changed##*/}" | sort)"
    expect_equal "$(find "$prof"/log "$prof"/sqlite "$prof"/host/sqlite -type f -printf '%f ')" "notes.txt mine.db theirs.db "
    # what is left makes less: results that are there stay
    cp -r run_ascend_ms/ASCEND_PROFILER_OUTPUT whole
    run_msprof analyse run_ascend_ms
    expect_contains "$stderr" "is kept: it may contain more"
    diff -r whole run_ascend_ms/ASCEND_PROFILER_OUTPUT
}

@test "--simplify is refused where the results would stand among what it removes, of any directory of the command" {
    copy_run ms
    copy_run pt
    cp -r . ../before
    local place
    for place in FRAMEWORK FRAMEWORK/new "PROF/summary" PROF/host/new PROF; do
        run_msprof analyse run_ascend_ms run_ascend_pt --simplify --output "run_ascend_pt/${place/PROF/$(cd run_ascend_pt && echo PROF_*)}"
        expect_status 2
        expect_contains "$stderr" "is inside a directory that --simplify removes from '$PWD/run_ascend_pt'"
        diff -r ../before .
    done
    ln -s "$PWD/run_ascend_pt/FRAMEWORK" ../link
    run_msprof analyse run_ascend_pt --simplify --output ../link/results
    expect_status 2
    diff -r ../before .
}

@test "what a user put into ASCEND_PROFILER_OUTPUT, or changed in it, is kept when the results are made anew" {
    copy_run pt
    "$MSPROF" analyse -q run_ascend_pt
    cp -r "$out" ../first
    echo mine >"$out/notes.txt"
    echo "a note" >>"$out/kernel_details.csv"
    run_msprof analyse run_ascend_pt
    expect_status 0
    expect_contains "$stderr" "was kept as '$PWD/$out/kernel_details.kept.csv'"
    expect_equal "$(<"$out/notes.txt")" mine
    expect_equal "$(tail -n 1 "$out/kernel_details.kept.csv")" "a note"
    cmp "$out/kernel_details.csv" ../first/kernel_details.csv
    # a copy is as msprof wrote it
    cp -r run_ascend_pt copy_ascend_pt
    run_msprof analyse copy_ascend_pt
    expect_equal "$(ls copy_ascend_pt/ASCEND_PROFILER_OUTPUT)" "$(ls "$out")"
}

@test "--simplify leaves a log that another program began, and what has the name of a list and is none" {
    copy_run ms
    local prof
    prof=$(echo run_ascend_ms/PROF_*)
    mkdir "$prof/log"
    echo "a line of another program" >"$prof/log/collection.log"
    echo "my notes" >"$prof/log/exported-notes"
    run_msprof analyse run_ascend_ms --simplify
    expect_status 0
    [ ! -e run_ascend_ms/FRAMEWORK ]
    expect_equal "$(ls "$prof/log")" "$(printf '%s\n' collection.log exported-notes)"
    expect_equal "$(head -n 1 "$prof/log/collection.log")" "a line of another program"
    expect_equal "$(<"$prof/log/exported-notes")" "my notes"
}

@test "a user's file outlives a run that was killed before it was kept, also when a result was changed since" {
    copy_run pt
    "$MSPROF" analyse -q run_ascend_pt
    cp -a "$out" ../old
    cp run_ascend_pt/.msprof_analyse.files ../files
    rm -r "$out"
    "$MSPROF" analyse -q run_ascend_pt
    # killed when its results were in place, and what was there before was not looked through
    echo mine >../old/notes.txt
    mv ../old run_ascend_pt/.ASCEND_PROFILER_OUTPUT.msprof
    mv run_ascend_pt/.msprof_analyse.files run_ascend_pt/.msprof_analyse.new
    mv ../files run_ascend_pt/.msprof_analyse.files
    echo "a note" >>"$out/kernel_details.csv"
    run_msprof analyse run_ascend_pt
    expect_status 0
    expect_equal "$(<"$out/notes.txt")" mine
    expect_equal "$(tail -n 1 "$out/kernel_details.kept.csv")" "a note"
    [ ! -e run_ascend_pt/.ASCEND_PROFILER_OUTPUT.msprof ]
    [ ! -e run_ascend_pt/.msprof_analyse.new ]
    # killed before: what it had written is nobody's
    cp -a "$out" run_ascend_pt/.ASCEND_PROFILER_OUTPUT.msprof
    rm run_ascend_pt/.ASCEND_PROFILER_OUTPUT.msprof/{notes.txt,*.kept.csv}
    sed 's/^[0-9]* [0-9.]*/1 1.000000000/' run_ascend_pt/.msprof_analyse.files >run_ascend_pt/.msprof_analyse.new
    ls "$out" >../before
    run_msprof analyse run_ascend_pt
    expect_status 0
    expect_equal "$(ls "$out")" "$(<../before)"
}

@test "--simplify is refused with options that write a part, before anything is done" {
    copy_run ms
    local arguments
    for arguments in "--step-list 4" "--export db"; do
        # shellcheck disable=SC2086
        run_msprof analyse run_ascend_ms $arguments --simplify
        expect_status 2
        expect_contains "$stderr" "--simplify removes the input of all results, but ${arguments% 4} writes only some of them"
        diff -r "$repository/testdata/frameworks/run_ascend_ms" run_ascend_ms
    done
    run_msprof analyse run_ascend_ms --export db,text --simplify
    expect_status 0
    [ ! -e run_ascend_ms/FRAMEWORK ]
}

@test "results that msprof did not write are replaced only with --force, its own always" {
    copy_run ms
    mkdir "$out"
    echo theirs >"$out/kernel_details.csv"
    run_msprof analyse run_ascend_ms
    expect_status 1
    expect_contains "$stderr" "msprof did not write it"
    expect_equal "$(cat "$out"/*)" theirs
    run_msprof analyse run_ascend_ms --force
    expect_status 0
    [ -f "$out/trace_view.json" ]
    run_msprof analyse run_ascend_ms
    expect_status 0
}

@test "results of what --simplify or somebody has removed since are replaced only with --force" {
    mkdir runs
    cd runs
    copy_run ms
    copy_run pt
    "$MSPROF" analyse -q run_ascend_ms --simplify
    cp -r run_ascend_ms/ASCEND_PROFILER_OUTPUT ../whole
    local arguments
    for arguments in "run_ascend_ms --simplify" run_ascend_ms "--simplify --export text,db ." .; do
        # shellcheck disable=SC2086
        run_msprof analyse $arguments
        expect_status 0
        expect_contains "$stderr" "run_ascend_ms/ASCEND_PROFILER_OUTPUT' is kept: it may contain more than '$PWD/run_ascend_ms' has \
now, because FRAMEWORK/ is missing; replace it with --force"
        diff -r ../whole run_ascend_ms/ASCEND_PROFILER_OUTPUT
        rm -rf run_ascend_ms/PROF_*/sqlite
    done
    [ -f run_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json ]
    run_msprof analyse -q run_ascend_ms --step-list 5
    expect_status 4
    expect_contains "$stderr" "replace it with --force"
    diff -r ../whole run_ascend_ms/ASCEND_PROFILER_OUTPUT
    # made without FRAMEWORK/ it is made so again
    run_msprof analyse run_ascend_ms --force
    [ ! -e run_ascend_ms/ASCEND_PROFILER_OUTPUT/dataset.csv ]
    run_msprof analyse run_ascend_ms --step-list 5
    expect_not_contains "$stderr" "is kept"
    rm -r run_ascend_pt
    copy_run pt
    "$MSPROF" analyse -q run_ascend_pt
    cp -r "$out" ../pt
    mv run_ascend_pt/PROF_* ..
    run_msprof analyse run_ascend_pt --simplify
    expect_status 0
    expect_contains "$stderr" "because a PROF capture is missing"
    [ -d run_ascend_pt/FRAMEWORK ]
    diff -r ../pt run_ascend_pt/ASCEND_PROFILER_OUTPUT
}

@test "a directory that is being analysed is left to who does it" {
    copy_run ms
    needs_python
    python3 - "$MSPROF" <<'END'
import fcntl, subprocess, sys
with open('run_ascend_ms/.msprof_analyse.lock', 'w') as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    run = subprocess.run([sys.argv[1], 'analyse', 'run_ascend_ms'], capture_output=True, text=True)
assert run.returncode == 1 and 'another process analyses' in run.stderr, run
END
    [ ! -e "$out" ]
    run_msprof analyse run_ascend_ms
    expect_status 0
}

@test "read-only directories give their results to --output" {
    copy_run pt
    chmod -R a-w run_ascend_pt
    run_msprof analyse run_ascend_pt --output results
    chmod -R u+w run_ascend_pt
    expect_status 0
    [ -f results/ASCEND_PROFILER_OUTPUT/trace_view.json ]
    [ ! -e "$out" ]
}

@test "directories of one name are refused with one --output, and one that is named twice is analysed once" {
    mkdir a b
    copy_run pt
    cp -r run_ascend_pt a
    mv run_ascend_pt b
    run_msprof analyse a/run_ascend_pt b/run_ascend_pt --output results
    expect_status 2
    expect_contains "$stderr" "/a/run_ascend_pt' and '$PWD/b/run_ascend_pt' would both write to the same place under --output"
    [ ! -e results ]
    run_msprof analyse a a/run_ascend_pt a/../a/run_ascend_pt --output results
    expect_status 0
    expect_equal "$(grep -c "ASCEND_PROFILER_OUTPUT':" <<<"$stderr")" 1
    [ -f results/ASCEND_PROFILER_OUTPUT/trace_view.json ]
}

@test "without a capture of the device the framework's part is written" {
    copy_run pt
    rm -r run_ascend_pt/PROF_*
    run_msprof analyse run_ascend_pt
    expect_status 0
    grep -q aten:: "$out/operator_details.csv"
    [ ! -e "$out/kernel_details.csv" ]
}

@test "without the half of the host nothing can be placed in time: that is said, and what to do" {
    local kind
    for kind in pt ms; do
        copy_run $kind
        rm -r run_ascend_$kind/PROF_*/host
        run_msprof analyse run_ascend_$kind
        expect_status 3
        expect_contains "$stderr" "host data is missing"
        expect_contains "$stderr" "copy it into the capture, or collect again"
        [ ! -e "$out/step_trace_time.csv" ]
    done
}

@test "cut, short, too long and broken records are named, and what is sound is kept" {
    copy_run ms
    truncate -s -7 run_ascend_ms/FRAMEWORK/mindspore.op_range
    printf '\0\0\5\0\0\0short' >>run_ascend_ms/FRAMEWORK/mindspore.memory_usage
    printf '\15\0\377\377\377\377' >>run_ascend_ms/FRAMEWORK/mindspore.memory_usage
    echo 'no;run;1,2' >>run_ascend_ms/FRAMEWORK/cpu_op_execute_timestamp_1.txt
    echo '{' >run_ascend_ms/FRAMEWORK/pipeline_profiling_1.json
    run_msprof analyse run_ascend_ms
    expect_status 3
    expect_contains "$stderr" "mindspore.op_range"
    expect_contains "$stderr" "53 bytes of 60"
    expect_contains "$stderr" "5 bytes; expected 100 bytes and a text"
    expect_contains "$stderr" "a record of 4294967295 bytes"
    expect_contains "$stderr" "cpu_op_execute_timestamp_1.txt"
    expect_contains "$stderr" "pipeline_profiling_1.json"
    [ -f "$out/kernel_details.csv" ]
    [ ! -e "$out/minddata_pipeline_raw_1.csv" ]
}

# The reports of a directory without its files' times and names, which no damage may change.
outputs() {
    (cd "$out" && find . -type f ! -name '*.db' -exec md5sum {} + | sort -k 2)
}

@test "directories that cannot be analysed are a failure where whoever started msprof ignores the ends of children" {
    mkdir -p a_ascend_pt/FRAMEWORK b_ascend_pt/FRAMEWORK
    # shellcheck disable=SC2034 # run_msprof uses it
    local launcher=(env --ignore-signal=CHLD)
    run_msprof analyse . --jobs 2
    expect_status 1
}

@test "zeros are no records: they are told once, as many as there are, and what is sound is kept" {
    copy_run ms
    copy_run pt
    run_msprof analyse . --jobs 1
    for framework in ms pt; do
        out=run_ascend_$framework/ASCEND_PROFILER_OUTPUT
        outputs >sound.$framework
    done
    for file in run_ascend_ms/FRAMEWORK/mindspore.* run_ascend_pt/FRAMEWORK/torch.*; do
        truncate -s 200G "$file" || skip "no file with holes of this size can be made here"
    done
    run_msprof analyse . --jobs 1
    expect_status 3
    for framework in ms pt; do
        out=run_ascend_$framework/ASCEND_PROFILER_OUTPUT
        expect_equal "$(outputs)" "$(<sound.$framework)"
    done
    expect_equal "$(grep -c '2147483[0-9]* bytes of zeros' <<<"$stderr")" 9
}

@test "zeros in the middle of a file of records cost no other record" {
    copy_run pt
    run_msprof analyse run_ascend_pt
    outputs >sound
    cp run_ascend_pt/FRAMEWORK/torch.gc_record gc
    cp run_ascend_pt/FRAMEWORK/torch.op_range range
    head=$(od -An -tu4 -j 2 -N 4 range)
    for zeros in 24 240 300000; do # whole records of 24 bytes
        { head -c 24 gc; head -c "$zeros" /dev/zero; tail -c +25 gc; } >run_ascend_pt/FRAMEWORK/torch.gc_record
        { head -c $((6 + head)) range; head -c "$zeros" /dev/zero; tail -c +$((7 + head)) range; } \
            >run_ascend_pt/FRAMEWORK/torch.op_range
        run_msprof analyse run_ascend_pt
        expect_status 3
        expect_equal "$(grep -c "$zeros bytes of zeros" <<<"$stderr")" 2
        expect_equal "$(outputs)" "$(<sound)"
    done
}

@test "a directory without its settings, and one that is none, are told" {
    copy_run ms
    rm run_ascend_ms/profiler_info_1.json
    run_msprof analyse run_ascend_ms
    expect_status 1
    expect_contains "$stderr" "has no profiler_info_<rank>.json"
    mkdir empty
    run_msprof analyse empty
    expect_status 4
    expect_contains "$stderr" "contains none"
}

# The databases against the texts: of shared data those of the framework's own analysis.
agree_with_texts() {
    python3 "$BATS_TEST_DIRNAME/agree_db.py" "$@"
}

@test "the databases of a MindSpore directory tell what MindSpore's and the capture's own analyses tell" {
    needs_python
    expected=$shared/data/expected/ascend-ms-small
    [ -d "$expected" ] || skip "the shared data are not there: $expected"
    cp -r "$shared/data/generated/ascend-ms-small" run
    chmod -R u+w run
    run_msprof analyse run --export db
    expect_status 0
    agree_with_texts "$(echo run/*/ASCEND_PROFILER_OUTPUT)" "$expected/ASCEND_PROFILER_OUTPUT" "$expected/cann"
}

@test "the databases of a PyTorch directory tell what PyTorch's own analysis tells" {
    needs_python
    expected=$shared/data/expected/ascend-ms-pt-small
    [ -d "$expected" ] || skip "the shared data are not there: $expected"
    cp -r "$shared/data/generated/ascend-ms-pt-small" run
    chmod -R u+w run
    run_msprof analyse run --export db
    expect_status 0
    agree_with_texts "$(echo run/*/ASCEND_PROFILER_OUTPUT)" "$expected/ASCEND_PROFILER_OUTPUT"
}

@test "--export chooses databases, texts or both, and databases tell what texts tell" {
    needs_python
    copy_run pt
    copy_run ms
    run_msprof analyse run_ascend_ms run_ascend_pt --export text,db
    expect_status 0
    agree_with_texts run_ascend_pt/ASCEND_PROFILER_OUTPUT run_ascend_pt/ASCEND_PROFILER_OUTPUT
    [ -f run_ascend_ms/ASCEND_PROFILER_OUTPUT/ascend_mindspore_profiler_1.db ]
    [ -f run_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json ]
    run_msprof analyse run_ascend_pt run_ascend_ms --export db
    expect_status 0
    expect_equal "$(cd run_ascend_ms/ASCEND_PROFILER_OUTPUT && echo *)" "ascend_mindspore_profiler_1.db \
communication_analyzer.db"
    expect_equal "$(cd run_ascend_pt/ASCEND_PROFILER_OUTPUT && echo *)" "analyse.done analysis.db \
ascend_pytorch_profiler_1.db"
    run_msprof analyse run_ascend_ms --export xml
    expect_status 2
}

@test "without a capture of the device PyTorch's database has the framework's tables, and MindSpore's is told as missing" {
    needs sqlite3
    copy_run ms
    copy_run pt
    rm -r run_ascend_ms/PROF_* run_ascend_pt/PROF_*
    run_msprof analyse run_ascend_pt --export db
    expect_status 0
    expect_equal "$(sqlite3 "$out/ascend_pytorch_profiler_1.db" "SELECT count(*), sum(s.value LIKE 'aten::%') > 0,
        (SELECT count(*) FROM sqlite_master WHERE name = 'TASK'), (SELECT rankId || ':' || deviceId FROM RANK_DEVICE_MAP)
        FROM PYTORCH_API p JOIN STRING_IDS s ON s.id = p.name WHERE p.type = 50001")" "35|1|0|1:-1"
    run_msprof analyse run_ascend_ms --export db
    expect_status 3
    expect_contains "$stderr" "not written: the database, because there is no PROF capture"
}

@test "a list of steps leaves these in the databases, and metadata that cannot be read is told" {
    needs sqlite3
    copy_run pt
    echo '{' >run_ascend_pt/profiler_metadata.json
    run_msprof analyse run_ascend_pt --export db --step-list 5
    expect_status 3
    expect_contains "$stderr" "not written: META_DATA of the database, because"
    expect_equal "$(sqlite3 "$out/analysis.db" "SELECT DISTINCT step FROM CommAnalyzerTime
        UNION ALL SELECT step FROM StepTraceTime")" "step5
5"
    expect_equal "$(sqlite3 "$out/ascend_pytorch_profiler_1.db" "SELECT id, (SELECT min(startNs) FROM PYTORCH_API)
        >= startNs FROM STEP_TIME")" "5|1"
}

@test "every device of a capture has its steps, not the first alone" {
    needs_python
    copy_run ms
    python3 "$repository/tests/lib/copy_device.py" "$(echo run_ascend_ms/PROF_*)" 0 1
    # every other launch was of the second device: a step in which a device did nothing is none of its
    python3 - "$(echo run_ascend_ms/PROF_*/host/data/*.task_track.slice_0)" <<'END'
import sys
with open(sys.argv[1], 'r+b') as file:
    records = bytearray(file.read())
    for at in range(24, len(records), 128):
        records[at] = 1
    file.seek(0)
    file.write(records)
END
    run_msprof analyse run_ascend_ms
    expect_status 0
    expect_equal "$(cut -d , -f 1,2 "$out/step_trace_time.csv" | tr '\n' ' ')" "Device_id,Step 0,4 0,5 1,4 1,5 "
}

@test "every PROF capture of a directory has its files, by its own clock" {
    needs_python
    copy_run pt
    "$MSPROF" analyse -q run_ascend_pt --output alone
    first=$(echo run_ascend_pt/PROF_*)
    second=run_ascend_pt/PROF_000099_20250101000000001_GENGENGENGENGENG
    cp -r "$first" "$second"
    rm -rf "$second/sqlite"
    # it began a second earlier
    sed -i 's/"173568960000/"173568959900/' "$second"/*/start_info* "$second"/*/end_info*
    sed -i 's/^clock_realtime: 1735689600/clock_realtime: 1735689599/' "$second"/*/host_start.log*
    run_msprof analyse run_ascend_pt --output both --simplify
    expect_status 0
    expect_contains "$stderr" "another PROF capture; its files are in 'both/ASCEND_PROFILER_OUTPUT/${second##*/}'"
    diff -r -x "${second##*/}" alone/ASCEND_PROFILER_OUTPUT both/ASCEND_PROFILER_OUTPUT
    [ ! -e "$first/sqlite" ]
    [ ! -e "$second/sqlite" ]
    python3 - alone/ASCEND_PROFILER_OUTPUT "both/ASCEND_PROFILER_OUTPUT/${second##*/}" <<'END'
import csv, sys
rows = [list(csv.DictReader(open(d + '/kernel_details.csv', newline=''))) for d in sys.argv[1:]]
assert len(rows[0]) == len(rows[1]) > 10
for a, b in zip(*rows):
    assert abs(float(a['Start Time(us)']) - float(b['Start Time(us)']) - 1e6) < 1, (a, b)
    assert a['Step Id'] == b['Step Id'], (a, b)
END
}

@test "a PROF capture beside another that cannot be analysed is told, and the rest stays" {
    copy_run ms
    mkdir -p run_ascend_ms/PROF_000099_20250101000000001_GENGENGENGENGENG/host
    run_msprof analyse run_ascend_ms
    [ "$status" -ne 0 ]
    expect_contains "$stderr" "not written:"
    expect_contains "$stderr" "PROF_000099_20250101000000001_GENGENGENGENGENG"
    [ -f "$out/kernel_details.csv" ]
    [ ! -e "$out/PROF_000099_20250101000000001_GENGENGENGENGENG" ]
}

@test "a list of steps leaves in the capture's tables, in dataset.csv and in databases what began in these" {
    needs_python
    copy_run ms
    copy_run pt
    "$MSPROF" analyse -q run_ascend_ms run_ascend_pt --export text,db
    for kind in ms pt; do
        mv "run_ascend_$kind/ASCEND_PROFILER_OUTPUT" "all_$kind"
    done
    run_msprof analyse run_ascend_ms run_ascend_pt --step-list 5 --export text,db
    expect_status 0
    python3 - <<'END'
import csv, glob, json, sqlite3

def rows(path):
    return list(csv.DictReader(open(path, newline='')))

for kind in 'ms', 'pt':
    whole, chosen = 'all_' + kind, 'run_ascend_%s/ASCEND_PROFILER_OUTPUT' % kind
    all_db, db = (sqlite3.connect(glob.glob(d + '/ascend_*_profiler_1.db')[0]) for d in (whole, chosen))
    steps = [e for e in json.load(open(whole + '/trace_view.json')) if 'ProfilerStep#5' in e['name']]
    begin = int(steps[0]['ts'].replace('.', ''))
    starts = {}
    for table, time in (('TASK', 'startNs'), ('CANN_API', 'startNs'), ('COMMUNICATION_OP', 'startNs'),
                        ('NPU_MODULE_MEM', 'timestampNs'), ('NPU_MEM', 'timestampNs'), ('NPU_OP_MEM', 'timestampNs')):
        query = 'SELECT %s FROM %s ORDER BY 1' % (time, table)
        every = [r[0] for r in all_db.execute(query)]
        kept = [r[0] for r in db.execute(query)]
        later = [t for t in every if t >= begin]
        # what is there goes on when the device is done with the last step
        assert kept == later[:len(kept)] and len(kept) < len(every) and (kept or not later), (kind, table)
        starts[table] = kept
    launched = [r for r in rows(whole + '/kernel_details.csv') if r.get('Step Id', r.get('Step ID')) == '5']
    assert launched and starts['COMMUNICATION_OP'], kind
    for row in launched:
        time = int(row['Start Time(us)'].rstrip('\t').replace('.', ''))
        assert time in starts['TASK'] or time in starts['COMMUNICATION_OP'], (kind, row)
    calls = db.execute('SELECT count(*) FROM CANN_API').fetchone()[0]
    assert sum(int(r['Count']) for r in rows(chosen + '/api_statistic.csv')) == calls < sum(
        int(r['Count']) for r in rows(whole + '/api_statistic.csv')), kind
    # operators are counted by the rows of kernel_details.csv
    counted = sum(int(r['Count']) for r in rows(chosen + '/op_statistic.csv'))
    assert 0 < counted < sum(int(r['Count']) for r in rows(whole + '/op_statistic.csv')), kind
assert len(rows(chosen + '/task_time.csv')) == db.execute('SELECT count(*) FROM TASK').fetchone()[0]
every, kept = (rows(d + '/dataset.csv') for d in ('all_ms', 'run_ascend_ms/ASCEND_PROFILER_OUTPUT'))
counts = {(r['Operation'], r['Stage'], r['Custom Info']): int(r['Occurrences']) for r in every}
assert kept and all(0 < int(r['Occurrences']) <= counts[r['Operation'], r['Stage'], r['Custom Info']] for r in kept)
assert sum(int(r['Occurrences']) for r in kept) < sum(counts.values())
END
}

# The files of a capture under the names that its own analysis gave those which frameworks read, without their times.
plain_names() {
    local file
    mkdir plain
    for file in "$1"/mindstudio_profiler_output/*; do
        cp "$file" "plain/$(basename "$file" | sed -E 's/_[0-9]{14}\././')"
    done
}

@test "what the frameworks read of the capture inside is what the capture's own analysis gives" {
    needs_python
    needs_shared data/expected/ascend-ms-pt-small/cann
    for kind in ascend-ms-small ascend-ms-pt-small; do
        cp -r "$shared/data/generated/$kind" run
        chmod -R u+w run
        prof=$(echo run/*/PROF_*)
        "$MSPROF" export summary -q -dir "$prof"
        "$MSPROF" export timeline -q --trace-compat -dir "$prof"
        plain_names "$prof"
        python3 "$BATS_TEST_DIRNAME/agree.py" plain "$shared/data/expected/$kind/cann"
        rm -r run plain
    done
}

@test "what cluster reads of two ranks is what PyTorch's own analysis wrote of them" {
    needs_python
    needs_shared data/expected/cluster-small
    cp -r "$shared/data/generated/cluster-small" run
    chmod -R u+w run
    run_msprof analyse run
    expect_status 0
    for rank in 0 1; do
        python3 "$BATS_TEST_DIRNAME/agree.py" "$(echo run/gen_424$((2 + rank))_*/ASCEND_PROFILER_OUTPUT)" \
            "$shared/data/expected/cluster-small/rank$rank"
    done
}

@test "a table of more than a million rows is one file, as the frameworks' are" {
    needs_python
    copy_run ms
    python3 - run_ascend_ms/FRAMEWORK/mindspore.record_shapes <<'END'
import struct, sys
texts = b''.join(struct.pack('<HI', kind, len(text)) + text for kind, text in ((0, b'Add'), (1, b'1')))
with open(sys.argv[1], 'wb') as file:
    file.write((struct.pack('<HI', 3, len(texts)) + texts) * 1000001)
END
    run_msprof analyse run_ascend_ms
    expect_status 0
    expect_equal "$(wc -l <"$out/operator_details.csv")" 1000002
    [ ! -e "$out/operator_details_slice_0.csv" ]
}

@test "links to directories are told where a parent is given, and followed where they are named" {
    copy_run pt
    mkdir parent
    ln -s ../run_ascend_pt parent/linked_ascend_pt
    ln -s ../parent parent/other
    run_msprof analyse parent
    expect_status 4
    expect_contains "$stderr" "parent/linked_ascend_pt', because it is a symbolic link; pass its path to analyse it"
    [[ $stderr != *parent/other* ]]
    cp -r run_ascend_pt parent/own_ascend_pt
    run_msprof analyse parent
    expect_status 3
    [ -f parent/own_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json ]
    [ ! -e "$out" ]
    run_msprof analyse parent/linked_ascend_pt
    expect_status 0
    [ -f "$out/trace_view.json" ]
}

@test "a clock of the framework that is far from that of the capture is told" {
    copy_run ms
    copy_run pt
    # its counter is said to have stood where it comes to hours later
    sed -i 's/^cntvct: .*/cntvct: 900000000000/' run_ascend_*/PROF_*/host/host_start.log
    for kind in ms pt; do
        run_msprof analyse "run_ascend_$kind"
        expect_status 3
        expect_contains "$stderr" "ranges begin long before or after the capture, the first 8000 s before"
        [ -f "run_ascend_$kind/ASCEND_PROFILER_OUTPUT/kernel_details.csv" ]
    done
}

@test "an emptied file of a framework's records, and a capture that is a link, are told" {
    for file in torch.op_range torch.op_mark torch.memory_usage; do
        rm -rf run_ascend_pt
        copy_run pt
        [ -s "run_ascend_pt/FRAMEWORK/$file" ]
        : >"run_ascend_pt/FRAMEWORK/$file"
        run_msprof analyse run_ascend_pt
        expect_status 3
        expect_contains "$stderr" "FRAMEWORK/$file: 0 bytes; expected records"
    done
    for file in mindspore.op_range mindspore.memory_usage device_queue_profiling_1.txt pipeline_profiling_1.json; do
        rm -rf run_ascend_ms
        copy_run ms
        [ -s "run_ascend_ms/FRAMEWORK/$file" ]
        : >"run_ascend_ms/FRAMEWORK/$file"
        run_msprof analyse run_ascend_ms
        expect_status 3
        expect_contains "$stderr" "FRAMEWORK/$file"
    done
    rm -rf run_ascend_ms run_ascend_pt
    for parts in capture everything; do
        rm -rf run_ascend_pt .elsewhere
        copy_run pt
        mkdir .elsewhere
        mv run_ascend_pt/PROF_* .elsewhere/
        ln -s "$PWD"/.elsewhere/PROF_* run_ascend_pt/
        [ $parts = capture ] || rm -r run_ascend_pt/FRAMEWORK
        run_msprof analyse .
        expect_status 3
        expect_contains "$stderr" "symbolic link to a capture; not read"
    done
}

@test "files, settings and lines of a framework that damage took away are told" {
    copy_run pt
    rm run_ascend_pt/FRAMEWORK/torch.memory_usage
    run_msprof analyse run_ascend_pt --output gone
    expect_contains "$stderr" "no torch.memory_usage, although profiler_info has it as recorded"
    copy_run ms
    sed -i 's/"record_shapes"/"record_shaqes"/' run_ascend_ms/profiler_info_1.json
    sed -i 's/"op_type": "BatchOp"/"op_tzpe": "BatchOp"/' run_ascend_ms/FRAMEWORK/pipeline_profiling_1.json
    sed -i '1{N;s/\n/J/}' run_ascend_ms/FRAMEWORK/cpu_op_execute_timestamp_1.txt
    run_msprof analyse run_ascend_ms --output damaged
    expect_status 3
    expect_contains "$stderr" "profiler_info has 'record_shaqes', one letter off a known key"
    expect_contains "$stderr" "the key 'op_tzpe' is one letter off a known key"
    expect_contains "$stderr" "not three fields between ';'"
}
