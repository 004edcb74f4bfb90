#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A real capture of an Ascend 910A (MindSpore training) against what another parser made of it. The data are not in this
# repository: $MSPROF_SHARED, or ../shared beside the checkout; without them the tests are skipped, and job_capture.bats
# checks the same of a small capture that was made up.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # common sets REAL_CAPTURE, run_msprof status and stderr

load common

setup_file() {
    load common
    [ -d "$REAL_CAPTURE" ] || return 0
    for what in import 'export timeline' 'export summary' 'export summary --format json'; do
        # shellcheck disable=SC2086 # words of a command
        "$MSPROF" $what -dir "$REAL_CAPTURE" --output "$BATS_FILE_TMPDIR" 2>>"$BATS_FILE_TMPDIR/messages"
    done
}

setup() {
    needs_shared data/real-910a-job3/raw
    cd "$BATS_FILE_TMPDIR" || return
}

check() {
    python3 "$BATS_TEST_DIRNAME/check_job_capture.py" "$REAL_CAPTURE" "$BATS_FILE_TMPDIR" 62847 2817 151 322 "$@"
}

@test "all 62,847 records of the real capture are decoded, without a data problem" {
    run_msprof import --strict -dir "$REAL_CAPTURE" --output again
    expect_status 0
    check records
    expect_contains "$(<messages)" "100 MHz is assumed"
}

@test "all 2,817 operator executions agree to the nanosecond in the summary and in the timeline" {
    check executions
}

@test "the mean times of all 29 operator types agree" {
    check types
}

@test "shapes, data types and formats are those of the graph descriptions" {
    check tensors
}

@test "the timeline has one thread for each stream with operators, begins with them, and groups 28,568 tasks without a name" {
    check timeline
    expect_equal "$(grep -c 'without a name","ph":"X"' timeline/task_time_1.json)" 557
    expect_contains "$(tail -c 100 timeline/task_time_1.json)" '"tasks_before":6'
}

@test "all 322 iterations of the real capture are in step_trace and on the timeline, with 11 stretches beside each" {
    check iterations
    expect_equal "$(grep -c '"name":"Reduce_' timeline/task_time_1.json)" $((322 * 11))
}

@test "323 executions of the AI CPU and 966 items of the data queue are tables" {
    check logs
    expect_equal "$(wc -l <summary/aicpu_1.csv)" 324
    expect_equal "$(wc -l <summary/dp_1.csv)" 967
}

# Busy is the union of the operators: of the 28,568 tasks that are none the log of 2020 does not say which of them wait, and with
# all of them the device would never rest (98.79 %). It is from the first operator to the end of the last: four stray tasks long
# before, and 307 iterations behind, make no free time.
expect_recorded_only() {
    local expected
    expected=$(python3 - <<'END'
import sqlite3
spans = sqlite3.connect('JOBREAL/sqlite/runtime.db').execute(
    'SELECT start_ns, start_ns + duration_ns FROM device_task WHERE op_name_id IS NOT NULL ORDER BY start_ns').fetchall()
first, last = min(s[0] for s in spans), max(s[1] for s in spans)
busy, now = 0, first
for start, end in spans:
    busy += max(0, end - max(start, now))
    now = max(now, end)
print('Busy,%.2f %% (%.3f us)' % (100 * busy / (last - first), busy / 1e3))
print('Free,%.2f %% (%.3f us)' % (100 - 100 * busy / (last - first), (last - first - busy) / 1e3))
END
    )
    expect_equal "$(grep -E '^(Busy|Free),' <<<"$output")" "$expected"
    expect_contains "$expected" "Busy,59.83 % (1771382.850 us)"
    run_msprof -q show JOBREAL --table overlap --format csv --columns step,free
    expect_equal "$(grep -vc ',N/A$' <<<"$output")" 14 # the head, and iterations 2 to 14: those that are whole
    run_msprof -q advise JOBREAL --format json
    expect_equal "$(python3 -c 'import json, sys
print(*[f["sentence"] for f in json.load(open(sys.argv[1]))["findings"] if f["id"] == "idle"])' "$BATS_TEST_TMPDIR/stdout")" \
        "The device is idle for 40.2 % of the time (1.189 s)."
    run_msprof -q diff JOBREAL JOBREAL --format json
    expect_equal "$(python3 -c 'import json, sys
elapsed = json.load(open(sys.argv[1]))["base"]["elapsed"]
print("%.2f %.2f %.2f" % tuple(elapsed[key] for key in ("busy", "time", "free")))' "$BATS_TEST_TMPDIR/stdout")" \
        "1771382.85 2960674.68 1189291.83"
}

@test "of the real capture 307 iterations are without tasks: what it did is told of the others, and a layer 5 % slower is named alone" {
    cp -r "$REAL_CAPTURE" JOBREAL
    chmod -R u+w JOBREAL
    run_msprof -q show JOBREAL --table summary --format csv
    expect_contains "$output" "307 with nothing recorded of the device"
    expect_recorded_only
    cp -a JOBREAL JOBSLOWER
    sqlite3 JOBSLOWER/sqlite/runtime.db "UPDATE device_task SET duration_ns = duration_ns * (1.05 + id % 7 * 0.001)
        WHERE op_name_id = (SELECT id FROM name WHERE text LIKE '%/GatherV2-op55')"
    run_msprof -q diff JOBREAL JOBSLOWER --format json
    expect_equal "$(python3 -c 'import json, sys
print([row["key"][-13:] for row in json.load(open(sys.argv[1]))["rows"] if row["verdict"] != "unchanged"])' \
        "$BATS_TEST_TMPDIR/stdout")" "['GatherV2-op55']"
}

@test "--freq-mhz scales every time of the real capture" {
    run_msprof export summary -dir "$REAL_CAPTURE" --output half --freq-mhz 50
    expect_status 0
    expect_not_contains "$stderr" "assumed"
    [ "$(sed -n 2p summary/op_summary_1.csv | cut -d, -f1,5,6)" = "Default/AssignAdd-op414,438068415.920,2.660" ]
    [ "$(sed -n 2p half/summary/op_summary_1.csv | cut -d, -f1,5,6)" = "Default/AssignAdd-op414,876136831.840,5.320" ]
}

@test "equal input gives equal output" {
    for what in 'export timeline' 'export summary'; do
        # shellcheck disable=SC2086 # words of a command
        run_msprof $what -dir "$REAL_CAPTURE" --output twice
        expect_status 0
    done
    diff -r timeline twice/timeline
    for file in twice/summary/*.csv; do
        cmp "$file" "summary/${file##*/}"
    done
}

@test "a real capture of an Ascend 910A fits 80 columns, and 60" {
    for width in 80 60; do
        run_msprof_into shown show -q -dir "$REAL_CAPTURE" --output "$BATS_FILE_TMPDIR" --width "$width"
        expect_status 0
        python3 "$repository/tests/lib/text_tables.py" align shown "$width"
    done
    grep -q '624509\.570' shown
}

@test "without tables the structure of the real 910A's records is found" {
    run_msprof layout infer -dir "$REAL_CAPTURE" --kind hwts
    expect_status 1
    expect_contains "$(sed -n 2p <<<"$output")" "record size   64: "
    run_msprof layout infer -dir "$REAL_CAPTURE" --kind training_trace
    expect_status 1
    expect_contains "$(sed -n 2p <<<"$output")" "record size   20: "
}
