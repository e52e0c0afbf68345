# SPDX-License-Identifier: MIT
"""The Python package: signatures, enums and options (_generated.py), a function for each function of C that takes and gives what Python has
(_calls.py), bases of the classes with what one call tells (_properties.py), and the types of options for type checkers (_keywords.py).

What _calls.py makes of parameters: handles are objects; contexts may be None, that of the thread; options are dicts; words stand for enums;
arrays are converted, and made where they are outputs of a shape that the header tells; sizes are left out. Outputs are returned, the
outcome of a run last, as its word."""
import pathlib
import re
import textwrap

import pictures
from call import Call, wanted
from interface import GETTERS, NOTE, of_io, short_names

TYPES = {"void": "None", "int": "c_int", "int64": "c_int64", "uint64": "c_uint64", "double": "c_double", "string": "c_char_p"}
DTYPES = {"double": "np.float64", "float": "np.float32", "int64": "np.int64", "uint8": "np.uint8", "byte": "np.uint8"}


def camel(name):
    return "".join(word.capitalize() for word in name.split("_")[1:])


def head(text, *imports):
    return ["# SPDX-License-Identifier: MIT", f"# {NOTE}", f'"""{text}"""', *imports, ""]


def signatures(interface):
    out = head("Signatures, constants and options of the C API.", "import enum",
               "from ctypes import c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p")
    out.append(f"ABI = {interface.abi}  # of the headers that this was written from")
    for name, value in interface.macros.items():
        out.append(f"{name[4:]} = {value}")
    for e in interface.enums:
        out += ["", "", f"class {camel(e.name)}(enum.IntEnum):"]
        out.append(f'    """The constants of {e.name}, see attopotts/{pathlib.Path(e.header).name}."""\n')
        out += [f"    {name} = {value}" for name, value in short_names(e).items()]
    out += ["", "", "# name: (what it returns, what it takes), of the core and then of the library of files", "SIGNATURES: dict[str, tuple] = {"]
    for f in sorted(interface.declared, key=of_io):
        if of_io(f) and "IO_SIGNATURES: dict[str, tuple] = {" not in out:
            out += ["}", "IO_SIGNATURES: dict[str, tuple] = {"]
        arguments = ", ".join(TYPES.get(interface.kind(p.type), "c_void_p") for p in f.parameters)
        out.append(f'    "{f.name}": ({TYPES.get(interface.kind(f.returns), "c_void_p")}, [{arguments}]),')
    out += ["}", "", "# Enums of options that have one.", "OPTION_ENUMS = {"]
    out += [f"    Option.{name[8:]}: {camel(enum)}," for name, enum in interface.option_enums.items()]
    out.append("}")
    out += ["", "# Pictures of tables: the column along the axis, the columns against it, what these are; simulations; columns of errors.",
            "CURVES: dict = {", *(f'    "{kind}": {curves},' for kind, curves in pictures.CURVES.items()), "}",
            f"SIMULATED = {pictures.SIMULATED}", f"NAMED = {pictures.NAMED}", f"ERROR_COLUMNS = {pictures.ERRORS}"]
    return "\n".join(out + [""])


