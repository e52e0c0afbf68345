# SPDX-License-Identifier: MIT
"""Tables, which theory, simulation and training give, and the tasks that fill them."""
import ctypes

import numpy as np

from . import _calls
from ._generated import TASK_DEFAULTS, TASK_OPTIONS, TaskKind
from ._handle import Handle
from ._library import check, lib
from ._options import takes
from .context import default_context

# Keywords of this package that have another name in the library, `lambda` being taken.
_RENAMED = {"penalty": "lambda", "rank": "student_rank", "solution": "start"}


def takes_options_of(kind, **renamed):
    """A decorator: the signature shows the options of a kind of task, with the names of this package."""
    kind = TaskKind[kind]
    here = {known: name for name, known in _RENAMED.items() if name != "solution"}
    return takes(*TASK_OPTIONS[kind], defaults=TASK_DEFAULTS.get(kind), renamed={**here, **renamed})


class _Handle(Handle):
    """Rows in the library's memory, or a task."""


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
    return _Handle._adopt(_calls.table_create(context, kind, capacity))


def make_task(context, kind, arrays, options):
    kind = TaskKind[kind]
    task = _Handle._adopt(_calls.task_create(context, kind, {_RENAMED.get(name, name): value for name, value in options.items()}))
    for name, values in arrays.items():
        if values is not None:
            values = np.asarray(values, dtype=np.float64)
            _calls.task_set_array(task, name, values.reshape(-1, 1) if values.ndim < 2 else values)
    return task


def run_task(task, context=None, progress=None) -> Table:
    rows = new_rows(context, lib.atp_task_table_kind(task._address), lib.atp_task_rows(task._address))
    return Table(rows, _calls.task_run(task, rows, progress))


def run(kind, arrays, options, progress=None, context=None) -> Table:
    """Run a task of options and arrays by name."""
    context = context or default_context()
    return run_task(make_task(context, kind, arrays, options), context, progress)
