! SPDX-License-Identifier: MIT
!> Generalised Potts models: couplings, fields, conditionals, energies, gauges, exact enumeration, scores, mutants.
module attopotts_model
  use, intrinsic :: iso_c_binding
  use attopotts_constants
  use attopotts_c
  use attopotts_base
  use attopotts_context
  use attopotts_alignment
  implicit none
  private
  public :: atp_model, keep_model

  !> p(s_i = a | rest) = softmax_a( beta [ b_i(a) + sum_{j /= i} C_ij(a, s_j) ] ), C_ij(a, b) = sum_h A_h,ij V_h(a, b)
  !> or dense.
  !> Arrays are those of C with the indices reversed, without copies:
  !>   A_h,ij    maps(j, i, h)                 b_i(a)       fields(a + 1, i)
  !>   V_h(a, b) values(b + 1, a + 1, h)       C_ij(a, b)   couplings(b + 1, a + 1, j, i)
  !> A colour is its own index in arrays declared (0:q-1, ...).
  !> Procedures with `context` take the one that the model was made in where it is not given; another thread gives its
  !> own.
  type :: atp_model
    type(shared) :: ref  ! not for users
  contains
    procedure :: create_heads
    !> create_dense(context, couplings [, fields]): both real(c_double) or both real(c_float).
    generic :: create_dense => create_dense_f64, create_dense_f32
    procedure :: create_random
    procedure :: copy => model_copy
    procedure :: gauge => model_gauge
    procedure :: read => model_read
    procedure :: write => model_write
    procedure :: destroy => model_destroy
    procedure :: address => model_address
    procedure :: sites => model_sites
    procedure :: colors => model_colors
    procedure :: heads => model_heads
    procedure :: has_fields => model_has_fields
    procedure :: is_symmetric => model_is_symmetric
    procedure :: beta => model_beta
    procedure :: set_beta => model_set_beta
    procedure :: alphabet => model_alphabet
    procedure :: set_alphabet => model_set_alphabet
    procedure :: site_numbers => model_site_numbers
    procedure :: site_residues => model_site_residues
    procedure :: set_sites => model_set_sites
    procedure :: maps => model_maps
    procedure :: values => model_values
    procedure :: fields => model_fields
    !> couplings(array): real(c_double) or real(c_float), (q, q, L, L).
    generic :: couplings => couplings_f64, couplings_f32
    procedure :: conditionals => model_conditionals
    procedure :: energies => model_energies
    procedure :: log_pseudolikelihoods => model_log_pseudolikelihoods
    procedure :: loss => model_loss
    procedure :: coupling_error => model_coupling_error
    procedure :: enumerate => model_enumerate
    procedure :: frobenius => model_frobenius
    procedure :: mutants => model_mutants
    procedure, private :: create_dense_f64, create_dense_f32, couplings_f64, couplings_f32, assign_model
    generic :: assignment(=) => assign_model
    final :: final_model
  end type

