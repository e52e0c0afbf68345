# SPDX-License-Identifier: MIT
"""Generalised Potts models."""
import ctypes
import os

import numpy as np

from ._generated import ColorMatrix, Couplings, Gauge, ModelFormat, ScoreGauge
from ._handle import Handle, colors_array, make, member, pointer, reals, view
from ._library import check, lib
from .context import default_context


class Model(Handle):
    """p(s_i = a | rest) = softmax_a( beta [ b_i(a) + sum_{j != i} C_ij(a, s_j) ] ), C_ij(a, b) = sum_h A_h,ij V_h(a, b) or dense.

    Made by heads(), dense(), random(), read() or Trainer.model()."""

    _destroy = lib.atp_model_destroy

    def __init__(self):
        raise TypeError("use Model.heads, Model.dense, Model.random or Model.read")

    @classmethod
    def _adopt(cls, address, owned_context):
        self = cls.__new__(cls)
        self._own(address, owned_context)
        return self

    @classmethod
    def heads(cls, maps, values, fields=None, context=None) -> "Model":
        """maps A [H, L, L] or [L, L] with a zero diagonal; values V [H, q, q] or [q, q]; fields [L, q]."""
        context = context or default_context()
        maps, values = reals(maps, "maps"), reals(values, "values")
        maps = maps[None] if maps.ndim == 2 else maps
        values = values[None] if values.ndim == 2 else values
        if maps.ndim != 3 or maps.shape[1] != maps.shape[2]:
            raise ValueError(f"maps has shape {maps.shape}, expected (H, L, L)")
        heads, sites = maps.shape[:2]
        if values.ndim != 3 or values.shape[0] != heads or values.shape[1] != values.shape[2]:
            raise ValueError(f"values has shape {values.shape}, expected ({heads}, q, q)")
        colors = values.shape[1]
        if fields is not None:
            fields = reals(fields, "fields", (sites, colors))
        return cls._adopt(make(lib.atp_model_create_heads, context._address, sites, colors, heads, maps.ctypes.data, values.ctypes.data,
                               pointer(fields)), context._owned)

    @classmethod
    def dense(cls, couplings, fields=None, context=None) -> "Model":
        """couplings C [L, L, q, q], float64 or float32, with C_ii = 0; fields [L, q]."""
        context = context or default_context()
        single = getattr(couplings, "dtype", None) == np.float32
        kind = np.float32 if single else np.float64
        couplings = np.ascontiguousarray(couplings, dtype=kind)
        if couplings.ndim != 4 or couplings.shape[0] != couplings.shape[1] or couplings.shape[2] != couplings.shape[3]:
            raise ValueError(f"couplings has shape {couplings.shape}, expected (L, L, q, q)")
        sites, colors = couplings.shape[0], couplings.shape[2]
        if fields is not None:
            fields = np.ascontiguousarray(fields, dtype=kind)
            if fields.shape != (sites, colors):
                raise ValueError(f"fields has shape {fields.shape}, expected ({sites}, {colors})")
        create = lib.atp_model_create_dense_f32 if single else lib.atp_model_create_dense_f64
        return cls._adopt(make(create, context._address, sites, colors, couplings.ctypes.data, pointer(fields)), context._owned)

    @classmethod
    def random(cls, sites: int, colors: int, couplings="gaussian", color_matrix="gaussian", seed: int = 1, context=None) -> "Model":
        """A random model of one head (J, U). couplings: "gaussian" or "contacts"; color_matrix: "gaussian" or "identity"."""
        context = context or default_context()
        return cls._adopt(make(lib.atp_model_create_random, context._address, sites, colors, member(Couplings, couplings, "couplings"),
                               member(ColorMatrix, color_matrix, "color_matrix"), seed), context._owned)

    @classmethod
    def read(cls, path, format="auto", alphabet: str = None, context=None) -> "Model":
        """format: "hdf5", "plmc", "ccmpred", "adabm", "bmdca", or "auto": the content decides. alphabet: for formats of letters or integers."""
        context = context or default_context()
        return cls._adopt(make(lib.atp_model_read_as, context._address, os.fsencode(path), member(ModelFormat, format, "format"),
                               alphabet.encode() if alphabet else None), context._owned)

    def write(self, path, format="hdf5", alignment=None, context=None):
        """format as in read(); plmc's file holds frequencies and weights of the alignment that the model was learned from."""
        context = context or default_context()
        check(lib.atp_model_write_as(context._address, self._address, None if alignment is None else alignment._address,
                                     member(ModelFormat, format, "format"), os.fsencode(path)))

    def copy(self) -> "Model":
        context = default_context()
        return self._adopt(make(lib.atp_model_copy, context._address, self._address), context._owned)

    def gauge(self, gauge) -> "Model":
        """The same model in the gauge "colors" or "zero_sum"."""
        context = default_context()
        return self._adopt(make(lib.atp_model_gauge, context._address, self._address, member(Gauge, gauge, "gauge")), context._owned)

    @property
    def sites(self) -> int:
        return lib.atp_model_sites(self._address)

    @property
    def colors(self) -> int:
        return lib.atp_model_colors(self._address)

    @property
    def head_count(self) -> int:
        """0 for a dense model."""
        return lib.atp_model_heads(self._address)

    @property
    def has_fields(self) -> bool:
        return bool(lib.atp_model_has_fields(self._address))

    @property
    def is_symmetric(self) -> bool:
        return bool(lib.atp_model_is_symmetric(self._address))

    @property
    def beta(self) -> float:
        return lib.atp_model_beta(self._address)

    @beta.setter
    def beta(self, value: float):
        check(lib.atp_model_set_beta(self._address, value))

    @property
    def alphabet(self) -> str:
        return lib.atp_model_alphabet(self._address).decode()

    @alphabet.setter
    def alphabet(self, symbols: str):
        check(lib.atp_model_set_alphabet(self._address, symbols.encode()))

    @property
    def site_numbers(self) -> np.ndarray:
        return view(self._owned, lib.atp_model_site_numbers_view(self._address), (self.sites,), np.int64)

    @property
    def site_residues(self) -> str:
        return lib.atp_model_site_residues(self._address).decode()

    def _array(self, function, shape, *arguments, dtype=np.float64):
        out = np.empty(shape, dtype=dtype)
        check(function(self._address, *arguments, out.ctypes.data, out.size))
        return out

    @property
    def maps(self) -> np.ndarray:
        """A, [H, L, L]; a copy."""
        return self._array(lib.atp_model_maps, (self.head_count, self.sites, self.sites))

    @property
    def values(self) -> np.ndarray:
        """V, [H, q, q]; a copy."""
        return self._array(lib.atp_model_values, (self.head_count, self.colors, self.colors))

    @property
    def fields(self) -> np.ndarray:
        """b, [L, q]; a copy."""
        return self._array(lib.atp_model_fields, (self.sites, self.colors))

    def couplings(self, dtype=np.float64) -> np.ndarray:
        """C, [L, L, q, q], float64 or float32."""
        dtype = np.dtype(dtype)
        if dtype not in (np.float64, np.float32):
            raise TypeError(f"dtype is {dtype}, expected float64 or float32")
        function = lib.atp_model_couplings_f32 if dtype == np.float32 else lib.atp_model_couplings_f64
        return self._array(function, (self.sites, self.sites, self.colors, self.colors), dtype=dtype)

    def _sequences(self, sequences):
        data = colors_array(sequences)
        if data.shape[1] != self.sites:
            raise ValueError(f"sequences has {data.shape[1]} sites, expected {self.sites}")
        return data

    def conditionals(self, sequences) -> np.ndarray:
        """p(s_i = a | rest), [n, L, q]."""
        data = self._sequences(sequences)
        return self._array(lib.atp_model_conditionals, (*data.shape, self.colors), data.ctypes.data, data.shape[0])

    def energies(self, sequences) -> np.ndarray:
        """H(s) without beta, [n]."""
        data = self._sequences(sequences)
        out = np.empty(data.shape[0])
        check(lib.atp_model_energies(self._address, data.ctypes.data, data.shape[0], out.ctypes.data))
        return out

    def log_pseudolikelihoods(self, sequences) -> np.ndarray:
        """sum_i log p(s_i | rest) in nats, [n]."""
        data = self._sequences(sequences)
        out = np.empty(data.shape[0])
        check(lib.atp_model_log_pseudolikelihoods(self._address, data.ctypes.data, data.shape[0], out.ctypes.data))
        return out

    def loss(self, alignment) -> float:
        """Nats per site on an alignment."""
        loss = ctypes.c_double()
        check(lib.atp_model_loss(default_context()._address, self._address, alignment._address, ctypes.addressof(loss)))
        return loss.value

    def coupling_error(self, truth: "Model") -> float:
        error = ctypes.c_double()
        check(lib.atp_model_coupling_error(default_context()._address, self._address, truth._address, ctypes.addressof(error)))
        return error.value

    def enumerate(self, pairs: bool = False, probabilities: bool = False) -> dict:
        """Exact numbers of a small model: log_z, energy, marginals [L, q], and where asked for pairs [L, L, q, q], probabilities [q^L]."""
        log_z, energy = ctypes.c_double(), ctypes.c_double()
        sites, colors = self.sites, self.colors
        if colors**sites > 2**26:
            probabilities = False  # the library says that it is too large
        found = {"marginals": np.empty((sites, colors)), "pairs": np.empty((sites, sites, colors, colors)) if pairs else None,
                 "probabilities": np.empty(colors**sites) if probabilities else None}
        check(lib.atp_model_enumerate(self._address, ctypes.addressof(log_z), ctypes.addressof(energy),
                                      *(pointer(found[k]) for k in ("marginals", "pairs", "probabilities"))))
        return {"log_z": log_z.value, "energy": energy.value, **{k: v for k, v in found.items() if v is not None}}

    def frobenius(self, gauge="zero_sum", gap: int = -1) -> np.ndarray:
        """Scores of pairs [L, L]; gap: a colour to leave out of the norm."""
        out = np.empty((self.sites, self.sites))
        check(lib.atp_model_frobenius(default_context()._address, self._address, member(ScoreGauge, gauge, "gauge"), gap, out.ctypes.data,
                                      out.size))
        return out

    def mutants(self, sequence, pseudolikelihood: bool = True):
        """(energy differences [L, q], log pseudo-likelihood differences [L, q] or None) of all single mutants."""
        data = colors_array(sequence, "sequence", 1)
        energy = np.empty((self.sites, self.colors))
        log = np.empty((self.sites, self.colors)) if pseudolikelihood else None
        check(lib.atp_model_mutants(default_context()._address, self._address, data.ctypes.data, data.size, energy.ctypes.data, pointer(log),
                                    energy.size))
        return energy, log

    def __repr__(self):
        if self._owned is None:
            return "<attopotts.Model, closed>"
        kind = f"{self.head_count} heads" if self.head_count else "dense"
        return f"<attopotts.Model of {self.sites} sites, {self.colors} colours, {kind}, beta = {self.beta:g}>"
