# SPDX-License-Identifier: MIT
"""Times of large problems on many ranks: measured rates of one thread, the messages of clusters_model.py, a stated network.

Used by clusters.py. Nothing here was run on more ranks than the machine has cores: it is what the formulas give.
"""
import math
from statistics import median

import clusters_model as model

SIZE, SITES, COLORS, HEADS = 10 ** 6, 500, model.COLORS, model.HEADS
CHAINS, SWEEPS, PER_SEQUENCE = 20000, 500, 10  # 10^6 sequences: 50 rounds, 10 sweeps apart
DESCENT = 25  # evaluations for a site of asymmetric couplings
RANKS = [2 ** k for k in range(11)]


class Network:
    """Seconds of an operation. Small messages go through trees, large ones round a ring, as MPI libraries do it."""
    latency, bandwidth, small, copies = 2e-6, 12.5e9, 65536, 1e10

    def sum(self, ranks, size):
        return math.ceil(math.log2(ranks)) * (self.latency + size / self.bandwidth)

    def gather(self, ranks, size, largest):
        if size <= self.small:
            return math.ceil(math.log2(ranks)) * self.latency + size / self.bandwidth
        return (ranks - 1) * (self.latency + largest / self.bandwidth)

    def broadcast(self, ranks, size):
        steps = math.ceil(math.log2(ranks))
        if size <= self.small:
            return steps * (self.latency + size / self.bandwidth)
        return (steps + ranks - 1) * self.latency + 2 * size / self.bandwidth


class Bench:
    """Medians of one rank with one thread."""
    def __init__(self, command, repeats):
        self.command, self.repeats, self.bytes = command, repeats, {}

    def seconds(self, job, size, steps):
        rows = [model.run(self.command, 1, (job, size, steps, 1, SITES))[0] for _ in range(self.repeats)]
        self.bytes[job] = rows[0]["bytes"]
        return median(row["seconds"] for row in rows)

    def per_step(self, job, size, steps, more):
        """Without what only the first step costs: pages of memory that are touched first."""
        return (self.seconds(job, size, more) - self.seconds(job, size, steps)) / (more - steps)

    def evaluations(self, job, size, steps):
        rows = model.run(self.command, 2, (job, size, steps, 1, SITES))
        self.bytes[job + " on 2 ranks"] = rows[0]["bytes"]
        return 1 + model.unknown_of(job, size, steps, SITES, 2, rows[0]["calls"])


def line(x, y):
    """Slope and intercept of a line through two points; the intercept is not below 0."""
    slope = (y[1] - y[0]) / (x[1] - x[0])
    if not slope > 0:
        raise SystemExit(f"clusters_forecast.py: sizes {x} took {y} s: the machine was busy, run it again")
    return slope, max(0.0, y[0] - slope * x[0])


def iteration(bench, job, size, evaluation):
    """Seconds of an iteration besides its evaluations, and evaluations of an iteration."""
    few, many = 2, 6
    count = (bench.evaluations(job, size, many) - bench.evaluations(job, size, few)) / (many - few)
    return max(0.0, bench.per_step(job, size, few, many) - count * evaluation), count


