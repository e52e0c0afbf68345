# SPDX-License-Identifier: MIT
"""Pictures with matplotlib, which is imported when the first one is drawn."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes(ax: Optional[Axes]) -> Axes:
    """The Axes to draw on: `ax`, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise ImportError("pictures need matplotlib: pip install 'attopotts[plot]'", name="matplotlib") from None
    return pyplot.subplots(layout="constrained")[1]


def site_positions(numbers) -> np.ndarray:
    """Where sites are on an axis: their numbers, or places from 1 if the numbers have large gaps."""
    numbers = np.asarray(numbers)
    rising = np.all(np.diff(numbers) > 0)
    return numbers if rising and numbers[-1] - numbers[0] < 2 * numbers.size else np.arange(1, numbers.size + 1)


def site_ticks(*along) -> None:
    """Whole numbers at the ticks of axes of sites."""
    for axis in along:
        axis.get_major_locator().set_params(integer=True)


def spread(values, rows, columns) -> np.ndarray:
    """Values on a grid without gaps: NaN at rows and columns that no position has."""
    grid = np.full((rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1), np.nan)
    grid[np.ix_(rows - rows[0], columns - columns[0])] = values
    return grid


def heat_map(ax, values, rows, columns, label: str, diverging: bool = False) -> Axes:
    """An image of values whose cells are centred at whole numbers, with its colour bar; diverging: colours that are symmetric about 0."""
    ax = axes(ax)
    grid = spread(values, rows, columns)
    limits = {}
    if diverging:
        largest = np.nanmax(np.abs(grid), initial=0) or 1.0
        limits = {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest}
    image = ax.imshow(grid, origin="lower", interpolation="nearest", **limits,
                      extent=(columns[0] - 0.5, columns[-1] + 0.5, rows[0] - 0.5, rows[-1] + 0.5))
    ax.figure.colorbar(image, ax=ax, label=label)
    return ax


def site_map(ax, values, numbers, label: str, diverging: bool = False) -> Axes:
    """A heat map of a matrix [L, L] of pairs of sites, without its diagonal."""
    positions = site_positions(numbers)
    values = np.where(np.eye(len(positions), dtype=bool), np.nan, values)
    ax = heat_map(ax, values, positions, positions, label, diverging)
    site_ticks(ax.xaxis, ax.yaxis)
    ax.set(xlabel="site", ylabel="site")
    return ax


def name_colors(axis, alphabet: str, colors: int) -> None:
    """Ticks of an axis of colours: symbols, or numbers where there is no alphabet."""
    axis.set_ticks(range(colors), list(alphabet) or [str(color) for color in range(colors)])


def color_map(ax, values, alphabet: str, label: str) -> Axes:
    """A heat map of a matrix [q, q] of pairs of colours."""
    colors = np.arange(len(values))
    ax = heat_map(ax, values, colors, colors, label, diverging=True)
    for axis in (ax.xaxis, ax.yaxis):
        name_colors(axis, alphabet, len(colors))
    ax.set(xlabel="colour", ylabel="colour")
    return ax


def density(ax, x, y, xlabel: str, ylabel: str, label: str) -> Axes:
    """How many points lie in each hexagon, on a logarithmic scale, and the line where both coordinates are equal."""
    ax = axes(ax)
    cells = ax.hexbin(x, y, gridsize=80, bins="log", mincnt=1, cmap="viridis_r")
    ax.figure.colorbar(cells, ax=ax, label=label)
    ax.axline((0, 0), slope=1, color="0.3", linestyle="--", linewidth=1)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return ax


