# SPDX-License-Identifier: Apache-2.0
"""Sound captures for the metamorphic suite: those of testdata/, and one for each record kind that none of them holds, of the
records in testdata/kinds/."""
import glob
import json
import os
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "cann", "system"))
from text_kinds import capture_of, read_fixture  # noqa: E402

SHIPPED = ("cann/*/PROF_*", "cann/*/JOB*", "resnet50/JOB*", "small/JOB*")
WORDS = {"device_id": "0", "model": "net", "model_id": "1", "tag": "unaging", "number": "45", "process_id": "77", "slice": "0",
         "batch_num": "1", "input_pic_num": "1", "current_pic_count": "0", "group_id": "0", "core_id": "0"}
OF_BOARDS = {"acl_call", "aicpu_task", "svp_pmu", "layer"}  # the shipped captures of boards have them
ON = ("taskTime taskMemory hbmProfiling ddr_profiling msprof_llc_profiling memProfiling nicProfiling roceProfiling pcieProfiling"
      " hccsProfiling interconnection_profiling ubProfiling dvpp_profiling cpu_profiling sys_profiling pid_profiling sysLp taskBlock"
      " aicpuTrace ai_core_profiling l2CacheTaskProfiling hwts_log ccuInstr acl modelExecution runtimeApi ts_timeline")
SWITCHES = {**{name: "on" for name in ON.split()}, "profLevel": "l1", "host_sys": "cpu,mem,disk,network,osrt", "hostSysUsage": "cpu,mem",
            "npuEvents": "SMMU:0x2", "qosEvents": "OTHERS", "npuModuleMemFreq": 50, "instr_profiling_freq": 100}
END_US = 1735689660000000
OF_2022 = re.compile(r"^(device_0|host)/data/(Framework|AclModule|[Rr]untime)\.")
HOST_KINDS = re.compile(r"\{tag\}\.|^host_|^Msprof\.")


def shipped():
    """The directories of the captures that come with the project."""
    return sorted(path for pattern in SHIPPED for path in glob.glob(os.path.join(ROOT, "testdata", pattern)))


def record_of(path, size):
    """The bytes of a record that was typed by hand."""
    record = bytearray(size)
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"(\d+):((?:\s+[0-9a-f]{2})+)", line.split("#")[0])
            if match:
                values = bytes.fromhex("".join(match.group(2).split()))
                record[int(match.group(1)):int(match.group(1)) + len(values)] = values
    return bytes(record)


def size_of(path):
    """Where the last typed byte ends."""
    with open(path, encoding="utf-8") as file:
        lines = [re.match(r"(\d+):((?:\s+[0-9a-f]{2})+)", line.split("#")[0]) for line in file]
    return max((int(found.group(1)) + len(found.group(2).split()) for found in lines if found), default=0)


def file_name(pattern):
    """A file of a capture of today that follows the pattern."""
    name = re.sub(r"\{(\w+)\}", lambda found: WORDS[found.group(1)], pattern)
    return os.path.join("host" if HOST_KINDS.search(pattern) else "device_0", "data", name)


def complete(root, name):
    """Small files that every capture has; sample.json says that everything was on. In 2022 devices had all of them."""
    if OF_2022.match(name):
        shutil.rmtree(os.path.join(root, "host"))
    for part, suffix in (("host", ""), ("device_0", ".0")):
        for small, content in (("sample.json", SWITCHES), ("end_info" + suffix, {"collectionTimeEnd": str(END_US)})):
            if os.path.isdir(os.path.join(root, part)):
                with open(os.path.join(root, part, small), "w", encoding="utf-8") as file:
                    json.dump(content, file)
    return root


def typed(kind, directory):
    """A capture of the records of one kind in the directory; None when there are none, or none of one length."""
    if kind["name"] in OF_BOARDS:
        return None
    folder = os.path.join(ROOT, "testdata", "kinds", kind["name"])
    texts = sorted(glob.glob(os.path.join(folder, "*.text")))
    if texts:
        name, chip, text, _, _, _ = read_fixture(texts[0])
        return complete(capture_of(directory, name, text, chip), name)
    records = sorted(glob.glob(os.path.join(folder, "*.hex")))
    if not records or not kind["files"]:
        return None
    size = size_of(records[0])
    content = b"".join(record_of(path, size) for path in records if size_of(path) == size)
    chip = "15" if "chip-15" in records[0] else "5"
    root = capture_of(directory, file_name(kind["files"][0]), "", chip)
    with open(os.path.join(root, file_name(kind["files"][0])), "wb") as file:
        file.write(content)
    return complete(root, file_name(kind["files"][0]))
