// SPDX-License-Identifier: MIT
// What the program takes of the operating system. system_posix.cpp and system_windows.cpp implement it; descriptors, stat() and errno are
// those of POSIX, which Windows has, too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

// Call this first: standard streams and files that are opened later have bytes, no lines of the system's own.
void prepare_streams();
bool is_terminal(int descriptor);

std::string host_name();
int64_t machine_cores();
// Sets a variable that has no value yet.
void set_default_variable(const char *name, const char *value);

// Files. Those that return int return 0, or -1 with the reason in errno.
int open_file(const std::string &path, int flags, int mode = 0);  // children do not inherit the descriptor
int make_folder(const std::string &path);
// The name of a file without its folders.
std::string without_folder(const std::string &path);
bool is_named_pipe(const std::string &path);
// A file without a name that others can see, open to read and write; -1 if there is none.
int open_nameless();

// Locks of files, which end with the process.
int open_lock(const std::string &path);  // makes the file; follows no link
int lock(int descriptor);                // EWOULDBLOCK if another process has it
bool is_same_file(int descriptor, const char *path);
// Removes the lock's file if the path is still its name, and closes it. May be called in signal handlers.
void remove_lock(const char *path, int descriptor);

// Processes by number.
bool is_process(int64_t number);
int64_t process_start(int64_t number);            // in ticks since boot; 0 if the system does not tell; -1 if the process has ended
int run_quietly(std::vector<std::string> words);  // a program and its arguments; its status; -1: no such program

// Signals. The handler gets SIGINT, SIGTERM and kHangUp, which stays ignored if it was ignored at the start.
extern const int kHangUp;
void handle_signals(void (*handler)(int));
void send_signal(pid_t process, int number);
// The default action of a signal, from within its handler.
void end_by_signal(int number);

// Libraries that are loaded at run time; nullptr with library_error() where that fails.
void *load_library(const char *name);
void *find_symbol(void *library, const char *name);
std::string library_error();
// Calls a function once after some seconds, unless cancelled (seconds = 0).
void call_after(unsigned seconds, void (*function)());

}  // namespace cli
