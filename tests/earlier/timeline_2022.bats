#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Timelines of captures of the layout of 2022, as viewers read them.

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

export_both() { # chip: ours/ and compat/ of a capture whose events overlap in part
    rm -rf PROF_1 ours compat
    python3 "$BATS_TEST_DIRNAME/../cann/lib/prof_2022.py" --overlapping PROF_1 "$1" "$((7 + $1))"
    run_msprof export timeline -dir PROF_1 --output ours
    expect_status 0
    run_msprof export timeline -dir PROF_1 --output compat --trace-compat
    expect_status 0
}

@test "slices of 2022 never overlap in part, by exact arithmetic or in doubles, and --trace-compat leaves them as they were" {
    for chip in 0 1; do
        export_both "$chip"
        expect_equal "$(find ours/timeline -name '*.json' | wc -l)" 7
        python3 "$repository/tests/lib/timeline.py" check ours/timeline/*.json
        # Slices that are to be kept apart are there, in every file.
        PYTHONPATH=$repository/tests/lib python3 - compat/timeline/*.json <<'END_OF_PYTHON'
import sys
import timeline

for path in sys.argv[1:]:
    slices = [event for event in timeline.load(path)[0] if event.phase == 'X']
    assert timeline.overlaps(slices, lambda e: e.start_ns, lambda e: e.start_ns + e.duration_ns) > 50, path
END_OF_PYTHON
    done
}

@test "timelines of 2022 and those of --trace-compat have the same slices and arrows" {
    for chip in 0 1; do
        export_both "$chip"
        PYTHONPATH=$repository/tests/lib python3 - <<'END_OF_PYTHON'
import collections
import glob
import timeline

def events_of(path):
    with open(path, encoding='utf-8') as file:
        events = timeline.events_of(file)
    result = collections.Counter()
    for event in events:
        if event['ph'] == 'M':
            continue
        instant = event['ph'] == 'i'
        duration = event['args']['Duration(us)'] if instant else event.get('dur')
        start = event['ts']
        if 'Start Time' in event.get('args', {}) and 'ai_stack_time' in path:  # compat has whole microseconds
            start, duration = event['args']['Start Time'], event['args']['Duration Time(ns)']
        elif 'ai_stack_time' in path and event['ph'] == 'X':  # of calls too, and ours have no arguments
            start, duration = int(start * 1000), int(duration * 1000)
        result[timeline.whole_name(event), 'X' if instant else event['ph'], start, duration, event.get('id')] += 1
    return result

for path in glob.glob('ours/timeline/*.json'):
    ours, compat = events_of(path), events_of(path.replace('ours', 'compat', 1))
    # An arrow that begins nowhere is only in the files of Ascend's tool.
    begun = {event[0:1] + event[4:] for event in compat if event[1] == 's'}
    compat = collections.Counter({event: count for event, count in compat.items()
                                  if event[1] != 'f' or event[0:1] + event[4:] in begun})
    assert ours and ours == compat, (path, list((ours - compat).items())[:3], list((compat - ours).items())[:3])
END_OF_PYTHON
    done
}
