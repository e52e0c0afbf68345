// SPDX-License-Identifier: MIT
#include "base/error.hpp"

#include <attopotts/status.h>

#include <cstdio>
#include <cstring>

namespace {

struct StatusText {
  int value;
  const char *name, *text;
};

constexpr StatusText kStatuses[] = {
    {ATP_OK, "ATP_OK", "done"},
    {ATP_E_NULL, "ATP_E_NULL", "a required pointer is NULL"},
    {ATP_E_VALUE, "ATP_E_VALUE", "a number is outside its range"},
    {ATP_E_SHAPE, "ATP_E_SHAPE", "the sizes of two arguments do not match"},
    {ATP_E_NOT_FINITE, "ATP_E_NOT_FINITE", "a NaN or an infinity where a finite number is required"},
    {ATP_E_ALPHABET, "ATP_E_ALPHABET", "a colour or symbol is not in the alphabet"},
    {ATP_E_SYMMETRY, "ATP_E_SYMMETRY", "an array is not symmetric, or its diagonal is not zero"},
    {ATP_E_CONFLICT, "ATP_E_CONFLICT", "options or arguments contradict each other"},
    {ATP_E_OPEN, "ATP_E_OPEN", "a file cannot be opened or created"},
    {ATP_E_READ, "ATP_E_READ", "reading a file failed"},
    {ATP_E_WRITE, "ATP_E_WRITE", "writing a file failed"},
    {ATP_E_FORMAT, "ATP_E_FORMAT", "a file does not have the expected format, is empty or is truncated"},
    {ATP_E_CHECKSUM, "ATP_E_CHECKSUM", "a saved state does not match its checksum"},
    {ATP_E_OPTION, "ATP_E_OPTION", "no such option"},
    {ATP_E_OPTION_RANGE, "ATP_E_OPTION_RANGE", "an option's value is outside its bounds"},
    {ATP_E_STAGE, "ATP_E_STAGE", "the call comes too early or too late"},
    {ATP_E_UNSUPPORTED, "ATP_E_UNSUPPORTED", "this build or this machine does not support it"},
    {ATP_E_MISMATCH, "ATP_E_MISMATCH", "a saved state belongs to a different problem or different options"},
    {ATP_E_CALLBACK, "ATP_E_CALLBACK", "a callback threw an exception"},
    {ATP_E_MEMORY, "ATP_E_MEMORY", "out of memory"},
    {ATP_E_TOO_LARGE, "ATP_E_TOO_LARGE", "the problem is larger than the method supports"},
    {ATP_E_RANK, "ATP_E_RANK", "another rank has failed, or does not answer"},
    {ATP_E_BUFFER, "ATP_E_BUFFER", "the buffer is too small"},
    {ATP_E_INTERNAL, "ATP_E_INTERNAL", "a defect of the library: please report it with the error text"},
};

constexpr const char *kOutcomes[] = {"none", "converged", "max_iter", "cancelled", "diverged", "stalled", "done"};

}  // namespace

const char *atp_status_name(int status) noexcept {
  for (const StatusText &s : kStatuses)
    if (s.value == status) return s.name;
  return "unknown status";
}

const char *atp_status_string(int status) noexcept {
  for (const StatusText &s : kStatuses)
    if (s.value == status) return s.text;
  return "unknown status";
}

const char *atp_outcome_name(int outcome) noexcept {
  if (outcome < 0 || outcome > ATP_OUTCOME_DONE) return "unknown outcome";
  return kOutcomes[outcome];
}

int64_t atp_last_error(char *buffer, int64_t size) noexcept {
  return atp::copy_error_text(atp::last_error(), atp::Counting::from_zero, buffer, size);
}

int64_t atp_last_error_from_one(char *buffer, int64_t size) noexcept {
  return atp::copy_error_text(atp::last_error(), atp::Counting::from_one, buffer, size);
}
