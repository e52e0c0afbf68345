// SPDX-License-Identifier: MIT
// Runs one kernel of one SIMD target a number of times. tools/platforms/kernel_instructions.py counts its instructions: the difference
// of two numbers of repetitions leaves the set-up out.
// usage: instructions KERNEL TARGET REPETITIONS     without arguments: names of kernels with the units of work of a repetition
#include "simd/attention.hpp"
#include "simd/columns.hpp"
#include "simd/dense.hpp"
#include "simd/encoder.hpp"
#include "simd/gibbs.hpp"
#include "simd/identity.hpp"
#include "simd/pair_counts.hpp"
#include "simd/projection.hpp"
#include "simd/targets.hpp"
#include "simd/two_tokens.hpp"
#include "simd/vectors.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace atp;

namespace {

// Zeroed memory that starts at a multiple of 64 bytes, kept to the end.
template <class T>
T *aligned(int64_t n) {
  const std::size_t bytes = static_cast<std::size_t>(round_up(n * static_cast<int64_t>(sizeof(T)) + 64, 64));
  void *memory = std::aligned_alloc(64, bytes);
  if (memory == nullptr) std::abort();
  std::memset(memory, 0, bytes);
  return static_cast<T *>(memory);
}

uint32_t word() {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint32_t>(state >> 33);
}

float *reals(int64_t n) {
  float *x = aligned<float>(n);
  for (int64_t k = 0; k < n; ++k) x[k] = static_cast<float>(word() % 2001) * 1e-3f - 1.0f;
  return x;
}

template <class T>
T *below(int64_t n, uint32_t end) {
  T *x = aligned<T>(n);
  for (int64_t k = 0; k < n; ++k) x[k] = static_cast<T>(word() % end);
  return x;
}

constexpr int64_t kColors = 21;

// A ring with second bonds: of each site four neighbours, ascending.
void put_neighbors(GibbsTables &tables) {
  const int64_t L = tables.shape.sites;
  int64_t *begins = aligned<int64_t>(L + 1);
  int32_t *neighbors = aligned<int32_t>(4 * L);
  for (int64_t i = 0; i < L; ++i) {
    begins[i + 1] = 4 * (i + 1);
    const int64_t steps[] = {1, 4, L - 4, L - 1};
    for (int64_t k = 0; k < 4; ++k) neighbors[4 * i + k] = static_cast<int32_t>((i + steps[k]) % L);
    std::sort(neighbors + 4 * i, neighbors + 4 * i + 4);
  }
  tables.begins = begins;
  tables.neighbors = neighbors;
}

void gibbs(Target target, int64_t repetitions, GibbsMethod method, int64_t sites) {
  GibbsTables tables;
  GibbsShape &s = tables.shape;
  s = {method, sites, kColors, 1, method == GibbsMethod::dense && dense_by_lookup(target, kColors), 2 * sites};
  if (s.of_list()) put_neighbors(tables);
  tables.fields = reals(s.field_floats());
  tables.maps = reals(s.map_floats());
  tables.values = reals(s.value_floats());
  tables.columns = reals(s.column_floats());
  tables.couplings = reals(s.coupling_floats());
  float *betas = reals(kGibbsLanes);
  for (int64_t k = 0; k < kGibbsLanes; ++k) betas[k] = 1;
  const GibbsChains chains{below<uint8_t>(sites * kGibbsLanes, kColors), betas, nullptr, 1, 0};
  gibbs_kernels(target).of(method)(tables, chains, {1, 0, repetitions}, aligned<float>(s.work_floats(1)));
}
void gibbs_cached(Target target, int64_t n) { gibbs(target, n, GibbsMethod::cached, 32); }
void gibbs_blocked(Target target, int64_t n) { gibbs(target, n, GibbsMethod::blocked, 128); }
void gibbs_dense(Target target, int64_t n) { gibbs(target, n, GibbsMethod::dense, 32); }
void gibbs_listed(Target target, int64_t n) { gibbs(target, n, GibbsMethod::listed, 32); }
void gibbs_scaled(Target target, int64_t n) { gibbs(target, n, GibbsMethod::scaled, 32); }

// Sequences that agree, so that every column is compared.
void weights(Target target, int64_t n) {
  const uint8_t *packed = aligned<uint8_t>(2 * 32 * kIdentityPiece);
  int32_t *neighbours = aligned<int32_t>(32);
  const IdentityBlock block{packed, 32, 2, 0, 32, 0, 32};
  const int32_t allowed = 25;
  const IdentityLimits limits = {&allowed, nullptr, 1, 0};
  for (int64_t k = 0; k < n; ++k) identity_kernels(target).count(block, limits, neighbours);
}

void weights_residues(Target target, int64_t n) {
  const IdentityBlock block{below<uint8_t>(2 * 32 * kIdentityPiece, kColors), 32, 2, 0, 32, 0, 32};
  int32_t *allowed = aligned<int32_t>(2 * kIdentityPiece + 1), *residues = aligned<int32_t>(32), *neighbours = aligned<int32_t>(32);
  for (int64_t c = 0; c <= 2 * kIdentityPiece; ++c) allowed[c] = static_cast<int32_t>(c);
  for (int64_t k = 0; k < 32; ++k) residues[k] = 120;
  const IdentityLimits limits = {allowed, nullptr, 1, 2 * kIdentityPiece};
  for (int64_t k = 0; k < n; ++k) identity_kernels(target).count_residues(block, limits, residues, neighbours);
}

// 1024 sequences of 64 sites: all pairs with the first.
constexpr int64_t kCounted = 1024, kCountedSites = 64;

void pair_counts(Target target, int64_t n) {
  PairCounter counter({kCounted, kCountedSites, static_cast<int>(kColors)}, 1);
  const std::size_t bytes = bytes_laid_out(counter);
  Arena arena(aligned<char>(static_cast<int64_t>(bytes)), bytes);
  counter.lay_out(arena);
  counter.set_sequences(0, kCounted, below<uint8_t>(kCounted * kCountedSites, kColors));
  uint32_t *counts = aligned<uint32_t>(counter.count_size(0));
  for (int64_t k = 0; k < n; ++k) counter.count_site(target, 0, 0, counts);
}

constexpr int64_t kBatch = 256;  // columns of a batch

void attention_product(Target target, int64_t n) {
  const float *in = reals(kColors * kBatch), *factors = reals(kColors * kColors);
  float *out = reals(kColors * kBatch);
  for (int64_t k = 0; k < n; ++k) attention_kernels(target).product(kColors, kColors, factors, kBatch, in, nullptr, out);
}

void attention_outer(Target target, int64_t n) {
  const float *x = reals(kColors * kBatch), *y = reals(kColors * kBatch);
  float *sums = reals(kColors * kColors * kAttentionLanes);
  for (int64_t k = 0; k < n; ++k) attention_kernels(target).outer(kColors, kColors, kBatch, x, y, sums);
}

void attention_softmax(Target target, int64_t n) {
  float *logits = reals(kColors * kBatch), *weight = reals(kBatch);
  int32_t *own = aligned<int32_t>(kBatch);
  double loss[kAttentionLanes] = {};
  for (int64_t x = 0; x < kBatch; ++x) own[x] = static_cast<int32_t>(word() % kColors * kBatch + static_cast<uint32_t>(x));
  for (int64_t k = 0; k < n; ++k) {
    std::memset(logits + (kColors - 1) * kBatch, 0, kBatch * sizeof *logits);
    attention_kernels(target).softmax(kColors, kBatch, own, weight, logits, loss);
  }
}

// 16 sequences of 64 sites, four of each of 16 colours.
void attention_collect(Target target, int64_t n) {
  const float *panel = reals(64 * 16);
  ColorSites *lists = aligned<ColorSites>(256);
  for (uint32_t k = 0; k < 256; ++k) lists[k] = {4, k};
  const uint16_t *sites = below<uint16_t>(16 * 64, 64);
  float *acc = reals(256 * 16);
  for (int64_t k = 0; k < n; ++k) attention_kernels(target).collect(panel, 16, 256, lists, sites, acc);
}

// 16 sequences of 64 sites.
constexpr int64_t kSequences = 16, kSites = 64;

void attention_offsets(Target target, int64_t n) {
  const uint8_t *colors = below<uint8_t>(kSequences * kSites, kColors);
  uint16_t *offsets = aligned<uint16_t>(kSequences * kSites);
  for (int64_t k = 0; k < n; ++k) attention_kernels(target).offsets(colors, kSequences * kSites, 128, 8, offsets);
}

struct Scattered {
  uint16_t *offsets = below<uint16_t>(kSequences * kSites, kColors);
  float *panel = reals(kSites * 16), *acc = reals(kColors * 16 * kSequences);
  Scattered() {
    for (int64_t k = 0; k < kSequences * kSites; ++k) offsets[k] = static_cast<uint16_t>((offsets[k] * kSequences + k / kSites) * 8);
  }
};

void attention_scatter(Target target, int64_t n) {
  const Scattered a;
  for (int64_t k = 0; k < n; ++k) attention_kernels(target).scatter(a.panel, kSites, 16, kSequences, a.offsets, a.acc);
}

void attention_gather(Target target, int64_t n) {
  const Scattered a;
  for (int64_t k = 0; k < n; ++k) attention_kernels(target).gather(a.acc, a.offsets, kSequences, kSites, 16, a.panel);
}

void attention_add(Target target, int64_t n) {
  const float *x = reals(4096);
  float *sums = reals(4096);
  for (int64_t k = 0; k < n; ++k) attention_kernels(target).add(4096, x, sums);
}

struct DenseArrays {
  const int64_t rows = kDenseTile * kColors;
  float *panel = reals(rows * 24), *acc = reals(kBatch * 24);
  uint16_t *members = aligned<uint16_t>(kBatch), *codes = aligned<uint16_t>(kBatch * kDenseTile);
  DenseArrays() {
    for (int64_t n = 0; n < kBatch; ++n) {
      members[n] = static_cast<uint16_t>(8 * n);
      for (int64_t j = 0; j < kDenseTile; ++j)
        codes[n * kDenseTile + j] = static_cast<uint16_t>(8 * (j * kColors + static_cast<int64_t>(word() % kColors)));
    }
  }
  DenseParts<const float> panel_parts() const { return {panel, panel + rows * 16, 16, 8}; }
  DenseParts<float> acc_parts() const { return {acc, acc + kBatch * 16, 16, 8}; }
  DenseParts<const float> rows_parts() const { return {acc, acc + kBatch * 16, 16, 8}; }
};

void dense_forward(Target target, int64_t n) {
  const DenseArrays a;
  for (int64_t k = 0; k < n; ++k) dense_kernels(target).forward(kBatch, a.members, a.codes, a.panel_parts(), a.acc_parts());
}

void dense_forward_columns(Target target, int64_t n) {
  const DenseArrays a;
  const uint16_t *codes[kDenseTile];
  for (const uint16_t *&site : codes) {
    uint16_t *names = below<uint16_t>(kBatch, kColors);
    for (int64_t m = 0; m < kBatch; ++m) names[m] = static_cast<uint16_t>(8 * names[m]);
    site = names;
  }
  for (int64_t k = 0; k < n; ++k)
    dense_kernels(target).forward_columns(kBatch, a.members, {kDenseTile, kColors, codes}, a.panel_parts(), a.acc_parts());
}

void dense_backward(Target target, int64_t n) {
  const DenseArrays a;
  uint16_t ends[kColors];
  for (int64_t b = 0; b < kColors; ++b) ends[b] = static_cast<uint16_t>((b + 1) * kBatch / kColors);
  const DenseParts<float> out{a.panel, a.panel + kColors * 16, 16, 8};
  for (int64_t k = 0; k < n; ++k) dense_kernels(target).backward(kColors, ends, a.members, a.rows_parts(), out);
}

void dense_softmax(Target target, int64_t n) {
  float *logits = reals(kBatch * 24), *weight = reals(kBatch), *losses = reals(kBatch);
  const uint8_t *own = below<uint8_t>(kBatch, kColors);
  for (int64_t k = 0; k < n; ++k) dense_kernels(target).softmax(kColors, kBatch, kBatch, own, weight, logits, losses);
}

void dot(Target target, int64_t n) {
  const float *x = reals(4096), *y = reals(4096);
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += vector_kernels(target).dot(4096, x, y);
  if (sum == 1) std::puts("");
}

void add_scaled(Target target, int64_t n) {
  const float *x = reals(4096);
  float *y = reals(4096);
  for (int64_t k = 0; k < n; ++k) vector_kernels(target).add_scaled(4096, 1e-3f, x, y);
}

// An encoder of width 64 with 16 sites, for 16 sequences, and products of 16 sites within a sequence.
constexpr int64_t kWidth = 64, kHead = 16;

void encoder_weights(Target target, int64_t n) {
  const LaneMatrix in{reals(kWidth * kBatch), kWidth * 16, 16};
  const EncoderProduct p{
      kWidth, kWidth, reals(kWidth * kWidth), reals(kWidth), in, {}, {reals(kWidth * kBatch), kWidth * 16, 16}, ProductEnd::plain, {}};
  for (int64_t k = 0; k < n; ++k) encoder_kernels(target).product(16, p);
}

void encoder_product(Target target, int64_t n) {
  const LaneMatrix x{reals(kHead * kBatch), 16, kBatch};
  float *out = reals(16 * kBatch);
  for (int64_t k = 0; k < n; ++k) encoder_kernels(target).lane_product({16, 16, kHead, x, x, out, kBatch, false});
}

void encoder_norm(Target target, int64_t n) {
  const float *scale_shift = reals(2 * kWidth);
  const LaneOutput x{reals(kWidth * kBatch), kWidth * 16, 16}, y{reals(kWidth * kBatch), kWidth * 16, 16};
  float *deviation = reals(kBatch);
  for (int64_t k = 0; k < n; ++k) encoder_kernels(target).norm(16, kWidth, 1e-5f, scale_shift, x, deviation, y);
}

void encoder_norm_back(Target target, int64_t n) {
  const float *scale_shift = reals(2 * kWidth), *deviation = reals(kBatch);
  const LaneOutput hat{reals(kWidth * kBatch), kWidth * 16, 16}, slopes{reals(kWidth * kBatch), kWidth * 16, 16};
  float *sums = reals(2 * kWidth * 16);
  for (int64_t k = 0; k < n; ++k) encoder_kernels(target).norm_back(16, kWidth, scale_shift, hat, deviation, slopes, sums);
}

void encoder_add_sites(Target target, int64_t n) {
  const LaneMatrix y{reals(kWidth * kBatch), kWidth * 16, 16};
  float *sums = reals(kWidth * 16);
  for (int64_t k = 0; k < n; ++k) encoder_kernels(target).add_sites(16, kWidth, y, sums);
}

void encoder_embed(Target target, int64_t n) {
  const float *table = reals(kWidth * 32), *positions = reals(kWidth * 16);
  const int32_t *tokens = below<int32_t>(kBatch, kColors);
  const LaneOutput out{reals(kWidth * kBatch), kWidth * 16, 16};
  for (int64_t k = 0; k < n; ++k) encoder_kernels(target).embed(16, kWidth, table, 32, tokens, positions, out);
}

void encoder_reduce(Target target, int64_t n) {
  float *sums = reals(kBatch * 16);
  double *totals = aligned<double>(kBatch);
  for (int64_t k = 0; k < n; ++k) encoder_kernels(target).reduce(kBatch, sums, totals);
}

void columns_softmax(Target target, int64_t n) {
  float *x = reals(16 * kBatch);
  for (int64_t k = 0; k < n; ++k) column_kernels(target).softmax(16, kBatch, x);
}

void columns_softmax_back(Target target, int64_t n) {
  const float *p = reals(16 * kBatch);
  float *d = reals(16 * kBatch);
  for (int64_t k = 0; k < n; ++k) column_kernels(target).softmax_back(16, kBatch, p, d);
}

constexpr int64_t kRows = 64, kStride = 512;

void project(Target target, int64_t n) {
  const float *x = reals(kRows * kStride), *q = reals(kStride);
  float *chi = reals(kRows);
  for (int64_t k = 0; k < n; ++k) projection_kernels(target).project(kRows, kStride, 1, x, q, chi);
}

void accumulate(Target target, int64_t n) {
  const float *x = reals(kRows * kStride), *c = reals(kRows);
  float *g = reals(kStride);
  for (int64_t k = 0; k < n; ++k) projection_kernels(target).accumulate(kRows, kStride, 1, x, c, g);
}

constexpr int64_t kProblems = 256;

double *doubles(int64_t n) {
  double *x = aligned<double>(n);
  for (int64_t k = 0; k < n; ++k) x[k] = static_cast<double>(word() % 2001) * 1e-3 - 1;
  return x;
}

struct TwoTokens {
  double *starts = doubles(2 * kProblems), *w = doubles(2 * kProblems), *t = doubles(2 * kProblems);
  double *x = aligned<double>(2 * kProblems), *value = aligned<double>(kProblems);
  TwoTokens() {
    for (int64_t k = 0; k < 2 * kProblems; ++k) t[k] = 0.5 * (1 + t[k]);
  }
  // From the same starts again.
  TwoTokenBatch batch() const {
    std::memcpy(x, starts, 2 * kProblems * sizeof *x);
    return {1.0, 1.0, kProblems, w, w + kProblems, t, t + kProblems, x, x + kProblems, value};
  }
};

void two_tokens_descend(Target target, int64_t n) {
  const TwoTokens problems;
  for (int64_t k = 0; k < n; ++k) two_token_kernels(target).descend(problems.batch());
}

void two_tokens_mismatch(Target target, int64_t n) {
  const TwoTokens problems;
  const TwoTokenBatch batch = problems.batch();
  for (int64_t k = 0; k < n; ++k) two_token_kernels(target).mismatch(batch);
}

const struct {
  const char *name;
  void (*run)(Target target, int64_t repetitions);
  int64_t units;
  const char *unit;
} kernels[] = {
    {"gibbs-cached", gibbs_cached, 32 * 16, "site updates, 32 sites"},
    {"gibbs-blocked", gibbs_blocked, 128 * 16, "site updates, 128 sites"},
    {"gibbs-dense", gibbs_dense, 32 * 16, "site updates, 32 sites"},
    {"gibbs-listed", gibbs_listed, 32 * 16, "site updates, 4 neighbours"},
    {"gibbs-scaled", gibbs_scaled, 32 * 16, "site updates, 4 neighbours"},
    {"weights", weights, 496 * 128, "compared columns"},
    {"weights-residues", weights_residues, 496 * 128, "compared columns"},
    {"pair-counts", pair_counts, kCounted *(kCountedSites - 1), "pairs"},
    {"factored-product", attention_product, kColors *kColors *kBatch, "multiply-adds"},
    {"factored-outer", attention_outer, kColors *kColors *kBatch, "multiply-adds"},
    {"factored-softmax", attention_softmax, kColors *kBatch, "probabilities"},
    {"factored-collect", attention_collect, kSequences *kSites * 16, "additions"},
    {"factored-offsets", attention_offsets, kSequences *kSites, "offsets"},
    {"factored-scatter", attention_scatter, kSequences *kSites * 16, "additions"},
    {"factored-gather", attention_gather, kSequences *kSites * 16, "additions"},
    {"factored-add", attention_add, 4096, "additions"},
    {"dense-forward", dense_forward, kBatch *kDenseTile * 24, "additions"},
    {"dense-forward-columns", dense_forward_columns, kBatch *kDenseTile * 24, "additions"},
    {"dense-backward", dense_backward, kBatch * 24, "additions"},
    {"dense-softmax", dense_softmax, kBatch *kColors, "probabilities"},
    {"dot", dot, 4096, "multiply-adds"},
    {"add-scaled", add_scaled, 4096, "multiply-adds"},
    {"encoder-weights", encoder_weights, kWidth *kWidth *kBatch, "multiply-adds"},
    {"encoder-product", encoder_product, 16 * 16 * kHead * 16, "multiply-adds"},
    {"encoder-norm", encoder_norm, kWidth *kBatch, "numbers"},
    {"encoder-norm-back", encoder_norm_back, kWidth *kBatch, "numbers"},
    {"encoder-add-sites", encoder_add_sites, kWidth *kBatch, "additions"},
    {"encoder-embed", encoder_embed, kWidth *kBatch, "numbers"},
    {"encoder-reduce", encoder_reduce, kBatch * 16, "numbers"},
    {"columns-softmax", columns_softmax, 16 * kBatch, "probabilities"},
    {"columns-softmax-back", columns_softmax_back, 16 * kBatch, "probabilities"},
    {"projection", project, kRows *kStride, "multiply-adds"},
    {"projection-back", accumulate, kRows *kStride, "multiply-adds"},
    {"two-tokens", two_tokens_descend, kProblems, "minimisations"},
    {"two-tokens-mismatch", two_tokens_mismatch, kProblems, "problems"},
};

}  // namespace

int main(int count, char **words) {
  for (const auto &k : kernels) {
    if (count < 4) {
      std::printf("%s,%lld,%s\n", k.name, static_cast<long long>(k.units), k.unit);
    } else if (std::strcmp(words[1], k.name) == 0) {
      k.run(target_from_name(words[2]), std::atoll(words[3]));
      return 0;
    }
  }
  return count < 4 ? 0 : 2;
}
