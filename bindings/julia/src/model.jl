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
    a, v = reals(maps, "maps"), reals(values, "values")
    2 <= ndims(a) <= 3 && size(a, 1) == size(a, 2) ||
        throw(DimensionMismatch("maps has size $(size(a)), expected (L, L, H)"))
    sites, heads = size(a, 1), size(a, 3)
    2 <= ndims(v) <= 3 && size(v, 1) == size(v, 2) && size(v, 3) == heads ||
        throw(DimensionMismatch("values has size $(size(v)), expected (q, q, $heads)"))
    colors = size(v, 1)
    b = fields === nothing ? C_NULL : reals(fields, "fields", (colors, sites))
    return create(Model, atp_model_destroy, context) do address, out
        atp_model_create_heads(address, Int64[sites, colors, heads], a, v, b, out)
    end
end

function Model(couplings; fields = nothing, context::Context = default_context())
    T = couplings isa AbstractArray{Float32} ? Float32 : Float64
    c = dense(T, couplings, "couplings")
    ndims(c) == 4 && size(c, 1) == size(c, 2) && size(c, 3) == size(c, 4) ||
        throw(DimensionMismatch("couplings has size $(size(c)), expected (q, q, L, L)"))
    colors, sites = size(c, 1), size(c, 3)
    b = fields === nothing ? C_NULL : dense(T, fields, "fields")
    fields === nothing || size(b) == (colors, sites) ||
        throw(DimensionMismatch("fields has size $(size(b)), expected $((colors, sites))"))
    make = T == Float32 ? atp_model_create_dense_f32 : atp_model_create_dense_f64
    return create((address, out) -> make(address, sites, colors, c, b, out), Model, atp_model_destroy, context)
end

"""
    random_model(sites, colors; couplings = :gaussian, color_matrix = :gaussian, seed = 1, context)

A random model of one head (J, U) without fields. `couplings`: `:gaussian`, or `:contacts`, sparse as a contact map;
`color_matrix`: `:gaussian` or `:identity`, the standard Potts model.
"""
function random_model(sites::Integer, colors::Integer; couplings = :gaussian, color_matrix = :gaussian,
                      seed::Integer = 1, context::Context = default_context())
    j, u = word(:couplings, couplings), word(:color_matrix, color_matrix)
    return create(Model, atp_model_destroy, context) do address, out
        atp_model_create_random(address, sites, colors, j, u, seed, out)
    end
end

"""
    read_model(path; format = :auto, alphabet, context)

Read a model from HDF5 or a file of another tool: `format` is `:plmc`, `:ccmpred`, `:adabm` or `:bmdca` where the
content does not say it. `alphabet` is that of letters in text: "protein", "rna", "dna" or the symbols; needed for
others than these three.
"""
function read_model(path::AbstractString; format = :auto, alphabet::Union{Nothing,AbstractString} = nothing,
                    context::Context = default_context())
    number = word(:model_format, format, :format)
    return create(Model, atp_model_destroy, context) do address, out
        number == ATP_MODEL_AUTO && alphabet === nothing && return atp_model_read(address, path, out)
        return atp_model_read_as(address, path, number, something_or_null(alphabet), out)
    end
end

"""
    write_model(path, model; format = :hdf5, alignment, context)

Write a model as `:hdf5`, or for another tool as `:plmc`, `:ccmpred`, `:adabm` or `:bmdca`: symmetrised couplings times
beta. `alignment`: what it was learned from, for `:plmc`, whose files hold frequencies and weights.
"""
function write_model(path::AbstractString, model::Model; format = :hdf5,
                     alignment::Union{Nothing,Alignment} = nothing, context::Context = default_context())
    number = word(:model_format, format, :format)
    borrow(context, model, alignment) do c, m, a
        check(number == ATP_MODEL_HDF5 ? atp_model_write(c, m, path) : atp_model_write_as(c, m, a, number, path))
    end
end

Base.copy(x::Model) = create(atp_model_copy, Model, atp_model_destroy, default_context(), x)

"""
    gauge(model, gauge)

The same model in the gauge `:colors` (heads) or `:zero_sum` (becomes dense, with fields).
"""
function gauge(x::Model, gauge)
    number = word(:gauge, gauge)
    return create((c, m, out) -> atp_model_gauge(c, m, number, out), Model, atp_model_destroy, default_context(), x)
end

"""
    couplings(model, T = Float64)

C_ij(a, b) without beta, `q x q x L x L` of Float64 or Float32: `c[b + 1, a + 1, j, i]`.
"""
function couplings(x::Model, ::Type{T} = Float64) where {T<:Union{Float64,Float32}}
    f = T == Float32 ? atp_model_couplings_f32 : atp_model_couplings_f64
    return filled(f, x, x.colors, x.colors, x.sites, x.sites; T = T)
