// SPDX-License-Identifier: MIT
#include "potts/pairwise.hpp"

#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// All with beta. Sites are numbered by their places in the order.
struct Expansion {
  const Model &source;
  Span<double> fields;     // [L][q], h
  Span<double> couplings;  // [later][earlier][a][b]: C, then E
  Span<double> means;      // [L][q], m

  int64_t sites() const { return source.sites(); }
  int64_t colors() const { return source.colors(); }
  double *block(int64_t later, int64_t earlier) const { return couplings.data() + (later * sites() + earlier) * colors() * colors(); }

  void read(int64_t later);
  void take_mean(int64_t later);
  void centre(int64_t later, int64_t earlier) const;
};

void Expansion::read(int64_t later) {
  const int64_t q = colors(), i = source.site_at(later);
  for (int64_t a = 0; a < q; ++a) fields[later * q + a] = source.fields.empty() ? 0 : source.beta * source.fields[i * q + a];
  for (int64_t earlier = 0; earlier < later; ++earlier)
    for (int64_t n = 0; n < q * q; ++n) block(later, earlier)[n] = source.beta * source.coupling(i, source.site_at(earlier), n / q, n % q);
}

void Expansion::take_mean(int64_t later) {
  const int64_t q = colors();
  double *m = means.data() + later * q, sum = 0;
  for (int64_t a = 0; a < q; ++a) {
    m[a] = fields[later * q + a];
    for (int64_t earlier = 0; earlier < later; ++earlier)
      for (int64_t b = 0; b < q; ++b) m[a] += block(later, earlier)[a * q + b] * means[earlier * q + b];
  }
  const double most = *std::max_element(m, m + q);
  for (int64_t a = 0; a < q; ++a) sum += m[a] = std::exp(m[a] - most);
  for (int64_t a = 0; a < q; ++a) m[a] /= sum;
}

// C becomes E.
void Expansion::centre(int64_t later, int64_t earlier) const {
  const int64_t q = colors();
  const double *m = means.data() + later * q, *n = means.data() + earlier * q;
  double *E = block(later, earlier);
  for (int64_t b = 0; b < q; ++b) {
    double mean = 0;
    for (int64_t a = 0; a < q; ++a) mean += m[a] * E[a * q + b];
    for (int64_t a = 0; a < q; ++a) E[a * q + b] -= mean;
  }
  for (int64_t a = 0; a < q; ++a) {
    double mean = 0;
    for (int64_t b = 0; b < q; ++b) mean += n[b] * E[a * q + b];
    for (int64_t b = 0; b < q; ++b) E[a * q + b] -= mean;
  }
}

// Fields of the site at place j: those of the source less what later sites take, sum_a m_i(a) (C_ij(a, b) + E_ij(a, b)^2 / 2).
void put_fields(const Expansion &from, int64_t j, Model &to) {
  const int64_t q = from.colors(), site = from.source.site_at(j);
  double *h = to.fields.data() + site * q;
  std::copy_n(from.fields.data() + j * q, q, h);
  for (int64_t i = j + 1; i < from.sites(); ++i)
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        const double E = from.block(i, j)[a * q + b], C = from.source.beta * from.source.coupling(from.source.site_at(i), site, a, b);
        h[b] -= from.means[i * q + a] * (C + 0.5 * E * E);
      }
}

// Couplings of the sites at places j < k: C_kj, less sum_a m_i(a) E_ij(a, b) E_ik(a, c) of later sites i.
void put_block(const Expansion &from, int64_t j, int64_t k, Model &to) {
  const int64_t q = from.colors(), L = from.sites(), x = from.source.site_at(j), y = from.source.site_at(k);
  double *own = to.couplings.data() + (x * L + y) * q * q, *other = to.couplings.data() + (y * L + x) * q * q;
  for (int64_t b = 0; b < q; ++b)
    for (int64_t c = 0; c < q; ++c) own[b * q + c] = from.source.beta * from.source.coupling(y, x, c, b);
  for (int64_t i = k + 1; i < L; ++i)
    for (int64_t a = 0; a < q; ++a) {
      const double *E = from.block(i, j) + a * q, *F = from.block(i, k) + a * q, m = from.means[i * q + a];
      for (int64_t b = 0; b < q; ++b) {
        const double factor = m * E[b];
        for (int64_t c = 0; c < q; ++c) own[b * q + c] -= factor * F[c];
      }
    }
  for (int64_t b = 0; b < q; ++b)
    for (int64_t c = 0; c < q; ++c) other[c * q + b] = own[b * q + c];
}

}  // namespace

Model *make_pairwise(Context &context, const Model &source) {
  const int64_t L = source.sites(), q = source.colors();
  const Scratch memory(context.allocator, 2 * Scratch::piece<double>(L * q) + Scratch::piece<double>(L * L * q * q));
  Arena arena = memory.arena();
  Expansion from{source, arena.take<double>(L, q), arena.take<double>(L * L, q * q), arena.take<double>(L, q)};
  ModelShape shape;
  shape.sites = L;
  shape.colors = q;
  shape.fields = true;
  Model *made = make_model(context, shape);
  parallel_for(context.threads, L, [&](int64_t i, int) { from.read(i); });
  for (int64_t i = 0; i < L; ++i) from.take_mean(i);
  parallel_for(context.threads, L, [&](int64_t i, int) {
    for (int64_t j = 0; j < i; ++j) from.centre(i, j);
  });
  parallel_for(context.threads, L, [&](int64_t j, int) {
    put_fields(from, j, *made);
    for (int64_t k = j + 1; k < L; ++k) put_block(from, j, k, *made);
  });
  return made;
}

}  // namespace atp
