// SPDX-License-Identifier: MIT
// A sample has d inputs x_c in R^p; they are the columns of a row-major matrix [p][M d]. Its fields are u_c = w . x_c and z = R u.
#include "theory/replica/simulate.hpp"

#include "math/linalg/blas.hpp"
#include "math/linalg/lapack.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

namespace {

constexpr int kSteps = 200;
constexpr double kHalfRoot = 0.70710678118654752440;

class PottsLearner {
 public:
  PottsLearner(const Simulation &simulation, const FieldBasis &basis, const double *factor, int64_t samples, Span<double> work)
      : simulation_(simulation), basis_(basis), factor_(factor), m_(samples), p_(simulation.p), rows_(samples * basis.rank) {
    int64_t used = 0;
    const auto take = [&](int64_t n) {
      used += n;
      return work.sub(used - n, n);
    };
    x_ = take(p_ * rows_);
    turned_ = take(p_ * rows_);
    matrices_ = take(m_ * basis.rank * basis.rank);
    hessian_ = take(p_ * p_);
    for (Span<double> *span : {&u_, &step_u_, &force_}) *span = take(rows_);
    for (Span<double> *span : {&w_, &step_}) *span = take(p_);
    for (Span<double> *span : {&z_, &softmax_, &center_}) *span = take(basis.colors);
    labels_ = take(m_);
  }

  void draw(Normals &normals);
  bool learn();
  Losses losses(Normals &normals);

 private:
  double penalty() const { return simulation_.lambda * static_cast<double>(p_); }
  void fields_of(const double *w, double *u) const { gemm(false, false, 1, rows_, p_, 1, w, p_, x_.data(), rows_, 0, u, rows_); }
  void draw_labels_first(Normals &normals);
  double test_given_label(Normals &normals, double both, double own);
  int64_t label_of(Normals &normals) const;
  double set_label_probabilities();
  void slopes();
  bool step();
  double range() const;
  double training(double share);
  double objective(double share);

  const Simulation &simulation_;
  const FieldBasis &basis_;
  const double *factor_;
  int64_t m_, p_, rows_;
  // x and what the curvature makes of it [p][M d]; R^T (diag p - p p^T) R of all samples; [p][p]
  Span<double> x_, turned_, matrices_, hessian_;
  Span<double> u_, step_u_, force_;    // [M d]
  Span<double> w_, step_;              // [p]
  Span<double> z_, softmax_, center_;  // [q], [d] for the last
  Span<double> labels_;                // [M]
};

// A label with the probabilities softmax_.
int64_t PottsLearner::label_of(Normals &normals) const {
  const double place = std::erfc(-normals.next() * kHalfRoot) / 2;
  int64_t label = 0;
  for (double sum = softmax_[0]; label + 1 < basis_.colors && sum <= place; sum += softmax_[label]) ++label;
  return label;
}

// Of inputs that are normal given the label: P(y) ~ exp(rho |R^T e_y|^2 / 2). Leaves F^T w* in hessian_ and returns its square, rho.
double PottsLearner::set_label_probabilities() {
  double *teacher = hessian_.data(), size = 0;
  std::copy(simulation_.teacher, simulation_.teacher + p_, teacher);
  multiply_lower(true, p_, factor_, teacher);
  for (int64_t j = 0; j < p_; ++j) size += teacher[j] * teacher[j];
  for (int64_t a = 0; a < basis_.colors; ++a) {
    z_[a] = size * basis_.square(a) / 2;
  }
  const Softmax softmax(z_.data(), basis_.colors, softmax_.data());
  return size;
}

// Given the label inputs have the means S w* (R^T e_y)_c: F^T w* (R^T e_y)_c is added to g.
void PottsLearner::draw_labels_first(Normals &normals) {
  set_label_probabilities();
  for (int64_t k = 0; k < m_; ++k) {
    const int64_t label = label_of(normals);
    const double *own = basis_.directions.data() + label * basis_.rank;
    labels_[k] = static_cast<double>(label);
    for (int64_t j = 0; j < p_; ++j)
      for (int64_t c = 0; c < basis_.rank; ++c) x_[j * rows_ + k * basis_.rank + c] += hessian_[j] * own[c];
  }
}

void PottsLearner::draw(Normals &normals) {
  for (double &x : x_) x = normals.next();
  if (simulation_.cavity) draw_labels_first(normals);
  multiply_right_lower_transposed(rows_, p_, factor_, x_.data(), rows_);
  if (simulation_.cavity) return;
  fields_of(simulation_.teacher, u_.data());
  for (int64_t k = 0; k < m_; ++k) {
    basis_.fields(u_.data() + k * basis_.rank, z_.data());
    const Softmax softmax(z_.data(), basis_.colors, softmax_.data());
    labels_[k] = static_cast<double>(label_of(normals));
  }
}

// Forces R^T (e_y - p) and curvatures of all samples at u.
void PottsLearner::slopes() {
  const int64_t q = basis_.colors, d = basis_.rank;
  std::fill(matrices_.begin(), matrices_.end(), 0.0);
  std::fill(force_.begin(), force_.end(), 0.0);
  for (int64_t k = 0; k < m_; ++k) {
    basis_.fields(u_.data() + k * d, z_.data());
    const Softmax softmax(z_.data(), q, softmax_.data());
    double *matrix = matrices_.data() + k * d * d, *force = force_.data() + k * d;
    const double *own = basis_.directions.data() + static_cast<int64_t>(labels_[k]) * d;
    std::fill(center_.begin(), center_.end(), 0.0);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t c = 0; c < d; ++c) {
        center_[c] += softmax_[a] * basis_.directions[a * d + c];
        force[c] += softmax_[a] * (own[c] - basis_.directions[a * d + c]);
      }
    for (int64_t a = 0; a < q; ++a)
      for (int64_t c = 0; c < d; ++c) {
        const double x = softmax_[a] * (basis_.directions[a * d + c] - center_[c]);
        for (int64_t e = 0; e < d; ++e) matrix[c * d + e] += x * (basis_.directions[a * d + e] - center_[e]);
      }
  }
}

