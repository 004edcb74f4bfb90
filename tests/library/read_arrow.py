# SPDX-License-Identifier: Apache-2.0
"""Reads a stream of the Arrow C data interface as its specification has it, and compares it with rows. usage: read_arrow.py CAPTURE"""
import ctypes
import gc
import sys

import msprof


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
                   ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.c_void_p),
                  ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))),
                ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))),
                ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
                ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


def values(array, form):
    assert array.offset == 0 and array.n_buffers == (3 if form == b"u" else 2)
    valid = ctypes.cast(array.buffers[0], ctypes.POINTER(ctypes.c_uint8))
    if form == b"u":
        ends = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int32))[: array.length + 1]
        text = ctypes.string_at(array.buffers[2], ends[-1])
        found = [text[a:b].decode() for a, b in zip(ends, ends[1:])]
    else:
        kind = {b"l": ctypes.c_int64, b"g": ctypes.c_double}[form]
        found = ctypes.cast(array.buffers[1], ctypes.POINTER(kind))[: array.length]
    return [value if valid[i // 8] >> i % 8 & 1 else None for i, value in enumerate(found)]


def read(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get(capsule, b"arrow_array_stream")
    stream, schema, array = Stream.from_address(address), Schema(), Array()
    assert stream.get_schema(address, schema) == 0 and schema.format == b"+s"
    fields = [schema.children[i].contents for i in range(schema.n_children)]
    names, forms = [field.name.decode() for field in fields], [field.format for field in fields]
    columns = {name: [] for name in names}
    schema.release(schema)
    while stream.get_next(address, array) == 0 and array.release:
        for i, name in enumerate(names):
            columns[name] += values(array.children[i].contents, forms[i])
        array.release(array)
        assert not array.release
    return columns


capture = msprof.open(sys.argv[1])
for name in ("ops", "op_summary", "gaps", "steps"):
    assert read(capture.table(name).__arrow_c_stream__()) == capture.table(name).to_dict(), name
expected = capture.table("ops").to_dict()
capsule = capture.table("ops").__arrow_c_stream__()
capture.table("ops").__arrow_c_stream__()  # which nobody takes
capture.close()
assert read(capsule) == expected
del capsule
gc.collect()
