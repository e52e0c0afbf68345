// SPDX-License-Identifier: MIT
// Errors of couplings and scores from the regressions of single sites: against the sandwich of all unknowns, and against what small changes
// of the weight of each sequence do to models that are learned again.
#include "small_potts.hpp"

#include "learn/asymptotics/site_errors.hpp"
#include "potts/scores.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

constexpr int64_t kSites = 4, kColors = 3, kCount = 150, kPairs = kSites * kSites, kBlock = kColors * kColors;
constexpr double kCouplings = 0.8, kFields = 0.5;

std::initializer_list<std::pair<atp_option, double>> trained() {
  static const std::initializer_list<std::pair<atp_option, double>> options = {{ATP_OPT_FAMILY, ATP_FAMILY_DENSE},
                                                                               {ATP_OPT_ASYMMETRIC, 1},
                                                                               {ATP_OPT_L2_COUPLINGS, kCouplings},
                                                                               {ATP_OPT_L2_FIELDS, kFields},
                                                                               {ATP_OPT_PRECISION, 64},
                                                                               {ATP_OPT_TOLERANCE, 1e-11},
                                                                               {ATP_OPT_EPOCHS, 10000}};
  return options;
}

Owner<Model> learned(SmallPotts &potts, const Alignment &data) {
  Trainer *t = potts.trainer(data, options_of(trained()));
  run(*t, 10000);
  return Owner<Model>(t->make_model());
}

void weigh(Alignment &data) {
  for (int64_t n = 0; n < data.count(); ++n) data.weights[n] = 0.3 + 0.1 * static_cast<double>(n % 7);
}

struct Found {
  std::vector<double> couplings = std::vector<double>(kPairs * kBlock), norms = std::vector<double>(kPairs),
                      corrected = std::vector<double>(kPairs);
};

Found errors_of(SmallPotts &potts, const Model &model, const Alignment &data, int64_t left_out) {
  AsymptoticsSettings s;
  s.l2_couplings = kCouplings;
  s.l2_fields = kFields;
  Found found;
  const int64_t bytes = potts.context.allocator.bytes();
  site_errors(potts.context, model, data, s, {found.couplings.data(), found.norms.data(), found.corrected.data(), left_out});
  assert_int_equal(potts.context.allocator.bytes(), bytes);
  return found;
}

// With one-hot inputs the means of couplings over the other site's colours act as fields, too: (L - 1) / (q l2_couplings) on top of
// 1 / (2 l2_fields) in the kernel. With that penalty on the fields the reduced coordinates give the same.
void regressions_agree_with_all_unknowns(void **) {
  SmallPotts potts(kSites, kColors, 0.8, 3);
  Alignment *data = potts.sample(kCount, 5);
  weigh(*data);
  const Owner<Model> model = learned(potts, *data);
  const Found found = errors_of(potts, *model, *data, -1);
  const double kernel = 0.5 / kFields + static_cast<double>(kSites - 1) / (static_cast<double>(kColors) * kCouplings);
  std::vector<double> wanted(kPairs * kBlock);
  asymptotics(potts.context, *model, data,
              asymptotics_settings(
                  *model, options_of({{ATP_OPT_ASYMMETRIC, 1}, {ATP_OPT_L2_COUPLINGS, kCouplings}, {ATP_OPT_L2_FIELDS, 0.5 / kernel}},
                                     kAsymptoticsOptions)),
              {nullptr, wanted.data()});
  for (size_t k = 0; k < wanted.size(); ++k) assert_close(found.couplings[k], wanted[k], 1e-6, 1e-12);
  potts.context.threads = 3;
  assert_memory_equal(errors_of(potts, *model, *data, -1).norms.data(), found.norms.data(), kPairs * sizeof(double));
}

std::vector<double> scores_of(const Model &model, bool corrected, int64_t left_out) {
  std::vector<double> scores(kPairs), scratch(static_cast<size_t>(frobenius_scratch(kColors, 1)));
  const Team one(1);
  frobenius_norms(model, ATP_SCORE_ZERO_SUM, left_out, one, {scratch.data(), static_cast<int64_t>(scratch.size())}, scores.data());
  if (corrected) average_product_correction(scores.data(), kSites, scores.data());
  return scores;
}

// error^2 = sum_n w_n (dS / dw_n)^2 - (sum_n w_n dS / dw_n)^2 / sum w, derivatives by differences of trainings. They agree within 1.5 per
// cent, not better, because curvature and residuals are those of the averaged copies, not of each regression's own.
void scores_move_with_weights(void **) {
  SmallPotts potts(kSites, kColors, 0.8, 3);
  Alignment *data = potts.sample(kCount, 5);
  weigh(*data);
  const Owner<Model> model = learned(potts, *data);
  const double step = 1e-3;
  constexpr size_t kinds = 4;  // norms and corrected scores, without a colour and with all
  const auto scores = [](const Model &m, size_t kind) { return scores_of(m, kind % 2 == 1, kind < 2 ? -1 : 0); };
  std::vector<double> first(kinds * kPairs), second(kinds * kPairs);
  double total = 0;
  for (int64_t n = 0; n < kCount; ++n) {
    const double w = data->weights[n];
    total += w;
    data->weights[n] = w + step;
    const Owner<Model> up = learned(potts, *data);
    data->weights[n] = w - step;
    const Owner<Model> down = learned(potts, *data);
    data->weights[n] = w;
    for (size_t kind = 0; kind < kinds; ++kind) {
      const std::vector<double> above = scores(*up, kind), below = scores(*down, kind);
      for (size_t k = 0; k < kPairs; ++k) {
        const double change = (above[k] - below[k]) / (2 * step);
        first[kind * kPairs + k] += w * change;
        second[kind * kPairs + k] += w * change * change;
      }
    }
  }
  for (size_t kind = 0; kind < kinds; ++kind) {
    const Found found = errors_of(potts, *model, *data, kind < 2 ? -1 : 0);
    const std::vector<double> &errors = kind % 2 == 0 ? found.norms : found.corrected;
    for (size_t k = 0; k < kPairs; ++k) {
      const double mean = first[kind * kPairs + k];
      if (k % (kSites + 1) != 0) assert_close(errors[k], std::sqrt(second[kind * kPairs + k] - mean * mean / total), 0.015, 0);
    }
  }
}

void refusals(void **) {
  SmallPotts potts(kSites, kColors, 0.8, 3);
  AsymptoticsSettings s;
  double norms[kPairs];
  s.l2_fields = 1;
  for (int k = 0; k < 2; ++k) {
    try {
      site_errors(potts.context, *potts.truth, *potts.states, s, {nullptr, norms, nullptr, -1});
      fail_msg("not refused");
    } catch (const Error &error) {
      assert_int_equal(error.status(), ATP_E_CONFLICT);
    }
    s.l2_couplings = 1;
    s.learned.factored = true;
  }
}

}  // namespace

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regressions_agree_with_all_unknowns),
      cmocka_unit_test(scores_move_with_weights),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
