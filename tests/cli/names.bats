#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Names from a capture may hold anything. Whatever they are, every JSON file must pass an independent parser as valid UTF-8,
# every CSV file must keep its columns, and no name may reach the terminal or a file name raw.
# bats file_tags=sanitized
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load common

setup() {
    enter_scratch
}

python() {
    PYTHONPATH=$repository/tests/lib python3 -c "from capture import *
$1"
}

# Reads every file that was made with Python's own parsers.
parse_all() {
    python3 - "$1" <<'END'
import csv, glob, json, sys
count = 0
for path in glob.glob(f"{sys.argv[1]}/timeline/*.json") + glob.glob(f"{sys.argv[1]}/summary/*.json"):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")  # strictly
    document = json.loads(text, parse_constant=lambda word: sys.exit(f"{path}: {word}"))
    if any(ord(c) < 32 and c != "\n" for c in text):
        sys.exit(f"{path}: a raw control character")
    if any(0xD800 <= ord(c) < 0xE000 for c in json.dumps(document, ensure_ascii=False)):
        sys.exit(f"{path}: a lone surrogate")
    count += 1
for path in glob.glob(f"{sys.argv[1]}/summary/*.csv"):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    if len({len(row) for row in rows}) != 1:
        sys.exit(f"{path}: rows of different lengths")
    count += 1
if count < 4:
    sys.exit(f"only {count} files")
END
}

export_everything() {
    for what in 'export timeline' 'export summary --format json' 'export summary --format csv' \
        'export summary --format json --columns vendor'; do
        # shellcheck disable=SC2086 # words of a command
        run_msprof $what -dir "$1"
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { printf '%s\n' "$stderr" >&2; return 1; }
    done
    run_msprof show -dir "$1"
    if [[ $output == *$'\e'* ]]; then
        echo "an escape sequence from a name" >&2
        return 1
    fi
}

@test "layer names, types and original names of any bytes" {
    python 'job = svp("JOBX")
table = [layer(i, 0, name, kind=name) for i, name in enumerate(HOSTILE)]
job.write("net.1.layer.info", table)'
    export_everything JOBX
    parse_all JOBX
}

@test "layer tables whose strings are no UTF-8" {
    python 'job = svp("JOBX")
job.write("net.1.layer.info", b"""[{"layer_id":0,"task_id":0,"name":"\xff\xfe\xc3(","type":"\xed\xa0\x80","ori_name":"\xf5\x80"},
{"layer_id":1,"task_id":1,"name":"\xe4\xba","type":"\x80\x80","ori_name":"ok"}]""")'
    export_everything JOBX
    parse_all JOBX
}

@test "names of API calls of any bytes" {
    python 'job = svp("JOBX")
names = [name.encode("utf-8", "surrogatepass")[:64] for name in HOSTILE] + [b"\xff\xfe\x80", bytes(range(1, 65)), b"\xe4\xba" * 32]
job.write("acl_api.0.net.1", [acl(name, 10 * i, 10 * i + 5) for i, name in enumerate(names)])'
    export_everything JOBX
    parse_all JOBX
}

@test "model names of any bytes, which also name the files" {
    python 'import itertools
job = svp("JOBX")
names = [b"a\nb", b"q\"uote", b"\xff\xfe", "人脸 v1.2".encode(), b"\x1b[31mred", b"back\\slash", b"-rf", b"..", b" ", b"%s%n", b"m" * 200]
for number, name in enumerate(names, 10):
    text = str(number).encode()
    job.write(b"acl_api.0." + name + b"." + text, [acl("call", 5, 9)])
    job.write(name + b"." + text + b".layer.info", [layer(0, 0)])
    job.write(b"aicore.0." + name + b"." + text + b".1.1.0.done", done(100))
job.write("aicore.0.1.1", [pmu(0, 600, model=number) for number in range(10, 10 + len(names))])'
    export_everything JOBX
    parse_all JOBX
    # Nothing was written anywhere else.
    expect_equal "$(find . -newer JOBX/info.json.0 -type f -not -path './JOBX/*')" ""
}

@test "operator names of any bytes in descriptions" {
    python 'job = ascend("JOBX")
names = [name.encode("utf-8", "surrogatepass").replace(b"\n", b"?").replace(b"\r", b"?") for name in HOSTILE] + [b"\xff\xfe", b"a b  c"]
names = [name for name in names if name.strip() and b"\0" not in name]
log, tasks, graph = [], b"", b""
for i, name in enumerate(names):
    log += [hwts(0, 2 * i, 3, 25000 + i, 100 * i), hwts(1, 2 * i + 1, 3, 25000 + i, 100 * i + 50)]
    tasks += name + b" 1 %d 9\n" % (25000 + i)
    graph += b"op_name:" + name + b" op_type:" + name.replace(b" ", b"_") + b" input_id:0 input_shape:\"2,\xff\"\n"
job.write("hwts.data.0.slice_0", log)
job.write("Framework.host.vm.task_desc_info.0.slice_0", tasks)
job.write("Framework.host.vm.graph_desc_info.0.slice_0", graph)'
    export_everything JOBX
    parse_all JOBX
}
