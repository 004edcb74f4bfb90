#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The ranks of a job together: msprof cluster, and msprof-mpi.

# shellcheck disable=SC2154 # common.bash sets repository and shared
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    build=$(dirname "$(readlink -f "$MSPROF")")
}

make_ranks() {
    "$build/make-ranks" "$@"
}

needs_python() {
    needs python3
}

@test "tables of eight ranks equal a plain recalculation, and name the slow rank and the slow link" {
    needs_python
    make_ranks --output RUN --slow-rank 5 --slow-link 2 --seed 3
    run_msprof cluster RUN
    expect_status 0
    run python3 "$repository/tests/cluster/recompute.py" RUN
    expect_equal "$output" "5 ['2'] 208"
}

@test "the worst link is one between ranks, however slowly a rank copies to itself" {
    needs_python
    make_ranks --output RUN --slow-link 2 --seed 3
    sed -i '/LOCAL/s/"Transit Time(ms)": 0.500000/"Transit Time(ms)": 50.000000/g' RUN/rank00006_*/ASCEND_PROFILER_OUTPUT/communication_matrix.json
    run_msprof -q cluster RUN
    expect_contains "$output" "Worst link: 2 -> 3 (HCCS)"
    run python3 "$repository/tests/cluster/recompute.py" RUN
    expect_equal "$status" 0
}

@test "groups that stand in any order, of ranks in any order, are read whole, as a plain recalculation says" {
    needs_python
    for kind in ascend_pt ascend_ms; do
        python3 "$repository/tests/cluster/permute.py" make "$kind" "$BATS_TEST_NUMBER" "$kind"
        run_msprof cluster "$kind"
        expect_status 0
        python3 "$repository/tests/cluster/permute.py" check "$kind"
    done
    # without metadata ranks are known by what they moved to themselves, and the other links are counted
    rm ascend_ms/*/profiler_metadata.json
    run_msprof cluster ascend_ms
    expect_status 0
    expect_contains "$stderr" "6 links of group"
    python3 "$repository/tests/cluster/permute.py" check ascend_ms
}

@test "a rank that is not here is named once, and groups that it is in are not judged" {
    needs_python
    python3 "$repository/tests/cluster/permute.py" make RUN 5 ascend_pt
    rm -r RUN/r3_*
    run_msprof cluster RUN
    expect_status 3
    expect_equal "$(grep -c 'rank 3 of group' <<<"$stderr")" 1
    # of 18 collectives each of six, three and two ranks those of two alone have all theirs
    expect_contains "$stderr" " 18 collectives of all their ranks"
    expect_contains "$stderr" "36 collectives are not judged"
    python3 "$repository/tests/cluster/permute.py" check RUN
}

@test "captures without metadata whose links speak of a rank that is not here are not judged" {
    needs_python
    python3 "$repository/tests/cluster/permute.py" make RUN 5 ascend_pt
    rm -r RUN/r3_*
    rm RUN/*/profiler_metadata.json
    run_msprof cluster RUN
    expect_status 3
    expect_contains "$stderr" "are between 6 ranks; 5 are here"
    expect_contains "$stderr" "are between 3 ranks; 2 are here"
    expect_contains "$stderr" " 18 collectives of all their ranks"
}

@test "a rank without communication is named with its file, and the collectives of its groups are not judged" {
    make_ranks --output RUN
    all=$(sed -n 's/.*, \([0-9]*\) collectives of all.*/\1/p' <<<"$("$MSPROF" cluster RUN 2>&1)")
    rank=$(echo RUN/rank00002_*/ASCEND_PROFILER_OUTPUT)
    cp -r "$rank" whole
    for damage in gone empty halves; do
        rm "$rank/communication.json"
        case $damage in
        empty) echo "{}" >"$rank/communication.json" ;;
        halves) echo '{"step0": {"p2p": {}, "collective": {}}}' >"$rank/communication.json" ;;
        esac
        for _ in first second; do # the second time from the aggregates
            run_msprof cluster RUN
            expect_status 3
            expect_contains "$stderr" "$rank/communication.json"
            expect_contains "$stderr" "rank 2 has no communication, but others have"
            judged=$(sed -n 's/.*, \([0-9]*\) collectives of all.*/\1/p' <<<"$stderr")
            left=$(sed -n 's/.* \([0-9]*\) collectives are not judged.*/\1/p' <<<"$stderr")
            expect_equal "$((judged + left))" "$all"
            [ "$left" -gt 0 ]
        done
        cp whole/communication.json "$rank/"
    done
}

@test "times that cannot be are refused and named, each time that they are met" {
    needs_python
    make_ranks --output RUN
    python3 - RUN/rank0000{1,2,3,4}_*/ASCEND_PROFILER_OUTPUT <<'END'
import json, re, sys
for i, path in enumerate(sys.argv[1:]):
    name = path + '/communication.json'
    text = open(name).read()
    if i == 0:
        text = re.sub(r'"Elapse Time\(ms\)": [0-9.]+', '"Elapse Time(ms)": -5', text, count=1)
    if i == 1:
        text = re.sub(r'"Elapse Time\(ms\)": [0-9.]+, ', '', text, count=1)
    if i == 2:
        text = re.sub(r'"Transit Size\(MB\)": [0-9.]+', '"Transit Size(MB)": "12"', text, count=1)
    open(name, 'w').write(text)
    name = path + '/step_trace_time.csv'
    rows = open(name).read().split('\n')
    cells = rows[1].split(',')
    cells[2] = ['-100000', '0x10', '', 'nan'][i]
    cells[4] = '-532'  # a difference: its tool writes such
    rows[1] = ','.join(cells)
    open(name, 'w').write('\n'.join(rows))
END
    for _ in first second; do
        run_msprof cluster RUN
        expect_status 3
        expect_contains "$stderr" "field Elapse Time(ms) of hcom_allReduce"
        expect_contains "$stderr" "-5; expected a number from 0"
        expect_contains "$stderr" "nothing; expected a number from 0"
        expect_contains "$stderr" "field Transit Size(MB) of hcom_allReduce"
        expect_contains "$stderr" "field Computing: '-100000' is not a time in microseconds"
        expect_contains "$stderr" "field Computing: '0x10' is not a time in microseconds"
        expect_contains "$stderr" "field Computing: the cell is empty"
        expect_contains "$stderr" "field Computing: 'nan' is not a time in microseconds"
        expect_contains "$stderr" "note: "
        expect_contains "$stderr" "field Overlapped: '-532'"
        expect_equal "$(grep -c 'copy the file again from the board; copy' <<<"$stderr")" 0
        grep -q '^0,rank,1,,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
        run ! grep -q -e ',-100000,' -e ',16,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
        run ! grep -q -e '-5,' RUN/cluster_analysis_output/cluster_communication.json
    done
    expect_contains "$stderr" "(0 read anew)"
}

