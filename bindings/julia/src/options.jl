# SPDX-License-Identifier: MIT
# Words of enums, and options by name.

# The number of a word of an enum; a number stays what it is.
word(enum::Symbol, value::Integer, name = enum) = Cint(value)
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
option_keys() = [atp_option_at(k) for k in 0:(atp_option_count() - 1)]

function set_option(bag, families, name::Symbol, value)
    applies(key) = key ÷ 100 in families || option_word(key) in families
    key = atp_option_from_name(replace(string(name), "_" => "-"))
    key >= 0 && (applies(key) || key == ATP_OPT_SEED) ||
        throw(ArgumentError("no option $name, expected one of $(join(sort!(option_word.(filter(applies, option_keys()))), ", "))"))
    words = get(OPTION_ENUMS, name, nothing)
    if value isa Union{Symbol,AbstractString} && words !== nothing
        check(atp_options_set_i64(bag, key, word(words, value, name)))
    elseif value isa Integer
        typemin(Int64) <= value <= typemax(Int64) ||
            throw(ArgumentError("option $name is $value, which is beyond 64 bits"))
        check(atp_options_set_i64(bag, key, value))
    elseif value isa Real
        check(atp_options_set_f64(bag, key, value))
    else
        expected = words === nothing ? "a number" : "a number or a Symbol"
        throw(ArgumentError("option $name is of type $(typeof(value)), expected $expected"))
    end
end

# f(bag) with a bag of options, which are pairs. `families` are the hundreds of keys that apply, or names.
function with_options(f, context::Handle, families, options)
    return with_handle(create(atp_options_create, Temporary, atp_options_destroy, context)) do bag
        borrow(bag) do address
            for (name, value) in options
                value === nothing || set_option(address, families, name, value)
            end
        end
        return f(bag)
    end
end

@api begin
    """Every option that samplers, trainers, readers and tasks take as a keyword: a vector of `(name, lowest, highest, default,
    integer, words)`; `words` are the Symbols that stand for its values, where it has some."""
    function option_list()
        return map(option_keys()) do key
            lowest, highest, default, integer = Ref(0.0), Ref(0.0), Ref(0.0), Ref(Cint(0))
            check(atp_option_bounds(key, lowest, highest, default, integer))
            name = option_word(key)
            return (name = name, lowest = lowest[], highest = highest[], default = default[], integer = integer[] != 0,
                    words = haskey(OPTION_ENUMS, name) ? first.(WORDS[OPTION_ENUMS[name]]) : Symbol[])
        end
    end
end
