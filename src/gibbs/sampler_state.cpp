// SPDX-License-Identifier: MIT
// Saved states of samplers: sweeps, betas, colours, and with replica exchange its permutations, counts and energies.
#include "gibbs/sampler.hpp"

#include "base/state.hpp"

#include <cmath>

namespace atp {

namespace {

template <class T>
int64_t bytes(Span<T> x) {
  return x.size() * static_cast<int64_t>(sizeof(T));
}

}  // namespace

int64_t Sampler::payload() const {
  return 8 + bytes(betas_) + bytes(colors_) + bytes(replica_energies) + bytes(replica_at) + bytes(tried) + bytes(accepted);
}

int64_t Sampler::state_size() const { return state_bytes(payload()); }

void Sampler::save(void *buffer, int64_t size) const {
  StateWriter writer(buffer, size, StateKind::sampler, fingerprint, payload());
  writer.value(sweeps_);
  writer.array(betas_);
  writer.array(colors_);
  writer.array(replica_energies);
  writer.array(replica_at);
  writer.array(tried);
  writer.array(accepted);
  writer.finish();
}

void Sampler::load(const void *buffer, int64_t size) {
  // A first pass checks what could lead out of an array, a second one takes the values.
  StateReader check(buffer, size, StateKind::sampler, fingerprint, payload(), "sampler");
  const auto bad = [](const char *what) { fail(ATP_E_FORMAT, "the state is not one of a sampler: %s", what); };
  int64_t sweeps;
  check.value(sweeps);
  if (sweeps < 0) bad("a negative number of sweeps");
  double x, last = -1;
  for (int64_t k = 0; k < rungs(); ++k, last = x) {
    check.value(x);
    if (!std::isfinite(x) || x < 0 || x <= last) bad("betas that do not increase");
  }
  uint8_t color;
  for (int64_t k = 0; k < colors_.size(); ++k) {
    check.value(color);
    if (color >= exact.colors()) bad("a colour beyond the last");
  }
  for (int64_t k = 0; k < replica_energies.size(); ++k) {
    check.value(x);
    if (!std::isfinite(x)) bad("an energy that is not finite");
  }
  for (int64_t c = 0; c < chains(); ++c) {
    bool seen[1024] = {};  // ATP_OPT_TEMPERATURES ends there
    for (int64_t k = 0; k < rungs(); ++k) {
      int32_t replica;
      check.value(replica);
      if (replica < 0 || replica >= rungs() || seen[replica]) bad("rungs that are not a permutation");
      seen[replica] = true;
    }
  }

  StateReader reader(buffer, size, StateKind::sampler, fingerprint, payload(), "sampler");
  reader.value(sweeps_);
  reader.array(betas_);
  reader.array(colors_);
  reader.array(replica_energies);
  reader.array(replica_at);
  reader.array(tried);
  reader.array(accepted);
  spread_betas();
}

}  // namespace atp
