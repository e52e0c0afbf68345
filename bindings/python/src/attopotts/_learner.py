# SPDX-License-Identifier: MIT
"""What trainers and transformers share: test data and truth, parameters, runs, states."""
import ctypes
from typing import NamedTuple

import numpy as np

from ._handle import Handle, make, reals, run
from ._library import check, lib, outcome_name
from ._options import options
from .context import default_context
from .model import Model
from .sampler import Progress

_FAMILIES = (2,)


class Gradient(NamedTuple):
    loss: float  # nats per site
    objective: float  # with penalties; of a transformer, which has none, the loss
    gradient: np.ndarray  # [parameters]


class Learner(Handle):
    """Base of Trainer and Transformer, whose C functions have the same names but for their beginning, `_prefix`."""

    _prefix = None

    @classmethod
    def _function(cls, name):
        return getattr(lib, cls._prefix + name)

    def __init__(self, alignment, context=None, **values):
        context = context or default_context()
        bag = options(_FAMILIES, values)
        self._alignment, self._context, self._test, self._truth = alignment._owned, context, None, None
        self._sites, self._colors = alignment.sites, alignment.colors
        self._own(make(self._function("create"), context._address, alignment._address, bag.address), context._owned, alignment._owned)

    @classmethod
    def bytes(cls, count: int, sites: int, colors: int, **values) -> int:
        """What creation will allocate for data of this shape."""
        size = ctypes.c_int64()
        bag = options(_FAMILIES, values)
        check(cls._function("bytes")(default_context()._address, count, sites, colors, bag.address, ctypes.addressof(size)))
        return size.value

    def set_test(self, alignment):
        """Report the loss on these sequences, too; None to stop."""
        check(self._function("set_test")(self._address, None if alignment is None else alignment._address))
        self._test = None if alignment is None else alignment._owned

    def set_truth(self, model):
        """Report the loss of this model on the test sequences as the optimal loss, and the distance of the learned couplings from its
        own where there are couplings; None to stop."""
        check(self._function("set_truth")(self._address, None if model is None else model._address))
        self._truth = None if model is None else model._owned

    @property
    def parameters(self) -> np.ndarray:
        """A copy; assign to set them, which starts training afresh. The order is in the C header."""
        out = np.empty(self._function("parameter_count")(self._address))
        check(self._function("parameters")(self._address, out.ctypes.data, out.size))
        return out

    @parameters.setter
    def parameters(self, values):
        values = reals(values, "parameters")
        check(self._function("set_parameters")(self._address, values.ctypes.data, values.size))

    def _masked_sites(self, sites):
        sites = np.asarray(sites)
        if sites.dtype.kind not in "iu" or sites.ndim != 1:
            raise TypeError(f"masked_sites has {sites.ndim} dimensions of {sites.dtype}, expected one of integers")
        return np.ascontiguousarray(sites, dtype=np.int64)

    def loss(self, alignment) -> float:
        """Of the present parameters on an alignment, nats per site."""
        loss = ctypes.c_double()
        check(self._function("loss")(self._address, alignment._address, ctypes.addressof(loss)))
        return loss.value

    def run(self, epochs: int = 1 << 40, progress: Progress = None) -> str:
        """Train for so many epochs more, by default to the end; gives the outcome. `progress` is called with a dict of numbers after
        every epoch; a true answer stops."""
        outcome, function = ctypes.c_int(), self._function("run")
        run(lambda callback, user: function(self._address, epochs, callback, user, ctypes.addressof(outcome)), progress)
        return outcome_name(outcome.value)

    @property
    def epochs(self) -> int:
        """Done so far."""
        return self._function("epochs")(self._address)

    def request_stop(self):
        """End a running call of another thread."""
        self._function("request_stop")(self._address)

    def model(self) -> Model:
        """The present parameters as a model."""
        return Model._adopt(make(self._function("model"), self._address), self._context._owned)

    def save_state(self) -> bytes:
        buffer = ctypes.create_string_buffer(self._function("state_bytes")(self._address))
        check(self._function("save_state")(self._address, ctypes.addressof(buffer), len(buffer)))
        return buffer.raw

    def load_state(self, state):
        buffer = np.frombuffer(state, dtype=np.uint8)
        check(self._function("load_state")(self._address, buffer.ctypes.data, buffer.size))
