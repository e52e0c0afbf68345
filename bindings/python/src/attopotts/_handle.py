# SPDX-License-Identifier: MIT
"""What all handles share: ownership, arrays, progress and interruption."""
import contextlib
import ctypes
import signal
import threading
import weakref
from typing import Any

import numpy as np

from ._generated import ProgressKey
from ._library import check, kept, lib


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


_local = threading.local()


def default_context():
    """The context of the calling thread, made at its first use: all cores, messages to the logger "attopotts"."""
    from .context import Context  # which is made of this module's parts

    if getattr(_local, "context", None) is None or _local.context._owned is None:
        _local.context = Context()
    return _local.context


def make(function, *arguments):
    """Call a create function; gives the new handle's address."""
    out = ctypes.c_void_p()
    check(function(*arguments, ctypes.addressof(out)))
    return out.value


class Handle(contextlib.AbstractContextManager):
    """Base of the classes around a C handle; usable in `with`. After close() every use raises ValueError."""

    _owned: Any = None

    @classmethod
    def _adopt(cls, owned):
        """An object around a handle that a function of _calls made."""
        self = cls.__new__(cls)
        self._owned = owned
        return self

    @property
    def _open(self):
        if self._owned is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._owned

    @property
    def _address(self):
        return self._open.address

    def close(self):
        """Let go of the C handle.

        It is freed at once unless views of its arrays or other handles still need it.
        """
        self._owned = None

    def __exit__(self, *exception):
        self.close()

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


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def run(call, progress=None):
    """call(callback, user), with a callback that reports to `progress` (a dict of numbers; a true answer stops) and keeps its exceptions
    until the call is over. In the main thread Ctrl-C sets a flag that the callback sees; KeyboardInterrupt follows after the call."""
    interrupts, errors = [], []

    def report(address, user):
        try:
            if interrupts or progress is None:
                return len(interrupts) > 0
            values = {key.name.lower(): lib.atp_progress_value(address, key) for key in ProgressKey}
            return bool(progress({name: value for name, value in values.items() if value == value}))
        except BaseException as error:  # nothing may leave through the library's frames
            errors.append(error)
            return True

    callback, previous = _CALLBACK(report), None
    if threading.get_ident() == threading.main_thread().ident and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        previous = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        status = call(ctypes.cast(callback, ctypes.c_void_p).value, None)
    finally:
        if previous is not None:
            signal.signal(signal.SIGINT, previous)
    if interrupts or errors:
        kept.error = None
        raise KeyboardInterrupt if interrupts else errors[0]
    check(status)
