# SPDX-License-Identifier: MIT
"""Training: factored attention, dense couplings, encoders and dials."""
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Optional

import numpy as np

from . import _calls
from ._handle import colors_array, described, named
from ._options import takes
from ._properties import TrainerHandle
from .alignment import Alignment
from .context import Context
from .model import Model
from .sampler import Progress, StateOfRun
from .table import Table, new_rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import FoldsOptions, SelectionOptions, TrainerOptions


@described(loss="Nats per site.", objective="With penalties; of a network, which has none, the loss.",
           gradient="Of the objective, [parameters].")
class Gradient(NamedTuple):
    """What gradient() gives."""
    loss: float
    objective: float
    gradient: np.ndarray


class Trainer(StateOfRun, TrainerHandle):
    """Learns from an alignment: factored attention, dense couplings, or a network that they are compared with, as `family` says.

    A rate, history, penalty or tolerance of 0 or below may mean "automatic": attopotts/options.h. The parameters are maps A [H, L, L] (or Q,
    then K, [H, L, rank] each), values V [H, q, q] unless colors_fixed, fields [L, q] if they are learned; of dense couplings fields [L, q],
    then C_ij [q, q] for i < j. `parts` has their places, attopotts/trainer.h the details.

    family "encoder" is a transformer encoder, "dial" a single layer between factored attention (dial=0) and plain attention (dial=1). Both learn
    masked tokens by SGD where nothing else is given. blocks, hidden and positions are of the encoder, dial and map of the dial (its map is
    "lowrank" where none is given). maps() and conditionals() are of these two, model() of all but encoders and dials above 0.

    objective "likelihood" is Boltzmann learning, of dense couplings and factored attention: its models are to sample from. Reports and the log
    then have pearson, slope and field_error of C_ij and f_i of the chains against the family, and of fresh chains where they were verified
    (pearson_random, pearson_natural, ...), instead of a training loss. sparsify "activate" or "decimate" leaves few couplings of the
    dense ones, and reintegrate() adds tested sequences with numbers of either sign. objective "autoregressive" learns log P itself, from a
    product over sites.

    Ctrl-C stops a running call after the present step; the state is kept and run() goes on from there. What is copied or unpickled goes on
    with the same numbers, without the log.

    Parameters
    ----------
    alignment : Alignment
        The data; they are kept.
    context : Context, optional
        That of the thread by default.
    pairs : array_like of int, [n, 2], optional
        Sites from 0: dense couplings of these pairs only (attopotts/pairs.h).
    """

    _changes = "set_values", "set_order", "reintegrate", "set_test", "set_truth"

    @takes("trainer")
    @named(alignment="train")
    def __init__(self, alignment, context=None, pairs=None, **values: "Unpack[TrainerOptions]"):
        if pairs is None:
            self._owned = _calls.trainer_create(context, alignment, values)
        else:
            self._owned = _calls.trainer_create_pairs(context, alignment, {"family": "dense", **values}, pairs)
        self._made_of(alignment, pairs=pairs, **values)
        self._sites, self._colors = alignment.sites, alignment.colors

    @staticmethod
    @takes("trainer")
    @named(alignment="train")
    def bytes_of_pairs(alignment, pairs, **values: "Unpack[TrainerOptions]") -> int:
        """Give the bytes that creation with a list of pairs will allocate.

        Parameters
        ----------
        alignment : Alignment
            The data.
        pairs : array_like of int, [n, 2]
            Sites from 0.

        Returns
        -------
        int
        """
        return _calls.trainer_pairs_bytes(None, alignment, {"family": "dense", **values}, pairs)

    @staticmethod
    @takes("trainer")
    @named(count="n")
    def bytes(count: int, sites: int, colors: int, **values: "Unpack[TrainerOptions]") -> int:
        """Give the bytes that creation will allocate for data of this shape.

        Parameters
        ----------
        count : int
            N.
        sites : int
            L.
        colors : int
            q.

        Returns
        -------
        int
        """
        return _calls.trainer_bytes(None, count, sites, colors, values)

    @named(alignment="test")
    def set_test(self, alignment):
        """Report the loss on these sequences, too.

        Parameters
        ----------
        alignment : Alignment or None
            The sequences; None to stop.
        """
        self._set("test", alignment)

    @named(model="truth")
    def set_truth(self, model):
        """Report the loss of this model on the test sequences as the optimal loss.

        The distance of the learned couplings from its own is reported, too, where there are couplings.

        Parameters
        ----------
        model : Model or None
            The truth; None to stop.
        """
        self._set("truth", model)

    @named(rows="capacity")
    def keep_log(self, rows: int):
        """Keep the numbers of every epoch of runs from now on, for `log`.

        Parameters
        ----------
        rows : int
            Of so many epochs at most.
        """
        log = new_rows(Context._adopt(self._open.root), "training_log", rows)
        self._set("log", log)
        self._log = log

    def _set(self, what, other):
        """Let the library read or write another handle, which lives until it is replaced and no call uses it."""
        own, needed = self._open, None if other is None else other._open
        getattr(_calls, f"trainer_set_{what}")(self, other)
        own.need(what, needed)

    @property
    def log(self) -> Table:
        """What keep_log() has kept so far, by epochs: loss, gradient norm, ...."""
        return Table(self._log)

    def gradient(self, masked_sites=None) -> Gradient:
        """Give loss, objective and gradient at the present parameters.

        To compare it with finite differences make the object with precision=64: losses in single precision are too coarse for them.

        Parameters
        ----------
        masked_sites : array_like of int, [N], optional
            One masked site of each sequence, 0..L-1; over all sites by default.

        Returns
        -------
        Gradient
        """
        found = _calls.trainer_gradient(self) if masked_sites is None else _calls.trainer_masked_gradient(self, masked_sites)
        return Gradient(*found)

    def run(self, epochs: Optional[int] = None, progress: Progress = None) -> str:
        """Train for at most so many epochs more.

        The option `epochs` limits the total of all calls: a call that asks for more than it leaves is warned.

        Parameters
        ----------
        epochs : int, optional
            To the end by default.
        progress : callable, optional
            Called with a dict of numbers after every epoch; a true answer stops the run.

        Returns
        -------
        str
            The outcome.
        """
        return _calls.trainer_run(self, 1 << 40 if epochs is None else epochs, progress)

    def model(self) -> Model:
        """Give the present parameters as a model.

        Returns
        -------
        Model
        """
        return Model._adopt(_calls.trainer_model(self))

    def chains(self) -> Alignment:
        """Give the chains of the objective `likelihood` as an alignment, all with weight 1.

        Returns
        -------
        Alignment
        """
        return Alignment._adopt(_calls.trainer_chains(self))

    @property
    def parts(self):
        """The named parts of the parameter vector, in its order.

        {"maps": slice, "values": slice, ...}, as in t.parameters[t.parts["maps"]]. They are maps (of low rank queries, keys), values unless
        colors_fixed, fields if they are learned; of dense couplings fields, couplings, of asymmetric ones site1, site2, ..., each with the fields
        of the site first; of an encoder tokens, block1.qkv, ...
        """
        found = (_calls.trainer_part(self, k) for k in range(self.part_count))
        return MappingProxyType({name: slice(offset, offset + size) for name, offset, size in found})

    def conditionals(self, sequences) -> np.ndarray:
        """Give p(s_i = a | rest) of every site, each masked in turn, by a network.

        Parameters
        ----------
        sequences : array_like of int, [n, L]
            The sequences.

        Returns
        -------
        ndarray, [n, L, q]
        """
        data = colors_array(sequences, sites=self._sites)
        return _calls.trainer_conditionals(self, data, np.empty((*data.shape, self._colors)))

    def start_wide(self, heads: int, iterations: int = 100, progress: Progress = None) -> str:
        """Set the parameters to good initial ones by way of more heads.

        Parameters
        ----------
        heads : int
            How many.
        iterations : int
            Of the training with these.
        progress : callable, optional
            Called with a dict of numbers; a true answer stops the run.

        Returns
        -------
        str
            The outcome.
        """
        return _calls.trainer_start_wide(self, heads, iterations, progress)


