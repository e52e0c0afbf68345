! SPDX-License-Identifier: MIT
!> Alignments: sequences of equal length with weights.
module attopotts_alignment
  use, intrinsic :: iso_c_binding
  use attopotts_constants
  use attopotts_c
  use attopotts_base
  use attopotts_context
  implicit none
  private
  public :: atp_alignment

  !> N sequences of L sites, (L, N), colours 0..q-1 as bytes; weights, symbols, names, numbers of sites.
  type :: atp_alignment
    type(shared) :: ref  ! not for users
  contains
    !> create(context, sequences, colors [, weights, alphabet]): bytes are read without a copy of this layer; default
    !> integers
    !> 0..255 are converted.
    generic :: create => create_bytes, create_integers
    procedure :: read => alignment_read
    procedure :: select => alignment_select
    procedure :: focus => alignment_focus
    procedure :: filter => alignment_filter
    procedure :: write => alignment_write
    procedure :: destroy => alignment_destroy
    procedure :: address => alignment_address
    procedure :: count => alignment_count
    procedure :: sites => alignment_sites
    procedure :: colors => alignment_colors
    procedure :: effective_count => alignment_effective_count
    procedure :: sequences => alignment_sequences
    procedure :: weights => alignment_weights
    procedure :: set_weights => alignment_set_weights
    procedure :: weigh => alignment_weigh
    procedure :: auto_theta => alignment_auto_theta
    procedure :: alphabet => alignment_alphabet
    procedure :: set_alphabet => alignment_set_alphabet
    procedure :: site_numbers => alignment_site_numbers
    procedure :: site_residues => alignment_site_residues
    procedure :: set_sites => alignment_set_sites
    procedure :: name => alignment_name
    procedure :: find => alignment_find
    procedure :: origin => alignment_origin
    procedure :: set_origin => alignment_set_origin
    procedure :: frequencies => alignment_frequencies
    procedure :: pair_frequencies => alignment_pair_frequencies
    procedure :: covariances => alignment_covariances
    procedure :: independent_loss => alignment_independent_loss
    procedure, private :: create_bytes, create_integers, assign_alignment
    generic :: assignment(=) => assign_alignment
    final :: final_alignment
  end type

