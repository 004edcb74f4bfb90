#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Names of columns, files, layers and values of the version of CANN that a capture is of, or that is asked for.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository and shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load run

# A capture of a framework with these settings of the profiler and this group of metrics.
make_run() { # pt or ms, level, chip, group, events
    copy_run "$1"
    python3 - "run_ascend_$1" "$2" "${@:4}" <<'END'
import glob, json, sys
run, level, group, events = (sys.argv + ['', ''])[1:5]
path, = glob.glob(run + '/profiler_info_*.json')
info = json.load(open(path))
if 'config' in info:
    info['config']['experimental_config'].update(_profiler_level='ProfilerLevel.Level' + level, _l2_cache=True)
json.dump(info, open(path, 'w'))
prof, = glob.glob(run + '/PROF_*')
if level == '0' or group:
    for path in glob.glob(prof + '/*/sample.json'):
        sample = json.load(open(path))
        for core in 'ai_core', 'aiv':
            sample[core + '_metrics'], sample[core + '_profiling_events'] = group, events
        json.dump(sample, open(path, 'w'))
END
}

# Changes the version in the settings of a capture and of its host; the names of kernels in its task tracks are
# younger than 8.0.RC1, so of older versions they go.
say_version() { # capture, version
    python3 - "$1" "$2" <<'END'
import glob, json, struct, sys
capture, version = sys.argv[1:]
for path in glob.glob(capture + '/*/info.json*') + glob.glob(capture + '/../profiler_info*.json'):
    if path.endswith('.done'):
        continue
    info = json.load(open(path))
    info['cann_version' if 'profiler_info' in path else 'cannVersion'] = version
    json.dump(info, open(path, 'w'))
if version < '8.0.RC2':
    for path in glob.glob(capture + '/host/data/*.compact.task_track.slice_*[0-9]'):
        data = bytearray(open(path, 'rb').read())
        for at in range(0, len(data), 64):
            struct.pack_into('<Q', data, at + 40, 0)
        open(path, 'wb').write(data)
END
}

columns_of() { # file: its header, a column a line
    head -n 1 "$1" | tr ',' '\n'
}

