# SPDX-License-Identifier: MIT
"""What all handles share: ownership, arrays, progress and interruption."""
import contextlib
import ctypes
import operator
import os
import re
import signal
import threading
from typing import Any

import numpy as np

from ._generated import ProgressKey
from ._library import Error, check, kept, lib
from ._owned import Owned


def described(**texts):
    """A decorator: docstrings of the fields of a NamedTuple."""
    def decorate(made):
        for name, text in texts.items():
            getattr(made, name).__doc__ = text
        return made
    return decorate


_local = threading.local()
ending = threading.Event()  # set when the process ends


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
    _kind: Any = None  # in names of the library
    _instead = "make another one there"

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

    def close(self):
        """Let go of the C handle.

        It is freed at once unless views of its arrays or other handles still need it.
        """
        self._owned = None

    def __exit__(self, *exception):
        self.close()

    def __reduce_ex__(self, protocol):
        raise TypeError(f"{type(self).__name__} objects belong to one process and cannot be copied or pickled: {self._instead}")

    def _context(self):
        """The context of the handle, as an object of its own."""
        from .context import Context  # which is made of this module's parts

        return Context._adopt(self._open.root)

    def _told(self):
        """What repr() says of an open handle."""
        return ""

    def __repr__(self):
        name = type(self).__name__
        return f"<attopotts.{name}, closed>" if self._owned is None else f"<attopotts.{name}{self._told()}>"


class Stored(Handle):
    """Base of the classes whose objects are copied and pickled as the bytes of the library's own state, which are all of them but, of some,
    attributes that are texts. A copy has the context of its original, what is unpickled that of the thread."""

    _beside: Any = ()  # names of these attributes

    def _bytes(self):
        state = np.empty(getattr(lib, f"atp_{self._kind}_state_bytes")(self._open), dtype=np.uint8)
        check(getattr(lib, f"atp_{self._kind}_save_state")(self._open, state.ctypes.data, state.size))
        return state.tobytes()

    def __reduce_ex__(self, protocol):
        return _from_bytes, (type(self), self._bytes(), {name: getattr(self, name) for name in self._beside})

    def __copy__(self):
        make_again, (kind, state, texts) = self.__reduce_ex__(2)
        return make_again(kind, state, texts, self._context())

    def __deepcopy__(self, memo):
        return self.__copy__()


def _from_bytes(kind, state, texts, context=None):
    """An object of a class from the bytes of its state."""
    context = context_of(context)._open
    made = make(getattr(lib, f"atp_{kind._kind}_from_state"), context, state, len(state))
    self = kind._adopt(Owned(made, getattr(lib, f"atp_{kind._kind}_destroy"), context))
    for name, text in texts.items():
        setattr(self, name, text)
    return self


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


def handle_of(value, kind, name):
    """The handle of an object of this kind."""
    if not isinstance(value, Handle) or value._kind not in (kind, None):
        raise TypeError(f"{name} is {_shown(value)}, expected attopotts.{kind.capitalize()}")
    return value._open


def context_of(context):
    """A context, by default that of the thread."""
    return default_context() if context is None else context


def _shown(value):
    return f"{type(value).__name__} {value!r}" if isinstance(value, (int, float, complex, str, np.generic)) else f"of type {type(value).__name__}"


def integer_of(value, name, lowest=-(1 << 63)):
    """A whole number that an int64 holds."""
    try:
        number = operator.index(value.item() if isinstance(value, np.bool_) else value)
    except TypeError:
        raise TypeError(f"{name} is {_shown(value)}, expected an integer") from None
    if not lowest <= number < 1 << 63:
        raise ValueError(f"{name} is {number}, expected at least {lowest}" if number < lowest else f"{name} is {number}, expected less than 2^63")
    return number


def real_of(value, name):
    """A real number."""
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes)) or np.iscomplexobj(value) or np.ma.isMaskedArray(value) or np.ndim(value) > 0:
        raise TypeError(f"{name} is {_shown(value)}, expected a real number")
    try:
        return float(value)
    except (TypeError, OverflowError):
        raise TypeError(f"{name} is {_shown(value)}, expected a real number") from None


def path_of(value, name="path"):
    """The bytes of a path."""
    found = os.fsencode(value)
    if b"\0" in found:
        raise ValueError(f"{name} has a NUL character at place {found.index(0)}")
    return found


def bytes_of(value, name):
    """What bytes, or another object with a buffer, hold."""
    try:
        return np.frombuffer(value, dtype=np.uint8)
    except TypeError:
        raise TypeError(f"{name} is of type {type(value).__name__}, expected bytes") from None


def pointer(array):
    return None if array is None else array.ctypes.data


