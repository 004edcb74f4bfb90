#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The acl.json that an unmodified program gives to aclInit, under the preload library.
# shellcheck disable=SC2154 # preload.bash sets build, PRELOAD, status, output and stderr

bats_require_minimum_version 1.5.0
load ../cli/common
load preload

setup() {
    enter_preload_scratch
    case $build in
    */asan | */tsan) skip "a library with a sanitizer cannot be loaded into a program without" ;;
    esac
    program=$build/tests/acl/acl_json_program
}

# Writes acl.json with these members of "profiler" beside switch and output.
write_json() {
    printf '{"profiler": {"switch": "on", "output": "%s"%s}}\n' "$PWD/by-json" "${1:+, $1}" >acl.json
}

# "name count" of the calls in the only capture of a directory.
calls_in() {
    local captures=("$1"/*)
    [ ${#captures[@]} -eq 1 ] || return
    "$MSPROF" import -q --strict -dir "${captures[0]}" >&2
    sqlite3 -separator ' ' "${captures[0]}/sqlite/runtime.db" \
        "SELECT name, count(*) FROM host_call_report GROUP BY name ORDER BY name"
}

@test "a profiler that is switched on begins a capture with aclInit in its output, and aclFinalize ends it" {
    write_json
    preloaded "$program" cann acl.json
    expect_equal "$status$stderr" 0
    expect_equal "$(calls_in by-json)" "aclFinalize 1
aclInit 1
aclrtSetDevice 1"
    [ ! -e captures ]
}

@test "msprof run reports the capture that the file asked for" {
    write_json
    run_msprof run --output elsewhere -- "$program" cann acl.json
    expect_status 0
    expect_contains "$stderr" "recorded into '$PWD/by-json/PROF_"
    compgen -G "by-json/PROF_*/mindstudio_profiler_output/msprof_*.json"
}

@test "a file that switches nothing on changes nothing" {
    for text in '{}' '{"profiler": {"switch": "off"}}' '{"dump": {"dump_list": []}}' '{"x": "profiler"}' 'no json'; do
        echo "$text" >acl.json
        rm -rf captures
        preloaded "$program" cann acl.json
        expect_equal "$status$stderr" 0
        expect_equal "$(calls_in captures)" "aclFinalize 1
aclInit 1
aclrtSetDevice 2"
    done
    preloaded "$program" cann absent.json
    expect_equal "$status$stderr" 0
}

@test "a key that is not known is told in one line, and the rest of the file holds" {
    write_json '"colour": "red", "aic_metrics": "", "task_trace": "on", "scale": "all"'
    preloaded "$program" cann acl.json
    # shellcheck disable=SC2001 # a pattern of digits
    expect_equal "$(sed 's/\[[0-9]*\]//' <<<"$stderr")" "libmsprof_acl: acl.json: EK0005: parameter 'colour' is not supported; it is ignored"
    expect_equal "$status" 0
    [ -d by-json ] && [ ! -e captures ]
    expect_equal "$(jq -r .ai_core_metrics by-json/PROF_*/host/sample.json)" PipeUtilization
}

@test "a file with a bad value is refused in one line and recording goes on as without it" {
    write_json '"task_time": "l9"'
    preloaded "$program" cann acl.json
    expect_contains "$stderr" "msprof: acl.json is ignored: EK0001"
    expect_equal "$status" 0
    [ ! -e by-json ]
    expect_equal "$(calls_in captures | wc -l)" 3
}

@test "acl_api off leaves calls out" {
    write_json '"acl_api": "off"'
    preloaded "$program" cann acl.json
    expect_equal "$status$stderr" 0
    [ -z "$(find by-json -name '*api_event*')" ]
    [ ! -e captures ]
}

@test "the file of svp_acl_init begins a JOB capture, and so does a file of a board that aclInit is given" {
    write_json
    mkdir by-json
    preloaded "$program" svp acl.json
    expect_equal "$status$stderr" 0
    compgen -G "by-json/JOB*"
    rm -r by-json/JOB*
    write_json '"aacpu": "on", "aac_metrics": "off"'
    preloaded "$program" cann acl.json
    expect_equal "$status$stderr" 0
    compgen -G "by-json/JOB*"
    [ ! -e captures ]
}

@test "an output of a board that does not exist means the directory of the executable" {
    write_json '"aacpu": "on"'
    mkdir bin
    cp "$program" bin/main
    LD_LIBRARY_PATH=$(dirname "$program") preloaded bin/main svp acl.json
    expect_equal "$status" 0
    expect_contains "$stderr" "missing directory '$PWD/by-json'; the capture is written beside the program"
    compgen -G "bin/JOB*"
    [ ! -e by-json ]
}

@test "the API is refused between aclInit and aclFinalize" {
    write_json
    LIBMSPROF_ACL=$build/libmsprof_acl.so.1 preloaded "$program" cann acl.json api
    expect_equal "$output" 100042
    [ ! -e api ]
}

@test "a capture of an acl.json is complete when the program crashes or leaves at once" {
    write_json
    preloaded "$program" cann acl.json crash
    expect_equal "$status" 139
    expect_equal "$(calls_in by-json)" "aclInit 1
aclrtSetDevice 1"
    rm -r by-json
    preloaded "$program" cann acl.json _exit
    expect_equal "$status" 0
    expect_equal "$(calls_in by-json)" "aclInit 1
aclrtSetDevice 1"
}

@test "without an output the capture goes below ASCEND_WORK_PATH" {
    echo '{"profiler": {"switch": "on"}}' >acl.json
    ASCEND_WORK_PATH=$PWD/work preloaded "$program" cann acl.json
    expect_equal "$status$stderr" 0
    compgen -G "work/profiling_data/PROF_*"
}
