#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ranks that nothing has been made of yet, which msprof cluster analyses itself: also those that are damaged or incomplete.

# shellcheck disable=SC2154 # common.bash sets repository and shared
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
}

# Two ranks that only the profiler has written: the shipped one, and it again as another rank.
raw_ranks() {
    mkdir RUN
    for rank in 1 2; do
        cp -r "$repository/testdata/frameworks/run_ascend_pt" "RUN/rank${rank}_2025010100000000${rank}_ascend_pt"
        chmod -R u+w RUN
    done
    mv RUN/rank2_*/profiler_info_1.json RUN/rank2_20250101000000002_ascend_pt/profiler_info_2.json
}

@test "ranks that nothing has been made of are analysed by cluster, with the results of analysing them before" {
    raw_ranks
    cp -r RUN ANALYSED
    run_msprof cluster RUN
    raw_status=$status
    run_msprof analyse -q ANALYSED
    expect_status 0
    run_msprof cluster ANALYSED
    expect_status "$raw_status"
    # the database says where the captures are
    diff -r -x .msprof_cluster.files -x .ranks -x cluster_analysis.db RUN/cluster_analysis_output ANALYSED/cluster_analysis_output
    # of the ranks only the aggregates are new
    expect_equal "$(cd RUN && find rank1* -newer "$repository/Makefile" -name '.msprof_cluster' | wc -l)" 1
    [ ! -e "$(echo RUN/rank1_*)/ASCEND_PROFILER_OUTPUT" ]
    [ ! -e "$(echo RUN/rank1_*/PROF_*)/sqlite" ]
    expect_equal "$(ls RUN/cluster_analysis_output/.ranks)" ""
    run_msprof cluster RUN
    expect_contains "$stderr" "2 ranks (0 read anew)"
    touch "$(echo RUN/rank1_*)/FRAMEWORK/torch.op_range"
    run_msprof cluster RUN
    expect_contains "$stderr" "2 ranks (1 read anew)"
}

@test "raw ranks that are damaged, or cannot be analysed, are named and do not stop the rest" {
    raw_ranks
    cp -r RUN/rank1_* RUN/rank3_20250101000000003_ascend_pt
    mv RUN/rank3_*/profiler_info_1.json RUN/rank3_20250101000000003_ascend_pt/profiler_info_3.json
    echo '{' >RUN/rank3_20250101000000003_ascend_pt/profiler_info_3.json
    truncate -s -7 "$(echo RUN/rank2_*)/FRAMEWORK/torch.op_range"
    run_msprof cluster RUN
    expect_status 3
    expect_contains "$stderr" "rank2_20250101000000002_ascend_pt: some of its data was lost"
    expect_contains "$stderr" "rank3_20250101000000003_ascend_pt: skipped: it has no results yet and cannot"
    grep -q '^4,rank,1,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
    grep -q '^4,rank,2,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
}

@test "a rank whose device left nothing is named first with what is missing, and the other ranks are analysed" {
    raw_ranks
    rm -r "$(echo RUN/rank2_*)"/PROF_*/device_*
    run_msprof cluster RUN
    expect_status 3
    expect_contains "$stderr" "$(echo RUN/rank2_* | cut -d/ -f2): data of device 0 is missing: the host launched "
    expect_not_contains "$stderr" "some of its data was lost"
    grep -q '^4,rank,1,' RUN/cluster_analysis_output/cluster_step_trace_time.csv
    run_msprof diff RUN RUN --format json # with itself: the same half is missing on both sides
    expect_equal "$(python3 -c 'import json, sys
print([c["same"] for c in json.load(sys.stdin)["comparability"]["checks"] if c["name"] == "halves_missing"])' <<<"$output")" "[True]"
}

