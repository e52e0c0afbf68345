# SPDX-License-Identifier: MIT
"""What the experiments share: the library, tables of results, statistics, text and pictures.

An experiment is a module with a docstring (its title and its method) and these functions:
    compute(lab)   writes its tables; with lab.quick a small part of the same rows
    report(lab)    tables and findings in Markdown, from the tables alone
    draw(lab)      {name: figure}, from the tables alone; optional
    claims(lab)    rows of docs/results.md: (claim, text, verdict, number); optional
and AGREE, how the rows of --quick are compared with the stored ones: {table: Same(...)}.
"""
import csv
import fcntl
import functools
import math
import os
import resource
import subprocess
import tempfile
import time
from typing import NamedTuple

import binding
from binding import ROOT

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results")
COLORS = ("#08306b", "#e6740b", "#21918c", "#5ec962", "#777777", "#440154")


class Same(NamedTuple):
    """How two versions of a table are compared: rows with the same `key`."""
    key: tuple                # columns
    exact: tuple = ()         # columns that agree to a relative `tolerance`
    within: dict = {}         # {column: column of its standard error}: agree within 5 errors of the difference
    tolerance: float = 1e-6


class Lab:
    """The sizes, the folder of the tables, the library, the data folder."""

    def __init__(self, quick=False, folder=RESULTS, library=None, data=None):
        self.quick, self.folder = quick, folder
        self.library = library or os.path.join(ROOT, "build/libattopotts.so")
        self.data = data or os.environ.get("ATP_SHARED_DATA", os.path.join(ROOT, "../shared/data"))

    @functools.cached_property
    def potts(self):
        """The module attopotts."""
        return binding.load(self.library)

    def pick(self, full, quick):
        """A size of the stored results, or that of --quick."""
        return quick if self.quick else full

    def path(self, name):
        return os.path.join(self.folder, name)

    def rows(self, name):
        """Rows of a stored table, with numbers where cells are numbers; empty cells are NaN."""
        with open(self.path(name)) as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            return [{key: number_or_text(cell) for key, cell in row.items()} for row in rows]

    def write(self, name, rows, notes=(), columns=None):
        columns = columns or list(rows[0])
        with open(self.path(name), "w", newline="") as file:
            file.write("".join(f"# {note}\n" for note in notes))
            writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def complete(self, name, key, columns, keys, make, note=""):
        """A table with a row for each run: make(*key) makes those that are not there. Several processes may share the file."""
        path = self.path(name)
        if not os.path.exists(path):
            self.write(name, [], [note] if note else [], columns)
        known = {tuple(canonical(row[k]) for k in key) for row in self.rows(name)}
        for values in keys:
            values = tuple(values)
            if tuple(map(canonical, values)) in known:
                continue
            row = {**dict(zip(key, values)), **make(*values)}
            with open(path, "a", newline="") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                csv.DictWriter(file, columns, restval="", lineterminator="\n").writerow(row)

    def shared(self, *names):
        """The path of a data file; None where it is not there."""
        path = os.path.join(self.data, *names)
        return path if os.path.exists(path) else None


