# SPDX-License-Identifier: MIT
"""The Julia package: constants, words, and a method for each function of C, which calls through a pointer set at
load time (generated.jl); the types of handles with the properties that one call gives or sets (generated_handles.jl)."""
import re
import textwrap

from interface import NOTE, of_io, short_names


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
    out += ["", "const TASK_OPTIONS = Dict{Symbol,Vector{Symbol}}("]
    for name, options in interface.task_options.items():
        words = ", ".join(f":{option.replace('-', '_')}" for option in options)
        out.append(wrap(f":{name[9:].lower()}\0=>\0[{words}],", 4))
    out += [")", ""]
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


SYMBOLS = {"N": "count", "L": "sites", "q": "colors", "H": "heads", "C": "chains", "K": "temperatures", "parameters": "parameter_count"}
BASES = {"trainer": "Learner", "transformer": "Learner"}


def extent(symbol):
    match = re.fullmatch(r"(\w+) - 1", symbol)
    return f"x.{SYMBOLS[match[1]]} - 1" if match else f"x.{SYMBOLS[symbol]}"


def property_of(f):
    """The expression that a property without arguments is; None for other functions."""
    roles = [a.role for a in f.arguments]
    if roles == ["handle", "array", "size"] and f.arguments[1].kind == "double" and f.arguments[1].output and \
            not f.name.endswith(("_f64", "_probabilities")):
        return f"filled({f.name}, x, {', '.join(extent(e) for e in reversed(f.arguments[1].shape or ('parameters',)))})"
    if roles != ["handle"] or f.returns in ("atp_status", "void", "atp_context *"):
        return None
    if f.returns.endswith("*") and f.returns != "const char *":
        shape = re.findall(r"\[([^\]]+)\]", (re.search(r"shape ((?:\[[^\]]+\])+)", f.text) or [0, "[L]"])[1])
        kind = {"uint8_t": "UInt8", "double": "Float64", "int64_t": "Int64"}[f.returns.split()[1]]
        view = f"view_of({f.name}, {kind}, x, {', '.join(extent(e) for e in reversed(shape))})"
        return f"copy({view})" if kind == "Int64" else view
    return {"const char *": f"word_text({f.name}, x)", "int64_t": f"Int(number({f.name}, x))", "double": f"number({f.name}, x)",
            "int": f"number({f.name}, x) != 0"}[f.returns]


def setter_of(f):
    """The same of a function that sets one."""
    if [a.role for a in f.arguments[1:]] in (["text"], ["double"]):
        return f"borrow(a -> check({f.name}(a, value)), x)"
    return f"set_reals({f.name}, x, value, :{f.arguments[1].name})"


def handles(interface):
    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", ""]
    of = {kind: {f.name[len(f"atp_{kind}_"):]: f for f in interface.functions.values() if f.name.startswith(f"atp_{kind}_")}
          for kind in ("alignment", "model", "sampler", "trainer", "transformer")}
    for kind, functions in of.items():
        type_ = kind.capitalize()
        out += [f"mutable struct {type_} <: {BASES.get(kind, 'Handle')}", "    owned::Union{Nothing,Owned}",
                f"    {type_}(owned::Owned) = finalizer(close, new(owned))", "end", ""]
        told = {name.replace("_view", ""): property_of(f) for name, f in functions.items() if name != "state_bytes" and property_of(f)}
        out += [f"names_of(::Type{{{type_}}}) = ({', '.join(':' + name for name in told)}, more_names({type_})...)"]
        out += [f"property(x::{type_}, ::Val{{:{name}}}) = {value}" for name, value in told.items()]
        out += [f"set_property!(x::{type_}, ::Val{{:{name}}}, value) = {setter_of(functions['set_' + name])}" for name in told
                if "set_" + name in functions and len(functions["set_" + name].arguments) < 4] + [""]
    for kind in ("trainer", "transformer"):
        both = [name for name in of["trainer"] if name in of["transformer"]]
        out += [f"calls(::Type{{{kind.capitalize()}}}) = ({', '.join(f'{name} = atp_{kind}_{name}' for name in both)})"]
    return "\n".join(out + [""])


def files(interface, here):
    return {"src/generated.jl": low_layer(interface), "src/generated_handles.jl": handles(interface)}
