// SPDX-License-Identifier: MIT
// Runs of replica exchange follow each other, each from new random starts, until one is accepted:
//
//   the coldest rung is above the target, in equilibrium            -> add colder rungs
//   the same, not in equilibrium                                    -> double the sweeps
//   the run crosses the target, not in equilibrium or too noisy     -> new rungs, three of them about the crossing, and more sweeps
//
// The search ends with the first run that is good enough, and so it selects: ladders that have missed a rare valley give a distance that
// is too small, and an error that is too small, too. The result is therefore not taken from the search but from a measurement, a run with
// new random numbers, four times as many ladders and at least twice as many sweeps. Its length is fixed before it is seen, so that it is
// rarely made again.
//
// The measurement moves the crossing by what the search was off. The slope of the curve there must be right, or the move is too long and
// the distance at the new beta is off by more than the stated error. Two rungs therefore stand where the distance is kBracket above and
// below the target.
//
// The hottest rung is beta = 0, where every sweep is an independent sample. A replica that comes down from
// there has no memory of its start, for any model. The energy alone does not tell which of several valleys a
// replica is in. A run is therefore in equilibrium if
//   R-hat of the energy is small,
//   the distance between ladders is the same in both halves of the run,
//   and it equals the distance of a ladder to itself half a run later (ladders that are stuck in different valleys are further apart).
// The search ends if its jackknife error is also below kRoughPrecision, the measurement if it is below kPrecision.
#include "sample/tune_beta.hpp"

#include "base/philox.hpp"
#include "base/span.hpp"
#include "math/search.hpp"
#include "sample/ladder_length.hpp"
#include "sample/ladder_run.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kSearchShare = 4;  // the search has a quarter of the ladders
constexpr int64_t kFirstRungs = 6, kGrowth = 4;
constexpr int64_t kFirstSweeps = 512, kMostSweeps = int64_t{1} << 17;
constexpr double kRoughRhat = 1.1;                // R-hat that suffices to add colder rungs
constexpr double kRoughPrecision = 0.01;          // standard error of the mean distance that ends the search
constexpr double kPrecision = 0.005;              // and the measurement
constexpr double kBracket = 3 * kRoughPrecision;  // distances of the rungs beside the crossing from the target
constexpr double kApart = 1e-4;                   // of these rungs from it, at least, relative
constexpr double kAgreement = 3;                  // allowed difference, in standard errors
constexpr double kFrozen = 0.05;                  // below this heat capacity the whole system does not leave its ground states
constexpr int kEnergySamples = 256;

// Standard deviation of the energy at beta = 0.
double random_energy_deviation(Context &context, const Model &model, uint64_t seed) {
  Scratch scratch(context.allocator, Scratch::piece<uint8_t>(model.sites()));
  Arena arena = scratch.arena();
  const Span<uint8_t> sequence = arena.take<uint8_t>(model.sites());
  double energies[kEnergySamples], mean = 0, squares = 0;
  for (int k = 0; k < kEnergySamples; ++k) {
    const RandomView random(seed, Stream::start, static_cast<uint64_t>(k), 0);
    for (int64_t i = 0; i < model.sites(); ++i)
      sequence[i] = static_cast<uint8_t>(random.below(static_cast<uint64_t>(i), static_cast<uint32_t>(model.colors())));
    energies[k] = energy_of(model, true, sequence.data());
    mean += energies[k] / kEnergySamples;
  }
  for (double e : energies) squares += (e - mean) * (e - mean) / kEnergySamples;
  return std::sqrt(squares);
}

// A curve through measured points (x_k, y_k), x increasing: piecewise cubic, monotone wherever the points are.
// Source: F. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5, 300 (1984), with secants as slopes at both ends.
struct DistanceCurve {
  Span<const double> x, y;  // at least two points

  // Beyond the ends the curve continues as a straight line.
  double value(double at) const;
  // The smallest x at which the curve, which starts above the level, reaches it. May lie on the straight line
  // after the last point. Infinite if that line does not fall.
  double crossing(double level) const;

 private:
  double slope(int64_t k) const;
  double within(int64_t k, double at) const;  // on the piece from k to k + 1
};

