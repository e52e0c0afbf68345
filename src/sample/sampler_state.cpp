// SPDX-License-Identifier: MIT
// Saved states of samplers: sweeps, betas and colours. With replica exchange also its permutations, counts and
// energies. At the end the key, which says what the state belongs to.
#include "sample/sampler.hpp"

#include "base/checksum.hpp"
#include "base/state.hpp"

namespace atp {

struct Sampler::Key {
  int64_t sites, colors, heads;
  int64_t chain_range;  // chains in the low half, first-chain in the high half
  int64_t temperatures, swap_interval, seed;
  double beta, beta_hot;
  uint64_t all;  // hash of these and of all numbers of the model
};

Sampler::Key Sampler::key() const {
  return {
      sites(),      exact.colors(),   exact.shape.heads, chain_range(), rungs(), options.swap_interval, static_cast<int64_t>(options.seed),
      options.beta, options.beta_hot, fingerprint};
}

int64_t Sampler::payload() const {
  int64_t bytes = static_cast<int64_t>(sizeof sweeps_ + sizeof(Key));
  each_array([&](auto array) { bytes += array.size() * static_cast<int64_t>(sizeof *array.data()); });
  return bytes;
}

int64_t Sampler::state_size() const { return state_bytes(payload()); }

void Sampler::save(void *buffer, int64_t size) const {
  const Key mine = key();
  StateWriter writer(buffer, size, StateKind::sampler, checksum_of(mine), payload());
  writer.value(sweeps_);
  each_array([&](auto array) { writer.array(array); });
  writer.value(mine);
  writer.finish();
}

// Opens a state of this sampler.
StateReader Sampler::open(const void *buffer, int64_t size) const {
  StateReader reader(buffer, size, StateKind::sampler, "sampler");
  if (reader.payload() != payload() || reader.fingerprint() != checksum_of(key())) explain_mismatch(reader);
  return reader;
}

// The state is whole, but of another sampler: says what differs.
void Sampler::explain_mismatch(StateReader reader) const {
  const Key mine = key();
  Key theirs{};
  const int64_t before = reader.payload() - static_cast<int64_t>(sizeof theirs);
  if (before >= 0) {
    reader.pass_over<char>(before);
    reader.value(theirs);
  }
  if (checksum_of(theirs) != reader.fingerprint())
    fail(ATP_E_MISMATCH, "the state belongs to a sampler with another model, shape, options or seed");
  const struct {
    const char *name;
    int64_t theirs, mine;
  } integers[] = {{"sites", theirs.sites, mine.sites},
                  {"colors", theirs.colors, mine.colors},
                  {"heads", theirs.heads, mine.heads},
                  {"chains", theirs.chain_range & 0xFFFFFFFF, mine.chain_range & 0xFFFFFFFF},
                  {"first-chain", theirs.chain_range >> 32, mine.chain_range >> 32},
                  {"temperatures", theirs.temperatures, mine.temperatures},
                  {"swap-interval", theirs.swap_interval, mine.swap_interval},
                  {"seed", theirs.seed, mine.seed}};
  for (const auto &field : integers)
    if (field.theirs != field.mine)
      fail(ATP_E_MISMATCH, "the state has %s %lld, the sampler has %lld", field.name, static_cast<long long>(field.theirs),
           static_cast<long long>(field.mine));
  if (theirs.beta != mine.beta) fail(ATP_E_MISMATCH, "the state has beta %.17g, the sampler has %.17g", theirs.beta, mine.beta);
  if (theirs.beta_hot != mine.beta_hot)
    fail(ATP_E_MISMATCH, "the state has beta-hot %.17g, the sampler has %.17g", theirs.beta_hot, mine.beta_hot);
  fail(ATP_E_MISMATCH,
       "the state belongs to a model with other couplings or fields, or to a sampler with other allowed colours, max-mutations or "
       "kept-color");
}

void Sampler::check(StateReader reader) const {
  const int64_t swept = reader.integer("number of sweeps", 0, kMaxSweeps);
  double last = -1;
  for (int64_t k = 0; k < rungs(); ++k) {
    const double beta = reader.real("beta", 0, kMaxBeta);
    if (beta <= last) fail(ATP_E_FORMAT, "the state's betas do not increase: %g comes after %g", beta, last);
    last = beta;
  }
  StateReader states = reader;
  for (int64_t k = 0; k < lanes_.colors.size(); ++k) {
    uint8_t color;
    reader.value(color);
    if (color >= exact.colors())
      fail(ATP_E_FORMAT, "the state has colour %d, must be below the %lld colours", color, static_cast<long long>(exact.colors()));
    const int64_t site = exact.site_at(k / kGibbsLanes % sites());
    if (!restriction_.allows(site, color))
      fail(ATP_E_FORMAT, "the state has colour %d at site " ATP_INDEX ", must have an allowed one", color, static_cast<long long>(site));
  }
  const double largest = 2 * kLargestField * static_cast<double>(sites());
  for (int64_t k = 0; k < lanes_.energies.size(); ++k) reader.real("energy", -largest, largest);
  for (int64_t c = 0; c < chains(); ++c) {
    bool seen[kMaxRungs] = {};
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
  if (restriction_.near()) check_distances(states, counts);
}

// The readers are at the colours and at the references.
void Sampler::check_distances(StateReader states, StateReader references) const {
  for (int64_t group = 0; group < groups(); ++group) {
    int64_t distances[kGibbsLanes] = {};
    for (int64_t k = 0; k < sites() * kGibbsLanes; ++k) {
      uint8_t color, reference;
      states.value(color);
      references.value(reference);
      if (!restriction_.allows(exact.site_at(k / kGibbsLanes), reference))
        fail(ATP_E_FORMAT, "the state has a start with colour %d at site " ATP_INDEX ", must have an allowed one", reference,
             static_cast<long long>(exact.site_at(k / kGibbsLanes)));
      distances[k % kGibbsLanes] += color != reference;
    }
    for (const int64_t distance : distances)
      if (distance > options.most)
        fail(ATP_E_FORMAT, "the state has a chain with %lld mutations, must have at most %lld", static_cast<long long>(distance),
             static_cast<long long>(options.most));
  }
}

void Sampler::load(const void *buffer, int64_t size) {
  StateReader reader = open(buffer, size);
  check(reader);
  reader.value(sweeps_);
  each_array([&](auto array) { reader.array(array); });
  lanes_.measure();
  spread_betas();
}

}  // namespace atp
