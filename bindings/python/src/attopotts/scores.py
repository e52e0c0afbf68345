# SPDX-License-Identifier: MIT
"""Scores of pairs, precision of contacts, statistics of samples."""
from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, List, NamedTuple, Optional

import numpy as np

from . import _calls
from ._frame import frame
from ._generated import GAP_AUTO, QUALITY_ROWS, BootstrapColumn, ComparisonColumn, ComparisonRow, Quality, QualityColumn
from ._handle import array_of, context_of, described, integer_of, path_of
from ._library import check, lib
from ._options import takes
from .model import Model
from .table import Table, new_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._keywords import AsymptoticsOptions, GaussianOptions, MeanFieldOptions, MutualInformationOptions, QualityOptions


@described(matrix="[L, L], NaN where not known.", pairs="Lines of two different sites.", used="Those with both sites in the model.")
class Distances(NamedTuple):
    """What read_distances() gives."""
    matrix: np.ndarray
    pairs: int
    used: int


@described(i="Number of a site.", j="That of another.", score="The corrected norm of their couplings.")
class Contact(NamedTuple):
    """A pair of contacts()."""
    i: int
    j: int
    score: float


class Contacts(List[Contact]):
    """What contacts() gives: a list of (i, j, score), largest score first. site_numbers: of all sites, [L]."""

    def __init__(self, pairs, site_numbers):
        super().__init__(pairs)
        self.site_numbers = np.array(site_numbers)

    def frame(self):
        """Give the pairs as columns.

        Returns
        -------
        pandas.DataFrame, or dict of columns without pandas
            i, j, score.
        """
        columns = ([pair[k] for pair in self] for k in range(3))
        return frame({name: np.array(column, dtype=float if name == "score" else int) for name, column in zip(Contact._fields, columns)})

    def plot(self, ax: Optional[Axes] = None, count: Optional[int] = None, distances=None, cutoff: float = 8.0,
             unit: str = "\u00c5") -> Axes:
        """Draw the contact map: the best pairs as dots, with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The Axes to draw on; by default those of a new figure.
        count : int, optional
            How many of the best pairs; by default as many as there are sites.
        distances : array [L, L] or Distances, optional
            Known distances of the sites, NaN where not known. Pairs below the cutoff are grey squares, and the colours of the dots tell
            which predicted pairs are among them.
        cutoff : float
            Pairs closer than this are contacts.
        unit : str
            The unit of distances and cutoff, for the legend.

        Returns
        -------
        matplotlib.axes.Axes
            Its coordinates are site numbers, or places from 1 if the numbers have large gaps.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from . import _plots  # when the first picture is drawn

        sites = len(self.site_numbers)
        distances = distances.matrix if isinstance(distances, Distances) else distances
        if distances is not None and np.shape(distances) != (sites, sites):
            raise ValueError(f"distances has shape {np.shape(distances)}, expected ({sites}, {sites})")
        best = [pair[:2] for pair in self[:sites if count is None else count]]
        return _plots.contact_map(ax, best, self.site_numbers, distances, cutoff, unit)


def apc(scores) -> np.ndarray:
    """Correct scores by the average product.

    Parameters
    ----------
    scores : array_like, [L, L]
        Symmetric.

    Returns
    -------
    ndarray, [L, L]
    """
    return _calls.scores_apc(scores)


def rank(scores, count: Optional[int] = None, separation: int = 1, numbers=None, border: int = 0) -> np.ndarray:
    """Rank the pairs of sites, largest scores first.

    Parameters
    ----------
    scores : array_like, [L, L]
        Symmetric. NaN in both places: the pair has no score and is left out.
    count : int, optional
        How many pairs; all by default.
    separation : int
        Pairs whose numbers differ by less are left out.
    numbers : array_like of int, [L], optional
        Of the sites; 1..L by default.
    border : int
        How many sites are those of the first of two proteins: pairs with sites of both are never left out for their numbers.
        0: one protein.

    Returns
    -------
    ndarray of int, [n, 2]
        Places i < j, from 0.
    """
    scores = array_of(scores, "scores", np.float64, ("L", "L"))
    sites = len(scores)
    rule = [integer_of(separation, "separation"), integer_of(border, "border")]
    pairs, found = _calls.scores_rank(scores, numbers, rule, max(1, sites * (sites - 1) // 2) if count is None else count)
    return pairs[:found]


def overlap(pairs, others, context=None) -> float:
    """Give the fraction of the pairs of one ranking that are among those of another.

    Parameters
    ----------
    pairs, others : array_like of int, [n, 2] and [m, 2]
        As from rank().
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    float
        0..1.
    """
    return _calls.pairs_overlap(context, pairs, others)


def contacts(model, count: Optional[int] = None, separation: int = 1, gap="auto", gauge="zero_sum", context=None) -> Contacts:
    """Rank the pairs of sites by APC-corrected Frobenius norms, as the program's `contacts` does.

    Parameters
    ----------
    model : Model
        Its couplings are scored.
    count : int, optional
        How many pairs; all by default.
    separation : int
        Pairs whose numbers differ by less are left out.
    gap : int or "auto"
        The colour left out of the norm, -1 for none; "auto": colour 0 if the alphabet begins with a gap.
    gauge : {"zero_sum", "colors"}
        The gauge in which norms are taken.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Contacts
        A list of (i, j, score), the numbers of two sites, largest first.
    """
    every = model.sites * (model.sites - 1) // 2
    rows = new_rows(context, "contacts", every if count is None else min(count, every))
    _calls.model_contacts(context, model, gauge, GAP_AUTO if isinstance(gap, str) and gap == "auto" else gap, separation, rows)
    return Contacts((Contact(int(i), int(j), score) for i, j, _, score, *_ in _calls.table_values(rows).tolist()), model.site_numbers)


@takes("mean_field")
def mean_field(alignment, context=None, **values: "Unpack[MeanFieldOptions]") -> Model:
    """Find the mean-field couplings of an alignment.

    Parameters
    ----------
    alignment : Alignment
        The data. pseudocount: weight of uniform frequencies, 0.5 unless given; precision: 32 or 64, bits of the inverse.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Model
        Dense, with fields.
    """
    return Model._adopt(_calls.mean_field_model(context, alignment, values))


@takes("mean_field")
def mean_field_bytes(n: int, sites: int, colors: int, **values: "Unpack[MeanFieldOptions]") -> int:
    """Give what mean_field() and gaussian() allocate at most, for data of this shape.

    Parameters
    ----------
    n : int
        The number of sequences.
    sites : int
        L.
    colors : int
        q.

    Returns
    -------
    int
        Bytes.
    """
    return _calls.mean_field_bytes(None, n, sites, colors, values)


def direct_information(model, frequencies, context=None) -> np.ndarray:
    """Give the direct information of a model in nats: the mutual information of two sites alone, with their coupling.

    Parameters
    ----------
    model : Model
        Its couplings are taken.
    frequencies : array_like, [L, q]
        Those that the sites have.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    ndarray, [L, L]
    """
    return _calls.direct_information(context, model, frequencies)


@takes("gaussian")
def gaussian(alignment, score="fn", gap: int = -1, context=None, **values: "Unpack[GaussianOptions]") -> np.ndarray:
    """Score pairs of sites by the Gaussian model of an alignment.

    Parameters
    ----------
    alignment : Alignment
        The data. pseudocount: 0.8 unless given.
    score : {"fn", "di"}
        Frobenius norms or direct information.
    gap : int
        The colour left out of the norms, -1 for none.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    ndarray, [L, L]
    """
    return _calls.gaussian_scores(context, alignment, values, score, gap)


@takes("mutual_information")
def mutual_information(alignment, context=None, **values: "Unpack[MutualInformationOptions]") -> np.ndarray:
    """Give the mutual information of the columns of an alignment in nats.

    Parameters
    ----------
    alignment : Alignment
        The data. pseudocount: 0 unless given.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    ndarray, [L, L]
    """
    return _calls.mutual_information(context, alignment, values)


@takes("asymptotics")
def asymptotics(model, alignment=None, context=None, **values: "Unpack[AsymptoticsOptions]") -> "dict[str, float]":
    """Give what learning from `samples` sequences costs: expected excess of losses per site, and expected coupling error.

    Parameters
    ----------
    model : Model
        The limit of the estimate, such as the true model.
    alignment : Alignment, optional
        Averages are over its sequences; over all states of the model by default.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    dict of str to float
        The columns of the table "asymptotics".
    """
    table = new_rows(context, "asymptotics", 1)
    _calls.model_asymptotics(context, model, alignment, values, table, None)
    return {name: float(column[0]) for name, column in Table(table).items()}


@takes("asymptotics")
def coupling_errors(model, alignment=None, context=None, **values: "Unpack[AsymptoticsOptions]") -> np.ndarray:
    """Give standard errors of the couplings times beta in the zero-sum gauge, of an estimate from `samples` sequences.

    Parameters
    ----------
    model : Model
        The limit of the estimate, or what was learned.
    alignment : Alignment, optional
        Averages are over its sequences; over all states of the model by default.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    ndarray, [L, L, q, q]
    """
    shape = (model.sites, model.sites, model.colors, model.colors)
    return _calls.model_asymptotics(context, model, alignment, values, None, np.empty(shape))


@takes("asymptotics")
def score_errors(model, alignment, gap="auto", context=None, **values: "Unpack[AsymptoticsOptions]") -> np.ndarray:
    """Give standard errors of the scores of pairs of dense couplings.

    Parameters
    ----------
    model : Model
        What was learned by pseudo-likelihood with the penalties l2_couplings and l2_fields.
    alignment : Alignment
        What it was learned from.
    gap : int, "auto" or None
        The colour that is left out of the norm.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    ndarray, [2, L, L]
        Of Frobenius norms, and of those with average product correction.
    """
    color = model.gap_color if isinstance(gap, str) and gap == "auto" else gap
    return _calls.model_score_errors(context, model, alignment, values, -1 if color is None else color)


@takes("asymptotics")
def asymptotics_bytes(model, sequences: int = 0, **values: "Unpack[AsymptoticsOptions]") -> int:
    """Give what asymptotics() and coupling_errors() will allocate.

    Parameters
    ----------
    model : Model
        The model.
    sequences : int
        Of the alignment; 0: without one.

    Returns
    -------
    int
    """
    return _calls.model_asymptotics_bytes(None, model, sequences, values)


def score_errors_bytes(model, sequences: int) -> int:
    """Give what score_errors() will allocate.

    Parameters
    ----------
    model : Model
        The model.
    sequences : int
        Of the alignment.

    Returns
    -------
    int
    """
    return _calls.model_score_errors_bytes(None, model, sequences)


def read_distances(path, sites: int, numbers=None, context=None) -> Distances:
    """Read a file of lines `i j d` or `i j x d`.

    Parameters
    ----------
    path : path-like
        The file.
    sites : int
        L.
    numbers : array_like of int, [L], optional
        Of the sites; 1..L by default.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Distances
    """
    matrix, counts = _calls.distances_read(context, path, numbers, sites, np.zeros(2, dtype=np.int64))
    return Distances(matrix, *counts.tolist())


def write(scores, path, format="ccmpred", numbers=None, residues: Optional[str] = None, context=None):
    """Write scores.

    Parameters
    ----------
    scores : array_like, [L, L]
        Symmetric.
    path : path-like
        The file, which is replaced when all of it has been written.
    format : {"ccmpred", "plmc"}
        A matrix, or a line for each pair, with numbers and residues of the sites.
    numbers : array_like of int, [L], optional
        Of the sites; 1..L by default.
    residues : str, optional
        Of the sites.
    context : Context, optional
        That of the thread by default.
    """
    _calls.scores_write(context, scores, numbers, residues, format, path)


def read(path, context=None):
    """Read scores in one of the formats of write().

    Parameters
    ----------
    path : path-like
        The file.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    scores : ndarray, [L, L]
        The scores.
    numbers : ndarray of int, [L]
        Of the sites.
    residues : str
        Of the sites.
    """
    n = _calls.scores_sites(context, path)
    out, numbers, residues = np.empty((n, n)), np.empty(n, dtype=np.int64), ctypes.create_string_buffer(n + 1)
    check(lib.atp_scores_read(context_of(context)._open, path_of(path), out.ctypes.data, out.size, numbers.ctypes.data,
                              ctypes.addressof(residues)))
    return out, numbers, residues.value.decode()


def precision(pairs, distances, cutoff: float = 8.0, absent="excluded") -> np.ndarray:
    """Give the fraction of contacts among the first 1, 2, ... of the ranked pairs that count.

    Parameters
    ----------
    pairs : array_like of int, [n, 2]
        Places from 0 as rank() gives, not the site numbers of contacts().
    distances : array_like, [L, L], or Distances
        What read_distances() gives.
    cutoff : float
        Contacts are nearer.
    absent : {"excluded", "counted"}
        Pairs without a distance are left out of the ranking, or count as no contacts.

    Returns
    -------
    ndarray
    """
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
    """Measure how scores agree with measurements, with the 95 per cent bootstrap interval.

    Parameters
    ----------
    measure : {"spearman", "kendall", "auc", "recall"}
        "auc": of the positives, y > 0; "recall": of the `top` largest.
    x : array_like, [n]
        Scores; larger is more.
    y : array_like, [n]
        Measurements; larger is more.
    draws : int
        Of the bootstrap; 0: no interval.
    seed : int
        Of the bootstrap.
    top : int
        For "recall".
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Agreement
    """
    return Agreement(*_calls.agreement_interval(context, measure, x, y, [integer_of(n, name) for n, name in ((draws, "draws"), (seed, "seed"), (top, "top"))]).tolist())


def average_mutants(changes, measured, context=None) -> tuple:
    """Average repeated measurements of the same mutant.

    Parameters
    ----------
    changes : array_like of int, [m, 3]
        Mutant, site and new colour of each mutation, in ascending order of the mutants.
    measured : array_like, [n]
        Of each mutant; NaN where not measured.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    first : ndarray of int, [n]
        For each mutant the first one that is the same.
    average : ndarray, [n]
        The mean of the measurements of the same mutant; NaN without any.
    """
    return _calls.mutants_average(context, changes, measured)


def bootstrap_errors(values, context=None) -> dict:
    """Summarise numbers that were computed on bootstrap samples.

    Parameters
    ----------
    values : array_like, [samples, numbers]
        Such as with the weights of Alignment.resample(); NaN: not known.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    dict of ndarray, [numbers]
        "samples" (in which a number is known), "mean", "error" (standard deviation), "low" and "high" (95 per cent interval).
    """
    errors = _calls.bootstrap_errors(context, values)
    return {column.name.lower(): errors[:, column] for column in BootstrapColumn}


def count_within_errors(expected, values, errors, factor: float) -> int:
    """Count the values that agree with what is expected.

    Parameters
    ----------
    expected, values, errors : array_like, [n]
        Numbers of a theory, those measured, and their standard errors. NaN agrees with nothing.
    factor : float
        How many standard errors they may be apart.

    Returns
    -------
    int
    """
    return _calls.count_within_errors(expected, values, errors, factor)


def mutants_agreement(scores, measured, mutations, threshold: float = math.nan, draws: int = 500, seed: int = 1, top: int = 0,
                      context=None) -> Table:
    """Measure how scores of mutants agree with measured effects: of all mutants, and of those with one, two, ... mutations.

    Parameters
    ----------
    scores : array_like, [n]
        Larger is better.
    measured : array_like, [n]
        Larger is better; NaN where not measured.
    mutations : array_like of int, [n]
        The number of mutations of each mutant.
    threshold : float
        The AUC tells mutants measured above it from the others; NaN: the median.
    draws : int
        Of the bootstrap; 0: no intervals.
    seed : int
        Of the bootstrap.
    top : int
        How many count as the best for the recall; 0: a tenth.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        Four rows for each group, one for each measure.
    """
    rows = new_rows(context, "measured", 4 * (1 + len(scores) // 10))
    _calls.mutants_agreement(scores, measured, mutations,
                             [integer_of(n, name) for n, name in ((draws, "draws"), (seed, "seed"), (top, "top"))], threshold, rows)
    return Table(rows)


def _comparison(numbers) -> dict:
    return {row.name.lower(): {column.name.lower(): float(numbers[row, column]) for column in ComparisonColumn} for row in ComparisonRow}


def compare_parts(data, samples: float, splits: int = 10, seed: int = 1, context=None) -> tuple:
    """Find what compare_statistics() would give for independent samples, from random parts of the data.

    Parameters
    ----------
    data : Alignment
        The data.
    samples : float
        The summed weight of the samples.
    splits : int
        How many random splits.
    seed : int
        Of the splits.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    tuple of dict
        Means and standard deviations, each as compare_statistics() gives them.
    """
    numbers, _ = _calls.statistics_parts(context, data, samples, splits, seed)
    return _comparison(numbers[0]), _comparison(numbers[1])


def _quality(rows) -> dict:
    names = {first + column: f"{first.name}_{column.name}".lower() for first in Quality if first < Quality.VARIANCE_1
             for column in ComparisonColumn}
    names.update({measure: measure.name.lower() for measure in Quality if measure >= Quality.VARIANCE_1})
    return {names[k]: {column.name.lower(): float(row[column]) for column in QualityColumn if column != QualityColumn.MEASURE}
            for k, row in enumerate(rows)}


@takes("quality")
def samples_quality(data, samples, context=None, **values: "Unpack[QualityOptions]") -> tuple:
    """Measure the quality of samples of a generative model against its data, beside what independent samples would give, and judge it.

    Parameters
    ----------
    data : Alignment
        The data from which the model was learned.
    samples : Alignment
        The samples, with as many colours or one less: then the first colour of the data, the gap, is missing data.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    measures : dict of dict
        {"covariances_pearson": {"samples": ..., "data": ..., "parts": ..., "parts_sd": ..., "low": ..., "high": ..., "verdict": ...},
        "triples_slope": ..., "variance_1": ..., "nearest": ..., "copies": ..., "spread": ...}. A verdict of -1 or 1: below low or above
        high.
    distances : Table
        Distributions of the distance to the nearest sequence of the data, and of the distance of two sequences.
    """
    quality, distances = new_rows(context, "quality", QUALITY_ROWS), new_rows(context, "distances", data.sites + 1)
    _calls.samples_quality(context, data, samples, values, quality, distances)
    return _quality(_calls.table_values(quality)), Table(distances)


def plot_quality(measures, ax: Optional[Axes] = None) -> Axes:
    """Draw the measures of samples_quality() that have limits, with matplotlib.

    Parameters
    ----------
    measures : dict of dict
        What samples_quality() gives.
    ax : matplotlib.axes.Axes, optional
        The Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A line for each measure: bars are the limits, grey dots what independent samples would give, with their standard deviation over
        splits of the data, crosses numbers beyond the limits.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    from . import _plots  # when the first picture is drawn

    return _plots.quality(ax, measures)


