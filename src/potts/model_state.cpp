// SPDX-License-Identifier: MIT
#include "potts/model_state.hpp"

#include "alignment/label_state.hpp"
#include "base/checked.hpp"

#include <algorithm>

namespace atp {

int64_t pair_directions(const Model &model) { return model.symmetric(0) ? 1 : 2; }

Span<double> pair_block(const Model &model, int64_t k, int64_t direction) {
  const SitePair pair = model.pairs[k];
  const int64_t i = direction == 0 ? pair.first : pair.second, j = direction == 0 ? pair.second : pair.first;
  const int64_t block = model.colors() * model.colors();
  return {model.room(i, j), block};
}

void mirror_pair_blocks(Model &model) {
  const int64_t q = model.colors();
  for (int64_t k = 0; k < model.pairs.size(); ++k) {
    const Span<double> from = pair_block(model, k, 0), to = pair_block(model, k, 1);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) to[b * q + a] = from[a * q + b];
  }
}

void check_sorted_pairs(const Model &model, const char *name) {
  SitePair last{-1, -1};
  for (int64_t k = 0; k < model.pairs.size(); ++k) {
    const SitePair p = model.pairs[k];
    const bool sorted = p.first > last.first || (p.first == last.first && p.second > last.second);
    if (p.first < 0 || p.second <= p.first || p.second >= model.sites() || !sorted)
      fail(ATP_E_VALUE, "%s" ATP_AT " is " ATP_INDEX ", " ATP_INDEX ", must be two ascending sites of %lld, pairs in ascending order", name,
           static_cast<long long>(k), static_cast<long long>(p.first), static_cast<long long>(p.second),
           static_cast<long long>(model.sites()));
    last = p;
  }
}

// --- states ---

namespace {

// The payload begins with this.
struct Head {
  int64_t sites, colors, heads, fields, labels;  // heads 0: dense couplings, below 0: of so many pairs; fields: 0 or 1; labels: bits
  double beta;
  AlphabetText alphabet;  // ends with zeros
};
static_assert(sizeof(Head) == 304);

uint64_t fingerprint(const Head &head) { return checksum_of(Span<const int64_t>(&head.sites, 5)); }

// Numbers and text between the machine's byte order and a state's.
Head ordered(Head head) {
  order_words(&head.sites, 5, sizeof head.sites);
  order_words(&head.beta, 1, sizeof head.beta);
  return head;
}

// Which labels of sites follow the numbers; whether both directions of the couplings of a list of pairs are there; the order of an
// autoregressive model. Bits of Head::labels.
constexpr int64_t kDirections = 4, kOrder = 16;
constexpr int64_t kAllBits = kResidueBit + kColumnBit + kDirections + kBorderBit + kOrder;

int64_t labels_of(const Model &model) { return label_bits(model.labels) + (model.shape.ordered ? kOrder : 0); }

// Bytes of the payload of a shape that passes check_shape().
int64_t payload(const ModelShape &shape, int64_t labels, int64_t directions) {
  const int64_t maps = product_of(shape.sites, shape.sites), values = product_of(shape.colors, shape.colors);
  const int64_t couplings = shape.pairs > 0 ? product_of(shape.pairs, 2 + directions * values)
                            : shape.dense() ? product_of(maps, values)
                                            : product_of(shape.heads, maps + values);
  const int64_t numbers =
      sum_of(couplings, shape.fields ? product_of(shape.sites, shape.colors) : 0, (labels & kOrder) != 0 ? shape.sites : 0);
  return sum_of(static_cast<int64_t>(sizeof(Head)), product_of(8, numbers), label_bytes(shape.sites, labels));
}

// Numbers of blocks [stack][n][n][block], the diagonal 0.
void check_numbers(StateReader &reader, const char *name, int64_t stack, int64_t n, int64_t block, bool zero_diagonal) {
  for (int64_t k = 0, end = stack * n * n; k < end; ++k)
    for (int64_t b = 0; b < block; ++b)
      if (reader.real(name, -kLargestModelNumber, kLargestModelNumber) != 0 && zero_diagonal && k / n % n == k % n)
        fail(ATP_E_FORMAT, "the state's %s couple site " ATP_INDEX " to itself", name, static_cast<long long>(k % n));
}

Head read_head(StateReader &reader) {
  Head head{};
  if (reader.payload() < static_cast<int64_t>(sizeof head)) fail(ATP_E_FORMAT, "the state is too short for one of a model");
  StateReader again = reader;
  const int64_t sites = again.integer("number of sites", 2, kMaxListSites);
  again.integer("number of colours", 2, kMaxColors);
  const int64_t heads = again.integer("number of heads", -all_pairs(kMaxListSites), kMaxHeads);
  if (heads >= 0 && sites > kMaxSites)
    fail(ATP_E_FORMAT, "the state has %lld sites without a list of pairs, at most %lld are allowed", static_cast<long long>(sites),
         static_cast<long long>(kMaxSites));
  again.integer("mark of fields", 0, 1);
  const int64_t labels = again.integer("mark of residues, columns, border, directions and order", 0, kAllBits);
  if (heads >= 0 && (labels & kDirections) != 0) fail(ATP_E_FORMAT, "the state has directions of couplings without a list of pairs");
  again.real("beta", 0, kLargestModelNumber);
  std::memcpy(&head, reader.bytes(sizeof head), sizeof head);
  head = ordered(head);
  check_alphabet(head.alphabet, head.colors);
  return head;
}

// The list of pairs and their couplings.
void read_pairs(StateReader &reader, int64_t directions, Model &model) {
  reader.array(model.pairs);
  try {
    check_sorted_pairs(model, "the state's pairs");
  } catch (const Error &e) {
    fail(ATP_E_FORMAT, "%s", e.what());
  }
  model.set_pairs(model.pairs);
  for (int64_t k = 0; k < model.pairs.size(); ++k)
    for (int64_t d = 0; d < directions; ++d) reader.array(pair_block(model, k, d));
  if (directions == 1) mirror_pair_blocks(model);
  model.find_scaled();
  if (directions == 2 && model.symmetric(0)) fail(ATP_E_FORMAT, "the state has both directions of couplings that are symmetric");
}

// The sites of an autoregressive model in its order. Its numbers have been read.
void read_order(StateReader &reader, Model &model) {
  const Scratch scratch(model.context->allocator, Scratch::piece<int64_t>(model.sites()));
  const Span<int64_t> order = scratch.arena().take<int64_t>(model.sites());
  reader.array(order);
  try {
    model.set_order(order);
  } catch (const Error &e) {
    fail(ATP_E_FORMAT, "the state's %s", e.what());
  }
}

int64_t stored_directions(const Model &model) { return model.shape.pairs > 0 ? pair_directions(model) : 0; }

}  // namespace

