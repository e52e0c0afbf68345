// SPDX-License-Identifier: MIT
// Sequences are processed in passes, site by site: the couplings of a few sites go from memory into a cache once for all sequences, and are
// turned once per pass. Each sequence has sums of its own, in one order, so that its numbers depend neither on passes nor on threads. Work
// space is on the stack, of which host threads may have 128 KiB.
#include "potts/evaluate.hpp"

#include "base/team.hpp"
#include "potts/summation.hpp"
#include "simd/fields.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace atp {

namespace {

constexpr int64_t kBlock = 32;                 // sequences of a part of a loss
constexpr int64_t kStrips = 256;               // partial sums of a loss, for any number of threads
constexpr int64_t kRoom = 4096;                // float64 numbers of a work space on the stack
constexpr int64_t kFew = 4;                    // sequences for which couplings are not turned
constexpr int64_t kSites = 8;                  // sites whose couplings stay in the first-level cache
constexpr int64_t kCached = int64_t{1} << 18;  // couplings that stay in a second-level cache, 2 MiB

void softmax(const double *field, int64_t colors, double beta, double *out) {
  const double top = *std::max_element(field, field + colors);
  double sum = 0;
  for (int64_t a = 0; a < colors; ++a) sum += out[a] = std::exp(beta * (field[a] - top));
  for (int64_t a = 0; a < colors; ++a) out[a] /= sum;
}

int64_t width_of(int64_t colors) { return (colors + 7) / 8 * 8; }
int64_t sequences_of_pass(int64_t colors) { return kRoom / width_of(colors); }

// Calls use(j, C_ij) for the blocks of site i of a dense model, ascending.
template <class Use>
void for_blocks(const Model &model, int64_t i, Use &&use) {
  const int64_t size = model.colors() * model.colors();
  const bool listed = model.shape.pairs > 0;
  const double *block = model.couplings.data() + (listed ? model.first_block(i) : i * model.sites()) * size;
  model.for_neighbors(i, [&](int64_t j) {
    use(j, listed ? block : block + j * size);
    if (listed) block += size;
  });
}

// fields[n][0..lanes-1] += couplings of site i to all others, for its colours from `first` on; fields [count][step].
__attribute__((noinline)) void add_blocks(const Model &model, const uint8_t *sequences, int64_t count, int64_t i, int64_t first,
                                          int64_t lanes, double *fields) {
  const int64_t q = model.colors(), rows = q + 1, own = std::min(lanes, q - first), room = std::min(kSites, kRoom / (rows * lanes));
  alignas(64) double panel[kRoom];
  std::fill_n(panel, room * rows * lanes, 0.0);
  int32_t sites[kSites];
  FieldPanel full = {q, lanes, 0, sites, panel};
  const auto add = [&] {
    field_kernels(model.context->target).add(full, sequences, model.sites(), count, fields, width_of(q));
    full.count = 0;
  };
  for_blocks(model, i, [&](int64_t j, const double *block) {
    if (!model.sees(i, j)) return;
    double *to = panel + full.count * rows * lanes;
    for (int64_t a = 0; a < own; ++a)
      for (int64_t b = 0; b < q; ++b) to[b * lanes + a] = block[(first + a) * q + b];
    sites[full.count++] = static_cast<int32_t>(j);
    if (full.count == room) add();
  });
  add();
}

// Local fields of site i, with the bits of Model::local_fields(). Returns the numbers from one sequence to the next.
int64_t local_fields(const Model &model, const uint8_t *sequences, int64_t count, int64_t i, double *fields) {
  const int64_t q = model.colors(), width = width_of(q), most = (q + 1) * kMostFieldLanes <= kRoom ? kMostFieldLanes : 16;
  if (!model.shape.dense() || count < kFew) {
    model.local_fields(sequences, count, i, fields);
    return q;
  }
  for (int64_t n = 0; n < count; ++n)
    for (int64_t a = 0; a < width; ++a) fields[n * width + a] = a < q && !model.fields.empty() ? model.fields[i * q + a] : 0.0;
  for (int64_t first = 0; first < width; first += most)
    add_blocks(model, sequences, count, i, first, std::min(most, width - first), fields + first);
  return width;
}

// Calls use(i, first, count, fields, step) for all sites, ascending, and passes of the sequences. Several threads share the passes.
template <class Use>
void for_fields(const Model &model, const uint8_t *sequences, int64_t n, const Use &use) {
  const int64_t L = model.sites(), threads = model.context->threads, most = sequences_of_pass(model.colors());
  const int64_t pass = std::clamp((n + threads - 1) / threads, std::min(kFew, most), most), passes = (n + pass - 1) / pass;
  const int64_t group = std::clamp(kCached * L / std::max(int64_t{1}, model.couplings.size()), int64_t{1}, L);
  for (int64_t begin = 0; begin < L; begin += group)
    parallel_for(model.context->threads, passes, [&](int64_t k, int) {
      alignas(64) double fields[kRoom];
      const int64_t first = k * pass, count = std::min(pass, n - first);
      for (int64_t i = begin; i < std::min(L, begin + group); ++i) {
        const int64_t step = local_fields(model, sequences + first * L, count, i, fields);
        use(i, first, count, fields, step);
      }
    });
}

// out[n] = sum_i -log p(s_ni | rest) over the sites that are not missing.
void sequence_losses(const Model &model, const uint8_t *sequences, int64_t n, double *out) {
  const int64_t L = model.sites(), q = model.colors();
  std::fill(out, out + n, 0.0);
  for_fields(model, sequences, n, [&](int64_t i, int64_t first, int64_t count, const double *fields, int64_t step) {
    for (int64_t k = 0; k < count; ++k)
      if (const uint8_t color = sequences[(first + k) * L + i]; color != kMissing)
        out[first + k] += negative_log_softmax(fields + k * step, q, model.beta, color);
  });
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
  const int64_t L = model.sites(), q = model.colors();
  for_fields(model, sequences, n, [&](int64_t i, int64_t first, int64_t count, const double *fields, int64_t step) {
    for (int64_t k = 0; k < count; ++k) softmax(fields + k * step, q, model.beta, out + ((first + k) * L + i) * q);
  });
}

namespace {

// out[n] = -1/2 sum_ij C_ij(s_i, s_j) for up to kPairSums sequences of a dense model.
constexpr int64_t kPairSums = kRoom / 2;

void pair_energies(const Model &model, const uint8_t *sequences, int64_t n, double *out) {
  const int64_t L = model.sites(), q = model.colors();
  double sums[kPairSums] = {}, errors[kPairSums] = {};
  for (int64_t i = 0; i < L; ++i) {
    int64_t sites[kSites] = {}, count = 0;
    const double *blocks[kSites] = {};
    const auto add = [&] {
      for (int64_t k = 0; k < n; ++k) {
        const uint8_t *s = sequences + k * L;
        if (s[i] == kMissing) continue;
        for (int64_t m = 0; m < count; ++m)
          if (s[sites[m]] != kMissing) add_compensated(sums[k], errors[k], blocks[m][s[i] * q + s[sites[m]]]);
      }
      count = 0;
    };
    for_blocks(model, i, [&](int64_t j, const double *block) {
      sites[count] = j;
      blocks[count++] = block;
      if (count == kSites) add();
    });
    add();
  }
  for (int64_t k = 0; k < n; ++k) out[k] = -0.5 * (sums[k] + errors[k]);
}

void head_energies(const Model &model, const uint8_t *sequences, int64_t n, double *out) {
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t *s = sequences + k * model.sites();
    CompensatedSum pairs;
    for (int64_t i = 0; i < model.sites(); ++i)
      for (int64_t j = 0; j < model.sites(); ++j)
        if (i != j && s[i] != kMissing && s[j] != kMissing) pairs.add(model.coupling(i, j, s[i], s[j]));
    out[k] = -0.5 * pairs.value();
  }
}

double field_sum(const Model &model, const uint8_t *sequence) {
  CompensatedSum sum;
  for (int64_t i = 0; !model.fields.empty() && i < model.sites(); ++i)
    if (sequence[i] != kMissing) sum.add(model.fields[i * model.colors() + sequence[i]]);
  return sum.value();
}

}  // namespace

