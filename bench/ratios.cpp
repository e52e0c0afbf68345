// SPDX-License-Identifier: MIT
// Speed of the library relative to direct scalar float64 code, as CSV: name,ours,reference,ratio,unit.
// Usage: ratios [--communicator | --brief | --ours] [--calls N] [name...]. The SIMD target is the best of the machine, or ATP_SIMD. Rates
// are medians over repeats that take turns; one thread is measured by its own processor time, two threads by the clock on the wall. With
// --communicator the reference is the same library in a context without ranks, and ours is one whose communicator has one rank. --brief is
// for bench/guard.py: one thread alone, short repeats, and the best of them, since other programs only make a repeat slower. --ours is the
// same without the reference and the comparison with it. With --calls each case makes N calls of ours and nothing is measured: for programs
// that count instructions.
#include "ratios.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr int kRepeats = 9;
constexpr double kSeconds = 0.1;  // of one repeat
constexpr double kBriefSeconds = 0.02;

struct Context {
  explicit Context(int64_t threads) {
    ratios::check(atp_context_create(nullptr, nullptr, nullptr, &handle));
    ratios::check(atp_context_set_threads(handle, threads));
  }
  ~Context() { atp_context_destroy(handle); }
  atp_context *handle = nullptr;
};

// A communicator of one rank has nothing to pass on.
int gather_alone(void *, const int64_t *, void *) { return 0; }
int sum_alone(int64_t *, int64_t, void *) { return 0; }
int broadcast_alone(void *, int64_t, int64_t, void *) { return 0; }

void be_one_rank(const Context &context) {
  const atp_ranks ranks{sizeof(atp_ranks), 0, 1, nullptr, &gather_alone, &sum_alone, &broadcast_alone};
  ratios::check(atp_context_set_ranks(context.handle, &ranks));
}

