// SPDX-License-Identifier: MIT
#include "potts/contacts.hpp"

#include "base/error.hpp"

#include <cmath>
#include <cstring>

namespace atp {

namespace {

constexpr ColumnInfo kContacts[] = {
    {"i", "", "number of the first site"},
    {"j", "", "number of the second site"},
    {"fn", "", "Frobenius norm, see atp_model_frobenius()"},
    {"apc", "", "the norm with average product correction: the score of the ranking"},
    {"site_i", "", "index of the first site, 0-based"},
    {"site_j", "", "index of the second site, above that of the first"},
};

}  // namespace

constexpr TableKind kContactsTable = kind_of(ATP_TABLE_CONTACTS, "ATP_TABLE_CONTACTS", kContacts);

namespace {

struct Work {
  Span<double> scratch, norms, corrected;
  Span<int64_t> pairs;
  Work(Arena &arena, const Model &model, Threads threads, int64_t most) {
    scratch = arena.take<double>(frobenius_scratch(model.colors(), threads));
    norms = arena.take<double>(model.sites(), model.sites());
    corrected = arena.take<double>(model.sites(), model.sites());
    pairs = arena.take<int64_t>(most, 2);
  }
};

}  // namespace

std::size_t contacts_bytes(const Model &model, Threads threads, int64_t most) {
  Arena measure;
  Work(measure, model, threads, most);
  return measure.bytes();
}

void rank_contacts(const Model &model, const ContactRule &rule, Threads threads, int64_t most, Arena arena, Table &table) {
  const int64_t L = model.sites();
  const Work work(arena, model, threads, most);
  frobenius_norms(model, rule.gauge, rule.gap, threads, work.scratch, work.norms.data());
  for (const double norm : work.norms)
    if (!std::isfinite(norm)) fail(ATP_E_NOT_FINITE, "the norm of a pair is %g: the couplings are too large", norm);
  average_product_correction(work.norms.data(), L, work.corrected.data());
  const Span<const int64_t> numbers = model.labels.numbers();
  const int64_t count = rank_pairs(work.corrected.data(), L, numbers.data(), rule.separation, work.pairs.data(), most);
  const Span<double> rows = table.room(count);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t i = work.pairs[2 * k], j = work.pairs[2 * k + 1], place = i * L + j;
    const double row[] = {static_cast<double>(numbers[i]), static_cast<double>(numbers[j]), work.norms[place],
                          work.corrected[place],           static_cast<double>(i),          static_cast<double>(j)};
    static_assert(sizeof row == ATP_CONTACTS_COLUMNS * sizeof(double));
    std::memcpy(rows.data() + k * ATP_CONTACTS_COLUMNS, row, sizeof row);
  }
  table.append(count);
}

}  // namespace atp
