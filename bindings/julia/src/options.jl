# SPDX-License-Identifier: MIT
# Words of enums, and options by name.

# The number of a word of an enum; a number stays what it is.
word(enum::Symbol, value::Integer, name = enum) = whole(value, name, Cint)
function word(enum::Symbol, value::Union{Symbol,AbstractString}, name = enum)
    given = Symbol(replace(lowercase(string(value)), "-" => "_"))
    for (known, number) in WORDS[enum]
        known === given && return number
    end
    throw(ArgumentError("$name is :$given, expected one of :$(join(first.(WORDS[enum]), ", :"))"))
end
word(enum::Symbol, value, name = enum) = throw(ArgumentError("$name is of type $(typeof(value)), expected a Symbol"))

# The way back.
function word_of(enum::Symbol, value::Integer)
    k = findfirst(pair -> last(pair) == value, WORDS[enum])
    return k === nothing ? :unknown : first(WORDS[enum][k])
end

option_word(key) = Symbol(replace(text_of(atp_option_name(key)), "-" => "_"))
option_owners() = Iterators.takewhile(>=(0), (atp_option_owner_at(k) for k in Iterators.countfrom(0)))
option_keys(owner) = [atp_option_at(owner, k) for k in 0:(atp_option_count(owner) - 1)]

function option_key(owner, name::Symbol)
    key = atp_option_from_name(replace(string(name), "_" => "-"))
    key >= 0 || throw(ArgumentError("no option $name, expected one of $(join(sort!(option_word.(option_keys(owner))), ", "))"))
    return key
end

function set_option(bag, key, name::Symbol, value)
    words = get(OPTION_ENUMS, name, nothing)
    if value isa Union{Symbol,AbstractString} && words !== nothing
        check(atp_options_set_i64(bag, key, word(words, value, name)))
    elseif value isa Integer
        check(atp_options_set_i64(bag, key, whole(value, "option $name")))
    elseif value isa Real
        check(atp_options_set_f64(bag, key, value))
    else
        expected = words === nothing ? "a number" : "a number or a Symbol"
        throw(ArgumentError("option $name is of type $(typeof(value)), expected $expected"))
    end
end

# f(bag) with a bag of options, which are pairs, of an owner, an atp_option_owner or atp_task_kind.
function with_options(f, context::Context, owner, options)
    return with_handle(create(atp_options_create, Temporary, atp_options_destroy, context; with = (owner,))) do bag
        borrow(bag) do address
            given = Set{Cint}()
            for (name, value) in options
                value === nothing && continue
                key = option_key(owner, name)
                key in given && throw(ArgumentError("option $name is given twice"))
                push!(given, key)
                set_option(address, key, name, value)
            end
        end
        return f(bag)
    end
end

@api begin
    """Every option that samplers, trainers, readers and tasks take as a keyword: a vector of `(owner, name, lowest, highest, default,
    integer, words, text)`; `owner` is who has it, "a trainer", `words` are the Symbols that stand for its values, where it has some."""
    function option_list()
        return [option_entry(owner, key) for owner in option_owners() for key in option_keys(owner)]
    end
end

function option_entry(owner, key)
    lowest, highest, default, integer = Ref(0.0), Ref(0.0), Ref(0.0), Ref(Cint(0))
    check(atp_option_bounds(owner, key, lowest, highest, default, integer))
    name = option_word(key)
    return (owner = text_of(atp_option_owner_name(owner)), name = name, lowest = lowest[], highest = highest[],
            default = default[], integer = integer[] != 0,
            words = haskey(OPTION_ENUMS, name) ? first.(WORDS[OPTION_ENUMS[name]]) : Symbol[],
            text = text_of(atp_option_text(owner, key)))
end
