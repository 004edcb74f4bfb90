#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Inferences that were not recorded, and the time between those that were: what answers say of it, and what they do not.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
    make_capture=$(dirname "$(readlink -f "$MSPROF")")/make-capture
}

# A capture in a directory of this name; further arguments are make-capture's.
make() {
    local target=$1
    shift
    rm -rf made "$target"
    mkdir made
    "$make_capture" --output made "$@" >told 2>/dev/null
    mv made/JOB* "$target"
}

json() {
    /usr/bin/python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' \
        "$BATS_TEST_TMPDIR/stdout" "$1"
}

# The value of an item of a capture's summary.
summary() {
    "$MSPROF" -q show "$1" --table summary --format json |
        /usr/bin/python3 -c 'import json, sys; print("\n".join(r["Value"] for r in json.load(sys.stdin) if r["Item"] == sys.argv[1]))' "$2"
}

# Shifts what each inference but the first did on the cores, by so many nanoseconds more than the one before.
shift_done() {
    /usr/bin/python3 - "$@" <<'END'
import glob, re, sys
for path in glob.glob(sys.argv[1] + '/data/aicore*.done'):
    more = int(path.split('.')[-2]) * int(sys.argv[2])
    text = open(path).read()
    open(path, 'w').write(re.sub(r'((?:start|end)time\s*:\s*)(\d+)', lambda m: m[1] + str(int(m[2]) + more), text))
END
}

@test "the shipped capture says in every answer that one of five inferences was recorded" {
    copy_capture A
    recorded="1 of 5 inferences was sampled"
    expect_contains "$(summary A Recorded)" "$recorded"
    expect_equal "$(summary A Period)" "unknown: no two consecutive inferences were recorded"
    for table in ops types steps overlap gaps bound api small; do
        run_msprof show A --table "$table" --format csv
        expect_status 0
        expect_contains "$stderr" "$recorded"
    done
    run_msprof -q advise A
    expect_contains "$output" "$recorded"
    expect_not_contains "$output" "svp_acl_mdl_execute"
    run_msprof -q advise A --format json
    expect_equal "$(json 'd["recorded"]')" "$recorded"
    run_msprof -q diff A A
    expect_contains "$output" "New: $recorded"
    run_msprof -q diff A A --format json
    expect_equal "$(json 'd["base"]["recorded"], d["base"]["period"], d["base"]["free"]')" "('$recorded', None, None)"
}

@test "calls of 20 inferences are divided by the time of 20" {
    copy_capture A
    "$MSPROF" import -q A
    run_msprof -q advise A --format json --threshold memory-calls:0
    # recalculated: from the end of the first inference to that of the last call that executes
    expect_equal "$(json '[round(f["value"], 3) for f in d["findings"] if f["id"] == "memory-calls"]')" "[$(/usr/bin/python3 - <<'END'
import sqlite3
db = sqlite3.connect('A/sqlite/runtime.db')
low = db.execute('SELECT min(end_ns) FROM inference').fetchone()[0]
high = db.execute("SELECT max(end_ns) FROM acl_call WHERE name = 'svp_acl_mdl_execute'").fetchone()[0]
covered, reached = 0, low
for start, end in db.execute("SELECT start_ns, end_ns FROM acl_call WHERE start_ns >= ? AND start_ns < ? AND"
                             " (name LIKE '%malloc%' OR name LIKE '%free%' OR name LIKE '%memcpy%')"
                             " ORDER BY start_ns", (low, high)):
    covered += max(0, min(end, high) - max(start, reached))
    reached = max(reached, end)
value = 100 * covered / (high - low)
assert 1.5 < value < 2.5, value
print(round(value, 3))
END
)]"
}

@test "of a capture that samples no gap, share or time reaches across what was not recorded" {
    make A --inferences 6 --interval 3
    make B --inferences 18
    expect_contains "$(summary A Recorded)" "1 of 3 inferences was sampled"
    expect_equal "$(summary B Recorded)" ""
    run_msprof -q show A --table gaps --format json
    expect_equal "$(json 'max(r["Length(us)"] for r in d) < 30')" True # the pictures are 900 us apart
    run_msprof -q show B --table gaps --format json
    expect_equal "$(json 'sum(r["Length(us)"] > 900 for r in d)')" 17
    busy=$(summary A Busy)
    expect_contains "${busy%% *}" "99."
    busy=$(summary B Busy)
    expect_contains "${busy%% *}" "8"
}

