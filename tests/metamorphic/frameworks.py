# SPDX-License-Identifier: Apache-2.0
"""Directories of frameworks' profilers and of a cluster's ranks as captures of the suite: one file of the framework gone,
or one bit of it flipped, by what analyse and cluster make of them."""
import csv
import glob
import json
import os
import random
import shutil
import subprocess

import captures
from mutations import copy_linked, flip, remove
from program import TOLD

FRAMEWORKS = "testdata/frameworks/*_ascend_*"


def count_rows(path):
    """Rows, and values in each column, of a table; events of a timeline; entries of another JSON document."""
    if path.endswith(".csv"):
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        counts = {title: sum(1 for row in rows[1:] if at < len(row) and row[at].strip() not in ("", "N/A"))
                  for at, title in enumerate(rows[0])}
        return {"*": len(rows) - 1, **counts}
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    return {"*": len(document)}


class Written:
    """The files that a command makes of a directory, how many rows and values they have, and what was told."""

    def __init__(self, command, directory, output):
        shutil.rmtree(output, ignore_errors=True)
        done = subprocess.run([*command, "--output", output, directory], check=False, capture_output=True, text=True,
                              errors="replace", env={**os.environ, "NO_COLOR": "1"})
        self.status = done.returncode
        # Each once: numbers of records and seconds stand in other lines.
        self.told = sorted(line for line in done.stderr.splitlines() if TOLD.search(line) or "not judged" in line)
        self.tables = {}
        for path in glob.glob(os.path.join(output, "*", "*.csv")) + glob.glob(os.path.join(output, "*", "*.json")):
            self.tables[os.path.basename(path)] = count_rows(path)

    def judge(self, sound):
        if self.status not in (sound.status, 0) or len(self.told) > len(sound.told) or set(self.told) - set(sound.told):
            return "told"
        lost = ["%s.%s %s -> %s" % (name, column, sound.tables.get(name, {}).get(column), self.tables.get(name, {}).get(column))
                for name in sorted(set(sound.tables) | set(self.tables))
                for column in sorted(set(sound.tables.get(name, {})) | set(self.tables.get(name, {})))
                if sound.tables.get(name, {}).get(column) != self.tables.get(name, {}).get(column)]
        return "silent: " + ", ".join(lost[:4]) if lost else "equal"


# The fixed parts of records (docs/formats/frameworks.md), by name and bytes; the first number is the bytes of the record's head.
RECORDS = {
    "torch.op_range": (6, "start 8 end 8 sequence 8 process 8 thread 8 end_thread 8 forward_thread 8 scope 1 asynchronous 1"),
    "torch.op_mark": (6, "time 8 category 8 correlation 8 thread 8 process 8"),
    "torch.memory_usage": (6, "address 8 time 8 size 8 allocated 8 reserved 8 active 8 stream 8 device_type 1 device 1 component 1"
                              " kind 1 allocator 1 thread 8 process 8"),
    "torch.python_tracer_func": (0, "time 8 thread 8 process 8 key 8 tag 1"),
    "torch.gc_record": (0, "process 8 start 8 end 8"),
    "mindspore.op_range": (6, "thread 8 flow 8 step 8 start 8 end 8 process 4 module 2 event 2 stage 2 level 1 graph 1 is_stage 1"
                              " stack 1"),
    "mindspore.memory_usage": (6, "device 4 thread 8 process 8 time 8 address 8 size 8 used 8 peak 8 reserved 8 event 8 eager 8"
                                  " stream 8 stream_id 4 flags 4"),
    "mindspore.record_shapes": (6, ""),
    "torch.python_tracer_hash": (6, "key 8"),
}


def field_of(name, content, at):
    """Which field of which record, or which part of a text, the byte is in; "": the file has no fields."""
    if name.startswith("cpu_op_execute_timestamp"):
        line = content[content.rfind(b"\n", 0, at) + 1:at]
        run = line[line.rfind(b" ") + 1:] if line.count(b";") == 2 else b""
        return ("name", "type", ("start", "duration", "thread")[min(run.count(b","), 2)])[min(line.count(b";"), 2)]
    if name.endswith(".json"):
        quote = content.rfind(b'"', 0, at + 1)
        end = content.find(b'"', at + 1)
        return "key" if content[:at].count(b'"') % 2 == 1 and content[end + 1:end + 2] == b":" and quote >= 0 else "value"
    head, fixed = RECORDS.get(name, (None, ""))
    if head is None:
        return ""
    sizes = [(word, int(size)) for word, size in zip(fixed.split()[::2], fixed.split()[1::2])]
    length = sum(size for _, size in sizes)
    begin, end = at - at % length if head == 0 else 0, len(content)
    while head > 0:
        end = begin + head + int.from_bytes(content[begin + 2:begin + 6], "little")
        if at < end:
            break
        begin = end
    place = begin + head
    for word, size in sizes:
        if place <= at < place + size:
            return word
        place += size
    while begin + head <= place <= at and head > 0:
        behind = place + 6 + int.from_bytes(content[place + 2:place + 6], "little")
        if at < behind:
            return "head_of_text" if at < place + 6 else "text_%d" % int.from_bytes(content[place:place + 2], "little")
        place = behind
    return "head"


def what_of(root, name, bit):
    with open(os.path.join(root, name), "rb") as file:
        content = file.read()
    field = field_of(os.path.basename(name), content, bit % (len(content) * 8) // 8)
    return os.path.basename(name) + (".field." + field if field else "")


def files_of(root):
    """Names of the framework's own files: those of its captures have mutations of their own."""
    return sorted(os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names
                  if "PROF_" not in folder and os.path.getsize(os.path.join(folder, name)) > 0)


def mutate(command, root, work, rng, flips):
    sound = Written(command, root, os.path.join(work, "sound"))
    copy = os.path.join(work, os.path.basename(root))
    for name in files_of(root):
        what = os.path.basename(name)
        remove(copy_linked(root, copy), name)
        yield "gone", what, Written(command, copy, os.path.join(work, "mutated")).judge(sound)
        for _ in range(flips):
            bit = rng.randrange(1 << 40)
            flip(copy_linked(root, copy), name, bit)
            yield "flip", "%s:%d" % (what_of(root, name, bit), bit), Written(command, copy, os.path.join(work, "mutated")).judge(sound)


def make_job(msprof, work):
    """The results of two ranks, as cluster reads them."""
    job = os.path.join(work, "job")
    subprocess.run([os.path.join(os.path.dirname(os.path.realpath(msprof)), "make-ranks"), "--output", job, "--ranks", "2"],
                   check=True, capture_output=True)
    return job


def subjects(msprof, work):
    """Label, command and directory of each."""
    for path in sorted(glob.glob(os.path.join(captures.ROOT, FRAMEWORKS))):
        copy = os.path.join(work, "original", os.path.basename(path))
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path, copy)
        yield os.path.basename(path), [msprof, "analyse"], copy
    yield "cluster", [msprof, "cluster", "--detail"], make_job(msprof, work)


def results(msprof, work, seed, flips, label=""):
    """(label, relation, what, verdict) of all."""
    os.makedirs(work, exist_ok=True)
    for name, command, root in subjects(msprof, work):
        if label in name:
            rng = random.Random("%s %s" % (seed, name))
            for relation, what, verdict in mutate(command, root, os.path.join(work, name), rng, flips):
                yield name, relation, what, verdict
