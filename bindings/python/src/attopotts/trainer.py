# SPDX-License-Identifier: MIT
"""Training: factored attention and dense couplings by pseudo-likelihood."""
import ctypes
from typing import NamedTuple

import numpy as np

from ._handle import Handle, default_context, make, options, reals, run
from ._library import check, lib, outcome_name
from .model import Model
from .sampler import Progress

_TRAINERS = (2,)


class Gradient(NamedTuple):
    loss: float  # nats per site
    objective: float  # with penalties
    gradient: np.ndarray  # [parameters]


class Trainer(Handle):
    """Learns a model from an alignment. Options as in the C API with _ for -: heads, map, rank, fields, objective, optimizer, epochs,
    tolerance, l2_couplings, ..., and seed; words for what has words ("softmax").

    Ctrl-C stops a running call after the present step; the state is kept and run() goes on from there."""

    _destroy = lib.atp_trainer_destroy

    def __init__(self, alignment, context=None, **values):
        context = context or default_context()
        bag = options(_TRAINERS, values)
        self._alignment, self._context, self._test, self._truth = alignment._owned, context, None, None
        self._own(make(lib.atp_trainer_create, context._address, alignment._address, bag.address), context._owned, alignment._owned)

    @staticmethod
    def bytes(count: int, sites: int, colors: int, **values) -> int:
        """What creation will allocate for data of this shape."""
        size = ctypes.c_int64()
        bag = options(_TRAINERS, values)
        check(lib.atp_trainer_bytes(default_context()._address, count, sites, colors, bag.address, ctypes.addressof(size)))
        return size.value

    def set_values(self, values):
        """V, [H, q, q]; needed before run() where colors_fixed."""
        values = reals(values, "values")
        check(lib.atp_trainer_set_values(self._address, values.ctypes.data, values.size))

    def set_test(self, alignment):
        """Report the loss on these sequences, too; None to stop."""
        check(lib.atp_trainer_set_test(self._address, None if alignment is None else alignment._address))
        self._test = None if alignment is None else alignment._owned

    def set_truth(self, model):
        """Report the coupling error against this model, and its loss on the test sequences; None to stop."""
        check(lib.atp_trainer_set_truth(self._address, None if model is None else model._address))
        self._truth = None if model is None else model._owned

    @property
    def parameters(self) -> np.ndarray:
        """A copy; assign to set them, which starts training afresh. The order is in attopotts/trainer.h."""
        out = np.empty(lib.atp_trainer_parameter_count(self._address))
        check(lib.atp_trainer_parameters(self._address, out.ctypes.data, out.size))
        return out

    @parameters.setter
    def parameters(self, values):
        values = reals(values, "parameters")
        check(lib.atp_trainer_set_parameters(self._address, values.ctypes.data, values.size))

    def gradient(self) -> Gradient:
        """Loss, objective and gradient at the present parameters."""
        loss, objective = ctypes.c_double(), ctypes.c_double()
        out = np.empty(lib.atp_trainer_parameter_count(self._address))
        check(lib.atp_trainer_gradient(self._address, ctypes.addressof(loss), ctypes.addressof(objective), out.ctypes.data, out.size))
        return Gradient(loss.value, objective.value, out)

    def loss(self, alignment) -> float:
        """Of the present parameters on an alignment, nats per site."""
        loss = ctypes.c_double()
        check(lib.atp_trainer_loss(self._address, alignment._address, ctypes.addressof(loss)))
        return loss.value

    def start_wide(self, heads: int, iterations: int = 100, progress: Progress = None) -> str:
        """Set the parameters to good initial ones by way of more heads."""
        outcome = ctypes.c_int()
        run(lambda callback, user: lib.atp_trainer_start_wide(self._address, heads, iterations, callback, user, ctypes.addressof(outcome)), progress)
        return outcome_name(outcome.value)

    def run(self, epochs: int = 1 << 40, progress: Progress = None) -> str:
        """Train for so many epochs more, by default to the end; gives the outcome. `progress` is called with a dict of numbers after
        every epoch; a true answer stops."""
        outcome = ctypes.c_int()
        run(lambda callback, user: lib.atp_trainer_run(self._address, epochs, callback, user, ctypes.addressof(outcome)), progress)
        return outcome_name(outcome.value)

    @property
    def epochs(self) -> int:
        """Done so far."""
        return lib.atp_trainer_epochs(self._address)

    def request_stop(self):
        """End a running call of another thread."""
        lib.atp_trainer_request_stop(self._address)

    def model(self) -> Model:
        """The present parameters as a model."""
        return Model._adopt(make(lib.atp_trainer_model, self._address), self._context._owned)

    def save_state(self) -> bytes:
        buffer = ctypes.create_string_buffer(lib.atp_trainer_state_bytes(self._address))
        check(lib.atp_trainer_save_state(self._address, ctypes.addressof(buffer), len(buffer)))
        return buffer.raw

    def load_state(self, state):
        buffer = np.frombuffer(state, dtype=np.uint8)
        check(lib.atp_trainer_load_state(self._address, buffer.ctypes.data, buffer.size))
