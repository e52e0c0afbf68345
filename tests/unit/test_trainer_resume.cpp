// SPDX-License-Identifier: MIT
// Same numbers: for every number of threads, for a run in pieces, and for one that was stopped at any step, saved and loaded elsewhere.
#include "small_potts.hpp"

#include "math/optim/stochastic.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

constexpr int64_t kEpochs = 8;

struct Case {
  atp_optimizer optimizer;
  atp_objective objective;
  atp_map map;
  double momentum;
  int64_t precision;
  double mask_probability = 0;
};

constexpr Case kCases[] = {
    {ATP_OPTIMIZER_LBFGS, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ATP_MAP_FREE, 0, 64},
    {ATP_OPTIMIZER_LBFGS, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ATP_MAP_LOWRANK, 0, 32},
    {ATP_OPTIMIZER_SGD, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ATP_MAP_FREE, 0, 32},
    {ATP_OPTIMIZER_SGD, ATP_OBJECTIVE_MLM, ATP_MAP_SOFTMAX, 0.9, 64},
    {ATP_OPTIMIZER_ADAM, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ATP_MAP_SOFTMAX, 0, 32},
    {ATP_OPTIMIZER_ADAM, ATP_OBJECTIVE_MLM, ATP_MAP_FREE, 0, 64},
    {ATP_OPTIMIZER_ADAM, ATP_OBJECTIVE_MLM, ATP_MAP_FREE, 0, 32, 0.3},
};

Options options_for(const Case &c) {
  return options_of({{ATP_OPT_OPTIMIZER, c.optimizer},
                     {ATP_OPT_OBJECTIVE, c.objective},
                     {ATP_OPT_MAP, c.map},
                     {ATP_OPT_MOMENTUM, c.momentum},
                     {ATP_OPT_PRECISION, c.precision},
                     {ATP_OPT_MASK_PROBABILITY, c.mask_probability},
                     {ATP_OPT_EPOCHS, kEpochs},
                     {ATP_OPT_BATCH, 30},
                     {ATP_OPT_HEADS, 2},
                     {ATP_OPT_RANK, 3},
                     {ATP_OPT_FIELDS, 1},
                     {ATP_OPT_L2_COUPLINGS, 0.001},
                     {ATP_OPT_SEED, 5},
                     {ATP_OPT_TOLERANCE, 0},
                     {ATP_OPT_HISTORY, c.optimizer == ATP_OPTIMIZER_LBFGS ? 3 : 0}});
}

// All reports of a run, without the seconds.
struct Log {
  std::vector<double> values;
};

int keep(const atp_progress *progress, void *user) {
  for (int k = 0; k < atp_progress::kKeys; ++k)
    if (k != ATP_PROGRESS_SECONDS) static_cast<Log *>(user)->values.push_back(progress->values[k]);
  return 0;
}

// Compares the saved state and the log.
struct Record {
  std::vector<unsigned char> state;
  Log log;
};

std::vector<unsigned char> saved(const Trainer &t) {
  std::vector<unsigned char> bytes(static_cast<size_t>(state_bytes(t.saved_bytes())));
  t.save(bytes.data(), static_cast<int64_t>(bytes.size()));
  return bytes;
}

Record whole_run(SmallPotts &p, const Alignment &train, const Alignment &test, const Options &options) {
  Record record;
  Trainer *t = p.trainer(train, options);
  t->set_test(&test);
  t->set_truth(p.truth);
  assert_int_equal(run(*t, kEpochs, keep, &record.log), ATP_OUTCOME_MAX_ITER);
  assert_int_equal(t->epochs(), kEpochs);
  record.state = saved(*t);
  return record;
}

void assert_same(const Record &a, const Record &b) {
  assert_int_equal(a.state.size(), b.state.size());
  assert_memory_equal(a.state.data(), b.state.data(), a.state.size());
  assert_int_equal(a.log.values.size(), b.log.values.size());
  assert_memory_equal(a.log.values.data(), b.log.values.data(), sizeof(double) * a.log.values.size());
}

