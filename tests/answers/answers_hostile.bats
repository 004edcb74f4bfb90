#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Captures that want to break the answers: names that are markup, formulas or no text at all, times that cannot be,
# and captures in which there is next to nothing.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common
load planted

setup() {
    enter_scratch
    needs python3
}

all_answers() {
    python3 "$BATS_TEST_DIRNAME/../cann/lib/sound_answers.py" "$MSPROF" "$@"
}

@test "names cannot break a format or drive a terminal" {
    program PROF_1 <<'PY'
names = ['pi|pe', 'quo"te', "apo'strophe", 'esc\x1b[31mape', '=cmd|calc', '+1', '@x', 'a,b;c', '<b>&amp;', '`tick`', '# h',
         'x' * 10000, '漢字' * 30, '\u202eright', 'tab\tbed', '%s%n', '$HOME', '../..', '', ' ', '|', '"']
for step in range(4):
    p.begin_step()
    for name in names:
        p.op(name, 'Cast' if step else name or 'x', us=20, gap=1)
    p.communicate('hcom_|"\x1b__1_2_3')
    p.call('f|"\x1b', p.at, p.at + 100)
    p.end_step()
PY
    # a name that is no UTF-8
    python3 - PROF_1/host/data/unaging.additional.hash_dic.slice_0 <<'PY'
import sys
data = open(sys.argv[1], 'rb').read()
open(sys.argv[1], 'wb').write(data.replace(b'apo', b'a\xff\xc3'))
PY
    all_answers PROF_1
    run_msprof -q show PROF_1 --table ops --format json --top 100
    python3 -c 'import json, sys; assert any(row["Name"] == "x" * 10000 for row in json.load(open(sys.argv[1])))' "$BATS_TEST_TMPDIR/stdout"
}

@test "names of layers neither, newlines in them included" {
    copy_capture JOBX
    python3 - JOBX/data/*.layer.info <<'PY'
import json, sys
layers = json.load(open(sys.argv[1]))
for layer, name in zip(layers, ['a\nb', 'c\r\nd', '=cmd', 'x|y', '"', '\x1b[2J', 'z' * 10000, '\\', '\u2028']):
    layer['name'] = name
    layer['type'] = name
json.dump(layers, open(sys.argv[1], 'w'))
PY
    run_msprof import -q JOBX
    all_answers JOBX
}

@test "a capture without times has no answer about time, and says so" {
    copy_capture JOBX
    echo '{}' >JOBX/info.json.0
    run_msprof import -q JOBX
    all_answers JOBX json
    run_msprof -q advise JOBX --format json
    python3 - "$BATS_TEST_TMPDIR/stdout" <<'PY'
import json, sys
advice = json.load(open(sys.argv[1]))
assert not advice['findings'] and 'no times' in advice['not_checked'][0]['reason'], advice
PY
}

@test "one task, steps without any, and none at all" {
    program PROF_1 <<'PY'
p.op('alone')
PY
    all_answers PROF_1 json
    run_msprof -q show PROF_1 --table ops --columns count,total,name --format csv
    expect_equal "$(tail -1 <<<"$output")" "1,50,alone"
    program PROF_2 <<'PY'
for step in range(5):
    p.begin_step()
    if step == 2:
        p.op('alone')
    p.at += 1000
    p.end_step()
PY
    all_answers PROF_2 json
    run_msprof -q show PROF_2 --table overlap --columns step,computing,free_share --format csv
    expect_equal "$(tail -n +2 <<<"$output" | tr '\n' ' ')" "1,N/A,N/A 2,N/A,N/A 3,50,2 4,N/A,N/A 5,N/A,N/A " # nothing ran in the others
    rm -r PROF_2/device_0/data/stars_soc*
    all_answers PROF_2 json
}

@test "times at the end of the clock are refused, counted and told" {
    needs sqlite3
    program PROF_1 <<'PY'
for i in range(6):
    p.op('op%d' % i, counters=(10, 20, 30, 10, 10, 10))
p.call('f', p.at, p.at + 100)
PY
    sqlite3 PROF_1/sqlite/runtime.db "
        UPDATE device_task SET start_ns = 9223372036854775807 WHERE id = 1;
        UPDATE device_task SET duration_ns = 9223372036854775807 WHERE id = 2;
        UPDATE device_task SET duration_ns = -9223372036854775807 WHERE id = 3;
        UPDATE device_task SET start_ns = -9223372036854775807 WHERE id = 4;
        UPDATE device_task SET aic_total_cycle = 9223372036854775807, aic_event1 = 9223372036854775807 WHERE id = 5;
        UPDATE host_call SET duration_ns = 9223372036854775807 WHERE id = 1;
        UPDATE host_call SET start_ns = 9223372036854775807 WHERE id = 2"
    all_answers PROF_1 json
    run_msprof -q show PROF_1 --table summary --format csv
    expect_contains "$output" "Refused,3 executions with impossible times"
}

@test "a database whose rows are numbered to the end of the numbers is built anew, by every way through them" {
    needs sqlite3
    cp -r "$repository"/testdata/cann/prof-910b/PROF* PROF_1
    chmod -R u+w PROF_1
    for command in "export summary" "export timeline" "show" "show --table ops" "advise"; do
        run_msprof import -q PROF_1
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
        for table in device_task host_call; do
            sqlite3 PROF_1/sqlite/runtime.db "UPDATE $table SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM $table)"
        done
        # shellcheck disable=SC2086 # the words of a command
        run_msprof $command PROF_1
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
        expect_contains "$stderr" "the database is out of date, importing"
        expect_equal "$(sqlite3 PROF_1/sqlite/runtime.db "SELECT max(id) = count(*) FROM device_task")" 1
    done
}
