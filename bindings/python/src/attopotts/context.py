# SPDX-License-Identifier: MIT
"""Contexts: threads, SIMD target, log, other processes."""
import abc
import atexit
import ctypes
import logging
import threading
import time
import weakref
from typing import Any

import numpy as np

from ._generated import LogLevel, Traffic
from ._handle import ending, integer_of, make, writable
from ._library import check, kept, lib, load_mpi, text_of
from ._owned import Owned
from ._properties import ContextHandle

_LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_LOGGER = logging.getLogger("attopotts")


def _log(level, text, user):
    try:
        _LOGGER.log(logging.WARNING if level == LogLevel.WARNING else logging.INFO, "%s", text.decode(errors="replace"))
    except Exception:  # a broken logging handler is not the library's concern
        pass


_LOG_CALLBACK = _LOG(_log)
_CONTEXTS: Any = weakref.WeakSet()


@atexit.register
def _end_runs():
    """Make daemons leave their runs before the process ends, and begin no others: Python ends a thread whose callback comes later, within
    frames of the library, and that aborts the process."""
    end = time.monotonic() + 2
    ending.set()
    while threading.active_count() > 1 and time.monotonic() < end:
        time.sleep(0.01)
        busy = [context for context in _CONTEXTS if context.calls.running]
        for context in busy:
            lib.atp_context_request_stop(context)
        if not busy:
            return


class Ranks(abc.ABC):
    """Base of classes that reach the other ranks without MPI, for Context.set_ranks().

    All ranks call the same methods in the same order. Arrays are changed in place; they must not be kept. What a method raises comes out of
    the call of the library; the ranks can then make no further collective calls.

    Parameters
    ----------
    rank : int
        0..size-1.
    size : int
        The number of ranks.
    """

    def __init__(self, rank: int, size: int):
        self.rank, self.size = rank, size

    @abc.abstractmethod
    def gather(self, data: np.ndarray, ends: np.ndarray):
        """Give every rank all of the data.

        Parameters
        ----------
        data : ndarray of uint8
            Rank r has written data[ends[r - 1]:ends[r]], rank 0 data[:ends[0]].
        ends : ndarray of int, [size]
            Where the parts of the ranks end.
        """

    @abc.abstractmethod
    def sum(self, values: np.ndarray):
        """Replace values by their sums over the ranks.

        Parameters
        ----------
        values : ndarray of int64
            The values.
        """

    @abc.abstractmethod
    def broadcast(self, data: np.ndarray, root: int):
        """Give every rank the data of one.

        Parameters
        ----------
        data : ndarray of uint8
            The data.
        root : int
            The rank that has them.
        """


class _AtpRanks(ctypes.Structure):
    """struct atp_ranks; the library refuses one of another size."""
    GATHER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    SUM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
    BROADCAST = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
    _fields_ = [("struct_bytes", ctypes.c_int64), ("rank", ctypes.c_int64), ("size", ctypes.c_int64), ("user", ctypes.c_void_p),
                ("gather", GATHER), ("sum", SUM), ("broadcast", BROADCAST)]

    @classmethod
    def of(cls, ranks):
        def array(address, count, kind):
            return np.ctypeslib.as_array((kind * count).from_address(address)) if count else np.empty(0, kind)

        def guarded(function):
            def call(*arguments):
                try:
                    function(*arguments[:-1])
                    return 0
                except BaseException as error:  # nothing may leave through the library's frames
                    kept.error = error
                    return 1
            return call

        def gather(data, ends):
            ends = array(ends, ranks.size, ctypes.c_int64)
            ranks.gather(array(data, int(ends[-1]), ctypes.c_uint8), ends)

        return cls(ctypes.sizeof(cls), integer_of(ranks.rank, "rank"), integer_of(ranks.size, "size"), None, cls.GATHER(guarded(gather)),
                   cls.SUM(guarded(lambda values, count: ranks.sum(array(values, count, ctypes.c_int64)))),
                   cls.BROADCAST(guarded(lambda data, count, root: ranks.broadcast(array(data, count, ctypes.c_uint8), root))))


