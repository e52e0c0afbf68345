# SPDX-License-Identifier: MIT
"""The Julia package: constants, words, and a method for each function of C, which calls through a pointer set at
load time (generated.jl); the types of handles with the properties that one call gives or sets (generated_handles.jl); a function for
each function of C that takes and gives what Julia has (generated_calls.jl).

What generated_calls.jl makes of parameters: handles are objects; options are keywords; words stand for enums; arrays are checked, and made
where they are outputs of a shape that the header tells, optional ones where a flag asks for them; places count from 1; sizes are left out.
Outputs are returned, several by name.  CALLS has the parameters and
their types, for api.jl."""
import re
import textwrap

import pictures
from call import Call, wanted
from interface import GETTERS, NOTE, of_io, short_names


def low_layer(interface):
    types = {"void": "Cvoid", "int": "Cint", "int64": "Int64", "uint64": "UInt64", "double": "Cdouble", "string": "Cstring"}

    def type_of(kind):
        return types.get(kind, "Ptr{Cvoid}")

    def wrap(text, indent):
        lines = textwrap.wrap(text, 120 - indent - 4, break_long_words=False, break_on_hyphens=False)
        return "\n".join(" " * (indent if k == 0 else indent + 4) + line for k, line in enumerate(lines)).replace("\0", " ")

    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", ""]
    out.append(f"const ABI_VERSION = {interface.abi}")
    out += [f"const {name} = Cint({value})" for name, value in interface.constants().items()]
    out += ["", "# The words of the enums, by the enums' names.", "const WORDS = Dict{Symbol,Vector{Pair{Symbol,Cint}}}("]
    for e in interface.enums:
        words = ", ".join(f":{name.lower()}\0=>\0{value}" for name, value in short_names(e).items())
        out.append(wrap(f":{e.name[4:]} => [{words}],", 4))
    out += [")", ""]
    words = ", ".join(f":{name[8:].lower()}\0=>\0:{enum[4:]}" for name, enum in interface.option_enums.items())
    out.append(wrap(f"const OPTION_ENUMS = Dict({words})", 0))
    out += ["", "# The options that docstrings show, with the defaults of the library.", "const OPTION_TEXTS = Dict{Symbol,String}("]
    for what in interface.options:
        listed = ", ".join(f"`{name} = {'nothing' if value is None else value if re.match('[-0-9]', value) else ':' + value}`"
                           for name, value in interface.options_of(what))
        text = "\\n".join(textwrap.wrap(listed.replace(" = ", "\0=\0"), 116)).replace("\0", " ")
        out.append(f'    :{what} => "{text}",')
    out += [")", "", *curves(), ""]
    for f in interface.declared:
        arguments = "".join(", " + p.name for p in f.parameters)
        kinds = [type_of(interface.kind(p.type)) for p in f.parameters]
        listed = "(" + ", ".join(kinds) + ("," if len(kinds) == 1 else "") + ")"
        out.append(f"const P_{f.name} = Ref{{Ptr{{Cvoid}}}}(C_NULL)")
        out.append(wrap(f"{f.name}({arguments[2:]})\0=", 0))
        out.append(wrap(f"ccall(P_{f.name}[], {type_of(interface.kind(f.returns))}, {listed}{arguments})", 4))
    out += ["", "# The core, and the library of files.", "function set_pointers(library, io)"]
    out += [f"    P_{f.name}[] = Libdl.dlsym({'io' if of_io(f) else 'library'}, :{f.name})" for f in interface.declared]
    return "\n".join(out + ["    return nothing", "end", ""])


def curves():
    """What pictures of tables show."""
    def words(names):
        return "(" + "".join(f":{name}, " for name in names).rstrip() + ")"
    listed = [f'    :{kind.lower()} => (x = :{x}, y = {words(y)}, axis = "{axis}"),' for kind, (x, y, axis) in pictures.CURVES.items()]
    errors = ", ".join(f":{name} => :{error}" for name, error in pictures.ERRORS.items())
    return ["# Pictures of tables: the column along the axis, the columns against it, what these are; simulations; columns of errors.",
            "const CURVES = Dict(", *listed, ")", f"const SIMULATED = {words(map(str.lower, pictures.SIMULATED))}", f"const NAMED = {words(pictures.NAMED)}",
            f"const ERROR_COLUMNS = Dict({errors})"]


TYPES = ("alignment", "model", "sampler", "sampling", "trainer")  # of handles, which users see


def name_of(f):
    """In generated_calls.jl."""
    return "c_" + f.name[4:]


