// SPDX-License-Identifier: MIT
// Saved states of sampling runs: the place in the run, betas, read-outs of the present leg, states of the samplers.
#include "sample/sampling.hpp"

#include "base/state.hpp"
#include "sample/owned_sampler.hpp"

#include <algorithm>

namespace atp {

// The second run reads after the first: the arrays are full up to its chains.
int64_t Sampling::rows_at(const SamplingPlace &place) const {
  if (place.stage == Stage::ladder) return 0;
  return place.stage == Stage::done || place.turn > 0 ? leg_at(place).reads : place.read;
}

int64_t Sampling::payload(const SamplingPlace &place, int64_t rungs, Sampler *const (&samplers)[2]) const {
  int64_t bytes = static_cast<int64_t>(sizeof place);
  if (place.stage == Stage::ladder) return bytes;
  const int64_t reals = static_cast<int64_t>(sizeof(double)), n = rows_at(place) * options.chains;
  bytes += 2 * reals + (rungs + n) * reals + n * sites() + work_.text.size();
  for (int run = 0; run < runs(); ++run) bytes += samplers[run]->state_size();
  return bytes;
}

int64_t Sampling::state_size() const { return state_bytes(payload(at_, ladder_.rungs, samplers_)); }

void Sampling::save(void *buffer, int64_t size) const {
  StateWriter writer(buffer, size, StateKind::sampling, fingerprint_, payload(at_, ladder_.rungs, samplers_));
  writer.value(at_);
  if (at_.stage != Stage::ladder) {
    const int64_t n = rows_at(at_) * options.chains;
    writer.value(ladder_.rungs);
    writer.value(ladder_.slowest_swap);
    writer.array(ladder_.betas.sub(0, ladder_.rungs));
    writer.array(work_.text);
    writer.array(energies_at(at_.stage).sub(0, n));
    writer.array(states_at(at_.stage).sub(0, n * sites()));
    for (int run = 0; run < runs(); ++run) {
      const int64_t bytes = samplers_[run]->state_size();
      samplers_[run]->save(writer.room(bytes), bytes);
    }
  }
  writer.finish();
}

// Throws ATP_E_FORMAT if no run can be at this place.
SamplingPlace Sampling::place_from(StateReader &reader) const {
  const bool fixed = options.burn_in >= 0;
  const int64_t longest = options.annealing + (fixed                 ? options.burn_in
                                               : options.equilibrium ? kLongestBurnIn
                                                                     : std::max(options.thin, kChainThin));
  const int64_t most_thin = options.thin > 0 ? options.thin : std::max(kLongestBurnIn, kChainThin);
  SamplingPlace place;
  place.stage = static_cast<Stage>(reader.integer("stage", 0, static_cast<int64_t>(Stage::done)));
  place.window = reader.integer("window", 0, longest);
  place.burn_in = reader.integer("burn-in", 0, 2 * longest);
  place.thin = reader.integer("thin", place.stage < Stage::sample ? 0 : 1, most_thin);
  place.turn = reader.integer("turn", 0, runs() - 1);
  place.read = reader.integer("number of read-outs", 0, place.stage == Stage::ladder ? 0 : leg_at(place).reads);
  return place;
}

void Sampling::check_read_outs(StateReader reader, int64_t n) const {
  bool ended = false;
  for (int64_t k = 0; k < work_.text.size(); ++k) {
    char c;
    reader.value(c);
    ended = ended || c == '\0';
  }
  if (!ended) fail(ATP_E_FORMAT, "the state's text has no end");
  reader.reals<double>(n, "energies");
  for (int64_t k = 0; k < n * sites(); ++k) {
    uint8_t color;
    reader.value(color);
    if (color >= shape_.colors)
      fail(ATP_E_FORMAT, "the state has colour %d, must be below the %lld colours", color, static_cast<long long>(shape_.colors));
  }
}

// A sampler is between the read-out before and the one after.
void Sampling::check_sweeps(const SamplingPlace &place, int run, int64_t sweeps) const {
  const Leg leg = leg_at(place);
  const int64_t made = sweeps - place.burn_in, past = place.read == 0 ? 0 : leg.lead + leg.spacing * place.read;
  const int64_t next = leg.lead + leg.spacing * std::min(place.read + 1, leg.reads);
  const bool over = place.stage == Stage::done || run < place.turn;
  const int64_t least = over ? leg.sweeps() : run > place.turn ? 0 : past, most = over ? leg.sweeps() : run > place.turn ? 0 : next;
  if (made < least || made > most)
    fail(ATP_E_FORMAT, "the state's sampler %d has %lld sweeps in the leg, must have %lld..%lld", run, static_cast<long long>(made),
         static_cast<long long>(least), static_cast<long long>(most));
}

void Sampling::load(const void *buffer, int64_t size) {
  StateReader reader(buffer, size, StateKind::sampling, "sampling run");
  if (reader.fingerprint() != fingerprint_)
    fail(ATP_E_MISMATCH,
         "the state belongs to a sampling run with another model, options, seed, number of sequences, allowed colours or start");
  if (reader.payload() < static_cast<int64_t>(sizeof(SamplingPlace) + 2 * sizeof(double)) &&
      reader.payload() != static_cast<int64_t>(sizeof(SamplingPlace)))
    fail(ATP_E_FORMAT, "the state is too short for a sampling run");
  const SamplingPlace place = place_from(reader);
  OwnedSampler made[2] = {OwnedSampler(*context), OwnedSampler(*context)};
  Ladder ladder = ladder_;
  double betas[kMaxRungs];
  int64_t n = 0;
  if (place.stage != Stage::ladder) {
    ladder.rungs = reader.integer("number of rungs", 1, options.room());
    ladder.slowest_swap = reader.real("exchange rate", 0, 1);
    if (reader.payload() < static_cast<int64_t>(sizeof place) + (2 + ladder.rungs) * 8)
      fail(ATP_E_FORMAT, "the state is too short for its rungs");
    for (int64_t k = 0; k < ladder.rungs; ++k) {
      betas[k] = reader.real("beta", 0, kMaxBeta);
      if (k > 0 && betas[k] <= betas[k - 1])
        fail(ATP_E_FORMAT, "the state's betas do not increase: %g comes after %g", betas[k], betas[k - 1]);
    }
    if (betas[ladder.rungs - 1] != options.beta)
      fail(ATP_E_FORMAT, "the state's last beta is %g, must be %g", betas[ladder.rungs - 1], options.beta);
    for (int run = 0; run < runs(); ++run) made[run].reset(make_sampler(run, Span<const double>(betas, ladder.rungs)));
    n = rows_at(place) * options.chains;
  }
  Sampler *const samplers[2] = {made[0].get(), made[1].get()};
  if (reader.payload() != payload(place, ladder.rungs, samplers))
    fail(ATP_E_FORMAT, "the state's size is not that of its place in the run");
  StateReader arrays = reader;
  if (place.stage != Stage::ladder) {
    check_read_outs(reader, n);
    reader.pass_over<char>(work_.text.size() + n * (8 + sites()));
    for (int run = 0; run < runs(); ++run) {
      const int64_t bytes = samplers[run]->state_size();
      samplers[run]->load(reader.bytes(bytes), bytes);
      check_sweeps(place, run, samplers[run]->sweeps());
    }
  }
  context->ranks.meet();
  // Nothing throws from here on, on any rank.
  if (place.stage != Stage::ladder) {
    std::copy_n(betas, ladder.rungs, ladder_.betas.begin());
    arrays.array(work_.text);
    arrays.array(energies_at(place.stage).sub(0, n));
    arrays.array(states_at(place.stage).sub(0, n * sites()));
  }
  at_ = place;
  ladder_.rungs = ladder.rungs;
  ladder_.slowest_swap = ladder.slowest_swap;
  for (int run = 0; run < 2; ++run) {
    destroy_block(context->allocator, samplers_[run]);
    samplers_[run] = made[run].release();
  }
  if (at_.stage == Stage::done) measure();
}

}  // namespace atp
