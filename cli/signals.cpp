// SPDX-License-Identifier: MIT
#include "signals.hpp"

#include <atomic>
#include <csignal>

namespace cli {

namespace {

static_assert(std::atomic<atp_trainer *>::is_always_lock_free, "needed in signal handlers");
std::atomic<bool> came{false};
std::atomic<atp_trainer *> running_trainer{nullptr};
std::atomic<atp_transformer *> running_network{nullptr};
std::atomic<atp_sampler *> running_sampler{nullptr};

void on_signal(int) {
  came.store(true);
  atp_trainer_request_stop(running_trainer.load());
  atp_transformer_request_stop(running_network.load());
  atp_sampler_request_stop(running_sampler.load());
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  // SA_RESETHAND: the second signal has its usual effect.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A full pipe or file-size limit is an error of the write, with a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() { return came.load(); }

StopOnSignal::StopOnSignal(atp_trainer *trainer) { running_trainer.store(trainer); }

StopOnSignal::StopOnSignal(atp_transformer *network) { running_network.store(network); }

StopOnSignal::StopOnSignal(atp_sampler *sampler) { running_sampler.store(sampler); }

StopOnSignal::~StopOnSignal() {
  running_trainer.store(nullptr);
  running_network.store(nullptr);
  running_sampler.store(nullptr);
}

}  // namespace cli
