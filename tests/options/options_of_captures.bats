#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof options: a file of profiling options is checked and explained; an empty table tells what it needed.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load ../cann/small_capture

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

@test "--chip takes the chips that import reads devices of, and no others" {
    echo '{"l2": "on", "task_time": "on"}' >options.json
    for chip in {0..16}; do
        run_msprof options options.json --chip "$chip"
        case $chip in
        6 | 10 | 12 | 13 | 14)
            expect_status 2
            expect_contains "$stderr" "--chip is '$chip', expected 0 to 5, 7 to 9, 11, 15 or 16"
            ;;
        *) expect_status 0 ;;
        esac
    done
    run_msprof options options.json --format json
    expect_equal "$(value '[c["chips"] for c in d["collects"] if "nano_stars_profile" in c["kinds"]]')" "[[9]]"
    expect_equal "$(value 'd["collects"][0]["chips"]')" "[0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16]"
}

@test "problems have status 3, name key and value, and suggest what is meant" {
    echo '{"l22": "on", "storage_limit": "100MB", "sys_io_sampling_freq": 500, "dvpp_freq": "50", "fp_point": "conv"}' \
        >options.json
    run_msprof options options.json --format json
    expect_status 3
    expect_equal "$(value 'd["valid"]')" "False"
    expect_equal "$(value '[(p["key"], p["value"], p["suggestion"]) for p in d["problems"]]')" \
        "[('l22', 'on', 'l2'), ('storage_limit', '100MB', '200MB'), ('sys_io_sampling_freq', '500', '100'), \
('dvpp_freq', '50', '50'), ('fp_point', 'conv', 'training_trace=on')]"
    expect_contains "$output" "a number from 1 to 100"
    run_msprof options options.json
    expect_status 3
    expect_contains "$output" "l22 = on: unknown option; did you mean l2 (try l2)"
}

