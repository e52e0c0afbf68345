! SPDX-License-Identifier: MIT
!> Scores of pairs of sites, precision of contacts, statistics of samples. Sites count from 1.
!@ module scores uses context alignment model table
  public :: apc, rank_pairs, pairs_overlap, contacts, read_distances, pairs_precision, compare_statistics, compare_parts, &
    samples_quality, principal_components, &
    read_scores, write_scores, agreement_interval, mutants_agreement, mutants_average, bootstrap_errors, count_within_errors, &
    alignment_for_model, scan_weights, split_alignment
  public :: symmetric_check, gaussian_scores, mutual_information, mean_field_bytes
  public :: asymptotics, score_errors, asymptotics_bytes, score_errors_bytes

contains

  !> Average product correction of scores (L, L), in place.
  subroutine apc(scores, stat, errmsg)
    real(c_double), intent(inout), contiguous, target :: scores(:, :)
    integer(c_int64_t) :: sites
    sites = size(scores, 1)
    if (.not. fits('scores', shape(scores), [sites, sites], stat, errmsg)) return
    call settle(atp_scores_apc(c_loc(scores), sites, c_loc(scores), size(scores, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> The pairs (2, n) of sites i < j with the largest scores (L, L), largest first; allocated to what there is, at most
  !> `count` (all where not given). numbers: (L), 1..L where not given; pairs whose numbers differ by less than `separation` are left out.
  !> border: how many sites are those of the first of two proteins, whose pairs with the others are never left out.
  subroutine rank_pairs(scores, pairs, count, separation, numbers, border, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: scores(:, :)
    integer(c_int64_t), allocatable, intent(inout) :: pairs(:, :)
    integer, intent(in), optional :: count, separation, border
    integer(c_int64_t), intent(in), contiguous, optional, target :: numbers(:)
    integer(c_int64_t), allocatable, target :: found(:, :)
    integer(c_int64_t), target :: n, rule(2)
    integer(c_int64_t) :: sites, capacity
    integer(c_int) :: status
    type(c_ptr) :: numbers_
    sites = size(scores, 1)
    if (.not. fits('scores', shape(scores), [sites, sites], stat, errmsg)) return
    numbers_ = c_null_ptr
    if (present(numbers)) then
      if (.not. fits('numbers', shape(numbers), [sites], stat, errmsg)) return
      numbers_ = c_loc(numbers)
    end if
    capacity = max(1_c_int64_t, sites * (sites - 1) / 2)
    if (present(count)) capacity = min(capacity, int(count, c_int64_t))
    rule = [1_c_int64_t, 0_c_int64_t]
    if (present(separation)) rule(1) = separation
    if (present(border)) rule(2) = border
    allocate (found(2, max(capacity, 1_c_int64_t)))
    status = atp_scores_rank(c_loc(scores), sites, numbers_, c_loc(rule), c_loc(found), capacity, c_loc(n))
    if (status == ATP_OK) then
      if (allocated(pairs)) deallocate (pairs)
      allocate (pairs(2, n))
      pairs(:, :) = found(:, :n) + 1
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> The best pairs of a model by APC-corrected Frobenius norm, as the program's `contacts` ranks them, largest first:
  !> the numbers (2, n) by which the sites are called, and the scores (n). separation: pairs whose numbers differ by
  !> less are left out, 1 where not given; gap: the colour left out of the norm, -1 for none; where not given, colour 0
  !> if the alphabet begins with a gap.
  subroutine contacts(model, numbers, values, count, separation, gap, context, stat, errmsg)
    class(atp_model), intent(in) :: model
    integer(c_int64_t), allocatable, intent(inout) :: numbers(:, :)
    real(c_double), allocatable, intent(inout) :: values(:)
    integer, intent(in), optional :: count, separation, gap
    class(atp_context), intent(in), optional :: context
    type(shared) :: owner
    type(c_ptr) :: made
    integer(c_int64_t) :: sites, rows, separation_, gap_
    integer(c_int) :: status
    real(c_double), allocatable, target :: found(:, :)
    sites = model%sites()
    rows = sites * (sites - 1) / 2
    separation_ = 1
    gap_ = ATP_GAP_AUTO
    if (present(count)) rows = min(rows, int(count, c_int64_t))
    if (present(separation)) separation_ = separation
    if (present(gap)) gap_ = gap
    call context_of(model%ref, owner)
    if (present(context)) call share(owner, context%ref)
    made = c_null_ptr
    status = atp_table_create(address_of(owner), ATP_TABLE_CONTACTS, rows, made)
    if (status == ATP_OK) status = atp_model_contacts(address_of(owner), model%address(), ATP_SCORE_ZERO_SUM, gap_, &
      separation_, made)
    rows = 0
    if (status == ATP_OK) rows = atp_table_rows(made)
    allocate (found(ATP_CONTACTS_COLUMNS, rows))
    if (rows > 0) status = atp_table_values(made, c_loc(found), size(found, kind=c_int64_t))
    call atp_table_destroy(made)
    call drop(owner)
    if (status == ATP_OK) then
      if (allocated(numbers)) deallocate (numbers)
      if (allocated(values)) deallocate (values)
      allocate (numbers(2, rows), values(rows))
      numbers(1, :) = nint(found(ATP_CONTACTS_I, :), c_int64_t)
      numbers(2, :) = nint(found(ATP_CONTACTS_J, :), c_int64_t)
      values(:) = found(ATP_CONTACTS_APC, :)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> Scores (L, L) of the Gaussian model of an alignment: "fn", without the colour `gap`, or "di".
  !> options: pseudocount, precision.
  !@ plain gaussian_scores(alignment, scores, score?=ATP_PAIR_SCORE_FN, gap?=-1, options?, context?)
  !> Mutual information (L, L) of the columns of an alignment.
  !@ plain mutual_information(alignment, scores, options?, context?)
  !> What learning from so many sequences costs: a row of a table of the kind "asymptotics"; standard errors (q, q, L, L) of couplings times
  !> beta in the zero-sum gauge. Averages are over an alignment, or over all states.
  !@ plain asymptotics(model, alignment?, table?, errors?, options?, context?) = atp_model_asymptotics
  !> Standard errors (L, L, 2) of the Frobenius norms without the colour `gap`, and of those with average product correction.
  !@ plain score_errors(model, alignment, errors, options, gap?=-1, context?) = atp_model_score_errors
  !> What these two allocate, in bytes, with an alignment of so many sequences.
  !@ plain asymptotics_bytes(model, sequences, options?, context?) -> bytes = atp_model_asymptotics_bytes
  !@ plain score_errors_bytes(model, sequences, context?) -> bytes = atp_model_score_errors_bytes
  !> What create_mean_field and gaussian_scores allocate at most, in bytes.
  !@ plain mean_field_bytes(context, n, sites, colors, options?) -> bytes

  !> Distances (L, L) from a file of lines `i j d` or `i j x d`; NaN where it says nothing. counts (2): lines with two
  !> different numbers, those of them with two sites.
  !@ plain read_distances(context, path, distances, numbers?, counts?) = atp_distances_read
  !@ plain write_scores(context, path, scores, format, numbers?, residues?) = atp_scores_write

  !> Read scores, allocated to (L, L), and where asked for the numbers (L) of the sites and their residues, empty where there are none.
  subroutine read_scores(context, path, scores, numbers, residues, stat, errmsg)
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: path
    real(c_double), allocatable, intent(inout) :: scores(:, :)
    integer(c_int64_t), allocatable, intent(inout), optional :: numbers(:)
    character(len=:), allocatable, intent(inout), optional :: residues
    character(kind=c_char), allocatable, target :: store(:), letters(:)
    real(c_double), allocatable, target :: values(:, :)
    integer(c_int64_t), allocatable, target :: found(:)
    integer(c_int64_t), target :: sites
    integer(c_int) :: status
    status = atp_scores_sites(context%address(), c_text(store, path), c_loc(sites))
    if (status == ATP_OK) then
      allocate (values(sites, sites), found(sites), letters(sites + 1))
      letters = c_null_char
      status = atp_scores_read(context%address(), c_text(store, path), c_loc(values), sites**2, c_loc(found), &
        c_loc(letters))
      if (status == ATP_OK) then
        call move_alloc(values, scores)
        if (present(numbers)) call move_alloc(found, numbers)
        if (present(residues)) residues = text_in(letters)
      end if
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> A row of the table, of kind ATP_TABLE_WEIGHTS, for each theta: the effective number of sequences. Weights stay as they are.
  !@ plain scan_weights(alignment, thetas, table, rule?=ATP_WEIGHTS_INCLUSIVE) = atp_alignment_scan_weights

  !> A training set and a test set without similar sequences: parts (N), the atp_part of each sequence, ATP_PART_TRAINING for example.
  !@ plain split_alignment(alignment, parts, options?) = atp_alignment_split; n=size(parts, kind=c_int64_t)

  !> The fraction of the ranked pairs (2, n) that are among the others (2, m).
  !@ plain pairs_overlap(context, pairs, others) -> overlap

  !> The fraction of contacts (distance < cutoff) among the first k of the ranked pairs (2, n) that count, at curve(k), (n), NaN beyond
  !> those that count. absent: "excluded" or "counted", what a pair of unknown distance is.
  !@ plain symmetric_check(matrix, kind?=ATP_SYMMETRIC_COVARIANCE)
  !@ plain pairs_precision(pairs, distances, curve, cutoff?=8, absent?=ATP_ABSENT_EXCLUDED)
  !> A measure of agreement of scores x (n) with measurements y (n), and its 95 per cent interval: interval (3). measure: "spearman",
  !> "kendall", "auc" or "recall"; settings (3): bootstrap draws, seed, number of the best for "recall".
  !@ plain agreement_interval(context, measure, x, y, settings, interval)
  !> The same of scores of mutants (n) with measured effects (n), NaN where not measured, for all mutants and for those with one, two and so
  !> on mutations (n): rows of the table, of kind ATP_TABLE_MEASURED. threshold: of the AUC, NaN: the median.
  !@ plain mutants_agreement(scores, measured, mutations, settings, threshold, table)
  !> For each mutant of changes (3, m), as parse_mutations gives them, the first that is the same, from 0 as there, and the mean of their
  !> measurements (n), NaN where not measured.
  !@ plain mutants_average(context, changes, measured, first, average)
  !> Errors of numbers by the bootstrap: errors(ATP_BOOTSTRAP_ERROR + 1, number), (ATP_BOOTSTRAP_COLUMNS, numbers), of values (numbers,
  !> samples) that were computed with the weights of resample.
  !@ plain bootstrap_errors(context, values, errors)
  !> How many values are at most `factor` of their standard errors from what is expected.
  !@ plain count_within_errors(expected, values, errors, factor) -> count
  !> The sequences of a source with the sites of a model.
  !@ plain alignment_for_model(source, model, alignment, context?) = atp_alignment_for_model
  !> How f_i, f_ij and C_ij of samples follow those of data: numbers(ATP_COMPARISON_PEARSON, ATP_COMPARISON_PAIRS) say, shape
  !> (ATP_COMPARISON_COLUMNS, ATP_COMPARISON_ROWS).
  !@ plain compare_statistics(data, samples, numbers, context?) = atp_statistics_compare
  !> What compare_statistics would give for independent samples of this summed weight, from random parts of the data: means and standard
  !> deviations over the splits, numbers(:, :, 1) and numbers(:, :, 2), and the summed weights (2) of the parts.
  !@ plain compare_parts(data, samples, splits, seed, numbers, weights, context?) = atp_statistics_parts
  !> The quality of samples against the data of their model: rows 1 + ATP_QUALITY_COPIES, ... of the table quality, ATP_TABLE_QUALITY, and
  !> rows of distances, of kind ATP_TABLE_DISTANCES, one more than there are sites. options: seed, runs, triples.
  !@ plain samples_quality(data, samples, quality, distances?, options?, context?) = atp_samples_quality
  !> Coordinates (components, n) of the n sequences of data and samples along the principal components of the data, and the variances
  !> (components) of the data along these.
  !@ plain principal_components(data, coordinates, variances, samples?, context?) = atp_statistics_components
end module attopotts_scores
