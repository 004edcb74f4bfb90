# SPDX-License-Identifier: Apache-2.0
"""pyACL's acl.prof on libmsprof_acl: captures, msproftx ranges and operator subscription without an NPU.

    import acl                      # with this directory in PYTHONPATH; or: import msprof_acl as acl

    acl.prof.init("captures")
    config = acl.prof.create_config([0], 1, 0, 0x81)
    acl.prof.start(config)
    ...

The names, the order of arguments and the shapes of the returned values are pyACL's: addresses are integers (0 for
NULL), C functions that fill something in give (value, ret), all others that can fail give ret, 0 on success.
message() says in words why the last call failed.

Of the rest of pyACL there is what the snippets about acl.prof need and what needs no device: acl.init and acl.finalize
(which read an acl.json), acl.util.bytes_to_ptr, numpy_to_ptr, start_thread and stop_thread. acl.rt.set_context,
synchronize_stream, acl.mdl.execute and execute_async stand in for the device: they do nothing and return 0; execute and
synchronize_stream do so when a replay (MSPROF_REPLAY) has sent what is subscribed.

The library is looked for in $MSPROF_ACL_LIBRARY, among what the process has loaded already (the preload library),
beside the installation of this file, in the package around it (a wheel), in the build directory of its source tree, and where the system looks.
"""

import ctypes
import os
import sys
import threading
from ctypes import c_char_p, c_int, c_int8, c_size_t, c_uint32, c_uint64, c_void_p
from types import SimpleNamespace

__all__ = [
    "prof",
    "rt",
    "mdl",
    "util",
    "init",
    "finalize",
    "message",
    "now",
    "capture_path",
    "ACL_PROF_ACL_API",
    "ACL_PROF_TASK_TIME",
    "ACL_PROF_AICORE_METRICS",
    "ACL_PROF_AICPU",
    "ACL_PROF_L2CACHE",
    "ACL_PROF_HCCL_TRACE",
    "ACL_PROF_TRAINING_TRACE",
    "ACL_PROF_MSPROFTX",
    "ACL_PROF_RUNTIME_API",
]

_SONAME = "libmsprof_acl.so.1"


def _candidates():
    chosen = os.environ.get("MSPROF_ACL_LIBRARY")
    if chosen:
        yield chosen
        return
    yield None  # what is loaded already
    here = os.path.dirname(os.path.abspath(__file__))
    for directory in (
        os.path.join(here, ".."),  # the package of a wheel
        os.path.join(here, "..", "..", "..", "lib"),  # <prefix>/share/msprof/python
        os.path.join(here, "..", "build", "release"),
    ):
        path = os.path.normpath(os.path.join(directory, _SONAME))
        if os.path.exists(path):
            yield path
    yield _SONAME


def _load():
    problem = None
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            problem = error
            continue
        if hasattr(library, "msprof_acl_message"):
            return library
    raise ImportError(f"cannot load {_SONAME}: {problem}; set MSPROF_ACL_LIBRARY to its path")


_library = _load()


def _function(name, result, *arguments):
    function = getattr(_library, name)
    function.restype = result
    function.argtypes = arguments
    return function


_OP = (c_void_p, c_size_t, c_uint32)  # the records that came through a pipe, their bytes, an index

