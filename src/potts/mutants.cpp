// SPDX-License-Identifier: MIT
// One pass over the couplings of a site gives all its mutants. Their energies depend on the local field of that
// site alone. Their log pseudo-likelihoods follow from the shifts of the fields of all other sites.
#include "potts/mutants.hpp"

#include "base/team.hpp"
#include "potts/evaluate.hpp"
#include "potts/summation.hpp"

#include <algorithm>

namespace atp {

namespace {

// The symmetrised couplings of site i to the others: -H up to terms that do not depend on s_i.
double symmetric_field(const Model &model, const uint8_t *s, int64_t i, int64_t a) {
  CompensatedSum sum;
  if (!model.fields.empty()) sum.add(model.fields[i * model.colors() + a]);
  for (int64_t j = 0; j < model.sites(); ++j)
    if (j != i && s[j] != kMissing) sum.add(0.5 * (model.coupling(i, j, a, s[j]) + model.coupling(j, i, s[j], a)));
  return sum.value();
}

void energy_row(const Model &model, const uint8_t *s, int64_t i, double *out) {
  const double own = s[i] == kMissing ? 0.0 : symmetric_field(model, s, i, s[i]);
  for (int64_t a = 0; a < model.colors(); ++a) out[a] = a == s[i] ? 0.0 : own - symmetric_field(model, s, i, a);
}

// shift[a][b] = C_ji(b, a): the contribution of colour a at site i to the field of site j.
void shifts(const Model &model, int64_t j, int64_t i, double *shift) {
  const int64_t q = model.colors();
  const auto add = [&](double x, const double *block) {
    for (int64_t b = 0; b < q; ++b)
      for (int64_t a = 0; a < q; ++a) shift[a * q + b] += x * block[b * q + a];
  };
  std::fill_n(shift, q * q, 0.0);
  if (model.shape.dense()) add(1, model.block(j, i));
  for (int64_t h = 0; h < model.shape.heads; ++h) add(model.map(h)[j * model.sites() + i], model.value(h));
}

struct Fields {
  const double *field;   // [L][q], of the unmutated sequence
  const double *losses;  // [L], -log p of its colours
};

void log_row(const Model &model, const uint8_t *s, int64_t i, const Fields &old, double *work, double *out) {
  const int64_t L = model.sites(), q = model.colors();
  double *shift = work, *field = work + q * q;
  CompensatedSum sums[kMaxColors];
  for (int64_t a = 0; a < q; ++a) {
    sums[a].add(-negative_log_softmax(old.field + i * q, q, model.beta, a));
    if (s[i] != kMissing) sums[a].add(old.losses[i]);
  }
  for (int64_t j = 0; j < L; ++j) {
    if (j == i || s[j] == kMissing) continue;
    shifts(model, j, i, shift);
    for (int64_t a = 0; a < q; ++a) {
      if (a == s[i]) continue;
      for (int64_t b = 0; b < q; ++b) {
        const double before = s[i] == kMissing ? 0.0 : shift[s[i] * q + b];
        field[b] = old.field[j * q + b] + (shift[a * q + b] - before);
      }
      sums[a].add(old.losses[j]);
      sums[a].add(-negative_log_softmax(field, q, model.beta, s[j]));
    }
  }
  for (int64_t a = 0; a < q; ++a) out[a] = a == s[i] ? 0.0 : sums[a].value();
}

}  // namespace

void single_mutants(const Model &model, const uint8_t *sequence, Threads threads, Span<double> scratch, double *delta_energy,
                    double *delta_log_pseudolikelihood) {
  const int64_t L = model.sites(), q = model.colors();
  parallel_for(threads, L, [&](int64_t i, int) { energy_row(model, sequence, i, delta_energy + i * q); });
  if (delta_log_pseudolikelihood == nullptr) return;
  double *field = scratch.sub(0, L * q).data(), *losses = scratch.sub(L * q, L).data();
  parallel_for(threads, L, [&](int64_t i, int) {
    model.local_field(sequence, i, field + i * q);
    losses[i] = sequence[i] == kMissing ? 0.0 : negative_log_softmax(field + i * q, q, model.beta, sequence[i]);
  });
  const int64_t own = q * (q + 1);
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *work = scratch.sub(L * (q + 1) + thread * own, own).data();
    log_row(model, sequence, i, {field, losses}, work, delta_log_pseudolikelihood + i * q);
  });
}

}  // namespace atp
