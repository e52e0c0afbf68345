// SPDX-License-Identifier: MIT
// Linux and macOS.
#include "run/named_files.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace cli {

namespace {

constexpr int kMostLinks = 40;
constexpr int kFlagsField = 9, kStartField = 22;  // of /proc/PID/stat
constexpr unsigned long kExiting = 4;             // PF_EXITING of Linux: the process has ended, its files may still be open
constexpr int kNotStarted = 127;
#ifdef __linux__
constexpr unsigned kCloseOnExec = 1;  // MFD_CLOEXEC
#endif

void (*alarm_function)() = nullptr;

void on_alarm(int) {
  const int kept_errno = errno;
  alarm_function();
  errno = kept_errno;
}

}  // namespace

const int kHangUp = SIGHUP;

void prepare_streams() {}

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }

std::string host_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

int64_t machine_cores() { return sysconf(_SC_NPROCESSORS_ONLN); }

void set_default_variable(const char *name, const char *value) { setenv(name, value, 0); }

int open_file(const std::string &path, int flags, int mode) { return open(path.c_str(), flags | O_CLOEXEC, mode); }

int make_folder(const std::string &path) { return mkdir(path.c_str(), 0777); }

std::string without_folder(const std::string &path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 is 0

bool is_named_pipe(const std::string &path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

int open_nameless() {
#ifdef __linux__
  return static_cast<int>(syscall(SYS_memfd_create, "attopotts", kCloseOnExec));  // memfd_create() is of glibc 2.27
#else
  std::FILE *stream = std::tmpfile();
  const int file = stream == nullptr ? -1 : dup(fileno(stream));
  if (stream != nullptr) std::fclose(stream);
  return file;
#endif
}

int open_lock(const std::string &path) { return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666); }

int lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

bool is_same_file(int descriptor, const char *path) {
  struct stat opened, named;
  return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void remove_lock(const char *path, int descriptor) {
  if (is_same_file(descriptor, path)) unlink(path);
  close(descriptor);
}

bool is_process(int64_t number) { return number > 0 && (kill(static_cast<pid_t>(number), 0) == 0 || errno == EPERM); }

int64_t process_start(int64_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(line.substr(name_end + 1));  // begins with field 3, the state
  std::string field;
  rest >> field;
  if (field == "Z" || field == "X") return -1;
  for (int k = 4; k <= kStartField; ++k) {
    rest >> field;
    if (k == kFlagsField && (std::strtoul(field.c_str(), nullptr, 10) & kExiting) != 0) return -1;
  }
  return rest ? std::strtoll(field.c_str(), nullptr, 10) : 0;
}

int run_quietly(std::vector<std::string> words) {
  std::vector<char *> arguments;
  for (std::string &word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t started = fork();
  if (started < 0) return -1;
  if (started == 0) {
    // Nothing here allocates: another thread may have been allocating.
    const int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0 && dup2(nowhere, 0) == 0 && dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2) execvp(arguments[0], arguments.data());
    _exit(kNotStarted);
  }
  int status = 0;
  forward_signals_to(started);
  while (waitpid(started, &status, 0) < 0 && errno == EINTR) {
  }
  forward_signals_to(0);
  return WIFEXITED(status) && WEXITSTATUS(status) != kNotStarted ? WEXITSTATUS(status) : -1;
}

void handle_signals(void (*handler)(int)) {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;
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

void send_signal(pid_t process, int number) { kill(process, number); }

void end_by_signal(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// MPI loads parts of its own, which look for the symbols of the whole.
void *load_library(const char *name) { return dlopen(name, RTLD_NOW | RTLD_GLOBAL); }

void *find_symbol(void *library, const char *name) { return dlsym(library, name); }

std::string library_error() {
  const char *text = dlerror();
  return text == nullptr ? "" : text;
}

void call_after(unsigned seconds, void (*function)()) {
  alarm(0);
  alarm_function = function;
  struct sigaction action = {};
  action.sa_handler = seconds > 0 ? on_alarm : SIG_DFL;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  if (seconds > 0) alarm(seconds);
}

std::string target_of(std::string path) {
  char name[PATH_MAX];
  for (int links = 0; links < kMostLinks; ++links) {
    if (realpath(path.c_str(), name) != nullptr) return name;
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "./" : path.substr(0, slash + 1);
    const ssize_t n = readlink(path.c_str(), name, sizeof name);
    if (n < 0) {
      const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
      return realpath(folder.c_str(), name) == nullptr ? path : std::string(name) + "/" + file;
    }
    const std::string link(name, static_cast<std::size_t>(n));
    path = !link.empty() && link[0] == '/' ? link : folder + link;
  }
  return path;
}

}  // namespace cli
