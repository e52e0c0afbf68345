# SPDX-License-Identifier: MIT
"""The faults that scripts/mutants.py plants: file, what is wrong, the text and what replaces it, the tests that should see it, quick ones
first. The text must be in the file exactly once."""
from typing import List, NamedTuple


class Mutant(NamedTuple):
    file: str
    fault: str
    old: str
    new: str
    tests: List[str]


KERNEL_GIBBS = ["kernel-gibbs-scalar", "kernel-gibbs-sse4", "kernel-gibbs-avx2"]


def kernel(name):
    return [f"kernel-{name}-avx2", f"kernel-{name}-sse4", f"kernel-{name}-neon"]


MUTANTS = [
    # base
    Mutant("src/base/options.cpp", "an option refuses its highest whole number", "value > static_cast<int64_t>(info.highest)",
           "value >= static_cast<int64_t>(info.highest)", ["api-options"]),
    Mutant("src/base/philox.cpp", "normal numbers: the lower tail has the wrong sign", "return q < 0 ? -value : value;",
           "return value;", ["unit-philox"]),
    Mutant("src/numerics/quadrature.cpp", "Gauss-Legendre: the weight of a node lacks a square",
           "2 / ((1 - x * x) * slope * slope)", "2 / ((1 - x * x) * slope)", ["unit-quadrature"]),
    Mutant("src/labels/site_labels.cpp", "sites are numbered from 0", "numbers[i] = i + 1;", "numbers[i] = i;",
           ["api-model", "api-alignment"]),
    Mutant("src/labels/alphabet.cpp", "a symbol may occur twice in an alphabet", "seen[c] = true;", "seen[c] = false;",
           ["api-model", "api-alignment"]),
    # simd
    Mutant("src/simd/gibbs_draw-inl.hpp", "the draw of a colour: a partial sum is compared with the whole threshold",
           "n1 = count_if(hn::Le(hn::Load(d, sums + (c + 1) * n), left), n1);",
           "n1 = count_if(hn::Le(hn::Load(d, sums + (c + 1) * n), threshold), n1);", kernel("gibbs")),
    Mutant("src/simd/gibbs_dense.cpp", "the second piece of a row of sites starts one site early",
           "colors + first * kGibbsLanes, stop - first,", "colors + first * kGibbsLanes, stop - first - 1,", kernel("gibbs")),
    Mutant("src/simd/gibbs_scalar.cpp", "four sites in turn share the place of their random number",
           "bits[static_cast<std::size_t>(site % 4)]", "bits[static_cast<std::size_t>(site / 4 % 4)]",
           ["kernel-gibbs-scalar", *kernel("gibbs")]),
    Mutant("src/simd/vectors.cpp", "a missed tail: the last element is not added", "for (; k < n; ++k) y[k] =",
           "for (; k + 1 < n; ++k) y[k] =", ["unit-lean_lbfgs"]),
    Mutant("src/simd/identity.cpp", "the last piece of a sequence is not compared", "for (int64_t p = 1; p < pieces; ++p) {",
           "for (int64_t p = 1; p + 1 < pieces; ++p) {", kernel("identity")),
    Mutant("src/simd/dense.cpp", "the third of the last three rows is not added", "for (int s = 0; s < 3; ++s)",
           "for (int s = 0; s < 2; ++s)", kernel("dense")),
    Mutant("src/simd/attention.cpp", "a stride: the third sequence of four is read at the place of the second",
           "sum = hn::Add(sum, hn::LoadU(d, base + 2 * int64_t{p[2 * sites]}));",
           "sum = hn::Add(sum, hn::LoadU(d, base + 2 * int64_t{p[sites]}));", kernel("attention")),
    Mutant("src/simd/encoder.cpp", "ReLU lets the slopes of negative inputs through",
           "hn::IfThenElseZero(hn::Gt(hn::Load(d, x + k), hn::Zero(d)), hn::Load(d, slopes + k))", "hn::Load(d, slopes + k)",
           kernel("encoder")),
    Mutant("src/simd/projection.cpp", "the rows that fill no tile: the last is left out", "for (; row < rows; ++row) project_rows<1>",
           "for (; row + 1 < rows; ++row) project_rows<1>", kernel("projection")),
    # linalg
    Mutant("src/linalg/lapack.cpp", "an inverse: the tiles on the diagonal stay as LAPACK leaves them",
           "for (int64_t left = 0; left <= top; left += kTile)", "for (int64_t left = 0; left < top; left += kTile)", ["unit-lapack"]),
    Mutant("src/linalg/lapack.cpp", "a triangular system is solved with the transpose", 'dtrsv_("L", transpose ? "T" : "N"',
           'dtrsv_("L", transpose ? "N" : "T"', ["unit-lapack"]),
    Mutant("src/linalg/lapack.cpp", "a product with a triangular matrix takes its transpose", 'dtrmv_("L", transpose ? "T" : "N"',
           'dtrmv_("L", transpose ? "N" : "T"', ["unit-lapack"]),
    # model
    Mutant("src/model/gauge.cpp", "zero-sum gauge: the means of the rows are lost instead of moved to the fields",
           "center_rows(block, q, field);", "center_rows(block, q, nullptr);", ["unit-gauge"]),
    Mutant("src/model/gauge.cpp", "colour gauge: the sign of a head is turned the wrong way", "if (largest_magnitude(map, L * L) < 0)",
           "if (largest_magnitude(map, L * L) > 0)", ["unit-gauge"]),
    Mutant("src/model/scores.cpp", "average product correction: the mean of a row counts its diagonal",
           "out[i * sites + i] = sum / others;", "out[i * sites + i] = sum / (others + 1);", ["unit-scores"]),
    Mutant("src/model/enumerate.cpp", "pair frequencies below the diagonal are not transposed",
           "lower[b * colors_ + a] = upper[a * colors_ + b];", "lower[a * colors_ + b] = upper[a * colors_ + b];", ["unit-enumerate"]),
    Mutant("src/model/evaluate.cpp", "an energy counts every pair twice", "out[k] = -0.5 * pairs.value()", "out[k] = -1.0 * pairs.value()",
           ["unit-model"]),
    Mutant("src/model/coupling_error.cpp", "coupling error: a head of opposite sign is not turned",
           "inner(u, v, size) < 0 ? -1 : 1", "inner(u, v, size) < 0 ? 1 : 1", ["unit-gauge", "unit-model"]),
    Mutant("src/model/mutants.cpp", "the wrong column: the colours of a coupling are exchanged",
           "model.coupling(j, i, s[j], a)", "model.coupling(j, i, a, s[j])", ["unit-mutants"]),
    # gibbs
    Mutant("src/gibbs/sampler.cpp", "the sign of an exchange", "(betas_[k] - betas_[k + 1]) *", "(betas_[k + 1] - betas_[k]) *",
           ["statistics-replica_exchange"]),
    Mutant("src/gibbs/sampler.cpp", "an exchange leaves the temperatures where they are",
           "std::swap(scaled_betas[low], scaled_betas[high]);", "", ["statistics-replica_exchange"]),
    Mutant("src/gibbs/tables.cpp", "dense couplings are laid out transposed", "static_cast<float>(model.coupling(i, j, a, b))",
           "static_cast<float>(model.coupling(j, i, a, b))", ["unit-sampler", "statistics-gibbs_paths-avx2"]),
    Mutant("src/gibbs/diagnostics.cpp", "the window of an autocorrelation time is a third as long", ">= 6 * tau", ">= 2 * tau",
           ["unit-diagnostics"]),
    Mutant("src/gibbs/diagnostics.cpp", "R-hat: the variance within is divided by one element too many", "/ (h - 1) / halves",
           "/ h / halves", ["unit-diagnostics"]),
    Mutant("src/gibbs/convergence.cpp", "the second run of a test is the first once more",
           "hamming_b = hamming_between_chains(b, work.sums)", "hamming_b = hamming_between_chains(a, work.sums)", ["api-sampling"]),
    Mutant("src/gibbs/sampling.cpp", "a run in pieces reads a state one read-out late", "leg.spacing * (at_.read + 1)", "leg.spacing * (at_.read + 2)",
           ["api-sampling"]),
    Mutant("src/gibbs/ladder_run.cpp", "mean distance: a ladder is paired with itself", "n * (n - 1) / 2", "n * n / 2",
           ["statistics-tune_beta"]),
    # data
    Mutant("src/data/weights.cpp", "the threshold of weights: rule floor allows one difference more",
           "static_cast<int64_t>(std::floor(x)) - 1;", "static_cast<int64_t>(std::floor(x));", ["api-family", "cli-presets"]),
    Mutant("src/data/frequencies.cpp", "pair frequencies below the diagonal are not transposed",
           "out[(j * sites + i) * q2 + b * q + a] = row", "out[(j * sites + i) * q2 + a * q + b] = row", ["api-alignment", "api-family"]),
    Mutant("src/data/distances.cpp", "an off-by-one in a reader: the last site is not known", "number >= 1 && number <= count_",
           "number >= 1 && number < count_", ["unit-comparison"]),
    Mutant("src/data/subset.cpp", "selected sequences have the weights of others", "made->weights[k] = source.weights[n];",
           "made->weights[k] = source.weights[k];", ["api-alignment"]),
    Mutant("src/data/comparison.cpp", "the slope is that of the exchanged variables", "= m.xy / m.xx;", "= m.xy / m.yy;",
           ["unit-comparison"]),
    # attention
    Mutant("src/attention/maps.cpp", "softmax maps: the slope of the sum is left out", "x[j] = a[j] * (x[j] - mean);",
           "x[j] = a[j] * x[j];", ["unit-objective"]),
    Mutant("src/attention/pair_penalty.cpp", "a factor 2 in the gradient of the pair penalty", "add_scaled(2 * strength *",
           "add_scaled(strength *", ["unit-attention_conventions"]),
    Mutant("src/attention/objective.cpp", "a factor 2 in the gradient of the penalties",
           "gradient[k] += 2 * strength * parameters[k];", "gradient[k] += strength * parameters[k];", ["unit-objective"]),
    Mutant("src/attention/data_pass_f32.cpp", "the last colour's row of the gradient has the wrong sign", "v[last * colors_] = -all;",
           "v[last * colors_] = all;", ["kernel-attention-scalar"]),
    Mutant("src/attention/data_pass_f64.cpp", "the colour that is there counts 1, whatever the weight", "slope[s[i]] -= weight;",
           "slope[s[i]] -= 1;", ["unit-objective"]),
    Mutant("src/attention/dense_objective.cpp", "initial fields are not centred", "std::log(f[a]) - mean;", "std::log(f[a]);",
           ["api-trainer_dense"]),
    # transformer
    Mutant("src/transformer/layers.cpp", "the scores of attention: their scale is missing from the slopes",
           "const double score = root * row[j] * (work[j] - mean);", "const double score = row[j] * (work[j] - mean);",
           ["unit-layers"]),
    Mutant("src/transformer/dial_pass_f64.cpp", "a softmax's derivative: the mean is added", "attention[j] * (slopes[j] - mean)",
           "attention[j] * (slopes[j] + mean)", ["unit-dial"]),
    Mutant("src/transformer/encoder_tail.cpp", "the slopes pass the ReLU", "  tools.kernels.relu_back(h * n, t.hidden, to.hidden);\n", "",
           ["unit-encoder"]),
    Mutant("src/transformer/encoder_group.cpp", "the masked site's slopes go to the first site",
           "slopes_[r * all() + columns_.sites[lane] * kLanes + lane] +=", "slopes_[r * all() + lane] +=", ["unit-encoder"]),
    # optim
    Mutant("src/optim/stochastic.cpp", "Adam: the second moment is not corrected for its start", "scale2 = 1 / (1 - power2_);",
           "scale2 = 1;", ["unit-optim"]),
    Mutant("src/optim/stochastic.cpp", "the schedule rises instead of falling", "rate * (1 + cos_pi", "rate * (1 - cos_pi",
           ["unit-optim"]),
    Mutant("src/optim/epoch_order.cpp", "shuffling: no sequence can stay where it is", "uniform * static_cast<double>(k + 1)",
           "uniform * static_cast<double>(k)", ["unit-trainer_resume"]),
    Mutant("src/optim/two_loops.cpp", "L-BFGS: the second loop has the wrong sign", "add_scaled(alpha_[p] - beta,",
           "add_scaled(alpha_[p] + beta,", ["unit-optim"]),
    # numerics
    Mutant("src/numerics/small_linear.cpp", "elimination: no row is exchanged", "if (std::fabs(a[r * n + c]) > std::fabs(a[pivot * n + c])) pivot = r;",
           ";", ["unit-small_linear"]),
    Mutant("src/numerics/small_linear.cpp", "Jacobi: the rotation is not applied to q", "      rotate(rows, c, s, q + i * rows, q + j * rows);\n", "",
           ["unit-small_linear"]),
    # replica
    Mutant("src/replica/spectrum.cpp", "the projections of the teacher are not squared", "projections[k] = overlap * overlap;",
           "projections[k] = overlap;", ["api-replica", "theory-replica_square"]),
    Mutant("src/replica/square.cpp", "the overlap q lacks a factor", "sums.q += weight * part * s;", "sums.q += weight * s;",
           ["theory-replica_square"]),
    Mutant("src/replica/limit.cpp", "the norm of the limit lacks a square", "sums.norm = g_ * g_ * x.e2 / (screening * screening);",
           "sums.norm = g_ * g_ * x.e2 / screening;", ["theory-replica_limit"]),
    Mutant("src/replica/simulate.cpp", "standard errors of a few runs are too small", "std::sqrt(squares / (n - 1) / n)",
           "std::sqrt(squares / n / n)", ["api-replica"]),
    Mutant("src/replica/convex_curve.cpp", "a factor 2 in the training loss of a regression", "mean.train += w * 2 * a.loss;",
           "mean.train += w * a.loss;", ["theory-convex_curve"]),
    # dotattn
    Mutant("src/dotattn/task.cpp", "a gradient takes the logits of one side", "(by_logit[a * tokens + b] + by_logit[b * tokens + a])",
           "(by_logit[a * tokens + b] + by_logit[a * tokens + b])", ["unit-dotattn_simulate"]),
    Mutant("src/dotattn/lattice.cpp", "a shifted lattice does not wrap around", "if (x >= 1) x -= 1;", "if (x >= 2) x -= 1;",
           ["theory-dotattn_tokens"]),
    Mutant("src/dotattn/baseline.cpp", "the linear map: the wrong column", "map[1] = keep * (1 - now.first)", "map[1] = keep * now.first",
           ["api-dotattn", "theory-dotattn"]),
    Mutant("src/dotattn/proximal.cpp", "the gradient of a softmax: the mean is left out", "g[a * L + b] = rho * row[b] * (d[b] - mean);",
           "g[a * L + b] = rho * row[b] * d[b];", ["theory-dotattn_tokens"]),
    # io
    Mutant("src/io/ccmpred.cpp", "CCMpred's order of amino acids: two are exchanged", '"ARNDCQEGHILKMFPSTWYV-"', '"ARDNCQEGHILKMFPSTWYV-"',
           ["cli-foreign", "api-formats"]),
    Mutant("src/io/score_files.cpp", "a score is set on one side only", "out.scores[i * L + j] = out.scores[j * L + i] = pair.score;",
           "out.scores[i * L + j] = pair.score;", ["unit-formats", "api-score_files"]),
    Mutant("src/io/seal.cpp", "a file whose checksum does not match is read",
           "if (add_label(seal.bytes, sum) != seal.sum) fail_damaged(label);", "", ["api-damage"]),
    Mutant("src/io/file.cpp", "fsync is left out before the rename", "if (flush_to_disk(descriptor_) != 0) fail_write(errno);", "",
           ["cli-durable"]),
    # capi
    Mutant("capi/sampler.cpp", "a ladder may have the same beta twice", "betas[k] <= betas[k - 1]", "betas[k] < betas[k - 1]",
           ["api-sampler"]),
    Mutant("src/model/model_state.cpp", "a saved model may couple a site to itself", "zero_diagonal && k / n % n == k % n",
           "zero_diagonal && k / n % n == n", ["api-model_state"]),
    Mutant("src/model/triangle.hpp", "couplings for i < j alone are taken without a word", 'filled[1] ? "i < j"', 'false ? "i < j"',
           ["api-symmetry"]),
    Mutant("capi/scores.cpp", "a cut-off of 0 is accepted", "if (cutoff <= 0)", "if (cutoff < 0)", ["api-scores"]),
    # cli
    Mutant("cli/commands/contact_scores.cpp", "the precision of L/5 pairs is that of L/4", '{"L/5", sites / 5}', '{"L/5", sites / 4}',
           ["cli-contacts"]),
    Mutant("cli/support/parse.cpp", "an even list of numbers does not reach its end", "/ static_cast<double>(count - 1)",
           "/ static_cast<double>(count)", ["cli-replica"]),
    Mutant("cli/figures/contact_map.cpp", "pairs of the smallest separation are not drawn",
           "std::abs(map.numbers[j] - map.numbers[i]) >= map.separation", "std::abs(map.numbers[j] - map.numbers[i]) > map.separation",
           ["cli-contacts"]),
    Mutant("cli/support/claims.cpp", "a claim is stale although its job still runs", "return &row == &table.rows[0] ? Found::running : Found::unsure;",
           "if (&row == &table.rows[0]) return Found::running;", ["cli-batch"]),
    Mutant("cli/support/job_book.cpp", "jobs that failed run again without --retry", "return is_new(job) || !retry_;", "return is_new(job);",
           ["cli-batch"]),
    Mutant("cli/support/processes.cpp", "signals do not reach the jobs", "  forward_signals_to(child);\n", "", ["cli-batch"]),
]