@test "a rank of which the host's or the device's half is missing is judged by nothing, free time neither, and says what to copy" {
    needs python3
    python3 - "$repository/tests/cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import Prof
for rank in range(4):
    prof = Prof('RUN/rank%d/PROF_%d' % (rank, rank))
    prof.configs = {'host': {'rank_id': rank}, 'device_0': {'rank_id': rank}}
    for i in range(4):
        prof.launch(1000 * i, 1, i, 'op%d' % i)
        prof.ran(20000 + 2000 * i, 21000 + 2000 * i, 1, i)
    prof.write()
END
    rm -r RUN/rank1/*/device_0 RUN/rank2/*/host
    run_msprof cluster RUN
    expect_status 3
    expect_contains "$stderr" "RUN/rank1/PROF_1: data of device 0 is missing"
    expect_contains "$stderr" "RUN/rank2/PROF_2: host data is missing"
    expect_equal "$(grep -c 'skipped: without the missing half it has no results; copy its directory' <<<"$stderr")" 2
    expect_not_contains "$stderr" "make it readable"
    expect_not_contains "$output" "Free: "
    expect_equal "$(cut -d, -f1,3,8 RUN/cluster_analysis_output/rank_times.csv | tail -n +2)" $'0,4,3\n3,4,3\nall,8,6'
}

@test "a job of which a device's data are gone is not compared with a whole one" {
    raw_ranks
    cp -r RUN WHOLE
    rm -r "$(echo RUN/rank2_*)"/PROF_*/device_*
    run_msprof diff WHOLE RUN
    expect_status 7
    expect_contains "$output" "Verdict: inconclusive"
    expect_contains "$output" "halves_missing: 0 -> 1"
}

@test "analyse without the host's directory says that the half of the host is missing, and ends with 3" {
    raw_ranks
    rm -r "$(echo RUN/rank2_*)"/PROF_*/host
    run_msprof analyse "$(echo RUN/rank2_*)"
    expect_status 3
    expect_contains "$stderr" "host data is missing"
    [ ! -e "$(echo RUN/rank2_*)/ASCEND_PROFILER_OUTPUT" ]
}

@test "cluster that waits for an analysis ends at a signal, also where that was stopped" {
    needs python3
    raw_ranks
    python3 "$repository/tests/cluster/interrupt.py" "$MSPROF" RUN
}

@test "cluster_analysis.db tells on which host and device each rank ran" {
    needs sqlite3
    raw_ranks
    info=$(echo RUN/rank2_*/PROF_*/host/info.json)
    python3 - "$info" <<'END'
import json, sys
info = json.load(open(sys.argv[1]))
info['hostUid'], info['hostname'] = '4242', 'second'
json.dump(info, open(sys.argv[1], 'w'))
path = sys.argv[1].replace('info.json', 'data/unaging.compact.task_track.slice_0')
tracks = bytearray(open(path, 'rb').read())
for record in range(0, len(tracks), 64):
    tracks[record + 24:record + 26] = (3).to_bytes(2, 'little') # launched on that device
open(path, 'wb').write(tracks)
END
    mv RUN/rank2_*/PROF_*/device_0 "$(echo RUN/rank2_*/PROF_*)/device_3"
    mv "$(echo RUN/rank2_*/PROF_*)/device_3/info.json.0" "$(echo RUN/rank2_*/PROF_*)/device_3/info.json.3"
    run_msprof cluster RUN
    expect_equal "$(sqlite3 RUN/cluster_analysis_output/cluster_analysis.db "SELECT rankId, deviceId,
        hostUid = '4242', (SELECT hostName FROM HostInfo h WHERE h.hostUid = r.hostUid) = 'second'
        FROM RankDeviceMap r ORDER BY 1; SELECT count(*) FROM HostInfo")" "1|0|0|0
2|3|1|1
2"
}

@test "when cluster or analyse is killed, what works for it ends at once and makes no files" {
    needs python3
    raw_ranks
    python3 "$repository/tests/cluster/kill_parent.py" "$MSPROF" RUN cluster analyse
}