@test "a part of a step's communication that is longer than the whole gets a note, and stays as its tool wrote it" {
    needs_python
    make_ranks --output RUN
    python3 - RUN/rank00001_*/ASCEND_PROFILER_OUTPUT/step_trace_time.csv <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
at = {title: i for i, title in enumerate(rows[0])}
rows[1][at['Communication']] = '0'
rows[1][at['Overlapped']] = '532'
rows[1][at['Communication(Not Overlapped)']] = '0'
csv.writer(open(sys.argv[1], 'w'), lineterminator='\n').writerows(rows)
END
    run_msprof cluster RUN
    expect_status 0
    expect_contains "$stderr" "record 1, field Overlapped: 532000 ns, of 0 ns of Communication"
    grep -q '^0,rank,1,.*,532.0*,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
}

@test "a cell that no tool writes is no time, each one is named, and those that tools write are taken" {
    needs_python
    make_ranks --output RUN
    table=$(echo RUN/rank00001_*/ASCEND_PROFILER_OUTPUT/step_trace_time.csv)
    cp "$table" whole.csv
    set_computing() { # cell
        python3 - "$table" "$1" <<'END'
import sys
rows = open('whole.csv').read().split('\n')
cells = rows[1].split(',')
cells[rows[0].split(',').index('Computing')] = sys.argv[2].encode().decode('unicode_escape') if '\\' in sys.argv[2] else sys.argv[2]
rows[1] = ','.join(cells)
open(sys.argv[1], 'w').write('\n'.join(rows))
END
        run_msprof cluster RUN
    }
    for cell in +5 ' 5' '5 ' 5. .5 inf nan 1_000 ٥ 1e300 '5\x00' '5\x01' '"5 "' 05; do
        set_computing "$cell"
        expect_status 3
        expect_contains "$stderr" "step_trace_time.csv: record 1, field Computing: '"
        grep -q '^0,rank,1,,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
    done
    for cell in 5 1e3 1E-05 -0 191.96000000000004; do
        set_computing "$cell"
        expect_status 0
        run ! grep -q '^0,rank,1,,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
    done
    sed 's/^\([^,]*\),0,/\1, 0,/' whole.csv >"$table" # a step that no other rank has
    run_msprof cluster RUN
    expect_status 3
    expect_contains "$stderr" "expected a step's name without blanks around it"
}

@test "texts with control characters are made safe and told with their file, each time" {
    needs_python
    make_ranks --output RUN
    rank=$(echo RUN/rank00001_*)
    sed -i 's/"hcom_allReduce_\([^"]*\)"/"hcom_allReduce\\u001b_\1"/' "$rank/ASCEND_PROFILER_OUTPUT/communication.json"
    sed -i 's/Bubble/Bub\x7fble/' "$rank/ASCEND_PROFILER_OUTPUT/step_trace_time.csv"
    sed -i 's/"group_name": "/&\\u009b/' "$rank/profiler_metadata.json"
    for _ in first second; do # the second time from the aggregates
        run_msprof cluster RUN
        expect_status 3
        for file in ASCEND_PROFILER_OUTPUT/communication.json ASCEND_PROFILER_OUTPUT/step_trace_time.csv profiler_metadata.json; do
            expect_contains "$stderr" "$rank/$file: "
        done
        expect_equal "$(grep -c 'control characters' <<<"$stderr")" 3
    done
}

@test "operators and links that stand twice count once, and are named" {
    needs_python
    make_ranks --output RUN
    run_msprof cluster RUN --output once
    python3 - RUN/rank00001_*/ASCEND_PROFILER_OUTPUT <<'END'
import re, sys
for name, pattern in (('communication.json', r'("hcom_[^{]*": \{"Comm.*?\}\}\}\})(, "hcom)'),
                      ('communication_matrix.json', r'("allreduce[^{]*": \{.*?\}\})(, "allreduce)')):
    text = open(sys.argv[1] + '/' + name).read()
    text, n = re.subn(pattern, r'\1, \1\2', text, count=1)
    assert n == 1
    open(sys.argv[1] + '/' + name, 'w').write(text)
END
    run_msprof cluster RUN --output twice
    expect_status 3
    expect_contains "$stderr" "the operator is duplicated"
    expect_contains "$stderr" "the link is duplicated"
    diff -r -x .msprof_cluster.files -x .ranks -x '*.db' -x data_problems.csv once twice
}

@test "the results of four ranks whose groups interleave are those of Ascend's cluster analysis" {
    needs_python
    needs_shared data/expected/cluster-interleaved
    cp -r "$shared/data/generated/cluster-interleaved" RUN
    chmod -R u+w RUN
    mkdir expected
    for file in "$shared"/data/expected/cluster-interleaved/*.gz; do
        gunzip -c "$file" >"expected/$(basename "$file" .gz)"
    done
    run_msprof cluster RUN
    expect_status 0
    expect_contains "$stderr" " 160 collectives of all their ranks"
    python3 "$repository/tests/cluster/agree.py" expected RUN/cluster_analysis_output
}

@test "results that are databases alone are read as the texts that say the same" {
    needs_python
    python3 "$repository/tests/cluster/permute.py" make TEXT 2 ascend_pt
    cp -r TEXT TORCH
    python3 "$repository/tests/cluster/to_db.py" torch TORCH
    run_msprof cluster TEXT
    run_msprof cluster TORCH
    expect_status 0
    [ ! -e "$(echo TORCH/r1_*)/ASCEND_PROFILER_OUTPUT/communication.json" ]
    expect_equal "$(ls TORCH/cluster_analysis_output/.ranks)" ""
    python3 "$repository/tests/cluster/agree.py" TEXT/cluster_analysis_output TORCH/cluster_analysis_output
    diff TEXT/cluster_analysis_output/slow_ranks.csv TORCH/cluster_analysis_output/slow_ranks.csv
    run_msprof cluster TORCH
    expect_contains "$stderr" "6 ranks (0 read anew)"
    touch TORCH/r2_*/ASCEND_PROFILER_OUTPUT/analysis.db
    run_msprof cluster TORCH
    expect_contains "$stderr" "6 ranks (1 read anew)"
    # of MindSpore's the step and the entries of links are made here, as a plain recalculation makes them
    python3 "$repository/tests/cluster/permute.py" make MIND 8 ascend_ms
    python3 "$repository/tests/cluster/to_db.py" mindspore MIND
    run_msprof cluster MIND
    expect_status 0
    run_msprof cluster MIND.texts
    python3 "$repository/tests/cluster/agree.py" MIND.texts/cluster_analysis_output MIND/cluster_analysis_output
}

