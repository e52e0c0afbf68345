# SPDX-License-Identifier: MIT
"""Options of the library from keywords."""
import numpy as np

from . import _generated
from ._generated import Option
from ._handle import Owned, make, member
from ._library import check, lib
from .context import default_context


def bag_of(families, values):
    """A bag of options from keywords: names as the library has them, with _ for -. `families` are hundreds of keys that apply."""
    address = make(lib.atp_options_create, default_context()._address)
    bag = Owned(address, lib.atp_options_destroy)
    for name, value in (values or {}).items():
        if value is None:
            continue
        key = lib.atp_option_from_name(name.replace("_", "-").encode())
        if key < 0 or (key // 100 not in families and key != Option.SEED):
            known = [Option(k).name.lower() for k in map(lib.atp_option_at, range(lib.atp_option_count())) if k // 100 in families]
            raise TypeError(f'no option "{name}", expected one of {", ".join(known)}')
        enum = getattr(_generated, "".join(word.capitalize() for word in Option(key).name.split("_")), None)
        if enum is not None:
            value = member(enum, value, name)
        if isinstance(value, (bool, int, np.integer)):
            check(lib.atp_options_set_i64(address, key, int(value)))
        else:
            check(lib.atp_options_set_f64(address, key, float(value)))
    return bag
