// SPDX-License-Identifier: MIT
#include "run/signals.hpp"

#include "run/errors.hpp"
#include "run/system.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <unistd.h>

namespace cli {

namespace {

static_assert(std::atomic<atp_trainer *>::is_always_lock_free, "needed in signal handlers");
static_assert(std::atomic<int64_t>::is_always_lock_free, "needed in signal handlers");
std::atomic<bool> came{false}, muted{false}, seen_by_person{false};
std::atomic<int64_t> first_time{0};  // milliseconds of the first signal; 0: none so far
std::atomic<atp_trainer *> running_trainer{nullptr};
std::atomic<atp_sampling *> running_sampling{nullptr};
std::atomic<pid_t> child{0};  // 0: none

// Texts for the signal handler, which may neither allocate nor format. A text is complete before a pointer to it is stored.
constexpr std::size_t kLine = 4096;
char last_line[kLine], lock_name[kLine];
std::atomic<const char *> last_words{nullptr}, lock_file{nullptr};
std::atomic<int> lock_descriptor{-1};

constexpr char kNothingKept[] = "attopotts: interrupted; files that were not finished are as they were before\n";

// One request may arrive as several signals: timeout(1) and a closing terminal signal both the process and its group.
constexpr int64_t kSameRequest = 1000;  // milliseconds

int64_t milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() + 1;
}

void remove_own_lock() {
  const char *lock = lock_file.load();
  if (lock != nullptr) remove_lock(lock, lock_descriptor.load());
}

void end_at_once() {
  const char *words = last_words.load();
  if (words == nullptr) return;
  if (!muted.load()) (void)!write(STDERR_FILENO, words, std::strlen(words));
  remove_own_lock();
  _exit(kInterrupted);
}

void on_terminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc &) {
    const int status = out_of_memory();
    remove_own_lock();
    _exit(status);
  } catch (...) {
  }
  std::abort();
}

void on_signal(int number) {
  const int kept_errno = errno;
  if (const pid_t process = child.load(); process > 0) send_signal(process, number);
  end_at_once();
  int64_t none = 0;
  const int64_t now = milliseconds();
  const bool first = first_time.compare_exchange_strong(none, now);
  if (!first && number != kHangUp && now - first_time.load() > kSameRequest) {
    // A second request: the signal's default action, after this handler returns.
    end_by_signal(number);
  }
  // An epoch of a large problem takes many seconds.
  constexpr char waits[] = "\r\x1b[Kattopotts: ends at the next state that can be kept; another signal ends it at once\n";
  if (first && seen_by_person.load() && !muted.load()) (void)!write(STDERR_FILENO, waits, sizeof waits - 1);
  came.store(true);
  atp_trainer_request_stop(running_trainer.load());
  atp_sampling_request_stop(running_sampling.load());
  errno = kept_errno;
}

void show_to_handler(const std::string &text, char *buffer, std::atomic<const char *> &place) {
  place.store(nullptr);
  const std::size_t n = text.copy(buffer, kLine - 1);
  buffer[n] = '\0';
  place.store(buffer);
}

}  // namespace

void install_signal_handlers() {
  seen_by_person.store(is_terminal(STDERR_FILENO));
  handle_signals(on_signal);
}

void install_terminate_handler() { std::set_terminate(on_terminate); }

bool interrupted() { return came.load(); }

void forward_signals_to(pid_t process) { child.store(process); }

void remove_when_ended(const std::string &path, int descriptor) {
  lock_file.store(nullptr);
  lock_descriptor.store(descriptor);
  if (!path.empty() && path.size() < kLine) show_to_handler(path, lock_name, lock_file);
}

void mute_last_words() { muted.store(true); }

EndAtOnce::EndAtOnce() : EndAtOnce("") {}

EndAtOnce::EndAtOnce(const std::string &text) : outer_(last_words.load()) {
  const std::string line = text.empty() ? kNothingKept : "attopotts: " + text + "\n";
  const auto end = [&] { throw Failure(kInterrupted, line.substr(line.find(' ') + 1, line.size() - line.find(' ') - 2)); };
  if (interrupted()) end();
  if (text.empty() && outer_ == nullptr) last_words.store(kNothingKept);
  if (!text.empty() && (outer_ == nullptr || outer_ == kNothingKept)) show_to_handler(line, last_line, last_words);
  if (!interrupted()) return;
  // A signal has arrived before the handler could see the text.
  last_words.store(outer_);
  end();
}

EndAtOnce::~EndAtOnce() { last_words.store(outer_); }

FinishFirst::FinishFirst() : words_(last_words.exchange(nullptr)) {}

FinishFirst::~FinishFirst() {
  last_words.store(words_);
  if (interrupted()) end_at_once();
}

StopOnSignal::StopOnSignal(atp_trainer *trainer) { running_trainer.store(trainer); }

StopOnSignal::StopOnSignal(atp_sampling *run) { running_sampling.store(run); }

StopOnSignal::~StopOnSignal() {
  running_trainer.store(nullptr);
  running_sampling.store(nullptr);
}

}  // namespace cli
