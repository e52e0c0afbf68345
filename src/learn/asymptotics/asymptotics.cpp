// SPDX-License-Identifier: MIT
#include "learn/asymptotics/asymptotics.hpp"

#include "learn/asymptotics/sandwich.hpp"
#include "potts/coupling_error.hpp"
#include "potts/enumerate.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// Everything that a call needs, in one block.
class Workspace {
 public:
  Workspace(const Model &model, const States &states, const AsymptoticsSettings &settings, Threads threads)
      : unknowns(model, settings.learned),
        averaged(model, averaged_of(settings.learned)),
        pass(unknowns, states, settings.masks, threads),
        plain(averaged, states, Masks(), threads),
        sandwich(unknowns.count()),
        settings_(settings) {}
  void lay_out(Arena &arena) {
    const int64_t q = unknowns.model().colors(), most = unknowns.most_of_pair();
    unknowns.lay_out(arena);
    moments.lay_out(arena, unknowns.count());
    penalties = arena.take<double>(unknowns.count());
    sandwich.lay_out(arena);
    pass.lay_out(arena);
    if (needs_plain()) {
      averaged.lay_out(arena);
      plain.lay_out(arena);
      copies = arena.take<int64_t>(averaged.count(), 2);
    }
    if (tests()) tested.curvature = arena.take<double>(averaged.count(), averaged.count());
    pair_places = arena.take<int64_t>(most);
    pair_slopes = arena.take<double>(q * q, most);
    pair_covariance = arena.take<double>(q * q, most);
    scratch = arena.take<double>(coupling_error_scratch(q));
  }
  // Whether the curvature of the pseudo-likelihood of the learned model is another one than that of the loss.
  bool needs_plain() const { return settings_.learned.asymmetric || settings_.masks.kind != Masks::none; }
  bool tests() const { return needs_plain() || settings_.likelihood; }

  static Learned averaged_of(Learned learned) {
    learned.asymmetric = false;
    return learned;
  }

  Unknowns unknowns, averaged;
  MomentsPass pass, plain;
  Sandwich sandwich;
  Moments moments, tested;
  Span<double> penalties, pair_slopes, pair_covariance, scratch;
  Span<int64_t> pair_places, copies;

 private:
  const AsymptoticsSettings &settings_;
};

// Second derivatives of the penalties, of the objective per sequence. That of dense couplings is a sum over M sequences, that of factored
// attention a mean over sequences and sites.
void write_penalties(const Unknowns &x, const AsymptoticsSettings &s, double samples, Span<double> out) {
  const double per = s.learned.factored ? 2 * static_cast<double>(x.model().sites()) : 2 / samples;
  for (int64_t k = 0; k < x.count(); ++k) {
    const double copy = s.learned.asymmetric ? 0.5 : 1;  // each of the two copies of a pair has half of its penalty
    out[k] = per * (k < x.fields() ? s.l2_fields : k < x.values() ? copy * s.l2_couplings : s.l2_colors);
  }
}

// The trace of the curvature of the averaged model and the covariance of its unknowns, means of two copies.
double averaged_trace(Workspace &w) {
  const int64_t n = w.averaged.count(), p = w.unknowns.count();
  std::fill(w.copies.begin(), w.copies.end(), -1);
  for (int64_t i = 0; i < w.unknowns.model().sites(); ++i) {
    const Span<const int64_t> from = w.unknowns.seen_by(i), to = w.averaged.seen_by(i);
    for (int64_t k = 0; k < to.size(); ++k) w.copies[2 * to[k] + (w.copies[2 * to[k]] < 0 ? 0 : 1)] = from[k];
  }
  for (int64_t k = 0; k < n; ++k)
    if (w.copies[2 * k + 1] < 0) w.copies[2 * k + 1] = w.copies[2 * k];
  const double *sigma = w.moments.covariance.data();
  double sum = 0;
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = 0; c < n; ++c) {
      const int64_t *row = w.copies.data() + 2 * r, *column = w.copies.data() + 2 * c;
      const double mean = 0.25 * (sigma[row[0] * p + column[0]] + sigma[row[0] * p + column[1]] + sigma[row[1] * p + column[0]] +
                                  sigma[row[1] * p + column[1]]);
      sum += w.tested.curvature[r * n + c] * mean;
    }
  return sum;
}