class PythonCall(Call):
    """One function of _calls.py."""

    def __init__(self, function, interface):
        super().__init__(function, interface)
        self.first = []  # lines that give handles and numbers, on which those of `before` rely

    def constant(self, symbol):
        return symbol[4:]

    def symbol(self, symbol):
        return f'"{symbol}"'

    def counted(self, name):
        lowest = ", 0" if any(name in a.shape for a in self.f.arguments if a.output) else ""  # the library checks the others
        self.first.append(f'{name} = integer_of({name}, "{name}"{lowest})')
        return name

    def extent_of_array(self, a, k):
        return f"{a.name}.shape[{k}]"

    def extent_of_handle(self, a, getter):
        return f"lib.atp_{a.kind}_{getter}({a.name})"

    def length_of(self, a, optional):
        return f"0 if {a.name} is None else {a.name}.size" if optional and a.name in self.arguments else f"{a.name}.size"

    def length_or_sites(self, a, owner):
        return f"lib.atp_{owner.kind}_sites({owner.name}) if {a.name} is None else {a.name}.size"

    def array_in(self, a):
        self.arguments.append(a.name)
        rank = max(len(a.shape), 1)
        if a.kind == "uint8":
            sites = self.sites_of(a)
            colors = self.colors_of(a)
            made = f'colors_array({a.name}, "{a.name}", {rank}{f", {sites}" if sites else ""}{f", colors={colors}" if colors else ""})'
        elif a.kind == "byte":
            made = f'bytes_of({a.name}, "{a.name}")'
        else:
            shape = self.expected(a)
            checked = f', ({", ".join(shape)}{"," if rank == 1 else ""})' if shape else ""
            made = f'array_of({a.name}, "{a.name}", {DTYPES[a.kind]}{checked})'
        if a.optional:
            made = f"None if {a.name} is None else {made}"
        self.before.append(f"{a.name} = {made}")
        return f"pointer({a.name})" if a.optional else f"{a.name}.ctypes.data"

    def array_out(self, a):
        shape = self.shape_made(a)
        self.given.append(a.name)
        if shape is None or a.optional and "gradient" not in self.name:
            self.arguments.append(a.name)
            return f"pointer({a.name})"
        self.before.append(f"{a.name} = np.empty(({', '.join(shape)}{',' if len(shape) == 1 else ''}), dtype={DTYPES[a.kind]})")
        return f"{a.name}.ctypes.data"

    def options(self):
        owner = f"OptionOwner.{self.owner[len('ATP_OWNER_'):]}" if self.owner else 'member(TaskKind, kind, "kind")'
        self.before.append(f"bag = bag_of({owner}, options)")
        return "bag"

    def handle(self, a):
        value = "context_of(context)" if a.kind == "context" else a.name
        owned = f'handle_of({value}, "{a.kind}", "{a.name}")'
        self.first.append(f"{a.name} = None if {a.name} is None else {owned}" if self.nullable(a) and a.kind != "context" else f"{a.name} = {owned}")
        return a.name

    def double(self, a):
        self.first.append(f'{a.name} = real_of({a.name}, "{a.name}")')
        return a.name

    def enum(self, a):
        return f'member({camel("atp_" + a.kind)}, {a.name}, "{a.name}")'

    def text(self, a):
        if a.name == "path":
            return "path_of(path)"
        optional = a.optional or a.name in ("alphabet", "residues")
        return f'text_of({a.name}, "{a.name}"{", True" * optional})'

    def place(self, a):
        kind = {"int64": "c_int64", "double": "c_double", "int": "c_int", "": "c_int"}[a.kind]
        self.before.append(f"{a.name}_ = {'c_char_p' if a.role == 'place_of_text' else kind}()")
        value = {"outcome": f"outcome_name({a.name}_.value)", "place_of_text": f"{a.name}_.value.decode()"}
        self.given.append(value.get(a.role, f"{a.name}_.value"))
        return f"addressof({a.name}_)"

    def place_of_handle(self, a):
        context = "context" if self.f.argument("context") else f"{self.f.arguments[0].name}.root"
        # The handle's owner keeps what the library reads as long as it lives. It is there before the handle, which an interrupt would lose.
        needs = [b.name for b in self.f.arguments if b.role == "handle" and b.name == "train"]
        self.before.append(f"made = Owned(None, lib.atp_{a.kind}_destroy, {', '.join([context, *needs])})")
        self.given.append("made")
        return "addressof(made.place)"

    def write(self):
        call = f"lib.{self.f.name}({', '.join([self.argument(a) for a in self.f.arguments])})"
        check = f"run(lambda callback, user: {call}, progress)" if self.running else f"check({call})"
        out = [f"def {self.name}({', '.join(self.arguments + ['progress=None'] * self.running)}):",
               *("    " + b for b in self.first + self.before), "    " + check]
        return "\n".join(out + ([f"    return {', '.join(self.given)}"] if self.given else []))


