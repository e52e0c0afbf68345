! SPDX-License-Identifier: MIT
! The best pairs of a protein family: read an alignment, learn dense couplings, rank the pairs of sites. usage: family ALIGNMENT
! Build: gfortran family.f90 -o family $(pkg-config --cflags --libs attopotts-fortran)
program family_pairs
  use attopotts
  implicit none
  type(atp_context) :: context
  type(atp_options) :: options
  type(atp_alignment) :: family
  type(atp_trainer) :: trainer
  type(atp_model) :: learned
  integer(c_int64_t), allocatable :: pairs(:, :)
  real(c_double), allocatable :: scores(:)
  character(len=1000) :: file
  integer :: k

  call get_command_argument(1, file)
  call context%create()
  call options%create(context, 'trainer', 'family=dense')
  call family%read(context, trim(file), 'protein')
  call family%weigh(0.2_c_double)
  call trainer%create(family, options)
  call trainer%run(200)
  call trainer%model(learned)
  call contacts(learned, pairs, scores, count=10, separation=6)
  print '(i0, 1x, i0, 1x, f0.6)', (pairs(:, k), scores(k), k=1, size(scores))
end program
