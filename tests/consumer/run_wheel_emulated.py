#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Build the wheel for aarch64 and use it there: Debian's Python and NumPy of arm64, under qemu-user.

usage: run_wheel_emulated.py SOURCE_DIR WORK_DIR
Checks the wheel's tag, the quickstart's bits, the pairs of a family and the kernels of the processor. Status 77 where tools or packages are
missing. ATP_WHEELS names a folder with a wheel that has been built. What is unpacked stays in ~/.cache/attopotts (XDG_CACHE_HOME)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from commands import run

root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "attopotts/arm64-python"
TAG = "manylinux_2_17_aarch64"
EMULATOR = "qemu-aarch64"


def find_wheel():
    if "ATP_WHEELS" in os.environ:
        return next(pathlib.Path(os.environ["ATP_WHEELS"]).glob("attopotts-*aarch64.whl"))
    shutil.rmtree(folder, ignore_errors=True)
    return pathlib.Path(run(root / "packaging/wheels.sh", "--processor", "aarch64", "--out", folder).split()[-1])


def find_python():
    """The folder of Debian's arm64 packages, and its Python, which has NumPy."""
    done = subprocess.run([root / "tools/machines/unpack-packages.sh", "--arch", "arm64", CACHE, "python3-numpy"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"skipped: Python for arm64 cannot be downloaded: {done.stderr.strip()}")
        sys.exit(77)
    system = CACHE / "root"
    return system, next((system / "usr/bin").glob("python3.*[0-9]"))


def main():
    if not shutil.which(EMULATOR):
        print(f"skipped: {EMULATOR} is not installed (tools/machines/install-deps.sh --platforms)")
        sys.exit(77)
    wheel = find_wheel()
    if TAG not in wheel.name or "-py3-none-" not in wheel.name:
        sys.exit(f"the wheel is called {wheel.name}")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB")
    system, python = find_python()
    with tempfile.TemporaryDirectory() as name:
        zipfile.ZipFile(wheel).extractall(name)
        # Links that update-alternatives would make.
        libraries = ":".join(str(system / "usr/lib/aarch64-linux-gnu" / folder) for folder in ("blas", "lapack"))
        command = [EMULATOR, "-L", system, "-E", f"PYTHONPATH={name}", "-E", f"LD_LIBRARY_PATH={libraries}", python]
        where = run(*command, "-c", "import attopotts, attopotts._library as l, platform; print(platform.machine(), l.lib._name)").split()
        if where[0] != "aarch64" or not pathlib.Path(where[1]).is_relative_to(name):
            sys.exit(f"the library that runs is {where}")
        words = " ".join(map(str, command))
        run(sys.executable, root / "examples/same_numbers.py", f"{words} {root / 'examples/python/quickstart.py'}")
        run(sys.executable, root / "examples/same_pairs.py", f"{words} {root / 'examples/python/family.py'}")
        # The program that the wheel's command starts: NEON against the scalar kernels.
        program = pathlib.Path(name) / "attopotts/_bundled/bin/attopotts"
        program.chmod(0o755)
        checked = run(EMULATOR, "-L", system, program, "check", "--only", "kernels").splitlines()
        print(f"under {EMULATOR}: quickstart to the last bit, the pairs of the family; attopotts check: {checked[-1]}")


main()
