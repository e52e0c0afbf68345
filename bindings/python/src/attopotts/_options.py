# SPDX-License-Identifier: MIT
"""Options of the library from keywords."""
import ctypes
import functools
import inspect
import re
import typing
from types import MappingProxyType

import numpy as np

from ._generated import OPTION_ENUMS, OPTION_TEXTS, OPTIONS, Option
from ._handle import default_context, integer_of, make, member, real_of
from ._library import Error, check, lib
from ._owned import Owned

Taking = typing.TypeVar("Taking", bound=typing.Callable)


def _parameter(shown_as, name, default):
    """The parameter of a signature that an option is; its type is the library's, its default a text, or None where the run chooses."""
    key, lowest, highest, whole = Option[name.upper()], ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
    check(lib.atp_option_bounds(key, ctypes.addressof(lowest), ctypes.addressof(highest), None, ctypes.addressof(whole)))
    kind = float if not whole.value else bool if (lowest.value, highest.value) == (0, 1) else int
    if key in OPTION_ENUMS:
        kind = typing.Literal[tuple(word.name.lower() for word in OPTION_ENUMS[key])]
    elif default is None:
        kind = typing.Optional[kind]
    else:
        default = kind(float(default))
    return inspect.Parameter(shown_as, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _section(parameters, shown) -> str:
    """The options in a docstring; what the signature shows is not said again, but for the words of an option."""
    def words(p):
        if p.name in enums:
            return "{" + ", ".join(f'"{word}"' for word in typing.get_args(p.annotation)) + "}"
        kinds = typing.get_args(p.annotation)
        return f"{kinds[0].__name__}, optional" if kinds else p.annotation.__name__

    enums = {name for name, known in shown.items() if Option[known.upper()] in OPTION_ENUMS}
    lines = [f"{p.name} : {words(p)}\n    {OPTION_TEXTS[shown[p.name]]}" for p in parameters]
    return "\n\nOther Parameters\n----------------\n" + "\n".join(lines) + "\n" if lines else ""


def takes(kind: str, **renamed: str) -> typing.Callable[[Taking], Taking]:
    """A decorator: the signature shows the options of a kind of object, reading or task, which the function takes as its last parameter,
    `**values`, with their types and defaults; others are refused. `renamed` has the names of this package for some of the library's."""
    renamed = {"lambda": "penalty", "student_rank": "rank", **renamed}  # `lambda` is taken
    shown = {renamed.get(name, name): name for name in OPTIONS[kind]}
    # Why options of trainers mean nothing to a transformer is for the library to tell.
    known = {*shown, *OPTIONS[kind], *(OPTIONS["trainer"] if kind == "transformer" else ())}

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
                here = renamed.get(name, name) if name in OPTIONS[kind] else name
                passed = here if here in own else shown.get(here, here)
                if passed in given:
                    raise TypeError(f'option "{here}" is given twice, also as "{name if name != here else passed}"')
                given[passed] = value
            try:
                return function(*arguments, **given)
            except Error as error:  # with the names of this package
                error.args = re.sub(r"\boption ([\w-]+)", lambda found: "option " + names.get(found[1], found[1]), error.args[0]),
                raise

        options = [_parameter(name, known_as, OPTIONS[kind][known_as]) for name, known_as in shown.items() if name not in own]
        call.__signature__ = signature.replace(parameters=[*own.values(), *options])  # type: ignore[attr-defined]
        call.__doc__ = inspect.cleandoc(function.__doc__ or "Take the options of this class.").rstrip() + _section(options, shown)
        return call  # type: ignore[return-value]
    return decorate


def bag_of(values=MappingProxyType({}), reader=None):
    """A bag of options from keywords: names as the library has them, with _ for -; what is None is not set. The reader, where there is one,
    reads all of them."""
    context = default_context()._open
    bag = Owned(make(lib.atp_options_create, context), lib.atp_options_destroy, context)
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
    if reader is not None:
        check(lib.atp_options_check(bag, reader))
    return bag
