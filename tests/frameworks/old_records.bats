#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Records of older torch_npu: memory of 76 bytes, ranges of 57, names as texts of type 3. The same facts in an older form give
# the same tables.
# bats file_tags=once

# shellcheck disable=SC2154 # common.bash sets repository, run_msprof sets status, output and stderr
bats_require_minimum_version 1.5.0
load ../cli/common
load run

# The records of the directory as that version wrote them, or of one of its two files.
age() { # version, file
    python3 - run_ascend_pt/FRAMEWORK "$1" "${2-}" <<'END'
import struct, sys
folder, version, only = sys.argv[1:]
NUMBERS = {'2024-06': {2: 3, 3: 4, 4: 5, 8: 6, 9: 7, 10: 8}, '2024-09': {2: 3, 3: 4, 4: 5}, '2025-01': {}}[version]


def records(data):
    at = 0
    while at + 6 <= len(data):
        kind, length = struct.unpack_from('<HI', data, at)
        yield kind, data[at + 6:at + 6 + length]
        at += 6 + length


def frame(kind, value):
    return struct.pack('<HI', kind, len(value)) + value


def rewrite(name, change):
    with open(folder + '/' + name, 'rb') as file:
        data = file.read()
    with open(folder + '/' + name, 'wb') as file:
        file.write(b''.join(frame(kind, change(value)) for kind, value in records(data)))


def op_range(value):
    fixed = value[:56] + value[57:58] if version == '2024-06' else value[:58]
    return fixed + b''.join(frame(NUMBERS.get(kind, kind), text) for kind, text in records(value[58:]))


if only != 'torch.memory_usage':
    rewrite('torch.op_range', op_range)
if only != 'torch.op_range':
    rewrite('torch.memory_usage', lambda value: value[:58] + value[59:])
END
}

@test "records of torch_npu of 2024 and of early 2025 give the tables of today's" {
    local version table
    needs_python
    copy_run pt
    run_msprof analyse run_ascend_pt
    expect_status 0
    mv run_ascend_pt today
    for version in 2024-06 2024-09 2025-01; do
        rm -rf run_ascend_pt
        copy_run pt
        age $version
        run_msprof analyse run_ascend_pt
        expect_status 0
        for table in today/ASCEND_PROFILER_OUTPUT/*.csv; do
            [ "$(wc -l <"$table")" -gt 1 ]
            cmp "$table" "$out/$(basename "$table")"
        done
        [ "$(grep -o '"name":"[^"]*"' "$out/trace_view.json" | sort | uniq -c | md5sum)" = \
            "$(grep -o '"name":"[^"]*"' today/ASCEND_PROFILER_OUTPUT/trace_view.json | sort | uniq -c | md5sum)" ]
    done
}

@test "so does one of the two files by itself, and a warm-up with them" {
    local version file table late
    needs_python
    for late in 0 1150; do
        for version in today 2024-06,torch.op_range 2024-09,torch.op_range 2025-01,torch.memory_usage 2024-06,both; do
            rm -rf run_ascend_pt
            copy_run pt
            file=${version#*,}
            [ "$version" = today ] || age "${version%,*}" "$file"
            python3 - "$late" <<'END'
import glob, json, sys
for path in glob.glob('run_ascend_pt/PROF_*/*/start_info*'):
    with open(path, encoding='utf-8') as stream:
        start = json.load(stream)
    start['collectionTimeBegin'] = str(int(start['collectionTimeBegin']) + int(sys.argv[1]))
    start['clockMonotonicRaw'] = str(int(start['clockMonotonicRaw']) + 1000 * int(sys.argv[1]))
    with open(path, 'w', encoding='utf-8') as stream:
        json.dump(start, stream)
END
            run_msprof -q analyse run_ascend_pt
            expect_status 0
            if [ "$version" = today ]; then
                rm -rf today && mv "$out" today
                continue
            fi
            for table in today/*.csv; do
                cmp "$table" "$out/$(basename "$table")"
            done
        done
    done
}

@test "a length that no layout has is told with those that there are, and without the advice to copy again" {
    needs_python
    copy_run pt
    python3 - run_ascend_pt/FRAMEWORK/torch.memory_usage <<'END'
import struct, sys
data = open(sys.argv[1], 'rb').read()
kind, length = struct.unpack_from('<HI', data)
with open(sys.argv[1], 'wb') as file:
    file.write(struct.pack('<HI', kind, 70) + data[6:76] + data[6 + length:])
END
    run_msprof analyse run_ascend_pt
    expect_status 3
    told=$(grep memory_usage <<<"$stderr")
    expect_contains "$told" "70 bytes"
    expect_contains "$told" "76"
    expect_contains "$told" "77"
    expect_not_contains "$told" "copy"
}

@test "ids of arrows stay below 2^53 in every timeline, and are as many for a viewer that calculates in doubles" {
    local kind words
    needs_python
    for kind in pt ms; do
        for words in '' '--relative-times'; do
            rm -rf run_ascend_$kind
            copy_run $kind
            # shellcheck disable=SC2086 # no option, or one
            run_msprof analyse run_ascend_$kind $words
            python3 - "$out/trace_view.json" run_ascend_$kind/ASCEND_PROFILER_OUTPUT/*.json <<'END'
import json, sys
for path in sys.argv[1:]:
    try:
        document = json.load(open(path, encoding='utf-8'))
    except ValueError:
        continue
    events = document if isinstance(document, list) else []
    ids = {(event.get('cat'), int(event['id'])) for event in events if isinstance(event, dict) and event.get('ph') in ('s', 't', 'f')}
    assert all(number < 1 << 53 for _, number in ids), (path, max(ids))
    assert len({(cat, float(number)) for cat, number in ids}) == len(ids), path
    if path.endswith('trace_view.json'):
        assert ids
END
        done
    done
    copy_family prof-910b PROF_1
    for words in '' --trace-compat; do
        # shellcheck disable=SC2086 # likewise
        run_msprof export timeline -dir PROF_1 --stable-names --output out $words
        python3 - <<'END'
import json
document = json.load(open('out/mindstudio_profiler_output/msprof.json', encoding='utf-8'))
ids = [int(event['id']) for event in document if event['ph'] in 'sf']
assert ids and max(ids) < 1 << 53, max(ids)
END
    done
}
