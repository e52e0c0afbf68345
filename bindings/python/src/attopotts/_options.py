# SPDX-License-Identifier: MIT
"""Options of the library from keywords."""
import ctypes
import functools
import inspect
import typing

import numpy as np

from ._generated import OPTION_ENUMS, Option
from ._handle import Owned, make, member
from ._library import check, lib
from .context import default_context


def _option_names(allowed):
    found = ((k, lib.atp_option_name(k).decode()) for k in map(lib.atp_option_at, range(lib.atp_option_count())))
    return [name.replace("-", "_") for k, name in found if k // 100 in allowed or name in allowed]


def _parameter(name, default, shown_as, automatic):
    """The parameter of a signature that an option is; what it says is the library's."""
    key = lib.atp_option_from_name(name.replace("_", "-").encode())
    lowest, highest, initial, whole = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
    check(lib.atp_option_bounds(key, *map(ctypes.addressof, (lowest, highest, initial, whole))))
    value = initial.value if default is None else default
    kind = float if not whole.value else bool if (lowest.value, highest.value) == (0, 1) else int
    if key in OPTION_ENUMS:
        words = [member.name.lower() for member in OPTION_ENUMS[key]]
        kind, value = typing.Literal[tuple(words)], value if isinstance(value, str) else OPTION_ENUMS[key](int(value)).name.lower()
    else:
        kind, value = (typing.Optional[kind], None) if automatic else (kind, kind(value))
    return inspect.Parameter(shown_as, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=kind)


def takes(*allowed, defaults=None, renamed=None, automatic=()):
    """A decorator: the signature shows the options that a function takes as its last parameter, `**values`, with their types and defaults.
    `allowed` as in bag_of(); `defaults` where they are others than those of the bag; `renamed` has names that stand for the library's;
    `automatic` those that the library chooses unless they are given."""
    defaults, renamed = ({k.replace("-", "_"): v for k, v in given.items()} for given in (defaults or {}, renamed or {}))

    def decorate(function):
        @functools.wraps(function)
        def call(*arguments, **values):
            return function(*arguments, **values)

        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = _option_names(allowed) if isinstance(allowed[0], int) else [name.replace("-", "_") for name in allowed]
        shown = [_parameter(name, defaults.get(name), renamed.get(name, name), name in automatic) for name in names]
        known = [p.name for p in own]
        call.__signature__ = signature.replace(parameters=own + [p for p in shown if p.name not in known])
        return call
    return decorate


def bag_of(allowed, values):
    """A bag of options from keywords: names as the library has them, with _ for -. `allowed` has the names that apply, or hundreds of
    keys; a seed applies always but for names."""
    address = make(lib.atp_options_create, default_context()._address)
    bag = Owned(address, lib.atp_options_destroy)
    for name, value in (values or {}).items():
        if value is None:
            continue
        key = lib.atp_option_from_name(name.replace("_", "-").encode())
        known = _option_names(allowed)
        if name not in known and (key != Option.SEED or isinstance(allowed[0], str)):
            raise TypeError(f'no option "{name}", expected one of {", ".join(known)}')
        if key in OPTION_ENUMS:
            value = member(OPTION_ENUMS[key], value, name)
        if isinstance(value, (bool, int, np.integer)):
            check(lib.atp_options_set_i64(address, key, int(value)))
        else:
            check(lib.atp_options_set_f64(address, key, float(value)))
    return bag