void energies(const Model &model, const uint8_t *sequences, int64_t n, double *out) {
  if (model.shape.ordered) return sequence_losses(model, sequences, n, out);
  const int64_t L = model.sites(), threads = model.context->threads;
  const int64_t part = std::clamp((n + threads - 1) / threads, int64_t{1}, kPairSums);
  parallel_for(model.context->threads, (n + part - 1) / part, [&](int64_t block, int) {
    const int64_t first = block * part, count = std::min(part, n - first);
    (model.shape.dense() ? pair_energies : head_energies)(model, sequences + first * L, count, out + first);
    for (int64_t k = first; k < first + count; ++k) out[k] -= field_sum(model, sequences + k * L);
  });
}

void log_pseudolikelihoods(const Model &model, const uint8_t *sequences, int64_t n, double *out) {
  sequence_losses(model, sequences, n, out);
  for (int64_t k = 0; k < n; ++k) out[k] = -out[k];
}

double mean_loss(const Model &model, const uint8_t *sequences, const double *weights, int64_t n) {
  constexpr int64_t kTogether = 64 * kBlock;
  // A strip is a range of blocks; it depends only on n.
  const int64_t L = model.sites(), blocks = (n + kBlock - 1) / kBlock, strips = std::min(blocks, kStrips);
  double losses[kTogether];
  CompensatedSum loss, total, missing;
  for (int64_t strip = 0, k = 0; strip < strips; ++strip) {
    CompensatedSum own_loss, own_total, own_missing;
    for (const int64_t end = std::min(n, (strip + 1) * blocks / strips * kBlock); k < end; ++k) {
      const uint8_t *s = sequences + k * L;
      if (k % kTogether == 0) sequence_losses(model, s, std::min(kTogether, n - k), losses);
      own_loss.add(weights[k] * losses[k % kTogether]);
      own_total.add(weights[k]);
      own_missing.add(weights[k] * static_cast<double>(std::count(s, s + L, kMissing)));
    }
    loss.add(own_loss.value());
    total.add(own_total.value());
    missing.add(own_missing.value());
  }
  return loss.value() / (static_cast<double>(L) * total.value() - missing.value());
}

