# SPDX-License-Identifier: MIT
"""Alignments: sequences of equal length with weights."""
import re
from typing import TYPE_CHECKING, Optional

import numpy as np

from . import _calls
from ._generated import MISSING, Level, OptionOwner, Summary
from ._handle import Stored, array_of, colors_array, context_of, handle_of, integer_of, make, named, pointer
from ._library import lib, text_of
from ._options import bag_of, takes
from ._owned import Owned
from ._properties import AlignmentHandle
from .table import Table, new_rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import AlignmentOptions, FilterOptions, SplitOptions


def _texts(sequences):
    """Sequences that are texts, as a list; None of others."""
    if isinstance(sequences, str):
        raise TypeError("sequences is one str, expected a list of them")
    if hasattr(sequences, "tolist"):  # arrays, and what pandas has
        kind = getattr(getattr(sequences, "dtype", None), "kind", "")
        sequences = sequences.tolist() if kind in "OUT" and np.ndim(sequences) == 1 else ()
    return sequences if isinstance(sequences, (list, tuple)) and sequences and isinstance(sequences[0], str) else None


def _lines(texts, name, forbidden):
    """Texts of which each is a line for the library."""
    for k, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{k}] is of type {type(text).__name__}, expected a str")
        if found := re.search(forbidden, text):
            raise ValueError(f"{name}[{k}] has the character {found[0]!r} at place {found.start()}" if text else f"{name}[{k}] is empty")
    return texts


def _parsed(context, texts, names, alphabet):
    """A handle of sequences that are texts: those of a FASTA file, or without names of lines."""
    if not alphabet:
        raise TypeError("alphabet is missing, which tells the colours of the symbols in sequences")
    lines = _lines(texts, "sequences", r"[\s>\0]|^$")
    for k, text in enumerate(texts):
        if len(text) != len(texts[0]):
            raise ValueError(f"sequences[{k}] has {len(text)} symbols, sequences[0] has {len(texts[0])}")
    if names is not None:
        names = _lines(list(names), "names", r"[\s\0]|^$")
        if len(names) != len(texts):
            raise ValueError(f"names has {len(names)} texts, sequences has {len(texts)}")
        lines = [f">{name}\n{text}" for name, text in zip(names, texts)]
    data = ("\n".join(lines) + "\n").encode()
    context = handle_of(context_of(context), "context", "context")
    bag = bag_of(OptionOwner.ALIGNMENT, {"format": "fasta" if names else "aln"})
    made = make(lib.atp_alignment_parse, context, data, len(data), text_of(alphabet, "alphabet"), bag)
    return Owned(made, lib.atp_alignment_destroy, context)