def calls(interface):
    written = [PythonCall(f, interface).write() for f in wanted(interface)]
    text = "\n".join(written)
    enums = sorted({*re.findall(r"member\((\w+)", text), "OptionOwner"})
    sizes = sorted(name[4:] for name in interface.macros if re.search(rf"\b{name[4:]}\b", text))
    first = head("The functions of the C API, with what Python has for arguments and results.",
                 "from ctypes import addressof, c_char_p, c_double, c_int, c_int64", "",
                 "import numpy as np", "", f"from ._generated import {', '.join([*sizes, *enums])}",
                 "from ._handle import array_of, bytes_of, colors_array, context_of, handle_of, integer_of, member, path_of, pointer, real_of, run",
                 "from ._library import check, lib, outcome_name, text_of", "from ._options import bag_of", "from ._owned import Owned")
    return "\n".join(first) + "\n\n" + "\n\n\n".join(written) + "\n"


def properties(interface):
    """Classes of what handles tell with one call: numbers, texts, views of arrays; those that can be set, too; and methods."""
    out = head("What handles tell with one call: the bases of their classes.", "from typing import TYPE_CHECKING", "",
               "import numpy as np", "", "from . import _calls", "from ._generated import SamplingStage",
               "from ._handle import Handle, array_of, frozen, integer_of, real_of, view",
               "from ._library import check, lib, text_of")
    out += ["if TYPE_CHECKING:", *(f"    from .{name.lower()} import {name}" for name in ("Alignment", "Model", "Trainer")), ""]
    calls_ = wanted(interface)
    for kind in ("context", "alignment", "model", "sampler", "sampling", "trainer", "masked"):
        out += ["", f"class {kind.capitalize()}Handle(Handle):", f"    _kind = \"{kind}\"", ""]
        for f in interface.functions.values():
            short = f.name.replace(f"atp_{kind}_", "")
            if short == f.name or short.startswith("couplings") or short == "summary":  # the class names the numbers of the latter
                continue
            single = len(f.arguments) == 1 and f.returns != "atp_status" and short not in ("destroy", "state_bytes", "context")
            array = f.arguments[1] if [a.role for a in f.arguments] == ["handle", "array", "size"] else None
            if single or array and array.kind == "double" and array.output and PythonCall(f, interface).shape_made(array):
                out += property_of(f, kind, re.sub("_view|_of$", "", short), interface)
            elif f in calls_ and not kind.startswith("sampl"):
                out += method_of(PythonCall(f, interface), kind, short)
    return "\n".join(out).rstrip() + "\n"


def plain(text, interface):
    """What a header says, with the names of this package."""
    words = {name: f'"{short.lower()}"' for e in interface.enums for name, short in zip(e.constants, short_names(e))}
    text = re.sub(r"ATP_\w+", lambda found: words.get(found[0], found[0][4:]), re.sub(r" NULL is allowed\.|; see atp_\w+", "", text))
    return re.sub(r"\batp_[a-z]+_(\w+\(\))", r"\1", text)


def option_text(text, interface):
    """What options.h says of an option, without its kind, its name and where the default is that of a signature."""
    text = re.sub(r'^(\(i\) )?"[^"]*": ', "", text)
    text = re.sub(r"; (-?[\d.e-]+|ATP_\w+)$", "", text)
    text = plain(re.sub(r"\ban? atp_(\w+)", lambda found: "the " + found[1].replace("_", " "), text), interface)
    return text[:1].upper() + text[1:] + "."


