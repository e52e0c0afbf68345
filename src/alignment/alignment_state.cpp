// SPDX-License-Identifier: MIT
#include "alignment/alignment_state.hpp"

#include "alignment/label_state.hpp"
#include "base/checked.hpp"

namespace atp {

namespace {

constexpr int64_t kLabelNumbers = 6;

// The payload begins with this.
struct Head {
  int64_t count, sites, colors, labels, name_bytes, insert_runs;  // labels: bits of label_state.hpp
  AlphabetText alphabet;                                          // these two end with zeros
  char origin[1024];
};
static_assert(sizeof(Head) == 8 * kLabelNumbers + 256 + 1024);

constexpr int64_t kAllBits = kResidueBit + kColumnBit + kBorderBit;

uint64_t fingerprint(const Head &head) { return checksum_of(Span<const int64_t>(&head.count, kLabelNumbers)); }

// Numbers between the machine's byte order and a state's.
Head ordered(Head head) {
  order_words(&head.count, kLabelNumbers, sizeof head.count);
  return head;
}

// Bytes of what follows the head.
int64_t body(const Head &head) {
  const int64_t offsets = head.insert_runs > 0 ? sum_of(head.count, 1) : 0;
  const int64_t words = sum_of(head.count, offsets, head.insert_runs);  // weights; where runs begin; runs
  return sum_of(product_of(8, words), label_bytes(head.sites, head.labels), product_of(head.count, head.sites), head.name_bytes);
}

Head head_of(const Alignment &alignment) {
  Head head{};
  head.count = alignment.count();
  head.sites = alignment.sites();
  head.colors = alignment.colors();
  head.labels = label_bits(alignment.labels);
  head.name_bytes = alignment.names.size();
  head.insert_runs = alignment.insert_runs.size();
  std::strcpy(head.alphabet, alignment.alphabet);
  std::strcpy(head.origin, alignment.origin);
  return head;
}

// Runs are pairs of words of 32 bits.
template <class Word, class Run>
Span<Word> words_of(Span<Run> runs) {
  static_assert(sizeof(InsertRun) == 2 * sizeof(uint32_t));
  return {reinterpret_cast<Word *>(runs.data()), 2 * runs.size()};
}

Head read_head(StateReader &reader) {
  Head head{};
  if (reader.payload() < static_cast<int64_t>(sizeof head)) fail(ATP_E_FORMAT, "the state is too short for one of an alignment");
  StateReader again = reader;
  again.integer("number of sequences", 1, kMaxElements);
  again.integer("number of sites", 2, kMaxElements);
  again.integer("number of colours", 2, 255);
  const int64_t bits = again.integer("mark of residues, columns and border", 0, kAllBits);
  if ((bits & ~kAllBits) != 0) fail(ATP_E_FORMAT, "the state's mark of residues, columns and border is %lld", llong{bits});
  again.integer("number of bytes of names", 0, kMaxElements);
  again.integer("number of runs of inserts", 0, kMaxElements);
  std::memcpy(&head, reader.bytes(sizeof head), sizeof head);
  head = ordered(head);
  check_alphabet(head.alphabet, head.colors);
  check_field(head.origin, sizeof head.origin, "origin");
  return head;
}

void read_weights(StateReader &reader, Alignment &alignment) {
  reader.array(alignment.weights);
  try {
    check_weights(alignment.weights.data(), alignment.count(), "the state's weights");
  } catch (const Error &e) {
    fail(ATP_E_FORMAT, "%s", e.what());
  }
}

void read_sequences(StateReader &reader, Alignment &alignment) {
  const Span<uint8_t> sequences = alignment.own_sequences;
  reader.array(sequences);
  for (int64_t k = 0; k < sequences.size(); ++k)
    if (sequences[k] >= alignment.colors())
      fail(ATP_E_FORMAT, "the state has the colour %d at site " ATP_INDEX " of sequence " ATP_INDEX ", must be below %lld", sequences[k],
           llong{k % alignment.sites()}, llong{k / alignment.sites()}, llong{alignment.colors()});
}

// Each name ends with a zero.
void read_names(StateReader &reader, Alignment &alignment) {
  const Span<char> names = alignment.names;
  if (names.empty()) return;
  reader.array(names);
  int64_t found = 0;
  for (int64_t k = 0, begin = 0; k < names.size(); ++k) {
    if (names[k] != 0) continue;
    if (found == alignment.count()) fail(ATP_E_FORMAT, "the state has more names than its %lld sequences", llong{alignment.count()});
    alignment.name_offsets[found++] = begin;
    begin = k + 1;
  }
  if (found < alignment.count() || names[names.size() - 1] != 0)
    fail(ATP_E_FORMAT, "the state has %lld whole names of %lld sequences", llong{found}, llong{alignment.count()});
}

void read_inserts(StateReader &reader, Alignment &alignment) {
  if (alignment.insert_runs.empty()) return;
  reader.array(alignment.insert_offsets);
  reader.array(words_of<uint32_t>(alignment.insert_runs));
  const Span<const int64_t> offsets(alignment.insert_offsets.data(), alignment.insert_offsets.size());
  bool right = offsets[0] == 0 && offsets[alignment.count()] == alignment.insert_runs.size();
  for (int64_t n = 0; n < alignment.count() && right; ++n) right = offsets[n] <= offsets[n + 1];
  for (int64_t n = 0; n < alignment.count() && right; ++n)
    for (int64_t k = offsets[n]; k < offsets[n + 1]; ++k) {
      const int64_t column = alignment.insert_runs[k].column;
      right = right && column <= alignment.sites() && (k == offsets[n] || column > alignment.insert_runs[k - 1].column);
    }
  if (!right) fail(ATP_E_FORMAT, "the state's runs of inserts are not in the order of sequences and columns");
}

void read_origin(const Head &head, Alignment &alignment) {
  try {
    alignment.set_origin(head.origin);
  } catch (const Error &e) {
    fail(ATP_E_FORMAT, "the state's %s", e.what());
  }
}

}  // namespace

int64_t alignment_state_bytes(const Alignment &alignment) {
  return state_bytes(sum_of(static_cast<int64_t>(sizeof(Head)), body(head_of(alignment))));
}

void save_alignment(const Alignment &alignment, void *buffer, int64_t size) {
  const Head head = head_of(alignment), saved = ordered(head);
  StateWriter writer(buffer, size, StateKind::alignment, fingerprint(head), static_cast<int64_t>(sizeof head) + body(head));
  std::memcpy(writer.room(sizeof saved), &saved, sizeof saved);
  writer.array(Span<const double>(alignment.weights.data(), alignment.weights.size()));
  write_labels(writer, alignment.labels);
  writer.array(alignment.sequences);
  writer.array(Span<const char>(alignment.names.data(), alignment.names.size()));
  if (alignment.has_inserts()) {
    writer.array(Span<const int64_t>(alignment.insert_offsets.data(), alignment.insert_offsets.size()));
    writer.array(words_of<const uint32_t>(alignment.insert_runs));
  }
  writer.finish();
}

Alignment *load_alignment(Context &context, const void *buffer, int64_t size) {
  StateReader reader(buffer, size, StateKind::alignment, "alignment");
  const Head head = read_head(reader);
  // The numbers are below 2^56, so that only products can be too large: then the state cannot have their bytes, either.
  const bool fits = head.count <= reader.payload() / head.sites;
  if (!fits || reader.payload() != static_cast<int64_t>(sizeof head) + body(head) || reader.fingerprint() != fingerprint(head))
    fail(ATP_E_FORMAT, "the state has %lld bytes, which its shape does not fill", llong{size});
  Alignment *made = create_in_block<Alignment>(context.allocator, &context,
                                               AlignmentShape{head.count, head.sites, head.colors, head.name_bytes, head.insert_runs});
  try {
    read_alphabet(head.alphabet, head.colors, made->alphabet);
    read_origin(head, *made);
    read_weights(reader, *made);
    read_labels(reader, head.labels, context.allocator, made->labels);
    read_sequences(reader, *made);
    read_names(reader, *made);
    read_inserts(reader, *made);
  } catch (...) {
    destroy_block(context.allocator, made);
    throw;
  }
  return made;
}

}  // namespace atp
