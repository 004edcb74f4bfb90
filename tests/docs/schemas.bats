#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The JSON Schemas that are installed describe every key of every JSON document that is written.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository and scratch; run_msprof sets status and stderr

load ../cli/common

setup() {
    enter_scratch
}

@test "every JSON document of the captures of testdata is valid by its schema, which has all its keys" {
    python3 -c 'import jsonschema' 2>/dev/null || {
        echo "python3-jsonschema is missing: tools/packages.sh test installs it" >&2
        return 1
    }
    mkdir captures documents
    copies=()
    for capture in resnet50/JOB* small/JOB* figures/*/JOB* cann/*/[JP]* opprof/OPPROF_20260101* opprof/OPPROF_20260102* frameworks/run_ascend_*; do
        copy=captures/${#copies[@]}/${capture##*/}
        mkdir -p "${copy%/*}"
        # shellcheck disable=SC2086 # its last part is a pattern
        cp -R "$repository"/testdata/$capture "${copy%/*}"
        copies+=("$(find "${copy%/*}" -mindepth 1 -maxdepth 1)")
    done
    chmod -R u+w captures
    printf 'cut' >>"${copies[0]}/data/aicore.0.1.1"
    : >"${copies[0]}/data/unknown"
    mkdir -p "$XDG_CONFIG_HOME/msprof/layouts"
    printf 'kind svp_pmu\nlayout mine\nsize 72\nendian big\nmagic offset 64 width 4 value 0x5a mask 0xff\ncolumn task_id offset 2 width 2 bits 0-5\n%s\n' \
        'icache_miss_rate icache_miss of icache_hit plus icache_miss scale 100' >"$XDG_CONFIG_HOME/msprof/layouts/mine.layout"
    python3 "$repository/tests/lib/validate_documents.py" "$MSPROF" "$repository/docs/schemas" documents "${copies[@]}" <<'END' >valid
{"task_trace": "on", "l2": "on", "aic_metrics": "PipeUtilization"}
{"task_trace": "maybe", "l3": "on"}
{"profiler": {"switch": "on", "output": "out", "aic_metrics": "ArithmeticUtilization"}}
{"profiler": {"aacpu": "on", "interval": 5, "aac_metrics": "ArithmeticUtilization"}}
{"profiler_level": "ProfilerLevel.Level1", "activities": ["CPU"], "aic_metrics": "AicMetrics.PipeUtilization"}
END
    cat valid >&2
}

@test "a key that a schema does not have, and one that is missing, are found" {
    copy_capture JOBX
    "$MSPROF" doctor JOBX --format json 2>/dev/null >sound.json
    jq -c '.captures[0].secret = 1' sound.json >more.json
    jq -c 'del(.locale.utf8)' sound.json >less.json
    for file in more less; do
        run python3 -c 'import json, jsonschema, sys
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))' "$repository/docs/schemas/doctor.1.json" "$file.json"
        [ "$status" -ne 0 ]
    done
    jq -e '.. | objects | select(.type? == "object" and has("properties")) | select(.additionalProperties != false)' "$repository"/docs/schemas/*.json && return 1
    true
}

@test "the schemas of documents that name their version are those that the program names" {
    "$MSPROF" doctor --format json | jq -r '.schemas.documents[]' | sed 's|msprof.\(.*\)/\(.*\)|\1.\2.json|' | sort >named
    (cd "$repository/docs/schemas" && grep -l '"const": "msprof\.' -- *.json) | sort >files
    cmp named files
    for file in "$repository"/docs/schemas/*.json; do
        name=$(basename "$file" .json)
        expect_contains "$(<"$repository/docs/schemas.md")" "\`docs/schemas/${file##*/}\`"
        expect_equal "$(jq -r '.["$id"]' "$file")" "urn:msprof:${name%.*}:${name##*.}"
    done
}

@test "the page of versions says those of the program" {
    for document in $("$MSPROF" doctor --format json | jq -r '.schemas.documents[]'); do
        expect_contains "$(<"$repository/docs/schemas.md")" "\`$document\`"
    done
    expect_contains "$(<"$repository/docs/schemas.md")" "\`PRAGMA user_version\`, $("$MSPROF" doctor --format json | jq .schemas.database) |"
}
