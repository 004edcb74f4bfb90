#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ranks in one timeline: clocks of hosts that were put wrong on purpose come right again.
# shellcheck disable=SC2154 # run_msprof sets stderr

bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

# Ranks that the Python on standard input describes: rank(number, host, wrong_ns) makes one that computes for a while of
# its own and then does what the others do together; its clock is wrong by so much.
ranks() {
    rm -rf RUN
    mkdir RUN
    {
        cat <<PY
import json, sys
sys.path.insert(0, "$repository/tests/cann/lib")
import prof, program
UNIX = prof.UNIX

def rank(number, host, wrong_ns, steps=12, group='world', late=True, collectives=True, names='hcom_allReduce__010_%d_1'):
    prof.UNIX = UNIX + wrong_ns
    p = program.Program('RUN/PROF_%06d_20250101000000000_AAAA' % (number + 1), seed=number)
    p.prof.configs = {'host': {'hostname': host, 'hostUid': host + '-uid'} if host else {},
                      'device_0': {'rank_id': number, 'hostname': host, 'hostUid': host + '-uid'}}
    for step in range(steps):
        p.at = 1000000 + step * 2000000
        p.op('compute', us=300 + (p.random.randrange(500) if late else 0))
        if collectives:
            # it begins when the rank comes and ends with the others, but for what links take
            end = 1000000 + step * 2000000 + 1500000 + program.grid(p.random.randrange(2000))
            p.communicate(names % step, us=(end - p.at) / 1000)
            assert abs(p.at - end) < 40
    p.write()

PY
        cat
    } >make.py
    python3 make.py
}

# Python with the timeline's slices by rank: slices[rank] = [(name, start, end)] in ns, and the table of clocks.
check() {
    {
        cat <<'PY'
import csv, glob, re
from decimal import Decimal
from timeline import read_timeline
DIRECTORY = 'RUN/cluster_analysis_output/timeline'
trace = read_timeline(DIRECTORY + '/msprof.json', parse_float=Decimal)
other = trace.facts
events = trace.events
rank_of = {}
for event in events:
    if event['ph'] == 'M' and event['name'] == 'process_labels':
        rank_of[event['pid']] = int(re.search(r'rank (\d+)$', event['args']['labels']).group(1))
slices = {}
for event in events:
    if event['ph'] == 'X':
        start = int(Decimal(event['ts']) * 1000)
        slices.setdefault(rank_of[event['pid']], []).append((event['name'], start, start + int(round(Decimal(event['dur']) * 1000))))
clocks = {int(row['Rank']): row for row in csv.DictReader(open(DIRECTORY + '/clock_alignment.csv'))}

def ends(rank, name='hcom_allReduce'):
    return [end for text, start, end in sorted(slices[rank], key=lambda s: s[1]) if text.startswith(name)]
PY
        cat
    } >check.py
    python3 check.py
}

@test "clocks that were put wrong by seconds are right within what collectives scatter" {
    ranks <<'PY'
rank(0, 'alpha', 0)
rank(1, 'beta', 3456789120)
rank(2, 'gamma', -987654320)
PY
    run_msprof cluster RUN --timeline
    expect_status 0
    expect_contains "$stderr" "clock of rank 1: "
    check <<'PY'
import statistics
wrong = {0: 0, 1: 3456789120, 2: -987654320}
assert sorted(slices) == [0, 1, 2] and all(len(ends(rank)) >= 12 for rank in slices)
# without the alignment ends differ by what was planted: the timeline and the table say what was added
raw = {}
import sqlite3
for rank in slices:
    path, = glob.glob('RUN/PROF_%06d_*/sqlite/runtime.db' % (rank + 1))
    raw[rank] = [row[0] for row in sqlite3.connect(path).execute('SELECT start_ns + duration_ns FROM communication_op ORDER BY start_ns')]
assert len(raw[0]) == 12
for rank in (1, 2):
    differences = [a - b for a, b in zip(raw[0], raw[rank])]
    shift = round(statistics.median(differences))
    told = Decimal(clocks[rank]['Shift(us)']) * 1000
    assert abs(told - shift) <= 1, (told, shift)
    assert abs(told + wrong[rank]) < 2000, (told, wrong[rank])
    error = statistics.median(abs(d - statistics.median(differences)) for d in differences)
    assert 0 <= Decimal(clocks[rank]['Error(us)']) * 1000 - Decimal(error) <= 1, (clocks[rank], error)
    assert clocks[rank]['Collectives'] == '12' and clocks[rank]['Anchor'] == '0' and clocks[rank]['Compared With'] == '0'
    assert max(abs(a - b) for a, b in zip(ends(0), ends(rank))) < 4500
assert clocks[0]['Shift(us)'] == '0' and clocks[0]['Error(us)'] == '0' and clocks[0]['Compared With'] == ''
# within a rank nothing moves: distances are as they were recorded
for rank in slices:
    assert [b - a for a, b in zip(ends(rank), ends(rank)[1:])] == [b - a for a, b in zip(raw[rank], raw[rank][1:])]
# processes of a rank stand together, in the order of ranks
order = [rank_of[e['pid']] for e in sorted((e for e in events if e['ph'] == 'M' and e['name'] == 'process_sort_index'),
                                           key=lambda e: e['args']['sort_index'])]
assert order == sorted(order) and set(order) == {0, 1, 2}
PY
}