@described(data="[N, K], of the data.", samples="[M, K], of the samples.", variances="[K], of the data along the components.")
class Components(NamedTuple):
    """Coordinates along the principal components of data."""

    data: np.ndarray
    samples: np.ndarray
    variances: np.ndarray


def principal_components(data, samples=None, components: int = 2, context=None) -> Components:
    """Give the coordinates of data and samples along the principal components of the data.

    Parameters
    ----------
    data : Alignment
        The data.
    samples : Alignment, optional
        The samples, with as many colours or one less: then the first colour of the data, the gap, is missing data.
    components : int
        How many, 1..4.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Components
    """
    n = data.count + (0 if samples is None else samples.count)
    coordinates, variances = _calls.statistics_components(context, data, samples, components, n)
    return Components(coordinates[:data.count], coordinates[data.count:], variances)


def compare_statistics(data, samples, context=None) -> dict:
    """Compare f_i, f_ij and C_ij of samples with those of data.

    Parameters
    ----------
    data : Alignment
        The data.
    samples : Alignment
        The samples.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    dict of dict
        {"sites": {"pearson": ..., "slope": ..., ...}, "pairs": ..., ...}.
    """
    return _comparison(_calls.statistics_compare(context, data, samples))


def plot_covariances(data, samples, ax: Optional[Axes] = None) -> Axes:
    """Draw the covariances C_ij(a, b), i < j, of samples against those of data, with matplotlib.

    Parameters
    ----------
    data : Alignment
        The data.
    samples : Alignment
        The samples, of as many sites and colours.
    ax : matplotlib.axes.Axes, optional
        The Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The shade of a cell is the number of (i, j, a, b) in it, on a logarithmic scale; the dashed line is where both are equal.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If sites or colours differ.
    """
    from . import _plots  # when the first picture is drawn

    if (samples.sites, samples.colors) != (data.sites, data.colors):
        raise ValueError(f"samples have {samples.sites} sites and {samples.colors} colours, expected {data.sites} and {data.colors} as in data")
    above = np.triu_indices(data.sites, 1)
    return _plots.density(ax, data.covariances()[above].ravel(), samples.covariances()[above].ravel(), "C_ij(a, b) of the data",
                          "C_ij(a, b) of the samples", "pairs of sites and colours")
