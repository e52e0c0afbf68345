# SPDX-License-Identifier: MIT
"""One Fortran procedure around one C function, from its line `!@ NAME(...)` in a template; fortran.py says what may stand there."""
import dataclasses
import re

from fortran_low import KINDS, wrap
from interface import GETTERS

ELEMENTS = {"int64": "integer(c_int64_t)", "double": "real(c_double)", "float": "real(c_float)", "uint8": "integer(c_int8_t)",
            "byte": "integer(c_int8_t)"}
FROM_ONE = ("index", "first", "rung", "site", "row", "column")  # places that count from 1 here and from 0 in C
SLOTS = {"train": "SLOT_DATA", "test": "SLOT_TEST", "truth": "SLOT_TRUTH", "table": "SLOT_LOG"}
ERRORS = ["integer, intent(out), optional :: stat", "character(len=*), intent(inout), optional :: errmsg"]


def split(text):
    """At the commas that are not within brackets."""
    pieces, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += c
    return [p.strip() for p in pieces if p.strip()]


def written(head, lines, kind):
    return "\n".join([wrap(head, 2), *(wrap(x, 4) for x in lines), f"  end {kind}"])


class Line:
    """What a line `!@ NAME(...)` says."""

    def __init__(self, text):
        text, _, extra = text.partition(";")
        match = re.fullmatch(r"(?:(private|plain) )?(\w+)(?:\((.*)\))?(?: -> (\w+))?(?: = (\w+))?", text.strip())
        if not match:
            raise ValueError(f"not understood: !@ {text}")
        self.word, self.name, listed, self.result, self.function = match.groups()
        self.extra = dict(piece.split("=", 1) for piece in split(extra))
        self.given = {}  # name: (optional, default, long)
        self.renamed = {}  # name in C: name here
        for piece in split(listed or ""):
            name, of_c, optional, long, default = re.fullmatch(r"(\w+)(?:@(\w+))?(\?)?(:long)?(?:=(.*))?", piece).groups()
            self.given[name] = (bool(optional), default, bool(long))
            if of_c:
                self.renamed[of_c] = name


