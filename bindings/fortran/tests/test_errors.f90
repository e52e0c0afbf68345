! SPDX-License-Identifier: MIT
!> Errors: stat and errmsg with the library's text, nothing lost, nothing freed twice. Run under valgrind, too.
!> usage: test_errors FOLDER [CASE]; with a case (1, 2, ...) the program ends in an error stop.
module holders
  use attopotts
  implicit none
  !> What a user may build of handles.
  type :: holder
    integer :: number = 0
    type(atp_model) :: model
    type(atp_model), allocatable :: more(:)
  end type
  type, extends(progress_handler) :: destroyer
    type(atp_sampler) :: victim
  contains
    procedure :: report => destroyer_report
  end type
  type(atp_sampler), target :: endless
contains
  integer function destroyer_report(self, progress)
    class(destroyer), intent(inout) :: self
    type(progress_report), intent(in) :: progress
    call self%victim%destroy()
    destroyer_report = merge(1, 0, progress%value(ATP_PROGRESS_STEP) > 0)
  end function

  subroutine on_alarm(number) bind(c)
    integer(c_int), value :: number
    if (number > 0) call endless%request_stop()
  end subroutine
end module holders

program test_errors
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic
  use checks
  use holders
  implicit none
  interface
    function c_signal(number, handler) bind(c, name='signal')
      import :: c_int, c_funptr
      integer(c_int), value :: number
      type(c_funptr), value :: handler
      type(c_funptr) :: c_signal
    end function
    integer(c_int) function c_alarm(seconds) bind(c, name='alarm')
      import :: c_int
      integer(c_int), value :: seconds
    end function
  end interface
  integer, parameter :: L = 5, q = 3
  character(len=:), allocatable, save :: folder

  folder = argument(1)
  if (argument(2) /= '') call end_in_error
  call balanced('wrong arguments', wrong_arguments)
  call balanced('wrong handles', wrong_handles)
  call balanced('wrong options and files', wrong_options_and_files)
  call balanced('handlers that fail', handlers_that_fail)
  call balanced('assignments', assignments)
  call balanced('lists of handles', lists)
  call balanced('handles in types', handles_in_types)
  call balanced('spins and swapped operands', spins_and_operands)
  call contexts_live_as_long_as_handles
  call interruption
  call allocators
  call report_and_stop