int64_t model_state_bytes(const Model &model) { return state_bytes(payload(model.shape, labels_of(model), stored_directions(model))); }

void save_model(const Model &model, void *buffer, int64_t size) {
  require_numbers(model);
  const ModelShape &shape = model.shape;
  Head head{};
  head.sites = shape.sites;
  head.colors = shape.colors;
  const int64_t directions = stored_directions(model);
  head.heads = shape.pairs > 0 ? -shape.pairs : shape.heads;
  head.fields = shape.fields;
  head.labels = labels_of(model) + (directions == 2 ? kDirections : 0);
  head.beta = model.beta;
  std::strcpy(head.alphabet, model.alphabet);
  StateWriter writer(buffer, size, StateKind::model, fingerprint(head), payload(shape, head.labels, directions));
  const Head saved = ordered(head);
  std::memcpy(writer.room(sizeof saved), &saved, sizeof saved);
  writer.array(model.maps);
  writer.array(model.values);
  if (shape.pairs == 0) writer.array(model.couplings);
  writer.array(model.pairs);
  for (int64_t k = 0; k < shape.pairs; ++k)
    for (int64_t d = 0; d < directions; ++d) writer.array(pair_block(model, k, d));
  writer.array(model.fields);
  write_labels(writer, model.labels);
  writer.array(model.order);
  writer.finish();
}

Model *load_model(Context &context, const void *buffer, int64_t size) {
  StateReader reader(buffer, size, StateKind::model, "model");
  const Head head = read_head(reader);
  const ModelShape shape{head.sites,
                         head.colors,
                         std::max<int64_t>(head.heads, 0),
                         head.fields != 0,
                         std::max<int64_t>(-head.heads, 0),
                         (head.labels & kOrder) != 0};
  const int64_t directions = shape.pairs == 0 ? 0 : (head.labels & kDirections) != 0 ? 2 : 1;
  if (shape.pairs > all_pairs(shape.sites))
    fail(ATP_E_FORMAT, "the state has %lld pairs of %lld sites", static_cast<long long>(shape.pairs), static_cast<long long>(shape.sites));
  if (reader.payload() != payload(shape, head.labels, directions) || reader.fingerprint() != fingerprint(head))
    fail(ATP_E_FORMAT, "the state has %lld bytes, which its shape does not fill", static_cast<long long>(size));
  StateReader again = reader;
  const int64_t q = head.colors;
  check_numbers(again, "maps", shape.heads, head.sites, 1, true);
  check_numbers(again, "values", shape.heads, q, 1, false);
  if (shape.pairs > 0) again.pass_over<SitePair>(shape.pairs);
  if (shape.pairs > 0) check_numbers(again, "couplings", shape.pairs, 1, directions * q * q, false);
  if (shape.dense() && shape.pairs == 0) check_numbers(again, "couplings", 1, head.sites, q * q, true);
  if (shape.fields) check_numbers(again, "fields", head.sites, 1, q, false);
  Model *model = make_model(context, shape);
  try {
    model->beta = head.beta;
    reader.array(model->maps);
    reader.array(model->values);
    if (shape.pairs > 0)
      read_pairs(reader, directions, *model);
    else
      reader.array(model->couplings);
    reader.array(model->fields);
    read_alphabet(head.alphabet, head.colors, model->alphabet);
    read_labels(reader, head.labels, context.allocator, model->labels);
    if (shape.ordered) read_order(reader, *model);
  } catch (...) {
    destroy_block(context.allocator, model);
    throw;
  }
  return model;
}

}  // namespace atp
