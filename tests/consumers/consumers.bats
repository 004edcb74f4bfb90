#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What programs that read msprof's results ask of them: names of files, columns, tables (asked.txt).
# bats file_tags=once

# shellcheck disable=SC2154 # common.bash sets repository
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3 sqlite3
}

@test "every file, column and table that consumers ask for is there" {
    copy_family system-910b PROF_1
    for what in summary timeline db; do
        run_msprof export "$what" -dir PROF_1
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    done
    python3 "$repository/tests/cann/lib/make_outputs.py" KINDS 1
    for what in summary timeline db; do
        run_msprof export "$what" -dir KINDS
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    done
    run_msprof run -q --output MARKS -- "$(dirname "$(readlink -f "$MSPROF")")/tests/acl/acl_mstx" threads 3
    run_msprof export db -q MARKS
    expect_status 0
    run_msprof export summary -q MARKS
    expect_status 0
    mkdir RUN
    cp -r "$repository/testdata/frameworks"/run_ascend_* RUN
    chmod -R u+w RUN
    # as torch_npu writes it
    cat >RUN/run_ascend_pt/profiler_metadata.json <<'END'
{"distributed_args": {"tensor_model_parallel_size": 1, "pipeline_model_parallel_size": 2, "data_parallel_size": 1,
 "context_parallel_size": 1, "expert_model_parallel_size": 1, "sequence_parallel": false, "world_size": 2, "rank": 0,
 "note": "a \"quoted\" one"}}
END
    run_msprof analyse RUN --export text,db
    expect_status 0
    run_msprof cluster RUN/run_ascend_pt --output CLUSTER
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] # one of eight ranks
    run python3 "$repository/tests/consumers/ask.py" "$repository/tests/consumers/asked.txt" profile=PROF_1 kinds=KINDS marks=MARKS pytorch=RUN/run_ascend_pt \
        mindspore=RUN/run_ascend_ms cluster=CLUSTER
    expect_status 0
    expect_equal "$output" "$(grep -c '^[^#]' "$repository/tests/consumers/asked.txt")"
    # Insight refuses a parallel configuration without these
    sqlite3 "$(find CLUSTER -name cluster_analysis.db)" "SELECT value FROM ClusterBaseInfo WHERE key = 'distributed_args'" >arguments.json
    python3 - RUN/run_ascend_pt/profiler_metadata.json <<'END'
import json, sys
assert json.load(open('arguments.json')) == json.load(open(sys.argv[1]))['distributed_args']
END
}

@test "arrows from calls to devices are named and numbered as Ascend's tool does, where its form is asked for" {
    copy_family prof-910b PROF_1
    run_msprof export timeline -q --trace-compat --stable-names -dir PROF_1
    expect_status 0
    cp -r "$repository/testdata/frameworks"/run_ascend_ms .
    chmod -R u+w run_ascend_ms
    run_msprof analyse -q run_ascend_ms
    expect_status 0
    python3 - <<'END'
from timeline import read_timeline
for path in 'PROF_1/mindstudio_profiler_output/msprof.json', 'run_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json':
    events, facts = read_timeline(path)
    assert facts is None
    # a connection's number, 2^32 times as much; the frameworks' timelines do not say it otherwise
    connections = {e.get('connection_id', e.get('args', {}).get('connection_id')) for e in events} | set(range(1000) if 'view' in path else ())
    arrows = [e for e in events if e.get('cat') == 'HostToDevice']
    assert arrows and {e['ph'] for e in arrows} == {'s', 'f'}
    for e in arrows:
        assert e['name'] == 'HostToDevice' + e['id'] and int(e['id']) % 2 ** 32 == 0 and int(e['id']) >> 32 in connections, e
END
}

@test "no number in a table has an exponent, whatever its size" {
    cp -r "$repository/testdata/frameworks/run_ascend_ms" .
    chmod -R u+w run_ascend_ms
    run_msprof analyse run_ascend_ms
    expect_status 0
    [ "$(cat run_ascend_ms/ASCEND_PROFILER_OUTPUT/*.csv | grep -cE ',-?[0-9.]+[eE][+-]?[0-9]+(,|$)')" -eq 0 ]
    copy_family prof-910b PROF_1
    printf 'report sizes\ntitle Sizes\ncolumn Small float\ncolumn Large float\ncolumn Negative float\nsql\n%s\n' \
        'SELECT 0.00000125, 1735689600001740.0, -2e20' >sizes.report
    run_msprof show -q PROF_1 --report-file sizes.report --table sizes --format csv
    expect_equal "$(tail -n 1 <<<"$output")" "0.00000125,1735689600001740.0,-200000000000000000000.0"
}