@test "databases of results that are pipes, damaged or say what cannot be are named, and do not stop the rest" {
    needs_python
    python3 "$repository/tests/cluster/permute.py" make RUN 7 ascend_pt
    python3 "$repository/tests/cluster/to_db.py" torch RUN
    database() {
        echo "RUN/r$1_2025010100000000$1_ascend_pt/ASCEND_PROFILER_OUTPUT/analysis.db"
    }
    rm "$(database 0)"
    mkfifo "$(database 0)"
    dd if=/dev/urandom of="$(database 1)" bs=4096 seek=1 count=8 conv=notrunc status=none
    sqlite3 "$(database 2)" "UPDATE CommAnalyzerTime SET elapse_time = -5 WHERE rowid =
            (SELECT min(rowid) FROM CommAnalyzerTime WHERE hccl_op_name LIKE 'hcom%');
        UPDATE StepTraceTime SET computing = NULL; UPDATE CommAnalyzerBandwidth SET transit_size = 'much' WHERE rowid = 9"
    run_msprof cluster RUN
    expect_status 3
    expect_contains "$stderr" "r0_20250101000000000_ascend_pt: skipped: "
    expect_contains "$stderr" "analysis.db' is not a regular file"
    expect_contains "$stderr" "r1_20250101000000001_ascend_pt: skipped: "
    run ! grep -q '\.ranks' <<<"$stderr"
    expect_contains "$stderr" "-5; expected a number from 0"
    expect_contains "$stderr" "field Transit Size(MB) of hcom_"
    expect_contains "$stderr" "field Computing: the cell is empty"
    grep -q '^7,rank,5,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
}

@test "the databases of four ranks say what Ascend's cluster analysis makes of their texts" {
    needs_python
    needs_shared data/expected/cluster-interleaved
    cp -r "$shared/data/generated/cluster-interleaved" RUN
    chmod -R u+w RUN
    python3 "$repository/tests/cluster/to_db.py" torch RUN
    mkdir expected
    for file in "$shared"/data/expected/cluster-interleaved/*.gz; do
        gunzip -c "$file" >"expected/$(basename "$file" .gz)"
    done
    run_msprof cluster RUN
    expect_status 0
    python3 "$repository/tests/cluster/agree.py" expected RUN/cluster_analysis_output
}

@test "ranks without a step are named, and their collectives are left out of the judgement" {
    needs_python
    make_ranks --output RUN --missing-step 7
    run_msprof cluster RUN
    expect_status 3
    expect_contains "$stderr" "rank 7 has 3 steps, others have 4"
    expect_contains "$stderr" "20 collectives are not judged"
    python3 "$repository/tests/cluster/recompute.py" RUN
}

@test "the page of a job says first which ranks its results lack, and report ends with status 3" {
    make_ranks --output RUN
    run_msprof cluster RUN
    expect_status 0
    expect_equal "$(<RUN/cluster_analysis_output/data_problems.csv)" "Problem,Severity,File,Occurrences,Message"
    run_msprof report RUN -o whole.html
    expect_status 0
    ! grep -q "What these results lack" whole.html || false
    rm -r RUN/rank00003_*
    run_msprof cluster RUN
    expect_status 3
    grep -q '^rank-missing,warning,.*rank 3 of group tp has no capture here' RUN/cluster_analysis_output/data_problems.csv
    run_msprof report RUN -o page.html
    expect_status 3
    expect_contains "$stderr" "lacks data"
    grep -q "rank 3 of group tp has no capture here" page.html
    [ "$(grep -n -m 1 "What these results lack" page.html | cut -d: -f1)" -le "$(grep -n -m 1 "ranks communicated" page.html | cut -d: -f1)" ]
    run_msprof cluster RUN --ranks 0,1,200
    expect_status 3
    run_msprof report RUN -o page.html
    expect_status 3
    sed "s/<wbr>//g" page.html | grep -q "some ranks of --ranks have no capture here"
    rm RUN/cluster_analysis_output/data_problems.csv
    run_msprof report RUN -o page.html
    expect_status 0
    grep -q "an earlier version wrote them" page.html
}

@test "missing, damaged and doubled ranks are named and never stop the rest" {
    make_ranks --output RUN
    rm -r RUN/rank00003_*
    cp -r RUN/rank00002_20250101000000000_ascend_pt RUN/rank00002_20260101000000000_ascend_pt
    printf '{"step0": {"p2p": {}, "collective": {"a@1": {"Communication' >"$(echo RUN/rank00006_*)/ASCEND_PROFILER_OUTPUT/communication.json"
    printf 'no table' >"$(echo RUN/rank00005_*)/ASCEND_PROFILER_OUTPUT/step_trace_time.csv"
    mkdir RUN/rank00009_20250101000000000_ascend_pt
    ln -s rank00002_20250101000000000_ascend_pt RUN/rank00010_20250101000000000_ascend_pt
    run_msprof cluster RUN
    expect_status 3
    expect_contains "$stderr" "rank 3 of group tp has no capture here"
    expect_contains "$stderr" "another capture of rank 2; the later"
    expect_contains "$stderr" "ASCEND_PROFILER_OUTPUT/communication.json: it ends inside the document, at byte 59"
    expect_contains "$stderr" "rank00005"
    expect_contains "$stderr" "rank00009"
    expect_contains "$stderr" "rank00010_20250101000000000_ascend_pt: a symbolic link to a directory; ranks in it are not read"
    [ -f RUN/cluster_analysis_output/slow_ranks.csv ]
    grep -q '^0,rank,7,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
}

@test "results of ranks that are links to nothing, directories or pipes are named, not taken for none" {
    make_ranks --output RUN
    rank() {
        echo RUN/rank0000"$1"_*/ASCEND_PROFILER_OUTPUT
    }
    ln -sf nowhere "$(rank 1)/communication_matrix.json"
    ln -sf nowhere "$(rank 2)/communication.json"
    rm "$(rank 3)/communication_matrix.json" "$(rank 4)/communication_matrix.json"
    mkdir "$(rank 3)/communication_matrix.json"
    mkfifo "$(rank 4)/communication_matrix.json"
    ln -sf nowhere "$(dirname "$(rank 5)")/profiler_metadata.json"
    run_msprof cluster RUN
    expect_status 3
    for file in "$(rank 1)/communication_matrix.json" "$(rank 2)/communication.json" "$(rank 3)/communication_matrix.json" \
        "$(rank 4)/communication_matrix.json" "$(dirname "$(rank 5)")/profiler_metadata.json"; do
        expect_contains "$stderr" "$file"
    done
}

