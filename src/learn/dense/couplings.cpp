// SPDX-License-Identifier: MIT
#include "learn/dense/couplings.hpp"

#include "base/checksum.hpp"
#include "base/team.hpp"
#include "potts/coupling_error.hpp"
#include "potts/evaluate.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// Sum of weight times predicted sites.
double predicted_weight(const DenseShape &shape, const Alignment &alignment) {
  double sum = 0;
  for (int64_t n = 0; n < alignment.count(); ++n) {
    int64_t predicted = shape.sites;
    const uint8_t *s = alignment.sequence(n);
    if (shape.gaps_ignored) predicted -= std::count(s, s + shape.sites, uint8_t{0});
    sum += alignment.weights[n] * static_cast<double>(predicted);
  }
  return sum;
}

DenseShape shape_for(const ObjectiveInput &input) {
  DenseShape s;
  s.count = input.data.count;
  s.sites = input.data.sites;
  // A list of all pairs is none: the same sums, in the same order.
  const bool all = input.lists != nullptr && !input.lists->directed() && input.lists->count() == all_pairs(s.sites);
  s.lists = all ? nullptr : input.lists;
  s.gaps_ignored = input.options.integer(ATP_OPT_GAPS) == ATP_GAPS_IGNORE;
  s.colors = input.data.colors - (s.gaps_ignored ? 1 : 0);
  if (s.colors < 2)
    fail(ATP_E_CONFLICT, "gaps are ignored and the data have %lld colours: one is left", static_cast<long long>(input.data.colors));
  ModelShape model;
  model.sites = s.sites;
  model.colors = s.colors;
  check_shape(model);
  return s;
}

}  // namespace

void count_colors(const DenseShape &shape, const uint8_t *sequences, const double *weights, double *counts) {
  const int64_t L = shape.sites, q = shape.colors, first_color = shape.gaps_ignored ? 1 : 0;
  for (int64_t n = 0; n < shape.count; ++n)
    for (int64_t i = 0; i < L; ++i)
      if (const int64_t c = sequences[n * L + i] - first_color; c >= 0) counts[i * q + c] += weights[n];
}

void initial_fields(const DenseShape &shape, double *counts, double *totals, double *fields) {
  const int64_t L = shape.sites, q = shape.colors;
  for (int64_t i = 0; i < L; ++i) {
    double *f = counts + i * q, mean = 0, &total = totals[i] = 0;
    for (int64_t a = 0; a < q; ++a) total += f[a];
    for (int64_t a = 0; a < q; ++a) mean += std::log(f[a] /= total) / static_cast<double>(q);
    for (int64_t a = 0; a < q; ++a) fields[i * q + a] = std::log(f[a]) - mean;
  }
}

template <class Pass>
DenseCouplings<Pass>::DenseCouplings(const ObjectiveRow &own_row, const ObjectiveInput &input)
    : Objective(own_row, input),
      shape_(shape_for(input)),
      kernels_(dense_kernels(input.context->target)),
      team_(input.context->threads),
      data_(shape_, own_row.objective != ATP_OBJECTIVE_LIKELIHOOD),
      l2_fields_(input.options.real(ATP_OPT_L2_FIELDS)),
      l2_couplings_(input.options.real(ATP_OPT_L2_COUPLINGS)),
      scale_(static_cast<atp_l2_scale>(input.options.integer(ATP_OPT_L2_SCALE))),
      lists_(input.lists),
      order_rule_(static_cast<atp_order>(input.options.integer(ATP_OPT_ORDER))) {}

template <class Pass>
DensePenalties DenseCouplings<Pass>::penalties_for(double effective_count) const {
  const double others = static_cast<double>(shape_.sites - 1), changes = static_cast<double>(shape_.colors - 1);
  const double both = scale_ == ATP_L2_WEIGHT ? effective_count : 1;
  const double couplings = scale_ == ATP_L2_SITES ? others : scale_ == ATP_L2_SITES_COLORS ? others * changes : both;
  DensePenalties p;
  if (row.objective == ATP_OBJECTIVE_LIKELIHOOD) return {std::max(0.0, l2_fields_), std::max(0.0, l2_couplings_)};
  const bool ordered = shape_.directed();
  p.fields = l2_fields_ >= 0 ? l2_fields_ * both : ordered ? 0.1 : 0.01;
  p.couplings = l2_couplings_ >= 0 ? l2_couplings_ * couplings : ordered ? 0.01 * effective_count : 0.2 * others;
  return p;
}

template <class Pass>
double DenseCouplings<Pass>::tolerance_of(int64_t predicted_sites) const {
  const double given = settings.tolerance;
  return given >= 0 ? given : 1e-5 * effective_count_ * std::sqrt(static_cast<double>(predicted_sites));
}

