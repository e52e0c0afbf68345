# SPDX-License-Identifier: MIT
"""setup.py: an install without the library is refused with the way out, and a long build shows progress."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent
pytest.importorskip("setuptools")
pytestmark = pytest.mark.skipif(not (SOURCE / "setup.py").exists(), reason="no sources")

# A Meson whose build has 200 files, and whose install has a library and a program.
MESON = """#!/bin/sh
case $1 in
  setup) mkdir -p "$2"; echo "$@" > "$2/arguments"; touch "$2/build.ninja" ;;
  compile) k=0; while [ $k -lt 200 ]; do k=$((k + 1)); echo "[$k/200] Compiling"; done; exit ${MESON_FAILS:-0} ;;
  install) for last; do :; done
    mkdir -p "$last/usr/lib" "$last/usr/bin"; echo library > "$last/usr/lib/libattopotts.so.0"; echo program > "$last/usr/bin/attopotts" ;;
esac
"""


@pytest.fixture
def build(tmp_path):
    """Builds a copy of the package with some variables; gives the status, what is printed, and the folder."""
    folder = tmp_path / "package"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "tests"))
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "meson").write_text(MESON)
    (tools / "meson").chmod(0o755)

    def run(**variables):
        env = {name: value for name, value in os.environ.items() if not name.startswith(("ATTOPOTTS_", "PKG_CONFIG", "LD_LIBRARY"))}
        done = subprocess.run([sys.executable, "setup.py", "build_py", "--build-lib", tmp_path / "out"], cwd=folder, capture_output=True, text=True,
                              env={**env, "PATH": f"{tools}:/usr/bin:/bin", **variables}, start_new_session=True)
        return done.returncode, done.stdout + done.stderr, tmp_path / "out/attopotts"
    return run


def test_an_install_without_the_library_is_refused(build):
    tool = shutil.which("pkg-config", path="/usr/bin:/bin")
    known = tool and subprocess.run([tool, "--exists", "attopotts"], env={**os.environ, "PKG_CONFIG_PATH": ""}).returncode == 0
    linker = subprocess.run([sys.executable, "-c", "import ctypes.util; print(ctypes.util.find_library('attopotts') or '')"], capture_output=True,
                            env={**os.environ, "LD_LIBRARY_PATH": ""})
    if known or linker.stdout.strip():
        pytest.skip("the library is installed in the system")
    status, told, out = build()
    assert status == 1 and "the library is not installed" in told and not out.exists()
    assert "meson install" in told and "ATTOPOTTS_BUNDLED=1" in told and "Traceback" not in told


@pytest.mark.parametrize("variables", [{"ATTOPOTTS_BUNDLED": "0"}, {"ATTOPOTTS_LIBRARY": "/elsewhere/libattopotts.so.0"}])
def test_an_install_for_a_library_that_comes_later(build, variables):
    status, told, out = build(**variables)
    assert status == 0 and (out / "__init__.py").exists() and not (out / "_bundled").exists(), told


def test_pkg_config_finds_the_library(build, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("no pkg-config")
    (tmp_path / "attopotts.pc").write_text("Name: attopotts\nDescription: x\nVersion: 0.1.0\nLibs: -lattopotts\n")
    status, told, out = build(PKG_CONFIG_PATH=str(tmp_path), PATH=os.environ["PATH"])
    assert status == 0 and (out / "__init__.py").exists(), told


def test_a_long_build_shows_progress(build):
    status, told, out = build(ATTOPOTTS_BUNDLED="1")
    assert status == 0, told
    assert (out / "_bundled/lib/libattopotts.so.0").read_text() == "library\n" and (out / "_bundled/bin/attopotts").exists()
    lines = [line for line in told.splitlines() if line.startswith("attopotts: ")]
    assert "compiling 200 files" in lines[0] and "minutes" in lines[0]
    assert [line.split(" after")[0] for line in lines[1:]] == [f"attopotts: {k} of 200 files" for k in range(20, 201, 20)]


def test_a_build_that_fails(build):
    status, told, out = build(ATTOPOTTS_BUNDLED="1", MESON_FAILS="1")
    assert status == 1 and "the library was not built, see above" in told and not (out / "_bundled").exists()
