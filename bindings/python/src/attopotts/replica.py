# SPDX-License-Identifier: MIT
"""Learning curves of masked Gaussian modelling in theory, and simulated.

Curves are tables of columns by name with a row for each alpha. penalty is the library's lambda."""
from typing import NamedTuple

import numpy as np

from . import _calls
from ._generated import TaskNumber
from ._handle import described
from ._options import takes
from ._properties import MaskedHandle
from .sampler import Progress
from .table import Table, run


@described(eigenvalues="[p], rising.", projections="[p], squared.")
class Spectrum(NamedTuple):
    """What Masked.spectrum() gives."""
    eigenvalues: np.ndarray
    projections: np.ndarray


class Masked(MaskedHandle):
    """The problem of predicting a Gaussian value from others: their covariance S [p, p], the teacher's weights w* [p], the noise."""

    def __init__(self, covariance, weights, noise: float, context=None):
        self._owned = _calls.masked_create(context, covariance, weights, noise)

    def spectrum(self) -> Spectrum:
        """Eigenvalues of S and the projections of w* on its eigenvectors, squared."""
        return Spectrum(*_calls.masked_spectrum(self))


def goe_precision(sites: int, shift: float, seed: int = 1) -> np.ndarray:
    """P = z I - J with a Gaussian orthogonal J, [L, L]."""
    return _calls.replica_goe(sites, shift, seed)


def mask_precision(precision, site: int = 0, context=None) -> Masked:
    """The problem of predicting a site of x ~ N(0, P^-1) from the others."""
    return Masked._adopt(_calls.masked_create_precision(context, precision, site))


def mask_covariance(covariance, site: int = 0, context=None) -> Masked:
    """The same from a covariance."""
    return Masked._adopt(_calls.masked_create_covariance(context, covariance, site))


@takes("REPLICA_SQUARE")
def square(eigenvalues, projections, noise: float, alphas, penalty: float, context=None, **options) -> Table:
    """The learning curve of the square loss on a spectrum."""
    arrays = {"eigenvalues": eigenvalues, "projections": projections, "alphas": alphas}
    return run("REPLICA_SQUARE", arrays, {"noise": noise, "lambda": penalty, **options}, context=context)


@takes("REPLICA_SADDLE")
def square_saddle(eigenvalues, projections, noise: float, alphas, penalty: float, context=None, **options) -> Table:
    """The same from the saddle-point equations."""
    arrays = {"eigenvalues": eigenvalues, "projections": projections, "alphas": alphas}
    return run("REPLICA_SADDLE", arrays, {"noise": noise, "lambda": penalty, **options}, context=context)


@takes("REPLICA_LIMIT")
def limit(shift: float, alphas, penalty: float, context=None, **options) -> Table:
    """The curve in the limit of many sites, P = z I - J."""
    return run("REPLICA_LIMIT", {"alphas": alphas}, {"shift": shift, "lambda": penalty, **options}, context=context)


@takes("REPLICA_CONVEX")
def convex(eigenvalues, projections, alphas, penalty: float, loss="logistic", context=None, **options):
    """(curve, loss of the teacher) of "square", "huber" or "logistic"."""
    arrays = {"eigenvalues": eigenvalues, "projections": projections, "alphas": alphas}
    return run("REPLICA_CONVEX", arrays, {"lambda": penalty, "loss": loss, **options}, context=context, number=TaskNumber.OPTIMUM)


@takes("REPLICA_POTTS")
def potts(eigenvalues, projections, color_covariance, alphas, penalty: float, progress: Progress = None, context=None, **options):
    """(curve, loss of the teacher) of q-colour pseudo-likelihood with known V; color_covariance [q, q] is K of its fields."""
    arrays = {"eigenvalues": eigenvalues, "projections": projections, "color_covariance": color_covariance, "alphas": alphas}
    return run("REPLICA_POTTS", arrays, {"lambda": penalty, **options}, progress, context, number=TaskNumber.OPTIMUM)


@takes("REPLICA_POTTS_SIMULATION")
def simulate_potts(masked: Masked, color_covariance, alphas, penalty: float, progress: Progress = None, context=None, **options) -> Table:
    """The same drawn and learned: means over realisations and standard errors, by alpha."""
    arrays = {"covariance": masked.covariance, "weights": masked.weights, "color_covariance": color_covariance, "alphas": alphas}
    return run("REPLICA_POTTS_SIMULATION", arrays, {"lambda": penalty, **options}, progress, context)


@takes("REPLICA_SIMULATION")
def simulate(masked: Masked, alphas, penalty: float, progress: Progress = None, context=None, **options) -> Table:
    """Draw, learn, look: means over realisations and standard errors, by alpha."""
    arrays = {"covariance": masked.covariance, "weights": masked.weights, "alphas": alphas}
    return run("REPLICA_SIMULATION", arrays, {"noise": masked.noise, "lambda": penalty, **options}, progress, context)
