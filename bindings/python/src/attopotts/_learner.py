# SPDX-License-Identifier: MIT
"""What trainers and transformers share: test data and truth, parameters, runs, states."""
from typing import NamedTuple, Optional

import numpy as np

from ._handle import Handle, described, named
from ._options import takes
from .context import Context
from .model import Model
from .sampler import Progress, StateOfRun
from .table import Table, new_rows


@described(loss="Nats per site.", objective="With penalties; of a transformer, which has none, the loss.",
           gradient="Of the objective, [parameters].")
class Gradient(NamedTuple):
    """What gradient() gives."""
    loss: float
    objective: float
    gradient: np.ndarray


class Learner(StateOfRun, Handle):
    """Base of Trainer and Transformer."""

    def __init_subclass__(cls):
        cls.__init__ = takes(cls._kind)(cls.__init__)
        cls.bytes = classmethod(takes(cls._kind)(cls.bytes.__func__))

    @named(alignment="train")
    def __init__(self, alignment, context=None, **values):
        self._owned = self._function("create")(context, alignment, values)
        self._sites, self._colors = alignment.sites, alignment.colors

    @classmethod
    @named(count="n")
    def bytes(cls, count: int, sites: int, colors: int, **values) -> int:
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
        return cls._function("bytes")(None, count, sites, colors, values)

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
        self._function(f"set_{what}")(self, other)
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
        if masked_sites is None:
            found = self._function("gradient")(self)
        else:
            found = self._function("masked_gradient")(self, masked_sites)
        return Gradient(found[0], found[-2], found[-1])

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
        return self._function("run")(self, 1 << 40 if epochs is None else epochs, progress)

    def model(self) -> Model:
        """Give the present parameters as a model.

        Returns
        -------
        Model
        """
        return Model._adopt(self._function("model")(self))