@test "hosts that no collective joins directly are aligned by those between them, and errors add up" {
    ranks <<'PY'
rank(0, 'alpha', 0, names='hcom_allReduce__010_%d_1')
rank(1, 'beta', 500000000, names='hcom_allReduce__010_%d_1')
rank(2, 'beta', 500000000, names='hcom_broadcast__020_%d_1')
rank(3, 'gamma', -700000000, names='hcom_broadcast__020_%d_1')
PY
    run_msprof cluster RUN --timeline
    expect_status 0
    check <<'PY'
for rank, wrong in ((1, 500000000), (2, 500000000), (3, -700000000)):
    assert abs(Decimal(clocks[rank]['Shift(us)']) * 1000 + wrong) < 4000, clocks[rank]
assert clocks[1]['Clock'] == clocks[2]['Clock'] == '1' and clocks[3]['Compared With'] == '1' and clocks[3]['Anchor'] == '0'
assert Decimal(clocks[3]['Error(us)']) >= Decimal(clocks[1]['Error(us)'])
assert max(abs(a - b) for a, b in zip(ends(2, 'hcom_broadcast'), ends(3, 'hcom_broadcast'))) < 4500
PY
}

@test "captures of one host whose real times were read apart are joined by their monotonic clock" {
    ranks <<'PY'
rank(0, 'alpha', 0, late=False)
rank(1, 'alpha', 12345000, late=False)
PY
    run_msprof cluster RUN --timeline
    expect_status 0
    check <<'PY'
assert clocks[0]['Clock'] == clocks[1]['Clock'] == '0'
assert clocks[1]['Shift(us)'] == '-12345', clocks[1]
PY
}

@test "a rank that no collective joins with the others stays as it was, which is told, and the status is 3" {
    ranks <<'PY'
rank(0, 'alpha', 0)
rank(1, 'beta', 250000000)
rank(2, 'gamma', 250000000, collectives=False)
PY
    run_msprof cluster RUN --timeline
    expect_status 3
    expect_contains "$stderr" "clock of rank 2: no collective with earlier ranks; not adjusted"
    check <<'PY'
assert clocks[2]['Shift(us)'] == '0' and clocks[2]['Anchor'] == '2' and clocks[2]['Collectives'] == '0'
assert abs(Decimal(clocks[1]['Shift(us)']) * 1000 + 250000000) < 4000
PY
}

@test "collectives that a rank has less often than others are compared with none: nobody knows which are missing" {
    ranks <<'PY'
rank(0, 'alpha', 0)
rank(1, 'beta', 250000000, steps=9)
PY
    run_msprof cluster RUN --timeline
    expect_status 3
    check <<'PY'
assert clocks[1]['Anchor'] == '1' and clocks[1]['Collectives'] == '0' and clocks[1]['Shift(us)'] == '0'
PY
    expect_contains "$stderr" "9 runs of collectives are not compared: ranks differ in their number"
}

@test "a timeline of ranks has the same events in every format, and without one a format is refused" {
    needs_protoc
    ranks <<'PY'
rank(0, 'alpha', 0)
rank(1, 'beta', 250000000)
PY
    for format in json json.gz pftrace pftrace-raw; do
        run_msprof cluster RUN --timeline --format "$format" --output "$format"
        expect_status 0
        cmp {json,"$format"}/cluster_analysis_output/timeline/clock_alignment.csv
    done
    gzip -dc json.gz/cluster_analysis_output/timeline/msprof.json.gz | cmp - json/cluster_analysis_output/timeline/msprof.json
    for format in pftrace pftrace-raw; do
        python3 "$repository/tests/cli/pftrace.py" "$repository/docs/formats/perfetto.proto" \
            json/cluster_analysis_output/timeline/msprof.json "$format/cluster_analysis_output/timeline/msprof.pftrace"
    done
    run_msprof cluster RUN --format pftrace
    expect_status 2
    expect_contains "$stderr" "--format applies to timelines only: add --timeline"
}

@test "--ranks chooses, more than 64 ranks are refused, and what is not there is status 4" {
    ranks <<'PY'
rank(0, 'alpha', 0)
rank(1, 'beta', 1000000)
rank(2, 'gamma', 2000000)
PY
    run_msprof cluster RUN --timeline --ranks 0,2 --output out
    expect_status 0
    expect_equal "$(cut -d, -f1 out/cluster_analysis_output/timeline/clock_alignment.csv)" $'Rank\n0\n2'
    [ ! -e RUN/cluster_analysis_output ]
    run_msprof cluster RUN --timeline --ranks 0,2,200 --output out
    expect_status 3 # a part of the answer is missing
    expect_contains "$stderr" "no capture belongs to these ranks of --ranks: 200; available: 0 to 2"
    run_msprof cluster RUN --timeline --ranks 7
    expect_status 4
    expect_contains "$stderr" "no capture belongs to a rank that --ranks chooses"
    run_msprof cluster RUN --timeline --step 3
    expect_status 2
    run_msprof cluster --timeline
    expect_status 2
    mkdir EMPTY
    run_msprof cluster EMPTY --timeline
    expect_status 4
    mkdir MANY
    for number in $(seq 1 65); do
        cp -R RUN/PROF_000001_* "MANY/PROF_$(printf %06d "$number")_20250101000000000_AAAA"
        sed -i "s/\"rank_id\": 0/\"rank_id\": $number/" "MANY/PROF_$(printf %06d "$number")"_*/device_0/info.json.0
    done
    run_msprof cluster MANY --timeline
    expect_status 2
    expect_contains "$stderr" "--timeline shows at most 64 ranks, but there are 65"
    expect_contains "$stderr" "--ranks 0-63"
}
