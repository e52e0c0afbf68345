# SPDX-License-Identifier: MIT
"""Learning curves of masked Gaussian modelling in theory, and simulated."""
import ctypes
from typing import NamedTuple

import numpy as np

from ._generated import REPLICA_COLUMNS, REPLICA_SIM_COLUMNS, ReplicaColumn, ReplicaLoss, ReplicaSimColumn
from ._handle import member, reals, run
from ._library import check, lib, outcome_name
from .context import default_context
from .sampler import Progress


class Masked(NamedTuple):
    covariance: np.ndarray  # S of the inputs, [p, p]
    teacher: np.ndarray  # w*, [p]
    noise: float


class Spectrum(NamedTuple):
    eigenvalues: np.ndarray  # [p]
    projections: np.ndarray  # [p]


class Curve(dict):
    """Columns by name, each [alphas]; `outcome` is "converged" or that of the first row that is not."""

    outcome = None


def _curve(rows, columns, outcome):
    curve = Curve({column.name.lower(): rows[:, column].copy() for column in columns})
    curve.outcome = outcome_name(outcome.value)
    return curve


def _square_matrix(matrix, name):
    matrix = reals(matrix, name)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} has shape {matrix.shape}, expected a square matrix")
    return matrix


def goe_precision(sites: int, shift: float, seed: int = 1) -> np.ndarray:
    """P = z I - J with a Gaussian orthogonal J, [L, L]."""
    out = np.empty((sites, sites))
    check(lib.atp_replica_goe(sites, shift, seed, out.ctypes.data, out.size))
    return out


def _mask(function, matrix, site, name):
    matrix = _square_matrix(matrix, name)
    sites = matrix.shape[0]
    size = ctypes.c_int64()
    check(lib.atp_replica_mask_workspace(sites, ctypes.addressof(size)))
    work = np.empty(size.value)
    covariance, teacher, noise = np.empty((sites - 1, sites - 1)), np.empty(sites - 1), ctypes.c_double()
    check(function(matrix.ctypes.data, sites, site, covariance.ctypes.data, covariance.size, teacher.ctypes.data, teacher.size,
                   ctypes.addressof(noise), work.ctypes.data, work.size))
    return Masked(covariance, teacher, noise.value)


def mask_precision(precision, site: int = 0) -> Masked:
    """The problem of predicting a site of x ~ N(0, P^-1) from the others."""
    return _mask(lib.atp_replica_mask_precision, precision, site, "precision")


def mask_covariance(covariance, site: int = 0) -> Masked:
    """The same from a covariance."""
    return _mask(lib.atp_replica_mask_covariance, covariance, site, "covariance")


def spectrum(covariance, teacher) -> Spectrum:
    """Eigenvalues of S and the projections of w* on its eigenvectors, squared."""
    covariance = _square_matrix(covariance, "covariance")
    p = covariance.shape[0]
    teacher = reals(teacher, "teacher", (p,))
    size = ctypes.c_int64()
    check(lib.atp_replica_spectrum_workspace(p, ctypes.addressof(size)))
    work = np.empty(size.value)
    eigenvalues, projections = np.empty(p), np.empty(p)
    check(lib.atp_replica_spectrum(covariance.ctypes.data, covariance.size, teacher.ctypes.data, p, eigenvalues.ctypes.data,
                                   projections.ctypes.data, p, work.ctypes.data, work.size))
    return Spectrum(eigenvalues, projections)


def _alphas(alphas):
    return np.atleast_1d(reals(alphas, "alphas"))


def square(eigenvalues, projections, noise: float, alphas, penalty: float, temperature: float = 0.0) -> Curve:
    """The learning curve of the square loss on a spectrum; penalty is lambda."""
    s, t, alphas = reals(eigenvalues, "eigenvalues"), reals(projections, "projections"), _alphas(alphas)
    rows, outcome = np.empty((alphas.size, REPLICA_COLUMNS)), ctypes.c_int()
    check(lib.atp_replica_square(s.ctypes.data, s.size, t.ctypes.data, t.size, noise, alphas.ctypes.data, alphas.size, penalty, temperature,
                                 rows.ctypes.data, rows.size, ctypes.addressof(outcome)))
    return _curve(rows, ReplicaColumn, outcome)


def square_saddle(eigenvalues, projections, noise: float, alphas, penalty: float, temperature: float = 0.0,
                  max_iter: int = 1000) -> Curve:
    """The same from the saddle-point equations."""
    s, t, alphas = reals(eigenvalues, "eigenvalues"), reals(projections, "projections"), _alphas(alphas)
    rows, outcome = np.empty((alphas.size, REPLICA_COLUMNS)), ctypes.c_int()
    check(lib.atp_replica_square_saddle(s.ctypes.data, s.size, t.ctypes.data, t.size, noise, alphas.ctypes.data, alphas.size, penalty,
                                        temperature, max_iter, rows.ctypes.data, rows.size, ctypes.addressof(outcome)))
    return _curve(rows, ReplicaColumn, outcome)


def limit(shift: float, alphas, penalty: float, temperature: float = 0.0) -> Curve:
    """The curve in the limit of many sites, P = z I - J."""
    alphas = _alphas(alphas)
    rows, outcome = np.empty((alphas.size, REPLICA_COLUMNS)), ctypes.c_int()
    check(lib.atp_replica_limit(shift, alphas.ctypes.data, alphas.size, penalty, temperature, rows.ctypes.data, rows.size,
                                ctypes.addressof(outcome)))
    return _curve(rows, ReplicaColumn, outcome)


def convex(eigenvalues, projections, alphas, penalty: float, loss="logistic", noise: float = 0.0, delta: float = 1.0,
           max_iter: int = 1000):
    """(curve, loss of the teacher) of "square", "huber" or "logistic"."""
    s, t, alphas = reals(eigenvalues, "eigenvalues"), reals(projections, "projections"), _alphas(alphas)
    size = ctypes.c_int64()
    check(lib.atp_replica_convex_workspace(ctypes.addressof(size)))
    work = np.empty(size.value)
    rows, optimum, outcome = np.empty((alphas.size, REPLICA_COLUMNS)), ctypes.c_double(), ctypes.c_int()
    check(lib.atp_replica_convex(s.ctypes.data, s.size, t.ctypes.data, t.size, noise, member(ReplicaLoss, loss, "loss"), delta,
                                 alphas.ctypes.data, alphas.size, penalty, max_iter, work.ctypes.data, work.size, rows.ctypes.data, rows.size,
                                 ctypes.addressof(optimum), ctypes.addressof(outcome)))
    return _curve(rows, ReplicaColumn, outcome), optimum.value


def simulate(masked: Masked, alphas, penalty: float, realisations: int, seed: int = 1, progress: Progress = None, context=None) -> Curve:
    """Draw, learn, look: means over realisations and standard errors, by alpha."""
    context = context or default_context()
    covariance, alphas = _square_matrix(masked.covariance, "covariance"), _alphas(alphas)
    teacher = reals(masked.teacher, "teacher")
    rows, outcome = np.empty((alphas.size, REPLICA_SIM_COLUMNS)), ctypes.c_int()
    run(lambda callback, user: lib.atp_replica_simulate(context._address, covariance.ctypes.data, covariance.size, teacher.ctypes.data,
                                                  teacher.size, masked.noise, alphas.ctypes.data, alphas.size, penalty, realisations, seed,
                                                  callback, user, rows.ctypes.data, rows.size, ctypes.addressof(outcome)), progress)
    return _curve(rows, ReplicaSimColumn, outcome)