class Alignment(Stored, AlignmentHandle):
    """N sequences of L sites with colours 0..q-1, a weight each, and what is known of symbols, names and site numbers.

    Parameters
    ----------
    sequences : array_like of int, [N, L], or list of str
        Colours; uint8 in C order is read without a copy and then copied once by the library. Or texts of symbols of the alphabet, which
        are read as those of a FASTA file are.
    colors : int, optional
        q; by default the length of the alphabet, or the largest value plus one.
    weights : array_like, [N], optional
        At least 0; 1 by default.
    alphabet : str, optional
        "protein", "rna", "dna" or the symbols. Texts need it.
    context : Context, optional
        That of the thread by default.
    names : list of str, optional
        Of sequences that are texts, one each.
    """

    def __init__(self, sequences, colors: Optional[int] = None, weights=None, alphabet: Optional[str] = None, context=None, names=None):
        texts = _texts(sequences)
        if texts is not None:
            self._owned = _parsed(context, texts, names, alphabet)
            if colors is not None and colors != self.colors:
                raise ValueError(f"colors is {colors}, expected the {self.colors} of the alphabet")
            if weights is not None:
                self.weights = weights
            return
        if names is not None:
            raise TypeError("names are those of sequences that are texts")
        data = colors_array(sequences)
        if colors is None:
            named = {"protein": 21, "rna": 5, "dna": 5}
            colors = named.get(alphabet, len(alphabet)) if alphabet else int(data.max(initial=1)) + 1
        self._owned = _calls.alignment_create(context, data, colors, weights)
        if alphabet:
            self.alphabet = alphabet

    @classmethod
    @takes("alignment")
    def read(cls, path, alphabet: Optional[str] = None, context=None, **reading: "Unpack[AlignmentOptions]") -> "Alignment":
        """Read FASTA and the other formats of docs/formats.md.

        Parameters
        ----------
        path : path-like
            The file; it may be packed by gzip.
        alphabet : str, optional
            "protein", "rna", "dna" or the symbols, first the gap.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Alignment
        """
        return cls._adopt(_calls.alignment_read(context, path, alphabet, reading))

    @classmethod
    @takes("alignment")
    def read_part(cls, path, part: int, parts: int, alphabet: Optional[str] = None, context=None,
                  **reading: "Unpack[AlignmentOptions]") -> "Alignment":
        """Read the records that begin in one part of a FASTA, A2M or A3M file, for a process that trains on its part.

        Parameters
        ----------
        path : path-like
            The file, which is cut into parts of equal size. Records with lower case or "." need `format`, or a name that ends in .a2m or .a3m.
        part : int
            0..parts-1.
        parts : int
            The number of parts.
        alphabet : str, optional
            "protein", "rna", "dna" or the symbols, first the gap.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Alignment
        """
        return cls._adopt(_calls.alignment_read_part(context, path, part, parts, alphabet, reading))

    def _in_colors(self, colors):
        """The sequences for a model of so many colours: one that lacks the gap has missing sites there."""
        own = self.sequences
        return own if self.colors != colors + 1 else np.where(own == 0, MISSING, own - 1).astype(np.uint8)

    @classmethod
    def borrow(cls, sequences, colors: int, weights=None, alphabet: Optional[str] = None, context=None) -> "Alignment":
        """Make an alignment that reads an array where it is, without a copy.

        Parameters
        ----------
        sequences : ndarray of uint8, [N, L]
            In C order, for example in shared memory of mpi4py or numpy.memmap. Its values must not change as long as the alignment lives.
        colors : int
            q.
        weights : array_like, [N], optional
            At least 0; 1 by default.
        alphabet : str, optional
            "protein", "rna", "dna" or the symbols.
        context : Context, optional
            That of the thread by default.

        Returns
        -------
        Alignment
        """
        kind = getattr(sequences, "dtype", None), np.ndim(sequences)
        if not isinstance(sequences, np.ndarray) or np.ma.isMaskedArray(sequences) or kind != (np.uint8, 2) or not sequences.flags.c_contiguous:
            raise TypeError("sequences must be an array of uint8 [N, L] in C order, which is read where it is")
        context, colors = handle_of(context_of(context), "context", "context"), integer_of(colors, "colors")
        weights = None if weights is None else array_of(weights, "weights", np.float64, sequences.shape[:1])
        made = make(lib.atp_alignment_borrow, context, pointer(sequences), *sequences.shape, colors, pointer(weights))
        self = cls._adopt(Owned(made, lib.atp_alignment_destroy, context, sequences))
        if alphabet:
            self.alphabet = alphabet
        return self

    def write(self, path, format="hdf5", context=None):
        """Write the alignment.

        Parameters
        ----------
        path : path-like
            The file, which is replaced when all of it has been written.
        format : {"hdf5", "fasta", "integers", "a2m", "a3m", "stockholm"}
            Whatever the name ends in; text is packed by gzip if it ends in .gz.
        context : Context, optional
            That of the thread by default.
        """
        _calls.alignment_write(context, self, format, path)

    def __len__(self):
        """Give N."""
        return self.count

    def __getitem__(self, rows) -> "Alignment":
        """Give some of the sequences, with their weights and names.

        Parameters
        ----------
        rows : int, slice or array_like
            A number, which may count from the end; a slice; numbers in any order, of which some may occur several times; or a truth value
            for each sequence.

        Returns
        -------
        Alignment
        """
        count = len(self)
        if isinstance(rows, slice):
            numbers = np.arange(count)[rows]
        elif np.ndim(rows) == 0:
            numbers = np.array([integer_of(rows, "row")])
        else:
            numbers = np.asarray(rows)
            if numbers.ndim != 1 or numbers.size and numbers.dtype.kind not in "biu":
                raise TypeError("expected a number or a slice of sequences, numbers, or a truth value for each")
            if numbers.dtype.kind == "b" and numbers.size != count:
                raise ValueError(f"{numbers.size} truth values, expected one for each of the {count} sequences")
            numbers = np.flatnonzero(numbers) if numbers.dtype.kind == "b" else numbers.astype(np.int64)
        if numbers.size == 0:
            raise ValueError(f"rows has none of the {count} sequences, expected at least one")
        wrong = numbers[(numbers < -count) | (numbers >= count)]
        if wrong.size:
            raise IndexError(f"row is {wrong[0]}, expected {-count}..{count - 1}")
        return self.take(np.where(numbers < 0, numbers + count, numbers))

    def sample(self, count: int, replace: bool = False, seed: int = 1) -> "Alignment":
        """Draw random sequences, with their weights and names, in the order of the alignment.

        Parameters
        ----------
        count : int
            How many; without replacement at most N.
        replace : bool
            True: each is drawn from all, so that sample(len(a), True, seed) is a bootstrap sample, with the counts of resample(seed, 0).
            False: all are different, and a smaller sample with the same seed is a part of this one, for learning curves.
        seed : int
            The same seed draws the same sequences.

        Returns
        -------
        Alignment
        """
        with named(count="n"):
            return self._adopt(_calls.alignment_sample(None, self, count, bool(replace), seed))

    @takes("filter")
    def filter(self, **values: "Unpack[FilterOptions]"):
        """Leave out sequences and columns with too many gaps, and duplicates.

        Returns
        -------
        alignment : Alignment
            What is left.
        left_out : tuple of int
            Numbers of sequences with too many gaps, of columns, and of duplicates.
        """
        counts, owned = _calls.alignment_filter(None, self, values, np.zeros(3, dtype=np.int64))
        return self._adopt(owned), tuple(counts.tolist())

    @takes("split")
    def split(self, **values: "Unpack[SplitOptions]"):
        """Make a training set and a test set without similar sequences.

        Weigh them afterwards.

        Returns
        -------
        training : Alignment
            The training set.
        test : Alignment
            The test set: none of its sequences is more identical than `identity` to one of the training set.
        parts : ndarray of int, [N]
            Of each sequence: 0 in neither, 1 in the training set, 2 in the test set.
        """
        parts = _calls.alignment_split(self, values, self.count)
        return self[parts == 1], self[parts == 2], parts

    def weigh(self, theta: float = 0.2, rule="inclusive", progress=None) -> str:
        """Set weights 1 / (number of similar sequences, itself included).

        Parameters
        ----------
        theta : float or "auto"
            Similar sequences differ in at most this fraction of the columns; "auto" takes auto_theta().
        rule : {"inclusive", "strict", "floor", "residues"}
            What counts as similar; "residues": only columns where both have a residue.
        progress : callable, optional
            Called about every 0.1 s; a true answer stops the run, and the weights are as before.

        Returns
        -------
        str
            "converged" or "cancelled".
        """
        return _calls.alignment_weigh(self, self.auto_theta() if isinstance(theta, str) and theta == "auto" else theta, rule, progress)

    def scan_weights(self, thetas, rule="inclusive") -> Table:
        """Find the effective number of sequences at each theta; the weights stay as they are.

        Parameters
        ----------
        thetas : array_like
            As theta of weigh().
        rule : str
            As in weigh().

        Returns
        -------
        Table
        """
        thetas = array_of(thetas, "thetas", np.float64)
        rows = new_rows(None, "weights", thetas.size)
        _calls.alignment_scan_weights(self, thetas, rule, rows)
        return Table(rows)

    def conservation(self, gaps="state") -> np.ndarray:
        """Find the conservation of each site, 1 - entropy / log q: 1 where all sequences have the same colour.

        Parameters
        ----------
        gaps : {"state", "ignore"}
            "ignore" leaves colour 0 out.

        Returns
        -------
        ndarray, [L]
        """
        return _calls.alignment_conservation(self, gaps)

    def summary(self) -> dict:
        """Count equal sequences, gaps and fragments, and say what to expect.

        Returns
        -------
        dict
            "duplicates", "gaps" (fraction of symbols), "columns_90" and "columns_50" (columns with more gaps, in per cent of the weights),
            "sequences_50" (sequences with gaps at more than half of the sites), "varying" (columns where sequences differ), "per_site" and
            "per_root" (effective number of sequences over L and over its root), "contacts" and "mutations" (what to expect of them by these
            two: "good", "fair", "poor" or "none").
        """
        numbers = _calls.alignment_summary(self)
        summary = {key.name.lower(): float(numbers[key]) for key in Summary}
        return {**summary, **{key: Level(int(summary[key])).name.lower() for key in ("contacts", "mutations")}}

    def resample(self, seed: int, sample: int) -> np.ndarray:
        """Compute the weights of a bootstrap sample: sequences drawn with replacement.

        Parameters
        ----------
        seed : int
            Of the random numbers.
        sample : int
            0, 1, ...: which sample.

        Returns
        -------
        ndarray, [n]
            For `weights`; attopotts.scores.bootstrap_errors() summarises what is computed with them.
        """
        return _calls.alignment_resample(self, seed, sample, self.count)

    def rename(self, names) -> "Alignment":
        """Give the same sequences with other names.

        Parameters
        ----------
        names : list of str, [N]
            Without blanks.

        Returns
        -------
        Alignment
        """
        return super().rename("\n".join(_lines(list(names), "names", r"[\s\0]|^$")))

    def set_sites(self, numbers=None, residues: Optional[str] = None):
        """Set what the sites are called.

        Parameters
        ----------
        numbers : array_like of int, [L], optional
            1..L by default.
        residues : str, optional
            Those of a focus sequence.
        """
        _calls.alignment_set_sites(self, None if numbers is None else array_of(numbers, "numbers", np.int64, (self.sites,)), residues)

    def set_columns(self, columns=None, total: int = 0):
        """Set which columns the sites were before any was removed.

        Parameters
        ----------
        columns : array_like of int, [L], optional
            From 0; by default site i is column i of L.
        total : int
            The number of columns before.
        """
        _calls.alignment_set_columns(self, None if columns is None else array_of(columns, "columns", np.int64, (self.sites,)), total)

    @property
    def names(self) -> list:
        """The names of the sequences."""
        return [lib.atp_alignment_name(self._open, n).decode(errors="replace") for n in range(len(self))]

    def _told(self):
        return f" of {len(self)} sequences, {self.sites} sites, {self.colors} colours"
