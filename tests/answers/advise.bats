#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What msprof advise tells, in which forms, and with which status it ends. Each rule by itself is tested in
# tests/unit/answers/test_advice.c.
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common

setup() {
    enter_scratch
    "$(dirname "$(readlink -f "$MSPROF")")/make-capture" --output . --inferences 12 >made 2>/dev/null
    mv JOB* A
}

json() {
    /usr/bin/python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' \
        "$BATS_TEST_TMPDIR/stdout" "$1"
}

@test "findings have the evidence, and come by severity, then by the time at stake" {
    run_msprof -q advise A --format json
    expect_status 0
    expect_equal "$(json '",".join(d)')" "capture,findings,not_checked,passed,schema"
    expect_equal "$(json '",".join(d["findings"][0])')" \
        "advice,at_stake,evidence,formula,id,option,rests_on,same_cause,saves,sentence,severity,threshold,timeline_ts,timestamp,value"
    expect_equal "$(json '(lambda k: k == sorted(k))([("high medium low".index(f["severity"]), -f["at_stake"]) for f in d["findings"]])')" True
    expect_equal "$(json 'all(f["value"] != f["threshold"] for f in d["findings"]), "ai-cpu" in [f["id"] for f in d["findings"]]')" "(True, True)"
    expect_equal "$(json '{n["id"]: n["reason"] for n in d["not_checked"]}["frequency"]')" \
        "the frequency of the cores was not measured"
    # the AI CPU tasks of the database, in microseconds
    sum=$(sqlite3 A/sqlite/runtime.db "SELECT sum(duration_ns) / 1000.0 FROM ai_cpu_task")
    expect_equal "$(json "abs([f for f in d['findings'] if f['id'] == 'ai-cpu'][0]['at_stake'] - $sum) < 0.01")" True
}

@test "every format tells the same findings" {
    run_msprof -q advise A --format json
    json '"\n".join(f["id"] for f in d["findings"])' >ids
    run_msprof -q advise A
    expect_status 0
    expect_equal "$(sed -n 's/^\(high\|medium\|low\)  //p' <<<"$output")" "$(<ids)"
    expect_contains "$output" "frequency: not checked, because"
    run_msprof -q advise A --format markdown
    expect_equal "$(sed -n 's/^### [a-z]*: //p' <<<"$output")" "$(<ids)"
}

@test "--fail-on ends with 6 when there is a finding as severe, --threshold moves the limits" {
    run_msprof -q advise A --fail-on high
    expect_status 6
    mapfile -t limits < <("$MSPROF" advise --list --format json |
        /usr/bin/python3 -c 'import json, sys; [print("--threshold\n" + r["id"] + ":100") for r in json.load(sys.stdin)["rules"]]')
    run_msprof -q advise A --fail-on low "${limits[@]}" --threshold low-cube-use:0 --threshold svp-network:0 --threshold gap:100000
    expect_status 0
    expect_contains "$output" "A: 0 findings"
    run_msprof advise A --threshold nothing:3
    expect_status 2
    run_msprof advise A --threshold idle:nan
    expect_status 2
    run_msprof advise
    expect_status 2
    expect_contains "$stderr" "no capture given"
}

@test "--list explains every rule" {
    run_msprof advise --list
    expect_status 0
    expect_equal "$(grep -c ': limit' <<<"$output")" "$(cat "$repository"/features/*/rules/*.c | grep -c '^ *\.id = "')"
}

@test "what is missing is said before any finding, whichever file of a capture was copied by half or is gone" {
    needs python3
    for source in resnet50/JOB* cann/job-910a/JOB* cann/prof-910b/PROF* cann/2022-910a/PROF*; do
        # shellcheck disable=SC2086 # the star is to be replaced
        source=$(cd "$repository/testdata" && printf %s "$PWD"/$source)
        files=$(cd "$source" && find . -path '*/data/*' -type f -size +0 ! -name '*.done' | sort)
        named=$(find "$source" -name '*.done' | wc -l)
        count=0
        while IFS= read -r file; do
            for how in half gone; do
                rm -rf X
                cp -r "$source" X
                if [ $how = half ]; then
                    # some whole records, whatever their size
                    python3 -c 'import os, sys; os.truncate(sys.argv[1], os.path.getsize(sys.argv[1]) // 2)' "X/$file"
                else
                    rm "X/$file"
                fi
                run_msprof advise X
                case "$how $file" in
                gone*net.info) continue ;; # no other file says that there was one
                esac
                [[ "$status $stderr" == 3* ]] || { echo "$how $file: status $status"; return 1; }
                sed -n 3p <<<"$output" | grep -q '^Missing: [0-9]* data problems* at import' || {
                    echo "$how $file: $output"
                    return 1
                }
                count=$((count + 1))
            done
        done <<<"$files"
        [ "$count" -gt 0 ] && [ "$named" -gt 0 ]
    done
    run_msprof advise X --format json
    [[ "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["problems"])' <<<"$output")" == *"data problem"* ]]
    run_msprof advise X --format html
    expect_contains "$output" "Missing: "
    run_msprof show --table summary X
    sed -n 2p <<<"$output" | grep -q '^Problems '
    cp -r "$repository"/testdata/resnet50/JOB* WHOLE
    run_msprof advise WHOLE
    expect_status 0
    expect_not_contains "$output" "Missing"
}
