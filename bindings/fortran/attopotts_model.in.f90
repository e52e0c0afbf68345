! SPDX-License-Identifier: MIT
!> Generalised Potts models: couplings, fields, conditionals, energies, gauges, exact enumeration, scores, mutants.
!@ module model uses context alignment
  public :: atp_model

  !> p(s_i = a | rest) = softmax_a( beta [ b_i(a) + sum_{j /= i} C_ij(a, s_j) ] ), C_ij(a, b) = sum_h A_h,ij V_h(a, b) or dense.
  !> Arrays are those of C with the indices reversed, without copies:
  !>   A_h,ij    maps(j, i, h)                 b_i(a)       fields(a + 1, i)
  !>   V_h(a, b) values(b + 1, a + 1, h)       C_ij(a, b)   couplings(b + 1, a + 1, j, i)
  !> A colour is its own index in arrays declared (0:q-1, ...).
  !> Procedures with `context` take the one that the model was made in where it is not given; another thread gives its own.
  !@ type model
    !> create_dense(context, couplings [, fields]): both real(c_double) or both real(c_float).
    generic :: create_dense => create_dense_f64, create_dense_f32
    !> couplings(array): real(c_double) or real(c_float), (q, q, L, L).
    generic :: couplings => couplings_f64, couplings_f32
    procedure :: pairs => model_pairs
    procedure :: create_pairs => model_create_pairs
    procedure :: order => model_order
    procedure :: set_order => model_set_order
  end type