contains

  subroutine create_bytes(self, context, sequences, colors, weights, alphabet, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_context), intent(in) :: context
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)  ! (L, N)
    integer, intent(in) :: colors
    real(c_double), intent(in), contiguous, optional, target :: weights(:)  ! (N)
    character(len=*), intent(in), optional :: alphabet
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    type(c_ptr) :: made, weights_
    integer(c_int) :: status
    weights_ = c_null_ptr
    if (present(weights)) then
      if (.not. fits('weights', shape(weights), [size(sequences, 2, c_int64_t)], stat, errmsg)) return
      weights_ = c_loc(weights)
    end if
    status = atp_alignment_create(context%address(), c_loc(sequences), size(sequences, 2, c_int64_t), &
      size(sequences, 1, c_int64_t), int(colors, c_int64_t), weights_, made)
    if (status == ATP_OK .and. present(alphabet)) status = atp_alignment_set_alphabet(made, c_text(store, alphabet))
    call keep(self, status, made, context, stat, errmsg)
  end subroutine

  subroutine create_integers(self, context, sequences, colors, weights, alphabet, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_context), intent(in) :: context
    integer, intent(in) :: sequences(:, :)  ! (L, N)
    integer, intent(in) :: colors
    real(c_double), intent(in), contiguous, optional, target :: weights(:)  ! (N)
    character(len=*), intent(in), optional :: alphabet
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=80) :: text
    if (any(sequences < 0 .or. sequences > 255)) then
      write (text, '(2(a, i0))') 'sequences has values from ', minval(sequences), ' to ', maxval(sequences)
      call refuse(ATP_E_ALPHABET, trim(text) // ', expected 0..255', stat, errmsg)
      return
    end if
    call self%create_bytes(context, color_byte(sequences), colors, weights, alphabet, stat, errmsg)
  end subroutine

  !> Take over what a create function made, or free it where something failed afterwards.
  subroutine keep(self, status, made, context, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    integer(c_int), intent(in) :: status
    type(c_ptr), intent(in) :: made
    class(atp_context), intent(in) :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (status == ATP_OK) then
      call adopt(self%ref, KIND_ALIGNMENT, made, context%ref)
    else
      call atp_alignment_destroy(made)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> Read a file: FASTA, A2M, A3M, Stockholm, numbers, HDF5, ...; docs/formats.md.
  !> alphabet: "protein", "rna", "dna" or the symbols, first the gap; options: those of readers.
  subroutine alignment_read(self, context, path, alphabet, options, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: path
    character(len=*), intent(in), optional :: alphabet
    class(atp_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:), symbols(:)
    type(c_ptr) :: made, options_
    integer(c_int) :: status
    options_ = c_null_ptr
    if (present(options)) options_ = options%address()
    status = atp_alignment_read(context%address(), c_text(store, path), c_text(symbols, alphabet), options_, made)
    call keep(self, status, made, context, stat, errmsg)
  end subroutine

  !> Sequences first, first + stride, ... (count of them; default: all there are) of another alignment, with weights
  !> and names.
  subroutine alignment_select(self, source, first, count, stride, context, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_alignment), intent(in) :: source
    integer, intent(in), optional :: first, count, stride
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: first_, count_, stride_
    type(atp_context) :: context_
    type(c_ptr) :: made
    integer(c_int) :: status
    call choose(source, context, context_)
    first_ = 1
    stride_ = 1
    if (present(first)) first_ = first
    if (present(stride)) stride_ = stride
    count_ = (source%count() - first_) / max(stride_, 1_c_int64_t) + 1
    if (present(count)) count_ = count
    status = atp_alignment_select(context_%address(), source%address(), first_ - 1, count_, stride_, made)
    call keep(self, status, made, context_, stat, errmsg)
  end subroutine

  !> The columns of another alignment where one of its sequences, the focus, has a residue; sites get the numbers of
  !> its residues.
  subroutine alignment_focus(self, source, name, context, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_alignment), intent(in) :: source
    character(len=*), intent(in) :: name
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    type(atp_context) :: context_
    type(c_ptr) :: made
    integer(c_int) :: status
    call choose(source, context, context_)
    status = atp_alignment_focus(context_%address(), source%address(), c_text(store, name), made)
    call keep(self, status, made, context_, stat, errmsg)
  end subroutine

  !> Another alignment without sequences and columns of too many gaps and without duplicates. Options:
  !> max-gaps-sequence, max-gaps-column,
  !> remove-duplicates; dropped (3): how many of each were left out.
  subroutine alignment_filter(self, source, options, dropped, context, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    class(atp_alignment), intent(in) :: source
    class(atp_options), intent(in), optional :: options
    integer(c_int64_t), intent(out), optional :: dropped(3)
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: counts(3)
    type(atp_context) :: context_
    type(c_ptr) :: made, options_
    integer(c_int) :: status
    call choose(source, context, context_)
    options_ = c_null_ptr
    if (present(options)) options_ = options%address()
    counts = 0
    status = atp_alignment_filter(context_%address(), source%address(), options_, c_loc(counts), size(counts, &
      kind=c_int64_t), made)
    if (present(dropped)) dropped = counts
    call keep(self, status, made, context_, stat, errmsg)
  end subroutine

  !> The context that is given, or else that of the alignment.
  subroutine choose(self, context, chosen)
    class(atp_alignment), intent(in) :: self
    class(atp_context), intent(in), optional :: context
    type(atp_context), intent(inout) :: chosen
    if (present(context)) then
      call share(chosen%ref, context%ref)
    else
      call context_of(self%ref, chosen%ref)
    end if
  end subroutine

  !> Write as "hdf5", "fasta" or "integers".
  subroutine alignment_write(self, path, format, context, stat, errmsg)
    class(atp_alignment), intent(in) :: self
    character(len=*), intent(in) :: path, format
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    type(atp_context) :: context_
    integer(c_int) :: format_
    format_ = enum_of('format', format, stat, errmsg)
    if (format_ < 0) return
    call choose(self, context, context_)
    call settle(atp_alignment_write(context_%address(), self%address(), format_, c_text(store, path)), stat, errmsg)
  end subroutine

  !> Let go of the handle; it is freed when neither variables nor trainers hold it any more.
  impure elemental subroutine alignment_destroy(self)
    class(atp_alignment), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> The handle for functions of attopotts_c; NULL where there is none.
  type(c_ptr) function alignment_address(self)
    class(atp_alignment), intent(in) :: self
    alignment_address = address_of(self%ref)
  end function

  impure elemental subroutine assign_alignment(self, right)
    class(atp_alignment), intent(inout) :: self
    type(atp_alignment), intent(in) :: right
    call share(self%ref, right%ref)
  end subroutine

  impure elemental subroutine final_alignment(self)
    type(atp_alignment), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> N.
  integer(c_int64_t) function alignment_count(self)
    class(atp_alignment), intent(in) :: self
    alignment_count = atp_alignment_count(self%address())
  end function

  !> L.
  integer(c_int64_t) function alignment_sites(self)
    class(atp_alignment), intent(in) :: self
    alignment_sites = atp_alignment_sites(self%address())
  end function

  !> q.
  integer(c_int64_t) function alignment_colors(self)
    class(atp_alignment), intent(in) :: self
    alignment_colors = atp_alignment_colors(self%address())
  end function

  !> Sum of the weights.
  real(c_double) function alignment_effective_count(self)
    class(atp_alignment), intent(in) :: self
    alignment_effective_count = atp_alignment_effective_count(self%address())
  end function

  !> The sequences, (L, N), without a copy: to be read, as long as the alignment lives. Not associated where there is
  !> none.
  function alignment_sequences(self) result(view)
    class(atp_alignment), intent(in) :: self
    integer(c_int8_t), pointer :: view(:, :)
    nullify (view)
    if (c_associated(self%address())) call c_f_pointer(atp_alignment_sequences_view(self%address()), view, &
      [self%sites(), self%count()])
  end function

  !> The weights, (N), without a copy: to be read, as long as the alignment lives.
  function alignment_weights(self) result(view)
    class(atp_alignment), intent(in) :: self
    real(c_double), pointer :: view(:)
    nullify (view)
    if (c_associated(self%address())) call c_f_pointer(atp_alignment_weights_view(self%address()), view, [self%count()])
  end function

  subroutine alignment_set_weights(self, weights, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: weights(:)  ! (N)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_alignment_set_weights(self%address(), c_loc(weights), size(weights, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> Weigh each sequence by one over the number of those that differ from it in at most a fraction theta of the columns.
  !> rule: "inclusive" (default), "strict" or "floor", what holds at the edge.
  subroutine alignment_weigh(self, theta, rule, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    real(c_double), intent(in) :: theta
    character(len=*), intent(in), optional :: rule
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: rule_
    rule_ = ATP_WEIGHTS_INCLUSIVE
    if (present(rule)) rule_ = enum_of('weight_rule', rule, stat, errmsg)
    if (rule_ >= 0) call settle(atp_alignment_weigh(self%address(), theta, rule_), stat, errmsg)
  end subroutine

  !> The theta that plmDCA chooses for these sequences; NaN where it fails.
  real(c_double) function alignment_auto_theta(self, stat, errmsg) result(theta)
    class(atp_alignment), intent(in) :: self
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    found = nan()
    call settle(atp_alignment_auto_theta(self%address(), c_loc(found)), stat, errmsg)
    theta = found
  end function

  !> The symbols of the colours 0..q-1; empty where they are not known.
  function alignment_alphabet(self) result(symbols)
    class(atp_alignment), intent(in) :: self
    character(len=:), allocatable :: symbols
    symbols = text_at(atp_alignment_alphabet(self%address()))
  end function

  !> "protein", "rna", "dna", or q different symbols; empty for none.
  subroutine alignment_set_alphabet(self, symbols, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    character(len=*), intent(in) :: symbols
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    call settle(atp_alignment_set_alphabet(self%address(), c_text(store, symbols)), stat, errmsg)
  end subroutine

  !> What the sites are called outside, (L), 1..L unless set; without a copy, to be read.
  function alignment_site_numbers(self) result(view)
    class(atp_alignment), intent(in) :: self
    integer(c_int64_t), pointer :: view(:)
    nullify (view)
    if (c_associated(self%address())) call c_f_pointer(atp_alignment_site_numbers_view(self%address()), view, &
      [self%sites()])
  end function

  !> The residues of the focus sequence; empty where there is none.
  function alignment_site_residues(self) result(text)
    class(atp_alignment), intent(in) :: self
    character(len=:), allocatable :: text
    text = text_at(atp_alignment_site_residues(self%address()))
  end function

  !> numbers (L): 1..L where not given; residues: L characters, none where not given.
  subroutine alignment_set_sites(self, numbers, residues, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    integer(c_int64_t), intent(in), contiguous, optional, target :: numbers(:)
    character(len=*), intent(in), optional :: residues
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    type(c_ptr) :: numbers_
    integer(c_int64_t) :: n
    numbers_ = c_null_ptr
    n = self%sites()
    if (present(numbers)) then
      numbers_ = c_loc(numbers)
      n = size(numbers, kind=c_int64_t)
    end if
    call settle(atp_alignment_set_sites(self%address(), numbers_, n, c_text(store, residues)), stat, errmsg)
  end subroutine

  !> The name of the index-th sequence, from 1; empty where it has none.
  function alignment_name(self, index) result(text)
    class(atp_alignment), intent(in) :: self
    integer, intent(in) :: index
    character(len=:), allocatable :: text
    text = text_at(atp_alignment_name(self%address(), int(index - 1, c_int64_t)))
  end function

  !> The index, from 1, of the sequence that a name means, with or without its range; 0 where it fails.
  integer(c_int64_t) function alignment_find(self, name, stat, errmsg) result(index)
    class(atp_alignment), intent(in) :: self
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    integer(c_int64_t), target :: found
    found = -1
    call settle(atp_alignment_find(self%address(), c_text(store, name), c_loc(found)), stat, errmsg)
    index = found + 1
  end function

  !> One line on where the sequences come from.
  function alignment_origin(self) result(text)
    class(atp_alignment), intent(in) :: self
    character(len=:), allocatable :: text
    text = text_at(atp_alignment_origin(self%address()))
  end function

  subroutine alignment_set_origin(self, text, stat, errmsg)
    class(atp_alignment), intent(inout) :: self
    character(len=*), intent(in) :: text
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    call settle(atp_alignment_set_origin(self%address(), c_text(store, text)), stat, errmsg)
  end subroutine

  !> Weighted f_i(a) at frequencies(a + 1, i), shape (q, L); pseudocount in [0, 1], 0 where not given.
  subroutine alignment_frequencies(self, frequencies, pseudocount, stat, errmsg)
    class(atp_alignment), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: frequencies(:, :)
    real(c_double), intent(in), optional :: pseudocount
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: c
    if (.not. prepared(self, 'frequencies', shape(frequencies), pseudocount, c, stat, errmsg)) return
    call settle(atp_alignment_frequencies(self%address(), c, c_loc(frequencies), size(frequencies, kind=c_int64_t)), &
      stat, errmsg)
  end subroutine

  !> Weighted f_ij(a, b) at pairs(b + 1, a + 1, j, i), shape (q, q, L, L).
  subroutine alignment_pair_frequencies(self, pairs, pseudocount, stat, errmsg)
    class(atp_alignment), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: pairs(:, :, :, :)
    real(c_double), intent(in), optional :: pseudocount
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: c
    if (.not. prepared(self, 'pairs', shape(pairs), pseudocount, c, stat, errmsg)) return
    call settle(atp_alignment_pair_frequencies(self%address(), c, c_loc(pairs), size(pairs, kind=c_int64_t)), stat, &
      errmsg)
  end subroutine

  !> Weighted C_ij(a, b) = f_ij(a, b) - f_i(a) f_j(b) at covariances(b + 1, a + 1, j, i), shape (q, q, L, L).
  subroutine alignment_covariances(self, covariances, pseudocount, stat, errmsg)
    class(atp_alignment), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: covariances(:, :, :, :)
    real(c_double), intent(in), optional :: pseudocount
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: c
    if (.not. prepared(self, 'covariances', shape(covariances), pseudocount, c, stat, errmsg)) return
    call settle(atp_alignment_covariances(self%address(), c, c_loc(covariances), size(covariances, kind=c_int64_t)), &
      stat, errmsg)
  end subroutine

  !> Whether statistics (q, L) or (q, q, L, L) have the shape of the alignment, and the pseudocount. Without an
  !> alignment the library has
  !> the word.
  logical function prepared(self, name, found, pseudocount, c, stat, errmsg)
    class(atp_alignment), intent(in) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: found(:)
    real(c_double), intent(in), optional :: pseudocount
    real(c_double), intent(out) :: c
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: expected(size(found))
    c = 0
    if (present(pseudocount)) c = pseudocount
    prepared = .true.
    if (.not. c_associated(self%address())) return
    expected(:size(found) / 2) = self%colors()
    expected(size(found) / 2 + 1:) = self%sites()
    prepared = fits(name, found, expected, stat, errmsg)
  end function

  !> The loss of the site-independent model with frequencies (q, L), nats per site; NaN where it fails.
  real(c_double) function alignment_independent_loss(self, frequencies, stat, errmsg) result(loss)
    class(atp_alignment), intent(in) :: self
    real(c_double), intent(in), contiguous, target :: frequencies(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    loss = nan()
    if (c_associated(self%address())) then
      if (.not. fits('frequencies', shape(frequencies), [self%colors(), self%sites()], stat, errmsg)) return
    end if
    found = loss
    call settle(atp_alignment_independent_loss(self%address(), c_loc(frequencies), size(frequencies, kind=c_int64_t), &
      c_loc(found)), stat, errmsg)
    loss = found
  end function
end module attopotts_alignment