@test "memory is sampled up to 10000 times a second on chips 15 and 16, and up to 100 times on others" {
    echo '{"sys_hardware_mem_freq": 10000}' >options.json
    for chip in "" "--chip 15" "--chip 16"; do
        # shellcheck disable=SC2086 # an option and its value
        run_msprof options options.json $chip
        expect_status 0
    done
    run_msprof options options.json --chip 5
    expect_status 3
    expect_contains "$output" "sys_hardware_mem_freq = 10000: on chip 5 it must be a number from 1 to 100"
    echo '{"sys_hardware_mem_freq": 10001}' >options.json
    run_msprof options options.json --chip 15
    expect_status 3
    echo '{"profiler": {"switch": "on", "aacpu": "on", "sys_hardware_mem_freq": 101}}' >options.json
    run_msprof options options.json
    expect_status 3
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

@test "what options lists is what export makes, for every single option on captures made with it alone" {
    needs python3
    python3 "$BATS_TEST_DIRNAME/../cann/lib/agree_options.py" "$MSPROF" "$repository/testdata" >found
    expect_equal "$(<found)" "52 options, 0 wrong, 285 files and layers"
}

@test "task_trace, training_trace and hccl list the layers of the timeline and the files of JSON beside the tables" {
    run_msprof options - --chip 5 < <(echo '{"task_trace": "on", "training_trace": "on", "hccl": "on"}')
    expect_status 0
    expect_contains "$output" "msprof_*.json with the layers: Ascend Hardware, Communication, Overlap Analysis, Analysis, CANN, AI Core Freq"
    expect_contains "$output" "  step_trace_*.json"
    expect_contains "$output" "  api_statistic_*.csv: Device_id, Level"
}

@test "the words of scripts are taken with and without their classes" {
    for prefix in "" "ProfilerLevel." "mindspore.profiler.ProfilerLevel."; do
        run_msprof options - --format json < <(echo '{"profiler_level": "'"$prefix"'Level1", "aicore_metrics":
            "'"${prefix:+AicoreMetrics.}"'AiCoreNone", "activities": ["'"${prefix:+ProfilerActivity.}"'CPU",
            "'"${prefix:+ProfilerActivity.}"'NPU"]}')
        expect_status 0
        expect_equal "$(value 'd["valid"], d["written_for"], [(w["key"], w["message"]) for w in d["warnings"]]')" \
            "(True, 'MindSpore', [('aicore_metrics', 'MindSpore still collects PipeUtilization at Level1')])"
        expect_equal "$(value '[c["value"] for c in d["collects"] if c["switch"] == "aic_metrics"]')" "['PipeUtilization']"
    done
    run_msprof options - < <(echo '{"profiler_level": "ProfilerLevels.Level1"}')
    expect_status 3
}

@test "without NPU nothing of CANN is collected" {
    run_msprof options - --format json < <(echo '{"activities": ["ProfilerActivity.CPU"], "profiler_level": "Level2"}')
    expect_status 0
    expect_equal "$(value 'd["collects"], d["outputs"], [w["key"] for w in d["warnings"]]')" "([], [], ['activities'])"
    expect_contains "$output" "without NPU no CANN data is collected"
}

@test "an option that a chip does not have is a warning" {
    for option in '"l2": "on"' '"aic_metrics": "L2Cache"'; do
        run_msprof options - --chip 0 --format json < <(echo "{$option}")
        expect_status 0
        expect_equal "$(value 'd["valid"], len(d["warnings"])')" "(True, 1)"
        run_msprof options - --chip 5 --format json < <(echo "{$option}")
        expect_equal "$(value 'd["warnings"]')" "[]"
    done
    run_msprof options - --chip 0 < <(echo '{"l2": "on"}')
    expect_contains "$output" "Warnings:
  l2 = on: chip 0 has nothing of it"
}

@test "a string pasted from a script is read, with its quotes and the backslashes that end its lines" {
    local expected='{"output": "/tmp/p", "l2": "on", "fp_point": "", "training_trace": "on"}'
    run_msprof options - --format json <<<"$expected"
    local wanted=$output
    expect_status 0
    while IFS= read -r -d '|' text; do
        run_msprof options - --format json < <(printf '%s' "$text")
        expect_status 0
        expect_equal "$output" "$wanted"
    done <<'END'
'{"output": "/tmp/p", "l2": "on", \
"fp_point": "", "training_trace": "on"}'
|profiling_options = '{"output": "/tmp/p", "l2": "on", \
    "fp_point": "", "training_trace": "on"}'
|custom_op.parameter_map["profiling_options"].s = tf.compat.as_bytes('{"output": "/tmp/p", "l2": "on",'
    '"fp_point": "", "training_trace": "on"}')
|"{\"output\": \"/tmp/p\", \"l2\": \"on\", \"fp_point\": \"\", \"training_trace\": \"on\"}"
|export PROFILING_OPTIONS='{"output": "/tmp/p", "l2": "on", "fp_point": "", "training_trace": "on"}'
|"""{"output": "/tmp/p",
  "l2": "on", "fp_point": "", "training_trace": "on"}"""
|{"output": "/tmp/p", "l2": "on", \
"fp_point": "", "training_trace": "on"}
|
END
    run_msprof options - < <(echo "'{\"l2\": \"on\"")
    expect_status 2
}

@test "metrics that a board does not count are valid, warned of, and not listed" {
    for metrics in off none PipeUtilization; do
        run_msprof options - --format json < <(echo '{"profiler": {"switch": "on", "aac_metrics": "'$metrics'"}}')
        expect_status 0
        expect_equal "$(value 'd["valid"], [w["key"] for w in d["warnings"]]')" "(True, ['aac_metrics'])"
        expect_equal "$(value '[c["switch"] for c in d["collects"]]')" "['aicpu', 'ascendcl']"
        expect_equal "$(value 'sorted(o["file"] for o in d["outputs"])')" \
            "['acl_*.json', 'acl_statistic_*.csv', 'msprof_*.json', 'op_statistic_*.csv', 'task_time_*.json']"
    done
    run_msprof options - --format json < <(echo '{"profiler": {"switch": "on", "aacpu": "on"}}')
    expect_equal "$(value 'd["warnings"], "op_summary_*.csv" in [o["file"] for o in d["outputs"]]')" "([], True)"
}

@test "an output that a board's library takes is valid, and one that it refuses is not" {
    for path in /data/p_1-2.x /data/p%20 "/data/with blank" /data/数据; do
        run_msprof options - --format json < <(echo '{"profiler": {"switch": "on", "aacpu": "on", "output": "'"$path"'"}}')
        if [[ $path == /data/p_1-2.x ]]; then expect_status 0; else expect_status 3; fi
    done
}

@test "a dict or call of Python, and JSON that a shell escaped, are read as the JSON that they mean" {
    run_msprof options - --format json <<<'{"output": "/p", "l2": "on", "training_trace": "on", "aic_metrics": "Memory"}'
    local wanted=$output
    while IFS= read -r line; do
        run_msprof options - --format json <<<"$line"
        expect_status 0
        expect_equal "$output" "$wanted"
    done <<'END'
options = {'output': '/p', 'l2': 'on', "training_trace": 'on', 'aic_metrics': 'Memory',}  # of CANN
f(dict(output='/p', l2='on', training_trace="on", aic_metrics='''Memory'''))
export PROFILING_OPTIONS=\{\"output\":\"/p\",\"l2\":\"on\",\"training_trace\":\"on\",\"aic_metrics\":\"Memory\"\}
END
    run_msprof options - --format json <<<'
torch_npu.profiler._ExperimentalConfig(profiler_level=torch_npu.profiler.ProfilerLevel.Level1, l2_cache=True,
    aic_metrics=torch_npu.profiler.AiCMetrics.PipeUtilization, export_type=[torch_npu.profiler.ExportType.Text])'
    expect_status 0
    expect_equal "$(value 'd["written_for"], d["valid"], [c["value"] for c in d["collects"] if c["switch"] == "aic_metrics"]')" \
        "('PyTorch', True, ['PipeUtilization'])"
}

@test "what a script puts in is a template and not a wrong value" {
    for value in "'{\"output\": \"%s\"}' % d" "'{\"output\": \"' + d + '\"}'" "dict(output=d)" "{'output': os.path.join(a, 'b')}"; do
        run_msprof options - --format json <<<"options = $value"
        expect_status 0
        expect_equal "$(value '[w["key"] for w in d["warnings"]], d["problems"]')" "(['output'], [])"
    done
}

@test "an acl.json without a profiler collects nothing, and switch off is valid" {
    for text in '{}' '{"dump": {"dump_list": [{"model_name": "m"}]}}' '{"profiler": {"switch": "off"}}'; do
        echo "$text" >acl.json
        run_msprof options acl.json --format json
        expect_status 0
        expect_equal "$(value 'd["collects"], len(d["warnings"]), d["written_for"]')" "([], 1, 'acl.json')"
    done
}

@test "options of 2020, a spare comma and other texts name the JSON to write" {
    run_msprof options - <<<'export PROFILING_OPTIONS=training_trace:task_trace'
    expect_status 2
    expect_contains "$stderr" 'try: {"training_trace":"on","task_trace":"on"}'
    run_msprof options - <<<'{"l2": "on",}'
    expect_status 2
    expect_contains "$stderr" 'try: remove the comma before the closing brace'
    for text in '' 'hello' '((((((((((' '{' "{'a': " 'f(1, 2)' '{[}]'; do
        run_msprof options - <<<"$text"
        expect_status 2
        expect_contains "$stderr" "try: "
    done
}
