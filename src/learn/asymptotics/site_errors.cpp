// SPDX-License-Identifier: MIT
#include "learn/asymptotics/site_errors.hpp"

#include "math/linalg/blas.hpp"
#include "potts/gauge.hpp"
#include "potts/scores.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kAtOnce = 32;                   // most sequences whose equations are solved together
constexpr int64_t kMostMoves = int64_t{1} << 25;  // numbers of what they move
constexpr double kTolerance = 1e-9;               // of residuals, which small penalties magnify
constexpr double kLeast = 1e-6;                   // penalty: with less, rounding is magnified into the errors
constexpr int kMostSteps = 10000;

class SitePass {
 public:
  SitePass(const Model &model, const States &states, const AsymptoticsSettings &settings, Threads threads)
      : model_(model),
        states_(states),
        settings_(settings),
        threads_(threads),
        n_(states.count()),
        L_(model.sites()),
        q_(model.colors()),
        at_once_(std::clamp<int64_t>(kMostMoves / (L_ * L_ * q_ * q_), 1, kAtOnce)) {}

  void lay_out(Arena &arena) {
    sequences_ = arena.take<uint8_t>(n_, L_);
    weights_ = arena.take<double>(n_);
    p_ = arena.take<double>(L_, n_, q_);
    matches_ = arena.take<double>(n_, n_);
    kernels_ = arena.take<double>(threads_, n_, n_);
    solver_ = arena.take<double>(threads_, 5, n_ * at_once_ * q_);
    moves_ = arena.take<double>(at_once_, L_ * L_, q_ * q_);
    slopes_ = arena.take<double>(L_ * L_, q_ * q_);
    norms_ = arena.take<double>(L_, L_);
    site_means_ = arena.take<double>(L_);
    of_sequence_ = arena.take<double>(4, L_, L_);
    sums_ = arena.take<double>(L_ * L_, q_ * q_, 2);
    score_sums_ = arena.take<double>(2, L_ * L_, 2);
  }

  void run(const SiteErrors &out) {
    prepare(out.left_out);
    for (int64_t first = 0; first < n_; first += at_once_) {
      const int64_t count = std::min(at_once_, n_ - first);
      const BlasRoom room(threads_);
      parallel_for(threads_, L_, [&](int64_t i, int thread) { solve_site(i, first, count, thread); });
      if (unsolved_)
        fail(ATP_E_CONFLICT, "l2-couplings is %g and l2-fields %g: their equations are too close to singular", settings_.l2_couplings,
             settings_.l2_fields);
      parallel_for(threads_, L_, [&](int64_t i, int) { average_copies(i, count); });
      parallel_for(threads_, L_, [&](int64_t i, int) { add_moves(i, first, count); });
      for (int64_t r = 0; r < count; ++r) add_scores(first + r, moves_.data() + r * L_ * L_ * q_ * q_);
    }
    finish(out);
  }

 private:
  void prepare(int64_t left_out);
  void write_conditionals(int64_t i);
  void write_norms(int64_t left_out);
  void write_kernel(int64_t i, double *kernel) const;
  void solve_site(int64_t i, int64_t first, int64_t count, int thread);
  void add_residuals(int64_t i, int64_t first, int64_t count, double *out) const;
  bool solve(int64_t i, int64_t count, const double *kernel, double *work) const;
  void move_blocks(int64_t i, int64_t count, const double *c);
  void average_copies(int64_t i, int64_t count);
  void add_moves(int64_t i, int64_t first, int64_t count);
  void add_scores(int64_t n, const double *moves);
  void finish(const SiteErrors &out) const;
  // S_m v = sqrt(w) (sqrt(p) v - p (sqrt(p) . v)), and its transpose, for rows of all m and right-hand sides: [n][columns][q].
  void apply(int64_t i, int64_t count, bool transposed, const double *from, double *to) const;

  const Model &model_;
  const States &states_;
  const AsymptoticsSettings &settings_;
  Threads threads_;
  int64_t n_, L_, q_, at_once_;
  Span<uint8_t> sequences_;
  Span<double> weights_, p_, matches_, kernels_, solver_, moves_, slopes_, norms_, site_means_, of_sequence_, sums_, score_sums_;
  double total_ = 0, mean_ = 0;
  bool unsolved_ = false;
};

