# SPDX-License-Identifier: MIT
# Tables, and the tasks of theory and simulation that fill them.

# A handle of one call: a task, a table, a masked system.
mutable struct Temporary <: Handle
    owned::Union{Nothing,Owned}
    Temporary(owned::Owned) = finalizer(close, new(owned))
end

function with_handle(f, make, destroy, handles...)
    handle = create(make, Temporary, destroy, handles...)
    try
        return f(handle)
    finally
        close(handle)
    end
end

"""
    table_columns(table)

The columns of a table, `:replica_curve` say: a vector of `(name, unit, description)`. The unit is "" of a plain number.
"""
function table_columns(table)
    kind = word(:table_kind, table, :table)
    return map(0:(atp_column_count(kind) - 1)) do k
        (name = Symbol(text_of(atp_column_name(kind, k))), unit = text_of(atp_column_unit(kind, k)),
            description = text_of(atp_column_description(kind, k)))
    end
end

# Numbers, or the words that they stand for; `nothing` for a NaN.
function in_unit(values, unit)
    startswith(unit, "atp_") || return values
    words = Dict(Float64(value) => name for (name, value) in WORDS[Symbol(unit[5:end])])
    return [get(words, value, nothing) for value in values]
end

# A table as a NamedTuple of vectors.
function table_of(table::Handle)
    columns = table_columns(number(atp_table_kind_of, table))
    rows = filled(atp_table_values, table, length(columns), number(atp_table_rows, table))
    return NamedTuple{Tuple(column.name for column in columns)}(
        Tuple(in_unit(rows[k, :], column.unit) for (k, column) in enumerate(columns)))
end

# f(table) with a table of a kind with room for so many rows.
with_table(f, context, kind, rows) =
    with_handle(f, (c, out) -> atp_table_create(c, kind, rows, out), atp_table_destroy, context)

task_array(x::Real, name) = [Float64(x)]
function task_array(x, name)
    array = reals(x, name)
    ndims(array) <= 2 || throw(DimensionMismatch("$name has size $(size(array)), expected one or two dimensions"))
    return array
end

# (columns, outcome, optimum) of a task with arrays by name, `nothing` for the library's own; or the bytes of its run.
function run_task(report, kind::Symbol, arrays; context::Context = default_context(), bytes::Bool = false, options...)
    number = word(:task_kind, kind)
    return with_options(context, TASK_OPTIONS[kind], options) do bag
        with_handle((c, b, out) -> atp_task_create(c, number, b, out), atp_task_destroy, context, bag) do task
            for (name, given) in pairs(arrays)
                given === nothing && continue
                array = task_array(given, name)
                rows, columns = size(array, ndims(array)), ndims(array) == 2 ? size(array, 1) : 1
                borrow(t -> check(atp_task_set_array(t, word(:task_array, name), array, rows, columns)), task)
            end
            bytes ? integer_of(atp_task_bytes, task) : finished_task(report, context, task)
        end
    end
end

function finished_task(report, context, task)
    outcome, optimum = Ref(Cint(0)), Ref(NaN)
    return with_table(context, number(atp_task_table_kind, task), number(atp_task_rows, task)) do table
        borrow(task, table) do t, rows
            run_call((f, user) -> atp_task_run(t, rows, f, user, outcome), report)
            atp_task_value(t, ATP_TASK_OPTIMUM, optimum) # not of every kind
        end
        return (columns = table_of(table), outcome = outcome_word(outcome[]), optimum = optimum[])
    end
end