double DistanceCurve::slope(int64_t k) const {
  const int64_t last = x.size() - 1;
  const auto secant = [&](int64_t j) { return (y[j + 1] - y[j]) / (x[j + 1] - x[j]); };
  if (k == 0) return secant(0);
  if (k == last) return secant(last - 1);
  const double left = secant(k - 1), right = secant(k);
  if (left * right <= 0) return 0;
  const double h_left = x[k] - x[k - 1], h_right = x[k + 1] - x[k];
  const double w_left = 2 * h_right + h_left, w_right = h_right + 2 * h_left;
  return (w_left + w_right) / (w_left / left + w_right / right);
}

double DistanceCurve::within(int64_t k, double at) const {
  const double h = x[k + 1] - x[k], t = (at - x[k]) / h;
  const double s0 = h * slope(k), s1 = h * slope(k + 1), rise = y[k + 1] - y[k];
  return y[k] + t * (s0 + t * (3 * rise - 2 * s0 - s1 + t * (s0 + s1 - 2 * rise)));
}

double DistanceCurve::value(double at) const {
  const int64_t last = x.size() - 1;
  if (at <= x[0]) return y[0] + slope(0) * (at - x[0]);
  if (at >= x[last]) return y[last] + slope(last) * (at - x[last]);
  const int64_t k = std::upper_bound(x.begin(), x.end(), at) - x.begin() - 1;
  return within(std::min(k, last - 1), at);
}

double DistanceCurve::crossing(double level) const {
  const int64_t last = x.size() - 1;
  int64_t k = 1;
  while (k <= last && y[k] > level) ++k;
  if (k > last) return slope(last) < 0 ? x[last] + (level - y[last]) / slope(last) : HUGE_VAL;
  return bisect_times(200, {x[k - 1], x[k]}, [&](double at) { return within(k - 1, at) > level; }).high;
}

class Tuner {
 public:
  Tuner(Context &context, const Model &model, const TuneOptions &options, double target, Reporter &reporter)
      : context_(context),
        model_(model),
        options_(options),
        target_(target),
        reporter_(reporter),
        scratch_(context.allocator, 4 * Scratch::piece<double>(options.max_rungs)) {
    Arena arena = scratch_.arena();
    for (Span<double> *array : {&betas_, &next_, &deviations_, &distances_}) *array = arena.take<double>(options.max_rungs);
    best_ = {0, HUGE_VAL, 1 - 1.0 / static_cast<double>(model.colors()), 0, ATP_OUTCOME_MAX_ITER};
  }

  TuneResult tune(double deviation_at_zero) {
    rungs_ = std::min(kFirstRungs, options_.max_rungs);
    for (int64_t k = 0; k < rungs_; ++k) betas_[k] = static_cast<double>(k) * LadderLength::kStep / deviation_at_zero;
    RunProgress progress;
    int64_t sweeps = kFirstSweeps;
    for (uint64_t number = 0; sweeps > 0; ++number) {
      LadderRun run(context_, model_, measuring_ ? options_.ladders : options_.ladders / kSearchShare, betas_.sub(0, rungs_));
      if (!run.make(sweeps, run_seed(options_.seed, number), reporter_, progress)) {
        best_.outcome = ATP_OUTCOME_CANCELLED;
        break;
      }
      const int64_t factor = judge(run);
      // A factor of 1 repeats the run at colder temperatures; 0 ends the search.
      sweeps = factor > 1 && sweeps == kMostSweeps ? 0 : std::min(factor * sweeps, kMostSweeps);
    }
    return best_;
  }