template <class Pass>
void DenseCouplings<Pass>::lay_out_shared(Arena &arena) {
  const DenseShape &shape = shape_;
  const int64_t q = shape.colors;
  data_.lay_out(arena);
  passes_ = arena.take<Pass>(team_);
  for (int t = 0; t < team_; ++t) {
    Pass pass;
    pass.lay_out(arena, shape);
    if (!arena.measuring()) passes_[t] = pass;
  }
  blocks_ = arena.take<double>(team_, q, q);
  scratch_ = arena.take<double>(coupling_error_scratch(q));
  codes_ = arena.take<uint16_t>(shape.code_columns(), shape.piece());
  losses_ = arena.take<double>(shape.sites);
  norms_ = arena.take<Norms>(team_);
  frequencies_ = arena.take<double>(shape.sites, q);
  means_ = arena.take<double>(shape.sites, q);
  shares_ = arena.take<double>(shape.sites, q);
  totals_ = arena.take<double>(shape.sites);
  start_ = arena.take<double>(shape.sites, q);
  conserved_ = arena.take<double>(shape.directed() ? shape.sites : 0);
  order_ = arena.take<int64_t>(shape.directed() ? shape.sites : 0);
}

template <class Pass>
void DenseCouplings<Pass>::init(const Alignment &train) {
  Objective::init(train);
  data_.init(train.sequences.data(), train.weights.data());
  take_own_data();
  if (!shape_.directed()) return;
  order_sites(order_rule_, train, shape_.gaps_ignored, conserved_, order_);
  set_order(order_);
}

template <class Pass>
void DenseCouplings<Pass>::take_own_data() {
  effective_count_ = train_->effective_count();
  predicted_weight_ = data_.predicted_weight;
  penalties_ = penalties_for(effective_count_);
  std::fill(frequencies_.begin(), frequencies_.end(), 1 / static_cast<double>(shape_.colors));
  count_colors(shape_, train_->sequences.data(), train_->weights.data(), frequencies_.data());
  initial_fields(shape_, frequencies_.data(), totals_.data(), start_.data());
  set_means();
}

// With gaps that are ignored the inputs of a site are 0 there. Autoregressive models, and states of the first version, have frequencies
// among residues: that costs 3 of 25 iterations on DHFR and keeps their numbers.
template <class Pass>
void DenseCouplings<Pass>::set_means() {
  const int64_t q = shape_.colors;
  const bool residues = first_unknowns();
  for (int64_t k = 0; k < means_.size(); ++k) {
    const double f = means_[k] = frequencies_[k] * (residues ? 1 : totals_[k / q] / (effective_count_ + 1));
    const double curvature = effective_count_ * f * (1 - f);
    shares_[k] = residues ? 1 : curvature / (curvature + 2 * penalties_.fields);
  }
}

// What the mean input m = sum J f adds at fixed h' is the second term. At least that of one sequence: colours that are rare, or found in
// nearly all sequences, have next to none at independent sites, and a step of theirs would be as long as the others together.
template <class Pass>
double DenseCouplings<Pass>::curvature(int64_t i, int64_t a, int64_t j, int64_t b) const {
  const int64_t q = shape_.colors;
  const double f = means_[i * q + a], g = means_[j * q + b];
  return 1 + g * (effective_count_ * f * (1 - f) * (1 - g) + 2 * penalties_.fields * shares_[i * q + a] * g);
}

// Nats per predicted site. Of each piece of the sequences, prepare(first, size) comes first, then site_loss(i, thread, weights, size).
template <class Pass>
template <class Prepare, class SiteLoss>
double DenseCouplings<Pass>::mean_loss(const Alignment &alignment, Prepare &&prepare, SiteLoss &&site_loss) {
  const int64_t L = shape_.sites, piece = shape_.piece();
  double sum = 0;
  for (int64_t first = 0; first < alignment.count(); first += piece) {
    const int64_t size = std::min(piece, alignment.count() - first);
    const double *weights = alignment.weights.data() + first;
    prepare(alignment.sequence(first), size);
    shared_for(context->ranks, threads(), L, [&](int64_t i, int thread) { losses_[i] = site_loss(i, thread, weights, size); });
    context->ranks.gather(losses_.data(), L, sizeof(double));
    for (double x : losses_) sum += x;
  }
  const double weight = predicted_weight(shape_, alignment);
  return weight > 0 ? sum / weight : 0;
}

// Under couplings that put(pass, i, thread) hands over.
template <class Pass>
template <class Put>
double DenseCouplings<Pass>::loss_under(const Alignment &alignment, Put &&put_couplings) {
  const auto prepare = [&](const uint8_t *sequences, int64_t size) { write_codes(shape_, sequences, size, codes_.data()); };
  return mean_loss(alignment, prepare, [&](int64_t i, int thread, const double *weights, int64_t size) {
    put_couplings(passes_[thread], i, thread);
    return passes_[thread].loss_of(kernels_, codes_.data(), weights, size, i);
  });
}

template <class Pass>
double DenseCouplings<Pass>::loss(Reals x, const Alignment &alignment) {
  return loss_under(alignment, [&](Pass &pass, int64_t i, int) { put(x, pass, i); });
}