def docstring(text, parameters=(), returns=""):
    """Of a method or property, as NumPy writes them: a line, more text, the parameters and their types, the type that is given."""
    first, more = re.match(r"(.*?(?<!e\.g)[.:](?= [A-Z`a-z_]|$))(.*)", text + ("" if text.endswith(".") else "."), flags=re.S).groups()
    out = [first[:-1] + "."] + (["", *textwrap.wrap(more.strip()[:1].upper() + more.strip()[1:], 130)] if more.strip() else [])
    if parameters:
        out += ["", "Parameters", "----------", *parameters]
    if returns:
        out += ["", "Returns", "-------", returns]
    body = f'"""{out[0]}"""' if len(out) == 1 else "\n".join(['"""' + out[0], *out[1:], '"""'])
    return textwrap.indent(body, " " * 8)


def numpy_type(a, enums):
    """A parameter as NumPy documents it."""
    if a.role == "array":
        return f"{a.name} : array_like{', [' + ', '.join(a.shape) + ']' if a.shape else ''}"
    if a.kind in enums:
        words = ", ".join(f'"{word.lower()}"' for word in short_names(enums[a.kind]))
        return f"{a.name} : {{{words}}}"
    return f"{a.name} : {dict(double='float', text='str', handle=a.kind.capitalize()).get(a.role, 'int')}"


# Numbers that methods need not be given.
ZEROS = ("pseudocount", "strength")


def method_of(call, kind, name):
    """A method that takes arrays, other handles, words or pseudocounts; most give a number, an array or another handle of their kind."""
    call.write()
    made = [a for a in call.f.arguments if a.output or a.role == "made"]
    own, *taken = (a for a in call.f.arguments if a.name in call.arguments and a.kind != "context")
    silent = name in ("set_values", "set_order", "start_from", "start_model", "start_chains", "reintegrate")
    if own.kind != kind or len(made) != (not silent) or any(a in made or a.role == "int" for a in taken) \
            or call.made and call.made.kind != kind:
        return []
    enums = {e.name[4:]: e for e in call.interface.enums}
    shown = {"double": "{}: float", "text": "{}: str", "handle": '{}: "{}"'}
    listed = ", ".join(["self"] + [shown.get(a.role, "{}").format(a.name, a.kind.capitalize()) + (" = 0.0" if a.name in ZEROS else "")
                                   for a in taken])
    returns = {"array": "np.ndarray", "double": "float", "int64": "int", kind: f'"{kind.capitalize()}"'}
    returns = [returns[a.kind if a.role != "array" else a.role] for a in made] or ["None"]
    values = {"context": "None", own.name: "self"}
    given = f"_calls.{call.name}({', '.join(values.get(a, a) for a in call.arguments)})"
    told = returns[0].strip('"').replace("np.", "").replace("None", "") + "".join(f", [{', '.join(a.shape)}]" for a in made if a.shape)
    text = docstring(plain(call.f.text, call.interface), [numpy_type(a, enums) for a in taken], told)
    return [f"    def {name}({listed}) -> {returns[0]}:", text,
            f"        return self._adopt({given})" if call.made else f"        return {given}", ""]


