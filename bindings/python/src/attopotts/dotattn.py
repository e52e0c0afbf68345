# SPDX-License-Identifier: MIT
"""Dot-product attention with a positional and a semantic solution, in theory and simulated.

What is not given is that of H. Cui et al. (2024), arXiv:2402.03902: two tokens of code (1, -1), teacher ((0.6, 0.4), (0.4, 0.6)),
omega 0.3, sigma 0.5, penalty (lambda) 0.01, students of rank one. `code` has a row for every token, [L] or [L, columns]; `teacher` is
A, [L, L]. Results are tables: columns by name, and the outcome. curve(), transition() and linear() are for two tokens, by quadrature;
tokens() is for any number of them; simulate() draws data. dynamics() and trajectories() have overlaps against time.
"""
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _calls
from ._handle import described
from ._options import takes
from .sampler import Progress
from .table import Table, run

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import DotattnCurveOptions, DotattnDynamicsOptions, DotattnSimulationOptions, DotattnTokensOptions, DotattnTrajectoryOptions, DotattnTransitionOptions

TEACHER = ((0.6, 0.4), (0.4, 0.6))


@described(map="W, [2, 2].", loss="The generalisation loss.")
class Linear(NamedTuple):
    """What linear() gives."""
    map: np.ndarray
    loss: float


@takes("DOTATTN_CURVE")
def curve(alphas, *, teacher=None, progress: Progress = None, context=None, **options: "Unpack[DotattnCurveOptions]") -> Table:
    """Follow a branch of the state evolution of two tokens.

    Parameters
    ----------
    alphas : array_like
        Samples per dimension.
    teacher : array_like, [L, L], optional
        A.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        A row for each alpha.
    """
    return run("DOTATTN_CURVE", {"alphas": alphas, "teacher": teacher}, options, progress, context)


@takes("DOTATTN_TRANSITION")
def transition(omegas, *, teacher=None, progress: Progress = None, context=None, **options: "Unpack[DotattnTransitionOptions]") -> Table:
    """Find where the semantic branch gets the smaller training loss.

    Parameters
    ----------
    omegas : array_like
        Weights of the positional part in the teacher.
    teacher : array_like, [L, L], optional
        A.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        By omega: where the semantic branch gets the smaller training loss (alpha_c), where the branch that has it beats the linear map
        (alpha_linear), and where the branches begin and end; NaN where there is no such alpha up to 30.
    """
    return run("DOTATTN_TRANSITION", {"omegas": omegas, "teacher": teacher}, options, progress, context)


def linear(*, omega: float = 0.3, sigma: float = 0.5, teacher=TEACHER) -> Linear:
    """Give the best linear map of positions and its generalisation loss.

    Parameters
    ----------
    omega : float
        The weight of the positional part in the teacher.
    sigma : float
        The standard deviation of the tokens.
    teacher : array_like, [2, 2]
        A.

    Returns
    -------
    Linear
    """
    return Linear(*_calls.dotattn_linear(teacher, omega, sigma, np.empty((2, 2))))


@takes("DOTATTN_SIMULATION")
def simulate(alphas, *, code=None, teacher=None, progress: Progress = None, context=None,
             **options: "Unpack[DotattnSimulationOptions]") -> Table:
    """Draw data and descend.

    The optimizer "sgd" is gradient descent; a rate of 0 is that of the optimizer.

    Parameters
    ----------
    alphas : array_like
        Samples per dimension.
    code : array_like, [L] or [L, columns], optional
        A row for every token.
    teacher : array_like, [L, L], optional
        A.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        Means over runs and standard errors, a row for each alpha.
    """
    return run("DOTATTN_SIMULATION", {"alphas": alphas, "teacher": teacher, "code": code}, options, progress, context)


@takes("DOTATTN_TOKENS", start="solution")
def tokens(alphas, *, code=None, teacher=None, progress: Progress = None, context=None, **options: "Unpack[DotattnTokensOptions]") -> Table:
    """Give the theory for any number of tokens, codes and students of rank two.

    The solution is "semantic" (m = 0), "positional" (theta = 0) or "mixed".

    Parameters
    ----------
    alphas : array_like
        Samples per dimension.
    code : array_like, [L] or [L, columns], optional
        A row for every token.
    teacher : array_like, [L, L], optional
        A.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        A row for each alpha, with standard errors of randomised lattices.
    """
    return run("DOTATTN_TOKENS", {"alphas": alphas, "teacher": teacher, "code": code}, options, progress, context)


@takes("DOTATTN_DYNAMICS")
def dynamics(times, *, code=None, teacher=None, progress: Progress = None, context=None,
             **options: "Unpack[DotattnDynamicsOptions]") -> Table:
    """Give the overlaps of online descent in the limit of many dimensions.

    Parameters
    ----------
    times : array_like
        Samples per dimension.
    code : array_like, [L] or [L, columns], optional
        A row for every token.
    teacher : array_like, [L, L], optional
        A.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        A row for each time.
    """
    return run("DOTATTN_DYNAMICS", {"times": times, "teacher": teacher, "code": code}, options, progress, context)


@takes("DOTATTN_TRAJECTORY")
def trajectories(times, *, code=None, teacher=None, progress: Progress = None, context=None,
                 **options: "Unpack[DotattnTrajectoryOptions]") -> Table:
    """Draw data and descend: overlaps with a fresh sample in each step (alpha 0) or with all in each.

    Parameters
    ----------
    times : array_like
        Samples per dimension.
    code : array_like, [L] or [L, columns], optional
        A row for every token.
    teacher : array_like, [L, L], optional
        A.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        A row for each run and time.
    """
    return run("DOTATTN_TRAJECTORY", {"times": times, "teacher": teacher, "code": code}, options, progress, context)