def property_of(f):
    """The expression that a property without arguments is; None for other functions."""
    roles = [a.role for a in f.arguments]
    if roles == ["handle", "array", "size"] and f.arguments[1].kind == "double" and f.arguments[1].output and \
            not f.name.endswith(("_f64", "_probabilities")):
        return f"{name_of(f)}(x)"
    if roles != ["handle"] or f.returns in ("atp_status", "void", "atp_context *"):
        return None
    if f.returns.endswith("*") and f.returns != "const char *":
        shape = re.findall(r"\[([^\]]+)\]", (re.search(r"shape ((?:\[[^\]]+\])+)", f.text) or [0, "[L]"])[1])
        kind = {"uint8_t": "UInt8", "double": "Float64", "int64_t": "Int64"}[f.returns.split()[1]]
        view = f"view_of({f.name}, {kind}, x, {', '.join(f'x.{GETTERS[e]}' for e in reversed(shape))})"
        return f"copy({view})" if kind == "Int64" else view
    enum = re.search(r"\ban atp_(\w+)", f.text)
    if f.returns == "int" and enum:
        return f"word_of(:{enum[1]}, number({f.name}, x))"
    return {"const char *": f"word_text({f.name}, x)", "int64_t": f"Int(number({f.name}, x))", "double": f"number({f.name}, x)",
            "int": f"number({f.name}, x) != 0"}[f.returns]


def handles(interface):
    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", ""]
    for kind in TYPES:
        functions = {f.name[len(f"atp_{kind}_"):]: f for f in interface.functions.values() if f.name.startswith(f"atp_{kind}_")}
        type_ = kind.capitalize()
        out += [f"mutable struct {type_} <: Handle", "    owned::Union{Nothing,Owned}",
                f"    {type_}(owned::Owned) = finalizer(close, new(owned))", "end", ""]
        told = {re.sub("_view|_of$", "", name): property_of(f) for name, f in functions.items() if name != "state_bytes" and property_of(f)}
        out += [f"property(x::{type_}, ::Val{{:{name}}}) = {value}" for name, value in told.items()]
        out += [f"set_property!(x::{type_}, ::Val{{:{name}}}, value) = {name_of(functions['set_' + name])}(x, value)" for name in told
                if "set_" + name in functions and len(functions["set_" + name].arguments) < 4]
        if "request_stop" in functions:
            out.append(f"request_stop!(x::{type_}) = atp_{kind}_request_stop(open_owned(x).address)")
        out.append("")
    return "\n".join(out + [""])


ELEMENTS = {"double": "Float64", "float": "Float32", "int64": "Int64", "uint8": "UInt8", "byte": "UInt8"}
# Alphabets: some have words, "protein".
WORDS_OR_TEXTS = ("alphabet", "symbols")
FROM_ONE = ("first", "rung", "site", "index", "masked_sites", "pairs", "others", "order")  # places that count from 1 here and from 0 in C


