// SPDX-License-Identifier: MIT
// Linux and macOS.
#include "support/processes.hpp"

#include "support/errors.hpp"
#include "support/signals.hpp"

#include <fcntl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

namespace cli {

namespace {

constexpr const char *kSelf = "/proc/self/exe";  // Linux

// The path of this program, for the child's name in lists of processes.
std::string own_path() {
  char path[PATH_MAX];
#ifdef __APPLE__
  uint32_t size = sizeof path;
  return _NSGetExecutablePath(path, &size) == 0 ? path : "attopotts";
#else
  const ssize_t n = readlink(kSelf, path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : kSelf;
#endif
}

// The signals that end programs, by name.
std::string signal_text(int number) {
  static const std::pair<int, const char *> names[] = {
      {SIGHUP, "SIGHUP"}, {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
      {SIGFPE, "SIGFPE"}, {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"}};
  for (const auto &[known, name] : names)
    if (known == number) return name;
  return fmt::format("signal {}", number);
}

ChildEnd child_end(int status) {
  ChildEnd end;
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (!WIFSIGNALED(status)) return end;
  const int number = WTERMSIG(status);
  end.signal = signal_text(number);
  end.asked = number == SIGINT || number == SIGTERM || number == SIGHUP;
  end.killed = number == SIGKILL;
  return end;
}

int open_output(const std::string &path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) failed("{}: cannot be written: {}", path, std::strerror(errno));
  return descriptor;
}

std::vector<char *> pointers_to(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (const std::string &text : texts) pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In the child: tells what failed and ends. Allocates nothing.
[[noreturn]] void give_up(const char *what) {
  const char *reason = std::strerror(errno);
  for (const char *text : {"attopotts: ", what, ": ", reason, "\n"}) (void)!write(STDERR_FILENO, text, std::strlen(text));
  _exit(kFailed);
}

struct ChildStart {
  const char *path, *folder;
  char **arguments, **environment;
  int out, err;
  pid_t parent;
  const sigset_t *mask;
};

[[noreturn]] void become(const ChildStart &start) {
  const int in = open("/dev/null", O_RDONLY);
  dup2(in, STDIN_FILENO);
  dup2(start.out, STDOUT_FILENO);
  dup2(start.err, STDERR_FILENO);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != start.parent) _exit(kInterrupted);  // it ended before this call
#endif
  if (*start.folder != '\0' && chdir(start.folder) != 0) give_up(start.folder);
  // This program's handlers would send signals to the other children. What is ignored stays so.
  struct sigaction action = {};
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) std::signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, start.mask, nullptr);
  execve(start.path, start.arguments, start.environment);
  execve(kSelf, start.arguments, start.environment);  // if the file was replaced in the meantime
  give_up("the job cannot be started");
}

void wake_up(int) {}

}  // namespace

struct Children::System {
  sigset_t mask_before;
  struct sigaction child_action_before;
};

Children::Children() : system_(std::make_unique<System>()) {
  struct sigaction action = {};
  action.sa_handler = wake_up;  // a signal without a handler ends no pselect()
  sigemptyset(&action.sa_mask);
  sigaction(SIGCHLD, &action, &system_->child_action_before);
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&blocked, number);
  sigprocmask(SIG_BLOCK, &blocked, &system_->mask_before);
}

Children::~Children() {
  for (const pid_t child : running_) kill(child, SIGTERM);
  for (const pid_t child : running_) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    forget_child(child);
  }
  sigprocmask(SIG_SETMASK, &system_->mask_before, nullptr);
  sigaction(SIGCHLD, &system_->child_action_before, nullptr);
}

pid_t Children::start(const ChildCommand &command) {
  std::vector<std::string> arguments = {"attopotts"};
  arguments.insert(arguments.end(), command.words.begin(), command.words.end());
  std::vector<char *> argument_pointers = pointers_to(arguments), environment_pointers = pointers_to(command.environment);
  const std::string path = own_path();
  const int out = open_output(command.out), err = open_output(command.err);
  running_.reserve(running_.size() + 1);
  const ChildStart start{path.c_str(), command.folder.c_str(), argument_pointers.data(), environment_pointers.data(), out, err,
                         getpid(),     &system_->mask_before};
  const pid_t child = fork();
  if (child == 0) become(start);
  const int reason = errno;
  close(out);
  close(err);
  if (child < 0) failed("a process cannot be made: {}", std::strerror(reason));
  running_.push_back(child);
  forward_signals_to(child);
  return child;
}

pid_t Children::reap(ChildEnd &end) {
  int status = 0;
  for (const pid_t child : running_)
    if (waitpid(child, &status, WNOHANG) == child) {
      end = child_end(status);
      forget_child(child);
      running_.erase(std::find(running_.begin(), running_.end(), child));
      return child;
    }
  return 0;
}

pid_t Children::wait(double seconds, ChildEnd &end) {
  if (const pid_t child = reap(end); child != 0) return child;
  timespec limit{static_cast<time_t>(seconds), static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
  pselect(0, nullptr, nullptr, nullptr, &limit, &system_->mask_before);
  return reap(end);
}

}  // namespace cli
