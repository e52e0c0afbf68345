// SPDX-License-Identifier: MIT
// Children are in a job object that ends them with this process.
#include "support/processes.hpp"

#include "support/errors.hpp"
#include "support/signals.hpp"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <cstdint>
#include <map>

namespace cli {

namespace {

// Microsoft's rules: backslashes count only in front of a quote.
std::string word_of_line(const std::string &word) {
  if (!word.empty() && word.find_first_of(" \t\n\"") == std::string::npos) return word;
  std::string text = "\"";
  std::size_t slashes = 0;
  for (const char c : word) {
    if (c == '"') text.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    text += c;
  }
  return text.append(slashes, '\\') + "\"";
}

std::string own_path() {
  char path[MAX_PATH];
  const DWORD length = GetModuleFileNameA(nullptr, path, sizeof path);
  if (length == 0 || length == sizeof path) failed("the path of this program is not known: error {} of Windows", GetLastError());
  return path;
}

// A file that a child inherits.
class Inherited {
 public:
  Inherited(const std::string &path, DWORD access, DWORD how) {
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
    handle_ = CreateFileA(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherited, how,
                          FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle_ == INVALID_HANDLE_VALUE) failed("{}: cannot be opened: error {} of Windows", path, GetLastError());
  }
  ~Inherited() { CloseHandle(handle_); }
  Inherited(const Inherited &) = delete;
  Inherited &operator=(const Inherited &) = delete;
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

}  // namespace

struct Children::System {
  HANDLE job = nullptr;
  std::map<pid_t, HANDLE> handles;
};

Children::Children() : system_(std::make_unique<System>()) {
  system_->job = CreateJobObjectA(nullptr, nullptr);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(system_->job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

Children::~Children() {
  TerminateJobObject(system_->job, kInterrupted);
  for (const auto &[child, handle] : system_->handles) {
    WaitForSingleObject(handle, INFINITE);
    CloseHandle(handle);
  }
  CloseHandle(system_->job);
}

pid_t Children::start(const ChildCommand &command) {
  const std::string path = own_path();
  std::string line = word_of_line(path), environment;
  for (const std::string &word : command.words) line += " " + word_of_line(word);
  for (const std::string &entry : command.environment) environment += entry + '\0';
  environment += '\0';
  const Inherited in("NUL", GENERIC_READ, OPEN_EXISTING), out(command.out, GENERIC_WRITE, CREATE_ALWAYS),
      err(command.err, GENERIC_WRITE, CREATE_ALWAYS);
  STARTUPINFOA start = {};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = in.get();
  start.hStdOutput = out.get();
  start.hStdError = err.get();
  PROCESS_INFORMATION made = {};
  running_.reserve(running_.size() + 1);
  const BOOL good = CreateProcessA(path.c_str(), line.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED, environment.data(),
                                   command.folder.empty() ? nullptr : command.folder.c_str(), &start, &made);
  if (good == 0) failed("a process cannot be made: error {} of Windows", GetLastError());
  AssignProcessToJobObject(system_->job, made.hProcess);
  ResumeThread(made.hThread);
  CloseHandle(made.hThread);
  const auto child = static_cast<pid_t>(made.dwProcessId);
  system_->handles[child] = made.hProcess;
  running_.push_back(child);
  return child;
}

pid_t Children::reap(ChildEnd &end) {
  for (const pid_t child : running_) {
    const HANDLE handle = system_->handles.at(child);
    DWORD code = 0;
    if (WaitForSingleObject(handle, 0) != WAIT_OBJECT_0 || GetExitCodeProcess(handle, &code) == 0) continue;
    end = {};
    // Faults end a program with their number: 0xC0000005.
    if (code > INT32_MAX)
      end.signal = fmt::format("exception {:#x}", code);
    else
      end.code = static_cast<int>(code);
    CloseHandle(handle);
    system_->handles.erase(child);
    running_.erase(std::find(running_.begin(), running_.end(), child));
    return child;
  }
  return 0;
}

pid_t Children::wait(double seconds, ChildEnd &end) {
  if (const pid_t child = reap(end); child != 0) return child;
  constexpr double kStep = 0.05;
  for (double left = seconds; left > 0 && !interrupted(); left -= kStep) {
    Sleep(static_cast<DWORD>(1000 * std::min(left, kStep)));
    if (const pid_t child = reap(end); child != 0) return child;
  }
  return 0;
}

}  // namespace cli