contains

  !@ life model

  !@ create_heads(context, maps, values, fields?); sites=size(maps, 1, c_int64_t), colors=size(values, 1, c_int64_t), heads=size(maps, 3, c_int64_t), shape=[size(maps, 1, c_int64_t), size(values, 1, c_int64_t), size(maps, 3, c_int64_t)]
  !@ private create_dense_f64(context, couplings, fields?); sites=size(couplings, 3, c_int64_t), colors=size(couplings, 1, c_int64_t)
  !@ private create_dense_f32(context, couplings, fields?); sites=size(couplings, 3, c_int64_t), colors=size(couplings, 1, c_int64_t)
  !> The model of independent sites: fields log f_i(a), no couplings. gaps: "state" or "ignore"; pseudocount: one sequence more of
  !> each colour where not given.
  !@ create_independent(context, alignment, gaps?=ATP_GAPS_STATE, pseudocount?=-1.0_c_double)
  !@ create_random(context, sites, colors, couplings?=ATP_COUPLINGS_GAUSSIAN, color_matrix?=ATP_COLOR_MATRIX_GAUSSIAN, seed?=1)
  !@ create_lattice(context, options?)
  !@ pair_couplings(couplings)
  !> A model of its own with the same numbers (assignment shares one model).
  !@ copy(source, context?)
  !> A model from the bytes of save_state.
  !@ from_state(context, state@buffer)
  !@ save_state state_bytes
  !@ gauge(source, gauge, context?)
  !> The couplings of some pairs of sites only, pairs(2, n), sites from 1.
  !@ keep_pairs(source, pairs, context?); n=size(pairs, 2, c_int64_t)
  !> For scores of mutants: fields times the weights (L) of their sites, couplings times the mean weight of both.
  !@ weigh_sites(source, weights, context?); n=size(weights, kind=c_int64_t)
  !@ pair_count
  !> The list of pairs of sites that have couplings, pairs(2, pair_count), sites from 1, the smaller first.
  subroutine model_pairs(self, pairs, stat, errmsg)
    class(atp_model), intent(in) :: self
    integer(c_int64_t), intent(inout), contiguous, target :: pairs(:, :)
    integer(c_int) :: status
    status = atp_model_pairs(self%address(), c_loc(pairs), size(pairs, kind=c_int64_t))
    if (status == ATP_OK) pairs = pairs + 1
    call settle(status, stat, errmsg)
  end subroutine

  !> A model with couplings of the pairs of a list only, pairs(2, n), sites from 1; couplings(q, q, n), fields(q, sites):
  !> C_ij(a, b) = couplings(b + 1, a + 1, k) with a at the first site of the k-th pair.
  subroutine model_create_pairs(self, context, sites, pairs, couplings, fields, stat, errmsg)
    class(atp_model), intent(inout) :: self
    class(atp_context), intent(in) :: context
    integer, intent(in) :: sites
    integer(c_int64_t), intent(in) :: pairs(:, :)
    real(c_double), intent(in), contiguous, target :: couplings(:, :, :)
    real(c_double), intent(in), contiguous, optional, target :: fields(:, :)
    integer(c_int64_t), allocatable, target :: pairs_(:, :)
    integer(c_int64_t), target :: extents(3)
    type(c_ptr) :: fields_, made
    integer(c_int) :: status
    extents = [int(sites, c_int64_t), size(couplings, 1, c_int64_t), size(pairs, 2, c_int64_t)]
    if (.not. fits('pairs', shape(pairs), [2_c_int64_t, -1_c_int64_t], stat, errmsg)) return
    if (.not. fits('couplings', shape(couplings), [extents(2), extents(2), extents(3)], stat, errmsg)) return
    fields_ = c_null_ptr
    if (present(fields)) then
      if (.not. fits('fields', shape(fields), [extents(2), extents(1)], stat, errmsg)) return
      fields_ = c_loc(fields)
    end if
    allocate (pairs_, source=pairs - 1)
    status = atp_model_create_pairs(context%address(), c_loc(extents), c_loc(pairs_), c_loc(couplings), c_null_ptr, fields_, made)
    if (status == ATP_OK) call adopt(self%ref, atp_model_destroy, made, context%ref)
    call settle(status, stat, errmsg)
  end subroutine

  !> The sites of an autoregressive model, (L), from 1, in the order in which they are drawn.
  subroutine model_order(self, order, stat, errmsg)
    class(atp_model), intent(in) :: self
    integer(c_int64_t), intent(inout), contiguous, target :: order(:)
    integer(c_int) :: status
    status = atp_model_order(self%address(), c_loc(order), size(order, kind=c_int64_t))
    if (status == ATP_OK) order = order + 1
    call settle(status, stat, errmsg)
  end subroutine

  !> Makes a model autoregressive: its sites, (L), from 1, in the order in which they are drawn. Without them a Potts model again.
  subroutine model_set_order(self, order, stat, errmsg)
    class(atp_model), intent(inout) :: self
    integer(c_int64_t), intent(in), optional :: order(:)
    integer(c_int64_t), allocatable, target :: order_(:)
    if (.not. present(order)) then
      call settle(atp_model_set_order(self%address(), c_null_ptr, 0_c_int64_t), stat, errmsg)
      return
    end if
    allocate (order_, source=order - 1)
    call settle(atp_model_set_order(self%address(), c_loc(order_), size(order_, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> Read a model file. format: "auto" (the content decides), "hdf5", "plmc", "ccmpred", "adabm" or "bmdca"; alphabet: of text with
  !> letters or integers.
  !@ read(context, path, format?=ATP_MODEL_AUTO, alphabet?) = atp_model_read_as
  !> Write a model file. alignment: what the model was learned from, for "plmc".
  !@ write(path, format?=ATP_MODEL_HDF5, alignment?, context?) = atp_model_write_as
  !@ sites colors heads has_fields is_symmetric is_ordered beta
  !@ set_beta(beta)
  !@ alphabet
  !@ set_alphabet(symbols)
  !@ origin
  !@ set_origin(text)
  !> What the sites are called outside, (L), without a copy: to be read, as long as the model lives.
  !@ site_numbers
  !@ site_residues
  !@ set_sites(numbers?, residues?); n=self%sites()
  !> The column (L), from 0, of each site among all columns of the alignment, and their number before any was removed.
  !@ columns total_columns
  !> Those of the first of two proteins, as of an alignment.
  !@ border
  !@ set_columns(columns?, total?:long=self%sites()); n=self%sites()
  !@ maps(maps)
  !@ values(values)
  !@ fields(fields)
  !@ private couplings_f64(couplings)
  !@ private couplings_f32(couplings)
  !> p(s_i = a | rest) of sequences (L, n) at conditionals(a + 1, i, n), shape (q, L, n).
  !@ conditionals(sequences, conditionals)
  !@ energies(sequences, energies)
  !@ log_pseudolikelihoods(sequences, values)
  !@ loss(alignment, context?) -> loss
  !> The mean log P of sequences by their weights, per site, and its standard error; log_z and log_z_error are of estimate_log_z.
  !@ mean_log_p(alignment, log_p?, error?, log_z?=0, log_z_error?=0, context?)
  !@ coupling_error(truth, context?) -> error
  !> The map of one head in the gauge of that of the truth, times beta, at map(j, i), (L, L).
  !@ map_like(truth, map, context?)
  !> Exact numbers of a small model: log Z, <H>, p_i(a) at marginals(a + 1, i), p_ij(a, b) at pairs(b + 1, a + 1, j, i).
  !@ enumerate(log_z?, energy?, marginals?, pairs?)
  !> P(s) of all states of a small model, (q**L), site 1 the slowest digit.
  !@ probabilities(probabilities)
  !> Scores of pairs, (L, L). gauge: "zero_sum" or "raw"; gap: the colour (0..q-1) left out of the norm, none where not given.
  !@ frobenius(scores, gauge?=ATP_SCORE_ZERO_SUM, gap?=-1, context?)
  !> Scores of pairs by the epistasis of log P, a mean over sequences (L, n), (L, L). gap: the colour left out of the norm, -1 for none;
  !> where not given, colour 0 if the alphabet begins with a gap.
  !@ epistatic_scores(sequences, scores, gap?=ATP_GAP_AUTO, context?)
  !> The mean-field couplings of an alignment, with fields. options: pseudocount, precision.
  !@ create_mean_field(alignment, options?, context?) = atp_mean_field_model
  !> Direct information, (L, L), for frequencies (q, L).
  !@ direct_information(frequencies, scores, context?) = atp_direct_information
  !> The colour of the gap: 0 where the alphabet begins with a gap, else -1.
  !@ gap_color
  !> All single mutants of a sequence (L): differences of H and, where asked for, of the log pseudo-likelihood, at (a + 1, i), (q, L).
  !@ mutants(sequence, delta_energy, delta_log_pseudolikelihood?, context?)
  !> The mutations of a list of mutants, one on each line (A110D/N146D): mutant, site and new colour, all from 0, at changes(:, k), (3, n)
  !> with room for them; count says how many there are.
  !@ parse_mutations(sequence, text, changes, count) = atp_mutations_parse
  !> How the numbers of a list fit those of the sites, found(4): its residues, those that agree, the offset, those that agree with it.
  !@ mutations_offset(sequence, text, found, context?) = atp_mutations_offset
  !> Scores of these mutants: scores(ATP_MUTANT_ENERGY + 1, m + 1) and scores(ATP_MUTANT_LOG_PSEUDOLIKELIHOOD + 1, m + 1), (2, mutants).
  !@ score_mutants(sequence, changes, scores, context?)
  !> Differences of H of all double mutants at pairs (2, n) of sites i, j, from 1, at (b + 1, a + 1, n), a at i and b at j.
  !@ double_mutants(sequence, pairs, delta_energy, context?)
  !> Differences of H of double mutants, and these less those of both single mutants, (n). doubles(:, k) as of best_doubles, from 0.
  !@ epistasis(sequence, doubles, delta_energy, epistasis, context?)
  !> The number of double mutants without the colour `gap`.
  !@ count_doubles(sequence, gap?=ATP_GAP_AUTO) -> count
  !> The k double mutants with the lowest energies: site i, its colour, site j, its colour, all from 0, at doubles(:, k), (4, k). gap: the
  !> colour that no mutant has, -1 for none; where not given, colour 0 if the alphabet begins with a gap.
  !@ best_doubles(sequence, doubles, delta_energy, gap?=ATP_GAP_AUTO, context?)

  !> q**L; -1 where the library says that it is too large.
  integer(c_int64_t) function state_count(self)
    class(atp_model), intent(in) :: self
    state_count = -1
    if (self%sites() * log(real(self%colors(), c_double)) < 26 * log(2.0_c_double) + 1e-6) state_count = self%colors()**self%sites()
  end function
end module attopotts_model
