# SPDX-License-Identifier: MIT
"""What `import attopotts` loads, and what it leaves to the first use."""
import ast
import ctypes.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import attopotts as ap
import pytest


def fresh(program):
    """What a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_numpy_is_loaded_with_its_first_use():
    numpy = "print('numpy' in sys.modules)"
    assert fresh(f"import sys, attopotts; {numpy}; attopotts.version(); {numpy}; attopotts.Model; {numpy}") == ["False", "False", "True"]


def test_every_name_is_there():
    assert set(fresh("from attopotts import *; print(*globals())")) >= set(ap.__all__)
    assert set(fresh("import attopotts; print(*dir(attopotts))")) >= set(ap.__all__)
    assert fresh("import attopotts; print(attopotts.scores.apc.__name__, attopotts.contacts.__name__)") == ["apc", "contacts"]


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="module 'attopotts' has no attribute 'Modell'"):
        getattr(ap, "Modell")  # noqa: B009
    assert not hasattr(ap, "np")


def test_type_checkers_see_the_same_names():
    tree = ast.parse(pathlib.Path(ap.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {(node.module, alias.name) for node in block.body for alias in node.names}
    names = {(module, name) for module, names in ap._LATER.items() for name in names}
    modules = {(None, module) for module in ap._LATER if module in ap.__all__}
    assert seen == names | modules
    assert {name for _, name in seen} < set(ap.__all__)


def refused(library):
    """What an interpreter says that is told to load this library."""
    env = {**os.environ, "ATTOPOTTS_LIBRARY": str(library), "LD_LIBRARY_PATH": ""}
    done = subprocess.run([sys.executable, "-c", "import attopotts"], capture_output=True, text=True, env=env)
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def test_a_wrong_library_is_named(tmp_path):
    core = pathlib.Path(ap._library.lib._name)
    for part in ("attopotts_io", "attopotts_mpi"):
        said = refused(core.with_name(core.name.replace("attopotts", part, 1)))
        assert said.startswith("ImportError") and f"is the part {part} of the library: name the core, libattopotts.so.0" in said
    assert f"{tmp_path}/none.so" in refused(tmp_path / "none.so")
    maps = pathlib.Path("/proc/self/maps")
    for other in {path for path in maps.read_text().split() if re.search(r"/lib[cm]\.so", path)} if maps.exists() else ():
        assert f"{other} is another library" in refused(other)
    # The core alone, without what it needs beside it.
    alone = tmp_path / "libattopotts.so.0"
    alone.write_bytes(core.read_bytes() if core.exists() else b"")
    if ap._library._io is not ap._library.lib and core.exists() and not ctypes.util.find_library("attopotts_io"):
        assert "libattopotts_io" in refused(alone)


@pytest.mark.skipif(not shutil.which("localedef"), reason="no localedef")
def test_numbers_have_points_in_every_locale(tmp_path):
    """The locale of the process decides how C prints and reads numbers."""
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"], capture_output=True, text=True)
    if made.returncode > 1:  # 1: warnings
        pytest.skip(f"localedef makes no German locale: {made.stderr.strip()}")
    program = f"""
import locale
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.format_string("%.1f", 1.5) == "1,5"
import attopotts as ap, numpy as np
print(ap.dotattn.curve([1.5]).csv().splitlines()[1])
try:
    ap.Trainer(ap.Alignment([[0, 1], [1, 1]]), l2_colors=-2.5)
except ap.InputError as error:
    print(error)
path = {str(tmp_path)!r} + "/distances"
open(path, "w").write("1 2 3.5\\n")
print(ap.scores.read_distances(path, 3).matrix[0, 1])
ap.scores.write(np.full((3, 3), 0.5), path)
print(ap.scores.read(path)[0][0, 1], open(path).read().split()[1])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "LOCPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split(",")[2] == "1.5" and "is -2.5, must" in lines[1]
    assert float(lines[2]) == 3.5 and [float(word) for word in lines[3].split()] == [0.5, 0.5]
