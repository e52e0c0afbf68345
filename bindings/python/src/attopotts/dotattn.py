# SPDX-License-Identifier: MIT
"""Dot-product attention with a positional and a semantic solution, in theory and simulated.

What is not given is that of H. Cui et al. (2024), arXiv:2402.03902: two tokens of code (1, -1), teacher ((0.6, 0.4), (0.4, 0.6)),
omega 0.3, sigma 0.5, penalty (lambda) 0.01, students of rank one. `code` has a row for every token, [L] or [L, columns]; `teacher` is
A, [L, L]. Results are curves as in attopotts.replica: columns by name, and the outcome. curve(), transition() and linear() are for two
tokens, by quadrature; tokens() is for any number of them; simulate() draws data."""
import ctypes
from typing import NamedTuple

import numpy as np

from ._generated import (
    DOTATTN_COLUMNS,
    DOTATTN_SIM_COLUMNS,
    DOTATTN_TOKENS_COLUMNS,
    DOTATTN_TRANSITION_COLUMNS,
    DotattnBranch,
    DotattnColumn,
    DotattnSimColumn,
    DotattnStart,
    DotattnTokensColumn,
    DotattnTransitionColumn,
    Optimizer,
)
from ._handle import member, reals, run
from ._library import check, lib
from .context import default_context
from .replica import Curve, _alphas, _curve
from .sampler import Progress

CODE = (1.0, -1.0)
TEACHER = ((0.6, 0.4), (0.4, 0.6))


class Linear(NamedTuple):
    map: np.ndarray  # W, [2, 2]
    loss: float  # generalisation loss


def _task(code, teacher):
    code = reals(code, "code")
    if code.ndim == 1:
        code = code[:, None]
    if code.ndim != 2:
        raise ValueError(f"code has shape {code.shape}, expected (L,) or (L, columns)")
    return code, reals(teacher, "teacher", (len(code), len(code)))


def curve(alphas, *, branch="semantic", omega: float = 0.3, sigma: float = 0.5, penalty: float = 0.01, teacher=TEACHER,
          accuracy: float = 1e-3, max_iter: int = 10000, progress: Progress = None, context=None) -> Curve:
    """A branch of the state evolution of two tokens: "semantic", "positional" or "uninformed"."""
    context = context or default_context()
    alphas, teacher, branch = _alphas(alphas), reals(teacher, "teacher", (2, 2)), member(DotattnBranch, branch, "branch")
    rows, outcome = np.empty((alphas.size, DOTATTN_COLUMNS)), ctypes.c_int()
    run(lambda callback, user: lib.atp_dotattn_curve(
        context._address, teacher.ctypes.data, teacher.size, omega, sigma, penalty, branch, alphas.ctypes.data, alphas.size, accuracy,
        max_iter, callback, user, rows.ctypes.data, rows.size, ctypes.addressof(outcome)), progress)
    return _curve(rows, DotattnColumn, outcome)


def transition(omegas, *, sigma: float = 0.5, penalty: float = 0.01, teacher=TEACHER, accuracy: float = 1e-3, max_iter: int = 100000,
               progress: Progress = None, context=None) -> Curve:
    """Where the semantic branch gets the smaller training loss (alpha_c), where the branch that has it beats the linear map
    (alpha_linear), and where the branches begin and end, by omega; NaN where there is no such alpha up to 30."""
    context = context or default_context()
    omegas, teacher = np.atleast_1d(reals(omegas, "omegas")), reals(teacher, "teacher", (2, 2))
    rows, outcome = np.empty((omegas.size, DOTATTN_TRANSITION_COLUMNS)), ctypes.c_int()
    run(lambda callback, user: lib.atp_dotattn_transition(
        context._address, teacher.ctypes.data, teacher.size, sigma, penalty, omegas.ctypes.data, omegas.size, accuracy, max_iter, callback,
        user, rows.ctypes.data, rows.size, ctypes.addressof(outcome)), progress)
    return _curve(rows, DotattnTransitionColumn, outcome)


def linear(*, omega: float = 0.3, sigma: float = 0.5, teacher=TEACHER) -> Linear:
    """The best linear map of positions and its generalisation loss."""
    teacher, out, loss = reals(teacher, "teacher", (2, 2)), np.empty((2, 2)), ctypes.c_double()
    check(lib.atp_dotattn_linear(teacher.ctypes.data, teacher.size, omega, sigma, out.ctypes.data, out.size, ctypes.addressof(loss)))
    return Linear(out, loss.value)


def simulate(alphas, *, dimension: int = 1000, code=CODE, teacher=TEACHER, omega: float = 0.3, sigma: float = 0.5, penalty: float = 0.01,
             rank: int = 1, start="semantic", optimizer="lbfgs", steps: int = 5000, rate: float = 0.0, tolerance: float = 1e-5,
             fresh: int = 1000, runs: int = 10, seed: int = 1, progress: Progress = None, context=None) -> Curve:
    """Draw data, descend, look: means over runs and standard errors, by alpha. start: "semantic", "positional", "random" or "mixed";
    optimizer: "lbfgs", "sgd" (gradient descent) or "adam"; rate 0 is that of the optimizer."""
    context = context or default_context()
    alphas, (code, teacher) = _alphas(alphas), _task(code, teacher)
    start, optimizer = member(DotattnStart, start, "start"), member(Optimizer, optimizer, "optimizer")
    rows, outcome = np.empty((alphas.size, DOTATTN_SIM_COLUMNS)), ctypes.c_int()
    run(lambda callback, user: lib.atp_dotattn_simulate(
        context._address, dimension, code.shape[0], code.ctypes.data, code.shape[1], code.size, rank, teacher.ctypes.data, teacher.size,
        omega, sigma, penalty, alphas.ctypes.data, alphas.size, start, optimizer, steps, rate, tolerance, fresh, runs, seed, callback, user,
        rows.ctypes.data, rows.size, ctypes.addressof(outcome)), progress)
    return _curve(rows, DotattnSimColumn, outcome)


def tokens(alphas, *, code=CODE, teacher=TEACHER, omega: float = 0.3, sigma: float = 0.5, penalty: float = 0.01, rank: int = 1,
           solution="semantic", points: int = 4096, shifts: int = 8, seed: int = 1, tolerance: float = 1e-8, max_iter: int = 500,
           progress: Progress = None, context=None) -> Curve:
    """Theory for any number of tokens, codes and students of rank two, with standard errors of randomised lattices. solution:
    "semantic" (m = 0), "positional" (theta = 0) or "mixed"."""
    context = context or default_context()
    alphas, (code, teacher) = _alphas(alphas), _task(code, teacher)
    solution = member(DotattnStart, solution, "solution")
    rows, outcome = np.empty((alphas.size, DOTATTN_TOKENS_COLUMNS)), ctypes.c_int()
    run(lambda callback, user: lib.atp_dotattn_tokens(
        context._address, code.shape[0], code.ctypes.data, code.shape[1], code.size, rank, teacher.ctypes.data, teacher.size, omega, sigma,
        penalty, alphas.ctypes.data, alphas.size, solution, points, shifts, seed, tolerance, max_iter, callback, user, rows.ctypes.data,
        rows.size, ctypes.addressof(outcome)), progress)
    return _curve(rows, DotattnTokensColumn, outcome)
