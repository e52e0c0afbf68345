# SPDX-License-Identifier: MIT
"""A function around one function of C, in the languages that call all of them alike (Python, Julia): which parameters it has, what it
makes of them, what it gives. A language says how its expressions look."""
import re

from interface import GETTERS

# Whose the options of functions with these beginnings are, longer ones first; tasks have their kinds.
OWNERS = {"alignment_filter": "FILTER", "alignment_split": "SPLIT", "alignment": "ALIGNMENT", "input": "ALIGNMENT", "sampler": "SAMPLER", "sampling": "SAMPLING",
          "tune": "TUNING", "estimate": "PARTITION", "model_create_lattice": "LATTICE", "trainer": "TRAINER", "select_penalty": "SELECTION", "select_folds": "FOLDS",
          "mean": "MEAN_FIELD", "gaussian": "GAUSSIAN", "mutual": "MUTUAL_INFORMATION",
          "model_asymptotics": "ASYMPTOTICS", "model_score_errors": "ASYMPTOTICS",
          "samples_quality": "QUALITY"}
# Parameters that arrays of these extents tell.
TOLD_BY = {"sites": "L", "colors": "q", "heads": "H", "n": "N", "parameters": "p"}


def wanted(interface):
    """The functions of C that get one. Bindings that have alignment_borrow keep the array with the handle."""
    return [f for f in interface.functions.values()
            if f.returns == "atp_status" and not re.search(r"_context_|_input_|option|_borrow$", f.name)
            and not any(a.kind == "char" or a.role == "pointer" or (a.role, a.name) == ("int", "size") for a in f.arguments)]


def owner_of(name):
    """The constant of atp_options_create() for a function without its atp_; None of tasks, whose kind is an argument."""
    return next((f"ATP_OWNER_{owner}" for begin, owner in OWNERS.items() if f"{name}_".startswith(f"{begin}_")), None)


class Call:
    def __init__(self, function, interface):
        self.f, self.interface = function, interface
        self.name = function.name[4:]
        self.owner = owner_of(self.name)
        self.running = any(a.role == "progress" for a in function.arguments)
        self.made = next((a for a in function.arguments if a.role == "made"), None)
        self.arguments, self.before, self.given = [], [], []
        # Extents that arrays among the arguments tell: symbol -> expression.
        self.known = {}
        for a in function.arguments:
            if a.role == "array" and not a.output and not a.optional:
                for k, s in enumerate(a.shape or ("n",) if function.argument("n") else a.shape):
                    self.known.setdefault(s, self.extent_of_array(a, k))

    def extent(self, symbol):
        if symbol.isdigit():
            return symbol
        if symbol.startswith("ATP_"):
            return self.constant(symbol)
        match = re.fullmatch(r"(.+) ([+-]) (\d+)", symbol)
        if match:
            inner = self.extent(match[1])
            return inner and f"{inner} {match[2]} {match[3]}"
        for a in self.f.arguments:
            if a.role == "handle" and f"atp_{a.kind}_{GETTERS.get(symbol)}" in self.interface.functions and \
                    (self.f.argument(symbol) or a).role != "int":
                return self.extent_of_handle(a, GETTERS[symbol])
        if symbol == "L" and self.f.argument("sites") and self.f.argument("sites").role == "int" and not {"L", "sites"} & set(self.known):
            return "sites"
        if self.f.argument(symbol) and self.f.argument(symbol).role == "int" and symbol not in self.known:
            return symbol
        return self.known.get(symbol) or self.known.get({"L": "sites"}.get(symbol))

    def whole(self, a):
        if a.role == "size":
            of = self.f.argument(a.of)
            return self.length_of(of, of.optional and (of.output or a.of in self.arguments))
        from_array = self.known.get(a.name) or self.known.get(TOLD_BY.get(a.name))
        if from_array:
            return from_array
        optional = next((b for b in self.f.arguments if b.shape == (a.name,) and not b.output), None)
        if a.name == "n" and optional:
            return self.length_or_sites(optional, self.f.arguments[0])
        self.arguments.append(a.name)
        return self.counted(a.name)

    def expected(self, a):
        """The extents of an input, slowest first. Those that are not told yet stand as their symbols: equal ones must be equal."""
        told = [self.extent(s) for s in a.shape]
        own = [self.extent_of_array(a, k) for k in range(len(told))]
        free = [not t or t == s and not s.isdigit() or t in own for s, t in zip(a.shape, told)]
        shape = [self.symbol(s) if f else t for s, t, f in zip(a.shape, told, free)]
        return shape if len(shape) > 1 or shape and not free[0] else []

    def sites_of(self, a):
        """The sites that sequences must have, where a handle tells them."""
        sites = self.extent("L") if a.shape[-1:] == ("L",) and not self.f.argument("sites") else None
        return sites if sites != self.extent_of_array(a, len(a.shape) - 1) else None

    def colors_of(self, a):
        """The colours of the model that sequences are for, where missing sites may stand in them."""
        of_model = a.missing and any(h.role == "handle" and h.kind == "model" for h in self.f.arguments)
        return self.extent("q") if of_model else None

    def shape_made(self, a):
        """The extents of an output, or None: the caller brings it."""
        shape = [self.extent(s) for s in a.shape]
        if not shape and (self.name.endswith("_parameters") or "gradient" in self.name):
            shape = [self.extent("parameters")]
        return None if a.kind == "uint8" and a.shape[0] == "n" or not shape or None in shape else shape

    def double(self, a):
        return a.name

    def nullable(self, a):
        return a.optional or self.name.split("_", 1)[1] in ("set_test", "set_truth", "set_log") and a is not self.f.arguments[0]

    def argument(self, a):
        if a.role in ("int", "size"):
            return self.whole(a)
        if a.role == "handle" and a.kind == "options":
            self.arguments.append("options")
            return self.options()
        if a.role == "array":
            return self.array_out(a) if a.output else self.array_in(a)
        if a.role in ("handle", "double", "enum", "text"):
            self.arguments.append(a.name)
            return getattr(self, a.role)(a)
        if a.role in ("number", "outcome", "place_of_text"):
            return self.place(a)
        return self.place_of_handle(a) if a.role == "made" else {"progress": "callback", "user": "user"}[a.role]