void threads_do_not_matter(void **) {
  SmallPotts p(7, 3, 0.7, 4);
  const Alignment *train = p.sample(700, 1), *test = p.sample(200, 2);
  for (const Case &c : kCases) {
    p.context.threads = 1;
    const Record one = whole_run(p, *train, *test, options_for(c));
    for (int threads : {2, 3}) {
      p.context.threads = threads;
      assert_same(one, whole_run(p, *train, *test, options_for(c)));
    }
    // The comparison sees another seed.
    p.context.threads = 1;
    Options other = options_for(c);
    other.set(ATP_OPT_SEED, int64_t{6});
    const Record changed = whole_run(p, *train, *test, other);
    assert_true(changed.state.size() == one.state.size() && memcmp(changed.state.data(), one.state.data(), one.state.size()) != 0);
  }
}

void pieces_do_not_matter(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  const Alignment *train = p.sample(200, 1), *test = p.sample(100, 2);
  for (const Case &c : kCases) {
    const Record whole = whole_run(p, *train, *test, options_for(c));
    Record pieces;
    Trainer *t = p.trainer(*train, options_for(c));
    t->set_test(test);
    t->set_truth(p.truth);
    assert_int_equal(run(*t, 0, keep, &pieces.log), ATP_OUTCOME_NONE);
    for (int64_t n : {1, 2, 0, 3}) run(*t, n, keep, &pieces.log);
    assert_int_equal(t->epochs(), 6);
    assert_int_equal(run(*t, 100, keep, &pieces.log), ATP_OUTCOME_MAX_ITER);
    pieces.state = saved(*t);
    assert_same(whole, pieces);
    assert_int_equal(run(*t, 100, keep, &pieces.log), ATP_OUTCOME_MAX_ITER);
    pieces.state = saved(*t);
    assert_same(whole, pieces);
  }
}

