# SPDX-License-Identifier: MIT
"""Contexts: threads, SIMD target, log."""
import ctypes
import logging
import threading

from ._generated import LogLevel
from ._handle import Handle, Owned, make
from ._library import check, lib

_LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_LOGGER = logging.getLogger("attopotts")


def _log(level, text, user):
    try:
        _LOGGER.log(logging.WARNING if level == LogLevel.WARNING else logging.INFO, "%s", text.decode(errors="replace"))
    except Exception:  # a broken logging handler is not the library's concern
        pass


_LOG_CALLBACK = _LOG(_log)


class Context(Handle):
    """Threads and SIMD target of the handles made from it. One thread at a time; every thread has a default one.

    threads: 0 for all cores. simd: "auto", "scalar", "sse4", "avx2", "avx512", "neon". Results depend on neither.
    Messages go to the logger "attopotts" of the standard library."""

    def __init__(self, threads: int = 0, simd: str = "auto"):
        self._owned = Owned(make(lib.atp_context_create, None, None, None), lib.atp_context_destroy)
        check(lib.atp_context_set_log(self._address, ctypes.cast(_LOG_CALLBACK, ctypes.c_void_p), None))
        if threads:
            self.threads = threads
        if simd != "auto":
            check(lib.atp_context_set_simd(self._address, simd.encode()))

    @property
    def threads(self) -> int:
        """Threads of later calls; set it to 0 for all cores."""
        return lib.atp_context_threads(self._address)

    @threads.setter
    def threads(self, count: int):
        check(lib.atp_context_set_threads(self._address, count))

    def request_stop(self):
        """Ask all runs in this context to stop, from any thread: they end with "cancelled", and later ones at once, until clear_stop()."""
        lib.atp_context_request_stop(self._address)

    def clear_stop(self):
        """Take the request back, while nothing runs."""
        lib.atp_context_clear_stop(self._address)

    @property
    def stop_requested(self) -> bool:
        """Whether request_stop() was called and not taken back."""
        return bool(lib.atp_context_stop_requested(self._address))

    @property
    def simd(self) -> str:
        """The SIMD target."""
        return lib.atp_context_simd(self._address).decode()

    @property
    def memory_limit(self) -> int:
        """In bytes; 0: automatic, what the process can still have."""
        return self._limit_and_available()[0]

    @memory_limit.setter
    def memory_limit(self, size: int):
        check(lib.atp_context_set_memory_limit(self._address, size))

    @property
    def memory_available(self) -> int:
        """The bytes that the limit leaves now."""
        return self._limit_and_available()[1]

    def _limit_and_available(self):
        limit, available = ctypes.c_int64(), ctypes.c_int64()
        check(lib.atp_context_memory_limit(self._address, ctypes.addressof(limit), ctypes.addressof(available)))
        return limit.value, available.value

    def memory(self):
        """(allocations made, bytes in use now)."""
        count, size = ctypes.c_int64(), ctypes.c_int64()
        check(lib.atp_context_memory(self._address, ctypes.addressof(count), ctypes.addressof(size)))
        return count.value, size.value


_local = threading.local()


def default_context():
    """The context of the calling thread, made at its first use: all cores, messages to the logger "attopotts"."""
    if getattr(_local, "context", None) is None or _local.context._owned is None:
        _local.context = Context()
    return _local.context


def simd_targets():
    """The SIMD targets of this machine and build, worst first."""
    found = []
    while (name := lib.atp_simd_target(len(found))) is not None:
        found.append(name.decode())
    return found
