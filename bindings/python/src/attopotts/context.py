# SPDX-License-Identifier: MIT
"""Contexts: threads, SIMD target, log."""
import ctypes
import logging

from ._generated import LogLevel
from ._handle import Owned, make
from ._library import check, lib, load_mpi
from ._properties import ContextHandle

_LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_LOGGER = logging.getLogger("attopotts")


def _log(level, text, user):
    try:
        _LOGGER.log(logging.WARNING if level == LogLevel.WARNING else logging.INFO, "%s", text.decode(errors="replace"))
    except Exception:  # a broken logging handler is not the library's concern
        pass


_LOG_CALLBACK = _LOG(_log)


class Context(ContextHandle):
    """Threads and SIMD target of the handles made from it. One thread at a time; every thread has a default one.

    threads: 0 for all cores; it can be set for later calls. simd: "auto", "scalar", "sse4", "avx2", "avx512", "neon". Results depend on
    neither. Messages go to the logger "attopotts" of the standard library."""

    def __init__(self, threads: int = 0, simd: str = "auto"):
        self._owned = Owned(make(lib.atp_context_create, None, None, None), lib.atp_context_destroy)
        check(lib.atp_context_set_log(self._address, ctypes.cast(_LOG_CALLBACK, ctypes.c_void_p), None))
        if threads:
            self.threads = threads
        if simd != "auto":
            self.simd = simd

    @property
    def memory_limit(self) -> int:
        """In bytes; 0: automatic, what the process can still have."""
        return self._two(lib.atp_context_memory_limit)[0]

    @memory_limit.setter
    def memory_limit(self, size: int):
        check(lib.atp_context_set_memory_limit(self._address, size))

    @property
    def memory_available(self) -> int:
        """The bytes that the limit leaves now."""
        return self._two(lib.atp_context_memory_limit)[1]

    def memory(self):
        """(allocations made, bytes in use now)."""
        return self._two(lib.atp_context_memory)

    def set_ranks(self, comm):
        """Make the context one of the ranks of a communicator of mpi4py; None: one rank again.

        All ranks of the communicator make this call, before they make other objects with the context. Then they make the same calls with
        the same arguments: the work is divided, and every rank gets the whole result. Keep the communicator as long as the context is
        used."""
        check(lib.atp_context_set_ranks(self._address, None) if comm is None else load_mpi().atp_context_set_mpi_f(self._address, comm.py2f()))

    def _two(self, function):
        first, second = ctypes.c_int64(), ctypes.c_int64()
        check(function(self._address, ctypes.addressof(first), ctypes.addressof(second)))
        return first.value, second.value


def simd_targets():
    """The SIMD targets of this machine and build, worst first."""
    found = []
    while (name := lib.atp_simd_target(len(found))) is not None:
        found.append(name.decode())
    return found
