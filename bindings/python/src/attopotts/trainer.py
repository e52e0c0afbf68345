# SPDX-License-Identifier: MIT
"""Training: factored attention and dense couplings by pseudo-likelihood."""
import ctypes

import numpy as np

from ._handle import reals, run
from ._learner import Gradient, Learner
from ._library import check, lib, outcome_name
from .sampler import Progress


class Trainer(Learner):
    """Learns a model from an alignment. Options as in the C API with _ for -: heads, map, rank, fields, objective, optimizer, epochs,
    tolerance, l2_couplings, ..., and seed; words for what has words ("softmax").

    Ctrl-C stops a running call after the present step; the state is kept and run() goes on from there."""

    _destroy = lib.atp_trainer_destroy
    _prefix = "atp_trainer_"

    def set_values(self, values):
        """V, [H, q, q]; needed before run() where colors_fixed."""
        values = reals(values, "values")
        check(lib.atp_trainer_set_values(self._address, values.ctypes.data, values.size))

    def gradient(self, masked_sites=None) -> Gradient:
        """Loss, objective and gradient at the present parameters, over all sites, or over one masked site per sequence, [N] of 0..L-1."""
        loss, objective = ctypes.c_double(), ctypes.c_double()
        out = np.empty(lib.atp_trainer_parameter_count(self._address))
        found = (ctypes.addressof(loss), ctypes.addressof(objective), out.ctypes.data, out.size)
        if masked_sites is None:
            check(lib.atp_trainer_gradient(self._address, *found))
        else:
            sites = self._masked_sites(masked_sites)
            check(lib.atp_trainer_masked_gradient(self._address, sites.ctypes.data, sites.size, *found))
        return Gradient(loss.value, objective.value, out)

    def start_from(self, wide: "Trainer") -> None:
        """Set the parameters to the closest couplings to those of a trainer with more heads: the second half of `start_wide`."""
        check(lib.atp_trainer_start_from(self._address, wide._address))

    def start_wide(self, heads: int, iterations: int = 100, progress: Progress = None) -> str:
        """Set the parameters to good initial ones by way of more heads."""
        outcome = ctypes.c_int()
        run(lambda callback, user: lib.atp_trainer_start_wide(self._address, heads, iterations, callback, user, ctypes.addressof(outcome)), progress)
        return outcome_name(outcome.value)