def array_of(array, name, dtype, shape=None):
    """An array in C order of this type; no copy where it is that already. What has no exact place in it is refused: texts, objects, complex
    and masked arrays, and fractions or large numbers in place of integers. Extents of the shape: numbers, or texts, any number, equal
    ones the same."""
    if np.ma.isMaskedArray(array):
        raise TypeError(f"{name} is a masked array, whose mask the library does not see: use filled(), or leave the masked entries out")
    result, dtype = np.asarray(array), np.dtype(dtype)
    if result.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {result.dtype}, expected {'real numbers' if dtype.kind == 'f' else 'integers'}")
    if shape is not None:
        free = {s: n for s, n in zip(shape, result.shape) if isinstance(s, str)}
        if len(shape) != result.ndim or any(free.get(s, s) != n for s, n in zip(shape, result.shape)):
            raise ValueError(f"{name} has shape {result.shape}, expected ({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})")
    if dtype.kind != "f" and result.dtype != dtype:
        _check_whole(result, name, np.iinfo(dtype))
    return np.ascontiguousarray(result, dtype=dtype)


def _check_whole(array, name, limits):
    """Every number is an integer within the limits of a type."""
    wrong = np.False_
    if array.dtype.kind == "f":
        # Limits as floats are powers of two, or exact: what is below the upper one fits.
        wrong = (np.floor(array) != array) | (array < float(limits.min)) | (array >= float(limits.max + 1))
    elif array.size and int(array.min()) < limits.min:
        wrong = array < limits.min
    elif array.size and int(array.max()) > limits.max:
        wrong = array > limits.max
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0].tolist())
        raise ValueError(f"{name}{''.join(f'[{k}]' for k in place)} is {array[place]}, expected {'0..255' if limits.max == 255 else 'integers'}")


def colors_array(array, name="sequences", dimensions=2, sites=None, colors=None):
    """Sequences as uint8 in C order, for a model of so many colours also of an alignment."""
    if colors is not None and hasattr(array, "_in_colors"):
        array = array._in_colors(colors)
    result = array_of(array, name, np.uint8)
    if result.ndim != dimensions:
        raise ValueError(f"{name} has {result.ndim} dimensions, expected {dimensions}")
    if sites is not None and result.shape[-1] != sites:
        raise ValueError(f"{name} has {result.shape[-1]} sites, expected {sites}")
    return result


def writable(array, name, dtype=None, shape=None):
    """An array that the library writes to: of numbers, and of this type and shape where they are told."""
    if not isinstance(array, np.ndarray) or np.ma.isMaskedArray(array):
        raise TypeError(f"{name} is of type {type(array).__name__}, expected a NumPy array without a mask")
    dtype, shape = np.dtype(dtype or array.dtype), shape or array.shape
    if array.dtype != dtype or array.shape != shape or dtype.kind not in "biufc" or not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{name} is {array.dtype} {array.shape}, expected writable {'numbers' if dtype.kind not in 'biufc' else dtype} {shape} in C order")
    return array


@contextlib.contextmanager
def named(**ours):
    """Errors name arguments as a method does: the library's name for each of them is given."""
    theirs = {c: python for python, c in ours.items()}
    try:
        yield
    except (Error, TypeError, ValueError) as error:
        if error.args and isinstance(error.args[0], str):
            error.args = re.sub(r"^(ATP_E_\w+: )?(\w+)\b", lambda found: (found[1] or "") + theirs.get(found[2], found[2]), error.args[0]), *error.args[1:]
        raise


def member(enum, value, name):
    """A member of an enum from itself, its number or its name in any case, with - or _."""
    try:
        return enum[value.upper().replace("-", "_")] if isinstance(value, str) else enum(value)
    except (KeyError, ValueError):
        shown = f'"{value}"' if isinstance(value, str) else repr(value)
        raise ValueError(f"{name} is {shown}, expected one of {', '.join(m.name.lower() for m in enum)}") from None


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)  # without the second argument, which is NULL


def _answers(report, errors):
    """Takes reports by send() and gives the answers. Python calls the handlers of signals where a function begins, before it enters its
    `try`; what they raise there would be lost. A generator goes on within its own."""
    answer = False
    try:
        while True:
            answer = report((yield answer))
    except GeneratorExit:
        return
    except BaseException as error:
        errors.append(error)
    while True:
        yield True



def run(call, progress=None):
    """call(callback, user), with a callback that reports to `progress` (a dict of numbers; a true answer stops) and keeps its exceptions
    until the call is over. In the main thread Ctrl-C sets a flag that the callback sees; KeyboardInterrupt follows after the call."""
    if ending.is_set() and threading.current_thread() is not threading.main_thread():
        threading.Event().wait()  # for the end
    interrupts, errors = [], []

    def report(address):
        try:
            if interrupts or progress is None:
                return len(interrupts) > 0
            values = {key.name.lower(): lib.atp_progress_value(address, key) for key in ProgressKey}
            return bool(progress({name: value for name, value in values.items() if value == value}))
        except BaseException as error:  # nothing may leave through the library's frames
            errors.append(error)
            return True

    answers, previous = _answers(report, errors), None
    next(answers)
    callback = _CALLBACK(answers.send)
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
