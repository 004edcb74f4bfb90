# SPDX-License-Identifier: Apache-2.0
"""Lets DuckDB, which is of other makers, read the Arrow streams of tables, and compares what it has read with the rows.
usage: duckdb_arrow.py LIBDUCKDB CAPTURE TABLE..."""

import ctypes
import sys

import msprof


class Result(ctypes.Structure):  # duckdb.h: duckdb_result
    _fields_ = [(name, ctypes.c_void_p) for name in ("columns", "rows", "changed", "deprecated", "message", "internal")]


pointer = ctypes.c_void_p
duckdb = ctypes.CDLL(sys.argv[1])
for name, result, arguments in (
    ("open", ctypes.c_int, [ctypes.c_char_p, pointer]),
    ("connect", ctypes.c_int, [pointer, pointer]),
    ("arrow_scan", ctypes.c_int, [pointer, ctypes.c_char_p, pointer]),
    ("query", ctypes.c_int, [pointer, ctypes.c_char_p, pointer]),
    ("result_error", ctypes.c_char_p, [pointer]),
    ("row_count", ctypes.c_uint64, [pointer]),
    ("column_count", ctypes.c_uint64, [pointer]),
    ("column_name", ctypes.c_char_p, [pointer, ctypes.c_uint64]),
    ("column_type", ctypes.c_int, [pointer, ctypes.c_uint64]),
    ("value_is_null", ctypes.c_bool, [pointer, ctypes.c_uint64, ctypes.c_uint64]),
    ("value_int64", ctypes.c_int64, [pointer, ctypes.c_uint64, ctypes.c_uint64]),
    ("value_double", ctypes.c_double, [pointer, ctypes.c_uint64, ctypes.c_uint64]),
    ("value_varchar", pointer, [pointer, ctypes.c_uint64, ctypes.c_uint64]),
    ("free", None, [pointer]),
    ("destroy_result", None, [pointer]),
):
    function = getattr(duckdb, "duckdb_" + name)
    function.restype, function.argtypes = result, arguments
BIGINT, DOUBLE, VARCHAR = 5, 11, 17  # duckdb.h: duckdb_type

database, connection = pointer(), pointer()
assert duckdb.duckdb_open(None, ctypes.byref(database)) == 0 and duckdb.duckdb_connect(database, ctypes.byref(connection)) == 0
get = ctypes.pythonapi["PyCapsule_GetPointer"]
get.restype, get.argtypes = pointer, [ctypes.py_object, ctypes.c_char_p]


def query(text):
    result = Result()
    if duckdb.duckdb_query(connection, text.encode(), ctypes.byref(result)) != 0:
        raise SystemExit(duckdb.duckdb_result_error(ctypes.byref(result)).decode())
    return result


def value(result, column, row):
    at = ctypes.byref(result), column, row
    if duckdb.duckdb_value_is_null(*at):
        return None
    kind = duckdb.duckdb_column_type(ctypes.byref(result), column)
    if kind == BIGINT:
        return duckdb.duckdb_value_int64(*at)
    if kind == DOUBLE:
        return duckdb.duckdb_value_double(*at)
    assert kind == VARCHAR, kind
    text = duckdb.duckdb_value_varchar(*at)
    found = ctypes.string_at(text).decode()
    duckdb.duckdb_free(text)
    return found


def columns_of(text):
    result = query(text)
    rows, count = (get_count(ctypes.byref(result)) for get_count in (duckdb.duckdb_row_count, duckdb.duckdb_column_count))
    names = [duckdb.duckdb_column_name(ctypes.byref(result), i).decode() for i in range(count)]
    found = {name: [value(result, i, row) for row in range(rows)] for i, name in enumerate(names)}
    duckdb.duckdb_destroy_result(ctypes.byref(result))
    return found


def taken_by_duckdb(table, number):
    capsule = table.__arrow_c_stream__()
    assert duckdb.duckdb_arrow_scan(connection, f"stream{number}".encode(), get(capsule, b"arrow_array_stream")) == 0
    query(f"CREATE TABLE kept{number} AS SELECT * FROM stream{number}")
    query(f"DROP VIEW stream{number}")
    return columns_of(f"SELECT * FROM kept{number}")


capture = msprof.open(sys.argv[2])
rows = 0
for i, name in enumerate(sys.argv[3:]):
    found, expected = taken_by_duckdb(capture.table(name), i), capture.table(name).to_dict()
    assert list(found) == list(expected), name
    for column, values in expected.items():
        assert found[column] == values, (name, column)
    rows += len(next(iter(expected.values())))
assert rows > 3
# Many blocks, with values of each type and without, texts of one byte to many, and integers that no double holds.
many = capture.sql(
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 70000) SELECT i, CASE WHEN i % 3 THEN i * 130000000000001 END AS wide,"
    " CASE WHEN i % 5 THEN i / 7.0 END AS real, CASE WHEN i % 7 THEN printf('%.*c', i % 100, 'x') || 'ü' || i END AS text FROM n"
)
found = taken_by_duckdb(many, len(sys.argv))
assert found == many.to_dict() and len(found["i"]) == 70000 and max(value or 0 for value in found["wide"]) > 1 << 62
assert found["wide"][3] is None and found["text"][7] is None and found["real"][1] == 1 / 7
capture.close()
print("the same")
