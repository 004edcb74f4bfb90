# SPDX-License-Identifier: Apache-2.0
"""Captures of Ascend cards and SVP boards, read by libmsprof (msprof_open(3)).

    import msprof

    with msprof.open("PROF_000001") as capture:
        capture.tables                                       # {"ops": "Operators by time", ...}
        ops = capture.table("ops", filter="total > 100us", top=10)
        pandas.DataFrame.from_arrow(ops)                     # likewise polars.from_arrow, pyarrow.table, duckdb
        for name, total in capture.table("ops", columns="name,total"):
            ...
        capture.sql("SELECT name, count(*) FROM op GROUP BY name").to_dict()
        capture.summary(), capture.advise(), capture.diff(baseline)
        capture.report("out"), capture.timeline("out")
    msprof.cluster("RUN")["slowest_rank"]                    # of the captures of all ranks of a job

No other package is needed. Errors are msprof.Error with .code and .hint. A capture is used by one thread at a time; several
captures may be used side by side. Ctrl-C ends what runs.

>>> open("/nonexistent")
Traceback (most recent call last):
    ...
msprof.reading.NotFoundError: cannot find '/nonexistent': No such file or directory
>>> print(version())  # doctest: +ELLIPSIS
0...
"""

from __future__ import annotations

import ctypes
import html
import json
import os
import threading
from typing import Any, Callable, Iterator, Optional, Sequence, Union

__all__ = ["Capture", "Error", "NotFoundError", "Table", "UsageError", "cluster", "find", "open", "version"]

_SONAME = "libmsprof.so.1"
_BLOCK_ROWS = 16384  # a call for each block


class Error(Exception):
    """What went wrong. code: of enum msprof_error_code; hint: what to do, "" where there is nothing to say."""

    def __init__(self, code: int, message: str, hint: str):
        super().__init__(message if not hint else f"{message}\n{hint}")
        self.code, self.message, self.hint = code, message, hint


class UsageError(Error, ValueError):
    """An argument is wrong, or there is no such table."""


class NotFoundError(Error, LookupError):
    """There is no such file, capture or data."""


_ERRORS = {-2: UsageError, -3: NotFoundError}
_INTERRUPTED = -12


class _Facts(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("path", ctypes.c_char_p),
        ("database", ctypes.c_char_p),
        ("family", ctypes.c_char_p),
        ("start_ns", ctypes.c_int64),
        ("records_decoded", ctypes.c_uint64),
        ("records_rejected", ctypes.c_uint64),
        ("problems", ctypes.c_uint64),
        ("imported", ctypes.c_int),
    ]


_PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64)


class _OpenOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("import_", ctypes.c_int),
        ("strict", ctypes.c_int),
        ("results", ctypes.c_char_p),
        ("progress", _PROGRESS),
        ("progress_arg", ctypes.c_void_p),
        ("layouts", ctypes.c_char_p),
    ]


class _ClusterOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("table", ctypes.c_char_p), ("progress", _PROGRESS), ("progress_arg", ctypes.c_void_p)]


class _Diagnostic(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_char_p),
        ("severity", ctypes.c_int),
        ("file", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("remedy", ctypes.c_char_p),
        ("count", ctypes.c_uint64),
    ]


class _TableOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("columns", ctypes.c_char_p),
        ("sort", ctypes.c_char_p),
        ("filters", ctypes.POINTER(ctypes.c_char_p)),
        ("top", ctypes.c_uint64),
        ("step", ctypes.c_char_p),
        ("from_", ctypes.c_char_p),
        ("until", ctypes.c_char_p),
        ("block_rows", ctypes.c_size_t),
    ]


class _Column(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_char_p),
        ("title", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("valid", ctypes.POINTER(ctypes.c_uint8)),
        ("integers", ctypes.POINTER(ctypes.c_int64)),
        ("reals", ctypes.POINTER(ctypes.c_double)),
        ("offsets", ctypes.POINTER(ctypes.c_int32)),
        ("text", ctypes.c_void_p),
    ]


