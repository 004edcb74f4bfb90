# SPDX-License-Identifier: Apache-2.0
"""Captures for tests, packed from the format documents and not by the program's own encoder."""
import json
import os
import struct

# Names that break what is careless: quotes, escapes, control bytes, line ends that only some languages know, a NUL, a half
# surrogate, text that changes direction, a formula.
HOSTILE = ['"', "\\", '\\"', "\n\r\t", "\x01\x1b[31m\x7f", "\u2028\u2029", "</script>", ',;="', "\0", "\ufeff", "\U0001f600",
           "e\u0301", "\u202e", "=1+1", "x" * 20000, " ", "N/A", "-", "\ud800"]

PMU_SIZE = ACL_SIZE = AICPU_SIZE = 128
HWTS_SIZE = 64


def pmu(task, cycles, model=1, pic=0, stream=0, counters=(0,) * 8, read=0, write=0, reserved=0):
    """A device PMU record of an SVP board."""
    return struct.pack("<6xH8xQ8x8QIIQQII", task, cycles, *counters, stream, model, read, write, pic, reserved)


def acl(name, start, end, process=7, thread=8, kind=2, magic=0x5A5A, tag=0):
    """An ACL API call; name may be bytes."""
    raw = name.encode() if isinstance(name, str) else name
    return struct.pack("<HHIQQII64s32x", magic, tag, kind, start, end, process, thread, raw)


def aicpu(task, start, end, stream=1, dispatch_us=0, total_us=0, magic=0x5A5A, tag=60):
    """An AI CPU task execution."""
    record = bytearray(128)
    struct.pack_into("<HHHHQ", record, 0, magic, tag, stream, task, start)
    struct.pack_into("<Q", record, 48, end)
    struct.pack_into("<II", record, 108, dispatch_us, total_us)
    return bytes(record)


def hwts(kind, counter, stream, task, tick, magic=0x6BD3):
    """A start (kind 0) or end (kind 1) of a task on an Ascend device; counter modulo 16."""
    return struct.pack("<BBHHHQI44x", kind | (counter & 15) << 4, 0, magic, 0, task, tick, stream)


def layer(layer_id, task, name=None, kind="Convolution", engine="AI_CORE"):
    name = name or f"layer{layer_id}"
    return {"layer_id": layer_id, "name": name, "type": kind, "ori_name": name, "task_id": task, "engine": engine}


def done(start=None, end=None, size=None, **more):
    """The text of a .done file."""
    values = {"filesize": size, "starttime": start, "endtime": end, **more}
    return "".join(f"{key}:{value}\n" for key, value in values.items() if value is not None)


class Job:
    """A capture directory."""

    def __init__(self, path, info='{"DeviceInfo": [{"aic_frequency": "600"}]}'):
        self.path = path
        os.makedirs(os.path.join(path, "data"))
        if info is not None:
            self.write("info.json.0", info, data=False)

    def write(self, name, content, data=True):
        """Text, bytes, a list of records, or anything else as JSON; name may be bytes."""
        if isinstance(content, list) and content and isinstance(content[0], bytes):
            content = b"".join(content)
        elif not isinstance(content, (bytes, str)):
            content = json.dumps(content)
        raw = content.encode() if isinstance(content, str) else content
        name = name if isinstance(name, bytes) else name.encode()
        with open(os.path.join(self.path.encode(), b"data" if data else b"", name), "wb") as file:
            file.write(raw)


def svp(path, tasks=4, pics=2, calls=3):
    """A sound SVP capture of every kind of file: model "net", number 1."""
    job = Job(path)
    job.write("net.1.layer.info", [layer(i, i) for i in range(tasks)] + [layer(tasks, 0, "cpu", "NMS", "AI_CPU")])
    job.write("net.1.net.info", {"model_name": "net", "model_id": 1, "batch_num": 1})
    job.write("aicore.0.1.1", [pmu(t, 600 * (t + 1), pic=p) for p in range(pics) for t in range(tasks)])
    for p in range(pics):
        start = 1000000 + 100000 * p
        job.write(f"aicore.0.net.1.1.1.{p}.done", done(start, start + 50000, icache_hit=900, icache_miss=100))
        job.write(f"aicpu.0.net.1.1.1.{p}", [aicpu(0, start, start + 7000)])
        job.write(f"aicpu.0.net.1.1.1.{p}.done", done(start, start + 7000, AICPU_SIZE))
    job.write("acl_api.0.net.1", [acl("svp_acl_mdl_execute", 900000 + 100000 * i, 960000 + 100000 * i) for i in range(calls)])
    job.write("acl_api.0.net.1.done", done(900000, 2000000, ACL_SIZE * calls))
    return job


def ascend(path, tasks=4):
    """A sound JOB-era capture of an Ascend device."""
    job = Job(path, info=None)
    records, text, graph = [], "", ""
    for i in range(tasks):
        records += [hwts(0, 2 * i, 3, 25000 + i, 1000 + 100 * i), hwts(1, 2 * i + 1, 3, 25000 + i, 1050 + 100 * i)]
        text += f"Default/Mul-op{i} 1 {25000 + i} 9\n"
        graph += (f"op_name:Default/Mul-op{i} op_type:Mul input_id:0 input_format:NCHW input_data_type:40 "
                  'input_shape:"2,3" output_id:0 output_format:NCHW output_data_type:39 output_shape:"2,3"\n')
    job.write("hwts.data.0.slice_0", records)
    job.write("Framework.host.vm.task_desc_info.0.slice_0", text)
    job.write("Framework.host.vm.graph_desc_info.0.slice_0", graph)
    return job
