#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the first inputs of the fuzz targets into tests/fuzz/corpus/: sound files of every kind, and some damage."""
import glob
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "lib"))
from capture import acl, aicpu, done, hwts, layer, pmu  # noqa: E402
sys.path.insert(0, os.path.join(here, "..", "cann", "lib"))
from prof import ACL, Prof  # noqa: E402
from operator_records import encode, encode_names  # noqa: E402
sys.path.insert(0, os.path.join(here, "..", "opprof", "lib"))
import plant  # noqa: E402

SOURCE = os.path.join(here, "..", "..")


def kinds_of_files():
    """In the order of the names of the files below parsers/kinds/ and features/*/kinds/, those that files can be of."""
    kinds = []
    paths = [path for where in ("parsers/kinds/*", "features/*/kinds")
             for path in glob.glob(os.path.join(SOURCE, where, "*.c"))]
    for path in sorted(paths, key=os.path.basename):
        with open(path) as file:
            if re.search(r"\.patterns =|^    \w+_RECORD\(|^(METRIC|PLAIN)_KIND\(", file.read(), re.MULTILINE):
                kinds.append(os.path.basename(path)[:-2])
    return kinds


KINDS = kinds_of_files()


def typed_record(path):
    """The bytes of a record typed by hand."""
    with open(path) as file:
        lines = [line.split("#")[0].split(":", 1)[1] for line in file if re.match(r"[0-9]+:", line)]
    return bytes.fromhex("".join(lines))


def typed_text(kind):
    """The texts of a kind, one behind the other."""
    text = b""
    for path in sorted(glob.glob(os.path.join(SOURCE, "testdata", "kinds", kind, "*.text"))):
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
        begin = lines.index(b"text") + 1
        end = next(number for number, line in enumerate(lines) if line.startswith(b"rows "))
        text += b"".join(line + b"\n" for line in lines[begin:end])
    return text


