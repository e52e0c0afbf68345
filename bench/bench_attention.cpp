// SPDX-License-Identifier: MIT
// Google Benchmark of factored attention: gradients of several shapes, and each kernel alone on one batch. ATP_SIMD chooses the target.
#include "learn/factored/attention.hpp"
#include "base/philox.hpp"
#include "simd/targets.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace atp;

namespace {

void *allocate(size_t bytes, size_t alignment, void *) {
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void release(void *memory, size_t, void *) { std::free(memory); }

struct Block : FactoredAttention {
  using FactoredAttention::FactoredAttention;
  std::size_t block_bytes = 0;
};

// Arguments: sites, colours, heads, sequences, one masked site per sequence (1) or all (0).
void gradient(benchmark::State &state) {
  AttentionShape shape;
  shape.sites = state.range(0);
  shape.colors = state.range(1);
  shape.heads = state.range(2);
  const int64_t count = state.range(3);
  Context context(&allocate, &release, nullptr);
  context.target = initial_target();
  Block *objective = create_in_block<Block>(context.allocator, &context, shape, Penalties{}, 32);
  const RandomView random(1, Stream::start, 0, 0);
  std::vector<uint8_t> sequences(static_cast<std::size_t>(count * shape.sites));
  for (std::size_t k = 0; k < sequences.size(); ++k)
    sequences[k] = static_cast<uint8_t>(random.below(k, static_cast<uint32_t>(shape.colors)));
  std::vector<int64_t> masked(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < masked.size(); ++n) masked[n] = random.below(n, static_cast<uint32_t>(shape.sites));
  std::vector<double> weights(static_cast<std::size_t>(count), 1.0), parameters(static_cast<std::size_t>(shape.parameters())),
      to(parameters.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) parameters[k] = 0.1 * random.normal(k);
  MaskedData data;
  data.sequences = sequences.data();
  data.sites = shape.sites;
  data.weights = weights.data();
  data.count = count;
  data.masked = state.range(4) != 0 ? masked.data() : nullptr;
  for (auto _ : state)
    benchmark::DoNotOptimize(objective->evaluate({parameters.data(), shape.parameters()}, data, {to.data(), shape.parameters()}, nullptr));
  state.SetItemsProcessed(state.iterations() * count);
  state.SetLabel(target_name(context.target));
  destroy_block(context.allocator, objective);
}
BENCHMARK(gradient)
    ->ArgNames({"sites", "colors", "heads", "sequences", "masked"})
    ->Args({20, 20, 1, 3000, 0})
    ->Args({20, 20, 1, 100, 0})
    ->Args({20, 20, 1, 100, 1})
    ->Args({53, 3, 1, 2000, 0})
    ->Args({100, 21, 1, 1000, 0})
    ->Args({256, 21, 1, 1000, 0})
    ->Args({256, 21, 8, 200, 0})
    ->Args({256, 21, 1, 100, 1});

// One batch of S sequences times a block of sites: arguments sites, width of the block, colours, S.
struct Batch {
  explicit Batch(const benchmark::State &state)
      : sites(state.range(0)), width(state.range(1)), colors(state.range(2)), sequences(state.range(3)), columns(sequences * width) {
    const std::size_t floats = static_cast<std::size_t>(2 * sites * width + 2 * colors * columns + columns + 17 * colors * colors);
    memory.reset(static_cast<float *>(allocate(floats * sizeof(float), 64, nullptr)));
    std::fill_n(memory.get(), floats, 0.01f);
    panel = memory.get();
    panel_sums = panel + sites * width;
    acc = panel_sums + sites * width;
    slopes = acc + colors * columns;
    weights = slopes + colors * columns;
    outer = weights + columns;
    values = outer + 16 * colors * colors;
    const RandomView random(1, Stream::start, 0, 0);
    for (int64_t n = 0; n < sequences; ++n)
      for (int64_t j = 0; j < sites; ++j)
        offsets.push_back(static_cast<uint16_t>(
            (random.below(static_cast<uint64_t>(n * sites + j), static_cast<uint32_t>(colors)) * columns + n * width) / 2));
    for (int64_t place = 0; place < colors * sequences; ++place) lists.push_back({0, static_cast<uint32_t>(place)});
    const auto has_color = [&](const ColorSites &list, int64_t j) {
      return 2 * offsets[static_cast<std::size_t>(list.place % sequences * sites + j)] ==
             list.place / sequences * columns + list.place % sequences * width;
    };
    for (ColorSites &list : lists)
      for (int64_t j = 0; j < sites; ++j) list.count += has_color(list, j) ? 1 : 0;
    std::sort(lists.begin(), lists.end(), [](const ColorSites &x, const ColorSites &y) { return x.count < y.count; });
    for (const ColorSites &list : lists)
      for (int64_t j = 0; j < sites; ++j)
        if (has_color(list, j)) listed.push_back(static_cast<uint16_t>(j));
    for (int64_t x = 0; x < columns; ++x)
      own.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(x), static_cast<uint32_t>(colors)) * columns + x));
  }
  struct Free {
    void operator()(float *p) const { std::free(p); }
  };
  int64_t sites, width, colors, sequences, columns;
  std::unique_ptr<float, Free> memory;
  float *panel, *panel_sums, *acc, *slopes, *weights, *outer, *values;
  std::vector<uint16_t> offsets, listed;
  std::vector<ColorSites> lists;
  std::vector<int32_t> own;
  double loss[16] = {};
};

template <class Kernel>
void batch(benchmark::State &state, Kernel kernel) {
  const AttentionKernels &kernels = attention_kernels(initial_target());
  Batch b(state);
  for (auto _ : state) {
    kernel(kernels, b);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * b.columns);  // pairs of a sequence and a site
}

#define ATP_BATCH(name, call)                                        \
  void name(benchmark::State &state) {                               \
    batch(state, [](const AttentionKernels &k, Batch &b) { call; }); \
  }                                                                  \
  BENCHMARK(name)->ArgNames({"sites", "width", "colors", "sequences"})->Args({20, 20, 20, 8})->Args({256, 16, 21, 16})

ATP_BATCH(scatter, k.scatter(b.panel, b.sites, b.width, b.sequences, b.offsets.data(), b.acc));
ATP_BATCH(collect, k.collect(b.panel, b.width, b.sequences *b.colors, b.lists.data(), b.listed.data(), b.acc));
ATP_BATCH(product, k.product(b.colors - 1, b.colors, b.values, b.columns, b.acc, nullptr, b.slopes));
ATP_BATCH(softmax, k.softmax(b.colors, b.columns, b.own.data(), b.weights, b.slopes, b.loss));
ATP_BATCH(outer, k.outer(b.colors - 1, b.colors, b.columns, b.slopes, b.acc, b.outer));
ATP_BATCH(gather, k.gather(b.acc, b.offsets.data(), b.sequences, b.sites, b.width, b.panel_sums));

}  // namespace

BENCHMARK_MAIN();
