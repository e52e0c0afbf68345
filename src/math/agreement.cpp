// SPDX-License-Identifier: MIT
#include "math/agreement.hpp"

#include "base/philox.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

constexpr ColumnInfo kMeasured[] = {
    {"mutations", "", "number of mutations of the mutants in the group; 0: all mutants"},
    {"measure", "atp_agreement", "an atp_agreement"},
    {"mutants", "", "number of measured mutants in the group"},
    {"value", "", "the measure; NaN where it is not defined"},
    {"low", "", "lower end of its 95 per cent interval; NaN without draws"},
    {"high", "", "upper end of its 95 per cent interval; NaN without draws"},
};

}  // namespace

constexpr TableKind kMeasuredTable = kind_of(ATP_TABLE_MEASURED, "ATP_TABLE_MEASURED", kMeasured);

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Sets order to 0..n-1 by ascending values; equal values by index.
void sort_by(const double *values, Span<int64_t> order) {
  for (int64_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
}

// Calls take(first, end) for each run of equal values in the order.
template <class Take>
void each_tie(const double *values, Span<const int64_t> order, Take &&take) {
  for (int64_t first = 0; first < order.size();) {
    int64_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    take(first, end);
    first = end;
  }
}

// Twice the mean ranks less n + 1: whole numbers with the mean 0.
void centred_ranks(const double *values, Span<int64_t> order, double *ranks) {
  sort_by(values, order);
  each_tie(values, {order.data(), order.size()}, [&](int64_t first, int64_t end) {
    for (int64_t k = first; k < end; ++k) ranks[order[k]] = static_cast<double>(first + end - order.size());
  });
}

double spearman(const AgreementProblem &p, const AgreementWork &work) {
  centred_ranks(p.x, work.order, work.a.data());
  centred_ranks(p.y, work.order, work.b.data());
  double xx = 0, yy = 0, xy = 0;
  for (int64_t k = 0; k < p.n; ++k) {
    xx = std::fma(work.a[k], work.a[k], xx);
    yy = std::fma(work.b[k], work.b[k], yy);
    xy = std::fma(work.a[k], work.b[k], xy);
  }
  return xx > 0 && yy > 0 ? xy / (std::sqrt(xx) * std::sqrt(yy)) : kNone;
}

double pairs_among(int64_t n) { return 0.5 * static_cast<double>(n) * static_cast<double>(n - 1); }

// Sorts values and returns the number of exchanges of neighbours that this takes: merge sort. [Knight 1966]
double count_exchanges(double *values, double *buffer, int64_t n) {
  double exchanges = 0;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * width) {
      const int64_t middle = std::min(begin + width, n), end = std::min(begin + 2 * width, n);
      int64_t left = begin, right = middle;
      for (int64_t k = begin; k < end; ++k) {
        const bool from_right = left == middle || (right < end && values[right] < values[left]);
        if (from_right) exchanges += static_cast<double>(middle - left);
        buffer[k] = from_right ? values[right++] : values[left++];
      }
    }
    std::copy_n(buffer, n, values);
  }
  return exchanges;
}

double kendall(const AgreementProblem &p, const AgreementWork &work) {
  const Span<int64_t> order = work.order;
  for (int64_t k = 0; k < p.n; ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (p.x[a] != p.x[b]) return p.x[a] < p.x[b];
    return p.y[a] != p.y[b] ? p.y[a] < p.y[b] : a < b;
  });
  double tied_x = 0, tied_y = 0, tied_both = 0;
  each_tie(p.x, {order.data(), p.n}, [&](int64_t first, int64_t end) {
    tied_x += pairs_among(end - first);
    each_tie(p.y, {order.data() + first, end - first}, [&](int64_t low, int64_t high) { tied_both += pairs_among(high - low); });
  });
  double *y = work.a.data();
  for (int64_t k = 0; k < p.n; ++k) y[k] = p.y[order[k]];
  const double discordant = count_exchanges(y, work.b.data(), p.n);
  for (int64_t first = 0; first < p.n;) {  // y is sorted now
    int64_t end = first + 1;
    while (end < p.n && y[end] == y[first]) ++end;
    tied_y += pairs_among(end - first);
    first = end;
  }
  const double all = pairs_among(p.n), untied_x = all - tied_x, untied_y = all - tied_y;
  const double difference = all - tied_x - tied_y + tied_both - 2 * discordant;
  return untied_x > 0 && untied_y > 0 ? difference / (std::sqrt(untied_x) * std::sqrt(untied_y)) : kNone;
}

// By the sum of the ranks of the positives (Mann and Whitney).
double auc(const AgreementProblem &p, const AgreementWork &work) {
  centred_ranks(p.x, work.order, work.a.data());
  double positives = 0, sum = 0;
  for (int64_t k = 0; k < p.n; ++k) {
    if (!(p.y[k] > 0)) continue;
    positives += 1;
    sum += work.a[k];
  }
  const double others = static_cast<double>(p.n) - positives;
  return positives > 0 && others > 0 ? 0.5 + 0.5 * sum / (positives * others) : kNone;
}