// A stop request comes after a random time from another thread, the state goes to a trainer that has done something else, and so on to the
// end.
void interruptions_do_not_matter(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  const Alignment *train = p.sample(1500, 1), *test = p.sample(50, 2);
  uint64_t draw = 0;
  int in_epochs = 0;
  for (const Case &c : kCases) {
    const Record whole = whole_run(p, *train, *test, options_for(c));
    for (int repeat = 0; repeat < 3; ++repeat) {
      Record pieces;
      Trainer *pair[2] = {p.trainer(*train, options_for(c)), p.trainer(*train, options_for(c))};
      for (Trainer *t : pair) {
        t->set_test(test);
        t->set_truth(p.truth);
      }
      run(*pair[1], 1 + repeat);
      int busy = 0;
      atp_outcome outcome = ATP_OUTCOME_CANCELLED;
      for (int cut = 0; outcome == ATP_OUTCOME_CANCELLED; ++cut) {
        Trainer *t = pair[busy];
        if (cut < 6) {
          std::atomic<bool> done{false};
          const auto wait = std::chrono::microseconds(RandomView(1, Stream::start, 0, 0).below(draw++, 4000));
          std::thread stopper([&] {
            const auto end = std::chrono::steady_clock::now() + wait;
            while (!done.load() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
            t->stop().request();
          });
          outcome = run(*t, kEpochs, keep, &pieces.log);
          done.store(true);
          stopper.join();
          t->stop().clear();
        } else {
          outcome = run(*t, kEpochs, keep, &pieces.log);
        }
        if (outcome != ATP_OUTCOME_CANCELLED) break;
        in_epochs += t->step() > 0 ? 1 : 0;
        const std::vector<unsigned char> state = saved(*t);
        busy = 1 - busy;
        pair[busy]->load(state.data(), static_cast<int64_t>(state.size()));
      }
      assert_int_equal(outcome, ATP_OUTCOME_MAX_ITER);
      pieces.state = saved(*pair[busy]);
      assert_same(whole, pieces);
    }
  }
  print_message("%d of the interruptions came within an epoch\n", in_epochs);
  assert_true(in_epochs > 0);
}

int stop_at(const atp_progress *progress, void *user) {
  return progress->values[ATP_PROGRESS_STEP] >= *static_cast<double *>(user) ? 7 : 0;
}

void callbacks_cancel(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  const Alignment *train = p.sample(200, 1), *test = p.sample(100, 2);
  for (const Case &c : kCases) {
    const Record whole = whole_run(p, *train, *test, options_for(c));
    Trainer *t = p.trainer(*train, options_for(c));
    double limit = 3;
    assert_int_equal(run(*t, kEpochs, stop_at, &limit), ATP_OUTCOME_CANCELLED);
    assert_int_equal(t->epochs(), 3);
    t->stop().request();  // a request before a run ends it at once, and is then forgotten
    assert_int_equal(run(*t, kEpochs), ATP_OUTCOME_CANCELLED);
    assert_int_equal(t->epochs(), 3);
    assert_int_equal(run(*t, kEpochs), ATP_OUTCOME_MAX_ITER);
    const std::vector<unsigned char> state = saved(*t);
    assert_memory_equal(state.data(), whole.state.data(), state.size());
  }
}

void nothing_is_allocated(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  const Alignment *train = p.sample(200, 1), *test = p.sample(100, 2);
  std::vector<Trainer *> trainers;
  for (const Case &c : kCases) trainers.push_back(p.trainer(*train, options_for(c)));
  const int64_t before = p.context.allocator.count(), bytes = p.context.allocator.bytes();
  Log log;
  log.values.reserve(100000);
  std::vector<unsigned char> state(100000);
  for (Trainer *t : trainers) {
    t->set_test(test);
    t->set_truth(p.truth);
    run(*t, 3, keep, &log);
    t->save(state.data(), static_cast<int64_t>(state.size()));
    t->load(state.data(), state_bytes(t->saved_bytes()));
    run(*t, 3, keep, &log);
    t->set_parameters(parameters_in(*t));
  }
  assert_int_equal(p.context.allocator.count(), before);
  assert_int_equal(p.context.allocator.bytes(), bytes);
}

// A state is refused by a trainer that differs in one thing, with its name, and nothing changes.
void mismatches_are_named(void **) {
  SmallPotts p(6, 3, 0.7, 4);
  const Alignment *train = p.sample(200, 1), *other = p.sample(200, 2);
  Alignment *weighted = p.sample(200, 1);
  weighted->weights[3] = 0.5;
  const Options options = options_of({{ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD}, {ATP_OPT_COLORS_FIXED, 1}});
  Trainer *t = p.trainer(*train, options);
  run(*t, 2);
  std::vector<unsigned char> state = saved(*t);
  const auto refused = [&](Trainer *by, atp_status status, const char *part) {
    const std::vector<double> before(parameters_in(*by).begin(), parameters_in(*by).end());
    try {
      by->load(state.data(), static_cast<int64_t>(state.size()));
      fail_msg("a state was taken; expected: %s", part);
    } catch (const Error &e) {
      if (e.status() != status || std::strstr(e.what(), part) == nullptr)
        fail_msg("status %d, \"%s\" without \"%s\"", e.status(), e.what(), part);
    }
    assert_memory_equal(before.data(), parameters_in(*by).data(), before.size() * sizeof(double));
  };
  const std::pair<atp_option, double> changes[] = {
      {ATP_OPT_RATE, 0.01},     {ATP_OPT_BATCH, 50},       {ATP_OPT_SEED, 9},        {ATP_OPT_EPOCHS, 100},   {ATP_OPT_MAP, 2},
      {ATP_OPT_FIELDS, 1},      {ATP_OPT_OBJECTIVE, 2},    {ATP_OPT_MOMENTUM, 0.5},  {ATP_OPT_PRECISION, 64}, {ATP_OPT_OPTIMIZER, 3},
      {ATP_OPT_TOLERANCE, 0.1}, {ATP_OPT_L2_COUPLINGS, 1}, {ATP_OPT_INIT_SCALE, 0.2}};
  for (const auto &change : changes) {
    Options changed = options;
    changed.set(change.first, change.second);
    refused(p.trainer(*train, changed), ATP_E_MISMATCH, kTrainerOptions.find(change.first)->name);
  }
  refused(p.trainer(*p.sample(199, 1), options), ATP_E_MISMATCH, "sequences 200");
  refused(p.trainer(*other, options), ATP_E_MISMATCH, "other training sequences");
  refused(p.trainer(*weighted, options), ATP_E_MISMATCH, "other weights");
  Trainer *values = p.trainer(*train, options);
  std::vector<double> v(9, 1.0);
  values->set_values({v.data(), 9});
  refused(values, ATP_E_MISMATCH, "fixed values");
  for (size_t k : {size_t{0}, size_t{40}, state.size() / 2, state.size() - 1}) {
    state[k] ^= 1;
    refused(p.trainer(*train, options), k == 0 ? ATP_E_FORMAT : ATP_E_CHECKSUM, "state");
    state[k] ^= 1;
  }
  p.trainer(*train, options)->load(state.data(), static_cast<int64_t>(state.size()));
  state.pop_back();
  refused(p.trainer(*train, options), ATP_E_FORMAT, "bytes");
  // L-BFGS: the limit of iterations may change.
  const auto lbfgs = [&](int64_t limit) {
    return p.trainer(*train, options_of({{ATP_OPT_EPOCHS, static_cast<double>(limit)}, {ATP_OPT_TOLERANCE, 0}}));
  };
  Trainer *shorter = lbfgs(4), *longer = lbfgs(8), *once = lbfgs(8);
  assert_int_equal(run(*shorter, 100), ATP_OUTCOME_MAX_ITER);
  state = saved(*shorter);
  longer->load(state.data(), static_cast<int64_t>(state.size()));
  run(*longer, 100);
  run(*once, 100);
  assert_int_equal(longer->epochs(), 8);
  assert_memory_equal(parameters_in(*longer).data(), parameters_in(*once).data(),
                      sizeof(double) * static_cast<size_t>(parameters_in(*once).size()));
}

void orders_are_permutations(void **) {
  constexpr int64_t n = 6;
  int64_t counts[n][n] = {}, order[n];
  constexpr int kDraws = 60000;
  for (uint64_t epoch = 0; epoch < kDraws; ++epoch) {
    shuffle(3, epoch, {order, n});
    unsigned seen = 0;
    for (int64_t k = 0; k < n; ++k) {
      seen |= 1u << order[k];
      ++counts[k][order[k]];
    }
    assert_int_equal(seen, (1u << n) - 1);
  }
  // Chi-square with 25 degrees of freedom: above 60.1 once in 10000.
  double chi = 0;
  for (const auto &row : counts)
    for (int64_t c : row) chi += (static_cast<double>(c) - kDraws / 6.0) * (static_cast<double>(c) - kDraws / 6.0) / (kDraws / 6.0);
  assert_true(chi < 60.1);
  // Masks: 1000 sequences, 7 sites, 100 epochs; 6 degrees of freedom, above 27.9 once in 10000.
  std::vector<int64_t> masks(1000);
  int64_t sites[7] = {};
  for (uint64_t epoch = 0; epoch < 100; ++epoch) {
    draw_masks(3, epoch, 7, {masks.data(), 1000});
    for (int64_t m : masks) {
      assert_in_range(m, 0, 6);
      ++sites[m];
    }
  }
  chi = 0;
  for (int64_t c : sites) chi += (static_cast<double>(c) - 1e5 / 7) * (static_cast<double>(c) - 1e5 / 7) / (1e5 / 7);
  assert_true(chi < 27.9);
}

}  // namespace

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_matter),   cmocka_unit_test(pieces_do_not_matter), cmocka_unit_test(interruptions_do_not_matter),
      cmocka_unit_test(callbacks_cancel),        cmocka_unit_test(nothing_is_allocated), cmocka_unit_test(mismatches_are_named),
      cmocka_unit_test(orders_are_permutations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
