#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Timelines in the format of speedscope: the slices of the JSON, thread by thread, a symbol for each name.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets stderr

load common

setup() {
    enter_scratch
    needs python3
}

# Compares each file of speedscope/ with the JSON of json/: form, nesting, and the slices of each thread.
compare_formats() {
    python3 - <<'END'
import glob, json, os
from collections import Counter
from timeline import read_timeline

def of_json(path):
    names, threads, labels, slices = {}, {}, {}, {}
    for event in read_timeline(path).events:
        place = (event['pid'], event.get('tid'))
        if event['name'] == 'process_name':
            names[event['pid']] = event['args']['name']
        elif event['name'] == 'process_labels':
            labels[event['pid']] = ' ' + event['args']['labels']
        elif event['name'] == 'thread_name':
            threads[place] = event['args']['name']
        elif event['ph'] == 'X':
            start = round(event['ts'] * 1000)
            slices.setdefault(place, Counter())[event['name'], start, round((event['ts'] + event['dur']) * 1000)] += 1
    titles = Counter()
    for pid, tid in slices:
        titles[names[pid] + labels.get(pid, '') + ', ' + threads.get((pid, tid), str(tid))] += 1
    return titles, sum(slices.values(), Counter())

def of_speedscope(path):
    with open(path, encoding='utf-8') as file:
        document = json.load(file)
    assert document['$schema'] == 'https://www.speedscope.app/file-format-schema.json'
    frames = [frame['name'] for frame in document['shared']['frames']]
    assert len(set(frames)) == len(frames)
    titles, slices = Counter(), Counter()
    for profile in document['profiles']:
        assert profile['type'] == 'evented' and profile['unit'] == 'nanoseconds'
        titles[profile['name']] += 1
        open_slices, now = [], profile['startValue']
        for event in profile['events']:
            assert now <= event['at'] <= profile['endValue'], event
            now = event['at']
            if event['type'] == 'O':
                open_slices.append((event['frame'], now))
            else:
                frame, start = open_slices.pop()
                assert frame == event['frame'], 'closed is what was opened last'
                slices[frames[frame], start, now] += 1
        assert not open_slices and now == profile['endValue']
    return titles, slices

paths = glob.glob('speedscope/**/*.speedscope.json', recursive=True)
assert paths
for path in paths:
    twin = path.replace('speedscope/', 'json/', 1).replace('.speedscope.json', '.json')
    wanted, found = of_json(twin), of_speedscope(path)
    missing = [threads for threads in wanted[0] if threads not in found[0]]
    assert not missing, (path, missing)
    assert not wanted[1] - found[1], (path, list((wanted[1] - found[1]).items())[:5])
print(len(paths))
END
}

@test "every slice of the JSON is in speedscope's format, on its thread, nested, with its name as the symbol" {
    copy_capture JOBX
    cp -r "$repository"/testdata/small/JOB* JOBMANY
    chmod -R u+w JOBMANY
    for family in system-910b prof-910a 2022-310 job-910a; do
        copy_family "$family" "PROF_$family"
    done
    for capture in JOBX JOBMANY PROF_*; do
        run_msprof -q export timeline "$capture" --output "json/$capture" --stable-names
        expect_status 0
        run_msprof -q export timeline "$capture" --output "speedscope/$capture" --stable-names --format speedscope
        expect_status 0
    done
    compare_formats
}

@test "an export in one format leaves the other's files" {
    copy_capture JOBX
    run_msprof -q export timeline JOBX --format speedscope
    expect_status 0
    cp -r JOBX/timeline first
    run_msprof -q export timeline JOBX
    expect_status 0
    for file in first/*; do
        cmp "$file" "JOBX/timeline/${file##*/}"
    done
    run_msprof -q export timeline JOBX --format speedscope --from 321ms --until 322.5ms
    expect_status 0
    [ "$(stat -c %s JOBX/timeline/msprof_0.resnet50.6.1.speedscope.json)" -lt "$(stat -c %s first/msprof_0.resnet50.6.1.speedscope.json)" ]
    [ -e JOBX/timeline/msprof_0.resnet50.6.1.json ]
}

@test "parts are files of their own, and --trace-compat is JSON alone" {
    copy_capture JOBX
    run_msprof -q export timeline JOBX --format speedscope --split time=10ms --output parts
    expect_status 0
    [ "$(find parts -name 'msprof_*_part_*.speedscope.json' | wc -l)" -gt 1 ]
    run_msprof export timeline JOBX --format speedscope --trace-compat
    expect_status 2
    expect_contains "$stderr" "--trace-compat writes JSON"
}
