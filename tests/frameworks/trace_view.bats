#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The timeline of a framework's directory, trace_view.json: times, lanes of threads, arrows.

# shellcheck disable=SC2154 # common.bash sets repository and shared, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load run

@test "times are absolute texts as the frameworks write them, or numbers since the start" {
    needs_python
    copy_run ms
    run_msprof analyse run_ascend_ms --relative-times
    expect_status 0
    python3 - "$out/trace_view.json" <<'END'
import sys
from timeline import read_timeline
trace = read_timeline(sys.argv[1])
times = [e['ts'] for e in trace.events if 'ts' in e]
assert all(isinstance(t, (int, float)) for t in times) and 0 <= min(times) and max(times) < 1e7
assert all(isinstance(e['dur'], (int, float)) for e in trace.events if 'dur' in e)
END
}

# Makes every range of a framework end later, so that many overlap what follows in part.
end_later() {
    python3 - "$1" <<'END'
import os, struct, sys
# where the end stands behind the type and the length of a record, and how many ticks later it becomes
name, place, later = next(item for item in (('mindspore.op_range', 32, 1000), ('torch.op_range', 8, 1500))
                          if os.path.exists(sys.argv[1] + '/' + item[0]))
with open(sys.argv[1] + '/' + name, 'r+b') as stream:
    data, at = bytearray(stream.read()), 0
    while at + 6 <= len(data):
        start, end = struct.unpack_from('<QQ', data, at + 6 + place - 8)
        if 0 < start < end:
            struct.pack_into('<Q', data, at + 6 + place, end + later)
        at += 6 + struct.unpack_from('<I', data, at + 2)[0]
    stream.seek(0)
    stream.write(data)
END
}

@test "with relative times what overlaps on a framework's thread stands beside it, and arrows go with it" {
    needs_python
    for framework in ms pt; do
        copy_run "$framework"
        end_later "run_ascend_$framework/FRAMEWORK"
        run_msprof analyse "run_ascend_$framework" --output recorded
        expect_status 0
        run_msprof analyse "run_ascend_$framework" --output relative --relative-times
        expect_status 0
        python3 "$repository/tests/lib/timeline.py" check relative/ASCEND_PROFILER_OUTPUT/trace_view.json
        PYTHONPATH=$repository/tests/lib python3 - <<'END'
import collections
from timeline import load, overlaps

def read(name):
    events = load(name + '/ASCEND_PROFILER_OUTPUT/trace_view.json')[0]
    return events, [event for event in events if event.phase == 'X']

def names(events, slices):
    """The slices as recorded, and where arrows begin and end: in the innermost slice around that time."""
    threads = {e.thread: e.fields['args']['name'].split(' (')[0] for e in events if e.fields['name'] == 'thread_name'}
    bag, tracks, arrows = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
    for e in slices:
        bag[e.thread[0], threads[e.thread], e.fields['name'], e.duration_ns] += 1
        tracks[e.thread].append(e)
    for e in events:
        if e.phase in 'sf':
            around = [s for s in tracks[e.thread] if s.start_ns <= e.start_ns < s.start_ns + s.duration_ns]
            assert around, ('an arrow in no slice', e.fields)
            innermost = max(around, key=lambda s: (s.start_ns, -s.duration_ns))
            # a number of the tool's own style stands in the name, too
            name = e.fields['name'].removesuffix(str(e.fields['id'])) if e.fields['cat'] == 'HostToDevice' else e.fields['name']
            arrows[name, str(e.fields['id'])].append((e.phase, innermost.fields['name']))
    for (name, _), ends in arrows.items():  # the tool's own style has one beginning for all that a call launched
        begins = [place for phase, place in ends if phase == 's']
        assert len(begins) == 1 < len(ends), (name, ends)
        bag.update((name, begins[0], place) for phase, place in ends if phase == 'f')
    return bag

recorded, recorded_slices = read('recorded')
relative, slices = read('relative')
assert overlaps(recorded_slices, lambda e: e.start_ns, lambda e: e.start_ns + e.duration_ns) > 1
drawn = [names(recorded, recorded_slices), names(relative, slices)]
assert drawn[0] == drawn[1], list(((drawn[0] - drawn[1]) + (drawn[1] - drawn[0])).items())[:5]
further = {e.thread for e in relative if e.fields['name'] == 'thread_name'} - {
    e.thread for e in recorded if e.fields['name'] == 'thread_name'}
assert further & {e.thread for e in relative if e.phase in 'sf'}, 'no arrow went with a slice'
END
        rm -r recorded relative
    done
}

@test "without a capture relative times count from what the framework recorded first" {
    needs_python
    copy_run pt
    rm -r run_ascend_pt/PROF_*
    run_msprof analyse run_ascend_pt --relative-times
    expect_status 0
    python3 "$repository/tests/lib/timeline.py" check "$out/trace_view.json"
    python3 - "$out/trace_view.json" <<'END'
import sys
from timeline import read_timeline
trace = read_timeline(sys.argv[1])
times = [e['ts'] for e in trace.events if 'ts' in e]
assert min(times) == 0 and max(times) < 1e7, (min(times), max(times))
assert int(trace.facts['origin_ns' if trace.facts['clock'] == 'counter' else 'origin_unix_ns']) > 1e12
END
}
