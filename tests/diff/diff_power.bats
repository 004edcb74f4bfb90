#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How small a change msprof diff finds and how seldom it calls noise a change, over many seeds.
# bats file_tags=once
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common
load ../cli/scattered

@test "jitter of 0.4 % is no regression in 20 of 20 seeds" {
    for seed in {1..20}; do
        scatter B --seed "$seed"
        run_msprof -q diff A B --format json --gate step_time:+1% --gate 'op:*:+5%'
        expect_status 0
        expect_equal "$(json '[r["key"] for r in d["rows"] if r["verdict"] in ("regression", "improvement")]')" "[]"
    done
}

@test "one layer that is 5 % slower is named alone in 20 of 20 seeds" {
    "$MSPROF" import -q A
    tasks=(56 51 48 43 45 54 4 7 10 11) # those of which 5 % are more than the 0.1 % of a step that count
    for seed in {1..20}; do
        task=${tasks[seed % 10]}
        name=$(sqlite3 A/sqlite/runtime.db \
            "SELECT layer_names FROM layer_group WHERE task_id = $task AND engine = 'AI_CORE'")
        scatter B --seed "$seed" --slower "$task:1.05"
        run_msprof -q diff A B --format json
        expect_status 0
        expect_equal "$(json '[r["key"] for r in d["rows"] if r["verdict"] == "regression"]')" "['$name']"
        expect_equal "$(json 'd["verdict"], d["rows"][0]["verdict"]')" "('regression', 'regression')"
    done
}

@test "planted changes are found, and drift between runs is no alarm" {
    run "$repository/tests/diff/diff_power.py" "$MSPROF" --quick --seeds 4
    expect_status 0
    expect_contains "$output" "4+4, one layer +10 %: found 4 of 4, alarms 0 of 4"
    expect_contains "$output" "1+1, nothing changed: alarms 0 of 4"
    expect_contains "$output" "1+1, one layer +30 %: found 4 of 4"
    expect_contains "$output" "4+4, one layer +30 %: found 4 of 4"
}

@test "what all operators share is drift as long as captures are few, and a change when they tell" {
    "$MSPROF" import -q A
    layers=$(sqlite3 A/sqlite/runtime.db "SELECT DISTINCT task_id FROM layer_group WHERE engine = 'AI_CORE'")
    slower() {
        for task in $layers; do printf -- '--slower %s:%s ' "$task" "$1"; done
    }
    # shellcheck disable=SC2046 # words
    scatter B $(slower 1.03)
    run_msprof -q diff A B
    expect_contains "$output" "Verdict: ok"
    expect_contains "$output" "which is within the drift between runs; 3 captures per side would show it"
    # shellcheck disable=SC2046 # words
    scatter B $(slower 1.2)
    run_msprof -q diff A B --format json
    expect_equal "$(json 'd["verdict"], d["noise"]["shared_told"], 19 < d["noise"]["shared_change"] < 21')" "('regression', True, True)"
    sides=()
    for n in 1 2 3 4; do
        scatter "A$n" --seed "$n"
        # shellcheck disable=SC2046 # words
        scatter "B$n" --seed "1$n" $(slower 1.03)
        sides+=(--base "A$n" --new "B$n")
    done
    run_msprof -q diff "${sides[@]}" --format json
    expect_equal "$(json 'd["verdict"], d["noise"]["shared_told"]')" "('regression', True)"
}