_message = _function("msprof_acl_message", c_char_p)
_json_start = _function("msprof_acl_json_start", c_int, c_char_p)
_json_stop = _function("msprof_acl_json_stop", c_int)
_set_program = _function("msprof_acl_set_program", None, c_char_p)
_capture_path = _function("msprof_acl_capture_path", c_size_t, c_char_p, c_size_t)
_now = _function("msprof_acl_now", c_uint64)
_replay_runs = _function("msprof_acl_replay_runs", c_int, c_uint32, c_int)
_init = _function("aclprofInit", c_int, c_char_p, c_size_t)
_finalize = _function("aclprofFinalize", c_int)
_start = _function("aclprofStart", c_int, c_void_p)
_stop = _function("aclprofStop", c_int, c_void_p)
_create_config = _function(
    "aclprofCreateConfig", c_void_p, ctypes.POINTER(c_uint32), c_uint32, c_int, c_void_p, c_uint64
)
_destroy_config = _function("aclprofDestroyConfig", c_int, c_void_p)
_set_config = _function("aclprofSetConfig", c_int, c_int, c_char_p, c_size_t)
_create_stamp = _function("aclprofCreateStamp", c_void_p)
_destroy_stamp = _function("aclprofDestroyStamp", None, c_void_p)
_set_stamp_trace_message = _function("aclprofSetStampTraceMessage", c_int, c_void_p, c_char_p, c_uint32)
_mark = _function("aclprofMark", c_int, c_void_p)
_mark_ex = _function("aclprofMarkEx", c_int, c_char_p, c_size_t, c_void_p)
_push = _function("aclprofPush", c_int, c_void_p)
_pop = _function("aclprofPop", c_int)
_range_start = _function("aclprofRangeStart", c_int, c_void_p, ctypes.POINTER(c_uint32))
_range_stop = _function("aclprofRangeStop", c_int, c_uint32)
_str2id = _function("aclprofStr2Id", c_uint64, c_char_p)
_create_step_info = _function("aclprofCreateStepInfo", c_void_p)
_get_step_timestamp = _function("aclprofGetStepTimestamp", c_int, c_void_p, c_int, c_void_p)
_destroy_step_info = _function("aclprofDestroyStepInfo", None, c_void_p)
_create_subscribe_config = _function("aclprofCreateSubscribeConfig", c_void_p, c_int8, c_int, c_void_p)
_destroy_subscribe_config = _function("aclprofDestroySubscribeConfig", c_int, c_void_p)
_model_subscribe = _function("aclprofModelSubscribe", c_int, c_uint32, c_void_p)
_model_un_subscribe = _function("aclprofModelUnSubscribe", c_int, c_uint32)
_get_op_desc_size = _function("aclprofGetOpDescSize", c_int, ctypes.POINTER(c_size_t))
_get_op_num = _function("aclprofGetOpNum", c_int, c_void_p, c_size_t, ctypes.POINTER(c_uint32))
_get_op_type_len = _function("aclprofGetOpTypeLen", c_int, *_OP, ctypes.POINTER(c_size_t))
_get_op_name_len = _function("aclprofGetOpNameLen", c_int, *_OP, ctypes.POINTER(c_size_t))
_get_op_type = _function("aclprofGetOpType", c_int, *_OP, c_char_p, c_size_t)
_get_op_name = _function("aclprofGetOpName", c_int, *_OP, c_char_p, c_size_t)
_get_op_start = _function("aclprofGetOpStart", c_uint64, *_OP)
_get_op_end = _function("aclprofGetOpEnd", c_uint64, *_OP)
_get_op_duration = _function("aclprofGetOpDuration", c_uint64, *_OP)
_get_model_id = _function("aclprofGetModelId", c_size_t, *_OP)
_get_op_flag = _function("aclprofGetOpFlag", c_int, *_OP)
_get_op_attri_value = _function("aclprofGetOpAttriValue", c_char_p, *_OP, c_int)
_flush = _function("msprof_acl_flush", c_int)
_end_process = os._exit


def _exit(status):
    """os._exit, by which workers of multiprocessing end: what was recorded is written first."""
    _flush()
    _end_process(status)


os._exit = _exit


def _bytes(text):
    """A C string and its length; what stands behind a NUL would be lost, so the length says that it is there."""
    if text is None:
        return None, 0
    data = text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")
    return data, len(data)


def message():
    """Why the last call of this thread that failed did so; "" when none has."""
    return _message().decode("utf-8", "replace")


def now():
    """The time that a record made now would carry: nanoseconds of CLOCK_MONOTONIC_RAW."""
    return _now()


def capture_path():
    """The directory of the capture that runs, or of the last one; "" when there was none."""
    size = _capture_path(None, 0) + 1
    buffer = ctypes.create_string_buffer(size)
    _capture_path(buffer, size)
    return os.fsdecode(buffer.value)


# --- acl.init, acl.finalize: an acl.json with a "profiler" object begins a capture ---


def init(config_path=None):
    if not config_path:
        return 0
    script = sys.argv[0] if sys.argv and os.path.isfile(sys.argv[0]) else "-"
    _set_program(os.fsencode(os.path.abspath(script)))  # the executable is Python
    return _json_start(os.fsencode(config_path))


def finalize():
    return _json_stop()


# --- acl.prof: captures in files ---


def _prof_init(path):
    data, length = _bytes(path)
    return _init(data, length)


def _prof_create_config(device_list, aicore_metrics, aicore_events=0, data_type_config=0):
    if isinstance(device_list, int):
        device_list = [device_list]
    devices = list(device_list or ())
    array = (c_uint32 * len(devices))(*devices) if devices else None
    return _create_config(array, len(devices), aicore_metrics, aicore_events or None, data_type_config) or 0


