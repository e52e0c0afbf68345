# SPDX-License-Identifier: MIT

"""
    Model(maps, values; fields, context)
    Model(couplings; fields, context)
    Model(trainer or transformer)

A generalised Potts model,

    p(s_i = a | rest) = softmax_a( beta [ b_i(a) + sum_{j != i} C_ij(a, s_j) ] ),

with couplings of heads, `C_ij(a, b) = sum_h A_h,ij V_h(a, b)`, or dense ones. Sites count from 1 as indices; a colour
a, 0..q-1 in data, has the index a + 1. Arrays are those of C with the indices reversed, and copied by the
library only:

- `maps`: `L x L x H` or `L x L`, `A_h,ij = maps[j, i, h]`, with a zero diagonal;
- `values`: `q x q x H` or `q x q`, `V_h(a, b) = values[b + 1, a + 1, h]`, a the predicted colour;
- `couplings`: `q x q x L x L` of Float64 or Float32, `C_ij(a, b) = couplings[b + 1, a + 1, j, i]`;
- `fields`: `q x L`, `b_i(a) = fields[a + 1, i]`.

Symmetric models look the same from both sides. See also `random_model`, `read_model`.

Properties: `sites`, `colors`, `heads` (0 for dense models), `has_fields`, `is_symmetric`, `beta` (can be set),
`alphabet` (can be set), `site_numbers`, `site_residues`, and copies of `maps`, `values`, `fields`.
"""
Model

function Model(maps, values; fields = nothing, context::Context = default_context())
    a, v = several(maps), several(values)
    return c_model_create_heads(context, [size(a, 1), size(v, 1), size(a, 3)], a, v, fields)
end

function Model(couplings; fields = nothing, context::Context = default_context())
    create = couplings isa AbstractArray{Float32} ? c_model_create_dense_f32 : c_model_create_dense_f64
    return create(context, couplings, fields)
end

"""
    random_model(sites, colors; couplings = :gaussian, color_matrix = :gaussian, seed = 1, context)

A random model of one head (J, U) without fields. `couplings`: `:gaussian`, or `:contacts`, sparse as a contact map;
`color_matrix`: `:gaussian` or `:identity`, the standard Potts model.
"""
random_model(sites::Integer, colors::Integer; couplings = :gaussian, color_matrix = :gaussian, seed::Integer = 1,
             context::Context = default_context()) =
    c_model_create_random(context, sites, colors, couplings, color_matrix, seed)

"""
    read_model(path; format = :auto, alphabet, context)

Read a model from HDF5 or a file of another tool: `format` is `:plmc`, `:ccmpred`, `:adabm` or `:bmdca` where the
content does not say it. `alphabet` is that of letters in text: "protein", "rna", "dna" or the symbols; needed for
others than these three.
"""
read_model(path::AbstractString; format = :auto, alphabet::Union{Nothing,AbstractString} = nothing,
           context::Context = default_context()) = c_model_read_as(context, path, format, alphabet)

"""
    write_model(path, model; format = :hdf5, alignment, context)

Write a model as `:hdf5`, or for another tool as `:plmc`, `:ccmpred`, `:adabm` or `:bmdca`: symmetrised couplings times
beta. `alignment`: what it was learned from, for `:plmc`, whose files hold frequencies and weights.
"""
write_model(path::AbstractString, model::Model; format = :hdf5, alignment::Union{Nothing,Alignment} = nothing,
            context::Context = default_context()) = c_model_write_as(context, model, alignment, format, path)

Base.copy(x::Model) = c_model_copy(default_context(), x)

"""
    gauge(model, gauge)

The same model in the gauge `:colors` (heads) or `:zero_sum` (becomes dense, with fields).
"""
gauge(x::Model, gauge) = c_model_gauge(default_context(), x, gauge)