@test "a second run reads no rank again, and one with a new rank only that one" {
    make_ranks --output RUN
    mv RUN/rank00007_* aside
    run_msprof cluster RUN
    expect_contains "$stderr" "7 ranks (7 read anew)"
    cp -r RUN/cluster_analysis_output before
    run_msprof cluster RUN
    expect_contains "$stderr" "7 ranks (0 read anew)"
    diff -r -x .msprof_cluster.files before RUN/cluster_analysis_output
    mv aside RUN/rank00007_20250101000000000_ascend_pt
    run_msprof cluster RUN
    expect_contains "$stderr" "8 ranks (1 read anew)"
    expect_status 0
}

@test "an aggregate that was cut, edited or is of another version is made anew" {
    make_ranks --output RUN
    run_msprof cluster RUN
    cp -r RUN/cluster_analysis_output before
    aggregates=(RUN/*/.msprof_cluster)
    truncate -s 300 "${aggregates[0]}"
    change_byte "${aggregates[1]}" 12
    change_byte "${aggregates[2]}" 500
    run_msprof cluster RUN
    expect_status 0
    expect_contains "$stderr" "8 ranks (3 read anew)"
    diff -r -x .msprof_cluster.files before RUN/cluster_analysis_output
}

@test "whichever bit of an aggregate flips, it is made anew and the results are as before" {
    needs_python
    make_ranks --output RUN --ranks 3 --group 3 --steps 2 --collectives 4
    run_msprof cluster RUN
    expect_status 0
    run python3 "$repository/tests/cluster/flip.py" "$MSPROF" RUN 120
    expect_status 0
    expect_equal "$output" 120
}

@test "an aggregate of the version before is made anew" {
    make_ranks --output RUN
    run_msprof cluster RUN
    printf '\1' | dd of="$(echo RUN/rank00004_*)/.msprof_cluster" bs=1 seek=12 conv=notrunc status=none
    run_msprof cluster RUN
    expect_status 0
    expect_contains "$stderr" "8 ranks (1 read anew)"
}

@test "a pipe, a directory or a link in the place of an aggregate is neither waited for nor believed" {
    make_ranks --output RUN
    run_msprof cluster RUN
    cp -r RUN/cluster_analysis_output before
    aggregates=(RUN/*/.msprof_cluster)
    rm "${aggregates[@]:0:3}"
    mkfifo "${aggregates[0]}"
    mkdir "${aggregates[1]}"
    ln -s "$PWD/${aggregates[3]}" "${aggregates[2]}"
    run_msprof cluster RUN
    expect_status 0
    expect_contains "$stderr" "8 ranks (3 read anew)"
    diff -r -x .msprof_cluster.files -x .ranks before RUN/cluster_analysis_output
    run_msprof cluster RUN
    expect_status 0
    expect_contains "$stderr" "8 ranks (0 read anew)"
}

@test "captures that cannot be written to are analysed with --output" {
    [ "$(id -u)" -ne 0 ] || skip "root can write everywhere"
    make_ranks --output RUN
    chmod -R a-w RUN
    run_msprof cluster RUN
    expect_status 1
    expect_contains "$stderr" "--output DIR"
    run_msprof cluster RUN --output results
    expect_status 0
    run_msprof cluster RUN --output results
    expect_contains "$stderr" "8 ranks (0 read anew)"
    chmod -R u+w RUN
}

@test "chosen ranks and steps are all that there is in the results" {
    make_ranks --output RUN
    run_msprof cluster RUN --ranks 0-1,5 --step 1,3 --output results
    expect_status 3 # the other ranks of their groups have no capture here
    expect_equal "$(cut -d , -f 1,3 results/cluster_analysis_output/cluster_step_trace_time.csv | tail -n +2 | tr '\n' ' ')" \
        "1,0 3,0 1,1 3,1 1,5 3,5 "
    run ! grep -q step0 results/cluster_analysis_output/cluster_communication.json
}

@test "--step that chooses no step is status 4, tells which there are, and leaves the results as they were" {
    make_ranks --output RUN
    run_msprof cluster RUN --output fresh/results --step 99
    expect_status 4
    expect_contains "$stderr" "no rank has a step that --step chooses; available: 0 to 3"
    expect_contains "$stderr" "omit --step"
    [ ! -e fresh ]
    run_msprof cluster RUN --output results
    expect_status 0
    cp -r results before
    run_msprof cluster RUN --output results --step 4,99-200
    expect_status 4
    expect_equal "$output" ""
    diff -r -x .msprof_cluster.files before results
    rm -r RUN/rank00003_*/ASCEND_PROFILER_OUTPUT RUN/rank00003_*/.msprof_cluster
    run_msprof cluster RUN --output results --step 99
    expect_status 4
    expect_contains "$stderr" "rank00003"
    diff -r -x .msprof_cluster.files before results
}

