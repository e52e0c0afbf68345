// SPDX-License-Identifier: MIT
// Names of files are in the code page of the process.
#include "run/errors.hpp"
#include "run/named_files.hpp"
#include "run/system.hpp"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace cli {

namespace {

// The byte of a file that is locked: behind its content, which others may read.
constexpr DWORD kLockedByte = 0x40000000;

void (*signal_handler)(int) = nullptr;

// Runs in a thread of its own. The process ends when it returns from the last three events.
BOOL WINAPI on_event(DWORD event) {
  const bool key = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
  signal_handler(key ? SIGINT : SIGTERM);
  if (!key) Sleep(INFINITE);
  return TRUE;
}

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

// 100 ns since 1601.
int64_t ticks_of(const FILETIME &time) { return static_cast<int64_t>(time.dwHighDateTime) << 32 | time.dwLowDateTime; }

int with_reason(bool good) {
  if (good) return 0;
  const DWORD error = GetLastError();
  errno = error == ERROR_ALREADY_EXISTS || error == ERROR_FILE_EXISTS       ? EEXIST
          : error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND  ? ENOENT
          : error == ERROR_INVALID_FUNCTION || error == ERROR_NOT_SUPPORTED ? EOPNOTSUPP
                                                                            : EACCES;
  return -1;
}

}  // namespace

const int kHangUp = SIGBREAK;

void prepare_streams() {
  _set_fmode(_O_BINARY);
  for (int stream = 0; stream < 3; ++stream) _setmode(stream, _O_BINARY);
}

bool is_terminal(int descriptor) { return _isatty(descriptor) != 0; }

std::string host_name() {
  char name[MAX_COMPUTERNAME_LENGTH + 1] = "";
  DWORD length = sizeof name;
  return GetComputerNameA(name, &length) != 0 && name[0] != '\0' ? name : "unknown";
}

int64_t machine_cores() { return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS); }

void set_default_variable(const char *name, const char *value) {
  if (std::getenv(name) == nullptr) _putenv_s(name, value);
}

int open_file(const std::string &path, int flags, int mode) { return _open(path.c_str(), flags | _O_BINARY | _O_NOINHERIT, mode); }

int make_folder(const std::string &path) { return with_reason(CreateDirectoryA(path.c_str(), nullptr) != 0); }

std::string without_folder(const std::string &path) { return path.substr(path.find_last_of("/\\:") + 1); }  // npos + 1 is 0

bool is_named_pipe(const std::string &path) { return path.compare(0, 9, "\\\\.\\pipe\\") == 0; }

int open_nameless() {
  errno = EOPNOTSUPP;  // only ranks of MPI share copies by descriptors
  return -1;
}

int open_lock(const std::string &path) { return open_file(path, _O_RDWR | _O_CREAT, _S_IREAD | _S_IWRITE); }

int lock(int descriptor) {
  OVERLAPPED at = {};
  at.OffsetHigh = kLockedByte;
  if (LockFileEx(handle_of(descriptor), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != 0) return 0;
  errno = GetLastError() == ERROR_LOCK_VIOLATION ? EWOULDBLOCK : EACCES;
  return -1;
}

bool is_same_file(int, const char *) { return true; }  // nobody can remove a file that is open

// Another process that has it open keeps it: the file then stays, unlocked.
void remove_lock(const char *path, int descriptor) {
  _close(descriptor);
  DeleteFileA(path);
}

bool is_process(int64_t number) { return number > 0 && process_start(number) >= 0; }

int64_t process_start(int64_t number) {
  const HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(number));
  if (process == nullptr) return GetLastError() == ERROR_ACCESS_DENIED ? 0 : -1;
  FILETIME begun, ended, kernel, user;
  DWORD code = 0;
  const bool told = GetProcessTimes(process, &begun, &ended, &kernel, &user) != 0;
  const bool runs = GetExitCodeProcess(process, &code) != 0 && code == STILL_ACTIVE;
  CloseHandle(process);
  return !runs ? -1 : told ? ticks_of(begun) : 0;
}

int run_quietly(std::vector<std::string> words) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
  const HANDLE none =
      CreateFileA("NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, nullptr);
  STARTUPINFOA start = {};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = start.hStdOutput = start.hStdError = none;
  PROCESS_INFORMATION child = {};
  std::string line = words[0];
  for (std::size_t k = 1; k < words.size(); ++k) line += " \"" + words[k] + "\"";
  const BOOL made = CreateProcessA(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &child);
  CloseHandle(none);
  if (made == 0) return -1;
  WaitForSingleObject(child.hProcess, INFINITE);
  DWORD code = 1;
  GetExitCodeProcess(child.hProcess, &code);
  CloseHandle(child.hProcess);
  CloseHandle(child.hThread);
  return static_cast<int>(code);
}

void handle_signals(void (*handler)(int)) {
  signal_handler = handler;
  SetConsoleCtrlHandler(on_event, TRUE);
}

void send_signal(pid_t, int) {}  // Ctrl-C and Ctrl-Break reach all programs of a console

void end_by_signal(int) { _exit(kInterrupted); }

void *load_library(const char *name) { return reinterpret_cast<void *>(LoadLibraryA(name)); }

void *find_symbol(void *library, const char *name) {
  return reinterpret_cast<void *>(GetProcAddress(reinterpret_cast<HMODULE>(library), name));
}

std::string library_error() { return fmt::format("error {} of Windows", GetLastError()); }

void call_after(unsigned, void (*)()) {}

std::string target_of(std::string path) {
  char name[MAX_PATH];
  const DWORD length = GetFullPathNameA(path.c_str(), sizeof name, name, nullptr);
  return length == 0 || length >= sizeof name ? path : std::string(name, length);
}

}  // namespace cli
