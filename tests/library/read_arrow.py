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


def values(array, form, length):
    assert array.offset == 0 and array.n_buffers == (3 if form == b"u" else 2) and array.length == length
    assert array.n_children == 0 and not array.dictionary and array.buffers[0] and array.buffers[1]
    valid = ctypes.cast(array.buffers[0], ctypes.POINTER(ctypes.c_uint8))
    if form == b"u":
        ends = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int32))[: array.length + 1]
        assert ends[0] == 0 and ends == sorted(ends) and array.buffers[2]
        text = ctypes.string_at(array.buffers[2], ends[-1])
        found = [text[a:b].decode() for a, b in zip(ends, ends[1:])]
    else:
        kind = {b"l": ctypes.c_int64, b"g": ctypes.c_double}[form]
        found = ctypes.cast(array.buffers[1], ctypes.POINTER(kind))[: array.length]
    bits = [valid[i // 8] >> i % 8 & 1 for i in range(array.length)]
    assert array.null_count in (-1, bits.count(0))
    return [value if bit else None for bit, value in zip(bits, found)]


def read(capsule, least_blocks=0):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get(capsule, b"arrow_array_stream")
    stream, schema, array = Stream.from_address(address), Schema(), Array()
    assert stream.get_schema(address, schema) == 0 and schema.format == b"+s"
    fields = [schema.children[i].contents for i in range(schema.n_children)]
    names, forms = [field.name.decode() for field in fields], [field.format for field in fields]
    assert all(field.flags == 2 and field.n_children == 0 and not field.dictionary and not field.metadata for field in fields)
    columns, blocks = {name: [] for name in names}, 0
    moved = Schema.from_buffer_copy(fields[0])  # a child may be moved away: it outlives the parent, and is released by itself
    fields[0].release = type(fields[0].release)()
    schema.release(schema)
    assert not schema.release and moved.name.decode() == names[0]
    moved.release(moved)
    while stream.get_next(address, array) == 0 and array.release:
        blocks += 1
        assert array.n_buffers == 1 and not array.buffers[0] and array.null_count == 0 and array.offset == 0 and array.length > 0
        children = [array.children[i].contents for i in range(array.n_children)]
        assert len(children) == len(names)
        last = Array.from_buffer_copy(children[-1])
        children[-1].release = type(children[-1].release)()
        for name, child, form in zip(names[:-1], children, forms):
            columns[name] += values(child, form, array.length)
        length = array.length
        array.release(array)
        assert not array.release
        columns[names[-1]] += values(last, forms[-1], length)
        last.release(last)
        assert not last.release
    assert blocks >= least_blocks, blocks
    assert stream.get_next(address, array) == 0 and not array.release  # the end stays the end
    return columns


capture = msprof.open(sys.argv[1])
for name in ("ops", "op_summary", "gaps", "steps"):
    assert read(capture.table(name).__arrow_c_stream__()) == capture.table(name).to_dict(), name
# Many blocks; values of each type and without, of columns without any, integers that no double holds, texts of several bytes.
many = capture.sql(
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 70000) SELECT i, CASE WHEN i % 3 THEN i * 130000000000001 END AS wide,"
    " CASE WHEN i % 5 THEN i / 7.0 END AS real, NULL AS none, CASE WHEN i % 7 THEN printf('%.*c', i % 100, 'x') || 'ü' || i END AS text FROM n"
)
rows = range(70000)
assert read(many.__arrow_c_stream__(), 4) == {
    "i": list(rows),
    "wide": [i * 130000000000001 if i % 3 else None for i in rows],
    "real": [i / 7.0 if i % 5 else None for i in rows],
    "none": [None] * len(rows),
    "text": ["x" * max(i % 100, 1) + "ü" + str(i) if i % 7 else None for i in rows],
}
none = capture.table("ops", columns="name,total", filter="name~nothing*")
assert read(none.__arrow_c_stream__()) == {"name": [], "total": []}
expected = capture.table("ops").to_dict()
capsule = capture.table("ops").__arrow_c_stream__()
capture.table("ops").__arrow_c_stream__()  # which nobody takes
capture.close()
assert read(capsule) == expected
del capsule
gc.collect()