class _Block(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_size_t), ("column_count", ctypes.c_size_t), ("columns", ctypes.POINTER(_Column))]


class _ArrowArrayStream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


_PATH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_NAMED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
_DIAGNOSED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Diagnostic))
_BYTES = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
_WRITTEN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


def _candidates() -> Iterator[str]:
    chosen = os.environ.get("MSPROF_LIBRARY")
    if chosen:
        yield chosen
        return
    here = os.path.dirname(os.path.abspath(__file__))
    for directory in (
        here,  # a wheel
        os.path.join(here, "..", "..", "..", "..", "lib"),  # <prefix>/share/msprof/python/msprof
        os.path.join(here, "..", "..", "build", "release"),
    ):
        path = os.path.normpath(os.path.join(directory, _SONAME))
        if os.path.exists(path):
            yield path
    yield _SONAME


def _load() -> ctypes.CDLL:
    problem: Optional[OSError] = None
    for name in _candidates():
        try:
            return _declare(ctypes.CDLL(name))
        except OSError as error:
            problem = error
    raise ImportError(f"cannot load {_SONAME}: {problem}; install libmsprof, or set MSPROF_LIBRARY to its path") from problem


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    error = ctypes.POINTER(ctypes.c_void_p)
    for name, result, arguments in (
        ("version", text, []),
        ("error_code", number, [pointer]),
        ("error_message", text, [pointer]),
        ("error_hint", text, [pointer]),
        ("error_free", None, [pointer]),
        ("find", number, [text, number, _PATH, pointer, error]),
        ("open", number, [text, ctypes.POINTER(_OpenOptions), error, error]),
        ("close", None, [pointer]),
        ("interrupt", None, [pointer]),
        ("facts", number, [pointer, ctypes.POINTER(_Facts), error]),
        ("diagnostics", number, [pointer, _DIAGNOSED, pointer, error]),
        ("tables", number, [pointer, _NAMED, pointer, error]),
        ("table_open", number, [pointer, text, ctypes.POINTER(_TableOptions), error, error]),
        ("sql", number, [pointer, text, error, error]),
        ("table_columns", number, [pointer, ctypes.POINTER(ctypes.POINTER(_Block)), error]),
        ("table_next", number, [pointer, ctypes.POINTER(ctypes.POINTER(_Block)), error]),
        ("table_arrow", number, [pointer, ctypes.POINTER(_ArrowArrayStream), error]),
        ("table_close", None, [pointer]),
        ("answer", number, [pointer, text, pointer, error, error]),
        ("free", None, [pointer]),
        ("cluster", number, [text, ctypes.POINTER(_ClusterOptions), error, error]),
        ("export", number, [pointer, text, text, _WRITTEN, pointer, error]),
        ("export_bytes", number, [pointer, text, _BYTES, pointer, error]),
    ):
        function = getattr(library, "msprof_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library: Optional[ctypes.CDLL] = None


def _lib() -> ctypes.CDLL:
    global _library
    if _library is None:
        _library = _load()
    return _library


def _bytes(text: Union[None, str, bytes, os.PathLike]) -> Optional[bytes]:
    if text is None:
        return None
    found = os.fsencode(text)
    if b"\0" in found:  # C would take what stands before it
        raise ValueError("embedded null character")
    return found


class _Telling:
    """Passes progress on. An exception of the function that takes it, and Ctrl-C, end the work."""

    def __init__(self, progress: Optional[Callable[[str, int, int], Any]]):
        self.raised: list[BaseException] = []
        self.function = _PROGRESS(self._tell)
        self._progress, self._stopped = progress, False

    def _tell(self, _arg: Any, what: bytes, done: int, total: int) -> int:
        if self._progress is not None and not self.raised:
            try:
                self._progress(what.decode(errors="replace"), done, total)
            except BaseException as problem:  # it goes on in the caller
                self.raised.append(problem)
        return int(self._stopped or len(self.raised) > 0)

    def stop(self) -> None:
        self._stopped = True

    def __enter__(self) -> _Telling:
        return self

    def __exit__(self, *_why: Any) -> None:
        if self.raised:
            raise self.raised[0]


def _call(function: Callable, *arguments: Any, interrupt: Optional[Callable[[], None]] = None) -> int:
    """Calls a function with an error behind its arguments. In the main thread the work is one of another thread, so that
    Ctrl-C is heard: it interrupts the work, and is raised when that has ended."""
    error, stopped = ctypes.c_void_p(), False
    if interrupt is None or threading.current_thread() is not threading.main_thread():
        status = function(*arguments, ctypes.byref(error))
    else:
        status, stopped = _call_beside(lambda: function(*arguments, ctypes.byref(error)), interrupt)
    if status >= 0 and not stopped:
        return status
    library = _lib()
    code, message, hint = status, "it failed", ""
    if error:
        message, hint = (get(error).decode(errors="replace") for get in (library.msprof_error_message, library.msprof_error_hint))
        library.msprof_error_free(error)
    if stopped or code == _INTERRUPTED:
        raise KeyboardInterrupt
    raise _ERRORS.get(code, Error)(code, message, hint)


def _call_beside(work: Callable[[], int], interrupt: Callable[[], None]) -> tuple[int, bool]:
    results: list = []
    done = threading.Event()  # a join() that was interrupted does not wait again

    def run() -> None:
        try:
            results.append(work())
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    stopped = False
    while not done.is_set():
        try:
            done.wait()
        except KeyboardInterrupt:
            interrupt()
            stopped = True
    return results[0], stopped


def version() -> str:
    """The version of the library."""
    return _lib().msprof_version().decode()


def find(directory: Union[str, os.PathLike], depth: int = 0) -> list[str]:
    """Paths of the captures that a directory is or holds, and of those up to so many levels further down."""
    paths: list[str] = []

    def take(_arg: Any, path: bytes) -> int:
        paths.append(os.fsdecode(path))
        return 0

    _call(_lib().msprof_find, _bytes(directory), depth, _PATH(take), None)
    return paths


def open(
    path: Union[str, os.PathLike],
    *,
    results: Union[None, str, os.PathLike] = None,
    again: bool = False,
    strict: bool = False,
    progress: Optional[Callable[[str, int, int], Any]] = None,
    layouts: Union[None, str, os.PathLike] = None,
) -> Capture:
    """Opens a capture, and imports it where it has no database or has changed since.

    results: a directory for the database, instead of the capture. again: imports in any case. strict: a data problem is an
    error. progress: called during an import with what is done, how much, and of how much. layouts: a directory of record
    layouts that are not installed.
    """
    return Capture(path, results=results, again=again, strict=strict, progress=progress, layouts=layouts)


def cluster(
    directory: Union[str, os.PathLike],
    table: Optional[str] = None,
    *,
    progress: Optional[Callable[[str, int, int], Any]] = None,
) -> dict:
    """Analyses the captures of all ranks of a job together: a document of the schema msprof.cluster/1 that says who is slow. With
    a table, such as "operator_sum" (msprof-cluster(1) lists them), its "rows". Its "problems" say what was left out."""
    text = ctypes.c_void_p()
    try:
        with _Telling(progress) as telling:
            options = _ClusterOptions(ctypes.sizeof(_ClusterOptions), _bytes(table), telling.function)
            _call(_lib().msprof_cluster, _bytes(directory), options, ctypes.byref(text), interrupt=telling.stop)
        return json.loads(ctypes.string_at(text))
    finally:
        _lib().msprof_free(text)


class Capture:
    """A capture that is open: see msprof.open. It is a context manager, which closes it."""

    def __init__(self, path, *, results=None, again=False, strict=False, progress=None, layouts=None):
        self._handle = ctypes.c_void_p()
        try:
            with _Telling(progress) as telling:
                options = _OpenOptions(ctypes.sizeof(_OpenOptions), int(again), int(strict), _bytes(results), telling.function)
                options.layouts = _bytes(layouts)
                _call(_lib().msprof_open, _bytes(path), options, ctypes.byref(self._handle), interrupt=telling.stop)
        except BaseException:
            self.close()
            raise
        facts = _Facts(ctypes.sizeof(_Facts))
        self._do("facts", ctypes.byref(facts))
        #: path, database: absolute; family: "cann", "svp" and so on; start_ns: the start of the collection
        self.path, self.database = os.fsdecode(facts.path), os.fsdecode(facts.database)
        self.family: str = facts.family.decode()
        self.start_ns: int = facts.start_ns
        #: of the import: counts of records and of data problems
        self.records_decoded: int = facts.records_decoded
        self.records_rejected: int = facts.records_rejected
        self.problems: int = facts.problems
        self._tables: Optional[dict[str, str]] = None

    def _do(self, name: str, *arguments: Any) -> int:
        if not self._handle:
            raise ValueError("the capture is closed")
        library, handle = _lib(), self._handle
        return _call(getattr(library, "msprof_" + name), handle, *arguments, interrupt=lambda: library.msprof_interrupt(handle))

    def close(self) -> None:
        """Closes it. Tables that are read yet stay as they are."""
        if getattr(self, "_handle", None):
            _lib().msprof_close(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_why: Any) -> None:
        self.close()

    def __del__(self):
        self.close()

    @property
    def diagnostics(self) -> list[dict]:
        """What the import met: id, severity, file, message, remedy and count of each."""
        found: list[dict] = []

        def take(_arg, given):
            diagnostic = given.contents
            found.append(
                {
                    "id": diagnostic.id.decode(),
                    "severity": ("note", "warning", "error")[diagnostic.severity],
                    "file": os.fsdecode(diagnostic.file),
                    "message": diagnostic.message.decode(errors="replace"),
                    "remedy": diagnostic.remedy.decode(errors="replace"),
                    "count": diagnostic.count,
                }
            )
            return 0

        self._do("diagnostics", _DIAGNOSED(take), None)
        return found

    @property
    def tables(self) -> dict[str, str]:
        """Names of the tables that have rows, with their titles."""
        if self._tables is None:
            found: dict[str, str] = {}

            def take(_arg, name, title):
                found[name.decode()] = title.decode()
                return 0

            self._do("tables", _NAMED(take), None)
            self._tables = found
        return dict(self._tables)

    def table(
        self,
        name: str,
        *,
        columns: Union[None, str, Sequence[str]] = None,
        filter: Union[None, str, Sequence[str]] = None,
        sort: Optional[str] = None,
        top: int = 0,
        step: Union[None, int, str] = None,
        from_: Optional[str] = None,
        until: Optional[str] = None,
    ) -> Table:
        """A table by its name. The choices are those of msprof-show(1): columns="name,total", filter="total > 100us",
        sort="-total", top=10, step="slowest", from_="1.5s"."""
        return Table(self, name, None, columns, filter, sort, top, step, from_, until)

    def sql(self, query: str) -> Table:
        """The rows of a query, which can only read; msprof-schema(5) describes the tables and views."""
        return Table(self, "sql", query)

    def _answer(self, question: str, other: Optional[Capture] = None) -> Any:
        text = ctypes.c_void_p()
        self._do("answer", _bytes(question), other._handle if other is not None else None, ctypes.byref(text))
        try:
            return json.loads(ctypes.string_at(text))
        finally:
            _lib().msprof_free(text)

    def summary(self) -> dict[str, str]:
        """The figures of 'msprof show'."""
        return {row["Item"]: row["Value"] for row in self._answer("summary")}

    def advise(self) -> dict:
        """What to improve first, with the evidence: a document of the schema msprof.advice/1."""
        return self._answer("advise")

    def diff(self, base: Capture) -> dict:
        """What changed from another capture to this one: a document of the schema msprof.diff/2."""
        return self._answer("diff", base)

    def export(self, what: str, directory: Union[str, os.PathLike]) -> list[str]:
        """Writes files: "summary", "timeline", "perfetto", "db" or "report". Returns their paths."""
        paths: list[str] = []

        def take(_arg, path):
            paths.append(os.fsdecode(path))

        self._do("export", _bytes(what), _bytes(directory), _WRITTEN(take), None)
        return paths

    def export_bytes(self, what: str, write: Callable[[str, bytes], Any]) -> None:
        """Passes the bytes of each file to write, with its name, in pieces; b"" ends a file. An exception of write ends it."""
        raised: list[BaseException] = []

        def take(_arg, name, data, length):
            try:
                write(os.fsdecode(name), ctypes.string_at(data, length))
            except BaseException as problem:  # it goes on in the caller
                raised.append(problem)
            return len(raised)

        try:
            self._do("export_bytes", _bytes(what), _BYTES(take), None)
        finally:
            if raised:
                raise raised[0]

    def timeline(self, directory: Union[None, str, os.PathLike] = None, format: str = "json") -> Union[list[str], bytes]:
        """Writes timelines for viewers into a directory, format "json" or "perfetto", and returns their paths. Without a
        directory: the bytes of the first timeline."""
        what = "timeline" if format == "json" else format
        if directory is not None:
            return self.export(what, directory)
        pieces: dict[str, list[bytes]] = {}
        self.export_bytes(what, lambda name, piece: pieces.setdefault(name, []).append(piece))
        return b"".join(next(iter(pieces.values())))

    def report(self, directory: Union[str, os.PathLike]) -> str:
        """Writes the page report.html."""
        return self.export("report", directory)[0]

    def __repr__(self) -> str:
        state = f"{self.family}, {self.records_decoded} records" if self._handle else "closed"
        return f"<msprof.Capture {self.path!r} ({state})>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(item)}</th><td>{html.escape(value)}</td></tr>" for item, value in self.summary().items())
        return f"<table>{rows}</table>"


