! SPDX-License-Identifier: MIT
!> Files that are opened once, told for what they are, and read as that: also a pipe, or "-", standard input.
!@ module input uses context alignment model
  public :: atp_input

  !@ type input
    procedure :: bytes => input_bytes
    procedure :: scores => input_scores
    procedure :: array => input_array
    procedure :: table => input_table
  end type

contains

  !@ life input
  !@ open(context, path)
  !> As file_kind: "model", "alignment", "fasta", ... or "unknown".
  !@ kind

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

  !@ alignment(alignment@out, alphabet?, options?)
  !@ model(model@out, format?=ATP_MODEL_AUTO, alphabet?)
  !> Distances (L, L), NaN where the file says nothing. columns (L): those of a matrix of all columns that the sites are, from 0.
  !@ distances(distances, numbers?, columns?, total?:long=0_c_int64_t, counts?)

  !> Scores (L, L), numbers (L) and residues of the sites, as read_scores.
  subroutine input_scores(self, scores, numbers, residues, stat, errmsg)
    class(atp_input), intent(in) :: self
    real(c_double), allocatable, intent(inout) :: scores(:, :)
    integer(c_int64_t), allocatable, intent(inout), optional :: numbers(:)
    character(len=:), allocatable, intent(inout), optional :: residues
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

  !> The numbers of a .npy file of NumPy, and its extents in Fortran's order: values of extents [2, 3] are those of a(2, 3).
  subroutine input_array(self, values, extents, stat, errmsg)
    class(atp_input), intent(in) :: self
    real(c_double), allocatable, intent(inout) :: values(:)
    integer(c_int64_t), allocatable, intent(inout) :: extents(:)
    real(c_double), allocatable, target :: numbers(:)
    integer(c_int64_t), target :: shape(8), dimensions
    integer(c_int) :: status
    status = atp_input_array_shape(self%address(), c_loc(shape), 8_c_int64_t, c_loc(dimensions))
    if (status == ATP_OK) then
      allocate (numbers(max(1_c_int64_t, product(shape(:dimensions)))))
      status = atp_input_array(self%address(), c_loc(numbers), product(shape(:dimensions)))
      if (status == ATP_OK) then
        values = numbers(:product(shape(:dimensions)))
        extents = shape(dimensions:1:-1)
      end if
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> A table of text as plain CSV, with the line of each row before its cells. form: ATP_CELLS_NUMBERS, ATP_CELLS_NAMED or ATP_CELLS_LIST,
  !> with names of columns with commas between.
  subroutine input_table(self, form, text, names, stat, errmsg)
    class(atp_input), intent(in) :: self
    integer, intent(in) :: form
    character(len=:), allocatable, intent(inout) :: text
    character(len=*), intent(in), optional :: names
    character(kind=c_char), allocatable, target :: store(:), letters(:)
    integer(c_int64_t), target :: bytes
    integer(c_int) :: status
    type(c_ptr) :: names_
    names_ = c_null_ptr
    if (present(names)) names_ = c_text(store, names)
    status = atp_input_table(self%address(), int(form, c_int), names_, c_null_ptr, 0_c_int64_t, c_loc(bytes))
    if (status == ATP_OK) then
      allocate (letters(bytes + 1))
      letters = c_null_char
      status = atp_input_table(self%address(), int(form, c_int), names_, c_loc(letters), bytes, c_loc(bytes))
      if (status == ATP_OK) text = text_in(letters)
    end if
    call settle(status, stat, errmsg)
  end subroutine
end module attopotts_input
