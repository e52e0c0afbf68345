// SPDX-License-Identifier: MIT
// Saved states of samplers, sampling runs, trainers, models and alignments. The bits of the first byte choose the handle (2: factored
// attention, with 8: dense couplings, with 16: asymmetric; 4: an encoder; 32: a model of heads, with 8: a dense one, with 16: one of a
// list of pairs; 64: a sampling run; 128: an alignment, with 8: one of texts; none: sampler with replica exchange) and what the
// other bytes are: the state itself, or (1) what follows the key of a good state, whose checksum is made right again, so that what comes
// after the checksum is reached. A state that is accepted must be one to go on from.
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
    ok(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
    ok(atp_options_set_i64(options, ATP_OPT_CHAINS, 2));
    ok(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 2));
    ok(atp_model_create_random(context, kSites, kColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
    ok(atp_sampler_create(context, model, options, &sampler));
    ok(atp_sampler_start_random(sampler));
    ok(atp_alignment_create(context, sequences, kCount, kSites, kColors, nullptr, &alignment));
    atp_options_destroy(options);
    ok(atp_options_create(context, ATP_OWNER_TRAINER, &options));
    ok(atp_options_set_i64(options, ATP_OPT_EPOCHS, 3));
    for (int k = 0; k < kTrainers; ++k) {
      ok(atp_options_set_i64(options, ATP_OPT_FAMILY, k == 0 ? ATP_FAMILY_FACTORED : k == 3 ? ATP_FAMILY_ENCODER : ATP_FAMILY_DENSE));
      if (k == 3) ok(atp_options_set_i64(options, ATP_OPT_WIDTH, 2));
      ok(atp_options_set_i64(options, ATP_OPT_ASYMMETRIC, k == 2));
      ok(atp_trainer_create(context, alignment, options, &trainer[k]));
      trainer_state[k].resize(static_cast<std::size_t>(atp_trainer_state_bytes(trainer[k])));
      ok(atp_trainer_save_state(trainer[k], trainer_state[k].data(), static_cast<int64_t>(trainer_state[k].size())));
    }
    atp_model *dense, *listed;
    const int64_t pairs[2][2] = {{0, 2}, {1, 3}};
    ok(atp_model_gauge(context, model, ATP_GAUGE_ZERO_SUM, &dense));
    ok(atp_model_set_sites(dense, nullptr, kSites, "ABCABC"));
    ok(atp_model_keep_pairs(context, dense, &pairs[0][0], 2, &listed));
    for (int k = 0; k < 3; ++k) {
      const atp_model *saved = k == 0 ? model : k == 1 ? dense : listed;
      model_state[k].resize(static_cast<std::size_t>(atp_model_state_bytes(saved)));
      ok(atp_model_save_state(saved, model_state[k].data(), static_cast<int64_t>(model_state[k].size())));
    }
    atp_model_destroy(listed);
    atp_model_destroy(dense);
    ok(atp_sampling_create(context, model, nullptr, 4, &sampling));
    sampling_state.resize(static_cast<std::size_t>(atp_sampling_state_bytes(sampling)));
    ok(atp_sampling_save_state(sampling, sampling_state.data(), static_cast<int64_t>(sampling_state.size())));
    for (int k = 0; k < 2; ++k) {
      static const char text[] = ">one/5-8\nAB-BA-\n>two\nABxBBAAy\n";
      atp_alignment *saved;
      if (k == 0)
        ok(atp_alignment_select(context, alignment, 0, 3, 2, &saved));
      else
        ok(atp_alignment_parse(context, text, sizeof text - 1, "-AB", nullptr, &saved));
      alignment_state[k].resize(static_cast<std::size_t>(atp_alignment_state_bytes(saved)));
      ok(atp_alignment_save_state(saved, alignment_state[k].data(), static_cast<int64_t>(alignment_state[k].size())));
      atp_alignment_destroy(saved);
    }
    sampler_state.resize(static_cast<std::size_t>(atp_sampler_state_bytes(sampler)));
    ok(atp_sampler_save_state(sampler, sampler_state.data(), static_cast<int64_t>(sampler_state.size())));
  }
  ~Fixture() {
    for (atp_trainer *t : trainer) atp_trainer_destroy(t);
    atp_alignment_destroy(alignment);
    atp_sampling_destroy(sampling);
    atp_sampler_destroy(sampler);
    atp_model_destroy(model);
    atp_options_destroy(options);
    atp_context_destroy(context);
  }
  atp_context *context = nullptr;
  atp_options *options = nullptr;
  atp_model *model = nullptr;
  atp_sampler *sampler = nullptr;
  atp_sampling *sampling = nullptr;
  atp_alignment *alignment = nullptr;
  static constexpr int kTrainers = 4;
  atp_trainer *trainer[kTrainers] = {};  // factored, dense, asymmetric, encoder
  std::vector<uint8_t> sampler_state, sampling_state, trainer_state[kTrainers], model_state[3], alignment_state[2];
};

