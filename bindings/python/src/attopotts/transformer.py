# SPDX-License-Identifier: MIT
"""Attention networks that see tokens: what factored attention is compared with."""
import ctypes
from types import MappingProxyType

import numpy as np

from ._handle import colors_array
from ._learner import Gradient, Learner
from ._library import check, lib


class Transformer(Learner):
    """A network trained on masked tokens: a transformer encoder, or with architecture="dial" a single layer between factored attention
    (dial=0) and plain attention (dial=1). Options as in the C API with _ for -: architecture, blocks, width, hidden, positions, dial, map,
    optimizer, rate, batch, epochs, precision, ..., and seed.

    Ctrl-C stops a running call after the present step; the state is kept and run() goes on from there. model() is for a dial at 0, which
    is a Potts model."""

    _destroy = lib.atp_transformer_destroy
    _prefix = "atp_transformer_"

    @property
    def parts(self):
        """The named parts of the parameter vector: {"tokens": slice, "block1.qkv": slice, ...}, as in t.parameters[t.parts["tokens"]]."""
        parts = {}
        for k in range(lib.atp_transformer_part_count(self._address)):
            name, offset, size = ctypes.c_char_p(), ctypes.c_int64(), ctypes.c_int64()
            check(lib.atp_transformer_part(self._address, k, ctypes.addressof(name), ctypes.addressof(offset), ctypes.addressof(size)))
            parts[name.value.decode()] = slice(offset.value, offset.value + size.value)
        return MappingProxyType(parts)

    def gradient(self, masked_sites=None) -> Gradient:
        """Loss and gradient at the present parameters, each site masked in turn, or one masked site per sequence, [N] of 0..L-1."""
        loss, out = ctypes.c_double(), np.empty(lib.atp_transformer_parameter_count(self._address))
        found = (ctypes.addressof(loss), out.ctypes.data, out.size)
        if masked_sites is None:
            check(lib.atp_transformer_gradient(self._address, *found))
        else:
            sites = self._masked_sites(masked_sites)
            check(lib.atp_transformer_masked_gradient(self._address, sites.ctypes.data, sites.size, *found))
        return Gradient(loss.value, loss.value, out)

    def conditionals(self, sequences) -> np.ndarray:
        """p(s_i = a | rest) of every site, each masked in turn, [n, L, q]."""
        data = colors_array(sequences)
        if data.shape[1] != self._sites:
            raise ValueError(f"sequences has {data.shape[1]} sites, expected {self._sites}")
        out = np.empty((*data.shape, self._colors))
        check(lib.atp_transformer_conditionals(self._address, data.ctypes.data, *data.shape, out.ctypes.data, out.size))
        return out

    def maps(self, alignment) -> np.ndarray:
        """Attention maps [blocks, L, L], means over an alignment: row k is the attention of site k while it is masked."""
        out = np.empty((lib.atp_transformer_map_count(self._address), self._sites, self._sites))
        check(lib.atp_transformer_maps(self._address, alignment._address, out.ctypes.data, out.size))
        return out