@test "of the numbers of --step those that no rank has a step of are named, and the rest is analysed" {
    make_ranks --output RUN
    run_msprof cluster RUN --step 2 --output one
    expect_status 0
    run ! grep -q "no rank has" <<<"$stderr"
    run_msprof cluster RUN --step 99,2,4-6 --output some
    expect_status 3 # a part of the answer is missing
    expect_contains "$stderr" "no rank has these steps of --step: 99, 4 to 6; available: 0 to 3"
    diff -r -x .msprof_cluster.files -x '*.db' -x data_problems.csv one some
    run_msprof cluster RUN --step 3-99 --output some
    expect_status 0
    run ! grep -q "no rank has" <<<"$stderr"
    sed -i 's/"step1"/"step31"/' RUN/*/ASCEND_PROFILER_OUTPUT/*.json
    sed -i -E 's/^([0-9]+),1,/\1,31,/' RUN/*/ASCEND_PROFILER_OUTPUT/step_trace_time.csv
    run_msprof cluster RUN --step 1 --output some
    expect_status 4
    expect_contains "$stderr" "available: 0, 2, 3, 31"
}

@test "--ranks that chooses no rank is status 4 and tells which there are; those of it that no capture is of are named" {
    make_ranks --output RUN
    rm -r RUN/rank00001_*
    for command in cluster "cluster --timeline"; do
        # shellcheck disable=SC2086 # two words
        run_msprof $command RUN --output fresh/results --ranks 1,9
        expect_status 4
        expect_contains "$stderr" "no capture belongs to a rank that --ranks chooses; available: 0, 2 to 7"
        expect_contains "$stderr" "omit --ranks"
        [ ! -e fresh ]
    done
    run_msprof cluster RUN --ranks 0,2 --output one
    expect_status 3 # others of their groups are missing
    run ! grep -q "no capture is" <<<"$stderr"
    run_msprof cluster RUN --ranks 9-12,0,1-1,2 --output some
    expect_status 3
    expect_contains "$stderr" "no capture belongs to these ranks of --ranks: 9 to 12, 1; available: 0, 2 to 7"
    diff -r -x .msprof_cluster.files -x '*.db' -x .ranks -x data_problems.csv one some
}

@test "a capture without steps is chosen whatever --step says, and the numbers are named" {
    mkdir RUN
    cp -r "$repository/testdata/frameworks/run_ascend_pt/PROF_"* RUN/PROF_000001_20250101000000001_GENGENGENGENGENG
    chmod -R u+w RUN
    run_msprof cluster RUN --step 99
    [ "$status" -ne 4 ]
    expect_contains "$stderr" "no rank has these steps of --step: 99; available: none with a number"
    [ -s RUN/cluster_analysis_output/cluster_step_trace_time.csv ]
}

@test "processes of an MPI job agree that --step chooses no step, and one tells it" {
    command -v mpirun >/dev/null || skip "no MPI is installed: apt-get install openmpi-bin libopenmpi-dev"
    [ -x "$build/msprof-mpi" ] || skip "msprof-mpi is not built: make mpi"
    make_ranks --output RUN --ranks 5
    run_msprof cluster RUN --output results
    expect_status 0
    cp -r results before
    for output in results fresh; do
        status=0
        timeout 60 mpirun -n 3 --oversubscribe --allow-run-as-root "$build/msprof-mpi" cluster RUN --output "$output" \
            --step 99 2>err || status=$?
        expect_equal "$status" 4
        expect_equal "$(grep -c 'no rank has a step that --step chooses; available: 0 to 3' err)" 1
        run ! grep -q MPI_ABORT err
    done
    diff -r -x .msprof_cluster.files before results
    [ ! -e fresh ]
    status=0
    timeout 60 mpirun -n 3 --oversubscribe --allow-run-as-root "$build/msprof-mpi" cluster RUN --output some --step 2,99 2>err ||
        status=$?
    expect_equal "$status" 0
    expect_equal "$(grep -c 'no rank has these steps of --step: 99' err)" 1
}

@test "the usage errors of cluster say what is expected" {
    run_msprof cluster
    expect_status 2
    expect_contains "$stderr" "msprof cluster RUN"
    mkdir EMPTY
    run_msprof cluster EMPTY
    expect_status 4
    expect_contains "$stderr" "_ascend_pt"
    run_msprof cluster EMPTY --ranks 5-2
    expect_status 2
    expect_contains "$stderr" "0-63,128"
    run_msprof cluster EMPTY --step x
    expect_status 2
    mkdir MIXED MIXED/a_ascend_pt MIXED/b_ascend_ms
    run_msprof cluster MIXED
    expect_status 2
    expect_contains "$stderr" "PyTorch and of MindSpore"
}

@test "more than 64 ranks have sums, and every operator with --detail" {
    make_ranks --output RUN --ranks 66 --steps 1 --collectives 2
    run_msprof cluster RUN --jobs 3
    expect_status 0
    run ! grep -q hcom_ RUN/cluster_analysis_output/cluster_communication.json
    grep -q 'Total Op Info@' RUN/cluster_analysis_output/cluster_communication.json
    grep -q hcom_ RUN/cluster_analysis_output/late_collectives.csv
    run_msprof cluster RUN --detail
    expect_status 0
    grep -q hcom_ RUN/cluster_analysis_output/cluster_communication.json
}

