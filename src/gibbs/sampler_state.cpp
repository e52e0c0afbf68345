// SPDX-License-Identifier: MIT
// Saved states of samplers: sweeps, betas and colours. With replica exchange also its permutations, counts and
// energies.
#include "gibbs/sampler.hpp"

#include "base/state.hpp"

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

void Sampler::check(StateReader reader) const {
  const int64_t swept = reader.integer("number of sweeps", 0, kMaxSweeps);
  double last = -1;
  for (int64_t k = 0; k < rungs(); ++k) {
    const double beta = reader.real("beta", 0, kMaxBeta);
    if (beta <= last) fail(ATP_E_FORMAT, "the state's betas do not increase: %g comes after %g", beta, last);
    last = beta;
  }
  for (int64_t k = 0; k < colors_.size(); ++k) {
    uint8_t color;
    reader.value(color);
    if (color >= exact.colors())
      fail(ATP_E_FORMAT, "the state has colour %d, must be below the %lld colours", color, static_cast<long long>(exact.colors()));
  }
  const double largest = 2 * kLargestField * static_cast<double>(sites());
  for (int64_t k = 0; k < replica_energies.size(); ++k) reader.real("energy", -largest, largest);
  for (int64_t c = 0; c < chains(); ++c) {
    bool seen[1024] = {};  // 1024 is the maximum of ATP_OPT_TEMPERATURES
    for (int64_t k = 0; k < rungs(); ++k) {
      int32_t replica;
      reader.value(replica);
      if (replica < 0 || replica >= rungs() || seen[replica])
        fail(ATP_E_FORMAT, "the state's rungs of chain %lld are not a permutation of 0..%lld", static_cast<long long>(c),
             static_cast<long long>(rungs() - 1));
      seen[replica] = true;
    }
  }
  StateReader counts = reader;
  counts.pass_over<int64_t>(tried.size());
  for (int64_t k = 0; k < tried.size(); ++k) {
    const int64_t most = reader.integer("number of exchanges tried", 0, swept / options.swap_interval);
    counts.integer("number of exchanges accepted", 0, most);
  }
}

void Sampler::load(const void *buffer, int64_t size) {
  StateReader reader(buffer, size, StateKind::sampler, fingerprint, payload(), "sampler");
  check(reader);
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
