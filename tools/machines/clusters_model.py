#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Messages, bytes and work of the shared jobs of bench/ranks for any number of ranks, and the times that follow for large problems.

usage: clusters_model.py PROGRAM MPIRUN [OPTIONS of mpirun]

Runs PROGRAM (bench/ranks) on 1 to 4 ranks and compares what each rank counts (atp_context_traffic) with the formulas here. All numbers must
be equal; then it shows that a formula that is off by one byte would be found. Some numbers of steps follow from the data or from the clock:
evaluations of a line search, meetings of a sampler. They are taken from the number of calls, and the bytes must then be equal.
tools/machines/clusters.py makes the tables of research/scaling.md with the functions here.
"""
import argparse
import csv
import math
import pathlib
import subprocess

COLORS, HEADS, ROUNDS, HISTORY = 21, 32, 4, 5  # of bench/ranks.c; the history of L-BFGS is the default of dense couplings
LANES, TILE, PIECE = 16, 512, 32768  # chains of a group; sequences of a tile of weights; unknowns of a piece of an inner product
PART = 64  # pairs of tiles for each rank between two reports of weights


def share(items, ranks):
    """Ends of the ranges of items that the ranks have: Ranks::first."""
    return [items // ranks * r + min(items % ranks, r) for r in range(1, ranks + 1)]


def parts(ends):
    return [end - begin for begin, end in zip([0, *ends], ends)]


class Ledger:
    """What passes through the callbacks: calls, and the bytes that each rank sends and receives. As src/base/ranks.cpp counts them."""
    def __init__(self, ranks):
        self.ranks, self.calls, self.sent, self.received = ranks, 0, [0] * ranks, [0] * ranks
        self.common = 0  # bytes that all have sent and received alike
        self.seconds, self.network = 0.0, None  # where times are wanted: an object with the methods sum, gather and broadcast

    def _call(self, kind, size, sizes=()):
        self.calls += 1
        if self.network is not None:
            self.seconds += getattr(self.network, kind)(self.ranks, size, *sizes)

    def check(self):
        """Has a rank failed? Before each operation, and at the end of each call of the API."""
        if self.ranks > 1:
            self._call("sum", 8)
            self.common += 8

    def sum(self, numbers):
        self.check()
        if self.ranks > 1:
            self._call("sum", 8 * numbers)
            self.common += 8 * numbers

    def gather(self, sizes):
        self.check()
        whole = sum(sizes)
        if self.ranks == 1 or whole == 0:
            return
        self._call("gather", whole, [max(sizes)])
        for r, size in enumerate(sizes):
            self.sent[r] += size
            self.received[r] += whole - size

    def broadcast(self, size, root):
        self.check()
        if self.ranks == 1:
            return
        self._call("broadcast", size)
        self.sent[root] += size
        for r in range(self.ranks):
            self.received[r] += 0 if r == root else size

    def column(self, name):
        """What atp_context_traffic() returns on each rank."""
        if name == "calls":
            return [self.calls] * self.ranks
        return [self.common + n for n in (self.sent if name == "sent" else self.received)]

    def reporter(self):
        self.sum(1)
        self.meet()

    def meet(self):
        """Clock and stop."""
        self.sum(2)

    def report(self):
        """Before the callback and after it."""
        self.meet()
        self.meet()


# What the ranks share: the items of each.
def groups_of_ranks(chains, temperatures, ranks):
    """Groups of 16 replicas. An item is the fewest ladders that fill whole groups."""
    ladders = LANES // math.gcd(temperatures, LANES)
    groups = -(-chains * temperatures // LANES)
    return parts([min(groups, end * (ladders * temperatures // LANES)) for end in share(-(-chains // ladders), ranks)])


def parts_of_pairs(size, ranks):
    """First and last of the pairs of tiles between two reports of weights."""
    tiles = -(-size // TILE)
    items = tiles * (tiles + 1) // 2
    return [(first, min(items, first + PART * ranks)) for first in range(0, items, PART * ranks)]


def pairs_of_ranks(size, ranks):
    """Pairs of sequences that are compared. An item is a pair of tiles a <= b, in the order of b, then a."""
    tiles = -(-size // TILE)
    width = [min(TILE, size - a * TILE) for a in range(tiles)]

    def before(item):
        b = (math.isqrt(8 * item + 1) - 1) // 2
        sequences = min(size, b * TILE)
        first = item - b * (b + 1) // 2
        return sequences * (sequences - 1) // 2 + (0 if b == tiles else min(first, b) * TILE * width[b])
    found = [0] * ranks
    for first, last in parts_of_pairs(size, ranks):
        ends = [before(first), *(before(first + end) for end in share(last - first, ranks))]
        found = [n + end - begin for n, begin, end in zip(found, ends, ends[1:])]
    return found


def site_rounds(sites, steps, ranks, threads=1):
    """The sites of each rank in each round of asymmetric training: four for each thread."""
    done = 0
    while done < steps:
        count = min(4 * threads * ranks, steps - done)
        yield parts([r * count // ranks for r in range(1, ranks + 1)])
        done += count


def factored_plan(size, sites, heads=HEADS, colors=COLORS):
    """Tasks, the rows of sites that each fills, the numbers of a row."""
    block = sites if sites <= 64 else 16
    blocks = -(-sites // block)
    splits = min(max(1, 16 // blocks), max(1, size // 64))
    tasks = min(32, blocks * splits)
    rows = parts([blocks * splits * (t + 1) // tasks * block for t in range(tasks)])
    return tasks, rows, heads * sites, (colors - 1) * heads * colors


def goes_by_couplings(size, sites, heads=HEADS, colors=COLORS):
    """CouplingPassF32::pays()."""
    attention = heads * (0.06 * sites + 0.045 * colors ** 2)
    dense = sites * (0.35 + 0.034 * up(colors, 8))
    return dense + 0.15 * (heads + 4) * sites * colors ** 2 / size < attention


def worth(ranks, operations, size):
    return ranks > 1 and operations > 4e5 + 4 * size


# The jobs of bench/ranks. Each fills a ledger for SIZE, STEPS and SITES; `unknown` is what depends on the data or on the clock.
def sample(ledger, size, steps, sites, unknown=ROUNDS, temperatures=1):
    groups = groups_of_ranks(size, temperatures, ledger.ranks)
    for _ in range(ROUNDS):
        ledger.reporter()
        ledger.gather([LANES * sites * g for g in groups])
        if temperatures > 1:
            ledger.gather([LANES * 32 * g for g in groups])
        ledger.check()
    for _ in range(unknown):  # blocks of sweeps of about 30 ms
        ledger.meet()


def exchange(ledger, size, steps, sites, unknown=ROUNDS):
    sample(ledger, size, steps, sites, unknown, 4)


def weights(ledger, size, steps, sites):
    for _ in range(steps):
        ledger.reporter()
        for _ in parts_of_pairs(size, ledger.ranks):
            ledger.report()
        for first in range(0, size, 512):
            ledger.sum(min(512, size - first))
        ledger.check()


def dense_evaluation(ledger, sites, colors=COLORS):
    ends = share(sites, ledger.ranks)
    own = parts(ends)
    block = 4 * colors ** 2
    ledger.gather([8 * n for n in own])  # losses
    ledger.gather([8 * n for n in own])  # penalties
    if ledger.ranks == 1:
        return
    ledger.gather([block * begin * n for begin, n in zip([0, *ends], own)])  # far pairs i < j, by the rank of j
    ledger.gather([4 * colors * n for n in own])
    ledger.gather(parts([block * (end * (2 * sites - end - 1) // 2) for end in ends]))  # pairs, by the rank of i


def dense_unknowns(sites, colors=COLORS):
    return sites * colors + sites * (sites - 1) // 2 * colors ** 2


def inner_products(ledger, unknowns, sums):
    ledger.gather([8 * sums * n for n in parts(share(-(-unknowns // PIECE), ledger.ranks))])


def dense_trial(ledger, unknowns):
    """A point of the line search, before its evaluation."""
    ledger.gather(parts([4 * min(unknowns, end * PIECE) for end in share(-(-unknowns // PIECE), ledger.ranks)]))


def dense(ledger, size, steps, sites, unknown=0):
    n = dense_unknowns(sites)
    ledger.reporter()
    dense_evaluation(ledger, sites)  # the objective has the norms of its own unknowns
    for k in range(steps):
        inner_products(ledger, n, 2)  # the direction
        inner_products(ledger, n, 2 * min(k, HISTORY - 1) + 7)  # the step
        ledger.meet()
    for _ in range(unknown):
        dense_trial(ledger, n)
        dense_evaluation(ledger, sites)
        inner_products(ledger, n, 1)  # the slope
    ledger.check()


def dense_gradient(ledger, size, steps, sites):
    for _ in range(steps):
        dense_evaluation(ledger, sites)
        ledger.check()


def asymmetric(ledger, size, steps, sites, colors=COLORS):
    unknowns = colors + (sites - 1) * colors ** 2
    ledger.reporter()
    ledger.sum(ledger.ranks + 1)
    for own in site_rounds(sites, steps, ledger.ranks):
        ledger.gather([48 * n for n in own])
        for root, n in enumerate(own):
            for _ in range(n):
                ledger.broadcast(4 * unknowns, root)
                ledger.meet()
    ledger.check()


def coupling_evaluation(ledger, size, sites, heads=HEADS, colors=COLORS):
    """Blocks of sites with all sequences, float64 sums."""
    block = -(-sites // 64)
    blocks, row, values = -(-sites // block), heads * sites, heads * colors ** 2
    operations = 2 * size * sites * heads * (sites + colors ** 2)
    if blocks == 1 or not worth(ledger.ranks, operations, 8 * (blocks * (1 + values) + sites * row)):
        return
    ends = share(blocks, ledger.ranks)
    ledger.gather([8 * n for n in parts(ends)])
    ledger.gather([8 * values * n for n in parts(ends)])
    ledger.gather(parts([8 * row * min(end * block, sites) for end in ends]))


def factored_evaluation(ledger, size, sites, heads=HEADS, colors=COLORS):
    if goes_by_couplings(size, sites, heads, colors):
        return coupling_evaluation(ledger, size, sites, heads, colors)
    tasks, rows, row, values = factored_plan(size, sites, heads, colors)
    # Of whole rows and losses, without what fills blocks up: what the code compares.
    numbers = tasks * (LANES + values) + sum(rows) // (-(-sites // 16) * 16 if sites > 64 else sites) * sites * row
    if tasks == 1 or not worth(ledger.ranks, 2 * size * sites * heads * (sites + colors ** 2), 8 * numbers):
        return
    ends = share(tasks, ledger.ranks)
    own = parts(ends)
    ledger.gather([8 * LANES * n for n in own])
    ledger.gather([8 * values * n for n in own])
    ledger.gather(parts([8 * row * sum(rows[:end]) for end in ends]))


def factored(ledger, size, steps, sites, unknown=0):
    ledger.reporter()
    factored_evaluation(ledger, size, sites)
    for _ in range(unknown):
        factored_evaluation(ledger, size, sites)
    for _ in range(steps):
        ledger.meet()
    ledger.check()


def factored_gradient(ledger, size, steps, sites):
    for _ in range(steps):
        factored_evaluation(ledger, size, sites)
        ledger.check()


def up(n, multiple):
    return -(-n // multiple) * multiple


def encoder(ledger, size, steps, sites, d=20, h=40, q=COLORS):
    """One block of the default width and hidden units, float32."""
    elements = up((d + 1) * (2 * d + h) + (h + 1) * d + 4 * d + (d + 1) * (q - 1), 16)
    vectors, plain = elements + up((q + 2 + sites) * d, 16), sites * up(q + 1 + sites, 16)
    areas = max(2, min(8, 2 ** 26 // (vectors * 16 + up(plain, 16))))
    tasks = min(areas, -(-size * sites // 64))
    operations = 3 * size * sites * ((q + 1 + sites) * d + 4 * d * d + 2 * d * h + 2 * sites * d + q * d)
    shared = tasks > 1 and worth(ledger.ranks, operations, 8 * tasks * (vectors + plain + 16))
    for _ in range(steps):
        if shared:
            own = parts(share(tasks, ledger.ranks))
            ledger.gather([8 * 16 * n for n in own])
            ledger.gather([8 * (vectors + plain) * n for n in own])
        ledger.check()


def dial(ledger, size, steps, sites, q=COLORS):
    """Above dial 0, float32."""
    tasks, features = min(16, sites, max(1, size * sites // 128)), q + 1 + sites
    numbers = tasks * (16 + q * features) + sites * (sites + q + 1)
    shared = tasks > 1 and worth(ledger.ranks, 3 * size * sites * (sites + q * features), 8 * numbers)
    for _ in range(steps):
        if shared:
            ends = share(tasks, ledger.ranks)
            rows = parts([sites * end // tasks for end in ends])
            ledger.gather([8 * 16 * n for n in parts(ends)])
            ledger.gather([8 * (q - 1) * features * n for n in parts(ends)])
            ledger.gather([8 * sites * n for n in rows])
            ledger.gather([8 * (q + 1) * n for n in rows])
        ledger.check()


def replica(ledger, size, steps, sites, alphas=(0.5, 1, 1.5)):
    """One thread for each rank. Realisations are shared in slices, between which the ranks meet."""
    ledger.reporter()
    for alpha in alphas:
        numbers = max(1, math.floor(alpha * size + 0.5)) * size * size
        slice_size = ledger.ranks * max(1, int(1e8 / numbers))
        ledger.sum(1)
        for first in range(0, steps, slice_size):
            count = min(slice_size, steps - first)
            for _ in range(2):
                ledger.gather([8 * n for n in parts(share(count, ledger.ranks))])
            if first + slice_size < steps:
                ledger.meet()
        ledger.meet()
        ledger.meet()
    ledger.check()


JOBS = {"sample": sample, "sample-dense": sample, "exchange": exchange, "weights": weights, "pairs": weights, "dense": dense,
        "dense-gradient": dense_gradient, "asymmetric": asymmetric, "factored": factored, "factored-gradient": factored_gradient,
        "encoder": encoder, "dial": dial, "replica": replica}
UNKNOWN = {"sample", "sample-dense", "exchange", "dense", "factored"}


def ledger_of(job, size, steps, sites, ranks, **known):
    ledger = Ledger(ranks)
    JOBS[job](ledger, size, steps, sites, **known)
    return ledger


def unknown_of(job, size, steps, sites, ranks, calls):
    """What depends on data or clock, from the number of calls; None if no number makes it. Not for one rank."""
    none, one = (ledger_of(job, size, steps, sites, ranks, unknown=k).calls for k in (0, 1))
    return (calls - none) // (one - none) if one > none and calls >= none and (calls - none) % (one - none) == 0 else None


# The test.
def run(command, ranks, job):
    """Rows of bench/ranks, numbers as numbers."""
    program, mpirun = command[0], command[1:]
    line = [*mpirun, "-n", str(ranks), program, *(str(x) for x in job)]
    output = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    found = list(csv.DictReader(output.splitlines()))
    for row in found:
        for name in row:
            if name not in ("job", "checksum"):
                row[name] = float(row[name]) if name in ("seconds", "communication") else int(row[name])
    return found


def compare(rows, ledger):
    """Numbers that differ: (what, rank, counted, formula)."""
    columns = {name: ledger.column(name) for name in ("calls", "sent", "received")}
    return [(name, row["rank"], row[name], expected[row["rank"]]) for row in rows for name, expected in columns.items()
            if row[name] != expected[row["rank"]]]


def work(job, size, steps, sites, ranks):
    """What each rank counts as work; None where the engine counts none."""
    if job in ("sample", "exchange"):
        return [steps * size * sites * (4 if job == "exchange" else 1)] * ranks
    if job == "pairs":
        return [steps * n for n in pairs_of_ranks(size, ranks)]
    return [steps] * ranks if job in ("dense", "dense-gradient", "asymmetric", "factored", "factored-gradient") else None


TESTS = (("sample", 100, 8, 96), ("exchange", 40, 8, 50), ("pairs", 1300, 2, 40), ("pairs", 8000, 1, 9), ("dense", 70, 7, 31), ("dense-gradient", 70, 2, 40),
         ("asymmetric", 60, 11, 30), ("factored", 500, 3, 100), ("factored-gradient", 900, 2, 50), ("factored-gradient", 200, 2, 100),
         ("encoder", 40, 2, 60),
         ("dial", 300, 2, 60), ("replica", 20, 7, 60))


def check_job(command, test, ranks, seen):
    """The faults of a job on some ranks, as lines."""
    job, size, steps, sites = test
    rows = run(command, ranks, (job, size, steps, 1, sites))
    known = {}
    if job in UNKNOWN and ranks > 1:
        known["unknown"] = unknown_of(job, size, steps, sites, ranks, rows[0]["calls"])
        if known["unknown"] is None:
            return [f"{job} on {ranks} ranks: {rows[0]['calls']} calls are not those of any number of evaluations or meetings"]
        if job in ("dense", "factored") and seen.setdefault(("evaluations", job), known["unknown"]) != known["unknown"]:
            return [f"{job} on {ranks} ranks: {known['unknown']} evaluations, on fewer ranks {seen['evaluations', job]}"]
    ledger = ledger_of(job, size, steps, sites, ranks, **known)
    faults = [f"{job} on {ranks} ranks: rank {r}: {name} is {found}, by the formula {expected}"
              for name, r, found, expected in compare(rows, ledger)]
    expected = work(job, size, steps, sites, ranks)
    if expected is not None and [row["counted"] for row in rows] != expected:
        faults.append(f"{job} on {ranks} ranks: work is {[row['counted'] for row in rows]}, by the formula {expected}")
    if seen.setdefault(test, rows[0]["checksum"]) != rows[0]["checksum"]:
        faults.append(f"{job} on {ranks} ranks: the result differs from that on fewer ranks")
    # A planted fault: a byte more.
    ledger.sent[-1] += 1
    if not compare(rows, ledger):
        faults.append(f"{job} on {ranks} ranks: a byte too many was not found")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("mpirun", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = [str(options.program.resolve()), *options.mpirun]
    seen, faults = {}, []
    for test in TESTS:
        for ranks in (1, 2, 3, 4):
            faults += check_job(command, test, ranks, seen)
    print("\n".join(faults) if faults else f"{len(TESTS)} jobs on 1 to 4 ranks: calls, bytes and work are those of the formulas")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
