// SPDX-License-Identifier: MIT
// The rule by which pairs of sites are predicted as contacts; one for the program and all languages.
#pragma once

#include "base/arena.hpp"
#include "base/table.hpp"
#include "potts/scores.hpp"

namespace atp {

extern const TableKind kContactsTable;

struct ContactRule {
  atp_score_gauge gauge;
  int64_t gap;         // left out of the norm; -1: none
  int64_t separation;  // of site numbers
};

// Work space of rank_contacts() for `most` pairs.
std::size_t contacts_bytes(const Model &model, Threads threads, int64_t most);
// Appends the best pairs, at most `most`, to a table of kind ATP_TABLE_CONTACTS with room for them. Throws
// ATP_E_NOT_FINITE.
void rank_contacts(const Model &model, const ContactRule &rule, Threads threads, int64_t most, Arena arena, Table &table);

}  // namespace atp
