# SPDX-License-Identifier: MIT
"""What help() says: signatures with every option, its type and default, and a docstring for every public attribute."""
import ctypes
import inspect
import typing

import attopotts as ap
import numpy as np
import pytest
from attopotts._generated import OPTION_ENUMS, Option, OptionOwner
from attopotts._library import lib

MODULES = (ap, ap.dotattn, ap.replica, ap.scores)


def public(owner):
    """(name, value) of what a module or class of this package has for users, without what a class has from Python's own types."""
    for name in getattr(owner, "__all__", None) or [name for name in dir(owner) if not name.startswith("_")]:
        value = getattr(owner, name) if inspect.ismodule(owner) else inspect.getattr_static(owner, name)
        value = getattr(value, "__func__", value)
        if inspect.isclass(owner):
            own = next(base for base in owner.__mro__ if name in vars(base)).__module__.startswith("attopotts")
        else:
            own = hasattr(owner, "__all__") or getattr(value, "__module__", "") == owner.__name__
        if own:
            yield name, value


def classes():
    return {value for module in MODULES for _, value in public(module) if inspect.isclass(value)}


def functions():
    for owner in (*MODULES, *classes()):
        for name, value in public(owner):
            if inspect.isfunction(value) or inspect.isclass(value) and not issubclass(value, (Exception, dict, int)):
                yield f"{owner.__name__}.{name}", value


def test_signatures_name_every_option():
    found = dict(functions())
    assert len(found) > 100 and "Sampler.sample" in found and "attopotts.dotattn.tokens" in found
    for name, value in found.items():
        for p in inspect.signature(value).parameters.values():
            assert p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL), f"{name}: {p}"
            assert p.default is not ... and not (isinstance(p.default, int) and p.default > 1e6), f"{name}: {p}"


def test_defaults_and_types_are_the_librarys():
    shown = {**inspect.signature(ap.Sampler).parameters, **inspect.signature(ap.Trainer).parameters}
    assert {"chains", "beta_hot", "heads", "l2_couplings", "optimizer", "fields"} < set(shown) and "folds" not in shown
    for key in Option:
        name = key.name.lower()
        if name not in shown or name == "seed":
            continue
        initial, whole = ctypes.c_double(), ctypes.c_int()
        owner = OptionOwner.TRAINER if name in inspect.signature(ap.Trainer).parameters else OptionOwner.SAMPLER
        assert lib.atp_option_bounds(owner, key, None, None, ctypes.addressof(initial), ctypes.addressof(whole)) == 0
        given, kind = shown[name].default, shown[name].annotation
        if key in OPTION_ENUMS:
            words = {word.value: word.name.lower() for word in OPTION_ENUMS[key]}
            # None where the default is no word: the object chooses.
            assert given == words.get(initial.value) and (given is not None or initial.value == 0)
            assert kind == (typing.Literal[tuple(words.values())] if given else typing.Optional[typing.Literal[tuple(words.values())]])
        else:
            assert given == initial.value and type(given) is kind and (kind is not float) == bool(whole.value)
    assert shown["fields"].annotation is bool and shown["family"].default == "factored" and shown["optimizer"].default is None
    # Where a task has defaults of its own.
    shown = inspect.signature(ap.dotattn.tokens).parameters
    assert shown["max_iter"].default == 500 and shown["tolerance"].default == 1e-7 and "penalty" in shown and "solution" in shown
    assert inspect.signature(ap.dotattn.simulate).parameters["optimizer"].default == "sgd"


DATA = ap.Alignment(np.random.default_rng(1).integers(0, 3, size=(40, 5)), colors=3)
OBJECTS = pytest.mark.parametrize("kind, of", [(ap.Trainer, DATA), (ap.Sampler, ap.Model.random(5, 3))])


def shown_options(kind):
    return {p.name: p.default for p in inspect.signature(kind).parameters.values() if p.kind is p.KEYWORD_ONLY}


@OBJECTS
def test_shown_defaults_are_what_is_used(kind, of):
    shown = shown_options(kind)
    assert len(shown) > 5
    first, second = kind(of), kind(of, **shown)
    used = (lambda made: made.sample(40).sequences) if kind is ap.Sampler else (lambda made: made.run(3) and made.parameters)
    assert np.array_equal(used(first), used(second))


@OBJECTS
def test_a_wrong_option_lists_those_of_the_object(kind, of):
    with pytest.raises(TypeError, match='no option "head", expected one of ') as caught:
        kind(of, head=2)
    assert str(caught.value).partition(" one of ")[2].split(", ") == list(shown_options(kind))


def test_every_public_attribute_has_a_docstring():
    count = 0
    for owner in (*MODULES, *classes()):
        assert (owner.__doc__ or "").strip(), owner
        for name, value in public(owner):
            text = getattr(value, "__doc__", None) or ""
            # Constants are left out: their class has one.
            assert isinstance(value, int) or text.strip() and not text.startswith("Alias for field"), f"{owner.__name__}.{name}"
            count += not isinstance(value, int)
    assert count > 150
    assert "precision=64" in ap.Trainer.gradient.__doc__