// p_n of site i, [n][q]; 0 where the site is missing.
void SitePass::write_conditionals(int64_t i) {
  for (int64_t n = 0; n < n_; ++n) {
    double *p = p_.data() + (i * n_ + n) * q_, sum = 0;
    const uint8_t *s = sequences_.data() + n * L_;
    if (s[i] == kMissing) continue;  // zeros
    model_.local_field(s, i, p);
    const double most = *std::max_element(p, p + q_);
    for (int64_t a = 0; a < q_; ++a) sum += p[a] = std::exp(model_.beta * (p[a] - most));
    for (int64_t a = 0; a < q_; ++a) p[a] /= sum;
  }
}

// Norms F of the couplings, and dF/dC in the zero-sum gauge.
void SitePass::write_norms(int64_t left_out) {
  for (int64_t i = 0; i < L_; ++i)
    for (int64_t j = 0; j < L_; ++j) {
      double *block = slopes_.data() + (i * L_ + j) * q_ * q_;
      if (i == j) continue;
      symmetric_block(model_, i, j, block);
      center_columns(block, q_);
      center_rows(block, q_, nullptr);
      const double norm = norm_without(block, q_, left_out);
      norms_[i * L_ + j] = model_.beta * norm;
      for (int64_t a = 0; a < q_; ++a)
        for (int64_t b = 0; b < q_; ++b) block[a * q_ + b] = norm == 0 || a == left_out || b == left_out ? 0 : block[a * q_ + b] / norm;
    }
}

void SitePass::prepare(int64_t left_out) {
  for (int64_t n = 0; n < n_; ++n) total_ += weights_[n] = states_.read(n, sequences_.data() + n * L_);
  parallel_for(threads_, L_, [&](int64_t i, int) { write_conditionals(i); });
  parallel_for(threads_, n_, [&](int64_t m, int) {
    for (int64_t n = 0; n < n_; ++n) {
      const uint8_t *a = sequences_.data() + m * L_, *b = sequences_.data() + n * L_;
      int64_t same = 0;
      for (int64_t j = 0; j < L_; ++j) same += a[j] == b[j] && a[j] != kMissing ? 1 : 0;
      matches_[m * n_ + n] = static_cast<double>(same);
    }
  });
  write_norms(left_out);
  const double beside = 1 / static_cast<double>(L_ - 1);
  for (int64_t i = 0; i < L_; ++i) {
    for (int64_t j = 0; j < L_; ++j) site_means_[i] += norms_[i * L_ + j] * beside;
    mean_ += site_means_[i] / static_cast<double>(L_);
  }
}

// k_mn = 1 / (2 l2_fields) + matches at the other sites / l2_couplings: each of the two copies of a pair has half of its penalty.
void SitePass::write_kernel(int64_t i, double *kernel) const {
  for (int64_t m = 0; m < n_; ++m)
    for (int64_t n = 0; n < n_; ++n) {
      const uint8_t a = sequences_[m * L_ + i], b = sequences_[n * L_ + i];
      const double here = a == b && a != kMissing ? 1 : 0;
      kernel[m * n_ + n] = 0.5 / settings_.l2_fields + (matches_[m * n_ + n] - here) / settings_.l2_couplings;
    }
}

void SitePass::apply(int64_t i, int64_t count, bool transposed, const double *from, double *to) const {
  for (int64_t m = 0; m < n_; ++m) {
    const double *p = p_.data() + (i * n_ + m) * q_, root = std::sqrt(weights_[m]);
    for (int64_t r = 0; r < count; ++r) {
      const double *v = from + (m * count + r) * q_;
      double *out = to + (m * count + r) * q_, sum = 0;
      for (int64_t a = 0; a < q_; ++a) sum += (transposed ? p[a] : std::sqrt(p[a])) * v[a];
      for (int64_t a = 0; a < q_; ++a)
        out[a] = transposed ? root * std::sqrt(p[a]) * (v[a] - sum) : root * (std::sqrt(p[a]) * v[a] - p[a] * sum);
    }
  }
}

// r_n of the sequences first.., at their own rows of [n][count][q].
void SitePass::add_residuals(int64_t i, int64_t first, int64_t count, double *out) const {
  for (int64_t r = 0; r < count; ++r) {
    const uint8_t color = sequences_[(first + r) * L_ + i];
    if (color == kMissing) continue;
    double *b = out + ((first + r) * count + r) * q_;
    for (int64_t a = 0; a < q_; ++a) b[a] += p_[(i * n_ + first + r) * q_ + a];
    b[color] -= 1;
  }
}

