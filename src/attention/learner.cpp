// SPDX-License-Identifier: MIT
#include "attention/learner.hpp"

#include "attention/dense_trainer.hpp"
#include "attention/site_trainer.hpp"
#include "attention/trainer.hpp"

namespace atp {

namespace {

// function(type tag, settings) for the family, the kind of problem and the precision that the options ask for.
template <class T>
struct Tag {
  using Type = T;
};

template <class Function>
auto choose(const Options &options, int64_t count, int64_t sites, int64_t colors, Function &&function) {
  if (options.integer(ATP_OPT_FAMILY) == ATP_FAMILY_FACTORED) {
    if (options.flag(ATP_OPT_ASYMMETRIC)) fail(ATP_E_CONFLICT, "asymmetric belongs to family dense: factored attention is one problem");
    return function(Tag<Trainer>(), trainer_settings(options, count, sites, colors));
  }
  const DenseSettings settings = dense_settings(options, count, sites, colors);
  if (settings.asymmetric && settings.precision == 64) return function(Tag<SiteTrainer<DensePassF64>>(), settings);
  if (settings.asymmetric) return function(Tag<SiteTrainer<DensePassF32>>(), settings);
  if (settings.precision == 64) return function(Tag<DenseTrainer<DensePassF64>>(), settings);
  return function(Tag<DenseTrainer<DensePassF32>>(), settings);
}

// A rate or a batch that was set and that L-BFGS does not use.
void warn_of_unused(const Context &context, const Options &options) {
  if (options.integer(ATP_OPT_OPTIMIZER) != ATP_OPTIMIZER_LBFGS) return;
  for (const OptionInfo &info : kOptions)
    if ((info.key == ATP_OPT_RATE || info.key == ATP_OPT_BATCH) && options.real(info.key) != info.initial)
      context.message(ATP_LOG_WARNING,
                      "option %s is %g and has no effect: optimizer is lbfgs, which uses all sequences and searches its step", info.name,
                      options.real(info.key));
}

}  // namespace

std::size_t learner_bytes(Context &context, const Options &options, int64_t count, int64_t sites, int64_t colors) {
  return choose(options, count, sites, colors,
                [&](auto tag, const auto &settings) { return bytes_of<typename decltype(tag)::Type>(&context, settings); });
}

Learner *create_learner(Context &context, const Options &options, const Alignment &train) {
  return choose(options, train.count(), train.sites(), train.colors(), [&](auto tag, const auto &settings) -> Learner * {
    warn_of_unused(context, options);
    Learner *learner = create_in_block<typename decltype(tag)::Type>(context.allocator, &context, settings);
    learner->init(train);
    return learner;
  });
}

}  // namespace atp
