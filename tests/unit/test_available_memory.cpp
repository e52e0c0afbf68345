// SPDX-License-Identifier: MIT
// What the process can still have, from made-up trees of /proc and /sys: each source alone is the least once, and once it is not there.
#include "base/system.hpp"

#include "support.h"

#include <sys/stat.h>

#include <unistd.h>

#include <cstdlib>
#include <string>

using namespace atp;

namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

// A root folder that is filled file by file.
class Tree {
 public:
  Tree() {
    char name[] = "available-XXXXXX";
    assert_non_null(mkdtemp(name));
    root_ = name;
  }
  ~Tree() { std::system(("rm -rf " + root_).c_str()); }
  void put(const std::string &path, const std::string &text) {
    for (std::size_t k = path.find('/', 1); k != std::string::npos; k = path.find('/', k + 1))
      mkdir((root_ + path.substr(0, k)).c_str(), 0755);
    FILE *file = fopen((root_ + path).c_str(), "w");
    assert_non_null(file);
    fputs(text.c_str(), file);
    fclose(file);
  }
  int64_t available() const { return available_memory(root_.c_str()); }

  void machine(int64_t kilobytes) {
    put("/proc/meminfo",
        "MemTotal:       99999999 kB\nMemFree:          1000 kB\nMemAvailable:   " + std::to_string(kilobytes) + " kB\nBuffers: 1 kB\n");
  }
  void limits(const std::string &address_space, const std::string &data) {
    put("/proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max data size             " +
            data +
            "            unlimited            bytes     \n"
            "Max address space         " +
            address_space + "           unlimited            bytes     \n");
    put("/proc/self/status", "Name:\tx\nVmPeak:\t 9000000 kB\nVmSize:\t 1048576 kB\nVmRSS:\t 500 kB\nVmData:\t 524288 kB\n");
  }
  void mounts(const std::string &top = "/") {
    put("/proc/self/mountinfo",
        "22 1 0:21 / /proc rw - proc proc rw\n"
        "35 31 0:32 " +
            top +
            " /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
            "36 31 0:33 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
            "40 31 0:30 " +
            top + " /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void group2(const std::string &folder, const std::string &max, const std::string &high, int64_t current, int64_t inactive) {
    put(folder + "/memory.max", max + "\n");
    put(folder + "/memory.high", high + "\n");
    put(folder + "/memory.current", std::to_string(current) + "\n");
    put(folder + "/memory.stat", "anon 5\nactive_file 77\ninactive_file " + std::to_string(inactive) + "\n");
  }
  void group1(const std::string &folder, const std::string &limit, int64_t usage, int64_t inactive) {
    put(folder + "/memory.limit_in_bytes", limit + "\n");
    put(folder + "/memory.usage_in_bytes", std::to_string(usage) + "\n");
    put(folder + "/memory.stat", "inactive_file 3\ntotal_inactive_file " + std::to_string(inactive) + "\n");
  }

 private:
  std::string root_;
};

void nothing_limits(void **) {
  Tree tree;
  assert_true(tree.available() == kUnlimited);
  tree.put("/proc/meminfo", "MemTotal: 5 kB\n");
  tree.put("/proc/self/cgroup", "");
  tree.put("/proc/self/mountinfo", "no such thing\n\n- - -\n");
  tree.limits("unlimited", "unlimited");
  assert_true(tree.available() == kUnlimited);
}

void machine_and_resources(void **) {
  Tree tree;
  tree.machine(8 * 1024 * 1024);
  assert_true(tree.available() == 8 * kGiB);
  tree.limits("3221225472", "unlimited");  // 3 GiB, of which 1 is in use
  assert_true(tree.available() == 2 * kGiB);
  tree.limits("unlimited", "1610612736");  // 1.5 GiB, of which 0.5 is in use
  assert_true(tree.available() == kGiB);
  tree.limits("1000", "unlimited");  // lowered below what is in use
  assert_true(tree.available() == 0);
  tree.limits("99999999999999999999999", "unlimited");
  assert_true(tree.available() == 8 * kGiB);
}

void groups_of_version_2(void **) {
  Tree tree;
  tree.machine(64 * 1024 * 1024);
  tree.mounts();
  tree.put("/proc/self/cgroup", "0::/user.slice/job\n");
  tree.group2("/sys/fs/cgroup/user.slice/job", "max", "max", kGiB, 0);
  assert_true(tree.available() == 64 * kGiB);
  tree.group2("/sys/fs/cgroup/user.slice/job", std::to_string(4 * kGiB), "max", 2 * kGiB, kGiB / 2);
  assert_true(tree.available() == 2 * kGiB + kGiB / 2);
  tree.group2("/sys/fs/cgroup/user.slice/job", std::to_string(4 * kGiB), std::to_string(3 * kGiB), 2 * kGiB, kGiB / 2);
  assert_true(tree.available() == kGiB + kGiB / 2);
  // A group above may leave less, and so may the one at the mount point.
  tree.group2("/sys/fs/cgroup/user.slice", std::to_string(5 * kGiB), "max", 4 * kGiB, 0);
  assert_true(tree.available() == kGiB);
  tree.group2("/sys/fs/cgroup", std::to_string(6 * kGiB), "max", 6 * kGiB - 4096, 0);
  assert_true(tree.available() == 4096);
  tree.group2("/sys/fs/cgroup", std::to_string(6 * kGiB), "max", 7 * kGiB, 0);
  assert_true(tree.available() == 0);
}

void groups_of_version_1(void **) {
  Tree tree;
  tree.machine(64 * 1024 * 1024);
  tree.mounts();
  tree.put("/proc/self/cgroup", "11:cpu,cpuacct:/other\n4:memory:/batch/job7\n1:name=systemd:/\n0::/\n");
  tree.group1("/sys/fs/cgroup/memory/batch/job7", "9223372036854771712", kGiB, 0);
  assert_true(tree.available() == 64 * kGiB);
  tree.group1("/sys/fs/cgroup/memory/batch/job7", std::to_string(2 * kGiB), kGiB, kGiB / 4);
  assert_true(tree.available() == kGiB + kGiB / 4);
  tree.group1("/sys/fs/cgroup/memory/batch", std::to_string(kGiB), kGiB / 2, 0);
  assert_true(tree.available() == kGiB / 2);
}

// A container: the path is told from the root of the machine, the mount shows what lies below the container's own group.
void containers(void **) {
  for (bool told_from_root : {true, false}) {
    Tree tree;
    tree.machine(64 * 1024 * 1024);
    tree.mounts("/docker/0a1b");
    tree.put("/proc/self/cgroup", told_from_root ? "0::/docker/0a1b/inner\n" : "0::/inner\n");
    tree.group2("/sys/fs/cgroup/inner", std::to_string(3 * kGiB), "max", kGiB, 0);
    assert_true(tree.available() == 2 * kGiB);
  }
}

// Where only the group at the mount point can be seen, as in a container whose path lies outside.
void groups_that_are_not_there(void **) {
  Tree tree;
  tree.machine(64 * 1024 * 1024);
  tree.mounts();
  tree.put("/proc/self/cgroup", "4:memory:/process/7f63\n0::/../other\n");
  tree.group1("/sys/fs/cgroup/memory", std::to_string(2 * kGiB), kGiB, 0);
  assert_true(tree.available() == kGiB);
}

// The real thing: some number that a block above it would not be.
void this_machine(void **) {
  const int64_t available = available_memory();
  assert_true(available > 0);
  if (access("/proc/meminfo", R_OK) == 0) assert_true(available < int64_t{1} << 50);
}

const CMUnitTest tests[] = {
    cmocka_unit_test(nothing_limits),      cmocka_unit_test(machine_and_resources),
    cmocka_unit_test(groups_of_version_2), cmocka_unit_test(groups_of_version_1),
    cmocka_unit_test(containers),          cmocka_unit_test(groups_that_are_not_there),
    cmocka_unit_test(this_machine),
};

}  // namespace

ATP_TEST_MAIN(tests)
