// SPDX-License-Identifier: MIT
// Saved states of samplers, trainers and transformers. The first byte chooses: the other bytes are the state itself; or they replace the payload of a
// good state, whose checksum is made right again, so that what comes after the checksum is reached. A state that is accepted must be one to
// go on from.
#include "fuzz.hpp"

#include "base/checksum.hpp"
#include "base/state.hpp"

#include <attopotts.h>

#include <cstring>
#include <vector>

namespace {

constexpr int64_t kSites = 6, kColors = 3, kCount = 8;

void ok(atp_status status) { atp_fuzz::check(status == ATP_OK, "calls with good arguments succeed"); }

void expect_status(atp_status status) {
  atp_fuzz::check(status == ATP_OK || status == ATP_E_FORMAT || status == ATP_E_CHECKSUM || status == ATP_E_MISMATCH,
                  "the status is one of loading");
}

struct Fixture {
  Fixture() {
    uint8_t sequences[kCount * kSites];
    for (int k = 0; k < kCount * kSites; ++k) sequences[k] = static_cast<uint8_t>(k * k / 2 % kColors);
    ok(atp_context_create(nullptr, nullptr, nullptr, &context));
    ok(atp_context_set_threads(context, 1));
    ok(atp_options_create(context, &options));
    ok(atp_options_set_i64(options, ATP_OPT_CHAINS, 2));
    ok(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 2));
    ok(atp_options_set_i64(options, ATP_OPT_EPOCHS, 3));
    ok(atp_model_create_random(context, kSites, kColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
    ok(atp_sampler_create(context, model, options, &sampler));
    ok(atp_sampler_start_random(sampler));
    ok(atp_alignment_create(context, sequences, kCount, kSites, kColors, nullptr, &alignment));
    ok(atp_trainer_create(context, alignment, options, &trainer));
    ok(atp_options_set_i64(options, ATP_OPT_WIDTH, 2));
    ok(atp_transformer_create(context, alignment, options, &transformer));
    transformer_state.resize(static_cast<std::size_t>(atp_transformer_state_bytes(transformer)));
    ok(atp_transformer_save_state(transformer, transformer_state.data(), static_cast<int64_t>(transformer_state.size())));
    sampler_state.resize(static_cast<std::size_t>(atp_sampler_state_bytes(sampler)));
    trainer_state.resize(static_cast<std::size_t>(atp_trainer_state_bytes(trainer)));
    ok(atp_sampler_save_state(sampler, sampler_state.data(), static_cast<int64_t>(sampler_state.size())));
    ok(atp_trainer_save_state(trainer, trainer_state.data(), static_cast<int64_t>(trainer_state.size())));
  }
  ~Fixture() {
    atp_transformer_destroy(transformer);
    atp_trainer_destroy(trainer);
    atp_alignment_destroy(alignment);
    atp_sampler_destroy(sampler);
    atp_model_destroy(model);
    atp_options_destroy(options);
    atp_context_destroy(context);
  }
  atp_context *context = nullptr;
  atp_options *options = nullptr;
  atp_model *model = nullptr;
  atp_sampler *sampler = nullptr;
  atp_alignment *alignment = nullptr;
  atp_trainer *trainer = nullptr;
  atp_transformer *transformer = nullptr;
  std::vector<uint8_t> sampler_state, trainer_state, transformer_state;
};

// The good state with the input in place of the first part of its payload and with a right checksum.
std::vector<uint8_t> graft(std::vector<uint8_t> state, const uint8_t *data, size_t size) {
  const std::size_t header = sizeof(atp::StateHeader), end = state.size() - 8;
  std::memcpy(state.data() + header, data, std::min(size, end - header));
  const uint64_t sum = atp::checksum(state.data(), end);
  std::memcpy(state.data() + end, &sum, 8);
  return state;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Fixture f;
  if (size < 1) return 0;
  const bool grafted = (data[0] & 1) != 0, of_trainer = (data[0] & 2) != 0, of_transformer = (data[0] & 4) != 0;
  std::vector<uint8_t> state(data + 1, data + size);
  if (grafted) state = graft(of_transformer ? f.transformer_state : of_trainer ? f.trainer_state : f.sampler_state, data + 1, size - 1);
  const int64_t bytes = static_cast<int64_t>(state.size());
  const void *buffer = state.empty() ? static_cast<const void *>(data) : state.data();
  if (of_transformer) {
    const atp_status status = atp_transformer_load_state(f.transformer, buffer, bytes);
    expect_status(status);
    if (status != ATP_OK) return 0;
    atp_fuzz::accepted = true;
    atp_outcome outcome;
    double loss;
    ok(atp_transformer_gradient(f.transformer, &loss, nullptr, 0));
    ok(atp_transformer_run(f.transformer, 1, nullptr, nullptr, &outcome));
    ok(atp_transformer_load_state(f.transformer, f.transformer_state.data(), static_cast<int64_t>(f.transformer_state.size())));
  } else if (of_trainer) {
    const atp_status status = atp_trainer_load_state(f.trainer, buffer, bytes);
    expect_status(status);
    if (status != ATP_OK) return 0;
    atp_fuzz::accepted = true;
    atp_outcome outcome;
    double loss;
    ok(atp_trainer_gradient(f.trainer, &loss, nullptr, nullptr, 0));
    ok(atp_trainer_run(f.trainer, 1, nullptr, nullptr, &outcome));
    ok(atp_trainer_load_state(f.trainer, f.trainer_state.data(), static_cast<int64_t>(f.trainer_state.size())));
  } else {
    const atp_status status = atp_sampler_load_state(f.sampler, buffer, bytes);
    expect_status(status);
    if (status != ATP_OK) return 0;
    atp_fuzz::accepted = true;
    uint8_t colors[2 * kSites];
    for (int rung = 0; rung < 2; ++rung) {
      ok(atp_sampler_states(f.sampler, rung, colors, sizeof colors));
      for (uint8_t c : colors) atp_fuzz::check(c < kColors, "colours are below q");
    }
    ok(atp_sampler_sweep(f.sampler, 2, nullptr, nullptr, nullptr));
    ok(atp_sampler_load_state(f.sampler, f.sampler_state.data(), static_cast<int64_t>(f.sampler_state.size())));
  }
  return 0;
}