namespace {

// The sequences of an alignment in the colours of a model that may lack the first one, the gap.
class ModelColors {
 public:
  ModelColors(Context &context, const Model &model, const Alignment &data) : sequences_(data.sequences.data()) {
    if (data.colors() == model.colors()) return;
    memory_.emplace(context.allocator, Scratch::piece<uint8_t>(data.sequences.size()));
    const Span<uint8_t> residues = memory_->arena().take<uint8_t>(data.sequences.size());
    for (int64_t k = 0; k < residues.size(); ++k)
      residues[k] = data.sequences[k] == 0 ? kMissing : static_cast<uint8_t>(data.sequences[k] - 1);
    sequences_ = residues.data();
  }
  const uint8_t *sequences() const { return sequences_; }

 private:
  std::optional<Scratch> memory_;
  const uint8_t *sequences_;
};

}  // namespace

double mean_loss(Context &context, const Model &model, const Alignment &data) {
  const ModelColors own(context, model, data);
  return mean_loss(model, own.sequences(), data.weights.data(), data.count());
}

Estimate mean_log_p(Context &context, const Model &model, const Alignment &data, const Estimate &log_z) {
  const int64_t N = data.count(), L = model.sites();
  const ModelColors own(context, model, data);
  const Scratch memory(context.allocator, Scratch::piece<double>(N));
  const Span<double> values = memory.arena().take<double>(N);
  const double beta = model.shape.ordered ? 1 : model.beta;
  energies(model, own.sequences(), N, values.data());
  for (int64_t n = 0; n < N; ++n) {
    const uint8_t *s = own.sequences() + n * L;
    values[n] = std::find(s, s + L, kMissing) == s + L ? -beta * values[n] - log_z.value : std::nan("");
  }
  CompensatedSum sum, total, squares, scatter;
  int64_t whole = 0, above = 0;
  for (int64_t n = 0; n < N; ++n) {
    if (std::isnan(values[n])) continue;
    ++whole;
    above += values[n] > 4 * log_z.error ? 1 : 0;
    sum.add(data.weights[n] * values[n]);
    total.add(data.weights[n]);
    squares.add(data.weights[n] * data.weights[n]);
  }
  if (!(total.value() > 0)) return {std::nan(""), std::nan("")};
  if (above > 0)
    context.message(ATP_LOG_WARNING,
                    "log P of %lld of %lld sequences is above 0: log Z is too small, states of the model were not found (try the method "
                    "ladder)",
                    llong{above}, llong{whole});
  if (whole < N)
    context.message(ATP_LOG_INFO, "log P: %lld of %lld sequences have missing sites and are left out", llong{N - whole}, llong{N});
  const double mean = sum.value() / total.value();
  for (int64_t n = 0; n < N; ++n)
    if (!std::isnan(values[n])) scatter.add(data.weights[n] * (values[n] - mean) * (values[n] - mean));
  const double w = total.value(), error = std::sqrt(scatter.value() / w * squares.value() / (w * w) + log_z.error * log_z.error);
  return {mean / static_cast<double>(L), error / static_cast<double>(L)};
}

}  // namespace atp
