! SPDX-License-Identifier: MIT
!> Files that are opened once, told for what they are, and read as that: also a pipe, or "-", standard input.
module attopotts_input
  use, intrinsic :: iso_c_binding
  use attopotts_constants
  use attopotts_c
  use attopotts_base
  use attopotts_context
  use attopotts_alignment
  use attopotts_model
  implicit none
  private
  public :: atp_input

  type :: atp_input
    type(shared) :: ref  ! not for users
  contains
    procedure :: open => input_open
    procedure :: destroy => input_destroy
    procedure :: address => input_address
    procedure :: kind => input_kind
    procedure :: bytes => input_bytes
    procedure :: alignment => input_alignment
    procedure :: model => input_model
    procedure :: scores => input_scores
    procedure, private :: assign_input
    generic :: assignment(=) => assign_input
    final :: final_input
  end type

contains

  subroutine input_open(self, context, path, stat, errmsg)
    class(atp_input), intent(inout) :: self
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    type(c_ptr) :: made
    integer(c_int) :: status
    status = atp_input_open(context%address(), c_text(store, path), made)
    if (status == ATP_OK) call adopt(self%ref, KIND_INPUT, made, context%ref)
    call settle(status, stat, errmsg)
  end subroutine

  impure elemental subroutine input_destroy(self)
    class(atp_input), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> The handle for functions of attopotts_c; NULL where there is none.
  type(c_ptr) function input_address(self)
    class(atp_input), intent(in) :: self
    input_address = address_of(self%ref)
  end function

  impure elemental subroutine assign_input(self, right)
    class(atp_input), intent(inout) :: self
    type(atp_input), intent(in) :: right
    call share(self%ref, right%ref)
  end subroutine

  impure elemental subroutine final_input(self)
    type(atp_input), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> As file_kind: "model", "alignment", "fasta", ... or "unknown".
  function input_kind(self) result(kind)
    class(atp_input), intent(in) :: self
    character(len=:), allocatable :: kind
    kind = text_at(atp_input_kind(self%address()))
  end function

  !> The bytes of a text; none of HDF5 and of what was not read to its end.
  function input_bytes(self) result(bytes)
    class(atp_input), intent(in) :: self
    integer(c_int8_t), allocatable :: bytes(:)
    integer(c_int8_t), pointer :: view(:)
    type(c_ptr) :: place
    allocate (bytes(atp_input_size(self%address())))
    place = atp_input_bytes_view(self%address())
    if (.not. c_associated(place) .or. size(bytes) == 0) return
    call c_f_pointer(place, view, [size(bytes, kind=c_int64_t)])
    bytes = view
  end function

  !> alphabet, options: as those of read of atp_alignment.
  subroutine input_alignment(self, alignment, alphabet, options, stat, errmsg)
    class(atp_input), intent(in) :: self
    class(atp_alignment), intent(inout) :: alignment
    character(len=*), intent(in), optional :: alphabet
    class(atp_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: symbols(:)
    type(shared) :: context
    type(c_ptr) :: made, options_
    integer(c_int) :: status
    options_ = c_null_ptr
    if (present(options)) options_ = options%address()
    status = atp_input_alignment(self%address(), c_text(symbols, alphabet), options_, made)
    if (status == ATP_OK) then
      call context_of(self%ref, context)
      call adopt(alignment%ref, KIND_ALIGNMENT, made, context)
      call drop(context)
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> format, alphabet: as those of read of atp_model.
  subroutine input_model(self, model, format, alphabet, stat, errmsg)
    class(atp_input), intent(in) :: self
    class(atp_model), intent(inout) :: model
    character(len=*), intent(in), optional :: format, alphabet
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: symbols(:)
    type(shared) :: context
    type(c_ptr) :: made
    integer(c_int) :: status, format_
    format_ = ATP_MODEL_AUTO
    if (present(format)) format_ = enum_of('model_format', format, stat, errmsg)
    if (format_ < 0) return
    status = atp_input_model(self%address(), format_, c_text(symbols, alphabet), made)
    call context_of(self%ref, context)
    call keep_model(model, status, made, context, stat, errmsg)
    call drop(context)
  end subroutine

  !> Scores (L, L), numbers (L) and residues of the sites, as read_scores.
  subroutine input_scores(self, scores, numbers, residues, stat, errmsg)
    class(atp_input), intent(in) :: self
    real(c_double), allocatable, intent(inout) :: scores(:, :)
    integer(c_int64_t), allocatable, intent(inout), optional :: numbers(:)
    character(len=:), allocatable, intent(inout), optional :: residues
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: letters(:)
    real(c_double), allocatable, target :: values(:, :)
    integer(c_int64_t), allocatable, target :: found(:)
    integer(c_int64_t), target :: sites
    integer(c_int) :: status
    status = atp_input_scores_sites(self%address(), c_loc(sites))
    if (status == ATP_OK) then
      allocate (values(sites, sites), found(sites), letters(sites + 1))
      letters = c_null_char
      status = atp_input_scores(self%address(), c_loc(values), sites**2, c_loc(found), c_loc(letters))
      if (status == ATP_OK) then
        call move_alloc(values, scores)
        if (present(numbers)) call move_alloc(found, numbers)
        if (present(residues)) residues = text_in(letters)
      end if
    end if
    call settle(status, stat, errmsg)
  end subroutine
end module attopotts_input
