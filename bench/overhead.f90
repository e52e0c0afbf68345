! SPDX-License-Identifier: MIT
! Sampling in calls of 100 sweeps (L = q = 20, 64 chains, one thread): site updates per second of processor time, the best of 40 rounds, by
! the modules and by the bare C function, in turn.
! gfortran -O2 overhead.f90 -o overhead $(pkg-config --cflags --libs attopotts-fortran)
program overhead
  use, intrinsic :: iso_c_binding
  use attopotts
  use attopotts_c, only: atp_sampler_sweep
  implicit none
  integer, parameter :: L = 20, q = 20, chains = 64, sweeps = 100, calls = 25
  type(atp_context) :: context
  type(atp_options) :: options
  type(atp_model) :: model
  type(atp_sampler) :: sampler
  real(c_double) :: begin, end, best(2)
  integer :: round, way, k, status
  call context%create(threads=1)
  call options%create(context, 'sampler', 'chains=64')
  call model%create_random(context, L, q)
  call sampler%create(model, options)
  best = 0
  do round = 1, 40
    do way = 1, 2
      call cpu_time(begin)
      do k = 1, calls
        if (way == 1) call sampler%sweep(sweeps)
        if (way == 2) status = atp_sampler_sweep(sampler%address(), int(sweeps, c_int64_t), c_null_funptr, c_null_ptr, c_null_ptr)
      end do
      call cpu_time(end)
      best(way) = max(best(way), real(L, c_double) * chains * sweeps * calls / (end - begin))
    end do
  end do
  print '(a, es10.4, a, es10.4)', 'Fortran: ', best(1), ' site updates/s; the bare C function: ', best(2)
end program overhead
