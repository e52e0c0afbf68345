# SPDX-License-Identifier: MIT
"""Scores of pairs, precision of contacts, statistics of samples."""
import ctypes
import os
from typing import NamedTuple

import numpy as np

from ._generated import COMPARISON_COLUMNS, COMPARISON_ROWS, Absent, ComparisonColumn, ComparisonRow, ScoreFormat
from ._handle import member, pointer, reals
from ._library import check, lib
from .context import default_context


class Distances(NamedTuple):
    matrix: np.ndarray  # [L, L], NaN where not known
    pairs: int  # lines of two different sites
    used: int  # those with both sites in the model


def apc(scores) -> np.ndarray:
    """Average product correction of scores [L, L]."""
    scores = reals(scores, "scores")
    out = np.empty_like(scores)
    check(lib.atp_scores_apc(scores.ctypes.data, scores.shape[0], out.ctypes.data, scores.size))
    return out


def _numbers(numbers, sites):
    if numbers is None:
        return None
    numbers = np.ascontiguousarray(numbers, dtype=np.int64)
    if numbers.shape != (sites,):
        raise ValueError(f"numbers has shape {numbers.shape}, expected ({sites},)")
    return numbers


def rank(scores, count: int = None, separation: int = 1, numbers=None) -> np.ndarray:
    """Pairs [n, 2] of places i < j with the largest scores [L, L], largest first; pairs whose numbers differ by less than `separation`
    are left out."""
    scores = reals(scores, "scores")
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1]:
        raise ValueError(f"scores has shape {scores.shape}, expected (L, L)")
    sites = scores.shape[0]
    numbers = _numbers(numbers, sites)
    capacity = max(1, sites * (sites - 1) // 2) if count is None else count
    pairs, found = np.empty((max(capacity, 1), 2), dtype=np.int64), ctypes.c_int64()
    check(lib.atp_scores_rank(scores.ctypes.data, sites, pointer(numbers), separation, pairs.ctypes.data, capacity, ctypes.addressof(found)))
    return pairs[:found.value]


def contacts(model, count: int = None, separation: int = 6, gap: int = 0) -> list:
    """The best pairs by APC-corrected Frobenius norm: (number i, number j, score), largest first. gap: the colour left out, -1 for none."""
    scores = apc(model.frobenius(gap=gap))
    numbers = model.site_numbers
    return [(int(numbers[i]), int(numbers[j]), float(scores[i, j])) for i, j in rank(scores, count, separation, numbers)]


def read_distances(path, sites: int, numbers=None, context=None) -> Distances:
    """A file of lines `i j d` or `i j x d`."""
    context = context or default_context()
    numbers = _numbers(numbers, sites)
    out, pairs, used = np.empty((sites, sites)), ctypes.c_int64(), ctypes.c_int64()
    check(lib.atp_distances_read(context._address, os.fsencode(path), pointer(numbers), sites, out.ctypes.data, out.size,
                                 ctypes.addressof(pairs), ctypes.addressof(used)))
    return Distances(out, pairs.value, used.value)


def write(scores, path, format="ccmpred", numbers=None, residues: str = None, context=None):
    """Write scores [L, L] as "ccmpred" (a matrix) or "plmc" (a line for each pair, with numbers and residues of the sites)."""
    context = context or default_context()
    scores = reals(scores, "scores")
    numbers = _numbers(numbers, scores.shape[0])
    check(lib.atp_scores_write(context._address, scores.ctypes.data, scores.shape[0], scores.size, pointer(numbers),
                               residues.encode() if residues else None, member(ScoreFormat, format, "format"), os.fsencode(path)))


def read(path, context=None):
    """(scores [L, L], numbers [L], residues) of a file in one of these formats."""
    context = context or default_context()
    sites = ctypes.c_int64()
    check(lib.atp_scores_sites(context._address, os.fsencode(path), ctypes.addressof(sites)))
    n = sites.value
    out, numbers, residues = np.empty((n, n)), np.empty(n, dtype=np.int64), ctypes.create_string_buffer(n + 1)
    check(lib.atp_scores_read(context._address, os.fsencode(path), out.ctypes.data, out.size, numbers.ctypes.data,
                              ctypes.addressof(residues)))
    return out, numbers, residues.value.decode()


def precision(pairs, distances, cutoff: float = 8.0, absent="excluded") -> np.ndarray:
    """Fraction of contacts among the first 1, 2, ... of the ranked pairs [n, 2] that count."""
    pairs, distances = np.ascontiguousarray(pairs, dtype=np.int64), reals(distances, "distances")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"pairs has shape {pairs.shape}, expected (n, 2)")
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        raise ValueError(f"distances has shape {distances.shape}, expected (L, L)")
    curve, counted = np.empty(len(pairs)), ctypes.c_int64()
    check(lib.atp_pairs_precision(pairs.ctypes.data, len(pairs), distances.ctypes.data, distances.shape[0], cutoff,
                                  member(Absent, absent, "absent"), curve.ctypes.data, ctypes.addressof(counted)))
    return curve[:counted.value]


def compare_statistics(data, samples, context=None) -> dict:
    """How f_i, f_ij and C_ij of samples follow those of data: {"sites": {"pearson": ..., "slope": ..., ...}, "pairs": ..., ...}."""
    context = context or default_context()
    out = np.empty((COMPARISON_ROWS, COMPARISON_COLUMNS))
    check(lib.atp_statistics_compare(context._address, data._address, samples._address, out.ctypes.data, out.size))
    return {row.name.lower(): {column.name.lower(): float(out[row, column]) for column in ComparisonColumn} for row in ComparisonRow}