@test "header lines are those of 31 tables that real devices left, by their version" {
    needs_python
    needs_shared data/real-samples/tables
    local total=0
    while read -r prefix version level group events; do
        rm -rf run_ascend_pt
        make_run pt "$level" 5 "$group" "$events"
        run_msprof analyse run_ascend_pt --cann-version "$version"
        expect_status 0
        # a table of the cache needs its counters, which this capture has not
        rm -rf tables && mkdir tables
        cp "$shared/data/real-samples/tables/$prefix"_* tables
        chmod -R u+w tables
        rm -f tables/*_l2_cache.csv
        run python3 "$BATS_TEST_DIRNAME/real_headers.py" tables "$prefix" "$out"
        [ "$status" -eq 0 ] || {
            echo "$output" >&2
            return 1
        }
        total=$((total + ${output##* }))
    done <<'END'
pt2023-11_arith 7.0.0 1 ArithmeticUtilization 0x49,0x4a,0x4b,0x4c,0x4d,0x4e,0x4f
pt2025-01_level0 8.0.0 0
pt2025-01_level1 8.0 1
pt2025-01_level2 8.0 2
pt2025-11_level2 8.3.RC1 2
END
    expect_equal "$total" 31
}

@test "a table of the L2 cache has the columns that real devices' tables have, behind the device" {
    needs_shared data/real-samples/tables
    copy_family system-910b PROF_1
    run_msprof export summary PROF_1 --stable-names --cann-version 8.0
    expect_status 0
    expect_equal "$(head -n 1 PROF_1/mindstudio_profiler_output/l2_cache.csv)" \
        "Device_id,$(head -n 1 "$shared/data/real-samples/tables/pt2025-01_level1_l2_cache.csv")"
}

@test "--cann-version 8.2 has Block Dim, 8.0 HCCL besides, 7.0 no state of operators; newest and 9.0 have today's names" {
    needs_python
    cp -r "$repository"/testdata/frameworks/run_ascend_ms/PROF_* PROF_1
    chmod -R u+w PROF_1
    for version in newest 9.0 8.5.0 8.2 8.0 8.0.RC3 7.0; do
        rm -rf out
        run_msprof export summary PROF_1 --output out --stable-names --cann-version "$version"
        expect_status 0
        run_msprof export timeline PROF_1 --output out --stable-names --cann-version "$version"
        expect_status 0
        python3 - "$version" out/mindstudio_profiler_output <<'END'
import csv, os, sys
from timeline import read_timeline
version, directory = sys.argv[1:]
newest = version in ('newest', '9.0')
hccl = version.startswith('8.0') or version == '7.0'
rows = list(csv.DictReader(open(directory + '/op_summary.csv')))
assert ('Block Num' in rows[0], 'Mix Block Num' in rows[0]) == (newest, newest), rows[0].keys()
assert ('Block Dim' in rows[0], 'Mix Block Dim' in rows[0]) == (not newest, not newest)
assert ('OP State' in rows[0], 'HF32 Eligible' in rows[0]) == (version != '7.0', version != '7.0')
types = {row['Task Type'] for row in rows}
assert ('HCCL' in types, 'COMMUNICATION' in types) == (hccl, not hccl), types
assert os.path.exists(directory + '/hccl_statistic.csv') == hccl
assert os.path.exists(directory + '/communication_statistic.csv') != hccl
levels = {row['Level'] for row in csv.DictReader(open(directory + '/api_statistic.csv'))}
assert ('hccl' in levels, 'communication' in levels) == (hccl, not hccl), levels
events = read_timeline(directory + '/msprof.json').events
layers = {event['args']['name'] for event in events if event.get('name') == 'process_name'}
layers = {name.split(' (')[0] for name in layers}
assert ('HCCL' in layers, 'Communication' in layers) == (hccl, not hccl), layers
assert 'Device_id' in rows[0]
END
    done
}

@test "until 8.0.RC1 formats are FORMAT_ND, task_time has what was launched, calls are the device's; processes move by version" {
    copy_family prof-910b PROF_1
    local version
    for version in newest 9.0 8.5 8.0 8.0.RC1; do
        run_msprof export summary PROF_1 --output "$version" --stable-names --cann-version "$version"
        expect_status 0
        run_msprof export timeline PROF_1 --output "$version" --stable-names --trace-compat --cann-version "$version"
        expect_status 0
    done
    python3 - <<'END'
import csv, json
PLACES = {'newest': (7, 14, 31), '9.0': (7, 13, 30), '8.5': (7, 13, 29), '8.0': (7, 13, 29), '8.0.RC1': (2, 8, 11)}
def table(version, name):
    return list(csv.DictReader(open('%s/mindstudio_profiler_output/%s.csv' % (version, name), encoding='utf-8')))
changed = 0
for version, places in PLACES.items():
    oldest = version == '8.0.RC1'
    for row, now in zip(table(version, 'op_summary'), table('newest', 'op_summary')):
        for column in 'Input Formats', 'Output Formats':
            formats = [('FORMAT_ND' if oldest and name == 'ND' else name) for name in now[column].split(';')]
            changed += oldest and 'FORMAT_ND' in formats
            assert row[column] == ';'.join(formats), (version, row[column], now[column])
    assert {row['Device_id'] for row in table(version, 'api_statistic')} == {'0' if oldest else 'host'}
    kinds = {row['kernel_type'] for row in table(version, 'task_time')}
    assert ('KERNEL_AICORE' in kinds, 'AI_CORE' in kinds) == (oldest, not oldest), kinds
    events = json.load(open(version + '/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
    names = {event['pid']: event['args']['name'] for event in events if event['name'] == 'process_name'}
    place = {names[event['pid']]: event['args']['sort_index'] for event in events if event['name'] == 'process_sort_index'}
    assert tuple(place[name] for name in ('CANN', 'Ascend Hardware', 'Overlap Analysis')) == places, (version, place)
    calls = [event['args']['connection_id'] for event in events if event['ph'] == 'X' and names[event['pid']] == 'CANN']
    assert sorted(calls) == list(range(1, len(calls) + 1))
    ends = {int(event['id']) >> 32 for event in events if event['ph'] == 'f' and names[event['pid']] == 'Ascend Hardware'}
    assert ends and ends == {event['args']['connection_id'] for event in events if event['ph'] == 'X' and
                             names[event['pid']] == 'Ascend Hardware' and 'connection_id' in event['args']}
    assert ends <= set(calls)
assert changed > 0
END
}

@test "until 8.0.RC1 whole numbers of Ratio and Variance have a point" {
    python3 - "$BATS_TEST_DIRNAME/../cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from program import Program
program = Program('PROF_1')
program.op('a/MatMul', us=30)
program.op('b/MatMul', us=50)
program.write()
END
    for pair in 8.0.RC1:.0 8.0: newest:; do
        run_msprof export summary PROF_1 --output out --stable-names --cann-version "${pair%%:*}"
        expect_status 0
        expect_equal "$(tail -n 1 out/mindstudio_profiler_output/op_statistic.csv)" "0,MatMul,AI_CORE,2,80,30,40,50,100${pair#*:}"
        expect_equal "$(cut -d , -f 9 out/mindstudio_profiler_output/api_statistic.csv | sort -u | head -n 1)" "0${pair#*:}"
        rm -rf out
    done
}

@test "modules of the memory have the names of the version, in the table and in the database" {
    copy_family system-910b PROF_1
    for pair in 8.5:MDCLOCATION: newest:Unknown:; do
        rm -rf out
        run_msprof export summary PROF_1 --output out --stable-names --cann-version "${pair%%:*}"
        expect_status 0
        local name=${pair#*:}
        [ "$(cut -d , -f 2 out/mindstudio_profiler_output/npu_module_mem.csv | grep -c "^${name%:}$")" -gt 0 ]
    done
    run_msprof export db PROF_1 --output out --stable-names --cann-version 8.2
    expect_status 0
    expect_equal "$(sqlite3 out/msprof.db "SELECT group_concat(name, ' ') FROM ENUM_MODULE WHERE id IN (2, 5, 12, 26)
        ORDER BY id")" "IDEDH HIAIENGINE MDCLOCATION ASCENDDK"
    expect_equal "$(sqlite3 out/msprof.db "SELECT group_concat(name, ' ') FROM pragma_table_info('COMPUTE_TASK_INFO')
        WHERE name LIKE '%lock%' OR name = 'gridDim'")" "blockDim mixBlockDim"
    local rows
    rows=$(sqlite3 out/msprof.db 'SELECT count(*), sum(blockDim), sum(mixBlockDim) FROM COMPUTE_TASK_INFO')
    rm -rf out
    run_msprof export db PROF_1 --output out --stable-names --cann-version newest
    expect_equal "$(sqlite3 out/msprof.db 'SELECT count(*), sum(blockNum), sum(mixBlockNum) FROM COMPUTE_TASK_INFO')" \
        "$rows"
}

@test "a capture that says its version has the names of it, and the note says how to ask for others" {
    needs_python
    copy_family system-910b PROF_1
    for pair in "8.2.RC1:Block Dim" "8.0.0:Block Dim" "7.0.RC1:Block Dim" "9.0.0:Block Num"; do
        say_version PROF_1 "${pair%%:*}"
        run_msprof export summary PROF_1 --stable-names
        expect_status 0
        columns_of PROF_1/mindstudio_profiler_output/op_summary.csv | grep -qxF "${pair#*:}"
        [ "${pair%%:*}" = 9.0.0 ] ||
            expect_contains "$stderr" "names of CANN ${pair%%:*} are used, the capture's version (see --cann-version"
        run_msprof export summary PROF_1 --stable-names --cann-version newest
        columns_of PROF_1/mindstudio_profiler_output/op_summary.csv | grep -qxF "Block Num"
    done
    for version in '' eight 8 8.2.; do
        say_version PROF_1 "$version"
        run_msprof export summary PROF_1 --stable-names
        expect_status 0
        columns_of PROF_1/mindstudio_profiler_output/op_summary.csv | grep -qxF "Block Num"
    done
}

@test "a version that did not write what the capture holds is not believed, and that is said" {
    needs_python
    copy_family prof-910b PROF_1
    say_version PROF_1 8.0.RC2 # its names of kernels stay
    say_version PROF_1 8.0.RC2
    python3 - PROF_1/host/info.json <<'END'
import json, sys
info = json.load(open(sys.argv[1]))
info['cannVersion'] = '8.0.RC1'
json.dump(info, open(sys.argv[1], 'w'))
END
    run_msprof export summary PROF_1 --stable-names
    expect_status 0
    expect_contains "$stderr" "version is CANN 8.0.RC1, but it contains names of kernels in its task tracks, which are newer"
    columns_of PROF_1/mindstudio_profiler_output/op_summary.csv | grep -qxF "Block Num"
}

@test "results of frameworks have the names of the version: PyTorch's no device, MindSpore's HCCL" {
    needs_python
    copy_run pt
    run_msprof analyse run_ascend_pt --cann-version 8.0
    expect_status 0
    expect_equal "$(grep -l Device_id "$out"/*.csv | wc -l)" 0
    for pair in 8.0:text newest:integer; do
        run_msprof analyse run_ascend_pt --export db --cann-version "${pair%:*}"
        expect_status 0
        expect_equal "$(sqlite3 "$out/ascend_pytorch_profiler_1.db" 'SELECT DISTINCT typeof(startNs) FROM PYTORCH_API')" \
            "${pair#*:}"
    done
    run_msprof analyse run_ascend_pt --cann-version 8.3
    expect_status 0
    expect_equal "$(head -qn 1 "$out"/{kernel_details,step_trace_time,op_statistic}.csv | grep -c Device_id)" 3
    columns_of "$out/kernel_details.csv" | grep -qxF "Mix Block Dim"
    copy_run ms
    run_msprof analyse run_ascend_ms --cann-version 8.0
    expect_status 0
    columns_of "$out/kernel_details.csv" | grep -qxF "Block Dim"
    [ "$(grep -c ,HCCL, "$out/kernel_details.csv")" -gt 0 ]
    cp "$out/step_trace_time.csv" old.csv
    run_msprof analyse run_ascend_ms --cann-version newest
    expect_equal "$(cat old.csv)" "$(cat "$out/step_trace_time.csv")"
}

@test "a version that is none is a usage error" {
    for version in '' 8 8.x 8.2. .2 x8.2 8.2.RC 100.1 -1 '8.2 '; do
        run_msprof export summary PROF_1 --cann-version "$version"
        expect_status 2
        expect_contains "$stderr" "--cann-version"
    done
    run_msprof analyse . --cann-version eight
    expect_status 2
}
