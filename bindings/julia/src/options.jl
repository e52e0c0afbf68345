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
option_keys() = [atp_option_at(k) for k in 0:(atp_option_count() - 1)]

# The options that a reader, an atp_option_reader or atp_task_kind, reads.
function options_read(bag, reader)
    return filter(option_keys()) do key
        usual = Ref(0.0)
        check(atp_option_bounds(key, Ref(0.0), Ref(0.0), usual, Ref(Cint(0))))
        atp_options_reset(bag)
        return atp_options_set_f64(bag, key, usual[]) == ATP_OK && atp_options_check(bag, reader) == ATP_OK
    end
end

function option_key(bag, reader, name::Symbol)
    key = atp_option_from_name(replace(string(name), "_" => "-"))
    key >= 0 || throw(ArgumentError("no option $name, expected one of $(join(sort!(option_word.(options_read(bag, reader))), ", "))"))
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

# f(bag) with a bag of options, which are pairs, for a reader.
function with_options(f, context::Handle, reader, options)
    return with_handle(create(atp_options_create, Temporary, atp_options_destroy, context)) do bag
        borrow(bag) do address
            given = Set{Cint}()
            for (name, value) in options
                value === nothing && continue
                key = option_key(address, reader, name)
                key in given && throw(ArgumentError("option $name is given twice"))
                push!(given, key)
                set_option(address, key, name, value)
            end
            check(atp_options_check(address, reader))
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
