// SPDX-License-Identifier: MIT
// Asymmetric pseudo-likelihood: one problem for each site i. The unknowns are h_i [q], then for each neighbour j in ascending order (with
// all pairs, each j != i) the block J_ij as [b][a] (b at site j). The couplings of a pair are the mean of both copies. The penalty is half
// of A_J, so that both copies together have the penalty of the symmetric couplings. In an autoregressive model a pair has one copy, with
// all of A_J, at the site that comes later in the order.
#include "learn/dense/couplings.hpp"

#include <algorithm>
#include <cstdio>

namespace atp {

namespace {

template <class Pass>
class SiteCouplings final : public DenseCouplings<Pass>, public Separable {
 public:
  using Real = typename Pass::Real;

  SiteCouplings(const ObjectiveRow &own_row, const ObjectiveInput &input) : Base(own_row, input) {
    if (this->settings.stochastic())
      fail(ATP_E_CONFLICT, "asymmetric is 1 and optimizer is %s: the problems of single sites need lbfgs",
           this->settings.optimizer == ATP_OPTIMIZER_SGD ? "sgd" : "adam");
  }
  void lay_out(Arena &arena) override { this->lay_out_shared(arena); }

  int64_t parameter_count() const override { return first_unknown(shape_.sites); }
  int64_t part_count() const override { return shape_.sites; }
  Part part(int64_t index) const override {
    Part part{"", first_unknown(index), unknowns(index)};
    std::snprintf(part.name, sizeof part.name, "site%lld", static_cast<long long>(index + 1));
    return part;
  }
  bool large() const override { return true; }
  double tolerance() const override { return this->tolerance_of(1); }
  // The losses of one site jump by 1e-7 of themselves between points that differ by rounding (measured with 400 sequences). With less as
  // noise, the test of decrease refuses nearly every step close to the minimum of an autoregressive site.
  double resolution() const override { return this->settings.precision == 32 && shape_.directed() ? 0x1p-24 : Base::resolution(); }
  double batch_scale() const override { return this->predicted_weight_ > 0 ? this->predicted_weight_ : 1; }
  void start(Reals x) override;
  void read(Reals x, double *out) const override {
    for (int64_t i = 0; i < shape_.sites; ++i) {
      double *to = out + first_unknown(i);
      transpose_blocks(i, site(x, i).data(), to);
      fields_of(i, site(x, i).data(), to);
    }
  }
  void write(Span<const double> values, Reals x) const override;
  // The driver evaluates site by site.
  Evaluation evaluate(Reals, const MaskedData &, Reals) override { return {}; }
  Separable *separable() override { return this; }

  int64_t first_unknown(int64_t i) const override { return i * shape_.colors + shape_.first_neighbor(i) * shape_.block(); }
  int64_t most_unknowns() const override { return shape_.colors + shape_.most_neighbors() * shape_.block(); }
  double evaluate_site(int64_t i, int thread, Reals x, Reals gradient, double *penalty) override;
  void site_metric(int64_t i, Reals metric) const override;
  void read_site_gradient(int64_t i, Reals gradient, double *out) const override;
  double site_weight(int64_t i) const override { return this->data_.site_weight(i); }

 private:
  using Base = DenseCouplings<Pass>;
  using Base::penalties_;
  using Base::shape_;