 private:
  // Stores the results of a run in best_ and lays the rungs of the next one. Returns the factor by which the
  // number of sweeps grows; 0: this was the last run.
  int64_t judge(const LadderRun &run) {
    for (int64_t k = 0; k < rungs_; ++k) deviations_[k] = run.energy_deviation(k);
    const DistanceCurve whole = curve(run, Pairs::ladders, -1);
    int64_t below = 1;  // the first rung at or below the target distance
    while (below < rungs_ && whole.y[below] > target_) ++below;
    const RhatTest mixing = run.rhat(std::min(below + 1, rungs_));
    if (below == rungs_) {
      keep_coldest(run);
      if (mixing.rhat > kRoughRhat || !consistent(run, best_.beta)) return 2;
      return frozen() ? 2 : grow() ? 1 : 0;
    }
    measure(run);
    const bool equilibrium = consistent(run, best_.beta) && mixing.agreed() && std::isfinite(best_.beta_error);
    if (measuring_ && equilibrium && best_.hamming_error <= kPrecision) {
      best_.outcome = ATP_OUTCOME_CONVERGED;
      return 0;
    }
    if (!respace()) return 0;
    const double wanted = measuring_ ? kPrecision : kRoughPrecision;
    if (measuring_ || !equilibrium || best_.hamming_error > wanted) return growth(wanted, best_.hamming_error, mixing);
    measuring_ = true;
    return growth(kPrecision, best_.hamming_error / std::sqrt(static_cast<double>(kSearchShare)), mixing);
  }

  // By which factor the number of sweeps must grow for an error of `precision`. R-hat^2 - 1 and squared errors fall with the length of the
  // run. The estimate gets a margin of 20 per cent.
  static int64_t growth(double precision, double error, RhatTest mixing) {
    const double noise = error / precision, excess = (mixing.rhat * mixing.rhat - 1) / (mixing.limit * mixing.limit - 1);
    const double wanted = 1.2 * std::max(noise * noise, excess);
    return wanted > 4 ? 8 : wanted > 2 ? 4 : 2;
  }

  DistanceCurve curve(const LadderRun &run, Pairs pairs, int64_t without) {
    run.distances(pairs, without, distances_.data());
    return {betas_.sub(0, rungs_), distances_.sub(0, rungs_)};
  }

  double distance(const LadderRun &run, Pairs pairs, int64_t without, double beta) { return curve(run, pairs, without).value(beta); }

  // Beta at the crossing, and the errors.
  void measure(const LadderRun &run) {
    const DistanceCurve whole = curve(run, Pairs::ladders, -1);
    const double beta = whole.crossing(target_);
    before_ = whole.crossing(target_ + kBracket);
    after_ = whole.crossing(target_ - kBracket);
    Jackknife beta_error, hamming_error;
    for (int64_t c = 0; c < run.ladders(); ++c) {
      beta_error.add(curve(run, Pairs::ladders, c).crossing(target_));
      hamming_error.add(distance(run, Pairs::ladders, c, beta));
    }
    best_ = {beta, beta_error.error(), target_, hamming_error.error(), ATP_OUTCOME_MAX_ITER};
  }

  // Whether the kinds of distance agree at a beta within their errors: first and second half, another ladder
  // and the same ladder later.
  bool consistent(const LadderRun &run, double beta) {
    const auto halves = [&](int64_t without) {
      return distance(run, Pairs::first_half, without, beta) - distance(run, Pairs::second_half, without, beta);
    };
    const auto later = [&](int64_t without) {
      return distance(run, Pairs::ladders, without, beta) - distance(run, Pairs::later, without, beta);
    };
    Jackknife halves_error, later_error;
    for (int64_t c = 0; c < run.ladders(); ++c) {
      halves_error.add(halves(c));
      later_error.add(later(c));
    }
    return std::fabs(halves(-1)) <= kAgreement * halves_error.error() && std::fabs(later(-1)) <= kAgreement * later_error.error();
  }

  // The run did not reach the target: stores the coldest rung as the best result.
  void keep_coldest(const LadderRun &run) {
    Jackknife error;
    for (int64_t c = 0; c < run.ladders(); ++c) error.add(curve(run, Pairs::ladders, c).y[rungs_ - 1]);
    const double hamming = curve(run, Pairs::ladders, -1).y[rungs_ - 1];
    best_ = {betas_[rungs_ - 1], HUGE_VAL, hamming, error.error(), ATP_OUTCOME_MAX_ITER};
  }