// tr S Sigma S^T over the rows of S [rows][n], and each row's part in `variances`, unless NULL.
double spread(const Workspace &w, int64_t rows, int64_t n, double *variances) {
  const int64_t p = w.unknowns.count();
  const double *sigma = w.moments.covariance.data();
  double total = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const double *slopes = w.pair_slopes.data() + r * n;
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (slopes[k] == 0) continue;
      const double *row = sigma + w.pair_places[k] * p;
      double inner = 0;
      for (int64_t l = 0; l < n; ++l) inner += row[w.pair_places[l]] * slopes[l];
      sum += slopes[k] * inner;
    }
    total += sum;
    if (variances != nullptr) variances[r] = sum;
  }
  return total;
}

// Standard errors for M sequences, and the expected coupling error times M.
double write_errors(Workspace &w, double samples, double *errors) {
  const Model &model = w.unknowns.model();
  const int64_t L = model.sites(), q = model.colors();
  const Learned &learned = w.unknowns.learned();
  bool by_map = false;
  const double unit = coupling_unit(couplings_of(model), w.scratch, &by_map);
  by_map = by_map && learned.factored && !learned.symmetrized;
  double distance = 0;
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = 0; j < L; ++j) {
      double *block = errors == nullptr ? nullptr : errors + (i * L + j) * q * q;
      if (block != nullptr) std::fill_n(block, q * q, 0.0);
      if (i == j || !model.sees(i, j)) continue;
      const bool map_only = by_map && block == nullptr;
      const double all = map_only ? 0 : spread(w, q * q, w.unknowns.pair_slopes(i, j, w.pair_places.data(), w.pair_slopes.data()), block);
      distance += by_map ? spread(w, 1, w.unknowns.map_slopes(i, j, w.pair_places.data(), w.pair_slopes.data()), nullptr) : all / unit;
      for (int64_t k = 0; block != nullptr && k < q * q; ++k) block[k] = std::sqrt(std::max(block[k], 0.0) / samples);
    }
  return distance / static_cast<double>(L * L);
}

// The traces of the excess of the own loss, and of the pseudo-likelihood of the learned model; NaN of an autoregressive one.
struct Traces {
  double own, tested;
};

// Curvature, covariance of scores, then that of the unknowns in its place.
Traces measure(Workspace &w, const AsymptoticsSettings &settings, double samples, Threads threads) {
  const bool ordered = w.unknowns.model().shape.ordered;
  w.pass.run(settings.likelihood ? Score::likelihood : Score::conditional, w.moments);
  if (settings.likelihood) {  // curvature and covariance of scores are the same, and what was measured is another loss
    std::copy(w.moments.curvature.begin(), w.moments.curvature.end(), w.tested.curvature.begin());
    std::copy(w.moments.covariance.begin(), w.moments.covariance.end(), w.moments.curvature.begin());
  } else if (w.needs_plain()) {
    w.plain.run(Score::none, w.tested);
  }
  write_penalties(w.unknowns, settings, samples, w.penalties);
  w.sandwich.run(threads, w.moments.curvature, w.penalties, w.moments.covariance);
  Traces traces{trace_of_product(w.moments.curvature, w.moments.covariance), std::nan("")};
  if (settings.learned.asymmetric)
    traces.tested = averaged_trace(w);
  else if (w.tests())
    traces.tested = trace_of_product(w.tested.curvature, w.moments.covariance);
  else if (!ordered)
    traces.tested = traces.own;
  return traces;
}