def put(target, name, content):
    path = os.path.join(here, "corpus", target, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


calls = b"".join(acl(f"call{i}", 10 * i, 10 * i + 5) for i in range(4))
cpu = b"".join(aicpu(i, 10 * i, 10 * i + 5) for i in range(3))
log = b"".join(hwts(i & 1, i, 3, 25000 + i // 2, 100 * i) for i in range(6))
tasks = b"".join(pmu(i, 600 * i, pic=i // 2) for i in range(4))
graph = ('op_name:a/b-op1 op_type:Mul input_id:0 input_format:NCHW input_data_type:40 input_shape:"2,3" '
         'input_id:1 output_id:0 output_format:NCHW output_data_type:7 output_shape:""\n')
layers = json.dumps([layer(0, 0), layer(1, 0, 'q"u\u2028', "NMS", "AI_CPU"), layer(2, 70000)])
descriptions = "a/b-op1 1 25000 9\nc d 2 25001 9\n"
contents = {"acl_call": calls, "aicpu_task": cpu, "graph_desc": graph.encode(), "hwts": log, "layer": layers.encode(),
            "svp_pmu": tasks, "task_desc": descriptions.encode()}
for kind in KINDS:
    records = [typed_record(path) for path in sorted(glob.glob(os.path.join(SOURCE, "testdata", "kinds", kind, "*.hex")))]
    contents.setdefault(kind, b"".join(records * 3) + typed_text(kind))
contents["hash_dic"] = contents["framework_hash"] = b"12:MatMul\n18446744073709551615:Add\n99999999999999999999:x\n7\n"
contents["type_info_dic"] = b"5000_802:task_track\n20000_327681:aclnnAdd\n70000_1:x\n1_:y\n"

for number, kind in enumerate(KINDS):
    content = contents[kind]
    put("decode", f"{kind}_whole", bytes([number, 0]) + content)
    put("decode", f"{kind}_slices", bytes([number, 2 | 20 << 2]) + content)
    put("decode", f"{kind}_cut", bytes([number, 0]) + content[:-7])
    put("decode", f"{kind}_inserted", bytes([number, 0]) + content[:150] + b"xyz" + content[150:])
    put("decode", f"{kind}_removed", bytes([number, 0]) + content[:150] + content[155:])
    put("decode", f"{kind}_joined", bytes([number, 3]) + content)
for path in sorted(glob.glob(os.path.join(SOURCE, "testdata", "kinds", "msproftx", "*.hex"))):  # one layout a stream
    record = typed_record(path)
    put("decode", "msproftx_" + os.path.basename(path)[:-4], bytes([KINDS.index("msproftx"), 3]) + record * 5 + record[:9])
put("decode", "acl_call_magics", bytes([KINDS.index("acl_call"), 0]) + b"\0\0" + calls[2:] + calls.replace(b"ZZ", b"YY", 1))
put("decode", "svp_pmu_counters", bytes([KINDS.index("svp_pmu"), 0]) + pmu(1, 2**63) + pmu(2, 1, counters=(2**62,) * 8) + pmu(3, 2**53))
put("decode", "hwts_gap", bytes([KINDS.index("hwts"), 0]) + hwts(1, 15, 1, 1, 5) + hwts(0, 0, 1, 1, 9) + hwts(1, 7, 1, 1, 4))


# ---- reports of users, of fuzz_reports.c ----

put("reports", "calls", "report calls\ntitle Calls\ndoc How long each is.\ncolumn Name\ncolumn \"Time (us)\" scaled 3\n"
    "column Share fixed 2\nsql\nSELECT name, end_ns - start_ns, ratio(1, 3) FROM acl_call ORDER BY 2\n")
put("reports", "forms", "report forms\ncolumn a text\ncolumn b number\ncolumn c shortest 2\ncolumn d float\ncolumn e time\n"
    "column f name\ncolumn g unsigned\nsql\nSELECT 1, -2, 0.125, 1e300, 1735689600000000000, 1, -1 UNION ALL "
    "SELECT NULL, 'x', x'1b5b', 9223372036854775807, quantize(1.25, 1), setting('DeviceInfo'), chip(0);\n")
put("reports", "control_characters", "report texts\ncolumn t\nsql\nSELECT char(27) || '[31m' || char(127, 155, 8238, 10, 0)\n")
put("reports", "endless", "report endless\ncolumn i number\nsql\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT sum(i) FROM n\n")
put("reports", "writes", "report writes\ncolumn i\nsql\nDELETE FROM acl_call RETURNING 1\n")
put("reports", "title", "report title\ntitle \033[31mred\ncolumn \"\302\233\"\nsql\nSELECT 1\n")


# ---- the records of fuzz_association.c: a byte for the kind, then what its function takes ----


def call(level, begin, length, kind=0, thread=0, item=0, half=False):
    levels = (20000, 15000, 10000, 5500, 5000, 7)
    choice = next(n for n in range(64) if n % 6 == levels.index(level) and n >> 3 & 1 == (kind & 1 if kind != 5 else 0)
                  and n >> 4 & 3 == thread)
    if kind == 5 or half:  # the bits change the level, too
        wanted = (64 if kind == 5 else 0) | (128 if half else 0)
        choice = next(n for n in range(256) if n & 192 == wanted and n % 6 == levels.index(level) and n >> 4 & 3 == thread)
    return bytes([0, choice, begin, length, item])


def host(kind, time, *rest, thread=0, long=False):
    return bytes([kind, thread, 1 if long else 0, time, *rest])


def launch(begin, stream, task, name=1, kernel=0, batch=0, device=0, thread=0):
    return (call(10000, begin, 20, 5, thread, name) + call(5000, begin + 2, 10, 0, thread) +
            host(6, begin + 5, device | stream << 1 | kernel << 3, task | batch << 6, thread=thread) +
            host(2, begin + 19, name, 4, thread=thread) + host(3, begin + 19, name | 2 << 3, thread=thread))


def ran(begin, end, stream, task, device=0, part=None):
    choice, numbers = (2 if part is not None else 0) | stream << 2 | device << 7, task | (part or 0) << 4
    return bytes([9, choice, numbers, begin, 9, choice | 1, numbers, end])


def counters(time, stream, task, parts=0, part=0, block=0, device=0):
    return bytes([12, block | stream << 2 | device << 7, task | part << 4, parts, time])


def flip(time, stream, number, device=0):
    return bytes([14, stream | number << 2 | device << 7, time])


streams = launch(1, 1, 1) + launch(30, 2, 1, name=2, thread=1) + ran(60, 70, 1, 1) + ran(65, 80, 2, 1) + counters(60, 1, 1)
put("association", "launches", streams)
put("association", "devices", launch(1, 1, 1) + launch(30, 1, 1, device=1) + ran(60, 70, 1, 1) + ran(60, 70, 1, 1, device=1))
put("association", "flips", launch(1, 1, 1) + host(6, 40, 1 << 1 | 6 << 3, 1 << 6) + launch(50, 1, 1, batch=1) + ran(80, 85, 1, 1)
    + flip(90, 1, 1) + ran(95, 99, 1, 1) + bytes([14, 1 | 64, 110]) + ran(120, 125, 1, 1))
put("association", "parts", launch(1, 1, 1, kernel=5) + host(5, 20, 1 | 2 << 3) + ran(60, 90, 1, 1) + ran(61, 70, 1, 1, part=1)
    + ran(70, 80, 1, 1, part=2) + counters(61, 1, 1, 64 | 6, part=1) + counters(62, 1, 1, 64 | 6, part=1, block=1 | 16))
put("association", "models", call(15000, 1, 100, item=7) + launch(5, 1, 1) + host(8, 110, 1 << 1 | 3 << 4) + launch(120, 1, 2)
    + ran(160, 170, 1, 1) + ran(180, 190, 1, 2))
put("association", "overlapping", call(20000, 1, 50) + call(10000, 30, 50, 5) + call(5000, 40, 100) + host(6, 45, 2, 1) + ran(60, 70, 1, 1))
put("association", "halves", call(20000, 1, 0, half=True) + launch(5, 1, 1) + call(20000, 60, 0, half=True) + ran(60, 70, 1, 1))
put("association", "early", launch(100, 1, 1) + ran(1, 2, 1, 1) + counters(1, 1, 1) + bytes([15, 129, 3, 255]))

put("association", "undescribed", call(10000, 1, 20, 5, 0, 1) + call(5000, 3, 10) + host(6, 6, 1 << 1, 1) + ran(60, 70, 1, 1))

info = '{"DeviceInfo": [{"id": 0, "aic_frequency": "600", "hwts_frequency": "38.4"}]}'
mark = done(5, 9, 128, icache_hit=7, icache_miss=1)
for name, which, text in (
    ("info", 0, info), ("info_types", 0, '{"DeviceInfo":[{"id":-1},{"aic_frequency":{}},7,null,{"aic_frequency":1e99}]}'),
    ("info_cut", 0, info[:40]), ("net", 1, '{"model_name":"m","model_id":32,"batch_num":1}'), ("net_type", 1, '{"batch_num":"x"}'),
    ("done", 2, mark), ("done_lines", 2, " starttime : 9 \nendtime  :4\r\n:\n\nx\nicache_hit:-1\nfilesize:99999999999999999999"),
    ("layers", 3, layers), ("layers_cut", 3, layers[:-9]), ("layers_types", 3, '[1,{},{"layer_id":1},{"layer_id":0,"task_id":0}]'),
    ("host", 4, "[Device0]\nclock_realtime: 5\n"),
):
    put("info", name, bytes([which]) + text.encode())

ACL_LAYOUT = ('kind acl_call\nlayout other # comment\nsource "a test"\nsize 40\nendian big\nmagic offset 0 width 2 value 0x1234\n'
              "column start_ns offset 8 width 8\ncolumn end_ns offset 16 width 8 scale 1000 1\n"
              "column name offset 24 width 16\ncolumn api_type offset 2 width 1 bits 0-3\n")
PMU_LAYOUT = ("kind svp_pmu\nlayout small\nsize 12\ncolumn task_id offset 0 width 2 signed\n"
              "column total_cycle offset 4 width 8\nlayout second\nsize 3\ncolumn stream_id offset 0 width 3\n")
put("layout", "acl_big_endian", ACL_LAYOUT.encode() + b"---\n" + (b"\x12\x34" + bytes(range(38))) * 3)
put("layout", "pmu_without_magic", PMU_LAYOUT.encode() + b"---\n" + bytes(range(60)))
put("layout", "unknown_words", "kind hwtz\nlayout x\nsize 1\n")
put("layout", "outside", "kind hwts\nlayout x\nsize 8\ncolumn tick offset 4 width 8\n")


def named(name):
    raw = os.fsencode(name) if isinstance(name, str) else name
    assert len(raw) < 96, name
    return bytes([len(raw)]) + raw


def entry(kind, name, content):
    """kind: 0 file in data/, 8 file beside it, 5 link, 6 pipe, 7 directory."""
    raw = content.encode() if isinstance(content, str) else content
    if len(raw) > 255:
        kind |= 16
        raw = raw.ljust((len(raw) + 15) // 16 * 16, b"\0")
        length = len(raw) // 16
    else:
        length = len(raw)
    return bytes([kind]) + named(name) + bytes([length]) + raw


whole = bytes([0]) + entry(8, "info.json.0", info) + entry(0, "aicore.0.1.1", tasks) + entry(0, "aicore.0.net.1.1.1.0.done", mark) + entry(0, "aicpu.0.net.1.1.1.0", cpu) + entry(0, "acl_api.0.net.1", calls) + entry(0, "net.1.layer.info", layers)
put("capture", "svp", whole)
put("capture", "ascend", bytes([0]) + entry(0, "hwts.data.0.slice_0", log[:128]) + entry(0, "hwts.data.0.slice_1", log[128:]) + entry(0, "Framework.host.vm.task_desc_info.0.slice_0", descriptions) + entry(0, "Framework.host.vm.graph_desc_info.0.slice_0", graph))
put("capture", "links", bytes([1]) + entry(0, "aicore.0.1.1", tasks) + entry(5, "AAcore.0.1.1", "aicore.0.1.1") + entry(5, "acl_api.0.net.1.done", "/etc/passwd") + entry(6, "aicpu.0.net.1.1.1.0", b"")
    + entry(7, "acl_api.0.net.1", b"") + entry(5, b"loop", "loop"))
put("capture", "names", bytes([1]) + entry(0, b"a\n\"\xff.1.layer.info", layers) + entry(0, b"acl_api.0.\xff.1", calls[:128]) + entry(0, b".done", b"")
    + entry(0, b"aicore.99999999999999999999.1.1", tasks[:128]) + entry(8, b"info.json.x", info) + entry(0, b"unknown", b"x"))

# ---- whole captures, of fuzz_import.c ----

PLACES = ["", "data", "host", "host/data", "device_0", "device_0/data"]


def file_of(place, name, content):
    raw = content.encode() if isinstance(content, str) else content
    assert len(raw) < 1 << 16, name
    return bytes([PLACES.index(place)]) + named(name) + len(raw).to_bytes(2, "big") + raw


def tree(directory):
    """A bit for each directory that is not there, then the files."""
    present = {os.path.relpath(path, directory) for path, _, _ in os.walk(directory)}
    absent = sum(1 << (number - 1) for number, place in enumerate(PLACES) if number > 0 and place not in present)
    files = [file_of(os.path.relpath(path, directory).replace(".", "", 1) if path == directory else
                     os.path.relpath(path, directory), name, open(os.path.join(path, name), "rb").read())
             for path, _, names in sorted(os.walk(directory)) for name in sorted(names) if not name.endswith(".done")]
    return bytes([absent | 0xc0]) + b"".join(files)


def calls_of(name):
    """Calls of fuzz_library.c: a byte for which, and a text."""
    made = {
        "prof_5": ((0, "ops|name,total|-total|total > 1us"), (2, "SELECT name, count(*) FROM op GROUP BY 1"), (3, "advise"), (7, ""), (8, ""), (5, "")),
        "prof_1": ((0, "op_summary||||0s|1s"), (4, ""), (3, "summary"), (6, ""), (16, "")),
        "system_5": ((0, "overlap||||slowest"), (25, ""), (14, "gaps"), (0, "nothing")),
        "system_1": ((1, "ops|||name~*"), (34, ""), (2, "SELECT 1, 'a', NULL, 1.5")),
        "sampled_5": ((0, "summary"), (43, ""), (3, "nothing")),
        "2022_0": ((0, "ops|||||1ms|2ms"), (2, "DELETE FROM meta"), (3, "advise")),
        "2022_1": ((0, "streams"), (4, ""), (7, "")),
        "job": ((0, "phases||longest_queue"), (3, "summary"), (16, "")),
    }[name]
    return bytes([len(made)]) + b"".join(bytes([which, len(text)]) + text.encode() for which, text in made)


for name, writer, *options in (
    ("prof_5", "make_prof.py", "--chip", "5", "--count", "4", "--names", "4"),
    ("prof_1", "make_prof.py", "--chip", "1", "--count", "4", "--names", "4"),
    ("system_5", "make_system.py", "--chip", "5", "--count", "4", "--names", "4", "--samples", "3"),
    ("system_1", "make_system.py", "--chip", "1", "--count", "4", "--names", "4", "--samples", "3"),
    ("sampled_5", "make_system.py", "--chip", "5", "--count", "2", "--names", "3", "--samples", "3", "--sampled-cores"),
    ("2022_0", "make_2022.py", "--chip", "0", "--count", "4", "--names", "4"),
    ("2022_1", "make_2022.py", "--chip", "1", "--count", "4", "--names", "4"),
    ("job", "make_job.py", "--steps", "2", "--operators", "5"),
):
    with tempfile.TemporaryDirectory() as work:
        maker = os.path.join(SOURCE, "testdata", "generate", "cann", writer)
        made = subprocess.run([sys.executable, "-B", maker, work, *options], check=True, capture_output=True, text=True)
        put("import", name, tree(made.stdout.strip()))
        put("library", name, calls_of(name) + tree(made.stdout.strip()))
for name, launch, length in (("equal_launches", lambda i: 0, 100), ("equal_tasks", lambda i: 200 * i, 5000), ("open_calls", lambda i: 20 * i, 100)):
    with tempfile.TemporaryDirectory() as work:
        shaped = Prof(os.path.join(work, "PROF"))
        for i in range(8):
            shaped.launch(launch(i), 2 + i % 3, 1 + i // 3, "op%d" % i)
            shaped.ran(10000 + 200 * i * (length == 100), 10000 + 200 * i * (length == 100) + length, 2 + i % 3, 1 + i // 3)
            shaped.call(ACL, 0x50001, launch(i), 1 << 40 if name == "open_calls" else launch(i) + 150)
        shaped.write()
        put("import", name, tree(shaped.path))
put("import", "svp_cut", bytes([0xfe]) + file_of("", "info.json.0", info) + b"".join(  # half of what the .done files expect
    file_of("data", name, content) for name, content in (
        ("aicore.0.1.1", tasks[:128]), ("aicore.0.net.1.1.1.0.done", mark), ("aicpu.0.net.1.1.1.0.done", mark),
        ("acl_api.0.net.1", calls[:128]), ("acl_api.0.net.1.done", mark), ("net.1.layer.info", layers),
        ("net.1.net.info", '{"model_name":"net","model_id":1,"batch_num":1}'))))
put("import", "svp", bytes([0xfe]) + file_of("", "info.json.0", info) + b"".join(
    file_of("data", name, content) for name, content in (
        ("aicore.0.1.1", tasks), ("aicore.0.net.1.1.1.0.done", mark), ("aicpu.0.net.1.1.1.0", cpu),
        ("acl_api.0.net.1", calls), ("net.1.layer.info", layers),
        ("net.1.net.info", '{"model_name":"net","model_id":1,"batch_num":1}'))))

for name, text in (
    ("plain", "[ssh_config]\nip = 1.2.3.4\nusername = u\npwd = a ;b\n[ssh_config:x]\nport: 22\n"),
    ("marks", "\ufeff; c\r\n# d\r\n [ s ] \r\n K\t=\tv \r\nempty =\r\n"), ("twice", "[s]\nk=1\nK=2\n"), ("open", "[s\n"),
):
    put("ini", name, text)

for name, text in (
    ("ping", '{"jsonrpc":"2.0","id":1,"method":"ping"}'), ("batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'),
    ("initialize", '{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18"}}'),
    ("table", '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"table","arguments":{"capture":[".","0"],"table":"ops",'
     '"columns":["name"],"filter":["total > 1us"],"sort":"total","top":3,"step":"2","from":"0us","until":"1ms","max_rows":5,"max_bytes":2048}}}'),
    ("sql", '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sql","arguments":{"capture":".","query":"SELECT 1"}}}'),
    ("timeline", '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"timeline","arguments":{"capture":".","from_ns":0,"until_ns":9}}}'),
    ("outside", '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"open","arguments":{"capture":"../../etc"}}}'),
    ("resource", '{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"msprof://docs/agents.md"}}'),
    ("rows", '[\n    {\n        "a": 1,\n        "b": "{\\"}"\n    },\n    {\n        "a": 2\n    }\n]\n'), ("lines", "one\ntwo\n\nthree"),
):
    put("mcp", name, text)

HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
KEY = "AAAAC3NzaC1lZDI1NTE5AAAAAXg="
for name, which, text in (
    ("list", 0, "81a4 7 ./b\n81a4 5 ./a b\na1ff 3 ./link\n81a4 9 ./b\n"),
    ("list_hostile", 0, "81a4 1 ./../x\n81a4 1 /abs\n81a4 -1 ./m\n81a4 1 ./a//b\n81a4 1 ./a/..\n"),
    ("checksum", 1, HASH + "  ./data/x"), ("checksum_escaped", 1, "\\" + HASH + " *./a\\nb"),
    ("hosts", 2, f"[board]:2222,other ssh-ed25519 {KEY} c\n@revoked * ssh-ed25519 {KEY}\n"),
    ("hosts_hashed", 2, "|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ssh-rsa AAAA\n!x,*:2222 t AAA\n"),
    ("acl", 3, '{"profiler":{"switch":"off","interval":3},"x":["}",{"a":1e9}]}'), ("acl_empty", 3, " { } "),
    ("acl_dump", 3, '{"dump":{"dump_list":[1]},"profiler" : { "aicpu" : "on" } }'),
):
    put("remote_listing", name, bytes([which]) + text.encode())

PAIRS = [("Conv2D", "layer1/conv"), ("Add", ""), ("Conv2D", "\u5c42")]
for name, flags, size, table in (
    ("plain", 0, 80, encode_names(80, 1, PAIRS)), ("old", 1, 72, encode_names(72, 1, PAIRS)),
    ("high", 6, 80, encode_names(80, 2**64 - 4, PAIRS)), ("empty", 6, 80, encode_names(80, 1, [])),
    ("damaged", 0, 80, encode_names(80, 1, PAIRS)[:-9] + b"x" * 9), ("cut", 2, 80, encode_names(80, 1, PAIRS)[:70]),
    ("none", 4, 80, b""),
):
    first = 2**64 - 4 if name == "high" else 1
    sent = b"".join(encode(size, index=first + i, flag=i, thread=7, start=10, end=15, duration=5) for i in range(3))
    if name == "damaged":
        sent = sent[:100] + b"\xff" + sent[101:-1]
    put("subscribe", name, bytes([flags]) + len(table).to_bytes(2, "little") + table + sent)

FRAMEWORK_FILES = ["mindspore.op_range", "mindspore.memory_usage", "mindspore.record_shapes", "cpu_op_execute_timestamp_1.txt",
                   "cpu_ms_memory_record_1.txt", "pipeline_profiling_1.json", "minddata_cpu_utilization_1.json",
                   "device_queue_profiling_1.txt", None, "torch.op_range", "torch.op_mark", "torch.memory_usage",
                   "torch.python_tracer_func", "torch.python_tracer_hash", "torch.gc_record"]
for number, name in enumerate(FRAMEWORK_FILES):
    if name is None:
        put("framework", "dataset_iterator_profiling_1.txt", bytes([number]) + b"0 0 1 5 10\n1 16 1 3 12\n1 16 2 3 20\n0 0 x\n1\n")
        continue
    kind = "pt" if name.startswith("torch") else "ms"
    with open(os.path.join(SOURCE, "testdata/frameworks/run_ascend_%s/FRAMEWORK" % kind, name), "rb") as file:
        content = file.read()[:3000]
    put("framework", name, bytes([number]) + content)
    put("framework", name + "_cut", bytes([number]) + content[:len(content) // 2 + 1])
    put("framework", name + "_flipped", bytes([number]) + bytes(b ^ 0x80 if i % 37 == 3 else b for i, b in enumerate(content)))
for number, kind in ((15, "ms"), (16, "pt")):
    with open(os.path.join(SOURCE, "testdata/frameworks/run_ascend_%s/profiler_info_1.json" % kind), "rb") as file:
        put("framework", "info_" + kind, bytes([number]) + file.read())
put("framework", "host_start", bytes([17]) + b"[Host]\nclock_monotonic_raw: 5\ncntvct: 7\n")


def database(rows):
    """A database of pages of 512 bytes: its table begins at the second."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "x.db")
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, text TEXT, b INTEGER, none INTEGER, c INTEGER)")
        connection.executemany("INSERT INTO t VALUES(?, ?, ?, ?, NULL, ?)", rows)
        connection.commit()
        connection.close()
        with open(path, "rb") as file:
            return file.read()


def interior(right, *cells):
    """A page above others: of each cell the page below and the last number of a row there."""
    bodies = [page.to_bytes(4, "big") + bytes([last]) for page, last in cells]
    start = 512 - 5 * len(bodies)
    head = b"\5\0\0" + len(bodies).to_bytes(2, "big") + start.to_bytes(2, "big") + b"\0" + right.to_bytes(4, "big")
    places = b"".join((start + 5 * i).to_bytes(2, "big") for i in range(len(bodies)))
    return (head + places).ljust(start, b"\0") + b"".join(bodies)


WIDE = [0, 1, -1, 127, -32768, 2**23 - 1, -2**31, 2**47 - 1, -2**63 + 1, None]
few = database([(i + 1, WIDE[i % 10], "x" * i, WIDE[(i + 1) % 10] or 3, i) for i in range(10)])
many = database([(2 * i, i * i, "x" * (i % 30), 3 + i, -i) for i in range(60)])
for name, how, content in (
    ("few", 0, few), ("few_at_once", 0x15, few), ("many", 0, many), ("many_between", 0x2f, many),
    ("overflow", 0, database([(i, i, "x" * 300 * i, 5, None) for i in range(1, 5)])),
    ("real", 0, database([(i, i / 2 if i > 3 else i, None, 5, 1) for i in range(6)])),
    ("deep", 0x80, few + interior(2) + interior(3, (3, 20))), ("circle", 0x40, few + interior(3, (3, 5))),
    ("fan", 0x40, few + interior(4, (4, 1), (4, 2), (4, 3)) + interior(5, (5, 1), (5, 2), (5, 3)) + interior(3)),
    ("cut", 0, many[:-700]), ("other_encoding", 0, few[:56] + b"\0\0\0\2" + few[60:]),
    ("log", 0, few[:18] + b"\2\2" + few[20:]),
):
    put("pages", name, bytes([how]) + content)


def rows(page, forms, *parts):
    """Rows for pages of 512 << page bytes; of a form: 1 integer, 2 real, 3 text, 4 blob, 5 row's number, 6 numeric."""
    return bytes([page | (len(forms) - 1) << 3]) + bytes(form - 1 for form in forms) + b"".join(parts)


def one_row(present, *cells, how=0, again=b""):
    return bytes([how]) + present.to_bytes(2, "big") + b"".join(cells) + again


integers = [bytes([0xc0 | width | edge << 4]) for width in range(8) for edge in range(4)] + [b"\x40\0", b"\0\1", b"\7" + b"\x80" + 7 * b"\0"]
reals = [b"\x80" + struct.pack(">d", number) for number in (0.0, -0.0, 0.5, 1e300, 2.0**63, float("inf"), float("nan"))]
for name, content in (
    ("integers", rows(0, [1, 1], *(one_row(3, integer, integer) for integer in integers))),
    ("row_number", rows(3, [1, 5, 3], *(one_row(7, integer, b"\3x") for integer in integers))),
    ("reals", rows(1, [2, 6], *(one_row(3, real, real) for real in reals))),
    ("overflow", rows(0, [3, 4], *(one_row(3, b"\xf0" + size.to_bytes(2, "big") + b"a", b"\2b")
                                   for size in (0, 56, 57, 58, 476, 477, 478, 508, 509, 2000, 65535)))),
    ("deep", rows(0, [1] * 9, *(one_row(511, *[b"\5123456"] * 9, how=0x18, again=b"\xff") for _ in range(15)))),
    ("far_apart", rows(7, [1, 3], *(one_row(3, b"\7\20" + 7 * b"\0", b"\0\1", b"\1c", how=0xf0) for _ in range(7)))),
    ("nothing", rows(4, [1, 2, 3, 4, 6], *(one_row(present) for present in range(9)))),
    ("empty", rows(2, [1])),
):
    put("page_rows", name, content)

with open(os.path.join(here, "fuzz_opprof.c")) as file:
    OPPROF_NAMES = re.findall(r'^    "(.*)",$', file.read(), re.MULTILINE)


def opprof(**files):
    """Files by the numbers of their names, as fuzz_opprof.c takes them."""
    return b"".join(bytes([OPPROF_NAMES.index(name)]) + struct.pack("<H", len(content)) + content
                    for name, content in files.items())


def planted(kind, rows, basic="OpBasicInfo.csv", **options):
    with tempfile.TemporaryDirectory() as directory:
        plant.Op("add", kind, 12.5, blocks=2, mix=4 if kind == "mix" else None, **options).write(directory, rows)
        found = {}
        for path in sorted(glob.glob(directory + "/*.csv")):
            with open(path, "rb") as file:
                found[os.path.basename(path)] = file.read()
    found[basic] = found.pop("OpBasicInfo.csv")
    return found


vector = planted("vector", [plant.Row(b, "vector0", 9000, vec=900, mte2=100, gm_to_ub=4096) for b in range(2)])
mix = planted("mix", [plant.Row(b, core, 9000, cube=900, vec=90) for b in range(2) for core in ("cube0", "vector0", "vector1")])
trace = json.dumps({"schemaVersion": 2, "traceEvents": [
    {"ph": "X", "pid": "core0.veccore0", "tid": "MTE2", "name": "MOV", "ts": 1, "dur": 2.5, "args": {"code": "/a:1"}},
    {"ph": "B", "pid": "core0.veccore0", "tid": "MTE2", "name": "SET_FLAG", "id": "core0.veccore0_0", "ts": 3.5},
    {"ph": "E", "pid": "core0.veccore0", "tid": "VECTOR", "name": "WAIT_FLAG", "id": "core0.veccore0_0", "ts": 4},
    {"ph": "C", "pid": "MTE Throughput", "name": "GM_TO_UB", "ts": 1, "args": {"throughput(MB/s)": 9.5}}]}).encode()
CORE = "simulator/core0.veccore0/core0.veccore0_{}_exe.csv"
CUBE = "simulator/core1.cubecore0/core1.cubecore0_instr_exe_20260101000000001.csv"
code = b"code,call_count,cycles,running_time(us)\n/a.cpp:3,1,10,0.010000\n"
instructions = b'instr,addr,pipe,call_count,cycles,running_time(us),detail\nVADD,16,VECTOR,2,10,0.010000,"a,""b"""\n'
put("opprof", "vector", opprof(**vector))
put("opprof", "mix", opprof(**mix))
put("opprof", "simulator", opprof(**{"simulator/trace.json": trace, CORE.format("code"): code,
                                     CORE.format("instr"): instructions, CUBE: instructions}))
put("opprof", "launches", opprof(**{
    "add/0/OpBasicInfo_20260101000000001.csv": vector["OpBasicInfo.csv"],
    "add/0/PipeUtilization_20260101000000001.csv": vector["PipeUtilization.csv"],
    "device1/add/1/OpBasicInfo_20260101000000002.csv": mix["OpBasicInfo.csv"],
    "device1/add/1/L2Cache_20260101000000002.csv": mix["L2Cache.csv"], "add/0/simulator/trace.json": trace[:-9]}))
put("opprof", "suffixes", opprof(**{"PipeUtilization_20260101000000001.csv": vector["PipeUtilization.csv"],
                                    "PipeUtilization_99999999999999999.csv": mix["PipeUtilization.csv"]}))
put("opprof", "empty", opprof(**{name: b"" for name in OPPROF_NAMES}))
pipe = vector["PipeUtilization.csv"]
lines = pipe.split(b"\n")
put("opprof", "damage", opprof(**{
    "PipeUtilization.csv": lines[0] + b"\n" + lines[1].replace(b"0,", b"99999999999999999999,") + b"\n" + lines[2][:40],
    "Memory.csv": vector["Memory.csv"].replace(b"NA", b"1e999"), "L2Cache.csv": b"\0" * 40 + vector["L2Cache.csv"],
    "MemoryUB.csv": b"block_id,sub_block_id," + b"x," * 5000 + b"\n0,vector0," + b"1," * 5000 + b"\n",
    "MemoryL0.csv": b"block_id,sub_block_id,aic_time(us),\n0,cube0," + b"9" * 9000 + b",\n",
    "simulator/trace.json": trace.replace(b"3.5", b"1e300").replace(b"MTE2", b"\\u0000<")}))
