// SPDX-License-Identifier: MIT
// The scalar kernels against those of every SIMD target of this machine, on shapes, options and data that the input chooses: chains,
// losses, gradients and neighbours have the same bits where the target has fused multiply-add, and agree to 1e-4 of their size where it
// has not. Chains of such a target are compared by nothing: one draw that differs changes all that follow.
#include "program_bytes.hpp"

#include "simd/identity.hpp"
#include "simd/projection.hpp"
#include "simd/targets.hpp"

#include <attopotts.h>

#include <cmath>
#include <vector>

using atp_fuzz::check;
using atp_fuzz::ProgramBytes;

namespace {

using Numbers = std::vector<double>;

// What the input chooses; the same for all targets.
struct Choice {
  explicit Choice(ProgramBytes &bytes)
      : what(bytes.below(6)),
        sites(2 + bytes.below(what < 2 ? 80 : 24)),
        colors(2 + bytes.below(bytes.below(8) == 0 ? 60 : 20)),
        rows(1 + bytes.below(40)),
        flags(bytes.byte()),
        kind(bytes.below(4)),
        rank(1 + bytes.below(3)) {
    data.resize(static_cast<std::size_t>(rows * sites));
    uint32_t state = 1 + bytes.byte();
    for (uint8_t &color : data) {
      state = state * 1664525u + 1013904223u;
      color = static_cast<uint8_t>((bytes.empty() ? state >> 16 : bytes.byte()) % static_cast<uint32_t>(colors));
    }
  }
  bool flag(int k) const { return (flags >> k & 1) != 0; }
  int what;
  int64_t sites, colors, rows;
  int flags, kind;
  int64_t rank;
  std::vector<uint8_t> data;
};

void ok(atp_status status) {
  if (status == ATP_OK) return;
  char text[300];
  atp_last_error(text, sizeof text);
  check(false, text);
}

// A context with a target, an alignment and options.
class Bench {
 public:
  Bench(const Choice &c, const char *target, int owner) {
    ok(atp_context_create(nullptr, nullptr, nullptr, &context));
    ok(atp_context_set_threads(context, 1));
    ok(atp_context_set_simd(context, target));
    ok(atp_options_create(context, owner, &options));
    Numbers weights(static_cast<std::size_t>(c.rows));
    for (std::size_t n = 0; n < weights.size(); ++n) weights[n] = 0.25 + 0.125 * static_cast<double>(n % 7);
    ok(atp_alignment_create(context, c.data.data(), c.rows, c.sites, c.colors, weights.data(), &alignment));
  }
  ~Bench() {
    atp_alignment_destroy(alignment);
    atp_options_destroy(options);
    atp_context_destroy(context);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;
  void set(atp_option key, int64_t value) { ok(atp_options_set_i64(options, key, value)); }

  atp_context *context = nullptr;
  atp_options *options = nullptr;
  atp_alignment *alignment = nullptr;
};

Numbers gradient(const Choice &c, const char *target) {
  Bench bench(c, target, ATP_OWNER_TRAINER);
  const bool dense = c.what == 2;
  bench.set(ATP_OPT_FAMILY, dense ? ATP_FAMILY_DENSE : ATP_FAMILY_FACTORED);
  if (dense) {
    bench.set(ATP_OPT_ASYMMETRIC, c.flag(0));
    bench.set(ATP_OPT_GAPS, c.flag(1) && c.colors > 2 ? ATP_GAPS_IGNORE : ATP_GAPS_STATE);
  } else {
    bench.set(ATP_OPT_HEADS, c.rank);
    bench.set(ATP_OPT_MAP, ATP_MAP_FREE + c.kind % 3);
    bench.set(ATP_OPT_RANK, 1 + c.kind);
    bench.set(ATP_OPT_FIELDS, c.flag(2));
  }
  atp_trainer *trainer = nullptr;
  ok(atp_trainer_create(bench.context, bench.alignment, bench.options, &trainer));
  const std::size_t n = static_cast<std::size_t>(atp_trainer_parameter_count(trainer));
  Numbers parameters(n), found(n + 2);
  const double scale = c.flag(3) ? 4 : 0.25;
  for (std::size_t k = 0; k < n; ++k) parameters[k] = scale * std::sin(1.0 + 0.7 * static_cast<double>(k));
  ok(atp_trainer_set_parameters(trainer, parameters.data(), static_cast<int64_t>(n)));
  ok(atp_trainer_gradient(trainer, &found[n], &found[n + 1], found.data(), static_cast<int64_t>(n)));
  atp_trainer_destroy(trainer);
  return found;
}

Numbers network(const Choice &c, const char *target) {
  Bench bench(c, target, ATP_OWNER_TRAINER);
  bench.set(ATP_OPT_FAMILY, c.flag(0) ? ATP_FAMILY_DIAL : ATP_FAMILY_ENCODER);
  bench.set(ATP_OPT_WIDTH, 1 + c.rank * 3);
  if (!c.flag(0)) bench.set(ATP_OPT_BLOCKS, 1 + c.kind % 2);
  if (c.flag(0)) ok(atp_options_set_f64(bench.options, ATP_OPT_DIAL, 0.25 * c.kind));
  atp_trainer *network = nullptr;
  const atp_status made = atp_trainer_create(bench.context, bench.alignment, bench.options, &network);
  if (made != ATP_OK) return {static_cast<double>(made)};
  const std::size_t n = static_cast<std::size_t>(atp_trainer_parameter_count(network));
  Numbers found(n + 1);
  ok(atp_trainer_gradient(network, &found[n], nullptr, found.data(), static_cast<int64_t>(n)));
  atp_trainer_destroy(network);
  return found;
}

Numbers chains(const Choice &c, const char *target) {
  Bench bench(c, target, ATP_OWNER_SAMPLER);
  atp_model *model = nullptr;
  ok(atp_model_create_random(bench.context, c.sites, c.colors, ATP_COUPLINGS_GAUSSIAN,
                             c.flag(0) ? ATP_COLOR_MATRIX_IDENTITY : ATP_COLOR_MATRIX_GAUSSIAN, 1 + c.kind, &model));
  atp_model *dense = nullptr;
  if (c.flag(1)) ok(atp_model_gauge(bench.context, model, ATP_GAUGE_ZERO_SUM, &dense));
  bench.set(ATP_OPT_CHAINS, 1 + c.rows % 20);
  if (c.flag(2)) bench.set(ATP_OPT_TEMPERATURES, 2 + c.kind);
  atp_sampler *sampler = nullptr;
  ok(atp_sampler_create(bench.context, dense != nullptr ? dense : model, bench.options, &sampler));
  ok(atp_sampler_start_random(sampler));
  ok(atp_sampler_sweep(sampler, 3, nullptr, nullptr, nullptr));
  std::vector<uint8_t> states(static_cast<std::size_t>(atp_sampler_chains(sampler) * c.sites));
  ok(atp_sampler_states(sampler, 0, states.data(), static_cast<int64_t>(states.size())));
  for (const uint8_t color : states) check(color < c.colors, "colours are below q");
  atp_sampler_destroy(sampler);
  atp_model_destroy(dense);
  atp_model_destroy(model);
  return Numbers(states.begin(), states.end());
}

Numbers neighbours(const Choice &c, const char *target) {
  Bench bench(c, target, ATP_OWNER_SAMPLER);
  ok(atp_alignment_weigh(bench.alignment, 0.05 * (c.flags % 20), c.flag(7) ? ATP_WEIGHTS_RESIDUES : ATP_WEIGHTS_INCLUSIVE, nullptr, nullptr,
                         nullptr));
  const double *weights = atp_alignment_weights_view(bench.alignment);
  return Numbers(weights, weights + c.rows);
}

Numbers projections(const Choice &c, const char *target) {
  const atp::ProjectionKernels &kernels = atp::projection_kernels(atp::target_from_name(target));
  const int64_t stride = (c.sites + atp::kProjectionLanes - 1) / atp::kProjectionLanes * atp::kProjectionLanes;
  std::vector<float> x(static_cast<std::size_t>(c.rows * stride + 1)), q(static_cast<std::size_t>(c.rank * stride + 1)), g(q.size()),
      chi(static_cast<std::size_t>(c.rows * c.rank + 1));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(c.data[k % c.data.size()]) - 1.3f;
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = 0.3f * static_cast<float>(k % 11) - 1;
  kernels.project(c.rows, stride, c.rank, x.data() + 1, q.data() + 1, chi.data() + 1);
  kernels.accumulate(c.rows, stride, c.rank, x.data() + 1, chi.data() + 1, g.data() + 1);
  Numbers found(chi.begin(), chi.end());
  found.insert(found.end(), g.begin(), g.end());
  return found;
}

using Compute = Numbers (*)(const Choice &, const char *);
constexpr Compute kComputes[] = {chains, neighbours, gradient, gradient, network, projections};

void compare(const Numbers &found, const Numbers &reference, bool same_bits) {
  check(found.size() == reference.size(), "as many numbers");
  double distance = 0, norm = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const bool both_nan = std::isnan(found[k]) && std::isnan(reference[k]);
    if (same_bits) check(found[k] == reference[k] || both_nan, "the scalar kernel's bits");
    if (both_nan) continue;
    distance = std::hypot(distance, found[k] - reference[k]);
    norm = std::hypot(norm, reference[k]);
  }
  check(distance <= 1e-4 * norm || distance < 1e-4, "close to the scalar kernel");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ProgramBytes bytes(data, size);
  const Choice choice(bytes);
  const Numbers reference = kComputes[choice.what](choice, "scalar");
  atp_fuzz::accepted = true;
  for (int64_t k = 0; atp_simd_target(k) != nullptr; ++k) {
    const std::string target = atp_simd_target(k);
    if (target == "scalar") continue;
    const bool same_bits = target != "sse4";
    const Numbers found = kComputes[choice.what](choice, target.c_str());
    if (same_bits || choice.what != 0) compare(found, reference, same_bits);
  }
  return 0;
}
