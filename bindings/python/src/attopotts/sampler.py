# SPDX-License-Identifier: MIT
"""Gibbs sampling and replica exchange."""
from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Tuple

import numpy as np

from . import _calls
from ._generated import PartitionMethod
from ._handle import Handle, array_of, described, integer_of, named, writable
from ._library import lib, outcome_name
from ._options import takes
from ._properties import SamplerHandle, SamplingHandle
from .alignment import Alignment
from .table import Table, new_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._keywords import PartitionOptions, SamplerOptions, SamplingOptions, TuningOptions

Progress = Optional[Callable[[dict], object]]


@described(sequences="uint8 [n, L].", energies="[n], or None where they were not asked for.",
           outcome='"done", which says nothing about equilibrium, or "cancelled" with fewer sequences.')
class Samples(NamedTuple):
    """What Sampler.sample() gives."""
    sequences: np.ndarray
    energies: Optional[np.ndarray]
    outcome: str


@described(beta="The inverse temperature.", beta_error="Its standard error.", hamming="The mean distance there, a fraction of the sites.",
           hamming_error="Its standard error.", outcome='"converged", "max_iter" or "cancelled".')
class Tuned(NamedTuple):
    """What tune_beta() gives."""
    beta: float
    beta_error: float
    hamming: float
    hamming_error: float
    outcome: str


@described(method='"exact", "annealing" or "ladder".', beta="The inverse temperature of the model.", log_z="log Z, in nats.",
           log_z_error="Its standard error; 0 of exact sums.", energy="The mean energy, without beta.", energy_error="Its standard error.",
           entropy="log Z + beta times the mean energy, in nats.", entropy_error="Its standard error.",
           effective="What annealed chains are worth by their weights; the number of ladders; 0 of exact sums.",
           rhat="The largest R-hat of the energy on a ladder; otherwise 0.",
           distributions="From the start to the model, both included; 0 of exact sums.",
           profile="Whether annealing started from the frequencies of the sites.",
           outcome='"converged", "max_iter" (do not rely on the errors) or "cancelled" (the numbers are NaN).')
class Partition(NamedTuple):
    """What estimate_log_z() gives."""
    method: str
    beta: float
    log_z: float
    log_z_error: float
    energy: float
    energy_error: float
    entropy: float
    entropy_error: float
    effective: float
    rhat: float
    distributions: int
    profile: bool
    outcome: str


def mask_of(allowed):
    """Allowed colours as numbers."""
    return None if allowed is None else np.asarray(allowed) * np.uint8(1)


def _own(value):
    """A handle or an array that others do not close or change."""
    return value._adopt(value._open) if isinstance(value, Handle) else value.copy() if isinstance(value, np.ndarray) else value


def _recorded(name, method):
    """A method that remembers what it was given last, for those that are made again."""
    @functools.wraps(method)
    def call(self, *arguments, **by_name):
        method(self, *arguments, **by_name)
        self._later.pop(name, None)
        self._later[name] = [_own(x) for x in arguments], {key: _own(x) for key, x in by_name.items()}
    return call


class StateOfRun(Handle):
    """Saving, loading, copying and pickling of what runs.

    Its C functions have the same names but for their beginning, `_kind`. A copy is made as its original was, of copies of the same data,
    and loads its state: it goes on with the same numbers.
    """

    _changes: Any = ()  # the methods that change what it is made of
    _given: Any = None
    _later: Any = None

    def __init_subclass__(cls):
        for name in cls._changes:
            setattr(cls, name, _recorded(name, getattr(cls, name)))

    @classmethod
    def _function(cls, name):
        return getattr(_calls, f"{cls._kind}_{name}")

    def _made_of(self, *arguments, **options):
        """What __init__() was given; later calls of methods that change it add their arguments, in their order."""
        self._given = [_own(x) for x in arguments], {name: _own(x) for name, x in options.items()}
        self._later = {}

    def close(self):
        self._given = self._later = None
        super().close()

    close.__doc__ = Handle.close.__doc__

    def __reduce_ex__(self, protocol):
        return _gone_on, (type(self), self.save_state(), *self._given, self._later)

    def __copy__(self):
        return _gone_on(type(self), self.save_state(), *self._given, self._later, self._context())

    def __deepcopy__(self, memo):
        return _gone_on(type(self), self.save_state(), *copy.deepcopy((*self._given, self._later), memo), self._context())

    def save_state(self) -> bytes:
        """Give the state: one of the same data and options that loads it goes on with the same numbers.

        Returns
        -------
        bytes
        """
        size = getattr(lib, f"atp_{self._kind}_state_bytes")(self._open)
        return self._function("save_state")(self, np.empty(size, dtype=np.uint8)).tobytes()

    @named(state="buffer")
    def load_state(self, state: bytes):
        """Go on from what save_state() gave.

        Parameters
        ----------
        state : bytes
            Of one of the same data and options.
        """
        self._function("load_state")(self, state)