class JuliaCall(Call):
    """One function of generated_calls.jl."""

    def __init__(self, function, interface):
        for a in function.arguments:
            a.name = a.kind if a.name in ("source", "train") else a.name
        super().__init__(function, interface)

    def type_of(self, name):
        """Of a parameter, in CALLS. Of an optional output: whether it is wanted."""
        a = self.f.argument(name)
        if a is None or a.role == "handle" and a.kind not in (*TYPES, "context"):
            return "Any"
        if a.role == "array":
            return "Bool" if a.output and a.optional else "Vector{UInt8}" if a.kind == "byte" else "Any"
        text = "Union{AbstractString,Symbol}" if name in WORDS_OR_TEXTS else "AbstractString"
        type_ = {"int": "Integer", "double": "Real", "text": text, "handle": a.kind.capitalize()}.get(a.role, "Any")
        return f"Union{{Nothing,{type_}}}" if self.nullable(a) else type_

    def nullable(self, a):
        return super().nullable(a) or a.role == "text" and a.name in ("alphabet", "residues")

    def constant(self, symbol):
        return symbol

    def symbol(self, symbol):
        return symbol if symbol.isdigit() else f":{symbol}"

    def counted(self, name):
        return f'{"place" if name in FROM_ONE else "whole"}({name}, "{name}")'

    def argument(self, a):
        if a.role != "double":
            return super().argument(a)
        self.arguments.append(a.name)
        return f'real_number({a.name}, "{a.name}")'

    def extent_of_array(self, a, k):
        return f"size({a.name}_, {max(len(a.shape), 1) - k})"

    def extent_of_handle(self, a, getter):
        return f"{a.name}.{getter}" if a.kind in TYPES else f"Int(number(atp_{a.kind}_{getter}, {a.name}))"

    def length_of(self, a, optional):
        return f"{a.name}_ === nothing ? 0 : length({a.name}_)" if optional else f"length({a.name}_)"

    def length_or_sites(self, a, owner):
        return f"{a.name}_ === nothing ? {owner.name}.sites : length({a.name}_)"

    def array_in(self, a):
        self.arguments.append(a.name)
        made = a.name
        if a.kind != "byte":
            shape = self.expected(a)[::-1]
            convert = "colors_array(" if a.kind == "uint8" else f"dense({ELEMENTS[a.kind]}, "
            colors = self.colors_of(a)
            given = f"in_colors({a.name}, {colors})" if colors else a.name
            made = f'{convert}{given}, "{a.name}"{f", ({chr(44).join(shape)},)" if shape else ""})'
        made += " .- 1" * (a.name in FROM_ONE)
        self.before.append(f"{a.name}_ = {f'{a.name} === nothing ? nothing : ' if a.optional else ''}{made}")
        return f"something_or_null({a.name}_)" if a.optional else f"{a.name}_"

    def array_out(self, a):
        own = self.f.arguments[0]
        shape = [f"number(atp_{own.kind}_state_bytes, {own.name})"] if self.name.endswith("save_state") else self.shape_made(a)
        self.given.append(f"{a.name} = {a.name}_" + " .+ 1" * (a.name in FROM_ONE and a.kind == "int64"))
        wanted = a.optional and "gradient" not in self.name
        if shape is None or wanted:
            self.arguments.append(a.name)
        made = f"room({ELEMENTS[a.kind]}, {', '.join(shape[::-1])})" if shape else a.name
        self.before.append(f"{a.name}_ = {f'{a.name} ? {made} : nothing' if wanted and shape else made}")
        return f"something_or_null({a.name}_)" if a.optional else f"{a.name}_"

    def options(self):
        return "options_"

    def handle(self, a):
        return f"{a.name}_"

    def enum(self, a):
        return f"word(:{a.kind}, {a.name}, :{a.name})"

    def text(self, a):
        given = f"given_text({a.name})" if a.name in WORDS_OR_TEXTS else a.name
        return f"something_or_null({given})" if self.nullable(a) else given

    def place(self, a):
        value = {"int64": "Int64(0)", "double": "0.0", "int": "Cint(0)", "": "Cint(0)"}[a.kind]
        self.before.append(f"{a.name}_ = Ref{'{Ptr{UInt8}}(C_NULL)' if a.role == 'place_of_text' else f'({value})'}")
        told = {"outcome": "outcome_word({})", "place_of_text": "unsafe_string({})"}.get(a.role, "Int({})" if a.kind == "int64" else "{}")
        self.given.append(f"{a.name} = {told.format(f'{a.name}_[]')}" + " + 1" * (a.name in FROM_ONE))
        return f"{a.name}_"

    def place_of_handle(self, a):
        return "made_"

    def write(self):
        call = f"{self.f.name}({', '.join([self.argument(a) for a in self.f.arguments])})"
        handles = [a.name for a in self.f.arguments if a.role == "handle"]
        names = [x for x in self.arguments if x != "options"] + ["report"] * self.running + ["options"] * ("options" in self.arguments)
        types = ", ".join(f":{x} => {self.type_of(x)}" for x in names)
        self.told = f"    :{self.f.name} => (:{name_of(self.f)}, [{types}]),"
        do = f" do {', '.join(f'{h}_' for h in handles)}"
        if self.made:
            type_ = self.made.kind.capitalize() if self.made.kind in TYPES else "Temporary"
            needs = "; needs = [open_owned(alignment), nothing, nothing]" if self.made.kind == "trainer" else ""
            body = [f"made = create({type_}, atp_{self.made.kind}_destroy, {', '.join(handles)}{needs}){do}, made_", f"    {call}", "end"]
            self.given.append("made = made")
        else:
            checked = f"run_call((callback, user) -> {call}, report)" if self.running else f"check({call})"
            body = [f"borrow({', '.join(handles)}){do}", "    " + checked, "end"] if handles else [checked]
        # Nothing, one value, or several by name.
        given = ", ".join(self.given)
        body.append(f"return {f'({given})' if len(self.given) > 1 else given.partition(' = ')[2] or 'nothing'}")
        if "options" in self.arguments:
            owner = self.owner or "word(:task_kind, kind, :kind)"
            context = next((a.name for a in self.f.arguments if a.kind == "context"), "default_context()")
            body = [f"return with_options({context}, {owner}, options) do options", *("    " + line for line in body), "end"]
        return "\n".join([f"function {name_of(self.f)}({', '.join(names)})", *("    " + line for line in self.before + body), "end", ""])


def calls(interface):
    written = [JuliaCall(f, interface) for f in wanted(interface)]
    bodies = [call.write() for call in written]
    table = ["const CALLS = Dict(", *(call.told for call in written), ")", ""]
    return "\n".join(["# SPDX-License-Identifier: MIT", f"# {NOTE}", "", *bodies, *table])


def files(interface, here):
    return {"src/generated.jl": low_layer(interface), "src/generated_handles.jl": handles(interface),
            "src/generated_calls.jl": calls(interface)}