void append(const Workspace &w, const Traces &traces, double samples, double distance, const AsymptoticsSettings &settings, Table &table) {
  const double sites = static_cast<double>(w.unknowns.model().sites());
  const double predicted = settings.likelihood ? sites : w.moments.predicted;
  const Span<double> row = table.room(1);
  row[ATP_ASYMPTOTICS_UNKNOWNS] = static_cast<double>(w.unknowns.count());
  row[ATP_ASYMPTOTICS_RANK] = static_cast<double>(w.sandwich.rank());
  row[ATP_ASYMPTOTICS_SAMPLES] = samples;
  row[ATP_ASYMPTOTICS_LOSS] = w.moments.loss / w.moments.predicted;
  row[ATP_ASYMPTOTICS_TRACE] = traces.own;
  row[ATP_ASYMPTOTICS_EXCESS] = traces.own / (2 * predicted * samples);
  row[ATP_ASYMPTOTICS_EXCESS_PSEUDOLIKELIHOOD] = traces.tested / (2 * sites * samples);
  row[ATP_ASYMPTOTICS_COUPLING_ERROR] = distance / samples;
  row[ATP_ASYMPTOTICS_SLACK] = settings.likelihood ? std::nan("") : w.sandwich.solved(w.moments.mean) / (2 * predicted);
  table.append(1);
}

void require_size_of(const Unknowns &unknowns) {
  if (unknowns.count() > kMostUnknowns)
    fail(ATP_E_TOO_LARGE, "model has %lld unknowns, their covariance is computed for at most %lld", llong{unknowns.count()},
         llong{kMostUnknowns});
}

int64_t listed_states(const Model &model) {
  const int64_t states = count_states(model);
  if (states > kMostListedStates)
    fail(ATP_E_TOO_LARGE, "model has %lld^%lld states, averages over all take at most 2^22: give an alignment of samples",
         llong{model.colors()}, llong{model.sites()});
  return states;
}

// Zero-sum blocks are the unknowns: where sites are missing, the means of a block are no gauge.
void require_complete(const Model &model, const Alignment &alignment) {
  const bool gap = alignment.colors() > model.colors();
  if (gap && std::find(alignment.sequences.begin(), alignment.sequences.end(), uint8_t{0}) != alignment.sequences.end())
    fail(ATP_E_UNSUPPORTED, "alignment has missing sites: of dense couplings errors of scores alone are computed with them");
}

}  // namespace

void asymptotics(Context &context, const Model &model, const Alignment *alignment, const AsymptoticsSettings &settings,
                 const AsymptoticsOutput &out) {
  const Threads threads = context.threads;
  if (alignment != nullptr && !settings.learned.factored) require_complete(model, *alignment);
  const int64_t listed = alignment == nullptr ? listed_states(model) : 0;
  const Scratch list(context.allocator, Scratch::piece<double>(listed));
  const Span<double> probabilities = list.arena().take<double>(listed);
  StateSums sums;
  sums.probabilities = probabilities.data();
  if (alignment == nullptr) enumerate_states(model, sums);
  const States states = alignment == nullptr ? States(model, probabilities) : States(model, *alignment);
  Workspace w(model, states, settings, threads);
  require_size_of(w.unknowns);
  const Scratch scratch(context.allocator, bytes_laid_out(w));
  Arena arena = scratch.arena();
  w.lay_out(arena);
  w.unknowns.init();
  if (w.needs_plain()) w.averaged.init();
  const double samples = settings.samples > 0 ? settings.samples : alignment != nullptr ? alignment->effective_count() : 1;
  const Traces traces = measure(w, settings, samples, threads);
  const double distance = write_errors(w, samples, out.errors);
  if (out.table != nullptr) append(w, traces, samples, distance, settings, *out.table);
}

std::size_t asymptotics_bytes(const Model &model, int64_t states, const AsymptoticsSettings &settings, Threads threads) {
  const States source(model, Span<const double>(nullptr, states));
  Workspace w(model, source, settings, threads);
  require_size_of(w.unknowns);
  return Scratch::piece<double>(states) + bytes_laid_out(w);
}

}  // namespace atp
