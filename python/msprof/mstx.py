# SPDX-License-Identifier: Apache-2.0
"""mstx: a program says what it does, and a tool that is there records it (mstx(3)).

    import mstx                     # with this directory in PYTHONPATH; or: from msprof import mstx

    step = mstx.range_start("step")
    work()
    mstx.range_end(step)

The functions are those of CANN's module mstx, and take a domain, too, as torch_npu's and MindSpore's do. mstx_range is
a decorator, and a context of a with statement. Without a tool they do nothing. The tool is looked for with the first
call: InitInjectionMstx of the library that MSTX_INJECTION_PATH names, else of any that is loaded ('msprof run' loads
one), else of the libmsprof_acl of acl.prof, once the program has imported that.

A stream is the number of an aclrtStream, an object that has it as npu_stream (torch_npu), or None.
"""

import ctypes
import functools
import os
import sys
import threading
from ctypes import c_char_p, c_int, c_uint, c_uint64, c_void_p

__all__ = ["mark", "range_start", "range_end", "get_tool_id", "mstx_range"]

DEFAULT_DOMAIN = "default"

_CORE, _DOMAIN = 1, 2  # modules of functions
_POINTER = ctypes.POINTER(c_void_p)
_GET_TABLE = ctypes.CFUNCTYPE(c_int, c_int, ctypes.POINTER(ctypes.POINTER(_POINTER)), ctypes.POINTER(c_uint))

_MARK = ctypes.CFUNCTYPE(None, c_char_p, c_void_p)
_RANGE_START = ctypes.CFUNCTYPE(c_uint64, c_char_p, c_void_p)
_RANGE_END = ctypes.CFUNCTYPE(None, c_uint64)
_GET_TOOL_ID = ctypes.CFUNCTYPE(None, ctypes.POINTER(c_uint64))
_DOMAIN_CREATE = ctypes.CFUNCTYPE(c_void_p, c_char_p)
_DOMAIN_MARK = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)
_DOMAIN_RANGE_START = ctypes.CFUNCTYPE(c_uint64, c_void_p, c_char_p, c_void_p)
_DOMAIN_RANGE_END = ctypes.CFUNCTYPE(None, c_void_p, c_uint64)

# The functions of each module, in the order of its table, which has nothing at 0; a domain's second destroys it.
_MODULES = {
    _CORE: (_MARK, _RANGE_START, _RANGE_END, _GET_TOOL_ID),
    _DOMAIN: (_DOMAIN_CREATE, None, _DOMAIN_MARK, _DOMAIN_RANGE_START, _DOMAIN_RANGE_END),
}


class _Tool:
    """The functions that a tool has put into the tables of this module."""

    def __init__(self, init):
        self._places = {module: (c_void_p * (len(types) + 1))() for module, types in _MODULES.items()}
        self._tables = {module: self._table(module) for module in _MODULES}
        self._get = _GET_TABLE(self._get_table)
        self.works = init(self._get) == 0
        self.mark, self.range_start, self.range_end, self.get_tool_id = self._functions(_CORE)
        create, _, self.domain_mark, self.domain_range_start, self.domain_range_end = self._functions(_DOMAIN)
        self._create = create
        self._domains = {}
        self._lock = threading.Lock()

    def _table(self, module):
        places = self._places[module]
        size = ctypes.sizeof(c_void_p)
        pointers = [ctypes.cast(ctypes.addressof(places) + i * size, _POINTER) for i in range(1, len(places))]
        return (_POINTER * (len(places) + 1))(_POINTER(), *pointers, _POINTER())

    def _get_table(self, module, ret_table, ret_size):
        if module not in self._tables or not ret_table or not ret_size:
            return 1
        ret_table[0] = ctypes.cast(self._tables[module], ctypes.POINTER(_POINTER))
        ret_size[0] = len(self._places[module])
        return 0

    def _functions(self, module):
        places = self._places[module]
        types = _MODULES[module]
        return [
            make(places[i + 1]) if self.works and make and places[i + 1] else None for i, make in enumerate(types)
        ]

    def domain(self, name):
        """The handle of a domain; None: the tool has no domains, or refuses this one."""
        handle = self._domains.get(name)
        if handle is None and self._create is not None:
            with self._lock:
                handle = self._domains.get(name)
                if handle is None:
                    handle = self._create(_bytes(name))
                    self._domains[name] = handle
        return handle


