// SPDX-License-Identifier: MIT
// --test-split: sequences of a file as a training set and a test set without similar sequences.
#include "run/files.hpp"
#include "flags/validators.hpp"
#include "run/settings.hpp"
#include "run/signals.hpp"

namespace cli {

void add_test_split(CLI::App *app, std::optional<double> &identity) {
  app->add_option(
         "--test-split", identity,
         "split the sequences at random into a training set and a test set (Cobalt): no test sequence has more than the fraction X "
         "of its columns in common with a training sequence. --set identity-test=0.5 is the same among test sequences")
      ->transform(fraction())
      ->type_name("X");
}

TrainingAndTest read_split(const Session &session, InputFile file, const DataFlags &flags, const Rows &rows, const atp_model *like,
                           double identity) {
  const std::string label = file.label, path = file.path;
  const Alignment all = read_data(session, std::move(file), flags.before_split(), rows, like);
  const EndAtOnce splitting(fmt::format("interrupted while splitting {}; nothing was kept", path));
  Options options = options_of(session, ATP_OWNER_SPLIT);
  options.set(ATP_OPT_IDENTITY, identity);
  attopotts::Split split = labelled(path + ": --test-split", [&] { return attopotts::split(session.context, all, &options); });
  const int64_t training = split.training.count(), test = split.test.count(), count = all.count();
  session.say("{}: --test-split {:.6g}: {} training and {} test sequences, {} of {} not used", path, identity, training, test,
              count - training - test, count);
  DataFlags weighed = flags.after_split();
  TrainingAndTest made;
  made.training = prepare(session, label, path + ", training set", std::move(split.training), weighed, {});
  weighed.save_weights.clear();
  made.test = prepare(session, label, path + ", test set", std::move(split.test), weighed, {});
  return made;
}

}  // namespace cli
