// SPDX-License-Identifier: MIT
#include "learn/learner.hpp"

#include "learn/dense/batch_trainer.hpp"
#include "learn/dense/dense_trainer.hpp"
#include "learn/dense/site_trainer.hpp"
#include "learn/factored/trainer.hpp"

#include <cstring>
#include <initializer_list>
#include <utility>

namespace atp {

namespace {

// function(type tag, settings) for the family, the kind of problem and the precision that the options ask for.
template <class T>
struct Tag {
  using Type = T;
};

template <class Function>
auto choose(const Options &options, const AlignmentShape &data, const PairLists *lists, Function &&function) {
  const int64_t count = data.count, sites = data.sites, colors = data.colors;
  if (options.integer(ATP_OPT_FAMILY) == ATP_FAMILY_FACTORED) {
    if (options.flag(ATP_OPT_ASYMMETRIC)) fail(ATP_E_CONFLICT, "asymmetric belongs to family dense: factored attention is one problem");
    if (lists != nullptr) fail(ATP_E_CONFLICT, "family is factored: only dense couplings (family dense) can have a list of pairs");
    return function(Tag<Trainer>(), trainer_settings(options, count, sites, colors));
  }
  const DenseSettings settings = dense_settings(options, count, sites, colors, lists);
  if (settings.stochastic() && settings.precision == 64) return function(Tag<BatchTrainer<DensePassF64>>(), settings);
  if (settings.stochastic()) return function(Tag<BatchTrainer<DensePassF32>>(), settings);
  if (settings.asymmetric && settings.precision == 64) return function(Tag<SiteTrainer<DensePassF64>>(), settings);
  if (settings.asymmetric) return function(Tag<SiteTrainer<DensePassF32>>(), settings);
  if (settings.precision == 64) return function(Tag<DenseTrainer<DensePassF64>>(), settings);
  return function(Tag<DenseTrainer<DensePassF32>>(), settings);
}

// A line in the log for each option that is not at its default and that this trainer does not use.
void warn_of_unused(const Context &context, const Options &options) {
  const bool dense = options.integer(ATP_OPT_FAMILY) == ATP_FAMILY_DENSE;
  const bool lowrank = options.integer(ATP_OPT_MAP) == ATP_MAP_LOWRANK;
  const auto warn = [&](bool unused, std::initializer_list<atp_option> keys, const char *why) {
    if (!unused) return;
    for (atp_option key : keys)
      if (const OptionInfo &info = kOptions[option_index(key)]; options.real(key) != info.initial)
        context.message(ATP_LOG_WARNING, "option %s is %g and has no effect: %s", info.name, options.real(key), why);
  };
  warn(options.integer(ATP_OPT_OPTIMIZER) == ATP_OPTIMIZER_LBFGS, {ATP_OPT_RATE, ATP_OPT_BATCH, ATP_OPT_SCHEDULE},
       "optimizer is lbfgs, which uses all sequences and searches its step");
  warn(dense,
       {ATP_OPT_L2_COLORS, ATP_OPT_L2_PAIRS, ATP_OPT_NORM_PAIRS, ATP_OPT_NORM_FIELDS, ATP_OPT_SYMMETRIZED, ATP_OPT_INIT_SCALE,
        ATP_OPT_INITIAL, ATP_OPT_SCHEDULE, ATP_OPT_MASK_PROBABILITY},
       "it belongs to factored attention, and family is dense");
  warn(!dense && !lowrank, {ATP_OPT_RANK}, "it belongs to maps of low rank");
  warn(!dense, {ATP_OPT_L2_SCALE}, "it belongs to family dense");
}

// Lists in a block of their own, until a learner takes them.
class Lists {
 public:
  Lists(Context &context, int64_t sites, const int64_t *pairs, int64_t count) : allocator_(context.allocator) {
    check_pair_count(count, sites, "pairs");
    lists_ = create_in_block<PairLists>(allocator_, sites, count);
    try {
      lists_->init(pairs);
    } catch (...) {
      destroy_block(allocator_, lists_);
      throw;
    }
  }
  ~Lists() { destroy_block(allocator_, lists_); }
  Lists(const Lists &) = delete;
  Lists &operator=(const Lists &) = delete;
  PairLists *get() const { return lists_; }
  PairLists *release() { return std::exchange(lists_, nullptr); }

 private:
  Allocator &allocator_;
  PairLists *lists_ = nullptr;
};

// Without a gap among the symbols, colour 0 is a letter like the others.
void warn_of_gaps(const Context &context, const Options &options, const Alignment &train) {
  const char first = train.alphabet[0];
  if (options.integer(ATP_OPT_GAPS) == ATP_GAPS_IGNORE && first != '\0' && std::strchr("-._~*", first) == nullptr)
    context.message(ATP_LOG_WARNING,
                    "gaps are ignored, and the alphabet begins with '%c', which is no gap: the sites that have it are not learned", first);
}

AlignmentShape shape_of(int64_t count, int64_t sites, int64_t colors) {
  AlignmentShape shape;
  shape.count = count;
  shape.sites = sites;
  shape.colors = colors;
  return shape;
}

std::size_t bytes_with(Context &context, const Options &options, const AlignmentShape &data, const PairLists *lists) {
  return choose(options, data, lists,
                [&](auto tag, const auto &settings) { return bytes_of<typename decltype(tag)::Type>(&context, settings); });
}

Learner *create_with(Context &context, const Options &options, const Alignment &train, const PairLists *lists) {
  return choose(options, shape_of(train.count(), train.sites(), train.colors()), lists, [&](auto tag, const auto &settings) -> Learner * {
    warn_of_unused(context, options);
    warn_of_gaps(context, options, train);
    auto *learner = create_in_block<typename decltype(tag)::Type>(context.allocator, &context, settings);
    try {
      learner->init(train);
    } catch (...) {
      learner->release();
      destroy_block(context.allocator, learner);
      throw;
    }
    return learner;
  });
}

}  // namespace

std::size_t learner_bytes(Context &context, const Options &options, int64_t count, int64_t sites, int64_t colors) {
  return bytes_with(context, options, shape_of(count, sites, colors), nullptr);
}

std::size_t learner_bytes(Context &context, const Options &options, const AlignmentShape &data, const int64_t *pairs, int64_t pair_count) {
  const Lists lists(context, data.sites, pairs, pair_count);
  return bytes_with(context, options, data, lists.get()) + lists.get()->block_bytes;
}

Learner *create_learner(Context &context, const Options &options, const Alignment &train) {
  return create_with(context, options, train, nullptr);
}

Learner *create_learner(Context &context, const Options &options, const Alignment &train, const int64_t *pairs, int64_t pair_count) {
  Lists lists(context, train.sites(), pairs, pair_count);
  Learner *learner = create_with(context, options, train, lists.get());
  learner->lists = lists.release();
  return learner;
}

}  // namespace atp
