# SPDX-License-Identifier: MIT
"""The Python package: signatures, enums (_generated.py), and a function for each function of C (_calls.py) that takes and gives what Python has.

What _calls.py makes of parameters: handles are objects; contexts may be None, that of the thread; options are dicts; words stand for enums;
arrays are converted, and made where they are outputs of a shape that the header tells; sizes are left out. Outputs are returned, the outcome
of a run last, as its word."""
import re
import textwrap

from interface import NOTE, of_io, short_names

TYPES = {"void": "None", "int": "c_int", "int64": "c_int64", "uint64": "c_uint64", "double": "c_double", "string": "c_char_p"}
DTYPES = {"double": "np.float64", "float": "np.float32", "int64": "np.int64", "uint8": "np.uint8", "byte": "np.uint8"}
# The options that functions of a header take: hundreds of keys, or names.
FAMILIES = {"alignment": "(3,)", "input": "(3,)", "sampler": "(1,)", "tune": "(1,)", "trainer": "(2,)", "transformer": "(2,)",
            "task": "TASK_OPTIONS[kind]"}
SYMBOLS = {"N": ("alignment",), "L": ("model", "alignment", "sampler"), "q": ("model", "alignment"), "H": ("model",), "C": ("sampler",),
           "K": ("sampler",), "parameters": ("trainer", "transformer"), "p": ("masked",), "rows": ("table",), "columns": ("table",)}
GETTERS = {"N": "count", "L": "sites", "q": "colors", "H": "heads", "C": "chains", "K": "temperatures", "parameters": "parameter_count",
           "p": "parameters", "rows": "rows", "columns": "columns"}


def camel(name):
    return "".join(word.capitalize() for word in name.split("_")[1:])