@test "calls tell what was not recorded where pictures are counted without gaps" {
    make A --inferences 5 --interval 4
    # the board counts those that it records: 0, 1, 2, ... instead of 0, 4, 8, ...
    /usr/bin/python3 - <<'END'
import glob, os, struct
for path in sorted(glob.glob('A/data/aic*'), key=lambda p: len(p)):
    name = os.path.basename(path)
    parts = name.split('.')
    if name == 'aicore.0.1.1':
        data = bytearray(open(path, 'rb').read())
        for at in range(0, len(data), 128):
            count, = struct.unpack_from('<I', data, at + 120)
            struct.pack_into('<I', data, at + 120, count // 4)
        open(path, 'wb').write(data)
    place = -2 if parts[-1] == 'done' else -1
    if len(parts) >= 7 and parts[place].isdigit():
        parts[place] = 'n%d' % (int(parts[place]) // 4)
        os.rename(path, 'A/data/' + '.'.join(parts))
for path in glob.glob('A/data/*.n*'):
    os.rename(path, path.replace('.n', '.', 1) if '.net' not in path else path)
END
    expect_contains "$(summary A Recorded)" "1 of 4 inferences was sampled"
    expect_contains "$(summary A Period)" "unknown: "
    # and without calls all seem to be there
    make B --inferences 5 --api-calls 0
    expect_equal "$(summary B Recorded)" ""
    expect_contains "$(summary B Period)" "median 7"
}

@test "an inference that is missing alone leaves the periods of the others" {
    make A --inferences 9
    rm A/data/*.3.done A/data/aicpu*.3
    /usr/bin/python3 - <<'END'
import struct
data = open('A/data/aicore.0.1.1', 'rb').read()
records = [data[i:i + 128] for i in range(0, len(data), 128)]
open('A/data/aicore.0.1.1', 'wb').write(b''.join(r for r in records if struct.unpack_from('<I', r, 120)[0] != 3))
END
    expect_contains "$(summary A Recorded)" "8 of 9 inferences were sampled"
    run_msprof -q show A --table overlap --format json --columns number,period,free
    expect_equal "$(json '[r["Number"] for r in d if r["Period(us)"] == "N/A"]')" "[2, 8]"
    expect_equal "$(json 'all(7000 < r["Period(us)"] < 8000 for r in d if r["Period(us)"] != "N/A")')" True
    expect_equal "$(json '[r["Number"] for r in d if r["Free(us)"] == "N/A"]')" "[2, 8]"
}

@test "a batch that counts its pictures is recorded whole" {
    make A --inferences 6 --batch 4 --api-calls 0
    expect_equal "$(summary A Recorded)" ""
    run_msprof -q show A --table overlap --format json
    fps=$(json '"%.3f" % (4e6 * len(d) / (max(r["Start(us)"] + r["Time(us)"] for r in d) - min(r["Start(us)"] for r in d)))')
    run_msprof -q show A --table steps --format json
    expect_equal "$(json 'd[0]["Batch"], "%.3f" % d[0]["Fps"]')" "(4, '$fps')"
    run_msprof -q show A --table overlap --columns number --format csv
    expect_equal "$(tr '\n' ' ' <<<"$output")" "Number 0 4 8 12 16 20 "
    for calls in 0 512; do
        make B --inferences 6 --batch 4 --interval 5 --api-calls "$calls"
        expect_contains "$(summary B Recorded)" "1 of 5 inferences was sampled"
    done
}

@test "3 ms more between inferences break the gates on period, free, fps and gaps: status 6" {
    make A --inferences 12
    cp -r A B
    shift_done B 3000000
    for gate in period:+3% free:+3% fps:+3% 'gap:*:+3%' 'gap:report -> data*:+1us'; do
        run_msprof -q diff A B --gate "$gate"
        expect_status 6
    done
    for gate in step_time:+3% device_busy:+3% busy:+3% 'period:+50%'; do
        run_msprof -q diff A B --gate "$gate"
        expect_status 0
    done
    run_msprof -q diff A B
    expect_contains "$output" "Period: 7.6"
    expect_contains "$output" "Gaps between operators"
    expect_contains "$output" "regression  none   report -> data,conv1,pool1"
    run_msprof -q diff A B --format json
    expect_equal "$(json 'round(d["new"]["period"] - d["base"]["period"], 3)')" 3000.0
}

@test "a gate on what was not recorded cannot be told: status 7, with the reason" {
    make A --inferences 4 --interval 5
    cp -r A B
    for gate in period:+3% free:+3% fps:+3% busy:+3%; do
        run_msprof -q diff A B --gate "$gate"
        expect_status 7
        run_msprof diff A B --gate "$gate"
        expect_contains "$stderr" "cannot decide gate $gate: 1 of 5 inferences was sampled"
    done
    run_msprof -q diff A B --format json --gate period:+3%
    expect_equal "$(json 'd["gates"][0]["passed"], "1 of 5" in d["gates"][0]["reason"]')" "(False, True)"
    run_msprof -q diff A B --gate step_time:+3% --gate device_busy:+3% --gate exposed_comm:=0
    expect_status 0
}

@test "models, batches and devices are never mixed in one number" {
    cp -r "$repository"/testdata/small/JOB* A
    run_msprof -q show A --table steps --format json
    expect_equal "$(json 'len(d), {r["Steps"] for r in d}, max(r["MAD(us)"] / r["Median(us)"] for r in d) < 0.02')" "(8, {4}, True)"
    expect_equal "$(json '{r["Batch"]: round(min(s["Median(us)"] for s in d if s["Batch"] == r["Batch"])) for r in d}')" "{1: 439, 4: 1571}"
    run_msprof -q advise A --format json
    expect_equal "$(json '[f["id"] for f in d["findings"] if f["id"] == "step-jitter"]')" "[]"
    expect_equal "$(json '[f["id"] for f in d["findings"] if f["value"] > 100 and f["id"] != "gap"]')" "[]"
    for device in 0 1; do
        expect_contains "$(summary A "Step time, inferences of model 3 (detector), batch 4, device $device")" "median 1571."
        expect_contains "$(summary A "Busy, device $device")" "79."
    done
}

@test "one quantity has one name in gates, columns and JSON: the table of docs/answers.md" {
    "$make_capture" --output . --inferences 4 >made 2>/dev/null
    mv JOB* A
    "$MSPROF" -q import A
    "$MSPROF" -q show A --table list >lists
    "$MSPROF" -q diff A A --format json >diff.json
    "$MSPROF" -q show A --table summary --format json >summary.json
    "$MSPROF" -q diff A A --gate nothing:+1% 2>metrics || true
    /usr/bin/python3 - "$repository/docs/answers.md" <<'END'
import json, re, sys
lines = open(sys.argv[1]).read().split('## Names')[1].split('\n## ')[0].splitlines()
rows = [[c.strip() for c in line.strip('|').split('|')] for line in lines if line.startswith('|')]
assert rows[0] == ['quantity', 'gate', 'steps', 'overlap', 'summary', 'JSON of diff'], rows[0]
lists = open('lists').read().splitlines()
ids = {line.split()[0]: set(lists[i + 1].split()) for i, line in enumerate(lists) if line[:1] not in (' ', '')}
metrics = set(re.findall(r'[a-z_]+', open('metrics').read().split('expected one of:')[1]))
side = set(json.load(open('diff.json'))['base'])
items = {r['Item'] for r in json.load(open('summary.json'))} | {'Recorded', 'Cut', 'Other tasks'} # where there are any
told = {'gate': set(), 'steps': set(), 'overlap': set(), 'JSON of diff': set()}
for row in rows[2:]:
    names = dict(zip(rows[0], row))
    here = {}
    for place, known in (('gate', metrics), ('steps', ids['steps']), ('overlap', ids['overlap']), ('JSON of diff', side | {'recorded', 'cut_steps'})):
        here[place] = re.findall('`([a-z0-9_]+)`', names[place])
        assert set(here[place]) <= known, (place, here[place])
        told[place] |= set(here[place])
    single = {n[0] for place, n in here.items() if len(n) == 1}
    assert len(single) == 1, row  # one name each
    assert names['summary'] in items | {''}, names['summary']
# and nothing of the measures is left out
assert metrics - told['gate'] <= {'aicpu', 'trans', 'cube_util', 'ddr_bytes', 'op', 'type', 'api', 'count', 'gap', 'GLOB'} | {
    'op_time', 'pipe', 'bytes'}, metrics # of one operator under msprof op: docs/formats/opprof.md
assert side - told['JSON of diff'] <= {'captures', 'elapsed', 'executions', 'warmup_steps'}, side
END
}
