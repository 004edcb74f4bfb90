#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What msprof diff says of captures whose differences are known, and with which status it ends.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common
load ../cli/scattered

@test "a capture and its copy: nothing but unchanged, and every gate holds" {
    cp -r A B
    run_msprof -q diff A B --format json --gate step_time:+0% --gate 'op:*:+0%' --gate 'type:*:+0%' --gate aicpu:+0us \
        --gate cube_util:+0% --gate ddr_bytes:+0B --gate fps:+0 --gate 'count:*:+0' --gate device_busy:+0% \
        --gate trans:=0 --gate exposed_comm:=0 --gate free:+0ms --gate 'api:*:+0%' --gate 'free:<20%' --gate 'fps:>100'
    expect_status 0
    expect_equal "$(json '{r["verdict"] for r in d["rows"]}')" "{'unchanged'}"
    expect_equal "$(json 'd["verdict"], len(d["gates"]), all(g["passed"] for g in d["gates"])')" "('ok', 15, True)"
    expect_equal "$(json 'd["comparability"]["score"]')" 1
}

@test "the JSON has the keys of msprof.diff/2, in order, and the same bytes each time" {
    scatter B
    run_msprof -q diff A B --format json --gate step_time:+3%
    expect_status 0
    cp "$BATS_TEST_TMPDIR/stdout" first
    expect_equal "$(json '",".join(d)')" \
        "base,causes,comparability,gaps,gates,new,noise,only_base,only_new,periods,rows,schema,steps,verdict"
    expect_equal "$(json '",".join(d["rows"][0])')" \
        "cliff,key,match,median_base,median_new,n_base,n_new,needs_captures,own_change,p,q,smallest,total_step_base,total_step_new,verdict"
    expect_equal "$(json '",".join(d["gates"][0])')" "base,delta,limit,metric,new,passed"
    expect_equal "$(json 'd["schema"]')" msprof.diff/2
    mkdir elsewhere
    cp -r A B elsewhere/
    cd elsewhere
    run_msprof -q diff A B --format json --gate step_time:+3%
    cmp ../first "$BATS_TEST_TMPDIR/stdout"
}

@test "the rows add up to the change of the step time, whatever --top and --by" {
    scatter B --slower 56:1.2
    for by in op type shape layer stream; do
        for top in 1 7 1000; do
            run_msprof -q diff A B --format json --by "$by" --top "$top"
            expect_status 0
            expect_equal "$(json 'abs(sum(r["total_step_new"] - r["total_step_base"] for r in d["rows"]) -
                (d["new"]["step_time"] - d["base"]["step_time"])) < 0.2')" True
            expect_equal "$(json 'd["rows"][-1]["key"]')" "(rest)"
        done
    done
}

@test "with --min-share 0 a layer of less than 2 % of the step that is 5 % slower is named alone, too" {
    "$MSPROF" import -q A
    tasks=(50 47 53)
    for seed in {1..9}; do
        task=${tasks[seed % 3]}
        name=$(sqlite3 A/sqlite/runtime.db \
            "SELECT layer_names FROM layer_group WHERE task_id = $task AND engine = 'AI_CORE'")
        scatter B --seed "$seed" --slower "$task:1.05"
        run_msprof -q diff A B --format json --min-share 0
        expect_status 0
        expect_equal "$(json '[r["key"] for r in d["rows"] if r["verdict"] not in ("unchanged", "noise")]')" "['$name']"
        expect_equal "$(json '[r["total_step_base"] < 0.02 * sum(s["total_step_base"] for s in d["rows"])
            for r in d["rows"] if r["key"] == "'"$name"'"]')" "[True]"
    done
}

@test "the longest layer 30 % slower breaks the gates: status 6" {
    scatter B --slower 56:1.3
    run_msprof diff A B --gate step_time:+1% --gate 'op:*:+10%'
    expect_status 6
    expect_contains "$stderr" "gate step_time:+1% failed"
    expect_contains "$stderr" "gate op:*:+10% failed, mostly by bbox_pred"
    expect_contains "$output" "Verdict: regression"
    run_msprof -q diff A B --gate 'op:bbox_*:+29%'
    expect_status 6
    run_msprof -q diff A B --gate 'op:res*:+10%' --gate 'type:*:+1s'
    expect_status 0
    run_msprof -q diff B A --gate step_time:+1% --gate 'op:*:+10%'
    expect_status 0
    run_msprof -q diff A B
    expect_status 0
}

