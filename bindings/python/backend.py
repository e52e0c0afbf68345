# SPDX-License-Identifier: MIT
"""What pip calls to build the package: setuptools, by setup.py, where it is installed and can make wheels.

In a bare virtual environment `pip install --no-build-isolation` finds neither setuptools nor wheel, or only the former. A wheel of the Python
files alone, for a library that is installed, is then made here with the standard library."""
import base64
import ctypes.util
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
GENERATE = HERE.parent / "generate.py"
# A source distribution has the sources of the library, a clone is beside them.
LIBRARY = HERE / "library" if (HERE / "library").exists() else HERE.parent.parent
BUNDLED = os.environ.get("ATTOPOTTS_BUNDLED", "1" if LIBRARY.parent == HERE else "0") != "0"

MISSING = """attopotts: the library is not installed (pkg-config and the linker do not know it), and this package does not work without it.
Either build and install it first: meson setup build --buildtype=release && ninja -C build && sudo meson install -C build
or compile it into the package, which takes minutes: ATTOPOTTS_BUNDLED=1 pip install ...
or, if it comes later or ATTOPOTTS_LIBRARY will name it: ATTOPOTTS_BUNDLED=0 pip install ..."""


def library_is_found():
    """Where the package will look for it, too (src/attopotts/_library.py)."""
    tool = shutil.which("pkg-config")
    known = tool and subprocess.run([tool, "--exists", "attopotts"]).returncode == 0
    return bool(known or os.environ.get("ATTOPOTTS_LIBRARY") or ctypes.util.find_library("attopotts"))


def refuse_without_library():
    if not BUNDLED and "ATTOPOTTS_BUNDLED" not in os.environ and not library_is_found():
        sys.exit(MISSING)


def write_generated():
    if GENERATE.exists():
        subprocess.run([sys.executable, str(GENERATE), "python"], check=True)


def _found(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _plain_wheel(folder):
    """The Python files and what packaging tools want to know, as a zip archive."""
    project = (HERE / "pyproject.toml").read_text()
    version = re.search(r'^__version__ = "(.+)"', (HERE / "src/attopotts/__init__.py").read_text(), flags=re.M)[1]
    needs = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]", project, flags=re.M)[1])
    about = ["Metadata-Version: 2.1", "Name: attopotts", f"Version: {version}", "License: MIT"]
    about += [f'Summary: {re.search(r"^description = .(.*).$", project, flags=re.M)[1]}',
              f'Requires-Python: {re.search(r"^requires-python = .(.*).$", project, flags=re.M)[1]}', *(f"Requires-Dist: {name}" for name in needs)]
    files = {f"attopotts/{path.name}": path.read_bytes() for path in sorted((HERE / "src/attopotts").glob("*")) if path.suffix in (".py", ".typed")}
    info = f"attopotts-{version}.dist-info"
    files[f"{info}/METADATA"] = ("\n".join(about) + "\n").encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: attopotts backend.py\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    digests = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() for name, data in files.items()}
    files[f"{info}/RECORD"] = "".join([*(f"{name},sha256={digest},{len(files[name])}\n" for name, digest in digests.items()),
                                       f"{info}/RECORD,,\n"]).encode()
    name = f"attopotts-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return name


if _found("setuptools") and (_found("setuptools.command.bdist_wheel") or _found("wheel.bdist_wheel")):
    from setuptools.build_meta import *  # noqa: F403  # the hooks that setuptools has
else:
    def get_requires_for_build_wheel(config_settings=None):
        """In an environment of its own, pip brings setuptools."""
        return []

    def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
        """Make a wheel for a library that is installed."""
        if BUNDLED:
            sys.exit("attopotts: a package with the library inside is built by setuptools: pip install setuptools wheel, and again")
        refuse_without_library()
        write_generated()
        return _plain_wheel(wheel_directory)
