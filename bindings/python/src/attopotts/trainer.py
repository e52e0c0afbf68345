# SPDX-License-Identifier: MIT
"""Training: factored attention and dense couplings by pseudo-likelihood."""
from . import _calls
from ._generated import Option
from ._learner import Learner
from ._properties import TrainerHandle
from .sampler import Progress

# Options of trainers; after them come those of transformers.
OPTIONS = ["seed", *(option.name.lower() for option in Option if 200 <= option < Option.ARCHITECTURE)]


class Trainer(Learner, TrainerHandle, options=OPTIONS):
    """Learns a model from an alignment. A rate, history, penalty or tolerance of 0 or below may mean "automatic": attopotts/options.h.

    The parameters are maps A [H, L, L] (or Q, then K, [H, L, rank] each), values V [H, q, q] unless colors_fixed, fields [L, q] if they are
    learned; of dense couplings fields [L, q], then C_ij [q, q] for i < j. attopotts/trainer.h has the details.

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
