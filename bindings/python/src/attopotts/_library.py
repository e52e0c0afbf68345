# SPDX-License-Identifier: MIT
"""The loaded library: where it is found, its functions with their signatures, its errors as exceptions."""
import ctypes
import os
import threading

from . import _generated
from ._generated import ABI, Status
from ._owned import counted


class Error(Exception):
    """A call failed. `status` is an attopotts.Status, the text the library's own."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class InputError(Error, ValueError):
    """An argument, a shape, an option or a file's content is wrong."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""


class RankError(Error):
    """Another rank has failed or does not answer; the text says which, and why."""


class OutOfMemory(Error, MemoryError):
    """The allocator returned NULL."""


_EXCEPTIONS = {Status.E_OPEN: FileError, Status.E_READ: FileError, Status.E_WRITE: FileError, Status.E_MEMORY: OutOfMemory,
               Status.E_RANK: RankError, Status.E_STAGE: Error, Status.E_UNSUPPORTED: Error, Status.E_INTERNAL: Error}  # the others are InputError


# What a wheel carries.
BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bundled", "lib", f"libattopotts.so.{ABI}")


def _candidates():
    if path := os.environ.get("ATTOPOTTS_LIBRARY"):
        yield path
        return
    if os.path.exists(BUNDLED):
        yield BUNDLED
        return
    import ctypes.util  # these take their time, and a package that carries the library needs none of them
    import shutil
    import subprocess

    tool = shutil.which("pkg-config")
    if tool:
        folder = subprocess.run([tool, "--variable=libdir", "attopotts"], capture_output=True, text=True).stdout.strip()
        for name in ("libattopotts.so.0", "libattopotts.so", "libattopotts.dylib") if folder else ():
            yield os.path.join(folder, name)
    if found := ctypes.util.find_library("attopotts"):
        yield found
    yield "libattopotts.so.0"


def _load_beside(path, name):
    """Another library of attopotts, beside the core or where the system looks; it finds the core that is loaded."""
    folder, core = os.path.split(path)
    if "attopotts" in core:
        beside = os.path.join(folder, core.replace("attopotts", name, 1))
        try:
            return ctypes.CDLL(beside)
        except OSError:
            pass
    return ctypes.CDLL(f"lib{name}.so.{ABI}")


def _load_core(path):
    """The core and the library of files, which is the core itself where that was built to be carried."""
    for part in ("attopotts_io", "attopotts_mpi"):
        if part in os.path.basename(path):
            raise OSError(f"{path} is the part {part} of the library: name the core, lib{part[:9]}.so.{ABI}, beside it")
    library = ctypes.CDLL(path)
    if not hasattr(library, "atp_abi_version"):
        raise OSError(f"{path} is another library")
    inside = hasattr(library, next(iter(_generated.IO_SIGNATURES)))
    return library, library if inside else _load_beside(path, "attopotts_io")


def _load():
    tried = []
    for path in _candidates():
        try:
            return _load_core(path)
        except OSError as error:
            tried.append(str(error) if path in str(error) else f"{path} needs another library: {error}")
    raise ImportError("the attopotts library was not found: install it, or name its file in ATTOPOTTS_LIBRARY. Tried: " + "; ".join(tried))


lib, _io = _load()
for _library, _signatures in ((lib, _generated.SIGNATURES), (_io, _generated.IO_SIGNATURES)):
    for _name, (_result, _arguments) in _signatures.items():
        try:
            _function = getattr(_library, _name)
        except AttributeError:
            raise ImportError(f"{_library._name} has no {_name}: the library is older than this package") from None
        _function.restype, _function.argtypes = _result, _arguments
        setattr(lib, _name, counted(_function))
if lib.atp_abi_version() != ABI:
    raise ImportError(f"{lib._name} has binary interface {lib.atp_abi_version()}, this package needs {ABI}")


def load_mpi():
    """The library of MPI ranks, loaded where it is asked for."""
    if _io is lib:
        raise ImportError("the library that this package carries has no MPI: extend attopotts.Ranks, or build attopotts with MPI "
                          "and name its library in ATTOPOTTS_LIBRARY")
    try:
        library = _load_beside(lib._name, "attopotts_mpi")
    except OSError as error:
        raise ImportError(f"libattopotts_mpi was not found: build attopotts with MPI (meson configure -Dmpi=enabled). Tried: {error}") from None
    library.atp_context_set_mpi_f.restype, library.atp_context_set_mpi_f.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_int]
    return library


def text_of(value, name, optional=False):
    """The bytes of a text for the library, whose texts end at the first NUL; where it is optional, None for None and for an empty one."""
    if optional and (value is None or value == ""):
        return None
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected a str")
    if "\0" in value:
        raise ValueError(f"{name} has a NUL character at place {value.index(chr(0))}")
    return value.encode()


def last_error():
    size = lib.atp_last_error(None, 0) + 1
    buffer = ctypes.create_string_buffer(size)
    lib.atp_last_error(ctypes.addressof(buffer), size)
    return buffer.value.decode(errors="replace")


class _Kept(threading.local):
    """The exception of a callback that reaches other ranks, until the call of the library is over."""
    error = None


kept = _Kept()


def check(status):
    """Raise what a status says, unless it is OK."""
    error, kept.error = kept.error, None
    if status == Status.E_RANK and error is not None:
        raise error
    if status != Status.OK:
        text = f"{lib.atp_status_name(status).decode()}: {last_error()}"
        raise _EXCEPTIONS.get(status, InputError)(Status(status), text)


def outcome_name(outcome):
    """ "converged", "max_iter", "cancelled", "diverged", "stalled" or "done" (all steps made, nothing tested)."""
    return lib.atp_outcome_name(int(outcome)).decode()


def version():
    """Give the version of the library that is loaded.

    Returns
    -------
    str
    """
    return lib.atp_version_string().decode()


def has_feature(name):
    """Tell whether the library was built with a feature.

    Parameters
    ----------
    name : {"threads", "hdf5", "zlib", "msgpack", "blis", "lapack"}
        The feature.

    Returns
    -------
    bool
    """
    return bool(lib.atp_has_feature(text_of(name, "name")))
