# SPDX-License-Identifier: MIT
"""Tables, which theory, simulation and training give, and the tasks that fill them."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Optional, Sequence, Union

import numpy as np

from . import _calls
from ._frame import frame
from ._handle import Handle, array_of
from ._library import check, lib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Table(dict):
    """Columns by name, each float64 [rows], in a dict.

    Attributes
    ----------
    outcome : str or None
        "converged" or that of the first row that is not, None where there is none.
    units : dict of str
        By name.
    descriptions : dict of str
        By name.
    """

    def __init__(self, handle, outcome=None):
        self._handle: Optional[Handle] = handle
        self.outcome, self._text = outcome, ""
        self.kind = kind = lib.atp_table_kind_of(handle._open)
        names, self.units, self.descriptions = [], {}, {}  # the latter two by name
        for k in range(lib.atp_column_count(kind)):
            name, unit, text = (get(kind, k).decode() for get in (lib.atp_column_name, lib.atp_column_unit, lib.atp_column_description))
            names.append(name)
            self.units[name], self.descriptions[name] = unit, text
        super().__init__(zip(names, np.ascontiguousarray(_calls.table_values(handle).T)))

    def plot(self, ax: Optional[Axes] = None, y: Union[None, str, Sequence[str]] = None, x: Optional[str] = None,
             label: Optional[str] = None) -> Axes:
        """Draw columns as curves, with matplotlib.

        Theory is lines. Simulations are points with standard errors, in the colour of the last line of the same column on the Axes:
        draw the theory first.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The Axes to draw on; by default those of a new figure.
        y : str or list of str, optional
            The columns to draw; by default the losses of learning curves and logs, the overlaps of runs against time.
        x : str, optional
            The column along the horizontal axis; by default alpha, omega, the time, the epoch, theta or the penalty.
        label : str, optional
            The words of the legend; by default those of the columns.

        Returns
        -------
        matplotlib.axes.Axes
            With labels from the descriptions and units of the columns.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If a column is not in the table, or the table is not a curve (contacts, sampling, tuning).
        """
        from . import _curves  # when the first picture is drawn

        return _curves.plot(self, ax, y, x, label)

    def frame(self):
        """Give the columns as a data frame.

        Returns
        -------
        pandas.DataFrame, or dict of columns without pandas
        """
        return frame(dict(self))

    def __getstate__(self):
        return {**self.__dict__, "_handle": None, "_text": self.csv()}

    def csv(self) -> str:
        """Give a line of names and a line for each row, as the library holds them.

        Returns
        -------
        str
        """
        if self._handle is None:  # a copy
            return self._text
        size = ctypes.c_int64()
        check(lib.atp_table_csv(self._handle._open, None, 0, ctypes.addressof(size)))
        text = ctypes.create_string_buffer(size.value)
        check(lib.atp_table_csv(self._handle._open, ctypes.addressof(text), size.value, None))
        return text.value.decode()


def new_rows(context, kind, capacity):
    """An empty table of the library, with room for so many rows."""
    return Handle._adopt(_calls.table_create(context, kind, capacity))


def run(kind, arrays, options, progress=None, context=None, number=None):
    """Run a task of options and arrays by name; gives its table, and one of its numbers where that is asked for."""
    task = Handle._adopt(_calls.task_create(context, kind, options))
    for name, values in arrays.items():
        if values is not None:
            values = array_of(values, name, np.float64)
            _calls.task_set_array(task, name, values.reshape(-1, 1) if values.ndim < 2 else values)
    rows = new_rows(context, lib.atp_task_table_kind(task._open), lib.atp_task_rows(task._open))
    table = Table(rows, _calls.task_run(task, rows, progress))
    return table if number is None else (table, _calls.task_value(task, number))