@test "processes of an MPI job write the same bytes as one process" {
    command -v mpirun >/dev/null || skip "no MPI is installed: apt-get install openmpi-bin libopenmpi-dev"
    [ -x "$build/msprof-mpi" ] || skip "msprof-mpi is not built: make mpi"
    make_ranks --output RUN --ranks 21 --group 8 --slow-rank 5 --slow-link 9 --missing-step 13
    run_msprof cluster RUN --output one
    expect_status 3
    for processes in 2 4; do
        rm -f RUN/*/.msprof_cluster
        status=0
        mpirun -n "$processes" --oversubscribe --allow-run-as-root "$build/msprof-mpi" cluster RUN \
            --output "many$processes" 2>err || status=$?
        expect_equal "$status" 3
        diff -r -x .msprof_cluster.files one "many$processes"
    done
    run mpirun -n 2 --oversubscribe --allow-run-as-root "$build/msprof-mpi" show RUN
    expect_contains "$output" "msprof-mpi knows one command"
}

@test "each process of an MPI job opens its own ranks alone, and damage is told without ending the job" {
    command -v mpirun >/dev/null || skip "no MPI is installed: apt-get install openmpi-bin libopenmpi-dev"
    [ -x "$build/msprof-mpi" ] || skip "msprof-mpi is not built: make mpi"
    needs strace
    make_ranks --output RUN --ranks 21 --group 8
    run_msprof cluster RUN
    cat >member <<'END'
#!/bin/bash
exec strace -qq -f -e trace=open,openat -o "opens.$OMPI_COMM_WORLD_RANK" "$@"
END
    chmod +x member
    mpirun -n 4 --oversubscribe --allow-run-as-root ./member "$build/msprof-mpi" cluster RUN --output many 2>err
    for process in 0 1 2 3; do
        grep -o 'rank[0-9]*_[0-9]*_ascend_pt/.msprof_cluster' "opens.$process" | sort -u >"own.$process"
        [ -s "own.$process" ]
    done
    expect_equal "$(sort own.* | uniq -d)" ""
    expect_equal "$(sort own.* | wc -l)" 21
    diff -r -x .msprof_cluster.files -x .ranks RUN/cluster_analysis_output many/cluster_analysis_output
    change_byte "$(echo RUN/rank00017_*)/.msprof_cluster" 2000
    rm -r RUN/rank00003_*/ASCEND_PROFILER_OUTPUT RUN/rank00003_*/.msprof_cluster
    status=0
    mpirun -n 4 --oversubscribe --allow-run-as-root "$build/msprof-mpi" cluster RUN --output many 2>err || status=$?
    expect_equal "$status" 3
    expect_contains "$(cat err)" "its digest does not match its content"
    expect_contains "$(cat err)" "skipped: it has no results yet"
    run ! grep -q MPI_ABORT err
    rm -r RUN/*/ASCEND_PROFILER_OUTPUT RUN/*/.msprof_cluster
    status=0
    mpirun -n 4 --oversubscribe --allow-run-as-root "$build/msprof-mpi" cluster RUN --output none 2>err || status=$?
    expect_equal "$status" 4
    expect_equal "$(grep -c 'cannot read any of the 21 captures' err)" 1
    run ! grep -q MPI_ABORT err
}

@test "the results of two ranks are those of Ascend's cluster analysis, and links that it drops" {
    needs_python
    needs_shared data/expected/cluster-small
    mkdir RUN
    for rank in 0 1; do
        capture=$(echo "$shared"/data/generated/cluster-small/gen_424$((2 + rank))_*_ascend_pt)
        mkdir -p "RUN/$(basename "$capture")"
        cp "$capture"/profiler_*.json "RUN/$(basename "$capture")/"
        cp -r "$shared/data/expected/cluster-small/rank$rank" "RUN/$(basename "$capture")/ASCEND_PROFILER_OUTPUT"
    done
    chmod -R u+w RUN
    run_msprof cluster RUN
    expect_status 0
    python3 "$repository/tests/cluster/agree.py" "$shared/data/expected/cluster-small" RUN/cluster_analysis_output
}

@test "cluster_analysis.db says in every row what the other files say" {
    needs_python
    make_ranks --output RUN --slow-rank 5
    run_msprof cluster RUN
    expect_status 0
    run python3 "$repository/tests/cluster/agree_db.py" RUN/cluster_analysis_output
    expect_status 0
    expect_contains "$output" "ClusterStepTraceTime: "
    [[ $output != *": 0 rows"* ]]
    # with more ranks than have every operator in the files there is none, and none of an earlier run
    make_ranks --output MANY --ranks 72
    mkdir MANY/cluster_analysis_output
    echo old >MANY/cluster_analysis_output/cluster_analysis.db
    run_msprof cluster MANY
    expect_status 0
    [ ! -e MANY/cluster_analysis_output/cluster_analysis.db ]
    expect_equal "$(<MANY/cluster_analysis_output/cluster_analysis.kept.db)" old # it is another program's
    run_msprof cluster MANY --detail
    expect_status 0
    [ -e MANY/cluster_analysis_output/cluster_analysis.db ]
    run_msprof cluster MANY
    expect_status 0
    expect_equal "$(ls MANY/cluster_analysis_output/*.db)" MANY/cluster_analysis_output/cluster_analysis.kept.db
}

@test "cluster_analysis.db of two ranks has what Ascend's cluster analysis says" {
    needs_python
    needs_shared data/expected/cluster-small
    cp -r "$shared/data/generated/cluster-small" RUN
    chmod -R u+w RUN
    run_msprof cluster RUN
    run python3 "$repository/tests/cluster/agree_db.py" RUN/cluster_analysis_output "$shared/data/expected/cluster-small"
    expect_status 0
}

@test "captures without a framework are ranks, with the times that their timelines have" {
    needs_python
    mkdir RUN
    for rank in 4 7; do
        cp -r "$repository/testdata/frameworks/run_ascend_pt/PROF_"* "RUN/PROF_00000${rank}_20250101000000001_GENGENGENGENGENG"
        chmod -R u+w RUN
        sed -i "s/\"rank_id\":[-0-9]*/\"rank_id\":$rank/" RUN/PROF_00000"${rank}"*/device_0/info.json.0
    done
    grep -q "\"rank_id\":4" RUN/PROF_000004*/device_0/info.json.0
    run_msprof cluster RUN
    expect_contains "$stderr" "2 ranks (2 read anew)"
    [ ! -e "$(echo RUN/PROF_000004*)/sqlite" ]
    "$MSPROF" export timeline -q -dir "$(echo RUN/PROF_000004*)"
    python3 - RUN/PROF_000004*/mindstudio_profiler_output/msprof_*.json <<'END'
import csv, sys
from timeline import read_timeline
trace = read_timeline(sys.argv[1]).events
sums, receives, alone = {}, [], []
for e in trace:
    if e.get('ph') == 'X':
        sums[e['name']] = sums.get(e['name'], 0) + float(e['dur'])
        span = [round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000)]
        if e['name'].startswith('hcom_receive'):
            sums['bubble'] = sums.get('bubble', 0) + float(e['dur'])
            receives.append(span)
        elif e['name'] == 'Communication(Not Overlapped)':
            alone.append(span)
