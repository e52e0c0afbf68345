# SPDX-License-Identifier: MIT
# How functions and types that users see are written: text, signature and body, each once.
#
#     @api begin
#         "The number of the sequence that a name means, 1..N."
#         find_sequence(alignment, name) = atp_alignment_find
#     end
#
# exports the function, and documents it by its signature and the text; a type likewise. A body that is the name of a C
# function calls it: parameters have C's names and types, in any order, and what a signature leaves out is `nothing`. What
# `f!` calls so gives its first argument, unless it reports. Keywords without a value are `nothing`, `context` is that of
# the task. A function of (report, ...) gets a method without it. Definitions without a text share the one before them; a
# signature without a body is only shown. `@api qualified begin` exports nothing and shows names with the module's.

# (text, definitions) in a block.
function texts_of(block)
    found = []
    for line in block.args
        if Meta.isexpr(line, :macrocall) # a string in front of a definition
            push!(found, (line.args[3], Any[line.args[4]]))
        elseif !(line isa LineNumberNode)
            push!(last(found)[2], line)
        end
    end
    return found
end

# A parameter without its type, and without its value where that is `nothing`.
shown(x) = x
function shown(x::Expr)
    x.head === :(::) && return x.args[1]
    x.head === :parameters && return Expr(:parameters, map(shown, x.args)...)
    x.head === :kw || return x
    return x.args[2] === :nothing ? shown(x.args[1]) : Expr(:kw, shown(x.args[1]), x.args[2])
end

signature(call) = replace(string(Expr(:call, map(shown, call.args)...)), "(report, " => "([report,] ")
name_in(x) = x isa Symbol ? x : name_in(x.args[x.head === :struct ? 2 : 1])
heading(x) = x.head === :struct ? name_in(x) : signature(x.head === :call ? x : x.args[1])
made_of(x) = x.head === :struct ? [x] : x.head === :call ? [] : methods_of(x.args...)

# The methods that a definition makes.
function methods_of(call, body)
    f, given = call.args[1], call.args[2:end]
    keywords = Meta.isexpr(get(given, 1, nothing), :parameters) ? popfirst!(given).args : []
    made, parameters = get(CALLS, body.args[end], (nothing, []))
    types = Dict{Symbol,Any}([parameters; :context => Context])
    typed(x::Symbol) = Expr(:(::), x, get(types, x, Any))
    typed(x::Expr) = x.head === :kw ? Expr(:kw, typed(x.args[1]), x.args[2]) : x
    optional(x) = x isa Symbol ? Expr(:kw, typed(x), x === :context ? :($default_context()) : nothing) : typed(x)
    if made !== nothing
        named = map(name_in, [given; keywords])
        value((name, type)) = name in named ? name : type === Bool ? true : nothing
        body = Expr(:call, GlobalRef(AttoPotts, made), map(value, parameters)...)
        endswith(string(f), "!") && !(:report in named) && (body = Expr(:block, body, named[1]))
    end
    found = [Expr(:(=), Expr(:call, f, Expr(:parameters, map(optional, keywords)...), map(typed, given)...), body)]
    if get(given, 1, nothing) === :report
        rest, options = given[2:end], Expr(:parameters, :(options...))
        push!(found, Expr(:(=), Expr(:call, f, options, map(typed, rest)...), Expr(:call, f, options, nothing, map(name_in, rest)...)))
    end
    return found
end

macro api(arguments...)
    prefix = length(arguments) == 1 ? "" : "$(nameof(__module__))."
    made = Expr(:block)
    for (text, definitions) in texts_of(last(arguments))
        name, headings = name_in(definitions[1]), join("    $prefix$(heading(x))\n" for x in definitions)
        append!(made.args, vcat(made_of.(definitions)...))
        push!(made.args, :(@doc $(Expr(:string, headings, "\n", text)) $name))
        isempty(prefix) && push!(made.args, Expr(:export, name))
    end
    return esc(made)
end
