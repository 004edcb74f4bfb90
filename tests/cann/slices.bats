#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What slices of operators and calls say in timelines: short names, arguments, arrows.

# shellcheck disable=SC2154 # common.bash sets shared and repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load small_capture

setup() {
    enter_scratch
    needs python3
    export PYTHONPATH=$BATS_TEST_DIRNAME/../lib
}

# Exports a capture of testdata/cann into out/ and says with which timeline.
export_family() { # name, timeline, further options...
    local name=$1 found=$2
    shift 2
    rm -rf capture out
    cp -r "$repository/testdata/cann/$name"/[JP]*[0-9A-Z] capture
    run_msprof -q export timeline --stable-names --output out "$@" capture
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    run_msprof -q export summary --stable-names --format json --output out capture
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    mapfile -t timelines < <(find out -name "$found" -not -path '*/summary/*' | sort)
    [ "${#timelines[@]}" -gt 0 ]
}

@test "slices of operators say type, bound, blocks and shapes as the tables do, in captures of four eras" {
    local compared=
    for family in prof-910b:msprof.json prof-910a:msprof.json 2022-310:msprof_0_1.json 2022-910a:task_time_0_1.json \
        job-910a:task_time_1.json; do
        export_family "${family%:*}" "${family#*:}"
        run_msprof -q show --table bound --format csv capture
        [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
        printf '%s\n' "$output" >bound.csv
        compared+="$(python3 "$BATS_TEST_DIRNAME/lib/slice_facts.py" "${timelines[0]}" \
            "$(find out -name 'op_summary*.json')" bound.csv)"$'\n'
    done
    expect_equal "$compared" "\
91 Block Num=91 Bound=91 Input Shapes=91 OP Type=91 Op Name=91 Output Shapes=91
91 Block Num=91 Bound=91 Input Shapes=91 OP Type=91 Op Name=91 Output Shapes=91
100 Block Num=100 Bound=100 Input Shapes=100 OP Type=100 Op Name=100 Output Shapes=100
100 Block Num=100 Bound=100 Input Shapes=100 OP Type=100 Op Name=100 Output Shapes=100
150 Bound=0 Input Shapes=145 OP Type=150 Op Name=150 Output Shapes=100
"
}

@test "a path is shown by its last part, those that end alike by more of it, and what is no path as it is" {
    local path=Default/network-TrainOneStep/backbone
    write_capture <<END
deep = 'x/' * 9 + 'Mul'
for i, name in enumerate(('a' + deep, 'b' + deep, '$path/MatMul-op12', 'Default/a/conv/Add', 'Default/b/conv/Add', 'plain', 'x/y/', '/z', 'Add')):
    p.launch(200 * i, 1, i + 1, name)
    p.ran(10000 + 1000 * i, 10500 + 1000 * i, 1, i + 1)
END
    run_msprof -q export timeline --stable-names -dir PROF_1
    expect_status 0
    expect_equal "$(python3 - <<'END'
from timeline import read_timeline
for e in read_timeline('PROF_1/mindstudio_profiler_output/msprof.json').events:
    if e['ph'] == 'X' and 'Task Type' in e.get('args', {}):
        print(e['name'], e['args'].get('Op Name', '-'))
END
)" "ax/x/x/x/x/x/x/x/x/Mul -
bx/x/x/x/x/x/x/x/x/Mul -
MatMul-op12 $path/MatMul-op12
a/conv/Add Default/a/conv/Add
b/conv/Add Default/b/conv/Add
plain -
y/ x/y/
z /z
Add -"
}

@test "with --trace-compat operators have their whole names, calls their arguments, and nothing is said of either" {
    for family in prof-910b:msprof.json 2022-310:'*_0_1.json' job-910a:task_time_1.json; do
        export_family "${family%:*}" "${family#*:}" --trace-compat
        grep -q 'Default/\|layer9/' "${timelines[@]}"
        run grep -lE '"(OP Type|Bound|Block Num|Input Shapes)":' "${timelines[@]}"
        expect_equal "$output" ""
    done
}

@test "the calls of one name are one function in speedscope, of every library and era" {
    local checked=0
    for family in prof-910b:msprof.json system-910b:msprof.json prof-910a:msprof.json 2022-310:'*_0_1.json'; do
        export_family "${family%:*}" "${family#*:}"
        checked=$((checked + $(python3 - "${timelines[@]}" <<'END'
import sys
from timeline import frame_of, read_timeline
checked = 0
for path in sys.argv[1:]:
    events = read_timeline(path).events
    hosts = {e['pid'] for e in events if e['name'] == 'process_name'
             and e['args']['name'] in ('CANN', 'AscendCL', 'Runtime', 'Host')}
    for e in events:
        if e['ph'] == 'X' and e['pid'] in hosts:
            assert frame_of(e) == e['name'], (path, e)
            checked += 1
print(checked)
END
        )))
    done
    [ "$checked" -gt 1000 ]
}

@test "arrows that begin nowhere are not drawn, those of Ascend's tool are with --trace-compat" {
    for family in 2022-310 2022-910a; do
        export_family "$family" msprof_0_1.json
        local ours
        ours=$(grep -c '"name":"connect","ph":"f"' "${timelines[0]}")
        expect_equal "$ours" "$(grep -c '"name":"connect","ph":"s"' "${timelines[0]}")"
        [ "$ours" -gt 0 ]
        python3 "$BATS_TEST_DIRNAME/../lib/timeline.py" check "${timelines[0]}"
        export_family "$family" msprof_0_1.json --trace-compat
        [ "$(grep -c '"name":"connect","ph":"f"' "${timelines[0]}")" -gt "$ours" ]
    done
}

@test "devices and what they overlap stand above every counter" {
    export_family system-910b msprof.json
    python3 - "${timelines[0]}" <<'END'
import sys
from timeline import read_timeline
events = read_timeline(sys.argv[1]).events
names = {e['pid']: e['args']['name'] for e in events if e['name'] == 'process_name'}
place = {names[e['pid']]: e['args']['sort_index'] for e in events if e['name'] == 'process_sort_index'}
counters = {names[e['pid']] for e in events if e['ph'] == 'C'} - {'Ascend Hardware'}
assert len(counters) > 10 and 'CPU Usage' in counters, counters
assert place['CANN'] < place['Ascend Hardware'] < place['Overlap Analysis'], place
assert place['Overlap Analysis'] < min(place[name] for name in counters), place
END
}