template <class Pass>
double DenseCouplings<Pass>::loss_of(const Model &truth, const Alignment &alignment) {
  if (shape_.lists != nullptr) return restricted_loss_of(truth, alignment);
  const int64_t q = model_colors();
  return loss_under(alignment, [&](Pass &pass, int64_t i, int thread) {
    double *block = blocks_.data() + thread * q * q;
    for (int64_t a = 0; a < q; ++a) block[a] = truth.fields.empty() ? 0 : truth.beta * truth.fields[i * q + a];
    pass.put_fields(block);
    pass.clear_block(i);
    for (int64_t j = 0; j < shape_.sites; ++j) {
      if (j == i) continue;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) block[a * q + b] = truth.beta * truth.coupling(i, j, a, b);
      pass.put_block(j, block, q, 1);
    }
  });
}

// A pass of a restricted trainer has no room for the couplings of a truth between other pairs: predict from the truth itself, sequence by
// sequence. The colours of the model, of a piece of sequences, are written where their codes would be.
template <class Pass>
double DenseCouplings<Pass>::restricted_loss_of(const Model &truth, const Alignment &alignment) {
  const int64_t L = shape_.sites, first_color = shape_.gaps_ignored ? 1 : 0;
  auto *states = reinterpret_cast<uint8_t *>(codes_.data());
  const auto prepare = [&](const uint8_t *sequences, int64_t size) {
    for (int64_t k = 0; k < size * L; ++k) {
      const int64_t color = sequences[k] - first_color;
      states[k] = color < 0 ? kMissing : static_cast<uint8_t>(color);
    }
  };
  return mean_loss(alignment, prepare, [&](int64_t i, int, const double *weights, int64_t size) {
    double field[kMaxColors], loss = 0;
    for (int64_t n = 0; n < size; ++n) {
      const uint8_t own = states[n * L + i];
      if (own == kMissing) continue;
      truth.local_field(states + n * L, i, field);
      loss += weights[n] * negative_log_softmax(field, model_colors(), truth.beta, own);
    }
    return loss;
  });
}

template <class Pass>
double DenseCouplings<Pass>::coupling_error(Reals x, const Model &truth) {
  struct Source {
    const DenseCouplings *self;
    Reals x;
  } source{this, x};
  CouplingView learned;
  learned.sites = shape_.sites;
  learned.colors = shape_.colors;
  learned.order = order();
  learned.source = &source;
  learned.add = [](const void *of, int64_t i, int64_t j, double factor, double *block) {
    const auto *from = static_cast<const Source *>(of);
    const DenseShape &pairs = from->self->shape_;
    const int64_t k = pairs.place(i, j);
    if (k < pairs.degree(i) && pairs.neighbor(i, k) == j) from->self->add(from->x, i, k, factor, block);
  };
  return atp::coupling_error(learned, couplings_of(truth), scratch_);
}

template <class Pass>
Model *DenseCouplings<Pass>::make_model(Reals x) {
  const int64_t L = shape_.sites;
  ModelShape shape;
  shape.sites = L;
  shape.colors = shape_.colors;
  shape.fields = true;
  const bool listed = lists_ != nullptr && !lists_->all();
  if (listed) shape.pairs = lists_->count();
  shape.ordered = shape_.directed();
  Model *model = new_model(shape);
  model->set_order(order());
  if (listed) model->set_pairs(lists_->pairs());
  write_fields(x, model->fields.data());
  parallel_for(threads(), L, [&](int64_t i, int) {
    for (int64_t k = 0; k < shape_.degree(i); ++k) add(x, i, k, 1, model->room(i, shape_.neighbor(i, k)));
  });
  return model;
}

template <class Pass>
void DenseCouplings<Pass>::describe(StateFields &fields) const {
  fields.add("asymmetric", int64_t{row.site_by_site});
  fields.add("gaps", int64_t{shape_.gaps_ignored ? ATP_GAPS_IGNORE : ATP_GAPS_STATE});
  fields.add("l2-fields", penalties_.fields);
  fields.add("l2-couplings", penalties_.couplings);
  fields.add("pairs", shape_.pairs());
  fields.add_hash("pairs of sites", lists_ == nullptr || lists_->all() ? 0 : checksum_of(lists_->pairs()));
  if (shape_.directed()) fields.add_hash(kPlacesField, checksum_of(order()));
  // A part of the data: the same part of other data is another problem. Rounded, since sums over processes may differ in the last bits.
  const float totals[] = {static_cast<float>(effective_count_), static_cast<float>(predicted_weight_)};
  const bool part = effective_count_ != train_->effective_count() || predicted_weight_ != data_.predicted_weight;
  fields.add_hash("sequences in other processes", part ? checksum_of(totals) : 0);
}

template class DenseCouplings<DensePassF32>;
template class DenseCouplings<DensePassF64>;

}  // namespace atp