contains

  !> Take over what a C function made (for this module and those of trainers).
  subroutine keep_model(self, status, made, context, stat, errmsg)
    class(atp_model), intent(inout) :: self
    integer(c_int), intent(in) :: status
    type(c_ptr), intent(in) :: made
    type(shared), intent(in) :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (status == ATP_OK) call adopt(self%ref, KIND_MODEL, made, context)
    call settle(status, stat, errmsg)
  end subroutine

  !> maps (L, L, H) with a zero diagonal, values (q, q, H), fields (q, L).
  subroutine create_heads(self, context, maps, values, fields, stat, errmsg)
    class(atp_model), intent(inout) :: self
    class(atp_context), intent(in) :: context
    real(c_double), intent(in), contiguous, target :: maps(:, :, :), values(:, :, :)
    real(c_double), intent(in), contiguous, optional, target :: fields(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: sites, colors, heads
    type(c_ptr) :: made, fields_
    integer(c_int) :: status
    sites = size(maps, 1)
    heads = size(maps, 3)
    colors = size(values, 1)
    fields_ = c_null_ptr
    if (.not. fits('maps', shape(maps), [sites, sites, -1_c_int64_t], stat, errmsg)) return
    if (.not. fits('values', shape(values), [colors, colors, heads], stat, errmsg)) return
    if (present(fields)) then
      if (.not. fits('fields', shape(fields), [colors, sites], stat, errmsg)) return
      fields_ = c_loc(fields)
    end if
    status = atp_model_create_heads(context%address(), sites, colors, heads, c_loc(maps), c_loc(values), fields_, made)
    call keep_model(self, status, made, context%ref, stat, errmsg)
  end subroutine

  !> couplings (q, q, L, L) with C_ii = 0, fields (q, L).
  subroutine create_dense_f64(self, context, couplings, fields, stat, errmsg)
    class(atp_model), intent(inout) :: self
    class(atp_context), intent(in) :: context
    real(c_double), intent(in), contiguous, target :: couplings(:, :, :, :)
    real(c_double), intent(in), contiguous, optional, target :: fields(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: sites, colors
    type(c_ptr) :: made, fields_
    integer(c_int) :: status
    colors = size(couplings, 1)
    sites = size(couplings, 3)
    fields_ = c_null_ptr
    if (.not. fits('couplings', shape(couplings), [colors, colors, sites, sites], stat, errmsg)) return
    if (present(fields)) then
      if (.not. fits('fields', shape(fields), [colors, sites], stat, errmsg)) return
      fields_ = c_loc(fields)
    end if
    status = atp_model_create_dense_f64(context%address(), sites, colors, c_loc(couplings), fields_, made)
    call keep_model(self, status, made, context%ref, stat, errmsg)
  end subroutine

  subroutine create_dense_f32(self, context, couplings, fields, stat, errmsg)
    class(atp_model), intent(inout) :: self
    class(atp_context), intent(in) :: context
    real(c_float), intent(in), contiguous, target :: couplings(:, :, :, :)
    real(c_float), intent(in), contiguous, optional, target :: fields(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: sites, colors
    type(c_ptr) :: made, fields_
    integer(c_int) :: status
    colors = size(couplings, 1)
    sites = size(couplings, 3)
    fields_ = c_null_ptr
    if (.not. fits('couplings', shape(couplings), [colors, colors, sites, sites], stat, errmsg)) return
    if (present(fields)) then
      if (.not. fits('fields', shape(fields), [colors, sites], stat, errmsg)) return
      fields_ = c_loc(fields)
    end if
    status = atp_model_create_dense_f32(context%address(), sites, colors, c_loc(couplings), fields_, made)
    call keep_model(self, status, made, context%ref, stat, errmsg)
  end subroutine

  !> A random model of one head (J, U). couplings: "gaussian" (default) or "contacts"; color_matrix: "gaussian"
  !> (default) or
  !> "identity"; seed: 1 where not given.
  subroutine create_random(self, context, sites, colors, couplings, color_matrix, seed, stat, errmsg)
    class(atp_model), intent(inout) :: self
    class(atp_context), intent(in) :: context
    integer, intent(in) :: sites, colors
    character(len=*), intent(in), optional :: couplings, color_matrix
    integer, intent(in), optional :: seed
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: status, law, matrix
    integer(c_int64_t) :: key
    type(c_ptr) :: made
    law = ATP_COUPLINGS_GAUSSIAN
    matrix = ATP_COLOR_MATRIX_GAUSSIAN
    key = 1
    if (present(couplings)) law = enum_of('couplings', couplings, stat, errmsg)
    if (law < 0) return
    if (present(color_matrix)) matrix = enum_of('color_matrix', color_matrix, stat, errmsg)
    if (matrix < 0) return
    if (present(seed)) key = seed
    status = atp_model_create_random(context%address(), int(sites, c_int64_t), int(colors, c_int64_t), law, matrix, &
      key, made)
    call keep_model(self, status, made, context%ref, stat, errmsg)
  end subroutine

  !> A model of its own with the same numbers (assignment shares one model).
  subroutine model_copy(self, source, context, stat, errmsg)
    class(atp_model), intent(inout) :: self
    class(atp_model), intent(in) :: source
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shared) :: context_
    type(c_ptr) :: made
    integer(c_int) :: status
    call choose(source, context, context_)
    status = atp_model_copy(address_of(context_), source%address(), made)
    call keep_model(self, status, made, context_, stat, errmsg)
    call drop(context_)
  end subroutine

  !> The same model in the gauge "colors" or "zero_sum".
  subroutine model_gauge(self, source, gauge, context, stat, errmsg)
    class(atp_model), intent(inout) :: self
    class(atp_model), intent(in) :: source
    character(len=*), intent(in) :: gauge
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shared) :: context_
    type(c_ptr) :: made
    integer(c_int) :: status, gauge_
    gauge_ = enum_of('gauge', gauge, stat, errmsg)
    if (gauge_ < 0) return
    call choose(source, context, context_)
    status = atp_model_gauge(address_of(context_), source%address(), gauge_, made)
    call keep_model(self, status, made, context_, stat, errmsg)
    call drop(context_)
  end subroutine

  !> The context that is given, or else that of the model.
  subroutine choose(self, context, chosen)
    class(atp_model), intent(in) :: self
    class(atp_context), intent(in), optional :: context
    type(shared), intent(inout) :: chosen
    if (present(context)) then
      call share(chosen, context%ref)
    else
      call context_of(self%ref, chosen)
    end if
  end subroutine

  !> Read a model file. format: "auto" (default: the content decides), "hdf5", "plmc", "ccmpred", "adabm" or "bmdca";
  !> alphabet: of
  !> text with letters or integers.
  subroutine model_read(self, context, path, format, alphabet, stat, errmsg)
    class(atp_model), intent(inout) :: self
    class(atp_context), intent(in) :: context
    character(len=*), intent(in) :: path
    character(len=*), intent(in), optional :: format, alphabet
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:), symbols(:)
    type(c_ptr) :: made
    integer(c_int) :: status, format_
    if (present(format) .or. present(alphabet)) then
      format_ = ATP_MODEL_AUTO
      if (present(format)) format_ = enum_of('model_format', format, stat, errmsg)
      if (format_ < 0) return
      status = atp_model_read_as(context%address(), c_text(store, path), format_, c_text(symbols, alphabet), made)
    else
      status = atp_model_read(context%address(), c_text(store, path), made)
    end if
    call keep_model(self, status, made, context%ref, stat, errmsg)
  end subroutine

  !> Write a model file. format: "hdf5" (default), "plmc", "ccmpred", "adabm" or "bmdca"; alignment: what the model was
  !> learned from, for
  !> "plmc".
  subroutine model_write(self, path, format, alignment, context, stat, errmsg)
    class(atp_model), intent(in) :: self
    character(len=*), intent(in) :: path
    character(len=*), intent(in), optional :: format
    class(atp_alignment), intent(in), optional :: alignment
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    type(shared) :: context_
    type(c_ptr) :: alignment_
    integer(c_int) :: status, format_
    alignment_ = c_null_ptr
    if (present(alignment)) alignment_ = alignment%address()
    format_ = ATP_MODEL_HDF5
    if (present(format)) format_ = enum_of('model_format', format, stat, errmsg)
    if (format_ < 0) return
    call choose(self, context, context_)
    if (present(format) .or. present(alignment)) then
      status = atp_model_write_as(address_of(context_), self%address(), alignment_, format_, c_text(store, path))
    else
      status = atp_model_write(address_of(context_), self%address(), c_text(store, path))
    end if
    call drop(context_)
    call settle(status, stat, errmsg)
  end subroutine

  !> Let go of the handle; it is freed when neither variables nor trainers hold it any more.
  impure elemental subroutine model_destroy(self)
    class(atp_model), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> The handle for functions of attopotts_c; NULL where there is none.
  type(c_ptr) function model_address(self)
    class(atp_model), intent(in) :: self
    model_address = address_of(self%ref)
  end function

  impure elemental subroutine assign_model(self, right)
    class(atp_model), intent(inout) :: self
    type(atp_model), intent(in) :: right
    call share(self%ref, right%ref)
  end subroutine

  impure elemental subroutine final_model(self)
    type(atp_model), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> L.
  integer(c_int64_t) function model_sites(self)
    class(atp_model), intent(in) :: self
    model_sites = atp_model_sites(self%address())
  end function

  !> q.
  integer(c_int64_t) function model_colors(self)
    class(atp_model), intent(in) :: self
    model_colors = atp_model_colors(self%address())
  end function

  !> H; 0 for a dense model.
  integer(c_int64_t) function model_heads(self)
    class(atp_model), intent(in) :: self
    model_heads = atp_model_heads(self%address())
  end function

  logical function model_has_fields(self)
    class(atp_model), intent(in) :: self
    model_has_fields = atp_model_has_fields(self%address()) /= 0
  end function

  logical function model_is_symmetric(self)
    class(atp_model), intent(in) :: self
    model_is_symmetric = atp_model_is_symmetric(self%address()) /= 0
  end function

  !> Inverse temperature; NaN where there is no model.
  real(c_double) function model_beta(self)
    class(atp_model), intent(in) :: self
    model_beta = atp_model_beta(self%address())
  end function

  subroutine model_set_beta(self, beta, stat, errmsg)
    class(atp_model), intent(inout) :: self
    real(c_double), intent(in) :: beta
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call settle(atp_model_set_beta(self%address(), beta), stat, errmsg)
  end subroutine

  function model_alphabet(self) result(symbols)
    class(atp_model), intent(in) :: self
    character(len=:), allocatable :: symbols
    symbols = text_at(atp_model_alphabet(self%address()))
  end function

  subroutine model_set_alphabet(self, symbols, stat, errmsg)
    class(atp_model), intent(inout) :: self
    character(len=*), intent(in) :: symbols
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: store(:)
    call settle(atp_model_set_alphabet(self%address(), c_text(store, symbols)), stat, errmsg)
  end subroutine

  !> What the sites are called outside, (L), without a copy: to be read, as long as the model lives.
  function model_site_numbers(self) result(view)
    class(atp_model), intent(in) :: self
    integer(c_int64_t), pointer :: view(:)
    nullify (view)
    if (c_associated(self%address())) call c_f_pointer(atp_model_site_numbers_view(self%address()), view, &
      [self%sites()])
  end function

  function model_site_residues(self) result(text)
    class(atp_model), intent(in) :: self
    character(len=:), allocatable :: text
    text = text_at(atp_model_site_residues(self%address()))
  end function

  subroutine model_set_sites(self, numbers, residues, stat, errmsg)
    class(atp_model), intent(inout) :: self
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
    call settle(atp_model_set_sites(self%address(), numbers_, n, c_text(store, residues)), stat, errmsg)
  end subroutine

  !> maps (L, L, H).
  subroutine model_maps(self, maps, stat, errmsg)
    class(atp_model), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: maps(:, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (.not. shaped(self, 'maps', shape(maps), [self%sites(), self%sites(), self%heads()], self%heads() > 0, stat, &
      errmsg)) return
    call settle(atp_model_maps(self%address(), c_loc(maps), size(maps, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> values (q, q, H).
  subroutine model_values(self, values, stat, errmsg)
    class(atp_model), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (.not. shaped(self, 'values', shape(values), [self%colors(), self%colors(), self%heads()], self%heads() > 0, &
      stat, &
      errmsg)) return
    call settle(atp_model_values(self%address(), c_loc(values), size(values, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> Shapes are looked at here where there is a model that has such an array; else the library has the word.
  logical function shaped(self, name, found, expected, has, stat, errmsg)
    class(atp_model), intent(in) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: found(:)
    integer(c_int64_t), intent(in) :: expected(:)
    logical, intent(in) :: has
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    shaped = .true.
    if (c_associated(self%address()) .and. has) shaped = fits(name, found, expected, stat, errmsg)
  end function

  !> fields (q, L), 0 where the model has none.
  subroutine model_fields(self, fields, stat, errmsg)
    class(atp_model), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: fields(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (.not. shaped(self, 'fields', shape(fields), [self%colors(), self%sites()], .true., stat, errmsg)) return
    call settle(atp_model_fields(self%address(), c_loc(fields), size(fields, kind=c_int64_t)), stat, errmsg)
  end subroutine

  subroutine couplings_f64(self, couplings, stat, errmsg)
    class(atp_model), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: couplings(:, :, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (.not. shaped(self, 'couplings', shape(couplings), [self%colors(), self%colors(), self%sites(), &
      self%sites()], .true., &
      stat, errmsg)) return
    call settle(atp_model_couplings_f64(self%address(), c_loc(couplings), size(couplings, kind=c_int64_t)), stat, &
      errmsg)
  end subroutine

  subroutine couplings_f32(self, couplings, stat, errmsg)
    class(atp_model), intent(in) :: self
    real(c_float), intent(inout), contiguous, target :: couplings(:, :, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (.not. shaped(self, 'couplings', shape(couplings), [self%colors(), self%colors(), self%sites(), &
      self%sites()], .true., &
      stat, errmsg)) return
    call settle(atp_model_couplings_f32(self%address(), c_loc(couplings), size(couplings, kind=c_int64_t)), stat, &
      errmsg)
  end subroutine

  !> p(s_i = a | rest) of sequences (L, n) at conditionals(a + 1, i, n), shape (q, L, n).
  subroutine model_conditionals(self, sequences, conditionals, stat, errmsg)
    class(atp_model), intent(in) :: self
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)
    real(c_double), intent(inout), contiguous, target :: conditionals(:, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: n
    n = size(sequences, 2)
    if (.not. shaped(self, 'sequences', shape(sequences), [self%sites(), n], .true., stat, errmsg)) return
    if (.not. shaped(self, 'conditionals', shape(conditionals), [self%colors(), self%sites(), n], .true., stat, &
      errmsg)) return
    call settle(atp_model_conditionals(self%address(), c_loc(sequences), n, c_loc(conditionals), &
      size(conditionals, kind=c_int64_t)), stat, errmsg)
  end subroutine

  !> H(s) without beta, (n), of sequences (L, n).
  subroutine model_energies(self, sequences, energies, stat, errmsg)
    class(atp_model), intent(in) :: self
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)
    real(c_double), intent(inout), contiguous, target :: energies(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: n
    n = size(sequences, 2)
    if (.not. shaped(self, 'sequences', shape(sequences), [self%sites(), n], .true., stat, errmsg)) return
    if (.not. shaped(self, 'energies', shape(energies), [n], .true., stat, errmsg)) return
    call settle(atp_model_energies(self%address(), c_loc(sequences), n, c_loc(energies)), stat, errmsg)
  end subroutine

  !> sum_i log p(s_i | rest) in nats, (n), of sequences (L, n).
  subroutine model_log_pseudolikelihoods(self, sequences, values, stat, errmsg)
    class(atp_model), intent(in) :: self
    integer(c_int8_t), intent(in), contiguous, target :: sequences(:, :)
    real(c_double), intent(inout), contiguous, target :: values(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: n
    n = size(sequences, 2)
    if (.not. shaped(self, 'sequences', shape(sequences), [self%sites(), n], .true., stat, errmsg)) return
    if (.not. shaped(self, 'values', shape(values), [n], .true., stat, errmsg)) return
    call settle(atp_model_log_pseudolikelihoods(self%address(), c_loc(sequences), n, c_loc(values)), stat, errmsg)
  end subroutine

  !> Nats per site on an alignment; NaN where it fails.
  real(c_double) function model_loss(self, alignment, context, stat, errmsg) result(loss)
    class(atp_model), intent(in) :: self
    class(atp_alignment), intent(in) :: alignment
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    type(shared) :: context_
    call choose(self, context, context_)
    found = nan()
    call settle(atp_model_loss(address_of(context_), self%address(), alignment%address(), c_loc(found)), stat, errmsg)
    call drop(context_)
    loss = found
  end function

  !> The distance of learned couplings from true ones; NaN where it fails.
  real(c_double) function model_coupling_error(self, truth, context, stat, errmsg) result(error)
    class(atp_model), intent(in) :: self
    class(atp_model), intent(in) :: truth
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    type(shared) :: context_
    call choose(self, context, context_)
    found = nan()
    call settle(atp_model_coupling_error(address_of(context_), self%address(), truth%address(), c_loc(found)), stat, &
      errmsg)
    call drop(context_)
    error = found
  end function

  !> Exact numbers of a small model: log Z, <H>, p_i(a) at marginals(a + 1, i), p_ij(a, b) at pairs(b + 1, a + 1, j,
  !> i), and P(s)
  !> with site 1 as the slowest digit, (q**L).
  subroutine model_enumerate(self, log_z, energy, marginals, pairs, probabilities, stat, errmsg)
    class(atp_model), intent(in) :: self
    real(c_double), intent(out), optional :: log_z, energy
    real(c_double), intent(inout), contiguous, optional, target :: marginals(:, :), pairs(:, :, :, :), probabilities(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: numbers(2)
    type(c_ptr) :: marginals_, pairs_, probabilities_
    integer(c_int64_t) :: l, q
    integer(c_int) :: status
    l = self%sites()
    q = self%colors()
    marginals_ = c_null_ptr
    pairs_ = c_null_ptr
    probabilities_ = c_null_ptr
    if (present(marginals)) then
      if (.not. shaped(self, 'marginals', shape(marginals), [q, l], .true., stat, errmsg)) return
      marginals_ = c_loc(marginals)
    end if
    if (present(pairs)) then
      if (.not. shaped(self, 'pairs', shape(pairs), [q, q, l, l], .true., stat, errmsg)) return
      pairs_ = c_loc(pairs)
    end if
    if (present(probabilities)) then
      ! Of a larger model the library says that it is too large.
      if (l * log(real(q, c_double)) < 26 * log(2.0_c_double) + 1e-6) then
        if (.not. shaped(self, 'probabilities', shape(probabilities), [q**l], .true., stat, errmsg)) return
      end if
      probabilities_ = c_loc(probabilities)
    end if
    status = atp_model_enumerate(self%address(), c_loc(numbers(1)), c_loc(numbers(2)), marginals_, pairs_, &
      probabilities_)
    if (present(log_z)) log_z = merge(numbers(1), nan(), status == ATP_OK)
    if (present(energy)) energy = merge(numbers(2), nan(), status == ATP_OK)
    call settle(status, stat, errmsg)
  end subroutine

  !> Scores of pairs, (L, L). gauge: "zero_sum" (default) or "raw"; gap: the colour (0..q-1) left out of the norm, none
  !> where not given.
  subroutine model_frobenius(self, scores, gauge, gap, context, stat, errmsg)
    class(atp_model), intent(in) :: self
    real(c_double), intent(inout), contiguous, target :: scores(:, :)
    character(len=*), intent(in), optional :: gauge
    integer, intent(in), optional :: gap
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shared) :: context_
    integer(c_int64_t) :: gap_
    integer(c_int) :: gauge_
    gauge_ = ATP_SCORE_ZERO_SUM
    gap_ = -1
    if (present(gauge)) gauge_ = enum_of('score_gauge', gauge, stat, errmsg)
    if (gauge_ < 0) return
    if (present(gap)) gap_ = gap
    if (.not. shaped(self, 'scores', shape(scores), [self%sites(), self%sites()], .true., stat, errmsg)) return
    call choose(self, context, context_)
    call settle(atp_model_frobenius(address_of(context_), self%address(), gauge_, gap_, c_loc(scores), &
      size(scores, kind=c_int64_t)), stat, errmsg)
    call drop(context_)
  end subroutine

  !> All single mutants of a sequence (L): differences of H and, where asked for, of the log pseudo-likelihood, at (a +
  !> 1, i), (q, L).
  subroutine model_mutants(self, sequence, delta_energy, delta_log_pseudolikelihood, context, stat, errmsg)
    class(atp_model), intent(in) :: self
    integer(c_int8_t), intent(in), contiguous, target :: sequence(:)
    real(c_double), intent(inout), contiguous, target :: delta_energy(:, :)
    real(c_double), intent(inout), contiguous, optional, target :: delta_log_pseudolikelihood(:, :)
    class(atp_context), intent(in), optional :: context
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(shared) :: context_
    type(c_ptr) :: log_
    log_ = c_null_ptr
    if (.not. shaped(self, 'delta_energy', shape(delta_energy), [self%colors(), self%sites()], .true., stat, &
      errmsg)) return
    if (present(delta_log_pseudolikelihood)) then
      if (.not. shaped(self, 'delta_log_pseudolikelihood', shape(delta_log_pseudolikelihood), [self%colors(), &
        self%sites()], .true., &
        stat, errmsg)) return
      log_ = c_loc(delta_log_pseudolikelihood)
    end if
    call choose(self, context, context_)
    call settle(atp_model_mutants(address_of(context_), self%address(), c_loc(sequence), size(sequence, &
      kind=c_int64_t), &
      c_loc(delta_energy), log_, size(delta_energy, kind=c_int64_t)), stat, errmsg)
    call drop(context_)
  end subroutine
end module attopotts_model