// Conjugate gradients for (1 + S^T k S) y = rest, one system for each of `count` columns of q numbers. Returns false if they end too
// soon.
bool SitePass::solve(int64_t i, int64_t count, const double *kernel, double *work) const {
  const int64_t columns = count * q_, size = n_ * columns;
  double *y = work, *rest = work + size, *step = rest + size, *image = step + size, *between = image + size;
  std::copy_n(rest, size, step);
  std::fill_n(y, size, 0.0);
  double norms[kAtOnce], ends[kAtOnce], along[kAtOnce], next[kAtOnce], share[kAtOnce], kept[kAtOnce];
  const auto for_all = [&](const auto &use) {
    for (int64_t m = 0, k = 0; m < n_; ++m)
      for (int64_t r = 0; r < count; ++r)
        for (int64_t a = 0; a < q_; ++a, ++k) use(k, r);
  };
  const auto dots = [&](const double *one, const double *other, double *out) {
    std::fill_n(out, count, 0.0);
    for_all([&](int64_t k, int64_t r) { out[r] += one[k] * other[k]; });
  };
  dots(rest, rest, norms);
  for (int64_t r = 0; r < count; ++r) ends[r] = kTolerance * kTolerance * norms[r];
  for (int turn = 0; turn < kMostSteps; ++turn) {
    if (std::equal(norms, norms + count, ends, [](double norm, double end) { return norm <= end; })) return true;
    apply(i, count, false, step, between);
    gemm(false, false, n_, columns, n_, 1, kernel, n_, between, columns, 0, image, columns);
    apply(i, count, true, image, between);
    for (int64_t k = 0; k < size; ++k) image[k] = step[k] + between[k];
    dots(step, image, along);
    for (int64_t r = 0; r < count; ++r) share[r] = norms[r] > ends[r] ? norms[r] / along[r] : 0;
    for_all([&](int64_t k, int64_t r) {
      y[k] += share[r] * step[k];
      rest[k] -= share[r] * image[k];
    });
    dots(rest, rest, next);
    for (int64_t r = 0; r < count; ++r) kept[r] = norms[r] > ends[r] ? next[r] / norms[r] : 0;
    for_all([&](int64_t k, int64_t r) { step[k] = rest[k] + kept[r] * step[k]; });
    std::copy_n(next, count, norms);
  }
  return false;
}

// What the sequences first.. do to the couplings of site i.
void SitePass::solve_site(int64_t i, int64_t first, int64_t count, int thread) {
  const int64_t columns = count * q_, size = n_ * columns;
  double *kernel = kernels_.data() + thread * n_ * n_, *work = solver_.data() + thread * 5 * n_ * at_once_ * q_;
  double *y = work, *rest = work + size, *image = rest + 2 * size, *c = image + size;
  write_kernel(i, kernel);
  std::fill_n(c, size, 0.0);
  add_residuals(i, first, count, c);
  gemm(false, false, n_, columns, n_, 1, kernel, n_, c, columns, 0, image, columns);
  apply(i, count, true, image, rest);
  if (!solve(i, count, kernel, work)) __atomic_store_n(&unsolved_, true, __ATOMIC_RELAXED);
  apply(i, count, false, y, c);
  for (int64_t k = 0; k < size; ++k) c[k] = -c[k];
  add_residuals(i, first, count, c);
  move_blocks(i, count, c);
}

// psi_ij(a, b) = sum_m c_m(a) [s_mj = b] / l2_couplings, in the zero-sum gauge.
void SitePass::move_blocks(int64_t i, int64_t count, const double *c) {
  for (int64_t r = 0; r < count; ++r)
    for (int64_t j = 0; j < L_; ++j) {
      double *block = moves_.data() + ((r * L_ + i) * L_ + j) * q_ * q_;
      std::fill_n(block, q_ * q_, 0.0);
      if (j == i) continue;
      for (int64_t m = 0; m < n_; ++m) {
        const uint8_t color = sequences_[m * L_ + j];
        if (color == kMissing) continue;
        for (int64_t a = 0; a < q_; ++a) block[color * q_ + a] += c[(m * count + r) * q_ + a] / settings_.l2_couplings;
      }
      for (int64_t a = 0; a < q_; ++a)
        for (int64_t b = 0; b < a; ++b) std::swap(block[a * q_ + b], block[b * q_ + a]);
      center_columns(block, q_);
      center_rows(block, q_, nullptr);
    }
}

void SitePass::average_copies(int64_t i, int64_t count) {
  for (int64_t r = 0; r < count; ++r)
    for (int64_t j = i + 1; j < L_; ++j) {
      double *one = moves_.data() + ((r * L_ + i) * L_ + j) * q_ * q_, *other = moves_.data() + ((r * L_ + j) * L_ + i) * q_ * q_;
      for (int64_t a = 0; a < q_; ++a)
        for (int64_t b = 0; b < q_; ++b) one[a * q_ + b] = other[b * q_ + a] = 0.5 * (one[a * q_ + b] + other[b * q_ + a]);
    }
}