@takes("selection")
def select_penalty(alignment, progress: Progress = None, context=None, pairs=None, **values: "Unpack[SelectionOptions]") -> Table:
    """Choose penalties or heads by K-fold cross-validation.

    select "heads": numbers of heads instead of penalties; criterion "substitutions": for effects of mutations. attopotts/selection.h has the
    rules.

    Parameters
    ----------
    alignment : Alignment
        The data.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.
    pairs : array_like, [n, 2], optional
        Couplings of these pairs of sites alone, of the family "dense".

    Returns
    -------
    Table
        A row for each strength of the path, the chosen one with `chosen` 1. outcome "max_iter": the held-out loss still falls at its end.
        With pairs it is "cancelled" without rows, else "converged".
    """
    rows = new_rows(context, "selection", values.get("strengths") or 100)
    if pairs is not None:
        _calls.select_penalty_pairs(alignment, {"family": "dense", **values}, pairs, rows, progress)
        found = Table(rows, "converged")
        return found if len(found["chosen"]) else Table(rows, "cancelled")
    outcome = _calls.select_penalty(context, alignment, values, rows, progress)
    return Table(rows, outcome)


@takes("folds")
def select_folds(alignment, context=None, **values: "Unpack[FoldsOptions]"):
    """Make folds of whole clusters of similar sequences, for cross-validation.

    Parameters
    ----------
    alignment : Alignment
        The data.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    fold : ndarray of int, [N]
        Of each sequence.
    cluster : ndarray of int, [N]
        Of each sequence.
    """
    return _calls.select_folds(context, alignment, values, alignment.count)
