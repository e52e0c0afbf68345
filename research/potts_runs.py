# SPDX-License-Identifier: MIT
"""Trainings of `attopotts network` that resume: data sets by seed, one row of a CSV file per finished training.

A training is a dictionary of KEYS; a store makes only those that its file does not have. Several processes may share a file.
"""
import csv
import fcntl
import math
import os
import resource
import statistics
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITES = COLORS = 20
RATES, MOMENTA = ("0.01", "0.03", "0.1"), ("0", "0.9")
STARTS, COUPLINGS = 8, 5
TRAIN = TEST = 3000
EPOCHS = 2000
DATA_KEYS = ["law", "distance", "data", "j_seed"]
KEYS = [*DATA_KEYS, "stage", "architecture", "start_seed", "rate", "momentum", "epochs", "polish", "l2"]
ENDS = ["train_loss", "test_loss", "coupling_error", "gradient_norm", "iterations", "outcome"]
COLUMNS = KEYS + ["beta", "optimal_loss", "parameters", "cpu_seconds", *ENDS, *("polished_" + end for end in ENDS)]

# Flags of each architecture.
ARCHITECTURES = {"factored": ["--architecture", "factored"], "encoder1": ["--architecture", "encoder", "--blocks", 1],
                 "encoder3": ["--architecture", "encoder", "--blocks", 3],
                 "free": ["--architecture", "dial", "--dial", 0, "--map", "free"],
                 "softmax": ["--architecture", "dial", "--dial", 0, "--map", "softmax"],
                 **{f"dial{a}": ["--architecture", "dial", "--dial", a] for a in ("0.1", "0.4", "1")}}


def training(**values):
    """A training with the usual settings where none is given, all as text as the file has them."""
    usual = {"law": "gaussian", "data": "equilibrium", "stage": "main", "epochs": EPOCHS, "polish": 0, "l2": 0}
    return {key: str({**usual, **values}[key]) for key in KEYS}


def converged(row):
    return row["outcome"] != "diverged"


def best_of(rows):
    """The start with the smallest training loss, None where all diverged."""
    return min(filter(converged, rows), key=lambda row: float(row["train_loss"]), default=None)


def error_of(values):
    """Standard error of the mean over samples of J; NaN for one, and where a value is NaN."""
    known = len(values) > 1 and not any(map(math.isnan, values))
    return statistics.stdev(values) / len(values)**0.5 if known else float("nan")


