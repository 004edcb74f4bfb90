#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Timelines that travel: Perfetto's format says what the JSON says, and a timeline can be had in parts.
# bats file_tags=sanitized

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load common

setup() {
    enter_scratch
    needs python3
}

# Writes the timelines of captures in three formats, with the layers that they have by default, and compares them.
same_events() { # ARGUMENTS...
    local format file name count=0
    rm -rf json pftrace pftrace-raw
    for format in json pftrace pftrace-raw; do
        run_msprof -q export timeline "$@" --output "$format" --format "$format"
        [ "$status" -eq 0 ] || expect_status 3
        while IFS= read -r file; do # names of merged timelines have the time in them
            mv "$file" "$(sed -E 's/_[0-9]{14}\././' <<<"$file")"
        done < <(find "$format" -name '*_2[0-9]*.*' -path '*mindstudio*')
    done
    while IFS= read -r file; do
        name=${file#json/}
        for format in pftrace pftrace-raw; do
            python3 "$repository/tests/cli/pftrace.py" "$repository/docs/formats/perfetto.proto" "$file" \
                "$format/${name%.json}.pftrace"
            count=$((count + 1))
        done
    done < <(find json -name '*.json' ! -path '*/log/*')
    [ "$count" -gt 0 ]
}

@test "Perfetto's format has the events of the JSON, of captures of boards" {
    needs_protoc
    for capture in "$repository"/testdata/{small,resnet50}/JOB*; do
        same_events --collection-dir "$capture" --stable-names
    done
}

@test "Perfetto's format has the events of the JSON, of captures of every era of Ascend's cards" {
    needs_protoc
    for capture in "$repository"/testdata/cann/*/{PROF,JOB}*; do
        [ -d "$capture" ] || continue
        same_events --collection-dir "$capture" --stable-names
    done
}

@test "Perfetto's format has the events of the JSON, of captures of frameworks" {
    needs_protoc
    for capture in "$repository"/testdata/frameworks/*_ascend_*; do
        same_events --collection-dir "$capture" --stable-names
    done
}

@test "Perfetto's format has the events of the JSON, of several captures in one timeline" {
    needs_protoc
    cp -r "$repository"/testdata/cann/prof-910b/PROF_* PROF_1
    cp -r "$repository"/testdata/cann/system-910b/PROF_* PROF_2
    same_events --merge PROF_1 PROF_2
}

@test "names of any bytes are the same in both formats" {
    needs_protoc
    python3 - "$repository/tests/cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import *
p = Prof("PROF_1")
for number, name in enumerate(['a"b\\c', "</script>", "\u2028 x", "Z" * 70000, "tab\tnew\nline", "\u202eturned", "\U0001f600"]):
    p.launch(number, 2, number + 1, name)
    p.ran(10000 * (number + 1), 10000 * (number + 1) + 500, 2, number + 1)
p.write()
END
    same_events PROF_1 --stable-names
}

@test "more texts than are kept are the same in both formats" {
    needs_protoc
    python3 - "$repository/tests/cann/lib" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from prof import *
p = Prof("PROF_1")
for number in range(150):
    p.launch(number, 2, number + 1, f"{number} " + chr(97 + number % 26) * 70000)
    p.ran(10000 * (number + 1), 10000 * (number + 1) + 500, 2, number + 1)
p.write()
END
    same_events PROF_1 --stable-names
}

@test "Perfetto's format is at most a third of the JSON, and compressed less than the JSON's gzip" {
    "$repository"/build/release/make-capture --output captures --seed 3 >/dev/null
    for format in json json.gz pftrace pftrace-raw; do
        run_msprof -q export timeline captures/JOB* --output "$format" --format "$format"
        expect_status 0
    done
    # shellcheck disable=SC2012
    python3 - <<'END'
import glob, os
def size(path):
    return os.path.getsize(path)
for path in glob.glob("json/timeline/msprof_*.json"):
    stem = os.path.basename(path)[: -len(".json")]
    json, gz = size(path), size(f"json.gz/timeline/{stem}.json.gz")
    raw, packed = size(f"pftrace-raw/timeline/{stem}.pftrace"), size(f"pftrace/timeline/{stem}.pftrace")
    print(stem, json, gz, raw, packed)
    assert raw * 3 <= json and packed < gz
END
}

@test "the compressed JSON is the JSON" {
    copy_capture
    run_msprof export timeline JOBX --output plain
    expect_status 0
    run_msprof export timeline JOBX --output packed --format json.gz
    expect_status 0
    for file in plain/timeline/*.json; do
        gzip -dc "packed/timeline/$(basename "$file").gz" | cmp - "$file"
    done
}

@test "the compressed JSON is gzip of level 2, which takes half the time of level 6" {
    copy_capture
    for format in json json.gz; do
        run_msprof export timeline JOBX --output "$format" --format "$format"
        expect_status 0
    done
    python3 - json/timeline/msprof_0.resnet50.6.1.json json.gz/timeline/msprof_0.resnet50.6.1.json.gz <<'END'
import sys, zlib
plain, packed = (open(path, "rb").read() for path in sys.argv[1:])
def made_by(level):
    deflate = zlib.compressobj(level, zlib.DEFLATED, -15)
    return deflate.compress(plain) + deflate.flush(zlib.Z_SYNC_FLUSH)
assert len(plain) < 500000, len(plain) # one block
assert made_by(2) in packed and made_by(6) not in packed
END
}

@test "--trace-compat has no other format than the vendor's, and no parts" {
    copy_capture
    run_msprof export timeline JOBX --trace-compat --format pftrace
    expect_status 2
    run_msprof export timeline JOBX --trace-compat --split time=1s
    expect_status 2
    run_msprof export timeline JOBX --trace-compat --from 1s
    expect_status 2
    [ ! -e JOBX/timeline ]
}

@test "times and parts that are none are refused" {
    copy_capture
    for words in "--from 1" "--from -1s" "--from 1.5.2s" "--until 0s" "--from 2s --until 1s" "--until 99999999999999s" \
        "--split time=0s" "--split size=10" "--split days=1" "--split time" "--split time=0.1ns"; do
        # shellcheck disable=SC2086
        run_msprof export timeline JOBX $words
        expect_status 2
    done
    run_msprof export timeline JOBX --split time=1ns
    expect_status 2
    [[ $stderr == *"more than 1000 parts"* ]]
    [ -z "$(ls JOBX/timeline)" ]
}

# Compares parts with the whole: the events of all parts are those of the whole, each in the part where it begins.
cat_parts() {
    python3 - "$@" <<'END'
import collections, glob, json, sys
from timeline import read_timeline
whole = read_timeline("whole/timeline/msprof_0.resnet50.6.1.json")
def events(document):
    return collections.Counter(json.dumps(event, sort_keys=True) for event in document.events if event["ph"] != "M")
parts, ends = collections.Counter(), None
paths = sorted(glob.glob("parts/timeline/msprof_*_part_*.json"))
assert len(paths) >= int(sys.argv[1]), paths
for path in paths:
    part = read_timeline(path)
    assert part.facts == whole.facts
    metadata = [event for event in part.events if event["ph"] == "M"]
    assert metadata == [event for event in whole.events if event["ph"] == "M"]
    times = [event["ts"] for event in part.events if event["ph"] != "M"]
    assert ends is None or min(times) >= ends, "parts follow each other"
    ends = max(times)
    parts += events(part)
assert parts == events(whole)
END
}

@test "parts by time, by size and by step hold every event once" {
    copy_capture
    run_msprof export timeline JOBX --output whole
    expect_status 0
    for split in time=10ms size=30KB iteration; do
        rm -rf parts
        run_msprof export timeline JOBX --output parts --split "$split"
        expect_status 0
        cat_parts 2
    done
    for format in json pftrace; do
        run_msprof export timeline JOBX --output $format --split iteration --format $format
        expect_status 0
    done
    expect_equal "$(cd pftrace/timeline && echo ./*)" "$(cd json/timeline && echo ./* | sed 's/json\>/pftrace/g')"
    for file in json/timeline/msprof_*_part_*.json; do
        file=${file##*/}
        ! command -v protoc >/dev/null || python3 "$repository/tests/cli/pftrace.py" "$repository/docs/formats/perfetto.proto" \
            "json/timeline/$file" "pftrace/timeline/${file%.json}.pftrace"
    done
    rm -rf parts
    run_msprof export timeline JOBX --output parts --split size=30KB
    for file in parts/timeline/*.json; do
        [ "$(stat -c %s "$file")" -le 30720 ]
    done
}

@test "a capture without steps that is to be split by them is status 4, and nothing is written" {
    run_msprof export timeline "$repository"/testdata/cann/system-910b/PROF_* --output parts --split iteration
    expect_status 4
    expect_contains "$stderr" "it has no iterations or steps to split at"
    [ -z "$(find parts -name '*_part_*')" ]
}

@test "--from and --until keep what is there between them, and the whole is the whole" {
    copy_capture
    run_msprof export timeline JOBX --output whole
    run_msprof export timeline JOBX --output same --from 0s --until 1000s
    expect_status 0
    cmp whole/timeline/msprof_0.resnet50.6.1.json same/timeline/msprof_0.resnet50.6.1.json
    run_msprof export timeline JOBX --output some --from 321ms --until 322.5ms
    expect_status 0
    python3 - <<'END'
from timeline import read_timeline
def events(path):
    return [event for event in read_timeline(path + "/timeline/msprof_0.resnet50.6.1.json").events if event["ph"] != "M"]
wanted = [e for e in events("whole") if e["ts"] < 322500 and (e["ts"] >= 321000 or e["ts"] + e.get("dur", 0) > 321000)]
assert events("some") == wanted and wanted
END
    run_msprof export timeline JOBX --output none --from 900s
    expect_status 4
    [[ $stderr == *"no event between --from and --until"* ]]
    run_msprof export timeline JOBX --output none --from 900s --split time=1s --format pftrace
    expect_status 4
    [ -z "$(ls none/timeline)" ]
}

@test "a timeline that cannot be written leaves nothing, in every format" {
    copy_capture
    run_msprof import JOBX
    for format in json.gz pftrace pftrace-raw; do
        run_msprof export timeline JOBX --output out --format "$format"
        expect_status 0
        rm -rf out/timeline/*
        mkdir "out/timeline/task_time_0.resnet50.6.1.${format%-raw}"
        run_msprof export timeline JOBX --output out --format "$format"
        expect_status 1
        [[ $stderr == *"it is a directory"* ]]
        rm -rf out
    done
}
