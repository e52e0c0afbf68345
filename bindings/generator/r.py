# SPDX-License-Identifier: MIT
"""The R package: constants (R/generated.R), an entry point of .Call for each function of C (src/calls.c), the table of all entry points;
r_help.py writes NAMESPACE and the help pages.

What calls.c makes of parameters: handles are lists of an external pointer; contexts are those of the handles, and a parameter only where
a handle of another kind is made or a run needs one; options are a list of names and values; arrays have the extents of C, reversed, and
outputs are made with them; an optional output array is a flag, whether it is wanted. Several outputs come as a list with the names of the
header."""
import json
import re
import textwrap

import pictures
import r_help
from call import TOLD_BY, owner_of
from interface import GETTERS, NOTE, short_names

FROM_ONE = ("first", "rung", "gap", "site")  # places that count from 1 in R
HOLDS = {"train": "NEEDS_DATA", "test": "NEEDS_TEST", "truth": "NEEDS_TRUTH"}
# No entry point is written for these: own.c has some, R needs no others.
HANDS_OFF = re.compile(r"atp_(options|input|progress|outcome|level|last|simd|context_(create|error))|_destroy$|_f32$|_(context|options|set_log)$"
                       r"|task_(array_shape|get_array)|table_csv|alignment_(borrow|format|name)|(scores|file)_read|file_size|sampler_sample"
                       r"|model_(read|write)$|context_(any|broadcast)$")