// The good state with the input in place of what follows its key and with a right checksum.
std::vector<uint8_t> graft(std::vector<uint8_t> state, std::size_t key, const uint8_t *data, size_t size) {
  const std::size_t begin = sizeof(atp::StateHeader) + key, end = state.size() - 8;
  std::memcpy(state.data() + begin, data, std::min(size, end - begin));
  const uint64_t sum = atp::checksum(state.data(), end);
  std::memcpy(state.data() + end, &sum, 8);
  return state;
}

// Bytes of the named fields in the state of a trainer.
std::size_t fields_of(const std::vector<uint8_t> &state) {
  int64_t count;
  atp::copy_ordered<int64_t>(&count, state.data() + sizeof(atp::StateHeader), 1);
  return sizeof count + static_cast<std::size_t>(count) * 56;
}

// A model that is accepted has energies, and saves the bytes that it came from.
void try_model(atp_context *context, const void *buffer, int64_t bytes) {
  atp_model *model;
  const atp_status status = atp_model_from_state(context, buffer, bytes, &model);
  expect_status(status);
  if (status != ATP_OK) return;
  atp_fuzz::accepted = true;
  std::vector<uint8_t> again(static_cast<std::size_t>(bytes)), sequence(static_cast<std::size_t>(atp_model_sites(model)));
  atp_fuzz::check(atp_model_state_bytes(model) == bytes, "the state has the size of its model");
  ok(atp_model_save_state(model, again.data(), bytes));
  atp_fuzz::check(std::memcmp(again.data(), buffer, again.size()) == 0, "the state is that of its model");
  double energy;
  ok(atp_model_energies(model, sequence.data(), 1, &energy, 1));
  atp_fuzz::check(energy == energy, "the energy is a number");
  atp_model_destroy(model);
}

// An alignment that is accepted has frequencies, gives its rows, and saves the bytes that it came from.
void try_alignment(atp_context *context, const void *buffer, int64_t bytes) {
  atp_alignment *alignment, *row;
  const atp_status status = atp_alignment_from_state(context, buffer, bytes, &alignment);
  expect_status(status);
  if (status != ATP_OK) return;
  atp_fuzz::accepted = true;
  std::vector<uint8_t> again(static_cast<std::size_t>(bytes));
  atp_fuzz::check(atp_alignment_state_bytes(alignment) == bytes, "the state has the size of its alignment");
  ok(atp_alignment_save_state(alignment, again.data(), bytes));
  atp_fuzz::check(std::memcmp(again.data(), buffer, again.size()) == 0, "the state is that of its alignment");
  const int64_t last = atp_alignment_count(alignment) - 1, rows[2] = {last, 0};
  const bool weighted = atp_alignment_weights_view(alignment)[last] + atp_alignment_weights_view(alignment)[0] > 0;
  atp_fuzz::check(atp_alignment_take(context, alignment, rows, 2, &row) == (weighted ? ATP_OK : ATP_E_VALUE), "rows are taken");
  if (weighted) atp_fuzz::check(std::strcmp(atp_alignment_name(row, 0), atp_alignment_name(alignment, last)) == 0, "rows keep names");
  atp_alignment_destroy(row);
  std::vector<double> frequencies(static_cast<std::size_t>(atp_alignment_sites(alignment) * atp_alignment_colors(alignment)));
  ok(atp_alignment_frequencies(alignment, 0, frequencies.data(), static_cast<int64_t>(frequencies.size())));
  for (double f : frequencies) atp_fuzz::check(f >= 0 && f <= 1 + 1e-9, "frequencies are fractions");
  atp_alignment_destroy(alignment);
}