class Table:
    """The rows of a table or a query, read anew each time: by iteration, by to_dict(), or as Arrow by __arrow_c_stream__,
    which pandas, polars, pyarrow and DuckDB take. A point in time is an integer in nanoseconds; what was not recorded is
    None."""

    def __init__(self, capture, name, query, columns=None, filter=None, sort=None, top=0, step=None, from_=None, until=None):
        self._capture, self._name, self._query = capture, name, query
        if top < 0:
            raise ValueError(f"top is {top}; expected 0, for all rows, or more")
        filters = [filter] if isinstance(filter, str) else list(filter or [])
        self._filters = (ctypes.c_char_p * (len(filters) + 1))(*(_bytes(one) for one in filters), None)
        self._options = _TableOptions(
            ctypes.sizeof(_TableOptions),
            _bytes(columns if columns is None or isinstance(columns, str) else ",".join(columns)),
            _bytes(sort),
            ctypes.cast(self._filters, ctypes.POINTER(ctypes.c_char_p)),
            top,
            _bytes(str(step) if step is not None else None),
            _bytes(from_),
            _bytes(until),
            _BLOCK_ROWS,
        )

    def _open(self) -> ctypes.c_void_p:
        table = ctypes.c_void_p()
        try:
            if self._query is not None:
                self._capture._do("sql", _bytes(self._query), ctypes.byref(table))
            else:
                self._capture._do("table_open", _bytes(self._name), self._options, ctypes.byref(table))
        except KeyboardInterrupt:
            _lib().msprof_table_close(table)
            raise
        return table

    def _blocks(self) -> Iterator[_Block]:
        """A block of no rows, then those with rows."""
        library, table = _lib(), self._open()
        block = ctypes.POINTER(_Block)()
        handle = self._capture._handle
        try:
            _call(library.msprof_table_columns, table, ctypes.byref(block))
            yield block.contents
            while _call(library.msprof_table_next, table, ctypes.byref(block), interrupt=lambda: library.msprof_interrupt(handle)):
                yield block.contents
        finally:
            library.msprof_table_close(table)

    @property
    def columns(self) -> list[str]:
        """Ids of the columns."""
        blocks = self._blocks()
        first = next(blocks)
        names = [first.columns[i].id.decode() for i in range(first.column_count)]
        blocks.close()
        return names

    @staticmethod
    def _values(column: _Column, rows: int) -> list:
        valid = column.valid
        if column.type == 0:
            values: list = column.integers[:rows]
        elif column.type == 1:
            values = column.reals[:rows]
        else:
            ends = column.offsets[: rows + 1]
            text = ctypes.string_at(column.text, ends[rows]) if rows > 0 else b""
            values = [text[start:end].decode(errors="replace") for start, end in zip(ends, ends[1:])]
        return [value if valid[row >> 3] >> (row & 7) & 1 else None for row, value in enumerate(values)]

    def __iter__(self) -> Iterator[tuple]:
        """Rows as tuples."""
        for block in self._blocks():
            yield from zip(*(self._values(block.columns[i], block.rows) for i in range(block.column_count)))

    def to_dict(self) -> dict[str, list]:
        """Columns as lists, by their ids."""
        names: list[str] = []
        columns: list[list] = []
        for block in self._blocks():
            if not names:
                names = [block.columns[i].id.decode() for i in range(block.column_count)]
                columns = [[] for _ in names]
            for i, values in enumerate(columns):
                values.extend(self._values(block.columns[i], block.rows))
        return dict(zip(names, columns))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a stream of the Arrow C data interface: a PyCapsule. The types are not negotiable."""
        stream = _ArrowArrayStream()
        table = self._open()
        _call(_lib().msprof_table_arrow, table, ctypes.byref(stream))
        return _make_capsule(stream)

    def _head(self, rows: int) -> tuple[list[str], list[tuple], bool]:
        names: list[str] = []
        found: list[tuple] = []
        for block in self._blocks():
            columns = [block.columns[i] for i in range(block.column_count)]
            names = names or [column.id.decode() for column in columns]
            found += zip(*(self._values(column, min(block.rows, rows + 1)) for column in columns))
            if len(found) > rows:
                break
        return names, found[:rows], len(found) > rows

    def __repr__(self) -> str:
        names, rows, more = self._head(10)
        cells = [names] + [["N/A" if value is None else str(value) for value in row] for row in rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
        return "\n".join(lines + (["..."] if more else []))

    def _repr_html_(self) -> str:
        names, rows, more = self._head(20)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{'N/A' if value is None else html.escape(str(value))}</td>" for value in row) + "</tr>" for row in rows
        )
        return f"<table><tr>{head}</tr>{body}</table>" + ("<p>...</p>" if more else "")


# ---- capsules: streams that wait for who takes them ----

_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_DESTROY = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_CAPSULE_NAME = b"arrow_array_stream"
_waiting: dict[int, _ArrowArrayStream] = {}

# By item: these are objects of our own, whose types nobody else sets.
_get_pointer = ctypes.pythonapi["PyCapsule_GetPointer"]
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi["PyCapsule_New"]
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


@_DESTROY
def _destroy(capsule: int) -> None:
    address = _get_pointer(capsule, _CAPSULE_NAME)
    stream = _waiting.pop(address, None)
    if stream is not None and stream.release:  # nobody took it
        _RELEASE(stream.release)(address)


def _make_capsule(stream: _ArrowArrayStream) -> Any:
    address = ctypes.addressof(stream)
    _waiting[address] = stream
    return _new_capsule(address, _CAPSULE_NAME, ctypes.cast(_destroy, ctypes.c_void_p))
