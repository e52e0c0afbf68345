# SPDX-License-Identifier: MIT
"""Pictures of tables: the columns that each kind of table draws, their labels, theory and simulation in the same colours."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._generated import CURVES, ERROR_COLUMNS, NAMED, SIMULATED, TableKind
from ._plots import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .table import Table

GREEK = {"alpha": r"$\alpha$", "omega": r"$\omega$", "theta": r"$\theta$"}


class Curves(NamedTuple):
    """What a kind of table draws: columns, and what those of y are together."""
    x: str
    y: tuple
    axis: str


# Of Boltzmann learning, which has no training loss.
CHAINS = Curves("epoch", ("pearson", "slope"), "C_ij of chains against the family")


def clause(text: str) -> str:
    """The first words of the description of a column."""
    return next((part for part in re.split(r"[,;:(] *", text) if len(part) > 2), text).strip()


def with_unit(text: str, unit: str) -> str:
    return f"{text} [{unit}]" if unit else text


def of_axis(table: Table, columns: Sequence[str], drawn: Curves) -> str:
    """The label of an axis of these columns."""
    first = columns[0]
    unit = table.units[first] if not table.units[first].startswith("atp_") else ""
    if len(columns) > 1:
        usual = set(columns) <= set(drawn.y)
        return with_unit(GREEK.get(drawn.axis, drawn.axis) if usual else ", ".join(GREEK.get(name, name) for name in columns), unit if usual else "")
    words = clause(table.descriptions[first])
    if first == drawn.x and first in GREEK:
        words = f"{GREEK[first]}: {words}"
    return with_unit(words if first in (*drawn.y, drawn.x, *NAMED) else GREEK.get(first, first), unit)


def errors_of(table: Table, column: str) -> Optional[np.ndarray]:
    """The standard errors of a column; None where the table has none."""
    name = ERROR_COLUMNS.get(column, column + "_sem")
    error = table.get(name)
    return None if error is None or np.all(np.isnan(error)) else error


def draw(ax, table: Table, kind: str, x: str, column: str, label: Optional[str]) -> None:
    """One column: a line, or points with errors if it is estimated. Points take the colour of the last line of the same column on these
    Axes, so that simulation and theory have the same one."""
    style, color, error = "-", None, None
    if kind in SIMULATED or kind == "SELECTION" and column in ERROR_COLUMNS:
        lines = [line for line in ax.get_lines() if line.get_gid() == column and line.get_linestyle() != "None"]
        style, color, error = "o", lines[-1].get_color() if lines else None, errors_of(table, column)
    runs = table["run"] if "run" in table else np.zeros_like(table[x])
    for run in np.unique(runs):
        of_run = runs == run
        if error is None:
            (line,) = ax.plot(table[x][of_run], table[column][of_run], style, color=color, label=label, markersize=4)
        else:
            line = ax.errorbar(table[x], table[column], yerr=error, fmt=style, color=color, label=label, markersize=4, capsize=2).lines[0]
        line.set_gid(column)
        color, label = line.get_color(), None


def choose(table: Table, drawn: Curves, y: Union[None, str, Sequence[str]]) -> list:
    """The columns to draw: those that are asked for, or the usual ones of the kind that have numbers."""
    asked = [y] if isinstance(y, str) else list(y or ())
    for name in asked:
        if name not in table:
            raise ValueError(f'no column "{name}", expected one of {", ".join(table)}')
    found = asked or [name for name in drawn.y if np.any(np.isfinite(table[name]))]
    if not found:
        raise ValueError(f"nothing to plot: {', '.join(drawn.y)} have no numbers")
    return found


def plot(table: Table, ax: Optional[Axes], y, x: Optional[str], label: Optional[str]) -> Axes:
    """Table.plot()."""
    kind = TableKind(table.kind).name
    if kind not in CURVES:
        raise ValueError(f"a table {kind} has no picture: it is not a curve")
    drawn = Curves(*CURVES[kind])
    if kind == "SELECTION" and np.ptp(table["heads"]) > 0:
        drawn = drawn._replace(x="heads")
    if kind == "TRAINING_LOG" and np.any(np.isfinite(table["pearson"])) and np.all(np.isnan(table["test_loss"])):
        drawn = CHAINS
    columns, x = choose(table, drawn, y), x or drawn.x
    choose(table, drawn, x)
    ax = axes(ax)
    for name in columns:
        words = clause(table.descriptions[name]) if name in (*drawn.y, *NAMED) and drawn is not CHAINS else GREEK.get(name, name)
        words += ", simulated" * (kind in SIMULATED)
        draw(ax, table, kind, x, name, words if label is None else label if len(columns) == 1 else f"{label}, {words}")
    if "chosen" in table:
        ax.axvline(table[x][np.argmax(table["chosen"])], color="0.5", linestyle=":", label="chosen")
    across = table[x][np.isfinite(table[x])]
    if x == "l2_couplings" or x == "alpha" and across.size and across.min() > 0 and across.max() >= 10 * across.min():
        ax.set_xscale("log")
    ax.set_xlabel(of_axis(table, [x], drawn))
    ax.set_ylabel(of_axis(table, columns, drawn))
    if label is not None or len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend(frameon=False)
    return ax


def histogram(ax: Optional[Axes], counts, mean: float, label: Optional[str]) -> Axes:
    """Fractions of pairs at each Hamming distance, with the mean as a dashed line."""
    ax = axes(ax)
    fractions = counts / max(1, counts.sum())
    steps = ax.stairs(fractions, np.arange(len(counts) + 1) - 0.5, fill=True, alpha=0.5, label=label)
    ax.axvline(mean * (len(counts) - 1), linestyle="--", color=steps.get_facecolor()[:3])
    ax.set(xlabel="Hamming distance [sites]", ylabel="fraction of pairs of sequences")
    if label is not None:
        ax.legend(frameon=False)
    return ax
