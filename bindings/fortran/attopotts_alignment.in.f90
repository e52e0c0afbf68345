! SPDX-License-Identifier: MIT
!> Alignments: sequences of equal length with weights.
!@ module alignment uses context
  public :: atp_alignment

  !> N sequences of L sites, (L, N), colours 0..q-1 as bytes; weights, symbols, names, numbers of sites.
  !@ type alignment
    !> create(context, sequences, colors [, weights, alphabet]): bytes are read without a copy of this layer; default integers 0..255
    !> are converted.
    generic :: create => create_bytes, create_integers
    procedure, private :: create_bytes, create_integers
    !> borrow(context, sequences, colors [, weights, alphabet]): bytes are read where they are. The array, contiguous and a target, stays
    !> as it is until the alignment is destroyed. For shared memory: share_bytes of the module attopotts_mpi.
    procedure :: borrow => borrow_bytes
  end type

contains

  subroutine create_bytes(self, context, sequences, colors, weights, alphabet, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_context), intent(in) :: context
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)  ! (L, N)
    integer, intent(in) :: colors
    real(c_double), intent(in), contiguous, optional, target :: weights(:)  ! (N)
    character(len=*), intent(in), optional :: alphabet
    call make_alignment(self, context, .true., sequences, colors, weights, alphabet, stat, errmsg)
  end subroutine

  subroutine borrow_bytes(self, context, sequences, colors, weights, alphabet, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_context), intent(in) :: context
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)  ! (L, N)
    integer, intent(in) :: colors
    real(c_double), intent(in), contiguous, optional, target :: weights(:)  ! (N)
    character(len=*), intent(in), optional :: alphabet
    call make_alignment(self, context, .false., sequences, colors, weights, alphabet, stat, errmsg)
  end subroutine

  subroutine make_alignment(self, context, copied, sequences, colors, weights, alphabet, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_context), intent(in) :: context
    logical, intent(in) :: copied
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)  ! (L, N)
    integer, intent(in) :: colors
    real(c_double), intent(in), contiguous, optional, target :: weights(:)  ! (N)
    character(len=*), intent(in), optional :: alphabet
    character(kind=c_char), allocatable, target :: store(:)
    type(c_ptr) :: made, weights_
    integer(c_int) :: status
    weights_ = c_null_ptr
    if (present(weights)) then
      if (.not. fits('weights', shape(weights), [size(sequences, 2, c_int64_t)], stat, errmsg)) return
      weights_ = c_loc(weights)
    end if
    if (copied) then
      status = atp_alignment_create(context%address(), c_loc(sequences), size(sequences, 2, c_int64_t), &
        size(sequences, 1, c_int64_t), int(colors, c_int64_t), weights_, made)
    else
      status = atp_alignment_borrow(context%address(), c_loc(sequences), size(sequences, 2, c_int64_t), &
        size(sequences, 1, c_int64_t), int(colors, c_int64_t), weights_, made)
    end if
    if (status == ATP_OK .and. present(alphabet)) status = atp_alignment_set_alphabet(made, c_text(store, alphabet))
    if (status == ATP_OK) then
      call adopt(self%ref, atp_alignment_destroy, made, context%ref)
    else
      call atp_alignment_destroy(made)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  subroutine create_integers(self, context, sequences, colors, weights, alphabet, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_context), intent(in) :: context
    integer, intent(in) :: sequences(:, :)  ! (L, N)
    integer, intent(in) :: colors
    real(c_double), intent(in), contiguous, optional, target :: weights(:)  ! (N)
    character(len=*), intent(in), optional :: alphabet
    integer :: wrong(2)
    wrong = findloc(sequences < 0 .or. sequences > 255, .true.)
    if (all(wrong > 0)) then
      call refuse(ATP_E_ALPHABET, 'sequences(' // decimal(wrong(1)) // ', ' // decimal(wrong(2)) // ') is ' // &
        decimal(sequences(wrong(1), wrong(2))) // ', expected 0..255', stat, errmsg)
      return
    end if
    call self%create_bytes(context, color_byte(sequences), colors, weights, alphabet, stat, errmsg)
  end subroutine

  !@ life alignment
  !> Read a file: FASTA, A2M, A3M, Stockholm, numbers, HDF5, ...; docs/formats.md.
  !> alphabet: "protein", "rna", "dna" or the symbols, first the gap; options: those of readers.
  !@ read(context, path, alphabet?, options?)
  !> Read the records that begin in one of several equal parts of a FASTA, A2M or A3M file; part is 0..parts-1, as ranks count.
  !@ read_part(context, path, part, parts, alphabet?, options?)
  !> Read text in memory, of the formats of read but HDF5 and gzip, by the same rules.
  !@ parse(context, text, alphabet?, options?); size=len_trim(text, c_int64_t)
  !> The bytes of a file that write would make, as text. format: "fasta" or "integers".
  !@ format(format) -> text
  !> Sequences first, first + stride, ... (count of them; all there are where not given) of another alignment, with weights and names.
  !@ select(source, first?=1, count?=(source%count() - first_) / max(stride_, 1_c_int64_t) + 1, stride?=1, context?)
  !> The sequences of another alignment with these numbers (n), 1..N, in any order; a number may occur several times.
  !@ take(source, rows, context?)
  !> n random sequences of another alignment; replace: each drawn from all, a bootstrap sample, otherwise n different ones, of which fewer
  !> with the same seed are a part.
  !@ sample(source, n, replace?=0, seed?=1, context?)
  !> An alignment from the bytes of save_state.
  !@ from_state(context, state@buffer)
  !@ save_state state_bytes
  !> The sequences of another alignment with other names, which have no blanks, one on each line.
  !@ rename(source, names, context?)
  !> The columns of another alignment where one of its sequences, the focus, has a residue; sites get the numbers of its residues.
  !@ focus(source, name, context?)
  !> Another alignment without sequences and columns of too many gaps and without duplicates; dropped (3): how many of each were left
  !> out. The options are max-gaps-sequence, max-gaps-column and remove-duplicates.
  !@ filter(source, options?, dropped@counts?, context?)
  !> The sequences without those whose identity with a kept one is larger than `identity`.
  !@ filter_identity(source, identity, context?)
  !@ write(path, format, context?)
  !@ count sites colors effective_count
  !> The sequences, (L, N), without a copy: to be read, as long as the alignment lives. Not associated where there is none.
  !@ sequences
  !> The weights, (N), without a copy: to be read, as long as the alignment lives.
  !@ weights
  !@ set_weights(weights)
  !@ weigh(theta, rule?=ATP_WEIGHTS_INCLUSIVE)
  !@ auto_theta -> theta
  !@ alphabet
  !@ set_alphabet(symbols)
  !> The colour of the gap, as of a model.
  !@ gap_color
  !> What the sites are called outside, (L), 1..L unless set; without a copy, to be read.
  !@ site_numbers
  !@ site_residues
  !> numbers (L): 1..L where not given; residues: L characters, none where not given.
  !@ set_sites(numbers?, residues?); n=self%sites()
  !> The column (L), from 0, of each site among all columns, and their number before any was removed.
  !@ columns total_columns
  !> Those of the first of two proteins, of a file read as ATP_FORMAT_PAIRED; 0: one protein.
  !@ border
  !@ set_columns(columns?, total?:long=self%sites()); n=self%sites()
  !> An alignment with the sites of another one.
  !@ match(source, other, context?)
  !@ name(index)
  !> The index, from 1, of the sequence that a name means, with or without its range; 0 where it fails.
  !@ find(name) -> index
  !@ origin
  !@ set_origin(text)
  !> Weighted f_i(a) at frequencies(a + 1, i), shape (q, L).
  !@ frequencies(frequencies, pseudocount?=0)
  !> The same without colour 0, the gap, (q - 1, L), 1 in sum at each site.
  !@ residue_frequencies(frequencies)
  !> Weighted f_ij(a, b) at pairs(b + 1, a + 1, j, i), shape (q, q, L, L).
  !@ pair_frequencies(pairs, pseudocount?=0)
  !@ covariances(covariances, pseudocount?=0)
  !@ independent_loss(frequencies) -> loss
  !> 1 - entropy / log q of each site, (L). gaps: "state", or "ignore", which leaves the first colour out.
  !@ conservation(conservation, gaps?=ATP_GAPS_STATE)
  !> The weights (N) of a bootstrap sample 0, 1, ...: sequences drawn with replacement.
  !@ resample(seed, sample, weights)
  !> Numbers of equal sequences, gaps and fragments, and what to expect: numbers(ATP_SUMMARY_GAPS + 1), shape (ATP_SUMMARY_NUMBERS).
  !@ summary(numbers)
end module attopotts_alignment