def _gone_on(kind, state, arguments, options, later, context=None):
    """One that is made in the same way, with the state."""
    self = kind(*arguments, context=context, **options)
    for name, (given, by_name) in later.items():
        getattr(self, name)(*given, **by_name)
    self.load_state(state)
    return self


class Sampler(StateOfRun, SamplerHandle):
    """Cyclic Gibbs sweeps of many chains.

    Ctrl-C stops a running call between blocks of sweeps; the state stays consistent and the next call goes on. beta 0 is the model's own,
    beta_hot 0 a tenth of it.

    Parameters
    ----------
    model : Model
        What is sampled; it is kept.
    context : Context, optional
        That of the thread by default.
    """

    _changes = ("restrict",)

    @takes("sampler")
    def __init__(self, model, context=None, **values: "Unpack[SamplerOptions]"):
        self._owned = _calls.sampler_create(context, model, values)
        self._made_of(model, **values)

    @staticmethod
    @takes("sampler")
    def bytes(model, **values: "Unpack[SamplerOptions]") -> int:
        """Give the bytes that creation will allocate.

        Parameters
        ----------
        model : Model
            What will be sampled.

        Returns
        -------
        int
        """
        return _calls.sampler_bytes(None, model, values)

    def start(self, sequences=None):
        """Start again.

        Parameters
        ----------
        sequences : array_like of int, [n, L], optional
            Where chains begin; from random colours by default.
        """
        if sequences is None:
            _calls.sampler_start_random(self)
        else:
            _calls.sampler_start_from(self, sequences)

    def restrict(self, allowed=None):
        """Restrict sites to some colours, and start again from random ones.

        Parameters
        ----------
        allowed : array_like of bool or int, [L, q], optional
            1 for an allowed colour; all by default.
        """
        _calls.sampler_restrict(self, mask_of(allowed))

    @named(count="sweeps")
    def sweep(self, count: int, progress: Progress = None) -> str:
        """Make sweeps of all chains.

        Parameters
        ----------
        count : int
            How many.
        progress : callable, optional
            Called with a dict of numbers; a true answer stops the run.

        Returns
        -------
        str
            "done", which says nothing about equilibrium, or "cancelled".
        """
        return _calls.sampler_sweep(self, count, progress)

    def sample(self, count: int, thin: int = 1, energies: bool = False, out: Optional[np.ndarray] = None, progress: Progress = None) -> Samples:
        """Draw sequences.

        Parameters
        ----------
        count : int
            How many.
        thin : int
            Sweeps before each, of every chain.
        energies : bool
            Give their energies, too.
        out : ndarray of uint8, [count, L], optional
            In C order; what to write to.
        progress : callable, optional
            Called with a dict of numbers; a true answer stops the run.

        Returns
        -------
        Samples
        """
        shape = integer_of(count, "count", 1), self.sites
        out = np.empty(shape, dtype=np.uint8) if out is None else writable(out, "out", np.uint8, shape)
        kept = self._adopt(self._open)  # whatever the callback closes
        _, outcome = _calls.sampler_sample(kept, thin, out, progress)
        drawn = out[:kept.drawn]
        return Samples(drawn, _calls.sampler_sequence_energies(kept, drawn) if energies and len(drawn) else None, outcome)

    def measure(self, reads: int, thin: int = 1, reference=None, progress: Progress = None) -> Tuple[Table, Table]:
        """Measure thermodynamics at all rungs of the ladder; sweep() makes the burn-in before.

        Parameters
        ----------
        reads : int
            Read-outs of each chain, at least 16.
        thin : int
            Sweeps before each.
        reference : array_like of int, [L], optional
            The sequence of the columns `reference`; none by default.
        progress : callable, optional
            Called with a dict of numbers; a true answer stops the run.

        Returns
        -------
        rungs : Table
            A row for each beta: energy, specific heat, magnetisation, overlaps, R-hat, log Z and others, with errors.
        overlaps : Table
            The distribution of overlaps of two chains on each rung.
        """
        width = 1 + self.sites // 128
        rungs = new_rows(None, "rungs", self.temperatures)
        overlaps = new_rows(None, "overlaps", self.temperatures * ((self.sites + width) // width))
        _calls.sampler_set_reference(self, reference)
        _calls.sampler_measure(self, reads, thin, rungs, overlaps, progress)
        return Table(rungs), Table(overlaps)

    def states(self, rung: Optional[int] = None) -> np.ndarray:
        """Give the present states of the chains.

        Parameters
        ----------
        rung : int, optional
            Of the ladder; the target by default.

        Returns
        -------
        ndarray of uint8, [chains, L]
        """
        return _calls.sampler_states(self, self.temperatures - 1 if rung is None else rung)

    def energies(self, rung: Optional[int] = None) -> np.ndarray:
        """Give H(s) without beta of the present states.

        Parameters
        ----------
        rung : int, optional
            Of the ladder; the target by default.

        Returns
        -------
        ndarray, [chains]
        """
        return _calls.sampler_energies(self, self.temperatures - 1 if rung is None else rung)


@described(alignment="The sequences; None of a cancelled run.",
           numbers="By name: hamming, tau, rhat, burn_in, thin, ..., see attopotts/sampler.h.",
           difference='What the last test found different between the two runs; "" if they agree.',
           outcome='"converged" (the two runs agree), "max_iter" (they do not), "done" (protocol "chain", not tested) or "cancelled".')
class Sampled(NamedTuple):
    """What sample_equilibrium() gives."""
    alignment: Optional[Alignment]
    numbers: dict
    difference: str
    outcome: str


class Sampling(StateOfRun, SamplingHandle):
    """The run behind sample_equilibrium().

    After Ctrl-C, or with a state that it loads, run() goes on where it stopped.

    Parameters
    ----------
    model : Model
        What is sampled; it is kept.
    count : int
        How many sequences.
    context : Context, optional
        That of the thread by default.
    """

    _changes = "restrict", "start"

    @takes("sampling")
    @named(count="n")
    def __init__(self, model, count: int, context=None, **values: "Unpack[SamplingOptions]"):
        self._owned = _calls.sampling_create(context, model, values, count)
        self._made_of(model, count, **values)

    def restrict(self, allowed=None):
        """Restrict sites to some colours; before start() and run().

        Parameters
        ----------
        allowed : array_like of bool or int, [L, q], optional
            1 for an allowed colour; all by default.
        """
        _calls.sampling_restrict(self, mask_of(allowed))

    def start(self, sequences):
        """Set where chains start, before run(); max_mutations and kept_color count from there.

        Parameters
        ----------
        sequences : array_like of int, [n, L]
            For the chains in turn; one of protocol "equilibrium".
        """
        _calls.sampling_start_from(self, sequences)

    def trajectory(self) -> Table:
        """Give the walks of the chains, a row for each sequence of the finished run.

        Returns
        -------
        Table
        """
        rows = new_rows(None, "trajectory", self.count)
        _calls.sampling_trajectory(self, rows)
        return Table(rows)

    def forgetting(self, independent) -> Table:
        """Give overlaps with the starts from sweep to sweep, and the time after which they are forgotten.

        Parameters
        ----------
        independent : array_like of int, [n, L]
            Sequences that do not depend on the starts, as of sample_equilibrium().

        Returns
        -------
        Table
        """
        rows = new_rows(None, "forgetting", self.count)
        _calls.sampling_forgetting(self, independent, rows)
        return Table(rows)

    def run(self, progress: Progress = None) -> Sampled:
        """Go on to the end of the protocol.

        Parameters
        ----------
        progress : callable, optional
            Called with a dict of numbers; a true answer stops the run.

        Returns
        -------
        Sampled
        """
        kept = self._adopt(self._open)  # whatever the callback closes
        outcome = _calls.sampling_run(kept, progress)
        if outcome == "cancelled":
            return Sampled(None, {}, "", outcome)
        rows = new_rows(None, "sampling", 1)
        _calls.sampling_report(kept, rows)
        numbers = {name: float(column[0]) for name, column in Table(rows).items() if name != "outcome"}
        return Sampled(Alignment._adopt(_calls.sampling_alignment(kept)), numbers, kept.difference, outcome)


@takes("sampling")
def sample_equilibrium(model, count: int, progress: Progress = None, context=None, **values: "Unpack[SamplingOptions]") -> Sampled:
    """Draw sequences in equilibrium, by replica exchange.

    The run finds its ladder, burn-in and thinning and tests whether two runs from opposite starts agree; a warning tells if they do not.
    chains: ladders, 64 unless given. protocol "chain": chains at one temperature, 1 unless given, no tests.

    Parameters
    ----------
    model : Model
        What is sampled.
    count : int
        How many sequences.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Sampled
    """
    return Sampling(model, count, context, **values).run(progress)


@takes("tuning")
def tune_beta(model, target: float, progress: Progress = None, context=None, **values: "Unpack[TuningOptions]") -> Tuned:
    """Find the beta at which equilibrium samples differ on average at a fraction of the sites.

    Parameters
    ----------
    model : Model
        What is sampled.
    target : float
        The fraction.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Tuned
    """
    rows = new_rows(context, "tuning", 1)
    _calls.tune_beta(context, model, values, target, rows, progress)
    beta, beta_error, hamming, hamming_error, outcome = _calls.table_values(rows)[0].tolist()
    return Tuned(beta, beta_error, hamming, hamming_error, outcome_name(outcome))


@takes("partition")
def estimate_log_z(model, progress: Progress = None, context=None, **values: "Unpack[PartitionOptions]") -> Partition:
    """Estimate log Z, the mean energy and the entropy of a model; log P(s) is then -beta H(s) - log Z.

    Parameters
    ----------
    model : Model
        The model; couplings count by their symmetric part, as in energies.
    progress : callable, optional
        Called with a dict of numbers; a true answer stops the run.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Partition
    """
    rows = new_rows(context, "partition", 1)
    _calls.estimate_log_z(context, model, values, rows, progress)
    method, *numbers, distributions, profile, outcome = _calls.table_values(rows)[0].tolist()
    return Partition._make([PartitionMethod(int(method)).name.lower(), *numbers, int(distributions), bool(profile), outcome_name(outcome)])


def autocorrelation_time(series):
    """Estimate the autocorrelation time of a series, in units of its spacing.

    Parameters
    ----------
    series : array_like, [chains, n]
        The series.

    Returns
    -------
    tau : float
        The time.
    error : float
        Its standard error.
    """
    return _calls.autocorrelation_time(np.atleast_2d(array_of(series, "series", np.float64)))


@described(counts="Pairs at each distance, [L + 1].", mean="The mean distance, a fraction of the sites.")
class HammingHistogram(NamedTuple):
    """What hamming_histogram() gives."""
    counts: np.ndarray
    mean: float

    def plot(self, ax: Optional[Axes] = None, label: Optional[str] = None) -> Axes:
        """Draw the fractions of pairs at each distance and the mean (a dashed line), with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The Axes to draw on; by default those of a new figure. Several histograms can share one: data and samples.
        label : str, optional
            The words of the legend; by default there is none.

        Returns
        -------
        matplotlib.axes.Axes
            The Axes drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from . import _curves  # when the first picture is drawn

        return _curves.histogram(ax, self.counts, self.mean, label)


def hamming_histogram(sequences) -> HammingHistogram:
    """Count the distances of all pairs of sequences.

    Parameters
    ----------
    sequences : array_like of int, [n, L]
        The sequences.

    Returns
    -------
    pairs : ndarray of int, [L + 1]
        At each distance.
    mean : float
        The mean distance as a fraction of the sites.
    """
    return HammingHistogram(*_calls.hamming_histogram(sequences))


def overlap_rhat(sequences, chains: int, context=None) -> float:
    """Give R-hat of overlaps: 1 for chains that visit the same states in the same proportions.

    The energy's R-hat does not see chains that stay in basins of equal energy.

    Parameters
    ----------
    sequences : array_like of int, [n, L]
        Row m is of chain m mod chains.
    chains : int
        How many.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    float
    """
    return _calls.overlap_rhat(context, sequences, chains)


@described(rhat="Rank-normalised split R-hat, or that of |x - median| if it is larger.", rhat_limit="The largest R-hat of chains that agree.",
           bulk_ess="Effective samples of the ranks.", tail_ess="Effective samples of the tails.",
           outcome='"converged" (R-hat is at most its limit, both numbers of samples are at least 400) or "max_iter".')
class Mixing(NamedTuple):
    """What chain_mixing() gives."""
    rhat: float
    rhat_limit: float
    bulk_ess: float
    tail_ess: float
    outcome: str


def chain_mixing(series, context=None) -> Mixing:
    """Tell whether chains agree, and how many independent samples they are worth.

    Parameters
    ----------
    series : array_like, [chains, n]
        The series, n at least 16.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Mixing
    """
    *numbers, outcome = _calls.chain_mixing(context, np.atleast_2d(array_of(series, "series", np.float64))).tolist()
    return Mixing._make([*numbers, outcome_name(outcome)])


def enumerate_rungs(model, betas, reference=None, context=None) -> Table:
    """Give the exact thermodynamics of a small model at several betas.

    Parameters
    ----------
    model : Model
        Of at most 2^26 states.
    betas : array_like, [n]
        Inverse temperatures.
    reference : array_like of int, [L], optional
        The sequence of the columns `reference`; none by default.
    context : Context, optional
        That of the thread by default.

    Returns
    -------
    Table
        The columns of Sampler.measure(), with errors of 0.
    """
    betas = np.atleast_1d(array_of(betas, "betas", np.float64))
    rows = new_rows(context, "rungs", len(betas))
    _calls.model_enumerate_rungs(context, model, betas, reference, rows)
    return Table(rows)


def split_rhat(series) -> float:
    """Give split R-hat of a series: 1 for mixed chains; chain_mixing() has its limit.

    Parameters
    ----------
    series : array_like, [chains, n]
        The series.

    Returns
    -------
    float
    """
    return _calls.split_rhat(np.atleast_2d(array_of(series, "series", np.float64)))