// The step of Newton's method; false where the Hessian is singular.
bool PottsLearner::step() {
  const int64_t d = basis_.rank;
  slopes();
  for (int64_t j = 0; j < p_; ++j)
    for (int64_t k = 0; k < m_; ++k) {
      const double *x = x_.data() + j * rows_ + k * d, *matrix = matrices_.data() + k * d * d;
      double *turned = turned_.data() + j * rows_ + k * d;
      for (int64_t c = 0; c < d; ++c) {
        double sum = 0;
        for (int64_t e = 0; e < d; ++e) sum += matrix[c * d + e] * x[e];
        turned[c] = sum;
      }
    }
  gemm(false, true, p_, p_, rows_, 1, x_.data(), rows_, turned_.data(), rows_, 0, hessian_.data(), p_);
  for (int64_t j = 0; j < p_; ++j) hessian_[j * p_ + j] += penalty();
  gemm(false, false, p_, 1, rows_, 1, x_.data(), rows_, force_.data(), 1, 0, step_.data(), 1);
  for (int64_t j = 0; j < p_; ++j) step_[j] -= penalty() * w_[j];
  if (cholesky(p_, hessian_.data()) != 0) return false;
  solve_lower(false, p_, hessian_.data(), step_.data());
  solve_lower(true, p_, hessian_.data(), step_.data());
  fields_of(step_.data(), step_u_.data());
  return true;
}

// The largest difference of two fields of a sample in the step.
double PottsLearner::range() const {
  double most = 0;
  for (int64_t k = 0; k < m_; ++k) {
    basis_.fields(step_u_.data() + k * basis_.rank, z_.data());
    const auto ends = std::minmax_element(z_.begin(), z_.end());
    most = std::max(most, *ends.second - *ends.first);
  }
  return most;
}

double PottsLearner::training(double share) {
  double sum = 0;
  for (int64_t k = 0; k < m_; ++k) {
    for (int64_t c = 0; c < basis_.rank; ++c) center_[c] = u_[k * basis_.rank + c] + share * step_u_[k * basis_.rank + c];
    basis_.fields(center_.data(), z_.data());
    sum += Softmax(z_.data(), basis_.colors, softmax_.data()).loss(z_.data(), static_cast<int64_t>(labels_[k]));
  }
  return sum;
}

