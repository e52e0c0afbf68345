# SPDX-License-Identifier: MIT
"""Learning curves of masked Gaussian modelling in theory, and simulated.

Curves are tables of columns by name with a row for each alpha. penalty is the library's lambda."""
from typing import TYPE_CHECKING, NamedTuple, Optional

import numpy as np

from . import _calls
from ._generated import TaskNumber
from ._handle import described, named
from ._options import takes
from ._properties import MaskedHandle
from .sampler import Progress
from .table import Table, run

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import (
        ReplicaConvexOptions,
        ReplicaLimitOptions,
        ReplicaPottsOptions,
        ReplicaPottsSimulationOptions,
        ReplicaSaddleOptions,
        ReplicaSimulationOptions,
        ReplicaSquareOptions,
    )


@described(eigenvalues="[p], rising.", projections="[p], squared.")
class Spectrum(NamedTuple):
    """What Masked.spectrum() gives."""
    eigenvalues: np.ndarray
    projections: np.ndarray


class Masked(MaskedHandle):
    """The problem of predicting a Gaussian value from others.

    Parameters
    ----------
    covariance : array_like, [p, p]
        S, of the others.
    weights : array_like, [p]
        The teacher's, w*.
    noise : float
        The variance of the value given the others.
    context : Context, optional
        That of the thread by default.
    """

    def __init__(self, covariance, weights, noise: float, context=None):
        self._owned = _calls.masked_create(context, covariance, weights, noise)

    def __reduce_ex__(self, protocol):
        return type(self), (self.covariance, self.weights, self.noise)

    def spectrum(self) -> Spectrum:
        """Give the eigenvalues of S and the projections of w* on its eigenvectors, squared.

        Returns
        -------
        Spectrum
        """
        return Spectrum(*_calls.masked_spectrum(self))


def goe_precision(sites: int, shift: float, seed: int = 1) -> np.ndarray:
    """Draw P = z I - J with a Gaussian orthogonal J.

    Parameters
    ----------
    sites : int
        L.
    shift : float
        z.
    seed : int
        The same seed gives the same matrix.

    Returns
    -------
    ndarray, [L, L]
    """
    return _calls.replica_goe(sites, shift, seed)


def mask_precision(precision, site: int = 0, context=None) -> Masked:
    """Make the problem of predicting a site of x ~ N(0, P^-1) from the others.

    Parameters
    ----------
    precision : array_like, [L, L]
        P.
    site : int
        From 0.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Masked
    """
    return Masked._adopt(_calls.masked_create_precision(context, precision, site))


@named(covariance="full")
def mask_covariance(covariance, site: int = 0, context=None) -> Masked:
    """Make the problem of predicting a site of x ~ N(0, S) from the others.

    Parameters
    ----------
    covariance : array_like, [L, L]
        S.
    site : int
        From 0.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Masked
    """
    return Masked._adopt(_calls.masked_create_covariance(context, covariance, site))


def spin_glass(beta: float, color_covariance, parameters: int = 1000, inputs: str = "cavity", context=None) -> Masked:
    """Make the problem of one site of a spin glass above its transition, in the limit of many sites.

    Parameters
    ----------
    beta : float
        The inverse temperature; twice that of an Ising model of labels +-1.
    color_covariance : array_like, [q, q]
        K of colours that do not differ; [[1/4, -1/4], [-1/4, 1/4]] of an Ising model.
    parameters : int
        p: each eigenvalue stands for an equal part of the spectrum.
    inputs : str
        "cavity": the others given the site; "normal": on the whole.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Masked
    """
    return Masked._adopt(_calls.masked_create_spin_glass(context, beta, color_covariance, parameters, inputs))


@described(masked="The problem of the mean site.", color_covariance="[q, q], K of its fields.")
class PottsInputs(NamedTuple):
    """What potts_inputs() gives."""
    masked: Masked
    color_covariance: np.ndarray


def potts_inputs(model, alignment, inputs: str = "normal", context=None) -> PottsInputs:
    """Make the problem that stands for all sites of a Potts model in the theory of potts(), from its sequences.

    Parameters
    ----------
    model : Model
        One head, without fields.
    alignment : Alignment
        Sequences of the model.
    inputs : str
        "normal", or "cavity": covariances given the colour of the masked site.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    PottsInputs
    """
    colors, handle = _calls.masked_create_potts(context, model, alignment, inputs)
    return PottsInputs(Masked._adopt(handle), colors)


def color_covariance(values) -> np.ndarray:
    """Give the covariance K of the fields of uniform colours.

    Parameters
    ----------
    values : array_like, [q, q]
        V.

    Returns
    -------
    ndarray, [q, q]
    """
    return _calls.replica_color_covariance(values)


@takes("REPLICA_SQUARE")
def square(eigenvalues, projections, noise: float, alphas=None, penalty: Optional[float] = None, targets=None, context=None,
           **options: "Unpack[ReplicaSquareOptions]") -> Table:
    """Give the learning curve of the square loss on a spectrum.

    Parameters
    ----------
    eigenvalues : array_like, [p]
        Of the covariance.
    projections : array_like, [p]
        Squared, of the teacher's weights on its eigenvectors.
    noise : float
        The variance of the value given the others.
    alphas : array_like, optional
        Samples per dimension.
    penalty : float, optional
        The library's lambda; 1e-8 by default.
    targets : array_like, optional
        In place of alphas: ratios of the test loss to the best possible one. Each row has the smallest alpha that reaches it.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        A row for each alpha or target.
    """
    arrays = {"eigenvalues": eigenvalues, "projections": projections, "alphas": alphas, "targets": targets}
    return run("REPLICA_SQUARE", arrays, {"noise": noise, "lambda": penalty, **options}, context=context)