class Procedure:
    """One Fortran procedure around one C function."""

    def __init__(self, line, function, type_, known):
        new = line.renamed
        self.f = dataclasses.replace(function, arguments=[
            dataclasses.replace(a, name=new.get(a.name, a.name), of=new.get(a.of, a.of)) for a in function.arguments])
        self.line, self.type, self.known = line, type_, known
        self.declared, self.local, self.check, self.before, self.after, self.late = [], [], [], [], [], []
        self.listed = line.given
        self.made = next((a for a in function.arguments if a.role == "made"), None)
        self.makes_self = bool(self.made and type_ and self.made.kind == type_ and self.made.kind not in self.listed)
        self.own = None if self.makes_self or not type_ else next(
            (a.name for a in function.arguments if a.role == "handle" and a.kind == type_ and a.name not in self.listed), None)
        self.running = any(a.role == "progress" for a in function.arguments)
        self.context = ""
        self.missing = False  # whether bytes may be -1, ATP_MISSING, where the caller says so
        self.absent = {}  # sizes of arrays that may be absent

    def expression(self, name):
        """The value of an int parameter that is no argument: what the line says, or an extent of an array."""
        if name in self.line.extra:
            return self.line.extra[name]
        symbol = {"sites": "L", "colors": "q", "parameters": "p"}.get(name, name)
        for a in self.f.arguments:
            for s in (name, symbol):
                if a.role == "array" and s in a.shape and a.name in self.listed and not self.listed[a.name][0]:
                    return f"size({a.name}, {a.shape[::-1].index(s) + 1}, c_int64_t)"
        raise ValueError(f"{self.f.name}: no value for {name}")

    def extent(self, symbol):
        if symbol == "q^L":
            return "state_count(self)"
        if symbol.startswith("ATP_"):
            return f"int({symbol}, c_int64_t)"
        if symbol.isdigit():
            return symbol + "_c_int64_t"
        name = GETTERS.get(symbol)
        if name in self.line.extra:
            return self.line.extra[name]
        if self.own and f"atp_{self.type}_{name}" in self.known:
            return f"self%{name}()"
        if self.f.argument(name or symbol) and (name or symbol) not in self.listed:
            return self.expression(name or symbol)
        return f"int({symbol}, c_int64_t)" if symbol in self.listed else "-1_c_int64_t"

    def declare(self, kind, name, optional=False, intent="in", more="", shape=""):
        words = [kind, f"intent({intent})"] + ([more] if more else []) + (["optional"] if optional else [])
        if more == "contiguous":
            words.append("target")
        self.declared.append(f"{', '.join(words)} :: {name}{shape}")

    def default(self, kind, name, value, given):
        """A local variable with the argument's value, or its default."""
        optional, default, _ = self.listed[name]
        if not optional:
            return given
        self.local.append(f"{kind} :: {name}_")
        set_ = [f"{name}_ = {default or value}", f"if (present({name})) {name}_ = {given}"]
        # A default that is made of other arguments comes after them.
        if re.search(r"\b[a-z]+_\b", default or ""):
            self.late += set_
        else:
            self.before += set_
        return name + "_"

    def handle(self, a):
        if a.name == self.own:
            return "self%address()"
        if a.kind == "context":
            return self.context_of(a)
        if a.name not in self.listed:
            return "c_null_ptr"
        optional = self.listed[a.name][0]
        self.declare(f"class(atp_{a.kind})", a.name, optional)
        slot = SLOTS.get(a.name) if self.type == "trainer" else None
        if slot:
            keep = [f"call need(self%ref, {slot}, {a.name}%ref)"]
            if optional:
                keep = [f"if (present({a.name})) then", "  " + keep[0], "else", f"  call need(self%ref, {slot})", "end if"]
            self.after += ["if (status == ATP_OK) then", *("  " + k for k in keep), "end if"]
        return self.default("type(c_ptr)", a.name, "c_null_ptr", f"{a.name}%address()")

    def context_of(self, a):
        optional = self.listed.get("context", (True,))[0]
        if "context" in self.listed:
            self.declare("class(atp_context)", "context", optional)
        if not optional:
            self.context = "context%ref"
            return "context%address()"
        self.borrow_context()
        return "address_of(context_)"

    def borrow_context(self):
        source = "self" if self.own else next(b.name for b in self.f.arguments if b.role == "handle" and b.name in self.listed
                                               and b.kind not in ("context", "options"))
        self.local.append("type(shared) :: context_")
        self.before.append(f"call context_of({source}%ref, context_)")
        if "context" in self.listed:
            self.before.append("if (present(context)) call share(context_, context%ref)")
        self.context = "context_"

    def whole(self, a):
        if a.name not in self.listed:
            return f"size({a.of}, kind=c_int64_t)" if a.role == "size" and not self.listed.get(a.of, (False,))[0] else (
                self.optional_size(a) if a.role == "size" else self.absent_size(a))
        self.declare("integer(c_int64_t)" if self.listed[a.name][2] else "integer", a.name, self.listed[a.name][0])
        kind = KINDS[a.kind[:-2] if a.kind.endswith("_t") else a.kind]
        given = a.name if self.listed[a.name][2] else f"int({a.name}, {kind})"
        value = self.default(f"integer({kind})", a.name, "0", given)
        return value + " - 1" if a.name in FROM_ONE else value

    def optional_size(self, a):
        self.local.append(f"integer(c_int64_t) :: {a.of}_size_")
        self.before += [f"{a.of}_size_ = 0", f"if (present({a.of})) {a.of}_size_ = size({a.of}, kind=c_int64_t)"]
        return f"{a.of}_size_"

    def absent_size(self, a):
        array = next((b.name for b in self.f.arguments if b.shape == (a.name,) and self.listed.get(b.name, (False,))[0]), None)
        if array is None or a.name not in self.line.extra:
            return self.expression(a.name)
        self.local.append(f"integer(c_int64_t) :: {a.name}_")
        self.absent[a.name] = array
        self.before += [f"{a.name}_ = {self.line.extra[a.name]}", f"if (present({array})) {a.name}_ = size({array}, kind=c_int64_t)"]
        return a.name + "_"

    def word(self, a):
        if a.name not in self.listed:
            return self.line.extra[a.name]
        optional, default, _ = self.listed[a.name]
        self.declare("character(len=*)", a.name, optional)
        self.local.append(f"integer(c_int) :: {a.name}_")
        of = f"option_of({a.name}" if a.kind == "option" else f"enum_of('{a.kind}', {a.name}"
        call = f"{a.name}_ = {of}, stat, errmsg)"
        self.check += [f"{a.name}_ = {default}", f"if (present({a.name})) {call}"] if optional else [call]
        self.check.append(f"if ({a.name}_ < 0) return")
        return a.name + "_"

    def text(self, a):
        if a.name not in self.listed:
            return "c_null_ptr"
        self.declare("character(len=*)", a.name, self.listed[a.name][0])
        self.local.append(f"character(kind=c_char), allocatable, target :: {a.name}_store(:)")
        return f"c_text({a.name}_store, {a.name})"

    def array(self, a):
        if a.name not in self.listed:
            if a.name not in self.line.extra:
                return "c_null_ptr"
            self.local.append(f"{ELEMENTS[a.kind]}, allocatable, target :: {a.name}_(:)")
            self.before.append(f"{a.name}_ = {self.line.extra[a.name]}")
            return f"c_loc({a.name}_)"
        optional = self.listed[a.name][0]
        rank = max(len(a.shape), 1)
        if a.name in ("masked_sites", "pairs", "others", "rows") and a.kind == "int64" and not a.output:
            colons = f"({', '.join(':' * rank)})"
            self.declare("integer" if a.name == "masked_sites" else ELEMENTS[a.kind], a.name, shape=colons)
            self.local.append(f"integer(c_int64_t), allocatable, target :: {a.name}_{colons}")
            self.checked(a, rank, optional)
            self.before += [f"allocate ({a.name}_, source=int({a.name} - 1, c_int64_t))"]
            return f"c_loc({a.name}_)"
        self.declare(ELEMENTS[a.kind], a.name, optional, "inout" if a.output else "in", "contiguous", f"({', '.join(':' * rank)})")
        self.checked(a, rank, optional)
        if a.missing:
            self.missing = True
            self.check.append(f"if (.not. known('{a.name}', findloc({a.name}, -1_c_int8_t), missing, stat, errmsg)) return")
        return self.default("type(c_ptr)", a.name, "c_null_ptr", f"c_loc({a.name})")

    def checked(self, a, rank, optional):
        sized = any(b.role == "size" and b.of == a.name or b.role == "int" and b.name not in self.listed and not optional
                    and self.expression(b.name) == f"size({a.name}, 1, c_int64_t)" for b in self.f.arguments)
        expected = [self.extent(s) for s in reversed(a.shape)]
        own = [e == f"size({a.name}, {k + 1}, c_int64_t)" for k, e in enumerate(expected)]
        for k, symbol in enumerate(reversed(a.shape)):
            if own[k] and a.shape.count(symbol) == 1 and GETTERS.get(symbol) in self.line.extra:
                expected[k] = "-1_c_int64_t"  # of any extent
        trivial = all(o or e == "-1_c_int64_t" for o, e in zip(own, expected))
        if trivial or (rank == 1 and sized):
            return
        test = f"if (.not. fits('{a.name}', shape({a.name}), [{', '.join(expected)}], stat, errmsg)) return"
        self.check += [f"if (present({a.name})) then", "  " + test, "end if"] if optional else [test]

    def number(self, a):
        if a.name not in self.listed and a.name != self.line.result:
            if a.optional:
                return "c_null_ptr"
        kind = {"int64": "integer(c_int64_t)", "int": "integer(c_int)", "double": "real(c_double)"}[a.kind]
        self.local.append(f"{kind}, target :: {a.name}_")
        self.before.append(f"{a.name}_ = " + ("nan()" if a.kind == "double" else "-1" if a.name == "index" else "0"))
        value = a.name + "_" + (" /= 0" if a.kind == "int" else " + 1" if a.name == "index" else "")
        if a.name in self.listed:
            optional = self.listed[a.name][0]
            self.declare("logical" if a.kind == "int" else kind, a.name, optional, "out")
            self.after.append((f"if (present({a.name})) " if optional else "") + f"{a.name} = {value}")
        elif a.name == self.line.result:
            self.after.append(f"{a.name} = {value}")
        return f"c_loc({a.name}_)"

    def real(self, a):
        """A number of any kind of reals and integers, but where a generic tells procedures by kinds."""
        optional, default, _ = self.listed[a.name]
        if self.line.word == "private":
            self.declare("real(c_double)", a.name, optional)
            return self.default("real(c_double)", a.name, "0", a.name)
        self.declare("class(*)", a.name, optional)
        self.local.append(f"real(c_double) :: {a.name}_")
        test = f"if (.not. is_real('{a.name}', {a.name}, {a.name}_, stat, errmsg)) return"
        self.check += [f"{a.name}_ = {default or '0'}", f"if (present({a.name})) then", "  " + test, "end if"] if optional else [test]
        return a.name + "_"

    def size_in_words(self, name, expression):
        """For messages: "n=size(x,2);" of the parameter n and what it gets in a call; "" if that is no size."""
        found = re.fullmatch(r"size\((\w+)(?:, (\d))?, (?:kind=)?c_int64_t\)|(\w+)_size_", expression)
        array = (found[1] or found[3]) if found else self.absent.get(name)
        dimension = f",{found[2]}" if found and found[2] and len(self.f.argument(array).shape) > 1 else ""
        return f"{name}=size({array}{dimension});" if array else ""

    def argument(self, a):
        if a.kind == "char" or a.role == "size" and self.f.argument(a.of).kind == "char":
            return "@" + a.role
        if a.role == "user" or a.name == "needed":
            return "c_loc(needed)" if a.name == "needed" else "c_loc(running)"
        if a.role in ("int", "size"):
            return self.whole(a)
        if a.role == "double":
            if a.name not in self.listed:
                return self.line.extra[a.name]
            return self.real(a)
        if a.role == "progress":
            self.declare("class(progress_handler)", "progress", True, "inout", "target")
            self.local += ["type(progress_call), target :: running", "type(c_funptr) :: callback"]
            keeper = "self" if self.own else next(n for n in self.listed if self.f.argument(n) and self.f.argument(n).role == "handle")
            self.before.append(f"call prepare(running, progress, callback, {keeper}%ref)")
            return "callback"
        if a.role == "outcome":
            self.declare("integer(c_int)", "outcome", True, "out")
            self.local.append("integer(c_int), target :: outcome_")
            self.before.append("outcome_ = ATP_OUTCOME_NONE")
            self.after.append("if (present(outcome)) outcome = outcome_")
            return "c_loc(outcome_)"
        if a.role == "made":
            if not self.makes_self:
                self.declare(f"class(atp_{a.kind})", a.kind, intent="inout")
            self.local.append("type(c_ptr) :: made")
            return "made"
        return {"handle": self.handle, "enum": self.word, "text": self.text, "array": self.array, "number": self.number}[a.role](a)

    def order(self):
        """The names of the arguments, as they are called."""
        names = list(self.listed)
        if self.running:
            names += [a.role for a in self.f.arguments if a.role in ("progress", "outcome") and a.role not in names]
        return (["self"] if self.type else []) + names + ["stat", "errmsg"] + ["missing"] * self.missing

    def write(self):
        name = f"{self.type}_{self.line.name}" if self.type else self.line.name
        if self.f.returns != "atp_status":
            return self.getter(name)
        call = [self.argument(a) for a in self.f.arguments]
        if "@array" in call:
            return self.text_made(name, f"{self.f.name}({', '.join(call)})")
        if self.made:
            if not self.context:
                self.borrow_context()
            kept = "self" if self.makes_self else self.made.kind
            self.after.insert(0, f"if (status == ATP_OK) call adopt({kept}%ref, atp_{self.made.kind}_destroy, made, {self.context})")
        if self.context == "context_":
            self.after.append("call drop(context_)")
        head, tail, result = "subroutine ", "subroutine", ""
        if self.line.result:
            a = self.f.argument(self.line.result)
            kind = {"int64": "integer(c_int64_t)", "int": "logical", "double": "real(c_double)"}[a.kind]
            head, tail, result = f"{kind} function ", "function", f" result({a.name})"
            self.check.insert(0, f"{a.name} = " + {"int64": "0", "int": ".false.", "double": "nan()"}[a.kind])
        own = self.f.argument(self.own) if self.own else None
        first = [f"class(atp_{self.type}), intent({'in' if own and own.constant else 'inout'}) :: self"] if self.type else []
        end = "finish(running, status" if self.running else "settle(status"
        sizes = "".join(self.size_in_words(a.name, x) for a, x in zip(self.f.arguments, call))
        sizes = f", '{sizes}'" * bool(sizes)
        if self.missing:
            self.declared.append("logical, intent(in), optional :: missing")
        if self.makes_self:
            self.check += [f"if (.not. may_replace(self%ref, {a.name}%ref, stat, errmsg)) return"
                           for a in self.f.arguments if a.role == "handle" and a.kind == self.type and a.name in self.listed]
        body = ["integer(c_int) :: status", *self.check, *self.before, *self.late, f"status = {self.f.name}({', '.join(call)})", *self.after,
                f"call {end}, stat, errmsg{sizes})"]
        return written(f"{head}{name}({', '.join(self.order())}){result}", first + self.declared + ERRORS + self.local + body, tail)

    def text_made(self, name, call):
        """A function of C that writes a text: it is asked for the length first."""
        asked, told = (call.replace("@array", text).replace("@size", size)
                       for text, size in (("c_null_ptr", "0_c_int64_t"), ("c_loc(buffer)", "needed")))
        declared = [f"class(atp_{self.type}), intent(in) :: self", *self.declared, *ERRORS, "character(len=:), allocatable :: text",
                    "character(kind=c_char), allocatable, target :: buffer(:)", "integer(c_int64_t), target :: needed", *self.local]
        body = ["integer(c_int) :: status", "text = ''", *self.check, *self.before, "needed = 0", f"status = {asked}",
                "if (status == ATP_OK) allocate (buffer(needed))", f"if (status == ATP_OK) status = {told}",
                "if (status == ATP_OK) text = text_in(buffer)", "call settle(status, stat, errmsg)"]
        return written(f"function {name}({', '.join(self.order())}) result(text)", declared + body, "function")

    def getter(self, name):
        """A function of C that gives something else than a status."""
        f = self.f
        arguments = ["self%address()" if a.role == "handle" else self.line.extra.get(a.name) or
                     (self.text if a.role == "text" else self.whole)(a) for a in f.arguments]
        declared = [f"class(atp_{self.type}), intent(in) :: self"] * bool(self.type) + self.declared + self.local
        names = ", ".join(["self"] * bool(self.type) + list(self.listed))
        call = f"{f.name}({', '.join(arguments)})" + (" + 1" if self.line.result in FROM_ONE else "")
        if f.returns == "void":
            head, tail, body = f"subroutine {name}({names})", "subroutine", [f"call {call}"]
        elif f.returns == "const char *":
            head, tail = f"function {name}({names}) result(text)", "function"
            declared.append("character(len=:), allocatable :: text")
            body = [f"text = text_at({call})"]
        elif f.returns.endswith("*"):
            shape = re.findall(r"\[([^\]]+)\]", re.search(r"shape ((?:\[[^\]]+\])+)", f.text + " shape [L]")[1])  # site numbers refer to those of alignments
            kind = ELEMENTS[{"uint8_t": "uint8", "double": "double", "int64_t": "int64"}[f.returns.split()[1]]]
            head, tail = f"function {name}({names}) result(view)", "function"
            declared += [f"{kind}, pointer :: view({', '.join(':' * len(shape))})"]
            body = ["nullify (view)", f"if (c_associated(self%address())) call c_f_pointer({call}, view, "
                    f"[{', '.join(f'self%{GETTERS[s]}()' for s in reversed(shape))}])"]
        else:
            logical = f.returns == "int" and re.search(r"_(has|is)_", f.name)
            kind = {"int64_t": "integer(c_int64_t)", "double": "real(c_double)", "int": "logical" if logical else "integer"}[f.returns]
            head, tail, body = f"{kind} function {name}({names})", "function", [f"{name} = {call}" + (" /= 0" if logical else "")]
        return written(head, declared + body, tail)