excluding = sum(not any(s <= ns < e for s, e in receives) for start, end in alone for ns in range(start, end)) / 1000
assert 0 < excluding < sums['Communication(Not Overlapped)'] and abs(excluding + sums['bubble'] - sums['Communication(Not Overlapped)']) > 1
rows = list(csv.DictReader(open('RUN/cluster_analysis_output/cluster_step_trace_time.csv')))
assert [(r['Type'], r['Index'], r['Step']) for r in rows] == [('rank', '4', ''), ('rank', '7', '')], rows
for row in rows:
    for title in 'Computing', 'Communication', 'Communication(Not Overlapped)', 'Free':
        assert abs(float(row[title]) - sums[title]) < 0.01, (title, row[title], sums[title])
    bubble = float(row['Bubble'])
    assert bubble > 0 and float(row['Preparing']) == 0
    assert abs(float(row['Stage']) - (sums['Free'] + sums['Computing'] + sums['Communication(Not Overlapped)'] - bubble)) < 0.01
    exclude = float(row['Communication(Not Overlapped and Exclude Receive)'])
    assert abs(exclude - excluding) < 0.01
END
}

@test "captures of several devices are named and left out, whatever their devices say of ranks" {
    needs_python
    write_captures() { # the ranks that devices of the second capture say
        python3 - "$repository/tests/cann/lib" "$1" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import Prof
for number, ranks in (1, ['0']), (2, sys.argv[2].split()):
    p = Prof('RUN/PROF_%d' % number)
    for device, rank in enumerate(ranks):
        p.configs['device_%d' % device] = {'rank_id': int(rank)}
        p.launch(100 + 1000 * device, 1, 1, 'matmul', thread=device + 1, device=device)
        p.ran(5000, 6000 + 1000 * device, 1, 1, device=device)
    p.write()
END
    }
    for ranks in "1 2" "2 1" "1 1" "0 1" "-1 -1"; do
        rm -rf RUN
        write_captures "$ranks"
        run_msprof cluster RUN
        expect_status 3
        expect_contains "$stderr" "/RUN/PROF_2: skipped: it has 2 devices; cluster compares captures of one device each"
        expect_equal "$(cut -d , -f 1-4 RUN/cluster_analysis_output/cluster_step_trace_time.csv | tail -n +2)" ",rank,0,1"
    done
    rm -rf RUN/PROF_1 RUN/cluster_analysis_output
    run_msprof cluster RUN
    expect_status 4
    expect_contains "$stderr" "PROF_* of one device"
    [ ! -e RUN/cluster_analysis_output ]
}

