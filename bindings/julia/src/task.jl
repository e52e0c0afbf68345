# SPDX-License-Identifier: MIT
# Tables, and the tasks of theory and simulation that fill them.

@api begin
    """The columns of a table, `:replica_curve` say: a vector of `(name, unit, description)`. The unit is "" of a plain
    number."""
    function table_columns(table)
        kind = word(:table_kind, table, :table)
        return map(0:(atp_column_count(kind) - 1)) do k
            (name = Symbol(text_of(atp_column_name(kind, k))), unit = text_of(atp_column_unit(kind, k)),
                description = text_of(atp_column_description(kind, k)))
        end
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

# (columns, outcome, optimum, kind of table) of a task, or the bytes of its run. It is given options and arrays by name; what is `nothing`
# is the library's own.
function run_task(report, kind::Symbol; context::Context = default_context(), bytes::Bool = false, given...)
    known = first.(WORDS[:task_array])
    with_handle(c_task_create(context, kind, filter(pair -> !(first(pair) in known), collect(given)))) do task
        for (name, value) in given
            name in known && value !== nothing && c_task_set_array(task, name, task_array(value))
        end
        return bytes ? c_task_bytes(task) : finished_task(report, context, task)
    end
end

# The same with arguments of a function, and options that must not name them again.
function run_task(report, kind::Symbol, options; own...)
    twice = intersect(keys(own), keys(options))
    isempty(twice) || throw(ArgumentError("$(first(twice)) is given twice, as an argument and as an option"))
    return run_task(report, kind; own..., options...)
end

function finished_task(report, context, task)
    rows = c_table_create(context, number(atp_task_table_kind, task), number(atp_task_rows, task))
    optimum = Ref(NaN)
    return with_handle(rows) do table
        outcome = c_task_run(task, table, report)
        borrow(a -> atp_task_value(a, ATP_TASK_OPTIMUM, optimum), task) # not of every kind
        return (columns = table_of(table), outcome = outcome, optimum = optimum[],
            kind = word_of(:table_kind, number(atp_table_kind_of, table)))
    end
end
