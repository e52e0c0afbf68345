# SPDX-License-Identifier: MIT

"""
Potts models and factored attention: sample, learn, compare. A thin layer over the attopotts library.

    truth = random_model(10, 5)
    sampler = Sampler(truth; chains = 32)
    sweep!(sampler, 100)
    data = Alignment(sample!(sampler, 4000; thin = 10).sequences; colors = 5)
    trainer = Trainer(data; l2_couplings = 1e-4, l2_colors = 1e-4)
    train!(trainer, 200)
    coupling_error(Model(trainer), truth)

Conventions. Arrays are those of C with the indices reversed, and nothing is copied on the way: C's `[N][L]` is Julia's
`(L, N)`, a sequence a column. Sites and sequences count from 1, wherever an index is seen. Colours are values, 0..q-1,
as in data and files; as indices of arrays they are a + 1. Other numbers than UInt8 (sequences) and Float64 are
converted, which copies.

`copy`, `deepcopy` and `serialize` take models, alignments, samplers and trainers: a copy has the context of its
original, what is deserialized that of the task, and a sampler or trainer goes on with the same numbers. Models and
alignments are `==` where they hold the same. Handles are freed by finalizers or by `close`; one task at a time uses a context and its handles, several may read models and alignments. A long call does not let Julia's
garbage collector run in other threads until it is over.

Errors of the library are `AttoPottsError`s with its text. Ctrl-C stops long calls at their next step with an
`InterruptException` and keeps their state; only the main thread sees it, and a script has to say
`Base.exit_on_sigint(false)` first, without which Julia ends at once.

The library is found at load time: the file that the environment variable ATTOPOTTS_LIBRARY names, else through
pkg-config, else where the system looks for libraries.
"""
module AttoPotts

import Libdl, Serialization

# With what @api defines.
export Context, DotAttention, MISSING, Replica, default_context

# In a clone: what is written from the C headers. A copy elsewhere has it.
let bindings = joinpath(@__DIR__, "..", ".."), generate = joinpath(bindings, "generate.py")
    if isfile(generate)
        run(`$generate julia`)
        foreach(include_dependency, readdir(joinpath(bindings, "..", "include", "attopotts"); join = true))
    end
end
include("generated.jl")
include("handles.jl")
include("context.jl")
include("arrays.jl")
include("generated_handles.jl")
include("generated_calls.jl")
include("api.jl")
include("library.jl")
include("options.jl")
include("progress.jl")
include("alignment.jl")
include("model.jl")
include("sampler.jl")
include("trainer.jl")
include("copies.jl")
include("scores.jl")
include("task.jl")
include("replica.jl")
include("dotattn.jl")
include("plots.jl")

"""
    MISSING

In sequences that a model is asked about: this site is not known.
"""
const MISSING = UInt8(ATP_MISSING)

function __init__()
    load_library()
    REPORT_PROGRESS[] = @cfunction(report_progress, Cint, (Ptr{Cvoid}, Ptr{Cvoid}))
    WRITE_LOG[] = @cfunction(write_log, Cvoid, (Cint, Cstring, Ptr{Cvoid}))
end

end