double PottsLearner::objective(double share) {
  double size = 0;
  for (int64_t j = 0; j < p_; ++j) size += (w_[j] + share * step_[j]) * (w_[j] + share * step_[j]);
  return training(share) + penalty() * size / 2;
}

// Steps are shortened for the sample with the largest range.
bool PottsLearner::learn() {
  for (Span<double> *span : {&w_, &u_}) std::fill(span->begin(), span->end(), 0.0);
  for (int count = 0; count < kSteps; ++count) {
    if (!step()) return false;
    const double size = range(), share = share_of_step(size, [&](double part) { return objective(part); });
    for (int64_t j = 0; j < p_; ++j) w_[j] += share * step_[j];
    fields_of(w_.data(), u_.data());
    if (size <= kLastRange) return true;
  }
  return false;
}

// u ~ N(both R^T e_y, own) given the label.
double PottsLearner::test_given_label(Normals &normals, double both, double own) {
  double sum = 0;
  for (int64_t k = 0; k < simulation_.tests; ++k) {
    const int64_t label = label_of(normals);
    for (int64_t c = 0; c < basis_.rank; ++c)
      center_[c] = both * basis_.directions[label * basis_.rank + c] + std::sqrt(own) * normals.next();
    basis_.fields(center_.data(), z_.data());
    double *p = center_.data();
    sum += Softmax(z_.data(), basis_.colors, p).loss(z_.data(), label);
  }
  return sum / static_cast<double>(simulation_.tests);
}

Losses PottsLearner::losses(Normals &normals) {
  const int64_t q = basis_.colors, d = basis_.rank;
  std::fill(step_u_.begin(), step_u_.end(), 0.0);
  Losses losses;
  losses.et = training(0) / static_cast<double>(m_);
  // Covariances of the fields of teacher and student: |C^T w|^2 and so on.
  double *student = step_.data();
  const double *teacher = hessian_.data(), size = set_label_probabilities();
  std::copy(w_.begin(), w_.end(), student);
  multiply_lower(true, p_, factor_, student);
  double own = 0, both = 0;
  for (int64_t j = 0; j < p_; ++j) {
    own += student[j] * student[j];
    both += student[j] * teacher[j];
  }
  if (simulation_.cavity) {
    losses.eg = test_given_label(normals, both, own);
    return losses;
  }
  const double slope = size > 0 ? both / size : 0, rest = std::sqrt(std::max(0.0, own - slope * both)), width = std::sqrt(size);
  double sum = 0;
  for (int64_t k = 0; k < simulation_.tests; ++k) {
    for (int64_t c = 0; c < d; ++c) {
      step_u_[c] = width * normals.next();
      center_[c] = slope * step_u_[c] + rest * normals.next();
    }
    basis_.fields(step_u_.data(), z_.data());
    const Softmax truth(z_.data(), q, softmax_.data());
    basis_.fields(center_.data(), z_.data());
    double *p = center_.data();
    const Softmax softmax(z_.data(), q, p);
    for (int64_t a = 0; a < q; ++a) sum += softmax_[a] * softmax.loss(z_.data(), a);
  }
  losses.eg = sum / static_cast<double>(simulation_.tests);
  return losses;
}

}  // namespace

int64_t potts_learner_workspace(int64_t rank, int64_t colors, int64_t p, int64_t samples) {
  const int64_t rows = samples * rank;
  return 2 * p * rows + samples * rank * rank + p * p + 3 * rows + 2 * p + 3 * colors + samples;
}

Losses learn_potts(const Simulation &simulation, const FieldBasis &basis, const double *factor, int64_t samples, int64_t realisation,
                   Span<double> work) {
  PottsLearner learner(simulation, basis, factor, samples, work);
  Normals normals(simulation.seed, static_cast<uint64_t>(realisation), static_cast<uint64_t>(samples));
  learner.draw(normals);
  if (!learner.learn()) return {std::nan(""), std::nan("")};
  return learner.losses(normals);
}

}  // namespace atp::replica