def measure(command, repeats):
    bench = Bench(command, repeats)
    rates = {"bytes": bench.bytes}
    sizes = (4096, 16384)
    pairs = [n * (n - 1) / 2 for n in sizes]
    times = [bench.seconds("weights", n, 1) for n in sizes]
    each = [t / n for t, n in zip(times, sizes)]  # seconds for a sequence
    rates["pair"], rates["packed"] = line([p / n for p, n in zip(pairs, sizes)], each)
    one, many = (bench.seconds("sample-dense", 16 * groups, 8) / 8 for groups in (1, 32))
    rates["group"], rates["table"] = line((1, 32), (one, many))
    sizes = (512, 4096, 12288)  # the largest has three pieces, as large data have many
    times = [bench.per_step("dense-gradient", n, 1, 3) for n in sizes]
    rates["dense"] = line(sizes[1:], times[1:])[0]
    rates["dense_fixed"] = max(0.0, times[0] - sizes[0] * rates["dense"])
    rates["dense_vectors"], rates["dense_evaluations"] = iteration(bench, "dense", sizes[0], times[0])
    for ranks, name in ((1, "dense"), (2, "dense on 2 ranks")):
        formula = dense_bytes(sizes[0], ranks)
        if abs(bench.bytes[name] / formula - 1) > 0.01:
            raise SystemExit(f"clusters_forecast.py: {name}: the trainer takes {bench.bytes[name]} bytes, by the formula {formula:.0f}")
    sizes = (256, 1024)
    times = [bench.per_step("factored-gradient", n, 1, 3) for n in sizes]
    rates["factored"], rates["factored_fixed"] = line(sizes, times)
    rates["factored_vectors"], rates["factored_evaluations"] = iteration(bench, "factored", sizes[0], times[0])
    return rates


def ledger(ranks):
    made = model.Ledger(ranks)
    made.network = Network()
    return made


# Each returns (seconds of the busiest rank, seconds of what every rank does, seconds of messages).
def weights(rates, ranks):
    found = ledger(ranks)
    model.weights(found, SIZE, 1, SITES)
    return rates["pair"] * max(model.pairs_of_ranks(SIZE, ranks)), rates["packed"] * SIZE, found.seconds


