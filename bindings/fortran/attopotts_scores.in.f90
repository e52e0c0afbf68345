! SPDX-License-Identifier: MIT
!> Scores of pairs of sites, precision of contacts, statistics of samples. Sites count from 1.
!@ module scores uses context alignment model
  public :: apc, rank_pairs, contacts, read_distances, pairs_precision, compare_statistics, read_scores, write_scores

contains

  !> Average product correction of scores (L, L), in place.
  subroutine apc(scores, stat, errmsg)
    real(c_double), intent(inout), contiguous, target :: scores(:, :)
    !@ errors
    integer(c_int64_t) :: sites
    sites = size(scores, 1)
    if (.not. fits('scores', shape(scores), [sites, sites], stat, errmsg)) return
    call settle(atp_scores_apc(c_loc(scores), sites, c_loc(scores), size(scores, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> The pairs (2, n) of sites i < j with the largest scores (L, L), largest first; allocated to what there is, at most
  !> `count` (all
  !> where not given). numbers: (L), 1..L where not given; pairs whose numbers differ by less than `separation` are
  !> left out.
  subroutine rank_pairs(scores, pairs, count, separation, numbers, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: scores(:, :)
    integer(c_int64_t), allocatable, intent(inout) :: pairs(:, :)
    integer, intent(in), optional :: count, separation
    integer(c_int64_t), intent(in), contiguous, optional, target :: numbers(:)
    !@ errors
    integer(c_int64_t), allocatable, target :: found(:, :)
    integer(c_int64_t), target :: n
    integer(c_int64_t) :: sites, capacity, separation_
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
    separation_ = 1
    if (present(separation)) separation_ = separation
    allocate (found(2, max(capacity, 1_c_int64_t)))
    status = atp_scores_rank(c_loc(scores), sites, numbers_, separation_, c_loc(found), capacity, c_loc(n))
    if (status == ATP_OK) then
      if (allocated(pairs)) deallocate (pairs)
      allocate (pairs(2, n))
      pairs(:, :) = found(:, :n) + 1
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> The best pairs of a model by APC-corrected Frobenius norm, largest first: the numbers (2, n) by which the sites
  !> are called, and the
  !> scores (n). separation: 6 where not given; gap: the colour left out, 0 where not given, -1 for none.
  subroutine contacts(model, numbers, values, count, separation, gap, context, stat, errmsg)
    class(atp_model), intent(in) :: model
    integer(c_int64_t), allocatable, intent(inout) :: numbers(:, :)
    real(c_double), allocatable, intent(inout) :: values(:)
    integer, intent(in), optional :: count, separation, gap
    class(atp_context), intent(in), optional :: context
    !@ errors
    real(c_double), allocatable :: scores(:, :)
    integer(c_int64_t), pointer :: sites(:)
    integer :: k, status, separation_, gap_
    separation_ = 6
    gap_ = 0
    if (present(separation)) separation_ = separation
    if (present(gap)) gap_ = gap
    allocate (scores(model%sites(), model%sites()))
    sites => model%site_numbers()
    if (present(stat)) then
      call model%frobenius(scores, gap=gap_, context=context, stat=status, errmsg=errmsg)
      if (status == ATP_OK) call apc(scores, status, errmsg)
      if (status == ATP_OK) call rank_pairs(scores, numbers, count, separation_, sites, status, errmsg)
      stat = status
      if (status /= ATP_OK) return
    else
      call model%frobenius(scores, gap=gap_, context=context)
      call apc(scores)
      call rank_pairs(scores, numbers, count, separation_, sites)
    end if
    if (allocated(values)) deallocate (values)
    allocate (values(size(numbers, 2)))
    do k = 1, size(values)
      values(k) = scores(numbers(1, k), numbers(2, k))
      numbers(:, k) = [sites(numbers(1, k)), sites(numbers(2, k))]
    end do
  end subroutine

  !> Distances (L, L) from a file of lines `i j d` or `i j x d`; NaN where it says nothing. counts (2): lines with two
  !> different numbers, those of them with two sites.
  !@ plain read_distances(context, path, distances, numbers?, counts?) = atp_distances_read
  !@ plain write_scores(context, path, scores, format, numbers?, residues?) = atp_scores_write

  !> Read scores, allocated to (L, L), and where asked for the numbers (L) of the sites and their residues, empty where
  !> there are none.
  subroutine read_scores(context, path, scores, numbers, residues, stat, errmsg)
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: path
    real(c_double), allocatable, intent(inout) :: scores(:, :)
    integer(c_int64_t), allocatable, intent(inout), optional :: numbers(:)
    character(len=:), allocatable, intent(inout), optional :: residues
    !@ errors
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

  !> The fraction of contacts (distance < cutoff) among the first k of the ranked pairs (2, n) that count, at curve(k), (n), NaN beyond
  !> those that count. absent: "excluded" or "counted", what a pair of unknown distance is.
  !@ plain pairs_precision(pairs, distances, curve, cutoff?=8, absent?=ATP_ABSENT_EXCLUDED)
  !> How f_i, f_ij and C_ij of samples follow those of data: numbers(ATP_COMPARISON_PEARSON, ATP_COMPARISON_PAIRS) say, shape
  !> (ATP_COMPARISON_COLUMNS, ATP_COMPARISON_ROWS).
  !@ plain compare_statistics(data, samples, numbers, context?) = atp_statistics_compare
end module attopotts_scores
