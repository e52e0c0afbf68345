// SPDX-License-Identifier: MIT
// Runs one kernel of one SIMD target a number of times, for scripts/kernel_instructions.py, which counts instructions: by the difference of
// two numbers of repetitions the set-up does not count.
// usage: instructions KERNEL TARGET REPETITIONS     without arguments: names of kernels with the units of work of a repetition
#include "simd/attention.hpp"
#include "simd/dense.hpp"
#include "simd/gibbs.hpp"
#include "simd/identity.hpp"
#include "simd/targets.hpp"
#include "simd/vectors.hpp"

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

void gibbs(Target target, int64_t repetitions, GibbsMethod method, int64_t sites) {
  GibbsTables tables;
  GibbsShape &s = tables.shape;
  s = {method, sites, kColors, 1, method == GibbsMethod::dense && dense_by_lookup(target, kColors)};
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

// Sequences that agree, so that every column is compared.
void weights(Target target, int64_t n) {
  const uint8_t *packed = aligned<uint8_t>(2 * 32 * kIdentityPiece);
  int32_t *neighbours = aligned<int32_t>(32);
  for (int64_t k = 0; k < n; ++k) identity_kernels(target).count(packed, 32, 2, 0, 32, 0, 32, 25, neighbours);
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

const struct {
  const char *name;
  void (*run)(Target target, int64_t repetitions);
  int64_t units;
  const char *unit;
} kernels[] = {
    {"gibbs-cached", gibbs_cached, 32 * 16, "site updates, 32 sites"},
    {"gibbs-blocked", gibbs_blocked, 128 * 16, "site updates, 128 sites"},
    {"gibbs-dense", gibbs_dense, 32 * 16, "site updates, 32 sites"},
    {"weights", weights, 496 * 128, "compared columns"},
    {"factored-product", attention_product, kColors *kColors *kBatch, "multiply-adds"},
    {"factored-outer", attention_outer, kColors *kColors *kBatch, "multiply-adds"},
    {"factored-softmax", attention_softmax, kColors *kBatch, "probabilities"},
    {"factored-collect", attention_collect, 16 * 64 * 16, "additions"},
    {"dense-forward", dense_forward, kBatch *kDenseTile * 24, "additions"},
    {"dense-backward", dense_backward, kBatch * 24, "additions"},
    {"dense-softmax", dense_softmax, kBatch *kColors, "probabilities"},
    {"dot", dot, 4096, "multiply-adds"},
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
