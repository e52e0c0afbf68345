# SPDX-License-Identifier: MIT
"""Options of the library from keywords."""
import numpy as np

from ._generated import OPTION_ENUMS, Option
from ._handle import Owned, make, member
from ._library import check, lib
from .context import default_context


def _option_names(allowed):
    found = ((k, lib.atp_option_name(k).decode()) for k in map(lib.atp_option_at, range(lib.atp_option_count())))
    return [name.replace("-", "_") for k, name in found if k // 100 in allowed or name in allowed]


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
