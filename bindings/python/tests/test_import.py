# SPDX-License-Identifier: MIT
"""What `import attopotts` loads, and what it leaves to the first use."""
import ast
import pathlib
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
