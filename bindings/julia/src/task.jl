# SPDX-License-Identifier: MIT
# Tables, and the tasks of theory and simulation that fill them.

# A handle of one call: a task, a table, a masked system.
mutable struct Temporary <: Handle
    owned::Union{Nothing,Owned}
    Temporary(owned::Owned) = finalizer(close, new(owned))
end

function with_handle(f, handle)
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
    rows = c_table_values(table)
    return NamedTuple{Tuple(column.name for column in columns)}(
        Tuple(in_unit(rows[k, :], column.unit) for (k, column) in enumerate(columns)))
end

task_array(x::Real) = fill(Float64(x), 1, 1)
task_array(x) = ndims(x) == 1 ? reshape(x, 1, :) : x

# (columns, outcome, optimum) of a task with arrays by name, `nothing` for the library's own; or the bytes of its run.
function run_task(report, kind::Symbol, arrays; context::Context = default_context(), bytes::Bool = false, options...)
    with_handle(c_task_create(context, kind, options)) do task
        for (name, given) in pairs(arrays)
            given === nothing || c_task_set_array(task, name, task_array(given))
        end
        return bytes ? c_task_bytes(task) : finished_task(report, context, task)
    end
end

function finished_task(report, context, task)
    rows = c_table_create(context, number(atp_task_table_kind, task), number(atp_task_rows, task))
    optimum = Ref(NaN)
    return with_handle(rows) do table
        outcome = c_task_run(task, table, report)
        borrow(a -> atp_task_value(a, ATP_TASK_OPTIMUM, optimum), task) # not of every kind
        return (columns = table_of(table), outcome = outcome, optimum = optimum[])
    end
end