  // True if colder rungs would show the same states. Fails if the target is then certainly out of reach: no
  // such beta exists.
  bool frozen() const {
    const double fluctuation = betas_[rungs_ - 1] * deviations_[rungs_ - 1];
    if (fluctuation * fluctuation >= kFrozen) return false;
    if (best_.hamming - target_ > 4 * best_.hamming_error)
      fail(ATP_E_VALUE,
           "target is %g, but the mean Hamming distance stays at %.4f down to zero temperature: the model has equivalent ground states",
           target_, best_.hamming);
    return true;
  }

  // Adds colder rungs. Returns false if the maximum number of rungs does not allow it.
  bool grow() {
    const LadderLength length(betas_.sub(0, rungs_), deviations_.sub(0, rungs_));
    const double total = length.total() + kGrowth * LadderLength::kStep;
    return lay_rungs(length, total, static_cast<int64_t>(std::ceil(total / LadderLength::kStep)), options_.max_rungs - 1);
  }

  // Lays rungs up to the one before the crossing, one exactly there, and one after it, each at most a step from the crossing.
  bool respace() {
    const LadderLength length(betas_.sub(0, rungs_), deviations_.sub(0, rungs_));
    const double crossing = length.at(best_.beta), first = length.beta(std::max(crossing - LadderLength::kStep, crossing / 2));
    const double last = std::min(1.5 * best_.beta, length.beta(crossing + LadderLength::kStep));
    const double before = std::min(std::max(before_, first), (1 - kApart) * best_.beta), to_before = length.at(before);
    if (!lay_rungs(length, to_before, std::max<int64_t>(1, static_cast<int64_t>(std::ceil(to_before / LadderLength::kStep))),
                   options_.max_rungs - 3))
      return false;
    betas_[rungs_ - 1] = before;
    betas_[rungs_] = best_.beta;
    betas_[rungs_ + 1] = std::max(std::min(after_, last), (1 + kApart) * best_.beta);
    rungs_ += 2;
    return true;
  }

  // Lays rungs 0..steps (at most `limit`) at equal steps of the length up to `end`. Returns false if these
  // would be too wide.
  bool lay_rungs(const LadderLength &length, double end, int64_t steps, int64_t limit) {
    steps = std::min(steps, limit);
    const double step = end / static_cast<double>(steps);
    if (step > LadderLength::kWidest) return false;
    for (int64_t k = 0; k <= steps; ++k) next_[k] = length.beta(static_cast<double>(k) * step);
    rungs_ = steps + 1;
    std::copy_n(next_.begin(), rungs_, betas_.begin());
    return true;
  }

  Context &context_;
  const Model &model_;
  TuneOptions options_;
  double target_;
  Reporter &reporter_;
  Scratch scratch_;
  Span<double> betas_, next_, deviations_, distances_;
  int64_t rungs_ = 0;
  bool measuring_ = false;
  double before_ = 0, after_ = 0;  // where the distance is kBracket above and below the target
  TuneResult best_;
};

}  // namespace

TuneOptions::TuneOptions(const Options &options)
    : seed(static_cast<uint64_t>(options.integer(ATP_OPT_SEED))),
      ladders(options.integer(ATP_OPT_CHAINS)),
      max_rungs(options.integer(ATP_OPT_TEMPERATURES)) {}

TuneResult tune_beta(Context &context, const Model &model, const TuneOptions &options, double target, Reporter &reporter) {
  const double highest = 1 - 1.0 / static_cast<double>(model.colors());
  if (!(target > 0 && target < highest))
    fail(ATP_E_VALUE, "target is %g, must be above 0 and below %.6g, the mean Hamming distance of random sequences", target, highest);
  if (model.shape.ordered)
    fail(ATP_E_CONFLICT, "model: it is autoregressive, and replica exchange is for Potts models; set its beta instead of tuning it");
  if (!model.symmetric()) fail(ATP_E_CONFLICT, "model: replica exchange needs an energy, and the couplings are not symmetric");
  const double deviation = random_energy_deviation(context, model, options.seed);
  if (!(deviation > 0)) fail(ATP_E_VALUE, "model: all energies are equal, the mean Hamming distance is %.6g at every beta", highest);
  return Tuner(context, model, options, target, reporter).tune(deviation);
}

}  // namespace atp
