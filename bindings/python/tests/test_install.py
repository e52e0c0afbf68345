# SPDX-License-Identifier: MIT
"""setup.py: an install without the library is refused with the way out, and a long build shows progress."""
import base64
import email
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent
pytest.importorskip("setuptools")
pytestmark = pytest.mark.skipif(not (SOURCE / "setup.py").exists(), reason="no sources")

# A Meson whose build has 200 files, and whose install has a library and a program.
MESON = """#!/bin/sh
case $1 in
  setup) mkdir -p "$2"; echo "$@" > "$2/arguments"; touch "$2/build.ninja" ;;
  compile) echo "$LD_LIBRARY_PATH" > "$3/folders"; k=0; while [ $k -lt 200 ]; do k=$((k + 1)); echo "[$k/200] Compiling"; done; exit ${MESON_FAILS:-0} ;;
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


def test_another_library_in_ld_library_path(build, tmp_path):
    """The build and the program of the wheel look for their own library first."""
    status, told, out = build(ATTOPOTTS_BUNDLED="1", LD_LIBRARY_PATH="/elsewhere:/there")
    assert status == 0, told
    (built,) = (tmp_path / "package").rglob("meson/folders")
    assert built.read_text() == f"{built.parent}:/elsewhere:/there\n"
    program = out / "_bundled/bin/attopotts"
    program.write_text('#!/bin/sh\necho "$LD_LIBRARY_PATH" "$@"\n')
    program.chmod(0o755)
    for folders, expected in (("/elsewhere", f"{out}/_bundled/lib:/elsewhere check\n"), ("", " check\n")):
        done = subprocess.run([sys.executable, "-c", "import runpy; runpy.run_path('_program.py')['main']()", "check"], cwd=out, capture_output=True,
                              text=True, env={**os.environ, "LD_LIBRARY_PATH": folders})
        assert (done.returncode, done.stdout) == (0, expected), done.stderr


# As in a bare virtual environment.
BARE = """import sys
sys.modules.update(dict.fromkeys({hidden!r}))
sys.path.insert(0, {folder!r})
import backend
assert {bare} == (not hasattr(backend, "build_sdist")), sorted(vars(backend))
print(backend.build_wheel({out!r}))
"""


def build_bare(folder, out, hidden=("setuptools", "wheel"), bare=True, **variables):
    out.mkdir(exist_ok=True)
    program = BARE.format(hidden=hidden, folder=str(folder), out=str(out), bare=bare)
    env = {name: value for name, value in os.environ.items() if not name.startswith("ATTOPOTTS_")}
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, env={**env, **variables})
    return done.returncode, done.stdout.splitlines()[-1:], done.stderr


def test_a_wheel_without_setuptools_is_that_of_setuptools(tmp_path):
    folder, found = tmp_path / "package", {}
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "tests"))
    for hidden, bare in ((["setuptools"], True), ([], False)):
        status, name, told = build_bare(folder, tmp_path / f"out{bare}", hidden, bare, ATTOPOTTS_BUNDLED="0")
        assert status == 0 and name == ["attopotts-0.1.0-py3-none-any.whl"], told
        with zipfile.ZipFile(tmp_path / f"out{bare}" / name[0]) as wheel:
            assert wheel.testzip() is None
            found[bare] = {path: wheel.read(path) for path in wheel.namelist()}
    info = "attopotts-0.1.0.dist-info/"
    modules = {path: data for path, data in found[True].items() if not path.startswith(info)}
    assert "attopotts/trainer.py" in modules and modules == {path: data for path, data in found[False].items() if not path.startswith(info)}
    about = [email.message_from_bytes(found[bare][info + "METADATA"]) for bare in (True, False)]
    for field in ("Name", "Version", "Summary", "Requires-Python", "License"):
        assert about[0][field] == about[1][field], field
    needs = [re.sub("[ ()]", "", need) for need in about[1].get_all("Requires-Dist") if "extra" not in need]
    assert about[0].get_all("Requires-Dist") == needs
    lines = [line.split(",") for line in found[True][info + "RECORD"].decode().splitlines()]
    assert sorted(path for path, _, _ in lines) == sorted(found[True])
    for path, digest, size in lines[:-1]:
        told = base64.urlsafe_b64encode(hashlib.sha256(found[True][path]).digest()).rstrip(b"=").decode()
        assert (digest, int(size)) == (f"sha256={told}", len(found[True][path]))


def test_what_needs_setuptools_says_so(tmp_path):
    status, _, told = build_bare(SOURCE, tmp_path / "out", ATTOPOTTS_BUNDLED="1")
    assert status == 1 and "pip install setuptools wheel" in told and "Traceback" not in told


def test_a_build_that_fails(build):
    status, told, out = build(ATTOPOTTS_BUNDLED="1", MESON_FAILS="1")
    assert status == 1 and "the library was not built, see above" in told and not (out / "_bundled").exists()
