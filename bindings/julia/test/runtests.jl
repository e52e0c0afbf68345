# SPDX-License-Identifier: MIT
# The Julia package against closed forms, plain Julia and itself in other threads; its errors and interruptions.
using AttoPotts, LinearAlgebra, Random, Serialization, Test
using AttoPotts.Replica
import Base.CoreLogging

const D = DotAttention

struct Mine <: Exception end

truth_model() = random_model(6, 4; seed = 3)

function truth_and_data(n = 500)
    truth = truth_model()
    sampler = Sampler(truth; chains = 16, seed = 5)
    sweep!(sampler, 50)
    return truth, Alignment(sample!(sampler, n; thin = 2).sequences; colors = 4)
end

"The trainer's f() by central differences of parameter k, around x."
function difference(f, trainer, x, k; step = 1e-5)
    above, below = map((step, -step)) do change
        y = copy(x)
        y[k] += change
        trainer.parameters = y
        return f()
    end
    return (above - below) / 2step
end

in_folder(f) = mktempdir(folder -> cd(f, folder))

"All states of L sites with q colours, L x q^L, the last site the fastest."
all_states(sites, q) = reduce(hcat, [reverse(digits(k; base = q, pad = sites)) for k in 0:(q^sites - 1)])

"What f throws: the status of an AttoPottsError or the type of another exception, and its text."
function error_of(f)
    try
        f()
    catch problem
        return problem isa AttoPottsError ? problem.status : nameof(typeof(problem)), sprint(showerror, problem)
    end
    return :nothing, ""
end

"A test that a call fails with a status of the library."
macro fails(status, call)
    return esc(Expr(:macrocall, Symbol("@test"), __source__, :(error_of(() -> $call)[1] === $status)))
end

"Bytes in use by the default context once what is unreachable is gone."
function bytes_in_use(context = default_context())
    for _ in 1:3
        GC.gc()
    end
    return context.memory.bytes
end

"A model, its sampler, sequences of it, a trainer of them."
function handles_in(context; options...)
    model = random_model(8, 4; context = context)
    sampler = Sampler(model; context = context)
    data = Alignment(sample!(sampler, 64).sequences; colors = 4, context = context)
    return model, sampler, data, Trainer(data; context = context, options...)
end

"Handles of every kind, and nothing that refers to them."
function make_and_forget(context)
    for _ in 1:20
        _, _, data, trainer = handles_in(context; epochs = 2)
        data.sequences
        train!(trainer)
        Model(trainer)
        @fails :e_option_range Trainer(data; context = context, heads = -1)
    end
end

"Sampling and learning in a context of its own."
function work(truth, seed)
    context = Context(; threads = 1)
    sampler = Sampler(truth; chains = 16, seed = seed, context = context)
    sequences = sample!(sampler, 800; thin = 5).sequences
    trainer = Trainer(Alignment(sequences; colors = 4, context = context); context = context, epochs = 20)
    train!(trainer)
    return sequences, trainer.parameters, Model(trainer).maps
end

# Small problems: one thread is faster, on a busy machine by far. Two threads have a test of their own.
default_context().threads = 1

"A test set in a function of its own: what it made can be collected afterwards, and Julia compiles one set at a time."
macro tests(name, body)
    return :(@testset $name begin
        (() -> $(esc(body)))()
    end)
end

@testset "AttoPotts" begin
    # Compiling what these call takes Julia more than a minute: ./check.sh leaves them to ./check.sh --all.
    left = ("sampling", "plots", "files", "host", "networks", "theory")
    slow = haskey(ENV, "ATP_TEST_QUICK") ? () : left
    isempty(slow) && foreach(part -> println("[  SKIPPED ] ", part, ": left to ./check.sh --all (ATP_TEST_QUICK is set)"), left)
    for part in ("models", "training", "arguments", "handles", "copies", slow...)
        include(part * ".jl")
    end
end
