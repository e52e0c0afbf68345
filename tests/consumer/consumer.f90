! SPDX-License-Identifier: MIT
! The same in Fortran.
program consumer
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function atp_context_create(alloc, release, user, context) bind(c) result(status)
      import
      type(c_funptr), value :: alloc, release
      type(c_ptr), value :: user
      type(c_ptr), intent(out) :: context
      integer(c_int) :: status
    end function
    function atp_alignment_create(context, sequences, n, sites, colors, weights, alignment) bind(c) result(status)
      import
      type(c_ptr), value :: context, weights
      integer(c_int8_t), intent(in) :: sequences(*)
      integer(c_int64_t), value :: n, sites, colors
      type(c_ptr), intent(out) :: alignment
      integer(c_int) :: status
    end function
    function atp_alignment_frequencies(alignment, pseudocount, frequencies, n) bind(c) result(status)
      import
      type(c_ptr), value :: alignment
      real(c_double), value :: pseudocount
      real(c_double), intent(out) :: frequencies(*)
      integer(c_int64_t), value :: n
      integer(c_int) :: status
    end function
    function atp_alignment_independent_loss(alignment, frequencies, n, loss) bind(c) result(status)
      import
      type(c_ptr), value :: alignment
      real(c_double), intent(in) :: frequencies(*)
      integer(c_int64_t), value :: n
      real(c_double), intent(out) :: loss
      integer(c_int) :: status
    end function
    function atp_version_string() bind(c) result(text)
      import
      type(c_ptr) :: text
    end function
    subroutine atp_alignment_destroy(alignment) bind(c)
      import
      type(c_ptr), value :: alignment
    end subroutine
    subroutine atp_context_destroy(context) bind(c)
      import
      type(c_ptr), value :: context
    end subroutine
  end interface
  type(c_ptr) :: context, alignment
  ! The first index runs fastest: (L, N) here is [N][L] there.
  integer(c_int8_t) :: sequences(4, 3) = reshape([integer(c_int8_t) :: 0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 0, 0], [4, 3])
  real(c_double) :: frequencies(3, 4), loss
  character(kind=c_char), pointer :: version(:)

  if (atp_context_create(c_null_funptr, c_null_funptr, c_null_ptr, context) /= 0) error stop 2
  if (atp_alignment_create(context, sequences, 3_c_int64_t, 4_c_int64_t, 3_c_int64_t, c_null_ptr, alignment) /= 0) error stop 3
  if (atp_alignment_frequencies(alignment, 0.25_c_double, frequencies, 12_c_int64_t) /= 0) error stop 4
  if (atp_alignment_independent_loss(alignment, frequencies, 12_c_int64_t, loss) /= 0) error stop 5
  if (atp_alignment_frequencies(alignment, 0.25_c_double, frequencies, 11_c_int64_t) /= 12) error stop 6
  call c_f_pointer(atp_version_string(), version, [5])
  print '(5a, 1x, g0.17)', version, loss
  call atp_alignment_destroy(alignment)
  call atp_context_destroy(context)
end program
