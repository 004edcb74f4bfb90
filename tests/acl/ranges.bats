#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Answers of programs whose ranges or calls alone were recorded.

# shellcheck disable=SC2154 # common.bash and preload.bash set status, output, stderr and the programs
bats_require_minimum_version 1.5.0
load ../cli/common
load preload

setup() {
    enter_preload_scratch
}

# Recalculates in Python the ranges in the database of a capture: its steps, their median, and that of their periods.
recalculated() {
    /usr/bin/python3 - "$1" <<'END'
import sqlite3, statistics, sys
rows = sqlite3.connect(sys.argv[1] + '/sqlite/runtime.db').execute(
    'SELECT start_ns, end_ns FROM msproftx WHERE end_ns > start_ns ORDER BY start_ns').fetchall()
periods = [b[0] - a[0] for a, b in zip(rows, rows[1:])]
print('%d %d %d' % (len(rows), statistics.median(e - s for s, e in rows), statistics.median(periods)))
END
}

json() {
    /usr/bin/python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' \
        "$BATS_TEST_TMPDIR/stdout" "$1"
}

@test "a program of ranges alone gets an answer: which, how long, how often, and steps by one that repeats" {
    "$build/tests/acl/sample_range" . 40
    capture=$(echo PROF_*)
    "$MSPROF" import -q "$capture"
    read -r count median period <<<"$(recalculated "$capture")"
    run_msprof -q show "$capture" --table ranges --format json
    expect_status 0
    expect_equal "$(json '[(r["Range"], r["Count"]) for r in d]')" "[('test msprof tx', $count)]"
    expect_equal "$(json "abs(d[0]['Median(us)'] * 1000 - $median) <= 1")" True
    run_msprof -q show "$capture" --table summary --format csv
    expect_contains "$output" "Range,\"test msprof tx: $count times"
    run_msprof -q show "$capture" --table steps --step-range 'test msprof tx' --format json
    expect_equal "$(json "[r['Source'] for r in d], abs(d[0]['Period(us)'] * 1000 - $period) < $period")" "(['ranges'], True)"
    run_msprof -q show "$capture" --table overlap --step-range 'test msprof tx' --format json
    expect_equal "$(json "len(d), d[-1]['Period(us)'], {r['Free(us)'] for r in d}")" "($count, 'N/A', {'N/A'})"
    run_msprof -q diff "$capture" "$capture" --step-range 'test msprof tx' --gate period:+1% --gate step_time:+1%
    expect_status 0
    run_msprof show "$capture" --table steps --step-range nothing
    expect_status 1
    expect_contains "$stderr" "no range or call has the name given with --step-range"
    expect_contains "$stderr" "--table ranges"
    run_msprof -q advise "$capture"
    expect_status 0
    expect_contains "$output" "$capture: no device was recorded; what the program did is this"
    expect_contains "$output" "Ranges by time"
    run_msprof -q advise "$capture" --format json
    expect_equal "$(json '",".join(d)')" "calls,capture,findings,not_checked,passed,ranges,schema"
    expect_equal "$(json '[(r["name"], r["count"], ",".join(r)) for r in d["ranges"]], d["findings"], d["passed"]')" \
        "([('test msprof tx', $count, 'count,longest,mean_period,median,name,total')], [], [])"
    expect_equal "$(json "abs(d['ranges'][0]['median'] * 1000 - $median) <= 1")" True
    run_msprof -q advise "$capture" --format markdown
    expect_contains "$output" "### Ranges by time"
    # a capture in which there is nothing at all
    rm "$capture"/*/data/*msproftx*
    run_msprof advise "$capture"
    expect_status 4
    expect_contains "$stderr" "nothing was recorded"
}

@test "a program under msprof run gets one, too" {
    unset MSPROF_OUTPUT
    run_msprof -q run --output captures --reports none -- "$PROGRAM" nest
    expect_status 0
    run_msprof -q show "$(captures)" --table summary --format csv
    expect_contains "$output" 'Call,"aclrtLaunchCallback: 3 times, median'
    run_msprof -q show "$(captures)" --table steps --step-range aclrtLaunchCallback --format json
    expect_equal "$(json 'd[0]["Steps"] + d[0]["Warmup"]')" 3
    run_msprof -q advise "$(captures)" --format json
    expect_status 0
    expect_equal "$(json '[c["count"] for c in d["calls"] if c["name"] == "aclrtLaunchCallback"], len(d["not_checked"]) > 14')" "([3], True)"
}

@test "of a board that samples its calls tell the period that its inferences do not" {
    copy_capture A
    run_msprof -q show A --table steps --step-range svp_acl_mdl_execute --format json
    expect_equal "$(json '[(r["Source"], r["Steps"]) for r in d]')" "[('ranges', 20), ('inferences', 4)]"
    expect_equal "$(json "d[0]['Period(us)'], d[0]['Free(us)'], d[1]['Period(us)']")" "($(/usr/bin/python3 - <<'END'
import sqlite3, statistics
starts = [r[0] for r in sqlite3.connect('A/sqlite/runtime.db').execute(
    "SELECT start_ns FROM acl_call WHERE name = 'svp_acl_mdl_execute' ORDER BY 1")]
print(round(statistics.median(b - a for a, b in zip(starts, starts[1:])) / 1000, 3))
END
), 'N/A', 'N/A')"
}