contains

  !> Each part gives the context's memory back.
  subroutine balanced(what, part)
    character(len=*), intent(in) :: what
    interface
      subroutine part(context)
        import :: atp_context
        type(atp_context), intent(inout) :: context
      end subroutine
    end interface
    type(atp_context) :: context
    integer(c_int64_t) :: before, after
    call context%create(threads=1)
    call context%memory(bytes=before)
    call part(context)
    call context%memory(bytes=after)
    call check(after == before, 'memory is given back: ' // what)
  end subroutine

  subroutine make_data(context, model, data)
    type(atp_context), intent(in) :: context
    type(atp_model), intent(inout) :: model
    type(atp_alignment), intent(inout) :: data
    type(atp_sampler) :: sampler
    integer(c_int8_t) :: sequences(L, 100)
    call model%create_random(context, L, q)
    call sampler%create(model)
    call sampler%sample(sequences, thin=3)
    call data%create(context, sequences, q)
  end subroutine

  subroutine wrong_arguments(context)
    type(atp_context), intent(inout) :: context
    type(atp_model) :: model, other
    type(atp_alignment) :: data
    type(atp_sampler) :: sampler
    type(atp_trainer) :: trainer, network, wider
    integer(c_int8_t) :: sequences(L, 4), wrong(L + 1, 4)
    integer(c_int8_t), allocatable :: state(:)
    real(c_double) :: c(q, q, L, L), e(4), x(3), scores(L, L), matrix(3, 3), noise
    type(atp_options) :: options
    type(atp_task) :: task
    type(atp_table) :: table
    type(atp_masked) :: masked
    integer(c_int64_t), allocatable :: pairs(:, :)
    call make_data(context, model, data)

    ! What is right sets stat and leaves errmsg alone.
    call model%set_beta(1.0_c_double, stat, errmsg)
    call check(stat == 0 .and. errmsg == 'untouched', 'no error')
    ! Errors of the library and of this layer name the procedure; numbers of any kind are taken, others are not.
    call model%set_beta(-1.0, stat, errmsg); call fails(ATP_E_VALUE, 'beta is -1, must be >= 0 [model%set_beta]')
    call model%set_beta(2, stat, errmsg)
    call check(stat == 0 .and. model%beta() == 2, 'an integer')
    call model%set_beta(1.0)
    call model%set_beta('cold', stat, errmsg); call fails(ATP_E_VALUE, 'beta is no number of a kind that C has [model%set_beta]')
    call data%weigh(1.5, stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, '[alignment%weigh]')
    call data%weigh(0.2, rule='mild', stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, '[alignment%weigh]')
    sequences = 0
    call data%create(context, int(sequences), q, weights=[1.0_c_double], stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'weights has shape (1), expected (4)')
    call file_write(context, '/nowhere/at/all', [1_c_int8_t], stat, errmsg); call fails(ATP_E_OPEN, '[file_write]')
    ! Values, with the library's texts.
    call other%create_random(context, 1, q, stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, 'sites')
    call other%create_random(context, L, q, couplings='ising', stat=stat, errmsg=errmsg)
    call fails(ATP_E_VALUE, 'couplings is "ising", expected one of gaussian, contacts')
    call model%set_beta(-1.0_c_double, stat, errmsg); call fails(ATP_E_VALUE, 'beta')
    sequences = 0
    sequences(2, 3) = 9
    call data%create(context, sequences, q, stat=stat, errmsg=errmsg); call fails(ATP_E_ALPHABET, '9')
    call check(data%count() == 100, 'what failed leaves the old handle')
    sequences(2, 3) = color_byte(ATP_MISSING)
    call data%create(context, sequences, q, stat=stat, errmsg=errmsg); call fails(ATP_E_ALPHABET, '255')
    call data%create(context, reshape([0, 1, 2, 300], [2, 2]), q, stat=stat, errmsg=errmsg)
    call fails(ATP_E_ALPHABET, 'sequences(2, 2) is 300, expected 0..255')
    sequences = 0
    call data%create(context, sequences, q, alphabet='AB', stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, '')
    call data%create(context, sequences(:, :0), q, stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, 'n')
    ! NaN.
    c = 0
    c(1, 1, 2, 1) = ieee_value(1.0_c_double, ieee_quiet_nan)
    call other%create_dense(context, c, stat=stat, errmsg=errmsg); call fails(ATP_E_NOT_FINITE, 'couplings')
    call check(.not. c_associated(other%address()), 'no handle was made')
    call data%set_weights(spread(c(1, 1, 2, 1), 1, 100), stat, errmsg); call fails(ATP_E_NOT_FINITE, 'weights')
    ! Shapes.
    call other%create_dense(context, c(:, :2, :, :), stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'couplings has shape (3, 2, 5, 5), expected (3, 3, 5, 5)')
    call other%create_heads(context, c(:, :2, :, 1), c(:, :, 1:1, 1), stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'maps has shape (3, 2, 5), expected (3, 3, :)')
    wrong = 0
    call model%energies(wrong, e, stat, errmsg); call fails(ATP_E_SHAPE, 'sequences has shape (6, 4), expected (5, 4)')
    call model%energies(sequences, e(:3), stat, errmsg); call fails(ATP_E_SHAPE, 'size(energies) is 3')
    call model%conditionals(sequences, c(:, :, :, 1), stat, errmsg); call fails(ATP_E_SHAPE, 'conditionals')
    call model%couplings(c(:, :, :, 2:), stat, errmsg); call fails(ATP_E_SHAPE, 'couplings')
    call model%frobenius(c(:, :, 1, 1), stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, 'scores')
    call model%mutants(sequences(:3, 1), c(:, :, 1, 1), stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, 'delta_energy')
    call data%frequencies(c(:2, :, 1, 1), stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'frequencies has shape (2, 3), expected (3, 5)')
    call data%set_weights(e, stat, errmsg); call fails(ATP_E_SHAPE, 'size(weights) is 4')
    call data%create(context, sequences, q, weights=e(:2), stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'weights has shape (2), expected (4)')
    call sampler%create(model)
    call sampler%sample(wrong, stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, 'sequences')
    call sampler%sample(sequences, thin=0, stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, 'thin')
    call sampler%sweep(-1, stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, 'sweeps')
    call sampler%states(sequences, stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, 'sequences')
    call sampler%energies(e, rung=0, stat=stat, errmsg=errmsg)
    call fails(ATP_E_VALUE, 'rung is 0, must be in 1..1')
    sequences(2, 4) = int(q, c_int8_t)
    call data%create(context, sequences, q, stat=stat, errmsg=errmsg); call fails(ATP_E_ALPHABET, 'sequences(2, 4) is 3')
    call check(index(context%error(), 'sequences(2, 4) is 3') > 0, 'the text of the context')
    sequences(2, 4) = 0
    call sampler%betas(e, stat, errmsg); call fails(ATP_E_SHAPE, 'size(betas) is 4, must be 1')
    call sampler%save_state(state)
    state(size(state) / 2) = not(state(size(state) / 2))
    call sampler%load_state(state, stat, errmsg); call fails(ATP_E_CHECKSUM, '')
    call sampler%load_state(state(:10), stat, errmsg); call fails(ATP_E_FORMAT, '')
    call trainer%create(data)
    call trainer%set_parameters(x, stat, errmsg); call fails(ATP_E_SHAPE, 'size(parameters) is')
    call trainer%gradient(gradient=x, stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, '')
    call trainer%masked_gradient([1, 2], stat=stat, errmsg=errmsg)
    call check(stat /= 0, 'one masked site per sequence')
    call wrong_networks(context, data)
    call options%create(context, 'trainer', 'family=encoder')
    call network%create(data, options)
    sequences = 0
    call network%conditionals(wrong, c(:, :, :4, 1), stat, errmsg)
    call fails(ATP_E_SHAPE, 'sequences has shape (6, 4), expected (5, 4)')
    call network%conditionals(sequences, c(:, :, :4, 1), stat, errmsg)
    call fails(ATP_E_SHAPE, 'conditionals has shape (3, 3, 4), expected (3, 5, 4)')
    call network%maps(data, c(:, :, :1, 1), stat, errmsg); call fails(ATP_E_SHAPE, 'maps has shape (3, 3, 1), expected (5, 5, 1)')
    call network%set_parameters(x, stat, errmsg); call fails(ATP_E_SHAPE, '')
    call network%gradient(gradient=x, stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, 'size(gradient) is')
    call network%masked_gradient([1, 2], stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, '')
    call network%masked_gradient(spread(L + 1, 1, 100), stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, '')
    call network%part(0, stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, 'index')
    call network%run(-1, stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, 'epochs')
    call network%model(other, stat, errmsg); call fails(ATP_E_UNSUPPORTED, 'family is encoder')
    call wider%create(data, options)
    call wider%save_state(state)
    state(size(state) / 2) = not(state(size(state) / 2))
    call wider%load_state(state, stat, errmsg); call fails(ATP_E_CHECKSUM, '')
    call model%probabilities(e, stat=stat, errmsg=errmsg); call fails(ATP_E_SHAPE, 'size(probabilities) is 4')
    call other%create_random(context, 40, 10)
    call other%probabilities(e, stat=stat, errmsg=errmsg); call fails(ATP_E_TOO_LARGE, '')
    noise = model%coupling_error(other, stat=stat, errmsg=errmsg)
    call check(ieee_is_nan(noise), 'a function that fails gives NaN')
    call fails(ATP_E_SHAPE, '')
    ! Plain functions.
    scores = 0
    call rank_pairs(scores(:, :4), pairs, stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'scores has shape (5, 4), expected (5, 5)')
    call rank_pairs(scores, pairs, count=0, stat=stat, errmsg=errmsg); call fails(ATP_E_VALUE, 'capacity')
    call check(.not. allocated(pairs), 'no pairs')
    call options%create(context, 'replica_limit')
    call options%set_all('diagonal-shift=1.5', stat, errmsg); call fails(ATP_E_OPTION_RANGE, 'diagonal-shift')
    call options%create(context, 'theory', stat=stat, errmsg=errmsg)
    call fails(ATP_E_VALUE, 'owner is "theory", expected one of sampler')
    call options%create(context, 'dotattn_tokens')
    call options%set('start', 'cold', stat, errmsg); call fails(ATP_E_VALUE, 'expected one of semantic, positional, random, mixed')
    call options%set('loss', 'cubic', stat, errmsg); call fails(ATP_E_VALUE, 'expected one of square, huber, logistic')
    call options%set('points', 100)
    call task%create(context, 'dotattn_tokens', options, stat, errmsg); call fails(ATP_E_VALUE, 'points')
    call task%create(context, 'dotattn_pictures', stat=stat, errmsg=errmsg)
    call fails(ATP_E_VALUE, 'expected one of replica_square')
    call task%run(table, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call task%create(context, 'dotattn_curve')
    call task%run(table, stat=stat, errmsg=errmsg); call fails(ATP_E_STAGE, 'alphas')
    call task%set('alphas', [1.0_c_double, 2.0_c_double])
    call task%set('omegas', [1.0_c_double], stat, errmsg); call fails(ATP_E_CONFLICT, 'omegas')
    call task%set('teacher', scores(:3, :3), stat, errmsg); call fails(ATP_E_SHAPE, '')
    noise = task%value('optimum', stat, errmsg)
    call check(ieee_is_nan(noise), 'no optimum')
    call fails(ATP_E_CONFLICT, '')
    call table%create(context, 'dotattn_curve', 1)
    call task%append(table, stat=stat, errmsg=errmsg); call fails(ATP_E_BUFFER, '')
    call table%create(context, 'tuning', 2)
    call task%append(table, stat=stat, errmsg=errmsg); call fails(ATP_E_CONFLICT, '')
    call check(size(table%column('eg', stat, errmsg)) == 0, 'no such column'); call fails(ATP_E_VALUE, '')
    matrix = 1
    call masked%create_precision(context, matrix, 1, stat, errmsg); call fails(ATP_E_VALUE, '')
    call masked%create_precision(context, matrix, 4, stat, errmsg); call fails(ATP_E_VALUE, 'site')
    call masked%create(context, matrix, x(:2), 0.0_c_double, stat, errmsg)
    call fails(ATP_E_SHAPE, 'weights has shape (2), expected (3)')
    call dotattn_linear(scores(:2, :2), loss=noise, sigma=0.0_c_double, stat=stat, errmsg=errmsg)
    call check(ieee_is_nan(noise), 'no loss')
    call fails(ATP_E_VALUE, 'sigma')
    call dotattn_linear(scores(:2, :2), scores(:2, :3), stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'map has shape (2, 3), expected (2, 2)')
    noise = split_rhat(scores(:2, :), stat, errmsg); call fails(ATP_E_VALUE, '')
    ! errmsg too short, and none at all.
    call model%set_beta(-1.0_c_double, stat, errmsg(:8))
    call check(stat == ATP_E_VALUE .and. errmsg(:8) == 'ATP_E_VA', 'a short errmsg')
    call model%set_beta(-1.0_c_double, stat)
    call check(stat == ATP_E_VALUE, 'no errmsg')
  end subroutine

  subroutine wrong_networks(context, data)
    type(atp_context), intent(in) :: context
    type(atp_alignment), intent(in) :: data
    type(atp_options) :: options
    type(atp_trainer) :: network
    integer(c_int64_t) :: bytes
    call options%create(context, 'trainer', 'family=encoder heads=2')
    call network%create(data, options, stat=stat, errmsg=errmsg); call fails(ATP_E_CONFLICT, 'heads')
    bytes = trainer_bytes(context, 100, L, q, options, stat, errmsg); call fails(ATP_E_CONFLICT, 'heads')
    call check(bytes == 0 .and. .not. c_associated(network%address()), 'no network was made')
    call options%create(context, 'trainer', 'family=decoder', stat, errmsg)
    call fails(ATP_E_OPTION_RANGE, 'one of factored, dense, encoder, dial')
  end subroutine

  !> Handles that were never made, or were destroyed.
  subroutine wrong_handles(context)
    type(atp_context), intent(inout) :: context
    type(atp_context) :: none
    type(atp_model) :: model, empty
    type(atp_alignment) :: data, no_data
    type(atp_sampler) :: sampler
    type(atp_trainer) :: trainer, network
    type(atp_options) :: options
    integer(c_int8_t) :: sequences(L, 4)
    integer(c_int8_t), allocatable :: state(:)
    real(c_double) :: e(4), loss, p(q, L, 4)
    sequences = 0
    call make_data(context, model, data)
    call empty%create_random(none, L, q, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, 'context')
    call sampler%create(empty, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call sampler%sample(sequences, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call sampler%sweep(1, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call sampler%save_state(state, stat, errmsg); call fails(ATP_E_NULL, '')
    call trainer%create(no_data, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call trainer%model(empty, stat, errmsg); call fails(ATP_E_NULL, '')
    call network%create(no_data, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call network%run(stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call network%conditionals(sequences, p, stat, errmsg); call fails(ATP_E_NULL, '')
    call network%maps(data, p, stat, errmsg); call fails(ATP_E_NULL, '')
    call network%model(empty, stat, errmsg); call fails(ATP_E_NULL, '')
    call check(network%part_count() == 0 .and. network%map_count() == 0 .and. network%epochs() == 0, 'nothing')
    call options%set('seed', 1, stat, errmsg); call fails(ATP_E_NULL, 'options')
    call empty%energies(sequences, e, stat, errmsg); call fails(ATP_E_NULL, '')
    call no_data%select(no_data, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call none%set_threads(1, stat, errmsg); call fails(ATP_E_NULL, '')
    call none%set_log(stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call check(empty%sites() == 0 .and. no_data%count() == 0, 'zeros')
    call check(sampler%sweeps() == 0 .and. trainer%epochs() == 0, 'no sweeps and epochs')
    call check(.not. associated(no_data%sequences()) .and. .not. associated(empty%site_numbers()), 'no views')
    call check(ieee_is_nan(empty%beta()) .and. empty%alphabet() == '', 'no numbers and texts')
    call sampler%request_stop()
    ! Destroyed, once and twice.
    call sampler%create(model)
    call model%destroy()
    call model%destroy()
    loss = model%loss(data, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call sampler%sample(sequences)
    call check(sampler%sweeps() == 1, 'a sampler does not need its model')
    call trainer%create(data)
    call options%create(context, 'trainer', 'family=encoder')
    call network%create(data, options)
    call data%destroy()
    call trainer%run(2)
    call check(trainer%epochs() == 2, 'a trainer keeps its data')
    call network%run(2)
    call network%conditionals(sequences, p)
    call check(network%epochs() == 2 .and. all(p > 0), 'a network keeps its data')
    call network%destroy()
    call network%run(2, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
    call trainer%destroy()
    call trainer%run(2, stat=stat, errmsg=errmsg); call fails(ATP_E_NULL, '')
  end subroutine

  subroutine wrong_options_and_files(context)
    type(atp_context), intent(inout) :: context
    type(atp_options) :: options
    type(atp_model) :: model, unmade
    type(atp_alignment) :: data, other
    type(atp_trainer) :: trainer
    integer(c_int8_t), allocatable :: bytes(:)
    integer(c_int64_t) :: number
    real(c_double) :: distances(3, 3)
    real(c_double), allocatable :: scores(:, :)
    character(len=:), allocatable :: kind
    call make_data(context, model, data)
    call options%create(context, 'trainer')
    call options%set('head', 2, stat, errmsg); call fails(ATP_E_OPTION, 'there is no option "head"')
    call options%set('heads', 0, stat, errmsg); call fails(ATP_E_OPTION_RANGE, 'heads')
    call options%set('heads', 1.5_c_double, stat, errmsg); call fails(ATP_E_OPTION_RANGE, 'heads')
    call options%set('rate', ieee_value(1.0_c_double, ieee_quiet_nan), stat, errmsg); call fails(ATP_E_NOT_FINITE, '')
    call options%set('map', 'round', stat, errmsg); call fails(ATP_E_VALUE, 'expected one of free, softmax, lowrank')
    call options%set('rate', 'fast', stat, errmsg); call fails(ATP_E_OPTION_RANGE, 'option "rate" is "fast", expected a number')
    call options%set_all('heads=2, maps=free', stat, errmsg); call fails(ATP_E_OPTION, '"maps"')
    call options%set_all('heads 2', stat, errmsg); call fails(ATP_E_VALUE, 'NAME=VALUE')
    call options%get('rate', number, stat, errmsg); call fails(ATP_E_OPTION, '')
    call options%create(context, 'trainer', 'objective=mlm', stat, errmsg)
    call check(stat == 0, 'options')
    call trainer%create(data, options, stat=stat, errmsg=errmsg); call fails(ATP_E_CONFLICT, '')
    call options%create(context, 'trainer', 'colors-fixed=1')
    call trainer%create(data, options)
    call trainer%run(1, stat=stat, errmsg=errmsg); call fails(ATP_E_STAGE, '')
    call context%set_simd('abacus', stat, errmsg); call fails(ATP_E_UNSUPPORTED, 'abacus')
    call check(index(context%error(), 'abacus') > 0 .and. index(last_error(), 'abacus') > 0, 'the last error')
    call context%set_threads(-3, stat, errmsg); call fails(ATP_E_VALUE, 'threads')
    call context%set_memory_limit(-3_c_int64_t, stat, errmsg); call fails(ATP_E_VALUE, 'bytes')
    call context%set_memory_limit(1_c_int64_t)
    call unmade%create_random(context, L, q, stat=stat, errmsg=errmsg); call fails(ATP_E_MEMORY, 'the memory limit leaves')
    call context%set_memory_limit(0_c_int64_t)
    ! Files.
    call other%read(context, folder // '/none.fasta', 'protein', stat=stat, errmsg=errmsg)
    call fails(ATP_E_OPEN, 'none.fasta')
    call write_lines(folder // '/short.fasta', '>a ACD >b AC')
    call other%read(context, folder // '/short.fasta', '-ACD', stat=stat, errmsg=errmsg)
    call fails(ATP_E_FORMAT, 'short.fasta')
    call data%write(folder // '/x.fasta', 'fasta', stat=stat, errmsg=errmsg); call fails(ATP_E_CONFLICT, '')
    call data%write(folder // '/no/x.txt', 'integers', stat=stat, errmsg=errmsg); call fails(ATP_E_OPEN, '')
    call data%write(folder // '/x.txt', 'pictures', stat=stat, errmsg=errmsg)
    call fails(ATP_E_VALUE, 'expected one of auto, hdf5')
    call file_read(context, folder // '/none', bytes, stat, errmsg); call fails(ATP_E_OPEN, '')
    kind = file_kind(context, folder // '/none', stat, errmsg)
    call check(kind == '', 'no kind')
    call fails(ATP_E_OPEN, '')
    call read_distances(context, folder // '/short.fasta', distances, stat=stat, errmsg=errmsg)
    call fails(ATP_E_FORMAT, 'short.fasta')
    call model%read(context, folder // '/none.h5', stat=stat, errmsg=errmsg); call fails(ATP_E_OPEN, 'none.h5')
    call model%read(context, folder // '/short.fasta', 'dca', stat=stat, errmsg=errmsg)
    call fails(ATP_E_VALUE, 'expected one of auto, hdf5, plmc')
    call model%read(context, folder // '/short.fasta', 'adabm', stat=stat, errmsg=errmsg)
    call fails(ATP_E_FORMAT, 'short.fasta')
    call model%write(folder // '/x.model', 'plmc', stat=stat, errmsg=errmsg); call fails(ATP_E_CONFLICT, '')
    call read_scores(context, folder // '/short.fasta', scores, stat=stat, errmsg=errmsg)
    call fails(ATP_E_FORMAT, 'short.fasta')
    call write_scores(context, folder // '/x', distances(:2, :), 'plmc', stat=stat, errmsg=errmsg)
    call fails(ATP_E_SHAPE, 'scores has shape (2, 3), expected (2, 2)')
    number = data%find('nobody', stat, errmsg)
    call check(number == 0, 'nobody')
    call fails(ATP_E_VALUE, 'nobody')
  end subroutine

  subroutine handlers_that_fail(context)
    type(atp_context), intent(inout) :: context
    type(atp_model) :: model
    type(atp_alignment) :: data
    type(atp_options) :: options
    type(atp_trainer) :: trainer, network
    type(atp_sampler) :: sampler
    type(watcher) :: watch
    type(destroyer) :: hostile
    integer(c_int) :: outcome
    call make_data(context, model, data)
    call options%create(context, 'trainer', 'tolerance=1e-12')
    call trainer%create(data, options)
    watch%stop_at = 2
    watch%answer = -5
    call trainer%run(progress=watch, outcome=outcome, stat=stat, errmsg=errmsg)
    call fails(-5, 'progress handler: it failed with -5')
    call check(trainer%epochs() == 2 .and. outcome == ATP_OUTCOME_CANCELLED, 'the state is kept')
    call trainer%run(1)
    call check(trainer%epochs() == 3, 'and goes on')
    call options%create(context, 'trainer', 'family=encoder')
    call network%create(data, options)
    watch%calls = 0
    call network%run(progress=watch, outcome=outcome, stat=stat, errmsg=errmsg)
    call fails(-5, 'progress handler: it failed with -5')
    call network%run(1)
    call check(network%epochs() == 3 .and. outcome == ATP_OUTCOME_CANCELLED, 'a network goes on, too')
    call sampler%create(model)
    watch%calls = 0
    watch%stop_at = 1
    call sampler%sweep(1000000000, watch, outcome, stat, errmsg); call fails(-5, 'it failed with -5')
    call check(sampler%sweeps() > 0, 'sweeps were made')
    ! A handler that destroys what calls it.
    hostile%victim = sampler
    call sampler%destroy()
    call hostile%victim%sweep(1000000000, hostile, outcome, stat)
    call check(outcome == ATP_OUTCOME_CANCELLED .and. stat == 0, 'a handle lives as long as its call')
    call check(.not. c_associated(hostile%victim%address()), 'and is gone then')
  end subroutine

  subroutine assignments(context)
    type(atp_context), intent(inout) :: context
    type(atp_model) :: a, b, some(3), others(3)
    type(atp_model), allocatable :: list(:), longer(:)
    type(atp_alignment) :: data, more
    type(atp_trainer) :: trainer, again
    type(atp_context) :: same
    integer :: k
    call make_data(context, a, data)
    b = a
    b = b
    a = b
    call a%destroy()
    call check(b%sites() == L .and. a%sites() == 0, 'the other still holds it')
    a = b
    call a%create_random(context, L + 1, q)
    call check(b%sites() == L .and. a%sites() == L + 1, 'a new handle in one of them')
    b = a
    do k = 1, 3
      call some(k)%create_random(context, L + k, q)
    end do
    others = some
    others(1) = some(3)
    call check(all([(int(others(k)%sites()), k=1, 3)] == [L + 3, L + 2, L + 3]), 'arrays')
    call some%destroy()
    call check(others(2)%sites() == L + 2, 'arrays share')
    allocate (list(2))
    list = [a, b]
    call check(list(1)%sites() == L + 1 .and. list(2)%sites() == L + 1, 'an array of handles')
    call move_alloc(list, longer)
    call check(longer(2)%sites() == L + 1, 'moved')
    deallocate (longer)
    call trainer%create(data)
    again = trainer
    more = data
    call trainer%set_test(more)
    call b%create_random(context, L, q)
    call trainer%set_truth(b)
    call b%destroy()
    call more%destroy()
    call data%destroy()
    call trainer%destroy()
    call again%set_test()
    call again%run(2)
    call check(again%epochs() == 2, 'trainers share')
    same = context
    call check(c_associated(same%address(), context%address()), 'contexts share')
    call by_value(a)
    call check(a%sites() == L + 1, 'an argument with the value attribute')
  end subroutine

  !> Lists grow by append_handle; what a compiler copies byte by byte holds nothing, and is empty when the handle is gone.
  subroutine lists(context)
    type(atp_context), intent(inout) :: context
    type(atp_model) :: some(2), three(3)
    type(atp_model), allocatable :: list(:), copies(:)
    integer :: k
    do k = 1, 2
      call some(k)%create_random(context, L + k, q)
      call append_handle(list, some(k))
    end do
    call append_handle(list, list(1))
    call check(all([(int(list(k)%sites()), k=1, 3)] == [L + 1, L + 2, L + 1]), 'a list that grew')
    list = list(3:1:-1)
    list(2:3) = list(1:2)
    call check(all([(int(list(k)%sites()), k=1, 3)] == [L + 1, L + 1, L + 2]), 'sections of itself')
    three = some(2)
    call some%destroy()
    call check(three(1)%sites() == L + 2 .and. list(1)%sites() == L + 1, 'one handle in all elements')
    allocate (copies, source=list)
    call check(copies(2)%sites() == L + 1, 'a copy byte by byte')
    call list%destroy()
    call check(copies(1)%sites() == 0 .and. copies(3)%sites() == L + 2, 'it knows that its handle is gone')
    call some(1)%create_random(context, L + 4, q)
    call check(copies(1)%sites() == 0, 'also where another handle has its place')
    list = copies
    call check(list(3)%sites() == L + 2 .and. list(1)%sites() == 0, 'what was gone stays empty')
  end subroutine

  !> -1 is a missing site, or a spin of a program that has +-1: it must be asked for. A call fills an empty variable, or its source.
  subroutine spins_and_operands(context)
    type(atp_context), intent(inout) :: context
    type(atp_model) :: chain, other
    type(atp_alignment) :: all_of_it, part
    integer(c_int8_t) :: s(3, 2), one(3)
    real(c_double) :: couplings(2, 2, 3, 3), e(2), p(2, 3, 2), delta(2, 3)
    couplings = 0
    couplings(1, 1, 2, 1) = 1; couplings(1, 1, 1, 2) = 1; couplings(2, 2, 2, 1) = 1; couplings(2, 2, 1, 2) = 1
    couplings(1, 1, 3, 2) = 1; couplings(1, 1, 2, 3) = 1; couplings(2, 2, 3, 2) = 1; couplings(2, 2, 2, 3) = 1
    call chain%create_dense(context, couplings)
    s(:, 1) = [1_c_int8_t, 1_c_int8_t, 1_c_int8_t]
    s(:, 2) = [1_c_int8_t, 1_c_int8_t, -1_c_int8_t]
    e = -77
    call chain%energies(s, e, stat, errmsg); call fails(ATP_E_ALPHABET, 'sequences(3, 2) is -1')
    call check(all(e == -77), 'energies of spins are untouched')
    call chain%conditionals(s, p, stat, errmsg); call fails(ATP_E_ALPHABET, 'sequences(3, 2) is -1')
    call chain%log_pseudolikelihoods(s, e, stat, errmsg); call fails(ATP_E_ALPHABET, 'missing=.true.')
    call chain%energies(s, e, missing=.true.)
    call check(all(e == [-2.0_c_double, -1.0_c_double]), 'a missing site')
    call chain%energies(s(:, :1), e(:1), missing=.false.)
    one = s(:, 2)
    call chain%mutants(one, delta, stat=stat, errmsg=errmsg); call fails(ATP_E_ALPHABET, 'sequence(3) is -1')
    call chain%mutants(one, delta, missing=.true.)
    call all_of_it%create(context, s, 2, stat=stat, errmsg=errmsg); call fails(ATP_E_ALPHABET, '-1')

    s(3, 2) = 0
    call all_of_it%create(context, s, 2)
    call part%select(all_of_it, count=1)
    call all_of_it%select(part, 1, 1, stat=stat, errmsg=errmsg); call fails(ATP_E_CONFLICT, 'destroy() it before')
    call check(all_of_it%count() == 2, 'swapped operands replace nothing')
    call all_of_it%select(all_of_it, 1, 1)
    call check(all_of_it%count() == 1, 'a part of itself')
    call other%copy(chain)
    call chain%gauge(other, 'zero-sum', stat=stat, errmsg=errmsg); call fails(ATP_E_CONFLICT, '')
    call chain%gauge(chain, 'zero-sum')
  end subroutine

  subroutine by_value(model)
    type(atp_model), value :: model
    call check(model%sites() == L + 1, 'the value')
  end subroutine

  subroutine handles_in_types(context)
    type(atp_context), intent(inout) :: context
    type(holder) :: a, b
    type(holder), allocatable :: c
    call a%model%create_random(context, L, q)
    allocate (a%more(2))
    call a%more(1)%create_random(context, L + 1, q)
    a%more(2) = a%model
    b = a
    call check(b%model%sites() == L .and. b%more(1)%sites() == L + 1 .and. b%more(2)%sites() == L, 'in derived types')
    call a%model%destroy()
    call a%more(1)%destroy()
    call a%more(2)%destroy()
    call check(b%model%sites() == L .and. b%more(2)%sites() == L, 'copies hold their own')
    allocate (c)
    c = b
    b = c
    deallocate (c)
    call check(b%model%sites() == L, 'the last one')
  end subroutine

  subroutine contexts_live_as_long_as_handles
    type(atp_context) :: context
    type(atp_model) :: model
    integer(c_int8_t) :: sequences(L, 1)
    real(c_double) :: energies(1)
    call context%create(threads=1)
    call model%create_random(context, L, q)
    call context%destroy()
    sequences = 0
    call model%energies(sequences, energies)
    call check(energies(1) == energies(1), 'a model without its context''s variable')
  end subroutine

  !> A signal handler stops a run that would not end.
  subroutine interruption
    type(atp_context) :: context
    type(atp_model) :: model
    type(c_funptr) :: old
    integer(c_int) :: outcome, seconds
    call context%create(threads=1)
    call model%create_random(context, L, q)
    call endless%create(model)
    old = c_signal(14_c_int, c_funloc(on_alarm))
    seconds = c_alarm(1_c_int)
    call endless%sweep(10_c_int64_t**14, outcome=outcome)
    old = c_signal(14_c_int, old)
    call check(outcome == ATP_OUTCOME_CANCELLED .and. endless%sweeps() > 0 .and. seconds == 0, 'a signal stops')
    call endless%sweep(5, outcome=outcome)
    call check(outcome == ATP_OUTCOME_DONE, 'and it goes on')
    call context%request_stop()
    call endless%sweep(10_c_int64_t**14, outcome=outcome)
    call check(outcome == ATP_OUTCOME_CANCELLED .and. context%stop_requested() == 1, 'a request to the context stays')
    call context%clear_stop()
    call endless%sweep(5, outcome=outcome)
    call check(outcome == ATP_OUTCOME_DONE .and. context%stop_requested() == 0, 'until it is taken back')
    call endless%destroy()
  end subroutine

  !> One half of an allocator is an error of the library.
  subroutine allocators
    type(atp_context) :: context
    type(c_funptr) :: half
    half = c_funloc(on_alarm)
    call context%create(alloc=half, stat=stat, errmsg=errmsg); call fails(ATP_E_CONFLICT, '')
    call context%create(simd='abacus', stat=stat, errmsg=errmsg); call fails(ATP_E_UNSUPPORTED, 'abacus')
  end subroutine

  !> Without stat: an error stop, with the library's text on the standard error.
  subroutine end_in_error
    type(atp_context) :: context
    type(atp_model) :: model
    type(atp_model), allocatable :: lost(:), alone
    type(atp_options) :: options
    type(atp_sampler) :: sampler
    type(watcher) :: watch
    integer(c_int8_t) :: wrong(L + 1, 2)
    call context%create(threads=1)
    call model%create_random(context, L, q)
    call sampler%create(model)
    if (argument(2) == '9') call warn_and_stop(context)
    select case (argument(2))
    case ('1')
      call model%create_random(context, 1, q)
    case ('2')
      call options%create(context, 'trainer', 'heads=0')
    case ('3')
      call sampler%sample(wrong)
    case ('4')
      watch%stop_at = 1
      watch%answer = -9
      call sampler%sweep(1000000000, watch)
    case ('6')
      lost = [model]
    case ('7')
      allocate (lost(1))
      lost = [lost, model]
    case ('8')
      alone = model
    case ('5')
      call lose_a_model(context)
      stop
    end select
    print '(a)', 'this is not reached'
    stop
  end subroutine

  !> A warning of a new context is on the standard error; one with a handler, or without any, is not.
  subroutine warn_and_stop(context)
    type(atp_context), intent(inout) :: context
    type(atp_model) :: triangle
    type(notebook), target :: notes
    real(c_double) :: couplings(2, 2, 3, 3)
    couplings = 0
    couplings(1, 1, 2, 1) = 1
    call triangle%create_dense(context, couplings)
    call context%set_log(notes)
    call triangle%create_dense(context, couplings)
    if (notes%lines /= 1) error stop 1
    call context%set_log()
    call triangle%create_dense(context, couplings)
    stop
  end subroutine

  !> What valgrind must see: handles of the C API that nobody frees. (The last of them may be left on the stack.)
  subroutine lose_a_model(context)
    use attopotts_c, only: atp_model_create_random
    type(atp_context), intent(in) :: context
    type(c_ptr) :: model
    integer :: k, status
    do k = 1, 10
      status = atp_model_create_random(context%address(), 5_c_int64_t, 3_c_int64_t, ATP_COUPLINGS_GAUSSIAN, &
        ATP_COLOR_MATRIX_GAUSSIAN, 1_c_int64_t, model)
      if (status /= ATP_OK) error stop 1
    end do
  end subroutine
end program test_errors
