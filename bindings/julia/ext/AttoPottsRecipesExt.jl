# SPDX-License-Identifier: MIT
# plot(x) of Plots for what plotdata() knows: an extension that Julia 1.9 or later loads with RecipesBase, which Plots brings. The tests
# load it with a small stand-in for RecipesBase; it has not been run with Plots itself.
module AttoPottsRecipesExt

using AttoPotts, RecipesBase
using AttoPotts: Alignment, Contacts, Model, Picture, plotdata
using AttoPotts.Replica: Curve

@recipe function f(picture::Picture)
    for (name, value) in pairs(picture.attributes)
        get!(plotattributes, name, value)
    end
    for given in picture.series
        @series begin
            seriestype := given.seriestype
            label --> given.label
            if given.error !== nothing
                yerror --> given.error
            end
            given.z === nothing ? (given.x, given.y) : (given.x, given.y, given.z)
        end
    end
    nothing
end

@recipe f(curve::Curve; columns = nothing, across = nothing) = plotdata(curve; columns = columns, across = across)

@recipe f(model::Model; corrected = true, head = nothing, part = :map) =
    plotdata(model; corrected = corrected, head = head, part = part)

@recipe f(model::Model, sequence::AbstractVector; score = :energy) = plotdata(model, sequence; score = score)

@recipe f(data::Alignment, samples::Alignment; cells = 100) = plotdata(data, samples; bins = cells)

@recipe f(contacts::Contacts; best = length(contacts.site_numbers), distances = nothing, cutoff = 8) =
    plotdata(contacts; count = best, distances = distances, cutoff = cutoff)

end