class Program:
    """The program in a folder of its own, for experiments about its commands."""

    def __init__(self, lab):
        self.path = os.path.join(os.path.dirname(os.path.abspath(lab.library)), "cli/attopotts")
        self.folder, self.messages = tempfile.mkdtemp(), ""

    def run(self, *arguments, good=(0, 3)):
        """(stdout, seconds of processors); status 3 is that of runs that did not converge."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.path, *map(str, arguments), "--threads", "1"], capture_output=True, text=True, cwd=self.folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in good:
            raise SystemExit(f"attopotts {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr}")
        self.messages = done.stderr
        return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def rows(self, *arguments):
        """The table that a command prints."""
        return list(csv.DictReader(line for line in self.run(*arguments)[0].splitlines() if not line.startswith("#")))

    def read(self, name):
        """(lines of notes, rows) of a file that a command wrote."""
        with open(os.path.join(self.folder, name)) as file:
            lines = file.read().splitlines()
        return [line[2:] for line in lines if line.startswith("#")], list(csv.DictReader(line for line in lines if not line.startswith("#")))


def number_or_text(cell):
    try:
        return float(cell or "nan")
    except ValueError:
        return cell


def canonical(value):
    value = number_or_text(value) if isinstance(value, str) else value
    return value if isinstance(value, str) else "" if math.isnan(value) else float(f"{float(value):.9g}")


def compare(name, same, new, stored):
    """(numbers that were compared, texts of those that differ)."""
    known = {tuple(canonical(row[k]) for k in same.key): row for row in stored}
    count, wrong = 0, []
    for row in new:
        other = known.get(tuple(canonical(row[k]) for k in same.key))
        if other is None:
            wrong.append(f"{name}: no stored row of {[row[k] for k in same.key]}")
            continue
        for column in (*same.exact, *same.within):
            a, b = row[column], other[column]
            if isinstance(a, str) or isinstance(b, str):
                good = a == b
            elif math.isnan(a):
                continue  # not computed by --quick
            elif column in same.within:
                error = math.hypot(row[same.within[column]], other[same.within[column]])
                good = abs(a - b) <= 5 * error
            else:
                good = abs(a - b) <= same.tolerance * max(abs(a), abs(b)) or a == b
            count += 1
            if not good:
                wrong.append(f"{name}, {[row[k] for k in same.key]}: {column} is {a}, stored {b}")
    return count, wrong


# --- statistics ---------------------------------------------------------------------------------------------------------------------------

def mean(values):
    return sum(values) / len(values)


def mean_and_error(values):
    """The mean and its standard error; NaN for a single value."""
    m = mean(values)
    if len(values) < 2:
        return m, math.nan
    return m, math.sqrt(sum((x - m)**2 for x in values) / (len(values) - 1) / len(values))


def clustered_mean_and_error(values, clusters):
    """The mean and its cluster-robust standard error: values of one cluster (data sets of one J) may depend on each other in any way.

    With residuals e_i = x_i - mean, error^2 = G / (G - 1) sum_g (sum_{i in g} e_i)^2 / n^2 for G clusters (K.-Y. Liang, S. L. Zeger,
    Biometrika 73, 13 (1986)). For clusters of one size it is the standard error of the mean of the clusters' means.
    """
    groups, m = {}, mean(values)
    for x, cluster in zip(values, clusters):
        groups[cluster] = groups.get(cluster, 0) + x - m
    count = len(groups)
    return m, math.sqrt(count / (count - 1) * sum(r * r for r in groups.values())) / len(values)


def root_mean_square(values):
    return math.sqrt(sum(x * x for x in values) / len(values))


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def line(xs, ys, errors=None):
    """(a, its error, b) of y = a + b x, weighted least squares."""
    weights = [1 / e**2 for e in errors] if errors else [1.0] * len(xs)
    total = sum(weights)
    x0, y0 = (sum(w * v for w, v in zip(weights, values)) / total for values in (xs, ys))
    spread = sum(w * (x - x0)**2 for w, x in zip(weights, xs))
    slope = sum(w * (x - x0) * (y - y0) for w, x, y in zip(weights, xs, ys)) / spread
    return y0 - slope * x0, math.sqrt(1 / total + x0 * x0 / spread), slope


def pearson(xs, ys):
    x0, y0 = mean(xs), mean(ys)
    xy = sum((x - x0) * (y - y0) for x, y in zip(xs, ys))
    return xy / math.sqrt(sum((x - x0)**2 for x in xs) * sum((y - y0)**2 for y in ys))


def within(deviations, limit=3):
    """"5 of 6": of distances in standard errors, those of at most `limit`."""
    return f"{sum(abs(x) <= limit for x in deviations)} of {len(deviations)}"


def groups_of(rows, *columns):
    """{values of the columns: rows}, in the order of the rows."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[c] for c in columns), []).append(row)
    return found


def timed(work):
    """(result, seconds of a processor)."""
    begin = time.process_time()
    return work(), time.process_time() - begin


# --- text and pictures --------------------------------------------------------------------------------------------------------------------

def with_error(values, digits=4):
    """"mean +- standard error"; of one value no error."""
    m, error = mean_and_error(values)
    return f"{m:.{digits}f}" if math.isnan(error) else f"{m:.{digits}f} +- {error:.{digits}f}"


def markdown(columns, rows, formats=None):
    """A table; `columns` maps headings to keys, `formats` keys to formats. NaN is an empty cell."""
    def cell(key, value):
        if isinstance(value, float) and math.isnan(value):
            return ""
        return value if isinstance(value, str) else (formats or {}).get(key, "{:g}" if isinstance(value, float) else "{}").format(value)

    text = "| " + " | ".join(columns) + " |\n|" + "---|" * len(columns) + "\n"
    for row in rows:
        text += "| " + " | ".join(cell(key, row.get(key, "")) for key in columns.values()) + " |\n"
    return text


def figure(rows=1, columns=1, size=(8, 5)):
    """(figure, axes [rows * columns]) in the house's style; the SVG has no date, and the same identifiers each time."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "attopotts", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 11,
                                "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd",
                                "axes.prop_cycle": matplotlib.cycler(color=COLORS), "legend.frameon": False,
                                "figure.constrained_layout.use": True})
    import matplotlib.pyplot as plt
    made, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    return made, list(axes.flat)


def points(axes, rows, x, y, error=None, **style):
    """Points with error bars where there are numbers."""
    rows = [r for r in rows if not math.isnan(r[x]) and not math.isnan(r[y])]
    bars = [0 if math.isnan(r[error]) else r[error] for r in rows] if error else None
    axes.errorbar([r[x] for r in rows], [r[y] for r in rows], bars, **{"fmt": "o", "ms": 4, "capsize": 2, **style})


def curve(axes, rows, x, y, **style):
    rows = [r for r in rows if not math.isnan(r[x]) and not math.isnan(r[y])]
    axes.plot([r[x] for r in rows], [r[y] for r in rows], **style)
