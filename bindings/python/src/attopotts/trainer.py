# SPDX-License-Identifier: MIT
"""Training: factored attention and dense couplings by pseudo-likelihood."""
import ctypes
from itertools import accumulate
from types import MappingProxyType

from . import _calls
from ._generated import Family, Gaps, Map, Option, OptionOwner
from ._handle import named
from ._learner import Learner
from ._library import check, lib
from ._options import bag_of, takes
from ._properties import TrainerHandle
from .sampler import Progress
from .table import Table, new_rows


class Trainer(Learner, TrainerHandle):
    """Learns a model from an alignment, by pseudo-likelihood.

    A rate, history, penalty or tolerance of 0 or below may mean "automatic": attopotts/options.h. The parameters are maps A [H, L, L] (or Q,
    then K, [H, L, rank] each), values V [H, q, q] unless colors_fixed, fields [L, q] if they are learned; of dense couplings fields [L, q],
    then C_ij [q, q] for i < j. `parts` has their places, attopotts/trainer.h the details.

    Ctrl-C stops a running call after the present step; the state is kept and run() goes on from there.

    Parameters
    ----------
    alignment : Alignment
        The data; they are kept.
    context : Context, optional
        That of the thread by default.
    pairs : array_like of int, [n, 2], optional
        Sites from 0: dense couplings of these pairs only (attopotts/pairs.h).
    """

    @named(alignment="train")
    def __init__(self, alignment, context=None, pairs=None, **values):
        if pairs is None:
            super().__init__(alignment, context, **values)
            return
        self._owned = _calls.trainer_create_pairs(context, alignment, {"family": "dense", **values}, pairs)
        self._sites, self._colors = alignment.sites, alignment.colors

    @staticmethod
    @takes("trainer")
    @named(alignment="train")
    def bytes_of_pairs(alignment, pairs, **values) -> int:
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

    def _sizes(self, told):
        sites, colors, heads = self._sites, self._colors - (told(Option.GAPS) == Gaps.IGNORE), told(Option.HEADS)
        if told(Option.FAMILY) == Family.DENSE:
            listed = self.pairs().ravel().tolist()
            if told(Option.ASYMMETRIC):
                return {f"site{i + 1}": colors + (listed.count(i) if listed else sites - 1) * colors**2 for i in range(sites)}
            return {"fields": sites * colors, "couplings": (len(listed) or sites * (sites - 1)) // 2 * colors**2}
        low = told(Option.MAP) == Map.LOWRANK
        maps = dict.fromkeys(("queries", "keys"), heads * sites * told(Option.RANK)) if low else {"maps": heads * sites**2}
        values = {} if told(Option.COLORS_FIXED) else {"values": heads * colors**2}
        return {**maps, **values, **({"fields": sites * colors} if told(Option.FIELDS) else {})}

    @property
    def parts(self):
        """The named parts of the parameter vector, in its order.

        {"maps": slice, "values": slice, ...}, as in t.parameters[t.parts["maps"]]. They are maps (of low rank queries, keys), values unless
        colors_fixed, fields if they are learned; of dense couplings fields, couplings, of asymmetric ones site1, site2, ..., each with the fields
        of the site first.
        """
        bag, value = bag_of(OptionOwner.TRAINER), ctypes.c_int64()
        check(lib.atp_trainer_options(self._open, bag))
        sizes = self._sizes(lambda key: check(lib.atp_options_get_i64(bag, key, ctypes.addressof(value))) or value.value)
        ends = list(accumulate(sizes.values()))
        return MappingProxyType({name: slice(end - sizes[name], end) for name, end in zip(sizes, ends)})

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
def select_penalty(alignment, progress: Progress = None, context=None, **values) -> Table:
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

    Returns
    -------
    Table
        A row for each strength of the path, the chosen one with `chosen` 1. outcome "max_iter": the held-out loss still falls at its end.
    """
    rows = new_rows(context, "selection", values.get("strengths") or 100)
    outcome = _calls.select_penalty(context, alignment, values, rows, progress)
    return Table(rows, outcome)


@takes("folds")
def select_folds(alignment, context=None, **values):
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