void SitePass::add_moves(int64_t i, int64_t first, int64_t count) {
  for (int64_t r = 0; r < count; ++r) {
    const int64_t begin = i * L_ * q_ * q_;
    const double *moves = moves_.data() + r * L_ * L_ * q_ * q_ + begin, w = weights_[first + r];
    double *sums = sums_.data() + 2 * begin;
    for (int64_t k = 0; k < L_ * q_ * q_; ++k) {
      sums[2 * k] += w * moves[k];
      sums[2 * k + 1] += w * moves[k] * moves[k];
    }
  }
}

// What a sequence does to the norms F_ij, and to F_ij - F_i F_j / F.
void SitePass::add_scores(int64_t n, const double *moves) {
  double *norm = of_sequence_.data(), *corrected = norm + L_ * L_, *means = corrected + L_ * L_, all = 0;
  const double beside = 1 / static_cast<double>(L_ - 1);
  for (int64_t i = 0; i < L_; ++i) {
    means[i] = 0;
    for (int64_t j = 0; j < L_; ++j) {
      double sum = 0;
      for (int64_t k = (i * L_ + j) * q_ * q_; k < (i * L_ + j + 1) * q_ * q_; ++k) sum += slopes_[k] * moves[k];
      norm[i * L_ + j] = sum;
      means[i] += sum * beside;
    }
    all += means[i] / static_cast<double>(L_);
  }
  for (int64_t i = 0; i < L_; ++i)
    for (int64_t j = 0; j < L_; ++j) {
      const double fi = site_means_[i], fj = site_means_[j];
      corrected[i * L_ + j] = norm[i * L_ + j] - (means[i] * fj + fi * means[j]) / mean_ + fi * fj * all / (mean_ * mean_);
    }
  for (int64_t k = 0; k < 2 * L_ * L_; ++k) {
    score_sums_[2 * k] += weights_[n] * norm[k];
    score_sums_[2 * k + 1] += weights_[n] * norm[k] * norm[k];
  }
}

// Standard errors: sum_n w_n (x_n - mean)^2.
void SitePass::finish(const SiteErrors &out) const {
  const auto error = [&](const double *sums) { return std::sqrt(std::max(0.0, sums[1] - sums[0] * sums[0] / total_)); };
  for (int64_t k = 0; out.couplings != nullptr && k < L_ * L_ * q_ * q_; ++k) out.couplings[k] = error(sums_.data() + 2 * k);
  for (int64_t k = 0; k < L_ * L_; ++k) {
    const bool diagonal = k % (L_ + 1) == 0;
    if (out.norms != nullptr) out.norms[k] = diagonal ? 0 : error(score_sums_.data() + 2 * k);
    if (out.corrected != nullptr) out.corrected[k] = diagonal ? 0 : error(score_sums_.data() + 2 * (L_ * L_ + k));
  }
}

void require_regressions(const Model &model, const AsymptoticsSettings &s) {
  if (s.learned.factored || s.likelihood || s.masks.kind != Masks::none || model.shape.ordered)
    fail(ATP_E_CONFLICT, "errors from regressions of single sites are those of dense couplings by pseudo-likelihood");
  if (!(s.l2_couplings >= kLeast && s.l2_fields >= kLeast))
    fail(ATP_E_CONFLICT, "l2-couplings is %g and l2-fields %g, both must be at least %g, as they were while the model was learned",
         s.l2_couplings, s.l2_fields, kLeast);
  if (s.samples > 0)
    fail(ATP_E_CONFLICT, "samples is %g: errors from regressions of single sites are those of the sequences of the alignment", s.samples);
}

}  // namespace

void site_errors(Context &context, const Model &model, const Alignment &alignment, const AsymptoticsSettings &settings,
                 const SiteErrors &out) {
  require_regressions(model, settings);
  const States states(model, alignment);
  SitePass pass(model, states, settings, context.threads);
  const Scratch scratch(context.allocator, bytes_laid_out(pass));
  Arena arena = scratch.arena();
  pass.lay_out(arena);
  pass.run(out);
}

std::size_t site_errors_bytes(const Model &model, int64_t sequences, Threads threads) {
  const AsymptoticsSettings settings;
  const States states(model, Span<const double>(nullptr, sequences));
  return bytes_laid_out(SitePass(model, states, settings, threads));
}

}  // namespace atp
