# SPDX-License-Identifier: MIT
"""What all handles share: ownership, arrays, progress and interruption."""
import ctypes
import itertools
import signal
import threading
import weakref

import numpy as np

from ._generated import ProgressKey
from ._library import check, lib


def described(**texts):
    """A decorator: docstrings of the fields of a NamedTuple."""
    def decorate(made):
        for name, text in texts.items():
            getattr(made, name).__doc__ = text
        return made
    return decorate


class Owned:
    """A C handle that is destroyed when nothing needs it any more: the object, views of its arrays, or handles made from it."""

    def __init__(self, address, destroy, context=None, *needs):
        self.address, self.context = address, context
        # The finalizer keeps what is needed, the context first, alive until after the handle is gone.
        weakref.finalize(self, lambda address, *needs: destroy(address), address, context, *needs)


def make(function, *arguments):
    """Call a create function; gives the new handle's address."""
    out = ctypes.c_void_p()
    check(function(*arguments, ctypes.addressof(out)))
    return out.value


class Handle:
    """Base of the classes around a C handle; usable in `with`. After close() every use raises ValueError."""

    _destroy = None
    _owned = None

    @classmethod
    def _adopt(cls, owned, context=None):
        """An object around a handle that a function of _calls made."""
        self = cls.__new__(cls)
        self._owned = owned
        self._context = context
        return self

    @property
    def _address(self):
        if self._owned is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._owned.address

    def close(self):
        """Let go of the C handle; it is freed at once unless views of its arrays or other handles still need it."""
        self._owned = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()
        return False

    def _told(self):
        """What repr() says of an open handle."""
        return ""

    def __repr__(self):
        name = type(self).__name__
        return f"<attopotts.{name}, closed>" if self._owned is None else f"<attopotts.{name}{self._told()}>"


class _Memory:
    """An array inside a handle, which it keeps alive."""

    def __init__(self, owner, address, shape, dtype):
        self.owner = owner
        self.__array_interface__ = {"data": (address, True), "shape": shape, "typestr": np.dtype(dtype).str, "version": 3}


def view(owner, address, shape, dtype):
    """A read-only array of memory that belongs to a handle."""
    return np.asarray(_Memory(owner, address, shape, dtype))


def frozen(array):
    """A copy, read-only: what is written to it would not reach the handle."""
    array.setflags(write=False)
    return array


def pointer(array):
    return None if array is None else array.ctypes.data


def array_of(array, name, dtype, shape=None):
    """An array in C order of this type; no copy where it is that already. Extents of the shape: numbers, or texts, any number, equal ones
    the same."""
    result = np.ascontiguousarray(array, dtype=dtype)
    if shape is not None:
        free = {s: n for s, n in zip(shape, result.shape) if isinstance(s, str)}
        if len(shape) != result.ndim or any(free.get(s, s) != n for s, n in zip(shape, result.shape)):
            raise ValueError(f"{name} has shape {result.shape}, expected ({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})")
    return result


def reals(array, name, shape=None):
    return array_of(array, name, np.float64, shape)


def colors_array(array, name="sequences", dimensions=2, sites=None):
    """uint8, C order; no copy where it is that already. Other integers are converted if they fit."""
    result = np.asarray(array)
    if result.dtype != np.uint8:
        if result.dtype.kind not in "iub":
            raise TypeError(f"{name} has dtype {result.dtype}, expected integers")
        if result.size and (result.min() < 0 or result.max() > 255):
            raise ValueError(f"{name} has values from {result.min()} to {result.max()}, expected 0..255")
        result = result.astype(np.uint8)
    if result.ndim != dimensions:
        raise ValueError(f"{name} has {result.ndim} dimensions, expected {dimensions}")
    if sites is not None and result.shape[-1] != sites:
        raise ValueError(f"{name} has {result.shape[-1]} sites, expected {sites}")
    return np.ascontiguousarray(result)


def member(enum, value, name):
    """A member of an enum from itself, its number or its name in any case, with - or _."""
    if isinstance(value, str):
        try:
            return enum[value.upper().replace("-", "_")]
        except KeyError:
            raise ValueError(f'{name} is "{value}", expected one of {", ".join(m.name.lower() for m in enum)}') from None
    return enum(value)


class _Run:
    """A call in progress: who wants its reports, what went wrong in them, whether Ctrl-C was pressed."""

    __slots__ = ("progress", "error", "interrupted")

    def __init__(self, progress):
        self.progress, self.error, self.interrupted = progress, None, False

    def note(self, number, frame):
        self.interrupted = True

    def report(self, address):
        if self.interrupted:
            return 1
        if self.progress is None:
            return 0
        values = {key.name.lower(): lib.atp_progress_value(address, key) for key in ProgressKey}
        return 1 if self.progress({name: value for name, value in values.items() if value == value}) else 0


_main = threading.main_thread().ident
_runs = {}
_keys = itertools.count(1)


def _report(address, user):
    run = _runs[user]
    try:
        return run.report(address)
    except BaseException as error:  # nothing may leave through the library's frames
        run.error = error
        return 1


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(_report)
_CALLBACK_ADDRESS = ctypes.cast(_CALLBACK, ctypes.c_void_p).value


def run(call, progress=None):
    """call(callback, user), with a callback that reports to `progress` (a dict of numbers; a true answer stops) and keeps its exceptions
    until the call is over. In the main thread Ctrl-C sets a flag that the callback sees; KeyboardInterrupt follows after the call."""
    state, key = _Run(progress), next(_keys)
    _runs[key] = state
    previous = None
    if threading.get_ident() == _main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        previous = signal.signal(signal.SIGINT, state.note)
    try:
        status = call(_CALLBACK_ADDRESS, key)
    finally:
        if previous is not None:
            signal.signal(signal.SIGINT, previous)
        del _runs[key]
    if state.interrupted:
        raise KeyboardInterrupt
    if state.error is not None:
        raise state.error
    check(status)
