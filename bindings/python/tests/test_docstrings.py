# SPDX-License-Identifier: MIT
"""Docstrings are in NumPy's style: a summary of one line, then sections that name every parameter and what is returned."""
import inspect
import re

import attopotts as ap
import pytest
from test_signatures import MODULES, classes, public

TITLES = ("Parameters", "Returns", "Other Parameters", "Attributes", "Raises", "See Also", "Notes", "Examples")


def documented():
    """(name, value) of all that has a docstring of its own: modules, classes, functions, methods, properties."""
    for module in MODULES:
        yield module.__name__, module
    for owner in (*MODULES, *sorted(classes(), key=lambda found: found.__name__)):
        for name, value in public(owner):
            if inspect.isfunction(value) or inspect.isclass(value) or isinstance(value, property):
                yield f"{owner.__name__}.{name}", value


def faults(text, parameters=(), returns=False):
    """What is wrong with a docstring, of a function with these parameters, that returns something."""
    lines = inspect.cleandoc(text).splitlines()
    found = []
    if not re.search(r"[.?]$", lines[0]):
        found.append(f"the first line is no sentence: {lines[0]}")
    if len(lines) > 1 and lines[1]:
        found.append("there is no blank line after the first")
    sections = {}
    for number, line in enumerate(lines[1:], 1):
        if re.fullmatch("-{3,}", line):
            title = lines[number - 1]
            if title not in TITLES or len(title) != len(line) or lines[number - 2]:
                found.append(f"a section begins with {lines[number - 2:number + 1]}")
            sections[title] = []
        elif sections and line and not line.startswith(" "):
            list(sections.values())[-1].append(line)
    named = [name for line in sections.get("Parameters", []) for name in line.partition(" : ")[0].split(", ") if line not in TITLES]
    if named != list(parameters):
        found.append(f"the parameters are {list(parameters)}, the docstring has {named}")
    if returns and "Returns" not in sections:
        found.append("nothing says what is returned")
    return found


def own_parameters(value):
    """Those that a signature has beside options."""
    signature = inspect.signature(value)
    shown = re.findall(r"^(\w+) : ", inspect.getdoc(value).partition("Other Parameters\n")[2], re.M)
    return [p.name for p in signature.parameters.values() if p.name not in ("self", "cls", *shown)]


@pytest.mark.parametrize("name, value", documented(), ids=lambda found: found if isinstance(found, str) else "")
def test_docstring(name, value):
    text = value.__doc__
    if inspect.isfunction(value):
        returned = inspect.signature(value).return_annotation not in (None, "None", inspect.Signature.empty)
        assert not faults(text, own_parameters(value), returned), f"{name}\n{text}"
    elif inspect.isclass(value) and "Parameters\n" in text and not issubclass(value, tuple):
        shown = inspect.signature(value).parameters.values()
        given = [p.name for p in shown if p.name in re.findall(r"^ *(\w+) : ", text, re.M) or p.kind is not p.KEYWORD_ONLY]
        assert not faults(text, given), f"{name}\n{text}"
    else:
        assert not faults(text), f"{name}\n{text}"


def test_faults_are_found():
    good = "Give it.\n\nParameters\n----------\nx, y : float\n    Two.\n\nReturns\n-------\nfloat\n"
    assert faults(good, ["x", "y"], True) == []
    for text, parameters, returns in ((good, ["x"], True), ("Give it.", [], True), ("Give it", [], False), ("Give it.\nNow.", [], False),
                                      (good.replace("-------\nfloat", "------\nfloat"), ["x", "y"], False), ("Give it.", ["x"], False)):
        assert len(faults(text, parameters, returns)) == 1
    assert len(list(documented())) > 200 and ap.Sampler.sample in [value for _, value in documented()]
