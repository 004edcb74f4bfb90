#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Processes of timelines: each layer has its own.

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common

setup() {
    enter_scratch
    needs python3
}

# Prints, of each timeline of a capture, the number of processes; each has one name and one place, and a name of a
# device is that of one process.
processes() { # arguments of export timeline, then the capture
    rm -rf out
    run_msprof -q export timeline --stable-names --output out "$@"
    [ "$status" -eq 0 ] || expect_status 3
    python3 - <<'END'
from timeline import read_timeline
facts = {}
labels = {}
for e in read_timeline("out/mindstudio_profiler_output/msprof.json").events:
    if e.get("ph") == "M" and e["name"].startswith("process_"):
        facts.setdefault((e["pid"], e["name"]), []).append(str(e["args"]))
        labels.setdefault(e["pid"], []).append(str(e["args"]))
for fact, values in facts.items():
    assert len(values) == 1, (fact, values)
assert len({tuple(sorted(v)) for v in labels.values()}) == len(labels), labels
assert all(0 <= pid < 2 ** 53 for pid in labels)
print(len(labels), *sorted(values[0].split("'")[3] for fact, values in facts.items() if fact[1] == "process_name"))
END
}

@test "counters of voltages have a process of their own beside the analysis" {
    names=$(processes --reports all "$repository"/testdata/cann/system-910b/PROF_*)
    expect_contains "$names" "Analysis"
    expect_contains "$names" "Voltage Info"
}

@test "a process has one name, with all layers and as the vendor has them" {
    local capture
    for capture in "$repository"/testdata/cann/{prof-910a,prof-910b,system-910a,system-910b}/PROF_*; do
        processes --reports all "$capture" >/dev/null
        processes --trace-compat "$capture" >/dev/null
    done
}
