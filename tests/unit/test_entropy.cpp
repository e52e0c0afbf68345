// SPDX-License-Identifier: MIT
// Entropy and log Z of Boltzmann learning's verifications, against the sums over all states.
#include "dense_problem.hpp"
#include "small_potts.hpp"

#include "potts/enumerate.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

constexpr double kNan = NAN;

struct Row {
  double entropy = kNan, entropy_error = kNan, log_z = kNan, log_z_error = kNan, pearson = kNan;
};

int keep(const atp_progress *progress, void *user) {
  const double *values = progress->values;
  static_cast<std::vector<Row> *>(user)->push_back({values[ATP_PROGRESS_ENTROPY], values[ATP_PROGRESS_ENTROPY_ERROR],
                                                    values[ATP_PROGRESS_LOG_Z], values[ATP_PROGRESS_LOG_Z_ERROR],
                                                    values[ATP_PROGRESS_PEARSON_RANDOM]});
  return 0;
}

// A run of two steps of almost no size from parameters of a size, of which the last is verified.
std::vector<Row> verified(SmallPotts &potts, int family, double size, uint64_t seed, double *log_z, double *entropy) {
  Options options = options_of({{ATP_OPT_FAMILY, family},
                                {ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD},
                                {ATP_OPT_FIELDS, 1},
                                {ATP_OPT_CHAINS, 64},
                                {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD},
                                {ATP_OPT_RATE, 1e-12},
                                {ATP_OPT_PSEUDOCOUNT, 0.01},
                                {ATP_OPT_TARGET, 0.999},
                                {ATP_OPT_EPOCHS, 2},
                                {ATP_OPT_SEED, double(seed)}});
  if (family == ATP_FAMILY_FACTORED) options.set(ATP_OPT_HEADS, int64_t{2});
  Trainer &t = *potts.trainer(*potts.sample(400, 7), options);
  set(t, DenseProblem::parameters(t, size, seed));
  std::vector<Row> rows;
  run(t, 2, keep, &rows);
  Model *model = t.make_model();
  StateSums sums;
  double energy = 0;
  sums.log_z = log_z;
  sums.energy = &energy;
  enumerate_states(*model, sums);
  *entropy = *log_z + energy;
  destroy_block(potts.context.allocator, model);
  return rows;
}

// Deviations over the standard errors of 40 estimates. Their root mean square is 1 within 0.35, and none is above 4.5: false alarms below
// 1e-3, for errors of log Z from 128 chains, and of the mean energy from four halves of samples, whose deviations have Student's t with 3
// degrees of freedom at worst.
void estimates_agree_with_all_states(void **) {
  SmallPotts potts(6, 3, 0.6, 3);
  double squares[2] = {}, most[2] = {}, error = 0, difference = 0;
  int n = 0;
  for (const int family : {ATP_FAMILY_DENSE, ATP_FAMILY_FACTORED})
    for (uint64_t seed = 1; seed <= 20; ++seed, ++n) {
      double log_z = 0, entropy = 0;
      const std::vector<Row> rows = verified(potts, family, family == ATP_FAMILY_DENSE ? 0.4 : 0.7, seed, &log_z, &entropy);
      assert_int_equal(rows.size(), 2);
      assert_true(std::isnan(rows[0].entropy) && std::isnan(rows[0].log_z) && std::isnan(rows[0].pearson));
      const Row &row = rows[1];
      const double z[] = {(row.log_z - log_z) / row.log_z_error, (row.entropy - entropy) / row.entropy_error};
      for (int k = 0; k < 2; ++k) squares[k] += z[k] * z[k], most[k] = std::fmax(most[k], std::fabs(z[k]));
      error += row.entropy_error / 40;
      difference += std::fabs(row.entropy - entropy) / 40;
    }
  print_message("log Z: rms %.2f, most %.2f; entropy: rms %.2f, most %.2f; mean error %.4f, mean difference %.4f\n",
                std::sqrt(squares[0] / n), most[0], std::sqrt(squares[1] / n), most[1], error, difference);
  for (int k = 0; k < 2; ++k) {
    assert_close(std::sqrt(squares[k] / n), 1, 0, 0.35);
    assert_true(most[k] < 4.5);
  }
  assert_true(error < 0.05);
}

// Nobody listens: the run has the same bits.
void estimates_change_nothing(void **) {
  std::vector<unsigned char> states[2];
  for (int k = 0; k < 2; ++k) {
    DenseProblem p(60, 7, 5);
    p.context.threads = 1 + k;
    Trainer &t = p.trainer(dense_options(
        {{ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD}, {ATP_OPT_CHAINS, 100}, {ATP_OPT_TARGET, 0.99}, {ATP_OPT_EPOCHS, 30}}));
    std::vector<Row> rows;
    run_all(t, 30, k == 0 ? nullptr : keep, &rows);
    states[k].resize(static_cast<size_t>(state_bytes(t.saved_bytes())));
    t.save(states[k].data(), static_cast<int64_t>(states[k].size()));
    if (k == 0) continue;
    int64_t known = 0;
    for (const Row &row : rows) {
      assert_true(std::isnan(row.entropy) == std::isnan(row.log_z));
      known += std::isnan(row.entropy) ? 0 : 1;
    }
    assert_true(known > 0);
  }
  assert_true(states[0] == states[1]);
}

}  // namespace

static const struct CMUnitTest kTests[] = {
    cmocka_unit_test(estimates_agree_with_all_states),
    cmocka_unit_test(estimates_change_nothing),
};

ATP_TEST_MAIN(kTests)
