#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training steps of the encoder and of factored attention against PyTorch on one thread of the same machine.

usage: bench/transformer_torch.py LIBRARY [--repeats N] [--compile]

LIBRARY is the file libattopotts.so. A step is forward, backward and SGD on a batch of 100 sequences, L = q = d = 20, hidden 40. First both get the same
parameters and must agree on loss and gradient to 1e-4 (status 1 otherwise); then they take turns. Times are processor time of the one thread, medians
over the repeats. Ours include the drawing of batches and masks, theirs do not: a batch is made once. In PyTorch there are several ways to write a step;
the CSV has them all, and the ratio to each. --compile adds torch.compile of the faster ways, which takes a minute and a C++ compiler.

Without PyTorch: one line and status 77.
"""
import argparse
import ctypes
import datetime
import itertools
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

try:
    import torch
    from torch.nn import functional
except ImportError:
    print("skipped: no PyTorch in this Python")
    sys.exit(77)

BATCH, L, Q, D, HIDDEN = 100, 20, 20, 20, 40
ENCODER = 3  # ATP_FAMILY_ENCODER
SEQUENCES = 10 * BATCH


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--compile", action="store_true")
    return parser.parse_args()


def machine():
    """Day, processor and the library's SIMD target, for the reader of the table."""
    lib.atp_simd_target.restype, lib.atp_simd_target.argtypes = ctypes.c_char_p, [ctypes.c_int64]
    targets = list(itertools.takewhile(lambda name: name is not None, map(lib.atp_simd_target, itertools.count())))
    names = [line.partition(": ")[2] for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    load = os.getloadavg()[0]
    return f"{datetime.date.today()}, {(names or ['unknown processor'])[0]}, {targets[-1].decode()}, load {load:.1f}"


TRAINER = 104  # ATP_OWNER_TRAINER


class Ours:
    """A handle atp_trainer on random sequences."""

    def __init__(self, sequences, options):
        self.context, bag, self.alignment, self.handle = (ctypes.c_void_p() for _ in range(4))
        check(lib.atp_context_create(None, None, None, ctypes.addressof(self.context)))
        check(lib.atp_context_set_threads(self.context, 1))
        check(lib.atp_options_create(self.context, TRAINER, ctypes.addressof(bag)))
        for name, value in options.items():
            check(lib.atp_options_set_f64(bag, lib.atp_option_from_name(name.encode()), float(value)))
        self.data = (ctypes.c_uint8 * sequences.numel())(*sequences.flatten().tolist())
        check(lib.atp_alignment_create(self.context, ctypes.addressof(self.data), len(sequences), L, Q, None, ctypes.addressof(self.alignment)))
        check(self.call("create")(self.context, self.alignment, bag, ctypes.addressof(self.handle)))
        lib.atp_options_destroy(bag)
        self.size = self.call("parameter_count")(self.handle)

    def call(self, name):
        return getattr(lib, f"atp_trainer_{name}")

    def parameters(self):
        x = (ctypes.c_double * self.size)()
        check(self.call("parameters")(self.handle, ctypes.addressof(x), self.size))
        return torch.tensor(list(x), dtype=torch.float64)

    def set_parameters(self, values):
        x = (ctypes.c_double * self.size)(*values.tolist())
        check(self.call("set_parameters")(self.handle, ctypes.addressof(x), self.size))

    def masked_gradient(self, sites):
        """Loss and gradient over all its sequences, one masked site each."""
        loss, gradient = ctypes.c_double(), (ctypes.c_double * self.size)()
        masks = (ctypes.c_int64 * len(sites))(*sites.tolist())
        check(self.call("masked_gradient")(self.handle, ctypes.addressof(masks), len(sites), ctypes.addressof(loss), None,
                                           ctypes.addressof(gradient), self.size))
        return loss.value, torch.tensor(list(gradient), dtype=torch.float64)

    def step_time(self, epochs):
        begin = time.process_time()
        check(self.call("run")(self.handle, epochs, None, None, None))
        return (time.process_time() - begin) / (epochs * SEQUENCES / BATCH)


def positions():
    angle = torch.arange(L)[:, None] / 10000 ** (torch.arange(0, D, 2)[None] / D)
    return torch.stack([angle.sin(), angle.cos()], 2).reshape(L, D).float()


class Layers(torch.nn.Module):
    """The encoder from PyTorch's own TransformerEncoderLayer."""

    def __init__(self, blocks):
        super().__init__()
        self.tokens = torch.nn.Embedding(Q + 1, D)
        self.blocks = torch.nn.ModuleList(torch.nn.TransformerEncoderLayer(D, 1, HIDDEN, 0.0, batch_first=True) for _ in range(blocks))
        self.output = torch.nn.Linear(D, Q)
        self.positions = positions()

    def ordered(self):
        """Parameters in the order of the library."""
        yield self.tokens.weight
        for b in self.blocks:
            yield from (b.self_attn.in_proj_weight, b.self_attn.in_proj_bias, b.self_attn.out_proj.weight, b.self_attn.out_proj.bias, b.norm1.weight,
                        b.norm1.bias, b.linear1.weight, b.linear1.bias, b.linear2.weight, b.linear2.bias, b.norm2.weight, b.norm2.bias)
        yield from (self.output.weight, self.output.bias)

    def forward(self, tokens, rows, sites):
        x = self.tokens(tokens) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.output(x[rows, sites])


class ByHand(torch.nn.Module):
    """The same with functions alone, and only the masked site in the last block."""

    def __init__(self, blocks):
        super().__init__()
        shapes = [(Q + 1, D)] + blocks * [(3 * D, D), (3 * D,), (D, D), (D,), (D,), (D,), (HIDDEN, D), (HIDDEN,), (D, HIDDEN), (D,), (D,), (D,)] + [(Q, D), (Q,)]
        self.list = torch.nn.ParameterList(torch.nn.Parameter(torch.zeros(shape)) for shape in shapes)
        self.blocks = blocks
        self.positions = positions()

    def ordered(self):
        return iter(self.list)

    def forward(self, tokens, rows, sites):
        p = list(self.list)
        x = functional.embedding(tokens, p[0]) + self.positions
        for b in range(self.blocks):
            qkv, qkv_bias, out, out_bias, g1, h1, w1, b1, w2, b2, g2, h2 = p[1 + 12 * b:13 + 12 * b]
            if b + 1 < self.blocks:
                query, key, value = functional.linear(x, qkv, qkv_bias).split(D, 2)
                weights = torch.softmax(torch.bmm(query, key.transpose(1, 2)) / math.sqrt(D), 2)
                context = torch.bmm(weights, value)
            else:
                masked = x[rows, sites]
                key, value = functional.linear(x, qkv[D:], qkv_bias[D:]).split(D, 2)
                query = functional.linear(masked, qkv[:D], qkv_bias[:D])
                weights = torch.softmax(torch.bmm(key, query[:, :, None])[:, :, 0] / math.sqrt(D), 1)
                context = torch.bmm(weights[:, None], value)[:, 0]
                x = masked
            y = functional.layer_norm(x + functional.linear(context, out, out_bias), (D,), g1, h1)
            x = functional.layer_norm(y + functional.linear(torch.relu(functional.linear(y, w1, b1)), w2, b2), (D,), g2, h2)
        return functional.linear(x, p[-2], p[-1])


class Factored(torch.nn.Module):
    """logits_i = sum_{j != i} A_ij V e_{s_j}; with `sites` one of them for each sequence, else all."""

    def __init__(self, one_hot):
        super().__init__()
        self.maps, self.values = torch.nn.Parameter(torch.zeros(L, L)), torch.nn.Parameter(torch.zeros(Q, Q))
        self.mask, self.one_hot = 1 - torch.eye(L), one_hot

    def ordered(self):
        return iter((self.maps, self.values))

    def forward(self, tokens, rows, sites):
        maps = self.maps * self.mask
        if self.one_hot:  # tokens [B][L][Q], zeros and ones
            if sites is None:
                return torch.matmul(maps, tokens) @ self.values.T
            return torch.bmm(maps[sites][:, None], tokens)[:, 0] @ self.values.T
        values = self.values.T[tokens]
        return torch.matmul(maps, values) if sites is None else torch.bmm(maps[sites][:, None], values)[:, 0]


def set_ordered(net, values):
    first = 0
    with torch.no_grad():
        for p in net.ordered():
            p.copy_(values[first:first + p.numel()].reshape(p.shape))
            first += p.numel()
    assert first == len(values)


def agree(name, ours, net, sequences, inputs, sites, targets):
    """The same loss and gradient at parameters of order one half; returns the two differences."""
    random.seed(2)
    values = torch.tensor([random.gauss(0, 0.5) for _ in range(ours.size)], dtype=torch.float64)
    if isinstance(net, Factored):
        values[:L * L].reshape(L, L).fill_diagonal_(0)
    ours.set_parameters(values)
    set_ordered(net, values)
    loss, gradient = ours.masked_gradient(sites)
    net.zero_grad()
    other = functional.cross_entropy(net(*inputs), targets)
    other.backward()
    expected = torch.cat([p.grad.flatten() for p in net.ordered()]).double()
    differences = abs(loss - other.item()) / loss, ((gradient - expected).norm() / gradient.norm()).item()
    print(f"# {name}: relative difference of loss {differences[0]:.1e}, of gradient {differences[1]:.1e}")
    if not max(differences) < 1e-4:
        print(f"{name}: the library and PyTorch differ", file=sys.stderr)
        sys.exit(1)


def step_time(net, optimizer, inputs, targets, steps):
    begin = time.process_time()
    for _ in range(steps):
        optimizer.zero_grad()
        logits = net(*inputs)
        functional.cross_entropy(logits.reshape(-1, Q), targets).backward()
        optimizer.step()
    return (time.process_time() - begin) / steps


def measure(case, ours, nets, repeats):
    """nets: name -> (module, inputs, targets)."""
    steps = {}
    optimizers = {name: torch.optim.SGD(net.parameters(), lr=1e-3) for name, (net, _, _) in nets.items()}
    for name, (net, inputs, targets) in nets.items():  # warm up; then about 50 ms a repeat
        step_time(net, optimizers[name], inputs, targets, 5)
        steps[name] = max(1, int(0.05 / step_time(net, optimizers[name], inputs, targets, 5)))
    ours.step_time(2)
    epochs = max(1, int(0.05 / (10 * ours.step_time(5))))
    times = {name: [] for name in ["", *nets]}
    for _ in range(repeats):
        times[""].append(ours.step_time(epochs))
        for name, (net, inputs, targets) in nets.items():
            times[name].append(step_time(net, optimizers[name], inputs, targets, steps[name]))
    own = statistics.median(times[""])
    for name in nets:
        other = statistics.median(times[name])
        print(f"{case},{name},{1e6 * own:.1f},{1e6 * other:.1f},{other / own:.1f}", flush=True)


def main():
    arguments = parse()
    os.environ["ATTOPOTTS_LIBRARY"] = str(arguments.library.resolve())
    bindings = pathlib.Path(__file__).resolve().parent.parent / "bindings"
    subprocess.run([sys.executable, str(bindings / "generate.py"), "python"], check=True)
    sys.path.insert(0, str(bindings / "python/src"))
    global lib, check
    from attopotts._library import check, lib

    torch.set_num_threads(1)
    torch.manual_seed(1)
    all_sequences = torch.randint(0, Q, (SEQUENCES, L))
    sequences, rows = all_sequences[:BATCH], torch.arange(BATCH)
    sites = torch.randint(0, L, (BATCH,))
    targets = sequences[rows, sites]
    tokens = sequences.clone()
    tokens[rows, sites] = Q
    one_hot = functional.one_hot(sequences, Q).float()
    print(f"# {machine()}")
    print(f"# attopotts {lib.atp_version_string().decode()}, torch {torch.__version__}, one thread, L = q = d = {L}, batch {BATCH}, medians of {arguments.repeats}")

    encoders = {blocks: {"layers": Layers(blocks), "by hand": ByHand(blocks)} for blocks in (1, 3)}
    masked = tokens, rows, sites
    for blocks, ways in encoders.items():
        for way, net in ways.items():
            ours = Ours(sequences, {"family": ENCODER, "width": D, "hidden": HIDDEN, "blocks": blocks})
            agree(f"encoder of {blocks}, {way}", ours, net, sequences, masked, sites, targets)
    factored = {"look-ups": Factored(False), "one-hot": Factored(True)}
    for way, net in factored.items():
        ours = Ours(sequences, {})
        agree(f"factored, {way}", ours, net, sequences, (one_hot if net.one_hot else sequences, rows, sites), sites, targets)

    print("case,torch,ours_us,torch_us,ratio")
    common = {"batch": BATCH, "epochs": 1e9, "rate": 1e-3, "optimizer": 2}
    for blocks, ways in encoders.items():
        if arguments.compile:
            ways["by hand compiled"] = torch.compile(ways["by hand"])
        ours = Ours(all_sequences, {"family": ENCODER, "width": D, "hidden": HIDDEN, "blocks": blocks, **common})
        measure(f"encoder_blocks{blocks}", ours, {way: (net, masked, targets) for way, net in ways.items()}, arguments.repeats)
    if arguments.compile:
        factored["one-hot compiled"] = torch.compile(factored["one-hot"])
    for name, objective, chosen, goal in (("factored_one_site", 2, sites, targets), ("factored_all_sites", 1, None, sequences.flatten())):
        ours = Ours(all_sequences, {"objective": objective, **common})
        nets = {way: (net, (sequences if way == "look-ups" else one_hot, rows, chosen), goal) for way, net in factored.items()}
        measure(name, ours, nets, arguments.repeats)


if __name__ == "__main__":
    main()