def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class Runs:
    """The store: `table` is the CSV file, `work` a folder for data sets and maps."""

    def __init__(self, program, table, work, columns=tuple(COLUMNS)):
        self.program, self.table, self.work = os.path.abspath(program), os.path.abspath(table), os.path.abspath(work)
        self.columns = columns
        os.makedirs(self.work, exist_ok=True)

    def attopotts(self, *arguments, good=(0,)):
        command = [self.program, *map(str, arguments), "--threads", "1", "--progress", "none"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in good:
            raise SystemExit(f"{' '.join(command)}: status {done.returncode}: {done.stderr}")
        return done.stdout

    def rows(self):
        return read_rows(self.table)

    def find(self, wanted):
        return next((row for row in self.rows() if all(row[key] == wanted[key] for key in KEYS)), None)

    # --- data sets

    def names(self, keys):
        stem = os.path.join(self.work, "-".join(keys[k] for k in DATA_KEYS))
        truth = stem.replace("-chain-", "-equilibrium-") + "-truth.h5"
        return stem + ".h5", truth

    def absolute_couplings(self, seed):
        """Files with |J| and U of the Gaussian model of this seed."""
        model = os.path.join(self.work, f"signed-{seed}.h5")
        self.attopotts("sample", "--sites", SITES, "--colors", COLORS, "--couplings", "gaussian", "--color-matrix", "gaussian", "--beta", 1,
                       "--protocol", "chain", "--thin", 1, "--samples", 2, "--seed", seed, "--model-out", model, "-o", model + ".data.h5")
        rows = list(csv.DictReader(line for line in self.attopotts("convert", model, "-").splitlines() if not line.startswith("#")))
        names = []
        for part, first, second, size in (("map", "i", "j", SITES), ("value", "a", "b", COLORS)):
            matrix = [["0"] * size for _ in range(size)]
            for row in rows:
                if row["part"] == part:
                    matrix[int(row[first])][int(row[second])] = row["value"].lstrip("-") if part == "map" else row["value"]
            names.append(os.path.join(self.work, f"{part}-{seed}.txt"))
            with open(names[-1], "w") as file:
                file.write("".join(" ".join(line) + "\n" for line in matrix))
        return names

    def make_data(self, keys):
        """The data set of these keys, made unless it is there. Two processes that make one at a time write the same."""
        data, truth = self.names(keys)
        if os.path.exists(data) and os.path.exists(truth):
            return data, truth
        fresh = f"{data}.{os.getpid()}.h5"
        if keys["data"] == "chain":
            # As in [R24]: one chain, 10^4 sweeps between samples, at the beta of the equilibrium data.
            self.make_data({**keys, "data": "equilibrium"})
            self.attopotts("sample", "--model", truth, "--protocol", "chain", "--chains", 1, "--thin", 10000, "--samples", TRAIN + TEST,
                           "--seed", keys["j_seed"], "-o", fresh)
        else:
            law = {"gaussian": ["gaussian", "gaussian"], "contacts": ["contacts", "gaussian"]}.get(keys["law"])
            couplings, colors = law or self.absolute_couplings(keys["j_seed"])
            sizes = [] if law is None else ["--sites", SITES, "--colors", COLORS]
            # Status 3 marks data whose tests of equilibrium failed; the table of data says so.
            self.attopotts("sample", *sizes, "--couplings", couplings, "--color-matrix", colors, "--hamming", keys["distance"],
                           "--samples", TRAIN + TEST, "--chains", 64, "--seed", keys["j_seed"], "--model-out", f"{fresh}.truth.h5",
                           "-o", fresh, good=(0, 3))
            os.replace(f"{fresh}.truth.h5", truth)
        os.replace(fresh, data)
        return data, truth

    def beta(self, truth):
        text = self.attopotts("convert", truth, "-")
        return next(row["value"] for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")) if row["part"] == "beta")

    # --- trainings

    def maps_name(self, wanted):
        return os.path.join(self.work, "maps-" + "-".join(wanted[k] for k in KEYS) + ".csv")

    def train(self, wanted, more=()):
        """The row of a training, which is made unless the file has it; `more` flags are the same for all rows of the file."""
        if row := self.find(wanted):
            return row
        data, truth = self.make_data(wanted)
        flags = [*ARCHITECTURES[wanted["architecture"]], "--epochs", wanted["epochs"], "--rate", wanted["rate"], "--momentum",
                 wanted["momentum"], "--seed", wanted["start_seed"], "--polish", wanted["polish"], "--maps", self.maps_name(wanted), *more]
        if wanted["l2"] != "0":
            flags += ["--l2-maps", wanted["l2"], "--l2-colors", wanted["l2"]]
        before = self.used()
        text = self.attopotts("network", data, "--rows", f"0:{TRAIN}", "--test", data, "--test-rows", f"{TRAIN}:{TEST}", "--truth", truth,
                              *flags, good=(0, 3))
        used = self.used() - before
        ends = {row["end"]: row for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))}
        row = {**wanted, "beta": self.beta(truth), "cpu_seconds": f"{used:.2f}", "optimal_loss": ends["sgd"]["optimal_loss"],
               "parameters": ends["sgd"]["parameters"]}
        for end in ENDS:
            row[end] = ends["sgd"][end]
            row["polished_" + end] = ends["lbfgs"][end] if "lbfgs" in ends else ""
        self.add(row)
        return row

    @staticmethod
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def add(self, row):
        with open(self.table, "a", newline="") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0, os.SEEK_END)
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)


class Deadline:
    """Ends a list of trainings after some minutes; the next call goes on where this one ended."""

    def __init__(self, minutes):
        self.end = time.monotonic() + 60 * minutes

    def passed(self):
        return time.monotonic() > self.end
