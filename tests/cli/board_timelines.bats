#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Timelines of SVP boards: what slices say of layers, and the file of the whole capture.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load common

setup() {
    enter_scratch
    needs python3
    export PYTHONPATH=$BATS_TEST_DIRNAME/../lib
    cp -r "$repository"/testdata/small/JOB* JOBX
}

# Where each slice is to be found again: device, times, name, arguments.
write_reader() {
    cat >reader.py <<'END'
import glob, json
from collections import Counter
from timeline import read_timeline

def read(path):
    document = read_timeline(path)
    events = document.events
    label = {e['pid']: e['args']['labels'] for e in events if e['name'] == 'process_labels'}
    return document.facts, [(label[e['pid']], e) for e in events if e['ph'] in 'XiC']

def bag(entries):
    return Counter((label, e['ph'], e['name'], e['ts'], round(e.get('dur', 0), 3), e.get('cat'),
                    json.dumps(e.get('args'))) for label, e in entries)
END
}

@test "a capture has one timeline beside those of its models, with every slice and counter of theirs and each call once" {
    run_msprof export timeline --verbose JOBX
    expect_status 0
    expect_contains "$stderr" "timeline/msprof.json'"
    write_reader
    python3 - <<'END'
from reader import *
from timeline import read_timeline
models = glob.glob('JOBX/timeline/msprof_*.json')
assert len(models) == 8, models
other, entries = read('JOBX/timeline/msprof.json')
assert 'model' not in other and other['clock'] == 'system monotonic', other
wanted = Counter()
for path in models:
    wanted += bag(read(path)[1])
assert bag(entries) == wanted, (list((wanted - bag(entries)).items())[:3], list((bag(entries) - wanted).items())[:3])
events = read_timeline('JOBX/timeline/msprof.json').events
names = sorted(e['args']['name'] for e in events if e['name'] == 'process_name')
assert names[0] == 'Device 0: detector, model 3, batch 1' and len(names) == 9, names
assert names[-1].startswith('Host: ACL calls of process '), names
END
    python3 "$BATS_TEST_DIRNAME/../lib/timeline.py" check JOBX/timeline/*.json
}

@test "a capture of one model has one timeline of it, under the name of the vendor's tool, with the arrows" {
    rm -rf JOBX
    cp -r "$repository"/testdata/resnet50/JOB* JOBX
    run_msprof -q export timeline JOBX
    expect_status 0
    [ ! -e JOBX/timeline/msprof.json ]
    for phase in s f; do
        expect_equal "$(grep -c "\"ph\":\"$phase\"" JOBX/timeline/msprof_0.resnet50.6.1.json)" 4
    done
}

@test "calls of the host are named as its processes and threads, and as a device's streams only with --trace-compat" {
    rm -rf JOBX
    cp -r "$repository"/testdata/resnet50/JOB* JOBX
    run_msprof -q export timeline JOBX --output ours
    expect_status 0
    run_msprof -q export timeline JOBX --output vendors --trace-compat
    expect_status 0
    python3 - <<'END'
from timeline import read_timeline
def names(path):
    return [event['args']['name'] for event in read_timeline(path + '/timeline/acl_0.resnet50.6.1.json').events
            if event['name'] in ('process_name', 'thread_name')]
assert names('ours') == ['Host: ACL calls of process 1432', 'Thread 1432', 'Thread 1433'], names('ours')
assert names('vendors') == ['Task Scheduler', 'Stream 1432', 'Stream 1433'], names('vendors')
END
}

@test "timelines in a capture change nothing of how it is read: the same again, in place and elsewhere" {
    run_msprof -q export timeline JOBX
    expect_status 0
    cp -r JOBX/timeline first
    run_msprof show JOBX --table list
    local tables=$output
    run_msprof export timeline JOBX
    expect_status 0
    expect_not_contains "$stderr" "import"
    diff -r first JOBX/timeline
    run_msprof -q export timeline JOBX --output elsewhere
    diff -r first elsewhere/timeline
    run_msprof show JOBX --table list
    expect_equal "$output" "$tables"
    rm -rf JOBX/sqlite
    run_msprof -q export timeline JOBX
    expect_status 0
    diff -r first JOBX/timeline
}

@test "slices of layers say their types, what limits them as table bound has it, and the bytes of the records" {
    run_msprof -q export timeline JOBX
    run_msprof -q show --table bound --format csv JOBX
    printf '%s\n' "$output" >bound.csv
    python3 - <<'END'
import csv, glob, sqlite3
from timeline import read_timeline
database = sqlite3.connect('JOBX/sqlite/runtime.db')
bounds = {row['Name']: row['Bound'] for row in csv.DictReader(open('bound.csv', encoding='utf-8'))}
assert set(bounds.values()) == {'compute', 'latency', 'memory', 'unknown'}, set(bounds.values())
checked = 0
for path in glob.glob('JOBX/timeline/msprof_*.json'):
    document = read_timeline(path)
    other = document.facts
    layers = {}
    for task, engine, name, type in database.execute(
            "SELECT task_id, engine, name, type FROM layer WHERE model_name = ? AND model_id = ? ORDER BY layer_id",
            (other['model'], other['model_id'])):
        layers.setdefault((engine, task), []).append((name, type))
    bytes = {}
    for task, stream, duration, read, written in database.execute(
            "SELECT t.task_id, t.stream_id, t.duration_ns, t.ddr_read_bytes, t.ddr_write_bytes FROM ai_core_task t"
            " JOIN inference_run r ON t.id BETWEEN r.first_task AND r.last_task"
            " JOIN inference i ON i.inference_id = r.inference_id WHERE i.device_id = ? AND i.model_name = ?"
            " AND i.model_id = ? AND i.batch_num = ?",
            (other['device_id'], other['model'], other['model_id'], other['batch_num'])):
        bytes.setdefault((stream, task, duration), set()).add((read, written))
    for e in document.events:
        args = e.get('args', {})
        if e['ph'] != 'X' or 'Task Type' not in args:
            continue
        of = layers.get((args['Task Type'], args['Task Id']))
        assert args.get('Layer Type') == (','.join(type for _, type in of) if of else None), e
        assert args.get('Bound') == (bounds.get(','.join(name for name, _ in of)) if of else None), e
        if args['Task Type'] == 'AI_CORE':
            moved = bytes[args['Stream Id'], args['Task Id'], round(e['dur'] * 1000)]
            assert (args['DDR Read(B)'], args['DDR Write(B)']) in moved, (e, moved)
        else:
            assert 'DDR Read(B)' not in args, e
        checked += 1
assert checked > 400, checked
END
}

@test "layers are shown by the last part of their path, with the whole one beside it" {
    sed -i 's/"conv1,conv1_relu"/"Default\/network-Net\/block\/conv1,Default\/network-Net\/block\/conv1_relu"/' \
        JOBX/data/*.layer.info
    run_msprof -q export timeline JOBX
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    grep -q '"name":"data,conv1,conv1_relu,pool1"' JOBX/timeline/msprof.json
    grep -q '"Op Name":"data,Default/network-Net/block/conv1,Default/network-Net/block/conv1_relu,pool1"' JOBX/timeline/msprof.json
    run_msprof -q export timeline JOBX --trace-compat --output compat
    grep -q '"name":"data,Default/network-Net/block/conv1,Default/network-Net/block/conv1_relu,pool1"' compat/timeline/task_time_0.detector.3.1.json
}

@test "--trace-compat leaves boards' timelines as they were: no facts of layers, arguments of calls, no file of the capture" {
    run_msprof -q export timeline JOBX --trace-compat
    expect_status 0
    [ ! -e JOBX/timeline/msprof.json ]
    run grep -lE '"(Op Name|Layer Type|Bound|DDR Read\(B\))":' JOBX/timeline/*.json
    expect_equal "$output" ""
    grep -q '"Mode":"model","Process_Id":' JOBX/timeline/msprof_0.detector.3.1.json
}

@test "calls of one name are one function in speedscope in the timelines of calls and tasks together" {
    run_msprof -q export timeline JOBX
    python3 - <<'END'
import glob
from timeline import frame_of, read_timeline
checked = 0
for path in glob.glob('JOBX/timeline/msprof*.json'):
    events = read_timeline(path).events
    hosts = {e['pid'] for e in events if e['name'] == 'process_name' and e['args']['name'].startswith('Host')}
    calls = [e for e in events if e['ph'] == 'X' and e['pid'] in hosts]
    assert all(frame_of(e) == e['name'] for e in calls), path
    checked += len(calls)
assert checked > 200, checked
END
}

# Streams of a board whose numbers a database is given: late ones, unknown ones, more than there can be, the same on both engines.
@test "streams that come late, are not known, are too many or the same on both engines keep threads of their own" {
    for under_way in 1 3; do # inferences at one time
        rm -rf JOBX made
        "$MSPROF_BUILD"/make-capture --output made --inferences 120 --streams "$under_way" --api-calls 0 >/dev/null 2>&1
        mv made/JOB* JOBX
        run_msprof -q import JOBX
        expect_status 0
        database=JOBX/sqlite/runtime.db
        python3 - "$database" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
count, = db.execute('SELECT count(*) FROM ai_core_task').fetchone()
for first, last, stream in ((0.5, 0.6, '5'), (0.6, 0.7, 'NULL'), (0.8, 1, 'id % 1500 + 10')):
    db.execute(f'UPDATE ai_core_task SET stream_id = {stream} WHERE id > {count * first} AND id <= {count * last}')
db.execute('UPDATE ai_cpu_task SET stream_id = 5 WHERE id % 2')
db.commit()
END
        run_msprof -q export timeline JOBX
        expect_status 0
        python3 "$BATS_TEST_DIRNAME/../lib/timeline.py" check JOBX/timeline/*.json
        python3 - "$database" "$under_way" JOBX/timeline/task_time_*.json <<'END'
import sqlite3, sys
from collections import Counter
from timeline import read_timeline
db = sqlite3.connect(sys.argv[1])
events = read_timeline(sys.argv[3]).events
drawn = [e for e in events if e['ph'] in 'Xi']
assert [e['ts'] for e in drawn] == sorted(e['ts'] for e in drawn)
wanted = Counter((kind, 'N/A' if stream is None else stream, task) for kind, table in (('AI_CORE', 'ai_core_task'), ('AI_CPU', 'ai_cpu_task'))
                 for stream, task in db.execute(f'SELECT stream_id, task_id FROM {table}'))
assert Counter((e['args']['Task Type'], e['args']['Stream Id'], e['args']['Task Id']) for e in drawn) == wanted
names = {e['tid']: e['args']['name'] for e in events if e['name'] == 'thread_name'}
assert len(names) == sum(e['name'] == 'thread_name' for e in events) and set(names) >= {e['tid'] for e in drawn}
assert len(set(names.values())) == len(names) and len(names) < 1100, len(names)
assert 'Stream N/A' in names.values() and 'Stream 5 AI_CPU' in names.values(), names
assert ('Other streams' in names.values()) == (sys.argv[2] == '1'), names # what overlaps is on the thread of its first task
engines = {}
for e in drawn:
    engines.setdefault(e['tid'], set()).add(e['args']['Task Type'])
assert all(len(kinds) == 1 for kinds in engines.values())
END
    done
}
