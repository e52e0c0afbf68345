# SPDX-License-Identifier: MIT
"""Training: factored attention and dense couplings by pseudo-likelihood."""
from . import _calls
from ._learner import Learner
from ._properties import TrainerHandle
from .sampler import Progress


class Trainer(Learner, TrainerHandle):
    """Learns a model from an alignment. Options as in the C API with _ for -: heads, map, rank, fields, objective, optimizer, epochs,
    tolerance, l2_couplings, ..., and seed; words for what has words ("softmax").

    Ctrl-C stops a running call after the present step; the state is kept and run() goes on from there."""

    def set_values(self, values):
        """V, [H, q, q]; needed before run() where colors_fixed."""
        _calls.trainer_set_values(self, values)

    def start_from(self, wide: "Trainer") -> None:
        """Set the parameters to the closest couplings to those of a trainer with more heads: the second half of `start_wide`."""
        _calls.trainer_start_from(self, wide)

    def start_wide(self, heads: int, iterations: int = 100, progress: Progress = None) -> str:
        """Set the parameters to good initial ones by way of more heads."""
        return _calls.trainer_start_wide(self, heads, iterations, progress)
