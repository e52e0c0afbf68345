# SPDX-License-Identifier: MIT

@api begin
    """An attention network that sees tokens, trained on masked tokens: what factored attention is compared with. A
    transformer encoder, or with `architecture = :dial` a single layer between factored attention (`dial = 0`) and plain
    attention (`dial = 1`), whose map is `:lowrank` where none is given. Options with their defaults:

    $(OPTION_TEXTS[:transformer]).

    `train!`, `loss`, `gradient`, `set_test!`, `set_truth!`, `save_state`, `load_state!` and `request_stop!` are those of a
    `Trainer`. `conditionals(transformer, sequences)`, `attention_maps(transformer, alignment)` look into it, and where the
    dial is at 0 `Model(transformer)` is what it has learned.

    Properties: `parameters` (a copy; can be set, which starts training afresh; the order is in attopotts/transformer.h),
    `parameter_count`, `parts` (their names and places: `transformer.parameters[transformer.parts["tokens"]]`), `epochs`
    (done so far), `map_count`."""
    Transformer(alignment; context, options...) = atp_transformer_create

    "The memory that `Transformer` will ask for, for data of this shape, n sequences."
    transformer_bytes(n, sites, colors; context, options...) = atp_transformer_bytes

    """Attention maps, `L x L x blocks`, means over an alignment: `maps[j, k, b]` is what site k, while it is masked, takes
    from site j in block b."""
    attention_maps(transformer, alignment) = atp_transformer_maps
end

property(x::Transformer, ::Val{:parts}) = Dict(map(1:x.part_count) do k
    part = c_learner_part(x, k)
    part.name => (part.offset + 1):(part.offset + part.size)
end)

# Each site masked in turn. L and q are those of the training data, which a transformer keeps.
function conditionals(x::Transformer, sequences)
    sites, colors = borrow(x) do _
        data = open_owned(x).needs[NEEDS_DATA].address
        return Int(atp_alignment_sites(data)), Int(atp_alignment_colors(data))
    end
    data = colors_array(sequences, "sequences", (sites, :n))
    return c_learner_conditionals(x, data, Array{Float64}(undef, colors, sites, size(data, 2)))
end
