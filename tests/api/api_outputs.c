/* SPDX-License-Identifier: MIT */
/* Output targets: files are replaced as a whole, everything else is written to directly. */
#include "api_support.h"

#include "folder.h"

#include <fcntl.h>

static int setup(void **state) { return atp_context_create(NULL, NULL, NULL, (atp_context **)state) != ATP_OK; }

static int teardown(void **state) {
  atp_context_destroy(*state);
  folder_clear();
  return 0;
}

static void assert_content(const char *path, const char *expected) {
  char bytes[256] = "";
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t n = fread(bytes, 1, sizeof bytes - 1, file);
  fclose(file);
  bytes[n] = 0;
  assert_string_equal(bytes, expected);
}

/* A path that leads to a descriptor goes through it: what stood there stays, and the position counts. */
static void test_own_descriptors(void **state) {
  atp_context *context = *state;
  char path[64], link[64];
  int replaced = -1;
  const int file = open("out", O_CREAT | O_RDWR, 0600);
  assert_int_equal(write(file, "before\nXXXXXXXX", 15), 15);
  assert_int_equal(lseek(file, 7, SEEK_SET), 7);
  for (int k = 0; k < 2; ++k) {
    snprintf(path, sizeof path, k == 0 ? "/dev/fd/%d" : "/proc/self/fd/%d", file);
    if (access(path, F_OK) != 0) continue;
    assert_int_equal(atp_file_writable(path, &replaced), ATP_OK);
    assert_int_equal(replaced, 0);
    assert_int_equal(atp_file_write(context, path, k == 0 ? "ab" : "cd", 2), ATP_OK);
  }
  snprintf(path, sizeof path, "/dev/fd/%d", file);
  assert_int_equal(symlink(path, "link"), 0);
  snprintf(link, sizeof link, "./link");
  assert_int_equal(atp_file_write(context, link, "ef", 2), ATP_OK);
  assert_content("out", access("/proc/self/fd", F_OK) == 0 ? "before\nabcdefXX" : "before\nabefXXXX");
  assert_int_equal(lseek(file, 0, SEEK_CUR), access("/proc/self/fd", F_OK) == 0 ? 13 : 11);
  assert_int_equal(folder_entries(), 2);
  close(file);
  assert_int_equal(atp_file_write(context, path, "gh", 2), ATP_E_OPEN); /* not open any more */
  const int readable = open("out", O_RDONLY);
  snprintf(path, sizeof path, "/dev/fd/%d", readable);
  assert_int_equal(atp_file_write(context, path, "gh", 2), ATP_E_OPEN);
  assert_int_equal(atp_file_writable(path, NULL), ATP_E_OPEN);
  close(readable);
}

/* /dev/stdout appends to what a shell's >> has opened. */
static void test_standard_output_by_name(void **state) {
  atp_context *context = *state;
  assert_int_equal(folder_put("out", "before\n", 7), 0);
  const int old = dup(1), file = open("out", O_WRONLY | O_APPEND);
  fflush(stdout);
  dup2(file, 1);
  close(file);
  const atp_status status = atp_file_write(context, "/dev/stdout", "after\n", 6);
  dup2(old, 1);
  close(old);
  assert_int_equal(status, ATP_OK);
  assert_content("out", "before\nafter\n");
  assert_int_equal(folder_entries(), 1);
}

/* A hard link keeps what it held: the name that was given gets a new file. */
static void test_hard_links(void **state) {
  atp_context *context = *state;
  struct stat a, b;
  int replaced = 0;
  assert_int_equal(folder_put("one", "old", 3), 0);
  assert_int_equal(chmod("one", 0604), 0);
  assert_int_equal(link("one", "two"), 0);
  assert_int_equal(atp_file_writable("one", &replaced), ATP_OK);
  assert_int_equal(replaced, 1);
  assert_content("one", "old");
  assert_int_equal(atp_file_write(context, "one", "new", 3), ATP_OK);
  assert_content("one", "new");
  assert_content("two", "old");
  assert_int_equal(stat("one", &a), 0);
  assert_int_equal(stat("two", &b), 0);
  assert_true(a.st_ino != b.st_ino);
  assert_int_equal(a.st_mode & 07777, 0604);
  assert_int_equal(folder_entries(), 2);
}

/* A link that leads nowhere stays a link, and the file that it names is made. */
static void test_dangling_links(void **state) {
  atp_context *context = *state;
  struct stat info;
  assert_int_equal(mkdir("sub", 0700), 0);
  assert_int_equal(symlink("sub/target", "first"), 0);
  assert_int_equal(symlink("first", "second"), 0);
  assert_int_equal(atp_file_writable("second", NULL), ATP_OK);
  assert_int_equal(access("sub/target", F_OK), -1);
  assert_int_equal(atp_file_write(context, "second", "new", 3), ATP_OK);
  assert_content("sub/target", "new");
  assert_int_equal(lstat("first", &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(lstat("second", &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(symlink("nowhere/target", "third"), 0);
  assert_int_equal(atp_file_write(context, "third", "new", 3), ATP_E_OPEN);
  assert_int_equal(symlink("circle", "circle"), 0);
  assert_int_equal(atp_file_write(context, "circle", "new", 3), ATP_E_OPEN);
  remove("sub/target");
}

/* Root keeps a file's owner; whoever may not, still writes it. */
static void test_owner_and_group(void **state) {
  atp_context *context = *state;
  struct stat info;
  assert_int_equal(folder_put("file", "old", 3), 0);
  assert_int_equal(chmod("file", 0640), 0);
  const int changed = chown("file", 12345, 23456) == 0;
  assert_int_equal(atp_file_write(context, "file", "new", 3), ATP_OK);
  assert_int_equal(stat("file", &info), 0);
  assert_int_equal(info.st_mode & 07777, 0640);
  if (changed) assert_true(info.st_uid == 12345 && info.st_gid == 23456);
  assert_content("file", "new");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_own_descriptors), TEST(test_standard_output_by_name), TEST(test_hard_links),
      TEST(test_dangling_links),  TEST(test_owner_and_group),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown) != 0;
}
