// SPDX-License-Identifier: MIT
#include "base/team.hpp"

#include "base/system.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace atp {

namespace {

// Stack size of the helpers. Tasks keep their arrays in work space; the stack is for kernels and LAPACK. Sanitizers pad every local array.
#if defined(__SANITIZE_ADDRESS__) || ATP_HAS_TSAN
constexpr std::size_t kStack = 8 << 20;
#else
constexpr std::size_t kStack = 1 << 20;
#endif

// A waiting thread spins this long before it sleeps. Helpers are then still awake when calls follow each other closely.
constexpr std::chrono::microseconds kSpin{100};

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The number at the start of an environment variable; 0 if there is none.
long leading_number(const char *name) {
  const char *text = std::getenv(name);
  return text == nullptr ? 0 : std::max(0L, std::strtol(text, nullptr, 10));
}

// A word that one thread waits for and other threads change.
class Word {
 public:
  explicit Word(uint32_t value) : value_(value) {}
  uint32_t exchange(uint32_t value) { return value_.exchange(value, std::memory_order_acq_rel); }
  bool replace(uint32_t from, uint32_t to) { return value_.compare_exchange_strong(from, to, std::memory_order_acq_rel); }
  void set(uint32_t value) { value_.store(value, std::memory_order_release); }

  // Stores a value, and wakes the waiting thread if it sleeps.
  void tell(uint32_t value, uint32_t asleep) {
    if (exchange(value) != asleep) return;
    monitor_.lock();
    monitor_.wake();
    monitor_.unlock();
  }
  // Waits while the word is `idle`; `asleep` marks a sleeping thread. Returns the new value.
  uint32_t wait(uint32_t idle, uint32_t asleep, bool spin) {
    uint32_t now = value_.load(std::memory_order_acquire);
    if (spin && now == idle) {
      const auto end = std::chrono::steady_clock::now() + kSpin;
      do {
        for (int k = 0; k < 32 && now == idle; ++k) {
          relax();
          now = value_.load(std::memory_order_acquire);
        }
      } while (now == idle && std::chrono::steady_clock::now() < end);
    }
    if (now != idle) return now;
    monitor_.lock();
    for (;;) {
      replace(idle, asleep);
      now = value_.load(std::memory_order_acquire);
      if (now != asleep) break;
      monitor_.wait();
    }
    monitor_.unlock();
    return now;
  }

 private:
  std::atomic<uint32_t> value_;
  Monitor monitor_;
};

enum State : uint32_t { kIdle, kAsleep, kCalled, kRunning, kStop };  // of a helper
enum Progress : uint32_t { kOpen, kCallerSleeps, kDone };            // of a call

}  // namespace

// One helper thread.
struct alignas(128) Team::Helper {
  explicit Helper(Crew &owner, int number) : crew(owner), index(number) {}
  Crew &crew;
  int index;  // 1, 2, ...
  SystemThread thread;
  Word state{kIdle};
};

// The existing helper threads and their current call.
struct Team::Crew {
  int made = 0;  // helpers[0..made-1] run
  std::atomic<bool> spin{true};
  Call call = nullptr;
  void *function = nullptr;
  int64_t tasks = 0;
  int size = 0;
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  alignas(128) std::atomic<int64_t> next{0};
  alignas(128) std::atomic<int> running{0};
  Word progress{kDone};

  Helper *helper(int k) { return std::launder(reinterpret_cast<Helper *>(reinterpret_cast<char *>(this) + sizeof(Crew)) + k); }
  void work(int thread);
  void finish(int leaving);
  void live(Helper &self);
};

void Team::Crew::work(int thread) {
  try {
    if (ATP_HAS_TSAN) {
      for (int64_t task = thread; task < tasks; task += size) call(function, task, thread);
      return;
    }
    for (int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) call(function, task, thread);
  } catch (...) {
    if (!failed.exchange(true)) error = std::current_exception();
    next.store(tasks, std::memory_order_relaxed);
  }
}

// Counts `leaving` helpers as done.
void Team::Crew::finish(int leaving) {
  if (running.fetch_sub(leaving, std::memory_order_acq_rel) == leaving) progress.tell(kDone, kCallerSleeps);
}

void Team::Crew::live(Helper &self) {
  for (;;) {
    if (self.state.wait(kIdle, kAsleep, spin) == kStop) return;
    if (!self.state.replace(kCalled, kRunning)) continue;  // dismissed
    work(self.index);
    self.state.set(kIdle);
    finish(1);
  }
}