  double strength() const { return (shape_.directed() ? 1 : 0.5) * penalties_.couplings; }  // on a copy
  int64_t unknowns(int64_t i) const { return shape_.colors + shape_.degree(i) * shape_.block(); }
  Span<Real> site(Reals x, int64_t i) const { return x.of<Real>().sub(first_unknown(i), unknowns(i)); }
  void put(Reals x, Pass &pass, int64_t i) const override {
    Real fields[kMaxColors] = {};
    fields_of(i, site(x, i).data(), fields);
    put_site(site(x, i).data(), pass, i, fields);
  }
  void put_site(const Real *x, Pass &pass, int64_t i, const Real *fields) const;
  // Neighbour k in the unknowns of a site, and in the C API.
  typename Base::BlockPlace inner(int64_t k) const { return {shape_.colors + k * shape_.block(), 1, shape_.colors}; }
  typename Base::BlockPlace outer(int64_t k) const { return {shape_.colors + k * shape_.block(), shape_.colors, 1}; }
  // The fields of a site with these unknowns.
  template <class Field>
  void fields_of(int64_t i, const Real *x, Field *fields) const {
    for (int64_t a = 0; a < shape_.colors; ++a) fields[a] = static_cast<Field>(x[a]);
    if (this->centred())
      this->shift_fields(
          i, -1, x, [&](int64_t k) { return inner(k); }, fields);
  }
  void add(Reals x, int64_t i, int64_t k, double factor, double *block) const override;
  void write_fields(Reals x, double *fields) const override {
    for (int64_t i = 0; i < shape_.sites; ++i) fields_of(i, site(x, i).data(), fields + i * shape_.colors);
  }
  template <class From, class To>
  void transpose_blocks(int64_t i, const From *from, To *to) const;
};

template <class Pass>
void SiteCouplings<Pass>::put_site(const Real *x, Pass &pass, int64_t i, const Real *fields) const {
  const int64_t q = shape_.colors;
  pass.put_fields(fields);
  if (shape_.lists == nullptr) pass.clear_block(i);
  for (int64_t k = 0; k < shape_.degree(i); ++k) pass.put_block(shape_.slot(i, k), x + q + k * q * q, 1, q);
}

template <class Pass>
double SiteCouplings<Pass>::evaluate_site(int64_t i, int thread, Reals unknowns_of_site, Reals gradient, double *penalty) {
  const Real *x = unknowns_of_site.of<Real>().data();
  const int64_t q = shape_.colors, couplings = unknowns_of_site.size() - q;
  assert(unknowns_of_site.size() == unknowns(i) && (gradient.empty() || gradient.size() == unknowns(i)));
  Pass &pass = this->passes_[thread];
  Real fields[kMaxColors] = {};
  fields_of(i, x, fields);
  put_site(x, pass, i, fields);
  const double loss = pass.run(this->kernels_, this->data_, i, !gradient.empty());
  *penalty = penalties_.fields * sum_of_squares(fields, q) + strength() * sum_of_squares(x + q, couplings);
  if (gradient.empty()) return loss;
  Real *to = gradient.of<Real>().data();
  pass.take_fields(to);
  for (int64_t k = 0; k < shape_.degree(i); ++k) pass.take_block(shape_.slot(i, k), false, to + q + k * q * q, 1, q);
  add_penalty(penalties_.fields, fields, q, to);
  add_penalty(strength(), x + q, couplings, to + q);
  this->norms_[thread] = {std::sqrt(sum_of_squares(to, q + couplings)),
                          std::sqrt(sum_of_squares(fields, q) + sum_of_squares(x + q, couplings))};
  for (int64_t k = 0; this->centred() && k < shape_.degree(i); ++k) this->shift_block(i, k, -1, to, inner(k), to);
  return loss;
}

// The inverse of the diagonal of the Hessian at independent sites of the frequencies f, in the order of the unknowns; see curvature(). In
// states of the first version J_ij(a, b) has N_eff f_i(a) (1 - f_i(a)) f_j(b) + A_J, in autoregressive models
// N_eff f_i(a) (1 - f_i(a)) f_j(b) (1 - f_j(b)) + 2 A_J.
template <class Pass>
void SiteCouplings<Pass>::site_metric(int64_t i, Reals metric) const {
  const int64_t q = shape_.colors;
  const double *f = this->means_.data() + i * q, weight = this->effective_count_;
  Real *fields = metric.of<Real>().data();
  for (int64_t a = 0; a < q; ++a) fields[a] = static_cast<Real>(1 / (weight * f[a] * (1 - f[a]) + 2 * penalties_.fields));
  for (int64_t k = 0; k < shape_.degree(i); ++k) {
    const int64_t j = shape_.neighbor(i, k);
    const double *g = this->means_.data() + j * q;
    Real *to = fields + q + k * q * q;
    for (int64_t b = 0; b < q; ++b) {
      const double seen = shape_.directed() ? g[b] * (1 - g[b]) : g[b];
      for (int64_t a = 0; a < q; ++a) {
        const double curvature = this->first_unknowns() ? weight * seen * f[a] * (1 - f[a]) : this->curvature(i, a, j, b);
        to[b * q + a] = static_cast<Real>(1 / (curvature + 2 * strength()));
      }
    }
  }
}

// The order of the unknowns of a site in the C API, from or to the internal one: blocks [a][b] there, [b][a] here.
template <class Pass>
template <class From, class To>
void SiteCouplings<Pass>::transpose_blocks(int64_t i, const From *from, To *to) const {
  const int64_t q = shape_.colors;
  for (int64_t a = 0; a < q; ++a) to[a] = static_cast<To>(from[a]);
  for (int64_t k = 0; k < shape_.degree(i); ++k) {
    const From *x = from + q + k * q * q;
    To *y = to + q + k * q * q;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) y[a * q + b] = static_cast<To>(x[b * q + a]);
  }
}

template <class Pass>
void SiteCouplings<Pass>::read_site_gradient(int64_t i, Reals gradient, double *out) const {
  transpose_blocks(i, gradient.of<Real>().data(), out);
  for (int64_t k = 0; this->centred() && k < shape_.degree(i); ++k) this->shift_block(i, k, 1, out, outer(k), out);
}

template <class Pass>
void SiteCouplings<Pass>::start(Reals x) {
  const Span<Real> to = x.of<Real>();
  std::fill(to.begin(), to.end(), Real{0});
  const int64_t q = shape_.colors;
  for (int64_t i = 0; i < shape_.sites; ++i)
    for (int64_t a = 0; a < q; ++a) site(x, i)[a] = static_cast<Real>(this->start_[i * q + a]);
}

template <class Pass>
void SiteCouplings<Pass>::write(Span<const double> values, Reals x) const {
  this->check_range(values);
  double fields[kMaxColors] = {};
  const auto center = [&](int64_t i) {
    const double *from = values.data() + first_unknown(i);
    this->center(
        i, from, from, [&](int64_t k) { return outer(k); }, fields);
  };
  for (int64_t i = 0; this->centred() && i < shape_.sites; ++i) center(i);  // throws before anything is written
  for (int64_t i = 0; i < shape_.sites; ++i) {
    Real *to = site(x, i).data();
    transpose_blocks(i, values.data() + first_unknown(i), to);
    if (!this->centred()) continue;
    center(i);
    for (int64_t a = 0; a < shape_.colors; ++a) to[a] = static_cast<Real>(fields[a]);
  }
}

template <class Pass>
void SiteCouplings<Pass>::add(Reals x, int64_t i, int64_t k, double factor, double *block) const {
  const int64_t q = shape_.colors, j = shape_.neighbor(i, k);
  // The copy of site i of the couplings with neighbour k: C_ij(a, b) lies at [b * q + a].
  const auto copy = [&](int64_t of, int64_t neighbor) { return site(x, of).data() + q + neighbor * shape_.block(); };
  const Real *mine = copy(i, k);
  if (shape_.directed()) {
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) block[a * q + b] += factor * static_cast<double>(mine[b * q + a]);
    return;
  }
  const Real *other = copy(j, shape_.place(j, i));
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b)
      block[a * q + b] += factor * 0.5 * (static_cast<double>(mine[b * q + a]) + static_cast<double>(other[a * q + b]));
}

}  // namespace

Objective *make_dense_sites(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  if (input.options.integer(ATP_OPT_PRECISION) == 64) return put_objective<SiteCouplings<DensePassF64>>(place, row, input);
  return put_objective<SiteCouplings<DensePassF32>>(place, row, input);
}

}  // namespace atp
