# SPDX-License-Identifier: MIT
# Sampling in calls of 100 sweeps (L = q = 20, 64 chains, one thread): site updates per second, the best of 40 rounds,
# by the package and by the bare C function, in turn.
# usage: julia --project=bindings/julia bench/overhead.jl
using AttoPotts

function rate_of(call, sampler, calls)
    begin_ns = time_ns()
    for _ in 1:calls
        call()
    end
    return calls * 100 * sampler.chains * sampler.sites / ((time_ns() - begin_ns) * 1e-9)
end

function main()
    context = Context(; threads = 1)
    sampler = Sampler(random_model(20, 20; seed = 1, context = context); chains = 64, context = context)
    package() = sweep!(sampler, 100)
    address = AttoPotts.borrow(identity, sampler)
    bare() = AttoPotts.atp_sampler_sweep(address, 100, C_NULL, C_NULL, C_NULL)
    best = [0.0, 0.0]
    for _ in 1:40, (k, call) in enumerate((package, bare))
        best[k] = max(best[k], rate_of(call, sampler, 25))
    end
    println("Julia: ", round(Int, best[1]), " site updates/s; the bare C function: ", round(Int, best[2]))
end

main()