// Processor time of this thread if it runs alone, so that other programs of the machine matter little.
double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double wall_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Work>
double rate(double (*clock)(), Work &&work, double least = kSeconds) {
  const double begin = clock();
  double units = 0, seconds = 0;
  while (seconds < least) {
    units += work();
    seconds = clock() - begin;
  }
  return units / seconds;
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

void print(const std::string &name, double ours, double reference, const char *unit) {
  std::printf("%s,%.4g,%.4g,%.3g,%s\n", name.c_str(), ours, reference, ours / reference, unit);
  std::fflush(stdout);
}

void run(const ratios::Entry &entry) {
  std::vector<double> ours, reference, two, one;
  {
    Context context(1);
    const std::unique_ptr<ratios::Case> c = entry.make(context.handle);
    c->ours();
    c->reference();
    for (int k = 0; k < kRepeats; ++k) {
      ours.push_back(rate(&thread_seconds, [&] { return c->ours(); }));
      reference.push_back(rate(&thread_seconds, [&] { return c->reference(); }));
    }
  }
  print(entry.name, median(ours), median(reference), entry.unit);
  if (!entry.two_threads || !atp_has_feature("threads")) return;
  Context first(1), second(2);
  const std::unique_ptr<ratios::Case> a = entry.make(first.handle), b = entry.make(second.handle);
  a->ours();
  b->ours();
  for (int k = 0; k < kRepeats; ++k) {
    one.push_back(rate(&wall_seconds, [&] { return a->ours(); }));
    two.push_back(rate(&wall_seconds, [&] { return b->ours(); }));
  }
  print(std::string(entry.name) + "_2threads", median(two), median(one), entry.unit);
}

void run_brief(const ratios::Entry &entry, bool with_reference) {
  Context context(1);
  const std::unique_ptr<ratios::Case> c = entry.make(context.handle);
  c->ours();
  const auto our_rate = [&] {
    return rate(
        &thread_seconds, [&] { return c->ours(); }, kBriefSeconds);
  };
  const auto reference_rate = [&] {
    return rate(
        &thread_seconds, [&] { return c->reference(); }, kBriefSeconds);
  };
  double ours = 0, reference = 0;
  for (int k = 0; k < kRepeats; ++k) {
    ours = std::max(ours, our_rate());
    if (with_reference) reference = std::max(reference, reference_rate());
  }
  if (with_reference)
    print(entry.name, ours, reference, entry.unit);
  else
    std::printf("%s,%.4g,,,%s\n", entry.name, ours, entry.unit);
}

// Ours: a context of one rank. The reference: a context without ranks.
void run_communicator(const ratios::Entry &entry) {
  Context with(1), without(1);
  be_one_rank(with);
  const std::unique_ptr<ratios::Case> a = entry.make(with.handle), b = entry.make(without.handle);
  std::vector<double> ours, reference;
  a->ours();
  b->ours();
  // Each goes first as often as the other.
  for (int k = 0; k < 2 * kRepeats; ++k) {
    if (k % 2) reference.push_back(rate(&thread_seconds, [&] { return b->ours(); }));
    ours.push_back(rate(&thread_seconds, [&] { return a->ours(); }));
    if (k % 2 == 0) reference.push_back(rate(&thread_seconds, [&] { return b->ours(); }));
  }
  print(entry.name, median(ours), median(reference), entry.unit);
}

// N calls of ours, in a context of one rank or without ranks.
void call(const ratios::Entry &entry, long calls, bool communicator) {
  Context context(1);
  if (communicator) be_one_rank(context);
  const std::unique_ptr<ratios::Case> c = entry.make(context.handle);
  for (long k = 0; k < calls; ++k) c->ours();
}

void print_head(bool communicator, bool brief) {
  const Context context(1);
  std::printf("# attopotts %s, SIMD target %s, one thread%s\n", atp_version_string(), atp_context_simd(context.handle),
              brief ? "" : " (rows NAME_2threads: two threads against one)");
  if (communicator)
    std::printf("# reference: the library without ranks; ours: a communicator of one rank; medians of %d repeats\n", 2 * kRepeats);
  else
    std::printf("# reference: obvious scalar float64 code with the same compiler flags; rates are %s of %d repeats\n",
                brief ? "the best" : "medians", kRepeats);
  std::printf("name,ours,reference,ratio,unit\n");
}

std::vector<ratios::Entry> all_entries() {
  std::vector<ratios::Entry> entries;
  for (const auto &cases : {ratios::gibbs_cases(), ratios::attention_cases(), ratios::weight_cases(), ratios::plm_cases(),
                            ratios::transformer_cases(), ratios::dotattn_cases(), ratios::pair_cases()})
    entries.insert(entries.end(), cases.begin(), cases.end());
  return entries;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    const std::vector<ratios::Entry> entries = all_entries();
    const bool communicator = argc > 1 && std::strcmp(argv[1], "--communicator") == 0;
    if (communicator) --argc, ++argv;
    const bool alone = !communicator && argc > 1 && std::strcmp(argv[1], "--ours") == 0;
    const bool brief = alone || (!communicator && argc > 1 && std::strcmp(argv[1], "--brief") == 0);
    if (brief) --argc, ++argv;
    ratios::compares = !alone;
    const long calls = argc > 2 && std::strcmp(argv[1], "--calls") == 0 ? std::strtol(argv[2], nullptr, 10) : 0;
    if (calls > 0) argc -= 2, argv += 2;
    for (int k = 1; k < argc; ++k)
      if (std::none_of(entries.begin(), entries.end(), [&](const ratios::Entry &e) { return std::strcmp(e.name, argv[k]) == 0; })) {
        std::fprintf(stderr, "ratios: no case \"%s\"; there are:\n", argv[k]);
        for (const ratios::Entry &e : entries) std::fprintf(stderr, "  %s\n", e.name);
        return 2;
      }
    if (calls == 0) print_head(communicator, brief);
    for (const ratios::Entry &e : entries) {
      if (argc > 1 && std::none_of(argv + 1, argv + argc, [&](const char *name) { return std::strcmp(e.name, name) == 0; })) continue;
      if (calls > 0)
        call(e, calls, communicator);
      else
        communicator ? run_communicator(e) : brief ? run_brief(e, !alone) : run(e);
    }
  } catch (const std::exception &e) {
    std::fprintf(stderr, "ratios: %s\n", e.what());
    return 1;
  }
  return 0;
}
