// SPDX-License-Identifier: MIT
// A copy of options holds what was set, and leaves to the library what was not.
#include "flags/training_flags.hpp"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>

extern "C" {
#include <cmocka.h>
}

using namespace cli;

namespace {

int64_t network_bytes(const Session &session, const atp_options *options) {
  int64_t bytes = 0;
  assert_int_equal(atp_trainer_bytes(session.context.get(), 50, 6, 4, options, &bytes), ATP_OK);
  return bytes;
}

// A network trains by SGD unless it is told to use L-BFGS, which needs more memory.
void test_copies(void **) {
  Session session;
  Options options;
  check(atp_options_create(session.context.get(), ATP_OWNER_TRAINER, out(options)));
  check(atp_options_set_i64(options.get(), ATP_OPT_FAMILY, ATP_FAMILY_ENCODER));
  check(atp_options_set_i64(options.get(), ATP_OPT_WIDTH, 12));
  check(atp_options_set_i64(options.get(), ATP_OPT_SEED, 9007199254740993));
  check(atp_options_set_f64(options.get(), ATP_OPT_RATE, 0.3));
  const Options copy = copy_options(session, options.get());
  int64_t integer = 0;
  double real = 0;
  check(atp_options_get_i64(copy.get(), ATP_OPT_WIDTH, &integer));
  assert_int_equal(integer, 12);
  check(atp_options_get_i64(copy.get(), ATP_OPT_SEED, &integer));
  assert_int_equal(integer, 9007199254740993);
  check(atp_options_get_f64(copy.get(), ATP_OPT_RATE, &real));
  assert_true(real == 0.3);
  assert_int_equal(network_bytes(session, copy.get()), network_bytes(session, options.get()));
  check(atp_options_set_i64(copy.get(), ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS));
  assert_true(network_bytes(session, copy.get()) > network_bytes(session, options.get()));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(test_copies)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
