# SPDX-License-Identifier: MIT
"""Options of the library from keywords."""
import ctypes
import functools
import inspect
import re
import typing
from types import MappingProxyType

import numpy as np

from ._generated import OPTION_ENUMS, Option, OptionOwner, TaskKind
from ._handle import default_context, integer_of, make, member, real_of
from ._library import Error, check, lib
from ._owned import Owned

Taking = typing.TypeVar("Taking", bound=typing.Callable)


def _owner(kind):
    """The owner of options by its name: "trainer", or that of a task, "REPLICA_SQUARE"."""
    return TaskKind[kind] if kind in TaskKind.__members__ else OptionOwner[kind.upper()]


def _options(owner):
    """{name with _ for -: key} of what an owner has."""
    keys = [Option(lib.atp_option_at(owner, k)) for k in range(lib.atp_option_count(owner))]
    return {key.name.lower(): key for key in keys}


def _parameter(shown_as, owner, key):
    """The parameter of a signature that an option is; its type and default are the library's, None where the default is no word."""
    lowest, highest, initial, whole = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
    check(lib.atp_option_bounds(owner, key, *map(ctypes.addressof, (lowest, highest, initial, whole))))
    kind = float if not whole.value else bool if (lowest.value, highest.value) == (0, 1) else int
    default = kind(initial.value)
    if key in OPTION_ENUMS:
        words = OPTION_ENUMS[key]
        kind = typing.Literal[tuple(word.name.lower() for word in words)]
        default = next((word.name.lower() for word in words if word == default), None)
        kind = kind if default else typing.Optional[kind]
    return inspect.Parameter(shown_as, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _section(parameters, owner, shown) -> str:
    """The options in a docstring; what the signature shows is not said again, but for the words of an option."""
    def words(p):
        if shown[p.name] in OPTION_ENUMS:
            return "{" + ", ".join(f'"{word.name.lower()}"' for word in OPTION_ENUMS[shown[p.name]]) + "}"
        return p.annotation.__name__

    lines = [f"{p.name} : {words(p)}\n    {lib.atp_option_text(owner, shown[p.name]).decode()}" for p in parameters]
    return "\n\nOther Parameters\n----------------\n" + "\n".join(lines) + "\n" if lines else ""


def takes(kind: str, **renamed: str) -> typing.Callable[[Taking], Taking]:
    """A decorator: the signature shows the options of a kind of object, reading or task, which the function takes as its last parameter,
    `**values`, with their types and defaults; others are refused. `renamed` has the names of this package for some of the library's."""
    renamed = {"lambda": "penalty", "student_rank": "rank", **renamed}  # `lambda` is taken
    owner = _owner(kind)
    own_names = _options(owner)
    shown = {renamed.get(name, name): name for name in own_names}
    known = {*shown, *own_names}
    names = {known_as.replace("_", "-"): name for name, known_as in shown.items()}

    def decorate(function: Taking) -> Taking:
        signature = inspect.signature(function)
        own = {name: p for name, p in signature.parameters.items() if p.kind is not p.VAR_KEYWORD}

        @functools.wraps(function)
        def call(*arguments, **values):
            given = {}
            for name, value in values.items():
                if name not in known and name not in own:
                    raise TypeError(f'no option "{name}", expected one of {", ".join(shown)}')
                here = renamed.get(name, name) if name in own_names else name
                passed = here if here in own else shown.get(here, here)
                if passed in given:
                    raise TypeError(f'option "{here}" is given twice, also as "{name if name != here else passed}"')
                given[passed] = value
            try:
                return function(*arguments, **given)
            except Error as error:  # with the names of this package
                error.args = re.sub(r"\boption ([\w-]+)", lambda found: "option " + names.get(found[1], found[1]), error.args[0]),
                raise

        keys = {name: own_names[known_as] for name, known_as in shown.items()}
        options = [_parameter(name, owner, key) for name, key in keys.items() if name not in own]
        call.__signature__ = signature.replace(parameters=[*own.values(), *options])  # type: ignore[attr-defined]
        call.__doc__ = inspect.cleandoc(function.__doc__ or "Take the options of this class.").rstrip() + _section(options, owner, keys)
        return call  # type: ignore[return-value]
    return decorate


def bag_of(owner, values=MappingProxyType({})):
    """A bag of an owner's options from keywords: names as the library has them, with _ for -; what is None is not set."""
    context = default_context()._open
    bag = Owned(make(lib.atp_options_create, context, owner), lib.atp_options_destroy, context)
    for name, value in values.items():
        if value is None:
            continue
        key = Option[name.upper()]
        if key in OPTION_ENUMS:
            value = member(OPTION_ENUMS[key], value, name)
        if isinstance(value, (int, np.integer)):
            check(lib.atp_options_set_i64(bag, key, integer_of(value, name)))
        else:
            check(lib.atp_options_set_f64(bag, key, real_of(value, name)))
    return bag