def signatures(interface):
    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", '"""Signatures and constants of the C API."""', "import enum",
           "from ctypes import c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p", ""]
    out.append(f"ABI = {interface.abi}  # of the headers that this was written from")
    for name, value in interface.macros.items():
        out.append(f"{name[4:]} = {value}")
    for e in interface.enums:
        out += ["", "", f"class {camel(e.name)}(enum.IntEnum):"]
        out += [f"    {name} = {value}" for name, value in short_names(e).items()]
    out += ["", "", "# name: (what it returns, what it takes), of the core and then of the library of files", "SIGNATURES = {"]
    for f in sorted(interface.declared, key=of_io):
        if of_io(f) and "IO_SIGNATURES = {" not in out:
            out += ["}", "IO_SIGNATURES = {"]
        arguments = ", ".join(TYPES.get(interface.kind(p.type), "c_void_p") for p in f.parameters)
        line = f'    "{f.name}": ({TYPES.get(interface.kind(f.returns), "c_void_p")}, [{arguments}]),'
        out += textwrap.wrap(line, 120, subsequent_indent="        ", drop_whitespace=True, break_long_words=False, initial_indent="    ")
    out += ["}", "", "# Enums of options that have one; options of the kinds of tasks.", "OPTION_ENUMS = {"]
    out += [f"    Option.{name[8:]}: {camel(enum)}," for name, enum in interface.option_enums.items()]
    out += ["}", "TASK_OPTIONS = {"]
    out += [f"    TaskKind.{name[9:]}: {tuple(names)}," for name, names in interface.task_options.items() if names]
    return "\n".join(out + ["}", ""])


class Call:
    """One function of _calls.py."""

    def __init__(self, function, interface):
        self.f, self.interface = function, interface
        self.name = function.name[4:]
        self.arguments, self.before, self.call, self.given = [], [], [], []
        # Extents that arrays among the arguments tell: symbol -> expression.
        self.known = {}
        for a in function.arguments:
            if a.role == "array" and not a.output and not a.optional:
                for k, s in enumerate(a.shape or ("n",) if function.argument("n") else a.shape):
                    self.known.setdefault(s, f"{a.name}.shape[{k}]")

    def extent(self, symbol):
        if symbol.isdigit():
            return symbol
        if symbol.startswith("ATP_"):
            return symbol[4:]
        match = re.fullmatch(r"(.+) ([+-]) (\d+)", symbol)
        if match:
            inner = self.extent(match[1])
            return inner and f"{inner} {match[2]} {match[3]}"
        for a in self.f.arguments:
            if a.role == "handle" and a.kind in SYMBOLS.get(symbol, ()):
                return f"lib.atp_{a.kind}_{GETTERS[symbol]}({a.name}._address)"
        if symbol == "L" and self.f.argument("sites") and self.f.argument("sites").role == "int" and not {"L", "sites"} & set(self.known):
            return "sites"
        if self.f.argument(symbol) and self.f.argument(symbol).role == "int" and symbol not in self.known:
            return symbol
        return self.known.get(symbol) or self.known.get({"L": "sites"}.get(symbol))

    def whole(self, a):
        if a.role == "size":
            of = self.f.argument(a.of)
            return f"0 if {a.of} is None else {a.of}.size" if of.optional and a.of in self.arguments else f"{a.of}.size"
        from_array = self.known.get(a.name) or self.known.get({"sites": "L", "colors": "q", "heads": "H", "n": "N", "parameters": "p"}.get(a.name))
        if from_array:
            return from_array
        optional = next((b for b in self.f.arguments if b.shape == (a.name,) and not b.output), None)
        if a.name == "n" and optional:
            owner = self.f.arguments[0]
            return f"lib.atp_{owner.kind}_sites({owner.name}._address) if {optional.name} is None else {optional.name}.size"
        self.arguments.append(a.name)
        return a.name

    def array_in(self, a):
        self.arguments.append(a.name)
        rank = max(len(a.shape), 1)
        if a.kind == "uint8":
            owner = self.extent("L") if a.shape[-1:] == ("L",) and rank == 2 and not self.f.argument("sites") else None
            made = f'colors_array({a.name}, "{a.name}", {rank}{f", {owner}" if owner and "shape" not in owner else ""})'
        elif a.kind == "byte":
            made = f"np.frombuffer({a.name}, dtype=np.uint8)"
        else:
            # Extents that are not told yet stand as their symbols: equal ones must be equal.
            shape = []
            for s in a.shape:
                told = self.extent(s)
                shape.append(f'"{s}"' if not told or told == s or told.startswith(a.name + ".") else told)
            checked = f', ({", ".join(shape)}{"," if rank == 1 else ""})' if rank > 1 or shape and not shape[0].startswith('"') else ""
            made = f'array_of({a.name}, "{a.name}", {DTYPES[a.kind]}{checked})'
        if a.optional:
            made = f"None if {a.name} is None else {made}"
        self.before.append(f"{a.name} = {made}")
        return f"pointer({a.name})" if a.optional else f"{a.name}.ctypes.data"

    def array_out(self, a):
        shape = [self.extent(s) for s in a.shape]
        if not shape and self.name.endswith("_parameters"):
            shape = [self.extent("parameters")]
        if not shape and "gradient" in self.name:
            shape = [self.extent("parameters")]
        if a.optional and "gradient" not in self.name or a.kind == "uint8" and a.shape[0] == "n" or not shape or None in shape:
            self.arguments.append(a.name)
            self.given.append(a.name)
            return f"pointer({a.name})"
        self.before.append(f"{a.name} = np.empty(({', '.join(shape)}{',' if len(shape) == 1 else ''}), dtype={DTYPES[a.kind]})")
        self.given.append(a.name)
        return f"{a.name}.ctypes.data"

    def argument(self, a):
        if a.role in ("int", "size"):
            return self.whole(a)
        if a.role == "handle" and a.kind == "options":
            self.arguments.append("options")
            self.before.append(f"bag = bag_of({FAMILIES[self.name.split('_')[0]]}, options)")
            return "bag.address"
        if a.role == "handle":
            self.arguments.append(a.name)
            if a.kind == "context":
                return f"({a.name} or default_context())._address" if self.name.split("_")[0] != "context" else "context._address"
            nullable = a.optional or self.name.split("_", 1)[1] in ("set_test", "set_truth", "set_log") and a is not self.f.arguments[0]
            return f"None if {a.name} is None else {a.name}._address" if nullable else f"{a.name}._address"
        if a.role == "double":
            self.arguments.append(a.name)
            return a.name
        if a.role == "enum":
            self.arguments.append(a.name)
            return f'member({camel("atp_" + a.kind)}, {a.name}, "{a.name}")'
        if a.role == "text":
            self.arguments.append(a.name)
            if a.name == "path":
                return "fsencode(path)"
            empty = a.optional or a.name in ("alphabet", "residues")
            return f"{a.name}.encode() if {a.name} else None" if empty else f"{a.name}.encode()"
        if a.role == "array":
            return self.array_out(a) if a.output else self.array_in(a)
        if a.role in ("number", "outcome", "place_of_text"):
            kind = {"int64": "c_int64", "double": "c_double", "int": "c_int", "": "c_int"}[a.kind]
            self.before.append(f"{a.name}_ = {'c_char_p' if a.role == 'place_of_text' else kind}()")
            value = {"outcome": f"outcome_name({a.name}_.value)", "place_of_text": f"{a.name}_.value.decode()"}
            self.given.append(value.get(a.role, f"{a.name}_.value"))
            return f"addressof({a.name}_)"
        if a.role == "made":
            self.before.append("made = c_void_p()")
            self.given.append("made.value")
            return "addressof(made)"
        return {"progress": "callback", "user": "user"}[a.role]

    def write(self):
        if any(a.role == "pointer" for a in self.f.arguments):
            return ""
        call = f"lib.{self.f.name}({', '.join([self.argument(a) for a in self.f.arguments])})"
        running = any(a.role == "progress" for a in self.f.arguments)
        arguments = self.arguments + (["progress=None"] if running else [])
        check = f"run(lambda callback, user: {call}, progress)" if running else f"check({call})"
        out = [f"def {self.name}({', '.join(arguments)}):", *("    " + b for b in self.before), "    " + check]
        made = next((a for a in self.f.arguments if a.role == "made"), None)
        if made:
            needs = [f"{a.name}._owned" for a in self.f.arguments if a.role == "handle" and a.name == "train"]
            given = [a for a in self.f.arguments if a.kind == "context"]
            owner = "context" if given else f"{self.f.arguments[0].name}._context"
            if given and made.kind != "context":
                out.insert(1, "    context = context or default_context()")
            # The handle's owner keeps what the library reads as long as it lives.
            own = f"Owned(made.value, lib.atp_{made.kind}_destroy, {', '.join([f'{owner}._owned'] + needs)})"
            self.given[self.given.index("made.value")] = own
        if self.given:
            out.append(f"    return {', '.join(self.given)}")
        return "\n".join(out).replace("(context or default_context())", "context" if made else "(context or default_context())")


def calls(interface):
    functions = [f for f in interface.functions.values() if f.returns == "atp_status" and not re.search(r"_context_|_input_|option", f.name)
                 and not any(a.kind == "char" or a.role == "pointer" for a in f.arguments)]
    written = [Call(f, interface).write() for f in functions]
    enums = sorted(set(re.findall(r"member\((\w+)", "\n".join(written))))
    head = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", '"""The functions of the C API, with what Python has for arguments and results."""',
            "from ctypes import addressof, c_char_p, c_double, c_int, c_int64, c_void_p", "from os import fsencode", "", "import numpy as np", "",
            f"from ._generated import {', '.join(['COMPARISON_COLUMNS', 'COMPARISON_ROWS', *enums, 'TASK_OPTIONS'])}",
            "from ._handle import Owned, array_of, colors_array, member, pointer, run", "from ._library import check, lib, outcome_name",
            "from ._options import bag_of", "from .context import default_context"]
    return "\n".join(head) + "\n\n\n" + "\n\n\n".join(w for w in written if w) + "\n"


def properties(interface):
    """Classes of what handles tell with one call: numbers, texts, views of arrays; those that can be set, too."""
    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", '"""What handles tell with one call: the bases of their classes."""', "import numpy as np", "",
           "from . import _calls", "from ._handle import Handle, array_of, view", "from ._library import check, lib", ""]
    for kind in ("alignment", "model", "sampler", "trainer", "transformer", "masked"):
        out += ["", f"class {kind.capitalize()}Handle(Handle):", f"    _kind = \"{kind}\"", ""]
        for f in interface.functions.values():
            short = f.name[len(f"atp_{kind}_"):]
            array = [a.role for a in f.arguments] == ["handle", "array", "size"] and f.arguments[1].kind == "double" and f.arguments[1].output
            single = len(f.arguments) == 1 and f.returns != "atp_status" and short not in ("destroy", "state_bytes", "context")
            if f.name.startswith(f"atp_{kind}_") and (single or array and not short.startswith("couplings")):
                out += property_of(f, kind, short.replace("_view", ""), interface)
    return "\n".join(out).rstrip() + "\n"


def property_of(f, kind, name, interface):
    text = re.split(r"(?<=[a-z\])])\.\s|;", f.text, maxsplit=1)[0].rstrip(".")
    call = f"lib.{f.name}(self._address)"
    if f.returns == "void":
        return [f"    def {name}(self):", f'        """{text}."""', f"        {call}", ""]
    if f.returns == "atp_status":
        value, returns, text = f"_calls.{f.name[4:]}(self)", "np.ndarray", text + "; a copy"
        return described_property(f, kind, name, interface, value, returns, text)
    shape = re.findall(r"\[([^\]]+)\]", (re.search(r"shape ((?:\[[^\]]+\])+)", f.text) or [0, "[L]"])[1])
    value, returns = {
        "const char *": (call + ".decode(errors=\"replace\")", "str"), "int64_t": (call, "int"), "double": (call, "float"),
        "int": (f"bool({call})", "bool")}.get(f.returns, (None, "np.ndarray"))
    if value is None:
        sizes = ", ".join(f"lib.atp_{kind}_{GETTERS[s]}(self._address)" for s in shape)
        dtype = {"uint8_t": "np.uint8", "double": "np.float64", "int64_t": "np.int64"}[f.returns.split()[1]]
        value, text = f"view(self._owned, {call}, ({sizes},), {dtype})", f"{text}; read-only, without a copy"
    return described_property(f, kind, name, interface, value, returns, text)


def described_property(f, kind, name, interface, value, returns, text):
    out = ["    @property", f"    def {name}(self) -> {returns}:", f'        """{text}."""', f"        return {value}", ""]
    setter = interface.functions.get(f"atp_{kind}_set_{name}")
    if setter and [a.role for a in setter.arguments[2:]] in ([], ["size"], ["int"]):
        a = setter.arguments[1]
        given = {"text": "value.encode()", "double": "value"}.get(a.role)
        convert = [] if given else [f'        value = array_of(value, "{a.name}", {DTYPES[a.kind]})']
        given = given or "value.ctypes.data, value.size"
        out += [f"    @{name}.setter", f"    def {name}(self, value):", *convert, f"        check(lib.{setter.name}(self._address, {given}))", ""]
    return out


def files(interface, here):
    folder = "src/attopotts/"
    return {folder + "_generated.py": signatures(interface), folder + "_calls.py": calls(interface),
            folder + "_properties.py": properties(interface)}