// A sampling run that is accepted goes on; it is stopped at its third report.
void try_sampling(const Fixture &f, const void *buffer, int64_t bytes) {
  const atp_status status = atp_sampling_load_state(f.sampling, buffer, bytes);
  expect_status(status);
  if (status != ATP_OK) return;
  atp_fuzz::accepted = true;
  int reports = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  const atp_status run = atp_sampling_run(
      f.sampling, [](const atp_progress *, void *user) -> int { return ++*static_cast<int *>(user) > 2; }, &reports, &outcome);
  atp_fuzz::check(atp_status_name(run) != nullptr && run != ATP_E_INTERNAL, "a run goes on, or says why not");
  ok(atp_sampling_load_state(f.sampling, f.sampling_state.data(), static_cast<int64_t>(f.sampling_state.size())));
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Fixture f;
  if (size < 1) return 0;
  const bool grafted = (data[0] & 1) != 0, of_network = (data[0] & 4) != 0, of_trainer = of_network || (data[0] & 2) != 0;
  const bool of_sampling = (data[0] & 64) != 0, of_model = !of_sampling && (data[0] & 32) != 0;
  const int place = (data[0] & 16) != 0 ? 2 : (data[0] & 8) != 0 ? 1 : 0, which = of_network && !of_model ? 3 : place;
  std::vector<uint8_t> state(data + 1, data + size);
  if ((data[0] & 128) != 0) {
    if (grafted) state = graft(f.alignment_state[(data[0] & 8) != 0 ? 1 : 0], 0, data + 1, size - 1);
    try_alignment(f.context, state.empty() ? static_cast<const void *>(data) : state.data(), static_cast<int64_t>(state.size()));
    return 0;
  }
  if (of_sampling) {
    if (grafted) state = graft(f.sampling_state, 0, data + 1, size - 1);
    try_sampling(f, state.empty() ? static_cast<const void *>(data) : state.data(), static_cast<int64_t>(state.size()));
    return 0;
  }
  if (grafted && of_model) state = graft(f.model_state[which], 0, data + 1, size - 1);
  if (grafted && !of_model && of_trainer) state = graft(f.trainer_state[which], fields_of(f.trainer_state[which]), data + 1, size - 1);
  if (grafted && !of_model && !of_trainer) state = graft(f.sampler_state, 0, data + 1, size - 1);
  const int64_t bytes = static_cast<int64_t>(state.size());
  const void *buffer = state.empty() ? static_cast<const void *>(data) : state.data();
  if (of_model) {
    try_model(f.context, buffer, bytes);
  } else if (of_trainer) {
    atp_trainer *trainer = f.trainer[which];
    const atp_status status = atp_trainer_load_state(trainer, buffer, bytes);
    expect_status(status);
    if (status != ATP_OK) return 0;
    atp_fuzz::accepted = true;
    atp_outcome outcome;
    double loss;
    ok(atp_trainer_gradient(trainer, &loss, nullptr, nullptr, 0));
    ok(atp_trainer_run(trainer, 1, nullptr, nullptr, &outcome));
    ok(atp_trainer_load_state(trainer, f.trainer_state[which].data(), static_cast<int64_t>(f.trainer_state[which].size())));
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
    const atp_status swept = atp_sampler_sweep(f.sampler, 2, nullptr, nullptr, nullptr);
    atp_fuzz::check(swept == ATP_OK || swept == ATP_E_TOO_LARGE, "sweeps are made, or there are 2^48 of them already");
    ok(atp_sampler_load_state(f.sampler, f.sampler_state.data(), static_cast<int64_t>(f.sampler_state.size())));
  }
  return 0;
}