// The share of each value in the `top` largest: 1, 0, or where equal values compete the chance of one of them.
void share_of_top(const double *values, int64_t top, Span<int64_t> order, double *share) {
  sort_by(values, order);
  const int64_t n = order.size(), outside = n - top;
  each_tie(values, {order.data(), n}, [&](int64_t first, int64_t end) {
    const int64_t inside = end - std::max(first, std::min(outside, end));
    for (int64_t k = first; k < end; ++k) share[order[k]] = static_cast<double>(inside) / static_cast<double>(end - first);
  });
}

double recall(const AgreementProblem &p, const AgreementWork &work) {
  share_of_top(p.x, p.top, work.order, work.a.data());
  share_of_top(p.y, p.top, work.order, work.b.data());
  double found = 0;
  for (int64_t k = 0; k < p.n; ++k) found = std::fma(work.a[k], work.b[k], found);
  return found / static_cast<double>(p.top);
}

// Linear between the order statistics of sorted values.
double quantile(const double *sorted, int64_t n, double level) {
  const double place = level * static_cast<double>(n - 1);
  const int64_t below = std::min(static_cast<int64_t>(place), n - 1), above = std::min(below + 1, n - 1);
  return std::fma(place - static_cast<double>(below), sorted[above] - sorted[below], sorted[below]);
}

}  // namespace

double agreement(const AgreementProblem &problem, const AgreementWork &space) {
  const int64_t n = problem.n;
  const AgreementWork work{space.x.sub(0, n), space.y.sub(0, n), space.a.sub(0, n), space.b.sub(0, n), space.order.sub(0, n)};
  switch (problem.measure) {
    case Agreement::spearman: return spearman(problem, work);
    case Agreement::kendall: return kendall(problem, work);
    case Agreement::auc: return auc(problem, work);
    case Agreement::recall: return recall(problem, work);
  }
  return kNone;
}

Interval bootstrap(const AgreementProblem &problem, uint64_t seed, Threads threads, Span<const AgreementWork> works, Span<double> values) {
  parallel_for(threads, values.size(), [&](int64_t draw, int thread) {
    const AgreementWork &work = works[thread];
    const RandomView random(seed, Stream::bootstrap, static_cast<uint64_t>(draw), 0);
    for (int64_t k = 0; k < problem.n; ++k) {
      const uint32_t from = random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(problem.n));
      work.x[k] = problem.x[from];
      work.y[k] = problem.y[from];
    }
    values[draw] = agreement({problem.measure, work.x.data(), work.y.data(), problem.n, problem.top}, work);
  });
  const double *end = std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  const int64_t n = end - values.begin();
  if (n == 0) return {kNone, kNone};
  std::sort(values.data(), values.data() + n);
  return {quantile(values.data(), n, 0.025), quantile(values.data(), n, 0.975)};
}

namespace {

// Work space for problems of at most n pairs.
struct AgreementSpace {
  Span<AgreementWork> works;  // [threads], one without draws
  Span<double> values;        // [draws]

  AgreementSpace(Arena &arena, int64_t n, const Draws &draws, int threads) {
    works = arena.take<AgreementWork>(draws.count == 0 ? 1 : int64_t{threads});
    for (int64_t t = 0; t < works.size(); ++t) {
      const AgreementWork work{arena.take<double>(n), arena.take<double>(n), arena.take<double>(n), arena.take<double>(n),
                               arena.take<int64_t>(n)};
      if (!arena.measuring()) works[t] = work;
    }
    values = arena.take<double>(draws.count);
  }
};

Measure measure(const AgreementProblem &problem, const Draws &draws, Threads threads, const AgreementSpace &space) {
  const double value = agreement(problem, space.works[0]);
  if (draws.count == 0) return {value, {kNone, kNone}};
  return {value, bootstrap(problem, draws.seed, threads, {space.works.data(), space.works.size()}, space.values)};
}

}  // namespace

Measure measure_agreement(Context &context, const AgreementProblem &problem, const Draws &draws) {
  const Scratch memory(context.allocator, bytes_taken([&](Arena &arena) { AgreementSpace(arena, problem.n, draws, context.threads); }));
  Arena arena = memory.arena();
  return measure(problem, draws, context.threads, AgreementSpace(arena, problem.n, draws, context.threads));
}