def dense(rates, ranks):
    """An iteration of one evaluation."""
    found, n = ledger(ranks), model.dense_unknowns(SITES)
    model.dense_trial(found, n)
    model.dense_evaluation(found, SITES)
    for sums in (2, 2 * (model.HISTORY - 1) + 7, 1):
        model.inner_products(found, n, sums)
    found.meet()
    own = max(model.parts(model.share(SITES, ranks)))
    pieces = max(model.parts(model.share(-(-n // model.PIECE), ranks))) / (-(-n // model.PIECE))
    return (own / SITES * (rates["dense"] * SIZE + rates["dense_fixed"]) + pieces * rates["dense_vectors"],
            2 * 4 * n / Network.copies if ranks > 1 else 0, found.seconds)


def asymmetric(rates, ranks):
    """All sites."""
    found = ledger(ranks)
    model.asymmetric(found, SIZE, SITES, SITES)
    own = sum(max(counts) for counts in model.site_rounds(SITES, SITES, ranks))
    return own * DESCENT / SITES * (rates["dense"] * SIZE + rates["dense_fixed"]), 0, found.seconds


def factored(rates, ranks):
    """An iteration of one evaluation."""
    found = ledger(ranks)
    model.factored_evaluation(found, SIZE, SITES)
    found.meet()
    tasks = model.factored_plan(SIZE, SITES)[0]
    own = max(model.parts(model.share(tasks, ranks))) / tasks
    return own * rates["factored"] * SIZE, rates["factored_fixed"] + rates["factored_vectors"], found.seconds


def sampling(rates, ranks):
    """One call: sweeps, the sequences of each round, the states at the end, clock and stop about every 30 ms."""
    found = ledger(ranks)
    groups = model.groups_of_ranks(CHAINS, 1, ranks)
    own = max(groups)
    seconds = SWEEPS * (-(-own // 32) * rates["table"] + own * rates["group"])
    found.reporter()
    for _ in range(SWEEPS // PER_SEQUENCE):
        found.gather([16 * SITES * g for g in groups])
    for _ in range(math.ceil(seconds / 0.03)):
        found.meet()
    found.gather([16 * SITES * g for g in groups])
    found.check()
    return seconds, 0, found.seconds


JOBS = {"weights": weights, "dense, symmetric": dense, "dense, asymmetric": asymmetric, "factored": factored, "sampling": sampling}


def dense_lists(size):
    return 2 * size * (-(-SITES // 16) * 16 + SITES)


def dense_bytes(size, ranks):
    """Of a trainer of symmetric couplings, without the work space of threads."""
    n = model.dense_unknowns(SITES)
    whole, far = (3, far_pairs(ranks) * COLORS ** 2) if ranks > 1 else (2, 0)
    return dense_lists(size) + 4 * (whole * n + far + (2 * model.HISTORY + 2) * n / ranks)


def far_pairs(ranks):
    own = model.parts(model.share(SITES, ranks))
    return (SITES ** 2 - sum(n * n for n in own)) // 2


def memory(rates, job, ranks):
    """Bytes of a rank: the alignment and what the job takes."""
    data = 8 * SIZE + SIZE * SITES
    if job == "weights":
        return data + SIZE * (-(-SITES // 64) * 64 + 4)
    if job == "dense, symmetric":
        return data + dense_bytes(SIZE, ranks)
    if job == "dense, asymmetric":
        return data + dense_lists(SIZE) + 4 * SITES * (COLORS + (SITES - 1) * COLORS ** 2)
    if job == "factored":
        plan = model.factored_plan(SIZE, SITES)
        return data + rates["bytes"]["factored"] + (8 * sum(plan[1]) * plan[2] if ranks > 1 else 0)
    return rates["bytes"]["sample-dense"] + 8 * (SITES * COLORS) ** 2 + SIZE * SITES  # the sampler has a copy of the model


def last_that_pays(seconds):
    """Doubling the ranks takes at least a tenth off the time up to this number."""
    best = 1
    for few, many in zip(RANKS, RANKS[1:]):
        if seconds[many] > 0.9 * seconds[few]:
            break
        best = many
    return best


def short(seconds):
    return f"{seconds:.3g}" if seconds < 1000 else f"{seconds:.0f}"


def table(rates):
    times = {job: {ranks: function(rates, ranks) for ranks in RANKS} for job, function in JOBS.items()}
    rows = ["| ranks | " + " | ".join(JOBS) + " |", "|---" * (len(JOBS) + 1) + "|"]
    for ranks in RANKS:
        cells = [f"{short(sum(times[job][ranks]))} ({times[job][ranks][2]:.2g})" for job in JOBS]
        rows.append(f"| {ranks} | " + " | ".join(cells) + " |")
    pays = {job: last_that_pays({ranks: sum(t) for ranks, t in times[job].items()}) for job in JOBS}
    rows.append("| pays up to ranks | " + " | ".join(str(n) for n in pays.values()) + " |")
    rows.append("| each rank for itself, s | " + " | ".join(f"{times[job][2][1]:.2g}" for job in JOBS) + " |")
    for ranks in (RANKS[0], RANKS[-1]):
        rows.append(f"| GB of a rank, of {ranks} | " + " | ".join(f"{memory(rates, job, ranks) / 1e9:.2g}" for job in JOBS) + " |")
    return "\n".join(rows) + "\n"


def rate_table(rates):
    """The measured rates of one thread."""
    gradient, own = rates["dense_fixed"], rates["dense_vectors"]
    rows = (("weights", rates["pair"], "pair of sequences", f"{1e6 * rates['packed']:.2g} us per sequence on each rank"),
            ("dense", rates["dense"] / SITES ** 2, "sequence and ordered pair of sites",
             f"{gradient:.2g} s per gradient, {own:.2g} s per iteration of L-BFGS"),
            ("factored", rates["factored"] / SITES, "sequence and site",
             f"{rates['factored_fixed']:.2g} s per gradient, {rates['factored_vectors']:.2g} s per iteration of L-BFGS, on each rank"),
            ("sampling", rates["group"] / 16 / SITES, "site of a chain",
             f"{1e3 * rates['table']:.2g} ms per sweep of up to 512 chains, to read the couplings"))
    lines = ["| job | ns | for each | besides |", "|---|---|---|---|"]
    return "\n".join(lines + [f"| {job} | {1e9 * seconds:.3g} | {unit} | {rest} |" for job, seconds, unit, rest in rows]) + "\n"