class Context(ContextHandle):
    """Threads and SIMD target of the handles made from it.

    One thread at a time may use it; every thread has a default one. Results depend neither on the number of threads nor on the SIMD target.
    Messages go to the logger "attopotts" of the standard library.

    Parameters
    ----------
    threads : int
        0 for all cores; it can be set for later calls.
    simd : {"auto", "scalar", "sse4", "avx2", "avx512", "neon"}
        The SIMD target.
    """

    _instead = "make one there"

    def __init__(self, threads: int = 0, simd: str = "auto"):
        self._owned: Any = Owned(make(lib.atp_context_create, None, None, None), lib.atp_context_destroy)
        self._owned.ranks = []
        _CONTEXTS.add(self._owned)
        check(lib.atp_context_set_log(self._open, ctypes.cast(_LOG_CALLBACK, ctypes.c_void_p), None))
        if threads != 0:
            self.threads = threads
        if simd != "auto":
            self.simd = simd

    @property
    def memory_limit(self) -> int:
        """The limit in bytes; 0: automatic, what the process can still have."""
        return self._two(lib.atp_context_memory_limit)[0]

    @memory_limit.setter
    def memory_limit(self, size: int):
        check(lib.atp_context_set_memory_limit(self._open, integer_of(size, "memory_limit")))

    @property
    def memory_available(self) -> int:
        """The bytes that the limit leaves now."""
        return self._two(lib.atp_context_memory_limit)[1]

    def memory(self):
        """Give what the context has allocated.

        Returns
        -------
        allocations : int
            How many were made.
        bytes : int
            In use now.
        """
        return self._two(lib.atp_context_memory)

    def set_ranks(self, comm):
        """Make the context one of several ranks, which divide the work.

        All ranks of the communicator make this call, before they make other objects with the context. Then they make the same calls with the same
        arguments, and every rank gets the whole result. Keep the communicator as long as the context is used.

        Parameters
        ----------
        comm : mpi4py.MPI.Comm, Ranks or None
            The communicator; None: one rank again.
        """
        if comm is None or isinstance(comm, Ranks):
            given = None if comm is None else _AtpRanks.of(comm)
            check(lib.atp_context_set_ranks(self._open, None if comm is None else ctypes.addressof(given)))
            self._owned.ranks.append(given)  # callbacks live as long as the handle: one of them may be running
        else:
            check(load_mpi().atp_context_set_mpi_f(self._open, comm.py2f()))

    def broadcast(self, array: np.ndarray, root: int = 0):
        """Give every rank the elements of one.

        Parameters
        ----------
        array : ndarray
            In C order, of the same type and shape on all ranks; it is changed in place.
        root : int
            The rank that has them.
        """
        writable(array, "array")
        check(lib.atp_context_broadcast(self._open, array.ctypes.data, array.nbytes, integer_of(root, "root")))

    def any(self, flag: bool) -> bool:
        """Tell whether the flag is set on any rank.

        Parameters
        ----------
        flag : bool
            That of this rank.

        Returns
        -------
        bool
        """
        number = ctypes.c_int(bool(flag))
        check(lib.atp_context_any(self._open, ctypes.addressof(number)))
        return bool(number.value)

    def fail(self, text: str):
        """End the collective call in which the other ranks are, or their next one, with a RankError.

        Parameters
        ----------
        text : str
            What the error says.
        """
        check(lib.atp_context_fail(self._open, text_of(text, "text")))

    def traffic(self) -> dict:
        """Tell what has passed between the ranks.

        Returns
        -------
        dict
            "calls", "sent" and "received" bytes, "seconds".
        """
        value, found = ctypes.c_double(), {}
        for what in Traffic:
            check(lib.atp_context_traffic(self._open, what, ctypes.addressof(value)))
            found[what.name.lower()] = value.value
        return found

    def _two(self, function):
        first, second = ctypes.c_int64(), ctypes.c_int64()
        check(function(self._open, ctypes.addressof(first), ctypes.addressof(second)))
        return first.value, second.value


def simd_targets():
    """List the SIMD targets of this machine and build, worst first.

    Returns
    -------
    list of str
    """
    found = []
    while (name := lib.atp_simd_target(len(found))) is not None:
        found.append(name.decode())
    return found