@takes("REPLICA_SADDLE")
def square_saddle(eigenvalues, projections, noise: float, alphas=None, penalty: Optional[float] = None, targets=None, context=None,
                  **options: "Unpack[ReplicaSaddleOptions]") -> Table:
    """Give the learning curve of the square loss from the saddle-point equations.

    Parameters
    ----------
    eigenvalues : array_like, [p]
        Of the covariance.
    projections : array_like, [p]
        Squared, of the teacher's weights on its eigenvectors.
    noise : float
        The variance of the value given the others.
    alphas : array_like, optional
        Samples per dimension.
    penalty : float, optional
        The library's lambda; 1e-8 by default.
    targets : array_like, optional
        In place of alphas: ratios of the test loss to the best possible one. Each row has the smallest alpha that reaches it.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        A row for each alpha or target.
    """
    arrays = {"eigenvalues": eigenvalues, "projections": projections, "alphas": alphas, "targets": targets}
    return run("REPLICA_SADDLE", arrays, {"noise": noise, "lambda": penalty, **options}, context=context)


@takes("REPLICA_LIMIT", diagonal_shift="shift")
def limit(shift: float, alphas=None, penalty: Optional[float] = None, targets=None, context=None,
          **options: "Unpack[ReplicaLimitOptions]") -> Table:
    """Give the learning curve in the limit of many sites, P = z I - J.

    Parameters
    ----------
    shift : float
        z.
    alphas : array_like, optional
        Samples per dimension.
    penalty : float, optional
        The library's lambda; 1e-8 by default.
    targets : array_like, optional
        In place of alphas: ratios of the test loss to the best possible one. Each row has the smallest alpha that reaches it.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        A row for each alpha or target.
    """
    return run("REPLICA_LIMIT", {"alphas": alphas, "targets": targets}, {"diagonal_shift": shift, "lambda": penalty, **options}, context=context)


@takes("REPLICA_CONVEX")
def convex(eigenvalues, projections, alphas=None, penalty: Optional[float] = None, loss="logistic", targets=None, context=None,
           **options: "Unpack[ReplicaConvexOptions]"):
    """Give the learning curve of a convex loss: "square", "huber" or "logistic".

    Parameters
    ----------
    eigenvalues : array_like, [p]
        Of the covariance.
    projections : array_like, [p]
        Squared, of the teacher's weights on its eigenvectors.
    alphas : array_like, optional
        Samples per dimension.
    penalty : float, optional
        The library's lambda; 1e-8 by default.
    loss : str
        The loss.
    targets : array_like, optional
        In place of alphas: ratios of the test loss to the best possible one. Each row has the smallest alpha that reaches it.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    curve : Table
        A row for each alpha or target.
    optimum : float
        The loss of the teacher.
    """
    arrays = {"eigenvalues": eigenvalues, "projections": projections, "alphas": alphas, "targets": targets}
    return run("REPLICA_CONVEX", arrays, {"lambda": penalty, "loss": loss, **options}, context=context, number=TaskNumber.OPTIMUM)


@takes("REPLICA_POTTS")
def potts(eigenvalues, projections, color_covariance, alphas=None, penalty: Optional[float] = None, targets=None, progress: Progress = None,
          context=None, **options: "Unpack[ReplicaPottsOptions]"):
    """Give the learning curve of q-colour pseudo-likelihood with known V.

    Parameters
    ----------
    eigenvalues : array_like, [p]
        Of the covariance.
    projections : array_like, [p]
        Squared, of the teacher's weights on its eigenvectors.
    color_covariance : array_like, [q, q]
        K of the fields.
    alphas : array_like, optional
        Samples per dimension.
    penalty : float, optional
        The library's lambda; 1e-8 by default.
    targets : array_like, optional
        In place of alphas: ratios of the test loss to the best possible one. Each row has the smallest alpha that reaches it.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    curve : Table
        A row for each alpha or target.
    optimum : float
        The loss of the teacher.
    """
    arrays = {"eigenvalues": eigenvalues, "projections": projections, "color_covariance": color_covariance, "alphas": alphas,
              "targets": targets}
    return run("REPLICA_POTTS", arrays, {"lambda": penalty, **options}, progress, context, number=TaskNumber.OPTIMUM)


@takes("REPLICA_POTTS_SIMULATION")
def simulate_potts(masked: Masked, color_covariance, alphas, penalty: float, progress: Progress = None, context=None,
                   **options: "Unpack[ReplicaPottsSimulationOptions]") -> Table:
    """Draw and learn what potts() has the theory of.

    Parameters
    ----------
    masked : Masked
        The problem.
    color_covariance : array_like, [q, q]
        K of the fields.
    alphas : array_like
        Samples per dimension.
    penalty : float
        The library's lambda.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        Means over realisations and standard errors, a row for each alpha.
    """
    arrays = {"covariance": masked.covariance, "weights": masked.weights, "color_covariance": color_covariance, "alphas": alphas}
    return run("REPLICA_POTTS_SIMULATION", arrays, {"lambda": penalty, **options}, progress, context)


@takes("REPLICA_SIMULATION")
def simulate(masked: Masked, alphas, penalty: float, progress: Progress = None, context=None,
             **options: "Unpack[ReplicaSimulationOptions]") -> Table:
    """Draw and learn what square() and convex() have the theory of.

    Parameters
    ----------
    masked : Masked
        The problem.
    alphas : array_like
        Samples per dimension.
    penalty : float
        The library's lambda.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        Means over realisations and standard errors, a row for each alpha.
    """
    arrays = {"covariance": masked.covariance, "weights": masked.weights, "alphas": alphas}
    return run("REPLICA_SIMULATION", arrays, {"noise": masked.noise, "lambda": penalty, **options}, progress, context)