@test "a gate on what there is nothing of: status 4; captures that differ too much: status 7" {
    cp -r A B
    run_msprof -q diff A B --gate op:nothing:+3%
    expect_status 4
    expect_contains "$stderr" "nothing to compare for gate 'op:nothing'"
    "$make_capture" --output other --layers 16 --frequency 500 --inferences 24 >made 2>/dev/null
    run_msprof diff A other
    expect_status 7
    expect_contains "$output" "Verdict: inconclusive"
    expect_contains "$stderr" "too different to compare"
    run_msprof -q diff A other --gate step_time:+1%
    expect_status 7
    run_msprof -q diff A other --allow-incomparable
    expect_status 0
    expect_contains "$output" "Verdict: inconclusive"
    run_msprof -q diff A nothing
    expect_status 1
}

@test "wrong gates, limits and sides are usage errors that say what is expected" {
    for gate in step_time 'steptime:+3%' 'step_time:3%' 'step_time:+3' 'step_time:+nan%' 'step_time:+inf' 'step_time:+1e3us' \
        'step_time:+-1%' 'count:x:+1ms' 'cube_util:+1ms' 'op::+3%' 'step_time:+99999999999999999us' 'step_time:=3%' \
        'step_time:+3%%' 'fps:<5%' 'step_time:' 'ddr_bytes:+5ms' 'step_time:+0x10us' 'step_time:+1.us'; do
        run_msprof diff A A --gate "$gate"
        expect_status 2
        expect_contains "$stderr" "expected"
    done
    for words in "A" "" "A A A" "--base A" "--new A" "A A --base A --new A"; do
        # shellcheck disable=SC2086 # words
        run_msprof diff $words
        expect_status 2
        expect_contains "$stderr" "pass two captures"
    done
    run_msprof diff A A --min-change nan
    expect_status 2
    run_msprof diff A A --by colour
    expect_status 2
}

@test "a baseline says what its captures say" {
    scatter B --slower 56:1.05
    scatter C --seed 9
    gates=(--gate step_time:+1% --gate 'op:*:+10%' --gate 'api:*:+10%' --gate aicpu:+1us --gate cube_util:+1% --gate fps:+1%)
    run_msprof diff --save base.json --base A
    expect_status 0
    expect_equal "$output" ""
    run_msprof diff --save both.json --base A --base C
    expect_status 0
    for by in op type shape layer stream step api; do
        run_msprof -q diff A B --format json --by "$by" "${gates[@]}"
        cp "$BATS_TEST_TMPDIR/stdout" from-capture
        run_msprof -q diff base.json B --format json --by "$by" "${gates[@]}"
        cmp from-capture "$BATS_TEST_TMPDIR/stdout"
        run_msprof -q diff --base A --base C --new B --format json --by "$by"
        cp "$BATS_TEST_TMPDIR/stdout" from-capture
        run_msprof -q diff --base both.json --new B --format json --by "$by"
        cmp from-capture "$BATS_TEST_TMPDIR/stdout"
    done
    run_msprof -q diff A B --save two.json # which of them?
    expect_status 2
    expect_contains "$stderr" "pass several captures with --base CAPTURE each"
    run_msprof -q diff --save gated.json --base A --gate step_time:+1%
    expect_status 2
    expect_contains "$stderr" "--save cannot be combined with --gate"
    [ ! -e two.json ] && [ ! -e gated.json ]
    run_msprof -q diff --save again.json --base base.json
    cmp base.json again.json
    [ "$(stat -c %s base.json)" -lt 400000 ]
}

@test "a baseline that is cut, edited, of another version or none is a clear error" {
    "$MSPROF" -q diff --save base.json --base A
    head -c -1 base.json >cut.json
    head -c 5000 base.json >short.json
    sed 's/"tick_ns":"10"/"tick_ns":"11"/' base.json >edited.json
    sed 's|msprof.baseline/3|msprof.baseline/4|' base.json >newer.json
    sed 's|msprof.baseline/3|msprof.baseline/2|' base.json >older.json # where fps was that of the period
    echo '{}' >none.json
    : >empty.json
    for case in "cut.json:its end is missing" "short.json:its end is missing" "edited.json:its digest does not match its content: it was edited or damaged" \
        "newer.json:it is of the version 'msprof.baseline/4'" "older.json:it is of the version 'msprof.baseline/2'" "none.json:not a baseline" "empty.json:not a baseline"; do
        run_msprof diff "${case%%:*}" A
        expect_status 1
        expect_contains "$stderr" "cannot use '${case%%:*}' as a baseline: ${case#*:}"
        expect_contains "$stderr" "create it again"
    done
    run_msprof diff --save /nowhere/base.json --base A
    expect_status 1
    run_msprof diff --save base.json
    expect_status 2
    run_msprof diff --save base.json --base A --new A
    expect_status 2
}