def _acl():
    """The module that records, where the program has imported it; a wheel has it as msprof.acl."""
    return sys.modules.get("msprof_acl") or sys.modules.get("msprof.acl")


def _injected():
    """InitInjectionMstx of the tool that is there, and whether there can be no other; None: there is none."""
    path = os.environ.get("MSTX_INJECTION_PATH")
    try:
        library = ctypes.CDLL(path)  # of None: everything that is loaded
        return library.InitInjectionMstx, True
    except (OSError, AttributeError):
        if path is not None:
            return None, True
    acl = _acl()
    return (acl._library.InitInjectionMstx, True) if acl is not None else (None, False)


_tool = None
_settled = False  # a tool is there, or will never be
_lock = threading.Lock()


def _find():
    """The tool; None: there is none."""
    global _tool, _settled
    if not _settled and (_tool is None or _acl() is not None):
        with _lock:
            if not _settled:
                init, settled = _injected()
                if init is not None:
                    init.restype = c_int
                    init.argtypes = [_GET_TABLE]
                    tool = _Tool(init)
                    _tool = tool if tool.works else None
                _settled = settled
    return _tool


def _bytes(text):
    """What has no UTF-8 is shown by its number, and a NUL, which ends texts of C, as \\0."""
    if isinstance(text, str):
        try:
            text = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            text = text.encode("utf-8", "backslashreplace")
    return text.replace(b"\0", b"\\0")


def _checked(text, what="message"):
    if text is not None and not isinstance(text, (str, bytes)):
        raise TypeError(f"{what} must be str, not {type(text).__name__}")
    return text


def _address(stream):
    """The number of a stream, None for what is none."""
    stream = getattr(stream, "npu_stream", stream)
    return stream if isinstance(stream, int) else None


def _handle(tool, domain):
    """Of a domain; None: the default one, also where the tool makes none of that name."""
    return tool.domain(domain) if _checked(domain, "domain") is not None and domain != DEFAULT_DOMAIN else None


def mark(message=None, stream=None, domain=DEFAULT_DOMAIN):
    """Something happened."""
    tool = _find()
    if _checked(message) is None or tool is None:
        return
    handle = _handle(tool, domain)
    if handle is not None and tool.domain_mark is not None:
        tool.domain_mark(handle, _bytes(message), _address(stream))
    elif handle is None and tool.mark is not None:
        tool.mark(_bytes(message), _address(stream))


def range_start(message=None, stream=None, domain=DEFAULT_DOMAIN):
    """Something begins: gives what range_end ends it by; 0: nothing hears of it."""
    tool = _find()
    if _checked(message) is None or tool is None:
        return 0
    handle = _handle(tool, domain)
    if handle is not None and tool.domain_range_start is not None:
        return tool.domain_range_start(handle, _bytes(message), _address(stream))
    if handle is None and tool.range_start is not None:
        return tool.range_start(_bytes(message), _address(stream))
    return 0


def range_end(rangeId=None, domain=DEFAULT_DOMAIN, *, range_id=None):  # noqa: N803, the name that CANN's module has
    """It ends, in any thread."""
    number = range_id if rangeId is None else rangeId
    if not isinstance(number, int):
        raise TypeError("range_end needs the number that range_start gave")
    tool = _find()
    if tool is None:
        return
    handle = _handle(tool, domain)
    if handle is not None and tool.domain_range_end is not None:
        tool.domain_range_end(handle, number)
    elif handle is None and tool.range_end is not None:
        tool.range_end(number)


def get_tool_id():
    """The tool that hears the program: 0x1000 is msprof; 0: none."""
    tool = _find()
    number = c_uint64(0)
    if tool is not None and tool.get_tool_id is not None:
        tool.get_tool_id(ctypes.byref(number))
    return number.value


class mstx_range:  # noqa: N801, a decorator
    """A range from the begin of a function to its end, @mstx_range("forward"), or of a block: with mstx_range("io")."""

    def __init__(self, message, stream=None, domain=DEFAULT_DOMAIN):
        self._arguments = (message, stream, domain)
        self._open = []

    def __call__(self, function):
        message, stream, domain = self._arguments

        @functools.wraps(function)
        def ranged(*args, **kwargs):
            number = range_start(message, stream, domain)
            try:
                return function(*args, **kwargs)
            finally:
                range_end(number, domain)

        return ranged

    def __enter__(self):
        self._open.append(range_start(*self._arguments))
        return self

    def __exit__(self, *_):
        range_end(self._open.pop(), self._arguments[2])
        return False