void bootstrap_errors(Span<const double> values, int64_t numbers, Span<double> sorted, double *errors) {
  for (int64_t number = 0; number < numbers; ++number, errors += ATP_BOOTSTRAP_COLUMNS) {
    int64_t n = 0;
    double sum = 0, squares = 0;
    for (int64_t k = number; k < values.size(); k += numbers)
      if (!std::isnan(values[k])) sum += sorted[n++] = values[k];
    const double mean = sum / static_cast<double>(n);  // NaN without a value
    for (int64_t k = 0; k < n; ++k) squares += (sorted[k] - mean) * (sorted[k] - mean);
    std::sort(sorted.data(), sorted.data() + n);
    errors[ATP_BOOTSTRAP_SAMPLES] = static_cast<double>(n);
    errors[ATP_BOOTSTRAP_MEAN] = mean;
    errors[ATP_BOOTSTRAP_ERROR] = n < 2 ? kNone : std::sqrt(squares / static_cast<double>(n - 1));
    errors[ATP_BOOTSTRAP_LOW] = n == 0 ? kNone : quantile(sorted.data(), n, 0.025);
    errors[ATP_BOOTSTRAP_HIGH] = n == 0 ? kNone : quantile(sorted.data(), n, 0.975);
  }
}

namespace {

constexpr int64_t kSmallestGroup = 10;

// Calls take(number) for the numbers of mutations that have a group of their own, in ascending order.
template <class Take>
void each_number(const MeasuredMutants &mutants, Span<int64_t> order, Take &&take) {
  int64_t n = 0;
  for (int64_t k = 0; k < mutants.n; ++k)
    if (!std::isnan(mutants.measured[k])) order[n++] = mutants.mutations[k];
  std::sort(order.data(), order.data() + n);
  if (n == 0 || order[0] == order[n - 1]) return;  // the group of all
  for (int64_t first = 0, end = 0; first < n; first = end) {
    while (end < n && order[end] == order[first]) ++end;
    if (end - first >= kSmallestGroup) take(order[first]);
  }
}

double median(Span<double> values) {
  std::sort(values.begin(), values.end());
  const int64_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

// A group's scores, measurements and work space, for groups of at most n mutants.
struct GroupSpace {
  Span<double> x, y, positive;
  AgreementSpace measures;
  GroupSpace(Arena &arena, int64_t n, const Draws &draws, int threads)
      : x(arena.take<double>(n)), y(arena.take<double>(n)), positive(arena.take<double>(n)), measures(arena, n, draws, threads) {}
};

// Four rows: the measures of the mutants with this number of mutations, 0: of all.
void measure_group(const MeasuredMutants &mutants, int64_t number, const GroupSettings &settings, Threads threads, const GroupSpace &space,
                   Table &table) {
  int64_t n = 0;
  for (int64_t k = 0; k < mutants.n; ++k) {
    if (std::isnan(mutants.measured[k]) || (number != 0 && mutants.mutations[k] != number)) continue;
    space.x[n] = mutants.scores[k];
    space.y[n] = space.positive[n] = mutants.measured[k];
    ++n;
  }
  const double threshold = std::isnan(settings.threshold) ? median(space.positive.sub(0, n)) : settings.threshold;
  for (int64_t k = 0; k < n; ++k) space.positive[k] = space.y[k] > threshold ? 1 : 0;
  const int64_t top = std::min(n, settings.top == 0 ? std::max<int64_t>(1, n / 10) : settings.top);
  const Span<double> rows = table.room(4);
  int64_t row = 0;
  for (const Agreement kind : {Agreement::spearman, Agreement::kendall, Agreement::auc, Agreement::recall}) {
    const double *y = kind == Agreement::auc ? space.positive.data() : space.y.data();
    const Measure found = atp::measure({kind, space.x.data(), y, n, top}, settings.draws, threads, space.measures);
    double *out = rows.data() + row++ * ATP_MEASURED_COLUMNS;
    out[ATP_MEASURED_MUTATIONS] = static_cast<double>(number);
    out[ATP_MEASURED_MEASURE] = static_cast<double>(kind);
    out[ATP_MEASURED_MUTANTS] = static_cast<double>(n);
    out[ATP_MEASURED_VALUE] = found.value;
    out[ATP_MEASURED_LOW] = found.interval.low;
    out[ATP_MEASURED_HIGH] = found.interval.high;
  }
  table.append(4);
}

}  // namespace

int64_t count_groups(Context &context, const MeasuredMutants &mutants) {
  const Scratch order(context.allocator, Scratch::piece<int64_t>(mutants.n));
  int64_t groups = 1;
  each_number(mutants, order.arena().take<int64_t>(mutants.n), [&](int64_t) { ++groups; });
  return groups;
}

void measure_groups(Context &context, const MeasuredMutants &mutants, const GroupSettings &settings, Table &table) {
  const Scratch memory(context.allocator, bytes_taken([&](Arena &arena) {
                         GroupSpace(arena, mutants.n, settings.draws, context.threads);
                         arena.take<int64_t>(mutants.n);
                       }));
  Arena arena = memory.arena();
  const GroupSpace space(arena, mutants.n, settings.draws, context.threads);
  const Span<int64_t> order = arena.take<int64_t>(mutants.n);
  const auto measure = [&](int64_t number) { measure_group(mutants, number, settings, context.threads, space, table); };
  measure(0);
  each_number(mutants, order, measure);
}

}  // namespace atp
