# SPDX-License-Identifier: MIT
"""Alignments: sequences of equal length with weights."""
import ctypes
import os

import numpy as np

from ._generated import Format, WeightRule
from ._handle import Handle, colors_array, make, member, pointer, reals, view
from ._library import check, lib
from ._options import options
from .context import default_context

_READERS = (3,)


class Alignment(Handle):
    """N sequences of L sites with colours 0..q-1, a weight each, and what is known of symbols, names and site numbers.

    sequences: integers [N, L]; uint8 in C order is read without a copy and then copied once by the library. colors: q; the default is
    the length of the alphabet, or the largest value plus one. weights: [N], >= 0. alphabet: "protein", "rna", "dna" or the symbols."""

    _destroy = lib.atp_alignment_destroy

    def __init__(self, sequences, colors: int = None, weights=None, alphabet: str = None, context=None):
        context = context or default_context()
        data = colors_array(sequences)
        if colors is None:
            named = {"protein": 21, "rna": 5, "dna": 5}
            colors = named.get(alphabet, len(alphabet)) if alphabet else int(data.max(initial=1)) + 1
        if weights is not None:
            weights = reals(weights, "weights", data.shape[:1])
        self._own(make(lib.atp_alignment_create, context._address, data.ctypes.data, *data.shape, colors, pointer(weights)), context._owned)
        if alphabet:
            self.alphabet = alphabet

    @classmethod
    def _adopt(cls, address, owned_context):
        self = cls.__new__(cls)
        self._own(address, owned_context)
        self._context_owned = owned_context
        return self

    @classmethod
    def read(cls, path, alphabet: str = None, context=None, **reading) -> "Alignment":
        """Read FASTA and the other formats of docs/formats.md. alphabet: "protein", "rna", "dna" or the symbols, first the gap.
        Keywords are the reader's options: unknown="gap"|"drop"|"error", colors, ..."""
        context = context or default_context()
        bag = options(_READERS, reading)
        address = make(lib.atp_alignment_read, context._address, os.fsencode(path), alphabet.encode() if alphabet else None, bag.address)
        return cls._adopt(address, context._owned)

    def write(self, path, format="hdf5", context=None):
        """Write as "hdf5", "fasta" or "integers"."""
        context = context or default_context()
        check(lib.atp_alignment_write(context._address, self._address, member(Format, format, "format"), os.fsencode(path)))

    def __len__(self):
        return lib.atp_alignment_count(self._address)

    def __getitem__(self, rows) -> "Alignment":
        """Some of the sequences, by a slice with a positive step, with their weights and names."""
        if not isinstance(rows, slice):
            raise TypeError("expected a slice of sequences")
        first, last, step = rows.indices(len(self))
        if step < 1:
            raise ValueError(f"step is {step}, expected at least 1")
        context = default_context()
        count = max(0, -(-(last - first) // step))
        return self._adopt(make(lib.atp_alignment_select, context._address, self._address, first, count, step), context._owned)

    def find(self, name: str) -> int:
        """The sequence that a name means, without its range "/12-170" or with it."""
        index = ctypes.c_int64()
        check(lib.atp_alignment_find(self._address, name.encode(), ctypes.addressof(index)))
        return index.value

    def focus(self, name: str) -> "Alignment":
        """The columns where one sequence has a residue; its residue numbers become those of the sites."""
        context = default_context()
        return self._adopt(make(lib.atp_alignment_focus, context._address, self._address, name.encode()), context._owned)

    def filter(self, **values):
        """(alignment, what was left out): options max_gaps_sequence, max_gaps_column, remove_duplicates. What was left out: numbers of
        sequences with too many gaps, of columns, and of duplicates."""
        context = default_context()
        bag = options(_READERS, values)
        counts = (ctypes.c_int64 * 3)()
        address = make(lib.atp_alignment_filter, context._address, self._address, bag.address, ctypes.addressof(counts), 3)
        return self._adopt(address, context._owned), tuple(counts)

    def weigh(self, theta: float = 0.2, rule="inclusive"):
        """Set weights 1 / (number of sequences that differ in at most a fraction theta of the columns, itself included); theta "auto"
        takes auto_theta(). rule: "inclusive", "strict" or "floor"."""
        theta = self.auto_theta() if theta == "auto" else theta
        check(lib.atp_alignment_weigh(self._address, theta, member(WeightRule, rule, "rule")))

    def auto_theta(self) -> float:
        """min(0.5, 0.1216 / mean fraction of identical columns)."""
        theta = ctypes.c_double()
        check(lib.atp_alignment_auto_theta(self._address, ctypes.addressof(theta)))
        return theta.value

    @property
    def sites(self) -> int:
        return lib.atp_alignment_sites(self._address)

    @property
    def colors(self) -> int:
        return lib.atp_alignment_colors(self._address)

    @property
    def sequences(self) -> np.ndarray:
        """uint8 [N, L], read-only, without a copy; valid beyond the alignment's close()."""
        return view(self._owned, lib.atp_alignment_sequences_view(self._address), (len(self), self.sites), np.uint8)

    @property
    def weights(self) -> np.ndarray:
        """float64 [N], read-only, without a copy. Assign to set them."""
        return view(self._owned, lib.atp_alignment_weights_view(self._address), (len(self),), np.float64)

    @weights.setter
    def weights(self, values):
        values = reals(values, "weights")
        check(lib.atp_alignment_set_weights(self._address, values.ctypes.data, values.size))

    @property
    def effective_count(self) -> float:
        """Sum of the weights."""
        return lib.atp_alignment_effective_count(self._address)

    @property
    def alphabet(self) -> str:
        return lib.atp_alignment_alphabet(self._address).decode()

    @alphabet.setter
    def alphabet(self, symbols: str):
        check(lib.atp_alignment_set_alphabet(self._address, symbols.encode()))

    @property
    def site_numbers(self) -> np.ndarray:
        return view(self._owned, lib.atp_alignment_site_numbers_view(self._address), (self.sites,), np.int64)

    @property
    def site_residues(self) -> str:
        return lib.atp_alignment_site_residues(self._address).decode()

    def set_sites(self, numbers=None, residues: str = None):
        """What the sites are called: numbers [L] (default 1..L), residues of a focus sequence."""
        numbers = None if numbers is None else np.ascontiguousarray(numbers, dtype=np.int64)
        size = self.sites if numbers is None else numbers.size
        check(lib.atp_alignment_set_sites(self._address, pointer(numbers), size, residues.encode() if residues else None))

    @property
    def names(self) -> list:
        return [lib.atp_alignment_name(self._address, n).decode(errors="replace") for n in range(len(self))]

    @property
    def origin(self) -> str:
        return lib.atp_alignment_origin(self._address).decode(errors="replace")

    @origin.setter
    def origin(self, text: str):
        check(lib.atp_alignment_set_origin(self._address, text.encode()))

    def frequencies(self, pseudocount: float = 0.0) -> np.ndarray:
        """Weighted f_i(a), [L, q]."""
        out = np.empty((self.sites, self.colors))
        check(lib.atp_alignment_frequencies(self._address, pseudocount, out.ctypes.data, out.size))
        return out

    def pair_frequencies(self, pseudocount: float = 0.0) -> np.ndarray:
        """Weighted f_ij(a, b), [L, L, q, q]."""
        out = np.empty((self.sites, self.sites, self.colors, self.colors))
        check(lib.atp_alignment_pair_frequencies(self._address, pseudocount, out.ctypes.data, out.size))
        return out

    def covariances(self, pseudocount: float = 0.0) -> np.ndarray:
        """C_ij(a, b) = f_ij(a, b) - f_i(a) f_j(b), [L, L, q, q]."""
        out = np.empty((self.sites, self.sites, self.colors, self.colors))
        check(lib.atp_alignment_covariances(self._address, pseudocount, out.ctypes.data, out.size))
        return out

    def independent_loss(self, frequencies) -> float:
        """Loss of the site-independent model with these frequencies [L, q], nats per site."""
        frequencies = reals(frequencies, "frequencies", (self.sites, self.colors))
        loss = ctypes.c_double()
        check(lib.atp_alignment_independent_loss(self._address, frequencies.ctypes.data, frequencies.size, ctypes.addressof(loss)))
        return loss.value

    def __repr__(self):
        if self._owned is None:
            return "<attopotts.Alignment, closed>"
        return f"<attopotts.Alignment of {len(self)} sequences, {self.sites} sites, {self.colors} colours>"
