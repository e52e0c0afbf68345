# SPDX-License-Identifier: MIT
"""Gibbs sampling and replica exchange."""
import ctypes
from typing import Callable, NamedTuple, Optional

import numpy as np

from ._handle import Handle, colors_array, make, reals, run
from ._library import check, lib, outcome_name
from ._options import options
from .context import default_context

Progress = Optional[Callable[[dict], object]]


class Samples(NamedTuple):
    sequences: np.ndarray  # uint8 [n, L]
    energies: Optional[np.ndarray]  # [n]
    outcome: str


class Tuned(NamedTuple):
    beta: float
    beta_error: float
    hamming: float
    hamming_error: float
    outcome: str


class Sampler(Handle):
    """Cyclic Gibbs sweeps of many chains. Options: seed, chains, beta, temperatures, beta_hot, swap_interval.

    Ctrl-C stops a running call between blocks of sweeps; the state stays consistent and the next call goes on."""

    _destroy = lib.atp_sampler_destroy

    def __init__(self, model, context=None, **values):
        context = context or default_context()
        bag = options((1,), values)
        self._own(make(lib.atp_sampler_create, context._address, model._address, bag.address), context._owned)

    @staticmethod
    def bytes(model, **values) -> int:
        """What creation will allocate."""
        size = ctypes.c_int64()
        bag = options((1,), values)
        check(lib.atp_sampler_bytes(default_context()._address, model._address, bag.address, ctypes.addressof(size)))
        return size.value

    @property
    def chains(self) -> int:
        return lib.atp_sampler_chains(self._address)

    @property
    def sites(self) -> int:
        return lib.atp_sampler_sites(self._address)

    @property
    def sweeps(self) -> int:
        """Sweeps made since the start state was set."""
        return lib.atp_sampler_sweeps(self._address)

    @property
    def betas(self) -> np.ndarray:
        """Of the ladder, the target last. Assign to set them."""
        out = np.empty(lib.atp_sampler_temperatures(self._address))
        check(lib.atp_sampler_betas(self._address, out.ctypes.data, out.size))
        return out

    @betas.setter
    def betas(self, values):
        values = reals(values, "betas")
        check(lib.atp_sampler_set_betas(self._address, values.ctypes.data, values.size))

    @property
    def swap_rates(self) -> np.ndarray:
        out = np.empty(lib.atp_sampler_temperatures(self._address) - 1)
        check(lib.atp_sampler_swap_rates(self._address, out.ctypes.data, out.size))
        return out

    def start(self, sequences=None):
        """Start again, from random colours or from sequences [n, L]."""
        if sequences is None:
            check(lib.atp_sampler_start_random(self._address))
        else:
            data = colors_array(sequences)
            check(lib.atp_sampler_start_from(self._address, data.ctypes.data, *data.shape))

    def sweep(self, count: int, progress: Progress = None) -> str:
        """Make sweeps of all chains; gives the outcome."""
        outcome = ctypes.c_int()
        run(lambda callback, user: lib.atp_sampler_sweep(self._address, count, callback, user, ctypes.addressof(outcome)), progress)
        return outcome_name(outcome.value)

    def sample(self, count: int, thin: int = 1, energies: bool = False, out: np.ndarray = None, progress: Progress = None) -> Samples:
        """Draw sequences, `thin` sweeps before each from every chain. out: uint8 [count, L] in C order to write to."""
        if out is None:
            out = np.empty((count, self.sites), dtype=np.uint8)
        elif out.dtype != np.uint8 or out.shape != (count, self.sites) or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(f"out is {out.dtype} {out.shape}, expected writable uint8 ({count}, {self.sites}) in C order")
        found = np.empty(count) if energies else None
        done, outcome = ctypes.c_int64(), ctypes.c_int()
        run(lambda callback, user: lib.atp_sampler_sample(self._address, count, thin, out.ctypes.data, out.size,
                                                    None if found is None else found.ctypes.data, ctypes.addressof(done), callback, user,
                                                    ctypes.addressof(outcome)), progress)
        made = done.value
        return Samples(out[:made], None if found is None else found[:made], outcome_name(outcome.value))

    def states(self, rung: int = None) -> np.ndarray:
        """The present states [chains, L] at a rung of the ladder (default: the target)."""
        rung = lib.atp_sampler_temperatures(self._address) - 1 if rung is None else rung
        out = np.empty((self.chains, self.sites), dtype=np.uint8)
        check(lib.atp_sampler_states(self._address, rung, out.ctypes.data, out.size))
        return out

    def energies(self, rung: int = None) -> np.ndarray:
        rung = lib.atp_sampler_temperatures(self._address) - 1 if rung is None else rung
        out = np.empty(self.chains)
        check(lib.atp_sampler_energies(self._address, rung, out.ctypes.data, out.size))
        return out

    def request_stop(self):
        """End a running call of another thread."""
        lib.atp_sampler_request_stop(self._address)

    def save_state(self) -> bytes:
        buffer = ctypes.create_string_buffer(lib.atp_sampler_state_bytes(self._address))
        check(lib.atp_sampler_save_state(self._address, ctypes.addressof(buffer), len(buffer)))
        return buffer.raw

    def load_state(self, state):
        buffer = np.frombuffer(state, dtype=np.uint8)
        check(lib.atp_sampler_load_state(self._address, buffer.ctypes.data, buffer.size))


def tune_beta(model, target: float, progress: Progress = None, context=None, **values) -> Tuned:
    """The beta at which equilibrium samples differ on average at a fraction `target` of the sites. Options: seed, chains, temperatures."""
    context = context or default_context()
    bag = options((1,), values)
    numbers = (ctypes.c_double * 4)()
    places = [ctypes.addressof(numbers) + 8 * k for k in range(4)]
    outcome = ctypes.c_int()
    run(lambda callback, user: lib.atp_tune_beta(context._address, model._address, bag.address, target, callback, user, *places,
                                           ctypes.addressof(outcome)), progress)
    return Tuned(*numbers, outcome_name(outcome.value))


def autocorrelation_time(series):
    """(tau, its error) of a series [chains, n] in units of its spacing."""
    series = np.atleast_2d(reals(series, "series"))
    tau, error = ctypes.c_double(), ctypes.c_double()
    check(lib.atp_autocorrelation_time(series.ctypes.data, *series.shape, ctypes.addressof(tau), ctypes.addressof(error)))
    return tau.value, error.value


def split_rhat(series) -> float:
    series = np.atleast_2d(reals(series, "series"))
    value = ctypes.c_double()
    check(lib.atp_split_rhat(series.ctypes.data, *series.shape, ctypes.addressof(value)))
    return value.value


def hamming_histogram(sequences):
    """(pairs at each distance [L + 1], mean distance as a fraction of the sites)."""
    data = colors_array(sequences)
    counts, mean = np.empty(data.shape[1] + 1, dtype=np.int64), ctypes.c_double()
    check(lib.atp_hamming_histogram(data.ctypes.data, *data.shape, counts.ctypes.data, counts.size, ctypes.addressof(mean)))
    return counts, mean.value
