// SPDX-License-Identifier: MIT
// Sequences of API calls: the input is a program over a table of small handles, with arguments of any kind that the contract allows and an
// allocator that may fail. Every call returns a status of the list, and all memory is given back.
#include "call_machine.hpp"

using atp_fuzz::check;
using atp_fuzz::Machine;
using atp_fuzz::ProgramBytes;

namespace {

void set_options(Machine &m) {
  const int owner = atp_option_owner_at(m.bytes.below(26));  // one number beyond the owners
  atp_options *&bag = m.options[m.bytes.below(atp_fuzz::kPlaces)];
  if (bag == nullptr)
    m.put(
        bag, [&](atp_options **out) { return atp_options_create(m.context, owner, out); }, atp_options_destroy);
  if (bag == nullptr) return;
  const atp_option key = static_cast<atp_option>(
      atp_option_at(atp_options_owner(bag), m.bytes.below(static_cast<int>(atp_option_count(atp_options_owner(bag))))));
  double lowest = 0, initial = 0;
  int is_integer = 0;
  Machine::call(atp_option_bounds(atp_options_owner(bag), key, &lowest, nullptr, &initial, &is_integer));
  const int choice = m.bytes.byte();
  // Small numbers: nothing that takes long.
  if (choice == 255) {
    Machine::call(atp_options_reset(bag));
  } else {
    Machine::call(atp_options_set_f64(bag, key, lowest + (is_integer != 0 ? choice % 6 : choice / 64.0)));
  }
}

void make_model(Machine &m) {
  const int64_t sites = m.bytes.below(atp_fuzz::kMostSites + 1), colors = m.bytes.below(atp_fuzz::kMostColors + 1);
  const int kind = m.bytes.below(6), what = m.bytes.below(5);
  const double maps[2 * 3 * 3] = {0, 1, 2, 3, 0, 1, -1, 2, 0, 0, 1, 2, 3, 0, 1, -1, 2, 0}, values[2 * 2 * 2] = {1, 2, 3, 4, -1, 0, 1, 0};
  const int64_t shape[3] = {3, 2, 1 + m.bytes.below(2)}, pairs[] = {0, m.bytes.below(6), 1, 2};
  const atp_model *source = m.pick(m.models);
  m.put_model([&](atp_model **out) {
    switch (kind) {
      case 0:
      case 1:
        return atp_model_create_random(m.context, sites, colors, static_cast<atp_couplings>(what), static_cast<atp_color_matrix>(what), 1,
                                       out);
      case 2: return atp_model_create_heads(m.context, shape, maps, values, nullptr, out);
      case 3: return atp_model_copy(m.context, source, out);
      case 4: return atp_model_gauge(m.context, source, static_cast<atp_gauge>(what), out);
      default: return atp_model_keep_pairs(m.context, source, pairs, m.bytes.below(3), out);
    }
  });
}

void dense_model(Machine &m) {
  const int64_t sites = 2 + m.bytes.below(3), colors = 2 + m.bytes.below(2);
  std::vector<double> couplings(static_cast<std::size_t>(sites * sites * colors * colors)),
      fields(static_cast<std::size_t>(sites * colors));
  for (double &x : couplings) x = m.bytes.empty() ? 0 : m.real();
  for (double &x : fields) x = m.bytes.empty() ? 0 : m.real();
  const bool with_fields = m.bytes.below(2) != 0;
  m.put_model([&](atp_model **out) {
    return atp_model_create_dense_f64(m.context, sites, colors, couplings.data(), with_fields ? fields.data() : nullptr, out);
  });
}

// A state that is saved and read again, perhaps with a changed byte.
template <class Handle, class Size, class Save, class Load>
void state(Machine &m, const Handle *handle, Size size, Save save, Load load) {
  if (handle == nullptr) return;
  std::vector<uint8_t> buffer(static_cast<std::size_t>(size(handle)));
  if (!Machine::call(save(handle, buffer.data(), static_cast<int64_t>(buffer.size())))) return;
  if (m.bytes.below(2) != 0) buffer[m.bytes.byte() * buffer.size() / 256] ^= m.bytes.byte();
  Machine::call(load(buffer.data(), static_cast<int64_t>(buffer.size()) - m.bytes.below(2)));
}

void model_state(Machine &m) {
  atp_model *model = nullptr;
  state(m, m.pick(m.models), atp_model_state_bytes, atp_model_save_state,
        [&](const void *data, int64_t size) { return atp_model_from_state(m.context, data, size, &model); });
  atp_model_destroy(model);
}

void change_model(Machine &m) {
  atp_model *model = m.pick(m.models);
  const std::string text = m.bytes.text(12);
  int64_t sites[atp_fuzz::kMostSites];
  for (int64_t &site : sites) site = m.bytes.below(20) - 3;
  Machine::call(atp_model_set_beta(model, m.real()));
  Machine::call(atp_model_set_alphabet(model, text.c_str()));
  Machine::call(atp_model_set_origin(model, text.c_str()));
  Machine::call(atp_model_set_sites(model, sites, m.bytes.below(2) == 0 ? atp_model_sites(model) : m.bytes.below(9), text.c_str()));
}

void read_model(Machine &m) {
  const atp_model *model = m.pick(m.models);
  std::vector<double> out = m.numbers();
  const int64_t size = static_cast<int64_t>(out.size()), n = m.rows();
  const uint8_t *colors = m.sequences();
  switch (m.bytes.below(12)) {
    case 0: Machine::call(atp_model_maps(model, out.data(), size)); break;
    case 1: Machine::call(atp_model_values(model, out.data(), size)); break;
    case 2: Machine::call(atp_model_fields(model, out.data(), size)); break;
    case 3: Machine::call(atp_model_couplings_f64(model, out.data(), size)); break;
    case 4: Machine::call(atp_model_conditionals(model, colors, n, out.data(), size)); break;
    case 5: Machine::call(atp_model_energies(model, colors, n, out.data(), size)); break;
    case 6: Machine::call(atp_model_log_pseudolikelihoods(model, colors, n, out.data(), size)); break;
    case 7: Machine::call(atp_model_probabilities(model, out.data(), size)); break;
    case 8: Machine::call(atp_model_frobenius(m.context, model, static_cast<atp_score_gauge>(n), n, out.data(), size)); break;
    case 9: Machine::call(atp_model_mutants(m.context, model, colors, atp_model_sites(model), out.data(), nullptr, size)); break;
    case 10: Machine::call(atp_model_contacts(m.context, model, static_cast<atp_score_gauge>(1), n, m.rows(), m.pick(m.tables))); break;
    default: {
      double log_z = 0, energy = 0;
      Machine::call(atp_model_enumerate(model, &log_z, &energy, out.data(), size, nullptr, 0));
    }
  }
}

void mutations(Machine &m) {
  const atp_model *model = m.pick(m.models);
  const std::string text = m.bytes.text(20);
  int64_t changes[3 * 4] = {}, count = 0;
  const uint8_t *colors = m.sequences();
  if (!Machine::call(atp_mutations_parse(model, colors, atp_model_sites(model), text.c_str(), changes, 4, &count))) return;
  check(count >= 0 && count <= 4, "as many changes as there is room for");
  double scores[8];
  Machine::call(atp_model_score_mutants(m.context, model, colors, changes, count, scores, 1));
}

void make_alignment(Machine &m) {
  const int64_t n = m.rows(), sites = m.bytes.below(atp_fuzz::kMostSites + 1), colors = m.bytes.below(9);
  const double weights[] = {1, 0.5, 0, 2, m.real(), 1, 1};
  const bool weighted = m.bytes.below(2) != 0;
  const uint8_t *data = m.sequences();
  m.put_alignment(
      [&](atp_alignment **out) { return atp_alignment_create(m.context, data, n, sites, colors, weighted ? weights : nullptr, out); });
}

void parse_alignment(Machine &m) {
  const std::string text = m.bytes.text(200);
  static const char *const alphabets[] = {"protein", "rna", "-AC", "", nullptr};
  const char *alphabet = alphabets[m.bytes.below(5)];
  const atp_options *options = m.pick(m.options);
  m.put_alignment([&](atp_alignment **out) {
    return atp_alignment_parse(m.context, text.data(), static_cast<int64_t>(text.size()), alphabet, options, out);
  });
}

// An alignment as text, which is an alignment of the same shape again.
void format_alignment(Machine &m) {
  const atp_alignment *source = m.pick(m.alignments);
  const atp_format format = static_cast<atp_format>(m.bytes.below(10));
  std::vector<char> text(4096);
  int64_t needed = 0;
  if (!Machine::call(atp_alignment_format(source, format, text.data(), static_cast<int64_t>(text.size()), &needed))) return;
  check(needed <= static_cast<int64_t>(text.size()), "the text fits");
}

void derive_alignment(Machine &m) {
  const atp_alignment *source = m.pick(m.alignments);
  const atp_options *options = m.pick(m.options);
  const std::string name = m.bytes.text(6);
  const int what = m.bytes.below(4);
  const int64_t first = m.rows(), count = m.rows(), stride = m.rows();
  m.put_alignment([&](atp_alignment **out) {
    if (what == 3) return atp_alignment_rename(m.context, source, name.c_str(), out);
    if (what == 0) return atp_alignment_select(m.context, source, first, count, stride, out);
    if (what == 1) return atp_alignment_focus(m.context, source, name.c_str(), out);
    return atp_alignment_filter(m.context, source, options, nullptr, 0, out);
  });
}

void read_alignment(Machine &m) {
  atp_alignment *data = m.pick(m.alignments);
  std::vector<double> out = m.numbers();
  const int64_t size = static_cast<int64_t>(out.size());
  double number = 0;
  int64_t index = 0;
  switch (m.bytes.below(11)) {
    case 0:
      Machine::call(atp_alignment_weigh(data, m.real(), static_cast<atp_weight_rule>(m.bytes.below(6)), nullptr, nullptr, nullptr));
      break;
    case 1: Machine::call(atp_alignment_auto_theta(data, &number)); break;
    case 2: Machine::call(atp_alignment_frequencies(data, m.real(), out.data(), size)); break;
    case 3: Machine::call(atp_alignment_pair_frequencies(data, m.real(), out.data(), size)); break;
    case 4: Machine::call(atp_alignment_covariances(data, m.real(), out.data(), size)); break;
    case 5: Machine::call(atp_alignment_independent_loss(data, out.data(), size, &number)); break;
    case 6: Machine::call(atp_alignment_find(data, m.bytes.text(4).c_str(), &index)); break;
    case 7: Machine::call(atp_alignment_set_alphabet(data, m.bytes.text(9).c_str())); break;
    case 8: Machine::call(atp_alignment_set_weights(data, out.data(), size)); break;
    case 9: Machine::call(atp_statistics_components(m.context, data, m.pick(m.alignments), 1, out.data(), size, &number)); break;
    default: Machine::call(atp_statistics_compare(m.context, data, m.pick(m.alignments), out.data(), size));
  }
}

void make_sampler(Machine &m) {
  const atp_model *model = m.pick(m.models);
  const atp_options *options = m.pick(m.options);
  m.put(
      m.samplers[m.bytes.below(atp_fuzz::kPlaces)], [&](atp_sampler **out) { return atp_sampler_create(m.context, model, options, out); },
      atp_sampler_destroy);
}

void use_sampler(Machine &m) {
  atp_sampler *sampler = m.pick(m.samplers), *other = m.pick(m.samplers);
  std::vector<double> out = m.numbers();
  const int64_t size = static_cast<int64_t>(out.size());
  std::vector<uint8_t> colors(static_cast<std::size_t>(m.bytes.byte()));
  atp_outcome outcome = ATP_OUTCOME_NONE;
  switch (m.bytes.below(9)) {
    case 0: Machine::call(atp_sampler_start_random(sampler)); break;
    case 1: Machine::call(atp_sampler_start_from(sampler, m.sequences(), m.rows(), atp_sampler_sites(sampler))); break;
    case 2: Machine::call(atp_sampler_sweep(sampler, m.rows(), Machine::report, &m.reports, &outcome)); break;
    case 3:
      Machine::call(atp_sampler_sample(sampler, m.bytes.below(3), colors.data(), static_cast<int64_t>(colors.size()), Machine::report,
                                       &m.reports, &outcome));
      break;
    case 4: Machine::call(atp_sampler_betas(sampler, out.data(), size)); break;
    case 5: Machine::call(atp_sampler_set_betas(sampler, out.data(), size)); break;
    case 6: Machine::call(atp_sampler_states(sampler, m.rows(), colors.data(), static_cast<int64_t>(colors.size()))); break;
    case 7: Machine::call(atp_sampler_energies(sampler, m.rows(), out.data(), size)); break;
    default:
      state(m, sampler, atp_sampler_state_bytes, atp_sampler_save_state,
            [&](const void *data, int64_t bytes) { return atp_sampler_load_state(other, data, bytes); });
  }
}

void sampling_run(Machine &m) {
  const atp_model *model = m.pick(m.models);
  const atp_options *options = m.pick(m.options);
  atp_sampling *&run = m.runs[m.bytes.below(atp_fuzz::kPlaces)], *other = m.pick(m.runs);
  atp_outcome outcome = ATP_OUTCOME_NONE;
  switch (m.bytes.below(4)) {
    case 0:
      m.put(
          run, [&](atp_sampling **out) { return atp_sampling_create(m.context, model, options, m.rows(), out); }, atp_sampling_destroy);
      break;
    case 1: Machine::call(atp_sampling_run(run, Machine::report, &m.reports, &outcome)); break;
    case 2: m.put_alignment([&](atp_alignment **out) { return atp_sampling_alignment(run, out); }); break;
    default:
      state(m, static_cast<const atp_sampling *>(run), atp_sampling_state_bytes, atp_sampling_save_state,
            [&](const void *data, int64_t bytes) { return atp_sampling_load_state(other, data, bytes); });
  }
}

void make_trainer(Machine &m) {
  const atp_alignment *train = m.pick(m.alignments);
  const atp_options *options = m.pick(m.options);
  m.put(
      m.trainers[m.bytes.below(atp_fuzz::kPlaces)], [&](atp_trainer **out) { return atp_trainer_create(m.context, train, options, out); },
      atp_trainer_destroy);
}

void use_trainer(Machine &m) {
  atp_trainer *trainer = m.pick(m.trainers), *other = m.pick(m.trainers);
  std::vector<double> out = m.numbers();
  const int64_t size = static_cast<int64_t>(out.size());
  double loss = 0, objective = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  switch (m.bytes.below(11)) {
    case 0: Machine::call(atp_trainer_run(trainer, m.rows(), Machine::report, &m.reports, &outcome)); break;
    case 1: Machine::call(atp_trainer_gradient(trainer, &loss, &objective, out.data(), size)); break;
    case 2: Machine::call(atp_trainer_set_test(trainer, m.pick(m.alignments))); break;
    case 3: Machine::call(atp_trainer_set_truth(trainer, m.pick(m.models))); break;
    case 4: Machine::call(atp_trainer_set_log(trainer, m.pick(m.tables))); break;
    case 5: Machine::call(atp_trainer_set_values(trainer, out.data(), size)); break;
    case 6: Machine::call(atp_trainer_set_parameters(trainer, out.data(), size)); break;
    case 7: m.put_model([&](atp_model **made) { return atp_trainer_model(trainer, made); }); break;
    case 8: Machine::call(atp_trainer_start_from(trainer, other)); break;
    case 9: Machine::call(atp_trainer_loss(trainer, m.pick(m.alignments), &loss)); break;
    default:
      state(m, static_cast<const atp_trainer *>(trainer), atp_trainer_state_bytes, atp_trainer_save_state,
            [&](const void *data, int64_t bytes) { return atp_trainer_load_state(other, data, bytes); });
  }
}

void use_network(Machine &m) {
  atp_trainer *network = m.pick(m.trainers), *other = m.pick(m.trainers);
  std::vector<double> out = m.numbers();
  const int64_t size = static_cast<int64_t>(out.size());
  double loss = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  switch (m.bytes.below(7)) {
    case 0: Machine::call(atp_trainer_run(network, m.rows(), Machine::report, &m.reports, &outcome)); break;
    case 1: Machine::call(atp_trainer_gradient(network, &loss, nullptr, out.data(), size)); break;
    case 2: Machine::call(atp_trainer_set_test(network, m.pick(m.alignments))); break;
    case 3: Machine::call(atp_trainer_loss(network, m.pick(m.alignments), &loss)); break;
    case 4: Machine::call(atp_trainer_set_parameters(network, out.data(), size)); break;
    case 5: m.put_model([&](atp_model **made) { return atp_trainer_model(network, made); }); break;
    default:
      state(m, static_cast<const atp_trainer *>(network), atp_trainer_state_bytes, atp_trainer_save_state,
            [&](const void *data, int64_t bytes) { return atp_trainer_load_state(other, data, bytes); });
  }
}

void use_table(Machine &m) {
  atp_table *&table = m.tables[m.bytes.below(atp_fuzz::kPlaces)];
  std::vector<double> out = m.numbers();
  char text[512];
  int64_t needed = 0;
  double value = 0;
  switch (m.bytes.below(5)) {
    case 0: {
      const atp_table_kind kind = static_cast<atp_table_kind>(m.bytes.below(64));
      m.put(
          table, [&](atp_table **made) { return atp_table_create(m.context, kind, m.rows() * 4, made); },
          [&m](atp_table *old) {
            if (old != nullptr) m.destroy_readers();
            atp_table_destroy(old);
          });
      break;
    }
    case 1: Machine::call(atp_table_value(table, m.rows(), m.bytes.below(20) - 1, &value)); break;
    case 2: Machine::call(atp_table_values(table, out.data(), static_cast<int64_t>(out.size()))); break;
    case 3: Machine::call(atp_table_csv(table, text, m.bytes.byte(), &needed)); break;
    default: Machine::call(atp_table_clear(table));
  }
}

void use_task(Machine &m) {
  atp_task *&task = m.tasks[m.bytes.below(atp_fuzz::kPlaces)];
  double values[16];
  int64_t bytes = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  switch (m.bytes.below(4)) {
    case 0: {
      const atp_task_kind kind = static_cast<atp_task_kind>(m.bytes.below(15));
      const atp_options *options = m.pick(m.options);
      m.put(
          task, [&](atp_task **out) { return atp_task_create(m.context, kind, options, out); }, atp_task_destroy);
      break;
    }
    case 1: {
      const int64_t rows = m.bytes.below(5), columns = m.bytes.below(5);
      for (double &value : values) value = m.real();
      Machine::call(atp_task_set_array(task, static_cast<atp_task_array>(m.bytes.below(ATP_ARRAYS + 1)), values, rows, columns));
      break;
    }
    case 2: Machine::call(atp_task_bytes(task, &bytes)); break;
    default: Machine::call(atp_task_run(task, m.pick(m.tables), Machine::report, &m.reports, &outcome));
  }
}

void baselines(Machine &m) {
  const atp_alignment *data = m.pick(m.alignments);
  const atp_options *options = m.pick(m.options);
  std::vector<double> out = m.numbers();
  const int64_t size = static_cast<int64_t>(out.size());
  switch (m.bytes.below(4)) {
    case 0: m.put_model([&](atp_model **made) { return atp_mean_field_model(m.context, data, options, made); }); break;
    case 1:
      m.put_model([&](atp_model **made) { return atp_model_create_independent(m.context, data, ATP_GAPS_STATE, m.real(), made); });
      break;
    case 2: Machine::call(atp_gaussian_scores(m.context, data, options, ATP_PAIR_SCORE_FN, m.rows(), out.data(), size)); break;
    default: Machine::call(atp_mutual_information(m.context, data, options, out.data(), size));
  }
}

void set_context(Machine &m) {
  static const char *const targets[] = {"auto", "scalar", "sse4", "avx2", "avx512", "none", ""};
  switch (m.bytes.below(4)) {
    case 0: Machine::call(atp_context_set_simd(m.context, targets[m.bytes.below(7)])); break;
    case 1: Machine::call(atp_context_set_memory_limit(m.context, int64_t{m.bytes.byte()} * 1000 - 1000)); break;
    case 2: atp_context_request_stop(m.context); break;
    default: atp_context_clear_stop(m.context);
  }
}

// Samplers and runs within allowed colours and near starts, and what is known of their walks.
void restricted(Machine &m) {
  atp_sampler *sampler = m.pick(m.samplers);
  atp_sampling *run = m.pick(m.runs);
  std::vector<uint8_t> mask(static_cast<std::size_t>(m.bytes.byte()));
  for (uint8_t &allowed : mask) allowed = m.bytes.below(3) == 0 ? 0 : 1;
  // Masks of the right size, too.
  if (m.bytes.below(2) != 0 && run != nullptr) mask.resize(static_cast<std::size_t>(atp_sampling_sites(run) * m.bytes.below(7)), 1);
  const int64_t size = static_cast<int64_t>(mask.size()), n = m.rows();
  switch (m.bytes.below(6)) {
    case 0: Machine::call(atp_sampler_restrict(sampler, m.bytes.below(4) == 0 ? nullptr : mask.data(), size)); break;
    case 1: Machine::call(atp_sampling_restrict(run, m.bytes.below(4) == 0 ? nullptr : mask.data(), size)); break;
    case 2: Machine::call(atp_sampling_start_from(run, m.sequences(), n, atp_sampling_sites(run))); break;
    case 3: Machine::call(atp_sampling_trajectory(run, m.pick(m.tables))); break;
    case 4: Machine::call(atp_sampling_forgetting(run, m.sequences(), n, atp_sampling_sites(run), m.pick(m.tables))); break;
    default: Machine::call(atp_sampling_run(run, Machine::report, &m.reports, nullptr));
  }
}

// Trainers of the likelihood, their chains, and sequences that were tested.
void likelihood(Machine &m) {
  atp_trainer *&trainer = m.trainers[m.bytes.below(atp_fuzz::kPlaces)];
  const double adjustments[atp_fuzz::kMostRows] = {1, -1, m.real(), 0.5, 0, 2};
  switch (m.bytes.below(5)) {
    case 0: {
      const atp_alignment *train = m.pick(m.alignments);
      const int rule = m.bytes.below(4), family = m.bytes.below(4) == 0 ? ATP_FAMILY_FACTORED : ATP_FAMILY_DENSE;
      atp_options *options = nullptr;
      if (!Machine::call(atp_options_create(m.context, ATP_OWNER_TRAINER, &options))) return;
      Machine::call(atp_options_set_i64(options, ATP_OPT_FAMILY, family));
      Machine::call(atp_options_set_i64(options, ATP_OPT_FIELDS, 1));
      Machine::call(atp_options_set_i64(options, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD));
      Machine::call(atp_options_set_i64(options, ATP_OPT_CHAINS, 16 + m.bytes.below(40)));
      Machine::call(atp_options_set_f64(options, ATP_OPT_TARGET, 1));
      if (rule != 0) Machine::call(atp_options_set_i64(options, ATP_OPT_SPARSIFY, rule));
      m.put(
          trainer, [&](atp_trainer **out) { return atp_trainer_create(m.context, train, options, out); }, atp_trainer_destroy);
      atp_options_destroy(options);
      break;
    }
    case 1: Machine::call(atp_trainer_start_chains(trainer, m.pick(m.alignments))); break;
    case 2: m.put_alignment([&](atp_alignment **out) { return atp_trainer_chains(trainer, out); }); break;
    case 3: Machine::call(atp_trainer_start_model(trainer, m.pick(m.models))); break;
    default: {
      const atp_alignment *tested = m.pick(m.alignments);
      Machine::call(atp_trainer_reintegrate(trainer, tested, adjustments, m.rows(), m.real()));
    }
  }
}

void samples_quality(Machine &m) {
  const atp_alignment *data = m.pick(m.alignments), *samples = m.pick(m.alignments);
  atp_table *quality = nullptr, *distances = nullptr;
  Machine::call(atp_table_create(m.context, ATP_TABLE_QUALITY, ATP_QUALITY_ROWS, &quality));
  Machine::call(atp_table_create(m.context, ATP_TABLE_DISTANCES, m.bytes.below(12), &distances));
  Machine::call(atp_samples_quality(m.context, data, samples, m.pick(m.options), quality, distances));
  atp_table_destroy(distances);
  atp_table_destroy(quality);
  double log_p = 0, error = 0;
  Machine::call(atp_model_mean_log_p(m.context, m.pick(m.models), data, m.real(), m.real(), &log_p, &error));
}

using Operation = void (*)(Machine &);
constexpr Operation kOperations[] = {set_options,      make_model,     dense_model,    model_state,     change_model,
                                     read_model,       mutations,      make_alignment, parse_alignment, format_alignment,
                                     derive_alignment, read_alignment, make_sampler,   use_sampler,     sampling_run,
                                     make_trainer,     use_trainer,    use_network,    use_table,       use_task,
                                     baselines,        set_context,    restricted,     likelihood,      samples_quality};
constexpr int kOperationCount = static_cast<int>(sizeof kOperations / sizeof *kOperations);

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ProgramBytes bytes(data, size);
  Machine machine(bytes);
  atp_fuzz::accepted = machine.context != nullptr;
  if (machine.context == nullptr) return 0;
  for (int k = 0; k < 60 && !bytes.empty(); ++k) kOperations[bytes.below(kOperationCount)](machine);
  return 0;
}