int default_threads() {
  if (!kHasThreads) return 1;
  const long asked = leading_number("OMP_NUM_THREADS"), limit = leading_number("OMP_THREAD_LIMIT");
  const long most = limit > 0 ? std::min<long>(limit, kMaxThreads) : kMaxThreads;
  // ThreadSanitizer finds races between two threads even on one core.
  return static_cast<int>(std::min(asked > 0 ? asked : ATP_HAS_TSAN ? std::max(2, usable_cores()) : usable_cores(), most));
}

Team &Team::operator=(int threads) {
  asked_ = threads;
  forget_parent();
  refused_ = 0;
  if (crew_ != nullptr && crew_->made > 0) start();
  return *this;
}

void Team::set_warning(Warning warning, void *user) {
  warning_ = warning;
  warning_user_ = user;
}

// For a child process: the parent's threads do not exist here, and their state at the fork is unknown. Their pages are not freed.
void Team::forget_parent() const {
  pid_t owner = owner_.load(std::memory_order_relaxed);
  if (owner == 0 || owner == process_number() || !owner_.compare_exchange_strong(owner, 0)) return;
  crew_ = nullptr;
  refused_ = 0;
  busy_.store(false, std::memory_order_relaxed);
}

bool Team::hire(Crew &crew, int index) const {
  Helper *helper = new (crew.helper(index - 1)) Helper(crew, index);
  return helper->thread.start(
      kStack,
      [](void *self) {
        Helper *me = static_cast<Helper *>(self);
        me->crew.live(*me);
      },
      helper);
}

// False if the system has no pages for it.
bool Team::make_crew() const {
  if (crew_ != nullptr) return true;
  void *pages = map_pages(sizeof(Crew) + (kMaxThreads - 1) * sizeof(Helper));
  if (pages == nullptr) return false;
  crew_ = new (pages) Crew;
  owner_.store(process_number(), std::memory_order_relaxed);
  const char *policy = std::getenv("OMP_WAIT_POLICY");
  crew_->spin = policy == nullptr || (std::strcmp(policy, "passive") != 0 && std::strcmp(policy, "PASSIVE") != 0);
  return true;
}

void Team::start(int size) const {
  const int helpers = std::min(size, kMaxThreads) - 1;
  if (!kHasThreads || helpers < 1 || (refused_ > 0 && refused_ <= helpers)) return;
  int made = 0;
  if (make_crew()) {
    Crew &crew = *crew_;
    if (crew.made >= helpers) return;
    if (size > usable_cores()) crew.spin = false;  // a spinning thread holds a core that another one needs
    // Stacks get at most half of the memory that is left; the rest is for data.
    const int64_t affordable = crew.made + available_memory() / 2 / static_cast<int64_t>(kStack);
    while (crew.made < std::min<int64_t>(helpers, affordable) && hire(crew, crew.made + 1)) ++crew.made;
    made = crew.made;
  }
  if (made == helpers) return;
  refused_ = made + 1;
  if (warning_ != nullptr) warning_(warning_user_, size, made + 1);
}

bool Team::run(int size, int64_t tasks, Call call, void *function) const {
  if (!kHasThreads) return false;
  forget_parent();
  if (busy_.exchange(true, std::memory_order_acquire)) return false;
  struct Leave {
    std::atomic<bool> &busy;
    ~Leave() { busy.store(false, std::memory_order_release); }
  } const leave{busy_};
  start(size);
  const int helpers = crew_ == nullptr ? 0 : std::min(size - 1, crew_->made);
  if (helpers == 0) return false;
  Crew &crew = *crew_;
  crew.call = call;
  crew.function = function;
  crew.tasks = tasks;
  crew.size = helpers + 1;
  crew.next.store(0, std::memory_order_relaxed);
  crew.running.store(helpers, std::memory_order_relaxed);
  crew.progress.set(kOpen);
  for (int k = 0; k < helpers; ++k) crew.helper(k)->state.tell(kCalled, kAsleep);
  crew.work(0);
  int dismissed = 0;
  if (!ATP_HAS_TSAN)
    for (int k = 0; k < helpers; ++k) dismissed += crew.helper(k)->state.replace(kCalled, kIdle) ? 1 : 0;
  if (dismissed > 0) crew.finish(dismissed);
  crew.progress.wait(kOpen, kCallerSleeps, crew.spin);
  if (!crew.failed.load(std::memory_order_relaxed)) return true;
  crew.failed.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(crew.error, nullptr));
}

void Team::end() noexcept {
  forget_parent();
  if (crew_ == nullptr) return;
  for (int k = 0; k < crew_->made; ++k) crew_->helper(k)->state.tell(kStop, kAsleep);
  for (int k = 0; k < crew_->made; ++k) crew_->helper(k)->thread.join();
  unmap_pages(crew_, sizeof(Crew) + (kMaxThreads - 1) * sizeof(Helper));
  crew_ = nullptr;
}

}  // namespace atp
