# SPDX-License-Identifier: MIT
"""Scores of pairs, precision of contacts, statistics of samples."""
import ctypes
import os
from typing import NamedTuple

import numpy as np

from . import _calls
from ._generated import GAP_AUTO, ComparisonColumn, ComparisonRow
from ._handle import default_context, described
from ._library import check, lib
from .table import new_rows


@described(matrix="[L, L], NaN where not known.", pairs="Lines of two different sites.", used="Those with both sites in the model.")
class Distances(NamedTuple):
    """What read_distances() gives."""
    matrix: np.ndarray
    pairs: int
    used: int


def apc(scores) -> np.ndarray:
    """Average product correction of scores [L, L]."""
    return _calls.scores_apc(scores)


def rank(scores, count: int = None, separation: int = 1, numbers=None) -> np.ndarray:
    """Pairs [n, 2] of places i < j with the largest scores [L, L], largest first; pairs whose numbers differ by less than `separation`
    are left out."""
    sites = len(scores)
    pairs, found = _calls.scores_rank(scores, numbers, separation, max(1, sites * (sites - 1) // 2) if count is None else count)
    return pairs[:found]


def contacts(model, count: int = None, separation: int = 1, gap="auto", gauge="zero_sum", context=None) -> list:
    """The best pairs by APC-corrected Frobenius norm, as the program's `contacts` ranks them: (number i, number j, score), largest first.
    separation: pairs whose numbers differ by less are left out. gap: the colour left out of the norm, -1 for none, or "auto": colour 0 if
    the alphabet begins with a gap."""
    every = model.sites * (model.sites - 1) // 2
    rows = new_rows(context, "contacts", every if count is None else min(count, every))
    _calls.model_contacts(context, model, gauge, GAP_AUTO if gap == "auto" else gap, separation, rows)
    return [(int(i), int(j), score) for i, j, _, score, *_ in _calls.table_values(rows).tolist()]


def read_distances(path, sites: int, numbers=None, context=None) -> Distances:
    """A file of lines `i j d` or `i j x d`."""
    matrix, counts = _calls.distances_read(context, path, numbers, sites, np.zeros(2, dtype=np.int64))
    return Distances(matrix, *counts.tolist())


def write(scores, path, format="ccmpred", numbers=None, residues: str = None, context=None):
    """Write scores [L, L] as "ccmpred" (a matrix) or "plmc" (a line for each pair, with numbers and residues of the sites)."""
    _calls.scores_write(context, scores, numbers, residues, format, path)


def read(path, context=None):
    """(scores [L, L], numbers [L], residues) of a file in one of these formats."""
    n = _calls.scores_sites(context, path)
    out, numbers, residues = np.empty((n, n)), np.empty(n, dtype=np.int64), ctypes.create_string_buffer(n + 1)
    check(lib.atp_scores_read((context or default_context())._address, os.fsencode(path), out.ctypes.data, out.size, numbers.ctypes.data,
                              ctypes.addressof(residues)))
    return out, numbers, residues.value.decode()


def precision(pairs, distances, cutoff: float = 8.0, absent="excluded") -> np.ndarray:
    """Fraction of contacts among the first 1, 2, ... of the ranked pairs that count. pairs: integers [n, 2], 0-based places as rank()
    gives, not the site numbers of contacts(). distances: [L, L], or what read_distances() gives."""
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(f"pairs is an array of {pairs.dtype} of shape {pairs.shape}, expected integers [n, 2]: places, as rank() gives")
    distances = distances.matrix if isinstance(distances, Distances) else distances
    curve = _calls.pairs_precision(pairs, distances, cutoff, absent)
    return curve[~np.isnan(curve)]


@described(value="The measure.", low="The lower end of its 95 per cent interval.", high="The upper end.")
class Agreement(NamedTuple):
    """What agreement() gives."""
    value: float
    low: float
    high: float


def agreement(measure, x, y, draws: int = 1000, seed: int = 1, top: int = 1, context=None) -> Agreement:
    """A measure of agreement of scores x with measurements y, larger being more in both, with its 95 per cent bootstrap interval.
    measure: "spearman", "kendall", "auc" (of the positives, y > 0) or "recall" (of the `top` largest). draws 0: no interval."""
    return Agreement(*_calls.agreement_interval(context, measure, x, y, (draws, seed, top)).tolist())


def compare_statistics(data, samples, context=None) -> dict:
    """How f_i, f_ij and C_ij of samples follow those of data: {"sites": {"pearson": ..., "slope": ..., ...}, "pairs": ..., ...}."""
    out = _calls.statistics_compare(context, data, samples)
    return {row.name.lower(): {column.name.lower(): float(out[row, column]) for column in ComparisonColumn} for row in ComparisonRow}