@test "several captures a side: what differs between runs is noise" {
    for n in 1 2 3; do
        scatter "A$n" --seed "$n" --slower "56:1.0$((3 * n))"
        scatter "B$n" --seed "$((n + 10))" --slower "56:1.0$((3 * n))"
    done
    run_msprof -q diff --base A1 --base A2 --base A3 --new B1 --new B2 --new B3 --format json
    expect_status 0
    expect_equal "$(json 'd["comparability"]["run_to_run_noise"], d["verdict"]')" "('measured', 'ok')"
    run_msprof -q diff A1 B3 --format json
    expect_equal "$(json 'd["comparability"]["run_to_run_noise"], d["verdict"]')" "('not measured', 'regression')"
}

@test "a capture that a side has twice counts once" {
    scatter B
    run_msprof -q diff A B --format json
    cp "$BATS_TEST_TMPDIR/stdout" once
    mkdir JOBS
    ln -s ../A JOBS/JOBA
    for words in "--base A --base A --new B" "--base A --base ./A/ --new B --new B" "--base A --base JOBS --new B"; do
        # shellcheck disable=SC2086 # words
        run_msprof -q diff --format json $words
        cmp once "$BATS_TEST_TMPDIR/stdout"
    done
    run_msprof -q diff --save base.json --base A --base A
    run_msprof -q diff --base base.json --base base.json --new B --format json
    cmp once "$BATS_TEST_TMPDIR/stdout"
}

@test "every format has the rows; tables fit into 60 columns, ASCII where the locale is" {
    scatter B --slower 56:1.3
    run_msprof -q diff A B --format csv
    expect_status 0
    expect_equal "$(wc -l <"$BATS_TEST_TMPDIR/stdout")" 64
    expect_contains "$output" "regression,exact,bbox_pred"
    expect_contains "$(tail -1 <<<"$output")" ",none,(rest)"
    run_msprof -q diff A B --format markdown --gate step_time:+1%
    expect_status 6
    expect_contains "$output" '**Verdict: regression**'
    expect_contains "$output" '| bbox\_pred |'
    run_msprof -q diff A B --width 60
    expect_status 0
    expect_equal "$(sed -n '/^By op/,$p' "$BATS_TEST_TMPDIR/stdout" | grep -cE '^.{61}')" 0
    LC_ALL=C run_msprof -q diff A B --width 48
    expect_equal "$(LC_ALL=C grep -cP '[^\x00-\x7f]' "$BATS_TEST_TMPDIR/stdout")" 0
    expect_contains "$output" "..."
    run_msprof -q diff A B
    expect_contains "$output" "res2b_branch2c,res2b"
}

@test "names of layers cannot break any format" {
    cp -r A B
    python3 - A B <<'END'
import glob, json, sys
for capture in sys.argv[1:]:
    for path in glob.glob(capture + "/data/*"):
        data = open(path, "rb").read()
        if b"bbox_pred" in data:
            open(path, "wb").write(data.replace(b"bbox_pred", b"b|<`,*_p"[:9].ljust(9, b"x")))
END
    run_msprof -q diff A B --format json
    json 'd["verdict"]'
    run_msprof -q diff A B --format csv
    expect_equal "$(python3 -c 'import csv, sys; print({len(r) for r in csv.reader(open(sys.argv[1]))})' "$BATS_TEST_TMPDIR/stdout")" "{15}"
    run_msprof -q diff A B --format markdown --top 1000
    expect_not_contains "$output" "b|<"
}

@test "a gate that fails is a regression, and one that passes changes nothing" {
    scatter B --slower 56:1.3
    for gate in "" "--gate op:res*:+10%" "--gate step_time:+1%"; do
        # shellcheck disable=SC2086 # words
        run_msprof -q diff A B --format json $gate
        expect_equal "$(json 'd["verdict"]')" regression
    done
    cp -r A same
    run_msprof -q diff A same --format json
    expect_equal "$(json 'd["verdict"]')" ok
    run_msprof diff A same --gate 'step_time:<1us'
    expect_status 6
    expect_contains "$output" "Verdict: regression"
    expect_contains "$output" "Slower: gates"
    expect_contains "$output" "Gates: 1 of 1 failed"
    run_msprof -q diff A same --format json --gate 'step_time:<1us'
    expect_equal "$(json 'd["verdict"], d["causes"], d["gates"][0]["passed"]')" "('regression', ['gates'], False)"
}