"""
    couplings(model, T = Float64)

C_ij(a, b) without beta, `q x q x L x L` of Float64 or Float32: `c[b + 1, a + 1, j, i]`.
"""
couplings(x::Model, ::Type{T} = Float64) where {T<:Union{Float64,Float32}} =
    T == Float32 ? c_model_couplings_f32(x) : c_model_couplings_f64(x)

"""
    conditionals(model, sequences)
    conditionals(transformer, sequences)

p(s_i = a | rest), `q x L x n`: `p[a + 1, i, n]`. Sites of the value `MISSING` are not known, to a model.
"""
conditionals(x::Model, sequences) = c_model_conditionals(x, columns(sequences))

"""
    energies(model, sequences)
    energies(sampler; rung)

H(s) without beta, of sequences `L x n` or of a sampler's present states at a rung of its ladder (default: the target,
the last one).
"""
energies(x::Model, sequences) = c_model_energies(x, columns(sequences))

"""
    log_pseudolikelihoods(model, sequences)

sum_i log p(s_i | rest) in nats, of sequences `L x n`.
"""
log_pseudolikelihoods(x::Model, sequences) = c_model_log_pseudolikelihoods(x, columns(sequences))

"""
    loss(model, alignment; context)
    loss(trainer or transformer, alignment)

The mean of -log p(s_i | rest) over weighted sequences and sites, in nats per site.
"""
loss(x::Model, alignment::Alignment; context::Context = default_context()) = c_model_loss(context, x, alignment)

"""
    coupling_error(model, truth; context)

The distance of learned couplings from true ones, up to gauges.
"""
coupling_error(x::Model, truth::Model; context::Context = default_context()) =
    c_model_coupling_error(context, x, truth)

"""
    enumerate_states(model; pairs = false, probabilities = false)

Exact numbers of a small model by a sum over its q^L states: `(log_z, energy, marginals, pairs, probabilities)` with
`marginals[a + 1, i]`, `pairs[b + 1, a + 1, j, i]`, and `probabilities[s_L + 1, ..., s_1 + 1]`; the last two are
`nothing` unless asked for.
"""
function enumerate_states(x::Model; pairs::Bool = false, probabilities::Bool = false)
    q, sites = x.colors, x.sites
    states = big(q)^sites
    # The library says where it is too large.
    log_z, energy, marginals, joint = c_model_enumerate(x, true, pairs)
    p = probabilities ? Vector{Float64}(undef, states <= 2^26 ? Int(states) : 0) : nothing
    probabilities && c_model_probabilities(x, p)
    return (log_z = log_z, energy = energy, marginals = marginals, pairs = joint,
            probabilities = probabilities ? reshape(p, ntuple(_ -> q, sites)) : nothing)
end

"""
    frobenius(model; gauge = :zero_sum, gap = -1, context)

Scores of pairs of sites, `L x L`: Frobenius norms of the couplings, times beta, in the gauge `:zero_sum` or `:raw`.
`gap`: the colour (0..q-1) that is left out of the norm, -1 for none.
"""
frobenius(x::Model; gauge = :zero_sum, gap::Integer = -1, context::Context = default_context()) =
    c_model_frobenius(context, x, gauge, gap)

"""
    mutants(model, sequence; pseudolikelihood = true, context)

All single mutants of a sequence of L colours: `(energy, log_pseudolikelihood)`, differences to the sequence, each
`q x L`: `[a + 1, i]`. The second is `nothing` where it is not asked for.
"""
function mutants(x::Model, sequence; pseudolikelihood::Bool = true, context::Context = default_context())
    energy, log = c_model_mutants(context, x, sequence, pseudolikelihood)
    return (energy = energy, log_pseudolikelihood = log)
end

function Base.show(io::IO, x::Model)
    isopen(x) || return print(io, "Model, closed")
    heads = x.heads
    print(io, "Model of ", x.sites, " sites, ", x.colors, " colours, ",
        heads == 0 ? "dense" : heads == 1 ? "1 head" : "$heads heads", x.has_fields ? ", fields" : "", ", beta = ",
        x.beta)
end