def constants(interface):
    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", ""]
    for e in interface.enums:
        names = ", ".join(f"{name} = {value}L" for name, value in short_names(e).items())
        # A name and its value stay on one line.
        words = f".{e.name} <- c({names})".replace(" = ", "\0=\0")
        out += [line.replace("\0", " ") for line in textwrap.wrap(words, 120, subsequent_indent="  ", break_long_words=False)]
    for name, value in interface.macros.items():
        out.append(f".{name.lower()} <- {value}L")
    listed = ", ".join(f"{name[8:].lower()} = .{enum}" for name, enum in interface.option_enums.items())
    out += textwrap.wrap(f".option_words <- list({listed})", 120, subsequent_indent="  ")
    out.append(f".atp_abi <- {interface.abi}L")
    quoted = lambda names: f"c({', '.join(json.dumps(name) for name in names)})"  # noqa: E731
    out += ["# Pictures of tables: the column along the axis, the columns against it, what these are; simulations; columns of errors.",
            ".atp_curves <- list("]
    listed = [f"  {kind} = list(x = {json.dumps(x)}, y = {quoted(y)}, axis = {json.dumps(axis)})" for kind, (x, y, axis) in pictures.CURVES.items()]
    out += [",\n".join(listed), ")", f".atp_simulated <- {quoted(pictures.SIMULATED)}", f".atp_named <- {quoted(pictures.NAMED)}"]
    listed = ", ".join(f"{name} = {json.dumps(error)}" for name, error in pictures.ERRORS.items())
    out += textwrap.wrap(f".atp_error_columns <- c({listed})", 120, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(out + [""])


def one_or_none(a):
    """Whether this is one sequence that may be left out."""
    return a.kind == "uint8" and a.optional and len(a.shape) == 1


class Entry:
    """One entry point of calls.c."""

    def __init__(self, function, interface):
        self.f, self.known = function, interface.functions
        self.name = function.name[4:]
        self.parameters, self.first, self.late, self.after, self.call, self.outputs = [], [], [], [], [], []
        self.handles = [a for a in function.arguments if a.role == "handle" and a.kind not in ("context", "options")]
        self.made = next((a for a in function.arguments if a.role == "made"), None)
        self.running = any(a.role == "progress" for a in function.arguments)
        # Extents that arrays among the arguments tell: symbol -> C expression.
        self.told = {}
        for a in function.arguments:
            if a.role == "array" and not a.output and not a.optional and a.kind != "uint8":
                for k, symbol in enumerate(a.shape):
                    self.told.setdefault(symbol, f"extent_of({a.name}, {len(a.shape)}, {k})")
            if a.role == "array" and not a.output and a.kind == "uint8" and not one_or_none(a):
                self.told.update({"n": "n_"} | ({"sites": "sites_"} if len(a.shape) == 2 and a.shape[1] == "sites" else {}))

    def extent(self, symbol):
        if symbol.isdigit() or symbol.startswith("ATP_"):
            return symbol
        match = re.fullmatch(r"(.+) ([+-]) (\d+)", symbol)
        if match:
            return f"{self.extent(match[1])} {match[2]} {match[3]}"
        if symbol == "q^L":
            return f"states_of({self.handles[0].name}_->handle)"
        if symbol in GETTERS:
            for a in self.handles:
                if f"atp_{a.kind}_{GETTERS[symbol]}" in self.known:
                    return f"atp_{a.kind}_{GETTERS[symbol]}({a.name}_->handle)"
                if a.kind == "trainer":
                    return f"atp_alignment_{GETTERS[symbol]}({a.name}_->needs[NEEDS_DATA]->handle)"
        if symbol == "L" and "L" not in self.told:
            return "sites_"
        return self.told.get(symbol) or f"{symbol}_"

    def handle(self, a):
        if a.kind == "options":
            self.parameters.append("options")
            self.late.append(f"atp_options *options_ = options_of({self.context()}, options, {owner_of(self.name) or 'kind_'});")
            self.after.append("atp_options_destroy(options_);")
            return "options_"
        if a.kind == "context" and self.handles and not self.explicit():
            return self.context()
        self.parameters.append(a.name)
        nullable = a.optional or self.name.endswith(("_set_test", "_set_truth")) and a.name in HOLDS
        name = a.kind if a.name in ("source", "train", "test") else a.name  # as the functions of R have it
        found = f'box_of({a.name}, KIND_{a.kind}, "{name}")'
        self.first.append(f"box *{a.name}_ = {f'{a.name} == R_NilValue ? NULL : ' if nullable else ''}{found};")
        if a.name in HOLDS and self.f.arguments[0].kind == "trainer":
            self.after.append(f"if (status == ATP_OK) hold({self.f.arguments[0].name}_, {HOLDS[a.name]}, {a.name}_);")
        elif a.name in HOLDS and self.made:
            self.late.append(f"hold(made_, {HOLDS[a.name]}, {a.name}_); /* the library reads it as long as the new handle lives */")
        return f"{a.name}_ == NULL ? NULL : {a.name}_->handle" if nullable else f"{a.name}_->handle"

    def explicit(self):
        """Whether the context is a parameter: other handles are in one already."""
        running = self.running and any(a.kind == "context" for a in self.f.arguments)
        return not self.handles or self.made and self.made.kind != self.handles[0].kind or running

    def context(self):
        return "context_->handle" if self.explicit() else f"context_of({self.handles[0].name}_)"

    def whole(self, a):
        if a.role == "size":
            of = self.f.argument(a.of)
            if of.kind == "uint8" and of.output:
                return " * ".join(self.extent(x) for x in of.shape)
            return f"Rf_xlength({self.value_of(a.of)})"
        told = self.told.get(a.name) or self.told.get(TOLD_BY.get(a.name)) or (a.name == "sites" and "n" in self.told and "sites_")
        if told:
            return told
        optional = next((b for b in self.f.arguments if b.shape == (a.name,) and not b.output), None)
        if a.name == "n" and optional:
            owner = self.f.arguments[0]
            return f"{optional.name} == R_NilValue ? atp_{owner.kind}_sites({owner.name}_->handle) : Rf_xlength({optional.name})"
        self.parameters.append(a.name)
        convert = "index_of" if a.name in FROM_ONE else "count_of"
        value = f'{convert}({a.name}, "{a.name}")'
        if a.name == "gap":
            value = f'gap == R_NilValue ? -1 : color_of(gap, "gap", {self.extent("q")})'
        self.first.append(f"const int64_t {a.name}_ = {value};")
        return f"{a.name}_"

    def value_of(self, name):
        a = self.f.argument(name)
        return f"{name}_value" if a.output else name

    def array_in(self, a):
        self.parameters.append(a.name)
        if one_or_none(a):
            self.first += [f"const uint8_t *{a.name}_ = NULL;", f"if ({a.name} != R_NilValue) {{", "  int64_t rows, columns;",
                           f'  {a.name}_ = sequences_of({a.name}, 0, 0, "{a.name}", &rows, &columns);',
                           f'  if (rows != 1) fail(ATP_E_SHAPE, "{a.name} has %.0f rows, expected one sequence", (double)rows);', "}"]
            return f"{a.name}_"
        if a.kind == "uint8":
            owner = next((h for h in self.handles if h.kind in ("model", "trainer")), None)
            colors = self.extent("q") if owner else "colors_ > 255 ? 255 : colors_" if self.f.argument("colors") else "0"
            self.first.append("int64_t n_, sites_;")
            missing = int(bool(owner) and owner.kind == "model")
            call = f'const uint8_t *{a.name}_ = sequences_of({a.name}, {colors}, {missing}, "{a.name}", &n_, &sites_);'
            (self.late if self.f.argument("colors") else self.first).append(call)
            if len(a.shape) == 1:
                self.first.append(f'if (n_ != 1) fail(ATP_E_SHAPE, "{a.name} has %.0f rows, expected one sequence", (double)n_);')
            if owner and not (len(a.shape) == 1 and self.f.argument("sites")):
                self.first.append(f'check_columns("{a.name}", sites_, {self.extent("L")});')
            return f"{a.name}_"
        if a.kind == "byte":
            self.first.append(f'check_raw({a.name}, "{a.name}");')
            return f"RAW({a.name})"
        if a.name in ("masked_sites", "pairs", "others", "order"):
            self.first.append(f'const int64_t *{a.name}_ = places_of({a.name}, "{a.name}");')
            return f"{a.name}_"
        kind, convert = ("const int64_t", "counts_of") if a.kind == "int64" else ("const double", "reals_of")
        self.first.append(f'{kind} *{a.name}_ = {convert}({a.name}, "{a.name}");')
        length = self.f.argument(a.shape[0]) if a.shape else None
        if a.optional and (length and length.name != "n" or "n_" in self.told.values()):
            self.late.append(f'check_length({a.name}, "{a.name}", {self.extent(a.shape[0])});')
        return f"{a.name}_"

    def array_out(self, a):
        shape = a.shape or (("parameters",) if self.name.endswith(("parameters", "gradient")) else ("state",))
        if shape == ("state",) and a.kind == "byte":
            owner = self.f.arguments[0]
            self.late.append(f"SEXP {a.name}_value = PROTECT(Rf_allocVector(RAWSXP, atp_{owner.kind}_state_bytes({owner.name}_->handle)));")
            self.outputs.append((a.name, f"{a.name}_value"))
            return f"RAW({a.name}_value)"
        if a.kind == "uint8":
            rows, columns = (self.extent(x) for x in shape)
            self.late.append(f"uint8_t *{a.name}_ = (uint8_t *)R_alloc((size_t)({rows} * {columns}) + 1, 1);")
            self.outputs.append((a.name, f"matrix_from({a.name}_, {rows}, {columns})"))
            return f"{a.name}_"
        extents = "3" if self.name == "alignment_filter" else ", ".join(self.extent(x) for x in shape)
        wanted = a.optional and "gradient" not in self.name and self.name != "alignment_filter"
        if wanted:
            self.parameters.append(a.name)
        make = f"new_array({len(shape)}, (const int64_t[]){{{extents}}})"
        if wanted:
            make = f'flag_of({a.name}, "{a.name}") ? {make} : R_NilValue'
        self.late.append(f"SEXP {a.name}_value = PROTECT({make});")
        if a.kind == "double":
            self.outputs.append((a.name, f"{a.name}_value"))
            return f"{a.name}_value == R_NilValue ? NULL : REAL({a.name}_value)" if wanted else f"REAL({a.name}_value)"
        # Elements that R has not: in memory of R, converted after the call.
        self.late.append(f"int64_t *{a.name}_ = (int64_t *)R_alloc((size_t)Rf_xlength({a.name}_value) + 1, sizeof *{a.name}_);")
        self.outputs.append((a.name, f"reals_from({a.name}_value, {a.name}_)"))
        return f"{a.name}_"

    def argument(self, a):
        written = {"handle": self.handle, "int": self.whole, "size": self.whole, "array": self.array_out if a.output else self.array_in}
        if a.role in written:
            return written[a.role](a)
        if a.role in ("double", "enum", "text"):
            self.parameters.append(a.name)
            kind, convert = {"double": ("double", "real_of"), "enum": (f"atp_{a.kind}", f"(atp_{a.kind})int_of"),
                             "text": ("char *", "text_of")}[a.role]
            self.first.append(f'const {kind} {a.name}_ = {convert}({a.name}, "{a.name}");'.replace("* ", "*"))
            return f"{a.name}_"
        if a.role in ("number", "place_of_text"):
            kind, init = {"int64": ("int64_t", "0"), "double": ("double", "0"), "int": ("int", "0"), "": ("const char *", "NULL")}[a.kind]
            self.first.append(f"{kind} {a.name}_out = {init};".replace("* ", "*"))
            one = " + 1" if a.name == "index" else ""
            convert = {"int64": "count_from", "double": "Rf_ScalarReal", "int": "Rf_ScalarLogical", "": "text_from"}[a.kind]
            self.outputs.append((a.name, f"{convert}({a.name}_out{one})"))
            return f"&{a.name}_out"
        if a.role == "made":
            return f"(atp_{a.kind} **)&made_->handle"
        if a.role == "outcome":
            self.first.append("atp_outcome outcome_ = ATP_OUTCOME_NONE;")
            return "&outcome_"
        return {"progress": "run_report", "user": "&r"}[a.role]

    def write(self):
        if self.f.returns != "atp_status":
            return self.getter()
        call = f"{self.f.name}({', '.join([self.argument(a) for a in self.f.arguments])})"
        kept = self.name == "trainer_run"
        if self.running:
            self.parameters += ["progress", "environment"] if kept else ["progress"]
        body = list(self.first)
        if self.made:
            context = "context_" if self.explicit() and "context_" in " ".join(body) else f"{self.handles[0].name}_->needs[NEEDS_CONTEXT]"
            body += [f"SEXP handle = PROTECT(new_handle(KIND_{self.made.kind}, {context}));", "box *made_ = new_box(handle);"]
            self.outputs.insert(0, ("handle", "handle"))
        if self.running:
            body += ["run r;", f"run_begin(&r, progress, {int(kept)});"]
        body += [x for x in self.late if "options_of" not in x] + [x for x in self.late if "options_of" in x]
        end = f"run_end(&r, status, {'environment' if kept else 'R_NilValue'});" if self.running else "finish(status);"
        body += [f"const atp_status status = {call};", *self.after, end]
        protected = sum(x.count("PROTECT(") for x in body) + self.running
        names = (["outcome", "interrupted"] if self.running else []) + [n for n, _ in self.outputs]
        if len(names) > 1:
            listed = ", ".join(f'"{n}"' for n in [*names, ""])
            body += [f"static const char *names[] = {{{listed}}};", "SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));"]
            body += [f"run_result(list, &r, {'outcome_' if self.f.argument('outcome') else 'ATP_OUTCOME_NONE'});"] if self.running else []
            body += [f"SET_VECTOR_ELT(list, {k + 2 * self.running}, {value});" for k, (_, value) in enumerate(self.outputs)]
            result, protected = "list", protected + 1
        elif names:
            body.append(f"SEXP result = {self.outputs[0][1]};")
            result = "result"
        else:
            result = "R_NilValue"
        body += ([f"UNPROTECT({protected});"] if protected else []) + [f"return {result};"]
        return self.function(body)

    def function(self, body):
        listed = ", ".join(f"SEXP {p}" for p in self.parameters) or "void"
        return "\n".join([f"SEXP r_{self.name}({listed}) {{", *("  " + b for b in body), "}"])

    def getter(self):
        """Of a handle or of nothing: a number, a text, a copy of an array."""
        call = f"{self.f.name}({', '.join([self.argument(a) for a in self.f.arguments])})"
        body = self.first
        self.name = self.name.replace("_view", "")
        value = {"void": f"({call}, R_NilValue)", "int64_t": f"count_from({call})", "double": f"Rf_ScalarReal({call})",
                 "const char *": f"text_from({call})", "int": f"Rf_Scalar{'Logical' if re.search('is_|has_', self.name) else 'Integer'}({call})"}.get(self.f.returns)
        if value:
            return self.function(body + [f"return {value};"])
        shape = re.findall(r"\[([^\]]+)\]", (re.search(r"shape ((?:\[[^\]]+\])+)", self.f.text) or [0, "[L]"])[1])
        extents = [self.extent(x) for x in shape]
        if self.f.returns == "const uint8_t *":
            return self.function(body + [f"return matrix_from({call}, {extents[0]}, {extents[1]});"])
        return self.function(body + [f"SEXP value = PROTECT(new_array(1, (const int64_t[]){{{extents[0]}}}));",
                                     f"const {self.f.returns.split()[1]} *from = {call};",
                                     "for (R_xlen_t k = 0; k < Rf_xlength(value); ++k) REAL(value)[k] = (double)from[k];",
                                     "UNPROTECT(1);", "return value;"])


def calls(interface):
    head = f"""/* SPDX-License-Identifier: MIT */
/* {NOTE} */
#include "glue.h"

#include "entries.h"
"""
    known = [f for f in interface.functions.values() if not HANDS_OFF.search(f.name) and "pointer" not in [a.role for a in f.arguments]]
    return "\n".join([head] + [Entry(f, interface).write() + "\n" for f in known])


def entries(sources):
    """The table of entry points: name and number of arguments of every `SEXP r_NAME(...)`."""
    found = re.findall(r"^SEXP r_(\w+)\(([^)]*)\) *{", "\n".join(sources), flags=re.M)
    lines = ["/* SPDX-License-Identifier: MIT */", f"/* {NOTE} */", "#include <Rinternals.h>"]
    lines += [f"SEXP r_{name}({listed});" for name, listed in found]
    table = " \\\n".join(f"  ENTRY({name}, {0 if listed == 'void' else listed.count('SEXP')})" for name, listed in found)
    return "\n".join(lines + ["#define ENTRIES \\", table, ""])


def files(interface, here):
    written = calls(interface)
    sources = [path.read_text() for path in sorted((here / "src").glob("*.c")) if path.name != "calls.c"]
    return {"R/generated.R": constants(interface), "src/calls.c": written, "src/entries.h": entries([*sources, written]),
            **r_help.files(interface, here)}
