# SPDX-License-Identifier: MIT
"""Shared by the parts of results.py: running the program, writing tables, pictures and the page, and a few statistics."""
import csv
import math
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMON_PLOT = """set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
"""


class Results:
    def __init__(self, program, data, out, threads, quick=False):
        self.program = os.path.abspath(program)
        self.data = os.path.abspath(data)
        self.out = os.path.abspath(out)
        self.folder = os.path.join(self.out, "results")
        self.threads = threads
        self.quick = quick
        os.makedirs(self.folder, exist_ok=True)

    def pick(self, full, quick):
        """A size of the published run, or that of --quick."""
        return quick if self.quick else full

    def run(self, *arguments, good=(0,)):
        """Run the program in the working folder; gives stdout and the seconds."""
        command = [self.program, *map(str, arguments), "--threads", str(self.threads)]
        print("  attopotts", *arguments, flush=True)
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = time.monotonic() - begin
        if done.returncode not in good:
            raise SystemExit(f"status {done.returncode}: {done.stderr}")
        self.messages = done.stderr
        return done.stdout, seconds

    def evaluate(self, *arguments):
        text, _ = self.run("eval", *arguments)
        return table_rows(text)[0]

    def learn(self, *arguments):
        """Learn with a log; gives epochs, seconds of the last epoch, and the outcome."""
        self.run("learn", *arguments, "--log", "log.csv", good=(0, 3))
        with open("log.csv") as file:
            text = file.read()
        rows = table_rows(text)
        outcome = next(line.split(": ")[1] for line in text.splitlines() if line.startswith("# outcome"))
        return int(rows[-1]["epoch"]), float(rows[-1]["seconds"]), outcome

    def model(self, name):
        """The numbers of a model: maps {(h, i, j): A}, values {(h, a, b): V}, beta."""
        text, _ = self.run("convert", name, "-")
        maps, values, beta = {}, {}, 1.0
        for row in table_rows(text):
            if row["part"] == "map":
                maps[int(row["head"]), int(row["i"]), int(row["j"])] = float(row["value"])
            elif row["part"] == "value":
                values[int(row["head"]), int(row["a"]), int(row["b"])] = float(row["value"])
            elif row["part"] == "beta":
                beta = float(row["value"])
        return maps, values, beta

    def write_csv(self, name, columns, rows, notes=()):
        with open(os.path.join(self.folder, name), "w") as file:
            for note in notes:
                file.write(f"# {note}\n")
            file.write(",".join(columns) + "\n")
            for row in rows:
                file.write(",".join(str(row[c]) for c in columns) + "\n")

    def picture(self, name, body, size):
        script = f"# Run in this folder: gnuplot {name}.gp\n" + COMMON_PLOT
        for terminal, end in (("svg", "svg"), ("pngcairo", "png")):
            script += f"set terminal {terminal} size {size} enhanced font 'Helvetica,14' background rgb 'white'\n"
            script += f"set output '{name}.{end}'\n{body}unset output\n"
        with open(os.path.join(self.folder, name + ".gp"), "w") as file:
            file.write(script)
        if shutil.which("gnuplot"):
            subprocess.run(["gnuplot", name + ".gp"], cwd=self.folder, check=True)

    def fill(self, name, text):
        """Put text between the marks of a part of results.md."""
        path = os.path.join(self.out, "results.md")
        with open(path) as file:
            page = file.read()
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise SystemExit(f"{path} has no marks of {name}")
        head, rest = page.split(begin)
        tail = rest.split(end)[1]
        with open(path, "w") as file:
            file.write(head + begin + text + end + tail)


def table_rows(text):
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def with_numpy():
    """A Python that has NumPy: this one, or that of the system; None where neither has."""
    return next((python for python in (sys.executable, "/usr/bin/python3")
                 if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0), None)


def stored_runs(results, name, script, *flags):
    """Rows of the store `name`; with --quick made now by `script`, None without NumPy."""
    path = os.path.join(results.folder, name)
    if results.quick:
        python = with_numpy()
        if python is None:
            print(f"{name}: left out, {script} needs NumPy (Debian: python3-numpy)", file=sys.stderr)
            return None
        library = os.path.join(os.path.dirname(results.program), "../libattopotts.so")
        subprocess.run([python, os.path.join(ROOT, "research", script), "--quick", "--store", path, "--library", library, *flags], check=True)
    with open(path) as file:
        return numbers(file.read())


def number_or_text(cell):
    try:
        return float(cell or "nan")
    except ValueError:
        return cell


def numbers(text):
    """Rows with numbers where cells are numbers; empty cells are NaN."""
    return [{key: number_or_text(cell) for key, cell in row.items()} for row in table_rows(text)]


def markdown(columns, rows, formats):
    """A table; `columns` maps headings to keys."""
    text = "| " + " | ".join(columns) + " |\n|" + "---|" * len(columns) + "\n"
    for row in rows:
        text += "| " + " | ".join(formats.get(key, "{}").format(row[key]) for key in columns.values()) + " |\n"
    return text


def message(results, start):
    return next((line for line in results.messages.splitlines() if line.startswith(start)), "")


def mean_and_error(values):
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((x - mean)**2 for x in values) / (len(values) - 1) / len(values))


def clustered_mean_and_error(values, clusters):
    """The mean and its cluster-robust standard error: values of one cluster (data sets of one J) may depend on each other in any way.

    With residuals e_i = x_i - mean, error^2 = G / (G - 1) sum_g (sum_{i in g} e_i)^2 / n^2 for G clusters (K.-Y. Liang, S. L. Zeger,
    Biometrika 73, 13 (1986)). For clusters of one size it is the standard error of the mean of the clusters' means.
    """
    groups, mean = {}, sum(values) / len(values)
    for x, cluster in zip(values, clusters):
        groups[cluster] = groups.get(cluster, 0) + x - mean
    count = len(groups)
    return mean, math.sqrt(count / (count - 1) * sum(r * r for r in groups.values())) / len(values)


def root_mean_square(values):
    return math.sqrt(sum(x * x for x in values) / len(values))


def slope(xs, ys):
    """Of a straight line through points, least squares."""
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x0) * (y - y0) for x, y in zip(xs, ys)) / sum((x - x0)**2 for x in xs)
