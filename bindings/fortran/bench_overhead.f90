! SPDX-License-Identifier: MIT
! Sampling in calls of 100 sweeps from Fortran: prints site updates per second of processor time, the best of 5
! rounds. bench_overhead.c in Fortran.
program bench_overhead
  use attopotts
  implicit none
  integer, parameter :: sites = 20, colors = 20, chains = 64, sweeps = 100, calls = 200, rounds = 5
  type(atp_context) :: context
  type(atp_options) :: options
  type(atp_model) :: model
  type(atp_sampler) :: sampler
  real(c_double) :: begin, end, best
  integer :: round, k
  call context%create(threads=1)
  call options%create(context)
  call options%set('chains', chains)
  call model%create_random(context, sites, colors)
  call sampler%create(model, options)
  best = 0
  do round = 1, rounds
    call cpu_time(begin)
    do k = 1, calls
      call sampler%sweep(sweeps)
    end do
    call cpu_time(end)
    best = max(best, real(sites * chains, c_double) * sweeps * calls / (end - begin))
  end do
  print '(es10.4e2)', best
end program
