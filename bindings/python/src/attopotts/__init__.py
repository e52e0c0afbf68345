# SPDX-License-Identifier: MIT
"""Potts models and factored attention: sample, learn, compare. A thin layer over the attopotts library.

Arrays are NumPy arrays in C order; uint8 sequences and float64 numbers are handed over without copies. Long calls release the
interpreter's lock and heed Ctrl-C. Objects belong to one thread at a time; models and alignments may be read by several."""
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._generated import MISSING, ProgressKey, Status
from ._library import Error, FileError, InputError, OutOfMemory, RankError, has_feature, version

if _TYPE_CHECKING:
    from . import dotattn, replica, scores
    from .alignment import Alignment
    from .context import Context, Ranks, simd_targets
    from .model import Model
    from .sampler import (
        Mixing,
        Partition,
        Sampled,
        Sampler,
        Samples,
        Sampling,
        Tuned,
        autocorrelation_time,
        chain_mixing,
        enumerate_rungs,
        estimate_log_z,
        hamming_histogram,
        overlap_rhat,
        sample_equilibrium,
        split_rhat,
        tune_beta,
    )
    from .scores import compare_statistics, contacts
    from .table import Table
    from .trainer import Gradient, Trainer, select_folds, select_penalty

# `import attopotts` finds and loads the library. The rest, with NumPy, is loaded when it is first used (Scientific Python's SPEC 1).
# Type checkers read the same names in the block above; tests/test_import.py compares the two.
_LATER: "dict[str, list[str]]" = {
    "alignment": ["Alignment"], "context": ["Context", "Ranks", "simd_targets"], "dotattn": [],
    "model": ["Model"], "replica": [],
    "sampler": ["Mixing", "Partition", "Sampled", "Sampler", "Samples", "Sampling", "Tuned", "autocorrelation_time", "chain_mixing",
                "enumerate_rungs", "estimate_log_z",
                "hamming_histogram", "overlap_rhat", "sample_equilibrium", "split_rhat", "tune_beta"],
    "scores": ["compare_statistics", "contacts"], "table": ["Table"], "trainer": ["Gradient", "Trainer", "select_folds", "select_penalty"]}
_MODULES = {name: module for module, names in _LATER.items() for name in names}

__version__ = "0.1.0"
__all__ = ["Alignment", "Context", "Error", "FileError", "Gradient", "InputError", "MISSING", "Mixing", "Model", "OutOfMemory", "Partition", "ProgressKey",
           "RankError", "Ranks", "Sampled", "Sampler", "Samples", "Sampling", "Status", "Table", "Trainer", "Tuned",
           "autocorrelation_time", "chain_mixing", "compare_statistics", "contacts", "dotattn", "enumerate_rungs", "estimate_log_z",
           "hamming_histogram", "has_feature", "overlap_rhat", "replica", "sample_equilibrium", "scores", "select_folds", "select_penalty", "simd_targets", "split_rhat",
           "tune_beta", "version"]

if not _TYPE_CHECKING:  # for which it would stand for any name
    def __getattr__(name):
        if name in _LATER:
            return _import_module("." + name, __name__)
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(_import_module("." + _MODULES[name], __name__), name)
        return found


def __dir__():
    return sorted({*globals(), *__all__})
