# SPDX-License-Identifier: MIT

@api begin
    """A generalised Potts model,

        p(s_i = a | rest) = softmax_a( beta [ b_i(a) + sum_{j != i} C_ij(a, s_j) ] ),

    with couplings of heads, `C_ij(a, b) = sum_h A_h,ij V_h(a, b)`, or dense ones, or what a trainer has
    learned. Sites count from 1 as indices; a colour a, 0..q-1 in data, has the index a + 1. Arrays are those of C with the
    indices reversed, and copied by the library only:

    - `maps`: `L x L x H` or `L x L`, `A_h,ij = maps[j, i, h]`, with a zero diagonal;
    - `values`: `q x q x H` or `q x q`, `V_h(a, b) = values[b + 1, a + 1, h]`, a the predicted colour;
    - `couplings`: `q x q x L x L` of Float64 or Float32, `C_ij(a, b) = couplings[b + 1, a + 1, j, i]`;
    - `fields`: `q x L`, `b_i(a) = fields[a + 1, i]`.

    Symmetric models look the same from both sides. See also `random_model`, `read_model`.

    Properties: `sites`, `colors`, `heads` (0 for dense models), `has_fields`, `is_symmetric`, `beta` (can be set),
    `alphabet` (can be set), `site_numbers`, `site_residues`, `is_ordered`, and copies of `maps`, `values`, `fields`."""
    Model(maps, values; fields, context) =
        c_model_create_heads(context, [size(maps, 1), size(values, 1), size(maps, 3)], maps, values, fields)
    Model(couplings; fields, context) =
        (couplings isa AbstractArray{Float32} ? c_model_create_dense_f32 : c_model_create_dense_f64)(context, couplings, fields)
    Model(trainer) = atp_trainer_model

    """A random model of one head (J, U) without fields. `couplings`: `:gaussian`, or `:contacts`, sparse as a contact map;
    `color_matrix`: `:gaussian`, `:identity`, the standard Potts model, or `:ising`, 1 for a = b and -1 otherwise."""
    random_model(sites, colors; couplings = :gaussian, color_matrix = :gaussian, seed = 1, context) = atp_model_create_random

    """A model with symmetric couplings between the pairs of a list, `pairs` of `2 x n`, sites from 1, and none between others. `couplings`:
    `q x q x n`, `C_ij(a, b) = couplings[b + 1, a + 1, k]` with a at the first site of the k-th pair; or `n` numbers that `color_matrix`,
    `q x q`, is multiplied by. Nothing has the size L^2: lattices and sparse graphs of up to 2^20 sites fit."""
    function pair_model(sites, pairs, couplings; color_matrix = nothing, fields, context)
        blocks = color_matrix === nothing ? couplings : reshape(color_matrix, size(color_matrix)..., 1) .* reshape(couplings, 1, 1, :)
        return c_model_create_pairs(context, [sites, size(blocks, 1), size(blocks, 3)], pairs, blocks, nothing, fields)
    end

    """A Potts or Ising model on a lattice or a random graph. Options with their defaults:

    $(OPTION_TEXTS[:lattice])."""
    lattice_model(; context, options...) = c_model_create_lattice(context, options)

    """Read a model from HDF5 or a file of another tool: `format` is `:plmc`, `:ccmpred`, `:adabm` or `:bmdca` where the
    content does not say it. `alphabet` is that of letters in text: `:protein`, `:rna`, `:dna` or the symbols; needed for
    others than these three."""
    read_model(path; format = :auto, alphabet, context) = atp_model_read_as

    """Write a model as `:hdf5`, or for another tool as `:plmc`, `:ccmpred`, `:adabm` or `:bmdca`: symmetrised couplings
    times beta. `alignment`: what it was learned from, for `:plmc`, whose files hold frequencies and weights."""
    write_model(path, model; format = :hdf5, alignment, context) = atp_model_write_as

    "The same model in the gauge `:colors` (heads) or `:zero_sum` (becomes dense, with fields)."
    gauge(model, gauge; context) = atp_model_gauge

    """The couplings of some pairs of sites only, `pairs` of `2 x n`, sites from 1, as a dense model with a list. Its property
    `pairs` is the list, sorted, and `pair_couplings` has their couplings, `q x q x n`."""
    keep_pairs(model, pairs; context) = atp_model_keep_pairs

    """For scores of mutants: a model with the fields times the `weights` of their sites and the couplings times the mean weight of both
    sites, such as 1 - relative solvent accessibility."""
    weigh_sites(model, weights; context) = atp_model_weigh_sites

    """Make a model autoregressive: `order` has its sites, 1..L, in the order in which they are drawn. Its couplings must be 0 but for
    those of a site with sites before it. `nothing`: a Potts model again. For a trainer with `objective = :autoregressive` it is the order in
    which sites are predicted; its training starts afresh."""
    set_order!(model::Model, order) = (c_model_set_order(model, order); model)
    set_order!(trainer::Trainer, order) = (c_trainer_set_order(trainer, order); changed!(trainer, :set_order!, order))

    "The sites of an autoregressive model, 1..L, in the order in which they are drawn."
    site_order(model) = atp_model_order

    "C_ij(a, b) without beta, `q x q x L x L` of Float64 or Float32: `c[b + 1, a + 1, j, i]`."
    couplings(model::Model, T::Union{Type{Float64},Type{Float32}} = Float64) =
        T == Float32 ? c_model_couplings_f32(model) : c_model_couplings_f64(model)

    "p(s_i = a | rest), `q x L x n`: `p[a + 1, i, n]`. Sites of the value `MISSING` are not known, to a model."
    conditionals(model, sequences) = atp_model_conditionals
    conditionals(trainer, sequences)

    """H(s) without beta, of sequences `L x n` or of a sampler's present states at a rung of its ladder (default: the target,
    the last one)."""
    energies(model, sequences) = atp_model_energies
    energies(sampler; rung = sampler.temperatures) = atp_sampler_energies

    "sum_i log p(s_i | rest) in nats, of sequences `L x n`."
    log_pseudolikelihoods(model, sequences) = atp_model_log_pseudolikelihoods

    "The mean of -log p(s_i | rest) over weighted sequences and sites, in nats per site."
    loss(model, alignment; context) = atp_model_loss
    loss(trainer, alignment) = atp_trainer_loss

    "The distance of learned couplings from true ones, up to gauges."
    coupling_error(model, truth; context) = atp_model_coupling_error

    "The map of one head in the gauge of that of `truth`, times beta, `L x L`: what `coupling_error` compares."
    map_like(model, truth; context) = atp_model_map_like

    """`(log_p, error)`: the mean log P of sequences by their weights, per site and in nats, and its standard error, from the scatter
    of the sequences and from log Z. `log_z` and `log_z_error` are what `estimate_log_z` finds, 0 of an autoregressive model.
    Sequences with a gap are left out where the model has no gap."""
    mean_log_p(model, alignment; log_z = 0, log_z_error = 0, context) = atp_model_mean_log_p

    """Exact numbers of a small model by a sum over its q^L states: `(log_z, energy, marginals, pairs, probabilities)` with
    `marginals[a + 1, i]`, `pairs[b + 1, a + 1, j, i]`, and `probabilities[s_L + 1, ..., s_1 + 1]`; the last two are
    `nothing` unless asked for."""
    function enumerate_states(model::Model; pairs::Bool = false, probabilities::Bool = false)
        q, sites = model.colors, model.sites
        states = big(q)^sites
        # The library says where it is too large.
        found = c_model_enumerate(model, true, pairs)
        p = probabilities ? c_model_probabilities(model, Vector{Float64}(undef, states <= 2^26 ? Int(states) : 0)) : nothing
        return (; found..., probabilities = probabilities ? reshape(p, ntuple(_ -> q, sites)) : nothing)
    end

    """Scores of pairs of sites, `L x L`: Frobenius norms of the couplings, times beta, in the gauge `:zero_sum` or `:raw`.
    `gap`: the colour (0..q-1) that is left out of the norm, -1 for none."""
    frobenius(model; gauge = :zero_sum, gap = -1, context) = atp_model_frobenius

    """Scores of pairs of sites, `L x L`: norms of the epistasis of log P, a mean over sequences `L x n`. `gap`: the colour (0..q-1) that
    is left out of the norm, -1 for none, or `:auto`: colour 0 if the alphabet begins with a gap."""
    epistatic_scores(model::Model, sequences; gap = :auto, context) =
        c_model_epistatic_scores(context, model, sequences, gap in (:auto, "auto") ? ATP_GAP_AUTO : gap)

    """All single mutants of a sequence of L colours: `(energy, log_pseudolikelihood)`, differences to the sequence, each
    `q x L`: `[a + 1, i]`. The second is `nothing` where it is not asked for."""
    mutants(model::Model, sequence; pseudolikelihood::Bool = true, context) =
        NamedTuple{(:energy, :log_pseudolikelihood)}(Tuple(c_model_mutants(context, model, sequence, pseudolikelihood)))

    """The model of independent sites: fields log f_i(a) of an alignment, no couplings. `gaps`: `:state`, or `:ignore`, which
    leaves the first colour out. `pseudocount`: share of the uniform distribution, below 0: one sequence more of each colour."""
    independent_model(alignment; gaps = :state, pseudocount = -1, context) = atp_model_create_independent

    """Scores of mutants like "A110D" or "A110D/N146D" of a sequence of L colours: a table `(mutant, mutations, energy,
    log_pseudolikelihood, independent)` of vectors. More probable mutants have a negative energy and positive other scores;
    `independent` is that of the model of `independent_model`, `nothing` without one."""
    function score_mutations(model::Model, sequence, mutants; independent::Union{Nothing,Model} = nothing, context)
        text = join(mutants, "\n")
        changes, count = c_mutations_parse(model, sequence, text, ncodeunits(text) ÷ 3 + 1)
        kept = changes[:, 1:count]
        score = m -> c_model_score_mutants(context, m, sequence, kept, length(mutants))
        scores, sizes = score(model), zeros(Int, length(mutants))
        foreach(k -> sizes[k + 1] += 1, kept[1, :])
        return (mutant = collect(String, mutants), mutations = sizes, energy = scores[1, :],
                log_pseudolikelihood = scores[2, :], independent = independent === nothing ? nothing : -score(independent)[1, :])
    end

    """By how much the numbers of mutants like "A110D" differ from those of the sites: `(residues, agreeing, offset, fitting)`, how
    many residues the mutants name, how many of them the sequence has, the offset, and how many it has with the offset added."""
    mutations_offset(model::Model, sequence, mutants; context) =
        NamedTuple{(:residues, :agreeing, :offset, :fitting)}(Tuple(c_mutations_offset(context, model, sequence, join(mutants, "\n"))))

    """Differences of H of all double mutants at pairs of sites, `2 x n` of 1..L, to the sequence: `q x q x n`, at
    `[b + 1, a + 1, n]` for colour a at the first site and b at the second."""
    double_mutants(model, sequence, pairs; context) = atp_model_double_mutants

    """Of double mutants, a table as of `best_doubles`: the differences of H to the sequence, and by how much these differ from
    those of both single mutants: `(energy, epistasis)`."""
    function epistasis(model::Model, sequence, doubles; context)
        changes = permutedims(hcat(doubles.site_i .- 1, doubles.color_i, doubles.site_j .- 1, doubles.color_j))
        return NamedTuple{(:energy, :epistasis)}(Tuple(c_model_epistasis(context, model, sequence, changes)))
    end

    "The number of double mutants of a sequence without the colour `gap`, as in `best_doubles`."
    count_doubles(model::Model, sequence; gap = :auto) =
        c_model_count_doubles(model, sequence, gap in (:auto, "auto") ? ATP_GAP_AUTO : gap)

    """The `count` double mutants with the lowest energies: a table `(site_i, color_i, site_j, color_j, energy)` of vectors,
    sites 1..L, colours 0..q-1. `gap`: the colour that no mutant has, -1 for none, or `:auto`: colour 0 if the alphabet
    begins with a gap."""
    function best_doubles(model::Model, sequence, count::Integer; gap = :auto, context)
        found = c_model_best_doubles(context, model, sequence, gap in (:auto, "auto") ? ATP_GAP_AUTO : gap, count)
        d = found.doubles
        return (site_i = d[1, :] .+ 1, color_i = d[2, :], site_j = d[3, :] .+ 1, color_j = d[4, :], energy = found.delta_energy)
    end
end


function show_told(io, x::Model)
    heads = x.heads
    print(io, " of ", x.sites, " sites, ", x.colors, " colours, ",
        heads == 0 ? "dense" : heads == 1 ? "1 head" : "$heads heads", x.has_fields ? ", fields" : "", ", beta = ",
        x.beta)
end

property(x::Model, ::Val{:pairs}) = c_model_pairs(x)
