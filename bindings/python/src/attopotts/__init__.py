# SPDX-License-Identifier: MIT
"""Potts models and factored attention: sample, learn, compare. A thin layer over the attopotts library.

Arrays are NumPy arrays in C order; uint8 sequences and float64 numbers are handed over without copies. Long calls release the
interpreter's lock and heed Ctrl-C. Objects belong to one thread at a time; models and alignments may be read by several."""
from . import dotattn, replica, scores  # noqa: I001 -- lines of at most 140
from ._generated import MISSING, ProgressKey, Status
from ._learner import Gradient
from ._library import Error, FileError, InputError, OutOfMemory, RankError, has_feature, version
from .alignment import Alignment
from .context import Context, Ranks, simd_targets
from .model import Model
from .sampler import (Sampled, Sampler, Samples, Sampling, Tuned, autocorrelation_time, hamming_histogram, overlap_rhat,
                      sample_equilibrium, split_rhat, tune_beta)
from .scores import compare_statistics, contacts
from .table import Table
from .trainer import Trainer, select_folds, select_penalty
from .transformer import Transformer

__version__ = "0.1.0"
__all__ = ["Alignment", "Context", "Error", "FileError", "Gradient", "InputError", "MISSING", "Model", "OutOfMemory", "ProgressKey",
           "RankError", "Ranks", "Sampled", "Sampler", "Samples", "Sampling", "Status", "Table", "Trainer", "Transformer", "Tuned",
           "autocorrelation_time", "compare_statistics", "contacts", "dotattn", "hamming_histogram", "has_feature", "overlap_rhat",
           "replica", "sample_equilibrium", "scores", "select_folds", "select_penalty", "simd_targets", "split_rhat",
           "tune_beta", "version"]
