#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How close the kernels come to what one thread of this machine can do, for every SIMD target.

usage: roofline.py BUILD [--runs N] > docs/results/roofline.csv, then tools/ci/speed_table.py write

BUILD is a release build with `ninja -C BUILD bench/ratios bench/roofline`. Each run measures the machine (bench/roofline) and then the
kernels (bench/ratios --ours); the table has the best rate of N runs (default 3) of both, since other programs only slow a run down.

The work of a unit is written as formulas of numbers of float32: multiply-adds, other operations, look-ups, loads from each level of the
caches, stores. A phase of a kernel cannot be faster than its scarcest resource; phases follow each other. Their sum is the bound. Formulas
count what an algorithm cannot do without, so that the share that is reached is too small rather than too large: addresses, branches,
loads of constants and what surrounds the loops are left out. Names in formulas: L sites, q colours, N sequences, W floats of a vector,
row(n) = n rounded up to whole vectors, wide = 1 with AVX-512 and 0 otherwise.
"""
import argparse
import collections
import csv
import datetime
import math
import os
import pathlib
import subprocess
import sys

TARGETS = ("avx512", "avx2", "sse4", "neon")
RESOURCES = ("multiply_adds", "operations", "look_ups", "loads_l1", "loads_l2", "loads_l3", "loads_memory", "stores_l1")
Kernel = collections.namedtuple("Kernel", "name sizes phases")

# Per colour and update: an exponential of 8 multiply-adds, and 8 operations for the largest field, the sums and the comparison with the
# random number, which itself takes 36 operations (Philox).
DRAW = {"multiply_adds": "8*q", "operations": "(9-wide)*q + 36", "loads_l1": "3*q", "stores_l1": "2*q"}
SOFTMAX = {"multiply_adds": "9*{0}", "operations": "(12-wide)*{0}"}


def added(*works):
    total = collections.defaultdict(list)
    for work in works:
        for resource, formula in work.items():
            total[resource].append(formula)
    return {resource: " + ".join(formulas) for resource, formulas in total.items()}


def times(factor, work):
    return {resource: f"{factor}*({formula})" for resource, formula in work.items()}


def softmax(colors):
    return {resource: formula.format(colors) for resource, formula in SOFTMAX.items()}


def attention(name, sites, colors, stores):
    columns = {
        "sums by colour": {"operations": "L", "loads_l1": "2*L", "stores_l1": stores},
        "three products": {"multiply_adds": "3*q*(q-1)", "loads_l1": "3*q*(q-1)/5"},
        "softmax": softmax("(q-1)"),
        "derivative of A": {"operations": "L", "loads_l1": "2*L", "stores_l1": "L"},
    }
    return Kernel(name, {"L": sites, "q": colors}, {phase: times("L", work) for phase, work in columns.items()})


def encoder(name, sites, colors, width, blocks):
    """A block of width d and 2 d between the layers; the last block at the masked site alone. Matrices of queries and keys are multiplied
    before, those of values and outputs, too. Backward takes twice as much as forward."""
    block = "(6*L*d*d + 2*L*L*d)"
    last = "(6*d*d + 2*L*d + q*d)"
    return Kernel(name, {"L": sites, "q": colors, "d": width, "B": blocks}, {"products": {"multiply_adds": f"3*((B-1)*{block} + {last})"}})


def pairs(name, sites, colors):
    """Pieces of 64 sites, a byte each: 16 float32. A look-up and a full adder for eight colours, half an operation for its higher planes."""
    pieces = sum(math.ceil((sites - 1 - i) / 64) for i in range(sites))
    work = {"operations": "16*P*(ceil(q/8)*(6.5-3*wide) + ceil(q/16))", "loads_l2": "16*P"}
    return Kernel(name, {"L": sites, "q": colors, "P": pieces / (sites * (sites - 1) / 2)}, {"adders": work})


KERNELS = [
    Kernel("gibbs_factored_L20_q20", {"L": 20, "q": 20}, {"update": added(
        {"multiply_adds": "L*q", "loads_l1": "L*q/2", "stores_l1": "q", "look_ups": "q"}, DRAW)}),
    Kernel("gibbs_factored_L256_q20", {"L": 256, "q": 20}, {
        "sums by colour": {"operations": "L", "loads_l1": "1.25*L", "stores_l1": "L"},
        "update": added({"multiply_adds": "q*q + 15/2*q", "look_ups": "2*q"}, DRAW)}),
    Kernel("gibbs_dense_L100_q21", {"L": 100, "q": 21}, {
        "fields": {"look_ups": "wide*(L-1)*q", "operations": "(L-1)*(wide*q + (1-wide)*row(24))", "loads_l1": "(L-1)*(wide*q/2 + (1-wide)*row(24))",
                   "loads_l2": "wide*(L-1)*q*24/64"},
        "update": DRAW}),
    Kernel("gibbs_lattice_32x32_q2", {"q": 2}, {"update": added({"multiply_adds": "4*q", "look_ups": "4*q", "operations": "4"}, DRAW)}),
    Kernel("gibbs_lattice_32x32_q5", {"q": 5}, {"update": added({"multiply_adds": "4*q", "look_ups": "4*q", "operations": "4"}, DRAW)}),
    Kernel("gibbs_lattice_32x32_q5_matrices", {"q": 5}, {"update": added({"look_ups": "4*q", "operations": "4*q + 4"}, DRAW)}),
    attention("attention_L20_q20_N3000", 20, 20, "L"),
    attention("attention_L256_q21_N1000", 256, 21, "q"),
    # Sequences are random: every pair of neighbouring sites has all q^2 pairs of colours, which share sums.
    Kernel("plm_gradient_L159_q21_N3629", {"L": 159, "q": 21, "N": 3629}, {
        "sums of rows": {"operations": "L*(L-1)/2*q*q*row(24)", "loads_l1": "L*(L-1)/2*2*q*q*row(24)",
                         "stores_l1": "L*(L-1)/2*q*q*row(24)"},
        "forward": {"operations": "N*L*(L-1)/2*row(24)", "loads_l1": "N*L*(L-1)/2*row(24)"},
        "softmax": times("N*L", softmax("q")),
        "backward": {"operations": "N*L*(L-1)/2*row(24)", "loads_l2": "N*L*(L-1)/2*row(24)"},
        "sums of classes": {"operations": "L*(L-1)*q*q*row(24)", "loads_l1": "L*(L-1)*q*q*row(24)"},
        "couplings": {"loads_memory": "L*(L-1)*q*q"}}),
    encoder("encoder_blocks3_L20_q20_d20_N100", 20, 20, 20, 3),
    encoder("encoder_blocks3_L50_q21_d64_N100", 50, 21, 64, 3),
    # At least the 64 columns that are compared first; sequences of eight in registers.
    Kernel("weights_N20000_L200", {}, {"first 64 columns": {"operations": "16", "loads_l1": "16"}}),
    pairs("pairs_L108_q5_N10000", 108, 5),
    pairs("pairs_L66_q21_N10000", 66, 21),
    pairs("pairs_L159_q21_N10000", 159, 21),
]


def quantity(formula, kernel, lanes):
    """A number of float32, from a formula."""
    names = {"W": lanes, "wide": int(lanes == 16), "row": lambda n: math.ceil(n / lanes) * lanes, "ceil": math.ceil, **kernel.sizes}
    return eval(formula, {"__builtins__": {}}, names)


def bound(kernel, target, machine):
    """Units per second at most, and the resources that bound the phases, that of the longest phase first."""
    phases = []
    for work in kernel.phases.values():
        needs = {r: quantity(f, kernel, machine["lanes"]) / (machine["lanes"] * machine[r]) for r, f in work.items()}
        # Multiply-adds take some of the ports of other operations, and twice as many of them where they are two instructions.
        multiply_adds, operations = needs.pop("multiply_adds", 0), needs.pop("operations", 0)
        both = multiply_adds * machine["multiply_adds"] * (2 if target == "sse4" else 1) / machine["operations"] + operations
        needs["arithmetic"] = max(multiply_adds, both)
        phases.append(max((seconds, resource) for resource, seconds in needs.items()))
    phases.sort(reverse=True)
    total = sum(seconds for seconds, _ in phases)
    names = dict.fromkeys(resource for seconds, resource in phases if seconds > 0.15 * total)
    return 1 / total, " + ".join(names)


def run(command, target=None):
    environment = {**os.environ, **({"ATP_SIMD": target} if target else {})}
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))), text


def measure(build, runs):
    """Best rates of the machine and of the kernels: {target: {name: rate}} and {(target, name): (rate, unit)}."""
    machines, rates, arrays = collections.defaultdict(dict), {}, ""
    for _ in range(runs):
        rows, text = run([str(build / "bench/roofline")])
        arrays = "; ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
        for row in rows:
            best = machines[row["target"]]
            best[row["resource"]] = max(float(row["rate"]), best.get(row["resource"], 0))
        for target in machines:
            for row in run([str(build / "bench/ratios"), "--ours", *(k.name for k in KERNELS)], target)[0]:
                key = target, row["name"]
                rates[key] = max((float(row["ours"]), row["unit"]), rates.get(key, (0, "")))
    return machines, rates, arrays


def processor():
    names = [line.partition(": ")[2] for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return (names or ["unknown processor"])[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    machines, rates, arrays = measure(arguments.build, arguments.runs)
    print(f"# {datetime.date.today()}, {processor()}, load {os.getloadavg()[0]:.1f}, best of {arguments.runs} runs")
    print(f"# {arrays}")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["target", "name", "unit", "rate", "bound", "share", "bound_by"])
    for target in sorted(machines, key=TARGETS.index):
        machine = machines[target]
        for resource in RESOURCES:
            out.writerow([target, resource, "vectors/s", f"{machine[resource]:.4g}", "", "", ""])
        for kernel in KERNELS:
            rate, unit = rates[target, kernel.name]
            most, resources = bound(kernel, target, machine)
            out.writerow([target, kernel.name, unit, f"{rate:.4g}", f"{most:.4g}", f"{rate / most:.2f}", resources])


if __name__ == "__main__":
    main()
