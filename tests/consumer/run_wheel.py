#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Build the source distribution and the wheel of the Python package, and use them as a user does who has no compiler.

usage: run_wheel.py SOURCE_DIR WORK_DIR
Checks the wheel's tag and size, the quickstart, the tests of the package, the program and the type hints, with the newest NumPy and with
the system's; then builds the source distribution with this machine's compiler. Prints sizes and the time of `import attopotts`. Status 77
where the tools or the network are missing. Files that are built stay in WORK_DIR.
ATP_WHEELS names a folder with files that have been built."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import import_time
from commands import run

root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
LARGEST = 10e6  # bytes
OLDEST = "manylinux_2_17_x86_64"


class Environment:
    """A virtual environment whose commands see no compiler, no pkg-config and no other library."""

    def __init__(self, place, python, *arguments):
        run(python, "-m", "venv", *arguments, place)
        self.python = place / "bin/python"
        self.env = {"PATH": str(place / "bin"), "HOME": str(place), "LANG": "C.UTF-8", "ATP_TEST_QUICK": "1", "PYTHONDONTWRITEBYTECODE": "1",
                    **{name: value for name, value in os.environ.items() if name.lower() in ("https_proxy", "http_proxy", "no_proxy") or
                       name.startswith("PIP_") or name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "XDG_CONFIG_HOME")}}
        config = pathlib.Path.home() / ".config/pip"
        if config.exists():
            shutil.copytree(config, place / ".config/pip")

    def pip(self, *arguments, env=None):
        return run(self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments, env=env or self.env)

    def use(self, name):
        """The package as it is installed here: quickstart, tests, program."""
        where = run(self.python, "-c", "import attopotts, attopotts._library as l, numpy; print(l.lib._name, numpy.__version__)", env=self.env,
                    cwd=self.python.parent)
        library, numpy = where.split()
        if not pathlib.Path(library).is_relative_to(self.python.parent.parent):
            sys.exit(f"{name}: the library is {library}, which is outside of the virtual environment")
        run(sys.executable, root / "examples/same_numbers.py", f"{self.python} {root / 'examples/python/quickstart.py'}", env=self.env)
        tested = run(self.python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", root / "bindings/python/tests", env=self.env,
                     cwd=self.python.parent)
        program = self.python.parent / "attopotts"
        told = run(program, "info", env=self.env)
        checked = run(program, "check", env=self.env)
        print(f"{name}: NumPy {numpy}, {tested.splitlines()[-1]}; attopotts check: {checked.splitlines()[-1]}")
        return told


def check_wheel(wheel, auditwheel):
    shown = " ".join(run(auditwheel, "show", wheel).split())
    if OLDEST not in shown:
        sys.exit(f"auditwheel says of {wheel.name}: {shown}")
    if not re.fullmatch(rf"attopotts-[0-9.]+-py3-none-(manylinux2014_x86_64\.)?{OLDEST}\.whl", wheel.name):
        sys.exit(f"the wheel is called {wheel.name}")
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1e6:.2f} MB")
    if size >= LARGEST:
        sys.exit(f"the wheel has {size} bytes, at most {LARGEST:.0f} are wanted")
    for item in zipfile.ZipFile(wheel).infolist():
        if item.file_size > 1e6:
            print(f"  {item.filename}: {item.file_size / 1e6:.2f} MB, packed {item.compress_size / 1e6:.2f} MB")


def files():
    """Source distribution and wheel: new ones, or those of a folder."""
    if "ATP_WHEELS" in os.environ:
        return [next(pathlib.Path(os.environ["ATP_WHEELS"]).glob(f"attopotts-*{end}")) for end in (".tar.gz", "x86_64.whl")]
    shutil.rmtree(folder, ignore_errors=True)
    return [pathlib.Path(line) for line in run(root / "packaging/wheels.sh", "--out", folder).split()]


def main():
    source, wheel = files()
    tools = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "attopotts/wheel-tools/bin"
    check_wheel(wheel, tools / "auditwheel")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        newest = Environment(work / "newest", sys.executable)
        newest.pip(wheel, "pytest", "mypy")
        told = newest.use("the wheel")
        features = re.search(r"^features +(.*)$", told, re.M)[1].split()
        if features != ["threads", "hdf5", "zlib", "msgpack", "blis", "lapack", "structures"]:
            sys.exit(f"the program of the wheel has other features: {features}")
        print(import_time.report(newest.python, newest.env))
        # The system's NumPy, which is older.
        if subprocess.run(["/usr/bin/python3", "-c", "import numpy, pytest"], capture_output=True).returncode == 0:
            older = Environment(work / "older", "/usr/bin/python3", "--system-site-packages")
            older.pip("--no-deps", "--no-index", wheel)
            older.use("the wheel with the system's NumPy")
        built = Environment(work / "built", sys.executable)
        built.pip(source, "pytest", env={**built.env, "PATH": os.environ["PATH"]})
        built.use("the source distribution")


main()