def _prof_set_config(config_type, config):
    data, length = _bytes(config)
    return _set_config(config_type, data, length)


# --- acl.prof: msproftx ---


def _prof_set_stamp_trace_message(stamp, msg, msg_len):
    data, _ = _bytes(msg)
    # Snippets give len(msg), characters; C counts bytes.
    if isinstance(msg, str) and msg_len == len(msg):
        msg_len = len(data)
    return _set_stamp_trace_message(stamp, data, msg_len)


def _prof_mark_ex(msg, *length_and_stream):
    """mark_ex(msg, stream) or mark_ex(msg, msg_len, stream)."""
    data, length = _bytes(msg)
    if len(length_and_stream) == 2 and length_and_stream[0] != len(msg):
        length = length_and_stream[0]
    return _mark_ex(data, length, length_and_stream[-1])


def _prof_pop(_stamp=None):
    """Ends the range that was pushed last; the stamp that some snippets give says nothing more."""
    return _pop()


def _prof_range_start(stamp):
    number = c_uint32(0)
    ret = _range_start(stamp, ctypes.byref(number))
    return number.value, ret


def _prof_str2id(text):
    return _str2id(_bytes(text)[0])


# --- acl.prof: subscription ---


class _WriteEnd:
    """The write end of a program's pipe.

    The library closes the one that it was given when the last model is unsubscribed, so that the reader comes to the
    end. Some samples close theirs afterwards, some never do: the library gets a copy, and the program's own becomes one
    that leads nowhere, which goes with the configuration.
    """

    def __init__(self, fd):
        self.fd = fd
        self.pipe = self._identity()
        self.copy = os.dup(fd) if self.pipe else fd
        self.configs = 0
        self.models = set()

    def _identity(self):
        try:
            status = os.fstat(self.fd)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def is_open(self):
        return self.pipe is not None and self._identity() == self.pipe

    def release(self):
        """The library has closed its copy."""
        self.copy = -1
        if not self.is_open():
            return
        reader, writer = os.pipe()
        os.dup2(writer, self.fd, inheritable=False)
        os.close(reader)
        os.close(writer)
        self.pipe = self._identity()

    def forget(self):
        """No configuration needs it any more."""
        if self.copy < 0 and self.is_open():
            os.close(self.fd)
        elif self.copy >= 0 and self.copy != self.fd and not self.models:
            os.close(self.copy)


_ends = {}  # by configuration
_lock = threading.RLock()


def _end_for(fd):
    for end in _ends.values():
        if end.fd == fd and end.copy >= 0 and end.is_open():
            return end
    return _WriteEnd(fd)


def _prof_create_subscribe_config(time_info_switch, aicore_metrics, fd):
    with _lock:
        end = _end_for(fd)
        number = c_int(end.copy)
        config = _create_subscribe_config(time_info_switch, aicore_metrics, ctypes.addressof(number)) or 0
        if config:
            _ends[config] = end
            end.configs += 1
        elif end.configs == 0:
            end.forget()
    return config


def _prof_destroy_subscribe_config(config):
    with _lock:
        ret = _destroy_subscribe_config(config)
        end = _ends.pop(config, None) if ret == 0 else None
        if end is not None:
            end.configs -= 1
            if end.configs == 0:
                end.forget()
    return ret


def _prof_model_subscribe(model_id, config):
    with _lock:
        end = _ends.get(config)
        ret = _model_subscribe(model_id, 0 if end is not None and end.copy < 0 else config)
        if ret == 0 and end is not None:
            end.models.add(model_id)
            _subscribed[model_id] = end
    return ret


_subscribed = {}  # by model


def _prof_model_un_subscribe(model_id):
    with _lock:
        ret = _model_un_subscribe(model_id)
        end = _subscribed.pop(model_id, None) if ret == 0 else None
        if end is not None:
            end.models.discard(model_id)
            if not end.models and end.copy != end.fd:
                end.release()
    return ret


def _prof_get_op_desc_size():
    size = c_size_t(0)
    ret = _get_op_desc_size(ctypes.byref(size))
    return size.value, ret


def _prof_get_op_num(op_info, op_info_len):
    number = c_uint32(0)
    ret = _get_op_num(op_info, op_info_len, ctypes.byref(number))
    return number.value, ret


def _length(function, op_info, op_info_len, index):
    length = c_size_t(0)
    ret = function(op_info, op_info_len, index, ctypes.byref(length))
    return length.value, ret


def _text(function, op_info, op_info_len, index, size):
    buffer = ctypes.create_string_buffer(max(size, 1))
    ret = function(op_info, op_info_len, index, buffer, size)
    return buffer.value.decode("utf-8", "replace"), ret


