// SPDX-License-Identifier: MIT
// Saved states of trainers: number of fields | fields | position | optimiser and parameters. The fields, which are named, say what the
// state belongs to: the trainer's own, those of the objective and those of the driver.
#include "base/checksum.hpp"
#include "base/state.hpp"
#include "learn/trainer.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

using Field = StateFields::Field;

double real_of(const Field &field) {
  double x;
  std::memcpy(&x, &field.bits, sizeof x);
  return x;
}

int64_t bytes_of_fields(int64_t count) { return static_cast<int64_t>(sizeof(int64_t)) + count * static_cast<int64_t>(sizeof(Field)); }

// In the byte order of states.
void write_field(StateWriter &writer, const Field &field) {
  std::memcpy(writer.room(sizeof field.name), field.name, sizeof field.name);
  writer.value(field.kind);
  writer.value(field.bits);
}

Field read_field(const char *from) {
  Field field;
  std::memcpy(field.name, from, sizeof field.name);
  field.name[sizeof field.name - 1] = '\0';
  copy_ordered<int64_t>(&field.kind, from + sizeof field.name, 1);
  copy_ordered<int64_t>(&field.bits, from + sizeof field.name + sizeof field.kind, 1);
  return field;
}

[[noreturn]] void fail_field(const Field &theirs, const Field &mine) {
  if (mine.kind == StateFields::integer)
    fail(ATP_E_MISMATCH, "the state has %s %lld, the trainer has %lld", mine.name, static_cast<long long>(theirs.bits),
         static_cast<long long>(mine.bits));
  if (mine.kind == StateFields::real)
    fail(ATP_E_MISMATCH, "the state has %s %.17g, the trainer has %.17g", mine.name, real_of(theirs), real_of(mine));
  fail(ATP_E_MISMATCH, "the state belongs to other %s", mine.name);
}

uint64_t fingerprint(const StateFields &fields) {
  uint64_t sum = kChecksumStart;
  for (const Field &field : fields.all()) sum = checksum_of(field.bits, checksum(field.name, sizeof field.name, sum));
  return sum;
}

}  // namespace

StateFields Trainer::fields() const {
  const TrainingSettings &s = objective_->settings;
  StateFields f;
  f.add("family", int64_t{row().family});
  f.add("sequences", count());
  f.add("sites", sites());
  f.add("colors", colors());
  f.add("optimizer", int64_t{s.optimizer});
  f.add("objective", int64_t{s.masked ? ATP_OBJECTIVE_MLM : ATP_OBJECTIVE_PSEUDOLIKELIHOOD});
  f.add("precision", int64_t{s.precision});
  f.add("seed", static_cast<int64_t>(s.seed));
  f.add("init-scale", s.init_scale);
  f.add("tolerance", s.tolerance);
  objective_->describe(f);
  driver_->describe(f);
  f.add_hash("training sequences", data_hash_);
  f.add_hash("weights of the training sequences", checksum_of(train_->weights));
  return f;
}

int64_t Trainer::saved_bytes() const {
  return bytes_of_fields(fields().all().size()) + static_cast<int64_t>(sizeof(RunPosition)) + driver_->payload();
}

void Trainer::save(void *buffer, int64_t size) const {
  const StateFields mine = fields();
  StateWriter writer(buffer, size, StateKind::trainer, fingerprint(mine), saved_bytes());
  writer.value(mine.all().size());
  for (const Field &field : mine.all()) write_field(writer, field);
  writer.value(at_);
  driver_->save(writer);
  writer.finish();
}

void Trainer::load(const void *buffer, int64_t size) {
  const StateFields mine = fields();
  const auto open = [&] {
    try {
      return StateReader(buffer, size, StateKind::trainer, fingerprint(mine), saved_bytes(), "trainer");
    } catch (const Error &e) {
      if (e.status() != ATP_E_MISMATCH) throw;
      explain_mismatch(buffer, size);
    }
  };
  StateReader reader = open();
  int64_t count;
  reader.value(count);
  if (count != mine.all().size()) explain_mismatch(buffer, size);
  for (const Field &own : mine.all()) {
    const Field theirs = read_field(static_cast<const char *>(reader.bytes(sizeof own)));
    if (std::memcmp(&theirs, &own, sizeof own) != 0) explain_mismatch(buffer, size);
  }
  RunPosition at;
  reader.value(at);
  driver_->check(reader, at);
  context->ranks.meet();  // what one rank cannot load is loaded by none
  driver_->load(reader);
  at_ = at;
}

// The state is whole, but of another trainer, or of another handle altogether: say what differs.
void Trainer::explain_mismatch(const void *buffer, int64_t size) const {
  const StateHeader header = header_of(buffer);
  if (header.kind != static_cast<uint32_t>(StateKind::trainer)) fail(ATP_E_MISMATCH, "the state is not one of a trainer");
  const char *from = static_cast<const char *>(buffer) + sizeof header;
  int64_t count = -1;
  if (size >= state_bytes(sizeof count)) copy_ordered<int64_t>(&count, from, 1);
  if (count < 0 || count > 4096 || size < state_bytes(bytes_of_fields(count)))
    fail(ATP_E_MISMATCH, "the state is too short for one of a trainer");
  const StateFields own = fields();
  for (const Field &mine : own.all()) {
    for (int64_t k = 0; k < count; ++k) {
      const Field theirs = read_field(from + bytes_of_fields(k));
      if (std::strcmp(theirs.name, mine.name) != 0) continue;
      if (theirs.kind != mine.kind || theirs.bits != mine.bits) fail_field(theirs, mine);
      break;
    }
  }
  fail(ATP_E_MISMATCH, "the state belongs to another trainer");
}

}  // namespace atp