def property_of(f, kind, name, interface):
    text, first = re.split(r"(?<=[a-z\])])\.\s|;", plain(f.text, interface), maxsplit=1)[0].rstrip("."), []
    call = f"lib.{f.name}(self._open)"
    if f.returns == "void":
        return [f"    def {name}(self):", docstring(plain(f.text, interface)), f"        {call}", ""]
    value, returns = {
        "const char *": (call + ".decode(errors=\"replace\")", "str"), "int64_t": (call, "int"), "double": (call, "float"),
        "int": (f"bool({call})", "bool"), "atp_status": (f"frozen(_calls.{f.name[4:]}(self))", "np.ndarray"),
    }.get(f.returns, (None, "np.ndarray"))
    if f.returns == "int" and (enum := re.search(r"\ban (atp_\w+)", f.text)):
        value, returns = f"{camel(enum[1])}({call}).name.lower()", "str"
    if value is None:
        shape = re.findall(r"\[([^\]]+)\]", (re.search(r"shape ((?:\[[^\]]+\])+)", f.text) or [0, "[L]"])[1])
        sizes = ", ".join(f"lib.atp_{kind}_{GETTERS[s]}(owned)" for s in shape)
        dtype = {"uint8_t": "np.uint8", "double": "np.float64", "int64_t": "np.int64"}[f.returns.split()[1]]
        first, text = ["        owned = self._open"], f"{text}; read-only, without a copy"
        value = f"view(owned, lib.{f.name}(owned), ({sizes},), {dtype})"
    if returns == "bool":
        text = text.replace("Returns 1 ", "True ").replace(", else 0", ", else False")
    text += "; a read-only copy" if f.returns == "atp_status" else ""
    out = ["    @property", f"    def {name}(self) -> {returns}:", docstring(text), *first, f"        return {value}", ""]
    setter = interface.functions.get(f"atp_{kind}_set_{name}")
    if setter and [a.role for a in setter.arguments[2:]] in ([], ["size"], ["int"]):
        a = setter.arguments[1]
        given = {"text": f'text_of(value, "{name}")', "double": f'real_of(value, "{name}")', "int": f'integer_of(value, "{name}")'}.get(a.role)
        convert = [] if given else [f'        value = array_of(value, "{a.name}", {DTYPES[a.kind]})']
        given = given or "value.ctypes.data, value.size"
        out += [f"    @{name}.setter", f"    def {name}(self, value):", *convert,
                f"        check(lib.{setter.name}(self._open, {given}))", ""]
    return out


def type_of_option(interface, name, range_):
    """As a keyword: numbers of NumPy are numbers, too."""
    enum = interface.option_enums.get(f"ATP_OPT_{name.upper()}")
    if enum:
        words = ", ".join(f'"{word.lower()}"' for word in short_names(next(e for e in interface.enums if e.name == enum)))
        return f"Union[Literal[{words}], int]"
    if name not in interface.whole_options:
        return "Union[float, np.floating, np.integer]"
    return "Union[bool, int, np.integer]" if range_ == "0 to 1" else "Union[int, np.integer]"


def keywords(interface, here):
    """A TypedDict of the options of each owner. The names that this package has for some of them, as of takes(), stand beside the others, and
    the parameters that its functions have themselves are left out."""
    source = "\n".join(path.read_text() for path in sorted((here / "src/attopotts").glob("[a-z]*.py")))
    out = head("The options of functions and classes, for type checkers.", "from typing import Literal, TypedDict, Union", "", "import numpy as np", "")
    for owner, options in interface.options.items():
        uses = re.findall(rf'@takes\("{owner}"([^)]*)\)\n(?:\s*@.*\n)*\s*def \w+\(((?:[^()]|\([^()]*\))*)\)', source, flags=re.I)
        renamed = {"lambda": "penalty", "student_rank": "rank"}
        own = set()
        for words, parameters in uses:
            renamed.update(re.findall(r'(\w+)="(\w+)"', words))
            own |= set(re.findall(r"(?:^|, *|\n *)(\w+)(?=[,:=]|$)", parameters))
        types = {}
        for name, _, _, range_ in options:
            for shown in dict.fromkeys((renamed.get(name, name), name)):
                if shown not in own:
                    types[shown] = type_of_option(interface, name, range_)
        lines = [f'    "{name}": {type_},' for name, type_ in types.items()]
        out += ["", f'{camel("_" + owner)}Options = TypedDict("{camel("_" + owner)}Options", {{', *lines, "}, total=False)"]
    return "\n".join(out + [""])


def files(interface, here):
    folder = "src/attopotts/"
    return {folder + "_generated.py": signatures(interface), folder + "_calls.py": calls(interface),
            folder + "_properties.py": properties(interface), folder + "_keywords.py": keywords(interface, here)}
