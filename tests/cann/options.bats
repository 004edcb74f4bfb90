#!/usr/bin/env bats
# msprof options: a file of profiling options is checked and explained; an empty table tells what it needed.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load small_capture

setup() {
    enter_scratch
}

# A value of the answer in JSON: value EXPRESSION, where d is the document.
value() {
    python3 -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1" <<<"$output"
}

@test "valid options have status 0 and tell files and columns of the chip" {
    echo '{"training_trace": "on", "aic_metrics": "PipeUtilization", "l2": "on"}' >options.json
    run_msprof options options.json --chip 1 --format json
    expect_status 0
    expect_equal "$(value 'd["valid"], d["problems"], d["chip"]')" "(True, [], 1)"
    expect_equal "$(value '[o["columns"] for o in d["outputs"] if o["file"] == "l2_cache_*.csv"]')" \
        "[['Device_id', 'Stream Id', 'Task Id', 'Hit Rate', 'Victim Rate', 'Op Name']]"
    expect_equal "$(value '[o["columns"][21:24] for o in d["outputs"] if o["file"] == "op_summary_*.csv"]')" \
        "[['aicore_time(us)', 'total_cycles', 'vec_time(us)']]"
    expect_equal "$(value '[o for o in d["outputs"] if o["file"].startswith("soc_pmu")]')" "[]"
    expect_equal "$(value '[c["kinds"] for c in d["collects"] if c["switch"] == "l2"]')" "[['l2_cache']]"
    run_msprof options options.json --chip 5
    expect_status 0
    expect_contains "$output" "soc_pmu_*.csv: Device_id, Stream Id, Task Id, TLB Hit Rate"
    expect_contains "$output" "aic_fixpipe_ratio"
}

@test "problems have status 3, name key and value, and suggest what is meant" {
    echo '{"l22": "on", "storage_limit": "100MB", "sys_io_sampling_freq": 500, "dvpp_freq": "50", "fp_point": "conv"}' \
        >options.json
    run_msprof options options.json --format json
    expect_status 3
    expect_equal "$(value 'd["valid"]')" "False"
    expect_equal "$(value '[(p["key"], p["value"], p["suggestion"]) for p in d["problems"]]')" \
        "[('l22', 'on', 'l2'), ('storage_limit', '100MB', None), ('sys_io_sampling_freq', '500', '100'), \
('dvpp_freq', '50', '50'), ('fp_point', 'conv', 'training_trace=on')]"
    expect_contains "$output" "a number from 1 to 100"
    run_msprof options options.json
    expect_status 3
    expect_contains "$output" "l22 = on: there is no such option; the nearest is l2 (try l2)"
}

@test "what is no JSON object has status 2, and so has a missing file name" {
    echo '{"l2": ' >options.json
    run_msprof options options.json
    expect_status 2
    expect_contains "$stderr" "options.json': not JSON at line"
    echo '[1]' >options.json
    run_msprof options options.json
    expect_status 2
    run_msprof options
    expect_status 2
    run_msprof options nowhere.json
    expect_status 1
}

@test "standard input is read for -, and an acl.json of a board is told as such" {
    run_msprof options - < <(echo '{"profiler": {"switch": "on", "aacpu": "off", "interval": "0"}}')
    expect_status 0
    expect_contains "$output" "options of acl.json of an SVP board: valid"
    expect_contains "$output" "acl_statistic_*.csv: Process ID, Thread ID"
    expect_not_contains "$output" "AI CPU"
}

@test "text out of a file never drives a terminal" {
    printf '{"l2": "o\\u001b[31mn", "\\u001b]0;x\\u0007": "on"}' >options.json
    run_msprof options options.json
    expect_status 3
    expect_not_contains "$output" $'\e'
    run_msprof options options.json --format json
    expect_equal "$(value 'd["problems"][0]["value"]')" $'o\e[31mn'
}

@test "an empty table tells which option it needed, and that the capture had it off" {
    write_capture <<'END'
p.launch(0, 2, 1, "op")
p.ran(10000, 11000, 2, 1)
END
    sed -i 's/^{/{"l2CacheTaskProfiling":"off",/' PROF_1/*/sample.json
    run_msprof show -q --table l2_cache PROF_1
    expect_status 4
    expect_contains "$stderr" "l2_cache: no data; it needs l2 = on, which this capture had off"
    run_msprof export summary -v PROF_1
    expect_contains "$stderr" "l2_cache: no data; it needs l2 = on, which this capture had off"
    expect_contains "$stderr" "memory_record: no data; it needs task_memory = on"
    run_msprof export summary PROF_1
    expect_not_contains "$stderr" "no data"
}