end

# Sequences for a model, L x n; a single one is a vector of L.
function sequences_for(x::Model, sequences)
    data = colors_array(sequences isa AbstractVector ? reshape(sequences, :, 1) : sequences)
    size(data, 1) == x.sites || throw(DimensionMismatch("sequences has $(size(data, 1)) sites, expected $(x.sites)"))
    return data
end

"""
    conditionals(model, sequences)
    conditionals(transformer, sequences)

p(s_i = a | rest), `q x L x n`: `p[a + 1, i, n]`. Sites of the value `MISSING` are not known, to a model.
"""
function conditionals(x::Model, sequences)
    data = sequences_for(x, sequences)
    n = size(data, 2)
    return filled((a, array, size) -> atp_model_conditionals(a, data, n, array, size), x, x.colors, x.sites, n)
end

"""
    energies(model, sequences)
    energies(sampler; rung)

H(s) without beta, of sequences `L x n` or of a sampler's present states at a rung of its ladder (default: the target,
the last one).
"""
function energies(x::Model, sequences)
    data = sequences_for(x, sequences)
    return filled((a, array, size) -> atp_model_energies(a, data, size, array, size), x, size(data, 2))
end

"""
    log_pseudolikelihoods(model, sequences)

sum_i log p(s_i | rest) in nats, of sequences `L x n`.
"""
function log_pseudolikelihoods(x::Model, sequences)
    data = sequences_for(x, sequences)
    return filled((a, array, size) -> atp_model_log_pseudolikelihoods(a, data, size, array, size), x, size(data, 2))
end

"""
    loss(model, alignment; context)
    loss(trainer or transformer, alignment)

The mean of -log p(s_i | rest) over weighted sequences and sites, in nats per site.
"""
loss(x::Model, alignment::Alignment; context::Context = default_context()) =
    real_of(atp_model_loss, context, x, alignment)

"""
    coupling_error(model, truth; context)

The distance of learned couplings from true ones, up to gauges.
"""
coupling_error(x::Model, truth::Model; context::Context = default_context()) =
    real_of(atp_model_coupling_error, context, x, truth)

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
    wanted = probabilities && states <= 2^26
    marginal = Matrix{Float64}(undef, q, sites)
    joint = pairs ? Array{Float64}(undef, q, q, sites, sites) : nothing
    p = wanted ? Vector{Float64}(undef, Int(states)) : nothing
    log_z, energy = Ref(0.0), Ref(0.0)
    borrow(x) do address
        check(atp_model_enumerate(address, log_z, energy, marginal, length(marginal), something_or_null(joint),
            joint === nothing ? 0 : length(joint)))
        p === nothing || check(atp_model_probabilities(address, p, length(p)))
    end
    return (log_z = log_z[], energy = energy[], marginals = marginal, pairs = joint,
            probabilities = wanted ? reshape(p, ntuple(_ -> q, sites)) : nothing)
end

"""
    frobenius(model; gauge = :zero_sum, gap = -1, context)

Scores of pairs of sites, `L x L`: Frobenius norms of the couplings, times beta, in the gauge `:zero_sum` or `:raw`.
`gap`: the colour (0..q-1) that is left out of the norm, -1 for none.
"""
function frobenius(x::Model; gauge = :zero_sum, gap::Integer = -1, context::Context = default_context())
    number = word(:score_gauge, gauge, :gauge)
    scores = Matrix{Float64}(undef, x.sites, x.sites)
    borrow((c, m) -> check(atp_model_frobenius(c, m, number, gap, scores, length(scores))), context, x)
    return scores
end

"""
    mutants(model, sequence; pseudolikelihood = true, context)

All single mutants of a sequence of L colours: `(energy, log_pseudolikelihood)`, differences to the sequence, each
`q x L`: `[a + 1, i]`. The second is `nothing` where it is not asked for.
"""
function mutants(x::Model, sequence; pseudolikelihood::Bool = true, context::Context = default_context())
    data = colors_array(sequence, "sequence", 1)
    energy = Matrix{Float64}(undef, x.colors, x.sites)
    log = pseudolikelihood ? similar(energy) : nothing
    borrow(context, x) do c, m
        check(atp_model_mutants(c, m, data, length(data), energy, something_or_null(log), length(energy)))
    end
    return (energy = energy, log_pseudolikelihood = log)
end

function Base.show(io::IO, x::Model)
    isopen(x) || return print(io, "Model, closed")
    heads = x.heads
    print(io, "Model of ", x.sites, " sites, ", x.colors, " colours, ",
        heads == 0 ? "dense" : heads == 1 ? "1 head" : "$heads heads", x.has_fields ? ", fields" : "", ", beta = ",
        x.beta)
end