@test "a process of an MPI job that dies is named, and what was read of ranks is kept for the next run" {
    command -v mpirun >/dev/null || skip "no MPI is installed: apt-get install openmpi-bin libopenmpi-dev"
    [ -x "$build/msprof-mpi" ] || skip "msprof-mpi is not built: make mpi"
    make_ranks --output RUN --ranks 16 --collectives 300
    cat >member <<'END'
#!/bin/bash
program=$1
shift
[ "$OMPI_COMM_WORLD_RANK" = 2 ] || exec "$program" "$@"
"$program" "$@" &
until ls RUN/*/.msprof_cluster >one 2>/dev/null; do sleep 0.02; done
kill -9 $!
wait $!
END
    chmod +x member
    status=0
    mpirun -n 4 --oversubscribe --allow-run-as-root ./member "$build/msprof-mpi" cluster RUN 2>err || status=$?
    [ "$status" -ne 0 ]
    grep -q '\[[0-9]*,[0-9]*\],2\]\|rank 2 ' err
    [ ! -e RUN/cluster_analysis_output/cluster_communication.json ]
    kept=$(find RUN -name .msprof_cluster | wc -l)
    [ "$kept" -gt 0 ]
    run_msprof cluster RUN
    expect_status 0
    expect_contains "$stderr" "16 ranks ($((16 - kept)) read anew)"
}

@test "the answer names the slowest rank, its steps and whether it recurs, the worst link, and what could not be judged" {
    make_ranks --output RUN --slow-rank 5 --slow-link 2 --seed 3
    run_msprof -q cluster RUN
    expect_status 0
    expect_contains "$output" "Slowest rank: 5"
    waited=$(sed -n 2p RUN/cluster_analysis_output/slow_ranks.csv | cut -d , -f 6)
    expect_contains "$output" "The others waited $(awk -v us="$waited" 'BEGIN { printf "%.3f", us / 1000 }') ms for it; it came last in 80 of its 80 collectives"
    expect_contains "$output" "It was the slowest in 4 of 4 steps: it recurs."
    expect_contains "$output" "Worst link: 2 -> 3 (HCCS)"
    rm -rf RUN
    make_ranks --output RUN
    run_msprof -q cluster RUN
    expect_contains "$output" "Slowest rank: none stands out"
    expect_contains "$output" "Worst link: none stands out"
    rm -rf RUN
    make_ranks --output RUN --missing-step 7
    run_msprof -q cluster RUN
    expect_contains "$output" "Not judged: 20 of"
}

@test "ranks and stages that compute longer than the others are found, links of a few bytes are not judged" {
    needs python3
    mkdir RUN
    python3 - <<'PY'
import json
from torch_ranks import TIMES, write_rank
# four ranks of two stages: rank 2 takes twice as long as rank 3, and the stage of both longer than the other
times = {0: 200, 1: 202, 2: 800, 3: 400}
for rank, ms in times.items():
    free = 100_000 if rank == 1 else 5
    bubble = 90_000 if rank == 0 else 0
    out = write_rank('RUN', rank, [(step, ms * 1000 + step, free, ms * 1000 + 10 + free, bubble) for step in (1, 2, 3)])
    steps, matrix = {}, {}
    for step in ('step1', 'step2', 'step3'):
        g = 'd0' if rank < 2 else 'd1'
        steps[step] = {'collective': {'hcom_allReduce__%s_1_1@%s' % (g, g): TIMES, 'Total Op Info': TIMES},
                       'p2p': {'hcom_send__p%d_1_1@p%d' % (rank % 2, rank % 2): TIMES}}
        link = {'Transport Type': 'HCCS', 'Transit Size(MB)': 0.00004, 'Transit Time(ms)': 0.002, 'Bandwidth(GB/s)': 0.02, 'op_name': 'x'}
        matrix[step] = {'collective': {'allreduce-total@' + g: {'0-1': link, '%d-%d' % (rank % 2, rank % 2): dict(link, **{'Transport Type': 'LOCAL'})}}, 'p2p': {}}
    json.dump(steps, open(out + '/communication.json', 'w'))
    json.dump(matrix, open(out + '/communication_matrix.json', 'w'))
PY
    run_msprof -q cluster RUN
    [ "$status" -eq 0 ] || expect_status 3
    expect_contains "$output" "Computing: rank 2 takes 800.002 ms a step, 100.0 % more than the others of its stage (400.002 ms)"
    expect_contains "$output" "Computing: stage 1 takes 600.002 ms a step, 198.5 % more than the others (201.002 ms)"
    expect_contains "$output" "Free: rank 1 is idle for 100.000 ms per step, 99.995 ms more than the others: its host delays it"
    expect_equal "$(cut -d, -f 1,2,9,10,11 RUN/cluster_analysis_output/slow_computing.csv | grep rank | sort | tr '\n' ' ')" \
        "rank,0,5,100000,no rank,1,100000,5,yes rank,2,5,5,no rank,3,5,5,no "
    expect_contains "$output" "Bubble: rank 0 waits 90.000 ms a step to receive from other stages, 31.0 % of its step"
    expect_contains "$output" "Not judged: sends and receives of 2 groups"
    expect_contains "$output" "Worst link: not judged; no link moved 1 MB"
    expect_equal "$(cut -d, -f 1,2,8 RUN/cluster_analysis_output/slow_computing.csv | tr '\n' ' ')" \
        "Type,Index,Slow stage,1,yes stage,0,no rank,2,yes rank,3,no rank,1,no rank,0,no "
    run_msprof show RUN
    expect_status 4
    expect_contains "$stderr" "'msprof cluster DIR' reads those"
}

@test "medians of medians of steps are rounded once: half nanoseconds are kept until they are printed" {
    needs python3
    mkdir RUN
    python3 - <<'PY'
import os
from torch_ranks import write_rank
for rank, times in enumerate(((1000, 1000), (1000, 1001), (1001, 1002))):
    out = write_rank('RUN', rank, [])
    os.remove(os.path.dirname(out) + '/profiler_metadata.json')  # no stages
    with open(out + '/step_trace_time.csv', 'w', encoding='utf-8') as f:
        f.write('Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n')
        for step, ns in enumerate(times):
            f.write('%d,%.3f,0,0,0,%.3f\n' % (step, ns / 1000, ns / 1000))
PY
    run_msprof -q cluster RUN
    expect_equal "$(cut -d, -f 2,5,6,9,10 RUN/cluster_analysis_output/slow_computing.csv | sed 1d | sort)" \
        $'0,1,1.001,1,1.001\n1,1.001,1.001,1.001,1.001\n2,1.002,1,1.002,1'
}

@test "rank_times.csv tells what each rank masks and how long it is free, of steps that say it, and all ranks together" {
    needs python3
    mkdir RUN
    python3 - <<'PY'
from torch_ranks import write_rank
# rank 0 masks 600 of 1,000 us in its one step and rank 1 nothing in two; rank 2 does not communicate, rank 3 says no free time
steps = {0: ['1,3000,400,600,1000,600'], 1: ['1,1000,250,0,250,0', '2,1000,250,0,250,500'], 2: ['1,100,0,0,0,300'],
         3: ['1,100,0,0,0,']}
for rank, lines in steps.items():
    out = write_rank('RUN', rank, [])
    with open(out + '/step_trace_time.csv', 'w', encoding='utf-8') as f:
        f.write('Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n' + ''.join(l + '\n' for l in lines))
PY
    run_msprof -q cluster RUN
    expect_status 3 # no communication files
    expect_equal "$(cat RUN/cluster_analysis_output/rank_times.csv)" \
        "Rank,Steps,Computing(us),Communication(us),Masked(us),Masked(%),Exposed(us),Free(us),Free(%)
0,1,3000,1000,600,60,400,600,15
1,2,2000,500,0,0,500,500,16.67
2,1,100,0,0,N/A,0,300,75
3,0,N/A,N/A,N/A,N/A,N/A,N/A,N/A
all,4,5100,1500,600,40,900,1400,18.92"
    run_msprof -q cluster --step 2 RUN
    expect_equal "$(sed -n '3p;$p' RUN/cluster_analysis_output/rank_times.csv)" "1,1,1000,250,0,0,250,500,28.57
all,1,1000,250,0,0,250,500,28.57"
}

@test "of 64 ranks one straggler and one slow link are named, and commands on one capture point to cluster" {
    make_ranks --ranks 64 --output RUN --slow-rank 41 --slow-link 17 --seed 9
    run_msprof -q cluster RUN
    expect_status 0
    expect_contains "$output" "Slowest rank: 41"
    expect_contains "$output" "it came last in 80 of its 80 collectives"
    expect_contains "$output" "Worst link: 17 -> 18 (HCCS)"
    for command in show advise "diff RUN"; do
        # shellcheck disable=SC2086 # the words of a command
        run_msprof $command RUN
        expect_status 4
        expect_contains "$stderr" "'msprof cluster DIR' reads those"
    done
}

@test "a stage of 401 ms against 231 is found, ranks that differ by a hundredth are not" {
    needs python3
    mkdir STAGES CLEAN
    python3 - <<'PY'
from torch_ranks import write_rank
for job, times in (('STAGES', (231, 231, 401, 401)), ('CLEAN', (100, 101, 100, 101))):
    for rank, ms in enumerate(times):
        write_rank(job, rank, [(step, ms * 1000, 5, ms * 1000 + 15, 0) for step in (1, 2, 3)])
PY
    run_msprof -q cluster STAGES
    expect_contains "$output" "Computing: no rank stands out; the longest is that of 2, 401.000 ms a step."
    expect_contains "$output" "Computing: stage 1 takes 401.000 ms a step, 73.6 % more than the others (231.000 ms)"
    run_msprof -q cluster CLEAN
    expect_contains "$output" "Computing: no rank stands out"
    expect_contains "$output" "Computing: no stage stands out"
    expect_not_contains "$output" "Free: rank"
}