def _sized_text(function, length_function, op_info, op_info_len, index):
    length, ret = _length(length_function, op_info, op_info_len, index)
    return ("", ret) if ret != 0 else _text(function, op_info, op_info_len, index, length)


def _prof_get_op_attri_value(op_info, op_info_len, index, attri):
    value = _get_op_attri_value(op_info, op_info_len, index, attri)
    return None if value is None else value.decode("utf-8", "replace")


prof = SimpleNamespace(
    init=_prof_init,
    finalize=lambda: _finalize(),
    start=_start,
    stop=_stop,
    create_config=_prof_create_config,
    destroy_config=_destroy_config,
    set_config=_prof_set_config,
    create_stamp=lambda: _create_stamp() or 0,
    set_stamp_trace_message=_prof_set_stamp_trace_message,
    mark=_mark,
    mark_ex=_prof_mark_ex,
    push=_push,
    pop=_prof_pop,
    range_start=_prof_range_start,
    range_stop=_range_stop,
    destroy_stamp=_destroy_stamp,
    str2id=_prof_str2id,
    create_step_info=lambda: _create_step_info() or 0,
    get_step_timestamp=_get_step_timestamp,
    destroy_step_info=_destroy_step_info,
    create_subscribe_config=_prof_create_subscribe_config,
    destroy_subscribe_config=_prof_destroy_subscribe_config,
    model_subscribe=_prof_model_subscribe,
    model_un_subscribe=_prof_model_un_subscribe,
    model_unsubscribe=_prof_model_un_subscribe,  # the spelling of some samples
    get_op_desc_size=_prof_get_op_desc_size,
    get_op_num=_prof_get_op_num,
    get_op_type_len=lambda *op: _length(_get_op_type_len, *op),
    get_op_name_len=lambda *op: _length(_get_op_name_len, *op),
    get_op_type=lambda *op_and_size: _text(_get_op_type, *op_and_size),
    get_op_name=lambda *op_and_size: _text(_get_op_name, *op_and_size),
    get_op_type_v2=lambda *op: _sized_text(_get_op_type, _get_op_type_len, *op),
    get_op_name_v2=lambda *op: _sized_text(_get_op_name, _get_op_name_len, *op),
    get_op_start=_get_op_start,
    get_op_end=_get_op_end,
    get_op_duration=_get_op_duration,
    get_model_id=_get_model_id,
    get_op_flag=_get_op_flag,
    get_op_attri_value=_prof_get_op_attri_value,
)


# --- acl.util: what the snippets use around acl.prof ---

_threads = {}


def _start_thread(function, arguments):
    thread = threading.Thread(target=function, args=(arguments,))
    thread.start()
    _threads[thread.ident] = thread
    return thread.ident, 0


def _stop_thread(thread_id):
    thread = _threads.pop(thread_id, None)
    if thread is None:
        return 100000
    thread.join()
    return 0


def _bytes_to_ptr(data):
    return ctypes.cast(c_char_p(data), c_void_p).value


util = SimpleNamespace(
    bytes_to_ptr=_bytes_to_ptr,
    numpy_to_ptr=lambda array: array.__array_interface__["data"][0],
    start_thread=_start_thread,
    stop_thread=_stop_thread,
)

# --- acl.rt, acl.mdl: what the snippets ask of a device ---


def _wait_for_replay(model_id):
    while _replay_runs(model_id, 100):  # in pieces, so that an interrupt is heard
        pass
    return 0


def _synchronize_stream(_stream):
    for model_id in list(_subscribed):
        _wait_for_replay(model_id)
    return 0


rt = SimpleNamespace(set_context=lambda _context: 0, synchronize_stream=_synchronize_stream)
mdl = SimpleNamespace(
    execute=lambda model_id, _input, _output: _wait_for_replay(model_id),
    execute_async=lambda _model_id, _input, _output, _stream: 0,
)

# --- the bits of create_config's last argument, as in the C header ---

ACL_PROF_ACL_API = 0x1
ACL_PROF_TASK_TIME = 0x2
ACL_PROF_AICORE_METRICS = 0x4
ACL_PROF_AICPU = 0x8
ACL_PROF_L2CACHE = 0x10
ACL_PROF_HCCL_TRACE = 0x20
ACL_PROF_TRAINING_TRACE = 0x40
ACL_PROF_MSPROFTX = 0x80
ACL_PROF_RUNTIME_API = 0x100