def contact_map(ax, pairs, numbers, distances, cutoff: float, unit: str) -> Axes:
    """Predicted pairs (number, number) over the known contacts, both in both triangles."""
    ax = axes(ax)
    positions = site_positions(numbers)
    places = {number: place for place, number in enumerate(np.asarray(numbers).tolist())}
    found = np.array([(places[i], places[j]) for i, j in pairs], dtype=np.int64).reshape(-1, 2)

    def dots(pairs, **style):
        both = positions[np.concatenate([pairs, pairs[:, ::-1]])]
        if len(both):
            ax.scatter(both[:, 0], both[:, 1], **style)

    if distances is None:
        dots(found, s=16, color="tab:blue", label="predicted", zorder=3)
    else:
        near = f"distance < {cutoff:g} {unit}".rstrip()
        with np.errstate(invalid="ignore"):
            known = np.argwhere(np.triu(np.asarray(distances) < cutoff, 1))
        dots(known, s=28, color="0.8", marker="s", label=f"contact, {near}", zorder=2)
        of_found = np.asarray(distances)[found[:, 0], found[:, 1]]
        dots(found[of_found < cutoff], s=16, color="tab:blue", label="predicted, contact", zorder=3)
        dots(found[of_found >= cutoff], s=16, color="tab:red", marker="x", label="predicted, no contact", zorder=3)
        dots(found[np.isnan(of_found)], s=16, color="tab:orange", marker="^", label="predicted, distance not known", zorder=3)
    site_ticks(ax.xaxis, ax.yaxis)
    ends = positions[0] - 0.5, positions[-1] + 0.5
    ax.set(xlim=ends, ylim=ends, xlabel="site", ylabel="site", aspect="equal")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, frameon=False)
    return ax


# Of the program's pictures, from less to more probable; the colours are the letters d of cli/report/svg.cpp.
PROGRAM_COLORS = ("#b35806", "#cc761d", "#e59434", "#f4b566", "#f9dab3", "#ffffff", "#b7d3e9", "#6ea6d3", "#3d7db5", "#225690", "#08306b")


def mutants(ax, values, own, numbers, alphabet: str, label: str) -> Axes:
    """A heat map of single mutants [L, q] as in the pictures of `attopotts mutants`: sites along x, the first colour at the top, blue where
    mutants are more probable than the sequence, whose own colours are dots."""
    from matplotlib.colors import ListedColormap

    positions = site_positions(numbers)
    sites, colors = values.shape
    ax = heat_map(ax, values.T, np.arange(colors), positions, label, diverging=True)
    ax.images[-1].set_cmap(ListedColormap(PROGRAM_COLORS))
    ax.invert_yaxis()
    name_colors(ax.yaxis, alphabet, colors)
    site_ticks(ax.xaxis)
    known = own < colors
    ax.plot(positions[known], own[known], ".k", markersize=3, label="the sequence itself")
    ax.set(title="All single mutants", xlabel="site", ylabel="mutated to", aspect="auto")
    return ax


def quality(ax, measures) -> Axes:
    """Numbers of samples, of independent samples with their standard deviation, and limits as bars, a line for each measure."""
    names = [name for name, row in measures.items() if np.isfinite(row["low"]) or np.isfinite(row["high"])]
    if not names:
        raise ValueError("nothing to plot: no measure has limits, which need runs=2 or more")
    ax = axes(ax)
    low, high, parts, deviation, samples, verdict = (np.array([measures[name][key] for name in names], dtype=float)
                                                     for key in ("low", "high", "parts", "parts_sd", "samples", "verdict"))
    places = np.arange(len(names))
    reach = np.concatenate([low, high, parts, samples, [0]])
    margin = 0.03 * (np.nanmax(reach) - np.nanmin(reach))
    ends = np.nanmin(reach) - margin, np.nanmax(reach) + margin
    begins = np.where(np.isfinite(low), low, ends[0])
    ax.barh(places, np.where(np.isfinite(high), high, ends[1]) - begins, left=begins, height=0.6, color="0.88", label="within the limits")
    ax.errorbar(parts, places, xerr=deviation, fmt="o", color="0.4", markersize=4, capsize=2, label="independent samples")
    for fault, style in ((False, {"marker": "o", "color": "tab:blue", "label": "samples"}),
                         (True, {"marker": "X", "color": "tab:red", "label": "samples, beyond the limits"})):
        shown = (np.nan_to_num(verdict) != 0) == fault
        if np.any(shown):
            ax.plot(samples[shown], places[shown], linestyle="", markersize=7, **style)
    ax.set_yticks(places, [name.replace("_", " ") for name in names])
    ax.set(xlim=ends, ylim=(len(names) - 0.5, -0.5), xlabel="number of the samples, and of parts of the data")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, frameon=False)
    return ax