@test "captures are named by the parts of their paths that differ" {
    mkdir -p before/x after/x
    scatter B
    cp -r A before/x/JOB
    cp -r B after/x/JOB
    run_msprof -q diff before/x/JOB after/x/JOB
    expect_contains "$output" "Base: before/x/JOB"
    expect_contains "$output" "New: after/x/JOB"
    run_msprof -q diff --save base.json --base before/x/JOB
    run_msprof -q diff base.json after/x/JOB --format json
    expect_equal "$(json 'd["base"]["captures"], d["new"]["captures"]')" "(['base.json/JOB'], ['x/JOB'])"
    cd before/x/JOB
    run_msprof -q diff . ../../../after/x/JOB --format json
    expect_equal "$(json 'd["base"]["captures"], d["new"]["captures"]')" "(['before/x/JOB'], ['after/x/JOB'])"
}

@test "every row tells the smallest change that would show, and what is within noise how many captures it takes" {
    scatter C --seed 5
    scatter B --slower 56:1.006
    run_msprof -q diff C B --format json --min-change 0.1
    expect_equal "$(json 'all(r["smallest"] > 0 for r in d["rows"] if r["p"] < 1)')" True
    expect_equal "$(json 'all((r["needs_captures"] or 2) >= 2 and (r["verdict"] == "noise" or r["needs_captures"] is None) for r in d["rows"])')" True
    expect_equal "$(json '[r["smallest"] for r in d["rows"] if r["key"] == "bbox_pred"][0] < 5')" True
}

@test "an operator that runs twice as often a step is a regression, whatever its median" {
    cp -r A B
    "$MSPROF" -q diff --save a.json --base A
    python3 - <<'END'
import hashlib, re
text = open("a.json").read()
body = text[:text.index(',\n"sha256"')]
at = body.index('"tables"')
row = re.compile(r'("key":"bbox_pred".*?"n":")(\d+)(".*?"total":")([^"]+)')
def twice(found):
    return found[1] + str(2 * int(found[2])) + found[3] + repr(2 * float(found[4]))
body = body[:at] + row.sub(twice, body[at:])
open("b.json", "w").write(body + ',\n"sha256":"' + hashlib.sha256(body.encode()).hexdigest() + '"}\n')
END
    run_msprof -q diff a.json b.json --format json
    expect_equal "$(json '[(r["key"], r["verdict"]) for r in d["rows"] if r["verdict"] != "unchanged"]')" "[('bbox_pred', 'regression')]"
    run_msprof -q diff b.json a.json --format json
    expect_equal "$(json '[(r["key"], r["verdict"]) for r in d["rows"] if r["verdict"] != "unchanged"]')" "[('bbox_pred', 'improvement')]"
}

@test "a baseline's directory is cleared of what a killed run left there" {
    cp -r "$repository"/testdata/resnet50/JOB* JOB_1
    mkdir baselines
    : >baselines/.msprof.0123456789abcdef.tmp
    run_msprof diff --base JOB_1 --save baselines/one.json
    expect_status 0
    expect_equal "$(ls -A baselines)" one.json
}

@test "captures of many models are of the same ones when all are, also those that do not fit into a line" {
    local models=() i side
    for i in $(seq 10); do models+=(--model "network_with_a_long_name_$i:$i"); done
    for side in unet_2019 yolo_v8; do
        "$MSPROF_BUILD/make-capture" --output $side "${models[@]}" --model $side:13 --inferences 2 --layers 16 --api-calls 4 2>/dev/null
    done
    run_msprof -q diff unet_2019/JOB* yolo_v8/JOB* --format json
    expect_equal "$(json '[(c["same"], c["base"][-9:], c["new"][-7:]) for c in d["comparability"]["checks"] if c["name"] == "models"]')" \
        "[(False, 'unet_2019', 'yolo_v8')]"
    cp -r unet_2019 copy
    run_msprof -q diff unet_2019/JOB* copy/JOB* --format json
    expect_equal "$(json '[c["same"] for c in d["comparability"]["checks"] if c["name"] == "models"]')" "[True]"
    run_msprof -q show unet_2019/JOB* --table summary --format csv
    expect_equal "$(grep '^Models,' <<<"$output" | grep -o 'network_with_a_long_name_[0-9]*\|unet_2019' | wc -l)" 11
}
