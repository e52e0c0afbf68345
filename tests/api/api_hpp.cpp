// SPDX-License-Identifier: MIT
// The C++ header: ownership, errors, callbacks, and the same numbers as the C functions underneath.
#include <cmath>
#include <cstdio>
#include <attopotts_io.hpp>

#include "counting.h"
#include "support.h"

#include <cstdlib>
#include <cstring>

#include <unistd.h>

int sites_seen_by_another_file(const attopotts::Model &model);  // api_hpp_other.cpp includes the header, too

namespace {

using attopotts::Alignment;
using attopotts::Context;
using attopotts::Model;
using attopotts::Options;
using attopotts::Result;
using attopotts::Sampler;
using attopotts::Task;
using attopotts::Trainer;

// Run a function that must throw an attopotts::error; its status, or -1.
template <class Function>
int status_of(Function &&function) {
  try {
    function();
  } catch (const attopotts::error &e) {
    return std::strlen(e.what()) > 0 && std::strcmp(e.name(), atp_status_name(e.status())) == 0 ? e.status() : -2;
  }
  return -1;
}

void handles_are_owned_and_move(void **) {
  struct counter memory = {};
  {
    Context context(counting_alloc, counting_free, &memory);
    context.set_threads(1).set_simd("auto");
    assert_int_equal(context.threads(), 1);
    Options options(context, ATP_OWNER_SAMPLER);
    options.set(ATP_OPT_CHAINS, 4).set("seed", 7).set(ATP_OPT_BETA, 0.5);
    Model model = Model::random(context, 5, 3);
    Model moved = std::move(model);
    assert_null(model.get());
    assert_int_equal(model.sites(), 0);
    assert_int_equal(sites_seen_by_another_file(moved), 5);
    model = moved.copy(context);
    Sampler sampler(context, model, options);
    assert_int_equal(sampler.chains(), 4);
    assert_true(memory.live == 5);
    assert_true(context.allocations() == 4);
    assert_true(context.bytes_in_use() > 0);
    assert_true(context.memory_limit() == 0);
    context.set_memory_limit(context.bytes_in_use() + 1);
    assert_true(context.bytes_available() == 1);
    assert_int_equal(status_of([&] { model.copy(context); }), ATP_E_MEMORY);
    context.set_memory_limit(0);
    static_assert(!std::is_copy_constructible_v<Model> && std::is_nothrow_move_constructible_v<Model>);
  }
  assert_true(memory.live == 0 && memory.bad == 0);
}

// Objects without a handle are false, and take one by assignment.
template <class Object>
void starts_empty(Object made) {
  Object object;
  assert_null(object.get());
  assert_false(static_cast<bool>(object));
  object = std::move(made);
  assert_true(static_cast<bool>(object));
  assert_false(static_cast<bool>(made));
  object = Object();
  assert_null(object.get());
}

void objects_may_be_empty(void **) {
  const Context context;
  const Model model = Model::random(context, 5, 3);
  starts_empty(model.copy(context));
  starts_empty(Alignment(context, {0, 1, 2, 0, 1, 2}, 3, 3));
  starts_empty(Options(context, ATP_OWNER_TRAINER));
  starts_empty(Sampler(context, model));
  starts_empty(attopotts::Sampling(context, model, 4));
  starts_empty(attopotts::Table(context, ATP_TABLE_TRAINING_LOG, 2));
  starts_empty(Task(context, ATP_TASK_DOTATTN_SIMULATION));
  assert_int_equal(status_of([&] { Model().copy(context); }), ATP_E_NULL);
  assert_int_equal(status_of([&] { Model().energies({0}); }), ATP_E_NULL);
}

void failures_are_thrown(void **) {
  Context context;
  assert_int_equal(status_of([&] { context.set_threads(-1); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { context.set_simd("mmx"); }), ATP_E_UNSUPPORTED);
  Options options(context, ATP_OWNER_TRAINER);
  assert_int_equal(status_of([&] { options.set("no-such-option", 1); }), ATP_E_OPTION);
  assert_true(Options::word(ATP_OWNER_TRAINER, ATP_OPT_MAP, ATP_MAP_LOWRANK) == "lowrank" && Options::word(1, ATP_OPT_MAP, 0).empty());
  assert_int_equal(status_of([&] { options.set(ATP_OPT_HEADS, 0); }), ATP_E_OPTION_RANGE);
  assert_int_equal(status_of([&] { options.integer(ATP_OPT_RATE); }), ATP_E_OPTION);
  assert_int_equal(options.owner(), ATP_OWNER_TRAINER);
  assert_int_equal(status_of([&] { options.set(ATP_OPT_BETA, 3); }), ATP_E_OPTION);
  assert_int_equal(status_of([&] { Sampler(context, Model::random(context, 5, 3), options); }), ATP_E_CONFLICT);
  const std::vector<uint8_t> seven(7);
  assert_int_equal(status_of([&] { Alignment(context, seven, 2, 3); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { Alignment(context, attopotts::Sequences(seven.data(), 6), 2, 3, std::vector<double>(2)); }),
                   ATP_E_SHAPE);
  assert_int_equal(status_of([&] { Alignment(context, attopotts::Sequences(seven.data(), 6), 0, 3); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { Alignment::read(context, "/no/such/file", "protein"); }), ATP_E_OPEN);
  // A text with a zero byte would be another text in C.
  const std::string zero("/no/such\0file", 13);
  assert_int_equal(status_of([&] { Alignment::read(context, zero, "protein"); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { Alignment::read(context, "/no/such/file", zero); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { options.set(std::string("heads\0", 6), 1); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { Model::random(context, 1, 3); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { Model::dense(context, 2, 2, std::vector<double>(15)); }), ATP_E_SHAPE);
  const Model dense = Model::dense(context, 2, 2, std::vector<float>(16));
  const uint8_t beyond[] = {0, 2};
  assert_int_equal(status_of([&] { dense.maps(); }), ATP_E_CONFLICT);
  assert_int_equal(status_of([&] { dense.energies(std::vector<uint8_t>(3)); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { dense.energies(beyond); }), ATP_E_ALPHABET);
  assert_int_equal(status_of([&] { Model::random(context, 40, 20).enumerate(); }), ATP_E_TOO_LARGE);
  try {
    Model::random(context, 5, 300);
    assert_true(false);
  } catch (const attopotts::error &e) {
    assert_non_null(std::strstr(e.what(), "300"));
  }
}

void columns_and_texts(void **) {
  Context context;
  Alignment data = Alignment::parse(context, std::string(">a\n-ACDA\n>b\nAACD-\n"), "-ACD");
  attopotts::set_columns(data, {1, 2, 4, 5, 8}, 9);
  Options paired(context, ATP_OWNER_ALIGNMENT);
  paired.set(ATP_OPT_FORMAT, ATP_FORMAT_PAIRED);
  const Alignment pair = Alignment::parse(context, std::string("#2,3\t1,1\n>a\n-ACDA\n"), "-ACD", &paired);
  assert_true(attopotts::border(pair) == 2 && attopotts::border(data) == 0);
  const Model independent = attopotts::independent_model(context, data, ATP_GAPS_IGNORE);
  assert_true(independent.colors() == 3 && attopotts::total_columns(independent) == 9 && attopotts::columns(independent)[4] == 8);
  Model model = Model::random(context, 5, 4);
  model.set_alphabet("-ACD");
  const std::vector<attopotts::Mutation> found = attopotts::parse_mutations(model, {0, 1, 2, 3, 1}, "A2C/C3-\nD4A");
  assert_true(found.size() == 3 && found[1] == (attopotts::Mutation{0, 2, 0}) && found[2] == (attopotts::Mutation{1, 3, 1}));
  assert_int_equal(status_of([&] { attopotts::parse_mutations(model, {0, 1}, "A2C"); }), ATP_E_SHAPE);
  attopotts::set_columns(model, {0, 2, 4, 5, 8}, 9);
  assert_int_equal(status_of([&] { attopotts::for_model(context, data, model); }), ATP_E_SHAPE);
  attopotts::set_columns(model, {}, 0);
  const Alignment part = attopotts::for_model(context, Alignment::parse(context, std::string(">a\n-ACDACDAC\n"), "-ACD"), independent);
  assert_true(part.sites() == 5 && part.sequences()[4] == 2 && attopotts::columns(part)[1] == 2);
  const Alignment matched = attopotts::match(context, part, data);
  assert_true(matched.sequences()[3] == 2);
  const attopotts::Agreement found_interval = attopotts::agreement(context, ATP_AGREEMENT_SPEARMAN, {1, 2, 3, 4}, {1, 2, 4, 3}, 50);
  assert_true(std::fabs(found_interval.value - 0.8) < 1e-14 && found_interval.low <= found_interval.high);
  assert_true(std::isnan(attopotts::agreement(context, ATP_AGREEMENT_AUC, {1, 2}, {0, 1}, 0).low));
  assert_int_equal(status_of([&] { attopotts::agreement(context, ATP_AGREEMENT_AUC, {1, 2}, {0}); }), ATP_E_SHAPE);
}

void scores_and_mutants(void **) {
  Context context;
  const Model model = Model::random(context, 5, 3, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3);
  std::vector<double> fn(25), apc(25);
  assert_int_equal(atp_model_frobenius(context.get(), model.get(), ATP_SCORE_RAW, 1, fn.data(), 25), ATP_OK);
  assert_int_equal(atp_scores_apc(fn.data(), 5, apc.data(), 25), ATP_OK);
  assert_true(attopotts::frobenius_scores(context, model, 1, ATP_SCORE_RAW) == fn);
  assert_true(attopotts::frobenius_scores(context, model) != fn);
  assert_true(attopotts::map_like(context, model, model) == model.maps());
  assert_true(attopotts::average_product_correction(fn, 5) == apc);
  const std::vector<attopotts::Pair> pairs = attopotts::rank_pairs(apc, 5), two = attopotts::rank_pairs(apc, 5, 2, 2);
  assert_true(pairs.size() == 10 && two.size() == 2 && two[0][1] - two[0][0] >= 2);
  assert_true(attopotts::frobenius_scores(context, model) == attopotts::frobenius_scores(context, model, -1));
  const attopotts::Table best = attopotts::contacts(context, model, 2, 1, 2, ATP_SCORE_RAW), all = attopotts::contacts(context, model);
  assert_true(best.rows() == 2 && all.rows() == 10 && best(1, ATP_CONTACTS_SITE_I) == static_cast<double>(two[1][0]));
  assert_true(best(0, ATP_CONTACTS_APC) == apc[static_cast<std::size_t>(5 * two[0][0] + two[0][1])]);
  const std::vector<std::int64_t> numbers{1, 2, 3, 4, 50};
  assert_true(attopotts::rank_pairs(apc, 5, 40, 0, numbers).size() == 4);
  assert_true(attopotts::rank_pairs(apc, 5, 100, 0, numbers).empty());
  assert_true(attopotts::rank_pairs(apc, 5, 100, 0, numbers, 2).size() == 6);
  assert_true(attopotts::overlap_of_pairs(context, pairs, two) == 0.2 && attopotts::overlap_of_pairs(context, two, pairs) == 1);
  const std::vector<attopotts::Pair> some{{3, 1}, {0, 2}}, sorted{{0, 2}, {1, 3}};
  const Model kept = model.keep_pairs(context, some);
  assert_true(kept.pairs() == sorted && model.pairs().empty() && kept.heads() == 0);
  assert_true(attopotts::frobenius_scores(context, kept, -1, ATP_SCORE_RAW)[1 * 5 + 3] ==
              attopotts::frobenius_scores(context, model, -1, ATP_SCORE_RAW)[1 * 5 + 3]);
  const std::size_t q = static_cast<std::size_t>(kept.colors());
  std::vector<double> identity(q * q);
  for (std::size_t a = 0; a < q; ++a) identity[a * (q + 1)] = 1;
  const Model potts = Model::of_pairs(context, 5, kept.colors(), some, {2.0, 3.0}, identity),
              again = Model::of_pairs(context, 5, kept.colors(), sorted, kept.pair_couplings());
  assert_true(potts.pairs() == sorted && potts.pair_couplings()[q * q] == 2 && potts.pair_couplings()[1] == 0);
  const Model ring = Model::lattice(context, attopotts::Options(context, ATP_OWNER_LATTICE).set(ATP_OPT_SIZE_X, 3).set(ATP_OPT_SIZE_Y, 1));
  assert_true(ring.pairs() == std::vector<attopotts::Pair>({{0, 1}, {0, 2}, {1, 2}}) && ring.pair_couplings()[0] == 1);
  assert_true(again.pairs() == sorted && again.pair_couplings() == kept.pair_couplings() && model.pair_couplings().empty());
  const Model half = attopotts::weigh_sites(context, kept, std::vector<double>(5, 0.5));
  assert_true(half.pairs() == sorted && half.fields()[3] == 0.5 * kept.gauge(context, ATP_GAUGE_ZERO_SUM).fields()[3]);
  std::vector<double> distances(25, 10.0);
  for (int k = 0; k < 2; ++k) distances[static_cast<std::size_t>(5 * pairs[1][k] + pairs[1][1 - k])] = 5;
  const std::vector<double> curve = attopotts::precision_curve(pairs, distances, 5);
  assert_true(curve.size() == 10 && curve[0] == 0 && curve[1] == 0.5 && curve[9] == 0.1);
  const std::vector<std::uint8_t> sequence{0, 1, ATP_MISSING, 2, 2};
  const std::vector<attopotts::Mutation> mutations{{0, 0, 1}, {0, 3, 0}, {1, 4, 1}};
  const std::vector<attopotts::MutantScores> scores = attopotts::score_mutants(context, model, sequence, mutations, 2);
  std::vector<std::uint8_t> mutant = sequence;
  mutant[4] = 1;
  assert_true(std::fabs(scores[1][ATP_MUTANT_ENERGY] - (model.energies(mutant)[0] - model.energies(sequence)[0])) < 1e-12);
  const std::vector<double> doubles = attopotts::double_mutants(context, model, sequence, {{0, 3}});
  assert_true(doubles.size() == 9 && std::fabs(doubles[3] - scores[0][ATP_MUTANT_ENERGY]) < 1e-12);
  const attopotts::Epistasis pair = attopotts::epistasis(context, model, sequence, {{0, 1, 3, 0}});
  assert_true(pair.delta_energy[0] == doubles[3] && pair.epistasis.size() == 1);
  const std::vector<attopotts::DoubleMutant> lowest = attopotts::best_doubles(context, model, sequence, 3, -1);
  assert_true(lowest.size() == 3 && lowest[0].delta_energy <= lowest[1].delta_energy && lowest[0].change[0] < lowest[0].change[2]);
  assert_int_equal(status_of([&] { attopotts::best_doubles(context, model, sequence, 0); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { attopotts::score_mutants(context, model, mutant, mutations, 1); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { attopotts::double_mutants(context, model, {0, 1}, {{0, 3}}); }), ATP_E_SHAPE);
  const attopotts::Mutants changes = attopotts::mutants(context, model, sequence);
  std::vector<double> de(15), dl(15);
  assert_int_equal(atp_model_mutants(context.get(), model.get(), sequence.data(), 5, de.data(), dl.data(), 15), ATP_OK);
  assert_true(changes.delta_energy == de && changes.delta_log_pseudolikelihood == dl);
  const std::vector<std::uint8_t> rows{0, 1, 0, 2, 2, 1, 1, 0, 2, 0};
  const Alignment alignment(context, rows, 5, 3);
  const attopotts::ComparedParts parts = attopotts::compare_parts(context, alignment, 2, 3);
  assert_true(parts.mean[0][ATP_COMPARISON_COUNT] == 3 * 3 || parts.small > 0);
  assert_true(attopotts::gap_color(alignment) == atp_alignment_gap_color(alignment.get()));
  assert_int_equal(alignment.residue_frequencies().size(), alignment.sites() * (alignment.colors() - 1));
  assert_int_equal(alignment.conservation().size(), alignment.sites());
  assert_int_equal(alignment.summary().size(), ATP_SUMMARY_NUMBERS);
  {
    const Alignment drawn_one = alignment.sample(context, 1, false, 2), back = Alignment::from_state(context, drawn_one.save_state());
    assert_int_equal(back.count(), 1);
    assert_true(back.save_state() == drawn_one.save_state());
    assert_true(alignment.sample(context, 3 * alignment.count(), true).count() == 3 * alignment.count());
    const Options options = Options(context, ATP_OWNER_TRAINER).set("rate=0.5, optimizer=adam");
    assert_string_equal(Options(context, ATP_OWNER_TRAINER).set(options.text()).text().c_str(), options.text().c_str());
    assert_true(options.real(ATP_OPT_RATE) == 0.5 && options.integer(ATP_OPT_OPTIMIZER) == ATP_OPTIMIZER_ADAM);
  }
  const std::vector<double> drawn = alignment.resample(1, 4);
  std::vector<double> weights(drawn.size());
  assert_int_equal(atp_alignment_resample(alignment.get(), 1, 4, weights.data(), alignment.count()), ATP_OK);
  assert_true(drawn == weights);
  const std::vector<attopotts::BootstrapErrors> errors = attopotts::bootstrap_errors(context, std::vector<double>{1, 5, 2, 9, 6, 7}, 2);
  assert_true(errors.size() == 2 && errors[0][ATP_BOOTSTRAP_MEAN] == 3 && errors[1][ATP_BOOTSTRAP_MEAN] == 7);
  assert_int_equal(attopotts::count_within_errors({1, 2}, {1.5, 3}, {0.5, 0.25}, 2), 1);
  assert_int_equal(status_of([&] { attopotts::count_within_errors({1, 2}, {1.5}, {0.5, 0.25}, 2); }), ATP_E_SHAPE);
  const std::vector<attopotts::Mutation> repeated{{0, 1, 2}, {1, 2, 1}, {2, 1, 2}};
  const attopotts::AveragedMutants averaged = attopotts::average_mutants(context, repeated, std::vector<double>{1, 7, 4});
  assert_true(averaged.first == std::vector<std::int64_t>({0, 1, 0}) && averaged.average == std::vector<double>({2.5, 7, 2.5}));
  const attopotts::SamplesQuality quality = attopotts::samples_quality(context, alignment, alignment);
  assert_true(quality.quality.rows() == ATP_QUALITY_ROWS && quality.distances.rows() == alignment.sites() + 1);
  assert_true(quality.quality(ATP_QUALITY_COPIES, ATP_QUALITY_SAMPLES) == 1);
  const attopotts::PrincipalComponents principal = attopotts::principal_components(context, alignment, &alignment, 3);
  assert_true(principal.of_data == principal.of_samples && principal.of_data.size() == 2 * 3 && principal.variances.size() == 3);
  assert_true(attopotts::principal_components(context, alignment).of_samples.empty());
  assert_int_equal(status_of([&] { attopotts::principal_components(context, alignment, nullptr, 0); }), ATP_E_VALUE);
  const attopotts::Comparison same = attopotts::compare_statistics(context, alignment, alignment);
  assert_true(same[ATP_COMPARISON_PAIRS][ATP_COMPARISON_COUNT] == 90 && same[ATP_COMPARISON_SITES][ATP_COMPARISON_RMS] == 0);

  assert_int_equal(status_of([&] { attopotts::average_product_correction(fn, 4); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { attopotts::rank_pairs(fn, 5, 1, 0, std::vector<std::int64_t>(4)); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { attopotts::precision_curve(pairs, fn, 4); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { attopotts::precision_curve(std::vector<attopotts::Pair>{}, fn, 5); }), ATP_E_NULL);
  assert_int_equal(status_of([&] { attopotts::mutants(context, model, rows); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { attopotts::read_distances(context, "/no/such/file", 5); }), ATP_E_OPEN);
  assert_int_equal(status_of([&] { attopotts::read_distances(context, "/no/such/file", 5, std::vector<std::int64_t>(4)); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { attopotts::frobenius_scores(context, model, 3); }), ATP_E_VALUE);
}

void error_bars(void **) {
  Context context;
  const std::vector<double> couplings{0, 0, 0, 0, 0.3, -0.3, -0.3, 0.3, 0.3, -0.3, -0.3, 0.3, 0, 0, 0, 0};
  const Model model = Model::dense(context, 2, 2, couplings);
  const Alignment states(context, std::vector<std::uint8_t>{0, 0, 0, 1, 1, 0, 1, 1}, 2, 2);
  const attopotts::Options options =
      attopotts::Options(context, ATP_OWNER_ASYMPTOTICS).set(ATP_OPT_L2_COUPLINGS, 0.1).set(ATP_OPT_L2_FIELDS, 0.1);
  attopotts::Table table(context, ATP_TABLE_ASYMPTOTICS, 2);
  attopotts::asymptotics(context, model, table);
  attopotts::asymptotics(context, model, table, &states, &options);
  assert_int_equal(table.rows(), 2);
  assert_close(table.column("trace")[0], 4, 1e-9, 0);
  const std::vector<double> errors = attopotts::coupling_errors(context, model, &states, &options);
  const std::vector<double> scores = attopotts::score_errors(context, model, states, options);
  assert_int_equal(errors.size(), 16);
  assert_true(errors[4] > 0 && scores.size() == 8 && scores[1] > 0);
  assert_true(attopotts::asymptotics_bytes(context, model, 4, &options) > 0 && attopotts::score_errors_bytes(context, model, 4) > 0);
}

void methods_without_training(void **) {
  Context context;
  const std::vector<std::uint8_t> rows{0, 1, 0, 2, 2, 1, 1, 0, 2, 0, 0, 1, 2, 2, 1};
  const Alignment alignment(context, rows, 5, 3);
  attopotts::Options options(context, ATP_OWNER_MEAN_FIELD);
  options.set(ATP_OPT_PSEUDOCOUNT, 0.7).set(ATP_OPT_PRECISION, std::int64_t{64});
  const attopotts::Options gaussians =
      attopotts::Options(context, ATP_OWNER_GAUSSIAN).set(ATP_OPT_PSEUDOCOUNT, 0.7).set(ATP_OPT_PRECISION, std::int64_t{64});
  const Model model = attopotts::mean_field_model(context, alignment, &options), other = attopotts::mean_field_model(context, alignment);
  assert_true(model.couplings() != other.couplings());
  const std::vector<double> norms = attopotts::frobenius_scores(context, model, 0);
  const std::vector<double> gaussian = attopotts::gaussian_scores(context, alignment, ATP_PAIR_SCORE_FN, 0, &gaussians);
  for (std::size_t k = 0; k < 25; ++k) assert_close(gaussian[k], norms[k], 1e-12, 1e-14);
  std::vector<double> mutual(25), direct(25);
  const attopotts::Options smoothed = attopotts::Options(context, ATP_OWNER_MUTUAL_INFORMATION).set(ATP_OPT_PSEUDOCOUNT, 0.7);
  assert_int_equal(atp_mutual_information(context.get(), alignment.get(), smoothed.get(), mutual.data(), 25), ATP_OK);
  assert_true(attopotts::mutual_information(context, alignment, &smoothed) == mutual);
  const std::vector<double> frequencies = alignment.frequencies(0.7);
  assert_int_equal(atp_direct_information(context.get(), model.get(), frequencies.data(), 15, direct.data(), 25), ATP_OK);
  assert_true(attopotts::direct_information(context, model, frequencies) == direct);
  assert_true(attopotts::mean_field_bytes(context, 3, 5, 3, &options) > attopotts::mean_field_bytes(context, 3, 5, 3));
  assert_int_equal(status_of([&] { attopotts::direct_information(context, model, mutual); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { attopotts::gaussian_scores(context, alignment, ATP_PAIR_SCORE_FN, 3); }), ATP_E_VALUE);
}

void borrowed_sequences_and_parts(void **) {
  Context context;
  const std::vector<std::uint8_t> rows = {0, 1, 2, 3, 2, 1};
  const std::vector<double> weights = {1, 0.5};
  Alignment alignment = Alignment::borrow(context, rows, 3, 4, weights);
  assert_ptr_equal(alignment.sequences().data(), rows.data());
  assert_true(alignment.count() == 2 && alignment.weights()[1] == 0.5);
  assert_int_equal(status_of([&] { Alignment::borrow(context, rows, 3, 3); }), ATP_E_ALPHABET);
  assert_int_equal(status_of([&] { Alignment::borrow(context, rows, 4, 4); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { Alignment::borrow(context, rows, 3, 4, attopotts::Reals(weights.data(), 1)); }), ATP_E_SHAPE);
  const std::string path = "hpp-parts-" + std::to_string(getpid());
  alignment.set_alphabet("-xyz").write(context, ATP_FORMAT_FASTA, path);
  for (std::int64_t part = 0; part < 2; ++part) {
    const Alignment read = Alignment::read_part(context, path, part, 2, "-xyz");
    assert_int_equal(read.count(), 1);
    assert_memory_equal(read.sequences().data(), rows.data() + 3 * part, 3);
  }
  assert_int_equal(status_of([&] { Alignment::read_part(context, path, 2, 2, "-xyz"); }), ATP_E_VALUE);
  remove(path.c_str());
}

void files_of_other_tools(void **) {
  Context context;
  const std::string path = "hpp-formats-" + std::to_string(getpid());
  Model model = Model::random(context, 3, 4);
  model.set_alphabet("-xyz").set_sites(std::vector<std::int64_t>{4, 6, 9}, "xyx");
  const uint8_t rows[] = {0, 1, 2, 3, 2, 1};
  Alignment alignment(context, rows, 3, 4);
  alignment.set_alphabet("-xyz");
  model.write_as(context, ATP_MODEL_PLMC, path, &alignment);
  assert_string_equal(attopotts::file_kind(context, path).c_str(), "plmc-model");
  Model back = Model::read(context, path);
  assert_true(back.site_numbers()[2] == 9 && back.site_residues() == "xyx" && back.alphabet() == "-xyz");
  assert_close(back.energies(rows)[1], model.energies(rows)[1], 1e-6, 1e-6);
  model.write_as(context, ATP_MODEL_ADABM, path);
  assert_int_equal(status_of([&] { Model::read_as(context, path, ATP_MODEL_ADABM); }), ATP_E_CONFLICT);
  back = Model::read_as(context, path, ATP_MODEL_ADABM, "-xyz");
  assert_close(back.energies(rows)[1], model.energies(rows)[1], 1e-14, 1e-14);
  assert_int_equal(status_of([&] { model.write_as(context, ATP_MODEL_PLMC, path); }), ATP_E_CONFLICT);
  const std::vector<double> scores = {0, 0.5, 0.25, 0.5, 0, -1, 0.25, -1, 0};
  attopotts::write_scores(context, scores, 3, ATP_SCORES_PLMC, path, model.site_numbers(), model.site_residues());
  attopotts::ScoreFile file = attopotts::read_scores(context, path);
  assert_true(file.scores == scores && file.numbers == std::vector<std::int64_t>({4, 6, 9}) && file.residues == "xyx");
  attopotts::write_scores(context, scores, 3, ATP_SCORES_CCMPRED, path);
  file = attopotts::read_scores(context, path);
  assert_true(file.scores == scores && file.numbers == std::vector<std::int64_t>({1, 2, 3}) && file.residues.empty());
  assert_int_equal(status_of([&] { attopotts::write_scores(context, scores, 3, ATP_SCORES_PLMC, path, std::vector<std::int64_t>(2)); }),
                   ATP_E_SHAPE);
  assert_int_equal(status_of([&] { attopotts::read_scores(context, "/no/such/file"); }), ATP_E_OPEN);
  std::remove(path.c_str());
}

void same_numbers_as_the_c_functions(void **) {
  Context context;
  const Model model = Model::random(context, 4, 3, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3);
  const std::vector<double> maps = model.maps(), values = model.values(), couplings = model.couplings();
  assert_true(maps.size() == 16 && values.size() == 9 && couplings.size() == 144);
  const Model again = Model::heads(context, 4, 3, 1, maps, values);
  const Model dense = Model::dense(context, 4, 3, couplings, std::vector<double>(12));
  assert_false(model.has_fields());
  assert_true(dense.has_fields() && dense.heads() == 0 && model.is_symmetric());
  const uint8_t sequences[] = {0, 1, 2, 0, 2, 2, 1, 0};
  double energies[2];
  assert_int_equal(atp_model_energies(model.get(), sequences, 2, energies, 2), ATP_OK);
  const std::vector<double> ours = model.energies(sequences);
  assert_true(ours.size() == 2 && ours[0] == energies[0] && ours[1] == energies[1]);
  assert_true(again.energies(sequences) == ours);
  assert_close(dense.energies(sequences)[1], ours[1], 1e-12, 0);
  const std::vector<double> p = model.conditionals(sequences);
  assert_true(p.size() == 2 * 4 * 3);
  assert_close(p[0] + p[1] + p[2], 1, 1e-14, 0);
  assert_close(std::log(p[0]) + std::log(p[4]) + std::log(p[8]) + std::log(p[9]), model.log_pseudolikelihoods(sequences)[0], 1e-12, 0);
  const Model::Enumeration all = model.enumerate(true, true);
  double sum = 0;
  for (double x : all.probabilities) sum += x;
  assert_true(all.probabilities.size() == 81 && all.pairs.size() == 144 && all.marginals.size() == 12);
  assert_close(sum, 1, 1e-12, 0);
  assert_true(model.enumerate().pairs.empty());
  assert_close(model.gauge(context, ATP_GAUGE_ZERO_SUM).conditionals(sequences)[5], p[5], 1e-12, 0);
  assert_close(again.coupling_error(context, model), 0, 0, 1e-24);
  assert_close(dense.couplings_f32()[20], couplings[20], 1e-6, 1e-7);
}

void alignments(void **) {
  Context context;
  Alignment a(context, std::vector<uint8_t>{0, 1, 2, 1, 1, 1}, 2, 3, std::vector<double>{1, 2, 3});
  assert_true(a.count() == 3 && a.sites() == 2 && a.colors() == 3 && a.effective_count() == 6);
  assert_true(a.weights()[2] == 3 && a.sequences()[2] == 2 && a.sequences().size() == 6);
  a.set_alphabet("-AB").set_origin("made by hand").set_weights(std::vector<double>{1, 1, 2});
  assert_string_equal(a.alphabet().c_str(), "-AB");
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(a.sites()), 9);
  a.set_sites(numbers, std::string(numbers.size(), 'A'));
  assert_true(a.site_numbers().vector() == numbers);
  assert_string_equal(a.site_residues().c_str(), std::string(numbers.size(), 'A').c_str());
  a.set_sites({});
  assert_true(a.site_numbers()[1] == 2 && a.site_residues().empty());
  assert_string_equal(a.origin().c_str(), "made by hand");
  assert_string_equal(a.name(0).c_str(), "");
  const Alignment b = a.select(context, 0, 2, 2);
  assert_true(b.count() == 2 && b.weights()[1] == 2 && b.sequences()[2] == 1);
  const std::vector<double> f = a.frequencies();
  assert_true(a.covariances().size() == a.pair_frequencies().size());
  const Options all(context, ATP_OWNER_FILTER);
  std::int64_t left_out[3] = {-1, -1, -1};
  assert_true(a.filter(context, all, left_out).count() == a.count() && left_out[0] == 0 && left_out[2] == 0);
  Alignment weighed = a.select(context, 0, a.count());
  assert_true(weighed.weigh(1).effective_count() == 1 && weighed.auto_theta() > 0);
  const attopotts::Table scan = attopotts::scan_weights(context, a, std::vector<double>{0, 1});
  assert_true(scan.rows() == 2 && scan(1, ATP_WEIGHTS_EFFECTIVE) == 1 && scan(0, ATP_WEIGHTS_EFFECTIVE) > 1);
  Options apart(context, ATP_OWNER_SPLIT);
  apart.set(ATP_OPT_IDENTITY, 1);
  const attopotts::Split split = attopotts::split(context, a, &apart);
  assert_true(split.training.count() + split.test.count() == a.count() && split.parts.size() == static_cast<std::size_t>(a.count()));
  for (std::int64_t n = 0, k = 0; n < a.count(); ++n)
    if (split.parts[static_cast<std::size_t>(n)] == ATP_PART_TEST) assert_true(split.test.weights()[k++] == a.weights()[n]);
  assert_true(status_of([&] { a.find("x"); }) == ATP_E_VALUE && status_of([&] { a.focus(context, "x"); }) == ATP_E_VALUE);
  assert_close(f[0], 0.25, 1e-15, 0);
  assert_close(f[1], 0.5, 1e-15, 0);
  assert_true(a.pair_frequencies(0.1).size() == 36);
  assert_close(a.independent_loss(f), -(std::log(.25) + std::log(.25) + 2 * std::log(.5) + 4 * std::log(1.)) / 8, 1e-13, 0);
}

void samplers_and_callbacks(void **) {
  Context context;
  Options options(context, ATP_OWNER_SAMPLER);
  options.set(ATP_OPT_CHAINS, 3).set(ATP_OPT_TEMPERATURES, 2).set(ATP_OPT_BETA, 1.0);
  const Model model = Model::random(context, 6, 4);
  assert_true(Sampler::bytes(context, model, &options) > 0);
  Sampler sampler(context, model, options);
  assert_true(sampler.betas().size() == 2 && sampler.betas()[1] == 1.0 && sampler.swap_rates().size() == 1);
  assert_true(Sampler(context, model).swap_rates().empty());
  assert_int_equal(sampler.sweep(5), ATP_OUTCOME_DONE);
  assert_int_equal(sampler.sweeps(), 5);
  std::vector<double> energies;
  const std::vector<char> state = sampler.save_state();
  const std::vector<uint8_t> samples = sampler.sample(7, 2, &energies);
  assert_true(samples.size() == 42 && energies.size() == 7);
  for (int m = 0; m < 7; ++m) assert_close(model.energies(samples)[m], energies[m], 1e-12, 1e-12);
  sampler.load_state(state);
  assert_true(sampler.sample(7, 2) == samples);
  assert_true(sampler.states().size() == 18 && sampler.states(0).size() == 18 && sampler.energies().size() == 3);
  sampler.set_betas(std::vector<double>{0.25, 0.5}).start_from(samples).start_random();
  // Stopping, and an exception that passes the library unharmed.
  int calls = 0;
  assert_int_equal(sampler.sweep(1000000, [&](const attopotts::Progress &p) { return ++calls < 2 && p[ATP_PROGRESS_TOTAL] > 0; }),
                   ATP_OUTCOME_CANCELLED);
  assert_true(calls >= 1);
  bool caught = false;
  try {
    sampler.sweep(1000000, [](const attopotts::Progress &) -> bool { throw std::string("mine"); });
  } catch (const std::string &text) {
    caught = text == "mine";
  }
  assert_true(caught);
  assert_int_equal(sampler.sweep(1), ATP_OUTCOME_DONE);
  std::vector<char> damaged = state;
  damaged[damaged.size() / 2] ^= 1;
  assert_int_equal(status_of([&] { sampler.load_state(damaged); }), ATP_E_CHECKSUM);
  context.request_stop();
  assert_true(context.stop_requested() && sampler.sweep(1) == ATP_OUTCOME_CANCELLED && sampler.sweep(1) == ATP_OUTCOME_CANCELLED);
  context.clear_stop();
  assert_true(!context.stop_requested() && sampler.sweep(1) == ATP_OUTCOME_DONE);
}

void trainers(void **) {
  Context context;
  const Model truth = Model::random(context, 5, 3);
  Sampler sampler(context, truth);
  sampler.sweep(20);
  const Alignment train(context, sampler.sample(200, 2), 5, 3), test(context, sampler.sample(100, 2), 5, 3);
  Options options(context, ATP_OWNER_TRAINER);
  options.set(ATP_OPT_EPOCHS, 30).set(ATP_OPT_L2_COUPLINGS, 1e-3).set(ATP_OPT_L2_COLORS, 1e-3).set(ATP_OPT_PRECISION, 64);
  assert_true(Trainer::bytes(context, 200, 5, 3, &options) > 0);
  Options dense(context, ATP_OWNER_TRAINER);
  dense.set(ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  const std::vector<attopotts::Pair> some{{4, 1}, {0, 2}}, sorted{{0, 2}, {1, 4}};
  Trainer few = Trainer::of_pairs(context, train, some, dense);
  assert_true(few.pairs() == sorted && few.parameters().size() == 15 + 18 && few.model().pairs() == sorted);
  assert_true(Trainer::bytes_of_pairs(context, train, some, dense) < Trainer::bytes(context, 200, 5, 3, &dense));
  Options selecting(context, ATP_OWNER_SELECTION);
  selecting.set(ATP_OPT_FAMILY, ATP_FAMILY_DENSE).set(ATP_OPT_FOLDS, 2).set(ATP_OPT_FOLD_DISTANCE, 0);
  const attopotts::Table path = attopotts::select_penalty_pairs(context, train, some, &selecting);
  assert_true(path.rows() > 0 && path(0, ATP_SELECTION_HELDOUT_LOSS) > 0);
  Trainer trainer(context, train, options);
  trainer.set_test(test).set_truth(truth);
  const std::vector<double> start = trainer.parameters();
  assert_true(start.size() == 25 + 9);
  const Trainer::Gradient g = trainer.gradient();
  assert_true(g.gradient.size() == start.size() && g.objective >= g.loss);
  assert_true(trainer.masked_gradient(std::vector<std::int64_t>(200, 1)).loss > 0);
  double seen = 0;
  const atp_outcome outcome = trainer.run(30, [&](const attopotts::Progress &p) { return seen = p[ATP_PROGRESS_TEST_LOSS], true; });
  assert_true(outcome == ATP_OUTCOME_CONVERGED || outcome == ATP_OUTCOME_MAX_ITER);
  assert_true(seen > 0 && trainer.gradient().objective < g.objective && trainer.epochs() >= 1);
  assert_close(seen, trainer.loss(test), 1e-12, 0);
  const Model learned = trainer.model();
  assert_close(learned.loss(context, test), trainer.loss(test), 1e-9, 0);
  double distance = -1;
  assert_int_equal(atp_model_coupling_error(context.get(), learned.get(), truth.get(), &distance), ATP_OK);
  assert_true(distance > 0 && learned.coupling_error(context, truth) == distance);
  const std::vector<char> state = trainer.save_state();
  trainer.set_parameters(start);
  trainer.load_state(state);
  assert_true(trainer.parameters() == [&] {
    Trainer other(context, train, options);
    other.load_state(state);
    return other.parameters();
  }());
}

void networks(void **) {
  Context context;
  const Model truth = Model::random(context, 5, 3);
  Sampler sampler(context, truth);
  sampler.sweep(20);
  const std::vector<std::uint8_t> sequences = sampler.sample(100, 2);
  const Alignment train(context, sampler.sample(200, 2), 5, 3), test(context, sequences, 5, 3);
  Options options(context, ATP_OWNER_TRAINER);
  options.set(ATP_OPT_FAMILY, ATP_FAMILY_ENCODER)
      .set(ATP_OPT_EPOCHS, 20)
      .set(ATP_OPT_WIDTH, 6)
      .set(ATP_OPT_BLOCKS, 2)
      .set(ATP_OPT_PRECISION, 64);
  assert_true(Trainer::bytes(context, 200, 5, 3, &options) > 0);
  Trainer network(context, train, options);
  Trainer taken, none;
  taken = std::move(network);
  assert_true(taken && !none && !network);
  network = std::move(taken);
  network.set_test(test).set_truth(truth);
  const std::vector<double> start = network.parameters();
  const std::vector<Trainer::Part> parts = network.parts();
  assert_true(parts.size() == 27 && parts.back().name == "output_bias");
  assert_int_equal(parts.back().offset + parts.back().size, start.size());
  const Trainer::Gradient g = network.gradient();
  assert_true(g.gradient.size() == start.size());
  assert_true(network.masked_gradient(std::vector<std::int64_t>(200, 1)).loss > 0);
  double seen = 0;
  assert_int_equal(network.run(30, [&](const attopotts::Progress &p) { return seen = p[ATP_PROGRESS_TEST_LOSS], true; }),
                   ATP_OUTCOME_MAX_ITER);
  assert_true(network.gradient().loss < g.loss && network.epochs() == 20);
  assert_close(seen, network.loss(test), 1e-12, 0);
  const std::vector<double> p = network.conditionals(sequences, 100, 5, 3);
  assert_close(p[0] + p[1] + p[2], 1, 1e-12, 0);
  assert_int_equal(status_of([&] { network.conditionals(sequences, 99, 5, 3); }), ATP_E_SHAPE);
  assert_int_equal(network.map_count(), 2);
  assert_true(network.maps(test).size() == 50);
  const std::vector<char> state = network.save_state();
  network.set_parameters(start);
  network.load_state(state);
  Trainer other(context, train, options);
  other.load_state(state);
  assert_true(network.parameters() == other.parameters());
}

void functions_without_a_handle(void **) {
  Context context;
  const std::vector<double> series{1, 2, 1, 3, 1, 2, 4, 2, 1, 2, 1, 0, 1, 2, 3, 2, 1, 3, 2, 2, 0, 1, 2, 1, 3, 2, 1, 2, 2, 1, 0, 3};
  double tau, error, rhat, mean;
  assert_int_equal(atp_autocorrelation_time(series.data(), 2, 16, &tau, &error), ATP_OK);
  const attopotts::Estimate estimate = attopotts::autocorrelation_time(series, 2);
  assert_true(estimate.value == tau && estimate.standard_error == error);
  assert_int_equal(atp_split_rhat(series.data(), 2, 16, &rhat), ATP_OK);
  assert_true(attopotts::split_rhat(series, 2) == rhat);
  assert_int_equal(status_of([&] { attopotts::split_rhat(series, 0); }), ATP_E_VALUE);
  const std::vector<uint8_t> states{0, 1, 2, 0, 2, 2, 1, 1, 1, 0, 1, 0, 2, 2, 0, 1, 0, 2, 0, 0, 1, 1, 2, 2, 0, 1, 1, 2, 0, 1};
  assert_int_equal(atp_overlap_rhat(context.get(), states.data(), 10, 3, 2, &rhat), ATP_OK);
  assert_true(attopotts::overlap_rhat(context, states, 3, 2) == rhat && rhat > 0);
  double mixed[ATP_MIXING_COLUMNS];
  assert_int_equal(atp_chain_mixing(context.get(), series.data(), 2, 16, mixed), ATP_OK);
  const attopotts::Mixing mixing = attopotts::mixing(context, series, 2);
  assert_true(mixing.rhat == mixed[ATP_MIXING_RHAT] && mixing.tail_ess == mixed[ATP_MIXING_TAIL_ESS]);
  assert_true(mixing.outcome == ATP_OUTCOME_MAX_ITER && mixing.bulk_ess < 400);
  const Model potts = Model::random(context, 4, 3, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1);
  attopotts::Sampler sampler(context, potts);
  const attopotts::Rungs measured = attopotts::measure(sampler, 16);
  assert_true(measured.rungs.rows() == 1 && measured.overlaps.rows() == 5);
  const attopotts::Table exact = attopotts::enumerate_rungs(context, potts, std::vector<double>{0, 1});
  assert_close(exact(0, ATP_RUNGS_LOG_Z), 4 * std::log(3.0), 1e-14, 0);
  const std::vector<std::uint8_t> reference{0, 1, 2, 0};
  attopotts::set_reference(sampler, reference);
  assert_true(std::isfinite(attopotts::measure(sampler, 16).rungs(0, ATP_RUNGS_REFERENCE)));
  assert_close(attopotts::enumerate_rungs(context, potts, std::vector<double>{0}, reference)(0, ATP_RUNGS_REFERENCE), 0, 0, 1e-14);
  const std::vector<int64_t> histogram = attopotts::hamming_histogram(std::vector<uint8_t>{0, 1, 2, 0, 2, 2, 1, 1, 1}, 3, &mean);
  assert_true(histogram == (std::vector<int64_t>{0, 1, 1, 1}));  // 012 022: 1; 012 111: 2; 022 111: 3
  assert_close(mean, 2. / 3, 1e-15, 0);
  const std::vector<char> bytes{'a', 0, 'b'};
  char path[] = "hpp-file-XXXXXX";
  close(mkstemp(path));
  attopotts::write_file(context, path, bytes);
  assert_true(attopotts::read_file(context, path) == bytes);
  assert_string_equal(attopotts::file_kind(context, path).c_str(), "unknown");
  assert_true(attopotts::check_writable(path));
  const std::string rows = "0 1 1\n1 0 1\n";
  attopotts::write_file(context, path, {rows.data(), rows.size()});
  {
    const attopotts::Input input(context, path);
    assert_true(input.kind() == "integers" && input.bytes().size() == 12 && input.alignment().sites() == 3);
    assert_int_equal(status_of([&] { input.model(); }), ATP_E_FORMAT);
    assert_int_equal(status_of([&] { input.scores(); }), ATP_E_FORMAT);
  }
  attopotts::write_scores(context, std::vector<double>{0, 0.5, 0.5, 0}, 2, ATP_SCORES_CCMPRED, path);
  assert_true(attopotts::Input(context, path).scores().scores[1] == 0.5);
  std::remove(path);
  assert_int_equal(status_of([&] { attopotts::read_file(context, path); }), ATP_E_OPEN);
}

void dot_product_attention(void **) {
  namespace dotattn = attopotts::dotattn;
  Context context;
  const std::vector<double> alphas = {0.8, 1.6};
  Options options(context, ATP_TASK_DOTATTN_CURVE);
  options.set(ATP_OPT_BRANCH, ATP_DOTATTN_UNINFORMED).set(ATP_OPT_ACCURACY, 1e-2);
  Task task(context, ATP_TASK_DOTATTN_CURVE, options);
  const Result flat = task.set(ATP_ARRAY_ALPHAS, alphas).run();
  assert_true(flat.table.rows() == 2 && flat.outcome == ATP_OUTCOME_CONVERGED);
  dotattn::Problem problem;
  assert_true(dotattn::linear(problem).loss == flat.table(0, ATP_DOTATTN_EG_LINEAR));
  assert_true(task.bytes() > 0 && task.rows() == 2 && task.array(ATP_ARRAY_TEACHER)[1] == 0.4);
  assert_true(task.table_kind() == ATP_TABLE_DOTATTN_CURVE && flat.table.kind() == ATP_TABLE_DOTATTN_CURVE);
  int calls = 0;
  assert_int_equal(task.run([&](const attopotts::Progress &) { return ++calls < 1; }).outcome, ATP_OUTCOME_CANCELLED);
  task.request_stop();
  assert_int_equal(task.run().outcome, ATP_OUTCOME_CANCELLED);
  task.options(options);
  assert_true(options.real(ATP_OPT_LAMBDA) == 0.01);
  problem.omega = 2;
  assert_int_equal(status_of([&] { dotattn::linear(problem); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { task.set(ATP_ARRAY_WEIGHTS, alphas); }), ATP_E_CONFLICT);
  assert_int_equal(status_of([&] { task.set(ATP_ARRAY_TEACHER, alphas, 3); }), ATP_E_SHAPE);
}

void learning_curves(void **) {
  namespace replica = attopotts::replica;
  Context context;
  const std::vector<double> alphas = {0.5, 1, 2}, precision = replica::goe(8, 3, 1);
  const replica::Masked masked = replica::Masked::precision(context, precision, 8, 3);
  const replica::Spectrum spectrum = masked.spectrum();
  assert_true(masked.parameters() == 7 && spectrum.eigenvalues.size() == 7);
  const replica::Masked again(context, masked.covariance(), masked.weights(), masked.noise());
  assert_true(again.spectrum().projections == spectrum.projections);
  const auto with = [&](atp_task_kind kind) {
    Options options(context, kind);
    options.set(ATP_OPT_LAMBDA, 0.1).set(ATP_OPT_NOISE, masked.noise());
    Task task(context, kind, options);
    task.set(ATP_ARRAY_ALPHAS, alphas).set(ATP_ARRAY_EIGENVALUES, spectrum.eigenvalues).set(ATP_ARRAY_PROJECTIONS, spectrum.projections);
    return task;
  };
  const Result square = with(ATP_TASK_REPLICA_SQUARE).run(), saddle = with(ATP_TASK_REPLICA_SADDLE).run();
  Task convex = with(ATP_TASK_REPLICA_CONVEX);
  const Result of_convex = convex.run();
  assert_close(convex.value(ATP_TASK_OPTIMUM), masked.noise(), 1e-12, 0);
  for (int k = 0; k < 3; ++k) {
    assert_close(square.table(k, ATP_REPLICA_EG), saddle.table(k, ATP_REPLICA_EG), 1e-10, 0);
    assert_close(square.table(k, ATP_REPLICA_EG), of_convex.table(k, ATP_REPLICA_EG), 1e-9, 0);
  }
  const std::vector<double> eg = square.table.column("eg");
  assert_true(eg.size() == 3 && eg[1] == square.table(1, ATP_REPLICA_EG) && square.table.values().size() == 3 * ATP_REPLICA_COLUMNS);
  assert_true(square.table.names()[2] == "eg" && square.table.csv().substr(0, 12) == "alpha,lambda");
  const replica::Masked alone = replica::Masked::covariance(context, std::vector<double>{2, 0, 0, 4}, 2, 1);
  assert_true(alone.noise() == 4 && alone.weights()[0] == 0);
  const std::vector<double> pair = replica::color_covariance(std::vector<double>{0.5, -0.5, -0.5, 0.5}, 2);
  assert_true(pair[0] == 0.25 && pair[1] == -0.25);
  const replica::Masked glass = replica::Masked::spin_glass(context, 1.2, pair, 2, 50, ATP_REPLICA_INPUTS_CAVITY);
  assert_close(glass.spectrum().projections[0], 1.44 / 50, 1e-12, 0);
  const Model spins = Model::heads(context, 2, 2, 1, std::vector<double>{0, 0.5, 0.5, 0}, std::vector<double>{1, 0, 0, 1});
  std::vector<double> colors;
  const replica::Masked mean = replica::Masked::potts(
      context, spins, attopotts::Alignment(context, std::vector<uint8_t>{0, 0, 1, 1, 0, 1, 1, 0}, 2, 2), ATP_REPLICA_INPUTS_NORMAL, colors);
  assert_close(mean.weights()[0], 0.5, 1e-14, 0);
  assert_close(colors[1], -0.25, 1e-14, 0);

  Options options(context, ATP_TASK_REPLICA_SIMULATION);
  options.set(ATP_OPT_LAMBDA, 0.1).set(ATP_OPT_NOISE, masked.noise()).set(ATP_OPT_REALISATIONS, 5);
  Task simulation(context, ATP_TASK_REPLICA_SIMULATION, options);
  simulation.set(ATP_ARRAY_ALPHAS, alphas).set(ATP_ARRAY_COVARIANCE, masked.covariance(), 7).set(ATP_ARRAY_WEIGHTS, masked.weights());
  attopotts::Table table(context, simulation.table_kind(), 6);
  assert_true(attopotts::Table::bytes(simulation.table_kind(), 6) > 0 && table.capacity() == 6);
  assert_int_equal(simulation.run(table), ATP_OUTCOME_CONVERGED);
  assert_int_equal(simulation.run(table), ATP_OUTCOME_CONVERGED);
  assert_true(table.rows() == 6 && table(0, ATP_REPLICA_SIM_EG) == table(3, ATP_REPLICA_SIM_EG));
  assert_int_equal(status_of([&] { simulation.run(table); }), ATP_E_BUFFER);
  assert_int_equal(table.clear().rows(), 0);
  assert_int_equal(status_of([&] { table(0, 0); }), ATP_E_VALUE);
  assert_int_equal(
      status_of([&] { simulation.run(table, [](const attopotts::Progress &) -> bool { throw attopotts::error(ATP_E_STAGE, "x"); }); }),
      ATP_E_STAGE);
  assert_int_equal(table.rows(), 3);  // a run that was cancelled
  assert_int_equal(status_of([&] { replica::goe(1, 3, 1); }), ATP_E_VALUE);
  assert_int_equal(status_of([&] { replica::Masked::precision(context, precision, 7, 0); }), ATP_E_SHAPE);
  attopotts::require_symmetric(precision, 8);
  assert_int_equal(status_of([&] { attopotts::require_symmetric(precision, 7); }), ATP_E_SHAPE);
  assert_int_equal(status_of([&] { attopotts::require_symmetric(std::vector<double>{1, 0, 0.5, 1}, 2); }), ATP_E_SYMMETRY);
}

void training_logs(void **) {
  Context context;
  Options options(context, ATP_OWNER_TRAINER);
  options.set(ATP_OPT_EPOCHS, 20).set(ATP_OPT_HEADS, 2);
  const Model truth = Model::random(context, 5, 3);
  const Alignment data(context, Sampler(context, truth).sample(100), 5, 3);
  Trainer trainer(context, data, options);
  attopotts::Table log(context, ATP_TABLE_TRAINING_LOG, 30);
  trainer.set_log(&log).run(5);
  assert_true(log.rows() == 5 && log(4, ATP_TRAINING_EPOCH) == 5 && log(4, ATP_TRAINING_TRAIN_LOSS) < log(0, ATP_TRAINING_TRAIN_LOSS));
  trainer.set_log(nullptr).run(1);
  assert_int_equal(log.rows(), 5);
  options.reset();
  trainer.options(options);
  assert_true(options.integer(ATP_OPT_HEADS) == 2);
}

void logs_go_to_a_function(void **) {
  Context context;
  int calls = 0;
  context.set_log([&](atp_log_level, const char *) {
    ++calls;
    throw 1;
  });
  Context moved = std::move(context);
  moved.set_log({});
  assert_int_equal(calls, 0);
}

const CMUnitTest tests[] = {
    cmocka_unit_test(handles_are_owned_and_move),
    cmocka_unit_test(objects_may_be_empty),
    cmocka_unit_test(failures_are_thrown),
    cmocka_unit_test(same_numbers_as_the_c_functions),
    cmocka_unit_test(columns_and_texts),
    cmocka_unit_test(scores_and_mutants),
    cmocka_unit_test(error_bars),
    cmocka_unit_test(methods_without_training),
    cmocka_unit_test(files_of_other_tools),
    cmocka_unit_test(borrowed_sequences_and_parts),
    cmocka_unit_test(alignments),
    cmocka_unit_test(samplers_and_callbacks),
    cmocka_unit_test(trainers),
    cmocka_unit_test(networks),
    cmocka_unit_test(functions_without_a_handle),
    cmocka_unit_test(logs_go_to_a_function),
    cmocka_unit_test(learning_curves),
    cmocka_unit_test(training_logs),
    cmocka_unit_test(dot_product_attention),
};

}  // namespace

ATP_TEST_MAIN(tests)
