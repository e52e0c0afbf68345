// SPDX-License-Identifier: MIT
// Sequences are processed in blocks of at most kBlock, site by site. A dense coupling block is then read once per block
// of sequences. Work space is on the stack, of which host threads may have 128 KiB.
#include "potts/evaluate.hpp"

#include "base/team.hpp"
#include "potts/summation.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kBlock = 32;    // sequences that share a pass over the couplings
constexpr int64_t kRoom = 1024;   // numbers of work space: fewer sequences share a pass where there are many colours
constexpr int64_t kStrips = 256;  // partial sums of a loss, for any number of threads

void softmax(const double *field, int64_t colors, double beta, double *out) {
  const double top = *std::max_element(field, field + colors);
  double sum = 0;
  for (int64_t a = 0; a < colors; ++a) sum += out[a] = std::exp(beta * (field[a] - top));
  for (int64_t a = 0; a < colors; ++a) out[a] /= sum;
}

static_assert(kRoom >= 4 * kMaxColors, "a pass reads couplings for at least four sequences");
int64_t sequences_of_pass(int64_t colors) { return std::min(kBlock, kRoom / colors); }

// out[n] = sum_i -log p(s_ni | rest) over the sites that are not missing, for up to kBlock sequences.
void block_losses(const Model &model, const uint8_t *sequences, int64_t count, double *out) {
  const int64_t L = model.sites(), q = model.colors(), pass = sequences_of_pass(q);
  double field[kRoom];
  std::fill(out, out + count, 0.0);
  for (int64_t first = 0; first < count; first += pass) {
    const uint8_t *own = sequences + first * L;
    const int64_t size = std::min(pass, count - first);
    for (int64_t i = 0; i < L; ++i) {
      model.local_fields(own, size, i, field);
      for (int64_t n = 0; n < size; ++n)
        if (const uint8_t color = own[n * L + i]; color != kMissing)
          out[first + n] += negative_log_softmax(field + n * q, q, model.beta, color);
    }
  }
}

}  // namespace

double negative_log_softmax(const double *field, int64_t colors, double beta, int64_t color) {
  const int64_t top = std::max_element(field, field + colors) - field;
  double others = 0;
  for (int64_t a = 0; a < colors; ++a)
    if (a != top) others += std::exp(beta * (field[a] - field[top]));
  return beta * (field[top] - field[color]) + std::log1p(others);
}

void conditionals(const Model &model, const uint8_t *sequences, int64_t n, double *out) {
  const int64_t L = model.sites(), q = model.colors(), pass = sequences_of_pass(q);
  double field[kRoom];
  for (int64_t first = 0; first < n; first += pass) {
    const int64_t count = std::min(pass, n - first);
    for (int64_t i = 0; i < L; ++i) {
      model.local_fields(sequences + first * L, count, i, field);
      for (int64_t k = 0; k < count; ++k) softmax(field + k * q, q, model.beta, out + ((first + k) * L + i) * q);
    }
  }
}

void energies(const Model &model, const uint8_t *sequences, int64_t n, double *out) {
  if (model.shape.ordered) {
    log_pseudolikelihoods(model, sequences, n, out);
    for (int64_t k = 0; k < n; ++k) out[k] = -out[k];
    return;
  }
  const int64_t L = model.sites(), q = model.colors();
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t *s = sequences + k * L;
    CompensatedSum pairs, singles;
    for (int64_t i = 0; i < L; ++i) {
      if (s[i] == kMissing) continue;
      for (int64_t j = 0; j < L; ++j)
        if (j != i && s[j] != kMissing) pairs.add(model.coupling(i, j, s[i], s[j]));
      if (!model.fields.empty()) singles.add(model.fields[i * q + s[i]]);
    }
    out[k] = -0.5 * pairs.value() - singles.value();
  }
}

void log_pseudolikelihoods(const Model &model, const uint8_t *sequences, int64_t n, double *out) {
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t count = std::min(kBlock, n - first);
    block_losses(model, sequences + first * model.sites(), count, out + first);
    for (int64_t k = 0; k < count; ++k) out[first + k] = -out[first + k];
  }
}

double mean_loss(const Model &model, const uint8_t *sequences, const double *weights, int64_t n, Threads threads) {
  const int64_t L = model.sites(), blocks = (n + kBlock - 1) / kBlock;
  double losses[kStrips] = {}, totals[kStrips] = {}, absent[kStrips] = {};
  // A strip is a range of blocks; it depends only on n.
  parallel_for(threads, std::min(blocks, kStrips), [&](int64_t strip, int) {
    const int64_t strips = std::min(blocks, kStrips);
    CompensatedSum loss, total, missing;
    for (int64_t block = strip * blocks / strips; block < (strip + 1) * blocks / strips; ++block) {
      double block_loss[kBlock];
      const int64_t first = block * kBlock, count = std::min(kBlock, n - first);
      block_losses(model, sequences + first * L, count, block_loss);
      for (int64_t k = 0; k < count; ++k) {
        loss.add(weights[first + k] * block_loss[k]);
        total.add(weights[first + k]);
        const uint8_t *s = sequences + (first + k) * L;
        missing.add(weights[first + k] * static_cast<double>(std::count(s, s + L, kMissing)));
      }
    }
    losses[strip] = loss.value();
    totals[strip] = total.value();
    absent[strip] = missing.value();
  });
  CompensatedSum loss, total, missing;
  for (int64_t strip = 0; strip < kStrips; ++strip) {
    loss.add(losses[strip]);
    total.add(totals[strip]);
    missing.add(absent[strip]);
  }
  return loss.value() / (static_cast<double>(L) * total.value() - missing.value());
}

double mean_loss(Context &context, const Model &model, const Alignment &data) {
  if (data.colors() == model.colors()) return mean_loss(model, data.sequences.data(), data.weights.data(), data.count(), context.threads);
  const Scratch memory(context.allocator, Scratch::piece<uint8_t>(data.sequences.size()));
  const Span<uint8_t> residues = memory.arena().take<uint8_t>(data.sequences.size());
  for (int64_t k = 0; k < residues.size(); ++k)
    residues[k] = data.sequences[k] == 0 ? kMissing : static_cast<uint8_t>(data.sequences[k] - 1);
  return mean_loss(model, residues.data(), data.weights.data(), data.count(), context.threads);
}

}  // namespace atp
