// SPDX-License-Identifier: MIT
#include "support/signals.hpp"

#include "support/errors.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {

namespace {

static_assert(std::atomic<atp_trainer *>::is_always_lock_free, "needed in signal handlers");
static_assert(std::atomic<int64_t>::is_always_lock_free, "needed in signal handlers");
std::atomic<bool> came{false}, muted{false};
std::atomic<int64_t> first_time{0};  // milliseconds of the first signal; 0: none so far
std::atomic<atp_trainer *> running_trainer{nullptr};
std::atomic<atp_transformer *> running_network{nullptr};
std::atomic<atp_sampling *> running_sampling{nullptr};
std::atomic<pid_t> children[kMostChildren];  // 0: none

// Texts for the signal handler, which may neither allocate nor format. A text is complete before a pointer to it is stored.
constexpr std::size_t kLine = 4096;
char last_line[kLine], lock_name[kLine];
std::atomic<const char *> last_words{nullptr}, lock_file{nullptr};
std::atomic<int> lock_descriptor{-1};

// One request may arrive as several signals: timeout(1) and a closing terminal signal both the process and its group.
constexpr int64_t kSameRequest = 1000;  // milliseconds

int64_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1000000 + 1;
}

void remove_lock() {
  const char *lock = lock_file.load();
  struct stat opened, named;  // another file may have the name by now
  if (lock != nullptr && fstat(lock_descriptor.load(), &opened) == 0 && lstat(lock, &named) == 0 && opened.st_ino == named.st_ino &&
      opened.st_dev == named.st_dev)
    unlink(lock);
}

void end_at_once() {
  const char *words = last_words.load();
  if (words == nullptr) return;
  if (!muted.load()) (void)!write(STDERR_FILENO, words, std::strlen(words));
  remove_lock();
  _exit(kInterrupted);
}

void on_terminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc &) {
    const int status = out_of_memory();
    remove_lock();
    _exit(status);
  } catch (...) {
  }
  std::abort();
}

void on_signal(int number) {
  const int kept_errno = errno;
  end_at_once();
  for (const std::atomic<pid_t> &child : children)
    if (const pid_t process = child.load(); process > 0) kill(process, number);
  int64_t none = 0;
  const int64_t now = milliseconds();
  const bool first = first_time.compare_exchange_strong(none, now);
  if (!first && number != SIGHUP && now - first_time.load() > kSameRequest) {
    // A second request: the signal's default action, after this handler returns.
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  came.store(true);
  atp_trainer_request_stop(running_trainer.load());
  atp_transformer_request_stop(running_network.load());
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
  struct sigaction action = {}, before = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Stays ignored under nohup(1).
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // A closed pipe or a file-size limit makes the write fail, with a message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void install_terminate_handler() { std::set_terminate(on_terminate); }

bool interrupted() { return came.load(); }

void forward_signals_to(pid_t child) {
  for (std::atomic<pid_t> &place : children)
    if (pid_t none = 0; place.compare_exchange_strong(none, child)) return;
}

void forget_child(pid_t child) {
  for (std::atomic<pid_t> &place : children)
    if (pid_t same = child; place.compare_exchange_strong(same, 0)) return;
}

void remove_when_ended(const std::string &path, int descriptor) {
  lock_file.store(nullptr);
  lock_descriptor.store(descriptor);
  if (!path.empty() && path.size() < kLine) show_to_handler(path, lock_name, lock_file);
}

void mute_last_words() { muted.store(true); }

EndAtOnce::EndAtOnce(const std::string &text) {
  if (interrupted()) throw Failure(kInterrupted, text);
  outermost_ = last_words.load() == nullptr;
  if (outermost_) show_to_handler("attopotts: " + text + "\n", last_line, last_words);
  // A signal may have arrived before the handler could see the text.
  if (interrupted()) {
    if (outermost_) last_words.store(nullptr);
    throw Failure(kInterrupted, text);
  }
}

EndAtOnce::~EndAtOnce() {
  if (outermost_) last_words.store(nullptr);
}

FinishFirst::FinishFirst() : words_(last_words.exchange(nullptr)) {}

FinishFirst::~FinishFirst() { last_words.store(words_); }

StopOnSignal::StopOnSignal(atp_trainer *trainer) { running_trainer.store(trainer); }

StopOnSignal::StopOnSignal(atp_transformer *network) { running_network.store(network); }

StopOnSignal::StopOnSignal(atp_sampling *run) { running_sampling.store(run); }

StopOnSignal::~StopOnSignal() {
  running_trainer.store(nullptr);
  running_network.store(nullptr);
  running_sampling.store(nullptr);
}

}  // namespace cli
