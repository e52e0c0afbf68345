# SPDX-License-Identifier: MIT
"""Attention networks that see tokens: what factored attention is compared with."""
from types import MappingProxyType

import numpy as np

from . import _calls
from ._handle import colors_array
from ._learner import Learner
from ._properties import TransformerHandle


class Transformer(Learner, TransformerHandle):
    """A network trained on masked tokens, which factored attention is compared with.

    It is a transformer encoder, or with architecture="dial" a single layer between factored attention (dial=0) and plain attention
    (dial=1). blocks, hidden and positions are of the encoder, dial and map of the dial (its map is "lowrank" where none is given). model() is
    for a dial at 0, which is a Potts model.

    Ctrl-C stops a running call after the present step; the state is kept and run() goes on from there.

    Parameters
    ----------
    alignment : Alignment
        The data; they are kept.
    context : Context, optional
        That of the thread by default.
    """

    @property
    def parts(self):
        """The named parts of the parameter vector.

        {"tokens": slice, "block1.qkv": slice, ...}, as in t.parameters[t.parts["tokens"]].
        """
        found = (_calls.transformer_part(self, k) for k in range(self.part_count))
        return MappingProxyType({name: slice(offset, offset + size) for name, offset, size in found})

    def conditionals(self, sequences) -> np.ndarray:
        """Give p(s_i = a | rest) of every site, each masked in turn.

        Parameters
        ----------
        sequences : array_like of int, [n, L]
            The sequences.

        Returns
        -------
        ndarray, [n, L, q]
        """
        data = colors_array(sequences, sites=self._sites)
        return _calls.transformer_conditionals(self, data, np.empty((*data.shape, self._colors)))
