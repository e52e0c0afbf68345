# SPDX-License-Identifier: MIT
"""Tables, which theory, simulation and training give, and the tasks that fill them."""
import ctypes

import numpy as np

from . import _calls
from ._handle import Handle
from ._library import check, lib


class Table(dict):
    """Columns by name, each float64 [rows]. outcome: "converged" or that of the first row that is not, None where there is none."""

    def __init__(self, handle, outcome=None):
        self._handle, self.outcome = handle, outcome
        kind = lib.atp_table_kind_of(handle._address)
        names, self.units, self.descriptions = [], {}, {}  # the latter two by name
        for k in range(lib.atp_column_count(kind)):
            name, unit, text = (get(kind, k).decode() for get in (lib.atp_column_name, lib.atp_column_unit, lib.atp_column_description))
            names.append(name)
            self.units[name], self.descriptions[name] = unit, text
        super().__init__(zip(names, np.ascontiguousarray(_calls.table_values(handle).T)))

    def csv(self) -> str:
        """A line of names, a line for each row, as the library holds them."""
        size = ctypes.c_int64()
        check(lib.atp_table_csv(self._handle._address, None, 0, ctypes.addressof(size)))
        text = ctypes.create_string_buffer(size.value)
        check(lib.atp_table_csv(self._handle._address, ctypes.addressof(text), size.value, None))
        return text.value.decode()


def new_rows(context, kind, capacity):
    """An empty table of the library, with room for so many rows."""
    return Handle._adopt(_calls.table_create(context, kind, capacity))


def run(kind, arrays, options, progress=None, context=None, number=None):
    """Run a task of options and arrays by name; gives its table, and one of its numbers where that is asked for."""
    task = Handle._adopt(_calls.task_create(context, kind, options))
    for name, values in arrays.items():
        if values is not None:
            values = np.asarray(values, dtype=np.float64)
            _calls.task_set_array(task, name, values.reshape(-1, 1) if values.ndim < 2 else values)
    rows = new_rows(context, lib.atp_task_table_kind(task._address), lib.atp_task_rows(task._address))
    table = Table(rows, _calls.task_run(task, rows, progress))
    return table if number is None else (table, _calls.task_value(task, number))
