# SPDX-License-Identifier: MIT
"""Generalised Potts models."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

import numpy as np

from . import _calls
from ._frame import frame
from ._generated import GAP_AUTO, MISSING
from ._handle import Stored, array_of, colors_array, named
from ._options import takes
from ._properties import ModelHandle

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _lines(mutants) -> str:
    """A list of mutants as lines of text."""
    return mutants if isinstance(mutants, str) else "\n".join(mutants)


class Model(Stored, ModelHandle):
    """A generalised Potts model, of heads or of dense couplings.

    p(s_i = a | rest) = softmax_a( beta [ b_i(a) + sum_{j != i} C_ij(a, s_j) ] ), C_ij(a, b) = sum_h A_h,ij V_h(a, b) or dense. Models are
    made by heads(), dense(), random(), independent(), read() or Trainer.model().
    """

    _beside = ("origin",)

    @property
    def head_count(self) -> int:
        """The number of heads H; heads() makes a model."""
        return super().heads

    def __init__(self):
        raise TypeError("use Model.heads, Model.dense, Model.random or Model.read")

    @classmethod
    def heads(cls, maps, values, fields=None, context=None) -> "Model":  # type: ignore[override]
        """Make a model of H heads.

        Parameters
        ----------
        maps : array_like, [H, L, L] or [L, L]
            A, with zero diagonals.
        values : array_like, [H, q, q] or [q, q]
            V.
        fields : array_like, [L, q], optional
            b; zero by default.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Model
        """
        maps, values = (x[None] if x.ndim == 2 else x for x in (array_of(maps, "maps", np.float64), array_of(values, "values", np.float64)))
        return cls._adopt(_calls.model_create_heads(context, (maps.shape[-1], values.shape[-1], len(maps)), maps, values, fields))

    @classmethod
    def dense(cls, couplings, fields=None, context=None) -> "Model":
        """Make a model of dense couplings.

        Parameters
        ----------
        couplings : array_like, [L, L, q, q]
            C, float64 or float32, with C_ii = 0.
        fields : array_like, [L, q], optional
            b; zero by default.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Model
        """
        single = getattr(couplings, "dtype", None) == np.float32
        create = _calls.model_create_dense_f32 if single else _calls.model_create_dense_f64
        return cls._adopt(create(context, couplings, fields))

    @classmethod
    def random(cls, sites: int, colors: int, couplings="gaussian", color_matrix="gaussian", seed: int = 1, context=None) -> "Model":
        """Make a random model of one head, A = J and V = U.

        Parameters
        ----------
        sites : int
            L.
        colors : int
            q.
        couplings : {"gaussian", "contacts"}
            What J is.
        color_matrix : {"gaussian", "identity", "ising"}
            What U is.
        seed : int
            The same seed gives the same model.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Model
        """
        return cls._adopt(_calls.model_create_random(context, sites, colors, couplings, color_matrix, seed))

    @classmethod
    def of_pairs(cls, sites: int, pairs, couplings, color_matrix=None, fields=None, context=None) -> "Model":
        """Make a model with symmetric couplings between the pairs of a list and none between others.

        Nothing in it has the size L^2: lattices and sparse graphs of up to 2^20 sites fit.

        Parameters
        ----------
        sites : int
            L.
        pairs : array_like, [n, 2]
            Two different sites each, from 0, each pair once.
        couplings : array_like, [n, q, q] or [n]
            C_ij(a, b), a at the first site of a pair; or numbers that color_matrix is multiplied by.
        color_matrix : array_like, [q, q], optional
            U, with couplings of one number for each pair.
        fields : array_like, [L, q], optional
            b; zero by default.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Model
        """
        couplings = array_of(couplings, "couplings", np.float64)
        if color_matrix is not None:
            matrix = array_of(color_matrix, "color_matrix", np.float64, ("q", "q"))
            couplings = array_of(couplings, "couplings", np.float64, ("n",))[:, None, None] * matrix
        couplings = array_of(couplings, "couplings", np.float64, ("n", "q", "q"))
        shape = (sites, couplings.shape[-1], len(couplings))
        return cls._adopt(_calls.model_create_pairs(context, shape, pairs, couplings, None, fields))

    @classmethod
    @takes("lattice")
    def lattice(cls, context=None, **values) -> "Model":
        """Make a Potts or Ising model on a lattice or a random graph.

        Parameters
        ----------
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Model
        """
        return cls._adopt(_calls.model_create_lattice(context, values))

    @classmethod
    def independent(cls, alignment, gaps="state", pseudocount: float = -1.0, context=None) -> "Model":
        """Make the model of independent sites: fields log f_i(a) of an alignment, no couplings.

        Parameters
        ----------
        alignment : Alignment
            Its weighted frequencies are f_i(a).
        gaps : {"state", "ignore"}
            "ignore" leaves the first colour out.
        pseudocount : float
            Share of the uniform distribution; below 0: one sequence more of each colour.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Model
        """
        return cls._adopt(_calls.model_create_independent(context, alignment, gaps, pseudocount))

    @classmethod
    def read(cls, path, format="auto", alphabet: Optional[str] = None, context=None) -> "Model":
        """Read a model.

        Parameters
        ----------
        path : path-like
            The file.
        format : {"auto", "hdf5", "plmc", "ccmpred", "adabm", "bmdca"}
            "auto": the content decides.
        alphabet : str, optional
            For formats of letters or integers.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Model
        """
        return cls._adopt(_calls.model_read_as(context, path, format, alphabet))

    def write(self, path, format="hdf5", alignment=None, context=None):
        """Write the model.

        Parameters
        ----------
        path : path-like
            The file, which is replaced when all of it has been written.
        format : str
            As in read().
        alignment : Alignment, optional
            What the model was learned from: plmc's file holds its frequencies and weights.
        context : Context, optional
            That of the thread by default.
        """
        _calls.model_write_as(context, self, alignment, format, path)

    def set_sites(self, numbers=None, residues: Optional[str] = None):
        """Set what the sites are called.

        Parameters
        ----------
        numbers : array_like of int, [L], optional
            1..L by default.
        residues : str, optional
            Those of a focus sequence.
        """
        _calls.model_set_sites(self, None if numbers is None else array_of(numbers, "numbers", np.int64, (self.sites,)), residues)

    def set_columns(self, columns=None, total: int = 0):
        """Set which columns of an alignment the sites are.

        Parameters
        ----------
        columns : array_like of int, [L], optional
            From 0; by default site i is column i of L.
        total : int
            The number of columns of the alignment.
        """
        _calls.model_set_columns(self, None if columns is None else array_of(columns, "columns", np.int64, (self.sites,)), total)

    def set_order(self, order=None):
        """Make the model autoregressive.

        Parameters
        ----------
        order : array_like of int, [L], optional
            The sites in the order in which they are drawn; the couplings of each with those after it must be 0. None: a Potts model again.
        """
        _calls.model_set_order(self, order)

    def couplings(self, dtype=np.float64) -> np.ndarray:
        """Give the couplings C.

        Parameters
        ----------
        dtype : dtype
            float64 or float32.

        Returns
        -------
        ndarray, [L, L, q, q]
        """
        dtype = np.dtype(dtype)
        if dtype not in (np.float64, np.float32):
            raise TypeError(f"dtype is {dtype}, expected float64 or float32")
        return _calls.model_couplings_f32(self) if dtype == np.float32 else _calls.model_couplings_f64(self)

    def mean_log_p(self, alignment, log_z: float = 0.0, log_z_error: float = 0.0) -> "tuple[float, float]":
        """Compute the mean log P of sequences by their weights, per site and in nats, and its standard error.

        Sequences with a gap are left out where the model has no gap.

        Parameters
        ----------
        alignment : Alignment
            The sequences.
        log_z, log_z_error : float
            What estimate_log_z() finds; 0 of an autoregressive model.

        Returns
        -------
        log_p : float
            Its mean.
        error : float
            From the scatter of the sequences and from log Z.
        """
        return _calls.model_mean_log_p(None, self, alignment, log_z, log_z_error)

    def enumerate(self, pairs: bool = False, probabilities: bool = False) -> dict:
        """Give exact numbers of a small model, by all of its q^L sequences.

        Parameters
        ----------
        pairs : bool
            Give the marginals of pairs, too.
        probabilities : bool
            Give the probability of every sequence, too.

        Returns
        -------
        dict
            log_z, energy, marginals [L, q], and where asked for pairs [L, L, q, q], probabilities [q^L].
        """
        sites, colors = self.sites, self.colors
        found = _calls.model_enumerate(self, np.empty((sites, colors)), np.empty((sites, sites, colors, colors)) if pairs else None)
        found = {k: v for k, v in zip(("log_z", "energy", "marginals", "pairs"), found) if v is not None}
        return {**found, "probabilities": _calls.model_probabilities(self, np.empty(colors**sites))} if probabilities else found

    def frobenius(self, gauge="zero_sum", gap: int = -1) -> np.ndarray:
        """Score pairs of sites by the norms of their couplings.

        Parameters
        ----------
        gauge : {"zero_sum", "colors"}
            The gauge in which norms are taken.
        gap : int
            A colour to leave out of the norm, -1 for none.

        Returns
        -------
        ndarray, [L, L]
        """
        return _calls.model_frobenius(None, self, gauge, gap)

    def epistatic_scores(self, sequences, gap="auto") -> np.ndarray:
        """Score pairs of sites by the epistasis of log P, a mean over sequences.

        Parameters
        ----------
        sequences : array_like of int, [n, L]
            The sequences whose double mutants are compared with their single mutants.
        gap : int or "auto"
            The colour left out of the norm, -1 for none, or "auto": colour 0 if the alphabet begins with a gap.

        Returns
        -------
        ndarray, [L, L]
        """
        gap = GAP_AUTO if isinstance(gap, str) and gap == "auto" else gap
        return _calls.model_epistatic_scores(None, self, sequences, gap)

    def plot(self, ax: Optional[Axes] = None, corrected: bool = True, gap="auto", gauge="zero_sum") -> Axes:
        """Draw the strength of the couplings of all pairs of sites as a heat map, with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The Axes to draw on; by default those of a new figure.
        corrected : bool
            Frobenius norms with average product correction, or without.
        gap : int or "auto"
            The colour left out of the norm, -1 for none, or "auto": colour 0 if the alphabet begins with a gap.
        gauge : "zero_sum" or "raw"
            The gauge of the couplings.

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

        scores = self.frobenius(gauge, self.gap_color if isinstance(gap, str) and gap == "auto" else gap)
        scores, words = (_calls.scores_apc(scores), ", corrected (APC)") if corrected else (scores, "")
        return _plots.site_map(ax, scores, self.site_numbers, f"coupling strength: Frobenius norm{words}")

    def plot_head(self, head: int = 0, ax: Optional[Axes] = None, part: str = "map") -> Axes:
        """Draw one head as a heat map, with matplotlib.

        Parameters
        ----------
        head : int
            Which head, from 0.
        ax : matplotlib.axes.Axes, optional
            The Axes to draw on; by default those of a new figure.
        part : "map" or "values"
            The map A of pairs of sites, or V of pairs of colours.

        Returns
        -------
        matplotlib.axes.Axes
            The Axes drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        IndexError
            If there is no such head.
        """
        from . import _plots  # when the first picture is drawn

        if not 0 <= head < self.head_count:
            raise IndexError(f"no head {head}, the model has {self.head_count}")
        if part == "map":
            return _plots.site_map(ax, self.maps[head], self.site_numbers, f"map A of head {head}", diverging=True)
        if part == "values":
            return _plots.color_map(ax, self.values[head], self.alphabet, f"values V of head {head}")
        raise ValueError(f'part is "{part}", expected "map" or "values"')

    def plot_mutants(self, sequence, ax: Optional[Axes] = None, score: str = "energy") -> Axes:
        """Draw the scores of all single mutants of a sequence as a heat map, with matplotlib, as `attopotts mutants --picture` does.

        Blue mutants are more probable than the sequence, orange ones less; dots are the sequence itself.

        Parameters
        ----------
        sequence : integers [L]
            The sequence.
        ax : matplotlib.axes.Axes, optional
            The Axes to draw on; by default those of a new figure.
        score : "energy" or "log_pseudolikelihood"
            Minus the change of the energy, as in the program, or the change of the log pseudo-likelihood: positive is more probable.

        Returns
        -------
        matplotlib.axes.Axes
            Sites along x, colours along y, the first one at the top.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from . import _plots  # when the first picture is drawn

        words = {"energy": "score -(H(mutant) - H(sequence))", "log_pseudolikelihood": "change of the log pseudo-likelihood [nats]"}
        if score not in words:
            raise ValueError(f'score is "{score}", expected {" or ".join(words)}')
        energy, log = self.mutants(sequence, score != "energy")
        values = -energy if score == "energy" else log
        return _plots.mutants(ax, values, colors_array(sequence, "sequence", 1), self.site_numbers, self.alphabet, words[score])

    def mutants(self, sequence, pseudolikelihood: bool = True):
        """Score all single mutants of a sequence.

        Parameters
        ----------
        sequence : array_like of int, [L]
            The sequence.
        pseudolikelihood : bool
            Give the second array, too.

        Returns
        -------
        energy : ndarray, [L, q]
            Energy differences; negative: the mutant is more probable.
        log_pseudolikelihood : ndarray, [L, q], or None
            Differences of the log pseudo-likelihood.
        """
        return _calls.model_mutants(None, self, sequence, np.empty((self.sites, self.colors)) if pseudolikelihood else None)

    def parse_mutations(self, sequence, mutants) -> np.ndarray:
        """Read mutants like "A110D" or "A110D/N146D".

        Parameters
        ----------
        sequence : array_like of int, [L]
            The sequence that is mutated.
        mutants : list of str, or str
            The mutants, or lines of text.

        Returns
        -------
        ndarray of int, [m, 3]
            For each mutation the mutant's place in the list, the index of the site and the new colour.
        """
        text = _lines(mutants)
        changes, count = _calls.mutations_parse(self, sequence, text, len(text) // 3 + 1)
        return changes[:count]

    def mutations_offset(self, sequence, mutants) -> tuple:
        """Find by how much the numbers of a list of mutants differ from those of the sites.

        Parameters
        ----------
        sequence : array_like of int, [L]
            The sequence that is mutated.
        mutants : list of str, or str
            The mutants, or lines of text.

        Returns
        -------
        tuple of int
            Number of residues in the list, how many of them the sequence has, the offset, and how many it has with the offset added.
        """
        text = _lines(mutants)
        return tuple(_calls.mutations_offset(None, self, sequence, text).tolist())

    def score_mutations(self, sequence, mutants, independent: Optional["Model"] = None):
        """Score mutants like "A110D" or "A110D/N146D" of a sequence.

        Parameters
        ----------
        sequence : array_like of int, [L]
            The sequence that is mutated.
        mutants : list of str, or str
            The mutants, or lines of text.
        independent : Model, optional
            What Model.independent() makes: its scores become a column.

        Returns
        -------
        pandas.DataFrame, or dict of columns without pandas
            mutant, mutations, energy (negative: more probable), log_pseudolikelihood (positive: more probable), and with `independent` also
            independent (positive: more probable).
        """
        mutants = mutants.split("\n") if isinstance(mutants, str) else list(mutants)
        changes = self.parse_mutations(sequence, mutants)
        scores = _calls.model_score_mutants(None, self, sequence, changes, len(mutants))
        columns = {"mutant": mutants, "mutations": np.bincount(changes[:, 0], minlength=len(mutants)),
                   "energy": scores[:, 0], "log_pseudolikelihood": scores[:, 1]}
        if independent is not None:
            columns["independent"] = -_calls.model_score_mutants(None, independent, sequence, changes, len(mutants))[:, 0]
        return frame(columns)

    def single_mutants(self, sequence, independent: Optional["Model"] = None):
        """Score all single mutants of a sequence, in a table.

        Parameters
        ----------
        sequence : array_like of int, [L]
            The sequence that is mutated.
        independent : Model, optional
            What Model.independent() makes: its scores become a column.

        Returns
        -------
        pandas.DataFrame, or dict of columns without pandas
            site (index), number, from, to, energy, log_pseudolikelihood, and with `independent` also independent.
        """
        sequence = colors_array(sequence, "sequence", 1, self.sites)
        energy, log = self.mutants(sequence)
        sites, colors = np.nonzero(np.arange(self.colors)[None, :] != sequence[:, None])
        symbols = np.array(list(self.alphabet) or [str(a) for a in range(self.colors)] + [])
        own = np.where(sequence == MISSING, 0, sequence)
        columns = {"site": sites, "number": self.site_numbers[sites],
                   "from": np.where(sequence[sites] == MISSING, "", symbols[own[sites]]), "to": symbols[colors],
                   "energy": energy[sites, colors], "log_pseudolikelihood": log[sites, colors]}
        if independent is not None:
            columns["independent"] = -independent.mutants(sequence, False)[0][sites, colors]
        return frame(columns)

    @named(count="k")
    def count_doubles(self, sequence, gap="auto") -> int:
        """Count the double mutants of a sequence.

        Parameters
        ----------
        sequence : array_like of int, [L]
            The sequence that is mutated.
        gap : int or "auto"
            As in best_doubles().

        Returns
        -------
        int
        """
        return _calls.model_count_doubles(self, sequence, GAP_AUTO if isinstance(gap, str) and gap == "auto" else gap)

    def best_doubles(self, sequence, count: int, gap="auto"):
        """Find the double mutants with the lowest energies.

        Parameters
        ----------
        sequence : array_like of int, [L]
            The sequence that is mutated.
        count : int
            How many.
        gap : int or "auto"
            The colour that no mutant has, -1 for none; "auto": colour 0 if the alphabet begins with a gap.

        Returns
        -------
        pandas.DataFrame, or dict of columns without pandas
            site_i, color_i, site_j, color_j, energy.
        """
        doubles, energy = _calls.model_best_doubles(None, self, sequence, GAP_AUTO if isinstance(gap, str) and gap == "auto" else gap, count)
        return frame({**dict(zip(("site_i", "color_i", "site_j", "color_j"), doubles.T)), "energy": energy})

    def epistasis(self, sequence, doubles):
        """Find the energies of double mutants, and by how much they differ from those of both single mutants.

        Parameters
        ----------
        sequence : array_like of int, [L]
            The sequence that is mutated.
        doubles : array_like of int, [n, 4]
            Site i, its new colour, another site j, its new colour.

        Returns
        -------
        energy : ndarray, [n]
            Those of the mutants less that of the sequence.
        epistasis : ndarray, [n]
            The energy less those of both single mutants.
        """
        return _calls.model_epistasis(None, self, sequence, doubles)

    def _told(self):
        kind = f"{self.head_count} heads" if self.head_count else "dense"
        return f" of {self.sites} sites, {self.colors} colours, {kind}, beta = {self.beta:g}"
